"""PPO whose games, turns and updates stay on one device: PyTorch's tensors of fixed shapes, copied nowhere.

On a GPU, choosing actions and a step of Adam are one launch each, a CUDA graph. Experimental: on a processor, tests run
this code and compare it with `cardgym.learn.ppo`; nobody has run it on a GPU yet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ANY_SEAT
from cardgym.envs.vector import make_vector_env
from cardgym.errors import CardgymError
from cardgym.learn import tags
from cardgym.learn.distinct import Distinct
from cardgym.learn.learner import take_rows
from cardgym.learn.network_training import NetworkTraining
from cardgym.learn.opponents import SELF, SNAPSHOT, OpponentPool, Snapshots
from cardgym.learn.ppo import PPOConfig, PPOLearner, explained_variance, first_network
from cardgym.learn.ppo_loss import loss
from cardgym.learn.turns import TurnBatch
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities, probabilities

_WARM_UP = 3
"""Calls before a step is recorded, in which PyTorch chooses its kernels and allocates."""


class DeviceGames:
    """Games of a vector env in which the learner plays every seat, or one seat against one opponent.

    A stream, `env * num_seats + seat`, is one seat of one env in which the learner may sit, as in `SelfPlayRollout`.

    Attributes:
        observations, masks: what every row sees now, (rows, size) float32, and may do, (rows, actions) int8.
        streams: whose turn it is, (rows,) int64; `num_streams` in a row that starts its next game in this step.
        rewards: what the last step paid each stream, (num_streams,) float32.
        ended: the streams whose game the last step ended, (num_streams,) bool.
        decisions: the learner's decisions up to the last `count`.
    """

    saved: ClassVar[tuple[str, ...]] = (
        "env.games", "observations", "masks", "streams", "decisions", "_live", "_returns", "_lengths", "_sums",
    )  # fmt: skip

    def __init__(
        self, game: Game, options: Options, num_envs: int, observation: str, opponent: str, seat: int, seed: int,
        device: torch.device,
    ) -> None:  # fmt: skip
        """Start the first games. `opponent` is a player as `make_vec` takes it, or `self`; `seat` may be ANY_SEAT."""
        alone = opponent == SELF
        seats = {"seat": "all"} if alone else {"seat": "random" if seat == ANY_SEAT else seat, "opponent": opponent}
        self.device = device
        self.env: Any = make_vector_env(game, num_envs, device=str(device), obs=observation, **seats, **asdict(options))
        self.num_seats = options.num_players if alone else 1
        self.num_streams = num_envs * self.num_seats
        self.snapshots = Snapshots(None, 0)
        self.episodes = self
        self.decisions = 0
        self._rows = torch.arange(num_envs, device=device)
        self._live = torch.zeros((), dtype=torch.int64, device=device)
        self._returns = torch.zeros(self.num_streams + 1, device=device)
        self._lengths = torch.zeros(self.num_streams + 1, dtype=torch.int64, device=device)
        self._sums = torch.zeros(3, dtype=torch.float64, device=device)
        observations, infos = self.env.reset(seed=seed)
        self._as_arrays = isinstance(observations, np.ndarray)
        self._see(observations, infos, torch.zeros(num_envs, dtype=torch.bool, device=device))

    def step(self, actions: Tensor) -> None:
        """Play an action in every row, (rows,) int64; rows whose game is over start the next one."""
        acted = self.streams
        observations, rewards, terminated, _, infos = self.env.step(actions.numpy() if self._as_arrays else actions)
        over = self._tensor(terminated)
        self.rewards = self._tensor(infos["rewards"] if "seat" in infos else rewards).flatten().float()
        self.ended = over.repeat_interleave(self.num_seats)
        self._live += (acted < self.num_streams).sum()
        self._returns[:-1] += self.rewards
        self._lengths.index_add_(0, acted, torch.ones_like(acted))
        played = self.ended & (self._lengths[:-1] > 0)
        self._sums += torch.stack(
            [played.sum(), (self._returns[:-1] * played).sum(), (self._lengths[:-1] * played).sum()]
        )
        self._returns[:-1] *= ~self.ended
        self._lengths[:-1] *= ~self.ended
        self._see(observations, infos, over)

    def _see(self, observations: Any, infos: dict[str, Any], over: Tensor) -> None:
        self.observations, self.masks = self._tensor(observations), self._tensor(infos["action_mask"])
        seats = self._tensor(infos["seat"]) if "seat" in infos else torch.zeros_like(self._rows)
        self.streams = torch.where(over, self.num_streams, self._rows * self.num_seats + seats)

    def _tensor(self, array: Any) -> Tensor:
        return array if isinstance(array, Tensor) else torch.from_numpy(array)

    def count(self) -> None:
        """Bring `decisions` up to date; this waits for the device."""
        self.decisions += int(self._live)
        self._live.zero_()

    def statistics(self) -> dict[str, float]:
        """Return the mean return and length of the episodes ended since the last call, by tag; empty if none ended."""
        episodes, returns, lengths = self._sums.tolist()
        self._sums.zero_()
        return {tags.EPISODIC_RETURN: returns / episodes, tags.EPISODIC_LENGTH: lengths / episodes} if episodes else {}


class DeviceTurns:
    """A `TurnBuffer` of fixed shape: a place for each stream's open turn, then one for every row of every step.

    Places without a complete turn are part of each batch, and `take` says which they are. One more place, the last,
    takes what belongs to no turn.
    """

    saved: ClassVar[tuple[str, ...]] = ("_open", "_fields", "_next")

    def __init__(self, games: DeviceGames, num_steps: int) -> None:
        device, (num_rows, seen) = games.device, games.observations.shape
        num_streams = games.num_streams
        self._first, self._rows = num_streams, num_rows
        self.size = num_streams + num_rows * num_steps
        self._place = num_streams
        self._open = torch.full((num_streams + 1,), self.size, device=device)
        self._next = torch.full((self.size + 1,), self.size, device=device)
        room = self.size + 1
        self._fields = {
            "observations": torch.zeros((room, seen), device=device),
            "masks": torch.ones((room, games.masks.shape[1]), dtype=torch.bool, device=device),
            "actions": torch.zeros(room, dtype=torch.int64, device=device),
            "log_probs": torch.zeros(room, device=device),
            "values": torch.zeros(room, device=device),
            "rewards": torch.zeros(room, device=device),
            "done": torch.zeros(room, dtype=torch.bool, device=device),
        }

    def act(self, games: DeviceGames, actions: Tensor, log_probs: Tensor, values: Tensor) -> None:
        """Record the turns of a step, with `actions`, `log_probs` and `values`, (rows,)."""
        block = slice(self._place, self._place + self._rows)
        places = torch.arange(block.start, block.stop, device=actions.device)
        self._next[self._open[games.streams]] = places
        self._open[games.streams] = places
        self._open[-1] = self.size
        new: tuple[Any, ...] = (games.observations, games.masks != 0, actions, log_probs, values, 0.0, False)
        for field, value in zip(self._fields.values(), new, strict=True):
            field[block] = value
        self._next[block] = self.size
        self._place = block.stop

    def pay(self, rewards: Tensor, ended: Tensor) -> None:
        """Credit a step's `rewards`, (streams,), to the open turns, and close those of the streams `ended`, bool."""
        now = self._open[:-1]
        self._fields["rewards"].index_add_(0, now, rewards)
        self._fields["done"][torch.where(ended, now, self.size)] = True
        self._open[:-1] = torch.where(ended, self.size, now)

    def take(self, gamma: float, gae_lambda: float) -> tuple[TurnBatch, Tensor]:
        """Return all places with the advantages of `TurnBuffer.take`, and which are complete turns, (places,) bool.

        The open turns stay.
        """
        fields, following = self._fields, self._next[:-1]
        continues = following != self.size
        complete = fields["done"][:-1] | continues
        result = torch.zeros(self.size + 1, device=following.device)
        values = fields["values"]
        ahead = torch.where(continues, values[following], 0.0)
        delta = fields["rewards"][:-1] + gamma * ahead - values[:-1]
        starts = [0, *range(self._first, self.size, self._rows)]
        for start, stop in reversed([*zip(starts, [*starts[1:], self.size], strict=True)]):
            part = slice(start, stop)
            later = torch.where(continues[part], result[following[part]], 0.0)
            result[part] = torch.where(complete[part], delta[part] + gamma * gae_lambda * later, 0.0)
        advantages = result[:-1]
        nothing = torch.zeros((self.size, 0), device=following.device)
        given = {name: field[:-1].clone() for name, field in fields.items() if name in TurnBatch._fields}
        batch = TurnBatch(**given, others=nothing, advantages=advantages, returns=advantages + given["values"])
        self._keep()
        return batch, complete

    def _keep(self) -> None:
        """Move the open turns to the front."""
        now = self._open[:-1]
        waits = now != self.size
        for field in self._fields.values():
            field[: self._first] = field[now]
        self._fields["done"].zero_()
        self._fields["rewards"][-1] = 0.0
        self._next.fill_(self.size)
        self._open[:-1] = torch.where(waits, torch.arange(self._first, device=now.device), self.size)
        self._place = self._first


