# %% [markdown]
# # How good is a rule for orange juice, and how many purchases tell? Jiang (2020), sections 1 to 2.3
#
# Which of two brands of orange juice will a customer take? {cite:t}`jiang2020` has a logistic
# regression, validates it on {published}`jiang/section-1/n` purchases, half of a data set, and
# reports an F0.5 of {published}`jiang/section-1/f0.5`. Two questions follow. How sure is this
# number? And how many purchases would one need to know it within {published}`jiang/section-2.3/half_width`? The answers
# are one formula for the standard error and one bound for it, both derived in
# [the chapter](/book/jiang.md). This page recomputes every number of the paper's sections 1 to 2.3,
# does the regression again on a thousand other halves, and shows that for F0.5 the plan can be
# much smaller.

# %% tags=["parameters"]
plan_beta: float = 0.5  # your own plan: the beta of F-beta, as in the paper's example
plan_half_width: float = 0.02  # your own plan: half width of the interval
plan_prevalence: float = 0.615  # your own plan: share of positives
plan_confidence_level: float = 0.95  # your own plan: level of the interval
splits_made_anew: int = 20  # random halves on which the regression is fitted live
random_rules: int = 4_000  # rules drawn to look at the bound
seed: int = 20201223  # root of all random streams

# %% tags=["remove-cell"]
import math

import numpy as np
from compendium import figures, ledger, show
from scipy import special, stats
from sklearn.linear_model import LogisticRegression

import f1ci
from f1ci.planning import variance_bound, worst_rule
from notebooks.shared import datasets

page = ledger.open("jiang-orange-juice")
given, printed, record, say = page


def near(value, name):
    """Whether values round to a printed number."""
    number = page.number(f"jiang/{name}")
    return np.abs(value - float(number.value)) <= float(number.half_unit) + 1e-12


a, b = given("jiang/section-2.3/a"), given("jiang/section-2.3/b")
index = f1ci.metrics.tversky(a, b)
level = given("jiang/section-2.3/confidence_level") / 100
z = float(special.ndtri(0.5 + level / 2))

# %% [markdown]
# ## Weights and quantiles
#
# Every $F_\beta$ is a Tversky index with weights $a$ for the false positives and $b$ for the false
# negatives ({prf:ref}`prop-jiang-fbeta`, remark 1 of the paper).

# %%
betas = [given(f"jiang/section-1/beta-{k}") for k in (1, 2, 3)]
for beta in betas:
    metric = f1ci.metrics.fbeta(beta)
    record(f"jiang/remark-1/beta-{beta:g}/a", metric.a)
    record(f"jiang/remark-1/beta-{beta:g}/b", metric.b)
alpha = given("jiang/corollary-1/alpha")
record("jiang/corollary-1/critical_value", special.ndtri(1 - alpha / 2))
record("jiang/section-2.3/critical_value", z)
ids = [f"jiang/remark-1/beta-{beta:g}/{weight}" for beta in betas for weight in "ab"]
show.compare([*ids, "jiang/corollary-1/critical_value"])

# %% [markdown]
# (shown-e-jiang-3)=
# ## The table behind the example
#
# The paper prints $n =$ {published}`jiang/section-2.3/n` and four statistics of the validation set,
# but not its table of counts. Are there many tables that would give the same numbers? We try them
# all ({ref}`N-jiang-3 <N-jiang-3>`).

# %%
n = int(given("jiang/section-2.3/n"))
k = np.arange(n + 1)
tp, fp, fn = np.meshgrid(k[near(k / n, "section-2.3/mean_za")], k, k, indexing="ij")
possible = tp + fp + fn <= n
fits = {
    "prevalence": near((tp + fn) / n, "section-2.3/prevalence"),
    "tversky": near(tp / (tp + a * fp + b * fn), "section-2.3/tversky"),
    "tversky_squared": near(tp / (tp + a**2 * fp + b**2 * fn), "section-2.3/tversky_squared"),
}
words = {
    "prevalence": "the share of Citrus Hill",
    "tversky": "the index with weights 0.8 and 0.2",
    "tversky_squared": "the index with the squared weights",
}


def count_tables(names):
    """How many tables agree with the mean of ZA and with these numbers."""
    return int((possible & np.all([fits[name] for name in names], axis=0)).sum())


