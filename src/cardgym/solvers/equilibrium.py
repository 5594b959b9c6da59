"""Equilibria of games with several seats: solvers by name, their strategies as players, resumable runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError, unknown
from cardgym.files.documents import Count, Document, at_most
from cardgym.files.tensors import STATE_SUFFIX, SUFFIX, Layout, read_tensors, write_tensors
from cardgym.players.strategy_table import StrategyPlayer, save_strategy
from cardgym.solvers.cfr import CFR, VARIANTS
from cardgym.solvers.mccfr import MCCFR
from cardgym.solvers.strategies import pairs_of
from cardgym.solvers.tree import GameTree, enumerate_tree

SAMPLED = "mccfr"
METHODS = (*VARIANTS, SAMPLED)
"""The solvers by name. All but `mccfr` walk the whole tree."""
_FORMAT = "cardgym-solver-state-1"
_SLICE_SECONDS = 0.5


@dataclass(frozen=True)
class Method:
    """How a game is solved.

    Attributes:
        by: one of `METHODS`.
        observation: the key of the strategy's file, and for `mccfr` all that a seat is assumed to know.
        seed: the seed of `mccfr`.
        by_deal: `mccfr` walks deal by deal.
        prune: how far below zero an action's regret must be for most walks of `mccfr` to skip it; 0 for never.
        branch: the share of a seat's decisions at which `mccfr` tries all actions.
    """

    by: str
    observation: str
    seed: int = 0
    by_deal: bool = False
    prune: float = 0.0
    branch: float = 1.0


class _State(Document):
    """The document of a state to resume from."""

    format: Literal["cardgym-solver-state-1"]
    """`_FORMAT`."""
    made_for: Annotated[dict[str, Any], at_most(64)]
    """The game, its options and the method."""
    iterations: Count


class EquilibriumSolver:
    """CFR over a game's tree, or by sampling.

    Attributes:
        solver: the solver that iterates.
    """

    def __init__(self, game: Game, options: Options, method: Method) -> None:
        """Start with the uniform strategy.

        Raises:
            CardgymError: for an unknown method or observation, a game of one seat, or a tree that cannot be enumerated.
        """
        if method.by not in METHODS:
            raise unknown("solver", method.by, METHODS)
        if options.num_players == 1:
            raise CardgymError(f"{game.id} has one seat: it has an optimum, not an equilibrium; leave out --by")
        self.game, self.options, self.method = game, options, method
        self.solver: CFR | MCCFR
        game.observation(method.observation)
        if method.by == SAMPLED:
            self.solver = MCCFR(
                game, options, method.observation,
                seed=method.seed, by_deal=method.by_deal, prune=method.prune, branch=method.branch,
            )  # fmt: skip
            return
        if method.by_deal or method.prune or method.branch < 1:
            raise CardgymError(
                f"{method.by} walks the whole tree as it is; only {SAMPLED} takes --by-deal, --prune and --branch"
            )
        try:
            self.solver = CFR(enumerate_tree(game, options), method.by)
        except CardgymError as error:
            raise CardgymError(f"{error}; {SAMPLED} samples it instead") from None

    @property
    def num_info_sets(self) -> int:
        """The number of information sets; with `mccfr`, of those met so far."""
        return self.solver.num_info_sets if isinstance(self.solver, MCCFR) else self.solver.tree.num_info_sets

    def player(self, name: str = "equilibrium") -> StrategyPlayer:
        """The average strategy as a player."""
        if isinstance(self.solver, MCCFR):
            return self.solver.player(name)
        assert isinstance(self.solver.tree, GameTree)
        pairs = pairs_of(self.solver.tree, self.solver.average, self.method.observation)
        return StrategyPlayer(name, self.method.observation, pairs)

    def run(self, iterations: int) -> Iterator[int]:
        """Run until `iterations` are done in all; yields the number done about every half second."""
        size = 1
        while (left := iterations - self.solver.iterations) > 0:
            start = time.monotonic()
            self.solver.run(min(size, left))
            if time.monotonic() - start < _SLICE_SECONDS:
                size *= 2
            yield self.solver.iterations

    def save(self, path: Path) -> None:
        """Write the strategy, and next to it the state to resume from, each atomically.

        Raises:
            CardgymError: if a file cannot be written.
        """
        player = self.player()
        config = {**asdict(self.method), "iterations": self.solver.iterations}
        save_strategy(path, player.pairs, self.game, self.options, self.method.observation, config)
        state = {"format": _FORMAT, "made_for": self._made_for(), "iterations": self.solver.iterations}
        write_tensors(state_path(path), state, self.solver.state_arrays())

    def load(self, path: Path) -> None:
        """Resume from the state next to a strategy's file.

        Raises:
            CardgymError: if there is none, or it belongs to another game or method.
        """
        what = f"state {state_path(path)}"

        def layout(state: _State) -> Layout:
            if state.made_for != self._made_for():
                raise CardgymError(
                    f"{what}: of another game or method; resume it with the same arguments, or name another file"
                )
            return self.solver.state_layout

        state, arrays = read_tensors(state_path(path), what, _State, layout)
        self.solver.restore(arrays, state.iterations, what)

    def _made_for(self) -> dict[str, Any]:
        return {"env": self.game.id, "options": self.options.asdict(), **asdict(self.method)}


def state_path(path: Path) -> Path:
    """The file next to a strategy's that the run resumes from."""
    return path.with_name(f"{path.name.removesuffix(SUFFIX)}.{STATE_SUFFIX}")


def solve_equilibrium(
    solver: EquilibriumSolver,
    iterations: int,
    *,
    path: Path | None = None,
    measure: Callable[[StrategyPlayer], float | None] | None = None,
    progress: Callable[[int], Any] = lambda done: None,
    save_seconds: float = 60.0,
) -> dict[str, Any]:
    """Iterate, with regular saves and measurements.

    Args:
        solver: the solver, which may have iterated before.
        iterations: the total, earlier ones included.
        path: the strategy's file, written every `save_seconds` and at the end.
        measure: returns the exploitability of a player, or None if it is unknown; called at powers of ten and the end.
        progress: called with the number of iterations done.
        save_seconds: the time between saves.

    Returns:
        `iterations`, `info_sets`, `seconds` of processor time spent iterating, and `exploitability`: a list of
        iterations and figures, empty if it is unknown.
    """
    figures: list[dict[str, float]] = []
    done = solver.solver.iterations
    goals = sorted({10**power for power in range(2, 16) if done < 10**power < iterations} | {iterations})
    seconds, saved = 0.0, time.monotonic()
    for goal in goals:
        start = time.process_time()
        for now in solver.run(goal):
            progress(now)
            seconds += time.process_time() - start
            if path is not None and time.monotonic() - saved > save_seconds:
                solver.save(path)
                saved = time.monotonic()
            start = time.process_time()
        if measure is not None:
            figure = measure(solver.player())
            if figure is None:
                measure = None
            else:
                figures.append({"iterations": solver.solver.iterations, "exploitability": figure})
    if path is not None:
        solver.save(path)
    return {
        "iterations": solver.solver.iterations,
        "info_sets": solver.num_info_sets,
        "seconds": seconds,
        "exploitability": figures,
    }
