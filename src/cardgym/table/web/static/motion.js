// One card size for a game and a window, cards that move from where they were, and sounds.
import { calm, remembered, speed } from "./dom.js";

const MIN_CARD = 26;
const MAX_CARD = 900;
const MAX_CARD_OF_MANY = 440; // On very large windows a long hand that closes up would move too far.

// Sets --card, the height of a card, to the largest that lets the whole felt fit. Zones keep room for all their cards,
// so the result depends on the game and the window only; it grows smaller if a view needs more, never larger.
export function fit(sizes) {
  const felt = document.querySelector(".felt");
  if (!felt) return;
  fitButtons(felt.parentElement.querySelector(".moves"));
  const box = `${felt.clientWidth}x${felt.clientHeight}`;
  const known = sizes.get(box);
  if (known) {
    felt.style.setProperty("--card", `${known}px`);
    if (felt.classList.contains("tight") || felt.scrollHeight <= felt.clientHeight + 1) return;
  }
  const wide = (part) => part.scrollWidth > part.clientWidth + 1;
  const set = (card) => felt.style.setProperty("--card", `${card}px`);
  set(MIN_CARD);
  // Parts that are too wide with the smallest cards are too wide with any cards.
  const parts = [felt, ...felt.querySelectorAll(".player, .middle")].filter((part) => !wide(part));
  const fits = (card) => {
    set(card);
    return felt.scrollHeight <= felt.clientHeight + 1 && !parts.some(wide);
  };
  const most = felt.querySelector(".player .zone:is(.hand, .row):not(.small-hand)") ? MAX_CARD_OF_MANY : MAX_CARD;
  let [low, high] = [MIN_CARD, known ?? most];
  if (fits(high)) low = high;
  else
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (fits(middle)) low = middle;
      else high = middle;
    }
  const tight = !fits(low);
  felt.classList.toggle("tight", tight);
  felt.toggleAttribute("tabindex", tight); // What scrolls can be reached by keys.
  if (tight) felt.tabIndex = 0;
  sizes.set(box, low);
}

// Makes the buttons below the table as small as they have to be to show all of them.
function fitButtons(moves) {
  for (const size of moves ? ["", "snug", "dense", "denser", "densest"] : []) {
    moves.dataset.size = size;
    if (moves.scrollHeight <= moves.clientHeight + 1) return;
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
  change();
  if (!before) return;
  const after = rects(root);
  const gone = [...before].filter(([id]) => !after.has(id)).map(([, item]) => item);
  let moved = false;
  for (const [id, item] of after) {
    const old = before.get(id) ?? originOf(item, gone);
    if (old) moved = animate(item, old, time) || moved;
    else if (!isSlot(item.symbol) && before.size) fadeIn(item.element.firstElementChild, time);
  }
  if (moved) sound("card");
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

function fadeIn(element, time) {
  element.animate({ opacity: [0, 1], scale: [0.8, 1] }, { duration: time / 2 });
}

// Moves a card from its old place, turning it if it is another one now; says whether it moved.
function animate(item, old, time) {
  const [x, y] = [old.rect.x - item.rect.x, old.rect.y - item.rect.y];
  const turned = old.symbol !== item.symbol && !isSlot(old.symbol + item.symbol);
  if (Math.hypot(x, y) < 2 && !turned) return false;
  const start = { transform: `translate(${x}px, ${y}px)${turned ? " rotateY(90deg)" : ""}` };
  const timing = { duration: time, easing: "cubic-bezier(.2,.7,.3,1)" };
  item.element.firstElementChild.animate([start, { transform: "none" }], timing);
  return true;
}

let audio = null;
const NOTES = {
  card: [[320, 0, 0.05]],
  turn: [[620, 0, 0.09]],
  end: [
    [523, 0, 0.14],
    [659, 0.13, 0.14],
    [784, 0.26, 0.25],
  ],
};

// Short tones, if the person has switched sounds on.
export function sound(name) {
  if (!remembered("sounds", "")) return;
  audio ??= new AudioContext();
  for (const [pitch, start, length] of NOTES[name]) {
    const [tone, volume, at] = [audio.createOscillator(), audio.createGain(), audio.currentTime + start];
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}
