// The explorer: intervals of test sets that are drawn at random, and the coverage of a method.
//
// At v relevant items TP is binomial with F* = F1 / (2 - F1). So a test set is v tosses of a coin,
// and the coverage is a finite sum over TP. It jumps wherever the true F1 passes a limit, and is
// smooth in between. Its infimum lies on one side of a limit: so each piece is evaluated from end to
// end, with the intervals that hold its inside. `tests/site/test_explorer.py` compares it with the
// package.
const explorer = (() => {
  "use strict";

  const KEPT = 40; // test sets in sight

  const shareOf = (f1) => f1 / (2 - f1);

  /** The probability of x right items among v, as a function of x and the true F1. */
  function chances(v) {
    const logChoose = [0];
    for (let x = 1; x <= v; x += 1) logChoose[x] = logChoose[x - 1] + Math.log((v - x + 1) / x);
    return (x, f1) => {
      if (f1 === 0) return x === 0 ? 1 : 0;
      if (f1 === 1) return x === v ? 1 : 0;
      return Math.exp(logChoose[x] + x * Math.log(shareOf(f1)) + (v - x) * Math.log1p(-shareOf(f1)));
    };
  }

  const limitsOf = (method, v, level) => Array.from({ length: v + 1 }, (_, x) => f1ci[method](x, v - x, level));
  const holds = ([low, high], f1) => low <= f1 && f1 <= high;

  /** {pieces, mean, least, where}: each piece a list of [F1, coverage], end points included. */
  function study(method, v, level) {
    const limits = limitsOf(method, v, level);
    const chance = chances(v);
    const inside = limits.flat().filter((end) => end > 0 && end < 1);
    const ends = [...new Set([0, ...inside, 1])].sort((p, q) => p - q);
    const pieces = [];
    let [mean, least, where] = [0, Infinity, 0];
    for (let k = 0; k + 1 < ends.length; k += 1) {
      const [from, to] = [ends[k], ends[k + 1]];
      const covering = limits.map((_, x) => x).filter((x) => holds(limits[x], (from + to) / 2));
      const steps = 2 * Math.max(1, Math.ceil(100 * (to - from)));
      const piece = Array.from({ length: steps + 1 }, (_, i) => {
        const f1 = i === steps ? to : from + ((to - from) * i) / steps;
        return [f1, covering.reduce((sum, x) => sum + chance(x, f1), 0)];
      });
      piece.forEach(([f1, share], i) => {
        const weight = i === 0 || i === steps ? 1 : i % 2 ? 4 : 2; // Simpson's rule
        mean += (weight * share * (to - from)) / (3 * steps);
        if (share < least) [least, where] = [share, f1];
      });
      pieces.push(piece);
    }
    return { pieces, mean, least: Math.max(least, 0), where };
  }

  /** The coverage at one true F1. */
  function coverage(method, v, level, f1) {
    const chance = chances(v);
    return limitsOf(method, v, level).reduce((sum, limits, x) => sum + (holds(limits, f1) ? chance(x, f1) : 0), 0);
  }

  /** The right items of one test set. */
  function draw(v, f1, random = Math.random) {
    let right = 0;
    for (let item = 0; item < v; item += 1) right += Number(random() < shareOf(f1));
    return right;
  }

  // --- Pictures ----------------------------------------------------------------------------------

  const place = (f1) => 60 + 560 * f1;
  const across = (y) => [0, 0.2, 0.4, 0.6, 0.8, 1].map((f1) => `<text x="${place(f1)}" y="${y}" text-anchor="middle">${f1}</text>`).join("");
  const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;

  function drawCoverage(svg, { pieces, least, where }, level, f1) {
    const LOWEST = 0.6;
    const y = (share) => 20 + (270 * (1 - Math.max(share, LOWEST))) / (1 - LOWEST);
    const line = pieces.flat().map(([at, share]) => `${place(at).toFixed(2)},${y(share).toFixed(1)}`).join(" ");
    const up = [0.6, 0.7, 0.8, 0.9, 1].map((share) => `<path class="grid" d="M60 ${y(share)}H620"/>`
      + `<text x="52" y="${y(share) + 5}" text-anchor="end">${100 * share}</text>`);
    svg.innerHTML = `${up.join("")}${across(310)}<path class="truth" d="M${place(f1)} 20V290"/>`
      + `<polyline points="${line}"/><path class="level" d="M60 ${y(level)}H620"/>`
      + `<circle class="least" cx="${place(where)}" cy="${y(least)}" r="6"/>`
      + '<text x="340" y="334" text-anchor="middle">true F1</text>'
      + '<text x="14" y="155" text-anchor="middle" transform="rotate(-90 14 155)">coverage, %</text>';
  }

  /** The last test sets, the newest on top: a bar for each interval, red where it misses. */
  function drawSets(svg, sets, f1) {
    const bars = sets.slice(-KEPT).map(({ limits: [low, high], estimate }, k) => {
      const y = 264 - 6.4 * k;
      const missed = holds([low, high], f1) ? "" : ' class="missed"';
      const [from, to] = [place(Math.max(low, 0)), place(Math.min(high, 1))];
      return `<g${missed}><path d="M${from} ${y}H${to}"/><circle cx="${place(estimate)}" cy="${y}" r="2.5"/></g>`;
    });
    svg.innerHTML = `<path class="truth" d="M${place(f1)} 6V272"/>${across(290)}${bars.join("")}`
      + `<text x="${place(f1)}" y="308" text-anchor="middle">true F1</text>`;
  }

  /** A score in words: two digits of its distance from 0 or 1. */
  const near = (f1) => {
    if (f1 === 0 || f1 === 1) return `next to ${f1}`;
    const digits = Math.max(2, 1 - Math.floor(Math.log10(Math.min(f1, 1 - f1))));
    return `near ${f1.toFixed(Math.min(digits, 6))}`;
  };

  function start(box) {
    const form = box.querySelector("form");
    const find = (name) => box.querySelector(`.explorer-${name}`);
    let sets = [];
    const chosen = () => {
      const { f1, v, method, level } = Object.fromEntries(new FormData(form));
      return { f1: Number(f1), v: Number(v), method, level: Number(level) / 100 };
    };

    function showSets() {
      const { f1, v, method, level } = chosen();
      drawSets(find("sets"), sets, f1);
      const missed = sets.filter(({ limits }) => !holds(limits, f1)).length;
      const run = `In the long run ${percent(coverage(method, v, level, f1))} of the test sets do.`;
      const last = sets.at(-1);
      find("drawn").textContent = last === undefined
        ? `You know the true F1 of this classifier: it is ${f1.toFixed(2)}. Draw a test set, and see whether its ${100 * level} % interval holds this value. ${run}`
        : `${sets.length - missed} of ${sets.length} intervals hold the true F1, ${missed} ${missed === 1 ? "misses" : "miss"} it (red). `
          + `The last test set has ${last.right} true positives among ${v} relevant items: F1 = ${last.estimate.toFixed(2)}, `
          + `interval ${last.limits.map((end) => end.toFixed(2).replace("-", "−")).join(" to ")}. ${run}`;
      find("sets").setAttribute("aria-label", `Intervals of ${sets.length} drawn test sets, ${missed} of them red.`);
    }

    function show() {
      const { f1, v, method, level } = chosen();
      sets = []; // they belong to another question
      for (const output of form.querySelectorAll("output")) output.textContent = form.elements[output.htmlFor[0]].value;
      find("buttons").querySelector('[data-number="40"]').click(); // there is something to see at once
      const found = study(method, v, level);
      drawCoverage(find("coverage"), found, level, f1);
      const name = form.querySelector("[name=method]:checked").parentElement.textContent.trim();
      find("says").textContent = `${name}, v = ${v}: a ${100 * level} % interval holds the true F1 in `
        + `${percent(found.mean)} of test sets on average, and in ${percent(found.least)} at worst, ${near(found.where)} (the dot).`;
      find("coverage").setAttribute("aria-label", find("says").textContent);
    }

    find("buttons").addEventListener("click", ({ target }) => {
      if (!target.dataset.number) return;
      const { f1, v, method, level } = chosen();
      const number = Number(target.dataset.number);
      if (number === 0) sets = [];
      for (let k = 0; k < number; k += 1) {
        const right = draw(v, f1);
        sets.push({ right, estimate: f1ci.f1Estimate(right, v - right), limits: f1ci[method](right, v - right, level) });
      }
      showSets();
    });
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    // The picture beside it is for those without scripts, and for paper.
    const still = document.querySelector(".explorer-still");
    if (still) still.hidden = true;
    box.hidden = false;
    show();
  }

  const box = document.getElementById("explorer");
  if (box && typeof f1ci !== "undefined") start(box); // the calculator on the same page has brought the kernels
  else if (box) {
    const script = document.createElement("script");
    script.src = "../_static/f1ci.js";
    script.addEventListener("load", () => start(box));
    document.head.append(script);
  }
  return { study, coverage, draw };
})();
