"""The explorer: exact coverage, its infimum, and test sets that are drawn, in Chromium."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scripts
from scipy import stats

import f1ci

pytestmark = pytest.mark.slow

STATIC = scripts.STATIC
(METHODS,) = scripts.evaluate("() => Object.keys(explorer.METHODS)", [0])


@pytest.fixture
def tab(browser):
    """The explorer on an otherwise empty page."""
    tab = browser.new_page()
    tab.errors = []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    html = (STATIC / "explorer.html").read_text()
    tab.set_content(html.split("<script")[0])
    for name in ("f1ci", "explorer"):
        tab.add_script_tag(path=STATIC / f"{name}.js")
    yield tab
    assert tab.errors == []
    tab.close()


def coverage_by_scipy(v, method, f1):
    """The coverage at true scores of shape (n,), as a sum of binomial probabilities."""
    x = np.arange(v + 1)
    interval = f1ci.f1_interval(x, v - x, 0 * x, method=method)
    share = f1 / (2 - f1)
    holds = (interval.low <= f1[:, None]) & (f1[:, None] <= interval.high)
    return (stats.binom.pmf(x, v, share[:, None]) * holds).sum(axis=1)


@pytest.mark.filterwarnings("ignore::f1ci.DegenerateVarianceWarning")  # of Wald
@pytest.mark.parametrize("v", [1, 7, 50, 200])
@pytest.mark.parametrize("method", METHODS)
def test_it_has_the_exact_coverage_and_its_infimum(tab, method, v):
    found = tab.evaluate("([m, v]) => explorer.study(m, v, 0.95)", [method, v])
    inside = np.array([piece[len(piece) // 2] for piece in found["pieces"]])
    exact = coverage_by_scipy(v, method, inside[:, 0])
    np.testing.assert_allclose(inside[:, 1], exact, rtol=0, atol=1e-8)
    # The infimum lies next to a limit, on one side of it.
    ends = np.unique([end for piece in found["pieces"] for end, _ in piece[:: len(piece) - 1]])
    beside = np.clip(np.concatenate([ends - 1e-11, ends + 1e-11]), 1e-15, 1 - 1e-15)
    least = coverage_by_scipy(v, method, beside).min()
    assert found["least"] == pytest.approx(least, abs=1e-7)


def test_drawn_test_sets_are_binomial(tab):
    """Forty test sets of v = 50 items with F1 = .74: TP has the binomial mean and variance."""
    call = """() => {
      let state = 1;  // Park and Miller's generator
      const random = () => { state = (state * 48271) % 2147483647; return state / 2147483647; };
      return Array.from({ length: 20000 }, () => explorer.draw(50, 0.74, random));
    }"""
    right = np.array(tab.evaluate(call))
    law = stats.binom(50, 0.74 / 1.26)
    assert abs(right.mean() - law.mean()) < 4 * law.std() / np.sqrt(len(right))
    assert right.var() == pytest.approx(law.var(), rel=0.05)


def test_forty_intervals_drop(tab):
    said, bars = tab.locator(".explorer-drawn"), tab.locator(".explorer-sets g")
    assert bars.count() == 40  # it begins with forty test sets
    tab.get_by_role("button", name="Start again").click()
    assert bars.count() == 0
    tab.get_by_role("button", name="Draw a test set").click()
    assert bars.count() == 1
    for _ in range(3):
        tab.get_by_role("button", name="Draw forty").click()
    assert bars.count() == 40  # the last forty stay in sight
    held, drawn = said.inner_text().split(" intervals")[0].split(" of ")
    assert drawn == "121"
    assert 90 <= int(held) <= 121
    exact = coverage_by_scipy(50, "wilson_indirect", np.array([0.74]))[0]
    assert f"In the long run {100 * exact:.1f}\u00a0% of the intervals do." in said.inner_text()


def test_the_intervals_that_miss_are_red(tab):
    def heights(path):  # of the ends of a line, "M3 120V90"; upwards on the page is less
        return [float(number) for number in re.split("[VH]", path.split()[1])]

    truth = heights(tab.locator(".explorer-sets .truth").get_attribute("d"))[0]
    for bar in tab.locator(".explorer-sets g").all():
        low, high = heights(bar.locator("path").get_attribute("d"))
        assert (high <= truth <= low) is (bar.get_attribute("class") != "missed")


@pytest.mark.parametrize(("v", "f1"), [(50, 0.74), (131, 0.74), (300, 0.9), (20, 0.5)])
def test_the_first_forty_are_typical(tab, v, f1):
    """Their true positives are scipy's quantiles, and as many miss as are to be expected.

    Each side of the distribution is rounded to whole test sets, so both together are off by at
    most one.
    """
    right = np.array(tab.evaluate("([v, f1]) => explorer.typical(v, f1)", [v, f1]))
    order = np.array([pow(6, k + 5, 41) for k in range(40)])  # that of the still on the front page
    np.testing.assert_array_equal(np.sort(order), np.arange(1, 41))
    quantiles = stats.binom(v, f1 / (2 - f1)).ppf((order - 0.5) / 40)
    np.testing.assert_array_equal(right, quantiles)
    found = f1ci.f1_interval(right, v - right, 0)
    missed = ((found.low > f1) | (found.high < f1)).sum()
    expected = 40 * (1 - coverage_by_scipy(v, "wilson_indirect", np.array([f1]))[0])
    assert abs(missed - expected) <= 1
    assert missed == 2 or v == 20  # the front page says so


def test_it_says_what_it_draws(tab):
    says, curve = tab.locator(".explorer-says"), tab.locator("polyline")
    # The table of "Choosing a method" has .838 at v = 50.
    assert "83.8\u00a0% at worst, near 0.0071" in says.inner_text()
    before = curve.get_attribute("points")
    lowest = max(float(pair.split(",")[1]) for pair in before.split())
    dot = float(tab.locator(".least").get_attribute("cy"))
    assert lowest == pytest.approx(dot, abs=0.06)
    tab.get_by_label("Relevant items v").fill("10")
    tab.get_by_label("Wald").check()
    assert says.inner_text().startswith("Wald, v = 10:")
    assert curve.get_attribute("points") != before
