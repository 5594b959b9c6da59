"""Matches: the players take every seat on the same deals."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cardgym.arena.playouts import ManyGames
from cardgym.arena.report import ByAdvantages, Report, TotalsLayout
from cardgym.engine.binding import code_name
from cardgym.engine.compilation import bind, bound, template
from cardgym.engine.contract import Float64s, Game, Options
from cardgym.engine.kernel import NOOP, RESET
from cardgym.engine.registry import find
from cardgym.engine.rules import derive
from cardgym.errors import CardgymError, one_of, whole_number, with_method
from cardgym.files.limits import MAX_GAMES, duration
from cardgym.players import Player, PlayerSpec, resolve_all
from cardgym.players.base import summaries
from cardgym.players.mixtures import MixturePlayer
from cardgym.players.seats import SeatedBatch
from cardgym.statistics import Moments, mean_estimate, with_less_luck

Seats = Literal["rotate", "fixed"]

ROWS = 4096
"""Games played in parallel: large batches for networks, in limited memory."""

EVALUATION_SEED = 1_000_000
"""The seed of the evaluations of every training run: all runs are judged on the same deals."""

FAST = 1_000_000
"""Games per second of a fast match on one core; few are faster."""

_STREAM = np.uint64(0xA7E4A)
"""The stream of the matches' deals. A learner with the same seed sees other deals."""


