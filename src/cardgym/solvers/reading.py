"""What a player that reads is shown at each information set of a game, and its strategy from its answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import look
from cardgym.engine.sight import narrate
from cardgym.engine.states import SingleGame, new_state, record
from cardgym.engine.text import TextView, view_in_text
from cardgym.errors import CardgymError
from cardgym.players import TextPlayer
from cardgym.players.base import FORFEIT
from cardgym.solvers.tree import GameTree

Counts = npt.NDArray[np.float64]


def views_of(tree: GameTree) -> list[TextView]:
    """Return what each information set's seat reads, with what it was told on one way there, (num_info_sets,).

    Raises:
        CardgymError: if the walk does not reach them all: the game's `canonical` changes what a seat sees.
    """
    found, seats = _Walk(tree), tree.num_players
    start = np.asarray(new_state(tree.game, tree.options))
    found.visit(start, (-1,) * seats, ((),) * seats, (0,) * seats)
    views = [view for view in found.views if view is not None]
    if len(views) < tree.num_info_sets:
        raise CardgymError(f"{tree.game.id}: {len(views)} of {tree.num_info_sets} information sets have words")
    return views


class _Walk:
    """A walk over the states of a tree, with what each seat was told and its last choice."""

    def __init__(self, tree: GameTree) -> None:
        arrays = tree.arrays
        observations, masks = tree.look()
        self.tree, self.seen = tree, set[tuple[object, ...]]()
        self.views: list[TextView | None] = [None] * tree.num_info_sets
        rows = zip(arrays.set_seats, arrays.set_before, tree.set_keys, observations, masks, strict=True)
        self.sets = {
            (int(seat), int(before), int(key), observation.tobytes(), mask.tobytes()): number
            for number, (seat, before, key, observation, mask) in enumerate(rows)
        }

    def visit(
        self,
        states: npt.NDArray[np.void],
        choices: tuple[int, ...],
        told: tuple[tuple[str, ...], ...],
        num_old: tuple[int, ...],
    ) -> None:
        """Visit a state and all that follow it; `choices` are each seat's last, -1 before its first."""
        tree, game = self.tree, self.tree.game
        position = SingleGame(game, tree.options, states)
        position.refresh()
        key = (tree.keys_of(states)[0], choices)
        if position.over or key in self.seen:
            return
        self.seen.add(key)
        seat, first = position.current_player, 0
        moves: Sequence[int] = range(position.num_chance_outcomes)
        if seat >= 0:
            moves = position.legal_actions()
            seen, mask, name = look(game, tree.options, states, np.array([seat]), tree.observation_name)
            number = self.sets[seat, choices[seat], int(name[0]), seen[0].tobytes(), mask[0].tobytes()]
            first = int(tree.arrays.first_choice[number])
            if self.views[number] is None:
                before = record(states)
                self.views[number] = view_in_text(
                    game, tree.options, before, seat, moves, told[seat], num_old[seat]
                )  # fmt: skip
        for place, move in enumerate(moves):
            after = states.copy()
            SingleGame(game, tree.options, after).apply_action(move)
            texts = [narrate(game, record(states), move, record(after), reader) for reader in range(len(told))]
            self.visit(
                after,
                tuple(first + place if other == seat else choice for other, choice in enumerate(choices)),
                tuple((*before, text) if text else before for before, text in zip(told, texts, strict=True)),
                tuple(len(told[other]) if other == seat else old for other, old in enumerate(num_old)),
            )


def answer_counts(tree: GameTree, player: TextPlayer, samples: int) -> Counts:
    """How often a player that reads takes each action, (num_info_sets, actions), asked `samples` times at every set.

    An answer that forfeits counts as a random legal action: the tree has no forfeits.

    Raises:
        CardgymError: for an illegal action, which names the player.
    """
    views = views_of(tree)
    answers = np.asarray(player.answers(views * samples)).reshape(samples, len(views))
    masks = tree.look()[1]
    counts = np.zeros(masks.shape)
    for row in answers:
        for number, action in enumerate(row):
            if action == FORFEIT:
                counts[number] += masks[number] / masks[number].sum()
            elif 0 <= action < masks.shape[1] and masks[number, action]:
                counts[number, action] += 1.0
            else:
                raise CardgymError(f"player {player.name}: action {action} is not legal")
    return counts
