"""A league: policy-space response oracles over the trainings, for any game of cardgym with opponents.

docs/algorithms/more.md explains the method and has results. Its source: Lanctot et al., "A unified game-theoretic
approach to multiagent reinforcement learning", NeurIPS 2017. The equilibrium is that of `cardgym tournament`, and a
responder is an unchanged training of `cardgym train`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeInt

from cardgym.arena.tournament import Standings, tournament
from cardgym.arena.tournament.pages import DPI, heat_map
from cardgym.arena.tournament.ranges import RangeStore
from cardgym.arena.tournament.runner import in_folder
from cardgym.console.plots import COLORS, new_figure, save_png
from cardgym.console.progress import Progress
from cardgym.console.tables import print_results, with_interval
from cardgym.engine.registry import find, importable_name
from cardgym.errors import CardgymError
from cardgym.experiments import launch
from cardgym.experiments.launch import LOG, RESULTS, Run, TrainingScript
from cardgym.files.json_values import write_json
from cardgym.learn import tags
from cardgym.learn.config import EnvOptions, Games, Items, TrainingConfig
from cardgym.learn.evaluation import write_results
from cardgym.learn.run import TrainingResult
from cardgym.learn.saved_state import STATE_FILE, has_state, load_parts, save_parts
from cardgym.learn.schedules import Stopwatch
from cardgym.learn.tensorboard import TensorBoard
from cardgym.players import resolve
from cardgym.players.mixture_file import SUFFIX, save_mixture
from cardgym.scaling import Engine, Task, in_process, make
from cardgym.solvers.exact import tree_exploitability
from cardgym.statistics import Interval, rough

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHERE = ("engine", "workers", "address", "generations")
"""Keys that may change when a league resumes: they do not affect its past generations."""


class LeagueConfig(TrainingConfig):
    """Policy-space response oracles: each generation responds to the equilibrium of all players so far."""

    env_options: EnvOptions = Field(default_factory=dict)
    """Options of the game."""
    players: Items[str] = ("random",)
    """The players before the first generation: names or paths."""
    trainer: str = "dqn"
    """The training script of a responder, as `cardgym train` names it."""
    trainer_config: str = ""
    """The config of that script: a file, or the name of one that comes with cardgym; its defaults if empty."""
    trainer_options: EnvOptions = Field(default_factory=dict)
    """Keys of that config to change, such as total_steps=50000."""
    generations: NonNegativeInt = 10
    """The number of generations to train."""
    games: Annotated[Games, Field(ge=2)] = 20_000
    """Games of each match between two players."""
    engine: Literal["local", "ray", "none"] = "local"
    """Where games and trainings run; none for one after another in this process, if they are short."""
    workers: NonNegativeInt = 0
    """How many of them run at once; 0 for one per core."""
    address: str = ""
    """The head of the Ray cluster."""

    algorithm_name: ClassVar[str] = "league"

    def lasting(self) -> LeagueConfig:
        """Return the config without the keys that may change when a league resumes."""
        defaults = type(self)()
        return self.replace(**{name: getattr(defaults, name) for name in WHERE})


# -- population ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Generation:
    """A generation: an equilibrium and how much it can be exploited.

    Attributes:
        number: 0 for the initial players.
        weights: the equilibrium: the positive probabilities of players, by name.
        mixture: the file of the equilibrium.
        exploitability: the exact exploitability of the equilibrium; None if the game's tree is too large.
        best: the player that wins most from the equilibrium; empty if none wins.
        gain: what that player wins from it per game, on fresh deals.
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
    """The players of a league in its folder, by name. The config alone decides what it does, so it can be repeated."""

    config: LeagueConfig
    folder: Path
    engine: Engine | None
    players: dict[str, str] = field(default_factory=dict)
    generations: list[Generation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.game = find(self.config.env_id)
        self.options = self.game.parse_options(self.config.env_options)
        if self.options.num_players < 2:
            raise CardgymError(f"{self.game.id} has 1 seat: a league needs opponents; train it with cardgym train dqn")
        for name in self.config.players:
            resolve(name, self.game, self.options)  # A wrong name fails now, not after minutes of training.
            path = Path(name)
            self.players[name] = str(path.resolve()) if path.is_file() else name
        if not self.config.trainer_config and not self.config.trainer_options:
            raise CardgymError(
                "a league needs the config of its responders' training: name one with --trainer-config, or its keys "
                "with --trainer-options"
            )
        file = Path(self.config.trainer_config)
        if not self.config.trainer_config:
            file = self.folder / "trainer.toml"  # Every key has its default.
            file.write_text(f'env_id = "{importable_name(self.game.id)}"\n', encoding="utf-8")
        self._script = TrainingScript(file, self.config.trainer)
        try:
            steps = self._run(0).options.get("total_steps", self._script.steps)  # A wrong key fails now, too.
        except CardgymError:
            if not self.config.trainer_config:
                file.unlink()
            raise
        self.steps = int(steps)

    @classmethod
    @contextmanager
    def gathered(cls, config: LeagueConfig, folder: Path) -> Iterator[Population]:
        """Gather a population on the engine of its config; it stops at the end of the block."""
        here = config.engine == "none"
        with nullcontext() if here else make(config.engine, config.workers or None, config.address or None) as engine:
            yield cls(config, folder, engine)

    def begin(self, resume: bool) -> None:
        """Note the config in the folder. All further state is in the files of trainings and matches."""
        file, config = self.folder / STATE_FILE, self.config.lasting()
        if resume and has_state(self.folder):
            load_parts(file, config, {})
        save_parts(file, config, {})

    def play(self) -> Standings | None:
        """Play all matches not played yet; None with a single player."""
        if len(self.players) == 1:
            return None
        standings = self._tournament(list(self.players.values()), self.config.seed)
        return dataclasses.replace(standings, names=tuple(self.players))

    def close_generation(self, standings: Standings | None) -> Generation:
        """Return the equilibrium of the players so far as a new generation, with a file that can be played."""
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
        """Train the next generation's responder to the last equilibrium, unless it has finished."""
        last = self.generations[-1]
        opponents = tuple(f"{self.players[name]}={weight!r}" for name, weight in last.weights.items())
        name = f"generation_{last.number + 1:02}"
        folder = self.folder / name
        if not (folder / RESULTS).exists():
            train = launch.train_here if self.engine is None else launch.train
            run = self._run(last.number + 1, opponents=opponents)
            tasks = [Task(str(folder), train, (self._script.script, run.flags, str(folder)))]
            (outcome,) = in_process(tasks) if self.engine is None else self.engine.run(tasks)
            if outcome.error is not None or outcome.value != 0:
                why = outcome.error or f"the training ended with exit code {outcome.value}"
                raise CardgymError(f"generation {last.number + 1}: {why}; see {folder / LOG}")
        found, left_out = in_folder(folder, self.game, self.options)
        if len(found) != 1:
            why = left_out[-1] if left_out else f"{len(found)} players"
            raise CardgymError(f"{folder}: the training made no player: {why}")
        self.players[name] = str(found[0].spec)

    def measure(self, standings: Standings) -> None:
        """Find the player that wins most from each generation's equilibrium, and measure it on fresh deals."""
        names = list(self.players)
        for place, generation in enumerate(self.generations):
            weights = [generation.weights.get(name, 0.0) for name in names]
            gains = standings.payoffs @ weights
            best = int(gains.argmax())
            if gains[best] <= 1e-9:
                continue
            fresh = self._tournament([self.players[names[best]], str(generation.mixture)], self.config.seed + 1)
            low, high = fresh.payoffs_ci95[0, 1].tolist()
            self.generations[place] = dataclasses.replace(
                generation, best=names[best], gain=float(fresh.payoffs[0, 1]), gain_ci95=(low, high)
            )

    def _tournament(self, players: list[str], seed: int) -> Standings:
        return tournament(
            self.config.env_id,
            self.options,
            players,
            games=self.config.games,
            seed=seed,
            engine=self.engine,
            store=RangeStore(self.folder / "games"),
        )

    def write(self, standings: Standings | None) -> None:
        """Write the league's files."""
        write_json(self.folder / "league.json", asdict(self.config, self.generations, self.folder))
        save_png(curve(self.config, self.generations), self.folder / "exploitability.png", DPI)
        if standings is not None:
            save_png(heat_map(standings), self.folder / "payoffs.png", DPI)

    def show(self) -> None:
        remark = rough(self.config.games // self.options.num_players)
        print_results(f"A league on {self.config.env_id}", HEAD, rows(self.generations), remark)

    def _run(self, generation: int, **changes: Any) -> Run:
        """Return the training of a generation's responder with its own seed; `changes` are values of its config."""
        options = {name: str(value) for name, value in self.config.trainer_options.items()}
        if self.config.env_options:
            options["env_options"] = " ".join(f"{name}={value}" for name, value in self.config.env_options.items())
        seed = (self.config.seed * 1_000_003 + generation) % 2**31
        return self._script.runs({"env_id": self.config.env_id, **options}, [seed], **changes)[0]


# -- the league -----------------------------------------------------------------------------------------------------


def train(config: LeagueConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train in this folder, from the start or from its saved state."""
    here = config.engine == "none"
    with (
        Progress("league", "generations", total=config.generations, lines=True) as progress,
        Population.gathered(config, folder.resolve()) as population,  # First: what it refuses leaves no file.
        TensorBoard(folder) as board,
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
                if last or not here:  # Here, matches and pictures would take longer than the trainings.
                    if standings is not None:
                        population.measure(standings)
                    population.write(standings)
                exact = {} if generation.exploitability is None else {tags.EXPLOITABILITY: generation.exploitability}
                board.scalars(generation.number * population.steps, exact)
                progress(generation.number)
                progress.note(_summary(population))

            # Train: a best response to the equilibrium.
            if last:
                break
            population.train()
        # Time spent in the processes of another engine is not measured.
        seconds = {"cpu_seconds": watch.cpu_seconds} if here else {}
        write_results(folder, board, config.lasting().model_dump(), generation.number, {}, **seconds, **exact)

    population.show()
    return TrainingResult(f"{generation.number} generations", {}, ("Mixture", generation.mixture))


def _summary(population: Population) -> str:
    """Return the latest generation in a few words."""
    last, before = population.generations[-1], population.generations[-2:-1]
    exact = "" if last.exploitability is None else f", exploitability {last.exploitability:.4f}"
    gain = "".join(f", {answered.gain:+.3f} won from generation {answered.number}" for answered in before)
    return f"{len(last.weights)} of {last.players} players in the equilibrium{exact}{gain}"


# -- results ----------------------------------------------------------------------------------------------------------

HEAD = ("generation", "players", "in the equilibrium", "exploitability", "won by the best responder [95 %]")


def rows(generations: Sequence[Generation]) -> list[list[str]]:
    """Return a row of text for each generation, under `HEAD`."""
    return [
        [
            str(generation.number),
            str(generation.players),
            str(len(generation.weights)),
            "-" if generation.exploitability is None else f"{generation.exploitability:.4f}",
            f"{with_interval(generation.gain, generation.gain_ci95, '+.3f')}, {generation.best}"
            if generation.best
            else "no known player wins",
        ]
        for generation in generations
    ]


def asdict(config: LeagueConfig, generations: Sequence[Generation], folder: Path) -> dict[str, Any]:
    """Return a league as plain values for JSON; the mixtures' paths are relative to its folder."""
    return {
        "config": config.lasting().model_dump(mode="json"),
        "generations": [
            {
                "generation": generation.number,
                "players": generation.players,
                "weights": dict(generation.weights),
                "mixture": generation.mixture.relative_to(folder).as_posix(),
                "exploitability": generation.exploitability,
                "best": generation.best,
                "gain": generation.gain,
                "gain_ci95": list(generation.gain_ci95),
            }
            for generation in generations
        ],
    }


def curve(config: LeagueConfig, generations: Sequence[Generation]) -> Figure:
    """Exploitability by generation: the exact value if it is known, and what the best responder found wins."""
    figure = new_figure(6.0, 3.6)
    panel = figure.subplots()
    numbers = [generation.number for generation in generations]
    # No responder was trained against the last generation: that no known player beats it means nothing.
    answered = [generation for generation in generations if generation.best or generation is not generations[-1]]
    gains = [generation.gain for generation in answered]
    halves = [(generation.gain_ci95[1] - generation.gain_ci95[0]) / 2 for generation in answered]
    panel.errorbar(
        numbers[: len(answered)],
        gains,
        yerr=halves,
        color=COLORS[1],
        marker="s",
        linestyle="--",
        capsize=3,
        label="best responder found",
    )
    if all(generation.exploitability is not None for generation in generations):
        exact = [generation.exploitability or 0.0 for generation in generations]
        panel.plot(numbers, exact, color=COLORS[0], marker="o", label="exact")
    panel.axhline(0.0, color="black", linewidth=0.8)
    panel.set_xlabel("generation")
    panel.set_ylabel("exploitability, payoff per game")
    panel.set_title(f"{config.env_id}, seed {config.seed}")
    panel.grid(alpha=0.3)
    panel.legend()
    return figure
