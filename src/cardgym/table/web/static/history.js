// The history: results and costs by opponent, and the finished games.
import { get } from "./api.js";
import { h, percent, plain, show } from "./dom.js";
import { withWhom } from "./lobby.js";

export async function openHistory() {
  const { games, reports, costs, reviewing } = await get("history");
  show(h("div", { class: "history" },
    h("h1", {}, "Your games"),
    reports.length > 0 && drawTable("Results by line-up (95 % intervals)", ["game", "players", "games", "won by the first"],
      reports.map((report) => [report.env, report.players.map((player) => player.name).join(", "), report.games, won(report.players[0])])),
    (costs.length > 0 || reviewing > 0) && drawTable(`Cost of a decision${reviewing > 0 ? ` (${reviewing} more games are being reviewed)` : ""}`, ["game", "opponents", "kind", "decisions", "average"],
      costs.map((row) => [row.env, row.opponents, row.kind, row.decisions, `${plain(row.cost)} ${row.unit}`])),
    games.length > 0 ? drawTable("Games", ["when", "game", "players", "scores", "review"], games.map((game) =>
      [game.time.slice(0, 16).replace("T", " "), game.env, withWhom(game), scores(game), h("a", { href: `#/review/${game.table}` }, "review")]))
      : h("p", {}, "You have not finished a game yet. ", h("a", { href: "#/" }, "Start one."))));
}

function won({ win_rate: rate, win_rate_ci95: interval }) {
  return rate === undefined ? "" : `${percent(rate)}${interval?.[0] === undefined || interval[0] === null ? "" : ` [${interval.map(percent).join(", ")}]`}`;
}

const scores = (game) => [...game.players].sort((a, b) => a.seat - b.seat)
  .map((player) => `${player.seat === game.person ? "you" : player.name} ${plain(player.score)}`).join(", ");

function drawTable(caption, heads, rows) {
  return h("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell instanceof Node ? cell : String(cell ?? ""))))))));
}
