# %% [markdown]
# # Comparison with other packages: answers and speed
#
# Do other packages give the same intervals, and how long do they take? This page gives five small
# confusion matrices to the packages that a user might pick instead of `f1ci`. It shows their
# intervals beside ours, and counts how often each interval contains the truth in simulated test
# sets. At the end it compares times.
#
# The other packages need library versions of their own. So their answers and times were collected
# in a separate environment and are data here; `make peers` and `make bench` collect them anew.
# Everything else on this page is computed in this run.

# %% tags=["parameters"]
replicates: int = 100_000  # test sets per design, for the intervals of f1ci
bootstrap_replicates: int = 1_000  # the same for the bootstrap, which is slow
resamples: int = 999  # resamples of one bootstrap
seed: int = 20261118  # root of all random streams

# %% tags=["remove-cell"]
# Import what the notebook uses and open the ledger.
import json
import warnings
from datetime import date

import numpy as np
from compendium import data, figures, ledger, show
from compendium.pool import executor
from IPython.display import display
from scipy import special

import f1ci

say = ledger.open("validation").say

# %%
# Read what the other packages answered, and how long they took.
answers = json.loads(data.read_verified("peers.json"))
speed = json.loads(data.read_verified("speed.json"))
PROBES = answers["asked"]["probes"]
DESIGNS = answers["asked"]["designs"]
LEVEL = 0.95
z = special.ndtri((1 + LEVEL) / 2)
say("validation-date", answers["date"])

# %% [markdown]
# The answers are of {glue:text}`validation-date`, from these versions.

