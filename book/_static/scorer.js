// Search finds explanations before signatures: a name of the API counts less than a title.
var Scorer = {
  objNameMatch: 4,
  objPartialMatch: 1,
  objPrio: { 0: 2, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
