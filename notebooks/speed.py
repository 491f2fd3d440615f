# %% [markdown]
# # Speed: what an interval costs
#
# How long does an interval take, and what makes it slower? Times depend on the machine. Ratios of
# times hardly do, if both times are taken in turns in one run. So this page compares f1ci with
# the packages that one would pick instead. It also compares f1ci with the least that the task
# needs: the bare formula in numpy, the random numbers, or one look at every label.
#
# The numbers are from one recorded run, and not from the build of this book. Otherwise the page would
# differ from build to build. `make bench` repeats the run, in a separate environment that holds the other packages.

# %% tags=["parameters"]
recording: str = "data/bench.json"  # the recorded run that is shown

# %%
# Import what the notebook uses, and read the recorded times.
from datetime import date
from pathlib import Path

import numpy as np
from benchmarks import results
from compendium import figures, ledger, show

say = ledger.open("speed").say
run = results.load(Path(recording))
sections = run["sections"]
comparisons = [line for section in sections.values() for line in section["comparisons"]]


def find(question, other=""):
    """Find the comparison whose question and other package begin like this."""
    return next(
        c for c in comparisons if c.question.startswith(question) and c.other.startswith(other)
    )


# %%
def table(*names):
    """Show all comparisons of some sections."""
    rows = [
        [
            line.question,
            results.text(line.ours, line.unit),
            line.other,
            results.text(line.theirs, line.unit),
            results.share(line.ratio),
            line.note,
        ]
        for name in names
        for line in sections[name]["comparisons"]
        if not line.other.startswith("a limit")
    ]
    head = ["", "f1ci", "compared with", "its time", "ratio", ""]
    if not any(row[-1] for row in rows):
        head, rows = head[:-1], [row[:-1] for row in rows]
    return show.table(head, rows, numeric=(1, 3, 4))


# %% [markdown]
# ## In short

# %%
say("speed-date", f"{date.fromisoformat(run['date']):%d %B %Y}".lstrip("0"))
say("speed-processor", f"{run['machine']['processor']}, {run['machine']['cores']} cores")
from_counts, labels = find("one interval, wilson_indirect"), find("binary F1 interval")
say("speed-one", results.text(from_counts.ours))
say("speed-labels", results.text(labels.ours))
say("speed-labels-times", f"{labels.theirs / labels.ours:.0f}")
million = find("1,000,000 intervals, wilson_indirect", "bare numpy")
say("speed-million", results.text(million.ours))
most = sections["growth_in_labels"]["growth"][0]
say("speed-most-labels", f"{most.sizes[-1]:,}")
say("speed-most-labels-time", results.text(most.seconds["f1ci, F1"][-1]))
exact = find("exact coverage, n = 1,000", "4")
say("speed-exact", results.text(exact.ours))
say("speed-exact-theirs", results.text(exact.theirs))
say("speed-exact-replicates", exact.other.partition(" ")[0])

# %% [markdown]
# - One interval from three counts takes {glue:text}`speed-one`, so you can compute it inside any loop.
# - From 1000 labels it takes {glue:text}`speed-labels`, much of which is counting. That is
#   {glue:text}`speed-labels-times` times as fast as the analytic interval of
#   `confidenceinterval`. Ten million labels ({glue:text}`speed-most-labels`) take
#   {glue:text}`speed-most-labels-time`.
# - A million intervals at once take {glue:text}`speed-million`. So a simulation should pass
#   arrays instead of looping.
# - The exact coverage of an interval at $n = 1000$ takes {glue:text}`speed-exact`. A simulation
#   that is right to four decimals would need {glue:text}`speed-exact-replicates` replicates and
#   {glue:text}`speed-exact-theirs`.
#
# The run is of {glue:text}`speed-date`, on one core of: {glue:text}`speed-processor`.

# %% [markdown]
# ## One interval
#
# From counts, the alternative is an interval for the share $F^*$, which `statsmodels` and `scipy`
# have. The user has to know the map $F_1 = 2 F^* / (1 + F^*)$ (equation {eq}`eq-lam-map`). Its time
# is left out. The package `prob-conf-mat` draws from the posterior of the whole confusion matrix,
# so it has the draws of every other metric as well. The integral behind `f1ci.posterior` is for one
# metric.

# %%
table("one_interval")

# %% [markdown]
# From labels, the time of `confidenceinterval` is nearly all scikit-learn's `confusion_matrix`,
# which checks more kinds of input than ours does. The formula is the same.

# %%
table("a_thousand_labels")

# %% [markdown]
# The bootstrap needs no formula, and so works for any metric. It pays with thousands of
# evaluations; how much depends on how the metric is evaluated, as the last two lines show.

# %%
table("resampling")

# %% [markdown]
# ## Many at once
#
# The least time for a million intervals is that of their formula in bare numpy, with no checks, no borders
# and no undefined scores. In every library Beta quantiles (Clopper-Pearson) cost tens of times more than a
# square root. There f1ci and `statsmodels` take the same time.

# %%
table("a_million_intervals")

# %% [markdown]
# Joint intervals need the quantile of the largest of several correlated normal variables, and a
# study of them needs it for ten thousand correlation matrices. R's `mvtnorm` solves one matrix at
# a time, by random numbers within a root finder. With its own settings it is right to a few units
# of the third decimal. The first column has the accuracy of ours. With many variables, a tenth of
# the error costs many times the time.

