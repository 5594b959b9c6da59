"""Ratings of people: against players whose strength was measured, and against puzzles, by openskill's model of skill.

Ratings are Elo points above the mean of a game's measured players, as in the leaderboards. The model is that of
Plackett and Luce in Weng and Lin, "A Bayesian approximation method for online ranking", JMLR 12 (2011), which also
tracks how uncertain a rating is. Measured players keep their ratings.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openskill.models import PlackettLuce

from cardgym.engine.contract import Game
from cardgym.engine.registry import find, registered
from cardgym.statistics import Z95
from cardgym.table.coach.advice import Advice
from cardgym.table.coach.review import counts, names_of
from cardgym.table.people import shown_name
from cardgym.table.presentation import presentation_of
from cardgym.table.setup import HELPED, RESIGNED

_MODEL = PlackettLuce()
_POINTS = 400.0 / math.log(10.0) / (math.sqrt(2.0) * _MODEL.beta)
"""Elo points of one unit of skill, between two whose skill is known: both models are logistic in the difference."""

_KNOWN = 0.5
"""The standard deviation of a measured player's skill, about 15 Elo points."""

MAX_PUZZLE = 600
"""Elo points of the hardest puzzles; the easiest have as many below 0."""

_CURVE_GAMES = 100


@dataclass(frozen=True)
class Skill:
    """What is known about someone's skill: its mean and standard deviation, in openskill's units."""

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma

    @property
    def points(self) -> float:
        """The rating in Elo points."""
        return (self.mu - _MODEL.mu) * _POINTS

    @property
    def half_width(self) -> float:
        """Half the 95 % interval of the rating, in Elo points."""
        return Z95 * self.sigma * _POINTS

    def after(self, others: Sequence[float], places: Sequence[int]) -> Skill:
        """Return the skill after a game.

        Args:
            others: the ratings of the others, in Elo points.
            places: the person's place, then those of the others: 0 for the winner, equal for a tie.
        """
        known = [_MODEL.rating(mu=_MODEL.mu + points / _POINTS, sigma=_KNOWN) for points in others]
        teams = [[_MODEL.rating(mu=self.mu, sigma=self.sigma)], *([other] for other in known)]
        own = _MODEL.rate(teams, ranks=[float(place) for place in places])[0][0]
        return Skill(own.mu, own.sigma)


def ratings(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a person's rating in every game they have finished against measured players, with the default options.

    Games in which the coach was asked, a move taken back or the cards known from an earlier game are not rated.

    For each game of the log, whose entries come oldest first: `env`, `games` (how many count), `rating` and
    `half_width` in Elo points, `curve` (pairs of these after each of the last games) and `players`: the measured
    ratings by name for people.
    """
    skills: dict[str, list[Skill]] = {}
    found, known = functools.cache(find), set[str]()
    for entry in entries:
        cards = json.dumps([entry[name] for name in ("env", "options", "seed", "game")])
        game = None if cards in known else _rated(entry, found)
        known.add(cards)
        if game is None:
            continue
        measured, names = game
        person = int(entry["person"])
        paid = {int(player["seat"]): float(player["return"]) for player in entry["players"]}
        paid |= {seat: -math.inf for seat in paid if seat == entry["about"].get(RESIGNED)}  # Comes last.
        order = [person, *(seat for seat in range(len(names)) if seat != person)]
        places = [sum(paid[other] > paid[seat] for other in order) for seat in order]
        curve = skills.setdefault(entry["env"], [Skill()])
        curve.append(curve[-1].after([measured[names[seat]] for seat in order[1:]], places))
    return [
        {
            "env": env,
            "games": len(curve) - 1,
            "rating": curve[-1].points,
            "half_width": curve[-1].half_width,
            "curve": [(skill.points, skill.half_width) for skill in curve[1:][-_CURVE_GAMES:]],
            "players": {shown_name(name): points for name, points in presentation_of(found(env)).ratings[env].items()},
        }
        for env, curve in skills.items()
    ]


def _rated(entry: Mapping[str, Any], found: Callable[[str], Game]) -> tuple[Mapping[str, int], list[str]] | None:
    """Return the measured ratings of a game and its players' names by seat; None if the game is not rated."""
    alone = HELPED not in entry["about"] and not entry.get("undone")
    if not counts(entry) or not alone or entry["env"] not in registered():
        return None
    game, names = found(entry["env"]), names_of(entry)
    measured = presentation_of(game).ratings.get(game.id, {})
    others = [name for seat, name in enumerate(names) if seat != entry["person"]]
    whole = entry["options"] == game.parse_options().asdict()
    return (measured, names) if whole and others and all(name in measured for name in others) else None


def puzzle_points(advice: Advice) -> float:
    """How hard it is to find the best action, in Elo points: 0 if a noisy choice finds it half the time.

    The noise is that of a logit choice (McFadden, 1974) between all actions, with a blunder's cost as its scale.
    """
    best = advice.best.value
    others = sum(math.exp(min((action.value - best) / advice.blunder, 0.0)) for action in advice.actions[1:])
    odds = max(others, 1e-9)  # Against finding it.
    return max(-MAX_PUZZLE, min(MAX_PUZZLE, 400.0 * math.log10(odds)))
