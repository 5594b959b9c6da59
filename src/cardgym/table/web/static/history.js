// The record: results by game and opponents, what decisions cost over time, and the games, with filters.
import { get, post } from "./api.js";
import { h, notice, percent, plain, points, remember, remembered, reopen, show, svg, twice } from "./dom.js";
import { title, withWhom } from "./lobby.js";

const PAGE = 10;
const MEANING = "Ratings are Elo points: 0 is the average of the players that were measured, and 200 points more mean three wins in four games. The band is where your strength is with 95 % certainty; every game makes it narrower.";

export async function openHistory() {
  const record = await get("history");
  let shown = PAGE;
  let env = remembered("record", "");
  const all = [...new Set([...record.games, ...record.unfinished].map((game) => game.env))].sort();
  const draw = () => {
    const wanted = (game) => !all.includes(env) || game.env === env;
    const games = record.games.filter(wanted);
    const results = record.reports.filter((report) => wanted(report) && report.games && report.people.includes("You")); // Watched games are listed only.
    return h("div", { class: "history" },
      h("div", { class: "row" }, h("h1", {}, "Your record"),
        h("label", {}, "Game ", h("select", { id: "filter", onchange: (event) => (remember("record", (env = event.target.value)), show(draw())) },
          h("option", { value: "" }, "all"), all.map((name) => h("option", { value: name, selected: name === env }, title(name))))),
        h("a", { class: "button", href: "/api/history/export", download: "cardgym_games.jsonl" }, "Export"),
        h("label", { class: "button" }, "Import", h("input", { type: "file", class: "unseen", accept: ".jsonl,.json", onchange: (event) => importFile(event.target.files[0]) }))),
      record.ratings.some(wanted) && h("div", { class: "charts", tabIndex: 0, role: "region", "aria-label": "Ratings" }, record.ratings.filter(wanted).map(drawRating)),
      record.ratings.some(wanted) && h("details", { class: "quiet" }, h("summary", {}, "What the ratings mean"), h("p", {}, MEANING)),
      drawTable("Results (95 % intervals)", ["game", "players", "games", "your wins", "per game"],
        results.map((report) => [`${title(report.env)}${differing(report, results)}`, report.people.join(", "), report.games, [bar(report.players[0]), won(report.players[0]), report.options.hands > 1 && " of hands"], gained(report)])),
      games.length > 0 ? drawTable("Games", ["when", "game", "players", "scores", "", "", ""], games.slice(0, shown).map((game) =>
        [when(game.time), title(game.env), withWhom(game), [outcome(game), scores(game)], game.resigned ? "resigned" : game.again ? "tried again" : game.lesson ? "lesson" : "", h("a", { href: `#/review/${game.table}` }, "review"), remover(game)]))
        : h("p", {}, "You have not finished a game yet. ", h("a", { href: "#/" }, "Start one."), " Its result, its review and what your decisions cost will be here."),
      games.length > shown && h("button", { type: "button", onclick: () => ((shown += PAGE), show(draw())) }, `Show ${Math.min(PAGE, games.length - shown)} more`),
      drawTable("Unfinished", ["when", "game", "players", "", "", ""], record.unfinished.filter(wanted).map((game) =>
        [when(game.time), title(game.env), withWhom(game), h("a", { href: `#/table/${game.table}` }, "continue"),
          game.person !== null && twice("resign", () => post(`tables/${game.table}/resign`).then(reopen)), remover(game)])),
      drawTable(`Cost of a decision${record.reviewing > 0 ? ` (${record.reviewing} more games are being reviewed)` : ""}`, ["game", "opponents", "kind", "decisions", "as good as the best", "average cost", "game by game"],
        record.costs.filter(wanted).map((row) => [title(row.env), row.people, row.kind, row.decisions, percent(row.best / row.decisions), `${plain(row.cost)} ${row.unit}`, drawCurve(row.curve, row.unit)])));
  };
  return draw();

  function remover(game) {
    return twice("delete", async () => {
      await post(`history/${game.table}/delete`);
      for (const list of [record.games, record.unfinished]) list.splice(0, list.length, ...list.filter((other) => other.table !== game.table));
      show(draw());
    });
  }
}

async function importFile(file) {
  try {
    const { added } = await post("history/import", { lines: await file.text() });
    reopen();
    notice(`${added} ${added === 1 ? "game" : "games"} added.`);
  } catch (error) {
    notice(error.message);
  }
}

