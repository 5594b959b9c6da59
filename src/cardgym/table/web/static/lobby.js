// The lobby: a card for each game, its variants on it, with a form to start; and the open tables. Forms are remembered.
import { get, post } from "./api.js";
import { h, loadSprite, notice, patch, picture, remember, remembered, reopen, symbolSize, twice } from "./dom.js";
import { joined } from "./join.js";
import { openRules } from "./rules.js";

export async function openLobby() {
  const lobby = await get("lobby");
  const families = new Map();
  for (const game of lobby.games) families.set(game.family, [...(families.get(game.family) ?? []), game]);
  const firsts = [...families.values()].map(([first]) => first); // Their variants have the same cards.
  await Promise.all(firsts.map(async (first) => (first.symbols = await loadSprite(first.id))));
  const others = joined().filter((id) => !lobby.tables.some((table) => table.table === id));
  return h("div", { class: "lobby", onpointerdown: press },
    h("div", { class: "row" }, h("h1", {}, "Sit down at a table"), h("a", { class: "button", href: "#/join" }, "Join a table"),
      others.map((id) => h("a", { class: "button", href: `#/table/${id}` }, "Back to the table you joined"))),
    lobby.tables.length > 0 && h("section", { class: "open" },
      h("div", { class: "row" }, h("h2", {}, "Your open tables"), lobby.tables.length > 2 && h("a", { href: "#/history" }, `All ${lobby.tables.length} unfinished games`)),
      h("ul", {}, lobby.tables.slice(0, 4).map((table) => h("li", {}, h("a", { href: `#/table/${table.table}`, class: "button" }, h("span", {}, title(table.env), h("small", {}, withWhom(table) || "on your own"))),
        table.person !== null && twice("resign", () => post(`tables/${table.table}/resign`).then(reopen)))))),
    h("div", { class: "games" }, [...families.values()].map((games) => new Card(games).element)));
}

// Pressing a button also takes what was just typed. The page stays as it is until the release: a button that is moved or
// replaced in between would not be clicked.
let released = null;
function press(event) {
  if (!event.target.closest("button, a, summary, .segments")) return;
  released = new Promise((release) => {
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(release), { once: true });
  });
}

export const title = (id) => id.replace(/-v\d+$/, "").replace(/([a-z])([A-Z])/g, "$1 $2");

// The other players of a listed game.
export function withWhom(game) {
  const others = game.people.filter((_, seat) => seat !== game.person);
  return others.length ? `${game.person === null ? "watching" : "with"} ${others.join(", ")}` : "";
}

const WAIT = "One moment …";

// One card of the lobby: the variants of a game, the level or the opponents, hints, and further options.
class Card {
  constructor(games) {
    this.games = games;
    this.family = games[0].family;
    try {
      this.values = JSON.parse(remembered(`form.${this.family}`, "{}"));
    } catch {
      this.values = {};
    }
    this.game = games.find((game) => game.id === this.values.game) ?? games[0];
    this.players = this.game.players;
    this.element = h("article");
    this.draw();
    if (this.game.options.some((option) => this.option(option) !== String(option.default))) this.changed();
  }

  option = (option) => String(this.values[`${this.game.id}.${option.name}`] ?? option.default);

  get form() {
    return this.element.querySelector("form");
  }

  draw() {
    this.drawn = this.game;
    patch(this.element, h("article", { class: "game", "aria-label": title(this.games[0].id) },
      h("div", { class: "fan" }, h("h2", {}, title(this.games[0].id)), drawFan(this.games[0])), this.drawForm()));
  }

