"""Checks of a game's rules on tables played move by move. Each raises `ContractError` where the contract is broken."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options, TablePolicy
from cardgym.errors import CardgymError
from cardgym.testing.driver import StateDriver, expect, generator, state_digest

_GUARD = 8
_GUARD_VALUE = np.float32(12345.5)


def check_record(game: Game, cases: Iterable[Options]) -> None:
    """The record holds `num_players`, `reward` and every option, and no field named like an attribute of a record."""
    taken = set(dir(np.zeros(1, [("x", np.int8)]).view(np.recarray)[0])) - {"x"}
    for name in game.state.names or ():
        expect(name not in taken, f"{game.id}: the field {name!r} has the name of an attribute of np.record; rename it")
    for name in ("num_players", "reward"):
        expect(name in (game.state.names or ()), f"{game.id}: the record has no field {name!r}")
    for options in cases:
        expect(
            options.num_players <= game.max_players, f"{game.id}: {options} has more seats than `reward` has numbers"
        )
        written = _written(game, options)
        for spec in dataclasses.fields(options):
            other = _another_value(options, spec)
            if other is not None:
                expect(
                    _written(game, other).tobytes() != written.tobytes(),
                    f"{game.id}: option {spec.name} is not in the record: {getattr(options, spec.name)!r} and "
                    f"{getattr(other, spec.name)!r} write the same",
                )


def _written(game: Game, options: Options) -> npt.NDArray[Any]:
    states: npt.NDArray[Any] = np.zeros(1, game.state)
    options.write(states.view(np.recarray)[0])
    return states


def _another_value(options: Options, spec: dataclasses.Field[Any]) -> Options | None:
    value = getattr(options, spec.name)
    if "choices" in spec.metadata:
        others = [choice for choice in spec.metadata["choices"] if choice != value]
    else:
        low, high, step = (spec.metadata[key] for key in ("low", "high", "step"))
        others = [number for number in (value - step, value + step) if low <= number <= high]
    for other in others:
        try:
            return dataclasses.replace(options, **{spec.name: other})
        except CardgymError:
            continue
    return None


def check_options(game: Game) -> None:
    """Every value that an option does not allow is one line that names what is allowed; so is an unknown option."""
    default = game.parse_options()
    for spec in dataclasses.fields(game.options):
        bad: list[Any] = [None, [], "", "no such word", float("nan"), 0.5, b"x"]
        if "choices" in spec.metadata:
            named = [str(choice) for choice in spec.metadata["choices"]]
            words = {*named, *spec.metadata["aliases"]}
            bad += [value for value in (0, True, named[0].upper() + "x") if str(value).lower() not in words]
        else:
            low, high, step = (spec.metadata[key] for key in ("low", "high", "step"))
            named = [str(low), str(high)]
            bad += [low - step, high + step, low - 1, 10**30, -(10**30), True, float("inf"), f"{high}0000"]
            bad += [low + 1] if step > 1 else []
            same = game.options.parse({**default.asdict(), spec.name: str(getattr(default, spec.name))})
            expect(same == default, f"{game.id}: option {spec.name} is not understood as a word of the command line")
        for value in bad:
            message = _refusal(game, {spec.name: value})
            expect(message is not None, f"{game.id}: option {spec.name}={value!r} is accepted")
            missing = [word for word in (spec.name, *named) if word not in str(message)]
            expect(
                not missing and "\n" not in str(message),
                f"{game.id}: the error for {spec.name}={value!r} is no line that names {missing}: {message}",
            )
        message = _refusal(game, {spec.name + "x": 1})
        expect(
            message is not None and f"did you mean {spec.name!r}" in message,
            f"{game.id}: the unknown option {spec.name + 'x'!r} is not met with the nearest: {message}",
        )


def _refusal(game: Game, values: dict[str, Any]) -> str | None:
    try:
        game.parse_options(values)
    except CardgymError as error:
        return str(error)
    return None


def check_moves(game: Game, options: Options, seed: int = 0, most: int = 250) -> None:
    """A mask is never empty before the end, every legal action and every outcome of chance is a move, moves are
    functions of the state alone, reading changes nothing, and a finished game has winners of all its contests."""
    rng = np.random.default_rng(seed)
    table = StateDriver(game, options)
    for number in range(most):
        where = f"{table}, seed {seed}, move {number}"
        if table.over:
            break
        moves: Iterable[int]
        if table.num_chance_outcomes:
            moves = {0, table.num_chance_outcomes - 1, int(rng.integers(table.num_chance_outcomes))}
        else:
            _check_mask(table, where)
            moves = table.legal_actions()
            expect(
                0 <= table.current_player < options.num_players,
                f"{where}: seat {table.current_player} is to decide, which is no seat",
            )
            expect(
                np.isfinite(table.forfeit(table.current_player)),
                f"{where}: a forfeit pays {table.forfeit(table.current_player)}",
            )
            expect(
                table.forfeit(table.current_player) <= 0,
                f"{where}: giving up pays {table.forfeit(table.current_player)}, a reward",
            )
        expect(table.num_chance_outcomes >= 0, f"{where}: {table.num_chance_outcomes} outcomes of chance")
        for move in moves:
            one, other = table.copy(), table.copy()
            before = state_digest(table.states)
            paid = one.apply_action(move)
            expect(
                np.array_equal(paid, other.apply_action(move)) and one.digest() == other.digest(),
                f"{where}: move {move} played twice from one state leads to two states or rewards",
            )
            expect(one.digest() != before, f"{where}: move {move} changes nothing")
            expect(np.isfinite(paid).all(), f"{where}: move {move} pays {paid}")
            expect(not paid[options.num_players :].any(), f"{where}: move {move} pays a seat that nobody has: {paid}")
            expect(one.deal >= table.deal, f"{where}: move {move} leads from deal {table.deal} back to {one.deal}")
        table.random_move(rng)


def _check_mask(table: StateDriver, where: str) -> None:
    size = table.legal_action_mask().shape[0]
    table._mask[:] = 7  # Whatever a mask held before must be gone.
    mask, before = table.legal_action_mask(), table.states.tobytes()
    expect(
        mask.max(initial=0) <= 1 and mask.min(initial=0) >= 0, f"{where}: the mask holds others than 0 and 1: {mask}"
    )
    expect(mask.shape[0] == size and mask.any(), f"{where}: no action is legal, and the game is not over")
    expect(table.states.tobytes() == before, f"{where}: asking what is legal changes the state")


def check_endings(game: Game, options: Options, seed: int = 0, games: int = 3, most: int = 20_000) -> None:
    """Random games end; what the seats won sums to the contests; and a record used before starts like a new one."""
    used = StateDriver(game, options)
    for number in range(games):
        new = StateDriver(game, options)
        used.setup()
        rng, again = np.random.default_rng((seed, number)), np.random.default_rng((seed, number))
        for place, (one, other) in enumerate(
            zip(new.play_randomly(rng, most), used.play_randomly(again, most), strict=True)
        ):
            same = (one.seat, one.num_chance_outcomes, one.move) == (other.seat, other.num_chance_outcomes, other.move)
            expect(
                same and np.array_equal(one.paid, other.paid),
                f"{new}, seed {seed}, game {number}: move {place} is {one} in a new record and {other} in one that "
                "held a game before; setup() must overwrite everything",
            )
        expect(new.over, f"{new}, seed {seed}, game {number}: not over after {most} moves")
        for seat in range(options.num_players):
            expect(
                np.array_equal(new.observe(seat), used.observe(seat)),
                f"{new}: seat {seat} observes what an earlier game left in the record; setup() must overwrite it",
            )
        won = [float(game.rules.score(new.state, seat)) for seat in range(options.num_players)]
        contests = float(game.rules.max_score(new.state))
        total = sum(won)
        against_house = options.num_players == 1 and total <= contests  # The house wins the rest.
        expect(
            against_house or abs(total - contests) < 1e-9,
            f"{new}: seats won {won}, which does not sum to {contests} contests",
        )
        expect(min(won) >= 0, f"{new}: seats won {won}")


def check_conserved(game: Game, options: Options, seed: int = 0, most: int = 2_000) -> None:
    """Cards, credits and whatever else `conserved` counts are the same after every move, chance's too."""
    table = StateDriver(game, options)
    first = game.rules.invariants(table.state)
    expect(len(first) > 0, f"{game.id}: conserved() counts nothing")
    for number, move in enumerate(table.play_randomly(np.random.default_rng(seed), most)):
        now = game.rules.invariants(table.state)
        expect(now == first, f"{table}, seed {seed}, move {number} ({move}): conserved() was {first} and is {now}")


