"""The matches whose figures are kept: what `groups.toml` plans and what `matches.json` has."""

from __future__ import annotations

import functools
import hashlib
import json
import subprocess
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import cardgym
from cardgym.files.documents import Count, Document, Items, Name, Number, parse_document
from cardgym.players.resolver import checkpoints
from cardgym.scaling.local import machine

HERE = Path(__file__).parent
ROOT = HERE.parent
MATCHES = HERE / "matches.json"


def digests(env: str, options: Mapping[str, Any], players: Iterable[str]) -> dict[str, str]:
    """What a figure depends on: the files of the players, and the games by which tests recognize the rules."""
    game = cardgym.find(env)
    files = checkpoints(game, game.parse_options(options))
    played = {player.partition(":")[0] for player in players} & set(files)
    found = {name: hashlib.sha256(_contents(files[name])).hexdigest()[:16] for name in sorted(played)}
    rules = json.loads(_contents(ROOT / "tests" / "digests.json"))
    return found | {name: digest for name, digest in rules.items() if name.startswith(f"{env}: games")}


_contents = functools.cache(Path.read_bytes)  # Every match of a game asks for the same files, which do not change.


def circumstances() -> dict[str, str]:
    """Where and when a figure is measured."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    return {"machine": machine(), "commit": commit.strip(), "date": datetime.now(UTC).date().isoformat()}


class SavedPlayer(Document):
    """The results of one player; see `cardgym.arena.report.PlayerReport`."""

    name: Name
    win_rate: Number | None
    win_rate_ci95: Items[Number | None]
    mean_return: Number | None
    mean_return_ci95: Items[Number | None]
    metrics: dict[Name, int | Number | Items[Number | None] | None]


class SavedReport(Document):
    """The results of a match; see `cardgym.arena.report.Report`."""

    env: Name
    options: dict[str, int | str]
    games: Count
    deals: Count
    seed: Count
    seconds: Number
    decisions_per_second: Number
    players: Items[SavedPlayer]


class Evaluation(Document):
    """One match, as `cardgym evaluate` plays it."""

    group: Name
    env: Name
    options: dict[str, int | str]
    players: Items[Name]
    games: Count
    seed: Count
    seats: Literal["rotate", "fixed"]

    @property
    def command(self) -> str:
        """The command that repeats it."""
        settings = "".join(f" --set {name}={value}" for name, value in self.options.items())
        words = f"cardgym evaluate {self.env}{settings} --players {' '.join(self.players)} --games {self.games}"
        return f"{words} --seed {self.seed}" + (" --seats fixed" if self.seats == "fixed" else "")

    def digests(self) -> dict[str, str]:
        """What it depends on."""
        return digests(self.env, self.options, self.players)


class Measured(Evaluation):
    """A match that was played."""

    made_of: dict[Name, str]
    machine: Name
    commit: Name
    date: Name
    report: SavedReport


class Measurements(Document):
    """The file of matches."""

    matches: Items[Measured]


def planned() -> list[Evaluation]:
    """The matches of `groups.toml`, in its order."""
    found = []
    for group, entries in tomllib.loads((HERE / "groups.toml").read_text()).items():
        game = "".join(word.title() for word in group.split("_")) + "-v0"
        for entry in entries:
            env, options = entry.get("env", game), entry.get("set", {})
            others = cardgym.find(env).parse_options(options).num_players - 1
            about = {"group": group, "env": env, "options": options, "seed": entry.get("seed", 1)}
            about |= {"games": entry["games"], "seats": entry.get("seats", "rotate")}
            for player in entry["players"]:
                for rival in entry["against"]:
                    if player != rival:
                        found.append(Evaluation(players=(player, *[rival] * others), **about))
    return found


def measured() -> dict[str, Measured]:
    """The matches that were played, by their commands."""
    return dict(_parsed(MATCHES.read_bytes())) if MATCHES.exists() else {}


@functools.lru_cache(maxsize=1)  # By its bytes: a page has many tables, and `make` writes the file as it goes.
def _parsed(data: bytes) -> dict[str, Measured]:
    document = parse_document(Measurements, data, "results/matches.json")
    return {match.command: match for match in document.matches}
