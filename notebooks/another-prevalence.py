# %% [markdown]
# # Another prevalence, another F1
#
# ## In plain words
#
# A test set may have other class shares than the place where a model is used. Take a test set with 100 positives and 100
# negatives. A rule finds 80 of the positives, and calls 10 of the negatives positive. Its recall is 0.8, its precision is
# $80 / 90 = 0.89$, and its F1 is 0.84. In use one item in a hundred is positive. Among 10,000 items the rule then finds 80 of
# 100 positives, and calls 990 of 9,900 negatives positive. Recall is still 0.8. Precision falls to $80 / 1070 = 0.07$, and F1
# to 0.14.
#
# If the shares in use are known, `class_shares=` gives the score and its interval for them. A test set may also be drawn
# by *stratum*: a fixed number of items from each class of a map, or from each region. If the shares of the strata are
# known, `strata=` with `stratum_shares=` gives the score and its interval.
#
# ## In short
#
# An interval *covers* if it holds the true score. A 95 % interval should do so in a share of 0.95 of the test sets.
#
# - The orange juice rule has an F1 of {glue:text}`prevalence-own:.3f` on its test set. Where one item in twenty is positive, its F1
#   is {glue:text}`prevalence-rare:.3f`. The 95 % interval reaches from {glue:text}`prevalence-rare-low:.3f` to {glue:text}`prevalence-rare-high:.3f`.
# - For known class shares and {glue:text}`prevalence-designs` designs, score intervals cover {glue:text}`prevalence-score-mean:.3f` on average and
#   {glue:text}`prevalence-score-worst:.3f` at worst. The delta method (the estimate plus and minus 1.96 standard errors) covers
#   {glue:text}`prevalence-delta-worst:.3f` at worst. If items are multiplied by weights, the coverage falls to {glue:text}`prevalence-weights-worst:.3f`.
# - For strata and {glue:text}`prevalence-strata-designs` designs, score intervals cover {glue:text}`prevalence-strata-score-mean:.3f` on average and
#   {glue:text}`prevalence-strata-score-worst:.3f` at worst. The delta method covers {glue:text}`prevalence-strata-delta-worst:.3f` at worst.

# %% tags=["parameters"]
confidence_level: float = 0.95  # nominal
rare: float = 0.05  # the prevalence in use, in the worked example
sizes: list[int] = [60, 200]  # items in a balanced test set
prevalences: list[float] = [0.02, 0.2, 0.8]  # where the score is wanted
replicates: int = 4_000  # balanced test sets for each design
drawn: list[int] = [30, 100]  # items from each stratum
strata_replicates: int = 2_000  # test sets by stratum for each design
seed: int = 20_261_120  # root of all random streams

# %%
# Import what the notebook uses and open the ledger.
import itertools
import warnings

import numpy as np
from compendium import figures, ledger, show
from scipy import stats

import f1ci
from notebooks.shared import kernels

say = ledger.open("another-prevalence").say
streams = iter(np.random.SeedSequence(seed).spawn(100))
warnings.simplefilter("ignore", f1ci.IntervalWarning)

# %% [markdown]
# ## The orange juice at another prevalence
#
# [Jiang](/book/jiang.md) tests a rule that tells which of two brands of orange juice a customer buys. Of the test
# set's items {glue:text}`prevalence-share:.1%` are positive. The code has the matrix, with true classes in rows. The figure has F1 for
# other shares of positives. Only the shares change: the rule finds the same part of the
# positives, and calls the same part of the negatives positive.

# %%
# Score the orange juice rule where few items are positive.
juice = np.array([[159, 47], [43, 286]])
say("prevalence-share", juice[1].sum() / juice.sum())
say("prevalence-own", f1ci.Matrix(juice).interval("f1").estimate)
interval = f1ci.Matrix(juice, class_shares=[1 - rare, rare]).interval("f1")
say("prevalence-rare", interval.estimate)
say("prevalence-rare-low", interval.low)
say("prevalence-rare-high", interval.high)
print(interval)

