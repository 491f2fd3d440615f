# %% [markdown]
# # Two normal classes: a simulation repeated with R's random numbers
#
# Six 95 % intervals are not all right in 95 of 100 test sets, whereas joint intervals should be.
# {cite:t}`yuan2025` first try both on an easy problem: two classes of equal size, with
# $X \mid Z \sim N(Z, 1)$. Three rules are trained on {published}`yuan/section-3a/training` cases:
# the nearest neighbour (1NN), logistic regression and a random forest. $F_{0.5}$ and accuracy of
# each rule make six parameters. This notebook reproduces section III-A with Tables IV and V.
#
# The paper names neither its software nor its seeds, but both can be recovered: the numbers come
# from R, with `set.seed(499)` before the training set and `set.seed(599)` before the test sets.
# Since the notebook computes R's random numbers itself, it does not compare with *another*
# simulation, but repeats the paper's own, case by case.

# %% tags=["parameters"]
replicates: int = 100_000  # own test sets, where the paper's own ones are not known
seed: int = 20260101  # root of all random streams

# %%
# Import what the notebook uses and open the ledger.
from functools import partial

import numpy as np
from compendium import figures, ledger, show
from IPython.display import display
from scipy.special import ndtri

import f1ci
from notebooks.own import yuan_gaussian as printed_gradients
from notebooks.shared import (
    datasets,
    drawing,
    joint_coverage,
    joint_test,
    normal_classes,
    recording,
)
from notebooks.shared.r_random import RRandom
from notebooks.shared.statements import Claims

# `given`, `printed`, `record` and `say` read and fill the ledger, see notebooks/README.md.
# `show` makes tables; in `show.grid` and `show.compare` the printed number stands with ours and
# the verdict. `normal_classes` trains the rules and draws R's test sets, `joint_coverage` computes
# coverages exactly or by simulation, `recording` stores our numbers, and `drawing` draws them.
page = ledger.open("yuan-gaussian")
given, printed, record, say = page

# %%
# Read the design from the ledger, and name the rules, metrics and pairs.
level = given("yuan/section-3a/confidence_level") / 100
z = printed("yuan/section-3a/critical_value")
sizes = {"table-4": int(given("yuan/table-4/n")), "table-5": int(given("yuan/table-5/n"))}
test_sets = int(given("yuan/section-3a/replicates"))
metrics = {"f0.5": f1ci.metrics.fbeta(0.5), "accuracy": f1ci.metrics.accuracy}
measures = list(metrics.values())
rules = {"1nn": "1NN", "logistic": "logistic regression", "random_forest": "random forest"}
columns = [(rule, metric) for rule in rules for metric in metrics]
names = [f"{metric} of {name}" for name in rules.values() for metric in ("F0.5", "accuracy")]
pairs = {"1nn": "m1-and-m2", "logistic": "m3-and-m4", "random_forest": "m5-and-m6"}
family = {rule: slice(2 * r, 2 * r + 2) for r, rule in enumerate(rules)} | {"all": slice(None)}
of_one = joint_coverage.Study(measures, level=level, corrected=False)
of_all = joint_coverage.Study(measures, family, level, corrected=False)

# %% [markdown]
# ## Three rules on one axis
#
# The training set is what R draws after `set.seed(499)`: first 500 times $Z$ by `rbinom`, then
# 500 times $X$ by `rnorm`. With one predictor a rule predicts 1 on a set of intervals. So its true
# cell probabilities are integrals of two normal densities.
#
# **The forest is the nearest neighbour.** This is no accident. A training point is in a tree's
# bootstrap sample with probability $1 - 1/e$, which is more than one half. A fully grown tree on one
# predictor predicts the class of the nearest sampled point. So the majority of $500$ trees predicts
# the class of the nearest point. R's own forest agrees with 1NN on all 20,000 cases of a test of this
# repository.

# %%
random = RRandom(499)
training_z, training_x = normal_classes.drawn(random, int(given("yuan/section-3a/training")))
nearest = normal_classes.nearest(training_z, training_x)
logistic = normal_classes.logistic(training_z, training_x)
trained = [nearest, logistic, nearest]
population = normal_classes.population(trained)
exact_truth = joint_coverage.true_values(population, measures)
say("yuan-gaussian-threshold", logistic.edges[0])

