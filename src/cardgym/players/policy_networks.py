"""Policy networks as players: action probabilities and a state value."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from cardgym.engine.contract import Float32s
from cardgym.errors import of_kind
from cardgym.players.base import Masks, Observations, Player, best_actions, one_hot
from cardgym.players.checks import check_named
from cardgym.players.network_shapes import ACTION_UNITS, NetworkShape
from cardgym.players.networks import QNetwork, hidden_layers, linear, masked, one_thread


class PolicyNetwork(nn.Module):
    """A multilayer perceptron of a `shape` from an observation to a logit for each action and the value of the state.

    The policy and the value share the hidden layers. The last layer's policy weights start close to 0, so that the
    first policy is almost uniform (Andrychowicz et al., "What matters for on-policy deep actor-critic methods?",
    ICLR 2021). With `wide` the last layer's policy also reads the observation itself, as in `QNetwork`.

    With features by action, each of those actions has a small hidden layer instead, which reads its own features and
    the last hidden layer, with the same weights for every action; the hidden layers read the rest of the observation.
    What is learned about one action then applies to all similar ones (shared weights as in Zaheer et al., "Deep sets",
    NeurIPS 2017).
    """

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        of_kind("shape", shape, NetworkShape, "shapes, such as network_shape returns them")
        self.shape = shape
        featured = shape.featured_actions
        self.others = shape.body_inputs
        self.body, width = hidden_layers(replace(shape, inputs=len(self.others)))
        self.policy = linear(width, shape.actions - featured)
        self.value = linear(width, 1)
        if featured:
            self.features = linear(len(shape.feature_starts), ACTION_UNITS, bias=False)
            self.context = linear(width, ACTION_UNITS)
            self.score = linear(ACTION_UNITS, 1, bias=False)
        with torch.no_grad():
            self.policy.weight.mul_(0.01)
            self.policy.bias.zero_()
            if featured:
                self.score.weight.mul_(0.01)
        if shape.wide:
            self.direct = linear(shape.inputs, shape.actions, bias=False)
            nn.init.zeros_(self.direct.weight)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (rows, actions), illegal actions included, and state values (rows,), for (rows, inputs)."""
        featured = self.shape.featured_actions > 0
        hidden = self.body(observations[:, self.others] if featured else observations)
        logits: Tensor = self.policy(hidden)
        if featured:
            logits = torch.cat([self._scores(observations, hidden), logits], dim=1)
        if self.shape.wide:
            logits = logits + self.direct(observations)
        return logits, self.value(hidden).squeeze(1)

    def _scores(self, observations: Tensor, hidden: Tensor) -> Tensor:
        """Return the logits of the actions that have features, (rows, featured_actions).

        Most features are 0 because the action is not legal; all such actions in a row have the same logit, which is
        computed once.
        """
        size = self.shape.featured_actions
        columns = [observations[:, start : start + size] for start in self.shape.feature_starts]
        contexts = self.context(hidden)
        rows, actions = torch.stack([column != 0 for column in columns]).any(0).nonzero(as_tuple=True)
        features = torch.stack([column[rows, actions] for column in columns], dim=1)
        scores = self.score((self.features(features) + contexts.index_select(0, rows)).relu_()).squeeze(1)
        blank = self.score(contexts.relu()).expand(-1, size)
        logits: Tensor = blank.index_put((rows, actions), scores)
        return logits


Network = QNetwork | PolicyNetwork
"""What a checkpoint holds."""


def log_probabilities(logits: Tensor, masks: Tensor) -> Tensor:
    """Return the log-probability by `logits`, (rows, actions); the lowest finite float where a mask is false.

    `exp` of the result is exactly 0 for an illegal action, and 0 times it is 0, so sums over all actions need no mask.
    """
    return masked(torch.log_softmax(masked(logits, masks), dim=1), masks)


def probabilities(log_probs: Tensor) -> Tensor:
    """Return `exp` of `log_probs`, (rows, actions), of `log_probabilities`; faster than torch's if most are illegal."""
    legal = log_probs != torch.finfo(log_probs.dtype).min
    zero = torch.zeros((), device=log_probs.device)
    return torch.where(legal, torch.where(legal, log_probs, zero).exp(), zero)


class PolicyPlayer(Player):
    """The player of a policy network, which samples its actions or takes the most probable ones."""

    def __init__(
        self, name: str, network: PolicyNetwork, observation_name: str | None = None, *, samples: bool = True
    ) -> None:
        check_named(name, observation_name)
        of_kind("network", network, PolicyNetwork, "PolicyNetworks")
        of_kind("samples", samples, bool, "True and False")
        self.name = name
        self.network = network
        self.observation_name = observation_name
        self.samples = samples
        self._device = next(network.parameters()).device

    def probabilities(self, observations: Observations, masks: Masks, temperature: float = 0.0) -> Float32s:
        """See `Player.probabilities`."""
        with one_thread(), torch.inference_mode():
            # `torch.tensor` copies to aligned memory, so that the same numbers always give the same bits.
            logits, _ = self.network(torch.tensor(observations, device=self._device))
            log_probs = log_probabilities(logits, torch.tensor(masks, device=self._device).bool())
            likely = probabilities(log_probs)
            if threshold := self.network.shape.threshold:
                likely[(likely < threshold) & (likely < likely.amax(dim=1, keepdim=True))] = 0.0
                likely /= likely.sum(dim=1, keepdim=True)
            shares: Float32s = likely.cpu().numpy()
        return shares if self.samples else one_hot(best_actions(shares, masks), masks)
