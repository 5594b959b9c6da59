"""FOLDER GAME:PLAYER ...: for each game, a module for wasm32 and 10,000 row-steps of the CPU to compare it with."""

import json
import sys
from pathlib import Path

import numpy as np

from cardgym.engine import targets
from cardgym.engine.batch import Batch, LegalSampler
from cardgym.engine.kernel import ADDRESSES, ANY_SEAT, RESET, STEP
from cardgym.engine.prebuilt import name_of
from cardgym.engine.registry import find

ROWS, STEPS = 100, 100


def record(folder: Path, name: str, player: str) -> None:
    game = find(name)
    options = game.parse_options()
    batch = Batch(game, options, ROWS, players=[player])
    batch.plain_rows["key"] = np.arange(ROWS, dtype=np.uint64) * np.uint64(7919) + np.uint64(12345)
    batch.plain_rows["requested_seat"] = ANY_SEAT
    batch.plain_rows["lineup"][:, 1 : options.num_players] = batch.kernel.players.index(player)
    observations, masks = batch.new_outputs()
    observations[:], masks[:] = 0, 0
    before = {"states": batch.plain_states, "rows": batch.plain_rows, "tables": batch.policy_tables}
    after = {"states": batch.plain_states, "rows": batch.plain_rows, "observations": observations, "masks": masks}
    after |= {**batch.answers, "paid": batch.paid}
    actions, commands = np.zeros(ROWS, np.int64), np.zeros(ROWS, np.uint8)
    every = {**before, **after, "actions": actions, "commands": commands}
    sampler, tape = LegalSampler(3), [array.tobytes() for array in before.values()]
    for _ in range(STEPS):
        commands[:] = np.where(batch.plain_rows["current_player"] < 0, RESET, STEP)
        tape += [actions.tobytes(), commands.tobytes()]
        batch.step(actions, commands, observations, masks, skip=True)
        tape += [array.tobytes() for array in after.values()]
        actions[:] = sampler(masks)
    manifest = targets.link(folder / f"{name}.wasm")
    targets.forget()
    [step] = manifest[name_of(batch.kernel.step.py_func)]  # type: ignore[attr-defined]
    addresses = [field for field in ADDRESSES.names or () if field in every]
    head = {"function": step["function"], "rows": ROWS, "steps": STEPS, "before": [*before], "after": [*after]}
    head |= {"arrays": {field: array.nbytes for field, array in every.items()}, "addresses": addresses}
    (folder / f"{name}.tape").write_bytes(json.dumps(head).encode() + b"\n" + b"".join(tape))


if __name__ == "__main__":
    targets.start()
    for word in sys.argv[2:]:
        record(Path(sys.argv[1]), *word.split(":"))