# %% [markdown]
# Logistic regression predicts 1 above {glue:text}`yuan-gaussian-threshold:.4f`. Two of the three rules
# are equal, so two pairs of the six measures are identical. The correlation matrix of the joint
# quantile {eq}`eq-yuan-q` is singular. The joint intervals remain valid, because
# {prf:ref}`lem-yuan-quantile` needs no inverse. A numerical method that factors the matrix may fail.

# %%
at_truth = joint_coverage.estimates(np.round(1e9 * population), measures)
say("yuan-gaussian-rank", int(np.linalg.matrix_rank(at_truth.covariance[0] * 1e9, tol=1e-6)))

# %% [markdown]
# The rank of the six measures' covariance matrix is {glue:text}`yuan-gaussian-rank`, not 6.
#
# ## True values
#
# The paper draws a million cases to learn the true values. Which million?
#
# The table has two answers. The third column has the exact values, by integrals. The fourth column has
# the values from the million cases that R draws next, after the training set. The forest's two
# printed values are those of this million. The values of 1NN and of logistic regression are not.

# %%
cases = int(given("yuan/section-3a/true_value/replicates"))
next_z, next_x = normal_classes.drawn(random, cases)
next_cells = normal_classes.joint_counts(next_z, [rule.predict(next_x) for rule in trained])
next_truth = joint_coverage.true_values(next_cells, measures)
error = joint_coverage.estimates(cases * population, measures).error[0]
say("yuan-gaussian-true-error", error.max())
# What was searched, how often it hit, and how often chance would.
searches = datasets.yuan_searches()
for name in ("3a-true-values", "3a-one-seed", "3a-seeds"):
    for column in ("tried", "hits", "by_chance"):
        say(f"yuan-gaussian-{name}-{column}".replace("_", "-"), searches.loc[name, column])

# %%
# Record the true values of both tables, and compare all of them.
rows = []
for k, (rule, metric) in enumerate(columns):
    for item in sizes:
        identity = f"yuan/{item}/{rule}/true/{metric}"
        if rule == "random_forest":
            record(identity, next_truth[k])
        else:
            record(identity, exact_truth[k], deviation=error[k] * np.sqrt(cases))
    row = show.printed(identity), f"{exact_truth[k]:.5f}", f"{next_truth[k]:.5f}"
    rows.append([f"{metric} of {rules[rule]}", *row])
show.table(
    ["rule, metric", "printed", "exact", "the million after the training set"],
    rows,
    numeric=(1, 2, 3),
    caption="True values of Tables III and IV. The printed ones are those of a million draws.",
)

# %% [markdown]
# (shown-n-yuan-18)=
# So the text is not right that one million served all rules. The forest's true values come from
# another million than those of the two other rules ({ref}`N-yuan-18 <N-yuan-18>`). We tried
# {glue:text}`yuan-gaussian-3a-true-values-tried:,d` places of R's random numbers for the other million, and
# {glue:text}`yuan-gaussian-3a-true-values-hits:d` of them give all four numbers. Its four values lie a
# little below the exact ones, by less than the error of a simulated true value,
# {glue:text}`yuan-gaussian-true-error:.4f` (standard error).
#
# ## The paper's own test sets
#
# R draws each test set after the one before it, starting from `set.seed(599)`: $n$ numbers for
# $Z$ and $2n$ for $X$. Between test sets the nearest neighbour takes random numbers too. R's
# `class::knn` takes one number for every case that it predicts as the second class. So the place where
# a test set begins depends on the predictions before it. The program therefore walks through all
# {published}`yuan/section-3a/replicates` test sets in order.

# %%
# Count the joint cells of the paper's own test sets.
counts = {
    item: normal_classes.simulated_counts(599, n, test_sets, trained) for item, n in sizes.items()
}
estimated = {item: joint_coverage.estimates(cells, measures) for item, cells in counts.items()}
truth = np.array([printed(f"yuan/table-4/{rule}/true/{metric}") for rule, metric in columns])
truth[4:] = next_truth[4:]

