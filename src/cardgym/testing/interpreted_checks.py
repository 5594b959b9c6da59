"""The check that rules interpreted equal the same rules compiled.

`python -m cardgym.testing.interpreted_checks GAME CASES SEED MOVES` prints what random play looks like, as JSON;
`check_interpreted` runs it in a process without the JIT.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

from cardgym.engine.batch import Batch
from cardgym.engine.contract import Options
from cardgym.engine.kernel import RANDOM, RESET, STEP
from cardgym.testing.driver import ContractError, StateDriver, expect, state_digest

Trace = list[list[str]]
"""What random play looks like: the facts of one move in a row, as text."""


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
    command = [sys.executable, "-m", "cardgym.testing.interpreted_checks", *words]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        compiled_traces = traces(name, cases, seed, moves)  # While the other process plays.
        output, errors = process.communicate()
    if process.returncode:
        last = errors.strip().splitlines()[-6:]
        raise ContractError(f"{name}: the interpreted rules fail where the compiled ones do not: {' | '.join(last)}")
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
    """What random play looks like under each set of options, by the driver and by the kernel."""
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
    """Print what random play looks like in this process, as JSON."""
    name, cases, seed, moves = sys.argv[1:]
    game = StateDriver(name).game
    options = [game.options.parse(case) for case in json.loads(cases)]
    print(json.dumps(traces(name, options, int(seed), int(moves))))


if __name__ == "__main__":
    main()
