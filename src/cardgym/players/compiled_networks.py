"""The layers of saved networks, compiled: a decision of a small network in microseconds, without PyTorch.

Every sum has a fixed order, so the same weights give the same bits on every processor. PyTorch's sums do not, and its
layers are faster only for many rows at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s
from cardgym.engine.rules import rule
from cardgym.players.base import SMALLEST_SHARE, Masks, Observations
from cardgym.players.network_shapes import ACTION_UNITS, NetworkShape

_LOWEST = np.finfo(np.float32).min


class CompiledNetwork:
    """The weights of a Q-network or a policy network, in the order in which compiled code reads them."""

    def __init__(self, shape: NetworkShape, arrays: Mapping[str, Float32s]) -> None:
        """Take the arrays of the network's file, by name; see `weights_of_values` and `weights_of_policy`."""
        self.actions, self._threshold = shape.actions, shape.threshold
        body = [f"body.{2 * number}" for number in range(len(shape.hidden_sizes))]
        last = "head" if "head.weight" in arrays else "policy"
        parts = [part for name in [*body, last] for part in _layer(arrays, name)]
        widths = [len(shape.body_inputs), *shape.hidden_sizes, len(arrays[f"{last}.bias"])]
        if shape.featured_actions:
            parts += [arrays["features.weight"].T, *_layer(arrays, "context"), arrays["score.weight"]]
        if shape.wide:
            parts.append(arrays["direct.weight"].T)
        kind = [shape.featured_actions, shape.wide, shape.dueling]
        self._layers: tuple[npt.NDArray[Any], ...] = (
            np.concatenate([np.ravel(part) for part in parts]).astype(np.float32),
            *(np.array(numbers, np.int64) for numbers in (widths, shape.body_inputs, shape.feature_starts, kind)),
        )

    def outputs(self, observations: Observations) -> Float32s:
        """Return action values or logits, (rows, actions), for observations (rows, inputs), float32."""
        outputs = np.empty((len(observations), self.actions), np.float32)
        _write_outputs(np.ascontiguousarray(observations, np.float32), self._layers, outputs)
        return outputs

    def probabilities(self, observations: Observations, masks: Masks) -> Float32s:
        """Return the probabilities of a policy network's actions, (rows, actions); exactly 0 for illegal ones."""
        shares = self.outputs(observations)
        _to_probabilities(shares, np.ascontiguousarray(masks, np.int8), self._threshold)
        return shares

    def choose(self, observation: Float32s, mask: Any, draw: float) -> int:
        """One decision: the legal action with the highest output, or by a draw in [0, 1) from the probabilities.

        Args:
            observation: (inputs,), float32.
            mask: (actions,), int8.
            draw: -1 for the action with the highest output.
        """
        return int(_choose(observation, self._layers, mask, self._threshold, draw))


def _layer(arrays: Mapping[str, Float32s], name: str) -> tuple[Float32s, Float32s]:
    """Return the bias of a layer, and its weights with a row for each input."""
    return arrays[f"{name}.bias"], arrays[f"{name}.weight"].T


# -- one row -----------------------------------------------------------------------------------------------------------


@rule
def _affine(values: Any, count: int, weights: Any, at: int, out: Any) -> int:
    """Write the bias at `weights[at]` plus the weighted sum of `count` values to `out`; return the next layer's place.

    Values of 0, most of an observation, are skipped.
    """
    width = out.shape[0]
    for j in range(width):
        out[j] = weights[at + j]
    return int(_add_weighted(values, count, weights, at + width, out))


@rule
def _add_weighted(values: Any, count: int, weights: Any, at: int, out: Any) -> int:
    """Add the sum of `count` values, each times its row of the weights at `at`; return the place after these."""
    width = out.shape[0]
    for i in range(count):
        value = values[i]
        if value != 0:
            row = weights[at + i * width : at + (i + 1) * width]
            for j in range(width):
                out[j] += value * row[j]
    return int(at + count * width)


