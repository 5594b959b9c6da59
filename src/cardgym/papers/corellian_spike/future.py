"""What tables learn beyond the paper: with more knowledge, without credits, and at its related work's Leduc poker."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from collections import Counter
from math import inf

import numpy as np

from cardgym.console.tables import markdown_table
from cardgym.papers.corellian_spike.numbers import Numbers
from cardgym.papers.corellian_spike.runs import STATE_MODELS
from cardgym.papers.pages import Claim, claims_table, section, verdict
from cardgym.statistics import mean_estimate


def future_work(numbers: Numbers) -> str:
    """Return the section on the paper's future work: knowing more, and the game without its credits."""
    scale, tables, verdicts = numbers.scale, [], list[str]()
    for kind, measure, form, judge in (("credits", "credits", "+.1f", 0), ("best hand", "hands", ".1f", 2)):
        rows, code = [], None
        for model, name in STATE_MODELS.items():
            results = numbers.results.tabular[kind, model]
            won = np.array([[getattr(score, measure) for score in result.scores] for result in results])
            met = np.mean([result.states for result in results])
            rows.append([name, f"{met:,.0f}", *(mean_estimate(column).text(form) for column in won.T)])
            if code is None:
                code = won
                continue
            verdicts.append(verdict(mean_estimate((won - code)[:, judge]), 0, inf))
        tables.append(
            markdown_table(("state", "states met", "against that policy", "against initial", "against heuristic"), rows)
        )
    counts = Counter(verdicts)
    return section(
        "The paper's future work: would knowing more win more?",
        "Online Q-learning (the same for all; [tables](../../algorithms/more.md#tables-q-learning-and-sarsa)) learns to beat "
        f"the paper's final credits-only policy, which is fixed, in {scale.decisions:,} decisions, with four kinds of state. "
        "The belief (the paper's POMDP) is a tenth of the chance to beat the opponent, by "
        f'[`obs="odds"`](../../games/corellian_spike/reference.md#observation-space). Means of {scale.tabular_seeds} runs, in '
        "credits won a game.",
        tables[0],
        '*"Remove the credit aspect and focus on finding the optimal strategy for obtaining the best hand."* With '
        "`betting=no` nobody bets and cards are free. One hand, the same Q-learning against `heuristic`; percent of hands "
        "won:",
        tables[1],
        f"That knowing more wins more than the paper's code does, against the opponent that a table learned to beat, holds in "
        f"{counts['holds']} of these {len(verdicts)} rows, fails in {counts['fails']} and stays open in {counts['open']}.",
    )


def related_work(numbers: Numbers) -> str:
    """Return the section on Q-learning at Leduc poker."""
    title, tabular = "The paper's related work: Q-learning at Leduc poker", numbers.results.tabular
    opponents = [opponent for opponent in ("random", "honest") if ("leduc", opponent) in tabular]
    if not opponents:
        return section(title, "Not run: `LeducPoker-v0` is missing.")
    rows = [
        Claim(
            "2", f"Q-learning consistently wins from `{opponent}`: chips a hand", 0, inf,
            [mean_estimate([result.scores[0].credits for result in tabular["leduc", opponent]])], "+.2f",
        )
        for opponent in opponents
    ]  # fmt: skip
    return section(
        title,
        'Its source has Q-learning "consistently win credits" at UH Leduc poker from a random player and from one that raises '
        "strong hands, matches average ones and folds weak ones. Here it is [Leduc "
        "poker](../../../examples/leduc_poker/README.md), of six cards; UH Leduc has 18, so its own figures cannot be "
        f"checked. `honest` is that rule player. Q-learning for {numbers.scale.decisions:,} decisions, then "
        f"{numbers.scale.games:,} hands; means of {numbers.scale.tabular_seeds} runs:",
        claims_table(("ours",), rows),
    )
