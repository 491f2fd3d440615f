"""The register of errata, each entry shown by a computation of its own.

Most computations are plain numpy, scipy and standard library: evidence beside the book's. What
`yuan` prints is judged by functions of the notebooks that are tested item by item and against loops
over all tables. Numbers marked "printed" are the papers'. Elsewhere are the rules of N-yuan-4
(test_yuan_notebooks.py), the table of N-jiang-3 (test_data.py), and E-wangli-2 and E-wangli-6
(test_posteriors.py). Entries that only correct a word or cite (E-lam-4, N-lam-8, N-lam-9,
E-takahashi-5, N-takahashi-7, E-wangli-5, E-jiang-6, E-yuan-9) have nothing to compute, and
N-wangli-7 is read off the counts as they stand.
"""

from __future__ import annotations

import itertools
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from compendium import PUBLISHED
from compendium.published import Published, read_number
from numpy.typing import NDArray
from scipy import integrate, special, stats

import f1ci
from notebooks.data import run_appendix_d
from notebooks.own import wangli_simulation as logistic_folds
from notebooks.own import yuan_gaussian as printed_gradients
from notebooks.shared import (
    class_averages,
    datasets,
    four_intervals,
    joint_coverage,
    normal_classes,
    printed_tables,
    tversky_index,
)
from notebooks.shared.r_random import RRandom

Array = NDArray[np.float64]

Z = float(stats.norm.ppf(0.975))

NOTEBOOK_FOLDER = PUBLISHED.parents[1] / "notebooks"


PRINTED = {id: row.printed for id, row in Published().rows.items()}  # noqa: A001


def rounds_to(value: float, printed: str) -> bool:
    return f"{value:.{len(printed.partition('.')[2])}f}" == printed


# The register


def test_the_register_is_numbered_without_gaps_and_points_at_notebooks(tmp_path: Path) -> None:
    for name in ("papers.csv", "errata.csv"):
        (tmp_path / name).write_bytes((PUBLISHED / name).read_bytes())
    errata = Published(tmp_path)  # the register alone
    for paper in Published().papers:
        ids = [id for id, erratum in errata.errata.items() if erratum.paper == paper]  # noqa: A001
        # One numbering for errors (E), other runs (R), what is open (O) and remarks (N).
        assert [id[1:] for id in ids] == [f"-{paper}-{i}" for i in range(1, len(ids) + 1)]  # noqa: A001
    for erratum in errata.errata.values():
        for place in erratum.shown_in.split("; "):
            name, _, anchor = place.partition("#")
            # A place in the notebook, which names the entry in turn.
            source = (NOTEBOOK_FOLDER / f"{name}.py").read_text("utf-8")
            assert f"\n# ({anchor})=\n" in source, erratum.id
            assert erratum.id in source, erratum.id


# Lam, Gopal and Qian


def test_lam_1_the_variance_is_divided_by_v_once() -> None:
    star, v = 0.5, 100
    derivative = 2 / (1 + star) ** 2  # equation 12
    variance = star * (1 - star) / v  # equation 20
    equation_23 = derivative**2 * star * (1 - star) / v
    assert derivative**2 * variance == pytest.approx(equation_23, rel=1e-15)
    assert derivative**2 * variance / v == pytest.approx(equation_23 / 100, rel=1e-15)


@pytest.mark.parametrize("f", [0.01, 0.3, 0.74, 0.99])
def test_lam_2_the_quartic_has_two_real_roots_for_every_k(f: float) -> None:
    for k in [*np.geomspace(0.001, 1000, 25), 16 / 11, 2.0]:
        # Equation 37.
        roots = np.roots([k, -5 * k, 2 * (4 * k + 1), -4 * (k + f), 2 * f * f])
        # The eigenvalue solver leaves about 1e-12 of an imaginary part on a real root here; the
        # complex pair's is above 0.01.
        real = np.sort(roots.real[np.abs(roots.imag) < 1e-6])
        assert real.size == 2
        assert 0 < real[0] < f < real[1] < 1
        # They are the end points of the book's intervals; 1e-7 is what the solver leaves.
        book = four_intervals.wilson_direct_of(f, Z * Z / k, Z)
        assert np.array(book) == pytest.approx(real, abs=1e-7)


LAM_SCENARIOS = {1: (0.4, 0.1, 0.1), 2: (0.64, 0.16, 0.16), 3: (0.16, 0.04, 0.64)}


def lam_tables(n: int, scenario: int) -> tuple[Array, Array, Array]:
    """All (TP, v) with v > 0, and their probabilities: v is binomial, and TP given v."""
    p11, p10, p01 = LAM_SCENARIOS[scenario]
    relevant = p11 + p10 + p01
    v, tp = np.meshgrid(np.arange(1.0, n + 1), np.arange(0.0, n + 1), indexing="ij")
    keep = tp <= v
    v, tp = v[keep], tp[keep]
    return tp, v, stats.binom.pmf(v, n, relevant) * stats.binom.pmf(tp, v, p11 / relevant)


def ends(method: str, tp: Array, v: Array) -> Any:
    f = 2 * tp / (v + tp)
    if method == "wilson_direct":
        return four_intervals.wilson_direct_of(f, v, Z)
    half = Z * np.sqrt(f * (1 - f) * (2 - f) ** 2 / (2 * v))
    return f - half, f + half


