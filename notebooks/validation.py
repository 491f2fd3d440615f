# %% [markdown]
# # Comparison with other packages on the same data
#
# Do other packages give the same intervals? This page gives five small confusion matrices to the
# packages that a user might pick instead of `f1ci`. It shows their intervals beside ours, and
# counts how often each interval holds the truth in simulated test sets. It also shows where our own
# intervals fall short, and what to use there.
#
# The other packages need library versions of their own. So their answers were collected in a separate environment
# and are data here; `make peers` collects them anew. Everything else on this page is
# computed in this run.

# %% tags=["parameters"]
replicates: int = 100_000  # test sets per design, for the intervals of f1ci
bootstrap_replicates: int = 1_000  # the same for the bootstrap, which is slow
resamples: int = 999  # resamples of one bootstrap
populations: int = 60  # random populations for the method that combines classes
population_replicates: int = 10_000  # test sets from each of them
seed: int = 20261118  # root of all random streams

# %% tags=["remove-cell"]
# Import what the notebook uses and open the ledger.
import warnings

import numpy as np
from benchmarks import probes
from compendium import figures, ledger, show
from compendium.pool import executor
from IPython.display import display
from scipy import special

import f1ci

say = ledger.open("validation").say

answers = probes.recorded()
versions = answers["versions"]
LEVEL = probes.LEVEL
NAMES = {
    "f1": "F1",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "macro_precision": "macro precision",
    "macro_recall": "macro recall",
}

say("validation-date", answers["date"])
say("validation-replicates", f"{replicates:,}")

# %% [markdown]
# The answers are of {glue:text}`validation-date`, from these versions.

# %% tags=["hide-input"]
WHAT = {
    "confidenceinterval": "scikit-learn's scores with analytic and bootstrap intervals",
    "confidence-intervals": "L. Ferrer's bootstrap for any metric, with conditions",
    "prob-conf-mat": "posteriors of any metric of a confusion matrix",
    "statsmodels": "intervals for a proportion, here TP of TP + FP + FN",
    "scipy": "intervals for a proportion, bootstrap",
    "mvtnorm": "joint quantiles of correlated normal variables, in R",
}
show.table(
    ["package", "version", "what it offers here"],
    [[name, versions[name], text] for name, text in WHAT.items()],
)

# %% [markdown]
# ## Five matrices
#
# | | rows true, columns predicted | why |
# |---|---|---|
# | a | 702 44 / 10 77 | an ordinary test set: {cite:t}`lam2024`, section 6 |
# | b | 2 5 0 / 2 70 2 / 2 2 15 | three classes, two rare: {cite:t}`takahashi2022`, Table 1 |
# | c | 20 0 / 0 20 | a perfect score |
# | d | 50 3 / 4 0 | no item of the positive class is found |
# | e | 10 5 0 / 3 20 0 / 2 4 0 | the third class is never predicted |
#
# The first line of each table is a reference that shares no code with any package: the delta method
# with numeric derivatives. The remarks are computed from the numbers. "On F\*" means an
# interval for the proportion TP / (TP + FP + FN), mapped to F1 as in [the chapter on one F1
# score](/book/lam.md).


# %% tags=["hide-input"]
def number(value):
    """Return a number with four decimals, or nothing for nan."""
    return "" if np.isnan(value) else f"{value:.4f}"


def answers_to(probe, metric):
    """Return the table of all intervals for one metric of one matrix."""
    return show.table(
        [f"({probe}) {NAMES[metric]}", "method", "estimate", "low", "high", "length", "remark"],
        [
            [
                x.package,
                x.method,
                *map(number, (x.estimate, x.low, x.high, x.high - x.low)),
                x.remark,
            ]
            for x in probes.lines(probe, metric, answers)
        ],
        numeric=(2, 3, 4, 5),
    )


def answer(probe, metric, package, method):
    """Return one interval of these tables."""
    (line,) = (
        x
        for x in probes.lines(probe, metric, answers)
        if (x.package, x.method) == (package, method)
    )
    return line


