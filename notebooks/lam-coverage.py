# %% [markdown]
# # Four intervals for F1: coverage and length
#
# A method for 95 % intervals should contain the true score in 95 of 100 test sets, and its
# intervals should be short. By these two measures {cite:t}`lam2024` judge four intervals for F1.
# (What they call *Wilson indirect* is called *Wilson score* here.) They draw a million test sets in
# each of 18 conditions, whereas this notebook reproduces their Tables 3 to 6 and Figure 2 without
# drawing any.
#
# Given the number $v$ of relevant items, the number of true positives is binomial
# ({prf:ref}`lem-lam-conditional`). So coverage and expected length are finite sums
# ({prf:ref}`prop-lam-coverage` in [the chapter](/book/lam.md)), which `f1ci.coverage.exact`
# computes. At the end we draw the million test sets as well, and both ways give the same numbers.

# %% tags=["parameters"]
confidence_level: float = 0.95  # nominal level of the intervals; another one is not in the ledger
replicates: int = 1_000_000  # simulated test sets per condition, as in the paper
seed: int = 20260101  # root of all random streams

# %%
# Import what the notebook uses and open the ledger.
from itertools import pairwise

import numpy as np
from compendium import figures, ledger, show
from compendium.pool import executor
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

import f1ci
from notebooks.shared import four_intervals, joint_test, statements
from notebooks.shared.four_intervals import in_words

# `given`, `printed`, `record` and `say` read and fill the ledger, see notebooks/README.md.
# `show` makes tables; in `show.grid` and `show.compare` the printed number stands with ours and
# the verdict. `four_intervals` sums over all test sets of a condition, `joint_test` tests a whole
# table, and `statements` compares the paper's claims with our numbers.
page = ledger.open("lam-coverage")
given, printed, record, say = page

# %% [markdown]
# ## The conditions
#
# There are three classifiers, each with six sizes of the test set: from
# {published}`lam/section-5.1/sample_size-1` to {published}`lam/section-5.1/sample_size-6` items.
# Prevalence, precision and recall give the cell probabilities, and the cells give F1 (equation
# {eq}`eq-lam-f1`). An interval depends most on the expected number of relevant items. These are all
# items except the true negatives.

# %%
CELLS = ("p11", "p10", "p01")  # true positives, false positives, false negatives
scenarios = {
    f"scenario-{s}": tuple(given(f"lam/section-5.1/scenario-{s}/{p}") for p in CELLS)
    for s in (1, 2, 3)
}
titles = {name: name.replace("-", " ").capitalize() for name in scenarios}
sizes = [int(given(f"lam/section-5.1/sample_size-{k}")) for k in range(1, 7)]
methods = {name: look["label"] for name, look in figures.METHODS.items()}
paper_level = given("lam/section-5/confidence_level") / 100
truth = {name: four_intervals.truth(cells) for name, cells in scenarios.items()}

# %%
# Check the cell probabilities against prevalence, precision and recall, and record F1.
rows = []
for name, cells in scenarios.items():
    words = ("prevalence", "precision", "recall")
    shares = [given(f"lam/section-5.1/{name}/{word}") / 100 for word in words]
    prevalence, precision, recall = shares
    p11 = prevalence * recall
    assert np.allclose(cells, (p11, p11 / precision - p11, prevalence - p11))
    record(f"lam/section-5.1/{name}/f1", truth[name])
    rows.append([titles[name], *(f"{share:.0%}" for share in shares)])
    rows[-1] += [*(f"{p:.2f}" for p in cells), f"{truth[name]:.2f}", f"{sum(cells):.0%}"]
record("lam/section-5.3.2/scenario-3/f1", truth["scenario-3"])
head = ["scenario", "prevalence", "precision", "recall", "TP", "FP", "FN", "F1", "relevant items"]
show.table(
    head,
    rows,
    numeric=range(1, len(head)),
    caption=(
        "The three scenarios. Relevant items are all but the true negatives, and intervals "
        "depend most on their number."
    ),
)

