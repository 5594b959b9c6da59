"""The check of hidden moves: what a seat cannot tell apart, nothing that it is shown tells apart.

`check_secrets` raises `ContractError` if a game breaks the contract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

import numpy as np

from cardgym.engine.contract import CHANCE, Game, Options, State
from cardgym.engine.rules import hides_nothing, no_resample
from cardgym.engine.sight import looks_same
from cardgym.engine.text import view_in_text
from cardgym.table.coach.coach import Coach
from cardgym.table.narration import public_reveals, public_showdown, public_text, public_view
from cardgym.table.presentation import board_of, offered, presentation_of, text_of
from cardgym.testing.driver import ContractError, StateDriver, generator, positions
from cardgym.testing.knowledge_checks import knowledge

Advise = Callable[[State, int], Any] | None

_OTHERS = 3
"""How many other moves are tried in a position, and in how many others that look the same to a seat."""
_MOVES_AFTER = 8
"""How many moves two lines of play are followed."""
_FOLLOWED, _ADVISED = 12, 6
"""How many pairs of lines are followed from moves of chance, and as many from those of players; fewer with advice.

Comparing all that a seat is shown takes time; a long deal must not use up what the moves after it need.
"""
_WATCHED = 3
"""The most seats of games in which what those who watch are shown is compared: they see what all other seats see."""


def check_secrets(game: Game, options: Options, seed: int = 0, most: int = 40, advised: bool = False) -> None:
    """Check that a seat that cannot tell two moves apart is told, shown and allowed the same after both, until it can.

    In positions of random play, other moves of the mover are tried, there and in positions that look the same to
    another seat; and other outcomes of chance. While the two lines of play have the same observations and description,
    and `resample` draws the same state from both, all words, pictures, masks and actions of players must be equal, and
    if `advised` the coach's advice. So must all that people who watch are shown, because a seat can watch, too. Lines
    end with their deal, whose end may show cards that nobody sees afterwards.
    """
    advise = Coach(game, options).advise if advised else None
    driver = StateDriver(game, options)
    followed, most_followed = Counter[bool](), _ADVISED if advised else _FOLLOWED
    for number, where in positions(driver, seed, most, again=True):
        rng = np.random.default_rng((seed, number))
        by_chance = driver.current_player == CHANCE
        moves = rng.permutation(range(driver.num_chance_outcomes) or driver.legal_actions()).tolist()
        for seat in range(options.num_players):
            if seat != driver.current_player and followed[by_chance] < most_followed:
                for start, move in _others(driver, seat, moves, rng):
                    pair = _Line(driver, seat, moves[0]), _Line(start, seat, move)
                    text = f"{where}: seat {seat} cannot tell move {move} from {moves[0]}"
                    followed[by_chance] += _follow(*pair, seat, rng, text, advise)


def _others(
    driver: StateDriver, seat: int, moves: list[int], rng: np.random.Generator
) -> Iterator[tuple[StateDriver, int]]:
    """Yield moves that may stand for the first of `moves`, each with the position in which it is made."""
    for move in moves[1 : 1 + _OTHERS]:
        yield driver, move
    if driver.current_player != CHANCE and driver.game.rules.resample not in (hides_nothing, no_resample):
        for number in rng.integers(1 << 30, size=_OTHERS):
            world = _resampled(driver, seat, int(number))
            yield world, int(rng.choice(world.legal_actions()))


class _Line:
    """A line of play, and what one seat has been told of its moves."""

    def __init__(self, start: StateDriver, seat: int, move: int) -> None:
        self.driver, self._seat = start.copy(), seat
        self.told: list[dict[str, Any]] = []
        self.play(move)

    def play(self, move: int) -> None:
        before, driver, seat, mover = self.driver.copy().state, self.driver, self._seat, self.driver.current_player
        driver.apply_action(move)
        game, transition, num_players = driver.game, (before, move, driver.state), driver.options.num_players
        showdown = presentation_of(game).showdown(*transition, seat, game.names(seat, num_players))
        news: dict[str, Any] = {
            "narrate()": driver.narrate(seat),
            "reveals()": driver.reveals(seat),
            "showdown()": showdown,
        }
        if num_players <= _WATCHED:
            people = game.names(-1, num_players)
            news |= {
                "narrate() for those who watch": public_text(game, *transition, mover, people),
                "reveals() for those who watch": public_reveals(game, *transition, people),
                "showdown() for those who watch": public_showdown(game, *transition, people),
            }
        if any(news.values()):
            self.told.append(news)

    def play_like(self, move: int, rng: np.random.Generator) -> int:
        """Play and return the same move if it is possible in this line, another one if not."""
        possible = range(self.driver.num_chance_outcomes) or self.driver.legal_actions()
        played = move if move in possible else int(rng.choice(possible))
        self.play(played)
        return played


def _follow(one: _Line, two: _Line, seat: int, rng: np.random.Generator, where: str, advise: Advise) -> bool:
    """Compare two lines while a seat cannot tell them apart; whether it could not at first.

    Where only one is before chance, chance moves there first.
    """
    deal = one.driver.deal
    for number in range(_MOVES_AFTER):
        if any(line.driver.over or line.driver.deal != deal for line in (one, two)):
            return number > 0
        chance, chance_too = (line.driver.num_chance_outcomes > 0 for line in (one, two))
        if chance == chance_too:
            if not _cannot_tell(one.driver, two.driver, seat):
                return number > 0
            _expect_equal(one, two, seat, where, advise)
        move = one.play_like(-1, rng) if chance >= chance_too else -1
        if chance_too >= chance:
            two.play_like(move, rng)
    return True


def _cannot_tell(one: StateDriver, two: StateDriver, seat: int) -> bool:
    """Whether two positions look the same to a seat, for which different ones also become the same by `resample`.

    What `resample` keeps, everyone has seen, such as a wrong guess, even if no observation shows it.
    """
    if not looks_same(one, two, seat, choices=False) or one.state_bytes() == two.state_bytes():
        return False
    if one.game.rules.resample in (hides_nothing, no_resample):
        return True
    return _resampled(one, seat, 0).state_bytes() == _resampled(two, seat, 0).state_bytes()


def _resampled(driver: StateDriver, seat: int, number: int) -> StateDriver:
    other = driver.copy()
    other.resample(seat, generator(number))
    other.refresh()
    return other


def _expect_equal(one: _Line, two: _Line, seat: int, where: str, advise: Advise) -> None:
    nothing: dict[str, Any] = {}
    for first, second in zip_longest(one.told, two.told, fillvalue=nothing):
        _expect_same(first, second, where)
    _expect_same(_shown(one.driver, seat, advise), _shown(two.driver, seat, advise), where)


def _expect_same(first: dict[str, Any], second: dict[str, Any], where: str) -> None:
    for name in first | second:
        if first.get(name) != second.get(name):
            raise ContractError(f"{where}, but {name} tells it: {first.get(name)!r} or {second.get(name)!r}")


def _shown(driver: StateDriver, seat: int, advise: Advise) -> dict[str, Any]:
    """All that a seat is shown and may do in a position, by the name of what shows it."""
    game, state = driver.game, driver.state
    names, presentation = game.names(seat, driver.options.num_players), presentation_of(game)
    shown = knowledge(driver, seat) | {
        "board()": board_of(game, state, seat, names),
        "ending()": presentation.ending(state, seat, names),
    }
    if len(names) <= _WATCHED:
        shown["view() for those who watch"] = public_view(game, state, game.names(-1, len(names)))
    if driver.current_player != seat:
        return shown
    legal = driver.legal_actions()
    shown |= {f"player {player}": driver.choose_action(player, generator(0)) for player in driver.players}
    if advise is not None and len(legal) > 1:
        shown["advice"] = advise(state, seat)
    return shown | {
        "text": view_in_text(game, driver.options, state, seat, legal),
        "label()": [text_of(game, state, action) for action in legal],
        "possible()": offered(game, state, legal),
        "tip()": presentation.tip(state, seat),
        "forfeit()": driver.forfeit(seat),
    }
