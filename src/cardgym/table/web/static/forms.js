// What a form of the lobby means, without the page. `values` are what was chosen, by the names of the fields.

export const CHOOSE = "choose"; // The level of who names the players.
export const HINTS = Object.entries({ demand: "when I ask", always: "always", off: "never" });
export const PEOPLE = Object.entries({ one: "the computer", hot: "a person at this screen", link: "a person by link" });

export function seatChoices(count) {
  const seats = Array.from({ length: count }, (_, seat) => [String(seat), String(seat + 1)]);
  return [["any", "random"], ...seats, ["watch", "none: watch"]];
}

const CROWD = 4; // From so many players on, some options have other values unless they are chosen.

export function optionOf(game, values, option) {
  const usual = (option.crowd ?? null) !== null && seatsOf(game, values) >= CROWD ? option.crowd : option.default;
  return String(values[`${game.id}.${option.name}`] ?? usual);
}

export function seatsOf(game, values) {
  const count = game.options.find((option) => option.name === "num_players");
  return count ? Number(optionOf(game, values, count)) : game.seats[1];
}

export function personsOf(game, values) {
  if (values.seat === "watch") return 0;
  return seatsOf(game, values) > 1 && ["hot", "link"].includes(values.people) ? 2 : 1;
}

// The players that can be met: the names of the levels, the chosen level or `CHOOSE`, the chosen players' names, one
// for each of their seats, and what is known about those.
export function opponentsOf(game, values, players) {
  const count = Math.max(seatsOf(game, values) - personsOf(game, values), 0);
  const levels = players.filter((player) => player.level).map((player) => player.level);
  const usual = players.find((player) => player.level && player.name === game.opponent)?.level ?? levels.at(-2);
  const known = levels.includes(values.level) ? values.level : usual;
  const level = values.level === CHOOSE || !levels.length ? CHOOSE : known;
  const isPlayer = (name) => players.some((player) => player.name === name);
  const names = Array.from({ length: count }, (_, number) => {
    const name = values[`opponent${number}`];
    return isPlayer(name) ? name : game.opponent;
  });
  const isMet = (player) => (level === CHOOSE ? names.includes(player.name) : player.level === level);
  return { levels, level, names, known: count ? players.filter(isMet) : [] };
}

// The request for the table that a form describes; `fields` are what it has now.
export function tableOf(game, values, players, fields) {
  const option = ({ name, choices }) => [name, choices ? fields[`option.${name}`] : Number(fields[`option.${name}`])];
  const level = players.find((player) => player.level && player.level === fields.level);
  const named = Object.keys(fields).filter((name) => /^opponent\d/.test(name));
  const chosen = level ? [level.name] : named.map((name) => fields[name]);
  const alone = personsOf(game, values) < 2;
  const further = Array.from({ length: seatsOf(game, values) - 2 }, (_, place) => chosen[place] ?? chosen[0]);
  return {
    game: game.id,
    options: Object.fromEntries(game.options.map(option)),
    opponents: alone ? chosen : ["human", ...further], // The other person sits next.
    hints: fields.hints,
    people: alone ? "one" : fields.people,
    names: alone ? [] : [fields.name, fields.name2 ?? ""],
    seat: seatOf(fields.seat),
    seed: alone && fields.seed ? Number(fields.seed) : null,
  };
}

function seatOf(value) {
  if (value === "watch") return null;
  return value === "any" ? "any" : Number(value);
}