# %% [markdown]
# ## Tables 3 and 4, exactly
#
# Every cell below holds the printed number, the exact number and the ledger's verdict. The paper's
# numbers are means over {published}`lam/section-5.1/replicates` test sets, so they have a sampling
# error. We know the size of that error exactly. The standard deviation of one test set's outcome is
# $\sqrt{C (1 - C)}$ for a coverage $C$, and another finite sum for a length.

# %%
exact = four_intervals.exact(scenarios, sizes, list(methods), confidence_level)
# The paper's numbers have the paper's level, whatever level you ask for.
as_in_paper = exact
if confidence_level != paper_level:
    as_in_paper = four_intervals.exact(scenarios, sizes, list(methods), paper_level)

# %%
# Record every exact coverage and length, with the standard deviation of one test set's outcome.
TABLES = {"table-3": "coverage", "table-4": "expected_length"}


def number_id(item, name, n, method):
    """Return the id of a number of Table 3 or 4."""
    return f"lam/{item}/{name}/n-{n}/{method}"


def outcome(item, key):
    """Return the exact number of a table, and the deviation of one test set's outcome."""
    result = as_in_paper[key]
    if item == "table-4":
        return result.expected_length, result.length_deviation
    return result.coverage, (result.coverage * (1 - result.coverage)) ** 0.5


for key in as_in_paper:
    for item in TABLES:
        value, deviation = outcome(item, key)
        record(number_id(item, *key), value, deviation=deviation)
say("lam-coverage-compared", len(as_in_paper) * len(TABLES))
for method in ("wilson_direct", "wilson_indirect"):
    value, deviation = outcome("table-4", ("scenario-3", 25, method))
    record(f"lam/section-5.3.2/scenario-3/n-25/{method}", value, deviation=deviation)

# %%
# Non-breaking spaces keep a condition on one line.
conditions = {
    (name, n): f"{titles[name]}, n = {n}".replace(" ", "\N{NO-BREAK SPACE}")
    for name in scenarios
    for n in sizes
}


CAPTIONS = {
    "table-3": "Table 3, coverage probabilities",
    "table-4": "Table 4, expected lengths",
    "Table 5": "Table 5, probabilities of a limit outside [0, 1]",
    "Table 6": "Table 6, probabilities of an interval of length zero",
}


def paper_table(item):
    """Show a table of the paper: the printed number above the exact one in every cell."""
    rows = {f"{name}/n-{n}": title for (name, n), title in conditions.items()}
    return show.grid(
        rows,
        methods,
        lambda row, method: f"lam/{item}/{row}/{method}",
        caption=f"{CAPTIONS[item]}. Each cell has the printed number above the exact one.",
        corner="condition",
    )


# %%
# Show Table 3.
paper_table("table-3")

# %%
# Show Table 4.
paper_table("table-4")

# %%
# Show coverage and length at your own level, if it is not the paper's.
rows = []
for condition, title in conditions.items():
    results = [exact[(*condition, m)] for m in methods]
    rows.append([title, *(f"{r.coverage:.4f}, {r.expected_length:.4f}" for r in results)])
head = [f"coverage and length at the level {confidence_level:g}", *methods.values()]
own_level = show.table(
    head,
    rows,
    numeric=range(5),
    caption="Coverage and length at your own level. The paper has no numbers to compare them with.",
)
own_level if confidence_level != paper_level else None

# %% [markdown]
# ### One test for each table
#
# A verdict looks at one number. Could a whole table be off, each number a little? We print each
# table ten thousand times, as a simulation without any mistake would print it. Then we count how
# often such a table is further from the exact values than the paper's table. The four methods
# share their test sets, so their numbers in one row are correlated. We draw them with that
# correlation.

# %%
# Test each table as a whole.
paper_replicates = given("lam/section-5.1/replicates")
names = list(methods)
correlations = [
    four_intervals.outcome_correlations(n, cells, names, paper_level, draws=50_000, seed=seed)
    for name, cells in scenarios.items()
    for n in sizes
]
tests = {}
for which, item in enumerate(TABLES):
    keys = [[(name, n, method) for method in methods] for name, n in conditions]
    outcomes = np.array([[outcome(item, key) for key in row] for row in keys])
    test = tests[f"Table {item[-1]}"] = joint_test.joint_test(
        [[printed(number_id(item, *key)) for key in row] for row in keys],
        outcomes[..., 0],
        outcomes[..., 1] / paper_replicates**0.5,
        unit=0.001,
        correlation=[pair[which] for pair in correlations],
    )
    say(f"lam-coverage-joint-{item[-1]}", min(test.p_chi_square, test.p_largest, test.p_mean))
