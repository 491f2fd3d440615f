# %% [markdown]
# # Joint intervals in small samples
#
# A table of several metrics of several classifiers invites comparison, and only *joint* intervals
# allow it: all of them hold at once with the nominal probability. [Yuan and Jiang](/book/yuan.md)
# extend the estimates by the joint critical value $q$ instead of the normal quantile $z$, and
# add a blur to the variances where samples are small. This page measures how well that holds with
# some tens of items, and shows the intervals that `f1ci` takes by default: the *cautious limits*
# of each score, at $q$ in the place of $z$. They are our own addition, not from the papers.
#
# **In short.** Over {glue:text}`joint-designs` designs the default covers
# {glue:text}`joint-cautious-mean:.3f` on average and {glue:text}`joint-cautious-worst:.3f` at worst, where
# $.95$ is promised. Delta intervals cover {glue:text}`joint-delta-mean:.3f` and
# {glue:text}`joint-delta-worst:.3f`; the blur makes them {glue:text}`joint-blur-length:.2f` times as long, the
# default is {glue:text}`joint-cautious-length:.2f` times as long. That it holds is measured, not proved.
#
# ## What is compared
#
# All five take the critical value of correlated normal variables. They differ in the limits, and in
# whose correlations these are.
#
# | `method=` | limits of one score at $q$ | correlations |
# |:--|:--|:--|
# | `delta` | estimate plus and minus $q$ standard errors (choice I) | of the items |
# | `blur` | the same with larger standard errors (choice II) | of the items, blurred |
# | `logit` | delta on the logit scale; the whole range where the standard error is zero | of the items |
# | `score` | Wilson's, and its like for weighted errors | smoothed |
# | `cautious` | Clopper and Pearson's, and its like for weighted errors | smoothed |
#
# *Smoothed* correlations are those after adding two items to each true class, of which every
# classifier gets half right, independently of the others. With two classifiers that is half an item
# in each of the eight joint cells. Without them an estimate at the border has no correlations.

# %% tags=["parameters"]
confidence_level: float = 0.95  # nominal, for all intervals of a test set together
sizes: list[int] = [30, 60, 120]  # items in a test set
prevalences: list[float] = [0.1, 0.3]  # shares of positives
right: list[float] = [0.8, 0.95]  # how often a classifier is right
agreement: float = 0.5  # share of items that are hard or easy for all classifiers alike
replicates: int = 4_000  # test sets simulated for each design
lengths: int = 100  # of them, for how many the length is computed
many_replicates: int = 2_000  # test sets for each design with four classes
quantiles: int = 20  # of them, how many give the critical value
seed: int = 20_260_711  # root of all random streams

# %%
import itertools
import warnings

import numpy as np
from compendium import figures, ledger, show
from matplotlib.ticker import NullLocator
from scipy.special import ndtr, ndtri
from shared import kernels

import f1ci
from f1ci.metrics import accuracy, f1, fbeta, jaccard, precision, recall

say = ledger.open("joint-intervals").say
sets = {
    "F1 and accuracy": [f1, accuracy],
    "precision, recall, F2, Jaccard": [precision, recall, fbeta(2), jaccard],
}
methods = ("delta", "blur", "logit", "score", "cautious")
z = float(ndtri((1 + confidence_level) / 2))

# %% [markdown]
# ## The designs
#
# A fixed rule makes {glue:text}`joint-designs` designs: one, two or three classifiers, two sets of
# metrics, and all combinations of the sizes, prevalences and rates above. An item is positive with
# the probability of the prevalence; with probability one half it is as hard for every classifier
# (all right or all wrong together), else each is right by itself. The truth is what a test set of
# infinite size would give. Test sets are drawn from the multinomial distribution over joint cells.
# A test set counts as covered if every interval holds; an undefined estimate without an interval
# does no harm. Length is the mean length over that of delta in the same design.


# %%
def population(rules, prevalence, rate):
    """Probabilities of the joint cells Z A_1 ... A_m."""
    places = np.arange(rules, -1, -1)
    bits = (np.arange(2 ** (rules + 1))[:, None] >> places) & 1
    hits = bits[:, 1:] == bits[:, :1]
    alone = np.where(hits, rate, 1 - rate).prod(axis=1)
    together = np.where(hits.all(axis=1), rate, 0.0) + np.where(~hits.any(axis=1), 1 - rate, 0.0)
    share = np.where(bits[:, 0] == 1, prevalence, 1 - prevalence)
    return share * (agreement * together + (1 - agreement) * alone), bits