def say_interval(key, line):
    """Keep the end points of an interval for the text."""
    say(f"validation-{key}-low", line.low)
    say(f"validation-{key}-high", line.high)


# %% [markdown]
# ### (a) An ordinary test set

# %% tags=["hide-input"]
display(answers_to("a", "f1"), answers_to("a", "macro_f1"))

# %% tags=["remove-cell"]
# Check that f1ci and the other packages give the same interval where the method is the same.
same = [
    (answer("a", "f1", "f1ci", ours), answer("a", "f1", package, theirs))
    for ours, package, theirs in (
        ("wilson_indirect", "statsmodels", "proportion_confint wilson, on F*"),
        ("wilson_indirect", "scipy", "binomtest wilson, on F*"),
        ("clopper_pearson", "statsmodels", "proportion_confint beta, on F*"),
        ("clopper_pearson", "scipy", "binomtest exact, on F*"),
    )
]
say("validation-same", max(max(abs(x.low - y.low), abs(x.high - y.high)) for x, y in same))
reference = answer("a", "macro_f1", "reference", "delta method, numeric")
theirs = answer("a", "macro_f1", "confidenceinterval", "analytic")
say("validation-a-macro-ratio", (theirs.high - theirs.low) / (reference.high - reference.low))

# %% [markdown]
# For the binary score you may use any of these intervals. Map the Wilson and exact intervals of statsmodels
# and SciPy for the proportion F\* to F1. The results are the Wilson score and Clopper-Pearson intervals of
# `f1ci` (the largest difference is {glue:text}`validation-same:.0e`). If you know that map you need no other
# package for one binary F1. The numeric delta method agrees with `f1ci`'s Wald interval to all digits that
# numeric differences can give.
#
# The macro average is different. The analytic interval of confidenceinterval is
# {glue:text}`validation-a-macro-ratio:.2f` times as long as the delta method's. The reason is shown
# [below](validation-why). Its `precision_score(..., average="binary")` stops with an error unless
# `method="wilson"` is given. Its micro average and its bootstrap are right.
#
# ### (b) Rare classes

# %% tags=["hide-input"]
display(*(answers_to("b", m) for m in ("macro_f1", "macro_precision", "macro_recall", "micro_f1")))

# %% tags=["remove-cell"]
# Keep for the text what explains the answers to question (b).
table = np.array(probes.PROBES["b"])
f = 2 * table.diagonal() / (table.sum(0) + table.sum(1))
say("validation-b-weighted", f @ table.sum(1) / table.sum())
say(
    "validation-b-observed", answer("b", "micro_f1", "prob-conf-mat", "posterior, prior 0").estimate
)
say("validation-b-relevant", int((table.sum(0) + table.sum(1) - table.diagonal())[0]))
say("validation-b-micro", np.trace(table) / table.sum())
for metric in ("macro_precision", "macro_recall"):
    right = answer("b", metric, "reference", "delta method, numeric")
    theirs = answer("b", metric, "confidenceinterval", "analytic")
    say(f"validation-b-{metric}", (theirs.high - theirs.low) / (right.high - right.low))

# %% [markdown]
# Here the methods differ, for a good reason: only {glue:text}`validation-b-relevant` items truly belong to the first
# class or were predicted as it. The intervals of confidenceinterval for macro precision and macro recall are
# {glue:text}`validation-b-macro_precision:.2f` and {glue:text}`validation-b-macro_recall:.2f` times as long as the
# delta method's. The `f1@micro` of prob-conf-mat is {glue:text}`validation-b-observed:.4f` for this matrix: that is
# the average weighted by the classes' sizes ({glue:text}`validation-b-weighted:.4f`). The micro average is
# {glue:text}`validation-b-micro:.2f`.
#
# ### (c) A perfect score

# %% tags=["hide-input"]
display(answers_to("c", "f1"), answers_to("c", "macro_f1"))

# %% tags=["remove-cell"]
# Keep the intervals of question (c) for the text.
say_interval("c-peer", answer("c", "macro_f1", "confidenceinterval", "analytic"))
say_interval("c-ours", answer("c", "macro_f1", "f1ci", "score"))
say_interval("c-posterior", answer("c", "macro_f1", "prob-conf-mat", "posterior, prior 1"))

