// The page's stand-in for the server: the server's own application, in a worker. Errors have a message to show.

export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const NO_SERVER = "Playing from two devices needs a server: install cardgym, and run `cardgym serve`.";
const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const waiting = new Map();
let [next, ready, idle] = [0, false, ""];

// The lobby is drawn before Python runs; the tables of earlier visits are added once it does.
worker.onmessage = ({ data }) => {
  if (data.loading !== undefined) return say(data.loading, data.stopped);
  if (data.unsaved)
    return say(
      (idle =
        "This browser keeps nothing more for this page (it may be full): what you play now is gone when you close it."),
    );
  if (data.changed) return;
  if (data.tables !== undefined) {
    ready = true;
    document.documentElement.dataset.ready = "";
    if (data.tables && /^(#\/?)?$/.test(location.hash)) dispatchEvent(new HashChangeEvent("hashchange"));
    return say("");
  }
  waiting.get(data.id)(data);
  waiting.delete(data.id);
};
worker.onerror = (event) => say(`The table could not be loaded: ${event.message ?? "is the network there?"}`, true);

function say(words, stopped) {
  const again = Object.assign(document.createElement("button"), { textContent: "Try again" });
  again.onclick = () => location.reload();
  document.getElementById("loading").replaceChildren(words || idle, ...(stopped ? [" ", again] : []));
}

async function ask(method, path, body) {
  const { status, text } = await new Promise((answered) => {
    waiting.set(next, answered);
    worker.postMessage({ id: next++, method, path: `/api/${path}`, body: body && JSON.stringify(body) });
  });
  if (path === "history/export" && status === 200) return text;
  const answer = text ? JSON.parse(text) : {};
  if (status >= 300) throw new Refused(answer.error ?? `The answer was ${status}.`, status);
  return answer;
}

export async function get(path) {
  if (path !== "lobby") return ask("GET", path);
  const { games } = await (await fetch("lobby.json")).json();
  return { games, tables: ready ? (await ask("GET", path)).tables : [] };
}

export async function post(path, body = {}) {
  if (path === "prepare") return {}; // Nothing compiles here.
  if (path === "join" || body.people === "link") throw new Refused(NO_SERVER, 400);
  return ask("POST", path, body);
}

export const telling = (answer) => answer;

// Nobody else plays at these tables; but the same page may show one in another window.
export function follow(table, changed) {
  const tell = ({ data }) => data.changed === table && changed(-1);
  worker.addEventListener("message", tell);
  return () => worker.removeEventListener("message", tell);
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.('a[href="/api/history/export"]');
  if (!link) return;
  event.preventDefault();
  const file = URL.createObjectURL(new Blob([await ask("GET", "history/export")], { type: "application/jsonl" }));
  Object.assign(document.createElement("a"), { href: file, download: link.download }).click();
  setTimeout(() => URL.revokeObjectURL(file), 10000);
});

navigator.serviceWorker?.register("service.js").catch(() => {}); // Then there is no visit without a network.
