"""Fill the results table of the paper "One Play Poker" (Bastiaan and Krabben), and draw the optimal policy.

The paper's table of 50,000 simulated games has only zeros. The page has it for every reading of the rules, simulated
and in exact values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.console.tables import markdown_table
from cardgym.engine.contract import Options
from cardgym.engine.kernel import RESET
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.observations import info_state_labels
from cardgym.papers.one_play_poker.chart import draw_chart
from cardgym.papers.pages import Report, Steps, page_parser, reproduce, write_page
from cardgym.players import CompiledPlayer, Player, TablePlayer
from cardgym.players.seats import SeatedBatch, game_keys
from cardgym.solvers.backward_induction import Policy
from cardgym.solvers.optimum import GAMMA, Solver, fraction_text, indices, policy_of, policy_table, solver
from cardgym.statistics import mean_estimate

CHART = "policy.png"
GAMES = 50_000
_ROWS = 1 << 16  # Games played side by side.


@dataclass(frozen=True)
class Row:
    """One policy's results.

    Attributes:
        name: the policy.
        exact: its exact expected reward, undiscounted, the ante sunk.
        discounted: the same discounted by the paper's gamma.
        std: the exact standard deviation of a game's reward.
        rewards: (games,), float64, the reward of each simulated game.
    """

    name: str
    exact: Fraction
    discounted: Fraction
    std: float
    rewards: npt.NDArray[np.float64]


def simulate(options: Options, players: list[Player], games: int, seed: int) -> npt.NDArray[np.float64]:
    """The rewards of players that each play the same deals alone.

    Returns:
        (players, games), float64.
    """
    batch = SeatedBatch(GAME, options, min(_ROWS, games), players)
    rows = len(batch.batch)
    keys = np.resize(game_keys(seed, games), -(-games // rows) * rows)
    rewards = np.empty((len(players), len(keys)))
    for first in range(0, len(keys), rows):
        for place, number in enumerate(batch.numbers):
            batch.seed(keys[first : first + rows])
            batch.seat([number])
            batch.step(0, RESET)
            rewards[place, first : first + rows] = batch.paid[:, 0]
    return rewards[:, :games]


def paper_rows(options: Options, games: int, seed: int = 0) -> list[Row]:
    """The paper's three policies and the undiscounted optimum, simulated on the same deals and valued exactly."""
    known = solver(GAME, options)
    paper = known.solve(GAMMA).actions
    best = known.solve(1).actions
    policies: dict[str, tuple[Policy, Player]] = {
        "random": (policy_of(known.tree, "random"), CompiledPlayer("random")),
        "handcrafted": (policy_of(known.tree, "handcrafted"), CompiledPlayer("handcrafted")),
        "value iteration, gamma 0.9": (paper, TablePlayer("paper", policy_table(known.tree, paper))),
        "optimal, gamma 1": (best, TablePlayer("optimal", policy_table(known.tree, best))),
    }
    rewards = simulate(options, [player for _, player in policies.values()], games, seed)
    rows = []
    for (name, (policy, _)), sample in zip(policies.items(), rewards, strict=True):
        plain = known.value(policy)
        rows.append(Row(name, plain.mean, known.value(policy, GAMMA).mean, plain.std, sample))
    return rows


@dataclass(frozen=True)
class Difference:
    """The states where no action is best both for the paper's gamma and without discount.

    Attributes:
        cost: what the optimal policy for the paper's gamma loses in undiscounted reward a game.
        states: how many such states there are.
        kinds: one state of each kind up to suits and bets, as policy files write it, with the best undiscounted action.
    """

    cost: Fraction
    states: int
    kinds: tuple[tuple[str, int], ...]


def gamma_difference(known: Solver) -> Difference:
    """Where the optimal policies for gamma 0.9 and gamma 1 differ, and what that costs."""
    paper, best = known.solve(GAMMA), known.solve(1)
    differ = np.flatnonzero(~(paper.optimal & best.optimal).any(axis=1))
    texts = info_state_labels(known.tree.options)  # type: ignore[arg-type]
    places = indices(known.tree)
    alike = known.small.find(known.tree.set_states)
    kinds: dict[int, tuple[str, int]] = {}
    for state in differ[np.argsort(places[differ])].tolist():
        if known.tree.set_states["bets"][state] == 0:
            kinds.setdefault(int(alike[state]), (texts[places[state]], int(best.actions[state])))
    cost = best.value - known.value(paper.actions).mean
    return Difference(cost, len(differ), tuple(kinds.values()))


