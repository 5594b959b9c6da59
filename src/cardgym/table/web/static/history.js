// The record: results by game and opponents, what decisions cost over time, and the games, with filters.
import { get, post } from "./api.js";
import { ratingChart } from "./charts.js";
import { attempt, h, notice, remember, remembered, reopen, show, svg, twice } from "./dom.js";
import { drawResign } from "./panels.js";
import * as words from "./words.js";
const { percent, points, title, withWhom } = words;
const PAGE = 10;
const MEANING =
  "Ratings are Elo points: 0 is the average of the players that were measured, and 200 points more mean three wins " +
  "in four games. The band is where your strength is with 95 % certainty; more games make it narrower.";

export async function openHistory() {
  const record = await get("history");
  let shown = PAGE;
  let env = remembered("record", "");
  const all = [...new Set([...record.games, ...record.unfinished].map((game) => game.env))].sort();
  const draw = () => {
    const wanted = (game) => !all.includes(env) || game.env === env;
    const games = record.games.filter(wanted);
    const more = games.length - shown;
    return h(
      "div.history",
      drawHead(all, env, (chosen) => {
        remember("record", (env = chosen));
        show(draw());
      }),
      drawRatings(record.ratings.filter(wanted)),
      drawResults(record.reports.filter(wanted)),
      record.older > 0 && h("p", `Only your latest games count here; older ones, in the export: ${record.older}.`),
      games.length > 0 ? drawGames(games.slice(0, shown), remover) : drawNoGames(),
      more > 0 && h("button", { onclick: () => ((shown += PAGE), show(draw())) }, `Show ${Math.min(PAGE, more)} more`),
      drawUnfinished(record.unfinished.filter(wanted), remover),
      drawUnreadable(record.unreadable, remover),
      drawCosts(record.costs.filter(wanted), record.reviewing),
    );
  };
  return draw();

  function remover(game) {
    return twice("delete", async () => {
      await post(`history/${game.table}/delete`);
      for (const list of ["games", "unfinished", "unreadable"])
        record[list] = record[list].filter((other) => other.table !== game.table);
      show(draw());
    });
  }
}

function drawHead(all, env, choose) {
  const options = all.map((name) => h("option", { value: name, selected: name === env }, title(name)));
  const filter = { id: "filter", onchange: (event) => choose(event.target.value) };
  const file = { type: "file", accept: ".jsonl,.json", onchange: (event) => importFile(event.target.files[0]) };
  return h(
    "div.row",
    h("h1", "Your record"),
    h("label", "Game ", h("select", filter, h("option", { value: "" }, "all"), options)),
    h("a.button", { href: "/api/history/export", download: "cardgym_games.jsonl" }, "Export"),
    h("label.button", "Import", h("input.unseen", file)),
  );
}

const importFile = (file) =>
  attempt(async () => {
    const { added, refused } = await post("history/import", { lines: await file.text() });
    reopen();
    const others = refused.length ? ` ${refused.length} refused: ${refused[0]}` : "";
    notice(`${added} ${added === 1 ? "game" : "games"} added.${others}`);
  });

function drawUnreadable(games, remover) {
  if (!games.length) return null;
  const rows = games.map((game) => h("li", game.reason, " ", remover(game)));
  return h("section.wide", h("h2", "Unreadable"), h("p.quiet", "Left out of everything."), h("ul", rows));
}

function drawRatings(ratings) {
  if (!ratings.length) return null;
  const meaning = h("details.quiet", h("summary", "What the ratings mean"), h("p", MEANING));
  return [h("div.charts", { tabIndex: 0, role: "region", "aria-label": "Ratings" }, ratings.map(drawRating)), meaning];
}

