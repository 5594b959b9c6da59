"""Checks of a game's state, options, documentation and rules; each raises `ContractError` if it finds a fault."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options, feature_table, no_invariants
from cardgym.engine.declarations import allowed_values, possible_values
from cardgym.errors import CardgymError
from cardgym.testing.driver import ContractError, StateDriver, expect, positions

# -- state and options -------------------------------------------------------------------------------------------------


def check_state(game: Game, cases: Iterable[Options]) -> None:
    """Check that a state has `num_players`, `paid` and every option, and no name of an attribute of `np.record`."""
    taken = set(dir(np.zeros(1, [("x", np.int8)]).view(np.recarray)[0])) - {"x"}
    for name in game.state.names or ():
        expect(name not in taken, f"{game.id}: the field {name!r} is an attribute of np.record; rename it")
    for name in ("num_players", "paid"):
        expect(name in (game.state.names or ()), f"{game.id}: the state has no field {name!r}")
    for options in cases:
        expect(options.num_players <= game.max_players, f"{game.id}: {options} has more seats than the field `paid`")
        written = _written(game, options)
        for spec in dataclasses.fields(options):
            other = _another_value(options, spec)
            if other is not None:
                expect(
                    _written(game, other).tobytes() != written.tobytes(),
                    f"{game.id}: option {spec.name} is not in the state: {getattr(options, spec.name)!r} and "
                    f"{getattr(other, spec.name)!r} write the same state",
                )


def _written(game: Game, options: Options) -> npt.NDArray[Any]:
    states: npt.NDArray[Any] = np.zeros(1, game.state)
    options.write(states.view(np.recarray)[0])
    return states


def _another_value(options: Options, spec: dataclasses.Field[Any]) -> Options | None:
    values = possible_values(spec)
    place = values.index(getattr(options, spec.name))
    for other in (*values[place + 1 : place + 3], *reversed(values[max(place - 2, 0) : place])):
        with contextlib.suppress(CardgymError):
            return dataclasses.replace(options, **{spec.name: other})
    return None


def check_options(game: Game) -> None:
    """Invalid values and unknown options are rejected in one line that names the allowed values or the nearest name."""
    default = game.parse_options()
    for spec in dataclasses.fields(game.options):
        refused, allowed = _values_to_refuse(spec)
        if "choices" not in spec.metadata:
            same = game.options.parse({**default.asdict(), spec.name: str(getattr(default, spec.name))})
            expect(same == default, f"{game.id}: option {spec.name} cannot be parsed from a string")
        for value in refused:
            message = _refusal(game, {spec.name: value})
            expect(message is not None, f"{game.id}: option {spec.name}={value!r} is accepted")
            missing = [word for word in (spec.name, *allowed) if word not in str(message)]
            expect(
                not missing and "\n" not in str(message),
                f"{game.id}: the error for {spec.name}={value!r} is not one line that names {missing}: {message}",
            )
        message = _refusal(game, {spec.name + "x": 1})
        expect(
            message is not None and f"did you mean {spec.name!r}" in message,
            f"{game.id}: the error for the unknown option {spec.name + 'x'!r} does not name the nearest: {message}",
        )


def _values_to_refuse(spec: dataclasses.Field[Any]) -> tuple[list[Any], list[str]]:
    """Values that the option must reject, and words that the error must contain."""
    bad: list[Any] = [None, [], "", "no such word", float("nan"), 0.5, b"x"]
    if "choices" in spec.metadata:
        allowed = [str(choice) for choice in spec.metadata["choices"]]
        words = {*allowed, *spec.metadata["aliases"]}
        return bad + [
            value for value in (0, True, allowed[0].upper() + "x") if str(value).lower() not in words
        ], allowed
    low, high, step = (spec.metadata[key] for key in ("low", "high", "step"))
    bad += [low - step, high + step, low - 1, 10**30, -(10**30), True, float("inf"), f"{high}0000"]
    return bad + ([low + 1] if step > 1 else []), [allowed_values(spec)]


def _refusal(game: Game, values: dict[str, Any]) -> str | None:
    try:
        game.parse_options(values)
    except CardgymError as error:
        return str(error)
    return None


# -- documentation -----------------------------------------------------------------------------------------------------

HEADINGS = (
    "Description",
    "Action Space",
    "Observation Space",
    "Starting State",
    "Rewards",
    "Episode End",
    "Information",
    "Arguments",
    "References",
    "Version History",
)
"""The headings of Gymnasium's env pages."""


def check_doc(game: Game) -> None:
    """Check that the documentation has Gymnasium's headings, every option, and the features of every observation."""
    doc = game.documentation
    lines = [" ".join(line.split()) for line in doc.splitlines()]
    headings = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    missing = [heading for heading in HEADINGS if heading not in headings]
    expect(not missing, f"{game.id}: the documentation has no heading {', '.join(missing)}")
    options = game.parse_options()
    for spec in dataclasses.fields(game.options):
        expect(f"`{spec.name}`" in doc, f"{game.id}: the documentation does not mention the option `{spec.name}`")
    for name, observation in game.observations.items():
        named = len(game.observations) == 1 or f'obs="{name}"' in doc
        expect(named, f'{game.id}: the documentation does not mention obs="{name}"')
        if observation.discrete is not None:
            space = f"Discrete({observation.discrete(options)})"
            expect(space in doc, f"{game.id}: the documentation does not say that {name!r} is {space}")
            continue
        for row in feature_table(observation.features(options)).splitlines():
            line = " ".join(row.split())
            expect(line in lines, f"{game.id}: the documentation of {name!r} has no row {line!r}")


