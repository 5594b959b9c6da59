"""One Play Poker as a `Game`, and its players; the documentation is in doc.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cardgym.engine.contract import (
    CompiledPolicy,
    Game,
    Generator,
    Int8s,
    Metric,
    Observation,
    Rules,
    State,
    StateIndex,
    hides_nothing,
    rule,
)
from cardgym.games.one_play_poker import observations, rules
from cardgym.games.one_play_poker.rules import BET, NUM_SUITS, PASS, WIN, is_flush, is_pair, result
from cardgym.games.one_play_poker.text import WORDS

if TYPE_CHECKING:
    from cardgym.players import TablePlayer
    from cardgym.table.presentation import Presentation

_KING = 2


@rule
def handcrafted(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Return the paper's handcrafted policy (section 4, "Playing the game").

    With one card out, bet on a king or an ace; with two, on a card higher than the house's; with three, on a pair or a
    flush; with four, for which the paper gives no rule, on the winning hand.
    """
    low = int(state.player[0])
    if state.dealt == 1:
        bet = low // NUM_SUITS >= _KING
    elif state.dealt == 2:
        bet = low // NUM_SUITS > int(state.house[0]) // NUM_SUITS
    elif state.dealt == 3:
        high = int(state.player[1])
        bet = is_pair(low, high) or is_flush(low, high)
    else:
        bet = result(state) == WIN
    return BET if bet else PASS


@rule
def always(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    return BET


@rule
def never(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    return PASS


PLAYERS: dict[str, CompiledPolicy] = {"handcrafted": handcrafted, "always": always, "never": never}


def optimal(options: rules.OnePlayPokerOptions) -> TablePlayer:
    """Return the policy with the highest expected undiscounted return."""
    from cardgym.players import TablePlayer
    from cardgym.solvers.optimum import optimal_table

    return TablePlayer("optimal", optimal_table(GAME, options))


def _table() -> Presentation:
    from cardgym.games.one_play_poker.view import TABLE

    return TABLE


GAME = Game(
    id="OnePlayPoker-v0",
    doc=Path(__file__).with_name("doc.md").read_text(encoding="utf-8"),
    state=rules.STATE,
    options=rules.OnePlayPokerOptions,
    num_actions=rules.NUM_ACTIONS,
    rules=Rules.of(rules, resample=hides_nothing),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "paper": Observation(observations.observe_paper, observations.paper_features, observations.num_info_states),
    },
    words=WORDS,
    state_index=StateIndex.of(observations),
    players={**PLAYERS, "optimal": optimal},
    table=_table,
    metrics={"net_profit_per_game": Metric(rules.net_profit), "bets_per_game": Metric(rules.bets_made)},
    payoff="net_profit_per_game",
    unit="credits",
)