# %% [markdown]
# The coverage counts how often an interval contains the true value that the paper used. For the
# forest we know this value. For the two other rules we know four digits of it. So we take the
# printed value, and ask how much a coverage changes if the value moves inside its rounding
# interval. The ledger's limits hold this error and no other: the test sets are the same.

# %%
keys = [f"m{k}" for k in range(1, 7)] + [*pairs.values(), "all"]


def coverages(item, truth):
    """Return the ten individual coverages of one size, in the order of `keys`."""
    held = np.abs(estimated[item].value - truth) <= z * estimated[item].error
    in_pairs = [held[:, family[rule]].all(axis=1) for rule in rules]
    return np.array([*held.mean(axis=0), *np.mean(in_pairs, axis=1), held.all(axis=1).mean()])


# %%
# Record the twenty coverages, and count how many agree to the last digit.
ids = {n: [f"yuan/section-3a/n-{n}/individual/{key}" for key in keys] for n in sizes.values()}
theirs = {n: np.array([printed(identity) for identity in ids[n]]) for n in ids}
rounding = np.random.default_rng(seed).uniform(-0.5e-4, 0.5e-4, size=(400, 6)) * [1, 1, 1, 1, 0, 0]
equal = 0
for item, n in sizes.items():
    ours = coverages(item, truth)
    spread = np.std([coverages(item, truth + off) for off in rounding], axis=0)
    for identity, value, deviation in zip(ids[n], ours, spread * np.sqrt(test_sets), strict=True):
        record(identity, value, deviation=deviation)
    equal += int((np.abs(ours - theirs[n]) < 1e-9).sum())
say("yuan-gaussian-equal", equal)

# %%
# Show them beside the printed ones.
lists = {f"m{k}": measure for k, measure in enumerate(names, 1)}
lists |= {pairs[rule]: f"both of {name}" for rule, name in rules.items()} | {"all": "all six"}
show.grid(
    lists,
    {f"n-{n}": f"n = {n}" for n in sizes.values()},
    lambda row, column: f"yuan/section-3a/{column}/individual/{row}",
    corner="individual intervals hold for",
    caption=(
        "Section III-A, individual intervals. Each cell has the printed coverage above ours, "
        "on the paper's own test sets."
    ),
)

# %% [markdown]
# {glue:text}`yuan-gaussian-equal` of 20 coverages agree to the last digit, and the two others are off
# by one test set of {published}`yuan/section-3a/replicates`. True values inside the same rounding
# intervals remove both differences:

# %%
suitable = truth + np.array([0.00002, 0, -0.000043, 0, 0, 0])
agree = [np.abs(coverages(item, suitable) - theirs[n]) < 1e-9 for item, n in sizes.items()]
say("yuan-gaussian-suitable", int(np.sum(agree)))
say("yuan-gaussian-suitable-1nn", suitable[0])
say("yuan-gaussian-suitable-logistic", suitable[2])

# %% [markdown]
# With {glue:text}`yuan-gaussian-suitable-1nn:.5f` for 1NN and
# {glue:text}`yuan-gaussian-suitable-logistic:.6f` for logistic regression,
# {glue:text}`yuan-gaussian-suitable` of 20 agree.
# These two values were chosen to do so, and the ledger does not use them.
#
# **How the seeds were found.** The seed 499 comes from the splits of {doc}`yuan-abalone`, and the seed
# 599 from Table I there. We then tried {glue:text}`yuan-gaussian-3a-one-seed-tried:,d` streams: seeds that
# people choose, two ways to draw $Z$, and knn's random numbers or none. We asked that at least five of the
# six coverages of 1NN and logistic regression at $n = 500$ agree to the last digit.
# {glue:text}`yuan-gaussian-3a-one-seed-hits:d` stream does this, where chance would give
# {glue:text}`yuan-gaussian-3a-one-seed-by-chance:.0e`. The 14 other numbers were not used in the search, and
# follow. Of {glue:text}`yuan-gaussian-3a-seeds-tried:,d` windows with a seed for each test set
# {glue:text}`yuan-gaussian-3a-seeds-hits:d` fit. The authors were not asked.
#
# ## Six intervals that are right together
#
# Forty of the paper's test sets, with six intervals each. An individual interval misses the truth in
# one of twenty test sets, but the six intervals miss in different ones, so that test sets in which some
# interval misses are more frequent. Joint intervals are longer, and all six should be right together in
# 95 of 100 test sets. The forty were chosen as typical: they are the first in a row in which both kinds
# of intervals fail as often as in all of the paper's test sets.

