"""The plan of a benchmark: its games, its algorithms, and the command line of every run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from cardgym.arena import evaluate
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError, unknown
from cardgym.experiments.launch import Run, flags_of, training_command
from cardgym.experiments.trainers import TRAINERS
from cardgym.files.documents import Document, Items, Name, at_most, validate
from cardgym.files.json_values import digest_of, read_bytes
from cardgym.files.shipped import CONFIGS, root
from cardgym.learn.config import TrainingConfig
from cardgym.learn.config_files import read_toml
from cardgym.learn.played import played
from cardgym.statistics import Z95

FILE = "benchmark.toml"
"""The file of `configs/` with the suites and the algorithms."""
SOLVER, LEAGUE = "cfr", "league"
"""The names of the solvers, and of the training whose generations share the decisions."""
EVALUATIONS = 10
"""Evaluations along a training."""
_GAMES = 4000
"""Games of random play by which rewards are scaled."""


class Algorithm(Document):
    """An algorithm: a script and its hyper-parameters.

    Attributes:
        script: a training script of cardgym, `cfr` for a solver, `league`, or the path of a script of one's own.
        decisions_factor: how many decisions it visits for each one of the benchmark's; more than 1 for solvers.
        deterministic: whether all seeds give the same, so that it runs once.
        trials: how many configurations were tried on the suite before this one; 0 for one that was not tuned.
    """

    model_config = ConfigDict(extra="allow")

    script: Name
    decisions_factor: Annotated[int, Field(ge=1, le=10_000)] = 1
    deterministic: bool = False
    trials: Annotated[int, Field(ge=0)] = 0

    @property
    def values(self) -> dict[str, Any]:
        """The hyper-parameters by key: all further keys of its table, the same for every game."""
        return dict(self.model_extra or {})


class Library(Document):
    """A file of suites and algorithms, by name.

    Attributes:
        suites: the ids of the games of each suite, installed or not.
        algorithms: the algorithms.
    """

    suites: Annotated[dict[Name, Items[Name]], at_most(100)] = Field({})
    algorithms: Annotated[dict[Name, Algorithm], at_most(100)] = Field({})

    @classmethod
    def read(cls, path: Path | None = None) -> Library:
        """Read the file that comes with cardgym, and add what another one has.

        Raises:
            CardgymError: for a file that cannot be read.
        """
        library = cls._of(root() / CONFIGS / FILE)
        if path is None:
            return library
        more = cls._of(path)
        return cls(suites=library.suites | more.suites, algorithms=library.algorithms | more.algorithms)

    @classmethod
    def _of(cls, path: Path) -> Library:
        what = f"benchmark {path}"
        library = validate(cls, read_toml(path, what), what)
        for name, algorithm in library.algorithms.items():
            if algorithm.script.endswith(".py"):
                script = str((path.parent / algorithm.script).resolve())
                library.algorithms[name] = algorithm.model_copy(update={"script": script})
            elif algorithm.script not in (*TRAINERS, SOLVER, LEAGUE):
                raise unknown("training script", algorithm.script, [*TRAINERS, SOLVER, LEAGUE])
        return library


class Benchmark:
    """Algorithms trained on games at equal decisions.

    Attributes:
        suite: the name of the suite.
        games: the factor of rewards by the id of each game: 1 over their standard deviation in random play, so that no
            algorithm has to be tuned to the size of a game's payments.
        algorithms: the algorithms by name.
        decisions: the decisions of a learner in a run.
    """

    def __init__(self, library: Library, suite: str, names: Sequence[str], decisions: int) -> None:
        """Choose the installed games of a suite, and algorithms by name; all of them if there are no names.

        Raises:
            CardgymError: for an unknown suite or algorithm, or a suite of which no game is installed.
        """
        if suite not in library.suites:
            raise unknown("suite", suite, library.suites)
        for name in names:
            if name not in library.algorithms:
                raise unknown("algorithm", name, library.algorithms)
        self.suite = suite
        self.games = {name: reward_scale(name) for name in library.suites[suite] if name in registered()}
        if not self.games:
            raise CardgymError(f"suite {suite}: none of its games is installed: {', '.join(library.suites[suite])}")
        self.algorithms = {name: library.algorithms[name] for name in names or library.algorithms}
        self.decisions = decisions

    @property
    def about(self) -> dict[str, Any]:
        """What identifies the benchmark; see `cardgym.experiments.sweep.Program`."""
        algorithms = {name: algorithm.model_dump(mode="json") for name, algorithm in self.algorithms.items()}
        return {"suite": self.suite, "games": self.games, "decisions": self.decisions, "algorithms": algorithms}

    def joined(self, earlier: dict[str, Any]) -> dict[str, Any] | None:
        """Let a benchmark resume with further algorithms; what both have must be the same."""
        about, known = self.about, earlier.get("algorithms", {})
        algorithms = known | about["algorithms"]
        same = {**about, "algorithms": {name: algorithms[name] for name in known}} == earlier
        return {**about, "algorithms": algorithms} if same else None

    def runs(self, seeds: Sequence[int]) -> list[Run]:
        """Every run: each algorithm on each game with each seed, the first seed of all first."""
        digests = {
            (game, name): _played(game, algorithm) for game in self.games for name, algorithm in self.algorithms.items()
        }
        return [
            Run(f"{game}/{name}/seed{seed}", (), {"game": game, "algorithm": name}, seed, digests[game, name])
            for place, seed in enumerate(seeds)
            for game in self.games
            for name, algorithm in self.algorithms.items()
            if not (algorithm.deterministic and place)
        ]

    def command(self, run: Run, folder: Path) -> list[str]:
        """Return what follows `python` to execute a run in its folder below this one."""
        game, algorithm = run.options["game"], self.algorithms[run.options["algorithm"]]
        steps, place = self.decisions * algorithm.decisions_factor, str(folder / run.name)
        values = {**algorithm.values, "env_id": game, "seed": run.seed}
        if algorithm.script == LEAGUE:
            generations = max(int(values["generations"]), 1)
            values["trainer_options"] = {
                **self._learner(game, values.get("trainer", "dqn"), dict(values.get("trainer_options", {}))),
                "total_steps": max(steps // generations, 1), "eval_every": 0, "final_games": 0,
            }  # fmt: skip
            return ["-m", "cardgym", "train", LEAGUE, *flags_of(values), "--out", place, "--resume"]
        values = self._learner(game, algorithm.script, values)
        values |= {"total_steps": steps, "eval_every": max(steps // EVALUATIONS, 1)}
        flags = flags_of(values | {"final_games": 0, "eval_opponents": []})
        if algorithm.script in TRAINERS:
            return training_command(algorithm.script, flags, place)
        if algorithm.script == SOLVER:
            return ["-m", "cardgym", "benchmark", SOLVER, *flags, "--out", place, "--restart"]
        return [algorithm.script, *flags, "--out", place, "--resume"]

    def _learner(self, game: str, script: str, values: dict[str, Any]) -> dict[str, Any]:
        """Return the values of a learner's keys, with what it observes and how its rewards are scaled."""
        fields = (TRAINERS[script]().config if script in TRAINERS else TrainingConfig).model_fields
        if "observation" in fields:
            values.setdefault("observation", find(game).default_observation)
        if "reward_scale" in fields:
            values.setdefault("reward_scale", self.games[game])
        return values


def _played(game_id: str, algorithm: Algorithm) -> str:
    """Return a digest of what an algorithm plays, and of its own script."""
    script = Path(algorithm.script)
    content = read_bytes(script, f"script {script}") if script.suffix == ".py" else b""
    return digest_of([played({**algorithm.values, "env_id": game_id}), digest_of(content)])


def reward_scale(game_id: str) -> float:
    """1 over the standard deviation of the first seat's return in random play, to one digit."""
    game = find(game_id)
    options = game.parse_options()
    report = evaluate(game, options, ["random"] * options.num_players, games=_GAMES, seed=0, seats="fixed").players[0]
    low, high = report.mean_return_ci95
    deviation = (high - low) / 2 / Z95 * math.sqrt(_GAMES)
    return float(f"{1 / deviation:.1g}") if deviation > 0 else 1.0
