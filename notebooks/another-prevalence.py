# %% [markdown]
# # Another prevalence, another F1
#
# A test set may have other class shares than the place where a model is used. A balanced test set has
# as many positives as negatives, and in use one item in a hundred may be positive. Recall stays what it is.
# Precision falls, and F1 with it. If the shares are known, `class_shares=` gives the score and its interval
# for them. Two more doors are measured here: *means* of scores by unit, such as the Dice of each image, and
# several *runs* of one recipe on one test set.
#
# **In short.** The orange juice rule has an F1 of {glue:text}`prevalence-own:.3f` on its test set. Where one
# item in twenty is positive, its F1 is {glue:text}`prevalence-rare:.3f`, with the 95 % interval from
# {glue:text}`prevalence-rare-low:.3f` to {glue:text}`prevalence-rare-high:.3f`. Over
# {glue:text}`prevalence-designs` designs, score intervals for known shares cover
# {glue:text}`prevalence-score-mean:.3f` on average and {glue:text}`prevalence-score-worst:.3f` at worst. The
# delta method covers {glue:text}`prevalence-delta-worst:.3f` at worst. If items are multiplied by weights, the
# coverage falls to {glue:text}`prevalence-weights-worst:.3f`.

# %% tags=["parameters"]
confidence_level: float = 0.95  # nominal
rare: float = 0.05  # the prevalence in use, in the worked example
sizes: list[int] = [60, 200]  # items in a balanced test set
prevalences: list[float] = [0.02, 0.2, 0.8]  # where the score is wanted
replicates: int = 4_000  # balanced test sets for each design
images: list[int] = [10, 20, 50]  # images in a test set
mean_replicates: int = 1_000  # test sets of images for each design
runs: list[int] = [2, 3, 5, 20]  # runs of a recipe
seed_effects: list[float] = [0.0, 0.3]  # standard deviation between runs, on the probit scale
run_items: list[int] = [200, 1_000]  # items in the test set of the runs
run_replicates: int = 250  # test sets with runs for each design
seed: int = 20_261_120  # root of all random streams

# %%
# Import what the notebook uses and open the ledger.
import itertools
import warnings

import numpy as np
from compendium import figures, ledger, show
from scipy import stats

import f1ci

say = ledger.open("another-prevalence").say
streams = iter(np.random.SeedSequence(seed).spawn(100))
warnings.simplefilter("ignore", f1ci.IntervalWarning)

# %% [markdown]
# ## The orange juice at another prevalence
#
# [Jiang](/book/jiang.md) tests a rule that tells which of two brands of orange juice a customer buys. Of the test
# set's items {glue:text}`prevalence-share:.1%` are positive. Here is the matrix, with true classes in rows, and
# F1 for other shares of positives. Nothing but the shares changes: the rule finds the same part of the
# positives, and calls the same part of the negatives positive.

# %%
juice = np.array([[159, 47], [43, 286]])
say("prevalence-share", juice[1].sum() / juice.sum())
say("prevalence-own", f1ci.metric_interval(juice, "f1").estimate)
interval = f1ci.metric_interval(juice, "f1", class_shares=[1 - rare, rare])
say("prevalence-rare", interval.estimate)
say("prevalence-rare-low", interval.low)
say("prevalence-rare-high", interval.high)
print(interval)

# %% mystnb={"image": {"alt": "F1 against the share of positives, a rising curve with a band: near 0.13 where one item in fifty is positive, near 0.86 at the test set's own share, near 0.93 where nearly all are positive."}, "figure": {"caption": "F1 of the orange juice rule and its 95 % limits, if another share of the items is positive. The dot is the test set's own share.", "name": "fig-another-prevalence"}}
# Draw F1 and its limits against the prevalence.
figure, axes = figures.subplots(height=2.6)
grid = np.linspace(0.01, 0.97, 49)
curve = [f1ci.metric_interval(juice, "f1", class_shares=[1 - x, x]) for x in grid]
axes.fill_between(grid, [x.low for x in curve], [x.high for x in curve], color="0.85")
axes.plot(grid, [x.estimate for x in curve])
axes.plot(juice[1].sum() / juice.sum(), f1ci.metrics.f1.value(juice), "o")
axes.set(xlabel="share of positives where the score is wanted", ylabel="F1", ylim=(0, 1))
figures.save(figure, "another-prevalence-orange-juice")

# %% [markdown]
# ## Why weights are not items
#
# Multiply each negative by {glue:text}`prevalence-weight:.0f` and you have the right F1. But now the matrix says that
# there are thousands of negatives. There are only as many as before, and what is known of them is what it was. An interval from the
# multiplied matrix is too short. The table shows by how much, for the orange juice.

