"""The checkpoints for Corellian Spike play as their cards say."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardgym import find
from cardgym.arena import evaluate
from cardgym.players import resolve
from cardgym.players.checkpoints import load_checkpoint

CHECKPOINTS = Path(__file__).parents[3] / "checkpoints" / "corellian_spike"


@pytest.mark.parametrize("name", ["double_dqn", "dqn"])
def test_checkpoint_beats_the_players_of_the_game(name: str) -> None:
    game = find("CorellianSpike-v0")
    options = game.parse_options()
    path = CHECKPOINTS / f"{name}.safetensors"
    _, metadata = load_checkpoint(path, game, options)
    assert metadata.config["double"] == (name == "double_dqn")
    for opponent, low in [("random", 0.93), ("initial", 0.70), ("heuristic", 0.50)]:
        player = evaluate(game, options, [str(path), opponent], games=400, seed=3).players[0]
        assert player.win_rate > low
        assert player.mean_return_ci95[0] > 0


@pytest.mark.parametrize("opponent", ["initial", "heuristic", "double_dqn", "dqn"])
def test_ppo_wins_from_every_other_player_of_the_game(opponent: str) -> None:
    game = find("CorellianSpike-v0")
    player = evaluate(game, game.parse_options(), ["ppo", opponent], games=1000, seed=3).players[0]
    assert player.mean_return_ci95[0] > 0


@pytest.mark.parametrize("reward", ["net", "credits", "weighted"])
def test_checkpoints_play_under_any_reward(reward: str) -> None:
    game = find("CorellianSpike-v0")
    options = game.parse_options({"reward": reward})
    for name in ("dqn", "ppo"):
        assert resolve(name, game, options).name == name


def test_every_checkpoint_has_a_card_with_its_command() -> None:
    for path in CHECKPOINTS.glob("*.safetensors"):
        script = "ppo" if path.name.startswith("ppo") else "dqn"
        assert f"python train/{script}.py --config configs/corellian_spike/" in path.with_suffix(".md").read_text()
