# %% [markdown]
# # Is the sample F0.5 normal, and does its interval cover? Section 2.4 of Jiang (2020)
#
# The interval of {cite:t}`jiang2020` rests on a limit: for many items the sample index is nearly
# normal ({prf:ref}`prop-jiang-normal` in [the chapter](/book/jiang.md)), with a standard error
# that can be estimated from the same items. Is a thousand items many? The paper simulates
# {published}`jiang/section-2.4/replicates` data sets to see. This page repeats the simulation, and
# then does without it: what the paper estimates is a sum over all possible tables of counts, and
# we add it up. At the end the same sum tells where the interval stops to work.

# %% tags=["parameters"]
replicates: int = 10_000  # simulated data sets, as in the paper
realisations: int = 1_000_000  # draws for the simulated truth, as in the paper
curve_sizes: list[int] = [10, 20, 40, 100, 200, 400, 1000]  # for the last figure
seed: int = 20201201  # root of all random streams

# %% tags=["remove-cell"]
import warnings

import numpy as np
from compendium import figures, ledger, show
from scipy import special, stats

import f1ci

page = ledger.open("jiang-normality")
given, printed, record, say = page

n = int(given("jiang/section-2.4/n"))
index = f1ci.metrics.tversky(given("jiang/section-2.4/a"), given("jiang/section-2.4/b"))
level = given("jiang/section-2.4/confidence_level") / 100
z = special.ndtri(0.5 + level / 2)

# %% [markdown]
# (shown-e-jiang-4)=
# ## The model, and its true value
#
# Half of the items are positive: $Z \sim \mathrm{Bernoulli}(1/2)$. A score $S$ is normal with
# mean $5Z/2$ and variance 1, and the rule predicts $A = 1$ if $S > 1$. All four cell probabilities
# are values of the normal distribution function, and so the true F0.5 needs no simulation:
# {eq}`eq-jiang-true`.

# %%
positive, threshold = (
    given("jiang/section-2.4/class_probability"),
    given("jiang/section-2.4/threshold"),
)
scale = given("jiang/section-2.4/score_variance") ** 0.5
hit = stats.norm.sf(threshold, given("jiang/section-2.4/mean_shift"), scale)  # P(A = 1 | Z = 1)
false_alarm = stats.norm.sf(threshold, 0, scale)  # P(A = 1 | Z = 0)
# Rows are true classes, columns predicted ones.
cells = np.array(
    [
        [(1 - positive) * (1 - false_alarm), (1 - positive) * false_alarm],
        [positive * (1 - hit), positive * hit],
    ]
)
truth = index.value(cells)
variance = float((cells * index.gradient(cells) ** 2).sum())  # nu(a, b)

rng_truth, rng_sets = np.random.default_rng(seed).spawn(2)
simulated_truth = index.value(rng_truth.multinomial(realisations, cells.ravel()).reshape(2, 2))
truth_error = (variance / given("jiang/section-2.4/true_value/replicates")) ** 0.5

record("jiang/section-2.4/true_f0.5", truth, deviation=variance**0.5)
record("jiang/section-2.4/critical_value", z)
say("jiang-normality-truth", truth)
say("jiang-normality-truth-error", truth_error)
say(
    "jiang-normality-truth-distance",
    abs(printed("jiang/section-2.4/true_f0.5") - truth) / truth_error,
)
show.table(
    ["true F0.5", ""],
    [
        ["printed, from a million realisations", f"{printed('jiang/section-2.4/true_f0.5'):.7f}"],
        [f"simulated here, from {realisations:,} realisations", f"{simulated_truth:.7f}"],
        ["exact", f"{truth:.7f}"],
    ],
    numeric=(1,),
)

# %% [markdown]
# The printed "true" value is itself a mean over random draws, with a standard error of
# {glue:text}`jiang-normality-truth-error:.4f`. Of its seven digits three mean something
# ({ref}`N-jiang-4 <N-jiang-4>`). It is {glue:text}`jiang-normality-truth-distance:.1f` standard
# errors away from the exact value: there is nothing wrong with it, but an exact value is free.
#
# ## Ten thousand data sets
#
# A data set enters the index and its standard error only through its four counts, so a simulated
# data set is one draw from a multinomial distribution, however many items it has. Each gives an
# estimate, a standard error and an interval ({prf:ref}`cor-jiang-interval`).

# %%
counts = rng_sets.multinomial(n, cells.ravel(), size=replicates).reshape(-1, 2, 2)
sample = f1ci.metric_interval(counts, index, method="delta", confidence_level=level)
simulated = {
    "standard_deviation": sample.estimate.std(ddof=1),
    "mean_standard_error": sample.standard_error.mean(),
    "coverage": 100 * ((sample.low <= truth) & (truth <= sample.high)).mean(),
    "mean_f0.5": sample.estimate.mean(),
}

