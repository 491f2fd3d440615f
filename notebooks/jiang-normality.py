# %% [markdown]
# # Is the sample F0.5 normal, and does its interval cover? Section 2.4 of Jiang (2020)
#
# The interval of {cite:t}`jiang2020` rests on a limit: for many items the sample index is nearly
# normal ({prf:ref}`prop-jiang-normal` in [the chapter](/book/jiang.md)), and its standard error can
# be estimated from the same items. Is a thousand items many? The paper simulates
# {published}`jiang/section-2.4/replicates` data sets to see. This page repeats the simulation, and
# then does without it, because the numbers are sums over all possible tables of counts. At the end
# the same sums show where the interval stops working.

# %% tags=["parameters"]
replicates: int = 10_000  # simulated data sets, as in the paper
realisations: int = 1_000_000  # draws for the simulated truth, as in the paper
curve_sizes: list[int] = [10, 20, 40, 100, 200, 400, 1000]  # for the last figure
seed: int = 20201201  # root of all random streams

# %%
# Import what the notebook uses and open the ledger.
import numpy as np
from compendium import figures, ledger, show
from scipy import special, stats

import f1ci
from notebooks.shared import joint_test, statements, tversky_index

# `given`, `printed`, `record` and `say` read and fill the ledger, see notebooks/README.md.
# `show` makes tables; in `show.grid` and `show.compare` the printed number stands with ours and
# the verdict. `tversky_index` lists all likely tables of counts, `joint_test` tests several
# numbers at once, and `statements` compares the paper's claims with our numbers.
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
# are values of the normal distribution function. So the true F0.5 needs no simulation:
# {eq}`eq-jiang-true`.

# %%
positive = given("jiang/section-2.4/class_probability")
threshold, shift = given("jiang/section-2.4/threshold"), given("jiang/section-2.4/mean_shift")
scale = given("jiang/section-2.4/score_variance") ** 0.5


# %%
def model(threshold):
    """Return the cell probabilities of a threshold, true classes in rows."""
    hit = stats.norm.sf(threshold, shift, scale)  # P(A = 1 | Z = 1)
    false_alarm = stats.norm.sf(threshold, 0, scale)  # P(A = 1 | Z = 0)
    shares = np.array([[1 - positive], [positive]])
    return shares * [[1 - false_alarm, false_alarm], [1 - hit, hit]]


# %%
# Compute the cell probabilities of the model, the true F0.5 and its asymptotic variance.
cells = model(threshold)
truth = index.value(cells)
variance = float((cells * index.gradient(cells) ** 2).sum())  # nu(a, b)

# %%
# Simulate the truth as the paper does, and record the exact truth.
rng_truth, rng_sets = np.random.default_rng(seed).spawn(2)
simulated_truth = index.value(rng_truth.multinomial(realisations, cells.ravel()).reshape(2, 2))
truth_error = (variance / given("jiang/section-2.4/true_value/replicates")) ** 0.5
theirs = printed("jiang/section-2.4/true_f0.5")
record("jiang/section-2.4/true_f0.5", truth, deviation=variance**0.5)
record("jiang/section-2.4/critical_value", z)
say("jiang-normality-truth", truth)
say("jiang-normality-truth-error", truth_error)
say("jiang-normality-truth-distance", abs(theirs - truth) / truth_error)

# %%
# Show the three values of the truth.
rows = [["printed, from a million realisations", f"{theirs:.7f}"]]
rows += [[f"simulated here, from {realisations:,} realisations", f"{simulated_truth:.7f}"]]
rows += [["exact", f"{truth:.7f}"]]
show.table(
    ["how it is found", "true F0.5"],
    rows,
    numeric=(1,),
    caption=(
        "Three values of the true F0.5. The paper simulates it; the exact value follows from "
        "the model."
    ),
)

# %% [markdown]
# The printed "true" value is itself a mean over random draws, with a standard error of
# {glue:text}`jiang-normality-truth-error:.4f`. Only three of its seven digits mean something
# ({ref}`N-jiang-4 <N-jiang-4>`). It is {glue:text}`jiang-normality-truth-distance:.1f` standard
# errors away from the exact value. Nothing is wrong with it, but the exact value is easier.
#
# ## Ten thousand data sets
#
# The index and its standard error depend on a data set only through its four counts. So a
# simulated data set is one draw from a multinomial distribution, however many items it has. Each
# draw gives an estimate, a standard error and an interval ({prf:ref}`cor-jiang-interval`).

