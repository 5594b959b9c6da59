"""Write the games to watch and the puzzles of the site: `python docs/watch/recorded_games.py FOLDER`.

The pages are those of `cardgym serve`. What its server would answer is asked once, here, and becomes files: a game of
each id in `GAMES`, played by agents that come with cardgym and reviewed, and a few puzzles.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STATIC = ROOT / "src" / "cardgym" / "table" / "web" / "static"

sys.path.append(str(ROOT / "tests" / "web"))

from web_server import Client, serving  # noqa: E402  (the client of the tests)

PUBLISHED = re.compile(r'(?<=")https://cardgym\.github\.io/cardgym/(watch|play)/(?:index\.html)?')
GAMES = {
    "CorellianSpike-v0": ["heuristic", "ppo"],
    "CodaOfficial-v0": ["heuristic", "official_ppo"],
    "Cribbage-v0": ["expert", "equilibrium"],
    "OnePlayPoker-v0": ["handcrafted"],
}
PUZZLES = 5
SEED = 1


def played(client: Client, game: str, players: list[str]) -> str:
    """Let players play a game to its end; returns the table."""
    body: dict[str, Any] = {"game": game, "options": {}, "opponents": players, "seat": None, "seed": SEED}
    table = str(client.post("/api/tables", body, 201)["table"])
    state = client.get(f"/api/tables/{table}")
    while not state["ended"]:
        state = client.post(f"/api/tables/{table}/step", {"version": state["version"]})["state"]
    return table


def puzzle(client: Client, game: str) -> dict[str, Any]:
    """A puzzle with the answer to each of its actions."""
    shown = client.get(f"/api/puzzles/{game}")
    path = f"/api/puzzles/{shown['puzzle']}/solve"
    answers = {one["action"]: client.post(path, {"action": one["action"]}) for one in shown["actions"]}
    advice = next(iter(answers.values()))["advice"]
    return {**shown, "advice": advice, "costs": {action: answer["cost"] for action, answer in answers.items()}}


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")


def build(folder: Path, games: dict[str, list[str]]) -> None:
    """Write the pages, and the data of some games and their players."""
    shutil.copytree(STATIC, folder / "static", dirs_exist_ok=True)
    for name in ("api.js", "main.js"):
        shutil.copy(HERE / name, folder / "static" / name)
    page = (STATIC / "index.html").read_text(encoding="utf-8").replace('"/static/', '"static/')
    links = '<a href="#/">Games</a> <a href="../index.html">Documentation</a>'
    page = re.sub(r"<nav .*?</nav>", f'<nav aria-label="Pages">{links}</nav>', page)
    hidden = '<style>a[href^="#/explore/"] { display: none; }</style>'  # The explorer needs the server.
    (folder / "index.html").write_text(page.replace("</head>", f"{hidden}</head>"), encoding="utf-8")
    shelf = []
    with tempfile.TemporaryDirectory() as temporary, serving(Path(temporary) / "games.sqlite") as served:
        client = served.client
        for game, players in games.items():
            table = played(client, game, players)
            parts = {part: client.get(f"/api/history/{table}/{part}") for part in ("review", "replay")}
            for part, content in parts.items():
                write(folder / "api" / "history" / game / f"{part}.json", content)
            write(folder / "api" / "games" / game / "rules.json", client.get(f"/api/games/{game}/rules"))
            status, _, sprite = client.raw("GET", f"/symbols/{game}.svg")
            assert status == 200
            (folder / "symbols").mkdir(exist_ok=True)
            (folder / "symbols" / f"{game}.svg").write_bytes(sprite)
            shelf.append({"id": game, "players": parts["review"]["players"]})
        lobby = {entry["id"]: entry for entry in client.get("/api/lobby")["games"]}
        for shown in shelf:
            game = shown["id"]
            shown |= {key: lobby[game][key] for key in ("line", "puzzles")}
            if shown["puzzles"]:
                write(folder / "api" / "puzzles" / f"{game}.json", [puzzle(client, game) for _ in range(PUZZLES)])
    write(folder / "api" / "lobby.json", {"games": shelf})


def link(site: Path) -> None:
    """Let the pages of a site lead to its own games, under any path, instead of those on the published site."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        up = "../" * (len(page.relative_to(site).parts) - 1)
        linked = PUBLISHED.sub(rf"{up}\1/index.html", text)
        if linked != text:
            page.write_text(linked, encoding="utf-8")


if __name__ == "__main__":
    out = Path(sys.argv[1])
    build(out, GAMES)
    link(out.parent)
