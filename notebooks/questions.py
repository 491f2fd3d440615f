# %% [markdown]
# # Questions people ask about F1 and confidence
#
# The questions are from public threads. Each has a short answer, a line of code, and a test of the recipe that
# people pass on to each other. *Coverage* is the share of test sets whose {glue:text}`questions-level` interval holds the true score.
# It should be close to {glue:text}`questions-level`. "Exact" coverage is a sum over all tables of counts. All other
# coverage is simulated, and has its standard error beside it. Unfold *Show the code* to see how. The code needs only
# `f1ci` (`pip install .` in a clone of the repository), and matplotlib for one figure.
#
# | what people do | covers | better |
# |:--|--:|:--|
# | [treat F1 as a proportion of all n items](#question-interval) | {glue:text}`questions-of-n` | `f1_interval` |
# | [add two successes and two failures to F1](#question-plus-four) | {glue:text}`questions-plus-four` | `f1_interval` |
# | [treat macro F1 as a proportion of all n items](#question-macro) | {glue:text}`questions-macro` | `average="macro"` |
# | [pool the spans of all documents](#question-documents) | {glue:text}`questions-spans` | `Units` |
# | [count pixels for Dice](#question-dice) | {glue:text}`questions-pixels` | `Units` |
# | [flatten several labels per item](#question-multilabel) | {glue:text}`questions-flat` | give the table of labels |
# | [bootstrap a near-perfect score](#question-perfect) | {glue:text}`questions-bootstrap` | `f1_interval` |
# | [t interval over ten folds](#question-folds), {glue:text}`questions-folds-times:.1f` times as long | {glue:text}`questions-folds` | pool the folds' counts |
# | [tune the threshold on the test set](#question-threshold) | {glue:text}`questions-tuned` | tune on other items |
# | [bootstrap the gap between groups](#question-group) that are alike | {glue:text}`questions-gap-bootstrap` | `Labels(..., by=)` |
# | [look again and again](#question-looks), and stop at will | {glue:text}`questions-looks-score` | `method="anytime"` |
#
# Each coverage is for one setting, which its section states. In other settings the recipes do better or worse.

# %% tags=["parameters", "show-input"]
confidence_level: float = 0.95  # level of all intervals
replicates: int = 20_000  # simulated test sets for each setting
comparisons: int = 2_000  # simulated comparisons of two models
seed: int = 20261119  # root seed

# %% tags=["show-input"]
import warnings

import numpy as np
from scipy import special, stats

import f1ci

warnings.simplefilter("ignore", f1ci.IntervalWarning)  # some simulated test sets are odd

# %% tags=["hide-input"]
# Prepare the quantile, the random streams and the ways to count.
from f1ci.data.items import Items  # the inner modules answer for thousands of tables at once
from f1ci.samples import difference

alpha = 1 - confidence_level
z = special.ndtri(1 - alpha / 2)
streams = iter(np.random.SeedSequence(seed).spawn(10))


def f1_of(tp, wrong):
    """Return F1; nan without a relevant item."""
    with np.errstate(invalid="ignore"):
        return 2 * tp / (2 * tp + wrong)


def rate(hits):
    """Return a simulated share with its standard error."""
    share = np.mean(hits)
    return f"{share:.3f} ± {np.sqrt(share * (1 - share) / len(hits)):.3f}"


# %% tags=["remove-cell"]
# The text of the page quotes numbers by name. Your own notebook does not need this.
try:
    from compendium import ledger

    say = ledger.open("questions").say
except ImportError:

    def say(key, value):
        """Do nothing outside the book."""


def quote(**values):
    """Keep numbers for the text."""
    for name, value in values.items():
        say(f"questions-{name.replace('_', '-')}", value)


quote(level=f"{100 * confidence_level:g} %")

# %% [markdown]
# (question-interval)=
# ## How do I get a confidence interval for F1?
#
# People ask this of statisticians ([1](https://stats.stackexchange.com/questions/359242),
# [2](https://stats.stackexchange.com/questions/363382)) and of
# [scikit-learn](https://github.com/scikit-learn/scikit-learn/issues/21007). From counts, or from labels:

# %% tags=["show-input"]
print(f1ci.f1_interval(tp=77, fp=44, fn=10))
print(f1ci.f1_score_interval([1, 1, 1, 0, 0, 1] * 20, [1, 1, 0, 0, 1, 1] * 20))

# %% [markdown]
# The common recipe treats F1 as a proportion of all $n$ items. The recipe takes $F_1 \pm z \sqrt{F_1 (1 - F_1) / n}$, or Wilson's
# interval with $n$ trials. But true negatives do not affect F1. Only the *relevant items* do, and there are
# $v = \mathrm{TP} + \mathrm{FP} + \mathrm{FN}$ of them. If positives are rare, $v$ is small. Exact coverage for test sets
# of 500 items, at several shares of positives and true F1 scores:

