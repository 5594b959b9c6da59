// The page to join a table by its code, and the joined tables, which this browser remembers.
import { post } from "./api.js";
import { attempt, h, notice, recalled, remember, remembered } from "./dom.js";

const MAX_REMEMBERED = 8;

export const joined = () => recalled("joined", []);
const others = (table) => joined().filter((known) => known !== table);
export const forgetJoined = (table) => remember("joined", JSON.stringify(others(table)));

export function openJoin(code) {
  const typing = { required: true, autocomplete: "off", autocapitalize: "characters", spellcheck: false };
  const name = { name: "name", value: remembered("name", ""), maxLength: 20, placeholder: "Player 2" };
  const form = h(
    "form.game.join-form",
    { onsubmit: (event) => sitDown(event) },
    h("h1", "Join a table"),
    h("label.fan", h("span", "code"), h("input.code", { name: "code", value: code, maxLength: 12, ...typing })),
    h("p.quiet", "The person who opened the table, for a game with “a person by link”, sees its code."),
    h("div.fields", h("label", h("span", "your name"), h("input", name))),
    h("div.row", h("button.sit", { type: "submit" }, "Join"), h("a.button", { href: "#/" }, "Lobby")),
  );
  setTimeout(() => form.elements[code ? "name" : "code"].focus()); // Once it is shown.
  return form;

  async function sitDown(event) {
    event.preventDefault();
    const [typed, name] = [form.elements.code.value, form.elements.name.value.trim()];
    notice("");
    if (name) remember("name", name);
    await attempt(() => joinTable(typed, name));
  }
}

export async function joinTable(code, name) {
  const { table } = await post("join", { code, name });
  remember("joined", JSON.stringify([table, ...others(table)].slice(0, MAX_REMEMBERED)));
  location.hash = `#/table/${table}`;
}
