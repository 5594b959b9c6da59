"""Equilibria of games with several seats: solvers by name, and their strategies as players."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError, unknown
from cardgym.players.tables import StrategyPlayer, save_strategy
from cardgym.solvers.cfr import CFR, VARIANTS
from cardgym.solvers.mccfr import MCCFR
from cardgym.solvers.strategies import pairs_of
from cardgym.solvers.tree import GameTree, enumerate_tree

SAMPLED = "mccfr"
METHODS = (*VARIANTS, SAMPLED)
"""The solvers by name. All except `mccfr` walk the whole tree."""
_SLICE_SECONDS = 0.5
_SAVE_SECONDS = 60.0


class EquilibriumSolver:
    """CFR over a game's tree, or by sampling."""

    def __init__(
        self,
        game: Game,
        options: Options,
        by: str,
        observation_name: str | None = None,
        *,
        seed: int = 0,
    ) -> None:
        """Start with the uniform strategy.

        Args:
            by: one of `METHODS`.
            observation_name: the key of the strategy's file, and for `mccfr` all that a seat is assumed to know.

        Raises:
            CardgymError: for an unknown method or observation, a game of one seat, or a tree that cannot be enumerated.
        """
        if by not in METHODS:
            raise unknown("method", by, METHODS)
        if options.num_players == 1:
            raise CardgymError(f"{game.id} has one seat: it has an optimum, not an equilibrium; leave out --by")
        self.game, self.options = game, options
        self.observation_name = observation_name or game.default_observation
        self.config = {"by": by, "observation": self.observation_name, "seed": seed}
        game.observation(self.observation_name)
        self.solver: CFR | MCCFR
        if by == SAMPLED:
            self.solver = MCCFR(game, options, self.observation_name, seed=seed)
            return
        try:
            self.solver = CFR(enumerate_tree(game, options), by)
        except CardgymError as error:
            raise CardgymError(f"{error}; {SAMPLED} samples it instead") from None

    @property
    def num_info_sets(self) -> int:
        """The number of information sets; with `mccfr`, of those encountered so far."""
        return self.solver.num_info_sets if isinstance(self.solver, MCCFR) else self.solver.tree.num_info_sets

    def player(self, name: str = "equilibrium") -> StrategyPlayer:
        """Return the average strategy as a player."""
        if isinstance(self.solver, MCCFR):
            return self.solver.player(name)
        assert isinstance(self.solver.tree, GameTree)
        pairs = pairs_of(self.solver.tree, self.solver.average, self.observation_name)
        return StrategyPlayer(name, self.observation_name, pairs)

    def run(self, iterations: int) -> Iterator[int]:
        """Run until a total of `iterations` are done; yields the number done about every half second."""
        size = 1
        while (left := iterations - self.solver.iterations) > 0:
            start = time.monotonic()
            self.solver.run(min(size, left))
            if time.monotonic() - start < _SLICE_SECONDS:
                size *= 2
            yield self.solver.iterations

    def save(self, path: Path) -> None:
        """Write the strategy."""
        config = {**self.config, "iterations": self.solver.iterations}
        save_strategy(path, self.player().pairs, self.game, self.options, self.observation_name, config)

    def solve(
        self,
        iterations: int,
        *,
        path: Path | None = None,
        measure: Callable[[StrategyPlayer], float | None] = lambda player: None,
        progress: Callable[[int], Any] = lambda done: None,
    ) -> dict[str, Any]:
        """Iterate, with regular saves and measurements.

        Args:
            path: the strategy's file, written every minute and at the end.
            measure: returns the exploitability of a player, or None if it is unknown; called at powers of ten and the
                end.

        Returns:
            `iterations`, `info_sets`, `seconds` of processor time spent iterating, and `exploitability`: a list of
            iterations and figures, empty if it is unknown.
        """
        figures: list[dict[str, float]] = []
        known = True
        seconds, saved = 0.0, time.monotonic()
        for goal in sorted({10**power for power in range(2, 16) if 10**power < iterations} | {iterations}):
            start = time.process_time()
            for now in self.run(goal):
                progress(now)
                seconds += time.process_time() - start
                if path is not None and time.monotonic() - saved > _SAVE_SECONDS:
                    self.save(path)
                    saved = time.monotonic()
                start = time.process_time()
            figure = measure(self.player()) if known else None
            known = figure is not None
            if figure is not None:
                figures.append({"iterations": goal, "exploitability": figure})
        if path is not None:
            self.save(path)
        return {
            "iterations": self.solver.iterations,
            "info_sets": self.num_info_sets,
            "seconds": seconds,
            "exploitability": figures,
        }
