// Pages before the API, and titles before text: "coach" finds the page on the coach, not the class of that name.
var Scorer = {
  score: (result) => (/^(api|genindex|py-modindex)/.test(result[0]) ? result[4] / 100 : result[4]),
  objNameMatch: 3,
  objPartialMatch: 1,
  objPrio: { 0: 0, 1: 0, 2: 0 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 40,
  term: 5,
  partialTerm: 2,
};
