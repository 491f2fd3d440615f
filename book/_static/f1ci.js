// The kernels of f1ci in plain JavaScript. They need no page: `require("./f1ci.js")` in Node, or a
// script element. f1ci.d.ts has the types, f1ci.json has examples with their results.
//
// Each function takes numbers that were checked before. Limits are [low, high]. Counts are called
// x = TP, y = FP, w = FN; a and b weigh y and w in the Tversky score x / (x + a y + b w), so F1 has
// a = b = 1/2. The Python package f1ci has the same kernels, and `tests/site/test_kernels.py`
// compares both.
const f1ci = (() => {
  "use strict";

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  // --- Quantiles ---------------------------------------------------------------------------------

  const polynomial = (coefficients, x) => coefficients.reduceRight((sum, c) => sum * x + c, 0);

  // Wichura (1988), algorithm AS 241, function PPND16: the standard normal quantile.
  const CENTRE = [
    [3.387132872796366608, 1.3314166789178437745e2, 1.9715909503065514427e3,
      1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
      3.3430575583588128105e4, 2.5090809287301226727e3],
    [1, 4.2313330701600911252e1, 6.871870074920579083e2, 5.3941960214247511077e3,
      2.1213794301586595867e4, 3.930789580009271061e4, 2.8729085735721942674e4,
      5.226495278852854561e3],
  ];
  const MIDDLE = [
    [1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
      1.27045825245236838258, 2.4178072517745061177e-1, 2.27238449892691845833e-2,
      7.7454501427834140764e-4],
    [1, 2.05319162663775882187, 1.6763848301838038494, 6.8976733498510000455e-1,
      1.4810397642748007459e-1, 1.51986665636164571966e-2, 5.475938084995344946e-4,
      1.05075007164441684324e-9],
  ];
  const TAIL = [
    [6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 2.9656057182850489123e-1,
      2.6532189526576123093e-2, 1.2426609473880784386e-3, 2.71155556874348757815e-5,
      2.01033439929228813265e-7],
    [1, 5.9983220655588793769e-1, 1.3692988092273580531e-1, 1.48753612908506148525e-2,
      7.868691311456132591e-4, 1.8463183175100546818e-5, 1.4215117583164458887e-7,
      2.04426310338993978564e-15],
  ];

  /** The z with P(Z < z) = p. */
  function normalQuantile(p) {
    const q = p - 0.5;
    if (Math.abs(q) <= 0.425) {
      const r = 0.180625 - q * q;
      return (q * polynomial(CENTRE[0], r)) / polynomial(CENTRE[1], r);
    }
    const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
    const [table, shift] = r <= 5 ? [MIDDLE, 1.6] : [TAIL, 5];
    return (Math.sign(q) * polynomial(table[0], r - shift)) / polynomial(table[1], r - shift);
  }

  /** Two-sided quantile of a confidence level. */
  const twoSided = (level) => -normalQuantile(0.5 * (1 - level));

  // Tails of the Beta law are in units of x^a y^b / Beta(a, b), which do not underflow.

  /** log Gamma(n): Stirling's series, from 16 on. */
  function logGamma(n) {
    if (n < 16) return logGamma(n + 1) - Math.log(n);
    const s = 1 / (n * n);
    const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s / 1680))) / n;
    return (n - 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series;
  }

  /**
   * The lower tail I_x(a, b) in those units, as an integral over the logit. With t = x e^-u /
   * (y + x e^-u) the integrand is exp(-a u - (a + b) log(1 + x (e^-u - 1))), and u = exp(v - e^-v)
   * makes it vanish at both ends so fast that equal steps are exact (Takahasi and Mori 1974).
   */
  function betaTail(a, b, x, y) {
    const exponent = x < y
      ? (u) => -a * u - (a + b) * Math.log1p(x * Math.expm1(-u))
      : (u) => b * u - (a + b) * Math.log1p(y * Math.expm1(u));
    const scale = Math.sqrt(1 / a + 1 / b);
    const step = 1 / 16;
    let total = 0;
    for (let v = -4; v < 5; v += step) {
      const shrunk = Math.exp(-v);
      const u = scale * Math.exp(v - shrunk);
      total += (1 + shrunk) * u * Math.exp(exponent(u));
    }
    return step * total;
  }

  /**
   * The odds x / y at which the lower tail of Beta(a, b) is p, up to one half. The logarithm of the
   * tail is concave in the logit, so Newton's method converges from everywhere.
   */
  function betaOdds(a, b, p) {
    const logBeta = logGamma(a) + logGamma(b) - logGamma(a + b);
    let logit = Math.log(a / b) + normalQuantile(p) * Math.sqrt(1 / a + 1 / b);
    for (let step = 0; step < 60; step += 1) {
      const [x, y] = [1 / (1 + Math.exp(-logit)), 1 / (1 + Math.exp(logit))];
      const tail = betaTail(a, b, x, y);
      const logX = logit < 0 ? logit + Math.log(y) : Math.log(x);
      const move = (a * logX + b * (logX - logit) - logBeta + Math.log(tail) - Math.log(p)) * tail;
      logit -= move;
      if (Math.abs(move) <= 1e-13 * Math.max(1, Math.abs(logit))) break;
    }
    return Math.exp(logit);
  }

  // --- The four intervals of F1 (Lam, Gopal and Qian 2024) ---------------------------------------
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

  /** Solves (a - b t^2)(alpha + beta t^2) = slope t (1 + t^2): a contraction, see exact.py. */
  function oddsRoot(a, b, slope, alpha, beta) {
    let t = (2 * a) / (slope + Math.sqrt(slope * slope + 4 * a * b));
    for (let step = 0; step < 60; step += 1) {
      const e = (slope * (1 + t * t)) / (alpha + beta * t * t);
      const next = (2 * a) / (e + Math.sqrt(e * e + 4 * a * b));
      const done = Math.abs(next - t) <= 1e-16 * next;
      t = next;
      if (done) break;
    }
    return t;
  }

  /** Beta quantiles of F* (eqs. 26 and 27), mapped. */
  const clopperPearson = (x, wrong, level) => tverskyCautious(x, wrong, 0, 0.5, 0.5, level);

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
  const fbetaWeights = (beta) => ({ a: 1 / (1 + beta * beta), b: (beta * beta) / (1 + beta * beta) });

  const tverskyEstimate = (x, y, w, a, b) => x / (x + a * y + b * w);

  /**
   * The score interval: every F whose constrained maximum likelihood has a Pearson statistic of
   * at most z^2.
   *
   * Under F the fitted counts are x / (1 + mu), y / (1 - a q) and w / (1 - b q), where
   * mu = (A q + z^2) / x at the lower limit and q = mu F / (1 - F), A = a y + b w. That they
   * fulfil the constraint is one convex equation in q; at the upper limit, where the signs of
   * mu and q change, one convex equation in the items e that are fitted in excess of x. Newton's
   * method from the right falls on the root; nothing cancels at any count.
   */
  const tverskyScore = (x, y, w, a, b, level) => tverskyLimits(x, y, w, a, b, twoSided(level));

  function tverskyLimits(x, y, w, a, b, z) {
    if (x + a * y + b * w === 0) return [0, 1];
    const f = tverskyEstimate(x, y, w, a, b);
    if (z < 1e-12) return [f, f];
    const low = x === 0 ? 0 : lowerLimit(x, y, w, a, b, z * z);
    return ordered(f, low, upperLimit(x, y, w, a, b, z * z));
  }

  function lowerLimit(x, y, w, a, b, k) {
    if (a === b) [y, w] = [y + w, 0];
    const [m, many, less, few] = a >= b ? [a, y, b, w] : [b, w, a, y];
    const A = a * y + b * w;
    const excess = (q) => {
      const fitted = A * q + k;
      const heavy = many === 0 ? 0 : (m * many) / (1 - m * q);
      const light = few === 0 ? 0 : (less * few) / (1 - less * q);
      return [
        q * (heavy + light) - (x * fitted) / (fitted + x),
        heavy / (1 - m * q || 1) + (light === 0 ? 0 : light / (1 - less * q))
          - A * (x / (fitted + x)) ** 2,
      ];
    };
    // The root is below this; without an item of the heavier kind the fit may put some there.
    let q = many === 0 ? 1 / m : x / (m * (many + x));
    q = newtonFromTheRight(excess, q);
    return (q * x) / (q * x + A * q + k);
  }

  function upperLimit(x, y, w, a, b, k) {
    const A = a * y + b * w;
    if (A === 0) return 1;
    const place = (e) => ((e === 0 ? 0 : (x / (x + e)) * e) + k) / A;
    const e = newtonFromTheRight((items) => {
      const q = place(items);
      const [fp, fn] = [1 + a * q, 1 + b * q];
      return [
        items - q * ((a * y) / fp + (b * w) / fn),
        1 - ((a * y) / (fp * fp) + (b * w) / (fn * fn)) * ((x / (x + items)) ** 2 / A),
      ];
    }, y + w);
    const q = place(e);
    return (q * (x + e)) / (q * (x + e) + e);
  }

  /** Where a convex function [value, slope] that is positive at `start` falls to zero. */
  function newtonFromTheRight(evaluate, start) {
    let place = start;
    for (let step = 0; step < 200; step += 1) {
      const [value, slope] = evaluate(place);
      if (!(value > 0) || !(slope > 0)) break;
      const next = place - value / slope;
      if (!(next < place)) break;
      place = next;
    }
    return place;
  }

  /**
   * Beta quantiles of effective counts, hardly ever below the level; Clopper and Pearson's
   * interval where a = b, and where one of them is 0.
   */
  function tverskyCautious(x, y, w, a, b, level) {
    if (x + a * y + b * w === 0) return [0, 1];
    const tail = 0.5 * (1 - level);
    const [A, V] = [a * y + b * w, a * a * y + b * b * w];
    const m = Math.max(a, b);
    // One more error of the heavier kind below, one more right item above.
    const [errors, variance] = [A + m, V + m * m];
    let low = 0;
    if (x > 0) {
      const odds = (betaOdds(x, (errors * errors) / variance, tail) * errors) / variance;
      low = odds / (1 + odds);
    }
    let high = 1;
    if (A > 0) high = 1 / (1 + (betaOdds((A * A) / V, x + 1, tail) * V) / A);
    return ordered(tverskyEstimate(x, y, w, a, b), low, high);
  }

  // --- Any smooth metric of a matrix -------------------------------------------------------------

  /** TP, FP and FN of each class of a matrix with rows true and columns predicted. */
  function classCounts(matrix) {
    return matrix.map((row, k) => ({
      x: row[k],
      y: sum(matrix.map((other) => other[k])) - row[k],
      w: sum(row) - row[k],
    }));
  }

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

  /** Score limits of an average of F-beta over classes, each of which has items; null: see limitOf. */
  function averageScore(matrix, a, b, level, weighted) {
    const r = matrix.length;
    const counts = Float64Array.from(matrix.flat());
    const n = sum(counts);
    const z = twoSided(level);
    const p = counts.map((count) => count / n);
    const evaluate = (q) => average(q, r, a, b, weighted);
    const wrong = n - sum(matrix.map((row, k) => row[k]));
    // Without an error the slopes are zero up to rounding, which then decides.
    if (wrong === 0 && a !== b) return null;
    const [low, high] = [-1, 1].map((side) => limitOf(evaluate, p, n, r, side, z));
    if (low === null || high === null) return null;
    const estimate = evaluate(p).value;
    const near = 1 - (1 - high) * room(wrong, z, level);
    return ordered(estimate, low, near);
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
    for (const kind of ["tp", "posA", "posB", "fn", "fp", "negA", "negB"]) more[kind] = t[kind] + 0.5;
    // What an item of each kind does to the scores of A and of B, without the common factors.
    const [f, g] = modelCounts(more).map(({ x, y, w }) => tverskyEstimate(x, y, w, a, b));
    const kinds = [
      [more.tp, 1 - f, 1 - g], [more.posA, 1 - f, -b * g], [more.posB, -b * f, 1 - g],
      [more.fn, -b * f, -b * g], [more.fp, -a * f, -a * g], [more.negA, 0, -a * g], [more.negB, -a * f, 0],
    ];
    const added = (of) => sum(kinds.map(([n, u, v]) => n * of(u, v)));
    return added((u, v) => u * v) / Math.sqrt(added((u) => u * u) * added((u, v) => v * v));
  }

  /**
   * Score interval of the score of B minus that of A: the extremes over the ellipse of the two
   * scores, at 24 points of it.
   */
  function differenceScore(t, a, b, level) {
    const z = twoSided(level);
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

  /** Numbers of heads of n tosses with their probabilities, [k, chance]; rare ones left out. */
  function tosses(n, least) {
    const middle = Math.floor(n / 2);
    const chances = new Map([[middle, 1]]);
    for (let k = middle, chance = 1; k < n && chance > least; k += 1) {
      chance *= (n - k) / (k + 1);
      chances.set(k + 1, chance).set(n - k - 1, chance);
    }
    const total = sum([...chances.values()]);
    return [...chances].map(([k, chance]) => [k, chance / total]);
  }

  /**
   * Two-sided p-value of the exact test for F1: all swaps of the predictions of discordant items,
   * ordered by the difference over its standard error.
   */
  function exactTest(t) {
    const [n1, n0] = [t.posA + t.posB, t.negA + t.negB];
    const positives = n1 + t.tp + t.fn;
    // F1, and what one more true positive and one more wrong item do to it.
    const model = (tp, fp) => {
      const whole = (tp + fp + positives) / 2 || 1;
      const f = tp / whole;
      return [f, (1 - f) / whole, (-0.5 * f) / whole];
    };
    // B is right on k of the discordant positives and on j of the discordant negatives.
    const statistic = (k, j) => {
      const [f, upA, wrongA] = model(t.tp + n1 - k, t.fp + j);
      const [g, upB, wrongB] = model(t.tp + k, t.fp + n0 - j);
      if (Math.abs(g - f) < 1e-13) return 0;
      const variance = t.tp * (upB - upA) ** 2 + (t.fn + t.fp) * (wrongB - wrongA) ** 2
        + k * (upB - wrongA) ** 2 + (n1 - k) * (wrongB - upA) ** 2
        + j * wrongA ** 2 + (n0 - j) * wrongB ** 2;
      return Math.abs(g - f) / Math.sqrt(variance);
    };
    const observed = statistic(t.posB, t.negB);
    if (observed === 0) return 1;
    // Of many outcomes those count whose probability is not below 1e-19 in all.
    const least = (n1 + 1) * (n0 + 1) > 4e6 ? 1e-19 / (n1 + n0 + 2) : 0;
    const most = (n) => Math.min(n + 1, 12 * Math.sqrt(n) + 3);
    if (most(n1) * most(n0) > MOST_OUTCOMES) return null;
    const [first, second] = [tosses(n1, least), tosses(n0, least)];
    let total = 0;
    for (const [k, chance] of first) {
      for (const [j, other] of second) {
        if (statistic(k, j) >= observed * (1 - 1e-10)) total += chance * other;
      }
    }
    return Math.min(1, Math.max(total, least && 1e-19));
  }

  // More outcomes of the exact test take more than half a second.
  const MOST_OUTCOMES = 1e7;

  // --- What rounded numbers leave open -----------------------------------------------------------

  // Ties of rounding count as fitting; so does what arithmetic puts this far beyond them.
  const ROUNDING = 1e-12;

  /**
   * The tables of counts with `positives` truly positive items whose precision and recall lie
   * in the bands [least, most]: one row {tp, fn, from, to} for each number of true positives,
   * with the range of false positives. A precision of no prediction at all counts as 0.
   */
  function fittingCounts(precision, recall, positives) {
    const rows = [];
    const first = Math.max(0, Math.ceil(positives * recall[0] * (1 - ROUNDING)));
    const last = Math.min(positives, Math.floor(positives * recall[1] * (1 + ROUNDING)));
    for (let tp = first; tp <= last; tp += 1) {
      let [from, to] = [0, Infinity];
      if (tp === 0) {
        if (precision[0] > 0) continue;
      } else {
        const room = ROUNDING * (tp / precision[1]);
        from = Math.max(0, Math.ceil((tp * (1 - precision[1])) / precision[1] - room));
        if (precision[0] > 0) {
          to = Math.floor((tp * (1 - precision[0])) / precision[0] * (1 + ROUNDING) + room);
        }
      }
      if (from <= to) rows.push({ tp, fn: positives - tp, from, to });
    }
    return rows;
  }

  /** The same for a printed F1: with FP = 2 TP / F1 - TP - positives. */
  function fittingF1(f1, positives) {
    const rows = [];
    for (let tp = 1; tp <= positives; tp += 1) {
      const room = ROUNDING * (tp / f1[1]);
      const from = Math.max(0, Math.ceil((2 * tp) / f1[1] - tp - positives - room));
      const to = f1[0] > 0 ? Math.floor((2 * tp) / f1[0] - tp - positives + ROUNDING * (tp / f1[0])) : Infinity;
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
    normalQuantile, twoSided, betaOdds, f1Estimate, wilsonIndirect, wilsonDirect, clopperPearson, wald,
    fbetaWeights, tverskyEstimate, tverskyScore, tverskyCautious, classCounts, averageScore, modelCounts,
    differenceScore, exactTest, fittingCounts, fittingF1, sampleSize,
  };
})();

if (typeof module !== "undefined") module.exports = f1ci;
