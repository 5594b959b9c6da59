"""The game in words for a seat: what it is told, and moves from words."""

import re
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cardgym import CardgymError, IllegalActionError, find
from cardgym.arena.match import evaluate
from cardgym.engine.text import TextView
from cardgym.errors import UnclearMoveError
from cardgym.players import CompiledPlayer, TextFunction
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup

KUHN = find("KuhnPoker-v0")


def test_an_env_tells_its_seat_what_the_table_tells_a_person() -> None:
    """The table narrates moves as it makes them; the env follows the kernel, which makes many in a step."""
    for number in range(8):
        table = Session(GameSetup(KUHN, KUHN.parse_options(), [CompiledPlayer("equilibrium")], seed=number, seat=0))
        table.play()
        env: Any = gym.make("KuhnPoker-v0", opponent="equilibrium", text=True)
        _, info = env.reset(seed=number)
        # The same cards and choices: the row continues where the table's row began.
        batch = env.unwrapped._core.seated
        batch.seed(np.array([table._played.batch.plain_rows["key"][0]]), 0)
        batch.act(0, 0, 2)
        while not table.over:
            view = env.unwrapped.text()
            assert view.history == tuple(text.replace("Equilibrium", "Seat 1") for _, text in table.narration)
            action = number % 2
            table.act(action)
            *_, info = env.step(action)
        view = info["text"]
        assert view.history == tuple(text.replace("Equilibrium", "Seat 1") for _, text in table.narration)
        assert view.news[0].startswith("You")
        assert not view.moves


def test_a_player_that_reads_is_told_at_the_table_what_a_person_is() -> None:
    told = []

    def reader(view: TextView) -> int:
        told.append(view)
        return 1

    table = Session(GameSetup(KUHN, KUHN.parse_options(), [TextFunction("reader", reader)], seed=3, seat=0))
    table.play()
    table.act(0)
    table.undo()
    table.act(1)
    first, again = told
    assert first.history[0].startswith("You are dealt the ")
    assert (first.history[1], again.history[1]) == ("Seat 0 checks", "Seat 0 bets 1 chip")
    assert len(first.history) == len(again.history) == 2


def test_render_shows_news_state_and_moves() -> None:
    env: Any = gym.make("KuhnPoker-v0", opponent="honest", render_mode="ansi")
    env.reset(seed=3)
    assert env.render() == str(env.unwrapped.text())
    assert env.render().startswith("You are dealt the ")
    assert env.render().endswith("\n\n0: check\n1: bet")
    assert "Each player antes 1" in env.unwrapped.text().rules


def test_every_row_and_every_seat_has_its_text() -> None:
    rows = gym.make_vec("KuhnPoker-v0", num_envs=3, seat="all", text=True)
    _, infos = rows.reset(seed=1)
    for _ in range(4):
        assert [view.seat for view in infos["text"]] == [max(seat, 0) for seat in infos["seat"]]
        *_, infos = rows.step(np.ones(3, np.int64))
    single: Any = gym.make("KuhnPoker-v0", seat="all", text=True)
    _, info = single.reset(seed=1)
    assert single.unwrapped.text(1).moves == {} != single.unwrapped.text(0).moves == info["text"].moves
    with pytest.raises(CardgymError, match="text=True"):
        gym.make("KuhnPoker-v0").unwrapped.text()  # type: ignore[attr-defined]


def test_illegal_actions_drawn_anew_are_told_as_they_were_played() -> None:
    env: Any = gym.make("CorellianSpike-v0", opponent="heuristic", illegal_action="random", text=True, hands=1)
    _, info = env.reset(seed=4)
    over = False
    while not over:
        _, _, over, _, info = env.step(99)
    twin = info["text"].history
    assert any(text.startswith("You ") for text in twin)
    position = env.unwrapped._core.seated.batch
    # What was told led to the state that the kernel reached: the winner's line names the pool that was paid.
    assert f"pool of {position.states[0].last_pool}" in twin[-1]


def test_a_player_that_reads_plays_in_the_arena_like_its_twin_that_sees() -> None:
    def honest(view: TextView) -> str:
        card = view.history[0].rsplit(" ", 1)[1]
        if "call" in view.moves.values():
            return "fold" if card == "jack" else "I" if card == "queen!" else "Call."
        return "BET" if card == "king" else "check"

    words, numbers = (
        evaluate(KUHN, None, [player, "equilibrium"], games=200, seed=2)
        for player in (TextFunction("honest by words", honest), "honest")
    )
    assert words.players[0].mean_return == numbers.players[0].mean_return
    with pytest.raises(CardgymError, match="player silent: game 0, seat 0: '' names no move"):
        evaluate(KUHN, None, [TextFunction("silent", lambda view: ""), "honest"], games=2, seed=2)


