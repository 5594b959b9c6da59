"""PettingZoo's own tests, and its part of docs/interop/gymnasium.md.

Its `api_test` and `seed_test` are in the contract suite.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import gymnasium as gym
import numpy as np
import pages
import pytest

from cardgym import CardgymError
from cardgym.envs import aec


def test_envs_render_text_and_pictures() -> None:
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        env = aec.aec_env("KuhnPoker-v0", render_mode=mode)
        env.reset(seed=1)
        assert isinstance(env.render(), kind)


def test_agents_are_players() -> None:
    env = aec.aec_env("CorellianSpike-v0", num_players=3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]


def test_page_runs() -> None:
    names = pages.run("gymnasium#PettingZoo", {"range(3_000)": "range(300)", "Cribbage-v0": "KuhnPoker-v0"})
    assert len(names["values"]) > 100


@pytest.fixture
def _without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package, module = request.param
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    yield
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("_without", "module", "message"),
    [
        (("pettingzoo", "cardgym.envs.aec"), "cardgym.envs.aec", r"pettingzoo: pip install 'cardgym\[pettingzoo\]'"),
        (("torch", "cardgym.learn"), "cardgym.learn", r"torch: pip install 'cardgym\[learn\]'"),
    ],
    indirect=["_without"],
)
@pytest.mark.usefixtures("_without")
def test_missing_extra_is_one_line_from_python(module: str, message: str) -> None:
    with pytest.raises(CardgymError, match=f"^{module} needs the package {message}$"):
        __import__(module)


def test_player_that_needs_an_extra_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for module in ("checkpoints", "networks", "policy_networks"):
        monkeypatch.delitem(sys.modules, f"cardgym.players.{module}", raising=False)
    with pytest.raises(CardgymError, match=r"needs the package torch: pip install 'cardgym\[learn\]'"):
        gym.make("CorellianSpike-v0", opponent="checkpoints/corellian_spike/dqn.safetensors")
