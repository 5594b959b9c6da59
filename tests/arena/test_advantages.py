"""Estimates with less luck: the exact value where it is known, the plain result elsewhere, in narrower intervals."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cardgym import CardgymError, find
from cardgym.arena import Report, evaluate, match
from cardgym.arena.match import AdvantageMatch
from cardgym.players import resolve
from cardgym.solvers.best_response import expected_returns
from cardgym.solvers.strategies import known_strategy
from cardgym.solvers.tree import enumerate_tree
from cardgym.statistics import mean_estimate, with_less_luck

KUHN, LEDUC = "KuhnPoker-v0", "LeducPoker-v0"
SPIKE = "CorellianSpike-v0"


def raises(observation: npt.NDArray[np.float32], mask: npt.NDArray[np.int8]) -> int:
    """The last legal action: it raises where it may."""
    return int(np.flatnonzero(mask)[-1])


def exact_return(name: str, player: str, other: str) -> float:
    """What a player wins from another, from the tree of the game: the mean over both seats."""
    game = find(name)
    options = game.parse_options()
    tree = enumerate_tree(game, options)

    first, second = (known_strategy(tree, resolve(spec, game, options)) for spec in (player, other))
    assert first is not None
    assert second is not None
    seat = np.repeat(tree.arrays.set_seats, np.diff(tree.arrays.first_choice))
    values = [expected_returns(tree, np.where(seat == own, first, second))[own] for own in (0, 1)]
    return float(np.mean(values))


@pytest.mark.parametrize(
    ("name", "player", "other"),
    [
        ("KuhnPoker-v0", "honest", "random"),
        ("KuhnPoker-v0", "random", "honest"),
        pytest.param("LeducPoker-v0", "honest", "random", marks=pytest.mark.slow),
    ],
)
def test_advantages_add_up_to_the_exact_value(name: str, player: str, other: str) -> None:
    game = find(name)
    options = game.parse_options()
    roster = [resolve(spec, game, options) for spec in (player, other)]
    played = AdvantageMatch(game, options, roster, seed=3, playouts=4)
    totals = np.concatenate(list(played.play(0, 30_000))) / 2
    returns, estimates = totals[:, played.layout.start(0) + 1], totals[:, played.layout.size]
    exact = exact_return(name, player, other)
    for values in (returns, estimates, with_less_luck(returns, estimates)):
        found = mean_estimate(values)
        assert abs(found.value - exact) < 1.5 * found.half_width
        assert found.half_width < 0.06 * abs(exact)  # So an error of a tenth would show.
    assert with_less_luck(returns, estimates).var() <= 1.001 * returns.var()


def test_correcting_by_luck_keeps_the_mean_of_few_values() -> None:
    # The luck is skewed and tells the spread of the values: a multiple chosen with the value itself is biased here.
    generator = np.random.default_rng(1)
    luck = generator.exponential(1.0, (4000, 8)) - 1.0
    values = 2.0 + luck + luck**2 - 1.0
    estimates = values - luck
    few = mean_estimate([with_less_luck(*pair).mean() for pair in zip(values, estimates, strict=True)])
    assert few.value == pytest.approx(2.0, abs=0.1)  # With one multiple for all values it is 1.65.


def test_the_best_multiple_of_luck_is_taken_out() -> None:
    generator = np.random.default_rng(2)
    skill, luck, noise = generator.normal(size=(3, 10_000)) * [[1.0], [3.0], [3.0]]
    returns = skill + luck
    assert with_less_luck(returns, skill).var() == pytest.approx(1.0, rel=0.1)
    assert with_less_luck(returns, skill + noise).var() == pytest.approx(1.0 + 9.0 / 2.0, rel=0.1)
    assert with_less_luck(returns, skill + 100.0 * noise).var() == pytest.approx(returns.var(), rel=0.01)
    assert (with_less_luck(returns[:5], skill[:5]) == returns[:5]).all()
    assert (with_less_luck(returns, returns) == returns).all()


def without_times(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name not in ("seconds", "decisions_per_second")}


def test_the_same_deals_are_played_and_the_interval_is_narrower(monkeypatch: pytest.MonkeyPatch) -> None:
    def played(**how: Any) -> Report:
        return evaluate(LEDUC, None, ["honest", raises], **{"games": 400, "seed": 4, "playouts": 4, **how})

    plain = without_times(played(playouts=0).asdict())
    report = played()
    assert without_times(report.asdict()) == without_times(played().asdict())
    found = report.asdict().pop("by_advantages")
    assert without_times(report.asdict()) == {**plain, "by_advantages": found}  # Neither player draws its actions.
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["playouts"] == 4
    assert found["times_games"] > 1.3
    low, high = found["mean_return_ci95"]
    assert high - low < 0.9 * np.diff(report.players[0].mean_return_ci95)[0]
    long = played(games=40_000, seed=5, playouts=0).players[0].mean_return
    assert abs(found["mean_return"] - long) < 0.75 * (high - low)
    monkeypatch.setattr(match, "ROWS", 120)
    in_parts = played()
    assert in_parts.players == report.players
    assert in_parts.by_advantages is not None
    assert in_parts.by_advantages.mean_return == pytest.approx(found["mean_return"], abs=high - low)


def test_a_player_gains_nothing_over_itself() -> None:
    found = evaluate(KUHN, None, ["honest", "honest"], games=40, seed=1, playouts=2).by_advantages
    assert found is not None
    assert (found.mean_return, found.mean_return_ci95) == (0.0, (0.0, 0.0))


def test_with_three_seats_the_other_player_takes_two() -> None:
    options = {"num_players": 3, "hands": 2}
    found = evaluate(SPIKE, options, ["heuristic", "initial", "initial"], games=600, seed=1, playouts=4).by_advantages
    long = evaluate(SPIKE, options, ["heuristic", "initial", "initial"], games=30_000, seed=2).players[0]
    assert found is not None
    assert abs(found.mean_return - long.mean_return) < 0.75 * np.diff(found.mean_return_ci95)[0]


@pytest.mark.parametrize(
    ("game", "players", "more", "message"),
    [
        (KUHN, ["honest", "random"], {"seats": "fixed"}, "use seats rotate, or no playouts"),
        (KUHN, ["honest", "random"], {"playouts": 1.5}, "playouts=1.5: allowed are whole numbers from 0 to 1,024"),
        (SPIKE, ["heuristic", "initial", "random"], {"options": {"num_players": 3}}, "the same other one for every"),
        (KUHN, ["honest", {"honest": 1, "random": 1}], {}, "a mixture cannot play on from a state"),
        ("OnePlayPoker-v0", ["random"], {}, "OnePlayPoker-v0 has one seat: use none"),
        pytest.param(
            *(SPIKE, ["heuristic", raises], {"options": {"reward": "weighted"}}, "the same sum over the seats"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_cannot_be_estimated_is_refused_in_one_line(
    game: str, players: list[Any], more: dict[str, Any], message: str
) -> None:
    arguments = {"options": None, "games": 20, "seed": 0, "playouts": 1, **more}
    with pytest.raises(CardgymError) as error:
        evaluate(game, players=players, **arguments)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