found = np.argwhere(possible & fits["prevalence"] & fits["tversky"] & fits["tversky_squared"])
table = datasets.confusion_matrix("jiang/section-2.3")
(tn, fp_count), (fn_count, tp_count) = table.to_numpy().tolist()
only = [(int(tp[tuple(i)]), int(fp[tuple(i)]), int(fn[tuple(i)])) for i in found]
assert only == [(tp_count, fp_count, fn_count)]
say("jiang-juice-table", f"TP {tp_count}, FP {fp_count}, FN {fn_count}, TN {tn}")
show.table(
    ["printed numbers that the table must have", "tables"],
    [
        ["the mean of ZA alone", f"{int(possible.sum()):,}"],
        *(
            [f"all but {words[left_out]}", f"{count_tables([k for k in fits if k != left_out])}"]
            for left_out in fits
        ),
        ["all of them", f"{len(only)}"],
    ],
    numeric=(1,),
)

# %% [markdown]
# One table is left, and so the example can be recomputed from counts after all:

# %%
show.table(
    ["", "predicted Minute Maid", "predicted Citrus Hill"],
    [
        ["true Minute Maid", f"{tn}", f"{fp_count}"],
        ["true Citrus Hill", f"{fn_count}", f"{tp_count}"],
    ],
    numeric=(1, 2),
)

# %% [markdown]
# ## The interval of section 2.3
#
# Without the share of Citrus Hill there would be a second table; each of the two indices could be
# left out, and the others would predict it. From the table come the four statistics that we found
# it by, and then two that we did not use: the standard error ({prf:ref}`prop-jiang-normal`) and the half width of the 95 % interval
# ({prf:ref}`cor-jiang-interval`).

# %%
juice = table.to_numpy()
interval = f1ci.metric_interval(juice, index, method="delta", confidence_level=level)
# Four of these were used to find the table; the ledger calls them inputs.
reconstructed = {
    "mean_za": tp_count / n,
    "prevalence": (tp_count + fn_count) / n,
    "tversky": interval.estimate,
    "tversky_squared": f1ci.metrics.tversky(a**2, b**2).value(juice),
    "standard_error": interval.standard_error,
    "margin": interval.length / 2,
}
for name, value in reconstructed.items():
    record(f"jiang/section-2.3/{name}", value, reconstructed=True)
say("jiang-juice-low", interval.low)
say("jiang-juice-high", interval.high)
show.compare([f"jiang/section-2.3/{name}" for name in reconstructed])

# %% [markdown]
# So the interval is {glue:text}`jiang-juice-low:.3f` to {glue:text}`jiang-juice-high:.3f`.
#
# ## The regression, on a thousand other halves
#
# The data are public (1070 purchases of Citrus Hill or Minute Maid), but not which half served for
# training. So the printed numbers cannot be computed; they can be placed. For each of a thousand
# random halves we fit the probability of Citrus Hill by logistic regression on the two factors that
# the paper names, customer loyalty and price difference, predict Citrus Hill if it exceeds
# {published}`jiang/section-1/threshold`, and count the four outcomes in the other half. The counts
# are in `notebooks/data/splits-orange-juice.csv`. Some are made anew here, to see that they are
# what they claim to be:

# %%
counts = datasets.split_counts("orange-juice")
first = np.random.default_rng(seed).choice(len(counts), splits_made_anew, replace=False)
features, bought = datasets.orange_juice_problem()
root = 2012_14894  # of the committed halves; each has a random stream of its own


def fitted_on_half(i):
    """Outcome by prediction on the other half, for a regression without penalty."""
    stream = np.random.default_rng(np.random.SeedSequence(root, spawn_key=(int(i),)))
    train, rest = np.split(stream.permutation(len(bought)), 2)
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", max_iter=1000)
    predicted = model.fit(features[train], bought[train]).predict(features[rest])
    return f1ci.confusion_matrix(bought[rest], predicted)


again = np.array([fitted_on_half(i) for i in first])
same = (again == counts[first]).all(axis=(1, 2))
assert (counts.sum(axis=(1, 2)) == given("jiang/section-1/n")).all()
say("jiang-juice-anew", splits_made_anew)
say("jiang-juice-agree", int(same.sum()))

