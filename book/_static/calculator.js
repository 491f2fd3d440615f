// The calculator's page: one box for what people have, what was understood, and the result. What
// a text means is read by reader.js and the files that it uses; results.js computes.
(() => {
  "use strict";
  const root = document.getElementById("calc");
  if (!root) return;
  const find = (id) => document.getElementById(`calc-${id}`);

  const MOST_DRAWN = 30; // rows
  const LONGEST_LINK = 4000; // letters
  const SMALL_FILE = 20000; // bytes: such a file is shown in the box

  const FIRST_FAULT = "Correct the marked field first.";
  const FIRST_ANSWER = "Answer the question above first.";

  // --- Elements and texts ------------------------------------------------------------------------

  /** Markup whose values are escaped; markup inside it, and lists of markup, stay as they are. */
  class Markup {
    constructor(text) {
      this.text = text;
    }
  }
  const escaped = (value) => String(value)
    .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const inMarkup = (value) => [value].flat()
    .map((one) => (one instanceof Markup ? one.text : escaped(one))).join("");
  const html = (parts, ...values) =>
    new Markup(String.raw({ raw: parts }, ...values.map(inMarkup)));

  const shown = new Map();
  /** Fills an element, unless it has this content: then what is open or in use there stays so. */
  function put(id, content) {
    const text = inMarkup(content);
    if (shown.get(id) !== text) find(id).innerHTML = text;
    shown.set(id, text);
  }

  const percent = (level) => String(Number((100 * level).toPrecision(12)));
  const { some } = cells;

  /** Decimals that show two digits of an interval's length, at least three. */
  const digitsFor = ({ low, high }) => (high > low
    ? Math.min(9, Math.max(3, 1 - Math.floor(Math.log10(high - low)))) : 3);
  const fixed = (value, digits) => (Number.isNaN(value) ? "undefined"
    : value.toFixed(digits).replace(/^-(?=0\.0*$)/, "").replace("-", "−"));
  const pValue = (p) => (p < 1e-4 ? "p < 0.0001" : `p = ${p.toFixed(p < 0.1 ? 4 : 3)}`);

  /** Shows a sentence at a field, or takes it away. */
  function complain(name, sentence) {
    const place = find(`${name}-error`);
    if (place.textContent !== sentence) place.textContent = sentence;
    place.hidden = sentence === "";
    find(name).setAttribute("aria-invalid", sentence !== "");
    if (sentence && find("more").contains(find(name))) find("more").open = true;
  }

  /** What an action returns; null if it refuses, and its sentence is shown at the field. */
  function attempt(name, action) {
    complain(name, "");
    return cells.unlessRefused(action, (sentence) => complain(name, sentence));
  }

  /** The number in a field, NaN if an optional one is empty; null if the browser refuses it. */
  function setting(name) {
    complain(name, find(name).validationMessage);
    return find(name).validity.valid ? find(name).valueAsNumber : null;
  }

  // --- What was understood -----------------------------------------------------------------------

  const NEW = { files: null, read: null, as: null, columns: {}, quote: null };
  const state = {
    ...NEW, // files in the place of the box; what was read; the chosen reading, columns and row
    shared: "", // what a link holds in the place of the box
  };

  /** Another text, or other files: earlier choices do not count. */
  function forget() {
    Object.assign(state, NEW);
    find("loaded").hidden = true;
    find("text").hidden = false;
    find("copied").textContent = "";
  }

  /** Reads the box, or the files; null if that is refused. */
  function understood() {
    const source = state.files ?? find("text").value;
    if (state.read?.source !== source) {
      const found = attempt("text",
        () => (state.files ? reader.readFiles(state.files) : reader.read(source)));
      state.read = found && { source, ...found };
    }
    return state.read;
  }

  /** The chosen reading; null if a person has to choose first. */
  function showReadings({ readings, question }) {
    const waits = question !== null && state.as === null;
    const place = waits ? -1 : state.as ?? 0;
    find("said").textContent = question ?? "Understood as";
    put("choices", readings.length === 1 ? html`<p>${readings[0].said}</p>`
      : readings.map(({ said }, k) =>
      html`<label><input type="radio" name="as" value="${k}"> ${said}</label>`));
    find("choices").querySelectorAll("input")
      .forEach((input, k) => { input.checked = k === place; });
    find("readings").classList.toggle("calc-question", waits);
    return waits ? null : readings[place] ?? readings[0];
  }

  /** Fills a list of [value, text]; `value` null leaves it without a choice. */
  function fill(name, options, value) {
    const choices = value === null ? [["", "choose …"], ...options] : options;
    put(name, choices.map(([key, text]) => html`<option value="${key}">${text}</option>`));
    find(name).value = value ?? "";
  }
  const same = (names) => names.map((name) => [name, name === "" ? "(no name)" : name]);

  const FIELDS = { predictions: ["truth", "a", "b", "count"], scores: ["a", "b", "group"] };

  /** The columns of a table, with a question if they are not certain; null if they are refused. */
  function chosenColumns({ kind, table }) {
    const choose = kind === "scores" ? scores.choose : tables.choose;
    const place = Object.keys(state.columns).length ? "columns" : "text";
    const found = attempt(place, () => choose(table, state.columns));
    const choice = found ?? { ...state.columns, question: "" };
    const unsure = choice.question === null ? "" : choice.field;
    const names = table.columns.map(({ name }) => name);
    const counts = tables.saying(table, "count").map(({ name }) => name);
    const asked = (...fields) => fields.includes(unsure);
    fill("truth", same(names), asked("truth") ? null : choice.truth ?? null);
    fill("a", same(names), asked("truth", "a") ? state.columns.a ?? null : choice.a ?? null);
    fill("b", [["", "none"], ...same(names)], choice.b ?? "");
    fill("group", [["", "each line"], ...same(names)], choice.group ?? "");
    // (The empty value stands for no choice.)
    const count = asked("count") ? null : choice.count ?? " ";
    fill("count", [[" ", "one item"], ...same(counts)], count);
    for (const name of ["truth", "a", "b", "group", "count"]) {
      const isEmpty = name === "count" && counts.length === 0;
      find(name).parentElement.hidden = isEmpty || !FIELDS[kind].includes(name);
    }
    if (choice.question) complain("columns", choice.question);
    return found;
  }

  /** The positive class; null if it is asked for. */
  function chosenClass(reading, choice) {
    const wanted = state.columns.positive;
    const { names, positive, question } = reader.positiveOf(reading, choice, wanted);
    find("class").hidden = names.length < 2;
    fill("positive", same(names), positive);
    if (question) complain("columns", question);
    return question ? null : { positive };
  }

  // --- Texts to copy -----------------------------------------------------------------------------

  /** What is said of a row: the number, its limits, and how they were found. */
  function partsOf(row, method) {
    const ends = [row.low, row.high, row.least ?? row.estimate, row.most ?? row.estimate];
    const [low, high, least, most] = ends.map((end) => fixed(end, digitsFor(row)));
    const test = Number.isFinite(row.p) ? `; ${row.test} ${pValue(row.p)}`.replace("  ", " ") : "";
    return {
      number: least === most ? least : `${least} to ${most}`,
      limits: `${low} to ${high}`,
      how: `${row.method ?? method}${row.over ?? ""}${test}`,
    };
  }

  /** The number and its interval: "0.740 (95 % CI 0.669 to 0.801, Wilson score)". */
  function spoken(row, level, method) {
    const { number, limits, how } = partsOf(row, method);
    return `${number} (${percent(level)} % CI ${limits}, ${how})`;
  }

  /** The same in two lines. A reader that speaks says the parentheses, which nobody sees. */
  function answerOf(row, level) {
    const { number, limits, how } = partsOf(row, "Wilson score");
    return html`<span class="calc-number">${row.label} = ${number}</span>
      <span class="calc-limits"><i>(</i>${percent(level)} % CI <b>${limits}</b>,
        ${how}<i>)</i></span>`;
  }

  const quoted = ({ quotes }) => quotes.find((row) => row.label === state.quote) ?? quotes[0];

  const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content;

  /** A source; what f1ci derives is cited with its author, year and version. */
  function cited({ text, page }) {
    if (!page) return text;
    const year = meta("citation_publication_date");
    const version = typeof DOCUMENTATION_OPTIONS === "undefined" ? ""
      : DOCUMENTATION_OPTIONS.VERSION;
    const ours = `${meta("citation_author") ?? "The f1ci authors"}${year ? ` (${year})` : ""}. f1ci`
      + `${version ? `, version ${version}` : ""}, https://f1ci.github.io/f1ci/book/${page}.html`;
    return text ? `${text}. For this score: ${ours}` : ours;
  }

  /** The texts to copy by their names. */
  function textsFor(row, level, { items }) {
    const said = spoken(row, level, "Wilson score method");
    const on = items ? ` on ${items}` : "";
    const differ = row.discordant === undefined ? ""
      : ` The models differ on ${some(row.discordant, "item")}.`;
    const subject = row.label.replace(/ of ([AB])\b/g, " of model $1");
    const sentence = row.signed
      ? `${subject[0].toUpperCase()}${subject.slice(1)} is ${said}${on}.${differ}`
      : `The classifier reached ${row.label} = ${said}${on}.`;
    const tex = sentence.replace(/[%&$#_{}]/g, "\\$&").replaceAll("−", "$-$")
      .replace("p <", "p $<$");
    const imports = row.python?.includes("np.") ? "import f1ci\nimport numpy as np" : "import f1ci";
    const printed = row.python?.replace(/(^|\n)(f1ci\..*)$/, "$1print($2)");
    const code = printed && `${imports}\n\n${printed}`;
    return { Sentence: sentence, Reference: cited(row.reference), LaTeX: tex, Python: code };
  }

  function offerTexts(result, level) {
    fill("quoted", same(result.quotes.map(({ label }) => label)), quoted(result).label);
    const texts = textsFor(quoted(result), level, result);
    const offer = (name) => (texts[name] ? html`<dt>${name}</dt>
      <dd><code>${texts[name]}</code><button type="button" value="${texts[name]}"
        aria-label="Copy: ${name}">Copy</button></dd>` : "");
    put("texts", [offer("Sentence"), offer("Reference")]);
    put("code", [offer("LaTeX"), offer("Python")]);
  }

  find("copy").addEventListener("click", async ({ target }) => {
    if (target.localName !== "button") return;
    remember(); // for the link
    try {
      await navigator.clipboard.writeText(target.value || location.href);
      find("copied").textContent = `${target.ariaLabel?.replace("Copy: ", "") ?? "Link"} copied.`;
    } catch {
      find("copied").textContent = "The browser refused to copy: select the text instead.";
    }
  });

  // --- The result --------------------------------------------------------------------------------

  /** A round step, 1, 2 or 5 times a power of ten, of which three to eight fit into a range. */
  function roundStep(range) {
    const power = 10 ** Math.floor(Math.log10(range / 3));
    return power * [5, 2, 1].find((m) => m * power <= range / 3);
  }

  /** The intervals of rows, one below the other on one scale. */
  function drawing(rows, description) {
    // A difference is seen beside none.
    const ends = rows.flatMap(({ low, high, signed }) => (signed ? [low, high, 0] : [low, high]));
    const margin = Math.max(0.06 * (Math.max(...ends) - Math.min(...ends)), 1e-9);
    const from = Math.min(...ends) - margin;
    const to = Math.max(...ends) + margin;
    const x = (value) => `${(2 + (96 * (value - from)) / (to - from)).toFixed(3)}%`;
    const LINE = 38;
    const bottom = LINE * rows.length;
    const line = (name, x1, x2, y1, y2) =>
      html`<line class="${name}" x1="${x(x1)}" x2="${x(x2)}" y1="${y1}" y2="${y2}"/>`;
    // Lines across stop below the name of each row.
    const across = (name, value) => rows
      .map((_, k) => line(name, value, value, LINE * k + 19, LINE * (k + 1)));
    const step = roundStep(to - from);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const first = Math.ceil(from / step);
    const places = Array.from({ length: Math.floor(to / step) - first + 1 }, (_, k) => first + k);
    const ticks = places.map((place) => place * step).map((tick) =>
      html`${across("calc-grid-line", tick)}<text class="calc-tick" x="${x(tick)}"
        y="${bottom + 17}" text-anchor="middle">${fixed(tick, digits)}</text>`);
    const bars = rows.map(({ name, low, high, estimate, least, most }, k) => {
      const y = LINE * k + 28;
      const point = Number.isNaN(estimate) ? ""
        : html`<circle class="calc-point" cx="${x(estimate)}" cy="${y}" r="4.5"/>`;
      return html`<text x="2%" y="${y - 13}">${name}</text>${line("calc-bar", low, high, y, y)}
        ${[low, high].map((end) => line("calc-bar", end, end, y - 5, y + 5))}
        ${least < most ? line("calc-range", least, most, y, y) : point}`;
    });
    const borders = [0, 1].filter((border) => from < border && border < to)
      .map((border) => across("calc-border", border));
    return html`<svg class="calc-drawing" role="img" aria-label="${description}" width="100%"
      height="${bottom + 22}">${ticks}${borders.flat()}${bars}</svg>`;
  }

  function tableOf({ caption, first, rows, folded }, number) {
    const cellsOf = ({ estimate, least, most, low, high, support }) => [
      least < most ? `${number(least)} to ${number(most)}` : number(estimate),
      number(low), number(high), ...(support === undefined ? [] : [support]),
    ];
    const last = rows[0].support === undefined ? [] : ["Support"];
    const heads = [first, "Estimate", "Low", "High", ...last];
    const line = (row) => html`<tr><th scope="row">${row.name}</th>
      ${cellsOf(row).map((cell) => html`<td>${cell}</td>`)}</tr>`;
    const table = html`<div class="calc-scroll" tabindex="0" role="region" aria-label="${caption}">
      <table><caption>${caption}</caption>
      <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>${rows.map(line)}</tbody></table></div>`;
    return folded ? html`<details><summary>${caption}</summary>${table}</details>` : table;
  }

  /** The tables; what is open stays open. */
  function showTables(all, level, number) {
    const folds = () => [...find("tables").querySelectorAll("details")];
    const open = folds().map((details) => details.open);
    put("tables", all.map((table) =>
      tableOf({ ...table, caption: `${table.caption}, ${percent(level)} % intervals` }, number)));
    folds().forEach((details, k) => { details.open = open[k] ?? false; });
  }

  function show(result, level) {
    const { notes, verdict } = result;
    const all = result.tables.flatMap((table) => table.rows);
    const known = result.rows.filter((row) => Number.isFinite(row.low));
    const digits = Math.max(3, ...all.filter((row) => Number.isFinite(row.low)).map(digitsFor));
    const number = (value) => (Number.isNaN(value) ? "–" : fixed(value, digits));
    const row = quoted(result);
    put("answer", row ? answerOf(row, level) : notes[0]);
    put("notes", [
      ...(result.models ? [html`<p class="calc-info">${result.models}</p>`] : []),
      ...(row ? notes : notes.slice(1)).map((note) => html`<p class="calc-note">${note}</p>`),
      ...(verdict ? [html`<p class="calc-verdict">${verdict}</p>`] : []),
    ]);
    showTables(result.tables, level, number);
    find("copy").hidden = row === undefined;
    if (row) offerTexts(result, level);
    find("plan").hidden = !result.oneClass;
    const limits = known.map(({ name, low, high }) => `${name}: ${number(low)} to ${number(high)}`)
      .join("; ");
    put("drawing", known.length
      ? drawing(known.slice(0, MOST_DRAWN), `${percent(level)} % intervals. ${limits}`) : "");
  }

  function plan(level, beta) {
    const half = setting("half");
    const share = setting("prevalence");
    find("planned").textContent = "";
    if (half === null || share === null) return;
    const known = Number.isNaN(share) ? null : share;
    const { positives, total } = f1ci.sampleSize(beta, half, known, level);
    const items = total === null ? "" : `, so about ${some(total, "item")} in all`;
    find("planned").textContent = `${some(positives, "truly positive item")}${items}. Then a `
      + `${percent(level)} % interval of F${beta} reaches about ${half} to each side at most, `
      + "whichever classifier you test.";
  }

  // --- From the box to the result ----------------------------------------------------------------

  /** Takes every number away: what is in the box has none yet. */
  function showNothing(sentence) {
    find("result").classList.add("calc-stale");
    for (const part of ["notes", "drawing", "tables", "texts", "code"]) put(part, "");
    put("answer", sentence);
    state.shared = "";
    return false;
  }

  /** An old answer never stands beside a new text: it is marked until the new one is there. */
  function update() {
    find("result").classList.add("calc-stale");
    try {
      if (answer()) find("result").classList.remove("calc-stale");
    } catch (error) {
      console.error(error);
      for (const part of ["readings", "columns", "class"]) find(part).hidden = true;
      complain("text", "This text cannot be read.");
      showNothing(FIRST_FAULT);
    }
  }

  /** Answers what is in the box; false if it has no answer yet. */
  function answer() {
    complain("columns", "");
    find("class").hidden = true;
    const read = understood();
    find("readings").hidden = read === null;
    const reading = read && showReadings(read);
    const isTable = reading !== null && reading.kind in FIELDS;
    find("columns").hidden = !isTable;
    const choice = isTable ? chosenColumns(reading) : null;
    const isFixed = Boolean(choice?.b) || ["scores", "pairs"].includes(reading?.kind);
    find("beta").parentElement.hidden = isFixed;
    const level = setting("level");
    const beta = setting("beta");
    const isWrong = read === null || (isTable && choice === null);
    if (isWrong || level === null || beta === null) return showNothing(FIRST_FAULT);
    if (reading === null || (choice && choice.question !== null)) return showNothing(FIRST_ANSWER);
    const chosen = chosenClass(reading, choice);
    if (chosen === null) return showNothing(FIRST_ANSWER);
    const settings = { level: level / 100, beta: isFixed ? 1 : beta };
    const result = results.compute(reading, settings, choice, chosen.positive);
    const before = [...reading.notes, ...(choice?.notes ?? [])];
    result.notes = result.quotes.length ? [...before, ...result.notes]
      : [...result.notes, ...before];
    result.models = choice && modelsOf(reading, choice, chosen);
    state.shared = reading.kind === "predictions" ? shared(reading.table, choice, chosen)
      : state.files ? "" : find("text").value;
    show(result, settings.level);
    // The explorer shows test sets like this one.
    const { tp, fp, fn } = result.counts ?? {};
    root.dataset.counts = tp + fp + fn > 0 ? [tp, fp, fn] : "";
    if (!find("plan").hidden) plan(settings.level, settings.beta);
    return true;
  }

  /** Which columns the answer is about. */
  function modelsOf({ kind, how }, { truth, a, b, classes }, { positive }) {
    if (kind === "scores") return b ? `A = ${a}, B = ${b}.` : `Score = ${a}.`;
    const against = classes.length > 2 ? " against all other classes" : "";
    const models = b ? `A = ${a}, B = ${b}; F1 of “${positive}”${against}` : `Model = ${a}`;
    return `${models}; truth = ${truth}${how && `; ${how}`}.`;
  }

  /** Predictions stay on this page. A link has their counts. */
  function shared(table, choice, { positive }) {
    if (choice.b) {
      const counts = tables.comparisonOf(table, { ...choice, positive });
      const lines = Object.entries(tables.KINDS)
        .map(([name, kind]) => `${[...kind].join(",")},${counts[name]}`);
      return ["truth,A,B,count", ...lines].join("\n");
    }
    const names = choice.classes.map((name) => `"${name.replaceAll('"', "'")}"`);
    const lines = tables.matrixOf(table, choice).map((row, k) => [names[k], ...row]);
    return [["", ...names], ...lines].join("\n");
  }

  // --- The state in the address ------------------------------------------------------------------

  function remember() {
    const [level, beta] = [find("level").value, find("beta").value];
    const query = new URLSearchParams({ text: state.shared, level, beta });
    if (state.as !== null) query.set("as", state.as);
    if (!find("class").hidden) query.set("positive", find("positive").value);
    if (state.quote !== null) query.set("quote", state.quote);
    const none = state.shared === "" || state.shared.length > LONGEST_LINK;
    history.replaceState(null, "", none ? location.pathname + location.search : `#calc?${query}`);
  }

  function restore() {
    const [place, query] = location.hash.split(/\?(.*)/s);
    const wanted = new URLSearchParams(query ?? "");
    if (place !== "#calc" || !wanted.has("text")) return;
    forget();
    for (const name of ["text", "level", "beta"]) {
      if (wanted.has(name)) find(name).value = wanted.get(name);
    }
    state.as = wanted.has("as") ? Number(wanted.get("as")) : null;
    state.columns = wanted.has("positive") ? { positive: wanted.get("positive") } : {};
    state.quote = wanted.get("quote");
    root.scrollIntoView();
  }

  // --- Files -------------------------------------------------------------------------------------

  async function textOf(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const starts = (...first) => first.every((byte, k) => bytes[k] === byte);
    if (starts(0x50, 0x4b) || starts(0x1f, 0x8b)) {
      throw `“${file.name}” is packed, as spreadsheets are: save it as CSV.`;
    }
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
      const reading = async (file) => ({ name: file.name, text: await textOf(file) });
      const read = await Promise.all(files.map(reading));
      if (read.length === 1 && read[0].text.length <= SMALL_FILE) find("text").value = read[0].text;
      else state.files = read;
      changed();
    } catch (sentence) {
      if (typeof sentence !== "string") throw sentence;
      for (const part of ["readings", "columns", "class"]) find(part).hidden = true;
      complain("text", sentence);
      showNothing(FIRST_FAULT);
    }
    find("loaded").hidden = state.files === null;
    const names = (state.files ?? []).map(({ name }) => name);
    find("loaded").querySelector("span").textContent = names.join(" and ");
    find("text").hidden = state.files !== null;
  }

  // --- Events ------------------------------------------------------------------------------------

  function changed() {
    update();
    remember();
  }

  let timer = null;
  root.addEventListener("input", ({ target }) => {
    if (target === find("files")) return;
    find("copied").textContent = ""; // that was another number
    if (target === find("text")) forget();
    if (target.name === "as") Object.assign(state, { as: Number(target.value), columns: {} });
    const names = ["truth", "a", "b", "group", "count", "positive"];
    const name = names.find((one) => target === find(one));
    const values = Object.fromEntries(names.map((one) => [one, find(one).value]));
    if (name === "truth") state.columns = { truth: values.truth };
    else if (name === "positive") state.columns = { ...state.columns, positive: values.positive };
    else if (name) {
      const count = values.count === "" ? undefined : values.count.trim();
      state.columns = { ...values, count };
    }
    if (target === find("quoted")) state.quote = target.value;
    clearTimeout(timer);
    timer = setTimeout(changed, 120);
  });
  find("examples").addEventListener("click", ({ target }) => {
    if (target.localName !== "button") return;
    forget();
    find("text").value = target.value;
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
  find("form").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => {
    restore();
    update();
  });

  // For the keyboard: the page's first link leads past its bars.
  const skip = document.querySelector("#pst-skip-link a");
  if (skip) Object.assign(skip, { href: "#calc", textContent: "Skip to the calculator" });
  find("more").open = !root.closest(".front"); // the first screen is the answer
  restore();
  update();
  find("result").classList.remove("calc-loading");
})();
