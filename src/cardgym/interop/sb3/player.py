"""Models of Stable-Baselines3 as players: in memory, and from the `.zip` files that `model.save` writes.

A `.zip` holds weights, which are read as tensors alone, and the rest of the model as JSON, partly pickled. Unpickling a
file runs whatever code it holds. So a model with one of the policies in `_POLICIES` and plain settings is rebuilt from
its weights and its JSON, and nothing is unpickled. Any other is loaded only where the user trusts it.
"""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable import policies as maskable
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.qrdqn import policies as qrdqn
from stable_baselines3.common import policies as actor_critic
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.save_util import data_to_json, json_to_data
from stable_baselines3.dqn import policies as dqn
from torch import Tensor, nn

from cardgym.engine.contract import Game, Options
from cardgym.envs.core import EnvCore
from cardgym.errors import CardgymError
from cardgym.interop.sb3 import maskable_dqn
from cardgym.players.base import TRUST
from cardgym.players.metadata import check_compatible
from cardgym.players.networks import masked, one_thread

_POLICIES: dict[str, tuple[type[BasePolicy], type[BasePolicy]]] = {
    module.__name__: policies
    for module, policies in (
        (actor_critic, (actor_critic.ActorCriticPolicy, actor_critic.MultiInputActorCriticPolicy)),
        (maskable, (maskable.MaskableActorCriticPolicy, maskable.MaskableMultiInputActorCriticPolicy)),
        (dqn, (dqn.DQNPolicy, dqn.MultiInputPolicy)),
        (qrdqn, (qrdqn.QRDQNPolicy, qrdqn.MultiInputPolicy)),
        (maskable_dqn, (maskable_dqn.MaskableDQNPolicy, maskable_dqn.MaskableMultiInputPolicy)),
    )
}
"""The policies that are rebuilt without unpickling, by module: for observations that are arrays, and that are dicts."""

_UNUSED_KWARGS = ("optimizer_class", "optimizer_kwargs")
"""Settings of a policy that change nothing that it plays."""


