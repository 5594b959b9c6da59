"""Leduc poker as a game of cardgym."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardgym.engine.contract import Game, Observation, Options, Rules, StateIndex, Words, feature_table
from leduc_poker import observations, rules, text
from leduc_poker.players import PLAYERS

if TYPE_CHECKING:
    from cardgym.table.presentation import Presentation

DOC = f"""Leduc poker: six cards, two players, two rounds of betting.

## Description
Each player pays an ante of 1 and is dealt one of six cards: two jacks, two queens, two kings. A round of betting
follows, then a public card, then a second round. A raise is 2 in the first round and 4 in the second, with at most two
raises a round. At the showdown a pair with the public card wins, otherwise the higher card; equal ranks split the pot.

## Action Space
`Discrete(3)`: 0 fold (only what was raised), 1 call or check, 2 raise (at most twice a round).

## Observation Space
`obs="full"`, a `Box` of {observations.SIZE} float32:

```
{feature_table(observations.features(Options()))}
```

`info["info_state_key"]` is the information set: the ranks of the own and the public card, and all actions.

## Starting State
A card each, before the first round.

## Rewards
At the end the winner is paid what the loser put in, and the loser pays it; nothing for a split pot.

## Episode End
After a fold, or the showdown. An illegal action forfeits what was put in.

## Information
`action_mask`, `info_state_key`.

## Arguments
None.

## References
Southey et al., "Bayes' bluff: opponent modeling in poker", UAI 2005.

## Version History
- v0: first version.
"""


def _table() -> Presentation:
    from leduc_poker.view import TABLE

    return TABLE


GAME = Game(
    id="LeducPoker-v0",
    doc=DOC,
    state=rules.STATE,
    num_actions=rules.NUM_ACTIONS,
    rules=Rules.of(rules),
    observations={"full": Observation(observations.observe, observations.features)},
    words=Words.of(text, neutral=text.NEUTRAL),
    state_index=StateIndex.of(observations),
    players=PLAYERS,
    table=_table,
    opponent="honest",
    unit="chips",
)
