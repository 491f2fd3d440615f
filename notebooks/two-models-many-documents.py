# %% [markdown]
# # Two models: the evidence
#
# Is model B better than model A? The methods are in [the chapter](/book/compare.md). This page measures how often the tests find a
# difference, also on the same documents, and ends with two ways to go wrong. Scores of one model over documents, images or patients
# are on [a page of their own](units-and-means.ipynb). Nothing on this page is from the papers.
#
# **In short.** An interval *covers* if it holds the true score. A 95 % interval should do so in a share of 0.95 of the samples.
#
# - Two models with the same score are told apart at the level 5 % in at most {glue:text}`compare-size-score:.3f` of the test sets by
#   the interval, and in {glue:text}`compare-size-exact:.3f` by the exact test of swaps; at the level 0.1 % in
#   {glue:text}`compare-tiny-score:.4f` and {glue:text}`compare-tiny-exact:.4f`.
# - Over {glue:text}`compare-pairs` pairs of models the interval of the difference covers {glue:text}`compare-pairs-mean:.3f` on average,
#   and {glue:text}`compare-pairs-worst:.3f` in the pair with the lowest coverage, measured again; {glue:text}`compare-pairs-hard:.3f` in one
#   that was searched for.
# - Plans for a power of {glue:text}`compare-power-wanted:.2f` give {glue:text}`compare-power-low:.3f` to
#   {glue:text}`compare-power-high:.3f`. (*Power* is the probability to find a difference that exists.)
# - For the difference of two models on the same documents our interval covers {glue:text}`compare-difference-logit:.3f` or more in six designs.
#
# ```python
# import f1ci
#
# test = f1ci.Labels(y_true, {"A": y_pred_a, "B": y_pred_b}).difference(margin=0.02)
# test.estimate, test.p_value, test.p_equivalent
# f1ci.Units({"A": counts_a, "B": counts_b}).difference()  # one row (tp, fp, fn) for each document
# ```

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of all intervals; the tests have size one minus it
test_sets: int = 2_000  # simulated test sets for each design of the tests
pairs: int = 60  # pairs of models whose difference is covered or not
pair_sets: int = 500  # simulated test sets for each pair
collections: int = 3_000  # simulated collections of documents for each design
experiments: int = 1_000  # simulated cross-validations
seed: int = 20261118  # root seed

# %%
# Import what the notebook uses and open the ledger.
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
streams = iter(np.random.SeedSequence(seed).spawn(8))
alpha = 1 - confidence_level
z = special.ndtri(1 - alpha / 2)
level = {"confidence_level": confidence_level}

# %% [markdown]
# ## One p-value, and McNemar's
#
# The p-value of a difference is one minus the level at which zero enters its interval. For accuracy there is a textbook test of
# the same question, McNemar's, so this is the place to see how near the two are. Of 200 items both models have 20 wrong.

# %%
# Compare our p-value of accuracy with three forms of McNemar's test.
only = np.array([(0, 6), (2, 8), (6, 16), (10, 20), (20, 36)])
rows = []
for (a, b), table in zip(only, comparisons.agreeing_but(*only.T, 200), strict=True):
    y, *models = labels(table.astype(int))
    ours = f1ci.Labels(y, dict(zip("AB", models, strict=True))).difference("accuracy").p_value
    textbook = comparisons.mcnemar(np.array(a), np.array(b))
    rows.append([str(a), str(b), *(f"{p:.4f}" for p in (ours, *textbook.values()))])
head = ["only A right", "only B right", "ours", *(f"McNemar, {name}" for name in textbook)]
show.table(
    head,
    rows,
    numeric=range(6),
    caption="p-values of the difference of two accuracies: ours, and three textbook tests.",
)

# %%
# Sum over all outcomes: how often do two models of one accuracy differ at the level?
rows = []
for n, share in ((50, 0.1), (100, 0.1), (100, 0.3), (500, 0.1)):
    only_a, only_b = np.indices((int(0.6 * n),) * 2).reshape(2, -1)
    chance = stats.multinomial(n, [share / 2, share / 2, 1 - share])
    chance = chance.pmf(np.stack([only_a, only_b, n - only_a - only_b], axis=1))
    likely = chance > 1e-9
    a, b, chance = only_a[likely], only_b[likely], chance[likely]
    drawn = comparisons.agreeing_but(a, b, n)
    low, high = difference_of(drawn, f1ci.metrics.accuracy).score_limits(z)
    differs = [(low > 0) | (high < 0), *(p <= alpha for p in comparisons.mcnemar(a, b).values())]
    rows.append((n, share, *(chance @ hits for hits in differs)))