class Repeated:
    """A step on tensors that stay where they are: on a GPU it is recorded once, and then launched as a whole."""

    def __init__(self, step: Callable[[], None], device: torch.device) -> None:
        self._step, self._device = step, device
        self._calls = 0
        self._graph: Any = None

    def __call__(self) -> None:
        """Do the step."""
        cuda: Any = torch.cuda
        if self._device.type != "cuda":
            self._step()
        elif self._calls < _WARM_UP:
            self._calls += 1
            stream = cuda.Stream(self._device)
            stream.wait_stream(cuda.current_stream(self._device))
            with cuda.stream(stream):
                self._step()
            cuda.current_stream(self._device).wait_stream(stream)
        else:
            if self._graph is None:
                self._graph = cuda.CUDAGraph()
                with cuda.graph(self._graph):
                    self._step()
            self._graph.replay()


class DeviceLearner(PPOLearner):
    """A `PPOLearner` that acts and learns in steps of fixed shape, with all random numbers drawn on the device."""

    def __init__(
        self, network: PolicyNetwork, config: PPOConfig, device: torch.device, generator: np.random.Generator
    ) -> None:
        super().__init__(network, config, device, generator)
        self._random = torch.Generator(device)
        rate = torch.tensor(config.learning_rate, device=device)  # A recorded step would keep a plain number.

        def as_number(_: Any, state: Any) -> None:
            for group in state["param_groups"]:
                group["lr"] = float(rate)

        def as_tensor(optimizer: Any) -> None:
            for group in optimizer.param_groups:
                group["lr"] = rate.fill_(group["lr"])

        self.optimizer.register_state_dict_post_hook(as_number)
        self.optimizer.register_load_state_dict_post_hook(as_tensor)
        for group in self.optimizer.param_groups:
            group.update(lr=rate, capturable=device.type == "cuda")
        self._act, self._descend = Repeated(self._choose, device), Repeated(self._learn, device)
        self._seen: tuple[Tensor, ...] = ()
        self._answers: tuple[Tensor, ...] = ()
        self._rows: TurnBatch | None = None
        self._ent_coef = torch.zeros((), device=device)

    def seed(self) -> None:
        """Seed the device's random numbers from the learner's generator, which is saved to resume from."""
        self._random.manual_seed(int(self._generator.integers(2**63)))

    @torch.no_grad()
    def choose(self, games: DeviceGames) -> tuple[Tensor, ...]:
        """Sample actions, (rows,) int64; return them, their log-probabilities and the values of the states."""
        draws = torch.rand((len(games.masks), 1), generator=self._random, device=self.device)
        self._seen = _placed(self._seen, (games.observations, games.masks.bool(), draws))
        self._act()
        return self._answers

    def _choose(self) -> None:
        observations, masks, draws = self._seen
        logits, values = self.network(observations)
        log_probs = log_probabilities(logits, masks)
        shares = probabilities(log_probs).cumsum(1)
        actions = (shares > draws * shares[:, -1:]).byte().argmax(1)  # The first such action, which is legal.
        self._answers = actions, log_probs.gather(1, actions[:, None]).squeeze(1), values

    def learn(self, batch: TurnBatch, complete: Tensor) -> None:
        """Go through the `complete` turns of a batch, as `update`; an epoch leaves out the rest of its minibatches."""
        config = self._config
        magnet = self._magnet_log_probs(Distinct(batch.observations), batch.masks)
        # In place of what the others see, which no critic reads: the magnet and whether a turn counts.
        extra = [complete[:, None].float(), *([] if magnet is None else [magnet])]
        self._rows = TurnBatch(*_placed(self._rows or (), batch._replace(others=torch.cat(extra, dim=1))))
        self._ent_coef.fill_(self.ent_coef)
        size = len(complete) // config.num_minibatches
        for _ in range(config.update_epochs):
            order = torch.randperm(len(complete), generator=self._random, device=self.device)
            for number in range(config.num_minibatches):
                self._numbers = _placed(self._numbers, (order[number * size : (number + 1) * size],))
                self._descend()
                self._logged += 1
        self.updates += 1
        self._follow()

    _numbers: tuple[Tensor, ...] = ()

    def _learn(self) -> None:
        assert self._rows is not None
        config, rows = self._config, take_rows(self._rows, self._numbers[0])
        weights, magnet = rows.others[:, 0], rows.others[:, 1:] if rows.others.shape[1] > 1 else None
        logits, values = self.network(rows.observations)
        total, figures = loss(
            logits, [values], rows[2:5] + rows[6:], magnet, weights / weights.sum().clamp(min=1),
            (config.clip_coef, config.vf_coef, self._ent_coef, config.magnet_coef), config.norm_adv, config.forward_kl,
        )  # fmt: skip
        self.descend(total)
        self._sums += figures

    def statistics(self) -> dict[str, float]:
        """Return the means since the last call of the losses, divergences and shares, by tag."""
        figures = super(PPOLearner, self).statistics()
        if figures and self._rows is not None:
            counts = self._rows.others[:, 0] > 0
            values, returns = self._rows.values[counts], self._rows.returns[counts]
            figures[tags.EXPLAINED_VARIANCE] = explained_variance(values, returns)
        return figures


