"""One Play Poker as a game of cardgym."""

from __future__ import annotations

from cardgym.engine.contract import Adviser, Game, Observation, Rules, StateIndex, Words
from cardgym.games.one_play_poker import guide, observations, rules, state_index, text, view
from cardgym.games.one_play_poker.doc import DOC
from cardgym.games.one_play_poker.players import PLAYERS
from cardgym.games.one_play_poker.strength import STRENGTH


def _adviser(options: rules.OnePlayPokerOptions) -> Adviser:
    from cardgym.games.one_play_poker.adviser import adviser

    return adviser(options)


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
    words=Words.of(text, guide, view),
    state_index=StateIndex.of(state_index),
    players=PLAYERS,
    strength=STRENGTH,
    adviser=_adviser,
    metrics={"net_profit_per_game": rules.net_profit, "bets_per_game": rules.bets_made},
    payoff="net_profit_per_game",
    unit="credits",
)
