"""Players in Python by name: what they may be, what happens when they fail, and who may name them."""

import dataclasses
import os
import re
import signal
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cardgym import CardgymError, cli, find
from cardgym.arena import evaluate
from cardgym.arena.tournament.ranges import Pairing, play_range
from cardgym.arena.tournament.runner import entrants, in_folder, tournament
from cardgym.learn.config import GameConfig, read_config
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.played import played
from cardgym.players import Player, resolve
from cardgym.players.identity import player_digest
from cardgym.players.mixture_file import save_mixture
from cardgym.solvers import exact

ENV = "KuhnPoker-v0"
GAME = find(ENV)
OPTIONS = GAME.parse_options()

BOT = """
import sys
import numpy as np
from cardgym.players import Player, batched
from sibling import first

def choose(observation, mask): return first(mask)
def raises(observation, mask): return 1 // int(observation[0] < 1)
def exits(observation, mask): sys.exit("enough")
def none(observation, mask): pass
def half(observation, mask): return 0.5
def truth(observation, mask): return True
def illegal(observation, mask): return 2
def reads(view): return view.moves[0]
def guesses(view): return "check, I think, or bet"
def stumbles(view): return {}["card"]
def nothing(view): pass
def huge(observation, mask): return 10 ** 30
class Rude(BaseException):
    def __str__(self): raise SystemError
    def __index__(self): raise SystemError
def rude(observation, mask): raise Rude
def index(observation, mask): return Rude()
def gives_up(view): return -1  # What a language model that forfeits has in place of an action.
class Nothing(Player): pass
def draws(observation, mask): return int(np.random.choice(np.flatnonzero(mask)))
@batched
def many(observations, masks): return masks.argmax(axis=1)
@batched
def few(observations, masks): return [0]
class Acts:
    def act(self, observations, masks): return masks.argmax(axis=1)
class Uniform(Player):
    samples = True
    def probabilities(self, observations, masks, temperature=0.0): return masks / masks.sum(axis=1, keepdims=True)
class Two(Player):
    samples = True
    def probabilities(self, observations, masks, temperature=0.0): return masks * 1.0
class Unclear(Player):
    def values(self, observations, masks): return np.full(masks.shape, np.nan)
class Paper(Acts):
    observation_name = "paper"
class Cheats(Player):
    def act(self, observations, masks):
        action = masks.argmin(axis=1)
        masks[:], observations[:] = 1, 0
        return action
@batched
def cheats(observations, masks):
    masks[:] = 2
    return np.full(len(masks), 2)
class Needs:
    def __init__(self, name): pass
number = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder, with a bot and a module that it imports."""
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(BOT)
    Path("sibling.py").write_text("def first(mask): return int(mask.argmax())\n")
    path = list(sys.path)
    yield tmp_path
    assert sys.path == path
    assert "sibling" not in sys.modules


def exploitability(name: str) -> tuple[float, object]:
    found = exact.tree_exploitability(GAME, OPTIONS, resolve(name, GAME, OPTIONS))
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["choose", "many", "Acts", "reads"])
def test_functions_and_objects_play_like_the_same_from_python(name: str) -> None:
    own = evaluate(ENV, None, [f"./bot.py:{name}", "random"], games=100, seed=1)
    known = evaluate(ENV, None, [lambda observation, mask: 0, "random"], games=100, seed=1)
    assert own.players[0].name == f"./bot.py:{name}"
    assert [dataclasses.replace(one, name="") for one in own.players] == [
        dataclasses.replace(one, name="") for one in known.players
    ]
    assert exploitability(f"./bot.py:{name}") == (1.0, None)  # It folds to every bet.


def test_a_class_that_tells_its_probabilities_is_exact_and_draws_by_the_seed() -> None:
    assert exploitability("bot.py:Uniform") == exploitability("random")
    first, second = (evaluate(ENV, None, ["bot.py:Uniform", "honest"], games=200, seed=3) for _ in range(2))
    assert first.players == second.players


