# %% [markdown]
# # Score intervals: how often they hold the truth
#
# The [chapter](/book/score.md) derives one interval for every smooth metric. This page measures three things: how often
# the interval holds the true score, how long it is, and where it fails. One picture and two tables have the answers.
#
# **In short.** An interval *covers* if it holds the true score. Each interval here promises to cover in 95 % of the test sets.
#
# - In {glue:text}`score-designs:.0f` populations score intervals cover macro F1 {glue:text}`score-macro-F1-score-mean:.1f` % of the time on
#   average. In the worst of these populations, measured again, they cover {glue:text}`score-macro-F1-again:.1f` %.
# - The delta method (the estimate plus and minus 1.96 standard errors) covers {glue:text}`score-macro-F1-delta-mean:.1f` % on average,
#   and {glue:text}`score-macro-F1-delta-worst:.1f` % at worst.
# - A search for bad populations found {glue:text}`score-adversary-two-macro-F1:.1f` % for score intervals, with two classes and 40 items.
#
# Every population comes from a rule that was written down before the algorithm was tuned. All random streams are
# seeded. In each population {glue:text}`score-replicates:,.0f` test sets are drawn. A coverage of 0.95 then has a
# standard error of {glue:text}`score-error:.3f`. The lowest of many such numbers is too low. So the three populations with the
# lowest numbers are measured again, in {glue:text}`score-again:,.0f` fresh test sets each (standard error {glue:text}`score-error-again:.4f`).

# %% tags=["parameters"]
designs: int = 60  # populations for averages of several classes
pairs: int = 60  # pairs of models
replicates: int = 400  # test sets from each population
again: int = 3_000  # test sets from each population that is measured again
tables: int = 500  # sparse tables whose limits should widen with the level
search_steps: int = 10  # how finely the grid of the search is stepped
seed: int = 20261119  # root of all random streams

# %% tags=["remove-cell"]
# Import what the notebook uses and open the ledger.
import numpy as np
from compendium import figures, ledger, show

import f1ci
from notebooks.shared import coverage_study as study
from notebooks.shared import score_designs
from notebooks.shared.kernels import Settings

# `say` keeps a number for the text, which quotes it by name.
page = ledger.open("score-intervals")


def say(key, value):
    """Keep a number for the text of this page and of the chapter."""
    page.say(f"score-{key}", value)


say("error", np.sqrt(0.95 * 0.05 / replicates))
say("error-again", np.sqrt(0.95 * 0.05 / again))
say("replicates", replicates)
say("again", again)

# %% [markdown]
# ## The idea in a picture
#
# Every point of the map is a classifier: the shares of its relevant items that are false positives and
# false negatives. On each grey line F(2) has one value; F(2) is the F score that weighs recall more than precision. Our
# test set has 30 true positives, 6 false positives and 12 false negatives. Take the likeliest point of each line. The score
# interval holds the lines whose likeliest point lies in the region that Pearson's statistic does not reject.

# %%
# Compute how far each classifier is from the counts, and the likeliest classifier of each score.
counts = (30, 6, 12)
a, b = 0.2, 0.8  # the weights of F(2)
fp, fn = np.meshgrid(np.linspace(0.01, 0.39, 200), np.linspace(0.05, 0.6, 200))
tp = 1 - fp - fn
observed = np.array(counts) / sum(counts)
distance = sum(o * o / p for o, p in zip(observed, (tp, fp, fn), strict=True)) - 1
interval = f1ci.Matrix([[0, 6], [12, 30]]).interval(f1ci.metrics.fbeta(2))
path = [score_designs.likeliest(counts, a, b, f) for f in np.linspace(*interval, 60)]

