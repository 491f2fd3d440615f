// Says what a text is: counts, printed numbers, a report, a matrix, predictions, scores. No page is
// needed. `tests/cases/pasted.json` has the forms that are read, and those that are not.
//
// `read(text)` returns {readings, question}. The first reading is the likeliest; the others are
// offered beside it. A question means that nobody can know: then no number is shown. A text that is
// nothing of all this is refused with a sentence, which is thrown.
//
// Each form accounts for every number of the text: it is in the reading, or a note names it or its
// line. What leaves a number over is not that form.
const reader = (() => {
  "use strict";

  const { isCount, isNumber, refuse, some, unlessRefused } = cells;
  const { certain, unused, withNotes, keyOf } = numbers;

  // --- Text without a table ----------------------------------------------------------------------

  /** Numbers without names: scores, three or four counts, or a matrix one below the other. */
  function fromNumbers(text) {
    const bare = text.trim().replace(/^(\w+\s*=\s*)?((np\.)?array)?[([]+|[)\]]+$/g, "").trim();
    const cut = (mark) => bare.split(mark).filter(Boolean);
    const blanks = cut(/[\s;]+/);
    const words = blanks.length > 1 && blanks.every(isCount) ? blanks : cut(/[\s,;]+/);
    const height = bare.split("\n").length;
    if (words.length < 3 || (height > 1 && height !== words.length)) return null;
    if (!words.every(isCount)) {
      const lines = words.map((score, k) => ({ item: String(k + 1), score }));
      const isScore = (word) => isNumber(word) && Number(word) <= 1;
      return words.every(isScore) ? scores.read(tables.ofJson(lines)) : null;
    }
    const size = Math.sqrt(words.length);
    if (height > 1 && size > 2 && Number.isInteger(size)) {
      const lines = Array.from({ length: size }, (_, k) => words.slice(k * size, (k + 1) * size));
      const found = fromMatrix(lines.map((row) => row.join(" ")).join("\n"));
      return { ...found, question: `Is this a matrix of ${size} lines, one after the other?` };
    }
    if (words.length > 4) return null;
    const [p, q, r, s] = words;
    if (s === undefined) {
      return certain(numbers.ofCounts({ tp: p, fp: q, fn: r }, ["Read in the order TP, FP, FN."]));
    }
    const orders = [
      { tp: s, fp: q, fn: r, tn: p }, { tp: p, fp: q, fn: r, tn: s },
      { tp: p, fp: r, fn: q, tn: s },
    ];
    const readings = orders.map((record) => numbers.ofCounts(record));
    return { readings, question: "In which order are these numbers?" };
  }

  // --- Tables ------------------------------------------------------------------------------------

  function fromRecords(text) {
    const found = numbers.recordsIn(matrices.rowsOf(text));
    if (found === null) return null;
    if (found.rest.length === 0) return numbers.ofRecords(found);
    const [{ line }] = found.rest;
    if (line < found.last) {
      refuse(`Line ${line} has a number that does not belong to the table around it.`);
    }
    // People print the matrix beside a report, which says more.
    const matrix = unlessRefused(() => fromMatrix(text));
    if (matrix) return certain(...matrix.readings, ...numbers.ofRecords(found)?.readings ?? []);
    return refuse(`Line ${line} has a number that does not belong to the table above it.`);
  }

  // --- JSON --------------------------------------------------------------------------------------

  // What other programs write that has no counts of positive items.
  const FOREIGN = [
    [/"ents_p"|"ents_per_type"/,
      "This is what spaCy evaluates: precision, recall and F1, but not how "
      + "many entities there are. Give the positives too, or TP, FP and FN."],
    [/"gradingResult"|"promptId"/,
      "This is what promptfoo writes: which answers passed. For F1 give "
      + "a table with the true label and the answer of each prompt; to compare two prompts, how "
      + "many both, one and none have right: “both right 80, only A 12, only B 25, none 8”."],
  ];

  const notUsed = (entries) =>
    unused(entries.map(([name, value]) => `${name} ${JSON.stringify(value)}`));

  function fromJson(text) {
    const value = cells.json(text);
    if (value === null || Object.keys(value).length === 0) return null;
    const foreign = FOREIGN.find(([pattern]) => pattern.test(text));
    if (foreign) refuse(foreign[1]);
    const log = tables.rowsOfLog(value);
    if (log) {
      const note = "Not used: the rest of the log beside each item’s target and answer.";
      return withNotes(ofTable(tables.ofJson(log)), [note]);
    }
    const name = ["confusion_matrix", "matrix", "cm"].find((key) => Array.isArray(value[key]));
    if (name) {
      const { labels = value.classes, classes, [name]: matrix, ...others } = value;
      return withNotes(fromMatrix(JSON.stringify(matrix), labels), notUsed(Object.entries(others)));
    }
    if (Array.isArray(value.columns) && Array.isArray(value.data)) {
      const objects = value.data.map((row) =>
        Object.fromEntries(row.map((x, k) => [value.columns[k], x])));
      return ofTable(tables.ofJson(objects));
    }
    if (Array.isArray(value.metric_per_case)) { // nnU-Net
      const { metric_per_case: list, ...parts } = value;
      const left = unused(Object.keys(parts).map((key) => `the part “${key}”`));
      return withNotes(ofTable(tables.ofJson(list)), left);
    }
    if (Array.isArray(value)) return ofTable(tables.ofJson(value));
    const isObject = ([, row]) => row !== null && typeof row === "object";
    const entries = Object.entries(value);
    const objects = entries.filter(isObject);
    const others = entries.filter((entry) => !isObject(entry));
    return objects.length ? ofObjects(objects, others, value) : ofObject(entries);
  }

  /** Numbers by name; other names are not used. */
  function ofObject(entries) {
    const isKnown = ([name]) => (keyOf(name) ?? "unused") !== "unused";
    const known = entries.filter(isKnown).map(([name, number]) => [keyOf(name), String(number)]);
    const others = entries.filter((entry) => !isKnown(entry));
    return numbers.ofRecord(Object.fromEntries(known), notUsed(others));
  }

  /** Objects by name: a report, counts, a matrix, or the columns of a table. */
  function ofObjects(objects, others, value) {
    const rows = objects.map(([name, row]) => ({ name, ...row }));
    const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    if (keys.filter(keyOf).length > 1) {
      const lines = rows.map((row) => ({ cells: keys.map((key) => String(row[key] ?? "")) }));
      const read = numbers.fromRows([{ cells: keys }, ...lines]);
      return read && withNotes(read, notUsed(others));
    }
    const names = objects.map(([name]) => name);
    const isMatrix = others.length === 0 && names.length > 1 && objects.every(([, row]) =>
      Object.keys(row).sort().join() === [...names].sort().join()
        && Object.values(row).every(Number.isInteger));
    if (!isMatrix) return ofTable(tables.ofJson(value));
    const lines = names.map((name) => names.map((other) => value[name][other]).join(","));
    const found = fromMatrix(lines.join("\n"), names);
    const question = "Which classes are outside: the true ones, or the predicted ones?";
    return { ...found, question };
  }

  /** y_true = [1, 0, ...] and the like, in brackets or one in each line, as a table. */
  function fromLists(text) {
    const inBrackets = /\b([a-z_]\w*)\s*[=:]\s*(?:np\.array\()?\[([^[\]=]*)\]/gi;
    const inLines = /^\s*([a-z_]\w*)\s*[=:]\s*([^=:[\]\n]+[ ,][^=:[\]\n]+)$/gim;
    const [marked, bare] = [inBrackets, inLines].map((form) => [...text.matchAll(form)]);
    const isMarked = marked.length > 1;
    const lists = isMarked ? marked : bare;
    const labels = (list) => list.split(list.includes(",") ? "," : /\s+/)
      .map((cell) => cell.trim().replace(/^["']|["']$/g, "")).filter(Boolean);
    const columns = lists.map(([, name, list]) => [name, labels(list)]);
    const isEven = columns.every(([, list]) => list.length === columns[0][1].length);
    const isWhole = lists.length === text.split("\n").filter((line) => line.trim()).length;
    if (lists.length < 2 || (!isMarked && !(isEven && isWhole))) return null;
    const byName = Object.fromEntries(columns);
    if (Object.keys(byName).length < columns.length) refuse("Two lists have the same name.");
    const found = ofTable(tables.ofJson(byName));
    const rest = lists.reduce((all, [list]) => all.replace(list, ""), text);
    return /\d/.test(rest)
      ? withNotes(found, [`Only the lists ${Object.keys(byName).join(", ")} are read.`]) : found;
  }

  // --- Matrices, predictions, scores -------------------------------------------------------------

  function fromMatrix(text, names = []) {
    const found = matrices.read(text);
    const { matrix, inRows, notes, question } = found;
    if (names.length && names.length !== matrix.length) {
      refuse(`There are ${names.length} names for ${matrix.length} classes.`);
    }
    const labels = names.length ? names.map(String) : found.labels;
    const reading = (numbers, place, turned = "") => ({
      kind: "matrix", matrix: numbers, labels, notes, totals: found.totals,
      said: `a confusion matrix of ${labels.length} classes, ${place} in rows${turned}`,
    });
    const readings = [
      reading(matrix, "true classes"), reading(matrices.turn(matrix), "predictions", " (turned)"),
    ];
    if (inRows) readings.reverse();
    if (found.paired) readings.unshift({ ...numbers.pairReading(found.paired), notes });
    return { readings, question };
  }

  function predictions(table, how = "") {
    if (table.columns.length < 2) refuse(matrices.NOTHING);
    const lines = `a table of predictions with ${some(table.lines.length, "line")}`;
    const said = how ? `${lines}, ${how}` : lines;
    return certain({ kind: "predictions", table, how, notes: [], said });
  }

  /** Predictions, records or scores that stand in a table with names. */
  function ofTable(table, otherwise = predictions) {
    const names = table.columns.map(({ says }) => says);
    const isSure = names.includes("model") && (names.includes("truth") || names.includes("label"));
    if (isSure) return predictions(table);
    const head = { cells: table.columns.map(({ name }) => name) };
    const rows = table.lines.map((_, k) => ({ cells: table.columns.map((one) => one.cells[k]) }));
    const records = numbers.fromRows([head, ...rows]);
    if (records) return records;
    const choice = unlessRefused(() => tables.choose(table));
    if (choice && (choice.question === null || choice.field === "count")) return predictions(table);
    return (choice?.truth ? null : scores.read(table)) ?? otherwise(table);
  }

  /** A table with names, a matrix, or predictions if the text cannot be a matrix. */
  function fromCells(text) {
    const [first, ...rest] = text.trim().split("\n");
    const header = /\p{L}/u.test(first) && rest.length > 0;
    const fault = {};
    const attempt = (what, read) => unlessRefused(read, (sentence) => { fault[what] = sentence; });
    const table = attempt("table", () => tables.parse(text));
    const named = header && table?.named ? ofTable(table, () => null) : null;
    const found = named ?? fromRecords(text) ?? attempt("matrix", () => fromMatrix(text));
    if (found) return found;
    // A matrix has about as many lines as columns; and names stand above predictions.
    const isLong = rest.length > first.trim().split(/[\t;,|]|\s+/).length + 1;
    const isHead = header && /[\t;,|]/.test(first) && !/\d/.test(first);
    const isTable = (isLong || (isHead && fault.matrix !== matrices.PERCENTAGES))
      && !/^There are \d+ matrices/.test(fault.matrix);
    if (isTable && table) return predictions(table);
    return refuse(numbers.withoutName(text) ?? (isTable ? fault.table : fault.matrix));
  }

  // Texts of more lines, or of more letters, are tables.
  const LONG = 400;
  const LARGE = 200000;

  function read(text) {
    const tidy = cells.tidy(text);
    if (tidy.trim() === "") refuse("Type or paste what you have.");
    const isLarge = tidy.length > LARGE || tidy.split("\n", LONG + 1).length > LONG;
    const json = fromJson(tidy);
    if (json) return json;
    if (isLarge) return ofTable(tables.parse(tidy));
    for (const attempt of [numbers.fromPairs, numbers.fromNames, fromNumbers, fromLists]) {
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

  // --- The positive class ------------------------------------------------------------------------

  /** {names, positive, question}: the classes to choose from, and the one that is positive. */
  function positiveOf(reading, choice, chosen) {
    const { kind, matrix, micro } = reading;
    const hasItems = (_, k) => matrix[k].some(Boolean) || matrix.some((row) => row[k] > 0);
    let names = [];
    if (kind === "matrix") names = reading.labels.filter(hasItems);
    if (kind === "report" && !micro) names = reading.classes.map(({ name }) => name);
    if (kind === "predictions") names = choice.classes;
    const isAsked = names.length === 2 || (kind === "predictions" && choice.b);
    if (!isAsked) return { names: [], positive: null, question: null };
    const positive = names.includes(chosen) ? chosen : tables.positiveOf(names);
    const question = positive === null ? "Which class is the positive one?" : null;
    return { names, positive, question };
  }

  return { read, readFiles, positiveOf };
})();
