"""Check the claims of the paper "One Play Poker" (Bastiaan and Krabben), fill its table, and draw the optimal policy.

The paper's table of 50,000 simulated games has only zeros. The page has it for every reading of the rules, simulated
and in exact values.
"""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.console.progress import Progress
from cardgym.console.tables import markdown_table
from cardgym.engine.contract import Options
from cardgym.engine.kernel import RESET
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.observations import info_state_labels
from cardgym.papers.one_play_poker.chart import draw_chart
from cardgym.papers.pages import RULE, Answer, Claim, claims_table, page_parser, reproduce, write_page
from cardgym.players import CompiledPlayer, Player, TablePlayer
from cardgym.players.seats import SeatedBatch, game_keys
from cardgym.solvers.backward_induction import Policy
from cardgym.solvers.optimum import GAMMA, Solver, fraction_text, indices, policy_of, policy_table, solver
from cardgym.statistics import UNKNOWN, Estimate, mean_estimate

CHART = "policy.png"
GAMES = 50_000
FEWER = 20_000
"""The other number of games in the paper's text."""
THETA = 0.05
"""The paper's threshold of value iteration."""
NEAR = 0.01
"""A reading of the rules whose exact values are this near to those of another one has no table."""
_NEAR = "The exact values differ from those of the other ranking by at most {:.4f}."
MAX_KINDS = 4
"""How many kinds of states are named in a sentence."""
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
    """Return the rewards of players that each play the same deals alone.

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
    """Get the paper's three policies and the undiscounted optimum, simulated on the same deals and valued exactly."""
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


def gamma_difference(known: Solver) -> str:
    """Where no action is best both for the paper's gamma and without discount, and what that costs, in words."""
    paper, best = known.solve(GAMMA), known.solve(1)
    differ = np.flatnonzero(~(paper.optimal & best.optimal).any(axis=1))
    texts = info_state_labels(known.tree.options)  # type: ignore[arg-type]
    places = indices(known.tree)
    alike = known.small.find(known.tree.set_states)
    first: dict[int, int] = {}  # A state of each kind up to suits and bets.
    for state in differ[np.argsort(places[differ])].tolist():
        if known.tree.set_states["bets"][state] == 0:
            first.setdefault(int(alike[state]), state)
    kinds = [f"`{texts[places[state]].rsplit(' ', 1)[0].replace(' -', '')}`" for state in first.values()]
    named = ", ".join(kinds[:MAX_KINDS]) + f" and {len(kinds) - MAX_KINDS} more" * (len(kinds) > MAX_KINDS)
    cost = best.value - known.value(paper.actions).mean
    does = "bets" if all(best.actions[state] for state in first.values()) else "decides otherwise"
    return (
        f"Gamma 0.9 costs {fraction_text(cost)} = {float(cost):.4f} of undiscounted reward. "
        f"The two optimal policies differ in {len(differ)} states, of {len(kinds)} "
        f"kind{'s' * (len(kinds) > 1)} up to suits and bets (own cards, the house's card): {named}. There gamma 1 "
        f"{does}, gamma 0.9 does not."
    )


@dataclass(frozen=True)
class Sweeps:
    """Value iteration as the paper writes it.

    Attributes:
        count: full sweeps until no value changed by `THETA` or more, the last one included.
        policy: the best action in each state of `Solver.tree`, (states,), int64.
        errors: after each sweep, the largest difference of a value to the last one.
    """

    count: int
    policy: npt.NDArray[np.int64]
    errors: tuple[float, ...]


