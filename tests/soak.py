"""The long checks: random play, hidden cards, rows, compilation, digests and damaged files, at full length.

    python tests/soak.py [--decisions 100000000] [--seeds 1000] [--only NAME ...] [--seed 1]

Each part prints a line with its figures; the first failure ends it. docs/reliability.md has the figures.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import NoneType

import numpy as np

import cardgym
from cardgym.engine.contract import CompiledPolicy, Game, Options, TablePolicy
from cardgym.engine.kernel import ANY_SEAT, CALLER, NOBODY, RESET, STEP
from cardgym.engine.sampling import LegalSampler
from cardgym.players.base import resolve
from cardgym.players.seating import SeatedBatch, game_keys
from cardgym.testing import interpreted_checks, knowledge_checks, rule_checks, vector_checks
from cardgym.testing.cases import option_cases
from cardgym.testing.driver import expect
from cardgym.testing.env_play import env_arguments
from reproducibility import games

TESTS = Path(__file__).parent
ROWS = 4096
LOOKS = 4
"""Rows of each step whose invariants, which are Python, are counted."""


def random_decisions(arguments: argparse.Namespace) -> str:
    """Random legal actions in every id, under all options and against all players, with what must hold at each step."""
    total, settings = 0, []
    for game_id in games():
        game = cardgym.find(game_id)
        for options in option_cases(game):
            names = ["random", *game.players] if options.num_players > 1 else ["random"]
            settings += [(game, options, name) for name in names]
    each = -(-arguments.decisions // len(settings))
    for number, (game, options, name) in enumerate(settings):
        quick = isinstance(game.players.get(name), CompiledPolicy | TablePolicy | NoneType)
        # Players outside the kernel, searches above all, are up to a million times slower.
        total += _play(game, options, name, each if quick else -(-each // 10_000), arguments.seed + number)
    return f"{total:,} decisions in {len(settings)} settings"


def _play(game: Game, options: Options, opponent: str, decisions: int, seed: int) -> int:
    what = f"{game.id} {options.asdict()} against {opponent}, seed {seed}"
    rows = min(ROWS, max(decisions // 8, 1))
    roster = [resolve(opponent, game, options)] if options.num_players > 1 else []
    played = SeatedBatch(game, options, rows, roster)
    played.seed(game_keys(seed, rows))
    played.seat([CALLER, *(played.numbers * (options.num_players - 1))], requested_seat=ANY_SEAT)
    low, high = game.observation(game.default_observation).bounds(options)
    generator, sampler = np.random.default_rng(seed), LegalSampler(seed)
    played.step(0, np.full(rows, RESET, np.uint8), skip=True)
    expect(played.batch.rows.current_player.min() >= 0, f"{what}: nobody is to decide after a reset")
    done = 0
    first = game.rules.invariants(played.batch.states[0])
    while done < decisions:
        masks, observations = played.masks, played.observations
        expect((masks.any(axis=1)).all(), f"{what}: no action is legal")
        expect(((observations >= low) & (observations <= high)).all(), f"{what}: an observation leaves its bounds")
        over = played.batch.plain_rows["pending_policy"] == NOBODY
        played.step(sampler(masks), np.where(over, RESET, STEP).astype(np.uint8), skip=True)
        expect(np.isfinite(played.paid).all(), f"{what}: a reward is not finite")
        for row in generator.integers(0, rows, LOOKS):
            now = game.rules.invariants(played.batch.states[row])
            expect(now == first, f"{what}: invariants() was {first} and is {now}")
        done += rows - int(over.sum())
    return done


def hidden_cards(arguments: argparse.Namespace) -> str:
    """What a seat cannot see is drawn anew: observation, mask, keys, words, views and players stay the same."""
    checked = 0
    for game_id in games():
        game = cardgym.find(game_id)
        for options, seed in itertools.product(option_cases(game), range(max(arguments.seeds // 100, 1))):
            hides = False  # Whether anything was hidden in so short a game is the suite's question.
            knowledge_checks.check_hidden(game, options, arguments.seed + seed, hides=hides)
            knowledge_checks.check_words(game, options, arguments.seed + seed)
            knowledge_checks.check_views(game, options, arguments.seed + seed)
            rule_checks.check_invariants(game, options, arguments.seed + seed)
            checked += 1
    return f"{checked:,} games resampled at every decision"


def rows_and_singles(arguments: argparse.Namespace) -> str:
    """Row i of a vector env is the single env of seed + i."""
    at_once = 50
    for game_id in games():
        game = cardgym.find(game_id)
        cases = env_arguments(game, game.parse_options())
        for number, seed in enumerate(range(0, arguments.seeds, at_once)):
            vector_checks.check_rows(game, cases[number % len(cases)], at_once, arguments.seed + seed)
    return f"{arguments.seeds:,} seeds of each id"


def compiled_and_interpreted(arguments: argparse.Namespace) -> str:
    """Rules and kernels compiled and interpreted play the same."""
    moves = max(arguments.seeds // 2, 20)
    for game_id in games():
        cases = option_cases(cardgym.find(game_id))
        interpreted_checks.check_interpreted(game_id, cases, arguments.seed, moves)
    return f"{moves:,} moves under each set of options"


def openspiel(arguments: argparse.Namespace) -> str:
    """Every program of a game's tests named soak_*.py."""
    lines = []
    for path in sorted(TESTS.glob("games/*/soak_*.py")):
        words = ["--deals", str(arguments.seeds * 100), "--seed", str(arguments.seed)]
        lines.append(_program(path, *words))
    return "; ".join(lines) or "no program"


def digests(arguments: argparse.Namespace) -> str:
    """The digests of tests/digests.json, without this processor's own instructions too."""
    import os

    path = TESTS / "reproducibility.py"
    return f"{_program(path)}; generic: {_program(path, environment={**os.environ, 'NUMBA_CPU_NAME': 'generic'})}"


def damaged_files(arguments: argparse.Namespace) -> str:
    """Damaged files at random."""
    return _program(TESTS / "untrusted" / "fuzz.py", str(arguments.seeds * 10))


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
