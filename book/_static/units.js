// Scores of units whose items may depend on one another: TP, FP and FN of documents, or one
// score for
// each image, which is {x: score, y: 0, w: 1 - score} of an item. Definitions, letters and
// constants are
// those of f1ci/methods/units.py: `tests/site/test_kernels.py` compares both. The search is in
// f1ci.js.
const units = (() => {
  "use strict";

  const [ROUNDING, EVERYTHING, BORDER] = [1e-13, 1e-12, 1e-12];
  const sum = (values, f = (value) => value) =>
    values.reduce((total, value, place) => total + f(value, place), 0);

  /** Rows of the counts that matter for a Tversky score, each with its weight in the divisor. */
  function tableOf(rows, a, b) {
    const parts = [["x", 1], ["y", a], ["w", b]].filter(([, weight]) => weight > 0);
    const table = rows.map((row) => parts.map(([key]) => row[key]));
    return { table, weights: parts.map(([, weight]) => weight) };
  }

  const totalOf = (table) => table[0].map((_, c) => sum(table, (row) => row[c]));
  const scoreOf = (counts, weights) => counts[0] / sum(counts, (n, c) => n * weights[c]);

  /** [low, high]: the range of the score in Pearson's region, whose kinds are units. */
  function scoreLimits(rows, a, b, level) {
    const { table: all, weights } = tableOf(rows, a, b);
    const table = all.filter((row) => sum(row) > 0);
    if (table.length === 0) return [0, 1];
    const cells = weights.length;
    const sizes = table.map((row) => sum(row));
    const unseen = sum(sizes, (n) => n * n) / sum(sizes);
    const evaluate = (q) => {
      const counts = weights.map((_, c) => unseen * q[table.length + c]
        + sum(table, (row, g) => row[c] * q[g]));
      const D = sum(counts, (n, c) => n * weights[c]);
      const value = counts[0] / D;
      const slopes = weights.map((weight, c) => ((c === 0 ? 1 : 0) - weight * value) / D);
      const ofRow = (row) => sum(row, (n, c) => n * slopes[c]);
      return { value, slopes: [...table.map(ofRow), ...slopes.map((slope) => unseen * slope)] };
    };
    const kinds = [...table.map(() => 1), ...Array(cells).fill(0)];
    const [low, high] = f1ci.regionLimits(evaluate, kinds, f1ci.twoSided(level));
    const estimate = scoreOf(totalOf(table), weights);
    return [Math.max(0, Math.min(low, estimate)), Math.min(1, Math.max(high, estimate))];
  }

  // --- Differences of two models on the same units -----------------------------------------------

  const rounded = (difference, size) =>
    (Math.abs(difference) <= ROUNDING * size ? 0 : difference);

  /** {estimate, leftOut, size, share}: a score, and how far each unit moves it. */
  function movesOf(rows, a, b) {
    const { table, weights } = tableOf(rows, a, b);
    const total = totalOf(table);
    const D = sum(total, (n, c) => n * weights[c]);
    const estimate = total[0] / D;
    const whole = sum(total);
    const share = table.map((row) => sum(row) / whole);
    const leftOut = table.map((row, g) => {
      const without = scoreOf(total.map((n, c) => n - row[c]), weights);
      if (!Number.isNaN(without)) return rounded(estimate - without, Math.abs(estimate));
      const moved = (row[0] - estimate * sum(row, (n, c) => n * weights[c])) / D;
      return 1 - share[g] > EVERYTHING ? moved / (1 - share[g]) : 0;
    });
    return { estimate, leftOut, share };
  }

  /** ln of the gamma function, by Stirling's series above 20. */
  function lnGamma(x) {
    if (x < 20) return lnGamma(x + 1) - Math.log(x);
    const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
  }

  /** The regularised incomplete beta function with a + b and the series of its smaller half. */
  function beta(x, a, b) {
    const lnBeta = lnGamma(a) + lnGamma(b) - lnGamma(a + b);
    let [term, total] = [1, 1];
    for (let k = 1; term > 1e-17 * total; k += 1) {
      term *= (x * (a + b + k - 1)) / (a + k);
      total += term;
    }
    return (total * Math.exp(a * Math.log(x) + b * Math.log1p(-x) - lnBeta)) / a;
  }

  /** P(|T| > t) of Student's t. */
  function tailOfStudent(t, df) {
    const x = df / (df + t * t);
    if (t === 0) return 1;
    return x < 0.5 ? beta(x, df / 2, 0.5) : 1 - beta(1 - x, 0.5, df / 2);
  }

  /** The t with P(|T| < t) = level, by bisection of its logarithm. */
  function studentQuantile(level, df) {
    let [low, high] = [-20, 40];
    for (let step = 0; step < 80; step += 1) {
      const middle = (low + high) / 2;
      if (tailOfStudent(Math.exp(middle), df) > 1 - level) low = middle;
      else high = middle;
    }
    return Math.exp(high);
  }

  /**
   * The logit of a difference's place in [-1, 1], and the error on that scale; null at a
   * border.
   */
  function onLogit(estimate, error) {
    const share = (estimate + 1) / 2;
    if (Math.min(share, 1 - share) < BORDER) return null;
    return { centre: Math.log(share / (1 - share)), half: error / 2 / (share * (1 - share)) };
  }

  /** {estimate, low, high, p} of B's score minus A's, by the jackknife with Student's quantile. */
  function difference(rowsA, rowsB, a, b, level) {
    const [one, two] = [rowsA, rowsB].map((rows) => movesOf(rows, a, b));
    const estimate = two.estimate - one.estimate;
    const share = one.share.map((part, g) => 0.5 * (part + two.share[g]));
    const number = Math.max(1, share.filter((part) => part > 0).length);
    const changes = two.leftOut.map((x, g) =>
      rounded(x - one.leftOut[g], Math.abs(x) + Math.abs(one.leftOut[g])));
    const error = Math.sqrt((1 - 1 / number) * sum(changes, (x) => x * x));
    if (error === 0) return ofAlikeUnits(estimate, number, f1ci.twoSided(level));
    const df = Math.max(1, 1 / Math.max(1e-9, sum(share, (part) => part * part)) - 1);
    const scale = onLogit(estimate, error);
    if (scale === null) return { estimate, low: -1, high: 1, p: NaN };
    const t = studentQuantile(level, df);
    const back = (value) => Math.tanh(value / 2);
    return {
      estimate, low: back(scale.centre - t * scale.half), high: back(scale.centre + t * scale.half),
      p: tailOfStudent(Math.abs(scale.centre) / scale.half, df),
    };
  }

  /** Without a variance: the share of units of another kind is at most Wilson's for none of G. */
  function ofAlikeUnits(estimate, number, z) {
    const unseen = (z * z) / (number + z * z);
    const room = estimate === 0 ? unseen : 2 * unseen * Math.abs(estimate);
    return {
      estimate, low: Math.max(-1, estimate - room), high: Math.min(1, estimate + room), p: NaN,
    };
  }

  return { scoreLimits, difference, studentQuantile };
})();

if (typeof module !== "undefined") module.exports = units;
