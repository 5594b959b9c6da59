"""Checks of what a seat knows: observations, indices, words and views, none of which may leak hidden information.

Each raises `ContractError` if the game breaks the contract.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardgym.engine.contract import Game, Options
from cardgym.engine.sight import require_resample
from cardgym.engine.text import view_in_text
from cardgym.errors import CardgymError
from cardgym.players import TablePlayer, resolve
from cardgym.table.coach.advice import Advice
from cardgym.table.coach.coach import Coach
from cardgym.table.presentation import presentation_of
from cardgym.table.views import Item, Symbol, View
from cardgym.testing.driver import ContractError, StateDriver, expect, generator, positions

_WORDED = 6
"""Of how many legal moves, at least, a check of hidden information reads the words."""
_GUARD = 8
_GUARD_VALUE = np.float32(12345.5)
"""Fills an observation and its surroundings before it is written, to find omitted and out-of-bounds writes."""


# -- hidden information -----------------------------------------------------------------------------------------------


def check_hidden(game: Game, options: Options, seed: int = 0, most: int = 90, hides: bool = True) -> None:
    """Resampling what a seat cannot see changes nothing that it sees, and no action of a player in that seat."""
    try:
        require_resample(game)
    except CardgymError as error:
        raise ContractError(str(error)) from None
    driver = StateDriver(game, options)
    other = driver.copy()
    resampled = changed = 0
    for number, where in positions(driver, seed, most, again=True):
        for seat in _seats(driver, number):
            other.assign(driver)
            other.resample(seat, generator(seed, number, seat))
            _compare_draws(driver, other, seat, (seed, number), where)
            resampled += 1
            changed += other.state_bytes() != driver.state_bytes()
            what = f"{where}: resampling what seat {seat} cannot see"
            if other.states.tobytes() != driver.states.tobytes():
                _compare_knowledge(driver, other, seat, what)
            if driver.current_player == seat:
                _compare_players(driver, other, what, (seed, number))
    expect(
        changed > 0 or not hides,
        f"{driver}: resample() changed none of {resampled} states; if the game hides nothing, set hides = False",
    )


def _compare_draws(driver: StateDriver, other: StateDriver, seat: int, key: tuple[int, int], where: str) -> None:
    """With the same generator, states that a seat cannot tell apart must be resampled to the same state."""
    one, two = driver.copy(), other.copy()
    one.resample(seat, generator(*key))
    two.resample(seat, generator(*key))
    expect(
        one.state_bytes() == two.state_bytes(),
        f"{where}: what resample() draws for seat {seat} depends on what it cannot see; sort the hidden "
        "cards before drawing",
    )


_SAME_VALUE = 0.005
"""Values that differ by less, relative to the larger one, may have the same reason."""


def check_advice(game: Game, options: Options, seed: int = 0, most: int = 60) -> None:
    """Check that the coach values all legal actions, best first, says why, and uses only what its seat knows.

    It is asked at every tenth decision, so that it meets the phases of a long deal.
    """
    coach = Coach(game, options)
    driver = StateDriver(game, options)
    other = driver.copy()
    decisions = 0
    for number, position in positions(driver, seed, most, again=True):
        seat = driver.current_player
        decides = seat >= 0 and len(driver.legal_actions()) > 1
        decisions += decides
        if decides and decisions % 10 == 1:
            where = f"{position}: advice for seat {seat}"
            before = driver.states.tobytes()
            advice = coach.advise(driver.state, seat)
            values = [valued.value for valued in advice.actions]
            actions = sorted(valued.action for valued in advice.actions)
            expect(actions == driver.legal_actions(), f"{where} is for {actions}, legal are {driver.legal_actions()}")
            expect(values == sorted(values, reverse=True), f"{where} is not sorted, best first: {values}")
            expect(all(np.isfinite(values)), f"{where} has values that are not finite: {values}")
            expect(driver.states.tobytes() == before, f"{where} changes the state")
            _check_reasons(advice, where)
            other.assign(driver)
            other.resample(seat, generator(seed, number))
            expect(coach.advise(other.state, seat) == advice, f"{where} depends on what the seat cannot see")


def _check_reasons(advice: Advice, where: str) -> None:
    """Every action has a reason, and only actions of the same value, within their error, share one."""
    values: dict[str, float] = {}
    for action in advice.actions:
        expect(bool(action.reason), f"{where} does not say why {action.text!r} is worth {action.value:.3g}")
        first = values.setdefault(action.reason, action.value)
        expect(
            abs(first - action.value) <= max(_SAME_VALUE * max(abs(first), abs(action.value), 1.0), action.error),
            f"{where} gives actions worth {first:.4g} and {action.value:.4g} the same reason: {action.reason}",
        )


def _seats(driver: StateDriver, number: int) -> set[int]:
    """Return the seat to decide, and one other seat in turn."""
    turn = number % driver.options.num_players
    return {turn, driver.current_player} if driver.current_player >= 0 else {turn}


def _compare_knowledge(driver: StateDriver, other: StateDriver, seat: int, what: str) -> None:
    for name in driver.game.observations:
        one, two = driver.observe(seat, name), other.observe(seat, name)
        if not np.array_equal(one, two):
            place = int(np.flatnonzero(one != two)[0])
            feature = _feature_at(driver.game, name, driver.options, place)
            raise ContractError(
                f"{what} changes observation {name!r}, number {place} ({feature}): {one[place]} to {two[place]}"
            )
    before, after = knowledge(driver, seat), knowledge(other, seat)
    for name, value in before.items():
        if value != after.get(name):
            raise ContractError(f"{what} changes {name}: {value} to {after.get(name)}")


def knowledge(driver: StateDriver, seat: int) -> dict[str, Any]:
    """Return what `seat` is shown in a position besides its observations, by the name of what shows it."""
    decides = driver.current_player == seat
    legal = driver.legal_actions() if decides else []
    some = legal[:: max(len(legal) // _WORDED, 1)]  # Words for hundreds of moves take time.
    return {
        "the text": view_in_text(driver.game, driver.options, driver.state, seat, []),
        "the mask": driver.legal_action_mask().tolist() if decides else None,
        "the words of moves": [driver.action_text(action) for action in some],
        "info_state_key()": driver.info_state_key(seat),
        "info_state_index()": driver.info_state_index(seat),
        "who is to decide": driver.current_player,
        "the number of outcomes of chance": driver.num_chance_outcomes,
        "the deal": driver.deal,
        "invariants()": driver.game.rules.invariants(driver.state),
        "view()": driver.view(seat),
    }


def _compare_players(driver: StateDriver, other: StateDriver, what: str, key: tuple[int, int]) -> None:
    allowed, before = driver.legal_actions(), driver.states.tobytes()
    for player in driver.players:
        action = driver.choose_action(player, generator(*key))
        action_after = other.choose_action(player, generator(*key))
        expect(action in allowed, f"{what}: player {player} takes action {action}, which is not legal")
        expect(action == action_after, f"{what} changes player {player}'s action {action} to {action_after}: it peeks")
        expect(driver.states.tobytes() == before, f"{what}: player {player} changes the state")


# -- observations -----------------------------------------------------------------------------------------------------


def check_observations(game: Game, options: Options, seed: int = 0, most: int = 150) -> None:
    """Every observation has the length and bounds of its features, is written in full, and changes no state."""
    driver = StateDriver(game, options)
    checks = [_ObservationCheck(game, options, name) for name in game.observations]
    for number, where in positions(driver, seed, most, again=True, ends=True):
        for seat in _seats(driver, number):
            for check in checks:
                check(driver, seat, where)


class _ObservationCheck:
    """The check of one observation; computes once what all states have in common."""

    def __init__(self, game: Game, options: Options, name: str) -> None:
        self.name = name
        self.observation = game.observation(name)
        features = self.observation.features(options)
        names = [feature.name for feature in features]
        expect(len(set(names)) == len(names), f"{game.id}: two features of {name!r} have the same name: {names}")
        for feature in features:
            expect(
                feature.size > 0 and feature.low < feature.high,
                f"{game.id}: {name!r} has a feature without values: {feature}",
            )
        self.size = self.observation.size(options)
        self.low, self.high = self.observation.bounds(options)
        self.guarded = np.empty(self.size + 2 * _GUARD, np.float32)
        self.out = self.guarded[_GUARD:-_GUARD]
        if self.observation.discrete is not None:
            self.most = self.observation.discrete(options)
            expect(self.size == 1, f"{game.id}: the discrete observation {name!r} has {self.size} numbers")
            expect(self.most <= 2**24, f"{game.id}: {name!r}: float32 cannot represent {self.most} integers")

    def __call__(self, driver: StateDriver, seat: int, position: str) -> None:
        before, out = driver.states.tobytes(), self.out
        self.guarded.fill(_GUARD_VALUE)
        driver.observe_into(seat, self.name, out)
        inside = (out >= self.low) & (out <= self.high)
        unwritten = out == _GUARD_VALUE
        outside = np.count_nonzero(self.guarded == _GUARD_VALUE) - np.count_nonzero(unwritten)
        where = f"{position}, seat {seat}, {self.name!r}"
        if unwritten.any():
            place = int(np.argmax(unwritten))
            raise ContractError(f"{where}: number {place} ({self._feature(driver, place)}) is not written")
        if outside != 2 * _GUARD:
            raise ContractError(f"{where}: more numbers are written than its features have ({self.size})")
        if not inside.all():
            place = int(np.argmin(inside))
            bounds = f"[{self.low[place]}, {self.high[place]}]"
            raise ContractError(
                f"{where}: number {place} ({self._feature(driver, place)}) is {out[place]}, not in {bounds}"
            )
        if self.observation.discrete is not None and not (out[0] == int(out[0]) and 0 <= out[0] < self.most):
            raise ContractError(f"{where}: {out[0]} is not an integer below {self.most}")
        expect(driver.states.tobytes() == before, f"{where}: observing changes the state")

    def _feature(self, driver: StateDriver, place: int) -> str:
        return _feature_at(driver.game, self.name, driver.options, place)


def _feature_at(game: Game, observation_name: str, options: Options, place: int) -> str:
    for feature in game.observation(observation_name).features(options):
        if place < feature.size:
            return feature.name
        place -= feature.size
    return "beyond the features"


# -- keys and indices -------------------------------------------------------------------------------------------------


def check_state_index(game: Game, options: Options, seed: int = 0, most: int = 400) -> None:
    """Keys and indices correspond one to one, index 0 is reserved for the end, and policy tables have the right size.

    They are checked for the seat to decide, and for every seat at the end.
    """
    index = game.state_index
    if index.num_info_states is None:
        expect(index.info_state_keys is None, f"{game.id}: keys without num_info_states")
        return
    size = index.num_info_states(options)
    if index.info_state_keys is not None:
        keys = index.info_state_keys(options)
        expect(len(keys) == size, f"{game.id}: {len(keys)} keys for {size} indices")
        expect(len(np.unique(keys)) == size, f"{game.id}: info_state_keys() has a key twice")
    for name in game.players:
        player = resolve(name, game, options)
        if isinstance(player, TablePlayer):
            again = resolve(name, game, options)
            right = player.actions.dtype == np.int8 and player.actions.shape == (size,)
            expect(right, f"{game.id}: the table of player {name} is not int8 of ({size},)")
            expect(
                isinstance(again, TablePlayer) and np.array_equal(player.actions, again.actions),
                f"{game.id}: the table of player {name} differs from one call to the next",
            )
    _check_visited_indices(StateDriver(game, options), size, seed, most)


def _check_visited_indices(driver: StateDriver, size: int, seed: int, most: int) -> None:
    index_of_key: dict[int, int] = {}
    for _, position in positions(driver, seed, most, again=True, ends=True):
        deciding = [driver.current_player] if driver.current_player >= 0 else []
        for seat in range(driver.options.num_players) if driver.over else deciding:
            key, index = driver.info_state_key(seat), driver.info_state_index(seat)
            where = f"{position}, seat {seat}"
            expect(0 <= index < size, f"{where}: index {index} of key {key} is not below {size}")
            expect((index == 0) == driver.over, f"{where}: index {index}, over: {driver.over}; index 0 is the end only")
            if not driver.over:
                known = index_of_key.setdefault(key, index)
                expect(known == index, f"{where}: key {key} has indices {known} and {index}")


# -- words ------------------------------------------------------------------------------------------------------------


def check_words(game: Game, options: Options, seed: int = 0, most: int = 150) -> None:
    """States, legal actions and moves have descriptions, and legal actions different ones."""
    driver = StateDriver(game, options)
    for number, where in positions(driver, seed, most, ends=True):
        for seat in range(options.num_players):
            expect(driver.describe(seat).strip(), f"{where}: describe() is empty for seat {seat}")
            message = driver.narrate(seat) if number else ""
            expect(isinstance(message, str), f"{where}: narrate() returns {message!r} for seat {seat}")
        if driver.current_player >= 0:
            texts = [driver.action_text(action) for action in driver.legal_actions()]
            expect(all(texts) and len(set(texts)) == len(texts), f"{where}: actions share their words: {texts}")


# -- views ------------------------------------------------------------------------------------------------------------


def check_views(game: Game, options: Options, seed: int = 0, most: int = 150) -> None:
    """Check that views and reveals are JSON data whose items have unique ids and known symbols.

    The view of the seat to decide lists every legal action and the items to click for it, different ones for each
    action.
    """
    driver = StateDriver(game, options)
    drawn = presentation_of(game).symbols()
    for number, where in positions(driver, seed, most, ends=True):
        legal = driver.legal_actions() if driver.current_player >= 0 else []
        for seat in range(-1, options.num_players):
            view = driver.view(seat)
            _check_view(view, drawn, f"{where}, seat {seat}")
            expect(view["to_act"] == max(driver.current_player, -1), f"{where}: view() says {view['to_act']} is to act")
            expected = legal if seat == driver.current_player else []
            expect(sorted(view["actions"]) == expected, f"{where}: view() of seat {seat} has other actions than legal")
            for reveal in driver.reveals(seat) if number else ():
                json.dumps(reveal)
                _check_items(reveal["items"], drawn, f"{where}, reveals() for seat {seat}")


def _check_view(view: View, drawn: Mapping[str, Symbol], where: str) -> None:
    json.dumps(view)
    items = [item for zone in view["zones"] for item in zone["items"]]
    _check_items(items, drawn, f"{where}, view()")
    for zone in view["zones"]:
        board = zone.get("symbol")
        expect(
            board is None or board in drawn, f"{where}: zone {zone['name']!r} has a board that is not drawn: {board!r}"
        )
    ids = {item["id"] for item in items}
    about = [tuple(sorted(chosen)) for chosen in view["actions"].values() if chosen]
    for chosen in about:
        expect(ids.issuperset(chosen), f"{where}: view() has an action about {chosen}, not all of which it shows")
    expect(len(set(about)) == len(about), f"{where}: two actions of view() are about the same items: {sorted(about)}")


def _check_items(items: Sequence[Item], drawn: Mapping[str, Symbol], where: str) -> None:
    ids = [item["id"] for item in items]
    expect(len(set(ids)) == len(ids), f"{where}: an id comes twice: {ids}")
    for item in items:
        expect(item["label"].strip(), f"{where}: item {item['id']!r} has no label")
        expect(not item["symbol"] or item["symbol"] in drawn, f"{where}: {item['symbol']!r} is not drawn")