# %% [markdown]
# Forty items without an error do not show that a classifier never errs. The delta method, ours
# included, says that they do. So does the bootstrap, which can only draw what it has seen, and so does a posterior
# with prior 0, the default of prob-conf-mat. With prior 1 that package gives a usable interval,
# from {glue:text}`validation-c-posterior-low:.3f` to {glue:text}`validation-c-posterior-high:.3f`.
# The macro interval of confidenceinterval reaches from {glue:text}`validation-c-peer-low:.3f` to
# {glue:text}`validation-c-peer-high:.3f`. On the logit scale `f1ci` says nothing: the interval is all
# of [0, 1]. Our default, the Wilson score interval, goes from {glue:text}`validation-c-ours-low:.3f` to
# {glue:text}`validation-c-ours-high:.3f`.
#
# ### (d) No true positive, (e) a class that is never predicted

# %% tags=["hide-input"]
display(
    answers_to("d", "f1"),
    answers_to("d", "macro_f1"),
    answers_to("e", "macro_f1"),
    answers_to("e", "macro_precision"),
)

# %% tags=["remove-cell"]
# Keep the comparison of question (d) for the text.
right = answer("d", "macro_f1", "reference", "delta method, numeric")
theirs = answer("d", "macro_f1", "confidenceinterval", "analytic")
ours = answer("d", "macro_f1", "f1ci", "score")
say("validation-d-peer-ratio", (theirs.high - theirs.low) / (right.high - right.low))
say("validation-d-delta-high", right.high)
say("validation-d-ours-high", ours.high)

# %% [markdown]
# In (d) seven items are positive or were predicted positive, and none of these predictions is right. The delta method
# treats the F1 score of that class as known exactly, and its macro interval ends at
# {glue:text}`validation-d-delta-high:.3f`. Logit and bootstrap end near there too. The Wilson score interval ends at
# {glue:text}`validation-d-ours-high:.3f`, because the true score of the positive class may be above 0. In (e) a class
# that is never predicted has no precision. For it scikit-learn counts 0, confidenceinterval gives NaN, and `f1ci` gives
# `nan` with a warning that names the class.
#
# (validation-why)=
# ## Why the macro intervals of confidenceinterval differ
#
# Its documentation states the delta method as this book does, but the code departs from it in three
# places. Do these places alone make the difference? We put them into the correct formulas and
# compare the result with the package's answer.
#
# 1. The covariance $\mathrm{diag}(p) - p p'$ is computed with squares $p_j^2$ in every row
#    instead of the products $p_i p_j$: binary F1, macro precision, macro recall.
# 2. In the gradient of macro precision and macro recall, diagonal entries lack the division by the
#    column's or row's sum.
# 3. The variance of macro F1 adds two factors that its formula multiplies, and holds counts where
#    proportions belong. Every other term is positive, so the variance is at least $(2 - \bar
#    F)/(r n)$ for $r$ classes with mean score $\bar F$. It hardly depends on how many items the
#    classes have, and it does not vanish at a perfect score.


# %% tags=["hide-input"]
def macro_f1_slip(matrix):
    """Return half the length of macro F1's interval after the third slip."""
    counts = np.array(matrix, dtype=float)
    n, r = counts.sum(), len(counts)
    both = counts.sum(0) + counts.sum(1)
    wrong = both - 2 * counts.diagonal()
    f = 2 * counts.diagonal() / both
    cross = counts * np.outer(f, f) / (both + both[:, None])
    total = (f * wrong / both**2 + f / 2 + wrong / both).sum() + cross.sum() - cross.trace()
    return special.ndtri(0.975) * np.sqrt(2 * total / (r**2 * n))