joint_test.table(tests)

# %% [markdown]
# Neither table is further off than chance allows: the smallest of the three p-values is
# {glue:text}`lam-coverage-joint-3:.2f` for Table 3 and {glue:text}`lam-coverage-joint-4:.2f` for
# Table 4.
#
# ## Figure 2
#
# The curves are exact, at every size up to 100 and at twelve sizes above. Their waves are real:
# where nearly all items are relevant (scenario 2), $v$ hardly varies, and the number of true
# positives jumps from integer to integer. At the paper's level markers show the
# printed numbers of Tables 3 and 4.

# %%
curve_sizes = [*range(20, 100), *np.geomspace(100, sizes[-1], 12).astype(int).tolist()]
curves = four_intervals.exact(scenarios, curve_sizes, names, confidence_level)


def curve(name, method, quantity):
    """Return a quantity at all sizes of the figures."""
    return np.array([getattr(curves[name, n, method], quantity) for n in curve_sizes])


def size_axis(axis, **labels):
    """Give an axis the sizes of the test sets, on a logarithmic scale."""
    axis.set(xscale="log", **labels)
    axis.set_xticks(sizes, [f"{n}" for n in sizes], rotation=60)
    axis.minorticks_off()


def draw_panel(axis, name, item):
    """Draw the exact curves of the four methods and the paper's numbers."""
    for method, look in figures.METHODS.items():
        axis.plot(curve_sizes, curve(name, method, TABLES[item]), **{**look, "marker": ""})
        if confidence_level == paper_level:
            theirs = [printed(number_id(item, name, n, method)) for n in sizes]
            axis.plot(sizes, theirs, **{**look, "linestyle": ""})


# %% mystnb={"image": {"alt": "Six panels. Left: coverage against test-set size in three scenarios; Wald climbs to the nominal level from below, Clopper-Pearson descends to it from above, both Wilson curves stay close to it. Right: expected lengths, which all fall along nearly the same line. The printed numbers lie on the curves."}, "figure": {"caption": "Figure 2 of the paper. Left: coverage probabilities. Right: expected lengths. Curves: exact. Markers, at the paper's level: the numbers that the paper prints.", "name": "fig-lam-coverage-figure-2"}}
# Draw Figure 2: coverages on the left, lengths on the right, one row for each scenario.
figure, axes = figures.subplots(3, 2, height=7.6, sharex=True, sharey="col")
for name, (left, right) in zip(scenarios, axes, strict=True):
    draw_panel(left, name, "table-3")
    draw_panel(right, name, "table-4")
    left.axhline(confidence_level, color="black", linewidth=0.8)
    size_axis(left, ylabel=f"{titles[name]}\n$F_1$ = {truth[name]:.2f}")
    size_axis(right, yscale="log")
    right.set_yticks([0.02, 0.05, 0.1, 0.2, 0.4], ["0.02", "0.05", "0.1", "0.2", "0.4"])
    right.minorticks_off()
axes[0, 0].set_title("A. coverage")
axes[0, 1].set_title("B. expected length")
for axis in axes[-1]:
    axis.set_xlabel("size $n$ of the test set")
looks = [Line2D([], [], **look) for look in figures.METHODS.values()]  # curve and marker
looks.append(Line2D([], [], color="black", linewidth=0.8, label=f"level {confidence_level:g}"))
figure.legend(handles=looks, loc="outside lower center", ncols=2)
figures.save(figure, "lam-coverage-figure-2")

# %% [markdown]
# ## The same by simulation
#
# As the paper does, we draw test sets from the multinomial distribution. We count how often the
# interval contains the truth and compute its mean length. One draw serves all four methods. Each
# batch of draws has its own random stream, so the numbers do not depend on how many processes or
# machines share the work.


