"""For the cards that the opponent really has, every decision that it has made is rebuilt as it saw it."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cardgym import find
from cardgym.arena.playouts import MOVE, NO_MOVE, ManyGames
from cardgym.engine.batch import look
from cardgym.engine.contract import END
from cardgym.games.cribbage.posterior import DiscardPosterior
from moody import Moody


class Plain(Moody):
    observation_name = "plain"


@pytest.mark.parametrize("seat", [0, 1])
def test_rebuilt_decisions_are_those_that_the_opponent_saw(seat: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = find("Cribbage-v0")
    options = game.parse_options({"deals": 2})
    player, generator = Plain(), np.random.default_rng(seat)
    games = ManyGames.of_new_games(game, options, [seat])
    posterior = DiscardPosterior(game, options, player, np.full(1, seat), generator)
    true_hands: dict[int, Any] = {}
    monkeypatch.setattr(posterior, "_hands", lambda *_: (true_hands[int(games.deals[0])], False))
    seen: list[npt.NDArray[np.float32]] = []
    compared = 0
    while games.who[0] != END:
        if games.states["hand_size"][0].sum() == 12:
            true_hands[int(games.deals[0])] = games.states["hand"][:, 1 - seat].copy()
            seen = []
        posterior.start(games.states, games.who, games.deals)
        who, action = int(games.who[0]), NO_MOVE
        if who >= 0:
            view, mask, _ = look(game, options, games.states, games.who, "plain")
            action = int(generator.choice(np.flatnonzero(mask[0])))
            if who == seat:
                asked = np.concatenate(player.seen) if player.seen else np.zeros((0, view.shape[1]))
                assert all((asked == each).all(axis=1).any() for each in seen)
                states = np.concatenate([posterior.known[0].states, games.states]).view(np.recarray)
                for state in states:
                    game.rules.canonical(state)
                assert any((states["hand"][row] == states["hand"][-1]).all() for row in range(len(states) - 1))
                assert any((states["crib"][row] == states["crib"][-1]).all() for row in range(len(states) - 1))
                player.seen.clear()
                compared += len(seen)
            else:
                seen.append(view[0])
        previous, before = games.states.copy(), games.who.copy()
        games.advance(np.full(1, action), MOVE)
        posterior.follow(previous, games.states, before, np.full(1, action), games.who, games.deals)
    assert compared > 8


def test_worlds_agree_with_what_was_seen_where_no_hand_explains_the_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DiscardPosterior, "_probabilities", lambda self, states, seat: np.zeros((len(states), 67)))
    game = find("Cribbage-v0")
    options = game.parse_options({"deals": 2})
    generator = np.random.default_rng(3)
    games = ManyGames.of_new_games(game, options, range(4))
    seats = np.zeros(4, np.int64)
    posterior = DiscardPosterior(game, options, Plain(), seats, generator)
    redrawn = 0
    while (games.who != END).any():
        posterior.start(games.states, games.who, games.deals)
        _, masks, _ = look(game, options, games.states, np.maximum(games.who, 0), "plain")
        actions = np.array([generator.choice(np.flatnonzero(mask)) if mask.any() else NO_MOVE for mask in masks])
        actions[games.who < 0] = NO_MOVE
        for row in np.flatnonzero(games.who == 0).tolist():
            worlds = posterior.known[row].states
            seen, allowed, _ = look(game, options, worlds, np.zeros(len(worlds), np.int64), "plain")
            truth, mask, _ = look(game, options, games.states[row : row + 1], seats[:1], "plain")
            assert (seen == truth).all()
            assert (allowed == mask).all()
            cards = np.sort(np.concatenate([worlds["deck"], worlds["hand"][:, 1], worlds["crib"][:, 2:]], axis=1))
            assert (cards == cards[0]).all()  # No card twice, and none lost.
            redrawn += len(np.unique(worlds["crib"][:, 2:], axis=0)) > 1
        previous, before = games.states.copy(), games.who.copy()
        games.advance(actions, MOVE)
        posterior.follow(previous, games.states, before, actions, games.who, games.deals)
    assert redrawn > 20  # The opponent's discard stays unknown.