# %%
# Draw the data sets, and compute estimate, error and interval of each.
counts = rng_sets.multinomial(n, cells.ravel(), size=replicates).reshape(-1, 2, 2)
sample = f1ci.Matrix(counts).interval(index, method="delta", confidence_level=level)
covered = sample.covers(truth)
simulated = {
    "standard_deviation": sample.estimate.std(ddof=1),
    "mean_standard_error": sample.standard_error.mean(),
    "coverage": 100 * covered.mean(),
    "mean_f0.5": sample.estimate.mean(),
}

# %% [markdown]
# ## All data sets
#
# The index depends on TP, FP and FN. Nearly all their probability lies on a few million triples. We
# sum over these (`f1ci.coverage.tables` lists them). This gives everything
# that the simulation estimates, without its error. It also gives the size of that error for ten
# thousand replicates.

# %%
every, probability = tversky_index.exact_intervals(n, cells, index, "delta", level)


def moments(values):
    """Return mean, standard deviation and fourth central moment over all data sets."""
    mean = probability @ values
    return mean, (probability @ (values - mean) ** 2) ** 0.5, probability @ (values - mean) ** 4


def covering(value):
    """Return the probability that the interval holds a value."""
    return float(probability @ every.covers(value))


# %%
# Compute the exact moments of the estimates and standard errors, and the coverage.
mean, deviation, fourth = moments(every.estimate)
mean_error, error_deviation, _ = moments(every.standard_error)
coverage = covering(truth)

# %%
# Record the exact numbers beside those of the paper's simulation.
outcome = (coverage * (1 - coverage)) ** 0.5  # standard deviation of "covered or not"
sets = given("jiang/section-2.4/replicates")
# A sample standard deviation has the standard error sqrt((m4 - s^4) / (4 s^2 N)).
spread = (fourth - deviation**4) ** 0.5 / (2 * deviation)
exact = {
    "mean_f0.5": (mean, deviation),
    "standard_deviation": (deviation, spread),
    "mean_standard_error": (mean_error, error_deviation),
    "coverage": (100 * coverage, 100 * outcome),
    # A number of data sets: its standard error is the root of their number times `outcome`.
    "covered": (sets * coverage, sets * outcome),
}
for name, (value, outcome_deviation) in exact.items():
    record(f"jiang/section-2.4/{name}", value, deviation=outcome_deviation)
names = ["true_f0.5", "mean_f0.5", "standard_deviation", "mean_standard_error"]
show.compare(
    [f"jiang/section-2.4/{name}" for name in (*names, "covered", "coverage")],
    caption=(
        "Section 2.4 of the paper, exactly. Every printed number comes from a simulation, "
        "ours from a sum."
    ),
)

# %% [markdown]
# Every printed number agrees with the exact one within the error of the paper's simulation. Our
# own simulation, with {glue:text}`jiang-normality-replicates` data sets, does the same:

# %%
# Show our simulated numbers beside the exact ones.
say("jiang-normality-replicates", f"{replicates:,}")
say("jiang-normality-tables", f"{len(probability):,}")
rows = []
for name, ours in simulated.items():
    value, spread = exact[name]
    identity = f"jiang/section-2.4/{name}"
    in_errors = (ours - value) / (spread / replicates**0.5)
    theirs = (printed(identity) - value) / (spread / sets**0.5)
    row = [show.described(identity), f"{value:.7f}", f"{ours:.7f}", f"{in_errors:+.1f}"]
    rows.append([*row, show.printed(identity), f"{theirs:+.1f}"])
show.table(
    ["quantity", "exact", "simulated", "in s.e.", "printed", "in s.e."],
    rows,
    numeric=range(1, 6),
    caption=(
        "Our simulation beside the exact numbers and the paper's. Both columns in standard "
        "errors (s.e.) should stay between -3 and 3."
    ),
)

# %% tags=["remove-cell"]
# Keep these numbers for the text.
say("jiang-normality-coverage", 100 * coverage)
at_printed = covering(printed("jiang/section-2.4/true_f0.5"))
say("jiang-normality-coverage-printed-truth", 100 * at_printed)
say("jiang-normality-bias", 1e4 * (mean - truth))
say("jiang-normality-underestimate", 100 * (1 - mean_error / deviation))
say("jiang-normality-asymptotic", (variance / n) ** 0.5)
say("jiang-normality-below", 100 * float(probability @ (every.high < truth)))
say("jiang-normality-above", 100 * float(probability @ (every.low > truth)))

