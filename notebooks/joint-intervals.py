# %% [markdown]
# # Many scores at once: joint intervals in small samples
#
# ## In plain words
#
# A table has three classifiers and two metrics. Each of its six numbers has a 95 % interval. Each interval alone holds
# its true score in 95 of 100 test sets. All six together hold their true scores in fewer test sets: if they were
# independent, in 74 of 100 ($0.95^6 = 0.74$). A reader who compares the numbers needs all six.
#
# *Joint* intervals are longer, and all of them hold at once in 95 of 100 test sets. A usual interval reaches
# $z = 1.96$ standard errors to both sides. A joint interval reaches $z_R$ standard errors, and $z_R$ grows with the number of
# intervals. Six intervals need at most $z_R = 2.64$. They need less if the scores are correlated, because related scores
# err together.
#
# These numbers are for large test sets. With some tens of items a score has few possible values,
# and a score of 1 has a standard error of zero. So this page counts how often the intervals are
# right in small test sets.
#
# ## In short
#
# [Yuan and Jiang](/book/yuan.md) take the estimate plus and minus $z_R$ standard errors (*delta* intervals). Where samples
# are small, they add a *blur* to the variances, which makes the errors larger. The default of `f1ci` is different: it takes the
# *cautious limits* of each score, at $z_R$ instead of $z$. They are our own addition, not from the papers.
#
# A set of joint intervals *covers* if every interval contains its true score. The level is 0.95 by
# default. Over {glue:text}`joint-designs` designs with some tens of items:
#
# - The default covers {glue:text}`joint-cautious-mean:.3f` on average and {glue:text}`joint-cautious-worst:.3f` at worst.
# - Delta intervals cover {glue:text}`joint-delta-mean:.3f` on average and {glue:text}`joint-delta-worst:.3f` at worst.
# - The blur makes delta intervals {glue:text}`joint-blur-length:.2f` times as long. The default is
#   {glue:text}`joint-cautious-length:.2f` times as long as delta.
#
# The coverage of the default is measured, not proved.
#
# ## What is compared
#
# All five methods take the critical value of correlated normal variables. They differ in the limits, and in
# the correlations that they use.
#
# | `method=` | limits of one score at $z_R$ | correlations |
# |:--|:--|:--|
# | `delta` | estimate plus and minus $z_R$ standard errors (choice I) | of the items |
# | `blur` | the same with larger standard errors (choice II) | of the items, blurred |
# | `logit` | delta limits of the log odds; the whole range where the standard error is zero | of the items |
# | `score` | Wilson's, or the score interval if kinds of errors weigh differently | smoothed |
# | `cautious` | Clopper and Pearson's, or similar limits if kinds of errors weigh differently | smoothed |
#
# *Smoothed* correlations are computed after adding two items to each true class. Every
# classifier gets half of them right, independently of the others. With two classifiers that adds half an item
# to each of the eight joint cells. Without these items an estimate at the border has no correlations.

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
# Import what the notebook uses and open the ledger.
import itertools
import warnings

import numpy as np
from compendium import figures, ledger, show
from scipy.special import ndtr

import f1ci
from f1ci.joint import rows_of_cells
from f1ci.metrics import accuracy, f1, fbeta, jaccard, precision, recall
from notebooks.own import joint_intervals as joint_sets

# `say` keeps a number for the text, which quotes it by name.
# `joint_sets` draws test sets and measures the five methods. `rows_of_cells` gives the intervals of
# many test sets at once.
say = ledger.open("joint-intervals").say
warnings.simplefilter("ignore", f1ci.IntervalWarning)  # some simulated test sets are odd
sets = {
    "F1 and accuracy": [f1, accuracy],
    "precision, recall, F2, Jaccard": [precision, recall, fbeta(2), jaccard],
}
methods = ("delta", "blur", "logit", "score", "cautious")

# %% [markdown]
# ## The study
#
# Its parts have the names of {cite:t}`morris2019` (ADEMP).
#
# - **Aim.** How often are all intervals of a small test set right at once, and how long are they?
# - **Data-generating mechanisms.** A fixed rule makes {glue:text}`joint-designs` designs: one, two or three classifiers, two
#   sets of metrics, and all combinations of the sizes, prevalences and rates above. An item is positive with the
#   probability of the prevalence. With probability 0.5 an item is equally hard for all classifiers: all are right or all
#   are wrong. Otherwise each classifier is right or wrong independently of the others. Test sets are drawn from the
#   multinomial distribution over joint cells.
# - **Estimands.** The scores that a test set of infinite size would give.
# - **Methods.** The five of the table above.
# - **Performance measures.** Coverage: the share of test sets in which every interval contains its
#   true score. An undefined estimate without an interval counts as no miss. Length: the mean
#   length, divided by delta's in the same design.


