"""Every command in the README and docs runs, shortened; cheap figures are compared.

Commands that take long are parsed; `make docs-commands` runs them too.
"""

import importlib.util
import io
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doc_commands import ROOT, Shown, commands, files

import shortened
from cardgym import cli
from cardgym.console.arguments import Parser

ALL = "CARDGYM_DOCS_COMMANDS"
"""The environment variable that `make docs-commands` sets."""
SHOWN = commands()
OF_CARDGYM = [
    shown
    for shown in SHOWN
    if shown.words[0] == "cardgym" or re.match(r"python train/(?!curves)", shown.line)  # Which trains nothing.
]
OTHERS = [shown for shown in SHOWN if shown not in OF_CARDGYM]
LONG = re.compile(
    r"reproduce|search|train Coda|--method|experts|tournament|league|sweep"
    r"|benchmark|exploit Cor|batch_q .*(batch_q_|num_players)"
    r"|train(/|ing| ).*(coda|orellian.?[sS]pike|ribbage|leduc)"
)
FIRST_READ = re.compile(r"^(README\.md|docs/start\.md|docs/tutorials|docs/cli\.md)")
NOT_RUN = re.compile(
    r"runs/|llm:|players kuhn\.safetensors|spike\.zip|my_games|mine\.toml|/shared/|HEAD:"
    r"|cardgym (review|advise|serve|report$|-m)"
)
"""Commands that need a file or a cluster that is not there, or that wait for a browser."""


class Parsed(BaseException):
    """Raised once a command line has been parsed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with the files that commands use."""
    made = tmp_path_factory.mktemp("commands")
    for path in ROOT.glob("examples/*/configs"):
        shutil.copytree(path, made / path.relative_to(ROOT))
    for name, program in files().items():
        (made / name).write_text(program)
    return made


@pytest.fixture(autouse=True)
def _settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(folder)
    shortened.shorten(monkeypatch)
    monkeypatch.setenv("CARDGYM_DATA_DIR", str(folder))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def _arguments(shown: Shown) -> list[str]:
    """The words after `cardgym`; a script in train/ becomes `cardgym train`."""
    words = shown.words
    return words[1:] if words[0] == "cardgym" else ["train", Path(words[1]).stem, *words[2:]]


def _parse(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    parse = Parser.parse_args

    def stop(self: Parser, *arguments: Any) -> Any:
        parse(self, *arguments)
        raise Parsed

    monkeypatch.setattr(Parser, "parse_args", stop)
    with pytest.raises(Parsed):
        assert cli.main(_arguments(shown)) == 0


@pytest.mark.parametrize("shown", OF_CARDGYM, ids=str)
def test_command(shown: Shown, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = _arguments(shown)
    if not shown.output and not any(word.startswith("-") for word in words[1:]) and words[0] not in ("games", "-m"):
        assert words[0] in cli.COMMANDS  # The name of a command, in prose.
    elif NOT_RUN.search(shown.line) or (_is_long(shown) and not os.environ.get(ALL)):
        _parse(shown, monkeypatch)
    else:
        code = cli.main(words)
        lines = capsys.readouterr().err.splitlines(keepends=True)
        error = "".join(line for line in lines if not line.startswith("cardgym: compiling "))
        assert (code, error if code else "") == ((2, shown.output + "\n") if _is_error(shown.output) else (0, ""))


def _is_long(shown: Shown) -> bool:
    # The suite only runs commands from the first pages; running all takes too long.
    first = bool(FIRST_READ.search(str(shown)))
    return not ((first and not LONG.search(shown.line)) or "--help" in shown.words or _is_error(shown.output))


def _is_error(output: str) -> bool:
    return output.startswith("cardgym: ")


PRINTED = [
    shown
    for shown in OF_CARDGYM
    if shown.output and not _is_error(shown.output) and re.match(r"cardgym (games|evaluate|record|solve)", shown.line)
]


@pytest.mark.parametrize("shown", PRINTED, ids=str)
def test_what_a_page_says_a_command_prints(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if _is_long(shown) and not os.environ.get(ALL):
        pytest.skip(f"takes long: {ALL} runs it")
    monkeypatch.setattr(shortened, "MOST", {})
    for recorded in Path().glob("*.npz"):
        recorded.unlink()  # By the same command, shortened; files are not overwritten.
    assert cli.main(_arguments(shown)) == 0
    printed = capsys.readouterr().out
    if shown.output.startswith("{"):
        figures = _figures(printed)
        for key, value in _figures(shown.output):  # A page may cut long numbers short, with dots.
            assert [other for name, other in figures if name == key and other.startswith(value)], (key, value)
    else:
        assert re.fullmatch(_pattern(shown.output), _without_times(printed)), printed


GAMES = [shown for shown in OF_CARDGYM if shown.output and re.match(r"cardgym (play|review) ", shown.line)]
REVIEWED = "play Cribbage-v0 --watch random expert --seed 1"
"""The game that docs/coach.md reviews."""


@pytest.mark.parametrize("shown", GAMES, ids=str)
def test_what_a_page_shows_of_a_game(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "review" in shown.line:
        if not os.environ.get(ALL):
            pytest.skip(f"takes long: {ALL} runs it")
        monkeypatch.setattr("sys.stdin", io.StringIO("r\n"))
        assert cli.main(REVIEWED.split()) == 0
        capsys.readouterr()
    question = r"(q to quit\):) (.+)$"  # Behind it a page has what is typed.
    typed = [answer for _, answer in re.findall(question, shown.output, re.MULTILINE)]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*typed, "q\n"])))
    assert cli.main(_arguments(shown)) == 0
    printed = capsys.readouterr().out
    expected = re.sub(question, r"\1", shown.output, flags=re.MULTILINE)
    assert re.match(_pattern(expected), _without_times(printed)), printed


def _pattern(output: str) -> str:
    """A pattern of an output on a page, where a line of dots stands for lines that are left out."""
    return ".*".join(re.escape(_without_times(part)) for part in re.split(r"^\.\.\.$", output, flags=re.MULTILINE))


def _figures(text: str) -> list[tuple[str, str]]:
    """The numbers in a JSON document by key, without timings."""
    pairs = re.findall(r'"(\w+)": (-?\d+(?:\.\d+)?)', text)
    return [(key, value) for key, value in pairs if "second" not in key]


def _without_times(text: str) -> str:
    return " ".join(re.sub(r"[\d.]+\s+s,\s+[\d,]+\s+decisions/s", "", text).split())


@pytest.mark.parametrize("shown", OTHERS, ids=str)
def test_what_other_commands_name_exists(shown: Shown) -> None:
    program, *words = shown.words
    if program == "make":
        assert re.search(rf"^{re.escape(words[0])}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    elif program == "pip":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for word in words:
            if match := re.match(r"(?:cardgym|\.)\[(.*)\]", word):
                assert set(match[1].split(",")) <= set(project["optional-dependencies"])
            elif "/" in word and "://" not in word:
                assert (ROOT / word).exists(), word
    elif program == "python" and words and words[0] not in ("-", "-c"):
        module = importlib.util.find_spec(words[1]) if words[0] == "-m" else None
        path = Path(module.origin or "") if module else ROOT / words[0]
        assert path.is_file(), shown.line
        text = path.read_text(encoding="utf-8")
        if module is None and "run_script(" not in text:  # Whose flags are the keys of a config.
            for word in words:
                assert not word.startswith("--") or word.partition("=")[0] in text, word