# %%
# Compute how far the estimates are from the truth, and how far intervals reach; find forty typical sets.
found = estimated["table-4"]
off = np.abs(found.value - truth) / found.error
common = joint_coverage.critical_values(found.covariance[:40], level, examples=0)
reach = {"individual": z, "joint": float(common[0])}
hold = np.array([(off <= q).all(axis=1) for q in reach.values()])
forty = np.lib.stride_tricks.sliding_window_view(hold, 40, axis=1).sum(axis=2)
typical = np.rint(40 * hold.mean(axis=1))[:, None]
first = int(np.abs(forty - typical).sum(axis=0).argmin())
off = off[first : first + 40]
say("yuan-gaussian-forty-first", first + 1)

# %% mystnb={"image": {"alt": "Two grids of six rows, one for each interval, and forty columns, one for each test set. Blue squares: the interval holds the truth. Red crosses: it misses. Columns with a cross are shaded. The upper grid, individual intervals, has several shaded columns; the lower grid, joint intervals, has fewer."}, "figure": {"caption": "Forty typical test sets (columns) and six intervals in each (rows). Blue: the interval holds the truth. Red cross: it misses. Shaded: a test set in which not all six hold. Above: individual 95 % intervals. Below: joint 95 % intervals of the same test sets.", "name": "fig-yuan-gaussian-promise"}}
# Draw which intervals hold the truth in forty test sets, individual and joint.
figure, axes = figures.subplots(2, 1, height=4.4, sharex=True)
for axis, (kind, q) in zip(axes, reach.items(), strict=True):
    missed = off > q
    for column in np.flatnonzero(missed.any(axis=1)):
        axis.axvspan(column - 0.5, column + 0.5, color=figures.COLOURS["orange"], alpha=0.3, lw=0)
    for mask, marker, colour in ((~missed, "s", "sky"), (missed, "X", "vermilion")):
        axis.plot(*np.nonzero(mask), marker, color=figures.COLOURS[colour], markersize=3)
    hold = int((~missed).all(axis=1).sum())
    title = f"{kind} intervals: all six hold in {hold} of {len(missed)} test sets"
    axis.set_title(title, loc="right")
    axis.set_yticks(range(6), names)
    axis.set_ylim(5.6, -0.6)
axes[1].set_xlabel("test set")
axes[1].plot([], [], "s", color=figures.COLOURS["sky"], label="holds the truth")
axes[1].plot([], [], "X", color=figures.COLOURS["vermilion"], label="misses it")
figure.legend(loc="outside lower center", ncols=2)
axes[1].set_xlim(-0.6, 39.6)
figures.save(figure, "yuan-gaussian-promise")

# %% [markdown]
# ## Joint intervals: Tables IV and V
#
# **Lengths.** The paper's joint quantile of two measures comes from R's `qmvnorm`. It stops its search
# early, and gives slightly too large quantiles. The repository has them for a thousand correlations.
# With them the six mean lengths of single rules on the paper's test sets agree to the last digit. With
# the exact quantile one length does not.

# %%
lengths, stream = {}, {}
for item, found in estimated.items():
    for rule in rules:
        covariance = found.covariance[:, family[rule], family[rule]]
        error = found.error[:, family[rule]]
        q = datasets.qmvnorm(covariance[:, 0, 1] / error.prod(axis=1))
        record(f"yuan/{item}/{rule}/length", (2 * q * error.mean(axis=1)).mean())
        exact_q = joint_coverage.critical_values(covariance, level, examples=0)
        lengths[item, rule] = float((2 * exact_q * error.mean(axis=1)).mean())
        off = np.abs(found.value - truth)[:, family[rule]]
        stream[item, rule] = float((off <= q[:, None] * error).all(axis=1).mean())
