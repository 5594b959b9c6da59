// Texts and figures, without the page: how values, games and their moves are written.

// Texts of the games have the minus of the keyboard; the page has signs of its own.
export const signed = (words) => words.replace(/(?<![\w-])-(?=\d)/g, "−").replaceAll("+- ", "± ");

// A share in percent; one that only rounds to none or all is not said to be that.
export function percent(share, decimals = 1) {
  const [text, least] = [(100 * share).toFixed(decimals), 10 ** -decimals];
  if (share <= 0 || share >= 1 || text % 100) return `${text} %`;
  return share < 0.5 ? `under ${least} %` : `over ${100 - least} %`;
}
export const plain = (value) => rounded(value, Math.abs(value) < 0.005 ? Math.abs(value) : 0);
export const points = (rating) => `${rating < 0 ? "−" : "+"}${Math.abs(rating).toFixed(0)}`;
// With as many decimals as half the 95 % interval has down to its first figure; two if the value is exact.
export function rounded(value, error) {
  const decimals = error < 1e-6 ? 2 : Math.max(-Math.floor(Math.log10(error)), 0);
  const shown = Number(value.toFixed(decimals)) + 0;
  return (Number.isInteger(shown) ? String(shown) : shown.toFixed(decimals)).replace("-", "−");
}
// What a decision cost; differences of shares are in percentage points.
export const costOf = (cost, unit) => `${plain(cost)} ${unit.startsWith("%") ? "percentage points" : unit}`;
const gain = (value) => `${value > 0 ? "+" : ""}${plain(value)}`;

export const title = (id) => id.replace(/-v\d+$/, "").replace(/([a-z])([A-Z])/g, "$1 $2");

export function withWhom(game) {
  const others = game.people.filter((_, seat) => seat !== game.person);
  return others.length ? `${game.person === null ? "watching" : "with"} ${others.join(", ")}` : "";
}

export const lastLines = (text) => text.split("\n").slice(-2).join("\n");

// Cards dealt one after another, also in turn to several seats, are one line for each.
export function merged(narration) {
  const out = [];
  for (const { seat, text } of narration) {
    const [, start = null, card] = /(?:^|\n)([^\n]* dealt)( [^\n]*)$/.exec(text) ?? [];
    const deal = out.slice(out.findLastIndex((entry) => entry.start === null) + 1);
    const dealt = start && deal.find((entry) => entry.start === start);
    if (dealt) dealt.text += `,${card}`;
    else out.push({ seat, start, text });
  }
  return out;
}