# %% [markdown]
# ## All data sets
#
# The index depends on TP, FP and FN. These have a trinomial distribution, and all but a
# negligible part of it lies on a few million triples. Summing over them gives everything that the
# simulation estimates, without its error, and also how large that error is for ten thousand
# replicates.


# %% tags=["hide-input"]
def likely_tables(size, cells, *, left_out=1e-11):
    """Tables of `size` items and their probabilities, all but `left_out` in total."""
    (tn, fp, fn, tp) = cells.ravel()
    tail = left_out / 6
    ranges = [
        np.arange(stats.binom.ppf(tail, size, p), stats.binom.isf(tail, size, p) + 1)
        for p in (tp, fp, fn)
    ]
    k = np.stack(np.meshgrid(*ranges, indexing="ij")).reshape(3, -1)
    k = np.vstack([k, size - k.sum(axis=0)])
    k = k[:, k[3] >= 0]
    log = special.gammaln(size + 1) - special.gammaln(k + 1).sum(axis=0)
    log += np.log([tp, fp, fn, tn]) @ k
    k = k[:, log > np.log(1e-18)]
    probability = np.exp(log[log > np.log(1e-18)])
    assert 1 - probability.sum() < 1e-9
    return np.moveaxis(k[[3, 1, 2, 0]], 0, -1).reshape(-1, 2, 2), probability


def exact_interval(size, method="delta"):
    """The interval of every table in which some item is relevant, and the probabilities."""
    every, probability = likely_tables(size, cells)
    defined = every.sum(axis=(1, 2)) > every[:, 0, 0]
    every, probability = every[defined], probability[defined]
    with warnings.catch_warnings():
        # Intervals without length, and undefined scores, are outcomes here.
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        interval = f1ci.metric_interval(every, index, method=method, confidence_level=level)
    return interval, probability


# %%
every, probability = exact_interval(n)


def moments(values):
    """Mean, standard deviation and fourth central moment over all data sets."""
    mean = probability @ values
    return mean, (probability @ (values - mean) ** 2) ** 0.5, probability @ (values - mean) ** 4


def covering(value):
    """The probability that the interval holds a value."""
    return float(probability @ ((every.low <= value) & (value <= every.high)))


mean, deviation, fourth = moments(every.estimate)
mean_error, error_deviation, _ = moments(every.standard_error)
coverage = covering(truth)
outcome = (coverage * (1 - coverage)) ** 0.5  # standard deviation of "covered or not"
sets = given("jiang/section-2.4/replicates")

record("jiang/section-2.4/mean_f0.5", mean, deviation=deviation)
# A sample standard deviation has the standard error sqrt((m4 - s^4) / (4 s^2 N)).
record(
    "jiang/section-2.4/standard_deviation",
    deviation,
    deviation=(fourth - deviation**4) ** 0.5 / (2 * deviation),
)
record("jiang/section-2.4/mean_standard_error", mean_error, deviation=error_deviation)
record("jiang/section-2.4/coverage", 100 * coverage, deviation=100 * outcome)
# A number of data sets: its standard error is the root of their number times `outcome`.
record("jiang/section-2.4/covered", sets * coverage, deviation=sets * outcome)

names = ["true_f0.5", "mean_f0.5", "standard_deviation", "mean_standard_error"]
names += ["covered", "coverage"]
show.compare([f"jiang/section-2.4/{name}" for name in names])

# %% [markdown]
# Every printed number agrees with the exact one within the error of the paper's simulation. Our
# own simulation, with {glue:text}`jiang-normality-replicates` data sets, does the same:

# %%
exact = {
    "standard_deviation": deviation,
    "mean_standard_error": mean_error,
    "coverage": 100 * coverage,
    "mean_f0.5": mean,
}
errors = {name: page.records[f"jiang/section-2.4/{name}"].deviation for name in exact}
say("jiang-normality-replicates", f"{replicates:,}")
say("jiang-normality-tables", f"{len(probability):,}")
rows = []
for name, value in exact.items():
    identity = f"jiang/section-2.4/{name}"
    rows.append(
        [
            show.described(identity),
            f"{value:.7f}",
            f"{simulated[name]:.7f}",
            f"{(simulated[name] - value) / (errors[name] / replicates**0.5):+.1f}",
            show.printed(identity),
            f"{(printed(identity) - value) / (errors[name] / sets**0.5):+.1f}",
        ]
    )
show.table(["", "exact", "simulated", "in s.e.", "printed", "in s.e."], rows, numeric=range(1, 6))