def evaluate(
    game: str | Game,
    options: Options | Mapping[str, Any] | None,
    players: Sequence[PlayerSpec],
    *,
    games: int,
    seed: int,
    seats: Seats = "rotate",
    playouts: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Play players against each other on the same deals from every seating.

    With `rotate` each deal is played once for every rotation of the players around the table, so that no player has
    better cards or seats; with `fixed` players sit in the order given. `games` counts all seatings and is rounded up to
    whole deals; the report has the number played. The same arguments give the same report, except for the time.

    Args:
        game: the game or its id.
        options: the game's options, or the names and values of those that differ from the defaults.
        players: one for each seat.
        games: the number of games, at least 1.
        seed: the seed of the deals, from 0.
        seats: `rotate` or `fixed`.
        playouts: how many times the second player, which takes all other seats, plays out each decision of the first,
            to report the first one's mean return with less luck; 0 for plain results. See `AdvantageMatch`.
        progress: called from time to time with the games played and the total.

    Returns:
        For each player the win rate (0 to 1), the mean return per game in the game's unit, and the game's metrics, with
        95 % intervals over deals.

    Raises:
        CardgymError: for an unknown player, another number of players than seats, an illegal action, or playouts of a
            match that they do not fit.
    """
    game = find(game)
    if not isinstance(options, Options):
        options = game.parse_options(options)
    seed = whole_number("seed", seed, 0)
    games = number_of_games(games)
    one_of("seats", seats, ("rotate", "fixed"))
    with_method("progress", progress, "__call__", "functions (games played, total)")
    roster = resolve_all(players, game, options)

    seatings = options.num_players if seats == "rotate" else 1
    deals = -(-games // seatings)
    playouts = whole_number("playouts", playouts, 0, MAX_PLAYOUTS)
    if playouts and seats == "fixed":
        raise CardgymError(
            "playouts compare two players over all seats, and seats fixed has one: use seats rotate, or no playouts"
        )
    match: Match | AdvantageMatch
    if playouts:
        match = AdvantageMatch(game, options, roster, seed=seed, playouts=playouts)
    else:
        at_once = min(deals_at_once(seatings), deals)
        match = Match(game, options, roster, seed=seed, seatings=seatings, deals_at_once=at_once)
    start = time.perf_counter()
    moments, estimates = _play(match, deals, seatings, progress)
    seconds = time.perf_counter() - start
    return Report(
        env=game.id,
        options=options.asdict(),
        games=deals * seatings,
        deals=deals,
        seed=seed,
        seconds=seconds,
        decisions_per_second=match.decisions / seconds,
        players=match.layout.reports(moments, [player.name for player in roster], seatings),
        by_advantages=_by_advantages(estimates, playouts) if playouts else None,
        models=summaries(roster),
    )


def _play(
    match: Match | AdvantageMatch, deals: int, seatings: int, progress: Callable[[int, int], None] | None
) -> tuple[Moments, Float64s]:
    """Return the moments of the deals' totals; the first player's mean return on each deal, and its estimate if any."""
    size = match.layout.size
    moments, estimates = Moments(size), []
    for totals in match.play(0, deals):
        moments.add(totals[:, :size], match.largest)
        estimates.append(totals[:, [match.layout.start(0) + 1, *range(size, totals.shape[1])]] / seatings)
        if progress is not None:
            progress(moments.count * seatings, deals * seatings)
    return moments, np.concatenate(estimates)


def _by_advantages(estimates: Float64s, playouts: int) -> ByAdvantages:
    """Return the report of returns and of their estimates, (deals, 2)."""
    values = with_less_luck(*estimates.T)
    before, after = np.var(estimates[:, 0]), np.var(values)
    return ByAdvantages(playouts, *mean_estimate(values), float(before / after) if after > 0.0 else math.nan)


def deals_at_once(seatings: int) -> int:
    """Return the maximum number of deals played in parallel, each from `seatings` seatings."""
    return max(ROWS // seatings, 1)


class Match:
    """Players who play deals of one seed, from one seating or from each rotation around the table.

    The seed and a deal's number decide its cards and the draws of players that choose at random, so any range of deals
    can be played separately.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        roster: Sequence[Player],
        *,
        seed: int,
        seatings: int,
        deals_at_once: int,
    ) -> None:
        """Seat the players, and compile what is needed.

        Args:
            seatings: how many rotations of the players each deal is played with, 1 or the number of seats.
            deals_at_once: how many deals are played in parallel.
        """
        self._seatings = seatings
        self._deals_at_once = deals_at_once
        self._played = SeatedBatch(game, options, deals_at_once * seatings, roster)
        for seating in range(seatings):
            self._played.seat(self._played.numbers, rows=slice(seating, None, seatings), requested_seat=seating)
        self._tally = _Tally(game, options.num_players, seatings)
        self.layout = self._tally.layout
        self._actions = np.zeros(len(self._played.batch), np.int64)
        self._commands = np.full(len(self._played.batch), NOOP, np.uint8)
        self._played.step(self._actions, self._commands)
        self._tally.totals_of(self._played.batch.plain_states, self._played.paid, 0)
        self._key = derive(np.uint64(seed), _STREAM)

    @property
    def largest(self) -> Float64s:
        """A deal's totals had each game the largest amounts of any game of this `play`, (size,); see `Moments.add`."""
        return self._tally.largest

    @property
    def decisions(self) -> int:
        """How many decisions all seats have taken so far."""
        return int(self._played.batch.rows.decisions.sum())

    def play(self, first: int, count: int) -> Iterator[Float64s]:
        """Play the deals `first` to `first + count - 1`; yields totals in parts, (deals, size), float64."""
        played, commands, seatings = self._played, self._commands, self._seatings
        self._tally.largest[:] = 0.0
        for start in range(first, first + count, self._deals_at_once):
            num_deals = min(self._deals_at_once, first + count - start)
            numbers = np.arange(start, start + self._deals_at_once, dtype=np.uint64)
            played.seed(np.full(len(commands), self._key, np.uint64), np.repeat(numbers, seatings))
            commands[: num_deals * seatings] = RESET
            commands[num_deals * seatings :] = NOOP
            played.step(self._actions, commands)
            forfeited = played.batch.plain_rows["forfeited"]
            yield self._tally.totals_of(played.batch.plain_states, played.paid, num_deals, forfeited)


MAX_PLAYOUTS = 1024
_MAX_PLAYOUT_ROWS = 1 << 17


