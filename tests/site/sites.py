"""What tests look at in a built site: its files, its pages in a browser, its printed pages."""

import functools
import http.server
import re
import threading
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import nbformat

ROLE_LEFT = re.compile(r"\{[\w:]+\}`|^\([\w-]+\)=$|\$\$ *\([\w-]+\)", re.M)


def texts_of(folder):
    """What a reader sees of the texts of a folder's notebooks."""
    for path in sorted(folder.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                yield cell.source
            for output in cell.get("outputs", []):
                yield from filter(None, [output.get("data", {}).get("text/markdown")])


class Page(HTMLParser):
    """What a page has of places, links, classes and images without a text."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.ids, self.links, self.classes, self.silent = [], set(), set(), []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.append(given["id"])
        self.classes.add(given.get("class") or "")
        self.links |= {given[name] for name in ("href", "src") if name in given}
        if tag == "img" and not given.get("alt"):
            self.silent.append(given.get("src"))


def read_pages(html):
    """Every page of a site, by its file."""
    files = [p.resolve() for p in sorted(html.rglob("*.html")) if "_static" not in p.parts]
    return {path: Page(path) for path in files}


def faults(pages):
    """List what is wrong with finished pages: links that lead nowhere, images without a text."""
    for path, page in pages.items():
        where = "/".join(path.parts[-2:])
        for source in page.silent:
            yield f"{where}: an image has no alternative text ({source})"
        for link in sorted(page.links):
            if wrong := fault_of(link, page, pages):
                yield f"{where}: the link {link} {wrong}"


def fault_of(link, page, pages):
    """What is wrong with a link, or nothing."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = page.path
    if parts.path:
        target = (page.path.parent / unquote(parts.path)).resolve()
    if not target.exists():
        return "leads nowhere"
    if target.parent.name == "notebooks" and "/" in parts.fragment:
        return ""  # a number, whose place the page's script looks for
    place = unquote(parts.fragment)
    if target in pages and place not in ("", "top", *pages[target].ids):
        return "names no place on its page"
    return ""


def serve(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


# What a page does at the width of its window. Whatever reaches beyond the window's edge must be in
# a box that scrolls, shows so by a fading edge, and takes the keyboard's focus.
MEASURE = """() => {
  const edge = innerWidth, found = [];
  const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX)
    && e.scrollWidth > e.clientWidth + 1;
  const name = (e) => `${e.tagName}.${e.className} ${e.textContent.trim().slice(0, 40)}`;
  if (document.documentElement.scrollWidth > edge) found.push("the page scrolls sideways");
  for (const e of document.querySelectorAll(".bd-article table, .bd-sidebar-primary summary"))
    if (!(e.ariaLabel || e.caption)) found.push(`without a name: ${name(e)}`);
  for (const e of document.querySelectorAll(".bd-article *:not(mjx-container *)")) {
    const box = e.getBoundingClientRect();
    if (!box.width || !box.height || e.closest(".for-readers")) continue;
    let parent = e.parentElement;
    while (parent && !scrolls(parent)) parent = parent.parentElement;
    if (box.right > edge + 1 && !parent?.matches(".bd-article *"))
      found.push(`cut: ${name(e)}`);
    if (scrolls(e) && getComputedStyle(e).maskImage === "none" && !e.matches("textarea"))
      found.push(`no cue: ${name(e)}`);
    if (scrolls(e) && e.tabIndex < 0) found.push(`out of the keyboard's reach: ${name(e)}`);
    if (e.tagName === "IMG" && e.closest("figure") && e.naturalWidth > 400
        && box.width < 0.75 * Math.min(e.naturalWidth, 461)) found.push(`small: ${e.src}`);
  }
  return found;
}"""


# The texts whose contrast with their ground is below that of WCAG AA (1.4.3). Letters inside
# pictures and formulas are not looked at.
CONTRAST = """() => {
  const parts = (colour) => {
    const numbers = colour.match(/[\\d.]+/g).map(Number);
    const scale = colour.startsWith("color(") ? 255 : 1;
    return [...numbers.slice(0, 3).map((x) => x * scale), numbers[3] ?? 1];
  };
  const linear = (x) => (x <= 10 ? x / 3294.6 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = { opacityProperty: true, visibilityProperty: true };
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !e.checkVisibility(seen)) continue;
    if (e.closest("svg, mjx-container, script, style, noscript, .for-readers")) continue;
    const box = e.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    let ground = e;
    const colour = () => parts(getComputedStyle(ground).backgroundColor);
    while (ground && colour()[3] < 1) ground = ground.parentElement;
    const behind = ground ? colour() : [255, 255, 255, 1];
    const style = getComputedStyle(e), ink = parts(style.color);
    const mixed = ink.slice(0, 3).map((x, k) => x * ink[3] + behind[k] * (1 - ink[3]));
    const [dark, bright] = [light(mixed), light(behind)].sort((a, b) => a - b);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.add(`${e.tagName}.${e.className} ${ratio.toFixed(2)}`);
  }
  return [...found];
}"""

# What a finger cannot hit (WCAG 2.5.8): controls of less than 24 px. (Links in a sentence may be.)
TARGETS = """() => {
  const found = new Set();
  const controls = "button, summary, select, input:not([type=file]), .bd-article nav a";
  for (const e of document.querySelectorAll(controls)) {
    const place = e.closest("label") ?? e;
    const box = place.getBoundingClientRect();
    if (!e.checkVisibility({ opacityProperty: true }) || !box.width || !box.height) continue;
    if (box.height < 23.5 || box.width < 23.5)
      found.add(`${e.tagName}.${e.className} ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`);
  }
  return [...found];
}"""

# How far the page has jumped since it was opened (cumulative layout shift).
SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 100);
})"""


def measured(tab, width):
    """Return what does not fit a window of this width, once the page has come to rest."""
    tab.set_viewport_size({"width": width, "height": 844})
    tab.evaluate("() => window.MathJax?.startup?.promise")
    # The page's scripts answer a new width in the frame after that of its layout.
    tab.evaluate(
        """async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); }"""
    )
    for _ in range(20):  # a busy machine may take longer
        if not (found := tab.evaluate(MEASURE)):
            break
        tab.wait_for_timeout(100)
    return found
