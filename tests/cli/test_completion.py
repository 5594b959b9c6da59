"""Completions for shells."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from cardgym.cli import main


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["evalua"], {"evaluate"}),
        (["evaluate", "Cod"], {"Coda-v0", "CodaOfficial-v0"}),
        (["evaluate", "CorellianSpike-v0", "--see"], {"--seed"}),
        (["train", "dq"], {"dqn"}),
        (["train", "dqn", "--config", "corellian_spike/double"], {"corellian_spike/double_dqn"}),
    ],
)
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_bash_completes(words: list[str], expected: set[str], completion: str) -> None:
    line = " ".join(["cardgym", *words])
    before = (["cardgym", *words])[-2]
    ask = f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _shtab_cardgym cardgym '{words[-1]}' '{before}'"
    done = subprocess.run(
        ["bash", "-c", f'{completion}\n{ask}\nprintf "%s\\n" "${{COMPREPLY[@]}}"'], capture_output=True, text=True
    )
    assert set(done.stdout.split()) >= expected, done.stderr


@pytest.fixture(scope="module")
def completion() -> str:
    done = subprocess.run([sys.executable, "-m", "cardgym", "completion", "bash"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_other_shells_have_completions(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "evaluate" in capsys.readouterr().out
