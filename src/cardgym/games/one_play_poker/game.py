"""One Play Poker as the contract has it."""

from __future__ import annotations

from cardgym.engine.contract import Game, Observation, Rules, StateIndex, Words
from cardgym.games.one_play_poker import observations, rules, text
from cardgym.games.one_play_poker.doc import DOC
from cardgym.games.one_play_poker.players import PLAYERS

GAME = Game(
    id="OnePlayPoker-v0",
    doc=DOC,
    state=rules.STATE,
    options=rules.OnePlayPokerOptions,
    num_actions=rules.NUM_ACTIONS,
    rules=Rules.of(rules, observations, text),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "paper": Observation(observations.observe_paper, observations.paper_features, observations.num_info_states),
    },
    words=Words.of(text),
    state_index=StateIndex.of(observations, text),
    players=PLAYERS,
    metrics={"net_profit_per_game": rules.net_profit, "bets_per_game": rules.bets_made},
)
