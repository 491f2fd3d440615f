# %% [markdown]
# # Labels from a judge: the evidence
#
# A language model, or any other judge, labels all items of a test set, and people check some of them. What is an interval
# worth that uses both? [The chapter](/book/judge.md) says how it is computed. This page measures it beside the
# alternatives, in populations whose true score is known. Nothing on this page is from the papers of this book.
#
# **In short.** An interval *covers* if it contains the true score. A 95 % interval should do so in a share of 0.95 of the
# test sets.
#
# - The judge's labels, taken for the truth, give an interval that covers {glue:text}`judge-judge-as-truth-mean:.2f` on
#   average over {glue:text}`judge-designs` designs, and {glue:text}`judge-judge-as-truth-worst:.2f` in the worst.
# - Checked items and judge together cover {glue:text}`judge-people-and-judge-mean:.3f` on average. The intervals are
#   {glue:text}`judge-people-and-judge-length:.2f` times as long as those of the checked items alone, which is worth
#   {glue:text}`judge-people-and-judge-worth:.2f` times as many checked items.
# - If people check the items that `label_plan` asks for, the length is {glue:text}`judge-planned-length:.2f`, worth
#   {glue:text}`judge-planned-worth:.2f` times as many items. So it matters more which items people check than
#   how their labels and the judge's are combined.
# - Prediction-powered inference, the method most often named for this, covers {glue:text}`judge-prediction-powered-mean:.3f`
#   here, but {glue:text}`judge-rare-prediction-powered-worst:.2f` in the worst design with few positives.

# %% tags=["parameters"]
designs: int = 20  # drawn designs: classes, shares, model, judge, numbers of items
replicates: int = 100  # pools of items for each drawn design
rare_replicates: int = 100  # pools for each design with few positives
pairs: int = 200  # pools with two models
nights: int = 100  # samples of half-minutes of sleep
seed: int = 20_261_121  # root of all random streams

# %%
# Import what the notebook uses and open the ledger.
import itertools
import warnings

import numpy as np
from compendium import figures, ledger, show
from compendium.pool import executor

import f1ci
from notebooks.own import labels_from_a_judge as judged

# `judged` draws designs and pools of items, and has the ways to use a judge.
say = ledger.open("labels-from-a-judge").say
warnings.simplefilter("ignore", f1ci.IntervalWarning)  # odd test sets are outcomes here

# %% [markdown]
# ## One evaluation
#
# A model looks for items of one kind among 3,000, and a judge labels all of them. The judge is right on 92 % of the items, but
# copies a third of the model's errors, as a language model does that finds the same items hard. People check 150 items. The
# figure has the F1 that each way reports.

# %%
# Draw one pool of items, and compute the interval of each way.
cells = judged.cells_of(np.array([0.7, 0.3]), np.array([0.9, 0.75]), 0.92, 0.33)
example = judged.Design(cells, 150, 3_000, "f1")
pool = judged.drawn_pool(example, np.random.default_rng([seed, 0]))
ends = {
    name: way(pool, example.checked, "f1", np.random.default_rng([seed, 1]))
    for name, way in judged.WAYS.items()
}
say("judge-example-truth", example.truth)
say("judge-example-checked", example.checked)
say("judge-example-pool", example.pool)
for name, (low, high) in ends.items():
    key = name.replace(" ", "-")
    say(f"judge-example-{key}-low", low)
    say(f"judge-example-{key}-high", high)

# %% mystnb={"image": {"alt": "Five horizontal lines with a vertical line at the true F1. The line of the judge as truth is short and misses the true value; the others contain it. The line of the checked items alone is longest."}, "figure": {"caption": "Intervals for the F1 of one model from 3,000 items with a judge's labels, of which people checked 150. The vertical line is the true F1.", "name": "fig-labels-from-a-judge-example"}}
# Draw the intervals beside the true F1.
figure, axes = figures.subplots(height=2.2)
for row, (_name, (low, high)) in enumerate(reversed(ends.items())):
    axes.plot([low, high], [row, row], lw=4, solid_capstyle="butt", color=f"C{4 - row}")
