"""A solver as a training script of the benchmark: its steps are the decisions that it visits.

CFR over the tree visits every decision node once for each seat in an iteration; histories that no seat can tell apart
are one node. MCCFR counts the decisions of its sampled walks. Exploitability is measured at steps that
double, from the uniform strategy at step 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from cardgym.errors import CardgymError
from cardgym.learn.config import GameConfig, Steps
from cardgym.learn.run import TrainingResult
from cardgym.learn.training import Training
from cardgym.solvers.best_response import nash_conv
from cardgym.solvers.cfr import CFR
from cardgym.solvers.equilibrium import EquilibriumSolver
from cardgym.solvers.exact import small_tree
from cardgym.solvers.mccfr import MCCFR
from cardgym.solvers.strategies import known_strategy

_DOUBLINGS = 14
"""How many goals there are: the whole, its half, its quarter and so on."""


class SolverConfig(GameConfig):
    """Counterfactual regret minimization, by decisions."""

    resumable: ClassVar[bool] = False

    algorithm: Literal["cfr", "cfr+", "dcfr", "mccfr"] = "cfr+"
    """The solver."""
    total_steps: Steps = 10_000_000
    """The decisions that it visits; at least one iteration is run."""

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name."""
        return self.algorithm


class SolverTraining(Training):
    """The run of a solver."""

    def __init__(self, config: SolverConfig, folder: Path) -> None:
        """Walk the game's tree.

        Raises:
            CardgymError: for a game that is too large.
        """
        super().__init__(config, folder)
        tree = small_tree(self.game, self.options)
        if tree is None:
            raise CardgymError(f"{self.game.id} is too large to be solved exactly; choose a smaller game")
        self._tree, self._total = tree, config.total_steps
        self._equilibrium = EquilibriumSolver(
            self.game, self.options, config.algorithm, config.observation, seed=config.seed
        )
        self._solver = self._equilibrium.solver
        self._per_iteration = int(np.count_nonzero(tree.arrays.seats >= 0)) * self.options.num_players

    @property
    def decisions(self) -> int:
        """The decisions met so far."""
        if isinstance(self._solver, MCCFR):
            return self._solver.decisions
        return self._solver.iterations * self._per_iteration

    def solve(self) -> TrainingResult:
        """Run to the end, with evaluations on the way."""
        self.begin(
            lambda: self.decisions, self._equilibrium.player, self._equilibrium.save, {},
            checkpoint="strategy.safetensors", log_every=0,
        )  # fmt: skip
        self.evaluate()
        for power in reversed(range(_DOUBLINGS)):
            self._run_to(self._total >> power)
        self.save()
        return self.finish()

    def _run_to(self, goal: int) -> None:
        """Iterate as long as no more than `goal` decisions are met, and evaluate if something was done."""
        start, solver = self.decisions, self._solver
        while goal > self.decisions:
            each = self.decisions / solver.iterations if solver.iterations else goal
            if isinstance(solver, CFR):
                each = self._per_iteration
            if (count := int((goal - self.decisions) / each)) < 1:
                break
            solver.run(count)
        if self.decisions > start:
            self.progress(min(self.decisions, self._total))
            self.evaluate()

    def _exploitability(self) -> float | None:
        tree, solver = self._tree, self._solver
        strategy = solver.average if isinstance(solver, CFR) else known_strategy(tree, solver.player())
        return None if strategy is None else nash_conv(tree, strategy) / self.options.num_players


def train(config: SolverConfig, folder: Path, restart: bool) -> TrainingResult:
    """Solve in this folder, always from the start."""
    with SolverTraining(config, folder) as training:
        return training.solve()