@pytest.mark.parametrize("n", [25, 50, 100])
@pytest.mark.parametrize("scenario", [1, 2])
def test_lam_3_wilson_direct_is_longer_than_wald(n: int, scenario: int) -> None:
    tp, v, probability = lam_tables(n, scenario)
    length = {}
    for method in ("wald", "wilson_direct"):
        low, high = ends(method, tp, v)
        length[method] = float(probability @ (high - low))
        printed = PRINTED[f"lam/table-4/scenario-{scenario}/n-{n}/{method}"]
        assert rounds_to(length[method], printed)
    assert length["wilson_direct"] > length["wald"]


@pytest.mark.parametrize(
    ("scenario", "overshoot", "degeneracy"),
    [(1, "0.2305", "0.00378"), (2, "0.0207", "0.000065"), (3, "0.2002", "0.0128")],
)
def test_lam_5_exact_overshoot_and_degeneracy(
    scenario: int, overshoot: str, degeneracy: str
) -> None:
    # No published number: the register's own, from all outcomes of n = 25.
    tp, v, probability = lam_tables(25, scenario)
    low, high = ends("wald", tp, v)
    assert rounds_to(float(probability[(low < 0) | (high > 1)].sum()), overshoot)
    degenerate = float(probability[low == high].sum())
    assert rounds_to(degenerate, degeneracy)
    assert four_intervals.degeneracy(25, LAM_SCENARIOS[scenario]) == pytest.approx(degenerate)


def test_lam_6_the_clopper_pearson_equations_have_no_solution_at_the_borders() -> None:
    star = np.linspace(0, 1, 101)
    v = 10
    assert np.all(stats.binom.cdf(-1, v, star) == 0)  # P(n11 < 0), to equal 0.975
    assert np.all(stats.binom.sf(v, v, star) == 0)  # P(n11 > v), to equal 0.975
    # In between there is one.
    assert stats.binom.cdf(2, v, 0) > 0.975 > stats.binom.cdf(2, v, 1)


# Takahashi et al.

TOY = np.array([[2.0, 2, 2], [5, 70, 2], [0, 2, 15]])  # table 1: rows predicted, columns true
TAKAHASHI_SCENARIOS = {
    2: np.array([[64, 3, 3], [8, 4, 3], [8, 3, 4]]) / 100,
    3: np.array([[32, 1, 1], [24, 8, 1], [24, 1, 8]]) / 100,
}


