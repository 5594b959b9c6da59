"""Policy networks as players: action probabilities and a state value, and the player that samples them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cardgym.players.networks import NetworkShape, hidden_layers, masked, one_thread

_SMALLEST_SHARE = 1e-30


class PolicyNetwork(nn.Module):
    """A multilayer perceptron from an observation to a logit for each action and the value of the state.

    The policy and the value share the hidden layers. The last layer's policy weights start close to 0, so that the
    first policy is almost uniform (Andrychowicz et al., "What matters for on-policy deep actor-critic methods?",
    ICLR 2021, section 3.2). With `wide` the last layer's policy also reads the observation itself, as in `QNetwork`.
    """

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        self.body, width = hidden_layers(shape)
        self.policy = nn.Linear(width, shape.actions)
        self.value = nn.Linear(width, 1)
        with torch.no_grad():
            self.policy.weight.mul_(0.01)
            self.policy.bias.zero_()
        if shape.wide:
            self.direct = nn.Linear(shape.inputs, shape.actions, bias=False)
            nn.init.zeros_(self.direct.weight)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (rows, actions), illegal actions included, and state values (rows,), for (rows, inputs)."""
        hidden = self.body(observations)
        logits: Tensor = self.policy(hidden)
        if self.shape.wide:
            logits = logits + self.direct(observations)
        return logits, self.value(hidden).squeeze(1)


def log_probabilities(logits: Tensor, masks: Tensor) -> Tensor:
    """The log-probability of each legal action; the lowest finite float where `masks` (bool) is false.

    `exp` of the result is exactly 0 for an illegal action, and 0 times it is 0, so sums over all actions need no mask.

    Args:
        logits: (rows, actions), float32.
        masks: (rows, actions), bool, True where legal.
    """
    return masked(torch.log_softmax(masked(logits, masks), dim=1), masks)


def sample_actions(probabilities: Tensor, draws: Tensor) -> Tensor:
    """An action of each row by inversion: the first whose cumulative probability reaches the draw.

    Args:
        probabilities: (rows, actions); exactly 0 for illegal actions, which are never sampled.
        draws: (rows,), uniform in [0, 1).

    Returns:
        (rows,), int64.
    """
    cumulative = probabilities.cumsum(dim=1)
    # In (0, total]: above 0, so that a leading action of probability 0 does not reach it, and never beyond the total.
    # A draw that rounds to 1 leaves the smallest share; it must stay a normal number times a total just below 1, for
    # trainings flush smaller ones to 0.
    goals = (1.0 - draws.to(cumulative.dtype)).clamp_min(_SMALLEST_SHARE) * cumulative[:, -1]
    return (cumulative < goals[:, None]).sum(dim=1)


class PolicyPlayer:
    """The player of a policy network, a batch policy that samples its actions, or takes the most probable one.

    Attributes:
        name: its name in reports.
        network: the network, on any device.
        observation_name: the observation it reads; None for whatever the games are played with.
        samples: whether it samples; `SeatedBatch` then gives it a draw for each row.
    """

    def __init__(
        self, name: str, network: PolicyNetwork, observation_name: str | None = None, *, samples: bool = True
    ) -> None:
        self.name = name
        self.network = network
        self.observation_name = observation_name
        self.samples = samples
        self._device = next(network.parameters()).device

    def act(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        draws: npt.NDArray[np.float64] | None = None,
    ) -> npt.NDArray[np.int64]:
        """An action for each row, (rows,) int64: sampled with its draw from [0, 1), the most probable one without."""
        with one_thread(), torch.inference_mode():
            probabilities = self._probabilities(observations, masks)
            if draws is None or not self.samples:
                chosen = probabilities.argmax(dim=1)
            else:
                chosen = sample_actions(probabilities, torch.tensor(draws, device=self._device))
            actions: npt.NDArray[np.int64] = chosen.cpu().numpy()
        return actions

    def probabilities(
        self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.float32]:
        """The probability of each action, (rows, actions), float32; 0 for illegal actions."""
        with one_thread(), torch.inference_mode():
            result: npt.NDArray[np.float32] = self._probabilities(observations, masks).cpu().numpy()
        return result

    def _probabilities(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> Tensor:
        # `torch.tensor` copies to aligned memory, so that the same numbers always give the same bits.
        logits, _ = self.network(torch.tensor(observations, device=self._device))
        return log_probabilities(logits, torch.tensor(masks, device=self._device).bool()).exp()
