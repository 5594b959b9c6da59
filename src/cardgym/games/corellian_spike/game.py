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
    tabular_observations,
    text,
)
from cardgym.games.corellian_spike.belief import belief_features
from cardgym.games.corellian_spike.buckets import buckets_features
from cardgym.games.corellian_spike.observations import full_features
from cardgym.games.corellian_spike.players import PLAYERS
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.games.corellian_spike.tabular_observations import cards_features, spikes_features

_TEMPLATE = """Corellian Spike, the Sabacc of the films, for 2 to 8 players.

## Description
62 cards without suits: two 0s and three of each of -10 .. -1 and 1 .. 10. Every hand each player puts 2 credits into
the pool and holds two cards in hand and, after the first betting, a third face up, the spike. In three rounds a player
may buy a card and put it in the place of one held; then there is betting; then two dice are rolled, and on doubles
everyone's hand cards are drawn anew (on double ones the spikes too). At the end the sum nearest to 0 takes the pool:
of equal ones a sum >= 0, then the highest sum of positive cards, then the highest positive card, then the lot. When
all others have folded the last player takes the pool. Discards lie face up; a used-up draw pile takes them back in.

## Action Space
`Discrete(9)`, the paper's numbers. Betting: 0 raise, 1 match, 2 fold. Buying: 3 buy, 4 don't buy. Placing a bought
card: 5 discard it, 6 swap it with the spike, 7 with the lower hand card, 8 with the higher hand card.
`info["action_mask"]` says what is legal: match and fold always when betting; a raise with the credits for it (2 when
betting is flat; what is owed and 2 when it is matched); buying with 2 credits.

## Observation Space
`obs="full"`, a `Box` of 45 float32 and 8 for each opponent: all that a careful player at the table knows. For two
players:

```
{full}
```

The last eight rows stand once for each opponent, in the order of play. With `cheat` two more follow: `cheats`, 1 at the
seat that cheats, and `sleeve`, its fourth card / 10.

`obs="belief"` adds a belief about each opponent's hand by Bayes' rule, from the cards seen, its bets, purchases and
discards: 37 float32 for each, after all those of `full`. Against one opponent it is the exact posterior under a fixed
model of how likely each action is with each sum; against more it takes the hidden cards of the others for unseen ones
like any other, whatever those have bet. For two players these follow:

```
{belief}
```

`obs="paper"` is the paper's state: `Discrete(231041)` for two players, `Discrete(339341)` for three,
`Discrete(361001)` for four or more; 0 is the end.
`info["info_state_key"]` is the paper's 8-digit code in both: round (0-3), decision (1-3), the sum of the cards held cut
to -9 .. 9 and raised by 10 (two digits), the bought card raised by 10 (two digits, 00 for none and for a -10), tens of
credits and tens in the pool (rounded half to even, at most 9). The paper enumerates codes whose last two digits sum to
at most 5 x players; a code beyond, which other starting credits can reach, has the index of the code with its pool
digit lowered until it is inside.

Two more are for tabular learners, whole numbers as floats: `obs="cards"`, which knows the three cards where the code
knows their sum,

```
{cards}
```

and `obs="spikes"`, the code's digits with the opponents' spikes (one more row for each further opponent):

```
{spikes}
```

`obs="buckets"` is an abstraction for solvers (`solve --by mccfr`), some 31,000 different situations for two
players: how good the own hand is, what the rival has shown, and the pool against the stacks. The rival is the opponent
still in with the most raises, of equals the next in turn:

```
{buckets}
```

`hand` has 12 buckets: sums of 0 whose positive cards sum to 10 or more, to 7 or more, to less; sums of 1, of -1, of 2,
of -2; sizes of 3, of 4, of 5 and 6, of 7 to 9, and beyond. Named hands count by their sums.

## Starting State
The first hand: antes paid and two cards dealt to each, at the seat's first decision. A game in which the seat would
have nothing to decide (all others folded before its turn, in every hand) is passed over.

## Rewards
`reward="credits"`: a raise or match minus what it paid (a raise 2, and what was owed where betting is matched); a
bought card -2; winning a hand plus the pool. The ante is not charged, so a game's return is the credits won plus 2 for
each hand. `reward="weighted"`: a raise or match costs (1 + |sum|) times as much, a bought card -2 (1 + 3/4 m) with m
the smallest |sum| of three of the four cards, and winning pays 31 times the pool. An illegal action (with
`illegal_action="penalize"`) ends the game at minus the seat's credits and the pool.

## Episode End
After `hands` hands, or the first hand after which a player has no credits. An illegal action ends it too. There is no
truncation.

## Information
`action_mask`, `info_state_key`.

## Arguments
- `num_players`: 2 (default) to 8.
- `hands`: the most hands a game has, 10 by default.
- `credits`: what each player starts with, 50 by default; an even number.
- `betting`: `flat` (default; a raise sets what the others must match to 2, a re-raise costs its player 2, no more) or
  `matched` (as in poker: a raise adds 2 to what each must have put in). There are no side pots; players without credits
  stay in, are passed over in the betting and can win the whole pool.
- `reward`: `credits` (default) or `weighted`, the paper's two models.
- `special_hands`: `no` (default) or `yes`: named hands beat all others at the showdown, in this order: Idiot's Array (0
  with 2 and 3, or with -2 and -3), Pure Sabacc (both 0s), Full Sabacc (0, 10, -10), Yee-Haa (0 with a number and its
  negative). Two of one name are compared as other hands are.
- `cheat`: `no` (default) or a seat, which is dealt a secret fourth card after the hands. It keeps that card through all
  redraws, and before the showdown may swap one of its hand cards for it (actions 5 keep, 7, 8), unseen.
- `opponent`, `seat`, `obs`, `obs_mode`, `illegal_action`, `render_mode`: as for every game.

## References
Torres, Nee and Cortinovis, "How to not lose your starship: Strategy Optimization for Corellian Spike", Stanford
AA 228, 2023. Its section 6 asks for special hands and for a secret fourth card. The names and the order of the special
hands are those of three cards in the "Corellian Spike" rules of Black Spire Outpost (Lucasfilm, 2019), with the Idiot's
Array of the older game ("Crisis on Cloud City", West End Games, 1989) above them as there.

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
        "cards": Observation(tabular_observations.observe_cards, tabular_observations.cards_features),
        "spikes": Observation(tabular_observations.observe_spikes, tabular_observations.spikes_features),
        "buckets": Observation(buckets.observe_buckets, buckets.buckets_features),
    },
    words=Words.of(text),
    state_index=StateIndex.of(state_index),
    players=PLAYERS,
    opponent="heuristic",
    metrics={"credits_per_game": Metric(rules.credits_gained), "bust_games": Metric(rules.bust, counts=True)},
    payoff="credits_per_game",
    unit="credits",
)
