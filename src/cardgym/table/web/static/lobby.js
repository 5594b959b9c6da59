// The lobby: the games with a form to start each, and the open tables.
import { get, post } from "./api.js";
import { h, loadSprite, notice, picture, show, symbolSize } from "./dom.js";

export async function openLobby() {
  const lobby = await get("lobby");
  const sprites = await Promise.all(lobby.games.map((game) => loadSprite(game.id)));
  show(
    h("div", { class: "lobby" },
      h("h1", {}, "Sit down at a table"),
      lobby.tables.length > 0 && h("section", { class: "open" },
        h("h2", {}, "Your open tables"),
        h("ul", {}, lobby.tables.map((table) => h("li", {}, h("a", { href: `#/table/${table.table}` }, table.env), ` ${withWhom(table)}`)))),
      h("div", { class: "games" }, lobby.games.map((game, number) => drawGame(game, sprites[number])))));
}

function drawGame(game, names) {
  const form = h("form", { onsubmit: (event) => sitDown(event, game) });
  const title = h("h2", { id: `name-${game.id}` }, game.id.replace(/-v\d+$/, "").replace(/([a-z])([A-Z])/g, "$1 $2"));
  const players = h("div", { class: "fields" });
  const count = game.options.find((option) => option.name === "num_players");
  const fillPlayers = () => {
    const seats = count ? Number(form.elements["option.num_players"].value) : game.seats[1];
    players.replaceChildren(...drawPlayers(game, seats, form.elements["seat"]?.value ?? "any"));
  };
  form.append(
    h("details", {}, h("summary", {}, "Options"),
      h("div", { class: "fields" },
        game.options.map((option) => field(option.name.replaceAll("_", " "), drawOption(option, fillPlayers), option.help)),
        field("your seat", select("seat", [["any", "random"], ...seatChoices(game), ["watch", "none: watch"]], "any", fillPlayers)),
        field("seed", h("input", { name: "seed", inputMode: "numeric", pattern: "\\d*", placeholder: "random" })))),
    players,
    h("div", { class: "fields" }, field("hints", select("hints", [["demand", "when I ask"], ["always", "always"], ["off", "never"]], "demand"))),
    h("button", { type: "submit", class: "best" }, "Sit down"));
  fillPlayers();
  return h("article", { class: "game", "aria-labelledby": title.id }, drawFan(game, names), title, h("p", {}, game.line), form);
}

// The other players of a listed game.
export function withWhom(game) {
  const others = game.players.filter((player) => player.seat !== game.person).map((player) => player.name);
  return others.length ? `${game.person === null ? "watching" : "with"} ${others.join(", ")}` : "";
}

// Four of the game's own symbols.
function drawFan(game, names) {
  const faces = names.filter((name) => !/back|slot/.test(name) && symbolSize(game.id, name).height === symbolSize(game.id, names[0]).height);
  const chosen = faces.length ? [0.12, 0.37, 0.62, 0.87].map((share) => faces[Math.floor(share * faces.length)]) : [];
  return h("div", { class: "fan", "aria-hidden": "true" },
    chosen.length ? chosen.map((name) => picture(game.id, name)) : h("span", { class: "letter" }, game.id[0]));
}

const seatChoices = (game) => Array.from({ length: game.seats[1] }, (_, seat) => [String(seat), String(seat)]);

function drawPlayers(game, seats, seat) {
  const count = seat === "watch" ? seats : seats - 1;
  const choices = game.players.map((player) => [player.name, player.strength === "not measured" ? player.name : `${player.name}: ${player.strength}`]);
  return Array.from({ length: count }, (_, number) =>
    field(count === 1 ? "opponent" : `player ${number + 1}`, select("opponent", choices, game.opponent)));
}

function drawOption(option, changed) {
  const name = `option.${option.name}`;
  if (option.choices) return select(name, option.choices.map((value) => [String(value), String(value)]), String(option.default), changed);
  const { low, high, step } = option;
  return h("input", { name, type: "number", min: low, max: high, step, value: option.default, onchange: changed });
}

function select(name, choices, chosen, changed) {
  return h("select", { name, onchange: changed },
    choices.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
}

const field = (name, input, help) => h("label", { title: help }, h("span", {}, name), input, help && h("small", {}, help));

async function sitDown(event, game) {
  event.preventDefault();
  const data = new FormData(event.target);
  const options = {};
  for (const option of game.options) {
    const value = data.get(`option.${option.name}`);
    options[option.name] = option.choices ? value : Number(value);
  }
  const seat = data.get("seat");
  const body = { game: game.id, options, opponents: data.getAll("opponent"), hints: data.get("hints"),
    seat: seat === "watch" ? null : seat === "any" ? "any" : Number(seat), seed: data.get("seed") ? Number(data.get("seed")) : null };
  try {
    notice("");
    location.hash = `#/table/${(await post("tables", body)).table}`;
  } catch (error) {
    notice(error.message);
  }
}
