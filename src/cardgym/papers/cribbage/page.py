"""Reproduce the paper on cribbage: how well weighted strategies learn to discard, from which start, and near the end.

The page has win rates, how far trainings from each start agree, and what changes near the end of the board.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.arena.match import EVALUATION_SEED
from cardgym.console.tables import markdown_table, with_interval
from cardgym.files import replacing
from cardgym.games.cribbage.experts import HOLES, STRATEGIES, Weights
from cardgym.papers.cribbage.matches import OPPONENTS, Side, same_tosses
from cardgym.papers.cribbage.picture import board_png, family_shares, write_animation
from cardgym.papers.cribbage.training import ExpertsConfig, Trainer
from cardgym.papers.cribbage.weights import FAMILIES
from cardgym.papers.pages import Report, page_parser, reproduce, write_page
from cardgym.statistics import Interval

GAMES = 160_000
"""Games of each run."""
SHORTER = 4
"""Runs with other discounts have this many times fewer games."""
CHECKPOINTS = 4
"""Evaluations of a run from uniform weights, besides that of its first weights."""
SEEDS = (1, 2, 3)
BOARD, ANIMATION = "board.png", "board.gif"
STARTS = ("hand", "crib", "pegging", "random")
REGIONS = ((0, 59), (60, 89), (90, 109), (110, 120))
"""Ranges of both scores that the page compares."""
EVALUATION_GAMES = 20_000

Rates = dict[str, tuple[float, Interval]]
KINDS = {
    "gradient, own crib": ExpertsConfig(own_crib=True),
    "gradient, the paper's eight": ExpertsConfig(),
    "the paper's update": ExpertsConfig(update="paper", exploring_starts=0.0),
}
"""The three ways to learn, by the names that the page gives them."""
PAPER_UPDATE = tuple(KINDS)[-1]
DISCOUNTS = {f"{PAPER_UPDATE}, gamma {gamma:g}": KINDS[PAPER_UPDATE].replace(gamma=gamma) for gamma in (0.0, 0.5, 0.9)}
"""The paper's update with smaller steps for a game's early deals; `KINDS` has it with gamma 1."""
VARIANTS = {
    "gradient, reward `win`, noise 0.05": (ExpertsConfig(), False),
    "gradient, reward `spread`: the round's points": (ExpertsConfig(reward="spread"), False),
    "gradient, reward `intrinsic`: values set by hand": (ExpertsConfig(reward="intrinsic"), False),
    "gradient, S scaled by keep": (ExpertsConfig(), True),
    **{f"gradient, noise {noise:g}": (ExpertsConfig(init_noise=noise), False) for noise in (0.0, 0.5)},
    "the paper's update, noise 0.05": (KINDS[PAPER_UPDATE], False),
    "the paper's update, S scaled by keep": (KINDS[PAPER_UPDATE], True),
    **{
        f"the paper's update, noise {noise:g}": (KINDS[PAPER_UPDATE].replace(init_noise=noise), False)
        for noise in (0.0, 0.005, 0.5)
    },
}
"""What the paper leaves open, with other answers: a config, and whether S is scaled by keep."""
SAMPLES = 50_000
"""Hands by which the discards of two runs are compared."""


@dataclass(frozen=True)
class Run:
    """A training: expert 0 with its first and its last weights, its win rates before and after, and its boards."""

    kind: str
    start: str
    seed: int
    games: int
    first: Side
    last: Side
    before: Rates
    after: Rates
    boards: list[Weights]


def write_results(folder: Path, games: int = GAMES, seed: int = 0, progress: Report | None = None) -> list[Path]:
    """Train every kind from uniform weights with three seeds, and the first kind from every start; write the page.

    Args:
        folder: where the page and the picture are written.
        games: games of each run.
        seed: added to the seeds 1, 2, 3.
        progress: called with the number of games of training done and their total.

    Returns:
        The page and the pictures.
    """
    few = max(games // SHORTER, 1)
    plan = [(kind, "uniform", seed + number, games) for kind in KINDS for number in SEEDS]
    plan += [(next(iter(KINDS)), start, seed + SEEDS[0], games) for start in STARTS]
    plan += [(kind, "uniform", seed + SEEDS[0], few) for kind in DISCOUNTS]
    plan += [(PAPER_UPDATE, "hand", seed + SEEDS[0], few)]
    plan += [(kind, "uniform", seed + SEEDS[0], few) for kind in VARIANTS]
    write_page(folder, ["# Cribbage: the paper, finished\n\nIn the making."])  # Fails now if the folder is read-only.
    start = time.perf_counter(), time.process_time()
    total = sum(played for *_, played in plan)
    runs: list[Run] = []
    for kind, first, run_seed, played in plan:
        before = sum(run.games for run in runs)

        def report(done: int, before: int = before) -> None:
            if progress is not None:
                progress(before + done, total)

        runs.append(_run(kind, first, run_seed, played, report))
    spent = time.perf_counter() - start[0], time.process_time() - start[1]
    write_animation(folder / ANIMATION, runs[0].boards)
    with replacing(folder / BOARD) as temporary:
        title = f"{runs[0].kind}: after {games:,} games, seed {runs[0].seed}"
        temporary.write_bytes(board_png(runs[0].last.weights, title, runs[0].first.weights))
    return [write_page(folder, _page(runs, games, spent)), folder / BOARD, folder / ANIMATION]


def _run(kind: str, start: str, seed: int, games: int, report: Callable[[int], None]) -> Run:
    half = max(games // CHECKPOINTS // 2, 1)
    every = 2 * half  # A multiple of `value_every`: positions are valued before each evaluation.
    base, by_keep = VARIANTS[kind] if kind in VARIANTS else ((KINDS | DISCOUNTS)[kind], False)
    config = base.replace(total_games=games, init=(start,), seed=seed, value_every=half, save_every=every)
    trainer = Trainer(config, by_keep=by_keep)
    first, before = trainer.side(), trainer.evaluate(("greedy", "uniform"), EVALUATION_GAMES)
    boards = [first.weights]
    while trainer.games < games:
        trainer.advance()
        boards.append(trainer.weights())
        report(min(trainer.games, games))
    opponents = OPPONENTS if start == "uniform" and kind in KINDS else ("greedy", "uniform")
    after = trainer.evaluate(opponents, EVALUATION_GAMES)
    return Run(kind, start, seed, games, first, trainer.side(), before, after, boards)


def _cell(rate: tuple[float, Interval]) -> str:
    share, (low, high) = rate
    return with_interval(100 * share, (100 * low, 100 * high), ".1f")


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(markdown_table(head, rows)) + "\n"


_DRAFT = """Lang, "Machine Learning Strategies in Cribbage" (Helsinki 2017), is an **unfinished draft without
results**: its section "Findings" is a list of questions ("All this and more will be answered ... after the break!"),
and where the update of uniform weights is to be explained, it says "TODO". What follows is not a rerun: it finishes
the paper."""

_CLAIMS = (
    ("1.1.1", "Near the end, other strategies matter than before",
     "holds: [the play counts most there](#what-changes-near-the-end-of-the-board)"),
    ("2.1", "Prior research: a heading without text",
     'its references on cribbage are Martin, "Optimal Expected Values for Cribbage Hands" (2000), Kendall and Shaw, '
     '"Investigation of an adaptive cribbage player" (2002), and O\'Connor, "Temporal difference reinforcement '
     'learning applied to cribbage" (2000); by their titles, they are about the exact statistics, the experts of this '
     "page, and agents that learn by DQN; our players were not compared with theirs"),
    ("3", "A table of 121 x 121 cells with a red, green and blue part for the strategies",
     "the moving picture at the end; the one above it has a panel for each family instead, which people with any kind "
     "of color vision can read"),
    ("3.1.1", "Regret is not easily practically computable",
     "fails: all 15 keeps are played against the same cards in microseconds ([how](#the-gradients-update))"),
    ("3.1.1", "Three routes to a reward: the round's point spread, values set by hand, values computed backwards",
     "trainings here use the third; [other answers](#other-answers) has the first two"),
    ("3.1.2", "A database of all hands takes 4 months in Python, 14 days in C, 5.5 days on a server, with a key of "
     "twelve digits", "`cardgym cribbage-stats` sums the same combinations in seconds by inclusion and exclusion, so "
     "that players compute an entry in a microsecond and need no database and no key"),
    ("3.1.2, 3.1.3", "Scores of a strategy are scaled to 0 .. 1; S, 8 x 15, sums to 1 over the strategies for each "
     "keep, and over the keeps for each strategy", "contradicts itself: the sum of all entries would be 15 and 8; if "
     "each keep's column sums to 1, uniform weights rate all keeps alike, so here each row does, and [other "
     "answers](#other-answers) has the other scale"),
    ("3.1.4", "The winner's weights become c w^2, the loser's c / w^2",
     "fails to learn: [no credit saves it](#can-credit-save-the-papers-update)"),
    ("3.1.4", "Uniform weights are combated by ... TODO",
     "the logarithms of the first weights have a noise with the standard deviation 0.05 (`init_noise`); [other "
     "answers](#other-answers) has other noise; without any, the update changes nothing"),
    ("3.1.4", "The agent is checked by playing against a human", "not measured"),
    ("4", "Where did each initialization family end up? Were they different, or did the agent learn a single strategy?",
     "[does the start matter?](#does-the-start-matter)"),
)  # fmt: skip
"""What the paper says, in its order: the section, the sentence, and what we found."""


def _page(runs: list[Run], games: int, spent: tuple[float, float]) -> list[str]:
    """The parts of the page."""
    first = next(iter(KINDS))
    discounted = [run for run in runs if run.kind in DISCOUNTS or (run.kind == PAPER_UPDATE and run.start != "uniform")]
    uniform = [run for run in runs if run.start == "uniform" and run.kind in KINDS]
    last = [run for run in uniform if run.kind == first]
    begun = {run.start: run for run in runs if run.kind == first and run.seed == last[0].seed}
    parts = [
        "# Cribbage: the paper, finished",
        _DRAFT,
        f"Made by `cardgym reproduce cribbage --games {games}`: {spent[0]:.0f} s, of which {spent[1]:.0f} s of CPU on "
        "one core. [Experts](#weighted-experts) explains how they learn. "
        f"Shares of games are in percent, with 95 % intervals, over "
        f"{EVALUATION_GAMES:,} games against each opponent on the same deals from both seats.",
        "## The paper's sentences, and what we found",
        _table(["section", "the paper", "here"], [list(claim) for claim in _CLAIMS]),
        "## Win rates, before and after learning",
        "From uniform weights. With `own crib`, the strategy `crib_min_avg` prefers the richest crib for the dealer, "
        "who owns it; none of the paper's eight strategies does.",
        _rates_table(uniform),
        *_discounts(discounted),
        *_variants([run for run in runs if run.kind in VARIANTS]),
        "## Against every single strategy",
        "Win rates at the end of training: the lowest and the highest of the seeds. The strategy `hand_max_avg` plays "
        "like `greedy`.",
        _strategies_table(uniform),
        _lowest(last),
        *_starts(begun, last),
        "## What changes near the end of the board",
        f"{first}: the weights of the families, averaged over seeds, where both scores are in the range.",
        _regions_table(last),
        "The play comes before the count, in which the pone's hand is first and the crib last: near the end, what "
        "counts last matters least. Far from the diagonal the game is all but decided, so little is learned there. "
        "Such positions are gray in the picture.",
        f"![The board]({BOARD})",
        "The paper's own picture, over the training: each cell is a pair of scores, its red, green and blue the "
        "shares of hand, crib and pegging; the dealer is on the left, the pone on the right. Uniform weights are "
        "purple: four, one and three of the strategies.",
        f"![The board in red, green and blue over the training]({ANIMATION})",
    ]
    return [part.strip("\n") + "\n" for part in parts]


def _starts(begun: dict[str, Run], last: list[Run]) -> list[str]:
    """Whether the start matters: runs by their start, and those of the same kind from uniform weights by seed."""
    agreements = [
        f"{_agreement(last[0], run):.2f} in weights and {_same(last[0].last, run.last)} of discards" for run in last[1:]
    ]
    return [
        "## Does the start matter?",
        f"{last[0].kind}, seed {last[0].seed}, at positions where the scores are at most 30 points apart: the weights "
        "of the three families of strategies. *Agreement* is 1 minus half the sum of the differences from the run "
        f"that starts with uniform weights. *Same discard* is the share of {SAMPLES:,} hands at such positions in "
        "which both keep the same four cards.",
        _starts_table(begun),
        _strength(begun),
        f"Other seeds agree with the first, from uniform weights, by {'; '.join(agreements)}.",
    ]


def _discounts(runs: list[Run]) -> list[str]:
    """How the paper's update fares with other discounts, and from a good start."""
    rows = [[run.kind, run.start, *_from_to(run)] for run in runs]
    summary = "Some have not lost."
    if all(run.after["greedy"][0] <= run.before["greedy"][0] for run in runs):
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