def gradient_slip(matrix, metric):
    """Return half the length of the others' interval after the first and the second slip."""
    counts = np.array(matrix, dtype=float)
    p = counts / counts.sum()
    name = metric.removeprefix("macro_")
    if metric == "f1":
        gradient = f1ci.metrics.f1.gradient(matrix)
    else:
        gradient = f1ci.metrics.macro(name).gradient(matrix)
        axis = 0 if name == "precision" else 1
        gradient[np.diag_indices(len(p))] *= p.sum(axis=axis)
    squares = np.diag(p.ravel()) - p.ravel() ** 2
    variance = gradient.ravel() @ squares @ gradient.ravel() / counts.sum()
    return special.ndtri(0.975) * np.sqrt(variance)


# %% tags=["hide-input"]
# Compare half lengths of the analytic intervals with the delta method.
rows, worst = [], 0.0
for probe in probes.PROBES:
    for metric in ("f1", "macro_f1", "macro_precision", "macro_recall"):
        if metric == "f1" and len(probes.PROBES[probe]) > 2:
            continue
        theirs = answer(probe, metric, "confidenceinterval", "analytic")
        if np.isnan(theirs.low):
            continue
        right = answer(probe, metric, "reference", "delta method, numeric")
        half = [(x.high - x.low) / 2 for x in (right, theirs)]
        matrix = probes.PROBES[probe]
        slipped = macro_f1_slip(matrix) if metric == "macro_f1" else gradient_slip(matrix, metric)
        worst = max(worst, abs(slipped - half[1]))
        rows.append([f"({probe}) {NAMES[metric]}", *(f"{x:.6f}" for x in (*half, slipped))])
say("validation-slips", worst)
# The package's gradient of binary F1 is in single precision; macro F1 has 1e-7 in its divisors.
assert worst < 1e-6
show.table(
    ["half the length", "delta method", "confidenceinterval", "delta method with the slips"],
    rows,
    numeric=(1, 2, 3),
)

# %% [markdown]
# The last two columns agree within {glue:text}`validation-slips:.0e`. The point estimates of the
# package are right, and so is its micro average.
#
# ## Joint quantiles
#
# Joint intervals need the quantile of the largest of several correlated normal variables. The R
# package mvtnorm computes it by randomised integration for any correlation. For the matrices below
# there are also integrals over one variable, which give it to ten digits.

# %% tags=["hide-input"]
rows, gap, spread = [], 0.0, 0.0
for row in answers["quantiles"]:
    correlation = probes.CORRELATIONS[row["name"]]
    exact = probes.reference_quantile(correlation, row["level"])
    ours = float(f1ci.equicoordinate_quantile(correlation.matrix, row["level"]))
    gap = max(gap, abs(ours - exact))
    text = [row["name"], f"{exact:.6f}", f"{ours:.6f}", f"{ours - exact:+.0e}"]
    if row["value"] is None:
        text += ["", "", row["message"]]
    else:
        spread = max(spread, row["deviation"])
        text += [f"{row['value']:.6f}", f"{row['value'] - exact:+.0e}", f"{row['deviation']:.0e}"]
    rows.append(text)
say("validation-quantile-gap", gap)
say("validation-quantile-spread", spread)
show.table(
    [
        "correlation",
        "integral",
        "f1ci",
        "difference",
        f"mvtnorm {versions['mvtnorm']}",
        "difference",
        "deviation of one call",
    ],
    rows,
    numeric=range(1, 7),
)

# %% [markdown]
# `f1ci` is within {glue:text}`validation-quantile-gap:.0e` of the integrals. The value of mvtnorm
# is the mean over ten seeds. A single call at its default settings varies by up to
# {glue:text}`validation-quantile-spread:.0e`. The sampling error of a correlation matrix that was
# estimated from data is larger. The package mvtnorm does far more than this task.
#
# (validation-coverage)=
# ## How often do they hold the truth?
#
# Macro F1 in six designs. Wrong predictions fall on the other classes in proportion to their sizes.
# Test sets in which some class is not true and not predicted are left out for all methods, because
# macro F1 is undefined there. The table says how many.

# %% tags=["remove-cell"]
OURS = ("delta", "logit", "score")