# %%
def ends_of_all(counts):
    """Return the end points of the four methods for a batch of test sets."""
    return four_intervals.end_points(counts, names, confidence_level)


# %%
# Draw the test sets of each condition and compute coverage and length of the four methods.
simulated = {}
streams = iter(np.random.SeedSequence(seed).spawn(len(conditions)))
with executor() as pool:
    for name, n in conditions:
        simulated[name, n] = f1ci.coverage.simulate(
            n,
            [*scenarios[name], 1 - sum(scenarios[name])],
            method=ends_of_all,
            truth=[truth[name]] * 4,
            replicates=replicates,
            rng=next(streams),
            executor=pool,
        )


# %%
def in_standard_errors(name, n):
    """Return simulated minus exact coverages and lengths, in standard errors."""
    study = simulated[name, n]
    results = [exact[name, n, m] for m in methods]
    coverage = study.coverage - [r.coverage for r in results]
    length = study.expected_length - [r.expected_length for r in results]
    return coverage / study.coverage_error, length / study.length_error


# %% tags=["remove-cell"]
# Keep for the text how far simulated and exact numbers lie apart.
both = np.concatenate([np.ravel(in_standard_errors(*condition)) for condition in conditions])
say("lam-coverage-largest", np.abs(both).max())
say("lam-coverage-within-two", 100 * float((np.abs(both) < 2).mean()))
say("lam-coverage-root-mean-square", np.sqrt((both**2).mean()))
say("lam-coverage-replicates", f"{replicates:,}")

# %% [markdown]
# Each condition has {glue:text}`lam-coverage-replicates` test sets. The simulated coverages and
# lengths differ from the exact ones by {glue:text}`lam-coverage-root-mean-square:.2f` standard
# errors (root mean square), where 1 is expected. Of all {glue:text}`lam-coverage-compared:d` differences
# {glue:text}`lam-coverage-within-two:.1f` % are below two standard errors; the largest is
# {glue:text}`lam-coverage-largest:.2f`. (The four methods share their test sets, so these are not
# {glue:text}`lam-coverage-compared:d` independent trials.)
#
# The next figure does the same for the paper's simulation: each printed number of Tables 3 and 4
# minus the exact one. Rounding to three decimals alone explains half a unit.


# %%
def deviations_of(item, method):
    """Return printed minus exact, and the ledger's limit, in units of the third decimal."""
    keys = [(name, n, method) for name, n in conditions]
    values, errors = np.transpose([outcome(item, key) for key in keys])
    off = [printed(number_id(item, *key)) for key in keys] - values
    return 1000 * off, 0.5 + 4000 * errors / paper_replicates**0.5


# %% mystnb={"image": {"alt": "Two panels of points. Printed minus exact coverages scatter within about one unit of the third decimal; printed minus exact lengths stay within half a unit. All points lie inside grey bands."}, "figure": {"caption": "Printed minus exact, in units of the third decimal, for the 72 coverages and the 72 lengths. A standard error is that of a mean over the paper's replicates.", "name": "fig-lam-coverage-printed"}}
# Draw printed minus exact numbers over the ledger's limits.
figure, axes = figures.subplots(2, 1, height=6.6, sharex=True, sharey=True)
titles_of = {"table-3": "Table 3, coverage", "table-4": "Table 4, expected length"}
for axis, (item, title) in zip(axes, titles_of.items(), strict=True):
    for k, (method, look) in enumerate(figures.METHODS.items()):
        off, limit = deviations_of(item, method)
        places = len(conditions) * k + np.arange(len(conditions))
        axis.bar(places, 2 * limit, 1, -limit, color="#e4e4e4", edgecolor="none")
        axis.plot(places, off, **{**look, "linestyle": ""})
    axis.axhspan(-0.5, 0.5, color="#c4c4c4", linewidth=0)
    axis.set(title=title, ylim=(-2, 2), ylabel="printed minus exact\nunits of the third decimal")
    axis.grid(False)
    axis.tick_params(axis="x", length=0)
