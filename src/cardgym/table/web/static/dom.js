// Elements, drawings and remembered settings.

// An element with properties (class, role and names with a dash are attributes), listeners (on...) and children.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "class" || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Adds a game's symbols to the page once; their ids are GAME:NAME.
const sprites = new Map();
export function loadSprite(game) {
  if (!sprites.has(game)) sprites.set(game, fetchSprite(game));
  return sprites.get(game);
}

async function fetchSprite(game) {
  const response = await fetch(`/symbols/${encodeURIComponent(game)}.svg`);
  if (!response.ok) return [];
  const drawn = new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement;
  const names = [...drawn.querySelectorAll("symbol")].map((symbol) => symbol.id);
  for (const symbol of drawn.querySelectorAll("symbol")) symbol.id = `${game}:${symbol.id}`;
  document.getElementById("sprites").append(document.importNode(drawn, true));
  return names;
}

export function symbolSize(game, name) {
  const symbol = document.getElementById(`${game}:${name}`);
  const [, , width, height] = (symbol?.getAttribute("viewBox") ?? "0 0 100 140").split(" ").map(Number);
  return { width, height };
}

// A symbol in its own proportions; the element around it has the label.
export function picture(game, name) {
  const { width, height } = symbolSize(game, name);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("use", { href: `#${game}:${name}` }));
}

export const speed = () => Number(document.getElementById("speed").value);
export const remembered = (name, otherwise) => localStorage.getItem(`cardgym.${name}`) ?? otherwise;
export const remember = (name, value) => localStorage.setItem(`cardgym.${name}`, value);

export const say = (words) => (document.getElementById("spoken").textContent = words);

export function notice(words) {
  const line = document.getElementById("notice");
  line.textContent = words;
  line.hidden = !words;
}

export const show = (...content) => document.getElementById("main").replaceChildren(...content);

export const percent = (share) => `${(100 * share).toFixed(1)} %`;
export const plain = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));
