// What is around every page: routing, keys, and the settings that the browser remembers.
import { attempt, h, notice, remember, remembered, show } from "./dom.js";
import { forgetTrails } from "./view.js";

let page = null;

// `pages` opens a page for the first word of the address, "" if there is none: its content, or an object with start(),
// which gets the keys and, if the window changes, render(), even before there is anything to draw.
export function run(pages) {
  async function route() {
    page?.close?.();
    forgetTrails();
    page = null;
    document.getElementById("tools").replaceChildren();
    notice("");
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    const asked = location.hash;
    const [, place = "", id = ""] = asked.split("/");
    try {
      for (const link of document.querySelectorAll(".bar nav a"))
        link.ariaCurrent = link.hash === `#/${place}` ? "page" : null;
      document.title = place && id ? `cardgym: ${place}` : "cardgym";
      const opened = (Object.hasOwn(pages, place) ? pages[place] : pages[""])(id);
      page = opened.start ? opened : null;
      const content = await (page ? page.start() : opened);
      if (content && location.hash === asked) show(content); // Unless another page was opened meanwhile.
    } catch (error) {
      if (location.hash !== asked) return; // Another page was opened meanwhile.
      notice(error.message);
      show(h("p", h("a", { href: "#/" }, "Back to the lobby")));
    }
  }
  addEventListener("hashchange", route);
  addEventListener("resize", () => page?.render?.());
  route();
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

for (const name of ["speed", "sounds", "count", "peg"]) setting(name);
setting("look", (value) => (document.documentElement.dataset.look = value));
const help = document.getElementById("help");
document.getElementById("help-button").addEventListener("click", () => {
  document.getElementById("settings").hidePopover();
  help.showModal();
});
const { documentElement: all } = document;
document.getElementById("full-button").onclick = () =>
  attempt(async () => (document.fullscreenElement ? document.exitFullscreen() : all.requestFullscreen()));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});

const TYPING = "input:not([type=checkbox]), select, dialog, summary, [popover]";
document.addEventListener("keydown", (event) => {
  const held = event.repeat && !event.key.startsWith("Arrow"); // A key that is held down decides nothing twice.
  if (held && event.key === "Enter" && event.target.closest("button")) event.preventDefault();
  if (held || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPING)) return;
  if (event.key === "?") help.showModal();
  else page?.key?.(event);
});
