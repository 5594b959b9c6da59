"""Play every player of every game against every other, and write docs/leaderboards.md.

    python benchmarks/leaderboards.py --docs docs/leaderboards.md [--games 2000] [--games-of search=1600] ...

`--json` prints what `python results/figures.py keep leaderboards` reads. `--kept` plays nothing, and writes the page
from the kept results.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from cardgym.arena.tournament import Standings, tournament
from cardgym.arena.tournament.pages import DPI, heat_map, printed, section
from cardgym.cli.flags import add_engine, open_engine
from cardgym.cli.tournament import add_scale, parse_games_of
from cardgym.console.arguments import Parser
from cardgym.console.figures import save_png
from cardgym.console.progress import Progress
from cardgym.console.streams import guarded
from cardgym.console.tables import print_results
from cardgym.engine.registry import find, registered
from cardgym.errors import unknown
from cardgym.files import replacing
from cardgym.players import player_names
from cardgym.players.formats import checkpoints

KEPT = Path(__file__).parents[1] / "results" / "leaderboards.json"
ABOUT = """\
Every built-in player and checkpoint of a game against every other, on the same deals from every seat. Intervals are
95 %, over deals.

- **Rating**: Elo points above the mean of the players (Bradley-Terry, fitted to the games or hands won). A lead of 400
  points means odds of 10 to 1. Ratings count wins, not how much was won: in poker a player that wins many small pots
  and loses the large ones can have the highest.
- **Payoff**, in the pictures: what the row's player wins per game from the column's, with half the width of its
  interval. In a one-player game, it is how much more the row's player gets on the same deals.
- **Share at equilibrium**: how often a player appears in the mixture of players that no player of the list beats (Nash
  averaging). A player that wins only from weak ones has no share. **Payoff against it** is what the player wins from
  that mixture.
"""


def main(words: list[str]) -> int:
    """A tournament of every game, and the page of all; the exit code."""
    parser = Parser(prog="leaderboards.py", description=__doc__)
    parser.add_argument("games_played", nargs="*", metavar="GAME", help="ids (all games)")
    parser.add_argument("--docs", type=Path, metavar="FILE", help="write the page here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--kept", action="store_true", help="write the page from results/leaderboards.json")
    add_scale(parser)
    add_engine(parser)
    arguments = parser.parse_args(words)
    games = map(find, arguments.games_played or registered())
    rosters = {game: [*player_names(game), *checkpoints(game, game.parse_options())] for game in games}
    games_of = parse_games_of(arguments.games_of)
    known = {name for roster in rosters.values() for name in roster}
    for name in games_of:
        if name not in known:
            raise unknown("player in --games-of", name, known)
    results = list(kept()) if arguments.kept else []
    with open_engine(arguments) as engine:
        for game, roster in () if arguments.kept else rosters.items():
            with Progress(game.id, "games") as progress:
                results.append(
                    tournament(
                        game.id,
                        None,
                        roster,
                        games=arguments.games,
                        seed=arguments.seed,
                        games_of={name: games for name, games in games_of.items() if name in roster},
                        engine=engine,
                        folder=None if arguments.out is None else arguments.out / game.id,
                        resume=arguments.resume,
                        progress=progress,
                    )
                )
    if arguments.docs is not None:
        write(results, arguments.docs)
    if arguments.json:
        print(json.dumps([one.asdict() for one in results], indent=2, allow_nan=False))
        return 0
    for one in results:
        for part in printed(one):
            print_results(*part)
    return 0


def kept() -> Iterator[Standings]:
    """The tournaments in results/leaderboards.json."""
    for entry in json.loads(KEPT.read_text(encoding="utf-8")):
        players = entry.pop("players")
        columns = {
            name: np.array([player[key] for player in players], dtype=float)
            for name, key in (
                ("ratings", "rating"), ("ratings_ci95", "rating_ci95"), ("nash", "nash"),
                ("nash_payoffs", "nash_payoff"), ("nash_payoffs_ci95", "nash_payoff_ci95"),
            )
        }  # fmt: skip
        values = {field.name: entry[field.name] for field in fields(Standings) if field.name in entry}
        arrays = {name: np.array(value) for name, value in values.items() if isinstance(value, list)}
        yield Standings(names=tuple(player["name"] for player in players), **{**values, **arrays, **columns})


def commands(results: Sequence[Standings]) -> Iterator[tuple[list[str], str]]:
    """The commands that play these matches, each with the ids of its games; the slow players' games tell them apart."""
    groups: list[tuple[list[str], dict[str, int]]] = []
    for one in results:
        most = one.match_games.max(axis=1)
        slow = {name: int(number) for name, number in zip(one.names, most, strict=True) if number < one.games}
        flags = {"--games": one.games, "--seed": one.seed, **{f"--games-of {name}": slow[name] for name in slow}}
        for ids, known in groups:
            if all(known.get(flag, number) == number for flag, number in flags.items()):
                ids.append(one.env)
                known.update(flags)
                break
        else:
            groups.append(([one.env], flags))
    for ids, flags in groups:
        words = [f"{flag}{'=' if 'games-of' in flag else ' '}{number}" for flag, number in flags.items()]
        named = [] if ids is groups[0][0] else ids
        yield ids, " ".join(["python benchmarks/leaderboards.py", *named, *words, "--docs FILE"])


def write(results: Sequence[Standings], page: Path) -> None:
    """Write a page with a section for each game, and its pictures in `images/leaderboards` next to it."""
    lines = ["# Leaderboards", "", ABOUT]
    played = list(commands(results))
    for ids, command in played:
        whose = "all games" if ids is played[0][0] else " and ".join(f"`{name}`" for name in ids)
        others = [f"`{name}`" for ids, _ in played[1:] for name in ids] if whose == "all games" else []
        lines += [f"The matches of {whose}{' except ' * bool(others)}{', '.join(others)}:", ""]
        lines += ["```bash", command, "```", ""]
    for standings in results:
        name = standings.env.replace("-v", "_v").lower()
        picture = Path("images", "leaderboards", f"{name}.png")
        save_png(heat_map(standings), page.parent / picture, DPI)
        lines += [*section(standings, picture.as_posix()), ""]
    with replacing(page) as temporary:
        temporary.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(guarded(lambda: main(sys.argv[1:])))