say("yuan-gaussian-exact-quantile", lengths["table-4", "logistic"])

# %% [markdown]
# With the exact quantile logistic regression's length at $n = 500$ is
# {glue:text}`yuan-gaussian-exact-quantile:.6f`, which rounds to one unit less than the printed
# {published}`yuan/table-4/logistic/length`.
#
# **Coverages.** The joint coverages are *not* those of these test sets:

# %%
# Show the joint coverages on the paper's test sets.
rows = []
for (item, rule), held in stream.items():
    theirs_and_ours = show.printed(f"yuan/{item}/{rule}/coverage"), f"{held:.4f}"
    rows.append([f"{rules[rule]}, n = {sizes[item]}", *theirs_and_ours])
show.table(
    ["joint coverage", "printed", "on the paper's test sets"],
    rows,
    numeric=(1, 2),
    caption="Joint coverages on the paper's test sets. The printed ones come from other test sets.",
)

# %% [markdown]
# So the paper drew other test sets for its joint intervals, and we did not find them. We tried the
# seeds 499, 599 and 699, and later blocks of test sets. We tried knn's random numbers once, twice and
# not at all, and with reversed labels. We also tried 40 and 80 more numbers for each test set. The
# six-dimensional `qmvnorm` draws random numbers of its own, so its two rows were not tried.
#
# Therefore we compare these coverages with exact ones. The population is known, and a sum over all
# test sets gives the coverage of one rule. The four numbers about all six measures come from
# test sets of our own, drawn from the same population. A test set is one multinomial draw
# ({prf:ref}`cor-yuan-draw`), so the run is short.

# %%
# Sum over all test sets of each rule, and simulate test sets for all rules together.
of_rule = dict(zip(rules, joint_coverage.rule_tables(population), strict=True))
single = {
    (item, rule): joint_coverage.exact(of_one, n, of_rule[rule], truth=truth[family[rule]])
    for item, n in sizes.items()
    for rule in rules
}
draw = {"replicates": replicates, "truth": truth}
runs = {
    item: joint_coverage.simulate(of_all, n, population, rng=(seed, n), **draw)
    for item, n in sizes.items()
}

# %%
# Record them, and show both tables.
groups = {**rules, "all": "3 methods × 2 measures"}
quantities = {"coverage": "joint coverage", "length": "average length"}
for item, n in sizes.items():
    for rule in rules:
        number = single[item, rule]["rule/joint/coverage"]
        recording.mean(page, f"yuan/{item}/{rule}/coverage", number)
    for quantity in quantities:
        value = runs[item][f"all/joint/{quantity}"]
        recording.mean(page, f"yuan/{item}/all/{quantity}", value, replicates)
    identity = partial("yuan/{}/{}/{}".format, item)
    display(
        show.grid(
            groups,
            quantities,
            identity,
            corner=f"n = {n}",
            caption=f"Coverage and length at n = {n}. Each cell has the printed number above ours.",
        )
    )

# %% mystnb={"image": {"alt": "Two panels of horizontal bars for n = 500 and n = 2000. Coverages of single measures are near 0.95, of pairs of measures near 0.92, of all six near 0.86; joint intervals bring pairs and all six back to 0.95. The upper ten printed values of each panel lie exactly on the reproduced ones; the joint ones lie on their bars."}, "figure": {"caption": "Coverage in the first simulation. Bars: what the ledger allows. Individual intervals are counted on the paper's own test sets, so their bars are short; joint intervals have four standard errors. Line: nominal level. Above, individual intervals asked to hold for one, two and six parameters; below, joint intervals.", "name": "fig-yuan-gaussian-coverage"}}
# Draw the coverages at both sizes, with the ledger's limits.
figure, axes = figures.subplots(2, 1, height=8.6, sharex=True, sharey=True)
for axis, (item, n) in zip(axes, sizes.items(), strict=True):
    ids = {name: f"yuan/section-3a/n-{n}/individual/{key}" for key, name in lists.items()}
    ids |= {f"joint, {name}": f"yuan/{item}/{key}/coverage" for key, name in groups.items()}
    drawing.allowed(axis, ids)
    axis.axvline(level, color=figures.COLOURS["grey"], linewidth=0.8)
    axis.set_title(f"n = {n}")