class AdvantageMatch:
    """A player against another one in all other seats, each deal from every seat, with the advantages of its decisions.

    The deals are those of `Match`. If the payments of every game have the same sum, the second player wins an equal
    share of it from itself, so what the first one wins beyond that share is the sum of its advantages; see
    `cardgym.arena.playouts.Decisions`. The playouts start from the actual state, which the arena knows.
    """

    def __init__(self, game: Game, options: Options, roster: Sequence[Player], *, seed: int, playouts: int) -> None:
        """Seat the players.

        Args:
            roster: the first player, then the second for every other seat.
            playouts: how many times the second player plays out each decision of the first one.

        Raises:
            CardgymError: for a game of one seat, three players or more, or a mixture.
        """
        if options.num_players == 1:
            raise CardgymError(f"playouts compare a player with another, and {game.id} has one seat: use none")
        if len({player.name for player in roster[1:]}) > 1:
            raise CardgymError("playouts compare two players: name one, and the same other one for every other seat")
        for player in roster:
            if isinstance(player, MixturePlayer):
                raise CardgymError(
                    f"player {player.name}: a mixture cannot play on from a state; name one of its players"
                )
        self._game, self._options, self._players = game, options, roster[:2]
        self._seed, self._playouts = seed, playouts
        self._key = np.uint64(derive(np.uint64(seed), _STREAM))
        self._tally = _Tally(game, options.num_players, options.num_players)
        self.layout = self._tally.layout
        self.decisions = 0

    @property
    def largest(self) -> Float64s:
        """As `Match.largest`."""
        return self._tally.largest

    def play(self, first: int, count: int) -> Iterator[Float64s]:
        """As `Match.play`, with a column more: the first player's returns on each deal, estimated by its advantages.

        Raises:
            CardgymError: if the payments of the seats do not have the same sum in every game.
        """
        seats = self._options.num_players
        at_once = max(min(ROWS, _MAX_PLAYOUT_ROWS // self._playouts) // seats, 1)
        sums = []
        self._tally.largest[:] = 0.0
        for start in range(first, first + count, at_once):
            games, gained = self._play(np.arange(start, min(start + at_once, first + count), dtype=np.uint64))
            sums += [(paid := games.paid.sum(axis=1)).min(), paid.max()]
            if max(sums) - min(sums) > 1e-6:
                raise CardgymError(
                    f"playouts need payments with the same sum over the seats in every game, and {self._game.id} paid "
                    f"{min(sums):g} and {max(sums):g} with these options: use none"
                )
            deals = gained.reshape(-1, seats).sum(axis=1) + min(sums)
            yield np.column_stack([self._tally.totals_of(games.states, games.paid, len(deals)), deals])

    def _play(self, deals: npt.NDArray[np.uint64]) -> tuple[ManyGames, Float64s]:
        """Return the games of some deals, and the sum of the first player's advantages in each, (games,)."""
        seats = self._options.num_players
        first, second = self._players
        # As `_prepare` in the kernel derives them.
        keys = [derive(np.uint64(derive(self._key, deal)), np.uint64(0)) for deal in deals]
        games = ManyGames.of_new_games(self._game, self._options, np.repeat(np.array(keys, np.uint64), seats))
        own_seats = np.tile(np.arange(seats), len(deals))
        generator = np.random.default_rng([self._seed, int(deals[0])])
        gained = np.zeros(len(own_seats))
        moves = np.zeros(len(own_seats), np.int64)
        while (live := np.flatnonzero(games.who >= 0)).size:
            self.decisions += len(live)
            decisions = games.decisions(live)
            # Players that draw an action outside the kernel draw with the same number, so they differ less often.
            draws, sources = generator.random(len(live)), generator.integers(0, 2**63, (2, 2), np.uint64)
            usual = decisions.actions_of(second, draws, sources[0])
            chosen, own = usual.copy(), np.flatnonzero(decisions.seats == own_seats[live])
            if own.size:
                ours = decisions.take(own)
                chosen[own] = ours.actions_of(first, draws[own], sources[1])
                gained[live[own]] += ours.advantages(second, chosen[own], usual[own], generator, self._playouts)
            moves[live] = chosen
            games.advance(moves)
        return games, gained


def number_of_games(games: Any) -> int:
    """`games` as an int, if it is a whole number from 1 to `MAX_GAMES`."""
    try:
        return whole_number("games", games, 1, MAX_GAMES)
    except CardgymError as error:
        many = isinstance(games, int) and games > MAX_GAMES
        why = f" ({games:,} would take {duration(games, FAST)})" if many else ""
        raise CardgymError(f"{error}{why}") from None


# -- counting ---------------------------------------------------------------------------------------------------------


@template
def _measure(states: Any, out: Any) -> None:
    """Write a metric of every seat of every row."""
    for i in range(states.shape[0]):
        for seat in range(out.shape[1]):
            out[i, seat] = bound.metric(states[i], seat)


@template
def _measure_rows(states: Any, out: Any) -> None:
    for i in range(states.shape[0]):
        out[i] = bound.metric(states[i])


@cache
def _measures(game: Game) -> tuple[Callable[..., Any], dict[str, Callable[..., Any]]]:
    """Compiled: the max score of each row; by name, the score and the metrics of every seat of every row."""
    rule, values = game.rules.max_score, {name: metric.value for name, metric in game.metrics.items()}
    max_score = bind(_measure_rows, code_name(game, [rule]), metric=rule)
    return max_score, {
        name: bind(_measure, code_name(game, [value]), metric=value)
        for name, value in {"score": game.rules.score, **values}.items()
    }


class _Tally:
    """Adds up finished games, deal by deal."""

    def __init__(self, game: Game, num_seats: int, seatings: int) -> None:
        self.layout = TotalsLayout.of(game, num_seats)
        self._seatings = seatings
        self._max_score, self._metrics = _measures(game)
        self.largest = np.zeros(self.layout.size, np.float64)

    def totals_of(
        self, states: npt.NDArray[Any], paid: Float64s, num_deals: int, forfeited: npt.NDArray[Any] | None = None
    ) -> Float64s:
        """Return the totals of the first deals of games that have ended, (num_deals, size), float64.

        Args:
            states: the last states, (rows,).
            paid: what each seat was paid, (rows, MAX_PLAYERS).
            forfeited: the seats that forfeited, (rows,); negative for none. The others share the score.
        """
        layout, seatings = self.layout, self._seatings
        rows = num_deals * seatings
        states = states[:rows]
        max_scores = np.empty(rows, np.float64)
        self._max_score(states, max_scores)
        by_seat = np.empty((layout.per_player, rows, layout.num_players), np.float64)
        by_seat[1] = paid[:rows, : layout.num_players]
        for place, measure in zip((0, *range(2, layout.per_player)), self._metrics.values(), strict=True):
            measure(states, by_seat[place])
        forfeited = np.full(rows, -1) if forfeited is None else forfeited[:rows]
        for row in np.flatnonzero(forfeited >= 0):
            by_seat[0, row] = max_scores[row] / max(layout.num_players - 1, 1)
            by_seat[0, row, forfeited[row]] = 0.0
        totals = np.zeros((num_deals, layout.size), np.float64)
        totals[:, 0] = max_scores.reshape(num_deals, seatings).sum(axis=1)
        for seating in range(seatings):
            for player in range(layout.num_players):
                seat = (player + seating) % layout.num_players
                start = layout.start(player)
                part, place = by_seat[:, seating::seatings, seat].T, slice(start, start + layout.per_player)
                totals[:, place] += part
                sizes = seatings * np.abs(part).max(axis=0, initial=0.0)
                np.maximum(self.largest[place], sizes, out=self.largest[place])
        return totals
