"""cardgym: Gymnasium environments for four card games, and agents that learn to play them.

Importing it registers all installed games, so that `gymnasium.make("Name-v0")` finds them; a game is loaded when it is
first used.
"""

from cardgym.engine.registry import GamePackage, discover, find, packages, register, register_package, registered
from cardgym.errors import CardgymError, IllegalActionError

__all__ = [
    "CardgymError",
    "GamePackage",
    "IllegalActionError",
    "find",
    "packages",
    "register",
    "register_package",
    "registered",
]
__version__ = "0.1.0"

discover()
