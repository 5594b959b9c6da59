"""A league: policy-space response oracles over the training scripts, for any game of cardgym with opponents.

Usage:
    python train/league.py --config corellian_spike/league [--seed 2] [--out FOLDER] [--resume] [--workers 2] ...

`--help` lists every hyper-parameter; docs/algorithms/more.md explains the method and has results. Its source:
Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement learning", NeurIPS 2017. The equilibrium
is that of `cardgym tournament`, and a responder is a run of an unchanged training script.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cardgym.console.progress import Progress
from cardgym.learn import tags
from cardgym.learn.evaluation import write_results
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import Stopwatch
from cardgym.learn.tensorboard import TensorBoard
from league_population import LeagueConfig, Population


def train(config: LeagueConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from its saved state."""
    here = config.engine == "none"
    each = not here or config.tolerance > 0  # Otherwise matches and pictures would take longer than the trainings.
    with (
        Progress("league", "generations", total=config.generations, lines=True) as progress,
        TensorBoard(folder) as board,
        Population.gathered(config, folder.resolve()) as population,
    ):
        population.begin(resume)
        watch = Stopwatch()
        while True:
            # Play: every player against every other, and the equilibrium of their payoffs.
            standings = population.play()

            # Measure: exactly if the tree can be enumerated, and by the best known responder.
            with watch.paused():
                generation = population.close_generation(standings)
                last = generation.number >= config.generations
                if standings is not None and (each or last):
                    population.measure(standings)
                if each or last:
                    population.write(standings)
                exact = {} if generation.exploitability is None else {tags.EXPLOITABILITY: generation.exploitability}
                board.scalars(generation.number * population.steps, exact)
                progress(generation.number)
                progress.note(_summary(population))

            # Train: best responses to the equilibrium, unless the last ones gained nothing.
            before = population.generations[-2:-1]
            if before and config.tolerance > 0 and before[0].gain_ci95[1] < config.tolerance:
                break
            if last:
                break
            population.train()
        # Time spent in the processes of another engine is not measured.
        seconds = {"cpu_seconds": watch.cpu_seconds} if here else {}
        write_results(folder, board, config.lasting().model_dump(), generation.number, {}, **seconds, **exact)

    population.show()
    return TrainingResult(f"{generation.number} generations", {}, ("Mixture", generation.mixture))


def _summary(population: Population) -> str:
    """The latest generation in a few words."""
    last, before = population.generations[-1], population.generations[-2:-1]
    exact = "" if last.exploitability is None else f", exploitability {last.exploitability:.4f}"
    gain = "".join(f", {answered.gain:+.3f} won from generation {answered.number}" for answered in before)
    return f"{len(last.weights)} of {last.players} players in the equilibrium{exact}{gain}"


def main(words: list[str]) -> int:
    """Run from the command line. Returns the exit code."""
    return run_script("league.py", LeagueConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
