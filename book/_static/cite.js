// Beside each row of the ledger, erratum and figure: a citation to copy, as text or as BibTeX. It
// says what is cited, of which version, and its address, which does not change.
document.addEventListener("DOMContentLoaded", () => {
  const meta = (name) =>
    document.querySelector(`meta[name="${name}"], meta[property="${name}"]`)?.content;
  const page = meta("og:url");
  if (!page || !navigator.clipboard) return;
  const version = `f1ci, version ${DOCUMENTATION_OPTIONS.VERSION}`;

  const noteOf = ({ says, hash }) => [says, hash && `results hash ${hash}`].filter(Boolean)
    .join("; ");
  const asText = ({ id, name, ...more }) =>
    `${version}, ${name}${noteOf(more) && `: ${noteOf(more)}`}. ${page}#${id}`;
  const escaped = (text) => text.replace(/[&%$#_]/g, "\\$&");
  const asBibtex = ({ id, name, says, hash, title = name }) =>
    [
      `@misc{f1ci-${id.replace(/[^\w.]+/g, "-")},`,
      `  author       = {{${meta("citation_author")}}},`,
      `  title        = {${escaped(title[0].toUpperCase() + title.slice(1))}},`,
      `  howpublished = {${version}},`,
      `  year         = {${meta("citation_publication_date")}},`,
      ...(says || hash ? [`  note         = {${escaped(noteOf({ says, hash }))}},`] : []),
      `  url          = {${page}#${id}}`,
      "}\n",
    ].join("\n");

  /** Add the two buttons to a place; `cited` gives what they copy, when they are pressed. */
  const offer = (place, what, cited) => {
    const box = document.createElement("span");
    box.className = "copy-citation";
    const button = (name) => `<button type="button">${name}</button>`;
    box.innerHTML = `Cite: ${button("text")} ${button("BibTeX")}`;
    [asText, asBibtex].forEach((write, k) => {
      const button = box.querySelectorAll("button")[k];
      const name = button.textContent;
      button.ariaLabel = `Copy citation of ${what} as ${name}`;
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(write(cited()));
        button.textContent = "copied";
        setTimeout(() => (button.textContent = name), 2000);
      });
    });
    place.append(" ", box);
  };

  for (const row of document.querySelectorAll("table.ledger tr[data-hash]")) {
    offer(row.cells[0], row.id, () => {
      // (The value of another run stands below ours.)
      const [, printed, ours] = [...row.cells].map((cell) => cell.firstChild?.textContent.trim());
      const says = `printed ${printed}, reproduced ${ours || "nothing"} (${row.dataset.verdict})`;
      return { id: row.id, name: `ledger row ${row.id}`, says, hash: row.dataset.hash };
    });
  }
  for (const line of document.querySelectorAll(".cite-erratum")) {
    const { name, title } = line.dataset;
    offer(line, name, () => ({ id: name.toLowerCase(), name: title }));
  }
  const hash = document.querySelector(".results-hash")?.textContent;
  const CITED = '.bd-article :is(figure[id^="fig-"], table[id^="tab-"])';
  for (const shown of document.querySelectorAll(CITED)) {
    const caption = shown.caption ?? shown.querySelector("figcaption");
    const name = shown.id.slice(4);
    const what = `${shown.caption ? "table" : "figure"} ${name}`;
    // The first sentence of the caption says what is shown.
    const text = (caption.querySelector(".caption-text") ?? caption).textContent.trim()
      .replace(/\s+/g, " ");
    const title = `${text.match(/^.*?(?=\.(?: |$)|$)/)[0]} (${what} in: ${meta("og:title")})`;
    offer(caption, name, () => ({ id: shown.id, name: what, title, hash }));
  }
});
