"""Golden playthroughs: a game written down move by move, to be read by people and compared by tests.

After a wanted change of rules, observation or text, write them anew and read the difference:

    python -m cardgym.testing.golden --update --folder tests/golden [GAME ...]

A game outside the package is named `module:Id-v0`.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.testing.driver import ContractError, Move, StateDriver, option_cases

_CASES = 4
_MOVES = (150, 40)
"""How many moves are written of the first set of options, and of each further one."""


def path_of(game: Game, folder: Path) -> Path:
    """Where a game's golden playthrough lies."""
    return folder / f"{game.id}.txt"


def playthrough(game: Game) -> str:
    """The playthrough of a game: random games of a few sets of options, every move with its words and digests."""
    lines = [
        f"Golden playthrough of {game.id}. Written by `python -m cardgym.testing.golden --update`; not by hand.",
        "A move: who, the action or outcome, what it pays, a digest of the state, and what is told to the seats.",
        "A decision: legal actions, and for each observation a digest of its numbers rounded to four places.",
    ]
    for number, options in enumerate(option_cases(game, _CASES)):
        lines += ["", *_game_lines(game, options, number, _MOVES[min(number, 1)])]
    return "\n".join(lines) + "\n"


def _game_lines(game: Game, options: Options, seed: int, most: int) -> Iterator[str]:
    table = StateDriver(game, options)
    yield f"# {', '.join(f'{name}={value}' for name, value in options.asdict().items())}; seed {seed}"
    rng = np.random.default_rng(seed)
    decisions = 0
    for number in range(most):
        if table.over:
            break
        if not table.num_chance_outcomes:
            yield from _decision_lines(table, decisions)
            decisions += 1
        before = table.copy().state
        words = {
            action: game.words.action_text(table.state, action)
            for action in ([] if table.num_chance_outcomes else table.legal_actions())
        }
        move = table.random_move(rng)
        yield _move_line(table, number, move, words.get(move.move, ""))
        for told, seats in _told(table, before, move).items():
            yield f"      seat {' '.join(map(str, seats))}: {told}"
    if table.over:
        won = ", ".join(
            f"seat {seat} {float(game.rules.score(table.state, seat)):g}" for seat in range(options.num_players)
        )
        yield f"The end. Won: {won}; contests {float(game.rules.max_score(table.state)):g}"
        yield from ("  " + line for line in game.words.describe(table.state, 0).splitlines())


def _decision_lines(table: StateDriver, decisions: int) -> Iterator[str]:
    seat = table.current_player
    if decisions % 10 == 0:
        yield from ("  " + line for line in table.game.words.describe(table.state, seat).splitlines())
        for row, numbers in _rows(table, seat):
            yield f"  {table.game.default_observation}.{row} = {numbers}"
    digests = ", ".join(f"{name} {_digest(table.observe(seat, name))}" for name in table.game.observations)
    coded = f"; code {table.info_state_key(seat)}" if table.game.state_index.num_info_states is not None else ""
    yield f"  seat {seat} to decide, legal {' '.join(map(str, table.legal_actions()))}; {digests}{coded}"


def _rows(table: StateDriver, seat: int) -> Iterator[tuple[str, str]]:
    """The rows of the first observation that are not all zero."""
    out, at = table.observe(seat), 0
    for row in table.game.observation(table.game.default_observation).features(table.options):
        numbers = out[at : at + row.size]
        at += row.size
        if numbers.any():
            yield row.name, " ".join(f"{round(float(number), 4):g}" for number in numbers)


def _digest(numbers: npt.NDArray[np.float32]) -> str:
    whole = np.round(numbers.astype(np.float64) * 10_000).astype(np.int64)
    return hashlib.sha256(whole.tobytes()).hexdigest()[:8]


def _move_line(table: StateDriver, number: int, move: Move, words: str) -> str:
    who = (
        f"chance, outcome {move.move} of {move.num_chance_outcomes}"
        if move.num_chance_outcomes
        else f"seat {move.seat}: {move.move} {words}"
    )
    paid = [f"{amount:g}" for amount in move.paid[: table.options.num_players]]
    pays = f" pays {' '.join(paid)}" if move.paid.any() else ""
    return f"{number:>4} {who}{pays} [{table.digest()}]"


def _told(table: StateDriver, before: object, move: Move) -> dict[str, list[int]]:
    told: dict[str, list[int]] = {}
    for seat in range(table.options.num_players):
        words = table.game.words.narrate(before, move.move, table.state, seat)
        if words:
            told.setdefault(words.replace("\n", " / "), []).append(seat)
    return told


def check_golden(game: Game, folder: Path) -> None:
    """The game plays as its golden playthrough says; a game without one fails."""
    path = path_of(game, folder)
    advice = (
        f"write it with `python -m cardgym.testing.golden --update --folder {folder} {game.id}` and read the change"
    )
    if not path.exists():
        raise ContractError(f"{game.id} has no golden playthrough {path}: {advice}")
    old, new = path.read_text().splitlines(), playthrough(game).splitlines()
    if old != new:
        difference = list(difflib.unified_diff(old, new, "golden", "now", lineterm="", n=2))[:24]
        raise ContractError(
            "\n".join([f"{game.id} no longer plays as {path}; if that is wanted, {advice}:", *difference])
        )


def main(words: list[str] | None = None) -> int:
    """Compare playthroughs with the rules, or write them anew."""
    parser = argparse.ArgumentParser(prog="python -m cardgym.testing.golden", description="Golden playthroughs.")
    parser.add_argument("games", nargs="*", help="ids of games (default: all that cardgym registers)")
    parser.add_argument("--update", action="store_true", help="write the playthroughs anew instead of comparing")
    parser.add_argument("--folder", type=Path, default=Path("tests/golden"), help="where they lie")
    arguments = parser.parse_args(words)
    try:
        for name in arguments.games or registered():
            game = find(name)
            if arguments.update:
                with replacing(path_of(game, arguments.folder)) as temporary:
                    temporary.write_text(playthrough(game))
                print(f"{path_of(game, arguments.folder)}: written")
            else:
                check_golden(game, arguments.folder)
                print(f"{path_of(game, arguments.folder)}: the game still plays so")
    except (CardgymError, ContractError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