def macro_star(tables: Array) -> tuple[Array, Array]:
    """Macro F1* and its delta-method standard error, for tables (..., 3, 3) of counts."""
    true = np.einsum("...ii->...i", tables)
    rows, columns = tables.sum(-1), tables.sum(-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, r = (true / rows).mean(-1), (true / columns).mean(-1)
        by_p = (2 * r**2 / (p + r) ** 2)[..., None] / 3
        by_r = (2 * p**2 / (p + r) ** 2)[..., None] / 3
        a, b = by_p * true / rows**2, by_r * true / columns**2
        gradient = -(a[..., :, None] + b[..., None, :])
        i = np.arange(3)
        gradient[..., i, i] += by_p / rows + by_r / columns
        # The metric does not change with the scale of the table, so the mean of the gradient is 0.
        return 2 * p * r / (p + r), np.sqrt((tables * gradient**2).sum((-2, -1)))


def test_takahashi_1_the_variance_of_macro_recall_needs_the_diagonal() -> None:
    estimate, numerical = macro_star(TOY)
    assert rounds_to(float(estimate), "0.691")
    assert rounds_to(float(numerical), "0.0649")  # printed

    forms = class_averages.closed_forms(TOY.T)
    p = TOY / 100
    true, rows, columns = np.diag(p), p.sum(1), p.sum(0)

    def standard_error(numerator: Array) -> float:
        var_recall = (numerator * (columns - true) / columns**3).sum() / 900
        return math.sqrt(class_averages.macro_star_variance(forms._replace(var_recall=var_recall)))

    assert standard_error(true) == pytest.approx(float(numerical), rel=1e-12)  # Appendix C
    assert rounds_to(standard_error(rows), "0.0777")  # section 3.3, p_i as the row margin
    assert rounds_to(standard_error(columns), "0.0808")  # and as the column margin


def macro_errors() -> dict[str, float]:
    """The toy example's standard error of macro F1, with several first sums."""
    forms = class_averages.closed_forms(TOY.T)
    copied = ((np.diag(TOY) / (TOY.sum(0) + TOY.sum(1))) ** 2).sum()
    first_sums = {"Appendix B": forms.first, "none": 0.0, "of a public copy": copied}
    return {name: math.sqrt((a + forms.second) * forms.scale) for name, a in first_sums.items()}


def test_takahashi_2_the_code_of_appendix_d_lacks_the_larger_sum() -> None:
    printed = ("0.0650", "0.0244", "0.0389")
    assert all(map(rounds_to, macro_errors().values(), printed))


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_takahashi_2_in_r() -> None:
    # What the page shows of R.
    recorded = class_averages.appendix_d()
    assert run_appendix_d.answers() == {
        key: recorded[key] for key in ("lines", "printed", "mended")
    }
    assert "object 'b' not found" in recorded["printed"]

    def macro_error(first_lines: str) -> float:
        toy = "print(f1scores(rbind(c(2, 2, 2), c(5, 70, 2), c(0, 2, 15)))[[2]]['maF1', 'Sd'])"
        code = recorded["code"].replace(run_appendix_d.LOOP, first_lines + run_appendix_d.LOOP, 1)
        program = ["Rscript", "-e", code + toy]
        process = subprocess.run(program, capture_output=True, text=True, check=True)
        return float(process.stdout.split()[-1])

    # R prints seven digits.
    assert macro_error("a <- 0; b <- 0\n") == pytest.approx(macro_errors()["none"], rel=1e-6)
    mended = pytest.approx(macro_errors()["Appendix B"], rel=1e-6)
    assert macro_error(recorded["lines"]) == mended


def test_takahashi_2_the_mended_program_prints_the_row_of_table_4() -> None:
    lines = class_averages.appendix_d()["mended"].splitlines()
    found = {line.split()[0]: line.split()[1:] for line in lines if line}
    for name, measure in (
        ("miF1", "micro_f1"),
        ("maF1", "macro_f1"),
        ("maF1.star", "macro_f1_star"),
    ):
        estimate, _, low, high = map(float, found[name])
        for end, value in (("estimate", estimate), ("low", low), ("high", high)):
            assert rounds_to(value, PRINTED[f"takahashi/table-4/mnn/{measure}/{end}"])


def coverage_of_macro_star(n: int, scenario: int, replicates: int) -> tuple[float, float]:
    """Coverage of the 95 % interval, and the share of samples in which it is defined."""
    p = TAKAHASHI_SCENARIOS[scenario]
    truth, _ = macro_star(p)
    rng = np.random.default_rng(20220321)
    covered = defined = 0
    for _ in range(replicates // 250_000):
        tables = rng.multinomial(n, p.ravel(), 250_000).reshape(-1, 3, 3).astype(float)
        estimate, error = macro_star(tables)
        covered += int((np.abs(estimate - truth) <= Z * error).sum())
        defined += int(np.isfinite(estimate).sum())
    return covered / replicates, defined / replicates


@pytest.mark.slow
def test_takahashi_3_a_coverage_that_is_not_the_printed_one() -> None:
    # The register's value is from 2e7 replicates (standard error 0.00005). Two million have one of
    # 0.00016: enough to exclude, by four of them, all that rounds to the printed 0.947.
    coverage, defined = coverage_of_macro_star(1000, 3, 2_000_000)
    error = math.sqrt(0.949 * 0.051 / 2_000_000)
    assert defined == 1
    assert coverage - 4 * error > 0.9475
    assert coverage == pytest.approx(0.94856, abs=4 * math.hypot(error, 0.00005))


@pytest.mark.parametrize(
    ("scenario", "undefined", "printed", "as_misses"),
    [(2, "0.1652", 0.774, 0.646), (3, "0.1399", 0.821, 0.706)],
)
def test_takahashi_4_coverage_is_conditional_on_being_defined(
    scenario: int, undefined: str, printed: float, as_misses: float
) -> None:
    design = TAKAHASHI_SCENARIOS[scenario].T
    exact = class_averages.undefined_probability(25, design, "macro_f1_star")
    assert rounds_to(exact, undefined)
    covered, defined = coverage_of_macro_star(25, scenario, 250_000)
    # Four standard errors of 250,000 replicates, and half a unit of the last digit.
    assert 1 - defined == pytest.approx(exact, abs=4 * math.sqrt(exact / 250_000))
    allowed = 0.0005 + 4 * math.sqrt(0.25 / 250_000)
    assert covered / defined == pytest.approx(printed, abs=allowed)
    assert covered == pytest.approx(as_misses, abs=allowed)
    assert printed - covered > 10 * allowed


def test_takahashi_6_micro_f1_and_n_do_not_determine_the_macro_scores() -> None:
    one = np.array([[10.0, 5, 0], [0, 10, 0], [0, 0, 10]])
    two = np.array([[20.0, 5, 0], [0, 5, 0], [0, 0, 5]])
    assert one.sum() == two.sum()
    assert np.trace(one) == np.trace(two)
    macro = [float((2 * np.diag(m) / (m.sum(0) + m.sum(1))).mean()) for m in (one, two)]
    assert abs(macro[0] - macro[1]) > 0.001  # a unit of the last printed digit
    assert abs(float(macro_star(one)[0] - macro_star(two)[0])) > 0.001


# Wang and Li

# TP, FP, FN summed over the six folds, published with the authors' code, by task and model.
COUNTS = {key: folds.sum(axis=(0, 1)) for key, folds in datasets.wang_li_counts().items()}
METRICS = ("precision", "recall", "f1")
WEIGHT = 0.3688  # equation 22


def beta_posterior(counts: Array, metric: str) -> Any:
    """The posterior of precision or recall, or of F* for that of F1."""
    tp, fp, fn = WEIGHT * counts
    return stats.beta(tp + 1, {"precision": fp + 1, "recall": fn + 1, "f1": fp + fn + 2}[metric])


def credible_ends(counts: Array, metric: str = "f1", weight: float = WEIGHT) -> Array:
    """Equations 28 to 30: F1 = 2 F* / (1 + F*) is increasing, so its quantiles are those of F*."""
    ends = beta_posterior(counts * weight / WEIGHT, metric).ppf([0.025, 0.975])
    return np.asarray(2 * ends / (1 + ends) if metric == "f1" else ends)


@pytest.mark.parametrize(
    ("task", "metric", "integral"), [("cws", "precision", "0.042"), ("org", "recall", "0.224")]
)
def test_wangli_1_the_printed_densities_do_not_integrate_to_one(
    task: str, metric: str, integral: str
) -> None:
    posterior = beta_posterior(COUNTS[task, "A"], metric)
    # The printed exponents are one higher: the density times t (1 - t).
    ends = posterior.ppf([1e-13, 1 - 1e-13])
    printed = integrate.quad(lambda t: posterior.pdf(t) * t * (1 - t), *ends, epsabs=1e-13)[0]
    assert rounds_to(printed, integral)


PROGRAM = datasets.wang_li_program()  # what the authors' own program prints


@pytest.mark.parametrize("metric", ["recall", "f1"])
def test_wangli_3_the_authors_program_does_not_print_one_in_a_thousand(metric: str) -> None:
    printed = float(PRINTED[f"wangli/table-3/{metric}/p_h0"])
    hits = np.rint(1e6 * PROGRAM["cws", metric, "", "p_h0"])
    assert hits.size == 20
    # At least 500 hits in a million draws would be printed as .001.
    assert hits.max() < 40 < 500 == 1e6 * (printed - 0.0005)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("task", ["cws", "ner", "org"])
def test_the_bayes_test_agrees_with_the_authors_program(task: str, metric: str) -> None:
    exact = f1ci.bayes_test(
        datasets.wang_li_counts()[task, "A"], datasets.wang_li_counts()[task, "B"], metric
    ).p_h0
    runs = PROGRAM[task, metric, "", "p_h0"]
    # Twenty million draws, and four standard errors.
    assert runs.mean() == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 2e7))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("task", ["cws", "ner", "org"])