# %% [markdown]
# Of {glue:text}`jiang-juice-anew` halves {glue:text}`jiang-juice-agree` give the committed counts
# again, all four. Now the distribution of each printed number over the halves.

# %% mystnb={"image": {"alt": "Four histograms over a thousand random halves: F0.5, its standard error, the share of true positives and the prevalence. In each panel a vertical line marks the printed number, which lies inside the shaded central 99 percent; the printed F0.5 is near the middle."}, "figure": {"caption": "What the paper prints (line), among logistic regressions on a thousand random halves of the data. Shaded: the central 99 %.", "name": "fig-jiang-juice-splits"}}
over_splits = f1ci.metric_interval(counts, index, method="delta", confidence_level=level)
share = counts / counts.sum(axis=(1, 2), keepdims=True)
distributions = {
    "section-1/f0.5": ("F0.5", over_splits.estimate),
    "section-2.3/standard_error": ("standard error of F0.5", over_splits.standard_error),
    "section-2.3/mean_za": ("share of true positives", share[:, 1, 1]),
    "section-2.3/prevalence": ("share of Citrus Hill", share[:, 1].sum(axis=1)),
}
bands = {
    name: tuple(map(float, np.quantile(values, [0.005, 0.995])))
    for name, (_, values) in distributions.items()
}
scores = over_splits.estimate
record(
    "jiang/section-1/f0.5",
    float(np.median(scores)),
    band=bands["section-1/f0.5"],
    splits=len(scores),
)
figure, axes = figures.subplots(2, 2, height=4.4)
for axis, (name, (title, values)) in zip(axes.flat, distributions.items(), strict=True):
    axis.axvspan(*bands[name], color="#e8e8e8", linewidth=0)
    axis.hist(values, bins=30, color=figures.COLOURS["sky"])
    axis.axvline(printed(f"jiang/{name}"), color=figures.COLOURS["vermilion"], linewidth=2)
    axis.set(title=title, yticks=[])
    axis.grid(False)
figures.save(figure, "jiang-orange-juice-splits")

# %% tags=["hide-input"]
show.table(
    ["", "printed", "median", "central 99 %", "share of halves below the printed number"],
    [
        [
            title,
            show.printed(f"jiang/{name}"),
            f"{np.median(values):.4f}",
            f"{bands[name][0]:.4f} to {bands[name][1]:.4f}",
            f"{100 * (values < printed(f'jiang/{name}')).mean():.0f} %",
        ]
        for name, (title, values) in distributions.items()
    ],
    numeric=(1, 2, 3, 4),
)

# %% tags=["remove-cell"]
(same_table,) = np.nonzero((counts == juice).all(axis=(1, 2)))
assert len(same_table) == 1
say("jiang-juice-same", int(same_table[0]))
say("jiang-juice-halves", len(counts))
say("jiang-juice-spread", float(scores.std(ddof=1)))
say("jiang-juice-mean-error", float(over_splits.standard_error.mean()))

# %% [markdown]
# The ledger takes the first of these as it is: {published}`jiang/section-1/f0.5` is the kind of
# number that this procedure gives. More than that: one of the thousand halves, number
# {glue:text}`jiang-juice-same`, has exactly the table that we reconstructed. So the table is not
# only consistent with what is printed; a logistic regression on these data does produce it.
#
# A half is not a new study: the halves overlap, and the total of Citrus Hill is fixed. This is why
# the scores vary by {glue:text}`jiang-juice-spread:.4f` only, while the standard error, which is
# about new purchases, is {glue:text}`jiang-juice-mean-error:.4f` on average.
#
# ## The bound and its table
#
# Before there is a classifier nothing is known about its index. What can be said is that for every
# classifier $\nu(a, b) \le V(\max\{a, b\}) / (b\,\mathrm E[Z])$ ({prf:ref}`prop-jiang-bound`), and
# here is the paper's table of $V$:

# %%
for number in range(1, 6):
    text = page.text(f"jiang/proposition-1/argument-{number}")
    largest = float(text)
    record(
        f"jiang/proposition-1/v/max-{largest:g}",
        variance_bound(largest, largest, bound="jiang"),
    )