# %% tags=["hide-input"]
# Write the recipes that people use.
settings = [(500, 0.05, 0.8), (500, 0.2, 0.8), (500, 0.5, 0.8), (500, 0.2, 0.95)]


def score(counts):
    """Return the limits of the default, from counts of TP and of errors."""
    tp, wrong = counts[:, 0], counts[:, 1]
    return tuple(f1ci.f1_interval(tp, wrong, 0, confidence_level=confidence_level))


def of_n(counts):
    """Return the limits of F1 as a proportion of all items."""
    f1 = f1_of(counts[:, 0], counts[:, 1])
    n = counts.sum(axis=1)
    half = z * np.sqrt(f1 * (1 - f1) / n)
    return f1 - half, f1 + half


def wilson_of_n(counts):
    """Return Wilson's limits for F1 times n successes in n trials."""
    f1 = f1_of(counts[:, 0], counts[:, 1])
    n = counts.sum(axis=1)
    middle = (f1 + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(f1 * (1 - f1) / n + z**2 / (4 * n**2))
    return middle - half, middle + half


# %% tags=["hide-input"]
# Compute the exact coverage of each recipe.
def exactly(recipe, n, prevalence, f1):
    """Return exact coverage and length, if precision and recall are equal."""
    cells = [prevalence * f1, 2 * prevalence * (1 - f1), 1 - prevalence * (2 - f1)]
    return f1ci.coverage.exact(n, cells, method=recipe, truth=f1)


def exact_coverage(**recipes):
    """Print the coverage of each recipe in each setting, and return it."""
    print(f"{'positives':9}  {'true F1':7}  ", "  ".join(f"{name:>12}" for name in recipes))
    found = {}
    for setting in settings:
        _, prevalence, f1 = setting
        for name, recipe in recipes.items():
            found[name, setting] = exactly(recipe, *setting).coverage
        numbers = "  ".join(f"{found[name, setting]:12.3f}" for name in recipes)
        print(f"{prevalence:9.0%}  {f1:7}  ", numbers)
    return found


found = exact_coverage(f1_of_n=of_n, wilson_of_n=wilson_of_n, f1_interval=score)

# %% tags=["remove-cell"]
quote(of_n=f"{found['f1_of_n', settings[0]]:.2f}", of_n_best=found["f1_of_n", settings[2]])
quote(relevant=f"{500 * 0.05 * (2 - 0.8):.0f}")
quote(score_worst=min(found["f1_interval", s] for s in settings))

# %% [markdown]
# With 5 % positives about {glue:text}`questions-relevant` of the 500 items are relevant, and the recipe covers
# {glue:text}`questions-of-n`. With 50 % it covers {glue:text}`questions-of-n-best:.2f`. The Wilson score interval covers
# {glue:text}`questions-score-worst:.3f` or more in all four settings.
#
# (question-plus-four)=
# ## Can I add two successes and two failures?
#
# "Plus four" is a good trick for a proportion. People
# [also use it for F1](https://stats.stackexchange.com/questions/363382), sometimes under Wilson's
# name. But F1 is not a proportion of independent trials. So it is not clear where to add the four trials. Some add them
# to the $n$ items. Others add them to precision and to recall, which adds two to each count. Exact coverage:


# %% tags=["hide-input"]
# Compute the coverage with two successes and two failures added.
def plus_four(counts):
    """Return limits with two more successes and failures, as if F1 were a proportion of all items."""
    f1 = f1_of(counts[:, 0], counts[:, 1])
    n = counts.sum(axis=1)
    shifted = (n * f1 + 2) / (n + 4)
    half = z * np.sqrt(shifted * (1 - shifted) / (n + 4))
    return shifted - half, shifted + half


def plus_two_each(counts):
    """Return Wald's limits with two more true positives, false positives and false negatives."""
    tp, wrong = counts[:, 0] + 2, counts[:, 1] + 4
    return tuple(f1ci.f1_interval(tp, wrong, 0, method="wald", confidence_level=confidence_level))


found = exact_coverage(four_of_n=plus_four, two_of_each=plus_two_each, f1_interval=score)

# %% tags=["remove-cell"]
quote(plus_four=f"{found['four_of_n', settings[0]]:.2f}")
two_each = [found["two_of_each", s] for s in settings]
quote(plus_two_low=min(two_each), plus_two_high=max(two_each))

# %% [markdown]
# Adding to the $n$ items does not cure the error above ({glue:text}`questions-plus-four`). Adding to each
# count gives {glue:text}`questions-plus-two-low:.3f` to {glue:text}`questions-plus-two-high:.3f`. High scores have the
# lowest coverage, because the trick pulls them down. Use `f1_interval`: it is Wilson's own interval, with the right trials.
#
# (question-better)=
# ## Is model B better than A? Their intervals overlap
#
# This is the most common question ([1](https://stats.stackexchange.com/questions/431713),
# [2](https://datascience.stackexchange.com/questions/80921)). Overlapping intervals do not mean that the
# models are equal. An [unpaired test](https://github.com/EleutherAI/lm-evaluation-harness/pull/3868) that finds no
# difference does not mean it either. Both ignore that the models saw the same items. Compare the models item by item:

# %% tags=["show-input"]
y_true = [1] * 50 + [0] * 50
y_pred_a = [1] * 30 + [0] * 70
y_pred_b = [1] * 36 + [0] * 56 + [1] * 2 + [0] * 6
f1ci.Labels(y_true, {"A": y_pred_a, "B": y_pred_b}).difference()

# %% [markdown]
# How often does each way find a difference? We simulate two models on 500 items, first equal models and then a
# better B:


# %% tags=["hide-input"]
# Draw two models' answers, and compute intervals from tables of them.
def pair(gain):
    """Return probabilities by truth, A and B; `gain` moves disagreement in favour of B."""
    negative = [[0.63, 0.02 - gain], [0.02 + gain, 0.03]]
    positive = [[0.03, 0.03 + 1.5 * gain], [0.03 - 1.5 * gain, 0.21]]
    return np.array([negative, positive])


def scores(tables):
    """Return the intervals of A and of B."""
    by_model = (tables.sum(axis=axis) for axis in (3, 2))
    level = {"confidence_level": confidence_level}
    return [f1ci.f1_interval(m[:, 1, 1], m[:, 0, 1], m[:, 1, 0], **level) for m in by_model]


def excludes_zero(tables):
    """Tell for each table of counts if the interval of the difference excludes zero."""
    codes = np.indices((2, 2, 2)).reshape(3, -1)
    items = Items(codes, tables.reshape(-1, 8).T, None, (0, 1), 2)
    low, high = difference(f1ci.metrics.f1, items).score_limits(z)
    return (low > 0) | (high < 0)


# %% tags=["hide-input"]
# Find a difference in three ways.
def three_ways(p, generator):
    """Find a difference in three ways."""
    drawn = generator.multinomial(500, p.ravel(), comparisons).reshape(-1, 2, 2, 2)
    a, b = scores(drawn)
    error = np.hypot(a.standard_error, b.standard_error)
    return {
        "intervals do not overlap": (a.high < b.low) | (b.high < a.low),
        "unpaired test": np.abs(b.estimate - a.estimate) > z * error,
        "paired test": excludes_zero(drawn),
    }


# %% tags=["hide-input"]
# Simulate two models, and compare their intervals.
generator = np.random.default_rng(next(streams))
p_better = pair(0.004)
a, b = scores(np.rint(1e6 * p_better[None]).astype(int))
gap = float(b.estimate[0] - a.estimate[0])
equal, better = three_ways(pair(0.0), generator), three_ways(p_better, generator)
print(f"{'finds a difference':25} {'equal models':16} B better by {gap:.3f}")
for name in equal:
    print(f"{name:25} {rate(equal[name]):16} {rate(better[name])}")

# %% tags=["remove-cell"]
power = {name: hits.mean() for name, hits in better.items()}
quote(gap=gap, overlap_power=power["intervals do not overlap"])
quote(unpaired_power=power["unpaired test"], power=power["paired test"])
quote(missed=1 - power["paired test"])

# %% [markdown]
# B is better by {glue:text}`questions-gap:.3f`. The share of test sets in which the two intervals do not overlap is
# {glue:text}`questions-overlap-power:.3f`. The unpaired test finds the difference in a share of
# {glue:text}`questions-unpaired-power:.2f` of the test sets, and the paired test in {glue:text}`questions-power:.2f`. The chapter on
# [two models](/book/compare.md) has more.
#
# (question-equal)=
# ## The difference is not significant. Are the models equal?
#
# [No](https://github.com/EleutherAI/lm-evaluation-harness/issues/3831). In the last table B is truly better,
# and a share of {glue:text}`questions-missed:.2f` of the test sets does not show it. To claim that two models are
# equally good, first say which difference does not matter (the *margin*), and test that. A typical test set from above:

# %% tags=["show-input"]
typical = np.array([315, 8, 12, 15, 15, 18, 12, 105])  # by truth, A and B: 000, 001, ... 111
kinds = np.indices((2, 2, 2)).reshape(3, -1)
y_true, y_pred_a, y_pred_b = np.repeat(kinds, typical, axis=1)
two = f1ci.Labels(y_true, {"A": y_pred_a, "B": y_pred_b})
test = two.difference(margin=0.03, confidence_level=confidence_level)
test

# %% tags=["remove-cell"]
assert np.array_equal(typical, np.rint(500 * p_better.ravel()))
quote(example_p=f"{test.p_value:.2g}", example_equivalent=f"{test.p_equivalent:.2g}")
quote(example_low=test.interval.low, example_high=test.interval.high)

# %% [markdown]
# The test of a difference has the p-value {glue:text}`questions-example-p`. The test of equivalence within
# the margin has the p-value {glue:text}`questions-example-equivalent`. So the data show neither a difference nor equivalence. The interval is clearer:
# B minus A may be anything from {glue:text}`questions-example-low:.3f` to {glue:text}`questions-example-high:.3f`. The
# figure shows the same:

# %% tags=["show-input"] mystnb={"image": {"alt": "The interval of B minus A as one line with a dot at the estimate, a vertical line at zero, and a shaded band around zero: the margin. The interval begins left of zero, inside the band, and ends right of the band, where B is better. The verdict in words stands below."}, "figure": {"caption": "The interval of the difference against zero and against the margin (shaded).", "name": "fig-questions-difference"}}
axes = f1ci.plot.difference(test)

# %% [markdown]
# (question-macro)=
# ## What about macro and weighted F1 of imbalanced classes?
#
# People ask packages for this ([1](https://github.com/jacobgil/confidenceinterval/issues/2),
# [2](https://github.com/jacobgil/confidenceinterval/pull/9),
# [3](https://github.com/sepandhaghighi/pycm/issues/237)). Use the average's own interval:

# %% tags=["show-input"]
species = ["cat", "dog", "dog", "owl", "cat", "owl", "dog", "cat"] * 30
guesses = ["cat", "dog", "cat", "owl", "cat", "dog", "dog", "cat"] * 30
print(f1ci.f1_score_interval(species, guesses, average="macro"))
print(f1ci.f1_score_interval(species, guesses, average="weighted"))

# %% [markdown]
# Two recipes are common. One averages the end points of the classes'
# intervals. The other treats macro F1 as a proportion of $n$. We simulate three classes with 90 %, 5 % and 5 % of
# 500 items:

# %% tags=["hide-input"]
# Write three ways to an interval of macro F1.
share = np.array([0.9, 0.05, 0.05])
confusion = share[:, None] * np.array([[0.96, 0.02, 0.02], [0.2, 0.75, 0.05], [0.15, 0.1, 0.75]])
truth = float(f1ci.metrics.macro_f1.value(confusion))


def class_intervals(tables):
    """Return every class's interval."""
    right = np.einsum("bii->bi", tables)
    wrong = tables.sum(axis=1) + tables.sum(axis=2) - 2 * right
    return f1ci.f1_interval(right, wrong, 0, confidence_level=confidence_level)


def averaged_ends(tables):
    """Average the end points."""
    low, high = class_intervals(tables)
    return low.mean(axis=1), high.mean(axis=1)


def macro_of_n(tables):
    """Return the limits of macro F1 as a proportion of all items."""
    value = np.asarray(class_intervals(tables).estimate).mean(axis=1)
    half = z * np.sqrt(value * (1 - value) / tables.sum(axis=(1, 2)))
    return value - half, value + half


def macro_score(tables):
    """Return the limits of the default."""
    return tuple(f1ci.Matrix(tables).interval("macro_f1", confidence_level=confidence_level))


# %% tags=["hide-input"]
# Simulate the three ways.
ways = {
    "ends averaged": averaged_ends,
    "a proportion of n": macro_of_n,
    'average="macro"': macro_score,
}
studies = {
    name: f1ci.coverage.simulate(
        500, confusion, method=way, truth=truth, replicates=replicates, rng=next(streams)
    )
    for name, way in ways.items()
}
print(f"{'macro F1':18} {'coverage':16} mean length")
for name, study in studies.items():
    print(
        f"{name:18} {study.coverage:.3f} ± {study.coverage_error:.3f}    {study.expected_length:.3f}"
    )

# %% tags=["remove-cell"]
quote(macro=f"{studies['a proportion of n'].coverage:.2f}")
for name, study in (("1", studies["ends averaged"]), ("3", studies['average="macro"'])):
    quote(**{f"macro_length_{name}": study.expected_length})

# %% [markdown]
# The averaged end points are too far apart: the mean length is {glue:text}`questions-macro-length-1:.3f` instead of
# {glue:text}`questions-macro-length-3:.3f`. The interval for a proportion of $n$ is much too short.
#
# (question-micro)=
# ## Why is micro F1 the same as accuracy?
#
# Every wrong item is one false positive and one false negative
# ([asked here](https://github.com/sepandhaghighi/pycm/issues/346)). So micro F1 is the share of right items. Its interval is that
# of a proportion, and other programs have it. Micro F1 differs from accuracy if an item
# may have several labels, or if the average leaves out a class.

# %% tags=["show-input"]
truth_of = np.repeat(["a", "b", "c"], [50, 30, 20])
guess_of = np.concatenate(
    [np.repeat(["a", "b", "c"], n) for n in ([40, 6, 4], [3, 25, 2], [2, 2, 16])]
)
print(f1ci.f1_score_interval(truth_of, guess_of, average="micro"))
wilson = stats.binomtest(int((truth_of == guess_of).sum()), 100).proportion_ci(method="wilson")
print(f"accuracy, Wilson's interval by SciPy: {wilson.low:.3f} to {wilson.high:.3f}")

# %% [markdown]
# (question-documents)=
# ## My spans come in documents. Does that matter?
#
# [Yes](https://github.com/maziyarpanahi/openmed/issues/298). If some documents are hard and some easy, spans of one
# document are [not independent](https://github.com/UKGovernmentBEIS/inspect_ai/issues/1251). Give the counts of each
# document:

# %% tags=["show-input"]
counts = [[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3], [6, 0, 0], [1, 3, 4]]
print(f1ci.Units(counts).interval())  # tp, fp, fn of each document

# %% [markdown]
# We simulate twenty documents of ten spans. The correlation of spans of one document is 0.3, and the true F1 is 0.8:

# %% tags=["hide-input"]
# Simulate documents, pooled and by document.
true_f1 = 0.8
count = max(replicates // 20, 20)


def units(number, size, correlation, generator):
    """Draw TP, FP and FN, shape (units, count, 3): `count` data sets of documents or images."""
    strength, share = (1 - correlation) / correlation, true_f1 / (2 - true_f1)
    right = generator.beta(share * strength, (1 - share) * strength, (number, count))
    tp = generator.binomial(size, right)
    fp = generator.binomial(size - tp, 0.5)
    return np.stack([tp, fp, size - tp - fp], axis=-1)


def pooled_or_by_unit(number, size, correlation, generator):
    """Print and return the coverage of both intervals."""
    counts = units(number, size, correlation, generator)
    level = {"confidence_level": confidence_level}
    pooled = f1ci.f1_interval(*np.moveaxis(counts.sum(axis=0), -1, 0), **level)
    by_unit = f1ci.Units(counts).interval(average=None, **level)
    hits = [interval.covers(true_f1) for interval in (pooled, by_unit)]
    for name, held, x in zip(("pooled", "by unit"), hits, (pooled, by_unit), strict=True):
        print(f"{name:8} covers {rate(held)}, mean length {np.mean(x.length):.3f}")
    return [held.mean() for held in hits]


generator = np.random.default_rng(next(streams))
spans, documents = pooled_or_by_unit(20, 10, 0.3, generator)

# %% tags=["remove-cell"]
quote(spans=f"{spans:.2f}", documents=documents)

# %% [markdown]
# From the counts of each document, the interval has a coverage of {glue:text}`questions-documents:.3f`. The chapter on
# [units](/book/units.md) has more.
#
# (question-dice)=
# ## Is Dice the same as F1? What is its interval for segmentation?
#
# The Dice coefficient is F1 with pixels as items, and IoU is the Jaccard index. But pixels of one image are
# alike, so [images are the units](https://github.com/torchgeo/torchgeo-bench/pull/165). We simulate thirty images with
# 10,000 relevant pixels each, and a correlation of only 0.05:

# %% tags=["hide-input"]
# Simulate images.
pixels, _ = pooled_or_by_unit(30, 10_000, 0.05, generator)

# %% [markdown]
# There are two kinds of Dice. *Pooled* Dice adds up the pixels of all images, so large objects count most. *Mean* Dice
# is the mean of the images' scores, `average="samples"`. They differ if, for example, the model finds large objects well
# and small objects badly:

# %% tags=["show-input"]
images = np.array(
    [[9_000, 500, 500], [8_800, 700, 400], [60, 50, 70], [9_200, 300, 600], [40, 30, 90]]
)
print("pooled Dice:", f1ci.Units(images).interval())
print("mean Dice:  ", f1ci.Units(images[:, None]).interval(average="samples"))

# %% [markdown]
# For [detection](https://github.com/cocodataset/cocoapi/issues/572), count matched, spurious and missed boxes in
# each image. The [recipes](/book/recipes.md) do this for spans, boxes and masks.
#
# (question-multilabel)=
# ## My items have several labels
#
# Give the table of zeros and ones, with a row for each item and a column for each label. These are the six items of
# [a thread](https://github.com/jacobgil/confidenceinterval/issues/13):

# %% tags=["show-input"]
truth_of = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
guess_of = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
for average in ("micro", "macro", "weighted", "samples"):
    print(f1ci.f1_score_interval(truth_of, guess_of, average=average))

# %% [markdown]
# A long list of all ones and zeros would treat the labels of an item as independent. We simulate a hundred items
# with eight relevant labels each and a correlation of 0.2:

# %% tags=["hide-input"]
# Simulate items with several labels.
flat, _ = pooled_or_by_unit(100, 8, 0.2, generator)

# %% tags=["remove-cell"]
quote(pixels=f"{pixels:.2f}", flat=f"{flat:.2f}")

# %% [markdown]
# (question-perfect)=
# ## My score is perfect. What is the interval?
#
# It is [not a single point](https://github.com/NVIDIA/garak/issues/2033). A bootstrap says so, because resampling a perfect
# test set gives perfect test sets only. With twenty relevant items, all right:

# %% tags=["show-input"]
perfect = f1ci.f1_interval(tp=20, fp=0, fn=0, confidence_level=confidence_level)
print(perfect)

# %% [markdown]
# Exact coverage at a true F1 of 0.95, and how often the interval has length zero:


# %% tags=["hide-input"]
# Compute the coverage of the bootstrap near a perfect score.
def bootstrap(counts):
    """Return percentiles of infinitely many resamples of the relevant items."""
    tp, wrong = counts.T
    v = tp + wrong
    ends = (stats.binom.ppf(q, v, tp / v) / v for q in (alpha / 2, 1 - alpha / 2))
    return tuple(2 * end / (1 + end) for end in ends)


cells = [0.95 / (2 - 0.95), 1 - 0.95 / (2 - 0.95)]
found = {}
for name, way in {"bootstrap": bootstrap, "f1_interval": score}.items():
    found[name] = f1ci.coverage.exact(20, cells, method=way, truth=0.95)
    print(f"{name:12} {found[name].coverage:.3f}, no length: {found[name].degeneracy:.3f}")

# %% tags=["remove-cell"]
quote(perfect_low=perfect.low, bootstrap=f"{found['bootstrap'].coverage:.2f}")

# %% [markdown]
# Twenty items, all right, are compatible with a true F1 of {glue:text}`questions-perfect-low:.2f`.
#
# (question-items)=
# ## How many items do I need?
#
# People ask this of evaluation tools ([1](https://github.com/EvolvingLMMs-Lab/lmms-eval/pull/1007),
# [2](https://github.com/EleutherAI/lm-evaluation-harness/issues/4017)).
# Say how wide the interval may be and how frequent positives are:

# %% tags=["show-input"]
f1ci.sample_size("f1", half_width=0.05, prevalence=0.2)

# %% [markdown]
# The *half width* is half the length of the interval. The rule for polls asks for {glue:text}`questions-poll` items for a half
# width of 0.05. It counts all items. For F1, only positive items count. Exact mean half widths at a true F1 of 0.8:

# %% tags=["hide-input"]
# Compute the half width of both plans.
poll = int(np.ceil(z**2 / 4 / 0.05**2))
for prevalence in (0.5, 0.2, 0.05):
    plan = f1ci.sample_size(
        "f1", half_width=0.05, prevalence=prevalence, confidence_level=confidence_level
    )
    half = [exactly(score, n, prevalence, 0.8).expected_length / 2 for n in (poll, plan.total)]
    print(f"{prevalence:4.0%} positives: {half[0]:.3f} with {poll} items, ", end="")
    print(f"{half[1]:.3f} with the {plan.total:,} of sample_size")

# %% tags=["remove-cell"]
quote(poll=str(poll))

# %% [markdown]
# `sample_size` plans for the worst classifier. A good classifier gets a narrower interval. To compare
# two models, plan with `comparison_sample_size`.
#
# (question-looks)=
# ## May I look at the score while items come in, and stop when I am sure?
#
# Monitors do this ([1](https://github.com/EmertonData/glide/issues/314), [2](https://github.com/EmertonData/glide/issues/340)). An
# interval for one look is too short for many: each look is another chance to be wrong. The method "anytime" covers the true
# score at *all* looks at once, so that you may stop whenever the interval is short enough, or excludes the score that you must reach:

# %% tags=["show-input"]
print(f1ci.f1_interval(tp=77, fp=44, fn=10, method="anytime"))
print(f1ci.f1_interval(tp=77, fp=44, fn=10))

# %% [markdown]
# It works for F1, precision, recall, Jaccard and accuracy, because each of them is a share of independent trials: of the
# relevant items a share F1 / (2 - F1) is found. For such shares {cite:t}`robbins1970` has limits for all looks, and {cite:t}`howard2021`
# have them for many other means. We simulate 400 relevant items and a true F1 of 0.8. From the tenth item on we look
# after each:


# %% tags=["hide-input"]
# Look after each relevant item, and count the test sets in which some look excludes the truth.
def all_looks_cover(method, tp, looks):
    """Tell for each test set if the intervals of all looks cover the true F1."""
    counts = np.arange(looks[-1] + 1)
    ok = np.zeros((len(counts), len(counts)), dtype=bool)
    for n in looks:
        ends = f1ci.f1_interval(counts[: n + 1], n - counts[: n + 1], 0, method=method)
        ok[n, : n + 1] = f1ci.coverage.covers(*ends, true_f1)
    return ok[looks, tp[:, looks - 1]].all(axis=1)


generator = np.random.default_rng(next(streams))
tp = np.cumsum(generator.random((comparisons, 400)) < true_f1 / (2 - true_f1), axis=1)
seen = {method: all_looks_cover(method, tp, np.arange(10, 401)) for method in ("score", "anytime")}
for method, hits in seen.items():
    print(f"{method:8} covers at all looks: {rate(hits)}")
lengths = {m: f1ci.f1_interval(133, 67, 0, method=m).length for m in ("score", "anytime")}

# %% tags=["remove-cell"]
quote(looks_score=f"{seen['score'].mean():.2f}", looks_anytime=seen["anytime"].mean())
quote(looks_longer=lengths["anytime"] / lengths["score"])

# %% [markdown]
# The price is length: at 200 relevant items the interval is {glue:text}`questions-looks-longer:.1f` times as long as that for one look. If
# you plan the number of items beforehand and look once, take the default.
#
# (question-group)=
# ## Is my model worse for one group?
#
# People report the largest score of the groups minus the smallest, with a bootstrap
# ([1](https://github.com/fairlearn/fairlearn/pull/1242), [2](https://github.com/fairlearn/fairlearn/issues/1443)). This
# difference is above zero even if all groups are alike, and each resample makes it larger. So its interval cannot contain "no gap". Compare the
# groups pair by pair instead, with the group of each item:

# %% tags=["show-input"]
hospital = np.repeat(["north", "south", "west"], 100)
truth = np.tile([1] * 40 + [0] * 60, 3)
predicted = np.where(np.arange(300) % 13 == 5, 1 - truth, truth)
f1ci.Labels(truth, predicted, by=hospital).compare("f1")

# %% [markdown]
# The verdict names the groups that surely differ, by p-values for all pairs (Holm). If there are none, it says how large a gap
# is excluded, because *no gap found* may only mean that the groups are small. We simulate four groups of 80 items
# with the same F1 of 0.77:


# %% tags=["hide-input"]
# Bootstrap the gap between groups that are alike, and compare them pair by pair.
def gaps(tables):
    """Return the largest F1 of the groups minus the smallest, for tables (..., groups, 3)."""
    scores = f1_of(tables[..., 0], tables[..., 1])
    return scores.max(axis=-1) - scores.min(axis=-1)


generator = np.random.default_rng(next(streams))
sets = comparisons // 10
observed = generator.multinomial(80, [0.24, 0.14, 0.62], (sets, 4))
again = generator.multinomial(80, observed / 80, (499, sets, 4))
gap_low = np.percentile(gaps(again), 100 * alpha / 2, axis=0)
claimed = np.zeros(sets, dtype=bool)
for k, groups in enumerate(observed):
    counts = {str(place): (tp, wrong, 0) for place, (tp, wrong, _) in enumerate(groups)}
    ranks = f1ci.Counts(counts).compare(confidence_level=confidence_level).ranks
    claimed[k] = any(rank != (1, 4) for rank in ranks.values())
print(f"the bootstrap interval of the gap contains 0: {rate(gap_low <= 0)}")
print(f"its lower limit is {gap_low.mean():.3f} on average")
print(f"pair by pair, no gap is claimed: {rate(~claimed)}")

# %% tags=["remove-cell"]
quote(gap_bootstrap=f"{np.mean(gap_low <= 0):.2f}", gap_low=gap_low.mean())
quote(gap_pairs=np.mean(~claimed))

# %% [markdown]
# In none of these test sets is there a gap. The bootstrap's lower limit is {glue:text}`questions-gap-low:.2f` on average, and pair by
# pair no gap is claimed in a share of {glue:text}`questions-gap-pairs:.2f`.
#
# (question-folds)=
# ## Can I use the mean and standard deviation of ten folds?
#
# Two things go wrong ([asked here](https://github.com/scikit-learn/scikit-learn/issues/12730)). First, folds share training
# data, so a t test finds [too many differences](/notebooks/two-models-many-documents.ipynb). Second, a fold has few
# positives, so the mean of the folds' F1 scores is not the F1 of all items. The second error does not even need training. We
# simulate 200 items, of which 10 % are positive, and a true F1 of 0.8:

# %% tags=["hide-input"]
# Simulate ten folds, and two intervals from them.
generator = np.random.default_rng(next(streams))
cells = [0.1 * true_f1, 0.2 * (1 - true_f1), 1 - 0.1 * (2 - true_f1)]
drawn = generator.multinomial(20, cells, (replicates, 10))
fold_f1 = np.nan_to_num(f1_of(drawn[..., 0], drawn[..., 1]))  # scikit-learn has 0 if undefined
middle = fold_f1.mean(axis=1)
half = stats.t.ppf(1 - alpha / 2, 9) * fold_f1.std(axis=1, ddof=1) / np.sqrt(10)
t_interval = np.abs(middle - true_f1) <= half
low, high = score(drawn.sum(axis=1))
print(f"t interval over ten folds: {rate(t_interval)}, mean length {2 * half.mean():.3f}")
pooled = rate(f1ci.coverage.covers(low, high, true_f1))
print(f"counts of all folds added: {pooled}, mean length {np.mean(high - low):.3f}")

# %% tags=["remove-cell"]
quote(folds_mean=middle.mean(), folds=f"{t_interval.mean():.2f}")
quote(folds_times=2 * half.mean() / np.mean(high - low))

# %% [markdown]
# The folds' mean is {glue:text}`questions-folds-mean:.3f` on average. For the interval of one score, add up the counts of the folds
# instead. This is no way to compare two models, because added counts compare the trained rules and not the ways to train them. To
# compare models and include the luck of training, use `bcv_partitions` and `bayes_test` ([the chapter](/book/wangli.md)).
#
# (question-threshold)=
# ## Can I choose the threshold that gives the best F1?
#
# Yes, on other items. The best F1 over all thresholds on the test set is too high, and so is its
# interval. We simulate 30 % positives, whose scores are higher by 1.5 standard deviations:


# %% tags=["hide-input"]
# Choose the threshold on the test set, or on other items.
def best_threshold(y, x):
    """Return the threshold with the best F1, for each of many test sets."""
    order = np.argsort(-x, axis=-1)
    tp = np.cumsum(np.take_along_axis(y, order, -1), axis=-1)
    scores = 2 * tp / (np.arange(1, y.shape[-1] + 1) + y.sum(axis=-1, keepdims=True))
    best = scores.argmax(axis=-1)
    return np.take_along_axis(x, order, -1)[np.arange(len(y)), best]


def tuned(n, generator):
    """Find optimism and coverage: the threshold from the test set, and from as many others."""
    y = generator.random((2, count, n)) < 0.3
    x = generator.standard_normal(y.shape) + 1.5 * y
    threshold = best_threshold(y[0], x[0])
    right = 0.3 * stats.norm.sf(threshold - 1.5)
    truth = 2 * right / (0.3 + right + 0.7 * stats.norm.sf(threshold))
    for labels, scores in zip(y, x, strict=True):
        positive = scores >= threshold[:, None]
        tp, wrong = (labels & positive).sum(axis=-1), (labels ^ positive).sum(axis=-1)
        interval = f1ci.f1_interval(tp, wrong, 0, confidence_level=confidence_level)
        yield np.mean(interval.estimate - truth), interval.covers(truth)


# %% tags=["hide-input"]
# Simulate both ways to choose the threshold.
count = replicates // 10
generator = np.random.default_rng(next(streams))
held = {}
for n in (100, 500):
    results = zip(("the test set", "other items"), tuned(n, generator), strict=True)
    for name, (optimism, hits) in results:
        held[n, name] = hits.mean()
        print(f"{n} items, threshold from {name}: F1 too high by {optimism:+.3f}, ", end="")
        print(f"coverage {rate(hits)}")

# %% tags=["remove-cell"]
quote(tuned=f"{held[100, 'the test set']:.2f}")

# %% [markdown]
# The best of many checkpoints, prompts or seeds is too high in the same way.
#
# ## What next?
#
# Read [a report in five minutes](/notebooks/five-minutes.ipynb), [recipes](/book/recipes.md) or
# [which method when](/notebooks/choosing-a-method.ipynb). Labels of a language model, of which people checked a few, have
# [a chapter](/book/judge.md). This book does not treat curves: R's `pROC` and `precrec` have intervals for the area
# under them and for average precision, `cocoapi` and its successors resample images for mAP, and `glide` has alarms for drift.
