"""What the paper on Coda says, sentence by sentence, beside what we measured; and its table of performance."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from cardgym.console.tables import markdown_table
from cardgym.papers.coda.results import PAPER, Performance, Results, solved
from cardgym.papers.pages import RULE, Answer, Claim, claims_table, section
from cardgym.statistics import Estimate, mean_over_runs


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
    """Yield the rows of the table of claims."""
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
    yield Answer("abstract", "Online and offline techniques, with global approximation", "the paper has none that plans online; here [`search`](#the-player-search) does")
    yield Answer("abstract, 2, 5", "The state-action space is massive; the state space is relatively small; neither is large", f"contradicts itself; 2^72 codes of states and {24 * 24} actions, and [what tables make of them](#performance)")
    yield Answer("2, 3", "No jokers, two players, a hit must be followed by another guess; states, actions and rewards", "`Coda-v0` with its defaults, the observation `paper`, action k n + j, and `reward=paper` ([reference](../../games/coda/reference.md))")
    yield Answer("3.4", "A discount factor, to win in fewer steps", "gamma is in the [set-up](#set-up); the paper does not say which")
    yield Answer("3.5", "Who draws the last tile wins, since he can infer all the cards", "holds by the rules: then the only tile that he has not seen is the opponent's first")
    yield Answer("4.1, 4.2", "The random policy, and the heuristic in six steps", "`random` and `heuristic`; [which reading of the rules gives its 0.839](#which-reading-of-the-rules-gives-the-heuristics-0839)")
    yield Answer("4.3", "The complexity makes it hard to use a model", "against random play, with one tile each, the game is [solved exactly](#known-values-one-tile-each) from its rules, in about ten seconds")
    yield Answer("4.3", "A fair proportion of states never shows up, so tables do not need too much memory", f"of 2^72 codes, training met {q.states[-1]:,} in {scale.tabular_games:,} games and {long_q.states[-1]:,} in {scale.decisions:,} decisions: still one new state for every {scale.decisions / long_q.states[-1]:.1f} decisions")
    yield Claim("5", "Q-learning and Sarsa perform very closely", -1, 1, [_difference(q, sarsa)], "+.2f")
    yield Claim("5", "They have the best performance: Q-learning above the heuristic", 0, inf, [_difference(q, heuristic)])
    for size, (single, twice) in full.items():
        yield Claim("5", f"Double DQN is better than DQN (batch {size})", 0, inf, [_difference(twice, single)])
    for name in ("double DQN", "double DQN of 2010"):
        for reward in ("", ", the paper's rewards"):
            yield Claim("5", f"{name[0].upper()}{name[1:]} is better than DQN ({bits}{reward})", 0, inf, [_difference(network(name, bits + reward), network("DQN", bits + reward))])
    yield Claim("5", "The heuristic is the worst of the five: the weakest learner above it", 0, inf, [_difference(worst, heuristic)], notes=f", {worst.approach}; the best of them is {best.approach}, {_difference(best, heuristic).text()}")
    for row in learners:
        yield Claim("5, 6", f"{row.approach} wins against random play", 50, 100, [mean_over_runs(row.percent)], ".2f")
    yield Claim("5", "Neither space is large: a table can learn the values of all states, and wins over 95 %", 95, 100, [mean_over_runs(long_q.percent)], ".1f", f" after {long_q.training}; no player wins more than {100 * solved()['optimum']:.2f}")
    yield Claim("5", "So tables are better than networks: Q-learning above DQN", 0, inf, [_difference(q, dqn)])
    larger = np.subtract(network("DQN", bits).percent, q.percent)
    for few in results.few_tiles:
        lead = 100 * np.subtract([rate.value for rate in few.network], [rate.value for rate in few.table])
        yield Claim("5", f"With more tiles deep methods show their advantage: DQN's lead over Q-learning on the bits, with 24 tiles against {few.n}", 0, inf, [mean_over_runs(list(larger - lead))], notes=f"; the lead is {lead.mean():+.1f} with {few.n}, {larger.mean():+.1f} with 24")
    yield Claim("5", "Double DQN costs more time, for its second network: seconds above DQN", 0, inf, [_seconds(double, dqn)], "+.2f")
    yield Claim("5", "Networks cost more time than tables: seconds, DQN above Q-learning", 0, inf, [_seconds(dqn, q)], "+.2f")
    yield Answer("5", "Figures 6 and 7: the losses", "[losses](#the-papers-figures-6-and-7-losses)")
    yield Claim("6", "Q-learning and Sarsa win over 95 %", 95, 100, [mean_over_runs([*q.percent])], ".1f")
    yield Answer("6", "Future work: to stop guessing, and jokers, which hugely increase the complexity", "`CodaOfficial-v0` has both ([agents](#learned-agents), [inference](#exact-inference))")
    yield Answer("6", "Future work: the other approaches of its related work", "[Deep CFR and NFSP](#deep-cfr-and-nfsp)")


# fmt: on


def _difference(one: Performance, other: Performance) -> Estimate:
    """By how many points one approach wins more than another, by seed."""
    return mean_over_runs(list(np.subtract(one.percent, other.percent)))


def _seconds(one: Performance, other: Performance) -> Estimate:
    """By how many seconds the trainings of one approach are longer."""
    return mean_over_runs(list(np.subtract(one.seconds or 0.0, other.seconds or 0.0)))


def performance(results: Results) -> str:
    """Return the section of the paper's second table."""
    missing = "No checkpoint of a network trained for longer was given; `--deep FILE` adds its row."
    return section(
        "Performance",
        "Share of games won: ours is the mean of the seeds, with the lowest and the highest. Where nothing was trained here, "
        "the heuristic, saved networks and `bayes`, they are seeds of the deals. Networks read the observation `full`, or the "
        "paper's bits (`paper`). By the paper's formula DQN's targets come from the network that learns, with *no older copy*.",
        markdown_table(
            ("approach", "training", "paper", "paper's time (s)", "ours, on fresh deals", "our time (s)"),
            [_performance_row(row) for row in results.performance],
        ),
        "Times are for training, but the heuristic's are for playing 10,000 games in the paper and 100,000 here. The "
        "paper's times come from its own machine.",
        "Longer training hardly helps: tables learn almost nothing about fresh deals, as they meet most states once. With "
        "fewer tiles (below) the same learners converge.",
        *([] if results.has_checkpoints else [missing]),
    )


def _performance_row(row: Performance) -> list[str]:
    rates = [rate.value for rate in row.rates]
    share = f"{sum(rates) / len(rates):.3f} ({min(rates):.3f} to {max(rates):.3f})"
    time = f"{min(rate.seconds for rate in row.rates):.1f} to play"
    if row.seconds is not None:
        time = f"{min(row.seconds):.1f} to {max(row.seconds):.1f}"
    paper = map(str, PAPER[row.paper]) if row.paper else ("", "")
    return [row.approach, row.training, *paper, share, time]
