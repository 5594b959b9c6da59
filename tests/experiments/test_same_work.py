"""Results are reused only while the rules, players and options behind them are the same."""

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from cardgym import find
from cardgym.arena.tournament import runner, tournament
from cardgym.arena.tournament.ranges import REPLICATES, Pairing, RangeStore
from cardgym.engine.contract import Game, State, rule
from cardgym.experiments.exploit.responders import trainings
from cardgym.experiments.launch import RESULTS, Run
from cardgym.experiments.sweep import run_all
from cardgym.files import shipped
from cardgym.learn.played import played
from cardgym.players.identity import game_digest, player_digest
from cardgym.players.mixture_file import save_mixture
from cardgym.scaling import Engine, Outcome, Task

ENV = "CorellianSpike-v0"
SHIPPED = shipped.root() / shipped.CHECKPOINTS / "corellian_spike"


@rule
def _forfeit_two(state: State, seat: int) -> float:
    """Lose two."""
    return -2.0


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The pairs of which a range is played; nothing is, so nothing is compiled."""
    pairs: list[tuple[str, str]] = []

    def play_range(pairing: Pairing, first: int, count: int) -> Any:
        pairs.append((Path(str(pairing.first)).name, Path(str(pairing.second)).name))
        sums = np.ones((1 + REPLICATES, 6))
        sums[:, 0] = count
        return sums

    monkeypatch.setattr(runner, "play_range", play_range)
    return pairs


def test_resumed_tournament_plays_again_what_changed_and_nothing_else(
    tmp_path: Path, counted: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find(ENV)
    options = game.parse_options()
    file, team = tmp_path / "member.safetensors", tmp_path / "team.mixture.json"
    shutil.copy(SHIPPED / "ppo.safetensors", file)
    save_mixture(team, {str(file): 1.0, "random": 1.0}, game, options)
    players = ["random", "initial", str(team)]

    def replayed(**settings: Any) -> set[tuple[str, str]]:
        counted.clear()
        tournament(game, settings.get("options"), players, games=20, seed=settings.get("seed", 1), store=store)
        return set(counted)

    store = RangeStore(tmp_path)
    every = {("random", "initial"), ("random", team.name), ("initial", team.name)}
    assert replayed() == every
    assert replayed() == set()
    shutil.copy(SHIPPED / "double_dqn.safetensors", file)
    assert replayed() == {("random", team.name), ("initial", team.name)}
    assert replayed(options={"reward": "weighted"}) == every
    assert replayed() == set()
    other = game.players["heuristic"]
    monkeypatch.setattr(runner, "find", lambda _: dataclasses.replace(game, players={**game.players, "initial": other}))
    assert replayed() == {("random", "initial"), ("initial", team.name)}
    rules = dataclasses.replace(game.rules, forfeit=_forfeit_two)
    monkeypatch.setattr(runner, "find", lambda _: dataclasses.replace(game, rules=rules))
    assert replayed() == every


@pytest.mark.parametrize(
    "change",
    [
        lambda game: dataclasses.replace(game, rules=dataclasses.replace(game.rules, forfeit=_forfeit_two)),
        lambda game: dataclasses.replace(game, observations={"other": game.observation(game.default_observation)}),
        lambda game: dataclasses.replace(game, state=np.dtype([*game.state.descr, ("more", "<i4")])),
    ],
    ids=["rules", "observations", "state"],
)
def test_digest_of_a_game_is_one_of_its_code(change: Callable[[Game], Game]) -> None:
    game = find(ENV)
    options = game.parse_options()
    assert game_digest(game, options) == game_digest(dataclasses.replace(game, doc="other words"), options)
    assert game_digest(change(game), options) != game_digest(game, options)


def test_player_in_plain_python_counts_by_its_source_files() -> None:
    game = find("Coda-v0")
    options = game.parse_options()
    names = ["search", "heuristic", "random", "double_dqn", "double_dqn:greedy"]
    assert len({player_digest(name, game, options) for name in names}) == len(names)
    assert player_digest("search", game, options) == player_digest("search", game, options)


class _Trains(Engine):
    """Every run has results at once."""

    name, workers = "instant", 1

    def __init__(self) -> None:
        self.given: list[str] = []

    def _give(self, task: Task) -> None:
        self.given.append(Path(task.arguments[1]).name)
        (Path(task.arguments[1]) / RESULTS).write_text('{"results": {}}')
        self._key = task.key

    def _collect(self, seconds: float) -> list[Outcome]:
        return [Outcome(self._key, 0)]

    def close(self) -> None:
        """Do nothing."""


class _Program:
    about: ClassVar[dict[str, Any]] = {}

    def joined(self, earlier: dict[str, Any]) -> dict[str, Any] | None:
        return earlier

    def command(self, run: Run, folder: Path) -> list[str]:
        return []


def test_run_of_a_sweep_whose_players_changed_is_trained_anew_and_the_old_one_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def trained(*digests: str) -> list[str]:
        runs = [Run(f"seed{number}", (), {}, number, digest) for number, digest in enumerate(digests, 1)]
        engine = _Trains()
        assert [result.problem for result in run_all(_Program(), tmp_path, runs, engine)] == [None] * len(runs)
        return engine.given

    assert trained("a", "a") == ["seed1", "seed2"]
    assert trained("a", "a") == []
    assert trained("a", "b") == ["seed2"]
    assert (tmp_path / "seed2-1" / RESULTS).exists()
    assert "seed2: its game's rules or its players changed" in capsys.readouterr().err
    assert trained("a", "b") == []


def test_config_and_responders_count_the_rules_and_the_files_behind_their_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = find(ENV)
    options = game.parse_options()
    member, team = tmp_path / "member.safetensors", tmp_path / "team.mixture.json"
    shutil.copy(SHIPPED / "double_dqn.safetensors", member)
    save_mixture(team, {str(member): 1.0, "random": 1.0}, game, options)

    def digests() -> list[str]:
        found = trainings(game, options, str(team), budget=1_000_000, seeds=1, scale=1.0, folder=tmp_path)
        values = {"env_id": ENV, "opponents": (f"{team}=0.5", "self=0.5"), "eval_opponents": ("random",)}
        return [played(values), *(training.folder.name for several in found for training in several)]

    first = digests()
    assert digests() == first
    shutil.copy(SHIPPED / "dqn.safetensors", member)
    second = digests()
    assert not set(second) & set(first)
    rules = dataclasses.replace(game.rules, forfeit=_forfeit_two)
    with monkeypatch.context() as edited:
        edited.setattr("cardgym.learn.played.find", lambda _: dataclasses.replace(game, rules=rules))
        assert not set(digests()) & {*first, *second}
    made = trainings(game, options, "random", budget=1_000_000, seeds=1, scale=1.0, folder=tmp_path)
    made[0][0].folder.mkdir()
    shutil.copy(SHIPPED / "ppo.safetensors", made[0][0].checkpoint)
    again = trainings(game, options, "random", budget=1_000_000, seeds=1, scale=1.0, folder=tmp_path)
    assert again == made
