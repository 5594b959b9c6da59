"""The layers of a network, and the arrays of weights that they have; nothing here needs PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from cardgym.engine.contract import Feature, Game, Options, offsets
from cardgym.errors import CardgymError, of_kind, unknown, whole_number
from cardgym.files.limits import check_memory
from cardgym.players.checks import check_setting

MAX_LAYERS = 64
"""The largest number of hidden layers."""
MAX_UNITS = 65_536
"""The largest number of units of a hidden layer."""
ACTION_UNITS = 16
"""Hidden units of a policy network for each action with its own features."""


@dataclass(frozen=True)
class NetworkShape:
    """The layers of a network: inputs, actions, the sizes of hidden layers.

    Both kinds can be wide. A Q-network can be dueling. A policy network can have features by action: each starts in the
    inputs at one of `feature_starts` and has a number for each of the first `featured_actions` actions. The player of a
    policy network never takes actions less likely than `threshold`, but for the likeliest (thresholding: Ganzfried,
    Sandholm and Waugh, "Strategy purification and thresholding", AAMAS 2012).
    """

    inputs: int
    actions: int
    hidden_sizes: tuple[int, ...] = (128, 128)
    dueling: bool = False
    wide: bool = False
    feature_starts: tuple[int, ...] = ()
    featured_actions: int = 0
    threshold: float = 0.0

    @property
    def body_inputs(self) -> list[int]:
        """The inputs that the first hidden layer reads, in order: all but the features by action."""
        taken = {start + i for start in self.feature_starts for i in range(self.featured_actions)}
        return [i for i in range(self.inputs) if i not in taken]


def weights_of_values(shape: NetworkShape) -> dict[str, tuple[int, ...]]:
    """Return the arrays of a Q-network of this shape, by name in its file."""
    outputs = shape.actions + int(shape.dueling)
    body, width = _body(shape)
    direct = {"direct.weight": (outputs, shape.inputs)} if shape.wide else {}
    return body | _layer("head", width, outputs) | direct


def weights_of_policy(shape: NetworkShape) -> dict[str, tuple[int, ...]]:
    """Return the arrays of a policy network of this shape, by name in its file."""
    body, width = _body(shape)
    arrays = body | _layer("policy", width, shape.actions - shape.featured_actions) | _layer("value", width, 1)
    if shape.featured_actions:
        arrays |= {"features.weight": (ACTION_UNITS, len(shape.feature_starts)), "score.weight": (1, ACTION_UNITS)}
        arrays |= _layer("context", width, ACTION_UNITS)
    return arrays | ({"direct.weight": (shape.actions, shape.inputs)} if shape.wide else {})


def _body(shape: NetworkShape) -> tuple[dict[str, tuple[int, ...]], int]:
    """Return the arrays of the hidden layers, and the number of units of the last one."""
    widths = (len(shape.body_inputs), *shape.hidden_sizes)
    arrays: dict[str, tuple[int, ...]] = {}
    for number, (inputs, outputs) in enumerate(pairwise(widths)):
        arrays |= _layer(f"body.{2 * number}", inputs, outputs)  # A ReLU stands between two of them.
    return arrays, widths[-1]


def _layer(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def network_shape(
    game: Game,
    options: Options,
    observation_name: str,
    hidden_sizes: tuple[int, ...],
    dueling: bool,
    wide: bool = False,
    action_features: tuple[str, ...] = (),
) -> NetworkShape:
    """Return the shape of a network for this game and observation.

    Args:
        action_features: features of the observation that have a number for each action, from action 0 on; see
            `PolicyNetwork`.

    Raises:
        CardgymError: for an observation that is a single whole number, which a network cannot read, hidden layers that
            would not fit in memory, or features that are missing or differ in size.
    """
    check_setting(game, options)
    for name, value in (("dueling", dueling), ("wide", wide)):
        of_kind(name, value, bool, "True and False")
    for name, values in (("hidden_sizes", hidden_sizes), ("action_features", action_features)):
        of_kind(name, values, (list, tuple), "lists and tuples")
    for size in hidden_sizes:
        whole_number("hidden_sizes", size, 1)
    observation = game.observation(observation_name)
    if observation.discrete is not None:
        usable = [name for name, other in game.observations.items() if other.discrete is None]
        raise CardgymError(
            f"observation {observation_name!r} of {game.id} numbers the states, which a network cannot read; "
            f"use {' or '.join(usable) or 'another game'}"
        )
    inputs, actions = observation.size(options), game.actions(options)
    if len(hidden_sizes) > MAX_LAYERS or max(hidden_sizes, default=1) > MAX_UNITS:
        raise CardgymError(f"hidden_sizes: allowed are up to {MAX_LAYERS} layers of 1 to {MAX_UNITS:,} units")
    weights = sum(rows * columns for rows, columns in pairwise((inputs, *hidden_sizes, actions)))
    # With its gradient, the two moments of Adam and the target network.
    check_memory(f"a network of {weights:,} weights in training", 5 * 4 * weights, "choose smaller hidden_sizes")
    starts, featured = _by_action(observation.features(options), actions, action_features)
    return NetworkShape(inputs, actions, hidden_sizes, dueling, wide, starts, featured)


def _by_action(features: tuple[Feature, ...], actions: int, names: tuple[str, ...]) -> tuple[tuple[int, ...], int]:
    """Return the starts of the features with these names, and the number of actions for which each has a number."""
    if not names:
        return (), 0
    sizes = {feature.name: feature.size for feature in features if 1 < feature.size <= actions}
    for name in names:
        of_kind("action_features", name, str, "names of features")
        if name not in sizes:
            raise unknown("feature in action_features", name, sizes)
    if len({sizes[name] for name in names}) > 1:
        shown = ", ".join(f"{name} {sizes[name]}" for name in names)
        raise CardgymError(f"action_features: each must have a number for the same actions, and these have {shown}")
    starts = offsets(features)
    return tuple(starts[name] for name in names), sizes[names[0]]
