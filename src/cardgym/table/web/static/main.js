// Routing, keys, and the settings that the browser remembers.
import { h, notice, remember, remembered, show } from "./dom.js";
import { openLobby } from "./lobby.js";
import { Explorer } from "./explore.js";
import { openHistory } from "./history.js";
import { openJoin } from "./join.js";
import { Puzzles } from "./puzzles.js";
import { Review } from "./review.js";
import { Table } from "./table.js";

let page = null;

async function route() {
  page?.close?.();
  page = null;
  notice("");
  const [, place = "", id = ""] = location.hash.split("/");
  const safe = encodeURIComponent(id);
  const opened = { table: () => new Table(safe), review: () => new Review(safe), puzzles: () => new Puzzles(id), explore: () => new Explorer(id) }[place]?.();
  try {
    document.title = place && id ? `cardgym: ${place}` : "cardgym";
    page = opened || null;
    await (opened ? opened.start() : place === "history" ? openHistory() : place === "join" ? openJoin(decodeURIComponent(id)) : openLobby());
  } catch (error) {
    notice(error.message);
    show(h("p", {}, h("a", { href: "#/" }, "Back to the lobby")));
  }
}

function setting(name, apply) {
  const field = document.getElementById(name);
  field.value = remembered(name, field.value);
  apply?.(field.value);
  field.addEventListener("change", () => {
    remember(name, field.value);
    apply?.(field.value);
  });
}

setting("speed");
setting("sounds");
setting("look", (value) => (document.documentElement.dataset.look = value));
const help = document.getElementById("help");
document.getElementById("help-button").addEventListener("click", () => (document.getElementById("settings").hidePopover(), help.showModal()));
document.querySelector(".skip").addEventListener("click", (event) => (event.preventDefault(), document.getElementById("main").focus()));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), select, dialog, summary, [popover]")) return;
  if (event.key === "?") help.showModal();
  else page?.key?.(event);
});
addEventListener("hashchange", route);
route();
