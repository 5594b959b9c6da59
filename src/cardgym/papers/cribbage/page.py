"""Reproduce the paper on cribbage: how well weighted strategies learn to discard, from which start, and near the end.

The page has win rates, how far trainings from each start agree, and what changes near the end of the board.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.arena.match import EVALUATION_SEED
from cardgym.console.arguments import Parser, whole
from cardgym.console.progress import Progress
from cardgym.console.tables import markdown_table, with_interval, wrapped
from cardgym.files import replacing
from cardgym.games.cribbage.experts import HOLES, STRATEGIES, Weights
from cardgym.papers.cribbage.matches import OPPONENTS, Side, same_tosses
from cardgym.papers.cribbage.picture import board_png, family_shares
from cardgym.papers.cribbage.trainer import ExpertsConfig, Trainer
from cardgym.papers.cribbage.weights import FAMILIES

GAMES = 160_000
"""Games of each run."""
SHORTER = 4
"""Runs with other discounts have this many times fewer games."""
CHECKPOINTS = 4
"""Evaluations of a run from uniform weights, besides that of its first weights."""
SEEDS = (1, 2, 3)
FOLDER = Path("docs/papers/cribbage")
PAGE, BOARD = "results.md", "board.png"
STARTS = ("hand", "crib", "pegging", "random")
REGIONS = ((0, 59), (60, 89), (90, 109), (110, 120))
"""Ranges of both scores that the page compares."""
EVALUATION_GAMES = 20_000

Rates = dict[str, tuple[float, tuple[float, float]]]
KINDS = {
    "gradient, own crib": ExpertsConfig(own_crib=True),
    "gradient, the paper's eight": ExpertsConfig(),
    "the paper's update": ExpertsConfig(update="paper", exploring_starts=0.0),
}
"""The three ways to learn, by the names that the page gives them."""
PAPER_UPDATE = tuple(KINDS)[-1]
DISCOUNTS = {f"{PAPER_UPDATE}, gamma {gamma:g}": KINDS[PAPER_UPDATE].replace(gamma=gamma) for gamma in (0.0, 0.5, 0.9)}
"""The paper's update with smaller steps for a game's early deals; `KINDS` has it with gamma 1."""
SAMPLES = 50_000
"""Hands by which the discards of two runs are compared."""


@dataclasses.dataclass
class Run:
    """A run's rates by games played, and expert 0 with its first and its last weights."""

    kind: str
    start: str
    seed: int
    first: Side
    last: Side
    rates: dict[int, Rates]
    games: int


