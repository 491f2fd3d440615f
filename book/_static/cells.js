// From text to lines of cells, and from cells to numbers. No page is needed.
//
// A text that cannot be read is refused: the sentence that says why is thrown.
const cells = (() => {
  "use strict";

  const LARGEST = 1e12;

  const refuse = (sentence) => {
    throw sentence;
  };
  const repeats = (list) => new Set(list).size < list.length;
  const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const some = (n, one, many = `${one}s`) => `${thousands(n)} ${n === 1 ? one : many}`;

  /** What an action returns; null if it refuses, and `tell` gets its sentence. */
  function unlessRefused(action, tell = () => {}) {
    try {
      return action();
    } catch (sentence) {
      if (typeof sentence !== "string") throw sentence;
      tell(sentence);
      return null;
    }
  }

  /** The text with one kind of line end, blank and minus, without control letters and quotes. */
  function tidy(text) {
    const hard = text.includes("\t") ? "\u00a0\u202f\u2009\u2007" : "\u202f\u2009\u2007";
    return text.replace(/\r\n?/g, "\n").replace(/[\ufeff\u0000-\u0008\u000b-\u001f\u007f]/g, "")
      .replace(/^(```.*|>.*)$/gm, "")
      .replace(new RegExp(`(\\d)[${hard}](?=\\d{3}(?!\\d))`, "g"), "$1")
      .replace(/[\u00a0\u202f\u2009\u2007]/g, " ").replace(/\u2212/g, "-");
  }

  // --- Numbers -----------------------------------------------------------------------------------

  /** A count as it may be written, 50.0 or 1,234 or 1'234; null if it is none. */
  function count(cell) {
    const digits = /^\d{1,3}([,']\d{3})+(\.0*)?$/.test(cell) ? cell.replace(/[,']/g, "") : cell;
    if (!/^\d+(\.\d*)?(e[+-]?\d+)?$/i.test(digits)) return null;
    const value = Number(digits);
    return Number.isInteger(value) ? value : null;
  }
  const isCount = (cell) => count(cell) !== null;
  const isNumber = (cell) => isCount(cell)
    || /^[-+]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*%?$/i.test(cell);

  /** The numbers in a text that are no parts of words. */
  const numbersIn = (text) => (text.match(/[\p{L}\p{N}.,%+'’_-]+/gu) ?? [])
    .flatMap((word) => (isNumber(word) ? [word] : word.split(",").filter(isNumber)));
  const hasNumber = (text) => numbersIn(text).length > 0;

  function countOr(text, what) {
    if (!text) refuse(`Give the number of ${what}.`);
    const value = count(text) ?? refuse(`“${text}” is not a number of items.`);
    return value <= LARGEST ? value : refuse(`“${text}” is more than ${LARGEST} items.`);
  }

  /** A printed share: the band [least, most] of values that are rounded to it. */
  function band(text) {
    const share = text.replace(/\s*%$/, "");
    const scale = share === text ? 1 : 100;
    if (/^\d*,\d+$/.test(share)) {
      refuse(`Write a decimal point, not a comma: “${share.replace(",", ".")}”.`);
    }
    if (!/^(\d+\.?\d*|\.\d+)$/.test(share)) refuse(`“${text}” is not a number.`);
    const value = Number(share) / scale;
    if (value > 1) refuse(`“${text}” is above 1; write “${text} %” if it is a percentage.`);
    const half = 0.5 * 10 ** -(share.split(".")[1] ?? "").length / scale;
    return [Math.max(0, value - half), Math.min(1, value + half)];
  }

  // --- Cells -------------------------------------------------------------------------------------

  /** The mark in most of the first lines, and in half of them at least; otherwise a blank. */
  function separatorOf(text) {
    const bare = text.replace(/"[^"\n]*"/g, "");
    const lines = bare.split("\n", 100).filter((line) => line.trim());
    const having = (mark) => lines.filter((line) => line.includes(mark)).length;
    const marks = ["\t", "|", "&", ";", ","];
    const most = Math.max(...marks.map(having));
    if (2 * most < lines.length) return " ";
    const separator = marks.find((mark) => having(mark) === most);
    // A comma may stand for thousands.
    const words = lines.map((line) => line.trim().split(/\s+/));
    const onlyInCounts = words.flat().every((word) => !word.includes(",") || isCount(word));
    const blanks = separator === "," && onlyInCounts && words.every((row) => row.length > 1);
    return blanks ? " " : separator;
  }

  /** The lines of a text as {line, cells}. Quotes keep what they hold in one cell (RFC 4180). */
  function cut(text, separator) {
    // 1. What is in quotes stands apart, and a mark in its place.
    const end = separator === " " ? "\\s" : `\\n${separator}`;
    const quotes = [];
    const quote = new RegExp(`(?<=^|[${end}] *)"((?:[^"]|"")*)"(?= *(?:[${end}]|$))`, "g");
    const bare = text.replace(quote, (_, inside) => {
      quotes.push(inside.replaceAll('""', '"').trim());
      return `\u0002${quotes.length - 1}`;
    });
    // 2. Lines are cut, and the quotes come back. Their line ends count as lines.
    let next = 1;
    return bare.split("\n").map((words) => {
      const line = next;
      next += 1;
      const row = words.trim() === "" ? [] : separator === " " ? words.trim().split(/\s+/)
        : words.split(separator).map((cell) => cell.trim());
      if (row.some((cell) => cell.startsWith('"'))) {
        refuse(`Line ${line} opens a quote that nothing closes.`);
      }
      const whole = (cell) => {
        if (cell[0] !== "\u0002") return cell;
        const inside = quotes[cell.slice(1)];
        next += inside.split("\n").length - 1;
        return inside;
      };
      return { line, cells: row.map(whole) };
    }).filter((row) => row.cells.some((cell) => cell !== ""));
  }

  // --- JSON --------------------------------------------------------------------------------------

  /** What a text of JSON holds; undefined if it is none. Whole numbers keep all their digits. */
  function parsed(text) {
    const long = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g;
    try {
      return JSON.parse(text.replace(long, (part) => (part[0] === '"' ? part : `"${part}"`)));
    } catch {
      return undefined;
    }
  }

  /** What a text of JSON, of Python's dictionaries or of lines of JSON holds; null for others. */
  function json(text) {
    if (!/^\s*(\{|\[\s*\{)/.test(text)) return null;
    const python = text.replace(/\bnp\.\w+\(([^()]*)\)/g, "$1").replace(/'/g, '"')
      .replace(/\bNone\b/g, "null").replace(/\bTrue\b/g, "true").replace(/\bFalse\b/g, "false");
    const whole = parsed(text) ?? parsed(python);
    if (whole !== undefined) return whole;
    if (!/^\s*(\{"|\[\s*\{)/.test(text)) return null;
    return text.split("\n").filter((line) => line.trim()).map((line, k) => {
      const one = parsed(line);
      return one && typeof one === "object" ? one : refuse(`Object ${k + 1} is not JSON.`);
    });
  }

  return {
    LARGEST, refuse, repeats, some, unlessRefused, tidy, count, isCount, isNumber, numbersIn,
    hasNumber, countOr, band, separatorOf, cut, json,
  };
})();
