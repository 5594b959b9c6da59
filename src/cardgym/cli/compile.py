"""Compile games in advance: in an installer, in a container, or once for all machines of a cluster.

This compiles what envs, matches and the table need, with the game's default observation and its players. Everything
else compiles on first use. Compiled code is kept in CARDGYM_CACHE_DIR, or in your cache folder.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from cardgym.console.arguments import Parser
from cardgym.console.progress import Progress
from cardgym.engine.contract import Game
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError


def add_arguments(parser: Parser) -> None:
    parser.add_argument("envs", metavar="GAME", nargs="*", help="ids, as `cardgym games` lists them (all games)")
    parser.add_argument("--target", choices=("here", "wasm"), default="here", help="wasm: for a page; see docs/page.md")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the modules of --target wasm go")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.engine.cache import cache_root
    from cardgym.engine.compilation import num_compiled

    games = [find(name) for name in arguments.envs or registered()]
    if (arguments.target == "wasm") != (arguments.out is not None):
        raise CardgymError("--target wasm and --out DIR belong together")
    if arguments.out is not None:
        build(games, arguments.out)
        return
    with Progress("compiling", "games", total=len(games)) as progress:
        for game in games:
            progress.note(game.id)
            before, start = num_compiled(), time.perf_counter()
            use(game)
            progress.advance()
            parts, seconds = num_compiled() - before, time.perf_counter() - start
            print(f"{game.id}: {f'{parts} parts in {seconds:.1f} s' if parts else 'already compiled'}", flush=True)
    print(f"Compiled code is in {cache_root() or 'a temporary folder, because no cache folder can be used'}")


def build(games: list[Game], folder: Path) -> None:
    """Write a module and a manifest for each game: whatever a page calls while people play."""
    from cardgym.engine import targets

    targets.start()
    from cardgym.table.web.rehearsal import rehearse

    for game in games:
        rehearse(game)
        count = len(targets.link(folder / f"{game.id}.wasm"))
        targets.forget()
        size = (folder / f"{game.id}.wasm").stat().st_size
        print(f"{game.id}: {count} entry points, {size / 1000:.0f} kB", flush=True)
    print(f"The modules and their manifests are in {folder}")


def use(game: Game) -> None:
    """Step a single and a vector env, play a match of each player, and ask the coach about a decision."""
    import gymnasium

    from cardgym.arena import evaluate
    from cardgym.engine.batch import LegalSampler
    from cardgym.engine.states import SingleGame
    from cardgym.table.coach.coach import Coach

    options = game.parse_options()
    envs = gymnasium.make_vec(game.id, num_envs=2)
    _, infos = envs.reset(seed=0)
    envs.step(LegalSampler(0)(infos["action_mask"]))
    for name in ("random", *game.compiled_players):
        evaluate(game, options, [name] * options.num_players, games=1, seed=0)
    decision = SingleGame(game, options, game.blank_state(options))
    decision.setup()
    while decision.num_chance_outcomes:
        decision.apply_action(0)
    Coach(game, options).advise(decision.states[0], decision.current_player)
