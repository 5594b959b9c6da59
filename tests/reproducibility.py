"""Digests of what must be identical on every machine: games, players, tables and exact solutions.

    python tests/reproducibility.py [GAME ...]    compares this machine's digests with those of tests/digests.json
    python tests/reproducibility.py --write       writes them, after a change that is meant

What PyTorch computes is not among them: matrix products depend on the processor; see docs/reliability.md.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import cardgym
from cardgym.arena import evaluate
from cardgym.engine.contract import Game
from cardgym.engine.kernel import RESET
from cardgym.engine.registry import packages
from cardgym.learn.tabular import TabularConfig, TabularLearner
from cardgym.players import resolve
from cardgym.players.seats import SeatedBatch, game_keys

FILE = Path(__file__).with_name("digests.json")
GAMES = 200
"""Games of each kind."""


def games() -> list[str]:
    """The ids of the built-in games."""
    return sorted(
        game_id
        for package in packages()
        for game_id in package.ids
        if package.games.__module__.startswith("cardgym.games.")
    )


def digests(games: Iterable[str], learned: bool = True) -> dict[str, str]:
    """The digests by name; only those of games played if not `learned`, as each other one must be compiled."""
    return {
        f"{game_id}: {name}": _digest(value)
        for game_id in games
        for name, value in _of_game(cardgym.find(game_id), learned)
    }


def differences(games: Sequence[str], learned: bool = True) -> list[str]:
    """The names whose digests differ from the file; all names of a game that the file does not contain."""
    wanted = json.loads(FILE.read_text(encoding="utf-8"))
    found = digests(games, learned)
    names = {name for name in wanted if learned and name.partition(":")[0] in games} | set(found)
    return sorted(name for name in names if wanted.get(name) != found.get(name))


def _of_game(game: Game, learned: bool) -> Iterator[tuple[str, Any]]:
    options = game.parse_options()
    seats = options.num_players
    yield "games of random", _games(game, "random")
    if game.opponent != "random" and game.opponent in game.compiled_players:
        yield f"games of {game.opponent}", _games(game, game.opponent)
    report = evaluate(game, options, ["random"] * seats, games=GAMES, seed=1).asdict()
    yield "evaluation", [report["games"], report["players"]]
    if not learned:
        return
    config = TabularConfig(env_id=game.id, observation=game.default_observation, total_steps=5000, table_size=1 << 14)
    learner = TabularLearner(game, options, config)
    learner.advance(config.total_steps)
    yield "Q-learning", [*learner.table()]
    if seats == 1:
        from cardgym.solvers.optimum import solve

        solved = solve(game).report
        yield "exact solution", [solved[key] for key in ("states", "optimal", "policies")]


def _games(game: Game, player: str) -> list[Any]:
    """The final states of games, their rewards and the final states of their random generators."""
    options = game.parse_options()
    played = SeatedBatch(game, options, GAMES, [resolve(player, game, options)])
    played.seed(game_keys(1, GAMES))
    played.seat(played.numbers * options.num_players)
    played.step(0, np.full(GAMES, RESET, np.uint8))
    return [played.batch.plain_states, played.paid, played.batch.plain_rows]


def _digest(value: Any) -> str:
    digest = hashlib.sha256()
    _add(digest, value)
    return digest.hexdigest()[:16]


def _add(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.dtype.names:
        for name in value.dtype.names:  # Without the gaps between fields, which hold anything.
            _add(digest, np.ascontiguousarray(value[name]))
    elif isinstance(value, np.ndarray):
        digest.update(value.astype(value.dtype.newbyteorder("<")).tobytes())
    elif isinstance(value, list | tuple):
        for part in value:
            _add(digest, part)
    else:
        digest.update(json.dumps(value, sort_keys=True).encode())


if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")] or games()
    if "--write" in sys.argv[1:]:
        FILE.write_text(json.dumps(digests(games()), indent=2) + "\n", encoding="utf-8")
    else:
        different = differences(chosen)
        print("\n".join(f"differs: {name}" for name in different) or f"{len(chosen)} games: all the same")
        sys.exit(bool(different))
