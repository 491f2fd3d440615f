# %% [markdown]
# # Score intervals: the coverage atlas
#
# The [chapter](/book/score.md) derives intervals for every F score. This page measures three things: how often these
# intervals hold the true score, how long they are, and where they fail. It compares them with other methods.
#
# **In short.** The intervals promise a coverage of 95 %. The table has the mean and the worst coverage of
# all designs, and the worst that a search by exact sums found. Where test sets are simulated, the worst is measured again.
#
# | score intervals for | mean, % | worst, % | worst found by a search, % |
# |:--|--:|--:|--:|
# | F(2) | {glue:text}`score-F-2-score-mean:.1f` | {glue:text}`score-F-2-score-worst:.1f` | {glue:text}`score-adversary-f2:.1f` |
# | macro F1 | {glue:text}`score-macro-F1-score-mean:.1f` | {glue:text}`score-macro-F1-again:.1f` | {glue:text}`score-adversary-two-macro-F1:.1f` |
# | paired F1 difference | {glue:text}`score-paired-F1-difference-score-mean:.1f` | {glue:text}`score-paired-F1-difference-again:.1f` | not searched |
#
# Every design comes from a rule, and all random streams are seeded. Scores of two classes need no simulation: their
# coverage is a finite sum over the counts. The coverage of averages and of differences is counted in simulated test
# sets. At a coverage of $.95$ its standard error in a single design is {glue:text}`score-error:.4f` for differences and
# {glue:text}`score-error-macro:.4f` for macro F1. For other averages and rare classes it is
# {glue:text}`score-error-averages:.4f`. The least of hundreds of such numbers is too low. So the worst designs are
# measured again, in fresh test sets.

# %% tags=["parameters"]
designs: int = 300  # populations of each kind
replicates: int = 4_000  # test sets from each of them
draws: int = 400  # resamples, or draws from a posterior, for scores of two classes
rival_replicates: int = 200  # test sets from each of twelve populations for the rivals
rival_draws: int = 4_000  # draws from the posterior of macro F1; a quarter as many resamples
search_steps: int = 150  # how finely the grids of the searches are stepped
seed: int = 20261119  # root of all random streams

# %% tags=["remove-cell"]
import re
import time

import numpy as np
from compendium import figures, ledger, show
from IPython.display import display
from scipy.special import gammainccinv
from scipy.stats import binom

import f1ci
from notebooks.shared import atlas as study
from notebooks.shared import kernels, rivals
from notebooks.shared import score_designs as designs_of_score
from notebooks.shared.atlas import LEVEL, PAIR, SCORES, Z

# `say` keeps a number for the text, which quotes it by name.
page = ledger.open("score-intervals")
streams = np.random.SeedSequence(seed).spawn(9)
atlas = study.Atlas()


def say(key, value):
    """Keep a number for the text of this page and of the chapter."""
    page.say(f"score-{key}", value)


