"""Fit what Coda's coach says to games against each shipped player: the tables of `games/coda/fits.toml`.

    python research/coda_coach.py CodaOfficial-v0 random random-color random-consistent heuristic bayes \\
        official_double_dqn official_ppo search value-search
    python research/coda_coach.py Coda-v0 --share 0.2 ppo dqn double_dqn search

The coach's seat is played by `official_ppo` at the official game and at the other by `bayes`, drawing among equally
likely guesses, whose chances to win the coach states. At a share of its decisions the script notes what the coach
believes and which tiles lie there, and what the action is worth and who wins. The chances of tiles are fitted to the
tiles by likelihood, and the points to the games won. `unknown` is fitted to the games of the players that play well, as
the coach sees them without a name. tests/table/test_calibration.py checks the result in other games.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym import find
from cardgym.games.coda import state as coda
from cardgym.games.coda.adviser import UNKNOWN, Fit, _parts, _Search, fitted_chances, guess_probabilities, prior_of
from cardgym.games.coda.critic import OFFICIAL
from cardgym.games.coda.players import MODELED
from cardgym.games.coda.state import CodaOptions
from cardgym.table.coach.playouts import look
from cardgym.testing import StateDriver
from coach_claims import OWN

WEAK = ("random", "random-color", "random-consistent", "heuristic", "bayes")
"""Players that the coach tells from others by their guesses."""

SLOW = ("search", "value-search")
"""Players of which fewer games are played, with more decisions of each."""

MOST_POINTS = 1500.0
"""The points against a player that never wins."""

Floats = npt.NDArray[np.float64]


class Notes(NamedTuple):
    """What was noted at one decision: chances and tiles by hidden place, then what the action is worth."""

    exact: Floats
    weighed: Floats
    tiles: npt.NDArray[np.int64]
    hit: float
    miss: float
    guess: tuple[int, int]
    left: float
    won: bool


def play(
    env: str, own: str | Callable[..., int], other: str, games: int, seed: int, share: float
) -> list[tuple[Any, int, int, bool]]:
    """Some decisions of `own`: the state, its seat, its action, and whether it won."""
    driver, rng = StateDriver(env, {}), np.random.default_rng(seed)
    choose = [driver.chooser(player, rng) for player in (own, other)]
    found = []
    for number in range(games):
        driver.setup()
        driver.refresh()
        driver.play_chance(rng.integers)
        decisions = []
        while not driver.over:
            seat = driver.current_player
            who = (seat + number) % 2
            action = choose[who]()
            if who == 0 and len(driver.legal_actions()) > 1 and rng.random() < share:
                decisions.append((driver.states.copy().view(np.recarray)[0], seat, action))
            driver.apply_action(action)
            driver.play_chance(rng.integers)
        found += [(*decision, bool(driver.state.winner == decision[1])) for decision in decisions]
    return found


def note(search: _Search, known: str, state: Any, seat: int, action: int, won: bool) -> Notes:
    observation, _ = look(search._game, search._options, state, seat, "guessed")
    beliefs = search._sampler.believe(observation, prior_of(known))
    opponents = search._opponents(known, beliefs.policies)
    drawn = beliefs.drawn(search._worlds, 0)
    models = np.repeat([model for model, *_ in opponents], _parts([share for *_, share in opponents], len(drawn)))
    tried = np.array([action], np.int64)
    values, right = search._sampler.try_actions(observation, drawn, tried, search._critic, MODELED["bayes"], models)
    places = [place for place in range(state.length[1 - seat]) if coda.hidden(state, 1 - seat, place)]
    if state.phase != coda.GUESSING:
        places = []
    hit, miss = (float(0.5 + 0.5 * values[rows].mean()) if rows.any() else np.nan for rows in (right, ~right))
    place, tile = divmod(action, int(state.n))
    guess = (places.index(place), tile) if action < state.n**2 and right.any() and not right.all() else (-1, -1)
    left = (coda.count_hidden(state, 0) + coda.count_hidden(state, 1)) / (2.0 * int(state.n_start))
    exact = guess_probabilities(state, seat)[places] if places else np.zeros((0, coda.MAX_TILES))
    tiles = state.line[1 - seat][places].astype(np.int64)
    return Notes(exact, beliefs.chances[places], tiles, hit, miss, guess, min(left, 1.0), won)


def minimize(loss: Callable[[Floats], float], start: Sequence[float]) -> Floats:
    """Search along each coordinate in turn, in ever smaller steps."""
    best = np.array(start, np.float64)
    least, steps = loss(best), np.full(len(best), 0.3)
    while steps.max() > 0.002:
        for at in range(len(best)):
            for sign in (1, -1):
                tried = best.copy()
                tried[at] += sign * steps[at]
                found = loss(tried)
                if found < least:
                    best, least = tried, found
                    steps[at] *= 1.3
                    break
            else:
                steps[at] /= 2.0
    return best


def fit(noted: Sequence[Notes], numbers: int, jokers: int) -> Fit:
    exact, weighed = (np.concatenate([getattr(one, name) for one in noted]) for name in ("exact", "weighed"))
    tiles = np.concatenate([one.tiles for one in noted])
    rows = np.arange(len(tiles))

    def surprise(parts: Floats) -> float:
        chances = fitted_chances(exact, weighed, Fit(0.0, *parts), numbers)
        return -float(np.log(np.maximum(chances[rows, tiles], 1e-9)).mean())

    chances_fit = Fit()
    if jokers:  # The other game has too few tiles face down to fit chances to.
        chances_fit = Fit(0.0, *minimize(surprise, [1.0, 1.0, 0.0]))
    worths = []
    for one in noted:
        place, tile = one.guess
        share = float(fitted_chances(one.exact, one.weighed, chances_fit, numbers)[place, tile]) if place >= 0 else 0.0
        worth = share * one.hit + (1.0 - share) * one.miss if place >= 0 else np.nanmean([one.hit, one.miss])
        worths.append(np.clip(worth, 1e-4, 1.0 - 1e-4))
    odds, left, won = np.log(worths) - np.log1p(-np.array(worths)), *np.array([(one.left, one.won) for one in noted]).T

    def lost(points: Floats) -> float:
        return float(np.logaddexp(0.0, np.where(won, -1.0, 1.0) * (odds + points[0] * left)).mean())

    points = 400.0 / np.log(10.0) * float(minimize(lost, [0.0])[0])
    return chances_fit._replace(points=min(points, MOST_POINTS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", metavar="ENV")
    parser.add_argument("opponents", nargs="+", metavar="PLAYER")
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="games against each (2000)")
    parser.add_argument("--share", type=float, default=0.07, metavar="S", help="share of decisions to note (0.07)")
    parser.add_argument("--seed", type=int, default=101, metavar="N")
    arguments = parser.parse_args()
    game = find(arguments.env)
    options = game.parse_options()
    assert isinstance(options, CodaOptions)
    search, sizes = _Search(game, options, {}), (options.n - options.jokers, options.jokers)
    unknown: list[Notes] = []
    print(f"[{game.id}]", flush=True)
    for name in arguments.opponents:
        games, share = arguments.games, arguments.share
        if game.id == OFFICIAL and name in SLOW:
            games, share = games // 3, 3.0 * share
        decisions = play(game.id, OWN[game.id], name, games, arguments.seed, share)
        _print(name, fit([note(search, name, *decision) for decision in decisions], *sizes))
        if name not in WEAK:
            unknown += [note(search, "", *decision) for decision in decisions]
    _print(UNKNOWN, fit(unknown, *sizes))


def _print(name: str, fit: Fit) -> None:
    parts = ", ".join(f"{key} = {round(value, 0 if key == 'points' else 2):g}" for key, value in fit._asdict().items())
    print(f"{name} = {{ {parts} }}", flush=True)


if __name__ == "__main__":
    main()
