# %% [markdown]
# # Two models, many documents: the evidence
#
# Is model B better than model A? And what if the items come in documents, images or patients? The
# methods are in [the chapter](/book/compare.md); this page measures them: the size and the power of
# the tests, the coverage of the intervals for counts that come in units, what other tools answer to
# the same questions, and three ways to go wrong. Nothing on it is from the five papers.
#
# **In short.** The exact test finds a difference between equal models in at most
# {glue:text}`compare-size-high:.3f` of the cases. Plans for a power of
# {glue:text}`compare-power-wanted:.2f` give {glue:text}`compare-power-low:.3f` to
# {glue:text}`compare-power-high:.3f`. For counts by document score intervals cover between
# {glue:text}`compare-least-score:.3f` and {glue:text}`compare-most-score:.3f` at an F1 of 4/5, the delta method
# {glue:text}`compare-least-delta:.3f` at worst; at an F1 of 19/20 and strong correlation score intervals
# fall short too ({glue:text}`compare-near-one-score:.3f` with ten documents).
#
# ```python
# import f1ci
#
# test = f1ci.difference_test(y_true, y_pred_a, y_pred_b, margin=0.02)
# test.estimate, test.p_value, test.p_equivalent
# f1ci.clustered_interval(counts)  # one row (tp, fp, fn) for each document
# f1ci.sample_size("f1", difference=0.02, disagreement=(0.04, 0.04), score=0.8, prevalence=0.3)
# ```

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of all intervals; the tests have size one minus it
test_sets: int = 2_000  # simulated test sets for each design of the tests
collections: int = 3_000  # simulated collections of documents for each design
resamples: int = 499  # bootstrap resamples of documents
experiments: int = 1_000  # simulated cross-validations
seed: int = 20261118  # root seed

# %%
import json
import time
import warnings

import numpy as np
from compendium import data, figures, ledger, show
from scipy import optimize, special, stats
from shared.kernels import labels as labels_of
from shared.kernels import p_values

import f1ci

say = ledger.open("two-models-many-documents").say
*streams, for_averages = np.random.SeedSequence(seed).spawn(9)
streams = iter(streams)
alpha = 1 - confidence_level
z = special.ndtri(1 - alpha / 2)
f1 = f1ci.metrics.f1


# %% [markdown]
# ## The exact test, once
#
# A hundred and ten items on which both models agree, and a few on which they do not. The p-value
# comes from $(n_1 + 1)(n_0 + 1)$ outcomes; here it is found once more by swapping the two
# predictions on every subset of the discordant items.

# %%
example = np.array([[[60, 5], [2, 4]], [[8, 6], [1, 38]]])  # truth, A, B
y, a, b = labels_of(example)
test = f1ci.difference_test(y, a, b)
differ = np.flatnonzero(a != b)
swaps = (np.arange(2 ** len(differ))[:, None] >> np.arange(len(differ))) & 1
gain = np.where(swaps == 1, -1, 1) * (b - a)[differ]
tp_a, tp_b = (int((y & x).sum()) for x in (a, b))
tp = (tp_a + tp_b + (gain @ y[differ])) // 2  # of B; A has the rest
predicted = (a.sum() + b.sum() + gain.sum(axis=1)) // 2
of_b = 2 * tp / (y.sum() + predicted)
of_a = 2 * (tp_a + tp_b - tp) / (y.sum() + a.sum() + b.sum() - predicted)
observed = abs(test.estimate)
enumerated = float(np.mean(np.abs(of_b - of_a) >= observed - 1e-12))
assert abs(enumerated - test.p_value) < 1e-12
say("compare-example-p", test.p_value)
say("compare-example-swaps", f"{len(swaps):,}")
say("compare-example-difference", test.estimate)

# %% [markdown]
# The difference is {glue:text}`compare-example-difference:.3f`, and both ways give
# {glue:text}`compare-example-p:.4f`; the second one looked at {glue:text}`compare-example-swaps`
# sets of swaps. The first way, from labels and with the interval, takes:

# %%
rows = []
for scale in (1, 10, 100, 1_000):
    cells = np.array([[[6_000, 25], [24, 200]], [[260, 31], [26, 3_000]]]) * scale // 10
    y, a, b = labels_of(cells)
    best = np.inf
    for _ in range(7):
        started = time.perf_counter()
        f1ci.difference_test(y, a, b)
        best = min(best, time.perf_counter() - started)
    discordant = int(cells[:, 0, 1].sum() + cells[:, 1, 0].sum())
    rows.append([f"{cells.sum():,.0f}", f"{discordant:,}", f"{1e3 * best:.1f} ms"])
show.table(["items", "discordant", "time, best of seven"], rows, numeric=range(3))

# %% [markdown]
# ## Size: how often equal models are called different
#
# The exact test has its size guaranteed under **exchangeability**: swapping the two models'
# predictions on an item changes nothing in distribution. Equality of the two F1 scores is less
# than that. One model may find more and be wrong more often, with the same F1. So here are pairs
# of models with the same F1 in the population: some exchangeable, some not. The score test's null
# hypothesis is equality of the scores itself, in large samples.


