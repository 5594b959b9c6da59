"""The documentation of Coda-v0 and CodaOfficial-v0, under Gymnasium's headings."""

from __future__ import annotations

from cardgym.engine.contract import feature_table
from cardgym.games.coda.observations import beliefs_features, full_features, odds_features, paper_features
from cardgym.games.coda.state import CodaOptions

_DESCRIPTION = """
## Description
Coda, also called Da Vinci Code: two players stand their tiles in a line, hidden from each other and sorted by number,
and guess each other's one by one. Whoever turns up all of the other's tiles wins. There are the numbers 0 to 11 in
black and white: tile t is number t // 2, black if t is even, and black stands before white. Jokers, tiles 24 and 25,
stand where their owner puts them.

In a turn the mover draws a tile, looks at it, and guesses that the opponent's k-th tile from the left is tile v. A hit
turns that tile up, and the mover guesses again (or may stop, with `continuation="optional"`, and puts the drawn tile
in its line face down). After a miss the drawn tile goes into the line face up and the turn ends. Whoever draws the last
tile wins at once; with `empty="play_on"` turns go on without a draw, and a miss turns up one of the mover's own tiles,
of its choice.
"""

_TEMPLATE = """{description}
## Action Space
`Discrete({actions})`. Action k x n + v guesses that the opponent's k-th tile (from 0, face-up tiles counted) is tile v.
{more}The mask allows guesses at hidden tiles. Of values it allows, by the option `feasible`: those not seen ("unseen"),
"all", those not seen and of the tile's colour ("colour"), or those that may be right given all that is known
("consistent").

## Observation Space
`obs="full"`, the default: all that a careful player knows, misses remembered.

{full}

What `may_be` leaves open, order in the line narrows further; `obs="beliefs"` does it exactly. It is the full
observation followed by {belief_size} probabilities: by place x n + tile, how likely the opponent's tile there is that
one, with all arrangements that agree with what is known equally likely.

{belief}

`obs="odds"`: those probabilities with the turn and the own tiles, without what led to them.

{odds}

`obs="paper"`: the paper's 3n bits. They hold no places, no colours and no past misses, so they are not Markov.

{paper}

## Starting State
Each seat is dealt `n_start` tiles, alternately from seat 0. `reset(options={{"deck": [...]}})` deals and draws all n
tiles in the order given. With jokers each seat first places those it was dealt.

## Rewards
`reward="win"`: +1 for the winner and -1 for the loser at the end. `reward="paper"`: +10 for a hit, -10 for a miss, and
10000 or -10000 on top at the end; what the opponent's turn brings is part of the agent's last step.

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

_MORE = """Action n x n stops; n x n + 1 + p puts a tile at place p of the own line, or turns up the own tile that is
there. """

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
        paper=feature_table(paper_features(options)),
        defaults=defaults,
    )


DOC = _document(CodaOptions(), 576, "")
OFFICIAL_DOC = _document(CodaOptions.parse(OFFICIAL_DEFAULTS), 690, _MORE)