# %% tags=["remove-cell"]
say("jiang-normality-coverage", 100 * coverage)
say(
    "jiang-normality-coverage-printed-truth", 100 * covering(printed("jiang/section-2.4/true_f0.5"))
)
say("jiang-normality-bias", float(1e4 * (mean - truth)))
say("jiang-normality-underestimate", float(100 * (1 - mean_error / deviation)))
say("jiang-normality-asymptotic", (variance / n) ** 0.5)
say("jiang-normality-below", 100 * float(probability @ (every.high < truth)))
say("jiang-normality-above", 100 * float(probability @ (every.low > truth)))

# %% [markdown]
# The sum runs over {glue:text}`jiang-normality-tables` tables. It shows what ten thousand
# replicates are too few to show:
#
# - The estimate is biased by {glue:text}`jiang-normality-bias:+.2f` units of the fourth decimal,
#   a small part of its standard deviation.
# - The asymptotic standard deviation $\sqrt{\nu/n}$ is
#   {glue:text}`jiang-normality-asymptotic:.6f`; the exact one is
#   {computed}`jiang/section-2.4/standard_deviation|.6f`, and the standard error that one computes
#   from the data is too small by {glue:text}`jiang-normality-underestimate:.2f` % on average.
# - The interval covers with probability {glue:text}`jiang-normality-coverage:.3f` %, not 95 %. It
#   lies too low in {glue:text}`jiang-normality-below:.2f` % of all data sets and too high in
#   {glue:text}`jiang-normality-above:.2f` %.
# - That the paper compares with a simulated truth does not matter here: the probability to cover
#   {published}`jiang/section-2.4/true_f0.5` is
#   {glue:text}`jiang-normality-coverage-printed-truth:.3f` %.
#
# ## Figure 1
#
# The paper's figure is a histogram of the ten thousand estimates. Ours has two curves on it: the
# normal density that {prf:ref}`prop-jiang-normal` promises, and the exact probabilities of the same
# bins. On the right each value is compared with the one that the normal distribution would put in
# its place.

# %% mystnb={"image": {"alt": "Left: a histogram of simulated F0.5 values, bell-shaped around 0.87; the exact bin probabilities and the normal curve lie on top of each other and of the bars. Right: exact quantiles minus normal quantiles against the normal quantile; the curve is slightly above zero in the middle and bends below zero in both tails, by a sixth of a standard deviation at three standard deviations; the simulated one scatters about it."}, "figure": {"caption": "Figure 1 of the paper. Left: histogram of the simulated estimates at n = 1000, with the exact distribution (dots) and the normal limit around the true value (line). Right: quantiles of the estimate, exact and simulated, minus those of the normal limit; the unit of both axes is the limit's standard deviation.", "name": "fig-jiang-normality-figure-1"}}
sigma = (variance / n) ** 0.5
bins = truth + sigma * np.arange(-4, 4.01, 0.25)
middle, width = (bins[1:] + bins[:-1]) / 2, bins[1] - bins[0]
in_bins = np.histogram(every.estimate, bins, weights=probability)[0] / width

figure, (left, right) = figures.subplots(1, 2, height=3.4)
left.hist(
    sample.estimate, bins, density=True, color=figures.COLOURS["sky"], alpha=0.6, label="simulated"
)
fine = np.linspace(bins[0], bins[-1], 400)
left.plot(
    fine,
    stats.norm.pdf(fine, truth, sigma),
    color=figures.COLOURS["vermilion"],
    label="normal limit",
)
left.plot(middle, in_bins, "o", markersize=3, color="black", label="exact")
left.set(xlabel="F0.5 of a data set", ylabel="density", title="Estimates", ylim=(0, 40))
left.legend(loc="upper left", handlelength=1.2)

order = np.argsort(every.estimate)
cumulated = np.cumsum(probability[order])
u = np.linspace(-3.2, 3.2, 129)
positions = np.minimum(np.searchsorted(cumulated, special.ndtr(u)), len(order) - 1)
quantiles = every.estimate[order][positions]
right.axhline(0, color="black", linewidth=0.8)
right.plot(
    u, np.quantile(sample.estimate, special.ndtr(u)) / sigma - truth / sigma - u,
    color=figures.COLOURS["sky"], linestyle="--", label="simulated",
)  # fmt: skip
right.plot(u, (quantiles - truth) / sigma - u, color="black", label="exact")
right.set(
    xlabel="normal quantile", ylabel="quantile of F0.5 minus normal", title="Departure from normal"
)
right.legend()
figures.save(figure, "jiang-normality-figure-1")

