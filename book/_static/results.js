// Computes what the calculator shows of a reading. No page is needed.
//
// A result has `rows` to draw, `tables` of rows {caption, first, rows, folded}, `notes`, `items`
// (the test set in words), `oneClass` if all is about one class, and `verdict` for two models.
// `quotes` are all its rows, each label once. A row has name, label, estimate, low, high,
// `reference`, and `python`, a line that gives the same limits; `least` and `most` if the estimate
// is a range; `method` if it is not Wilson's.
const results = (() => {
  "use strict";

  // About so many numbers of true positives that fit a rounding are visited.
  const MOST_VISITED = 500;

  // Sources. What f1ci itself derives is cited with its version, which the page knows.
  const LAM = {
    text: "Lam, K. F. Y., Gopal, V. and Qian, J. (2024). Confidence intervals for the F1 score: a "
      + "comparison of four methods. arXiv 2309.14621, https://arxiv.org/abs/2309.14621",
  };
  const WILSON = {
    text: "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical "
      + "inference. Journal of the American Statistical Association 22, 209–212",
    page: "score",
  };
  const OURS = { page: "units" };

  const { some } = cells;
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const scoreName = (beta) => `F${beta}`;
  // Without the last digits, which are rounding: 0.99, not 0.9899999999999999.
  const tidy = (value) => String(Number(value.toPrecision(12)));

  /**
   * A line of Python: a call of f1ci's `asked`, such as "f1_interval" or
   * "Matrix(...).interval".
   */
  function call(asked, positional, level) {
    const named = level === 0.95 ? [] : [`confidence_level=${tidy(level)}`];
    return `f1ci.${asked}(${[...positional, ...named].join(", ")})`;
  }
  const listOf = (matrix) => `[${matrix.map((row) => `[${row.join(", ")}]`).join(", ")}]`;

  /** A result without a number, and why. */
  const nothing = (note) => ({ rows: [], tables: [], notes: [note] });

  // --- Scores of counts --------------------------------------------------------------------------

  const MICRO = Symbol("micro");
  const labelOf = (name, of) => (of === MICRO ? `micro ${name}` : name + (of && ` of ${of}`));

  /** An F-beta of counts. `of` is the class, if there are several. */
  const fScore = (beta, { tp, fp, fn, tn }, of = "") => ({
    name: scoreName(beta), label: labelOf(scoreName(beta), of), x: tp, y: fp, w: fn,
    ...f1ci.fbetaWeights(beta), reference: beta === 1 ? LAM : WILSON,
    call: beta === 1 ? ["f1_interval", [`tp=${tp}`, `fp=${fp}`, `fn=${fn}`]]
      : [`Matrix([[${tn ?? 0}, ${fp}], [${fn}, ${tp}]]).interval`, [`f1ci.metrics.fbeta(${beta})`]],
  });
  const share = (name, metric, x, y, w, matrix, of = "") => ({
    name, label: labelOf(metric, of), x, y, w, a: 1, b: 1, reference: WILSON,
    call: [`Matrix(${matrix}).interval`, [`"${metric}"`]],
  });

  /** The row of a score with its score interval. */
  function rowOf({ name, label, reference, x, y, w, a, b, call: line }, level) {
    const [low, high] = f1ci.tverskyScore(x, y, w, a, b, level);
    const estimate = f1ci.tverskyEstimate(x, y, w, a, b);
    return { name, label, reference, estimate, low, high, python: call(...line, level) };
  }

  /** The rows of the F score that was asked for, and of other scores. */
  function scoresOf(counts, { level, beta }, of) {
    const { tp, fp, fn, tn } = counts;
    const matrix = `[[${tn ?? 0}, ${fp}], [${fn}, ${tp}]]`;
    const others = [1, 0.5, 2].filter((other) => other !== beta);
    return [
      fScore(beta, counts, of),
      share("Precision", "precision", tp, fp, 0, matrix, of),
      share("Recall", "recall", tp, 0, fn, matrix, of),
      ...others.map((other) => fScore(other, counts, of)),
      share("Jaccard (IoU)", "jaccard", tp, fp, fn, matrix, of),
      ...(tn === null ? [] : [share("Accuracy", "accuracy", tp + tn, fp, fn, matrix)]),
    ].map((score) => rowOf(score, level));
  }

  /** What is shown of one class: three scores are drawn, all are in the table. */
  const ofScores = (rows, items, notes) => ({
    rows: rows.slice(0, 3), tables: [{ caption: "Scores", first: "Score", rows }], items, notes,
    oneClass: true,
  });

  function ofCounts(counts, settings, of = "") {
    const { tp, fp, fn, tn } = counts;
    const undefinedScore = "No item is positive or predicted positive: the score is not defined, "
      + "and any value is possible.";
    const positive = some(tp + fn, "of them positive", "of them positive");
    const items = tn === null ? `a test set with ${some(tp + fn, "positive item")}`
      : `${some(tp + fp + fn + tn, "item")}, ${positive}`;
    const notes = tp + fp + fn === 0 ? [undefinedScore] : [];
    return { ...ofScores(scoresOf(counts, settings, of), items, notes), counts };
  }

  // --- Matrices ----------------------------------------------------------------------------------

  /**
   * The averages of a matrix. Their limits are for all of its classes, also for those without
   * items.
   */
  function averagesOf(matrix, { level, beta }) {
    const { a, b } = f1ci.fbetaWeights(beta);
    const wrong = sum(matrix.map((row, k) => sum(row) - row[k]));
    const right = sum(matrix.map(sum)) - wrong;
    const average = (name) => {
      const key = name.toLowerCase();
      const limits = averages.scoreLimits(matrix, a, b, level, key === "weighted");
      const metric = beta === 1 ? `"${key}_f1"`
        : `f1ci.metrics.${key}(f1ci.metrics.fbeta(${beta}))`;
      const python = call(`Matrix(${listOf(matrix)}).interval`, [metric], level);
      return { name, label: `${key} ${scoreName(beta)}`, ...limits, reference: WILSON, python };
    };
    const accuracy = share("Micro (accuracy)", "micro_f1", right, wrong, 0, listOf(matrix));
    const micro = { ...rowOf(accuracy, level), label: `micro ${scoreName(beta)}` };
    return [average("Macro"), micro, average("Weighted")];
  }

  /** For each class: true if an item belongs to it or is predicted as it. */
  const withItems = (matrix) => matrix.map((row, k) => sum(row) > 0
    || matrix.some((other) => other[k] > 0));

  /** A row for each class against the rest, with its counts. */
  function classesOf(matrix, names, { level, beta }) {
    const n = sum(matrix.map(sum));
    return f1ci.classCounts(matrix).map(({ x, y, w }, k) => {
      const counts = { tp: x, fp: y, fn: w, tn: n - x - y - w };
      return { ...rowOf(fScore(beta, counts, names[k]), level), name: names[k], support: x
        + w, counts };
    });
  }

  /** What the averages make of the classes that no item belongs to or is predicted as. */
  function noteOn(absent) {
    if (absent.length === 0) return [];
    const [them, scores] = absent.length === 1 ? ["it", "its score is"]
      : ["them", "their scores are"];
    return [`No item belongs to ${absent.join(", ")} or is predicted as ${them}: ${scores} not `
      + "defined. The averages are over the other classes. The limits of the macro average hold "
      + "whatever a class without items may score."];
  }

  function ofMatrix({ matrix: all, labels }, settings, positive) {
    const present = withItems(all);
    const keep = (list) => list.filter((_, k) => present[k]);
    const matrix = keep(all).map(keep);
    const names = keep(labels);
    if (names.length < 2) return nothing("At least two classes need items.");
    const classes = classesOf(matrix, names, settings);
    const averaged = averagesOf(all, settings);
    const notes = noteOn(labels.filter((_, k) => !present[k]));
    const binary = names.length === 2;
    const score = scoreName(settings.beta);
    const tables = [
      { caption: `Averages of ${score}`, first: "Average", rows: averaged, folded: binary },
      { caption: `${score} of each class against the rest`, first: "Class", rows: classes,
        folded: binary },
    ];
    if (!binary) {
      const items = `${some(sum(matrix.map(sum)), "item")} of ${names.length} classes`;
      return { rows: [...averaged, ...classes], tables, notes, items };
    }
    const place = Math.max(0, names.indexOf(positive));
    const result = ofCounts(classes[place].counts, settings, names[place]);
    return { ...result, notes: [...notes, ...result.notes], tables: [...result.tables, ...tables] };
  }

  // --- Rounded numbers ---------------------------------------------------------------------------

  /** The counts with these rounded numbers; of many numbers of true positives only some. */
  function fitting(bands, positives) {
    const [least, most] = bands.recall ?? [0, 1];
    const step = Math.max(1, Math.floor((positives * (most - least)) / MOST_VISITED));
    return { fits: f1ci.fittingCounts(bands, positives, step), step };
  }

  /**
   * For each row the least lower and the greatest upper limit over the counts that fit. A limit
   * falls with the false positives, so the ends of their range are enough.
   */
  function envelope({ fits, step }, rowsAt) {
    const ends = fits.flatMap(({ tp, fn, from, to }) =>
      [...new Set([from, Math.min(to, cells.LARGEST)])].map((fp) => ({ tp, fp, fn, tn: null })));
    const found = ends.map(rowsAt);
    if (found.length === 1) return found[0];
    const tables = sum(fits.map(({ from, to }) => to - from + 1));
    const isSome = step > 1 || tables === Infinity;
    const number = isSome ? "tables of counts"
      : some(tables, "table of counts", "tables of counts");
    return found[0].map((row, k) => {
      const all = (key) => found.map((rows) => rows[k][key]);
      return {
        ...row, low: Math.min(...all("low")), high: Math.max(...all("high")),
        least: Math.min(...all("estimate")), most: Math.max(...all("estimate")),
        over: `, over ${number} that fit the rounding`, python: null,
      };
    });
  }

  /** A printed precision and recall, or a printed F1: a report of one class. */
  function ofPrinted(printed, settings) {
    if (printed.positives === null) {
      return nothing("This is too little for an interval. The error of F1 depends on the positive "
        + "items, and not on the true negatives: give the number of truly positive items.");
    }
    const alone = !(printed.precision && printed.recall);
    if (alone && settings.beta !== 1) {
      return nothing(`F1 does not say what ${scoreName(settings.beta)} is. Set beta to 1.`);
    }
    const name = printed.average === "micro" ? MICRO : "";
    const result = ofReport({ classes: [{ ...printed, name }] }, settings, "");
    if (alone && result.rows.length) {
      result.notes.push("With precision and recall beside F1 the interval would be shorter.");
    }
    if (name === MICRO) result.notes.push(SPANS);
    return result;
  }

  /** The scores of one class over the counts that fit. */
  function ofFits(fits, settings, of, positives) {
    const rows = envelope(fits, (counts) => scoresOf(counts, settings, of));
    return ofScores(rows, `a test set with ${some(positives, "positive item")}`, []);
  }

  /** A report of two classes: one class gets what the other one misses. */
  function ofTwoClasses(classes, found, settings, positive) {
    const labels = classes.map(({ name }) => name);
    const place = Math.max(0, labels.indexOf(positive));
    const [{ fits: ones, step }, { fits: others }] = [found[place], found[1 - place]];
    const pairs = ones.flatMap((one) => others
      .filter((other) => other.fn >= one.from && other.fn <= one.to
        && one.fn >= other.from && one.fn <= other.to)
      .map((other) => ({ ...one, from: other.fn, to: other.fn, right: other.tp })));
    if (pairs.length === 0) {
      return nothing("No counts give the numbers of both classes: check the report.");
    }
    if (pairs.length > 1) {
      return ofFits({ fits: pairs, step }, settings, positive, classes[place].positives);
    }
    const [{ tp, fn, from, right }] = pairs;
    const matrix = place === 0 ? [[tp, fn], [from, right]] : [[right, from], [fn, tp]];
    const result = ofMatrix({ matrix, labels }, settings, positive);
    const note = `The report leaves one matrix: ${listOf(matrix)}, true classes in rows.`;
    return { ...result, notes: [note, ...result.notes] };
  }

  const SPANS = "The interval treats what was found as independent. Entities of one document are "
    + "not: give TP, FP and FN of each document, or use f1ci.Units in Python.";

  /** A report: the counts of each class come back from its rounded numbers. */
  function ofReport({ classes, micro }, settings, positive) {
    const all = micro ? [{ ...micro, name: MICRO }, ...classes] : classes;
    const found = all.map((one) => fitting(one, one.positives));
    const wrong = all.find(({ positives }, k) => found[k].fits.length === 0 || positives === 0);
    if (wrong) {
      const of = wrong.name === MICRO ? "the micro average" : wrong.name
        && `the class “${wrong.name}”`;
      const items = labelOf(some(wrong.positives, "truly positive item"), of);
      return nothing(`No counts of ${items} give these numbers when rounded: check the number of `
        + "items and the digits.");
    }
    if (all.length === 1) return ofFits(found[0], settings, all[0].name, all[0].positives);
    if (!micro && classes.length === 2) return ofTwoClasses(classes, found, settings, positive);
    const rows = all.map(({ name, positives }, k) => {
      const [row] = envelope(found[k], (counts) =>
        [rowOf(fScore(settings.beta, counts, name), settings.level)]);
      return { ...row, name: name === MICRO ? "Micro average" : name, support: positives };
    });
    const note = "A report does not say which classes are taken for which. The macro and weighted "
      + "averages need that for their intervals: give the confusion matrix.";
    const caption = `${scoreName(settings.beta)} of each class against the rest`;
    const items = some(sum(classes.map(({ positives }) => positives)), "item");
    const notes = micro ? [SPANS] : [note];
    return { rows, tables: [{ caption, first: "Class", rows }], notes, items };
  }

  /** TP, FP and FN of classes, such as kinds of entities; their sums have the micro average. */
  function ofClasses({ rows: counts }, { level, beta }) {
    const total = (key) => sum(counts.map((row) => row[key]));
    const all = { tp: total("tp"), fp: total("fp"), fn: total("fn"), tn: null };
    const row = (one, of) => ({
      ...rowOf(fScore(beta, one, of), level), name: of === MICRO ? "Micro average" : of,
      support: one.tp + one.fn,
    });
    const rows = [row(all, MICRO), ...counts.map((one) => row(one, one.name))];
    const tables = [{ caption: `${scoreName(beta)} of each class`, first: "Class", rows }];
    return { rows, tables, notes: [SPANS], items: some(all.tp + all.fn, "positive item") };
  }

  // --- Units -------------------------------------------------------------------------------------

  const UNITS = "Wilson score, by unit";
  const MOST_WRITTEN = 300; // units in a line of Python
  const MOST_FEW = 3; // units of one size, at which Python warns

  /** The row of a Tversky score of units. */
  function unitRow({ name, label, a, b, asked }, rows, level) {
    const [low, high] = units.scoreLimits(rows, a, b, level);
    const total = (key) => sum(rows.map((row) => row[key]));
    const estimate = f1ci.tverskyEstimate(total("x"), total("y"), total("w"), a, b);
    const python = rows.length <= MOST_WRITTEN ? call(...asked, level) : null;
    return { name, label, estimate, low, high, python, method: UNITS, reference: OURS };
  }

  /** A note on units that are few, or of which one holds much, as Python warns of them. */
  function noteOnFew(rows) {
    const sizes = rows.map(({ x, y, w }) => x + y + w);
    const shares = sizes.filter(Boolean).map((size) => size / sum(sizes));
    const worth = 1 / sum(shares.map((share) => share * share));
    if (!(worth <= MOST_FEW)) return [];
    const largest = tidy(100 * Math.max(...shares).toPrecision(3));
    return [`This rests on ${some(shares.length, "unit")}, as good as ${worth.toPrecision(2)} of `
      + `one size (the largest holds ${largest} %); units of another kind may be missing.`];
  }

  /** TP, FP and FN of units. */
  function ofUnits({ rows: counts }, { level, beta }) {
    const rows = counts.map(({ tp, fp, fn }) => ({ x: tp, y: fp, w: fn }));
    const data = `Units(${listOf(counts.map(({ tp, fp, fn }) => [tp, fp, fn]))}).interval`;
    const betas = [beta, ...[1, 0.5, 2].filter((other) => other !== beta)];
    const scores = betas.map((one) => ({
      name: scoreName(one), label: scoreName(one), ...f1ci.fbetaWeights(one),
      asked: [data, [one === 1 ? '"f1"' : `f1ci.metrics.fbeta(${one})`]],
    }));
    const share = (name, metric, a, b) =>
      ({ name, label: metric, a, b, asked: [data, [`"${metric}"`]] });
    scores.splice(1, 0, share("Precision", "precision", 1, 0), share("Recall", "recall", 0, 1));
    scores.push(share("Jaccard (IoU)", "jaccard", 1, 1));
    const found = scores.map((score) => unitRow(score, rows, level));
    return { ...ofScores(found, some(rows.length, "unit"), noteOnFew(rows)), oneClass: false };
  }

  /**
   * {items, units, models, code}: the scores of the chosen columns by unit, and as Python has
   * them.
   */
  function scoresByUnit(table, { a, b, group }) {
    const columns = [a, b].filter(Boolean).map((name) => tables.called(table, name).cells)
      .map((cells) => cells.map(Number.parseFloat));
    const groups = group ? tables.called(table, group).cells : null;
    const places = table.lines.map((_, k) => k)
      .filter((k) => columns.some((scores) => !Number.isNaN(scores[k])));
    const names = [...new Set(places.map((k) => (groups ? groups[k] : k)))];
    const models = columns.map((scores) => {
      const rows = new Map(names.map((name) => [name, { x: 0, y: 0, w: 0 }]));
      for (const k of places.filter((place) => !Number.isNaN(scores[place]))) {
        const row = rows.get(groups ? groups[k] : k);
        row.x += scores[k];
        row.w += 1 - scores[k];
      }
      return [...rows.values()];
    });
    const inPython = (x) => (Number.isNaN(x) ? 'float("nan")' : x);
    const list = (scores) => `[${places.map((k) => inPython(scores[k])).join(", ")}]`;
    const data = columns.map((scores, k) => `"${"AB"[k]}": ${list(scores)}`).join(", ");
    const grouped = groups ? `, groups=${JSON.stringify(places.map((k) => groups[k]))}` : "";
    return {
      items: places.length, units: names.length, models, code: `Scores({${data}}${grouped})`,
    };
  }

  /** One score for each unit, of one model or of two. */
  function ofMeans({ table }, choice, { level }) {
    const { a, b, group } = choice;
    const { items: number, units: unitsSeen, models, code } = scoresByUnit(table, choice);
    const left = table.lines.length - number;
    const are = left === 1 ? "is" : "are";
    const notes = left ? [`${some(left, "line")} without a score ${are} left out.`] : [];
    notes.push(...noteOnFew(models[0]));
    const items = group ? `${some(number, "item")} of ${some(unitsSeen, "unit")}`
      : some(number, "item");
    const means = models.map((rows, k) => {
      const label = `mean ${[a, b][k]}`;
      const asked = [`${code}.interval`, [`model="${"AB"[k]}"`]];
      return unitRow({ name: label, label, a: 0, b: 1, asked }, rows, level);
    });
    if (!b) {
      return { rows: means, tables: [{ caption: "Mean", first: "Score", rows: means }], notes,
        items };
    }
    const difference = {
      ...units.difference(...models, 0, 1, level), name: "B minus A", signed: true,
      label: "mean of B minus mean of A", reference: OURS, method: "jackknife, Student’s t",
      test: "t test", python: number <= MOST_WRITTEN ? call(`${code}.difference`, [], level) : null,
    };
    const all = [{
      caption: "Means and their difference", first: "Score", rows: [difference, ...means],
    }];
    const verdict = `By the interval: ${betterOf(difference)}.`;
    return { rows: [difference], tables: all, notes, items, verdict };
  }

  const betterOf = ({ low, high }) =>
    (low > 0 ? "B is better" : high < 0 ? "A is better" : "not distinguished");

  // --- Two models --------------------------------------------------------------------------------

  // What is compared: F1; or the share of right items, which is the recall of items that all count
  // as positive.
  const F1 = { title: "F1", a: 0.5, b: 0.5, metric: [],
    score: (counts, of) => fScore(1, counts, of) };
  const ACCURACY = {
    title: "accuracy", a: 0, b: 1, metric: ['"accuracy"'],
    score: ({ tp, fn }, of) =>
      ({ ...share("Accuracy", "accuracy", tp, 0, fn, `[[0, 0], [${fn}, ${tp}]]`, of), a: 0, b: 1 }),
  };

  /** The difference of a score of two models, by counts of items, and the scores. */
  function ofComparison(t, { level }, { title, a, b, metric, score } = F1, names = ["A", "B"]) {
    const models = f1ci.modelCounts(t).map(({ x, y, w }, k) => {
      const row = rowOf(score({ tp: x, fp: y, fn: w, tn: null }, names[k]), level);
      return { ...row, name: row.label };
    });
    const [low, high] = f1ci.differenceScore(t, a, b, level);
    const discordant = t.posA + t.posB + t.negA + t.negB;
    const kinds = Object.values(tables.KINDS).map((kind) => `[${[...kind].join(", ")}]`).join(", ");
    const counts = Object.keys(tables.KINDS).map((kind) => t[kind]).join(", ");
    const asked = call('Labels(y, {"A": a, "B": b}).difference', metric, level);
    const estimate = models[1].estimate - models[0].estimate;
    const difference = {
      name: "B minus A", signed: true,
        label: `${title} of ${names[1]} minus ${title} of ${names[0]}`,
      low, high, discordant, estimate, reference: WILSON, test: "",
      p: Number.isNaN(estimate) ? NaN : f1ci.differenceP(t, a, b),
      python: `y, a, b = np.repeat(\n    [${kinds}],\n    [${counts}],\n    axis=0,\n).T\n${asked}`,
    };
    const notes = [];
    if (discordant === 0) notes.push("The models differ on no item, so neither is better here.");
    if (models.some(({ estimate }) => Number.isNaN(estimate))) {
      notes.push("A score is not defined: no item is positive or predicted positive.");
    }
    const differ = `The models differ on ${some(discordant, "item")}.`;
    const all = [{
      caption: `${title} and its difference`, first: "Score", rows: [difference, ...models],
    }];
    return {
      rows: [difference], tables: all, notes, items: some(sum(Object.values(t)), "item"),
      verdict: `By the interval: ${betterOf(difference)}. ${differ}`,
    };
  }

  /** Items that both models have right, one alone, and none. */
  function ofPairs({ both, onlyA, onlyB, none, names }, settings) {
    const t = { tp: both, posA: onlyA, posB: onlyB, fn: none, fp: 0, negA: 0, negB: 0, tn: 0 };
    return ofComparison(t, settings, ACCURACY, names);
  }

  function resultOf(reading, settings, choice, positive) {
    const { kind, table } = reading;
    if (kind === "counts") return ofCounts(reading.counts, settings);
    if (kind === "matrix") return ofMatrix(reading, settings, positive);
    if (kind === "report") return ofReport(reading, settings, positive);
    if (kind === "printed") return ofPrinted(reading, settings);
    if (kind === "classes") return ofClasses(reading, settings);
    if (kind === "units") return ofUnits(reading, settings);
    if (kind === "pairs") return ofPairs(reading, settings);
    if (kind === "scores") return ofMeans(reading, choice, settings);
    if (choice.b) return ofComparison(tables.comparisonOf(table, { ...choice, positive }),
      settings);
    const matrix = tables.matrixOf(table, choice);
    return ofMatrix({ matrix, labels: choice.classes }, settings, positive);
  }

  /** The result of a reading. `choice` are the columns of predictions, `positive` the class. */
  function compute(reading, settings, choice, positive) {
    const result = resultOf(reading, settings, choice, positive);
    const rows = [...result.rows, ...result.tables.flatMap((table) => table.rows)];
    const quotes = rows.filter(({ label }, k) => rows
      .findIndex((row) => row.label === label) === k);
    return { ...result, quotes };
  }

  return { compute, withItems };
})();
