// One card size for a game and a window, cards that move from where they were, and sounds.
import { calm, fitsMedia, h, remembered, speed } from "./dom.js";

const MIN_CARD = 1.6; // In letters: whoever has large ones needs large cards.
const MAX_CARD = 900;
const MAX_CARD_OF_MANY = 440; // On very large windows a long hand that closes up would move too far.

// Sets --card, the height of a card, to the largest that lets the whole felt fit. Zones keep room for all their cards,
// so the result depends on the game and the window only; it grows smaller if a view needs more, never larger.
export function fit(sizes) {
  const felt = document.querySelector(".felt");
  if (!felt) return;
  felt.parentElement.querySelectorAll(".moves, .now").forEach(fitText);
  felt.classList.add("still"); // Cards in flight would count as cards that are too wide.
  setCard(felt, sizes);
  felt.classList.remove("still");
}

function setCard(felt, sizes) {
  const box = `${felt.clientWidth}x${felt.clientHeight}`;
  const known = sizes.get(box);
  if (known) {
    felt.style.setProperty("--card", `${known}px`);
    if (felt.classList.contains("tight") || felt.scrollHeight <= felt.clientHeight + 1) return;
  }
  const wide = (part) => part.scrollWidth > part.clientWidth + 1;
  const boxes = (part, selector) =>
    [...part.querySelectorAll(selector)].map((inside) => inside.getBoundingClientRect());
  const meet = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  // Cards that overflow to the left count as no overflow, but may lie on names.
  const clash = (part) => boxes(part, "h2").some((name) => boxes(part, ".items").some((cards) => meet(name, cards)));
  const set = (card) => felt.style.setProperty("--card", `${card}px`);
  // On a phone long lines are in two rows of tiles that can be read and hit; what does not fit scrolls.
  const letters = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const least = fitsMedia("width < 40em") && felt.querySelector(".player .long") ? 51 : Math.ceil(MIN_CARD * letters);
  set(least);
  // Parts that are too wide with the smallest cards are too wide with any cards.
  const parts = [felt, ...felt.querySelectorAll(".player, .middle")].filter((part) => !wide(part) && !clash(part));
  const fits = (card) => {
    set(card);
    return felt.scrollHeight <= felt.clientHeight + 1 && !parts.some((part) => wide(part) || clash(part));
  };
  const most = felt.querySelector(".player .zone:is(.hand, .row):not(.small-hand)") ? MAX_CARD_OF_MANY : MAX_CARD;
  let [low, high] = [least, known ?? most];
  if (fits(high)) low = high;
  else
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (fits(middle)) low = middle;
      else high = middle;
    }
  const tight = !fits(low);
  felt.classList.toggle("tight", tight);
  felt.tabIndex = tight ? 0 : -1; // What scrolls can be reached by keys.
  sizes.set(box, low);
}

// Makes what is below the table as small as it has to be to show all of it.
function fitText(part) {
  const shown = part.querySelector("span:first-child:not(.prompt)") ?? part;
  for (const size of ["", "snug", "dense", "denser", "densest"]) {
    part.dataset.size = size;
    if (part.scrollHeight <= part.clientHeight + 1 && shown.scrollHeight <= shown.clientHeight + 1) return;
  }
}

// The cards on the table; those in a show are copies.
function rects(root) {
  const elements = [...root.querySelectorAll("[data-item]:not(.reveal *)")];
  const item = (element) => {
    const rect = element.firstElementChild.getBoundingClientRect();
    return { element, symbol: element.dataset.symbol, rect };
  };
  return new Map(elements.map((element) => [element.dataset.item, item(element)]));
}

// Applies a change to the table and lets every card move from its old place to its new one. A card that turns up in
// another zone under another name is found by its face; one without a past comes from a card that left, or fades in.
export function moving(root, change) {
  const time = calm() ? 0 : Math.min(speed() * 0.5, 450);
  const before = time && root.querySelector(".felt") ? rects(root) : null;
  const [stacks, pegs] = [chipsOf(root), pegsOf(root)];
  change();
  if (!before) return;
  flyChips(stacks, chipsOf(root), time);
  walkPegs(pegs, pegsOf(root), time);
  const after = rects(root);
  const gone = [...before].filter(([id]) => !after.has(id)).map(([, item]) => item);
  let moved = false;
  for (const [id, item] of after) {
    const old = before.get(id) ?? originOf(item, gone);
    if (old) moved = animate(item, old, time) || moved;
    else if (!isSlot(item.symbol) && before.size)
      item.element.firstElementChild.animate({ opacity: [0, 1], scale: [0.8, 1] }, { duration: time / 2 });
  }
  if (moved) sound("card");
}