axes.axvline(example.truth, color="0.4", lw=1)
axes.set_yticks(range(len(ends)), [*reversed(ends)])
axes.set(xlabel="F1", ylim=(-0.6, len(ends) - 0.4))
figures.save(figure, "labels-from-a-judge-example")

# %% [markdown]
# ## Coverage and length in many designs
#
# A design has two to four classes, 60 to 400 checked items, and 5, 20 or 50 times as many items in all. The model is right
# on 0.60 to 0.95 of each class and the judge on 0.75 to 0.98 of the items; the judge copies up to half of the model's
# errors. The score is F1 for two classes, and macro F1 for more. All of this is drawn at random, before
# anything is measured. The ways are:
#
# - *people only*: the score interval of the checked items;
# - *judge as truth*: the score interval of all items, with the judge's labels for the truth;
# - *prediction-powered*: PPI with the best weight of the judge {cite:p}`angelopoulos2023,angelopoulos2023b`, on the logit scale. The
#   authors' package `ppi-python` has means, not F1, so this is our own code for a function of the table; for accuracy it
#   has the package's estimate and error to nine digits (`tests/studies/test_judge.py`);
# - *people and judge*: `f1ci.Labels(..., judge=)`, where people check random items;
# - *planned*: the same, but people check as many items of each stratum as `f1ci.label_plan` says.

# %%
# Draw the designs, and count how often each way covers.
rng = np.random.default_rng([seed, 2])
drawn = [judged.drawn_design(rng) for _ in range(designs)]
with executor() as workers:
    found = judged.studies(drawn, replicates, seed + 1, workers)


# %%
# Show the coverage and the length of each way.
def show_ways(key, found, caption):
    """Show what each way covers over the designs, and keep it for the text."""
    alone = found["people only"][:, 1]
    rows = []
    for name, (covers, lengths) in ((name, x.T) for name, x in found.items()):
        ratio = np.mean(lengths / alone)
        worth = np.mean((alone / lengths) ** 2)
        word = f"{key}-{name.replace(' ', '-')}"
        say(f"{word}-mean", covers.mean())
        say(f"{word}-worst", covers.min())
        say(f"{word}-length", ratio)
        say(f"{word}-worth", worth)
        row = [name, f"{covers.mean():.3f}", f"{covers.min():.3f}", f"{ratio:.2f}"]
        rows.append([*row, "wrong" if name == "judge as truth" else f"{worth:.2f}"])
    head = ["way", "mean coverage", "worst", "length", "worth items"]
    return show.table(head, rows, numeric=range(1, 5), caption=caption)


say("judge-designs", designs)
say("judge-error", np.sqrt(0.95 * 0.05 / (designs * replicates)))
say("judge-error-of-one", np.sqrt(0.95 * 0.05 / replicates))
show_ways(
    "judge",
    found,
    "Coverage and length of five ways to use a judge. The length is in parts of that of the "
    "checked items alone; the last column says how many times as many items they would need.",
)

# %% [markdown]
# A mean coverage has the standard error {glue:text}`judge-error:.3f`, and that of one design
# {glue:text}`judge-error-of-one:.3f`. The judge as truth gives short intervals around the
# wrong value. More items do not help, because the error of the judge does not become smaller with their number. The other
# ways are right about equally often. Checked items that are drawn at random leave little to gain for any formula.
#
# ## Few positives
#
# Few of the items are positive here, and the judge misses some of these. In a random sample of them the checked
# items hold hardly any positive.

# %%
# Count how often each way covers where few items are positive.
rare = [judged.rare_design(p, n) for p, n in itertools.product((0.02, 0.05, 0.1), (100, 300))]
with executor() as workers:
    found = judged.studies(rare, rare_replicates, seed + 2, workers)
show_ways(
    "judge-rare",
    found,
    "Coverage and length where 2, 5 or 10 % of the items are positive. Planned items are worth "
    "most here, because a random sample spends itself on items that both call negative.",
)

# %% [markdown]
# ## Two models, and a judge that copies one of them
#
# Model B is better than model A. The judge copies half of A's errors. This happens if A and the judge are of one family.
# People check {glue:text}`judge-pair-checked` of {glue:text}`judge-pair-pool:,` items.

