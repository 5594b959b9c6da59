// Elements, drawings and remembered settings.

// An element with properties (class, role and names with a dash are attributes; onclick and so on are handlers) and children.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "style") for (const [key, part] of Object.entries(value)) element.style.setProperty(key, part);
    else if (name.includes("-") || name === "class" || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false).map((child) => (typeof child === "string" ? signed(child) : child)));
  return element;
}

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
  for (const { name } of [...old.attributes]) if (!kept.includes(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  // The security policy forbids style attributes; a style set by script stays until it is set again.
  for (const name of fresh.style ?? []) if (old.style.getPropertyValue(name) !== fresh.style.getPropertyValue(name)) old.style.setProperty(name, fresh.style.getPropertyValue(name));
  for (const name of HANDLERS) if (old[name] !== fresh[name]) old[name] = fresh[name];
  if (old.checked !== fresh.checked) old.checked = fresh.checked;
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
  if ((old.nodeName === "SELECT" || (old.nodeName === "INPUT" && old !== document.activeElement)) && old.value !== fresh.value) old.value = fresh.value;
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
  if (!sprites.has(game)) sprites.set(game, fetch(`symbols/${encodeURIComponent(game)}.svg`).then(async (answer) => (answer.ok ? addSprite(game, await answer.text()) : [])));
  return sprites.get(game);
}

function addSprite(game, text) {
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

// A symbol in its own proportions; the element around it has the label.
export function picture(game, name) {
  const { width, height } = symbolSize(game, name);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("use", { href: `#${game}:${name}` }));
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const speed = () => Number(document.getElementById("speed").value);
export const remembered = (name, otherwise) => localStorage.getItem(`cardgym.${name}`) ?? otherwise;
export const remember = (name, value) => localStorage.setItem(`cardgym.${name}`, value);

// Texts of the games have the minus of the keyboard; the page has one minus sign.
const signed = (words) => words.replace(/(?<![\w-])-(?=\d)/g, "−");

export const say = (words) => (document.getElementById("spoken").textContent = signed(words));

export function notice(words) {
  const line = document.getElementById("notice");
  line.textContent = words;
  line.hidden = !words;
}

// Opens the page that is shown again, with what the server says now.
export const reopen = () => dispatchEvent(new Event("hashchange"));

export const show = (...content) => focused((main) => main.replaceChildren(...content.filter(Boolean)));

// Replaces the page's content and keeps what stays, if it shows the same kind of page.
export const update = (content) => focused((main) => {
  if (main.childElementCount === 1 && main.firstElementChild.className === content.className) patch(main.firstElementChild, content);
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
  const button = h("button", { type: "button", class: "small" }, words);
  button.onclick = async () => {
    if (button.textContent === words) return void (button.textContent = "sure?");
    await act().catch((error) => notice(error.message));
  };
  return button;
}

export const percent = (share) => `${(100 * share).toFixed(1)} %`;
export const plain = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2)).replace("-", "−");
export const points = (rating) => `${rating < 0 ? "−" : "+"}${Math.abs(rating).toFixed(0)}`;
