// The explorer: intervals of test sets that are drawn at random, and the coverage of a method.
//
// At v relevant items TP is binomial with F* = F1 / (2 - F1). So a test set is v tosses of a coin,
// and the coverage is a finite sum over TP. It jumps wherever the true F1 passes a limit, and is
// smooth in between. Its infimum lies on one side of a limit: so each piece is evaluated from end
// to end, with the intervals that hold its inside. `tests/site/test_explorer.py` compares it with
// the package.
const explorer = (() => {
  "use strict";

  const KEPT = 40; // test sets in sight

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  const shareOf = (f1) => f1 / (2 - f1);

  /** The probability of x right items among v, as a function of x and F*. */
  function chances(v) {
    const logChoose = [0];
    for (let x = 1; x <= v; x += 1) logChoose[x] = logChoose[x - 1] + Math.log((v - x + 1) / x);
    return (x, share) => {
      if (share === 0) return x === 0 ? 1 : 0;
      if (share === 1) return x === v ? 1 : 0;
      return Math.exp(logChoose[x] + x * Math.log(share) + (v - x) * Math.log1p(-share));
    };
  }

  /**
   * The odds of a right item at which x or more of v are right with this probability. The logarithm
   * of the probability is concave in the logit, so Newton's method converges from everywhere.
   */
  function oddsOf(x, v, probability) {
    const chance = chances(v);
    let logit = Math.log(x / (v - x + 1));
    for (let step = 0; step < 12; step += 1) {
      const share = 1 / (1 + Math.exp(-logit));
      const tail = sum(Array.from({ length: v - x + 1 }, (_, k) => chance(x + k, share)));
      const slope = x * chance(x, share) * (1 - share);
      logit -= (Math.log(tail / probability) * tail) / slope;
    }
    return Math.exp(logit);
  }

  /** Beta quantiles of F* (Lam et al. 2024, eqs. 26 and 27), mapped: F1 = 2 odds / (1 + 2 odds). */
  function clopperPearson(x, wrong, level) {
    const tail = 0.5 * (1 - level);
    const right = x === 0 ? 0 : oddsOf(x, x + wrong, tail);
    const error = wrong === 0 ? 0 : oddsOf(wrong, x + wrong, tail);
    return [(2 * right) / (1 + 2 * right), 2 / (2 + error)];
  }

  // The methods by their names in Python. The page shows them in this order, and the tests ask for
  // those that stand here.
  const METHODS = {
    wilson_indirect: { label: "Wilson score", limits: f1ci.wilsonIndirect },
    wilson_direct: { label: "Wilson direct", limits: f1ci.wilsonDirect },
    clopper_pearson: { label: "Clopper-Pearson", limits: clopperPearson },
    wald: { label: "Wald", limits: f1ci.wald },
  };
  const limitsOf = (method, v, level) =>
    Array.from({ length: v + 1 }, (_, x) => METHODS[method].limits(x, v - x, level));
  const holds = ([low, high], f1) => low <= f1 && f1 <= high;

  /** The coverage between two neighbouring limits with its ends: [F1, coverage] in even steps. */
  function pieceBetween(from, to, limits, chance) {
    const covering = limits.map((_, x) => x).filter((x) => holds(limits[x], (from + to) / 2));
    const steps = 2 * Math.max(1, Math.ceil(100 * (to - from)));
    return Array.from({ length: steps + 1 }, (_, i) => {
      const f1 = i === steps ? to : from + ((to - from) * i) / steps;
      return [f1, sum(covering.map((x) => chance(x, shareOf(f1))))];
    });
  }

  /** The integral over a piece by Simpson's rule. */
  function integral(piece) {
    const last = piece.length - 1;
    const weight = (i) => (i === 0 || i === last ? 1 : i % 2 ? 4 : 2);
    const weighted = piece.map(([, share], i) => share * weight(i));
    return (sum(weighted) * (piece[last][0] - piece[0][0])) / (3 * last);
  }

  /** {pieces, mean, least, where} of the coverage. */
  function study(method, v, level) {
    const limits = limitsOf(method, v, level);
    const chance = chances(v);
    const inside = limits.flat().filter((end) => end > 0 && end < 1);
    const ends = [...new Set([0, ...inside, 1])].sort((p, q) => p - q);
    const pieces = ends.slice(1).map((to, k) => pieceBetween(ends[k], to, limits, chance));
    const [where, least] = pieces.flat()
      .reduce((lowest, point) => (point[1] < lowest[1] ? point : lowest));
    return { pieces, mean: sum(pieces.map(integral)), least: Math.max(least, 0), where };
  }

  /** The coverage at one true F1. */
  function coverage(method, v, level, f1) {
    const chance = chances(v);
    return sum(limitsOf(method, v, level)
      .map((limits, x) => (holds(limits, f1) ? chance(x, shareOf(f1)) : 0)));
  }

  /** The right items of one test set. */
  function draw(v, f1, random = Math.random) {
    return Array.from({ length: v }, random).filter((toss) => toss < shareOf(f1)).length;
  }

  /**
   * The right items of forty typical test sets: the quantiles of their distribution, in an order
   * that looks like none (the powers of 6 modulo 41). Chance begins with a click.
   */
  function typical(v, f1) {
    const chance = chances(v);
    const quantile = (probability) => {
      let [right, below] = [0, chance(0, shareOf(f1))];
      while (below < probability && right < v) below += chance(right += 1, shareOf(f1));
      return right;
    };
    const ranks = [27];
    while (ranks.length < KEPT) ranks.push((6 * ranks.at(-1)) % (KEPT + 1));
    return ranks.map((rank) => quantile((rank - 0.5) / KEPT));
  }

  // --- Pictures ----------------------------------------------------------------------------------

  // Places in the two pictures of explorer.html, which have the scales.
  const place = (f1) => 60 + 560 * f1;
  const height = (share) => 20 + 675 * (1 - Math.max(share, 0.6));
  const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;

  function drawCoverage(svg, { pieces, least, where }, level, f1) {
    const line = pieces.flat()
      .map(([at, share]) => `${place(at).toFixed(2)},${height(share).toFixed(1)}`);
    svg.querySelector("polyline").setAttribute("points", line.join(" "));
    svg.querySelector(".truth").setAttribute("d", `M${place(f1)} 20V290`);
    svg.querySelector(".level").setAttribute("d", `M60 ${height(level)}H620`);
    svg.querySelector(".least").setAttribute("cx", place(where));
    svg.querySelector(".least").setAttribute("cy", height(least));
  }

  /** The scale of test sets: from the lowest end of an interval to the highest, in tenths. */
  function scaleOf(sets, f1) {
    const ends = sets.flatMap(({ limits }) => limits).concat(f1 - 0.1, f1 + 0.1);
    const from = Math.max(0, Math.floor(10 * Math.min(...ends)));
    const to = Math.min(10, Math.ceil(10 * Math.max(...ends)));
    const y = (value) => 222 - (214 * (10 * Math.min(Math.max(value, 0), 1) - from)) / (to - from);
    const step = to - from > 5 ? 2 : 1;
    const ticks = Array.from({ length: Math.floor((to - from) / step) + 1 },
      (_, k) => (from + k * step) / 10);
    return { y, ticks };
  }

  /** The last test sets, side by side: an upright bar for each interval, red where it misses. */
  function drawSets(svg, sets, f1) {
    const [left, right] = [34, (svg.clientWidth || 640) - 4];
    svg.setAttribute("viewBox", `0 0 ${right + 4} 240`); // so letters keep their size
    const seen = sets.slice(-KEPT);
    const { y, ticks } = scaleOf(seen, f1);
    const grid = ticks.map((tick) => `<path class="grid" d="M${left} ${y(tick)}H${right}"/>`
      + `<text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${tick.toFixed(1)}</text>`);
    const bars = seen.map(({ limits: [low, high], estimate }, k) => {
      const x = left + ((right - left) * (k + 0.5)) / KEPT;
      const missed = holds([low, high], f1) ? "" : ' class="missed"';
      const dot = `<circle cx="${x}" cy="${y(estimate)}" r="3"/>`;
      return `<g${missed}><path d="M${x} ${y(low)}V${y(high)}"/>${dot}</g>`;
    });
    const truth = `<path class="truth" d="M${left} ${y(f1)}H${right}"/>`;
    svg.innerHTML = `${grid.join("")}${bars.join("")}${truth}`
      + `<text x="${left}" y="238">the line: true F1 = ${f1.toFixed(2)}</text>`
      + `<text x="${right}" y="238" text-anchor="end">${seen.length} test sets</text>`;
  }

  /** A score in words: two digits of its distance from 0 or 1. */
  const near = (f1) => {
    if (f1 === 0 || f1 === 1) return `next to ${f1}`;
    const digits = Math.max(2, 1 - Math.floor(Math.log10(Math.min(f1, 1 - f1))));
    return `near ${f1.toFixed(Math.min(digits, 6))}`;
  };

  function start(box) {
    const form = box.querySelector("form");
    const choices = Object.entries(METHODS).map(([name, { label }], k) =>
      `<label><input type="radio" name="method" value="${name}"${k ? "" : " checked"}> `
        + `${label}</label>`);
    form.querySelector("legend").insertAdjacentHTML("afterend", choices.join("\n"));
    const find = (name) => box.querySelector(`.explorer-${name}`);
    let sets = [];
    const chosen = () => {
      const { f1, v, method, level } = Object.fromEntries(new FormData(form));
      return { f1: Number(f1), v: Number(v), method, level: Number(level) / 100 };
    };

    const add = (rights) => {
      const { v, method, level } = chosen();
      sets = sets.concat(rights.map((right) => (
        {
          right, estimate: f1ci.f1Estimate(right, v - right),
          limits: METHODS[method].limits(right, v - right, level),
        }
      )));
    };

    function showSets() {
      const { f1, v, method, level } = chosen();
      drawSets(find("sets"), sets, f1);
      const missed = sets.filter(({ limits }) => !holds(limits, f1)).length;
      const run = `In the long run ${percent(coverage(method, v, level, f1))} of the intervals do.`;
      const last = sets.at(-1);
      const held = `${sets.length - missed} of ${sets.length} intervals contain the true F1, `
        + `${missed} ${missed === 1 ? "misses" : "miss"} it (red).`;
      const ends = last?.limits.map((end) => end.toFixed(2).replace("-", "−")).join(" to ");
      find("drawn").textContent = last === undefined
        ? `You know the true F1 of this classifier: it is ${f1.toFixed(2)}. Draw a test set, and `
          + `see whether its ${100 * level} % interval contains this value. ${run}`
        : `${held} ${run} The last test set has ${last.right} true positives among ${v} relevant `
          + `items: F1 = ${last.estimate.toFixed(2)}, interval ${ends}.`;
      find("sets").setAttribute("aria-label",
        `Intervals of ${sets.length} test sets, ${missed} of them red.`);
    }

    function show() {
      const { f1, v, method, level } = chosen();
      for (const output of document.querySelectorAll("output[for^=explorer]")) {
        output.textContent = form.elements[output.htmlFor[0]].value;
      }
      sets = []; // they belong to another question
      add(typical(v, f1));
      showSets();
      const found = study(method, v, level);
      drawCoverage(find("coverage"), found, level, f1);
      find("says").textContent = `${METHODS[method].label}, v = ${v}: a ${100 * level} % interval `
        + `contains the true F1 in ${percent(found.mean)} of test sets on average, and in `
        + `${percent(found.least)} at worst, ${near(found.where)} (the dot).`;
      find("coverage").setAttribute("aria-label", find("says").textContent);
    }

    /** Shows test sets like the one in the calculator beside it, if that one has counts. */
    function follow(calculator) {
      if (!calculator.dataset.counts) return;
      const [tp, fp, fn] = calculator.dataset.counts.split(",").map(Number);
      form.elements.f1.value = f1ci.f1Estimate(tp, fp + fn);
      form.elements.v.value = tp + fp + fn; // the ends of the sliders limit both
      show();
    }

    find("buttons").addEventListener("click", ({ target }) => {
      if (!target.dataset.number) return;
      const { f1, v } = chosen();
      const number = Number(target.dataset.number);
      if (number === 0) sets = [];
      add(Array.from({ length: number }, () => draw(v, f1)));
      showSets();
    });
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    // The picture beside it is for those without scripts, and for paper.
    const still = document.querySelector(".explorer-still");
    if (still) still.hidden = true;
    box.hidden = false;
    box.querySelector("details").open = !box.closest(".front");
    show();
    const calculator = document.getElementById("calc");
    if (calculator) {
      new MutationObserver(() => follow(calculator))
        .observe(calculator, { attributeFilter: ["data-counts"] });
      follow(calculator);
    }
    new ResizeObserver(() => drawSets(find("sets"), sets, chosen().f1)).observe(find("sets"));
  }

  const box = typeof document === "undefined" ? null : document.getElementById("explorer");
  if (box) start(box);
  return { METHODS, study, coverage, draw, typical };
})();
