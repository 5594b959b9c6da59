"""Coda as a `Game`, under its two ids, and its documentation."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from cardgym.engine.contract import Game, Rules, StateIndex, Words, feature_table
from cardgym.files.shipped import CHECKPOINTS, root
from cardgym.games.coda import guess_features, knowledge, observations, rules, state, text
from cardgym.games.coda.guess_features import guesses_features, splits_features
from cardgym.games.coda.observations import beliefs_features, full_features, odds_features, paper_features
from cardgym.games.coda.players import PLAYERS
from cardgym.games.coda.state import CodaOptions

if TYPE_CHECKING:
    from cardgym.games.coda.critic import Critic
    from cardgym.games.coda.search import SearchPlayer


_DESCRIPTION = """
## Description
Coda, also called Da Vinci Code: two players guess each other's hidden tiles, which stand in lines sorted by number.
The first to turn up all of the other's tiles wins. The numbers are 0 to 11, in black and
white: tile t has number t // 2 and is black if t is even; black comes before white. Jokers, the last two tiles, can go
anywhere in the line; both players see where, and when, each tile enters a line.

In a turn the mover draws a tile, looks at it, and guesses that the opponent's k-th tile from the left is tile v. A hit
turns that tile up, and the mover guesses again (with `continuation="optional"` it may instead stop and put the drawn
tile in the line face down). After a miss the drawn tile goes into the line face up and the turn ends. The player who
draws the last tile wins immediately. With `empty="play_on"` play continues without draws, and after a miss the mover
chooses one of its own tiles and turns it up.
"""

_TEMPLATE = """{description}
## Action Space
`Discrete({actions})`. Action k x n + v guesses that the opponent's tile at place k (counted from 0, face-up tiles
included) is tile v. The mask allows guesses at hidden tiles. The option `feasible` selects the values it allows: unseen
ones ("unseen"), all ("all"), unseen ones of the tile's colour ("colour"), or those that are possible given everything
known ("consistent").{more}

## Observation Space
`obs="full"`, the default: everything that a careful player knows, including past misses.

{full}

`obs="beliefs"`: the full observation, then {belief_size} probabilities, by place x n + tile: the exact probability that
the opponent has that tile at that place, if every deal is equally likely, and every open place where an owner had a
choice. Unlike `may_be`, they use the order of the line.

{belief}

`obs="odds"`: those probabilities, the turn and the own tiles, without the evidence behind the probabilities.

{odds}

`obs="guesses"`: the odds, then features of each guess. Here `may_be` does use the order of the line. A network can read
these features with the same weights for every guess (`action_features` of `train/ppo.py`).

{guesses}

`obs="splits"`: `guesses` and one more feature for each guess.

{splits}

`obs="paper"`: the paper's 3n bits. They omit places, colours and past misses, so they are not Markov.

{paper}

## Starting State
Each seat is dealt `n_start` tiles, alternately from seat 0. `reset(options={{"deck": [...]}})` deals and draws all
n tiles in the given order. With jokers each seat first places those it was dealt.

## Rewards
`reward="win"`: +1 for the winner and -1 for the loser at the end. `reward="paper"`: +10 for a hit, -10 for a miss, and
10000 or -10000 more at the end. Rewards during the opponent's turn are added to the agent's last step.

## Episode End
When one seat's tiles are all face up, or when the last tile is drawn (unless `empty="play_on"`).

## Information
`action_mask`, int8 of ({actions},).

## Arguments
`n` tiles (24, or 26 with jokers; fewer for study), `n_start`, `continuation` (forced, optional), `jokers` (0, 2),
`empty` (last_drawer_wins, play_on), `first` (0, 1, random), `colour_visible` (yes, no), `feasible` and `reward` as
above. Here {defaults}.

## References
Ma, Zeng and Zhang, "CS238: Reinforcement Learning for solving Coda Game", 2019.

## Version History
v0: first version.
"""

_MORE = """

Action n x n stops. Action n x n + 1 + p puts a tile at place p of the mover's line, or turns up its tile there."""

