"""The shipped checkpoints of all games play as their kept results say, and have a card."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import cardgym
from cardgym.arena import evaluate

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
CHECKPOINTS = sorted((ROOT / "checkpoints").glob("*/*.safetensors"))
GAMES = 800


def kept_matches() -> list[Any]:
    """The kept matches of checkpoints of the installed games; all but the last one of each checkpoint are slow."""
    known = {*cardgym.registered()}
    matches = json.loads((ROOT / "results" / "matches.json").read_text())["matches"]
    last: dict[tuple[str, str], Any] = {}
    of_checkpoints = []
    for match in matches:
        name = match["players"][0].partition(":")[0]
        if match["env"] in known and any(path.stem == name for path in CHECKPOINTS):
            of_checkpoints.append(match)
            if not {"ppo", "double_dqn", "equilibrium"} & {*match["players"][1:]}:  # Each is one more to compile.
                last[match["env"], name] = match
    return [
        pytest.param(match, id=" ".join(match["players"]), marks=[] if match in last.values() else pytest.mark.slow)
        for match in of_checkpoints
    ]


@pytest.mark.parametrize("match", kept_matches())
def test_checkpoint_wins_as_often_as_is_kept(match: dict[str, Any]) -> None:
    kept = match["report"]["players"][0]["win_rate"]
    report = evaluate(match["env"], match["options"], match["players"], games=GAMES, seed=11, seats=match["seats"])
    assert report.players[0].win_rate == pytest.approx(kept, abs=4 * (kept * (1 - kept) / GAMES) ** 0.5)


@pytest.mark.parametrize("path", CHECKPOINTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_checkpoint_has_a_card_with_the_command_that_trains_it(path: Path) -> None:
    card = path.parent / f"{re.sub(r'_seed[0-9]$', '', path.stem)}.md"  # An agent's seeds share one.
    assert re.search(f"--config (configs/)?{path.parent.name}/", card.read_text())
