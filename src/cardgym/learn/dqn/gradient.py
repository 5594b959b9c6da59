"""The gradient of a Q-network, layer by layer, without autograd."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from cardgym.players.networks import QNetwork


class QNetworkGradient:
    """Values of a Q-network and their gradient, in one flat tensor that every update uses again.

    Autograd records and frees a graph at each update, and scatters the gradient over as many tensors as there are
    layers. On a network this small that takes nearly as long as the matrix products.

    Attributes:
        parameters: all parameters of the network, (parameters,), float32. Those of the network are views of it.
        gradient: what `backward` computed, (parameters,). The `grad` of each parameter of the network is a view of it.
    """

    def __init__(self, network: QNetwork) -> None:
        """Move the network's parameters into `parameters`, with the values that they have."""
        self._network = network
        self._layers = [module for module in network.body if isinstance(module, nn.Linear)] + [network.head]
        self._activations: list[Tensor] = []
        owned = list(network.parameters())
        self.parameters = torch.cat([parameter.detach().flatten() for parameter in owned])
        self.gradient = torch.zeros_like(self.parameters)
        start = 0
        for parameter in owned:
            stop = start + parameter.numel()
            parameter.data = self.parameters[start:stop].view_as(parameter)
            parameter.grad = self.gradient[start:stop].view_as(parameter)
            start = stop

    @torch.no_grad()
    def forward(self, observations: Tensor) -> Tensor:
        """The action values (rows, actions) of observations (rows, inputs), kept for `backward`."""
        outputs = observations
        self._activations = [observations]
        for layer in self._layers[:-1]:
            outputs = linear(outputs, layer.weight, layer.bias).relu_()
            self._activations.append(outputs)
        return self._network.combine(linear(outputs, self._layers[-1].weight, self._layers[-1].bias), observations)

    @torch.no_grad()
    def backward(self, value_gradient: Tensor) -> None:
        """Compute `gradient`, given a loss's gradient by the action values that `forward` returned, (rows, actions)."""
        gradient = value_gradient
        if self._network.shape.dueling:  # Q = V + A - mean A, with V in the first column.
            total = value_gradient.sum(dim=1, keepdim=True)
            gradient = torch.cat([total, value_gradient - total / value_gradient.shape[1]], dim=1)
        if self._network.shape.wide:
            _product(gradient, self._activations[0], self._network.direct.weight)
        for layer, inputs in zip(reversed(self._layers), reversed(self._activations), strict=True):
            _product(gradient, inputs, layer.weight)
            assert layer.bias.grad is not None
            torch.sum(gradient, 0, out=layer.bias.grad)
            if inputs is not self._activations[0]:
                # A unit of a rectified layer passes the gradient on where its output is above 0.
                gradient = torch.ops.aten.threshold_backward(gradient @ layer.weight, inputs, 0)


def _product(gradient: Tensor, inputs: Tensor, weight: Tensor) -> None:
    assert weight.grad is not None
    torch.mm(gradient.t(), inputs, out=weight.grad)
