"""Kuhn poker: three cards, two players, one bet.

Each player antes 1 and is dealt one of three cards, jack, queen and king. In turn a player checks or bets 1; after a
bet the other folds or calls. The higher card takes the pot unless somebody folded.

## Rewards
At the end the winner is paid what the loser put in, the ante included, and the loser pays it.

## References
H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1 (1950), 97-103.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym import register
from cardgym.engine.contract import (
    YOU,
    Feature,
    Game,
    Generator,
    Names,
    Observation,
    Options,
    Rules,
    State,
    StateIndex,
    Words,
    inside,
    rule,
    uniform,
)
from cardgym.table.drawings.playing_cards import pack
from cardgym.table.presentation import Lesson, Presentation
from cardgym.table.views import Item, Reveal, View, reveal

# -- the rules --------------------------------------------------------------------------------------------------------

PASS, BET = range(2)  # To pass is to check or to fold; to bet is to bet or to call.
JACK, QUEEN, KING = range(3)
HIDDEN = -1  # A card that is not dealt yet.

STATE = np.dtype(
    [
        ("num_players", np.int32),
        ("cards", np.int32, (2,)),
        ("bets", np.int32, (2,)),  # What each seat has put in besides the ante.
        ("moves", np.int32),  # Actions played so far.
        ("paid", np.float32, (2,)),  # What the last move paid each seat.
    ],
    align=True,
)


@rule
def setup(state: State) -> None:
    for seat in range(2):
        state.cards[seat] = HIDDEN
        state.bets[seat] = 0
    state.moves = 0


@rule
def num_chance_outcomes(state: State) -> int:
    """Three cards for seat 0, then the two that are left for seat 1."""
    if state.cards[0] == HIDDEN:
        return 3
    return 2 if state.cards[1] == HIDDEN else 0


@rule
def current_player(state: State) -> int:
    """Two actions end the game, unless seat 0 has to answer a bet of seat 1."""
    is_over = state.moves - (state.bets[1] > state.bets[0]) >= 2
    return -1 if is_over else int(state.moves % 2)


@rule
def apply_action(state: State, move: int) -> None:
    """Deal a card, or play an action."""
    if state.cards[0] == HIDDEN:
        state.cards[0] = move
    elif state.cards[1] == HIDDEN:
        state.cards[1] = move if move < state.cards[0] else move + 1
    else:
        state.bets[state.moves % 2] = move
        state.moves += 1
        if current_player(state) < 0:
            winner = winner_of(state)
            state.paid[winner] = 1 + min(state.bets[0], state.bets[1])
            state.paid[1 - winner] = -state.paid[winner]


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Deal the other seat one of the cards that `seat` does not hold."""
    other = 1 - seat
    if state.cards[other] != HIDDEN:
        card = uniform(generator, 3 if state.cards[seat] == HIDDEN else 2)
        state.cards[other] = card + 1 if HIDDEN < state.cards[seat] <= card else card


@rule
def winner_of(state: State) -> int:
    """At the end: the seat that bet if the other folded, otherwise the seat with the higher card."""
    if state.bets[0] != state.bets[1]:
        return 0 if state.bets[0] > state.bets[1] else 1
    return 0 if state.cards[0] > state.cards[1] else 1


# -- what a seat knows ------------------------------------------------------------------------------------------------


def features(options: Options) -> tuple[Feature, ...]:
    return (
        Feature("card", "one-hot: own card, jack, queen, king", 3),
        Feature("seat", "own seat"),
        Feature("bets", "own bet, the other's bet", 2),
        Feature("moves", "actions played", scale=3),
    )