  drawForm() {
    const { game, values } = this;
    const explored = () => `#/explore/${this.game.id}?${this.query()}`;
    return h("form", { onchange: () => this.changed(), onsubmit: (event) => (event.preventDefault(), this.open(() => this.chosen())) },
      this.games.length > 1 && h("fieldset", { class: "segments" }, h("legend", { class: "unseen" }, "Variant"), this.games.map((one) =>
        h("label", {}, h("input", { type: "radio", name: "game", value: one.id, checked: one === game }), h("span", {}, one === this.games[0] ? "Standard" : title(one.id).replace(`${title(this.games[0].id)} `, ""))))),
      h("p", {}, game.line),
      this.drawLesson(),
      h("div", { class: "fields" }, this.drawPeople(), this.drawPlayers()),
      h("div", { class: "folds" }, this.drawStrength(), h("details", {}, h("summary", {}, "Options"),
        h("div", { class: "fields" },
          field("hints", select("hints", [["demand", "when I ask"], ["always", "always"], ["off", "never"]], values.hints ?? "demand")),
          game.options.map((option) => field(option.help || option.name.replaceAll("_", " "), this.drawOption(option), option.name)),
          field("your seat", select("seat", [["any", "random"], ...Array.from({ length: game.seats[1] }, (_, seat) => [String(seat), String(seat + 1)]), ["watch", "none: watch"]], values.seat ?? "any")),
          field("seed", h("input", { name: "seed", value: this.form?.elements.seed.value ?? "", inputMode: "numeric", pattern: "\\d*", placeholder: "random" }))))),
      h("div", { class: "row" }, h("button", { type: "submit", class: "sit" }, this.opening ? WAIT : "Sit down"),
        h("button", { type: "button", onclick: () => openRules(this.game.id, `games/${this.game.id}/rules?${this.query()}`) }, "Rules"),
        h("a", { class: "button", href: explored(), onclick: (event) => (event.target.href = explored()) }, "Explore")));
  }

  // A first game that is explained move by move, offered until the person has played or skipped one.
  drawLesson() {
    const lesson = this.games.find((game) => game.lesson);
    if (!lesson || remembered(`taught.${lesson.id}`, "")) return null;
    return h("button", { type: "button", class: "first", onclick: () => this.open(() => ({ game: lesson.id, lesson: true })) }, "First time? Learn by playing");
  }

  // Alone, or with another person: at this screen, or at another one by a code.
  drawPeople() {
    if (this.values.seat === "watch") return null;
    if (this.seats() < 2) return field("you play", h("output", { name: "people" }, "on your own"));
    const { people } = this.values;
    const name = (field, usual) => h("input", { name: field, maxLength: 20, placeholder: usual, value: remembered(field, "") });
    return [field("you play", select("people", [["one", "the computer"], ["hot", "a person at this screen"], ["link", "a person by link"]], people ?? "one")),
      this.persons() > 1 && field("your name", name("name", "Player 1")), people === "hot" && field("their name", name("name2", "Player 2"))];
  }

  persons = () => (this.seats() > 1 && this.values.seat !== "watch" && ["hot", "link"].includes(this.values.people) ? 2 : 1);

  // One choice of a level, or a choice of players for every seat.
  drawPlayers() {
    const { game, values, players } = this;
    const count = this.seats() - (values.seat === "watch" ? 0 : this.persons());
    this.known = [];
    if (count <= 0) return null;
    const levels = players.filter((player) => player.level);
    const usual = levels.find((player) => player.name === game.opponent) ?? levels.at(-2);
    const chosen = values.level === "choose" || !levels.length ? "choose" : levels.some((player) => player.level === values.level) ? values.level : usual.level;
    const all = players.map((player) => [player.name, player.level ? `${player.shown} (${player.level.toLowerCase()})` : player.shown]);
    const names = (number) => (players.some((player) => player.name === values[`opponent${number}`]) ? values[`opponent${number}`] : game.opponent);
    this.known = chosen === "choose" ? players.filter((player) => Array.from({ length: count }, (_, number) => names(number)).includes(player.name)) : players.filter((player) => player.level === chosen);
    return [
      levels.length > 0 && field("level", select("level", [...levels.map((player) => [player.level, player.level]), ["choose", "choose …"]], chosen)),
      chosen === "choose" && Array.from({ length: count }, (_, number) => field(count === 1 ? "opponent" : `player ${number + 1}`, select(`opponent${number}`, all, names(number))))];
  }