def test_a_view_reads_ids_and_words_strictly() -> None:
    moves = {3: "guess white 7 at place 3", 15: "guess black 1 at place 4", 20: "stop: keep the drawn tile hidden"}
    illegal = {4: "guess white 8 at place 3", 16: "guess black 10 at place 4", 17: "move red to blue"}
    view = TextView("Some-v0", 0, "", "", (), 0, {**moves, 18: "move blue to red"}, illegal)
    for answer in (
        "3",
        "[3]",
        "3: guess white 7 at place 3",
        "guess white 7 at 3",
        "3 W7",
        "**Guess White 7 at place 3.**",
    ):
        assert view.parse(answer) == 3, answer
    assert view.parse("20 (stop)") == view.parse("STOP!") == view.parse(moves[20]) == 20
    for answer in (f"{moves[20]} (20)", "stop (ID: 20)", "20, stop", "20 - stop", "20** (stop)"):  # By both.
        assert view.parse(answer) == 20, answer
    for answer in ("4", "21", "guess white 8 at place 3", "guess black 10", "move red to blue"):
        with pytest.raises(IllegalActionError):
            view.parse(answer)
    with pytest.raises(UnclearMoveError) as caught:
        TextView("Some-v0", 0, "", "", (), 0, {n: f"guess white 7 at place {n}" for n in range(1, 9)}).parse("white 7")
    # What a message calls a move names it, too: its distinct words alone, such as `1`, would be read as an ID.
    assert "`guess white 7 at place 1`" in str(caught.value)
    unclear = ("", "-3", "3.5", "guess", "3: stop", "3 or 15", "stop or guess", "do not stop", "²", "raise")
    for answer in (*unclear, "stop (3)", "15, stop"):
        with pytest.raises(UnclearMoveError):
            view.parse(answer)
    numbers = TextView("Some-v0", 0, "", "", (), 0, {0: "1", 1: "2"})
    assert numbers.parse("2") == numbers.parse("1: 2") == 1  # No legal move has the ID 2.
    with pytest.raises(UnclearMoveError, match="may mean two moves"):
        numbers.parse("1")


@pytest.mark.parametrize("env_id", ["KuhnPoker-v0", "LeducPoker-v0", "OnePlayPoker-v0", "CodaMini-v0"])
def test_all_words_shown_for_a_move_are_accepted_back(env_id: str) -> None:
    env: Any = gym.make(env_id, seat="all" if env_id != "OnePlayPoker-v0" else 0, text=True)
    _, info = env.reset(seed=5)
    over = False
    while not over:
        view = info["text"]
        for action, text in view.moves.items():
            for shown in (text, f"{action}: {text}", str(action), text.upper(), f"`{text}`."):
                assert view.parse(shown) == action, (shown, view.moves)
        _, _, over, _, info = env.step(next(iter(view.moves)))


_KNOWN = re.compile(
    r"\b(poker|kuhn|leduc|sabacc|corellian|spike|films?|cards?|deck|hands?|jacks?|queens?|kings?|antes?|bets?|betting"
    r"|coda|da vinci|tiles?|jokers?|crib\w*|pone|starter|heels|nobs|peg\w*|skunk\w*|flush|fifteens?|suits?|house"
    r"|aces?|calls?|discard\w*|fold\w*|raise\w*|check\w*|match\w*|pots?|pool|chips?|credits?|deal\w*|dealt|showdown|dice|sleeve|cheat\w*|array)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("env_id", "options"),
    [
        ("KuhnPoker-v0", {}),
        ("LeducPoker-v0", {}),
        ("CorellianSpike-v0", {"special_hands": True, "cheat": 0, "max_raises": 1}),
        ("OnePlayPoker-v0", {}),
        ("Coda-v0", {}),
        ("Cribbage-v0", {}),
    ],
)
def test_neutral_words_recall_no_game_and_tell_as_much(env_id: str, options: dict[str, Any]) -> None:
    env: Any = gym.make(env_id, seat=0 if env_id == "OnePlayPoker-v0" else "all", text=True, **options)
    generator, pairs, over = np.random.default_rng(1), dict[str, str](), True
    for _ in range(80):
        if over:
            _, info = env.reset(seed=int(generator.integers(100)))
        view = info["text"]
        plain = view.neutral()
        shown = "\n".join([plain.env_id, plain.rules, *plain.history, str(plain)])
        assert not _KNOWN.search(shown), shown
        for action, text in plain.moves.items():
            assert plain.parse(text) == plain.parse(str(action)) == action
        # One text for one: what differs in the game's words differs in these.
        own = "\n".join([*view.history, str(view)])
        assert pairs.setdefault("\n".join([*plain.history, str(plain)]), own) == own
        *_, over, _, info = env.step(int(generator.choice(list(view.moves))))
    with pytest.raises(CardgymError, match="has no neutral names"):
        TextView("Some-v0", 0, "", "").neutral()
