# %% [markdown]
# # Two models, many documents: the evidence
#
# Is model B better than model A? And what if the items come in documents, images or patients? The
# methods are in [the chapter](/book/compare.md). This page measures them: how often the tests find a
# difference, and how often the intervals hold the truth. It ends with three ways to go
# wrong. Nothing on this page is from the papers.
#
# **In short.** An interval *covers* if it holds the true score. A 95 % interval should do so in a share of 0.95 of the samples.
#
# - The exact test finds a difference between equal models in at most {glue:text}`compare-size-high:.3f` of the test
#   sets, in the designs of the first table. In another small design it does so in {glue:text}`compare-size-precision:.3f`.
# - Plans for a power of {glue:text}`compare-power-wanted:.2f` give {glue:text}`compare-power-low:.3f` to
#   {glue:text}`compare-power-high:.3f`. (*Power* is the probability to find a difference that exists.)
# - For counts by document and an F1 of 0.8, our intervals cover between {glue:text}`compare-least-logit:.3f` and
#   {glue:text}`compare-most-logit:.3f`. The delta method covers {glue:text}`compare-least-delta:.3f` at worst.
# - At an F1 of 0.95 and strong correlation our intervals fall short too: they cover
#   {glue:text}`compare-near-worst-logit:.3f` in the worst design.
#
# ```python
# import f1ci
#
# test = f1ci.Labels(y_true, {"A": y_pred_a, "B": y_pred_b}).difference(margin=0.02)
# test.estimate, test.p_value, test.p_equivalent
# f1ci.Units(counts).interval()  # one row (tp, fp, fn) for each document
# ```

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of all intervals; the tests have size one minus it
test_sets: int = 2_000  # simulated test sets for each design of the tests
collections: int = 3_000  # simulated collections of documents for each design
resamples: int = 499  # bootstrap resamples of documents
experiments: int = 1_000  # simulated cross-validations
seed: int = 20261118  # root seed

# %%
# Import what the notebook uses and open the ledger.
import itertools
import warnings

import numpy as np
from compendium import figures, ledger, show
from scipy import special, stats

import f1ci
from notebooks.own import two_models_many_documents as comparisons
from notebooks.shared import chart
from notebooks.shared.kernels import difference_of, labels, limits_of_differences, p_values

# `say` keeps a number for the text, which quotes it by name.
# `comparisons` draws models and documents, and counts how often limits hold the truth.
# `kernels.p_values` tests many tables at once, and `chart` draws the chapter's pictures.
say = ledger.open("two-models-many-documents").say
warnings.simplefilter("ignore", f1ci.IntervalWarning)  # odd test sets are outcomes here
*streams, for_averages, for_hard = np.random.SeedSequence(seed).spawn(10)
streams = iter(streams)
alpha = 1 - confidence_level
z = special.ndtri(1 - alpha / 2)
level = {"confidence_level": confidence_level}
METHODS = ("delta", "logit")

# %% [markdown]
# ## The exact test, once
#
# Two models agree on a hundred and ten items, and disagree on fourteen: $n_1 = 7$ positive and $n_0 = 7$ negative items.
# The test sums over $(n_1 + 1)(n_0 + 1) = 64$ outcomes.

# %%
# Test one small example in two ways.
example = np.array([[[60, 5], [2, 4]], [[8, 6], [1, 38]]])  # truth, A, B
y, a, b = labels(example)
test = f1ci.Labels(y, {"A": a, "B": b}).difference(test="exact")
say("compare-example-p", test.p_value)
say("compare-example-difference", test.estimate)
test

# %% [markdown]
# The difference is {glue:text}`compare-example-difference:.3f`. The p-value is
# {glue:text}`compare-example-p:.4f`.

# %% tags=["remove-cell"]
# Two pictures for the chapter.
figure, axes = figures.subplots(height=1.6)
chart.disagreement(axes)
figures.save(figure, "two-models-many-documents-disagreement")
figure, axes = figures.subplots(1, 2, height=2.5)
chart.documents(axes)
figures.save(figure, "two-models-many-documents-units")