# %% mystnb={"image": {"alt": "F1 against the share of positives, a rising curve with a band: near 0.13 where one item in fifty is positive, near 0.86 at the test set's own share, near 0.93 where nearly all are positive."}, "figure": {"caption": "F1 of the orange juice rule and its 95 % limits, if another share of the items is positive. The dot is the test set's own share.", "name": "fig-another-prevalence-orange-juice"}}
# Draw F1 and its limits against the prevalence.
figure, axes = figures.subplots(height=2.6)
grid = np.linspace(0.01, 0.97, 49)
curve = [f1ci.Matrix(juice, class_shares=[1 - x, x]).interval("f1") for x in grid]
limits = [x.low for x in curve], [x.high for x in curve]
axes.fill_between(grid, *limits, color="#d9d9d9", label="95 % limits")
axes.plot(grid, [x.estimate for x in curve], label="F1")
own = juice[1].sum() / juice.sum(), f1ci.metrics.f1.value(juice)
axes.plot(*own, "o", markersize=7, label="this test set")
axes.legend(loc="lower right")
axes.set(xlabel="share of positives where the score is wanted", ylabel="F1", ylim=(0, 1))
figures.save(figure, "another-prevalence-orange-juice")

# %% [markdown]
# ## Why weights are not items
#
# Multiply each negative by {glue:text}`prevalence-weight:.0f`, and you have the right F1. But the new matrix claims thousands of
# negatives. There are only as many as before, and we know no more about them. So an interval from the
# multiplied matrix is too short. The table shows by how much, for the orange juice.

# %%
# Multiply the items by weights, and compare the lengths.
weights = np.array([(1 - rare) / juice[0].sum(), rare / juice[1].sum()])
say("prevalence-weight", weights.max() / weights.min())
multiplied = np.rint(juice * (weights / weights.min())[:, None]).astype(int)
wrong = f1ci.Matrix(multiplied).interval("f1")
rows = []
for name, x in (("class_shares=", interval), ("items multiplied by weights", wrong)):
    rows.append([name, f"{x.estimate:.3f}", f"{x.low:.3f} to {x.high:.3f}", f"{x.length:.3f}"])
show.table(
    ["counted as", "F1", "95 % limits", "length"],
    rows,
    numeric=[1, 3],
    caption=(
        "Intervals from weights and from items. Multiplying the items shortens the interval, "
        "though nobody has seen more of them."
    ),
)

# %% [markdown]
# ## Coverage for known shares
#
# The designs were fixed before anything was measured. For F1 they are balanced test sets of two sizes, three kinds of
# rules, and three prevalences. For the macro F1 of three classes there are two sets of shares. The true score is
# the score of the population with the known shares. The method *weights* multiplies the items, as above.

