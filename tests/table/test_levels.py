"""The levels of the lobby are in the order of strength: each player wins from the one below it."""

from __future__ import annotations

import itertools

import pytest

import cardgym
from cardgym.arena.match import evaluate
from cardgym.engine.compilation import config
from cardgym.players import player_names
from cardgym.players.formats import checkpoints
from cardgym.table.presentation import presentation_of

TOO_SLOW = {("equilibrium", "champion"), ("bayes", "value-search"), ("value-search", "official_ppo")}
"""52.3 % [51.1, 53.5] of 2,000 games, 65.1 % [63.2, 66.9] of 2,000 and 50.7 % [48.8, 52.6] of 2,000, all with seed 1:
margins that few games do not show, or players that take their time."""


def steps() -> list[tuple[str, str, str]]:
    """Every two levels that follow each other, with the default options."""
    found = []
    for env in cardgym.registered():
        game = cardgym.find(env)
        known = {*player_names(game), *checkpoints(game, game.parse_options())}
        levels = [name for name in presentation_of(game).levels.get(env, ()) if name in known]
        found += [(env, *pair) for pair in itertools.pairwise(levels) if pair not in TOO_SLOW]
    return found


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="too slow without compilation")
@pytest.mark.parametrize(("env", "lower", "higher"), steps())
def test_each_level_wins_from_the_one_below(env: str, lower: str, higher: str) -> None:
    [first, _] = evaluate(env, None, [higher, lower], games=400, seed=1).players
    assert first.win_rate > 0.5


def test_only_names_of_players_are_levels() -> None:
    for env in cardgym.registered():
        game = cardgym.find(env)
        assert set(presentation_of(game).levels.get(env, ())) <= {*player_names(game), *checkpoints(game)}
