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
  const parts = [felt, ...felt.querySelectorAll(".player, .middle")].filter((part) => !wide(part)); // Others are too wide with any cards.
  const fits = (card) => {
    set(card);
    return felt.scrollHeight <= felt.clientHeight + 1 && !parts.some(wide);
  };
  const most = felt.querySelector(".player .zone:is(.hand, .row):not(.small-hand)") ? MAX_CARD_OF_MANY : MAX_CARD;
  let [low, high] = [MIN_CARD, known ?? most];
  if (fits(high)) low = high;
  else while (high - low > 1) {
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
const rects = (root) => new Map([...root.querySelectorAll("[data-item]:not(.reveal *)")].map((element) =>
  [element.dataset.item, { element, symbol: element.dataset.symbol, rect: element.firstElementChild.getBoundingClientRect(), zone: element.closest(".zone") }]));

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
    const old = before.get(id) ?? take(gone, (left) => left.symbol === item.symbol && !/back|slot/.test(left.symbol)) ??
      (/slot/.test(item.symbol) || item.element.closest(".palette") ? null : take(gone, (left) => /back/.test(left.symbol)));
    const target = item.element.firstElementChild;
    if (!old) {
      if (!/slot/.test(item.symbol) && before.size) target.animate([{ opacity: 0, scale: 0.8 }, { opacity: 1, scale: 1 }], { duration: time / 2 });
      continue;
    }
    const [x, y] = [old.rect.x - item.rect.x, old.rect.y - item.rect.y];
    const turned = old.symbol !== item.symbol && !/slot/.test(old.symbol + item.symbol);
    if (Math.hypot(x, y) < 2 && !turned) continue;
    moved = true;
    target.animate([{ transform: `translate(${x}px, ${y}px)${turned ? " rotateY(90deg)" : ""}` }, { transform: "none" }], { duration: time, easing: "cubic-bezier(.2,.7,.3,1)" });
  }
  if (moved) sound("card");
}

function take(items, wanted) {
  const at = items.findIndex(wanted);
  return at < 0 ? undefined : items.splice(at, 1)[0];
}

let audio = null;
const NOTES = { card: [[320, 0, 0.05]], turn: [[620, 0, 0.09]], end: [[523, 0, 0.14], [659, 0.13, 0.14], [784, 0.26, 0.25]] };

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
