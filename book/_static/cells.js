// From text to cells and numbers, for reader.js and tables.js. No page is needed.
//
// A text that cannot be read is refused: the sentence that says why is thrown.
const cells = (() => {
  "use strict";

  const LARGEST = 1e12;

  const refuse = (sentence) => {
    throw sentence;
  };
  const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const some = (n, one, many = `${one}s`) => `${thousands(n)} ${n === 1 ? one : many}`;

  /** What an action returns, or null if it refuses. */
  function unlessRefused(action) {
    try {
      return action();
    } catch (sentence) {
      if (typeof sentence !== "string") throw sentence;
      return null;
    }
  }

  /** The text with one kind of line end, blank and minus, and without signs of quoting. */
  function tidy(text) {
    const hardBlanks = text.includes("\t") ? /(\d)[\u00a0\u202f\u2009\u2007](?=\d{3}(?!\d))/g
      : /(\d)[\u202f\u2009\u2007](?=\d{3}(?!\d))/g;
    return text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").replace(/^(```.*|>.*)$/gm, "")
      .replace(hardBlanks, "$1").replace(/[\u00a0\u202f\u2009\u2007]/g, " ").replace(/\u2212/g, "-");
  }

  // --- Numbers -----------------------------------------------------------------------------------

  /** A count as it may be written, 50.0 or 1,234 or 1'234; null if it is none. */
  function count(cell) {
    const digits = /^\d{1,3}([,']\d{3})+(\.0*)?$/.test(cell) ? cell.replace(/[,']/g, "") : cell;
    if (!/^\d+(\.\d*)?(e[+-]?\d+)?$/i.test(digits)) return null;
    const value = Number(digits);
    return Number.isInteger(value) ? value : null;
  }

  function countOr(text, what) {
    if (!text) refuse(`Give the number of ${what}.`);
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

  // --- Cells -------------------------------------------------------------------------------------

  /** The mark between the cells: in most of the first lines, and in half of them; otherwise a blank. */
  function separatorOf(text) {
    const lines = text.replace(/"[^"\n]*"/g, "").split("\n", 100).filter((line) => line.trim());
    const having = (mark) => lines.filter((line) => line.includes(mark)).length;
    const marks = ["\t", "|", "&", ";", ","];
    const most = Math.max(...marks.map(having));
    if (2 * most < lines.length) return " ";
    const separator = marks.find((mark) => having(mark) === most);
    // A comma may stand for thousands.
    const words = lines.map((line) => line.trim().split(/\s+/));
    const thousandsOnly = words.flat().every((word) => !word.includes(",") || count(word) !== null);
    return separator === "," && thousandsOnly && words.every((row) => row.length > 1) ? " " : separator;
  }

  /** The lines of a text as {line, cells}. Quotes keep a separator or a line end in its cell (RFC 4180). */
  function cut(text, separator) {
    if (separator === " " || !text.includes('"')) {
      const cellsOf = (words) => (separator === " "
        ? words.match(/"[^"]*"|\S+/g).map((cell) => cell.replace(/^"|"$/g, ""))
        : words.split(separator).map((cell) => cell.trim()));
      return text.split("\n").map((words, k) => ({ line: k + 1, words })).filter(({ words }) => words.trim())
        .map(({ line, words }) => ({ line, cells: cellsOf(words) }));
    }
    const mark = separator === "|" ? "\\|" : separator;
    const cell = new RegExp(`[ ]*"([^"]*(?:""[^"]*)*)"[ ]*(?=${mark}|\\n|$)|([^\\n${mark}]*)`, "y");
    const rows = [];
    let line = 1;
    let row = { line, cells: [] };
    for (let place = 0; place <= text.length; place += 1) {
      cell.lastIndex = place;
      const [whole, inside, bare] = cell.exec(text);
      if (bare?.trim().startsWith('"')) refuse(`Line ${line} opens a quote that nothing closes.`);
      row.cells.push(inside === undefined ? bare.trim() : inside.replaceAll('""', '"').trim());
      line += whole.split("\n").length - 1;
      place += whole.length;
      if (place >= text.length || text[place] === "\n") {
        if (row.cells.length > 1 || row.cells[0]) rows.push(row);
        line += 1;
        row = { line, cells: [] };
      }
    }
    return rows;
  }

  /** What a text of JSON, or of lines of JSON, holds; null if it is neither. */
  function json(text) {
    if (!/^\s*(\{|\[\s*\{)/.test(text)) return null;
    try {
      return JSON.parse(text);
    } catch {
      if (!/^\s*(\{"|\[\s*\{)/.test(text)) return null;
    }
    return text.split("\n").filter((line) => line.trim()).map((line, k) => {
      try {
        return JSON.parse(line);
      } catch {
        return refuse(`Object ${k + 1} is not JSON.`);
      }
    });
  }

  return { LARGEST, refuse, some, unlessRefused, tidy, count, countOr, band, separatorOf, cut, json };
})();

if (typeof module !== "undefined") module.exports = cells;
