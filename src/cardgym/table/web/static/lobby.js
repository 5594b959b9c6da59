// The lobby: a card for each game, its variants on it, with a form to start; and the open tables. Forms are remembered.
import { get, post, telling } from "./api.js";
import { attempt, h, loadSprite, notice, patch, picture, recalled, remember, remembered, symbolSize } from "./dom.js";
import * as forms from "./forms.js";
import { joined } from "./join.js";
import { openRules } from "./rules.js";
import { title, withWhom } from "./words.js";

// With a game's id, as links from elsewhere have it, that game begins at once.
export async function openLobby(id) {
  const lobby = await get("lobby");
  const families = new Map();
  for (const game of lobby.games) families.set(game.family, [...(families.get(game.family) ?? []), game]);
  const firsts = [...families.values()].map(([first]) => first); // Their variants have the same cards.
  await Promise.all(firsts.map(async (first) => (first.symbols = await loadSprite(first.id))));
  const others = joined().filter((id) => !lobby.tables.some((table) => table.table === id));
  const back = others.map((id) => h("a.button", { href: `#/table/${id}` }, "Back to the table you joined"));
  const join = h("a.button", { href: "#/join" }, "Join a table");
  const cards = [...families.values()].map((games) => new Card(games, id));
  const elements = cards.map((card) => card.element);
  const linked = cards.find((card) => card.game.id === id);
  if (linked) setTimeout(() => linked.openAtOnce());
  return h(
    "div.lobby",
    { onpointerdown: press },
    h("div.row", h("h1", "Sit down at a table"), join, back, drawOpen(lobby.tables)),
    h("div.games", elements),
  );
}

function drawOpen([latest, ...others]) {
  const words = latest && `Continue ${title(latest.env)} ${withWhom(latest)}`;
  const all = others.length > 0 && h("a", { href: "#/history" }, `All ${others.length + 1} unfinished games`);
  return latest && [h("a.button.best", { href: `#/table/${latest.table}` }, words), all];
}

// Pressing a button also takes what was just typed. The page stays as it is until the release: a button that is moved
// or replaced in between would not be clicked.
let released = null;
function press(event) {
  if (!event.target.closest("button, a, summary, .segments")) return;
  released = new Promise((release) => {
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(release), { once: true });
  });
}

class Card {
  constructor(games, id) {
    this.games = games;
    this.family = games[0].family;
    this.values = recalled(`form.${this.family}`, {});
    this.game = games.find((game) => game.id === id) ?? games.find((game) => game.id === this.values.game) ?? games[0];
    this.players = this.game.players;
    this.element = h("article");
    this.draw();
    if (remembered("last", "") === this.family) this.prepare();
    if (this.game.options.some((option) => this.option(option) !== String(option.default))) this.changed();
  }

  option = (option, game = this.game) => forms.optionOf(game, this.values, option);
  query = () => new URLSearchParams(this.game.options.map((option) => [option.name, this.option(option)])).toString();

  // Has the server compile what the described game needs, while the person still reads; once the form fits the game.
  prepare() {
    this.prepared = true;
    if (!this.stale) post("prepare", this.describe()).catch(() => null);
  }

  describe = () => forms.tableOf(this.game, this.values, this.players, Object.fromEntries(new FormData(this.form)));

  get form() {
    return this.element.querySelector("form");
  }

  draw() {
    this.drawn = this.game;
    const [first] = this.games;
    const name = title(first.id);
    const fan = h("div.fan", h("h2", name), drawFan(first));
    patch(this.element, h("article.game", { "aria-label": name }, fan, this.drawForm()));
  }

  drawForm() {
    const explored = () => `#/explore/${this.game.id}?${this.query()}`;
    const submit = (event) => {
      event.preventDefault();
      this.open(() => this.chosen());
    };
    const buttons = [
      h("button.sit", { type: "submit" }, this.opening ? "One moment …" : "Sit down"),
      h("button", { onclick: () => openRules(this.game.id, this.query()) }, "Rules"),
      h("a.button", { href: explored(), onclick: (event) => (event.target.href = explored()) }, "Explore"),
    ];
    return h(
      "form",
      { onchange: () => this.changed(), onpointerdown: () => this.prepared || this.prepare(), onsubmit: submit },
      this.games.length > 1 && this.drawVariants(),
      h("p", this.game.line),
      this.drawLesson(),
      h("div.fields", this.drawPeople(), this.drawPlayers()),
      h("div.folds", this.drawStrength(), h("details", h("summary", "Options"), this.drawOptions())),
      h("div.row", buttons),
    );
  }

  drawVariants() {
    const [first] = this.games;
    const name = (game) => (game === first ? "Standard" : title(game.id).replace(`${title(first.id)} `, ""));
    const radio = (game) => ({ type: "radio", name: "game", value: game.id, checked: game === this.game });
    const variants = this.games.map((game) => h("label", h("input", radio(game)), h("span", name(game))));
    return h("fieldset.segments", h("legend.unseen", "Variant"), variants);
  }

  // A first game that is explained move by move, offered until the person has played or skipped one.
  drawLesson() {
    const lesson = this.games.find((game) => game.lesson);
    if (!lesson || remembered(`taught.${lesson.id}`, "")) return null;
    const onclick = () => this.open(() => ({ game: lesson.id, lesson: true }));
    return h("button.first", { onclick }, "First time? Learn by playing");
  }

