// The ledger: filter by words, paper and verdict, keep the filters in the address,
// sort by a click on a heading, show the row that a link names.
document.addEventListener("DOMContentLoaded", () => {
  const all = document.querySelector(".ledger-all");
  if (!all) return;
  const form = all.querySelector("form.ledger-filter");
  const output = form.querySelector("output");
  const tables = [...all.querySelectorAll("table.sortable")];
  const parts = [...all.querySelectorAll("details.item")];
  form.hidden = false;
  // The headings stay in sight below the filters, however many lines these take.
  new ResizeObserver(() => {
    all.style.setProperty("--filter-height", `${form.offsetHeight}px`);
  }).observe(form);

  // "Table 3" and "table-3" are one word, and neither is found in "table-31" or "table-3b".
  const joined = (text) => text.toLowerCase().replace(/\b([a-z]+)[\s-]+(\d[\d.]*\w*)/g, "$1-$2");
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const texts = new Map(rows.map((row) => [row, joined(row.textContent)]));
  const finder = (word) =>
    new RegExp(word.replace(/[^\w\s-]/g, "\\$&") + (/[a-z]-\d+$/.test(word) ? "(?!\\w)" : ""));

  const filter = () => {
    const words = joined(form.elements.words.value).split(/\s+/).filter(Boolean).map(finder);
    const { paper, verdict } = Object.fromEntries(new FormData(form));
    let shown = 0;
    for (const row of rows) {
      row.hidden =
        (paper && row.dataset.paper !== paper) ||
        (verdict && row.dataset.verdict !== verdict) ||
        !words.every((word) => word.test(texts.get(row)));
      shown += !row.hidden;
    }
    const filtered = Boolean(words.length || paper || verdict);
    for (const part of parts) {
      const found = part.querySelectorAll("tbody tr:not([hidden])").length;
      part.hidden = !found;
      part.open = filtered && found > 0;
    }
    output.textContent = `${shown} ${shown === 1 ? "row" : "rows"}`;
  };

  const readAddress = () => {
    const query = new URLSearchParams(location.search);
    for (const field of ["words", "paper", "verdict"]) {
      form.elements[field].value = query.get(field) ?? "";
    }
    filter();
  };
  const writeAddress = (hash) => {
    const chosen = [...new FormData(form)].filter(([, value]) => value);
    const query = String(new URLSearchParams(chosen));
    history.replaceState(null, "", `${location.pathname}${query && "?"}${query}${hash}`);
  };
  form.addEventListener("input", () => {
    filter();
    writeAddress("");
  });
  form.addEventListener("submit", (event) => event.preventDefault());

  // A link to a row shows it: a filter that hides it goes. (`screen.js` unfolds its part.)
  const reveal = () => {
    const target = document.getElementById(placeInAddress());
    if (target?.closest("[hidden]") && all.contains(target)) {
      form.reset();
      filter();
      writeAddress(location.hash);
    }
    if (target?.matches("tr")) {
      if (target.closest("details")) target.closest("details").open = true;
      target.scrollIntoView({ block: "center" });
    }
  };
  readAddress();
  reveal();
  addEventListener("hashchange", reveal);

  const fold = form.querySelector("button");
  const folded = () => !parts.some((part) => part.open && !part.hidden);
  const name = () => (fold.textContent = folded() ? "Unfold all" : "Fold all");
  fold.addEventListener("click", () => {
    const open = folded();
    for (const part of parts) part.open = open;
  });
  all.addEventListener("toggle", name, true);
  name();

  const key = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = Number.parseFloat(text.replaceAll(",", ""));
    return row.cells[column].classList.contains("number") && !Number.isNaN(number) ? number : text;
  };
  const order = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  const sort = (column, descending) => {
    for (const table of tables) {
      [...table.tHead.rows[0].cells].forEach((heading, i) => {
        const direction = descending ? "descending" : "ascending";
        heading.setAttribute("aria-sort", i === column ? direction : "none");
      });
      const sorted = [...table.tBodies[0].rows].sort(
        (one, two) => (descending ? -1 : 1) * order(key(one, column), key(two, column)),
      );
      table.tBodies[0].append(...sorted);
    }
  };
  for (const table of tables) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => {
        sort(column, heading.getAttribute("aria-sort") === "ascending");
      });
    });
  }
});