def test_wangli_6_the_authors_program_prints_our_credible_limits(task: str, metric: str) -> None:
    wrong = {"wangli/table-2/cws/a/recall/high", "wangli/table-2/ner/b/precision/low"}
    for model in "AB":
        ours = credible_ends(COUNTS[task, model], metric)  # the program's weight, .3688
        for end, value in zip(("low", "high"), ours, strict=True):
            (theirs,) = PROGRAM[task, metric, model, end]
            assert value == pytest.approx(theirs, rel=1e-9)
            name = f"wangli/table-2/{task}/{model.lower()}/{metric}/{end}"
            assert rounds_to(100 * theirs, PRINTED[name]) == (name not in wrong)


def test_wangli_4_the_ratio_of_the_two_lengths() -> None:
    def length(weight: float, counts: Array) -> float:
        low, high = credible_ends(counts, weight=weight)
        return float(high - low)

    # n = 600: 150 positives and 150 negatives in each of six validation sets.
    ratios = [
        length(1 / 6, counts) / length(WEIGHT, counts)
        for tp in range(60, 141, 10)
        for fp in range(20, 111, 10)
        for counts in [6 * np.array([tp, fp, 150 - tp])]
    ]
    assert 1.47 < min(ratios) < max(ratios) < 1.51
    assert 0.1175 / 0.08535 < 1.38  # the most that the printed 0.117 and 0.0854 allow
    # If errors are about normal, the printed credibilities imply the ratio of the lengths.
    quantiles = stats.norm.ppf(0.5 + np.array([[0.9955, 0.9965], [0.9455, 0.9445]]) / 2)
    assert [f"{ratio:.2f}" for ratio in quantiles[0] / quantiles[1]] == ["1.48", "1.52"]
    # The best rule's mean counts: the shorter length is the printed one, within the loss of
    # training on 300 samples, and the longer is not.
    counts = 6 * 150 * np.array([HIT, 1 - HIT, 1 - HIT])
    assert length(WEIGHT, counts) == pytest.approx(0.0854, abs=0.001)
    assert length(1 / 6, counts) == pytest.approx(0.126, abs=0.0015)


HIT = float(stats.norm.cdf(math.sqrt(0.5) / 2))  # the best rule's rate in class 1; 1 - HIT in 0


def holds(counts: Array, weight: float, truth: Array | float) -> NDArray[np.bool_]:
    """Whether the 95 % interval for F1 holds the truth; TP, FP, FN along the last axis."""
    tp, fp, fn = weight * np.moveaxis(counts, -1, 0)
    below = special.betainc(tp + 1, fp + fn + 2, truth / (2 - np.asarray(truth)))
    return np.asarray((below >= 0.025) & (below <= 0.975))


def test_wangli_8_the_weight_counts_more_observations_than_there_are() -> None:
    assert rounds_to(3 * 0.368802, "1.106")
    # A fixed rule on 600 observations; the six folds hold each of them three times.
    relevant, star = 0.5 * HIT + 0.5 * (1 - HIT) + 0.5 * (1 - HIT), 0.5 * HIT / (1 - 0.5 * HIT)
    v, tp = np.indices((601, 601))
    probability = stats.binom.pmf(v, 600, relevant) * stats.binom.pmf(tp, v, star)
    counts = 3 * np.stack([tp, np.maximum(v - tp, 0), np.zeros_like(v)], axis=-1)
    f1 = 2 * star / (1 + star)
    for weight, coverage in ((0.368802, "0.937"), (1 / 3, "0.950")):
        assert rounds_to(float(probability[holds(counts, weight, f1)].sum()), coverage)


def test_wangli_9_the_credibility_depends_on_the_truth_that_is_meant() -> None:
    # test_wangli_notebooks.py compares the folds with scikit-learn's.
    design = logistic_folds.Design(600, ((0.0, 0.0), (0.5, 0.5)), 0.5)
    trials = logistic_folds.run(design, 300, rng=20190603)
    counts = trials.counts.sum(axis=(1, 2))
    scores = logistic_folds.f1_of_rates(trials.rates, 0.5).mean(axis=(1, 2))
    own, fixed = (holds(counts, WEIGHT, truth) for truth in (scores, scores.mean()))
    # Four standard errors of 300 data sets around 0.945 and 0.82.
    assert abs(own.mean() - 0.945) < 4 * math.sqrt(0.945 * 0.055 / 300)
    assert abs(fixed.mean() - 0.82) < 4 * math.sqrt(0.82 * 0.18 / 300)
    both = own.astype(float) - fixed
    assert both.mean() > 4 * both.std() / math.sqrt(300)