# %%
# Count how often intervals of the difference contain it.
CHECKED, POOL = 300, 6_000
inside = {name: [] for name in ("judge as truth", "people only", "people and judge")}
lengths = {name: [] for name in inside}
by_judge = []
true_gain = judged.gain()
for k in range(pairs):
    (truth, a, judge), b = judged.two_models(np.random.default_rng([seed, 3, k]), POOL)
    gold = judged.gold(truth, np.arange(CHECKED))
    tests = {
        "judge as truth": f1ci.Labels(judge, {"A": a, "B": b}),
        "people only": f1ci.Labels(truth[:CHECKED], {"A": a[:CHECKED], "B": b[:CHECKED]}),
        "people and judge": f1ci.Labels(gold, {"A": a, "B": b}, judge=judge),
    }
    for name, test in tests.items():
        interval = test.difference().interval
        inside[name].append(true_gain in interval)
        lengths[name].append(interval.length)
        if name == "judge as truth":
            by_judge.append(interval.estimate)

# %%
# Show what each way says of the gain.
say("judge-pair-checked", CHECKED)
say("judge-pair-pool", POOL)
say("judge-pair-gain", true_gain)
say("judge-pair-by-judge", np.mean(by_judge))
rows = []
for name, hits in inside.items():
    ratio = np.mean(lengths[name]) / np.mean(lengths["people only"])
    say(f"judge-pair-{name.replace(' ', '-')}", np.mean(hits))
    say(f"judge-pair-{name.replace(' ', '-')}-length", ratio)
    rows.append([name, f"{np.mean(hits):.3f}", f"{ratio:.2f}"])
show.table(
    ["way", "coverage", "length"],
    rows,
    numeric=(1, 2),
    caption="Coverage of the difference of two models, whose judge copies errors of one. A judge "
    "that is taken for the truth hides what the other model gains.",
)

# %% [markdown]
# The true gain is {glue:text}`judge-pair-gain:.3f`. The judge says {glue:text}`judge-pair-by-judge:.3f` on average.
#
# ## A real model and a real judge
#
# We found no licensed set of items in a package index that a language model judged and people checked. So a real
# classifier takes the judge's place: {cite:t}`guillot2020` have the sleep stages that human scorers gave to
# {glue:text}`judge-sleep-items:,` half-minutes, and those of six networks. The model is *Tsinalis*, the judge *SimpleNet*.
# From all half-minutes we draw {glue:text}`judge-sleep-pool:,` at random, and take {glue:text}`judge-sleep-checked` of these for the
# checked ones. All half-minutes together are the population, whose macro F1 is known.

# %%
# Draw samples of half-minutes, and count how often each way covers.
CHECKED, POOL = 300, 3_000
sleep = judged.sleep("Tsinalis", "SimpleNet")
limits = {name: [] for name in judged.WAYS}
for k in range(nights):
    rng = np.random.default_rng([seed, 4, k])
    places = rng.choice(len(sleep.truth), POOL, replace=False)
    sample = judged.Pool(*(labels[places] for labels in sleep))
    for name, way in judged.WAYS.items():
        limits[name].append(way(sample, CHECKED, "macro_f1", rng))
truth = f1ci.score_interval(sleep.truth, sleep.prediction, "macro_f1").estimate
found = {name: np.array([judged.covered_and_length(x, truth)]) for name, x in limits.items()}

# %%
# Show what each way says of the network.
say("judge-sleep-items", len(sleep.truth))
say("judge-sleep-pool", POOL)
say("judge-sleep-checked", CHECKED)
say("judge-sleep-truth", truth)
say("judge-sleep-right", np.mean(sleep.judge == sleep.truth))
by_judge = f1ci.score_interval(sleep.judge, sleep.prediction, "macro_f1")
say("judge-sleep-by-judge", by_judge.estimate)
show_ways(
    "judge-sleep",
    found,
    "Coverage and length for the macro F1 of a network that reads sleep stages. Another network is "
    "the judge, and human scorers are the people who check.",
)

# %% [markdown]
# The judge agrees with the human scorers on {glue:text}`judge-sleep-right:.2f` of the half-minutes. The true macro F1 is
# {glue:text}`judge-sleep-truth:.3f`; with the judge for the truth it is {glue:text}`judge-sleep-by-judge:.3f`. With more items
# the interval around the latter becomes shorter, and covers less often.
