"""Language models as players, without a model: a local server plays known strategies by words."""

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cardgym import CardgymError, find
from cardgym.arena.match import evaluate
from cardgym.engine.text import TextView
from cardgym.players.llm.endpoint import Transcripts, transcripts_of
from cardgym.players.llm.player import LanguageModel, read_answer
from cardgym.players.llm.settings import MAX_REQUESTS, TRANSCRIPTS, Settings
from scripted_model import Server, honest, moves_in, serving

pytest.importorskip("openai")
KUHN = find("KuhnPoker-v0")
GAMES = 40


@pytest.fixture(autouse=True)
def transcripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(TRANSCRIPTS, str(tmp_path / "asked.jsonl"))
    return tmp_path / "asked.jsonl"


def played(server: Server, monkeypatch: pytest.MonkeyPatch, name: str = "llm:m", opponent: str = "equilibrium") -> Any:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return evaluate(KUHN, None, [name, opponent], games=GAMES, seed=2)


def test_a_strategy_by_words_plays_as_the_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = evaluate(KUHN, None, ["honest", "equilibrium"], games=GAMES, seed=2).players[0]
    with serving(honest) as server:
        report = played(server, monkeypatch)
    assert report.players[0].mean_return == numbers.mean_return
    [model] = report.models
    assert model["decisions"] == model["requests"] == len(server.asked) > 0
    assert model["illegal"] == model["unreadable"] == model["forfeit"] == 0
    assert re.fullmatch(r"2 \([0-9a-f]{8}\)", model["prompt"])


@pytest.mark.slow
def test_initial_by_words_has_the_strength_of_initial(monkeypatch: pytest.MonkeyPatch) -> None:
    spike = find("CorellianSpike-v0")
    numbers = evaluate(spike, None, ["initial", "heuristic"], games=20, seed=2).players
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        words = evaluate(spike, None, ["llm:initial", "heuristic"], games=20, seed=2).players
    assert [player.mean_return for player in words] == [player.mean_return for player in numbers]


def test_a_run_that_stops_goes_on_without_asking_again(
    monkeypatch: pytest.MonkeyPatch, transcripts: Path, tmp_path: Path
) -> None:
    with serving(honest) as server:
        monkeypatch.setenv(MAX_REQUESTS, "7")
        with pytest.raises(CardgymError, match="--max-requests 7: all are made"):
            played(server, monkeypatch)
        assert len(server.asked) == 7
        asked = transcripts.read_text().splitlines()
        assert len(asked) == 7
        assert json.loads(asked[0]).keys() >= {"key", "n", "model", "env", "seat", "prompt", "messages", "answer"}
        # Another process reads the file; the last line of the first one was cut off by its end.
        again = tmp_path / "again.jsonl"
        foreign = ['{"key": "a", "n": 1e999, "answer": ""}', "[" * 100_000]
        again.write_bytes("\n".join([*foreign, *asked, asked[0][:40]]).encode() + "é".encode()[:1])
        monkeypatch.setenv(TRANSCRIPTS, str(again))
        monkeypatch.delenv(MAX_REQUESTS)
        [model] = played(server, monkeypatch).models
        assert model["known"] == 7
        assert model["requests"] == len(server.asked) - 7
        transcripts_of.cache_clear()
        [model] = played(server, monkeypatch).models
        assert model["requests"] == 0


def test_answers_with_strange_signs_are_kept_and_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda messages: "\ud800 so\u2028it\x85is\nANSWER: 1") as server:
        for _ in range(2):
            [model] = played(server, monkeypatch).models
            transcripts_of.cache_clear()
        assert model["requests"] == model["unreadable"] == 0
        assert model["known"] == len(server.asked)


