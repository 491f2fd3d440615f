# %% [markdown]
# # Is the finer tag set better?
#
# Wang and Li compare, in three tasks, a sequence labeller with a coarse tag set (model A)
# and one with a finer tag set (model B): Chinese word segmentation (CWS), named entity recognition
# (NER) and recognition of organisation names (ORG). Both models are trained and tested in a
# $3 \times 2$ block-regularised cross-validation. The question is not which score is larger,
# but how probable it is that B is better.
#
# The method is derived in [its chapter](/book/wangli.md). In short: the counts of the six folds
# are added and multiplied by one weight, which makes them *effective* counts
# ({prf:ref}`prop-wangli-effective`); precision, recall and $F^* = F_1 / (2 - F_1)$ then have
# Beta posteriors, {eq}`eq-wangli-densities`; and the probability that B is not better than A is an
# integral over two of them ({prf:ref}`prop-wangli-h0`).
#
# The paper's counts are published with its code, so that everything here follows from them without
# any training: Tables 1 to 5, Figures 1 to 3, and the numbers that the text quotes.

# %% tags=["parameters"]
confidence_level: float = 0.95  # of the credible intervals of Table 2, as in the paper
prior: float = 1.0  # lambda of the Beta prior, as in the paper
draws: int = 1_000_000  # Monte Carlo draws from each posterior, as in the paper
seed: int = 20190601  # root of all random streams

# %%
import numpy as np
from compendium import figures, ledger, show
from scipy import integrate
from scipy.special import betaln
from scipy.stats import norm

import f1ci
from notebooks.shared import datasets

page = ledger.open("wangli-bayes-test")
given, _, record, say = page
counts = datasets.wang_li_counts()  # (task, model) -> TP, FP, FN by repetition and fold

TASKS = {"cws": "CWS", "ner": "NER", "org": "ORG"}
TAGS = {
    ("cws", "A"): "BMES",
    ("cws", "B"): "BB₂B₃MES",
    ("ner", "A"): "IOB2",
    ("ner", "B"): "IOBES",
    ("org", "A"): "IOB2",
    ("org", "B"): "IOBES",
}
METRICS = {"precision": "P", "recall": "R", "f1": "F1"}
TABLES = {"cws": "table-3", "ner": "table-4", "org": "table-5"}


def posterior(task, model, metric, **correlations):
    """The posterior of one model's metric; with given correlations instead of the average."""
    effective = f1ci.effective_counts(counts[task, model], **correlations)
    return f1ci.posterior(*effective, metric, prior=prior)


def title(task, metric):
    """A line's name, kept on one line."""
    return f"{TASKS[task]},\N{NO-BREAK SPACE}{METRICS[metric]}"


# %% [markdown]
# ## The partitions: Table 1
#
# Four blocks of equal size make three halvings, any two of which share one block in each half.
# `f1ci.bcv_partitions` makes them; here for 600 items of two classes. Every item's block is
# read off the halves in which it lies, and the halves are then written in terms of blocks.

# %%
repetitions = int(given("wangli/section-2.2/repetitions"))
printed = {
    (j, half): page.text(f"wangli/table-1/{j}/{half}")
    for j in range(1, repetitions + 1)
    for half in "st"
}
labels = np.arange(600) % 3 == 0
partitions = f1ci.bcv_partitions(600, repetitions=repetitions, stratify=labels, rng=seed)
halves = {(j, half): partitions[2 * j - 2]["st".index(half)] for j, half in printed}
in_s = np.array([np.isin(np.arange(600), halves[j, "s"]) for j in range(1, repetitions + 1)])
in_first_half = {  # of each block, by Table 1
    f"B{b}": [f"B{b}" in printed[j, "s"] for j in range(1, repetitions + 1)] for b in range(1, 5)
}
blocks = {
    name: np.flatnonzero((in_s == np.array(pattern)[:, None]).all(axis=0))
    for name, pattern in in_first_half.items()
}


def made_of(items):
    """The blocks that lie wholly in a set of items, if together they are that set."""
    inside = [name for name, block in blocks.items() if np.isin(block, items).all()]
    assert sum(blocks[name].size for name in inside) == len(items)
    return ", ".join(inside)