# %% [markdown]
# The sum has {glue:text}`jiang-normality-tables` terms. It shows what ten thousand
# replicates are too few to show:
#
# - The estimate is biased by {glue:text}`jiang-normality-bias:+.2f` units of the fourth decimal,
#   a small part of its standard deviation.
# - The asymptotic standard deviation $\sqrt{\sigma^2/n}$ is
#   {glue:text}`jiang-normality-asymptotic:.6f`; the exact one is
#   {computed}`jiang/section-2.4/standard_deviation|.6f`. The standard error that one computes
#   from the data is too small by {glue:text}`jiang-normality-underestimate:.2f` % on average.
# - The interval covers the true F0.5 in {glue:text}`jiang-normality-coverage:.3f` %, not 95 %, of test sets. It
#   lies too low in {glue:text}`jiang-normality-below:.2f` % of all data sets and too high in
#   {glue:text}`jiang-normality-above:.2f` %.
# - The paper compares with a simulated truth, which does not matter here: the probability to cover
#   {published}`jiang/section-2.4/true_f0.5` is
#   {glue:text}`jiang-normality-coverage-printed-truth:.3f` %.
#
# ### One test for all numbers
#
# Four of the printed numbers come from the same ten thousand data sets, so they are correlated; the
# true value has draws of its own. Are the five together further from the exact values than chance
# allows?

# %%
# Test all printed numbers together.
names_of_sets = ["mean_f0.5", "standard_deviation", "mean_standard_error", "covered"]
deviations = (sample.estimate - sample.estimate.mean()) ** 2
pieces = [sample.estimate, deviations, sample.standard_error, covered.astype(float)]
correlation = np.eye(5)
correlation[1:, 1:] = np.corrcoef(pieces)
ids = [f"jiang/section-2.4/{name}" for name in ("true_f0.5", *names_of_sets)]
test = joint_test.joint_test(
    [[printed(identity) for identity in ids]],
    [[truth, *(exact[name][0] for name in names_of_sets)]],
    [[truth_error, *(exact[name][1] / sets**0.5 for name in names_of_sets)]],
    unit=[[2 * float(page.number(identity).half_unit) for identity in ids]],
    correlation=correlation[None],
)
say("jiang-normality-joint", min(test.p_chi_square, test.p_largest, test.p_mean))
joint_test.table({"section 2.4": test})

# %% [markdown]
# They are not (smallest p-value {glue:text}`jiang-normality-joint:.2f`).
#
# ## Figure 1
#
# The paper's figure is a histogram of the ten thousand estimates. Ours has two curves on it: the
# normal density that {prf:ref}`prop-jiang-normal` promises, and the exact probabilities of the same
# bins. The lower panel compares each quantile of the estimate with that of the normal distribution.

# %%
sigma = (variance / n) ** 0.5
bins = truth + sigma * np.arange(-4, 4.01, 0.25)
in_bins = np.histogram(every.estimate, bins, weights=probability)[0] / (bins[1] - bins[0])
u = np.linspace(-3.2, 3.2, 129)
order = np.argsort(every.estimate)
positions = np.searchsorted(np.cumsum(probability[order]), special.ndtr(u))
quantiles = every.estimate[order][np.minimum(positions, len(order) - 1)]


# %%
def draw_histogram(axis):
    """Draw the simulated estimates, the normal limit and the exact distribution."""
    sky, red = figures.COLOURS["sky"], figures.COLOURS["vermilion"]
    axis.hist(sample.estimate, bins, density=True, color=sky, alpha=0.6, label="simulated")
    fine = np.linspace(bins[0], bins[-1], 400)
    axis.plot(fine, stats.norm.pdf(fine, truth, sigma), color=red, label="normal limit")
    axis.plot((bins[1:] + bins[:-1]) / 2, in_bins, "o", markersize=3, color="black", label="exact")
    axis.set(xlabel="F0.5 of a data set", ylabel="density", title="Estimates", ylim=(0, 40))
    axis.legend(loc="upper left", handlelength=1.2)


