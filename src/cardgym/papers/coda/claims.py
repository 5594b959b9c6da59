"""What the paper on Coda says, sentence by sentence, beside what we measured; and its table of performance."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from cardgym.console.tables import markdown_table
from cardgym.papers.coda.results import PAPER, Performance, Results, solved
from cardgym.papers.pages import RULE, Answer, Claim, claims_table, section
from cardgym.statistics import Estimate, mean_estimate


def claims(results: Results) -> str:
    """Return the section of the paper's sentences, in its order."""
    return section(
        "The paper's claims",
        f"{RULE} Shares are percent of the games, and differences points of them, by seed; intervals are Student's t over "
        f"the {len(results.seeds)} seeds. DQN and double DQN are those that read everything (`full`), with the smaller batch, "
        "unless another row says otherwise.",
        claims_table(("ours, on fresh deals",), _rows(results)),
        "That the game had not been studied before (2), and who did what (7), cannot be checked.",
    )


# fmt: off

def _rows(results: Results) -> Iterator[Claim | Answer]:
    scale, rows = results.scale, list(results.performance)
    heuristic, q, sarsa, long_q = rows[0], rows[1], rows[2], rows[3]
    small, *_ = scale.batch_sizes

    def network(name: str, words: str) -> Performance:
        return next(row for row in rows if row.approach == name and row.training.endswith(words))

    full = {
        size: [network(name, f"full, batch {size}") for name in ("DQN", "double DQN")] for size in scale.batch_sizes
    }
    dqn, double = full[small]
    bits = f"paper, batch {small}"
    learners = [q, sarsa, dqn, double]
    best, worst = (choose(learners, key=lambda row: float(np.mean(row.percent))) for choose in (max, min))

    yield Claim("abstract", "The best agent outperforms the naive benchmark by five percent", 4.5, 5.5, [_difference(best, heuristic)], notes=f", {best.approach}. In the paper's own table it is 96.5 - 83.9 = 12.6 points; 89.5 - 83.9 = 5.6 is DQN's")
    yield Answer("3.5", "Who draws the last tile wins, since he can infer all the cards", "holds by the rules: then the only tile that he has not seen is the opponent's first")
    yield Answer("4.3", "The complexity makes it hard to use a model", "against random play, with one tile each, the game is [solved exactly](#known-values-one-tile-each) from its rules, in about ten seconds")
    yield Answer("4.3", "A fair proportion of states never shows up, so tables do not need too much memory", f"of 2^72 codes, training met {q.states[-1]:,} in {scale.tabular_games:,} games and {long_q.states[-1]:,} in {scale.decisions:,} decisions: still one new state for every {scale.decisions / long_q.states[-1]:.1f} decisions")
    yield Claim("5", "Q-learning and Sarsa perform very closely", -1, 1, [_difference(q, sarsa)], "+.2f")
    yield Claim("5", "They have the best performance: Q-learning above the heuristic", 0, inf, [_difference(q, heuristic)])
    for size, (single, twice) in full.items():
        yield Claim("5", f"Double DQN is better than DQN (batch {size})", 0, inf, [_difference(twice, single)])
    rewards = f"{bits}, the paper's rewards"
    yield Claim("5", f"Double DQN of 2010 is better than DQN ({rewards})", 0, inf, [_difference(network("double DQN of 2010", rewards), network("DQN", rewards))])
    yield Claim("5", "The heuristic is the worst of the five: the weakest learner above it", 0, inf, [_difference(worst, heuristic)], notes=f", {worst.approach}; the best of them is {best.approach}, {_difference(best, heuristic).text()}")
    for row in learners:
        yield Claim("5, 6", f"{row.approach} wins against random play", 50, 100, [mean_estimate(row.percent)], ".2f")
    yield Claim("6", "Neither space is large: a table can learn the values of all states, and wins over 95 %", 95, 100, [mean_estimate(long_q.percent)], ".1f", f" after {long_q.training}; no player wins more than {100 * solved()['optimum']:.2f}")
    yield Claim("5", "So tables are better than networks: Q-learning above DQN", 0, inf, [_difference(q, dqn)])
    larger = np.subtract(network("DQN", bits).percent, q.percent)
    for few in results.few_tiles:
        lead = 100 * np.subtract(few.network, few.table)
        yield Claim("5", f"With more tiles deep methods show their advantage: DQN's lead over Q-learning on the bits, with 24 tiles against {few.n}", 0, inf, [mean_estimate(larger - lead)], notes=f"; the lead is {lead.mean():+.1f} with {few.n}, {larger.mean():+.1f} with 24")
    yield Claim("5", "Double DQN costs more time, for its second network: seconds above DQN", 0, inf, [_seconds(double, dqn)], "+.2f")
    yield Claim("5", "Networks cost more time than tables: seconds, DQN above Q-learning", 0, inf, [_seconds(dqn, q)], "+.2f")
    yield Claim("6", "Q-learning and Sarsa win over 95 %", 95, 100, [mean_estimate(q.percent)], ".1f")


# fmt: on


def _difference(one: Performance, other: Performance) -> Estimate:
    """By how many points one approach wins more than another, by seed."""
    return mean_estimate(np.subtract(one.percent, other.percent))


def _seconds(one: Performance, other: Performance) -> Estimate:
    """By how many seconds the trainings of one approach are longer."""
    return mean_estimate(np.subtract(one.seconds or 0.0, other.seconds or 0.0))


def performance(results: Results) -> str:
    """Return the section of the paper's second table."""
    missing = "No checkpoint of a network trained for longer was given; `--deep FILE` adds its row."
    seconds = [second for row in results.performance if row.paper for second in row.seconds or ()]
    return section(
        "Performance",
        "Share of games won: ours is the mean of the seeds, with the lowest and the highest. Where nothing was trained here, "
        "the heuristic, saved networks and `bayes`, they are seeds of the deals. Networks read the observation `full`, or the "
        "paper's bits (`paper`). By the paper's formula DQN's targets come from the network that learns, with *no older copy*.",
        markdown_table(
            ("approach", "training", "paper", "ours, on fresh deals"),
            [_performance_row(row, results.performance) for row in results.performance],
        ),
        f"The paper's trainings took 12 to 128 s, ours for as many games {min(seconds):.1f} to {max(seconds):.1f} s of processor time.",
        "Longer training helps the networks, but hardly the tables, which meet most states once. With fewer tiles (below) "
        "tables converge.",
        *([] if results.has_checkpoints else [missing]),
    )


def _performance_row(row: Performance, rows: Sequence[Performance]) -> list[str]:
    rates = row.rates
    share = f"{sum(rates) / len(rates):.3f} ({min(rates):.3f} to {max(rates):.3f})"
    is_first = row.paper and row is next(one for one in rows if one.paper == row.paper)
    return [row.approach, row.training, str(PAPER[row.paper]) if row.paper and is_first else "", share]