@rule
def _write_row(observation: Any, layers: Any, units: Any, output: Any) -> None:
    """Write a row's action values or logits; `units`, (2, at least the widest layer), is overwritten."""
    weights, widths, inputs, starts, kind = layers
    featured, wide, dueling = kind[0], kind[1], kind[2]
    for i in range(inputs.shape[0]):
        units[0, i] = observation[inputs[i]]
    at, side = 0, 0
    for layer in range(widths.shape[0] - 2):
        out = units[1 - side, : widths[layer + 1]]
        at = _affine(units[side], widths[layer], weights, at, out)
        for j in range(out.shape[0]):
            out[j] = max(out[j], np.float32(0))
        side = 1 - side
    hidden, width = units[side], widths[-2]
    last = units[1 - side, : featured + widths[-1]]
    at = _affine(hidden, width, weights, at, last[featured:])
    if featured:
        at = _write_scores(observation, hidden, width, weights, at, starts, last[:featured])
    if wide:
        _add_weighted(observation, observation.shape[0], weights, at, last)
    if dueling:
        mean = np.float32(0)
        for j in range(output.shape[0]):
            mean += last[1 + j]
        mean /= np.float32(output.shape[0])
        for j in range(output.shape[0]):
            output[j] = last[0] + last[1 + j] - mean
    else:
        for j in range(output.shape[0]):
            output[j] = last[j]


@rule
def _write_scores(observation: Any, hidden: Any, width: int, weights: Any, at: int, starts: Any, scores: Any) -> int:
    """Write the logits of the actions with features of their own; return the next layer's place."""
    columns = at
    at += starts.shape[0] * ACTION_UNITS
    context, unit = np.empty(ACTION_UNITS, np.float32), np.empty(ACTION_UNITS, np.float32)
    at = _affine(hidden, width, weights, at, context)
    for action in range(scores.shape[0]):
        for j in range(ACTION_UNITS):
            unit[j] = context[j]
        for k in range(starts.shape[0]):
            value = observation[starts[k] + action]
            if value != 0:
                for j in range(ACTION_UNITS):
                    unit[j] += value * weights[columns + k * ACTION_UNITS + j]
        score = np.float32(0)
        for j in range(ACTION_UNITS):
            score += max(unit[j], np.float32(0)) * weights[at + j]
        scores[action] = score
    return at + ACTION_UNITS


@rule
def _new_units(layers: Any) -> Any:
    _, widths, _, _, kind = layers
    widest = 0
    for layer in range(widths.shape[0]):
        widest = max(widest, widths[layer])
    return np.empty((2, widest + kind[0]), np.float32)


@rule
def _to_shares(output: Any, mask: Any, threshold: float) -> None:
    """Turn a row's logits into probabilities; those below the threshold into 0."""
    top = _LOWEST
    for action in range(output.shape[0]):
        if mask[action]:
            top = max(top, output[action])
    total = 0.0
    for action in range(output.shape[0]):
        share = exp(np.float64(output[action] - top)) if mask[action] else 0.0
        output[action] = share
        total += share
    if threshold > 0.0:
        least, total = min(threshold * total, 1.0), 0.0  # The likeliest has 1.
        for action in range(output.shape[0]):
            output[action] = output[action] if output[action] >= least else 0.0
            total += output[action]
    for action in range(output.shape[0]):
        output[action] /= total


# -- entry points ------------------------------------------------------------------------------------------------------


@compiled
def _write_outputs(observations: Float32s, layers: tuple[Any, ...], outputs: Float32s) -> None:
    units = _new_units(layers)
    for row in range(observations.shape[0]):
        _write_row(observations[row], layers, units, outputs[row])


@compiled
def _to_probabilities(outputs: Float32s, masks: Masks, threshold: float) -> None:
    for row in range(outputs.shape[0]):
        _to_shares(outputs[row], masks[row], threshold)


@compiled
def _choose(observation: Float32s, layers: tuple[Any, ...], mask: Masks, threshold: float, draw: float) -> int:
    """See `CompiledNetwork.choose`; with a draw, the action that `sample_actions` takes."""
    output = np.empty(mask.shape[0], np.float32)
    _write_row(observation, layers, _new_units(layers), output)
    if draw < 0:
        best = -1
        for action in range(output.shape[0]):
            if mask[action] and (best < 0 or output[action] > output[best]):
                best = action
        return best
    _to_shares(output, mask, threshold)
    total = 0.0
    for action in range(output.shape[0]):
        total += output[action]
    goal = max(np.float32(1) - np.float32(draw), SMALLEST_SHARE) * np.float32(total)
    total = 0.0
    for action in range(output.shape[0]):
        total += output[action]
        if np.float32(total) >= goal:
            return action
    return -1