show.table(
    ["index", "S, published", "S, ours", "T, published", "T, ours"],
    [
        [j, printed[j, "s"], made_of(halves[j, "s"]), printed[j, "t"], made_of(halves[j, "t"])]
        for j in range(1, repetitions + 1)
    ],
)

# %% [markdown]
# The four blocks have equally many items, and equally many of the positive class:

# %%
show.table(
    ["block", "items", "positives"],
    [[name, block.size, int(labels[block].sum())] for name, block in blocks.items()],
    numeric=(1, 2),
)

# %% [markdown]
# ## The counts, and what they are worth
#
# The weight of the folds is averaged over two correlations of which the paper knows ranges only
# ({prf:ref}`prop-wangli-weight`, eqs. 22 to 24 of the paper).

# %%
ends = {
    key: given(f"wangli/equation-22/{key}")
    for key in ("rho1/low", "rho1/high", "rho2/low", "rho2/high")
}
area = (ends["rho1/high"] - ends["rho1/low"]) * (ends["rho2/high"] - ends["rho2/low"])
ones = np.ones((repetitions, 2, 3))
weights = {key: value / 6 for key, value in f1ci.effective_counts(ones)._asdict().items()}

record("wangli/equation-22/normaliser", 1 / area)
record("wangli/equation-22/factor", weights["tp"])
record("wangli/equation-23/factor", weights["fn"])
record("wangli/equation-24/factor", weights["fp"])

numeric_weight, _ = integrate.dblquad(
    lambda rho1, rho2: 1 / area / (1 + rho1 + 4 * rho2),
    *(ends["rho2/low"], ends["rho2/high"], ends["rho1/low"], ends["rho1/high"]),
)
say("wangli-weight", weights["tp"])
say("wangli-weight-numeric", numeric_weight)
show.compare(list(page.records))

# %% [markdown]
# The closed form gives {glue:text}`wangli-weight:.6f`, a numerical double integral
# {glue:text}`wangli-weight-numeric:.6f`. The sums over the six folds, and the effective counts:

# %%
show.table(
    ["task", "model", "tag set", "TP", "FP", "FN", "TP effective", "FP effective", "FN effective"],
    [
        [
            TASKS[task],
            model,
            TAGS[task, model],
            *(f"{total:,}" for total in folds.sum(axis=(0, 1))),
            *(f"{value:,.1f}" for value in f1ci.effective_counts(folds)),
        ]
        for (task, model), folds in counts.items()
    ],
    numeric=range(3, 9),
)

# %% [markdown]
# ## Credible intervals: Table 2
#
# Equal-tailed intervals, in per cent, from the quantiles of Beta distributions
# {eq}`eq-wangli-intervals`. In each cell the published end point stands above ours.

# %%
for task, model in counts:
    for metric in METRICS:
        low, high = posterior(task, model, metric).interval(confidence_level)
        key = f"wangli/table-2/{task}/{model.lower()}/{metric}"
        record(f"{key}/low", 100 * low)
        record(f"{key}/high", 100 * high)

show.grid(
    {
        f"{task}/{model}/{metric}": f"{name}, {TAGS[task, model.upper()]}, {METRICS[metric]}"
        for task, name in TASKS.items()
        for model in "ab"
        for metric in METRICS
    },
    {"low": "low, %", "high": "high, %"},
    lambda row, end: f"wangli/table-2/{row}/{end}",
    corner="task, tag set, metric",
)

# %% [markdown]
# (wangli-table-2-digits)=
# Of the 36 end points all but two agree in every digit. The upper end for recall of BMES is
# {computed}`wangli/table-2/cws/a/recall/high|.4f` and the lower end for the precision of IOBES in
# NER is {computed}`wangli/table-2/ner/b/precision/low|.4f`; the paper prints both one unit lower, as if
# they were cut off instead of rounded ({ref}`E-wangli-6 <E-wangli-6>`). Cutting off is not its
# rule, for then {glue:text}`wangli-cut-off` of them would be printed differently.