# %%
def equal_pair(prevalence, score, share, tilt):
    """Cell probabilities of two models with one F1; `tilt` makes B find more, and err more."""

    def cells(extra):
        p = np.zeros((2, 2, 2))
        found = prevalence * score
        flip = share * prevalence / 2
        p[1, 0, 1], p[1, 1, 0] = flip * (1 + tilt), flip * (1 - tilt)
        p[1, 1, 1] = found - flip
        p[1, 0, 0] = prevalence - p[1].sum()
        wrong = prevalence * (1 - score)
        p[0, 0, 1], p[0, 1, 0] = flip + extra, flip
        p[0, 1, 1] = max(wrong - flip, 0.0)
        p[0, 0, 0] = 1 - prevalence - p[0].sum()
        return p

    def gap(extra):
        p = cells(extra)
        return f1.value(p.sum(axis=1)) - f1.value(p.sum(axis=2))

    return cells(optimize.brentq(gap, -share * prevalence / 2, 0.4) if tilt else 0.0)


def rejections(p, n, generator):
    """Shares of test sets in which each test finds a difference."""
    drawn = generator.multinomial(n, p.ravel(), test_sets).reshape(-1, 2, 2, 2)
    exact = p_values(drawn) <= alpha
    some = drawn[: max(test_sets // 2, 1)]
    score = p_values(some, "score") <= alpha
    return float(np.mean(exact)), float(np.mean(score))


generator = np.random.default_rng(next(streams))
sizes = {}
for n, prevalence, score, tilt in (
    (200, 0.3, 0.8, 0.0),
    (200, 0.3, 0.8, 0.5),
    (1_000, 0.1, 0.6, 0.0),
    (1_000, 0.1, 0.6, 0.8),
    (2_000, 0.3, 0.8, 0.8),
):
    p = equal_pair(prevalence, score, 0.25, tilt)
    sizes[n, prevalence, score, tilt] = (p, *rejections(p, n, generator))
rows = [
    [
        f"{n:,}",
        f"{100 * prevalence:g} %",
        f"{p[1].sum(axis=1)[1] / p[1].sum():.2f}, {p[1].sum(axis=0)[1] / p[1].sum():.2f}",
        "yes" if not tilt else "no",
        f"{exact:.3f}",
        f"{score_test:.3f}",
    ]
    for (n, prevalence, _, tilt), (p, exact, score_test) in sizes.items()
]
head = ["items", "prevalence", "recalls of A, B", "exchangeable", "exact test", "score test"]
say("compare-size-low", min(x[1] for x in sizes.values()))
say("compare-size-high", max(x[1] for x in sizes.values()))
say("compare-size-score", max(x[2] for x in sizes.values()))
show.table(head, rows, numeric=(0, 1, 4, 5))

# %% [markdown]
# The exact test rejects between {glue:text}`compare-size-low:.3f` and
# {glue:text}`compare-size-high:.3f` of these equal pairs, the score test up to
# {glue:text}`compare-size-score:.3f`. For models that are not exchangeable nothing guarantees the
# exact test its size; in these designs it keeps it. Its null hypothesis must still be said: a
# rejection says that the models differ, not how.
#
# ## Power: does the plan hold?
#
# `f1ci.sample_size` takes the shares of discordant positives and negatives. Here the pairs of
# models have that disagreement and the difference that the plan is for, and the exact test is done
# on as many items as the plan says.


# %%
def better_pair(prevalence, score, positive, negative, difference):
    """Cell probabilities with given discordant shares; B is better by a given difference of F1."""

    def cells(gain):
        p = np.zeros((2, 2, 2))
        p[1, 0, 1], p[1, 1, 0] = positive * (1 + gain) / 2, positive * (1 - gain) / 2
        p[0, 0, 1], p[0, 1, 0] = negative * (1 - gain) / 2, negative * (1 + gain) / 2
        p[1, 1, 1] = prevalence * score - positive / 2
        p[0, 1, 1] = prevalence * (1 - score) - negative / 2
        p[1, 0, 0] = prevalence - p[1].sum()
        p[0, 0, 0] = 1 - prevalence - p[0].sum()
        return p

    def gap(gain):
        p = cells(gain)
        return f1.value(p.sum(axis=1)) - f1.value(p.sum(axis=2)) - difference

    return cells(optimize.brentq(gap, 0, 1))


generator = np.random.default_rng(next(streams))
wanted = 0.8
power = {}
for prevalence in (0.1, 0.3, 0.5):
    for score, difference, shares in (
        (0.6, 0.03, (0.25, 0.05)),
        (0.8, 0.03, (0.15, 0.15)),
        (0.8, 0.06, (0.25, 0.15)),
        (0.9, 0.04, (0.10, 0.10)),
    ):
        positive, negative = prevalence * shares[0], prevalence * shares[1]
        plan = f1ci.sample_size(
            "f1",
            difference=difference,
            disagreement=(positive, negative),
            score=score,
            prevalence=prevalence,
            power=wanted,
            confidence_level=confidence_level,
        )
        p = better_pair(prevalence, score, positive, negative, difference)
        drawn = generator.multinomial(plan.items, p.ravel(), test_sets).reshape(-1, 2, 2, 2)
        hits = p_values(drawn) <= alpha
        power[prevalence, score, difference, shares] = (plan, positive + negative, np.mean(hits))
rows = [
    [
        f"{100 * prevalence:g} %",
        f"{score:g}",
        f"{difference:g}",
        f"{100 * share:.1f} %",
        f"{plan.items:,}",
        f"{plan.unpaired:,}",
        f"{(z + special.ndtri(wanted)) * np.sqrt(plan.variance / (4 * plan.items)):.3f}",
        f"{found:.3f}",
    ]
    for (prevalence, score, difference, _), (plan, share, found) in power.items()
]
head = ["prevalence", "F1", "difference", "discordant", "items", "each, unpaired"]
head += ["found with 4 times the items", "power"]
reached = [found for *_, found in power.values()]
say("compare-power-wanted", wanted)
say("compare-power-mean", float(np.mean(reached)))
say("compare-power-low", float(min(reached)))
say("compare-power-high", float(max(reached)))
say("compare-power-error", float(np.sqrt(wanted * (1 - wanted) / test_sets)))
ratios = [plan.unpaired / plan.items for plan, *_ in power.values()]
say("compare-unpaired-low", min(ratios))
say("compare-unpaired-high", max(ratios))
show.table(head, rows, numeric=range(8))

# %% [markdown]
# Asked for {glue:text}`compare-power-wanted:.2f`, the plans give {glue:text}`compare-power-mean:.3f`
# on average, from {glue:text}`compare-power-low:.3f` to {glue:text}`compare-power-high:.3f`; each
# number has a standard error of {glue:text}`compare-power-error:.3f`. Two separate test sets would
# need {glue:text}`compare-unpaired-low:.1f` to {glue:text}`compare-unpaired-high:.1f` times as many
# items each. All these plans expect about fifty discordant items or more, and both models predict
# about as many positives. Where that is not so, the formula is not checked; plan from a pilot then
# (`f1ci.planning.pilot_sample_size`).
#
# ## Documents: coverage for few and for many
#
# A document has a number of relevant items, and its own share of right ones, drawn from a Beta
# distribution, so that two items of one document have a given correlation. Documents are of one
# size (8 items), or of very unlike sizes (lognormal with a standard deviation of 1 on the
# logarithmic scale). F1 is 4/5. Compared are:
#
# - **pooled**: the counts of all documents taken for independent (`f1ci.f1_interval`);
# - **delta**: the cluster-robust normal interval;
# - **score**: the default of `f1ci.clustered_interval`;
# - **cautious**: the same with the longer limits;
# - **bootstrap**: documents drawn with replacement, percentiles (on fewer collections).

# %%
true_f1 = 0.8
true_share = true_f1 / (2 - true_f1)


def collection(units, skewed, correlation, count, generator, share=true_share):
    """Counts (units, count, 3): `count` collections of documents, as if they were classes."""
    shape = (units, count)
    if skewed:
        sizes = np.maximum(1, np.rint(8 * np.exp(generator.normal(-0.5, 1.0, shape)))).astype(int)
    else:
        sizes = np.full(shape, 8)
    if correlation:
        strength = (1 - correlation) / correlation
        share = generator.beta(share * strength, (1 - share) * strength, shape)
    tp = generator.binomial(sizes, share)
    fp = generator.binomial(sizes - tp, 0.5)
    return np.stack([tp, fp, sizes - tp - fp], axis=-1)


def bootstrap(counts, generator):
    """Percentiles over resampled documents, for each collection."""
    units = len(counts)
    weights = generator.multinomial(units, np.full(units, 1 / units), resamples)
    tp, fp, fn = (weights @ counts[..., k] for k in range(3))
    with np.errstate(invalid="ignore"):
        scores = 2 * tp / (2 * tp + fp + fn)
    return np.nanquantile(scores, [alpha / 2, 1 - alpha / 2], axis=0)


def judged(low, high, truth=true_f1):
    """Coverage, the two tails, and mean length."""
    return [
        float(np.mean((low <= truth) & (truth <= high))),
        float(np.mean(high < truth)),
        float(np.mean(low > truth)),
        float(np.mean(high - low)),
    ]


number_of_units = (5, 10, 20, 50, 200)
correlations = (0.0, 0.1, 0.3, 0.5)
kinds = ("pooled", "delta", "score", "cautious", "bootstrap")
generator = np.random.default_rng(next(streams))
study = {}
for units in number_of_units:
    for skewed in (False, True):
        for correlation in correlations:
            counts = collection(units, skewed, correlation, collections, generator)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # some collections are perfect
                found = {
                    kind: tuple(
                        f1ci.clustered_interval(
                            counts, method=kind, confidence_level=confidence_level
                        )
                    )
                    for kind in ("delta", "score", "cautious")
                }
                found["pooled"] = tuple(
                    f1ci.f1_interval(
                        *np.moveaxis(counts.sum(axis=0), -1, 0), confidence_level=confidence_level
                    )
                )
            few = counts[:, : max(collections // 10, 20)]
            found["bootstrap"] = bootstrap(few, generator)
            for kind in kinds:
                study[units, skewed, correlation, kind] = judged(*found[kind])

# %% mystnb={"image": {"alt": "Two rows of four panels: documents of one size above and of unlike sizes below, one panel for each correlation. Coverage against the number of documents. Pooled counts fall far below the level as soon as items are correlated. The delta method and the bootstrap start well below the level with five documents and rise. The score interval stays near the level, above it for unlike sizes and few documents; the cautious one lies above it."}, "figure": {"caption": "Coverage of intervals for an F1 of 4/5 against the number of documents, by the correlation of items within a document (columns) and whether the documents are of one size (above) or not (below).", "name": "fig-compare-coverage"}}
figure, axes = figures.subplots(2, len(correlations), height=4.8, sharex=True, sharey=True)
looks = dict(
    zip(kinds, ("grey", "vermilion", "blue", "purple", "orange"), strict=True),
)
for row, skewed in zip(axes, (False, True), strict=True):
    for axis, correlation in zip(row, correlations, strict=True):
        axis.axhline(confidence_level, color="black", linewidth=0.8)
        for marker, kind in zip("xsoD^", kinds, strict=True):
            line = [study[units, skewed, correlation, kind][0] for units in number_of_units]
            axis.plot(
                number_of_units,
                line,
                color=figures.COLOURS[looks[kind]],
                marker=marker,
                label=kind,
                linewidth=1.2,
            )
        axis.set(xscale="log", ylim=(0.42, 1.005), xticks=number_of_units)
        axis.set_xticklabels([str(units) for units in number_of_units])
        axis.minorticks_off()
for axis, correlation in zip(axes[0], correlations, strict=True):
    axis.set_title(f"correlation {correlation:g}")
axes[0, 0].set_ylabel("one size")
axes[1, 0].set_ylabel("unlike sizes")
for axis in axes[1]:
    axis.set_xlabel("documents")
handles, names = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=5)
figures.save(figure, "two-models-many-documents-coverage")

# %% [markdown]
# Coverage, the two ways to miss (interval too low, too high) and mean length, over the designs of
# each row:

# %%
rows = []
for skewed in (False, True):
    for units in number_of_units:
        for kind in kinds:
            values = np.array([study[units, skewed, c, kind] for c in correlations])
            mean = values.mean(axis=0)
            rows.append(
                [
                    "unlike" if skewed else "one",
                    f"{units}",
                    kind,
                    f"{mean[0]:.3f}",
                    f"{values[:, 0].min():.3f}",
                    f"{mean[1]:.3f}, {mean[2]:.3f}",
                    f"{mean[3]:.3f}",
                    f"{values[0, 0]:.3f}",
                ]
            )
head = ["sizes", "documents", "interval", "mean coverage", "least", "too low, too high"]
head += ["length", "coverage without correlation"]
show.table(head, rows, numeric=(1, 3, 4, 5, 6, 7))


# %% tags=["remove-cell"]
def over(kind, units, skewed, what=np.mean, correlated=correlations):
    return float(what([study[units, skewed, c, kind][0] for c in correlated]))


some = correlations[1:]
for kind in ("delta", "score", "cautious", "bootstrap", "pooled"):
    say(f"compare-ten-{kind}", over(kind, 10, False, correlated=some))
    say(f"compare-ten-unlike-{kind}", over(kind, 10, True, correlated=some))
    everywhere = [
        study[u, s, c, kind][0]
        for u in number_of_units
        for s in (False, True)
        for c in correlations
    ]
    say(f"compare-least-{kind}", float(min(everywhere)))
    say(f"compare-most-{kind}", float(max(everywhere)))
say("compare-free-score", over("score", 10, False, correlated=(0.0,)))
say("compare-free-unlike", over("score", 5, True, correlated=(0.0,)))
say("compare-free-cautious", over("cautious", 5, False, correlated=(0.0,)))

# %% [markdown]
# What it says:
#
# (With ten documents: the mean over the three correlations above zero.)
#
# - **Pooled counts** fall short as soon as items are correlated: with ten documents of one size they
#   cover {glue:text}`compare-ten-pooled:.2f`, over all designs {glue:text}`compare-least-pooled:.2f` at
#   worst.
# - **The delta method and the bootstrap of documents** cover {glue:text}`compare-ten-delta:.3f` and
#   {glue:text}`compare-ten-bootstrap:.3f` with ten documents of one size, and
#   {glue:text}`compare-ten-unlike-delta:.3f` and {glue:text}`compare-ten-unlike-bootstrap:.3f`
#   with ten unlike ones. Both are too high more often than too low.
# - **Score** covers {glue:text}`compare-ten-score:.3f` and
#   {glue:text}`compare-ten-unlike-score:.3f` there. Over all designs it lies between
#   {glue:text}`compare-least-score:.3f` and {glue:text}`compare-most-score:.3f`. That is why it is
#   the default.
# - **Cautious** covers {glue:text}`compare-ten-cautious:.3f` and
#   {glue:text}`compare-ten-unlike-cautious:.3f`.
# - **What over-covers.** With five unlike documents and no correlation the score interval covers
#   {glue:text}`compare-free-unlike:.3f`: Student's quantile pays for a design effect that must be
#   estimated from few documents, and is not needed there. The cautious interval, for which an
#   item is never worth more than one, covers {glue:text}`compare-free-cautious:.3f` with five
#   documents of one size and no correlation. If you know that items are independent, say so, and leave the
#   documents out.
#
# **What under-covers.** Scores near 1 and strongly correlated items: most documents are perfect
# then, and a sample may hold too few of those that are not. Here F1 is 19/20 and the correlation 1/2.

# %%
near_one = 0.95
rows = []
for units in (10, 20, 50, 200):
    for skewed in (False, True):
        counts = collection(
            units, skewed, 0.5, collections, generator, share=near_one / (2 - near_one)
        )
        perfect = np.mean((counts[..., 1:].sum(axis=(0, 2))) == 0)
        cells = []
        for kind in ("delta", "score", "cautious"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                low, high = f1ci.clustered_interval(
                    counts, method=kind, confidence_level=confidence_level
                )
            cells.append(judged(low, high, near_one)[0])
        if units == 10 and not skewed:
            say("compare-near-one-delta", cells[0])
            say("compare-near-one-score", cells[1])
            say("compare-near-one-cautious", cells[2])
        rows.append(
            [
                f"{units}",
                "unlike" if skewed else "one",
                f"{100 * perfect:.0f} %",
                *(f"{cell:.3f}" for cell in cells),
            ]
        )
head = ["documents", "sizes", "all perfect", "delta", "score", "cautious"]
show.table(head, rows, numeric=(0, 2, 3, 4, 5))

# %% [markdown]
# With ten documents of one size the delta method covers {glue:text}`compare-near-one-delta:.3f`, the
# score interval {glue:text}`compare-near-one-score:.3f`, the cautious one
# {glue:text}`compare-near-one-cautious:.3f`. With documents of unlike sizes all three are still short with
# two hundred.
#
# ## Averages over classes
#
# The rule: 2, 3, 5 or 10 classes; 6, 10, 20, 50 or 100 documents with one item and a Poisson number (mean 3,
# 10 or 30) of others; shares of the classes from a Dirichlet distribution with parameter 1, 5 or 50, of which
# the smallest expects 3 items or more; shares of right items from a Beta distribution (8, 2), (2, 2) or
# (50, 1); wrong predictions evenly over the other classes. Each document has its own shares, of classes and
# of right items, from Dirichlet and Beta distributions around these, with a correlation of 1/20 or 3/10.


# %%
AVERAGES = {
    "macro F1": ("f1", "macro", 0.5, 0.5),
    "weighted F1": ("f1", "weighted", 0.5, 0.5),
    "weighted precision": ("precision", "weighted", 1.0, 0.0),
}


def classes_in_documents(generator):
    """A population: documents, items more than one in each, correlation, shares, shares right."""
    while True:
        r = int(generator.choice([2, 3, 5, 10]))
        units, more = (
            int(generator.choice([6, 10, 20, 50, 100])),
            int(generator.choice([3, 10, 30])),
        )
        share = generator.dirichlet(np.full(r, generator.choice([1.0, 5.0, 50.0])))
        right = generator.beta(*[(8, 2), (2, 2), (50, 1)][generator.integers(3)], size=r)
        correlation = generator.choice([0.05, 0.3])
        if units * (1 + more) * share.min() >= 3:
            return units, more, correlation, share, right


def counts_by_class(right, wrong):
    """TP, FP and FN of each class (..., classes, 3), wrong predictions spread evenly."""
    r = right.shape[-1]
    taken = (wrong.sum(axis=-1, keepdims=True) - wrong) / (r - 1)
    return np.stack([right, taken, wrong], axis=-1)


def drawn_counts(population, sets, generator):
    """Counts (sets, documents, classes, 3)."""
    units, more, correlation, share, right = population
    strength = (1 - correlation) / correlation
    shares = generator.dirichlet(share * strength, (sets, units))
    items = generator.multinomial(1 + generator.poisson(more, (sets, units)), shares)
    found = generator.binomial(
        items, generator.beta(right * strength, (1 - right) * strength, items.shape)
    )
    counts = np.stack([found, np.zeros_like(found), items - found], axis=-1)
    for k in range(len(share)):
        others = np.arange(len(share)) != k
        even = np.full(others.sum(), 1 / others.sum())
        counts[..., others, 1] += generator.multinomial(counts[..., k, 2], even)
    return counts


generator = np.random.default_rng(for_averages)
averages = {(kind, method): [] for kind in AVERAGES for method in ("delta", "score")}
for _ in range(30):
    population = classes_in_documents(generator)
    share, right = population[3:]
    tp, fp, fn = np.moveaxis(counts_by_class(share * right, share * (1 - right)), -1, 0)
    counts = drawn_counts(population, max(collections // 10, 20), generator)
    for (kind, method), kept in averages.items():
        metric, average, a, b = AVERAGES[kind]
        weight = share if average == "weighted" else 1 / len(share)
        truth = float((weight * tp / (tp + a * fp + b * fn)).sum())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some are perfect, some undefined
            found = [
                f1ci.clustered_interval(
                    one,
                    metric,
                    average=average,
                    method=method,
                    confidence_level=confidence_level,
                )
                for one in counts
            ]
        defined = np.array([tuple(one) for one in found if not np.isnan(one.estimate)])
        kept.append(judged(*defined.T, truth) if len(defined) >= len(found) / 2 else [np.nan] * 4)
rows = []
for (kind, method), kept in averages.items():
    values = np.array(kept)
    mean = np.nanmean(values, axis=0)
    ratio = np.nanmedian(values[:, 3] / np.array(averages[kind, "delta"])[:, 3])
    rows.append(
        [
            kind,
            method,
            f"{mean[0]:.3f}",
            f"{np.nanmin(values[:, 0]):.3f}",
            f"{mean[1]:.3f}, {mean[2]:.3f}",
            f"{ratio:.2f}",
        ]
    )
    name = kind.replace(" ", "-")
    say(f"compare-average-{name}-{method}", float(mean[0]))
    say(f"compare-average-{name}-{method}-least", float(np.nanmin(values[:, 0])))
say("compare-average-populations", len(averages["macro F1", "score"]))
say("compare-average-error", float(np.sqrt(0.95 * 0.05 / max(collections // 10, 20))))
head = ["average", "interval", "mean coverage", "least", "too low, too high", "length / delta"]
show.table(head, rows, numeric=(2, 3, 4, 5))

# %% [markdown]
# In these {glue:text}`compare-average-populations:.0f` populations score intervals for macro F1 cover
# {glue:text}`compare-average-macro-F1-score:.3f` on average, and
# {glue:text}`compare-average-macro-F1-score-least:.3f` at worst; the delta method
# {glue:text}`compare-average-macro-F1-delta:.3f` and
# {glue:text}`compare-average-macro-F1-delta-least:.3f`. (A coverage has a standard error of
# {glue:text}`compare-average-error:.3f`, so that the least of thirty looks worse than it is.)
#
# ## Two models on the same documents
#
# Both models work on the same documents, which are easy or hard for both. The difference of F1 is
# known.


# %%
def two_collections(units, skewed, correlation, right, generator):
    """Counts by document of two models that share the documents' difficulty and the items'."""
    sizes = np.full(units, 8)
    if skewed:
        sizes = np.maximum(1, np.rint(8 * np.exp(generator.normal(-0.5, 1.0, units)))).astype(int)
    unit = np.repeat(np.arange(units), sizes)
    shared = 0.8
    latent = []
    for width, place in ((units, unit), (len(unit), np.arange(len(unit)))):
        first = generator.standard_normal(width)
        second = shared * first + np.sqrt(1 - shared**2) * generator.standard_normal(width)
        latent.append(np.stack([first, second])[:, place])
    score = np.sqrt(correlation) * latent[0] + np.sqrt(1 - correlation) * latent[1]
    gold = generator.random(len(unit)) < 0.7
    answers = []
    for row, share in zip(score, right, strict=True):
        is_right = row < special.ndtri(share)
        cells = (gold & is_right, ~gold & ~is_right, gold & ~is_right)
        answers.append(np.stack([np.bincount(unit[c], minlength=units) for c in cells], axis=-1))
    return answers


def f1_of(share):
    return 2 * 0.7 * share / (2 * 0.7 * share + 1 - share)


generator = np.random.default_rng(next(streams))
right = (0.85, 0.9)
gain = f1_of(right[1]) - f1_of(right[0])
runs = max(collections // 3, 20)
rows, differences = [], {}
for units, skewed, correlation in (
    (10, False, 0.0),
    (10, False, 0.3),
    (10, True, 0.2),
    (30, False, 0.2),
    (30, True, 0.2),
    (100, True, 0.2),
):
    held = {kind: [] for kind in ("delta", "score")}
    for _ in range(runs):
        counts = two_collections(units, skewed, correlation, right, generator)
        for kind, kept in held.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # equal models have a delta interval of length zero
                low, high = f1ci.clustered_difference(
                    *counts, method=kind, confidence_level=confidence_level
                )
            kept.append((low <= gain <= high, high - low))
    mean = {kind: np.mean(kept, axis=0) for kind, kept in held.items()}
    differences[units, skewed, correlation] = mean
    rows.append(
        [
            f"{units}",
            "unlike" if skewed else "one",
            f"{correlation:g}",
            *(f"{value:.3f}" for kind in held for value in mean[kind]),
        ]
    )
head = [
    "documents",
    "sizes",
    "correlation",
    "delta: coverage",
    "length",
    "score: coverage",
    "length",
]
say("compare-difference-delta", float(min(m["delta"][0] for m in differences.values())))
say("compare-difference-score", float(min(m["score"][0] for m in differences.values())))
show.table(head, rows, numeric=(0, 2, 3, 4, 5, 6))

# %% [markdown]
# The worst of these designs has a coverage of {glue:text}`compare-difference-delta:.3f` with the
# delta method, and of {glue:text}`compare-difference-score:.3f` with the score interval. The price is
# length: with ten documents of unlike sizes it is twice as long.
#
# ## Other tools, the same questions
#
# What other packages answer, in environments of their own, is data here; the date and the versions
# are recorded with it. Times are processor time of a second call: theirs on that day, ours (from
# labels, with the interval) now, on machines that need not be alike.

# %%
peers = json.loads(data.read_verified("compare-peers.json"))
cells = np.array(peers["cells"])
y, a, b = labels_of(cells)
test = f1ci.difference_test(y, a, b, confidence_level=confidence_level)
started = time.process_time()
for _ in range(20):
    f1ci.difference_test(y, a, b, confidence_level=confidence_level)
ours = (time.process_time() - started) / 20
rows = [
    [
        "f1ci, exact",
        f"{test.p_value:.4f}",
        f"{test.interval.low:.4f}, {test.interval.high:.4f}",
        f"{1e3 * ours:.1f} ms",
    ]
]
for answer in peers["tests"]:
    low, high = answer["low"], answer["high"]
    rows.append(
        [
            answer["name"],
            f"{answer['p']:.4f}",
            "" if low is None else f"{low:.4f}, {high:.4f}",
            f"{1e3 * answer['seconds']:.1f} ms",
        ]
    )
versions = ", ".join(f"{name} {version}" for name, version in peers["versions"].items())
say("compare-peers-versions", versions)
say("compare-peers-date", peers["date"])
say("compare-peers-n", f"{cells.sum():,}")
gap = max(abs(x["p"] - test.p_value) for x in peers["tests"] if x["exact"])
say("compare-peers-gap", f"{gap:.1e}")
show.table(
    ["test of equal F1", "p-value", "interval of the difference", "time"], rows, numeric=(1, 2, 3)
)

# %% [markdown]
# Recorded on {glue:text}`compare-peers-date` for {glue:text}`compare-peers-n` items:
# {glue:text}`compare-peers-versions`. The exact paired permutation test of
# {cite:t}`zmigrod2022` is the same test; it works for counts per sentence too, by convolution, and
# leaves out outcomes of small probability. Its p-value differs from ours by
# {glue:text}`compare-peers-gap`. `stambo` has a bootstrap test, whose null hypothesis is another.
#
# For a proportion in clusters, R's `survey::svyciprop(method = "beta")` is the interval of Korn and
# Graubard; precision is such a proportion.

# %%
counts = np.array(peers["clusters"])
rows = [["R survey, beta", *(f"{end:.4f}" for end in peers["svyciprop"])]]
for kind in ("cautious", "score", "delta"):
    ends = f1ci.clustered_interval(counts, "precision", method=kind)
    rows.append([f"f1ci, {kind}", *(f"{end:.4f}" for end in ends)])
show.table(["interval for precision", "low", "high"], rows, numeric=(1, 2))

# %% [markdown]
# ## A denominator
#
# The R code that the authors of {cite:t}`takahashi2023` published with their paper
# (`F1score_test.R`; the paper itself was not at hand) has a Wald and a score test for the
# difference of two binary F1 scores. Its covariance of the two scores divides by
# the square of the second model's $D_2$, the predicted plus the true positive share, where one
# factor must be the first model's $D_1$. (Its macro averages have both.) The two versions agree if
# both models predict equally many positives. Otherwise the p-value depends on which model is called
# the first:


# %%
def wald_p_value(cells, divisor):
    """Wald's p-value for the difference of two F1; `divisor` divides the covariance."""
    p = cells / cells.sum()
    by_a, by_b = p.sum(axis=2), p.sum(axis=1)
    scores, wholes, variances = [], [], []
    for table in (by_a, by_b):
        whole = table[1].sum() + table[:, 1].sum()
        score = 2 * table[1, 1] / whole
        spread = 4 * table[1, 1] * (1 - score) ** 2 + (table[0, 1] + table[1, 0]) * score**2
        scores.append(score)
        wholes.append(whole)
        variances.append(spread / whole**2)
    f, g = scores
    shared = (
        4 * p[1, 1, 1] * (1 - f) * (1 - g)
        - 2 * p[1, 1, 0] * (1 - f) * g
        - 2 * p[1, 0, 1] * f * (1 - g)
        + (p[1, 0, 0] + p[0, 1, 1]) * f * g
    )
    variance = (sum(variances) - 2 * shared / divisor(*wholes)) / cells.sum()
    return float(stats.chi2.sf((f - g) ** 2 / variance, 1))


unlike = np.array([[[150, 35], [3, 12]], [[3, 8], [0, 40]]])  # made up; B predicts many more
as_coded = wald_p_value(unlike, lambda _, second: second**2)
swapped = wald_p_value(unlike.transpose(0, 2, 1), lambda _, second: second**2)
product = wald_p_value(unlike, lambda first, second: first * second)
assert abs(product - wald_p_value(unlike.transpose(0, 2, 1), lambda d, e: d * e)) < 1e-12
y, a, b = labels_of(unlike)
delta = f1ci.difference_interval(y, a, b, "f1", method="delta")
ratio = delta.estimate / delta.standard_error
n = unlike.sum()
# The delta method of this package divides by n - 1.
assert abs(2 * special.ndtr(-abs(ratio) * np.sqrt(n / (n - 1))) - product) < 1e-9
say("compare-code-as-coded", as_coded)
say("compare-code-swapped", swapped)
say("compare-code-right", product)
rows = [
    ["with the second model's twice, as coded", f"{as_coded:.4f}"],
    ["the same, with the models swapped", f"{swapped:.4f}"],
    ["with the first model's and the second's", f"{product:.4f}"],
]
show.table(["divisor of the covariance", "p-value"], rows, numeric=(1,))

# %% [markdown]
# As coded the p-value is {glue:text}`compare-code-as-coded:.3f` or, with the models swapped,
# {glue:text}`compare-code-swapped:.3f`; with both denominators it is
# {glue:text}`compare-code-right:.3f` either way, which is the delta method's, too. This is said of the
# code alone.

# %% [markdown]
# ## Three ways to go wrong
#
# **Naive t over folds.** Cross-validation gives ten scores, and a t test on the ten differences
# takes them for independent. They are not: any two training sets share eight ninths of their items.
# Here two linear rules see a feature each, both features are equally good, and neither model
# is better on average. How often does each analysis find a difference?


# %%
def cross_validated(generator, n=200, folds=10):
    """Truth and both models' predictions from cross-validation, and the fold of each item."""
    y = (generator.random(n) < 0.4).astype(int)
    x = generator.standard_normal((n, 2)) + y[:, None]
    fold = generator.permutation(n) % folds
    predicted = np.zeros((2, n), dtype=int)
    for k in range(folds):
        train, test = fold != k, fold == k
        mean = np.stack([x[train & (y == c)].mean(axis=0) for c in (0, 1)])
        share = y[train].mean()
        cut = mean.mean(axis=0) + np.log((1 - share) / share) / (mean[1] - mean[0])
        predicted[:, test] = (x[test] > cut).T
    return y, predicted, fold


def fold_scores(y, predicted, fold):
    scores = []
    for k in range(fold.max() + 1):
        tp = (y & predicted)[fold == k].sum()
        scores.append(2 * tp / max(1, y[fold == k].sum() + predicted[fold == k].sum()))
    return np.array(scores)


generator = np.random.default_rng(next(streams))
found = {"t over folds": 0, "t over folds, corrected": 0, "exact test, pooled predictions": 0}
for _ in range(experiments):
    y, predicted, fold = cross_validated(generator)
    d = fold_scores(y, predicted[1], fold) - fold_scores(y, predicted[0], fold)
    t = stats.t.ppf(1 - alpha / 2, 9)
    scale = d.std(ddof=1)
    found["t over folds"] += abs(d.mean()) > t * scale * np.sqrt(1 / 10)
    found["t over folds, corrected"] += abs(d.mean()) > t * scale * np.sqrt(1 / 10 + 1 / 9)
    cells = np.bincount(4 * y + 2 * predicted[0] + predicted[1], minlength=8).reshape(2, 2, 2)
    found["exact test, pooled predictions"] += int(p_values([cells])[0] <= alpha)
found = {name: float(count) / experiments for name, count in found.items()}
rows = [[name, f"{share:.3f}"] for name, share in found.items()]
say("compare-cv-naive", found["t over folds"])
say("compare-cv-corrected", found["t over folds, corrected"])
say("compare-cv-pooled", found["exact test, pooled predictions"])
say("compare-cv-error", float(np.sqrt(alpha * (1 - alpha) / experiments)))
show.table(["analysis of 10-fold cross-validation", "differences found"], rows, numeric=(1,))

# %% [markdown]
# (The corrected version is that of {cite:t}`nadeau2003`; the standard error of each number is
# {glue:text}`compare-cv-error:.3f`.) The naive t test finds a difference in
# {glue:text}`compare-cv-naive:.3f` of the experiments. The exact test on the pooled predictions does
# so in {glue:text}`compare-cv-pooled:.3f`, which is worse: it compares the ten trained rules, of which one set may be luckier
# than the other, and not the two ways to train them. The corrected t test, with
# {glue:text}`compare-cv-corrected:.3f`, errs on the safe side. Ten scores of one partition do not
# hold the answer; [the chapter on the Bayes test](/book/wangli.md) has a design that does better.
#
# **A threshold tuned on the test set.** The scores of positives and negatives are normal, and
# the threshold is the one with the best F1 on the test set itself. Then the reported score is too
# high, and its interval does not cover the true F1 of the model with that threshold:


# %%
def tuned(n, generator):
    """Reported F1, whether its interval covers, and the true F1 at the tuned threshold."""
    y = generator.random(n) < 0.3
    x = generator.standard_normal(n) + 1.5 * y
    order = np.argsort(-x)
    tp = np.cumsum(y[order])
    scores = 2 * tp / (np.arange(1, n + 1) + y.sum())
    k = int(scores.argmax())
    threshold = x[order[k]]
    right, wrong = 0.3 * stats.norm.sf(threshold - 1.5), 0.7 * stats.norm.sf(threshold)
    truth = 2 * right / (0.3 + right + wrong)
    low, high = f1ci.f1_interval(
        int(tp[k]), int(k + 1 - tp[k]), int(y.sum() - tp[k]), confidence_level=confidence_level
    )
    return scores[k] - truth, low <= truth <= high


generator = np.random.default_rng(next(streams))
rows = []
for n in (100, 500, 2_000):
    optimism, covered = np.mean([tuned(n, generator) for _ in range(experiments)], axis=0)
    rows.append([f"{n:,}", f"{optimism:+.3f}", f"{covered:.3f}"])
    say(f"compare-tuned-optimism-{n}", f"{optimism:+.3f}")
    say(f"compare-tuned-covered-{n}", float(covered))
show.table(["items", "reported minus true F1", "coverage"], rows, numeric=(0, 1, 2))

# %% [markdown]
# With 100 items the reported score is {glue:text}`compare-tuned-optimism-100` too high on
# average, and the interval covers {glue:text}`compare-tuned-covered-100:.3f`; with 2,000 it is
# {glue:text}`compare-tuned-optimism-2000` and {glue:text}`compare-tuned-covered-2000:.3f`. Tune on
# other items.
#
# **Pooled spans.** Counting all spans of all documents as independent is the "pooled" line of
# [the figure above](#fig-compare-coverage): {glue:text}`compare-ten-pooled:.2f` on average with
# ten documents of one size and correlated spans, and hardly better with two hundred.
