"""Train the small networks of Corellian Spike's `champion` on deals of `ppo` against itself.

Usage:
    python research/spike_champion.py ends
    python research/spike_champion.py placing

`ends`: what the end of a betting in rounds 1 and 2 is worth. The number of raises is drawn, whatever the hands, so that
the networks also learn of large pools; three quarters of the hands are dealt again, most of them good ones. `ppo` plays
on, and the networks are fitted to the results by least squares, weighted by the pool.

`placing`: how much likelier than by `ppo` a bought card is placed in each way. `ppo` plays on after each of the four
ways with the same luck, and the network raises what the mix of the four pays.

Both print how good they are on the last tenth, which they do not learn from.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import torch

from cardgym import find
from cardgym.arena.playouts import DEAL, MOVE, NO_MOVE, Decisions, ManyGames, States, generators
from cardgym.engine.contract import END, Float64s, Int64s
from cardgym.files.tensors import write_tensors
from cardgym.games.corellian_spike import ends, placing
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.ends import FORMAT, features_of_pairs, features_of_stakes
from cardgym.games.corellian_spike.hand import hand_rank
from cardgym.games.corellian_spike.posterior import HIGH, LOW, deal_by_ranges, face_down
from cardgym.players import resolve

GAME = find("CorellianSpike-v0")
OPTIONS = GAME.parse_options({})
PPO = resolve("ppo", GAME, OPTIONS)
ROWS, BATCH, RATE = 2048, 4096, 4e-3


def self_play(count: int, generator: np.random.Generator, wanted: Callable[[Int64s, States], np.ndarray]) -> States:
    """Return states of `ppo` against itself, at least `count`, of which `wanted` says yes, given the phase before."""
    found: list[States] = []
    while sum(map(len, found)) < count:
        games = ManyGames.of_new_games(GAME, OPTIONS, generator.integers(0, 2**63, ROWS, np.uint64))
        moves = np.full(ROWS, NO_MOVE)
        while (games.who != END).any() and sum(map(len, found)) < count:
            before = games.states["phase"].copy()
            games.advance(moves, MOVE)
            found.append(games.states.take(np.flatnonzero(wanted(before, games.states))))
            moves[:] = NO_MOVE
            live = np.flatnonzero(games.who >= 0)
            if live.size:
                draws = generator.random(len(live))
                moves[live] = games.decisions(live).actions_of(PPO, draws, np.zeros(2, np.uint64))
    return np.concatenate(found)


def to_bet(before: Int64s, states: States) -> np.ndarray:
    """Say whether a betting of round 1 or 2 begins, (rows,)."""
    early = np.isin(states["round_number"], (1, 2))
    begins: np.ndarray = (states["phase"] == sabacc.BETTING) & (before != sabacc.BETTING) & early
    return begins


def to_place(before: Int64s, states: States) -> np.ndarray:
    """Say whether a seat is to place a bought card, (rows,)."""
    places: np.ndarray = (states["phase"] == sabacc.PLACING) & (before != sabacc.PLACING)
    return places


def after_raises(states: States, generator: np.random.Generator) -> States:
    """Return the ends of bettings with a random number of raises; `states`, at their starts, change."""
    left, checks = generator.geometric(0.25, len(states)) - 1, generator.random(len(states)) < 0.5
    found: list[States] = []
    while states.size:
        seats = states["turn"].astype(np.int64)
        raises = (left > 0) & (states["stack"][np.arange(len(states)), seats] >= sabacc.BET) & ~(checks & (seats == 0))
        left -= raises
        checks[:] = False
        games = ManyGames(GAME, OPTIONS, states, generators(np.zeros(len(states), np.uint64)))
        games.advance(np.where(raises, sabacc.RAISE, sabacc.MATCH), MOVE)
        ended = states["phase"] == sabacc.DICE
        found.append(states.take(np.flatnonzero(ended)))
        on = np.flatnonzero(~ended)
        states, left, checks = states.take(on), left[on], checks[on]
    return np.concatenate(found)


def deal_again(states: States, generator: np.random.Generator) -> None:
    """Deal hands and piles again, in place; the nearer a hand is to 0, the likelier, by four degrees."""
    degrees = generator.choice(np.array([1.0, 0.8, 0.6, 0.4]), len(states))
    for seat in range(2):
        spikes = states["cards"][:, seat, sabacc.SPIKE_SLOT]
        for spike, degree in product(range(-10, 11), np.unique(degrees)):
            rows = np.flatnonzero((spikes == spike) & (degrees == degree))
            ranges = np.tile(degree ** np.abs(LOW + HIGH - 20 + spike), (2, 1))
            dealt, source = states.take(rows), generator.integers(0, 2**63, 2, np.uint64)
            deal_by_ranges(dealt, 1 - seat, ranges, generator.random(len(rows)), np.ones(len(rows)), source)
            states[rows] = dealt


def play_on(states: States, generator: np.random.Generator) -> Float64s:
    """Return what seat 0 wins from there on, with half of the pool as its stake, as shares of the pool, (states,)."""
    count = len(states)
    games = ManyGames(GAME, OPTIONS, states.copy(), generators(generator.integers(0, 2**63, count, np.uint64)))
    choice = generators(generator.integers(0, 2**63, count, np.uint64))
    games.play_on(PPO, np.full(count, NO_MOVE), choice, np.zeros(2, np.uint64), DEAL)
    won: Float64s = (games.paid[:, 0] + states["put_hand"][:, 0]) / states["pool"] - 0.5
    return won


class Network(torch.nn.Module):
    """A network with the arrays of a file as parameters."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        layout = ends.layout(*sizes)
        for name, (_, shape) in layout.items():
            bound = float(layout[name.replace("biases", "weights")][1][-2] or 1) ** -0.5
            self.register_parameter(name, torch.nn.Parameter(torch.empty([int(n or 0) for n in shape])))
            torch.nn.init.uniform_(self.get_parameter(name), -bound, bound)

    def outputs(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the outputs for features whose last dimensions fit the weights."""
        for layer in ("first", "second", "last"):
            biases = self.get_parameter(f"{layer}_biases")
            inputs = inputs @ self.get_parameter(f"{layer}_weights") + (biases[:, None] if biases.ndim > 1 else biases)
            inputs = inputs if layer == "last" else inputs.relu()
        return inputs

    def write(self, path: Path, command: str) -> None:
        """Write the arrays, and the command that made them."""
        arrays = {name: value.detach().numpy() for name, value in self.named_parameters()}
        write_tensors(path, {"format": FORMAT, "command": command}, arrays)


def train(network: Network, loss: Callable[[torch.Tensor], torch.Tensor], rows: int, epochs: int) -> None:
    """Minimize the mean loss over random batches of the first rows."""
    steps = max(epochs * rows // BATCH, 20)
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for _ in range(steps):
        mean = loss(torch.randint(0, rows, (BATCH,))).mean()
        optimizer.zero_grad()
        torch.autograd.backward(mean)
        optimizer.step()
        schedule.step()


def played_on(
    count: int, generator: np.random.Generator
) -> tuple[list[torch.Tensor], torch.Tensor, Float64s, Float64s]:
    """Return the features of both seats, each (rows, 28), whose hand is better, what seat 0 won, and pools, (rows,).

    Whose hand it is: 1/2 for seat 0, -1/2 for seat 1, 0 for a tie. What is won is a share of the pool.
    """
    starts = self_play(count, generator, to_bet)
    again = starts.take(np.flatnonzero(np.arange(len(starts)) % 4))
    deal_again(again, generator)
    states = after_raises(np.concatenate([starts[::4], again]), generator)
    states = states.take(generator.permutation(len(states)))
    won = np.concatenate([play_on(part, generator) for part in np.array_split(states, -(-len(states) // (1 << 14)))])
    cards, pools = states["cards"][:, :2].astype(np.int64), states["pool"]
    public = cards[:, :, sabacc.SPIKE_SLOT], face_down(states), states["round_number"].astype(np.int64)
    features = []
    for seat in range(2):
        low, high = cards[:, seat, sabacc.LOW_SLOT] + 10, cards[:, seat, sabacc.HIGH_SLOT] + 10
        stakes = features_of_stakes(pools, states["stack"][:, :2], seat)
        features.append(torch.from_numpy(np.hstack([stakes, features_of_pairs(low, high, *public, seat)])))
    ranks = np.array([hand_rank(*hand) for hand in cards.reshape(-1, 3).tolist()]).reshape(-1, 2)
    better = torch.from_numpy(np.sign(ranks[:, 0] - ranks[:, 1]).astype(np.float32) / 2)
    return features, better, won, pools.astype(np.float64)


def train_ends(count: int, seed: int, out: Path) -> None:
    """Fit the networks to what seat 0 won, and print how well they explain the last tenth."""
    features, better, won, pools = played_on(count, np.random.default_rng(seed))
    targets, weights = (torch.from_numpy(one.astype(np.float32)) for one in (won, pools / pools.mean()))
    towers, rows = Network(*ends.SIZES), len(won) * 9 // 10

    def worths(at: torch.Tensor | slice) -> torch.Tensor:
        first, second = towers.outputs(torch.stack([one[at] for one in features]))
        products: torch.Tensor = (first[:, 2:-1] * second[:, 2:-1]).sum(1) + first[:, -1] * second[:, -1] * better[at]
        worth: torch.Tensor = products + first[:, 0] + second[:, 1]
        return worth

    train(towers, lambda at: weights[at] * (worths(at) - targets[at]) ** 2, rows, 8)
    with torch.no_grad():
        error = ((worths(slice(rows, None)).numpy() - won[rows:]) * pools[rows:]) ** 2
    spread = (won[rows:] * pools[rows:]) ** 2
    print(f"{1 - error.mean() / spread.mean():.1%} of the variance explained", flush=True)
    towers.write(out, f"python research/spike_champion.py ends --states {count} --seed {seed}")


def train_placing(count: int, seed: int, out: Path) -> None:
    """Raise what the ways of placing pay, and print by how much more than `ppo` in the last tenth."""
    generator = np.random.default_rng(seed)
    states = self_play(count, generator, to_place)
    seats = states["turn"].astype(np.int64)
    paid, usual = np.empty((2, len(states), len(placing.WAYS)))
    for part in np.array_split(np.arange(len(states)), -(-len(states) // (1 << 13))):
        decisions = Decisions(GAME, OPTIONS, states.take(part), seats[part])
        usual[part] = decisions.probabilities_of(PPO, np.zeros(0), np.zeros(2, np.uint64))[:, placing.WAYS]
        each = decisions.take(np.repeat(np.arange(len(part)), len(placing.WAYS)))
        luck = np.repeat(np.arange(len(part)), len(placing.WAYS))
        ways = np.tile(placing.WAYS, len(part))
        paid[part] = each.payoffs(PPO, ways, luck, generator, DEAL).reshape(len(part), -1)
    features = torch.from_numpy(placing.features_of_ways(states, seats))
    gains = torch.from_numpy((paid - (paid * usual).sum(axis=1, keepdims=True)).astype(np.float32))
    logs, network, rows = (
        torch.from_numpy(np.log(usual + 1e-9).astype(np.float32)),
        Network(*placing.SIZES),
        count * 9 // 10,
    )

    def mixes(at: torch.Tensor | slice) -> torch.Tensor:
        return torch.log_softmax(network.outputs(features[at]).squeeze(-1) + logs[at], dim=1)

    def loss(at: torch.Tensor) -> torch.Tensor:
        mix = mixes(at)
        worse: torch.Tensor = (mix.exp() * (0.01 * mix - gains[at])).sum(1)  # A little less for being predictable.
        return worse

    train(network, loss, rows, 3)
    with torch.no_grad():
        won = (mixes(slice(rows, None)).exp() * gains[rows:]).sum(1).numpy()
    print(f"credits more than by ppo at each placing: {won.mean():.3f} +- {1.96 * won.std() / len(won) ** 0.5:.3f}")
    network.write(out, f"python research/spike_champion.py placing --states {count} --seed {seed}")


def main() -> None:
    """Train and write one of the two."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("which", choices=["ends", "placing"], help="the networks to train")
    parser.add_argument("--out", type=Path, help="the file to write (that of the package)")
    parser.add_argument("--states", type=int, metavar="N", help="states (ends 1,000,000, placing 1,200,000)")
    parser.add_argument("--seed", type=int, default=5, metavar="N", help="of the deals and the training (5)")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)
    out = arguments.out or Path(ends.__file__).with_name(f"{arguments.which}.safetensors")
    if arguments.which == "ends":
        train_ends(arguments.states or 1_000_000, arguments.seed, out)
    else:
        train_placing(arguments.states or 1_200_000, arguments.seed, out)


if __name__ == "__main__":
    main()