def _variants(runs: list[Run]) -> list[str]:
    """How other answers to the paper's open questions do."""
    rows = [[run.kind, *_from_to(run), *_from_to(run, "uniform")[1:]] for run in runs]
    return [
        "## Other answers",
        f"The paper's eight strategies from uniform weights, {runs[0].games:,} games each, seed {runs[0].seed}. With S "
        "scaled by keep, the learned weights are also played so.",
        _table(["learns by", "against greedy, before", "after", "against uniform, after"], rows),
        _best_variant(runs),
    ]


def _best_variant(runs: list[Run]) -> str:
    """Which answers do better than ours, in words."""
    ours = runs[0].after["greedy"][1]
    better = [f"{run.kind}" for run in runs[1:] if run.after["greedy"][1][0] > ours[1]]
    worse = [f"{run.kind}" for run in runs[1:] if run.after["greedy"][1][1] < ours[0]]
    return (
        f"Above the first row, by intervals that do not overlap: {'; '.join(better) or 'none'}. Below it: "
        f"{'; '.join(worse) or 'none'}."
    )


def _lowest(runs: list[Run]) -> str:
    """Whether the last weights beat every single strategy, in words."""
    ends = {name: min(run.after[name][1][0] for run in runs) for name in STRATEGIES}
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
            shares = [100 * run.after[name][0] for run in runs if run.kind == kind]
            cells.append(f"{min(shares):.1f} to {max(shares):.1f}")
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
    return [_cell(run.before[opponent]), _cell(run.after[opponent])]


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
    first = {start: run.before["greedy"] for start, run in begun.items()}
    last = {start: run.after["greedy"] for start, run in begun.items()}
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
    return reproduce(
        page_parser("cribbage", __doc__, GAMES, "training"), words, "games",
        lambda given, progress: write_results(given.out, given.games, given.seed, progress),
    )  # fmt: skip
