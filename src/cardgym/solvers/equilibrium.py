"""Equilibria of games of several seats: solvers by name, their strategies as players, runs that can be resumed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError, unknown
from cardgym.files.documents import Count, Document, at_most
from cardgym.files.tensors import SUFFIX, Layout, read_tensors, write_tensors
from cardgym.players.strategy_table import StrategyPlayer, save_strategy
from cardgym.solvers.cfr import CFR, VARIANTS
from cardgym.solvers.mccfr import MCCFR
from cardgym.solvers.strategies import pairs_of
from cardgym.solvers.tree import enumerate_tree

SAMPLED = "mccfr"
METHODS = (*VARIANTS, SAMPLED)
"""The solvers by name: over the whole tree, or by sampling."""
_STATE_SUFFIX = f".resume{SUFFIX}"
_FORMAT = "cardgym-solver-state-1"
_SLICE_SECONDS = 0.5


@dataclass(frozen=True)
class Method:
    """How a game is solved.

    Attributes:
        by: one of `METHODS`.
        observation: what the strategy's file is keyed by, and for `mccfr` all that a seat is taken to know.
        seed: of what is sampled.
        by_deal: `mccfr` walks deal by deal.
        zero_sum: `mccfr` subtracts from what each seat is paid the mean of all seats.
        prune: how far an action's regret is below zero where most walks of `mccfr` leave it out; 0 for never.
        branch: at which share of a seat's decisions `mccfr` tries all actions; 1 for all.
    """

    by: str
    observation: str
    seed: int = 0
    by_deal: bool = False
    prune: float = 0.0
    zero_sum: bool = False
    branch: float = 1.0


class _State(Document):
    """The document of a state to resume from."""

    format: Literal["cardgym-solver-state-1"]
    """`_FORMAT`."""
    made_for: Annotated[dict[str, Any], at_most(64)]
    """The game, its options and the method."""
    iterations: Count


class EquilibriumSolver:
    """CFR over a game's tree, or by sampling, behind one face.

    Attributes:
        solver: what iterates.
    """

    def __init__(self, game: Game, options: Options, method: Method) -> None:
        """Start with the uniform strategy.

        Raises:
            CardgymError: for an unknown method or observation, a game of one seat, and for a tree that cannot be
                enumerated or is looked at through an observation that tells its information sets apart no longer.
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
                seed=method.seed, by_deal=method.by_deal, prune=method.prune, zero_sum=method.zero_sum,
                branch=method.branch,
            )  # fmt: skip
            return
        if method.by_deal or method.prune or method.zero_sum or method.branch < 1:
            raise CardgymError(
                f"{method.by} walks the whole tree as it is; only {SAMPLED} takes --by-deal, --prune, --zero-sum and "
                "--branch"
            )
        try:
            self.solver = CFR(enumerate_tree(game, options), method.by)
        except CardgymError as error:
            raise CardgymError(f"{error}; {SAMPLED} samples it instead") from None
        self.player()  # An observation that hides what the tree tells apart fails now.

    @property
    def num_info_sets(self) -> int:
        """How many information sets there are; those met so far where they are sampled."""
        return self.solver.num_info_sets if isinstance(self.solver, MCCFR) else self.solver.tree.num_info_sets

    def player(self, name: str = "equilibrium") -> StrategyPlayer:
        """The average strategy as a player."""
        if isinstance(self.solver, MCCFR):
            return self.solver.player(name)
        pairs = pairs_of(self.solver.tree, self.solver.average, self.method.observation)
        return StrategyPlayer(name, self.method.observation, pairs)

    def run(self, iterations: int) -> Iterator[int]:
        """Run up to so many iterations in all, in slices of about half a second; yields how many are done."""
        size = 1
        while (left := iterations - self.solver.iterations) > 0:
            start = time.monotonic()
            self.solver.run(min(size, left))
            if time.monotonic() - start < _SLICE_SECONDS:
                size *= 2
            yield self.solver.iterations

    def save(self, path: Path) -> None:
        """Write the strategy, and beside it the state to go on from, each whole or not at all.

        Raises:
            CardgymError: where a file cannot be written.
        """
        player = self.player()
        config = {**asdict(self.method), "iterations": self.solver.iterations}
        save_strategy(path, player.pairs, self.game, self.options, self.method.observation, config)
        state = {"format": _FORMAT, "made_for": self._made_for(), "iterations": self.solver.iterations}
        write_tensors(state_path(path), state, self.solver.state_arrays())

    def load(self, path: Path) -> None:
        """Go on from the state beside a strategy's file.

        Raises:
            CardgymError: where there is none, or it is that of another game, or was solved otherwise.
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
        return {"env": self.game.id, "settings": self.options.asdict(), **asdict(self.method)}


def state_path(path: Path) -> Path:
    """The file next to a strategy's that the run resumes from."""
    return path.with_name(path.name.removesuffix(SUFFIX) + _STATE_SUFFIX)


def solve_equilibrium(
    solver: EquilibriumSolver,
    iterations: int,
    *,
    path: Path | None = None,
    measure: Callable[[StrategyPlayer], float | None] | None = None,
    progress: Callable[[int], Any] = lambda done: None,
    save_seconds: float = 60.0,
) -> dict[str, Any]:
    """Iterate, save now and then, and measure on the way.

    Args:
        solver: what iterates; it may have begun already.
        iterations: how many in all.
        path: where the strategy goes; every `save_seconds`, and at the end.
        measure: the exploitability of a player, None where it cannot be told; asked at powers of ten and at the end.
        progress: told how many iterations are done.
        save_seconds: seconds from one save to the next.

    Returns:
        `iterations`, `info_sets`, `seconds` of processor time spent iterating, and `exploitability`: a list of
        iterations and figures, empty where it cannot be told.
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
