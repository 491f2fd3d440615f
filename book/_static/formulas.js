// The calculator's closed forms as R code and as spreadsheet formulas, to copy.
//
// A closed form is a list of steps [name, expression] and the expressions of its two ends, in the
// syntax of R, of which that of spreadsheets is a translation. Names must not look like cells (s1),
// nor be R or C, which spreadsheets keep for themselves. No expression begins with a minus before
// a power: there R and spreadsheets disagree. `tests/test_calculator.py` runs both.
const closedForm = (() => {
  "use strict";

  // Digits that arithmetic with a level in percent left over are not shown.
  const tidy = (value) => String(Number(value.toPrecision(12)));
  const quantile = (level) => `qnorm(${tidy((1 + level) / 2)})`;
  const tail = (level) => tidy((1 - level) / 2);

  /** R that turns limits of TP / v into those of F1, if m is not 1: p / (p + m (1 - p)). */
  const mapped = (limits, m) => (m === 1 ? limits : `p <- ${limits}\n2 * p / (1 + p)`);

  // Wilson's interval for a proportion.
  const wilson = (x, n, m, level) => ({
    code: mapped(`prop.test(${x}, ${n}, conf.level = ${tidy(level)}, correct = FALSE)$conf.int`, m),
    steps: [
      ["x", x], ["n", n], ["z", quantile(level)],
      ["s", "2*x+z^2+z*sqrt(z^2+4*x*(n-x)/n)"],
    ],
    ends: m === 1
      ? ["2*x^2/(n*s)", "s/(2*(n+z^2))"]
      : ["4*x^2/(n*s+2*x^2)", "2*s/(2*(n+z^2)+s)"],
  });

  // Clopper and Pearson's.
  const betaLimits = (x, n, m, level) => ({
    code: mapped(
      `qbeta(c(${tail(level)}, ${tidy((1 + level) / 2)}), c(${x}, ${x + 1}), c(${n - x + 1}, ${n - x}))`, m),
    steps: [["x", x], ["n", n], ["u", tail(level)]],
    ends: ["ifelse(x==0,0,qbeta(u,x,n-x+1))", "ifelse(x==n,1,qbeta(1-u,x+1,n-x))"]
      .map((p) => (m === 1 ? p : `2-2/(1+${p})`)),
  });

  const wald = (x, y, w, level) => ({
    steps: [
      ["tp", x], ["fp", y], ["fn", w], ["z", quantile(level)],
      ["d", "2*tp+fp+fn"], ["f", "2*tp/d"],
      ["h", "z*sqrt(2*f*(fp+fn)*(tp+fp+fn)/d)/d"],
    ],
    ends: ["f-h", "f+h"],
  });

  const weighted = (x, y, w, beta) => [
    ["tp", x], ["fp", y], ["fn", w], ["beta", tidy(beta)],
    ["a", "1/(1+beta^2)"], ["b", "beta^2*a"],
  ];

  // The score interval of F-beta: the largest and the smallest of three real roots of a cubic.
  const cubic = (x, y, w, beta, level) => ({
    steps: [
      ...weighted(x, y, w, beta),
      ["n", "tp+fp+fn"], ["z", quantile(level)], ["k", "z/sqrt(n)"],
      ["x", "tp/n"], ["e", "(a*fp+b*fn)/n"], ["d", "a*b*(fp+fn)/n"],
      ["m", "e^2+d*k^2"],
      ["p", "k*((x+e)*e-2*d*x+a*b*k^2)/(3*m)"],
      ["q", "x*(d*x-(x+e)*e-2*a*b*k^2)/m"],
      ["h", "sqrt(p^2-q/3)"],
      ["g", "acos(max(-1,min(1,((p*q-a*b*k*x^2/m)/2-p^3)/h^3)))"],
      ["s", "x-k*(2*h*cos(g/3)-p)"],
      ["t", "x-k*(2*h*cos((g+2*pi)/3)-p)"],
    ],
    ends: ["ifelse(x==0,0,ifelse(e==0,n/(n+z^2*max(a,b)),s/(s+e)))", "ifelse(e==0,1,t/(t+e))"],
  });

  // The cautious one: Beta quantiles of effective counts.
  const effective = (x, y, w, beta, level) => ({
    steps: [
      ...weighted(x, y, w, beta), ["u", tail(level)],
      ["e", "a*fp+b*fn"], ["v", "a^2*fp+b^2*fn"],
      ["g", "e+max(a,b)"], ["h", "v+max(a,b)^2"],
      ["p", "ifelse(tp==0,0,qbeta(u,tp,g^2/h))"],
      ["q", "ifelse(e==0,0,qbeta(u,e^2/v,tp+1))"],
    ],
    ends: ["p*g/(p*g+(1-p)*h)", "ifelse(e==0,1,(1-q)*e/((1-q)*e+q*v))"],
  });

  const SHEET = {
    sqrt: "SQRT", qnorm: "NORM.S.INV", qbeta: "BETA.INV", acos: "ACOS", cos: "COS",
    max: "MAX", min: "MIN", ifelse: "IF", pi: "PI()", "==": "=",
  };
  const inSheet = (text) => String(text).replace(/[a-z]+|==/g, (word) => SHEET[word] || word);

  /**
   * {R, low, high} of the interval by a method for x right items, y and w wrong ones that a
   * Tversky score weighs with a and b; null if it has no closed form, or nothing is known.
   */
  return (method, { x, y, w, a, b, beta }, level) => {
    const n = x + y + w;
    if (n === 0) return null;
    const score = method === "score" || method === "wilson_indirect";
    const cautious = method === "cautious" || method === "clopper_pearson";
    let form = null;
    if (a === b && (score || cautious)) form = (score ? wilson : betaLimits)(x, n, a, level);
    else if (score || cautious) form = (score ? cubic : effective)(x, y, w, beta, level);
    else if (method === "wald") form = wald(x, y, w, level);
    if (form === null) return null;
    const [low, high] = form.ends;
    const sheet = (end) => {
      // Steps that only the other end needs are left out.
      const needed = form.steps.reduceRight((texts, [name, text]) =>
        (texts.some((other) => new RegExp(`\\b${name}\\b`).test(other)) ? [text, name, ...texts] : texts),
      [end]);
      const kept = form.steps.filter(([name]) => needed.includes(name));
      return `=LET(${kept.map(([name, text]) => `${name},${inSheet(text)},`).join("")}${inSheet(end)})`;
    };
    // The minus of -1 and of 5e-7 belongs to its number.
    const spaced = (text) => String(text).replace(/==|(?<!\de|\()[-+*/]/g, " $& ").replaceAll(",", ", ");
    const lines = form.steps.map(([name, text]) => `${name} <- ${spaced(text)}`);
    return {
      R: form.code || [...lines, `c(${spaced(low)}, ${spaced(high)})`].join("\n"),
      low: sheet(low),
      high: sheet(high),
    };
  };
})();

if (typeof module !== "undefined") module.exports = closedForm;
