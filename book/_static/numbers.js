// Reads numbers that have names: TP, FP and FN, printed scores, pairs, reports, and tables of
// them. No page is needed.
//
// What is read is {readings, question}, as reader.js has it; null if a text has another form. A
// number that has no name means that it has another form.
const numbers = (() => {
  "use strict";

  const { countOr, band, isNumber, hasNumber, refuse, some } = cells;
  const certain = (...readings) => ({ readings, question: null });
  const withNotes = (found, notes) => ({
    ...found, readings: found.readings.map((one) => ({ ...one, notes: [...one.notes, ...notes] })),
  });
  const unused = (list) => (list.length ? [`Not used: ${list.join(", ")}.`] : []);

  // --- Names of numbers --------------------------------------------------------------------------

  const NAMES = [
    ["tp", "true[ _-]*pos(itive)?s?|tps?"], ["fp", "false[ _-]*pos(itive)?s?|fps?"],
    ["fn", "false[ _-]*neg(ative)?s?|fns?"], ["tn", "true[ _-]*neg(ative)?s?|tns?"],
    ["positives", "((truly|actual|gold)[ _-]*)?positives?([ _-]items)?|n[ _-]?pos(itives?)?|support"
      + "|pos"],
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
  const POSITIVES = "truly positive items";
  // Intervals and percentages beside a number.
  const BESIDE = new RegExp("(?<=\\d%?\\s*)"
    + "(\\(\\s*[01]?\\.\\d+\\s*(-|–|to|,)\\s*[01]?\\.\\d+\\s*\\)|\\(\\s*[\\d.]+\\s*%\\s*\\))", "g");

  /** The words of a text that are names, as ‹key›, or numbers. */
  function tokensOf(text) {
    const bare = text.replace(/<[^<>\n]*>|[#*`]/g, " ")
      .replace(/\d+(\.\d+)?\s*%\s*(CI|confidence)\b/gi, " ");
    const marked = WITHIN.reduce((all, [key, name]) => all.replace(name, ` ‹${key}› `), bare);
    const isWhole = (word) => /^\d{1,3}(,\d{3})+$|^\d+,\d+%?[.,]?$/.test(word);
    return marked.replace(/(\d)\s+%/g, "$1%").replace(/["'{}()[\]|&;:=/]/g, " ").split(/\s+/)
      .flatMap((word) => (isWhole(word) ? [word] : word.split(",")))
      .map((word) => word.replace(/^[^\p{L}\p{N}‹.+-]+|[^\p{L}\p{N}%›]+$/gu, ""))
      .filter((word) => /^‹|^[-+.]*\d/.test(word));
  }

  /**
   * {record, left, alone, twice}: the numbers of a text by their names, those with a name that is
   * not used, those without a name, and a fault; null of a text without names.
   */
  function namedNumbers(text) {
    const tokens = tokensOf(text);
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
    const [, word] = text.match(/\b(?:tp|fp|fn|tn)\s*=\s*(?!tp|fp|fn|tn)(\p{L}[^\s,;=]*)/iu) ?? [];
    if (word) refuse(`“${word}” is not a number of items.`);
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
      refuse(`The interval of a ${record.average} average needs the confusion matrix, not its `
        + "printed number.");
    }
    return ofScores(record, notes);
  }

  function ofCounts(record, notes = []) {
    const counts = { tn: null };
    for (const key of ["tp", "fp", "fn"]) counts[key] = countOr(record[key], ITEMS[key]);
    if (record.tn) counts.tn = countOr(record.tn, ITEMS.tn);
    const { tp, fp, fn, tn } = counts;
    const what = record.name ? `counts of ${record.name}` : "counts";
    const said = `${what}: TP ${tp}, FP ${fp}, FN ${fn}${tn === null ? "" : `, TN ${tn}`}`;
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
      kind: "printed", average, ...bands, positives: what === POSITIVES ? items : null, notes,
      printed: printed.map(([, text]) => text), said: `${score}, and ${items} ${what}`,
    });
    if (positives) {
      const left = total ? unused([`${total} items`]) : [];
      return withNotes(certain(reading(countOr(positives, POSITIVES), POSITIVES)), left);
    }
    if (!total) refuse(`Give the number of ${POSITIVES}, too: “${score} … positives 87”.`);
    const items = countOr(total, "items");
    const readings = [POSITIVES, "items in all"].map((what) => reading(items, what));
    return { readings, question: `Which items are these ${items}?` };
  }

  const ONLY = /\b(?:only|just) (\w+)|\b([a-z]\w*) only\b/i;

  /** "both right 80, only A 12, only B 25, both wrong 8": four numbers, each with its words. */
  function fromPairs(text) {
    const mark = /^\W*\d/.test(text) ? /(?<!\d)(?=\d)/ : /(?<=\d)(?!\d)/;
    const parts = text.split(mark).filter((part) => /\d/.test(part));
    const none = parts.filter((part) => /\b(wrong|neither|none)\b/i.test(part));
    const both = parts.filter((part) => /\bboth\b/i.test(part) && !none.includes(part));
    const only = parts.filter((part) => ONLY.test(part));
    if ([parts, none, both, only].map((list) => list.length).join() !== "4,1,1,2") return null;
    const [right, wrong, onlyA, onlyB] = [both, none, only].flat()
      .map((part) => countOr(part.match(/\d+/)[0], "items"));
    const names = only.map((part) => part.match(ONLY)).map(([, after, before]) => after ?? before);
    return certain(pairReading({ both: right, onlyA, onlyB, none: wrong, names }));
  }

  const pairReading = ({ both, onlyA, onlyB, none, names: [a, b] }) => ({
    kind: "pairs", both, onlyA, onlyB, none, names: [a, b], notes: [],
    said: `two models on the same items: both right ${both}, only ${a} ${onlyA}, only ${b} `
      + `${onlyB}, none ${none}`,
  });

  /** The sentence about a number without a name among numbers with names. */
  function withoutName(text) {
    const found = namedNumbers(text);
    if (!found || Object.keys(found.record).length === 0 || found.alone.length === 0) return null;
    return `“${found.alone[0]}” has no name. Write “TP=77 FP=44 FN=10”, or “precision 0.64, recall `
      + "0.89, positives 87”, and no other number.";
  }

  // --- Tables of named numbers: reports, counts of classes or of units ---------------------------

  const SUMMARY = /^(accuracy|(micro|macro|weighted|samples) avg|avg \/ total|all)$/;
  const UNIT = /^(doc|image|img|file|case|patient|subject|scan|slide|article|page|user|study)/i;
  const CLASS = /^(class|label|categor|entity|entities|tag|type)/i;

  /**
   * {records, named, rest, last, notes, hasAverages} of the rows below a line with names of
   * numbers; null if there is none. What does not belong to them is in `rest`.
   */
  function recordsIn(rows) {
    const at = rows.findIndex((row) => row.cells.filter(keyOf).length > 1);
    if (at < 0 || rows.slice(0, at).some((row) => row.cells.some(hasNumber))) return null;
    const head = rows[at].cells;
    const keys = head.map(keyOf);
    // 1. The records, which may have a name more than the head.
    const isSummary = (row) => keys.includes("precision") && SUMMARY.test(row.cells[0]);
    const isWhole = (row) => [0, 1].includes(row.cells.length - head.length);
    const below = rows.slice(at + 1).filter((row) => row.cells.some(hasNumber));
    const body = below.filter((row) => isWhole(row) && row.cells.some(isNumber));
    const rest = below.filter((row) => !body.includes(row) && !isSummary(row));
    const offset = body[0]?.cells.length - head.length;
    if (!body.length || body.some((row) => row.cells.length !== head.length + offset)) return null;
    const column = (k) => body.map((row) => row.cells[k + offset]);
    // 2. The columns that name them, and those that are not used.
    const places = head.map((_, k) => k);
    const naming = places.filter((k) => keys[k] === null && !column(k).some(isNumber));
    if (offset === 0 && naming.length === 0 && keys[0] === null) naming.push(0);
    if (naming.some((k) => hasNumber(head[k]))) return null;
    const others = places.filter((k) => !naming.includes(k) && (keys[k] ?? "unused") === "unused");
    const records = body.map(({ cells: row }) => ({
      name: offset ? row[0] : naming.map((k) => row[k]).join(" "),
      ...Object.fromEntries(keys.flatMap((key, k) => (key ? [[key, row[k + offset]]] : []))),
    }));
    const last = body.at(-1).line;
    const lines = rest.length ? [`Only the lines ${rows[at].line} to ${last} are read.`] : [];
    return {
      records, named: offset ? "" : naming.map((k) => head[k]).join(" "), rest, last,
      notes: [...unused(others.map((k) => `the column “${head[k]}”`)), ...lines],
      hasAverages: rows.some(isSummary),
    };
  }

  /** The readings of rows that are all records, below their names; null of others. */
  function fromRows(rows) {
    const found = recordsIn(rows);
    return found?.rest.length === 0 ? ofRecords(found) : null;
  }

  /** The readings of records; null if they have no counts and no scores. */
  function ofRecords({ records, named, notes, hasAverages }) {
    const [first] = records;
    if ("tp" in first && "fp" in first && "fn" in first) return ofCountsBy(records, named, notes);
    if (!("precision" in first) && !("recall" in first) && !("f1" in first)) return null;
    const hasItems = "positives" in first || "total" in first;
    if ("precision" in first && "recall" in first && hasItems) {
      return certain(ofReport(records, hasAverages, notes));
    }
    return refuse(`These are printed scores in ${some(records.length, "line")}. An interval needs `
      + "the number of truly positive items too: “precision 0.64, recall 0.89, positives 87”, one "
      + "model at a time.");
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

  return {
    certain, unused, withNotes, keyOf, fromNames, fromPairs, pairReading, ofRecord, ofCounts,
    withoutName, recordsIn, fromRows, ofRecords,
  };
})();
