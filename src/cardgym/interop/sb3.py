"""Stable-Baselines3 and sb3-contrib: a vec env, DQN with action masks, models as players, and evaluations.

docs/interop/stable_baselines3.md shows how they are used. The extra `sb3` installs both libraries.
"""

from cardgym.errors import missing

try:
    import sb3_contrib as _sb3_contrib
    import stable_baselines3 as _stable_baselines3
except ModuleNotFoundError as error:
    raise missing("cardgym.interop.sb3", error) from None

from cardgym.interop.sb3_callbacks import ArenaCallback, SelfPlayCallback
from cardgym.interop.sb3_dqn import MaskableDQN
from cardgym.interop.sb3_player import ModelPlayer, load_player
from cardgym.interop.sb3_vec_env import CardVecEnv

del _sb3_contrib, _stable_baselines3
__all__ = ["ArenaCallback", "CardVecEnv", "MaskableDQN", "ModelPlayer", "SelfPlayCallback", "load_player"]
