"""Models of Stable-Baselines3 as players: in memory, and from the `.zip` files that `model.save` writes.

A `.zip` contains weights, which are read as tensors alone, and the rest of the model as JSON, partly pickled.
Unpickling a file runs whatever code it contains. So a model with one of the policies in `_POLICIES` and plain settings
is rebuilt from its weights and its JSON. Only plain arrays, its last observations, are unpickled. Any other model is
refused.
"""

from __future__ import annotations

import base64
import copy
import io
import json
import os
import pickle
import re
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from pydantic import Field
from sb3_contrib.common.maskable import policies as maskable
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.qrdqn import policies as qrdqn
from stable_baselines3.common import policies as actor_critic
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.save_util import data_to_json
from stable_baselines3.dqn import policies as dqn
from torch import Tensor, nn

from cardgym.engine.contract import Float32s, Float64s, Game, Int8s, Options
from cardgym.envs.core import EnvCore
from cardgym.errors import CardgymError, of_kind, path_of, printable
from cardgym.files import opened
from cardgym.files.documents import Document, at_most, validate
from cardgym.files.json_values import parse_json
from cardgym.interop import sb3_dqn
from cardgym.players import Actions, Masks, Observations, Player, best_actions, one_hot, sample_actions, softmax
from cardgym.players.checks import check_named, check_setting
from cardgym.players.compatibility import PlayerMetadata, check_compatible
from cardgym.players.network_shapes import MAX_LAYERS
from cardgym.players.networks import one_thread

_POLICIES: dict[str, tuple[type[BasePolicy], type[BasePolicy]]] = {
    module.__name__: policies
    for module, policies in (
        (actor_critic, (actor_critic.ActorCriticPolicy, actor_critic.MultiInputActorCriticPolicy)),
        (maskable, (maskable.MaskableActorCriticPolicy, maskable.MaskableMultiInputActorCriticPolicy)),
        (dqn, (dqn.DQNPolicy, dqn.MultiInputPolicy)),
        (qrdqn, (qrdqn.QRDQNPolicy, qrdqn.MultiInputPolicy)),
        (sb3_dqn, (sb3_dqn.MaskableDQNPolicy, sb3_dqn.MaskableMultiInputPolicy)),
    )
}
"""The policies that are rebuilt without unpickling, by module: for observations that are arrays, and that are dicts."""

_MAX_JSON = 64 << 20
"""Bytes that a model's JSON may have: it includes the last observations, pickled."""

_MAX_RATIO = 100
"""A member that unpacks to more than this many times the file's size is a zip bomb."""

_UNUSED_KWARGS = ("optimizer_class", "optimizer_kwargs")
"""Settings of a policy that do not affect its play."""


