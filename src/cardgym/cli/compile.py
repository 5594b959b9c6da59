"""Compile games in advance: in an installer, in a container, or once for all machines of a cluster.

This compiles what envs, matches and the table need, with the game's default observation and its players. Everything
else compiles on first use. Compiled code is kept in CARDGYM_CACHE_DIR, or in your cache folder.
"""

from __future__ import annotations

import argparse
import time

from cardgym.console.arguments import Parser
from cardgym.console.progress import Progress
from cardgym.engine.contract import Game
from cardgym.engine.registry import find, registered


def add_arguments(parser: Parser) -> None:
    parser.add_argument("envs", metavar="GAME", nargs="*", help="ids, as `cardgym games` lists them (all games)")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.engine.cache import cache_root
    from cardgym.engine.compilation import num_compiled

    games = [find(name) for name in arguments.envs or registered()]
    with Progress("compiling", "games", total=len(games)) as progress:
        for game in games:
            progress.note(game.id)
            before, start = num_compiled(), time.perf_counter()
            use(game)
            progress.advance()
            parts, seconds = num_compiled() - before, time.perf_counter() - start
            print(f"{game.id}: {f'{parts} parts in {seconds:.1f} s' if parts else 'already compiled'}", flush=True)
    print(f"Compiled code is in {cache_root() or 'a temporary folder, because no cache folder can be used'}")


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