// What each seat did last, in a few words without its name, unless that is long ago.
export function lastActions({ narration, names }) {
  const recent = merged(narration.slice(-3 * names.length));
  return names.map((name, seat) => {
    const last = recent.findLast((entry) => entry.seat === seat && entry.text.startsWith(`${name} `));
    return last ? last.text.slice(name.length + 1).split(/[\n,:(]/)[0] : "";
  });
}

// What kind of player sits at each seat, where its name does not say it, and at which level.
export const kindsOf = ({ names, kinds, level }) =>
  kinds.map((kind, seat) => (kind ? [kind === names[seat] ? "" : kind, level].filter(Boolean).join(", ") : ""));

// How many of the person's decisions were as good as the best, and the costliest one.
export function verdictOf({ decisions, worst, person }) {
  const own = decisions.filter((decision) => decision.seat === person);
  const best = own.filter((decision) => decision.cost === 0).length;
  return { best, decisions: own.length, worst: decisions[worst[0]] };
}

export const verdictOn = ({ text, cost, unit, grade, best_text: best }) =>
  cost > 0 ? `${text} ${grade}: −${costOf(cost, unit)}; better: ${best}` : `${text}: the best`;

export function resultOf({ result: { text, players }, names }) {
  return text || players.map((player) => `${names[player.seat]} ${plain(player.score)}`).join(", ");
}

// The banners at the end that say more than the result below the table.
export function newsOf(state) {
  const said = resultOf(state);
  return state.banners.filter(({ name, lines }) => ![name, ...lines].every((part) => said.includes(part)));
}

// A warning if an action is a blunder, which does not say what is better; null otherwise.
export function blunder(advice, action) {
  const chosen = advice.actions.find((option) => option.action === action);
  if (!chosen || advice.blunder === undefined) return null;
  const cost = advice.actions[0].value - chosen.value;
  if (cost < advice.blunder || cost <= chosen.error) return null;
  return `“${chosen.text}” costs ${costOf(cost, advice.unit)} against the best move.`;
}

// A coach's reason without what the action costs, which is said elsewhere.
export const withoutCost = (reason) => (reason.includes(": ") ? reason.replace(/^[^:]*: /, "") : "");

// A title in capitals, as a terminal has it, in letters as on the lobby's cards.
export function headline(words) {
  const capitalized = (name) => name.toLowerCase().replace(/\b\w/g, (letter) => letter.toUpperCase());
  return words.replace(/^[A-Z ]{4,}(?=[,(])/, capitalized);
}

// Lines that are indented are a list; others run on.
export function paragraphs(text) {
  const out = [];
  for (const line of text.split("\n")) {
    const listed = /^ {2}\S/.test(line);
    if (listed || !out.length) out.push({ listed, lines: [line.trim()] });
    else out.at(-1).lines.push(line.trim());
  }
  return out.map(({ listed, lines }) => ({ listed, text: lines.join(" ") }));
}

// The options in which a line of results differs from others of its game.
export function differing({ env, options }, results) {
  const words = Object.keys(options)
    .filter((name) => results.some((other) => other.env === env && other.options[name] !== options[name]))
    .map((name) => `${name.replace("num_", "").replaceAll("_", " ")} ${options[name]}`);
  return words.length ? ` (${words.join(", ")})` : "";
}

export function won({ win_rate: rate, win_rate_ci95: interval }) {
  if (rate === undefined) return "";
  const ends = Number.isFinite(interval?.[0]) && ` [${interval.map((end) => percent(end)).join(", ")}]`;
  return `${percent(rate)}${ends || ""}`;
}

// What a player gained: the metric that the game is played for, or the return.
const paid = (player, payoff) => player.metrics?.[payoff] ?? player.return ?? player.mean_return;

export function gained({ players: [own], unit, payoff }) {
  const mean = paid(own, payoff);
  return mean === undefined || unit === "reward" ? "" : `${gain(mean)} ${unit}`;
}

export function outcome(game) {
  if (game.person === null) return null;
  const value = (player) => (game.unit === "reward" ? player.score : paid(player, game.payoff));
  const others = game.players.filter((player) => player.seat !== game.person).map(value);
  const own = value(game.players.find((player) => player.seat === game.person));
  const margin = own - (others.length ? Math.max(...others) : 0);
  if (margin === 0) return "drawn";
  return margin > 0 ? "won" : "lost";
}

export function scores({ players, people, unit, payoff }) {
  const ordered = [...players].sort((one, other) => one.seat - other.seat);
  if (unit === "reward") return ordered.map(({ seat, score }) => `${people[seat]} ${plain(score)}`).join(", ");
  return `${ordered.map((player) => `${people[player.seat]} ${gain(paid(player, payoff))}`).join(", ")} ${unit}`;
}

export function mark(game) {
  if (game.resigned) return "resigned";
  if (game.again) return "tried again";
  if (game.lesson) return "lesson";
  if (game.helped) return "with hints";
  return game.undone ? "with undo" : "";
}

export function tallied({ streak, best, solved, tried }, { right, skill, rating, half_width }) {
  const now = right ? streak + 1 : 0;
  const counts = { streak: now, best: Math.max(best, now), solved: solved + right, tried: tried + 1 };
  return { ...counts, skill, rating, half_width };
}
