"""The long checks: random play, hidden cards, rows, compilation, digests, damaged files, cold starts.

    python tests/soak.py [--decisions 100000000] [--seeds 1000] [--only NAME ...] [--seed 1]

Each part prints a line with its figures; the first failure ends it. docs/reliability.md has the figures.
"""

import argparse
import contextlib
import dataclasses
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

import api_checks
import cardgym
import env_checks
from cardgym.console.progress import Progress
from cardgym.engine.batch import LegalSampler
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import ANY_SEAT, CALLER, NOBODY, RESET, STEP
from cardgym.engine.states import new_state
from cardgym.errors import CardgymError
from cardgym.players import KernelPlayer, resolve
from cardgym.players.seats import SeatedBatch, game_keys
from cardgym.testing import kernel_checks, knowledge_checks, rule_checks
from cardgym.testing.cases import option_cases
from cardgym.testing.driver import expect
from env_suite import env_arguments
from reproducibility import games

TESTS = Path(__file__).parent
ROWS = 4096
LINEUPS = 64
"""How many line-ups of opponents a batch cycles through."""
DRAWS = 24
"""Minimum number of option sets for games with an option that has too many values to enumerate."""
OUTSIDE = 20
"""Decisions against each player outside the kernel; search players are up to a million times slower."""


