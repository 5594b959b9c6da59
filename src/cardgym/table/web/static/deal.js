// The cards of several people: their seed is sealed by a SHA-256 at the start, opened at the end and checked here.
import { h, recalled, remember } from "./dom.js";

const CANNOT = "Nothing stops a person from taking two seats in two browsers, or the host from reading the game log.";

// The seal of a table as this browser saw it first; it is remembered while the game is not over.
function firstSeal(table, commitment, ended) {
  const seals = recalled("seals", []);
  const seal = seals.find(([id]) => id === table)?.[1];
  if (!seal && !ended) remember("seals", JSON.stringify([[table, commitment], ...seals].slice(0, 20)));
  return seal;
}

export async function checkDeal({ table, commitment, ended, seed, nonce }) {
  if (!commitment) return "";
  const seal = firstSeal(table, commitment, ended);
  if (!ended) return `The SHA-256 of “seed nonce” is ${commitment}; both are shown at the end. ${CANNOT}`;
  const [text, due] = [`${seed} ${nonce}`, seal ?? commitment];
  if (!crypto.subtle) return `Without https this page cannot check that the SHA-256 of “${text}” is ${due}.`;
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const found = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found !== due) return `The seal is broken: the SHA-256 of “${text}” is ${found}, the table showed ${due}.`;
  return `The SHA-256 of “${text}” is ${due}, as ${seal ? "shown at the start" : "the server says now"}.`;
}

export const drawDeal = (words) =>
  words && h("details.source", { "data-part": "deal" }, h("summary", "The deal is sealed"), h("p", words));
