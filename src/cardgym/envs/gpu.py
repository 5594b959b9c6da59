"""A game as a vector env on an NVIDIA GPU: a thread plays each row, and everything is in PyTorch tensors there."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from cardgym.engine import gpu
from cardgym.engine.contract import Game
from cardgym.engine.kernel import ADDRESSES, NOBODY, RESET, ROW, STEP
from cardgym.envs.core import check_reset_options, winners_of
from cardgym.envs.vector import CardVectorEnv
from cardgym.errors import CardgymError, brief, reporting_missing

_BLOCK = 128
"""Threads in a block."""
_LEFT_OUT = ("autoreset_mode", "max_episode_steps", "num_threads", "obs_mode", "render_mode", "text")


class GpuVectorEnv(CardVectorEnv):
    """Parallel games on a GPU, as created by `gymnasium.make_vec("Name-v0", num_envs=65536, device="cuda")`.

    Row i plays exactly the games of a single env seeded with `seed + i`. A step returns new tensors on the device:
    observations (num_envs, size) float32, rewards (num_envs,) float64, terminated and truncated (num_envs,) bool, and
    infos, those of `CardVectorEnv`. Nothing is copied from the device. Finished games start anew as in NEXT_STEP.

    Experimental: no GPU has run it yet. Other arguments are those of `CardEnv`, without rendering, words, other forms
    of observations and `illegal_action="raise"`; opponents are `random`, players by rule and policy tables.

    Args:
        device: "cpu", or a GPU by its name in PyTorch, such as "cuda" or "cuda:1": see `GpuVectorEnv`.

    Raises:
        CardgymError: for an unknown name or a value that is not allowed, or without a GPU.
    """

    def __init__(self, game: str | Game, num_envs: int = 1, *, device: str = "cuda", **arguments: Any) -> None:
        if left_out := [name for name in _LEFT_OUT if name in arguments]:
            raise CardgymError(f"{', '.join(left_out)}: not with device={device!r}; leave it out")
        self._torch, self.device = torch_with(device)
        super().__init__(game, num_envs, **arguments)
        core, seated = self._core, self._core.seated
        if core.raises or core.observation.discrete is not None:
            name = "illegal_action='raise'" if core.raises else f"obs={core.observation_name!r}"
            raise CardgymError(f"{name}: not with device={device!r}")
        if not seated.plays_alone:
            raise CardgymError(
                f"opponent={arguments['opponent']!r}: not with device={device!r}, where random, players by rule and "
                "policy tables play; let a network act in your own loop, with seat='all'"
            )
        batch = seated.batch
        code, memory = gpu.ptx(batch.kernel, winners_of(self.game))
        self._launch = launcher(code, self.device, num_envs)
        arrays: dict[str, Any] = {
            "states": _as_bytes(batch.plain_states),
            "rows": _as_bytes(batch.plain_rows),
            "paid": batch.paid,
            "actions": np.zeros(num_envs, np.int64),
            "commands": np.zeros(num_envs, np.uint8),
            **batch.answers,
        }
        self._arrays = {name: self._on_device(array) for name, array in arrays.items()}
        self._tables = self._on_device(batch.policy_tables)
        places = {
            name: (array.data_ptr(), array.stride(0) * array.element_size()) for name, array in self._arrays.items()
        }
        tables = self._tables.data_ptr(), batch.policy_tables.shape
        self._addresses = self._on_device(_as_bytes(gpu.addresses(places, num_envs, tables)))
        self._memory = self._torch.empty((num_envs, memory), dtype=self._torch.uint8, device=self.device)
        self._present = self._torch.ones(num_envs, dtype=self._torch.bool, device=self.device)
        self._ended = self._masks = self._present

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the next game in each row, with a seed that of `seed + i` in row i; return observations and infos.

        Raises:
            CardgymError: for options, or a list of seeds whose length is not num_envs.
        """
        check_reset_options(options, ())
        changed = self._seed_rows(seed, np.ones(self.num_envs, np.bool_))
        if len(changed):
            rows = _as_bytes(self._core.seated.batch.plain_rows)[changed]
            device_rows = self._arrays["rows"]
            for name in ("key", "games"):
                start = ROW.fields[name][1]  # type: ignore[index]
                part = slice(start, start + ROW[name].itemsize)
                device_rows[self._on_device(changed), part] = self._on_device(rows[:, part])
        observations, _, _, _, infos = self._play(RESET)
        return observations, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action in every row; rows whose game is over start the next one.

        Args:
            actions: (num_envs,) integers, a tensor on the device.

        Returns:
            Observations, rewards, terminated, truncated and infos, as the class says.

        Raises:
            CardgymError: for actions of a wrong type, shape, dtype or device, or before `reset`.
        """
        torch = self._torch
        if not isinstance(actions, torch.Tensor) or actions.device.type != self.device.type:
            raise CardgymError(f"actions: give a tensor on the device {self.device}")
        if actions.shape != (self.num_envs,) or actions.is_floating_point() or actions.dtype == torch.bool:
            raise CardgymError(
                f"actions: give whole numbers of ({self.num_envs},), not {actions.dtype} {tuple(actions.shape)}"
            )
        if not self._seeded.all():
            raise CardgymError("step() where env 0 awaits a reset: call reset()")
        self._arrays["actions"].copy_(actions)
        return self._play(self._ended + STEP)

    @property
    def games(self) -> tuple[Any, ...]:
        """As of `CardVectorEnv`, tensors."""
        return self._arrays["states"], self._arrays["rows"], self._ended

    def action_masks(self) -> Any:
        """Return the legal actions, (num_envs, actions) bool, a tensor on the device."""
        return self._masks != 0

    def player(self, spec: Any) -> Callable[[], Any]:
        """Not on a GPU.

        Raises:
            CardgymError: always.
        """
        raise CardgymError(f"player({spec!r}): players act on the CPU; use an env without device={str(self.device)!r}")

    def _play(self, commands: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Execute every row's command; see `step`."""
        torch, core, arrays = self._torch, self._core, self._arrays
        batch = core.seated.batch
        arrays["commands"].copy_(commands) if isinstance(commands, torch.Tensor) else arrays["commands"].fill_(commands)
        outputs = self.num_envs, batch.observation_size
        observations = torch.empty(outputs, dtype=torch.float32, device=self.device)
        self._masks = torch.empty((self.num_envs, batch.num_actions), dtype=torch.int8, device=self.device)
        memory = self._memory.data_ptr(), self._memory.shape[1]
        self._launch(
            gpu.STEP,
            self.num_envs,
            *(self._addresses.data_ptr(), ADDRESSES.itemsize),
            *(core.illegal, np.int8(not core.plays_all)),
            *(observations.data_ptr(), batch.observation_size, self._masks.data_ptr(), batch.num_actions),
            *memory,
        )
        self._ended = arrays["pending_policy"] == NOBODY
        states, start = arrays["states"], ROW.fields["forfeited"][1]  # type: ignore[index]
        forfeited = arrays["rows"][:, start : start + ROW["forfeited"].itemsize].clone()
        forfeited = forfeited.view(getattr(torch, ROW["forfeited"].name)).flatten().long()
        winners = torch.empty_like(forfeited)
        self._launch(
            gpu.WINNERS,
            self.num_envs,
            *(states.data_ptr(), states.shape[1], forfeited.data_ptr(), self._ended.data_ptr()),
            *(core.options.num_players, winners.data_ptr()),
            *memory,
        )
        infos = {"action_mask": self._masks, "winner": winners, "illegal_action": self._ended & (forfeited >= 0)}
        if core.shows_keys:
            infos["info_state_key"] = arrays["info_state_key"].clone()
        if core.plays_all:
            infos |= {"seat": arrays["current_player"].long(), "rewards": arrays["paid"].clone()}
        infos |= {f"_{name}": self._present.clone() for name in infos}
        truncated = torch.zeros_like(self._ended)
        return observations, arrays["reward"].clone(), self._ended.clone(), truncated, infos

    def _on_device(self, array: Any) -> Any:
        """Return a copy of a NumPy array as a tensor on the device."""
        return self._torch.tensor(array, device=self.device)


