"""Fill the results table of the paper "One Play Poker" (Bastiaan and Krabben), and draw the optimal policy.

The paper's table of 50,000 simulated games has only zeros. The page has it for every reading of the rules, simulated
and in exact values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.console.arguments import Parser, whole
from cardgym.console.progress import Progress
from cardgym.console.tables import markdown_table, wrapped
from cardgym.engine.contract import Options
from cardgym.engine.kernel import RESET
from cardgym.files import replacing
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.observations import info_state_labels
from cardgym.papers.one_play_poker.chart import draw_chart
from cardgym.players import CompiledPlayer, Player, TablePlayer
from cardgym.players.seats import SeatedBatch, game_keys
from cardgym.solvers.backward_induction import Policy
from cardgym.solvers.optimum import GAMMA, Solver, fraction_text, indices, policy_of, policy_table, solver
from cardgym.statistics import Moments

FOLDER = Path("docs/papers/one_play_poker")
PAGE, CHART = "results.md", "policy.png"
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


def mean_interval(samples: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The mean and the half width of its 95 % interval (normal approximation)."""
    moments = Moments(1)
    moments.add(samples[:, None])
    mean, (_, high) = moments.mean(np.ones(1))
    return mean, high - mean


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
    policies: dict[str, Policy] = {
        "random": policy_of(known.tree, "random"),
        "handcrafted": policy_of(known.tree, "handcrafted"),
        "value iteration, gamma 0.9": paper,
        "optimal, gamma 1": best,
    }
    players: list[Player] = [
        CompiledPlayer("random"),
        CompiledPlayer("handcrafted"),
        TablePlayer("paper", policy_table(known.tree, paper)),
        TablePlayer("optimal", policy_table(known.tree, best)),
    ]
    rewards = simulate(options, players, games, seed)
    rows = []
    for (name, policy), sample in zip(policies.items(), rewards, strict=True):
        plain = known.value(policy)
        rows.append(Row(name, plain.mean, known.value(policy, GAMMA).mean, plain.std, sample))
    return rows


@dataclass(frozen=True)
class Difference:
    """The states where no action is best both for the paper's gamma and without discount.

    Attributes:
        cost: what the optimal policy for the paper's gamma loses in undiscounted reward a game.
        by_cards_out: how many such states there are with 1, 2, 3 and 4 cards out.
        kinds: one state of each kind up to suits and bets, as policy files write it, with the best undiscounted action.
    """

    cost: Fraction
    by_cards_out: tuple[int, ...]
    kinds: tuple[tuple[str, int], ...]


def gamma_difference(known: Solver) -> Difference:
    """Where the optimal policies for gamma 0.9 and gamma 1 differ, and what that costs."""
    paper, best = known.solve(GAMMA), known.solve(1)
    differ = np.flatnonzero(~(paper.optimal & best.optimal).any(axis=1))
    dealt = np.bincount(known.tree.set_states["dealt"][differ], minlength=5)
    texts = info_state_labels(known.tree.options)  # type: ignore[arg-type]
    places = indices(known.tree)
    alike = known.small.find(known.tree.set_states)
    kinds: dict[int, tuple[str, int]] = {}
    for state in differ.tolist():
        if known.tree.set_states["bets"][state] == 0:
            kinds.setdefault(int(alike[state]), (texts[places[state]], int(best.actions[state])))
    cost = best.value - known.value(paper.actions).mean
    return Difference(cost, tuple(dealt[1:].tolist()), tuple(kinds.values()))


def write_results(path: Path, games: int, seed: int = 0, progress: Callable[[int, int], None] | None = None) -> None:
    """Write the page of results: the paper's table, filled, for every reading of the rules.

    Args:
        path: the page, Markdown.
        games: how many games are simulated for each policy, at least 2.
        seed: of the deals.
        progress: called with how many readings of the rules are done, and how many there are.

    Raises:
        CardgymError: where the page cannot be written.
    """
    parts = [_HEAD.format(games=games, seed=seed, chart=CHART)]
    readings = [(decisions, ranking) for decisions in (3, 4) for ranking in ("flush_first", "pair_first")]
    shown: list[list[tuple[Fraction, Fraction]]] = []
    for done, (decisions, ranking) in enumerate(readings):
        if progress is not None:
            progress(done, len(readings))
        options = GAME.parse_options({"decisions": decisions, "ranking": ranking})
        rows = paper_rows(options, games, seed)
        default = " (the defaults)" if done == 0 else ""
        parts.append(f"## decisions={decisions}, ranking={ranking}{default}\n")
        exact = [(row.exact, row.discounted) for row in rows]
        if exact in shown:
            parts.append("All exact values are those of the other ranking.\n")
        else:
            parts.append(_section(options, rows, games))
        shown.append(exact)
    with replacing(path) as temporary:
        temporary.write_text(wrapped("\n".join(parts).rstrip()) + "\n", encoding="utf-8")


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
        mean, half = mean_interval(row.rewards)
        exact = [f"{fraction_text(value)} = {float(value):.4f}" for value in (row.exact, row.discounted)]
        cells.append([row.name, f"{mean:.3f} ± {half:.3f}", *exact])
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
        f"The two optimal policies differ in {sum(difference.by_cards_out)} states, of {len(kinds)} "
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
    parser = Parser(prog="cardgym reproduce one-play-poker", description=__doc__)
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="seed of the deals (0)")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="FOLDER", help=f"where to write ({FOLDER})")
    parser.add_argument(
        "--games",
        type=whole(2, 1_000_000),
        default=GAMES,
        metavar="N",
        help=f"games simulated for each policy ({GAMES:,}, as in the paper)",
    )
    arguments = parser.parse_args(words)
    with Progress("reproducing one-play-poker", "readings of the rules") as progress:
        write_results(arguments.out / PAGE, arguments.games, arguments.seed, progress)
        print(arguments.out / PAGE)
        draw_chart(arguments.out / CHART, GAME.parse_options())
        print(arguments.out / CHART)
    return 0
