// Coverage of a method at v relevant items: the chance, given v, that its interval holds the true
// F1. TP is binomial with F* = F1 / (2 - F1), so the coverage is a finite sum over TP. It jumps
// wherever the true F1 passes a limit, and is smooth in between. Its infimum lies on one side of a
// limit: so each piece is evaluated from end to end, with the intervals that hold its inside.
// `tests/test_calculator.py` compares it with the package.
const explorer = (() => {
  "use strict";

  /** {pieces, mean, least, where}: each piece a list of [F1, coverage], end points included. */
  function study(method, v, level) {
    const limits = Array.from({ length: v + 1 }, (_, x) => f1ci[method](x, v - x, level));
    const logChoose = [0];
    for (let x = 1; x <= v; x += 1) logChoose[x] = logChoose[x - 1] + Math.log((v - x + 1) / x);
    const chance = (x, f1) => {
      if (f1 === 0) return x === 0 ? 1 : 0;
      if (f1 === 1) return x === v ? 1 : 0;
      const share = f1 / (2 - f1);
      return Math.exp(logChoose[x] + x * Math.log(share) + (v - x) * Math.log1p(-share));
    };
    const inside = limits.flat().filter((end) => end > 0 && end < 1);
    const ends = [...new Set([0, ...inside, 1])].sort((p, q) => p - q);
    const pieces = [];
    let [mean, least, where] = [0, Infinity, 0];
    for (let k = 0; k + 1 < ends.length; k += 1) {
      const [from, to] = [ends[k], ends[k + 1]];
      const middle = (from + to) / 2;
      const covering = limits.map((_, x) => x).filter((x) => limits[x][0] <= middle && middle <= limits[x][1]);
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

  function draw(svg, { pieces, least, where }, level) {
    const LOWEST = 0.6;
    const x = (f1) => 60 + 560 * f1;
    const y = (share) => 20 + (270 * (1 - Math.max(share, LOWEST))) / (1 - LOWEST);
    const line = pieces.flat().map(([f1, share]) => `${x(f1).toFixed(2)},${y(share).toFixed(1)}`).join(" ");
    const across = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
      (f1) => `<text x="${x(f1)}" y="310" text-anchor="middle">${f1}</text>`,
    );
    const up = [0.6, 0.7, 0.8, 0.9, 1].map(
      (share) =>
        `<path class="grid" d="M60 ${y(share)}H620"/>` +
        `<text x="52" y="${y(share) + 5}" text-anchor="end">${100 * share}</text>`,
    );
    svg.innerHTML =
      `${up.join("")}${across.join("")}<path class="level" d="M60 ${y(level)}H620"/>` +
      `<polyline points="${line}"/><circle class="least" cx="${x(where)}" cy="${y(least)}" r="6"/>` +
      '<text x="340" y="334" text-anchor="middle">true F1</text>' +
      '<text x="14" y="155" text-anchor="middle" transform="rotate(-90 14 155)">coverage, %</text>';
  }

  const percent = (share) => `${(100 * share).toFixed(1)} %`;

  /** A score in words: two digits of its distance from 0 or 1. */
  const place = (f1) => {
    if (f1 === 0 || f1 === 1) return `next to ${f1}`;
    const digits = Math.max(2, 1 - Math.floor(Math.log10(Math.min(f1, 1 - f1))));
    return `near ${f1.toFixed(Math.min(digits, 6))}`;
  };

  function start(box) {
    const form = box.querySelector("form");
    const svg = box.querySelector("svg");
    const says = box.querySelector(".explorer-says");
    const show = () => {
      const { v, method, level } = Object.fromEntries(new FormData(form));
      const found = study(method, Number(v), Number(level) / 100);
      form.querySelector("output").textContent = v;
      draw(svg, found, Number(level) / 100);
      const name = form.querySelector("[name=method]:checked").parentElement.textContent.trim();
      says.textContent =
        `${name}, v = ${v}: a ${level} % interval holds the true F1 with probability ` +
        `${percent(found.mean)} on average, and ${percent(found.least)} at worst, ` +
        `${place(found.where)} (the dot).`;
      svg.setAttribute("aria-label", says.textContent);
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    // The picture beside it is for those without scripts, and for paper.
    const still = document.querySelector(".explorer-still");
    if (still) still.hidden = true;
    box.hidden = false;
    show();
  }

  document.addEventListener("DOMContentLoaded", () => {
    const box = document.getElementById("explorer");
    if (!box) return;
    // The calculator on the same page has brought the kernels already.
    if (typeof f1ci !== "undefined") {
      start(box);
      return;
    }
    const script = document.createElement("script");
    script.src = "../_static/f1ci.js";
    script.addEventListener("load", () => start(box));
    document.head.append(script);
  });
  return { study };
})();
