"""Names of people and players at a table: one each, in every text."""

from __future__ import annotations

import pytest

import cardgym
from cardgym.players import resolve
from cardgym.table.people import board_with_names, named, shown_name, shown_names, with_names, with_shown_names
from cardgym.table.session import Session, replay
from cardgym.table.setup import Setup


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("heuristic", "Heuristic"),
        ("double_dqn", "Double DQN"),
        ("ppo_three_players", "PPO three players"),
        ("double_dqn_seed2", "Double DQN (seed 2)"),
        ("distill:greedy", "Distill greedy"),
        ("value-search", "Value search"),
        ("/somewhere/else/model.safetensors", "model.safetensors"),
    ],
)
def test_players_have_names_that_people_read(name: str, shown: str) -> None:
    assert shown_name(name) == shown


def test_a_measured_strength_has_names_that_people_read() -> None:
    text = "wins 50.7 % [48.8, 52.6] against value-search, 9 % against random; games from two random-table"
    shown = "wins 50.7 % [48.8, 52.6] against Value search, 9 % against Random; games from two Random table"
    assert with_shown_names(text, ["random", "random-table", "value-search"]) == shown


def test_every_seat_has_another_name() -> None:
    assert shown_names(["heuristic", "human", "heuristic", "ppo"], 1) == ["Heuristic", "You", "Heuristic 2", "PPO"]
    assert shown_names(["greedy", "greedy", "greedy"], None) == ["Greedy", "Greedy 2", "Greedy 3"]
    given = shown_names(["human", "human", "greedy", "greedy"], 0, {"name 0": "Ann", "name 1": "Jean-Luc"})
    assert given == ["You", "Jean-Luc", "Greedy", "Greedy 2"]
    assert shown_names(["human", "greedy", "greedy"], 3, {"name 0": "Greedy 2"}) == ["Greedy 2", "Greedy", "Greedy 3"]
    seeds = ["double_dqn", "double_dqn_seed2", "double_dqn_seed2", "double_dqn"]
    assert shown_names(seeds, None) == ["Double DQN", "Double DQN (seed 2)", "Double DQN 2 (seed 2)", "Double DQN 2"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Seat 1 raises, paying 2", "Heuristic raises, paying 2"),
        ("The opponent guesses white 0 at place 1: no", "Heuristic guesses white 0 at place 1: no"),
        ("Opponent's hand", "Heuristic's hand"),
        ("You win 5 credits, seat 1 is broke", "You win 5 credits, Heuristic is broke"),
    ],
)
def test_texts_name_the_opponent(text: str, read: str) -> None:
    assert named(text, ["You", "Heuristic"], 0) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("You cut QD", "Expert cuts QD"),
        ("You match, paying 2", "Expert matches, paying 2"),
        ("You are dealt +3", "Expert is dealt +3"),
        ("You don't buy", "Expert doesn't buy"),
        ("Your hand 5H JS scores 7", "Expert's hand 5H JS scores 7"),
        ("Opponent plays 5H: 15", "Greedy plays 5H: 15"),
    ],
)
def test_a_watched_game_has_no_you(text: str, read: str) -> None:
    assert named(text, ["Expert", "Greedy"], 0) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("You beat the opponent", "Expert beats You"),
        ("The opponent's crib, your hand", "Your crib, Expert's hand"),
    ],
)
def test_what_the_other_saw_names_the_person_who_reads(text: str, read: str) -> None:
    assert named(text, ["You", "Expert"], 1) == read


def test_a_board_of_another_seat_keeps_its_columns() -> None:
    board = "Opponent    0 points\nYou         3 points, your crib"
    assert board_with_names(board, ["You", "Expert"], 1) == "You         0 points\nExpert      3 points, Expert's crib"
    three = "Seat 0   42\nYou      46\nSeat 2   44"
    assert board_with_names(three, ["Heuristic", "You", "Heuristic 2"], 1) == "Heuristi 42\nYou      46\nHeuris 2 44"
    seeds = ["Double DQN (seed 2)", "You", "Double DQN 2 (seed 2)"]
    assert board_with_names(three, seeds, 1) == "Double D 42\nYou      46\nDouble 2 44"


def test_names_for_programs_stay() -> None:
    view = {"id": "seat 1", "items": [{"symbol": "seat 1", "label": "seat 1's card"}]}
    assert with_names(view, ["You", "Expert"], 0) == {
        "id": "seat 1",
        "items": [{"symbol": "seat 1", "label": "Expert's card"}],
    }


def played(env: str, *players: str, watched: bool = False) -> Session:
    game = cardgym.find(env)
    options = game.parse_options({"hands": 1} if env.startswith("Corellian") else {"target": 31})
    seated = [resolve(name, game, options) for name in players]
    session = Session(Setup(game, options, seated, seed=3, seat=None if watched else 0, watched=watched))
    session.play()
    while not session.over:
        session.act(session.legal_actions()[0])
    return session


def test_a_game_is_narrated_with_names() -> None:
    for session in (played("CorellianSpike-v0", "heuristic"), played("Cribbage-v0", "greedy", "expert", watched=True)):
        told = "\n".join(text for _, text in session.narration)
        assert all(name in told for name in session.people)
        assert not any(word in told for word in ("Seat ", "Opponent", "opponent"))
        assert ("You " in told) != session.watched
        entry = {**session.entry(), "moves": session.moves}
        assert [event.text for event in replay(entry) if event.text] == [text for _, text in session.narration]


def test_forced_moves_pass_by_themselves() -> None:
    session = played("Cribbage-v0", "greedy")
    forced = [text for seat, text in session.narration if seat == session.seat and "(the only move)" in text]
    assert forced  # The last card of a hand leaves no choice.
    game, options = session.game, session.options
    again = Session(Setup(game, options, [resolve("greedy", game, options)], seed=3, seat=0))
    again.play()
    while not again.over:
        assert len(again.legal_actions()) > 1
        again.act(again.legal_actions()[0])
    assert again.moves == session.moves


def test_antes_and_declined_buys_are_narrated() -> None:
    game = cardgym.find("CorellianSpike-v0")
    options = game.parse_options({"hands": 1})
    session = Session(Setup(game, options, [resolve("heuristic", game, options)], seed=3, seat=0))
    session.play()
    while not session.over:
        texts = {game.action_text(session.state, action): action for action in session.legal_actions()}
        wanted = [action for text, action in texts.items() if text.startswith(("match", "don't buy"))]
        session.act(wanted[0])
    told = [text for _, text in session.narration]
    assert told[0].startswith("Hand 1: everyone puts 2 credits into the pool")
    assert "You don't buy" in told


def test_a_board_has_names_in_its_columns() -> None:
    board = "You       46 credits\nSeat 1    48 credits\nOpponent    0 #.....\n[hidden from the opponent]"
    assert board_with_names(board, ["You", "PPO three players"], 0).splitlines() == [
        "You       46 credits", "PPO three 48 credits", "PPO three p 0 #.....", "[hidden from PPO three players]",
    ]  # fmt: skip