# %% [markdown]
# ## Size: how often equal models are called different
#
# The exact test keeps its size under **exchangeability**: swapping the two models'
# predictions on an item changes nothing in distribution. Equality of the two F1 scores is a weaker
# condition. One model may find more and be wrong more often, with the same F1. So the table has pairs
# of models with the same F1 in the population: some are exchangeable, some are not. The null
# hypothesis of the interval is equality of the scores itself. The interval rejects it if 0 lies outside. This is valid
# in large samples.

# %%
# Count how often equal models are called different.
generator = np.random.default_rng(next(streams))
rows = []
sizes = []
for n, prevalence, score, tilt in (
    (200, 0.3, 0.8, 0.0),
    (200, 0.3, 0.8, 0.5),
    (1_000, 0.1, 0.6, 0.0),
    (1_000, 0.1, 0.6, 0.8),
    (2_000, 0.3, 0.8, 0.8),
):
    p = comparisons.equal_pair(prevalence, score, 0.25, tilt)
    drawn = comparisons.tables(p, n, test_sets, generator)
    exact = np.mean(p_values(drawn) <= alpha)
    low, high = difference_of(drawn).score_limits(z)
    by_score = np.mean((low > 0) | (high < 0))
    sizes.append((exact, by_score))
    recalls = [p[1].sum(axis=axis)[1] / p[1].sum() for axis in (1, 0)]
    row = [f"{n:,}", f"{100 * prevalence:g} %", "{:.2f}, {:.2f}".format(*recalls)]
    rows.append([*row, "no" if tilt else "yes", f"{exact:.3f}", f"{by_score:.3f}"])
say("compare-size-low", min(exact for exact, _ in sizes))
say("compare-size-high", max(exact for exact, _ in sizes))
say("compare-size-score", max(by_score for _, by_score in sizes))
head = ["items", "prevalence", "recalls of A, B", "exchangeable", "exact test", "interval"]
show.table(
    head,
    rows,
    numeric=(0, 1, 4, 5),
    caption=(
        "How often equal models are called different, in per cent. At the level 95 % it "
        "should be at most 5."
    ),
)

# %%
# Test models with equal precisions of 0.9 and recalls of 0.9 and 0.3; 150 items, 30 % of them positive.
found = np.array([0.9, 0.3])
wrong = found * 0.3 / 0.7 / 9
p = np.empty((2, 2, 2))
for true, share, (a, b) in ((1, 0.3, found), (0, 0.7, wrong)):
    p[true] = share * np.outer([1 - a, a], [1 - b, b])
drawn = comparisons.tables(p, 150, test_sets, generator)
say("compare-size-precision", np.mean(p_values(drawn, 1.0, 0.0) <= alpha))

# %% [markdown]
# The exact test rejects between {glue:text}`compare-size-low:.3f` and
# {glue:text}`compare-size-high:.3f` of these equal pairs, and the interval up to
# {glue:text}`compare-size-score:.3f`. If models are not exchangeable, nothing guarantees the size of the
# exact test. In the designs of the table it keeps it. It does not keep it for equal precisions, recalls of 0.9 and 0.3 and
# 150 items: there it rejects in {glue:text}`compare-size-precision:.3f` of the test sets. Name its null hypothesis when you report it: a
# rejection says that the models differ, but not how.
#
# ## Power: does the plan hold?
#
# `f1ci.comparison_sample_size` takes the shares of discordant positives and negatives. (An item is *discordant* if
# exactly one model is right on it.) Here the pairs of models have this disagreement, and the difference that the plan is
# for. The exact test is done on as many items as the plan says.

