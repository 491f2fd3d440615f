# %% [markdown]
# # Means of scores, and several runs
#
# Two kinds of data have one score for each unit. A segmentation has a Dice score for each image, and a search engine an nDCG
# for each query, and their *mean* is reported. A recipe that is trained with several seeds, or a language model that is asked
# with several prompts, gives several *runs* on one test set, and again a mean is reported. This page measures how often the
# intervals of `f1ci.mean_interval`, `f1ci.Scores` and `f1ci.Runs` cover, beside what people often use instead.
#
# ```python
# import f1ci
#
# f1ci.mean_interval(dice, groups=patients)  # one score for each image
# f1ci.Scores({"A": dice_a, "B": dice_b}).difference()
# f1ci.Runs(y_true, [predicted_1, predicted_2, predicted_3]).interval()  # one run for each seed
# ```

# %% tags=["parameters"]
confidence_level: float = 0.95  # nominal
replicates: int = 500  # test sets of images for each design
runs: list[int] = [2, 3, 5, 10]  # runs of a recipe
run_items: int = 500  # items in the test set of the runs
run_replicates: int = 600  # test sets with runs for each design
seed: int = 20_261_120  # root of all random streams

# %%
# Import what the notebook uses and open the ledger.
import itertools
import warnings

import numpy as np
from compendium import ledger, show
from scipy import stats

import f1ci
from notebooks.own import means_and_runs as unit_scores

say = ledger.open("means-and-runs").say
streams = iter(np.random.SeedSequence(seed).spawn(100))
warnings.simplefilter("ignore", f1ci.IntervalWarning)
level = {"confidence_level": confidence_level}

# %% [markdown]
# ## Means of scores by unit
#
# Each image has a Dice score of its own. The table has the coverage of `f1ci.mean_interval` and of the `difference` of `f1ci.Scores`
# beside that of Student's t interval, in the same simulated test sets. Either no image fails, or one image in
# ten does. Model B gains a random amount on each image; without failures the mean gain is {glue:text}`means-gain:.4f`.
# The last rows have patients with three images each, whose scores have a correlation of
# {glue:text}`means-correlation:.1f`; the t interval does not know patients.


# %%
# Compute our intervals and those of the t test in simulated test sets.
def share_inside(limits, truth):
    """Return how many intervals contain the truth."""
    return np.mean([f1ci.coverage.covers(*ends, truth) for ends in limits])


def covered_and_long(limits, truth):
    """Return how many intervals contain the truth, and their mean length."""
    return share_inside(limits, truth), np.mean([high - low for low, high in limits])


def t_intervals(scores):
    """Return the t interval of the mean of each row."""
    return [stats.ttest_1samp(x, 0.0).confidence_interval(confidence_level) for x in scores]


# %%
# Simulate images, alike and with failures, of two models.
means = {}
for place, (units, failures) in enumerate(itertools.product((10, 20, 50), (0.0, 0.1))):
    rng = np.random.default_rng([seed, place])
    a, b = unit_scores.two_models(rng, (replicates, units), failures)
    mean, gain = unit_scores.true_means(failures)
    ours = [f1ci.mean_interval(x, **level) for x in a]
    theirs = covered_and_long(t_intervals(a), mean)
    means["mean", units, failures] = covered_and_long(ours, mean), theirs
    both = [f1ci.Scores({"A": x, "B": y}) for x, y in zip(a, b, strict=True)]
    ours = [scores.difference(**level).interval for scores in both]
    theirs = covered_and_long(t_intervals(b - a), gain)
    means["difference", units, failures] = covered_and_long(ours, gain), theirs

# %%
# Simulate patients with three images each, and show all coverages.
for place, patients in enumerate((8, 20), start=100):
    rng = np.random.default_rng([seed, place])
    scores = unit_scores.of_patients(rng, replicates, patients, 3, 0.5)
    groups = np.repeat(np.arange(patients), 3)
    ours = [f1ci.mean_interval(x, groups=groups, **level) for x in scores]
    means["mean, patients", patients, 0.0] = covered_and_long(ours, unit_scores.MEAN), None
