"""`help(env)` shows the page of the env's game, and envs stay what they are."""

import copy
import pickle
import pydoc

import gymnasium
import pytest

import cardgym
from cardgym.envs.aec import aec_env
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv


@pytest.mark.parametrize("game_id", cardgym.registered())
def test_help_shows_the_page_of_the_game(game_id):
    env = gymnasium.make(game_id).unwrapped
    doc = cardgym.find(game_id).documentation
    assert env.__doc__ == doc
    text = pydoc.plain(pydoc.render_doc(env))
    for line in doc.strip().splitlines():
        assert line.strip() in text


def test_vector_and_pettingzoo_envs_show_the_page_of_the_game():
    doc = cardgym.find("OnePlayPoker-v0").documentation
    assert gymnasium.make_vec("OnePlayPoker-v0", num_envs=2).__doc__ == doc
    assert aec_env("OnePlayPoker-v0").unwrapped.__doc__ == doc


def test_classes_of_two_games_are_envs_of_one_kind():
    envs = [gymnasium.make(game_id).unwrapped for game_id in ("CorellianSpike-v0", "OnePlayPoker-v0")]
    assert type(envs[0]) is not type(envs[1])
    assert all(isinstance(env, CardEnv) for env in envs)
    assert type(gymnasium.make("OnePlayPoker-v0").unwrapped) is type(envs[1])


@pytest.mark.parametrize("make", [CardEnv, lambda game: CardVectorEnv(game, 3)])
def test_copies_are_of_the_same_class(make):
    env = make("OnePlayPoker-v0")
    env.reset(seed=1)
    assert type(pickle.loads(pickle.dumps(env))) is type(env)
    assert type(copy.deepcopy(env)) is type(env)


class OwnEnv(CardEnv):
    """An env of one's own."""


def test_a_derived_env_keeps_its_docstring():
    env = OwnEnv("OnePlayPoker-v0")
    assert type(env) is OwnEnv
    assert type(pickle.loads(pickle.dumps(env))) is OwnEnv


def test_an_unknown_game_is_one_line():
    with pytest.raises(cardgym.CardgymError, match="unknown game"):
        CardEnv("Nothing-v0")
