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
export const post = (path, body = {}) =>
  ask(`/api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// Calls `changed(version)` after every change of the table, and `lost(true or false)` when the connection changes.
// Only a page in view keeps a connection: browsers allow few for one server.
export function follow(table, changed, lost) {
  let stream = null;
  const open = () => {
    stream = new EventSource(`/api/tables/${table}/stream`);
    stream.onmessage = (event) => changed(JSON.parse(event.data).version);
    stream.onopen = () => lost(false);
    stream.onerror = () => lost(true);
  };
  const seen = () => {
    stream?.close();
    stream = null;
    if (!document.hidden) open();
  };
  document.addEventListener("visibilitychange", seen);
  seen();
  return () => {
    document.removeEventListener("visibilitychange", seen);
    stream?.close();
  };
}
