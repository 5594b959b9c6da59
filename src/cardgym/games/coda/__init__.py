"""Coda (Da Vinci Code): its rules, what its seats can know and infer, and its words."""

from __future__ import annotations

import dataclasses

from cardgym.games.coda import observations, rules, table, text
from cardgym.games.coda.doc import DOC, OFFICIAL_DEFAULTS, OFFICIAL_DOC
from cardgym.rules import Encoding, Game

GAME = Game(
    id="Coda-v0",
    doc=DOC,
    state=table.STATE,
    options=table.CodaOptions,
    num_actions=table.num_actions(table.CodaOptions()),
    count_actions=table.num_actions,
    encodings={
        "full": Encoding(observations.observe_full, observations.full_table),
        "paper": Encoding(observations.observe_paper, observations.paper_table),
        "beliefs": Encoding(observations.observe_beliefs, observations.beliefs_table),
        "odds": Encoding(observations.observe_odds, observations.odds_table),
    },
    setup=rules.setup,
    outcomes=rules.outcomes,
    actor=rules.actor,
    legal=rules.legal,
    apply=rules.apply,
    describe=text.describe,
    action_text=text.action_text,
    resample=observations.resample,
    won=rules.won,
    contests=rules.contests,
    conserved=text.conserved,
    narrate=text.narrate,
    code=observations.code,
    forfeit=rules.forfeit,
    stack_deck=rules.stack_deck,
)

OFFICIAL = dataclasses.replace(
    GAME,
    id="CodaOfficial-v0",
    doc=OFFICIAL_DOC,
    num_actions=table.num_actions(table.CodaOptions.parse(OFFICIAL_DEFAULTS)),
    defaults=OFFICIAL_DEFAULTS,
)
