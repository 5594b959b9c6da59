"""Checks that need the kernel's own chance: deals, and rules interpreted against rules compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.batch import Batch
from cardgym.engine.compilation import bound, template
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import RANDOM, RESET, STEP
from cardgym.testing.driver import ContractError, StateDriver, expect, state_digest


def check_deals(game: Game, options: Options, seed: int = 0, lines: int = 4, most: int = 400) -> None:
    """The chance of a deal depends on the seed and on what was played in that deal only.

    Several lines of play from one seed part in the first deals; whenever they come to the same deal, it starts with
    the same outcomes of chance, told in the same words.
    """
    starts: dict[int, tuple[int, list[Any]]] = {}
    for line in range(lines):
        for number, told in enumerate(_deals_of(game, options, seed, line, most)):
            first_line, first_told = starts.setdefault(number, (line, told))
            both = min(len(told), len(first_told))  # Who is out of the game may bring the first decision earlier.
            expect(
                told[:both] == first_told[:both],
                f"{game.id} {options}, seed {seed}: deal {number} starts with {told} in line of play {line} and with "
                f"{first_told} in line {first_line}; deal() must number the deals, and each start from a fixed order",
            )


def _deals_of(game: Game, options: Options, seed: int, line: int, most: int) -> list[list[Any]]:
    """What chance did before the first decision of each deal, in one line of play by the kernel."""
    batch, table = Batch(game, options, 1), StateDriver(game, options)
    draw = batch.kernel.entry_point(_draw_chance)
    outputs = batch.new_outputs()
    batch.plain_rows["key"] = seed
    batch.step(0, RESET, *outputs)
    rng = np.random.default_rng((seed, line))
    chance = np.zeros(2, np.uint64)
    chance[0] = batch.plain_rows["chance"][0, 0]
    deals: list[list[Any]] = [_settle(table, draw, chance)]
    for _ in range(most):
        _expect_states_equal(batch, table)
        if table.over:
            break
        action = int(rng.choice(table.legal_actions()))
        deal = table.deal
        table.apply_action(action)
        told = _settle(table, draw, chance)
        batch.step(action, STEP, *outputs)
        if table.deal != deal and not table.over:
            deals.append([one for one in told if one[0] == table.deal])
    return deals


@template
def _draw_chance(states: Any, generator: Any) -> int:
    return bound.draw(states[0], generator)


def _settle(table: StateDriver, draw, chance: npt.NDArray[np.uint64]) -> list[tuple[int, int, int, list[str]]]:
    told = []
    while table.num_chance_outcomes:
        deal, outcomes, move = table.deal, table.num_chance_outcomes, draw(table.states, chance)
        before = table.copy().state
        table.apply_action(move)
        words = [table.game.words.narrate(before, move, table.state, seat) for seat in range(table.options.num_players)]
        told.append((deal, outcomes, move, words))
    return told


def _expect_states_equal(batch: Batch, table: StateDriver) -> None:
    expect(
        state_digest(batch.plain_states) == table.digest(),
        f"{table}: the kernel and the same moves played one by one lead to different states",
    )


def check_interpreted(name: str, cases: Sequence[Options], seed: int = 0, moves: int = 20) -> None:
    """The rules and kernels interpreted (`NUMBA_DISABLE_JIT=1`, in another process) equal the compiled ones.

    Args:
        name: the game's id, with `module:` in front where a module must be imported to register it.
        cases: sets of options to play.
        seed: of the random play.
        moves: how many moves are compared in each.
    """
    words = [name, json.dumps([case.asdict() for case in cases]), str(seed), str(moves)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-m", "cardgym.testing.deal_checks", *words], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-6:]
        raise ContractError(f"{name}: the interpreted rules fail where the compiled ones do not: {' | '.join(last)}")
    interpreted = json.loads(done.stdout)
    for case, other, compiled in zip(cases, interpreted, played(name, cases, seed, moves), strict=True):
        expect(len(other) == len(compiled), f"{name} {case}: {len(other)} moves interpreted, {len(compiled)} compiled")
        for place, (one, two) in enumerate(zip(other, compiled, strict=True)):
            expect(
                list(one) == list(two),
                f"{name} {case}, seed {seed}, move {place}: interpreted {one}, compiled {two}; mind small integers "
                "that overflow and float32 mixed with float64",
            )


def played(name: str, cases: Sequence[Options], seed: int, moves: int) -> list[list[list[str]]]:
    """What a game's random play looks like, one list of strings a move, for `check_interpreted`."""
    return [_played_by_hand(name, case, seed, moves) + _played_by_kernel(name, case, seed, moves) for case in cases]


def _played_by_hand(name: str, options: Options, seed: int, moves: int) -> list[list[str]]:
    table, told = StateDriver(name, options), []
    rng = np.random.default_rng(seed)
    for number in range(moves):
        if table.over:
            table.setup()
        seat = table.current_player if table.current_player >= 0 else number % options.num_players
        mask = "chance" if table.num_chance_outcomes else table.legal_action_mask().tobytes().hex()
        seen = [table.observe(seat, observation_name).tobytes().hex() for observation_name in table.game.observations]
        actions: list[int] = []
        if not table.num_chance_outcomes:
            actions = [table.choose_action(player, np.array([seed, number], np.uint64)) for player in table.players]
        facts = [
            table.num_chance_outcomes,
            table.current_player,
            table.deal,
            table.info_state_key(seat),
            table.info_state_index(seat),
            table.forfeit(seat),
        ]
        unseen = table.copy()
        unseen.resample(seat, np.array([seed, number], np.uint64))
        move = table.random_move(rng)
        paid = move.paid.tobytes().hex()
        told.append(
            [f"move {move.move}", state_digest(table.states), state_digest(unseen.states), mask, paid, str(facts),
             f"players {actions}", *seen]
        )  # fmt: skip
    return told


def _played_by_kernel(name: str, options: Options, seed: int, moves: int) -> list[list[str]]:
    game, told = StateDriver(name, options).game, []
    batch = Batch(game, options, 2, players=game.compiled_players)
    observations, masks = batch.new_outputs()
    batch.plain_rows["key"] = [seed, seed + 1]
    batch.plain_rows["lineup"][1, 1:] = np.arange(7) % len(batch.kernel.players)
    batch.plain_rows["requested_seat"][1] = -1
    command = np.full(2, RESET, np.uint8)
    for number in range(moves // 4):
        batch.step(number % masks.shape[1], command, observations, masks, illegal=RANDOM, skip=True)
        digests = [state_digest(batch.plain_states), state_digest(batch.plain_rows)]
        told.append([f"step {number}", *digests, masks.tobytes().hex(), observations.tobytes().hex()])
        command = np.where(batch.plain_rows["current_player"] < 0, RESET, STEP).astype(np.uint8)
    return told


def main() -> None:
    """Print what random play looks like in this process, as JSON."""
    name, cases, seed, moves = sys.argv[1:]
    game = StateDriver(name).game
    options = [game.options.parse(case) for case in json.loads(cases)]
    print(json.dumps(played(name, options, int(seed), int(moves))))


if __name__ == "__main__":
    main()
