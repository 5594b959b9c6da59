"""The paper's open questions, answered as a page: where training ends, from where it began, and near the end."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.files import replacing
from cardgym.players.cribbage_strategies import FAMILIES, HOLES, STRATEGIES
from cardgym.players.experts import Weights
from cardgym.tabular.experts.config import ExpertsConfig
from cardgym.tabular.experts.matches import OPPONENTS
from cardgym.tabular.experts.picture import board_png, family_shares
from cardgym.tabular.experts.trainer import Trainer

GAMES = 160_000
CHECKPOINTS = 4
"""Evaluations of a run from uniform weights after the first, which is of the weights that it starts from."""
SEEDS = (1, 2, 3)
PAGE, BOARD = "cribbage.md", "cribbage_board.png"
STARTS = ("hand", "crib", "pegging", "random")
REGIONS = ((0, 59), (60, 89), (90, 109), (110, 120))
"""Scores of both players that the tables tell apart."""
EVALUATION_GAMES = 20_000

Rates = dict[str, tuple[float, tuple[float, float]]]
Kinds = {
    "gradient, own crib": ExpertsConfig(own_crib=True),
    "gradient, the paper's eight": ExpertsConfig(),
    "the paper's update": ExpertsConfig(update="paper", anywhere=0.0),
}
"""The three ways to learn that are kept side by side."""


@dataclasses.dataclass
class Run:
    """A run's figures at its checkpoints, by games played, and its last weights."""

    kind: str
    start: str
    seed: int
    rates: dict[int, Rates] = dataclasses.field(default_factory=dict)
    weights: Weights | None = None
    seconds: float = 0.0
    games: int = 0