def test_bad_answers_are_counted_asked_again_and_settled_as_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    def prose(messages: list[dict[str, str]]) -> str:
        return "I will bet. My answer: bet, as 1: bet is best."

    def lies(messages: list[dict[str, str]]) -> str:
        return "ANSWER: raise to 100"

    def learns(messages: list[dict[str, str]]) -> str:
        return honest(messages) if len(messages) > 2 and messages[2]["content"] else ""  # Endpoints refuse blanks.

    with serving(prose) as server:
        report = played(server, monkeypatch)
        [model] = report.models
        assert model["unreadable"] == 3 * model["decisions"] == model["requests"]
        assert model["forfeit"] == model["decisions"] == GAMES
        assert report.players[0].win_rate == 0.0
        assert report.players[0].mean_return == -1.0
        assert server.asked[-1][-1]["content"].startswith("That is no move: there is no line that begins with ANSWER:")
    with serving(lies) as server:
        [model] = played(server, monkeypatch, "llm:liar,rethinks=0,illegal=random").models
        assert model["illegal"] == model["random"] == model["decisions"] == model["requests"] > 0
    with serving(learns) as server:
        numbers = evaluate(KUHN, None, ["honest", "equilibrium"], games=GAMES, seed=2).players[0]
        report = played(server, monkeypatch, "llm:learner")
        assert report.players[0].mean_return == numbers.mean_return
        assert report.models[0]["unreadable"] == report.models[0]["decisions"]


def test_an_endpoint_that_fails_or_stalls_is_counted_and_one_that_refuses_stops(
    monkeypatch: pytest.MonkeyPatch, transcripts: Path
) -> None:
    def stalls(messages: list[dict[str, str]]) -> str:
        time.sleep(1.0)
        return honest(messages)

    for model, counted in ((lambda messages: 500, "failed"), (stalls, "failed")):
        with serving(model) as server:
            name = f"llm:{len(server.url)}{model.__name__.strip('<>')},retries=0,timeout=0.2"
            [found] = played(server, monkeypatch, name).models
            assert found[counted] == found["forfeit"] == found["decisions"] == GAMES
    assert not transcripts.exists() or not transcripts.read_text()
    transcripts_of.cache_clear()
    monkeypatch.setenv(MAX_REQUESTS, "3")
    with serving(lambda messages: 500) as server:
        with pytest.raises(CardgymError, match="--max-requests 3: all are made"):
            played(server, monkeypatch, "llm:again,at_once=1")
        assert len(server.asked) == 3  # Those that are repeated cost, too.
    monkeypatch.delenv(MAX_REQUESTS)
    with (
        serving(lambda messages: 401) as server,
        pytest.raises(CardgymError, match=r"player llm:m at http://127\.0\.0\.1"),
    ):
        played(server, monkeypatch)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(CardgymError, match=r"http://127\.0\.0\.1:9/v1/: Connection error"):
        evaluate(KUHN, None, ["llm:m,retries=0", "honest"], games=2, seed=2)


def test_replies_that_are_none_fail_and_strange_counts_of_tokens_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def reply(content: object, **usage: object) -> dict[str, Any]:
        return {"choices": [{"message": {"content": content}}], "usage": usage}

    cases: tuple[tuple[Any, int, int], ...] = (
        (reply("ANSWER: 0", prompt_tokens="many"), 0, 0),
        (reply(None), 0, 3 * GAMES),
        (reply("ANSWER: 0", prompt_tokens=10**400, completion_tokens=-1), 0, 0),
        ({**reply("ANSWER: 0"), "usage": [1]}, 0, 0),
        (reply("ANSWER: 0" + " " * 10_000), GAMES, 0),
        (reply([{"type": "thinking", "thinking": []}, {"type": "text", "text": "ANSWER: 0"}]), 0, 0),
        ({"choices": [{"message": {"content": "ANSWER: 0"}, "finish_reason": "length"}]}, 0, 3 * GAMES),
        ({"choices": [{"message": {"content": "ANSWER: 0"}, "finish_reason": "content_filter"}]}, 0, 3 * GAMES),
        ({"choices": []}, GAMES, 0),
        (["ANSWER: 0"], GAMES, 0),
    )
    monkeypatch.setattr("cardgym.players.llm.endpoint.MAX_BYTES", 10_000)
    answers: list[Any] = []
    for number, (answer, failed, no_move) in enumerate(cases):
        answers.append(answer)
        with serving(lambda messages: answers[-1]) as server:
            [model] = played(server, monkeypatch, f"llm:reply{number}").models
        assert (model["failed"], model["unreadable"] + model["illegal"]) == (failed, no_move)


