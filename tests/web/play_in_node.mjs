// node play_in_node.mjs SITE SCRIPT: read games and players as JSON; play them as a page does, and print what was told.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [site, script] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${site}/pyodide/pyodide.mjs`));
const env = { NUMBA_DISABLE_JIT: "1", HOME: "/home/pyodide", PYTHONWARNINGS: "ignore" };
const py = await loadPyodide({ indexURL: `${site}/pyodide/`, env });
const library = py.runPython("import site; site.getsitepackages()[0]");
const unpack = (path) => py.unpackArchive(new Uint8Array(readFileSync(`${site}/${path}`)), "zip", { extractDir: library });
unpack("python/numpy.zip");
unpack("python/cardgym.zip");
const games = JSON.parse(readFileSync(`${site}/games/games.json`, "utf8"));
py.FS.mkdir("/games");
const asked = JSON.parse(readFileSync(0, "utf8"));
for (const [game] of asked) {
  for (const path of games[game]) {
    if (path.endsWith(".zip")) unpack(path);
    else py.FS.writeFile(`/${path}`, readFileSync(`${site}/${path}`));
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
