"""Playouts: one player takes all seats and plays on from given states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import look
from cardgym.engine.compilation import bound, name_entry_point, template
from cardgym.engine.contract import CHANCE, END, Float64s, Game, Int64s, Options
from cardgym.engine.kernel import MAX_PLAYERS, kernel_of
from cardgym.engine.rules import Generator, draws_of
from cardgym.engine.states import choose_actions, new_state, record
from cardgym.engine.text import TextView, view_in_text
from cardgym.players import (
    CallablePlayer,
    CompiledPlayer,
    KernelPlayer,
    Player,
    TextFunction,
    TextPlayer,
    legal_actions,
)
from cardgym.players.base import is_users, known_probabilities

States = npt.NDArray[Any]

NO_MOVE = -1
"""In place of an action: only chance moves."""

_MAX_ROWS = 1 << 15
"""The largest number of games played in parallel."""

ASKS = 20
"""How often a callable is asked before it counts as one that always answers in the same way."""

_DOUBT, _NEVER = 6.0, 1e-6
"""How many standard deviations of chi-square a player's actions may lie from its probabilities; which count as 0."""

DECISION, DEAL, MOVE = range(3)
"""How far `advance` goes: to the next decision, not beyond the end of the deal, or a single move."""


class ManyGames:
    """Games of one id that are played in parallel, each in its own row.

    Attributes:
        states: the games, (rows,).
        paid: what each seat has been paid, (rows, MAX_PLAYERS), float64.
        who: the seat to decide in each game, CHANCE or END, (rows,), int64.
        deals: the numbers of the deals, (rows,), int64.
    """

    def __init__(self, game: Game, options: Options, states: States, chance: npt.NDArray[np.uint64]) -> None:
        """Take the games as they are.

        Args:
            states: the games, (rows,); they change in place.
            chance: their generators, (rows, 2).
        """
        self.game, self.options, self.states = game, options, states
        self.paid = np.zeros((len(states), MAX_PLAYERS))
        self.who, self.deals = np.zeros(len(states), np.int64), np.zeros(len(states), np.int64)
        self._chance = chance
        self._advance = _compiled(game)

    @classmethod
    def of_new_games(cls, game: Game, options: Options, keys: npt.ArrayLike) -> ManyGames:
        """Return new games at their first decisions; `keys`, (rows,), decide all chance."""
        chance = generators(keys)
        blank = np.asarray(new_state(game, options)).view(game.state)
        games = cls(game, options, np.repeat(blank, len(chance)), chance)
        games.advance(np.full(len(chance), NO_MOVE))
        return games

    def advance(self, moves: Int64s, until: int = DECISION) -> None:
        """Play a move in each game, (rows,), or chance alone for `NO_MOVE`, then chance until `until`.

        With `DEAL` the games end with the deal; with `MOVE` a move is also an outcome of chance.
        """
        self._advance(self.states, moves, self._chance, self.paid, self.who, self.deals, until)

    def decisions(self, rows: npt.NDArray[np.integer[Any]]) -> Decisions:
        """Return the decisions to be taken in some games, (rows,)."""
        return Decisions(self.game, self.options, self.states.take(rows), self.who[rows])

    def play_on(
        self, player: Player, moves: Int64s, choice: npt.NDArray[np.uint64], source: Generator, until: int = DECISION,
        opponent: Player | None = None, seat: int = -1,
    ) -> None:  # fmt: skip
        """Play a move in each game, then let the player decide in all seats until the games or their deals end.

        Args:
            moves: the first moves, (rows,), or `NO_MOVE`.
            choice: generators for the player's draws, (rows, 2); rows with equal generators get equal draws.
            source: the generator that a player in the kernel draws from instead, (2,), uint64.
            until: `DECISION`, to play to the end of the game, or `DEAL`.
            opponent: the player that decides instead in all seats but `seat`.
        """
        moves = moves.copy()
        while True:
            self.advance(moves, until)
            live = np.flatnonzero(self.who >= 0)
            if not live.size:
                return
            draws = draws_of(choice[live, 0], choice[live, 1])
            choice[live, 1] += np.uint64(1)
            own = np.ones(len(live), np.bool_) if opponent is None else self.who[live] == seat
            for decider, turns in ((player, own), (opponent, ~own)):
                rows = live[turns]
                if decider is not None and rows.size:
                    moves[rows] = self.decisions(rows).actions_of(decider, draws[turns], source)


