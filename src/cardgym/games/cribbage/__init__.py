"""Cribbage."""

from cardgym.engine.registry import Command, GamePackage

PACKAGE = GamePackage(
    name="cribbage",
    games={
        "Cribbage-v0": "cardgym.games.cribbage.game:GAME",
        "CribbageDeal-v0": "cardgym.games.cribbage.game:DEAL_GAME",
        "CribbageMini-v0": "cardgym.games.cribbage.game:MINI_GAME",
    },
    loaders={"cardgym-experts-1": "papers/cribbage/cribbage_expert_player.py:load_player"},
    commands={
        "cribbage-stats": Command(
            "papers/cribbage/cribbage_stats.py", "count the exact statistics of every hand of cribbage"
        ),
        "cribbage-chances": Command(
            "papers/cribbage/cribbage_chances.py",
            "compute the chance to win at cribbage by score, dealer and phase",
        ),
        "pegging": Command("papers/cribbage/cribbage_pegging.py", "solve the play of the cards at cribbage by CFR+"),
        "experts": Command("papers/cribbage/cribbage_experts.py", "train weighted experts at cribbage", trains=True),
    },
    positions="cardgym.games.cribbage.advice",
    table="cardgym.games.cribbage.view:TABLE",
)