def test_wangli_10_the_scores_of_the_published_folds_rise_and_fall_together() -> None:
    correlations = []
    for task in ("cws", "ner", "org"):
        for wrong in ([1], [2], [1, 2]):
            tp, errors = (
                np.array([datasets.wang_li_counts()[task, m][..., cells].sum(-1) for m in "AB"])
                for cells in ([0], wrong)
            )
            scores = tp / (tp + errors / len(wrong))
            correlations.append(np.corrcoef(scores.reshape(2, 6))[0, 1])
    assert f"{min(correlations):.2f} {max(correlations):.2f}" == "0.66 0.99"


# Jiang


def bound(largest: float) -> float:
    """The V of proposition 1 (ii), from its definition as a maximum."""
    t = np.linspace(0, 1, 100_001)
    return float((t * (1 - t) * (1 - t * (1 - largest)) ** 2).max())


def asymptotic_variance(tp: Array, fp: Array, fn: Array, a: float, b: float) -> Array:
    """The variance of the Tversky index times n, by the delta method on cell probabilities."""
    total = tp + a * fp + b * fn
    index = tp / total
    by_tp, by_fp, by_fn = (1 - index) / total, -a * index / total, -b * index / total
    # The index does not change with the scale, so the mean of the gradient is 0.
    return tp * by_tp**2 + fp * by_fp**2 + fn * by_fn**2


def printed_bound(largest: float) -> float:
    """The V of proposition 1 (ii), by its closed form."""
    c = 1 / (1 - largest)
    root = math.sqrt(4 * c * c - 4 * c + 9)
    t = (3 + 2 * c - root) / 8 if c > 1 else (3 + 2 * c + root) / 8
    return t * (1 - t) * (1 - t / c) ** 2


def test_jiang_1_the_limit_at_one() -> None:
    printed = {0.5: "0.1549", 0.6: "0.1695", 0.7: "0.1861", 0.8: "0.2050", 0.9: "0.2262"}
    for largest, value in printed.items():
        assert rounds_to(printed_bound(largest), value)
        for other in (printed_bound(largest), tversky_index.jiang_bound(largest, 0.1)):
            assert bound(largest) == pytest.approx(other, rel=1e-9)
    with pytest.raises(ZeroDivisionError):
        printed_bound(1.0)
    assert bound(1.0) == pytest.approx(0.25, abs=1e-12)
    for step in (1e-4, -1e-4):
        assert printed_bound(1 + step) == pytest.approx(0.25, abs=1e-4)


def test_jiang_2_the_proof_needs_eza_where_it_has_ez() -> None:
    a = b = 0.5
    ea, eza, ez = 0.1, 0.1, 0.5
    left = a * ea + b * ez
    assert left < max(a * ea, b * ez) + min(a, b) * ez
    assert left >= max(a * ea, b * ez) + min(a, b) * eza
    # The conclusion drawn from it holds for every rule: a search in test_planning.py.


def test_jiang_3_the_printed_errors_are_those_of_the_only_table() -> None:
    # That no other table of counts prints as the paper's is tested in test_data.py.
    error = math.sqrt(asymptotic_variance(*np.array([286, 47, 43]) / 535, 0.8, 0.2) / 535)
    assert rounds_to(error, "0.0162")  # printed
    assert rounds_to(1.96 * error, "0.032")  # printed


def test_jiang_4_the_true_value_and_the_planned_size() -> None:
    tp, fp = 0.5 * stats.norm.sf(-1.5), 0.5 * stats.norm.sf(1.0)
    fn = 0.5 - tp
    exact = tp / (tp + 0.8 * fp + 0.2 * fn)
    assert rounds_to(exact, "0.8693168")
    error = math.sqrt(asymptotic_variance(tp, fp, fn, 0.8, 0.2) / 1e6)
    assert rounds_to(error, "0.0004")
    assert abs(exact - 0.8691099) < error  # printed: one standard error, no more
    assert rounds_to(0.2050 / 0.01**2 / 0.2 / 0.615, "16667")  # printed
    assert rounds_to(0.2050 / (0.02 / 1.96) ** 2 / 0.2 / 0.615, "16007")


def test_jiang_5_the_sharp_bound_is_v_of_b() -> None:
    # That no rule exceeds it, and that one attains it, is tested by a search in test_planning.py.
    assert rounds_to(bound(0.2), "0.1215")
    assert bound(0.2) < 0.9 * bound(0.8)
    assert math.ceil(bound(0.2) / 0.01**2 / 0.2 / 0.615) == 9875


# Yuan and Jiang


MEASURES = [f1ci.metrics.fbeta(0.5), f1ci.metrics.accuracy, f1ci.metrics.lift]


def test_yuan_1_one_of_nine_gradients_is_misprinted() -> None:
    x, s, t = 0.2, 0.3, 0.4
    off = printed_gradients.differences(x, s, t)
    assert len(off) == 9
    assert {name for name, by in off.items() if np.abs(by).max() > 1e-12} == {"correlation"}
    # With 2 EA - 1 for 2 (EA - 1) the derivative by EA is right, and the same for EZ.
    scale = 1 / math.sqrt((s - s * s) * (t - t * t))
    for k, m in ((1, s), (2, t)):
        printed, right = (
            scale * (c * x - s * t) / (2 * (m - m * m)) for c in (2 * m - 2, 2 * m - 1)
        )
        assert off["correlation"][k] == pytest.approx(printed - right, rel=1e-12)