OFFICIAL_DEFAULTS: dict[str, int | str] = {
    "n_start": 4,
    "continuation": "optional",
    "jokers": 2,
    "empty": "play_on",
    "first": "random",
}
"""The options of CodaOfficial-v0."""


def _document(options: CodaOptions, actions: int, more: str) -> str:
    defaults = ", ".join(f"{name}={value}" for name, value in options.asdict().items())
    return _TEMPLATE.format(
        description=_DESCRIPTION,
        actions=actions,
        more=more,
        full=feature_table(full_features(options)),
        belief_size=beliefs_features(options)[-1].size,
        belief=feature_table(beliefs_features(options)).splitlines()[-1],
        odds=feature_table(odds_features(options)),
        guesses="\n".join(feature_table(guesses_features(options)).splitlines()[len(odds_features(options)) :]),
        splits=feature_table(splits_features(options)).splitlines()[-1],
        paper=feature_table(paper_features(options)),
        defaults=defaults,
    )


DOC = _document(CodaOptions(), 576, "")
OFFICIAL_DOC = _document(CodaOptions.parse(OFFICIAL_DEFAULTS), 690, _MORE)


def value_search(options: state.CodaOptions) -> SearchPlayer:
    """The player `value-search`, which evaluates states with the critic of the shipped PPO agent."""
    from cardgym.games.coda.search import VALUE_EFFORT, SearchPlayer

    return SearchPlayer(options, VALUE_EFFORT, shipped_critic(options), "value-search")


def shipped_critic(options: state.CodaOptions) -> Critic:
    """The critic of the shipped PPO agent."""
    from cardgym.games.coda.critic import load_critic

    return load_critic(root() / CHECKPOINTS / "coda" / "official_ppo.safetensors", OFFICIAL, options)


GAME = Game(
    id="Coda-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CodaOptions,
    num_actions=state.num_actions(state.CodaOptions()),
    count_actions=state.num_actions,
    rules=Rules.of(rules, resample=knowledge.resample, invariants=state.invariants),
    observations={**observations.OBSERVATIONS, **guess_features.OBSERVATIONS},
    words=Words.of(text),
    state_index=StateIndex.of(observations),
    players=PLAYERS,
    opponent="heuristic",
)

OFFICIAL = dataclasses.replace(
    GAME.variant("CodaOfficial-v0", OFFICIAL_DOC, **OFFICIAL_DEFAULTS),
    players={**PLAYERS, "value-search": f"{__name__}:value_search"},
)
"""The board game's rules."""

MINI_OFFICIAL_DEFAULTS: dict[str, int | str] = {**OFFICIAL_DEFAULTS, "n": 6, "n_start": 1}
"""The options of CodaMiniOfficial-v0."""

_MINI_TEXT = """Coda with six tiles{intro}, small enough to be solved exactly.

## Description
The rules of `{of}` with {tiles} and one tile dealt to each seat.
{more}The game has {histories} histories, and {sets} situations in which a seat can find itself: `cardgym exploit` and
`cardgym solve` are exact.

## Rewards
+1 for the winner and -1 for the loser at the end.

## References
Ma, Zeng and Zhang, "CS238: Reinforcement Learning for solving Coda Game", 2019.

## Version History
- v0: first version.
"""

MINI = GAME.variant(
    "CodaMini-v0",
    _MINI_TEXT.format(
        intro="", of="Coda-v0", tiles="the numbers 0 to 2 in black and white", more="", histories="22,237", sets="4,176"
    ),
    n=6,
)

MINI_OFFICIAL = GAME.variant(
    "CodaMiniOfficial-v0",
    _MINI_TEXT.format(
        intro=", two of them jokers",
        of="CodaOfficial-v0",
        tiles="the numbers 0 and 1 in black and white, two jokers",
        more="Players place jokers and may stop after a hit; they play on when the pool is empty.\n",
        histories="197,403",
        sets="65,024",
    ),
    **MINI_OFFICIAL_DEFAULTS,
)
