# %% [markdown]
# # Choosing a method for one F1 score
#
# Four methods turn the counts of one binary classifier into an interval for its F1 score. The short
# answer is the default of `f1ci`, **Wilson score** (Lam's Wilson indirect). This page has the
# evidence for *every* true score, and not only for a few.
#
# *Coverage* is the share of test sets whose interval contains the true score. The *level*, for
# example 95 %, is the coverage that a method aims at. Coverage depends on the number
# $v = \mathrm{TP} + \mathrm{FP} + \mathrm{FN}$ of *relevant items*, not on the size $n$ of the test
# set. Move the slider to choose $v$. The curve has teeth because counts are whole numbers, so that
# coverage jumps where the true score passes an end point of a possible interval. The dot marks the
# lowest coverage.
#
# :::{figure} ../results/figures/choosing-a-method-front.svg
# :alt: Four panels of saw-tooth curves, exact coverage against the true F1 at 50 relevant items. Clopper-Pearson stays above the line at 95 percent. Wald falls far below it at both ends. Both Wilson curves saw around it, with a dip close to 0 or 1.
# :name: fig-choosing-still
# :figclass: explorer-still
#
# Exact coverage of 95 % intervals against the true F1, for $v = 50$ relevant items.
# :::
#
# ```{raw} html
# :file: ../book/_static/explorer.html
# ```
#
# ## The short answer
#
# | your situation | use | because |
# |:--|:--|:--|
# | one score to report, nothing special | Wilson score (the default) | Its mean coverage over all true scores is near the level. The interval stays inside $[0, 1]$ and never has length zero. It is shorter than Clopper-Pearson and, for scores above one half, than Wilson direct. |
# | a low score (below one third) and few relevant items (some tens at most) | `wilson_direct` | It is shorter there, and its mean coverage is at least as high. Between one third and one half it is shorter, but covers less. |
# | coverage must never be below the level (a safety claim, a regulator) | `clopper_pearson` | It is the only one of the four whose coverage is never below its level. At $v = 25$ it is {glue:text}`choosing-cp-price:.0f` % longer than the default. |
# | no item right, or no item wrong | any but `wald` | Wald has length zero there. |
# | hundreds of relevant items, a score well inside $(0, 1)$ | any | The four hardly differ, see [below](#when-does-the-choice-not-matter). |
# | the interval must match a delta-method interval for other metrics of the same table | `wald` | Wald's interval is the delta method's interval for F1. Check first that $v$ is large enough. |
# | several classes, F-beta, many metrics at once, two models | none of these | See [the last section](#what-these-four-methods-do-not-do). |
#
# The methods themselves are in [the chapter](/book/lam.md).
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
# Import what the notebook uses and open the ledger.
import itertools

import numpy as np
from compendium import figures, ledger, show
from matplotlib.patches import Patch

import f1ci
from notebooks.own.choosing_a_method import Interval, needed
from notebooks.shared import chart
from notebooks.shared.four_intervals import share_of

# `say` keeps a number for the text, which quotes it by name.
say = ledger.open("choosing-a-method").say
looks = figures.METHODS
methods = {name: look["label"] for name, look in looks.items()}
short = confidence_level - 0.01
scores = (np.arange(points) + 0.5) / points
floor = 1 - 4 * (1 - confidence_level)


def draw_level(axis):
    """Draw the level as a line."""
    label = f"the level: {confidence_level:g}"
    axis.axhline(confidence_level, color="black", linewidth=0.8, label=label)