  // Whom the person meets, with measured figures one click away.
  drawStrength() {
    const { known } = this;
    return known.length > 0 && h("details", { class: "strength" }, h("summary", {}, known.length === 1 ? `You meet ${known[0].shown}` : "How strong they are"),
      known.map((player) => h("p", { class: "quiet" }, `${player.shown}: ${player.strength}.`)));
  }

  drawOption(option) {
    const name = `option.${option.name}`;
    if (option.choices) return select(name, option.choices.map((value) => [String(value), String(value).replaceAll("_", " ")]), this.option(option));
    const { low, high, step } = option;
    return h("input", { name, type: "number", min: low, max: high, step, value: this.option(option) });
  }

  seats() {
    const count = this.game.options.find((option) => option.name === "num_players");
    return count ? Number(this.option(count)) : this.game.seats[1];
  }

  query = () => new URLSearchParams(this.game.options.map((option) => [option.name, this.option(option)])).toString();

  changed = () => this.settle().catch((error) => notice(error.message));

  // Takes what the form says, keeps it for the next visit, asks which players fit, and draws the form for them.
  settle() {
    const data = new FormData(this.form);
    for (const [name, value] of data) {
      if (name === "seed") continue;
      if (name === "name" || name === "name2") {
        remember(name, value);
        continue;
      }
      this.values[name.startsWith("option.") ? `${this.drawn.id}.${name.slice(7)}` : name] = value;
    }
    this.game = this.games.find((game) => game.id === this.values.game) ?? this.games[0];
    remember(`form.${this.family}`, JSON.stringify(this.values));
    this.settled = this.ask(get(`games/${this.game.id}/opponents?${this.query()}`));
    return this.settled;
  }

  async ask(answer) {
    this.answer = answer;
    const players = await answer.catch((error) => error);
    await released;
    if (this.answer !== answer) return this.settled; // The form has changed again.
    if (players instanceof Error) throw players;
    this.players = players;
    notice("");
    this.draw();
  }

  // The game that the form describes, once it is drawn for what was chosen last.
  async chosen() {
    await this.settle();
    const { game } = this;
    const data = new FormData(this.form);
    const options = Object.fromEntries(game.options.map((option) => [option.name, option.choices ? data.get(`option.${option.name}`) : Number(data.get(`option.${option.name}`))]));
    const seat = data.get("seat");
    const level = this.players.find((player) => player.level && player.level === data.get("level"));
    const chosen = level ? [level.name] : [...data].filter(([name]) => /^opponent\d/.test(name)).map(([, value]) => value);
    const people = this.persons() > 1 ? data.get("people") : "one"; // The other person sits next.
    const opponents = people === "one" ? chosen : ["human", ...Array.from({ length: this.seats() - 2 }, (_, place) => chosen[place] ?? chosen[0])];
    return { game: game.id, options, opponents, hints: data.get("hints"), people, names: people === "one" ? [] : [data.get("name"), data.get("name2") ?? ""],
      seat: seat === "watch" ? null : seat === "any" ? "any" : Number(seat), seed: data.get("seed") ? Number(data.get("seed")) : null };
  }

  async open(describe) {
    if (this.opening) return; // A second click opens no second table.
    this.opening = true;
    this.form.querySelector(".sit").textContent = WAIT;
    try {
      notice("");
      location.hash = `#/table/${(await post("tables", await describe())).table}`;
    } catch (error) {
      notice(error.message);
      this.form.querySelector(".sit").textContent = "Sit down";
    }
    this.opening = false;
  }
}

// Four of the game's own symbols.
export function drawFan({ id, symbols: names }) {
  const faces = names.filter((name) => !/back|slot/.test(name) && symbolSize(id, name).height === symbolSize(id, names[0]).height);
  const chosen = faces.length ? [0.12, 0.37, 0.62, 0.87].map((share) => faces[Math.floor(share * faces.length)]) : [];
  return h("div", { class: "cards", "aria-hidden": "true" },
    chosen.length ? chosen.map((name) => picture(id, name)) : h("span", { class: "letter" }, id[0]));
}

function select(name, choices, chosen) {
  return h("select", { name }, choices.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
}

const field = (words, input, title) => h("label", { title, "data-key": input.name }, h("span", {}, words), input);
