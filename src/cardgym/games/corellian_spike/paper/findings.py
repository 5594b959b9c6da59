"""What the Corellian Spike page says of the paper's claims: what holds, what differs and why, what more would win."""

# ruff: noqa: E501  # Lines of prose, as they stand on the page.

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardgym.games.corellian_spike.paper.charts import kinds
from cardgym.games.corellian_spike.paper.matches import SEATINGS, STATE_MODELS
from cardgym.games.corellian_spike.paper.numbers import Estimate, Numbers, estimate, words
from cardgym.games.corellian_spike.paper.runs import CREDITS, FOUR, WEIGHTED, Score, legal


def claims(numbers: Numbers) -> str:
    """The paper's claims, and whether they hold; every verdict follows from the numbers."""
    rows: list[tuple[str, str, str]] = []

    def claim(what: str, holds: bool | str, evidence: str) -> None:
        rows.append((what, holds if isinstance(holds, str) else "holds" if holds else "does not hold", evidence))

    random_credits = numbers.credits("credits", "random-table", "published")
    claim(
        "The policy far outperforms random play.",
        random_credits[0] - random_credits[1] > 25,
        f"{words(random_credits)} credits, {words(numbers.hands('credits', 'random-table', 'published'), '.1f')} % "
        "of hands",
    )
    published, open_ = (numbers.credits("credits", "initial", how) for how in ("published", "legal"))
    hands = numbers.hands("credits", "initial", "published")
    loses = published[0] + published[1] < 0
    wins = open_[0] - open_[1] > 0
    claim(
        "It wins more hands than the initial policy, but slightly loses in credits.",
        "holds for the published exploration, and is an artefact of it"
        if loses and wins
        else "holds"
        if loses
        else "hands: holds; credits: not clear of zero",
        f"hands {words(hands, '.1f')} %; credits {words(published)} published, {words(open_)} with legal exploration: "
        "who can learn to fold need not lose them",
    )
    for reward in ("credits", "weighted"):
        middle = numbers.credits(reward, "intermediate", "published")
        claim(
            f"The policy of iteration 25 plays as well as the final one ({reward}).",
            "holds" if abs(middle[0]) < 3 else "does not hold",
            f"{words(middle)} credits between them; called equal within 3 of the 50 credits",
        )
    direct = numbers.credits("weighted", "credits-only", "published")
    claim(
        "The simpler credits-only reward costs little.",
        abs(direct[0]) < 3 or direct[0] < 0,
        f"weighted against credits-only: {words(direct)} credits, "
        f"{words(numbers.hands('weighted', 'credits-only', 'published'), '.1f')} % of hands",
    )
    claim(
        "Policies fold in less than 1 % of the betting states.",
        "an artefact of the exploration",
        f"{numbers.share(CREDITS, 1, 2, 'all'):.2f} % published (folding is never tried), "
        f"{numbers.share(legal(CREDITS), 1, 2, 'all'):.2f} % of all and {numbers.share(legal(CREDITS), 1, 2, 'met'):.0f} % "
        "of the states met with legal exploration",
    )
    claim(
        "Policies never swap with the higher card, an artefact of the state model.",
        "an artefact of the exploration, not of the state",
        f"{numbers.share(CREDITS, 3, 8, 'all'):.2f} % published, {numbers.share(legal(CREDITS), 3, 8, 'all'):.1f} % of all "
        f"and {numbers.share(legal(CREDITS), 3, 8, 'met'):.0f} % of the states met with legal exploration, same state",
    )
    claim(
        "After round 0 policies heavily favour matching (raising about 2 %).",
        "an artefact of the enumeration",
        "at most 4.8 % of the codes of rounds 1 to 3 can be met (below); of the states met the final policy raises in "
        f"{numbers.share(CREDITS, 1, 0, 'met'):.0f} %",
    )
    two, four, eight = (numbers.of(("seats", s, "published"), lambda x: x[0].credits - x[1].credits)
                        for s in SEATINGS[:3])  # fmt: skip
    claim(
        "With two players the 2-player policy beats the 4-player one.",
        two[0] - two[1] > 0,
        f"by {words(two)} credits a game",
    )
    claim(
        "With four players they are equal.",
        "not told apart" if abs(four[0]) <= four[1] else "does not hold",
        f"difference {words(four)} credits (2-player less 4-player)",
    )
    claim(
        "With eight players the 4-player policy is better.",
        "holds" if eight[0] + eight[1] < 0 else "not shown" if abs(eight[0]) <= eight[1] else "does not hold",
        f"difference {words(eight)} credits in the paper's two hands; the paper's own 2.2 credits are from 2,000 games",
    )
    last = 0.9 * 0.9556 ** (numbers.plan.iterations - 1)
    claim(
        "After 50 iterations epsilon is 10.2 %.",
        "off by one",
        f"0.9 x 0.9556^48 = {0.9 * 0.9556**48:.1%} explores in iteration 49; the last one has {last:.1%}",
    )
    lines = ["## The paper's claims", "", "| claim | verdict | evidence |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def exploration(numbers: Numbers) -> str:
    """Published against legal exploration."""
    lines = [
        "## What the published exploration does",
        "",
        "The paper says that exploring picks a random allowed action. Its program never folded, always bought and never",
        "swapped with the higher card when exploring: three ranges of random numbers stop one short. An action that is",
        "never tried has no value, so no policy can prefer it. Percent of states in which the final policy takes it:",
        "",
        "| case | exploration | fold, all betting states | fold, states met | buy, all buying states | buy, states met | "
        "swap high, all placing states | swap high, states met |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, case in (("2 players, credits", CREDITS), ("2 players, weighted", WEIGHTED), ("4 players", FOUR)):
        for how in (case, legal(case)):
            cells = [
                f"{numbers.share(how, decision, action, among):.2f} %"
                for decision, action in ((1, 2), (2, 3), (3, 8))
                for among in ("all", "met")
            ]
            lines.append(f"| {name} | {how.exploration} | {' | '.join(cells)} |")
    _, _, reachable = kinds(CREDITS)
    spare = 100 * float((~reachable[1:]).mean())
    lines += [
        "",
        f"The shares over all states say little: {spare:.0f} % of the 2-player enumeration are codes of betting or",
        "buying with a bought card in hand, which play cannot reach (a bought card is placed at once). There the initial",
        "action stands for ever. In rounds 1 to 3 only one betting code in 21 can be met, so no action but matching can",
        "show more than 4.8 % of the states, whatever is learned.",
        "",
    ]
    return "\n".join(lines)


def betting(numbers: Numbers) -> str:
    """Flat against matched betting."""
    lines = [
        "## Flat against matched betting",
        "",
        "Under flat betting (the paper's reward table: a raise costs 2, a match 2) a re-raise costs its player 2 and",
        "every match after it 2 again. Matched betting, as in poker, makes up the difference instead. TrainingResult and played",
        "with either, credits-only reward:",
        "",
        "| opponent | exploration | credits, flat | credits, matched | hands, flat | hands, matched |",
        "|---|---|---|---|---|---|",
    ]
    for opponent in ("random-table", "initial", "intermediate"):
        for how in ("published", "legal"):
            cells = [words(numbers.credits(kind, opponent, how)) for kind in ("credits", "matched")]
            cells += [words(numbers.hands(kind, opponent, how), ".1f") + " %" for kind in ("credits", "matched")]
            lines.append(f"| {opponent} | {how} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def information(numbers: Numbers, learned: Sequence[tuple[int, list[Score]]]) -> str:
    """The paper's future work."""
    lines = [
        "## The paper's future work: would knowing more win more?",
        "",
        "Online Q-learning (the same for all; [tabular.md](../algorithms/tabular.md)) learns to beat the paper's final",
        "credits-only policy, which stays fixed, with three kinds of state: the paper's code, the three cards in place of",
        f"their sum, and the code with the opponent's spike. Means of {numbers.plan.information_seeds} runs.",
        "",
        "| state | decisions learned from | states met | credits against that policy | hands | credits against initial | "
        "against heuristic |",
        "|---|---|---|---|---|---|---|",
    ]
    runs = iter(learned)
    best: dict[int, dict[str, Estimate]] = {}
    for budget in numbers.plan.budgets:
        for model in STATE_MODELS:
            found = [next(runs) for _ in range(numbers.plan.information_seeds)]
            against = [estimate(scores[judge].credits for _, scores in found) for judge in range(3)]
            hands = estimate(100 * scores[0].hands for _, scores in found)
            best.setdefault(budget, {})[model] = against[0]
            met = np.mean([states for states, _ in found])
            lines.append(
                f"| {STATE_MODELS[model]} | {budget:,} | {met:,.0f} | {words(against[0])} | {words(hands, '.1f')} % | "
                f"{words(against[1])} | {words(against[2])} |"
            )
    told = []
    for budget, models in best.items():
        differences = [
            f"{STATE_MODELS[model]} {models[model][0] - models[''][0]:+.1f}" for model in ("cards", "spikes")
        ]
        told.append(f"after {budget:,} decisions {' and '.join(differences)} credits a game")
    lines += ["", f"Beside the paper's code, knowing more brings: {'; '.join(told)}.", ""]
    return "\n".join(lines)
