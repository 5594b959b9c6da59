"""The adviser of Coda: the share of games won, by the search of the strongest player for the options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Game, State
from cardgym.errors import CardgymError
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import weigh_guesses, weigh_own
from cardgym.games.coda.critic import OFFICIAL, PLAY_OUT, shipped_critic
from cardgym.games.coda.players import MODELED
from cardgym.games.coda.search import ROOT, Bools, try_actions
from cardgym.games.coda.state import CodaOptions
from cardgym.games.coda.text import action_text, spoken, tile_name
from cardgym.statistics import half_widths
from cardgym.table.coach.advice import GAMES, ActionAdvice, Advice, Adviser, ranked
from cardgym.table.coach.playouts import look
from cardgym.table.people import shown_name
from cardgym.table.presentation import presentation_of

_BLUNDER = 5.0
"""The least cost of a blunder, in percent of games."""
_GUESSES = 8
"""The number of guesses to play out, the likeliest first, as `value-search` does."""
_WORLDS, _PLAYED_OUT = 400, 2000
"""The number of states sampled for a decision, with a critic and without."""


def adviser(game: Game, options: CodaOptions) -> Adviser:
    search = _Search(game, options)
    return Adviser(search.advise, luck=_luck, luck_unit="hits", advise_against=search.advise)


class _Search:
    """Tries actions in sampled states like `value-search`, or like `search` if its critic does not fit the options."""

    def __init__(self, game: Game, options: CodaOptions) -> None:
        self._game, self._options = game, options
        self._records = np.zeros(3, coda.STATE)
        options.write(self._records.view(np.recarray)[ROOT])
        self._mask = np.zeros(coda.num_actions(options), np.int8)
        ratings = presentation_of(game).ratings
        try:
            self._critic, self._worlds, self._name = shipped_critic(options), _WORLDS, "value-search"
            self._ratings: Mapping[str, int] = ratings[OFFICIAL]  # The critic fits no other game.
        except CardgymError:
            self._critic, self._worlds, self._name = PLAY_OUT, _PLAYED_OUT, "search"
            self._ratings = ratings.get(game.id, {}) if options == game.parse_options() else {}

    def advise(self, state: State, seat: int, opponent: str = "") -> Advice:
        observation, legal = look(self._game, self._options, state, seat, "full")
        n = int(state.n)
        table = guess_probabilities(state, seat)
        chances = {action: float(table[action // n, action % n]) for action in legal if action < n * n}
        guesses = sorted((action for action in chances if chances[action] > 0.0), key=lambda action: -chances[action])
        tried = [*guesses[:_GUESSES], *(action for action in legal if action not in chances)]
        expected = np.array([chances.get(action, 0.0) for action in tried])
        rated = _rate(*self._try(observation, tried, self._model(opponent)), expected, self._odds(state, opponent))
        reasons = _reasons(state, seat, tried, chances, rated)
        actions = [
            ActionAdvice(action, action_text(state, action), float(mean), reason, float(error))
            for action, mean, reason, error in zip(tried, rated.means, reasons, rated.errors, strict=True)
        ]
        actions += _less_likely(state, {action: chances[action] for action in sorted({*chances} - {*tried})}, rated)
        kind = {coda.GUESSING: "guess", coda.REVEALING: "turn up"}.get(int(state.phase), "place")
        source = f"{self._worlds:,} states that fit what was seen, valued as {shown_name(self._name)} does"
        known = self._known(opponent)
        source += f", against {shown_name(known) if known else 'an equal'}"
        return Advice(kind, GAMES, source, ranked(actions, GAMES), _BLUNDER)

    def _model(self, opponent: str) -> int:
        """The number of the player in the opponent's seat of playouts: itself where playouts last to the end."""
        return MODELED["bayes"] if self._critic is not PLAY_OUT else MODELED.get(opponent, MODELED["bayes"])

    def _odds(self, state: State, opponent: str) -> float:
        """How the odds of winning change against `opponent` instead of the player in the playouts.

        They follow from the ratings, which are for whole games, so they matter less the fewer tiles are still face
        down. A player without a rating counts as the searching player.
        """
        known = self._known(opponent)
        if not self._ratings or (self._critic is PLAY_OUT and known in MODELED):
            return 1.0
        left = (coda.count_hidden(state, 0) + coda.count_hidden(state, 1)) / (2.0 * int(state.n_start))
        difference = self._ratings["bayes"] - self._ratings[known or self._name]
        return float(10.0 ** (difference / 400.0 * min(left, 1.0)))

    def _known(self, opponent: str) -> str:
        """The opponent that the shares are for; empty for one of the searching player's strength."""
        if opponent in self._ratings or (self._critic is PLAY_OUT and opponent in MODELED):
            return opponent
        return "" if self._ratings else "bayes"

    def _try(self, observation: Float32s, actions: list[int], other: int) -> tuple[Float64s, Bools]:
        """The games won, in percent, after each action in each state, and whether it is a right guess there."""
        values = np.zeros((self._worlds, len(actions)))
        right = np.zeros(values.shape, np.bool_)
        numbers = np.array(actions, np.int64)
        own = MODELED["bayes"]
        try_actions(self._records, observation, 0, numbers, self._mask, self._critic, own, other, values, right)
        return 50.0 + 50.0 * values, right