show.compare([i for i in page.records if i.startswith("jiang/proposition-1/v/")])

# %% [markdown]
# (shown-e-jiang-1)=
# **At 1.** The formula that the paper gives for the maximiser has $1/(1 - \max\{a, b\})$ in it, so
# it says nothing about the Jaccard index, $a = b = 1$ ({ref}`N-jiang-1 <N-jiang-1>`). The maximum
# itself has no gap there; {prf:ref}`lem-jiang-v` writes the maximiser so that 1 is no exception:


# %%
def as_printed(largest):
    """V by the formula of proposition 1 (ii)."""
    c = 1 / (1 - largest)
    root = math.sqrt(4 * c * c - 4 * c + 9)
    tau = (3 + 2 * c + (-root if c > 1 else root)) / 8
    return tau * (1 - tau) * (1 - tau / c) ** 2


rows = []
for largest in (0.99, 0.9999, 1, 1.0001, 1.01):
    try:
        formula = f"{as_printed(largest):.6f}"
    except ZeroDivisionError:
        formula = "division by zero"
    rows.append([f"{largest:g}", formula, f"{variance_bound(largest, largest):.6f}"])
show.table(["max{a, b}", "formula as printed", "maximum"], rows, numeric=(0, 1, 2))

# %% [markdown]
# (shown-e-jiang-2)=
# **In the proof.** One step says
# $a\,\mathrm E[A] + b\,\mathrm E[Z] \ge \max\{a\,\mathrm E[A], b\,\mathrm E[Z]\} + \min\{a, b\}\,\mathrm E[Z]$.
# It is false; with $\mathrm E[ZA]$ at the end it is true, and this is what the next line needs
# ({ref}`E-jiang-2 <E-jiang-2>`, {prf:ref}`rem-jiang-proof`). A counterexample has $a = b = 1/2$,
# $\mathrm E[A] = \mathrm E[ZA] = 1/10$ and $\mathrm E[Z] = 1/2$; among random rules there are many:

# %%
rng = np.random.default_rng(seed + 1)
drawn = rng.dirichlet(np.ones(4), random_rules).reshape(-1, 2, 2)


def step(rules, weight_a, weight_b):
    """The left side of the step, its right side as printed, and the same with E(ZA)."""
    ea, ez, eza = rules[..., 1].sum(axis=-1), rules[..., 1, :].sum(axis=-1), rules[..., 1, 1]
    one, other = weight_a * ea, weight_b * ez
    largest, smallest = np.maximum(one, other), min(weight_a, weight_b)
    return one + other, largest + smallest * ez, largest + smallest * eza


counterexample = np.array([[0.5, 0.0], [0.4, 0.1]])
sides = step(counterexample, 0.5, 0.5)
for name, side in zip(("left", "printed", "right"), sides, strict=True):
    say(f"jiang-juice-step-{name}", float(side))
rows = [["the counterexample", *(f"{side:.2f}" for side in sides)]]
for weight_a, weight_b in ((0.5, 0.5), (a, b), (b, a)):
    left_side, *right_sides = step(drawn, weight_a, weight_b)
    fails = [f"fails for {100 * (left_side < r - 1e-15).mean():.0f} %" for r in right_sides]
    rows.append([f"random rules, a = {weight_a:g}, b = {weight_b:g}", "", *fails])
show.table(["", "left side", "right side, as printed", "with E[ZA]"], rows, numeric=(1, 2, 3))

# %% [markdown]
# The proposition itself holds, as the next section shows with the same rules.
#
# (shown-e-jiang-5)=
# ## A smaller bound
#
# For F0.5 no rule comes near the published bound. The figure shows $\nu \cdot b\,\mathrm E[Z]$ for
# random rules; the bound says that this is at most $V(\max\{a, b\})$. By
# {prf:ref}`thm-jiang-sharp` it is at most $V(b)$, and there is a rule that attains it: no false
# positives, and a certain recall ({ref}`N-jiang-5 <N-jiang-5>`).