  drawPeople() {
    const { game, values } = this;
    if (values.seat === "watch") return null;
    if (forms.seatsOf(game, values) < 2) return field("you play", h("output", { name: "people" }, "on your own"));
    const name = (name, placeholder) => h("input", { name, maxLength: 20, placeholder, value: remembered(name, "") });
    return [
      field("you play", select("people", forms.PEOPLE, values.people ?? "one")),
      forms.personsOf(game, values) > 1 && field("your name", name("name", "Player 1")),
      values.people === "hot" && field("their name", name("name2", "Player 2")),
    ];
  }

  drawPlayers() {
    const { levels, level, names } = forms.opponentsOf(this.game, this.values, this.players);
    if (!names.length) return null;
    const leveled = ({ shown, level }) => (level ? `${shown} (${level.toLowerCase()})` : shown);
    const all = this.players.map((player) => [player.name, leveled(player)]);
    const chosen = (name, number) => {
      const words = names.length === 1 ? "opponent" : `player ${number + 1}`;
      return field(words, select(`opponent${number}`, all, name));
    };
    const choices = [...levels.map((name) => [name, name]), [forms.CHOOSE, "choose …"]];
    return [
      levels.length > 0 && field("level", select("level", choices, level)),
      level === forms.CHOOSE && names.map(chosen),
    ];
  }

  drawStrength() {
    const { known } = forms.opponentsOf(this.game, this.values, this.players);
    if (!known.length) return null;
    const summary = known.length === 1 ? `You meet ${known[0].shown}` : "How strong they are";
    const figures = known.map((player) => h("p.quiet", `${player.shown}: ${player.strength}.`));
    return h("details.strength", h("summary", summary), figures);
  }

  drawOptions() {
    const { game, values } = this;
    const typed = { value: this.form?.elements.seed?.value ?? "", inputMode: "numeric", pattern: "\\d*" };
    const group = (name) => {
      const own = game.options.filter((option) => option.group === name);
      return own.map((option) => field(option.label, this.drawOption(option), option.help));
    };
    const hints = field("hints", select("hints", forms.HINTS, values.hints ?? "demand"));
    const seat = field("your seat", select("seat", forms.seatChoices(game.seats[1]), values.seat ?? "any"));
    const seed = field("seed", h("input", { name: "seed", placeholder: "random", ...typed }));
    const [rules, study] = [group("rules"), group("for study")];
    return [
      h("div.fields", hints, seat, group("table"), forms.personsOf(game, values) < 2 && seed),
      rules.length > 0 && [h("b", "Rules"), h("div.fields", rules)],
      study.length > 0 && h("details", h("summary", "For study"), h("div.fields", study)),
    ];
  }

  drawOption(option) {
    const name = `option.${option.name}`;
    const { choices, low, high, step } = option;
    if (!choices) return h("input", { name, type: "number", min: low, max: high, step, value: this.option(option) });
    const texts = choices.map((value) => [value, option.texts[value]]);
    return select(name, texts, this.option(option));
  }

  changed = () => this.settle().catch((error) => notice(error.message));

  // Takes what the form says, keeps it for the next visit, asks which players fit, and draws the form for them.
  settle() {
    if (!this.form.reportValidity()) return this.settled;
    const data = new FormData(this.form);
    const options = {};
    for (const [name, value] of data) {
      if (name === "seed") continue;
      if (name === "name" || name === "name2") {
        remember(name, value);
        continue;
      }
      if (name.startsWith("option.")) Object.assign(options, { [name.slice(7)]: value });
      else this.values[name] = value;
    }
    // Options that have the value that they were drawn with stay as they are: others may change what is usual.
    const changed = this.drawn.options.filter((option) => options[option.name] !== this.option(option, this.drawn));
    for (const { name } of changed) this.values[`${this.drawn.id}.${name}`] = options[name];
    this.game = this.games.find((game) => game.id === this.values.game) ?? this.games[0];
    remember(`form.${this.family}`, JSON.stringify(this.values));
    this.settled = this.ask(get(`games/${this.game.id}/opponents?${this.query()}`));
    return this.settled;
  }

  async ask(answer) {
    Object.assign(this, { answer, stale: true });
    const players = await answer.catch((error) => error);
    await released;
    if (this.answer !== answer) return this.settled; // The form has changed again.
    if (players instanceof Error) throw players;
    Object.assign(this, { players, stale: false });
    notice("");
    this.draw();
    if (this.prepared) this.prepare(); // The form is for another game now, or for other players.
  }

  async chosen() {
    await this.settle();
    return this.describe();
  }

  openAtOnce() {
    history.replaceState(null, "", "#/"); // Back from the table leads to the lobby, and opens no other one.
    this.element.scrollIntoView();
    return this.open(() => this.chosen());
  }

  async open(describe) {
    if (this.opening) return; // A second click opens no second table.
    this.opening = true;
    const tell = (words) => (this.form.querySelector(".sit").textContent = words);
    tell("One moment …");
    notice("");
    remember("last", this.family);
    const opening = async () => (await telling(post("tables", await describe()), tell)).table;
    await attempt(async () => (location.hash = `#/table/${await opening()}`));
    this.opening = false;
    tell("Sit down");
  }
}

export function drawFan({ id, symbols: names }) {
  const faces = names.filter(
    (name) => !/back|slot/.test(name) && symbolSize(id, name).height === symbolSize(id, names[0]).height,
  );
  const chosen = [0.12, 0.37, 0.62, 0.87].map((share) => faces[Math.floor(share * faces.length)]);
  const pictures = [...new Set(faces.length ? chosen : [])].map((name) => picture(id, name));
  return h("div.cards", { "aria-hidden": "true" }, pictures.length ? pictures : h("span.letter", id[0]));
}

function select(name, choices, chosen) {
  const options = choices.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  return h("select", { name }, options);
}

const field = (words, input, title) => h("label", { title, "data-key": input.name }, h("span", words), input);
