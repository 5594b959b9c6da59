"""What the paper's state code leaves out, measured on recorded games."""

# ruff: noqa: E501  # Lines of prose, as they stand on the page.

from __future__ import annotations

import numpy as np

from cardgym.arena.transitions import record
from cardgym.games.corellian_spike.batch_q.config import ENV
from cardgym.games.corellian_spike.paper.charts import PLACING, enumerated_states
from cardgym.games.corellian_spike.paper.runs import CREDITS, Scale
from cardgym.games.corellian_spike.state_index import MAX_SUM, digits_of
from cardgym.games.corellian_spike.tabular_observations import NO_CARD, cards_key, cards_of


def code_facts(scale: Scale) -> str:
    """The section on the code's collisions and clipping."""
    games = scale.training_games
    codes = record(ENV, CREDITS.options, ["initial"] * 2, games=games, seed=scale.base_seed, states="key", epsilon=0.9)
    cards = record(
        ENV, CREDITS.options, ["initial"] * 2, games=games, seed=scale.base_seed, states=cards_key, epsilon=0.9
    )
    held = cards_of(cards.s)
    total = sum(np.where(held[name] == NO_CARD, 0, held[name]) for name in ("low", "high", "spike"))
    is_clipped = np.abs(total) > MAX_SUM
    clipped = 100 * float(is_clipped.mean())
    showdown = 100 * float(is_clipped[cards.s_next == 0].mean())
    pairs = np.unique(np.stack([codes.s, cards.s]), axis=1)
    _, holdings = np.unique(pairs[0], return_counts=True)
    placing = digits_of(codes.s).decision == PLACING
    tens = 100 * float((held["extra"][placing] == -10).mean())
    reachable = enumerated_states(CREDITS).reachable
    return f"""## The state code: collisions and clipping

Measured on {len(codes):,} decisions of {games:,} exploring games (epsilon 0.9, legal actions, two players).

- Clipping the sum to -9 .. 9 changes {clipped:.0f} % of the decisions ({showdown:.0f} % of those after which the hand ends):
  to the policy a sum of 10 and one of 25 are one.
- {len(holdings):,} codes were met, and {len(pairs[0]):,} different holdings of cards under them, {holdings.mean():.1f} to a code and
  {holdings.max():,} in the most crowded. Which card to swap depends on the cards, and the code does not know them.
- A bought -10 has the digits 00, as no bought card has. It is {tens:.1f} % of the bought cards, and costs nothing: a
  decision of kind 3 always has a bought card, so its 00 can only be a -10.
- Of the {len(reachable):,} codes {int((~reachable).sum()):,} cannot be reached: betting or buying with a bought card.
- Credits and pool are known in tens only. A raise, a match and a card cost 2, so most decisions leave both digits as they
  are, and whether there is anything to match is not in the code at all: one code stands for "you may check" and "you must
  pay or fold".
"""
