"""The docstring of an env is the documentation of its game."""

import copy
import pickle

import gymnasium
import pytest

import cardgym
from cardgym.envs.aec import aec_env
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv


@pytest.mark.parametrize("game_id", cardgym.registered())
def test_envs_have_the_documentation_of_their_game(game_id):
    doc = cardgym.find(game_id).documentation
    assert gymnasium.make(game_id).unwrapped.__doc__ == doc
    assert gymnasium.make_vec(game_id, num_envs=2).__doc__ == doc
    assert aec_env(game_id).unwrapped.__doc__ == doc


class OwnEnv(CardEnv):
    """An env of one's own."""


@pytest.mark.parametrize("make", [CardEnv, OwnEnv, lambda game: CardVectorEnv(game, 3)])
def test_copies_are_of_the_same_class(make):
    env = make("OnePlayPoker-v0")
    env.reset(seed=1)
    for copied in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert type(copied) is type(env)
        assert copied.__doc__ == env.__doc__
