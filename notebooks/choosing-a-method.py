# %% [markdown]
# # Choosing a method for one F1 score
#
# Four methods turn the counts of one binary classifier into an interval for its F1 score. Which
# one should you use? The short answer is the default of `f1ci`, Wilson indirect. This page has the
# evidence: exact coverage and exact expected length for *every* true score, not for a few
# scenarios, and the situations in which another method is better.
#
# ## The short answer
#
# | your situation | use | because |
# |:--|:--|:--|
# | one score to report, nothing special | `wilson_indirect` | covers as promised on average over the true scores, stays inside $[0, 1]$, always has a width, and is shorter than Clopper-Pearson and, for scores above one half, than Wilson direct |
# | a low score (below one third) and few relevant items (some tens at most) | `wilson_direct` | shorter there, and covers at least as much on average; between one third and one half it is shorter, but covers less |
# | the level must be kept whatever the truth (a safety claim, a regulator) | `clopper_pearson` | the only one of the four whose coverage is never below its level; at $v = 25$ it is {glue:text}`choosing-cp-price:.0f` % longer than the default |
# | no item right, or no item wrong | any but `wald` | Wald has no width there |
# | hundreds of relevant items, a score well inside $(0, 1)$ | any | the four hardly differ, see [below](#when-does-the-choice-not-matter) |
# | the interval must match a delta-method interval for other metrics of the same table | `wald` | it *is* that interval; check first that $v$ is large enough |
# | several classes, F-beta, many metrics at once, two models | none of these | see [the last section](#what-these-four-methods-do-not-do) |
#
# What counts is $v = \mathrm{TP} + \mathrm{FP} + \mathrm{FN}$, the number of relevant items, not
# the size $n$ of the test set. The methods themselves are in [the chapter](/book/lam.md).
#
# ```python
# import f1ci
#
# f1ci.f1_interval(77, 44, 10)  # tp, fp, fn
# f1ci.f1_interval(77, 44, 10, method="clopper_pearson", confidence_level=0.99)
# ```

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of all intervals
relevant: list[int] = [10, 25, 50, 100, 500]  # numbers v of relevant items, rising
points: int = 1_500  # true scores on each curve
largest: int = 2_000  # how far to search for the v from which a method may be trusted
test_size: int = 500  # size n of the test set in the section on prevalence
prevalences: list[float] = [0.02, 0.1, 0.5]  # shares of positives there

# %%
import warnings

import numpy as np
from compendium import figures, ledger, show
from scipy.special import betainc
from scipy.stats import binom

import f1ci

say = ledger.open("choosing-a-method").say

methods = {name: look["label"] for name, look in figures.METHODS.items()}


def f1_of(share):
    """F1 from F*."""
    return 2 * share / (1 + share)


def share_of(f1):
    """F* from F1."""
    return f1 / (2 - f1)


def all_intervals(v, method):
    """The end points for every possible number of true positives among v relevant items."""
    tp = np.arange(v + 1)
    with warnings.catch_warnings():
        # Intervals without length, and undefined scores, are outcomes here.
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        low, high = f1ci.f1_interval(
            tp, v - tp, 0, method=method, confidence_level=confidence_level
        )
    return tp, low, high


def at(v, method, f1):
    """Exact coverage and expected length at true scores, given v."""
    tp, low, high = all_intervals(v, method)
    f1 = np.atleast_1d(f1)[:, None]
    weight = binom.pmf(tp, v, share_of(f1))
    return (weight * ((low <= f1) & (f1 <= high))).sum(axis=1), weight @ (high - low)