# %% mystnb={"image": {"alt": "A map of classifiers. Across, the share of false positives among the relevant items; up, the share of false negatives. Grey lines mark equal F2 scores. An egg-shaped region around the observed point holds the classifiers that fit the data. A curve through the observed point joins the likeliest point of each line, and leaves the region at two dots, the limits."}, "figure": {"caption": "The limits of F(2) are where the curve of likeliest classifiers leaves the region that fits the data.", "name": "fig-score-map"}}
# Draw the map: lines of equal F(2), what fits the data, and the limits.
figure, axis = figures.subplots(height=4.4)
scores = np.arange(0.5, 0.95, 0.1)
levels = axis.contour(
    fp, fn, tp / (tp + a * fp + b * fn), scores, colors=figures.COLOURS["grey"], linewidths=0.8
)
# The name of each line stands on it, at these shares of false positives.
beside = np.array([0.34, 0.34, 0.34, 0.34, 0.1])
above = (1 - beside - scores * (1 - beside * (1 - a))) / (1 - scores * (1 - b))
axis.clabel(levels, fmt="F(2) = %.1f", manual=list(zip(beside, above, strict=True)))
region = [0, study.Z**2 / sum(counts)]
axis.contourf(fp, fn, distance, region, colors=[figures.COLOURS["blue"]], alpha=0.25)
axis.plot(*np.transpose(path)[1:], color=figures.COLOURS["blue"])
axis.plot(*observed[1:], "x", color="black")
axis.plot(*np.transpose(path)[1:, [0, -1]], "o", color=figures.COLOURS["vermilion"])
line = {"arrowstyle": "-", "linewidth": 0.8}
low_end, high_end = np.transpose(path)[1:, [0, -1]].T
for text, place, words_at in (
    (f"lower limit: {interval.low:.2f}", low_end, (0.02, 0.46)),
    (f"upper limit:\n{interval.high:.2f}", high_end, (0.014, 0.165)),
    ("observed", observed[1:], (0.015, 0.25)),
    ("likeliest classifier\nof each line", path[45][1:], (0.19, 0.08)),
):
    axis.annotate(text, place, words_at, va="center", arrowprops=line)
axis.text(0.17, 0.27, "fits the data")
axis.text(0.2, 0.53, "too far from the data")
axis.set(xlabel="FP, share of the relevant items", ylabel="FN, share of the relevant items")
figures.save(figure, "score-intervals-idea")

# %% [markdown]
# ## The populations
#
# - **First rule**: 3 to 20 classes and 50 to 1000 items, from bad to nearly perfect classifiers. All shares are random.
# - **Grid**: 3, 6 or 10 classes. The classes have one size, or sizes $1, 1/2, 1/3, \dots$, or one class is rare. Of the items
#   50, 80, 95 or 99 % are right. Errors are spread evenly, or over neighbouring classes.
# - **Mixture**: 2 to 16 classes and four rules for errors. All errors of a class go to the next class; all errors go to the
#   first class; the table expects 1 to 6 errors; or every row is random.
# - **Majority**: 2, 3 or 5 classes whose items are mostly taken for the largest class.
#
# The smallest class expects three items or more. The truth is the score of the population. A test set counts only if
# every class has a score in it. A population counts if at least half of its test sets do.
#
# Metrics of two classes have other populations. *Named* populations have 30, 50 or 100 items. *Rare positives* have 10, 30 or
# 50 % positives. Lift, the positive likelihood ratio (LR+) and net benefit are among the metrics, because a perfect
# classifier has no fixed value of them.

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
say("named-designs", len(two_classes))


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
METHODS = {"score": "score", "logit": "logit", "delta": "delta"}


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
    for method, result in found.items():
        say(f"{key_of(name)}-{method}-mean", result.mean)
        say(f"{key_of(name)}-{method}-worst", result.worst)
    say(f"{key_of(name)}-again", least)
    say(f"{key_of(name)}-kept", ours.kept)
    length = ours.over(found["delta"])
    say(f"{key_of(name)}-length", length)
    rivals = [
        f"{found[method].mean:.1f} / {found[method].worst:.1f}" for method in ("logit", "delta")
    ]
    cells = [f"{ours.mean:.1f} / {least:.1f}", ours.tails, f"{ours.kept:.0f}"]
    return [name, *cells, *rivals, "" if np.isnan(length) else f"{length:.2f}"]


# %% [markdown]
# ## What was found
#
# All intervals have the level 95 %. The columns:
#
# - **score**: mean coverage / the worst measured again, in per cent;
# - **above / below**: intervals that lie above the truth, and below it, in per cent (nominal $2.5$ each);
# - **kept**: the share of populations that are covered between 93 and 98 %, in per cent;
# - **logit**, **delta**: mean / worst coverage of these methods (not measured again);
# - **length**: the median length over delta's, where delta covers 94 % or more.

