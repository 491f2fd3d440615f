# %% [markdown]
# # How good is a rule for orange juice, and how many purchases tell? Jiang (2020), sections 1 to 2.3
#
# Which of two brands of orange juice will a customer take? The paper of {cite:t}`jiang2020`
# predicts it with a logistic regression, which is validated on {published}`jiang/section-1/n`
# purchases, half of a data set, with an F0.5 of {published}`jiang/section-1/f0.5`. Two questions
# follow. How sure is this number? And how many purchases would one need to know it within
# {published}`jiang/section-2.3/half_width`? The answers are one formula for the standard error and
# one bound for it. [The chapter](/book/jiang.md) derives both. This page recomputes every number of
# the paper's sections 1 to 2.3, repeats the regression on a thousand other halves, and shows that
# for F0.5 the plan can be much smaller.

# %% tags=["parameters"]
plan_beta: float = 0.5  # your own plan: the beta of F-beta, as in the paper's example
plan_half_width: float = 0.02  # your own plan: half width of the interval
plan_prevalence: float = 0.615  # your own plan: share of positives
plan_confidence_level: float = 0.95  # your own plan: level of the interval
splits_made_anew: int = 20  # random halves on which the regression is fitted live
random_rules: int = 4_000  # rules drawn to look at the bound
seed: int = 20201223  # root of all random streams

# %%
# Import what the notebook uses, open the ledger, and read the weights and the level.
import math
from time import perf_counter

import numpy as np
from compendium import figures, ledger, show
from scipy import special, stats

import f1ci
from notebooks.data.make_splits import half
from notebooks.shared import datasets, statements, tversky_index

# `given`, `printed`, `record` and `say` read and fill the ledger, see notebooks/README.md.
# `show` makes tables; in `show.grid` and `show.compare` the printed number stands with ours and
# the verdict. `datasets` reads the purchases, `tversky_index` has the bounds and the plans, and
# `statements` compares the paper's claims with our numbers.
page = ledger.open("jiang-orange-juice")
given, printed, record, say = page

a, b = given("jiang/section-2.3/a"), given("jiang/section-2.3/b")
index = f1ci.metrics.tversky(a, b)
level = given("jiang/section-2.3/confidence_level") / 100
z = float(special.ndtri(0.5 + level / 2))


def near(value, name):
    """Check which values round to a printed number."""
    number = page.number(f"jiang/{name}")
    return np.abs(value - float(number.value)) <= float(number.half_unit) + 1e-12


# %% [markdown]
# (shown-e-jiang-6)=
# The two brands are Citrus Hill and Minute Maid; section 1 of the paper prints "Minimaid"
# ({ref}`E-jiang-6 <E-jiang-6>`).
#
# ## Weights and quantiles
#
# Every $F_\beta$ is a Tversky index with weights $a$ for the false positives and $b$ for the false
# negatives ({prf:ref}`prop-jiang-fbeta`, remark 1 of the paper).

# %%
# Compute and show weights and quantiles.
betas = [given(f"jiang/section-1/beta-{k}") for k in (1, 2, 3)]
for beta in betas:
    metric = f1ci.metrics.fbeta(beta)
    record(f"jiang/remark-1/beta-{beta:g}/a", metric.a)
    record(f"jiang/remark-1/beta-{beta:g}/b", metric.b)
alpha = given("jiang/corollary-1/alpha")
record("jiang/corollary-1/critical_value", special.ndtri(1 - alpha / 2))
record("jiang/section-2.3/critical_value", z)
ids = [f"jiang/remark-1/beta-{beta:g}/{weight}" for beta in betas for weight in "ab"]
show.compare(
    [*ids, "jiang/corollary-1/critical_value"],
    caption="Weights and quantiles of section 2.3. All follow from beta and the level.",
)

# %% [markdown]
# (shown-e-jiang-3)=
# ## The table behind the example
#
# The paper prints $n =$ {published}`jiang/section-2.3/n` and four statistics of the validation set,
# but not its table of counts. How many tables would give the same numbers? We try all
# ({ref}`N-jiang-3 <N-jiang-3>`).

# %%
n = int(given("jiang/section-2.3/n"))
k = np.arange(n + 1)
tp, fp, fn = np.meshgrid(k[near(k / n, "section-2.3/mean_za")], k, k, indexing="ij")
possible = tp + fp + fn <= n
fits = {
    "the share of Citrus Hill": near((tp + fn) / n, "section-2.3/prevalence"),
    "the index with weights 0.8 and 0.2": near(tp / (tp + a * fp + b * fn), "section-2.3/tversky"),
    "the index with the squared weights": near(
        tp / (tp + a**2 * fp + b**2 * fn), "section-2.3/tversky_squared"
    ),
}