def test_a_function_that_draws_has_no_exact_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_DRAWS", 100)
    value, interval = exploitability("./bot.py:draws")
    assert interval is not None
    assert value == pytest.approx(exploitability("random")[0], abs=0.1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bot.py:raises", "game N, seat S: ZeroDivisionError: integer division or modulo by zero (bot.py, line 8)"),
        ("bot.py:exits", "game N, seat S: SystemExit: enough (bot.py, line 9)"),
        ("bot.py:none", "game N, seat S: action None is not legal; allowed are 0, 1"),
        ("bot.py:half", "game N, seat S: action 0.5 is not legal; allowed are 0, 1"),
        ("bot.py:truth", "game N, seat S: action True is not legal; allowed are 0, 1"),
        ("bot.py:illegal", "game N, seat S: action 2 is not legal; allowed are 0, 1; it saw ["),
        ("bot.py:huge", "game N, seat S: action 1000000000000000000000000000000 is not legal; allowed are 0, 1"),
        ("bot.py:rude", "game N, seat S: Rude: Rude (bot.py, line 22)"),
        ("bot.py:index", "game N, seat S: action Rude() is not legal; allowed are 0, 1"),
        ("bot.py:gives_up", "game N, seat S: action -1 is not legal; allowed are 0, 1; it saw 'Own card: "),
        ("bot.py:Nothing", "game N, seat S: it has neither values nor probabilities nor an `act` of its own"),
        ("bot.py:guesses", "game N, seat S: 'check, I think, or bet' names no move; it saw 'Own card: "),
        ("bot.py:stumbles", "game N, seat S: KeyError: 'card' (bot.py, line 16); it saw 'Own card: "),
        ("bot.py:nothing", "game N, seat S: action None is not legal; allowed are 0, 1"),
        ("bot.py:few", "one of 40 decisions at once: give one whole number a row, not int64 (1,)"),
        ("bot.py:Two", "game N, seat S: give probabilities (1, 2), an array of floats, 0 where illegal, "),
        ("bot.py:Unclear", "game N, seat S: give values (1, 2), an array of floats without NaN"),
        ("bot.py:Paper", "unknown observation 'paper'"),
        ("bot.py:Needs", "player bot.py:Needs: TypeError: "),
        ("bot.py:number", "player bot.py:number: '3' is no player; name a function, a class"),
        ("bot.py:chose", "unknown player in bot.py 'chose': did you mean 'choose'?"),
        ("bot.py", "player bot.py: name what it defines, such as bot.py:choose"),
        ("bad.py:choose", "player bad.py:choose: SyntaxError: '(' was never closed (bad.py, line 1)"),
        ("late.py:choose", "ModuleNotFoundError: No module named 'cardgym_nowhere' (late.py, line 2)"),
        ("none.py:choose", "player none.py:choose: no such file"),
        ("no_module:choose", "unknown player 'no_module:choose'"),
        ("json:nothing", "unknown player in json 'nothing'"),
    ],
    ids=lambda text: re.sub(r"\W+", "_", text)[:20],
)
def test_what_fails_is_named_in_one_line(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.py").write_text("choose = (")
    Path("late.py").write_text("\nimport cardgym_nowhere")
    assert cli.main(["evaluate", ENV, "--players", name, "random", "--games", "40"]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines(True) if "compiling" not in line]
    error = re.sub(r"game \d+, seat \d", "game N, seat S", "".join(lines))
    assert error.count("\n") == 1
    assert message in error
    assert ("; it saw " in error) == ("game N" in error)


def test_the_digest_of_a_missing_file_is_refused_in_the_same_words() -> None:
    with pytest.raises(CardgymError, match=r"^player none\.py:choose: no such file$"):
        player_digest("none.py:choose", GAME, OPTIONS)


@pytest.mark.parametrize("method", ["act", "values", "probabilities"])
def test_a_player_from_python_that_fails_is_named_with_the_first_decision_it_fails_at(method: str) -> None:
    class Fails(Player):
        name = "mine"

    def fails(self: Player, observations: np.ndarray, masks: np.ndarray, temperature: float = 0.0) -> np.ndarray:
        if (observations[:, 1] == 1).any():  # It holds the queen.
            raise KeyError("queen")
        return np.asarray(masks.argmax(axis=1) if method == "act" else masks / masks.sum(axis=1, keepdims=True))

    setattr(Fails, method, fails)
    with pytest.raises(CardgymError, match=r"player mine: game \d+, seat \d: KeyError: 'queen'.*; it saw \[0, 1, 0, "):
        evaluate(ENV, None, [Fails(), "random"], games=40, seed=1)
    with pytest.raises(CardgymError, match=r"player mine: .*KeyError: 'queen'"):
        exact.tree_exploitability(GAME, OPTIONS, Fails())


@pytest.mark.parametrize("name", ["cheats", "Cheats"])
def test_a_player_that_writes_to_its_mask_makes_nothing_legal(name: str) -> None:
    with pytest.raises(CardgymError, match=r"game \d+, seat \d: action \d is not legal; allowed are"):
        evaluate("LeducPoker-v0", None, [f"./bot.py:{name}", "honest"], games=20, seed=1)


def test_an_interrupt_that_a_bot_raises_in_a_thread_is_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.default_int_handler)  # The tests may run in a background.

    def interrupts(observation: np.ndarray, mask: np.ndarray) -> int:
        raise KeyboardInterrupt

    player = resolve(interrupts, GAME, OPTIONS)
    failed: list[BaseException] = []

    def ask() -> None:
        with pytest.raises(CardgymError, match="player interrupts: KeyboardInterrupt") as caught:
            player.choose(np.zeros(7, np.float32), np.ones(2, np.int8), 0.5)
        failed.append(caught.value)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert failed
    with pytest.raises(KeyboardInterrupt):  # As Ctrl-C does.
        player.choose(np.zeros(7, np.float32), np.ones(2, np.int8), 0.5)


def test_the_traceback_is_there_if_it_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARDGYM_TRACEBACK", "1")
    assert cli.main(["exploit", ENV, "--player", "./bot.py:raises"]) == 2
    assert "1 // int(observation[0] < 1)" in capsys.readouterr().err


def test_bots_in_two_folders_have_their_own_siblings(folder: Path) -> None:
    (folder / "other").mkdir()
    (folder / "other" / "bot.py").write_text("from sibling import first\ndef choose(seen, mask): return first(mask)\n")
    (folder / "other" / "sibling.py").write_text("def first(mask): return 1\n")
    report = evaluate(ENV, None, ["./bot.py:choose", "other/bot.py:choose"], games=20, seed=1)
    assert report.players[1].mean_return == 1.0  # One always bets, the other always folds.


def test_a_bot_has_its_own_sibling_where_another_was_imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sibling", other := types.ModuleType("sibling"))
    other.first, other.__file__ = (lambda mask: 1), str(folder / "other" / "sibling.py")  # type: ignore[attr-defined]
    player = resolve("./bot.py:choose", GAME, OPTIONS)
    assert player.act(np.zeros((1, 7), np.float32), np.ones((1, 2), np.int8)).tolist() == [0]
    sys.modules.pop("sibling", None)
    monkeypatch.undo()
    sys.modules.pop("sibling", None)


def test_an_edited_bot_is_another_player(folder: Path) -> None:
    names = ["./bot.py:choose", {"bot.py:Acts": 1, "random": 1}]

    def digests() -> list[str]:
        return [player_digest(name, GAME, OPTIONS) for name in names]  # type: ignore[arg-type]

    before, training = digests(), played({"env_id": ENV, "opponents": ["bot.py:choose=2", "self"]})
    Path("unrelated.py").write_text("x = 1\n")
    assert digests() == before
    sibling, stamp = Path("sibling.py"), os.stat("sibling.py").st_mtime_ns
    sibling.write_text(sibling.read_text().replace("argmax", "argmin"))
    os.utime(sibling, ns=(stamp, stamp))
    assert not set(digests()) & set(before)
    assert played({"env_id": ENV, "opponents": ["bot.py:choose=2", "self"]}) != training


@pytest.mark.parametrize("edited", ["one.py", "sibling.py"])
@pytest.mark.parametrize("name", ["one.py:choose", "one:choose"])
def test_an_edited_bot_is_read_again(edited: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "path", [*sys.path, *[str(folder)] * (name == "one:choose")])
        Path("one.py").write_text("from sibling import choose\n")
        for action, payoff in ((0, -1.0), (1, 0.0)):
            Path(edited).write_text(f"def choose(observation, mask): return {action}\n")
            os.utime(edited, ns=(10**18, 10**18))
            player = resolve(name, GAME, OPTIONS)
            assert player.act(np.zeros((1, 7), np.float32), np.ones((1, 2), np.int8)).tolist() == [action]
            found = tournament(ENV, None, [name, lambda observation, mask: 1], games=200, seed=1)
            assert found.payoffs[0, 1] == payoff
        for module in ("one", "sibling"):
            sys.modules.pop(module, None)


def test_a_tournament_whose_bot_is_edited_meanwhile_stops(folder: Path) -> None:
    identity = player_digest("bot.py:choose", GAME, OPTIONS)
    pairing = Pairing(ENV, (), "bot.py:choose", "random", "return", 1, (identity, ""))
    Path("sibling.py").write_text("def first(mask): return 1\n")
    with pytest.raises(CardgymError, match="choose: it or the rules changed meanwhile"):
        play_range(pairing, 0, 2)


def test_configs_and_mixtures_name_bots_by_paths_from_their_folders(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("own.toml").write_text(f'env_id = "{ENV}"\nopponents = ["./bot.py:choose=0.5", "random=0.5"]\n')
    save_mixture(Path("two.mixture.json"), {"./bot.py:choose": 1.0, "random": 1.0}, GAME, OPTIONS)
    monkeypatch.chdir("/")
    config = read_config(GameConfig, folder / "own.toml")
    assert config.opponents == (f"{folder / 'bot.py'}:choose=0.5", "random=0.5")
    bot, _ = OpponentPool.parse(config.opponents).players(GAME, OPTIONS)
    assert bot.act(np.zeros((1, 7), np.float32), np.array([[0, 1]], np.int8)).tolist() == [1]
    mixed = resolve(folder / "two.mixture.json", GAME, OPTIONS)
    assert mixed.players[0].name == f"{folder / 'bot.py'}:choose"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["./bot.py:choose", "two.mixture.json", "json:loads"])
def test_who_may_name_no_program_runs_none(name: str) -> None:
    save_mixture(Path("two.mixture.json"), {"./bot.py:choose": 1.0, "random": 1.0}, GAME, OPTIONS)
    Path("bot.py").write_text("raise SystemError('run')")
    with pytest.raises(CardgymError, match="a program, which only a command line or Python may name"):
        resolve(name, GAME, OPTIONS, programs=False)


def test_a_tournament_of_a_folder_runs_no_program(folder: Path) -> None:
    save_mixture(folder / "in" / "two.mixture.json", {str(folder / "bot.py:choose"): 1.0}, GAME, OPTIONS)
    players, left_out = in_folder(folder / "in", GAME, OPTIONS)
    assert players == []
    assert "a program" in left_out[0]


def test_workers_of_a_tournament_find_a_bot_from_any_folder(folder: Path) -> None:
    bot, _ = entrants(["./bot.py:choose", "random"], GAME, OPTIONS)
    assert (bot.name, bot.spec) == ("./bot.py:choose", f"{folder / 'bot.py'}:choose")
