// Says what a pasted text is: counts, printed numbers, a report, a confusion matrix, predictions.
// No page is needed. `tests/cases/pasted.json` has the forms that are read, and those that are not.
//
// `read(text)` returns {readings, question}. The first reading is the likeliest; the others are
// offered beside it. A question means that nobody can know: then no number is shown. A text that is
// nothing of all this is refused with a sentence, which is thrown.
const reader = (() => {
  "use strict";

  const LARGEST = 1e12;
  const refuse = (sentence) => {
    throw sentence;
  };
  const some = (n, one, many) => `${n} ${n === 1 ? one : many}`;
  const NOTHING = "This is neither counts, nor a matrix, nor a table of predictions. The examples show what is read.";
  const PERCENTAGES = "These are percentages or shares. They do not say how many items there were: give the counts.";

  // --- Numbers -----------------------------------------------------------------------------------

  /** A count as it may be written, 50.0 or 1,234 or 1'234; null if it is none. */
  function count(cell) {
    const plain = /^\d{1,3}([,']\d{3})+(\.0*)?$/.test(cell) ? cell.replace(/[,']/g, "") : cell;
    if (!/^\d+(\.\d*)?(e[+-]?\d+)?$/i.test(plain)) return null;
    const value = Number(plain);
    return Number.isInteger(value) ? value : null;
  }

  function countOr(text, what) {
    if (text === undefined || text === "") refuse(`Give the number of ${what}.`);
    const value = count(text) ?? refuse(`“${text}” is not a number of items.`);
    return value <= LARGEST ? value : refuse(`“${text}” is more than ${LARGEST} items.`);
  }

  /** A printed share: the band [least, most] of values that are rounded to it. */
  function band(text) {
    const share = text.replace(/\s*%$/, "");
    const scale = share === text ? 1 : 100;
    if (/^\d*,\d+$/.test(share)) refuse(`Write a decimal point, not a comma: “${share.replace(",", ".")}”.`);
    if (!/^(\d+\.?\d*|\.\d+)$/.test(share)) refuse(`“${text}” is not a number.`);
    const value = Number(share) / scale;
    if (value > 1) refuse(`“${text}” is above 1; write “${text} %” if it is a percentage.`);
    const half = 0.5 * 10 ** -(share.split(".")[1] ?? "").length / scale;
    return [Math.max(0, value - half), Math.min(1, value + half)];
  }

  // --- Numbers with names: counts, precision and recall, F1 --------------------------------------

  const NAMES = [
    ["tp", /true[ _-]*pos(itive)?s?|tps?/], ["fp", /false[ _-]*pos(itive)?s?|fps?/],
    ["fn", /false[ _-]*neg(ative)?s?|fns?/], ["tn", /true[ _-]*neg(ative)?s?|tns?/],
    ["positives", /((truly|actual|gold)[ _-]*)?positives?([ _-]items)?|n[ _-]?pos(itives?)?|support|pos/],
    ["f1", /f[-_ ]?1([-_ ]?(score|measure))?|f[-_ ]?(score|measure)|dice/],
    ["precision", /precision|prec|ppv|p/], ["recall", /recall|rec|sensitivity|tpr|r/],
    ["unused", /accuracy|acc|auc|auroc|mcc|kappa|specificity|npv|jaccard|iou|threshold|negatives?/],
    ["total", /n([ _-]?(total|items))?|total|items|samples|instances|examples|sentences|documents/],
  ].map(([key, pattern]) => [key, new RegExp(`(?<![\\p{L}\\p{N}_])(?:(?:eval|test|val|dev)_)?(${pattern.source})(?![\\p{L}\\p{N}_])`, "giu")]);
  const FILLER = /^(of|and|the|is|are|was|were|with|on|at|for|in|score|scores|true|truly|a|an|has|have|=|~|≈|-|–|→|->|number|numbers|count|counts|print)$/i;
  const ITEMS = { tp: "true positives", fp: "false positives", fn: "false negatives", tn: "true negatives" };

  /** {key: text} of "TP=77 FP=ten": what stands where a number is wanted is quoted then. */
  function assignments(text) {
    const one = /(?<![\p{L}\p{N}])(tp|fp|fn|tn)\s*=\s*([^\s,;=]*?)(?=[\s,;]|$)/giu;
    if (text.replace(one, "").trim() !== "") return null;
    const pairs = [...text.matchAll(one)].map(([, name, value]) => [name.toLowerCase(), value]);
    const found = Object.fromEntries(pairs);
    return Object.keys(found).length === pairs.length ? found : null;
  }

  /** {key: text} of a text that holds nothing but numbers and their names; null for another text. */
  function namedNumbers(text) {
    const marked = NAMES.reduce((all, [key, name]) => all.replace(name, ` ‹${key}› `), text.replace(/[#*`]/g, " "));
    if (!marked.includes("‹")) return null;
    const tokens = marked.replace(/(\d)\s+%/g, "$1%").replace(/["'{}()[\]|&;:=]/g, " ").split(/\s+/)
      .flatMap((word) => (/^\d{1,3}(,\d{3})+$|^\d*,\d+%?$/.test(word) ? [word] : word.split(",")))
      .filter((word) => /[^-:+]/.test(word) && !FILLER.test(word));
    const isName = (token) => token?.startsWith("‹");
    const first = tokens.findIndex(isName);
    const words = tokens.filter((token, k) => !isName(token) && !/\d/.test(token) && k > first);
    if (words.length) return null;
    const found = {};
    const put = (name, value) => {
      const key = name.slice(1, -1);
      if (key in found && key !== "unused" && found[key] !== value) refuse(`“${key}” stands there twice, with ${found[key]} and ${value}.`);
      found[key] ??= value;
    };
    const names = tokens.filter(isName);
    const values = tokens.filter((token) => !isName(token) && /\d/.test(token));
    if (names.length === values.length && tokens.indexOf(values[0]) >= names.length && tokens.slice(0, names.length).every(isName)) {
      names.forEach((name, k) => put(name, values[k]));
      return found;
    }
    for (let k = 0; k < tokens.length; k += 1) {
      const [token, next] = [tokens[k], tokens[k + 1]];
      if (isName(token) && next !== undefined && !isName(next)) {
        put(token, next);
        k += 1;
      } else if (!isName(token) && isName(next)) {
        if (/\d/.test(token)) put(next, token);
        else k -= 1; // a title
        k += 1;
      } else if (isName(token) && !(token.slice(1, -1) in found)) found[token.slice(1, -1)] = "";
      else if (!isName(token) && /\d/.test(token)) return null;
    }
    return found;
  }

  const countsReading = ({ tp, fp, fn, tn }, notes = []) => ({
    kind: "counts", counts: { tp, fp, fn, tn }, notes,
    said: `counts: TP ${tp}, FP ${fp}, FN ${fn}${tn === null ? "" : `, TN ${tn}`}`,
  });

  function fromNames(text) {
    const found = assignments(text) ?? namedNumbers(text);
    if (found === null) return null;
    const notes = "unused" in found ? ["Other scores that stand there are not used."] : [];
    if (["tp", "fp", "fn"].some((key) => key in found)) {
      const [tp, fp, fn] = ["tp", "fp", "fn"].map((key) => countOr(found[key], ITEMS[key]));
      const tn = (found.tn ?? "") === "" ? null : countOr(found.tn, ITEMS.tn);
      return { readings: [countsReading({ tp, fp, fn, tn }, notes)], question: null };
    }
    const { precision, recall, f1, positives, total } = found;
    if (precision === undefined && recall === undefined && f1 === undefined) return null;
    const both = precision !== undefined && recall !== undefined;
    if (!both && f1 === undefined) refuse(`Give the ${precision === undefined ? "precision" : "recall"} too.`);
    const bands = both ? { precision: band(precision), recall: band(recall) } : { f1: band(f1) };
    const score = both ? "precision and recall" : "F1";
    const reading = (items, what) => ({
      kind: both ? "printed" : "f1", ...bands, positives: what === "positives" ? items : null, notes,
      said: `${score}, and ${items} ${what === "positives" ? "truly positive items" : "items in all"}`,
    });
    if (positives !== undefined) return { readings: [reading(countOr(positives, "truly positive items"), "positives")], question: null };
    if (total === undefined) refuse(`Give the number of truly positive items, too: “${score} … positives 87”.`);
    const items = countOr(total, "items");
    return { readings: ["positives", "all"].map((what) => reading(items, what)), question: `Which items are these ${items}?` };
  }

  /** Three or four numbers without names. */
  function fromNumbers(text) {
    const bare = text.trim().replace(/^(\w+\s*=\s*)?((np\.)?array)?[([]+|[)\]]+$/g, "");
    const blanks = bare.trim().split(/[\s;]+/);
    const cut = blanks.length > 1 && !blanks.map(count).includes(null) ? /[\s;]+/ : /[\s,;]+/;
    const words = bare.trim().split(cut).filter(Boolean);
    const lines = bare.trim().split("\n").map((line) => line.trim().split(cut).length);
    if (words.length < 3 || words.length > 4 || new Set(lines).size > 1 || lines[0] === 2) return null;
    const numbers = words.map(count);
    if (numbers.includes(null)) return null;
    const [p, q, r, s] = numbers.map((number, k) => countOr(words[k], "items") && number);
    if (s === undefined) return { readings: [countsReading({ tp: p, fp: q, fn: r, tn: null }, ["Read in the order TP, FP, FN."])], question: null };
    return {
      readings: [countsReading({ tp: s, fp: q, fn: r, tn: p }), countsReading({ tp: p, fp: q, fn: r, tn: s }), countsReading({ tp: p, fp: r, fn: q, tn: s })],
      question: "In which order are these numbers?",
    };
  }

  // --- A report of scikit-learn ------------------------------------------------------------------

  const SUMMARY = /^(accuracy|(micro|macro|weighted|samples) avg)$/;

  function reportReading(rows) {
    const classes = rows.filter(([name]) => !SUMMARY.test(name)).map(([name, precision, recall, f1, support]) => ({
      name, precision: band(precision), recall: band(recall), f1: band(f1), positives: countOr(support, "items"),
    }));
    if (classes.length === 0) return null;
    const items = classes.reduce((total, { positives }) => total + positives, 0);
    const reading = { kind: "report", classes, notes: [], said: `a report of ${some(classes.length, "class", "classes")} and ${items} items` };
    return { readings: [reading], question: null };
  }

  function fromReport(text) {
    if (!/precision\s+recall\s+f1-?score\s+support/i.test(text)) return null;
    const lines = text.split("\n").map((line) => [line, line.match(/^\s*(.*?)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s*$/)]);
    const report = reportReading(lines.filter(([, match]) => match).map(([, match]) => match.slice(1)));
    // People print the matrix beside it, which says more.
    const rest = lines.map(([line, match]) => (match || /precision\s+recall|accuracy/i.test(line) ? "" : line)).join("\n");
    try {
      const matrix = rest.includes("[[") ? fromMatrix(rest) : null;
      if (report && matrix) return { readings: [...matrix.readings, ...report.readings], question: null };
    } catch (sentence) {
      if (typeof sentence !== "string") throw sentence;
    }
    return report;
  }

  // --- JSON, and lists of Python -----------------------------------------------------------------

  function fromJson(text) {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      return null;
    }
    if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
    const classes = Object.entries(value).filter(([, row]) => row !== null && typeof row === "object" && "f1-score" in row);
    if (classes.length) {
      return reportReading(classes.map(([name, row]) => [name, ...["precision", "recall", "f1-score", "support"].map((key) => String(row[key]))]));
    }
    const name = ["confusion_matrix", "matrix", "cm"].find((key) => Array.isArray(value[key]));
    return name ? fromMatrix(JSON.stringify(value[name])) : null;
  }

  /** y_true = [1, 0, ...] and the like, as a table. */
  function fromLists(text) {
    const lists = [...text.matchAll(/(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_]*)\s*[=:]\s*(?:np\.array\()?\[([^[\]=]*)\]/gu)]
      .map(([, name, cells]) => [name, cells.split(",").map((cell) => cell.trim().replace(/^["']|["']$/g, "")).filter(Boolean)]);
    if (lists.length < 2) return null;
    return fromTable(JSON.stringify(Object.fromEntries(lists)));
  }

  // --- Confusion matrices: from text to cells ----------------------------------------------------

  const clean = (cell) => cell.trim().replace(/^["'`]|["'`]$/g, "").trim();

  /** Line by line without what programs put around numbers; lines keep their places. */
  function stripped(text) {
    const bare = withoutMarks(text);
    // Tuples, and c(...) of R; not the limits of an interval that stand somewhere.
    return /^\s*([\w.]+\s*=\s*)?\(|\(\s*\(/.test(bare) ? bare.replace(/\(([\d.,\s]+)\)/g, "[$1]") : bare;
  }

  function withoutMarks(text) {
    return text
      // Tables of HTML, boxes of polars and tabulate
      .replace(/<tr[^>]*>\s*/gi, "").replace(/<\/t[dh]>\s*/gi, "\t").replace(/<\/tr>\s*/gi, "\n").replace(/<\/?[a-z][^<>\n]*>/gi, "")
      .replace(/[│┆║┃]/g, "|").replace(/^shape: \(.*\)$/m, "")
      .replace(/^ *\|( *(---|…|str|[iu]\d+|f\d+|cat|enum|bool) *\|)+ *$/gm, "")
      .replace(/^[─═╌┄┈┌┐└┘├┤┬┴┼╞╡╪╤╧╭╮╰╯+=| -]+$/gm, "")
      // LaTeX
      .replace(/\\begin\{[^}]*\}(\{[^}]*\})?|\\end\{[^}]*\}|\\[a-z]*(rule|line)(\{[^}]*\})?/gi, "")
      .replace(/\\multicolumn\{[^}]*\}\{[^}]*\}/g, "").replace(/\\(text\w*|mathbf)\b\{([^}]*)\}/g, "$2")
      .replace(/\\\\(\[[^\]]*\])?/g, "\u0001").replace(/\\?\$/g, "")
      // Arrays
      .replace(/\b(np\.|numpy\.|torch\.)?(u?int\d*|float\d*)\(([^()]*)\)/g, "$3")
      .replace(/,\s*(dtype|device)\s*=\s*[^,)\n]+/g, "")
      .replace(/\b((np\.|numpy\.|torch\.)?(array|tensor|matrix|asarray)|c)\(/g, "(")
      // Percentages beside counts
      .replace(/(\d)\s*\(\s*[\d.,]+\s*%\s*\)/g, "$1").replace(/(\d)\s*\/\s*[\d.,]+\s*%/g, "$1");
  }

  /** [{line, text}]: the rows, with the line that each begins in. */
  function rowsOf(text) {
    const rows = [];
    const array = text.match(/\[[\s[]*\d[^]*\]/);
    if (array) {
      let line = text.slice(0, array.index).split("\n").length;
      for (const part of array[0].split(/(\[|\])/)) {
        const words = part.replace(/[()]/g, " ");
        if (/[^\s,;[\]]/.test(words)) {
          const before = words.match(/^\s*/)[0].split("\n").length - 1;
          rows.push({ line: line + before, text: words.trim().replace(/\s*\n\s*/g, " ").replace(/^,\s*|[,;]$/g, "") });
        }
        line += part.split("\n").length - 1;
      }
      return rows;
    }
    const lines = text.split("\n").flatMap((words, k) => words.split("\u0001").map((part) => ({ line: k + 1, text: part })))
      .filter((row) => row.text.trim() !== "")
      .map((row) => ({ line: row.line, text: row.text.replace(/;\s*$/, "") }));
    return lines.length === 1 ? lines[0].text.split(";").map((part) => ({ line: lines[0].line, text: part })) : lines;
  }

  /** The separator of the cells of these rows. */
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

  /** The cells of one row; quotes keep a separator in its cell. */
  function cellsOf(text, separator) {
    if (separator === " ") return text.trim().split(/\s+/).map(clean);
    const row = separator === "|" ? text.trim().replace(/^\||\|$/g, "") : text;
    const cells = row.match(new RegExp(`(?:"[^"]*"|[^"\\${separator}])*(?:\\${separator}|$)`, "g"))
      .map((cell) => clean(cell.endsWith(separator) ? cell.slice(0, -1) : cell));
    cells.pop(); // the empty match at the end
    if (row.endsWith(separator)) cells.push("");
    while (cells.length > 1 && cells.at(-1) === "") cells.pop();
    return cells;
  }

  /** Weka writes names behind the rows: "50 0 | a = cat". */
  function weka(text) {
    if (!/<--\s*classified as/i.test(text)) return text;
    return text.split("\n").map((line) => {
      const row = line.match(/^([\d\s.,]+)\|\s*\w+\s*=\s*(.+)$/);
      return row ? `${row[2].trim().replace(/\s+/g, "_")} ${row[1]}` : "";
    }).join("\n");
  }

  // --- Confusion matrices: from cells to numbers -------------------------------------------------

  const TOTAL = /^(all|totals?|sum|gesamt|summe|σ|∑)$/i;
  const PREDICTED = /^(y[_ ]?)?(pred|hat|classif|output|guess|estimat)/i;
  const TRUTH = /^(y[_ ]?)?(true|truth|actual|refer|gold|label|target|observ|expect|real)/i;
  const TITLE = /:\s*$|^(the )?(confusion|error|contingency)\b|=\s*$/i;

  const counted = (names) => names.length > 1
    && [0, 1].some((first) => names.every((name, k) => name === String(k + first)));
  const isName = (names) => names.some((name) => count(name) === null) || counted(names);

  /** Totals of a table with such names: which to leave out, {row, column}. */
  function totals(numbers, head, side) {
    const sum = (list) => list.reduce((total, n) => total + n, 0);
    const [height, width] = [numbers.length, numbers[0].length];
    const named = { row: side && TOTAL.test(side[height - 1]), column: head && TOTAL.test(head[width - 1]) };
    const lastIsSum = (lines) => lines.every((line) => line.at(-1) === sum(line.slice(0, -1))) && sum(lines.map((line) => line.at(-1))) > 0;
    const turned = numbers[0].map((_, k) => numbers.map((line) => line[k]));
    const sums = { row: lastIsSum(turned), column: lastIsSum(numbers) };
    const square = height === width;
    return {
      row: named.row || (sums.row && (square ? height > 2 && sums.column : height === width + 1)),
      column: named.column || (sums.column && (square ? height > 2 && sums.row : width === height + 1)),
      wrong: (named.row && !sums.row) || (named.column && !sums.column),
    };
  }

  // "Predicted no", "actual_1": the name of an axis before that of a class.
  const AXIS = /^(predicted|prediction|pred|actual|true|truth|reference|gold|target|observed|expected)[\s_:.-]+(?=\S)/i;

  /**
   * The names of the classes, and the places of the columns in the order of the lines. `inRows` is
   * true if the names say that predictions are in rows.
   */
  function namesOf(head, side, r) {
    const [across, down] = [head, side].map((names) => names?.slice(0, r) ?? null);
    const strip = (names) => names.map((name) => name.replace(AXIS, ""));
    const says = (names, axis) => names !== null && names.some((name) => AXIS.test(name)) && names.every((name) => !AXIS.test(name) || axis.test(name));
    const places = (columns, rows) => rows.map((name) => columns.indexOf(name));
    const own = { names: down ?? across, order: null, inRows: false, notes: [] };
    if (across && down && !places(across, down).includes(-1)) return { ...own, order: places(across, down) };
    const inRows = says(across, TRUTH) || says(down, PREDICTED);
    const axes = inRows || says(across, PREDICTED) || says(down, TRUTH);
    if (!across || !down) return axes && strip(own.names).length === r ? { ...own, names: strip(own.names), inRows } : own;
    const order = places(strip(across), strip(down));
    if (axes && !order.includes(-1)) return { names: strip(down), order, inRows, notes: [] };
    return { ...own, inRows, notes: [`The lines are called ${down.join(", ")} and the columns ${across.join(", ")}: they are taken in this order.`] };
  }

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
    const square = (drop.row ? numbers.slice(0, -1) : numbers).map((row) => (drop.column ? row.slice(0, -1) : row));
    if (square.length < 2 || square[0].length !== square.length) return null;
    const { names, order, inRows, notes } = namesOf(head, side, square.length);
    const matrix = order ? square.map((row) => order.map((k) => row[k])) : square;
    const corner = top && top.length > size ? top[0] : "";
    return { matrix, names, drop, corner, inRows, notes, guessed: withSide && !withHead && counted(side) };
  }

  const layouts = (table) => layout(table, false, false) || layout(table, true, true)
    || layout(table, false, true) || layout(table, true, false);

  /** The rows with names of several words put together, if their last cells are as many counts. */
  function withLongNames(table) {
    const rows = table.filter(({ cells }) => cells.length > 2 && count(cells.at(-1)) !== null && count(cells.at(-2)) !== null);
    for (const width of [rows.length, rows.length - 1, rows.length + 1]) {
      const joined = rows.map(({ line, cells }) => ({ line, cells: [cells.slice(0, -width).join(" "), ...cells.slice(-width)] }));
      const found = width > 1 && rows.every(({ cells }) => cells.length > width) && layout(joined, false, true);
      if (found) return { ...found, guessed: false };
    }
    return null;
  }

  /** Throws the fault of a table that has no layout. */
  function complain(table) {
    const cells = table.flatMap((row) => row.cells);
    const numbers = cells.filter((cell) => /\d/.test(cell));
    if (table.every((row) => row.cells.length === 1) && table.length > 4) refuse(NOTHING);
    if (numbers.length < cells.length / 4) refuse(NOTHING);
    if (numbers.filter((cell) => cell.includes("%")).length > 1
      || (numbers.length > 3 && numbers.every((cell) => /^(0?\.\d+|[01](\.0*)?)$/.test(cell)) && numbers.some((cell) => /\.\d*[1-9]/.test(cell)))) {
      refuse(PERCENTAGES);
    }
    const withHead = table.length > 1 && (table[0].cells[0] === "" || table[0].cells.every((cell) => count(cell) === null));
    const body = withHead ? table.slice(1) : table;
    const text = ({ cells: [first] }) => count(first) === null;
    const withSide = body.filter(text).length > body.length / 2 && body.every((row) => row.cells.length > 1);
    const rows = body.map((row) => ({ line: row.line, cells: withSide ? row.cells.slice(1) : row.cells }));
    const size = Math.max(...rows.map((row) => row.cells.length));
    for (const row of rows) {
      const wrong = row.cells.find((cell) => count(cell) === null);
      if (wrong !== undefined) refuse(`“${wrong}” in line ${row.line} is not a number of items.`);
    }
    for (const row of rows) {
      if (row.cells.length !== size) refuse(`Line ${row.line} has ${some(row.cells.length, "number", "numbers")}, the longest line has ${size}.`);
    }
    if (rows.length < 2 && size < 3) refuse("This is too little: give TP, FP and FN, a matrix, or predictions.");
    refuse(`The matrix has ${some(rows.length, "line", "lines")} of ${some(size, "number", "numbers")}; it needs as many lines as columns, one for each class.`);
  }

  /** Lines of names only: {table without them, the name of the rows, that of the columns}. */
  function axes(table) {
    const full = ({ cells }) => cells.filter((cell) => cell !== "");
    const noNumber = (row) => full(row).length > 0 && full(row).every((cell) => count(cell) === null);
    const titled = (row) => noNumber(row) && TITLE.test(full(row).join(" "));
    const axis = (row, k) => k < 3 && noNumber(row) && table.length > 2 && (full(row).length === 1
      || (full(row).length < 4 && table.length > full(row).length + 1 && [PREDICTED, TRUTH].some((name) => name.test(full(row).join(" ")))
        && !table.some((other) => other !== row && noNumber(other) && other.cells.length === row.cells.length)
        && table.filter((other) => other !== row)[0].cells.length !== full(row).length));
    const rest = table.filter((row) => !titled(row));
    const alone = rest.find(axis);
    const kept = rest.filter((row, k) => !axis(row, k));
    if (!alone || !kept.length) return { kept: kept.length ? kept : rest, rows: "", columns: "" };
    // The name of the columns stands above that of the rows, or in its line.
    const corner = kept[0].cells[0];
    const word = full(alone).join(" ");
    const known = PREDICTED.test(corner) || TRUTH.test(corner);
    if (alone.line > kept[0].line) return { kept, rows: word, columns: known ? corner : "" };
    return { kept, rows: known ? corner : "", columns: word };
  }

  /** True if the names say that predictions are in rows. */
  function predictionsInRows(rows, columns, corner) {
    let [down, across] = [rows, columns];
    if (!down && !across) {
      const words = corner.split(/\s*[\\/|→↓×]\s*|\s+vs\.?\s+/).filter(Boolean);
      [down, across] = [words[0] ?? "", words[1] ?? ""];
    }
    return (PREDICTED.test(down) && !PREDICTED.test(across)) || (TRUTH.test(across) && !TRUTH.test(down));
  }

  /** 12.812 as thousands, if all numbers may be that; null if they may be percentages. */
  function withoutDots(table) {
    const numbers = table.flatMap(({ cells }) => cells).filter((cell) => /^\d[\d.]*$/.test(cell));
    const dotted = numbers.filter((cell) => cell.includes("."));
    if (!dotted.length || !numbers.every((cell) => /^(\d{1,3}|[1-9]\d{0,2}(\.\d{3})+)$/.test(cell))) return { table, notes: [] };
    const plain = table.map(({ line, cells }) => ({ line, cells: cells.map((cell) => (/^\d[\d.]*$/.test(cell) ? cell.replaceAll(".", "") : cell)) }));
    const sums = plain.map(({ cells }) => cells.reduce((total, cell) => total + (count(cell) ?? 0), 0)).filter((sum) => sum > 0);
    if (sums.every((sum) => Math.abs(sum - 1e5) < 3)) refuse(PERCENTAGES);
    return { table: plain, notes: [`“${dotted[0]}” is read as ${dotted[0].replaceAll(".", "")}.`] };
  }

  function matrixOf(rows) {
    const separator = separatorOf(rows);
    const cut = rows.map(({ line, text }) => ({ line, cells: cellsOf(text, separator) }))
      .filter(({ cells }) => !cells.every((cell) => /^:?-+:?$/.test(cell) || cell === ""));
    const { table, notes } = withoutDots(cut);
    const { kept, rows: down, columns } = axes(table);
    if (kept.length === 0) refuse(NOTHING);
    const counts = kept[0].cells.filter((cell) => /^(tp|fp|fn|tn|(true|false)[ _](positives?|negatives?))$/i.test(cell));
    if (counts.length > 1) refuse("These are counts of several classes. Give one class at a time, such as TP=77 FP=44 FN=10.");
    const found = layouts(kept) || layouts(table) || (separator === " " && withLongNames(kept)) || complain(kept);
    const large = kept.flatMap(({ cells }) => cells).find((cell) => count(cell) > LARGEST);
    if (large) refuse(`“${large}” is more than ${LARGEST} items.`);
    const inRows = found.inRows || predictionsInRows(down, columns, found.corner);
    return { ...found, notes: [...notes, ...found.notes], inRows };
  }

  function fromMatrix(text) {
    const rows = rowsOf(stripped(weka(text)));
    if (rows.length === 0) return null;
    let found;
    try {
      found = matrixOf(rows);
    } catch (sentence) {
      if (typeof sentence !== "string") throw sentence;
      // Parts between empty lines: one of them may be the matrix.
      const parts = [];
      rows.forEach((row, k) => (k && row.line === rows[k - 1].line + 1 ? parts.at(-1).push(row) : parts.push([row])));
      const matrices = parts.flatMap((part) => {
        try {
          return [{ ...matrixOf(part), part }];
        } catch {
          return [];
        }
      });
      if (matrices.length !== 1) throw sentence;
      [found] = matrices;
      found.notes.push(`Only the lines ${found.part[0].line} to ${found.part.at(-1).line} are read.`);
    }
    const { matrix, names, drop, guessed, inRows } = found;
    const notes = [...found.notes, ...(guessed ? ["The first column is read as names."] : [])];
    if (drop.row || drop.column) {
      const what = drop.row && drop.column ? "The last row and the last column, totals, were"
        : `The last ${drop.row ? "row" : "column"}, a total, was`;
      notes.push(`${what} left out${drop.wrong ? ", though not all are sums" : ""}.`);
    }
    const turned = matrix.map((_, i) => matrix.map((row) => row[i]));
    const labels = matrix.map((_, k) => names?.[k] || String(k));
    const reading = (cells, place) => ({
      kind: "matrix", matrix: cells, labels, named: Boolean(names), notes,
      said: `a confusion matrix of ${matrix.length} classes, ${place} in rows${cells === turned ? " (turned)" : ""}`,
    });
    const readings = [reading(matrix, "true classes"), reading(turned, "predictions")];
    return { readings: inRows ? readings.reverse() : readings, question: null };
  }

  // --- Predictions -------------------------------------------------------------------------------

  const tableReading = (table, how = "") => ({
    readings: [{ kind: "predictions", table, how, notes: [], said: `a table of predictions with ${some(table.lines.length, "line", "lines")}${how && `, ${how}`}` }],
    question: null,
  });

  function fromTable(text) {
    const table = tables.parse(text);
    return table.head.length < 2 ? refuse(NOTHING) : tableReading(table);
  }

  /** True if the columns of a table can be chosen by their names. */
  function saysPredictions(text) {
    try {
      const { question } = tables.choose(tables.parse(text));
      return question === null || question.startsWith("Which class");
    } catch {
      return false;
    }
  }

  /** A matrix, or predictions if the text cannot be a matrix. */
  function fromCells(text) {
    const lines = text.trim().split("\n");
    const header = /\p{L}/u.test(lines[0]) && lines.length > 1;
    if (/^\s*(\{|\[\s*\{)/.test(text) || (header && (tables.namesRoles(lines[0]) || saysPredictions(text)))) return fromTable(text);
    if (!/\d/.test(text) && lines.length < 3) refuse(NOTHING);
    try {
      return fromMatrix(text) ?? refuse(NOTHING);
    } catch (sentence) {
      if (typeof sentence !== "string" || sentence === PERCENTAGES) throw sentence;
      // A matrix has about as many lines as columns; and names without a number stand above predictions.
      const cut = /[\t;,|]/.test(lines[0]);
      const long = lines.length > lines[0].trim().split(/[\t;,|]|\s+/).length + 2;
      if (!(cut || long) || (!long && !(header && !/\d/.test(lines[0])))) throw sentence;
      try {
        return fromTable(text);
      } catch (other) {
        throw header && cut ? other : sentence;
      }
    }
  }

  // Texts of more lines, or of more letters, are predictions.
  const LONG = 400;
  const LARGE = 200000;

  function read(text) {
    const tidy = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").replace(/^(```.*|>.*)$/gm, "")
      .replace(/(\d)[\u202f\u2009\u2007](?=\d{3}(?!\d))/g, "$1")
      .replace(text.includes("\t") ? /(\d)\u00a0(?=\d{3}(?!\d))/g : /(?!)/g, "$1")
      .replace(/[\u00a0\u202f\u2009\u2007]/g, " ").replace(/\u2212/g, "-");
    if (tidy.trim() === "") refuse("Type or paste what you have.");
    if (tidy.length > LARGE || tidy.split("\n", LONG + 1).length > LONG) return fromTable(tidy);
    for (const attempt of [fromJson, fromNames, fromReport, fromNumbers, fromLists]) {
      const found = attempt(tidy);
      if (found) return found;
    }
    return fromCells(tidy);
  }

  /** The reading of one file or two, [{name, text}]. */
  function readFiles(files) {
    if (files.length > 2) refuse("Give one file or two.");
    if (files.length === 1) return read(files[0].text);
    const { table, how } = tables.joined(files);
    return tableReading(table, how);
  }

  return { read, readFiles };
})();

if (typeof module !== "undefined") module.exports = reader;