# %%
def agreeing(*left_out):
    """Check which tables agree with the mean of ZA and with the other numbers."""
    return possible & np.all([fit for name, fit in fits.items() if name not in left_out], axis=0)


# %% tags=["remove-cell"]
# Check that the search found the stored table, and keep it for the text.
table = datasets.confusion_matrix("jiang/section-2.3")
juice = table.to_numpy()
(tn, fp_count), (fn_count, tp_count) = juice.tolist()
only = np.stack([tp, fp, fn], axis=-1)[agreeing()]
assert only.tolist() == [[tp_count, fp_count, fn_count]]
say("jiang-juice-table", f"TP {tp_count}, FP {fp_count}, FN {fn_count}, TN {tn}")
# Show how many tables agree with the printed numbers, all or all except one.
rows = [["the mean of ZA alone", f"{int(possible.sum()):,}"]]
rows += [[f"all except {name}", f"{int(agreeing(name).sum())}"] for name in fits]
rows += [["all of them", f"{len(only)}"]]
show.table(
    ["printed numbers that the table must have", "tables"],
    rows,
    numeric=(1,),
    caption=(
        "The search for the table behind the example. Each line allows fewer tables, and the "
        "last leaves one."
    ),
)

# %% [markdown]
# One table is left, so the example can be recomputed from counts after all:

# %%
# Show the table that is left.
rows = [["true Minute Maid", f"{tn}", f"{fp_count}"]]
rows += [["true Citrus Hill", f"{fn_count}", f"{tp_count}"]]
show.table(
    ["truly", "predicted Minute Maid", "predicted Citrus Hill"],
    rows,
    numeric=(1, 2),
    caption="The table that is left. True brands are in rows.",
)

# %% [markdown]
# ## The interval of section 2.3
#
# Without the share of Citrus Hill there would be a second table. Without either index there is
# still one, so each index is predicted by the others. From the table come the four statistics by
# which we found it, so these agree by construction.

# %%
# Compute the interval.
interval = f1ci.Matrix(juice).interval(index, method="delta", confidence_level=level)
reconstructed = {
    "mean_za": tp_count / n,
    "prevalence": (tp_count + fn_count) / n,
    "tversky": interval.estimate,
    "tversky_squared": f1ci.metrics.tversky(a**2, b**2).value(juice),
}
for name, value in reconstructed.items():
    record(f"jiang/section-2.3/{name}", value, reconstructed=True)

# %%
# Show the reconstructed numbers beside the printed ones.
say("jiang-juice-low", interval.low)
say("jiang-juice-high", interval.high)
show.compare(
    [f"jiang/section-2.3/{name}" for name in reconstructed],
    caption=(
        "Section 2.3, from the reconstructed table. The four statistics by which it was found "
        "agree by construction."
    ),
)

# %% [markdown]
# The standard error ({prf:ref}`prop-jiang-normal`) and the half width of the 95 % interval
# ({prf:ref}`cor-jiang-interval`) need no table. The formula of section 2.3 gives them from the
# printed numbers alone:

# %% tags=["remove-cell"]
names = ("mean_za", "tversky", "tversky_squared")
za, tau, tau_squared = (printed(f"jiang/section-2.3/{name}") for name in names)
from_print = math.sqrt((1 / tau_squared - 1 + (1 / tau - 1) ** 2) / (n * za * tau**-4))
say("jiang-juice-from-print", from_print)
say("jiang-juice-margin-from-print", z * from_print)
assert near(from_print, "section-2.3/standard_error")
assert near(z * from_print, "section-2.3/margin")

# %%
# Record what the table gives. No reconstruction is needed for it, so it is a plain match.
record("jiang/section-2.3/standard_error", interval.standard_error)
record("jiang/section-2.3/margin", interval.length / 2)
show.compare(
    [f"jiang/section-2.3/{name}" for name in ("standard_error", "margin")],
    caption="Standard error and half width, from printed numbers alone. They need no table.",
)

# %% [markdown]
# From the print alone the standard error is {glue:text}`jiang-juice-from-print:.6f` and the half width
# {glue:text}`jiang-juice-margin-from-print:.4f`. From the table both are the same to the printed digits. The interval is
# {glue:text}`jiang-juice-low:.3f` to {glue:text}`jiang-juice-high:.3f`.
#
# ## The regression, on a thousand other halves
#
# The data are public (1070 purchases of Citrus Hill or Minute Maid), but the paper does not say
# which half served for training. We looked for it ({ref}`below <jiang-juice-tried>`) and did not
# find it. So we can only place the printed numbers.
# We take a thousand random halves. For each half a logistic regression gives the probability of
# Citrus Hill, from the two factors that the paper names: customer loyalty and price difference. The
# rule predicts Citrus Hill if this probability exceeds {published}`jiang/section-1/threshold`. We
# count the four outcomes in the other half. The counts are in
# `notebooks/data/splits-orange-juice.csv`. `notebooks/data/make_splits.py` fits one half. Some are made
# again here, as a check:

# %%
counts = datasets.split_counts("orange-juice")
first = np.random.default_rng(seed).choice(len(counts), splits_made_anew, replace=False)

# %% tags=["remove-cell"]
# Fit some of the halves again, and check that the stored counts come out.
same = [(half(int(i)) == counts[i]).all() for i in first]
assert (counts.sum(axis=(1, 2)) == given("jiang/section-1/n")).all()
say("jiang-juice-anew", splits_made_anew)
say("jiang-juice-agree", int(np.sum(same)))

# %% [markdown]
# Of {glue:text}`jiang-juice-anew` halves {glue:text}`jiang-juice-agree` give the committed counts
# again. Now the distribution of each printed number over the halves.

# %%
over_splits = f1ci.Matrix(counts).interval(index, method="delta", confidence_level=level)
share = counts / counts.sum(axis=(1, 2), keepdims=True)
scores = over_splits.estimate
distributions = {
    "section-1/f0.5": ("F0.5", scores),
    "section-2.3/standard_error": ("standard error of F0.5", over_splits.standard_error),
    "section-2.3/mean_za": ("share of true positives", share[:, 1, 1]),
    "section-2.3/prevalence": ("share of Citrus Hill", share[:, 1].sum(axis=1)),
}
bands = {
    name: tuple(map(float, np.quantile(values, [0.005, 0.995])))
    for name, (_, values) in distributions.items()
}
middle = float(np.median(scores))
record("jiang/section-1/f0.5", middle, band=bands["section-1/f0.5"], splits=len(scores))

# %% mystnb={"image": {"alt": "Four histograms over a thousand random halves: F0.5, its standard error, the share of true positives and the prevalence. In each panel a vertical line marks the printed number, which lies inside the shaded central 99 percent; the printed F0.5 is near the middle."}, "figure": {"caption": "What the paper prints (line), among logistic regressions on a thousand random halves of the data. Shaded: the central 99 %.", "name": "fig-jiang-orange-juice-splits"}}
# Draw the distribution of four statistics over the halves, with the printed value in red.
figure, axes = figures.subplots(2, 2, height=4.8)
for axis, (name, (title, values)) in zip(axes.flat, distributions.items(), strict=True):
    axis.axvspan(*bands[name], color="#e8e8e8", linewidth=0, label="central 99 % of the halves")
    axis.hist(values, bins=30, color=figures.COLOURS["sky"])
    line = {"color": figures.COLOURS["vermilion"], "linewidth": 2, "label": "as printed"}
    axis.axvline(printed(f"jiang/{name}"), **line)
    axis.set_title(title)
    axis.locator_params(axis="x", nbins=4)
    axis.grid(False)
figure.supylabel("halves", fontsize="medium")
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
figures.save(figure, "jiang-orange-juice-splits")

# %%
# Show where each printed number lies among the halves.
rows = []
for name, (title, values) in distributions.items():
    below = 100 * (values < printed(f"jiang/{name}")).mean()
    rows.append([title, show.printed(f"jiang/{name}"), f"{np.median(values):.4f}"])
    rows[-1] += [f"{bands[name][0]:.4f} to {bands[name][1]:.4f}", f"{below:.0f} %"]
head = [
    "statistic",
    "printed",
    "median",
    "central 99 %",
    "share of halves below the printed number",
]
show.table(
    head,
    rows,
    numeric=(1, 2, 3, 4),
    caption=(
        "Where the printed numbers lie among random halves of the data. A share near zero or "
        "one would speak against a random half."
    ),
)

# %% tags=["remove-cell"]
# Keep for the text which half gives the table of the example.
(same_table,) = np.nonzero((counts == juice).all(axis=(1, 2)))
assert len(same_table) == 1
say("jiang-juice-same", int(same_table[0]))
say("jiang-juice-halves", len(counts))
say("jiang-juice-spread", scores.std(ddof=1))
say("jiang-juice-mean-error", over_splits.standard_error.mean())

# %% [markdown]
# The first number of this table counts in the ledger: {published}`jiang/section-1/f0.5` is a usual
# result of this procedure. And one of the thousand halves, number {glue:text}`jiang-juice-same`, has
# exactly the table that we reconstructed. So a logistic regression on these data can produce it.
#
# (jiang-juice-tried)=
# **What we tried to find the half.** A half that somebody takes by a rule is more plausible than one
# of our random halves. We tried the first rows and every second row. We also tried R's `sample`, with
# the seeds 0 to 3000 and both of R's ways to draw. Each half served for training or for validation,
# and the regression had the two factors or all columns. `notebooks/data/orange_juice_halves.R` does
# this in R:

# %%
# Show what was tried to find the half, and what gave the table.
tried = datasets.orange_juice_halves()
rows = [
    [half, text, str(len(group)), f"{group['halves'].sum():,}", str(group["hits"].sum())]
    for (half, text), group in tried.groupby(["half", "predictors"], sort=False)
]
say("jiang-juice-tried", int(tried["halves"].sum()))
say("jiang-juice-hits", int(tried["hits"].sum()))
show.table(
    ["half", "predictors", "roles", "regressions", "with the table"],
    rows,
    numeric=(2, 3, 4),
    caption=(
        "What was tried to find the paper's half. The last column counts the regressions that "
        "gave its table."
    ),
)

# %% [markdown]
# Of {glue:text}`jiang-juice-tried:,` regressions {glue:text}`jiang-juice-hits` give the table. One of our
# thousand random halves gives it too, so such hits are expected by chance. No rule without a seed is
# among them, and no seed that a person would choose. So we did not find the paper's half.
#
# A half is not a new study: the halves overlap, and the total of Citrus Hill is fixed. So the
# scores vary by {glue:text}`jiang-juice-spread:.4f` only. The standard error is about new
# purchases, and is {glue:text}`jiang-juice-mean-error:.4f` on average.
#
# ## The bound and its table
#
# Before there is a classifier nothing is known about its index. Yet for every classifier
# $\sigma^2(a, b) \le V(\max\{a, b\}) / (b\,\pi)$ ({prf:ref}`prop-jiang-bound`). Here is the
# paper's table of $V$:

# %%
# Compute the paper's table of V.
for number in range(1, 6):
    largest = float(page.row(f"jiang/proposition-1/argument-{number}").printed)
    value = tversky_index.jiang_bound(f1ci.metrics.tversky(largest, largest))
    record(f"jiang/proposition-1/v/max-{largest:g}", value)
show.compare(
    [i for i in page.records if i.startswith("jiang/proposition-1/v/")],
    caption="The paper's table of V. It bounds the variance of every classifier.",
)

# %% [markdown]
# (shown-e-jiang-1)=
# **At 1.** The formula that the paper gives for the maximiser contains $1/(1 - \max\{a, b\})$, so
# it does not cover the Jaccard index, $a = b = 1$ ({ref}`N-jiang-1 <N-jiang-1>`). The maximum
# itself exists there; {prf:ref}`lem-jiang-v` writes the maximiser in a form that covers 1:


# %%
def as_printed(largest):
    """Return V by the formula of proposition 1 (ii)."""
    c = 1 / (1 - largest)
    root = math.sqrt(4 * c * c - 4 * c + 9)
    tau = (3 + 2 * c + (-root if c > 1 else root)) / 8
    return tau * (1 - tau) * (1 - tau / c) ** 2


# %%
# Compare the printed formula of V with the maximum, near a weight of one.
rows = []
for largest in (0.99, 0.9999, 1, 1.0001, 1.01):
    maximum = tversky_index.jiang_bound(f1ci.metrics.tversky(largest, largest))
    try:
        formula = f"{as_printed(largest):.6f}"
    except ZeroDivisionError:
        formula = "division by zero"
    rows.append([f"{largest:g}", formula, f"{maximum:.6f}"])
show.table(
    ["max{a, b}", "formula as printed", "maximum"],
    rows,
    numeric=(0, 1, 2),
    caption=(
        "The printed formula of V near a weight of one. There it divides by zero, whereas the "
        "maximum exists."
    ),
)

# %% [markdown]
# (shown-e-jiang-2)=
# **In the proof.** One step says
# $a\,\mathrm E[A] + b\,\pi \ge \max\{a\,\mathrm E[A], b\,\pi\} + \min\{a, b\}\,\pi$.
# It is false. With $\mathrm E[ZA]$ at the end it is true, and the next line needs no more
# ({ref}`E-jiang-2 <E-jiang-2>`, {prf:ref}`rem-jiang-proof`). A counterexample has $a = b = 1/2$,
# $\mathrm E[A] = \mathrm E[ZA] = 1/10$ and $\pi = 1/2$:

# %%
# Show both sides of the printed step for the counterexample.
weight, ea, ez, eza = 0.5, 0.1, 0.5, 0.1
largest = max(weight * ea, weight * ez)
sides = {"left": weight * ea + weight * ez, "printed": largest + weight * ez}
sides["right"] = largest + weight * eza
for name, side in sides.items():
    say(f"jiang-juice-step-{name}", side)
row = ["the counterexample", *(f"{side:.2f}" for side in sides.values())]
show.table(
    ["beta is 1", "left side", "right side, as printed", "with E[ZA]"],
    [row],
    numeric=(1, 2, 3),
    caption=(
        "A counterexample to a printed step of the proof. The left side should be at most the "
        "right one, and is so only with E[ZA]."
    ),
)