def _placed(places: tuple[Tensor, ...], values: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Copy tensors to where they were before, which a recorded step reads; the first time, to new places."""
    if not places:
        return tuple(value.clone() for value in values)
    for place, value in zip(places, values, strict=True):
        place.copy_(value)
    return places


def train(config: PPOConfig, training: NetworkTraining) -> None:
    """Learn until the last step, as `cardgym.learn.ppo.train`.

    Raises:
        CardgymError: for what cannot be done on a device.
    """
    opponents = OpponentPool.parse(config.opponents, config.total_steps).specs
    left_out = {
        "opponents": len(opponents) != 1 or opponents[0] == SNAPSHOT,
        "critic": config.critic == "all",
        "action_features": bool(config.action_features),
        "team": config.team,
    }
    if wrong := [name for name, is_wrong in left_out.items() if is_wrong]:
        raise CardgymError(
            f"device_games: not with this {wrong[0]}; it takes one opponent, self or another player, and no "
            "critic='all', action_features and team"
        )
    network, _ = first_network(config, training)
    games = DeviceGames(
        training.game, training.options, config.num_envs, training.observation, str(opponents[0]), config.seat,
        config.seed, training.device,
    )  # fmt: skip
    turns = DeviceTurns(games, config.num_steps)
    learner = DeviceLearner(network, config, training.device, training.generator(2))
    player = PolicyPlayer("learner", learner.averaged, training.observation)
    training.start(
        games, player, learner.checkpoint,
        learner=learner, turns=turns,
    )  # fmt: skip
    while training.step < config.total_steps:
        learner.seed()
        for _ in range(config.num_steps):
            chosen, log_probs, values = learner.choose(games)
            turns.act(games, chosen, log_probs, values)
            games.step(chosen)
            turns.pay(games.rewards * config.reward_scale, games.ended)
        games.count()

        learner.learning_rate = training.linear(config.learning_rate, config.learning_rate_final)
        learner.ent_coef = training.linear(config.ent_coef, config.ent_coef_final)
        if config.anneal_magnet:
            learner.magnet_tau = training.linear(config.magnet_tau, 0.0)
        learner.learn(*turns.take(config.gamma, config.gae_lambda))
        training.report(learner.statistics, learning_rate=learner.learning_rate, ent_coef=learner.ent_coef)
