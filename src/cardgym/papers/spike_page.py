"""docs/results/corellian_spike.md: the paper's tables beside ours, and which of its claims hold."""

# ruff: noqa: E501  # Lines of prose, as they stand on the page.

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from cardgym.files import replacing
from cardgym.papers.spike_charts import draw_actions, kinds, shares
from cardgym.papers.spike_human import human_rows
from cardgym.papers.spike_matches import (
    DEEP_OPPONENTS,
    OPPONENTS,
    PAPER,
    PAPER_HUMAN,
    PAPER_SEATS,
    SEATINGS,
    STATE_MODELS,
    load_deep,
    wanted_learnings,
    wanted_matches,
)
from cardgym.papers.spike_runs import (
    CREDITS,
    FOUR,
    WEIGHTED,
    Case,
    Plan,
    Progress,
    Results,
    Score,
    legal,
    run_all,
)
from cardgym.papers.spike_states import code_facts

FIGURES = {
    "corellian_spike_actions_credits.png": ("Two players, credits-only reward", CREDITS),
    "corellian_spike_actions_weighted.png": ("Two players, weighted reward", WEIGHTED),
    "corellian_spike_actions_four_players.png": ("Four players, weighted reward", FOUR),
    "corellian_spike_actions_legal.png": ("Two players, credits-only reward, legal exploration", legal(CREDITS)),
}

