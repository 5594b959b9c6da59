"""The population of a league: who is in it, what they win from each other, their equilibrium, and its responders."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cardgym.arena.tournament import Standings, tournament
from cardgym.arena.tournament.entrants import in_folder
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.experiments.exploit.exact import tree_exploitability
from cardgym.experiments.launch import LOG, run_program
from cardgym.experiments.league.config import LeagueConfig
from cardgym.experiments.sweep.plan import Run, Trainer
from cardgym.players.base import resolve
from cardgym.players.mixture_file import SUFFIX, save_mixture
from cardgym.scaling import Engine, Task
from cardgym.statistics import Interval

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Generation:
    """What is known of a generation.

    Attributes:
        number: 0 for the players that were there before the first training.
        players: how many players it has.
        weights: the equilibrium: the probability of each player that it has a part for, by name.
        mixture: the file of the equilibrium.
        exploitability: the exact exploitability of the equilibrium; None where the game's tree cannot be walked.
        best: who wins most from the equilibrium, of all players known; the name is empty where nobody does.
        gain: what that player wins from it a game, on deals of its own.
        gain_ci95: the 95 % interval of that.
    """

    number: int
    players: int
    weights: Mapping[str, float]
    mixture: Path
    exploitability: float | None
    best: str = ""
    gain: float = 0.0
    gain_ci95: Interval = (0.0, 0.0)


@dataclass
class Population:
    """The players of a league in its folder. What it does is decided by the config alone, so it can be done again.

    Attributes:
        config: the league's.
        folder: its folder, absolute.
        engine: where games and trainings run.
        players: the players by name, as `resolve` takes them, in the order in which they joined.
        generations: the generations so far.
    """

    config: LeagueConfig
    folder: Path
    engine: Engine
    players: dict[str, str] = field(default_factory=dict)
    generations: list[Generation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.game = find(self.config.env_id)
        self.options = self.game.parse_options(self.config.env_options)
        if self.options.num_players < 2:
            raise CardgymError(f"{self.game.id} has 1 seat: a league needs opponents; train/dqn.py learns it alone")
        for name in self.config.players:
            resolve(name, self.game, self.options)  # A wrong name fails now, not after minutes of training.
            path = Path(name)
            self.players[name] = str(path.resolve()) if path.is_file() else name
        self._trainer = Trainer(Path(self.config.trainer_config), self.config.trainer)
        self._run(0, 0)  # So does a wrong key.

    def play(self, progress: Progress | None = None) -> Standings | None:
        """Play all matches that were not played yet; None where there is one player only."""
        if len(self.players) == 1:
            return None
        return self._tournament(list(self.players.values()), self.config.seed, progress)

    def close_generation(self, standings: Standings | None) -> Generation:
        """The equilibrium of the players so far as a new generation, with a file that can be played."""
        names = list(self.players)
        weights = [1.0] if standings is None else standings.nash.tolist()
        parts = {name: weight for name, weight in zip(names, weights, strict=True) if weight > 0.0}
        number = len(self.generations)
        path = self.folder / "mixtures" / f"generation_{number:02}{SUFFIX}"
        save_mixture(path, {self.players[name]: weight for name, weight in parts.items()}, self.game, self.options)
        exact = tree_exploitability(self.game, self.options, resolve(path, self.game, self.options))
        generation = Generation(number, len(names), parts, path, None if exact is None else exact[0])
        self.generations.append(generation)
        return generation

    def train(self) -> None:
        """Train the next generation's responders to the last equilibrium; those that have ended are not trained again.

        Raises:
            CardgymError: where a training fails; it names the log.
        """
        last = self.generations[-1]
        opponents = [f"{self.players[name]}={weight!r}" for name, weight in last.weights.items()]
        folders = [self._responder(last.number + 1, i) for i in range(self.config.responders)]
        tasks = []
        for i, folder in enumerate(folders):
            if not (folder / "results.json").exists():
                run = self._run(last.number + 1, i)
                words = self._trainer.command(
                    dataclasses.replace(run, words=(*run.words, "--opponents", *opponents)), self._trainer.path, folder
                )
                tasks.append(Task(str(folder), run_program, (words, str(folder))))
        for outcome in self.engine.run(tasks):
            if outcome.error is not None or outcome.value != 0:
                why = outcome.error or f"the training ended with exit code {outcome.value}"
                raise CardgymError(f"generation {last.number + 1}: {why}; see {Path(outcome.key) / LOG}")
        for folder in folders:
            found, left_out = in_folder(folder, self.game, self.options)
            if len(found) != 1:
                why = left_out[-1] if left_out else f"{len(found)} players"
                raise CardgymError(f"{folder}: no player came out of the training: {why}")
            self.players[folder.relative_to(self.folder).as_posix()] = str(found[0].spec)

    def measure(self, standings: Standings) -> None:
        """Find out for each generation who of all players wins most from its equilibrium, on deals of their own."""
        names = list(self.players)
        for place, generation in enumerate(self.generations):
            weights = [generation.weights.get(name, 0.0) for name in names]
            gains = standings.payoffs @ weights
            best = int(gains.argmax())
            if gains[best] <= 1e-9:
                continue
            fresh = self._tournament([self.players[names[best]], str(generation.mixture)], self.config.seed + 1, None)
            low, high = fresh.payoffs_ci95[0, 1].tolist()
            self.generations[place] = dataclasses.replace(
                generation, best=names[best], gain=float(fresh.payoffs[0, 1]), gain_ci95=(low, high)
            )

    def _tournament(self, players: list[str], seed: int, progress: Progress | None) -> Standings:
        return tournament(
            self.config.env_id,
            self.options,
            players,
            games=self.config.games,
            seed=seed,
            engine=self.engine,
            folder=self.folder / "games",
            resume=True,
            progress=progress,
        )

    def _responder(self, generation: int, number: int) -> Path:
        return self.folder / f"generation_{generation:02}" / f"responder_{number + 1}"

    def _run(self, generation: int, number: int) -> Run:
        """The training of a responder, with a seed of its own, without its opponents."""
        options = {name: str(value) for name, value in self.config.trainer_options.items()}
        if self.config.env_options:
            options["env_options"] = " ".join(f"{name}={value}" for name, value in self.config.env_options.items())
        seed = (self.config.seed * 1_000_003 + generation * self.config.responders + number) % 2**31
        return self._trainer.runs({"env_id": self.config.env_id, **options}, [seed])[0]
