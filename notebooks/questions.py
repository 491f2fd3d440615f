# %% [markdown]
# # Questions people ask about F1 and confidence
#
# From public threads, each with an answer in numbers, and with the recipe that circulates beside
# what that recipe does. **Coverage** is how often a {glue:text}`questions-level` interval holds the true
# score; it should be close to {glue:text}`questions-level`. It is exact where it says so, by summing over all
# tables of counts, and else simulated, with its standard error.
#
# | what people do | covers | better |
# |:--|--:|:--|
# | [take F1 for a proportion of all n items](#question-interval) | {glue:text}`questions-of-n` | `f1_interval` |
# | [add two and four, to F1](#question-plus-four) | {glue:text}`questions-plus-four` | `f1_interval` |
# | [take macro F1 for one, too](#question-macro) | {glue:text}`questions-macro` | `average="macro"` |
# | [pool the spans of all documents](#question-documents) | {glue:text}`questions-spans` | `clustered_interval` |
# | [count pixels for Dice](#question-dice) | {glue:text}`questions-pixels` | `clustered_interval` |
# | [flatten several labels per item](#question-multilabel) | {glue:text}`questions-flat` | indicators, as they are |
# | [bootstrap a near-perfect score](#question-perfect) | {glue:text}`questions-bootstrap` | `f1_interval` |
# | [t interval over ten folds](#question-folds), {glue:text}`questions-folds-times` times as long | {glue:text}`questions-folds` | pool the folds' counts |
# | [tune the threshold on the test set](#question-threshold) | {glue:text}`questions-tuned` | tune elsewhere |
#
# These are coverages in one setting each, given below; in others the recipes do better or worse.

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of all intervals
replicates: int = 20_000  # simulated test sets for each setting
comparisons: int = 2_000  # simulated comparisons of two models
seed: int = 20261119  # root seed

# %%
import warnings

import numpy as np
from compendium import figures, ledger, show
from scipy import special, stats
from shared.kernels import p_values

import f1ci

say = ledger.open("questions").say
alpha = 1 - confidence_level
z = special.ndtri(1 - alpha / 2)
say("questions-level", f"{100 * confidence_level:g} %")
streams = iter(np.random.SeedSequence(seed).spawn(8))


def design(prevalence, f1):
    """Probabilities of TP, of FP and FN together, and of TN, if precision and recall are equal."""
    return [prevalence * f1, 2 * prevalence * (1 - f1), 1 - prevalence * (2 - f1)]


def rate(hits, count):
    """A simulated share with its standard error."""
    share = float(np.mean(hits))
    return f"{share:.3f} ± {np.sqrt(share * (1 - share) / count):.3f}"


def f1_of(tp, wrong):
    with np.errstate(invalid="ignore"):
        return 2 * tp / (2 * tp + wrong)


# %% [markdown]
# (question-interval)=
# ## How do I get a confidence interval for F1?
#
# [Asked](https://stats.stackexchange.com/questions/359242)
# [many](https://stats.stackexchange.com/questions/363382)
# [times](https://github.com/scikit-learn/scikit-learn/issues/21007). `f1ci.f1_interval(tp, fp, fn)`.
# The recipe that circulates takes F1 for a proportion of the $n$ items:
# $F_1 \pm z \sqrt{F_1 (1 - F_1) / n}$, or Wilson's interval with $n$ trials. But true negatives
# say nothing about F1. Only $v = \mathrm{TP} + \mathrm{FP} + \mathrm{FN}$ items do, and if positives are
# rare, these are few. Exact coverage for test sets of 500:


# %%
def of_n(counts):
    """F1 as a proportion of all items."""
    f1, n = f1_of(counts[:, 0], counts[:, 1]), counts.sum(axis=1)
    half = z * np.sqrt(f1 * (1 - f1) / n)
    return f1 - half, f1 + half


