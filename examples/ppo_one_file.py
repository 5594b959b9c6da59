"""PPO in self-play in one file, read downwards: `python examples/ppo_one_file.py --env-id KuhnPoker-v0`.

The games are a `SelfPlayRollout` of cardgym: it plays many games side by side and stops where the learner has to
decide. Everything else is here: the network, the turns with their advantages, the loss and the loop. Three things
differ from PPO for one agent, such as CleanRL's (https://docs.cleanrl.dev):

- A turn of a seat ends at the next turn of the same seat. It earns all rewards in between, no matter who moves.
- Illegal actions are masked wherever a probability is computed.
- A magnet, a moving average of the policy, keeps self-play from running in circles.

train/ppo.py is the same algorithm with config files, checkpoints, TensorBoard and more options.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cardgym import find
from cardgym.arena import evaluate
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.players import Player, PlayerSpec
from cardgym.solvers.exact import tree_exploitability


@dataclasses.dataclass(frozen=True)
class Args:
    """Hyper-parameters; each is a flag of the command line."""

    env_id: str = "KuhnPoker-v0"
    seed: int = 1
    opponents: str = "self=1"
    """Players by weight, such as `self=0.8,random=0.2`; every seat that `self` takes learns."""
    eval_opponent: str = "random"
    total_steps: int = 300_000
    """Decisions of the learner."""
    num_envs: int = 128
    num_steps: int = 32
    """Decisions in each env from one update to the next."""
    hidden_size: int = 64
    learning_rate: float = 1e-3
    gamma: float = 1.0
    gae_lambda: float = 0.95
    update_epochs: int = 2
    num_minibatches: int = 4
    clip_coef: float = 0.2
    vf_coef: float = 0.5
    ent_coef: float = 0.01
    magnet_coef: float = 0.3
    """The weight of the KL divergence from the magnet."""
    magnet_tau: float = 0.05
    """How far the magnet moves towards the policy at each update."""
    max_grad_norm: float = 0.5


# -- the network ------------------------------------------------------------------------------------------------------


class Agent(nn.Module):
    """A policy and a state value."""

    def __init__(self, num_inputs: int, num_actions: int, hidden_size: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(num_inputs, hidden_size), nn.ReLU(), nn.Linear(hidden_size, hidden_size), nn.ReLU()
        )
        self.policy = nn.Linear(hidden_size, num_actions)
        self.value = nn.Linear(hidden_size, 1)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the actions, (rows, actions), -1e9 for illegal ones, and state values, (rows,)."""
        hidden = self.body(observations)
        log_probs = torch.log_softmax(self.policy(hidden).masked_fill(~masks, -1e9), dim=1)
        return log_probs.masked_fill(~masks, -1e9), self.value(hidden).squeeze(1)


class AgentPlayer(Player):
    """The agent as a player of cardgym: it can be evaluated against any other."""

    name = "learner"
    samples = True

    def __init__(self, network: Agent) -> None:
        self.network = network

    def probabilities(
        self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8], temperature: float = 0.0
    ) -> npt.NDArray[np.float32]:
        """The probability of each action, (rows, actions)."""
        with torch.no_grad():
            log_probs, _ = self.network(torch.from_numpy(observations), torch.from_numpy(masks).bool())
        shares: npt.NDArray[np.float32] = log_probs.exp().numpy()
        return shares


# -- turns ------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Step:
    """A step of the rollout: the turns taken in it, one in each row, and what it paid.

    A stream is one seat of one env.
    """

    streams: npt.NDArray[np.int64]
    """The streams whose turns these are."""
    turns: dict[str, npt.NDArray[Any]]
    """The observations, masks, actions, log_probs and values of these turns."""
    rewards: npt.NDArray[np.float64]
    """What each stream was paid, (streams,)."""
    ended: npt.NDArray[np.int64]
    """The streams whose games ended."""


def complete_turns(steps: list[Step], args: Args) -> tuple[dict[str, npt.NDArray[Any]], list[Step]]:
    """The complete turns with `advantages` and `returns`, and the open ones as the first step of the next batch.

    A turn is complete if its stream has a later turn, or if its game ended. Generalized advantage estimation goes
    backwards along the turns of each stream (Schulman et al., ICLR 2016).
    """
    num_streams = len(steps[0].rewards)
    paid, next_value, next_advantage = np.zeros(num_streams), np.zeros(num_streams), np.zeros(num_streams)
    known = np.zeros(num_streams, np.bool_)  # Whether what follows is known: another turn, or the end.
    complete, still_open = [], []
    for step in reversed(steps):
        paid[step.ended] = next_value[step.ended] = next_advantage[step.ended] = 0.0
        known[step.ended] = True
        paid += step.rewards
        streams = step.streams
        delta = paid[streams] + args.gamma * next_value[streams] - step.turns["values"]
        advantages = delta + args.gamma * args.gae_lambda * next_advantage[streams]
        done = known[streams]
        results = {"advantages": advantages, "returns": advantages + step.turns["values"]}
        complete.append({name: rows[done] for name, rows in (step.turns | results).items()})
        if not done.all():
            rewards = np.zeros(num_streams)
            rewards[streams[~done]] = paid[streams[~done]]
            open_turns = {name: rows[~done] for name, rows in step.turns.items()}
            still_open.append(Step(streams[~done], open_turns, rewards, np.zeros(0, np.int64)))
        # An open turn provides its value to the turn before it, but has no advantage yet.
        next_value[streams] = step.turns["values"]
        next_advantage[streams] = np.where(done, advantages, 0.0)
        paid[streams] = 0.0
        known[streams] = True
    batch = {name: np.concatenate([rows[name] for rows in complete]) for name in complete[0]}
    return batch, still_open[::-1]


