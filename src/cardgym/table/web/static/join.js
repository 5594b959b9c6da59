// The page to join a table by its code, and the joined tables, which this browser remembers.
import { post } from "./api.js";
import { h, notice, remember, remembered } from "./dom.js";

const MAX_REMEMBERED = 8;

export function joined() {
  try {
    return JSON.parse(remembered("joined", "[]"));
  } catch {
    return [];
  }
}

export const forgetJoined = (table) => remember("joined", JSON.stringify(joined().filter((known) => known !== table)));

export function openJoin(code) {
  const form = h("form", { class: "game join-form", onsubmit: (event) => sitDown(event) },
    h("h1", {}, "Join a table"),
    h("label", { class: "fan" }, h("span", {}, "code"),
      h("input", { class: "code", name: "code", value: code, required: true, maxLength: 12, autocomplete: "off", autocapitalize: "characters", spellcheck: false })),
    h("p", { class: "quiet" }, "The code is on the screen of the person who opened the table: a game in their lobby, played with “a person by link”."),
    h("div", { class: "fields" }, h("label", {}, h("span", {}, "your name"), h("input", { name: "name", value: remembered("name", ""), maxLength: 20, placeholder: "Player 2" }))),
    h("div", { class: "row" }, h("button", { type: "submit", class: "sit" }, "Join"), h("a", { class: "button", href: "#/" }, "Lobby")));
  setTimeout(() => form.elements[code ? "name" : "code"].focus()); // Once it is shown.
  return form;

  async function sitDown(event) {
    event.preventDefault();
    const [typed, name] = [form.elements.code.value, form.elements.name.value.trim()];
    try {
      notice("");
      if (name) remember("name", name);
      const { table } = await post("join", { code: typed, name });
      remember("joined", JSON.stringify([table, ...joined().filter((known) => known !== table)].slice(0, MAX_REMEMBERED)));
      location.hash = `#/table/${table}`;
    } catch (error) {
      notice(error.message);
    }
  }
}