# %%
table_2 = page.ids("wangli/table-2/")
cut = {key: np.floor(100 * page.records[key].value) / 100 for key in table_2}
broken = [key for key in table_2 if f"{cut[key]:.2f}" != page.text(key)]
say("wangli-cut-off", len(broken))

# %% [markdown]
# ## The posteriors: Figures 1 to 3
#
# Each curve runs from the {published}`wangli/section-4.1/curve/low` to the
# {published}`wangli/section-4.1/curve/high` quantile, as in the paper. Solid curves have the
# paper's effective counts. Dashed ones have the average of the six folds' counts, as in the earlier
# interval of {cite:t}`wang2015`: that is $\rho_1 = \rho_2 = 1$. The solid ones are
# narrower by a factor of nearly $3/2$ ({prf:ref}`rem-wangli-2015`).

# %%
curve_ends = [given(f"wangli/section-4.1/curve/{e}") for e in ("low", "high")]
STYLES = {"A": figures.COLOURS["blue"], "B": figures.COLOURS["vermilion"]}
SOURCES = {"effective counts": ("-", {}), "average counts (2015)": ("--", {"rho1": 1, "rho2": 1})}


def draw(task):
    """The figure of one task."""
    figure, axes = figures.subplots(1, 3, height=3.2)
    for ax, (metric, name) in zip(axes, METRICS.items(), strict=True):
        for source, (line, correlations) in SOURCES.items():
            for model, colour in STYLES.items():
                of = posterior(task, model, metric, **correlations)
                x = np.linspace(*of.ppf(curve_ends), 301)
                label = f"{model}: {TAGS[task, model]}, {source}"
                ax.plot(100 * x, of.pdf(x) / 100, linestyle=line, color=colour, label=label)
        ax.set_title({"P": "Precision", "R": "Recall", "F1": "F1"}[name])
        ax.set_xlabel("%")
        ax.set_ylim(bottom=0)
        ax.locator_params(axis="x", nbins=4)
    axes[0].set_ylabel("posterior density per %")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figures.save(figure, f"wangli-bayes-test-{task}")


# %% mystnb={"image": {"alt": "Three panels with posterior densities of precision, recall and F1 in word segmentation. Model B's curves lie to the right of A's: they overlap for precision and hardly for recall and F1. Dashed curves of 2015 are lower and wider than the solid ones."}, "figure": {"caption": "Figure 1 of the paper: posteriors in Chinese word segmentation. For recall and F1 the solid curves of the two tag sets hardly overlap.", "name": "fig-wangli-1"}}
draw("cws")

# %% mystnb={"image": {"alt": "Three panels with posterior densities of precision, recall and F1 in named entity recognition. Model B's curves lie slightly to the right of A's and overlap them almost wholly."}, "figure": {"caption": "Figure 2 of the paper: posteriors in named entity recognition. The curves of the two tag sets overlap almost wholly.", "name": "fig-wangli-2"}}
draw("ner")

# %% mystnb={"image": {"alt": "Three panels with posterior densities in the recognition of organisation names. For precision model B's curves lie to the right of A's, for recall and F1 slightly to the left."}, "figure": {"caption": "Figure 3 of the paper: posteriors in the recognition of organisation names. The finer tag set moves precision up, recall and F1 down.", "name": "fig-wangli-3"}}
draw("org")

# %% [markdown]
# ## The Bayes test: Tables 3 to 5
#
# $H_0$ says that B is not better than A, {eq}`eq-wangli-hypotheses`. The paper draws from both
# posteriors and counts, so that its probabilities have a standard error of
# $\sqrt{\Pr(H_0) \Pr(H_1) / L}$ with $L =$ {published}`wangli/section-3/replicates`; the third
# digit may be off by one. We integrate instead, to at least eight digits. Where the
# table below says `monte-carlo`, the exact number does not round to the printed one, but differs
# from it by no more than the paper's own noise.

