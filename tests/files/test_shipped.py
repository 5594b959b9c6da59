"""Scripts, configs and checkpoints that come with cardgym are found by name, from any folder and in a wheel alike."""

from pathlib import Path

import pytest

from cardgym import CardgymError, cli, find
from cardgym.cli.train import trainers
from cardgym.experiments.trainers import TRAINERS
from cardgym.files import shipped
from cardgym.learn.opponents import OpponentPool
from cardgym.players import resolve
from cardgym.players.resolver import checkpoints

ROOT = Path(__file__).parents[2]
GAME = find("CorellianSpike-v0")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_script_of_the_checkout_can_be_trained_with() -> None:
    assert {path.stem for path in (ROOT / "train").glob("*.py")} == {*TRAINERS, "league"}
    assert {"batch_q", "experts"} <= trainers().keys()


def test_a_config_is_found_by_name_and_by_path_and_one_of_the_user_comes_first(tmp_path: Path) -> None:
    name = "corellian_spike/double_dqn"
    file = ROOT / f"configs/{name}.toml"
    for word in (name, f"{name}.toml", f"configs/{name}.toml", file):
        assert shipped.config_path(Path(word)).samefile(file)
    with pytest.raises(CardgymError, match=rf"no such file; did you mean '{name}'\?"):
        shipped.config_path(Path("corellian_spike/doble_dqn"))
    own = tmp_path / f"{name}.toml"
    own.parent.mkdir()
    own.write_text("seed = 7\n")
    assert shipped.config_path(Path(f"{name}.toml")).samefile(own)


@pytest.mark.parametrize("name", ["double_dqn", "checkpoints/corellian_spike/double_dqn.safetensors"])
def test_a_checkpoint_is_a_player_under_the_name_that_it_was_given(name: str) -> None:
    assert resolve(name, GAME, GAME.parse_options()).name == name


def test_a_checkpoint_is_an_opponent_in_training() -> None:
    (player,) = OpponentPool.parse(["double_dqn=0.5", "self=0.5"]).players(GAME, GAME.parse_options())
    assert player.name == "double_dqn"


def test_a_game_has_the_checkpoints_made_for_its_id() -> None:
    assert "official_double_dqn" in checkpoints(find("CodaOfficial-v0"))
    assert "official_double_dqn" not in checkpoints(find("Coda-v0"))
    assert "gradient" in checkpoints(find("Cribbage-v0"))
    mini = find("CribbageMini-v0")
    assert "gradient" not in checkpoints(mini, mini.parse_options())


def test_a_game_has_the_checkpoints_made_for_its_options() -> None:
    assert "ppo_four_players" in checkpoints(GAME)
    assert "ppo_four_players" not in checkpoints(GAME, GAME.parse_options())
    for num_players, name in ((3, "ppo_three_players"), (4, "ppo_four_players")):
        assert list(checkpoints(GAME, GAME.parse_options({"num_players": num_players}))) == [name]
    assert {"double_dqn", "ppo"} <= set(checkpoints(GAME, GAME.parse_options()))
    coda = find("CodaOfficial-v0")
    assert list(checkpoints(coda, coda.parse_options())) == list(checkpoints(coda))


def test_an_unknown_player_suggests_the_checkpoint_of_that_name() -> None:
    with pytest.raises(CardgymError, match="did you mean 'double_dqn'"):
        resolve("duble_dqn", GAME, GAME.parse_options())


def test_a_folder_beside_the_package_is_where_an_installed_one_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shipped_files/configs/a_game").mkdir(parents=True)
    (tmp_path / "shipped_files/configs/a_game/a_config.toml").touch()
    monkeypatch.setattr(shipped, "root", shipped.root.__wrapped__)
    monkeypatch.setattr(shipped, "__file__", str(tmp_path / "files/shipped.py"))
    assert list(shipped.configs()) == ["a_game/a_config"]


# -- cardgym train ----------------------------------------------------------------------------------------------------


def test_help_lists_scripts_and_configs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["train", "--help"]) == 0
    shown = capsys.readouterr().out
    for name in (*trainers(), *shipped.configs()):
        assert f"\n  {name}" in shown


def test_a_script_trains_from_any_folder_with_a_config_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--config", "corellian_spike/dqn", "--total-steps", "1000", "--final-games", "100", "--out", "run"]
    assert cli.main(["train", "dqn", *words]) == 0
    assert "after 1,0" in capsys.readouterr().out
    assert (tmp_path / "run/model.safetensors").exists()