def test_an_answer_that_a_full_disk_cuts_off_costs_no_other(transcripts: Path) -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept, lost = ({"key": key, "n": 0, "answer": 80 * key} for key in "kl")
    file = Transcripts(transcripts)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
        with pytest.raises(CardgymError, match=f"cannot write {re.escape(str(transcripts))}: "):
            file.add(lost)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    file.add(kept)
    assert (Transcripts(transcripts).find("k", 0), file.find("l", 0)) == (kept["answer"], None)


def test_requests_are_made_at_once_and_hold_no_process_up(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = set[bool]()

    def slow(messages: list[dict[str, str]]) -> str:
        time.sleep(0.05)
        waiting.update(thread.daemon for thread in threading.enumerate() if thread.name.startswith("llm:"))
        return honest(messages)

    with serving(slow) as server:
        played(server, monkeypatch, "llm:m,at_once=8")
        assert 1 < server.at_once <= 8
    assert waiting == {True}  # Python waits for other threads at its end, also after Ctrl-C.


def test_a_prompt_shows_what_its_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda messages: "ANSWER: bet") as server:
        played(server, monkeypatch, "llm:m,moves=hidden,history=state,rethinks=0,illegal=random")
        user = server.asked[0][1]["content"]
        assert moves_in(user) == {}
        assert "dealt" not in user
        assert "Own card: " in user


VIEW = TextView("Some-v0", 0, "", "", (), 0, {0: "check", 1: "bet 1 (the pot becomes 4)"}, {2: "raise"})


@pytest.mark.parametrize(
    ("answer", "action", "problem"),
    [
        ("ANSWER: 1", 1, ""),
        ("I check or bet.\n**ANSWER: 1: bet 1 (the pot becomes 4)**", 1, ""),
        ("answer: Check.", 0, ""),
        ("ANSWER: <1>", 1, ""),
        ("ANSWER: <ID: 0>", 0, ""),
        ("ANSWER: “bet 1”", 1, ""),
        ("ANSWER: \N{ARABIC-INDIC DIGIT ONE}", None, "illegal"),
        ("ANSWER: 0\nNo:\nANSWER: 1", 1, ""),
        ("<think>ANSWER: 0</think>\nANSWER: bet 1", 1, ""),
        ("<think>ANSWER: 0", None, "unreadable"),
        ("ANSWER: 0\n</think>\nThat is my move.", None, "unreadable"),
        ("[THINK]\nANSWER: 0\n[/THINK]\nANSWER: 1", 1, ""),
        ("<Thinking>\nANSWER: 0\n</Thinking>", None, "unreadable"),
        ("My answer: 1", None, "unreadable"),
        ("1", None, "unreadable"),
        ("", None, "unreadable"),
        ("ANSWER: raise", None, "illegal"),
        ("ANSWER: 2. Or else ANSWER: 1", None, "illegal"),
        ("ANSWER: raise, or check if that is illegal", None, "illegal"),
        ("ANSWER:", None, "illegal"),
        (r"ANSWER: $\boxed{1}$", 1, ""),
        pytest.param("\n" * 200_000 + "1", None, "unreadable", id="many lines"),
        pytest.param("ANSWER: #" + " " * 200_000 + "x", None, "illegal", id="a long line"),
    ],
)
def test_only_the_line_of_the_answer_is_read(answer: str, action: int | None, problem: str) -> None:
    reading = read_answer(answer, VIEW)
    assert (reading.action, reading.problem) == (action, problem)


@pytest.mark.parametrize(
    "settings",
    ["", *(f"m,{key}" for key in ("rethinks=-1", "moves=some", "colors=red", "at_once=0", "timeout=0.0")),
     "m,rethinks=\N{ARABIC-INDIC DIGIT ONE}", "m,rethinks=1,rethinks=2"],
)  # fmt: skip
def test_a_wrong_name_is_refused_in_one_line(settings: str) -> None:
    with pytest.raises(CardgymError):
        Settings.parse(f"llm:{settings}")


def test_a_model_needs_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(CardgymError, match="set OPENAI_API_KEY, or OPENAI_BASE_URL"):
        LanguageModel("llm:m")
