"""Kuhn poker: the smallest game of poker, as a game of cardgym. The whole of what a new game needs.

Source: H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1 (1950), 97-103. Three
cards, two players, an ante of 1 and one bet of 1. It has 12 information sets, and is worth -1/18 to the first player.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym import register
from cardgym.engine.contract import Feature, Game, Generator, Observation, Options, Record, choice, rule, uniform

PASS, BET = range(2)  # To pass is to check or to fold, to bet is to bet or to call.
NUM_CARDS = 3  # 0 jack, 1 queen, 2 king.
HIDDEN = -1  # In a place for a card: not dealt yet.
CARD_NAMES = ("jack", "queen", "king")

STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("ante", np.int32),  # The option: 0 `one`, 1 `two`.
        ("cards", np.int32, (2,)),
        ("bets", np.int32, (2,)),  # Put in by each seat, the ante not counted.
        ("moves", np.int32),  # Actions played.
        ("history", np.int32),  # What they were, as binary digits with a leading 1.
        ("winner", np.int32),  # -1 until the end.
        ("reward", np.float32, (2,)),
    ],
    align=True,
)


@dataclass(frozen=True)
class KuhnOptions(Options):
    """The options of Kuhn poker."""

    ante: str = choice("one", "two", help="what each player pays before the deal; Kuhn's is one")


@rule
def setup(state: Record) -> None:
    """No card is dealt, nothing is bet."""
    for seat in range(2):
        state.cards[seat] = HIDDEN
        state.bets[seat] = 0
        state.reward[seat] = 0.0
    state.moves = 0
    state.history = 1
    state.winner = -1


@rule
def num_chance_outcomes(state: Record) -> int:
    """One of three cards for seat 0, then one of the two left for seat 1."""
    if state.cards[0] == HIDDEN:
        return NUM_CARDS
    return NUM_CARDS - 1 if state.cards[1] == HIDDEN else 0


@rule
def current_player(state: Record) -> int:
    """The seats take turns; -1 at the end."""
    return -1 if state.winner >= 0 else int(state.moves % 2)


@rule
def legal_action_mask(state: Record, mask: npt.NDArray[np.int8]) -> None:
    """Both actions, always."""
    mask[PASS] = 1
    mask[BET] = 1


@rule
def apply_action(state: Record, move: int) -> None:
    """Deal a card, or play an action."""
    state.reward[0] = 0.0
    state.reward[1] = 0.0
    if state.cards[0] == HIDDEN:
        state.cards[0] = move
    elif state.cards[1] == HIDDEN:
        state.cards[1] = move if move < state.cards[0] else move + 1
    else:
        _act(state, state.moves % 2, move)


@rule
def _act(state: Record, seat: int, action: int) -> None:
    other = 1 - seat
    state.history = state.history * 2 + action
    state.moves += 1
    if action == BET:
        state.bets[seat] = 1
    if action == PASS and state.bets[other] == 1:
        state.winner = other
    elif state.moves >= 2 and state.bets[0] == state.bets[1]:
        state.winner = 0 if state.cards[0] > state.cards[1] else 1
    if state.winner >= 0:
        loser = 1 - state.winner
        amount = state.ante + 1 + state.bets[loser]
        state.reward[state.winner] = amount
        state.reward[loser] = -amount


@rule
def forfeit(state: Record, seat: int) -> float:
    """Who gives up loses the ante and what was bet."""
    return -float(state.ante + 1 + state.bets[seat])


@rule
def score(state: Record, seat: int) -> float:
    """The pot, by the higher card or because the other passed after a bet."""
    return 1.0 if state.winner == seat else 0.0


@rule
def max_score(state: Record) -> float:
    """One pot."""
    return 1.0


@rule
def info_state_index(state: Record, seat: int) -> int:
    """The information set: card and history, 1 to 12 for whoever is to decide; 0 at the end."""
    if state.winner >= 0:
        return 0
    return int(1 + max(state.cards[seat], 0) * 8 + min(state.history, 7))


def num_info_states(options: KuhnOptions) -> int:
    """Three cards by histories 1 to 7 in binary with a leading 1, and the end; half of them are never decided in."""
    return 1 + NUM_CARDS * 8


# -- what a seat knows ------------------------------------------------------------------------------------------------


def table(options: KuhnOptions) -> tuple[Feature, ...]:
    """The rows of the observation."""
    return (
        Feature("card", "one-hot: own card, jack, queen, king", 3),
        Feature("seat", "own seat"),
        Feature("bets", "own bet, the other's bet", 2),
        Feature("moves", "actions played / 3"),
    )


@rule
def observe(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation; its table is `table`."""
    for place in range(3):
        out[place] = 1.0 if state.cards[seat] == place else 0.0
    out[3] = seat
    out[4] = state.bets[seat]
    out[5] = state.bets[1 - seat]
    out[6] = state.moves / 3.0