class ModelPlayer(Player):
    """The player of a model; greedy unless it samples.

    It takes the legal action of the highest probability or value, so even a model trained without masks plays legally.
    With `samples` it draws its actions as the model does while it learns: from the policy's probabilities or, for a
    model of values, at random with the model's current `exploration_rate`.
    """

    def __init__(self, model: BaseAlgorithm | BasePolicy, name: str = "model", *, samples: bool = False) -> None:
        """Play as `model` does now, and change with it.

        If the model's env is wrapped in `VecNormalize`, the player reads observations as that normalizes them.

        Raises:
            CardgymError: for a model that was not made in an env of cardgym, or that cannot be a player.
        """
        of_kind("model", model, (BaseAlgorithm, BasePolicy), "models and policies of Stable-Baselines3")
        check_named(name, None)
        of_kind("samples", samples, bool, "True and False")
        policy = model.policy if isinstance(model, BaseAlgorithm) else model
        metadata = vars(policy.action_space).get("cardgym")
        if metadata is None:
            raise CardgymError(f"{name}: was not made in an env of cardgym")
        known = tuple(policies[0] for policies in _POLICIES.values())
        if not isinstance(policy, known) or isinstance(policy, RecurrentActorCriticPolicy):
            raise CardgymError(f"{name}: its {type(policy).__name__} cannot be a player; PPO's, A2C's and DQN's can")
        self.name = name
        self.observation_name = metadata["observation"]
        self.samples = samples
        self._model = model
        self._policy = policy
        self._normalize = model.get_vec_normalize_env() if isinstance(model, BaseAlgorithm) else None

    def snapshot(self) -> ModelPlayer:
        """Return a copy with the weights and the normalization of observations as they are now."""
        frozen = copy.copy(self)
        frozen._normalize = copy.deepcopy(self._normalize)  # As when it is saved: without its env.
        stored: Any = io.BytesIO()  # Not deepcopy, which refuses a policy that keeps tensors of its last update.
        self._policy.save(stored)
        stored.seek(0)
        frozen._policy = type(self._policy).load(stored, device=self._policy.device)
        return frozen

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """See `Player.act`."""
        if self.samples and draws is not None:
            return sample_actions(self.probabilities(observations, masks), draws)
        return best_actions(self._scores(observations, masks), masks)

    def probabilities(self, observations: Observations, masks: Masks, temperature: float = 0.0) -> npt.NDArray[Any]:
        """See `Player.probabilities`."""
        scores = self._scores(observations, masks)
        if not self.samples:
            return one_hot(best_actions(scores, masks), masks)
        if not isinstance(self._policy, dqn.DQNPolicy | qrdqn.QRDQNPolicy):  # Then scores are logits, not values.
            return softmax(scores, masks, 1.0)
        rate = float(getattr(self._model, "exploration_rate", 0.0))
        uniform: Float64s = masks / masks.sum(axis=1, keepdims=True)
        return rate * uniform + (1.0 - rate) * one_hot(best_actions(scores, masks), masks)

    def _scores(self, observations: Observations, masks: Masks) -> Float32s:
        """See `action_scores`, (rows, actions), float32."""
        policy, inputs = self._policy, self._inputs(observations, masks)
        if self._normalize is not None:
            inputs = self._normalize.normalize_obs(inputs)
        policy.set_training_mode(False)
        with one_thread(), torch.inference_mode():
            scores: Float32s = action_scores(policy, policy.obs_to_tensor(inputs)[0]).cpu().numpy()
        return scores

    def _inputs(self, observations: Float32s, masks: Int8s) -> npt.NDArray[Any] | dict[str, npt.NDArray[Any]]:
        """Return the inputs of the policy: `observations` as the model's env shows them."""
        space = self._policy.observation_space
        as_dict = isinstance(space, spaces.Dict)
        shown: npt.NDArray[Any] = observations
        if isinstance(space["observation"] if isinstance(space, spaces.Dict) else space, spaces.Discrete):
            shown = observations[:, 0].astype(np.int64)
        return {"observation": shown, "action_mask": masks} if as_dict else shown


def action_scores(policy: BasePolicy, observations: Any) -> Tensor:
    """Return the score of each action by a policy, (rows, actions): logits or values, the higher the better.

    Args:
        policy: one of `_POLICIES`.
        observations: a tensor (rows, ...), or a dict of such, as `policy.obs_to_tensor` returns them.
    """
    if isinstance(policy, dqn.DQNPolicy):
        values: Tensor = policy.q_net(observations)
        return values
    if isinstance(policy, qrdqn.QRDQNPolicy):
        quantiles: Tensor = policy.quantile_net(observations)
        return quantiles.mean(dim=1)
    assert isinstance(policy, actor_critic.ActorCriticPolicy | maskable.MaskableActorCriticPolicy)
    distribution: Any = policy.get_distribution(observations).distribution
    logits: Tensor = distribution.logits
    return logits


# -- files ------------------------------------------------------------------------------------------------------------