# %% [markdown]
# The proposition itself holds, as the next section shows with random rules.
#
# (shown-e-jiang-5)=
# ## A smaller bound
#
# For F0.5 no rule comes near the published bound. The figure shows $\sigma^2 \cdot b\,\pi$ for
# random rules; the bound says that this is at most $V(\max\{a, b\})$. By
# {prf:ref}`thm-jiang-sharp` it is at most $V(b)$, and one rule attains it: it has no false positives
# and a certain recall ({ref}`N-jiang-5 <N-jiang-5>`).

# %%
# Compare the two bounds, and the largest variance that a rule attains; first V(1), for Jaccard.
say("jiang-juice-v-one", tversky_index.jiang_bound(f1ci.metrics.jaccard))
rows = []
for beta in (0.25, 0.5, 0.75, 1, 2):
    metric = f1ci.metrics.fbeta(beta)
    sharp = tversky_index.sharp_bound(metric)
    jiang = tversky_index.jiang_bound(metric)
    worst = tversky_index.worst_rule(metric.b)
    attained = float(tversky_index.scaled_variance(metric, worst))
    assert abs(attained - sharp) < 1e-12
    rows.append([f"{beta:g}", f"{jiang:.4f}", f"{sharp:.4f}", f"{attained:.4f}"])
    rows[-1] += [f"{worst[1, 1] / worst[1].sum():.3f}", f"{jiang / sharp:.2f}"]
head = ["beta", "V(max{a, b})", "V(b)", "attained", "recall of that rule"]
show.table(
    [*head, "ratio of sample sizes"],
    rows,
    numeric=range(6),
    caption=(
        "The published bound beside a smaller one. The last column is how many items the "
        "published bound asks for, for each item that is needed."
    ),
)

# %%
# Rules with few false positives or few false negatives are where the variance is large.
rng = np.random.default_rng(seed + 1)
drawn = rng.dirichlet(np.ones(4), random_rules).reshape(-1, 2, 2)
concentration = rng.choice([0.05, 0.3, 1.0], size=(random_rules, 3))
ratios = rng.gamma(concentration)
ratios = ratios[ratios[:, 0] > 1e-6]
cloud = np.zeros((len(ratios), 2, 2))
cloud[:, 1, 1], cloud[:, 0, 1], cloud[:, 1, 0] = ratios.T
heights = tversky_index.scaled_variance(index, cloud)
sharp, jiang = tversky_index.sharp_bound(index), tversky_index.jiang_bound(index)
highest_drawn = max(heights.max(), tversky_index.scaled_variance(index, drawn).max())
assert highest_drawn <= sharp * (1 + 1e-12)

# %%
# For one value of the index: all ways to divide the errors between the two kinds.
score = np.linspace(0.001, 0.999, 400)[:, None]
divided = np.linspace(0, 1, 401)[None, :]
errors = 1 / score - 1
edge = np.zeros((400, 401, 2, 2))
edge[..., 1, 1] = 1
edge[..., 0, 1], edge[..., 1, 0] = errors * (1 - divided) / a, errors * divided / b
highest = tversky_index.scaled_variance(index, edge).max(axis=1)

# %% mystnb={"image": {"alt": "Scatter of many random rules for F0.5: their F0.5 on the horizontal axis, scaled variance on the vertical. All points lie below a hump-shaped curve whose top touches a dashed line at 0.12; the published bound is a line far above at 0.205. The rule of the example is low on the right, close to the curve."}, "figure": {"caption": "The variance of F0.5, times b E[Z], of random rules. Curve: the largest value for a given F0.5, reached by rules without false positives up to moderate F0.5. Dashed: the sharp bound. Dotted: the published one. Square: the rule of the example.", "name": "fig-jiang-orange-juice-bound"}}
# Draw the scaled variance of random rules, the largest value, and both bounds.
figure, axis = figures.subplots(height=4.0)
blue, red, green, grey = (figures.COLOURS[c] for c in ("blue", "vermilion", "green", "grey"))
look = {"markersize": 2, "alpha": 0.5, "color": grey, "label": "random rules", "rasterized": True}
axis.plot(index.value(cloud), heights, ".", **look)
axis.plot(score[:, 0], highest, color=blue, label="largest for this F0.5")
axis.axhline(jiang, linestyle=":", color=red, label="published bound")
axis.axhline(sharp, linestyle="--", color=green, label="sharp bound")
place = interval.estimate, tversky_index.scaled_variance(index, juice)
axis.plot(*place, "s", markersize=7, color="black", label="the example")
axis.set(xlabel="F0.5", ylabel="variance of F0.5, scaled", ylim=(0, 0.23), xlim=(0, 1))
figure.legend(loc="outside lower center", ncols=2)
figures.save(figure, "jiang-orange-juice-bound")

