"""Posteriors by walks through all histories, and a player whose choices tell what it sees."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import CHANCE, Game, Options
from cardgym.engine.states import new_state
from cardgym.players import Masks, Observations, Player


class Moody(Player):
    """Acts with probabilities that depend on every number that it sees.

    Attributes:
        seen: the observations that it was asked for.
    """

    name = "moody"
    observation_name = "full"

    def __init__(self) -> None:
        self.seen: list[npt.NDArray[np.float32]] = []

    def probabilities(self, observations: Observations, masks: Masks, temperature: float = 0.0) -> Any:
        self.seen.append(np.array(observations))
        weights = np.random.default_rng(1).normal(size=(masks.shape[1], observations.shape[1]))
        scores = np.exp(np.sin(observations.astype(np.float64) @ weights.T)) * masks
        return scores / scores.sum(axis=1, keepdims=True)

    def act(self, observations: Observations, masks: Masks, draws: object = None) -> Any:
        raise AssertionError("its probabilities are known")


def key_of(state: Any) -> bytes:
    """The state's values but what was paid last; the bytes between them may be anything."""
    return b"".join(np.asarray(state[name]).tobytes() for name in state.dtype.names if name != "paid")


class Histories:
    """All histories that look to a seat like the one followed; those that end in equal states are one.

    Attributes:
        worlds: the state at the end of each, and its probability, by `key_of`.
    """

    def __init__(self, game: Game, options: Options, player: Player, seat: int) -> None:
        self._game, self._player, self._seat = game, player, seat
        self._observation, self._num_actions = game.observation(game.default_observation), game.actions(options)
        self._size = self._observation.size(options)
        start = np.asarray(new_state(game, options)).view(game.state)
        self.worlds: dict[bytes, tuple[Any, float]] = {key_of(start[0]): (start, 1.0)}

    def follow(self, who: int, action: int, after: Any) -> None:
        """Follow a move of the real game, of a seat or of chance, which has led to the state `after`."""
        seen, following = self.see(after, self._seat), self._mover(after)
        found: dict[bytes, tuple[Any, float]] = {}
        for states, probability in self.worlds.values():
            for move, share in self._moves(states.view(np.recarray)[0], who, action):
                child = states.copy().view(np.recarray)
                self._game.rules.apply_action(child[0], move)
                if self._mover(child[0]) == following and (self.see(child[0], self._seat) == seen).all():
                    self._game.rules.canonical(child[0])
                    key = key_of(child[0])
                    found[key] = child, probability * share + (found[key][1] if key in found else 0.0)
        whole = sum(probability for _, probability in found.values())
        self.worlds = {key: (states, probability / whole) for key, (states, probability) in found.items()}

    def see(self, state: Any, seat: int) -> npt.NDArray[np.float32]:
        """What a seat observes."""
        out = np.zeros(self._size, np.float32)
        self._observation.write(state, seat, out)
        return out

    def _mover(self, state: Any) -> int:
        rules = self._game.rules
        return CHANCE if rules.num_chance_outcomes(state) else int(rules.current_player(state))

    def _moves(self, state: Any, who: int, action: int) -> list[tuple[int, float]]:
        """The moves that may have been made in a world, each with its probability."""
        outcomes = int(self._game.rules.num_chance_outcomes(state))
        if outcomes:
            return [(move, 1.0 / outcomes) for move in range(outcomes)]
        if who == self._seat:
            return [(action, 1.0)]
        mask = np.zeros(self._num_actions, np.int8)
        self._game.rules.legal_action_mask(state, mask)
        shares: Any = self._player.probabilities(self.see(state, who)[None], mask[None])
        return [(move, float(shares[0][move])) for move in np.flatnonzero(mask).tolist()]