middles = len(conditions) * (np.arange(len(methods)) + 0.5)
names_below = [label.replace("-", "-\n").replace(" ", "\n") for label in methods.values()]
axes[1].set_xticks(middles, names_below)
axes[1].set_xlabel("18 conditions for each method")
bands = [
    Patch(color="#c4c4c4", label="what rounding can do"),
    Patch(color="#e4e4e4", label="and four standard errors: the ledger's limit"),
]
figure.legend(handles=bands, loc="outside lower center")
figures.save(figure, "lam-coverage-printed")

# %% [markdown]
# (shown-e-lam-5)=
# ## Tables 5 and 6, which our copy does not show
#
# The two tables of overshoot and degeneracy probabilities are illegible in the copy that we could
# read ({ref}`N-lam-5 <N-lam-5>`), so there is nothing to compare with. Here they are with the exact
# values, one row for each condition and one column for each method. If you have the paper, you can
# compare. The paper's numbers are shares of a million test sets, so a probability below
# $10^{-6}$ should be printed as zero.
#
# Only Wald has either defect. For the other three methods both probabilities are zero:
# {prf:ref}`prop-lam-clopper-pearson`, {prf:ref}`prop-lam-indirect` and {prf:ref}`cor-lam-direct`
# prove it, and the sums confirm it.

# %%
MISSING = 1e-9  # probability that a sum may leave out
faultless = [r for (*_, m), r in as_in_paper.items() if m != "wald"]
assert all(r.overshoot == r.degeneracy == 0 for r in faultless)


def probability_table(item, probability):
    """Show a table of exact probabilities in the paper's form: 18 conditions, four methods."""
    rows = [
        [title, *(probability(*condition, m) for m in methods)]
        for condition, title in conditions.items()
    ]
    return show.table(
        ["condition", *methods.values()],
        rows,
        numeric=range(1, 5),
        caption=f"{CAPTIONS[item]}. Only Wald's interval can do this.",
    )


def overshoot(name, n, method):
    """Return an overshoot probability as text."""
    result = as_in_paper[name, n, method]
    return in_words(result.overshoot, missing=MISSING) if method == "wald" else "0"


# %%
# Show Table 5, the overshoot probabilities.
probability_table("Table 5", overshoot)

# %% [markdown]
# The degeneracy probability also has a closed form, {eq}`eq-lam-degeneracy`, with which the sums agree:


# %%
# Show Table 6, the degeneracy probabilities.
def degeneracy(name, n, method):
    """Return a degeneracy probability as text: Wald's by the closed form, which the sum confirms."""
    if method != "wald":
        return "0"
    closed = four_intervals.degeneracy(n, scenarios[name])
    assert abs(as_in_paper[name, n, method].degeneracy - closed) < MISSING
    return in_words(closed)


probability_table("Table 6", degeneracy)

# %% tags=["remove-cell"]
# Keep these probabilities for the text.
for s, name in enumerate(scenarios, 1):
    say(f"lam-coverage-overshoot-{s}", as_in_paper[name, 25, "wald"].overshoot)
    say(f"lam-coverage-degeneracy-{s}", as_in_paper[name, 25, "wald"].degeneracy)
# Two tables with one number for each condition and method.
say("lam-coverage-illegible", 2 * len(conditions) * len(methods))

# %% [markdown]
# At $n = 25$ Wald's interval leaves $[0, 1]$ with probability
# {glue:text}`lam-coverage-overshoot-1:.4f`, {glue:text}`lam-coverage-overshoot-2:.4f` and
# {glue:text}`lam-coverage-overshoot-3:.4f` in the three scenarios. It has length zero with
# probability {glue:text}`lam-coverage-degeneracy-1:.4f`,
# {glue:text}`lam-coverage-degeneracy-2:.6f` and {glue:text}`lam-coverage-degeneracy-3:.4f`.
#
# ## Section 5.3, statement by statement
#
# We test every statement of section 5.3, at the paper's level. "Small" means up to 100 items, as in section 7 of the
# paper; "large" means 500 or more. The paper does not define "near" and "far". We take "near" to be
# within one percentage point.

# %%
# Prepare what the statements need.
small_sizes = [n for n in sizes if n <= 100]
large_sizes = [n for n in sizes if n > 100]


