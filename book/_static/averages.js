// Score limits of macro and weighted averages of F-beta, from the confusion matrix. This is a port of
// f1ci/methods/multinomial.py for these averages alone: a change there is carried over here.
// `tests/site/test_kernels.py` compares both.
const averages = (() => {
  "use strict";

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  /**
   * The mean of F-beta over r classes, alike or weighted by their true items, at the cell
   * probabilities q: {value, slopes by cell, trace of H S}. H holds the second derivatives, S is the
   * covariance matrix of one item. From the trace comes the bias.
   */
  function average(q, r, a, b, weighted) {
    const [rows, columns] = [new Float64Array(r), new Float64Array(r)];
    for (let cell = 0; cell < q.length; cell += 1) {
      rows[Math.floor(cell / r)] += q[cell];
      columns[cell % r] += q[cell];
    }
    const whole = sum(rows);
    let [value, trace] = [0, 0];
    const [byRight, byRow, byColumn] = [new Float64Array(r), new Float64Array(r), new Float64Array(r)];
    for (let k = 0; k < r; k += 1) {
      // Of each class: the score f = x / D, its weight g, and what one more item does.
      const x = q[k * r + k];
      const D = (1 - a - b) * x + b * rows[k] + a * columns[k];
      const f = D > 0 ? x / D : 0;
      const scale = D > 0 ? 1 / D : 0;
      const g = weighted ? rows[k] / whole : 1 / r;
      const toWeight = weighted ? f / whole : 0;
      value += g * f;
      byRight[k] = g * scale * (1 - (1 - a - b) * f);
      byRow[k] = -g * scale * b * f + toWeight;
      byColumn[k] = -g * scale * a * f;
      trace += 2 * g * scale * scale * (x * (f - 1) + ((rows[k] - x) * b * b + (columns[k] - x) * a * a) * f);
      // Random weights: twice the covariance of the class's size and its score.
      if (weighted) trace += 2 * scale * (x - f * (x + b * (rows[k] - x))) / whole;
    }
    const slopes = new Float64Array(q.length);
    for (let cell = 0; cell < q.length; cell += 1) {
      const [i, j] = [Math.floor(cell / r), cell % r];
      slopes[cell] = byRow[i] + byColumn[j] + (i === j ? byRight[i] : 0);
    }
    return { value, slopes, trace };
  }

  const dot = (p, q) => {
    let total = 0;
    for (let cell = 0; cell < p.length; cell += 1) total += p[cell] * q[cell];
    return total;
  };
  const largestOf = (values) => values.reduce((most, value) => Math.max(most, value), -Infinity);

  function centred(slopes, q) {
    const mean = dot(slopes, q);
    const tiny = 1e-14 * largestOf(slopes.map(Math.abs)); // rounding
    return slopes.map((slope) => (Math.abs(slope - mean) > tiny ? slope - mean : 0));
  }

  /** The line: the variance of the score statistic, by the shares of the true classes in it. */
  function varianceFactor(e, q, n, r) {
    const [parts, sizes] = [new Float64Array(r), new Float64Array(r)];
    for (let cell = 0; cell < q.length; cell += 1) {
      const row = Math.floor(cell / r);
      parts[row] += q[cell] * e[cell] * e[cell];
      sizes[row] += q[cell];
    }
    const whole = sum(parts);
    let factor = 1;
    parts.forEach((part, row) => {
      if (sizes[row] > 0 && whole > 0) factor += ((part / whole) * (1 - part / whole)) / (n * sizes[row]);
    });
    return Math.min(factor, 2);
  }

  const POLE = 1 - 1e-12;
  const SETTLED = 1e-7; // no probability moves by more

  /** One step of Newton's method for the multiplier s; {s, total} with the sum before the step. */
  function newtonStep(p, w, kappa, s) {
    let [total, square] = [0, 0];
    for (let cell = 0; cell < p.length; cell += 1) {
      const factor = 1 - s * w[cell];
      total += p[cell] / factor;
      square += p[cell] / factor / factor;
    }
    let next = s + (total * (1 - total / kappa)) / Math.max((square - total) / s, 1e-300);
    if (next >= 1) {
      let top = 0;
      for (let cell = 0; cell < p.length; cell += 1) if (w[cell] >= 1 - 1e-9) top += p[cell];
      next = 1 - top / kappa;
    }
    return { s: Math.min(Math.max(next, 1e-12), POLE), total };
  }

  /** The most likely probabilities for fixed slopes: items move to larger slopes (see the chapter). */
  function shifted(state, e, kappa) {
    const { p } = state;
    // 1. Slopes less their mean over the items, in units of the largest: q = p / kappa / (1 - s w).
    let w = centred(e, p);
    const most = Math.max(largestOf(w), 1e-300);
    w = w.map((slope) => slope / most);
    // 2. The multiplier.
    let s = state.s;
    if (s === 0) {
      s = Math.sqrt((kappa - 1) / Math.max(dot(p, w.map((slope) => slope * slope)), 1e-300));
      s = Math.min(s < 0.9 ? s : 1 - 0.09 / s, POLE);
    }
    let total = kappa;
    for (let step = 0; step < 22; step += 1) {
      if (step >= 2 && Math.abs(total - kappa) <= 0.1 * (kappa - 1)) break;
      ({ s, total } = newtonStep(p, w, kappa, s));
    }
    state.s = s;
    // 3. What has no place elsewhere goes to the empty cells with the largest slope, in turn.
    const q = p.map((share, cell) => share / (1 - s * w[cell]));
    total = sum(q);
    if (!(s >= POLE && total < kappa)) return q.map((share) => share / total);
    const top = w.map((slope) => Number(slope >= 1 - 1e-9));
    const many = sum(top);
    const part = state.empty.some((share) => share > 0) ? 1 / (1 + state.late) : 1;
    state.empty = state.empty.map((share, cell) => share + part * (top[cell] / many - share));
    return q.map((share, cell) => share / kappa + (1 - total / kappa) * state.empty[cell]);
  }

  /** N times the bias, {tr(H S) - u'Hu} / 2 with u = q e / sigma. */
  function biasOf(evaluate, q, e, trace) {
    const sigma = Math.sqrt(dot(q, e.map((slope) => slope * slope)));
    const u = q.map((share, cell) => (share * e[cell]) / sigma);
    const step = 1e-5 / Math.max(largestOf(e.map(Math.abs)) / sigma, 1);
    const after = evaluate(q.map((share, cell) => share + step * u[cell])).slopes;
    return 0.5 * (trace - dot(u, after.map((slope, cell) => slope - e[cell])) / step);
  }

  /**
   * One limit, by the algorithm for any smooth metric: side is -1 or 1. It is null if the search does
   * not come to rest and rounding decided its way: then another program may find another limit.
   */
  function limitOf(evaluate, p, n, r, side, z) {
    const state = { p, s: 0, empty: p.map(() => 0), late: 0 };
    let [q, last] = [p, Infinity];
    let found = evaluate(p);
    const estimate = found.value;
    // Without slopes take those with one more item, spread evenly.
    const flat = found.slopes.every((slope) => slope === found.slopes[0]);
    const start = flat ? evaluate(p.map((share) => (n * share + 1 / p.length) / (n + 1))) : found;
    let e = centred(start.slopes, q);
    let byRounding = false;
    for (let round = 0; round < 40 && last > SETTLED; round += 1) {
      const factor = varianceFactor(e, q, n, r);
      const next = shifted(state, e.map((slope) => side * slope), 1 + (factor * z * z) / n);
      let size = 0;
      q = q.map((share, cell) => {
        const move = next[cell] - share;
        size = Math.max(size, Math.abs(move));
        return share + (move * 3) / (3 + state.late);
      });
      byRounding ||= Math.abs(size - 0.5 * last) < 1e-9 * last;
      // Whole moves may go back and forth for ever: then less.
      if (size > 0.5 * last) state.late += 1;
      last = size;
      found = evaluate(q);
      e = centred(found.slopes, q);
    }
    if (last > SETTLED && byRounding) return null;
    const bias = biasOf(evaluate, q, e, found.trace) / n;
    const end = found.value - (Number.isFinite(bias) ? bias : 0);
    // A limit never passes the estimate. Where no item can move, it stays there.
    return Number.isFinite(end) ? side * Math.max(side * end, side * estimate) : estimate;
  }

  /**
   * Wilson's limit of up to three items, and the one-sided Poisson limit, divided: the room for
   * rare errors (Brown, Cai and DasGupta 2001).
   */
  function room(count, z, level) {
    if (count < 1 || count > 3) return 1;
    const wilson = count ** 2 / (count + z * z / 2 + z * Math.sqrt(count + z * z / 4));
    // The mean at which so many items or more have the probability 1 - level.
    let [low, high] = [0, wilson + 1];
    for (let step = 0; step < 60; step += 1) {
      const mean = (low + high) / 2;
      let fewer = 0;
      for (let k = 0, term = Math.exp(-mean); k < count; k += 1, term *= mean / k) fewer += term;
      if (1 - fewer > 1 - level) high = mean;
      else low = mean;
    }
    return Math.min(low / wilson, 1);
  }

  /** {estimate, low, high} of an average of F-beta over classes, each of which has items; null: see limitOf. */
  function scoreLimits(matrix, a, b, level, weighted) {
    const r = matrix.length;
    const counts = Float64Array.from(matrix.flat());
    const n = sum(counts);
    const z = f1ci.twoSided(level);
    const p = counts.map((count) => count / n);
    const evaluate = (q) => average(q, r, a, b, weighted);
    const wrong = n - sum(matrix.map((row, k) => row[k]));
    // Without an error the slopes are zero up to rounding, which then decides.
    if (wrong === 0 && a !== b) return null;
    const [low, high] = [-1, 1].map((side) => limitOf(evaluate, p, n, r, side, z));
    if (low === null || high === null) return null;
    const estimate = evaluate(p).value;
    const near = 1 - (1 - high) * room(wrong, z, level);
    return { estimate, low: Math.max(0, Math.min(low, estimate)), high: Math.min(1, Math.max(near, estimate)) };
  }

  return { scoreLimits };
})();

if (typeof module !== "undefined") module.exports = averages;
