// Computes what the calculator shows of a reading. No page is needed.
//
// A result has `rows` to draw, `quotes` to copy, `notes`, and more tables as they apply: `others`,
// `averages`, `classes`, `fits`. A row has key, name, label, estimate, low, high and `about`, the name
// of its method; `least` and `most` if the estimate is a range; `python` and `r`, lines that give the
// same limits.
const results = (() => {
  "use strict";

  // The package looks at all cells of a matrix up to this many classes.
  const MOST_AVERAGED = 30;
  // Beyond this many numbers of true positives that fit a rounding, some are skipped.
  const MOST_VISITED = 500;

  const METHODS = [
    { key: "wilson_indirect", name: "Wilson score", kind: "score", limits: f1ci.wilsonIndirect },
    { key: "wilson_direct", name: "Wilson direct", limits: f1ci.wilsonDirect },
    { key: "clopper_pearson", name: "Clopper–Pearson", kind: "cautious", limits: f1ci.clopperPearson },
    { key: "wald", name: "Wald", limits: f1ci.wald },
  ];
  const TWO = (cautious) => [
    { key: "score", name: "Wilson score", kind: "score", limits: f1ci.tverskyScore },
    { key: "cautious", name: cautious, kind: "cautious", limits: f1ci.tverskyCautious },
  ];

  const LAM = "Lam, K. F. Y., Gopal, V. and Qian, J. (2024). Confidence intervals for the F1 score: a comparison of four methods. arXiv 2309.14621, https://arxiv.org/abs/2309.14621";
  const WILSON = "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the American Statistical Association 22, 209–212; for this score: f1ci, https://f1ci.github.io/f1ci/book/score.html";

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const some = (n, one, many) => `${String(n).replace(/\B(?=(\d{3})+$)/g, ",")} ${n === 1 ? one : many}`;
  const scoreName = (beta) => (beta === 1 ? "F1" : `F${beta}`);
  const tidy = (value) => String(Number(value.toPrecision(12)));

  // --- Lines of code -----------------------------------------------------------------------------

  const call = (name, positional, level, method = null) => `f1ci.${name}(${[
    ...positional, ...(method ? [`method="${method}"`] : []), ...(level === 0.95 ? [] : [`confidence_level=${tidy(level)}`]),
  ].join(", ")})`;

  const listOf = (matrix) => `[${matrix.map((row) => `[${row.join(", ")}]`).join(", ")}]`;

  /** R's own interval for the share of right items, mapped to F1; null if there is none. */
  function lineOfR(kind, { x, wrong, a }, level) {
    if (!kind || x + wrong === 0 || (a !== 0.5 && a !== 1)) return null;
    const test = kind === "score" ? "prop.test" : "binom.test";
    const more = kind === "score" ? ", correct = FALSE" : "";
    const p = `${test}(${x}, ${x + wrong}, conf.level = ${tidy(level)}${more})$conf.int`;
    return a === 1 ? p : `p <- ${p}\n2 * p / (1 + p)`;
  }

  // --- Scores of counts --------------------------------------------------------------------------

  /** An F-beta of counts. `of` is the class, if there are several. */
  const fScore = (beta, { tp, fp, fn, tn }, of = "") => ({
    id: `f${beta}`, name: scoreName(beta), label: scoreName(beta) + (of && ` of ${of}`), x: tp, y: fp, w: fn,
    ...f1ci.fbetaWeights(beta), of,
    python: beta === 1 ? ["f1_interval", [`tp=${tp}`, `fp=${fp}`, `fn=${fn}`]]
      : ["metric_interval", [`[[${tn ?? 0}, ${fp}], [${fn}, ${tp}]]`, `f1ci.metrics.fbeta(${beta})`]],
  });
  const share = (name, metric, x, y, w, matrix, of = "") => ({
    id: metric, name, label: metric + (of && ` of ${of}`), x, y, w, a: 1, b: 1, of, python: ["metric_interval", [matrix, `"${metric}"`]],
  });

  /** One row for each method; all four of F1 if asked. */
  function rowsOf({ id, label, x, y, w, a, b, of, python }, level, prefix = `${id}/`, four = false) {
    const isF1 = a === 0.5 && b === 0.5;
    const methods = isF1 && four ? METHODS : TWO(a === b ? "Clopper–Pearson" : "Cautious");
    return methods.map(({ key, kind, name, limits }) => {
      const [low, high] = methods === METHODS ? limits(x, y + w, level) : limits(x, y, w, a, b, level);
      // What Python calls the default needs no name.
      const method = kind === "score" ? null : isF1 && kind === "cautious" ? "clopper_pearson" : key;
      return {
        key: prefix + key, name, title: `${label}, ${name}`, label, of, low, high, estimate: f1ci.tverskyEstimate(x, y, w, a, b),
        about: name, reference: isF1 ? LAM : WILSON, python: call(...python, level, method),
        r: a === b ? lineOfR(kind, { x, wrong: y + w, a }, level) : null,
      };
    });
  }

  function methodNotes(rows) {
    const wald = rows.find((row) => row.about === "Wald");
    if (!wald || wald.low === undefined) return [];
    if (wald.low === wald.high) return ["Wald has no width here: do not use it."];
    return wald.low < 0 || wald.high > 1 ? ["Wald leaves the range from 0 to 1 here: do not use it."] : [];
  }

  /** Counts of one class: four intervals, and other scores. */
  function ofCounts(counts, { level, beta }, of = "") {
    const { tp, fp, fn, tn } = counts;
    const matrix = `[[${tn ?? 0}, ${fp}], [${fn}, ${tp}]]`;
    const rows = rowsOf(fScore(beta, counts, of), level, "", true);
    const notes = methodNotes(rows);
    if (tp + fp + fn === 0) {
      notes.unshift("No item is positive or predicted positive: the score is not defined, and any value is possible.");
    }
    const others = [
      share("Precision", "precision", tp, fp, 0, matrix, of),
      share("Recall", "recall", tp, 0, fn, matrix, of),
      share("Jaccard (IoU)", "jaccard", tp, fp, fn, matrix, of),
      ...[1, 0.5, 2].filter((other) => other !== beta).map((other) => fScore(other, counts, of)),
      ...(tn === null ? [] : [share("Accuracy", "accuracy", tp + tn, fp, fn, matrix)]),
    ].map((one) => ({ name: one.name, rows: rowsOf(one, level) }));
    const items = tn === null ? `a test set with ${some(tp + fn, "positive item", "positive items")}`
      : `${some(tp + fp + fn + tn, "item", "items")}, ${some(tp + fn, "of them positive", "of them positive")}`;
    return { score: scoreName(beta), rows, notes, others, items, quotes: [...rows, ...others.flatMap((one) => one.rows)] };
  }

  // --- Matrices ----------------------------------------------------------------------------------

  /** The averages of a matrix whose classes all have items. */
  function averagesOf(matrix, classes, { level, beta }) {
    const { a, b } = f1ci.fbetaWeights(beta);
    const n = sum(classes.map(({ support }) => support));
    const right = sum(matrix.map((row, k) => row[k]));
    const score = scoreName(beta);
    const average = (key, name, weights) => {
      const limits = f1ci.averageScore(matrix, a, b, level, key === "weighted");
      if (limits === null) return [];
      const [low, high] = limits;
      const metric = beta === 1 ? `"${key}_f1"` : `f1ci.metrics.${key}(f1ci.metrics.fbeta(${beta}))`;
      return [{
        key, name, label: `${key} ${score}`, of: "", low, high, about: "Wilson score", reference: WILSON, r: null,
        estimate: sum(classes.map((row, k) => row.estimate * weights[k])),
        python: call("metric_interval", [listOf(matrix), metric], level),
      }];
    };
    const [micro] = rowsOf(share("", "micro_f1", right, n - right, 0, listOf(matrix)), level);
    const rows = [{ ...micro, key: "micro", name: "Micro (accuracy)", title: null, label: `micro ${score}` }];
    if (matrix.length > MOST_AVERAGED) return rows;
    return [
      ...average("macro", "Macro", classes.map(() => 1 / classes.length)), ...rows,
      ...average("weighted", "Weighted", classes.map(({ support }) => support / n)),
    ];
  }

  /** For each class: true if an item belongs to it or is predicted as it. */
  const withItems = (matrix) => matrix.map((row, k) => sum(row) > 0 || matrix.some((other) => other[k] > 0));

  function ofMatrix({ matrix: all, labels }, settings, positive) {
    const present = withItems(all);
    const keep = (list) => list.filter((_, k) => present[k]);
    const matrix = keep(all).map(keep);
    const names = keep(labels);
    const notes = [];
    const absent = labels.filter((_, k) => !present[k]);
    if (absent.length) notes.push(`Left out, because no item belongs to the class or is predicted as it: ${absent.join(", ")}.`);
    if (matrix.length < 2) return { notes: ["At least two classes need items."], rows: [], quotes: [] };
    const n = sum(matrix.map(sum));
    const counts = f1ci.classCounts(matrix).map(({ x, y, w }) => ({ tp: x, fp: y, fn: w, tn: n - x - y - w }));
    const classes = counts.map((one, k) => {
      const [row] = rowsOf(fScore(settings.beta, one, names[k]), settings.level, `class ${k}/`);
      return { ...row, name: names[k], title: null, support: one.tp + one.fn };
    });
    const averages = averagesOf(matrix, classes, settings);
    if (matrix.length > MOST_AVERAGED) notes.push(`The page has no intervals of averages over more than ${MOST_AVERAGED} classes. Python has them: metric_interval.`);
    else if (averages.length < 3) notes.push("The search for the limits of an average does not come to rest here. Python has them: metric_interval.");
    const items = `${some(n, "item", "items")} of ${matrix.length} classes`;
    if (matrix.length > 2) {
      return { score: scoreName(settings.beta), rows: averages, notes, classes, items, quotes: [...averages, ...classes] };
    }
    const place = Math.max(0, names.indexOf(positive));
    const binary = ofCounts(counts[place], settings, names[place]);
    return {
      ...binary, notes: [...notes, ...binary.notes], averages, classes,
      quotes: [...binary.quotes, ...averages, ...classes.filter((_, k) => k !== place)],
    };
  }

  // --- Rounded numbers ---------------------------------------------------------------------------

  /** The least lower and the greatest upper limit over all counts that fit; null if none do. */
  function envelope(fits, rowsAt) {
    const step = Math.max(1, Math.floor(fits.length / MOST_VISITED));
    const visited = fits.filter((_, k) => k % step === 0 || k === fits.length - 1);
    let rows = null;
    for (const { tp, fn, from, to } of visited) {
      // Each limit falls with the false positives: the ends of their range are enough.
      for (const fp of from === to ? [from] : [from, to]) {
        // A precision printed as 0 leaves the false positives without bound.
        const here = fp === Infinity ? rows.map((row) => ({ ...row, estimate: 0, low: 0, high: 0 })) : rowsAt({ tp, fp, fn, tn: null });
        rows ??= here.map((row) => ({ ...row, least: row.estimate, most: row.estimate }));
        rows.forEach((row, k) => {
          row.low = Math.min(row.low, here[k].low);
          row.high = Math.max(row.high, here[k].high);
          row.least = Math.min(row.least, here[k].estimate);
          row.most = Math.max(row.most, here[k].estimate);
        });
      }
    }
    return { rows, skipped: fits.length - visited.length };
  }

  const tablesIn = (fits) => sum(fits.map(({ from, to }) => to - from + 1));

  /** Counts that fit a printed precision and recall, or a printed F1. */
  function ofPrinted({ precision, recall, f1, positives }, { level, beta }) {
    const score = scoreName(beta);
    if (positives === null) {
      return { score, rows: [], quotes: [], notes: ["This is too little for an interval. The error of F1 depends on the positive items, and not on the true negatives: give the number of truly positive items."] };
    }
    if (positives === 0) return { score, rows: [], quotes: [], notes: ["Without a truly positive item there is no recall."] };
    if (!precision && beta !== 1) return { score, rows: [], quotes: [], notes: [`F1 does not say what ${score} is. Set beta to 1.`] };
    const fits = precision ? f1ci.fittingCounts(precision, recall, positives) : f1ci.fittingF1(f1, positives);
    if (fits.length === 0) {
      const given = precision ? "this precision and recall" : "this F1";
      return { score, rows: [], quotes: [], notes: [`No counts of ${some(positives, "truly positive item", "truly positive items")} give ${given} when rounded: check the number of items and the digits.`] };
    }
    const result = ofFits(fits, { level, beta }, "", positives);
    if (!precision) result.notes.push("With precision and recall beside F1 the interval would be shorter.");
    return result;
  }

  /** The least lower and the greatest upper limits over the counts of one class that fit. */
  function ofFits(fits, { level, beta }, of, positives) {
    const { rows, skipped } = envelope(fits, (counts) => rowsOf(fScore(beta, counts, of), level, "", true));
    const tables = tablesIn(fits);
    const over = tables === Infinity ? "every table of counts that fits" : some(tables, "table of counts that fits", "tables of counts that fit");
    const notes = methodNotes(rows);
    if (skipped) notes.push(`${fits.length} numbers of true positives fit, and ${fits.length - skipped} of them were visited.`);
    const described = rows.map((row) => ({ ...row, over: `, over ${over} the rounding`, python: null, r: null }));
    const items = `a test set with ${some(positives, "positive item", "positive items")}`;
    return { score: scoreName(beta), rows: described, notes, fits, quotes: described, items };
  }

  /** A report of two classes: one class gets what the other one misses. */
  function ofTwoClasses(classes, fitting, settings, positive) {
    const labels = classes.map(({ name }) => name);
    const place = Math.max(0, labels.indexOf(positive));
    const [ones, others] = [fitting[place], fitting[1 - place]];
    const pairs = ones.flatMap((one) => others.filter((other) =>
      other.fn >= one.from && other.fn <= one.to && one.fn >= other.from && one.fn <= other.to).map((other) => [one, other]));
    if (pairs.length === 0) return { rows: [], quotes: [], notes: ["No counts give the numbers of both classes: check the report."] };
    if (pairs.length > 1) {
      const fits = pairs.map(([one, other]) => ({ ...one, from: other.fn, to: other.fn }));
      return ofFits(fits, settings, positive, classes[place].positives);
    }
    const [[one, other]] = pairs;
    const rows = [[one.tp, one.fn], [other.fn, other.tp]];
    const matrix = place === 0 ? rows : rows.map((row) => [...row].reverse()).reverse();
    const found = ofMatrix({ matrix, labels }, settings, positive);
    return { ...found, notes: [`The report leaves one matrix: ${listOf(matrix)}, true classes in rows.`, ...found.notes] };
  }

  /** A report: the counts of each class come back from its rounded numbers. */
  function ofReport({ classes }, settings, positive) {
    const fitting = classes.map(({ precision, recall, f1, positives }) => {
      const byF1 = new Map(f1ci.fittingF1(f1, positives).map((row) => [row.tp, row]));
      return f1ci.fittingCounts(precision, recall, positives)
        .map((row) => ({ ...row, from: Math.max(row.from, byF1.get(row.tp)?.from ?? Infinity), to: Math.min(row.to, byF1.get(row.tp)?.to ?? -1) }))
        .filter(({ tp, from, to }) => tp === 0 || from <= to);
    });
    const wrong = classes.find((_, k) => fitting[k].length === 0 || classes[k].positives === 0);
    if (wrong) return { rows: [], quotes: [], notes: [`No counts give the numbers of the class “${wrong.name}”: check its line.`] };
    if (classes.length === 2) return ofTwoClasses(classes, fitting, settings, positive);
    const score = scoreName(settings.beta);
    const rows = classes.map(({ name, positives }, k) => {
      const found = envelope(fitting[k], (counts) => rowsOf(fScore(settings.beta, counts, name), settings.level, `class ${k}/`).slice(0, 1));
      const [row] = found.rows;
      const tables = tablesIn(fitting[k]);
      const exact = tables === 1 ? {} : { over: `, over ${some(tables, "table", "tables")} of counts that fit the rounding`, python: null, r: null };
      return { ...row, name, title: null, support: positives, ...exact };
    });
    const notes = ["A report does not say which classes are taken for which. The averages need that for their intervals: give the confusion matrix."];
    return { score, rows: [], classes: rows, notes, quotes: rows, items: some(sum(classes.map(({ positives }) => positives)), "item", "items") };
  }

  // --- Two models --------------------------------------------------------------------------------

  function ofComparison(t, { level }) {
    const single = f1ci.modelCounts(t).map(({ x, y, w }, k) => {
      const [row] = rowsOf(fScore(1, { tp: x, fp: y, fn: w, tn: null }, "AB"[k]), level, `${"AB"[k]}/`);
      return { ...row, name: row.label, title: null };
    });
    const [low, high] = f1ci.differenceScore(t, 0.5, 0.5, level);
    const p = f1ci.exactTest(t);
    const discordant = t.posA + t.posB + t.negA + t.negB;
    // Truth, A and B of an item of each kind, in the order of the numbers.
    const kinds = "[1, 1, 1], [1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 0, 0]";
    const numbers = [t.tp, t.posA, t.posB, t.fn, t.negA, t.negB, t.fp, t.tn];
    const difference = {
      key: "difference", name: "B minus A", signed: true, label: "F1 of B minus F1 of A", of: "", low, high, p, discordant,
      estimate: single[1].estimate - single[0].estimate, about: "Wilson score", reference: WILSON, r: null,
      python: `y, a, b = np.repeat(\n    [${kinds}],\n    [${numbers.join(", ")}],\n    axis=0,\n).T\n${call("difference_test", ["y", "a", "b"], level, "exact")}`,
    };
    const notes = [];
    if (discordant === 0) notes.push("The models differ on no item, so neither is better here.");
    if (p === null) notes.push("The models differ on too many items for the exact test on this page. The line of Python has it.");
    if (single.some(({ estimate }) => Number.isNaN(estimate))) notes.push("A score is not defined: no item is positive or predicted positive.");
    return { score: "F1", rows: [difference], single, notes, quotes: [difference, ...single], items: "" };
  }

  /** The result of a reading. `choice` are the columns of predictions, `positive` the class. */
  function compute(reading, settings, choice, positive) {
    if (reading.kind === "counts") return ofCounts(reading.counts, settings);
    if (reading.kind === "matrix") return ofMatrix(reading, settings, positive);
    if (reading.kind === "report") return ofReport(reading, settings, positive);
    if (reading.kind !== "predictions") return ofPrinted(reading, settings);
    if (choice.b) return ofComparison(tables.comparisonOf(reading.table, choice), settings);
    return ofMatrix({ matrix: tables.matrixOf(reading.table, choice), labels: choice.classes }, settings, positive);
  }

  return { compute, withItems };
})();

if (typeof module !== "undefined") module.exports = results;
