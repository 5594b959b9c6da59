"""What the paper's state code leaves out, measured on recorded play."""

# ruff: noqa: E501  # Lines of prose, as they stand on the page.

from __future__ import annotations

import numpy as np

from cardgym.arena.recording import record
from cardgym.games.corellian_spike.batch_q.config import ENV
from cardgym.games.corellian_spike.paper.charts import kinds
from cardgym.games.corellian_spike.paper.runs import CREDITS, Plan
from cardgym.games.corellian_spike.tabular_observations import name_cards


def code_facts(plan: Plan) -> str:
    """A section about the code's collisions and clipping."""
    games = plan.training_games
    codes, cards = (
        record(ENV, CREDITS.options, ["initial"] * 2, games=games, seed=plan.base_seed, states=names, epsilon=0.9)
        for names in ("code", name_cards)
    )
    total = np.zeros(len(cards), np.int64)
    names = cards.s.copy()
    digits = []
    for _ in range(8):  # The last number is the lowest digit: see `name_numbers`.
        digits.append(names % 22 - 10)
        names //= 22
    for card in digits[3:6]:  # Spike, high, low.
        total += np.where(card == 11, 0, card)
    extra = digits[2]
    clipped = 100 * float((np.abs(total) > 9).mean())
    showdown = 100 * float((np.abs(total[cards.s_next == 0]) > 9).mean())
    pairs = np.unique(np.stack([codes.s, cards.s]), axis=1)
    _, each = np.unique(pairs[0], return_counts=True)
    placing = codes.s // 1_000_000 % 10 == 3
    tens = 100 * float((extra[placing] == -10).mean())
    _, _, reachable = kinds(CREDITS)
    return f"""## The state code: collisions and clipping

Measured on {len(codes):,} decisions of {games:,} exploring games (epsilon 0.9, legal actions, two players).

- Clipping the sum to -9 .. 9 changes {clipped:.0f} % of the decisions ({showdown:.0f} % of those after which the hand ends):
  to the policy a sum of 10 and one of 25 are one.
- {len(each):,} codes were met, and {len(pairs[0]):,} different holdings of cards under them, {each.mean():.1f} to a code and
  {each.max():,} in the most crowded. Which card to swap depends on the cards, and the code does not know them.
- A bought -10 has the digits 00, as no bought card has. It is {tens:.1f} % of the bought cards, and costs nothing: a
  decision of kind 3 always has a bought card, so its 00 can only be a -10.
- Of the {len(reachable):,} codes {int((~reachable).sum()):,} cannot be reached: betting or buying with a bought card.
- Credits and pool are known in tens only. A raise, a match and a card cost 2, so most decisions leave both digits as they
  are, and whether there is anything to match is not in the code at all: one code stands for "you may check" and "you must
  pay or fold".
"""
