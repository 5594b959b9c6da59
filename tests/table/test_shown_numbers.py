"""What the page shows in figures, at every decision, at every showdown and at the end, against the game's state."""

from typing import Any

import numpy as np
import pytest

from cardgym.engine.registry import find
from cardgym.games.corellian_spike.state import DISCARD, DONT_BUY, FOLD, MATCH
from cardgym.players import CallablePlayer, resolve
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup
from cardgym.table.web.tables import Table

SEATS = [("CorellianSpike-v0", seats, {"hands": 3, "credits": 12}) for seats in range(2, 9)]
SEATS += [("Cribbage-v0", 2, {"target": 61}), ("OnePlayPoker-v0", 1, {})]


def match(observation: Any, mask: Any) -> int:
    """Match, buy nothing and keep the hand, so that hands end by a showdown."""
    return next(action for action in (MATCH, DONT_BUY, DISCARD) if mask[action])


def shown(view: dict[str, Any], name: str) -> dict[int | None, Any]:
    """The counters of a name, by seat."""
    return {counter["seat"]: counter["value"] for counter in view["counters"] if counter["name"] == name}


def expected(state: Any) -> dict[str, Any]:
    """The counters that a state of the three games must show."""
    seats = range(int(state.num_players))
    if "stack" in state.dtype.names:
        credits, hands = ({seat: int(state[name][seat]) for seat in seats} for name in ("stack", "hands_won"))
        return {"Pool": {None: int(state.pool)}, "Credits": credits, "Hands won": hands}
    if "scores" in state.dtype.names:
        return {"Points": {seat: int(state.scores[seat]) for seat in seats}}
    return {"Pot": {None: 2 + 2 * int(state.bets)}}


@pytest.mark.parametrize(("game_id", "seats", "options"), SEATS)
def test_counters_are_those_of_the_state_at_each_decision_and_at_the_end(
    game_id: str, seats: int, options: dict[str, Any]
) -> None:
    game = find(game_id)
    spike = game_id == "CorellianSpike-v0"
    player = CallablePlayer("matching", match) if spike else "random"
    parsed = game.parse_options(options | ({"num_players": seats} if spike else {}))
    session = Session(GameSetup(game, parsed, [resolve(player, game, parsed)] * (seats - 1), 7, seats - 1))
    table, choices = Table(session), np.random.default_rng(seats)
    showdowns = showdowns_by_dice = 0
    events = session.play()
    while True:
        for event in table.events_as_json(events, session.seat):
            view = event["showdown"]
            if view is not None and spike:
                showdowns += 1
                assert sum(shown(view, "Credits").values()) == seats * options["credits"]
                assert shown(view, "Pool") == {None: 0}
                dice = [item["label"] for zone in view["zones"] if zone["kind"] == "dice" for item in zone["items"]]
                rolls = [text for _, text in session.narration if text.startswith("Spike dice")]
                if event["text"].startswith("Spike dice"):  # The roll that led to the showdown.
                    rolls, showdowns_by_dice = [event["text"]], showdowns_by_dice + 1
                words = "Spike dice {} and {}".format(*(label[-1] for label in dice)) if dice else ""
                assert not dice or any(roll.startswith(words) for roll in rolls)
        view = table.as_json(session.seat)["view"]
        for name, values in expected(session.state).items():
            assert shown(view, name) == values, name
        if session.over:
            break
        legal = [action for action in session.legal_actions() if not spike or action != FOLD]
        events = session.act(int(choices.choice(legal)))
    if spike:
        assert showdowns
        assert showdowns_by_dice or seats > 2  # Others may end by a tie.