function chipsOf(root) {
  const counters = [...root.querySelectorAll("[data-chips]")];
  const stack = (counter) => ({ value: Number(counter.lastChild.textContent), rect: counter.getBoundingClientRect() });
  return new Map(counters.map((counter) => [counter.dataset.chips, stack(counter)]));
}

// Lets chips go from the counters that fell to those that rose.
function flyChips(before, after, time) {
  const gain = ([name, { value }]) => value - (before.get(name)?.value ?? value);
  const [paid, got] = [[...after].filter((stack) => gain(stack) < 0), [...after].filter((stack) => gain(stack) > 0)];
  for (const [, { rect: from }] of paid)
    for (const [, { rect: to }] of got)
      for (const delay of [0, 70, 140]) {
        const chip = h("i.chip", { style: { left: `${from.x + from.width / 2}px`, top: `${from.y}px` } });
        document.body.append(chip);
        const far = `${to.x + to.width / 2 - from.x - from.width / 2}px ${to.y - from.y}px`;
        const flight = chip.animate(
          { translate: ["0 0", far] },
          { duration: 1.4 * time, delay, easing: "ease-in-out" },
        );
        flight.finished.then(() => chip.remove());
      }
  if (paid.length && got.length) sound("chips");
}

export const pegsOf = (root) =>
  [...root.querySelectorAll(".front")].map((peg) => {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => peg[name].baseVal.value);
    return { peg, x: x + width / 2, y: y + height / 2 };
  });

// The holes of a lane in order, as the drawing has them: 30 a row and lane, both starts, and the last one.
export function holesOf(board, lane) {
  const drawn = document.querySelectorAll(`[id="${board.dataset.symbol}"] circle:not([stroke])`);
  const street = Array.from({ length: 120 }, (_, at) => at + 30 * (Math.floor(at / 30) + lane));
  return [240 + lane, ...street, 242].map((at) => ({ x: drawn[at].cx.baseVal.value, y: drawn[at].cy.baseVal.value }));
}

export function nearest(holes, { x, y }) {
  const far = holes.map((hole) => Math.hypot(hole.x - x, hole.y - y));
  return far.indexOf(Math.min(...far));
}

function walkPegs(before, after, time) {
  for (const [lane, { peg, x, y }] of after.entries()) {
    const from = before[lane] ?? { x, y };
    if (from.x === x && from.y === y) continue;
    const holes = holesOf(peg.parentNode, lane);
    const way = holes.slice(nearest(holes, from), nearest(holes, { x, y }));
    const steps = way.map((hole) => ({ translate: `${hole.x - x}px ${hole.y - y}px` }));
    peg.animate([...steps, { translate: "0 0" }], { duration: time * (1 + steps.length / 6) });
  }
}

const isSlot = (symbol) => /slot/.test(symbol);

// The card that left the table and is this one now, taken from those that left; null if there is none.
function originOf(item, gone) {
  const take = (wanted) => {
    const at = gone.findIndex(wanted);
    return at < 0 ? null : gone.splice(at, 1)[0];
  };
  const same = take((left) => left.symbol === item.symbol && !/back|slot/.test(left.symbol));
  if (same || isSlot(item.symbol) || item.element.closest(".palette")) return same;
  return take((left) => /back/.test(left.symbol));
}

// Moves a card from its old place, turning it if it is another one now; says whether it moved.
function animate(item, old, time) {
  const [x, y] = [old.rect.x - item.rect.x, old.rect.y - item.rect.y];
  const turned = old.symbol !== item.symbol && !isSlot(old.symbol + item.symbol);
  if (Math.hypot(x, y) < 2 && !turned) return false;
  const rolls = turned && item.element.closest(".dice");
  if (rolls) sound("dice");
  const turn = rolls ? " rotate(-540deg)" : turned ? " rotateY(90deg)" : "";
  const start = { transform: `translate(${x}px, ${y}px)${turn}` };
  const timing = { duration: time, easing: "cubic-bezier(.2,.7,.3,1)" };
  item.element.firstElementChild.animate([start, { transform: "none" }], timing);
  return true;
}

let audio = null;
// Pitches in Hz with their starts and lengths in milliseconds.
const NOTES = {
  card: "320 0 50",
  chips: "1900 0 30, 2300 60 30",
  dice: "210 0 60, 190 90 60, 230 180 60",
  turn: "620 0 90",
  end: "523 0 140, 659 130 140, 784 260 250",
};

// Short tones, if the person has switched sounds on.
export function sound(name) {
  if (!remembered("sounds", "")) return;
  audio ??= new AudioContext();
  for (const note of NOTES[name].split(", ")) {
    const [pitch, start, length] = note.split(" ").map(Number);
    const [tone, volume, at] = [audio.createOscillator(), audio.createGain(), audio.currentTime + start / 1000];
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length / 1000);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length / 1000);
  }
}