# %%
# Plan comparisons, and count how often the exact test finds the difference.
generator = np.random.default_rng(next(streams))
wanted_power = 0.8
rows = []
reached = []
ratios = []
situations = [(0.6, 0.03, (0.25, 0.05)), (0.8, 0.03, (0.15, 0.15))]
situations += [(0.8, 0.06, (0.25, 0.15)), (0.9, 0.04, (0.10, 0.10))]
for prevalence in (0.1, 0.3, 0.5):
    for score, difference, shares in situations:
        positive, negative = prevalence * shares[0], prevalence * shares[1]
        plan = f1ci.comparison_sample_size(
            difference=difference,
            disagreement=(positive, negative),
            score=score,
            prevalence=prevalence,
            power=wanted_power,
            **level,
        )
        p = comparisons.better_pair(prevalence, score, positive, negative, difference)
        drawn = comparisons.tables(p, plan.items, test_sets, generator)
        reached.append(float(np.mean(p_values(drawn) <= alpha)))
        ratios.append(plan.unpaired / plan.items)
        row = [f"{100 * prevalence:g} %", f"{score:g}", f"{difference:g}"]
        row += [f"{100 * (positive + negative):.1f} %", f"{plan.items:,}", f"{plan.unpaired:,}"]
        rows.append([*row, f"{reached[-1]:.3f}"])

# %%
# Keep the powers for the text, and show the plans.
say("compare-power-wanted", wanted_power)
say("compare-power-mean", np.mean(reached))
say("compare-power-low", min(reached))
say("compare-power-high", max(reached))
say("compare-power-error", np.sqrt(wanted_power * (1 - wanted_power) / test_sets))
say("compare-unpaired-low", min(ratios))
say("compare-unpaired-high", max(ratios))
head = ["prevalence", "F1", "difference", "discordant", "items", "each, unpaired", "power"]
show.table(
    head,
    rows,
    numeric=range(7),
    caption=(
        "Plans for two models, and the power that they reach. The plan asked for the power of "
        "the parameter."
    ),
)

# %% [markdown]
# The plans aim at a power of {glue:text}`compare-power-wanted:.2f`. They give
# {glue:text}`compare-power-mean:.3f` on average, from {glue:text}`compare-power-low:.3f` to
# {glue:text}`compare-power-high:.3f`. Each number has a standard error of {glue:text}`compare-power-error:.3f`. Two
# separate test sets would need {glue:text}`compare-unpaired-low:.1f` to {glue:text}`compare-unpaired-high:.1f` times as
# many items each. All these plans expect about fifty discordant items or more, and both models predict
# about as many positives. We did not check the formula elsewhere. In other cases plan from the labels of a pilot study.
#
# ## Documents: coverage for few and for many
#
# A document has a number of relevant items, and its own share of right items. This share is drawn from a
# Beta distribution, which gives two items of one document their correlation. Documents are of one size (8
# items), or of very unlike sizes (lognormal with a standard deviation of 1 on the logarithmic scale). F1 is
# 0.8. We compare four intervals:
#
# - **pooled**: the counts of all documents, taken as independent (`f1ci.f1_interval`);
# - **delta**: the estimate plus and minus 1.96 standard errors, with an error that counts documents (cluster-robust);
# - **logit**: the default of `f1ci.Units`. Its error comes from leaving each document out in turn (the
#   jackknife). Its limits are computed for the log odds of F1, with Student's quantile;
# - **bootstrap**: documents drawn with replacement, percentiles (on fewer collections).

# %%
# Simulate documents, and measure the four intervals.
true_f1 = 0.8
number_of_units = (5, 10, 20, 50, 200)
correlations = (0.0, 0.1, 0.3, 0.5)
kinds = ("pooled", "delta", "logit", "bootstrap")
generator = np.random.default_rng(next(streams))
study = {}
for units, skewed, correlation in itertools.product(number_of_units, (False, True), correlations):
    sizes = "unlike" if skewed else "one"
    share = true_f1 / (2 - true_f1)
    counts = comparisons.collection(units, sizes, correlation, share, collections, generator)
    limits = comparisons.document_limits(counts, confidence_level, resamples, generator)
    for kind, (low, high) in limits:
        study[units, skewed, correlation, kind] = comparisons.coverage(low, high, true_f1)

