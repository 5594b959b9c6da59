"""The state of a training, so that a stopped one goes on with the same bits. Stable-Baselines3 saves models only."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from cardgym.errors import CardgymError
from cardgym.interop.sb3.vec_env import CardVecEnv
from cardgym.learn.resume import generator_state, pack, set_generator_state, unpack

_MODEL = (
    "num_timesteps",
    "exploration_rate",
    "_current_progress_remaining",
    "_episode_num",
    "_last_episode_starts",
    "_last_obs",
    "_last_original_obs",
    "_n_calls",
    "_n_updates",
)
_BUFFER = (
    "observations",
    "next_observations",
    "next_action_masks",
    "actions",
    "rewards",
    "dones",
    "timeouts",
    "pos",
    "full",
)


class TrainingState:
    """All that decides how a training continues: model, replay buffer, games and generators.

    It can be saved between two rollouts (`on_rollout_start` of a callback). PyTorch's and NumPy's global generators,
    which Stable-Baselines3 draws from, belong to it.
    """

    def __init__(self, model: BaseAlgorithm, env: CardVecEnv) -> None:
        """The state of `model`, which trains in `env` wrapped in `VecMonitor`, and perhaps in `VecNormalize`."""
        self._model = model
        self._env = env
        self._buffer: ReplayBuffer | None = getattr(model, "replay_buffer", None)
        self._owners: dict[str, tuple[Any, tuple[str, ...]]] = {
            "model": (model, _MODEL),
            "seated": (env._core.seated, ("observations", "masks")),
            "env": (env, ("_seeded",)),
        }
        if self._buffer is not None:
            self._owners["buffer"] = (self._buffer, _BUFFER)
        wrapper: Any = model.get_env()
        while wrapper is not env:
            if isinstance(wrapper, VecMonitor):
                self._owners["monitor"] = (wrapper, ("episode_returns", "episode_lengths"))
            elif isinstance(wrapper, VecNormalize):
                self._owners["normalize"] = (wrapper, ("returns", "old_obs", "old_reward"))
                self._owners["ret_rms"] = (wrapper.ret_rms, ("mean", "var", "count"))
            else:
                raise CardgymError(f"{type(wrapper).__name__}: a training in it cannot be resumed")
            wrapper = wrapper.venv

    def state_dict(self) -> dict[str, Any]:
        """The state, as tensors and plain values."""
        batch = self._env._core.seated.batch
        _, keys, *counters = np.random.get_state(legacy=True)
        draw = self._env._draw
        return {
            "layout": self._layout(),
            "weights": self._model.get_parameters(),
            "values": {
                owner: pack({name: _plain(getattr(holder, name)) for name in names if hasattr(holder, name)})
                for owner, (holder, names) in self._owners.items()
            },
            "games": pack({"states": batch.plain_states.view(np.uint8), "rows": batch.plain_rows.view(np.uint8)}),
            "torch": torch.get_rng_state(),
            "numpy": pack({"keys": keys, "counters": list(counters)}),
            "action_space": generator_state(self._model.action_space.np_random),
            "opponents": None if draw is None else generator_state(draw.generator),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned.

        Raises:
            CardgymError: if it was written by a version with other records.
        """
        if state["layout"] != self._layout():
            raise CardgymError("the state to resume from was written by another version; train from the start")
        self._model.set_parameters(state["weights"], device=self._model.device)
        for owner, values in state["values"].items():
            holder, _ = self._owners[owner]
            for name, value in unpack(values).items():
                setattr(holder, name, value)
        batch, games = self._env._core.seated.batch, unpack(state["games"])
        batch.plain_states.view(np.uint8)[...] = games["states"]
        batch.plain_rows.view(np.uint8)[...] = games["rows"]
        torch.set_rng_state(state["torch"])
        numpy = unpack(state["numpy"])
        np.random.set_state(("MT19937", numpy["keys"], *numpy["counters"]))
        set_generator_state(self._model.action_space.np_random, state["action_space"])
        if self._env._draw is not None:
            set_generator_state(self._env._draw.generator, state["opponents"])

    def _layout(self) -> str:
        """The fields of the records: other fields mean that the bytes saved cannot be read."""
        batch = self._env._core.seated.batch
        return repr((batch.plain_states.dtype.descr, batch.plain_rows.dtype.descr))


def _plain(value: Any) -> Any:
    """A value that `pack` takes: NumPy's scalars as arrays."""
    return np.asarray(value) if isinstance(value, np.generic) else value