def test_yuan_2_the_covariance_of_twelve_measures_has_rank_nine() -> None:
    cells = 1000 * np.random.default_rng(2).dirichlet(np.ones(32))  # Z and four rules
    covariance = joint_coverage.estimates(cells, MEASURES).covariance[0]
    scale = np.sqrt(np.diag(covariance))
    singular = np.linalg.svd(covariance / np.outer(scale, scale), compute_uv=False)
    assert singular[8] > 1e-6
    assert np.all(singular[9:] < 1e-13)  # rounding of a matrix with entries of about 1


def test_yuan_3_blurring_adds_six_agresti_coull_increments_to_the_accuracy() -> None:
    n = 100_000
    adjusted = (n + Z * Z / 2) / (n + Z * Z)  # Agresti-Coull's proportion when all n are right
    increment = adjusted * (1 - adjusted)  # the plain variance estimate is 0
    squared_gradient = {"ez": 0 + 0 + 1, "accuracy": 2**2 + 1 + 1}
    blurred = {name: size * Z * Z / 2 / n for name, size in squared_gradient.items()}
    # Equal to first order in z^2 / n = 4e-5.
    assert blurred["ez"] == pytest.approx(increment, rel=1e-4)
    assert blurred["accuracy"] == pytest.approx(6 * increment, rel=1e-4)


def cells_of(z: int, tp: int, a: int, n: int) -> Array:
    """TN, FP, FN and TP as shares of n."""
    return np.array([n - z - a + tp, a - tp, z - tp, tp]) / n


class Measures(NamedTuple):
    """F0.5, accuracy and lift of tables (..., 4), by `joint_coverage`, which has its own tests."""

    value: Array
    error: Array  # standard errors, with the divisor n - 1
    blur: Array
    covariance: Array  # of F0.5 and accuracy

    def blurred(self, square: float = Z * Z) -> Array:
        """Standard errors with the correction for small samples; `square` stands for z^2."""
        return np.sqrt(self.error**2 + self.blur * square)


def measures(counts: Array) -> Measures:
    found = joint_coverage.estimates(counts.reshape(-1, 4), MEASURES)
    error = np.sqrt(np.diagonal(found.covariance, axis1=1, axis2=2))
    shape = counts.shape[:-1]
    numbers = [x.reshape(*shape, 3) for x in (found.value, error, found.blur)]
    return Measures(*numbers, found.covariance[:, 0, 1].reshape(shape))


def test_yuan_5_the_lengths_of_table_6_contradict_one_another() -> None:
    printed = {"1NN": 0.0748, "LR": 0.0771, "RF": 0.0946}
    register = {"1NN": 0.0626, "LR": 0.0663, "RF": 0.0797}
    # The six-measure length is the mean of these; rounding moves that mean by 0.00005 at most.
    assert np.mean(list(printed.values())) == pytest.approx(0.0822, abs=0.0001)
    assert 0.0822 / 0.0694 > 1.18
    length = {}
    for rule, table in {"1NN": (62, 254), "LR": (4, 25), "RF": (37, 117)}.items():
        for n in (2333, 3333):
            found = joint_coverage.exact(n, cells_of(206, *table, 3333), MEASURES[:2])
            length[n] = found["rule/individual/length"]
        # The means of the paper's 10,000 test sets, printed with four digits.
        assert register[rule] == pytest.approx(length[3333].mean, abs=0.00005)
        assert printed[rule] / length[2333].mean == pytest.approx(1, abs=0.01)
        assert printed[rule] - length[3333].mean > 20 * length[3333].deviation / 100
    assert np.mean(list(register.values())) == pytest.approx(0.0694, rel=0.005)


def drawn(cells: Array, truth: Array | None = None) -> dict[str, float]:
    """Coverage of the truth by the three plain and blurred intervals, and lengths over it."""
    counts = np.random.default_rng(3).multinomial(3000, cells, DRAWS)
    truth = measures(3000 * cells).value if truth is None else truth
    sample, found = measures(counts.astype(float)), {}
    for kind, error in (("plain", sample.error), ("blurred", sample.blurred())):
        lengths = (2 * Z * error / truth).mean(-1)
        held = (np.abs(sample.value - truth) <= Z * error).all(-1)
        found |= {f"{kind} coverage": held.mean(), f"{kind} length": lengths.mean()}
    return found | {"deviation": lengths.std()}


DRAWS = 40_000


def test_yuan_5_logistic_regression_of_table_7_does_not_fit_its_population() -> None:
    found = drawn(cells_of(1235, 470, 695, 16064))
    error = math.sqrt(0.894 * 0.106)
    allowed = 4 * error / math.sqrt(DRAWS)
    assert found["plain coverage"] == pytest.approx(0.894, abs=allowed + 0.0005)
    # Printed 0.8643, if from as few as 2000 replicates; and a mean length that is 2 % longer.
    assert found["plain coverage"] - 0.8643 > 4 * error * math.sqrt(1 / 2000 + 1 / DRAWS)
    assert 0.1781 / found["plain length"] > 1.015


