// Requests to the server. An error has a message to show; status 0 means that the connection is lost.

export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function ask(path, request) {
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new Refused("The server does not answer. Is `cardgym serve` still running?", 0);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? `The server answered ${response.status}.`, response.status);
  return answer;
}

export const get = (path) => ask(`/api/${path}`);
const headers = { "Content-Type": "application/json" };
export const post = (path, body = {}) => ask(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });

// Tells once a second what an answer waits for, until it is there.
export async function telling(answer, tell) {
  let seconds = 0;
  const timer = setInterval(async () => {
    seconds += 1;
    const { doing } = await get("busy").catch(() => ({}));
    tell(doing ?? `One moment: ${seconds} s …`);
  }, 1000);
  return answer.finally(() => clearInterval(timer));
}

const LASTING = 3; // A browser keeps at most six connections to a server, for all of its windows.
const LOOK_AGAIN = 2000;

// The right to a lasting connection, as a function that gives it back; null if other windows have them all.
async function connectionRight() {
  if (!navigator.locks) return () => null; // Another device's page without HTTPS.
  for (let number = 0; number < LASTING; number++) {
    const right = await new Promise((found) =>
      navigator.locks.request(`connection ${number}`, { ifAvailable: true }, (lock) =>
        lock ? new Promise(found) : found(null),
      ),
    );
    if (right) return right;
  }
  return null;
}

// Calls `changed(version)` after every change of the table, and `lost(true or false)` when the connection changes.
// Only a page in view keeps a connection; if there are too many of them, the others ask again and again.
export function follow(table, changed, lost) {
  let [stream, right, again, opened] = [null, null, 0, 0];
  const close = () => {
    stream?.close();
    right?.();
    clearTimeout(again);
    [stream, right] = [null, null];
    return ++opened;
  };
  const open = async () => {
    const turn = close();
    if (document.hidden) return;
    const given = await connectionRight();
    if (turn !== opened) return void given?.();
    right = given;
    stream = new EventSource(`/api/tables/${table}/stream`);
    stream.onmessage = (event) => {
      if (!given) {
        stream.close();
        again = setTimeout(open, LOOK_AGAIN);
      }
      changed(JSON.parse(event.data).version);
    };
    stream.onopen = () => lost(false);
    stream.onerror = () => lost(true);
  };
  document.addEventListener("visibilitychange", open);
  open();
  return () => {
    document.removeEventListener("visibilitychange", open);
    close();
  };
}