def load_player(path: Path, game: Game, options: Options) -> ModelPlayer:
    """Return the greedy player of a model's `.zip` file.

    Args:
        game: the game it is to play.

    Raises:
        CardgymError: for a file that is missing or not a model, that was made for another game, other options or
            another observation, or whose policy could only be unpickled.
    """
    check_setting(game, options)
    path = path_of("path", path)
    what = f"model {path}"
    data, weights = _read(path, what)
    if not isinstance(data.action_space.get("cardgym"), dict):
        raise CardgymError(f"{what}: does not say which game it was made for; train it in an env of cardgym")
    metadata = validate(_ModelMetadata, data.action_space["cardgym"], what)
    check_compatible(what, metadata, game, options)
    core = EnvCore(game, options.asdict(), obs=metadata.observation, obs_mode="dict" if metadata.as_dict else "flat")
    observation_space, action_space = core.observation_space(), core.action_space()
    described = json.loads(data_to_json({"space": observation_space}))["space"]
    same_space = _description(data.observation_space) == _description(described)
    if not same_space or not _contains(observation_space, _arrays(data.last_obs)):
        raise CardgymError(
            f"{what}: a wrapper such as VecNormalize changed its observations, which this file does not contain; "
            "load it in Python and play it as cardgym.interop.sb3.ModelPlayer"
        )
    policy_class, kwargs = _plain_policy(data, metadata.as_dict)
    if policy_class is None:
        raise CardgymError(
            f"{what}: its policy could only be unpickled, which runs any code it contains; if you trust its source, "
            "load it in Python and play it as cardgym.interop.sb3.ModelPlayer"
        )
    _check_layers(what, kwargs, weights, game.actions(options))
    try:
        with torch.random.fork_rng(devices=[]):  # A player that loads leaves the draws of other code as they are.
            policy = policy_class(observation_space, action_space, lambda _: 0.0, **kwargs)
        policy.load_state_dict(weights)
    except (AssertionError, AttributeError, KeyError, RuntimeError, TypeError, ValueError):
        raise CardgymError(f"{what}: its policy and its weights do not fit together") from None
    return ModelPlayer(policy, str(path))


class _ModelMetadata(PlayerMetadata):
    """The metadata that an env of cardgym writes into its action space."""

    as_dict: bool = False


_Described = Annotated[dict[str, Any], at_most(1000)]


class _Model(Document):
    """A model's JSON, as far as it is read; what is pickled is still text."""

    observation_space: _Described
    action_space: _Described
    policy_class: _Described
    policy_kwargs: _Described
    last_obs: Any = Field(None, alias="_last_obs")


def _read(path: Path, what: str) -> tuple[_Model, dict[str, Tensor]]:
    """Return a model's JSON and the weights of its policy."""
    kind = "a model of Stable-Baselines3"
    with opened(path, what) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                content = _member(archive, "data", _MAX_JSON)
                packed = _member(archive, "policy.pth", _MAX_RATIO * os.fstat(file.fileno()).st_size)
            with zipfile.ZipFile(io.BytesIO(packed)) as inner:
                if sum(member.file_size for member in inner.infolist()) > len(packed):
                    raise ValueError("policy.pth: its parts are larger than it")
            weights = torch.load(io.BytesIO(packed), map_location="cpu", weights_only=True)
        except Exception as error:  # zipfile and torch.load raise a dozen kinds for a file that is damaged or foreign.
            reason = printable(str(error)) or type(error).__name__
            raise CardgymError(f"{what}: truncated or not {kind} ({reason})") from None
    values = parse_json(content, f"{what}: not {kind}: data", constants=True)
    model = validate(_Model, values, f"{what}: not {kind}: data")
    if not isinstance(weights, dict) or not all(isinstance(value, Tensor) for value in weights.values()):
        raise CardgymError(f"{what}: truncated or not {kind} (its weights are not tensors by name)")
    if not all(value.is_contiguous() and bool(torch.isfinite(value).all()) for value in weights.values()):
        raise CardgymError(f"{what}: its weights have a number that is not finite; train it again")
    return model, weights


