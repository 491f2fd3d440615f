// The kernels of f1ci that the calculator needs, in plain JavaScript and without a page.
//
// Each function takes numbers that were checked before and gives [low, high], as the kernels of
// the Python package do. Counts are called x = TP, y = FP, w = FN; a and b weigh y and w in the
// Tversky score x / (x + a y + b w), so F1 is a = b = 1/2. `tests/test_calculator.py` compares
// each kernel with the package.
const f1ci = (() => {
  "use strict";

  // --- Special functions -----------------------------------------------------------------------

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

  // Loader (2000), "Fast and accurate computation of binomial probabilities": what Stirling's
  // formula leaves of log Gamma(n + 1), and the deviance, do not cancel for counts of any size.

  /** log Gamma(n + 1) - {(n + 1/2) log n - n + log(2 pi) / 2}, n > 0. */
  function stirlingError(n) {
    if (n < 16) {
      // Gamma(n + 2) = (n + 1) Gamma(n + 1), applied until the series below converges.
      const next = n + 1;
      return stirlingError(next) + (n + 0.5) * Math.log1p(1 / n) - 1;
    }
    const s = 1 / (n * n);
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / n;
  }

  /** n log(n / m) + m - n; the difference n - m is given, so that none of its digits are lost. */
  function deviance(n, m, difference) {
    const d = difference / (n + m);
    if (Math.abs(d) >= 0.1) return n * Math.log(n / m) - difference;
    let term = 2 * n * d;
    let sum = difference * d;
    for (let j = 1; j < 100; j += 1) {
      term *= d * d;
      const next = sum + term / (2 * j + 1);
      if (next === sum) break;
      sum = next;
    }
    return sum;
  }

  /** log of x^a y^b / Beta(a, b), with x + y = 1 and a, b > 0. */
  function logBetaKernel(a, b, x, y) {
    const n = a + b;
    const difference = a * y - b * x; // a - n x
    return (
      stirlingError(n) - stirlingError(a) - stirlingError(b)
      - deviance(a, n * x, difference) - deviance(b, n * y, -difference)
      + 0.5 * Math.log(((a / n) * b) / (2 * Math.PI))
    );
  }

  /** Probability of k successes among n, each with probability one half. */
  function fairCoin(k, n) {
    if (k === 0 || k === n) return Math.pow(0.5, n);
    return Math.exp(
      stirlingError(n) - stirlingError(k) - stirlingError(n - k)
      - deviance(k, n / 2, k - n / 2) - deviance(n - k, n / 2, n / 2 - k),
    ) * Math.sqrt(n / (2 * Math.PI * k * (n - k)));
  }

  // Nodes and weights of Gauss and Legendre's rule with 16 points, by Newton's method.
  const GAUSS = (() => {
    const n = 16;
    const rule = [];
    for (let i = 0; i < n; i += 1) {
      let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
      let slope = 1;
      for (let step = 0; step < 8; step += 1) {
        let [before, value] = [0, 1];
        for (let j = 1; j <= n; j += 1) {
          [before, value] = [value, ((2 * j - 1) * x * value - (j - 1) * before) / j];
        }
        slope = (n * (x * value - before)) / (x * x - 1);
        x -= value / slope;
      }
      rule.push([x, 2 / ((1 - x * x) * slope * slope)]);
    }
    return rule;
  })();

  // Above this many of both kinds the continued fraction takes long, and an integral is exact.
  const MANY = 1000;

  /**
   * I_x(a, b) divided by x^a y^b / Beta(a, b): the lower tail of a Beta law in units that do
   * not underflow.
   */
  function betaTailRatio(a, b, x, y) {
    return Math.min(a, b) > MANY ? tailByIntegral(a, b, x, y) : tailByFraction(a, b, x, y);
  }

  /**
   * Didonato and Morris (1992), BFRAC: a continued fraction, for a, b >= 1. Written with
   * a y - b x, it loses no digits where x or y is tiny.
   */
  function tailByFraction(a, b, x, y) {
    const lambda = a * y - b * x;
    // Beyond the mean the other tail converges.
    if (lambda < 0) {
      return Math.exp(-logBetaKernel(a, b, x, y)) - tailByFraction(b, a, y, x);
    }
    const c = 1 + lambda;
    const c1 = 1 + 1 / a;
    let [p, s] = [1, a + 1];
    let [above, below] = [0, 1];
    let [nextAbove, nextBelow] = [1, c / c1];
    let ratio = c1 / c;
    for (let n = 1; n < 100000; n += 1) {
      const t = n / a;
      const w = n * (b - n) * x;
      const e = a / s;
      const alpha = p * (p + b / a) * e * e * w * x;
      const beta = n + w / s + ((t + 1) / (c1 + t + t)) * (c + n * (y + 1));
      p = t + 1;
      s += 2;
      [above, nextAbove] = [nextAbove, alpha * above + beta * nextAbove];
      [below, nextBelow] = [nextBelow, alpha * below + beta * nextBelow];
      const last = ratio;
      ratio = nextAbove / nextBelow;
      if (Math.abs(ratio - last) <= 1e-16 * ratio) break;
      // Keep the terms in range.
      above /= nextBelow;
      below /= nextBelow;
      nextAbove = ratio;
      nextBelow = 1;
    }
    return ratio;
  }

  /** The same as an integral over the logit, on which the density is close to normal. */
  function tailByIntegral(a, b, x, y) {
    // With t = x e^-u / (y + x e^-u) the kernel relative to its value at x is
    // exp(-a u - (a + b) log(1 + x (e^-u - 1))), written with the smaller of x and y.
    const exponent = x < y
      ? (u) => -a * u - (a + b) * Math.log1p(x * Math.expm1(-u))
      : (u) => b * u - (a + b) * Math.log1p(y * Math.expm1(u));
    const width = Math.sqrt(1 / a + 1 / b);
    let sum = 0;
    for (let from = 0; from < 60 * width; from += width) {
      let piece = 0;
      for (const [node, weight] of GAUSS) {
        piece += weight * Math.exp(exponent(from + 0.5 * width * (1 + node)));
      }
      sum += 0.5 * width * piece;
      if (piece < 1e-17 * (sum / width)) break;
    }
    return sum;
  }

  /**
   * The odds x / y at which the lower tail of Beta(a, b) is p, for p up to one half.
   *
   * The logarithm of the tail is concave in the logit, so Newton's method converges from
   * everywhere: at most one step goes too far, to the left.
   */
  function betaOdds(a, b, p) {
    let logit = Math.log(a / b) + normalQuantile(p) * Math.sqrt(1 / a + 1 / b);
    for (let step = 0; step < 200; step += 1) {
      const x = 1 / (1 + Math.exp(-logit));
      const y = 1 / (1 + Math.exp(logit));
      const ratio = betaTailRatio(a, b, x, y);
      const move = (logBetaKernel(a, b, x, y) + Math.log(ratio) - Math.log(p)) * ratio;
      logit -= move;
      if (Math.abs(move) <= 4e-16 * Math.max(1, Math.abs(logit))) break;
    }
    return Math.exp(logit);
  }

  // --- The four intervals of F1 (Lam, Gopal and Qian 2024) -------------------------------------
  // `wrong` is FP + FN: F1 depends on the two only through their sum.

  const ordered = (estimate, low, high) =>
    [Math.max(0, Math.min(low, estimate)), Math.min(1, Math.max(high, estimate))];

  const f1Estimate = (x, wrong) => (2 * x) / (2 * x + wrong);

  /** Wilson's interval for F*, mapped (eq. 42): a score interval. */
  function wilsonIndirect(x, wrong, level) {
    const v = x + wrong;
    if (v === 0) return [0, 1];
    const z = twoSided(level);
    const roots = 2 * x + z * z + z * Math.sqrt(z * z + (4 * x * wrong) / v);
    const low = (4 * x * x) / (v * roots + 2 * x * x);
    const high = wrong === 0 ? 1 : (2 * roots) / (2 * (v + z * z) + roots);
    return ordered(f1Estimate(x, wrong), low, high);
  }

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
  function clopperPearson(x, wrong, level) {
    return cautious(x, wrong, 0, 0.5, 0.5, level);
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

  // --- Tversky scores: F-beta, Jaccard, precision, recall --------------------------------------

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
  function tverskyScore(x, y, w, a, b, level) {
    return tverskyLimits(x, y, w, a, b, twoSided(level));
  }

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
  function cautious(x, y, w, a, b, level) {
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
    if (A > 0) {
      const odds = (betaOdds((A * A) / V, x + 1, tail) * V) / A;
      high = 1 / (1 + odds);
    }
    return ordered(tverskyEstimate(x, y, w, a, b), low, high);
  }

  /** An F-beta by its two methods. */
  const tversky = { score: tverskyScore, cautious };

  // --- Sums of correlated scores: averages over classes (see score.py) --------------------------

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  /** TP, FP and FN of each class of a matrix with rows true and columns predicted. */
  function classCounts(matrix) {
    return matrix.map((row, k) => ({
      x: row[k],
      y: sum(matrix.map((other) => other[k])) - row[k],
      w: sum(row) - row[k],
    }));
  }

  /** The mean of F-beta over classes, alike or by their true items, and its slope in each cell. */
  function average(q, r, a, b, weighted) {
    const places = [...Array(r).keys()];
    let value = 0;
    const slopes = places.map((k) => {
      const x = q[k * r + k];
      const right = sum(places.map((j) => q[k * r + j]));
      const called = sum(places.map((i) => q[i * r + k]));
      const whole = (1 - a - b) * x + b * right + a * called;
      const score = whole > 0 ? x / whole : 0;
      const by = [1 - score * (1 - a - b), -score * b, -score * a];
      const scale = whole > 0 ? (weighted ? right : 1 / r) / whole : 0;
      value += weighted ? right * score : score / r;
      return by.map((slope, place) => slope * scale + (weighted && place === 1 ? score : 0));
    });
    const cells = q.map((_, cell) => {
      const [i, j] = [Math.floor(cell / r), cell % r];
      return slopes[i][1] + slopes[j][2] + (i === j ? slopes[i][0] : 0);
    });
    return [value, centred(cells, q)];
  }

  function centred(values, q) {
    const mean = sum(values.map((value, cell) => value * q[cell]));
    return values.map((value) => value - mean);
  }

  /**
   * Terms of second order by differences of the slopes: N times the bias at right angles to the
   * influence, and N times the excess of the statistic's variance over 1.
   */
  function secondOrder(q, evaluate) {
    const mean = (values) => sum(values.map((value, cell) => value * q[cell]));
    const slopes = evaluate(q)[1];
    const variance = mean(slopes.map((e) => e * e));
    const error = Math.sqrt(variance);
    const along = q.map(() => 0);
    let [trace, product, third] = [0, 0, 0];
    q.forEach((share, cell) => {
      if (!(share > 0)) return;
      const tiny = 1e-5 * share;
      const moved = q.map((p, other) => (1 - tiny) * p + (other === cell ? tiny : 0));
      const after = evaluate(moved)[1];
      const row = centred(after.map((e, other) => (e - slopes[other]) / tiny), q);
      trace += share * row[cell];
      product += share * mean(row.map((h) => h * h));
      third += share * slopes[cell] * row[cell];
      row.forEach((h, other) => { along[other] += ((share * slopes[cell]) / error) * h; });
    });
    const curve = mean(along.map((h, cell) => (h * slopes[cell]) / error));
    const square = product - 2 * mean(along.map((h) => h * h)) + curve * curve;
    const cumulant = third - (2 * mean(along.map((h, cell) => h * slopes[cell] ** 2))) / error
      + (mean(slopes.map((e) => e ** 3)) * curve) / variance;
    return [(trace - curve) / 2, -(square / 2 + cumulant) / variance];
  }

  /** Move items to larger slopes until Pearson's statistic allows no more; see the chapter. */
  function shifted(shares, slopes, kappa, start) {
    let w = centred(slopes, shares);
    const largest = Math.max(...w);
    if (!(largest > 0)) return { q: shares, rest: 0, scale: start, top: null };
    w = w.map((slope) => slope / largest);
    const total = (s, power) => sum(shares.map((p, cell) => {
      if (p === 0) return 0;
      const factor = 1 / Math.max(1 - s * w[cell], 1e-300);
      return power ? p * factor * factor * w[cell] : p * factor;
    }));
    let scale = start;
    if (scale === null) {
      scale = Math.sqrt((kappa - 1) / sum(shares.map((p, cell) => p * w[cell] ** 2)));
      scale = scale < 0.9 ? scale : 1 - 0.09 / scale;
    }
    let ahead = scale;
    for (let step = 0; step < 2; step += 1) {
      const now = total(scale, 0);
      ahead = scale + (now * (1 - now / kappa)) / Math.max(total(scale, 1), 1e-300);
      scale = Math.min(Math.max(ahead >= 1 ? 0.5 * (1 + scale) : ahead, 1e-12), 1 - 1e-12);
    }
    const rest = 1 - total(1, 0) / kappa;
    const top = w.map((slope, cell) => Number(shares[cell] === 0 && slope >= 1 - 1e-9));
    const many = sum(top);
    const full = ahead >= 1 && rest >= 0 && many > 0;
    const q = shares.map((p, cell) => (p > 0 ? p / Math.max(1 - (full ? 1 : scale) * w[cell], 1e-300) : 0));
    const norm = (full ? 1 - rest : 1) / sum(q);
    return {
      q: q.map((p) => p * norm), rest: full ? rest : 0, scale,
      top: full ? top.map((one) => one / many) : null,
    };
  }

  /** Score limits of an average over classes, by the algorithm for any metric of the chapter. */
  function meanScore(matrix, a, b, level, weighted) {
    const r = matrix.length;
    const n = sum(matrix.map(sum));
    const z = twoSided(level);
    const shares = matrix.flat().map((count) => count / n);
    const evaluate = (q) => average(q, r, a, b, weighted);
    const estimate = evaluate(shares)[0];
    const ends = [-1, 1].map((side) => {
      let q = shares;
      let square = 1.959963984540054 ** 2 / n; // the variance is taken at the level 95 %
      let target = shares.map(() => 0);
      let [scale, late, last] = [null, 0, Infinity];
      for (let step = 0; step < 40 && !(step > 5 && last <= 1e-8); step += 1) {
        if (step === 5) {
          const variance = 1 + secondOrder(q, evaluate)[1] / n;
          const factor = Number.isFinite(variance) ? Math.min(Math.max(variance, 0.5), 4) : 1;
          square = (factor * z * z) / n;
        }
        const slopes = evaluate(q)[1].map((e) => side * e);
        const moved = shifted(shares, slopes, 1 + square, scale);
        scale = moved.scale;
        if (moved.top) {
          const divisor = target.some((t) => t > 0) ? 1 + late : 1;
          target = target.map((t, cell) => t + (moved.top[cell] - t) / divisor);
        }
        const move = q.map((p, cell) => moved.q[cell] + moved.rest * target[cell] - p);
        q = q.map((p, cell) => p + (move[cell] * 3) / (3 + late));
        const size = Math.max(...move.map(Math.abs));
        if (step > 5 && size > 0.5 * last) late += 1;
        last = size;
      }
      const bias = secondOrder(q, evaluate)[0] / n;
      const end = evaluate(q)[0] - (Number.isFinite(bias) ? bias : 0);
      return side * Math.max(side * end, side * estimate);
    });
    const wrong = n - sum(matrix.map((row, k) => row[k]));
    const high = 1 - (1 - Math.min(ends[1], 1)) * room(wrong, z, level);
    return [Math.min(Math.max(ends[0], 0), estimate), high];
  }

  /**
   * The modified Wilson limit of up to three items over Wilson's own, in the Poisson limit (Brown,
   * Cai and DasGupta 2001): more room for an average where hardly an item is wrong.
   */
  function room(count, z, level) {
    if (count < 1 || count > 3) return 1;
    const wilson = count ** 2 / (count + z * z / 2 + z * Math.sqrt(count + z * z / 4));
    // The mean at which so many items or more have the probability 1 - level.
    let [low, mean] = [0, wilson + 1];
    for (let step = 0, high = mean; step < 60; step += 1) {
      mean = (low + high) / 2;
      let fewer = 0;
      for (let k = 0, term = Math.exp(-mean); k < count; k += 1, term *= mean / k) fewer += term;
      if (1 - fewer > 1 - level) high = mean;
      else low = mean;
    }
    return Math.min(mean / wilson, 1);
  }

  // --- Two models on the same items ------------------------------------------------------------
  // Counts of items {tp, posA, posB, fn, fp, negA, negB}: of the positives, both models have tp
  // right and fn wrong, one alone posA or posB; of the negatives both have fp wrong, one alone
  // has negA or negB right.

  function modelCounts(t) {
    return [
      { x: t.tp + t.posA, y: t.fp + t.negB, w: t.fn + t.posB },
      { x: t.tp + t.posB, y: t.fp + t.negA, w: t.fn + t.posA },
    ];
  }

  /** The correlation of the two scores, as if half an item more told the models apart. */
  function pairedCorrelation(t, a, b) {
    // What an item of each kind does to the scores of A and of B, without the common factors.
    const [f, g] = modelCounts(t).map(({ x, y, w }) => x / (x + a * y + b * w) || 0);
    const kinds = [
      [t.tp, 1 - f, 1 - g], [t.posA, 1 - f, -b * g], [t.posB, -b * f, 1 - g],
      [t.fn, -b * f, -b * g], [t.fp, -a * f, -a * g], [t.negA, 0, -a * g], [t.negB, -a * f, 0],
    ];
    const added = (of) => sum(kinds.map(([n, u, v]) => n * of(u, v)));
    const seen = kinds.filter(([n]) => n > 0);
    const width = (k) => Math.max(0, ...seen.map((row) => row[k]))
      - Math.min(0, ...seen.map((row) => row[k]));
    const root = Math.sqrt(added((u) => u * u) * added((u, v) => v * v));
    const r = added((u, v) => u * v) / (root + 0.5 * width(1) * width(2)) || 0;
    return Math.min(1, Math.max(-1, r));
  }

  /**
   * Score interval of F-beta of B minus that of A: the extremes over the ellipse of the two
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

  /**
   * Two-sided p-value of the exact test for F1: all swaps of the predictions of discordant items,
   * ordered by the difference over its standard error.
   */
  function randomisationTest(t) {
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
    // Of many tosses only numbers of heads within 9 standard deviations are looked at.
    const many = (n1 + 1) * (n0 + 1) > 4e6;
    const tosses = (n) => {
      const most = many ? Math.ceil(4.6 * Math.sqrt(n)) + 1 : n;
      const from = Math.max(0, Math.floor(n / 2) - most);
      const to = Math.min(n, Math.ceil(n / 2) + most);
      return [...Array(to - from + 1).keys()].map((k) => [k + from, fairCoin(k + from, n)]);
    };
    const second = tosses(n0);
    const total = sum(tosses(n1).map(([k, chance]) => chance * sum(second.map(
      ([j, other]) => (statistic(k, j) >= observed * (1 - 1e-10) ? other : 0)))));
    return Math.min(1, Math.max(total, many ? 1e-19 : 0));
  }

  // --- What a rounded precision, recall and support leave open ---------------------------------

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

  // --- Sample size (Jiang 2020, with the exact supremum) ---------------------------------------

  /** The largest variance of a Tversky score over all classifiers, times b: see planning.py. */
  function varianceBound(a, b) {
    const [u, w] = worstRatios(a, b);
    const gain = w === u ? u * (b + u) : u * (a + u) - (a - b) * w;
    return ((b + w) * gain) / (1 + u) ** 4;
  }

  function worstRatios(a, b) {
    const u = worstOdds(b);
    const d = a - b;
    if (a <= 2 || d <= u) return [u, u];
    const joint = (2 * b * d) / (a + Math.sqrt(a * a + 4 * b * d));
    const top = (a - 2 * b * d) / (a - 2);
    if (top <= joint) {
      const slope = 3 * a - 2;
      return [(2 * a) / (slope + Math.sqrt(slope * slope + 8 * a)), 0];
    }
    return [top, 0.5 * ((top * (a + top)) / d - b)];
  }

  function worstOdds(m) {
    const root = Math.hypot(3 * m - 7 / 3, Math.sqrt(32) / 3);
    return m <= 1 ? 0.5 * (3 - 3 * m + root) : (2 * m) / (3 * m - 3 + root);
  }

  const roundUp = (value) => Math.max(1, Math.ceil(value * (1 - ROUNDING)));

  /** Truly positive items, and items in all, for a half width whatever the classifier. */
  function sampleSize(a, b, halfWidth, prevalence, level) {
    const error = halfWidth / twoSided(level);
    const positives = varianceBound(a, b) / b / error / error;
    return {
      positives: roundUp(positives),
      total: prevalence === null ? null : roundUp(positives / prevalence),
    };
  }

  return {
    normalQuantile, twoSided, betaOdds, fairCoin,
    f1Estimate, wilsonIndirect, wilsonDirect, clopperPearson, wald,
    fbetaWeights, tverskyEstimate, tverskyScore, cautious, tversky, classCounts,
    meanScore, modelCounts, differenceScore, randomisationTest,
    fittingCounts, sampleSize,
  };
})();

if (typeof module !== "undefined") module.exports = f1ci;
