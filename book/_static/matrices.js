// Reads confusion matrices as programs and people write them. No page is needed.
//
// A matrix is a grammar: titles without a number, perhaps a line with the names of the classes,
// then a line for each class, with perhaps its name and a count for each class; perhaps with
// totals. A line with another number means that this is no matrix.
const matrices = (() => {
  "use strict";

  const { isCount, isNumber, hasNumber, count, refuse, repeats, some } = cells;
  const sum = (list) => list.reduce((total, n) => total + n, 0);
  const turn = (rows) => rows[0].map((_, k) => rows.map((row) => row[k]));

  const NOTHING = "This is neither counts, nor a matrix, nor a table of predictions. "
    + "The examples show what is read.";
  const PERCENTAGES = "These are percentages or shares. They do not say how many items there were: "
    + "give the counts.";

  // --- From text to rows of cells ----------------------------------------------------------------

  // APART stands before an array and behind it, ADDED in lines that were parts of one.
  const [APART, ADDED] = ["\u0004", "\u0005"];
  // A percentage beside a count
  const PERCENT = /(\d)\s*(?:\(\s*[\d.,]+\s*%\s*\)|\/\s*[\d.,]+\s*%)/g;
  // Weka writes names behind the rows: "50 0 | a = cat".
  const nameFirst = (line, row, name) =>
    (hasNumber(name) ? line : `${name.trim().replace(/\s+/g, "_")} ${row}`);
  const unlessNumber = (line) => (hasNumber(line) ? line : "");
  // What programs put around numbers, and what takes its place.
  const MARKS = [
    [/^.*<--\s*classified as\s*$/gim, unlessNumber],
    [/^([\d \t.,]+)\|\s*\w+\s*=\s*(.+)$/gm, nameFirst],
    // Tables of HTML; boxes of polars and tabulate; rules of Markdown
    [/<tr[^>]*>\s*/gi, ""], [/<\/t[dh]>\s*/gi, "\t"], [/<\/tr>\s*/gi, "\n"],
    [/<\/?[a-z][^<>\n]*>/gi, ""], [/[│┆║┃]/g, "|"], [/^shape: \(.*\)$/m, ""],
    [/^ *\|( *(---|…|str|[iu]\d+|f\d+|cat|enum|bool) *\|)+ *$/gm, ""],
    [/^[─═╌┄┈┌┐└┘├┤┬┴┼╞╡╪╤╧╭╮╰╯+=|: -]+$/gm, ""], [/\*\*|__|`/g, ""],
    // LaTeX
    [/\\begin\{[^}]*\}(\{[^}]*\})?|\\end\{[^}]*\}|\\[a-z]*(rule|line)(\{[^}]*\})?/gi, ""],
    [/\\multi(column|row)\{[^}]*\}\{[^}]*\}\{([^}]*)\}/g, "$2"],
    [/\\(text\w*|mathbf)\b\{([^}]*)\}/g, "$2"],
    [/\\\\(?:\[[^\]]*\])?[ ]*(\n?)/g, (_, end) => (end || `\n${ADDED}`)], [/\\?\$/g, ""],
    // Arrays and scalars of numpy and torch, c() of R
    [/\b(np\.|numpy\.|torch\.)?(u?int\d*|float\d*)\(([^()]*)\)/g, "$3"],
    [/,\s*(dtype|device)\s*=\s*[\w.:'"]+/g, ""],
    [/\b((np\.|numpy\.|torch\.)?(array|tensor|matrix|asarray)|c)\(/g, "("],
    [PERCENT, "$1"],
    // Matlab ends its rows with a semicolon, Markdown and Org with a line.
    [/;[ ]*$/gm, ""], [/^ *\||\| *$/gm, ""],
  ];

  /** The text with one line for each row; an array stands apart from what is around it. */
  function inLines(text) {
    let bare = MARKS.reduce((all, [pattern, by]) => all.replace(pattern, by), text);
    // Tuples, and c(...) of R; not the limits of an interval that stand somewhere.
    const isTuple = /^\s*([\w.]+\s*=\s*)?\(|\(\s*\(/.test(bare) || /\brbind\(/.test(bare);
    if (isTuple) bare = bare.replace(/\(([\d.,\s]+)\)/g, "[$1]");
    const array = /^([^\n[]*)(\[[\s[]*\d[^]*\])([^\n]*)(\n?)/m;
    bare = bare.replace(array, (whole, before, inside, after, end) => {
      if (hasNumber(before) || hasNumber(after)) return whole;
      const rows = inside.replace(/\][ ,]*(\n?)\s*\[/g, (_, stop) => stop || `\n${ADDED}`);
      return `${APART}${rows.replace(/[()[\]]+/g, " ")}${end}${end && APART}`;
    });
    return bare.trim().includes("\n") ? bare : bare.replace(/;/g, `\n${ADDED}`);
  }

  /** The rows {line, cells}, without rules. Between blanks, words before numbers are one name. */
  function rowsOf(text) {
    const bare = inLines(text);
    const separator = cells.separatorOf(bare);
    const lines = bare.split("\n");
    const added = (line) => lines.slice(0, line).filter((one) => one.startsWith(ADDED)).length;
    const marks = new RegExp(`[${APART}${ADDED}]`, "g");
    const rows = cells.cut(bare, separator).map(({ line: place, cells: row }) => {
      const isApart = row[0].includes(APART);
      const line = place - added(place);
      const clean = row.map((cell) => cell.replace(marks, "").replace(/^["']|["']$/g, "").trim());
      if (isApart && clean.length > 1 && clean[0] === "") clean.shift();
      while (clean.length > 1 && clean.at(-1) === "") clean.pop();
      if (separator !== " ") return { line, isApart, cells: clean };
      const parts = (lines[place - 1] ?? "").trim().split(/ {2,}/);
      return { line, isApart, cells: named(clean), parts };
    });
    return rows.filter((row) => row.cells.some((cell) => !/^(:?-+:?)?$/.test(cell)));
  }

  function named(words) {
    const first = words.findLastIndex((word) => !isNumber(word)) + 1;
    const isName = first > 1 && first < words.length;
    return isName ? [words.slice(0, first).join(" "), ...words.slice(first)] : words;
  }

  /** 12.812 as thousands, if all numbers may be that and no sums say that they are percentages. */
  function withoutDots(rows) {
    const numbers = rows.flatMap((row) => row.cells).filter((cell) => /^\d[\d.]*$/.test(cell));
    const dotted = numbers.find((cell) => cell.includes("."));
    const mayBe = (cell) => /^(\d{1,3}|[1-9]\d{0,2}(\.\d{3})+)$/.test(cell);
    if (!dotted || !numbers.every(mayBe)) return { rows, notes: [] };
    const bare = (cell) => (numbers.includes(cell) ? cell.replaceAll(".", "") : cell);
    const plain = rows.map((row) => ({ ...row, cells: row.cells.map(bare) }));
    const sums = plain.map((row) => sum(row.cells.map(count)));
    if (sums.some((total) => Math.abs(total - 1e5) < 3)) refuse(PERCENTAGES);
    return { rows: plain, notes: [`“${dotted}” is read as ${bare(dotted)}.`] };
  }

  // --- Names -------------------------------------------------------------------------------------

  const TOTAL = /^((all|totals?|sum|gesamt|summe|σ|∑|grand|row|column)\s*)+$/i;
  const PREDICTED = /^(y[_ ]?)?(pred|hat|classif|output|guess|estimat)/i;
  const TRUTH = /^(y[_ ]?)?(true|truth|actual|refer|gold|ground|label|target|observ|expect|real)/i;
  const TITLE = /\b(confusion|error|contingency)\b|[:=]\s*$/i;
  // "Predicted no", "actual_1": the name of an axis before that of a class.
  const AXIS = new RegExp("^((predicted|prediction|pred|actual|true|truth|reference|gold|target|"
    + "observed|expected)[\\s_:.-]+)+(?=\\S)", "i");
  const [RIGHT, WRONG] = [/\b(right|correct|pass(ed)?)\b/i, /\b(wrong|incorrect|fail(ed)?)\b/i];

  const counted = (names) => names.length > 1
    && [0, 1].some((first) => names.every((name, k) => name === String(k + first)));
  const strip = (names) => names.map((name) => name.replace(AXIS, ""));
  const nameAxis = (names, axis) => names !== null && names.some((name) => AXIS.test(name))
    && names.every((name) => !AXIS.test(name) || axis.test(name));

  /** True if titles above and below the names of the columns say that predictions are in rows. */
  function predictionsInRows(above, below, corner) {
    const words = corner.split(/\s*[\\/|→↓×]\s*|\s+vs\.?\s+/).filter(Boolean);
    const says = (text, axis) => text.split(/\s+/).some((word) => axis.test(word));
    const axisIn = (rows) => rows.flatMap((row) => row.cells)
      .find((cell) => says(cell, PREDICTED) !== says(cell, TRUTH));
    const [first, second] = below.length ? ["", words[0]] : words;
    const [down, across] = [axisIn(below) ?? first ?? "", axisIn(above) ?? second ?? ""];
    return (says(down, PREDICTED) && !says(across, PREDICTED))
      || (says(across, TRUTH) && !says(down, TRUTH));
  }

  // --- The grammar -------------------------------------------------------------------------------

  /** Totals of numbers with such names: {row, column} to leave out; null if this is no matrix. */
  function totals(numbers, head, side) {
    const [height, width] = [numbers.length, numbers[0].length];
    const areSums = (lines) => lines.every((line) => line.at(-1) === sum(line.slice(0, -1)))
      && sum(lines.map((line) => line.at(-1))) > 0;
    const isNamed = { row: TOTAL.test(side?.at(-1)), column: TOTAL.test(head?.[width - 1]) };
    const sums = { row: areSums(turn(numbers)), column: areSums(numbers) };
    const both = height === width && height > 2 && sums.row && sums.column;
    const row = isNamed.row || both || (sums.row && height === width + 1);
    const column = isNamed.column || both || (sums.column && width === height + 1);
    const size = height - row;
    if (size < 2 || size !== width - column) return null;
    const wrong = (isNamed.row && !sums.row) || (isNamed.column && !sums.column);
    return { row, column, size, wrong };
  }

  function noteOn({ row, column, wrong }) {
    const which = [row && "row", column && "column"].filter(Boolean).map((what) => `last ${what}`);
    const doubt = wrong ? ", though not all are sums" : "";
    return which.length ? [`Left out as totals: the ${which.join(" and the ")}${doubt}.`] : [];
  }

  /** {numbers, side, extra} of rows that end in so many counts, after as many cells; or null. */
  function bodyIn(rows, width) {
    const extra = rows[0].cells.length - width;
    const isLine = ({ cells: row }) => extra >= 0 && row.length === width + extra
      && row.slice(-width).every(isCount);
    if (!rows.every(isLine)) return null;
    const name = ({ cells: row }) => row.slice(0, extra).filter(Boolean).join(" ");
    const numbers = rows.map((row) => row.cells.slice(-width).map(count));
    return { numbers, side: extra ? rows.map(name) : null, extra };
  }

  /** {place, head, corner}: the last row above that may have the names of the columns. */
  function headAbove(titles, { side, extra }, width) {
    const widths = [width, width + extra, width + 1, ...(extra ? [width - 1 + extra] : [])];
    const fits = (names) => names.length > 1 && widths.includes(names.length)
      && !TITLE.test(names.join(" "));
    const heads = ({ cells: words, parts = [] }) => [words, parts].filter(fits);
    const place = titles.findLastIndex((row) => heads(row).length);
    if (place < 0) return { place, head: null, corner: "" };
    const agrees = (names) => side
      && strip(side).slice(0, 2).every((name) => strip(names).includes(name));
    const found = heads(titles[place]);
    const top = found.find(agrees) ?? found[0];
    // A column of totals may have its name in another row.
    const isShort = extra && top.length === width - 1 + extra && !top.slice(0, extra).some(Boolean);
    const head = isShort ? [...top.slice(extra), ""] : top.slice(-width);
    return { place, head, corner: top.length > width ? top[0] : "" };
  }

  /** True for names of classes: their numbers, if they have any, count the classes. */
  function areNames(names) {
    const inNames = names.map(cells.numbersIn);
    const isBare = inNames.every((list) => list.length === 0);
    return isBare || (inNames.every((list) => list.length < 2) && counted(inNames.flat()));
  }

  /** The matrix if the first `start` rows are titles and names, and each row has `width` counts. */
  function layout(rows, start, width) {
    const body = bodyIn(rows.slice(start), width);
    if (body === null) return null;
    const titles = rows[start].isApart ? [] : rows.slice(0, start);
    const { place, head, corner } = headAbove(titles, body, width);
    const drop = totals(body.numbers, head, body.side);
    if (drop === null) return null;
    const { size } = drop;
    // 1. Names are words, or count the classes, or stand on both sides.
    const [across, down] = [head, body.side].map((names) => names?.slice(0, size) ?? null);
    const both = [across, down].filter(Boolean);
    const [one, other] = both.map((names) => strip(names).sort().join());
    if ((one !== other && !both.every(areNames)) || down?.includes("")) return null;
    // 2. There is no other number.
    const inRows = cells.numbersIn(rows.flatMap((row) => row.cells).join(" ")).length;
    const inNames = cells.numbersIn(both.flat().join(" ")).length;
    if (inRows !== body.numbers.flat().length + inNames) return null;
    const square = body.numbers.slice(0, size).map((row) => row.slice(0, size));
    const left = body.numbers.flatMap((row, i) => row.filter((_, j) => Math.max(i, j) >= size));
    const guess = down && !across && counted(down) ? ["The first column is read as names."] : [];
    const [above, below] = place < 0 ? [rows.slice(0, start), []]
      : [rows.slice(0, place), rows.slice(place + 1, start)];
    const named = withNames(square, across, down);
    return {
      ...named, inRows: named.inRows || predictionsInRows(above, below, corner),
      totals: left, notes: [...guess, ...noteOn(drop)],
    };
  }

  /** {matrix, labels, inRows, question, paired}: the classes, if the names on both sides agree. */
  function withNames(square, across, down) {
    const inRows = nameAxis(across, TRUTH) || nameAxis(down, PREDICTED);
    const [top, side] = [across, down].map((names) => names && strip(names));
    const labels = square.map((_, k) => (side ?? top)?.[k] || String(k));
    const plain = { matrix: square, labels, inRows, question: null };
    if (!top || !side) return plain;
    const order = side.map((name) => top.indexOf(name));
    if (!order.includes(-1) && !repeats(order)) {
      return { ...plain, matrix: square.map((row) => order.map((k) => row[k])) };
    }
    const isPair = (list) => list.length === 2 && list.some((x) => RIGHT.test(x))
      && list.some((x) => WRONG.test(x));
    const said = `The lines are called ${down.join(", ")} and the columns ${across.join(", ")}.`;
    return {
      ...plain, paired: isPair(down) && isPair(across) ? paired(square, across, down) : null,
      question: `${said} Are these the same classes in this order?`,
    };
  }

  /** The numbers of items that both models have right, one alone, and none. */
  function paired(square, across, down) {
    const [i, j] = [down, across].map((names) => names.findIndex((name) => RIGHT.test(name)));
    const name = (text) => text.replace(RIGHT, "").trim();
    return {
      both: square[i][j], onlyA: square[i][1 - j],
      onlyB: square[1 - i][j], none: square[1 - i][1 - j],
      names: [name(down[i]) || "A", name(across[j]) || "B"],
    };
  }

  /** The matrix in rows; null if they are none. */
  function matrixIn(rows) {
    for (let start = 0; start <= Math.min(4, rows.length - 2); start += 1) {
      const height = rows.length - start;
      const widths = [height, height - 1, height + 1].filter((width) => width > 1);
      const found = widths.map((width) => layout(rows, start, width)).find(Boolean);
      if (found) return found;
    }
    return null;
  }

  // --- What is none ------------------------------------------------------------------------------

  /** Refuses what is no matrix: words, one column, shares; a cell, line or shape that is wrong. */
  function complain(rows) {
    const all = rows.flatMap((row) => row.cells);
    const found = all.filter(isNumber);
    const isColumn = rows.length > 4 && all.length === rows.length;
    if (found.length < Math.max(1, all.length / 4) || isColumn) refuse(NOTHING);
    const isShare = (cell) => cell.includes("%") || Number(cell) <= 1;
    if (found.length > 1 && !found.every(isCount) && found.every(isShare)) refuse(PERCENTAGES);
    // A line without a number is a title, and a word before numbers is a name.
    const body = rows.filter((row) => row.cells.some(isNumber)).map(({ line, cells: row }) =>
      ({ line, list: isNumber(row[0]) ? row : row.slice(1) }));
    const size = Math.max(...body.map(({ list }) => list.length));
    for (const { line, list } of body) {
      const wrong = list.find((cell) => !isCount(cell));
      if (wrong !== undefined) refuse(`“${wrong}” in line ${line} is not a number of items.`);
    }
    const short = body.find(({ list }) => list.length !== size);
    if (short) {
      const got = some(short.list.length, "number");
      refuse(`Line ${short.line} has ${got}, the longest line has ${size}.`);
    }
    if (body.length < 2 && size < 3) {
      refuse("This is too little: give TP, FP and FN, a matrix, or predictions.");
    }
    const shape = `${some(body.length, "line")} of ${some(size, "number")}`;
    refuse(`The matrix has ${shape}; it needs as many lines as columns, one for each class, `
      + "and names only above or before them.");
  }

  /** The rows in parts, which begin after an empty line, and at an array and behind it. */
  function partsOf(rows) {
    const isNew = (row, k) => k === 0 || row.isApart || row.line > rows[k - 1].line + 1;
    const starts = rows.flatMap((row, k) => (isNew(row, k) ? [k] : []));
    return starts.map((start, k) => rows.slice(start, starts[k + 1]));
  }

  /** The matrix in a text; if the whole is none, in the one part of it that is. */
  function read(text) {
    const { rows, notes } = withoutDots(rowsOf(text));
    const large = rows.flatMap((row) => row.cells).find((cell) => count(cell) > cells.LARGEST);
    if (large) refuse(`“${large}” is more than ${cells.LARGEST} items.`);
    if (text.search(PERCENT) >= 0) notes.push("The percentages beside the counts are not used.");
    const whole = matrixIn(rows);
    if (whole) return { ...whole, notes: [...notes, ...whole.notes] };
    const found = partsOf(rows).filter(matrixIn);
    const ends = found.map((part) => `${part[0].line} to ${part.at(-1).line}`);
    if (found.length > 1) {
      refuse(`There are ${found.length} matrices, in the lines ${ends.join(" and ")}: give one.`);
    }
    if (found.length === 0) return complain(rows);
    const part = matrixIn(found[0]);
    return { ...part, notes: [...notes, ...part.notes, `Only the lines ${ends[0]} are read.`] };
  }

  return { NOTHING, PERCENTAGES, read, rowsOf, turn };
})();
