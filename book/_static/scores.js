// Reads tables of one score for each item: Dice of each image, F1 of each document or seed. No
// page is needed. A column holds scores if all its cells are from 0 to 1, and some are no whole
// numbers.
const scores = (() => {
  "use strict";

  const { isCount, isNumber, refuse, repeats, some } = cells;

  const SCORE = new RegExp("dice|dsc|f[-_ ]?1|f[-_ ]?(score|measure)|iou|jaccard|bleu|rouge"
    + "|exact_?match|\\bem\\b|score", "i");
  const OTHER = /prob|logit|conf|thresh/i;
  const MODEL = /^(model|method|system|classifier|approach)s?$/i;
  const [RUN, NAMING] = [/^(seed|run)/i, /^(seed|run|image|img|file|case|scan|page|item)/i];
  const isShare = (cell) => /^(\d*\.?\d+|\d+\.)(e-\d+)?$/i.test(cell) && Number(cell) <= 1;

  /** The columns of a table that may be one score for each item. */
  function scoreColumns({ columns }) {
    return columns.filter(({ name, cells: list }) => !OTHER.test(name)
      && list.every((cell) => isShare(cell) || tables.isMissing(cell))
      && list.some((cell) => isShare(cell) && !isCount(cell)));
  }

  /** One score for each item; null if no column holds scores. */
  function read(table) {
    const found = scoreColumns(table);
    const isLarge = (cell) => Number(cell.replace(/%$/, "")) > 1;
    const isPercentage = ({ name, cells: list }) => SCORE.test(name) && !OTHER.test(name)
      && list.every((cell) => isNumber(cell) || tables.isMissing(cell)) && list.some(isLarge);
    const large = table.columns.find(isPercentage);
    if (found.length === 0 && large) {
      const cell = large.cells.find(isLarge);
      refuse(`“${cell}” in “${large.name}” is above 1: divide percentages by 100.`);
    }
    if (found.length === 0) return null;
    if (table.columns.some(({ name, cells: list }) => MODEL.test(name) && !repeats(list))) {
      refuse("These are printed scores of models. An interval needs the counts behind them: TP, FP "
        + "and FN, or the score of each item.");
    }
    const isOther = (column) => !found.includes(column) && column.cells.some(isNumber)
      && !/id|group/.test(column.says) && !NAMING.test(column.name);
    const others = table.columns.filter(isOther);
    const notes = numbers.unused(others.map(({ name }) => `the column “${name}”`));
    const said = `one score for each of ${some(table.lines.length, "item")}`;
    const isSure = found.some(({ name }) => SCORE.test(name));
    const reading = { kind: "scores", table, notes, said };
    return { readings: [reading], question: isSure ? null : "Is this one score for each item?" };
  }

  /** {a, b, group, notes, question, field} of scores. What a person chose is in `chosen`. */
  function choose(table, chosen = {}) {
    const found = scoreColumns(table);
    const named = found.filter(({ name }) => SCORE.test(name));
    const wanted = named.length ? named : found;
    const kind = ({ name }) => name.match(SCORE)?.[0].toLowerCase().replace(/\W|_/g, "") ?? "";
    const alike = wanted.every((column) => kind(column) === kind(wanted[0]));
    const first = tables.saying(table, "group", "id").find((column) => repeats(column.cells));
    const group = chosen.group ?? first?.name ?? "";
    if (table.columns.some(({ name }) => /\bfold/i.test(name))) {
      refuse("Scores of folds are not independent, because they share training data: give the "
        + "predictions of all folds.");
    }
    const notes = group ? [`Lines with the same “${group}” are one unit.`] : [];
    if (table.columns.some(({ name }) => RUN.test(name))) {
      notes.push("Each line is a run: the interval is about other runs on this test set, not about "
        + "other test items.");
    }
    const [a, b] = chosen.a === undefined ? wanted.map(({ name }) => name) : [chosen.a, chosen.b];
    const choice = { a: a ?? null, b: b ?? "", group, notes, question: null, field: null };
    const ask = (question) => Object.assign(choice, { question, field: "a" });
    if (chosen.a === undefined && (wanted.length > 2 || !alike)) {
      const names = wanted.map(({ name }) => `“${name}”`).join(", ");
      choice.b = "";
      return ask(`Which score: ${names}? Two models may be compared on one score.`);
    }
    if (!a) return ask("Which column is the score?");
    if (a === b) return ask("Choose different columns.");
    const wrong = [a, b].filter(Boolean)
      .find((name) => !found.some((column) => column.name === name));
    return wrong ? ask(`“${wrong}” does not hold scores from 0 to 1.`) : choice;
  }

  return { read, choose };
})();