# %% [markdown]
# (shown-e-jiang-4-rounding)=
# ## Planning the next study
#
# A half width of {published}`jiang/section-2.3/half_width` at the level of 95 % asks for a standard
# error of {published}`jiang/section-2.3/half_width` divided by the quantile. The paper rounds it
# to {published}`jiang/section-2.3/planned_standard_error`. With $V$ rounded as in its table, its
# arithmetic is:

# %%
# Compute the plan of section 2.3 as the paper does.
width = given("jiang/section-2.3/half_width")
record("jiang/section-2.3/planned_standard_error", width / z)
record("jiang/section-2.3/v", jiang)
names = ("planned_standard_error", "v", "prevalence")
rounded_error, rounded_v, rounded_share = (printed(f"jiang/section-2.3/{name}") for name in names)
rounded_positives = round(rounded_v / (rounded_error**2 * b), 6)
record("jiang/section-2.3/planned_positives", rounded_positives)
for name in ("planned_total", "planned_total/restated"):
    record(f"jiang/section-2.3/{name}", math.ceil(rounded_positives / rounded_share))
names = ("planned_standard_error", "v", "planned_positives", "planned_total")
show.compare(
    [f"jiang/section-2.3/{name}" for name in names],
    caption=(
        "The plan of section 2.3, step by step. With V rounded as the paper rounds it, its "
        "arithmetic holds."
    ),
)

# %% [markdown]
# The rounding costs more than one would think ({ref}`N-jiang-4 <N-jiang-4>`), and the published
# bound costs more than the rounding. The same plan without either:


# %%
def plan(bound, error=width / z):
    """Return positives and total of the example's plan."""
    return tversky_index.plan(bound, b, error, rounded_share)


# %%
# Compute the plan by each bound, with and without rounding.
similar = n * (interval.length / 2 / width) ** 2
like_this = tversky_index.Plan(math.ceil(similar * (tp_count + fn_count) / n), math.ceil(similar))
plans = {
    "as printed": plan(rounded_v, rounded_error),
    "V with all its digits": plan(jiang, rounded_error),
    "only V rounded": plan(rounded_v),
    "nothing rounded": plan(jiang),
    "sharp bound, standard error rounded": plan(sharp, rounded_error),
    "sharp bound, nothing rounded": plan(sharp),
    "if the new rule were like this one": like_this,
}

# %%
# Show the plans.
rows = []
for name, sizes in plans.items():
    of_printed = 100 * sizes.total / printed("jiang/section-2.3/planned_total")
    rows.append([name, f"{sizes.positives:,}", f"{sizes.total:,}", f"{of_printed:.0f} %"])
show.table(
    ["plan", "Citrus Hill", "purchases", "of the printed"],
    rows,
    numeric=(1, 2, 3),
    caption=(
        "The same plan by each bound, with and without rounding. Compare the number of "
        "purchases with the printed plan."
    ),
)

# %% tags=["remove-cell"]
# Keep the plans for the text.
say("jiang-juice-unrounded", plans["only V rounded"].total)
say("jiang-juice-exact-total", plans["nothing rounded"].total)
say("jiang-juice-sharp-total", plans["sharp bound, nothing rounded"].total)
say("jiang-juice-similar", like_this.total)
say("jiang-juice-sharp-rounded", plans["sharp bound, standard error rounded"].total)
say("jiang-juice-sharp", sharp)
say("jiang-juice-ratio", jiang / sharp)
say("jiang-juice-saved", 100 * (1 - sharp / jiang))

# %% tags=["remove-cell"]
# Compute the probability that the planned purchases hold enough positives.
needed, total = plan(sharp)
enough = stats.binom.sf(needed - 1, total, rounded_share)
safe = int(stats.nbinom.ppf(0.95, needed, rounded_share)) + needed
assert stats.binom.sf(needed - 1, safe, rounded_share) >= 0.95
say("jiang-juice-enough", 100 * float(enough))
say("jiang-juice-safe", safe)

# %% [markdown]
# Without rounding the standard error the published bound asks for
# {glue:text}`jiang-juice-unrounded:,` purchases ({glue:text}`jiang-juice-exact-total:,` with all
# digits of $V$), the sharp one for {glue:text}`jiang-juice-sharp-total:,`. Both hold for every rule.
# If the new rule were like the old one, {glue:text}`jiang-juice-similar:,` would be enough. The
# difference is the price of not knowing the rule.
#
# The number of positives guarantees the width ({prf:ref}`prop-jiang-guarantee`). A sample of the
# planned total has that many in only {glue:text}`jiang-juice-enough:.0f` % of all cases; to have them
# with a probability of 95 % takes {glue:text}`jiang-juice-safe:,` purchases.
#
# ## Statement by statement
#
# The paper names two advantages of its formulas (section 2.2), and says in section 2.3 what its plan
# guarantees. For the first advantage we compare with a bootstrap of the example's table.