rows = []
for (question, units, failures), (ours, theirs) in sorted(means.items()):
    beside = f"{theirs[0]:.3f} ({theirs[1] / ours[1]:.2f})" if theirs else ""
    rows.append([question, str(units), f"{failures:.0%}", f"{ours[0]:.3f}", beside])
show.table(
    ["question", "units", "failures", "f1ci", "t interval"],
    rows,
    numeric=[1, 2, 3],
    caption=(
        "Means of scores by unit, in simulated test sets. The t interval of a mean falls below "
        "the level where failures are rare."
    ),
)

# %% tags=["remove-cell"]
# Keep the worst coverages for the text.
say("means-correlation", 0.5)
for name in ("mean", "difference"):
    covers = [found for (question, *_), found in means.items() if question == name]
    say(f"means-{name}-worst", min(ours[0] for ours, _ in covers))
    say(f"means-{name}-t-worst", min(theirs[0] for _, theirs in covers))
    say(f"means-{name}-length", np.mean([ours[1] / theirs[1] for ours, theirs in covers]))
say("means-gain", unit_scores.true_means(0.0)[1])
say("means-mean-error", np.sqrt(0.95 * 0.05 / replicates))

# %% [markdown]
# The numbers in brackets are the length of the t interval, divided by that of ours. A coverage has the standard error
# {glue:text}`means-mean-error:.3f`. Our intervals of a mean cover {glue:text}`means-mean-worst:.3f` at worst, and the t interval
# {glue:text}`means-mean-t-worst:.3f`. Ours are {glue:text}`means-mean-length:.2f` times as long on average, because they leave room for
# images that fail although the sample has none ([units](/book/units.md)); where no image can fail, `method="logit"` is as short as the t
# interval. Our intervals of paired differences have {glue:text}`means-difference-length:.2f` times the length of the t interval. They cover
# {glue:text}`means-difference-worst:.3f` at worst, in designs with few images and rare failures, because a test set without a failure
# shows nothing of how failures differ.

# %% [markdown]
# ## Several runs of one recipe
#
# A recipe that is trained with several seeds gives several *runs*. Every item has a difficulty and every run has a quality,
# which add up on the probit scale. Difficulties are normal. Qualities are normal, too, or have the heavier tails of Student's
# distribution with three degrees of freedom, or one run in ten *fails*: it finds fewer positives and takes more negatives for
# positives. A third of {glue:text}`runs-items` items is positive. `f1ci.Runs` should cover the mean F1 of new runs on
# new items. People often report the interval of one run instead, which says nothing about new runs.


# %%
# Draw runs on items, and compute the true mean F1.
QUALITIES = {
    **{f"normal, {sd:g}": stats.norm(0, sd).ppf for sd in (0.01, 0.1, 0.2, 0.4, 0.8)},
    "Student, 0.3": lambda u: 0.3 * stats.t(3).ppf(u),
    "one in ten fails": lambda u: np.where(u < 0.1, -2.4, 0.0),
}


def draw_runs(rng, count, quality):
    """Return true labels, and the predictions of runs."""
    y = (rng.random(run_items) < 1 / 3).astype(int)
    skill = np.where(y == 1, stats.norm.ppf(0.9), stats.norm.ppf(0.95)) * 2**0.5
    of_runs = quality(rng.random((count, 1)))
    right = skill + of_runs + rng.normal(size=run_items) + rng.normal(size=(count, run_items)) > 0
    return y, np.where(right, y, 1 - y)


def true_mean(quality):
    """Return the mean F1 of runs on all items, from the middles of 100,000 shares of runs."""
    of_runs = quality((np.arange(100_000) + 0.5) / 100_000)
    tpr, tnr = (stats.norm.cdf(stats.norm.ppf(x) + of_runs / 2**0.5) for x in (0.9, 0.95))
    return np.mean(2 * tpr / (1 + tpr + 2 * (1 - tnr)))  # a third of the items is positive