# %%
table("joint_quantiles")

# %% [markdown]
# ## Studies without replicates
#
# The coverage of an interval for F1 is a finite sum ({prf:ref}`prop-lam-coverage` in
# [the chapter](/book/lam.md)). No simulation reaches the accuracy of the sum.

# %%
table("without_replicates")

# %% [markdown]
# ## How cost grows
#
# With the labels it is linear; below a hundred thousand, a call's fixed cost is most of it. (All
# lines bend where the labels outgrow the processor's cache, that of one pass of numpy too. The
# table below the figure therefore compares the same labels, at once and in parts.)

# %% mystnb={"image": {"alt": "Two panels with logarithmic axes. Left: time against number of labels; all lines become straight with slope one, f1ci far below confidenceinterval and a few times above one pass of numpy. Right: time against number of classes; f1ci lies below confidenceinterval, and lower still from the matrix alone."}, "figure": {"caption": "How the time of one interval grows with the number of labels and with the number of classes. Both axes are logarithmic; grey: proportional to the number of labels.", "name": "fig-speed-labels"}}
LOOKS = {
    "f1ci, F1": {"color": figures.COLOURS["blue"], "marker": "o"},
    "f1ci, macro F1": {"color": figures.COLOURS["green"], "marker": "^", "linestyle": "-."},
    "f1ci, from labels": {"color": figures.COLOURS["green"], "marker": "^", "linestyle": "-."},
    "f1ci, from the matrix": {"color": figures.COLOURS["sky"], "marker": "v", "linestyle": ":"},
    "confidenceinterval": {"color": figures.COLOURS["vermilion"], "marker": "s", "linestyle": "--"},
    "numpy, one pass": {"color": figures.COLOURS["black"], "marker": "D", "linestyle": ":"},
    "joint_intervals": {"color": figures.COLOURS["blue"], "marker": "o"},
    "its quantile": {"color": figures.COLOURS["orange"], "marker": "s", "linestyle": "--"},
}


def draw(axis, growth, title, *, logarithmic=True):
    """Draw one line for each way."""
    for name, times in growth.seconds.items():
        look = LOOKS.get(name) or LOOKS[name.partition(",")[0]]
        axis.plot(growth.sizes, np.multiply(1e3, times), label=name, **look)
    axis.set(yscale="log", xlabel=growth.by, title=title)
    if logarithmic:
        axis.set_xscale("log")
    axis.legend()


classes = sections["growth_in_classes"]["growth"][0]
figure, axes = figures.subplots(1, 2, height=3.8)
draw(axes[0], most, "A. Labels")
start = most.seconds["f1ci, F1"][-1] * 1e3 / most.sizes[-1]
axes[0].plot(most.sizes, np.multiply(start, most.sizes), color="#bbbbbb", linewidth=1, zorder=0)
draw(axes[1], classes, "B. Classes")
axes[1].set_xticks(classes.sizes, [f"{r}" for r in classes.sizes])
axes[1].minorticks_off()
axes[0].set_ylabel("milliseconds")
figures.save(figure, "speed-labels")

# %%
# Show how the time grows with the number of labels.
table("growth_in_labels")

# %% [markdown]
# Joint intervals count once for all classifiers; then their quantile decides. It takes longer with
# each further metric. More classifiers, with two metrics each, cost little.

# %% mystnb={"image": {"alt": "Two panels. Time of joint intervals against the number of metrics of two classifiers, and against the number of classifiers with two metrics each: the first rises and is nearly all the quantile, the second hardly rises after two classifiers."}, "figure": {"caption": "How the time of joint intervals grows with the number of metrics of two classifiers, and with the number of classifiers if each has two metrics. The time axis is logarithmic.", "name": "fig-speed-joint"}}
figure, axes = figures.subplots(1, 2, height=3.4, sharey=True)
metrics, classifiers = sections["growth_of_joint_intervals"]["growth"]
draw(axes[0], metrics, "A. Metrics", logarithmic=False)
draw(axes[1], classifiers, "B. Classifiers", logarithmic=False)
axes[0].set_ylabel("milliseconds")
figures.save(figure, "speed-joint")

# %% [markdown]
# ## The floor
#
# A simulation cannot be faster than its random numbers, and counting cannot be faster than
# looking at every label.

# %%
table("floors")

# %% [markdown]
# ## Large jobs
#
# Labels may lie on disk. Those of two classes are counted in blocks. So the memory depends on the
# size of a block, and not on the number of labels. For more classes all labels are read at once:
# that takes far more memory than the labels themselves. A study of coverage may run on a cluster. Here it runs
# on two Dask workers, and one worker is killed on purpose after a third of the work. Its batches
# are computed again elsewhere, each with its own random stream. So the result has the same bits
# as a run in one process.

# %%
table(*(name for name in ("many_labels", "many_replicates") if name in sections))

# %% [markdown]
# ## The notebooks
#
# The table has the times of this book's notebooks in their last run before this recording. They
# had the papers' own numbers of replicates, and two ran at a time.

# %%
notebooks = [[name, results.text(took)] for name, took in run["notebooks"].items()]
total = results.text(sum(run["notebooks"].values()))
show.table(["notebook", "time"], [*notebooks, ["all, one after another", total]], numeric=(1,))

# %% [markdown]
# ## What was compared

# %%
show.table(
    ["package", "version"],
    [[name, version or "absent"] for name, version in run["versions"].items()],
)