# %%
gap_rows = []
for beta in (0.25, 0.5, 0.75, 1, 2):
    metric = f1ci.metrics.fbeta(beta)
    sharp, jiang = (variance_bound(metric.a, metric.b, bound=kind) for kind in ("sharp", "jiang"))
    false_positives, false_negatives = worst_rule(metric.a, metric.b)
    worst = np.array([[1.0, false_positives], [false_negatives, 1.0]])
    worst /= worst.sum()
    attained = (worst * metric.gradient(worst) ** 2).sum() * metric.b * worst[1].sum()
    assert abs(attained - sharp) < 1e-12
    gap_rows.append(
        [
            f"{beta:g}",
            f"{jiang:.4f}",
            f"{sharp:.4f}",
            f"{attained:.4f}",
            f"{1 / (1 + false_negatives):.3f}",
            f"{jiang / sharp:.2f}",
        ]
    )
head = ["beta", "V(max{a, b})", "V(b)", "attained", "recall of that rule", "ratio of sample sizes"]
show.table(head, gap_rows, numeric=range(6))

# %% mystnb={"image": {"alt": "Scatter of many random rules for F0.5: their F0.5 on the horizontal axis, scaled variance on the vertical. All points lie below a hump-shaped curve whose top touches a dashed line at 0.12; the published bound is a line far above at 0.205. The rule of the example is low on the right, close to the curve."}, "figure": {"caption": "The variance of F0.5, times b E[Z], of random rules. Curve: the largest value for a given F0.5, reached by rules without false positives up to moderate F0.5. Dashed: the sharp bound. Dotted: the published one. Square: the rule of the example.", "name": "fig-jiang-juice-bound"}}
# Rules with few false positives or few false negatives are where the variance is large.
concentration = rng.choice([0.05, 0.3, 1.0], size=(random_rules, 3))
ratios = rng.gamma(concentration)
ratios = ratios[ratios[:, 0] > 1e-6]
cloud = np.zeros((len(ratios), 2, 2))
cloud[:, 1, 1], cloud[:, 0, 1], cloud[:, 1, 0] = ratios.T


def scaled_variance(rules):
    """The variance of the index times b E(Z)."""
    rules = rules / rules.sum(axis=(-2, -1), keepdims=True)
    nu = (rules * index.gradient(rules) ** 2).sum(axis=(-2, -1))
    return nu * b * rules[..., 1, :].sum(axis=-1)


sharp, jiang = (variance_bound(a, b, bound=kind) for kind in ("sharp", "jiang"))
assert (scaled_variance(cloud) <= sharp * (1 + 1e-12)).all()
assert (scaled_variance(drawn) <= sharp * (1 + 1e-12)).all()

# For one value of the index: all ways to divide the errors between the two kinds.
score = np.linspace(0.001, 0.999, 400)[:, None]
divided = np.linspace(0, 1, 401)[None, :]
errors = 1 / score - 1
edge = np.zeros((400, 401, 2, 2))
edge[..., 1, 1] = 1
edge[..., 0, 1], edge[..., 1, 0] = errors * (1 - divided) / a, errors * divided / b
highest = scaled_variance(edge).max(axis=1)

figure, axis = figures.subplots(height=4.0)
axis.plot(
    index.value(cloud), scaled_variance(cloud), ".", markersize=2, alpha=0.5,
    color=figures.COLOURS["grey"], label="random rules",
)  # fmt: skip
axis.plot(score[:, 0], highest, color=figures.COLOURS["blue"], label="largest for this F0.5")
axis.axhline(jiang, linestyle=":", color=figures.COLOURS["vermilion"], label="published bound")
axis.axhline(sharp, linestyle="--", color=figures.COLOURS["green"], label="sharp bound")
axis.plot(
    interval.estimate, scaled_variance(juice), "s", markersize=7, color="black", label="the example"
)
axis.set(xlabel="F0.5", ylabel=r"$\nu \cdot b\,\mathrm{E}[Z]$", ylim=(0, 0.23), xlim=(0, 1))
axis.legend(loc="upper right", bbox_to_anchor=(1, 0.88))
figures.save(figure, "jiang-orange-juice-bound", raster=True)

# %% [markdown]
# (shown-e-jiang-4-rounding)=
# ## Planning the next study
#
# A half width of {published}`jiang/section-2.3/half_width` at the level of 95 % asks for a standard
# error of {published}`jiang/section-2.3/half_width` divided by the quantile, which the paper rounds
# to {published}`jiang/section-2.3/planned_standard_error`. With $V$ rounded as in its table, its
# arithmetic is:

