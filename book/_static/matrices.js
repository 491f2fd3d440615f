// Reads confusion matrices as programs and people write them. No page is needed.
//
// `read(text)` returns {matrix, labels, inRows, notes}: the numbers as they stand there, the names of
// the classes, and whether the text says that predictions are in rows.
const matrices = (() => {
  "use strict";

  const { count, refuse, some } = cells;
  const sum = (list) => list.reduce((total, n) => total + n, 0);
  const turn = (rows) => rows[0].map((_, k) => rows.map((row) => row[k]));

  const NOTHING = "This is neither counts, nor a matrix, nor a table of predictions. The examples show what is read.";
  const PERCENTAGES = "These are percentages or shares. They do not say how many items there were: give the counts.";

  // --- From text to rows of cells ----------------------------------------------------------------

  // What programs put around numbers, and what takes its place.
  const MARKS = [
    // Tables of HTML; boxes of polars and tabulate; rules of Markdown
    [/<tr[^>]*>\s*/gi, ""], [/<\/t[dh]>\s*/gi, "\t"], [/<\/tr>\s*/gi, "\n"], [/<\/?[a-z][^<>\n]*>/gi, ""],
    [/[│┆║┃]/g, "|"], [/^shape: \(.*\)$/m, ""],
    [/^ *\|( *(---|…|str|[iu]\d+|f\d+|cat|enum|bool) *\|)+ *$/gm, ""],
    [/^[─═╌┄┈┌┐└┘├┤┬┴┼╞╡╪╤╧╭╮╰╯+=|: -]+$/gm, ""],
    // LaTeX
    [/\\begin\{[^}]*\}(\{[^}]*\})?|\\end\{[^}]*\}|\\[a-z]*(rule|line)(\{[^}]*\})?/gi, ""],
    [/\\multicolumn\{[^}]*\}\{[^}]*\}/g, ""], [/\\(text\w*|mathbf)\b\{([^}]*)\}/g, "$2"],
    [/\\\\(\[[^\]]*\])?[ ]*\n?/g, "\n"], [/\\?\$/g, ""],
    // Arrays and scalars of numpy and torch, c() of R
    [/\b(np\.|numpy\.|torch\.)?(u?int\d*|float\d*)\(([^()]*)\)/g, "$3"],
    [/,\s*(dtype|device)\s*=\s*[^,)\n]+/g, ""],
    [/\b((np\.|numpy\.|torch\.)?(array|tensor|matrix|asarray)|c)\(/g, "("],
    // Percentages beside counts
    [/(\d)\s*\(\s*[\d.,]+\s*%\s*\)/g, "$1"], [/(\d)\s*\/\s*[\d.,]+\s*%/g, "$1"],
    // Matlab ends its rows with a semicolon, Markdown and Org with a line.
    [/;[ ]*$/gm, ""], [/^ *\||\| *$/gm, ""],
  ];

  /** Weka writes names behind the rows: "50 0 | a = cat". */
  function weka(text) {
    if (!/<--\s*classified as/i.test(text)) return text;
    return text.split("\n").map((line) => {
      const row = line.match(/^([\d\s.,]+)\|\s*\w+\s*=\s*(.+)$/);
      return row ? `${row[2].trim().replace(/\s+/g, "_")} ${row[1]}` : "";
    }).join("\n");
  }

  /** The text with one line for each row. */
  function inLines(text) {
    let bare = MARKS.reduce((all, [pattern, by]) => all.replace(pattern, by), weka(text));
    // Tuples, and c(...) of R; not the limits of an interval that stand somewhere.
    if (/^\s*([\w.]+\s*=\s*)?\(|\(\s*\(/.test(bare)) bare = bare.replace(/\(([\d.,\s]+)\)/g, "[$1]");
    const array = bare.match(/\[[\s[]*\d[^]*\]/);
    if (array) {
      const rows = array[0].split(/\][\s,]*\[/);
      bare = rows.map((row) => row.replace(/[()[\]\s]+/g, " ").trim()).join("\n");
    }
    return bare.trim().includes("\n") ? bare : bare.replace(/;/g, "\n");
  }

  /** The rows {line, cells}, without rules and without empty cells at their ends. */
  function rowsOf(text) {
    const bare = inLines(text);
    const rows = cells.cut(bare, cells.separatorOf(bare)).map((row) => {
      const clean = row.cells.map((cell) => cell.replace(/^["'`]|["'`]$/g, "").trim());
      while (clean.length > 1 && clean.at(-1) === "") clean.pop();
      return { line: row.line, cells: clean };
    });
    return rows.filter((row) => row.cells.some((cell) => !/^(:?-+:?)?$/.test(cell)));
  }

  /** 12.812 as thousands, if all numbers may be that and no sums say that they are percentages. */
  function withoutDots(table) {
    const numbers = table.flatMap((row) => row.cells).filter((cell) => /^\d[\d.]*$/.test(cell));
    const dotted = numbers.find((cell) => cell.includes("."));
    if (!dotted || !numbers.every((cell) => /^(\d{1,3}|[1-9]\d{0,2}(\.\d{3})+)$/.test(cell))) return { table, notes: [] };
    const bare = (cell) => (numbers.includes(cell) ? cell.replaceAll(".", "") : cell);
    const plain = table.map((row) => ({ line: row.line, cells: row.cells.map(bare) }));
    const sums = plain.map((row) => sum(row.cells.map((cell) => count(cell) ?? 0))).filter((total) => total > 0);
    if (sums.every((total) => Math.abs(total - 1e5) < 3)) refuse(PERCENTAGES);
    return { table: plain, notes: [`“${dotted}” is read as ${bare(dotted)}.`] };
  }

  // --- Names -------------------------------------------------------------------------------------

  const TOTAL = /^(all|totals?|sum|gesamt|summe|σ|∑)$/i;
  const PREDICTED = /^(y[_ ]?)?(pred|hat|classif|output|guess|estimat)/i;
  const TRUTH = /^(y[_ ]?)?(true|truth|actual|refer|gold|label|target|observ|expect|real)/i;
  const TITLE = /:\s*$|^(the )?(confusion|error|contingency)\b|=\s*$/i;
  // "Predicted no", "actual_1": the name of an axis before that of a class; "Predicted class" is an axis.
  const AXIS = /^(predicted|prediction|pred|actual|true|truth|reference|gold|target|observed|expected)[\s_:.-]+(?=\S)/i;
  const THINGS = /^(class|label|condition|value|outcome|categor)\w*$/i;

  const counted = (names) => names.length > 1
    && [0, 1].some((first) => names.every((name, k) => name === String(k + first)));
  const isName = (names) => names.some((name) => count(name) === null) || counted(names);
  const hasNoCount = (row) => row.cells.every((cell) => count(cell) === null);

  /** Takes lines of names of axes away: {kept, rows, columns} with the names of rows and of columns. */
  function axes(table) {
    const said = (row) => row.cells.filter((cell) => cell !== "").join(" ");
    const isAxis = (row, k) => k < 3 && hasNoCount(row)
      && (!said(row).includes(" ") || row.cells.length === 1 || THINGS.test(said(row).replace(AXIS, "")));
    const rest = table.filter((row) => !(hasNoCount(row) && TITLE.test(said(row))));
    const kept = rest.length > 2 ? rest.filter((row, k) => !isAxis(row, k)) : rest;
    const alone = rest.find((row) => !kept.includes(row));
    if (!alone || !kept.length) return { kept: kept.length ? kept : rest, rows: "", columns: "" };
    // The name of the columns stands above that of the rows, or in its line.
    const corner = kept[0].cells[0];
    const known = PREDICTED.test(corner) || TRUTH.test(corner) ? corner : "";
    return alone.line > kept[0].line ? { kept, rows: said(alone), columns: known } : { kept, rows: known, columns: said(alone) };
  }

  /** True if the names of the axes say that predictions are in rows. */
  function predictionsInRows(rows, columns, corner) {
    const [first = "", second = ""] = corner.split(/\s*[\\/|→↓×]\s*|\s+vs\.?\s+/).filter(Boolean);
    const [down, across] = rows || columns ? [rows, columns] : [first, second];
    return (PREDICTED.test(down) && !PREDICTED.test(across)) || (TRUTH.test(across) && !TRUTH.test(down));
  }

  /**
   * The names of the classes, and the places of the columns in the order of the lines. `inRows` is
   * true if the names say that predictions are in rows.
   */
  function namesOf(head, side, size) {
    const [across, down] = [head, side].map((names) => names?.slice(0, size) ?? null);
    const strip = (names) => names.map((name) => name.replace(AXIS, ""));
    const says = (names, axis) => names !== null && names.some((name) => AXIS.test(name))
      && names.every((name) => !AXIS.test(name) || axis.test(name));
    const places = (columns, rows) => rows.map((name) => columns.indexOf(name));
    const names = down ?? across;
    if (across && down && !places(across, down).includes(-1)) return { names, order: places(across, down), inRows: false, notes: [] };
    const inRows = says(across, TRUTH) || says(down, PREDICTED);
    const axesNamed = inRows || says(across, PREDICTED) || says(down, TRUTH);
    if (!across || !down) return { names: axesNamed ? strip(names) : names, order: null, inRows, notes: [] };
    const order = places(strip(across), strip(down));
    if (axesNamed && !order.includes(-1)) return { names: strip(down), order, inRows, notes: [] };
    const lines = `The lines are called ${down.join(", ")} and the columns ${across.join(", ")}`;
    return { names, order: null, inRows, notes: [`${lines}: they are taken in this order.`] };
  }

  // --- From cells to the matrix ------------------------------------------------------------------

  /** Totals of a table with such names: which to leave out, {row, column}. */
  function totals(numbers, head, side) {
    const [height, width] = [numbers.length, numbers[0].length];
    const lastIsSum = (lines) => lines.every((line) => line.at(-1) === sum(line.slice(0, -1)))
      && sum(lines.map((line) => line.at(-1))) > 0;
    const named = { row: TOTAL.test(side?.[height - 1]), column: TOTAL.test(head?.[width - 1]) };
    const sums = { row: lastIsSum(turn(numbers)), column: lastIsSum(numbers) };
    const both = height === width && height > 2 && sums.row && sums.column;
    return {
      row: named.row || both || (sums.row && height === width + 1),
      column: named.column || both || (sums.column && width === height + 1),
      wrong: (named.row && !sums.row) || (named.column && !sums.column),
    };
  }

  function noteOnTotals({ row, column, wrong }) {
    if (!row && !column) return [];
    const what = row && column ? "The last row and the last column, totals, were" : `The last ${row ? "row" : "column"}, a total, was`;
    return [`${what} left out${wrong ? ", though not all are sums" : ""}.`];
  }

  /** The matrix if the first line, and the first column, are (not) names; null if that cannot be. */
  function layout(table, withHead, withSide) {
    const body = withHead ? table.slice(1) : table;
    const width = body[0]?.cells.length;
    if (!width || body.some((row) => row.cells.length !== width)) return null;
    const side = withSide ? body.map((row) => row.cells[0]) : null;
    const numbers = body.map((row) => row.cells.slice(withSide ? 1 : 0).map(count));
    const size = numbers[0].length;
    if (size === 0 || numbers.flat().includes(null)) return null;
    const top = withHead ? table[0].cells : null;
    if (top && top.length !== size && !(top.length === size + 1 && (withSide || top[0] === ""))) return null;
    const head = top && top.slice(-size);
    const alike = head && side && head.join() === side.join();
    if ([head, side].some((names) => names && !isName(names) && !alike)) return null;
    const drop = totals(numbers, head, side);
    const square = (drop.row ? numbers.slice(0, -1) : numbers).map((row) => (drop.column ? row.slice(0, -1) : row));
    if (square.length < 2 || square[0].length !== square.length) return null;
    const { names, order, inRows, notes } = namesOf(head, side, square.length);
    const guess = withSide && !withHead && counted(side) ? ["The first column is read as names."] : [];
    return {
      matrix: order ? square.map((row) => order.map((k) => row[k])) : square,
      labels: square.map((_, k) => names?.[k] || String(k)),
      corner: top && top.length > size ? top[0] : "", inRows, notes: [...notes, ...guess, ...noteOnTotals(drop)],
    };
  }

  const layouts = (table) => layout(table, false, false) || layout(table, true, true)
    || layout(table, false, true) || layout(table, true, false);

  /** The rows with names of several words put together, if their last cells are as many counts. */
  function withLongNames(table) {
    const rows = table.filter((row) => row.cells.length > 2 && row.cells.slice(-2).every((cell) => count(cell) !== null));
    for (const width of [rows.length, rows.length - 1, rows.length + 1]) {
      const joined = rows.map((row) => ({ line: row.line, cells: [row.cells.slice(0, -width).join(" "), ...row.cells.slice(-width)] }));
      const found = width > 1 && rows.every((row) => row.cells.length > width) && layout(joined, false, true);
      if (found) return found;
    }
    return null;
  }

  /** Refuses what is no table of counts: words, one column, shares. */
  function refuseOthers(table) {
    const all = table.flatMap((row) => row.cells);
    const numbers = all.filter((cell) => /^[\d.]/.test(cell));
    if (numbers.length < all.length / 4 || (table.length > 4 && table.every((row) => row.cells.length === 1))) refuse(NOTHING);
    const shares = numbers.length > 3 && numbers.every((cell) => /^(0?\.\d+|[01](\.0*)?)$/.test(cell))
      && numbers.some((cell) => /\.\d*[1-9]/.test(cell));
    if (shares || numbers.filter((cell) => cell.includes("%")).length > 1) refuse(PERCENTAGES);
  }

  /** Throws the fault of a table that has no layout. */
  function complain(table) {
    refuseOthers(table);
    const withHead = table.length > 1 && (table[0].cells[0] === "" || hasNoCount(table[0]));
    const body = withHead ? table.slice(1) : table;
    const named = body.filter((row) => row.cells.length > 1 && count(row.cells[0]) === null);
    const rows = 2 * named.length > body.length ? body.map((row) => ({ line: row.line, cells: row.cells.slice(1) })) : body;
    const size = Math.max(...rows.map((row) => row.cells.length));
    for (const row of rows) {
      const wrong = row.cells.find((cell) => count(cell) === null);
      if (wrong !== undefined) refuse(`“${wrong}” in line ${row.line} is not a number of items.`);
    }
    const short = rows.find((row) => row.cells.length !== size);
    if (short) refuse(`Line ${short.line} has ${some(short.cells.length, "number")}, the longest line has ${size}.`);
    if (rows.length < 2 && size < 3) refuse("This is too little: give TP, FP and FN, a matrix, or predictions.");
    refuse(`The matrix has ${some(rows.length, "line")} of ${some(size, "number")}; it needs as many lines as columns, one for each class.`);
  }

  function matrixOf(rows, longNames) {
    const { table, notes } = withoutDots(rows);
    const { kept, rows: down, columns } = axes(table);
    if (kept.length === 0) refuse(NOTHING);
    const found = layouts(kept) || layouts(table) || (longNames && withLongNames(kept)) || complain(kept);
    const large = kept.flatMap((row) => row.cells).find((cell) => count(cell) > cells.LARGEST);
    if (large) refuse(`“${large}” is more than ${cells.LARGEST} items.`);
    const inRows = found.inRows || predictionsInRows(down, columns, found.corner);
    return { ...found, notes: [...notes, ...found.notes], inRows };
  }

  /** The matrix in a text; if the whole is none, in the one part between empty lines that is. */
  function read(text) {
    const rows = rowsOf(text);
    const whole = cells.unlessRefused(() => matrixOf(rows, false));
    if (whole) return whole;
    const parts = [];
    rows.forEach((row, k) => (k && row.line === rows[k - 1].line + 1 ? parts.at(-1).push(row) : parts.push([row])));
    const found = parts.map((part) => [part, cells.unlessRefused(() => matrixOf(part, false))]).filter(([, matrix]) => matrix);
    if (found.length !== 1) return matrixOf(rows, true);
    const [[part, matrix]] = found;
    return { ...matrix, notes: [...matrix.notes, `Only the lines ${part[0].line} to ${part.at(-1).line} are read.`] };
  }

  return { NOTHING, PERCENTAGES, read, turn };
})();
