"""One Play Poker: its documentation, and the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import (
    CompiledPolicy,
    Game,
    Generator,
    Metric,
    Observation,
    Rules,
    State,
    StateIndex,
    Words,
    feature_table,
    rule,
)
from cardgym.games.one_play_poker import observations, rules, text
from cardgym.games.one_play_poker.observations import full_features, num_info_states
from cardgym.games.one_play_poker.rules import BET, NUM_SUITS, PASS, WIN, OnePlayPokerOptions, is_flush, is_pair, result

_KING = 2


@rule
def handcrafted(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """The paper's handcrafted policy (section 4, "Playing the game").

    With one card out, bet on a king or an ace; with two, on a card higher than the house's; with three, on a pair or a
    flush; with four, for which the paper gives no rule, on the winning hand.
    """
    low = int(state.player[0])
    if state.dealt == 1:
        bet = low // NUM_SUITS >= _KING
    elif state.dealt == 2:
        bet = low // NUM_SUITS > int(state.house[0]) // NUM_SUITS
    elif state.dealt == 3:
        high = int(state.player[1])
        bet = is_pair(low, high) or is_flush(low, high)
    else:
        bet = result(state) == WIN
    return BET if bet else PASS


@rule
def always(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    return BET


@rule
def never(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    return PASS


PLAYERS: dict[str, CompiledPolicy] = {
    "handcrafted": handcrafted,
    "always": always,
    "never": never,
}


_THREE, _FOUR = (num_info_states(OnePlayPokerOptions(decisions=decisions)) for decisions in (3, 4))

if TYPE_CHECKING:
    from cardgym.players import TablePlayer

DOC = f"""One Play Poker: one player against a house that duplicates every bet.

## Description
Player and house each put an ante of 1 into the pot. From a deck of sixteen cards (jack, queen, king and ace in four
suits) they get two cards each, face up: first the player, then the house, then the player, then the house. After a card
the player may bet 1, and the house always does the same. The better hand takes the pot; equal hands split it. A hand is
a flush (two cards of one suit), a pair, or a high card; ties are decided by the higher card, then by the other. Suits
do not break ties.

## Action Space
`Discrete(2)`: 0 don't bet, 1 bet. Both are always legal.

## Observation Space
`obs="full"`, a `Box` of 41 float32:

```
{feature_table(full_features(OnePlayPokerOptions()))}
```

A hand of one card has its `low` card only.

`obs="paper"`, the index of the paper's state (player, house, pot): `Discrete({_THREE})`, or `Discrete({_FOUR})` with
four decisions; 0 is the end. `info["info_state_key"]` has nine digits: bets, the player's cards, the house's cards, two
digits for each card from 01 (jack of spades) to 16 (ace of diamonds).

## Starting State
The player's first card.

## Rewards
A bet costs 1 immediately. The last step also pays the whole pot for a win, half of it for a draw, nothing for a loss.
The pot is 2 + 2 x bets. The ante is not part of the return: net profit is the return - 1.

## Episode End
After the last decision and the last card. An illegal action ends the game and loses the pot.

## Information
`action_mask`, `info_state_key`.

## Arguments
- `decisions`: 3 (default), after each of the first three cards, or 4, after every card. The paper's prose says every
  card; its transition and reward models and its handcrafted policy imply three.
- `ranking`: `flush_first` (default), the paper's order, or `pair_first`.

## References
Bastiaan and Krabben, "One Play Poker", Decision Making in Intelligent Systems, assignment 1.

## Version History
- v0: first version.
"""


def optimal(options: rules.OnePlayPokerOptions) -> TablePlayer:
    """The policy with the highest expected undiscounted return."""
    from cardgym.players import TablePlayer
    from cardgym.solvers.solve import optimal_table

    return TablePlayer("optimal", optimal_table(GAME, options))


GAME = Game(
    id="OnePlayPoker-v0",
    doc=DOC,
    state=rules.STATE,
    options=rules.OnePlayPokerOptions,
    num_actions=rules.NUM_ACTIONS,
    rules=Rules.of(rules),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "paper": Observation(observations.observe_paper, observations.paper_features, observations.num_info_states),
    },
    words=Words.of(text),
    state_index=StateIndex.of(observations),
    players={**PLAYERS, "optimal": f"{__name__}:optimal"},
    metrics={"net_profit_per_game": Metric(rules.net_profit), "bets_per_game": Metric(rules.bets_made)},
    payoff="net_profit_per_game",
    unit="credits",
)