@rule
def observe(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    for card in range(3):
        out[card] = 1.0 if state.cards[seat] == card else 0.0
    out[3] = seat
    out[4] = state.bets[seat]
    out[5] = state.bets[1 - seat]
    out[6] = state.moves / 3.0


@rule
def info_state_index(state: State, seat: int) -> int:
    """The information set of the seat to decide, from its card and the actions played; 0 at the end."""
    if current_player(state) < 0:
        return 0
    card = max(int(state.cards[seat]), JACK)  # A card that is not dealt yet counts as a jack.
    history = 3 if state.bets[0] == BET else int(state.moves)  # None, pass, pass and bet; or bet.
    return 1 + 4 * card + history


RANKS = ("jack", "queen", "king")

# -- words ------------------------------------------------------------------------------------------------------------


def action_text(state: State, action: int) -> str:
    """What players call the two actions, before and after a bet."""
    if state.bets[0] != state.bets[1]:
        return "call" if action == BET else "fold"
    return "bet" if action == BET else "check"


def narrate(before: State, move: int, after: State, seat: int, names: Names) -> str:
    """What a seat saw of a move: its own card, what either seat does, and who wins."""
    if num_chance_outcomes(before) > 0:
        dealt_to = 0 if before.cards[0] == HIDDEN else 1
        return f"{names.does(seat, 'are', 'is')} dealt the {RANKS[after.cards[seat]]}" if seat == dealt_to else ""
    text = names.does(before.moves % 2, action_text(before, move))
    if move == BET:
        text += " 1 chip"
    if current_player(after) < 0:
        text += f"\n{names.does(winner_of(after), 'win')} the pot of {2 + after.bets.sum()}"
    return text


NEUTRAL = {
    "kuhn poker": "a game", "cards": "tokens", "card": "token", "dealt": "given", "chip": "point",
    "jack": "small one", "queen": "medium one", "king": "large one", "higher": "larger",
    "antes": "pays", "ante": "first payment", "pot": "sum",
    "a bet": "an offer", "bet": "offer", "bets": "offers", "check": "wait", "checks": "waits",
    "fold": "leave", "folds": "leaves", "folded": "left", "call": "accept", "calls": "accepts",
}  # fmt: skip
"""The words that recall poker, for players that shall not know the game."""

# -- players ----------------------------------------------------------------------------------------------------------


@rule
def honest(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Bet the king, pass the jack; with the queen call, but never bet."""
    if state.cards[seat] == QUEEN:
        return BET if state.bets[1 - seat] == 1 else PASS
    return BET if state.cards[seat] == KING else PASS


@rule
def equilibrium(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Kuhn's equilibrium with the largest alpha, 1/3: it bluffs with a third of its jacks."""
    thirds = 3 if state.cards[seat] == KING else 0  # How often it bets.
    if state.cards[seat] == QUEEN and state.bets[1 - seat] == 1:
        thirds = 2 - seat
    elif state.cards[seat] == JACK and state.bets[1 - seat] == 0:
        thirds = 1
    return BET if uniform(generator, 3) < thirds else PASS


# -- the table --------------------------------------------------------------------------------------------------------


def ending(state: State, seat: int, names: Names) -> str:
    """The end in one line, with what decided it."""
    if current_player(state) >= 0:
        return ""
    winner = winner_of(state)
    chips = f"{int(state.paid[winner])} chip{'s' if state.paid[winner] > 1 else ''}"
    won = f"{names.does(winner, 'win') if seat in (winner, -1) else names.does(seat, 'lose')} {chips}"
    if state.bets[0] != state.bets[1]:
        return f"{won}: {inside(names[1 - winner])} folded"
    return f"{won}: the {RANKS[state.cards[winner]]} beats the {RANKS[state.cards[1 - winner]]}"


def reveals(before: State, move: int, after: State, seat: int, names: Names) -> list[Reveal]:
    """The outcome as a banner."""
    name, _, reason = ending(after, seat, names).partition(": ")
    return [reveal(name, [reason], banner=True)] if name else []


def view(state: State, seat: int, names: Names) -> View:
    """Both cards, the one that is left over, and the bets; a showdown turns the other's card up."""
    is_showdown = current_player(state) < 0 and state.bets[0] == state.bets[1]
    left_over: Item = {"id": "left over", "symbol": "card-back", "label": "the third card, face down"}
    table: View = {"to_act": -1, "zones": [], "counters": [], "actions": {}}
    table["zones"].append({"name": "Left over", "seat": None, "kind": "pile", "items": [left_over]})
    table["counters"].append({"name": "Pot", "value": 2 + int(state.bets.sum()), "seat": None})
    for owner in (1 - max(seat, 0), max(seat, 0)):
        card = int(state.cards[owner])
        item: Item = {"id": f"card:{owner}", "symbol": "card-back", "label": "card, face down"}
        if card == HIDDEN:
            item |= {"symbol": "card-slot", "label": "not dealt yet"}
        elif seat in (owner, -1) or is_showdown:
            item |= {"symbol": f"card-{'JQK'[card]}S", "label": RANKS[card]}
        name = "Your card" if names[owner] == YOU else "Card"
        table["zones"].append({"name": name, "seat": owner, "kind": "hand", "items": [item]})
        table["counters"].append({"name": "Paid in", "value": 1 + int(state.bets[owner]), "seat": owner})
    return table


LESSON = Lesson(
    opponent="equilibrium",
    seed=37,
    steps=(
        (
            PASS,
            "Your queen beats the jack and loses to the king. If you bet, the jack folds and the king calls: check.",
        ),
        (BET, "The opponent bets every king, but also one jack in three, as a bluff. Call: 1 chip can win a pot of 4."),
    ),
    closing="The jack was a bluff: the pot is yours. If you never called, every bluff would win.",
)
"""A bluff that is called."""

TABLE = Presentation(
    view=view, reveals=reveals, ending=ending, symbols=lambda: pack("JQK", "S"), lessons={"KuhnPoker-v0": LESSON}
)

# -- the game ---------------------------------------------------------------------------------------------------------

GAME = register(
    Game(
        id="KuhnPoker-v0",
        doc=__doc__ or "",
        state=STATE,
        num_actions=2,
        action_names=("pass", "bet"),
        rules=Rules(setup, num_chance_outcomes, current_player, apply_action, resample),
        observations={"full": Observation(observe, features)},
        state_index=StateIndex(info_state_index=info_state_index, num_info_states=lambda options: 13),
        words=Words(action_text=action_text, narrate=narrate, neutral=NEUTRAL),
        players={"honest": honest, "equilibrium": equilibrium},
        table=TABLE,
        opponent="honest",
        unit="chips",
    )
)
