// The formulas of f1ci in plain JavaScript. They need no page: `require("./f1ci.js")` in Node, or a
// script element. f1ci.d.ts has the types, f1ci.json has examples with their results.
//
// Each function takes numbers that were checked before. Limits are [low, high]. Counts are called
// x = TP, y = FP, w = FN; a and b weigh y and w in the Tversky score x / (x + a y + b w), so F1 has
// a = b = 1/2. The Python package f1ci has the same formulas, and `tests/site/test_kernels.py`
// compares both. (`var`, because a page with two tools loads this file twice.)
var f1ci = (() => {
  "use strict";

  /** The sum of f(value, place). */
  function sum(values, f = (value) => value) {
    let total = 0;
    for (let place = 0; place < values.length; place += 1) total += f(values[place], place);
    return total;
  }

  /** P(|Z| < z) over its density: z + z^3 / 3 + z^5 / (3 * 5) + ... */
  function oddSeries(z) {
    let term = z;
    let ratio = 0;
    for (let k = 3; term > 1e-17 * ratio; k += 2) {
      ratio += term;
      term *= (z * z) / k;
    }
    return ratio;
  }

  const densityOf = (z) => Math.sqrt(2 / Math.PI) * Math.exp(-0.5 * z * z);

  /**
   * The z with P(|Z| < z) = level, by Newton's method. The probability is concave in z, so the
   * steps from 0 never pass the root.
   */
  function twoSided(level) {
    let z = 0;
    for (let step = 0; step < 60; step += 1) z += level / densityOf(z) - oddSeries(z);
    return z;
  }

  /** P(|Z| > z): one minus the series, or far out a continued fraction. */
  function tails(z) {
    if (z < 4) return 1 - densityOf(z) * oddSeries(z);
    let rest = z;
    for (let k = 100; k > 0; k -= 1) rest = z + k / rest;
    return densityOf(z) / rest;
  }

  // --- Intervals of F1 (Lam et al. 2024); explorer.js has one more ------------------------------
  // `wrong` is FP + FN: F1 depends on the two only through their sum.

  const ordered = (estimate, low, high) =>
    [Math.max(0, Math.min(low, estimate)), Math.min(1, Math.max(high, estimate))];

  const f1Estimate = (x, wrong) => (2 * x) / (2 * x + wrong);

  /** Wilson's interval for F*, mapped (eq. 42): the score interval. */
  const wilsonIndirect = (x, wrong, level) => tverskyScore(x, wrong, 0, 0.5, 0.5, level);

  /** The roots of the quartic 37, as roots of u in u^2 = F* / (1 - F*). */
  function wilsonDirect(x, wrong, level) {
    const v = x + wrong;
    if (v === 0) return [0, 1];
    const slope = (twoSided(level) * (v + x)) / Math.sqrt(v);
    const u = oddsRoot(x, wrong, slope, 1, 2);
    const t = oddsRoot(wrong, x, slope, 2, 1);
    return ordered(f1Estimate(x, wrong), (2 * u * u) / (1 + 2 * u * u), 2 / (2 + t * t));
  }

  /**
   * Solves (a - b t^2)(alpha + beta t^2) = slope t (1 + t^2) by the contraction of
   * wilson_direct.
   */
  function oddsRoot(a, b, slope, alpha, beta) {
    let t = (2 * a) / (slope + Math.sqrt(slope * slope + 4 * a * b));
    for (let step = 0; step < 60; step += 1) {
      const e = (slope * (1 + t * t)) / (alpha + beta * t * t);
      t = (2 * a) / (e + Math.sqrt(e * e + 4 * a * b));
    }
    return t;
  }

  /** Estimate and normal quantile times standard error (eqs. 30, 31): may leave [0, 1]. */
  function wald(x, wrong, level) {
    const double = 2 * x + wrong;
    if (double === 0) return [0, 1];
    const f = (2 * x) / double;
    const error = Math.sqrt((f * wrong * (x + wrong) * 2) / double) / double;
    const half = twoSided(level) * error;
    return [f - half, f + half];
  }

  // --- Tversky scores: F-beta, Jaccard, precision, recall ----------------------------------------

  /** The weights of F-beta. */
  const fbetaWeights = (beta) =>
    ({ a: 1 / (1 + beta * beta), b: (beta * beta) / (1 + beta * beta) });

  const tverskyEstimate = (x, y, w, a, b) => x / (x + a * y + b * w);

  /** The score interval: Wilson's for TP / v, mapped, or by Pearson's region if weights differ. */
  const tverskyScore = (x, y, w, a, b, level) => tverskyLimits(x, y, w, a, b, twoSided(level));

  function tverskyLimits(x, y, w, a, b, z) {
    const errors = a * y + b * w;
    if (x + errors === 0) return [0, 1];
    const wrong = (a > 0 ? y : 0) + (b > 0 ? w : 0);
    const [low, high] = a === b || a === 0 || b === 0 ? wilson(x, wrong, Math.max(a, b), z)
      : regionLimits((q) => tverskyAt(q, a, b), [x, y, w], z);
    const f = tverskyEstimate(x, y, w, a, b);
    return ordered(f, x === 0 ? 0 : low, errors === 0 ? 1 : high);
  }

  /** p / (p + weight (1 - p)) for Wilson's limits p of TP / v. */
  function wilson(x, wrong, weight, z) {
    const v = x + wrong;
    const half = x + (z * z) / 2 + z * Math.sqrt((x * wrong) / v + (z * z) / 4);
    return [
      (x * x) / ((1 - weight) * x * x + weight * v * half),
      half / ((1 - weight) * half + weight * (v + z * z)),
    ];
  }

  /** The score of the probabilities of TP, FP and FN, and its slopes. */
  function tverskyAt([x, y, w], a, b) {
    const D = x + a * y + b * w;
    const F = x / D;
    return { value: F, slopes: [(1 - F) / D, (-a * F) / D, (-b * F) / D] };
  }

  // --- Pearson's region --------------------------------------------------------------------------
  // Steps, letters and constants are those of f1ci/methods/region.py, which explains them.

  const SPREAD = 0.8;
  const [FIRST_DAMPING, LEAST_DAMPING, LESS_DAMPING, MORE_DAMPING] = [10, 0.001, 0.25, 4];
  const [KEPT, BROKEN] = [0.75, 0.25];
  const [PROMISE, ROUNDS] = [1e-7, 500];
  const [STEPS, NEAR, FLAT] = [100, 1e-9, 1e-15];
  const [SMALLEST_H, TINY] = [1e-12, 1e-300];

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
      const isNear = Math.abs(f) <= NEAR * h + FLAT * Math.sqrt(a.length);
      if (isNear || step === STEPS) return q.map((x) => x / A);
      u -= (2 * f) / (A / B - sum(q, (x, c) => x / (u + d[c])) / A);
    }
  }

  /** The largest value in the region if `side` is 1, the smallest if it is -1. */
  function furthestValue(evaluate, p, h, side, estimate) {
    const at = (q) => {
      const { value, slopes } = evaluate(q);
      return { k: q, value: side * value, e: slopes.map((slope) => side * slope) };
    };
    // 1. Start in the middle of the region.
    const spread = (c) => (0.99 + (0.02 * c) / (p.length - 1)) / p.length;
    let now = at(p.map((share, c) => (share + SPREAD * h * spread(c)) / (1 + SPREAD * h)));
    let damping = FIRST_DAMPING;
    for (let round = 0; round < ROUNDS; round += 1) {
      // 2. Look at the furthest point of the smaller region. Straight slopes promise this value.
      const { k, e } = now;
      const a = p.map((share, c) => Math.sqrt(share ** 2 + damping * k[c] ** 2));
      const there = at(furthest(a, e, 1 + h + damping, h));
      const promise = sum(e, (slope, c) => slope * (there.k[c] - k[c]));
      // 3. Go there if it is further out.
      const gain = there.value - now.value;
      if (gain >= -FLAT) now = there;
      // 4. Go on if there is a way to go, with less damping or with more.
      const left = (1 + damping) * promise;
      if (!(left > PROMISE * Math.abs(now.value - side * estimate) + FLAT)) break;
      const more = gain > BROKEN * promise ? 1 : MORE_DAMPING;
      const change = gain > KEPT * promise ? LESS_DAMPING : more;
      damping = Math.max(change * damping, LEAST_DAMPING);
    }
    return side * now.value;
  }

  /**
   * The smallest and the largest value of a metric over the probabilities that Pearson's test does
   * not reject, given counts by cell. At probabilities the metric is {value, slopes by cell}.
   */
  function regionLimits(evaluate, counts, z) {
    const n = sum(counts);
    const p = counts.map((count) => count / n);
    const h = (z * z) / n;
    const reached = Math.max(h, SMALLEST_H);
    const estimate = evaluate(p).value;
    return [-1, 1].map((side) => {
      const end = furthestValue(evaluate, p, reached, side, estimate || 0);
      // The way to it is that of a larger h, scaled, if h is very small.
      return Number.isNaN(estimate) ? end : estimate + (end - estimate) * Math.sqrt(h / reached);
    });
  }

  /** TP, FP and FN of each class of a matrix with rows true and columns predicted. */
  function classCounts(matrix) {
    return matrix.map((row, k) => ({
      x: row[k],
      y: sum(matrix.map((other) => other[k])) - row[k],
      w: sum(row) - row[k],
    }));
  }

  // --- Two models on the same items --------------------------------------------------------------
  // Counts of items {tp, posA, posB, fn, fp, negA, negB, tn}: of the positives, both models have tp
  // right and fn wrong, one alone posA or posB; of the negatives both have fp wrong and tn right,
  // one alone has negA or negB right.

  function modelCounts(t) {
    return [
      { x: t.tp + t.posA, y: t.fp + t.negB, w: t.fn + t.posB },
      { x: t.tp + t.posB, y: t.fp + t.negA, w: t.fn + t.posA },
    ];
  }

  /** The correlation of the two scores, with half an item more of each of the eight kinds. */
  function pairedCorrelation(t, a, b) {
    const more = {};
    const kinds = ["tp", "posA", "posB", "fn", "fp", "negA", "negB"];
    for (const kind of kinds) more[kind] = t[kind] + 0.5;
    // What an item of each kind does to the scores of A and of B, without the common factors.
    const [f, g] = modelCounts(more).map(({ x, y, w }) => tverskyEstimate(x, y, w, a, b));
    const moves = [
      [more.tp, 1 - f, 1 - g], [more.posA, 1 - f, -b * g], [more.posB, -b * f, 1 - g],
      [more.fn, -b * f, -b * g], [more.fp, -a * f, -a * g], [more.negA, 0, -a * g],
      [more.negB, -a * f, 0],
    ];
    const added = (product) => sum(moves.map(([n, u, v]) => n * product(u, v)));
    return added((u, v) => u * v) / Math.sqrt(added((u) => u * u) * added((u, v) => v * v));
  }

  /**
   * Score interval of the score of B minus that of A: the extremes over the ellipse of the two
   * scores, at 24 points of it.
   */
  const differenceScore = (t, a, b, level) => differenceLimits(t, a, b, twoSided(level));

  function differenceLimits(t, a, b, z) {
    const turn = 0.5 * Math.acos(pairedCorrelation(t, a, b));
    const ends = [];
    for (let point = 0; point < 12; point += 1) {
      const angle = (point * Math.PI) / 12;
      const [first, second] = modelCounts(t).map(({ x, y, w }, k) => {
        const zeta = Math.cos(angle + (k === 0 ? turn : -turn));
        const [low, high] = tverskyLimits(x, y, w, a, b, Math.abs(zeta) * z);
        return zeta < 0 ? [low, high] : [high, low];
      });
      ends.push(second[0] - first[0], second[1] - first[1]);
    }
    return [Math.min(...ends), Math.max(...ends)];
  }

  /** The p-value of a difference: one minus the level at which zero enters its interval. */
  function differenceP(t, a, b) {
    let [from, to] = [0, 40];
    for (let step = 0; step < 60; step += 1) {
      const z = 0.5 * (from + to);
      const [low, high] = differenceLimits(t, a, b, z);
      [from, to] = low > 0 || high < 0 ? [z, to] : [from, z];
    }
    return tails(to);
  }

  // --- What rounded numbers leave open -----------------------------------------------------------

  // Ties of rounding count as fitting; so does what arithmetic puts this far beyond them.
  const ROUNDING = 1e-12;

  /** The whole numbers n for which part / (n + offset) lies in the band [least, most]. */
  function wholesThatFit(part, [least, most], offset) {
    if (part === 0) return least > 0 ? [1, 0] : [0, Infinity];
    const room = ROUNDING * (part / most);
    const largest = Math.floor((part / least) * (1 + ROUNDING) - offset + room);
    return [Math.ceil(part / most - offset - room), largest];
  }

  /**
   * The tables of counts with `positives` truly positive items whose precision, recall and F1 lie
   * in the printed bands [least, most]: one row {tp, fn, from, to} for each number of true
   * positives, with the range of false positives. A precision of no prediction at all counts as 0.
   * Only each `step`-th number is tried, and the last.
   */
  function fittingCounts(bands, positives, step = 1) {
    const { precision = [0, 1], recall = [0, 1], f1 = [0, 1] } = bands;
    const rows = [];
    const first = Math.ceil(positives * recall[0] * (1 - ROUNDING));
    const last = Math.min(positives, Math.floor(positives * recall[1] * (1 + ROUNDING)));
    for (let tp = first; tp <= last; tp += Math.max(1, Math.min(step, last - tp))) {
      const byPrecision = wholesThatFit(tp, precision, tp);
      const byF1 = wholesThatFit(2 * tp, f1, tp + positives);
      const from = Math.max(0, byPrecision[0], byF1[0]);
      const to = Math.min(byPrecision[1], byF1[1]);
      if (from <= to) rows.push({ tp, fn: positives - tp, from, to });
    }
    return rows;
  }

  // --- Sample size (Jiang 2020, with the exact supremum) -----------------------------------------

  const roundUp = (value) => Math.max(1, Math.ceil(value * (1 - ROUNDING)));

  /** Truly positive items, and items in all, for a half width of F-beta whatever the classifier. */
  function sampleSize(beta, halfWidth, prevalence, level) {
    const { b } = fbetaWeights(beta);
    // The largest variance belongs to these odds of an error, the same for both kinds of error.
    const u = 0.5 * (3 - 3 * b + Math.hypot(3 * b - 7 / 3, Math.sqrt(32) / 3));
    const error = halfWidth / twoSided(level);
    const positives = (u * (b + u) ** 2) / (1 + u) ** 4 / b / error / error;
    return {
      positives: roundUp(positives),
      total: prevalence === null ? null : roundUp(positives / prevalence),
    };
  }

  return {
    twoSided, f1Estimate, wilsonIndirect, wilsonDirect, wald, fbetaWeights, tverskyEstimate,
    tverskyScore, regionLimits, classCounts, modelCounts, differenceScore, differenceP,
    fittingCounts,
    sampleSize,
  };
})();

if (typeof module !== "undefined") module.exports = f1ci;
