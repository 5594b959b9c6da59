"""Numbers that are legal but absurd are refused at once, saying what they would need."""

import gymnasium
import pytest

import cardgym
from cardgym.arena import evaluate
from cardgym.engine.registry import registered
from cardgym.errors import CardgymError
from cardgym.files.limits import check_memory, duration, memory_limit
from cardgym.learn.dqn import DQNConfig
from cardgym.learn.nfsp import NFSPConfig, ReservoirBuffer
from cardgym.learn.ppo import PPOConfig
from cardgym.learn.replay import ReplayBuffer
from cardgym.learn.tabular import TabularConfig
from cardgym.learn.turns import TurnBuffer
from cardgym.players.network_shapes import network_shape

GAME = cardgym.find(registered()[0])
OPTIONS = GAME.parse_options()
PLAYERS = ["random"] * OPTIONS.num_players


@pytest.mark.parametrize(
    ("num_envs", "message"),
    [
        (10**9, "games of .* side by side would need .* GiB of memory, of .* GiB here"),
        (10**12, "games of .* side by side would need .* GiB of memory, of .* GiB here"),
        (10**30, "allowed are whole numbers from 1 to 9,223,372,036,854,775,807"),
    ],
)
def test_more_envs_than_fit_in_memory_are_refused(num_envs: int, message: str) -> None:
    with pytest.raises(CardgymError, match=message):
        gymnasium.make_vec(GAME.id, num_envs=num_envs)


@pytest.mark.parametrize("games", [10**11, 10**30])
def test_more_games_than_a_match_can_use_are_refused(games: int) -> None:
    with pytest.raises(CardgymError, match=r"allowed are whole numbers from 1 to 1,000,000,000 .*would take"):
        evaluate(GAME, None, PLAYERS, games=games, seed=1)


@pytest.mark.parametrize("kind", [DQNConfig, NFSPConfig, PPOConfig, TabularConfig])
def test_absurd_trainings_are_refused(kind: type[DQNConfig] | type[PPOConfig] | type[TabularConfig]) -> None:
    with pytest.raises(CardgymError, match=r"total_steps=10{30}: that would take 10\^15 years at 10,000,000 a second"):
        kind(total_steps=10**30)
    with pytest.raises(CardgymError, match=r"final_games=10{11}: that would take 27 hours at 1,000,000 a second"):
        kind(final_games=10**11)


def test_networks_and_buffers_beyond_memory_are_refused() -> None:
    with pytest.raises(CardgymError, match=r"network of .* weights in training would need"):
        network_shape(GAME, OPTIONS, GAME.default_observation, (65_536,) * 60, False)
    with pytest.raises(CardgymError, match="up to 64 layers"):
        network_shape(GAME, OPTIONS, GAME.default_observation, (8,) * 1000, False)
    with pytest.raises(CardgymError, match=r"buffer_size=10{12}: .* would need .* GiB of memory"):
        ReplayBuffer(10**12, 10, 5, None)  # type: ignore[arg-type]  # It is refused before the generator is used.
    with pytest.raises(CardgymError, match=r"reservoir_size=10{12}: .* would need .* GiB of memory"):
        ReservoirBuffer(10**12, 10, 5, None)  # type: ignore[arg-type]
    with pytest.raises(CardgymError, match=r"a rollout of 1,000,000,000,000 turns would need .* GiB of memory"):
        TurnBuffer(1, 10**12, 10, 5)


def test_sizes_and_times_are_written_in_words() -> None:
    assert duration(10**30, 10**7) == "10^15 years at 10,000,000 a second"
    assert duration(10**4, 100) == "100 seconds at 100 a second"
    assert duration(10**9, 1000) == "11 days at 1,000 a second"
    with pytest.raises(CardgymError, match=r"it would need 10\^20 GiB of memory, of [\d.,]+ GiB here; take less"):
        check_memory("it", 10**30, "take less")
    check_memory("it", 10**6, "take less")
    assert (memory_limit() or 2**40) > 2**28
