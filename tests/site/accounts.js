// Asks of `reader.read` that it accounts for every number of a text: for `test_reader.py`, in Node.
var accounts = (() => {
  "use strict";

  // Frames of programs: what polars writes above a table, tags, and LaTeX around cells.
  const FRAMES = [
    /^shape: \(.*\)$/gm, /<\/?[a-z][^<>\n]*>/gi,
      /\\(multi\w+|cmidrule|begin)[({][^&\n]*?\}(\{[^}&]*\})?/g,
    /(dtype|device)=[^,)\n]+/g, /"\d+"\s*:/g, /\\end\{\w+\}/g,
  ];
  const PERCENT = /(\d)\s*(\(\s*[\d.,]+\s*%\s*\)|\/\s*[\d.,]+\s*%)/g;

  /** The numbers that stand for themselves, and are no part of a word or of a date. */
  function tokensIn(text) {
    const bare = FRAMES.reduce((all, frame) => all.replace(frame, " "), text);
    const words = bare.split(/[\s|&;()[\]{}=“”"<>$\\:/│┆]+|,(?!\d)|(?<!\d),/);
    const isThousands = (word) => /^-?\d{1,3}([,']\d{3})+(\.\d*)?$/.test(word);
    const parts = words.map((word) => word.replace(/^[±~≈]|[.%]+$/g, ""))
      .flatMap((word) => (isThousands(word) ? [word] : word.split(",")));
    return parts.filter((word) => /^-?[\d.][\d.,']*(e[+-]?\d+)?$/i.test(word) && /\d/.test(word));
  }
  const value = (token) => Number(token.replace(/[,']/g, ""));
  const numbersIn = (text) => tokensIn(text)
    .flatMap((token) => [value(token),
    ...(token.includes(",") ? token.split(",").map(value) : [])]);

  /** The texts in which a reading shows numbers. */
  function shown(reading) {
    const { kind, notes, said } = reading;
    const rows = (reading.rows ?? []).map((row) => Object.values(row).join(" "));
    const table = (reading.table?.columns ?? [])
      .flatMap((column) => [column.name, ...column.cells]);
    const report = (reading.records ?? []).map((record) => Object.values(record).join(" "));
    const matrix = kind === "matrix"
      ? [...reading.matrix.flat(), ...reading.labels, ...reading.labels, ...reading.totals] : [];
    return [...notes, said, ...rows, ...table, ...report, ...matrix, ...(reading.printed ?? [])]
      .map(String);
  }

  /** The numbers in a column of a table, or with such a name in objects. */
  function inColumn(text, name) {
    const objects = [...text.matchAll(/["'](\w+)["']\s*:\s*([^,}]+)/g)];
    const values = objects.filter(([, key]) => key === name).map(([, , value]) => value);
    const lines = cells.unlessRefused(() => matrices.rowsOf(cells.tidy(text))) ?? [];
    const rows = lines.map((row) => row.cells);
    const head = rows.find((row) => row.includes(name)) ?? [];
    const below = rows.slice(rows.indexOf(head) + 1)
      .map((row) => row[head.indexOf(name) + row.length - head.length] ?? "");
    return [...values, ...below].flatMap(numbersIn);
  }

  /** The numbers of a text that a reading neither uses nor names. */
  function left(text, reading, question) {
    const notes = reading.notes.join(" ");
    let lines = cells.tidy(text).split("\n");
    const only = notes.match(/Only the lines (\d+) to (\d+) are read/);
    if (only) lines = lines.slice(only[1] - 1, only[2]);
    if (/with its averages/.test(reading.said)) {
      lines = lines.filter((line) => !/^\W*(accuracy|\w+ avg|avg \/ total|all)\b/.test(line));
    }
    if (/Only the lists/.test(notes)) lines = text.match(/\w+\s*[=:]\s*(np.array\()?\[[^[\]=]*\]/g);
    let rest = lines.join("\n");
    if (/percentages beside/.test(notes)) rest = rest.replace(PERCENT, "$1");
    const used = [...shown(reading), question ?? ""].flatMap((part) => numbersIn(part));
    const columns = [...notes.matchAll(/the column “(.*?)”/g)].map(([, name]) => name);
    used.push(...columns.flatMap((name) => inColumn(text, name)));
    if (/Not used: the (part “|rest )/.test(notes)) used.push(...numbersIn(text));
    const take = (number) => {
      const place = used.findIndex((one) => one === number);
      if (place >= 0) used.splice(place, 1);
      return place >= 0;
    };
    const dotted = /is read as/.test(notes);
    return tokensIn(rest).filter((token) => !(take(value(token))
      || (dotted && take(Math.round(value(token) * 1000)))
      || (token.includes(",") && token.split(",").every((part) => take(value(part))))));
  }

  /** What is wrong with the readings of a text, or "". */
  function fault(text) {
    let found;
    try {
      found = reader.read(text);
    } catch (sentence) {
      return typeof sentence === "string" ? "" : `throws ${sentence.stack.slice(0, 400)}`;
    }
    const wrong = found.readings.map((reading) => [reading, left(text, reading, found.question)])
      .find(([, numbers]) => numbers.length);
    return wrong ? `${wrong[0].said} leaves ${wrong[1].join(", ")}` : "";
  }

  // --- Mutations ---------------------------------------------------------------------------------

  /** Park and Miller's generator: whole numbers below n. */
  function generator(seed) {
    let state = seed;
    return (n) => {
      state = (state * 48271) % 2147483647;
      return state % n;
    };
  }

  const TOKENS = ["7", "12", "0.5", "98.1%", "-3", "1,234", "1.0", "x", "", "2023", "±0.1", "0",
    "1e3"];
  const LINES = ["", "12 13", "accuracy 0.9", "??? 4", "seed 3", "a,b", "Total 5", "| 1 | 2 |"];

  function mutated(text, other, below) {
    const lines = text.split("\n");
    const at = below(lines.length);
    const words = [...text.matchAll(/[^\s,;|&\t[\](){}:=]+/g)];
    const word = words[below(Math.max(1, words.length))];
    const token = TOKENS[below(TOKENS.length)];
    const without = (k) => lines.filter((_, i) => i !== k).join("\n");
    const inserted = (k, line) => [...lines.slice(0, k), line, ...lines.slice(k)].join("\n");
    const replaced = (by) => (word ? text.slice(0, word.index) + by
      + text.slice(word.index + word[0].length) : text);
    return [
      () => without(at), () => inserted(at, lines[at]),
        () => inserted(at, LINES[below(LINES.length)]),
      () => replaced(token), () => replaced(`${word?.[0]} ${token}`),
        () => replaced(`${word?.[0]},${token}`),
      () => inserted(lines.length, other.split("\n")[0]), () => `${text}\n\n${other}`,
      () => text.replaceAll(",", " "), () => text.replaceAll(",", ";"),
        () => text.replace(/ +/g, ","),
      () => text.replace(/[[\]]/g, ""), () => text.slice(below(text.length)),
        () => lines.reverse().join("\n"),
    ][below(14)]();
  }

  /** Faults of so many mutations of texts, each with its text. */
  function faults(texts, number, seed) {
    const below = generator(seed);
    const found = [];
    for (let k = 0; k < number; k += 1) {
      let text = texts[below(texts.length)];
      for (let step = below(2); step >= 0; step -= 1) text = mutated(text,
        texts[below(texts.length)], below);
      const wrong = fault(text);
      if (wrong) found.push([text, wrong]);
    }
    return found;
  }

  return { fault, faults };
})();
