// Score limits of macro and weighted averages of F-beta, from the confusion matrix: the range of
// the average over the tables that Pearson's test does not reject. Steps, letters and constants are
// those of f1ci/methods/region.py, which explains them, and of `_limits_of_table` in
// f1ci/samples.py. A change there is carried over here: `tests/site/test_kernels.py` compares both.
const averages = (() => {
  "use strict";

  const SPREAD = 0.8;
  const [FIRST_DRAG, LEAST_DRAG, LESS_DRAG, MORE_DRAG] = [10, 0.001, 0.25, 4];
  const [KEPT, BROKEN] = [0.75, 0.25];
  const [PROMISE, ROUNDS] = [1e-7, 500];
  const [STEPS, NEAR, ROUNDING] = [100, 1e-9, 1e-14];
  const [SMALLEST_H, LARGEST_FACTOR, TINY] = [1e-9, 2, 1e-300];
  // Between so many classes, the smallest, all cells are looked at.
  const ALL_CELLS = 30;

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
    return { r, rows, columns, counts: places.map((place) => every[place]), sizes };
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

  /** The average at the probabilities q of the classes that have a score; its slopes by class. */
  function average(table, q) {
    const { a, b, weighted } = table;
    const [right, predicted, truth] = byClass(table, q);
    const D = right.map((x, k) => x + a * (predicted[k] - x) + b * (truth[k] - x));
    const F = D.map((d, k) => (d > 0 ? right[k] / d : 0));
    const weights = weighted ? truth : D.map((d) => Number(d > 0));
    const whole = sum(weights);
    const value = sum(F, (f, k) => weights[k] * f) / whole;
    const scales = D.map((d, k) => (d > 0 ? weights[k] / d / whole : 0));
    return { value, slopes: [
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

  /** The q with sum of a^2 / q = kappa at which the sum of e q is largest. */
  function furthest(a, e, kappa, h) {
    // 1. u is nu less the largest slope, in units of the range d of the slopes.
    const largest = e.reduce((x, y) => Math.max(x, y));
    const range = Math.max(largest - e.reduce((x, y) => Math.min(x, y)), TINY);
    const d = e.map((slope) => (largest - slope) / range);
    // 2. A place left of the root.
    const top = sum(a, (x, c) => (d[c] === 0 ? x : 0));
    const least = ((top * sum(a, (x, c) => x * Math.sqrt(d[c]))) / kappa) ** 2;
    // 3. The root if the region is small.
    const S = sum(a);
    const mean = sum(a, (x, c) => x * d[c]) / S;
    const variance = sum(a, (x, c) => x * (d[c] - mean) ** 2) / S;
    let u = 0.5 * S * Math.sqrt(variance / Math.max(kappa - S * S, TINY)) - mean;
    // 4. Newton's steps.
    for (let step = 1; ; step += 1) {
      u = Math.max(u, least);
      const q = a.map((x, c) => x / Math.sqrt(u + d[c]));
      const A = sum(q);
      const B = sum(a, (x, c) => x * Math.sqrt(u + d[c]));
      const f = Math.log((A * B) / kappa);
      if (Math.abs(f) <= NEAR * h + ROUNDING || step === STEPS) return q.map((x) => x / A);
      u -= (2 * f) / (A / B - sum(q, (x, c) => x / (u + d[c])) / A);
    }
  }

  /** The largest value in the region if `side` is 1, the smallest if it is -1. */
  function furthestValue(table, p, h, side, estimate) {
    const at = (q) => {
      const { value, slopes } = average(table, q);
      return { k: q, value: side * value, e: byCell(table, slopes).map((slope) => side * slope) };
    };
    // 1. Start in the middle of the region.
    const spread = (c) => (0.99 + (0.02 * c) / (p.length - 1)) / p.length;
    let now = at(p.map((share, c) => (share + SPREAD * h * spread(c)) / (1 + SPREAD * h)));
    let drag = FIRST_DRAG;
    for (let round = 0; round < ROUNDS; round += 1) {
      // 2. Look at the furthest point of the smaller region. Straight slopes promise this value.
      const { k, e } = now;
      const a = p.map((share, c) => Math.sqrt(share ** 2 + drag * k[c] ** 2));
      const there = at(furthest(a, e, 1 + h + drag, h));
      const promise = sum(e, (slope, c) => slope * (there.k[c] - k[c]));
      // 3. Go there if it is further out.
      const gain = there.value - now.value;
      if (gain >= -ROUNDING) now = there;
      // 4. Go on if there is a way to go, with less drag or with more.
      const left = (1 + drag) * promise;
      if (!(left > PROMISE * Math.abs(now.value - side * estimate) + ROUNDING)) break;
      const change = gain > KEPT * promise ? LESS_DRAG : gain > BROKEN * promise ? 1 : MORE_DRAG;
      drag = Math.max(change * drag, LEAST_DRAG);
    }
    return side * now.value;
  }

  /** One end of the range. The way to it is that of a larger h, scaled, if h is very small. */
  function endOf(table, p, h, side, estimate) {
    const reached = Math.max(h, SMALLEST_H);
    const end = furthestValue(table, p, reached, side, estimate || 0);
    return Number.isNaN(estimate) ? end : estimate + (end - estimate) * Math.sqrt(h / reached);
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
    // 1. The range of the average in Pearson's region, with the variance factor. Where a class was
    // not seen, the average of all classes has no estimate.
    const { value: estimate, influence } = observed(table, p);
    const h = (varianceFactor(table, p, influence, n) * z * z) / n;
    const start = table.sizes.includes(0) && !weighted ? NaN : estimate;
    const [low, high] = [-1, 1].map((side) => endOf(table, p, h, side, start));
    // 2. The correction for one to three errors.
    const errors = sum(counts, (count, c) => (rows[c] === columns[c] ? 0 : count));
    const near = 1 - (1 - high) * fewErrorsFactor(errors, z, level);
    // 3. On both sides of the estimate.
    return { estimate, low: Math.min(low, estimate), high: Math.max(near, estimate) };
  }

  return { scoreLimits };
})();

if (typeof module !== "undefined") module.exports = averages;
