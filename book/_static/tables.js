// Reads tables of predictions, and chooses their columns in the open. No page is needed.
//
// What is not certain becomes a question, or a sentence that refuses. The rules:
//
// Table. JSON lines, a JSON list of objects, or text. The first line holds names, unless each of its
// cells is a label that stands in another line of its column too. If all other lines have one cell
// more than the first, and these first cells are all different, they are an index.
//
// Labels. "", na, n/a, nan, null, <na> and none are missing, but "none" may be a class of the truth.
// If all labels are whole numbers, 1.0 is 1. If all are true or false, case does not matter.
//
// Roles by name. A name is cut into words (y_true, yTrue: y true). See ROLES below: index, count,
// group, other, model, strong truth, weak truth; the first that fits decides. The rest is open. Never taken
// are the roles index, group, other and count, and columns of four or more lines with values all different.
//
// Truth. The one strong name, otherwise the one weak name. Without any: the one open column, if a
// column has the role model. Several are one if all their labels agree. Otherwise the page asks.
//
// Models. Columns of the role model, each with labels of the truth in at least half of its items; if
// there is none, open columns whose labels are all classes of the truth. The page asks if a column
// of the role model has other labels, if both kinds are there, or if there are more than two. It also
// asks if an open column spells yes and no in another way than the truth (1 for True).
//
// Positive class. The one of two classes that is called positive, or whose opposite is negative.
//
// Two files. They are matched by a column of both that names the items, or line by line. The truths
// must be the same in every item. One file may lack the truth.
const tables = (() => {
  "use strict";

  const { refuse, some } = cells;
  const quoted = (names) => names.map((name) => `“${name}”`).join(" and ");
  const columnOf = ({ head, columns }, name) => columns[head.indexOf(name)];

  // --- From text to columns ----------------------------------------------------------------------

  /** The rows {line, cells} of a text. Blanks cut only if each line has as many cells then. */
  function rowsOf(text) {
    const separator = cells.separatorOf(text);
    const rows = cells.cut(text, separator);
    if (separator !== " ") return rows;
    const widths = rows.map((row) => row.cells.length);
    const even = widths.slice(2).every((width) => width === widths[1]);
    return even && [0, 1].includes(widths[1] - widths[0]) ? rows : cells.cut(text, "\n");
  }

  /** {head, columns, lines, named} of a text; `named` says that its first line holds names. */
  function parse(text) {
    const value = cells.json(text);
    if (value) return ofJson(value);
    const [first, ...rest] = rowsOf(cells.tidy(text));
    if (rest.length === 0) refuse("A table of predictions has a line for each item.");
    const head = lacksIndex(first.cells, rest) ? ["", ...first.cells] : first.cells;
    const wrong = rest.find((row) => row.cells.length !== head.length);
    if (wrong) refuse(`Line ${wrong.line} has ${some(wrong.cells.length, "cell")}, the first line has ${head.length}.`);
    const named = holdsNames(head, rest);
    return named ? tableOf(head, rest, named) : tableOf(head.map((_, k) => `column ${k + 1}`), [first, ...rest], named);
  }

  function tableOf(head, rows, named = true) {
    if (new Set(head).size < head.length) refuse("Two columns have the same name.");
    return { head, columns: head.map((_, k) => rows.map((row) => row.cells[k])), lines: rows.map(({ line }) => line), named };
  }

  /** The table of a list of objects, or of an object of columns: lists, or objects by line. */
  function ofJson(value) {
    const columns = Object.entries(value).map(([name, list]) => [name, Object.values(list ?? "")]);
    if (!Array.isArray(value) && Object.values(value).every((list) => list && typeof list === "object")) {
      if (new Set(columns.map(([, list]) => list.length)).size > 1) refuse("The lists have different lengths.");
      return ofJson(columns[0][1].map((_, k) => Object.fromEntries(columns.map(([name, list]) => [name, list[k]]))));
    }
    const objects = Array.isArray(value) ? value : [value];
    const head = [...new Set(objects.flatMap((one) => Object.keys(one)))];
    return tableOf(head, objects.map((one, k) => ({ line: k + 1, cells: head.map((name) => String(one[name] ?? "").trim()) })));
  }

  /** True if the lines begin with an index that the first line does not name. */
  const lacksIndex = (head, rows) => rows.every((row) => row.cells.length === head.length + 1)
    && !head.some((name) => roleOf(name) === "index") && new Set(rows.map((row) => row.cells[0])).size === rows.length;

  function holdsNames(head, rows) {
    const columns = head.map((_, k) => rows.map((row) => row.cells[k]));
    const repeats = columns.map((column) => new Set(column).size < column.length);
    return !repeats.includes(true) || columns.some((column, k) => (repeats[k] ? !column.includes(head[k]) : roleOf(head[k]) !== "open"));
  }

  // --- The role of a column ----------------------------------------------------------------------

  // A copy of f1ci/cli/words.json; tests/package/test_columns.py compares the two.
  const WORDS = {
    "id": "unnamed0 unnamed id ids idx index key row rowid rowname rownames rownum rownumber line nr no number item itemid sample sampleid case caseid example exampleid uid uuid guid",
    "count": "count counts freq frequency n nitems",
    "label": "y label labels class classes target targets reference ref expected answer category annotation",
    "group": "doc document group cluster patient subject speaker user",
    "beside": "fold split seed run epoch batch annotator text sentence token tokens word title url file path date time timestamp length prob probs probability proba score scores confidence logit logits loss weight correct right wrong error match hit",
    "model": "pred preds predicted predict prediction predictions hat yhat ypred guess guesses output outputs model classifier system response hyp hypothesis",
    "truth": "true truth ytrue gold golden actual groundtruth gt ytest",
    "missing": "na n/a nan null <na> none",
    "positive": "1 true yes y t pos positive + +1",
    "negative": "0 -1 false no n f neg negative - other none o"
  };
  const lists = Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, new Set(words.split(" "))]));
  const ROLES = { group: lists.group, other: lists.beside, model: lists.model, strong: lists.truth };

  function roleOf(name) {
    const words = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{L})(\d)/gu, "$1 $2")
      .toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const joined = words.join("");
    if (joined === "" || lists.id.has(joined) || /^(id|idx|index)$/.test(words.at(-1))) return "index";
    if (lists.count.has(joined)) return "count";
    for (const [role, known] of Object.entries(ROLES)) {
      if ([...words, joined].some((word) => known.has(word))) return role;
    }
    return lists.label.has(joined) ? "weak" : "open";
  }

  /** True for a first line with names of a truth and of a model, with marks between them. */
  function namesRoles(line) {
    const roles = line.split(/[\t;,|]/).map((name) => roleOf(name.trim().replace(/^"|"$/g, "")));
    return roles.includes("model") && (roles.includes("strong") || roles.includes("weak"));
  }

  /** True for values that name the items: all different, in four lines or more. */
  const allDifferent = (values) => values.length > 3 && new Set(values).size === values.length;

  /** True for 0, 1, 2, ... and 1, 2, 3, ... in any order. */
  const numbersLines = (values) => {
    const least = values.reduce((min, value) => Math.min(min, value), 1);
    return new Set(values).size === values.length && values.every((value) => value < values.length + least);
  };

  /** The role of each column; numbers of items are told from an index by their values. */
  const rolesOf = ({ head, columns, roles }) => roles ?? head.map((name, k) => {
    const role = roleOf(name);
    if (role === "count") return columns[k].every((cell) => /^\d+$/.test(cell)) && !numbersLines(columns[k]) ? "count" : "index";
    return role === "strong" || role === "weak" || !allDifferent(columns[k]) ? role : "index";
  });
  const withRole = ({ head }, roles, ...wanted) => head.filter((_, k) => wanted.includes(roles[k]));

  // --- Labels ------------------------------------------------------------------------------------

  const WHOLE = /^-?\d+(\.0*)?$/;

  /** How to write the labels of these columns, so that equal labels are written alike. */
  function spelling(columns) {
    const distinct = [...new Set(columns.flatMap((column) => [...new Set(column)]))];
    if (distinct.every((label) => WHOLE.test(label))) return (label) => label.split(".")[0];
    if (distinct.every((label) => /^(true|false)$/i.test(label))) return (label) => label.toLowerCase();
    return (label) => label;
  }

  const inOrder = (labels) => {
    const distinct = [...new Set(labels)];
    return distinct.every((label) => WHOLE.test(label)) ? distinct.sort((p, q) => p - q) : distinct.sort();
  };
  const listed = (labels) => `${inOrder(labels).slice(0, 4).join(", ")}${new Set(labels).size > 4 ? ", …" : ""}`;

  /** The positive one of some classes; null if their names do not say it. */
  function positiveOf(classes) {
    if (classes.length > 2) return null;
    const called = (words) => classes.filter((name) => words.has(name.toLowerCase()));
    const [positive, negative] = [called(lists.positive), called(lists.negative)];
    if (positive.length === 1) return positive[0];
    return negative.length === 1 && classes.length === 2 ? classes.find((name) => name !== negative[0]) : null;
  }

  /** "none" may be a class of the truth; other words for nothing are no labels. */
  const isMissing = (label, classes) => (label === "" || lists.missing.has(label.toLowerCase()))
    && !(label.toLowerCase() === "none" && classes.has(label));

  /** Refuses missing labels and models without a class of the truth; notes on other labels. */
  function checkLabels(table, truth, models, write) {
    const classes = new Set(columnOf(table, truth));
    for (const name of [truth, ...models]) {
      const k = columnOf(table, name).findIndex((label) => isMissing(label, classes));
      const label = columnOf(table, name)[k];
      if (k >= 0) refuse(`Line ${table.lines[k]} has no label in “${name}”${label && ` (it has “${label}”)`}.`);
    }
    const known = new Set([...classes].map(write));
    const lower = new Set([...classes].map((label) => label.toLowerCase()));
    return models.flatMap((name) => {
      const strange = columnOf(table, name).filter((label) => !known.has(write(label)));
      if (strange.length === table.lines.length) {
        refuse(`The labels of “${name}” are ${listed(strange)}; those of the truth “${truth}” are ${listed([...classes])}.`);
      }
      const alike = strange.find((label) => lower.has(label.toLowerCase()));
      if (alike !== undefined) refuse(`“${alike}” in “${name}” is written in another way in the truth: write both alike.`);
      const number = `${some(strange.length, "label")} of “${name}” (${listed(strange)})`;
      return strange.length === 0 ? [] : [`${number} ${strange.length === 1 ? "is" : "are"} no class of the truth.`];
    });
  }

  // --- Which column is what ----------------------------------------------------------------------

  /**
   * {truth, a, b, positive, count, classes, notes, question, field} of a table. A question says what
   * to choose, and `field` where. What a person chose is in `chosen`; b = "" stands for one model.
   */
  function choose(table, chosen = {}) {
    const roles = rolesOf(table);
    const choice = {
      truth: chosen.truth || (truthByName(table, roles) ?? truthByRest(table, roles)), a: null, b: "", positive: null,
      count: withRole(table, roles, "count")[0] ?? null, classes: [], notes: [], question: null, field: null,
    };
    const ask = (field, question) => Object.assign(choice, { field, question });
    // 1. The truth.
    if (choice.truth === null) return ask("truth", "Which column is the truth?");
    checkTruth(choice.truth, columnOf(table, choice.truth));
    // 2. The models.
    const { models, question } = chosen.a === undefined ? modelsOf(table, roles, choice.truth)
      : { models: [chosen.a, chosen.b].filter(Boolean), question: chosen.a ? null : "Which column is the model?" };
    [choice.a, choice.b] = [models[0] ?? null, models[1] ?? ""];
    if (question) return ask("a", question);
    if (new Set([choice.truth, ...models]).size <= models.length) return ask("a", "Choose different columns.");
    // 3. The classes, and the counts.
    const used = [choice.truth, ...models].map((name) => columnOf(table, name));
    const write = spelling(used);
    choice.notes = [...checkLabels(table, choice.truth, models, write), ...notesOnGroups(table, roles)];
    choice.classes = inOrder(used.flatMap((column) => [...new Set(column)].map(write)));
    choice.positive = choice.classes.includes(chosen.positive) ? chosen.positive : positiveOf(choice.classes);
    if (choice.count) columnOf(table, choice.count).forEach((cell) => cells.countOr(cell, "items"));
    return choice.b && choice.positive === null ? ask("positive", "Which class is the positive one?") : choice;
  }

  function checkTruth(name, gold) {
    const number = new Set(gold).size;
    if (number <= 1000 && (gold.length <= 9 || number <= gold.length / 2)) return;
    refuse(`The truth “${name}” has ${number} different labels in ${gold.length} lines. Are these scores, or names of items?`);
  }

  const notesOnGroups = (table, roles) => withRole(table, roles, "group").filter((name) => new Set(columnOf(table, name)).size < table.lines.length)
    .map((name) => `This page treats the items as independent. If those with the same “${name}” are alike, use groups= in Python.`);

  /** The column that is called the truth; null if there is none, or several that disagree. */
  function truthByName(table, roles) {
    const strong = withRole(table, roles, "strong");
    const names = strong.length ? strong : withRole(table, roles, "weak");
    const [first, ...others] = names.map((name) => columnOf(table, name));
    return others.every((other) => other.every((label, k) => label === first[k])) ? names[0] ?? null : null;
  }

  /** The only open column beside columns of models. */
  function truthByRest(table, roles) {
    const open = withRole(table, roles, "open");
    const named = withRole(table, roles, "strong", "weak");
    return named.length === 0 && open.length === 1 && roles.includes("model") ? open[0] : null;
  }

  const yesOrNo = (labels) => [...new Set(labels)].every((label) => {
    const word = label.toLowerCase().replace(/\.0*$/, "");
    return lists.positive.has(word) || lists.negative.has(word);
  });

  /** The columns of the models, and a question if that is not certain. */
  function modelsOf(table, roles, truth) {
    const gold = columnOf(table, truth);
    const classes = new Set(gold);
    const [sure, open] = ["model", "open"].map((role) => withRole(table, roles, role).filter((name) => name !== truth));
    // The share of labels that are classes of the truth.
    const share = (name) => {
      const labels = columnOf(table, name).filter((label) => !isMissing(label, classes));
      const write = spelling([gold, labels]);
      const known = new Set(gold.map(write));
      return labels.filter((label) => known.has(write(label))).length / labels.length;
    };
    const fitting = open.filter((name) => share(name) === 1);
    const strange = sure.find((name) => share(name) < 0.5)
      ?? open.find((name) => share(name) === 0 && yesOrNo(columnOf(table, name)) && yesOrNo(gold));
    const models = [...sure, ...fitting].filter((name) => name !== strange);
    let question = null;
    if (strange !== undefined) {
      question = `The labels of “${strange}” are ${listed(columnOf(table, strange))}; those of the truth “${truth}” are `
        + `${listed(gold)}. Which columns are the models?`;
    } else if (models.length === 0) {
      question = `No column has the labels of the truth “${truth}” (${listed(gold)}). Which column is the model?`;
    } else if (models.length > 2 || (sure.length && fitting.length)) {
      question = `Which columns are the models: ${quoted(models)}?`;
    }
    return { models, question };
  }

  // --- Two files ---------------------------------------------------------------------------------

  /** One table of two files [{name, text}], and how they were matched. */
  function joined(files) {
    const two = files.map(({ name, text }) => {
      const table = parse(text);
      return { ...table, roles: rolesOf(table), file: name, stem: name.replace(/\.[^.]*$/, "") };
    });
    nameByFile(two);
    const truths = truthsOf(two);
    const { rows, how } = matched(two, truths);
    const all = two.flatMap((table, side) => table.head.map((name, place) => ({
      name, side, role: name === truths[side] ? "strong" : table.roles[place],
      values: rows.map((row) => table.columns[place][row[side]]),
    })));
    const [gold, again] = all.filter(({ name, side }) => name === truths[side]);
    if (again) sameTruth(gold.values, again.values, how);
    const columns = all.filter((column) => column !== again && column.role !== "index");
    const twice = (name) => two.every(({ head }) => head.includes(name));
    const table = {
      head: columns.map(({ name, side }) => (name !== truths[side] && twice(name) ? nameWithFile(two, side, name) : name)),
      roles: columns.map(({ role }) => role), columns: columns.map(({ values }) => values),
      lines: rows.map(([k]) => two[0].lines[k]), named: true,
    };
    return { table, how };
  }

  /** The column of the truth in each of two files; null in a file without. */
  function truthsOf(two) {
    const named = two.map((table) => truthByName(table, table.roles));
    const truths = named.some((truth) => truth !== null) ? named : two.map((table) => truthByRest(table, table.roles));
    if (truths.some((truth) => truth !== null)) return truths;
    return refuse("Neither file has a column that is called the truth. Name it in the first line, for example “truth”.");
  }

  /** Columns of labels that stand alone in their files, without a name or with the same one: the files name them. */
  function nameByFile(two) {
    const places = two.map(({ roles }) => roles.flatMap((role, k) => (/strong|weak|model|open/.test(role) ? [k] : [])));
    if (places.some((place) => place.length !== 1)) return;
    const [[first], [second]] = places;
    const alike = two[0].head[first] === two[1].head[second];
    two.forEach((table, side) => {
      if (table.named && !alike) return;
      const [place] = places[side];
      table.head[place] = table.stem;
      table.roles[place] = roleOf(table.stem);
    });
  }

  const nameWithFile = (two, side, name) => {
    const { stem, file, head, roles } = two[side];
    const unique = stem === two[1 - side].stem ? `${file} (${side + 1})` : stem;
    return head.filter((_, k) => /model|open/.test(roles[k])).length > 1 ? `${name} (${unique})` : unique;
  };

  /** The pairs of lines that belong together, and the sentence that says why. */
  function matched([one, other], truths) {
    const namesItems = (table, name) => allDifferent(columnOf(table, name));
    const common = one.head.filter((name, k) => other.head.includes(name)
      && (one.roles[k] === "index" || (namesItems(one, name) && namesItems(other, name))));
    const unnamed = (name) => Number(/^(unnamed.*)?$/i.test(name));
    common.sort((p, q) => unnamed(p) - unnamed(q));
    if (common.length === 0) return lineByLine(one, other, !truths.includes(null));
    const unique = (table, name) => new Set(columnOf(table, name)).size === table.lines.length;
    const key = common.find((name) => unique(one, name) && unique(other, name));
    if (key === undefined) {
      const table = unique(one, common[0]) ? other : one;
      const values = columnOf(table, common[0]);
      const twice = values.find((value, k) => values.indexOf(value) < k);
      refuse(`The column “${common[0]}” names “${twice}” twice in ${table.file}.`);
    }
    const place = new Map(columnOf(other, key).map((value, k) => [value, k]));
    const rows = columnOf(one, key).map((value, k) => [k, place.get(value)]).filter(([, k]) => k !== undefined);
    if (rows.length === 0) refuse(`No item of one file is in the other: the column “${key}” has no value in common.`);
    const alone = one.lines.length + other.lines.length - 2 * rows.length;
    const left = alone ? `; ${some(alone, "item is", "items are")} in one file only, and left out` : "";
    return { rows, how: `matched by “${key}”${left}` };
  }

  function lineByLine(one, other, confirmed) {
    const [m, n] = [one.lines.length, other.lines.length];
    if (m !== n) refuse(`The files have ${m} and ${n} items, and no column of both names them.`);
    const doubt = confirmed ? "" : "; nothing in the files confirms that their lines are in the same order";
    return { rows: one.lines.map((_, k) => [k, k]), how: `matched line by line${doubt}` };
  }

  function sameTruth(first, second, how) {
    const write = spelling([first, second]);
    const unlike = first.filter((label, k) => write(label) !== write(second[k])).length;
    if (unlike === 0) return;
    const why = /^matched by “.+”/.test(how) ? "" : " Are the lines in another order? Give both files a column “id”.";
    refuse(`The true labels of the two files differ in ${some(unlike, "item")} of ${first.length}.${why}`);
  }

  // --- Counts ------------------------------------------------------------------------------------

  /** Adds up the items by their labels in the chosen columns: calls `add(number, ...codes)`. */
  function tally(table, { truth, a, b, count, classes }, add) {
    const columns = [truth, a, b].filter(Boolean).map((name) => columnOf(table, name));
    const write = spelling(columns);
    const places = new Map(classes.map((name, k) => [name, k]));
    const codes = columns.map((column) => column.map((label) => places.get(write(label))));
    const weights = count === null ? null : columnOf(table, count).map(Number);
    table.lines.forEach((_, k) => add(weights ? weights[k] : 1, ...codes.map((column) => column[k])));
  }

  /** The confusion matrix of one model, rows true. */
  function matrixOf(table, choice) {
    const matrix = choice.classes.map(() => choice.classes.map(() => 0));
    tally(table, choice, (number, truth, predicted) => { matrix[truth][predicted] += number; });
    return matrix;
  }

  // The kinds of items of a comparison, by truth, A and B: 1 for the positive class.
  const KINDS = { tp: "111", posA: "110", posB: "101", fn: "100", fp: "011", negA: "001", negB: "010", tn: "000" };

  /** The items by truth and by which model is right, for one class against the rest. */
  function comparisonOf(table, choice) {
    const positive = choice.classes.indexOf(choice.positive);
    const numbers = {};
    tally(table, choice, (number, ...codes) => {
      const kind = codes.map((code) => Number(code === positive)).join("");
      numbers[kind] = (numbers[kind] ?? 0) + number;
    });
    return Object.fromEntries(Object.entries(KINDS).map(([name, kind]) => [name, numbers[kind] ?? 0]));
  }

  return { parse, ofJson, joined, choose, namesRoles, KINDS, matrixOf, comparisonOf, positiveOf };
})();