function drawRating(rated) {
  const { env, games, rating, half_width: half } = rated;
  const { size, band, curve, levels, above } = ratingChart(rated, (name, at) => `${points(at)} ${name}`);
  const played = `${games} rated ${games === 1 ? "game" : "games"}`;
  const label = `From ${points(rated.curve[0][0])} to ${points(rating)} in ${played}`;
  const guess = games < 10 ? ", still a rough guess" : "";
  const place = above === null ? "below all of them" : `above ${above}`;
  const about = { viewBox: `0 0 ${size.join(" ")}`, class: "chart ratings", role: "img", "aria-label": label };
  const lines = levels.map((level) => svg("polyline", { points: level.points, class: "grid" }));
  const names = levels.map(({ x, y, name }) => svg("text", { x: x ?? 0, y: y ?? 0, class: "name" }, name ?? ""));
  const own = [
    svg("polygon", { class: "band", points: band }),
    svg("polyline", { class: "line seat0", points: curve }),
  ];
  return h(
    "section.wide.rating",
    { "aria-label": `Rating at ${title(env)}` },
    h("h2", h("span", title(env)), h("span.worth", `${points(rating)} ± ${half.toFixed(0)}`)),
    h("p.quiet", `After ${played}${guess}: ${place}.`),
    svg("svg", about, ...lines, ...names, ...own),
  );
}

function drawResults(reports) {
  const results = reports.filter((report) => report.games && report.people.includes("You"));
  const rows = results.map((report) => {
    const [own] = report.players;
    const rate = own.win_rate;
    const bar = rate !== undefined && h("progress.rate", { max: 1, value: rate, "aria-hidden": "true" });
    const name = `${title(report.env)}${words.differing(report, results)}`;
    const wins = [bar, words.won(own), report.options.hands > 1 && " of hands"];
    return [name, report.people.join(", "), report.games, wins, words.gained(report)];
  });
  return drawTable("Results (95 % intervals)", ["game", "players", "games", "your wins", "per game"], rows);
}

function drawGames(games, remover) {
  const rows = games.map((game) => {
    const result = words.outcome(game);
    const outcome = result && h("span", { class: `outcome ${result}` }, result);
    const review = h("a", { href: `#/review/${game.table}` }, "review");
    return [...about(game), [outcome, words.scores(game)], words.mark(game), review, remover(game)];
  });
  return drawTable("Games", ["when", "game", "players", "scores", "", "", ""], rows);
}

function drawNoGames() {
  const [none, later] = ["You have not finished a game yet. ", " Its result, its review and its costs will be here."];
  return h("p", none, h("a", { href: "#/" }, "Start one."), later);
}

function drawUnfinished(games, remover) {
  const rows = games.map((game) => {
    const link = h("a", { href: `#/table/${game.table}` }, "continue");
    return [...about(game), link, drawResign(game), remover(game)];
  });
  return drawTable("Unfinished", ["when", "game", "players", "", "", ""], rows);
}

const about = (game) => [when(game.time), title(game.env), withWhom(game)];

function when(time) {
  const date = new Date(time);
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" };
  return date.toLocaleString([], { ...year, month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
}

function drawCosts(costs, reviewing) {
  const heads = ["game", "opponents", "kind", "decisions", "as good as the best", "average cost"];
  const rows = costs.map(({ env, people, kind, decisions, best, cost, unit }) => {
    const [share, mean] = [percent(best / decisions), words.costOf(cost, unit)];
    return [title(env), people, kind, decisions, share, mean];
  });
  const waiting = reviewing > 0 ? ` (games to be reviewed: ${reviewing})` : "";
  return drawTable(`Cost of a decision${waiting}`, heads, rows);
}

// On a phone, rows flow; then a number needs its name beside it, a game's own words do not.
function drawTable(caption, heads, rows) {
  if (!rows.length) return null;
  const dated = heads.includes("when");
  const content = (cell) =>
    cell instanceof Node || Array.isArray(cell) ? cell : String(cell || cell === 0 ? cell : "");
  const drawCell = (cell, place) => h("td", { "data-head": place && !dated ? heads[place] : null }, content(cell));
  const drawRow = (row) => h("tr", row.map(drawCell));
  const header = heads.map((head) => (head ? h("th", { scope: "col" }, head) : h("td")));
  const body = h("tbody", { class: dated ? "dated" : "" }, rows.map(drawRow));
  const table = h("table", h("caption", caption), h("thead", h("tr", header)), body);
  return h("div.wide.listing", { tabIndex: 0, role: "region", "aria-label": caption }, table);
}
