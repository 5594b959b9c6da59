"""Every check of envs can fail: deliberately broken envs, and the messages of the errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import broken_games
import numpy as np
import pytest
from broken_games import broken, observed_by, with_seeds

import api_checks
import env_checks
from cardgym.engine.contract import Options
from cardgym.envs import EnvCore
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv
from cardgym.testing import ContractError
from kuhn_poker import GAME

OPTIONS = Options()


@pytest.fixture(autouse=True, scope="module")
def _forget_broken_games() -> Iterator[None]:
    with broken_games.forgotten_afterwards():
        yield


def test_vector_env_that_deals_different_cards_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    reset = CardVectorEnv.reset

    def deal_other_cards(self: CardVectorEnv, *, seed: Any = None, options: Any = None) -> Any:
        return reset(self, seed=None if seed is None else seed + 1, options=options)

    monkeypatch.setattr(CardVectorEnv, "reset", deal_other_cards)
    with pytest.raises(ContractError, match="reset, row"):
        with_seeds(api_checks.check_rows, GAME, {}, 3)


def test_vector_env_that_pays_a_different_reward_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    step = CardVectorEnv.step

    def pay_twice(self: CardVectorEnv, actions: Any) -> Any:
        observations, rewards, *others = step(self, actions)
        return observations, rewards * 2, *others

    monkeypatch.setattr(CardVectorEnv, "step", pay_twice)
    with pytest.raises(ContractError, match="pays"):
        api_checks.check_rows(GAME, {}, 3)


def test_missing_final_observation_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    final = CardVectorEnv._final

    def final_zeros(self: CardVectorEnv, over: Any, ends: Any) -> dict[str, Any]:
        infos = final(self, over, ends)
        for row in np.flatnonzero(over):
            infos["final_obs"][row] = infos["final_obs"][row] * 0
        return infos

    monkeypatch.setattr(CardVectorEnv, "_final", final_zeros)
    with pytest.raises(ContractError, match="under SAME_STEP"):
        api_checks.check_autoreset(GAME, {})


def test_outputs_that_depend_on_what_the_caller_wrote_to_arrays_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_copies(self: EnvCore) -> Any:
        return self.seated.observations, self.seated.masks

    monkeypatch.setattr(EnvCore, "observe_now", without_copies)
    with pytest.raises(ContractError, match="resetting other rows changes"):
        api_checks.check_autoreset(GAME, {})


def test_silent_repair_of_illegal_actions_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    step = CardEnv.step
    monkeypatch.setattr(CardEnv, "step", lambda self, action: step(self, min(max(int(action), 0), 1)))
    with pytest.raises(ContractError, match="illegal action"):
        env_checks.check_illegal(GAME, OPTIONS)


def test_illegal_action_that_pays_a_different_forfeit_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    step = CardEnv.step

    def pay_more(self: CardEnv, action: Any) -> Any:
        observation, reward, *others = step(self, action)
        return observation, float(reward) - 1.0, *others

    monkeypatch.setattr(CardEnv, "step", pay_more)
    with pytest.raises(ContractError, match=r"forfeit\(\) returns"):
        env_checks.check_illegal(GAME, OPTIONS)


def test_random_replacement_by_an_illegal_action_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_checks, "_results", lambda env, actions: [])
    with pytest.raises(ContractError, match="'random' reaches a state that no legal action reaches"):
        env_checks.check_illegal(GAME, OPTIONS)


def test_shared_memory_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = CardEnv._outputs
    held = np.zeros(GAME.observation("full").size(OPTIONS), np.float32)

    def shared_outputs(self: CardEnv, observation: Any, mask: Any) -> Any:
        observation, info = outputs(self, observation, mask)
        held[:] = observation
        return held, info

    monkeypatch.setattr(CardEnv, "_outputs", shared_outputs)
    with pytest.raises(ContractError, match="shares memory"):
        env_checks.check_steps(GAME, {})


def test_copy_that_plays_differently_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def deepcopy_new_game(self: CardEnv, memo: Any) -> CardEnv:
        other = CardEnv(self.game)
        other.reset(seed=99)
        return other

    monkeypatch.setattr(CardEnv, "__deepcopy__", deepcopy_new_game, raising=False)
    with pytest.raises(ContractError, match="after deepcopy"):
        env_checks.check_copies(GAME, {})


def test_observation_outside_its_space_is_caught() -> None:
    game = broken("Space", observations=observed_by(broken_games.observe_too_much))
    with pytest.raises(ContractError, match="outside"):
        with_seeds(env_checks.check_steps, game, {"seat": "all"})
