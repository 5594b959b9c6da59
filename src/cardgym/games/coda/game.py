"""Coda as a `Game`, under its ids; its documentation is in doc.md."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardgym.engine.contract import Game, Int64s, Rules, StateIndex
from cardgym.games.coda import guess_features, knowledge, observations, rules, state
from cardgym.games.coda.players import PLAYERS as RULE_PLAYERS
from cardgym.games.coda.text import WORDS

if TYPE_CHECKING:
    from cardgym.experiments.exploit.posterior import Worlds
    from cardgym.games.coda.search import SearchPlayer
    from cardgym.players import Player
    from cardgym.table.presentation import Presentation


_MORE = """

Action n x n stops. Action n x n + 1 + p puts a tile at place p of the mover's line, or turns up its tile there."""

OFFICIAL_DEFAULTS: dict[str, int | str] = {
    "n_start": 4,
    "continuation": "optional",
    "jokers": 2,
    "empty": "play_on",
    "first": "random",
}
"""The options of CodaOfficial-v0."""


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def search(options: state.CodaOptions) -> SearchPlayer:
    """Return the player `search`, which draws its guesses where each seat is dealt one tile."""
    from cardgym.games.coda.drawing import DrawingPlayer
    from cardgym.games.coda.search import SearchPlayer

    return DrawingPlayer(options) if options.n_start == 1 else SearchPlayer(options)


def value_search(options: state.CodaOptions) -> SearchPlayer:
    """Return the player `value-search`, which evaluates states with the critic of the shipped PPO agent.

    The critic is cheaper than a rollout and its values vary less, so the player samples more states.
    """
    from cardgym.games.coda.critic import shipped_critic
    from cardgym.games.coda.search import SearchPlayer

    critic = shipped_critic(options)
    return SearchPlayer(options, guesses=8, worlds=(32, 64, 128), critic=critic, name="value-search")


def _table() -> Presentation:
    from cardgym.games.coda.view import TABLE

    return TABLE


def _posterior(
    game: Game, options: state.CodaOptions, player: Player, seats: Int64s, generator: np.random.Generator
) -> Worlds | None:
    """Return the posterior of games whose deals are too many to list."""
    from cardgym.experiments.exploit.posterior import all_deals
    from cardgym.games.coda.posterior import LinePosterior

    return None if len(all_deals(game, options)[0]) else LinePosterior(game, options, player, seats, generator)


PLAYERS: dict[str, Callable[..., Any]] = {**RULE_PLAYERS, "search": search}

GAME = Game(
    id="Coda-v0",
    doc=_read("doc.md").replace("{more}", ""),
    state=state.STATE,
    options=state.CodaOptions,
    num_actions=state.num_actions(state.CodaOptions()),
    count_actions=state.num_actions,
    rules=Rules.of(rules, resample=knowledge.resample, invariants=state.invariants),
    observations={**observations.OBSERVATIONS, "guesses": guess_features.GUESSES, "splits": guess_features.SPLITS},
    words=WORDS,
    state_index=StateIndex.of(observations),
    players=PLAYERS,
    table=_table,
    opponent="heuristic",
    posterior=_posterior,
)

OFFICIAL = dataclasses.replace(
    GAME.variant("CodaOfficial-v0", _read("doc.md").replace("{more}", _MORE), **OFFICIAL_DEFAULTS),
    players={**PLAYERS, "value-search": value_search},
)
"""The board game's rules."""


MINI = GAME.variant(
    "CodaMini-v0",
    _read("mini.md").format(
        intro="", of="Coda-v0", tiles="the numbers 0 to 2 in black and white", more="", histories="22,237", sets="4,176"
    ),
    n=6,
)

MINI_OFFICIAL = GAME.variant(
    "CodaMiniOfficial-v0",
    _read("mini.md").format(
        intro=", two of them jokers",
        of="CodaOfficial-v0",
        tiles="the numbers 0 and 1 in black and white, two jokers",
        more="Players place jokers and may stop after a hit; they play on when the pool is empty.\n",
        histories="197,403",
        sets="65,024",
    ),
    **{**OFFICIAL_DEFAULTS, "n": 6, "n_start": 1},
)
