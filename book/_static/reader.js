// Reads what people paste: confusion matrices, and tables of predictions. No page is needed.
//
// A reader returns what it understood with notes on what it left out, or throws a sentence that
// names the line as the user counts it. `tests/test_calculator.py` has the forms that are read.
const reader = (() => {
  "use strict";

  const LARGEST = 1e12;
  const TOTAL = /^(all|totals?|sum|gesamt|summe|σ|∑)$/i;
  const WORD = /^["'`]|["'`]$/g;

  const clean = (cell) => cell.trim().replace(WORD, "").trim();

  /** A count as it may be written, 50.0 or 1,234 or 5.0e+01; null if it is none. */
  function count(cell) {
    const plain = /^\d{1,3}(,\d{3})+(\.0*)?$/.test(cell) ? cell.replace(/,/g, "") : cell;
    if (!/^\d+(\.\d*)?(e[+-]?\d+)?$/i.test(plain)) return null;
    const value = Number(plain);
    return Number.isInteger(value) ? value : null;
  }

  // --- From text to rows of cells --------------------------------------------------------------

  /** The text without what arrays, tensors, LaTeX and Markdown put around numbers. */
  function stripped(text) {
    return text
      .replace(/\\begin\{[^}]*\}(\{[^}]*\})?|\\end\{[^}]*\}|\\[a-z]*(rule|line)(\{[^}]*\})?/gi, "")
      .replace(/\\(text\w*|mathbf|multicolumn)\b\{([^}]*)\}/g, "$2")
      .replace(/\\\\(\[[^\]]*\])?/g, "\u0001")
      .replace(/\b(np\.|numpy\.|torch\.)?(u?int\d*|float\d*)\(([^()]*)\)/g, "$3")
      .replace(/,\s*(dtype|device)\s*=\s*[^,)\n]+/g, "")
      .replace(/\b((np\.|numpy\.|torch\.)?(array|tensor|matrix|asarray)|c)\(/g, "(")
      .replace(/\$/g, "")
      .replace(/\(([\d.,\s]+)\)/g, "[$1]");
  }

  /** [{line, text}]: the rows, with the line that each begins in. */
  function rowsOf(text) {
    const rows = [];
    if (text.includes("[")) {
      let line = 1;
      for (const part of text.split(/(\[|\])/)) {
        const words = part.replace(/[()]/g, " ");
        if (/[^\s,;[\]]/.test(words)) {
          const before = (words.match(/^\s*/)[0].match(/\n/g) || []).length;
          rows.push({ line: line + before, text: words.trim().replace(/\s*\n\s*/g, " ").replace(/[,;]$/, "") });
        }
        line += (part.match(/\n/g) || []).length;
      }
      return rows;
    }
    const lines = text.replace(/\r/g, "").split("\n")
      .flatMap((words, k) => words.split("\u0001").map((part) => ({ line: k + 1, text: part })))
      .filter(({ text: words }) => words.trim() !== "")
      .map(({ line, text: words }) => ({ line, text: words.replace(/;\s*$/, "") }));
    if (lines.length === 1) {
      return lines[0].text.split(";").map((part) => ({ line: lines[0].line, text: part }));
    }
    return lines;
  }

  /** What separates the cells of these rows. */
  function separatorOf(rows) {
    const all = rows.map(({ text }) => text);
    for (const mark of ["\t", "|", "&", ";"]) {
      if (all.some((text) => text.includes(mark))) return mark;
    }
    if (!all.some((text) => text.includes(","))) return " ";
    // A comma may stand for thousands.
    const words = all.map((text) => text.trim().split(/\s+/));
    const thousands = words.flat().filter((word) => word.includes(",")).every((word) => count(word) !== null);
    return thousands && words.every((row) => row.length > 1) ? " " : ",";
  }

  /** The cells of one row; quotes keep a comma in its cell. */
  function cellsOf(text, separator) {
    if (separator === " ") return text.trim().split(/\s+/).map(clean);
    if (separator === "|") return text.trim().replace(/^\||\|$/g, "").split("|").map(clean);
    const parts = [""];
    let quote = "";
    for (const letter of text) {
      if (quote) quote = letter === quote ? "" : quote;
      else if (letter === '"') quote = letter;
      else if (letter === separator) {
        parts.push("");
        continue;
      }
      parts[parts.length - 1] += letter;
    }
    return parts.map(clean);
  }

  function tableOf(text) {
    const rows = rowsOf(stripped(text));
    const separator = separatorOf(rows);
    const table = rows.map(({ line, text: words }) => ({ line, cells: cellsOf(words, separator) }));
    for (const row of table) {
      while (row.cells.length > 1 && row.cells[row.cells.length - 1] === "") row.cells.pop();
    }
    // Rules of Markdown, and lines that hold the name of an axis only, are no rows.
    const rule = ({ cells }) => cells.every((cell) => /^:?-+:?$/.test(cell) || cell === "");
    const word = ({ cells }) => {
      const full = cells.filter((cell) => cell !== "");
      return table.length > 2 && full.length === 1 && count(full[0]) === null ? full[0] : "";
    };
    const kept = table.filter((row) => !rule(row) && !word(row));
    const axis = table.find(word);
    let turned = false;
    if (axis && kept.length) {
      // The name of the columns stands above that of the rows, or in its line.
      const [corner, alone] = [kept[0].cells[0], word(axis)];
      const [rows, columns] = axis.line < kept[0].line ? [corner, alone] : [alone, corner];
      turned = /^pred/i.test(rows) && /^(true|truth|actual|reference|gold|label|y_true)/i.test(columns);
    }
    return { table: kept, turned };
  }

  // --- From rows to a matrix -------------------------------------------------------------------

  const counted = (names) => names.length > 1
    && [0, 1].some((first) => names.every((name, k) => name === String(k + first)));
  const isName = (names) => names.some((name) => count(name) === null) || counted(names);

  /** Totals of a table with such names: which to leave out, {row, column}. */
  function totals(numbers, head, side) {
    const sum = (list) => list.reduce((total, n) => total + n, 0);
    const [height, width] = [numbers.length, numbers[0].length];
    const named = { row: side && TOTAL.test(side[height - 1]), column: head && TOTAL.test(head[width - 1]) };
    const lastIsSum = (lines) => lines.every((line) => line[line.length - 1] === sum(line.slice(0, -1)))
      && sum(lines.map((line) => line[line.length - 1])) > 0;
    const turned = numbers[0].map((_, k) => numbers.map((line) => line[k]));
    const sums = { row: lastIsSum(turned), column: lastIsSum(numbers) };
    const square = height === width;
    return {
      row: named.row || (sums.row && (square ? height > 2 && sums.column : height === width + 1)),
      column: named.column || (sums.column && (square ? height > 2 && sums.row : width === height + 1)),
      wrong: (named.row && !sums.row) || (named.column && !sums.column),
    };
  }

  const some = (n, one, many) => `${n} ${n === 1 ? one : many}`;

  /** The matrix if the first line, and the first column, are (not) names; null if that cannot be. */
  function layout(table, withHead, withSide) {
    const body = withHead ? table.slice(1) : table;
    const width = body.length && body[0].cells.length;
    if (!width || body.some(({ cells }) => cells.length !== width)) return null;
    const side = withSide ? body.map(({ cells }) => cells[0]) : null;
    const numbers = body.map(({ cells }) => cells.slice(withSide ? 1 : 0).map(count));
    const size = numbers[0].length;
    if (size === 0 || numbers.flat().includes(null)) return null;
    const top = withHead ? table[0].cells : null;
    if (top && top.length !== size && !(top.length === size + 1 && (withSide || top[0] === ""))) return null;
    const head = top && top.slice(-size);
    const alike = head && side && head.join() === side.join();
    if (head && !isName(head) && !alike) return null;
    if (side && !isName(side) && !alike) return null;
    const drop = totals(numbers, head, side);
    const matrix = (drop.row ? numbers.slice(0, -1) : numbers)
      .map((row) => (drop.column ? row.slice(0, -1) : row));
    if (matrix.length < 2 || matrix[0].length !== matrix.length) return null;
    return { matrix, names: side || head, drop, guessed: withSide && !withHead && counted(side) };
  }

  /** Throws what is wrong with a table that has no layout. */
  function complain(table) {
    const withHead = table.length > 1 && (table[0].cells[0] === "" || table[0].cells.every((cell) => count(cell) === null));
    const body = withHead ? table.slice(1) : table;
    const withSide = body.every(({ cells }) => cells.length > 1) && body.some(({ cells }) => count(cells[0]) === null && cells[0] !== "")
      && body.filter(({ cells }) => count(cells[0]) === null).length > body.length / 2;
    const rows = body.map(({ line, cells }) => ({ line, cells: withSide ? cells.slice(1) : cells }));
    const size = Math.max(...rows.map(({ cells }) => cells.length));
    for (const { line, cells } of rows) {
      for (const cell of cells) {
        if (count(cell) === null) throw `“${cell}” in line ${line} is not a number of items.`;
      }
    }
    for (const { line, cells } of rows) {
      if (cells.length !== size) throw `Line ${line} has ${some(cells.length, "number", "numbers")}, the longest line has ${size}.`;
    }
    if (rows.length < 2 && size < 2) throw "A matrix needs at least two classes.";
    throw `The matrix has ${some(rows.length, "line", "lines")} of ${some(size, "number", "numbers")}; it needs as many lines as columns, one for each class.`;
  }

  /** {matrix, labels, notes} of a pasted confusion matrix. */
  function readMatrix(text) {
    const { table, turned } = tableOf(text);
    if (table.length === 0) throw "Paste a matrix: one line for each true class.";
    const found = layout(table, false, false) || layout(table, true, true)
      || layout(table, false, true) || layout(table, true, false) || complain(table);
    for (const { line, cells } of table) {
      const large = cells.find((cell) => count(cell) > LARGEST);
      if (large) throw `“${large}” in line ${line} is more than 1000000000000 items.`;
    }
    const { names, drop, guessed } = found;
    const matrix = turned ? found.matrix.map((_, i) => found.matrix.map((row) => row[i])) : found.matrix;
    const notes = guessed ? ["The first column is read as names."] : [];
    if (drop.row || drop.column) {
      const what = drop.row && drop.column ? "The last row and the last column, totals, were"
        : `The last ${drop.row ? "row" : "column"}, a total, was`;
      notes.push(`${what} left out${drop.wrong ? ", though not all are sums" : ""}.`);
    }
    if (turned) notes.push("The rows are predictions, so rows and columns were exchanged.");
    return { matrix, labels: matrix.map((_, k) => (names && names[k]) || String(k)), notes };
  }

  // --- Tables of predictions -------------------------------------------------------------------

  /** {head, rows} of a pasted table or a file; a line is a row, a column has a name. */
  function readTable(text) {
    const lines = text.replace(/^\ufeff/, "").replace(/\r/g, "").split("\n")
      .map((words, k) => ({ line: k + 1, text: words })).filter(({ text: words }) => words.trim() !== "");
    if (lines.length < 2) throw "Paste a table with a line for each item, and a first line with the names of the columns.";
    const separator = ["\t", ";", ",", "|"].find((mark) => lines[0].text.includes(mark)) || " ";
    const table = lines.map(({ line, text: words }) => ({ line, cells: cellsOf(words, separator) }));
    const [{ cells: head }, ...rows] = table;
    for (const { line, cells } of rows) {
      if (cells.length !== head.length) {
        throw `Line ${line} has ${some(cells.length, "cell", "cells")}, the first line has ${head.length}.`;
      }
      if (cells.some((cell) => cell === "")) throw `Line ${line} has an empty cell.`;
    }
    if (new Set(head).size < head.length) throw "Two columns have the same name.";
    return { head, rows: rows.map(({ cells }) => cells) };
  }

  /** Both files as one table: by a column that names the items, or line by line if there is none. */
  function joined(one, other, key) {
    const rest = other.head.map((name, k) => [name, k]).filter(([name]) => name !== key);
    const head = [...one.head, ...rest.map(([name]) => (one.head.includes(name) ? `${name} (2)` : name))];
    if (!key) {
      if (one.rows.length !== other.rows.length) {
        throw `The files have ${one.rows.length} and ${other.rows.length} items, and no column that names them.`;
      }
      return { head, rows: one.rows.map((row, i) => [...row, ...other.rows[i]]), missing: 0 };
    }
    const place = other.head.indexOf(key);
    const found = new Map(other.rows.map((row) => [row[place], row]));
    const from = one.head.indexOf(key);
    if (found.size < other.rows.length || new Set(one.rows.map((row) => row[from])).size < one.rows.length) {
      throw `The column “${key}” names an item twice.`;
    }
    const rows = one.rows.filter((row) => found.has(row[from]))
      .map((row) => [...row, ...rest.map(([, k]) => found.get(row[from])[k])]);
    return { head, rows, missing: one.rows.length + other.rows.length - 2 * rows.length };
  }

  /** The two models' counts {tp, posA, ...} from the columns of a table. */
  function comparison({ head, rows }, { truth, a, b, positive }) {
    const [t, p, q] = [truth, a, b].map((name) => head.indexOf(name));
    const counts = { tp: 0, posA: 0, posB: 0, fn: 0, fp: 0, negA: 0, negB: 0, tn: 0 };
    for (const row of rows) {
      const yes = row[t] === positive;
      const [right, other] = [p, q].map((k) => (row[k] === positive) === yes);
      const kind = right && other ? (yes ? "tp" : "tn") : right ? (yes ? "posA" : "negA")
        : other ? (yes ? "posB" : "negB") : yes ? "fn" : "fp";
      counts[kind] += 1;
    }
    return counts;
  }

  return { readMatrix, readTable, joined, comparison };
})();

if (typeof module !== "undefined") module.exports = reader;