@dataclass(frozen=True)
class Decisions:
    """States of a game, (rows,), in each of which a seat is to decide, (rows,); they stay as they are."""

    game: Game
    options: Options
    states: States
    seats: Int64s

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Decisions:
        """Return some of the decisions, (rows,)."""
        return replace(self, states=self.states.take(rows), seats=self.seats[rows])  # Indexing copies field by field.

    def payoffs(
        self, player: Player, actions: Int64s, luck: Int64s, generator: np.random.Generator, until: int = DECISION
    ) -> Float64s:
        """Get what actions pay the seats that take them if the player decides everything afterwards, (rows,), float64.

        Args:
            actions: an action in each state, (rows,).
            luck: rows with the same number have the same chance and the same draws of the player, (rows,).
            until: see `ManyGames.play_on`.
        """
        keys = generator.integers(0, 2**63, (2, int(luck.max()) + 1), np.uint64)
        paid = np.empty(len(self.states))
        for at in range(0, len(self.states), _MAX_ROWS):
            rows = np.arange(at, min(at + _MAX_ROWS, len(self.states)))
            games = ManyGames(self.game, self.options, self.states.take(rows), generators(keys[0, luck[rows]]))
            source = generator.integers(0, 2**63, 2, np.uint64)
            games.play_on(player, actions[rows], generators(keys[1, luck[rows]]), source, until)
            paid[rows] = games.paid[np.arange(len(rows)), self.seats[rows]]
        return paid

    def advantages(
        self, player: Player, chosen: Int64s, usual: Int64s, generator: np.random.Generator, playouts: int,
        until: int = DECISION,
    ) -> Float64s:  # fmt: skip
        """How much more chosen actions pay than the player's usual ones, by playouts to the end of the game, (rows,).

        Summed over the decisions of a game, and over all seats, this estimates what the one who chose wins from the
        player in all other seats of a zero-sum game, with less noise than the result of the game: it is the performance
        difference of the two (Kakade and Langford, "Approximately optimal approximate reinforcement learning", ICML
        2002), in which the luck of the deal and of the other seats is averaged out, as in AIVAT (Burch et al., AAAI
        2018).

        Args:
            chosen: the action that was chosen in each state, (rows,).
            usual: what the player would have done there, (rows,), drawn from its own policy.
            playouts: how many times both actions are played out, with the same luck.
            until: see `ManyGames.play_on`. To the end of the deal there is less noise; what the payoffs of a deal are
                worth in later deals is then left out.
        """
        gains = np.zeros(len(self.states))
        differ = np.flatnonzero(chosen != usual)
        if differ.size:
            rows = np.repeat(differ, 2 * playouts)
            actions = np.stack([chosen[differ], usual[differ]], axis=1).repeat(playouts, axis=0).reshape(-1)
            paid = self.take(rows).payoffs(player, actions, np.repeat(np.arange(len(rows) // 2), 2), generator, until)
            gains[differ] = (paid[0::2] - paid[1::2]).reshape(-1, playouts).mean(axis=1)
        return gains

    def actions_of(self, player: Player, draws: Float64s, source: Generator) -> Int64s:
        """Return a player's actions, (rows,), int64; see `ManyGames.play_on`."""
        if isinstance(player, KernelPlayer):
            return choose_actions(self.game, self.options, player.policy, self.states, self.seats, source)
        return legal_actions(player, *self._look(player), draws, self.views)

    def probabilities_of(self, player: Player, draws: Float64s, source: Generator) -> npt.NDArray[np.floating[Any]]:
        """Return a player's probability of each action, (rows, actions); if unknown, 1 for the action it draws."""
        known = self.known_probabilities(player)
        if known is None:
            known = np.eye(self.game.actions(self.options))[self.actions_of(player, draws, source)]
        return known

    def known_probabilities(
        self, player: Player, temperature: float = 0.0, asks: int = 1
    ) -> npt.NDArray[np.floating[Any]] | None:
        """Return a player's probability of each action, (rows, actions).

        The player may be any but a mixture. None for one that draws its actions with unknown probabilities.

        Args:
            temperature: for one that chooses by values; see `Player.probabilities`.
            asks: with more than one, a player from Python is also asked so often what it does in each state. If that
                does not agree with the probabilities, they count as unknown.

        Raises:
            CardgymError: if it chooses an illegal action.
        """
        if isinstance(player, TextPlayer) and not isinstance(player, TextFunction):
            return np.eye(self.game.actions(self.options))[self.actions_of(player, np.zeros(0), np.zeros(2, np.uint64))]
        uniform = isinstance(player, CompiledPlayer) and player.name == "random"
        if isinstance(player, KernelPlayer) and not uniform:
            source = np.zeros(2, np.uint64)
            actions = self.actions_of(player, np.zeros(0), source)
            return None if source[1] else np.eye(self.game.actions(self.options))[actions]  # [1] counts the draws.
        observations, masks = self._look(player)
        if uniform:
            return np.asarray(masks / masks.sum(axis=1, keepdims=True), np.float64)
        shares: npt.NDArray[np.floating[Any]] | None
        a_function = isinstance(player, CallablePlayer | TextFunction)
        if a_function:
            answers = self.actions_of(player, np.zeros(0), np.zeros(2, np.uint64))
            shares = np.eye(self.game.actions(self.options))[answers]
        else:
            shares = known_probabilities(player, observations, masks, temperature)
        if asks < 2 or shares is None or not (a_function or is_users(player)):
            return shares
        return shares if self._agree(player, shares, asks) else None

    def _agree(self, player: Player, shares: npt.NDArray[np.floating[Any]], asks: int) -> bool:
        """Whether a player acts with these probabilities, in whatever order and company it is asked."""
        generator = np.random.default_rng(0)
        rows = generator.permutation(np.repeat(np.arange(len(shares)), asks))
        counts = np.zeros(shares.shape)
        for part in np.split(rows, len(rows) // 2 + 2 ** np.arange(16) - 1):  # Half of them at once, then 1, 2, 4 ...
            if part.size:
                actions = self.take(part).actions_of(player, generator.random(len(part)), np.zeros(2, np.uint64))
                np.add.at(counts, (part, actions), 1.0)
        expected = asks * shares
        sure = np.minimum(shares, 1.0 - shares) < _NEVER
        gaps = ((counts - expected) ** 2 / (expected * (1.0 - shares) + 1.0))[~sure]
        within = gaps.sum() <= gaps.size + _DOUBT * np.sqrt(2.0 * gaps.size)
        return bool(within and (np.abs(counts - expected)[sure] < 0.5).all())

    def views(self) -> list[TextView]:
        """Return what the seats see in words; a state does not say what happened before it."""
        masks = look(self.game, self.options, self.states, self.seats)[1]
        return [
            view_in_text(self.game, self.options, record(self.states[[row]]), int(seat), np.flatnonzero(mask).tolist())
            for row, (seat, mask) in enumerate(zip(self.seats, masks, strict=True))
        ]

    def _look(self, player: Player) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        return look(self.game, self.options, self.states, self.seats, player.observation_name)[:2]


def generators(keys: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """Return generators that start from keys, (rows, 2)."""
    column = np.asarray(keys, np.uint64)
    return np.stack([column, np.zeros_like(column)], axis=1)


@template
def _advance(states: Any, moves: Any, chance: Any, paid: Any, who: Any, deals: Any, until: int) -> None:
    for row in range(states.shape[0]):
        if who[row] == END:
            continue
        state = states[row]
        deal = bound.deal(state)
        over = False
        move = moves[row]
        if move < 0:
            move = bound.draw(state, chance[row])
        while move >= 0:
            bound.apply_action(state, move)
            bound.rewards(state, paid[row])
            over = until == DEAL and bound.deal(state) != deal
            if over or until == MOVE:
                break
            move = bound.draw(state, chance[row])
        if over:
            who[row] = END
        else:
            who[row] = CHANCE if bound.num_chance_outcomes(state) > 0 else bound.current_player(state)
        deals[row] = bound.deal(state)


@cache
def _compiled(game: Game) -> Callable[..., None]:
    advance = kernel_of(game, game.default_observation).entry_point(_advance)
    name_entry_point(f"{game.id} (playouts)", advance)
    return advance