# %%
# Make the designs for known shares.
rules = {"good": (0.95, 0.02), "fair": (0.8, 0.1), "cautious": (0.6, 0.01)}
confusions = np.array([[0.9, 0.06, 0.04], [0.1, 0.8, 0.1], [0.02, 0.18, 0.8]])
designs = []
for n, (right, false), share in itertools.product(sizes, rules.values(), prevalences):
    p = np.array([[1 - false, false], [1 - right, right]])
    designs.append((p, n // 2, [1 - share, share], "f1"))
for n, shares in itertools.product(sizes, ([0.8, 0.15, 0.05], [0.05, 0.15, 0.8])):
    designs.append((confusions, n // 3, shares, "macro_f1"))
say("prevalence-designs", len(designs))


# %%
# Multiply items by weights, and show the coverage and length of each method.
def weighted(tables, shares):
    """Multiply the rows so that the smallest weight is 1."""
    factor = np.array(shares) / tables[0].sum(axis=1)
    return np.rint(tables * (factor / factor.min())[:, None]).astype(int)


def covered_and_length(low, high, truth):
    """Return how often limits hold the truth, and their mean length."""
    return np.mean(f1ci.coverage.covers(low, high, truth)), np.mean(high - low)


SHARES = {"prevalence": "shares of the classes", "prevalence-strata": "shares of the strata"}


def show_study(key, study):
    """Show coverage and length of each way over the designs, and keep them for the text."""
    rows = []
    for way, results in study.items():
        covers, lengths = np.transpose(results)
        ratio = np.mean(lengths / np.transpose(study["score"])[1])
        say(f"{key}-{way}-mean", covers.mean())
        say(f"{key}-{way}-worst", covers.min())
        row = [f"{x:.3f}" for x in (covers.mean(), covers.min(), covers.max())]
        rows.append([way, *row, f"{ratio:.2f}"])
    head = ["method", "mean coverage", "worst", "largest", "length over score"]
    return show.table(
        head,
        rows,
        numeric=range(1, 5),
        caption=(
            f"Coverage with known {SHARES[key]}. Wherever the worst coverage is far below the level, "
            "the method promises too much."
        ),
    )


# %%
# Simulate balanced test sets, and show what each method covers.
level = {"confidence_level": confidence_level}
study = {way: [] for way in ("score", "logit", "delta", "weights")}
for p, each, shares, metric in designs:
    rng = np.random.default_rng(next(streams))
    tables = np.stack([rng.multinomial(each, row, replicates) for row in p], axis=1)
    truth = f1ci.metrics.get(metric).value(p * np.array(shares)[:, None])
    for way in ("score", "logit", "delta"):
        ends = f1ci.Matrix(tables, class_shares=shares).interval(metric, method=way, **level)
        study[way].append(covered_and_length(*ends, truth))
    ends = f1ci.Matrix(weighted(tables, shares)).interval(metric, **level)
    study["weights"].append(covered_and_length(*ends, truth))
show_study("prevalence", study)

# %% [markdown]
# ## A map with known areas
#
# {cite:t}`olofsson2014` assess a map of forest change. From each of the map's four classes they draw some pixels and
# look up what is truly there. The areas of the map's classes are known. So the strata are the *predicted* classes.
# Deforestation has {glue:text}`prevalence-map-area:.1%` of the area and {glue:text}`prevalence-map-drawn:.0%` of
# the pixels that were drawn. The table has the F1 of each class twice: with the areas, and without them. The
# standard errors of precision, recall and F1 are those of R's `survey` package (`tests/package/test_strata.py`). The
# counts and areas are those of the paper's Table 8, as the R package `mapaccuracy` 0.1.2 quotes them.

# %%
# Read the map and its areas, and score it with and without them.
counts = np.array([[66, 0, 5, 4], [0, 55, 8, 12], [1, 0, 153, 11], [2, 1, 9, 313]])
kinds = ["deforestation", "forest gain", "stable forest", "stable non-forest"]
areas = dict(zip(kinds, [0.02, 0.015, 0.32, 0.645], strict=True))
on_map, in_truth = (
    np.repeat(np.array(kinds)[k].ravel(), counts.ravel()) for k in np.indices(counts.shape)
)
known = {"strata": on_map, "stratum_shares": areas}
with_areas = f1ci.score_interval(in_truth, on_map, "f1", average=None, **known)
ignored = f1ci.score_interval(in_truth, on_map, "f1", average=None)

# %%
# Show the F1 of each class of the map.
rows = []
for k, kind in enumerate(with_areas.classes):
    row = [kind]
    for x in (with_areas, ignored):
        row += [f"{x.estimate[k]:.3f}", f"{x.low[k]:.3f} to {x.high[k]:.3f}"]
    rows.append(row)
head = ["class", "F1", "score limits", "F1, design ignored", "score limits"]
show.table(
    head,
    rows,
    numeric=[1, 3],
    caption=(
        "The classes of the map, scored with known areas. Where a class is rare on the map, "
        "ignoring the design moves its F1 most."
    ),
)

# %% tags=["remove-cell"]
# Keep the numbers of the map for the text.
say("prevalence-map-area", areas["deforestation"])
say("prevalence-map-drawn", counts[0].sum() / counts.sum())
say("prevalence-map-f1", with_areas.estimate[0])
say("prevalence-map-ignored", ignored.estimate[0])
say("prevalence-map-low", with_areas.low[0])
say("prevalence-map-high", with_areas.high[0])

# %% [markdown]
# F1 of deforestation is {glue:text}`prevalence-map-f1:.3f`, from {glue:text}`prevalence-map-low:.3f` to {glue:text}`prevalence-map-high:.3f`. If the design is
# ignored, it seems to be {glue:text}`prevalence-map-ignored:.3f`. Few pixels of the large class *stable non-forest* are truly
# deforested, but each of them stands for a large area.
#
# ## Coverage for strata
#
# These designs were also fixed before anything was measured. There are three kinds:
#
# - maps of two classes: three shares of the mapped positive class, two precisions of this class, and two rates of
#   positives that the map misses;
# - the map above, with its estimated shares as the truth: the F1 of deforestation, and macro F1;
# - three regions. The first region has most of the area and few positives. Here the strata are neither true nor predicted
#   classes.

# %%
# Make the designs for strata.
strata_designs = []
for n, share, right, missed in itertools.product(
    drawn, (0.02, 0.1, 0.5), (0.9, 0.6), (0.005, 0.05)
):
    # Strata are the predicted classes, negative and positive; rows are true classes.
    p = np.array([[[1 - missed, 0], [missed, 0]], [[0, 1 - right], [0, right]]])
    strata_designs.append((p, n, [1 - share, share], "f1"))
p_map = np.zeros((4, 4, 4))
for k in range(4):
    p_map[k, :, k] = counts[k] / counts[k].sum()
p_class = np.zeros((4, 2, 2))
p_class[:, :, 0] = p_map[:, :, 1:].sum(axis=2) @ [[0, 1], [1, 0], [1, 0], [1, 0]]
p_class[:, :, 1] = p_map[:, :, 0] @ [[0, 1], [1, 0], [1, 0], [1, 0]]
rule = np.array([[0.97, 0.03], [0.2, 0.8]])
p_regions = np.array([rule * [[1 - share], [share]] for share in (0.05, 0.3, 0.6)])
for n in drawn:
    strata_designs.append((p_class, n, list(areas.values()), "f1"))
    strata_designs.append((p_map, n, list(areas.values()), "macro_f1"))
    strata_designs.append((p_regions, n, [0.7, 0.2, 0.1], "f1"))
say("prevalence-strata-designs", len(strata_designs))

# %%
# Simulate test sets by stratum, and show what each method covers.
z = stats.norm.ppf((1 + confidence_level) / 2)
study = {way: [] for way in ("score", "logit", "delta", "ignored")}
for p, n, shares, name in strata_designs:
    rng = np.random.default_rng(next(streams))
    metric = f1ci.metrics.get(name)
    tables = np.stack([rng.multinomial(n, x.ravel(), strata_replicates) for x in p], axis=1)
    tables = tables.reshape(strata_replicates, *p.shape)
    truth = metric.value(np.tensordot(shares, p, 1))
    sample = kernels.of_strata(tables, shares, metric)
    for way in ("score", "logit", "delta"):
        ends = kernels.limits_of_sample(way, sample, z)
        study[way].append(covered_and_length(*ends, truth))
    ignored = f1ci.Matrix(tables.sum(axis=1)).interval(name, **level)
    study["ignored"].append(covered_and_length(*ignored, truth))
show_study("prevalence-strata", study)

# %% [markdown]
# The row *delta* has the standard errors of R's `survey`. In a map a few errors in a large class decide. A sample
# often has none of these errors, or one. Then the standard error is much too small.
#
# ## What to take
#
# - Pass `class_shares=` if the shares are known. Do not multiply items, and do not weight them.
# - The shares must be known, not guessed. If you can only guess, draw the curve above over all shares that are possible.
# - The items of each class must be like the items of this class in use. Otherwise recall changes too, and no share
#   repairs it.
# - If items were not drawn by their true class, pass `strata=` and `stratum_shares=`. Strata may be the classes of a map,
#   regions, or bins of the model's scores.
