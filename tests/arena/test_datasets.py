"""Datasets of played games: what they hold, and that a stopped recording goes on with the same result."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardgym import CardgymError, cli, find
from cardgym.arena.datasets import record_dataset
from cardgym.arena.decisions import DecisionRecorder

ENV = "KuhnPoker-v0"
GAME = find(ENV)
OPTIONS = GAME.parse_options()
PLAYERS = ["honest", {"equilibrium": 1, "random": 1}]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


def record(out: str, games: int = 50, players: Any = PLAYERS, **more: Any) -> int:
    return record_dataset(GAME, OPTIONS, players, games=games, seed=3, out=out, **more)


def test_columns_are_the_decisions_of_every_seat() -> None:
    rows = record("a.npz", players=["honest", "random"])
    with pytest.raises(CardgymError, match=r"--out a\.npz: exists"):
        record("a.npz", games=51)
    with np.load("a.npz") as data:
        columns = {name: data[name] for name in data.files}
    about = json.loads(str(columns.pop("about")))
    assert (about["env"], about["players"], about["seed"]) == (ENV, ["honest", "random"], 3)
    assert {len(column) for column in columns.values()} == {rows}
    games, seats, actions = columns["game"], columns["seat"], columns["actions"]
    assert (np.diff(games) >= 0).all()
    assert set(games) == set(range(50))
    assert ((columns["player"] + games) % 2 == seats).all()
    assert (columns["masks"][np.arange(rows), actions] == 1).all()
    np.testing.assert_array_equal(columns["observations"][:, 3], seats)
    for game in range(50):  # Both seats decide in every game; what one wins the other loses.
        own = games == game
        assert columns["ends"][own].sum() == 2
        assert columns["rewards"][own].sum() == 0
        assert abs(columns["rewards"][own][columns["ends"][own]]).max() >= 1
    cards = columns["observations"][:, :3].argmax(axis=1)
    firsts = np.flatnonzero(np.diff(games, prepend=-1))
    first_cards = cards[firsts]
    np.testing.assert_array_equal(first_cards[::2], first_cards[1::2])  # Each deal from both seats.


class StopError(Exception):
    pass


@pytest.mark.parametrize("name", ["a.npz", "kuhn/mixed-v0"])
def test_a_stopped_recording_goes_on_with_the_same_result(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardgym.arena.decisions.ROWS", 16)

    def stop(done: int, total: int) -> None:
        if done >= 32:
            raise StopError

    def content() -> Any:
        if "/" in name:
            import minari

            episodes = minari.load_dataset(name).iterate_episodes()
            return [(one.observations["observation"].tolist(), one.rewards.tolist()) for one in episodes]
        return Path(name).read_bytes()

    whole = record(name)
    expected = content()
    if "/" in name:
        import minari

        minari.delete_dataset(name)
    else:
        Path(name).unlink()
    with pytest.raises(StopError):
        record(name, progress=stop)
    with pytest.raises(CardgymError, match="of other games or players"):
        record(name, games=51)
    partial = next(tmp_path.glob("*.partial"))
    longest = max(partial.glob("*"), key=lambda path: path.stat().st_size)
    with open(longest, "ab") as file:
        file.write(b"half written")
    if "/" not in name:
        Path(name).touch()
        with pytest.raises(CardgymError, match=f"{name}: exists"):  # Made meanwhile by something else.
            record(name)
        Path(name).unlink()
    assert record(name) == whole
    assert content() == expected
    assert not partial.exists()


def test_minari_reads_a_dataset_and_recovers_its_environment(capsys: pytest.CaptureFixture[str]) -> None:
    minari = pytest.importorskip("minari", reason="needs the package minari")
    words = ["record", ENV, "--players", "honest", "random", "--games", "40", "--out", "kuhn/honest-v0"]
    assert cli.main(words) == 0
    data = minari.load_dataset("kuhn/honest-v0")
    assert data.total_episodes == 80
    env = data.recover_environment()
    returns = {0: 0.0, 1: 0.0}
    for episode in data.iterate_episodes():
        for step in range(len(episode.actions) + 1):
            seen = {key: values[step] for key, values in episode.observations.items()}
            assert env.observation_space.contains(seen)
            assert step == len(episode.actions) or seen["action_mask"][episode.actions[step]]
        assert episode.terminations.tolist() == [False] * (len(episode.actions) - 1) + [True]
        assert set(episode.observations["observation"][:, 3]) == {episode.infos["seat"][0]}
        returns[int(episode.infos["player"][0])] += float(episode.rewards.sum())
    assert returns[0] == -returns[1]
    env.reset(seed=1)
    assert cli.main(words) == 2
    assert "honest-v0: exists" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["a b", "x", "x/", "data.json"])
def test_bad_names_are_refused(out: str) -> None:
    pytest.importorskip("minari", reason="needs the package minari")
    with pytest.raises(CardgymError, match=r"a file .* or a Minari dataset such as"):
        record(out)


def test_a_game_is_the_same_however_many_are_played_at_once() -> None:
    from cardgym.players import resolve_all

    roster = resolve_all(["honest", "random"], GAME, OPTIONS)
    recorder = DecisionRecorder(GAME, OPTIONS, roster, seed=1)
    together = recorder.play(0, 30)
    alone = [recorder.play(first, 1) for first in range(30)]
    for name, column in together.items():
        np.testing.assert_array_equal(column, np.concatenate([one[name] for one in alone]))
