"""cardgym: Gymnasium environments for card games without a published strategy, and agents that learn them.

Importing it registers its games, so that `gymnasium.make("CorellianSpike-v0")` finds them.
"""

from cardgym.errors import CardgymError, IllegalActionError
from cardgym.games import corellian_spike
from cardgym.players import corellian_spike as corellian_spike_players
from cardgym.registry import find, register, registered

__all__ = ["CardgymError", "IllegalActionError", "find", "register", "registered"]
__version__ = "0.1.0"

register(corellian_spike.GAME, corellian_spike_players.PLAYERS, corellian_spike_players.TABLES)
