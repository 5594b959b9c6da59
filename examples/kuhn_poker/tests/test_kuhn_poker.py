"""Kuhn poker: hand-played lines, its 12 information sets, and its known values in exact fractions."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import kuhn_poker
from cardgym.testing import StateDriver, generator
from kuhn_poker import BET, GAME, JACK, KING, PASS, QUEEN

Strategy = dict[str, Fraction]
"""The probability of BET at each information set, named `card:history`."""


@pytest.mark.parametrize(
    ("actions", "paid"),
    [((PASS, PASS), 1), ((PASS, BET, PASS), -1), ((PASS, BET, BET), 2), ((BET, PASS), 1), ((BET, BET), 2)],
)
def test_five_lines_of_play_when_seat_0_holds_the_king(actions: tuple[int, ...], paid: int) -> None:
    driver = StateDriver(GAME)
    driver.play(KING, QUEEN)
    rewards = driver.play(*actions)
    assert driver.over
    assert rewards[:2].tolist() == [paid, -paid]


@pytest.mark.parametrize("first", ["kuhn_poker", "cardgym"])
def test_game_is_registered_whichever_is_imported_first(first: str) -> None:
    program = f"import {first}, cardgym; print('KuhnPoker-v0' in cardgym.registered())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("True", "")


def test_the_file_alone_is_played_in_the_terminal_and_evaluated(tmp_path: Path) -> None:
    shutil.copy(kuhn_poker.__file__, tmp_path)

    def cardgym(*words: str, typed: str = "") -> str:
        own = {**os.environ, "CARDGYM_DATA_DIR": str(tmp_path / "data")}
        command = [sys.executable, "-m", "cardgym", *words]
        return subprocess.run(
            command, input=typed, env=own, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    played = cardgym("play", "kuhn_poker:KuhnPoker-v0", "--opponent", "honest", "--seed", "1", typed="fold\nq\n")
    assert "Honest bets 1 chip" in played
    assert "You fold" in played
    report = cardgym("evaluate", "kuhn_poker:KuhnPoker-v0", "--players", "honest", "random", "--games", "100", "--json")
    assert [player["name"] for player in json.loads(report)["players"]] == ["honest", "random"]


# -- an independent solver, which knows the game only by the driver and counts in fractions ----------------------------


def information_set(driver: StateDriver, history: str) -> str:
    return f"{driver.state.cards[driver.current_player]}:{history}"


def decisions(driver: StateDriver, history: str = "") -> Iterator[tuple[StateDriver, str]]:
    """Every decision of the game, with the actions that led to it."""
    if driver.over:
        return
    outcomes = driver.num_chance_outcomes
    if not outcomes:
        yield driver, history
    for move in range(outcomes) if outcomes else driver.legal_actions():
        after = driver.copy()
        after.apply_action(move)
        yield from decisions(after, history if outcomes else history + "pb"[move])


def value(driver: StateDriver, strategy: Strategy, history: str = "") -> Fraction:
    """What seat 0 wins on average when both seats follow `strategy`."""
    if driver.over:
        return Fraction(0)
    total = Fraction(0)
    outcomes = driver.num_chance_outcomes
    for move in range(outcomes) if outcomes else driver.legal_actions():
        if outcomes:
            probability, line = Fraction(1, outcomes), history
        else:
            bet = strategy[information_set(driver, history)]
            probability, line = (bet if move == BET else 1 - bet), history + "pb"[move]
        if probability:
            after = driver.copy()
            paid = after.apply_action(move)
            total += probability * (Fraction(float(paid[0])) + value(after, strategy, line))
    return total


def best_response(driver: StateDriver, strategy: Strategy, seat: int) -> Fraction:
    """The most that `seat` can win against `strategy`. It suffices to try its 64 pure strategies."""
    sign = 1 if seat == 0 else -1
    own = sorted(name for name in strategy if len(name.partition(":")[2]) % 2 == seat)
    assert len(own) == 6
    pure = (dict(zip(own, map(Fraction, bets), strict=True)) for bets in itertools.product((PASS, BET), repeat=6))
    return max(sign * value(driver, strategy | response) for response in pure)


def kuhns_equilibrium(alpha: Fraction) -> Strategy:
    """Kuhn's equilibria, one for each alpha in [0, 1/3]: the first player bets the jack with probability alpha."""
    third = Fraction(1, 3)
    return {
        "0:": alpha, "1:": Fraction(0), "2:": 3 * alpha,
        "0:pb": Fraction(0), "1:pb": alpha + third, "2:pb": Fraction(1),
        "0:p": third, "1:p": Fraction(0), "2:p": Fraction(1),
        "0:b": Fraction(0), "1:b": third, "2:b": Fraction(1),
    }  # fmt: skip


def test_there_are_12_information_sets() -> None:
    names = {information_set(driver, history) for driver, history in decisions(StateDriver(GAME))}
    assert len(names) == 12
    assert names == set(kuhns_equilibrium(Fraction(0)))


def test_index_tells_information_sets_apart() -> None:
    pairs = {
        (information_set(driver, history), driver.info_state_index(driver.current_player))
        for driver, history in decisions(StateDriver(GAME))
    }
    assert len(pairs) == len({name for name, _ in pairs}) == len({index for _, index in pairs}) == 12


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 5), Fraction(1, 3)])
def test_first_player_loses_an_eighteenth_at_every_equilibrium(alpha: Fraction) -> None:
    strategy = kuhns_equilibrium(alpha)
    driver = StateDriver(GAME)
    assert value(driver, strategy) == Fraction(-1, 18)
    assert best_response(driver, strategy, 0) == Fraction(-1, 18)
    assert best_response(driver, strategy, 1) == Fraction(1, 18)


def test_alpha_beyond_a_third_can_be_exploited() -> None:
    strategy = kuhns_equilibrium(Fraction(1, 3)) | {"0:": Fraction(1, 2), "2:": Fraction(1)}
    assert value(StateDriver(GAME), strategy | {"1:b": Fraction(1)}) < Fraction(-1, 18)


# -- the player `equilibrium` ------------------------------------------------------------------------------------------


def player_strategy(driver: StateDriver, draws: int = 1000) -> Strategy:
    """How often `equilibrium` bets at each information set, to the nearest of the fractions that it mixes in."""
    by_name = {information_set(decision, history): decision for decision, history in decisions(driver)}
    strategy = {}
    for name, decision in by_name.items():
        bets = sum(decision.choose_action("equilibrium", generator(number)) for number in range(draws))
        strategy[name] = Fraction(round(bets / draws * 3), 3)
    return strategy


def test_player_equilibrium_plays_kuhns_largest_alpha() -> None:
    assert player_strategy(StateDriver(GAME)) == kuhns_equilibrium(Fraction(1, 3))


def test_player_equilibrium_cannot_be_exploited() -> None:
    driver, worth = StateDriver(GAME), Fraction(-1, 18)
    strategy = player_strategy(driver)
    assert value(driver, strategy) == worth
    assert best_response(driver, strategy, 0) == worth
    assert best_response(driver, strategy, 1) == -worth


@pytest.mark.parametrize(("card", "bets", "calls"), [(JACK, False, False), (QUEEN, False, True), (KING, True, True)])
def test_player_honest_bets_the_king_and_calls_with_the_queen(card: int, bets: bool, calls: bool) -> None:
    first = StateDriver(GAME)
    first.play(card, 0)
    assert first.choose_action("honest", generator(0)) == bets
    second = StateDriver(GAME)
    other = KING if card != KING else QUEEN
    second.play(other, card - (card > other), BET)
    assert second.choose_action("honest", generator(0)) == calls
