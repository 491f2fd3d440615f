// Reads tables of predictions, and chooses their columns in the open. No page is needed.
//
// What is not certain becomes a question, or a sentence that refuses. The rules:
//
// Table. JSON lines, a JSON list of objects, or text cut at the separator (tab ; , |) that cuts the
// first line into most cells, with quotes as RFC 4180 has them. The first line holds names, unless
// each of its cells is a label that stands in another line of its column too. If all other lines
// have one cell more than the first, and these first cells are all different, they are an index.
//
// Labels. "", na, n/a, nan, null, <na> and none are missing, but "none" may be a class of the truth.
// If all labels are whole numbers, 1.0 is 1. If all are true or false, case does not matter.
//
// Roles by name. A name is cut into words (y_true, yTrue: y true). See ROLES below: index, other,
// count, model, strong truth, weak truth; the first that fits decides. The rest is open. Never taken
// are the roles index, other and count, and columns of four or more lines with values all different.
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

  const refuse = (sentence) => {
    throw sentence;
  };
  const some = (n, one, many) => `${String(n).replace(/\B(?=(\d{3})+$)/g, ",")} ${n === 1 ? one : many}`;
  const quoted = (names) => names.map((name) => `“${name}”`).join(" and ");

  // --- From text to columns ----------------------------------------------------------------------

  /** The lines of delimited text as [line, cells]. */
  function records(text, separator) {
    const rows = [];
    if (separator === " " || !text.includes('"')) {
      const cut = (words) => (separator === " "
        ? words.match(/"[^"]*"|\S+/g).map((cell) => cell.replace(/^"|"$/g, ""))
        : words.split(separator).map((cell) => cell.trim()));
      text.split("\n").forEach((words, k) => {
        if (words.trim()) rows.push([k + 1, cut(words)]);
      });
      return rows;
    }
    const mark = separator === "|" ? "\\|" : separator;
    const cell = new RegExp(`[ ]*"([^"]*(?:""[^"]*)*)"[ ]*(?=${mark}|\\n|$)|([^\\n${mark}]*)`, "y");
    let [line, first, cells] = [1, 1, []];
    for (let place = 0; place <= text.length; place += 1) {
      cell.lastIndex = place;
      const [whole, inside, bare] = cell.exec(text);
      if (bare?.trim().startsWith('"')) refuse(`Line ${line} opens a quote that nothing closes.`);
      cells.push(inside === undefined ? bare.trim() : inside.replaceAll('""', '"').trim());
      line += whole.split("\n").length - 1;
      place += whole.length;
      if (place >= text.length || text[place] === "\n") {
        if (cells.length > 1 || cells[0]) rows.push([first, cells]);
        line += 1;
        [first, cells] = [line, []];
      }
    }
    return rows;
  }

  function separatorOf(text) {
    const first = text.trimStart().split("\n", 1)[0];
    const cuts = ["\t", ";", ",", "|"].map((mark) => first.replace(/"[^"]*"/g, "").split(mark).length);
    const most = Math.max(...cuts);
    if (most > 1) return "\t;,|"[cuts.indexOf(most)];
    const [width, ...widths] = records(text, " ").map(([, cells]) => cells.length);
    return width > 1 && widths.every((other) => other === widths[0]) && [width, width + 1].includes(widths[0]) ? " " : "\t";
  }

  /** Objects with the same keys, or lists of equal length under names; null if it is not JSON. */
  function fromJson(text) {
    if (!/^\s*(\{|\[\s*\{)/.test(text)) return null;
    let objects;
    try {
      const whole = JSON.parse(text);
      const lists = Object.entries(whole);
      if (!Array.isArray(whole) && lists.every(([, list]) => Array.isArray(list))) {
        if (new Set(lists.map(([, list]) => list.length)).size > 1) refuse("The lists have different lengths.");
        objects = lists[0][1].map((_, k) => Object.fromEntries(lists.map(([name, list]) => [name, list[k]])));
      } else objects = Array.isArray(whole) ? whole : [whole];
    } catch (error) {
      if (typeof error === "string") throw error;
      objects = text.split("\n").filter((line) => line.trim()).map((line, k) => {
        try {
          return JSON.parse(line);
        } catch {
          return refuse(`Object ${k + 1} is not JSON.`);
        }
      });
    }
    const head = [...new Set(objects.flatMap((one) => Object.keys(one)))];
    const cells = (one) => head.map((name) => (one[name] === null || one[name] === undefined ? "" : String(one[name]).trim()));
    return [[1, head], ...objects.map((one, k) => [k + 1, cells(one)])];
  }

  /** {head, columns, lines, named} of a table; `named` says that its first line holds names. */
  function parse(text) {
    const json = fromJson(text);
    const clean = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
    const rows = json || records(clean, separatorOf(clean));
    if (rows.length < 2) refuse("A table of predictions has a line for each item.");
    let head = rows[0][1];
    if (!json && lacksIndex(head, rows.slice(1))) head = ["", ...head];
    for (const [line, cells] of rows.slice(1)) {
      if (cells.length !== head.length) {
        refuse(`Line ${line} has ${some(cells.length, "cell", "cells")}, the first line has ${head.length}.`);
      }
    }
    const below = head.map((_, k) => rows.slice(1).map(([, cells]) => cells[k]));
    const large = rows.find(([, cells]) => cells.some((cell) => /^\d{13,}$/.test(cell)));
    if (large && head.some((name) => roleOf(name) === "count")) refuse(`Line ${large[0]} has more than 999999999999 items.`);
    const named = Boolean(json) || holdsNames(head, below);
    const columns = named ? below : below.map((column, k) => [head[k], ...column]);
    if (!named) head = head.map((_, k) => `column ${k + 1}`);
    if (new Set(head).size < head.length) refuse("Two columns have the same name.");
    return { head, columns, lines: rows.slice(named ? 1 : 0).map(([line]) => line), named };
  }

  /** True if the lines begin with an index that the first line does not name. */
  const lacksIndex = (head, rows) => rows.every(([, cells]) => cells.length === head.length + 1)
    && !head.some((name) => roleOf(name) === "index") && new Set(rows.map(([, cells]) => cells[0])).size === rows.length;

  function holdsNames(head, below) {
    if (head.some((cell) => cell === "" || roleOf(cell) !== "open")) return true;
    const repeated = below.map((column) => new Set(column))
      .map((values, k) => [values, head[k], values.size < below[k].length]).filter(([, , often]) => often);
    return repeated.length === 0 || repeated.some(([values, cell]) => !values.has(cell));
  }

  // --- The role of a column ----------------------------------------------------------------------

  const set = (words) => new Set(words.split(" "));
  const INDEX = set("unnamed0 unnamed id ids idx index key row rowid rowname rownames rownum rownumber line nr no number "
    + "item itemid sample sampleid case caseid example exampleid uid uuid guid");
  const COUNT = set("count counts freq frequency n nitems");
  const ROLES = {
    other: set("fold split seed run epoch batch doc document group cluster patient subject speaker user annotator text "
      + "sentence token tokens word title url file path date time timestamp length prob probs probability proba score "
      + "scores confidence logit logits loss weight correct right wrong error match hit"),
    model: set("pred preds predicted predict prediction predictions hat yhat ypred guess guesses output outputs model "
      + "classifier system response hyp hypothesis"),
    strong: set("true truth ytrue gold golden actual groundtruth gt ytest"),
  };
  const WEAK = set("y label labels class classes target targets reference ref expected answer category annotation");

  function roleOf(name) {
    const words = name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/(\p{L})(\d)/gu, "$1 $2")
      .toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const joined = words.join("");
    if (joined === "" || INDEX.has(joined) || /^(id|idx|index)$/.test(words.at(-1))) return "index";
    if (COUNT.has(joined)) return "count";
    for (const [role, known] of Object.entries(ROLES)) {
      if (words.some((word) => known.has(word)) || known.has(joined)) return role;
    }
    return WEAK.has(joined) ? "weak" : "open";
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

  // --- Labels ------------------------------------------------------------------------------------

  const MISSING = set("na n/a nan null <na> none").add("");
  const WHOLE = /^-?\d+(\.0*)?$/;
  const POSITIVE = set("1 true yes y t pos positive + +1");
  const NEGATIVE = set("0 -1 false no n f neg negative - other none o");

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
    const [positive, negative] = [called(POSITIVE), called(NEGATIVE)];
    if (positive.length === 1) return positive[0];
    return negative.length === 1 && classes.length === 2 ? classes.find((name) => name !== negative[0]) : null;
  }

  /** "none" may be a class of the truth; other words for nothing are no labels. */
  const isMissing = (label, classes) => MISSING.has(label.toLowerCase())
    && !(label.toLowerCase() === "none" && classes.has(label));

  /** Refuses missing labels and models without a class of the truth; notes on other labels. */
  function checkLabels(table, truth, models, write) {
    const column = (name) => table.columns[table.head.indexOf(name)];
    const classes = new Set(column(truth));
    for (const name of [truth, ...models]) {
      const k = column(name).findIndex((label) => isMissing(label, classes));
      if (k < 0) continue;
      const label = column(name)[k];
      refuse(`Line ${table.lines[k]} has no label in “${name}”${label && ` (it has “${label}”)`}.`);
    }
    const known = new Set([...classes].map(write));
    return models.flatMap((name) => {
      const strange = column(name).filter((label) => !known.has(write(label)));
      if (strange.length === column(name).length) {
        refuse(`The labels of “${name}” are ${listed(strange)}; those of the truth “${truth}” are ${listed([...classes])}.`);
      }
      return strange.length === 0 ? [] : [`${some(strange.length, "label", "labels")} of “${name}” (${listed(strange)}) ${strange.length === 1 ? "is" : "are"} no class of the truth.`];
    });
  }

  // --- Which column is what ----------------------------------------------------------------------

  /**
   * {truth, a, b, positive, count, classes, notes, question, field} of a table. A question says what
   * to choose, and `field` where. What a person chose is in `chosen`; b = "" stands for one model.
   */
  function choose(table, chosen = {}) {
    const roles = rolesOf(table);
    const named = (...wanted) => table.head.filter((_, k) => wanted.includes(roles[k]));
    const column = (name) => table.columns[table.head.indexOf(name)];
    const choice = {
      truth: chosen.truth || (truthByName(table, roles) ?? truthByRest(named)), a: null, b: "", positive: null,
      count: named("count")[0] ?? null, classes: [], notes: [], question: null, field: null,
    };
    const ask = (field, question) => Object.assign(choice, { field, question });
    // 1. The truth.
    if (choice.truth === null) return ask("truth", "Which column is the truth?");
    const gold = column(choice.truth);
    const number = new Set(gold).size;
    if (number > 1000 || (gold.length > 9 && number > gold.length / 2)) {
      refuse(`The truth “${choice.truth}” has ${number} different labels in ${gold.length} lines. Are these scores, or names of items?`);
    }
    // 2. The models.
    const others = (role) => named(role).filter((name) => name !== choice.truth);
    const { models, question } = chosen.a === undefined
      ? modelsOf(choice.truth, gold, others("model"), others("open"), column)
      : { models: [chosen.a, chosen.b].filter(Boolean), question: chosen.a ? null : "Which column is the model?" };
    [choice.a, choice.b] = [models[0] ?? null, models[1] ?? ""];
    if (question) return ask("a", question);
    if (new Set([choice.truth, ...models]).size <= models.length) return ask("a", "Choose different columns.");
    // 3. The classes.
    const used = [choice.truth, ...models];
    const write = spelling(used.map(column));
    choice.notes = checkLabels(table, choice.truth, models, write);
    choice.classes = inOrder(used.flatMap((name) => [...new Set(column(name))].map(write)));
    choice.positive = choice.classes.includes(chosen.positive) ? chosen.positive : positiveOf(choice.classes);
    if (choice.b && choice.positive === null) return ask("positive", "Which class is the positive one?");
    return choice;
  }

  /** The column that is called the truth; null if there is none, or several that disagree. */
  function truthByName({ head, columns }, roles) {
    const of = (role) => head.filter((_, k) => roles[k] === role);
    const candidates = of("strong").length ? of("strong") : of("weak");
    const [first, ...others] = candidates.map((name) => columns[head.indexOf(name)]);
    return others.every((other) => other.every((label, k) => label === first[k])) ? candidates[0] ?? null : null;
  }

  /** The only open column beside columns of models. */
  function truthByRest(named) {
    const rest = named("strong", "weak").length ? [] : named("open");
    return rest.length === 1 && named("model").length ? rest[0] : null;
  }

  /** The columns of the models, and a question if that is not certain. */
  function modelsOf(truth, gold, sure, open, column) {
    const classes = new Set(gold);
    const share = (name) => {
      const labels = column(name).filter((label) => !isMissing(label, classes));
      const write = spelling([gold, labels]);
      const known = new Set(gold.map(write));
      return labels.filter((label) => known.has(write(label))).length / labels.length;
    };
    const yesOrNo = (labels) => [...new Set(labels)].every((label) => {
      const word = label.toLowerCase().replace(/\.0*$/, "");
      return POSITIVE.has(word) || NEGATIVE.has(word);
    });
    const fitting = open.filter((name) => share(name) === 1);
    const strange = sure.find((name) => share(name) < 0.5)
      ?? open.find((name) => share(name) === 0 && yesOrNo(column(name)) && yesOrNo(gold));
    const models = [...sure, ...fitting].filter((name) => name !== strange);
    let question = null;
    if (strange !== undefined) {
      question = `The labels of “${strange}” are ${listed(column(strange))}; those of the truth “${truth}” are ${listed(gold)}. Which columns are the models?`;
    } else if (models.length === 0) {
      question = `No column has the labels of the truth “${truth}” (${listed(gold)}). Which column is the model?`;
    } else if (models.length > 2 || (sure.length && fitting.length)) {
      question = `Which columns are the models: ${quoted(models)}?`;
    }
    return { models, question };
  }

  // --- Two files ---------------------------------------------------------------------------------

  const stem = (name) => name.replace(/\.[^.]*$/, "");

  /** One table of two files [{name, text}], the column of its truth, and how they were matched. */
  function joined(files) {
    const two = files.map(({ name, text }) => {
      const table = parse(text);
      return { ...table, roles: rolesOf(table), file: name };
    });
    nameByFile(two);
    two.forEach((table) => { table.truth = truthByName(table, table.roles); });
    if (two.every(({ truth }) => truth === null)) {
      two.forEach((table) => {
        table.truth = truthByRest((...roles) => table.head.filter((_, k) => roles.includes(table.roles[k])));
      });
    }
    const [one, other] = two;
    const truth = one.truth !== null ? one : other;
    if (truth.truth === null) refuse("Neither file has a column that is called the truth. Name it in the first line, for example “truth”.");
    const { rows, how } = matched(one, other);
    const column = (table, k) => rows.map((row) => table.columns[k][row[two.indexOf(table)]]);
    const gold = two.map((table) => table.truth !== null && column(table, table.head.indexOf(table.truth)));
    if (gold[0] && gold[1]) sameTruth(...gold, how);
    const result = { head: [], columns: [], roles: [], lines: rows.map((row) => one.lines[row[0]]), named: true };
    const add = (name, role, values) => {
      result.head.push(name);
      result.roles.push(role);
      result.columns.push(values);
    };
    add(truth.truth, "strong", gold[two.indexOf(truth)]);
    two.forEach((table, side) => table.head.forEach((name, k) => {
      if (name === table.truth || table.roles[k] === "index") return;
      const twice = two[1 - side].head.includes(name) || result.head.includes(name);
      add(twice ? nameOfFile(two, side, name) : name, table.roles[k], column(table, k));
    }));
    return { table: result, how };
  }

  /** Columns that stand alone in their files, without a name or with the same one: the files name them. */
  function nameByFile(two) {
    const places = two.map(({ roles }) => roles.flatMap((role, k) => (role === "index" ? [] : [k])));
    if (places.some((place) => place.length !== 1)) return;
    const [one, other] = two.map(({ head }, side) => head[places[side][0]]);
    two.forEach((table, side) => {
      if (table.named && one !== other) return;
      table.head[places[side][0]] = stem(table.file);
      table.roles[places[side][0]] = roleOf(stem(table.file));
    });
  }

  const nameOfFile = (two, side, name) => {
    const models = two[side].head.filter((_, k) => /model|open/.test(two[side].roles[k]));
    const file = stem(two[side].file) === stem(two[1 - side].file) ? `${two[side].file} (${side + 1})` : stem(two[side].file);
    return models.length > 1 ? `${name} (${file})` : file;
  };

  /** The pairs of lines that belong together, and the sentence that says why. */
  function matched(one, other) {
    const common = one.head.filter((name, k) => other.head.includes(name)
      && (one.roles[k] === "index" || (allDifferent(one.columns[k]) && allDifferent(other.columns[other.head.indexOf(name)]))));
    const unnamed = (name) => Number(/^(unnamed.*)?$/i.test(name));
    common.sort((p, q) => unnamed(p) - unnamed(q));
    if (common.length === 0) {
      const [m, n] = [one, other].map(({ lines }) => lines.length);
      if (m !== n) refuse(`The files have ${m} and ${n} items, and no column of both names them.`);
      const sure = one.truth !== null && other.truth !== null;
      return {
        rows: one.lines.map((_, k) => [k, k]),
        how: `matched line by line${sure ? "" : "; nothing in the files confirms that their lines are in the same order"}`,
      };
    }
    const unique = (table, name) => new Set(table.columns[table.head.indexOf(name)]).size === table.lines.length;
    const key = common.find((name) => unique(one, name) && unique(other, name));
    if (key === undefined) {
      const table = unique(one, common[0]) ? other : one;
      const values = table.columns[table.head.indexOf(common[0])];
      const twice = values.find((value, k) => values.indexOf(value) < k);
      refuse(`The column “${common[0]}” names “${twice}” twice in ${table.file}.`);
    }
    const place = new Map(other.columns[other.head.indexOf(key)].map((value, k) => [value, k]));
    const rows = one.columns[one.head.indexOf(key)].map((value, k) => [k, place.get(value)]).filter(([, k]) => k !== undefined);
    if (rows.length === 0) refuse(`No item of one file is in the other: the column “${key}” has no value in common.`);
    const alone = one.lines.length + other.lines.length - 2 * rows.length;
    const left = alone ? `; ${some(alone, "item is", "items are")} in one file only, and left out` : "";
    return { rows, how: `matched by “${key}”${left}` };
  }

  function sameTruth(first, second, how) {
    const write = spelling([first, second]);
    const unlike = first.filter((label, k) => write(label) !== write(second[k])).length;
    if (unlike === 0) return;
    const why = how.startsWith("matched by") ? "" : " Are the lines in another order? Give both files a column “id”.";
    refuse(`The true labels of the two files differ in ${some(unlike, "item", "items")} of ${first.length}.${why}`);
  }

  // --- Counts ------------------------------------------------------------------------------------

  /** Adds up the items by their labels in the chosen columns: calls `add(number, ...codes)`. */
  function tally(table, { truth, a, b, count, classes }, add) {
    const names = [truth, a, b].filter(Boolean);
    const columns = names.map((name) => table.columns[table.head.indexOf(name)]);
    const write = spelling(columns);
    const places = new Map(classes.map((name, k) => [name, k]));
    const codes = columns.map((column) => column.map((label) => places.get(write(label))));
    const weights = count === null ? null : table.columns[table.head.indexOf(count)].map(Number);
    table.lines.forEach((_, k) => add(weights ? weights[k] : 1, ...codes.map((column) => column[k])));
  }

  /** The confusion matrix of one model, rows true. */
  function matrixOf(table, choice) {
    const matrix = choice.classes.map(() => choice.classes.map(() => 0));
    tally(table, choice, (number, truth, predicted) => { matrix[truth][predicted] += number; });
    return matrix;
  }

  /** The items by truth and by which model is right, for one class against the rest. */
  function comparisonOf(table, choice) {
    const counts = { tp: 0, posA: 0, posB: 0, fn: 0, fp: 0, negA: 0, negB: 0, tn: 0 };
    const positive = choice.classes.indexOf(choice.positive);
    tally(table, choice, (number, ...codes) => {
      const [truth, a, b] = codes.map((code) => code === positive);
      const kind = a === b ? (a ? (truth ? "tp" : "fp") : (truth ? "fn" : "tn"))
        : `${truth ? "pos" : "neg"}${a === truth ? "A" : "B"}`;
      counts[kind] += number;
    });
    return counts;
  }

  return { parse, joined, choose, namesRoles, matrixOf, comparisonOf, positiveOf };
})();

if (typeof module !== "undefined") module.exports = tables;