axes[1].set_xlabel("coverage")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
figures.save(figure, "yuan-gaussian-coverage")

# %% [markdown]
# For one measure the shortfall at $n = 500$ comes from the normal approximation. At $n = 2000$ nearly
# nothing is left of it.
#
# ### Each table as a whole
#
# A table can be off in a way that no row shows. The function `joint_test` compares the joint coverages
# with those of a run without any error. The numbers of one table come from the same test sets, so their
# errors are correlated. The correlations come from the paper's test sets of section III-A. (The other
# numbers need no test: their test sets are the paper's own.)

# %%
# Test each table as a whole.
tests = {}
for item, n in sizes.items():
    study = joint_coverage.quantities(of_all, counts[item], truth)
    ids = [f"yuan/{item}/{group}/coverage" for group in groups]
    outcomes = [study[f"{group}/joint/coverage"] for group in groups]
    tests[f"joint coverages at n = {n}"] = recording.whole_table(page, ids, outcomes)
joint_test.table(tests)

# %%
# Keep for the text how far the printed joint coverages lie from the exact ones.
ids = [f"yuan/{item}/{rule}/coverage" for item in sizes for rule in rules]
zs = np.array([recording.z_score(page, identity) for identity in ids])
say("yuan-gaussian-exact", len(zs))
say("yuan-gaussian-rms", np.sqrt((zs**2).mean()))

# %% [markdown]
# The {glue:text}`yuan-gaussian-exact` joint coverages of single rules have a root mean square z of
# {glue:text}`yuan-gaussian-rms:.2f`, where 1 is expected.
#
# ## What joint intervals cost
#
# Joint intervals are longer than individual intervals. The factor depends on the correlations of the
# measures.

# %%
# Compute how much longer joint intervals are.
price = {}
for group in ("1nn", "all"):
    of_kind = [runs["table-4"][f"{group}/{k}/length"].mean for k in ("joint", "individual")]
    price[group] = of_kind[0] / of_kind[1]
say("yuan-gaussian-price-two", price["1nn"])
say("yuan-gaussian-price-six", price["all"])
say("yuan-gaussian-bonferroni", float(ndtri(1 - (1 - level) / 12)) / of_one.z)

# %% [markdown]
# The price for two measures of one rule is a factor {glue:text}`yuan-gaussian-price-two:.3f`. For all
# six it is {glue:text}`yuan-gaussian-price-six:.3f`. Bonferroni's factor would be
# {glue:text}`yuan-gaussian-bonferroni:.3f`. The joint quantile is smaller because the measures are
# correlated.
#
# ## One quantile for all test sets
#
# The joint quantile of six measures is computed once, at the mean correlation matrix of all test sets.
# For some test sets we compute it in each of them as well.

