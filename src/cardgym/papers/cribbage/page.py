"""Reproduce the paper on cribbage: how well weighted strategies learn to discard, from which start, and near the end.

The page has win rates, how far trainings from each start agree, and what changes near the end of the board.
"""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

import time
from pathlib import Path

from cardgym.arena.match import EVALUATION_SEED
from cardgym.console.progress import Progress
from cardgym.console.tables import markdown_table, with_interval
from cardgym.games.cribbage.experts import STRATEGIES
from cardgym.papers.cribbage.claims import claims
from cardgym.papers.cribbage.matches import Side, same_tosses
from cardgym.papers.cribbage.picture import draw_board, write_animation
from cardgym.papers.cribbage.runs import (
    DISCOUNTS,
    EVALUATION_GAMES,
    KINDS,
    PAPER_UPDATE,
    VARIANTS,
    Run,
    agreement,
    near_shares,
    region,
    train,
)
from cardgym.papers.cribbage.weights import FAMILIES
from cardgym.papers.pages import page_parser, reproduce, section, write_page
from cardgym.statistics import Interval

GAMES = 160_000
"""Games of each run."""
SHORTER = 4
"""Runs with other discounts have this many times fewer games."""
SEEDS = (1, 2, 3)
BOARD, ANIMATION = "board.png", "board.gif"
STARTS = ("hand", "crib", "pegging", "random")
REGIONS = ((0, 59), (60, 89), (90, 109), (110, 120))
"""Ranges of both scores that the page compares."""
SAMPLES = 50_000
"""Hands by which the discards of two runs are compared."""


