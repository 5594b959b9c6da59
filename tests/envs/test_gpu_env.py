"""The vector env for GPUs: on this machine a processor runs its code, and tensors lie in ordinary memory."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cardgym.engine.compilation import known_internals
from cardgym.engine.jit import JIT_DISABLED
from cardgym.envs.vector import make_vector_env
from cardgym.errors import CardgymError

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(JIT_DISABLED or not known_internals(), reason="needs Numba's private parts")
GAME = "KuhnPoker-v0"
NUM_ENVS = 5
_MADE: dict[Any, Any] = {}
"""The code of each kernel, which takes a second to make."""


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the code for GPUs without one."""
    from cardgym.engine import gpu
    from cardgym.envs import gpu as envs

    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "engine"))
    from retarget import run_here

    made: list[Any] = []

    def ptx(kernel: Any, winners: Any) -> tuple[str, int]:
        made.append(_MADE[kernel] if kernel in _MADE else _MADE.setdefault(kernel, run_here(kernel)))
        return "", made[-1][1]

    monkeypatch.setattr(gpu, "ptx", ptx)
    monkeypatch.setattr(envs, "torch_with", lambda device: (torch, torch.device("cpu")))
    monkeypatch.setattr(envs, "launcher", lambda code, device, num_rows: made[-1][0])
    yield
    sys.modules.pop("retarget", None)


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.filterwarnings("ignore:.*an illegal action ended the game")
@pytest.mark.parametrize("arguments", [{}, {"opponent": "honest", "seat": "random"}, {"seat": "all"}])
def test_games_are_those_of_the_cpu(arguments: dict[str, Any]) -> None:
    here: Any = gym.make_vec(GAME, NUM_ENVS, **arguments)
    there: Any = gym.make_vec(GAME, NUM_ENVS, device="cuda", **arguments)
    generator = np.random.default_rng(1)

    def check(ours: Any, theirs: Any) -> None:
        for one, two in zip(ours[:-1], theirs[:-1], strict=True):
            assert isinstance(two, torch.Tensor)
            assert two.numpy().dtype == one.dtype
            np.testing.assert_array_equal(one, two.numpy())
        assert {*theirs[-1]} == {*ours[-1]}
        for name, part in theirs[-1].items():
            np.testing.assert_array_equal(ours[-1][name], part.numpy())

    for seed in (3, None, [4, None, 5, 6, None]):
        check(here.reset(seed=seed), there.reset(seed=seed))
        for _ in range(40):
            masks = here.unwrapped.action_masks()
            np.testing.assert_array_equal(masks, there.unwrapped.action_masks().numpy())
            actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])
            actions[generator.random(NUM_ENVS) < 0.05] = -1
            check(here.step(actions), there.step(torch.from_numpy(actions)))


@pytest.mark.usefixtures("no_gpu")
def test_ppo_learns_the_same_from_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cardgym.experiments.trainers import TRAINERS
    from cardgym.learn import ppo_device
    from cardgym.learn.ppo import PPOConfig

    config = PPOConfig(env_id=GAME, num_envs=8, num_steps=8, total_steps=150, device_games=True, final_games=0)
    weights = []
    for device in ("cpu", "cuda"):

        def make(*given: Any, wanted: str = device, **named: Any) -> Any:
            return make_vector_env(*given, **{**named, "device": wanted})

        monkeypatch.setattr(ppo_device, "make_vector_env", make)
        TRAINERS["ppo"]().train(config, tmp_path / device, False)
        weights.append((tmp_path / device / "model.safetensors").read_bytes())
    assert weights[0] == weights[1]


@pytest.mark.usefixtures("no_gpu")
def test_results_of_a_step_stay_as_they_are() -> None:
    env: Any = gym.make_vec(GAME, NUM_ENVS, device="cuda")
    observations, infos = env.reset(seed=1)
    kept = observations.clone(), infos["action_mask"].clone()
    for _ in range(5):
        env.step(infos["action_mask"].float().argmax(1))
    assert torch.equal(kept[0], observations)
    assert torch.equal(kept[1], infos["action_mask"])


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"render_mode": "ansi"}, "render_mode"),
        ({"autoreset_mode": "SameStep"}, "autoreset_mode"),
        ({"illegal_action": "raise"}, "illegal_action"),
        ({"opponent": lambda observation, mask: int(mask.argmax())}, "opponent"),
    ],
)
def test_what_a_gpu_cannot_do_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CardgymError, match=f"{message}.* not with device='cuda'"):
        gym.make_vec(GAME, NUM_ENVS, device="cuda", **arguments)


@pytest.mark.usefixtures("no_gpu")
def test_wrong_actions_are_refused() -> None:
    env: Any = gym.make_vec(GAME, NUM_ENVS, device="cuda")
    with pytest.raises(CardgymError, match="call reset"):
        env.step(torch.zeros(NUM_ENVS, dtype=torch.int64))
    env.reset(seed=1)
    for actions in (np.zeros(NUM_ENVS, np.int64), torch.zeros(NUM_ENVS), torch.zeros(3, dtype=torch.int64)):
        with pytest.raises(CardgymError, match="actions: give"):
            env.step(actions)
    with pytest.raises(CardgymError, match="players act on the CPU"):
        env.unwrapped.player("random")


@pytest.mark.parametrize("device", ["cuda", "cuda:1", "gpu", "mps", 3])
def test_a_device_that_is_not_there_is_refused(device: Any) -> None:
    if torch.cuda.is_available():
        pytest.skip("a GPU is here")
    with pytest.raises(CardgymError, match="device="):
        gym.make_vec(GAME, NUM_ENVS, device=device)
