// How the search orders what it finds: Sphinx's own scores (searchtools.js), and first a chapter
// that has the word in its title. The glossary and the names of the package follow.
var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    page.startsWith("notebooks/") && score >= Scorer.title ? score + 100 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
