// Keeps the page for visits without a network; a new version of the site replaces it at the next visit.
const kept = "cardgym-VERSION";
const FILES = [];

addEventListener("install", (event) => event.waitUntil(caches.open(kept).then((cache) => cache.addAll(FILES))));
addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith("cardgym-") && name !== kept);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))));
});
addEventListener("fetch", (event) => {
  const address = event.request.url.split("#")[0];
  event.respondWith(caches.open(kept).then(async (cache) => (await cache.match(address)) ?? fetch(event.request)));
});