def _member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """Return a member of at most `limit` bytes; no more is unpacked."""
    with archive.open(name) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{name} unpacks to more than {limit:,} bytes")
    return content


def _check_layers(what: str, kwargs: Mapping[str, Any], weights: Mapping[str, Tensor], num_actions: int) -> None:
    """Check that the layers in a policy's settings are among its weights, before any is allocated."""
    shapes = {tuple(value.shape) for value in weights.values()}
    lengths = {length for shape in shapes for length in shape}
    outputs = [num_actions * kwargs["n_quantiles"]] if "n_quantiles" in kwargs else []
    arch = kwargs.get("net_arch") or []
    for hidden in arch.values() if isinstance(arch, dict) else [arch]:
        sizes = [*hidden, *outputs] if isinstance(hidden, list) else [None]
        if (
            len(sizes) > MAX_LAYERS
            or not all(type(size) is int for size in sizes)
            or not set(sizes[:1]) <= lengths
            or not all((size, before) in shapes for before, size in pairwise(sizes))
        ):
            raise CardgymError(f"{what}: its policy and its weights do not fit together: net_arch or n_quantiles")


def _description(described: Mapping[str, Any]) -> list[Any]:
    """Return what tells a space in a model's JSON from others: type, shape, bounds, number of values, parts."""
    return [described.get(name) for name in (":type:", "_shape", "low", "high", "n", "spaces")]


_ARRAY_PARTS = (
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.numeric", "_frombuffer"),
)


class _ArrayUnpickler(pickle.Unpickler):
    """Unpickles NumPy arrays of numbers and dicts of them, and refuses everything else."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what makes up an array, and nothing else: some modules of NumPy are programs that run when they are
        imported."""
        if (module.replace("numpy.core.", "numpy._core."), name) in _ARRAY_PARTS:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")


def _arrays(described: Any) -> Any:
    """Observations, (num_envs, ...) or a dict of such, in a model's JSON; None if there are none."""
    try:
        content = base64.b64decode(described[":serialized:"])
        arrays = _ArrayUnpickler(io.BytesIO(content)).load()
        parts = arrays.values() if isinstance(arrays, dict) else [arrays]
        # A pickle can declare an array of any size.
        return arrays if sum(part.nbytes for part in parts) <= len(content) else None
    except Exception:  # null, or a pickle of something else.
        return None


def _contains(space: spaces.Space[Any], seen: Any) -> bool:
    """Whether the observations that a model saw last, if they are known, are of this space.

    `VecNormalize` changes observations and leaves the space as it is.
    """
    if isinstance(space, spaces.Dict) and isinstance(seen, dict):
        return all(_contains(part, seen.get(name)) for name, part in space.items())
    return not isinstance(seen, np.ndarray) or (seen.ndim > 0 and all(space.contains(row) for row in seen))


def _plain_policy(data: _Model, as_dict: bool) -> tuple[type[BasePolicy] | None, dict[str, Any]]:
    """Return the class and the settings of a policy, if they are known without unpickling; None otherwise."""
    policies = _POLICIES.get(str(data.policy_class.get("__module__", "")))
    kwargs = {name: value for name, value in data.policy_kwargs.items() if name not in _UNUSED_KWARGS}
    if kwargs.pop(":serialized:", None) is not None:  # A pickled dict, followed by its values as text or plain.
        kwargs.pop(":type:", None)
        for name, value in kwargs.items():
            activation = re.fullmatch(r"<class 'torch\.nn\.modules\.activation\.(\w+)'>", str(value))
            if name == "activation_fn" and activation is not None and hasattr(nn, activation[1]):
                kwargs[name] = getattr(nn, activation[1])
            elif isinstance(value, str):
                return None, {}
    return (policies[as_dict] if policies else None), kwargs