# %%
# Simulate the designs, and measure the five methods.
designs = list(itertools.product((1, 2, 3), sets, sizes, prevalences, right))
results = []
for design, child in zip(designs, np.random.SeedSequence(seed).spawn(len(designs)), strict=True):
    rules, name, n, prevalence, rate = design
    p = joint_sets.population(rules, prevalence, rate, agreement)
    cells = np.random.default_rng(child).multinomial(n, p, size=replicates)
    truth = rows_of_cells(np.round(p * 1e12), sets[name]).estimate
    results.append(joint_sets.study(cells, sets[name], truth, confidence_level, lengths))
say("joint-designs", len(designs))
coverage = {m: np.array([r[m].coverage for r in results]) for m in methods}
ratio = {m: np.array([r[m].length / r["delta"].length for r in results]) for m in methods}
outside = {m: np.array([r[m].outside for r in results]) for m in methods}

# %% [markdown]
# ## The result

# %%
# Show coverage and length of each method.
rows = []
for m in methods:
    near = (coverage[m] >= confidence_level - 0.02).mean()
    row = [m, f"{coverage[m].mean():.3f}", f"{coverage[m].min():.3f}", f"{near:.0%}"]
    rows.append([*row, f"{ratio[m].mean():.2f}", f"{outside[m].mean():.0%}"])
head = ["method", "mean coverage", "worst", f"designs at {confidence_level - 0.02:g} or more"]
show.table(
    [*head, "length over delta", "outside [0, 1]"],
    rows,
    numeric=range(1, 6),
    caption=(
        "Coverage and length of joint intervals in small samples. A joint interval fails if "
        "one of its parts fails, so look at the worst design."
    ),
)

# %% tags=["remove-cell"]
# Keep means and extremes of each method for the text.
for m in methods:
    say(f"joint-{m}-mean", coverage[m].mean())
    say(f"joint-{m}-worst", coverage[m].min())
    say(f"joint-{m}-length", ratio[m].mean())
say("joint-blur-outside", 100 * outside["blur"].mean())
say("joint-cautious-most", coverage["cautious"].max())
say("joint-error", np.sqrt(confidence_level * (1 - confidence_level) / replicates))

# %%
# Choose colour, marker and line of each method.
looks = {
    "delta": ("vermilion", "s", "--"),
    "blur": ("orange", "v", ":"),
    "logit": ("green", "^", "-."),
    "score": ("blue", "o", "-"),
    "cautious": ("purple", "D", "-"),
}
lowest = 0.8  # where the axis of coverages begins


def draw_row(axis, row, method, values):
    """Draw a value for each design as a dot, and the mean as a line."""
    colour, marker, _ = looks[method]
    shift = np.linspace(-0.25, 0.25, len(values))  # so that dots cover each other less
    look = {"color": figures.COLOURS[colour], "markersize": 3, "alpha": 0.7}
    axis.plot(values, row + shift, marker, markeredgewidth=0, **look)
    axis.vlines(values.mean(), row - 0.4, row + 0.4, color="black", linewidth=1.6)


# %% mystnb={"image": {"alt": "Three panels. First, a row of dots for each method, a dot for each design: delta covers less than the nominal level everywhere, often less than 0.8; blur lies near 1; logit and score scatter around the level; cautious lies above it. Second, the lengths relative to delta: blur is one and a half to ten times as long, the others are mostly between 0.9 and 2 times as long. Third, mean coverage against the number of items: delta rises steeply from below 0.6, the others hardly change."}, "figure": {"caption": "Joint coverage and length of each method. A dot is a design, and a black line is the mean over the designs. Below: the mean coverage by the number of items.", "name": "fig-joint-intervals"}}
# Draw coverage and length of each method.
figure, (cover, long, mean) = figures.subplots(3, 1, height=8.6, height_ratios=(4, 4, 3))
for row, (m, (colour, marker, line)) in enumerate(looks.items()):
    seen = coverage[m] >= lowest
    draw_row(cover, row, m, coverage[m])
    draw_row(long, row, m, ratio[m])
    if not seen.all():
        words = f" ◂ {(~seen).sum()} of {len(designs)} designs lie below {lowest:g}"
        cover.text(lowest, row + 0.5, words, va="center")
    by_size = [coverage[m][[d[2] == n for d in designs]].mean() for n in sizes]
    mean.plot(sizes, by_size, color=figures.COLOURS[colour], marker=marker, ls=line, label=m)
cover.set(xlim=(lowest, 1.003), title="joint coverage of a design")
cover.locator_params(axis="x", nbins=5)
long.set(xscale="log", title="length, in times the length of delta")
long.set_xticks([1, 2, 5, 10], ["1", "2", "5", "10"])
long.minorticks_off()
for axis in (cover, long):
    axis.set_yticks(range(len(looks)), list(looks))
    axis.invert_yaxis()
