"""Corellian Spike, the Sabacc of the films."""

from cardgym.engine.registry import Command, GamePackage

PACKAGE = GamePackage(
    name="corellian_spike",
    games={
        "CorellianSpike-v0": "cardgym.games.corellian_spike.game:GAME",
        "SpikeMini-v0": "cardgym.games.corellian_spike.game:MINI",
    },
    commands={
        "batch-q": Command(
            "papers/corellian_spike/spike_batch_q.py",
            "train the Corellian Spike paper's batch Q-learning",
            trains=True,
        ),
    },
    table="cardgym.games.corellian_spike.view:TABLE",
)
