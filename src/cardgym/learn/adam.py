"""Adam on parameters that lie in one tensor."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor


class Adam:
    """Adam: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.

    It steps as `torch.optim.Adam` does, up to the last bits. That one takes 1.5 s to construct, because it imports
    PyTorch's compiler, and more time for its bookkeeping than for the arithmetic on a small network.

    Attributes:
        learning_rate: the step size; may be set between steps.
    """

    def __init__(
        self, parameters: Tensor, learning_rate: float, *, betas: tuple[float, float] = (0.9, 0.999), epsilon: float
    ) -> None:
        """Start with moments of 0.

        Args:
            parameters: what is stepped in place, (parameters,), float32.
            learning_rate: the step size.
            betas: the decay rates of the first and the second moment.
            epsilon: added to the root of the second moment.
        """
        self.learning_rate = learning_rate
        self._parameters = parameters
        self._betas = betas
        self._epsilon = epsilon
        self._steps = 0
        self._first = torch.zeros_like(parameters)
        self._second = torch.zeros_like(parameters)

    @torch.no_grad()
    def step(self, gradient: Tensor) -> None:
        """Take a step against this gradient, (parameters,), float32."""
        self._steps += 1
        first_decay, second_decay = self._betas
        self._first.lerp_(gradient, 1 - first_decay)
        self._second.mul_(second_decay).addcmul_(gradient, gradient, value=1 - second_decay)
        # The moments start at 0: both are divided by what is missing from the sum of their weights.
        step_size = self.learning_rate / (1 - first_decay**self._steps)
        root = self._second.sqrt().div_(math.sqrt(1 - second_decay**self._steps)).add_(self._epsilon)
        self._parameters.addcdiv_(self._first, root, value=-step_size)

    def state_dict(self) -> dict[str, Any]:
        """The moments and how many steps were taken, as tensors and plain values."""
        return {"first": self._first, "second": self._second, "steps": self._steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        self._first.copy_(state["first"])
        self._second.copy_(state["second"])
        self._steps = state["steps"]
