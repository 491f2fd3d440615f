// What stands above the arrows in the list of pages, and above tables, is their name.
document.addEventListener("DOMContentLoaded", () => {
  for (const arrow of document.querySelectorAll("a + details > summary"))
    arrow.ariaLabel = `Pages of: ${arrow.parentElement.previousElementSibling.textContent.trim()}`;
  // The logo stands in a landmark of its own.
  const logo = document.querySelector(".sidebar-primary-item:has(> .navbar-brand)");
  if (logo) [logo.role, logo.ariaLabel] = ["navigation", "Home"];
  for (const source of document.querySelectorAll(".citation-list > [role]")) {
    source.role = "listitem";
  }
  let name = "";
  for (const part of document.querySelectorAll(".bd-article :is(h1, h2, h3, h4, table)")) {
    if (part.tagName !== "TABLE") name = part.textContent.replace(/#$/, "");
    else if (!part.caption) part.ariaLabel = name;
  }
});

// The place on its page that an address names, in whatever case: an id is written E-lam-3 in texts,
// and e-lam-3 in the page. A malformed address names none. (Also for ledger.js.)
function placeInAddress() {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
  if (name === "" || document.getElementById(name)) return name;
  const alike = (part) => part.id.toLowerCase() === name.toLowerCase();
  return [...document.querySelectorAll("[id]")].find(alike)?.id ?? name;
}

// What is wider than its place: it scrolls, shows by a fading edge that it does, and a keyboard
// can reach it. What fits is left alone and is no stop for the Tab key.
document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  // The ledger links to the place where a notebook first shows a number.
  const showNumber = () => {
    const id = placeInAddress();
    if (!id.includes("/") || document.getElementById(id)) return;
    const number = article.querySelector(`a.ledger-number[href$=${JSON.stringify(`#${id}`)}]`);
    for (const folded of article.querySelectorAll("details.long")) {
      folded.open ||= folded.contains(number);
    }
    number?.scrollIntoView();
  };
  addEventListener("hashchange", showNumber);
  addEventListener("load", showNumber);
  const BOXES = [
    ".wide",
    ".pst-scrollable-table-container",
    ".text_html",
    "div.math",
    ".calc-scroll",
    "pre",
    ".formula",
    "mjx-container[display]",
  ].join(", ");

  const edges = (box) => {
    const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("more-left", box.scrollLeft > 1);
    box.classList.toggle("more-right", rest > 1);
  };

  // A formula in a line of text gets a box of its own as soon as it is wider than its line.
  const boxFormulas = () => {
    for (const formula of article.querySelectorAll("mjx-container:not([display])")) {
      let block = formula.parentElement;
      while (getComputedStyle(block).display.startsWith("inline")) block = block.parentElement;
      const style = getComputedStyle(block);
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      const room = block.clientWidth - padding;
      const width = formula.firstElementChild?.getBoundingClientRect().width ?? 0;
      formula.classList.toggle("formula", room > 0 && width > room);
    }
  };

  const survey = () => {
    boxFormulas();
    // With what scrolled before and does not any more.
    for (const box of article.querySelectorAll(`${BOXES}, [data-scrolls]`)) {
      const style = getComputedStyle(box);
      const scrolls =
        /auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth + 1;
      if (scrolls) {
        box.tabIndex = 0;
        if (!box.hasAttribute("role")) {
          box.setAttribute("role", "group");
          const caption = box.querySelector("caption")?.textContent;
          box.setAttribute("aria-label", caption ?? "Scrolls sideways");
        }
        const move = () => edges(box);
        if (!box.dataset.scrolls) box.addEventListener("scroll", move, { passive: true });
        box.dataset.scrolls = "yes";
        edges(box);
      } else {
        if (box.dataset.scrolls || box.matches(".wide")) box.removeAttribute("tabindex");
        box.classList.remove("more-left", "more-right");
      }
    }
  };

  // A link into a folded part unfolds it.
  const reveal = () => {
    const target = document.getElementById(placeInAddress());
    // The browser goes there by itself, unless it lies folded or the address has another case.
    let folded = Boolean(target) && target.id !== decodeURIComponent(location.hash.slice(1));
    const around = (part) => part?.closest("details");
    for (let part = around(target); part; part = around(part.parentElement)) {
      folded ||= !part.open;
      part.open = true;
    }
    if (folded) target.scrollIntoView({ block: target.matches("details") ? "start" : "center" });
  };
  reveal();
  addEventListener("hashchange", reveal);

  let waiting = 0;
  const soon = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(survey);
  };
  survey();
  // The text has its new width later than the window.
  new ResizeObserver(soon).observe(article);
  addEventListener("load", () => {
    soon();
    window.MathJax?.startup?.promise.then(soon);
  });
  document.addEventListener("load", soon, true); // of images
  document.addEventListener("toggle", soon, true);
  document.addEventListener("click", () => setTimeout(soon), true);
});