def write_results(
    folder: Path, games: int = GAMES, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> list[Path]:
    """Train every kind with three seeds, and one from every start, and write the page and the picture.

    The page is written anew after every run, so that an interrupted one leaves what there is.

    Args:
        folder: where to.
        games: games of each run.
        seed: added to the seeds 1, 2, 3.
        progress: told the runs done and their number.
    """
    plans = [(kind, "uniform", seed + each) for kind in Kinds for each in SEEDS]
    plans += [(next(iter(Kinds)), start, seed + SEEDS[0]) for start in STARTS]
    runs: list[Run] = []
    start = time.perf_counter(), time.process_time()
    for number, (kind, begin, each) in enumerate(plans):
        runs.append(_run(kind, begin, each, games))
        spent = time.perf_counter() - start[0], time.process_time() - start[1]
        with replacing(folder / PAGE) as temporary:
            temporary.write_text(_page(runs, games, spent, number + 1 < len(plans)), encoding="utf-8")
        if number == 0:
            with replacing(folder / BOARD) as temporary:
                weights = runs[0].weights
                assert weights is not None
                temporary.write_bytes(board_png(weights, f"{kind}: after {games:,} games, seed {each}"))
        if progress is not None:
            progress(number + 1, len(plans))
    return [folder / PAGE, folder / BOARD]


def _run(kind: str, start: str, seed: int, games: int) -> Run:
    every = max(games // CHECKPOINTS, 1)  # A multiple of `value_every`, so that positions are valued at checkpoints.
    config = dataclasses.replace(
        Kinds[kind], games=games, init=(start,), seed=seed, value_every=max(every // 2, 1), checkpoint_every=every
    )
    run = Run(kind, start, seed)
    trainer = Trainer(config)
    blank = start == "uniform"
    while True:
        last = trainer.games >= games
        if trainer.games == 0 or last or (blank and trainer.games % every == 0):
            alone = blank and (last or kind == next(iter(Kinds)))
            names = OPPONENTS if alone else ("greedy", "uniform")
            run.rates[trainer.games] = trainer.evaluate(names, EVALUATION_GAMES)
        if last:
            break
        began = time.process_time()
        trainer.advance()
        run.seconds += time.process_time() - began
    run.games = trainer.games
    run.weights = trainer.weights()
    return run


def _cell(rate: tuple[float, tuple[float, float]]) -> str:
    share, (low, high) = rate
    return f"{100 * share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def _page(runs: list[Run], games: int, spent: tuple[float, float], unfinished: bool) -> str:
    first = next(iter(Kinds))
    parts = [
        "# Cribbage: the expert learner",
        f"Made by `cardgym reproduce cribbage --games {games}`: {spent[0]:.0f} s, of which {spent[1]:.0f} s of CPU on "
        f"one core. {'**Unfinished: some runs are missing.** ' if unfinished else ''}How they learn stands in "
        "[experts](../algorithms/experts.md). Shares of games are in percent, with 95 % intervals, over "
        f"{EVALUATION_GAMES:,} games against each opponent on the same deals from both seats.",
        "## Win rates, from the first checkpoint to the last",
        "From uniform weights, the blank slate. `own crib` turns the strategy `crib_min_avg` round for the dealer, "
        "whose crib it is; the paper's eight have no strategy that wants it rich.",
        _rates_table([run for run in runs if run.start == "uniform"], ("greedy", "uniform")),
        *_ends(runs),
    ]
    last = [run for run in runs if run.kind == first and run.start == "uniform"]
    parts += ["## Against every single strategy played alone", f"{first}, from the first checkpoint to the last."]
    parts += [_rates_table(last, STRATEGIES), _lowest(last)]
    others = [run for run in runs if run.kind != first and run.start == "uniform"]
    if others:
        parts += ["The other two ways to learn, at the end:", _rates_table(others, STRATEGIES, last_only=True)]
    same = [run for run in runs if run.kind == first]
    begun = {run.start: run for run in same if run.seed == same[0].seed}
    if len(begun) > 1:
        parts += [
            "## Where does each start end up, and do they agree?",
            f"{first}, seed {same[0].seed}: all positions where both scores are within 30 points. `agreement` is 1 "
            "less half the sum of the differences between the family shares and those of the run from uniform weights.",
            _starts_table(begun),
            _strength(begun),
        ]
    if len(last) > 1:
        numbers = [_agreement(last[0].weights, run.weights) for run in last[1:]]
        words = ", ".join(f"{number:.2f}" for number in numbers)
        parts.append(f"Runs from uniform weights with other seeds agree with the first by {words}.\n")
    parts += [
        "## What changes near the end of the board",
        f"{first}, shares of the families averaged over seeds, where both scores lie in the range.",
        _regions_table(last),
        _near_the_end(last),
        f"![The board]({BOARD})",
        "Speed: " + "; ".join(f"{kind} {rate:,.0f}" for kind, rate in _speeds(runs).items())
        + " games a second of CPU on one core, counters, valuation and compiling included.",
    ]  # fmt: skip
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _ends(runs: list[Run]) -> list[str]:
    """What each way to learn comes to against `greedy`, in words, with the worst interval of its seeds."""
    told = []
    for kind in dict.fromkeys(run.kind for run in runs):
        same = [run for run in runs if run.kind == kind and run.start == "uniform"]
        first, last = ([run.rates[played]["greedy"] for run in same] for played in _span({kind: same[0]}))
        shares = ["{:.1f} to {:.1f} %".format(*(100 * f(r[0] for r in rates) for f in (min, max)))
                  for rates in (first, last)]  # fmt: skip
        told.append(
            f"- {kind}: from {shares[0]} against `greedy` to {shares[1]}; the lowest end of an interval is "
            f"{100 * min(rate[1][0] for rate in last):.1f} %."
        )
    return ["At the first checkpoint and at the last, over the seeds:", "\n".join(told)]


def _lowest(runs: list[Run]) -> str:
    """Whether the last weights beat every single strategy, in words."""
    ends = {name: min(run.rates[max(run.rates)][name][1][0] for run in runs) for name in STRATEGIES}
    worst = min(ends, key=lambda name: ends[name])
    beaten = sum(low > 0.5 for low in ends.values())
    return (
        f"At the end all seeds beat {beaten} of the {len(ends)}, whole intervals above 50 %; the lowest end of any is "
        f"{100 * ends[worst]:.1f} %, against `{worst}`."
    )


def _rates_table(runs: list[Run], names: tuple[str, ...], last_only: bool = False) -> str:
    rows = []
    for run in runs:
        for played in sorted(run.rates)[-1 if last_only else 0 :]:
            rates = run.rates[played]
            cells = [_cell(rates[name]) if name in rates else "-" for name in names]
            rows.append([run.kind, str(run.seed), f"{played:,}", *cells])
    return _table(["learns by", "seed", "games", *(f"against {name}" for name in names)], rows)


def _near(weights: Weights, dealer: int) -> npt.NDArray[np.float32]:
    own, other = np.indices((HOLES, HOLES))
    found: npt.NDArray[np.float32] = family_shares(weights)[:, :, dealer][abs(own - other) <= 30]
    return found


def _agreement(one: Weights | None, other: Weights | None) -> float:
    assert one is not None
    assert other is not None
    return float(np.mean([1.0 - abs(_near(one, side) - _near(other, side)).sum(-1).mean() / 2 for side in (0, 1)]))


def _starts_table(begun: dict[str, Run]) -> str:
    base = next(iter(begun.values()))
    rows = []
    for start, run in begun.items():
        assert run.weights is not None
        shares = [f"{value:.2f}" for side in (1, 0) for value in _near(run.weights, side).mean(0)]
        rates = [_cell(run.rates[played]["greedy"]) for played in (min(run.rates), max(run.rates))]
        rows.append([start, *shares, f"{_agreement(base.weights, run.weights):.2f}", *rates])
    head = [f"{side}: {family}" for side in ("dealer", "pone") for family in FAMILIES]
    return _table(["start", *head, "agreement", "against greedy at first", "and at the end"], rows)


def _strength(begun: dict[str, Run]) -> str:
    shares = [[100 * run.rates[played]["greedy"][0] for run in begun.values()] for played in _span(begun)]
    return (
        f"In strength they are {max(shares[0]) - min(shares[0]):.1f} points apart at first and "
        f"{max(shares[1]) - min(shares[1]):.1f} at the end. Weights agree less than strength does: many "
        "of them choose the same keep, and a position that hardly matters is left nearly as it was."
    )


def _span(runs: dict[str, Run]) -> tuple[int, int]:
    """The first and the last checkpoint that runs have."""
    played = next(iter(runs.values())).rates
    return min(played), max(played)


def _regions_table(runs: list[Run]) -> str:
    rows = []
    for low, high in REGIONS:
        shares = _region(runs, low, high)
        rows.append([f"{low} to {high}", *(f"{shares[side, family]:.2f}" for side in (1, 0) for family in range(3))])
    head = [f"{side}: {family}" for side in ("dealer", "pone") for family in FAMILIES]
    return _table(["both scores", *head], rows)


def _region(runs: list[Run], low: int, high: int) -> npt.NDArray[np.float64]:
    """Family shares where both scores are in a range, (2, 3), over runs."""
    square = slice(low, high + 1)
    found: npt.NDArray[np.float64] = np.mean(
        [family_shares(run.weights)[square, square].mean((0, 1)) for run in runs if run.weights is not None], axis=0
    )
    return found


def _near_the_end(runs: list[Run]) -> str:
    (low, high), last = REGIONS[-2:]
    before, after = _region(runs, low, high), _region(runs, *last)
    told = []
    for side, name in ((1, "dealer"), (0, "pone")):
        moves = (f"{family} {before[side, i]:.2f} to {after[side, i]:.2f}" for i, family in enumerate(FAMILIES))
        told.append(f"as {name} {', '.join(moves)}")
    return (
        f"From {low}-{high} to {last[0]}-{last[1]}: {'; '.join(told)}. The play comes before the count, in which the "
        "pone's hand is first and the crib last: near the end, what counts last counts least. Far from the diagonal "
        "the game is all but decided, so little is learned there and the colour stays near that of the start."
    )


def _speeds(runs: list[Run]) -> dict[str, float]:
    kinds = dict.fromkeys(run.kind for run in runs)
    return {
        kind: sum(run.games for run in runs if run.kind == kind)
        / max(sum(run.seconds for run in runs if run.kind == kind), 1e-9)
        for kind in kinds
    }