for key, count in (
    ("error", replicates),
    ("error-macro", replicates // 2),
    ("error-averages", replicates // 4),
    ("error-again", 5 * replicates // 2),
):
    say(key, np.sqrt(LEVEL * (1 - LEVEL) / count))
say("designs", designs)
say("replicates", f"{replicates:,}")

# %% [markdown]
# ## The idea in a picture
#
# Every point of the map is a classifier: the shares of its relevant items that are false positives and
# false negatives. On each grey line F(2) has one value. Take the likeliest point of each line, given 30 true
# positives, 6 false positives and 12 false negatives. The score interval holds the lines whose likeliest
# point lies in the region that Pearson's statistic does not reject.

# %% mystnb={"image": {"alt": "A map of classifiers. Across, the share of false positives among the relevant items; up, the share of false negatives. Grey lines mark equal F2 scores. An egg-shaped region around the observed point holds the classifiers that fit the data. A curve through the observed point joins the likeliest point of each line, and leaves the region at two dots, the limits."}, "figure": {"classes": "fits", "caption": "The limits of F(2) are where the curve of likeliest classifiers leaves the region that fits the data.", "name": "fig-score-map"}}
counts, (a, b) = (30, 6, 12), SCORES["F(2)"]
fp, fn = np.meshgrid(np.linspace(0.01, 0.4, 200), np.linspace(0.05, 0.6, 200))
tp = 1 - fp - fn
observed = np.array(counts) / sum(counts)
distance = sum(o * o / p for o, p in zip(observed, (tp, fp, fn), strict=True)) - 1
figure, axis = figures.subplots(height=3.6)
figure.set_figwidth(4.8)  # as wide as a phone
levels = axis.contour(
    fp, fn, tp / (tp + a * fp + b * fn), np.arange(0.4, 1, 0.1), colors=figures.COLOURS["grey"]
)
axis.clabel(levels, fmt="%.1f")
region = [0, Z**2 / sum(counts)]
axis.contourf(fp, fn, distance, region, colors=[figures.COLOURS["blue"]], alpha=0.25)
interval = f1ci.metric_interval([[0, 6], [12, 30]], f1ci.metrics.fbeta(2))
path = [designs_of_score.likeliest(counts, a, b, f) for f in np.linspace(*interval, 60)]
axis.plot(*np.transpose(path)[1:], color=figures.COLOURS["blue"])
axis.plot(*observed[1:], "x", color="black", label="observed")
axis.plot(*np.transpose(path)[1:, [0, -1]], "o", color=figures.COLOURS["vermilion"], label="limits")
axis.set(xlabel="share of false positives", ylabel="share of false negatives")
axis.legend(loc="upper right")
figures.save(figure, "score-intervals-idea")

# %% [markdown]
# ## One score of two classes: exact sums
#
# The rule: 10, 20 or 40 relevant items are expected. They are one tenth or one half of all
# items. Of them $.05, .15, \dots, .95$ are right (ten values), and 5, 25, 50, 75 or 95 % of the errors are false
# positives. That makes 300 designs for each score. The number $v$ of relevant items is
# binomial, and the condition is that it is not zero. Values of $v$ whose total probability is below 1e-9 are left out.

# %% tags=["hide-input"]
study.binary_study(atlas, designs, draws, np.random.default_rng(streams[0]))

# %% [markdown]
# ## Averages over classes: simulated test sets
#
# The rule: 3, 5, 10 or 20 classes (with chances $.4, .3, .25, .05$). Their shares come from a Dirichlet distribution
# with parameter $.5$, 1, 5 or 50. A test set has 50, 100, 200, 500 or 1000 items. For each class a Beta distribution
# gives the share of items that are predicted right. It is (8, 2), (2, 2), (50, 1) or (400, 2), from bad to almost
# perfect. Wrong predictions are spread over the other classes by a flat Dirichlet distribution.
#
# A population is used if its smallest class expects 3 items or more: the atlas asks no more. Populations in which it
# expects 1 to 3 items are reported separately, as "rare". Macro F1 is measured in all populations, the other averages
# in every second population. The truth is the score of the population. Only test sets in which the score is defined
# count. If less than half of the test sets are such, the design is left out of that score. "Validation" means
# random populations that are drawn by another rule.

# %% tags=["hide-input"]
rng = np.random.default_rng(streams[1])
ordinary, rare = study.populations(designs, rng)
study.average_study(atlas, ordinary, replicates // 2, rng)
study.rare_study(atlas, rare, replicates // 4, rng)

# %% tags=["hide-input"]
rng = np.random.default_rng(streams[2])
study.validation_study(atlas, min(60, designs), replicates // 2, rng)

# %% [markdown]
# ## A second family of populations
#
# Two more rules, written down before anything was tried on them (`notebooks/shared/score_designs.py`).
# *Grid*: 3, 6 or 10 classes; of one size, of sizes $1, 1/2, 1/3, \dots$, or with one rare class; 3 or 8 expected items
# in the smallest; 50, 80, 95 or 99 % of the items right; errors spread evenly or over neighbouring classes. *Majority*:
# 2, 3 or 5 classes whose items are mostly taken for the largest class. The table has the mean / the worst coverage in
# per cent. "Length" is the median length of score intervals over that of the logit scale. "Again" is the worst coverage
# of score intervals, in the three populations that read lowest and twenty times as many fresh test sets.

# %% tags=["hide-input"]
FAMILIES = {"grid": designs_of_score.grid(), "majority": designs_of_score.majority()}
METHODS = ["score", "logit", "delta"]
SECOND = [f1ci.metrics.macro(name) for name in ("f1", "precision", "recall")]
SECOND += [f1ci.metrics.weighted(name) for name in ("f1", "precision")]
rng = np.random.default_rng(streams[6])
lines = []
for name, populations in FAMILIES.items():
    for metric in SECOND:
        found = designs_of_score.family(populations, metric, METHODS, replicates // 8, seed)
        line = [name, metric.name]
        for method in METHODS:
            mean = 100 * np.nanmean(found[method][:, 0])
            least = 100 * np.nanmin(found[method][:, 0])
            key = f"{name}-{metric.name}-{method}".replace("_", "-")
            say(f"{key}-mean", mean)
            say(f"{key}-worst", least)
            line.append(f"{mean:.1f} / {least:.1f}")
        lowest = [populations[k] for k in found["score"][:, 0].argsort()[:3]]
        measure = study.average_coverage(metric)
        again = 100 * study.measured_again(lowest, measure, 5 * replicates // 2, rng)
        say(f"{name}-{metric.name}-again".replace("_", "-"), again)
        length = np.nanmedian(found["score"][:, 1] / found["logit"][:, 1])
        lines.append([*line, f"{again:.1f}", f"{length:.2f}"])
show.table(["family", "metric", *METHODS, "again", "length"], lines, numeric=range(2, 7))

# %% [markdown]
# ## Metrics by name
#
# For kappa there are twenty populations of three classes, for the other metrics twenty of two classes. They have 30, 50
# or 100 items and uniform shares of the classes. Every row and column expects 3 items or more. Shares of right items
# come from a Beta distribution (8, 2). The columns are those of the last table.

# %% tags=["hide-input"]
BY_NAME = dict.fromkeys(["specificity", "npv", "accuracy", "balanced_accuracy", "mcc"], 2)
BY_NAME |= dict.fromkeys(["kappa", "linear_kappa", "quadratic_kappa"], 3)
rng, lines, ours = np.random.default_rng([seed, 7]), [], []
drawn = {classes: designs_of_score.drawn(classes, 20, rng) for classes in (2, 3)}
for name, classes in BY_NAME.items():
    metric = f1ci.metrics.get(name)
    found = designs_of_score.family(drawn[classes], metric, METHODS, replicates // 2, seed)
    pairs = [(100 * rows[:, 0].mean(), 100 * rows[:, 0].min()) for rows in found.values()]
    ours.append(pairs[0])
    length = np.median(found["score"][:, 1] / found["logit"][:, 1])
    lines.append([name, *(f"{mean:.1f} / {least:.1f}" for mean, least in pairs), f"{length:.2f}"])
for key, number in zip(("least", "most"), np.sort(np.array(ours)[:, 0])[[0, -1]], strict=True):
    say(f"named-mean-{key}", number)
say("named-worst", np.array(ours)[:, 1].min())
show.table(["metric", *METHODS, "length"], lines, numeric=range(1, 5))

# %% [markdown]
# ## One table, three questions
#
# The same 120 items give three intervals for macro F1. What would be random if the test were made again? It may be all
# items, the predictions within classes of fixed size, or twenty documents of six items each. In these documents errors
# come together.

# %% mystnb={"image": {"alt": "Three horizontal intervals for macro F1 around one estimate, one below the other: items at random, class sizes fixed, documents at random. The interval for documents is the longest."}, "figure": {"classes": "fits", "caption": "Limits of macro F1 from one table, under three ways of sampling.", "name": "fig-score-sampling"}}
table = np.array([[36, 3, 1], [4, 40, 6], [1, 5, 24]])
true, predicted = (np.repeat(axis.ravel(), table.ravel()) for axis in np.indices(table.shape))
order = np.argsort(true != predicted, kind="stable")  # right items first
documents = np.empty(true.size, dtype=int)
documents[order] = np.arange(true.size) // 6
macro = {"average": "macro"}
questions = {
    "items at random": f1ci.metric_interval(table, "macro_f1"),
    "class sizes fixed": f1ci.metric_interval(table, "macro_f1", fixed="rows"),
    "documents at random": f1ci.f1_score_interval(true, predicted, **macro, groups=documents),
}
figure, axis = figures.subplots(height=1.8)
figure.set_figwidth(4.8)
for place, (question, (low, high)) in enumerate(questions.items()):
    axis.plot([low, high], [-place, -place], color=figures.COLOURS["blue"], linewidth=3)
    say(f"sampling-{question.split()[0]}-low", 100 * low)
    say(f"sampling-{question.split()[0]}-high", 100 * high)
axis.axvline(questions["items at random"].estimate, color=figures.COLOURS["grey"], linewidth=1)
axis.set_yticks(-np.arange(3), list(questions))
axis.set(xlabel="macro F1", ylim=(-2.5, 0.5))
figures.save(figure, "score-intervals-sampling")

# %% [markdown]
# **Fixed class sizes.** These test sets have a fixed number of items in each class. They come from every fourth
# population of the grid, and from 100 classes of 10 items (half, 65 and 80 % right). The table has the mean / the worst
# coverage in per cent.

# %% tags=["hide-input"]
SIZES = {"grid": designs_of_score.grid()[::4], "hundred": []}
for right in (0.5, 0.65, 0.8):
    wrong = (1 - right) / 99
    SIZES["hundred"].append(((wrong + (right - wrong) * np.eye(100)) / 100, 1000))
lines = []
for name, populations in SIZES.items():
    count = replicates // (4 if name == "grid" else 10)
    for metric in SECOND[:2]:
        rows = [designs_of_score.fixed_rows(p, metric, count, seed) for p in populations]
        *coverages, bias = np.transpose(rows)
        say(f"fixed-{name}-{metric.name}-bias".replace("_", "-"), bias.mean())
        ends = 100 * np.array([np.mean(coverages, axis=1), np.min(coverages, axis=1)])
        for place, kind in enumerate(("random", "rows")):
            for key, number in zip(("mean", "worst"), ends[:, place], strict=True):
                say(f"fixed-{name}-{metric.name}-{kind}-{key}".replace("_", "-"), number)
        lines.append([name, metric.name, *(f"{mean:.1f} / {least:.1f}" for mean, least in ends.T)])
show.table(["classes", "metric", "the default", 'fixed="rows"'], lines, numeric=(2, 3))

# %% [markdown]
# ## Rivals for macro F1
#
# Other intervals are measured on every eighth population of the grid with 3 or 6 classes. *Lang* inverts the same test
# without the terms of second order. *MOVER* joins Wilson's limits of the classes as if these were independent. *BCa* is
# the corrected bootstrap. *Bayes* draws from a Dirichlet posterior. Its prior has in each row half an item on the right
# cell, and a quarter of an item on all wrong cells. Coverage has a standard error of {glue:text}`score-rival-error:.3f`
# in each population. The time is for a single interval.

# %% tags=["hide-input"]
few = [(cells, n) for cells, n in designs_of_score.grid() if len(cells) <= 6][::8]
rows = rivals.compare(few, rival_replicates, (rival_draws // 4, rival_draws), seed)
say("rival-populations", len(few))
say("rival-replicates", rival_replicates)
say("rival-error", np.sqrt(LEVEL * (1 - LEVEL) / rival_replicates))
lines = []
for name, row in rows.items():
    mean, least = 100 * row[:, 0].mean(), 100 * row[:, 0].min()
    length = np.median(row[:, 1] / rows["score"][:, 1])
    for key, number in (("mean", mean), ("worst", least), ("length", length)):
        say(f"rival-{name}-{key}", number)
    lines.append(
        [name, f"{mean:.1f}", f"{least:.1f}", f"{length:.2f}", f"{1e6 * row[:, 2].mean():.0f}"]
    )
head = ["interval", "mean, %", "worst, %", "length over ours (median)", "microseconds"]
show.table(head, lines, numeric=range(1, 5))

# %% [markdown]
# ## A rival for F1 with a fixed number of positives
#
# The R package psF1 takes the number of positive items as fixed, and the observed precision and recall as true. Its
# limits are quantiles of F1 under these. The four designs are those of an outside review. Coverage is an exact sum.

# %%
DESIGNS = [(58, 12, 0.80, 0.03), (58, 12, 0.95, 0.01), (100, 40, 0.80, 0.10), (100, 40, 0.95, 0.02)]
lines = []
for number, design in enumerate(DESIGNS, start=1):
    both = rivals.with_fixed_positives(*design)
    for name, (covered, length) in both.items():
        say(f"positives-{number}-{name}", 100 * covered)
        say(f"positives-{number}-{name}-length", length)
    cells = [f"{100 * covered:.1f} ({length:.3f})" for covered, length in both.values()]
    lines.append([*map(str, design), *cells])
head = [
    "items",
    "positives",
    "recall",
    "false positive rate",
    "psF1, % (length)",
    "score, % (length)",
]
show.table(head, lines, numeric=range(6))

# %% [markdown]
# ## Differences of two F1 scores on the same items
#
# The rule: 50, 100, 200, 500 or 1000 items. A share uniform between $.05$ and $.6$ is positive,
# and at least 10 positive items are expected. The recall of A comes from one of the first three Beta distributions
# above. The recall of B differs from it by a normal variable with standard deviation $.05$. False positives
# are between a tenth and one and a half times the false negatives. Predictions are independent
# given the truth, or copied from one another in half or nine tenths of the cells.

# %% tags=["hide-input"]
study.pair_study(atlas, designs, replicates, np.random.default_rng(streams[3]))

# %% [markdown]
# ## What was found
#
# Coverage is nominally 95 %. The columns:
#
# - **kept**: the share of designs whose coverage lies between 93 and 98 %;
# - **missed below**: the interval lies above the truth;
# - **length**: the mean length over that of the delta method in the same design, its median over designs;
# - **where delta holds**: the same over the designs in which the delta method covers 94 % or more.
#
# Bootstrap and posteriors of scores of two classes were computed with 10 expected relevant items only. *Equation*
# stands for the equation over the cells of truth, A and B. It and the cautious limits of differences were computed on a
# twentieth of the test sets of a design. Their coverage has a standard error of one to two percentage points in each
# design.

# %% tags=["hide-input"]
HEAD = ["designs", "mean, %", "worst, %", "missed below / above, %", "kept, %", "93 % or more, %"]
HEAD += ["below 91 %, %", "length", "where delta holds", "length 0 / outside / undefined, %"]


def plain_key(text):
    """Return letters, digits and hyphens."""
    return re.sub("[^A-Za-z0-9]+", "-", text.replace("*", "-star")).strip("-")


for kind in dict.fromkeys(kind for kind, _ in atlas.rows):
    summaries = list(atlas.summaries(kind))
    for summary in summaries:
        for name, number in summary.numbers().items():
            say(f"{plain_key(f'{kind}-{summary.method}')}-{name}", number)
    display(show.table([kind, *HEAD], [s.cells() for s in summaries], numeric=range(1, 11)))

# %% [markdown]
# **The worst, measured again.** The goal was set before anything was tuned, for designs in which each class expects 3
# items or more. The mean coverage is at most half a percentage point below the level and one and a half above it. The
# worst is 93 %. The three designs of each score that read lowest are measured in {glue:text}`score-again` fresh test
# sets, with a standard error of {glue:text}`score-error-again:.4f`.

# %% tags=["hide-input"]
rng = np.random.default_rng(streams[7])
again = 5 * replicates // 2
say("again", f"{again:,}")
rows = []
for kind in [*study.AVERAGES, PAIR]:
    measure = study.pair_coverage
    if kind != PAIR:
        measure = study.average_coverage(study.AVERAGES[kind])
    read = 100 * atlas.of(kind)[:, 0]
    least = 100 * study.measured_again(atlas.lowest(kind), measure, again, rng)
    say(f"{plain_key(kind)}-again", least)
    rows.append([kind, f"{read.mean():.1f}", f"{read.min():.1f}", f"{least:.1f}"])
show.table(
    ["score interval for", "mean, %", "worst read, %", "again, %"], rows, numeric=range(1, 4)
)

# %% [markdown]
# **What the underived parts do.** Two parts of the limits are not derived: the room for up to three errors, and the
# bounds of the variance. The table has the worst coverage with them, without room, and without bounds. The populations
# are every third of those above that have up to 10 classes and expect fewer than ten errors.

# %% tags=["hide-input"]
rng = np.random.default_rng(streams[8])
few = [(cells, n) for cells, n in ordinary if n * (1 - np.trace(cells)) < 10][::3]
few = [(cells, n) for cells, n in few if len(cells) <= 10]
say("variants-designs", len(few))
lines, moved = [], []
for kind in ("macro F1", "macro recall", "weighted F1"):
    found = study.variants_study(few, study.AVERAGES[kind], replicates // 4, rng)
    for name, coverage in found.items():
        say(f"{plain_key(kind)}-{plain_key(name)}-worst", 100 * coverage.min())
    moved.append(np.abs(found["no bounds"] - found["as they are"]).max())
    lines.append([kind, *(f"{100 * coverage.min():.1f}" for coverage in found.values())])
say("no-bounds-moved", 100 * max(moved))
show.table(["score interval for", *study.VARIANTS], lines, numeric=range(1, 4))

# %% [markdown]
# Without the bounds the coverage changes by {glue:text}`score-no-bounds-moved:.1f` percentage points at most. The bounds
# matter in tables of a few items, where the variance can be anything.

# %% [markdown]
# **A class in which hardly an error is expected.** The room counts the errors of the whole table. So it does not help
# where the table expects many errors and its smallest class hardly any. Of the populations that expect four errors or
# more, we take the eight with the fewest in the smallest class. There the coverage of macro recall is measured anew, and
# once more where it is least.

# %% tags=["hide-input"]
rng = np.random.default_rng([seed, 9])
measure, unlike = study.average_coverage(study.AVERAGES["macro recall"]), []
for cells, n in atlas.designs["macro recall"]:
    smallest = cells.sum(axis=1).argmin()
    size, errors = n * cells[smallest].sum(), n * (1 - np.trace(cells))
    if errors >= 4:
        unlike.append((size - n * cells[smallest, smallest], size, errors, cells, n))
unlike = sorted(unlike, key=lambda row: row[0])[:8]
coverage = [measure(cells, n, replicates, rng) for *_, cells, n in unlike]
own, size, errors, cells, n = unlike[int(np.argmin(coverage))]
for key, number in (("own-errors", own), ("size", size), ("errors", errors), ("items", n)):
    say(f"small-class-{key}", number)
say("small-class-replicates", f"{4 * again:,}")
say("small-class-coverage", 100 * measure(cells, n, 4 * again, rng))

# %% [markdown]
# The least covered has {glue:text}`score-small-class-items:.0f` items, {glue:text}`score-small-class-size:.1f` of them in
# its smallest class, and expects {glue:text}`score-small-class-errors:.1f` errors,
# {glue:text}`score-small-class-own-errors:.2f` of them in that class. Macro recall is covered
# {glue:text}`score-small-class-coverage:.1f` % of the time in {glue:text}`score-small-class-replicates` fresh test sets.

# %% mystnb={"image": {"alt": "Six panels, one for each kind of score: coverage in all designs, sorted, for delta, logit, pseudo-counts and score intervals. Score intervals run along the line at 95 per cent in every panel, and above it in the last designs. The others fall far below it in many designs, delta most often."}, "figure": {"classes": "fits", "caption": "Coverage of nominal 95 % intervals in the designs of each kind, sorted for each method. What lies below 70 % is cut off.", "name": "fig-score-atlas"}}
LOOKS = {
    "delta": ("vermilion", "--"),
    "logit": ("green", "-."),
    "pseudo-counts": ("purple", ":"),
    "MOVER": ("orange", "-."),
    "score": ("blue", "-"),
}


def look(method, label=None):
    colour, line = LOOKS[method]
    return {"color": figures.COLOURS[colour], "linestyle": line, "label": label or method}


figure, axes = figures.subplots(3, 2, height=6.6, sharex=True, sharey=True)
figure.set_figwidth(4.8)
shown = ("macro F1", "macro precision", "macro recall", "weighted F1", "macro* F1", PAIR)
for axis, kind in zip(axes.flat, shown, strict=True):
    axis.axhline(LEVEL, color=figures.COLOURS["grey"], linewidth=1)
    for method in LOOKS:
        if (kind, method) in atlas.rows:
            coverage = np.sort(atlas.of(kind, method)[:, 0])
            axis.plot((np.arange(coverage.size) + 0.5) / coverage.size, coverage, **look(method))
    axis.set(title=kind, ylim=(0.7, 1.002), xlim=(0, 1))
for axis in axes[:, 0]:
    axis.set_ylabel("coverage")
for axis in axes[-1]:
    axis.set_xlabel("share of designs")
handles = [axes[0, 0].plot([], [], **look(method))[0] for method in LOOKS]
figure.legend(handles, list(LOOKS), loc="outside lower center", ncols=3)
figures.save(figure, "score-intervals-atlas")

# %% [markdown]
# ## One score, in every place
#
# The figure shows the exact coverage of four intervals for F(2). Twenty relevant items are expected, half of all items.
# False positives are as frequent as false negatives.

# %% mystnb={"image": {"alt": "Exact coverage against the true F2 score. The delta method lies below 95 per cent everywhere and falls to nearly nothing at both ends; profile likelihood and score stay near the line, with dips at the ends; the cautious limits lie above it throughout."}, "figure": {"classes": "fits", "caption": "Exact coverage of nominal 95 % intervals for F(2), at 20 expected relevant items.", "name": "fig-score-binary"}}
figure, axis = figures.subplots(height=3.4)
figure.set_figwidth(4.8)  # as wide as a phone
axis.axhline(LEVEL, color=figures.COLOURS["grey"], linewidth=1)
limits = study.binary_methods(study.outcomes(study.largest_number(20)), *SCORES["F(2)"])
shares = np.linspace(0.01, 0.99, 99 if designs >= 100 else 15)
for method, as_drawn in {
    "delta": "delta",
    "profile likelihood": "logit",
    "score": "score",
    "cautious": "pseudo-counts",
}.items():
    truth, coverage = study.coverage_curve(limits[method], "F(2)", shares)
    axis.plot(truth, coverage, **look(as_drawn, method))
axis.set(xlabel="true F(2)", ylabel="coverage", ylim=(0.7, 1.002), xlim=(0, 1))
axis.legend(loc="lower center", ncols=2)
figures.save(figure, "score-intervals-binary")

# %% [markdown]
# ## A search for the worst population
#
# A fixed list of designs may miss the bad ones. So an optimiser looks for them.
#
# - **F(2) and F(4)**: a grid over the share of right items and the mix of errors, refined from its worst point
#   (Nelder and Mead). Coverage is exact; 20 relevant items are expected, half of all items.
# - **Weighted F1, macro F1 and weighted precision of two classes**, 40 items, at least 3 expected in each class: a
#   grid over the size of one class and both recalls, refined as for F(2). Coverage is exact.
#
# Averages of more classes and differences have no exact sums that are short enough.

# %% tags=["hide-input"]
grid_steps = max(3, 4 * search_steps // 15)
worst = {kind: study.worst_binary(kind, grid_steps) for kind in ("F(2)", "F(4)")}
for kind, (_, _, least) in worst.items():
    say(f"adversary-{kind[0].lower()}{kind[2]}", 100 * least)

# %% tags=["hide-input"]
two = {}
for kind in ("weighted F1", "macro F1", "weighted precision"):
    steps = max(3, search_steps // 6)
    two[kind] = study.worst_of_two_classes(study.AVERAGES[kind], 40, steps)
    say(f"adversary-two-{plain_key(kind)}", 100 * two[kind][1])

# %% tags=["hide-input"]
errors = np.array([n * (1 - np.trace(c)) for c, n in atlas.designs["macro F1"]])
macro_coverage = atlas.of("macro F1")[:, 0]
say("one-error-kept", 100 * study.kept(macro_coverage[errors >= 1]).mean())
rows = [
    [kind, 100 * least, f"{100 * s:.1f} % right, {100 * m:.0f} % of the errors false positives"]
    for kind, (s, m, least) in worst.items()
]
for kind, (c, least) in two.items():
    place = "; ".join(", ".join(f"{x:.1f}" for x in row) for row in 40 * c)
    rows.append([f"{kind}, two classes", 100 * least, f"40 items, expected matrix {place}"])
rows = [[kind, f"{least:.1f}", place] for kind, least, place in rows]
show.table(["score", "worst coverage found, %", "where"], rows, numeric=(1,))

# %% [markdown]
# The binary score is covered worst for a nearly perfect classifier whose few errors weigh most. This is
# the dip that Wilson's interval has near the borders. The cautious limits do not have it. Of the populations
# with at least one expected error {glue:text}`score-one-error-kept:.0f` % are covered
# between 93 and 98 % for macro F1. With fewer expected errors there are gaps, described below.
#
# ## What could be gained
#
# Three shortcomings were found. This section says what stands in the way of doing better.
#
# **One score near the border.** The saddlepoint interval {cite:p}`lugannani1980` approximates the
# tail probability itself, with its skewness. The score interval takes a normal tail instead. The table has
# the worst coverage at 20 and more expected relevant items, and the mean length over that of the score
# interval (median).

# %% tags=["hide-input"]
lines = []
for kind in SCORES:
    twenty = np.array([row[0] >= 20 for row in atlas.designs[kind]])
    pair = [atlas.of(kind, method)[twenty] for method in ("score", "saddlepoint")]
    say(f"{plain_key(kind)}-twenty-worst", 100 * pair[0][:, 0].min())
    least = [f"{100 * rows[:, 0].min():.1f}" for rows in pair]
    tails = ["{:.1f} / {:.1f}".format(*100 * rows[:, 1:3].mean(axis=0)) for rows in pair]
    lines.append([kind, *least, *tails, f"{np.median(pair[1][:, 3] / pair[0][:, 3]):.2f}"])
(share, mix, _), (a, b) = worst["F(2)"], SCORES["F(2)"]
chance, p = study.probabilities(20, 0.5, share, mix)
truth = p[0] / (p[0] + a * p[1] + b * p[2])
inside = (chance * study.covered(limits["saddlepoint"], truth)[0]).sum()
say("adversary-f2-saddlepoint", float(100 * inside))
head = ["score", "worst, %", "saddlepoint: worst, %", "missed below / above, %"]
head += ["saddlepoint: missed below / above, %", "length"]
show.table(head, lines, numeric=range(1, 6))

# %% [markdown]
# Where the score interval of F(2) is worst, with {glue:text}`score-adversary-f2:.1f` %, the saddlepoint
# interval covers {glue:text}`score-adversary-f2-saddlepoint:.1f` %. Its own worst place was not searched
# for. The saddlepoint interval has no closed form, takes far longer (below), and is not Wilson's interval for F1.
# So `f1ci` keeps the score interval.
#
# **Almost no errors.** Suppose an interval depends only on the number $e$ of errors, and its upper limit falls
# as $e$ rises. If a truth is covered when no error is seen, it is covered up to some number $j$ of errors, with
# probability $\mathrm{P}(e \le j)$. When hardly an error is expected, $e$ is nearly Poisson, and there are gaps.
# No such interval covers between 93 and 98 % with less than {glue:text}`score-gap-none:.3f` expected errors,
# between {glue:text}`score-gap-one-from:.3f` and {glue:text}`score-gap-one-to:.3f`, or between
# {glue:text}`score-gap-two-from:.2f` and {glue:text}`score-gap-two-to:.2f`. An interval for an average also knows
# in which classes the errors are. With one or two errors that helps little.

# %% tags=["hide-input"]
for name, seen, level in (
    ("none", 1, 0.98),
    ("one-from", 1, 0.93),
    ("one-to", 2, 0.98),
    ("two-from", 2, 0.93),
    ("two-to", 3, 0.98),
):
    say(f"gap-{name}", gammainccinv(seen, level))
# Wilson's limit for one error where errors are rare, and the probability that there is none.
say("wilson-dip", 100 * np.exp(-(1 + Z**2 / 2 - Z * np.sqrt(1 + Z**2 / 4))))
reach = np.array(
    [
        study.kept(binom.cdf(np.arange(n + 1), n, 1 - np.trace(cells))).any()
        for cells, n in atlas.designs["macro F1"]
    ]
)
within = study.kept(macro_coverage)
say("gap-designs", 100 * (~reach).mean())
say("reach-kept", 100 * within[reach].mean())
say("outside-errors", errors[~within].max(initial=0))
say("outside-least", 100 * macro_coverage[~within].min(initial=1))

# %% tags=["remove-cell"]
# The paired difference: expected discordant items, and lengths over the delta method's.
discordant = np.array([n * (c[:, 0, 1] + c[:, 1, 0]).sum() for c, n in atlas.designs[PAIR]])
size = np.array([n for _, n in atlas.designs[PAIR]])
holds = atlas.of(PAIR, "delta")[:, 0] >= 0.94
ratio = atlas.of(PAIR)[:, 3] / atlas.of(PAIR, "delta")[:, 3]
longest = np.where(holds, ratio, 0).argmax()
count = np.arange(size[longest] + 1)
chance = binom.pmf(count, size[longest], discordant[longest] / size[longest])
tango = (chance * np.sqrt(count + Z * Z)).sum() / (chance * np.sqrt(count)).sum()
say("copies-within", 100 * (ratio[holds] <= 1.12).mean())
say("copies-discordant", discordant[longest])
say("copies-tango", tango)
say("copies-many", ratio[holds & (discordant >= 15)].max(initial=1))

# %% [markdown]
# In {glue:text}`score-gap-designs:.0f` % of the populations the expected number of errors lies in a gap. Of
# the others {glue:text}`score-reach-kept:.0f` % are covered between 93 and 98 %. Those outside
# expect at most {glue:text}`score-outside-errors:.1f` errors, and the least covered of them is covered
# {glue:text}`score-outside-least:.1f` %: they are covered too often.
#
# **Near-copies.** We look at the designs in which the delta method covers 94 % or more. In
# {glue:text}`score-copies-within:.0f` % of them the interval for the difference is at most 12 % longer than the delta
# method's. With 15 or more expected discordant items it is at most {glue:text}`score-copies-many:.2f` times as long. It
# is longest ({glue:text}`score-paired-F1-difference-score-length-most:.2f` times) with
# {glue:text}`score-copies-discordant:.1f` expected discordant items. There the delta method has length zero whenever
# the two models agree on every item. {cite:t}`tango1998` inverts the score test of two proportions. Take many items and
# $d$ discordant ones, half of either kind. His half length is $\sqrt{1 + z^2 / d}$ times the delta method's, which
# gives {glue:text}`score-copies-tango:.2f` here. A score test leaves room for discordant items that were not seen.
#
# **Monotone in the level.** Limits should widen with the level. That averages do so is not proved: the rounds that find
# them may not settle, and the bias changes from round to round. So this is measured. Limits at 14 levels from 62 to
# nearly 100 % are compared for random matrices with many small counts. Averages with a limit that steps back are looked
# at again with 100 rounds.

# %% tags=["hide-input"]
rng = np.random.default_rng(streams[4])
quantiles = np.linspace(0.88, 3.6, 14)
averages = {"macro": f1ci.metrics.macro, "weighted": f1ci.metrics.weighted}
back = {name: [] for name in averages}
still = dict.fromkeys(averages, 0)
for r in (2, 3, 6):
    m = study.scattered_matrices(r, 5 * designs, rng)
    for score in (f1ci.metrics.f1, f1ci.metrics.precision, f1ci.metrics.fbeta(2)):
        for name, average in averages.items():
            steps = study.steps_back(m, average(score), quantiles)
            back[name].append(steps)
            later = study.steps_back(m[steps > 1e-9], average(score), quantiles, rounds=(5, 100))
            still[name] += int((later > 1e-9).sum())
back = {name: np.concatenate(steps) for name, steps in back.items()}
say("back-tried", f"{len(back['macro']):,}")
for name, steps in back.items():
    say(f"back-{name}", int((steps > 1e-9).sum()))
    say(f"back-{name}-rounds", still[name])
say("back-largest", float(np.nanmax(np.concatenate(list(back.values())))))

# %% [markdown]
# Of {glue:text}`score-back-tried` macro averages {glue:text}`score-back-macro` have a limit that steps back. Of
# as many weighted averages it is {glue:text}`score-back-weighted`. The largest step back is
# {glue:text}`score-back-largest:.3f`. With 100 rounds {glue:text}`score-back-macro-rounds` and
# {glue:text}`score-back-weighted-rounds` of these still step back.
#
# ## Time
#
# Processor time for one interval of a batch, on the machine that built this book.

# %% tags=["hide-input"]
rng = np.random.default_rng(1)
tp, fp, fn = rng.integers(0, 100, (3, 200_000))
binary = np.stack([np.zeros_like(tp), fp, fn, tp], axis=-1).reshape(-1, 2, 2)
f2 = f1ci.metrics.fbeta(2)
jobs = {
    "F1": (200_000, lambda: f1ci.f1_interval(tp, fp, fn)),
    "F(2)": (200_000, lambda: f1ci.metric_interval(binary, f2)),
    "F(2), cautious": (5_000, lambda: study.limits_of(binary[:5_000], f2, "cautious")),
    "F(2), saddlepoint": (
        5_000,
        lambda: study.saddlepoint_limits(np.stack([tp, fp, fn])[:, :5_000], 0.2, 0.8),
    ),
}
for r in (3, 10, 20):
    m = rng.multinomial(500, rng.dirichlet(np.ones(r * r)), 2_000).reshape(-1, r, r)
    jobs[f"macro F1, {r} classes"] = 2_000, lambda m=m: study.limits_of(m, f1ci.metrics.macro_f1)
c = rng.multinomial(500, rng.dirichlet(np.ones(8)), 10_000).reshape(-1, 2, 2, 2).astype(float)
jobs[PAIR] = 10_000, lambda: kernels.difference_limits(c, Z)
rows = []
for name, (count, job) in jobs.items():
    job()
    start = time.process_time()
    job()
    rows.append([name, f"{1e6 * (time.process_time() - start) / count:.2f}"])
show.table(["interval", "microseconds"], rows, numeric=(1,))