# %% mystnb={"image": {"alt": "Two rows of four panels: documents of one size above and of unlike sizes below, one panel for each correlation. Coverage against the number of documents. Pooled counts fall far below the level as soon as items are correlated. The delta method and the bootstrap start well below the level with five documents and rise. The logit interval stays near the level, above it for unlike sizes and few documents."}, "figure": {"caption": "Coverage of intervals for an F1 of 0.8 against the number of documents, by the correlation of items within a document (rows) and whether the documents are of one size (left) or not (right).", "name": "fig-compare-coverage"}}
# Draw coverage against the number of documents.
figure, axes = figures.subplots(
    len(correlations), 2, height=7.6, sharex=True, sharey=True, squeeze=False
)
looks = dict(zip(kinds, ("grey", "vermilion", "blue", "orange"), strict=True))
for column, skewed in zip(axes.T, (False, True), strict=True):
    for axis, correlation in zip(column, correlations, strict=True):
        name = f"the level: {confidence_level:g}"
        axis.axhline(confidence_level, color="black", linewidth=0.8, label=name)
        for marker, (kind, colour) in zip("xso^", looks.items(), strict=True):
            line = [study[units, skewed, correlation, kind].covered for units in number_of_units]
            look = {"color": figures.COLOURS[colour], "marker": marker, "linewidth": 1.2}
            axis.plot(number_of_units, line, label=kind, **look)
        axis.set(xscale="log", ylim=(0.42, 1.005), xticks=number_of_units)
        axis.set_xticklabels([str(units) for units in number_of_units])
        axis.minorticks_off()
for axis, correlation in zip(axes[:, 0], correlations, strict=True):
    axis.set_ylabel(f"correlation {correlation:g}")
axes[0, 0].set_title("coverage, one size")
axes[0, 1].set_title("coverage, unlike sizes")
for axis in axes[-1]:
    axis.set_xlabel("documents")
handles, names = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=3)
figures.save(figure, "two-models-many-documents-coverage")

# %% [markdown]
# The table has the coverage, the two ways to miss (interval too low, too high) and the mean length. Each row is a mean over
# the four correlations, and *least* is the lowest coverage among them:

# %%
# Show coverage, misses and length of each interval.
rows = []
for skewed, units, kind in itertools.product((False, True), number_of_units, kinds):
    values = np.array([study[units, skewed, c, kind] for c in correlations])
    covered, too_low, too_high, length = values.mean(axis=0)
    row = ["unlike" if skewed else "one", f"{units}", kind, f"{covered:.3f}"]
    row += [f"{values[:, 0].min():.3f}", f"{too_low:.3f}, {too_high:.3f}"]
    rows.append([*row, f"{length:.3f}", f"{values[0, 0]:.3f}"])
head = ["sizes", "documents", "interval", "mean coverage", "least", "too low, too high"]
head += ["length", "coverage without correlation"]
show.table(
    head,
    rows,
    numeric=(1, 3, 4, 5, 6, 7),
    caption=(
        "Intervals by document. Without documents an interval of items covers far less; least "
        "is the lowest coverage among the correlations."
    ),
)


# %% tags=["remove-cell"]
# Keep coverages for the text.
def mean_of(kind, units, skewed, some=correlations[1:]):
    """Return the mean coverage over some correlations."""
    return float(np.mean([study[units, skewed, c, kind].covered for c in some]))


for kind in kinds:
    say(f"compare-ten-{kind}", mean_of(kind, 10, False))
    say(f"compare-ten-unlike-{kind}", mean_of(kind, 10, True))
    say(f"compare-least-{kind}", min(x.covered for (*_, k), x in study.items() if k == kind))
of_logit = [x.covered for (*_, kind), x in study.items() if kind == "logit"]
say("compare-most-logit", max(of_logit))
say("compare-free-unlike", mean_of("logit", 5, True, (0.0,)))