def write_results(folder: Path, games: int, seed: int = 0, progress: Report | None = None) -> list[Path]:
    """Write the page of results, the paper's table, filled, for every reading of the rules, and the chart.

    Args:
        folder: where to.
        games: how many games are simulated for each policy, at least 2.
        seed: of the deals.
        progress: called with how many readings of the rules are done, and how many there are.

    Returns:
        The page and the chart.

    Raises:
        CardgymError: where a file cannot be written.
    """
    parts = [_HEAD.format(games=games, seed=seed, chart=CHART)]
    readings = [(decisions, ranking) for decisions in (3, 4) for ranking in ("flush_first", "pair_first")]
    steps = Steps(len(readings), progress)
    shown: list[list[tuple[Fraction, Fraction]]] = []
    for decisions, ranking in readings:
        options = GAME.parse_options({"decisions": decisions, "ranking": ranking})
        rows = paper_rows(options, games, seed)
        default = "" if shown else " (the defaults)"
        parts.append(f"## decisions={decisions}, ranking={ranking}{default}\n")
        exact = [(row.exact, row.discounted) for row in rows]
        same = "All exact values are those of the other ranking.\n"
        parts.append(same if exact in shown else _section(options, rows, games))
        shown.append(exact)
        steps.advance()
    draw_chart(folder / CHART, GAME.parse_options())
    return [write_page(folder, parts), folder / CHART]


_HEAD = """# One Play Poker: the paper's results table, filled

Made by `cardgym reproduce one-play-poker` ({games:,} games, seed {seed}); do not edit by hand.

The paper ("One Play Poker", section 5) compares a random, a handcrafted and the value-iteration policy by the mean
total reward of 50,000 games on the same deals; its table contains only zeros. Below is that table for each reading of
the rules. Rewards are undiscounted and exclude the ante of 1: an expected reward of 1 is an even game. The simulated
means have 95 % intervals; exact values are computed from the rules, without sampling.

The paper's policy comes from value iteration with gamma 0.9. Discounting makes a bet, which is paid immediately,
look more expensive than it is, so that policy bets too rarely; "optimal" maximizes the table's undiscounted reward.

![When to bet: the optimal policy by own and house cards]({chart})
"""


def _section(options: Options, rows: list[Row], games: int) -> str:
    cells = []
    for row in rows:
        mean = mean_estimate(row.rewards)
        exact = [f"{fraction_text(value)} = {float(value):.4f}" for value in (row.exact, row.discounted)]
        cells.append([row.name, mean.text(".3f"), *exact])
    head = ("policy", f"mean reward of {games:,} games", "exact", "exact, discounted by 0.9")
    return "\n".join(
        [*markdown_table(head, cells), "", _difference_text(gamma_difference(solver(GAME, options)), rows), ""]
    )


MAX_KINDS = 4
"""How many kinds of states are named in a sentence."""


def _difference_text(difference: Difference, rows: list[Row]) -> str:
    """What gamma costs, and where the policies differ, in a sentence or two."""
    kinds = [f"`{state.rsplit(' ', 1)[0].replace(' -', '')}`" for state, _ in difference.kinds]
    named = ", ".join(kinds[:MAX_KINDS]) + f" and {len(kinds) - MAX_KINDS} more" * (len(kinds) > MAX_KINDS)
    does = "bets" if all(action for _, action in difference.kinds) else "decides otherwise"
    text = (
        f"Gamma 0.9 costs {fraction_text(difference.cost)} = {float(difference.cost):.4f} of undiscounted reward. "
        f"The two optimal policies differ in {difference.states} states, of {len(kinds)} "
        f"kind{'s' * (len(kinds) > 1)} up to suits and bets (own cards, the house's card): {named}. There gamma 1 "
        f"{does}, gamma 0.9 does not."
    )
    if rows[2].exact < rows[1].exact:
        text += (
            " So the paper's value iteration earns less than its own handcrafted policy, by "
            f"{float(rows[1].exact - rows[2].exact):.4f}; under this reading the paper's conclusion is wrong."
        )
    return text


def main(words: list[str]) -> int:
    """Simulate, solve, and write the page and the chart; the exit code."""
    return reproduce(
        page_parser("one-play-poker", __doc__, GAMES, "policy"), words, "readings of the rules",
        lambda given, progress: write_results(given.out, given.games, given.seed, progress),
    )  # fmt: skip