def ends(counts, level=LEVEL):
    """Return the end points of f1ci's three intervals for macro F1, of shape (batch, 3)."""
    with warnings.catch_warnings():
        # Undefined scores and rare classes are outcomes here. Undefined scores are counted.
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        intervals = [
            f1ci.metric_interval(counts, "macro_f1", method=method, confidence_level=level)
            for method in OURS
        ]
    undefined = np.isnan(intervals[0].estimate)
    low, high = (
        np.stack([np.where(undefined, np.nan, end) for end in side], axis=1)
        for side in zip(*intervals, strict=True)
    )
    return low, high


# %%
# Simulate f1ci's intervals in each design.
streams = np.random.SeedSequence(seed).spawn(3)
ours = {}
with executor() as pool:
    for stream, (key, design) in zip(streams[0].spawn(6), probes.DESIGNS.items(), strict=True):
        ours[key] = f1ci.coverage.simulate(
            design.n,
            design.cells,
            method=ends,
            truth=np.full(3, design.truth),
            replicates=replicates,
            rng=stream,
            executor=pool,
        )

# %% [markdown]
# The bootstrap resamples each test set. Drawing items means drawing cells, so no labels are needed. The other
# packages were run on labels, on the same designs. The package confidenceinterval had
# {glue:text}`validation-peer-replicates` test sets. The slower prob-conf-mat had
# {glue:text}`validation-posterior-replicates`. It refuses matrices in which a class is never true, and only
# the matrices that it accepts count here.

# %% tags=["hide-input"]
say("validation-peer-replicates", f"{answers['asked']['replicates']:,}")
say("validation-posterior-replicates", f"{answers['asked']['posterior_replicates']:,}")
coverages = {}  # (method, design) -> coverage, its standard error, mean length


def keep(method, key, covered, count, length):
    share = covered / count
    coverages[method, key] = share, np.sqrt(share * (1 - share) / count), length


for row in answers["coverage"]:
    keep(
        f"{row['package']}, {row['method']}",
        row["design"],
        row["covered"],
        row["defined"],
        row["length"],
    )
for stream, (key, design) in zip(streams[1].spawn(6), probes.DESIGNS.items(), strict=True):
    rng = np.random.default_rng(stream)
    drawn = rng.multinomial(design.n, design.cells.ravel(), size=bootstrap_replicates)
    drawn = drawn.reshape(-1, *design.cells.shape)
    drawn = drawn[((drawn.sum(axis=1) + drawn.sum(axis=2)) > 0).all(axis=1)]
    low, high = np.transpose([probes.bootstrap_interval(t, resamples, rng) for t in drawn])
    inside = (low <= design.truth) & (design.truth <= high)
    keep("bootstrap, percentile", key, inside.sum(), len(drawn), (high - low).mean())
for key, run in ours.items():
    for k, name in enumerate(OURS):
        coverages[f"f1ci, {name}", key] = (
            run.coverage_if_defined[k],
            run.coverage_if_defined_error[k],
            run.expected_length[k],
        )
methods = list(dict.fromkeys(method for method, _ in coverages))

# %% tags=["hide-input"]
# Show the designs.
show.table(
    ["", "design", "n", "true macro F1", "test sets left out, %"],
    [
        [key, d.name, f"{d.n}", f"{d.truth:.4f}", f"{100 * ours[key].undefined[0]:.2f}"]
        for key, d in probes.DESIGNS.items()
    ],
    numeric=(2, 3, 4),
)

# %% [markdown]
# **Coverage of nominal 95 % intervals**, in per cent with its standard error; below it the mean
# length of the intervals.

# %% tags=["hide-input"]
columns = list(probes.DESIGNS)
display(
    show.table(
        ["coverage, %", *columns],
        [
            [
                m,
                *(
                    f"{100 * coverages[m, c][0]:.1f}\u00a0±\u00a0{100 * coverages[m, c][1]:.1f}"
                    for c in columns
                ),
            ]
            for m in methods
        ],
        numeric=range(1, 7),
    ),
    show.table(
        ["mean length", *columns],
        [[m, *(f"{coverages[m, c][2]:.3f}" for c in columns)] for m in methods],
        numeric=range(1, 7),
    ),
)

