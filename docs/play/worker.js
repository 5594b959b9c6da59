// Runs the server's application in Pyodide. Messages that arrive during the start wait for it.
import { startPython, unpack } from "./python.js";

const base = new URL("..", import.meta.url);
const SILENCE = 20; // Seconds.
let [loading, arrived, silent] = ["", 0, 0];
let page;
let started;
let last = new Promise((done) => (started = done));
let answer;

function say(words) {
  [loading, silent] = [words, 0];
  postMessage({ loading: words });
}

// A network that stops reports no error, so the page is told what has arrived and that nothing comes.
setInterval(() => {
  silent += 1;
  const stopped = silent > SILENCE;
  const words = stopped ? `Nothing has arrived for ${silent} s. Is the network there?` : loading;
  if (loading) postMessage({ loading: `${words} ${(arrived / 1e6).toFixed(1)} MB`, stopped });
}, 1000);

onmessage = ({ data: { id, method, path, body = "" } }) => {
  last = last.then(async () => {
    let reply;
    try {
      reply = await answer(method, path, body);
    } catch (error) {
      console.error(error);
      reply = [500, JSON.stringify({ error: reason(error) })];
    }
    postMessage({ id, status: reply[0], text: reply[1] });
  });
};

const reason = (error) => `This went wrong: ${String(error.message).trim().split("\n").at(-1)}`;

async function bytes(path) {
  const parts = [];
  try {
    const response = await fetch(new URL(path, base));
    if (!response.ok) throw new Error(`the answer was ${response.status}`);
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      arrived += part.value.length;
      silent = 0;
    }
  } catch (error) {
    const known = navigator.onLine ? "" : " Without a network, there are the games that were opened here before.";
    throw new Error(`${path} could not be loaded (${error.message}).${known}`);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// -- games in the browser's storage, by id ----------------------------------------------------------------------------

const storage = new Promise((done, failed) => {
  const opening = indexedDB.open("cardgym", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("games");
  opening.onsuccess = () => done(opening.result);
  opening.onerror = () => failed(opening.error);
});

async function withGames(mode, use) {
  const transaction = (await storage).transaction("games", mode);
  const asked = use(transaction.objectStore("games"));
  return new Promise((done, failed) => {
    transaction.oncomplete = () => done(asked.result);
    transaction.onabort = () => failed(transaction.error); // A full disk is found out at the end.
  });
}

async function stored() {
  const [ids, texts] = await Promise.all(
    ["getAllKeys", "getAll"].map((all) => withGames("readonly", (games) => games[all]())),
  );
  return Object.fromEntries(ids.map((id, number) => [id, texts[number]]));
}

const unsaved = () => postMessage({ unsaved: true });
const put = (id, text) =>
  withGames("readwrite", (games) => (text === undefined ? games.delete(id) : games.put(text, id)));
const windows = new BroadcastChannel("cardgym"); // The same page in other windows.

function save(id, text) {
  put(id, text).catch(unsaved);
  windows.postMessage({ id, text });
}

windows.onmessage = ({ data: { id, text } }) => {
  last = last.then(() => {
    page?.take(id, text);
    postMessage({ changed: id });
  });
};

// What the next visit starts with, kept beside the files of the service worker; nothing where the browser forbids that.
const [SNAPSHOT, TRIED] = ["python/memory", "python/tried"].map((path) => new URL(path, base));
const QUIET = 5000; // Milliseconds: the first table goes before.
const kept = (use) => (async () => use(await caches.open("cardgym-VERSION")))().catch(() => null);

// -- Python -----------------------------------------------------------------------------------------------------------

async function start(snapshot) {
  say("Loading Python …");
  const [index, ...archives] = ["games/games.json", "python/numpy.bin", "python/cardgym.bin"].map(bytes);
  const saved = stored().catch(() => (unsaved(), {})); // As in some private windows.
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", base));
  const { py, made } = await startPython(loadPyodide, new URL("pyodide/", base).href, archives, snapshot);
  const games = JSON.parse(new TextDecoder().decode(await index));
  say("Loading the table …");
  py.globals.set("save", save);
  py.globals.set("stored", py.toPy(await saved));
  py.runPython(`
from pathlib import Path
from cardgym.engine import prebuilt
from cardgym.table.web.page import Page, PageLog
page = Page(PageLog(stored, save))`);
  page = py.globals.get("page");
  const loaded = new Set();

  async function load(game) {
    say(`Loading ${game} …`);
    try {
      for (const path of games[game]) {
        if (loaded.has(path)) continue;
        const content = await bytes(path);
        loaded.add(path);
        if (path.endsWith(".bin")) await unpack(py, content);
        else py.FS.writeFile(`/${path}`, content);
      }
    } finally {
      say("");
    }
    py.runPython(`prebuilt.load(Path("/games/${game}.wasm"))`);
    loaded.add(game);
    kept((cache) => cache.addAll(games[game].map((path) => new URL(path, base)))); // For a visit without a network.
  }

  answer = async (method, path, body) => {
    for (const game of page.games(path, body).toJs()) if (games[game] && !loaded.has(game)) await load(game);
    const reply = await page.answer(method, path, body);
    return reply.toJs();
  };
  postMessage({ tables: Object.keys(await saved).length });
  if (made) setTimeout(() => kept((cache) => cache.put(SNAPSHOT, new Response(made))), QUIET);
}

// From the memory of an earlier visit, unless the last start did not come to its end.
async function begin() {
  const snapshot = await kept(async (cache) => {
    const [found, tried] = [await cache.match(SNAPSHOT), await cache.match(TRIED)];
    await cache.put(TRIED, new Response());
    return tried ? null : found?.arrayBuffer();
  });
  await start(snapshot);
  kept((cache) => cache.delete(TRIED));
}

try {
  await begin();
} catch (error) {
  console.error(error);
  answer = () => [503, JSON.stringify({ error: reason(error) })];
  loading = "";
  postMessage({ loading: reason(error), stopped: true });
}
started();
