// Says what a text is: counts, printed numbers, a report, a confusion matrix, predictions. No page is
// needed. `tests/cases/pasted.json` has the forms that are read, and those that are not.
//
// `read(text)` returns {readings, question}. The first reading is the likeliest; the others are
// offered beside it. A question means that nobody can know: then no number is shown. A text that is
// nothing of all this is refused with a sentence, which is thrown.
const reader = (() => {
  "use strict";

  const { count, countOr, band, refuse, some } = cells;
  const certain = (...readings) => ({ readings, question: null });

  // --- Numbers with names: counts, precision and recall, F1 --------------------------------------

  const NAMES = [
    ["tp", "true[ _-]*pos(itive)?s?|tps?"], ["fp", "false[ _-]*pos(itive)?s?|fps?"],
    ["fn", "false[ _-]*neg(ative)?s?|fns?"], ["tn", "true[ _-]*neg(ative)?s?|tns?"],
    ["positives", "((truly|actual|gold)[ _-]*)?positives?([ _-]items)?|n[ _-]?pos(itives?)?|support|pos"],
    ["f1", "f[-_ ]?1([-_ ]?(score|measure))?|f[-_ ]?(score|measure)|dice"],
    ["precision", "precision|prec|ppv|p"], ["recall", "recall|rec|sensitivity|tpr|r"],
    ["unused", "accuracy|acc|auc|auroc|mcc|kappa|specificity|npv|jaccard|iou|threshold|negatives?"],
    ["total", "n([ _-]?(total|items))?|number(?! of)|total|items|samples|instances|examples|sentences|documents"],
  ].map(([key, names]) => [key, new RegExp(`(?<![\\p{L}\\p{N}_])(?:(?:eval|test|val|dev)_)?(${names})(?![\\p{L}\\p{N}_])`, "giu")]);
  const FILLER = new Set("of and the is are was were test set with on at for in score scores true truly a an has have numbers count counts print "
    .concat("~ ≈ - – → ->").split(" "));
  // Intervals and percentages beside a number.
  const BESIDE = /(?<=\d%?\s*)(\(\s*[01]?\.\d+\s*(-|–|to|,)\s*[01]?\.\d+\s*\)|\(\s*[\d.]+\s*%\s*\))/g;
  const ITEMS = { tp: "true positives", fp: "false positives", fn: "false negatives", tn: "true negatives" };

  /** {key: text} of a text that holds nothing but numbers and their names; null for another text. */
  function namedNumbers(text) {
    const marked = NAMES.reduce((all, [key, name]) => all.replace(name, ` ‹${key}› `), text.replace(BESIDE, " ").replace(/[#*`]/g, " "));
    const words = marked.replace(/(\d)\s+%/g, "$1%").replace(/["'{}()[\]|&;:=/]/g, " ").split(/\s+/)
      .flatMap((word) => (/^\d{1,3}(,\d{3})+$|^\d*,\d+%?$/.test(word) ? [word] : word.split(",")))
      .filter((word) => /[^-:+]/.test(word) && !FILLER.has(word.toLowerCase()));
    const isName = (word) => /^‹/.test(word);
    const first = words.findIndex(isName);
    if (first < 0 || words.some((word, k) => k > first && !isName(word) && !/\d/.test(word))) return null;
    const tokens = words.filter((word) => isName(word) || /\d/.test(word)); // without a title
    const found = {};
    const put = (name, value) => {
      const key = name.slice(1, -1);
      const known = found[key];
      if (known && value && key !== "unused" && known !== value) refuse(`“${key}” stands there twice, with ${known} and ${value}.`);
      found[key] = known || value;
    };
    // Several names may stand before as many numbers; otherwise each name stands beside its number.
    const names = tokens.findIndex((token) => !isName(token));
    const values = tokens.slice(names, 2 * names);
    if (names > 1 && values.length === names && !values.some(isName)) {
      tokens.splice(0, names).forEach((name) => put(name, tokens.shift()));
    }
    while (tokens.length) {
      const token = tokens.shift();
      const nextIsName = tokens.length > 0 && isName(tokens[0]);
      if (isName(token)) put(token, tokens.length && !nextIsName ? tokens.shift() : "");
      else if (nextIsName) put(tokens.shift(), token);
      else return null;
    }
    return found;
  }

  const countsReading = ({ tp, fp, fn, tn = null }, notes = []) => ({
    kind: "counts", counts: { tp, fp, fn, tn }, notes,
    said: `counts: TP ${tp}, FP ${fp}, FN ${fn}${tn === null ? "" : `, TN ${tn}`}`,
  });

  function fromNames(text) {
    const wrong = text.match(/(?<![\p{L}\p{N}])(tp|fp|fn|tn)\s*=\s*(?!tp|fp|fn|tn)(\p{L}[^\s,;=]*)/iu);
    if (wrong) refuse(`“${wrong[2]}” is not a number of items.`);
    const found = namedNumbers(text);
    if (found === null) return null;
    const notes = "unused" in found ? ["Other scores that stand there are not used."] : [];
    if ("tp" in found || "fp" in found || "fn" in found) {
      const counts = Object.fromEntries(["tp", "fp", "fn"].map((key) => [key, countOr(found[key], ITEMS[key])]));
      if (found.tn) counts.tn = countOr(found.tn, ITEMS.tn);
      return certain(countsReading(counts, notes));
    }
    if (!("precision" in found || "recall" in found || "f1" in found)) return null;
    const [average] = text.match(/\b(macro|micro|weighted)\b/i) ?? [];
    if (average) refuse(`The interval of a ${average.toLowerCase()} average needs the confusion matrix, not its printed number.`);
    return fromScores(found, notes);
  }

  /** A printed precision and recall, or a printed F1, with a number of items. */
  function fromScores({ precision, recall, f1, positives, total }, notes) {
    const both = precision !== undefined && recall !== undefined;
    if (!both && f1 === undefined) refuse(`Give the ${precision === undefined ? "precision" : "recall"} too.`);
    const bands = both ? { precision: band(precision), recall: band(recall) } : { f1: band(f1) };
    const score = both ? "precision and recall" : "F1";
    const reading = (items, what) => ({
      kind: "printed", ...bands, positives: what === "truly positive items" ? items : null, notes,
      said: `${score}, and ${items} ${what}`,
    });
    if (positives !== undefined) return certain(reading(countOr(positives, "truly positive items"), "truly positive items"));
    if (total === undefined) refuse(`Give the number of truly positive items, too: “${score} … positives 87”.`);
    const items = countOr(total, "items");
    const readings = ["truly positive items", "items in all"].map((what) => reading(items, what));
    return { readings, question: `Which items are these ${items}?` };
  }

  /** Three or four numbers without names. */
  function fromNumbers(text) {
    const bare = text.trim().replace(/^(\w+\s*=\s*)?((np\.)?array)?[([]+|[)\]]+$/g, "").trim();
    const blanks = bare.split(/[\s;]+/);
    const mark = blanks.length > 1 && !blanks.map(count).includes(null) ? /[\s;]+/ : /[\s,;]+/;
    const words = bare.split(mark).filter(Boolean);
    const widths = bare.split("\n").map((line) => line.trim().split(mark).length);
    const isMatrix = new Set(widths).size > 1 || widths[0] === 2;
    if (words.length < 3 || words.length > 4 || isMatrix || words.map(count).includes(null)) return null;
    const [p, q, r, s] = words.map((word) => countOr(word, "items"));
    if (s === undefined) return certain(countsReading({ tp: p, fp: q, fn: r }, ["Read in the order TP, FP, FN."]));
    const orders = [{ tp: s, fp: q, fn: r, tn: p }, { tp: p, fp: q, fn: r, tn: s }, { tp: p, fp: r, fn: q, tn: s }];
    return { readings: orders.map((counts) => countsReading(counts)), question: "In which order are these numbers?" };
  }

  // --- A report of scikit-learn, and JSON --------------------------------------------------------

  const SUMMARY = /^(accuracy|(micro|macro|weighted|samples) avg)$/;

  /** A report of rows [name, precision, recall, F1, support]; null if it has no class. */
  function reportReading(rows) {
    const classes = rows.filter(([name]) => !SUMMARY.test(name)).map(([name, precision, recall, f1, support]) => ({
      name, precision: band(precision), recall: band(recall), f1: band(f1), positives: countOr(support, "items"),
    }));
    if (classes.length === 0) return null;
    const items = classes.reduce((total, { positives }) => total + positives, 0);
    return { kind: "report", classes, notes: [], said: `a report of ${some(classes.length, "class", "classes")} and ${items} items` };
  }

  function fromReport(text) {
    if (!/precision\s+recall\s+f1-?score\s+support/i.test(text)) return null;
    const lines = text.split("\n").map((line) => [line, line.match(/^\s*(.*?)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\d+(?:\.0*)?)\s*$/)]);
    const report = reportReading(lines.filter(([, match]) => match).map(([, match]) => match.slice(1)));
    if (report === null) refuse("The report has no line of a class.");
    // People print the matrix beside it, which says more.
    const rest = lines.map(([line, match]) => (match || /precision\s+recall|accuracy/i.test(line) ? "" : line)).join("\n");
    const matrix = rest.includes("[[") ? cells.unlessRefused(() => fromMatrix(rest)) : null;
    return certain(...matrix?.readings ?? [], report);
  }

  /** A report, a matrix, predictions; numbers with names are read as text. */
  function fromJson(text) {
    const value = cells.json(text);
    if (value === null || Object.keys(value).length === 0) return null;
    const classes = Object.entries(value).filter(([, row]) => row?.precision !== undefined && row.recall !== undefined);
    if (classes.length) {
      const numbers = (row) => [row.precision, row.recall, row["f1-score"] ?? row.f1, row.support ?? row.number].map(String);
      return certain(reportReading(classes.map(([name, row]) => [name, ...numbers(row)])));
    }
    const name = ["confusion_matrix", "matrix", "cm"].find((key) => Array.isArray(value[key]));
    if (name) return fromMatrix(JSON.stringify(value[name]), value.labels ?? value.classes);
    if (Array.isArray(value) || Object.values(value).every((list) => typeof list === "object")) return predictions(tables.ofJson(value));
    return fromNames(Object.entries(value).map(([key, number]) => `${key}: ${number}`).filter((line) => namedNumbers(line)).join("\n"));
  }

  /** y_true = [1, 0, ...] and the like, as a table. */
  function fromLists(text) {
    const lists = [...text.matchAll(/(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_]*)\s*[=:]\s*(?:np\.array\()?\[([^[\]=]*)\]/gu)];
    const labels = (list) => list.split(list.includes(",") ? "," : /\s+/).map((cell) => cell.trim().replace(/^["']|["']$/g, "")).filter(Boolean);
    return lists.length < 2 ? null : predictions(tables.ofJson(Object.fromEntries(lists.map(([, name, list]) => [name, labels(list)]))));
  }

  // --- Matrices and predictions ------------------------------------------------------------------

  function fromMatrix(text, names = []) {
    const { matrix, labels: read, inRows, notes } = matrices.read(text);
    const labels = Array.isArray(names) && names.length === matrix.length ? names.map(String) : read;
    const reading = (numbers, place, turned = "") => ({
      kind: "matrix", matrix: numbers, labels, notes, said: `a confusion matrix of ${labels.length} classes, ${place} in rows${turned}`,
    });
    const readings = [reading(matrix, "true classes"), reading(matrices.turn(matrix), "predictions", " (turned)")];
    return certain(...inRows ? readings.reverse() : readings);
  }

  function predictions(table, how = "") {
    if (table.head.length < 2) refuse(matrices.NOTHING);
    const said = `a table of predictions with ${some(table.lines.length, "line")}${how && `, ${how}`}`;
    return certain({ kind: "predictions", table, how, notes: [], said });
  }

  const fromTable = (text) => predictions(tables.parse(text));

  /** True if the columns of a table can be chosen by the names in its first line. */
  function saysPredictions(text) {
    const choice = cells.unlessRefused(() => tables.choose(tables.parse(text)));
    return choice !== null && (choice.question === null || choice.field === "positive");
  }

  /** A matrix, or predictions if the text cannot be a matrix. */
  function fromCells(text) {
    const lines = text.trim().split("\n");
    const header = /\p{L}/u.test(lines[0]) && lines.length > 1;
    if (header && (tables.namesRoles(lines[0]) || saysPredictions(text))) return fromTable(text);
    if (!/\d/.test(text) && lines.length < 3) refuse(matrices.NOTHING);
    const counts = lines[0].split(/[\t;,|&]|\s+/).filter((cell) => /^(tp|fp|fn|tn|(true|false)[ _](positives?|negatives?))$/i.test(cell.trim()));
    if (counts.length > 1) refuse("These are counts of several classes. Give one class at a time, such as TP=77 FP=44 FN=10.");
    let fault = null;
    const matrix = cells.unlessRefused(() => fromMatrix(text), (sentence) => { fault = sentence; });
    if (matrix) return matrix;
    // A matrix has about as many lines as columns; and names without a number stand above predictions.
    const marked = /[\t;,|]/.test(lines[0]);
    const long = lines.length > lines[0].trim().split(/[\t;,|]|\s+/).length + 2;
    const headed = marked && header && !/\d/.test(lines[0]) && fault !== matrices.PERCENTAGES;
    if (!long && !headed) refuse(fault);
    if (header && marked) return fromTable(text);
    return cells.unlessRefused(() => fromTable(text)) ?? refuse(fault);
  }

  // Texts of more lines, or of more letters, are predictions.
  const LONG = 400;
  const LARGE = 200000;

  function read(text) {
    const tidy = cells.tidy(text);
    if (tidy.trim() === "") refuse("Type or paste what you have.");
    if (tidy.length > LARGE || tidy.split("\n", LONG + 1).length > LONG) return fromTable(tidy);
    for (const attempt of [fromJson, fromNames, fromReport, fromNumbers, fromLists]) {
      const found = attempt(tidy);
      if (found) return found;
    }
    return fromCells(tidy);
  }

  /** The reading of one file or two, [{name, text}]. */
  function readFiles(files) {
    if (files.length > 2) refuse("Give one file or two.");
    if (files.length === 1) return read(files[0].text);
    const { table, how } = tables.joined(files);
    return predictions(table, how);
  }

  return { read, readFiles };
})();
