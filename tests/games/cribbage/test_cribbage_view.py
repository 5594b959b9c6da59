"""Cribbage on the table: the board's holes, and every score counted aloud."""

import re
from itertools import pairwise

import numpy as np
import pytest
from cribbage_driver import parse_cards

from cardgym.engine.registry import find
from cardgym.games.cribbage.drawing import board, hole, hole_of
from cardgym.games.cribbage.scoring import explain_hand
from cardgym.games.cribbage.text import count_aloud
from cardgym.games.cribbage.view import showdown, view
from cardgym.players import resolve
from cardgym.table.session import Session
from cardgym.table.setup import GameSetup


def count(hand: str, starter: str) -> list[str]:
    return [line.partition(" (")[0] for line in count_aloud(explain_hand(parse_cards(hand), parse_cards(starter)[0]))]


def test_a_hand_is_counted_as_players_count_aloud():
    assert count("7H 8C 8D KS", "QD") == ["fifteen 2", "fifteen 4", "a pair is 6"]
    assert count("5H 5C 5D JS", "5S")[-2:] == ["a double pair royal is 28", "nobs makes 29"]
    assert count("AH 2H 3H 9H", "KC") == [
        "fifteen 2",
        "fifteen 4",
        "a run of three makes 7",
        "a flush of four makes 11",
    ]
    assert count("2H 4C 6D 8S", "KD") == []


@pytest.mark.parametrize("seed", range(2))
def test_at_the_show_every_card_is_on_the_table_once_and_comes_from_where_it_was(seed):
    game = find("CribbageDeal-v0")
    options = game.parse_options()
    session = Session(GameSetup(game, options, [resolve("greedy", game, options)], seed, 0))
    events = session.play()
    while not session.over:
        events += session.act(session.legal_actions()[0])
    last = events[-1]
    for seat in range(2):
        table = showdown(last.before, last.move, last.after, seat, session.people)
        assert table is not None
        zones = {zone["name"]: zone["items"] for zone in table["zones"] if zone["kind"] != "board"}
        items = [item for zone in zones.values() for item in zone]
        assert sorted(map(len, zones.values())) == [0, 1, 4, 4, 4]  # Nothing is left in the play.
        assert len({item["symbol"] for item in items}) == len({item["id"] for item in items}) == 13
        assert all(item["id"] == "crib:" + str(place) for place, item in enumerate(zones["Crib"]))
        before = {zone["name"]: zone["items"] for zone in view(last.before, seat, session.people)["zones"]}
        ids = {item["id"]: item["symbol"] for item in items}
        assert all(ids[item["id"]] == item["symbol"] for item in before["The play"])


def test_holes_of_a_lane_are_apart_and_lanes_do_not_touch():
    for lane in range(2):
        for one, other in pairwise(hole(lane, number) for number in range(122)):
            assert abs(one[0] - other[0]) + abs(one[1] - other[1]) >= 10
    assert len({hole(lane, number) for lane in range(2) for number in range(121)}) == 242


def test_the_page_finds_holes_by_their_order_in_the_drawing():
    circles = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" fill="[^"]+"/>', board().content)
    centers = [(float(x), float(y)) for x, y in circles]
    for lane in range(2):
        street = [centers[place + 30 * (place // 30 + lane)] for place in range(120)]
        found = [centers[240 + lane], *street, centers[242]]
        np.testing.assert_allclose(found, [hole(lane, number) for number in range(122)], atol=1e-2)


@pytest.mark.parametrize(("target", "start"), [(121, 0), (61, 60), (1000, 0)])
def test_every_game_ends_in_the_last_hole(target, start):
    assert hole_of(0, target) == start
    assert hole_of(target, target) == 121
    assert hole_of(target - 1, target) < 121