@rule
def resample(state: Record, seat: int, generator: Generator) -> None:
    """Deal the other seat one of the two cards that `seat` does not hold."""
    other = 1 - seat
    if state.cards[other] == HIDDEN:
        return
    if state.cards[seat] == HIDDEN:
        state.cards[other] = uniform(generator, NUM_CARDS)
        return
    card = uniform(generator, NUM_CARDS - 1)
    state.cards[other] = card if card < state.cards[seat] else card + 1


# -- words ------------------------------------------------------------------------------------------------------------


def describe(state: Record, seat: int) -> str:
    """The own card and the bets."""
    card = CARD_NAMES[state.cards[seat]] if state.cards[seat] != HIDDEN else "no card yet"
    lines = [f"Your card: {card}", f"Bets: yours {state.bets[seat]}, the other's {state.bets[1 - seat]}"]
    if state.winner >= 0:
        lines.append("You take the pot" if state.winner == seat else "The other takes the pot")
    return "\n".join(lines)


def action_text(state: Record, action: int) -> str:
    """An action in words."""
    facing = state.bets[1 - state.moves % 2] == 1
    if action == BET:
        return "call" if facing else "bet"
    return "fold" if facing else "check"


def narrate(before: Record, move: int, after: Record, seat: int) -> str:
    """What a move looked like: the own card, and what either did."""
    if before.cards[1] == HIDDEN:
        dealt = 0 if before.cards[0] == HIDDEN else 1
        return f"You are dealt the {CARD_NAMES[after.cards[seat]]}" if seat == dealt else ""
    turn = before.moves % 2
    return f"{'You' if turn == seat else 'The other'}: {action_text(before, move)}"


def invariants(state: Record) -> tuple[int, ...]:
    """No seat holds the other's card; nobody has put in more than one bet; rewards sum to nothing."""
    twice = state.cards[0] == state.cards[1] and state.cards[0] != HIDDEN
    return int(twice), int(state.bets.max() > 1), int(state.reward.sum())


@rule
def honest(state: Record, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """The player `honest`: bet the king, pass the jack, and with the queen call but never bet."""
    if state.cards[seat] == 2:
        return BET
    return BET if state.cards[seat] == 1 and state.bets[1 - seat] == 1 else PASS


DOC = """Kuhn poker: three cards, two players, one bet.

## Description
Each player pays the ante and is dealt one of three cards, jack, queen and king. In turn a player checks or bets 1;
after a bet the other folds or calls. The higher card takes the pot unless somebody folded.

## Action Space
`Discrete(2)`: 0 pass (check or fold), 1 bet (bet or call). Both are always legal.

## Observation Space
`obs="full"`, a `Box` of 7 float32:

```
0..2    card                  [0, 1]  one-hot: own card, jack, queen, king
3       seat                  [0, 1]  own seat
4..5    bets                  [0, 1]  own bet, the other's bet
6       moves                 [0, 1]  actions played / 3
```

`info["state_code"]` is the card and the history of play.

## Starting State
A card each.

## Rewards
At the end, the winner is paid what the loser put in, the ante included, and the loser pays it.

## Episode End
After a fold, a call, or two checks. An illegal action loses what was put in.

## Information
`action_mask`, `state_code`.

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
    state=STATE,
    options=KuhnOptions,
    num_actions=2,
    observations={"full": Observation(observe, table)},
    setup=setup,
    outcomes=outcomes,
    current_player=current_player,
    legal=legal,
    apply=apply,
    describe=describe,
    action_text=action_text,
    resample=resample,
    won=won,
    contests=contests,
    conserved=conserved,
    narrate=narrate,
    code=index,
    index=index,
    num_info_states=num_info_states,
    forfeit=forfeit,
    players={"honest": honest},
)

register(GAME)
