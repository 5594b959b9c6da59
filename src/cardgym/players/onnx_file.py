"""Networks as ONNX files, for programs without cardgym or PyTorch; written with the library's own functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.errors import path_of
from cardgym.files import replacing
from cardgym.players.checkpoints import POLICY_NETWORK, CheckpointPlayer

_OPSET, _IR_VERSION = 17, 8
"""Versions of ONNX that every runtime since 2022 reads."""


def save_onnx(player: CheckpointPlayer, path: Path) -> None:
    """Write a network's player as an ONNX model.

    The model reads `observations`, (rows, size) float32, and `masks`, (rows, actions) int8. It gives the legal actions
    that are best, `actions`, (rows,) int64, and the numbers that they are best by, (rows, actions) float32:
    `probabilities` of a policy network, 0 for illegal actions, or `values` of a Q-network, the lowest float for illegal
    actions. Its property `cardgym` holds, as JSON, what the network was made for.
    """
    import onnx
    from onnx import TensorProto, helper

    graph, shape = _Graph(), player.metadata.shape
    policy = player.metadata.format == POLICY_NETWORK
    for name, array in player.arrays.items():
        if not name.startswith("value."):  # The state value is for learning only.
            graph.constant(name, array)
    legal = graph.node("Cast", "masks", to=TensorProto.BOOL)
    masked = graph.node("Where", legal, _outputs(graph, player), graph.constant("lowest", np.finfo(np.float32).min))
    numbers = (
        graph.node("Softmax", masked, name="" if shape.threshold else "probabilities")
        if policy
        else graph.node("Identity", masked, name="values")
    )
    if shape.threshold:
        likeliest = graph.node("ReduceMax", numbers, axes=[1])
        least = graph.node("Min", likeliest, graph.constant("threshold", np.float32(shape.threshold)))
        kept = graph.node("Where", graph.node("Less", numbers, least), graph.constant("zero", np.float32(0)), numbers)
        total = graph.node("ReduceSum", kept, graph.constant("every_action", np.array([1])))
        numbers = graph.node("Div", kept, total, name="probabilities")
    graph.node("ArgMax", numbers, name="actions", axis=1, keepdims=0)
    sizes = {"observations": (TensorProto.FLOAT, shape.inputs), "masks": (TensorProto.INT8, shape.actions)}
    inputs = [helper.make_tensor_value_info(name, kind, ["rows", size]) for name, (kind, size) in sizes.items()]
    outputs = [
        helper.make_tensor_value_info(numbers, TensorProto.FLOAT, ["rows", shape.actions]),
        helper.make_tensor_value_info("actions", TensorProto.INT64, ["rows"]),
    ]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "network", inputs, outputs, graph.constants),
        producer_name="cardgym",
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    helper.set_model_props(model, {"cardgym": json.dumps(player.metadata.model_dump(mode="json"))})
    onnx.checker.check_model(model, full_check=True)
    with replacing(path_of("path", path)) as temporary:
        temporary.write_bytes(model.SerializeToString(deterministic=True))


class _Graph:
    """Nodes and constants of a model; each is known by the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, array: npt.ArrayLike) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = name or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def layer(self, name: str, values: str) -> str:
        return self.node("Gemm", values, f"{name}.weight", f"{name}.bias", transB=1)

    def product(self, name: str, values: str) -> str:
        return self.node("MatMul", values, self.node("Transpose", f"{name}.weight"))


def _outputs(graph: _Graph, player: CheckpointPlayer) -> str:
    """Return action values or logits, illegal actions included; see `QNetwork` and `PolicyNetwork`."""
    shape, hidden = player.metadata.shape, "observations"
    if shape.featured_actions:
        hidden = graph.node("Gather", hidden, graph.constant("body_inputs", np.array(shape.body_inputs)), axis=1)
    for number in range(len(shape.hidden_sizes)):
        hidden = graph.node("Relu", graph.layer(f"body.{2 * number}", hidden))
    outputs = graph.layer("policy" if player.metadata.format == POLICY_NETWORK else "head", hidden)
    if shape.featured_actions:
        places = np.add.outer(np.arange(shape.featured_actions), shape.feature_starts)
        features = graph.node("Gather", "observations", graph.constant("feature_inputs", places), axis=1)
        context = graph.node("Unsqueeze", graph.layer("context", hidden), graph.constant("actions_axis", np.array([1])))
        units = graph.node("Relu", graph.node("Add", graph.product("features", features), context))
        scores = graph.node("Squeeze", graph.product("score", units), graph.constant("unit_axis", np.array([2])))
        outputs = graph.node("Concat", scores, outputs, axis=1)
    if shape.wide:
        outputs = graph.node("Add", outputs, graph.product("direct", "observations"))
    if shape.dueling:
        at = [graph.constant(f"at_{index}", np.array([index])) for index in (0, 1, shape.actions + 1)]
        state, advantages = (graph.node("Slice", outputs, *ends, at[1]) for ends in (at[:2], at[1:]))
        mean = graph.node("ReduceMean", advantages, axes=[1])
        outputs = graph.node("Add", state, graph.node("Sub", advantages, mean))
    return outputs
