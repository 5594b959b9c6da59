"""The players `search` and `value-search`, which sample states from exact beliefs and look ahead in each.

`search` plays each state to the end with `bayes` in both seats. `value-search` plays until its next decision, with
`bayes` in the opponent's seat, and there takes the value of a trained network's critic.

A search runs outside the kernel and gets only the full observation and the mask, so it cannot know more than its seat
does. It builds a state from the observation, with arbitrary tiles for the hidden ones. `resample` then draws states in
proportion to their probability given what the seat knows. The probability that a guess is right is exact; the sampled
states only estimate the values of a right and of a wrong guess.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled, name_entry_point
from cardgym.engine.contract import Float32s, Float64s, Generator, Int8s, Int64s, State, count_bits, rule, uniform
from cardgym.engine.rules import derive, hash_of
from cardgym.games.coda import state as coda
from cardgym.games.coda.arrangements import new_weights, weigh_guesses
from cardgym.games.coda.critic import PLAY_OUT, Critic, value_of
from cardgym.games.coda.knowledge import put_jokers, resample
from cardgym.games.coda.observations import FULL, OBSERVATIONS, TURN
from cardgym.games.coda.players import act_as, bayes
from cardgym.games.coda.rules import apply_action, legal_action_mask, num_chance_outcomes, setup
from cardgym.games.coda.state import CodaOptions
from cardgym.players import Actions, Masks, Observations, Player

OWN, OTHER = 0, 1
"""The seats in the search's states. An observation does not depend on the seat number."""

BAYES = -1
"""The number of `bayes` as it plays; its other models are in `MODELED`."""

Bools = npt.NDArray[np.bool_]

ROOT, WORLD, PLAY = range(3)
"""The search's states: what the seat knows, a state sampled from it, and the one being played out."""