def extent(quantity, method, some_sizes):
    """Return the smallest and the greatest value of a quantity over scenarios and sizes."""
    values = [getattr(as_in_paper[s, n, method], quantity) for s in scenarios for n in some_sizes]
    return np.array([min(values), max(values)])


def span(values):
    """Return the smallest and the greatest of some numbers as text."""
    return f"{np.min(values):.3f} to {np.max(values):.3f}"


def near(values, other):
    """Check that numbers differ from others by less than one percentage point."""
    return np.abs(np.subtract(values, other)).max() < 0.01


def length(name, n, method):
    """Return an expected length."""
    return as_in_paper[name, n, method].expected_length


def shortest(name, n):
    """Return the method with the smallest expected length."""
    return min(methods, key=lambda m: length(name, n, m))


# %% [markdown]
# Coverage, section 5.3.1:

# %%
# Prepare what the claims about coverage need.
claim = statements.Claims()
cp, wald, direct, indirect = (extent("coverage", m, small_sizes) for m in methods)
large = [extent("coverage", m, large_sizes) for m in methods]
both = f"direct {span(direct)}, indirect {span(indirect)}"

# %%
# State each claim: section, words of the paper, our numbers, and whether it holds.
text = "small n: Clopper-Pearson covers far more than the level"
claim("5.3.1", text, span(cp), cp[0] > paper_level)
claim("5.3.1", "small n: Wald covers far less", span(wald), wald[1] < paper_level)
text = "small n: both Wilson methods cover near the level"
claim("5.3.1", text, both, near([direct, indirect], paper_level))
text = "large n: all four cover near the level"
claim("5.3.1", text, span(large), near(large, paper_level))

# %% [markdown]
# Lengths, section 5.3.2:

# %%
winners = {s: {shortest(s, n) for n in small_sizes} for s in scenarios}
first_two = winners["scenario-1"] | winners["scenario-2"]
third = winners["scenario-3"]


def longest_ratio(some_sizes):
    """Return the largest ratio of an interval's length to the shortest length."""
    return max(
        length(s, n, m) / length(s, n, shortest(s, n))
        for s in scenarios
        for n in some_sizes
        for m in methods
    )


def named(some_methods):
    """Return the names of methods."""
    return ", ".join(methods[m] for m in some_methods)


# %%
# Check that all lengths fall as n grows, and take the two lengths at scenario 3, n = 25.
falling = all(
    length(s, a, m) > length(s, b, m)
    for s in scenarios
    for m in methods
    for a, b in pairwise(sizes)
)
pair = [length("scenario-3", 25, m) for m in ("wilson_direct", "wilson_indirect")]
excess = longest_ratio(large_sizes)

# %%
# State the claims about lengths.
text = "small n: Wilson indirect is the shortest in scenarios 1 and 2"
claim("5.3.2", text, named(first_two), first_two == {"wilson_indirect"})
text = "small n: Wilson direct is the shortest in scenario 3"
claim("5.3.2", text, named(third), third == {"wilson_direct"})
value = f"at most {100 * (excess - 1):.1f} % above the shortest"
claim("5.3.2", "large n: the lengths are comparable", value, excess < longest_ratio(small_sizes))
claim("5.3.2", "all lengths fall as n grows", "all scenarios, all methods", falling)
text = "scenario 3, n = 25: Wilson direct is shorter than indirect"
claim("5.3.2", text, f"{pair[0]:.4f} against {pair[1]:.4f}", pair[0] < pair[1])

# %% [markdown]
# Overshoot and degeneracy, sections 5.3.3 and 5.3.4. An event counts as seen if a million test sets
# would show it at least once.

# %%
# Prepare what the claims about overshoot and degeneracy need.
rarest = {n: extent("overshoot", "wald", [n])[0] for n in small_sizes}
late = extent("overshoot", "wald", large_sizes)[1]
zero = {s: as_in_paper[s, 25, "wald"].degeneracy for s in scenarios}
in_rarest = ", ".join(f"{in_words(p, missing=MISSING)} at n = {n}" for n, p in rarest.items())
never = all(r.overshoot == r.degeneracy == 0 for r in faultless)

