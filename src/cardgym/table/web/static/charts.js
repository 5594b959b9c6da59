// The geometry of the charts, without the page.

const line = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export const scale = (low, high, start, end) => (value) => start + ((end - start) * (value - low)) / (high - low || 1);

// The rating after every game, with its 95 % interval as a band, and the measured players as lines with names.
export function ratingChart({ rating, curve: known, players }, label, [width, height] = [330, 140]) {
  const curve = known.length > 1 ? known : [known[0], known[0]]; // A line after one game, too.
  const levels = Object.entries(players).sort(([, one], [, other]) => other - one);
  const edges = curve.flatMap(([at, wide]) => [at - wide, at + wide]);
  const values = edges.map((value) => clamp(value, rating - 400, rating + 400));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const shown = levels.filter(([, at]) => at > least - 150 && at < most + 150);
  const [low, high] = [Math.min(least, ...shown.map(([, at]) => at)), Math.max(most, ...shown.map(([, at]) => at))];
  const room = 20 + 7.1 * Math.max(...shown.map(([name, at]) => label(name, at).length), 0); // For the names.
  const right = width - room;
  const x = scale(0, curve.length - 1, 6, right - 6);
  const y = scale(high, low, 8, height - 8);
  const edge = (sign) => curve.map(([at, wide], game) => [x(game), y(clamp(at + sign * wide, low, high))]);
  return {
    size: [width, height],
    band: line([...edge(1), ...edge(-1).reverse()]),
    curve: line(edge(0)),
    levels: placed(shown, y, height).map(({ name, at, place }) => ({
      points: line([[6, y(at)], [right, y(at)], ...(place === null ? [] : [[right + 10, place]])]),
      ...(place !== null && { name: label(name, at), x: right + 14, y: place + 4 }),
    })),
    above: levels.find(([, at]) => at <= rating)?.[0] ?? null,
  };
}

// Where the names of levels go, highest first, none on another one; null for those without room.
function placed(levels, y, height) {
  let last = -99;
  return levels.map(([name, at]) => {
    const place = Math.max(y(at), last + 13);
    if (place - y(at) > 30 || place > height - 4) return { name, at, place: null };
    last = place;
    return { name, at, place };
  });
}

// How the seats stand by move, for moves up to `last`: a line for each, two lines of the grid, and the blunders.
export function standingsChart(chart, last, [width, height] = [298, 90]) {
  const [left, bottom] = [34, height - 12];
  const values = chart.flatMap((point) => point.values);
  const [low, high] = [Math.min(0, ...values), Math.max(...values, 0.001)];
  const x = scale(0, last, left, width - 6);
  const y = scale(high, low, 6, bottom);
  return {
    size: [width, height],
    left,
    right: width - 6,
    bottom,
    x,
    grid: [low, high].map((value) => ({ value: Math.abs(value) < 10 ? value : Math.round(value), y: y(value) })),
    lines: chart[0].values.map((_, seat) => line(chart.map(({ move, values }) => [x(move), y(values[seat])]))),
    moveAt: scale(left, width - 6, 0, last),
  };
}