class SearchPlayer(Player):
    """Looks ahead in sampled states to choose among the likeliest guesses and stopping, places, or own tiles.

    Deterministic: the same observation gives the same action.
    """

    observation_name = "full"

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
        self._records = np.zeros(3, coda.STATE)
        options.write(self._records.view(np.recarray)[ROOT])
        self._mask = np.zeros(coda.num_actions(options), np.int8)
        # Compile now, so that games do not have to wait.
        nothing = np.zeros(OBSERVATIONS["full"].size(options), np.float32)
        self._list_candidates(nothing, self._mask)
        self._try(nothing, 0, np.zeros(0, np.int64), 0)

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        return np.array([self._choose(*row) for row in zip(observations, masks, strict=True)], np.int64)

    def _choose(self, observation: Float32s, mask: Int8s) -> int:
        if mask.sum() == 1:
            return int(mask.argmax())
        candidates, chances = self._list_candidates(observation, mask)
        tallies = np.zeros((len(candidates), 2, 2))
        drawn = 0
        for number, worlds in enumerate(self._rounds):
            if len(candidates) == 1:
                break
            values, right = self._try(observation, drawn, candidates, worlds)
            drawn += worlds
            where: Any = np.broadcast_to(np.arange(len(candidates)), right.shape), right.astype(np.int64)
            np.add.at(tallies[..., 0], where, 1.0)
            np.add.at(tallies[..., 1], where, values)
            worths = np.array([estimate(*of_one) for of_one in zip(chances, tallies, strict=True)])
            order = np.argsort(-worths, kind="stable")
            if number + 1 < len(self._rounds):
                order = order[: (len(order) + 1) // 2]
            candidates, chances, tallies = candidates[order], chances[order], tallies[order]
        return int(candidates[0])

    def _list_candidates(self, observation: Float32s, mask: Int8s) -> tuple[Int64s, Float64s]:
        """The candidate actions and, for guesses, their probabilities."""
        candidates = np.full(self._guesses + 1 + coda.MAX_LINE, -1, np.int64)
        chances = np.zeros(len(candidates))
        count = _list_candidates(self._records, observation, mask, self._guesses, candidates, chances)
        return candidates[:count], chances[:count]

    def _try(self, observation: Float32s, first: int, actions: Int64s, worlds: int) -> tuple[Float64s, Bools]:
        values, right = np.empty((worlds, len(actions))), np.empty((worlds, len(actions)), np.bool_)
        try_actions(self._records, observation, first, actions, self._mask, self._critic, BAYES, BAYES, values, right)
        return values, right


@compiled
def try_actions(
    records: Any, observation: Float32s, first: int, actions: Int64s, mask: Int8s,
    critic: Critic, own: int, other: int, values: Float64s, right: Bools,
) -> None:  # fmt: skip
    """Try each action in states sampled given the full observation, which are numbered from `first` on.

    `own` and `other` are the players of the two seats in what follows, by number in `MODELED`, or `BAYES`. Fills in the
    value of each action in each state, from -1 to 1, and whether it is a right guess there; both arrays are (states,
    actions).
    """
    remember(records[ROOT], observation)
    key = hash_of(observation)
    n = int(records[ROOT].n)
    generator = np.empty(2, np.uint64)
    for world in range(values.shape[0]):
        generator[0] = derive(key, np.uint64(first + world))
        generator[1] = np.uint64(0)
        records[WORLD] = records[ROOT]
        resample(records[WORLD], OWN, generator)
        start = generator[1]
        for at in range(actions.shape[0]):
            generator[1] = start  # The same random numbers for every action.
            records[PLAY] = records[WORLD]
            action = actions[at]
            right[world, at] = action < n * n and records[WORLD].line[OTHER, action // n] == action % n
            apply_action(records[PLAY], action)
            _play_on(records[PLAY], mask, generator, critic.values.shape[0] > 0, own, other)
            values[world, at] = _worth(records[PLAY], critic)


def estimate(chance: float, tally: Float64s) -> float:
    """The estimated value of an action, from -1 to 1.

    The mean over the sampled states, with right and wrong guesses weighted by their probabilities (`chance` for right
    ones, 0 for other actions) instead of their frequencies in the sample (post-stratification: Cochran, "Sampling
    Techniques", 1977). `tally`, (2, 2), float64, has the number of states and the sum of their values, first
    where the guess is wrong.
    """
    if tally[0, 0] == 0.0 or tally[1, 0] == 0.0:
        return float((tally[0, 1] + tally[1, 1]) / (tally[0, 0] + tally[1, 0]))
    return float((1.0 - chance) * tally[0, 1] / tally[0, 0] + chance * tally[1, 1] / tally[1, 0])


@compiled
def _list_candidates(
    records: Any, observation: Float32s, mask: Int8s, guesses: int, candidates: Int64s, chances: Float64s
) -> int:
    """Write the candidate actions and return their number: all legal actions, but only the likeliest guesses.

    Fills `chances` with the probabilities of the guesses.
    """
    state = records[ROOT]
    remember(state, observation)
    count = 0
    n = int(state.n)
    if state.phase != coda.GUESSING:
        for action in range(mask.shape[0]):
            if mask[action]:
                candidates[count] = action
                count += 1
        return count
    weights = new_weights()
    total = weigh_guesses(state, OWN, weights)
    by_guess = weights[: int(state.length[OTHER]), :n].copy().ravel()  # In the order of the actions.
    for guess in np.argsort(-by_guess, kind="mergesort")[:guesses]:
        if by_guess[guess] > 0.0:
            candidates[count] = guess
            chances[count] = by_guess[guess] / total
            count += 1
    if mask.shape[0] > n * n and mask[coda.stop_action(state)]:
        candidates[count] = coda.stop_action(state)
        count += 1
    return count


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
    """The value of a state to OWN, from -1 to 1: the result if the game is over, else the critic's value."""
    if state.phase == coda.OVER:
        return 1.0 if state.winner == OWN else -1.0
    return value_of(critic, state, OWN)


name_entry_point("the search at Coda", try_actions)


# -- from an observation to a state -----------------------------------------------------------------------------------


@rule
def remember(state: State, seen: Float32s) -> None:
    """Reconstruct a state in which OWN would see the full observation `seen`.

    The state's options must be set. Hidden tiles get arbitrary unseen values; `resample` then draws them.
    """
    n = int(state.n)
    half = n // 2
    at = FULL[n]
    setup(state)
    state.turn = OWN
    state.pool_size = _whole(seen[TURN.pool] * n)
    state.hits = _whole(seen[TURN.hits] * half)
    state.missed = seen[TURN.missed] > 0.5
    state.starter = OWN if seen[TURN.moved_first] > 0.5 else OTHER
    aside = _bits(seen, at.drawn, n)
    free = _bits(seen, at.unseen, n)
    _recall_own(state, aside, seen)
    if seen[TURN.opponent_size] > 0.5 / half:
        _recall_other(state, free, seen)
        state.phase = (
            coda.GUESSING if seen[TURN.guessing] > 0.5 else coda.PLACING if seen[TURN.placing] > 0.5 else coda.REVEALING
        )
        for tile in range(n):
            if (aside >> tile) & 1:
                state.drawn = tile
    else:
        state.phase = coda.SETTING
        state.waiting[OWN] = aside
        for tile in range(n):  # As many tiles as each seat was dealt.
            if (free >> tile) & 1 and count_bits(int(state.held[OTHER])) < state.n_start:
                state.held[OTHER] |= 1 << tile
    state.pool = free & ~int(state.held[OTHER])


@rule
def _recall_own(state: State, aside: int, seen: Float32s) -> None:
    """Write the own line and the values known to be wrong for its hidden tiles; `aside` are tiles not yet in it."""
    n = int(state.n)
    half = n // 2
    at = FULL[n]
    own = _bits(seen, at.own_tiles, n)
    state.held[OWN] = own
    state.up[OWN] = _bits(seen, at.own_up, n)
    for tile in range(coda.num_numbers(state)):
        if (own & ~aside) >> tile & 1:
            coda.insert(state, OWN, int(state.length[OWN]), tile)
    places = np.full(2, -1, np.int64)
    for joker in range(int(state.jokers)):
        places[joker] = _whole(seen[TURN.jokers + joker] * half) - 1
    put_jokers(state, OWN, places)
    for place in range(state.length[OWN]):
        if coda.hidden(state, OWN, place):
            possible = _bits(seen, at.own_may_be + place * n, n)
            state.denied[state.line[OWN, place]] = (coda.BLACK | coda.WHITE) & ~possible
    if state.jokers:
        for place in range(state.length[OWN]):
            state.entered[state.line[OWN, place]] = _whole(seen[at.own_entered + place] * half)


@rule
def _recall_other(state: State, free: int, seen: Float32s) -> None:
    """Write the opponent's line: face-up tiles, tiles from `free` for hidden ones, and their excluded values."""
    n = int(state.n)
    at = FULL[n]
    size = _whole(seen[TURN.opponent_size] * (n // 2))
    for place in range(size):
        possible = _bits(seen, at.opponent_may_be + place * n, n)
        tile = 0
        if seen[at.opponent_up + place] > 0.5:
            while (possible >> tile) & 1 == 0:
                tile += 1
            state.up[OTHER] |= 1 << tile
        else:
            # Any unused tile of the right color will do.
            white = seen[at.opponent_white + place] > 0.5
            allowed = free & ~int(state.held[OTHER])
            if state.color_visible == coda.YES:
                allowed &= coda.WHITE if white else coda.BLACK
            while (allowed >> tile) & 1 == 0:
                tile += 1
            state.denied[tile] = (coda.BLACK | coda.WHITE) & ~possible
        state.held[OTHER] |= 1 << tile
        state.line[OTHER, place] = tile
        if state.jokers:
            state.entered[tile] = _whole(seen[at.opponent_entered + place] * (n // 2))
    state.length[OTHER] = size


@rule
def _whole(value: float) -> int:
    return int(value + 0.5)


@rule
def _bits(numbers: Float32s, start: int, size: int) -> int:
    """The set of tiles whose entry is 1."""
    tiles = 0
    for tile in range(size):
        if numbers[start + tile] > 0.5:
            tiles |= 1 << tile
    return tiles