class ModelPlayer:
    """The greedy player of a model, a batch policy; deterministic.

    It takes the legal action that the model holds best: of the highest probability, or of the highest value. So a model
    that was trained without masks keeps to the legal actions too.

    Attributes:
        name: its name in reports.
        observation_name: the observation it reads.
    """

    def __init__(self, model: BaseAlgorithm | BasePolicy, name: str = "model") -> None:
        """A player that plays as `model` does now, and changes with it.

        If the model's env is wrapped in `VecNormalize`, the player reads observations as that normalizes them.

        Raises:
            CardgymError: for a model that was not made in an env of cardgym, or that cannot be a player.
        """
        policy = model.policy if isinstance(model, BaseAlgorithm) else model
        metadata = vars(policy.action_space).get("cardgym")
        if metadata is None:
            raise CardgymError(f"{name}: was not made in an env of cardgym")
        known = tuple(policies[0] for policies in _POLICIES.values())
        if not isinstance(policy, known) or isinstance(policy, RecurrentActorCriticPolicy):
            raise CardgymError(f"{name}: its {type(policy).__name__} cannot be a player; PPO's, A2C's and DQN's can")
        self.name = name
        self.observation_name: str | None = metadata["observation"]
        self._policy = policy
        self._normalize = model.get_vec_normalize_env() if isinstance(model, BaseAlgorithm) else None

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """The legal action that the model holds best in each row, (rows,) int64; see `BatchPolicy`."""
        policy, inputs = self._policy, self._inputs(observations, masks)
        if self._normalize is not None:
            inputs = self._normalize.normalize_obs(inputs)
        policy.set_training_mode(False)
        with one_thread(), torch.inference_mode():
            scores = action_scores(policy, policy.obs_to_tensor(inputs)[0])
            legal = torch.tensor(masks, device=scores.device).bool()
            best: npt.NDArray[np.int64] = masked(scores, legal).argmax(dim=1).cpu().numpy()
        return best

    def _inputs(
        self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[Any] | dict[str, npt.NDArray[Any]]:
        """What the policy reads: `observations` as the model's env shows them."""
        space = self._policy.observation_space
        as_dict = isinstance(space, spaces.Dict)
        shown: npt.NDArray[Any] = observations
        if isinstance(space["observation"] if isinstance(space, spaces.Dict) else space, spaces.Discrete):
            shown = observations[:, 0].astype(np.int64)
        return {"observation": shown, "action_mask": masks} if as_dict else shown


def action_scores(policy: BasePolicy, observations: Any) -> Tensor:
    """What a policy thinks of each action, (rows, actions): logits or values, the higher the better.

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


def load_player(path: Path, game: Game, options: Options, *, trust: bool | None = None) -> ModelPlayer:
    """The greedy player of a model's `.zip` file.

    Args:
        path: the file.
        game: the game it is to play.
        options: the game's options.
        trust: whether the file may be unpickled, which runs whatever code it holds. None asks the environment variable
            `CARDGYM_TRUST`.

    Raises:
        CardgymError: for a file that is missing or no model, that was made for another game, other options or another
            observation, or that has to be unpickled without trust.
    """
    what = f"model {path}"
    data, weights = _read(path)
    metadata = data["action_space"].get("cardgym")
    if not isinstance(metadata, dict):
        raise CardgymError(f"{what}: does not say which game it was made for; train it in an env of cardgym")
    check_compatible(what, metadata, game, options)
    as_dict = bool(metadata.get("as_dict"))
    core = EnvCore(game, options.asdict(), obs=metadata["observation"], obs_mode="dict" if as_dict else "flat")
    observation_space, action_space = core.observation_space(), core.action_space()
    same_space = _description(data["observation_space"]) == _description(_as_json(observation_space))
    if not same_space or not _contains(observation_space, _arrays(data.get("_last_obs"))):
        raise CardgymError(
            f"{what}: a wrapper such as VecNormalize changed its observations, which this file does not hold; "
            "load it in Python and play it as cardgym.interop.sb3.ModelPlayer"
        )
    policy_class, kwargs = _plain_policy(data, as_dict)
    if policy_class is None:
        if not (os.environ.get(TRUST) == "1" if trust is None else trust):
            raise CardgymError(
                f"{what}: has to be unpickled, which runs any code it holds; if you trust its source, "
                f"add --trust, set {TRUST}=1 or call load_player(trust=True)"
            )
        policy_class, kwargs = _unpickled_policy(what, data)
    try:
        policy = policy_class(observation_space, action_space, lambda _: 0.0, **kwargs)
        policy.load_state_dict(weights)
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError):
        raise CardgymError(f"{what}: its policy and its weights do not fit together") from None
    return ModelPlayer(policy, str(path))


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """A model's JSON, with what is pickled still as text, and the weights of its policy.

    Raises:
        CardgymError: for a file that is missing, or no model of Stable-Baselines3.
    """
    if not path.is_file():
        raise CardgymError(f"model {path}: no such file; give the path of a .zip file that model.save wrote")
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("data"))
            weights = torch.load(io.BytesIO(archive.read("policy.pth")), map_location="cpu", weights_only=True)
        spaces_and_policy = [data["observation_space"], data["action_space"], data["policy_class"]]
        readable = all(isinstance(part, dict) for part in [*spaces_and_policy, data["policy_kwargs"], weights])
    except Exception:  # zipfile, json and torch.load raise a dozen kinds on a file that is damaged or not theirs.
        readable = False
    if not readable:
        raise CardgymError(f"model {path}: truncated or not a model of Stable-Baselines3")
    return data, weights


def _as_json(space: spaces.Space[Any]) -> dict[str, Any]:
    """A space as a model's JSON describes it."""
    described: dict[str, Any] = json.loads(data_to_json({"space": space}))["space"]
    return described


def _description(described: Mapping[str, Any]) -> list[Any]:
    """What tells apart spaces that a model's JSON describes: type, shape, bounds, number of values, parts."""
    return [described.get(name) for name in (":type:", "_shape", "low", "high", "n", "spaces")]


class _ArrayUnpickler(pickle.Unpickler):
    """Unpickles NumPy arrays of numbers and dicts of them, and refuses all else."""

    def find_class(self, module: str, name: str) -> Any:
        """What makes an array."""
        if module.partition(".")[0] == "numpy" and name in ("_frombuffer", "_reconstruct", "dtype", "ndarray"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")


def _arrays(described: Any) -> Any:
    """Observations, (num_envs, ...) or a dict of such, that a model's JSON holds; None if it does not."""
    try:
        return _ArrayUnpickler(io.BytesIO(base64.b64decode(described[":serialized:"]))).load()
    except Exception:  # The JSON holds null, or a pickle of something else.
        return None


def _contains(space: spaces.Space[Any], seen: Any) -> bool:
    """Whether the observations that a model saw last, if they are known, are of this space.

    `VecNormalize` changes observations and leaves the space as it is.
    """
    if isinstance(space, spaces.Dict) and isinstance(seen, dict):
        return all(_contains(part, seen.get(name)) for name, part in space.items())
    return not isinstance(seen, np.ndarray) or all(space.contains(row) for row in seen)


def _plain_policy(data: Mapping[str, Any], as_dict: bool) -> tuple[type[BasePolicy] | None, dict[str, Any]]:
    """The class and the settings of a policy, as far as they can be told without unpickling; None if they cannot."""
    policies = _POLICIES.get(data["policy_class"].get("__module__", ""))
    kwargs = {name: value for name, value in data["policy_kwargs"].items() if name not in _UNUSED_KWARGS}
    if (
        kwargs.pop(":serialized:", None) is not None
    ):  # A pickled dict: its values stand beside it, as text or as they are.
        del kwargs[":type:"]
        for name, value in kwargs.items():
            activation = re.fullmatch(r"<class 'torch\.nn\.modules\.activation\.(\w+)'>", str(value))
            if name == "activation_fn" and activation is not None and hasattr(nn, activation[1]):
                kwargs[name] = getattr(nn, activation[1])
            elif isinstance(value, str):
                return None, {}
    return (policies[as_dict] if policies else None), kwargs


def _unpickled_policy(what: str, data: Mapping[str, Any]) -> tuple[type[BasePolicy], dict[str, Any]]:
    """The class and the settings of a policy, unpickled."""
    parts = {name: data[name] for name in ("policy_class", "policy_kwargs")}
    try:
        unpickled = json_to_data(json.dumps(parts))
        policy_class, kwargs = unpickled["policy_class"], unpickled["policy_kwargs"]
    except Exception as error:  # Unpickling runs any code, which raises anything.
        raise CardgymError(f"{what}: cannot be unpickled ({type(error).__name__}: {error})") from None
    return policy_class, kwargs