# %% [markdown]
# What the table says (with ten documents: the mean over the three correlations above zero):
#
# - **Pooled counts** fall short if items are correlated. With ten documents of one size they cover
#   {glue:text}`compare-ten-pooled:.2f`. Over all designs they cover {glue:text}`compare-least-pooled:.2f` at
#   worst.
# - **The delta method and the bootstrap of documents** cover {glue:text}`compare-ten-delta:.3f` and
#   {glue:text}`compare-ten-bootstrap:.3f` with ten documents of one size. With ten unlike documents they cover
#   {glue:text}`compare-ten-unlike-delta:.3f` and {glue:text}`compare-ten-unlike-bootstrap:.3f`.
#   Both intervals are too high more often than too low.
# - **Logit** covers {glue:text}`compare-ten-logit:.3f` and
#   {glue:text}`compare-ten-unlike-logit:.3f` there. Over all designs it covers between
#   {glue:text}`compare-least-logit:.3f` and {glue:text}`compare-most-logit:.3f`. So it is the
#   default.
# - **What covers too much.** With five unlike documents and no correlation it covers
#   {glue:text}`compare-free-unlike:.3f`. Student's quantile allows for a variance that is
#   estimated from few documents. If you know that items are independent, leave the documents out.
#
# **What covers too little.** With scores near 1 and strongly correlated items most documents are perfect.
# A sample may hold too few of the others. Here F1 is 0.95 and the correlation is 0.5.


# %%
# Measure coverage for scores near 1.
def covered_by(kind, truth, counts):
    """Return how often a method's limits hold the truth, and their mean length."""
    low, high = f1ci.Units(counts).interval(average=None, method=kind, **level)
    return comparisons.coverage(low, high, truth)


near_one = 0.95
rows = []
reached = {"delta": [], "logit": []}
for units, sizes in itertools.product((10, 20, 60, 200), ("one", "unlike", "fifth")):
    share = near_one / (2 - near_one)
    counts = comparisons.collection(units, sizes, 0.5, share, collections, generator)
    perfect = np.mean(counts[..., 1:].sum(axis=(0, 2)) == 0)
    for kind, results in reached.items():
        results.append(covered_by(kind, near_one, counts).covered)
    row = [f"{results[-1]:.3f}" for results in reached.values()]
    rows.append([f"{units}", sizes, f"{100 * perfect:.0f} %", *row])
for kind, results in reached.items():
    say(f"compare-near-one-{kind}", results[0])
    say(f"compare-near-worst-{kind}", min(results))
say("compare-near-worst-documents", int(rows[int(np.argmin(reached["logit"]))][0]))
head = ["documents", "sizes", "all perfect", "delta", "logit"]
show.table(
    head,
    rows,
    numeric=(0, 2, 3, 4),
    caption=(
        "Coverage where scores are near 1. Few documents have an error, so a sample may hold none."
    ),
)

# %% [markdown]
# The sizes *fifth* mean that a fifth of the documents are ten times as large as the others. With ten documents of one size the delta
# method covers {glue:text}`compare-near-one-delta:.3f`, and our interval {glue:text}`compare-near-one-logit:.3f`. The
# worst design has {glue:text}`compare-near-worst-documents:.0f` documents, and our interval covers
# {glue:text}`compare-near-worst-logit:.3f` there (delta {glue:text}`compare-near-worst-delta:.3f` at worst).
#
# **Documents whose size goes with their difficulty.** If large documents are hard, a sample may lack them by chance. Then
# its score is too high, and its variance too small. The documents are of unlike sizes. If a document is $e = 2.72$ times as
# large, the log odds of a right item change by the *slope*.

# %%
# Measure coverage where large documents are hard.
generator = np.random.default_rng(for_hard)
rows = []
least = {}
for units, slope in itertools.product((20, 50, 200), (-1.0, -0.5, 0.5, 1.0)):
    counts, truth = comparisons.hard_documents(units, slope, collections, generator)
    row = [f"{units}", f"{slope:g}"]
    for kind in METHODS:
        covered = covered_by(kind, truth, counts).covered
        row.append(f"{covered:.3f}")
        key = f"compare-hard-{'steep' if slope == -1.0 else 'other'}-{kind}"
        least[key] = min(least.get(key, 1.0), covered)
    rows.append(row)
for key, covered in least.items():
    say(key, covered)