# %%
width = given("jiang/section-2.3/half_width")
record("jiang/section-2.3/planned_standard_error", width / z)
record("jiang/section-2.3/v", variance_bound(a, b, bound="jiang"))
rounded_error, rounded_v = (
    printed("jiang/section-2.3/planned_standard_error"),
    printed("jiang/section-2.3/v"),
)
rounded_share = printed("jiang/section-2.3/prevalence")
rounded_positives = round(rounded_v / (rounded_error**2 * b), 6)
record("jiang/section-2.3/planned_positives", rounded_positives)
for name in ("planned_total", "planned_total/restated"):
    record(f"jiang/section-2.3/{name}", math.ceil(rounded_positives / rounded_share))
names = ("planned_standard_error", "v", "planned_positives", "planned_total")
show.compare([f"jiang/section-2.3/{name}" for name in names])

# %% [markdown]
# The rounding costs more than it seems to ({ref}`N-jiang-4 <N-jiang-4>`), and the published bound
# costs more than the rounding. The same plan, without either:


# %%
def plan(bound, error=None):
    """Positives and total of the example's plan; for a given standard error, if any."""
    wanted = {"half_width": width} if error is None else {"standard_error": error}
    return f1ci.sample_size(
        index, **wanted, prevalence=rounded_share, bound=bound, confidence_level=level
    )


only_v_rounded = rounded_v / ((width / z) ** 2 * b)
similar = n * (interval.length / 2 / width) ** 2
plans = {
    "as printed": (rounded_positives, math.ceil(rounded_positives / rounded_share)),
    "V with all its digits": (plan("jiang", rounded_error).positives, plan("jiang", rounded_error).total),
    "only V rounded": (math.ceil(only_v_rounded), math.ceil(only_v_rounded / rounded_share)),
    "nothing rounded": (plan("jiang").positives, plan("jiang").total),
    "sharp bound, standard error rounded": (plan("sharp", rounded_error).positives, plan("sharp", rounded_error).total),
    "sharp bound, nothing rounded": (plan("sharp").positives, plan("sharp").total),
    "if the new rule were like this one": (math.ceil(similar * (tp_count + fn_count) / n), math.ceil(similar)),
}  # fmt: skip
show.table(
    ["plan", "Citrus Hill", "purchases", "of the printed"],
    [
        [
            name,
            f"{positives:,.0f}",
            f"{total:,}",
            f"{100 * total / printed('jiang/section-2.3/planned_total'):.0f} %",
        ]
        for name, (positives, total) in plans.items()
    ],
    numeric=(1, 2, 3),
)

# %% tags=["remove-cell"]
say("jiang-juice-unrounded", plans["only V rounded"][1])
say("jiang-juice-exact-total", plans["nothing rounded"][1])
say("jiang-juice-sharp-total", plans["sharp bound, nothing rounded"][1])
say("jiang-juice-similar", plans["if the new rule were like this one"][1])
say("jiang-juice-sharp-rounded", plans["sharp bound, standard error rounded"][1])
say("jiang-juice-sharp", sharp)
say("jiang-juice-ratio", jiang / sharp)
say("jiang-juice-saved", 100 * (1 - sharp / jiang))
needed = plan("sharp").positives
enough = stats.binom.sf(needed - 1, plan("sharp").total, rounded_share)
say("jiang-juice-enough", 100 * float(enough))
safe = int(stats.nbinom.ppf(0.95, needed, rounded_share)) + needed
assert stats.binom.sf(needed - 1, safe, rounded_share) >= 0.95
say("jiang-juice-safe", safe)

# %% [markdown]
# Without rounding the standard error the published bound asks for
# {glue:text}`jiang-juice-unrounded:,` purchases ({glue:text}`jiang-juice-exact-total:,` with all digits
# of $V$), the sharp one for {glue:text}`jiang-juice-sharp-total:,`. Both hold for every rule. If one
# dared to assume that the new rule is like the old one, {glue:text}`jiang-juice-similar:,` would do:
# the difference is the price of not knowing.
#
# The width is guaranteed by the number of positives ({prf:ref}`prop-jiang-guarantee`). A sample
# of the planned total has that many in {glue:text}`jiang-juice-enough:.0f` % of all cases only; to
# have them with a probability of 95 % takes {glue:text}`jiang-juice-safe:,` purchases.
#
# ## Your own plan
#
# Set the four `plan_` parameters of this page, or call `f1ci.sample_size` directly.

