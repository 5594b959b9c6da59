"""Play every player of every game against every other.

    python benchmarks/leaderboards.py [GAME ...] [--games N] [--seed S] [--games-of PLAYER=N] ...

`--json` prints what `python results/figures.py keep leaderboards` reads. `--pictures docs/images/leaderboards` draws
what each player wins from each other, with `--kept` without playing, from the kept results.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cardgym.arena.tournament import Standings, tournament
from cardgym.arena.tournament.pages import DPI, heat_map, printed
from cardgym.arena.tournament.ranges import RangeStore
from cardgym.cli.flags import add_engine, open_engine
from cardgym.cli.tournament import add_scale, parse_games_of
from cardgym.console.arguments import Parser
from cardgym.console.plots import save_png
from cardgym.console.progress import Progress
from cardgym.console.streams import guarded
from cardgym.console.tables import print_results
from cardgym.engine.registry import find, registered
from cardgym.errors import unknown
from cardgym.players import player_names
from cardgym.players.resolver import checkpoints
from cardgym.solvers.exact import exact_standings

KEPT = Path(__file__).parents[1] / "results" / "leaderboards.json"
GAMES, SEED = 2000, 1
GAMES_OF = {"search": 1600, "value-search": 1600, "champion": 1000}
"""Fewer games for slow players, enough for intervals below .05 in games won."""


def main(words: list[str]) -> int:
    """A tournament of every game, and its picture; the exit code."""
    parser = Parser(prog="leaderboards.py", description=__doc__)
    parser.add_argument("games_played", nargs="*", metavar="GAME", help="ids (all games)")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="draw what each player wins from each other")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--kept", action="store_true", help="play nothing: use results/leaderboards.json")
    add_scale(parser)
    add_engine(parser)
    parser.set_defaults(games=GAMES, seed=SEED)
    arguments = parser.parse_args(words)
    games = map(find, arguments.games_played or registered())
    rosters = {game: [*player_names(game), *checkpoints(game, game.parse_options())] for game in games}
    games_of = parse_games_of(arguments.games_of)
    known = {name for roster in rosters.values() for name in roster}
    for name in games_of:
        if name not in known:
            raise unknown("player in --games-of", name, known)
    games_of = {name: min(games, arguments.games) for name, games in GAMES_OF.items()} | games_of
    results = [one for one in kept() if one.env in {game.id for game in rosters}] if arguments.kept else []
    with open_engine(arguments) as engine:
        for game, roster in () if arguments.kept else rosters.items():
            with Progress(game.id, "games") as progress:
                found = tournament(
                    game.id,
                    None,
                    roster,
                    games=arguments.games,
                    seed=arguments.seed,
                    games_of={name: games for name, games in games_of.items() if name in roster},
                    engine=engine,
                    store=None
                    if arguments.out is None
                    else RangeStore(arguments.out / game.id, resume=arguments.resume),
                    progress=progress,
                )
                results.append(exact_standings(found, roster))
    for standings in results if arguments.pictures else ():
        name = standings.env.replace("-v", "_v").lower()
        save_png(heat_map(standings), arguments.pictures / f"{name}.png", DPI)
    if arguments.json:
        print(json.dumps([one.asdict() for one in results], indent=2, allow_nan=False))
        return 0
    for one in results:
        for part in printed(one):
            print_results(*part)
    return 0


def kept() -> list[Standings]:
    """The tournaments in results/leaderboards.json."""
    return [Standings.fromdict(entry) for entry in json.loads(KEPT.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    sys.exit(guarded(lambda: main(sys.argv[1:])))
