// Elements, drawings and remembered settings.
import { signed, title } from "./words.js";

// An element from a tag with classes such as "p.quiet", properties that may be left out, and children. Class, role and
// names with a dash are attributes; onclick and so on are handlers.
export function h(selector, ...rest) {
  const [tag, ...classes] = selector.split(".");
  const given = isProperties(rest[0]) ? rest.shift() : {};
  const { class: more = "", ...properties } = tag === "button" ? { type: "button", ...given } : given;
  const element = document.createElement(tag);
  const look = [...classes, more].filter(Boolean).join(" ");
  if (look) element.className = look;
  for (const [name, value] of Object.entries(properties)) {
    if (isNothing(value)) continue;
    if (name === "style") for (const [key, part] of Object.entries(value)) element.style.setProperty(key, part);
    else if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  const children = rest.flat(3).filter((child) => !isNothing(child));
  element.append(...children.map((child) => (typeof child === "string" ? signed(child) : child)));
  return element;
}

const isNothing = (value) => value === undefined || value === null || value === false;
const isProperties = (value) => Object.getPrototypeOf(value ?? "") === Object.prototype;

export const keyed = (selector, key, hint, words, onclick, properties) =>
  h(selector, { "data-key": key, onclick, ...properties }, words, h("kbd", hint));

const HANDLERS = ["onclick", "onchange", "onsubmit", "onpointerdown", "onscroll"];
const keyOf = (node) => node.dataset?.item ?? node.dataset?.key ?? node.dataset?.part ?? null;

// Makes `old` equal to `fresh` and keeps the elements that stay: focus, scrolling and running animations survive, and
// what does not change does not move. Elements are matched by data-item, data-key or data-part, others by their order.
export function patch(old, fresh) {
  if (old.nodeName !== fresh.nodeName || keyOf(old) !== keyOf(fresh)) {
    old.replaceWith(fresh);
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  const kept = old.nodeName === "DETAILS" ? ["style", "open"] : ["style"];
  for (const { name } of [...old.attributes])
    if (!kept.includes(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  // The security policy forbids style attributes; a style set by script stays until it is set again.
  for (const name of fresh.style ?? []) {
    const part = fresh.style.getPropertyValue(name);
    if (old.style.getPropertyValue(name) !== part) old.style.setProperty(name, part);
  }
  for (const name of HANDLERS) if (old[name] !== fresh[name]) old[name] = fresh[name];
  if (old.checked !== fresh.checked) old.checked = fresh.checked;
  const { value } = fresh; // Before options move.
  const left = [...old.childNodes];
  const pairs = [...fresh.childNodes].map((child) => {
    const at = left.findIndex((node) => node.nodeName === child.nodeName && keyOf(node) === keyOf(child));
    return [child, at < 0 ? null : left.splice(at, 1)[0]];
  });
  for (const node of left) node.remove();
  for (const [index, [child, kept]] of pairs.entries()) {
    const place = old.childNodes[index] ?? null;
    if (!kept) old.insertBefore(child, place);
    else {
      if (kept !== place) old.insertBefore(kept, place);
      patch(kept, child);
    }
  }
  // What is being typed stays. A select has its value once its options are there.
  const settable = old.nodeName === "SELECT" || (old.nodeName === "INPUT" && old !== document.activeElement);
  if (settable && old.value !== value) old.value = value;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Adds a game's symbols to the page, once; their ids are GAME:NAME. Resolves to their names.
const sprites = new Map();
export function loadSprite(game) {
  if (!sprites.has(game)) sprites.set(game, addSprite(game));
  return sprites.get(game);
}

async function addSprite(game) {
  const response = await fetch(`symbols/${encodeURIComponent(game)}.svg`);
  if (!response.ok) return [];
  const text = await response.text();
  const drawn = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
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

export function picture(game, name) {
  const { width, height } = symbolSize(game, name);
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("use", { href: `#${game}:${name}` }),
  );
}

// In the browser's own letters, as in the style sheets: large letters leave as little room as a small window.
export const fitsMedia = (query) => matchMedia(`(${query})`).matches;
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const speed = () => Number(document.getElementById("speed").value);

// What the browser keeps for the next visit; nothing where it forbids that, and what is damaged is left out.
function storage(use) {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
}
export const remembered = (name, otherwise) => storage((kept) => kept.getItem(`cardgym.${name}`)) ?? otherwise;
export const remember = (name, value) => storage((kept) => kept.setItem(`cardgym.${name}`, value));
export function recalled(name, otherwise) {
  const found = storage(() => JSON.parse(remembered(name, "null")));
  const isLike = found && typeof found === "object" && Array.isArray(found) === Array.isArray(otherwise);
  return isLike ? found : otherwise;
}

export const say = (words) => (document.getElementById("spoken").textContent = signed(words));

export function notice(words) {
  const line = document.getElementById("notice");
  line.textContent = words;
  line.hidden = !words;
}

// Does what may be refused, and says why it was.
export const attempt = (act) => act().catch((error) => notice(error.message));

// Does it for a page, one request at a time: a second click meanwhile gives no second answer or table.
export async function once(page, act) {
  if (page.asking) return;
  page.asking = true;
  await attempt(act);
  page.asking = false;
}

// Opens the page that is shown again, with what the server says now.
export const reopen = () => dispatchEvent(new Event("hashchange"));

export const show = (...content) => focused((main) => main.replaceChildren(...content.filter(Boolean)));

// Replaces the page's content and keeps what stays, if it shows the same kind of page.
export const update = (content) =>
  focused((main) => {
    const same = main.childElementCount === 1 && main.firstElementChild.className === content.className;
    if (same) patch(main.firstElementChild, content);
    else main.replaceChildren(content);
  });

// Changes the page's content; Tab continues from there if what had the focus, such as a played card, is gone.
function focused(change) {
  const main = document.getElementById("main");
  const inside = main.contains(document.activeElement);
  change(main);
  if (inside && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
}

// A button that asks before it acts: the first click turns it into a question.
export function twice(words, act) {
  const onclick = async ({ target, detail }) => {
    if (detail > 1) return; // A double click answers no question.
    if (target.textContent === words) return void (target.textContent = "sure?");
    target.disabled = true;
    await attempt(act);
    target.disabled = false;
  };
  return h("button.small", { "data-key": words, onclick }, words);
}

export function waiting(words) {
  const bar = h("progress");
  show(h("div.waiting", h("p", words), bar));
  return bar;
}
export const tellWaiting = (words) => document.querySelector(".waiting p")?.replaceChildren(words);

export const chooseGame = (place, games, chosen) =>
  h(
    "select",
    { onchange: (event) => (location.hash = `#/${place}/${event.target.value}`) },
    games.map((game) => h("option", { value: game, selected: game === chosen }, title(game))),
  );

// A page with a table: its heading, the felt, what is said below it, what can be done, and the panels beside it.
export const drawPage = (kind, heading, table, label, ...side) =>
  h(kind, h("h1.unseen", heading), table, h("aside.side", { "aria-label": label }, side));

export const drawActions = (label, phase, ...content) =>
  h("div.actions", { role: "group", "aria-label": label, ...phase }, content);