# %%
# Time the formula and a bootstrap of purchases, drawn with replacement.
resamples = 1000
start = perf_counter()
f1ci.Matrix(juice).interval(index, method="delta").standard_error
formula_time = perf_counter() - start
start = perf_counter()
cells_drawn = rng.choice(4, p=juice.ravel() / n, size=(resamples, n))
resampled = np.stack([(cells_drawn == cell).sum(axis=1) for cell in range(4)], axis=1)
bootstrap = float(index.value(resampled.reshape(-1, 2, 2)).std(ddof=1))
bootstrap_time = perf_counter() - start

# %% tags=["remove-cell"]
# Prepare what the statements need.
off = 100 * (bootstrap / interval.standard_error - 1)
largest_share = highest_drawn / jiang
printed_total = int(printed("jiang/section-2.3/planned_total"))
needed_by_jiang = plan(jiang).positives
chance = float(stats.binom.sf(needed_by_jiang - 1, printed_total, rounded_share))
times = f"{1000 * formula_time:.1f} ms against {1000 * bootstrap_time:.1f} ms"

# %%
# State each claim of section 2.2: words of the paper, our numbers, and whether it holds.
claim = statements.Claims()
value = f"{times} for {resamples:,} samples"
faster = formula_time < bootstrap_time / 5
claim("2.2, advantage 1", "the formulas are faster than a bootstrap", value, faster)
value = f"{interval.standard_error:.4f} against {bootstrap:.4f}"
claim("2.2, advantage 1", "(they give the same standard error)", value, abs(off) < 10)
value = f"largest of {random_rules + len(cloud):,} random rules: {largest_share:.0%} of it"
claim("2.2, advantage 2", "the bound holds for any rule", value, largest_share <= 1)

# %%
# State the claims of sections 2.3 and 1.
has_them = f"{printed_total:,} purchases have the {needed_by_jiang:,} positives needed"
value = f"{has_them} with probability {chance:.4f}"
claim("2.3", "the plan guarantees a half width below 0.02", value, chance > 0.999)
text = "the planned sample is much larger because it is conservative"
times_as_many = printed_total / like_this.total
claim("2.3", text, f"{times_as_many:.0f} times that for a rule like this one", times_as_many > 2)
text = "no one uses analytic formulas for the standard error of F-beta"
claim("1", text, "a survey would be needed", None)
claim.table()

# %% [markdown]
# (The two times are of one run on one machine. The plan's guarantee holds only because the standard error
# was rounded down: without that, the number of positives would be reached about every second time.)
#
# ## Your own plan
#
# Set the four `plan_` parameters of this page, or call `f1ci.sample_size` directly.


# %%
# Compute your own plan: `f1ci.sample_size` has the sharp bound.
def published_plan(metric, half_width):
    """Return the plan with the published bound, at your prevalence and level."""
    error = half_width / float(special.ndtri(0.5 + plan_confidence_level / 2))
    bound = tversky_index.jiang_bound(metric)
    return tversky_index.plan(bound, metric.b, error, plan_prevalence)


def sharp_plan(metric, half_width):
    """Return the plan with the sharp bound, at your prevalence and level."""
    options = {"prevalence": plan_prevalence, "confidence_level": plan_confidence_level}
    return f1ci.sample_size(metric, half_width=half_width, **options)


# %%
# Show your own plan with both bounds.
PLANS = {"sharp": sharp_plan, "published": published_plan}
BOUNDS = {"sharp": tversky_index.sharp_bound, "published": tversky_index.jiang_bound}
LINES = {"published": "--", "sharp": "-"}
own = f1ci.metrics.fbeta(plan_beta)
own_plans = {name: plan_of(own, plan_half_width) for name, plan_of in PLANS.items()}
rows = []
for name, sizes in own_plans.items():
    numbers = [f"{BOUNDS[name](own):.4f}", f"{sizes.positives:,}", f"{sizes.total:,}"]
    rows.append([f"{name} bound", *numbers])
head = f"{own.name}, half width {plan_half_width:g}, level {plan_confidence_level:g}"
show.table(
    [head, "V", "positives", "total"],
    rows,
    numeric=(1, 2, 3),
    caption="Your own plan with both bounds. The positives are the truly positive items.",
)

