"""cardgym: Gymnasium environments for card games without a published strategy, and agents that learn them.

Importing it registers its games, so that `gymnasium.make("CorellianSpike-v0")` finds them.
"""

from typing import Any

from cardgym.errors import CardgymError, IllegalActionError
from cardgym.games import coda, corellian_spike, cribbage, one_play_poker
from cardgym.players import coda as coda_players
from cardgym.players import corellian_spike as corellian_spike_players
from cardgym.players import cribbage as cribbage_players
from cardgym.players import one_play_poker as one_play_poker_players
from cardgym.registry import find, register, registered

__all__ = ["CardgymError", "IllegalActionError", "find", "register", "registered"]
__version__ = "0.1.0"

register(corellian_spike.GAME, corellian_spike_players.PLAYERS, corellian_spike_players.TABLES)


def _optimal(options: Any) -> Any:
    from cardgym.tabular.solve import optimal_table

    return optimal_table(find(one_play_poker.GAME.id), options)


register(one_play_poker.GAME, one_play_poker_players.PLAYERS, {"optimal": _optimal})
register(cribbage.GAME, cribbage_players.PLAYERS)
register(cribbage.DEAL_GAME, cribbage_players.PLAYERS)


def _search(options: Any) -> Any:
    from cardgym.players.coda_search import SearchPlayer

    return SearchPlayer(options)


register(coda.GAME, coda_players.PLAYERS, outside={"search": _search})
register(coda.OFFICIAL, coda_players.PLAYERS, outside={"search": _search})
