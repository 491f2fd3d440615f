# %% [markdown]
# # Units and means: the evidence
#
# The items of a document, an image or a patient are alike, so documents are what is sampled: they are the *units*. The methods
# are in [the chapter](/book/units.md). This page measures how often their intervals contain the true score, for counts in
# documents, for means of one score for each image, and for averages over classes. Nothing on this page is from the papers.
#
# **In short.** A method *covers* as often as its intervals contain the true score; a 95 % interval should in 0.95 of the samples.
#
# - In {glue:text}`units-designs:.0f` populations of documents that were drawn by a rule, **score** limits cover
#   {glue:text}`units-documents-score-mean:.3f` on average. The {glue:text}`units-lowest:.0f` populations with the lowest coverages
#   were measured again; the least is {glue:text}`units-documents-score-again:.3f`. The t-like **logit** limits cover
#   {glue:text}`units-documents-logit-mean:.3f` and {glue:text}`units-documents-logit-again:.3f`, because they know nothing of bad documents
#   that a sample does not hold.
# - For means of scores the same numbers are {glue:text}`units-means-score-mean:.3f` and {glue:text}`units-means-score-again:.3f`
#   for score limits, and {glue:text}`units-means-logit-mean:.3f` and {glue:text}`units-means-logit-again:.3f` for logit limits.
# - The price is length. If no unit fails, score limits of a mean are {glue:text}`units-means-longer:.1f` times as far apart as logit
#   limits in the median of the populations, and at most {glue:text}`units-means-longest:.1f` times.
# - No method covers if large documents are harder than small ones and a few hold most items: the least is
#   {glue:text}`units-slope-score-again:.3f`.
#
# ```python
# import f1ci
#
# f1ci.Units(counts).interval()  # one row (tp, fp, fn) for each document
# f1ci.mean_interval(dice)  # one score for each image
# f1ci.score_interval(y_true, y_pred, "macro_f1", groups=documents)
# ```

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of all intervals
designs: int = 100  # populations that are drawn by each rule
sets: int = 100  # samples of each population
again: int = 1_000  # fresh samples of the populations with the lowest coverages
collections: int = 200  # samples of each design of the figure
resamples: int = 299  # bootstrap resamples of documents
seed: int = 20261120  # root seed

# %%
# Import what the notebook uses and open the ledger.
import itertools
import warnings

import numpy as np
from compendium import figures, ledger, show

import f1ci
from notebooks.own import units_and_means as units
from notebooks.shared import chart

# `say` keeps a number for the text, which quotes it by name.
# `units` draws populations and samples, and counts how often limits contain the truth.
page = ledger.open("units-and-means")
warnings.simplefilter("ignore", f1ci.IntervalWarning)  # odd samples are outcomes here
streams = iter(map(np.random.default_rng, np.random.SeedSequence(seed).spawn(10)))
LOWEST = 8  # populations that are measured again
METHODS = ("score", "logit", "delta")


def say(key, value):
    """Keep a number for the text."""
    page.say(f"units-{key}", value)


say("lowest", LOWEST)
say("designs", designs)
say("again-sets", again)

# %% tags=["remove-cell"]
# A picture for the chapter.
figure, axes = figures.subplots(1, 2, height=2.5)
chart.documents(axes)
figures.save(figure, "units-and-means-documents")

# %% [markdown]
# ## One error more
#
# Fifteen documents of eight items have 0, 1, 2 or 3 errors, each in a document of its own. One more error should lower a limit by a little.

# %%
# Compute the limits for 0 to 3 errors.
rows = []
for errors in range(4):
    counts = [[7, 1, 0]] * errors + [[8, 0, 0]] * (15 - errors)
    interval = f1ci.Units(counts).interval(confidence_level=confidence_level)
    say(f"errors-{errors}", interval.low)
    shorter = f1ci.Units(counts).interval(method="logit", confidence_level=confidence_level)
    row = [f"{errors}", f"{interval.low:.3f} to {interval.high:.3f}"]
    rows.append([*row, f"{shorter.low:.3f} to {shorter.high:.3f}"])
show.table(
    ["errors", "score", "logit"],
    rows,
    numeric=(0,),
    caption="Limits of F1 for fifteen documents of eight items with few errors.",
)

