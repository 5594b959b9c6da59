"""The documentation of OnePlayPoker-v0, under Gymnasium's headings."""

DOC = """One Play Poker: one player against a house that duplicates every bet.

## Description
From a deck of sixteen cards (jack, queen, king and ace in four suits) the player, the house, the player and the house
get a card each, all face up. Player and house have put an ante of 1 into the pot. After a card the player bets 1 or
not, and the house always does the same. The better hand of two cards takes the pot; equal hands split it. A hand is a
flush (two of one suit), a pair, or a high card; then the high card decides, then the other. Suits break no tie.

## Action Space
`Discrete(2)`: 0 don't bet, 1 bet. Both are always legal.

## Observation Space
`obs="full"`, a `Box` of 41 float32:

```
0..3      cards_out             [0, 1]  one-hot: 1, 2, 3, 4 cards out
4         bets                  [0, 1]  bets made / 4; the pot is 2 + 2 x bets
5         own_paired            [0, 1]  1 if the own two cards are of one rank
6         own_suited            [0, 1]  1 if the own two cards are of one suit
7         house_paired          [0, 1]  1 if the house's two cards are of one rank
8         house_suited          [0, 1]  1 if the house's two cards are of one suit
9..12     own_low_rank          [0, 1]  one-hot: J, Q, K, A; all 0 if not dealt
13..16    own_low_suit          [0, 1]  one-hot: spades, hearts, clubs, diamonds
17..20    own_high_rank         [0, 1]  one-hot: J, Q, K, A; all 0 if not dealt
21..24    own_high_suit         [0, 1]  one-hot: spades, hearts, clubs, diamonds
25..28    house_low_rank        [0, 1]  one-hot: J, Q, K, A; all 0 if not dealt
29..32    house_low_suit        [0, 1]  one-hot: spades, hearts, clubs, diamonds
33..36    house_high_rank       [0, 1]  one-hot: J, Q, K, A; all 0 if not dealt
37..40    house_high_suit       [0, 1]  one-hot: spades, hearts, clubs, diamonds
```

A hand of one card has its `low` card only. `obs="paper"`, the paper's state (player, house, pot): `Discrete(5537)`, or
`Discrete(49217)` with four decisions; 0 is the end. `info["state_code"]` has nine digits in both: bets, the own cards,
the house's cards, two digits each from 01 (jack of spades) to 16 (ace of diamonds).

## Starting State
The player's first card.

## Rewards
Minus the bet at once; the step into the end also pays the whole pot for a win, half of it for a draw, nothing for a
loss. The pot is 2 + 2 x bets. The ante is sunk: net profit is the return - 1.

## Episode End
After the last decision and the last card. An illegal action ends the game with the pot lost.

## Information
`action_mask`, `state_code`.

## Arguments
- `decisions`: 3 (default), after each of the first three cards, or 4, after every card. The paper's prose says every
  card; its transition and reward models and its handcrafted policy imply three.
- `ranking`: `flush_first` (default), the paper's order, or `pair_first`.

## References
Bastiaan and Krabben, "One Play Poker", Decision Making in Intelligent Systems, assignment 1, University of Amsterdam.

## Version History
- v0: first version.
"""