show.table(
    ["documents", "slope", "delta", "logit"],
    rows,
    numeric=range(4),
    caption=(
        "Coverage where large documents are hard. A negative slope means that large documents "
        "have more errors."
    ),
)

# %% [markdown]
# Our interval covers at least {glue:text}`compare-hard-other-logit:.3f` with slopes of -0.5 or more, and
# {glue:text}`compare-hard-steep-logit:.3f` at worst with a slope of -1 (delta:
# {glue:text}`compare-hard-other-delta:.3f` and {glue:text}`compare-hard-steep-delta:.3f`). No interval knows of the
# large hard documents that the sample lacks. If you expect them, take more documents.
#
# ## Averages over classes
#
# Populations come from a rule. There are 2, 3, 5 or 10 classes, and 6, 10, 20, 50 or 100 documents. Each document has one
# item and a Poisson number of others (mean 3, 10 or 30). The shares of the classes come from a Dirichlet distribution with parameter 1, 5 or 50, and
# the smallest class expects 3 items or more. The shares of right items come from a Beta distribution (8, 2), (2, 2) or
# (50, 1). Wrong predictions are spread evenly over the other classes. Each document has its own shares of classes and
# of right items. They come from Dirichlet and Beta distributions around these shares, with a correlation of 0.05 or 0.3.

