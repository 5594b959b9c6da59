"""Corellian Spike: its documentation, and the game."""

from __future__ import annotations

from cardgym.engine.contract import Game, Metric, Observation, Rules, StateIndex, Words, feature_table
from cardgym.games.corellian_spike import (
    belief,
    buckets,
    observations,
    rules,
    state,
    state_index,
    text,
)
from cardgym.games.corellian_spike.belief import belief_features
from cardgym.games.corellian_spike.buckets import buckets_features
from cardgym.games.corellian_spike.observations import full_features
from cardgym.games.corellian_spike.players import PLAYERS
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.games.corellian_spike.state_index import cards_features, spikes_features

_TEMPLATE = """Corellian Spike, the Sabacc of the films, for 2 to 8 players.

## Description
62 cards without suits: two 0s and three of each of -10 .. -1 and 1 .. 10. In each hand, every player puts 2
credits into the pool and gets two cards; after the first betting phase each also gets a third card face up, the spike.
Three rounds follow. In each, players may buy a card and replace one of theirs with it, then they bet, then two dice are
rolled. Doubles redraw everyone's hand cards; double ones redraw the spikes too. At the end the sum nearest to 0 takes
the pool. Ties go to a sum >= 0, then to the highest sum of positive cards, then to the highest positive card, then to a
random draw. If all others fold, the last player takes the pool. Discards lie face up; when the draw pile is empty, they
become the draw pile.

## Action Space
`Discrete(9)`, the paper's numbers. Betting: 0 raise, 1 match, 2 fold. Buying: 3 buy, 4 don't buy. Placing a bought
card: 5 discard it, 6 swap it with the spike, 7 with the lower hand card, 8 with the higher hand card.
`info["action_mask"]` gives the legal actions. When betting, match and fold are always legal, and a raise is legal for a
seat that can afford it: 2 credits with flat betting, the amount owed plus 2 with matched betting. A card costs 2.

## Observation Space
`obs="full"`, a `Box` of 45 float32 plus 8 for each opponent: everything that a careful player at the table knows. For
two players:

```
{full}
```

The last eight rows repeat for each opponent, in order of play. With `cheat` two more follow: `cheats`, 1 for the
cheating seat, and `sleeve`, its fourth card / 10.

`obs="belief"` adds a belief about each opponent's hand by Bayes' rule, from the cards seen and the opponent's bets,
purchases and discards: 37 float32 for each opponent, after those of `full`. Against one opponent it is the exact
posterior under a fixed model of how likely each action is with each sum. Against several, each belief treats the other
opponents' hidden cards as ordinary unseen cards and ignores their bets. For two players it adds:

```
{belief}
```

`obs="paper"` is the paper's state: `Discrete(231041)` for two players, `Discrete(339341)` for three,
`Discrete(361001)` for four or more; 0 is the end.
`info["info_state_key"]` is the paper's 8-digit code with every observation: round (0-3), decision (1-3), the sum of the
cards held, clipped to -9 .. 9, plus 10 (two digits), the bought card plus 10 (two digits; 00 for none and for a -10),
tens of credits and tens in the pool (rounded half to even, at most 9). The paper enumerates codes whose last two digits
sum to at most 5 x players. Other starting credits can lead beyond that; the pool digit is then lowered until the code
is in range.

Two more observations are for tabular learners, with whole numbers as floats. `obs="cards"` has the three cards instead
of their sum:

```
{cards}
```

`obs="spikes"` has the code's digits and the opponents' spikes (one more row for each further opponent):

```
{spikes}
```

`obs="buckets"` is an abstraction for solvers (`solve --by mccfr`) with about 31,000 distinct situations for two
players: the strength of the hand, what the rival has shown, and the pool relative to the stacks. The rival is the
opponent still in with the most raises, the next in turn if tied:

```
{buckets}
```

`hand` has 12 buckets: sums of 0 whose positive cards sum to 10 or more, 7 to 9, or less; sums of 1, -1, 2 and -2; and
|sum| 3, 4, 5 to 6, 7 to 9, and 10 or more. Special hands count by their sums.

## Starting State
The seat's first decision in the first hand, after the antes and the deal. Games in which the seat never gets to decide
(all others fold before its turn, in every hand) are skipped.

## Rewards
`reward="net"`: as a hand ends, each seat is paid the credits that it gained in it: the pool for its winner, less what
the seat put in. A game's return is the credits gained, and the returns of all seats sum to 0.

The paper's two models pay as credits move, and leave out the ante. `reward="credits"`: a raise or match costs what it
pays into the pool (2 for a raise, plus the amount owed with matched betting), a bought card costs 2, and the winner is
paid the pool, so a return is the credits gained plus 2 for each hand. `reward="weighted"`: a raise or match costs
(1 + |sum|) times as much, a bought card costs 2 (1 + 3/4 m), where m is the smallest |sum| of three of the four cards,
and winning pays 31 times the pool.

An illegal action (with `illegal_action="penalize"`) ends the game, and the seat's return is minus its starting credits;
under the paper's models the action costs its remaining credits and the pool.
The other seats are paid nothing for it.

## Episode End
After `hands` hands, or as soon as a player has no credits at the end of a hand. An illegal action also ends the game.
Games are never truncated.

## Information
`action_mask`, `info_state_key`.

## Arguments
- `num_players`: 2 (default) to 8.
- `hands`: the maximum number of hands, 10 by default.
- `credits`: starting credits of each player, an even number, 50 by default.
- `betting`: `flat` (default: after a raise the others must pay 2, and a re-raise costs 2 as well) or `matched` (as in
  poker: a raise adds 2 to what everyone must have put in). There are no side pots: players without credits stay in, do
  not bet, and can win the whole pool.
- `reward`: `net` (default), the credits gained; `credits` or `weighted`, the paper's two models.
- `special_hands`: `no` (default) or `yes`: these beat all others at the showdown, in this order: Idiot's Array (0
  with 2 and 3, or with -2 and -3), Pure Sabacc (both 0s), Full Sabacc (0, 10, -10), Yee-Haa (0 with a number and its
  negative). Two special hands of the same kind are compared like ordinary hands.
- `cheat`: `no` (default) or the seat that cheats. After the deal it gets a secret fourth card, kept in all redraws.
  Before the showdown it may secretly swap a hand card for it (action 5 keeps the hand, 7 and 8 swap).
- `values` (10), `copies` (3), `rounds` (3): the highest value of a card, cards of each value (of 0 one less, but at
  least one) and rounds of a hand; smaller games are for study, such as `SpikeMini-v0`.
- `max_raises` (0, no limit): the most raises of a seat in a hand.
- `opponent`, `seat`, `obs`, `obs_mode`, `illegal_action`, `render_mode`: as for every game.

## References
Torres, Nee and Cortinovis, "How to not lose your starship: Strategy Optimization for Corellian Spike", Stanford
AA 228, 2023. Its section 6 suggests special hands and a secret fourth card. The special hands are named after those of
the "Corellian Spike" rules of Black Spire Outpost, where Full Sabacc has two 10s and two -10s, and the Idiot's Array
after the best hand of the older game ("Crisis on Cloud City", West End Games, 1989).

## Version History
- v0: first version.
"""