# %%
tests = {
    (task, metric): f1ci.bayes_test(counts[task, "A"], counts[task, "B"], metric, prior=prior)
    for task in TASKS
    for metric in METRICS
}
for (task, metric), test in tests.items():
    key = f"wangli/{TABLES[task]}/{metric}"
    noise = (test.p_h0 * test.p_h1) ** 0.5  # of one draw
    record(f"{key}/p_h0", test.p_h0, deviation=noise)
    record(f"{key}/p_h1", test.p_h1, deviation=noise)
    record(f"{key}/decision", test.decision.replace("a", "A", 1))

show.grid(
    {
        f"{TABLES[t]}/{metric}": f"{TASKS[t]}, {name}"
        for t in TASKS
        for metric, name in METRICS.items()
    },
    {"p_h0": "P(H0)", "p_h1": "P(H1)", "decision": "decision"},
    lambda row, column: f"wangli/{row}/{column}",
    corner="task, metric",
)

# %% [markdown]
# The text of the paper quotes some of them with fewer digits:

# %%
QUOTED = {"section-4.1": "cws", "section-4.2": "ner", "section-4.3": "org"}
for section, task in QUOTED.items():
    for key in page.ids(f"wangli/{section}/"):
        *_, metric, what = key.split("/")
        if what == "bound":
            most = max(tests[task, m].p_h1 for m in METRICS)
            record(key, "lower than 0.8" if most < 0.8 else f"up to {most:.3f}")
        elif what == "decision":
            decisions = {tests[task, m].decision for m in METRICS}
            record(key, " or ".join(sorted(decisions)).replace("a", "A", 1))
        else:
            test = tests[task, metric]
            noise = (test.p_h0 * test.p_h1) ** 0.5
            record(key, getattr(test, what), deviation=noise)

show.compare([key for key in page.records if key.split("/")[1] in QUOTED])

# %% [markdown]
# (wangli-simulated)=
# ### The same by simulation
#
# Eq. 33 of the paper, its sign put right, with as many draws. The last two columns give the
# distance of our simulated and of the printed number from the exact one, in standard errors. A
# printed number is rounded, so that its distance counts only what is left after half a unit.

# %%
streams = np.random.default_rng(seed).spawn(len(tests))
rows, worst = [], 0.0
for ((task, metric), exact), stream in zip(tests.items(), streams, strict=True):
    of_b, of_a = (posterior(task, model, metric).rvs(draws, rng=stream) for model in "BA")
    drawn = float(np.mean(of_b - of_a <= 0.0))
    identity = f"wangli/{TABLES[task]}/{metric}/p_h0"
    number = page.number(identity)
    one_draw = (exact.p_h0 * exact.p_h1) ** 0.5
    ours = (drawn - exact.p_h0) / (one_draw / draws**0.5)
    gap = max(0.0, abs(float(number.value) - exact.p_h0) - float(number.half_unit))
    theirs = gap / (one_draw / page.replicates(identity) ** 0.5)
    worst = max(worst, abs(ours))
    rows.append(
        [
            title(task, metric),
            show.printed(identity),
            f"{exact.p_h0:.6g}",
            f"{drawn:.6f}",
            f"{ours:+.1f}",
            f"{theirs:.1f}",
        ]
    )
say("wangli-simulated-worst", worst)
for metric in ("recall", "f1"):
    say(f"wangli-expected-{metric}", 1e6 * tests["cws", metric].p_h0)
show.table(
    ["P(H0)", "published", "exact", "simulated", "simulated, s.e. off", "published, s.e. off"],
    rows,
    numeric=range(1, 6),
)

# %% [markdown]
# (wangli-table-3-zeros)=
# Our simulation never strays further than {glue:text}`wangli-simulated-worst:.1f` standard errors.
# Nor does the paper's, but for two numbers: for recall and F1 in word segmentation it prints
# {published}`wangli/table-3/recall/p_h0` where the probabilities are
# {computed}`wangli/table-3/recall/p_h0|.3g` and {computed}`wangli/table-3/f1/p_h0|.3g`. Of a
# million draws about {glue:text}`wangli-expected-recall:.0f` and
# {glue:text}`wangli-expected-f1:.0f` fall on the side of $H_0$; at least 500 would have been needed
# for the printed number. So in these two lines of Table 3 $\Pr(H_0)$ should read
# {computed}`wangli/table-3/recall/p_h0`, and $\Pr(H_1)$ {computed}`wangli/table-3/recall/p_h1`
# ({ref}`E-wangli-3 <E-wangli-3>`). Perhaps the paper wanted to avoid a printed zero. The decisions
# are the same.