def wilson_of_n(counts):
    """Wilson's interval for F1 times n successes in n trials."""
    f1, n = f1_of(counts[:, 0], counts[:, 1]), counts.sum(axis=1)
    middle = (f1 + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(f1 * (1 - f1) / n + z**2 / (4 * n**2))
    return middle - half, middle + half


def plus_four(counts):
    """Two successes and two failures more, as if F1 were a proportion of all items."""
    f1, n = f1_of(counts[:, 0], counts[:, 1]), counts.sum(axis=1)
    shifted = (n * f1 + 2) / (n + 4)
    half = z * np.sqrt(shifted * (1 - shifted) / (n + 4))
    return shifted - half, shifted + half


def plus_two_each(counts):
    """Two more true positives, false positives and false negatives each, and then Wald."""
    tp, wrong = counts[:, 0] + 2, counts[:, 1] + 4
    return tuple(f1ci.f1_interval(tp, wrong, 0, method="wald", confidence_level=confidence_level))


def score(counts):
    """The default."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.UndefinedMetricWarning)  # some have nothing relevant
        return tuple(
            f1ci.f1_interval(counts[:, 0], counts[:, 1], 0, confidence_level=confidence_level)
        )


def exactly(recipe, n, prevalence, f1):
    return f1ci.coverage.exact(n, design(prevalence, f1), method=recipe, truth=f1)


settings = [(500, 0.05, 0.8), (500, 0.2, 0.8), (500, 0.5, 0.8), (500, 0.2, 0.95)]


def exact_table(recipes):
    found = {(r, s): exactly(r, *s) for s in settings for r in recipes.values()}
    rows = [
        [
            f"{100 * s[1]:g} %",
            f"{s[2]:g}",
            *(f"{found[r, s].coverage:.3f}" for r in recipes.values()),
        ]
        for s in settings
    ]
    head = ["positives", "true F1", *recipes]
    return found, show.table(head, rows, numeric=range(len(head)))


found, table = exact_table({"F1 of n": of_n, "Wilson of n": wilson_of_n, "f1_interval": score})
say("questions-of-n", f"{found[of_n, settings[0]].coverage:.2f}")
say("questions-relevant", f"{500 * 0.05 * (2 - 0.8):.0f}")
say("questions-of-n-best", found[of_n, settings[2]].coverage)
say("questions-score-worst", min(found[score, s].coverage for s in settings))
table

# %% [markdown]
# With 5 % positives only about {glue:text}`questions-relevant` of the 500 items count, and the recipe covers
# {glue:text}`questions-of-n`; with 50 % it is {glue:text}`questions-of-n-best:.2f`. The score interval covers
# {glue:text}`questions-score-worst:.3f` or more in all four.
#
# (question-plus-four)=
# ## Can I add two successes and two failures?
#
# "Plus four" is a good trick for a proportion, and is
# [carried on from recall to F1](https://stats.stackexchange.com/questions/363382), sometimes under Wilson's
# name. But F1 is not a proportion of independent trials, so what would the four be added to? To the $n$ items; or to
# those of precision and of recall, which makes two more of each count. Exactly:

# %%
found, table = exact_table(
    {"plus four, of n": plus_four, "two more TP, FP, FN": plus_two_each, "f1_interval": score}
)
say("questions-plus-four", f"{found[plus_four, settings[0]].coverage:.2f}")
two_each = [found[plus_two_each, s].coverage for s in settings]
say("questions-plus-two-low", min(two_each))
say("questions-plus-two-high", max(two_each))
table

# %% [markdown]
# Added to all $n$ items it changes nothing about the error above ({glue:text}`questions-plus-four`). Added to each
# count it does better, from {glue:text}`questions-plus-two-low:.3f` to {glue:text}`questions-plus-two-high:.3f`; it
# is worst for high scores, which it pulls down. Use the score interval: it is Wilson's own, for the right trials.
#
# (question-better)=
# ## Is model B better than A? Their intervals overlap
#
# The [commonest](https://stats.stackexchange.com/questions/431713)
# [question](https://datascience.stackexchange.com/questions/80921). Overlapping intervals do not mean that the
# models do not differ, and neither does an
# [unpaired test](https://github.com/EleutherAI/lm-evaluation-harness/pull/3868): both forget that the models
# saw the same items. Two models, 500 items, simulated: how often does each way find a difference?


# %%
def pair(gain):
    """Cells by truth, A and B; `gain` moves disagreement in favour of B."""
    return np.array(
        [
            [[0.63, 0.02 - gain], [0.02 + gain, 0.03]],
            [[0.03, 0.03 + 1.5 * gain], [0.03 - 1.5 * gain, 0.21]],
        ]
    )


def by_model(cells):
    """TP, and FP and FN together, of A and of B."""
    for axis in (3, 2):
        counts = cells.sum(axis=axis)  # truth, prediction
        yield counts[:, 1, 1], counts[:, 0, 1] + counts[:, 1, 0]


def three_ways(p, n, generator):
    drawn = generator.multinomial(n, p.ravel(), comparisons).reshape(-1, 2, 2, 2)
    a, b = (
        f1ci.f1_interval(tp, wrong, 0, confidence_level=confidence_level)
        for tp, wrong in by_model(drawn)
    )
    apart = (a.high < b.low) | (b.high < a.low)
    error = np.hypot(a.standard_error, b.standard_error)
    unpaired = np.abs(b.estimate - a.estimate) > z * error
    exact = p_values(drawn) <= alpha
    return {"intervals do not overlap": apart, "unpaired test": unpaired, "difference_test": exact}


generator = np.random.default_rng(next(streams))
equal = three_ways(pair(0.0), 500, generator)
p_better = pair(0.004)
gap = float(np.diff([f1_of(*(x[0] for x in counts)) for counts in by_model(p_better[None])])[0])
better = three_ways(p_better, 500, generator)
say("questions-gap", gap)
say("questions-overlap-power", float(better["intervals do not overlap"].mean()))
say("questions-unpaired-power", float(better["unpaired test"].mean()))
say("questions-power", float(better["difference_test"].mean()))
say("questions-missed", 1 - float(better["difference_test"].mean()))
rows = [[name, rate(equal[name], comparisons), rate(better[name], comparisons)] for name in equal]
head = ["finds a difference", "equal models", f"B better by {gap:.3f}"]
show.table(head, rows, numeric=(1, 2))

# %% [markdown]
# Where B is better by {glue:text}`questions-gap:.3f`, the overlap rule finds it in
# {glue:text}`questions-overlap-power:.3f` of the test sets, the unpaired test in
# {glue:text}`questions-unpaired-power:.2f`, the paired one in {glue:text}`questions-power:.2f`. More on
# [two models](/book/compare.md).
#
# (question-equal)=
# ## The difference is not significant. Are the models equal?
#
# [No](https://github.com/EleutherAI/lm-evaluation-harness/issues/3831). In the last table B is truly better,
# and {glue:text}`questions-missed:.2f` of the test sets miss it. To claim that two models are as good as
# each other, say which difference does not matter, and test that:

# %%
axes_of = np.indices((2, 2, 2)).reshape(3, -1)
typical = np.rint(500 * p_better.ravel()).astype(int)  # as many in each cell as expected
y_true, y_pred_a, y_pred_b = np.repeat(axes_of, typical, axis=1)
test = f1ci.difference_test(
    y_true, y_pred_a, y_pred_b, margin=0.03, confidence_level=confidence_level
)
say("questions-example-p", f"{test.p_value:.2g}")
say("questions-example-equivalent", f"{test.p_equivalent:.2g}")
say("questions-example-low", test.interval.low)
say("questions-example-high", test.interval.high)
test

# %% [markdown]
# For a test set that is just like its population the p-value of a difference is {glue:text}`questions-example-p`, that of equivalence within
# the margin is {glue:text}`questions-example-equivalent`, and B minus A may be anything from
# {glue:text}`questions-example-low:.3f` to {glue:text}`questions-example-high:.3f`. The interval says it best.

# %% mystnb={"image": {"alt": "The interval of B minus A as one line with a dot at the estimate, a vertical line at zero, and a shaded band around zero: the margin. The interval begins left of zero, inside the band, and ends right of the band, where B is better. The verdict in words stands below."}, "figure": {"classes": "fits", "caption": "The interval of the difference against zero and against the margin (shaded).", "name": "fig-questions-difference"}}
figure, axes = figures.subplots(height=1.7)
figure.set_figwidth(4.8)  # as wide as a phone
f1ci.plot.difference(test, ax=axes)
figures.save(figure, "questions-difference")

# %% [markdown]
# (question-macro)=
# ## What about macro and weighted F1 of imbalanced classes?
#
# [Asked](https://github.com/jacobgil/confidenceinterval/issues/2)
# [of](https://github.com/jacobgil/confidenceinterval/pull/9)
# [packages](https://github.com/sepandhaghighi/pycm/issues/237). Two recipes: average the end points of the classes'
# intervals; or take macro F1 for a proportion of n. Three classes, 90 %, 5 % and 5 % of 500 items:

# %%
share = np.array([0.9, 0.05, 0.05])
confusion = share[:, None] * np.array([[0.96, 0.02, 0.02], [0.2, 0.75, 0.05], [0.15, 0.1, 0.75]])
truth = float(f1ci.metrics.macro_f1.value(confusion))


def class_intervals(tables):
    """Every class's interval."""
    right = np.einsum("bii->bi", tables)
    wrong = tables.sum(axis=1) + tables.sum(axis=2) - 2 * right
    return f1ci.f1_interval(right, wrong, 0, confidence_level=confidence_level)


def averaged_ends(tables):
    low, high = class_intervals(tables)
    return low.mean(axis=1), high.mean(axis=1)


def macro_of_n(tables):
    value = np.asarray(class_intervals(tables).estimate).mean(axis=1)
    half = z * np.sqrt(value * (1 - value) / tables.sum(axis=(1, 2)))
    return value - half, value + half


def macro_score(tables):
    return tuple(f1ci.metric_interval(tables, "macro_f1", confidence_level=confidence_level))


ways = {"ends averaged": averaged_ends, "a proportion of n": macro_of_n, '"macro"': macro_score}
rows = []
for name, way in ways.items():
    study = f1ci.coverage.simulate(
        500, confusion, method=way, truth=truth, replicates=replicates, rng=next(streams)
    )
    rows.append(
        [name, f"{study.coverage:.3f} ± {study.coverage_error:.3f}", f"{study.expected_length:.3f}"]
    )
    say(f"questions-macro-{len(rows)}", float(study.coverage))
    say(f"questions-macro-length-{len(rows)}", float(study.expected_length))
    if name == "a proportion of n":
        say("questions-macro", f"{study.coverage:.2f}")
show.table(["macro F1", "coverage", "mean length"], rows, numeric=(1, 2))

# %% [markdown]
# Errors of different classes partly cancel in a mean. Averaged ends are therefore too long
# ({glue:text}`questions-macro-length-1:.3f` instead of {glue:text}`questions-macro-length-3:.3f`), and the
# proportion is far too short. Use `f1_score_interval(..., average="macro")`, or `"weighted"`.
#
# (question-micro)=
# ## Why is micro F1 the same as accuracy?
#
# [Because](https://github.com/sepandhaghighi/pycm/issues/346) every wrong item is one false positive and one false
# negative. So its interval is that of a proportion, and other programs have it. It is not so if an item may
# have several labels, or if a class is left out of the average.

# %%
kinds = np.repeat(["a", "b", "c"], [50, 30, 20])
said = np.concatenate([np.repeat(["a", "b", "c"], n) for n in ([40, 6, 4], [3, 25, 2], [2, 2, 16])])
micro = f1ci.f1_score_interval(kinds, said, average="micro", confidence_level=confidence_level)
wilson = stats.binomtest(int((kinds == said).sum()), len(kinds)).proportion_ci(
    confidence_level, method="wilson"
)
assert np.allclose((micro.low, micro.high), wilson, rtol=0, atol=1e-12)
show.table(
    ["", "low", "high"],
    [
        ["micro F1, f1ci", f"{micro.low:.6f}", f"{micro.high:.6f}"],
        ["accuracy, Wilson, SciPy", f"{wilson.low:.6f}", f"{wilson.high:.6f}"],
    ],
    numeric=(1, 2),
)

# %% [markdown]
# (question-documents)=
# ## My spans come in documents. Does that matter?
#
# [Yes](https://github.com/maziyarpanahi/openmed/issues/298). If some documents are hard and some easy, spans of one
# document are [not independent](https://github.com/UKGovernmentBEIS/inspect_ai/issues/1251). Twenty documents of
# ten spans, with a correlation of 3/10 between spans of one document, true F1 4/5:

# %%
true_f1 = 0.8
true_share = true_f1 / (2 - true_f1)


def units(number, size, correlation, count, generator):
    """TP, FP and FN of shape (units, count, 3): `count` data sets of documents or images."""
    strength = (1 - correlation) / correlation
    right = generator.beta(true_share * strength, (1 - true_share) * strength, (number, count))
    tp = generator.binomial(size, right)
    fp = generator.binomial(size - tp, 0.5)
    return np.stack([tp, fp, size - tp - fp], axis=-1)


def pooled_and_by_unit(number, size, correlation, count, generator):
    """Coverage and length of the two intervals."""
    counts = units(number, size, correlation, count, generator)
    pooled = f1ci.f1_interval(
        *np.moveaxis(counts.sum(axis=0), -1, 0), confidence_level=confidence_level
    )
    by_unit = f1ci.clustered_interval(counts, confidence_level=confidence_level)
    return [
        (np.mean((x.low <= true_f1) & (true_f1 <= x.high)), np.mean(x.length))
        for x in (pooled, by_unit)
    ]


def unit_table(names, found, count):
    rows = [
        [name, f"{c:.3f} ± {np.sqrt(c * (1 - c) / count):.3f}", f"{length:.3f}"]
        for name, (c, length) in zip(names, found, strict=True)
    ]
    return show.table(["interval", "coverage", "mean length"], rows, numeric=(1, 2))


count = replicates // 2
generator = np.random.default_rng(next(streams))
found = pooled_and_by_unit(20, 10, 0.3, count, generator)
say("questions-spans", f"{found[0][0]:.2f}")
say("questions-documents", found[1][0])
unit_table(["spans pooled, f1_interval", "clustered_interval"], found, count)

# %% [markdown]
# Give the counts of each document: coverage is then {glue:text}`questions-documents:.3f`. More in
# [many documents](/book/compare.md).
#
# (question-dice)=
# ## Is Dice the same as F1? What is its interval for segmentation?
#
# The Dice coefficient is F1 with pixels as items, and IoU is the Jaccard index. But pixels of one image are
# anything but independent: [images are the units](https://github.com/torchgeo/torchgeo-bench/pull/165). Thirty images with
# 10,000 relevant pixels each, and a correlation of only 1/20:

# %%
found = pooled_and_by_unit(30, 10_000, 0.05, count, generator)
say("questions-pixels", f"{found[0][0]:.2f}")
say("questions-images", found[1][0])
unit_table(["pixels pooled, f1_interval", "images, clustered_interval"], found, count)

# %% [markdown]
# And which Dice? *Pooled* Dice adds up the pixels of all images, so large objects count most. *Mean* Dice is the
# mean of the images' scores. They answer different questions; `average="samples"` is for means. Images with a
# large object found well, and a small one found badly:

# %%
images = np.array(
    [[9_000, 500, 500], [8_800, 700, 400], [60, 50, 70], [9_200, 300, 600], [40, 30, 90]]
)
pooled_dice = f1ci.clustered_interval(images, confidence_level=confidence_level)
mean_dice = f1ci.clustered_interval(
    images[:, None], average="samples", confidence_level=confidence_level
)
say("questions-pooled-dice", pooled_dice.estimate)
say("questions-mean-dice", mean_dice.estimate)
rows = [
    [name, f"{x.estimate:.3f}", f"{x.low:.3f} to {x.high:.3f}"]
    for name, x in {"pooled Dice": pooled_dice, "mean Dice": mean_dice}.items()
]
show.table(["", "estimate", "interval"], rows, numeric=(1, 2))

# %% [markdown]
# [Detection](https://github.com/cocodataset/cocoapi/issues/572) is the same: count matched, spurious and missed boxes for
# each image. [Recipes](/book/recipes.md) for spans, boxes and masks.
#
# (question-multilabel)=
# ## My items have several labels
#
# [Asked here](https://github.com/jacobgil/confidenceinterval/issues/13). Give the indicators as they are. To flatten
# them into one long list of ones and zeros takes the labels of one item for independent. A hundred items
# with eight relevant labels each, correlation 1/5:

# %%
found = pooled_and_by_unit(100, 8, 0.2, count, generator)
say("questions-flat", f"{found[0][0]:.2f}")
say("questions-indicators", found[1][0])
unit_table(["flattened, f1_interval", "item by item"], found, count)

# %%
truth_of = np.array(
    [[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
)  # of the thread
guess_of = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
rows = []
for average in ("micro", "macro", "weighted", "samples"):
    x = f1ci.f1_score_interval(
        truth_of, guess_of, average=average, confidence_level=confidence_level
    )
    rows.append([average, f"{x.estimate:.3f}", f"{x.low:.3f} to {x.high:.3f}"])
show.table(["the six items of that thread", "F1", "interval"], rows, numeric=(1, 2))

# %% [markdown]
# (question-perfect)=
# ## My score is perfect. What is the interval?
#
# [Not a point](https://github.com/NVIDIA/garak/issues/2033). Resampling a perfect test set gives perfect test sets. Twenty
# relevant items, all right:


# %%
def bootstrap(counts):
    """Percentiles of infinitely many resamples of the relevant items."""
    tp, wrong = counts.T
    v = tp + wrong
    ends = (stats.binom.ppf(q, v, tp / v) / v for q in (alpha / 2, 1 - alpha / 2))
    return tuple(2 * end / (1 + end) for end in ends)


ends = {"bootstrap": [float(end[0]) for end in bootstrap(np.array([[20, 0]]))]}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", f1ci.DegenerateVarianceWarning)
    for method in ("wald", "score", "clopper_pearson"):
        ends[method] = f1ci.f1_interval(20, 0, 0, method=method, confidence_level=confidence_level)
say("questions-perfect-low", ends["score"].low)
rows = [[name, "{:.3f} to {:.3f}".format(*x)] for name, x in ends.items()]
show.table(["20 of 20 right", "interval"], rows, numeric=(1,))

# %% [markdown]
# And if the true F1 is 19/20, exactly:

# %%

high_f1 = 0.95
high_share = high_f1 / (2 - high_f1)
ways = {"bootstrap": bootstrap, "f1_interval": score}
rows = []
for name, way in ways.items():
    x = f1ci.coverage.exact(20, [high_share, 1 - high_share], method=way, truth=high_f1)
    rows.append([name, f"{x.coverage:.3f}", f"{x.degeneracy:.3f}"])
    say(f"questions-{name}".replace("_", "-"), f"{x.coverage:.2f}")
show.table(["20 relevant items", "coverage", "share without length"], rows, numeric=(1, 2))

# %% [markdown]
# Twenty perfect items are compatible with an F1 of {glue:text}`questions-perfect-low:.2f`.
#
# (question-items)=
# ## How many items do I need?
#
# [Asked](https://github.com/EvolvingLMMs-Lab/lmms-eval/pull/1007) [often](https://github.com/EleutherAI/lm-evaluation-harness/issues/4017).
# The rule for polls, {glue:text}`questions-poll` for a half width of five points, counts all items; for F1 positives
# count. Exact mean half widths at a true F1 of 4/5:

# %%
poll = int(np.ceil(z**2 / 4 / 0.05**2))
say("questions-poll", poll)
rows = []
for prevalence in (0.5, 0.2, 0.05):
    plan = f1ci.sample_size(
        "f1", half_width=0.05, prevalence=prevalence, confidence_level=confidence_level
    )
    half = [exactly(score, n, prevalence, 0.8).expected_length / 2 for n in (poll, plan.total)]
    rows.append([f"{100 * prevalence:g} %", f"{half[0]:.3f}", f"{plan.total:,}", f"{half[1]:.3f}"])
show.table(
    ["positives", f"half width with {poll} items", "items by sample_size", "half width with these"],
    rows,
    numeric=range(4),
)

# %% [markdown]
# (`sample_size` guarantees the width for every classifier; a good one gets a narrower interval.) To compare
# two models, plan with `difference=`.
#
# (question-folds)=
# ## Can I use the mean and standard deviation of ten folds?
#
# [Asked of scikit-learn](https://github.com/scikit-learn/scikit-learn/issues/12730). Two things go wrong. Folds share training
# data, so that a t test finds too many differences; that is
# [measured here](/notebooks/two-models-many-documents.ipynb). And a fold has few positives, so that the mean of the folds' F1 is
# not the F1 of all. Even for a rule that is not trained at all, 200 items, 10 % positive, F1 4/5:

# %%
generator = np.random.default_rng(next(streams))
cells = design(0.1, true_f1)
drawn = generator.multinomial(20, cells, (replicates, 10))
fold_f1 = np.nan_to_num(f1_of(drawn[..., 0], drawn[..., 1]))  # scikit-learn has 0 if undefined
middle = fold_f1.mean(axis=1)
half = stats.t.ppf(1 - alpha / 2, 9) * fold_f1.std(axis=1, ddof=1) / np.sqrt(10)
covered = np.abs(middle - true_f1) <= half
say("questions-folds-mean", float(middle.mean()))
low, high = score(drawn.sum(axis=1))
times = 2 * half.mean() / np.mean(high - low)
say("questions-folds", f"{covered.mean():.2f}")
say("questions-folds-times", f"{times:.1f}")
pooled = (low <= true_f1) & (true_f1 <= high)
rows = [
    [
        "t interval over ten folds",
        rate(covered, replicates),
        f"{middle.mean():.3f}",
        f"{2 * half.mean():.3f}",
    ],
    [
        "counts of all folds added up, f1_interval",
        rate(pooled, replicates),
        f"{np.mean(f1_of(*drawn.sum(axis=1)[:, :2].T)):.3f}",
        f"{np.mean(high - low):.3f}",
    ],
]
show.table(["", "coverage", "mean estimate", "mean length"], rows, numeric=(1, 2, 3))

# %% [markdown]
# The folds' mean is {glue:text}`questions-folds-mean:.3f` on average. Add up the counts; or, to compare models with
# the luck of training in it, use [`bcv_partitions` and `bayes_test`](/book/wangli.md).
#
# (question-threshold)=
# ## Can I choose the threshold that gives the best F1?
#
# Yes, on other items. The best F1 over all thresholds on the test set is too high, and so is its
# interval. Simulated with 30 % positives, whose scores are higher by 3/2 standard deviations:


# %%
def tuned(n, generator):
    """Reported minus true F1, and coverage: threshold from the test set, or from as many others."""
    y = generator.random((2, count, n)) < 0.3
    x = generator.standard_normal(y.shape) + 1.5 * y
    order = np.argsort(-x, axis=-1)
    tp = np.cumsum(np.take_along_axis(y, order, -1), axis=-1)
    positives = y.sum(axis=-1, keepdims=True)
    best = (2 * tp / (np.arange(1, n + 1) + positives))[0].argmax(axis=-1)
    threshold = np.take_along_axis(x[0], order[0], -1)[np.arange(count), best]
    found = 0.3 * stats.norm.sf(threshold - 1.5)
    true = 2 * found / (0.3 + found + 0.7 * stats.norm.sf(threshold))
    results = []
    for labels, scores in zip(y, x, strict=True):
        said = scores >= threshold[:, None]
        right = (labels & said).sum(axis=-1)
        interval = f1ci.f1_interval(
            right, (labels ^ said).sum(axis=-1), 0, confidence_level=confidence_level
        )
        held = (interval.low <= true) & (true <= interval.high)
        results.append((float(np.mean(interval.estimate - true)), held))
    return results


count = replicates // 10
generator = np.random.default_rng(next(streams))
rows = []
for n in (100, 500):
    for name, (optimism, held) in zip(
        ("the test set itself", "other items"), tuned(n, generator), strict=True
    ):
        rows.append([f"{n}", name, f"{optimism:+.3f}", rate(held, count)])
        if n == 100 and name != "other items":
            say("questions-tuned", f"{held.mean():.2f}")
show.table(
    ["test items", "threshold from", "reported minus true F1", "coverage"], rows, numeric=(0, 2, 3)
)

# %% [markdown]
# The same goes for the best of many checkpoints, prompts or seeds.
#
# ## And then?
#
# [A report in five minutes](/notebooks/five-minutes.ipynb), [recipes](/book/recipes.md), and
# [which method when](/notebooks/choosing-a-method.ipynb). Curves (ROC, precision and recall over all thresholds) are
# left out here; [scikit-learn discusses them](https://github.com/scikit-learn/scikit-learn/issues/25856).
