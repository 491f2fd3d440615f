// The calculator: a form, a drawing, numbers and texts to copy. The kernels are in f1ci.js, what is
// pasted is read by reader.js, the formulas to copy are in formulas.js.
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  const root = document.getElementById("calc");
  if (!root) return;
  const find = (id) => document.getElementById(`calc-${id}`);
  const form = find("form");
  const planForm = find("plan-form");

  // Those of a kind are for every Tversky score, under other names; all are for F1.
  const METHODS = [
    { key: "wilson_indirect", name: "Wilson score", kind: "score", limits: f1ci.wilsonIndirect },
    { key: "wilson_direct", name: "Wilson direct", limits: f1ci.wilsonDirect },
    {
      key: "clopper_pearson", name: "Clopper–Pearson", kind: "cautious", limits: f1ci.clopperPearson,
    },
    { key: "wald", name: "Wald", limits: f1ci.wald },
  ];
  const SHARE = [
    { key: "score", name: "Wilson score", kind: "score" },
    { key: "cautious", name: "Clopper–Pearson", kind: "cautious" },
  ];
  const WEIGHTED = [
    { key: "score", name: "Wilson score", kind: "score" },
    { key: "cautious", name: "Cautious", kind: "cautious" },
  ];
  const LARGEST = 1e12;
  // Beyond this many numbers of true positives that fit a rounding, some are skipped.
  const MOST_ROWS = 500;
  const LISTED = 12;
  const MOST_DRAWN = 30; // classes

  // --- Elements and texts ----------------------------------------------------------------------

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElementNS(
      tag === "svg" || attributes.svg ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml",
      tag,
    );
    for (const [name, value] of Object.entries(attributes)) {
      if (name !== "svg") made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  };
  const drawn = (tag, attributes = {}, ...children) =>
    element(tag, { ...attributes, svg: true }, ...children);

  const thousands = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const some = (n, one, many) => `${thousands(n)} ${n === 1 ? one : many}`;

  /** Decimals that show two digits of an interval's length, at least three. */
  const digitsFor = (low, high) =>
    (high > low ? Math.min(9, Math.max(3, 2 - Math.floor(Math.log10(high - low)) - 1)) : 3);
  const fixed = (value, digits) => {
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text;
  };
  const minus = (text) => text.replace("-", "−");
  const scoreName = (beta) => (beta === 1 ? "F1" : `F${beta}`);
  const percent = (level) => String(Number((100 * level).toPrecision(12)));

  // --- Reading the form: each reader gives a value or throws a sentence for its field ----------

  const wholeNumber = (text, what) => {
    if (text === "") throw `Give the number of ${what}.`;
    if (!/^\d+$/.test(text)) throw `A number of items is written with digits only, not “${text}”.`;
    if (Number(text) > LARGEST) throw `“${text}” is more than the 1000000000000 items that are possible here.`;
    return Number(text);
  };
  const decimal = (text, what) => {
    if (text === "") throw `Give ${what}.`;
    if (/^\d*,\d+$/.test(text)) throw `Write a decimal point, not a comma: “${text.replace(",", ".")}”.`;
    if (!/^(\d+\.?\d*|\.\d+)$/.test(text)) throw `“${text}” is not a number.`;
    return Number(text);
  };
  const level = (text) => {
    const value = decimal(text.replace(/\s*%$/, ""), "a level, such as 95");
    if (value > 0 && value <= 1) throw `The level is a percentage: write ${percent(value)} for “${text}”.`;
    if (!(value > 0 && value < 100)) throw `The level lies between 0 and 100, “${text}” does not.`;
    return value / 100;
  };
  const beta = (text) => {
    const value = decimal(text, "beta, 1 for F1");
    if (!(value >= 0.01 && value <= 100)) throw `Beta lies between 0.01 and 100, “${text}” does not.`;
    return value;
  };
  /** A printed share: the band of values that are rounded to it. */
  const printed = (text) => {
    const share = text.replace(/\s*%$/, "");
    const scale = share === text ? 1 : 100;
    const value = decimal(share, "a value as it is printed") / scale;
    if (value > 1) throw `“${text}” is above 1; write “${text} %” if it is a percentage.`;
    const half = 0.5 * 10 ** -(share.split(".")[1] || "").length / scale;
    return [Math.max(0, value - half), Math.min(1, value + half)];
  };

  // Tables from files, in the place of what is pasted.
  let loaded = null;

  const INPUTS = {
    counts: ["tp", "fp", "fn", "tn", "level", "beta"],
    matrix: ["matrix", "level", "beta"],
    printed: ["precision", "recall", "support", "level", "beta"],
    models: ["posa", "posb", "posboth", "posnone", "nega", "negb", "negnone", "level"],
    files: ["predictions", "level"],
  };
  const ITEMS = {
    tp: "true positives", fp: "false positives", fn: "false negatives", support: "truly positive items",
    posa: "positives that only A has right", posb: "positives that only B has right",
    posboth: "positives that both have right", posnone: "positives that both have wrong",
    nega: "negatives that only A has right", negb: "negatives that only B has right",
    negnone: "negatives that both have wrong",
  };
  const READERS = {
    level, beta, precision: printed, recall: printed, matrix: reader.readMatrix,
    predictions: (text) => (text === "" && loaded ? loaded : reader.readTable(text)),
    tn: (text) => (text === "" ? null : wholeNumber(text, "true negatives")),
    half: (text) => {
      const value = decimal(text, "a half width, such as 0.05");
      if (!(value >= 1e-5 && value < 0.5)) throw `A half width lies between 0.00001 and 0.5, “${text}” does not.`;
      return value;
    },
    prevalence: (text) => {
      if (text === "") return null;
      const percentage = /%$/.test(text);
      const value = decimal(text.replace(/\s*%$/, ""), "a share") / (percentage ? 100 : 1);
      if (!(value > 0 && value <= 1)) throw `A share lies between 0 and 1, “${text}” does not.`;
      return value;
    },
  };

  /** Shows a field's error beside it, or takes it away. */
  const complain = (input, sentence) => {
    const id = `${input.id}-error`;
    let place = document.getElementById(id);
    if (!sentence) {
      if (place) place.remove();
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
      return;
    }
    if (!place) {
      place = element("p", { class: "calc-error", id });
      input.after(place);
    }
    if (place.textContent !== sentence) place.textContent = sentence;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", id);
  };

  /** The values of the fields, or null if one is wrong. */
  const read = (owner, names) => {
    const values = {};
    let sound = true;
    for (const name of names) {
      const input = owner.elements[name];
      try {
        // Lines keep their numbers.
        const text = input.tagName === "TEXTAREA" ? input.value : input.value.trim();
        values[name] = READERS[name] ? READERS[name](text) : wholeNumber(text, ITEMS[name]);
        complain(input, "");
      } catch (sentence) {
        if (typeof sentence !== "string") throw sentence;
        complain(input, sentence);
        sound = false;
      }
    }
    return sound ? values : null;
  };

  // --- What is computed: {score, rows to show, more rows to quote, tables, notes} ---------------
  // A row to quote has a key, what the score is called (label, tex; title with the method if there
  // is a choice) and how its limits were found,
  // a line of Python, and what formulas.js needs or `why` there is no formula.

  const call = (name, positional, options) =>
    `f1ci.${name}(${[...positional, ...Object.entries(options).map(([k, v]) => `${k}=${v}`)].join(", ")})`;
  const options = (confidence, method = null) => {
    const sure = Number(confidence.toPrecision(12));
    return { ...(method ? { method: `"${method}"` } : {}), ...(sure === 0.95 ? {} : { confidence_level: sure }) };
  };

  const WHY = {
    wilson_direct: "No short formula: the limits of Wilson direct are roots of a quartic equation.",
    nothing: "Without items there is nothing to compute.",
    average: "No closed form: a search finds the limits of an average. The line of Python does it.",
    difference: "No closed form: the limits of a difference are the extremes over an ellipse of the two scores, and the p-value is a sum over all swaps. The line of Python gives the interval.",
    printed: "No formula: the interval spans all tables that fit. Each table has formulas under “Counts”.",
  };

  const REFERENCES = {
    f1: "Lam, K. F. Y., Gopal, V. and Qian, J. (2024). Confidence intervals for the F1 score: a comparison of four methods. arXiv 2309.14621, https://arxiv.org/abs/2309.14621",
    other: "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the American Statistical Association 22, 209–212; for this score: f1ci, https://f1ci.github.io/f1ci/book/score.html",
  };

  const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const texText = (text) => `\\text{${text.replace(/[\\~^&%$#_{}]/g, (c) => TEX[c] || `\\${c}`)}}`;

  /** A score of counts: an F-beta, Jaccard, or a share. `python` is its call without options. */
  const fScore = (b, { x, y, w }, tn, of = "") => ({
    id: `f${b}`,
    name: scoreName(b),
    label: scoreName(b) + (of && ` of ${of}`),
    tex: `F_{${b}}${of && `^{${texText(of)}}`}`,
    counts: { x, y, w, beta: b, ...f1ci.fbetaWeights(b) },
    python: b === 1 ? ["f1_interval", [x, y, w]]
      : ["metric_interval", [`[[${tn}, ${y}], [${w}, ${x}]]`, `f1ci.metrics.fbeta(${b})`]],
  });
  const share = (name, label, x, y, w, matrix) => ({
    id: label,
    name,
    label,
    tex: texText(label),
    counts: { x, y, w, a: 1, b: 1 },
    python: ["metric_interval", [matrix, `"${label}"`]],
  });

  /** One row for each method, all four of F1 if asked. */
  const rowsOf = ({ id, label, tex, counts, python }, confidence, prefix = `${id}/`, four = false) => {
    const { x, y, w, a, b } = counts;
    const estimate = f1ci.tverskyEstimate(x, y, w, a, b);
    const known = a === 0.5 ? METHODS.filter(({ kind }) => four || kind) : a === b ? SHARE : WEIGHTED;
    return known.map(({ key, kind, name, limits }) => {
      const [low, high] = limits ? limits(x, y + w, confidence) : f1ci.tversky[kind](x, y, w, a, b, confidence);
      // What Python calls the default needs no name.
      const method = kind === "score" ? null : python[0] === "f1_interval" ? key : kind;
      return {
        key: prefix + key, name, title: `${label}, ${name}`, estimate, low, high, label, tex, counts, method: kind || key,
        how: `, ${name}`, about: name,
        reference: a === 0.5 ? REFERENCES.f1 : REFERENCES.other,
        python: call(...python, options(confidence, method)),
        why: Number.isNaN(estimate) ? WHY.nothing : WHY[key],
      };
    });
  };

  const methodNotes = (rows) => {
    const wald = rows.find((row) => row.key === "wald");
    if (!wald) return [];
    if (wald.low === wald.high) return ["Wald has no width here: do not use it."];
    if (wald.low < 0 || wald.high > 1) return ["Wald leaves the range from 0 to 1 here: do not use it."];
    return [];
  };

  const compute = {
    counts({ tp, fp, fn, tn, level: confidence, beta: b }) {
      const matrix = `[[${tn || 0}, ${fp}], [${fn}, ${tp}]]`;
      const counts = { x: tp, y: fp, w: fn };
      const rows = rowsOf(fScore(b, counts, tn || 0), confidence, "", true);
      const notes = methodNotes(rows);
      const items = tn === null ? `a test set with ${some(tp + fn, "positive item", "positive items")}`
        : `${some(tp + fp + fn + tn, "item", "items")}, ${thousands(tp + fn)} of them positive`;
      if (tp + fp + fn === 0) {
        notes.unshift("No item is positive or predicted positive: the score is not defined, and any value is possible.");
      }
      const others = [
        share("Precision", "precision", tp, fp, 0, matrix),
        share("Recall", "recall", tp, 0, fn, matrix),
        share("Jaccard (IoU)", "jaccard", tp, fp, fn, matrix),
        ...[1, 0.5, 2].filter((other) => other !== b).map((other) => fScore(other, counts, tn || 0)),
        ...(tn === null ? [] : [share("Accuracy", "accuracy", tp + tn, fp, fn, matrix)]),
      ].map((one) => ({ name: one.name, rows: rowsOf(one, confidence) }));
      return {
        score: scoreName(b), rows, notes, others, items,
        quotes: [...rows, ...others.flatMap((one) => one.rows)],
      };
    },

    matrix({ matrix: { matrix: all, labels, notes: read }, level: confidence, beta: b }) {
      const columns = all[0].map((_, k) => all.reduce((total, row) => total + row[k], 0));
      const present = all.map((row, k) => row.some((n) => n > 0) || columns[k] > 0);
      const keep = (list) => list.filter((_, k) => present[k]);
      const notes = [...read];
      const absent = labels.filter((_, k) => !present[k]);
      if (absent.length) notes.push(`Left out, because no item belongs to the class or is predicted as it: ${absent.join(", ")}.`);
      const matrix = keep(all).map(keep);
      const names = keep(labels);
      if (matrix.length < 2) {
        return { notes: ["At least two classes need items."], rows: [], score: scoreName(b) };
      }
      const { a, b: weight } = f1ci.fbetaWeights(b);
      const counts = f1ci.classCounts(matrix);
      const n = counts.reduce((total, { x, w }) => total + x + w, 0);
      const classes = counts.map((part, k) => {
        const { x, y, w } = part;
        const [row] = rowsOf(fScore(b, part, n - x - y - w, names[k]), confidence, `class ${k}/`);
        return { ...row, name: names[k], title: null, support: x + w };
      });
      const right = counts.reduce((total, { x }) => total + x, 0);
      const mean = (shares) => classes.reduce((total, row, k) => total + row.estimate * shares[k], 0);
      const given = `[${matrix.map((line) => `[${line.join(", ")}]`).join(", ")}]`;
      const average = (key, name, shares) => {
        const [low, high] = f1ci.meanScore(matrix, a, weight, confidence, key === "weighted");
        const metric = b === 1 ? `"${key}_f1"` : `f1ci.metrics.averaged("${key}", ${b})`;
        return {
          key, name, estimate: mean(shares), low, high, how: ", Wilson score", about: "Wilson score", reference: REFERENCES.other,
          label: `${key} ${scoreName(b)}`, tex: `\\text{${key}-}F_{${b}}`, why: WHY.average,
          python: call("metric_interval", [given, metric], options(confidence)),
        };
      };
      const [micro] = rowsOf(share("", "micro_f1", right, n - right, 0, given), confidence);
      const rows = [
        average("macro", "Macro", classes.map(() => 1 / classes.length)),
        {
          ...micro, key: "micro", name: "Micro (accuracy)", title: null,
          label: `micro ${scoreName(b)}`, tex: `\\text{micro-}F_{${b}}`,
        },
        average("weighted", "Weighted", classes.map((row) => row.support / n)),
      ];
      const score = scoreName(b);
      const items = `${some(n, "item", "items")} of ${classes.length} classes`;
      // Of two classes the second is the positive class, and comes first.
      const quotes = classes.length > 2 ? [...rows, ...classes] : [classes[1], ...rows, classes[0]];
      if (classes.length === 2) notes.push(`The last of the two classes, “${names[1]}”, is the positive class.`);
      return { score, rows, notes, classes, items, quotes };
    },

    printed({ precision, recall, support, level: confidence, beta: b }) {
      if (support === 0) return { notes: ["Without a truly positive item there is no recall."], rows: [] };
      const fits = f1ci.fittingCounts(precision, recall, support);
      const score = scoreName(b);
      if (fits.length === 0) {
        return {
          score, rows: [],
          notes: [`No counts of ${some(support, "truly positive item", "truly positive items")} give this precision and recall when rounded: check the number of items and the digits.`],
        };
      }
      const tables = fits.reduce((total, { from, to }) => total + (to - from + 1), 0);
      const step = Math.max(1, Math.floor(fits.length / MOST_ROWS));
      const visited = fits.filter((_, k) => k % step === 0 || k === fits.length - 1);
      let rows = null;
      for (const { tp, fn, from, to } of visited) {
        // Each limit falls with the false positives: the ends of their range are enough.
        for (const fp of from === to ? [from] : [from, to]) {
          // A precision printed as 0 leaves the false positives without bound.
          const here = fp === Infinity
            ? rows.map((row) => ({ ...row, estimate: 0, low: 0, high: 0 }))
            : rowsOf(fScore(b, { x: tp, y: fp, w: fn }, 0), confidence, "", true);
          if (rows === null) {
            rows = here.map((row) => ({ ...row, least: row.estimate, most: row.estimate }));
          } else {
            rows.forEach((row, k) => {
              row.low = Math.min(row.low, here[k].low);
              row.high = Math.max(row.high, here[k].high);
              row.least = Math.min(row.least, here[k].estimate);
              row.most = Math.max(row.most, here[k].estimate);
            });
          }
        }
      }
      const notes = methodNotes(rows);
      if (visited.length < fits.length) {
        notes.push(`${thousands(fits.length)} numbers of true positives fit, and ${thousands(visited.length)} of them were visited.`);
      }
      const over = tables === Infinity
        ? "every table of counts that fits"
        : some(tables, "table of counts that fits", "tables of counts that fit");
      rows = rows.map((row) => ({
        ...row, how: `${row.how}; over ${over} the rounding`, why: WHY.printed, counts: null, python: null,
        over: `, over ${over} the rounding`,
      }));
      return { score, rows, notes, fits, quotes: rows, items: `a test set with ${some(support, "positive item", "positive items")}` };
    },

    models(values) {
      const { posa, posb, posboth, posnone, nega, negb, negnone, level: confidence } = values;
      const t = { tp: posboth, posA: posa, posB: posb, fn: posnone, fp: negnone, negA: nega, negB: negb };
      const models = f1ci.modelCounts(t);
      const single = models.map((counts, k) => {
        const [row] = rowsOf(fScore(1, counts, 0, "AB"[k]), confidence, `${"AB"[k]}/`);
        return { ...row, name: row.label, title: null };
      });
      const [low, high] = f1ci.differenceScore(t, 0.5, 0.5, confidence);
      const discordant = posa + posb + nega + negb;
      const p = discordant > 1e7 ? null : f1ci.randomisationTest(t);
      // Truth, A and B of an item of each kind, in the order of the numbers.
      const kinds = "[1, 1, 1], [1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]";
      const numbers = [posboth, posa, posb, posnone, nega, negb, negnone];
      const difference = {
        key: "difference", name: "B minus A", signed: true, estimate: single[1].estimate - single[0].estimate, low, high,
        label: "F1 of B minus F1 of A", tex: "F_1^B - F_1^A", why: WHY.difference,
        how: `, Wilson score${p === null ? "" : `; exact randomisation test p = ${pValue(p)}`}`,
        about: "Wilson score", reference: REFERENCES.other, p,
        python: `y, a, b = np.repeat(\n    [${kinds}],\n    [${numbers.join(", ")}],\n    axis=0,\n).T\n${
          call("difference_test", ["y", "a", "b"], { ...options(confidence), method: '"exact"' })}`,
      };
      const notes = [];
      if (discordant === 0) notes.push("The models differ on no item, so neither is better here.");
      if (models.some(({ x, y, w }) => x + y + w === 0)) {
        notes.push("A score is not defined: no item is positive or predicted positive.");
      }
      return {
        score: "F1", rows: [difference], notes, single, discordant, p,
        quotes: [difference, ...single], items: "",
      };
    },

    files({ predictions, level: confidence }) {
      const [truth, a, b, positive] = ["truth", "a", "b", "positive"].map((name) => find(`column-${name}`).value);
      const t = reader.comparison(predictions, { truth, a, b, positive });
      const counts = {
        posa: t.posA, posb: t.posB, posboth: t.tp, posnone: t.fn,
        nega: t.negA, negb: t.negB, negnone: t.fp, level: confidence,
      };
      const result = compute.models(counts);
      const classes = new Set(predictions.rows.map((row) => row[predictions.head.indexOf(truth)]));
      result.notes.unshift(`${some(predictions.rows.length, "item", "items")}; F1 of “${positive}”${
        classes.size > 2 ? " against all other classes" : ""}.`, ...(predictions.notes || []));
      const twice = predictions.head.indexOf(`${truth} (2)`);
      const first = predictions.head.indexOf(truth);
      const unlike = twice < 0 ? 0 : predictions.rows.filter((row) => row[first] !== row[twice]).length;
      if (unlike) result.notes.unshift(`The true labels of the two files differ in ${some(unlike, "item", "items")}: those of the first are used.`);
      const strange = [a, b].filter((name) => !predictions.rows.some((row) => classes.has(row[predictions.head.indexOf(name)])));
      if (strange.length) result.notes.unshift(`No prediction in “${strange.join("” and “")}” is one of the true classes: is it the right column?`);
      return { ...result, counts };
    },
  };

  // --- Texts to copy ---------------------------------------------------------------------------

  /** [name, text] of each; a text without a name is not to be copied. */
  function textsFor(row, confidence, result) {
    const digits = digitsFor(row.low, row.high);
    const [low, high] = [fixed(row.low, digits), fixed(row.high, digits)];
    const [least, most] = [row.least ?? row.estimate, row.most ?? row.estimate].map((end) => fixed(end, digits));
    const value = Number.isNaN(row.estimate) ? "undefined" : least === most ? least : `${least} to ${most}`;
    const level = percent(confidence);
    const formulas = row.counts && closedForm(row.method, row.counts, confidence);
    const test = row.p === undefined || row.p === null ? ["", ""]
      : [`; exact randomisation test, p = ${pValue(row.p)}`,
        `; exact randomisation test, $p = ${pValue(row.p).replace(" × 10^", " \\times 10^{").replace(/(\{.*)$/, "$1}")}$`];
    const method = `${row.about} method${row.over || ""}`;
    const said = `${value} (${level} % CI ${low} to ${high}, ${method}${test[0]})`;
    const sentence = row.signed
      ? `F1 of model B minus F1 of model A is ${said}. The models differ on ${some(result.discordant, "item", "items")}.`
      : `The classifier reached ${row.label} = ${said}${result.items ? ` on ${result.items}` : ""}.`;
    const code = row.python && [
      "import f1ci", ...(row.python.includes("np.") ? ["import numpy as np"] : []), "",
      row.python.replace(/(^|\n)(f1ci\..*)$/, "$1print($2)"),
    ].join("\n");
    return [
      ["Sentence", sentence],
      ["Reference", row.reference],
      ["LaTeX", `$${row.tex} = ${value.replace(" to ", "$ to $")}$ (${level}\\,\\% CI $${low}$ to $${high}$, ${method}${test[1]})`],
      ...(code ? [["Python", code]] : []),
      ...(formulas
        ? [["R", formulas.R], ["Spreadsheet, low", formulas.low], ["Spreadsheet, high", formulas.high]]
        : [["", row.why]]),
    ];
  }

  /** The number and its interval, in one line. */
  function headline(row, confidence) {
    const digits = digitsFor(row.low, row.high);
    const [low, high, least, most] = [row.low, row.high, row.least ?? row.estimate, row.most ?? row.estimate]
      .map((end) => fixed(end, digits));
    const value = Number.isNaN(row.estimate) ? "undefined" : least === most ? least : `${least} to ${most}`;
    return `${row.label} = ${value} (${percent(confidence)} % CI ${low} to ${high}${row.how})`;
  }

  const pValue = (p) => (p < 1e-4 ? p.toExponential(1).replace("e-", " × 10^-") : p.toFixed(p < 0.1 ? 4 : 3));

  // --- Showing it ------------------------------------------------------------------------------

  /** Whole multiples of a round step inside the range, four to eight of them. */
  const ticks = (from, to) => {
    const rough = (to - from) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const places = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k += 1) {
      places.push([k * step, minus(fixed(k * step, digits))]);
    }
    return places;
  };

  function drawing(rows, description) {
    const known = rows.filter((row) => Number.isFinite(row.low));
    // A difference is seen beside none.
    const ends = [...known.flatMap((r) => [r.low, r.high]), ...(rows[0].signed ? [0] : [])];
    let [from, to] = [Math.min(...ends), Math.max(...ends)];
    const room = Math.max(0.06 * (to - from), 1e-9);
    [from, to] = [from - room, to + room];
    const place = (value) => `${(2 + (96 * (value - from)) / (to - from)).toFixed(3)}%`;
    const [line, top] = [36, 6];
    const bottom = top + line * rows.length;
    const svg = drawn("svg", {
      class: "calc-drawing", role: "img", "aria-label": description, width: "100%", height: bottom + 26,
    });
    for (const [value, text] of ticks(from, to)) {
      svg.append(
        drawn("line", { class: "calc-grid-line", x1: place(value), x2: place(value), y1: top, y2: bottom }),
        drawn("text", { class: "calc-tick", x: place(value), y: bottom + 17, "text-anchor": "middle" }, text),
      );
    }
    for (const border of [0, 1]) {
      if (border > from && border < to) {
        svg.append(drawn("line", { class: "calc-border", x1: place(border), x2: place(border), y1: top, y2: bottom }));
      }
    }
    rows.forEach((row, k) => {
      const y = top + line * k + 25;
      svg.append(drawn("text", { class: "calc-row-name", x: "2%", y: y - 11 }, row.name));
      svg.append(drawn("line", { class: "calc-bar", x1: place(row.low), x2: place(row.high), y1: y, y2: y }));
      for (const end of [row.low, row.high]) {
        svg.append(drawn("line", { class: "calc-bar", x1: place(end), x2: place(end), y1: y - 5, y2: y + 5 }));
      }
      const [least, most] = row.least === undefined ? [row.estimate, row.estimate] : [row.least, row.most];
      if (most > least) {
        svg.append(drawn("line", { class: "calc-range", x1: place(least), x2: place(most), y1: y, y2: y }));
      } else if (Number.isFinite(least)) {
        svg.append(drawn("circle", { class: "calc-point", cx: place(least), cy: y, r: 4.5 }));
      }
    });
    return svg;
  }

  const table = (caption, heads, lines) => element("div", { class: "calc-scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...lines.map(([first, ...rest]) => element("tr", {},
        element("th", { scope: "row" }, first), ...rest.map((cell) => element("td", {}, cell)))))));

  const unfold = (title, open, ...children) => {
    const details = element("details", { "data-title": title }, element("summary", {}, title), ...children);
    details.open = open;
    return details;
  };

  function show(mode, values, result) {
    const { rows } = result;
    const wasOpen = new Set([...root.querySelectorAll("#calc-tables details[open]")].map((d) => d.dataset.title));
    const said = rows.length ? headline(quoted(result), values.level) : result.notes[0];
    if (find("answer").textContent !== said) find("answer").textContent = said;
    find("notes").replaceChildren(
      ...(rows.length ? result.notes : result.notes.slice(1)).map((note) => element("p", { class: "calc-note" }, note)));
    find("drawing").replaceChildren();
    find("tables").replaceChildren();
    root.querySelector(".calc-copy").hidden = rows.length === 0;
    find("plan").hidden = mode !== "counts" && mode !== "printed";
    if (rows.length === 0) return;

    const all = [...rows, ...(result.single || [])];
    const digits = Math.max(...all.map((row) => digitsFor(row.low, row.high)));
    const number = (value) => (Number.isNaN(value) ? "–" : minus(fixed(value, digits)));
    const confidence = percent(values.level);
    const spoken = all.map((row) => `${row.name}: ${number(row.low)} to ${number(row.high)}`).join("; ");
    // The two scores of a comparison have another scale than their difference: not drawn.
    const classes = result.classes && result.classes.length <= MOST_DRAWN ? result.classes : [];
    find("drawing").append(drawing([...rows, ...classes], `${confidence} % intervals. ${spoken}`));
    const width = (low, high) => fixed(high - low, digits);
    const interval = ({ low, high }) => `${number(low)} to ${number(high)}`;

    if (mode === "printed") {
      const listed = result.fits.slice(0, LISTED).map(({ tp, fn, from, to }) =>
        [thousands(tp), from === to ? thousands(from) : `${thousands(from)} to ${to === Infinity ? "any" : thousands(to)}`, thousands(fn)]);
      const more = result.fits.length - listed.length;
      find("tables").append(
        table(`${result.score}, ${confidence} % intervals: the least lower and the greatest upper limit`,
          ["Method", "Score", "Low", "High"], rows.map((row) => [
            row.name, row.least === row.most ? number(row.least) : `${number(row.least)} to ${number(row.most)}`,
            number(row.low), number(row.high)])),
        unfold("Counts that fit", wasOpen.has("Counts that fit"),
          table("Counts that fit the rounding", ["True positives", "False positives", "False negatives"], listed),
          ...(more > 0 ? [element("p", {}, `and ${some(more, "more line", "more lines")}.`)] : [])),
      );
    } else if (mode === "models" || mode === "files") {
      const verdict = rows[0].low > 0 ? "B is better" : rows[0].high < 0 ? "A is better" : "not distinguished";
      find("tables").append(
        element("p", { class: "calc-verdict" },
          `By the interval: ${verdict}. ${result.p === null ? "" : `Exact randomisation test: p = ${pValue(result.p)}. `}The models differ on ${some(result.discordant, "item", "items")}.`),
        table(`F1 and its difference, ${confidence} % Wilson score intervals`, ["Score", "Estimate", "Low", "High"],
          all.map((row) => [row.name, number(row.estimate), number(row.low), number(row.high)])),
        element("p", {}, "The test asks whether A and B could be exchanged on every item. The interval asks which differences of the two F1 scores fit the counts. At the border they may disagree."),
      );
    } else {
      find("tables").append(table(`${result.score}, ${confidence} % intervals`,
        [mode === "matrix" ? "Average" : "Method", "Low", "High", "Length"].flatMap((head, k) =>
          (mode === "matrix" && k === 1 ? ["Estimate", head] : [head])),
        rows.map((row) => [row.name, ...(mode === "matrix" ? [number(row.estimate)] : []),
          number(row.low), number(row.high), width(row.low, row.high)])));
    }
    if (result.others) {
      find("tables").append(unfold("Precision, recall and other scores", wasOpen.has("Precision, recall and other scores"),
        table(`Other scores, ${confidence} % intervals`, ["Score", "Estimate", "Wilson score", "Cautious"],
          result.others.map(({ name, rows: [score, cautious] }) =>
          [name, number(score.estimate), interval(score), interval(cautious)]))));
    }
    if (result.classes) {
      find("tables").append(table(`${result.score} of each class against the rest, ${confidence} % Wilson score intervals`,
        ["Class", "Estimate", "Low", "High", "True items"],
        result.classes.map((row) => [row.name, number(row.estimate), number(row.low), number(row.high), thousands(row.support)])));
    }
  }

  const quoted = ({ quotes }) => quotes.find((row) => row.key === find("quoted").value) || quotes[0];

  function offerTexts(values, result) {
    const select = find("quoted");
    const quotes = result.quotes || [];
    select.replaceChildren(...quotes.map((row) => element("option", { value: row.key }, row.title || row.label)));
    // What was chosen stays, as long as it is there; else the first row is quoted.
    if (quotes.some((row) => row.key === wished)) select.value = wished;
    find("quoted-field").hidden = quotes.length < 2;
    const lines = (quotes.length ? textsFor(quoted(result), values.level, result) : []).map(([name, text]) => {
      if (!name) return [element("dt", {}, "R, spreadsheet"), element("dd", {}, text)];
      const button = element("button", { type: "button", "aria-label": `Copy: ${name}` }, "Copy");
      button.addEventListener("click", () => copy(text, name));
      return [element("dt", {}, name), element("dd", {}, element("code", {}, text), button)];
    });
    const link = element("button", { type: "button" }, "Copy a link to these numbers");
    link.addEventListener("click", () => {
      history.replaceState(null, "", address());
      copy(location.href, "Link");
    });
    const [sentence = [], reference = [], ...others] = lines;
    find("first").replaceChildren(
      ...sentence, ...reference, element("dt", {}, "Link"), element("dd", {}, link));
    find("texts").replaceChildren(...others.flat());
  }

  async function copy(text, name) {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without the clipboard's permission: the old way.
      const area = element("textarea", { class: "calc-offstage", "aria-hidden": "true" });
      area.value = text;
      const focused = document.activeElement;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      focused.focus();
    }
    find("copied").textContent = done ? `${name} copied.` : "The browser refused to copy: select the text instead.";
  }

  // --- The state in the address ----------------------------------------------------------------

  const mode = () => form.elements.mode.value;
  let wished = null; // what the reader, or a link, chose to quote
  let compared = null; // the counts of the last predictions

  const address = () => {
    // Predictions stay on this page; a link has their counts.
    const fromFiles = mode() === "files";
    const state = new URLSearchParams({ mode: fromFiles ? "models" : mode() });
    for (const [name, text] of fromFiles ? Object.entries(compared || {}) : []) {
      state.set(name, name === "level" ? percent(text) : text);
    }
    for (const name of fromFiles ? [] : INPUTS[mode()]) {
      const text = form.elements[name].value.trim();
      if (text !== "") state.set(name, text);
    }
    const { selectedIndex, value } = find("quoted");
    if (selectedIndex > 0) state.set("quote", value);
    return `#calc?${state}`;
  };

  const restore = () => {
    const [place, query] = location.hash.split("?");
    if (place !== "#calc" || !query) return;
    const state = new URLSearchParams(query);
    const wanted = state.get("mode");
    if (!Object.hasOwn(INPUTS, wanted)) return;
    form.elements.mode.value = wanted;
    wished = state.get("quote");
    for (const name of INPUTS[wanted]) {
      if (state.has(name)) form.elements[name].value = state.get(name);
      else if (name === "tn") form.elements[name].value = "";
    }
    root.scrollIntoView();
  };

  // --- Predictions -----------------------------------------------------------------------------

  const TRUTH = /^(y|y_?true|true|truth|gold|label|target|actual|reference)( \(2\))?$/i;
  const KEY = /^(id|index|item|key|.*_id)$/i;
  const POSITIVE = /^(1|1\.0|true|yes|y|pos|positive)$/i;
  let offered = "";

  /** Fills the lists of columns and classes; what was chosen before stays if it is there. */
  function offerColumns({ head, rows }) {
    const fill = (name, choices, guess) => {
      const select = find(`column-${name}`);
      const before = select.value;
      select.replaceChildren(...choices.map((choice) => element("option", { value: choice }, choice)));
      select.value = choices.includes(before) && offered === head.join("\n") ? before : guess;
    };
    const truth = head.find((name) => TRUTH.test(name)) ?? head.find((name) => !KEY.test(name)) ?? head[0];
    const others = head.filter((name) => name !== truth && !TRUTH.test(name) && !KEY.test(name));
    fill("truth", head, truth);
    fill("a", head, others[0] ?? head[0]);
    fill("b", head, others[1] ?? others[0] ?? head[0]);
    const column = head.indexOf(find("column-truth").value);
    const classes = [...new Set(rows.map((row) => row[column]))].sort();
    fill("positive", classes, classes.find((name) => POSITIVE.test(name)) ?? classes[classes.length - 1]);
    offered = head.join("\n");
  }

  find("files").addEventListener("change", async () => {
    const files = [...find("files").files].slice(0, 2);
    const place = form.elements.predictions;
    try {
      const tables = await Promise.all(files.map(async (file) => reader.readTable(await file.text())));
      if (tables.length === 2) {
        const shared = tables[0].head.filter((name) => tables[1].head.includes(name) && KEY.test(name));
        const { missing, ...table } = reader.joined(...tables, shared[0]);
        const notes = [shared.length ? `Matched by the column “${shared[0]}”.` : "The files are matched line by line."];
        if (missing) notes.push(`${some(missing, "item is", "items are")} in one file only, and left out.`);
        loaded = { ...table, notes };
      } else {
        [loaded = null] = tables;
      }
      place.value = "";
      place.placeholder = files.map(({ name }) => name).join(", ");
      update();
    } catch (sentence) {
      if (typeof sentence !== "string") throw sentence;
      complain(find("files"), sentence);
      return;
    }
    complain(find("files"), "");
  });

  // --- Events ----------------------------------------------------------------------------------

  function update() {
    for (const fieldset of form.querySelectorAll("fieldset[data-mode]")) {
      fieldset.hidden = fieldset.dataset.mode !== mode();
    }
    for (const field of form.querySelectorAll("[data-not]")) field.hidden = field.dataset.not.split(" ").includes(mode());
    const values = read(form, INPUTS[mode()]);
    find("result").classList.toggle("calc-stale", values === null);
    if (values === null) {
      find("answer").textContent = "Correct the marked field first.";
      return;
    }
    if (mode() === "files") offerColumns(values.predictions);
    const result = compute[mode()](values);
    compared = result.counts || null;
    offerTexts(values, result);
    show(mode(), values, result);
    plan(values);
  }

  function plan({ level: confidence, beta: b = 1 }) {
    const values = read(planForm, ["half", "prevalence"]);
    if (values === null) {
      find("planned").textContent = "";
      return;
    }
    const weights = f1ci.fbetaWeights(b);
    const { positives, total } = f1ci.sampleSize(weights.a, weights.b, values.half, values.prevalence, confidence);
    find("planned").textContent =
      `${some(positives, "truly positive item", "truly positive items")}${total === null ? "" : `, so about ${some(total, "item", "items")} in all,`} keep the half width of the normal ${percent(confidence)} % interval of ${scoreName(b)} within ${values.half}, whatever the classifier.`;
  }

  let timer = null;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    find("copied").textContent = ""; // that was another number
    timer = setTimeout(() => {
      update();
      history.replaceState(null, "", address());
    }, 120);
  });
  planForm.addEventListener("input", update);
  find("quoted").addEventListener("change", () => {
    wished = find("quoted").value;
    update();
    history.replaceState(null, "", address());
  });
  for (const one of [form, planForm]) one.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => {
    restore();
    update();
  });

  // For the keyboard: the page's first link leads past its bars.
  const skip = document.querySelector("#pst-skip-link a");
  if (skip) Object.assign(skip, { href: "#calc", textContent: "Skip to the calculator" });
  form.hidden = false;
  find("result").hidden = false;
  restore();
  update();
});