_T95 = (math.nan, math.nan, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t by the number of runs, up to 10."""

Estimate = tuple[float, float]
"""A mean and the half width of its 95 % interval."""


def estimate(values: Iterable[float]) -> Estimate:
    """The mean over runs and the half width of its 95 % interval (Student's t over the runs)."""
    numbers = np.array(list(values), np.float64)
    count = len(numbers)
    if count < 2:
        return float(numbers.mean()), math.nan
    t = _T95[count] if count < len(_T95) else 1.96 + 2.4 / (count - 1)
    return float(numbers.mean()), float(t * numbers.std(ddof=1) / math.sqrt(count))


def words(value: Estimate, form: str = "+.1f") -> str:
    """An estimate for a table."""
    mean, half = value
    return f"{mean:{form}} ± {half:{form.lstrip('+')}}"


def write_results(
    folder: Path, plan: Plan, deep_paths: Sequence[Path] = (), log: Path | None = None, progress: Progress = None
) -> list[Path]:
    """Train and evaluate everything, and write the page and its figures.

    Args:
        folder: where to.
        plan: how much is done.
        deep_paths: checkpoints of deep agents for two players.
        log: the log of games that people played, for the human's row.
        progress: told the tasks done and the tasks in all.

    Returns:
        The files written.

    Raises:
        CardgymError: for a checkpoint of another kind, or where a file cannot be written.
    """
    deep = load_deep(deep_paths)
    results, learned = run_all(
        plan,
        lambda found: wanted_matches(found, plan, deep),
        lambda found: wanted_learnings(found, plan),
        progress,
    )
    written = []
    for name, (title, case) in FIGURES.items():
        draw_actions(folder / name, title, case, results.runs[case])
        written.append(folder / name)
    page = _Page(results, plan)
    parts = [
        _head(results, plan),
        page.claims(),
        page.table(2, "credits", "Performance with the credits-only reward"),
        page.table(3, "weighted", "Performance with the weighted reward"),
        page.seats(),
        page.human(log),
        page.deep([str(path) for path in deep_paths]),
        page.exploration(),
        page.figures(),
        code_facts(plan),
        page.betting(),
        page.information(learned),
    ]
    path = folder / "corellian_spike.md"
    with replacing(path) as temporary:
        temporary.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    return [path, *written]


def _head(results: Results, plan: Plan) -> str:
    transitions = np.mean([run.transitions for run in results.runs[CREDITS]])
    seconds = np.mean([run.seconds for run in results.runs[CREDITS]])
    return f"""# Corellian Spike: the paper's tables, rerun

Made by `cardgym reproduce corellian-spike` (seed {plan.base_seed}); do not edit by hand.

Torres, Nee and Cortinovis (2023) train policies by batch Q-learning and report tables 2, 3 and 4. Here is each cell of
them beside ours. Ours are means of {plan.seeds} training runs (own seeds) with 95 % intervals (Student's t over the runs),
{plan.games:,} games for each match where the paper has 2,000; busts are given for 2,000 games. All is told of the policy
of iteration {plan.iterations}: credits won a game, share of the hands won, and in how many games it ended with no credits.
"Published" explores as the paper's program did, "legal" over all legal actions; [batch_q.md](../algorithms/batch_q.md)
has the algorithm. One run learns from {transitions / plan.iterations:,.0f} transitions in each iteration and took
{seconds:.0f} s of processor time here, beside the paper's 1.5 to 10 hours; this whole page took
{results.seconds["wall"] / 60:.1f} minutes with {plan.workers} processes, on a machine that others used too.
"""


class _Page:
    """The sections that are made from the results."""

    def __init__(self, results: Results, plan: Plan) -> None:
        self._results = results
        self._plan = plan

    def _of(self, key: tuple[object, ...], read: Callable[[list[Score]], float]) -> Estimate:
        return estimate(read(scores) for scores in self._results.scores[key])

    def _credits(self, *key: object) -> Estimate:
        return self._of(key, lambda scores: scores[0].credits)

    def _hands(self, *key: object) -> Estimate:
        return self._of(key, lambda scores: 100 * scores[0].hands)

    # -- the tables ---------------------------------------------------------------------------------------------------

    def table(self, number: int, reward: str, title: str) -> str:
        """Table 2 or 3."""
        lines = [
            f"## Table {number}: {title.lower()}",
            "",
            "| opponent | credits: paper | published | legal | hands: paper | published | legal | "
            "bust, policy / opponent: paper | published | legal |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        for opponent in OPPONENTS:
            if (reward, opponent, "published") not in self._results.scores:
                continue
            paper = PAPER.get((reward, opponent))
            cells = [opponent, f"{paper[0]:+.1f}" if paper else "-"]
            cells += [words(self._credits(reward, opponent, how)) for how in ("published", "legal")]
            cells.append(f"{paper[1]} %" if paper else "-")
            cells += [words(self._hands(reward, opponent, how), ".1f") + " %" for how in ("published", "legal")]
            cells.append(f"{paper[2]} / {paper[3]}" if paper else "-")
            for how in ("published", "legal"):
                bust = [
                    self._of((reward, opponent, how), lambda scores, seat=seat: scores[seat].bust)  # type: ignore[misc]
                    for seat in (0, 1)
                ]
                cells.append(" / ".join(words(value, ".0f") for value in bust))
            lines.append("| " + " | ".join(cells) + " |")
        lines += ["", f"The paper's human against its policy: the policy won {PAPER_HUMAN[reward]}.", ""]
        return "\n".join(lines)

    def seats(self) -> str:
        """Table 4."""
        lines = [
            "## Table 4: the 2-player and the 4-player policy at tables of two, four and eight",
            "",
            "Both are of the weighted reward. One of each sits at the table and the initial policy in the other seats:",
            "the notebook that the paper links to shows this line-up, and games of two hands, beside the eight-player",
            "numbers that the paper prints; that is why nobody goes bust there. States that a policy was not made for are",
            "played as the initial policy does, as in the paper's program.",
            "",
            "| seats, hands | exploration | credits, 2-player: paper | ours | credits, 4-player: paper | ours | "
            "hands, 2-player: paper | ours | hands, 4-player: paper | ours | bust, paper | ours |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        for seating in SEATINGS:
            paper = PAPER_SEATS.get(seating)
            for how in ("published", "legal"):
                key = ("seats", seating, how)
                cells = [f"{seating[0]}, {seating[1]}", how]
                for column, read in enumerate((lambda s: s.credits, lambda s: 100 * s.hands)):
                    for seat in (0, 1):
                        cells.append(
                            (f"{paper[seat][column]:+.1f}", f"{paper[seat][column]} %")[column] if paper else "-"
                        )
                        ours = self._of(key, lambda scores, seat=seat, read=read: read(scores[seat]))  # type: ignore
                        cells.append(words(ours, ("+.1f", ".1f")[column]) + ("", " %")[column])
                cells.append(f"{paper[0][2]} / {paper[1][2]}" if paper else "-")
                bust = [self._of(key, lambda scores, seat=seat: scores[seat].bust) for seat in (0, 1)]  # type: ignore
                cells.append(" / ".join(words(value, ".0f") for value in bust))
                lines.append("| " + " | ".join(cells) + " |")
        return "\n".join([*lines, ""])

    def human(self, log: Path | None) -> str:
        """The human's row."""
        lines = ["## A person", ""]
        rows = human_rows(log)
        if not rows:
            lines.append(
                "No finished game of a person is in the play log here; `cardgym play CorellianSpike-v0 --opponent "
                "runs/.../policy_50.json` writes one, and the next run of this command shows it."
            )
            return "\n".join([*lines, ""])
        lines += ["| player | against | games | credits a game | hands won | games bust |", "|---|---|---|---|---|---|"]
        return "\n".join([*lines, *rows, ""])

    def deep(self, paths: Sequence[str]) -> str:
        """The double DQN against everyone."""
        lines = ["## The double DQN", ""]
        if not paths:
            lines.append("No checkpoint was given (`--deep PATH`), so its rows are missing from this page.")
            return "\n".join([*lines, ""])
        lines += [
            f"Credits it wins a game, {self._plan.games:,} games a match, with the match's 95 % interval over its deals;",
            "each match has other deals, and policies of another training run.",
            "",
            "| checkpoint | against | "
            + " | ".join(f"match {i + 1}" for i in range(self._plan.deep_seeds))
            + " | hands |",
            "|---|---|" + "---|" * (self._plan.deep_seeds + 1),
        ]
        lowest = math.inf
        for number, path in enumerate(paths):
            for opponent in DEEP_OPPONENTS:
                scores = [each[0] for each in self._results.scores["deep", opponent, number]]
                if opponent in ("credits", "weighted"):
                    lowest = min([lowest, *(score.interval[0] for score in scores)])
                cells = [f"{s.credits:+.2f} [{s.interval[0]:+.2f}, {s.interval[1]:+.2f}]" for s in scores]
                hands = 100 * np.mean([score.hands for score in scores])
                named = opponent if opponent in ("random", "initial", "heuristic") else f"batch Q: {opponent}"
                lines.append(f"| `{Path(path).name}` | {named} | {' | '.join(cells)} | {hands:.1f} % |")
        verdict = "every one of these intervals lies above zero" if lowest > 0 else "not every interval lies above zero"
        lines += ["", f"Against the paper's final policies (both rewards): {verdict}; the lowest end is {lowest:+.2f}."]
        return "\n".join([*lines, ""])

    # -- what differs, and why ----------------------------------------------------------------------------------------

    def _share(self, case: Case, decision: int, action: int, among: str, iteration: int | None = None) -> float:
        """Percent of states in which the final policies take an action; among all states, or those met."""
        found = []
        for run in self._results.runs[case]:
            rows = np.ones(len(run.met), np.bool_) if among == "all" else run.met
            found.append(shares(case, run, decision, None, run.last if iteration is None else iteration, rows)[action])
        return 100 * float(np.mean(found))

    def exploration(self) -> str:
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
                    f"{self._share(how, decision, action, among):.2f} %"
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

    def figures(self) -> str:
        """The appendix."""
        lines = [
            "## The appendix: action distributions",
            "",
            "Each image holds a case's figures as rows (decision 1, 2, 3), a panel for each round: the paper's nine, and",
            "three for the legal exploration. The scale is logarithmic, for most shares are small; the paper's own measure,",
            "over all enumerated states, is solid, and over the states met in training dotted.",
            "",
        ]
        lines += [f"![{title}]({name})\n" for name, (title, _) in FIGURES.items()]
        return "\n".join(lines)

    def betting(self) -> str:
        """Flat against matched betting."""
        lines = [
            "## Flat against matched betting",
            "",
            "Under flat betting (the paper's reward table: a raise costs 2, a match 2) a re-raise costs its player 2 and",
            "every match after it 2 again. Matched betting, as in poker, makes up the difference instead. Trained and played",
            "with either, credits-only reward:",
            "",
            "| opponent | exploration | credits, flat | credits, matched | hands, flat | hands, matched |",
            "|---|---|---|---|---|---|",
        ]
        for opponent in ("random-table", "initial", "intermediate"):
            for how in ("published", "legal"):
                cells = [words(self._credits(kind, opponent, how)) for kind in ("credits", "matched")]
                cells += [words(self._hands(kind, opponent, how), ".1f") + " %" for kind in ("credits", "matched")]
                lines.append(f"| {opponent} | {how} | {' | '.join(cells)} |")
        return "\n".join([*lines, ""])

    def information(self, learned: Sequence[tuple[int, list[Score]]]) -> str:
        """The paper's future work."""
        lines = [
            "## The paper's future work: would knowing more win more?",
            "",
            "Online Q-learning (the same for all; [tabular.md](../algorithms/tabular.md)) learns to beat the paper's final",
            "credits-only policy, which stays fixed, with three kinds of state: the paper's code, the three cards in place of",
            f"their sum, and the code with the opponent's spike. Means of {self._plan.information_seeds} runs.",
            "",
            "| state | decisions learned from | states met | credits against that policy | hands | credits against initial | "
            "against heuristic |",
            "|---|---|---|---|---|---|---|",
        ]
        runs = iter(learned)
        best: dict[int, dict[str, Estimate]] = {}
        for budget in self._plan.budgets:
            for model in STATE_MODELS:
                found = [next(runs) for _ in range(self._plan.information_seeds)]
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

    # -- the paper's claims -------------------------------------------------------------------------------------------

    def claims(self) -> str:
        """The paper's claims, and whether they hold; every verdict follows from the numbers."""
        rows: list[tuple[str, str, str]] = []

        def claim(what: str, holds: bool | str, evidence: str) -> None:
            rows.append((what, holds if isinstance(holds, str) else "holds" if holds else "does not hold", evidence))

        random_credits = self._credits("credits", "random-table", "published")
        claim(
            "The policy far outperforms random play.",
            random_credits[0] - random_credits[1] > 25,
            f"{words(random_credits)} credits, {words(self._hands('credits', 'random-table', 'published'), '.1f')} % "
            "of hands",
        )
        published, open_ = (self._credits("credits", "initial", how) for how in ("published", "legal"))
        hands = self._hands("credits", "initial", "published")
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
            middle = self._credits(reward, "intermediate", "published")
            claim(
                f"The policy of iteration 25 plays as well as the final one ({reward}).",
                "holds" if abs(middle[0]) < 3 else "does not hold",
                f"{words(middle)} credits between them; called equal within 3 of the 50 credits",
            )
        direct = self._credits("weighted", "credits-only", "published")
        claim(
            "The simpler credits-only reward costs little.",
            abs(direct[0]) < 3 or direct[0] < 0,
            f"weighted against credits-only: {words(direct)} credits, "
            f"{words(self._hands('weighted', 'credits-only', 'published'), '.1f')} % of hands",
        )
        claim(
            "Policies fold in less than 1 % of the betting states.",
            "an artefact of the exploration",
            f"{self._share(CREDITS, 1, 2, 'all'):.2f} % published (folding is never tried), "
            f"{self._share(legal(CREDITS), 1, 2, 'all'):.2f} % of all and {self._share(legal(CREDITS), 1, 2, 'met'):.0f} % "
            "of the states met with legal exploration",
        )
        claim(
            "Policies never swap with the higher card, an artefact of the state model.",
            "an artefact of the exploration, not of the state",
            f"{self._share(CREDITS, 3, 8, 'all'):.2f} % published, {self._share(legal(CREDITS), 3, 8, 'all'):.1f} % of all "
            f"and {self._share(legal(CREDITS), 3, 8, 'met'):.0f} % of the states met with legal exploration, same state",
        )
        claim(
            "After round 0 policies heavily favour matching (raising about 2 %).",
            "an artefact of the enumeration",
            "at most 4.8 % of the codes of rounds 1 to 3 can be met (below); of the states met the final policy raises in "
            f"{self._share(CREDITS, 1, 0, 'met'):.0f} %",
        )
        two, four, eight = (self._of(("seats", s, "published"), lambda x: x[0].credits - x[1].credits)
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
        last = 0.9 * 0.9556 ** (self._plan.iterations - 1)
        claim(
            "After 50 iterations epsilon is 10.2 %.",
            "off by one",
            f"0.9 x 0.9556^48 = {0.9 * 0.9556**48:.1%} explores in iteration 49; the last one has {last:.1%}",
        )
        lines = ["## The paper's claims", "", "| claim | verdict | evidence |", "|---|---|---|"]
        return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])
