"""Names of people and players at a table: one each, in every text."""

import re

import pytest

import cardgym
from cardgym.engine.contract import Names, inside
from cardgym.engine.states import new_state
from cardgym.players import resolve
from cardgym.table.people import shown_name, shown_names, with_shown_names
from cardgym.table.presentation import board_of, presentation_of, view_of
from cardgym.table.session import Session, replay
from cardgym.table.setup import GameSetup


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("heuristic", "Heuristic"),
        ("double_dqn", "Double DQN"),
        ("ppo_three_players", "PPO three players"),
        ("double_dqn_seed2", "Double DQN (seed 2)"),
        ("distill:greedy", "Distill greedy"),
        ("value-search", "Value search"),
        ("/somewhere/else/spike.zip", "spike.zip"),
        ("runs/first/model.safetensors", "First"),
        ("model.safetensors", "model.safetensors"),
    ],
)
def test_players_have_names_that_people_read(name: str, shown: str) -> None:
    assert shown_name(name) == shown


def test_a_measured_strength_has_names_that_people_read() -> None:
    text = "wins 50.7 % [48.8, 52.6] against value-search, 9 % against random; games from two random-table"
    shown = "wins 50.7 % [48.8, 52.6] against Value search, 9 % against Random; games from two Random table"
    assert with_shown_names(text, ["random", "random-table", "value-search"]) == shown


def test_every_seat_has_another_name() -> None:
    assert list(shown_names(["heuristic", "human", "heuristic", "ppo"], 1)) == [
        "Heuristic",
        "You",
        "Heuristic 2",
        "PPO",
    ]
    assert list(shown_names(["greedy", "greedy", "greedy"], None)) == ["Greedy", "Greedy 2", "Greedy 3"]
    hostile = (
        shown_names(["human", "bot\x1b[2J"], 0, {"name 0": "Ann"}),
        shown_names(["a", "b"], None, {"name 1": "\r\u202e"}),
    )
    assert [list(names) for names in hostile] == [["You", r"Bot\x1b[2J"], ["A", r"\r\u202e"]]
    given = shown_names(["human", "human", "greedy", "greedy"], 0, {"name 0": "Ann", "name 1": "Jean-Luc"})
    assert list(given) == ["You", "Jean-Luc", "Greedy", "Greedy 2"]
    assert list(shown_names(["human", "greedy", "greedy"], 3, {"name 0": "Greedy 2"})) == [
        "Greedy 2",
        "Greedy",
        "Greedy 3",
    ]
    seeds = ["double_dqn", "double_dqn_seed2", "double_dqn_seed2", "double_dqn"]
    assert list(shown_names(seeds, None)) == [
        "Double DQN",
        "Double DQN (seed 2)",
        "Double DQN 2 (seed 2)",
        "Double DQN 2",
    ]


def test_texts_call_the_reader_you_and_others_by_their_names() -> None:
    names = Names(["You", "Heuristic"])
    assert (names.does(0, "win"), names.does(1, "win")) == ("You win", "Heuristic wins")
    assert (names.does(0, "don't buy", "doesn't buy"), names.whose(0)) == ("You don't buy", "Your")
    assert (names.does(1, "don't buy", "doesn't buy"), names.whose(1)) == ("Heuristic doesn't buy", "Heuristic's")
    inner = [inside(text) for text in ("You are", "Your crib", "The opponent's crib", "Young's crib")]
    assert inner == ["you are", "your crib", "the opponent's crib", "Young's crib"]


def test_a_name_in_a_column_is_shortened_but_keeps_its_number() -> None:
    names = Names(["You", "Heuristic 2", "Double DQN 2 (seed 2)", "Double DQN (seed 2)"])
    assert [names.column(seat, 8) for seat in range(4)] == ["You     ", "Heuris 2", "Double 2", "Double D"]


def played(env: str, opponent: str = "", watched: bool = False, prefer: tuple[str, ...] = ()) -> Session:
    """A short game of a person, who takes the first action whose text begins like a preferred one, or is watched."""
    game = cardgym.find(env)
    options = game.parse_options({"CorellianSpike-v0": {"hands": 1}, "Cribbage-v0": {"target": 31}}.get(env, {}))
    opponents = [resolve(opponent or game.opponent, game, options)] * (options.num_players - (not watched))
    session = Session(GameSetup(game, options, opponents, seed=3, seat=None if watched else 0, watched=watched))
    session.play()
    while not session.over:
        allowed = session.legal_actions()
        assert len(allowed) > 1
        preferred = [action for action in allowed if game.action_text(session.state, action).startswith(prefer or "")]
        session.act(preferred[0])
    return session


@pytest.mark.parametrize("env", ["KuhnPoker-v0", "Coda-v0", "CorellianSpike-v0", "Cribbage-v0", "OnePlayPoker-v0"])
def test_all_texts_of_a_game_have_names(env: str) -> None:
    for watched in (False, True):
        session = played(env, watched=watched)
        game, people, viewer = session.game, session.people, session.viewer
        entry = {**session.entry(), "moves": session.moves}
        events, table = replay(entry), presentation_of(game)
        assert [event.text for event in events if event.text] == [text for _, text in session.narration]
        told = [text for _, text in session.narration] + [table.ending(session.state, viewer, people)]
        for event in events:
            told += [str(table.reveals(event.before, event.move, event.after, viewer, people))]
            told += [str(view_of(game, event.after, seat, (), people)) for seat in (viewer, -1)]
        text = "\n".join(told)
        assert all(name in text for name in people)
        assert not re.search(r"\b[Ss]eat \d|\b[Oo]pponent\b", text)
        assert bool(re.search(r"\b[Yy]ou\b", text)) != watched


def test_forced_moves_pass_by_themselves() -> None:
    session = played("Cribbage-v0", "greedy")
    forced = [text for seat, text in session.narration if seat == session.seat and "(the only move)" in text]
    assert forced  # The last card of a hand leaves no choice.
    assert len(forced) == sum(seat == session.seat for seat, _ in session.moves) - len(session.choices)


def test_antes_and_declined_buys_are_narrated() -> None:
    session = played("CorellianSpike-v0", "heuristic", prefer=("match", "don't buy"))
    told = [text for _, text in session.narration]
    assert told[0].startswith("Hand 1: everyone puts 2 credits into the pool")
    assert "You don't buy" in told


def test_a_board_has_names_in_its_columns() -> None:
    names = Names(["You", "PPO three players"])
    spike, cribbage = "PPO three player   48 credits", "PPO three   0 #....."
    for env, column in (("CorellianSpike-v0", spike), ("Cribbage-v0", cribbage)):
        game = cardgym.find(env)
        state = new_state(game, game.parse_options())[0]
        lines = board_of(game, state, 0, names).splitlines()
        assert any(line.startswith(column) for line in lines)
