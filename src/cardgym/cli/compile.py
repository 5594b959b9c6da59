"""Compile games in advance: in an installer, in a container, or once for all machines of a cluster.

This compiles what envs, matches, play, the coach, recordings and tabular learning need, with the game's default
observation and its players. Everything else compiles on first use. Compiled code is kept in CARDGYM_CACHE_DIR, or
in your cache folder.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from cardgym.console.arguments import Parser
from cardgym.console.progress import Progress
from cardgym.engine.contract import Game
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError


def add_arguments(parser: Parser) -> None:
    parser.add_argument("envs", metavar="GAME", nargs="*", help="ids, as `cardgym games` lists them (all games)")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.engine.cache import cache_root
    from cardgym.engine.compilation import num_compiled

    games = [find(name) for name in arguments.envs or registered()]
    with Progress("compiling", "uses", total=len(games) * len(USES)) as progress:
        for game in games:
            before, start = num_compiled(), (time.perf_counter(), time.process_time())
            for name, use in USES.items():
                progress.note(f"{game.id}: {name}")
                use(game)
                progress.advance()
            parts, seconds = num_compiled() - before, time.perf_counter() - start[0]
            of_processor = time.process_time() - start[1]
            done = f"{parts} parts in {seconds:.1f} s, {of_processor:.1f} s of processor time"
            print(f"{game.id}: {done if parts else 'already compiled'}", flush=True)
    print(f"Compiled code is in {cache_root() or 'a temporary folder, because no cache folder can be used'}")


# -- uses of a game, each of which compiles something -----------------------------------------------------------------


def _envs(game: Game) -> None:
    """Single and vector envs, against the usual opponent and for every seat, with random legal actions."""
    import gymnasium

    from cardgym.engine.batch import LegalSampler

    ways: tuple[dict[str, Any], ...] = ({}, {"seat": "all"})
    for arguments in ways:
        env: Any = gymnasium.make(game.id, **arguments)
        _, info = env.reset(seed=0)
        env.step(int(info["action_mask"].argmax()))
        envs: Any = gymnasium.make_vec(game.id, num_envs=2, **arguments)
        _, infos = envs.reset(seed=0)
        envs.step(LegalSampler(0)(infos["action_mask"]))


def _matches(game: Game) -> None:
    from cardgym.arena import evaluate

    for name in ("random", *game.compiled_players):
        evaluate(game, None, [name] * game.parse_options().num_players, games=1, seed=0)


def _play(game: Game) -> None:
    """A game without a person, and the coach's advice on its second decision."""
    from cardgym.players import resolve
    from cardgym.table.coach.coach import Coach
    from cardgym.table.session import Session
    from cardgym.table.setup import GameSetup

    options = game.parse_options()
    players = [resolve(game.opponent, game, options)] * options.num_players
    session = Session(GameSetup(game, options, players, seed=0, watched=True))
    session.step()
    if not session.over:
        coach = Coach(game, options)
        coach.advise(session.state, session.turn)
        coach.standing(session.state)


def _record(game: Game) -> None:
    from cardgym.arena.transitions import record

    if game.state_index.has_keys:
        record(game, None, ["random"] * game.parse_options().num_players, games=1, seed=0)


def _learn(game: Game) -> None:
    """Tabular learning, if the extra `learn` is installed and the game has state keys."""
    try:
        from cardgym.learn.tabular import TabularConfig, TabularLearner

        options = game.parse_options()
        TabularLearner(game, options, TabularConfig(env_id=game.id)).advance(10)
    except CardgymError:
        return


USES: dict[str, Callable[[Game], None]] = {
    "envs": _envs,
    "matches": _matches,
    "play and coach": _play,
    "recordings": _record,
    "tabular learning": _learn,
}
"""The uses to compile, by their names in the progress bar."""
