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

  /** No cell leads further out: all slopes to that side are rounding. */
  function isFlat(e, side) {
    return largestOf(e.map((slope) => side * slope)) <= 1e-9 * largestOf(e.map(Math.abs));
  }

  /** 1 and the sum of zeta^2 (1 - zeta^2) / size over classes; the class of a cell is classOf(cell). */
  function lineOf(e, q, n, r, classOf) {
    const [parts, sizes] = [new Float64Array(r), new Float64Array(r)];
    for (let cell = 0; cell < q.length; cell += 1) {
      parts[classOf(cell)] += q[cell] * e[cell] * e[cell];
      sizes[classOf(cell)] += q[cell];
    }
    const whole = sum(parts);
    let line = 1;
    parts.forEach((part, k) => {
      if (sizes[k] > 0 && whole > 0) line += ((part / whole) * (1 - part / whole)) / (n * sizes[k]);
    });
    return line;
  }

  /** The larger line, by true and by predicted classes: the variance of the score statistic. */
  function varianceFactor(e, q, n, r) {
    const byTrue = lineOf(e, q, n, r, (cell) => Math.floor(cell / r));
    const byPredicted = lineOf(e, q, n, r, (cell) => cell % r);
    return Math.min(Math.max(byTrue, byPredicted), 2);
  }

  const POLE = 1 - 1e-12;
  const SETTLED = 1e-7; // no probability moves by more
  const ROUNDS = 200;
  // The drag at the start, and its factors after a move that turns back and after any other.
  const [DRAG, MORE_DRAG, LESS_DRAG, MOST_DRAG] = [0.25, 2, 0.9, 1024];
  const [ASKS, SEED] = [1.001, 0.01];

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

  /** The root s of: sum of p / (1 - s w) = kappa, or almost 1 if it is larger. It is sought from s. */
  function multiplier({ p, w }, kappa, s) {
    if (s === 0) {
      s = Math.sqrt((kappa - 1) / Math.max(dot(p, w.map((slope) => slope * slope)), 1e-300));
      s = Math.min(s < 0.9 ? s : 1 - 0.09 / s, POLE);
    }
    let total = kappa;
    for (let step = 0; step < 22; step += 1) {
      if (step >= 2 && Math.abs(total - kappa) <= 0.1 * (kappa - 1)) break;
      ({ s, total } = newtonStep(p, w, kappa, s));
    }
    return s;
  }

  /** The slopes less their mean over the items, in units of the largest. */
  function scaled(slopes, p) {
    const centre = centred(slopes, p);
    const largest = Math.max(largestOf(centre), 1e-300);
    return { p, w: centre.map((slope) => slope / largest), largest };
  }

  /** The probabilities p / kappa / (1 - s w). What is left goes to the empty cells with the largest slope. */
  function solution({ p, w }, kappa, s) {
    const q = p.map((share, cell) => share / (1 - s * w[cell]));
    const total = sum(q);
    if (!(s >= POLE && total < kappa)) return q.map((share) => share / total);
    const top = w.map((slope) => Number(slope >= 1 - 1e-9));
    const many = sum(top);
    return q.map((share, cell) => share / kappa + ((1 - total / kappa) * top[cell]) / many);
  }

  /** The shares with as many items more as the drag says, which are spread as q is. */
  function dragged(table, e) {
    const { shares, drag, n } = table;
    // An empty cell that asks for items, but has none, gets a few of them.
    const spread = table.q.map((share, cell) => {
      const asks = table.tilt * table.side * e[cell] > ASKS;
      return asks ? Math.max(share, SEED / n) : share;
    });
    const items = sum(spread);
    return shares.map((share, cell) => (share + (drag * spread[cell]) / items) / (1 + drag));
  }

  /** The most likely probabilities for fixed slopes e: items move to larger slopes (see the chapter). */
  function likelier(table, e) {
    const { drag, side } = table;
    const whole = 1 + drag;
    const square = varianceFactor(e, table.q, table.n, table.r) * table.square;
    const slopes = e.map((slope) => side * slope);
    const line = scaled(slopes, drag > 0 ? dragged(table, e) : table.shares);
    // Slopes that are equal but for rounding stay equal.
    if (drag > 0) line.w = line.w.map((slope) => Math.round(slope * 1e9) / 1e9);
    let kappa = 1 + square / (whole * whole);
    table.s = multiplier(line, kappa, table.s);
    if (drag === 0) return solution(line, kappa, table.s);
    // The multiplier grows step by step, because a long step may miss the next solution.
    const tilt = (whole * kappa * table.s) / line.largest;
    const error = Math.sqrt(dot(table.q, e.map((slope) => slope * slope)));
    const most = table.tilt > 0 ? 2 * table.tilt : (0.5 * Math.sqrt(square)) / error;
    table.held = tilt > most;
    if (table.held) {
      kappa = 1 + (kappa - 1) * (most / tilt) ** 2;
      table.s = multiplier(line, kappa, table.s);
    }
    table.tilt = Math.min(tilt, most);
    return solution(line, kappa, table.s);
  }

  /** What holds at q: the metric, its trace, the centred slopes, and whether it is flat. */
  function at(table, q) {
    const { value, slopes, trace } = table.evaluate(q);
    const e = centred(slopes, q);
    return { q, value, trace, e, flat: isFlat(e, table.side) };
  }

  /** Move q by the slopes e. If the metric is flat there, go half of the way. */
  function move(table, e) {
    const before = table.q;
    let reached = at(table, likelier(table, e));
    if (reached.flat) reached = at(table, reached.q.map((share, cell) => (share + before[cell]) / 2));
    const step = reached.q.map((share, cell) => share - before[cell]);
    // A move that turns back went too far. More drag makes the next ones shorter.
    const turned = dot(step, table.step) < 0;
    if (table.drag > 0) table.drag = turned ? Math.min(Math.max(MORE_DRAG * table.drag, DRAG), MOST_DRAG) : LESS_DRAG * table.drag;
    table.q = reached.q;
    table.step = step;
    return reached;
  }

  /** Go from the observed shares and the slopes e to a limit; without drag give up where a move is not half the last. */
  function search(given, e, drag) {
    const { shares } = given;
    const table = { ...given, q: shares, step: shares.map(() => 0), s: 0, tilt: 0, held: false, drag };
    let last = Infinity;
    let reached = { e };
    for (let round = 0; round < ROUNDS; round += 1) {
      reached = move(table, reached.e);
      const size = largestOf(table.step.map(Math.abs));
      // Drag makes a move shorter than what is left.
      if (reached.flat || ((1 + table.drag) * size <= SETTLED && !table.held)) return { ...reached, settled: true };
      if (drag === 0 && size > 0.5 * last) break;
      last = size;
    }
    return { ...reached, settled: false };
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
   * not settle: then rounding has a say, and another program may find another limit.
   */
  function limitOf(evaluate, p, n, r, side, z) {
    const found = evaluate(p);
    const e = centred(found.slopes, p);
    const end = side > 0 ? 1 : 0; // of the range
    if (isFlat(e, side)) return end;
    const table = { evaluate, shares: p, side, square: (z * z) / n, n, r };
    // In most tables whole steps settle in a few rounds. The others start again with short steps.
    let reached = search(table, e, 0);
    if (!reached.settled) reached = search(table, e, DRAG);
    if (reached.flat) return end;
    if (!reached.settled) return null;
    const bias = biasOf(evaluate, reached.q, reached.e, reached.trace) / n;
    const limit = reached.value - (Number.isFinite(bias) ? bias : 0);
    return side * Math.max(side * limit, side * found.value); // a limit never passes the estimate
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
    const [low, high] = [-1, 1].map((side) => limitOf(evaluate, p, n, r, side, z));
    if (low === null || high === null) return null;
    const estimate = evaluate(p).value;
    const near = 1 - (1 - high) * room(wrong, z, level);
    return { estimate, low: Math.max(0, Math.min(low, estimate)), high: Math.min(1, Math.max(near, estimate)) };
  }

  return { scoreLimits };
})();

if (typeof module !== "undefined") module.exports = averages;