# %%
# State the claims about overshoot and degeneracy.
seen = min(rarest[25], rarest[50]) * paper_replicates > 1
text = "small n: Wald overshoots in all scenarios"
claim("5.3.3", text, f"in the rarest scenario {in_rarest}", seen)
unseen = late * paper_replicates < 1
claim("5.3.3", "large n: it does not", in_words(late, missing=MISSING), unseen)
value = ", ".join(map(in_words, zero.values())) + " at n = 25"
often = min(zero["scenario-1"], zero["scenario-3"]) > 10 * zero["scenario-2"]
claim("5.3.4", "small n: Wald degenerates, especially in scenarios 1 and 3", value, often)
text = "the other three never do either"
claim("5.3.3, 5.3.4", text, "probability 0 in all 54 conditions", never)

# %% [markdown]
# Section 7 says more, about the whole and about another paper:

# %%
# Compute what the whole paper says about lengths and recommendations.
inputs = [name for name in page.published.inputs if name.startswith("takahashi/table-2/")]
classes = {name.rpartition("/")[2] for name in inputs}
wilsons = ("wilson_direct", "wilson_indirect")
at_small = [extent("coverage", m, small_sizes) for m in wilsons]
at_large = [extent("coverage", m, large_sizes) for m in wilsons]
both_shorter = all(
    max(length(s, n, m) for m in wilsons)
    < min(length(s, n, m) for m in ("wald", "clopper_pearson"))
    for s in scenarios
    for n in small_sizes
)
apart = max(
    abs(length(s, n, "wilson_direct") / length(s, n, "wilson_indirect") - 1)
    for s in scenarios
    for n in large_sizes
)

# %%
# State the claims of the abstract and of section 7.
first = [length("scenario-1", 25, m) for m in ("wilson_direct", "wald")]
value = "scenario 1, n = 25: direct {:.3f}, Wald {:.3f}".format(*first)
text = "both Wilson methods have better lengths than Clopper-Pearson and Wald"
claim("abstract, 7", text, value, both_shorter)
text = "Takahashi et al. report small coverage of the Wald interval for F1 when n < 100"
value = f"all scenarios of their table 2 have {len(classes)} classes"
claim("7", text, value, len(classes) == 2)

# %% [markdown]
# Section 7 recommends both Wilson methods, for small and for large test sets. Its reasons can be
# tested:

# %%
# State the claims about the recommendation, and show all claims.
text = "n <= 100: both Wilson methods have comparable coverage, so choose by length"
claim("7", text, " and ".join(map(span, at_small)), near(*at_small))
text = "n > 100: comparable coverage and length, so choose as you like"
value = " and ".join(map(span, at_large)) + f", lengths within {apart:.1%}"
claim("7", text, value, near(*at_large) and apart < 0.01)
of_wilsons = [r for (*_, m), r in as_in_paper.items() if m in wilsons]
text = "unlike Wald, neither Wilson method overshoots or degenerates"
neither = all(r.overshoot == r.degeneracy == 0 for r in of_wilsons)
claim("7", text, "probability 0 in all 36 conditions", neither)
claim.table()

# %% [markdown]
# At $n = 100$ Wald's overshoot is not zero, but too rare in scenarios 1 and 2 to be seen in a
# million test sets. "Small $n$" must mean 25 and 50 there.
#
# (shown-n-lam-8)=
# One line is about a citation ({ref}`N-lam-8 <N-lam-8>`). Section 7 quotes
# {cite:t}`takahashi2022` for the coverage of Wald's interval for a binary F1 score. That paper
# studies averages over three classes. The finding is similar, but it is about other scores.
#
# (shown-n-lam-9)=
# Section 7 also quotes two papers that we did not have: Brown et al. (2001) on Clopper-Pearson and
# Wald, and Leisenring et al. (2000) on score statistics. These quotations are unchecked
# ({ref}`N-lam-9 <N-lam-9>`).
#
# (shown-e-lam-3)=
# ## What does not match
#
# All numbers of Tables 3 and 4 match. One conclusion does not follow from them. The abstract says
# that *both* Wilson methods have better lengths than Clopper-Pearson and Wald, and section 7 says
# it again for $n$ up to 100 ({ref}`E-lam-3 <E-lam-3>`). For Wilson direct against Wald this is
# true in scenario 3 only. In scenario 1 at $n = 25$, Table 4 itself prints
# {published}`lam/table-4/scenario-1/n-25/wilson_direct` for Wilson direct and
# {published}`lam/table-4/scenario-1/n-25/wald` for Wald; exactly they are
# {computed}`lam/table-4/scenario-1/n-25/wilson_direct|.4f` and
# {computed}`lam/table-4/scenario-1/n-25/wald|.4f`. Section 5.3.2 describes the table rightly.