# %%
# Count how often intervals of all runs, and of one of them, contain the true mean.
def covered(count, name, test_sets):
    """Return both coverages, the mean length, and the share of the runs in the variance."""
    rng = np.random.default_rng(next(streams))
    drawn = [draw_runs(rng, count, QUALITIES[name]) for _ in range(test_sets)]
    ours = [f1ci.Runs(y, predicted).interval(**level) for y, predicted in drawn]
    alone = [f1ci.score_interval(y, predicted[0], **level) for y, predicted in drawn]
    truth = true_mean(QUALITIES[name])
    return (
        share_inside(ours, truth),
        share_inside(alone, truth),
        np.mean([x.length for x in ours]),
        np.mean([x.share_of_runs for x in ours]),
    )


by_runs = {key: covered(*key, run_replicates) for key in itertools.product(runs, QUALITIES)}
rows = [[str(c), name, *(f"{x:.3f}" for x in row)] for (c, name), row in by_runs.items()]
head = ["runs", "qualities", "all runs", "one run", "length", "share of the runs"]
show.table(
    head,
    rows,
    numeric=(0, 2, 3, 4, 5),
    caption=(
        "Coverage of the mean over runs. Compare the interval of all runs with that of one "
        "run, which does not know that runs differ."
    ),
)

# %% tags=["remove-cell"]
# Keep the coverage for each number of runs; the lowest is measured again with new test sets.
*_, fails = QUALITIES
for count in runs:
    usual = {name: by_runs[count, name][0] for name in QUALITIES if name != fails}
    lowest = min(usual, key=usual.get)
    say(f"runs-{count}-mean", np.mean(list(usual.values())))
    say(f"runs-{count}-worst", usual[lowest])
    say(f"runs-{count}-again", covered(count, lowest, 4 * run_replicates)[0])
    say(f"runs-{count}-fails", by_runs[count, fails][0])
    say(f"runs-{count}-length", by_runs[count, "normal, 0.01"][2])
say("runs-one-worst", min(row[1] for row in by_runs.values()))
say("runs-error", np.sqrt(0.95 * 0.05 / run_replicates))
say("runs-items", run_items)

# %% [markdown] tags=["default-values"]
# Coverage by the number of runs, over all qualities but the last; the lowest is measured again with four times as many new
# test sets, because which design is the lowest is partly chance:
#
# | runs | mean | lowest | the same, again | one run in ten fails |
# |--:|--:|--:|--:|--:|
# | 2 | {glue:text}`runs-2-mean:.3f` | {glue:text}`runs-2-worst:.3f` | {glue:text}`runs-2-again:.3f` | {glue:text}`runs-2-fails:.3f` |
# | 3 | {glue:text}`runs-3-mean:.3f` | {glue:text}`runs-3-worst:.3f` | {glue:text}`runs-3-again:.3f` | {glue:text}`runs-3-fails:.3f` |
# | 5 | {glue:text}`runs-5-mean:.3f` | {glue:text}`runs-5-worst:.3f` | {glue:text}`runs-5-again:.3f` | {glue:text}`runs-5-fails:.3f` |
# | 10 | {glue:text}`runs-10-mean:.3f` | {glue:text}`runs-10-worst:.3f` | {glue:text}`runs-10-again:.3f` | {glue:text}`runs-10-fails:.3f` |
#
# A coverage has the standard error {glue:text}`runs-error:.3f`. Two runs cover, although they say little about how
# much a seed matters, because their intervals are long: where seeds hardly matter they are still
# {glue:text}`runs-2-length:.3f` long, and those of ten runs {glue:text}`runs-10-length:.3f`. No formula
# covers runs that fail once in ten times, because most small sets of runs hold no failure, and then nothing in the data shows
# that there are any. A recipe that sometimes fails needs so many runs that several of them failed. The interval of one run
# covers {glue:text}`runs-one-worst:.3f` at worst. The last column of the first table is the part of the variance that more runs
# would reduce; the rest needs more items.
#
# ## What to take
#
# - Report the interval of the mean, and not the standard deviation of the scores, which says how units differ.
# - If images of one patient are correlated, pass `groups=`; if a recipe was trained several times, pass all its runs.
# - A sample without a failure says little about failures, whatever the method. If they matter, collect until several were seen.