# %%
weights = np.array([(1 - rare) / juice[0].sum(), rare / juice[1].sum()])
say("prevalence-weight", weights.max() / weights.min())
multiplied = np.rint(juice * (weights / weights.min())[:, None]).astype(int)
wrong = f1ci.metric_interval(multiplied, "f1")
rows = [
    [name, f"{x.estimate:.3f}", f"{x.low:.3f} to {x.high:.3f}", f"{x.length:.3f}"]
    for name, x in (("class_shares=", interval), ("items multiplied by weights", wrong))
]
show.table(["", "F1", "95 % limits", "length"], rows, numeric=[1, 3])

# %% [markdown]
# ## Coverage for known shares
#
# The designs were fixed before anything was measured. For F1 they are balanced test sets of two sizes, three kinds of
# rules, and three prevalences. For the macro F1 of three classes there are two sets of shares. The true score is
# that of the population with the known shares.

# %%
rules = {"good": (0.95, 0.02), "fair": (0.8, 0.1), "cautious": (0.6, 0.01)}
confusions = np.array([[0.9, 0.06, 0.04], [0.1, 0.8, 0.1], [0.02, 0.18, 0.8]])
designs = []
for n, (right, false), share in itertools.product(sizes, rules.values(), prevalences):
    p = np.array([[1 - false, false], [1 - right, right]])
    designs.append((p, n // 2, [1 - share, share], "f1"))
for n, shares in itertools.product(sizes, ([0.8, 0.15, 0.05], [0.05, 0.15, 0.8])):
    designs.append((confusions, n // 3, shares, "macro_f1"))
say("prevalence-designs", len(designs))


def weighted(tables, shares):
    """Multiply the rows so that the smallest weight is 1."""
    factor = np.array(shares) / tables[0].sum(axis=1)
    return np.rint(tables * (factor / factor.min())[:, None]).astype(int)


# %%
ways = ("score", "logit", "delta", "weights")
covered = {way: [] for way in ways}
length = {way: [] for way in ways}
for p, each, shares, metric in designs:
    rng = np.random.default_rng(next(streams))
    tables = np.stack([rng.multinomial(each, row, replicates) for row in p], axis=1)
    truth = f1ci.metrics.get(metric).value(p * np.array(shares)[:, None])
    for way in ways:
        options = {"confidence_level": confidence_level}
        if way == "weights":
            interval = f1ci.metric_interval(weighted(tables, shares), metric, **options)
        else:
            options |= {"method": way, "class_shares": shares}
            interval = f1ci.metric_interval(tables, metric, **options)
        inside = (interval.low <= truth) & (truth <= interval.high)
        covered[way].append(inside.mean())
        length[way].append(interval.length.mean())

# %%
rows = []
for way in ways:
    ratio = np.mean(np.array(length[way]) / length["score"])
    say(f"prevalence-{way}-mean", np.mean(covered[way]))
    say(f"prevalence-{way}-worst", np.min(covered[way]))
    row = [way, f"{np.mean(covered[way]):.3f}", f"{np.min(covered[way]):.3f}"]
    rows.append([*row, f"{np.max(covered[way]):.3f}", f"{ratio:.2f}"])
head = ["method", "mean coverage", "worst", "largest", "length over score"]
show.table(head, rows, numeric=range(1, 5))

# %% [markdown]
# ## Means of scores by unit
#
# Each image brings a Dice score of its own. `f1ci.mean_interval` and `f1ci.mean_difference` are beside scipy's t
# interval and paired t interval. Two kinds of scores: all images alike, and images of which one in ten fails. The
# gain of model B is drawn for each image, and is about $.01$ on average.


# %%
def dice(rng, shape, failures):
    """Draw scores with the mean .95 of images that do not fail; failures have the mean .5."""
    good = rng.beta(19, 1, shape)
    bad = rng.beta(4, 4, shape)
    return np.where(rng.random(shape) < failures, bad, good)


def share_inside(limits, truth):
    """Return how many intervals hold the truth."""
    return np.mean([low <= truth <= high for low, high in limits])


# %%
rows = []
means = []
for n, failures in itertools.product(images, (0.0, 0.1)):
    rng = np.random.default_rng(next(streams))
    a = dice(rng, (mean_replicates, n), failures)
    b = a + 0.2 * (1 - a) * rng.beta(1, 3, a.shape) + a * (1 - a) * rng.normal(0, 0.1, a.shape)
    b = np.clip(b, 0, 1)
    large = np.random.default_rng(seed)
    one = dice(large, 10**6, failures)
    gain = 0.2 * (1 - one) * large.beta(1, 3, one.shape)
    other = np.clip(one + gain + one * (1 - one) * large.normal(0, 0.1, one.shape), 0, 1)
    ours = (
        [f1ci.mean_interval(x) for x in a],
        [f1ci.mean_difference(x, y) for x, y in zip(a, b, strict=True)],
    )
    t = [stats.ttest_1samp(x, 0).confidence_interval() for x in a]
    paired = [stats.ttest_rel(y, x).confidence_interval() for x, y in zip(a, b, strict=True)]
    truths = 0.95 - failures * 0.45, np.mean(other - one)
    row = [share_inside(x, truth) for x, truth in zip((*ours, t, paired), truths * 2, strict=True)]
    row.append(np.mean([x.length for x in ours[1]]) / np.mean([high - low for low, high in paired]))
    means.append(row)
    rows.append([str(n), f"{failures:.0%}", *(f"{x:.3f}" for x in row)])
head = ["images", "failures", "mean", "difference", "t", "paired t", "length over paired t"]
show.table(head, rows, numeric=range(7))

# %% tags=["remove-cell"]
means = np.array(means)
say("prevalence-mean-worst", means[:, 0].min())
say("prevalence-t-worst", means[:, 2].min())
say("prevalence-paired-worst", means[:, 1].min())
say("prevalence-paired-t-worst", means[:, 3].min())
say("prevalence-paired-length", means[:, 4].mean())

# %% [markdown]
# The interval of a mean covers {glue:text}`prevalence-mean-worst:.3f` at worst, and the t interval
# {glue:text}`prevalence-t-worst:.3f`. Of the paired differences it is {glue:text}`prevalence-paired-worst:.3f`
# and {glue:text}`prevalence-paired-t-worst:.3f`; the lengths are {glue:text}`prevalence-paired-length:.2f` times
# those of the paired t interval. The worst designs have few images and rare failures: a test set without
# a failure knows nothing of failures, and no interval of a mean can tell.

# %% [markdown]
# ## Several runs of one recipe
#
# Every item has a difficulty and every run has a quality, both normal on the probit scale. A third of the items is
# positive. `repeated_interval` should cover the mean F1 of new runs on new items. The alternative in use is the interval of one run, which says
# nothing of new runs.


# %%
def drawn(rng, items, count, effect):
    """Return true labels, and the predictions of runs with normal effects of items and runs."""
    y = (rng.random(items) < 1 / 3).astype(int)
    level = np.where(y == 1, stats.norm.ppf(0.9), stats.norm.ppf(0.95))
    quality = level + rng.normal(0, effect, (count, 1)) + rng.normal(0, 1, items)
    right = quality + rng.normal(0, 1, (count, items)) > 0
    return y, np.where(right, y, 1 - y)


def true_mean(effect):
    """Return the mean F1 of runs on all items, by Gauss's quadrature."""
    nodes, weight = np.polynomial.hermite_e.hermegauss(60)
    tpr, tnr = (stats.norm.cdf((stats.norm.ppf(x) + effect * nodes) / 2**0.5) for x in (0.9, 0.95))
    f1 = 2 * tpr / (1 + tpr + 2 * (1 - tnr))  # a third of the items is positive
    return weight @ f1 / weight.sum()


# %%
rows = []
by_runs = []
for items, count, effect in itertools.product(run_items, runs, seed_effects):
    rng = np.random.default_rng(next(streams))
    truth = true_mean(effect)
    ours = []
    alone = []
    for _ in range(run_replicates):
        y, predicted = drawn(rng, items, count, effect)
        ours.append(f1ci.repeated_interval(y, predicted, confidence_level=confidence_level))
        alone.append(f1ci.score_interval(y, predicted[0], confidence_level=confidence_level))
    row = [share_inside(ours, truth), share_inside(alone, truth)]
    row += [np.mean([x.length for x in ours]), np.mean([x.share_of_runs for x in ours])]
    by_runs.append([count, *row])
    rows.append([str(items), str(count), f"{effect:g}", *(f"{x:.3f}" for x in row)])
head = ["items", "runs", "seed effect", "all runs", "one run", "length", "share of the runs"]
show.table(head, rows, numeric=range(7))

# %% tags=["remove-cell"]
by_runs = np.array(by_runs)
few = by_runs[:, 0] < 5
for name, some in (("few", few), ("many", ~few)):
    say(f"prevalence-{name}-runs-worst", by_runs[some, 1].min() if some.any() else float("nan"))
    say(f"prevalence-{name}-runs-mean", by_runs[some, 1].mean() if some.any() else float("nan"))
say("prevalence-one-run-worst", by_runs[:, 2].min())
say("prevalence-runs-error", np.sqrt(0.95 * 0.05 / run_replicates))

# %% [markdown]
# With five runs and more the interval covers {glue:text}`prevalence-many-runs-mean:.3f` on average, and
# {glue:text}`prevalence-many-runs-worst:.3f` at worst; a coverage has the standard error
# {glue:text}`prevalence-runs-error:.3f` here. With two or three runs it covers
# {glue:text}`prevalence-few-runs-mean:.3f` on average and {glue:text}`prevalence-few-runs-worst:.3f` at worst: so few
# runs say little of how much a seed matters. The interval of one run covers {glue:text}`prevalence-one-run-worst:.3f`
# at worst. The last column is the part of the variance that more runs would reduce. The rest needs more items.
#
# ## What to take
#
# - Pass `class_shares=` if the shares are known. Do not multiply items, and do not weigh them.
# - The shares must be known, not guessed. For a guess, draw the curve above over all shares that are possible.
# - The items of each class must be like those of the class in use. Otherwise recall changes, too, and no share
#   repairs it.
