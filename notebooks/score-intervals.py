# %% [markdown]
# # Score intervals: how often they cover the truth
#
# The [chapter](/book/score.md) defines one interval for every smooth metric. This page draws it, measures how often it
# contains the true score and how long it is, compares it with its rivals, and shows where it fails.
#
# **In short.** All intervals have the level 95 %, so that they should contain the true score in 95 of 100 test sets.
#
# - In {glue:text}`score-designs:.0f` populations of several classes the score interval covers macro F1
#   {glue:text}`score-macro-F1-score-mean:.1f` % of the time on average, and {glue:text}`score-macro-F1-again:.1f` % in the worst of
#   them, measured again.
# - The delta method (the estimate plus and minus 1.96 standard errors) covers {glue:text}`score-macro-F1-delta-mean:.1f` % on average,
#   and {glue:text}`score-macro-F1-delta-worst:.1f` % at worst.
# - In {glue:text}`score-sceptic-designs:.0f` other populations, some ordinary and some hard, the bootstrap with bias correction (BCa) covers
#   {glue:text}`score-sceptic-bca-mean:.1f` % on average and {glue:text}`score-sceptic-bca-worst:.1f` % at worst, where the score
#   interval has {glue:text}`score-sceptic-default-mean:.1f` % and {glue:text}`score-sceptic-default-worst:.1f` %.
# - A search for bad populations of two classes found {glue:text}`score-adversary-two-macro-F1:.1f` % for the score interval of a classifier
#   that is nearly always wrong, and {glue:text}`score-adversary-half-macro-F1:.1f` % among those that get half of each class right.

# %% tags=["parameters"]
designs: int = 60  # populations for averages of several classes
pairs: int = 60  # pairs of models
replicates: int = 200  # test sets from each population, twice as many beside rivals
again: int = 1_000  # test sets from each population that is measured again
resamples: int = 499  # resamples of a bootstrap, and draws of a posterior
tables: int = 1_000  # sparse tables whose limits should widen with the level
search_steps: int = 16  # how finely the grid of the search is stepped
seed: int = 20261119  # root of all random streams

# %% tags=["remove-cell"]
# Import what the notebook uses and open the ledger.
import numpy as np
from compendium import figures, ledger, show
from scipy.optimize import minimize

import f1ci
from notebooks.own import score_intervals as own
from notebooks.shared import coverage_study as study
from notebooks.shared import kernels, score_designs

# `say` keeps a number for the text, which quotes it by name.
page = ledger.open("score-intervals")


def say(key, value):
    """Keep a number for the text of this page and of the chapter."""
    page.say(f"score-{key}", value)


say("error", np.sqrt(0.95 * 0.05 / replicates))
say("error-again", np.sqrt(0.95 * 0.05 / again))
say("replicates", replicates)
say("again", again)
say("lowest", study.LOWEST)

# %% [markdown]
# ## The limits are where lines of equal score touch the region that fits the data
#
# Every point of the map is a classifier, given by the shares of its relevant items (TP, FP and FN) that are false positives
# and false negatives. On each grey line F(2) has one value; F(2) is the F score that weighs recall more than precision. Our
# test set has 30 true positives, 6 false positives and 12 false negatives. The shaded region contains the classifiers that
# Pearson's test does not reject, and the score interval consists of the values of F(2) in it. So its limits belong to the two
# lines that touch the region without crossing it.

# %%
# Find the smallest and the largest F(2) on the border of the region.
counts = (30, 6, 12)
a, b = 0.2, 0.8  # the weights of F(2)


def f2(tp, fp, fn):
    """Return F(2) of shares of true positives, false positives and false negatives."""
    return tp / (tp + a * fp + b * fn)


border = own.border(counts, study.Z, directions=20_000)
on_border = f2(*border)
touching = border[:, [on_border.argmin(), on_border.argmax()]]
interval = f1ci.Matrix([[0, 6], [12, 30]]).interval(f1ci.metrics.fbeta(2))
say("touch-low", on_border.min())
say("touch-high", on_border.max())
say("touch-gap", np.abs(np.array([on_border.min(), on_border.max()]) - tuple(interval)).max())