# %%
# Simulate documents with several classes.
AVERAGES = {
    "macro F1": ("f1", "macro", 0.5, 0.5),
    "weighted F1": ("f1", "weighted", 0.5, 0.5),
    "weighted precision": ("precision", "weighted", 1.0, 0.0),
}
generator = np.random.default_rng(for_averages)
averages = {key: [] for key in itertools.product(AVERAGES, METHODS)}
sets = max(collections // 10, 20)
for _ in range(30):
    population = comparisons.classes_in_documents(generator)
    counts = population.draw(sets, generator)
    for (kind, method), results in averages.items():
        metric, average, a, b = AVERAGES[kind]
        ask = {"average": average, "method": method, **level}
        intervals = [f1ci.Units(one).interval(metric, **ask) for one in counts]
        low, high = np.array([tuple(one) for one in intervals if not np.isnan(one.estimate)]).T
        truth = population.truth(a, b, average == "weighted")
        results.append(comparisons.coverage(low, high, truth))
        if len(low) < sets / 2:  # mostly undefined: left out
            results[-1] = comparisons.Coverage(*4 * [np.nan])

# %%
# Show coverage and length of each interval for each average.
rows = []
for (kind, method), results in averages.items():
    values = np.array(results)
    covered, too_low, too_high, _ = np.nanmean(values, axis=0)
    least = float(np.nanmin(values[:, 0]))
    ratio = np.nanmedian(values[:, 3] / np.array(averages[kind, "delta"])[:, 3])
    row = [kind, method, f"{covered:.3f}", f"{least:.3f}", f"{too_low:.3f}, {too_high:.3f}"]
    rows.append([*row, f"{ratio:.2f}"])
    name = kind.replace(" ", "-")
    say(f"compare-average-{name}-{method}", covered)
    say(f"compare-average-{name}-{method}-least", least)
say("compare-average-populations", len(averages["macro F1", "logit"]))
say("compare-average-error", np.sqrt(0.95 * 0.05 / sets))
head = ["average", "interval", "mean coverage", "least", "too low, too high", "length / delta"]
show.table(
    head,
    rows,
    numeric=(2, 3, 4, 5),
    caption=(
        "Averages over classes, with items in documents. Length is relative to the delta method's."
    ),
)

# %% [markdown]
# The interval is made in the same way: each document is left out in turn. In these {glue:text}`compare-average-populations:.0f` populations it
# covers macro F1 {glue:text}`compare-average-macro-F1-logit:.3f` on average, and
# {glue:text}`compare-average-macro-F1-logit-least:.3f` at worst. The delta method covers
# {glue:text}`compare-average-macro-F1-delta:.3f` and {glue:text}`compare-average-macro-F1-delta-least:.3f`. (A
# coverage has a standard error of {glue:text}`compare-average-error:.3f`. So the least of thirty numbers is too low.)
#
# ## Two models on the same documents
#
# Both models work on the same documents, which are easy or hard for both. The difference of F1 is
# known.

# %%
# Measure coverage for the difference of two models.
generator = np.random.default_rng(next(streams))
right = (0.85, 0.9)
gain = comparisons.f1_of_collections(right[1]) - comparisons.f1_of_collections(right[0])
designs = [(10, False, 0.0), (10, False, 0.3), (10, True, 0.2)]
designs += [(30, False, 0.2), (30, True, 0.2), (100, True, 0.2)]
rows = []
least = {"delta": 1.0, "logit": 1.0}
for units, skewed, correlation in designs:
    pairs = [
        comparisons.two_collections(units, skewed, correlation, right, generator)
        for _ in range(max(collections // 3, 20))
    ]
    counts = np.moveaxis(pairs, 0, 2)  # both models, units, collections as if they were classes
    row = [f"{units}", "unlike" if skewed else "one", f"{correlation:g}"]
    for kind in least:
        limits = limits_of_differences(counts, kind, confidence_level)
        result = comparisons.coverage(*limits, gain)
        least[kind] = min(least[kind], result.covered)
        row += [f"{result.covered:.3f}", f"{result.length:.3f}"]
    rows.append(row)
for kind, covered in least.items():
    say(f"compare-difference-{kind}", covered)
head = ["documents", "sizes", "correlation"]
head += ["delta: coverage", "length", "logit: coverage", "length"]
show.table(
    head,
    rows,
    numeric=(0, 2, 3, 4, 5, 6),
    caption=(
        "The difference of two models on the same documents. Coverage and length of both methods."
    ),
)

# %% [markdown]
# In the worst of these designs the delta method covers {glue:text}`compare-difference-delta:.3f`, and our
# interval {glue:text}`compare-difference-logit:.3f`. Our intervals are longer, most of all with ten documents of unlike
# sizes.
#
# ## A denominator in published code

# %%
# Compute a Wald test with the covariance of the published code, and with the right one.
unlike = np.array([[[150, 35], [3, 12]], [[3, 8], [0, 40]]])  # made up; B predicts many more
y, a, b = labels(unlike)
delta = f1ci.Labels(y, {"A": a, "B": b}).difference("f1", method="delta").interval
each = sum(f1ci.score_interval(y, x, "f1", method="delta").standard_error ** 2 for x in (a, b))
# f1ci divides the variance of a difference by n - 1, and that of one score and the code by n.
difference = delta.standard_error**2 * (1 - 1 / len(y))
ratio = (y.sum() + a.sum()) / (y.sum() + b.sum())  # D1 over D2
for name, factor in {"right": 1.0, "as-coded": ratio, "swapped": 1 / ratio}.items():
    variance = each - factor * (each - difference)  # the last part is twice the covariance
    say(f"compare-code-{name}", 2 * special.ndtr(-abs(delta.estimate) / np.sqrt(variance)))

# %% [markdown]
# The authors of {cite:t}`takahashi2023` published R code with their paper
# (`F1score_test.R`; we have not seen the paper). It has a Wald test for the difference of two binary F1 scores.
# The covariance of the two scores must be divided by $D_1 D_2$, where $D$ is the predicted plus the true positive share
# of a model. The code divides by $D_2^2$. (Its macro averages have both factors.) If the models do not
# predict equally many positives, the p-value depends on which model is called the first. For one made-up table it is
# {glue:text}`compare-code-as-coded:.3f`, and {glue:text}`compare-code-swapped:.3f` with the models swapped. With
# both denominators it is {glue:text}`compare-code-right:.3f` in either order.
#
# ## Three ways to go wrong
#
# **Naive t over folds.** Cross-validation gives ten scores. A t test on the ten differences
# treats them as independent. They are not: any two training sets share eight ninths of their items.
# Here two linear rules see a feature each. Both features are equally good, and neither model
# is better on average. How often does each analysis find a difference?

# %%
# Count how often each analysis of ten folds finds a difference.
generator = np.random.default_rng(next(streams))
differences = []
pooled = []
for _ in range(experiments):
    y, (a, b), fold = comparisons.cross_validated(generator)
    scores = [comparisons.fold_scores(y, x, fold) for x in (a, b)]
    differences.append(scores[1] - scores[0])
    pooled.append(np.bincount(4 * y + 2 * a + b, minlength=8).reshape(2, 2, 2))
mean, deviation = np.mean(differences, axis=1), np.std(differences, axis=1, ddof=1)
limit = stats.t.ppf(1 - alpha / 2, 9) * deviation
rejections = {
    "t over folds": np.abs(mean) > limit * np.sqrt(1 / 10),
    "t over folds, corrected": np.abs(mean) > limit * np.sqrt(1 / 10 + 1 / 9),
    "exact test, pooled predictions": p_values(pooled) <= alpha,
}
for name, hits in zip(("naive", "corrected", "pooled"), rejections.values(), strict=True):
    say(f"compare-cv-{name}", hits.mean())
say("compare-cv-error", np.sqrt(alpha * (1 - alpha) / experiments))
rows = [[name, f"{hits.mean():.3f}"] for name, hits in rejections.items()]
show.table(
    ["analysis of 10-fold cross-validation", "differences found"],
    rows,
    numeric=(1,),
    caption=(
        "Ten folds, four analyses. All models are equally good, so at most 5 % of the "
        "differences should be found."
    ),
)

# %% [markdown]
# (The corrected version is that of {cite:t}`nadeau2003`. The standard error of each number is
# {glue:text}`compare-cv-error:.3f`.) The naive t test finds a difference in {glue:text}`compare-cv-naive:.3f` of the
# experiments. The exact test on the pooled predictions finds one in {glue:text}`compare-cv-pooled:.3f`, which is
# worse. It compares the ten trained rules, and one set of rules may be luckier than the other. It does not compare the
# two ways to train them. The corrected t test, with {glue:text}`compare-cv-corrected:.3f`, errs on the safe side. Ten
# scores of one partition do not say how the scores would vary. [The chapter on the Bayes test](/book/wangli.md) has a design that
# does better.
#
# **A threshold tuned on the test set.** The scores of positives and negatives are normal. The threshold is chosen
# for the best F1 on the test set itself. Then the reported score is too high, and its interval does not cover the
# true F1 of the model with that threshold:

# %%
# Tune a threshold on the test set.
generator = np.random.default_rng(next(streams))
rows = []
for n in (100, 500, 2_000):
    drawn = [comparisons.tuned(n, generator) for _ in range(experiments)]
    truth, counts = (np.array(x) for x in zip(*drawn, strict=True))
    interval = f1ci.f1_interval(*counts.T, **level)
    optimism = f"{np.mean(interval.estimate - truth):+.3f}"
    covered = comparisons.coverage(*interval, truth).covered
    rows.append([f"{n:,}", optimism, f"{covered:.3f}"])
    if n != 500:
        say(f"compare-tuned-optimism-{n}", optimism)
        say(f"compare-tuned-covered-{n}", covered)
show.table(
    ["items", "reported minus true F1", "coverage"],
    rows,
    numeric=(0, 1, 2),
    caption=(
        "A threshold tuned on the test set. The score is too high by what the second column says."
    ),
)

# %% [markdown]
# With 100 items the reported score minus the true score is {glue:text}`compare-tuned-optimism-100` on average, and the
# interval covers {glue:text}`compare-tuned-covered-100:.3f`. With 2,000 items the numbers are
# {glue:text}`compare-tuned-optimism-2000` and {glue:text}`compare-tuned-covered-2000:.3f`. Tune on
# other items.
#
# **Pooled spans.** If all spans of all documents count as independent, the result is the
# "pooled" line of [the figure above](#fig-compare-coverage). With ten documents of one size and
# correlated spans it covers {glue:text}`compare-ten-pooled:.2f` on average. With two hundred
# documents the coverage is hardly better.