MINI_DEFAULTS: dict[str, int | str] = {
    "hands": 1,
    "credits": 6,
    "values": 2,
    "copies": 2,
    "rounds": 1,
    "max_raises": 1,
}
"""The options of SpikeMini-v0."""
MINI_DOC = """Corellian Spike in one hand with nine cards, small enough to be solved exactly.

## Description
The rules of `CorellianSpike-v0` with a deck of one 0 and two each of -2, -1, 1 and 2, one hand, one round and 6
credits for each of two players, of which 2 are the ante. There is betting before and after the spikes, each seat raises
at most once, a card may be bought and replace one of the three held, and the dice decide whether all hands are drawn
again. The game has 443 billion histories, and 184,452 situations in which a seat can find itself: `cardgym exploit` and
`cardgym solve` are exact.

## Rewards
The credits gained, paid as the hand ends. The returns of both seats sum to 0.

## References
Torres, Nee and Cortinovis, "How to not lose your starship: Strategy Optimization for Corellian Spike", Stanford
AA 228, 2023.

## Version History
- v0: first version.
"""

_OPTIONS = CorellianSpikeOptions()
DOC = _TEMPLATE.format(
    full=feature_table(full_features(_OPTIONS)),
    belief="\n".join(feature_table(belief_features(_OPTIONS)).splitlines()[len(full_features(_OPTIONS)) :]),
    cards=feature_table(cards_features(_OPTIONS)),
    spikes=feature_table(spikes_features(_OPTIONS)),
    buckets=feature_table(buckets_features(_OPTIONS)),
)


GAME = Game(
    id="CorellianSpike-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CorellianSpikeOptions,
    num_actions=state.NUM_ACTIONS,
    rules=Rules.of(rules, resample=observations.resample, invariants=state.invariants),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "belief": Observation(belief.observe_belief, belief.belief_features),
        "paper": Observation(state_index.observe_paper, state_index.paper_features, state_index.num_info_states),
        "cards": Observation(state_index.observe_cards, state_index.cards_features),
        "spikes": Observation(state_index.observe_spikes, state_index.spikes_features),
        "buckets": Observation(buckets.observe_buckets, buckets.buckets_features),
    },
    words=Words.of(text),
    state_index=StateIndex.of(state_index),
    players=PLAYERS,
    opponent="heuristic",
    metrics={"bust_games": Metric(rules.bust, counts=True)},
    unit="credits",
)

MINI = GAME.variant("SpikeMini-v0", MINI_DOC, **MINI_DEFAULTS)
