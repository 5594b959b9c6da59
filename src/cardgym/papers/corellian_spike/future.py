"""What tables learn beyond the paper: with more knowledge, without credits, and at its related work's Leduc poker."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardgym.console.tables import markdown_table
from cardgym.papers.corellian_spike.numbers import Numbers
from cardgym.papers.corellian_spike.runs import STATE_MODELS, Score
from cardgym.papers.pages import section, verdict
from cardgym.statistics import mean_over_runs


def future_work(numbers: Numbers) -> str:
    """The section on the paper's future work: knowing more, and the game without its credits."""

    def table(kind: str, shown: Callable[[Score], float], form: str) -> tuple[list[list[str]], str]:
        rows, firsts = [], {}
        for model, name in STATE_MODELS.items():
            results = numbers.results.tabular[kind, model]
            met = np.mean([result.states for result in results])
            scores = [mean_over_runs([shown(result.scores[judge]) for result in results]) for judge in range(3)]
            firsts[name] = scores[0].value if kind == "credits" else scores[2].value
            rows.append([name, f"{met:,.0f}", *(score.text(form) for score in scores)])
        code, *others = firsts.items()
        return rows, ", ".join(f"{value - code[1]:+.1f} ({name})" for name, value in others)

    scale = numbers.scale
    credits, changes = table("credits", lambda score: score.credits, "+.1f")
    hands, gains = table("best hand", lambda score: score.hands, ".1f")
    return section(
        "The paper's future work: would knowing more win more?",
        "Online Q-learning (the same for all; [tables](../../algorithms/more.md#tables-q-learning-and-sarsa)) learns to beat "
        f"the paper's final credits-only policy, which is fixed, in {scale.decisions:,} decisions, with four kinds of state. "
        "The belief (the paper's POMDP) is a tenth of the chance to beat the opponent, by "
        f'[`obs="odds"`](../../games/corellian_spike/reference.md#observation-space). Means of {scale.tabular_seeds} runs, in '
        "credits won a game.",
        markdown_table(("state", "states met", "against that policy", "against initial", "against heuristic"), credits),
        f"Against that policy, knowing more than the paper's code changes the credits won a game by {changes}.",
        '*"Remove the credit aspect and focus on finding the optimal strategy for obtaining the best hand."* With '
        "`betting=no` nobody bets and cards are free. One hand, the same Q-learning against `heuristic`; percent of hands "
        "won:",
        markdown_table(
            ("state", "states met", "against the policy above", "against initial", "against heuristic"), hands
        ),
        f"Against `heuristic`, which it learned to beat, knowing more changes the hands won by {gains} points.",
    )


def related_work(numbers: Numbers) -> str:
    """The section on Q-learning at Leduc poker."""
    rows = []
    for opponent in ("random", "honest"):
        if ("leduc", opponent) not in numbers.results.tabular:
            return section(
                "The paper's related work: Q-learning at Leduc poker", "Not run: `LeducPoker-v0` is missing."
            )
        results = numbers.results.tabular["leduc", opponent]
        chips = mean_over_runs([result.scores[0].credits for result in results])
        rows.append([f"`{opponent}`", chips.text("+.2f"), verdict(chips, 0, np.inf)])
    return section(
        "The paper's related work: Q-learning at Leduc poker",
        'Its source has Q-learning "consistently win credits" at UH Leduc poker from a random player and from one that raises '
        "strong hands, matches average ones and folds weak ones. Here it is [Leduc "
        "poker](../../../examples/leduc_poker/README.md), of six cards; UH Leduc has 18, so its own figures cannot be "
        f"checked. `honest` is that rule player. Q-learning for {numbers.scale.decisions:,} decisions, then "
        f"{numbers.scale.games:,} hands; means of {numbers.scale.tabular_seeds} runs:",
        markdown_table(("against", "chips a hand", "wins"), rows),
    )
