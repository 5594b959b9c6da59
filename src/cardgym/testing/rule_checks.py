"""Checks of a game's rules, move by move. Each raises `ContractError` where the contract is broken."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cardgym.engine.contract import Game, Options, no_invariants
from cardgym.testing.driver import ContractError, StateDriver, expect

_STALE = 7
"""What a mask holds before the rules fill it: a number that no mask may keep."""


def check_moves(game: Game, options: Options, seed: int = 0, most: int = 250) -> None:
    """Moves of a random game.

    A mask is never empty before the end. Every legal action, and every outcome of chance, changes the state, and is a
    function of the state alone. Reading changes nothing.
    """
    rng = np.random.default_rng(seed)
    driver = StateDriver(game, options)
    after, again = driver.copy(), driver.copy()
    for number in range(most):
        if driver.over:
            break
        where = f"{driver}, seed {seed}, move {number}"
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
                raise ContractError(f"{where}: move {move} pays a seat that nobody has: {paid}")
            if after.deal < driver.deal:
                raise ContractError(f"{where}: move {move} leads from deal {driver.deal} back to {after.deal}")
        driver.random_move(rng)


def _check_decision(driver: StateDriver, where: str) -> list[int]:
    """The legal actions, after the mask, the seat and the forfeit were checked."""
    seat, before = driver.current_player, driver.states.tobytes()
    expect(0 <= seat < driver.options.num_players, f"{where}: seat {seat} is to decide, which is no seat")
    mask = driver.legal_action_mask(fill=_STALE)
    expect(
        mask.max(initial=0) <= 1 and mask.min(initial=0) >= 0, f"{where}: the mask holds others than 0 and 1: {mask}"
    )
    expect(mask.any(), f"{where}: no action is legal, and the game is not over")
    forfeit = driver.forfeit(seat)
    expect(np.isfinite(forfeit), f"{where}: a forfeit pays {forfeit}")
    expect(forfeit <= 0, f"{where}: a forfeit pays {forfeit}, a reward")
    expect(driver.states.tobytes() == before, f"{where}: reading the legal actions changes the state")
    return [int(action) for action in np.flatnonzero(mask)]


def check_endings(game: Game, options: Options, seed: int = 0, games: int = 3, most: int = 20_000) -> None:
    """Random games end; the scores sum to `max_score`; and a record that held a game before plays like a new one."""
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
                    f"{where}: move {place} is {move} in a new record and {same} in one that held a game before; "
                    "setup() must overwrite everything"
                )
        expect(new.over, f"{where}: not over after {most} moves")
        for seat in range(options.num_players):
            expect(
                np.array_equal(new.observe(seat), used.observe(seat)),
                f"{new}: seat {seat} observes what an earlier game left in the record; setup() must overwrite it",
            )
        check_scores(new)


def check_scores(driver: StateDriver) -> None:
    """At the end the seats' scores sum to `max_score`; in a game of one seat they may sum to less."""
    scores = [driver.score(seat) for seat in range(driver.options.num_players)]
    total, most = sum(scores), driver.max_score()
    against_house = len(scores) == 1 and total <= most  # The house wins the rest.
    expect(
        against_house or abs(total - most) < 1e-9, f"{driver}: scores {scores}, which does not sum to max_score {most}"
    )
    expect(min(scores) >= 0, f"{driver}: scores {scores}")


def check_invariants(game: Game, options: Options, seed: int = 0, most: int = 2_000) -> None:
    """What `invariants` counts (cards, credits) is the same after every move, chance's too."""
    driver = StateDriver(game, options)
    first = game.rules.invariants(driver.state)
    given = game.rules.invariants is not no_invariants
    expect(len(first) > 0 or not given, f"{game.id}: invariants() counts nothing")
    for number, move in enumerate(driver.play_randomly(np.random.default_rng(seed), most)):
        now = game.rules.invariants(driver.state)
        if now != first:
            raise ContractError(f"{driver}, seed {seed}, move {number} ({move}): invariants() was {first} and is {now}")
