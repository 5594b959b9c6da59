"""One Play Poker as a game of cardgym."""

from __future__ import annotations

from cardgym.engine.contract import Game, Metric, Observation, Rules, StateIndex, Words
from cardgym.games.one_play_poker import observations, rules, state_index, text
from cardgym.games.one_play_poker.doc import DOC
from cardgym.games.one_play_poker.players import PLAYERS

GAME = Game(
    id="OnePlayPoker-v0",
    doc=DOC,
    state=rules.STATE,
    options=rules.OnePlayPokerOptions,
    num_actions=rules.NUM_ACTIONS,
    rules=Rules.of(rules),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "paper": Observation(observations.observe_paper, observations.paper_features, state_index.num_info_states),
    },
    words=Words.of(text),
    state_index=StateIndex.of(state_index),
    players=PLAYERS,
    metrics={"net_profit_per_game": Metric(rules.net_profit), "bets_per_game": Metric(rules.bets_made)},
    payoff="net_profit_per_game",
    unit="credits",
)