def _as_bytes(array: Any) -> Any:
    """Return the bytes of each row of a structured array, (rows, bytes) uint8."""
    return array.view(np.uint8).reshape(len(array), -1)


def torch_with(device: str) -> tuple[Any, Any]:
    """PyTorch, and one of its devices that is a GPU.

    Raises:
        CardgymError: for a name of no GPU, if PyTorch has none here, or if a package is missing.
    """
    with reporting_missing(f"device={brief(device)}"):
        torch = importlib.import_module("torch")
        importlib.import_module("cuda.core")
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError):
        chosen = None
    if chosen is None or chosen.type != "cuda":
        raise CardgymError(f"device={brief(device)}: allowed are 'cpu' and 'cuda', or 'cuda:1' and so on")
    if not torch.cuda.is_available() or (chosen.index or 0) >= torch.cuda.device_count():
        raise CardgymError(f"device={device!r}: PyTorch sees no such GPU here; leave it out to play on the CPU")
    return torch, torch.device("cuda", torch.cuda.current_device() if chosen.index is None else chosen.index)


def launcher(code: str, device: Any, num_rows: int) -> Callable[..., None]:
    """Return a function that runs a kernel by name with its arguments, a thread for each row, on PyTorch's stream."""
    torch: Any = importlib.import_module("torch")
    cuda: Any = importlib.import_module("cuda.core")
    cuda.Device(device.index).set_current()
    module = cuda.ObjectCode.from_ptx(code.encode())
    kernels = {name: module.get_kernel(name) for name in (gpu.STEP, gpu.WINNERS)}
    config = cuda.LaunchConfig(grid=-(-num_rows // _BLOCK), block=_BLOCK)

    def launch(name: str, *arguments: Any) -> None:
        cuda.launch(_Stream(torch.cuda.current_stream(device)), config, kernels[name], *arguments)

    return launch


class _Stream:
    """PyTorch's stream for `cuda.core`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._stream.cuda_stream