# %% tags=["hide-input"]
# Measure coverage and length of each kind of score.
lines, results = [], {}
for kind, metric in AVERAGES.items():
    results[kind] = study.coverage(several, metric, METHODS, replicates, seed)
    least = study.again(several, results[kind]["score"], metric, again, seed)
    lines.append(keep(kind, results[kind], least))
for kind, metric in NAMED.items():
    populations = three_classes if kind == "kappa" else two_classes
    results[kind] = study.coverage(populations, metric, METHODS, replicates, seed)
    least = study.again(populations, results[kind]["score"], metric, again, seed)
    lines.append(keep(kind, results[kind], least))
for name in ("f1", "precision", "recall"):
    kind = f"paired {name}".replace("f1", "F1")
    results[kind], least = study.pairs(metrics.get(name), pairs, replicates, seed)
    lines.append(keep(kind, results[kind], least))
head = ["metric", "score", "above / below", "kept", "logit", "delta", "length"]
show.table(head, lines, numeric=range(1, 7))

# %% tags=["remove-cell"]
# Keep extremes and tails for the text.
named = [results[kind]["score"] for kind in NAMED]
say("named-mean-least", min(result.mean for result in named))
say("named-mean-most", max(result.mean for result in named))
say("average-mean-least", min(results[kind]["score"].mean for kind in AVERAGES))
say("average-mean-most", max(results[kind]["score"].mean for kind in AVERAGES))
tails = results["macro F1"]["score"]
say("macro-above", 100 * np.nanmean(tails.above))
say("macro-below", 100 * np.nanmean(tails.below))

# %% [markdown]
# Intervals for averages lie below the truth more often than above it. For macro F1
# {glue:text}`score-macro-above:.1f` % of the intervals lie above the truth, and {glue:text}`score-macro-below:.1f` % lie
# below it. So the *lower* limit errs less often than the upper limit.

# %% mystnb={"image": {"alt": "Six panels, one for each kind of score: coverage in all populations, sorted, for delta, logit and score intervals. Score intervals run along the line at 95 per cent in every panel, and above it in the last populations. The others fall far below it in many populations, delta most often."}, "figure": {"classes": "fits", "caption": "Coverage of nominal 95 % intervals in the populations of each kind, sorted for each method. What lies below 70 % is cut off.", "name": "fig-score-atlas"}}
# Draw the coverage of each population, sorted.
LOOKS = {"delta": ("vermilion", "--"), "logit": ("green", "-."), "score": ("blue", "-")}
figure, axes = figures.subplots(3, 2, height=6.6, sharex=True, sharey=True)
figure.set_figwidth(4.8)
shown = ("macro F1", "macro precision", "macro recall", "weighted F1", "MCC", "paired F1")
for axis, kind in zip(axes.flat, shown, strict=True):
    axis.axhline(0.95, color=figures.COLOURS["grey"], linewidth=1)
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
figure.legend(handles, names, loc="outside lower center", ncols=3)
figures.save(figure, "score-intervals-atlas")

# %% [markdown]
# ## What each part does
#
# The algorithm has four parts: an equation, a factor that raises $z^2$ (*the line*), a bias, and room for one to three
# errors. Each part
# except the equation is left out in turn, in the same test sets. *Lang* is the equation alone {cite:p}`lang2008`. The table has
# the mean / the worst coverage in per cent (not measured again), and the median length over that of the whole algorithm.

