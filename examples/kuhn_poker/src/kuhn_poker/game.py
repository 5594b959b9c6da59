"""Kuhn poker as a game of cardgym."""

from __future__ import annotations

from cardgym.engine.contract import Game, Observation, Rules, StateIndex, Words, feature_table
from kuhn_poker import observations, rules, text
from kuhn_poker.players import PLAYERS

DOC = f"""Kuhn poker: three cards, two players, one bet.

## Description
Each player pays the ante and is dealt one of three cards, jack, queen and king. In turn a player checks or bets 1;
after a bet the other folds or calls. The higher card takes the pot unless somebody folded.

## Action Space
`Discrete(2)`: 0 pass (check or fold), 1 bet (bet or call). Both are always legal.

## Observation Space
`obs="full"`, a `Box` of 7 float32:

```
{feature_table(observations.features(rules.KuhnOptions()))}
```

`info["info_state_key"]` is the information set: the card and the actions played.

## Starting State
A card each.

## Rewards
At the end the winner is paid what the loser put in, the ante included, and the loser pays it.

## Episode End
After a fold, a call, or two checks. An illegal action forfeits what was put in.

## Information
`action_mask`, `info_state_key`.

## Arguments
- `ante`: `one` (default) or `two`.

## References
H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1 (1950), 97-103.

## Version History
- v0: first version.
"""

GAME = Game(
    id="KuhnPoker-v0",
    doc=DOC,
    state=rules.STATE,
    options=rules.KuhnOptions,
    num_actions=rules.NUM_ACTIONS,
    rules=Rules.of(rules),
    observations={"full": Observation(observations.observe, observations.features)},
    words=Words.of(text),
    state_index=StateIndex.of(observations),
    players=PLAYERS,
    opponent="honest",
    unit="chips",
)