# %% mystnb={"image": {"alt": "Above: a histogram of simulated F0.5 values, bell-shaped around 0.87; the exact bin probabilities and the normal curve lie on top of each other and of the bars. Below: exact quantiles minus normal quantiles against the normal quantile; the curve is slightly above zero in the middle and bends below zero in both tails, by a sixth of a standard deviation at three standard deviations; the simulated one scatters about it."}, "figure": {"caption": "Figure 1 of the paper. Above: histogram of the simulated estimates at n = 1000, with the exact distribution (dots) and the normal limit around the true value (line). Below: quantiles of the estimate, exact and simulated, minus those of the normal limit; the unit of both axes is the limit's standard deviation.", "name": "fig-jiang-normality-figure-1"}}
# Draw the histogram, and the departure of the quantiles from a normal distribution.
figure, (left, right) = figures.subplots(2, 1, height=6.0)
draw_histogram(left)
right.axhline(0, color="black", linewidth=0.8)
drawn = np.quantile(sample.estimate, special.ndtr(u))
sky = figures.COLOURS["sky"]
right.plot(u, drawn / sigma - truth / sigma - u, color=sky, linestyle="--", label="simulated")
right.plot(u, (quantiles - truth) / sigma - u, color="black", label="exact")
right.set(xlabel="normal quantile", ylabel="quantile of F0.5 minus normal")
right.set_title("Departure from normal")
right.legend()
figures.save(figure, "jiang-normality-figure-1")

# %% [markdown]
# The estimate is skewed to the left, because a score cannot exceed 1. Its lower tail is longer than
# a normal tail, and its upper tail is shorter. At $n = 1000$ the difference is a sixth of a
# standard deviation in the far tails. (The step of the exact curve in the lower tail is real: F0.5
# is $5/6$ for every table with $\mathrm{TP} = 4\,\mathrm{FP} + \mathrm{FN}$, so this value has a
# positive probability.)
#
# ## How small may a data set be?
#
# The same sum for other sizes. Below a few hundred items the interval covers too rarely, and its
# misses are one-sided. The standard error shrinks as the estimate approaches 1, so an interval
# that misses usually lies too high. On the logit scale (`method="logit"`) both effects are much
# smaller.

# %%
curve = []
for size in curve_sizes:
    plain, weight = tversky_index.exact_intervals(size, cells, index, "delta", level)
    logit, _ = tversky_index.exact_intervals(size, cells, index, "logit", level)
    events = (plain.low > truth, plain.high < truth, plain.high > 1)
    covers = logit.covers(truth)
    # An undefined index (no relevant item at all) covers nothing.
    curve.append([float(weight @ event) for event in (*events, covers)] + [weight.sum()])
too_high, too_low, outside, logit_coverage, defined = 100 * np.transpose(curve)
plain_coverage = defined - too_high - too_low

# %% mystnb={"image": {"alt": "Above: exact coverage against data set size. That of the plain interval rises from about 60 percent at 10 items to nearly 95 percent at 1000; that of the logit interval is near 95 percent or above throughout. Below: the two kinds of misses of the plain interval; intervals too high are far more frequent than intervals too low, and both tend to 2.5 percent."}, "figure": {"caption": "Exact coverage of the 95 % intervals for F0.5 in the model of section 2.4, and the two ways in which the plain interval misses. The square is the coverage that the paper prints.", "name": "fig-jiang-normality-sizes"}}
# Draw coverage and misses against the size of the data set.
figure, (left, right) = figures.subplots(2, 1, height=6.0)
blue, red, green = (figures.COLOURS[c] for c in ("blue", "vermilion", "green"))
left.plot(curve_sizes, logit_coverage, "D-.", color=green, label="logit")
left.plot(curve_sizes, plain_coverage, "o-", color=blue, label="plain")
look = {"ms": 8, "mfc": "none", "color": red, "zorder": 3}
left.plot([n], [printed("jiang/section-2.4/coverage")], "s", label="printed", **look)
left.axhline(100 * level, color="black", linewidth=0.8, label=f"the level: {100 * level:g} %")
left.set(ylabel="per cent", title="Coverage")
right.plot(curve_sizes, too_high, "^-", color=red, label="interval above the truth")
right.plot(curve_sizes, too_low, "v--", color=blue, label="interval below the truth")
half = 50 * (1 - level)
right.axhline(half, color="black", linewidth=0.8, label=f"as promised: {half:g} %")
right.set(title="Misses", ylim=(0, None))
for axis, place in ((left, "lower right"), (right, "best")):
    axis.set(xscale="log", xlabel="size $n$ of the data set")
    axis.set_xticks([10, 30, 100, 300, 1000], ["10", "30", "100", "300", "1000"])
    axis.minorticks_off()
    axis.legend(loc=place)
figures.save(figure, "jiang-normality-sizes")