sizes = np.array(rows)
say("compare-mcnemar-low", sizes[:, 2].min())
say("compare-mcnemar-high", sizes[:, 2].max())
say("compare-mcnemar-exact-low", sizes[:, 3].min())
say("compare-mcnemar-exact-high", sizes[:, 3].max())
say("compare-mcnemar-mid-low", sizes[:, 4].min())
say("compare-mcnemar-mid-high", sizes[:, 4].max())
show.table(
    ["items", "discordant", *head[2:]],
    [[f"{n:g}", f"{s:g}", *(f"{x:.4f}" for x in row)] for n, s, *row in rows],
    numeric=range(6),
    caption=(
        "How often two models of one accuracy differ at the level, by exact sums. At the level "
        "95 % it should be 0.05."
    ),
)

# %% [markdown]
# Our test differs at the level in {glue:text}`compare-mcnemar-low:.3f` to {glue:text}`compare-mcnemar-high:.3f` of the test sets, whereas the
# exact form of McNemar's test does so in {glue:text}`compare-mcnemar-exact-low:.3f` to {glue:text}`compare-mcnemar-exact-high:.3f`, and its mid-p
# form, which is recommended where the exact one is too careful, in {glue:text}`compare-mcnemar-mid-low:.3f` to {glue:text}`compare-mcnemar-mid-high:.3f`.

# %% tags=["remove-cell"]
# A picture for the chapter.
figure, axes = figures.subplots(height=1.6)
chart.disagreement(axes)
figures.save(figure, "two-models-many-documents-disagreement")

# %% [markdown]
# ## Size: how often equal models are called different
#
# The exact test of swaps keeps its size under **exchangeability**: swapping the two models'
# predictions on an item changes nothing in distribution. Equality of the two scores is a weaker
# condition, because one model may find more and be wrong more often, with the same F1. So the table has pairs
# of models with the same score in the population, of which some are exchangeable and some are not. The null
# hypothesis of the interval is equality of the scores itself, which it rejects if 0 lies outside.

# %%
# Count how often equal models are called different, at three levels.
generator = np.random.default_rng(next(streams))
LEVELS = (alpha, alpha / 5, alpha / 50)
f1, precision = f1ci.metrics.f1, f1ci.metrics.precision
designs = [
    (f1, n, comparisons.equal_pair(prevalence, score, 0.25, tilt))
    for n, prevalence, score, tilt in (
        (200, 0.3, 0.8, 0.0),
        (200, 0.3, 0.8, 0.5),
        (1_000, 0.1, 0.6, 0.8),
        (2_000, 0.3, 0.8, 0.8),
    )
]
designs += [
    (precision, n, comparisons.equal_precision(0.3, 0.885, recalls))
    for n, recalls in (
        (100, (0.9, 0.4)),
        (100, (0.97, 0.6)),
        (300, (0.9, 0.4)),
        (1_000, (0.9, 0.4)),
    )
]
rows = []
sizes = []
for metric, n, p in designs:
    drawn = comparisons.tables(p, n, test_sets, generator)
    by_swaps = p_values(drawn, metric.a, metric.b)
    ends = [difference_of(drawn, metric).score_limits(special.ndtri(1 - x / 2)) for x in LEVELS]
    by_interval = [np.mean((low > 0) | (high < 0)) for low, high in ends]
    sizes.append([by_interval, [np.mean(by_swaps <= x) for x in LEVELS]])
    recalls = [p[1].sum(axis=axis)[1] / p[1].sum() for axis in (1, 0)]
    row = [metric.name, f"{n:,}", "{:.2f}, {:.2f}".format(*recalls)]
    rows.append([*row, *(f"{x:.4f}" for x in np.ravel(sizes[-1]))])

# %%
# Show the sizes.
sizes = np.array(sizes)  # designs, interval and swaps, levels
for k, name in enumerate(("score", "exact")):
    say(f"compare-size-{name}", sizes[:, k, 0].max())
    say(f"compare-tiny-{name}", sizes[:, k, 2].max())
    say(f"compare-mean-{name}", sizes[:, k, 0].mean())
head = ["score", "items", "recalls of A, B"]
head += [f"{name}, {100 * x:g} %" for name in ("interval", "swaps") for x in LEVELS]
show.table(
    head,
    rows,
    numeric=(1, *range(3, 9)),
    caption=(
        "How often two models with the same score are called different, by the interval and by "
        "the exact test of swaps, at three levels."
    ),
)

