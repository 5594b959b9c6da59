// The server's answers. An error is a line to show; a lost connection is told apart, because it passes.

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
    throw new Refused("The server does not answer. Is cardgym serve still running?", 0);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? `The server answers ${response.status}.`, response.status);
  return answer;
}

export const get = (path) => ask(`/api/${path}`);
export const post = (path, body = {}) =>
  ask(`/api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// Calls `changed(version)` when the table moves on, in this tab or another; `lost(true or false)` as the line goes.
export function follow(table, changed, lost) {
  const stream = new EventSource(`/api/tables/${table}/stream`);
  stream.onmessage = (event) => changed(JSON.parse(event.data).version);
  stream.onopen = () => lost(false);
  stream.onerror = () => lost(true);
  return () => stream.close();
}
