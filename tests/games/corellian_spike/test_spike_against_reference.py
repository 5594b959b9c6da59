"""The compiled rules against an implementation of the rule text in plain Python, move by move over random games."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spike_reference import BUY, FOLD, MATCH, RAISE, Ask, Reference

from cardgym.games.corellian_spike.game import GAME, state
from cardgym.games.corellian_spike.state import EMPTY, CorellianSpikeOptions
from cardgym.testing import Table

Seen = Counter[str]


def play_both(options: CorellianSpikeOptions, seed: int, folds: float, seen: Seen, small: bool = False) -> None:
    """One random game in both; after every move everything that the rule text speaks of is compared.

    With `small`, cards near 0 are drawn while there are any, and hardly any is bought, so that hands are often tied.
    """
    table = Table(GAME, options)
    reference = Reference(
        options.num_players,
        options.hands,
        options.credits,
        options.betting == "matched",
        options.reward == "weighted",
    )
    rng = np.random.default_rng(seed)
    ask = next(reference.asks, None)
    paid = np.zeros(8)
    while ask is not None:
        compare(table, reference, ask, options)
        assert paid[: options.num_players].tolist() == reference.rewards
        move, answer = choose(table, ask, rng, folds, small)
        paid = table.apply(move)
        reference.rewards = [0.0] * options.num_players
        seen[ask.kind] += 1
        try:
            ask = reference.asks.send(answer)  # type: ignore[attr-defined]
        except StopIteration:
            ask = None
    assert paid[: options.num_players].tolist() == reference.rewards
    assert table.over
    assert int(table.state.hand) == reference.hands_played
    for number, seat in enumerate(reference.seats):
        assert int(table.state.stack[number]) == seat.credits
        assert float(GAME.rules.score(table.state, number)) == seat.hands_won
        assert table.code(number) == 0
    seen.update(reference.endings)
    seen["reshuffle"] += reference.reshuffles
    seen["bust"] += reference.hands_played < options.hands


def choose(table: Table, ask: Ask, rng: np.random.Generator, folds: float, small: bool) -> tuple[int, object]:
    """A random move of the table, and the same as an answer to the reference."""
    if ask.kind == "decide":
        weights = np.array(
            [{FOLD: folds, RAISE: 0.4, BUY: 0.05 if small else 4.0}.get(action, 1.0) for action in ask.choices]
        )
        action = int(rng.choice(ask.choices, p=weights / weights.sum()))
        return action, action
    if ask.kind == "dice" and not small and rng.random() < 0.3:  # Doubles more often than dice have them.
        first = int(rng.integers(3))
        return first * 7, (first + 1, first + 1)
    move = int(rng.integers(table.num_chance_outcomes))
    if ask.kind == "dice":
        return move, (move // 6 + 1, move % 6 + 1)
    if ask.kind == "draw" and small:
        near = np.flatnonzero(np.abs(table.state.deck[: table.num_chance_outcomes]) <= 1)
        move = int(rng.choice(near)) if len(near) else move
    if ask.kind == "lot":
        return move, ask.choices[move]
    return move, int(table.state.deck[move])


def compare(table: Table, reference: Reference, ask: Ask, options: CorellianSpikeOptions) -> None:
    state = table.state
    assert int(state.pool) == reference.pool
    assert int(state.hand) == reference.hands_played
    if ask.kind == "decide":
        assert (table.num_chance_outcomes, table.seat) == (0, ask.seat)
        assert table.legal_actions() == sorted(ask.choices)
        assert int(state.round_number) == reference.round
        assert table.code(ask.seat) == reference.code(ask.seat)
        compare_observation(table, reference, ask.seat, options)
    elif ask.kind == "draw":
        assert table.num_chance_outcomes == reference.pile.total()
        assert int(state.turn) == ask.seat
    elif ask.kind == "dice":
        assert table.num_chance_outcomes == 36
    else:
        assert table.num_chance_outcomes == len(ask.choices)
        assert [seat for seat in range(options.num_players) if state.tied[seat]] == list(ask.choices)
    assert Counter(state.deck[: state.deck_size].tolist()) == +reference.pile
    assert Counter(state.discards[: state.discards_size].tolist()) == +reference.discards
    assert (int(state.extra) if state.extra != EMPTY else None) == reference.bought
    for number, seat in enumerate(reference.seats):
        assert int(state.stack[number]) == seat.credits
        assert bool(state.folded[number]) == seat.folded
        hand = [int(card) for card in state.cards[number, :2] if card != EMPTY]
        assert sorted(hand) == sorted(seat.hand)
        assert (int(state.cards[number, 2]) if state.cards[number, 2] != EMPTY else None) == seat.spike


def compare_observation(table: Table, reference: Reference, number: int, options: CorellianSpikeOptions) -> None:
    """The full observation's features against what the reference's seat knows."""
    out, rows, at = table.observe(number, "full"), {}, 0
    for row in GAME.observation("full").table(options):
        rows[row.name] = out[at] if row.size == 1 else out[at : at + row.size]
        at += row.size
    seat = reference.seats[number]
    everything = options.num_players * options.credits
    low, high = sorted(seat.hand)
    total = sum(seat.cards)
    placed = [0.0, 0.0, 0.0]
    if reference.bought is not None:
        placed = [(total + reference.bought - card) / 30 for card in (seat.spike, low, high)]  # type: ignore[operator]
    unseen = reference.unseen_by(number)
    betting = reference.decision == 1
    expected = {
        "round": [float(reference.round == r) for r in range(4)],
        "decision": [float(reference.decision == d) for d in (1, 2, 3)],
        "seat": number / 7,
        "low": low / 10,
        "high": high / 10,
        "spike": (seat.spike or 0) / 10,
        "extra": (reference.bought or 0) / 10,
        "has_extra": float(reference.bought is not None),
        "sum": total / 30,
        "sum_placed": placed,
        "stack": seat.credits / everything,
        "pool": reference.pool / everything,
        "put": seat.put_hand / everything,
        "to_match": min(reference.price / 10, 1) if betting else 0,
        "raised": float(betting and reference.price > 0),
        "hands_left": (options.hands - reference.hands_played - 1) / options.hands,
        "unseen": [unseen[value] / 3 for value in range(-10, 11)],
    }
    for ahead in range(1, options.num_players):
        other = reference.seats[(number + ahead) % options.num_players]
        expected |= {
            f"opponent_{ahead}_in": float(not other.folded),
            f"opponent_{ahead}_spike": (other.spike or 0) / 10,
            f"opponent_{ahead}_stack": other.credits / everything,
            f"opponent_{ahead}_put": other.put_hand / everything,
            f"opponent_{ahead}_phase": min(other.put_phase / 10, 1),
            f"opponent_{ahead}_raises": min(other.raises / 10, 1),
            f"opponent_{ahead}_buys": other.buys / 3,
        }
    names = [name for name in rows if name in expected]
    observed = np.concatenate([np.atleast_1d(rows[name]) for name in names])
    wanted = np.concatenate([np.atleast_1d(np.asarray(expected[name], np.float64)) for name in names])
    wrong = np.flatnonzero(np.abs(observed - wanted) > 1e-6)
    assert not len(wrong), {name: (rows[name], expected[name]) for name in names}
    left_out = {"turns_left", *(f"opponent_{ahead}_kept" for ahead in range(1, options.num_players))}
    assert set(rows) - set(names) == left_out
    assert set(names) == set(expected)


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("betting", ["flat", "matched"])
def test_random_games(num_players: int, betting: str) -> None:
    seen: Seen = Counter()
    for seed, (credits, reward, folds) in enumerate(
        [
            (50, "credits", 0.05),
            (50, "weighted", 0.3),
            (10, "credits", 0.05),
            (4, "weighted", 0.1),
            (200, "credits", 0.02),
        ]
    ):
        options = CorellianSpikeOptions(num_players, 4, credits, betting, reward)
        play_both(options, 100 * num_players + seed, folds, seen)
    # The random play must have come to what it is meant to compare.
    assert seen["decide"] > 50
    assert seen["folded"] + seen["showdown"] + seen["lot"] >= 5
    assert seen["bust"] > 0


def test_random_games_reach_the_rare_rules() -> None:
    seen: Seen = Counter()
    for seed in range(4):
        play_both(CorellianSpikeOptions(8, 2, 100, ("flat", "matched")[seed % 2]), seed, 0.002, seen)
    for seed in range(6):
        play_both(CorellianSpikeOptions(2, 12, 200), seed, 0.01, seen, small=True)
    assert seen["reshuffle"] > 0
    assert seen["lot"] > 0
    assert seen["folded"] > 0


@settings(max_examples=25, deadline=None, database=None, derandomize=True)
@given(
    num_players=st.integers(2, 8),
    hands=st.integers(1, 6),
    tens=st.integers(1, 60),
    betting=st.sampled_from(["flat", "matched"]),
    reward=st.sampled_from(["credits", "weighted"]),
    seed=st.integers(0, 10_000),
    folds=st.sampled_from([0.0001, 0.1, 1.0]),
)
def test_games_of_any_options(
    num_players: int, hands: int, tens: int, betting: str, reward: str, seed: int, folds: float
) -> None:
    play_both(CorellianSpikeOptions(num_players, hands, 2 * tens, betting, reward), seed, folds, Counter())


def test_the_rules_have_the_actions_numbered_as_the_reference_and_the_paper() -> None:
    assert (state.RAISE, state.MATCH, state.FOLD, state.BUY) == (RAISE, MATCH, FOLD, BUY) == (0, 1, 2, 3)