# %% [markdown]
# The interval calls equal models different in {glue:text}`compare-size-score:.3f` of the test sets at most, and the exact test of swaps in
# {glue:text}`compare-size-exact:.3f`. At the smallest level the difference is plain: {glue:text}`compare-tiny-score:.4f` against
# {glue:text}`compare-tiny-exact:.4f`. If one model finds few of the positives, swaps would have to undo this, and the test rejects because
# recalls differ, although it was asked about precision. That is no fault of the test, whose null hypothesis is
# exchangeability; it is the wrong hypothesis for the question which score is higher.
#
# ## Coverage: how often the interval contains the true difference
#
# The pairs are drawn by a rule: three prevalences, three sizes, precision and recall from bad to nearly perfect, and errors that
# are shared by none, many or nearly all of the items. Each score has its worst pair, which is measured again with four times as
# many new test sets, because which pair is the worst is partly chance.

# %%
# Count how often three intervals contain the true difference.
generator = np.random.default_rng(next(streams))
SCORES = [f1ci.metrics.get(x) for x in ("f1", "precision", "recall", "macro_f1", "mcc")]
SCORES.insert(3, f1ci.metrics.fbeta(2))
WAYS = ("score", "logit", "delta")


def covered(p, n, metric, sets):
    """Return how often each interval contains the difference, and the mean lengths."""
    truth = metric.value(p.sum(axis=1)) - metric.value(p.sum(axis=2))
    sample = difference_of(comparisons.tables(p, n, sets, generator), metric)
    limits = [f1ci.methods.METHODS[way].limits(sample, z) for way in WAYS]
    return [np.mean(f1ci.coverage.covers(*x, truth)) for x in limits], limits


populations = comparisons.unlike_pairs(pairs, generator)
rows = []
of_score = []
for metric in SCORES:
    found = np.array([covered(p, n, metric, pair_sets)[0] for p, n in populations])
    again, _ = covered(*populations[found[:, 0].argmin()], metric, 4 * pair_sets)
    of_score.append([found[:, 0].mean(), found[:, 0].min(), again[0]])
    others = [f"{found[:, k].mean():.3f} / {found[:, k].min():.3f}" for k in (1, 2)]
    rows.append([metric.name, *(f"{x:.3f}" for x in of_score[-1]), *others])

# %%
# Show the coverage; one more pair was found by a search for designs that are covered badly.
hard = comparisons.joint_shares(0.03, np.array([0.95, 0.6]), np.array([0.1, 0.01]), 0.6)
say("compare-pairs-hard", covered(hard, 250, f1ci.metrics.fbeta(2), 20 * pair_sets)[0][0])
of_score = np.array(of_score)
say("compare-pairs", pairs)
say("compare-pairs-mean", of_score[:, 0].mean())
say("compare-pairs-lowest", of_score[:, 1].min())
say("compare-pairs-worst", of_score[:, 2].min())
show.table(
    ["score", "mean", "worst", "worst again", "logit: mean / worst", "delta: mean / worst"],
    rows,
    numeric=range(1, 6),
    caption="Coverage of 95 % intervals for the difference of two models on the same items.",
)

# %% [markdown]
# Our interval of the difference covers {glue:text}`compare-pairs-mean:.3f` on average, and {glue:text}`compare-pairs-worst:.3f` in the worst
# pair of the worst score, measured again. A search for bad designs found a pair that is covered less often: for the F2 score of 250
# items, of which 3 % are positive, where one model finds 0.95 of these and the other 0.6, the interval covers
# {glue:text}`compare-pairs-hard:.3f`.
#
# ## Power: does the plan hold?
#
# `f1ci.comparison_sample_size` takes the shares of discordant positives and negatives. (An item is *discordant* if
# exactly one model is right on it.) Here the pairs of models have this disagreement, and the difference that the plan is
# for. The interval is computed from as many items as the plan says; a difference is found if it excludes 0.

# %%
# Plan comparisons, and count how often the interval finds the difference.
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
        low, high = difference_of(drawn).score_limits(z)
        reached.append(float(np.mean((low > 0) | (high < 0))))
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
    drawn = [
        comparisons.two_collections(units, skewed, correlation, right, generator)
        for _ in range(max(collections // 3, 20))
    ]
    counts = np.moveaxis(drawn, 0, 2)  # both models, units, collections as if they were classes
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
# ## Two ways to go wrong
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
low, high = difference_of(pooled).score_limits(z)
rejections = {
    "t over folds": np.abs(mean) > limit * np.sqrt(1 / 10),
    "t over folds, corrected": np.abs(mean) > limit * np.sqrt(1 / 10 + 1 / 9),
    "interval, pooled predictions": (low > 0) | (high < 0),
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
# experiments. The interval on the pooled predictions finds one in {glue:text}`compare-cv-pooled:.3f`, which is
# worse, although pooled counts serve the interval of one score well. It compares the ten trained rules, of which one set may be
# luckier than the other, and not the two ways to train them. The corrected t test, with {glue:text}`compare-cv-corrected:.3f`, errs on the safe side. Ten
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
