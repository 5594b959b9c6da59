// Pages of docs whose title has the words searched come first, then sections and text, then the API: "coach" finds the
// page on the coach, not the games with a section on theirs, and "ppo" the algorithm, not the card of an agent.
const words = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
const isOfPage = ([name, title, anchor]) => !anchor && !name.startsWith("project/") && words.every((word) => title.toLowerCase().includes(word));
var Scorer = {
  score: (result) =>
    /^(api|genindex|py-modindex)/.test(result[0]) ? result[4] / 100 : result[4] + (isOfPage(result) ? 1000 : 0),
  objNameMatch: 3,
  objPartialMatch: 1,
  objPrio: { 0: 0, 1: 0, 2: 0 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 40,
  term: 5,
  partialTerm: 2,
};
