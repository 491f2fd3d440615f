// Search finds explanations before signatures: a name of the reference counts less than a title,
// unless somebody asks for the name itself. What people ask for by other words is in the pages'
// `index` entries, which Sphinx puts first.
var Scorer = {
  objNameMatch: 4,
  objPartialMatch: 1,
  objPrio: { 0: 2, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  // The guide comes first among equals, and pages that hold a word of everything come last.
  early: /five-minutes|questions|recipes|calculator/,
  late: /^book\/(ledger|bibliography|errata|api|article)/,
  score: ([page, name, , object, score]) => {
    const asked = (new URLSearchParams(location.search).get("q") ?? "").trim().split(/[.(]/);
    const exact = object && asked.some((word) => word.includes("_") && name.endsWith(`.${word}`));
    return exact ? 1000 : score + Scorer.early.test(page) - 2 * Scorer.late.test(page);
  },
};

// An excerpt quotes the text of a page, not its buttons.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  Search.htmlToText = (html, anchor) => {
    const article = new DOMParser().parseFromString(html, "text/html").querySelector(".bd-article");
    if (!article) return "";
    const marks = ".headerlink, script, style, summary, .provenance, .calculator, .explorer, "
      + ".for-readers, h1";
    for (const part of article.querySelectorAll(marks)) part.remove();
    const place = anchor && [...article.querySelectorAll("[id]")]
      .find((part) => `#${part.id}` === anchor);
    const text = place?.textContent.trim() ? place : place?.closest("section") ?? article;
    return text.textContent.replace(/\s+/g, " ").trim();
  };
});
