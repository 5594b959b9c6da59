"""One Play Poker: its rules, what the player can see, and its words."""

from __future__ import annotations

from cardgym.games.one_play_poker import observations, rules, text
from cardgym.games.one_play_poker.doc import DOC
from cardgym.rules import Encoding, Game, Generator, Record, rule


@rule
def resample(state: Record, seat: int, generator: Generator) -> None:
    """Nothing is hidden: all cards lie face up."""


GAME = Game(
    id="OnePlayPoker-v0",
    doc=DOC,
    state=rules.STATE,
    options=rules.OnePlayPokerOptions,
    num_actions=rules.NUM_ACTIONS,
    encodings={
        "full": Encoding(observations.observe_full, observations.full_table),
        "paper": Encoding(observations.observe_paper, observations.paper_table, observations.num_indices),
    },
    setup=rules.setup,
    outcomes=rules.outcomes,
    actor=rules.actor,
    legal=rules.legal,
    apply=rules.apply,
    describe=text.describe,
    action_text=text.action_text,
    resample=resample,
    won=rules.won,
    contests=rules.contests,
    conserved=text.conserved,
    narrate=text.narrate,
    code=observations.code,
    index=observations.index,
    num_indices=observations.num_indices,
    codes=observations.codes,
    forfeit=rules.forfeit,
    extra={"net_profit_per_game": rules.net_profit, "bets_per_game": rules.bets_made},
    canonical=rules.canonical,
    names=text.names,
)
