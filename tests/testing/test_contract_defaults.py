"""What the contract fills in for a small game: words from features, a score from what was paid, keys from indices."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from cardgym.engine.contract import (
    CardgymError,
    Feature,
    Game,
    Generator,
    Observation,
    Options,
    Rules,
    State,
    Words,
    number,
    rule,
    uniform,
)
from cardgym.engine.states import SingleGame
from cardgym.testing import StateDriver, generator, knowledge_checks, rule_checks
from kuhn_poker import BET, GAME, HIDDEN, KING, PASS


def test_words_come_from_features_and_action_names() -> None:
    driver = StateDriver(dataclasses.replace(GAME, words=Words()))
    driver.apply_action(KING)
    assert driver.narrate(0) == "Own card: king"
    assert driver.narrate(1) == ""
    driver.apply_action(0)
    assert driver.describe(1).splitlines() == [
        "Own card: jack", "Own seat: 1", "Own bet: 0", "The other's bet: 0", "Actions played: 0",
    ]  # fmt: skip
    driver.apply_action(BET)
    assert [driver.narrate(seat) for seat in range(2)] == ["You: bet", "Seat 0: bet"]
    assert driver.action_text(PASS) == "pass"
    assert driver.describe(1).splitlines()[3:] == ["The other's bet: 1", "Actions played: 1"]


def test_features_without_names_for_their_values_show_their_meaning() -> None:
    ones = np.ones(1, np.float32)
    assert Feature("round", "0 before the public card, 1 after it").in_words(ones) == (
        "Round: 1 (0 before the public card, 1 after it)"
    )
    assert Feature("card", "one-hot: own card, jack, queen", 2).in_words(np.zeros(2, np.float32)) == "Own card: none"


@pytest.mark.parametrize("check", [knowledge_checks.check_hidden, knowledge_checks.check_words])
def test_default_words_reveal_nothing_hidden(check: object) -> None:
    assert callable(check)
    check(dataclasses.replace(GAME, words=Words()), Options(), 1, 40)


def test_default_score_goes_to_the_seat_that_was_paid_most() -> None:
    driver = StateDriver(GAME)
    driver.play(KING, 0, BET, PASS)
    assert [driver.score(seat) for seat in range(2)] == [1.0, 0.0]
    driver.state.paid[:] = 0.0
    driver.refresh()
    assert [driver.score(seat) for seat in range(2)] == [0.5, 0.5]
    rule_checks.check_endings(GAME, Options())


def test_keys_of_states_are_their_indices_unless_a_game_has_others() -> None:
    index = GAME.state_index
    assert index.info_state_key is index.info_state_index
    assert index.info_state_keys is not None
    assert index.info_state_keys(Options()).tolist() == list(range(13))


# -- resampling by search ---------------------------------------------------------------------------------------------


@rule
def deal_again(state: State, seat: int, source: Generator) -> None:
    """Kuhn poker's `resample` by hand: deal the other seat one of the cards that `seat` does not hold."""
    other = 1 - seat
    if state.cards[other] != HIDDEN:
        card = uniform(source, 3 if state.cards[seat] == HIDDEN else 2)
        state.cards[other] = card + 1 if HIDDEN < state.cards[seat] <= card else card


def states_of(driver: StateDriver) -> Iterator[StateDriver]:
    yield driver
    for move in range(driver.num_chance_outcomes) or ([] if driver.over else driver.legal_actions()):
        after = driver.copy()
        after.apply_action(move)
        yield from states_of(after)


def test_default_resample_draws_what_one_by_hand_draws() -> None:
    by_hand = dataclasses.replace(GAME, id="KuhnByHand-v0", rules=dataclasses.replace(GAME.rules, resample=deal_again))
    seen = 0
    for driver in states_of(StateDriver(GAME)):
        for seat in range(2):
            for number_of_draw in range(5):
                searched, dealt = driver.states.copy(), driver.states.copy()
                SingleGame(GAME, Options(), searched).resample(seat, generator(seen, number_of_draw))
                SingleGame(by_hand, Options(), dealt).resample(seat, generator(seen, number_of_draw))
                assert searched.tobytes() == dealt.tobytes(), (driver.states, seat)
            seen += 1
    assert seen == 2 * (1 + 3 + 6 * 9)


@rule
def setup_uneven(state: State) -> None:
    state.first = state.second = state.moves = 0


@rule
def uneven_outcomes(state: State) -> int:
    """A coin, then a second draw among as many outcomes as the coin says: 1 or 3."""
    return (2, 1 + 2 * state.first, 0, 0, 0)[state.moves]


@rule
def uneven_player(state: State) -> int:
    return state.moves - 2 if state.moves < 4 else -1


@rule
def play_uneven(state: State, move: int) -> None:
    if state.moves == 0:
        state.first = move
    elif state.moves == 1:
        state.second = move
    state.moves += 1


@rule
def observe_moves(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    out[0] = state.moves


UNEVEN = Game(
    id="Uneven-v0",
    doc="Both chance moves are hidden.",
    state=np.dtype(
        [(name, np.int32) for name in ("num_players", "first", "second", "moves")] + [("paid", np.float32, (2,))],
        align=True,
    ),
    num_actions=1,
    rules=Rules(setup_uneven, uneven_outcomes, uneven_player, play_uneven),
    observations={"full": Observation(observe_moves, lambda options: (Feature("moves", "moves played", high=4),))},
)


def test_default_resample_weighs_states_by_their_chance_moves() -> None:
    driver = StateDriver(UNEVEN)
    driver.play(0, 0, 0)
    counts = np.zeros((2, 3), np.int64)
    for key in range(4000):
        other = driver.copy()
        other.resample(1, generator(key))
        counts[other.state.first, other.state.second] += 1
    assert np.abs(counts / 4000 - [[1 / 2, 0, 0], [1 / 6, 1 / 6, 1 / 6]]).max() < 0.04


def test_default_resample_is_for_games_without_options() -> None:
    @dataclasses.dataclass(frozen=True)
    class Stakes(Options):
        stake: int = number(1, 1, 9, help="chips")

    own = GAME.rules
    rules = Rules(own.setup, own.num_chance_outcomes, own.current_player, own.apply_action)
    with pytest.raises(CardgymError, match="defines `resample`"):
        dataclasses.replace(GAME, rules=rules, options=Stakes)
