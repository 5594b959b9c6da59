// node play_in_node.mjs SITE SCRIPT: read games and players as JSON; play them as a page does, and print what was told.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [site, script] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${site}/pyodide/pyodide.mjs`));
const { startPython, unpack } = await import(pathToFileURL(`${site}/static/python.js`));
const read = (path) => new Uint8Array(readFileSync(`${site}/${path}`));
const start = (memory) =>
  startPython(loadPyodide, `${site}/pyodide/`, [read("python/numpy.bin"), read("python/cardgym.bin")], memory);
const { py } = await start((await start()).made); // As at a second visit.
const games = JSON.parse(readFileSync(`${site}/games/games.json`, "utf8"));
const asked = JSON.parse(readFileSync(0, "utf8"));
for (const [game] of asked) {
  for (const path of games[game]) {
    if (path.endsWith(".bin")) await unpack(py, read(path));
    else py.FS.writeFile(`/${path}`, read(path));
  }
}
py.FS.writeFile("/page_play.py", readFileSync(script));
py.globals.set("asked", py.toPy(asked));
try {
  console.log(await py.runPythonAsync(`
import json, sys, time
from pathlib import Path
sys.path.insert(0, "/")
from cardgym.engine import prebuilt
from cardgym.table.web.page import Page, PageLog
from page_play import asking, play
page = Page(PageLog({}, lambda id, text: None))
found = []
for game, opponent in asked:
    prebuilt.load(Path(f"/games/{game}.wasm"))
    start = time.time()
    found.append((await play(asking(page), game, opponent))["told"])
    print(game, opponent, round(time.time() - start, 1), "s", file=sys.stderr)
json.dumps(found)`));
} catch (error) {
  console.error(error.message.slice(-1500));
  process.exitCode = 1;
}
