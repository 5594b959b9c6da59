"""Games as environments of Gymnasium (single, vector) and PettingZoo (AEC)."""

from cardgym.envs.core import OBS_MODES, EnvArguments, EnvCore, MaskedObservation, Opponents

__all__ = ["OBS_MODES", "EnvArguments", "EnvCore", "MaskedObservation", "Opponents"]