# %%
# Check how much a common joint quantile changes coverage and length.
fewer = min(500, max(20, replicates // 200))
root = np.random.SeedSequence((seed, 1))
check = joint_coverage.drift(of_all, sizes["table-4"], population, replicates=fewer, rng=root)
say("yuan-gaussian-drift-q", check.deviation)
say("yuan-gaussian-drift-coverage", abs(check.coverage))
say("yuan-gaussian-drift-length", abs(check.length))

# %% [markdown]
# The quantile varies by {glue:text}`yuan-gaussian-drift-q:.4f` (standard deviation) from one test set
# to the next. Using its common value changes the coverage by
# {glue:text}`yuan-gaussian-drift-coverage:.4f` and the mean length by a fraction of
# {glue:text}`yuan-gaussian-drift-length:.5f`. Both are small.
#
# (shown-e-yuan-1)=
# ## What does not match: a gradient in Table III
#
# Table III lists nine measures with their derivatives. A complex step gives each derivative to
# rounding, without any algebra. The table shows by how much the printed derivatives differ from that
# at the point $\mathrm E[ZA] = 0.2$, $\mathrm E[A] = 0.3$, $\mathrm E[Z] = 0.4$. Eight gradients are
# right. The correlation's derivatives by $\mathrm E A$ and $\mathrm E Z$ hold $2(\mathrm E A - 1)$
# where $2 \mathrm E A - 1$ is meant ({ref}`E-yuan-1 <E-yuan-1>`). No number of the paper needs the
# correlation.

# %%
# Show by how much the printed derivatives are off.
off = printed_gradients.differences(0.2, 0.3, 0.4)
wrong = [name for name, by in off.items() if np.abs(by).max() > 1e-12]
assert wrong == ["correlation"]
say("yuan-gaussian-gradients", len(off))
show.table(
    ["printed minus right derivative by", "E(ZA)", "EA", "EZ"],
    [[name, *(f"{x:.1e}" for x in by)] for name, by in off.items()],
    numeric=(1, 2, 3),
    caption="By how much the printed derivatives of Table III are off. Zero is right.",
)

# %% [markdown]
# ## The constants
#
# The normal quantile of the individual intervals, and its square, which gives the plus-four method its
# name.

# %%
# Record the constants.
constants = ["yuan/section-3/critical_value", "yuan/section-3a/critical_value"]
for identity in constants:
    record(identity, of_one.z)
record("yuan/section-2d/z_squared", of_one.z**2)
show.compare(
    [*constants, "yuan/section-2d/z_squared"], caption="The constants. Both follow from the level."
)

# %% [markdown]
# ## Statement by statement
#
# What section III-A and the introduction say about this simulation, with the numbers that decide.
# Coverage "close to" the level is read as within one percentage point of it.

# %%
# Prepare what the claims need.
value = {key.removeprefix("yuan/"): row.value for key, row in page.records.items()}
found = np.array(
    [[value[f"section-3a/n-{n}/individual/{k}"] for k in keys] for n in sizes.values()]
)
worst = np.abs(found[:, :6] - level).max()
two = found[:, 6:9].max()
six = found[:, 9].max()
joint = min(value[f"{item}/{g}/coverage"] for item in sizes for g in groups)
shorter = max(value[f"table-5/{g}/length"] / value[f"table-4/{g}/length"] for g in groups)

# %%
# State each claim: section, words of the paper, our number, and whether it holds.
claim = Claims()
text = "individual CIs: coverages quite close to the nominal 95%"
claim("III-A, 1", text, worst, worst < 0.01)
claim("III-A, 1", "for two parameters lower, even at n = 2000", two, two < 0.94)
claim("III-A, 1", "for six parameters much lower", six, six < 0.9)
claim("III-A, 3", "joint CIs have nearly 0.95 coverage", joint, joint > 0.94)
claim("III-A, 3", "lengths in Table V shorter than in Table IV (ratio)", shorter, shorter < 1)
text = "joint CIs not too much wider than individual ones (ratio)"
claim("III", text, price["all"], price["all"] < 1.3)
claim.table()

# %% [markdown]
# ## What we learn
#
# - Section III-A is a computation now. Of {tally}`yuan-gaussian` numbers,
#   {tally}`yuan-gaussian|match` agree to the last digit. The others are simulated numbers whose test
#   sets we do not know, and all of these agree within their errors.
# - A simulation can be repeated to the digit after years, if its software and seeds are known. A paper
#   that prints two seeds makes this easy for everyone.
# - Individual intervals have their level for one parameter, but not for six. All six are right in
#   {computed}`yuan/section-3a/n-500/individual/all|.3f` of test sets at $n = 500$, and in
#   {computed}`yuan/section-3a/n-2000/individual/all|.3f` at $n = 2000$. A larger test set does not
#   help. A larger quantile does.
# - Joint intervals have their level for two and for six parameters, already at $n = 500$.
# - Here the classes are balanced and nothing is rare. {doc}`yuan-abalone` is less kind.
