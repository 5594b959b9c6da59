// Pages of docs whose title has the words searched come first, then sections whose heading has them, then text, then
// the API: "coach" finds the page on the coach, not the games with a section on theirs, and "ppo" the algorithm, not
// the card of an agent.
const words = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
const bonus = ([name, title, anchor]) => {
  const heading = title.split(" > ").pop().toLowerCase();
  if (name.startsWith("project/") || !words.every((word) => heading.includes(word))) return 0;
  return anchor ? 500 : 1000;
};
var Scorer = {
  score: (result) => (/^(api|genindex|py-modindex)/.test(result[0]) ? result[4] / 100 : result[4] + bonus(result)),
  objNameMatch: 3,
  objPartialMatch: 1,
  objPrio: { 0: 0, 1: 0, 2: 0 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 40,
  term: 5,
  partialTerm: 2,
};
