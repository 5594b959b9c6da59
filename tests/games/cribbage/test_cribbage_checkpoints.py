"""The checkpoints of networks for cribbage play as their cards say."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardgym import find
from cardgym.arena import evaluate
from cardgym.players.checkpoints import load_checkpoint

PATH = Path(__file__).parents[3] / "checkpoints" / "cribbage" / "double_dqn.safetensors"


def test_checkpoint_plays_as_its_card_says() -> None:
    game = find("Cribbage-v0")
    options = game.parse_options()
    load_checkpoint(PATH, game, options)
    for opponent, low, high in [("random", 0.97, 1.0), ("greedy", 0.55, 0.68), ("expert", 0.37, 0.5)]:
        share = evaluate(game, options, [str(PATH), opponent], games=1000, seed=3).players[0].win_rate
        assert low < share < high
    assert "--config configs/cribbage/game_double_dqn.toml --seed 1" in PATH.with_suffix(".md").read_text()


@pytest.mark.slow
def test_distilled_network_plays_as_its_card_says() -> None:
    game = find("Cribbage-v0")
    options = game.parse_options()
    for player, opponent, low, high in [("distill:greedy", "expert", 0.49, 0.58), ("distill", "random", 0.96, 1.0)]:
        share = evaluate(game, options, [player, opponent], games=2000, seed=3).players[0].win_rate
        assert low < share < high
    assert "--config configs/cribbage/distill.toml --seed 1" in PATH.with_name("distill.md").read_text()