# %% mystnb={"image": {"alt": "A map of classifiers. Across, the share of false positives among the relevant items; up, the share of false negatives. Grey lines mark equal F2 scores. An egg-shaped region around the observed point contains the classifiers that fit the data. Two coloured lines of equal F2 touch the region, one above it and one below it; the dots where they touch are the limits."}, "figure": {"caption": "The limits of F(2) are the values on the two lines that touch the region of the classifiers that fit the data.", "name": "fig-score-intervals-idea"}}
# Draw the map: lines of equal F(2), the region, and the two lines that touch it.
figure, axis = figures.subplots(height=4.4)
fp, fn = np.meshgrid(np.linspace(0.0, 0.39, 200), np.linspace(0.05, 0.6, 200))
values = f2(1 - fp - fn, fp, fn)
grey, blue, red = (figures.COLOURS[name] for name in ("grey", "blue", "vermilion"))
scores = np.array([0.5, 0.7, 0.8, 0.9])
lines = axis.contour(fp, fn, values, scores, colors=grey, linewidths=0.8)
# The name of each line stands on it, at these shares of false positives.
beside = np.array([0.34, 0.34, 0.34, 0.1])
above = (1 - beside - scores * (1 - beside * (1 - a))) / (1 - scores * (1 - b))
axis.clabel(lines, fmt="F(2) = %.1f", manual=list(zip(beside, above, strict=True)))
axis.contour(fp, fn, values, [on_border.min(), on_border.max()], colors=red, linewidths=1.4)
axis.fill(*border[1:], color=blue, alpha=0.25, linewidth=0)
axis.plot(*border[1:], color=blue, linewidth=1)
axis.plot(*touching[1:], "o", color=red)
observed = np.array(counts[1:]) / sum(counts)
axis.plot(*observed, "x", color="black")
for text, place, words_at in (
    (f"lower limit: {interval.low:.2f}", touching[1:, 0], (0.19, 0.46)),
    (f"upper limit: {interval.high:.2f}", touching[1:, 1], (0.16, 0.075)),
    ("observed", observed, (0.145, 0.215)),
):
    axis.annotate(text, place, words_at, arrowprops={"arrowstyle": "-", "linewidth": 0.8})
axis.text(0.11, 0.31, "fits the data")
axis.text(0.2, 0.53, "too far from the data")
axis.set(xlabel="FP, share of the relevant items", ylabel="FN, share of the relevant items")
figures.save(figure, "score-intervals-idea")

# %% [markdown]
# On a fine grid of the border F(2) is {glue:text}`score-touch-low:.4f` at least and {glue:text}`score-touch-high:.4f` at most. `f1ci`,
# which searches for the extremes without a grid, has the same limits to {glue:text}`score-touch-gap:.0e`.
#
# ## The study
#
# Its parts have the names of {cite:t}`morris2019` (ADEMP).
#
# - **Aim.** How often do 95 % score intervals contain the true score, on which side do they miss it, and how long are they?
# - **Data-generating mechanisms.** Four rules make {glue:text}`score-designs:.0f` populations of several classes, in which the
#   smallest class expects three items or more. *First rule*: 3 to 20 classes and 50 to 1000 items, from bad to nearly perfect
#   classifiers, all shares random. *Grid*: 3, 6 or 10 classes of one size, or of sizes $1, 1/2, 1/3, \dots$, or with one rare class;
#   50, 80, 95 or 99 % of the items are right. *Mixture*: 2 to 16 classes, whose errors go to the next class, all go to the first
#   class, are few in the whole table, or are random. *Majority*: 2, 3 or 5 classes whose items are mostly taken for the
#   largest one. Metrics of two classes have random populations of 30, 50 or 100 items and populations with 10, 30 or 50 %
#   positives. All rules were written down before the interval was chosen.
# - **Estimands.** The scores of the populations, for thirteen metrics, and differences of three scores of two classifiers.
# - **Methods.** The score interval, the delta method, and the delta method on the logit scale.
# - **Performance measures.** Coverage, misses on each side, and mean length. In each population {glue:text}`score-replicates:,.0f`
#   test sets are drawn, so that a coverage of 0.95 has a standard error of {glue:text}`score-error:.3f`. The lowest of many such
#   numbers is too low; therefore the {glue:text}`score-lowest:.0f` populations with the lowest coverages are measured again, in
#   {glue:text}`score-again:,.0f` fresh test sets each (standard error {glue:text}`score-error-again:.3f`).
#
# A test set counts if every class has a score in it, and a population counts if at least half of its test sets do. Lift, the
# positive likelihood ratio (LR+) and net benefit are among the metrics because a perfect classifier has no fixed value of
# them.