def check_hidden(game: Game, options: Options, seed: int = 0, most: int = 90, hides: bool = True) -> None:
    """What a seat cannot see, drawn anew, changes nothing that it is shown or counted, nor what players do there."""
    table = StateDriver(game, options)
    rng = np.random.default_rng(seed)
    drawn = changed = 0
    for number in range(most):
        if table.over:
            table.setup()
        where = f"{table}, seed {seed}, move {number}"
        for seat in _seats(table, number):
            other = table.copy()
            other.resample(seat, generator(seed, number, seat))
            drawn += 1
            changed += state_digest(other.states) != state_digest(table.states)
            _compare_knowledge(table, other, seat, f"{where}: resampling what seat {seat} cannot see")
            if table.current_player == seat:
                _compare_players(table, other, f"{where}: resampling what seat {seat} cannot see", (seed, number))
        table.random_move(rng)
    expect(
        changed > 0 or not hides,
        f"{table}: resample() changed none of {drawn} states; if the game hides nothing, say hides = False",
    )


def _seats(table: StateDriver, number: int) -> set[int]:
    """The seat to decide, and each seat in turn."""
    turn = number % table.options.num_players
    return {turn, table.current_player} if table.current_player >= 0 else {turn}


def _compare_knowledge(table: StateDriver, other: StateDriver, seat: int, what: str) -> None:
    game = table.game
    facts: dict[str, Callable[[StateDriver], Any]] = {
        "who is to decide": lambda one: one.current_player,
        "the number of outcomes of chance": lambda one: one.num_chance_outcomes,
        "the deal": lambda one: one.deal,
        "the state code": lambda one: one.info_state_key(seat),
        "the index": lambda one: one.info_state_index(seat),
        "conserved()": lambda one: game.rules.invariants(one.state),
        "describe()": lambda one: game.words.describe(one.state, seat),
    }
    if table.current_player == seat:
        facts["the mask"] = lambda one: one.legal_action_mask().tolist()
    other.refresh()
    for name, fact in facts.items():
        expect(fact(table) == fact(other), f"{what} changes {name}: {fact(table)} to {fact(other)}")
    for observation_name in game.observations:
        one, two = table.observe(seat, observation_name), other.observe(seat, observation_name)
        if not np.array_equal(one, two):
            place = int(np.flatnonzero(one != two)[0])
            feature = _feature_at(game, observation_name, table.options, place)
            expect(
                False,
                f"{what} changes observation {observation_name!r}, number {place} ({feature}): {one[place]} to {two[place]}",
            )