# %% tags=["remove-cell"]
# Keep coverages and lengths for the text.
for method, key in coverages:
    say(
        f"validation-{method} {key}".replace(", ", "-").replace(" ", "-"),
        100 * coverages[method, key][0],
    )
for name in OURS:
    say(f"validation-worst-{name}", 100 * min(coverages[f"f1ci, {name}", c][0] for c in columns))
for key in ("balanced", "many"):
    lengths = [coverages[f"f1ci, {name}", key][2] for name in ("score", "delta")]
    say(f"validation-length-{key}", lengths[0] / lengths[1])
say(
    "validation-peer-near-perfect-length",
    coverages["confidenceinterval, analytic", "near-perfect"][2]
    / coverages["f1ci, score", "near-perfect"][2],
)

# %% mystnb={"image": {"alt": "Six panels, one for each design, with the coverage of every method as a dot beside a line at 95 per cent. Only the score interval stays close to the line, or above it, in all six."}, "figure": {"caption": "Coverage of nominal 95 % intervals for macro F1 in the six designs. Bars are two standard errors; a triangle marks what lies to the left of the panel.", "name": "fig-validation-coverage"}}
# Draw the coverage of each method in each design.
figure, axes = figures.subplots(2, 3, height=5.2, sharex=True, sharey=True)
left = 0.72
for axis, key in zip(axes.flat, columns, strict=True):
    axis.axvline(LEVEL, color=figures.COLOURS["grey"], linewidth=1)
    for place, method in enumerate(reversed(methods)):
        share, error, _ = coverages[method, key]
        colour = figures.COLOURS["blue" if method.startswith("f1ci") else "vermilion"]
        if share < left:
            axis.plot(left + 0.006, place, marker="<", color=colour, markersize=6)
            axis.text(left + 0.016, place, f"{share:.2f}", va="center", fontsize=7.5, color=colour)
        else:
            axis.errorbar(share, place, xerr=2 * error, fmt="o", color=colour)
    axis.set_title(key)
    axis.set_yticks(range(len(methods)), [m.replace(", ", "\n", 1) for m in reversed(methods)])
    axis.tick_params(axis="y", labelsize=7)
    axis.set_xlim(left, 1.005)
for axis in axes[1]:
    axis.set_xlabel("coverage")
figures.save(figure, "validation-coverage")

# %% [markdown]
# What this says, of others and of ourselves:
#
# - The analytic macro interval of confidenceinterval covers
#   {glue:text}`validation-confidenceinterval-analytic-nine-rare:.0f` % with nine rare classes. With
#   near-perfect scores it always covers, because it has
#   {glue:text}`validation-peer-near-perfect-length:.1f` times the length that it needs.
# - The posterior with prior 0 behaves like the bootstrap. It nearly keeps its level with enough items in each class,
#   and is too short otherwise. Prior 1 in every cell is strong when there are many cells and few items. It moves the
#   score away from the estimate in all classes at once, and moves the interval too.
# - **Our delta interval falls short** with rare classes and near-perfect scores: at worst
#   {glue:text}`validation-worst-delta:.1f` %. A class none of whose items is wrong (or right) adds
#   nothing to its variance. The logit scale repairs this at the border
#   ({glue:text}`validation-f1ci-logit-many:.1f` % with ten near-perfect classes, by being long),
#   but not for rare classes ({glue:text}`validation-f1ci-logit-small:.1f` % in the small design).
# - Score intervals, [below](validation-score), repair both: they cover at worst
#   {glue:text}`validation-worst-score:.1f` %. They are {glue:text}`validation-length-balanced:.2f` times as long
#   as the delta method's intervals in the balanced design, and {glue:text}`validation-length-many:.2f` times with
#   ten near-perfect classes.
#
# (validation-score)=
# ## Score intervals
#
# Each class has an interval for its own F1 score that holds in small samples:
# [the Wilson score interval](/book/lam.md). [Score intervals of averages](/book/score.md) ask Wilson's question of the
# average. Which of its values does a test not reject, if it takes the standard error under that value? Their end points
# lie in [0, 1] and enclose the estimate, and no interval has length zero. They are not in the five papers.
#
# Here is a further check. Its populations are drawn at random by a rule that differs from that of
# [the coverage atlas](/notebooks/score-intervals.ipynb). They have two to ten classes, and prevalences and accuracies
# of all kinds. In the test sets the smallest class can expect at least eight items.