mean.set(title="mean joint coverage", xlabel="items in a test set", xticks=sizes)
look = {"color": "black", "lw": 0.8, "ls": "--", "label": f"level {confidence_level:g}"}
cover.axvline(confidence_level, **look)
mean.axhline(confidence_level, **look)
figure.legend(*mean.get_legend_handles_labels(), loc="outside lower center", ncols=3)
figures.save(figure, "joint-intervals")

# %% [markdown]
# A coverage has a standard error of {glue:text}`joint-error:.4f` at the nominal level.
#
# - **What holds.** The cautious limits cover {glue:text}`joint-cautious-mean:.3f` on average and
#   {glue:text}`joint-cautious-worst:.3f` at worst. They cannot leave the range.
# - **What it costs.** They are {glue:text}`joint-cautious-length:.2f` times as long as delta
#   intervals, which cover {glue:text}`joint-delta-mean:.3f` on average and
#   {glue:text}`joint-delta-worst:.3f` at worst. The blur repairs the delta intervals, at
#   {glue:text}`joint-blur-length:.2f` times their length. It reaches outside $[0, 1]$ in
#   {glue:text}`joint-blur-outside:.0f` % of the test sets.
# - **In between.** Logit limits cover {glue:text}`joint-logit-mean:.3f` on average and
#   {glue:text}`joint-logit-worst:.3f` at worst, at {glue:text}`joint-logit-length:.2f` times the
#   length of delta. Score limits are {glue:text}`joint-score-length:.2f` times as long as delta.
#   They cover {glue:text}`joint-score-mean:.3f` on average but {glue:text}`joint-score-worst:.3f`
#   at worst. A single score interval misses a little more often than its level says at some true
#   scores. Of several scores, at least one may lie at such a place.
# - **What they do badly.** The cautious limits cover more than they need to, up to
#   {glue:text}`joint-cautious-most:.3f` with the smallest test sets. So they are longer than they could be. Their coverage
#   is measured here, not proved. A proof for single limits exists only for precision,
#   recall, accuracy and scores with equal weights. The critical value is that of normal variables.

# %% [markdown]
# ## More than two classes
#
# This section has averages over four classes. The largest class has four times the items of the rarest class. There are
# two classifiers, three metrics (macro F1, weighted F1 and accuracy) and four designs. To save time the critical value
# of a design is the mean over a few of its test sets. It hardly varies: its standard deviation is at most
# {glue:text}`joint-many-spread:.3f`.

# %%
# Compute critical values, coverage and length for averages.
shares = np.array([0.4, 0.3, 0.2, 0.1])
averages = ["macro_f1", "weighted_f1", "micro_f1"]


def critical_value(true, a, b):
    """Return the critical value of one test set."""
    models = {"a": a, "b": b}
    test = f1ci.Labels(true, models, labels=range(4))
    return test.joint(averages, confidence_level=confidence_level).critical_value


def held_and_length(labels, truth, method, level):
    """Return the joint coverage and the mean length of six intervals."""
    covered = True
    length = []
    for matrices in labels.matrices():
        for name, value in zip(averages, truth, strict=True):
            interval = f1ci.Matrix(matrices).interval(name, method=method, confidence_level=level)
            covered = covered & interval.covers(value)
            length.append(interval.length.mean())
    return covered.mean(), np.mean(length)


# %%
# Simulate the four designs, and collect coverage and length of both methods.
rows = []
spread = 0.0
many = list(itertools.product((60, 120), right))
for (n, rate), child in zip(many, np.random.SeedSequence(seed + 1).spawn(4), strict=True):
    # A wrong item falls into each other class alike.
    table = shares[:, None] * (rate * np.eye(4) + (1 - rate) / 3 * (1 - np.eye(4)))
    truth = [f1ci.metrics.get(name).value(table) for name in averages]
    labels = joint_sets.draw_labels(
        shares, n, rate, agreement, many_replicates, np.random.default_rng(child)
    )
    q = [critical_value(*(x[k] for x in labels)) for k in range(min(quantiles, many_replicates))]
    spread = max(spread, float(np.std(q)))
    level = float(2 * ndtr(np.mean(q)) - 1)
    both_results = [held_and_length(labels, truth, method, level) for method in ("score", "delta")]
    numbers = [f"{x:.3f}" for column in zip(*both_results, strict=True) for x in column]
    rows.append([str(n), f"{rate:.2f}", *numbers])
say("joint-many-spread", spread)
say("joint-many-score", min(float(row[2]) for row in rows))
say("joint-many-delta", min(float(row[3]) for row in rows))
head = ["items", "right", "covers: score", "delta", "length: score", "delta"]
show.table(
    head,
    rows,
    numeric=range(6),
    caption=(
        "Joint intervals of several classes. Coverage of both methods, and what it costs in length."
    ),
)

# %% [markdown]
# The worst coverage is {glue:text}`joint-many-score:.3f` for score limits and
# {glue:text}`joint-many-delta:.3f` for those of the delta method. Averages have no cautious limits.