def value_iteration(known: Solver) -> Sweeps:
    """Sweep over all states in place until no value changes by the paper's theta or more.

    The paper lists its states by the number of cards, from one to four, so each sweep carries values one card back.
    States that are equal up to symmetry are swept as one.
    """
    tree, gamma = known.small, float(GAMMA)
    arrays, rewards, values = tree.arrays, tree.rewards[:, 0], np.zeros(tree.num_nodes)

    def worth(edge: int) -> float:
        return float(rewards[edge]) + follows(int(arrays.targets[edge]))

    def follows(node: int) -> float:
        if node < 0:
            return 0.0
        if arrays.info_sets[node] >= 0:
            return gamma * float(values[node])
        return sum(float(arrays.chances[edge]) * worth(edge) for edge in edges(node))

    def edges(node: int) -> range:
        return range(arrays.first_edge[node], arrays.first_edge[node + 1])

    decisions = np.flatnonzero(arrays.info_sets >= 0)[::-1].tolist()  # Nodes are stored from the ends back.
    change, after = THETA, list[npt.NDArray[np.float64]]()
    while change >= THETA:
        change = 0.0
        for node in decisions:
            best = max(worth(edge) for edge in edges(node))
            change, values[node] = max(change, abs(best - float(values[node]))), best
        after.append(values.copy())
    policy = np.zeros(tree.num_info_sets, np.int64)
    for node in decisions:
        chosen = max(edges(node), key=worth)
        policy[arrays.info_sets[node]] = chosen - arrays.first_edge[node]
    errors = tuple(float(abs(sweep - values).max()) for sweep in after)
    return Sweeps(len(after), policy[tree.find(known.tree.set_states)], errors)


def write_results(folder: Path, games: int, seed: int, progress: Progress) -> list[Path]:
    """Write the page, the paper's claims and its table, filled, for every reading of the rules, and the chart.

    Each policy plays `games`, at least 2; returns the files.
    """
    parts, told = list[str](), dict[str, tuple[Solver, list[Row]]]()
    readings = [(decisions, ranking) for decisions in (3, 4) for ranking in ("flush_first", "pair_first")]
    progress(0, len(readings))
    shown: list[list[tuple[Fraction, Fraction]]] = []
    for decisions, ranking in readings:
        options = GAME.parse_options({"decisions": decisions, "ranking": ranking})
        rows = paper_rows(options, games, seed)
        exact = [(row.exact, row.discounted) for row in rows]
        name = f"decisions={decisions}, ranking={ranking}"
        gaps = [
            max(abs(a - b) for one, two in zip(exact, other, strict=True) for a, b in zip(one, two, strict=True))
            for other in shown
        ]
        if min(gaps, default=1) < NEAR:
            words = _NEAR.format(float(min(gaps))) if min(gaps) else "All exact values are those of the other ranking."
            parts.append(f"### {name}\n\n{words}\n")
        else:
            parts.append(f"### {name}{'' if shown else ' (the defaults)'}\n\n{_section(options, rows, games)}")
            told[f"`{name.replace(', ', '`, `')}`"] = solver(GAME, options), rows
        shown.append(exact)
        progress.advance()
    draw_chart(folder / CHART, GAME.parse_options())
    table = "\n".join(claims_table([*told], _claims([*told.values()])))
    top = _HEAD.format(games=games, seed=seed, chart=CHART, rule=RULE, claims=table)
    return [write_page(folder, [top, *parts]), folder / CHART]


_HEAD = """# One Play Poker: the paper's claims, and its table, filled

Made by `cardgym reproduce one-play-poker` ({games:,} games, seed {seed}); do not edit by hand.

The paper ("One Play Poker") compares a random, a handcrafted and the value-iteration policy by the mean total reward of
simulated games; its table contains only zeros. Here are its claims in its order, for each reading of the rules that
gives other values, and its table for every reading.

## The paper's claims

{rule} Values without an interval are exact.

{claims}

By the paper's section 5, policies are compared over "50,000 games" and, a sentence later, over "the same 20,000 games":
the table above has both, on the same deals. What cannot be checked: that value iteration plays at least as well as a
*human player* (section 6; nobody played, the handcrafted policy stands for people), and that it learns a nearly optimal
policy of more complicated games *where most humans would fail*.

## Where the paper is silent or contradicts itself

- Its text has a decision after every card, but its models and its handcrafted policy imply three: `decisions` is 3 (the
  default) or 4. Its four sweeps speak for three, too: the fourth confirms that nothing changes.
- It ranks flush, pair, high card, but flushes and pairs are equally frequent, 24 of 120 hands each: `ranking` is
  `flush_first` (the default) or `pair_first`.
- Its pots are powers of two, which contradicts its "+2 for a bet": here the pot is 2 + 2 x bets.

## The table, filled

Rewards are undiscounted and exclude the ante of 1: an expected reward of 1 is an even game. The simulated means have
95 % intervals; exact values are computed from the rules, without sampling. The paper's policy comes from value
iteration with gamma 0.9. Discounting makes a bet, which is paid immediately, look more expensive than it is, so that
policy bets too rarely; "optimal" maximizes the table's undiscounted reward.

![When to bet: the optimal policy by own and house cards]({chart})
"""


