"""A good file, or document, of the kinds that tests damage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import cardgym
from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import registered
from cardgym.players.checkpoints import save_checkpoint
from cardgym.players.networks import QNetwork, network_shape
from cardgym.players.policy_file import save_policy
from cardgym.players.tables import Pairs, save_q_table


def game() -> tuple[Game, Options]:
    """A game of one player that numbers its states, so that every kind of file can be one of its players."""
    for name in registered():
        game, options = cardgym.find(name), cardgym.find(name).parse_options()
        if options.num_players == 1 and game.state_index.info_state_labels is not None:
            return game, options
    raise LookupError("no game of one player")


# -- good files -------------------------------------------------------------------------------------------------------


def good_q_table(path: Path) -> None:
    game_, options = game()
    pairs = Pairs(np.arange(1, 9, dtype=np.uint64), np.zeros(8, np.int32), np.linspace(-1, 1, 8))
    save_q_table(path, pairs, game_, options, game_.default_observation, {"seed": 1})


def good_checkpoint(path: Path) -> None:
    game_, options = game()
    name = next(name for name, one in game_.observations.items() if one.discrete is None)
    shape = network_shape(game_, options, name, (8, 8), dueling=False)
    save_checkpoint(path, QNetwork(shape), game_, options, name, {"seed": 1})


def good_policy(path: Path) -> None:
    game_, options = game()
    assert game_.state_index.num_info_states is not None
    save_policy(path, np.zeros(game_.state_index.num_info_states(options), np.int8), game_, options)


def good_entry() -> dict[str, Any]:
    player = {"name": "human", "seat": 0, "score": 1.0, "return": 1.0, "metrics": {"points": 2.0}}
    entry = {"id": "good", "env": game()[0].id, "options": game()[1].asdict(), "seed": 3, "game": 0}
    return {
        **entry,
        "time": "2026-01-01T00:00:00",
        "finished": True,
        "max_score": 1.0,
        "person": 0,
        "players": [player],
        "moves": [],
    }
