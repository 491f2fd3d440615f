// Coverage of a method at v relevant items: the chance, given v, that its interval holds the true
// F1. TP is binomial with F* = F1 / (2 - F1), so each value is a finite sum over TP.
// `tests/test_site.py` compares it with the package.
const explorer = (() => {
  "use strict";

  /** Coverage for each true F1 in `scores`. */
  function coverage(method, v, level, scores) {
    const limits = Array.from({ length: v + 1 }, (_, x) => f1ci[method](x, v - x, level));
    const logChoose = [0];
    for (let x = 1; x <= v; x += 1) logChoose[x] = logChoose[x - 1] + Math.log((v - x + 1) / x);
    return scores.map((f1) => {
      const success = Math.log(f1 / (2 - f1));
      const failure = Math.log((2 - 2 * f1) / (2 - f1));
      let sum = 0;
      limits.forEach(([low, high], x) => {
        if (low <= f1 && f1 <= high) sum += Math.exp(logChoose[x] + x * success + (v - x) * failure);
      });
      return sum;
    });
  }

  const SCORES = Array.from({ length: 499 }, (_, i) => (i + 1) / 500);

  function draw(svg, values, level) {
    const LOWEST = 0.6;
    const x = (f1) => 60 + 560 * f1;
    const y = (share) => 20 + (270 * (1 - Math.max(share, LOWEST))) / (1 - LOWEST);
    const line = SCORES.map((f1, i) => `${x(f1).toFixed(1)},${y(values[i]).toFixed(1)}`).join(" ");
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
      `<polyline points="${line}"/><text x="340" y="334" text-anchor="middle">true F1</text>` +
      '<text x="14" y="155" text-anchor="middle" transform="rotate(-90 14 155)">coverage, %</text>';
  }

  function start(box) {
    const form = box.querySelector("form");
    const svg = box.querySelector("svg");
    const says = box.querySelector(".explorer-says");
    const show = () => {
      const { v, method, level } = Object.fromEntries(new FormData(form));
      const values = coverage(method, Number(v), Number(level) / 100, SCORES);
      form.querySelector("output").textContent = v;
      draw(svg, values, Number(level) / 100);
      const percent = (share) => `${(100 * share).toFixed(1)} %`;
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const least = Math.min(...values);
      const name = form.querySelector("[name=method]:checked").parentElement.textContent.trim();
      says.textContent =
        `${name}, v = ${v}: on average over F1 a ${level} % interval covers with probability ` +
        `${percent(mean)}; at worst ${percent(least)}, at F1 = ${SCORES[values.indexOf(least)]}.`;
      svg.setAttribute("aria-label", says.textContent);
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    // The picture beside it is for those without scripts, and for paper.
    document.querySelector(".explorer-still").hidden = true;
    box.hidden = false;
    show();
  }

  const box = document.getElementById("explorer");
  if (box) start(box);
  return { coverage };
})();
