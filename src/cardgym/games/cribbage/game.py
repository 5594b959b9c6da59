"""Cribbage as three games, the whole game, one deal of it and a small deal, with their documentation."""

from __future__ import annotations

import dataclasses

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
    rules=Rules.of(
        rules, resample=observations.resample, canonical=observations.canonical, invariants=state.invariants
    ),
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

_ONE_DEAL: dict[str, int | str] = {"deals": 1, "reward": "points"}

DEAL_GAME = GAME.variant("CribbageDeal-v0", DEAL_DOC, **_ONE_DEAL)

MINI_DOC = """One deal of cribbage with eight cards, small enough to be solved exactly.

## Description
The rules of `Cribbage-v0` with the 6, 9, 10 and jack of clubs and diamonds, for the net points of one deal. Seat 1
deals, without a cut. Each player is dealt three cards, keeps two and discards one into the crib. A flush is two cards
of one suit, 2 points, and 3 with the starter, which the crib's flush needs. All else scores as ever: heels, nobs,
fifteens, pairs, runs, counts of 15 and 31, the go and the last card. The game has 5,714,081 histories, and 31,192
situations in which a seat can find itself: `cardgym exploit` and `cardgym solve` are exact.

## Action Space
`Discrete(67)`, as in `Cribbage-v0`, of which 11 are used: cards 5, 8, 9, 10 and 18, 21, 22, 23; 52 .. 54 discard one of
the three cards sorted by rank, then suit.

## Rewards
The points scored minus the opponent's, at every transition. With `reward="win"`, 1 to the winner and -1 to the loser at
the end, 0 to both if they are level.

## Arguments
`target` (1 .. 1000, default 121), `deals` (0 .. 1000, default 1; 0: as many as it takes), `reward` ("points", the
default here, or "win").

## References
American Cribbage Congress, rules of play.

## Version History
v0: first version.
"""

MINI_GAME = dataclasses.replace(
    GAME,
    id="CribbageMini-v0",
    doc=MINI_DOC,
    options=state.CribbageMiniOptions,
    observations={name: GAME.observations[name] for name in ("full", "plain")},
    players=PLAYERS,
    defaults=_ONE_DEAL,
)