def test_yuan_6_the_grids_of_the_printed_coverages() -> None:
    def on_grid(values: str, replicates: int) -> bool:
        return all(printed_tables.on_grid(read_number(v), replicates) for v in values.split())

    individual_3b = "0.9442 0.9480 0.9006 0.9480 0.9262 0.9472 0.9496 0.9546 0.9726 0.9552 0.9398 "
    assert on_grid(individual_3b + "0.9518", 5000)
    assert on_grid("0.9597 0.8950 0.9410 0.8643 0.9617 0.8980 0.9553 0.9057 0.9513 0.7370", 3000)
    assert on_grid("0.9485 0.9115 0.9430 0.9445 0.9290", 2000)  # joint
    # Of all four-digit numbers these grids hold 1/2, 3/10 and 1/5.
    assert pytest.approx(5e-13, rel=0.1) == 0.5**12 * 0.3**10 * 0.2**5
    for replicates, share in ((5000, 1 / 2), (3000, 3 / 10), (2000, 1 / 5)):
        held = sum(on_grid(f"{i / 10000:.4f}", replicates) for i in range(1, 10000)) / 9999
        assert held == pytest.approx(share, abs=0.001)
        # The first model's coverages lie on none of them.
        assert not on_grid("0.9440 0.9433 0.9454 0.9470 0.9442 0.9486 0.9471 0.9513", replicates)


TABLE_1 = {"1NN": ("0.2477", "0.8995"), "LR": ("0.0903", "0.9354"), "RF": ("0.2738", "0.9256")}
TABLES_1 = {"1NN": (609, 180, 756), "LR": (609, 16, 69), "RF": (609, 112, 359)}


def test_yuan_7_16_table_1_is_a_sample_of_the_population_and_cut_off() -> None:
    # `set.seed(599); sample(1:3333, 10000, TRUE)`; test_r_random.py compares with R.
    rules = datasets.abalone_rules().iloc[RRandom(599).sample(3333, 10_000) - 1]
    for name, column in (("1NN", "nn"), ("LR", "logistic")):
        counted = rules["z"].sum(), (rules["z"] * rules[column]).sum(), rules[column].sum()
        assert counted == TABLES_1[name]
    for name, (z, tp, a) in TABLES_1.items():
        # In integers: F0.5 is 5 TP / (4 A + Z), and the accuracy a whole number over n.
        cut = 5 * tp * 10_000 // (4 * a + z), 10_000 - (a + z - 2 * tp)
        assert cut == tuple(round(float(text) * 10_000) for text in TABLE_1[name])
    assert pytest.approx(0.090395, abs=5e-7) == 80 / 885  # which rounds to .0904
    # The forest of the true values is not that of Table I, whose counts only its digits give.
    forest = (rules["z"] * rules["forest"]).sum(), rules["forest"].sum()
    assert forest == (116, 353)
    printed = [read_number(text) for text in TABLE_1["RF"]]
    assert printed_tables.consistent_tables(10_000, 609, *printed) == [TABLES_1["RF"][1:]]


def test_yuan_13_17_end_points_of_table_2_are_cut_off_and_blurred_with_four() -> None:
    printed = {  # F0.5 and accuracy
        "1NN": ((0.2073, 0.2880), (0.8916, 0.9073)),
        "LR": ((0.0322, 0.1485), (0.9289, 0.9418)),
        "RF": ((0.2191, 0.3286), (0.9187, 0.9324)),
    }
    for rule, (_, accuracy) in printed.items():
        # Every middle is half a unit below the exact accuracy: six ties, were they rounded.
        assert float(TABLE_1[rule][1]) - np.mean(accuracy) == pytest.approx(5e-5, abs=1e-12)
    n, best = 10_000, {}
    for square, cut in itertools.product((4.0, Z * Z), (True, False)):
        hits = np.zeros(1000, int)
        quantiles = np.linspace(2.55, 2.65, len(hits))
        for rule, (z, tp, a) in TABLES_1.items():
            table = measures(n * cells_of(z, tp, a, n))
            value, blurred = table.value, table.blurred(square)
            for k, ends in enumerate(printed[rule]):
                for sign, end in zip((-1, 1), ends, strict=True):
                    ours = value[k] + sign * quantiles * blurred[k]
                    shown = np.floor(ours * n) if cut else np.rint(ours * n)
                    hits += shown == round(end * n)
        best[square, cut] = hits.max()
        if (square, cut) == (4.0, True):
            assert 2.594 < quantiles[hits.argmax()] < 2.597
    assert best == {(4.0, True): 11, (Z * Z, True): 10, (4.0, False): 7, (Z * Z, False): 6}


def test_yuan_8_logistic_regression_on_abalone_is_discrete() -> None:
    none = (1 - 4 / 3333) ** 3333
    assert rounds_to(none, "0.018")
    assert rounds_to(3333 * (4 / 3333) * (1 - 4 / 3333) ** 3332, "0.073")
    # With no true positive F0.5 is 0, and so is its standard error: neither the plain nor the
    # blurred interval around 0 reaches the truth. With one, the blurred interval does.
    truth = measures(3333 * cells_of(206, 4, 25, 3333)).value[0]
    zero, one = (measures(3333 * cells_of(206, tp, 21 + tp, 3333)) for tp in (1e-12, 1))
    assert zero.error[0] == pytest.approx(0, abs=1e-7)
    assert Z * zero.blurred()[0] < truth
    assert one.value[0] + Z * one.error[0] < truth < one.value[0] + Z * one.blurred()[0]