# %% tags=["hide-input"]
# Show the packages and their versions.
WHAT = {
    "confidenceinterval": "scikit-learn's scores with analytic and bootstrap intervals",
    "confidence-intervals": "L. Ferrer's bootstrap for any metric, with conditions",
    "prob-conf-mat": "posteriors of any metric of a confusion matrix",
    "statsmodels": "intervals for a proportion, here TP of TP + FP + FN",
    "scipy": "intervals for a proportion, bootstrap",
}
rows = [[name, answers["versions"][name], text] for name, text in WHAT.items()]
show.table(
    ["package", "version", "what it offers here"],
    rows,
    caption="The packages, their versions, and what they offer here.",
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
def macro_f1(p):
    """Return the mean over classes of 2 TP / (2 TP + FP + FN)."""
    right = np.diagonal(p, axis1=-2, axis2=-1)
    return (2 * right / (p.sum(axis=-1) + p.sum(axis=-2))).mean(axis=-1)


METRICS = {
    "f1": lambda p: 2 * p[1, 1] / (p[1].sum() + p[:, 1].sum()),
    "micro_f1": lambda p: np.trace(p) / p.sum(),
    "macro_f1": macro_f1,
    "macro_precision": lambda p: (p.diagonal() / p.sum(axis=0)).mean(),
    "macro_recall": lambda p: (p.diagonal() / p.sum(axis=1)).mean(),
}


def numeric_interval(matrix, metric):
    """Return estimate, low and high of the delta method with central differences."""
    counts = np.array(matrix, dtype=float)
    n = counts.sum()
    p = counts.ravel() / counts.sum()
    step = 1e-6 * np.eye(p.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        at = [[metric((p + s * e).reshape(counts.shape)) for e in step] for s in (1, -1)]
        gradient = np.subtract(*at) / 2e-6
        estimate = metric(counts / n)
    variance = gradient @ (np.diag(p) - np.outer(p, p)) @ gradient / n
    half = z * np.sqrt(np.maximum(variance, 0.0))
    return estimate, estimate - half, estimate + half


# %% tags=["hide-input"]
OURS_OF = {
    "f1": ("wilson_indirect", "wilson_direct", "clopper_pearson", "wald"),
    "micro_f1": ("score", "cautious", "delta"),
}


def our_interval(matrix, metric, method):
    """Return estimate, low and high of f1ci, and the names of its warnings."""
    name = metric.removeprefix("macro_")
    if name in ("precision", "recall"):
        metric = f1ci.metrics.macro(name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        interval = f1ci.Matrix(matrix).interval(metric, method=method)
    seen = ", ".join(sorted({w.category.__name__ for w in caught}))
    return [interval.estimate, *interval], seen


# %% tags=["hide-input"]
def all_answers(probe, metric):
    """Return package, method, end points and problems of every answer to a question."""
    matrix = PROBES[probe]
    numeric = numeric_interval(matrix, METRICS[metric])
    found = {("reference", "delta method, numeric"): (numeric, "")}
    for method in OURS_OF.get(metric, ("score", "delta", "logit")):
        found["f1ci", method] = our_interval(matrix, metric, method)
    for row in answers["intervals"]:
        if (row["probe"], row["metric"]) == (probe, metric):
            ends = [np.nan if row[k] is None else row[k] for k in ("estimate", "low", "high")]
            problem = row["message"] or ", ".join(row["warnings"])
            found[row["package"], row["method"]] = ends, problem
    return found


# %% tags=["hide-input"]
def remark(ends, problem):
    """Say what a reader must know of an interval, by its numbers and by what was warned."""
    estimate, low, high = ends
    facts = {
        "no interval": np.isnan(low) or np.isnan(high),
        "no width": high - low < 1e-12,
        "leaves [0, 1]": high - low >= 1e-12 and (low < 0 or high > 1),
        "excludes its estimate": estimate < low - 1e-12 or estimate > high + 1e-12,
        problem: bool(problem),
    }
    return "; ".join(fact for fact, holds in facts.items() if holds)


def answers_to(probe, metric):
    """Return the table of all intervals for one metric of one matrix."""
    rows = []
    for (package, method), (ends, problem) in all_answers(probe, metric).items():
        numbers = [*ends, ends[2] - ends[1]]
        texts = ["" if np.isnan(x) else f"{x:.4f}" for x in numbers]
        rows.append([package, method, *texts, remark(ends, problem)])
    name = metric.replace("_", " ").replace("f1", "F1")
    head = ["package", "method", "estimate", "low", "high", "length", "remark"]
    return show.table(
        head,
        rows,
        numeric=(2, 3, 4, 5),
        caption=f"Matrix {probe}, {name}: every answer. The remark says what is wrong with an interval.",
    )


# %% tags=["hide-input"]
def answer(probe, metric, package, method):
    """Return estimate, low and high of one interval of these tables."""
    return np.array(all_answers(probe, metric)[package, method][0])


def length(probe, metric, package, method):
    """Return the length of one interval of these tables."""
    _, low, high = answer(probe, metric, package, method)
    return high - low


# %% [markdown]
# ### (a) An ordinary test set

# %% tags=["hide-input"]
# Show all answers for matrix (a).
display(answers_to("a", "f1"), answers_to("a", "macro_f1"))

# %% tags=["remove-cell"]
# Check that f1ci and the other packages give the same interval where the method is the same.
apart = []
for ours, package, theirs in (
    ("wilson_indirect", "statsmodels", "proportion_confint wilson, on F*"),
    ("wilson_indirect", "scipy", "binomtest wilson, on F*"),
    ("clopper_pearson", "statsmodels", "proportion_confint beta, on F*"),
    ("clopper_pearson", "scipy", "binomtest exact, on F*"),
):
    off = answer("a", "f1", "f1ci", ours) - answer("a", "f1", package, theirs)
    apart.append(np.abs(off[1:]).max())
say("validation-same", max(apart))
NUMERIC, ANALYTIC = ("reference", "delta method, numeric"), ("confidenceinterval", "analytic")
ratio = length("a", "macro_f1", *ANALYTIC) / length("a", "macro_f1", *NUMERIC)
say("validation-a-macro-ratio", ratio)

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
# Show all answers for matrix (b).
display(*(answers_to("b", m) for m in ("macro_f1", "macro_precision", "macro_recall", "micro_f1")))

# %% tags=["remove-cell"]
# Keep for the text what explains the answers to question (b).
table = np.array(PROBES["b"])
f = 2 * table.diagonal() / (table.sum(0) + table.sum(1))
say("validation-b-weighted", f @ table.sum(1) / table.sum())
observed = answer("b", "micro_f1", "prob-conf-mat", "posterior, prior 0")
say("validation-b-observed", observed[0])
say("validation-b-relevant", int((table.sum(0) + table.sum(1) - table.diagonal())[0]))
say("validation-b-micro", np.trace(table) / table.sum())
for metric in ("macro_precision", "macro_recall"):
    ratio = length("b", metric, *ANALYTIC) / length("b", metric, *NUMERIC)
    say(f"validation-b-{metric}", ratio)

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
# Show all answers for matrix (c).
display(answers_to("c", "f1"), answers_to("c", "macro_f1"))

# %% tags=["remove-cell"]
# Keep the intervals of question (c) for the text.
for key, package, method in (
    ("peer", "confidenceinterval", "analytic"),
    ("ours", "f1ci", "score"),
    ("posterior", "prob-conf-mat", "posterior, prior 1"),
):
    _, low, high = answer("c", "macro_f1", package, method)
    say(f"validation-c-{key}-low", low)
    say(f"validation-c-{key}-high", high)

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
# Show all answers for matrices (d) and (e).
display(*(answers_to("d", m) for m in ("f1", "macro_f1")))
display(*(answers_to("e", m) for m in ("macro_f1", "macro_precision")))

# %% tags=["remove-cell"]
# Keep the comparison of question (d) for the text.
say("validation-d-delta-high", answer("d", "macro_f1", *NUMERIC)[2])
say("validation-d-ours-high", answer("d", "macro_f1", "f1ci", "score")[2])

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
    n = counts.sum()
    r = len(counts)
    both = counts.sum(0) + counts.sum(1)
    wrong = both - 2 * counts.diagonal()
    f = 2 * counts.diagonal() / both
    cross = counts * np.outer(f, f) / (both + both[:, None])
    total = (f * wrong / both**2 + f / 2 + wrong / both).sum() + cross.sum() - cross.trace()
    return z * np.sqrt(2 * total / (r**2 * n))


def gradient_slip(matrix, metric):
    """Return half the length of the others' interval after the first and the second slip."""
    counts = np.array(matrix, dtype=float)
    p = counts / counts.sum()
    name = metric.removeprefix("macro_")
    if metric == "f1":
        gradient = f1ci.metrics.f1.gradient(matrix)
    else:
        gradient = f1ci.metrics.macro(name).gradient(matrix)
        gradient[np.diag_indices(len(p))] *= p.sum(axis=0 if name == "precision" else 1)
    squares = np.diag(p.ravel()) - p.ravel() ** 2
    variance = gradient.ravel() @ squares @ gradient.ravel() / counts.sum()
    return z * np.sqrt(variance)


# %% tags=["hide-input"]
# Compare half lengths of the analytic intervals with the delta method.
MACROS = ("macro_f1", "macro_precision", "macro_recall")
rows = []
worst = 0.0
for probe, matrix in PROBES.items():
    for metric in MACROS if len(matrix) > 2 else ("f1", *MACROS):
        half = [length(probe, metric, *which) / 2 for which in (NUMERIC, ANALYTIC)]
        if np.isnan(half[1]):
            continue
        slipped = macro_f1_slip(matrix) if metric == "macro_f1" else gradient_slip(matrix, metric)
        worst = max(worst, abs(slipped - half[1]))
        name = metric.replace("_", " ").replace("f1", "F1")
        rows.append([f"({probe}) {name}", *(f"{x:.6f}" for x in (*half, slipped))])
say("validation-slips", worst)
# The package's gradient of binary F1 is in single precision; macro F1 has 1e-7 in its divisors.
assert worst < 1e-6
head = ["half the length", "delta method", "confidenceinterval", "delta method with the slips"]
show.table(
    head,
    rows,
    numeric=(1, 2, 3),
    caption=(
        "Half lengths of the macro intervals of confidenceinterval. The delta method with its "
        "slips gives its numbers."
    ),
)

# %% [markdown]
# The last two columns agree within {glue:text}`validation-slips:.0e`. The point estimates of the
# package are right, and so is its micro average.
#
# (validation-coverage)=
# ## How often do they cover?
#
# Macro F1 in six designs. Wrong predictions fall on the other classes in proportion to their sizes.
# Test sets in which some class is not true and not predicted are left out for all methods, because
# macro F1 is undefined there. The table says how many.

# %% tags=["remove-cell"]
OURS = ("delta", "logit", "score")


def ends(counts):
    """Return the end points of f1ci's three intervals for macro F1, of shape (batch, 3)."""
    limits = []
    with warnings.catch_warnings():
        # Undefined scores and rare classes are outcomes here. Undefined scores are counted.
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        for method in OURS:
            interval = f1ci.Matrix(counts).interval("macro_f1", method=method)
            undefined = np.isnan(interval.estimate)
            limits.append([np.where(undefined, np.nan, end) for end in interval])
    low, high = np.moveaxis(limits, 0, -1)
    return low, high


# %%
# Simulate f1ci's intervals in each design.
streams = np.random.SeedSequence(seed).spawn(2)
ours = {}
with executor() as pool:
    for stream, (key, design) in zip(streams[0].spawn(6), DESIGNS.items(), strict=True):
        ours[key] = f1ci.coverage.simulate(
            design["n"],
            np.array(design["cells"]),
            method=ends,
            truth=np.full(3, design["truth"]),
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
# Read the coverages of the other packages.
coverages = {}  # (method, design) -> coverage, its standard error, mean length


def keep(method, key, covered, count, length):
    """Keep the coverage of a method in a design."""
    share = covered / count
    coverages[method, key] = share, np.sqrt(share * (1 - share) / count), length


for key, package in (("peer", "confidenceinterval"), ("posterior", "prob-conf-mat")):
    say(f"validation-{key}-replicates", f"{answers['asked']['replicates'][package]:,}")
for row in answers["coverage"]:
    method = f"{row['package']}, {row['method']}"
    keep(method, row["design"], row["covered"], row["defined"], row["length"])


# %% tags=["hide-input"]
def bootstrap_ends(table, rng):
    """Return the percentile interval of macro F1 over the classes that a resample holds."""
    n = int(table.sum())
    drawn = rng.multinomial(n, table.ravel() / n, size=resamples).reshape(-1, *table.shape)
    total = drawn.sum(axis=1) + drawn.sum(axis=2)
    right = np.diagonal(drawn, axis1=1, axis2=2)
    scores = (2 * right / np.maximum(total, 1)).sum(axis=1) / (total > 0).sum(axis=1)
    return np.quantile(scores, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])


for stream, (key, design) in zip(streams[1].spawn(6), DESIGNS.items(), strict=True):
    rng = np.random.default_rng(stream)
    cells = np.array(design["cells"])
    truth = design["truth"]
    drawn = rng.multinomial(design["n"], cells.ravel(), size=bootstrap_replicates)
    drawn = drawn.reshape(-1, *cells.shape)
    drawn = drawn[((drawn.sum(axis=1) + drawn.sum(axis=2)) > 0).all(axis=1)]
    low, high = np.transpose([bootstrap_ends(t, rng) for t in drawn])
    inside = f1ci.coverage.covers(low, high, truth)
    keep("bootstrap, percentile", key, inside.sum(), len(drawn), (high - low).mean())
for key, run in ours.items():
    numbers = (run.coverage_if_defined, run.coverage_if_defined_error, run.expected_length)
    for name, *results in zip(OURS, *numbers, strict=True):
        coverages[f"f1ci, {name}", key] = tuple(results)
methods = list(dict.fromkeys(method for method, _ in coverages))

# %% tags=["hide-input"]
# Show the designs.
rows = []
for key, design in DESIGNS.items():
    row = [key, design["name"], f"{design['n']}", f"{design['truth']:.4f}"]
    rows.append([*row, f"{100 * ours[key].undefined[0]:.2f}"])
head = ["name", "design", "n", "true macro F1", "test sets left out, %"]
show.table(
    head,
    rows,
    numeric=(2, 3, 4),
    caption=(
        "The designs of the study. Test sets in which a class is never true are left out, "
        "because the other packages refuse them."
    ),
)

# %% [markdown]
# **Coverage of nominal 95 % intervals**, in per cent with its standard error; below it the mean
# length of the intervals.

# %% tags=["hide-input"]
# Show the coverage of each method in each design.
columns = list(DESIGNS)
shares, long = [], []
for m in methods:
    results = [coverages[m, c] for c in columns]
    texts = [f"{100 * share:.1f}\u00a0±\u00a0{100 * error:.1f}" for share, error, _ in results]
    shares.append([m, *texts])
    long.append([m, *(f"{length_:.3f}" for *_, length_ in results)])
display(
    show.table(
        ["coverage, %", *columns],
        shares,
        numeric=range(1, 7),
        caption=(
            "Coverage of nominal 95 % intervals. In parentheses is the standard error of each "
            "percentage."
        ),
    ),
    show.table(
        ["mean length", *columns],
        long,
        numeric=range(1, 7),
        caption="Mean length of the same intervals. A short interval is good only where it covers.",
    ),
)

# %% tags=["remove-cell"]
# Keep coverages and lengths for the text.
for method, key in (("confidenceinterval, analytic", "nine-rare"), ("f1ci, logit", "many")):
    name = f"{method} {key}".replace(", ", "-").replace(" ", "-")
    say(f"validation-{name}", 100 * coverages[method, key][0])
say("validation-f1ci-logit-small", 100 * coverages["f1ci, logit", "small"][0])
for name in ("delta", "score"):
    say(f"validation-worst-{name}", 100 * min(coverages[f"f1ci, {name}", c][0] for c in columns))
for key in ("balanced", "many"):
    lengths = [coverages[f"f1ci, {name}", key][2] for name in ("score", "delta")]
    say(f"validation-length-{key}", lengths[0] / lengths[1])
near_perfect = [
    coverages[name, "near-perfect"][2] for name in ("confidenceinterval, analytic", "f1ci, score")
]
say("validation-peer-near-perfect-length", near_perfect[0] / near_perfect[1])

# %% mystnb={"image": {"alt": "Six panels, one for each design, with the coverage of every method as a dot beside a line at 95 per cent. Only the score interval stays close to the line, or above it, in all six."}, "figure": {"caption": "Coverage of nominal 95 % intervals for macro F1 in the six designs. Bars are two standard errors; a triangle marks what lies to the left of the panel.", "name": "fig-validation-coverage"}}
# Draw the coverage of each method in each design.
figure, axes = figures.subplots(3, 2, height=10.5, sharex=True, sharey=True)
left = 0.72
# Long names have two lines.
names_beside = [m if len(m) < 14 else m.replace(", ", "\n", 1) for m in reversed(methods)]
for axis, key in zip(axes.flat, columns, strict=True):
    axis.axvline(LEVEL, color=figures.COLOURS["grey"], linewidth=1, label=f"the level: {LEVEL:g}")
    for place, method in enumerate(reversed(methods)):
        share, error, _ = coverages[method, key]
        colour = figures.COLOURS["blue" if method.startswith("f1ci") else "vermilion"]
        if share < left:
            axis.plot(left + 0.006, place, marker="<", color=colour, markersize=6)
            axis.text(left + 0.02, place, f"{share:.2f}", va="center", color=colour)
        else:
            axis.errorbar(share, place, xerr=2 * error, fmt="o", color=colour)
    axis.set_title(key)
    axis.set_yticks(range(len(methods)), names_beside)
    axis.set_xlim(left, 1.005)
for axis in axes[-1]:
    axis.set_xlabel("coverage")
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center")
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
# - [Score intervals](/book/score.md), the default of `f1ci`, repair both: they cover at worst
#   {glue:text}`validation-worst-score:.1f` %. They are {glue:text}`validation-length-balanced:.2f` times as long
#   as the delta method's intervals in the balanced design, and {glue:text}`validation-length-many:.2f` times with
#   ten near-perfect classes.
#
# The pages on [score intervals](/notebooks/score-intervals.ipynb) and on
# [one F1 score](/notebooks/choosing-a-method.ipynb) look at many more designs, and also at those in
# which our own intervals fall short.
#
# (validation-speed)=
# ## Speed
#
# How long does an interval take? Times depend on the machine. Ratios of times hardly do, if both
# times are taken in turns in one run. So the table compares `f1ci` with the packages that one would
# pick instead. The times are from one recorded run, of {glue:text}`speed-date`, on one core of:
# {glue:text}`speed-processor`.

# %% tags=["hide-input"]
# Show the times.
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}


def duration(value):
    """Return a time with three digits and a unit."""
    unit = next((u for u, size in UNITS.items() if float(f"{value:.3g}") >= size), "µs")
    return f"{float(f'{value / UNITS[unit]:.3g}'):,g} {unit}"


def times_as_long(line):
    """Return how many times as long the other package takes."""
    ratio = line["theirs"] / line["ours"]
    return f"{float(f'{ratio:.2g}'):,g}"


rows = []
for x in speed["lines"]:
    times = [duration(x["ours"]), x["other"], duration(x["theirs"])]
    rows.append([x["question"], *times, times_as_long(x)])
show.table(
    ["question", "f1ci", "other", "its time", "times as long"],
    rows,
    numeric=(1, 3, 4),
    caption=(
        "Times beside the package that one would pick instead. Above 1 the other package "
        "takes longer."
    ),
)

# %% tags=["remove-cell"]
# Keep the times for the text.
one, labelled, million = (
    next(x for x in speed["lines"] if x["question"].startswith(begin))
    for begin in ("one interval", "binary F1 interval from 1000", "1,000,000 intervals")
)
say("speed-date", f"{date.fromisoformat(speed['date']):%d %B %Y}".lstrip("0"))
say("speed-processor", speed["processor"])
say("speed-one", duration(one["ours"]))
say("speed-labels", duration(labelled["ours"]))
say("speed-labels-times", times_as_long(labelled))
say("speed-million", duration(million["ours"]))

# %% [markdown]
# - One interval from three counts takes {glue:text}`speed-one`. You can compute it inside any loop.
# - From 1000 labels it takes {glue:text}`speed-labels`, most of it to count. The analytic interval
#   of `confidenceinterval` takes {glue:text}`speed-labels-times` times as long. Nearly all of that
#   time is scikit-learn's `confusion_matrix`, which checks more kinds of input.
# - The bootstrap evaluates the metric thousands of times. It needs no formula, and works for any
#   metric.
# - `prob-conf-mat` draws from the posterior of the whole matrix. It then has the draws of every
#   other metric as well.
# - A million intervals at once take {glue:text}`speed-million`. A simulation should pass arrays
#   instead of looping.
#
# ## What to use
#
# | you have | use |
# |---|---|
# | any F score, of one class or averaged | `method="score"`, the default. `"cautious"` for one class, if falling short is worse than being long: for F1, Jaccard, precision and recall it is proved never to fall short, for F-beta this is measured |
# | items in clusters | `groups=`; or confidence-intervals with `conditions=` |
# | any other metric | a bootstrap, from SciPy or confidence-intervals; it has no width at a perfect score |
# | prior knowledge of the classes | prob-conf-mat, with a prior that you would defend |