# %%
# Show the same numbers as a table.
shares = zip(plain_coverage, too_high, too_low, outside, logit_coverage, strict=True)
rows = [
    [f"{size}", *(f"{share:.2f}" for share in row)]
    for size, row in zip(curve_sizes, shares, strict=True)
]
head = ["n", "coverage (%)", "above (%)", "below (%)", "upper end above 1 (%)"]
show.table(
    [*head, "logit: coverage (%)"],
    rows,
    numeric=range(6),
    caption=(
        "Coverage and misses by the size of the data set. In small data sets the delta "
        "interval misses on one side only, and may end above 1."
    ),
)

# %% tags=["remove-cell"]
# Keep the numbers at the smallest size for the text.
say("jiang-normality-smallest", curve_sizes[0])
say("jiang-normality-smallest-logit", logit_coverage[0])
say("jiang-normality-smallest-plain", plain_coverage[0])

# %% [markdown]
# (shown-n-jiang-7)=
# ## Statement by statement
#
# What section 2.4 and corollary 1 say about the interval, and the introduction about thresholds.
# "Close" is not defined; for a coverage we take it to be within one percentage point.

# %%
# Prepare what the claims about the simulation need.
claim = statements.Claims()
farthest = float(np.abs((quantiles - truth) / sigma - u)[np.abs(u) <= 2].max())
ratio = mean_error / deviation

# %%
# State each claim of section 2.4: words of the paper, our numbers, and whether it holds.
text = "the mean standard error is very close to the standard deviation"
claim("2.4", text, f"{100 * (ratio - 1):+.2f} %", abs(ratio - 1) < 0.01)
close = abs(coverage - level) < 0.01
claim("2.4", "the coverage is very close to 95 %", f"{100 * coverage:.2f} %", close)
value = f"quantiles within {farthest:.2f} s.d. up to 2 s.d. from the middle"
claim("2.4", "the estimates follow a normal-looking distribution", value, farthest < 0.1)
text = "the mean estimate is very close to the true value"
claim("2.4", text, f"{mean - truth:+.1e}", abs(mean - truth) < deviation / 20)

# %%
# Prepare what the claims about the threshold and about the limit of the coverage need.
perfect = np.array([[positive, 0.0], [0.0, 1 - positive]])
always = model(-10.0)
recall, precision = always[1, 1] / always[1].sum(), always[1, 1] / always[:, 1].sum()
lower = precision < cells[1, 1] / cells[:, 1].sum()
# If every item is right, the index is the same in every sample, and so is the interval.
samples_of_perfect = [np.diag([n - positives, positives]) for positives in (1, n // 2, n - 1)]
at_one = {float(index.value(sample)) for sample in samples_of_perfect}
coverage_at_one = float(at_one == {float(index.value(perfect))})

# %%
# State the claims about the threshold and about the limit of the coverage.
value = f"at -10: recall {recall:.3f}, precision {precision:.3f}"
text = "a lower threshold raises recall to 1, and usually lowers precision"
claim("1", text, value, recall > 0.999 and lower)
text = "the coverage tends to 1 - alpha for any alpha in (0, 1)"
value = f"if every item is right, the coverage is {coverage_at_one:g} at every n"
claim("Corollary 1", text, value, abs(coverage_at_one - level) < 0.01)
small = f"{plain_coverage[0]:.0f} % at n = {curve_sizes[0]}"
value = f"{100 * coverage:.2f} % at n = {n}, {small}"
claim("Corollary 1", "the same, if 0 < index < 1", value, close)
claim.table()

# %% [markdown]
# Corollary 1 needs a condition that the paper does not state: the true index lies strictly between
# 0 and 1 ({ref}`N-jiang-7 <N-jiang-7>`). At 0 and at 1 the sample index has no variance. The
# interval is then a point, and it always covers.

# %% [markdown]
# ## What we learn
#
# - All numbers of section 2.4 are confirmed, one by one and together. Where the paper simulates,
#   exact values now stand beside them.
# - At $n = 1000$ the normal limit is good: the coverage is
#   {glue:text}`jiang-normality-coverage:.2f` %, and the standard error from the data is right to a
#   fraction of a per cent.
# - The printed true value is right to three digits, and no conclusion depends on the others.
# - The limit misses the skewness, and so does a symmetric interval. For small data sets use an
#   interval that respects the range: the Wilson score interval for F1 ([](/book/lam.md)), or
#   `method="logit"` of `f1ci.Matrix(...).interval` for any index. At
#   {glue:text}`jiang-normality-smallest` items its coverage is
#   {glue:text}`jiang-normality-smallest-logit:.1f` %, the plain interval's
#   {glue:text}`jiang-normality-smallest-plain:.1f` %.
