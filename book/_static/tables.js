// Reads tables of predictions, and chooses their columns in the open. No page is needed.
//
// The rules are those of the command line (f1ci/cli: files, columns, joining), and the words are
// those of f1ci/cli/words.json, which the book's build writes into words.js. What a person chooses
// is taken. Otherwise a column is the truth if its name says so. It is a model if its name says so
// or, where no name does, if its labels are those of the truth. What is not certain becomes a
// question, or a sentence that refuses.
const tables = (() => {
  "use strict";

  const { refuse, repeats, some } = cells;
  const quoted = (columns) => columns.map(({ name }) => `“${name}”`).join(" and ");
  const called = ({ columns }, name) => columns.find((column) => column.name === name);
  const saying = ({ columns }, ...what) => columns.filter(({ says }) => what.includes(says));
  const allDiffer = ({ cells: list }) => list.length > 3 && !repeats(list);

  // --- Words -------------------------------------------------------------------------------------

  const entries = Object.entries(WORDS).map(([what, words]) => [what, new Set(words.split(" "))]);
  const lists = Object.fromEntries(entries);

  /** What a column of this name holds, as `said_by` in f1ci/cli/words.py; "" if it is not said. */
  function saidBy(name) {
    const spaced = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{L})(\d)/gu, "$1 $2");
    const words = spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const whole = words.join("");
    const exact = ["id", "count", "label"].find((what) => lists[what].has(whole));
    if (exact) return exact;
    if (words.length === 0 || /^(id|idx|index)$/.test(words.at(-1))) return "id";
    const known = (what) => [...words, whole].some((word) => lists[what].has(word));
    return ["group", "beside", "model", "truth"].find(known) ?? "";
  }

  const isUnnamed = ({ name }) => /^(unnamed.*)?$/i.test(name);

  // --- From text to columns ----------------------------------------------------------------------

  /** {columns, lines, start, named} of a text: `named` says that its first line holds names. */
  function parse(text) {
    const value = cells.json(text);
    if (value) return ofJson(value);
    const [first, ...rest] = rowsOf(cells.tidy(text));
    if (rest.length === 0) refuse("A table of predictions has a line for each item.");
    const head = lacksIndex(first.cells, rest) ? ["", ...first.cells] : first.cells;
    const wrong = rest.find((row) => row.cells.length !== head.length);
    if (wrong) {
      const number = some(wrong.cells.length, "cell");
      refuse(`Line ${wrong.line} has ${number}, the first line has ${head.length}.`);
    }
    if (holdsNames(head, rest)) return tableOf(head, rest, first.line);
    const table = tableOf(head.map((_, k) => `column ${k + 1}`), [first, ...rest], 0);
    return { ...table, named: false };
  }

  /** The rows {line, cells} of a text. Blanks cut only if each line has as many cells then. */
  function rowsOf(text) {
    const separator = cells.separatorOf(text);
    const rows = cells.cut(text, separator);
    if (separator !== " ") return rows;
    const widths = rows.map((row) => row.cells.length);
    const even = widths.slice(2).every((width) => width === widths[1]);
    return even && [0, 1].includes(widths[1] - widths[0]) ? rows : cells.cut(text, "\n");
  }

  function tableOf(head, rows, start) {
    if (repeats(head)) refuse("Two columns have the same name.");
    const columns = head.map((name, k) =>
      ({ name, says: saidBy(name), cells: rows.map((row) => row.cells[k]) }));
    return { columns, lines: rows.map(({ line }) => line), start, named: true };
  }

  /** True if the lines begin with an index that the first line does not name. */
  const lacksIndex = (head, rows) => rows.every((row) => row.cells.length === head.length + 1)
    && !head.some((name) => saidBy(name) === "id") && !repeats(rows.map((row) => row.cells[0]));

  /** True if the first line is names, and not labels, which stand in other lines too. */
  function holdsNames(head, rows) {
    const columns = head.map((name, k) => ({ name, labels: rows.map((row) => row.cells[k]) }));
    const ofLabels = columns.filter(({ labels }) => repeats(labels));
    const others = columns.filter((column) => !ofLabels.includes(column));
    return ofLabels.length === 0 || others.some(({ name }) => saidBy(name) !== "")
      || !ofLabels.every(({ name, labels }) => labels.includes(name));
  }

  /** The cells of an object by name: those of objects inside have names such as "metrics.dice". */
  function flat(one, before = "") {
    return Object.entries(one).flatMap(([name, value]) => {
      const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
      if (single !== null && typeof single === "object" && !Array.isArray(single)) {
        return flat(single, `${before}${name}.`);
      }
      const written = Array.isArray(single) ? JSON.stringify(single) : String(single ?? "").trim();
      return [[before + name, written]];
    });
  }

  /** The table of a list of objects, or of an object of columns: lists, or values by line. */
  function ofJson(value) {
    const entries = Object.entries(value);
    if (!Array.isArray(value) && entries.every(([, list]) => list && typeof list === "object")) {
      const columns = entries.map(([name, list]) => [name, Object.values(list)]);
      const size = columns[0][1].length;
      if (columns.some(([, list]) => list.length !== size)) {
        refuse("The lists have different lengths.");
      }
      const line = (k) => Object.fromEntries(columns.map(([name, list]) => [name, list[k]]));
      return ofJson(columns[0][1].map((_, k) => line(k)));
    }
    const objects = [value].flat().map((one) => new Map(flat(Object(one))));
    const head = [...new Set(objects.flatMap((one) => [...one.keys()]))];
    const rows = objects.map((one, k) =>
      ({ line: k + 1, cells: head.map((name) => one.get(name) ?? "") }));
    return tableOf(head, rows, 0);
  }

  /** The answer in a sample of lm-evaluation-harness: a text, or the likeliest choice. */
  function ofLmEval({ doc_id: id, target, filter: name, filtered_resps: response, ...sample }) {
    if (!Array.isArray(response?.[0])) return [{ id, target, name, answer: response }];
    const likelihoods = response.map(([first]) => Number(first));
    const chosen = likelihoods.indexOf(Math.max(...likelihoods));
    const text = sample.arguments?.[`gen_args_${chosen}`]?.arg_1?.trim() ?? "";
    return [{ id, target, name, answer: /^\d+$/.test(target) ? String(chosen) : text }];
  }

  /** The answer of each scorer in a sample of Inspect. */
  function ofInspect({ id, target, scores }) {
    if (!scores) refuse(`The sample ${id} has no “scores”: did the run end early?`);
    return Object.entries(scores).map(([name, { answer }]) => {
      if (answer === undefined || answer === null) {
        refuse(`The scorer “${name}” wrote no “answer” for the sample ${id}: right or wrong alone `
          + "is no predicted label.");
      }
      return { id, target, name, answer };
    });
  }

  /** The rows of a log of an evaluation harness, as f1ci/cli/harness.py makes them; else null. */
  function rowsOfLog(value) {
    const samples = [value].flat();
    const has = (...keys) => keys.every((key) => key in Object(samples[0]));
    const isInspect = has("eval", "status");
    if (!isInspect && !has("filtered_resps", "target")) return null;
    if (isInspect && !value.samples?.length) refuse("This log of Inspect has no “samples”.");
    const answers = isInspect ? value.samples.flatMap(ofInspect) : samples.flatMap(ofLmEval);
    const several = new Set(answers.map(({ name }) => name)).size > 1;
    const items = new Map();
    for (const { id, target, name, answer } of answers) {
      const column = several ? `prediction (${name})` : "prediction";
      const item = items.get(id) ?? { id, target };
      if (column in item) refuse(`The item ${id} was answered more than once.`);
      items.set(id, { ...item, [column]: answer });
    }
    return [...items.values()];
  }

  // --- Labels ------------------------------------------------------------------------------------

  const WHOLE = /^-?\d+(\.0*)?$/;

  /** How to write the labels of these columns, so that equal labels are written alike. */
  function spelling(columns) {
    const distinct = [...new Set(columns.flatMap((column) => [...new Set(column.cells)]))];
    if (distinct.every((label) => WHOLE.test(label))) return (label) => label.split(".")[0];
    const truthValues = distinct.every((label) => /^(true|false)$/i.test(label));
    return truthValues ? (label) => label.toLowerCase() : (label) => label;
  }

  const inOrder = (labels) => {
    const distinct = [...new Set(labels)].sort();
    return distinct.every((label) => WHOLE.test(label)) ? distinct.sort((p, q) => p - q) : distinct;
  };
  const listed = (labels) =>
    `${inOrder(labels).slice(0, 4).join(", ")}${new Set(labels).size > 4 ? ", …" : ""}`;
  const labelsOf = (column) => `The labels of “${column.name}” are ${listed(column.cells)}`;

  /** The positive one of some classes; null if their names do not say it. */
  function positiveOf(classes) {
    if (classes.length > 2) return null;
    const those = (what) => classes.filter((name) => lists[what].has(name.toLowerCase()));
    const [positive, negative] = [those("positive"), those("negative")];
    if (positive.length === 1) return positive[0];
    const isClear = negative.length === 1 && classes.length === 2;
    return isClear ? classes.find((name) => name !== negative[0]) : null;
  }

  /** "none" may be a class of the truth; other words for nothing are no labels. */
  const isMissing = (label, classes = new Set()) => {
    const word = label.toLowerCase();
    return word === "" || (lists.missing.has(word) && !(word === "none" && classes.has(label)));
  };

  /** The share of a column's labels, without missing ones, that are classes of the truth. */
  function shareKnown(column, truth) {
    const classes = new Set(truth.cells);
    const labels = column.cells.filter((label) => !isMissing(label, classes));
    const write = spelling([truth, { cells: labels }]);
    const known = new Set([...classes].map(write));
    return labels.filter((label) => known.has(write(label))).length / Math.max(1, labels.length);
  }

  /** Refuses missing labels and labels that the truth writes in another way; notes on others. */
  function checkLabels(table, truth, models, write) {
    const classes = new Set(truth.cells);
    for (const { name, cells: labels } of [truth, ...models]) {
      const k = labels.findIndex((label) => isMissing(label, classes));
      const got = labels[k] ? ` (it has “${labels[k]}”)` : "";
      if (k >= 0) refuse(`Line ${table.lines[k]} has no label in “${name}”${got}.`);
    }
    const known = new Set([...classes].map(write));
    const lower = new Set([...classes].map((label) => label.toLowerCase()));
    return models.flatMap((model) => {
      const strange = model.cells.filter((label) => !known.has(write(label)));
      if (strange.length === table.lines.length) {
        refuse(`${labelsOf(model)}; those of the truth “${truth.name}” are ${listed(classes)}.`);
      }
      const alike = strange.find((label) => lower.has(label.toLowerCase()));
      if (alike !== undefined) {
        refuse(`“${alike}” in “${model.name}” is written in another way in the truth: write both `
          + "alike.");
      }
      const number = `${some(strange.length, "label")} of “${model.name}” (${listed(strange)})`;
      const are = strange.length === 1 ? "is" : "are";
      return strange.length === 0 ? [] : [`${number} ${are} no class of the truth.`];
    });
  }

  // --- Which column is what ----------------------------------------------------------------------

  /**
   * {truth, a, b, count, classes, notes, question, field} of a table. A question says what to
   * choose, and `field` where. What a person chose is in `chosen`; b = "" and count = "" are none.
   */
  function choose(table, chosen = {}) {
    const choice = { truth: null, a: null, b: "", count: null, classes: [], notes: [] };
    const ask = (field, question) => Object.assign(choice, { field, question });
    // 1. The truth.
    const truth = called(table, chosen.truth) ?? truthByName(table);
    if (!truth) return ask("truth", "Which column is the truth?");
    choice.truth = truth.name;
    checkTruth(truth);
    // 2. The models.
    const named = [chosen.a, chosen.b].filter(Boolean).map((name) => called(table, name));
    const { models, question } = chosen.a === undefined ? modelsOf(table, truth)
      : { models: named, question: chosen.a ? null : "Which column is the model?" };
    [choice.a, choice.b] = [models[0]?.name ?? null, models[1]?.name ?? ""];
    if (question) return ask("a", question);
    if (repeats([truth, ...models])) return ask("a", "Choose different columns.");
    // 3. The classes, and the counts.
    const used = [truth, ...models];
    const write = spelling(used);
    choice.notes = [...checkLabels(table, truth, models, write), ...notesOnGroups(table, used)];
    choice.classes = inOrder(used.flatMap((column) => [...new Set(column.cells)].map(write)));
    const counts = countsOf(table, used, chosen.count);
    choice.notes.push(...counts.notes);
    choice.count = counts.count;
    return ask(counts.question && "count", counts.question ?? null);
  }

  function checkTruth({ name, cells: gold }) {
    const known = new Set(gold);
    const number = known.size;
    const parts = (label) => label.split(/[|;,]/);
    const isOfSeveral = (label) => parts(label).length > 1
      && parts(label).every((x) => known.has(x));
    const several = gold.find(isOfSeveral);
    if (several !== undefined) {
      refuse(`“${several}” in “${name}” is more than one label. This page reads items with one; `
        + "for several, f1ci.Labels takes indicators of the classes.");
    }
    if (known.has("O") && [...known].every((label) => /^(O|[BILUES]-.+)$/.test(label))) {
      refuse(`“${name}” holds tags of tokens. The F1 of named entities counts spans: give TP, FP `
        + "and FN of the spans, or the report of seqeval.");
    }
    if (number <= 1000 && (gold.length <= 9 || number <= gold.length / 2)) return;
    const got = `The truth “${name}” has ${number} different labels in ${gold.length} lines.`;
    refuse(`${got} Are these scores, or names of items?`);
  }

  const notesOnGroups = (table, used) => saying(table, "group", "id")
    .filter((column) => repeats(column.cells) && !used.includes(column)).map(({ name }) =>
      `This page treats the items as independent. If those with the same “${name}” are alike, `
      + "use groups= in Python.");

  /** The column that is called the truth; several are one if they agree. */
  function truthByName(table) {
    const strong = saying(table, "truth");
    const found = strong.length ? strong : saying(table, "label");
    const agree = found.every(({ cells: gold }) => gold.every((x, k) => x === found[0].cells[k]));
    return agree ? found[0] : undefined;
  }

  const isYesOrNo = ({ cells: labels }) => [...new Set(labels)].every((label) => {
    const word = label.toLowerCase().replace(/\.0*$/, "");
    return lists.positive.has(word) || lists.negative.has(word);
  });

  /** The columns of the models, and a question if that is not certain. */
  function modelsOf(table, truth) {
    const others = (...what) => saying(table, ...what).filter((column) => column !== truth);
    const [named, open] = [others("model"), others("")];
    const fitting = open.filter((column) => shareKnown(column, truth) === 1);
    const models = [...named, ...fitting];
    const strange = named.find((column) => shareKnown(column, truth) < 0.5) ?? open.find((column) =>
      shareKnown(column, truth) === 0 && isYesOrNo(column) && isYesOrNo(truth));
    const those = `those of the truth “${truth.name}” are ${listed(truth.cells)}`;
    let question = null;
    if (strange) {
      question = `${labelsOf(strange)}; ${those}. Which columns are the models?`;
    } else if (models.length === 0) {
      question = `No column has the labels of the truth “${truth.name}” (${listed(truth.cells)}). `
        + "Which column is the model?";
    } else if (models.length > 2 || (named.length && fitting.length)) {
      question = `Which columns are the models: ${quoted(models)}?`;
    }
    return { models: models.filter((column) => column !== strange), question };
  }

  /** True for the cells 0, 1, 2, ... or 1, 2, 3, ... in any order. */
  const numbersLines = ({ cells: list }) => !repeats(list)
    && [0, 1].some((first) => list.every((cell) => cell >= first && cell < list.length + first));

  /** {count, notes, question}: the column that says how many items a line stands for. */
  function countsOf(table, used, chosen) {
    const found = chosen ? called(table, chosen)
      : saying(table, "count").find((column) => !used.includes(column));
    if (!found || chosen === "") return { count: null, notes: [] };
    const { name } = found;
    const id = saying(table, "id").find((column) => !isUnnamed(column));
    if (!chosen && id) {
      const note = `Each line is one item, because “${id.name}” names them; “${name}” is not used.`;
      return { count: null, notes: [note] };
    }
    const mayName = (column) => column !== found && !used.includes(column)
      && (isUnnamed(column) || allDiffer(column));
    if (!chosen && (numbersLines(found) || table.columns.some(mayName))) {
      const question = `Does “${name}” say how many items a line stands for?`;
      return { count: name, notes: [], question };
    }
    for (const cell of new Set(found.cells)) {
      if (!cells.isCount(cell)) {
        const line = table.lines[found.cells.indexOf(cell)];
        refuse(`Line ${line} has “${cell}” in “${name}”, and no number of items.`);
      }
      cells.countOr(cell, "items");
    }
    return { count: name, notes: [`Each line counts as often as “${name}” says.`] };
  }

  // --- Two files ---------------------------------------------------------------------------------

  const CURE = "Give both files a column “id” that names the items.";

  /** One table of two files [{name, text}], and how they were matched. */
  function joined(files) {
    const two = files.map(({ name, text }) =>
      ({ ...parse(text), file: name, stem: name.replace(/\.[^.]*$/, "") }));
    if (two[0].stem === two[1].stem) two.forEach((table) => { table.stem = table.file; });
    nameByFile(two);
    const truths = two.map(truthByName);
    if (!truths.some(Boolean)) {
      refuse("Neither file has a column that is called the truth. Name it in the first line, for "
        + "example “truth”.");
    }
    const { places, how } = matched(two, truths.every(Boolean));
    two.forEach((table, side) => table.columns.forEach((column) => {
      column.cells = places.map((pair) => column.cells[pair[side]]);
    }));
    if (truths.every(Boolean)) sameTruth(truths, how);
    const columns = apart(two, truths);
    return { table: { columns, lines: places.map(([k]) => two[0].lines[k]), named: true }, how };
  }

  /** The only columns of their files that name no items are called by the files. */
  function nameByFile(two) {
    const alone = two.map(({ columns }) => columns.filter(({ says }) => says !== "id"));
    if (alone.some((columns) => columns.length !== 1)) return;
    if (alone[0][0].name !== alone[1][0].name) return;
    two.forEach(({ stem }, side) => {
      Object.assign(alone[side][0], { name: stem, says: saidBy(stem) });
    });
  }

  /** The columns of both. Labels of one name are called by their files; others are one column. */
  function apart(two, truths) {
    const hasLabels = (column) => ["model", "label", ""].includes(column.says)
      && !truths.includes(column);
    const [one, other] = two.map(({ columns, stem }, side) => columns.map((column) => {
      if (!hasLabels(column) || !called(two[1 - side], column.name)) return column;
      const isAlone = columns.filter(hasLabels).length === 1;
      return { ...column, name: isAlone ? stem : `${column.name} (${stem})` };
    }));
    const names = one.map(({ name }) => name);
    const isSecond = (column) => names.includes(column.name) || (truths[0] && column === truths[1]);
    return [...one, ...other.filter((column) => !isSecond(column))];
  }

  /** The pairs of lines that belong together, and the sentence that says why. */
  function matched([one, other], confirmed) {
    const pairs = one.columns.map((x) => [x, called(other, x.name)]).filter(([, y]) => y);
    const keys = pairs.filter(([x, y]) => (allDiffer(x) && allDiffer(y))
      || (x.says === "id" && !(repeats(x.cells) && repeats(y.cells))));
    const rank = ([x, y]) => 2 * (repeats(x.cells) || repeats(y.cells)) + isUnnamed(x);
    const [key] = keys.sort((p, q) => rank(p) - rank(q));
    return key ? byKey(one, other, key) : lineByLine(one, other, pairs, confirmed);
  }

  function byKey(one, other, [x, y]) {
    [[one, x], [other, y]].forEach(([{ file }, { name, cells: list }]) => {
      const twice = repeats(list) ? list.find((cell, k) => list.indexOf(cell) < k) : undefined;
      if (twice !== undefined) refuse(`The column “${name}” names “${twice}” twice in ${file}.`);
    });
    const place = new Map(y.cells.map((cell, k) => [cell, k]));
    const places = x.cells.map((cell, k) => [k, place.get(cell)])
      .filter(([, k]) => k !== undefined);
    if (places.length === 0) {
      refuse(`No item of one file is in the other: the column “${x.name}” has no value in common.`);
    }
    const alone = x.cells.length + y.cells.length - 2 * places.length;
    const [here, there] = [ends(x.cells), ends(y.cells)];
    if (alone && here && there) {
      refuse(`The column “${x.name}” numbers ${here} in one file and ${there} in the other: `
        + "equal numbers may be different items.");
    }
    const left = `; ${some(alone, "item is", "items are")} in one file only, and left out`;
    return { places, how: `matched by “${x.name}”${alone ? left : ""}` };
  }

  /** "1 to 40" of whole numbers without a gap; otherwise nothing. */
  function ends(names) {
    if (!names.every((name) => /^\d+$/.test(name))) return "";
    const numbers = names.map(Number).sort((p, q) => p - q);
    const whole = numbers.at(-1) - numbers[0] === numbers.length - 1;
    return whole ? `${numbers[0]} to ${numbers.at(-1)}` : "";
  }

  function lineByLine(one, other, pairs, confirmed) {
    const [m, n] = [one.lines.length, other.lines.length];
    if (m !== n) refuse(`The files have ${m} and ${n} items, and no column of both names them.`);
    const k = one.lines.findIndex((line, i) => line - one.start !== other.lines[i] - other.start);
    if (k >= 0) {
      const where = `line ${one.lines[k]} of one file and ${other.lines[k]} of the other`;
      refuse(`Item ${k + 1} stands in ${where}, because of blank lines: write a word into each. `
        + CURE);
    }
    const unlike = pairs.find(([x, y]) => /id|group/.test(x.says)
      && x.cells.some((cell, i) => cell !== y.cells[i]));
    if (unlike) {
      refuse(`The lines differ in “${unlike[0].name}”. Are they in another order? ${CURE}`);
    }
    const doubt = "; nothing in the files confirms that their lines are in the same order";
    const how = `matched line by line${confirmed ? "" : doubt}`;
    return { places: one.lines.map((_, i) => [i, i]), how };
  }

  function sameTruth([one, other], how) {
    const write = spelling([one, other]);
    const unlike = one.cells.filter((label, k) => write(label) !== write(other.cells[k])).length;
    if (unlike === 0) return;
    const why = /^matched by “/.test(how) ? "" : ` Are the lines in another order? ${CURE}`;
    const number = some(unlike, "item");
    refuse(`The true labels of the two files differ in ${number} of ${one.cells.length}.${why}`);
  }

  // --- Counts ------------------------------------------------------------------------------------

  /** Adds up the items by their labels in the chosen columns: calls `add(number, ...codes)`. */
  function tally(table, { truth, a, b, count, classes }, add) {
    const columns = [truth, a, b].filter(Boolean).map((name) => called(table, name));
    const write = spelling(columns);
    const places = new Map(classes.map((name, k) => [name, k]));
    const codes = columns.map((column) => column.cells.map((label) => places.get(write(label))));
    const weights = count === null ? null : called(table, count).cells.map(cells.count);
    table.lines.forEach((_, k) => add(weights ? weights[k] : 1, ...codes.map((code) => code[k])));
  }

  /** The confusion matrix of one model, rows true. */
  function matrixOf(table, choice) {
    const matrix = choice.classes.map(() => choice.classes.map(() => 0));
    tally(table, choice, (number, truth, predicted) => { matrix[truth][predicted] += number; });
    return matrix;
  }

  // The kinds of items of a comparison, by truth, A and B: 1 for the positive class.
  const KINDS = {
    tp: "111", posA: "110", posB: "101", fn: "100", fp: "011", negA: "001", negB: "010", tn: "000",
  };

  /** The items by truth and by which model is right, for one class against the rest. */
  function comparisonOf(table, choice) {
    const positive = choice.classes.indexOf(choice.positive);
    const numbers = {};
    tally(table, choice, (number, ...codes) => {
      const kind = codes.map((code) => Number(code === positive)).join("");
      numbers[kind] = (numbers[kind] ?? 0) + number;
    });
    const counts = Object.entries(KINDS).map(([name, kind]) => [name, numbers[kind] ?? 0]);
    return Object.fromEntries(counts);
  }

  return {
    parse, ofJson, rowsOfLog, joined, choose, saidBy, called, saying, KINDS, matrixOf,
    comparisonOf, positiveOf, isMissing,
  };
})();