class _Rated(NamedTuple):
    """The games won, in percent, by tried action: on average, after a hit and after a miss (NaN if neither occurs)."""

    means: Float64s
    errors: Float64s
    hits: Float64s
    misses: Float64s


def _rate(values: Float64s, right: Bools, expected: Float64s, odds: float) -> _Rated:
    """Rate actions by their values in sampled states, (states, actions), and the exact chances of right guesses."""
    hits, misses = _after_guesses(values, right)
    # The share of right guesses in the sample differs from their probability: correct the values for that.
    values = values - np.where(np.isnan(hits - misses), 0.0, hits - misses) * (right - expected)
    hits, misses, means = (_with_odds(shares, odds) for shares in (hits, misses, values.mean(axis=0)))
    means = np.where(np.isnan(hits - misses), means, expected * hits + (1.0 - expected) * misses)
    return _Rated(means, half_widths(values - values[:, [int(means.argmax())]]), hits, misses)


def _reasons(state: State, seat: int, tried: list[int], chances: Mapping[int, float], rated: _Rated) -> list[str]:
    reasons = _own_reasons(state, seat, tried) if state.phase == coda.REVEALING else {}
    for action, hits, misses in zip(tried, rated.hits, rated.misses, strict=True):
        if action in chances:
            reasons[action] = f"{_share(chances[action])} to hit"
            if not np.isnan(hits - misses):
                reasons[action] += f"; wins {hits:.0f} % of games after a hit, {misses:.0f} % after a miss"
        elif state.phase == coda.GUESSING and action == coda.stop_action(state):
            reasons[action] = "the drawn tile stays hidden"
    return [reasons.get(action, "") for action in tried]


def _less_likely(state: State, chances: Mapping[int, float], rated: _Rated) -> list[ActionAdvice]:
    """Advice on guesses that were not tried, assuming that they win as often after a hit or a miss as the others."""
    hit, miss = (
        float(np.nanmean(shares)) if np.isfinite(shares).any() else float(rated.means.mean())
        for shares in (rated.hits, rated.misses)
    )
    actions = []
    for action, chance in chances.items():
        value = min((1.0 - chance) * miss + chance * hit, float(rated.means.max()))
        place, tile = divmod(action, int(state.n))
        reason = f"{spoken(tile_name(state, tile))} is impossible at place {place + 1}"
        if chance:
            reason = f"{_share(chance)} to hit"
        error = float(rated.errors.max())
        actions.append(ActionAdvice(action, action_text(state, action), value, reason, error))
    return actions


def _after_guesses(values: Float64s, right: Bools) -> tuple[Float64s, Float64s]:
    """The mean value of each action where it is a right guess and where it is not; NaN where that never happens."""
    counts = right.sum(axis=0)
    with np.errstate(invalid="ignore"):
        hits = (values * right).sum(axis=0) / counts
        return hits, (values * ~right).sum(axis=0) / (len(values) - counts)


def _with_odds(shares: Float64s, factor: float) -> Float64s:
    """Shares of games won, in percent, with the odds multiplied."""
    return factor * shares / (1.0 + (factor - 1.0) * shares / 100.0)


def _share(chance: float) -> str:
    return "certain" if chance == 1.0 else f"{100 * chance:.1f} %"


def _own_reasons(state: State, seat: int, actions: list[int]) -> dict[int, str]:
    """How easily each own tile is guessed by an observer who sees neither hand."""
    weights, total = _weights(state, seat, own=True)
    first = coda.place_action(state, 0)
    shares = {action: 100 * weights[action - first, state.line[seat, action - first]] / total for action in actions}
    return {action: f"an observer who sees neither hand gives it {share:.1f} %" for action, share in shares.items()}


def _luck(before: State, move: int, after: State, seat: int) -> float:
    """The result of a guess (1 for a hit, else 0) minus its probability; negated for the opponent."""
    if before.phase != coda.GUESSING or move >= coda.stop_action(before):
        return 0.0
    turn = int(before.turn)
    place, tile = divmod(move, int(before.n))
    hit = int(before.line[1 - turn, place]) == tile
    gain = float(hit) - float(guess_probabilities(before, turn)[place, tile])
    return gain if seat == turn else -gain


def guess_probabilities(state: State, seat: int) -> Float64s:
    """The probability of each tile at each place of the opponent's line, (13, 26) float64.

    Exact given everything the seat knows: its own tiles, the colors, face-up tiles and every past guess.
    """
    weights, total = _weights(state, seat, own=False)
    return weights / total if total else weights


def _weights(state: State, seat: int, own: bool) -> tuple[Float64s, float]:
    """The weights of a seat's own line, or those of its opponent's, and their total; see `arrangements`."""
    states, weights = np.zeros(1, coda.STATE), np.zeros((coda.MAX_LINE, coda.MAX_TILES))
    states[:1] = state
    return weights, _weigh(states, seat, own, weights)


# -- compiled ---------------------------------------------------------------------------------------------------------


@compiled
def _weigh(states: Any, seat: int, own: bool, weights: Float64s) -> float:
    return weigh_own(states[0], seat, weights) if own else weigh_guesses(states[0], seat, weights)