# %%
# Check the package's plan by the formula of the paper, with the sharp bound.
own_error = plan_half_width / float(special.ndtri(0.5 + plan_confidence_level / 2))
bound = tversky_index.sharp_bound(own)
by_formula = tversky_index.plan(bound, own.b, own_error, plan_prevalence)
assert (own_plans["sharp"].positives, own_plans["sharp"].total) == by_formula


# %%
# Choose the half widths of the figures, and draw items against them.
widths = np.geomspace(0.005, 0.1, 30)
betas_drawn = dict.fromkeys([*betas, plan_beta])


def width_axis(axis, **labels):
    """Give an axis the half widths, on logarithmic scales."""
    axis.set(xscale="log", yscale="log", ylabel="items", **labels)
    axis.set_xticks([0.005, 0.01, 0.02, 0.05, 0.1], ["0.005", "0.01", "0.02", "0.05", "0.1"])
    axis.minorticks_off()


def draw_items(axis):
    """Draw items against half width, for each beta."""
    for beta, colour in zip(betas_drawn, ("blue", "vermilion", "green", "purple"), strict=False):
        metric = f1ci.metrics.fbeta(beta)
        for bound, line in LINES.items():
            label = f"$F_{{{beta:g}}}$" if bound == "sharp" else None
            total = [PLANS[bound](metric, w).total for w in widths.tolist()]
            axis.plot(widths, total, line, color=figures.COLOURS[colour], label=label)
    width_axis(axis, xlabel="half width")


# %% mystnb={"image": {"alt": "Above: number of items against half width on logarithmic axes; straight lines with slope minus two, lowest for F2, highest for F0.5, where the dashed line of the published bound lies above the solid sharp one. Below: positives needed relative to recall against beta; sharp and published bounds agree from beta 1 on and separate below."}, "figure": {"caption": "Above: items that guarantee a half width, at the prevalence and level set above; solid with the sharp bound, dashed with the published one where it differs; the circle is your plan. Below: positives needed for F-beta, relative to those for recall.", "name": "fig-jiang-orange-juice-plan"}}
# Draw items against half width, and positives against beta.
figure, (left, right) = figures.subplots(2, 1, height=6.4)
draw_items(left)
left.set_title("Items for a width (dashed: published bound)")
look = {"markersize": 7, "color": "black", "label": "your plan"}
left.plot(plan_half_width, own_plans["sharp"].total, "o", **look)
left.legend(loc="lower left")
some_metrics = [f1ci.metrics.fbeta(beta) for beta in np.geomspace(0.2, 5, 120).tolist()]
for bound, style in LINES.items():
    relative = [BOUNDS[bound](metric) / metric.b / 0.25 for metric in some_metrics]
    label = f"{bound} bound"
    right.plot(np.geomspace(0.2, 5, 120), relative, style, color="black", label=label)
right.set(xscale="log", yscale="log", xlabel=r"$\beta$", ylabel="relative to recall")
right.set_title("Positives needed")
right.set_xticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
right.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
right.minorticks_off()
right.legend()
figures.save(figure, "jiang-orange-juice-plan")

# %% [markdown]
# The idea of the plan in one picture, for F1 alone:

# %% mystnb={"image": {"alt": "One straight falling line on logarithmic axes: the number of items against the half width of the interval for F1. Three points on it are labelled with their numbers: 775 items for plus and minus 0.05, 4,839 for 0.02, 19,354 for 0.01."}, "figure": {"caption": "How many items guarantee which half width of the 95 % interval for F1, whatever the classifier. The share of positives is that of the orange juice data.", "name": "fig-jiang-orange-juice-width"}}
# Draw how many items guarantee which half width.
figure, axis = figures.subplots(height=3.0)
axis.plot(widths, [sharp_plan(f1ci.metrics.f1, w).total for w in widths.tolist()])
for half_width in (0.05, 0.02, 0.01):
    items = sharp_plan(f1ci.metrics.f1, half_width).total
    axis.plot(half_width, items, "o", color="black")
    shift = {"xytext": (7, 5), "textcoords": "offset points"}
    axis.annotate(f"± {half_width:g}: {items:,} items", (half_width, items), **shift)
width_axis(axis, xlabel="half width of the interval")
figures.save(figure, "jiang-orange-juice-width")

# %% [markdown] tags=["default-values"]
# ## What we learn
#
# - One table fits the example. All numbers of sections 1 and 2.3 follow from it or from the printed
#   numbers that it was found by.
# - The real regression on a thousand halves gives F0.5 values among which the printed
#   {published}`jiang/section-1/f0.5` is a usual one.
# - The plan of {published}`jiang/section-2.3/planned_total` purchases is safe. It has
#   {glue:text}`jiang-juice-ratio:.2f` times the size that the worst case needs, and rounding adds
#   to this. For $\beta < 1$ a smaller bound is the best possible.
# - The smaller $\beta$, the more positives a plan needs: positives say little about precision.