# %% [markdown]
# (wangli-sign)=
# ### What the printed sign would decide
#
# Eqs. 32 and 33 and Algorithm 1 call $\Pr(\nu_A - \nu_B \le 0)$ the probability of $H_0$, but by
# eq. 31 that is $H_1$ ({ref}`E-wangli-2 <E-wangli-2>`). To follow the algorithm to the
# letter is to exchange the models, and every decision turns:

# %%
letter = {
    key: f1ci.bayes_test(counts[key[0], "B"], counts[key[0], "A"], key[1], prior=prior)
    for key in tests
}
assert all(letter[key].decision != tests[key].decision for key in tests)
say("wangli-algorithm-1-cws-p", letter["cws", "precision"].p_h0)
show.table(
    ["", "P(H0), published", "by eq. 31", "by eqs. 32, 33", "decision by eq. 31", "by Algorithm 1"],
    [
        [
            title(task, metric),
            show.printed(f"wangli/{TABLES[task]}/{metric}/p_h0"),
            f"{tests[task, metric].p_h0:.3f}",
            f"{letter[task, metric].p_h0:.3f}",
            tests[task, metric].decision,
            letter[task, metric].decision,
        ]
        for task, metric in tests
    ],
    numeric=(1, 2, 3),
)

# %% [markdown]
# The tables of the paper follow eq. 31, all nine of them, and so do `f1ci.bayes_test` and this
# book.

# %% [markdown]
# (wangli-densities)=
# ## The printed densities
#
# Eqs. 25 and 26 give precision and recall densities with exponents $\mathrm{TP}_e + \lambda$ and
# $\mathrm{FP}_e + \lambda$ (or $\mathrm{FN}_e + \lambda$), each one too high
# ({ref}`E-wangli-1 <E-wangli-1>`). Their integral should be one. It is
# $B(s + 1, t + 1) / B(s, t)$, with $s, t$ the parameters of the Beta posterior, which is about
# $p(1 - p)$ at the estimate $p$:

# %%
rows, printed_integral = [], {}
for task, model in counts:
    for metric in ("precision", "recall"):
        of = posterior(task, model, metric)
        s, t = of.alpha, of.beta
        inside = of.ppf([1e-12, 1 - 1e-12])
        # The printed function is the density times t (1 - t).
        numeric, _ = integrate.quad(lambda x: of.pdf(x) * x * (1 - x), *inside, epsabs=1e-12)  # noqa: B023
        printed_integral[task, model, metric] = np.exp(betaln(s + 1, t + 1) - betaln(s, t))
        right, _ = integrate.quad(of.pdf, *inside, epsabs=1e-12)
        share = of.hits / (of.hits + of.misses)
        rows.append(
            [
                f"{TASKS[task]}, {TAGS[task, model]}, {METRICS[metric]}",
                f"{printed_integral[task, model, metric]:.6f}",
                f"{numeric:.6f}",
                f"{share * (1 - share):.6f}",
                f"{right:.6f}",
            ]
        )
for name, key in {"cws-p": ("cws", "A", "precision"), "org-r": ("org", "A", "recall")}.items():
    say(f"wangli-printed-{name}", printed_integral[key])
show.table(
    ["density of", "integral as printed", "numerically", "p (1 - p)", "integral put right"],
    rows,
    numeric=range(1, 5),
)

# %% [markdown]
# It is {glue:text}`wangli-printed-cws-p:.3f` for precision in word segmentation by BMES and
# {glue:text}`wangli-printed-org-r:.3f` for recall of organisations by IOB2, and never more than a
# quarter. The intervals of Table 2 come
# from the right densities, or they could not agree with ours.

