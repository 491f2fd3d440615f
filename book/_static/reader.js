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

  const { countOr, band, isCount, isNumber, hasNumber, refuse, some, unlessRefused } = cells;
  const certain = (...readings) => ({ readings, question: null });
  const withNotes = (found, notes) => ({
    ...found, readings: found.readings.map((one) => ({ ...one, notes: [...one.notes, ...notes] })),
  });
  const unused = (list) => (list.length ? [`Not used: ${list.join(", ")}.`] : []);

  // --- Names of numbers --------------------------------------------------------------------------

  const NAMES = [
    ["tp", "true[ _-]*pos(itive)?s?|tps?"], ["fp", "false[ _-]*pos(itive)?s?|fps?"],
    ["fn", "false[ _-]*neg(ative)?s?|fns?"], ["tn", "true[ _-]*neg(ative)?s?|tns?"],
    ["positives", "((truly|actual|gold)[ _-]*)?positives?([ _-]items)?|n[ _-]?pos(itives?)?|support|pos"],
    ["f1", "f[-_ ]?1([-_ ]?(score|measure))?|f[-_ ]?(score|measure)|dice"],
    ["precision", "precision|prec|ppv|p"], ["recall", "recall|rec|sensitivity|tpr|r"],
    ["unused", "accuracy|acc|auc|auroc|mcc|kappa|specificity|npv|jaccard|iou|threshold|negatives?"],
    ["total", "n([ _-]?(total|items))?|number(?! of)|total|items|samples|instances|examples"
      + "|sentences|documents"],
  ].map(([key, names]) => [key, `(?:(?:eval|test|val|dev)_)?(?:${names})`]);
  const WITHIN = NAMES.map(([key, names]) =>
    [key, new RegExp(`(?<![\\p{L}\\p{N}_])(?:${names})(?![\\p{L}\\p{N}_])`, "giu")]);
  const WHOLE = NAMES.map(([key, names]) => [key, new RegExp(`^(?:${names})$`, "iu")]);
  const keyOf = (cell) => WHOLE.find(([, name]) => name.test(cell.trim()))?.[0] ?? null;
  const ITEMS = {
    tp: "true positives", fp: "false positives", fn: "false negatives", tn: "true negatives",
  };
  // Intervals and percentages beside a number.
  const BESIDE = /(?<=\d%?\s*)(\(\s*[01]?\.\d+\s*(-|–|to|,)\s*[01]?\.\d+\s*\)|\(\s*[\d.]+\s*%\s*\))/g;

  /**
   * {record, left}: the numbers of a text by their names, and those without; null without
   * names.
   */
  function namedNumbers(text) {
    const bare = text.replace(/<[^<>\n]*>|[#*`]/g, " ")
      .replace(/\d+(\.\d+)?\s*%\s*(CI|confidence)\b/gi, " ");
    const marked = WITHIN.reduce((all, [key, name]) => all.replace(name, ` ‹${key}› `), bare);
    const tokens = marked.replace(/(\d)\s+%/g, "$1%").replace(/["'{}()[\]|&;:=/]/g, " ")
      .split(/\s+/)
      .flatMap((word) => (/^\d{1,3}(,\d{3})+$|^\d+,\d+%?[.,]?$/.test(word) ? [word]
        : word.split(",")))
      .map((word) => word.replace(/^[^\p{L}\p{N}‹.+-]+|[^\p{L}\p{N}%›]+$/gu, ""))
      .filter((word) => /^‹|^[-+.]*\d/.test(word));
    const isName = (token) => token[0] === "‹";
    if (!tokens.some(isName)) return null;
    const [record, left, alone] = [{}, [], []];
    let twice = null;
    const put = (name, value) => {
      const key = name.slice(1, -1);
      if (key === "unused") return value && left.push(value);
      if (record[key] && value === record[key]) left.push(`${key} ${value} again`);
      else if (record[key] && value) {
        twice ??= `“${key}” stands there twice, with ${record[key]} and ${value}.`;
      }
      record[key] = record[key] || value;
      return undefined;
    };
    // Several names may stand before as many numbers; otherwise each name stands beside its number.
    const names = tokens.findIndex((token) => !isName(token));
    const values = tokens.slice(names, 2 * names);
    if (names > 1 && values.length === names && !values.some(isName)) {
      tokens.splice(0, names).forEach((name) => put(name, tokens.shift()));
    }
    // A number belongs to the name before it, or to the one behind it that has no number itself.
    const numbersFirst = tokens.length > 0 && !isName(tokens[0]);
    const isNameAt = (k) => k < tokens.length && isName(tokens[k]);
    const isNumberAt = (k) => k < tokens.length && !isName(tokens[k]);
    while (tokens.length) {
      const token = tokens.shift();
      if (isName(token)) put(token, isNumberAt(0) ? tokens.shift() : "");
      else if (isNameAt(0) && (numbersFirst || !isNumberAt(1))) put(tokens.shift(), token);
      else alone.push(token);
    }
    return { record, left, alone, twice };
  }

  function fromNames(text) {
    const wrong = text.match(/(?<![\p{L}\p{N}])(tp|fp|fn|tn)\s*=\s*(?!tp|fp|fn|tn)(\p{L}[^\s,;=]*)/iu);
    if (wrong) refuse(`“${wrong[2]}” is not a number of items.`);
    const found = namedNumbers(text.replace(BESIDE, " "));
    if (found === null || found.alone.length) return null;
    const beside = text.match(BESIDE) ?? [];
    const average = text.match(/\b(macro|micro|weighted)\b/i)?.[1].toLowerCase();
    const read = ofRecord({ ...found.record, average }, unused([...found.left, ...beside]));
    return read && found.twice ? refuse(found.twice) : read;
  }

  /** The numbers of one class, of which `key: ""` has a name and no number. */
  function ofRecord(record, notes) {
    if ("tp" in record || "fp" in record || "fn" in record) return certain(ofCounts(record, notes));
    if (!("precision" in record || "recall" in record || "f1" in record)) return null;
    if (/macro|weighted/.test(record.average)) {
      refuse(`The interval of a ${record.average} average needs the confusion matrix, not its printed `
        + "number.");
    }
    return ofScores(record, notes);
  }

  function ofCounts(record, notes = []) {
    const counts = { tn: null };
    for (const key of ["tp", "fp", "fn"]) counts[key] = countOr(record[key], ITEMS[key]);
    if (record.tn) counts.tn = countOr(record.tn, ITEMS.tn);
    const { tp, fp, fn, tn } = counts;
    const said = `counts${record.name ? ` of ${record.name}` : ""}: TP ${tp}, FP ${fp}, FN ${fn}${tn === null ? "" : `, TN ${tn}`}`;
    const others = ["precision", "recall", "f1", "positives", "total"].filter((key) => record[key]);
    const left = others.map((key) => `${key} ${record[key]}`);
    return { kind: "counts", counts, notes: [...notes, ...unused(left)], said };
  }

  /** A printed precision and recall, or a printed F1, with a number of items. */
  function ofScores({ precision, recall, f1, positives, total, average = "" }, notes) {
    const printed = Object.entries({ precision, recall, f1 }).filter(([, text]) => text);
    const bands = Object.fromEntries(printed.map(([key, text]) => [key, band(text)]));
    if (!bands.f1 && !(bands.precision && bands.recall)) {
      refuse(`Give the ${bands.precision ? "recall" : "precision"} too.`);
    }
    const names = { precision: "precision", recall: "recall", f1: "F1" };
    const score = printed.map(([key]) => names[key]).join(", ").replace(/, (\w+)$/, " and $1");
    const reading = (items, what) => ({
      kind: "printed", average, ...bands, positives: what === "truly positive items" ? items
        : null, notes,
      printed: printed.map(([, text]) => text), said: `${score}, and ${items} ${what}`,
    });
    if (positives) {
      const left = total ? unused([`${total} items`]) : [];
      const found = reading(countOr(positives, "truly positive items"), "truly positive items");
      return certain({ ...found, notes: [...notes, ...left] });
    }
    if (!total) refuse(`Give the number of truly positive items, too: “${score} … positives 87”.`);
    const items = countOr(total, "items");
    const readings = ["truly positive items", "items in all"].map((what) => reading(items, what));
    return { readings, question: `Which items are these ${items}?` };
  }

  /** "both right 80, only A 12, only B 25, both wrong 8". */
  function fromPairs(text) {
    const isFirst = /^\W*\d/.test(text);
    const value = (name) => text.match(isFirst ? new RegExp(`(\\d+)\\W*(?:${name})`, "i")
      : new RegExp(`(?:${name})\\W*(\\d+)`, "i"));
    const ONLY = /\b(?:only|just) (\w+)( (?:is |was )?(?:right|correct))?|\b([a-z]\w*) only\b/gi;
    const [a, b, more] = [...text.matchAll(ONLY)];
    if (!b || more) return null;
    const kinds = {
      both: "both( are| were)? (right|correct)|\\bboth(?! (are |were )?wrong)",
      onlyA: a[0], onlyB: b[0], none: "both( are| were)? wrong|neither( right| correct)?|none",
    };
    const found = Object.entries(kinds).map(([kind, name]) => [kind, value(name)]);
    if (found.some(([, match]) => !match) || text.match(/\d+/g).length !== 4) return null;
    const numbers = found.map(([kind, match]) =>
      [kind, countOr(match[0].match(/\d+/)[0], "items")]);
    const names = [a, b].map((match) => match[1] ?? match[3]);
    return certain(pairReading({ ...Object.fromEntries(numbers), names }));
  }

  const pairReading = ({ both, onlyA, onlyB, none, names: [a, b] }) => ({
    kind: "pairs", both, onlyA, onlyB, none, names: [a, b], notes: [],
    said: `two models on the same items: both right ${both}, only ${a} ${onlyA}, only ${b} ${onlyB}, `
      + `none ${none}`,
  });

  /** Three or four numbers without names, or a matrix or scores one below the other. */
  function fromNumbers(text) {
    const bare = text.trim().replace(/^(\w+\s*=\s*)?((np\.)?array)?[([]+|[)\]]+$/g, "").trim();
    const blanks = bare.split(/[\s;]+/);
    const mark = blanks.length > 1 && blanks.every(isCount) ? /[\s;]+/ : /[\s,;]+/;
    const words = bare.split(mark).filter(Boolean);
    const rows = bare.split("\n").map((line) => line.trim().split(mark));
    const isList = rows.length === 1 || rows.every((row) => row.filter(Boolean).length === 1);
    const isScore = (word) => /^(0?\.\d+|[01](\.\d*)?)$/.test(word) && Number(word) <= 1;
    if (isList && words.length > 2 && words.every(isScore) && !words.every(isCount)) {
      const lines = words.map((score, k) => ({ item: String(k + 1), score }));
      return scores(tables.ofJson(lines));
    }
    const size = Math.sqrt(words.length);
    if (!words.every(isCount)) return null;
    if (isList && rows.length > 1 && size > 2 && Number.isInteger(size)) {
      const lines = Array.from({ length: size }, (_, k) => words.slice(k * size, (k + 1) * size));
      const found = fromMatrix(lines.map((row) => row.join(" ")).join("\n"));
      return { ...found, question: `Is this a matrix of ${size} lines, one after the other?` };
    }
    if (words.length < 3 || words.length > 4 || !isList) return null;
    const [p, q, r, s] = words;
    if (s === undefined) {
      return certain(ofCounts({ tp: p, fp: q, fn: r }, ["Read in the order TP, FP, FN."]));
    }
    const orders = [
      { tp: s, fp: q, fn: r, tn: p }, { tp: p, fp: q, fn: r, tn: s }, { tp: p, fp: r, fn: q,
        tn: s },
    ];
    const readings = orders.map((record) => ofCounts(record));
    return { readings, question: "In which order are these numbers?" };
  }

  // --- Tables of named numbers: reports, counts of classes or of units ---------------------------

  const SUMMARY = /^(accuracy|(micro|macro|weighted|samples) avg|avg \/ total|all)$/;
  const UNIT = /^(doc|image|img|file|case|patient|subject|scan|slide|article|page|user|study)/i;
  const CLASS = /^(class|label|categor|entity|entities|tag|type)/i;

  /** {records, names, left} of rows below a line with names of numbers; null if there is none. */
  function recordsIn(rows) {
    const at = rows.findIndex((row) => row.cells.filter(keyOf).length > 1);
    if (at < 0 || rows.slice(0, at).some((row) => row.cells.some(hasNumber))) return null;
    const head = rows[at].cells;
    const isWhole = (row) => [0, 1].includes(row.cells.length - head.length);
    const below = rows.slice(at + 1).filter((row) => row.cells.some(hasNumber));
    const body = below.filter((row) => isWhole(row) && row.cells.some(isNumber));
    const rest = below.filter((row) => !body.includes(row)
      && !(head.some((name) => keyOf(name) === "precision") && SUMMARY.test(row.cells[0])));
    const offset = body[0]?.cells.length - head.length;
    if (body.length === 0 || body.some((row) => row.cells.length !== head.length
      + offset)) return null;
    const keys = head.map(keyOf);
    const isNaming = (k) => keys[k] === null
      && body.every((row) => !isNumber(row.cells[k + offset]));
    const naming = head.map((_, k) => k).filter(isNaming);
    if (offset === 0 && naming.length === 0 && keys[0] === null) naming.push(0);
    if (naming.some((k) => hasNumber(head[k]))) return null;
    const others = head.filter((_, k) => (keys[k] === null && !naming.includes(k))
      || keys[k] === "unused");
    const records = body.map(({ cells: row }) => ({
      name: offset ? row[0] : naming.map((k) => row[k]).join(" "),
      ...Object.fromEntries(keys.flatMap((key, k) => (key ? [[key, row[k + offset]]] : []))),
    }));
    const named = offset ? "" : naming.map((k) => head[k]).join(" ");
    const left = others.map((name) => `the column “${name}”`);
    const unread = head.flatMap((name, k) => (others.includes(name)
      ? body.map((row) => row.cells[k + offset]) : []));
    const hasAverages = rows.slice(at + 1).some((row) => SUMMARY.test(row.cells[0]));
    const lines = rest.length
      ? [`Only the lines ${rows[at].line} to ${body.at(-1).line} are read.`] : [];
    const last = body.at(-1).line;
    return { records, named, rest, last, notes: [...unused(left), ...lines], unread, hasAverages };
  }

  /** The readings of records; null if they have no counts and no scores. */
  function ofRecords(found) {
    const read = readRecords(found);
    return read && { ...read,
      readings: read.readings.map((one) => ({ ...one, unread: found.unread })) };
  }

  function readRecords({ records, named, notes, hasAverages }) {
    const [first] = records;
    if ("tp" in first && "fp" in first && "fn" in first) return ofCountsBy(records, named, notes);
    if (!("precision" in first) && !("recall" in first) && !("f1" in first)) return null;
    const hasItems = "positives" in first || "total" in first;
    if ("precision" in first && "recall" in first && hasItems) {
      return certain(ofReport(records, hasAverages, notes));
    }
    return refuse(`These are printed scores in ${some(records.length, "line")}. An interval needs the `
      + "number of truly positive items too: “precision 0.64, recall 0.89, positives 87”, one model "
      + "at a time.");
  }

  function ofCountsBy(records, named, notes) {
    const rows = records.map((record) => ({ name: record.name, ...ofCounts(record).counts }));
    if (rows.length === 1) return certain(ofCounts(records[0], notes));
    const reading = (kind, what) => ({
      kind, rows, notes, said: `TP, FP and FN of ${some(rows.length, ...what)}`,
    });
    const units = reading("units", ["unit", "units, such as documents"]);
    const classes = reading("classes", ["class", "classes"]);
    const says = tables.saidBy(named);
    if (named && (UNIT.test(named) || says === "id" || says === "group")) return certain(units);
    if (CLASS.test(named)) return certain(classes);
    return { readings: [classes, units],
      question: "Is each line a class, or a unit such as a document?" };
  }

  /** A report: its classes, and its micro average if it prints one. */
  function ofReport(records, hasAverages, notes) {
    const items = (record) => record.positives ?? record.total;
    const read = (record) => ({
      name: record.name, precision: band(record.precision), recall: band(record.recall),
      ...(record.f1 ? { f1: band(record.f1) } : {}), positives: countOr(items(record), "items"),
    });
    const classes = records.filter(({ name }) => !SUMMARY.test(name)).map(read);
    const micro = records.find(({ name }) => name === "micro avg");
    if (classes.length === 0 && !micro) refuse("The report has no line of a class.");
    const all = classes.reduce((total, { positives }) => total + positives, 0);
    const averages = hasAverages ? ", with its averages" : "";
    const number = some(classes.length, "class", "classes");
    return {
      kind: "report", classes, micro: micro ? read(micro) : null, notes, records,
      said: `a report of ${number} and ${all} items${averages}`,
    };
  }

  function fromRecords(text) {
    const found = recordsIn(matrices.rowsOf(text));
    if (found === null) return null;
    if (found.rest.length === 0) return ofRecords(found);
    const [{ line }] = found.rest;
    if (line < found.last) {
      refuse(`Line ${line} has a number that does not belong to the table around it.`);
    }
    // People print the matrix beside a report, which says more.
    const matrix = unlessRefused(() => fromMatrix(text));
    if (matrix) return certain(...matrix.readings, ...ofRecords(found)?.readings ?? []);
    return refuse(`Line ${line} has a number that does not belong to the table above it.`);
  }

  // --- JSON --------------------------------------------------------------------------------------

  // What other programs write that has no counts of positive items.
  const FOREIGN = [
    [/"ents_p"|"ents_per_type"/, "This is what spaCy evaluates: precision, recall and F1, but not how many entities there are. Give the positives too, or TP, FP and FN."],
    [/"gradingResult"|"promptId"/, "This is what promptfoo writes: which answers passed. For F1 give a table with the true label and the answer of each prompt; to compare two prompts, how many both, one and none have right: “both right 80, only A 12, only B 25, none 8”."],
  ];

  function fromJson(text) {
    const value = cells.json(text);
    if (value === null || Object.keys(value).length === 0) return null;
    const foreign = FOREIGN.find(([pattern]) => pattern.test(text));
    if (foreign) refuse(foreign[1]);
    const name = ["confusion_matrix", "matrix", "cm"].find((key) => Array.isArray(value[key]));
    if (name) {
      const { labels = value.classes, classes, [name]: matrix, ...others } = value;
      const left = unused(Object.entries(others)
        .map(([key, one]) => `${key} ${JSON.stringify(one)}`));
      return withNotes(fromMatrix(JSON.stringify(matrix), labels), left);
    }
    if (Array.isArray(value.columns) && Array.isArray(value.data)) {
      const objects = value.data.map((row) =>
        Object.fromEntries(row.map((x, k) => [value.columns[k], x])));
      return ofTable(tables.ofJson(objects));
    }
    if (Array.isArray(value.metric_per_case)) { // nnU-Net
      const { metric_per_case: list, ...parts } = value;
      const left = unused(Object.keys(parts).map((key) => `the part “${key}”`));
      const found = withNotes(ofTable(tables.ofJson(list)), left);
      found.readings[0].unread = [JSON.stringify(parts)];
      return found;
    }
    const entries = Object.entries(value);
    const isObject = (row) => row !== null && typeof row === "object";
    if (Array.isArray(value)) return ofTable(tables.ofJson(value));
    if (!entries.some(([, row]) => isObject(row))) return ofObject(entries);
    return ofObjects(entries.filter(([, row]) => isObject(row)),
      entries.filter(([, row]) => !isObject(row)), value);
  }

  /** Numbers by name; other names are not used. */
  function ofObject(entries) {
    const known = entries.filter(([name]) => (keyOf(name) ?? "unused") !== "unused");
    const others = entries.filter((entry) => !known.includes(entry));
    const record = Object.fromEntries(known.map(([name, number]) => [keyOf(name), String(number)]));
    return ofRecord(record, unused(others.map(([name, number]) => `${name} ${number}`)));
  }

  /** Objects by name: a report, counts, a matrix, or the columns of a table. */
  function ofObjects(objects, others, value) {
    const rows = objects.map(([name, row]) => ({ name, ...row }));
    const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    if (keys.filter(keyOf).length > 1) {
      const line = (row) => keys.map((key) => String(row[key] ?? ""));
      const found = recordsIn([{ cells: keys }, ...rows.map((row) => ({ cells: line(row) }))]);
      const left = unused(others.map(([name, x]) => `${name} ${x}`));
      return found && ofRecords({ ...found, notes: [...found.notes, ...left] });
    }
    const names = objects.map(([name]) => name);
    const isMatrix = others.length === 0 && names.length > 1 && objects.every(([, row]) =>
      Object.keys(row).sort().join() === [...names].sort().join()
        && Object.values(row).every(Number.isInteger));
    if (!isMatrix) return ofTable(tables.ofJson(value));
    const lines = names.map((name) => names.map((other) => value[name][other]).join(","));
    const found = fromMatrix(lines.join("\n"), names);
    return { ...found, question: "Which classes are outside: the true ones, or the predicted ones?" };
  }

  /** y_true = [1, 0, ...] and the like, as a table. */
  function fromLists(text) {
    const inBrackets = /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_]*)\s*[=:]\s*(?:np\.array\()?\[([^[\]=]*)\]/gu;
    const inLines = /^\s*([\p{L}_][\p{L}\p{N}_]*)\s*[=:]\s*([^=:[\]\n]+[ ,][^=:[\]\n]+)$/gmu;
    const lines = text.trim().split("\n").filter((line) => line.trim());
    const [found, others] = [[...text.matchAll(inBrackets)], [...text.matchAll(inLines)]];
    const lists = found.length > 1 ? found : others.length === lines.length ? others : [];
    if (lists.length < 2) return null;
    const labels = (list) => list.split(list.includes(",") ? "," : /\s+/)
      .map((cell) => cell.trim().replace(/^["']|["']$/g, "")).filter(Boolean);
    const columns = lists.map(([, name, list]) => [name, labels(list)]);
    if (new Set(columns.map(([name]) => name)).size < columns.length) {
      refuse("Two lists have the same name.");
    }
    if (found.length < 2 && columns
      .some(([, list]) => list.length !== columns[0][1].length)) return null;
    const rest = found.length > 1 ? lists.reduce((all, [list]) => all.replace(list, ""), text) : "";
    const table = tables.ofJson(Object.fromEntries(columns));
    const notes = /\d/.test(rest)
      ? [`Only the lists ${lists.map(([, name]) => name).join(", ")} are read.`] : [];
    return withNotes(ofTable(table), notes);
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
      kind: "matrix", matrix: numbers, labels, notes, totals: found.totals, lines: found.lines,
      said: `a confusion matrix of ${labels.length} classes, ${place} in rows${turned}`,
    });
    const readings = [
      reading(matrix, "true classes"), reading(matrices.turn(matrix), "predictions", " (turned)"),
    ];
    if (inRows) readings.reverse();
    if (found.paired) readings.unshift({ ...pairReading(found.paired), notes });
    return { readings, question };
  }

  function predictions(table, how = "") {
    if (table.columns.length < 2) refuse(matrices.NOTHING);
    const said = `a table of predictions with ${some(table.lines.length, "line")}${how && `, ${how}`}`;
    return certain({ kind: "predictions", table, how, notes: [], said });
  }

  const SCORE = /dice|dsc|f[-_ ]?1|f[-_ ]?(score|measure)|iou|jaccard|bleu|rouge|exact_?match|\bem\b|score/i;
  const OTHER = /prob|logit|conf|thresh/i;
  const [MODEL, RUN] = [/^(model|method|system|classifier|approach)s?$/i, /^(seed|run)/i];
  const isEmpty = (cell) => /^(nan|na|n\/a|null|none|)$/i.test(cell);
  const isShare = (cell) => /^(\d*\.?\d+|\d+\.)(e-\d+)?$/i.test(cell) && Number(cell) <= 1;

  /** The columns of a table that may be one score for each item. */
  function scoreColumns({ columns }) {
    return columns.filter(({ name, cells: list }) => !OTHER.test(name)
      && list.every((cell) => isShare(cell) || isEmpty(cell)) && list.some((cell) => !isCount(cell))
      && list.some((cell) => isShare(cell) && !isCount(cell)));
  }

  /** One score for each item; null if no column holds scores. */
  function scores(table) {
    const found = scoreColumns(table);
    const called = table.columns.filter(({ name }) => SCORE.test(name) && !OTHER.test(name));
    const large = called.find(({ cells: list }) => list.every((cell) => isNumber(cell)
      || isEmpty(cell))
      && list.some((cell) => Number(cell.replace(/%$/, "")) > 1));
    if (found.length === 0 && large) {
      const cell = large.cells.find((one) => Number(one.replace(/%$/, "")) > 1);
      refuse(`“${cell}” in “${large.name}” is above 1: divide percentages by 100.`);
    }
    if (found.length === 0) return null;
    const isModel = ({ name, cells: list }) => MODEL.test(name)
      && new Set(list).size === list.length;
    if (table.columns.some(isModel)) {
      refuse("These are printed scores of models. An interval needs the counts behind them: TP, FP and "
        + "FN, or the score of each item.");
    }
    const others = table.columns
      .filter((column) => !found.includes(column) && column.cells.some(isNumber)
      && !/id|group/.test(column.says) && !UNIT.test(column.name) && !RUN.test(column.name));
    const notes = unused(others.map(({ name }) => `the column “${name}”`));
    const said = `one score for each of ${some(table.lines.length, "item")}`;
    const isSure = found.some(({ name }) => SCORE.test(name));
    const reading = { kind: "scores", table, notes, said };
    return { readings: [reading], question: isSure ? null : "Is this one score for each item?" };
  }

  /** {a, b, group, notes, question, field} of scores. What a person chose is in `chosen`. */
  function chooseScores(table, chosen = {}) {
    const found = scoreColumns(table);
    const named = found.filter(({ name }) => SCORE.test(name));
    const wanted = named.length ? named : found;
    const kind = ({ name }) => name.match(SCORE)?.[0].toLowerCase().replace(/\W|_/g, "") ?? "";
    const alike = wanted.every((column) => kind(column) === kind(wanted[0]));
    const groups = tables.saying(table, "group", "id")
      .filter(({ cells: list }) => new Set(list).size < list.length);
    const group = chosen.group ?? groups[0]?.name ?? "";
    const folds = table.columns.some(({ name }) => /\bfold/i.test(name));
    if (folds) refuse("Scores of folds are not independent, because they share training data: give the predictions of all folds.");
    const runs = table.columns.some(({ name }) => RUN.test(name));
    const notes = [
      ...(group ? [`Lines with the same “${group}” are one unit.`] : []),
      ...(runs ? ["Each line is a run: the interval is about other runs on this test set, not about other test items."] : []),
    ];
    const [a, b] = chosen.a === undefined ? wanted.map(({ name }) => name) : [chosen.a, chosen.b];
    const choice = { a: a ?? null, b: b ?? "", group, notes, question: null, field: null };
    const ask = (question) => Object.assign(choice, { question, field: "a" });
    if (chosen.a === undefined && (wanted.length > 2 || !alike)) {
      const names = wanted.map(({ name }) => `“${name}”`).join(", ");
      return Object.assign(ask(`Which score: ${names}? Two models may be compared on one score.`), { b: "" });
    }
    if (!a) return ask("Which column is the score?");
    if (a === b) return ask("Choose different columns.");
    const wrong = [a, b].filter(Boolean)
      .find((name) => !found.some((column) => column.name === name));
    return wrong ? ask(`“${wrong}” does not hold scores from 0 to 1.`) : choice;
  }

  /** Predictions, records or scores that stand in a table with names. */
  function ofTable(table, otherwise = predictions) {
    const names = table.columns.map(({ says }) => says);
    const isSure = names.includes("model") && (names.includes("truth") || names.includes("label"));
    if (isSure) return predictions(table);
    const rows = table.lines.map((_, k) =>
      ({ cells: table.columns.map((column) => column.cells[k]) }));
    const found = recordsIn([{ cells: table.columns.map(({ name }) => name) }, ...rows]);
    const records = found && found.rest.length === 0 ? ofRecords(found) : null;
    if (records) return records;
    const choice = unlessRefused(() => tables.choose(table));
    if (choice && (choice.question === null || choice.field === "count")) return predictions(table);
    return (choice?.truth ? null : scores(table)) ?? otherwise(table);
  }

  /** A matrix, or predictions if the text cannot be a matrix. */
  function fromCells(text) {
    const lines = text.trim().split("\n");
    const header = /\p{L}/u.test(lines[0]) && lines.length > 1;
    const table = unlessRefused(() => tables.parse(text));
    const sure = header && table?.named ? ofTable(table, () => null) : null;
    if (sure) return sure;
    const records = fromRecords(text);
    if (records) return records;
    if (!/\d/.test(text) && lines.length < 3) refuse(matrices.NOTHING);
    let fault = null;
    const matrix = unlessRefused(() => fromMatrix(text), (sentence) => { fault = sentence; });
    if (matrix) return matrix;
    // A matrix has about as many lines as columns; and names stand above predictions.
    const isMarked = /[\t;,|]/.test(lines[0]);
    const isLong = lines.length > lines[0].trim().split(/[\t;,|]|\s+/).length + 2;
    const headed = isMarked && header && !/\d/.test(lines[0]) && fault !== matrices.PERCENTAGES;
    const several = /^There are \d+ matrices/.test(fault);
    if (several || (!isLong && !headed)) refuse(withoutName(text) ?? fault);
    if (header && isMarked) return predictions(tables.parse(text));
    return table ? predictions(table) : refuse(fault);
  }

  /** The sentence about a number without a name among numbers with names. */
  function withoutName(text) {
    const found = namedNumbers(text);
    if (!found || Object.keys(found.record).length === 0 || found.alone.length === 0) return null;
    return `“${found.alone[0]}” has no name. Write “TP=77 FP=44 FN=10”, or “precision 0.64, recall 0.89, `
      + "positives 87”, and no other number.";
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
    for (const attempt of [fromPairs, fromNames, fromNumbers, fromLists]) {
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
    let names = [];
    if (reading.kind === "matrix") {
      const has = (_, k) => reading.matrix.some((row, i) => row[k] > 0
        || (i === k && row.some(Boolean)));
      names = reading.labels.filter(has);
    }
    if (reading.kind === "report" && !reading.micro) names = reading.classes
      .map(({ name }) => name);
    if (reading.kind === "predictions") names = choice.classes;
    if (names.length !== 2 && !(reading.kind === "predictions" && choice.b)) return { names: [],
      positive: null, question: null };
    const positive = names.includes(chosen) ? chosen : tables.positiveOf(names);
    return { names, positive, question: positive === null ? "Which class is the positive one?"
      : null };
  }

  return { read, readFiles, chooseScores, positiveOf };
})();