# %% [markdown]
# The estimate is skewed to the left, as it must be for a score that cannot exceed 1: its lower
# tail is longer and its upper tail shorter than the normal ones. At $n = 1000$ this is a matter of
# a sixth of a standard deviation in the far tails. (The step of the exact curve in the lower tail
# is real: F0.5 is $5/6$ for every table with $\mathrm{TP} = 4\,\mathrm{FP} + \mathrm{FN}$, so this
# value has a probability of its own.)
#
# ## How small may a data set be?
#
# The same sum for other sizes. Below a few hundred items the interval covers too rarely, and its
# misses are one-sided: the standard error shrinks as the estimate approaches 1, so the interval
# that misses is mostly one that lies too high. On the logit scale (`method="logit"`) neither
# happens to this degree.

# %% tags=["hide-input"] mystnb={"image": {"alt": "Left: exact coverage against data set size. That of the plain interval rises from about 60 percent at 10 items to nearly 95 percent at 1000; that of the logit interval is near 95 percent or above throughout. Right: the two kinds of misses of the plain interval; intervals too high are far more frequent than intervals too low, and both tend to 2.5 percent."}, "figure": {"caption": "Exact coverage of the 95 % intervals for F0.5 in the model of section 2.4, and the two ways in which the plain interval misses. The thin lines are nominal; the square is the coverage that the paper prints.", "name": "fig-jiang-normality-sizes"}}
curve = []
for size in curve_sizes:
    plain, weight = exact_interval(size)
    logit, _ = exact_interval(size, "logit")
    events = (plain.low > truth, plain.high < truth, plain.high > 1)
    covers = (logit.low <= truth) & (truth <= logit.high)
    # An undefined index (no relevant item at all) covers nothing.
    curve.append([float(weight @ event) for event in (*events, covers)] + [weight.sum()])
too_high, too_low, outside, logit_coverage, defined = np.transpose(curve)
plain_coverage = defined - too_high - too_low

figure, (left, right) = figures.subplots(1, 2, height=3.2)
blue, red = figures.COLOURS["blue"], figures.COLOURS["vermilion"]
left.plot(
    curve_sizes,
    100 * logit_coverage,
    "D-.",
    color=figures.COLOURS["green"],
    label="logit",
)
left.plot(curve_sizes, 100 * plain_coverage, "o-", color=blue, label="plain")
left.plot(
    [n],
    [printed("jiang/section-2.4/coverage")],
    "s",
    ms=8,
    mfc="none",
    color=red,
    label="printed",
    zorder=3,
)
left.axhline(100 * level, color="black", linewidth=0.8)
left.set(xscale="log", xlabel="size $n$ of the data set", ylabel="per cent", title="Coverage")
left.legend(loc="lower right")
right.plot(curve_sizes, 100 * too_high, "^-", color=red, label="interval above the truth")
right.plot(curve_sizes, 100 * too_low, "v--", color=blue, label="interval below the truth")
right.axhline(50 * (1 - level), color="black", linewidth=0.8)
right.set(xscale="log", xlabel="size $n$ of the data set", title="Misses", ylim=(0, None))
right.legend()
for axis in (left, right):
    axis.set_xticks([10, 30, 100, 300, 1000], ["10", "30", "100", "300", "1000"])
    axis.minorticks_off()
figures.save(figure, "jiang-normality-sizes")

# %% tags=["hide-input"]
shares = np.stack([plain_coverage, too_high, too_low, outside, logit_coverage], axis=1)
show.table(
    ["n", "coverage (%)", "above (%)", "below (%)", "upper end above 1 (%)", "logit: coverage (%)"],
    [
        [f"{size}", *(f"{100 * share:.2f}" for share in row)]
        for size, row in zip(curve_sizes, shares, strict=True)
    ],
    numeric=range(6),
)

# %% [markdown]
# ## What we learn
#
# - All numbers of section 2.4 are confirmed; where the paper simulates, exact values now stand
#   beside them.
# - At $n = 1000$ the normal limit is good: the coverage is
#   {glue:text}`jiang-normality-coverage:.2f` %, and the standard error from the data is right to a
#   fraction of a per cent.
# - The printed true value is right to three digits, and no conclusion depends on the others.
# - What the limit misses, and a symmetric interval with it, is skewness. For small data sets
#   use an interval that respects the range: the exact road for F1 ([](/book/lam.md)), or
#   `method="logit"` of `f1ci.metric_interval` for any index. At
#   {glue:text}`jiang-normality-smallest` items its coverage is
#   {glue:text}`jiang-normality-smallest-logit:.1f` %, the plain interval's
#   {glue:text}`jiang-normality-smallest-plain:.1f` %.

# %% tags=["remove-cell"]
say("jiang-normality-smallest", curve_sizes[0])
say("jiang-normality-smallest-logit", 100 * float(logit_coverage[0]))
say("jiang-normality-smallest-plain", 100 * float(plain_coverage[0]))
