"""Goofspiel with four cards: in each round a prize is turned up, and both seats bid a card for it, face down.

The higher bid takes the prize; equal bids discard it. Each card is bid once.

## Rewards
The prize, paid by the loser of the round.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym import register
from cardgym.engine.contract import Feature, Game, Generator, Observation, Options, Rules, State, rule, uniform

N = 4
STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("prizes", np.int32, (N,)),  # By round; 0 is not turned up yet.
        ("bids", np.int32, (2, N)),  # By seat and round; 0 is not made yet.
        ("points", np.int32, (2,)),
        ("paid", np.float32, (2,)),
    ],
    align=True,
)


@rule
def setup(state: State) -> None:
    for place in range(N):
        state.prizes[place] = 0
        for seat in range(2):
            state.bids[seat, place] = 0
    for seat in range(2):
        state.points[seat] = 0


@rule
def rounds_done(state: State) -> int:
    done = 0
    for place in range(N):
        if state.bids[1, place] > 0:
            done += 1
    return done


@rule
def num_chance_outcomes(state: State) -> int:
    now = rounds_done(state)
    return N - now if now < N and state.prizes[now] == 0 else 0


@rule
def current_player(state: State) -> int:
    now = rounds_done(state)
    if now == N:
        return -1
    return 1 if state.bids[0, now] > 0 else 0


@rule
def apply_action(state: State, move: int) -> None:
    now = rounds_done(state)
    if state.prizes[now] == 0:
        for prize in range(1, N + 1):
            used = False
            for place in range(now):
                used = used or state.prizes[place] == prize
            if not used:
                if move == 0:
                    state.prizes[now] = prize
                    return
                move -= 1
        return
    seat = current_player(state)
    state.bids[seat, now] = move + 1
    if seat == 1 and state.bids[0, now] != state.bids[1, now]:
        winner = 0 if state.bids[0, now] > state.bids[1, now] else 1
        prize = state.prizes[now]
        state.points[winner] += prize
        state.paid[winner] = prize
        state.paid[1 - winner] = -prize


@rule
def legal_action_mask(state: State, mask: npt.NDArray[np.int8]) -> None:
    seat = current_player(state)
    for card in range(N):
        mask[card] = 1
    for place in range(N):
        if state.bids[seat, place] > 0:
            mask[state.bids[seat, place] - 1] = 0


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Another first bid, while seat 1 has not answered it."""
    now = rounds_done(state)
    if seat == 1 and now < N and state.bids[0, now] > 0:
        pick = uniform(generator, N - now)
        for card in range(1, N + 1):
            used = False
            for place in range(now):
                used = used or state.bids[0, place] == card
            if not used:
                if pick == 0:
                    state.bids[0, now] = card
                    return
                pick -= 1


@rule
def score(state: State, seat: int) -> float:
    if state.points[0] == state.points[1]:
        return 0.5
    return 1.0 if state.points[seat] > state.points[1 - seat] else 0.0


def features(options: Options) -> tuple[Feature, ...]:
    return (
        Feature("prizes", "the prizes turned up, by round", N, scale=N),
        Feature("own", "own bids, by round", N, scale=N),
        Feature("other", "the other's bids, by round", N, scale=N),
        Feature("seat", "own seat"),
    )


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    now = rounds_done(state)
    for place in range(N):
        out[place] = state.prizes[place] / 4.0
        out[N + place] = state.bids[seat, place] / 4.0
        out[2 * N + place] = state.bids[1 - seat, place] / 4.0 if place < now else 0.0
    out[3 * N] = seat


@rule
def greedy(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """The highest card left."""
    best = 0
    for card in range(N):
        if mask[card]:
            best = card
    return best


GAME = register(
    Game(
        id="Goofspiel-v0",
        doc=__doc__ or "",
        state=STATE,
        num_actions=N,
        action_names=tuple(f"bid {card + 1}" for card in range(N)),
        rules=Rules(
            setup,
            num_chance_outcomes,
            current_player,
            apply_action,
            resample=resample,
            legal_action_mask=legal_action_mask,
            score=score,
        ),
        observations={"full": Observation(observe, features)},
        players={"greedy": greedy},
        unit="points",
    )
)