# %% [markdown]
# Score limits fall from {glue:text}`units-errors-0:.3f` to {glue:text}`units-errors-3:.3f`. Logit limits say nothing without an error, because the sample has no
# variance then, and hardly allow for a second bad document after the first error.
#
# ## Documents that were drawn by a rule
#
# A population has 5 to 150 documents of 2 to 60 relevant items on average. Their sizes are equal, lognormal, from a Pareto distribution, or
# a fifth of them at most are *giants*. The true F1 is between 0.5 and 0.997. The items of a document are correlated, or nothing is right in a
# share of the documents, or both. Sizes and difficulty are independent. The rule is `documents_by_rule` in
# `notebooks/own/units_and_means.py`; it was written after the method was chosen, and was not changed.


# %%
# Define how a study is shown and kept.
def keep(name, populations, limits, methods, rng):
    """Measure coverage, the lowest again in fresh samples, and return the rows of a table."""
    found = units.study(populations, limits, methods, confidence_level, sets, rng)
    rows = []
    for method, values in found.items():
        covered, too_low, too_high, _ = np.nanmean(values, axis=0)
        few = units.lowest(populations, values, LOWEST)
        fresh = units.study(few, limits, (method,), confidence_level, again, rng)[method]
        ratio = np.median(values[:, 3] / found["logit"][:, 3])
        below = np.mean(values[:, 0] < confidence_level - 0.02)
        say(f"{name}-{method}-mean", covered)
        say(f"{name}-{method}-again", fresh[:, 0].min())
        row = [method, f"{covered:.3f}", f"{values[:, 0].min():.3f}", f"{fresh[:, 0].min():.3f}"]
        row += [f"{100 * below:.0f} %", f"{too_low:.3f}, {too_high:.3f}", f"{ratio:.2f}"]
        rows.append(row)
    return found, rows


HEAD = ["limits", "mean coverage", "least", "least again", "below 0.93"]
HEAD += ["too low, too high", "length / logit"]

# %%
# Measure coverage of documents.
rng = next(streams)
populations = [units.documents_by_rule(rng) for _ in range(designs)]
found, rows = keep("documents", populations, units.limits_of_documents, METHODS, rng)
show.table(
    HEAD,
    rows,
    numeric=range(1, 7),
    caption="Coverage in populations of documents whose size and difficulty are independent.",
)

# %% tags=["remove-cell"]
# Keep what happens with bad documents.
bad = np.array([population.bad > 0 for population in populations])
for method in METHODS:
    say(f"bad-{method}", found[method][bad, 0].mean() if bad.any() else np.nan)
    say(f"good-{method}", found[method][~bad, 0].mean() if (~bad).any() else np.nan)
few = units.lowest(populations, found["score"], 1)[0]
say("few-units", few.units)
say("few-sizes", few.sizes)
say("few-f1", few.truth(next(streams)))
say("error", np.sqrt(0.95 * 0.05 / sets))
say("error-again", np.sqrt(0.95 * 0.05 / again))

# %% [markdown]
# *Least again* is the least coverage of the {glue:text}`units-lowest:.0f` populations that read lowest, each in {glue:text}`units-again-sets:,.0f` fresh samples (standard error
# {glue:text}`units-error-again:.3f`; in the first run it is {glue:text}`units-error:.3f`). Where some documents are bad, score limits cover
# {glue:text}`units-bad-score:.3f` on average and logit limits {glue:text}`units-bad-logit:.3f`. Where none is, they cover {glue:text}`units-good-score:.3f`
# and {glue:text}`units-good-logit:.3f`. So logit limits are right for somebody who knows that no document can fail. The population that reads lowest for score limits has
# {glue:text}`units-few-units:.0f` documents (sizes: {glue:text}`units-few-sizes`) and an F1 of {glue:text}`units-few-f1:.3f`: samples that hold one of its rare bad documents have upper limits below the truth.
# Wilson's interval for a proportion has the same dips near a perfect score.
#
# ## Large documents that are hard
#
# Here the log odds of a right item change by up to 1 if a document is $e = 2.72$ times as large, and sizes are never equal. A sample may lack the large
# documents that decide the score of the population. No method knows of them:

