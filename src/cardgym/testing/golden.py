"""Golden playthroughs: games recorded move by move, for people to read and tests to compare.

After an intended change of rules, observations or words, write them again and read the diff:

    python -m cardgym.testing.golden --update [GAME ...]

The playthroughs of a game are in `tests/games/<package>/golden`, or in the folder that `--folder` names.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cardgym.engine.contract import Float32s, Game, Options
from cardgym.engine.registry import find, package_of, registered
from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.files.paths import pasted
from cardgym.testing.cases import option_cases
from cardgym.testing.driver import ContractError, Move, StateDriver

_CASES = 4
_MOVES = (150, 40)
"""The number of moves to write for the first set of options, and for each other set."""
_DESCRIBED = 10
"""The number of decisions between full descriptions of the state."""


def path_of(game: Game, folder: Path) -> Path:
    """Return the file of a game's golden playthrough."""
    return folder / f"{game.id}.txt"


def folder_of(game: Game) -> Path:
    """Return the folder of a game's golden playthrough, relative to the repository.

    Raises:
        CardgymError: for a game without a package.
    """
    package = package_of(game)
    if package is None:
        raise CardgymError(f"{game.id} has no package: name the folder of its golden playthrough with --folder")
    return Path("tests") / "games" / package.name / "golden"


def playthrough(game: Game) -> str:
    """Return the text of random games with a few sets of options, each move with its description and digests."""
    lines = [
        f"Golden playthrough of {game.id}. Written by `python -m cardgym.testing.golden --update`; not by hand.",
        "A move: who, the action or outcome, what it pays, a digest of the state, and what is told to the seats.",
        "A decision: legal actions, and for each observation a digest of its numbers rounded to four places.",
    ]
    for number, options in enumerate(option_cases(game, _CASES)):
        lines += ["", *_game_lines(game, options, number, _MOVES[min(number, 1)])]
    return "\n".join(lines) + "\n"


def _game_lines(game: Game, options: Options, seed: int, most: int) -> Iterator[str]:
    driver = StateDriver(game, options)
    yield f"# {', '.join(f'{name}={value}' for name, value in options.asdict().items())}; seed {seed}"
    rng = np.random.default_rng(seed)
    decisions = 0
    for number in range(most):
        if driver.over:
            break
        texts = {}
        if not driver.num_chance_outcomes:
            yield from _decision_lines(driver, described=decisions % _DESCRIBED == 0)
            decisions += 1
            texts = {action: driver.action_text(action) for action in driver.legal_actions()}
        move = driver.random_move(rng)
        yield _move_line(driver, number, move, texts.get(move.move, ""))
        for words, seats in _narrations(driver).items():
            yield f"      seat {' '.join(map(str, seats))}: {words}"
    if driver.over:
        scores = ", ".join(f"seat {seat} {driver.score(seat):g}" for seat in range(options.num_players))
        yield f"The end. Won: {scores}; contests {driver.max_score():g}"
        yield from ("  " + line for line in driver.describe(0).splitlines())


def _decision_lines(driver: StateDriver, *, described: bool) -> Iterator[str]:
    seat = driver.current_player
    if described:
        yield from ("  " + line for line in driver.describe(seat).splitlines())
        for feature, numbers in _features_shown(driver, seat):
            yield f"  {driver.game.default_observation}.{feature} = {numbers}"
    digests = ", ".join(f"{name} {_digest(driver.observe(seat, name))}" for name in driver.game.observations)
    key = f"; code {driver.info_state_key(seat)}" if driver.game.state_index.num_info_states is not None else ""
    yield f"  seat {seat} to decide, legal {' '.join(map(str, driver.legal_actions()))}; {digests}{key}"


def _features_shown(driver: StateDriver, seat: int) -> Iterator[tuple[str, str]]:
    """Yield the features of the default observation that are not all zero."""
    out, start = driver.observe(seat), 0
    for feature in driver.game.observation(driver.game.default_observation).features(driver.options):
        numbers = out[start : start + feature.size]
        start += feature.size
        if numbers.any():
            yield feature.name, " ".join(f"{round(float(number), 4):g}" for number in numbers)


def _digest(numbers: Float32s) -> str:
    whole = np.round(numbers.astype(np.float64) * 10_000).astype(np.int64)
    return hashlib.sha256(whole.tobytes()).hexdigest()[:8]


def _move_line(driver: StateDriver, number: int, move: Move, words: str) -> str:
    who = (
        f"chance, outcome {move.move} of {move.num_chance_outcomes}"
        if move.num_chance_outcomes
        else f"seat {move.seat}: {move.move} {words}"
    )
    paid = [f"{amount:g}" for amount in move.paid[: driver.options.num_players]]
    pays = f" pays {' '.join(paid)}" if move.paid.any() else ""
    return f"{number:>4} {who}{pays} [{driver.digest()}]"


def _narrations(driver: StateDriver) -> dict[str, list[int]]:
    """Return the descriptions of the last move, each with the seats that saw it so."""
    narrations: dict[str, list[int]] = {}
    for seat in range(driver.options.num_players):
        words = driver.narrate(seat)
        if words:
            narrations.setdefault(words.replace("\n", " / "), []).append(seat)
    return narrations


def check_golden(game: Game, folder: Path) -> None:
    """Check that the game plays like its golden playthrough; raise `ContractError` if not, or if there is none."""
    path = path_of(game, folder)
    command = pasted("python", "-m", "cardgym.testing.golden", "--update", "--folder", folder, game.id)
    advice = f"write it with `{command}` and read the diff"
    if not path.exists():
        raise ContractError(f"{game.id} has no golden playthrough {path}: {advice}")
    old, new = path.read_text(encoding="utf-8").splitlines(), playthrough(game).splitlines()
    if old != new:
        difference = list(difflib.unified_diff(old, new, "golden", "now", lineterm="", n=2))[:24]
        raise ContractError(
            "\n".join([f"{game.id} no longer plays like {path}; if that is intended, {advice}:", *difference])
        )


def main(words: list[str] | None = None) -> int:
    """Check or write playthroughs; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m cardgym.testing.golden", description="Golden playthroughs.")
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help="ids of games (default: all with tests in tests/games)"
    )
    parser.add_argument("--update", action="store_true", help="write the playthroughs instead of checking them")
    parser.add_argument("--folder", type=Path, help="their folder (default: tests/games/<package>/golden)")
    arguments = parser.parse_args(words)
    try:
        for game in _games(arguments.games):
            folder = arguments.folder or folder_of(game)
            if arguments.update:
                with replacing(path_of(game, folder)) as temporary:
                    temporary.write_text(playthrough(game), encoding="utf-8")
                print(f"{path_of(game, folder)}: written")
            else:
                check_golden(game, folder)
                print(f"{path_of(game, folder)}: the game plays like it")
    except (CardgymError, ContractError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _games(names: list[str]) -> list[Game]:
    if names:
        return [find(name) for name in names]
    return [game for game in map(find, registered()) if package_of(game) and folder_of(game).parent.is_dir()]


if __name__ == "__main__":
    sys.exit(main())