// Local time, with the year where it is another one.
function when(time) {
  const date = new Date(time);
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" };
  return date.toLocaleString([], { ...year, month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
}

// The options in which a line of results differs from others of its game.
function differing({ env, options }, results) {
  const words = Object.keys(options).filter((name) => results.some((other) => other.env === env && other.options[name] !== options[name])).map((name) => `${name.replace("num_", "").replaceAll("_", " ")} ${options[name]}`);
  return words.length ? ` (${words.join(", ")})` : "";
}

function won({ win_rate: rate, win_rate_ci95: interval }) {
  return rate === undefined ? "" : `${percent(rate)}${interval?.[0] === undefined || interval[0] === null ? "" : ` [${interval.map(percent).join(", ")}]`}`;
}

const bar = ({ win_rate: rate }) => rate !== undefined && h("progress", { class: "rate", max: 1, value: rate, "aria-hidden": "true" });

// Whether the person won, against the best of the others or, alone, against the house.
function outcome(game) {
  if (game.person === null) return null;
  const value = (player) => (game.unit === "reward" ? player.score : player.return);
  const others = game.players.filter((player) => player.seat !== game.person);
  const margin = value(game.players.find((player) => player.seat === game.person)) - (others.length ? Math.max(...others.map(value)) : 0);
  const word = margin > 0 ? "won" : margin < 0 ? "lost" : "drawn";
  return h("span", { class: `outcome ${word}` }, word);
}

const gained = ({ players: [{ mean_return: mean }], unit }) => (mean === undefined || unit === "reward" ? "" : `${mean > 0 ? "+" : ""}${plain(mean)} ${unit}`);

// The rating after every game, with its 95 % interval as a band and the measured players as lines.
function drawRating({ env, games, rating, half_width: half, curve: known, players }) {
  const curve = known.length > 1 ? known : [known[0], known[0]]; // A line after one game, too.
  const levels = Object.entries(players).sort(([, one], [, other]) => other - one);
  const values = curve.flatMap(([at, wide]) => [at - wide, at + wide].map((value) => Math.min(Math.max(value, rating - 400), rating + 400)));
  const shown = levels.filter(([, at]) => at > Math.min(...values) - 150 && at < Math.max(...values) + 150);
  const [low, high] = [Math.min(...values, ...shown.map(([, at]) => at)), Math.max(...values, ...shown.map(([, at]) => at))];
  const [width, height] = [330, 140];
  const right = 20 + 7.1 * Math.max(...shown.map(([name, at]) => `${points(at)} ${name}`.length), 0); // The room for the names.
  const x = (place) => 6 + ((width - right - 12) * place) / Math.max(curve.length - 1, 1);
  const y = (value) => 8 + ((height - 16) * (high - value)) / (high - low || 1);
  const clipped = (value) => Math.min(Math.max(value, low), high);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart ratings", role: "img", "aria-label": `From ${points(curve[0][0])} to ${points(rating)} in ${games} games` });
  const edge = (sign) => curve.map(([at, wide], place) => `${x(place)},${y(clipped(at + sign * wide))}`);
  drawing.append(svg("polygon", { class: "band", points: [...edge(1), ...edge(-1).reverse()].join(" ") }));
  let last = -99;
  for (const [name, at] of shown) {
    const place = Math.max(y(at), last + 13); // No names on one another.
    const named = place - y(at) <= 30 && place <= height - 4;
    drawing.append(svg("polyline", { points: `6,${y(at)} ${width - right},${y(at)}${named ? ` ${width - right + 10},${place}` : ""}`, class: "grid" }));
    if (!named) continue;
    last = place;
    drawing.append(svg("text", { x: width - right + 14, y: place + 4, class: "name" }, `${points(at)} ${name}`));
  }
  drawing.append(svg("polyline", { class: "line seat0", points: curve.map(([at], place) => `${x(place)},${y(clipped(at))}`).join(" ") }));
  const below = levels.find(([, at]) => at <= rating);
  return h("section", { class: "wide rating", "aria-label": `Rating at ${title(env)}` },
    h("h2", {}, h("span", {}, title(env)), h("span", { class: "worth" }, `${points(rating)} ± ${half.toFixed(0)}`)),
    h("p", { class: "quiet" }, `After ${games} rated ${games === 1 ? "game" : "games"}${games < 10 ? ", still a rough guess" : ""}: ${below ? `above ${below[0]}` : "below all of them"}.`), drawing);
}

// What a game brought: the returns in the game's unit, or the scores.
const scores = (game) => [...game.players].sort((a, b) => a.seat - b.seat).map((player) =>
  `${game.people[player.seat]} ${game.unit === "reward" ? plain(player.score) : `${player.return > 0 ? "+" : ""}${plain(player.return)}`}`).join(", ") + (game.unit === "reward" ? "" : ` ${game.unit}`);

// The average cost of each game's decisions, oldest first.
function drawCurve(values, unit) {
  if (values.length < 2) return "";
  const high = Math.max(...values, 1e-9);
  const points = values.map((value, place) => `${2 + (116 * place) / (values.length - 1)},${26 - (24 * value) / high}`).join(" ");
  return svg("svg", { viewBox: "0 0 120 28", width: 120, height: 28, class: "curve", role: "img", "aria-label": `from ${plain(values[0])} to ${plain(values.at(-1))} ${unit}` },
    svg("polyline", { points, class: "line seat0" }));
}

// On a phone, rows flow; then a number needs its name beside it, a game's own words do not.
function drawTable(caption, heads, rows) {
  return rows.length > 0 && h("div", { class: "wide listing", tabIndex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads.map((head) => (head ? h("th", { scope: "col" }, head) : h("td"))))),
      h("tbody", { class: heads.includes("when") ? "dated" : "" }, rows.map((row) => h("tr", {}, row.map((cell, place) => h("td", { "data-head": place && !heads.includes("when") ? heads[place] : null }, cell instanceof Node || Array.isArray(cell) ? cell : String(cell || cell === 0 ? cell : ""))))))));
}