# %%
# Measure coverage where difficulty depends on size.
rng = next(streams)
populations = [units.documents_by_rule(rng, slope=True) for _ in range(max(2, designs // 2))]
found, rows = keep("slope", populations, units.limits_of_documents, METHODS, rng)
show.table(
    HEAD,
    rows,
    numeric=range(1, 7),
    caption="Coverage in populations of documents whose difficulty depends on their size.",
)

# %% tags=["remove-cell"]
# Keep what the worst population is like.
few = units.lowest(populations, found["score"], 1)[0]
say("slope-sizes", few.sizes)
share = few.draw_sizes(1_000, next(streams))
say("slope-largest", np.mean(share.max(axis=0) / share.sum(axis=0)))

# %% [markdown]
# The population that reads lowest has sizes of the kind "{glue:text}`units-slope-sizes`", and the largest document of a sample holds
# {glue:text}`units-slope-largest:.2f` of all items on average. If you expect such documents, sample more of them, by stratum of size, or report the mean of the
# documents' own scores (`average="samples"`), to which every document counts alike.
#
# ## Other choices
#
# The size of a unit that was not seen, and how units of unequal sizes count, are choices. Others were tried on fresh populations of the same rules, in which sizes are unequal:
# the plain mean size for unseen units; a factor on $z^2$ that depends on the shares $h_g$ of the units in the items; and these shares in the place of $1/G$.

# %%
# Measure the coverage of other choices.
rng = next(streams)
drawn = [units.documents_by_rule(rng) for _ in range(designs)]
unequal = [one for one in drawn if one.sizes != "even"][: max(2, designs // 4)]
hard = [units.documents_by_rule(rng, slope=True) for _ in range(max(2, designs // 10))]
rows = []
few = max(sets // 2, 5)
compared = units.study(
    [*unequal, *hard], units.limits_by_choice, units.CHOICES, confidence_level, few, rng
)
for choice, values in compared.items():
    apart, tied = values[: len(unequal), 0], values[len(unequal) :, 0]
    ratio = np.median(values[:, 3] / compared["as chosen"][:, 3])
    row = [choice, f"{apart.mean():.3f}", f"{apart.min():.3f}", f"{tied.mean():.3f}"]
    rows.append([*row, f"{tied.min():.3f}", f"{ratio:.2f}"])
head = ["choice", "mean coverage", "least", "with a slope: mean", "least", "length"]
caption = "Coverage of other choices, in populations with unequal sizes; the length is relative."
show.table(head, rows, numeric=range(1, 6), caption=caption)

# %% tags=["remove-cell"]
# Keep the numbers of the choices for the chapter.
for choice, key in zip(
    units.CHOICES, ("chosen", "mean", "factor", "smaller", "shares"), strict=True
):
    values = compared[choice]
    say(f"choice-{key}-covered", values[: len(unequal), 0].mean())
    say(f"choice-{key}-least", values[: len(unequal), 0].min())
    say(f"choice-{key}-slope", values[len(unequal) :, 0].mean())
    say(f"choice-{key}-length", np.median(values[:, 3] / compared["as chosen"][:, 3]))
say("choice-populations", len(unequal))

# %% [markdown]
# In {glue:text}`units-choice-populations:.0f` populations with independent sizes and difficulty the chosen rule covers {glue:text}`units-choice-chosen-covered:.3f` on average. With the plain
# mean size it is {glue:text}`units-choice-mean-covered:.3f`, so that size is too small. The two factors cover {glue:text}`units-choice-factor-covered:.3f` and
# {glue:text}`units-choice-smaller-covered:.3f`, at {glue:text}`units-choice-factor-length:.2f` and {glue:text}`units-choice-smaller-length:.2f` times the length. Shares cover
# {glue:text}`units-choice-shares-covered:.3f` at {glue:text}`units-choice-shares-length:.2f` times the length, so they are as good. We keep $1/G$, because units are what was drawn:
# then the limits are right in large samples whatever difficulty has to do with size.
#
# ## Means of one score for each image
#
# A population has 5 to 200 images. Their scores come from a Beta distribution with a mean of 0.6 to 0.98; in three of four populations 1 to 30 % of the
# images fail and have the score 0.

# %%
# Measure coverage of means.
rng = next(streams)
populations = [units.images_by_rule(rng) for _ in range(designs)]
found, rows = keep("means", populations, units.limits_of_means, METHODS, rng)
show.table(HEAD, rows, numeric=range(1, 7), caption="Coverage of means of scores of images.")

# %% tags=["remove-cell"]
# Keep the lengths for the text.
fails = np.array([population.fail > 0 for population in populations])
ratio = found["score"][:, 3] / found["logit"][:, 3]
say("means-longer", np.median(ratio[~fails]) if (~fails).any() else np.nan)
say("means-longest", ratio.max())
say("means-fail-length", np.median(ratio[fails]) if fails.any() else np.nan)
say("means-fail-score", found["score"][fails, 0].mean() if fails.any() else np.nan)
say("means-fail-logit", found["logit"][fails, 0].mean() if fails.any() else np.nan)
say("means-good-score", found["score"][~fails, 0].mean() if (~fails).any() else np.nan)
say("means-good-logit", found["logit"][~fails, 0].mean() if (~fails).any() else np.nan)

# %% [markdown]
# Where images fail, score limits cover {glue:text}`units-means-fail-score:.3f` on average and logit limits, which are close to a t interval,
# {glue:text}`units-means-fail-logit:.3f`; the length is {glue:text}`units-means-fail-length:.2f` times theirs in the median. Where no image
# fails, both cover ({glue:text}`units-means-good-score:.3f` and {glue:text}`units-means-good-logit:.3f`), and score limits are
# {glue:text}`units-means-longer:.1f` times as far apart. A mean of numbers between 0 and 1 costs that if nothing else is known of them.
#
# ## Averages over classes
#
# There are 2, 3, 5 or 10 classes, and 6 to 100 documents of one item and a Poisson number of others (mean 3, 10 or 30). The shares of the classes
# and of right items vary from document to document with a correlation of 0.05 or 0.3. Samples without an item of some class are drawn but not counted.

# %%
# Measure coverage of averages, kappa and MCC.
rng = next(streams)
METRICS = ("macro_f1", "weighted_f1", "mcc")
populations = [units.classes_by_rule(rng) for _ in range(max(2, designs // 5))]
found = {key: [] for key in itertools.product(METRICS, METHODS)}
for population in populations:
    measured = units.coverage_of_classes(population, METRICS, METHODS, max(sets // 3, 5), rng)
    for key, value in measured.items():
        found[key].append(value)

# %%
# Show coverage and length for each average.
rows = []
for (metric, method), results in found.items():
    values = np.array(results)
    covered, too_low, too_high, _ = np.nanmean(values, axis=0)
    ratio = np.nanmedian(values[:, 3] / np.array(found[metric, "logit"])[:, 3])
    name = metric.replace("_", "-")
    say(f"{name}-{method}-mean", covered)
    say(f"{name}-{method}-least", np.nanmin(values[:, 0]))
    row = [metric, method, f"{covered:.3f}", f"{np.nanmin(values[:, 0]):.3f}"]
    rows.append([*row, f"{too_low:.3f}, {too_high:.3f}", f"{ratio:.2f}"])
say("class-populations", len(populations))
say("class-error", np.sqrt(0.95 * 0.05 / max(sets // 3, 5)))
head = ["average", "limits", "mean coverage", "least", "too low, too high", "length / logit"]
show.table(
    head, rows, numeric=(2, 3, 4, 5), caption="Coverage of averages over classes and of MCC."
)

# %% [markdown]
# In these {glue:text}`units-class-populations:.0f` populations score limits cover macro F1 {glue:text}`units-macro-f1-score-mean:.3f` on average, and
# {glue:text}`units-macro-f1-score-least:.3f` at least; logit limits cover {glue:text}`units-macro-f1-logit-mean:.3f` and
# {glue:text}`units-macro-f1-logit-least:.3f`. (One coverage has a standard error of {glue:text}`units-class-error:.3f`, so that the least of them is too low.)
#
# ## Few documents and many
#
# Documents have eight relevant items, or lognormal sizes with a standard deviation of 1 of the logarithm. F1 is 0.8, and no document is bad. Two more intervals are
# compared: **pooled** takes all items as independent (`f1ci.f1_interval` of the sums), and **bootstrap** draws documents with replacement and takes percentiles.

# %%
# Simulate documents, and measure five intervals.
true_f1 = 0.8
number_of_units = (5, 10, 20, 50, 200)
correlations = (0.0, 0.1, 0.3, 0.5)
kinds = ("pooled", "delta", "bootstrap", "logit", "score")
rng = next(streams)
study = {}
for number, sizes, correlation in itertools.product(
    number_of_units, ("even", "lognormal"), correlations
):
    population = units.Documents(
        number, sizes, 8, right=true_f1 / (2 - true_f1), correlation=correlation
    )
    counts = population.draw(collections, rng)
    limits = units.intervals_of_documents(counts, confidence_level, resamples, rng)
    for kind, (low, high) in limits:
        study[number, sizes, correlation, kind] = units.coverage(low, high, true_f1)

# %% mystnb={"image": {"alt": "Two columns of four panels: documents of one size on the left and of unlike sizes on the right, one panel for each correlation. Coverage against the number of documents. Pooled counts fall far below the level if items are correlated. The delta method and the bootstrap start well below the level with five documents and rise. The logit limits stay near the level, and the score limits at or above it."}, "figure": {"caption": "Coverage of five intervals for an F1 of 0.8 against the number of documents, by the correlation of items within a document (rows) and by whether the documents are of one size (left) or not (right). No document fails.", "name": "fig-units-and-means-coverage"}}
# Draw coverage against the number of documents.
figure, axes = figures.subplots(
    len(correlations), 2, height=7.6, sharex=True, sharey=True, squeeze=False
)
looks = dict(zip(kinds, ("grey", "vermilion", "orange", "green", "blue"), strict=True))
for column, sizes in zip(axes.T, ("even", "lognormal"), strict=True):
    for axis, correlation in zip(column, correlations, strict=True):
        name = f"the level: {confidence_level:g}"
        axis.axhline(confidence_level, color="black", linewidth=0.8, label=name)
        for marker, (kind, colour) in zip("xs^Do", looks.items(), strict=True):
            line = [study[number, sizes, correlation, kind].covered for number in number_of_units]
            look = {"color": figures.COLOURS[colour], "marker": marker, "linewidth": 1.2}
            axis.plot(number_of_units, line, label=kind, **look)
        axis.set(xscale="log", ylim=(0.42, 1.005), xticks=number_of_units)
        axis.set_xticklabels([str(number) for number in number_of_units])
        axis.minorticks_off()
for axis, correlation in zip(axes[:, 0], correlations, strict=True):
    axis.set_ylabel(f"correlation {correlation:g}")
axes[0, 0].set_title("coverage, one size")
axes[0, 1].set_title("coverage, unlike sizes")
for axis in axes[-1]:
    axis.set_xlabel("documents")
handles, names = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=3)
figures.save(figure, "units-and-means-coverage")

# %% tags=["remove-cell"]
# Keep coverages of ten documents, with correlations above zero, for the text.
for kind in kinds:
    for sizes in ("even", "lognormal"):
        some = [study[10, sizes, c, kind].covered for c in correlations[1:]]
        say(f"ten-{sizes}-{kind}", np.mean(some))
    say(f"least-{kind}", min(x.covered for (*_, k), x in study.items() if k == kind))
    ratio = [
        study[200, sizes, c, kind].length / study[200, sizes, c, "logit"].length
        for sizes, c in itertools.product(("even", "lognormal"), correlations)
    ]
    say(f"many-{kind}", np.mean(ratio))

# %% [markdown]
# With ten documents of one size and correlated items pooled counts cover {glue:text}`units-ten-even-pooled:.2f` on average, the delta method
# {glue:text}`units-ten-even-delta:.3f`, and the bootstrap of documents {glue:text}`units-ten-even-bootstrap:.3f`; with unlike sizes the numbers are
# {glue:text}`units-ten-lognormal-pooled:.2f`, {glue:text}`units-ten-lognormal-delta:.3f` and {glue:text}`units-ten-lognormal-bootstrap:.3f`. Logit limits cover
# {glue:text}`units-ten-even-logit:.3f` and {glue:text}`units-ten-lognormal-logit:.3f`, and score limits {glue:text}`units-ten-even-score:.3f` and
# {glue:text}`units-ten-lognormal-score:.3f`, which is too often, because here no document can fail. With 200 documents score limits are
# {glue:text}`units-many-score:.2f` times as far apart as logit limits on average.