# %%
rng = np.random.default_rng(streams[2])
coverage = []
with executor() as pool:
    for _ in range(populations):
        cells, n = probes.random_population(rng)
        run = f1ci.coverage.simulate(
            n,
            cells,
            method=ends,
            truth=np.full(3, probes.macro_f1(cells)),
            replicates=population_replicates,
            rng=rng.spawn(1)[0],
            executor=pool,
        )
        coverage.append(run.coverage_if_defined)
coverage = np.array(coverage)

# %% tags=["hide-input"]
# Choose the lines of the figure, and keep numbers for the text.
STYLES = {
    "delta": figures.METHODS["wald"] | {"label": "delta method"},
    "logit": {"color": figures.COLOURS["green"], "linestyle": "-.", "marker": "^"}
    | {"label": "delta method, logit scale"},
    "score": figures.METHODS["wilson_indirect"] | {"label": "score"},
}
for name, shares in zip(OURS, coverage.T, strict=True):
    say(f"validation-population-{name}-least", 100 * shares.min())
    say(f"validation-population-{name}-mean", 100 * shares.mean())
    say(f"validation-population-{name}-short", 100 * (shares < 0.93).mean())
say("validation-populations", populations)
show.table(
    ["method", "mean coverage, %", "5 % quantile", "least", "populations below 93 %, %"],
    [
        [
            STYLES[name]["label"],
            f"{100 * shares.mean():.1f}",
            f"{100 * np.quantile(shares, 0.05):.1f}",
            f"{100 * shares.min():.1f}",
            f"{100 * (shares < 0.93).mean():.0f}",
        ]
        for name, shares in zip(OURS, coverage.T, strict=True)
    ],
    numeric=(1, 2, 3, 4),
)

# %% mystnb={"image": {"alt": "Coverage in each of the random populations, sorted, for three methods. The delta method and its logit version fall far below 95 per cent in a part of the populations; score intervals stay near or above it in all."}, "figure": {"classes": "fits", "caption": "Coverage of nominal 95 % intervals for macro F1 in the random populations, sorted for each method.", "name": "fig-validation-populations"}}
# Draw the coverages in the random populations, sorted.
figure, axis = figures.subplots(height=3.4)
figure.set_figwidth(4.8)  # as wide as a phone
axis.axhline(LEVEL, color=figures.COLOURS["grey"], linewidth=1)
rank = (np.arange(populations) + 0.5) / populations
for name, shares in zip(OURS, coverage.T, strict=True):
    axis.plot(rank, np.sort(shares), **STYLES[name])
axis.set_xlabel("share of populations")
axis.set_ylabel("coverage")
axis.set_ylim(max(0.0, coverage.min() - 0.02), 1.005)
axis.legend(loc="lower right")
figures.save(figure, "validation-populations")

# %% [markdown]
# Coverage in {glue:text}`validation-populations` populations, on average and at worst:
#
# - the delta method {glue:text}`validation-population-delta-mean:.1f` % and
#   {glue:text}`validation-population-delta-least:.1f` %;
# - score intervals {glue:text}`validation-population-score-mean:.1f` % and
#   {glue:text}`validation-population-score-least:.1f` %.
#
# Score intervals exist for averages of every Tversky score over classes, and for every smooth metric:
#
# ```python
# f1ci.f1_score_interval(y_true, y_pred, average="macro")  # method="score"
# f1ci.metric_interval(matrix, "kappa")
# ```
#
# They have their limits. Here are twenty equal classes, predicted right in three of four cases, and small test
# sets. The second column has the expected number of relevant items of a class:

