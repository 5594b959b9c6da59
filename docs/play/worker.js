// Runs the server's application in Pyodide. Messages that arrive during the start wait for it.
const base = new URL("..", import.meta.url);
const say = (loading) => postMessage({ loading });
let started;
let last = new Promise((done) => (started = done));
let answer;

onmessage = ({ data: { id, method, path, body = "" } }) => {
  last = last.then(async () => {
    let reply;
    try {
      reply = await answer(method, path, body);
    } catch (error) {
      console.error(error);
      reply = [500, JSON.stringify({ error: `This went wrong: ${String(error.message).trim().split("\n").at(-1)}` })];
    }
    postMessage({ id, status: reply[0], text: reply[1] });
  });
};

async function bytes(path) {
  const response = await fetch(new URL(path, base));
  if (!response.ok) throw new Error(`${path} is missing`);
  return new Uint8Array(await response.arrayBuffer());
}

// -- games in the browser's storage, by id ----------------------------------------------------------------------------

const storage = new Promise((done, failed) => {
  const opening = indexedDB.open("cardgym", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("games");
  opening.onsuccess = () => done(opening.result);
  opening.onerror = () => failed(opening.error);
});

async function withGames(mode, use) {
  const games = (await storage).transaction("games", mode).objectStore("games");
  const asked = use(games);
  return new Promise((done, failed) => {
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });
}

async function stored() {
  const [ids, texts] = await Promise.all(["getAllKeys", "getAll"].map((all) => withGames("readonly", (games) => games[all]())));
  return Object.fromEntries(ids.map((id, number) => [id, texts[number]]));
}

const save = (id, text) =>
  withGames("readwrite", (games) => (text === undefined ? games.delete(id) : games.put(text, id))).catch(console.error);

// -- Python -----------------------------------------------------------------------------------------------------------

async function start() {
  say("Loading Python …");
  const [index, ...archives] = ["games/games.json", "python/numpy.zip", "python/cardgym.zip"].map(bytes);
  const saved = stored().catch(() => ({})); // In some private windows nothing can be saved.
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", base));
  const env = { NUMBA_DISABLE_JIT: "1", HOME: "/home/pyodide", PYTHONWARNINGS: "ignore" };
  const py = await loadPyodide({ indexURL: new URL("pyodide/", base).href, env });
  const games = JSON.parse(new TextDecoder().decode(await index));
  const library = py.runPython("import site; site.getsitepackages()[0]");
  say("Loading NumPy …");
  for (const archive of archives) py.unpackArchive(await archive, "zip", { extractDir: library });
  py.FS.mkdir("/games");
  say("Loading the table …");
  py.globals.set("save", save);
  py.globals.set("stored", py.toPy(await saved));
  py.runPython(`
from pathlib import Path
from cardgym.engine import prebuilt
from cardgym.table.web.page import Page, PageLog
page = Page(PageLog(stored, save))`);
  const page = py.globals.get("page");
  const loaded = new Set();

  // A game's own files are loaded when it is opened, and kept for a visit without a network.
  async function load(game) {
    say(`Loading ${game} …`);
    for (const path of games[game]) {
      if (loaded.has(path)) continue;
      const content = await bytes(path);
      loaded.add(path);
      if (path.endsWith(".zip")) py.unpackArchive(content, "zip", { extractDir: library });
      else py.FS.writeFile(`/${path}`, content);
    }
    py.runPython(`prebuilt.load(Path("/games/${game}.wasm"))`);
    loaded.add(game);
    say("");
    const kept = (await self.caches?.keys())?.find((name) => name.startsWith("cardgym"));
    if (kept) (await caches.open(kept)).addAll(games[game].map((path) => new URL(path, base))).catch(() => {});
  }

  answer = async (method, path, body) => {
    for (const game of page.games(path, body).toJs()) if (games[game] && !loaded.has(game)) await load(game);
    const reply = await page.answer(method, path, body);
    return reply.toJs();
  };
  postMessage({ tables: Object.keys(await saved).length });
}

await start();
started();
