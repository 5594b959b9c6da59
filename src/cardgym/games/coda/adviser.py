"""The adviser of Coda: the share of games won, by search."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Game, State
from cardgym.errors import CardgymError
from cardgym.games.coda import evidence
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import weigh_guesses, weigh_own
from cardgym.games.coda.critic import OFFICIAL, PLAY_OUT, shipped_critic
from cardgym.games.coda.players import MODELED
from cardgym.games.coda.search import STRANGER, Bools, Sampler
from cardgym.games.coda.state import CodaOptions
from cardgym.games.coda.text import action_text, spoken, tile_name
from cardgym.players import player_names
from cardgym.statistics import Z95, half_widths
from cardgym.table.coach.advice import GAMES, ActionAdvice, Advice, Adviser, percent, ranked, with_odds
from cardgym.table.coach.playouts import look
from cardgym.table.coach.solved import solved_game
from cardgym.table.people import shown_name

_BLUNDER = 5.0
"""The least cost of a blunder, in percent of games."""
_GUESSES = 8
"""The number of guesses to play out, the likeliest first, as `value-search` does."""
_SAMPLED, _WORLDS, _PLAYED_OUT = 1024, 400, 2000
"""How many states are sampled and weighed for a decision, and how many are tried, with a critic and without."""

_CRITIC = 0.073
"""The critic's own error of a chance p to win, in parts of sqrt(p (1 - p)): how far it values guesses of one decision
apart that are all certain hits, which can follow each other. 1,406 decisions of 1,800 games, 95 % [.067, .080]."""

_PLAYERS = ("random-unseen", "random-color", "random-consistent", "heuristic", "bayes")
"""The players of the first policies of `evidence`."""
_POLICIES = {
    "random": (evidence.UNSEEN,), "random-all": (evidence.UNSEEN,), "random-unseen": (evidence.UNSEEN,),
    "random-color": (evidence.COLOR,), "random-consistent": (evidence.CONSISTENT,), "heuristic": (evidence.FEWEST,),
    "bayes": (evidence.MIDDLE,), "search": (evidence.PLAYED_OUT,), "value-search": (evidence.VALUED,),
    "official_ppo": (evidence.TRAINED,),
}  # fmt: skip
"""The policies of known players; others have the last four."""


_MAY_BE_HEURISTIC = 0.03
"""How likely an unknown opponent is to guess as `heuristic`, which `search` leaves out."""

_SOLVED_TILES = 6
"""The most tiles of a game that is solved, unless its rules make it too large."""


def adviser(game: Game, options: CodaOptions, fits: Mapping[str, Fit] | None = None) -> Adviser:
    """Return the adviser; `fits`, by opponent, take the place of those shipped."""
    advise = _exactly(game, options) if options.n <= _SOLVED_TILES else _Search(game, options, fits).advise
    return Adviser(advise, luck=_luck, luck_unit="hits", advise_against=advise)


def _exactly(game: Game, options: CodaOptions) -> Callable[..., Advice]:
    """Advice by exact values, or by the search in a game that is too large or pays more than 1 and -1 at its end."""
    search = cache(partial(_Search, game, options, None))

    def advise(state: State, seat: int, opponent: str = "") -> Advice:
        known = opponent if opponent in player_names(game) else ""
        solved = solved_game(game, options, known) if options.reward == "win" else None
        if solved is None:
            return search().advise(state, seat, opponent)
        return solved.advise(state, seat, _kind_of(state), blunder=_BLUNDER, base=-1.0, unit=GAMES, scale=50.0)

    return advise


def _kind_of(state: State) -> str:
    return {coda.GUESSING: "guess", coda.REVEALING: "turn up"}.get(int(state.phase), "place")


class Fit(NamedTuple):
    """What chances and values lack against an opponent, as fitted to games; see `fits.toml`.

    Attributes:
        points: what is added to the odds of winning, in Elo points.
        sharpness: the power of chances; below 1 they were too sure.
        trust: the power of what the opponent's guesses tell, relative to the rest.
        jokers: what is added to the logarithm of a joker's weight.
    """

    points: float = 0.0
    sharpness: float = 1.0
    trust: float = 1.0
    jokers: float = 0.0


UNKNOWN = "unknown"
"""The fit of opponents that play well and whose name is not known."""


def shipped_fits(env_id: str) -> dict[str, Fit]:
    """Return what was fitted for a game with its default options, by opponent."""
    tables = tomllib.loads(Path(__file__).with_name("fits.toml").read_text(encoding="utf-8"))
    return {name: Fit(**fitted) for name, fitted in tables.get(env_id, {}).items()}


class _Search:
    """Tries actions in sampled states like `value-search`, or like `search` if its critic does not fit the options."""

    def __init__(self, game: Game, options: CodaOptions, fits: Mapping[str, Fit] | None) -> None:
        self._game, self._options = game, options
        self._sampler = Sampler(options, _SAMPLED)
        try:
            self._critic, self._worlds, self._name = shipped_critic(options), _WORLDS, "value-search"
            fitted = OFFICIAL  # The critic fits no other game.
        except CardgymError:
            self._critic, self._worlds, self._name = PLAY_OUT, _PLAYED_OUT, "search"
            fitted = game.id if options == game.parse_options() else ""
        self._fits = shipped_fits(fitted) if fits is None else fits

    def advise(self, state: State, seat: int, opponent: str = "") -> Advice:
        observation, legal = look(self._game, self._options, state, seat, "guessed")
        n = int(state.n)
        known = opponent if opponent in {**_POLICIES, **self._fits} else ""
        beliefs = self._sampler.believe(observation, prior_of(known))
        fit = self._fits.get(known or UNKNOWN, Fit())
        by_place = beliefs.chances
        if state.phase == coda.GUESSING:
            by_place = fitted_chances(guess_probabilities(state, seat), by_place, fit, coda.num_numbers(state))
        chances = {action: float(by_place[divmod(action, n)]) for action in legal if action < n * n}
        guesses = sorted((action for action in chances if chances[action] > 0.0), key=lambda action: -chances[action])
        tried = [*guesses[:_GUESSES], *(action for action in legal if action not in chances)]
        expected = np.array([chances.get(action, 0.0) for action in tried])
        opponents = self._opponents(known, beliefs.policies)
        drawn = beliefs.drawn(self._worlds, 0)
        models = np.repeat([model for model, _, _ in opponents], _parts([share for *_, share in opponents], len(drawn)))
        values, right = self._sampler.try_actions(
            observation, drawn, np.array(tried), self._critic, MODELED["bayes"], models
        )
        left = (coda.count_hidden(state, 0) + coda.count_hidden(state, 1)) / (2.0 * int(state.n_start))
        odds = [(round(10.0 ** (points / 400.0 * min(left, 1.0)), 12), share) for _, points, share in opponents]
        rated = _rate(50.0 + 50.0 * values, right, expected, odds, 0.0 if self._critic is PLAY_OUT else _CRITIC)
        reasons = _reasons(state, seat, tried, chances, rated)
        actions = [
            ActionAdvice(action, action_text(state, action), float(mean), reason, float(error))
            for action, mean, reason, error in zip(tried, rated.means, reasons, rated.errors, strict=True)
        ]
        actions += _less_likely(state, {action: chances[action] for action in sorted({*chances} - {*tried})}, rated)
        source = f"{self._worlds:,} states that explain what was seen, valued as {shown_name(self._name)} does"
        source += f", against {shown_name(known) if known else 'a player of unknown strength'}"
        return Advice(_kind_of(state), GAMES, source, ranked(actions, GAMES), _BLUNDER)

    def _opponents(self, known: str, policies: Float64s) -> list[tuple[int, float, float]]:
        """Who may sit in the opponent's seat: the player in playouts, the points of its fit, a share.

        An unknown opponent is each player of `_PLAYERS` with the probability of its policy, else one that plays well.
        In playouts to the end of the game a player of `MODELED` plays itself. In others, and for other players, `bayes`
        plays. Points are for whole games, so they matter less the fewer tiles are face down.
        """
        names = [known] if known else [*_PLAYERS, UNKNOWN]
        shares = [1.0] if known else [*policies[: len(_PLAYERS)].tolist(), float(policies[len(_PLAYERS) :].sum())]
        opponents = []
        for name, share in zip(names, shares, strict=True):
            plays = self._critic is PLAY_OUT and name in MODELED
            points = self._fits.get(name, Fit()).points
            opponents.append((MODELED[name if plays else "bayes"], points, share))
        return opponents


def fitted_chances(exact: Float64s, weighed: Float64s, fit: Fit, numbers: int) -> Float64s:
    """Return the chance of each tile at each place, (13, 26), where the fit balances two posteriors.

    Args:
        exact: the chances if guesses were made by chance.
        weighed: the chances weighed by the opponent's policies.
        numbers: the number of tiles that are no jokers.
    """
    possible = (exact > 0.0) & (weighed > 0.0)
    likelier = np.divide(weighed, exact, where=possible, out=np.ones_like(exact))
    weights: Float64s = np.where(possible, (exact * likelier**fit.trust) ** fit.sharpness, 0.0)
    weights[:, numbers:] *= np.exp(fit.jokers)
    totals = weights.sum(axis=1, keepdims=True)
    np.divide(weights, totals, where=totals > 0.0, out=weights)
    return np.round(weights, 12)  # Powers differ in the last bit from one machine to another, and in a page.


def prior_of(name: str) -> Float64s:
    """Return the probability of each policy of `evidence` for a known player; for an empty name those of a stranger."""
    if not name:
        return STRANGER + _MAY_BE_HEURISTIC * (_has(evidence.FEWEST) - _has(evidence.MIDDLE))
    good = (evidence.MIDDLE, evidence.PLAYED_OUT, evidence.VALUED, evidence.TRAINED)
    policies = _POLICIES.get(name, good)
    return _has(*policies) / len(policies)


def _has(*policies: int) -> Float64s:
    return np.isin(np.arange(evidence.NUM_POLICIES), policies).astype(np.float64)


def _parts(shares: list[float], count: int) -> npt.NDArray[np.intp]:
    """Split a number of states by shares, in whole numbers."""
    return np.diff(np.round(np.cumsum([0.0, *shares]) * count)).astype(np.intp)


class _Rated(NamedTuple):
    """The games won, in percent, by tried action: on average, after a hit and after a miss (NaN if neither occurs).

    `spread` is the largest error without the critic's own, which hardly matters where a hit is unlikely.
    """

    means: Float64s
    errors: Float64s
    hits: Float64s
    misses: Float64s
    spread: float


def _rate(
    values: Float64s, right: Bools, expected: Float64s, odds: list[tuple[float, float]], critic: float = 0.0
) -> _Rated:
    """Rate actions by their values in sampled states, (states, actions), and the chances of right guesses.

    `odds` are factors of the odds of winning, each with its probability. After a hit a `critic` looks at one position,
    whatever the state, so that its own error, as of `_CRITIC`, is in no spread; after others its errors average out.
    """
    guesses = expected > 0.0
    rows = right & guesses, ~right & guesses, np.broadcast_to(~guesses, right.shape)
    hits, misses, others = (_drawn_together(values, some) for some in rows)
    # The share of right guesses in the sample differs from their probability: correct the values for that.
    values = values - np.nan_to_num(hits - misses) * (right - expected)
    hits, misses, others = (
        np.sum([share * with_odds(shares, factor) for factor, share in odds], axis=0)
        for shares in (hits, misses, others)
    )
    means = np.where(guesses, expected * hits + (1.0 - expected) * misses, others)
    means = np.where(np.isnan(means), np.fmax(hits, misses), means)
    best = int(means.argmax())
    own = Z95 * critic * expected * np.sqrt(np.nan_to_num(hits) * (100.0 - np.nan_to_num(hits)).clip(0.0))
    own = np.where(np.arange(len(own)) == best, 0.0, np.hypot(own, own[best]))
    spread = half_widths(values - values[:, [best]])
    return _Rated(means, np.hypot(spread, own), hits, misses, float(spread.max()))


def _drawn_together(values: Float64s, rows: Bools) -> Float64s:
    """Return the mean of each column over some of its rows, NaN if there are none, drawn towards the mean of all.

    Means that differ as little as chance would make them are all but equal, so that the best is not just the luckiest
    (empirical Bayes: Efron and Morris, "Stein's estimation rule and its competitors", 1973).
    """
    counts = rows.sum(axis=0)
    means: Float64s = np.where(counts > 0, (values * rows).sum(axis=0) / np.maximum(counts, 1), np.nan)
    known = np.flatnonzero(counts > 0)
    if len(known) > 1:
        apart = ((values - means) * rows)[:, known] / counts[known]
        covariances = apart.T @ apart  # Of the means: all actions are tried in the same states.
        noise = covariances.diagonal() - 2.0 * covariances.mean(axis=1) + covariances.mean()
        spread = max(float(means[known].var(ddof=1) - noise.sum() / (len(known) - 1)), 0.0)
        middle = (values * rows).sum() / counts.sum()
        means[known] = middle + spread / np.maximum(spread + noise, 1e-12) * (means[known] - middle)
    return means.round(9)  # Sums differ in the last bit from one machine to another, and would decide ties.


def _reasons(state: State, seat: int, tried: list[int], chances: Mapping[int, float], rated: _Rated) -> list[str]:
    reasons = _own_reasons(state, seat, tried) if state.phase == coda.REVEALING else {}
    for action, hits, misses in zip(tried, rated.hits, rated.misses, strict=True):
        if action in chances:
            reasons[action] = f"{_share(chances[action])} to hit"
            if not np.isnan(hits - misses):
                ends = percent(_open(hits, state, 1 - seat)), percent(_open(misses, state, seat))
                reasons[action] += f"; wins {ends[0]} of games after a hit, {ends[1]} after a miss"
        elif state.phase == coda.GUESSING and action == coda.stop_action(state):
            reasons[action] = "the drawn tile stays hidden"
    return [reasons.get(action, "") for action in tried]


def _open(share: float, state: State, loser: int) -> float:
    """Return a share of games won, of which none or all is certain only if the loser turns up their last tile."""
    return share if coda.count_hidden(state, loser) == 1 else min(max(share, 1e-9), 100.0 - 1e-9)


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
        actions.append(ActionAdvice(action, action_text(state, action), value, reason, rated.spread))
    return actions


def _share(chance: float) -> str:
    return "certain" if chance == 1.0 else percent(100.0 * chance, 1)


def _own_reasons(state: State, seat: int, actions: list[int]) -> dict[int, str]:
    """How easily each own tile is guessed by an observer who sees neither hand."""
    weights, total = _weights(state, seat, own=True)
    first = coda.place_action(state, 0)
    shares = {action: 100 * weights[action - first, state.line[seat, action - first]] / total for action in actions}
    return {
        action: f"an observer who sees neither hand gives it {percent(share, 1)}" for action, share in shares.items()
    }


def _luck(before: State, move: int, after: State, seat: int) -> float:
    """Return the result of a guess (1 for a hit, else 0) minus its probability; negated for the opponent."""
    if before.phase != coda.GUESSING or move >= coda.stop_action(before):
        return 0.0
    turn = int(before.turn)
    place, tile = divmod(move, int(before.n))
    hit = int(before.line[1 - turn, place]) == tile
    gain = float(hit) - float(guess_probabilities(before, turn)[place, tile])
    return gain if seat == turn else -gain


def guess_probabilities(state: State, seat: int) -> Float64s:
    """Return the probability of each tile at each place of the opponent's line, (13, 26) float64.

    Exact given everything the seat knows: its own tiles, the colors, face-up tiles and every past guess.
    """
    weights, total = _weights(state, seat, own=False)
    return weights / total if total else weights


def _weights(state: State, seat: int, own: bool) -> tuple[Float64s, float]:
    """Return the weights of a seat's own line, or those of its opponent's, and their total; see `arrangements`."""
    states, weights = np.zeros(1, coda.STATE), np.zeros((coda.MAX_LINE, coda.MAX_TILES))
    states[:1] = state
    return weights, _weigh(states, seat, own, weights)


# -- compiled ---------------------------------------------------------------------------------------------------------


@compiled
def _weigh(states: Any, seat: int, own: bool, weights: Float64s) -> float:
    return weigh_own(states[0], seat, weights) if own else weigh_guesses(states[0], seat, weights)