# %% [markdown]
# (wangli-positives)=
# ## Positives per fold
#
# Eq. 3 takes the number of positives in every test set to be the same, $n_+ / 2$. In the
# experiments it is not: blocks of sentences do not hold equally many chunks
# ({ref}`N-wangli-7 <N-wangli-7>`). So the mean of six recalls (eq. 11) is not quite the pooled
# recall (eq. 9). The difference is far below the printed digits:

# %%
rows = []
for (task, model), folds in counts.items():
    tp, _, fn = np.moveaxis(folds, -1, 0)
    positives = tp + fn
    pooled, mean = tp.sum() / positives.sum(), (tp / positives).mean()
    if (task, model) == ("cws", "A"):
        say("wangli-positives-low", f"{positives.min():,}")
        say("wangli-positives-high", f"{positives.max():,}")
    rows.append(
        [
            f"{TASKS[task]}, {TAGS[task, model]}",
            f"{positives.min():,}",
            f"{positives.max():,}",
            f"{100 * pooled:.6f}",
            f"{100 * mean:.6f}",
        ]
    )
show.table(
    ["", "fewest positives", "most positives", "pooled recall, %", "mean of six recalls, %"],
    rows,
    numeric=range(1, 5),
)

# %% [markdown]
# (wangli-dependence)=
# ## What independence costs
#
# Both models are tested on the same items, but the test takes their posteriors as independent, as
# the paper says without discussing it ({ref}`N-wangli-10 <N-wangli-10>`). (Two references to its
# appendix should be to A for eq. 4 and to B for eq. 14: {ref}`E-wangli-5 <E-wangli-5>`.) The correlation of the two errors cannot be seen
# from the published counts. In the normal approximation of {prf:ref}`prop-wangli-dependence`, which
# at a correlation of zero is close to the exact number, it would change $\Pr(H_0)$ like this:

# %%
correlations = (0.0, 0.5, 0.8, 0.9)
normal = {}
for task, metric in tests:
    low_high = [posterior(task, model, metric).interval(confidence_level) for model in "AB"]
    (a, b), (sd_a, sd_b) = zip(*((i.estimate, i.standard_error) for i in low_high), strict=True)
    for rho in correlations:
        spread = (sd_a**2 + sd_b**2 - 2 * rho * sd_a * sd_b) ** 0.5
        normal[task, metric, rho] = norm.cdf((a - b) / spread)
for rho in correlations:
    say(f"wangli-ner-precision-{rho}", normal["ner", "precision", rho])
show.table(
    ["P(H0)", "exact", *(f"correlation {rho:g}" for rho in correlations)],
    [
        [
            title(task, metric),
            f"{tests[task, metric].p_h0:.4f}",
            *(f"{normal[task, metric, rho]:.4f}" for rho in correlations),
        ]
        for task, metric in tests
    ],
    numeric=range(1, 6),
)

# %% [markdown]
# No decision changes, but its clarity does: for precision in NER a probability of
# {glue:text}`wangli-ner-precision-0.0:.3f` would become
# {glue:text}`wangli-ner-precision-0.9:.3f` at a correlation of nine tenths. Two taggers that share the learner, the features and the corpus are likely
# to make mostly the same errors, so the paper's probabilities are cautious ones.
#
# ## What we learn
#
# - From the published counts, every number of the paper's experiments can be recomputed, and all
#   but six agree: two end points are one unit too low, and two probabilities (with their complements)
#   are not one in a thousand, but about one in a hundred thousand.
# - The finer tag set is better for word segmentation, beyond doubt in recall and F1. For named
#   entities the data say little. For organisation names it raises precision and
#   perhaps lowers recall; "accept $H_0$" there rests on odds of seven to three.
# - The densities of eqs. 25 and 26, and the sign in eqs. 32 and 33 and in the algorithm, are
#   misprinted. Whoever implements the algorithm as it
#   stands gets the opposite of every decision.
#
# How far the posterior itself can be trusted is the subject of
# [the next notebook](/notebooks/wangli-simulation.ipynb).