def _feature_at(game: Game, observation_name: str, options: Options, place: int) -> str:
    for row in game.observation(observation_name).features(options):
        if place < row.size:
            return row.name
        place -= row.size
    return "beyond the table"


def _compare_players(table: StateDriver, other: StateDriver, what: str, key: tuple[int, int]) -> None:
    allowed, before = table.legal_actions(), table.states.tobytes()
    for player in table.players:
        one, two = table.choose_action(player, generator(*key)), other.choose_action(player, generator(*key))
        expect(one in allowed, f"{what}: player {player} takes action {one}, which is not legal")
        expect(one == two, f"{what} changes player {player}'s action {one} to {two}: it peeks")
        expect(table.states.tobytes() == before, f"{what}: player {player} changes the state")


def check_observations(game: Game, options: Options, seed: int = 0, most: int = 150) -> None:
    """Every observation is as long as its table says, written in full, inside its bounds, and changes no state."""
    table = StateDriver(game, options)
    rng = np.random.default_rng(seed)
    for name, observation in game.observations.items():
        rows = observation.features(options)
        names = [row.name for row in rows]
        expect(len(set(names)) == len(names), f"{game.id}: two rows of the table of {name!r} have one name: {names}")
        for row in rows:
            expect(row.size > 0 and row.low < row.high, f"{game.id}: {name!r} has a row without room: {row}")
    for number in range(most):
        if table.over and rng.random() < 0.5:  # The end itself is observed, too.
            table.setup()
        for seat in _seats(table, number):
            for name in game.observations:
                _check_observation(table, seat, name, f"{table}, seed {seed}, move {number}, seat {seat}, {name!r}")
        if not table.over:
            table.random_move(rng)


def _check_observation(table: StateDriver, seat: int, name: str, where: str) -> None:
    observation, before = table.game.observation(name), table.states.tobytes()
    size = observation.size(table.options)
    guarded = np.full(size + 2 * _GUARD, _GUARD_VALUE, np.float32)
    out = guarded[_GUARD:-_GUARD]
    table.observe_into(seat, name, out)
    untouched = np.flatnonzero(out == _GUARD_VALUE)
    expect(
        not len(untouched),
        f"{where}: number {untouched[:1]} ({_feature_at(table.game, name, table.options, int(untouched[:1].sum()))}) "
        "is not written",
    )
    around = np.concatenate([guarded[:_GUARD], guarded[-_GUARD:]])
    expect((around == _GUARD_VALUE).all(), f"{where}: more numbers are written than the {size} of the table")
    low, high = observation.bounds(table.options)
    inside = (out >= low) & (out <= high)
    if not inside.all():
        place = int(np.argmin(inside))
        feature = _feature_at(table.game, name, table.options, place)
        expect(False, f"{where}: number {place} ({feature}) is {out[place]}, not in [{low[place]}, {high[place]}]")
    if observation.discrete is not None:
        expect(size == 1, f"{where}: a discrete observation has {size} numbers")
        most = observation.discrete(table.options)
        expect(out[0] == int(out[0]) and 0 <= out[0] < most, f"{where}: {out[0]} is no whole number below {most}")
        expect(most <= 2**24, f"{where}: float32 does not hold {most} whole numbers")
    expect(table.states.tobytes() == before, f"{where}: observing changes the state")


