// Which actions a person can choose, and what the page asks for; without the page.

export const leftOf = (actions, taken) =>
  actions.filter((action) => [...taken].every((item) => action.items.includes(item)));

// Items that are taken until one action is left, which is made: of `choices()`, by `act(action)`.
export class Chooser {
  taken = new Set();
  left = () => leftOf(this.choices(), this.taken);

  take(item) {
    if (!this.taken.delete(item)) this.taken.add(item);
    const left = this.left();
    if (this.taken.size && left.length === 1) this.act(left[0].action);
    else this.render();
  }
}

// What can be chosen: the actions that are buttons, in the order in which their cards are shown, and the prompt that
// asks for the others on the table, empty if all are buttons. `left` are the actions that are left, `taken` the items
// taken so far, and `room` is how many buttons there may be.
export function movesOf(view, left, taken, room) {
  if (left.length <= room) return { buttons: inOrder(view, left), prompt: "" };
  const most = Math.max(...left.map((action) => action.items.length));
  // Beside many pairs of items, an action or two about one item, such as to stop, are buttons too.
  const single = left.filter((action) => action.items.length < most);
  const shown = (action) => action.items.length <= taken.size || (single.length <= 2 && single.includes(action));
  const buttons = inOrder(view, left).filter(shown);
  return { buttons, prompt: buttons.length < left.length ? promptOf(view, left, taken, buttons) : "" };
}

function inOrder(view, actions) {
  if (!actions.every((action) => action.items.length)) return actions;
  const places = new Map(view.zones.flatMap((zone) => zone.items).map((item, place) => [item.id, place]));
  const place = (action) => places.get(action.items[0]) ?? -1;
  return [...actions].sort((one, other) => place(one) - place(other));
}

function promptOf(view, left, taken, buttons) {
  const zoneOf = (item) => view.zones.find((zone) => zone.items.some((other) => other.id === item));
  const most = Math.max(...left.map((action) => action.items.length));
  const pairs = left.filter((action) => action.items.length === most);
  const single = left.length - pairs.length;
  if (taken.size) {
    const open = left.flatMap((action) => action.items).filter((item) => !taken.has(item));
    const named = open.every((item) => zoneOf(item).kind === "palette");
    return named ? "Now choose what it is; the faded ones cannot be there." : "Choose one more.";
  }
  const more = buttons.length ? ", or:" : ".";
  const alike = !single && new Set(left.flatMap((action) => action.items).map(zoneOf)).size === 1;
  // A place on the table and what is there: the zone to look at first.
  if (!alike && most === 2 && single <= 2)
    return `Choose one of ${zoneOf(pairs[0].items[0]).name}, then what it is${more}`;
  return `On the table, choose ${whatOf(pairs, alike ? most : 1)}${more}`;
}

// What to choose, with the verb that all these actions have in common.
function whatOf(actions, count) {
  const verbs = new Set(actions.filter((action) => action.items.length).map((action) => action.text.split(" ")[0]));
  if (verbs.size !== 1) return "what to do";
  return `${count > 1 ? `${["two", "three", "four"][count - 2] ?? count} cards` : "what"} to ${[...verbs][0]}`;
}

// How the chosen items and the best ones are marked.
export function marksOf(best, chosen) {
  const marks = Object.fromEntries(best.map((item) => [item, "better"]));
  for (const item of chosen) marks[item] = marks[item] ? "chosen better" : "chosen";
  return marks;
}
