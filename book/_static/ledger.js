// The ledger's table: sort by a click on a heading, filter by text, paper and verdict.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.getElementById("ledger-rows");
  const form = document.querySelector("form.ledger-filter");
  if (!table || !form) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const output = form.querySelector("output");

  const filter = () => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const paper = form.elements.paper.value;
    const verdict = form.elements.verdict.value;
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden =
        (paper && row.dataset.paper !== paper) ||
        (verdict && row.dataset.verdict !== verdict) ||
        !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    output.textContent = `${shown} rows`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());

  const key = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = Number.parseFloat(text.replaceAll(",", ""));
    return row.cells[column].classList.contains("number") && !Number.isNaN(number) ? number : text;
  };
  const order = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const descending = heading.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const sign = descending ? -1 : 1;
      rows.sort((one, two) => sign * order(key(one, column), key(two, column)));
      body.append(...rows);
    });
  });

  // A link to a row shows it, whatever the filter.
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) target.scrollIntoView({ block: "center" });
});