# %% tags=["hide-input"]
# Leave out one part at a time, and measure coverage and length.
PARTS = {
    "whole": Settings(),
    "no line": Settings(largest_factor=1.0),
    "no bias": Settings(bias=False),
    "no room": Settings(few=0.0),
    "Lang": Settings(largest_factor=1.0, bias=False, few=0.0),
}
some = [population for population in several if len(population[0]) <= 10][::2]
lines = {name: [name] for name in PARTS}
for kind in ("macro F1", "macro precision", "macro recall", "weighted F1"):
    found = study.coverage(some, AVERAGES[kind], PARTS, replicates // 2, seed + 2)
    for name, result in found.items():
        say(f"part-{key_of(kind)}-{key_of(name)}-mean", result.mean)
        say(f"part-{key_of(kind)}-{key_of(name)}-worst", result.worst)
        length = np.nanmedian(result.length / found["whole"].length)
        say(f"part-{key_of(kind)}-{key_of(name)}-length", length)
        lines[name].append(f"{result.mean:.1f} / {result.worst:.1f} ({length:.2f})")
head = ["algorithm", "macro F1", "macro precision", "macro recall", "weighted F1"]
say("part-designs", len(some))
show.table(head, list(lines.values()), numeric=range(1, 5))

# %% [markdown]
# ## One table, three questions
#
# The same 120 items give three intervals for macro F1. What would be random if the test were made again? It may be all
# items, the predictions within classes of fixed size, or twenty documents of six items each. In these documents errors
# come together.

# %% mystnb={"image": {"alt": "Three horizontal intervals for macro F1 around one estimate, one below the other: items at random, class sizes fixed, documents at random. The interval for documents is the longest."}, "figure": {"classes": "fits", "caption": "Limits of macro F1 from one table, under three ways of sampling.", "name": "fig-score-sampling"}}
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
# **Fixed class sizes.** These test sets have a fixed number of items in each class, in every twelfth population of the
# grid. The table has the mean / the worst coverage in per cent. The worst numbers are not measured again, so they are too
# low.

# %% tags=["hide-input"]
# Measure coverage with fixed class sizes.
lines = []
for kind in ("macro F1", "macro precision"):
    rows = [
        score_designs.fixed_rows(population, AVERAGES[kind], replicates // 2, seed)
        for population in score_designs.grid()[::12]
    ]
    line = [kind]
    for place, name in enumerate(("random", "rows")):
        covered = 100 * np.array(rows)[:, place]
        say(f"fixed-{key_of(kind)}-{name}-mean", covered.mean())
        line.append(f"{covered.mean():.1f} / {covered.min():.1f}")
    lines.append(line)
show.table(["metric", "the default", 'fixed="rows"'], lines, numeric=(1, 2))

# %% [markdown]
# ## Two exact sums
#
# **A search for the worst population.** A list of populations may miss the bad ones. So an optimiser looks for them, for
# macro F1 of two classes and 40 items, with at least 3 expected items in each class. Coverage is an exact sum over all
# tables.
#
# **One-sided limits.** A one-sided 95 % limit says "F1 is at least the lower limit", or "F1 is at most the upper limit".
# Each sentence should be true in 95 of 100 test sets. Given $v$ relevant items the chances are exact.

# %% tags=["hide-input"]
# Search for the worst population, and sum the chances of one-sided limits.
cells, least = study.worst_of_two_classes(metrics.macro_f1, 40, search_steps)
say("adversary-two-macro-F1", 100 * least)
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
show.table(head, lines, numeric=range(4))

# %% [markdown]
# In the worst population found, macro F1 is covered {glue:text}`score-adversary-two-macro-F1:.1f` % of the time.
# For good classifiers "at least" is true often enough on average, and "at most" is not. For bad classifiers it is the
# other way round.
#
# ## Limits widen with the level
#
# A higher level should give wider limits. That is measured, not proved. Sparse random tables of three classes have 5 to 59
# items in very unequal cells. Their limits are compared at eight levels from 62 % to nearly 100 %.

# %% tags=["hide-input"]
# Count the tables in which a limit steps back.
rng = np.random.default_rng([seed, 3])
lines = []
for kind in ("macro F1", "macro precision", "macro recall", "weighted F1", "kappa"):
    number, largest = study.steps_back({**AVERAGES, **NAMED}[kind], 3, tables, rng)
    say(f"back-{key_of(kind)}", number)
    say(f"back-{key_of(kind)}-largest", largest)
    lines.append([kind, f"{number}", f"{max(largest, 0):.3f}"])
say("back-tried", tables)
show.table(["metric", "tables with a step back", "largest step"], lines, numeric=(1, 2))

# %% [markdown]
# Of {glue:text}`score-back-tried:,.0f` tables {glue:text}`score-back-macro-F1:.0f` have a limit of macro F1 that steps back, and
# {glue:text}`score-back-kappa:.0f` have such a limit of kappa. In such tables the equation has several solutions, because
# several empty cells compete for what is left. The rounds may then find another one at another level.
#
# ## An example to follow by hand
#
# Two classes have 20 items each, of which 18 and 12 are right. Macro recall is $(0.9 + 0.6) / 2 = 0.75$. We look for its
# lower limit. The first round takes the slopes at the observed recalls $\hat p_i$: $(1 - \hat p_i) / (2 \cdot 0.5)$ for right
# items and $-\hat p_i / (2 \cdot 0.5)$ for wrong items. (There are 2 classes, each with a share of $0.5$.) The slopes are $0.1$
# and $-0.9$ in the first class, $0.4$ and $-0.6$ in the second.
#
# The squared slopes of all items of the first true class sum to $18 \cdot 0.1^2 + 2 \cdot 0.9^2 = 1.80$, and to $4.80$ in the
# second. So $\zeta^2$ is $0.273$ and $0.727$, and the line of the true classes is $1 + 0.198 / 20 + 0.198 / 20 = 1.0198$, where
# $0.198 = 0.273 \cdot 0.727$. The predicted classes have 26 and 14 items, whose squared slopes sum to $3.06$ and $3.54$. So their
# $\zeta^2$ is $0.464$ and $0.536$, and their line is $1 + 0.2487 / 26 + 0.2487 / 14 = 1.0273$. The larger line counts. With
# $f z^2 = 1.0273 \cdot 3.8415 = 3.946$ the equation is
#
# $$
# \frac{18}{43.946 + 0.1 \mu} + \frac{2}{43.946 - 0.9 \mu} + \frac{12}{43.946 + 0.4 \mu} + \frac{8}{43.946 - 0.6 \mu} = 1 .
# $$
#
# Its positive root is $\mu = 27.55$. The four terms are $0.3854$, $0.1044$, $0.2183$ and $0.2918$. So the recalls are
# $0.3854 / 0.4898 = 0.787$ and $0.2183 / 0.5101 = 0.428$. The next round takes the slopes at these recalls. The table has
# six rounds; the numbers above are its first row.

# %%
# Follow the rounds to the lower limit.
table = np.array([[18.0, 2.0], [8.0, 12.0]])  # rows are true classes
z2, q = study.Z**2, table / 40
lines = []
for step in range(1, 7):
    # 1. The slopes of the mean recall, for right and for wrong items of each class.
    recall = np.diag(q) / q.sum(axis=1)
    slopes = (np.eye(2) - recall[:, None]) / (2 * 0.5)
    # 2. The larger line, of true (axis 1) and of predicted classes (axis 0).
    line = 1.0
    for axis in (1, 0):
        zeta2 = (q * slopes**2).sum(axis=axis) / (q * slopes**2).sum()
        line = max(line, 1 + (zeta2 * (1 - zeta2) / (40 * q.sum(axis=axis))).sum())
    # 3. The multiplier mu of the lower limit, by bisection.
    centred = slopes - (table * slopes).sum() / 40
    low, high = 0.0, (40 + line * z2) / -centred.min()
    for _ in range(80):
        mu = (low + high) / 2
        q = table / (40 + line * z2 + mu * centred)
        low, high = (mu, high) if q.sum() < 1 else (low, mu)
    recall = np.diag(q) / q.sum(axis=1)
    lines.append([f"{step}", f"{line:.4f}", f"{mu:.3f}", *(f"{x:.4f}" for x in recall)])
    lines[-1].append(f"{recall.mean():.4f}")

# %%
# Keep the limits for the text, and show the rounds.
limits = f1ci.Matrix([[18, 2], [8, 12]]).interval("macro_recall")
for place, row in enumerate(lines[:3], start=1):
    say(f"hand-{place}", float(row[-1]))
say("hand-low", limits.low)
say("hand-high", limits.high)
show.table(["round", "line", "mu", "recall 1", "recall 2", "mean"], lines, numeric=range(6))

# %% [markdown]
# After three rounds the mean does not move any more. The package has the lower limit {glue:text}`score-hand-low:.4f`. The
# negative root of the equation leads to the upper limit {glue:text}`score-hand-high:.4f`.