def _section(options: Options, rows: list[Row], games: int) -> str:
    cells = []
    for row in rows:
        mean = mean_estimate(row.rewards)
        exact = [f"{fraction_text(value)} = {float(value):.4f}" for value in (row.exact, row.discounted)]
        cells.append([row.name, mean.text(".3f"), *exact])
    head = ("policy", f"mean reward of {games:,} games", "exact", "exact, discounted by 0.9")
    return "\n".join([*markdown_table(head, cells), "", gamma_difference(solver(GAME, options)), ""])


def _claims(readings: list[tuple[Solver, list[Row]]]) -> Iterator[Claim | Answer]:
    """Yield the paper's claims in its order, with a measure for each reading."""
    sweeps, leads, chances, notes, shares = [], [], [], [], []
    for known, (random, handcrafted, learned, best) in readings:
        sweeps.append(value_iteration(known))
        lead, paired = learned.exact - handcrafted.exact, learned.rewards - handcrafted.rewards
        leads.append(_exact(lead))
        chances.append(_exact(learned.exact - random.exact))
        shares.append(_exact(100 * handcrafted.exact / best.exact))
        note = f", {fraction_text(lead)}; {mean_estimate(paired).text('+.3f')} in {len(paired):,} games"
        if len(paired) > FEWER:
            note += f", {mean_estimate(paired[:FEWER]).text('+.3f')} in the first {FEWER:,}"
        notes.append(note)
    yield Answer("1, 3, 4", "The rules, the states with two unordered hands and the pot, a bet as a negative reward, and three policies",
                 "`OnePlayPoker-v0` with these options ([states](#states))")  # fmt: skip
    yield Claim(
        "2.3", "After each sweep the values are closer to the real ones: sweeps after which they are not", 0, 0,
        [_exact(sum(error >= before > 0 for before, error in pairwise(swept.errors))) for swept in sweeps], ".0f",
        [f"; the largest error is {', '.join(f'{error:.3f}' for error in swept.errors)}" for swept in sweeps],
    )  # fmt: skip
    same = [
        known.value(swept.policy, GAMMA).mean == known.solve(GAMMA).value
        for (known, _), swept in zip(readings, sweeps, strict=True)
    ]
    yield Claim(
        "5", f"Value iteration takes four full sweeps (theta {THETA}, gamma 0.9)", 4, 4,
        [_exact(swept.count) for swept in sweeps], ".0f",
        [f"; the last one changes nothing; its policy earns {'exactly what' if one else 'less than'} backward induction finds" for one in same],
    )  # fmt: skip
    yield Answer("5", "It takes fifteen to twenty minutes", "a second at most ([speed](#speed))")
    yield Claim("5", "Its policy is above chance level: its lead over the random one", 0, inf, chances, "+.4f")
    yield Claim(
        "5, 6", "It is at least as good as the handcrafted policy: its lead", 0, inf, leads, "+.4f", notes
    )  # fmt: skip
    yield Claim(
        "6",
        "The best action is easy for humans: percent that the handcrafted policy earns of the most possible",
        95,
        100,
        shares,
        ".1f",
    )
    yield Answer(
        "6",
        "Most time is saved by storing the transitions and rewards",
        "they are stored here: the game is [enumerated once](#speed)",
    )


def _exact(value: Fraction | int) -> Estimate:
    return Estimate(float(value), UNKNOWN)


def main(words: list[str]) -> int:
    """Simulate, solve, and write the page and the chart; the exit code."""
    return reproduce(
        page_parser("one-play-poker", __doc__, GAMES, "policy"), words, "readings of the rules",
        lambda given, progress: write_results(given.out, given.games, given.seed, progress),
    )  # fmt: skip
