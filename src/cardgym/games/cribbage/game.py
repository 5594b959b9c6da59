"""Cribbage as two games, the whole game and one deal of it, with their documentation."""

from __future__ import annotations

from cardgym.engine.contract import Game, Observation, Rules, Words, feature_table
from cardgym.games.cribbage import observations, rated_observation, rules, state, text
from cardgym.games.cribbage.players import PLAYERS
from cardgym.games.cribbage.rules import METRICS

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

{feature_table(observations.features(state.CribbageOptions()))}

`obs="plain"`, the same knowledge as integers, with the order of the cards played:

{feature_table(observations.plain_features(state.CribbageOptions()))}

`obs="rated"`, for networks: the cards by ranks, and how `expert` values each discard and card:

{feature_table(rated_observation.features(state.CribbageOptions()))}

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

GAME = Game(
    id="Cribbage-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CribbageOptions,
    num_actions=state.NUM_ACTIONS,
    rules=Rules.of(rules, resample=observations.resample, invariants=state.invariants),
    observations={
        "full": Observation(observations.observe, observations.features),
        "plain": Observation(observations.observe_plain, observations.plain_features),
        "rated": Observation(rated_observation.observe_rated, rated_observation.features),
    },
    words=Words.of(text),
    players={
        **PLAYERS,
        "equilibrium": "cardgym.games.cribbage.pegging.player:make_player",
        "champion": "cardgym.games.cribbage.pegging.champion:make_player",
    },
    opponent="expert",
    metrics=METRICS,
)

DEAL_GAME = GAME.variant("CribbageDeal-v0", DEAL_DOC, deals=1, reward="points")