def write_results(folder: Path, games: int, seed: int, progress: Progress) -> list[Path]:
    """Train every kind from uniform weights with three seeds, and the first kind from every start; write the page.

    `seed` is added to the seeds 1, 2, 3; returns the files.
    """
    few = max(games // SHORTER, 1)
    plan = [(kind, "uniform", seed + number, games) for kind in KINDS for number in SEEDS]
    plan += [(next(iter(KINDS)), start, seed + SEEDS[0], games) for start in STARTS]
    plan += [(kind, "uniform", seed + SEEDS[0], few) for kind in DISCOUNTS]
    plan += [(PAPER_UPDATE, "hand", seed + SEEDS[0], few)]
    plan += [(kind, "uniform", seed + SEEDS[0], few) for kind in VARIANTS]
    start = time.perf_counter(), time.process_time()
    progress(0, sum(played for *_, played in plan))
    runs = [train(*of_run, progress) for of_run in plan]
    spent = time.perf_counter() - start[0], time.process_time() - start[1]
    write_animation(folder / ANIMATION, runs[0].boards)
    title = f"{runs[0].kind}: after {games:,} games, seed {runs[0].seed}"
    draw_board(folder / BOARD, title, runs[0].last.weights, runs[0].first.weights)
    return [write_page(folder, _page(runs, games, spent)), folder / BOARD, folder / ANIMATION]


def _cell(rate: tuple[float, Interval]) -> str:
    share, (low, high) = rate
    return with_interval(100 * share, (100 * low, 100 * high), ".1f")


def _from_to(run: Run) -> list[str]:
    return [f"{100 * run.before['greedy'][0]:.1f}", _cell(run.after["greedy"])]


def _ends(runs: list[Run], kind: str, opponent: str, when: str = "after") -> str:
    """Return the lowest and the highest share of games that runs of a kind win from an opponent."""
    shares = [100 * getattr(run, when)[opponent][0] for run in runs if run.kind == kind]
    return f"{min(shares):.1f} to {max(shares):.1f}"


def _page(runs: list[Run], games: int, spent: tuple[float, float]) -> list[str]:
    first = next(iter(KINDS))
    uniform = [run for run in runs if run.start == "uniform" and run.kind in KINDS]
    last = [run for run in uniform if run.kind == first]
    return [
        f"""# Cribbage: the paper, finished

Lang, "Machine Learning Strategies in Cribbage" (Helsinki 2017), is an **unfinished draft without
results**: its section "Findings" is a list of questions ("All this and more will be answered ... after the break!"),
and where the update of uniform weights is to be explained, it says "TODO". What follows is not a rerun: it finishes
the paper.

Made by `cardgym reproduce cribbage --games {games}`: {spent[0]:.0f} s, of which {spent[1]:.0f} s of CPU on one core. [Experts](#weighted-experts) explains how
they learn. Shares of games are in percent, with 95 % intervals, over {EVALUATION_GAMES:,} games against each opponent on the
same deals from both seats.
""",
        claims(runs),
        section(
            "Win rates, before and after learning",
            "All start from uniform weights. With `own crib`, the strategy `crib_min_avg` prefers the richest crib for the dealer, "
            f"who owns it; none of the paper's eight strategies does. The lowest and the highest of {len(SEEDS)} seeds:",
            markdown_table(
                [
                    "learns by",
                    *(f"against {name}, {when}" for name in ("greedy", "uniform") for when in ("before", "after")),
                ],
                [
                    [
                        kind,
                        *(
                            _ends(uniform, kind, name, when)
                            for name in ("greedy", "uniform")
                            for when in ("before", "after")
                        ),
                    ]
                    for kind in KINDS
                ],
            ),
        ),
        _discounts(
            [run for run in runs if run.kind in DISCOUNTS or (run.kind == PAPER_UPDATE and run.start != "uniform")]
        ),
        _variants([run for run in runs if run.kind in VARIANTS]),
        _strategies(uniform, last),
        _starts({run.start: run for run in runs if run.kind == first and run.seed == last[0].seed}, last),
        section(
            "What changes near the end of the board",
            f"The table has the weights of the families with *{first}*, averaged over seeds, by the range of both scores.",
            _regions_table(last),
            "The play comes before the count, in which the pone's hand is first and the crib last: near the end, what "
            "counts last matters least. Far from the diagonal the game is all but decided, so little is learned there. "
            "Such positions are gray in the picture.",
            f"![The board]({BOARD})",
            "The paper's own picture, over the training: each cell is a pair of scores, its red, green and blue the "
            "shares of hand, crib and pegging; the dealer is on the left, the pone on the right. Uniform weights are "
            "purple: four, one and three of the strategies.",
            f"![The board in red, green and blue over the training]({ANIMATION})",
        ),
    ]


def _discounts(runs: list[Run]) -> str:
    """How the paper's update fares with other discounts, and from a good start."""
    lower = all(run.after["greedy"][1][1] < run.before["greedy"][1][0] for run in runs)
    return section(
        "Can credit save the paper's update?",
        "Here the deals before the last get less credit, or training starts from weights that already play well: "
        f"{runs[0].games:,} games each, seed {runs[0].seed}. The share against `greedy`:",
        markdown_table(
            ["learns by", "start", "before", "after"], [[run.kind, run.start, *_from_to(run)] for run in runs]
        ),
        f"{'All' if lower else 'Not all'} of them end lower, by intervals that do not overlap. The update looks only at the "
        "weights and at who won, so no credit tells it which strategy preferred the keep.",
    )


def _variants(runs: list[Run]) -> str:
    """How other answers to the paper's open questions do."""
    better = [run.kind for run in runs[1:] if run.after["greedy"][1][0] > runs[0].after["greedy"][1][1]]
    return section(
        "Other answers",
        f"The paper's eight strategies from uniform weights, {runs[0].games:,} games each, seed {runs[0].seed}. With S "
        "scaled by keep, the learned weights are also played so.",
        markdown_table(
            ["learns by", "against greedy, before", "after"],
            [[run.kind, *_from_to(run)] for run in runs],
        ),
        f"These rows are above the first, by intervals that do not overlap: {'; '.join(better)}."
        if better
        else "No row is above the first by intervals that do not overlap.",
    )


def _strategies(runs: list[Run], last: list[Run]) -> str:
    """How the last weights do against every single strategy."""
    lows = {name: min(run.after[name][1][0] for run in last) for name in STRATEGIES}
    worst = min(lows, key=lambda name: lows[name])
    return section(
        "Against every single strategy",
        "Win rates at the end of training: the lowest and the highest of the seeds. The strategy `hand_max_avg` plays "
        "like `greedy`.",
        markdown_table(
            ["against", *KINDS], [[f"`{name}`", *(_ends(runs, kind, name) for kind in KINDS)] for name in STRATEGIES]
        ),
        f"With {last[0].kind}, every seed beats {sum(low > 0.5 for low in lows.values())} of the {len(lows)} strategies: the "
        f"whole interval is above 50 %. The smallest lower end is {100 * lows[worst]:.1f} %, against `{worst}`.",
    )


def _same(one: Side, other: Side) -> str:
    return f"{100 * same_tosses(one, other, SAMPLES, EVALUATION_SEED):.0f} %"


def _starts(begun: dict[str, Run], last: list[Run]) -> str:
    """Whether the start matters: runs by their start, and those of the same kind from uniform weights by seed."""
    base, families = next(iter(begun.values())), " / ".join(FAMILIES)
    rows = []
    for start, run in begun.items():
        shares = (near_shares(run.last.weights, dealer).mean(0) for dealer in (1, 0))
        same = f"{_same(base.first, run.first)} / {_same(base.last, run.last)}"
        cells = [" / ".join(f"{value:.2f}" for value in family) for family in shares]
        rows.append([start, *cells, f"{agreement(base, run):.2f}", same, *_from_to(run)])
    apart = [
        100 * (max(shares) - min(shares))
        for shares in ([getattr(run, when)["greedy"][0] for run in begun.values()] for when in ("before", "after"))
    ]
    low, high = base.after["greedy"][1]
    alike, unlike = list[str](), list[str]()
    for run in [*begun.values()][1:]:
        lowest, highest = run.after["greedy"][1]
        (alike if lowest <= high and low <= highest else unlike).append(f"`{run.start}`")
    agreements = [
        f"{agreement(last[0], run):.2f} in weights and {_same(last[0].last, run.last)} of discards" for run in last[1:]
    ]
    return section(
        "Does the start matter?",
        f"This table shows the weights of the three families after training ({base.kind}, seed {base.seed}) where the scores "
        "are at most 30 points apart. *Agreement* is 1 minus half the sum of the differences from the run that starts with "
        f"uniform weights. *Same discard* is the share of {SAMPLES:,} hands there in which both keep the same four cards.",
        markdown_table(
            [
                "start", f"dealer: {families}", f"pone: {families}", "agreement", "same discard, before / after",
                "against greedy, before", "after",
            ],
            rows,
        ),
        f"Their win rates are {apart[0]:.1f} points apart before training and {apart[1]:.1f} after it. Then the "
        f"intervals of {', '.join(alike) or 'none'} overlap with that of `{base.start}`, and those of "
        f"{', '.join(unlike) or 'none'} do not.",
        f"Other seeds agree with the first, from uniform weights, by {'; '.join(agreements)}.",
    )  # fmt: skip


def _regions_table(runs: list[Run]) -> list[str]:
    rows = []
    for low, high in REGIONS:
        shares = region(runs, low, high)
        rows.append([f"{low} to {high}", *(f"{shares[side, family]:.2f}" for side in (1, 0) for family in range(3))])
    return markdown_table(
        ["both scores", *(f"{side}: {family}" for side in ("dealer", "pone") for family in FAMILIES)], rows
    )


def main(words: list[str]) -> int:
    """Train, evaluate, and write the page and its picture; the exit code."""
    return reproduce(
        page_parser("cribbage", __doc__, GAMES, "training"), words, "games",
        lambda given, progress: write_results(given.out, given.games, given.seed, progress),
    )  # fmt: skip
