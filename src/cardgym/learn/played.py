"""What a training plays, as a digest: its results and its state are reused only while that is the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardgym.engine.registry import find
from cardgym.files.json_values import digest_of
from cardgym.learn.opponents import SELF, SNAPSHOT, OpponentPool
from cardgym.players.identity import game_digest, player_digest


def played(values: Mapping[str, Any]) -> str:
    """Return a digest of a config's game and options, and of all players that it names.

    Args:
        values: the config's values by key, of any training script.
    """
    game = find(values["env_id"])
    options = game.parse_options(values.get("env_options"))
    pool = OpponentPool.parse(values.get("opponents") or ["random"], values.get("total_steps", 1))
    named = [*pool.specs, *values.get("eval_opponents", ())]
    named += [*values.get("players", ()), values.get("teacher"), values.get("init_from")]
    players = sorted({name for name in named if name and name not in (SELF, SNAPSHOT)})
    return digest_of([game_digest(game, options), [player_digest(name, game, options) for name in players]])