# %%
# Compute coverage and length at every true score.
intervals = {(v, m): Interval.of(v, m, confidence_level) for v in relevant for m in methods}
found = {key: interval.at(scores) for key, interval in intervals.items()}
# The package's own enumeration, which lets v vary, agrees where v is certain.
for (v, method), (coverage, length) in found.items():
    share = float(share_of(scores[points // 3]))
    options = {"method": method, "confidence_level": confidence_level}
    whole = f1ci.coverage.exact(v, [share, 1 - share, 0, 0], **options)
    assert abs(whole.coverage - coverage[points // 3]) < 1e-8
    assert abs(whole.expected_length - length[points // 3]) < 1e-8

# %% [markdown]
# ## Coverage, for every true score
#
# Given $v$, coverage is a sum over the $v + 1$ possible numbers of true positives
# ({prf:ref}`prop-lam-coverage`). {prf:ref}`cor-lam-coverage-block` says where it jumps.

# %% mystnb={"image": {"alt": "Twenty small panels, a row for each number of relevant items and a column for each method: exact coverage against the true F1 score. Clopper-Pearson stays above the nominal line. Wald falls far below it towards both borders, for few items everywhere. Both Wilson curves saw around the line, with a short dip near the borders; the teeth shrink as items increase."}, "figure": {"caption": "Exact coverage against the true F1 score, by number $v$ of relevant items (rows) and method (columns). From $v = 100$ on the teeth are too many to be seen, and the band goes from the lowest to the highest coverage of neighbouring scores. Wald's curve leaves the picture: towards the borders it falls to zero.", "name": "fig-choosing-a-method-coverage"}}
# Draw coverage against the true score. Where teeth are too many to be seen, draw what they span.
figure, axes = figures.subplots(
    len(relevant), 4, height=1.7 * len(relevant) + 1, sharex=True, sharey=True, squeeze=False
)
bins = np.array_split(np.arange(points), 60)
for row, v in zip(axes, relevant, strict=True):
    for axis, (method, look) in zip(row, looks.items(), strict=True):
        draw_level(axis)
        coverage = found[v, method][0]
        if v < 100:
            axis.plot(scores, coverage, color=look["color"], linewidth=0.9)
        else:
            ends = np.array([(coverage[part].min(), coverage[part].max()) for part in bins])
            middles = [scores[part].mean() for part in bins]
            span = {"color": look["color"], "alpha": 0.5, "linewidth": 0}
            axis.fill_between(middles, *ends.T, **span, label="from the lowest to the highest")
    row[0].set_ylabel(f"$v$ = {v}")
for axis, label in zip(axes[0], methods.values(), strict=True):
    axis.set_title(label.replace("-", "-\n").replace(" ", "\n"))

axes[0, 0].set(ylim=(floor, 1.005), xlim=(0, 1))
axes[0, 0].set_xticks([0, 0.5, 1], ["0", "½", "1"])
axes[0, 0].set_yticks([floor, confidence_level], [f"{floor:g}", f"{confidence_level:g}"])
for axis in axes[-1]:
    axis.set_xlabel("true $F_1$")
figure.supylabel("coverage", fontsize="medium")
handles, names = axes[-1, 0].get_legend_handles_labels()
handles[-1] = Patch(color=figures.COLOURS["grey"], alpha=0.5)  # in each method's colour above
figure.legend(handles, names, loc="outside lower center", ncols=2)
figures.save(figure, "choosing-a-method-coverage")

# %% tags=["remove-cell"]
# A part of it, for readers without scripts.
figure, axes = figures.subplots(2, 2, height=4.0, sharex=True, sharey=True)
grid = (np.arange(1_500) + 0.5) / 1_500
for axis, (method, look) in zip(axes.flat, looks.items(), strict=True):
    draw_level(axis)
    coverage, _ = Interval.of(50, method, confidence_level).at(grid)
    axis.plot(grid, coverage, color=look["color"], linewidth=0.9)
    axis.set(title=look["label"], xticks=[0, 0.5, 1])
axes[0, 0].set(ylim=(floor, 1.005), xlim=(0, 1))
for axis in axes[1]:
    axis.set_xlabel("true $F_1$")
figure.supylabel("coverage", fontsize="medium")
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center")
figures.save(figure, "choosing-a-method-front")

# %% tags=["remove-cell"]
# For the front page: what 95 % means.
figure, axes = figures.subplots(height=2.8)
chart.forty_test_sets(axes, relevant=131, f1=0.74)
figures.save(figure, "choosing-a-method-forty")

# %% [markdown]
# Two numbers sum up a curve. The first is the **mean over F\***, where $F^*$ is the true share of relevant
# items that are right. The mean is a finite sum: the integral of
# $\binom{v}{t} x^t (1 - x)^{v - t}$ over an interval is a Beta probability divided by $v + 1$. The second is the
# **lowest coverage**. Between neighbouring end points coverage rises, falls, or rises and then falls
# ({prf:ref}`cor-lam-coverage-block`). So it is enough to look on both sides of every end point. (The corollary does not
# hold for Wald. But Wald's coverage falls to zero at the borders, so its lowest coverage is zero.)


# %%
# Show mean and lowest coverage of each method.
rows = []
least = {}
for (v, method), interval in intervals.items():
    coverage, length = found[v, method]
    least[v, method], where = interval.least_coverage()
    place = f"{where:.3f}" if 1e-6 < where < 1 - 1e-6 else "a border"
    row = [f"{v}", methods[method], f"{interval.mean_coverage():.4f}", f"{coverage.mean():.4f}"]
    row += [f"{least[v, method]:.3f} at {place}", f"{100 * (coverage < short).mean():.0f} %"]
    rows.append([*row, f"{length.mean():.3f}"])
head = ["v", "method", "mean over F*", "mean over F1", "lowest, at F1"]
head += [f"scores with less than {short:g}", "mean length"]
show.table(
    head,
    rows,
    numeric=(0, 2, 3, 4, 5, 6),
    caption=(
        "Mean and lowest coverage of the four methods. Only Clopper-Pearson never falls below "
        "the level, and it pays with length."
    ),
)

# %% [markdown] tags=["default-values"]
# What the table says:
#
# - **Wald** covers too little for few items. At $v = 25$ its mean coverage is
#   {glue:text}`choosing-wald-25:.3f`. Near the borders its coverage is zero for every $v$: with
#   no item right its interval is the single point 0.
# - **Clopper-Pearson** keeps its level everywhere, as {prf:ref}`prop-lam-clopper-pearson` proves.
#   Its mean coverage is above the level: {glue:text}`choosing-cp-25:.3f` at $v = 25$.
# - **Both Wilson methods** have a mean coverage within half a percentage point of the level from
#   $v = 10$ on. Their coverage falls to about {glue:text}`choosing-wilson-worst:.2f` at isolated scores
#   within about $1/v$ of a border. With more items this dip becomes narrower, but it does not go away. If you cannot
#   accept it, use Clopper-Pearson.

# %% [markdown]
# ## Expected length

# %% mystnb={"image": {"alt": "Two columns of five panels, a row for each number of relevant items. Left: expected length against the true F1, arches that are lower for more items. Right: length relative to Wilson score. Clopper-Pearson is above one everywhere. Wilson direct is below one for low scores and above for high ones, up to 20 percent and more at ten items. From a hundred items on the curves lie within a few percent."}, "figure": {"caption": "Exact expected length against the true F1 score, for several numbers $v$ of relevant items. Left: the length. Right: relative to Wilson score.", "name": "fig-choosing-a-method-length"}}
# Draw the lengths, and the lengths relative to the default's.
figure, axes = figures.subplots(
    len(relevant), 2, height=1.5 * len(relevant) + 0.8, sharex=True, sharey="col", squeeze=False
)
for (left, right), v in zip(axes, relevant, strict=True):
    for method, look in looks.items():
        line = {**look, "marker": "", "linewidth": 1.3}
        left.plot(scores, found[v, method][1], **line)
        right.plot(scores, found[v, method][1] / found[v, "wilson_indirect"][1], **line)
    left.set(ylabel=f"$v$ = {v}", xlim=(0, 1), xticks=[0, 0.5, 1], ylim=(0, None))
    right.set(ylim=(0.65, 1.55))
axes[0, 0].set_title("expected length")
axes[0, 1].set_title("relative to Wilson score")
for axis in axes[-1]:
    axis.set_xlabel("true $F_1$")
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
figures.save(figure, "choosing-a-method-length")

# %% [markdown]
# ## Why Wilson score is the default
#
# Between the two Wilson intervals the choice depends on the score ({prf:ref}`thm-lam-shift`,
# {prf:ref}`thm-lam-lengths`). Here they are side by side, for low, middle and high true scores:

# %%
# Show both Wilson methods for low, middle and high scores.
thirds = {"below 1/3": scores < 1 / 3, "middle": (scores >= 1 / 3) & (scores <= 2 / 3)}
thirds["above 2/3"] = scores > 2 / 3
rows = []
for v, name in itertools.product(relevant, thirds):
    row = [f"{v}", name]
    for method in ("wilson_indirect", "wilson_direct"):
        coverage, length = (values[thirds[name]] for values in found[v, method])
        row += [f"{coverage.mean():.4f}", f"{100 * (coverage < short).mean():.0f} %"]
        row.append(f"{length.mean():.4f}")
    rows.append(row)
head = ["v", "true F1"]
for word in ("score", "direct"):
    head += [f"{word}: coverage", f"less than {short:g}", "length"]
show.table(
    head,
    rows,
    numeric=(0, 2, 3, 4, 5, 6, 7),
    caption=(
        "Both Wilson methods at low, middle and high scores. Which of the two is shorter "
        "depends on the true score."
    ),
)


# %% tags=["remove-cell"]
# Keep for the text how the two Wilson methods compare, and what Wald and Clopper-Pearson do.
first = relevant[0]
say("choosing-first", first)
for name, third, change in (
    ("high", "above 2/3", "choosing-direct-high-excess"),
    ("low", "below 1/3", "choosing-direct-low-saving"),
):
    some = thirds[third]
    indirect, direct = (found[first, f"wilson_{word}"] for word in ("indirect", "direct"))
    say(f"choosing-indirect-{name}-coverage", indirect[0][some].mean())
    say(f"choosing-direct-{name}-coverage", direct[0][some].mean())
    ratio = direct[1][some].mean() / indirect[1][some].mean()
    say(change, float(abs(100 * (ratio - 1))))
at_25 = {method: Interval.of(25, method, confidence_level) for method in methods}
say("choosing-wald-25", at_25["wald"].mean_coverage())
say("choosing-cp-25", at_25["clopper_pearson"].mean_coverage())
of_wilson = [value for (_, method), value in least.items() if method.startswith("wilson")]
say("choosing-wilson-worst", min(of_wilson))
mean_length = {method: interval.at(scores)[1].mean() for method, interval in at_25.items()}
price = mean_length["clopper_pearson"] / mean_length["wilson_indirect"]
say("choosing-cp-price", 100 * float(price - 1))


# %% [markdown] tags=["default-values"]
# - **For high scores Wilson score is better in both respects.** At $v$ =
#   {glue:text}`choosing-first` and true scores above 2/3 it covers
#   {glue:text}`choosing-indirect-high-coverage:.3f` on average. Wilson direct covers
#   {glue:text}`choosing-direct-high-coverage:.3f` and is
#   {glue:text}`choosing-direct-high-excess:.0f` % longer.
# - **For low scores Wilson direct is better.** Below 1/3, Wilson direct covers
#   {glue:text}`choosing-direct-low-coverage:.3f` and Wilson score
#   {glue:text}`choosing-indirect-low-coverage:.3f`. Wilson direct is
#   {glue:text}`choosing-direct-low-saving:.0f` % shorter. So the default suits the
#   scores that people report, not all scores.
# - **Wilson score serves F1 and F\* at once.** Its end points, mapped back, are those of Wilson's
#   interval for F\* (the Jaccard index). Wilson direct has no such partner.
# - **Wilson score has a closed form**: Wilson's interval for a proportion, which has been
#   studied for a century.
#
# With hundreds of relevant items the two intervals hardly differ, so you may use either.

# %% [markdown]
# (when-does-the-choice-not-matter)=
# ## When does the choice not matter?
#
# For a given true score, from which $v$ on does a method's coverage stay above the level minus one
# percentage point? (The search ends at the parameter `largest`. Clopper-Pearson is above the level for every $v$.)

# %%
# Find from which v on each method covers with the level minus one point.
targets = np.array([0.3, 0.5, 0.7, 0.8, 0.9, 0.95])
compared = ("wald", "wilson_direct", "wilson_indirect")
last_failure = {method: np.zeros(len(targets), dtype=int) for method in compared}
for v in range(1, largest + 1):
    for method in compared:
        fails = Interval.of(v, method, confidence_level).at(targets)[0] < short
        last_failure[method][fails] = v
from_v = {
    method: ["never" if v == largest else f"{v + 1}" for v in last]
    for method, last in last_failure.items()
}
rows = [[f"{f1:g}", *cells] for f1, *cells in zip(targets, *from_v.values(), strict=True)]
of_wald = dict(zip(targets.tolist(), from_v["wald"], strict=True))
say("choosing-wald-from-8", of_wald[0.8])
say("choosing-wald-from-95", of_wald[0.95])
show.table(
    ["true F1", *(methods[m] for m in compared)],
    rows,
    numeric=(0, 1, 2, 3),
    caption=(
        "From how many relevant items on a method may be trusted. Below this v its coverage "
        "is sometimes more than one percentage point below the level."
    ),
)

# %% [markdown]
# At a true score of 0.8 Wald can be trusted from $v$ = {glue:text}`choosing-wald-from-8` on. At 0.95 it can be trusted
# from $v$ = {glue:text}`choosing-wald-from-95` on. The Wilson methods need fewer items. Above
# these numbers the lengths also agree to a few percent (see the figure above), so you may use any of the four.
#
# How many relevant items do you need for an interval of a given length? With the default method:

# %%
# Show how many relevant items a length needs.
wanted = (0.2, 0.1, 0.05)
rows = []
for f1 in targets:
    rows.append([f"{f1:g}", *(f"{needed(f1, x, confidence_level):,}" for x in wanted)])
head = ["true F1", *(f"v for length {length:g}" for length in wanted)]
show.table(
    head,
    rows,
    numeric=(0, 1, 2, 3),
    caption=(
        "Relevant items for an interval of a given length. Half the length needs about four "
        "times the items."
    ),
)

# %% [markdown]
# ## A test set of given size: what prevalence does
#
# A test set has a fixed number $n$ of items, and $v$ is random. Coverage is then a mean over $v$, and the teeth
# become smooth. The *prevalence* $\pi$ is the share of positive items. Take
# {glue:text}`choosing-size` items, and a classifier whose precision and recall are equal (so both
# are F1). An item is then relevant with probability $\pi (2 - F_1)$. At $\pi = 0.5$ at least half of the test set
# is relevant. For a rare class, only a few items in a hundred are.

# %%
say("choosing-size", f"{test_size:,}")
some_scores = np.linspace(0.02, 0.98, max(points // 15, 10))


def given_prevalence(prevalence, f1, method="wilson_indirect"):
    """Exact properties for a classifier with precision = recall = f1."""
    wrong = prevalence * (1 - f1)
    cells = [prevalence * f1, wrong, wrong, 1 - prevalence - wrong]
    options = {"method": method, "confidence_level": confidence_level}
    return f1ci.coverage.exact(test_size, cells, **options)


# %% mystnb={"image": {"alt": "Three panels, one for each prevalence: exact coverage of the four methods against the true F1 score for a test set of fixed size. For a rare class the curves look as for ten or twenty relevant items, with Wald far below the level; for a common class all are close to it except at the borders."}, "figure": {"caption": "Exact coverage for a test set of fixed size, by prevalence, for a classifier with equal precision and recall. A rare class makes a large test set small.", "name": "fig-choosing-a-method-prevalence"}}
# Draw coverage at a fixed size of the test set, by prevalence.
figure, axes = figures.subplots(
    len(prevalences), height=2.2 * len(prevalences) + 1, sharex=True, sharey=True, squeeze=False
)
for axis, prevalence in zip(axes[:, 0], prevalences, strict=True):
    draw_level(axis)
    # Precision, recall and prevalence must leave room for the false positives.
    possible = some_scores[prevalence * (2 - some_scores) <= 1]
    for method, look in looks.items():
        coverage = [given_prevalence(prevalence, f1, method).coverage for f1 in possible]
        axis.plot(possible, coverage, **{**look, "marker": "", "linewidth": 1.3})
    axis.set(title=f"prevalence {100 * prevalence:g} %", ylabel="coverage", ylim=(floor, 1.005))
axes[-1, 0].set_xlabel("true $F_1$")
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
figures.save(figure, "choosing-a-method-prevalence")

# %% [markdown]
# The same test set in numbers, at a true score of 0.8:

# %%
# Show the same test set in numbers.
rows = []
for prevalence in prevalences:
    relevance = prevalence * (2 - 0.8)
    row = [f"{100 * prevalence:g} %", f"{test_size * relevance:.0f}"]
    row.append(f"{(1 - relevance) ** test_size:.1e}")
    cells = [given_prevalence(prevalence, 0.8, m) for m in methods]
    rows.append([*row, *(f"{cell.coverage:.3f}, {cell.expected_length:.3f}" for cell in cells)])
head = ["prevalence", "expected v", "P(v = 0)", *methods.values()]
show.table(
    head,
    rows,
    numeric=range(7),
    caption=(
        "Coverage of the four methods in one test set, by prevalence. The rarer the positives "
        "are, the fewer items are relevant, and the further Wald falls."
    ),
)

# %% [markdown]
# Each cell has the coverage and the expected length. With a prevalence of a few percent, hundreds of items
# are a small test set. To plan a test set, find the $v$ that you need in the table above, and divide it by
# $\pi (2 - F_1)$.
#
# (what-these-four-methods-do-not-do)=
# ## What these four methods do not do
#
# The four methods are for one F1 score of one binary classifier on independent items.
# [A report in five minutes](/notebooks/five-minutes.ipynb) has code for everything below.
# [Questions people ask](/notebooks/questions.ipynb) show what goes wrong without it.
#
# - F-beta, precision, recall, Jaccard, and averages over several classes:
#   [score intervals](/book/score.md). They generalise Wilson score and are the default there.
#   [The second chapter](/book/takahashi.md) has the delta method for several classes.
# - Two models on the same items, or items that come in documents:
#   [two models](/book/compare.md) and [units](/book/units.md).
# - Many metrics or classifiers at once: [joint intervals](/notebooks/joint-intervals.ipynb), and
#   [their chapter](/book/yuan.md).
# - Two models compared by cross-validation: [the chapter on the Bayes test](/book/wangli.md).
# - The size of a test set for F-beta: [the chapter on planning](/book/jiang.md).
