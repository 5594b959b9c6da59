"""A league: policy-space response oracles over the training scripts, for any game of cardgym with opponents.

Usage:
    python train/league.py --config corellian_spike/league [--seed 2] [--out FOLDER] [--resume] [--workers 2] ...

`--help` lists every hyper-parameter; docs/algorithms/league.md explains the method and has results. Its source:
Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement learning", NeurIPS 2017. The equilibrium
is that of `cardgym tournament`, and a responder is a run of an unchanged training script.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from cardgym.console.progress import Progress
from cardgym.console.tables import print_results
from cardgym.experiments.league import HEAD, TITLE, LeagueConfig, Population, rows, write
from cardgym.learn.resume import STATE_FILE, load_resume_state, save_state
from cardgym.learn.run import TrainingResult, run_script
from cardgym.scaling import make


def train(config: LeagueConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from its saved state."""
    folder = folder.resolve()
    state_file = folder / STATE_FILE
    if resume and state_file.exists():
        load_resume_state(state_file, config.lasting())

    with (
        make(config.engine, config.workers or None, config.address or None) as engine,
        Progress("league", "generations", total=config.generations, lines=True) as progress,
    ):
        population = Population(config, folder, engine)
        # All further state is in the files that trainings and matches write; finished work is not repeated.
        save_state(state_file, {"config": config.lasting().model_dump_json()})
        while True:
            # Play: every player against every other, and the equilibrium of their payoffs.
            standings = population.play()
            if standings is not None:
                standings = dataclasses.replace(standings, names=tuple(population.players))
            generation = population.close_generation(standings)

            # Measure: exactly if the tree can be enumerated, and by the best known responder.
            if standings is not None:
                population.measure(standings)
            write(config, population.generations, standings, folder)
            progress(generation.number)
            progress.note(_summary(population))

            # Train: best responses to the equilibrium, unless the last ones gained nothing.
            before = population.generations[-2:-1]
            if before and config.tolerance > 0 and before[0].gain_ci95[1] < config.tolerance:
                break
            if generation.number >= config.generations:
                break
            population.train()

    print_results(TITLE.format(env=config.env_id), HEAD, rows(population.generations), "")
    return TrainingResult(f"{generation.number} generations", {}, ("Mixture", generation.mixture))


def _summary(population: Population) -> str:
    """The latest generation in a few words."""
    last, before = population.generations[-1], population.generations[-2:-1]
    exact = "" if last.exploitability is None else f", exploitability {last.exploitability:.4f}"
    gain = "".join(f", {one.gain:+.3f} won from generation {one.number}" for one in before)
    return f"{len(last.weights)} of {last.players} players in the equilibrium{exact}{gain}"


def main(words: list[str]) -> int:
    """Run from the command line. Returns the exit code."""
    return run_script("league.py", LeagueConfig, train, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