def random_decisions(arguments: argparse.Namespace) -> str:
    """Play random legal actions in every id, with all options and opponents, and check each step."""
    generator = np.random.default_rng(arguments.seed)
    ids, total, settings, outside = games(), 0, 0, 0
    with Progress("random decisions", "decisions", total=arguments.decisions, lines=True) as progress:
        for game_id in ids:
            game = cardgym.find(game_id)
            cases = every_option(game, generator)
            for number, options in enumerate(cases):
                each = -(-arguments.decisions // len(ids) // len(cases))
                names = [name for name in ("random", *game.players) if not _is_outside(game, name)]
                total += _play(game, options, names, each, arguments.seed + number)
                settings += 1
                progress(total)
            for options, name in itertools.product(option_cases(game), game.players):
                if _is_outside(game, name) and options.num_players > 1 and _plays(name, game, options):
                    outside += _play(game, options, [name], OUTSIDE, arguments.seed)
            progress.note(f"{game_id}, {len(cases)} sets of options")
    return f"{total:,} decisions under {settings:,} sets of options, and {outside:,} against searches"


def every_option(game: Game, generator: np.random.Generator) -> list[Options]:
    """The default options, then every pair of option values; wide numeric ranges are sampled."""
    values, wide = [], []
    for spec in dataclasses.fields(game.options):
        known = spec.metadata
        allowed = known["choices"] if "choices" in known else range(known["low"], known["high"] + 1, known["step"])
        if len(allowed) > 8:
            wide.append((spec.name, allowed))
        else:
            values.append([(spec.name, value) for value in allowed])
    choices = list(itertools.product(*values))
    cases = [game.parse_options()]
    for number in range(max(len(choices), DRAWS if wide else 0)):
        for _ in range(1000):  # Some numbers do not go together.
            # Sample small and large numbers equally often.
            drawn = [(name, allowed[int(len(allowed) ** generator.random()) - 1]) for name, allowed in wide]
            with contextlib.suppress(CardgymError):
                cases.append(game.options(**dict([*choices[number % len(choices)], *drawn])))
                break
    return list(dict.fromkeys(cases))


@cache
def _is_outside(game: Game, name: str) -> bool:
    return name in game.players and not isinstance(resolve(name, game, game.parse_options()), KernelPlayer)


def _plays(name: str, game: Game, options: Options) -> bool:
    """Whether the game's player can play these options; one with a network plays those it learned."""
    try:
        resolve(name, game, options)
    except CardgymError:
        return False
    return True


def _play(game: Game, options: Options, opponents: Sequence[str], decisions: int, seed: int) -> int:
    what = f"{game.id} {options.asdict()} against {', '.join(opponents)}, seed {seed}"
    generator, sampler = np.random.default_rng(seed), LegalSampler(seed)
    rows = min(ROWS, max(decisions // 16, 1))
    others = options.num_players - 1
    played = SeatedBatch(game, options, rows, [resolve(name, game, options) for name in opponents] if others else [])
    played.seed(game_keys(seed, rows))
    for place in range(min(LINEUPS, rows)):
        lineup = [CALLER, *(int(generator.choice(played.numbers)) for _ in range(others))]
        played.seat(lineup, np.arange(place, rows, LINEUPS), requested_seat=ANY_SEAT)
    low, high = game.observation(game.default_observation).bounds(options)
    played.step(0, np.full(rows, RESET, np.uint8), skip=True)
    expect(played.batch.rows.current_player.min() >= 0, f"{what}: nobody is to decide after a reset")
    first = game.rules.invariants(new_state(game, options)[0])

    def check_invariants(rows: Iterable[int]) -> None:
        for row in rows:
            now = game.rules.invariants(played.batch.states[row])
            expect(now == first, f"{what}: invariants() was {first} and is {now}")

    done = 0
    while done < decisions:
        masks, observations = played.masks, played.observations
        expect(masks.any(axis=1).all(), f"{what}: no action is legal")
        expect(((observations >= low) & (observations <= high)).all(), f"{what}: an observation leaves its bounds")
        over = played.batch.plain_rows["pending_policy"] == NOBODY
        check_invariants(np.flatnonzero(over))  # Once in a game, in Python: what is broken stays so to its end.
        played.step(sampler(masks), np.where(over, RESET, STEP).astype(np.uint8), skip=True)
        expect(np.isfinite(played.paid).all(), f"{what}: a reward is not finite")
        expect((played.batch.plain_rows["forfeited"] < 0).all(), f"{what}: a legal action was refused")
        done += rows - int(over.sum())
    check_invariants(range(rows))
    return done


def hidden_cards(arguments: argparse.Namespace) -> str:
    """Resample what a seat cannot see: nothing that players, spectators and logs receive may change."""
    states = pictures = 0
    for game_id in games():
        game = cardgym.find(game_id)
        for options, number in itertools.product(option_cases(game), range(max(arguments.seeds // 100, 1))):
            seed = arguments.seed + number
            hides = False  # Whether anything was hidden in so short a game is the suite's question.
            knowledge_checks.check_hidden(game, options, seed, hides=hides)
            knowledge_checks.check_words(game, options, seed)
            knowledge_checks.check_views(game, options, seed)
            knowledge_checks.check_observations(game, options, seed)
            rule_checks.check_invariants(game, options, seed)
            cases = env_arguments(game, options, [game.opponent])
            # Each observation has its own kernel, so test them all only with the first set of options.
            for case in cases if options == game.parse_options() else cases[1:2]:
                env_checks.check_outputs(game, case, seed, steps=30, pictures=3)
                pictures += 3
            states += 1
    return f"{states:,} games resampled at every decision, with {pictures:,} pictures"


def rows_and_singles(arguments: argparse.Namespace) -> str:
    """Row i of a vector env equals the single env with seed + i."""
    at_once = 50
    for game_id in games():
        game = cardgym.find(game_id)
        cases = env_arguments(game, game.parse_options())
        for number, seed in enumerate(range(0, arguments.seeds, at_once)):
            api_checks.check_rows(game, cases[number % len(cases)], at_once, arguments.seed + seed)
    return f"{arguments.seeds:,} seeds of each id"


def compiled_and_interpreted(arguments: argparse.Namespace) -> str:
    """Compiled and interpreted rules and kernels play identically."""
    moves = max(arguments.seeds // 2, 20)
    for game_id in games():
        cases = option_cases(cardgym.find(game_id))
        kernel_checks.check_interpreted(game_id, cases, arguments.seed, moves)
    return f"{moves:,} moves under each set of options"


def openspiel(arguments: argparse.Namespace) -> str:
    """Run the scripts named soak_*.py in the games' tests."""
    lines = []
    for path in sorted(TESTS.glob("games/*/soak_*.py")):
        words = ["--deals", str(arguments.seeds * 100), "--seed", str(arguments.seed)]
        lines.append(_program(path, *words))
    return "; ".join(lines) or "no program"


def digests(arguments: argparse.Namespace) -> str:
    """Check tests/digests.json with and without this processor's instruction set."""
    path = TESTS / "reproducibility.py"
    return f"{_program(path)}; generic: {_program(path, environment={**os.environ, 'NUMBA_CPU_NAME': 'generic'})}"


def damaged_files(arguments: argparse.Namespace) -> str:
    """Open damaged files of every format."""
    return _program(TESTS / "files" / "damage.py", str(arguments.seeds * 10))


FIRST_GAME = """
import sys
import gymnasium, cardgym
from cardgym.engine.kernel import kernel_of
env = gymnasium.make(sys.argv[1])
_, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
print(sum(kernel_of(env.unwrapped.game, env.unwrapped.game.default_observation).step.stats.cache_misses.values()))
"""


def cold_processes(arguments: argparse.Namespace) -> str:
    """Start eight processes with an empty cache: one compiles each game, and none fails."""
    for game_id in games():
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "CARDGYM_CACHE_DIR": folder}
            started = [
                subprocess.Popen(
                    [sys.executable, "-c", FIRST_GAME, game_id],
                    env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                )
                for _ in range(8)
            ]  # fmt: skip
            outputs = [process.communicate()[0] for process in started]
            codes = [process.returncode for process in started]
        expect(codes == [0] * 8, f"{game_id}: eight cold processes ended with {codes}")
        compiled = sum(int(output) for output in outputs)
        expect(compiled == 1, f"{game_id}: eight cold processes compiled it {compiled} times")
    return f"{len(games())} ids, eight processes each"


def _program(path: Path, *words: str, environment: dict[str, str] | None = None) -> str:
    run = subprocess.run([sys.executable, str(path), *words], env=environment, capture_output=True, text=True)
    expect(run.returncode == 0, f"{path.name}: {run.stdout[-1000:]} {run.stderr[-1000:]}")
    return run.stdout.strip().splitlines()[-1]


PARTS: dict[str, Callable[[argparse.Namespace], str]] = {
    part.__name__: part
    for part in (
        random_decisions,
        hidden_cards,
        rows_and_singles,
        compiled_and_interpreted,
        openspiel,
        digests,
        damaged_files,
        cold_processes,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=100_000_000)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    arguments = parser.parse_args()
    for name in arguments.only:
        start = time.monotonic()
        figures = PARTS[name](arguments)
        print(f"{name}: {figures}; {time.monotonic() - start:,.0f} s", flush=True)


if __name__ == "__main__":
    main()