@pytest.mark.parametrize(
    ("table", "recall", "precision", "coverage", "length"),
    [  # the printed population, the fitted recall and precision, and the printed individual row
        ((1116, 1257), 0.8971, 0.8883, 0.8950, 0.1093),
        ((470, 695), 0.3767, 0.6598, 0.8643, 0.1781),
        ((925, 932), 0.7304, 0.9946, 0.8980, 0.1068),
        ((762, 765), 0.6020, 0.9959, 0.9057, 0.1148),
    ],
)
def test_yuan_10_table_7_fits_another_population_against_the_printed_truth(
    table: tuple[int, int], recall: float, precision: float, coverage: float, length: float
) -> None:
    truth = joint_coverage.true_values(cells_of(1235, *table, 16064), MEASURES)
    tp = 0.07793 * recall
    fp = tp * (1 / precision - 1)
    found = drawn(np.array([1 - 0.07793 - fp, fp, 0.07793 - tp, tp]), truth)
    # The paper's 3000 test sets and ours; four standard errors, and four digits.
    noise = 4 * math.sqrt(1 / 3000 + 1 / DRAWS)
    error = math.sqrt(coverage * (1 - coverage))
    assert found["blurred coverage"] == pytest.approx(coverage, abs=noise * error)
    allowed = noise * found["deviation"] + 0.00005
    assert found["blurred length"] == pytest.approx(length, abs=allowed)
    assert length - found["plain length"] > allowed


def test_yuan_12_the_forest_of_table_6_is_another_one() -> None:
    truth = joint_coverage.true_values(cells_of(206, 37, 117, 3333), MEASURES[:2])
    off = {}
    for tp, a in ((37, 117), (35, 115), (41, 124)):
        cells = cells_of(206, tp, a, 3333)
        found = joint_coverage.exact(2333, cells, MEASURES[:2], truth=truth)
        off[tp, a] = [
            100
            * (printed - found[f"rule/individual/{what}"].mean)
            / found[f"rule/individual/{what}"].deviation
            for what, printed in (("coverage", 0.8768), ("length", 0.0946))
        ]  # in standard errors of 10,000 test sets
    # The coverage jumps with n, by two standard errors from 2333 to its neighbours.
    assert np.abs(off[35, 115]).max() < 4
    assert np.abs(off[37, 117]).max() > 6
    assert np.linalg.norm(off[35, 115]) < np.linalg.norm(off[41, 124])


def test_yuan_13_plus_four_to_the_letter() -> None:
    for square, fits in ((Z * Z, False), (4.0, True)):
        cells = cells_of(206, 4, 25, 3333)
        found = joint_coverage.exact(3333, cells, MEASURES[:2], square=square)
        length = found["rule/corrected/length"]
        noise = length.deviation / 100  # the paper's 10,000 test sets
        off = 0.0948 - length.mean
        assert abs(off) < 2 * noise if fits else off > 4 * noise


def test_yuan_18_the_forest_has_a_million_cases_of_its_own() -> None:
    random = RRandom(499)
    z, x = normal_classes.drawn(random, 500)
    # The forest is the nearest neighbour, and its million comes after the training set.
    z_next, x_next = normal_classes.drawn(random, 10**6)
    a = normal_classes.nearest(z, x).predict(x_next)
    accuracy, tp = (a == z_next).mean(), (a * z_next).mean()
    f = tp / (0.8 * a.mean() + 0.2 * z_next.mean())
    for value, rule, holds in (
        (f, "random_forest/true/f0.5", True),
        (accuracy, "random_forest/true/accuracy", True),
        (f, "1nn/true/f0.5", False),
        (accuracy, "1nn/true/accuracy", False),
    ):
        assert rounds_to(float(value), PRINTED[f"yuan/table-4/{rule}"]) == holds
    # The differences are smaller than the error of a simulated true value.
    error = math.sqrt(accuracy * (1 - accuracy) / 10**6)
    assert abs(float(accuracy) - 0.6060) < 2 * error


def test_yuan_19_plain_and_blurred_correlations_have_nearly_one_quantile() -> None:
    sample = measures(3333 * cells_of(206, 4, 25, 3333))
    quantiles = []
    for error in (sample.error, sample.blurred()):
        rho = sample.covariance / error[:2].prod()
        draws = np.random.default_rng(19).multivariate_normal([0, 0], [[1, rho], [rho, 1]], 200_000)
        quantiles.append(np.quantile(np.abs(draws).max(axis=1), 0.95))
    # The same 200,000 draws for both; the chapter's largest difference is .2 %.
    assert quantiles[0] / quantiles[1] == pytest.approx(1, abs=0.005)


def test_yuan_20_two_accuracies_may_have_covariance_zero() -> None:
    z, first, second = np.array(list(itertools.product((0, 1), repeat=3))).T
    p = 0.5 * np.where(first == z, 0.9, 0.1) * np.where(second == z, 0.8, 0.2)
    right = np.array([first == z, second == z], float)
    covariance = (right * p) @ right.T - np.outer(right @ p, right @ p)
    assert covariance[0, 1] == pytest.approx(0, abs=1e-15)
    assert np.all(np.diag(covariance) > 0.05)


def test_yuan_21_with_more_training_rows_logistic_regression_finds_nothing() -> None:
    none = []
    for share in (0.2, 0.4, 0.6):
        cells = datasets.yuan_splits("abalone", share)[-60:].reshape(-1, 2, 2, 2, 2)
        true_positives = cells[:, 1, :, 1].sum(axis=(1, 2))
        none.append(int((true_positives == 0).sum()))
    assert none == [22, 49, 54]