# %%
own = f1ci.metrics.fbeta(plan_beta)
own_plans = {
    bound: f1ci.sample_size(
        own,
        half_width=plan_half_width,
        prevalence=plan_prevalence,
        bound=bound,
        confidence_level=plan_confidence_level,
    )
    for bound in ("sharp", "jiang")
}
show.table(
    [f"{own.name}, half width {plan_half_width:g}, level {plan_confidence_level:g}", "V", "positives", "total"],
    [
        [f"{bound} bound", f"{p.variance_bound:.4f}", f"{p.positives:,}", f"{p.total:,}"]
        for bound, p in own_plans.items()
    ],
    numeric=(1, 2, 3),
)  # fmt: skip

# %% mystnb={"image": {"alt": "Left: number of items against half width on logarithmic axes; straight lines with slope minus two, lowest for F2, highest for F0.5, where the dashed line of the published bound lies above the solid sharp one. Right: positives needed relative to recall against beta; sharp and published bounds agree from beta 1 on and separate below."}, "figure": {"caption": "Left: items that guarantee a half width, at the prevalence and level set above; solid with the sharp bound, dashed with the published one where it differs; the circle is your plan. Right: positives needed for F-beta, relative to those for recall.", "name": "fig-jiang-juice-plan"}}
figure, (left, right) = figures.subplots(1, 2, height=3.6)
widths = np.geomspace(0.005, 0.1, 30)
looks = ["blue", "vermilion", "green", "purple"]
wanted = [*betas, *([plan_beta] if plan_beta not in betas else [])]
for beta, colour in zip(wanted, looks, strict=False):
    for bound, style in (("jiang", "--"), ("sharp", "-")):
        total = [
            f1ci.sample_size(
                f1ci.metrics.fbeta(beta),
                half_width=w,
                prevalence=plan_prevalence,
                bound=bound,
                confidence_level=plan_confidence_level,
            ).total
            for w in widths.tolist()
        ]
        label = f"$F_{{{beta:g}}}$" if bound == "sharp" else None
        left.plot(widths, total, style, color=figures.COLOURS[colour], label=label)
left.plot(plan_half_width, own_plans["sharp"].total, "o", markersize=7, color="black")
left.set(xscale="log", yscale="log", xlabel="half width", ylabel="items", title="Items for a width")
left.set_xticks([0.005, 0.01, 0.02, 0.05, 0.1], ["0.005", "0.01", "0.02", "0.05", "0.1"])
left.minorticks_off()
left.legend()
some_betas = np.geomspace(0.2, 5, 120)
for bound, style, label in (("jiang", "--", "published bound"), ("sharp", "-", "sharp bound")):
    relative = []
    for metric in map(f1ci.metrics.fbeta, some_betas.tolist()):
        relative.append(variance_bound(metric.a, metric.b, bound=bound) / metric.b / 0.25)
    right.plot(some_betas, relative, style, color="black", label=label)
right.set(
    xscale="log", yscale="log", xlabel=r"$\beta$", ylabel="relative to recall",
    title="Positives needed",
)  # fmt: skip
right.set_xticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
right.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
right.minorticks_off()
right.legend()
figures.save(figure, "jiang-orange-juice-plan")

# %% [markdown]
# ## What we learn
#
# - From the one table that fits, every number of sections 1 and 2.3 follows, the standard error and
#   the margin included, which were not used to find it.
# - The real regression on a thousand halves gives F0.5 values among which the printed
#   {published}`jiang/section-1/f0.5` is an ordinary one.
# - The plan of {published}`jiang/section-2.3/planned_total` purchases is safe, and
#   {glue:text}`jiang-juice-ratio:.2f` times as large as the worst case needs, beside what rounding
#   adds: for $\beta < 1$ the bound can be replaced by a smaller one that is the best possible.
# - The smaller $\beta$, the more positives a plan needs: precision is not learnt from positives.