# %% tags=["hide-input"]
rows = []
limits = {}
with executor() as pool:
    for n in (40, 80, 160, 320):
        design = probes.Design("twenty equal classes", [1] * 20, 0.75, n)
        run = f1ci.coverage.simulate(
            n,
            design.cells,
            method=ends,
            truth=np.full(3, design.truth),
            replicates=population_replicates,
            rng=rng.spawn(1)[0],
            executor=pool,
        )
        limits[n] = run.coverage_if_defined
        expected = n / 20 * (1 + 0.25)
        left_out = f"{100 * run.undefined[0]:.1f}"
        rows.append([f"{n}", f"{expected:g}", left_out, *(f"{100 * c:.1f}" for c in limits[n])])
say("validation-limit-score", 100 * limits[80][2])
show.table(
    ["n", "relevant items of a class", "test sets left out, %"]
    + [f"{STYLES[name]['label']}, %" for name in OURS],
    rows,
    numeric=range(6),
)

# %% [markdown]
# With five relevant items in each class `score` covers
# {glue:text}`validation-limit-score:.1f` % of the test sets in which every class occurs. With fewer items
# most test sets lack a class and are left out.
#
# ## Binary F1 near 0 and 1
#
# For the binary score coverage is an exact sum, and [the
# chapter on one F1 score](/book/lam.md) says which methods keep their level. Here are 200 items, of which 50
# are expected to be relevant (true or predicted positive), with F1 from almost 0 to almost 1.

# %% tags=["hide-input"]
n, relevant = 200, 0.25
truths = np.concatenate([np.linspace(0.005, 0.05, 19), np.linspace(0.06, 0.94, 89)])
truths = np.concatenate([truths, 1 - np.linspace(0.05, 0.005, 19)])
lines = {}
for method in figures.METHODS:
    runs = []
    for truth in truths:
        share = truth / (2 - truth)
        p11, wrong = relevant * share, relevant * (1 - share) / 2
        runs.append(f1ci.coverage.exact(n, [p11, wrong, wrong, 1 - p11 - 2 * wrong], method=method))
    lines[method] = np.array([r.coverage for r in runs])
    say(f"validation-binary-{method}", 100 * lines[method].min())

# %% mystnb={"image": {"alt": "Exact coverage against the true F1 score for four methods. Wald drops far below 95 per cent near 0 and near 1; the Wilson methods stay near it except for narrow dips at the very ends; Clopper-Pearson never falls below it."}, "figure": {"classes": "fits", "caption": "Exact coverage of nominal 95 % intervals for the binary F1 score, 200 items, one quarter of them relevant.", "name": "fig-validation-binary"}}
# Draw the exact coverages against the true F1.
figure, axis = figures.subplots(height=3.4)
figure.set_figwidth(4.8)  # as wide as a phone
axis.axhline(LEVEL, color=figures.COLOURS["grey"], linewidth=1)
for method, line in lines.items():
    axis.plot(truths, line, **(figures.METHODS[method] | {"marker": ""}))
axis.set_xlabel("true F1 score")
axis.set_ylabel("coverage")
axis.set_ylim(0.5, 1.005)
axis.legend(loc="lower center", ncols=2)
figures.save(figure, "validation-binary")

# %% [markdown]
# The least coverage on this grid: Wald {glue:text}`validation-binary-wald:.1f` %, Wilson direct
# {glue:text}`validation-binary-wilson_direct:.1f` %, Wilson indirect
# {glue:text}`validation-binary-wilson_indirect:.1f` %, Clopper-Pearson
# {glue:text}`validation-binary-clopper_pearson:.1f` %.
#
# ## What to use
#
# | you have | use |
# |---|---|
# | any F score, of one class or averaged | `method="score"`, the default. `"cautious"` for one class, if falling short is worse than being long: for F1, Jaccard, precision and recall it is proved never to fall short, for F-beta this is measured |
# | items in clusters | `groups=`; or confidence-intervals with `conditions=` |
# | any other metric | a bootstrap, from SciPy or confidence-intervals; it has no width at a perfect score |
# | prior knowledge of the classes | prob-conf-mat, with a prior that you would defend |
