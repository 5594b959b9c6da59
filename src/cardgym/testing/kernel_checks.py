"""Checks of games as the kernel plays them. Each raises `ContractError` where the contract is broken."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import Batch
from cardgym.engine.contract import Game, Options
from cardgym.engine.generator import Generator
from cardgym.engine.kernel import MAX_PLAYERS, RESET, STEP, Kernel
from cardgym.engine.numba.compilation import bound, template
from cardgym.testing.driver import StateDriver, expect, state_bytes
from cardgym.testing.rule_checks import check_scores


def check_compiled_players(game: Game, options: Options, seed: int = 0, games: int = 8) -> None:
    """With compiled players in every seat the kernel plays games to their end, with scores as they should be."""
    batch, driver = Batch(game, options, games, players=game.compiled_players), StateDriver(game, options)
    batch.plain_rows["key"] = np.arange(seed, seed + games)
    batch.plain_rows["lineup"] = (np.arange(games)[:, None] + np.arange(MAX_PLAYERS)) % len(batch.kernel.players)
    batch.step(0, RESET, *batch.new_outputs())
    for row in range(games):
        driver.states.view(np.uint8)[:] = batch.plain_states[row : row + 1].view(np.uint8)
        driver.refresh()
        expect(
            driver.over, f"{driver}, seed {seed + row}: the kernel stops before the end of a game of its own players"
        )
        check_scores(driver)


class _Draw(NamedTuple):
    """One move of chance: in which deal, out of how many outcomes, which one, and its words for each seat."""

    deal: int
    num_chance_outcomes: int
    move: int
    words: list[str]


def check_deals(game: Game, options: Options, seed: int = 0, lines: int = 4, most: int = 400) -> None:
    """The chance of a deal depends on the seed and on what was played in that deal only.

    Several lines of play from one seed differ in the first deals. Whenever two of them come to the same deal, it starts
    with the same outcomes of chance, in the same words.
    """
    starts: dict[int, tuple[int, list[_Draw]]] = {}
    for line in range(lines):
        for number, draws in enumerate(_deals_of(game, options, seed, line, most)):
            first_line, first_draws = starts.setdefault(number, (line, draws))
            both = min(len(draws), len(first_draws))  # With a seat out of the game, its first decision may come sooner.
            expect(
                draws[:both] == first_draws[:both],
                f"{game.id} {options}, seed {seed}: deal {number} starts with {draws} in line of play {line} and with "
                f"{first_draws} in line {first_line}; deal() must number the deals, and each start from a fixed order",
            )


def _deals_of(game: Game, options: Options, seed: int, line: int, most: int) -> list[list[_Draw]]:
    """What chance did before the first decision of each deal, in one line of play.

    The kernel and a driver play it side by side, the driver with the kernel's own draws.
    """
    batch, driver = Batch(game, options, 1), StateDriver(game, options)
    outputs = batch.new_outputs()
    batch.plain_rows["key"] = seed
    batch.step(0, RESET, *outputs)
    rng = np.random.default_rng((seed, line))
    chance: Generator = np.zeros(2, np.uint64)
    chance[0] = batch.plain_rows["chance"][0, 0]
    draw = _compiled_draw(batch.kernel)
    deals = [_play_chance(driver, draw, chance)]
    for _ in range(most):
        expect(
            state_bytes(game, batch.plain_states) == driver.state_bytes(),
            f"{driver}: the kernel and the same moves played one by one lead to different states",
        )
        if driver.over:
            break
        action = int(rng.choice(driver.legal_actions()))
        deal = driver.deal
        driver.apply_action(action)
        draws = _play_chance(driver, draw, chance)
        batch.step(action, STEP, *outputs)
        if driver.deal != deal and not driver.over:
            deals.append([drawn for drawn in draws if drawn.deal == driver.deal])
    return deals


@template
def _draw(states: Any, generator: Any) -> int:
    return int(bound.draw(states[0], generator))


@cache
def _compiled_draw(kernel: Kernel) -> Callable[[npt.NDArray[Any], Generator], int]:
    return kernel.entry_point(_draw)


def _play_chance(
    driver: StateDriver, draw: Callable[[npt.NDArray[Any], Generator], int], chance: Generator
) -> list[_Draw]:
    draws = []
    while outcomes := driver.num_chance_outcomes:
        deal, move = driver.deal, draw(driver.states, chance)
        driver.apply_action(move)
        words = [driver.narrate(seat) for seat in range(driver.options.num_players)]
        draws.append(_Draw(deal, outcomes, move, words))
    return draws
