"""The players `search` and `value-search`, which sample states from beliefs and look ahead in each.

`search` plays each state to the end with `bayes` in both seats. `value-search` plays until its next decision, with
`bayes` in the opponent's seat, and there takes the value of a trained network's critic. Where each seat is dealt
one tile, `search` draws its guesses; see `drawing`.

A search runs outside the kernel and gets only the observation `guessed` and the mask, so it cannot know more than its
seat does. It builds a state from the observation, with arbitrary tiles for the hidden ones. `resample` then draws
states in proportion to their probability if guesses were chance (all are listed if the opponent hides a single tile),
and `evidence` weighs them by how well they explain the guesses of the opponent, whose policy is unknown. The sampled
states also estimate the values of a right and of a wrong guess.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled, name_entry_point
from cardgym.engine.contract import Float32s, Float64s, Generator, Int8s, Int64s, State, rule, uniform
from cardgym.engine.rules import derive, hash_of
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import new_weights, weigh_guesses
from cardgym.games.coda.critic import PLAY_OUT, Critic, value_of
from cardgym.games.coda.evidence import NUM_POLICIES, explain, recall_guesses
from cardgym.games.coda.knowledge import OTHER, OWN, draw_arrangement, remember, resample
from cardgym.games.coda.observations import OBSERVATIONS
from cardgym.games.coda.players import act_as, bayes
from cardgym.games.coda.rules import apply_action, legal_action_mask, num_chance_outcomes
from cardgym.games.coda.state import CodaOptions
from cardgym.players import Actions, Masks, Observations, Player
from cardgym.statistics import even_steps

BAYES = -1
"""The number of `bayes` as it plays; its other models are in `MODELED`."""

Bools = npt.NDArray[np.bool_]

ROOT, PLAY, SCRATCH, WORLDS = range(4)
"""The search's states: what the seat knows, the one being played out, room for `explain`, and from `WORLDS` on those
sampled."""

STRANGER = np.array([0.01, 0.01, 0.03, 0.0, 0.2, 0.25, 0.25, 0.25])
"""How likely an unknown opponent is to have each policy of `evidence`."""

_SHRINK = 2.0
"""How many states of average weight count with those sampled for each guess."""


class Beliefs(NamedTuple):
    """What a seat believes about the opponent's tiles.

    Attributes:
        weights: those of the sampled states, which add up to 1, (states,).
        chances: of each tile at each place of the opponent's line, (MAX_LINE, MAX_TILES).
        policies: the probability of each policy of `evidence`, (NUM_POLICIES,).
    """

    weights: Float64s
    chances: Float64s
    policies: Float64s

    def drawn(self, count: int, seed: int) -> Int64s:
        """Return the numbers of `count` states, drawn by their weights in even steps, in random order."""
        generator = random.Random(seed)  # A page has no generators of NumPy.
        return even_steps(self.weights, count, generator.random()).take(generator.sample(range(count), count))


_SAMPLED = 1024
"""The number of states that `search` samples to weigh them."""
_LUCK = 1 << 20
"""Where the random numbers of playouts begin."""


class SearchPlayer(Player):
    """Looks ahead in sampled states to choose among the likeliest guesses and stopping, places, or own tiles.

    The same observation gives the same action, except for guesses that `drawing` draws.
    """

    observation_name = "guessed"

    def __init__(
        self,
        options: CodaOptions,
        *,
        guesses: int = 6,
        worlds: tuple[int, ...] = (32, 48, 64),
        critic: Critic = PLAY_OUT,
        name: str = "search",
    ) -> None:
        """Search in games with these options; without a critic, play states out.

        Args:
            guesses: the number of guesses to evaluate, the likeliest first.
            worlds: the number of states to sample in each round, (rounds,). After every round but the last, the worse
                half of the actions is dropped.
        """
        self.name = name
        self._critic, self._guesses, self._rounds = critic, guesses, worlds
        self._sampler = Sampler(options, max(_SAMPLED, sum(worlds)))
        # Compile now, so that games do not have to wait.
        nothing = np.zeros(OBSERVATIONS["guessed"].size(options), np.float32)
        self._sampler.believe(nothing, STRANGER)
        self._try(nothing, np.zeros(0, np.int64), np.zeros(0, np.int64))

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        return np.array([self._choose(*row) for row in zip(observations, masks, strict=True)], np.int64)

    def _choose(self, observation: Float32s, mask: Int8s) -> int:
        if mask.sum() == 1:
            return int(mask.argmax())
        beliefs = self._sampler.believe(observation, STRANGER)
        candidates, chances = self._list_candidates(mask, beliefs.chances)
        tallies = np.zeros((len(candidates), 2, 2))
        drawn, first = beliefs.drawn(sum(self._rounds), 0), 0
        for number, worlds in enumerate(self._rounds):
            if len(candidates) == 1:
                break
            values, right = self._try(observation, drawn[first : first + worlds], candidates)
            first += worlds
            where: Any = np.broadcast_to(np.arange(len(candidates)), right.shape), right.astype(np.int64)
            np.add.at(tallies[..., 0], where, 1.0)
            np.add.at(tallies[..., 1], where, values)
            worths = np.array([estimate(*of_one) for of_one in zip(chances, tallies, strict=True)])
            order = np.argsort(-worths, kind="stable")
            if number + 1 < len(self._rounds):
                order = order[: (len(order) + 1) // 2]
            candidates, chances, tallies = candidates[order], chances[order], tallies[order]
        return int(candidates[0])

    def _list_candidates(self, mask: Int8s, chances: Float64s) -> tuple[Int64s, Float64s]:
        """Return the candidates and the probabilities of guesses: all legal actions, but only likely guesses."""
        state = self._sampler.root
        legal = np.flatnonzero(mask)
        if state.phase != coda.GUESSING:
            return legal, np.zeros(len(legal))
        by_guess = chances[: int(state.length[OTHER]), : int(state.n)].ravel()  # In the order of the actions.
        order = np.argsort(-by_guess, kind="stable")[: self._guesses]
        order = order[by_guess[order] > 0.0]
        stop = legal[legal >= int(state.n) ** 2]
        return np.concatenate([order, stop]), np.concatenate([by_guess[order], np.zeros(len(stop))])

    def _try(self, observation: Float32s, drawn: Int64s, actions: Int64s) -> tuple[Float64s, Bools]:
        bayes_plays = np.full(len(drawn), BAYES)
        return self._sampler.try_actions(observation, drawn, actions, self._critic, BAYES, bayes_plays)


class Sampler:
    """Samples states from what a seat has observed, and tries actions in them."""

    def __init__(self, options: CodaOptions, count: int) -> None:
        """Sample `count` states at a time."""
        self.records = np.zeros(WORLDS + count, coda.STATE)
        options.write(self.root)
        self._mask = np.zeros(coda.num_actions(options), np.int8)

    @property
    def root(self) -> State:
        """The state built from the last observation."""
        return self.records.view(np.recarray)[ROOT]

    def believe(self, observation: Float32s, prior: Float64s) -> Beliefs:
        """Sample states and weigh them; `prior` has the probability of each policy of `evidence`."""
        weights, policies = np.zeros(len(self.records) - WORLDS), np.zeros(NUM_POLICIES)
        chances = np.zeros((coda.MAX_LINE, coda.MAX_TILES))
        _believe(self.records, observation, prior, weights, policies, chances)
        return Beliefs(weights / weights.sum(), chances, policies / policies.sum())

    def try_actions(
        self, observation: Float32s, drawn: Int64s, actions: Int64s, critic: Critic, own: int, others: Int64s
    ) -> tuple[Float64s, Bools]:
        """Get the value of each action in each of these states, and whether it is a right guess; see `try_actions`."""
        values, right = np.empty((len(drawn), len(actions))), np.empty((len(drawn), len(actions)), np.bool_)
        drawn, actions, others = (np.asarray(each, np.int64) for each in (drawn, actions, others))  # 32 bits in a page.
        try_actions(self.records, observation, drawn, actions, self._mask, critic, own, others, values, right)
        return values, right


@rule
def sample_worlds(
    records: Any, observation: Float32s, prior: Float64s, weights: Float64s, policies: Float64s, chances: Float64s
) -> None:
    """Sample states given the observation `guessed`, and fill in what `Beliefs` has, up to factors."""
    root = records[ROOT]
    remember(root, observation)
    key = hash_of(observation)
    guesses = recall_guesses(root, OWN)
    scratch, shares = records[SCRATCH : SCRATCH + 1], np.ones(NUM_POLICIES)
    table, ways, sums, counts = new_weights(), new_weights(), new_weights(), new_weights()
    shown = coda.lines_shown(root)
    every = weigh_guesses(root, OWN, ways) if shown else 0.0
    single = shown and coda.count_hidden(root, OTHER) == 1
    at = 0
    while single and not coda.hidden(root, OTHER, at):
        at += 1
    generator = np.empty(2, np.uint64)
    total = 0.0
    for number in range(int(root.n) if single else weights.shape[0]):
        weights[number] = 0.0
        drawn = ways[at, number] if single else 1.0
        if drawn == 0.0:  # State number t, if it is possible, has tile t there: all states, instead of a sample.
            continue
        records[WORLDS + number] = root
        world = records[WORLDS + number]
        generator[0] = derive(key, np.uint64(number))
        generator[1] = np.uint64(0)
        if single:
            draw_arrangement(world, OTHER, 1 << number, generator)
            world.pool = coda.unseen(world, OWN) & ~int(world.held[OTHER])
        else:
            resample(world, OWN, generator)
        explain(world, OWN, guesses, scratch, table, shares)
        for policy in range(NUM_POLICIES):
            weights[number] += drawn * prior[policy] * shares[policy]
            policies[policy] += drawn * prior[policy] * shares[policy]
        total += weights[number]
        for place in range(world.length[OTHER]):
            sums[place, world.line[OTHER, place]] += weights[number]
            counts[place, world.line[OTHER, place]] += 1.0
    if root.phase != coda.GUESSING:
        return
    mean = total / weights.shape[0]
    for place in range(root.length[OTHER]):
        if coda.hidden(root, OTHER, place):
            whole = 0.0
            for tile in range(root.n):
                likelier = (sums[place, tile] / mean + _SHRINK) / (counts[place, tile] + _SHRINK)
                chances[place, tile] = sums[place, tile] if single else ways[place, tile] / every * likelier
                whole += chances[place, tile]
            chances[place] /= whole


@compiled
def _believe(
    records: Any, observation: Float32s, prior: Float64s, weights: Float64s, policies: Float64s, chances: Float64s
) -> None:
    sample_worlds(records, observation, prior, weights, policies, chances)


@compiled
def try_actions(
    records: Any, observation: Float32s, drawn: Int64s, actions: Int64s, mask: Int8s,
    critic: Critic, own: int, others: Int64s, values: Float64s, right: Bools,
) -> None:  # fmt: skip
    """Try each action in some of the sampled states, `drawn` by their numbers, (states,).

    `own` and `others`, (states,), are the players of the two seats in what follows, by number in `MODELED`, or `BAYES`.
    Fills in the value of each action in each state, from -1 to 1, and whether it is a right guess there; both arrays
    are (states, actions).
    """
    n = int(records[ROOT].n)
    key = hash_of(observation)
    generator = np.empty(2, np.uint64)
    for number in range(drawn.shape[0]):
        world = records[WORLDS + drawn[number]]
        for at in range(actions.shape[0]):
            generator[0] = derive(key, np.uint64(_LUCK + number))  # The same random numbers for every action.
            generator[1] = np.uint64(0)
            records[PLAY] = world
            action = actions[at]
            right[number, at] = action < n * n and world.line[OTHER, action // n] == action % n
            apply_action(records[PLAY], action)
            _play_on(records[PLAY], mask, generator, critic.values.shape[0] > 0, own, others[number])
            values[number, at] = _worth(records[PLAY], critic)


def estimate(chance: float, tally: Float64s) -> float:
    """Return the estimated value of an action, from -1 to 1.

    The mean over the sampled states, with right and wrong guesses weighted by their probabilities (`chance` for right
    ones, 0 for other actions) instead of their frequencies in the sample (post-stratification: Cochran, "Sampling
    Techniques", 1977). `tally`, (2, 2), float64, has the number of states and the sum of their values, first
    where the guess is wrong.
    """
    if tally[0, 0] == 0.0 or tally[1, 0] == 0.0:
        return float((tally[0, 1] + tally[1, 1]) / (tally[0, 0] + tally[1, 0]))
    return float((1.0 - chance) * tally[0, 1] / tally[0, 0] + chance * tally[1, 1] / tally[1, 0])


@rule
def _play_on(state: State, mask: Int8s, generator: Generator, pauses: bool, own: int, other: int) -> None:
    """Play on to the end of the game; with `pauses`, only until OWN must decide."""
    while state.phase != coda.OVER:
        chances = num_chance_outcomes(state)
        if chances > 0:
            apply_action(state, uniform(generator, chances))
        elif pauses and state.turn == OWN:
            return
        else:
            legal_action_mask(state, mask)
            seat = int(state.turn)
            model = own if seat == OWN else other
            if model == BAYES:
                apply_action(state, bayes(state, seat, mask, generator))
            else:
                apply_action(state, act_as(model, state, seat, mask, generator))


@rule
def _worth(state: State, critic: Critic) -> float:
    """Return the value of a state to OWN, from -1 to 1: the result if the game is over, else the critic's value."""
    if state.phase == coda.OVER:
        return 1.0 if state.winner == OWN else -1.0
    return value_of(critic, state, OWN)


name_entry_point("the search at Coda", try_actions)