# %%
# Show the lengths relative to Wald's.
others = [m for m in methods if m != "wald"]
rows = []
for name in scenarios:
    for n in small_sizes:
        against = [length(name, n, m) / length(name, n, "wald") - 1 for m in others]
        both_short = length(name, n, "wilson_direct") < length(name, n, "wald")
        rows.append([conditions[name, n], *(f"{100 * x:+.1f} %" for x in against)])
        rows[-1].append("yes" if both_short else "no")
head = ["length against Wald's", *(methods[m] for m in others), "both Wilson shorter?"]
show.table(
    head,
    rows,
    numeric=range(1, 4),
    caption=(
        "Lengths relative to Wald's. Below zero the method is shorter than Wald, although it "
        "covers more."
    ),
)

# %% mystnb={"image": {"alt": "Three panels, one per scenario: expected length relative to Wald's, against the size of the test set. Clopper-Pearson is above one everywhere, Wilson score below. Wilson direct is above one in scenarios 1 and 2, and the lowest in scenario 3. All curves tend to one."}, "figure": {"caption": "Exact expected lengths relative to Wald's. Wilson direct is longer than Wald where F1 is high (scenarios 1 and 2) and shorter where it is low (scenario 3).", "name": "fig-lam-coverage-relative"}}
# Draw the lengths relative to Wald's.
figure, axes = figures.subplots(3, 1, height=7.0, sharex=True, sharey=True)
for name, axis in zip(scenarios, axes, strict=True):
    base = curve(name, "wald", "expected_length")
    for method, look in figures.METHODS.items():
        ratio = curve(name, method, "expected_length") / base
        axis.plot(curve_sizes, ratio, **{**look, "marker": ""})
    size_axis(axis, title=f"{titles[name]}, $F_1$ = {truth[name]:.2f}")
axes[1].set_ylabel("length relative to Wald's")
axes[2].set_xlabel("size $n$ of the test set")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
figures.save(figure, "lam-coverage-relative")

# %% [markdown]
# {prf:ref}`thm-lam-lengths` gives the reason: for many relevant items the sign of the difference
# depends on F1 alone. A shorter interval that covers less is no better. Where Wald is shorter
# than Wilson direct, Wald misses the truth more often.
#
# (shown-e-lam-4)=
# Section 5.3.1 speaks of a "Ward direct method" and a "Ward indirect method"
# ({ref}`E-lam-4 <E-lam-4>`). The paper defines no method of that name. The coverages that it
# describes as near the level are those of the two Wilson methods in the table above.

# %% [markdown] tags=["default-values"]
# ## What we learn
#
# - All {glue:text}`lam-coverage-compared:d` numbers of Tables 3 and 4 agree with the exact values, to within rounding and the
#   sampling error of the paper's simulation. The tables as wholes agree too.
# - Nobody needs to simulate these four methods: all conditions take a moment, without
#   error.
# - At $n = 25$ Wald covers {computed}`lam/table-3/scenario-1/n-25/wald|.3f`,
#   {computed}`lam/table-3/scenario-2/n-25/wald|.3f` and
#   {computed}`lam/table-3/scenario-3/n-25/wald|.3f`, and it overshoots. Clopper-Pearson pays for
#   its guarantee with the longest intervals. The Wilson methods are near the level and short. Which
#   of the two is shorter depends on F1 (see {doc}`lam-geometry`). {doc}`choosing-a-method` looks at
#   all values of F1 instead of two.
