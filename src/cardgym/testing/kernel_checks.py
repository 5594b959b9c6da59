"""Checks of the kernel, and of interpreted rules against compiled ones.

Each raises `ContractError` if the game breaks the contract. `check_interpreted` runs
`python -m cardgym.testing.kernel_checks GAME CASES SEED MOVES`, which prints a trace of random play as JSON, in a
process without the JIT.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import Batch
from cardgym.engine.compilation import bound, template
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import MAX_PLAYERS, RANDOM, RESET, STEP, Kernel
from cardgym.engine.registry import importable_name
from cardgym.engine.rules import Generator
from cardgym.testing.driver import ContractError, StateDriver, expect, state_bytes, state_digest
from cardgym.testing.rule_checks import check_scores

# -- the kernel --------------------------------------------------------------------------------------------------------


def check_compiled_players(game: Game, options: Options, seed: int = 0, games: int = 8) -> None:
    """With a compiled player in every seat, the kernel plays games to the end, with valid scores."""
    batch, driver = Batch(game, options, games, players=game.compiled_players), StateDriver(game, options)
    batch.plain_rows["key"] = np.arange(seed, seed + games)
    batch.plain_rows["lineup"] = (np.arange(games)[:, None] + np.arange(MAX_PLAYERS)) % len(batch.kernel.players)
    batch.step(0, RESET, *batch.new_outputs())
    for row in range(games):
        driver.states.view(np.uint8)[:] = batch.plain_states[row : row + 1].view(np.uint8)
        driver.refresh()
        expect(
            driver.over,
            f"{driver}, seed {seed + row}: the kernel stops before the end of a game between its own players",
        )
        check_scores(driver)


class _Draw(NamedTuple):
    """A chance move: the deal, the number of outcomes, the outcome, and its description for each seat."""

    deal: int
    num_chance_outcomes: int
    move: int
    words: list[str]


def check_deals(game: Game, options: Options, seed: int = 0, lines: int = 4, most: int = 400) -> None:
    """Chance in a deal depends only on the seed and the moves of that deal.

    Several lines of play from one seed differ in the first deals. A later deal that two of them reach must start with
    the same chance outcomes, described in the same words.
    """
    starts: dict[int, tuple[int, list[_Draw]]] = {}
    for line in range(lines):
        for number, draws in enumerate(_deals_of(game, options, seed, line, most)):
            first_line, first_draws = starts.setdefault(number, (line, draws))
            both = min(len(draws), len(first_draws))  # The first decision comes sooner if a seat is out of the game.
            expect(
                draws[:both] == first_draws[:both],
                f"{game.id} {options}, seed {seed}: deal {number} starts with {draws} in line of play {line} and with "
                f"{first_draws} in line {first_line}; deal() must number the deals, each from a fixed order",
            )


def _deals_of(game: Game, options: Options, seed: int, line: int, most: int) -> list[list[_Draw]]:
    """Return the chance moves before the first decision of each deal, in one line of play.

    The kernel and a driver play the same line; the driver uses the kernel's draws.
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
            f"{driver}: the kernel reaches another state than the same moves played one by one",
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


# -- interpreted rules -------------------------------------------------------------------------------------------------

Trace = list[list[str]]
"""A trace of random play: for each move, its results as strings."""


def check_interpreted(name: str, cases: Sequence[Options], seed: int = 0, moves: int = 20) -> None:
    """Interpreted rules and kernels (`NUMBA_DISABLE_JIT=1`, in another process) play like compiled ones.

    The other process imports the module that registered the game, unless the name says `module:Id-v0` itself. Each case
    plays `moves` moves.
    """
    name = importable_name(name)
    words = [name, json.dumps([case.asdict() for case in cases]), str(seed), str(moves)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "cardgym.testing.kernel_checks", *words]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        compiled_traces = traces(name, cases, seed, moves)  # While the other process plays.
        output, errors = process.communicate()
    if process.returncode:
        last = errors.strip().splitlines()[-6:]
        raise ContractError(f"{name}: the rules fail when interpreted: {' | '.join(last)}")
    for case, interpreted, compiled in zip(cases, json.loads(output), compiled_traces, strict=True):
        expect(
            len(interpreted) == len(compiled),
            f"{name} {case}: {len(interpreted)} moves interpreted, {len(compiled)} compiled",
        )
        for place, (one, two) in enumerate(zip(interpreted, compiled, strict=True)):
            expect(
                one == two,
                f"{name} {case}, seed {seed}, move {place}: interpreted {one}, compiled {two}; look for small integers "
                "that overflow and for float32 mixed with float64",
            )


def traces(name: str, cases: Sequence[Options], seed: int, moves: int) -> list[Trace]:
    """Traces of random play with each set of options, by a driver and by the kernel."""
    return [_driver_trace(name, case, seed, moves) + _kernel_trace(name, case, seed, moves) for case in cases]


def _driver_trace(game_id: str, options: Options, seed: int, moves: int) -> Trace:
    driver, trace = StateDriver(game_id, options), []
    rng = np.random.default_rng(seed)
    for number in range(moves):
        if driver.over:
            driver.setup()
        deciding = not driver.num_chance_outcomes
        seat = driver.current_player if deciding else number % options.num_players
        mask = driver.legal_action_mask().tobytes().hex() if deciding else "chance"
        observations = [driver.observe(seat, name).tobytes().hex() for name in driver.game.observations]
        actions: list[int] = []
        if deciding:
            actions = [driver.choose_action(player, np.array([seed, number], np.uint64)) for player in driver.players]
        facts = [
            driver.num_chance_outcomes,
            driver.current_player,
            driver.deal,
            driver.info_state_key(seat),
            driver.info_state_index(seat),
            driver.forfeit(seat),
        ]
        resampled = driver.copy()
        resampled.resample(seat, np.array([seed, number], np.uint64))
        move = driver.random_move(rng)
        trace.append(
            [f"move {move.move}", driver.digest(), resampled.digest(), mask, move.paid.tobytes().hex(), str(facts),
             f"players {actions}", *observations]
        )  # fmt: skip
    return trace


def _kernel_trace(name: str, options: Options, seed: int, moves: int) -> Trace:
    game, trace = StateDriver(name, options).game, []
    batch = Batch(game, options, 2, players=game.compiled_players)
    observations, masks = batch.new_outputs()
    batch.plain_rows["key"] = [seed, seed + 1]
    batch.plain_rows["lineup"][1, 1:] = np.arange(7) % len(batch.kernel.players)
    batch.plain_rows["requested_seat"][1] = -1
    command = np.full(2, RESET, np.uint8)
    for number in range(moves // 4):
        batch.step(number % masks.shape[1], command, observations, masks, illegal=RANDOM, skip=True)
        digests = [state_digest(batch.plain_states), state_digest(batch.plain_rows)]
        trace.append([f"step {number}", *digests, masks.tobytes().hex(), observations.tobytes().hex()])
        command = np.where(batch.plain_rows["current_player"] < 0, RESET, STEP).astype(np.uint8)
    return trace


def main() -> None:
    """Print the traces of random play in this process as JSON."""
    name, cases, seed, moves = sys.argv[1:]
    game = StateDriver(name).game
    options = [game.options.parse(case) for case in json.loads(cases)]
    print(json.dumps(traces(name, options, int(seed), int(moves))))


if __name__ == "__main__":
    main()
