// The calculator's page: one box for what people have, what was understood, and the result. What a text
// means is read by reader.js and tables.js; results.js computes.
(() => {
  "use strict";
  const root = document.getElementById("calc");
  if (!root) return;
  const find = (id) => document.getElementById(`calc-${id}`);
  const form = find("form");

  const LISTED = 12; // counts that fit
  const MOST_DRAWN = 30; // classes
  const LONGEST_LINK = 4000; // letters
  const SMALL_FILE = 20000; // bytes: such a file is shown in the box

  const EXAMPLES = {
    counts: "TP=77 FP=44 FN=10",
    "confusion matrix": "     cat dog owl\ncat   52   6   2\ndog    9  40   1\nowl    3   2  15",
    report: "              precision    recall  f1-score   support\n\n           0       0.99      0.94      0.96       746\n           1       0.64      0.89      0.74        87\n\n    accuracy                           0.94       833",
    "precision and recall": "precision 0.64, recall 0.89, positives 87",
    predictions: "id,truth,prediction\n1,spam,spam\n2,ham,ham\n3,spam,ham\n4,ham,ham\n5,spam,spam\n6,ham,spam\n7,spam,spam\n8,ham,ham",
    "two models": "truth,A,B,count\n1,1,1,60\n1,1,0,9\n1,0,1,21\n1,0,0,12\n0,1,1,10\n0,0,1,8\n0,1,0,14\n0,0,0,166",
  };

  // --- Elements and texts ------------------------------------------------------------------------

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElementNS(
      tag === "svg" || attributes.svg ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", tag);
    for (const [name, value] of Object.entries(attributes)) if (name !== "svg") made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const drawn = (tag, attributes = {}, ...children) => element(tag, { ...attributes, svg: true }, ...children);

  const thousands = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const some = (n, one, many) => `${thousands(n)} ${n === 1 ? one : many}`;
  const percent = (level) => String(Number((100 * level).toPrecision(12)));

  /** Decimals that show two digits of an interval's length, at least three. */
  const digitsFor = (low, high) => (high > low ? Math.min(9, Math.max(3, 2 - Math.floor(Math.log10(high - low)) - 1)) : 3);
  const fixed = (value, digits) => {
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  };
  const raised = (power) => String(power).replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  const pValue = (p) => {
    if (p >= 1e-4) return p.toFixed(p < 0.1 ? 4 : 3);
    const [digits, power] = p.toExponential(1).split("e");
    return `${digits} × 10${raised(power)}`;
  };
  const pInTex = (p) => (p >= 1e-4 ? pValue(p) : p.toExponential(1).replace(/e(.*)/, " \\times 10^{$1}"));

  // --- Settings: each reader gives a value or throws a sentence for its field --------------------

  const decimal = (text, what) => {
    if (text === "") throw `Give ${what}.`;
    if (/^\d*,\d+$/.test(text)) throw `Write a decimal point, not a comma: “${text.replace(",", ".")}”.`;
    if (!/^(\d+\.?\d*|\.\d+)$/.test(text)) throw `“${text}” is not a number.`;
    return Number(text);
  };
  const SETTINGS = {
    level: (text) => {
      const value = decimal(text.replace(/\s*%$/, ""), "a level, such as 95");
      if (value > 0 && value <= 1) throw `The level is a percentage: write ${percent(value)} for “${text}”.`;
      if (!(value > 0 && value < 100)) throw `The level lies between 0 and 100, “${text}” does not.`;
      return value / 100;
    },
    beta: (text) => {
      const value = decimal(text, "beta, 1 for F1");
      if (!(value >= 0.01 && value <= 100)) throw `Beta lies between 0.01 and 100, “${text}” does not.`;
      return value;
    },
    half: (text) => {
      const value = decimal(text, "a half width, such as 0.05");
      if (!(value >= 1e-5 && value < 0.5)) throw `A half width lies between 0.00001 and 0.5, “${text}” does not.`;
      return value;
    },
    prevalence: (text) => {
      if (text === "") return null;
      const value = decimal(text.replace(/\s*%$/, ""), "a share") / (text.endsWith("%") ? 100 : 1);
      if (!(value > 0 && value <= 1)) throw `A share lies between 0 and 1, “${text}” does not.`;
      return value;
    },
  };

  /** Shows a field's error beside it, or takes it away. */
  function complain(input, sentence) {
    const id = `${input.id}-error`;
    let place = document.getElementById(id);
    if (!sentence) {
      if (place) place.remove();
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
      return;
    }
    if (!place) {
      place = element("p", { class: "calc-error", id });
      input.after(place);
    }
    if (place.textContent !== sentence) place.textContent = sentence;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", id);
  }

  /** What a function returns, or null after its sentence is shown at the field. */
  function attempt(input, action) {
    try {
      const value = action();
      complain(input, "");
      return { value };
    } catch (sentence) {
      if (typeof sentence !== "string") throw sentence;
      complain(input, sentence);
      return null;
    }
  }
  const setting = (name) => attempt(find(name), () => SETTINGS[name](find(name).value.trim()));

  // --- What was understood -----------------------------------------------------------------------

  const state = {
    typed: false, // the box was filled from the fields of counts
    files: null, // chosen or dropped, in the place of what is in the box
    read: null, // the last text, and what it was read as
    as: null, // the place of the chosen reading
    columns: {}, // chosen columns, and the positive class
    quote: null, // the row that the reader, or a link, wants to quote
    shared: "", // what a link holds in the place of the box
  };

  /** Reads the box, or the files; null if that is refused. */
  function understood() {
    const source = state.files ?? find("text").value;
    if (state.read?.source !== source) {
      const found = attempt(find("text"), () => (state.files ? reader.readFiles(state.files) : reader.read(source)));
      state.read = found && { source, ...found.value };
    }
    return state.read;
  }

  function showReadings({ readings, question }) {
    const box = find("readings");
    const asked = question !== null && state.as === null;
    const place = asked ? -1 : state.as ?? 0;
    find("said").textContent = question ?? "Understood as";
    const choices = readings.map((reading, k) => {
      if (readings.length === 1) return element("p", {}, reading.said);
      const input = element("input", { type: "radio", name: "as", value: k, ...(k === place ? { checked: "" } : {}) });
      return element("label", {}, input, ` ${reading.said}`);
    });
    if (box.dataset.said !== JSON.stringify([question, readings.map(({ said }) => said)])) {
      box.querySelector("div").replaceChildren(...choices);
      box.dataset.said = JSON.stringify([question, readings.map(({ said }) => said)]);
    }
    box.classList.toggle("calc-question", asked);
    return asked ? null : readings[place] ?? readings[0];
  }

  /** Fills a list; `value` null leaves it without a choice. */
  function fill(select, options, value) {
    const choices = [...(value === null ? [["", "choose …"]] : []), ...options];
    const before = [...select.options].map((option) => option.value + option.text).join("\n");
    if (before !== choices.map(([key, name]) => key + name).join("\n")) {
      select.replaceChildren(...choices.map(([key, name]) => element("option", { value: key }, name)));
    }
    select.value = value ?? "";
  }
  const same = (names) => names.map((name) => [name, name === "" ? "(no name)" : name]);

  const ASKED = {}; // a choice that a person has to make first

  /** The columns of predictions; ASKED if they must be chosen first, null if they are refused. */
  function chosenColumns(table) {
    const place = find(state.columns.truth === undefined ? "text" : "columns");
    const found = attempt(place, () => tables.choose(table, state.columns));
    const choice = found?.value ?? { ...state.columns, question: "" };
    const unsure = (field) => choice.question !== null && choice.field === field;
    fill(find("truth"), same(table.head), unsure("truth") ? null : choice.truth ?? null);
    const waits = unsure("truth") || unsure("a");
    fill(find("a"), same(table.head), waits ? state.columns.a ?? null : choice.a ?? null);
    fill(find("b"), [["", "none"], ...same(table.head)], choice.b ?? "");
    if (found && choice.question !== null) complain(find("columns"), choice.question);
    if (choice.b) showClasses(choice.classes, choice.positive);
    if (found && choice.question === null) return choice;
    return found ? ASKED : null;
  }

  /** The list of classes, if there is a choice. */
  function showClasses(classes, positive) {
    find("class").hidden = classes.length < 2;
    fill(find("positive"), same(classes), positive);
    return positive;
  }

  /** The classes of a matrix, a report or one model; null if there are none to choose from. */
  function classesOf({ kind, matrix, labels, classes }, choice) {
    if (kind === "matrix") return labels.filter((_, k) => results.withItems(matrix)[k]);
    if (kind === "report") return classes.map(({ name }) => name);
    return choice && !choice.b ? choice.classes : null;
  }

  /** The positive class of a matrix or a report of two classes; the last one if names do not say it. */
  function positiveOf(labels) {
    const guess = tables.positiveOf(labels) ?? labels.at(-1);
    return showClasses(labels, labels.includes(state.columns.positive) ? state.columns.positive : guess);
  }

  /** The fields of counts show what is in the box; what is typed there goes into the box. */
  function showNumbers(reading) {
    find("numbers").hidden = reading?.kind !== "counts" && !state.typed;
    if (reading?.kind !== "counts") return;
    for (const [key, number] of Object.entries(reading.counts)) {
      if (find(key) !== document.activeElement) find(key).value = number ?? "";
    }
  }

  find("numbers").addEventListener("input", () => {
    find("text").value = ["tp", "fp", "fn", "tn"].filter((key) => key !== "tn" || find(key).value.trim())
      .map((key) => `${key.toUpperCase()}=${find(key).value.trim()}`).join(" ");
    forget();
    state.typed = true;
  });

  // --- Texts to copy -----------------------------------------------------------------------------

  const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const texText = (text) => `\\text{${text.replace(/[\\~^&%$#_{}]/g, (letter) => TEX[letter] || `\\${letter}`)}}`;

  function texOf({ label, of, signed }) {
    if (signed) return "F_1^B - F_1^A";
    const name = of ? label.slice(0, -` of ${of}`.length) : label;
    const [, average, beta] = name.match(/^(?:(\w+) )?F([\d.]+)$/) ?? [];
    const tex = beta ? `${average ? `\\text{${average}-}` : ""}F_{${beta}}` : texText(name);
    return of ? `${tex}^{${texText(of)}}` : tex;
  }

  /** The number and its limits, with as many digits as its interval deserves. */
  function spoken(row) {
    const digits = digitsFor(row.low, row.high);
    const [low, high, least, most] = [row.low, row.high, row.least ?? row.estimate, row.most ?? row.estimate].map((end) => fixed(end, digits));
    return { low, high, value: Number.isNaN(row.estimate) ? "undefined" : least === most ? least : `${least} to ${most}` };
  }
  const hasTest = ({ p }) => p !== undefined && p !== null;

  /** The number and its interval, in one line. */
  function headline(row, level) {
    const { low, high, value } = spoken(row);
    const test = hasTest(row) ? `; exact randomisation test p = ${pValue(row.p)}` : "";
    const over = row.over ? `;${row.over.slice(1)}` : "";
    return `${row.label} = ${value} (${percent(level)} % CI ${low} to ${high}, ${row.about}${over}${test})`;
  }

  /** [name, text] of each text to copy. */
  function textsFor(row, level, { items }) {
    const { low, high, value } = spoken(row);
    const method = `${row.about} method${row.over ?? ""}`;
    const test = hasTest(row) ? `; exact randomisation test, p = ${pValue(row.p)}` : "";
    const said = `${value} (${percent(level)} % CI ${low} to ${high}, ${method}${test})`;
    const sentence = row.signed
      ? `F1 of model B minus F1 of model A is ${said}. The models differ on ${some(row.discordant, "item", "items")}.`
      : `The classifier reached ${row.label} = ${said}${items ? ` on ${items}` : ""}.`;
    const inTex = (text) => text.replaceAll("−", "-");
    const testInTex = hasTest(row) ? `; exact randomisation test, $p = ${pInTex(row.p)}$` : "";
    const tex = `$${texOf(row)} = ${inTex(value).replace(" to ", "$ to $")}$ (${percent(level)}\\,\\% CI $${inTex(low)}$ to $${inTex(high)}$, ${method}${testInTex})`;
    const code = row.python && ["import f1ci", ...(row.python.includes("np.") ? ["import numpy as np"] : []), "",
      row.python.replace(/(^|\n)(f1ci\..*)$/, "$1print($2)")].join("\n");
    return [["Sentence", sentence], ["Reference", row.reference], ["LaTeX", tex], ["Python", code], ["R", row.r]].filter(([, text]) => text);
  }

  const quoted = ({ quotes }) => quotes.find((row) => row.key === state.quote) ?? quotes[0];

  function offerTexts(result, level) {
    const { quotes } = result;
    find("quoted").replaceChildren(...quotes.map((row) => element("option", { value: row.key }, row.title || row.label)));
    if (quotes.length) find("quoted").value = quoted(result).key;
    find("quoted-field").hidden = quotes.length < 2;
    const lines = (quotes.length ? textsFor(quoted(result), level, result) : []).map(([name, text]) => {
      const button = element("button", { type: "button", "aria-label": `Copy: ${name}` }, "Copy");
      button.addEventListener("click", () => copy(text, name));
      return [element("dt", {}, name), element("dd", {}, element("code", {}, text), button)];
    });
    const link = element("button", { type: "button" }, "Copy a link to these numbers");
    link.addEventListener("click", () => {
      history.replaceState(null, "", address());
      copy(location.href, "Link");
    });
    const [sentence = [], reference = [], ...others] = lines;
    find("first").replaceChildren(...sentence, ...reference, element("dt", {}, "Link"), element("dd", {}, link));
    find("texts").replaceChildren(...others.flat());
  }

  async function copy(text, name) {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without the clipboard's permission: the old way.
      const area = element("textarea", { class: "calc-offstage", "aria-hidden": "true" });
      area.value = text;
      const focused = document.activeElement;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      focused.focus();
    }
    find("copied").textContent = done ? `${name} copied.` : "The browser refused to copy: select the text instead.";
  }

  // --- The result --------------------------------------------------------------------------------

  /** Whole multiples of a round step inside the range, four to eight of them. */
  function ticks(from, to) {
    const rough = (to - from) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const places = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k += 1) places.push([k * step, fixed(k * step, digits)]);
    return places;
  }

  function drawing(rows, description) {
    // A difference is seen beside none.
    const ends = [...rows.flatMap((row) => [row.low, row.high]), ...(rows[0].signed ? [0] : [])];
    let [from, to] = [Math.min(...ends), Math.max(...ends)];
    const margin = Math.max(0.06 * (to - from), 1e-9);
    [from, to] = [from - margin, to + margin];
    const place = (value) => `${(2 + (96 * (value - from)) / (to - from)).toFixed(3)}%`;
    const line = 38;
    const bottom = line * rows.length;
    const svg = drawn("svg", { class: "calc-drawing", role: "img", "aria-label": description, width: "100%", height: bottom + 22 });
    // Lines across stop below the name of each row.
    const across = (value, name) => rows.map((_, k) =>
      drawn("line", { class: name, x1: place(value), x2: place(value), y1: line * k + 19, y2: line * (k + 1) }));
    for (const [value, text] of ticks(from, to)) {
      svg.append(...across(value, "calc-grid-line"), drawn("text", { class: "calc-tick", x: place(value), y: bottom + 17, "text-anchor": "middle" }, text));
    }
    for (const border of [0, 1]) if (border > from && border < to) svg.append(...across(border, "calc-border"));
    rows.forEach((row, k) => {
      const y = line * k + 28;
      svg.append(drawn("text", { class: "calc-row-name", x: "2%", y: y - 13 }, row.name));
      svg.append(drawn("line", { class: "calc-bar", x1: place(row.low), x2: place(row.high), y1: y, y2: y }));
      for (const end of [row.low, row.high]) svg.append(drawn("line", { class: "calc-bar", x1: place(end), x2: place(end), y1: y - 5, y2: y + 5 }));
      const [least, most] = [row.least ?? row.estimate, row.most ?? row.estimate];
      if (most > least) svg.append(drawn("line", { class: "calc-range", x1: place(least), x2: place(most), y1: y, y2: y }));
      else if (Number.isFinite(least)) svg.append(drawn("circle", { class: "calc-point", cx: place(least), cy: y, r: 4.5 }));
    });
    return svg;
  }

  const table = (caption, heads, lines) => element("div", { class: "calc-scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...lines.map(([first, ...rest]) => element("tr", {},
        element("th", { scope: "row" }, first), ...rest.map((cell) => element("td", {}, cell)))))));

  /** The tables of a result, as they apply. */
  function tablesOf(result, level, number) {
    const { score, rows } = result;
    const all = `${percent(level)} % intervals`;
    const open = new Set([...root.querySelectorAll("#calc-tables details[open]")].map((details) => details.dataset.title));
    const unfold = (title, ...children) => {
      const details = element("details", { "data-title": title }, element("summary", {}, title), ...children);
      details.open = open.has(title);
      return details;
    };
    const estimate = (row) => ((row.least ?? 0) < (row.most ?? 0) ? `${number(row.least)} to ${number(row.most)}` : number(row.estimate));
    const line = (row) => [row.name, estimate(row), number(row.low), number(row.high)];
    const heads = ["Estimate", "Low", "High"];
    const shown = [];
    if (result.single) {
      const [{ low, high, p, discordant }] = rows;
      const verdict = low > 0 ? "B is better" : high < 0 ? "A is better" : "not distinguished";
      const test = p === null ? "" : `Exact randomisation test: p = ${pValue(p)}. `;
      shown.push(
        element("p", { class: "calc-verdict" }, `By the interval: ${verdict}. ${test}The models differ on ${some(discordant, "item", "items")}.`),
        table(`F1 and its difference, ${percent(level)} % Wilson score intervals`, ["Score", ...heads], [...rows, ...result.single].map(line)),
        element("p", {}, "The test asks whether A and B could be exchanged on every item. The interval asks which differences of the two F1 scores fit the counts. At the border they may disagree."));
    } else if (rows.length) {
      const average = rows.some(({ key }) => key === "micro");
      const envelope = result.fits ? ": the least lower and the greatest upper limit" : "";
      shown.push(average || result.fits
        ? table(`${score}, ${all}${envelope}`, [average ? "Average" : "Method", ...heads], rows.map(line))
        : table(`${score}, ${all}`, ["Method", "Low", "High", "Length"],
          rows.map(({ name, low, high }) => [name, number(low), number(high), number(high - low)])));
    }
    if (result.fits) {
      const listed = result.fits.slice(0, LISTED).map(({ tp, fn, from, to }) =>
        [thousands(tp), from === to ? thousands(from) : `${thousands(from)} to ${to === Infinity ? "any" : thousands(to)}`, thousands(fn)]);
      const more = result.fits.length - listed.length;
      shown.push(unfold("Counts that fit", table("Counts that fit the rounding", ["True positives", "False positives", "False negatives"], listed),
        ...(more > 0 ? [element("p", {}, `and ${some(more, "more line", "more lines")}.`)] : [])));
    }
    if (result.others) {
      const interval = ({ low, high }) => `${number(low)} to ${number(high)}`;
      shown.push(unfold("Precision, recall and other scores", table(`Other scores, ${all}`, ["Score", "Estimate", "Wilson score", "Cautious"],
        result.others.map(({ name, rows: [first, cautious] }) => [name, number(first.estimate), interval(first), interval(cautious)]))));
    }
    const classes = result.classes && table(`${score} of each class against the rest, ${percent(level)} % Wilson score intervals`,
      ["Class", ...heads, "Support"], result.classes.map((row) => [...line(row), thousands(row.support)]));
    if (result.averages) {
      shown.push(unfold("Averages and both classes", table(`Averages of ${score}, ${all}`, ["Average", ...heads], result.averages.map(line)), classes));
    } else if (classes) shown.push(classes);
    return shown;
  }

  function show(result, level) {
    const { rows, classes, averages, notes } = result;
    const known = [...rows, ...(averages ? [] : classes ?? [])].filter((row) => Number.isFinite(row.low));
    const said = result.quotes.length ? headline(quoted(result), level) : notes[0];
    if (find("answer").textContent !== said) find("answer").textContent = said;
    find("notes").replaceChildren(
      ...(result.models ? [element("p", { class: "calc-info" }, result.models)] : []),
      ...(result.quotes.length ? notes : notes.slice(1)).map((note) => element("p", { class: "calc-note" }, note)));
    find("drawing").replaceChildren();
    find("tables").replaceChildren();
    root.querySelector(".calc-copy").hidden = known.length === 0;
    find("plan").hidden = Boolean(result.single || classes) || known.length === 0;
    if (known.length === 0) return;
    const digits = Math.max(...[...known, ...(result.single ?? [])].map((row) => digitsFor(row.low, row.high)));
    const number = (value) => (Number.isNaN(value) ? "–" : fixed(value, digits));
    const description = known.map((row) => `${row.name}: ${number(row.low)} to ${number(row.high)}`).join("; ");
    find("drawing").append(drawing(known.slice(0, MOST_DRAWN), `${percent(level)} % intervals. ${description}`));
    find("tables").append(...tablesOf(result, level, number));
  }

  function plan(level, beta) {
    const [half, share] = [setting("half"), setting("prevalence")];
    find("planned").textContent = "";
    if (!half || !share) return;
    const { positives, total } = f1ci.sampleSize(beta, half.value, share.value, level);
    const items = total === null ? "" : `, so about ${some(total, "item", "items")} in all`;
    find("planned").textContent = `${some(positives, "truly positive item", "truly positive items")}${items}. Then a ${percent(level)} % interval of F${beta} reaches about ${half.value} to each side at most, whichever classifier you test.`;
  }

  // --- From the box to the result ----------------------------------------------------------------

  /** Takes every number away: what is in the box has none yet. */
  function showNothing(sentence) {
    find("result").classList.add("calc-stale");
    for (const part of ["notes", "drawing", "tables", "first", "texts"]) find(part).replaceChildren();
    find("answer").textContent = sentence;
    state.shared = "";
  }

  function update() {
    complain(find("columns"), "");
    const read = understood();
    find("readings").hidden = read === null;
    const reading = read && showReadings(read);
    const isTable = reading?.kind === "predictions";
    find("columns").hidden = !isTable;
    find("class").hidden = true;
    showNumbers(reading);
    const chosen = isTable ? chosenColumns(reading.table) : null;
    const choice = chosen === ASKED ? null : chosen;
    const labels = reading && classesOf(reading, choice);
    const positive = labels?.length === 2 ? positiveOf(labels) : null;
    find("beta").parentElement.hidden = Boolean(choice?.b);
    const [level, beta] = [setting("level"), setting("beta")];
    if (read === null || (isTable && chosen === null) || !level || !beta) return showNothing("Correct the marked field first.");
    if (reading === null || (isTable && choice === null)) return showNothing("Answer the question above first.");
    const settings = { level: level.value, beta: choice?.b ? 1 : beta.value };
    const result = results.compute(reading, settings, choice, positive);
    result.notes = [...notesOn(reading, choice, positive), ...result.notes];
    result.models = choice && modelsOf(reading, choice);
    state.shared = isTable ? shared(reading.table, choice) : find("text").value;
    find("result").classList.remove("calc-stale");
    offerTexts(result, settings.level);
    show(result, settings.level);
    if (!find("plan").hidden) plan(settings.level, settings.beta);
    return undefined;
  }

  /** What the reading and the choice of columns leave to say. */
  function notesOn(reading, choice, positive) {
    const labels = classesOf(reading, choice);
    const taken = positive !== null && labels?.length === 2 && tables.positiveOf(labels) === null && positive === labels.at(-1);
    return [...(choice?.notes ?? reading.notes), ...(taken ? [`The last of the two classes, “${positive}”, is taken for the positive class.`] : [])];
  }

  /** Which columns the answer is about. */
  function modelsOf({ how }, { truth, a, b, positive, classes }) {
    const models = b ? `A = ${a}, B = ${b}; F1 of “${positive}”` : `Model = ${a}`;
    return `${models}${b && classes.length > 2 ? " against all other classes" : ""}; truth = ${truth}${how && `; ${how}`}.`;
  }

  /** Predictions stay on this page. A link has their counts. */
  function shared(table, choice) {
    if (!choice.b) {
      const quote = (name) => `"${name.replaceAll('"', "'")}"`;
      const rows = tables.matrixOf(table, choice).map((row, k) => [quote(choice.classes[k]), ...row].join(","));
      return [["", ...choice.classes.map(quote)].join(","), ...rows].join("\n");
    }
    const t = tables.comparisonOf(table, choice);
    const kinds = [[1, 1, 1, t.tp], [1, 1, 0, t.posA], [1, 0, 1, t.posB], [1, 0, 0, t.fn], [0, 1, 1, t.fp], [0, 0, 1, t.negA], [0, 1, 0, t.negB], [0, 0, 0, t.tn]];
    return ["truth,A,B,count", ...kinds.map((kind) => kind.join(","))].join("\n");
  }

  // --- The state in the address ------------------------------------------------------------------

  function address() {
    if (state.shared === "" || state.shared.length > LONGEST_LINK) return location.pathname + location.search;
    const isTable = state.read.readings[0].kind === "predictions";
    const query = new URLSearchParams({ text: state.shared });
    if (find("level").value.trim() !== "95") query.set("level", find("level").value.trim());
    if (find("beta").value.trim() !== "1") query.set("beta", find("beta").value.trim());
    if (state.as !== null) query.set("as", state.as);
    if (!isTable && !find("class").hidden) query.set("positive", find("positive").value);
    if (find("quoted").selectedIndex > 0) query.set("quote", find("quoted").value);
    return `#calc?${query}`;
  }

  function restore() {
    const [place, query] = location.hash.split(/\?(.*)/s);
    const wanted = new URLSearchParams(query ?? "");
    if (place !== "#calc" || !wanted.has("text")) return;
    find("text").value = wanted.get("text");
    find("level").value = wanted.get("level") ?? "95";
    find("beta").value = wanted.get("beta") ?? "1";
    forget();
    state.as = wanted.has("as") ? Number(wanted.get("as")) : null;
    state.columns = wanted.has("positive") ? { positive: wanted.get("positive") } : {};
    state.quote = wanted.get("quote");
    root.scrollIntoView();
  }

  // --- Files -------------------------------------------------------------------------------------

  async function textOf(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const starts = (...first) => first.every((byte, k) => bytes[k] === byte);
    if (starts(0x50, 0x4b) || starts(0x1f, 0x8b)) throw `“${file.name}” is packed, as spreadsheets are: save it as CSV.`;
    if (starts(0xff, 0xfe)) return new TextDecoder("utf-16le").decode(bytes);
    if (starts(0xfe, 0xff)) return new TextDecoder("utf-16be").decode(bytes);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return new TextDecoder("windows-1252").decode(bytes);
    }
  }

  async function take(files) {
    forget();
    try {
      if (files.length > 2) throw "Give one file or two.";
      const read = await Promise.all(files.map(async (file) => ({ name: file.name, text: await textOf(file) })));
      const small = read.length === 1 && read[0].text.length <= SMALL_FILE;
      if (small) find("text").value = read[0].text;
      else state.files = read;
      update();
    } catch (sentence) {
      if (typeof sentence !== "string") throw sentence;
      state.read = null;
      find("readings").hidden = find("columns").hidden = find("class").hidden = true;
      complain(find("text"), sentence);
      showNothing("Correct the marked field first.");
    }
    find("loaded").hidden = state.files === null;
    find("loaded").querySelector("span").textContent = (state.files ?? []).map(({ name }) => name).join(" and ");
    find("text").hidden = state.files !== null;
    remember();
  }

  /** Another text, or other files: earlier choices do not count. */
  function forget() {
    Object.assign(state, { typed: false, files: null, read: null, as: null, columns: {}, quote: null });
    find("loaded").hidden = true;
    find("text").hidden = false;
    find("copied").textContent = "";
  }

  // --- Events ------------------------------------------------------------------------------------

  const remember = () => history.replaceState(null, "", address());
  const changed = () => {
    update();
    remember();
  };

  let timer = null;
  form.addEventListener("input", ({ target }) => {
    if (target === find("files")) return;
    find("copied").textContent = ""; // that was another number
    if (target === find("text")) forget();
    if (target.name === "as") {
      state.as = Number(target.value);
      state.columns = {};
    }
    if (target.localName === "select") {
      const { truth, a, b } = Object.fromEntries(["truth", "a", "b"].map((name) => [name, find(name).value]));
      const positive = find("positive").value || undefined;
      if (target === find("truth")) state.columns = { truth };
      else if (target === find("positive")) state.columns = { ...state.columns, positive };
      else state.columns = { truth, a, b, positive };
    }
    clearTimeout(timer);
    timer = setTimeout(changed, 120);
  });
  root.addEventListener("input", ({ target }) => {
    if (target === find("half") || target === find("prevalence")) update();
  });
  find("quoted").addEventListener("change", () => {
    state.quote = find("quoted").value;
    changed();
  });
  find("examples").addEventListener("click", ({ target }) => {
    if (target.localName !== "button") return;
    forget();
    find("text").value = EXAMPLES[target.textContent];
    changed();
  });
  find("loaded").querySelector("button").addEventListener("click", () => {
    forget();
    find("files").value = "";
    changed();
    find("text").focus();
  });
  find("files").addEventListener("change", ({ target }) => take([...target.files]));
  root.addEventListener("dragover", (event) => event.preventDefault());
  root.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
  for (const one of [form, find("plan-form")]) one.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => {
    restore();
    update();
  });

  // For the keyboard: the page's first link leads past its bars.
  const skip = document.querySelector("#pst-skip-link a");
  if (skip) Object.assign(skip, { href: "#calc", textContent: "Skip to the calculator" });
  restore();
  update();
  find("result").classList.remove("calc-loading");
})();
