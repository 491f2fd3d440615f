// Score limits of macro and weighted averages of F-beta, from the confusion matrix: the range of
// the average over the tables that Pearson's test does not reject. Steps and letters are those of
// `_Region` in f1ci/samples.py. A change there is carried over here:
// `tests/site/test_kernels.py` compares both. The search is in f1ci.js.
const averages = (() => {
  "use strict";

  // Between so many classes, the smallest, all cells are looked at.
  const ALL_CELLS = 30;
  const [ROUNDING, LARGEST_FACTOR] = [1e-14, 2];

  /** The sum of f(value, place). */
  function sum(values, f = (value) => value) {
    let total = 0;
    for (let place = 0; place < values.length; place += 1) total += f(values[place], place);
    return total;
  }

  /** The cells that probability may move to, by true and predicted class, and their counts. */
  function tableOf(matrix) {
    const r = matrix.length;
    const every = matrix.flat();
    const sizes = matrix.map((row, k) => sum(row) + sum(matrix, (other) => other[k]));
    const order = [...sizes.keys()].sort((i, j) => sizes[i] - sizes[j]);
    const isSmall = new Set(order.slice(0, ALL_CELLS));
    const [row, column] = [(place) => Math.floor(place / r), (place) => place % r];
    const places = Float64Array.from(every.keys()).filter((place) => every[place] > 0
      || row(place) === column(place) || (isSmall.has(row(place)) && isSmall.has(column(place))));
    const [rows, columns] = [places.map(row), places.map(column)];
    return { r, rows, columns, counts: places.map((place) => every[place]) };
  }

  /** The sums of values by cell over the right, the predicted and the true items of each class. */
  function byClass({ r, rows, columns }, values) {
    const [right, predicted, truth] = [0, 1, 2].map(() => new Float64Array(r));
    for (let c = 0; c < values.length; c += 1) {
      if (rows[c] === columns[c]) right[rows[c]] += values[c];
      predicted[columns[c]] += values[c];
      truth[rows[c]] += values[c];
    }
    return [right, predicted, truth];
  }

  /** For each cell the sum of the three values by class that its items count in. */
  const byCell = ({ rows, columns }, [right, predicted, truth]) =>
    rows.map((i, c) => predicted[columns[c]] + truth[i] + (i === columns[c] ? right[i] : 0));

  /** The average over the classes that have a score at the probabilities q; its slopes by class. */
  function average(table, q) {
    const { a, b, weighted } = table;
    const [right, predicted, truth] = byClass(table, q);
    const D = right.map((x, k) => x + a * (predicted[k] - x) + b * (truth[k] - x));
    const F = D.map((d, k) => (d > 0 ? right[k] / d : 0));
    const weights = weighted ? truth : D.map((d) => Number(d > 0));
    const whole = sum(weights);
    const value = sum(F, (f, k) => weights[k] * f) / whole;
    const scales = D.map((d, k) => (d > 0 ? weights[k] / d / whole : 0));
    return { value, isComplete: weighted || whole === table.r, slopes: [
      F.map((f, k) => scales[k] * (1 - (1 - a - b) * f)),
      F.map((f, k) => -scales[k] * a * f),
      F.map((f, k) => -scales[k] * b * f + (weighted ? (f - value) / whole : 0)),
    ] };
  }

  /** The average of the shares p, and the influence of each cell; 0 where it is only rounding. */
  function observed(table, p) {
    const { value, slopes } = average(table, p);
    const e = byCell(table, slopes);
    const size = byCell(table, slopes.map((part) => part.map(Math.abs)));
    const [mean, meanSize] = [e, size].map((values) => sum(p, (share, c) => share * values[c]));
    const isRounding = (slope, c) => Math.abs(slope - mean) <= ROUNDING * (size[c] + meanSize);
    return { value, influence: e.map((slope, c) => (isRounding(slope, c) ? 0 : slope - mean)) };
  }

  function varianceFactor(table, p, e, n) {
    const moment = (power) => sum(p, (share, c) => share * e[c] ** power);
    const square = moment(2);
    if (square === 0) return 1;
    const [m3, m4] = [moment(3) / square ** 1.5, moment(4) / square ** 2];
    const shares = byClass(table, p);
    const parts = byClass(table, p.map((share, c) => share * e[c] * e[c]));
    const lines = [1, 2].map((kind) => sum(shares[kind], (share, k) => {
      const zeta2 = parts[kind][k] / square;
      return share > 0 ? (zeta2 * (1 - zeta2)) / share : 0;
    }));
    const added = Math.max(0, Math.max(...lines) - 0.75 * (m4 - 1 - m3 * m3));
    return Math.min(1 + added / n, LARGEST_FACTOR);
  }

  /** The factor on the distance of a limit from a perfect score, below 1 for 1 to 3 errors. */
  function fewErrorsFactor(errors, z, level) {
    if (errors < 1 || errors > 3) return 1;
    const wilson = errors ** 2 / (errors + (z * z) / 2 + z * Math.sqrt(errors + (z * z) / 4));
    // The mean at which so many errors or more have the probability 1 - level.
    let [low, high] = [0, wilson + 1];
    for (let step = 0; step < 60; step += 1) {
      const mean = (low + high) / 2;
      const fewer = Math.exp(-mean) * [1, 1 + mean, 1 + mean + mean ** 2 / 2][errors - 1];
      if (fewer < level) high = mean;
      else low = mean;
    }
    return Math.min(low / wilson, 1);
  }

  /** {estimate, low, high} of the mean of TP / (TP + a FP + b FN), alike or by true items. */
  function scoreLimits(matrix, a, b, level, weighted) {
    const table = { ...tableOf(matrix), a, b, weighted };
    const { rows, columns, counts } = table;
    const n = sum(counts);
    const p = counts.map((count) => count / n);
    const z = f1ci.twoSided(level);
    // 1. The range of the average in Pearson's region, with the variance factor.
    const evaluate = (q) => {
      const { value, isComplete, slopes } = average(table, q);
      return { value: isComplete ? value : NaN, slopes: byCell(table, slopes) };
    };
    const { value: estimate, influence } = observed(table, p);
    const factor = varianceFactor(table, p, influence, n);
    const [low, high] = f1ci.regionLimits(evaluate, counts, z * Math.sqrt(factor));
    // 2. The correction for one to three errors.
    const errors = sum(counts, (count, c) => (rows[c] === columns[c] ? 0 : count));
    const near = 1 - (1 - high) * fewErrorsFactor(errors, z, level);
    // 3. On both sides of the estimate.
    return { estimate, low: Math.min(low, estimate), high: Math.max(near, estimate) };
  }

  return { scoreLimits };
})();

if (typeof module !== "undefined") module.exports = averages;