# -- the update -------------------------------------------------------------------------------------------------------


def loss_of(agent: Agent, magnet_log_probs: Tensor, rows: dict[str, Tensor], args: Args) -> Tensor:
    """PPO's loss of a minibatch (Schulman et al., 2017), with a magnet (Sokota et al., ICLR 2023)."""
    all_log_probs, values = agent(rows["observations"], rows["masks"])
    log_probs = all_log_probs.gather(1, rows["actions"][:, None]).squeeze(1)
    advantages = (rows["advantages"] - rows["advantages"].mean()) / (rows["advantages"].std() + 1e-8)
    ratio = (log_probs - rows["log_probs"]).exp()
    clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
    policy_loss = -torch.minimum(ratio * advantages, clipped * advantages).mean()
    value_loss = 0.5 * (values - rows["returns"]).square().mean()
    entropy = -(all_log_probs.exp() * all_log_probs).sum(dim=1).mean()
    magnet_kl = (all_log_probs.exp() * (all_log_probs - magnet_log_probs)).sum(dim=1).mean()
    loss: Tensor = policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy + args.magnet_coef * magnet_kl
    return loss


def train(args: Args) -> AgentPlayer:
    """Train, printing progress, and return the averaged agent as a player."""
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    game = find(args.env_id)
    options = game.parse_options()
    num_inputs = game.observation(game.default_observation).size(options)
    agent = Agent(num_inputs, game.actions(options), args.hidden_size)
    magnet = copy.deepcopy(agent).requires_grad_(False)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    pool = OpponentPool.parse(args.opponents.split(","))
    rollout = SelfPlayRollout(game, options, args.num_envs, pool, AgentPlayer(agent), seed=args.seed)

    steps: list[Step] = []
    while rollout.decisions < args.total_steps:
        # Play.
        for _ in range(args.num_steps):
            streams, observations, masks = rollout.turns
            with torch.no_grad():
                log_probs, values = agent(torch.from_numpy(observations), torch.from_numpy(masks).bool())
            draws = torch.from_numpy(generator.exponential(size=masks.shape)).float()
            actions = (log_probs - draws.log()).argmax(dim=1)  # A sample of the policy: the Gumbel trick.
            turns = {
                "observations": observations,
                "masks": masks != 0,
                "actions": actions.numpy(),
                "log_probs": log_probs.gather(1, actions[:, None]).squeeze(1).numpy(),
                "values": values.numpy(),
            }
            rollout.step(actions.numpy())
            steps.append(Step(streams, turns, rollout.rewards, rollout.ended))

        # Update.
        batch, steps = complete_turns(steps, args)
        rows = {name: torch.from_numpy(array) for name, array in batch.items()}
        rows |= {name: rows[name].float() for name in ("advantages", "returns")}
        with torch.no_grad():
            magnet_log_probs, _ = magnet(rows["observations"], rows["masks"])
        optimizer.param_groups[0]["lr"] = args.learning_rate * max(1 - rollout.decisions / args.total_steps, 0.01)
        for _ in range(args.update_epochs):
            for part in torch.from_numpy(generator.permutation(len(batch["actions"]))).chunk(args.num_minibatches):
                loss = loss_of(agent, magnet_log_probs[part], {name: row[part] for name, row in rows.items()}, args)
                optimizer.zero_grad()
                torch.autograd.backward(loss)
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
        with torch.no_grad():
            for old, new in zip(magnet.parameters(), agent.parameters(), strict=True):
                old.lerp_(new, args.magnet_tau)
        print(f"{rollout.decisions:,} decisions, {rollout.games:,} games, loss {loss.item():.3f}")
    return AgentPlayer(magnet)  # The average plays better than the last weights, which swing around it.


def main() -> None:
    """Train with the command line's hyper-parameters, and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for field in dataclasses.fields(Args):
        default: Any = field.default
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(default), default=default)
    args = Args(**vars(parser.parse_args()))
    player = train(args)
    game = find(args.env_id)
    options = game.parse_options()
    players: list[PlayerSpec] = [player, *[args.eval_opponent] * (options.num_players - 1)]
    report = evaluate(game, options, players, games=10_000, seed=1).players[0]
    (low, high), (least, most) = report.win_rate_ci95, report.mean_return_ci95
    print(f"wins {report.win_rate:.1%} [{low:.1%}, {high:.1%}] of 10,000 games against {args.eval_opponent}")
    print(f"mean return {report.mean_return:+.3f} [{least:+.3f}, {most:+.3f}] {game.unit} a game in them")
    exact = tree_exploitability(game, options, player)
    if exact is not None:  # The tree is small enough to enumerate.
        print(f"exploitability {exact[0]:.4f} {game.unit} a game: what a best response wins, 0 at an equilibrium")


if __name__ == "__main__":
    main()
