"""The reference pages of Cribbage-v0 and CribbageDeal-v0, under Gymnasium's headings."""

from __future__ import annotations

from cardgym.engine.contract import feature_table
from cardgym.games.cribbage.observations import features, plain_features
from cardgym.games.cribbage.rated_observation import features as rated_features
from cardgym.games.cribbage.state import CribbageOptions

DOC = f"""Cribbage for two players: six cards, two of them to the crib, the play to 31, the show, first to 121.

## Description
The lower cut deals; the deal then alternates. Each player is dealt six cards and discards two into the dealer's crib;
neither sees what the other discards. A card is turned up, the starter; a jack gives the dealer 2. The players then play
their four cards in turn, scoring for counts of 15 and 31, pairs, runs, a go and the last card. Finally the pone (the
player who does not deal), the dealer and the dealer's crib score for fifteens, pairs, runs, flush and nobs, each with
the starter. The game ends the moment a player reaches the target, inside any of these.

## Action Space
`Discrete(67)`. 0 .. 51 play the card 13 x suit + rank (suits clubs, diamonds, hearts, spades; ranks ace to king). 52 ..
66 discard two of the six cards sorted by rank, then suit: places (0, 1), (0, 2), .. (4, 5). A player who cannot play
says go automatically; there is no action for it.

## Observation Space
`Box`, float32, `obs="full"`:

{feature_table(features(CribbageOptions()))}

`obs="plain"`, the same knowledge as integers, with the order of the cards played:

{feature_table(plain_features(CribbageOptions()))}

`obs="rated"`, for networks: the cards by ranks, and how `expert` values each discard and card:

{feature_table(rated_features(CribbageOptions()))}

## Starting State
No points. Both players cut for the deal, again if the ranks are equal, and are dealt six cards each.

## Rewards
`reward="win"`: 1 to the winner and -1 to the loser at the end, 0 to both if they are level.
`reward="points"`: the points scored minus the opponent's, at every transition. An illegal action (with
`illegal_action="penalize"`) costs 1, or all the points that the opponent still needs.

## Episode End
A player reaches `target`, or `deals` deals (if not 0) have been played. The peg stops in the last hole.

## Information
`info["action_mask"]`, int8 of 67.

## Arguments
`target` (1 .. 1000, default 121), `deals` (0 .. 1000, default 0: as many as it takes), `reward` ("win" or "points").

## References
American Cribbage Congress, rules of play. S. R. Lang, "Machine Learning Strategies in Cribbage", Helsinki 2017.

## Version History
v0: first version.
"""

DEAL_DOC = DOC.replace(
    "Cribbage for two players: six cards,", "One deal of cribbage, for the net points. Six cards,", 1
).replace(
    '`deals` (0 .. 1000, default 0: as many as it takes), `reward` ("win" or "points")',
    ('`deals` (0 .. 1000, default 1; 0: as many as it takes), `reward` ("points", the default here, or "win")'),
    1,
)