def counts_of(cells, bits):
    """TP, FP, FN and n of every classifier, each of shape (tests, rules)."""
    true, predicted = bits[:, :1], bits[:, 1:]
    tp, fp, fn = (
        cells @ x for x in (true * predicted, (1 - true) * predicted, true - true * predicted)
    )
    return tp.astype(float), fp.astype(float), fn.astype(float), cells.sum(axis=1, keepdims=True)


def limits(method, metric, counts, estimate, error, q):
    """Of one metric of all classifiers: estimate, error (tests, rules) and q (tests, 1)."""
    tp, fp, fn, n = counts
    if method in ("score", "cautious"):
        if metric is accuracy:
            return kernels.tversky_limits(n - fp - fn, fp + fn, 0.0 * fn, 1.0, 0.0, q, method)
        return kernels.tversky_limits(tp, fp, fn, metric.a, metric.b, q, method)
    if method == "logit":
        return kernels.logit_limits(estimate, error * np.sqrt((n - 1) / n), q)
    return estimate - q * error, estimate + q * error


class Sets:
    """All intervals of simulated test sets by one method, at any critical values."""

    def __init__(self, method, counts, metrics, estimate, covariance):
        self.method, self.counts, self.metrics = method, counts, metrics
        self.estimate = estimate
        self.error = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))

    def ends(self, q, some):
        counts = [n[some] for n in self.counts]
        step = len(self.metrics)
        low, high = np.empty((2, *self.estimate[some].shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            for i, metric in enumerate(self.metrics):
                low[:, i::step], high[:, i::step] = limits(
                    self.method,
                    metric,
                    counts,
                    self.estimate[some, i::step],
                    self.error[some, i::step],
                    np.asarray(q)[:, None],
                )
        return low, high

    def hold(self, q, some, truth):
        """Whether all intervals hold; an undefined estimate without an interval does no harm."""
        low, high = self.ends(q, some)
        inside = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
        return (inside | np.isnan(low)).all(axis=1)


def critical(covariance):
    """Critical values.

    An error of .005 turns less than one test set in a thousand, and as many in as out.
    """
    q = kernels.joint_critical_value(covariance, confidence_level=confidence_level, accuracy=5e-3)
    return np.where(np.isnan(q), z, q)


def study(drawn, bits, metrics, truth):
    """Coverage, mean length, and how often an end lies outside [0, 1], by method."""
    found = {}
    # Each distinct test set once.
    cells, which = np.unique(drawn, axis=0, return_inverse=True)
    which = which.reshape(-1)
    measured = which[:lengths]
    every, counts = np.arange(len(cells)), counts_of(cells, bits)
    sidak = float(ndtri((1 + confidence_level ** (1 / len(truth))) / 2))
    for kind, some_methods in {
        "delta": ("delta", "logit"),
        "blur": ("blur",),
        "cautious": ("score", "cautious"),
    }.items():
        estimate, covariance = kernels.joint_from_cells(
            cells, metrics, method=kind, confidence_level=confidence_level
        )
        kin = {m: Sets(m, counts, metrics, estimate, covariance) for m in some_methods}
        # Limits widen with q, and q lies between z and Sidak's bound: where that settles the
        # matter, the quantile itself is not needed.
        sure = {m: each.hold(np.full(len(cells), z), every, truth) for m, each in kin.items()}
        possible = {
            m: each.hold(np.full(len(cells), sidak), every, truth) for m, each in kin.items()
        }
        needed = np.isin(every, measured)
        for m in kin:
            needed |= possible[m] & ~sure[m]
        q = np.full(len(cells), z)
        q[needed] = critical(covariance[needed])
        for m, each in kin.items():
            held = sure[m].copy()
            held[needed] = each.hold(q[needed], every[needed], truth)
            low, high = each.ends(q[measured], measured)
            outside = ((low < -1e-12) | (high > 1 + 1e-12)).any(axis=1)
            found[m] = held[which].mean(), np.nanmean(high - low), outside.mean()
    return found


# %%
designs = list(itertools.product((1, 2, 3), sets, sizes, prevalences, right))
results = []
for design, child in zip(designs, np.random.SeedSequence(seed).spawn(len(designs)), strict=True):
    rules, name, n, prevalence, rate = design
    p, bits = population(rules, prevalence, rate)
    cells = np.random.default_rng(child).multinomial(n, p, size=replicates)
    truth, _ = kernels.joint_from_cells(np.round(p * 1e12), sets[name])
    results.append(study(cells, bits, sets[name], truth))
say("joint-designs", len(designs))
coverage = {m: np.array([r[m][0] for r in results]) for m in methods}
ratio = {m: np.array([r[m][1] / r["delta"][1] for r in results]) for m in methods}
outside = {m: np.array([r[m][2] for r in results]) for m in methods}

# %% [markdown]
# ## The result

# %%
rows = [
    [
        m,
        f"{coverage[m].mean():.3f}",
        f"{coverage[m].min():.3f}",
        f"{(coverage[m] >= confidence_level - 0.02).mean():.0%}",
        f"{ratio[m].mean():.2f}",
        f"{outside[m].mean():.0%}",
    ]
    for m in methods
]
show.table(
    [
        "method",
        "mean coverage",
        "worst",
        "designs at .93 or more",
        "length over delta",
        "outside [0, 1]",
    ],
    rows,
    numeric=(1, 2, 3, 4, 5),
)

# %% tags=["remove-cell"]
for m in methods:
    say(f"joint-{m}-mean", coverage[m].mean())
    say(f"joint-{m}-worst", coverage[m].min())
    say(f"joint-{m}-length", ratio[m].mean())
say("joint-blur-outside", 100 * outside["blur"].mean())
say("joint-cautious-most", coverage["cautious"].max())
say("joint-error", float(np.sqrt(0.95 * 0.05 / replicates)))

# %% mystnb={"image": {"alt": "Above, a mark for each design and method: joint coverage across, length relative to the delta method up. The delta method lies at length 1 from near 0 to .95. Blurred intervals lie near coverage 1 and are one and a half to several times as long. Logit and score intervals scatter around the nominal level, cautious ones lie to the right of it, a little longer. Below, mean coverage against the number of items: delta rises steeply from far below the level, the others hardly change; score lies on the level, logit just above it, then cautious, and blur highest."}, "figure": {"classes": "fits", "caption": "Joint coverage and length of each method, a mark for each design; below, the mean coverage by the number of items. Grey: the nominal level.", "name": "fig-joint-coverage"}}
looks = {
    "delta": ("vermilion", "s", "--"),
    "blur": ("orange", "v", ":"),
    "logit": ("green", "^", "-."),
    "score": ("blue", "o", "-"),
    "cautious": ("purple", "D", "-"),
}
figure, (each, mean) = figures.subplots(2, 1, height=6.4, height_ratios=(3, 2))
figure.set_figwidth(4.8)  # as wide as a phone
each.axvline(confidence_level, color=figures.COLOURS["grey"], linewidth=0.8)
mean.axhline(confidence_level, color=figures.COLOURS["grey"], linewidth=0.8)
for m, (colour, marker, line) in looks.items():
    look = {"color": figures.COLOURS[colour], "marker": marker, "markerfacecolor": "none"}
    # No share of the test sets tells more than half of one of them from 1.
    most = np.minimum(coverage[m], 1 - 0.5 / replicates)
    each.plot(most, ratio[m], linestyle="", **look)
    by_size = [coverage[m][[d[2] == n for d in designs]].mean() for n in sizes]
    mean.plot(sizes, by_size, linestyle=line, label=m, **look)
# What lies near 1 is told apart on this scale.
each.set(xlabel="joint coverage", ylabel="length over delta", xscale="logit", yscale="log")
mean.set(xlabel="items", ylabel="mean joint coverage", yscale="logit")
for axis in (each.xaxis, mean.yaxis):
    ticks = [0.1, 0.5, 0.8, 0.95, 0.99, 0.999]
    axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_minor_locator(NullLocator())
figure.legend(loc="outside lower center", ncols=3)
figures.save(figure, "joint-intervals")

# %% [markdown]
# A coverage has a standard error of {glue:text}`joint-error:.4f` at the nominal level.
#
# - **What holds.** The cautious limits cover {glue:text}`joint-cautious-mean:.3f` on average and
#   {glue:text}`joint-cautious-worst:.3f` at worst. They cannot leave the range.
# - **What it costs.** They are {glue:text}`joint-cautious-length:.2f` times as long as delta
#   intervals, which cover {glue:text}`joint-delta-mean:.3f` on average and
#   {glue:text}`joint-delta-worst:.3f` at worst. The blur repairs those, at
#   {glue:text}`joint-blur-length:.2f` times their length, and reaches outside $[0, 1]$ in
#   {glue:text}`joint-blur-outside:.0f` % of the test sets.
# - **In between.** Logit limits cover {glue:text}`joint-logit-mean:.3f` on average and
#   {glue:text}`joint-logit-worst:.3f` at worst, at {glue:text}`joint-logit-length:.2f` times the length
#   of delta, where the cautious ones have {glue:text}`joint-cautious-length:.2f`. Score limits, {glue:text}`joint-score-length:.2f` times as long as delta, cover
#   {glue:text}`joint-score-mean:.3f` on average but {glue:text}`joint-score-worst:.3f` at worst. A
#   single score interval misses a little more often than promised at some truths, and of several
#   scores one may well lie at such a truth.
# - **What it does badly.** The cautious limits cover more than they need to, most with the smallest
#   test sets, up to {glue:text}`joint-cautious-most:.3f`, and are longer than they could be. That
#   they hold is measured here, and not proved: single limits are proved to hold only for precision,
#   recall, accuracy and scores with equal weights, and the critical value is that of normal variables.

# %% [markdown]
# ## More than two classes
#
# The same with averages over four classes, the largest four times as common as the rarest, for two
# classifiers and macro F1, weighted F1 and accuracy, in four designs. The cautious limits of an average are those of
# `f1ci.methods.score` with the cautious limits of its classes. To save time the critical value of a design
# is the mean over a few of its test sets; it hardly varies (by {glue:text}`joint-many-spread:.3f`, in
# standard deviations, at most).

# %%
shares = np.array([0.4, 0.3, 0.2, 0.1])
averages = ["macro_f1", "weighted_f1", "micro_f1"]


def test_sets(rng, n, rate, count):
    """Labels of n items and of two classifiers that are right with probability `rate`."""
    true = rng.choice(4, size=(count, n), p=shares)
    shared = rng.random((count, n)) < agreement
    luck = rng.random((2, count, n))
    luck = np.where(shared, luck[0], luck)
    wrong = (true + rng.integers(1, 4, size=(2, count, n))) % 4
    return true, *np.where(luck < rate, true, wrong)


def matrices_of(true, predicted):
    """Confusion matrices of many test sets."""
    place = 16 * np.arange(len(true))[:, None] + 4 * true + predicted
    return np.bincount(place.ravel(), minlength=16 * len(true)).reshape(-1, 4, 4)


def joint_of(true, a, b):
    return f1ci.joint_intervals(
        true, {"a": a, "b": b}, averages, labels=range(4), confidence_level=confidence_level
    )


rows, spread = [], 0.0
many = list(itertools.product((60, 120), right))
with warnings.catch_warnings():
    warnings.simplefilter("ignore", f1ci.IntervalWarning)
    for (n, rate), child in zip(many, np.random.SeedSequence(seed + 1).spawn(4), strict=True):
        # A wrong item falls into each other class alike.
        table = shares[:, None] * (rate * np.eye(4) + (1 - rate) / 3 * (1 - np.eye(4)))
        truth = [f1ci.metrics.METRICS[name].value(table) for name in averages]
        drawn = test_sets(np.random.default_rng(child), n, rate, many_replicates)
        q = [
            joint_of(*labels).critical_value
            for labels in zip(*(x[:quantiles] for x in drawn), strict=True)
        ]
        spread = max(spread, float(np.std(q)))
        row = [str(n), f"{rate:.2f}"]
        found = []
        for method in ("score", "cautious"):
            held, length = np.ones(many_replicates, dtype=bool), []
            for predicted in drawn[1:]:
                matrices = matrices_of(drawn[0], predicted)
                for name, value in zip(averages, truth, strict=True):
                    interval = f1ci.metric_interval(
                        matrices, name, method=method, confidence_level=2 * ndtr(np.mean(q)) - 1
                    )
                    held &= (interval.low <= value) & (value <= interval.high)
                    length.append(interval.length.mean())
            found.append((held.mean(), np.mean(length)))
        rows.append(row + [f"{held:.3f}" for held, _ in found] + [f"{x:.3f}" for _, x in found])
say("joint-many-spread", spread)
say("joint-many-score", min(float(row[2]) for row in rows))
say("joint-many-cautious", min(float(row[3]) for row in rows))
show.table(
    ["items", "right", "covers: score", "cautious", "length: score", "cautious"],
    rows,
    numeric=(0, 1, 2, 3, 4, 5),
)

# %% [markdown]
# The worst coverage is {glue:text}`joint-many-score:.3f` for score limits and
# {glue:text}`joint-many-cautious:.3f` for cautious ones.