# -- rules -------------------------------------------------------------------------------------------------------------

_STALE = 7
"""Fills a mask before the rules write it, to find entries that they leave out."""


def check_moves(game: Game, options: Options, seed: int = 0, most: int = 250) -> None:
    """Check every move of a random game.

    Before the end some action is legal. Every legal action and chance outcome changes the state, and depends on nothing
    but the state. Queries do not change the state.
    """
    rng = np.random.default_rng(seed)
    driver = StateDriver(game, options)
    after, again = driver.copy(), driver.copy()
    for _, where in positions(driver, seed, most):
        moves: Iterable[int]
        if driver.num_chance_outcomes:
            moves = {0, driver.num_chance_outcomes - 1, int(rng.integers(driver.num_chance_outcomes))}
        else:
            moves = _check_decision(driver, where)
        expect(driver.num_chance_outcomes >= 0, f"{where}: {driver.num_chance_outcomes} outcomes of chance")
        before = driver.state_bytes()
        for move in moves:
            after.assign(driver)
            again.assign(driver)
            paid, paid_again = after.apply_action(move), again.apply_action(move)
            reached = after.state_bytes()
            if paid.tobytes() != paid_again.tobytes() or reached != again.state_bytes():
                raise ContractError(f"{where}: move {move} played twice from one state leads to two states or rewards")
            if reached == before:
                raise ContractError(f"{where}: move {move} changes nothing")
            if not np.isfinite(paid).all():
                raise ContractError(f"{where}: move {move} pays {paid}")
            if paid[options.num_players :].any():
                raise ContractError(f"{where}: move {move} pays a seat that does not exist: {paid}")
            if after.deal < driver.deal:
                raise ContractError(f"{where}: move {move} leads from deal {driver.deal} back to {after.deal}")


def _check_decision(driver: StateDriver, where: str) -> list[int]:
    """Check the mask, the seat and the forfeit; return the legal actions."""
    seat, before = driver.current_player, driver.states.tobytes()
    expect(0 <= seat < driver.options.num_players, f"{where}: seat {seat} is to decide, but does not exist")
    mask = driver.legal_action_mask(fill=_STALE)
    expect(
        mask.max(initial=0) <= 1 and mask.min(initial=0) >= 0,
        f"{where}: the mask has values other than 0 and 1: {mask}",
    )
    expect(mask.any(), f"{where}: no action is legal, and the game is not over")
    forfeit = driver.forfeit(seat)
    expect(np.isfinite(forfeit), f"{where}: a forfeit pays {forfeit}")
    expect(forfeit <= 0, f"{where}: a forfeit pays {forfeit}, a reward")
    expect(driver.states.tobytes() == before, f"{where}: reading the legal actions changes the state")
    return [int(action) for action in np.flatnonzero(mask)]


def check_endings(game: Game, options: Options, seed: int = 0, games: int = 3, most: int = 20_000) -> None:
    """Random games end with scores that sum to `max_score`, and a reused state plays like a new one."""
    used = StateDriver(game, options)
    for number in range(games):
        new = StateDriver(game, options)
        used.setup()
        where = f"{new}, seed {seed}, game {number}"
        streams = (np.random.default_rng((seed, number)) for _ in range(2))
        walks = zip(*(driver.play_randomly(rng, most) for driver, rng in zip((new, used), streams, strict=True)),
                    strict=True)  # fmt: skip
        for place, (move, same) in enumerate(walks):
            if (move.seat, move.num_chance_outcomes, move.move) != (same.seat, same.num_chance_outcomes, same.move) or (
                move.paid.tobytes() != same.paid.tobytes()
            ):
                raise ContractError(
                    f"{where}: move {place} is {move} in a new state and {same} in a reused one; "
                    "setup() must overwrite everything"
                )
        expect(new.over, f"{where}: not over after {most} moves")
        for seat in range(options.num_players):
            expect(
                np.array_equal(new.observe(seat), used.observe(seat)),
                f"{new}: seat {seat} observes values from an earlier game; setup() must overwrite them",
            )
        check_scores(new)


def check_scores(driver: StateDriver) -> None:
    """At the end the scores sum to `max_score`; in a game with one seat they may sum to less."""
    scores = [driver.score(seat) for seat in range(driver.options.num_players)]
    total, most = sum(scores), driver.max_score()
    against_house = len(scores) == 1 and total <= most  # The house wins the rest.
    expect(
        against_house or abs(total - most) < 1e-9, f"{driver}: scores {scores}, which does not sum to max_score {most}"
    )
    expect(min(scores) >= 0, f"{driver}: scores {scores}")


def check_invariants(game: Game, options: Options, seed: int = 0, most: int = 2_000) -> None:
    """No move, of chance or a seat, changes what `invariants` returns."""
    driver = StateDriver(game, options)
    first = game.rules.invariants(driver.state)
    given = game.rules.invariants is not no_invariants
    expect(len(first) > 0 or not given, f"{game.id}: invariants() returns nothing")
    for _, where in positions(driver, seed, most, ends=True):
        now = game.rules.invariants(driver.state)
        if now != first:
            raise ContractError(f"{where}: invariants() was {first} and is {now}")
