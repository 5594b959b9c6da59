"""What all learners share: an Adam step, random minibatches, and means for the log."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from cardgym.files.tensors import NotFiniteError
from cardgym.learn.config import Adam
from cardgym.players.policy_networks import probabilities

N = TypeVar("N", bound=nn.Module)
B = TypeVar("B", bound=tuple[Any, ...])


class NetworkLearner(Generic[N]):
    """A network that learns by Adam, alone or together with a critic; a subclass adds the loss.

    Adam: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015. `optimizer` has the weights of both,
    on `device`; `updates` counts the updates so far.
    """

    saved: ClassVar[tuple[str, ...]] = ("network", "critic", "optimizer", "updates")

    def __init__(
        self,
        network: N,
        device: torch.device | str,
        adam: Adam,
        reports: Sequence[str] = (),
        critic: nn.Module | None = None,
    ) -> None:
        """Move the networks to their device. `adam` sets the optimizer; `reports` are the tags of figures for `log`."""
        self.device = torch.device(device)
        self.network = network.to(self.device)
        self.critic = None if critic is None else critic.to(self.device)
        self.updates = 0
        self._weights = [*network.parameters(), *(() if critic is None else critic.parameters())]
        self.optimizer = torch.optim.Adam(self._weights, lr=adam.learning_rate, eps=adam.epsilon, fused=True)
        self._max_grad_norm = adam.max_grad_norm
        self._reports = reports
        self._sums = torch.zeros(len(reports), device=self.device)
        self._logged = 0

    @property
    def learning_rate(self) -> float:
        """Adam's step size."""
        return float(self.optimizer.param_groups[0]["lr"])

    @learning_rate.setter
    def learning_rate(self, value: float) -> None:
        group = self.optimizer.param_groups[0]
        group["lr"] = group["lr"].fill_(value) if isinstance(group["lr"], Tensor) else value

    def descend(self, *outputs: Tensor, gradients: Sequence[Tensor] | None = None) -> None:
        """Take one step of Adam against the gradient of a loss.

        Args:
            outputs: the loss, a scalar; or outputs of the networks, in any shapes.
            gradients: of the loss with respect to the outputs, in the same shapes.

        Raises:
            NotFiniteError: if the loss or its gradient is not finite; the weights stay as they were. On a GPU, where
                checking costs time, it is noticed only when the weights are saved.
        """
        self.optimizer.zero_grad()
        torch.autograd.backward(outputs, gradients)
        checked = [outputs[0].detach()] if gradients is None else gradients
        if self._max_grad_norm:
            checked = [*checked, clip_grad_norm_(self._weights, self._max_grad_norm)]
        if self.device.type == "cpu" and not all(math.isfinite(tensor.sum().item()) for tensor in checked):
            raise NotFiniteError("the loss is not finite")
        self.optimizer.step()

    @staticmethod
    def minibatches(size: int, count: int, epochs: int, generator: np.random.Generator) -> Iterator[Tensor]:
        """Yield the row numbers of random minibatches of nearly equal size, (rows,), int64; an epoch has each row once.

        Args:
            count: minibatches per epoch, at most one for each row.
            epochs: how many times each row is returned.
            generator: draws a new order in each epoch.
        """
        for _ in range(epochs):
            yield from torch.from_numpy(generator.permutation(size)).tensor_split(min(count, size))

    @torch.no_grad()
    def log(self, *figures: Tensor) -> None:
        """Add figures of one step, scalars in the order of `reports`, to the means of `statistics`."""
        self._sums += torch.stack(figures)
        self._logged += 1

    def statistics(self) -> dict[str, float]:
        """Return the means by tag of what was logged since the last call; empty if nothing was."""
        if not self._logged:
            return {}
        means = (self._sums / self._logged).tolist()
        self._sums.zero_()
        self._logged = 0
        return dict(zip(self._reports, means, strict=True))


def take_rows(batch: B, rows: Tensor) -> B:
    """Return these rows of a batch, a named tuple of tensors, each (rows, ...)."""
    return type(batch)(*(field.index_select(0, rows.to(field.device)) for field in batch))


def entropy(all_log_probs: Tensor) -> Tensor:
    """Return the entropy -sum p log p of each row of `all_log_probs`, (rows, actions), in nats, (rows,)."""
    return -(probabilities(all_log_probs) * all_log_probs).sum(dim=1)
