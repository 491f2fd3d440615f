"""What an address names is opened and shown, in whatever case it is written."""

import pytest
from compendium import ROOT

pytestmark = pytest.mark.slow

PAGE = """<!doctype html><title>Errata</title><article class="bd-article">
<div style="height: 3000px"></div><details><summary>Folded</summary><p id="e-lam-3">An error.</p>
</details><p id="R-yuan-1" style="margin-top: 3000px">A row.</p></article>
<script src="{}"></script>"""


@pytest.mark.parametrize("place", ["e-lam-3", "E-lam-3", "R-yuan-1", "r-yuan-1"])
def test_an_address_opens_its_place_in_any_case(browser, tmp_path, place):
    path = tmp_path / "page.html"
    path.write_text(PAGE.format((ROOT / "book" / "_static" / "screen.js").as_uri()))
    tab = browser.new_page()
    tab.goto(f"{path.as_uri()}#{place}")
    target = tab.locator(f"[id='{place}' i]")
    assert target.is_visible()
    box = target.bounding_box()
    assert 0 <= box["y"] < 720  # the height of the window
    tab.close()