def write_results(
    folder: Path, games: int = GAMES, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> list[Path]:
    """Train every kind from uniform weights with three seeds, and the first kind from every start; write the page.

    The page is written after every run, so that an interruption leaves the runs so far.

    Args:
        folder: where the page and the picture are written.
        games: games of each run.
        seed: added to the seeds 1, 2, 3.
        progress: called with the number of games of training done and their total.

    Returns:
        The page and the picture.
    """
    runs_to_do = [(kind, "uniform", seed + number, games) for kind in KINDS for number in SEEDS]
    runs_to_do += [(next(iter(KINDS)), start, seed + SEEDS[0], games) for start in STARTS]
    few = max(games // SHORTER, 1)
    runs_to_do += [(kind, "uniform", seed + SEEDS[0], few) for kind in DISCOUNTS]
    runs_to_do += [(PAPER_UPDATE, "hand", seed + SEEDS[0], few)]
    runs: list[Run] = []
    with replacing(folder / PAGE) as temporary:  # Fails before the training if the folder cannot be written.
        temporary.write_text("# Cribbage: the expert learner\n\nIn the making.\n", encoding="utf-8")
    start = time.perf_counter(), time.process_time()
    total = sum(played for *_, played in runs_to_do)
    before = 0
    for done, (kind, first, run_seed, played) in enumerate(runs_to_do, 1):
        runs.append(_run(kind, first, run_seed, played, partial(_report, progress, before, total)))
        before += played
        spent = time.perf_counter() - start[0], time.process_time() - start[1]
        with replacing(folder / PAGE) as temporary:
            temporary.write_text(wrapped(_page(runs, games, spent, done < len(runs_to_do))), encoding="utf-8")
        if done == 1:
            with replacing(folder / BOARD) as temporary:
                title = f"{kind}: after {games:,} games, seed {run_seed}"
                temporary.write_bytes(board_png(runs[0].last.weights, title, runs[0].first.weights))
    return [folder / PAGE, folder / BOARD]


def _report(progress: Callable[[int, int], None] | None, before: int, total: int, games: int) -> None:
    if progress is not None:
        progress(before + games, total)


def _run(kind: str, start: str, seed: int, games: int, report: Callable[[int], None]) -> Run:
    half = max(games // CHECKPOINTS // 2, 1)
    every = 2 * half  # A multiple of `value_every`: positions are valued before each evaluation.
    config = (KINDS | DISCOUNTS)[kind].replace(
        total_games=games, init=(start,), seed=seed, value_every=half, save_every=every
    )
    trainer = Trainer(config)
    first, rates = trainer.side(), {}
    while True:
        last = trainer.games >= games
        if trainer.games == 0 or last:
            names = OPPONENTS if last and start == "uniform" and kind in KINDS else ("greedy", "uniform")
            rates[trainer.games] = trainer.evaluate(names, EVALUATION_GAMES)
        report(min(trainer.games, games))
        if last:
            break
        trainer.advance()
    return Run(kind, start, seed, first, trainer.side(), rates, trainer.games)


def _cell(rate: tuple[float, tuple[float, float]]) -> str:
    share, (low, high) = rate
    return with_interval(100 * share, (100 * low, 100 * high), ".1f")


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(markdown_table(head, rows)) + "\n"


def _page(runs: list[Run], games: int, spent: tuple[float, float], unfinished: bool) -> str:
    first = next(iter(KINDS))
    discounted = [run for run in runs if run.kind in DISCOUNTS or (run.kind == PAPER_UPDATE and run.start != "uniform")]
    runs = [run for run in runs if run not in discounted]
    parts = [
        "# Cribbage: the expert learner",
        f"Made by `cardgym reproduce cribbage --games {games}`: {spent[0]:.0f} s, of which {spent[1]:.0f} s of CPU on "
        f"one core. {'**Unfinished: some runs are missing.** ' if unfinished else ''}"
        "[Experts](../../games/cribbage/research.md#weighted-experts) explains how they learn. "
        f"Shares of games are in percent, with 95 % intervals, over "
        f"{EVALUATION_GAMES:,} games against each opponent on the same deals from both seats.",
        "## Win rates, before and after learning",
        "From uniform weights. With `own crib`, the strategy `crib_min_avg` prefers the richest crib for the dealer, "
        "who owns it; none of the paper's eight strategies does.",
        _rates_table([run for run in runs if run.start == "uniform"]),
    ]
    if discounted:
        parts += _discounts(discounted)
    last = [run for run in runs if run.kind == first and run.start == "uniform"]
    parts += [
        "## Against every single strategy",
        "Win rates at the end of training: the lowest and the highest of the seeds. The strategy `hand_max_avg` plays "
        "like `greedy`.",
        _strategies_table([run for run in runs if run.start == "uniform"]),
        _lowest(last),
    ]
    same = [run for run in runs if run.kind == first]
    begun = {run.start: run for run in same if run.seed == same[0].seed}
    if len(begun) > 1:
        parts += [
            "## Does the start matter?",
            f"{first}, seed {same[0].seed}, at positions where the scores are at most 30 points apart: the weights of "
            "the three families of strategies. *Agreement* is 1 minus half the sum of the differences from the run "
            f"that starts with uniform weights. *Same discard* is the share of {SAMPLES:,} hands at such positions in "
            "which both keep the same four cards.",
            _starts_table(begun),
            _strength(begun),
        ]
    if len(last) > 1:
        agreements = [
            f"{_agreement(last[0], run):.2f} in weights and {_same(last[0].last, run.last)} of discards"
            for run in last[1:]
        ]
        parts.append(f"Other seeds agree with the first, from uniform weights, by {'; '.join(agreements)}.\n")
    parts += [
        "## What changes near the end of the board",
        f"{first}: the weights of the families, averaged over seeds, where both scores are in the range.",
        _regions_table(last),
        "The play comes before the count, in which the pone's hand is first and the crib last: near the end, what "
        "counts last matters least. Far from the diagonal the game is all but decided, so little is learned there. "
        "Such positions are gray in the picture.",
        f"![The board]({BOARD})",
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _discounts(runs: list[Run]) -> list[str]:
    """How the paper's update fares with other discounts, and from a good start."""
    rows = [[run.kind, run.start, *_from_to(run)] for run in runs]
    summary = "Some have not lost."
    if all(_gain(run) <= 0 for run in runs):
        summary = (
            "None of them improves. The update looks only at the weights and at who won, so no credit tells it which "
            "strategy preferred the keep."
        )
    return [
        "## Can credit save the paper's update?",
        "Here the deals before the last get less credit, or training starts from weights that already play well: "
        f"{runs[0].games:,} games each, seed {runs[0].seed}. The share against `greedy`:",
        _table(["learns by", "start", "before", "after"], rows),
        summary,
    ]


def _lowest(runs: list[Run]) -> str:
    """Whether the last weights beat every single strategy, in words."""
    ends = {name: min(run.rates[max(run.rates)][name][1][0] for run in runs) for name in STRATEGIES}
    worst = min(ends, key=lambda name: ends[name])
    beaten = sum(low > 0.5 for low in ends.values())
    return (
        f"With {runs[0].kind}, every seed beats {beaten} of the {len(ends)} strategies: the whole interval is above "
        f"50 %. The smallest lower end is {100 * ends[worst]:.1f} %, against `{worst}`."
    )


def _rates_table(runs: list[Run]) -> str:
    rows = [[run.kind, str(run.seed), *_from_to(run, "greedy"), *_from_to(run, "uniform")] for run in runs]
    head = [f"{name}, {when}" for name in ("against greedy", "against uniform") for when in ("before", "after")]
    return _table(["learns by", "seed", *head], rows)


def _strategies_table(runs: list[Run]) -> str:
    kinds = list(dict.fromkeys(run.kind for run in runs))
    rows = []
    for name in STRATEGIES:
        cells = []
        for kind in kinds:
            rates = [run.rates[max(run.rates)] for run in runs if run.kind == kind]
            shares = [100 * rate[name][0] for rate in rates if name in rate]
            cells.append(f"{min(shares):.1f} to {max(shares):.1f}" if shares else "-")
        rows.append([f"`{name}`", *cells])
    return _table(["against", *kinds], rows)


def _near_shares(weights: Weights, dealer: int) -> npt.NDArray[np.float32]:
    own, other = np.indices((HOLES, HOLES))
    shares: npt.NDArray[np.float32] = family_shares(weights)[:, :, dealer][abs(own - other) <= 30]
    return shares


def _agreement(one: Run, other: Run) -> float:
    pairs = [(_near_shares(one.last.weights, dealer), _near_shares(other.last.weights, dealer)) for dealer in (0, 1)]
    return float(np.mean([1.0 - abs(mine - yours).sum(-1).mean() / 2 for mine, yours in pairs]))


def _same(one: Side, other: Side) -> str:
    return f"{100 * same_tosses(one, other, SAMPLES, EVALUATION_SEED):.0f} %"


def _from_to(run: Run, opponent: str = "greedy") -> list[str]:
    return [_cell(run.rates[played][opponent]) for played in (min(run.rates), max(run.rates))]


def _gain(run: Run) -> float:
    return run.rates[max(run.rates)]["greedy"][0] - run.rates[min(run.rates)]["greedy"][0]


def _starts_table(begun: dict[str, Run]) -> str:
    base = next(iter(begun.values()))
    rows = []
    for start, run in begun.items():
        shares = [
            " / ".join(f"{value:.2f}" for value in _near_shares(run.last.weights, dealer).mean(0)) for dealer in (1, 0)
        ]
        same = f"{_same(base.first, run.first)} / {_same(base.last, run.last)}"
        rows.append([start, *shares, f"{_agreement(base, run):.2f}", same, *_from_to(run)])
    families = " / ".join(FAMILIES)
    head = [f"dealer: {families}", f"pone: {families}", "agreement", "same discard, before / after"]
    return _table(["start", *head, "against greedy, before", "after"], rows)


def _strength(begun: dict[str, Run]) -> str:
    first, last = ({start: run.rates[played]["greedy"] for start, run in begun.items()} for played in _span(begun))
    apart = [100 * (max(rates.values())[0] - min(rates.values())[0]) for rates in (first, last)]
    base = next(iter(begun))
    alike: list[str] = []
    unlike: list[str] = []
    for start, (_, (low, high)) in last.items():
        if start != base:
            (alike if low <= last[base][1][1] and last[base][1][0] <= high else unlike).append(f"`{start}`")
    return (
        f"Their win rates are {apart[0]:.1f} points apart before training and {apart[1]:.1f} after it. Then the "
        f"intervals of {', '.join(alike) or 'none'} overlap with that of `{base}`, and those of "
        f"{', '.join(unlike) or 'none'} do not."
    )


def _span(runs: dict[str, Run]) -> tuple[int, int]:
    """The games played at the first and at the last evaluation."""
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
    """Family shares where both scores are in a range, averaged over runs, (2, 3)."""
    square = slice(low, high + 1)
    shares: npt.NDArray[np.float64] = np.mean(
        [family_shares(run.last.weights)[square, square].mean((0, 1)) for run in runs], axis=0
    )
    return shares


def main(words: list[str]) -> int:
    """Train, evaluate, and write the page and its picture; the exit code."""
    parser = Parser(prog="cardgym reproduce cribbage", description=__doc__)
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="seed of all games and trainings (0)")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="FOLDER", help=f"where to write ({FOLDER})")
    parser.add_argument(
        "--games", type=whole(2, 1_000_000), default=GAMES, metavar="N", help=f"games of each training ({GAMES:,})"
    )
    arguments = parser.parse_args(words)
    with Progress("reproducing cribbage", "games") as progress:
        for path in write_results(arguments.out, arguments.games, arguments.seed, progress):
            print(path)
    return 0