# %% tags=["remove-cell"]
# Draw the populations.
third = max(1, designs // 3)
rng = np.random.default_rng([seed, 1])
several = score_designs.first_rule(third, rng)
several += score_designs.grid()[:: max(1, 144 // third)]
several += score_designs.mixture(third, rng)
several += score_designs.majority()[::4]
two_classes = score_designs.drawn(2, max(2, designs // 4), rng)
two_classes += score_designs.rare_positives()[:: max(1, 240 // designs)]
three_classes = score_designs.drawn(3, max(2, designs // 4), rng)
say("designs", len(several))


# %% tags=["remove-cell"]
# Define two metrics of which a perfect classifier has no fixed value.
def likelihood_ratio(eza, ea, ez):
    """Return the positive likelihood ratio, recall over the rate of false positives."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (eza / ez) / ((ea - eza) / (1 - ez))


def net_benefit(eza, ea, ez):
    """Return right positives less a quarter of the false ones, for each item."""
    return eza - (ea - eza) / 4 + 0 * ez


# %% tags=["remove-cell"]
# Name the metrics and the methods.
metrics = f1ci.metrics
AVERAGES = {
    "macro F1": metrics.macro("f1"),
    "macro precision": metrics.macro("precision"),
    "macro recall": metrics.macro("recall"),
    "macro F(1/2)": metrics.macro(metrics.fbeta(0.5)),
    "macro F(2)": metrics.macro(metrics.fbeta(2)),
    "macro star": metrics.macro_star(),
    "weighted F1": metrics.weighted("f1"),
    "weighted precision": metrics.weighted("precision"),
}
NAMED = {
    "MCC": metrics.get("mcc"),
    "kappa": metrics.get("kappa"),
    "lift": metrics.get("lift"),
    "LR+": metrics.BinaryMetric("LR+", likelihood_ratio, range=(0.0, np.inf)),
    "net benefit": metrics.BinaryMetric("net benefit", net_benefit, range=(-0.25, 1.0)),
}
by_package = study.by_name("score", "logit", "delta")


# %% tags=["remove-cell"]
# Keep the numbers of a kind of score for the text.
def key_of(name):
    """Return a name as it stands in keys."""
    return (
        name.replace("(", "-").replace(")", "").replace("/", "-").replace(" ", "-").replace("+", "")
    )


def keep(name, found, least):
    """Keep the numbers of a kind of score for the text, and return its row of the table."""
    ours = found["score"]
    say(f"{key_of(name)}-score-mean", ours.mean)
    say(f"{key_of(name)}-delta-mean", found["delta"].mean)
    say(f"{key_of(name)}-delta-worst", found["delta"].worst)
    say(f"{key_of(name)}-again", least)
    length = ours.over(found["delta"])
    say(f"{key_of(name)}-length", length)
    rivals = [
        f"{found[method].mean:.1f} / {found[method].worst:.1f}" for method in ("logit", "delta")
    ]
    cells = [f"{ours.mean:.1f} / {least:.1f}", ours.tails]
    return [name, *cells, *rivals, "" if np.isnan(length) else f"{length:.2f}"]


# %% [markdown]
# ## Score intervals cover a little more than 95 % on average, for every metric
#
# The columns of the table:
#
# - **score**: mean coverage / the worst measured again, in per cent;
# - **above / below**: intervals that lie above the truth, and below it, in per cent (nominal $2.5$ each);
# - **logit**, **delta**: mean / worst coverage of these methods (not measured again);
# - **length**: the median length over delta's, where delta covers 94 % or more.

# %% tags=["hide-input"]
# Measure coverage and length of each kind of score.
lines, results = [], {}
for kind, metric in (AVERAGES | NAMED).items():
    populations = several if kind in AVERAGES else two_classes
    populations = three_classes if kind == "kappa" else populations
    results[kind] = study.coverage(populations, metric, by_package, replicates, seed)
    least = study.again(populations, results[kind]["score"], metric, again, seed)
    lines.append(keep(kind, results[kind], least))
for name in ("f1", "precision", "recall"):
    kind = f"paired {name}".replace("f1", "F1")
    results[kind], least = study.pairs(metrics.get(name), pairs, replicates, again, seed)
    lines.append(keep(kind, results[kind], least))
tails = results["macro F1"]["score"]
say("macro-F1-score-worst", tails.worst)
say("macro-above", 100 * np.nanmean(tails.above))
say("macro-below", 100 * np.nanmean(tails.below))
head = ["metric", "score", "above / below", "logit", "delta", "length"]
show.table(
    head,
    lines,
    numeric=range(1, 6),
    caption=(
        "Coverage of the score interval and of two rivals, for every metric. The worst "
        "designs show what a mean hides."
    ),
)

# %% [markdown]
# For macro F1, {glue:text}`score-macro-above:.1f` % of the intervals lie above the truth and {glue:text}`score-macro-below:.1f` % lie below
# it, so that the lower limit is wrong less often than the upper limit.

# %% mystnb={"image": {"alt": "Six panels, one for each kind of score: coverage in all populations, sorted, for delta, logit and score intervals. Score intervals run along the line at 95 per cent in every panel, and above it in the last populations. The others fall far below it in many populations, delta most often."}, "figure": {"caption": "Coverage of nominal 95 % intervals in the populations of each kind, sorted for each method. What lies below 70 % is cut off.", "name": "fig-score-intervals-atlas"}}
# Draw the coverage of each population, sorted.
LOOKS = {"delta": ("vermilion", "--"), "logit": ("green", "-."), "score": ("blue", "-")}
figure, axes = figures.subplots(3, 2, height=6.6, sharex=True, sharey=True)
shown = ("macro F1", "macro precision", "macro recall", "weighted F1", "MCC", "paired F1")
for axis, kind in zip(axes.flat, shown, strict=True):
    axis.axhline(0.95, color=figures.COLOURS["grey"], linewidth=1, label="95 %")
    for method, (colour, line) in LOOKS.items():
        covered = results[kind][method].covered
        covered = np.sort(covered[np.isfinite(covered)])
        place = (np.arange(covered.size) + 0.5) / covered.size
        axis.plot(place, covered, color=figures.COLOURS[colour], linestyle=line, label=method)
    axis.set(title=kind, ylim=(0.7, 1.002), xlim=(0, 1))
for axis in axes[:, 0]:
    axis.set_ylabel("coverage")
for axis in axes[-1]:
    axis.set_xlabel("share of populations")
handles, names = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=4)
figures.save(figure, "score-intervals-atlas")

# %% [markdown]
# ## Harsher populations
#
# Four more kinds of populations were chosen to be difficult, and are kept apart because some of their classes expect fewer
# than three items. *Nearly perfect* ones expect half an error, two or five in the whole table. *Tiny classes* expect one to
# three items. In *blocks* classes are confused in pairs only, so that most cells stay empty. In the last kind one class is *never
# predicted*. The table has the mean coverage of the score interval and the worst measured again, in per cent, with the
# delta method's mean for comparison.

# %% tags=["hide-input"]
# Measure coverage in the harsher populations.
lines = []
for kind, populations in score_designs.harsher().items():
    line = [kind]
    for name in ("macro F1", "macro recall", "kappa"):
        metric = (AVERAGES | NAMED)[name]
        found = study.coverage(populations, metric, by_package, replicates, seed + 3)
        least = study.again(populations, found["score"], metric, again, seed + 3)
        line += [f"{found['score'].mean:.1f} / {least:.1f}", f"{found['delta'].mean:.1f}"]
    lines.append(line)
head = ["populations", "macro F1", "delta", "macro recall", "delta", "kappa", "delta"]
show.table(
    head,
    lines,
    numeric=range(1, 7),
    caption=(
        "Coverage in harsher populations. Beside each score interval stands the delta method "
        "in the same test sets."
    ),
)

# %% [markdown]
# ## The sceptic's table
#
# The delta method is easily beaten. What else would a statistician try for macro F1? The same test sets of
# {glue:text}`score-sceptic-designs:.0f` populations, ordinary ones first, are given to nine methods:
#
# - the **score** interval, which is the default of `f1ci`, **delta** and **logit**;
# - the bootstrap of items, by **percentiles** and with bias correction and acceleration (**BCa**);
# - a Dirichlet **posterior** of the cells, whose prior adds 1 item to each cell (flat), 1/2 (Jeffreys), or $1/r$ for $r$ classes;
# - **Wilson** intervals of the classes, combined as if the scores of classes were independent {cite:p}`zou2008`.
#
# The table has the coverage in per cent of {glue:text}`score-sceptic-sets:,.0f` test sets, where a coverage of 95 % has a standard
# error of {glue:text}`score-sceptic-error:.1f`. Below are the mean, the worst, and the median length over the score interval's.

# %% tags=["hide-input"]
# Measure the default beside its rivals.
SCEPTIC = {
    "default": "score",
    "delta": "delta",
    "logit": "logit",
    "percentile": "percentile",
    "bca": "BCa",
    "dirichlet": "posterior, flat",
    "jeffreys": "Jeffreys",
    "dirichlet-1-r": "1/r",
    "wilson-combined": "Wilson",
}
rng = np.random.default_rng([seed, 4])
named = score_designs.ordinary_and_hard()
found = study.coverage(
    list(named.values()),
    metrics.macro_f1,
    lambda tables, _: own.rivals(tables, resamples, rng),
    2 * replicates,
    seed + 4,
)
found = {method: found[method] for method in SCEPTIC}
lengths = {}
for method, result in found.items():
    say(f"sceptic-{method}-mean", result.mean)
    say(f"sceptic-{method}-worst", result.worst)
    lengths[method] = np.nanmedian(result.length / found["default"].length)
    say(f"sceptic-{method}-length", lengths[method])
lines = [
    [name, *(f"{100 * result.covered[place]:.0f}" for result in found.values())]
    for place, name in enumerate(named)
]
lines.append(["mean coverage", *(f"{result.mean:.1f}" for result in found.values())])
lines.append(["worst coverage", *(f"{result.worst:.1f}" for result in found.values())])
lines.append(["length", *(f"{length:.2f}" for length in lengths.values())])
say("sceptic-designs", len(named))
say("sceptic-sets", 2 * replicates)
say("sceptic-error", 100 * np.sqrt(0.95 * 0.05 / (2 * replicates)))
show.table(
    ["population", *SCEPTIC.values()],
    lines,
    numeric=range(1, len(SCEPTIC) + 1),
    caption=(
        "The sceptic's table. Coverage of macro F1 in per cent, ordinary populations first; a "
        "method is as good as its worst line, if its intervals are no longer."
    ),
)

# %% [markdown]
# Where classes have many items, the delta method, logit, both bootstraps and the score interval agree. Where a class has
# three or four items, or hardly an item is wrong, the delta method and the percentile bootstrap cover too rarely, because a
# test set in which such a class has no error, or only errors, shows them no variation. A posterior depends on its prior as soon as cells are many: a flat prior adds one item to each of the 100 cells of
# ten classes, most of them errors, and draws macro F1 far below the truth. Wilson intervals of the classes are too short when
# they are combined, because an error is one class's false positive and another's false negative, so that scores of classes rise
# and fall together.
#
# ## What each part does
#
# The interval is the range of the metric in Pearson's region, with a *variance factor* on $z^2$ and a *correction for one to
# three errors*. The table has the mean / the worst coverage in per cent with neither of them (plain), with each of them, and
# with both (whole), in the same test sets, and the median length over that of the whole. Of {glue:text}`score-part-designs:.0f`
# populations every fourth is nearly perfect. The worst numbers are not measured again.

# %% tags=["hide-input"]
# Measure coverage and length with and without each part.
some = [population for population in several if len(population[0]) <= 10][::2]
some += score_designs.nearly_perfect()[:: max(1, 54 // len(some))]
lines = {name: [name] for name in ("plain", "factor", "correction", "whole")}
for kind in ("macro F1", "macro precision", "macro recall", "weighted F1"):
    found = study.coverage(
        some,
        AVERAGES[kind],
        lambda tables, metric: kernels.parts_of_limits(tables, metric, study.Z),
        replicates,
        seed + 2,
    )
    for name, result in found.items():
        length = np.nanmedian(result.length / found["whole"].length)
        if kind == "macro F1":
            say(f"part-macro-F1-{name}-mean", result.mean)
            say(f"part-macro-F1-{name}-worst", result.worst)
            say(f"part-macro-F1-{name}-length", length)
        lines[name].append(f"{result.mean:.1f} / {result.worst:.1f} ({length:.2f})")
say("part-designs", len(some))
head = ["part", "macro F1", "macro precision", "macro recall", "weighted F1"]
show.table(
    head,
    list(lines.values()),
    numeric=range(1, 5),
    caption=(
        "What each part of the interval does. Compare plain with whole, and the worst "
        "coverage with the mean."
    ),
)

# %% [markdown]
# ## One table, three questions
#
# The same 120 items give three intervals for macro F1, which answer three questions: what would be random if the test were
# made again? It may be all items, the predictions within classes of fixed size, or twenty documents of six items each. In
# these documents errors come together.

# %% mystnb={"image": {"alt": "Three horizontal intervals for macro F1 around one estimate, one below the other: items at random, class sizes fixed, documents at random. The interval for documents is the longest."}, "figure": {"caption": "Limits of macro F1 from one table, under three ways of sampling.", "name": "fig-score-intervals-sampling"}}
# Draw the limits under three ways of sampling.
table = np.array([[36, 3, 1], [4, 40, 6], [1, 5, 24]])
true, predicted = (np.repeat(axis.ravel(), table.ravel()) for axis in np.indices(table.shape))
order = np.argsort(true != predicted, kind="stable")  # right items first
documents = np.empty(true.size, dtype=int)
documents[order] = np.arange(true.size) // 6
macro = {"average": "macro"}
questions = {
    "items at random": f1ci.Matrix(table).interval("macro_f1"),
    "class sizes fixed": f1ci.Matrix(table, fixed="rows").interval("macro_f1"),
    "documents at random": f1ci.f1_score_interval(true, predicted, **macro, groups=documents),
}
figure, axis = figures.subplots(height=1.8)
for place, (low, high) in enumerate(questions.values()):
    axis.plot([low, high], [-place, -place], color=figures.COLOURS["blue"], linewidth=3)
estimate = questions["items at random"].estimate
axis.axvline(estimate, color=figures.COLOURS["grey"], linewidth=1)
axis.text(estimate + 0.002, 0.3, "estimate (line)")
axis.set_yticks(-np.arange(3), list(questions))
axis.set(xlabel="macro F1", ylim=(-2.5, 0.7))
figures.save(figure, "score-intervals-sampling")

# %% [markdown]
# **Fixed class sizes** are known shares of the classes, namely the observed ones. These test sets have a fixed number of items in
# each class, in every twelfth population of the grid. The table has the mean / the worst coverage in per cent, not measured
# again.

# %% tags=["hide-input"]
# Measure coverage with fixed class sizes.
lines = []
for kind in ("macro F1", "macro precision"):
    rows = [
        score_designs.fixed_rows(population, AVERAGES[kind], replicates, seed)
        for population in score_designs.grid()[::12]
    ]
    line = [kind]
    for covered in 100 * np.transpose(rows):
        line.append(f"{covered.mean():.1f} / {covered.min():.1f}")
    lines.append(line)
show.table(
    ["metric", "the default", 'fixed="rows"'],
    lines,
    numeric=(1, 2),
    caption=(
        "Coverage where the sizes of the classes are fixed. The default does not know it, "
        'fixed="rows" does.'
    ),
)

# %% [markdown]
# ## Two exact sums
#
# **A search for the worst population.** A list of populations may miss the bad ones. So an optimiser looks for them, for
# macro F1 of two classes and 40 items, with at least three expected items in each class. Coverage is an exact sum over all
# tables.
#
# **One-sided limits.** A one-sided 95 % limit says "F1 is at least the lower limit", or "F1 is at most the upper limit".
# Each sentence should be true in 95 of 100 test sets. Given $v$ relevant items the chances are exact.

# %% tags=["hide-input"]
# Search for the worst population, and sum the chances of one-sided limits.
cells, least = study.worst_of_two_classes(metrics.macro_f1, 40, search_steps)
say("adversary-two-macro-F1", 100 * least)
say("adversary-right", 100 * np.trace(cells))
_, least = study.worst_of_two_classes(metrics.macro_f1, 40, search_steps, least_recall=0.5)
say("adversary-half-macro-F1", 100 * least)
lines = []
for v in (20, 50):
    for name, scores in (
        ("high", np.linspace(0.9, 0.98, 81)),
        ("low", np.linspace(0.02, 0.3, 281)),
    ):
        at_least, at_most = study.one_sided(v, scores)
        row = [f"{v}", f"{scores[0]:.2f} to {scores[-1]:.2f}"]
        for side, chance in (("at-least", at_least), ("at-most", at_most)):
            say(f"one-sided-{v}-{name}-{side}-mean", 100 * chance.mean())
            say(f"one-sided-{v}-{name}-{side}-worst", 100 * chance.min())
            row.append(f"{100 * chance.mean():.1f} / {100 * chance.min():.1f}")
        lines.append(row)
head = ["relevant items", "true F1", "at least: mean / worst, %", "at most: mean / worst, %"]
show.table(
    head,
    lines,
    numeric=range(4),
    caption="Two one-sided limits, exactly. Each sentence should be true in 95 of 100 test sets.",
)

# %% [markdown]
# In the worst population found, macro F1 is covered {glue:text}`score-adversary-two-macro-F1:.1f` % of the time: its classifier is
# nearly always wrong, with {glue:text}`score-adversary-right:.1f` % of the items right, so that the true macro F1 lies just above 0,
# where Wilson's interval for a proportion has the same dip.
# Among classifiers that get at least half of each class right, the lowest coverage is
# {glue:text}`score-adversary-half-macro-F1:.1f` %. One-sided limits are uneven: for good classifiers "at least" is true often enough
# on average, and "at most" is not, whereas for bad classifiers it is the other way round.
#
# ## Limits widen with the level
#
# The region grows with the level, so that the range of a metric in it cannot shrink. That is a theorem about the extremes, and a
# search may miss them: kappa and MCC of a dozen items may have several local extremes. Sparse random tables of four classes
# have 5 to 19 items in very unequal cells, and their limits are compared at eight levels from 62 % to nearly 100 %.

# %% tags=["hide-input"]
# Count the tables in which a limit steps back.
rng = np.random.default_rng([seed, 3])
lines = []
for kind in ("macro F1", "macro precision", "macro recall", "weighted F1", "kappa", "MCC"):
    number, largest = study.steps_back((AVERAGES | NAMED)[kind], 4, tables, rng)
    say(f"back-{key_of(kind)}", number)
    lines.append([kind, f"{number}", f"{max(largest, 0):.3f}"])
say("back-tried", tables)
show.table(
    ["metric", "tables with a step back", "largest step"],
    lines,
    numeric=(1, 2),
    caption="Limits that step back when the level rises. There should be none.",
)

# %% [markdown]
# Of {glue:text}`score-back-tried:,.0f` tables {glue:text}`score-back-macro-F1:.0f` have a limit of macro F1 that steps back,
# {glue:text}`score-back-kappa:.0f` have such a limit of kappa, and {glue:text}`score-back-MCC:.0f` of MCC.
#
# ## An example to follow by hand
#
# Two classes have 20 items each, of which 18 and 12 are right, so that macro recall is $(0.9 + 0.6) / 2 = 0.75$. The variance
# factor comes first. The slopes of macro recall at the observed shares $p$ are $(1 - \hat p_i) / (2 \cdot 0.5)$ for right items of a
# class with recall $\hat p_i$, and $-\hat p_i / (2 \cdot 0.5)$ for wrong ones. (There are 2 classes, each with a share of $0.5$.) They
# are $0.1$ and $-0.9$ in the first class, $0.4$ and $-0.6$ in the second.

# %%
# Compute the variance factor from the slopes.
p = np.array([[18, 2], [8, 12]]) / 40  # rows are true classes
e = np.array([[0.1, -0.9], [-0.6, 0.4]])  # slopes of macro recall
e = e / np.sqrt((p * e**2).sum())  # in units of their standard deviation
V = (p * e**4).sum() - 1 - (p * e**3).sum() ** 2
L = []
for axis in (1, 0):  # true classes, predicted classes
    zeta2 = (p * e**2).sum(axis=axis)  # the share of each class in the variance
    L.append((zeta2 * (1 - zeta2) / p.sum(axis=axis)).sum())
factor = 1 + max(0, max(L) - 0.75 * V) / 40
say("hand-true", L[0])
say("hand-predicted", L[1])
say("hand-v", V)
say("hand-factor", factor)

# %% [markdown]
# The true classes have $n L =$ {glue:text}`score-hand-true:.3f`, the predicted classes
# {glue:text}`score-hand-predicted:.3f`, and $n V =$ {glue:text}`score-hand-v:.3f`. So the factor, for which the larger $L$ counts, is
# $1 + ($ {glue:text}`score-hand-predicted:.3f` $- \tfrac34 \cdot$ {glue:text}`score-hand-v:.3f` $) / 40 =$
# {glue:text}`score-hand-factor:.4f`. Then six lines ask a general optimiser for the smallest and the largest macro recall in the
# region. They search over the logarithms of the $q_c$ without their sum, because macro recall does not change if all $q_c$
# are multiplied by one number; the region is then $\sum_c p_c^2 / q_c \cdot \sum_c q_c \le 1 + h$, with $h$ the factor times $z^2 / n$.


# %%
# Find the extremes of macro recall in the region by a general optimiser.
def extreme(h, sign):
    p = np.array([18, 2, 8, 12]) / 40
    region = {"type": "ineq", "fun": lambda x: 1 + h - (p**2 / np.exp(x)).sum() * np.exp(x).sum()}
    recalls = lambda q: np.array([q[0] / (q[0] + q[1]), q[3] / (q[2] + q[3])])  # noqa: E731
    value = lambda x: sign * recalls(np.exp(x)).mean()  # noqa: E731
    return sign * minimize(value, np.log(p), method="SLSQP", constraints=region, tol=1e-12).fun


# %%
# Show these extremes beside the limits of the package.
table = np.array([[18, 2], [8, 12]])
macro_recall = f1ci.metrics.get("macro_recall")
with_factor = f1ci.Matrix(table).interval(macro_recall)
bare = kernels.parts_of_limits(table[None], macro_recall, study.Z)["plain"]
lines = []
for name, key, f, ends in (
    ("with the factor", "hand", factor, tuple(with_factor)),
    ("without it", "hand-bare", 1.0, np.ravel(bare).tolist()),
):
    h = f * study.Z**2 / 40
    found = extreme(h, 1), extreme(h, -1)
    say(f"{key}-low", ends[0])
    say(f"{key}-high", ends[1])
    lines.append([name, "six lines", *(f"{end:.6f}" for end in found)])
    lines.append(["", "f1ci", *(f"{end:.6f}" for end in ends)])
show.table(
    ["limits", "computed by", "lower limit", "upper limit"],
    lines,
    numeric=(2, 3),
    caption=(
        "Limits of the worked example, by a general optimiser and by f1ci. Both find the ends "
        "of the same region."
    ),
)

# %% [markdown]
# So the limits are {glue:text}`score-hand-low:.4f` and {glue:text}`score-hand-high:.4f`; without the variance factor they would
# be {glue:text}`score-hand-bare-low:.4f` and {glue:text}`score-hand-bare-high:.4f`. Since ten items are wrong, there is no
# correction for one to three errors.