def check_index(game: Game, options: Options, seed: int = 0, most: int = 400) -> None:
    """Codes and indices stand for each other: as many of both, unique, 0 the end, and tables of players fit them.

    They are asked for at the decisions of the seat to decide, and at the end.
    """
    if game.state_index.num_info_states is None:
        expect(
            game.state_index.info_state_keys is None
            and not any(isinstance(player, TablePolicy) for player in game.players.values()),
            f"{game.id}: codes or tables without num_info_states",
        )
        return
    size = game.state_index.num_info_states(options)
    if game.state_index.info_state_keys is not None:
        codes = game.state_index.info_state_keys(options)
        expect(len(codes) == size, f"{game.id}: {len(codes)} codes for {size} indices")
        expect(len(np.unique(codes)) == size, f"{game.id}: a code stands twice in codes()")
    for name, player in game.players.items():
        if not isinstance(player, TablePolicy):
            continue
        make = player.make
        actions = make(options)
        expect(
            actions.dtype == np.int8 and actions.shape == (size,), f"{game.id}: table {name} is no int8 of ({size},)"
        )
        expect(np.array_equal(actions, make(options)), f"{game.id}: table {name} differs from one call to the next")
    table = StateDriver(game, options)
    seen: dict[int, int] = {}
    rng = np.random.default_rng(seed)
    for number in range(most):
        seats = [table.current_player] if table.current_player >= 0 else range(options.num_players if table.over else 0)
        for seat in seats:
            code, index = table.info_state_key(seat), table.info_state_index(seat)
            where = f"{table}, seed {seed}, move {number}, seat {seat}"
            expect(0 <= index < size, f"{where}: index {index} of code {code} is not below {size}")
            expect(
                (index == 0) == table.over, f"{where}: index {index}, over: {table.over}; index 0 is the end's alone"
            )
            if not table.over:
                had = seen.setdefault(code, index)
                expect(had == index, f"{where}: code {code} has indices {had} and {index}")
        if table.over:
            table.setup()
        else:
            table.random_move(rng)


def check_texts(game: Game, options: Options, seed: int = 0, most: int = 150) -> None:
    """The table, every legal action and every move have words, and those of a move tell no seat more than it sees."""
    table = StateDriver(game, options)
    rng = np.random.default_rng(seed)
    for number in range(most):
        where = f"{table}, seed {seed}, move {number}"
        if table.over:
            break
        for seat in range(options.num_players):
            expect(game.words.describe(table.state, seat).strip(), f"{where}: describe() is empty for seat {seat}")
        if not table.num_chance_outcomes:
            words = [game.words.action_text(table.state, action) for action in table.legal_actions()]
            expect(all(words) and len(set(words)) == len(words), f"{where}: actions share their words: {words}")
        start = table.copy()
        move = table.random_move(rng)
        for seat in range(options.num_players):
            told = game.words.narrate(start.state, move.move, table.state, seat)
            expect(isinstance(told, str), f"{where}: narrate() tells {told!r} to seat {seat}")
            if not start.num_chance_outcomes and not table.over and table.deal == start.deal:
                other = start.copy()
                other.resample(seat, generator(seed, number))
                _check_secrets_of_words(start, other, move.move, table, seat, told, where)


def _check_secrets_of_words(
    start: StateDriver, other: StateDriver, action: int, after: StateDriver, seat: int, told: str, where: str
) -> None:
    """Where the same action leaves a seat seeing the same though what it cannot see differs, it is told the same.

    At the end of a deal hands may be shown that nobody sees afterwards, and chance may show a card (a cut for the
    first deal): such moves may tell more.
    """
    if action not in other.legal_actions():
        return
    before = other.states.copy().view(np.recarray)[0]
    other.apply_action(action)
    if not other.over and other.deal == start.deal and _shown(other, seat) == _shown(after, seat):
        otherwise = start.game.words.narrate(before, action, other.state, seat)
        expect(
            told == otherwise,
            f"{where}: narrate() tells seat {seat} what it cannot see: {told!r}, and {otherwise!r} were that otherwise",
        )


def _shown(table: StateDriver, seat: int) -> tuple[str, bytes]:
    return table.game.words.describe(table.state, seat), table.observe(seat).tobytes()