scores = (np.arange(points) + 0.5) / points
found = {(v, m): at(v, m, scores) for v in relevant for m in methods}
# The package's own enumeration, which lets v vary, agrees where v is certain.
for (v, method), (coverage, length) in found.items():
    share = float(share_of(scores[points // 3]))
    whole = f1ci.coverage.exact(
        v, [share, 1 - share, 0, 0], method=method, confidence_level=confidence_level
    )
    assert abs(whole.coverage - coverage[points // 3]) < 1e-8
    assert abs(whole.expected_length - length[points // 3]) < 1e-8

# %% [markdown]
# ## Coverage, for every true score
#
# Given $v$, coverage is a sum over the $v + 1$ possible numbers of true positives
# ({prf:ref}`prop-lam-coverage`). The saw teeth are real: counts are integers, and coverage jumps
# wherever the true score passes an end point ({prf:ref}`cor-lam-coverage-block`).

# %% mystnb={"image": {"alt": "Twenty small panels, a row for each number of relevant items and a column for each method: exact coverage against the true F1 score. Clopper-Pearson stays above the nominal line. Wald falls far below it towards both borders, for few items everywhere. Both Wilson curves saw around the line, with a short dip near the borders; the teeth shrink as items increase."}, "figure": {"caption": "Exact coverage against the true F1 score, by number $v$ of relevant items (rows) and method (columns). The line is the nominal level. Wald's curve leaves the picture: towards the borders it falls to zero.", "name": "fig-choosing-coverage"}}
figure, axes = figures.subplots(
    len(relevant), 4, height=1.35 * len(relevant) + 0.6, sharex=True, sharey=True, squeeze=False
)
for row, v in zip(axes, relevant, strict=True):
    for axis, (method, look) in zip(row, figures.METHODS.items(), strict=True):
        axis.axhline(confidence_level, color="black", linewidth=0.8)
        axis.plot(scores, found[v, method][0], color=look["color"], linewidth=0.9)
    row[0].set_ylabel(f"$v$ = {v}")
for axis, label in zip(axes[0], methods.values(), strict=True):
    axis.set_title(label)
floor = 1 - 4 * (1 - confidence_level)
axes[0, 0].set(ylim=(floor, 1.005), xlim=(0, 1), xticks=[0, 0.5, 1])
figure.supxlabel("true $F_1$", fontsize=10)
figures.save(figure, "choosing-a-method-coverage")

# %% tags=["remove-cell"]
# A part of it, for the front page and the README.
figure, axes = figures.subplots(2, 2, height=4.0, sharex=True, sharey=True)
figure.set_figwidth(4.8)  # as wide as a phone
grid = (np.arange(1_500) + 0.5) / 1_500
for axis, (method, look) in zip(axes.flat, figures.METHODS.items(), strict=True):
    axis.axhline(confidence_level, color="black", linewidth=0.8)
    axis.plot(grid, at(50, method, grid)[0], color=look["color"], linewidth=0.9)
    axis.set(title=look["label"], xticks=[0, 0.5, 1])
axes[0, 0].set(ylim=(floor, 1.005), xlim=(0, 1))
figure.supxlabel("true $F_1$", fontsize=10)
figure.supylabel("coverage", fontsize=10)
figures.save(figure, "choosing-a-method-front")

# %% [markdown]
# Two numbers sum a curve up. Its **mean over F\***, all values of F\* counted alike, is a finite
# sum of Beta distribution functions: the mean of $\binom{v}{t} x^t (1 - x)^{v - t}$ over an
# interval of $x$ is a Beta probability divided by $v + 1$. Its **infimum** is known exactly too:
# between neighbouring end points coverage rises, falls, or rises and then falls, if the counts
# that cover form a block ({prf:ref}`cor-lam-coverage-block`). So it is enough to look on both
# sides of every end point. (For Wald they need not form a block; but its coverage falls to zero at
# the borders, and nothing is less than that.)


# %%
def mean_coverage(v, method):
    """Mean coverage over F* uniform on [0, 1], exactly."""
    tp, low, high = all_intervals(v, method)
    low, high = share_of(np.clip(low, 0, 1)), share_of(np.clip(high, 0, 1))
    return float((betainc(tp + 1, v - tp + 1, high) - betainc(tp + 1, v - tp + 1, low)).mean())


def least_coverage(v, method):
    """The infimum of the coverage over all scores strictly between 0 and 1, and where it is."""
    _, low, high = all_intervals(v, method)
    ends = np.concatenate([low, high])
    ends = ends[(ends > 0) & (ends < 1)]
    sides = np.concatenate([ends * (1 - 1e-11), ends + (1 - ends) * 1e-11, [1e-13, 1 - 1e-13]])
    coverage = np.concatenate([at(v, method, part)[0] for part in np.array_split(sides, 8)])
    worst = coverage.argmin()
    return float(coverage[worst]), float(sides[worst])


summary = {(v, m): (mean_coverage(v, m), *least_coverage(v, m)) for v in relevant for m in methods}
short = confidence_level - 0.01
rows = []
for (v, method), (mean, least, where) in summary.items():
    coverage, length = found[v, method]
    rows.append(
        [
            f"{v}",
            methods[method],
            f"{mean:.4f}",
            f"{coverage.mean():.4f}",
            f"{least:.3f} at {where:.3f}"
            if 1e-6 < where < 1 - 1e-6
            else f"{least:.3f} at a border",
            f"{100 * (coverage < short).mean():.0f} %",
            f"{length.mean():.3f}",
        ]
    )
head = [
    "v",
    "method",
    "mean over F*",
    "mean over F1",
    "infimum, at F1",
    f"scores with less than {short:g}",
    "mean length",
]
show.table(head, rows, numeric=(0, 2, 3, 4, 5, 6))

# %% [markdown]
# What the table says:
#
# - **Wald** does not do what it promises for few items. At $v = 25$ its mean coverage is
#   {glue:text}`choosing-wald-25:.3f`, and near the borders coverage is zero, whatever $v$ is: with
#   no item right its interval is the single point 0.
# - **Clopper-Pearson** keeps its level everywhere, as {prf:ref}`prop-lam-clopper-pearson` proves,
#   and overdoes it: at $v = 25$ it covers {glue:text}`choosing-cp-25:.3f` on average.
# - **Both Wilson methods** are within half a percentage point of the level on average from
#   $v = 10$ on. Both fall to about {glue:text}`choosing-wilson-worst:.2f` at isolated scores
#   within about $1/v$ of a border. That dip never goes away; it only becomes narrower. Who cannot
#   accept it needs Clopper-Pearson.
#
# ## Expected length

# %% mystnb={"image": {"alt": "Two rows of five panels, one for each number of relevant items. Top: expected length against the true F1, arches that are lower for more items. Bottom: length relative to Wilson indirect. Clopper-Pearson is above one everywhere. Wilson direct is below one for low scores and above for high ones, up to 20 percent and more at ten items. From a hundred items on the curves lie within a few percent."}, "figure": {"caption": "Exact expected length against the true F1 score, for several numbers $v$ of relevant items. Top: the length. Bottom: relative to Wilson indirect.", "name": "fig-choosing-length"}}
figure, axes = figures.subplots(
    2, len(relevant), height=4.6, sharex=True, sharey="row", squeeze=False
)
for (above, below), v in zip(axes.T, relevant, strict=True):
    for method, look in figures.METHODS.items():
        line = {**look, "marker": "", "linewidth": 1.3}
        above.plot(scores, found[v, method][1], **line)
        below.plot(scores, found[v, method][1] / found[v, "wilson_indirect"][1], **line)
    above.set(title=f"$v$ = {v}", xlim=(0, 1), xticks=[0, 0.5, 1], ylim=(0, None))
    below.set(ylim=(0.65, 1.55))
axes[0, 0].set_ylabel("expected length")
axes[1, 0].set_ylabel("relative")
axes[1, len(relevant) // 2].set_xlabel("true $F_1$")
handles, labels = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=4)
figures.save(figure, "choosing-a-method-length")

# %% [markdown]
# ## Why Wilson indirect is the default
#
# Between the two Wilson intervals the choice depends on the score ({prf:ref}`thm-lam-shift`,
# {prf:ref}`thm-lam-lengths`). Here they are side by side, for low, middle and high true scores:

# %%
thirds = {"below 1/3": scores < 1 / 3, "middle": (scores >= 1 / 3) & (scores <= 2 / 3)}
thirds["above 2/3"] = scores > 2 / 3
rows = []
for v in relevant:
    for name, some in thirds.items():
        cells = []
        for method in ("wilson_indirect", "wilson_direct"):
            coverage, length = (values[some] for values in found[v, method])
            cells += [
                f"{coverage.mean():.4f}",
                f"{100 * (coverage < short).mean():.0f} %",
                f"{length.mean():.4f}",
            ]
        rows.append([f"{v}", name, *cells])
head = ["v", "true F1"]
for word in ("indirect", "direct"):
    head += [f"{word}: coverage", f"less than {short:g}", "length"]
show.table(head, rows, numeric=(0, 2, 3, 4, 5, 6, 7))

# %%
high = thirds["above 2/3"]


def in_high(v, method):
    """Mean coverage and mean length over the high scores."""
    return tuple(float(values[high].mean()) for values in found[v, method])


first = relevant[0]
say("choosing-first", first)
say("choosing-indirect-high-coverage", in_high(first, "wilson_indirect")[0])
say("choosing-direct-high-coverage", in_high(first, "wilson_direct")[0])
say(
    "choosing-direct-high-excess",
    100 * (in_high(first, "wilson_direct")[1] / in_high(first, "wilson_indirect")[1] - 1),
)
low = thirds["below 1/3"]
say("choosing-indirect-low-coverage", float(found[first, "wilson_indirect"][0][low].mean()))
say("choosing-direct-low-coverage", float(found[first, "wilson_direct"][0][low].mean()))
say(
    "choosing-direct-low-saving",
    100
    * (
        1
        - float(
            found[first, "wilson_direct"][1][low].mean()
            / found[first, "wilson_indirect"][1][low].mean()
        )
    ),
)
say("choosing-wald-25", mean_coverage(25, "wald"))
say("choosing-cp-25", mean_coverage(25, "clopper_pearson"))
worst = min(summary[v, m][1] for v in relevant for m in ("wilson_direct", "wilson_indirect"))
say("choosing-wilson-worst", worst)
price = at(25, "clopper_pearson", scores)[1].mean() / at(25, "wilson_indirect", scores)[1].mean()
say("choosing-cp-price", 100 * float(price - 1))


# %% [markdown]
# - **For high scores indirect is better on both counts.** At $v$ =
#   {glue:text}`choosing-first` and true scores above 2/3 it covers
#   {glue:text}`choosing-indirect-high-coverage:.3f` on average, direct
#   {glue:text}`choosing-direct-high-coverage:.3f`; yet direct is
#   {glue:text}`choosing-direct-high-excess:.0f` % longer.
# - **For low scores it is the other way round.** Below 1/3, direct covers
#   {glue:text}`choosing-direct-low-coverage:.3f` and indirect
#   {glue:text}`choosing-indirect-low-coverage:.3f`, and direct is
#   {glue:text}`choosing-direct-low-saving:.0f` % shorter. So the default is a choice for the
#   scores that people report, not for all scores.
# - **It is one statement about F1 and F\*.** Map its end points back and you have Wilson's
#   interval for F\* itself (the Jaccard index). Wilson direct has no such twin.
# - **It is a closed form**, and it is Wilson's interval for a proportion, whose behaviour has been
#   studied for a century.
#
# From a hundred relevant items on, the two differ in the third decimal, and the choice is a matter
# of taste.
#
# (when-does-the-choice-not-matter)=
# ## When does the choice not matter?
#
# For a given true score, from which $v$ on does a method's coverage stay above the level minus one
# percentage point? (Searched up to the parameter `largest`. Clopper-Pearson needs no $v$ at all.)

# %%
targets = np.array([0.3, 0.5, 0.7, 0.8, 0.9, 0.95])
compared = ("wald", "wilson_direct", "wilson_indirect")
last_failure = {method: np.zeros(len(targets), dtype=int) for method in compared}
for v in range(1, largest + 1):
    for method in compared:
        fails = at(v, method, targets)[0] < short
        last_failure[method][fails] = v
from_v = {
    method: ["never" if v == largest else f"{v + 1}" for v in last_failure[method]]
    for method in compared
}
rows = [
    [f"{target:g}", *(from_v[method][k] for method in compared)] for k, target in enumerate(targets)
]
for target, key in ((0.8, "choosing-wald-from-8"), (0.95, "choosing-wald-from-95")):
    say(key, from_v["wald"][int(np.flatnonzero(targets == target)[0])])
show.table(["true F1", *(methods[m] for m in compared)], rows, numeric=(0, 1, 2, 3))

# %% [markdown]
# At a true score of 4/5 Wald can be trusted from $v$ = {glue:text}`choosing-wald-from-8` on, at
# 19/20 from {glue:text}`choosing-wald-from-95` on. The Wilson methods get there earlier. Above
# that, lengths agree to a few percent as well (the figure above), so any of the four will do.
#
# How many relevant items do you need for an interval of a given length? With the default method:

# %%
wanted = (0.2, 0.1, 0.05)


def needed(f1, length):
    """The smallest v with an expected length of at most `length` (Wilson indirect)."""
    few, many = 1, 2
    while at(many, "wilson_indirect", f1)[1][0] > length:
        few, many = many, 2 * many
    while many - few > 1:
        v = (few + many) // 2
        few, many = (few, v) if at(v, "wilson_indirect", f1)[1][0] <= length else (v, many)
    return many


rows = [[f"{f1:g}", *(f"{needed(f1, length):,}" for length in wanted)] for f1 in targets]
head = ["true F1", *(f"v for length {length:g}" for length in wanted)]
show.table(head, rows, numeric=(0, 1, 2, 3))

# %% [markdown]
# ## A test set of given size: what prevalence does
#
# Nobody fixes $v$. One collects $n$ items, a share of them is positive, and $v$ comes out at
# random. Then coverage is a mean over $v$, which wears the saw teeth down. Take
# {glue:text}`choosing-size` items, and a classifier whose precision and recall are equal (so both
# are F1). A relevant item then has the probability $\pi (2 - F_1)$ for the prevalence $\pi$: half
# the test set or more at $\pi = 1/2$, and one item in some dozens for a rare class.

# %% mystnb={"image": {"alt": "Three panels, one for each prevalence: exact coverage of the four methods against the true F1 score for a test set of fixed size. For a rare class the curves look as for ten or twenty relevant items, with Wald far below the level; for a common class all are close to it except at the borders."}, "figure": {"caption": "Exact coverage for a test set of fixed size, by prevalence, for a classifier with equal precision and recall. A rare class makes a large test set small.", "name": "fig-choosing-prevalence"}}
say("choosing-size", f"{test_size:,}")
some_scores = np.linspace(0.02, 0.98, max(points // 15, 10))


def given_prevalence(prevalence, f1, method="wilson_indirect"):
    """Exact properties for a classifier with precision = recall = f1."""
    wrong = prevalence * (1 - f1)
    return f1ci.coverage.exact(
        test_size,
        [prevalence * f1, wrong, wrong, 1 - prevalence - wrong],
        method=method,
        confidence_level=confidence_level,
    )


figure, axes = figures.subplots(1, len(prevalences), height=3.3, sharey=True, squeeze=False)
for axis, prevalence in zip(axes[0], prevalences, strict=True):
    axis.axhline(confidence_level, color="black", linewidth=0.8)
    # Precision, recall and prevalence must leave room for the false positives.
    possible = some_scores[prevalence * (2 - some_scores) <= 1]
    for method, look in figures.METHODS.items():
        coverage = [given_prevalence(prevalence, f1, method).coverage for f1 in possible]
        axis.plot(possible, coverage, **{**look, "marker": "", "linewidth": 1.3})
    axis.set(title=f"prevalence {100 * prevalence:g} %", xlabel="true $F_1$", ylim=(floor, 1.005))
axes[0, 0].set_ylabel("coverage")
handles, labels = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=4)
figures.save(figure, "choosing-a-method-prevalence")

# %% [markdown]
# The same test set in numbers, at a true score of 4/5:

# %%
rows = []
for prevalence in prevalences:
    cells = {m: given_prevalence(prevalence, 0.8, m) for m in methods}
    rows.append(
        [
            f"{100 * prevalence:g} %",
            f"{test_size * prevalence * (2 - 0.8):.0f}",
            f"{cells['wald'].undefined:.1e}",
            *(f"{cell.coverage:.3f}, {cell.expected_length:.3f}" for cell in cells.values()),
        ]
    )
head = ["prevalence", "expected v", "P(v = 0)", *methods.values()]
show.table(head, rows, numeric=range(7))

# %% [markdown]
# (Per method: coverage, expected length.) With a prevalence of a few percent, hundreds of items
# are a small test set. To plan one, find the $v$ that you need in the table above, and divide by
# $\pi (2 - F_1)$.
#
# (what-these-four-methods-do-not-do)=
# ## What these four methods do not do
#
# They are for one F1 score of one binary classifier on independent items. Everything below, with
# code, is in [a report in five minutes](/notebooks/five-minutes.ipynb), and what goes wrong without it
# in [questions people ask](/notebooks/questions.ipynb).
#
# - F-beta, precision, recall, Jaccard, and averages over several classes:
#   [score intervals](/book/score.md), which carry Wilson indirect on to them and are the default there. The delta
#   method for several classes is in [the second chapter](/book/takahashi.md).
# - Two models on the same items, or items that come in documents:
#   [two models, many documents](/book/compare.md).
# - Many metrics at once, several classifiers on one test set: [joint
#   intervals](/notebooks/joint-intervals.ipynb), and [the chapter on them](/book/yuan.md).
# - Two models compared by cross-validation: [the chapter on the Bayes test](/book/wangli.md).
# - How large a test set for F-beta: [the chapter on planning](/book/jiang.md).
