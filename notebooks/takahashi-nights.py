# %% [markdown]
# # Eighty nights of sleep: what changes when the night is the unit
#
# {cite:t}`takahashi2022` give intervals for the F1 scores of four classifiers of sleep stages. The
# test set has about {published}`takahashi/section-5/epochs` epochs of half a minute, from
# {published}`takahashi/section-5/subjects` people. The intervals treat the epochs as independent,
# although a network that misreads one person's brain waves misreads them all night. Since the paper
# does not say which epoch belongs to whom, nobody can correct its intervals.
#
# This page asks the paper's questions of other data, for which the nights are known
# ({cite:t}`guillot2020`). Six networks read 25 nights of healthy people and 55 nights of people
# with sleep apnoea. The task and the size are the same.

# %% tags=["parameters"]
confidence_level: float = 0.95  # nominal level of every interval
replicates: int = 1_000  # sets of nights drawn for the study of coverage
sizes: list[int] = [10, 25, 55]  # numbers of nights in that study
seed: int = 20200728  # root of all random streams

# %%
# Import what the notebook uses and open the ledger.
from itertools import combinations, product

import numpy as np
from compendium import figures, ledger, show

import f1ci
from notebooks.own import takahashi_nights as nights

# `given`, `printed`, `record` and `say` read and fill the ledger, see notebooks/README.md.
# `show` makes tables; in `show.grid` and `show.compare` the printed number stands with ours and
# the verdict. `nights` reads the counts by night, and computes design effects and coverages from
# them.
given, printed, record, say = ledger.open("takahashi-nights")
AVERAGES = {"micro_f1": "micro F1", "macro_f1": "macro F1", "macro_f1_star": "macro* F1"}
SETS = {"dodh": "healthy", "dodo": "apnoea"}

# %% [markdown]
# ## The data
#
# For each epoch the data say which stage most human scorers chose, how many of four scorers chose
# it, and which stage each network chose. The file holds counts only: one row for each combination
# that occurs in a night. Nights are cut to the span that every scorer scored. The stages are wake (W), light sleep (N1, N2), deep sleep (N3) and dream
# sleep (REM).

# %%
frames = {name: nights.sleep_stages(name) for name in SETS}
tables = {
    (name, network): nights.matrices(frames[name], network)
    for name in SETS
    for network in nights.NETWORKS
}

# %%
# Show nights, epochs and shares of the stages in each data set.
rows = []
for name, text in SETS.items():
    table = tables[name, "SimpleNet"]
    true = table.sum(axis=(0, 2))
    rows.append([text, str(len(table)), f"{true.sum():,}"])
    rows[-1] += [f"{share:.0%}" for share in true / true.sum()]
show.table(
    ["people", "nights", "epochs", *nights.STAGES],
    rows,
    numeric=range(1, 8),
    caption="The nights. Shares of the stages are in per cent of the epochs.",
)

# %% [markdown]
# ## The published means first
#
# Do we read the data as their authors do? The abstract of {cite:t}`guillot2020` gives one number
# for each set: the mean over nights of the F1 score of SimpleNet (there called SimpleSleepNet).
# The weight of a stage is its share of the epochs. The weight of an epoch is the share of scorers
# who agreed on it. These two numbers are not from one of the papers, so they are not in the
# ledger. They get the ledger's treatment here: the printed number, ours, and whether ours rounds
# to it.

# %%
# Compute the two published means.
IN_THE_ABSTRACT = {"dodh": "89.9", "dodo": "88.3"}
rows = []
for name, text in SETS.items():
    ours = nights.published_mean(frames[name], "SimpleNet")
    agrees = f"{ours:.1f}" == IN_THE_ABSTRACT[name]
    rows.append([text, IN_THE_ABSTRACT[name], f"{ours:.4f}", "match" if agrees else "differs"])
    assert agrees
show.table(
    ["mean F1 of SimpleNet (%)", "published", "reproduced", "verdict"],
    rows,
    numeric=(1, 2),
    caption=(
        "The two published means of SimpleNet. They agree if ours rounds to the printed number."
    ),
)

# %% [markdown]
# Both numbers come out to the printed digit. From here on the scores are those of Takahashi et al.:
# all epochs of a set are pooled, and each epoch counts once.
#
# ## Two intervals for each score
#
# Each score gets two intervals of the same level. The first treats the epochs as independent, as
# the paper does. The second treats the nights as independent, and allows any dependence inside
# them (`groups=night` in {func}`f1ci.f1_score_interval`). These are [logit limits](/book/units.md), because
# no network can be wrong in all of a night; the default allows for that, and is longer.

# %%
epochs = {name: nights.labels(frame) for name, frame in frames.items()}
level = {"confidence_level": confidence_level}


def both_intervals(name, network, average):
    """Return the interval with independent epochs, and the interval with independent nights."""
    labels = epochs[name]
    true, predicted = labels["consensus"], labels[network]
    return [
        f1ci.score_interval(true, predicted, average, groups=groups, method=method, **level)
        for groups, method in ((None, None), (labels["night"], "logit"))
    ]


# %%
# Compute both intervals for each data set, network and average.
cases = list(product(SETS, nights.NETWORKS, AVERAGES))
intervals = {case: both_intervals(*case) for case in cases}

# %%
# Show both intervals and how many times longer the interval by night is.
rows = []
ratios = {}
for (name, network, average), (epoch, night) in intervals.items():
    ratios[name, network, average] = night.length / epoch.length
    row = [f"{SETS[name]}, {network}, {AVERAGES[average]}", f"{night.estimate:.3f}"]
    row += [f"{interval.low:.3f} to {interval.high:.3f}" for interval in (epoch, night)]
    rows.append([*row, f"{night.length / epoch.length:.1f}"])
head = ["network, average", "estimate", "epochs independent", "nights independent", "times as long"]
show.table(
    head,
    rows,
    numeric=range(1, 5),
    caption=(
        "Intervals by epoch and by night. The last column is what independence of epochs "
        "would hide."
    ),
)

# %% tags=["remove-cell"]
# Keep the example and the ratios of the lengths for the text.
key = "nights-dodo-MixedNeuralNetwork-macro"
epoch, night = intervals["dodo", "MixedNeuralNetwork", "macro_f1"]
say(f"{key}-estimate", night.estimate)
for unit, interval in (("epochs", epoch), ("nights", night)):
    say(f"{key}-{unit}-low", interval.low)
    say(f"{key}-{unit}-high", interval.high)
macro = [ratio for (_, _, average), ratio in ratios.items() if average == "macro_f1"]
say("nights-ratio-least", min(macro))
say("nights-ratio-most", max(macro))
say("nights-ratio-all-most", max(ratios.values()))

# %% [markdown]
# For macro F1 the interval by night is {glue:text}`nights-ratio-least:.1f` to
# {glue:text}`nights-ratio-most:.1f` times as long; for micro F1 up to
# {glue:text}`nights-ratio-all-most:.1f` times. The network that bears the name of the paper's
# example, MixedNeuralNetwork, has the macro F1
# {glue:text}`nights-dodo-MixedNeuralNetwork-macro-estimate:.3f` on the patients. With
# independent epochs the interval is
# {glue:text}`nights-dodo-MixedNeuralNetwork-macro-epochs-low:.3f` to
# {glue:text}`nights-dodo-MixedNeuralNetwork-macro-epochs-high:.3f`; by night it is
# {glue:text}`nights-dodo-MixedNeuralNetwork-macro-nights-low:.3f` to
# {glue:text}`nights-dodo-MixedNeuralNetwork-macro-nights-high:.3f`. (We infer from the name only
# that this is the network of {cite:t}`dong2018`.)

# %% mystnb={"image": {"alt": "Six rows, one for each network, with 55 grey dots each: the share of right epochs in each night, from about 0.4 to 0.95. On each row a short thick interval and a thin one several times as long, both around the pooled score. The dots spread much wider than the short intervals."}, "figure": {"caption": "Each dot is one night of a person with sleep apnoea: the share of epochs that the network reads rightly (micro F1). Thick: the interval for all nights together if epochs were independent. Thin, with caps: the interval if nights are.", "name": "fig-takahashi-nights-dots"}}
# Draw each night, and the two intervals of each network.
figure, axes = figures.subplots(height=4.4)
shift = np.random.default_rng(seed).uniform(-0.28, 0.28, size=len(tables["dodo", "SimpleNet"]))
for row, network in enumerate(nights.NETWORKS):
    table = tables["dodo", network]
    share = np.einsum("nii->n", table) / table.sum(axis=(1, 2))
    axes.plot(share, row + shift, ".", markersize=4, color=figures.COLOURS["grey"], alpha=0.6)
    epoch, night = intervals["dodo", network, "micro_f1"]
    axes.plot([epoch.low, epoch.high], [row, row], color=figures.COLOURS["vermilion"], linewidth=6)
    error = [[night.estimate - night.low], [night.high - night.estimate]]
    axes.errorbar(night.estimate, row, xerr=error, color=figures.COLOURS["blue"], capsize=5)
axes.plot([], [], ".", color=figures.COLOURS["grey"], label="one night")
axes.plot(
    [], [], color=figures.COLOURS["vermilion"], linewidth=6, label="interval, epochs independent"
)
axes.plot([], [], color=figures.COLOURS["blue"], label="interval, nights independent")
figure.legend(loc="outside lower center")
axes.set_yticks(range(len(nights.NETWORKS)), nights.NETWORKS)
axes.invert_yaxis()
axes.set(xlabel="share of epochs read rightly (micro F1)", xlim=(0.3, 1))
axes.grid(axis="y", visible=False)
figures.save(figure, "takahashi-nights-dots")

# %% [markdown]
# ## Two networks that are close
#
# On the patients SimpleNet is better than DeepSleepNet by two hundredths of macro F1. Is that more
# than chance? Both networks read the same nights, so we take the interval of the difference.

# %%
# Show the difference of two networks, with both kinds of intervals.
labels = epochs["dodo"]
pair = labels["consensus"], labels["DeepSleepNet"], labels["SimpleNet"]
units = {"epochs": None, "nights": labels["night"]}
rows = []
flip = {}
for average, text in AVERAGES.items():
    flip[average] = found = {
        unit: f1ci.Labels(pair[0], {"A": pair[1], "B": pair[2]}, groups=groups)
        .difference(average, **level)
        .interval
        for unit, groups in units.items()
    }
    ends = [f"{x.low:+.3f} to {x.high:+.3f}" for x in found.values()]
    rows.append([text, f"{found['nights'].estimate:+.3f}", *ends])
say("nights-flip-macro", flip["macro_f1"]["nights"].estimate)
for unit, difference in flip["macro_f1"].items():
    say(f"nights-flip-macro-{unit}-low", difference.low)
    say(f"nights-flip-macro-{unit}-high", difference.high)
head = ["SimpleNet minus DeepSleepNet", "difference", "epochs independent", "nights independent"]
show.table(
    head,
    rows,
    numeric=(1, 2, 3),
    caption=(
        "SimpleNet minus DeepSleepNet, by epoch and by night. A difference is shown if its "
        "interval leaves zero out."
    ),
)

# %% [markdown]
# The difference in macro F1 is {glue:text}`nights-flip-macro:+.3f`. With independent epochs its
# interval is {glue:text}`nights-flip-macro-epochs-low:+.3f` to
# {glue:text}`nights-flip-macro-epochs-high:+.3f`. By night the interval is
# {glue:text}`nights-flip-macro-nights-low:+.3f` to {glue:text}`nights-flip-macro-nights-high:+.3f`.

# %% [markdown] tags=["default-values"]
# So independent epochs would prove that SimpleNet is better, and nights do not, because their
# interval contains zero. On other patients DeepSleepNet may well be the better one.

# %% [markdown]
# ## All pairs, and the best one
#
# Six networks make fifteen pairs. Some readers look at all fifteen. Others pick the best network
# first and then compare it with the rest. Both need intervals that are right together. They use a
# larger quantile than a single interval. It comes from the correlations of the fifteen differences,
# which the nights show ({func}`f1ci.equicoordinate_quantile`, the quantile of {cite:t}`yuan2025`).

# %%
# Compute the joint quantile of all pairs, and the interval of a difference.
PAIRS = list(combinations(nights.NETWORKS, 2))


def joint_level(name):
    """Return the quantile for all pairs at once, and the level of one interval that has it."""
    metric = f1ci.metrics.macro_f1
    pull = {n: nights.influences(metric, tables[name, n]) for n in nights.NETWORKS}
    correlation = np.corrcoef([pull[first] - pull[second] for first, second in PAIRS])
    quantile = f1ci.equicoordinate_quantile(correlation, confidence_level)
    return quantile, nights.level_of(quantile)


def difference(name, better, other, at_level):
    """Return the interval of a difference of macro F1 by night."""
    counts = [nights.class_counts(tables[name, network]) for network in (other, better)]
    return nights.by_night(counts, confidence_level=at_level)


# %%
# For all pairs of networks, count the differences that each kind of interval shows.
rows = []
joint = {}
for name, text in SETS.items():
    quantile, joint[name] = joint_level(name)
    say(f"nights-quantile-{name}", quantile)
    decided = np.zeros(2, dtype=int)
    for first, second in PAIRS:
        found = [difference(name, first, second, x) for x in (confidence_level, joint[name])]
        apart = [0 not in x for x in found]
        decided += apart
        ends = [f"{x.low:+.3f} to {x.high:+.3f}" for x in found]
        row = [f"{text}: {first} minus {second}", f"{found[0].estimate:+.3f}", *ends]
        rows.append([*row, "differ" if apart[1] else ""])
    say(f"nights-decided-{name}-one", int(decided[0]))
    say(f"nights-decided-{name}-all", int(decided[1]))
head = ["macro F1 by night", "difference", "this pair alone", "all fifteen at once", "all at once"]
show.table(
    head,
    rows,
    numeric=(1, 2, 3),
    caption=(
        "All pairs of networks on the patients and on the healthy. Joint limits allow you to "
        "pick the largest difference after looking."
    ),
)

# %% [markdown]
# On the patients {glue:text}`nights-decided-dodo-one` of the fifteen pairs differ by single
# intervals, and {glue:text}`nights-decided-dodo-all` by joint intervals. On the healthy people the
# numbers are {glue:text}`nights-decided-dodh-one` and {glue:text}`nights-decided-dodh-all`. The
# joint quantiles are {glue:text}`nights-quantile-dodo:.2f` and
# {glue:text}`nights-quantile-dodh:.2f`.
#
# **Is the best one the best?** On the patients the best estimate is that of SimpleNet. Its joint
# intervals are in the rows that begin with it. It is better than {glue:text}`nights-best-beats`
# of the five others. The data do not separate it from {glue:text}`nights-best-ties`.

# %% tags=["remove-cell"]
# Count the networks that the best one beats, and name the others.
best, *others = nights.NETWORKS
against = {n: difference("dodo", best, n, joint["dodo"]) for n in others}
assert all(i.estimate > 0 for i in against.values())
ties = [n for n, i in against.items() if i.low <= 0]
say("nights-best-beats", len(against) - len(ties))
say("nights-best-ties", ", ".join(ties))

# %% [markdown]
# ## The correlation within nights
#
# The notebook {doc}`takahashi-sleep-stages` computes how strongly the epochs of one person must be
# correlated until the paper's intervals touch. Its answer for the closest pair is a small number.
# Here are the correlations of real nights, and the {term}`design effect`: how many times larger the
# variance is because nights are the units.

# %%
# Show design effect and correlation of each network and average.
effects = {}
rows = []
for name, network in product(SETS, nights.NETWORKS):
    row = []
    for average in AVERAGES:
        metric = f1ci.metrics.get(average)
        table = tables[name, network]
        effect = nights.design_effect(metric, table)
        rho = effects[name, network, average] = nights.within_night_correlation(metric, table)
        row.append(f"{effect:.0f} ({rho:.3f})")
    rows.append([f"{SETS[name]}, {network}", *row])
head = ["design effect (correlation)", *AVERAGES.values()]
show.table(
    head,
    rows,
    numeric=(1, 2, 3),
    caption="Design effects of the averages. In parentheses stands the correlation within a night.",
)

# %% [markdown]
# The design effect of the F1 score of each stage, on the patients:

# %%
# Show the design effect of each stage.
rows = []
for network in nights.NETWORKS:
    table = tables["dodo", network]
    by_stage = [nights.stage_design_effect(table, k) for k in range(len(nights.STAGES))]
    rows.append([network, *(f"{effect:.0f}" for effect in by_stage)])
    if network == "MixedNeuralNetwork":
        say("nights-stage-most", max(by_stage))
show.table(
    ["design effect", *nights.STAGES],
    rows,
    numeric=range(1, 6),
    caption=(
        "Design effects of the stages, on the patients. The rarer stages need not have the "
        "larger effect."
    ),
)

# %% [markdown]
# Rare N1 has a small design effect: few of its epochs lie in one night. For the other stages of
# MixedNeuralNetwork it goes up to {glue:text}`nights-stage-most:.0f`.
#
# Now the paper's nine comparisons. For each we need the factor by which both variances must grow
# until the two printed intervals touch. Nights of the paper's length, with the correlation that
# MixedNeuralNetwork has here, multiply the variances by the factors in the last two columns.

# %%
# Compute by which factor nights of the paper's length multiply the variances.
per_person = given("takahashi/table-4/svm/n") / given("takahashi/section-5/subjects")
rho = {
    (name, average): effects[name, "MixedNeuralNetwork", average]
    for name, average in product(SETS, AVERAGES)
}
factor = {key: 1 + (per_person - 1) * value for key, value in rho.items()}


# %%
def needed_factor(average, other):
    """Return how much both variances must grow until the intervals of two classifiers touch."""
    estimates = []
    halves = 0.0
    for classifier in ("mnn", other):
        ids = [f"takahashi/table-4/{classifier}/{average}/{e}" for e in ("estimate", "low", "high")]
        estimate, low, high = map(printed, ids)
        estimates.append(estimate)
        halves += (high - low) / 2
    return ((estimates[0] - estimates[1]) / halves) ** 2


# %%
# Compare the factor that makes two intervals touch with the factor found here.
touched = dict.fromkeys(SETS, 0)
rows = []
for average, classifier in product(AVERAGES, ("svm", "rf", "mlp")):
    needed = needed_factor(average, classifier)
    for name in SETS:
        touched[name] += factor[name, average] > needed
    row = [f"MNN against {classifier.upper()}, {AVERAGES[average]}", f"{needed:.0f}"]
    row.append(f"{(needed - 1) / (per_person - 1):.3f}")
    rows.append([*row, *(f"{factor[name, average]:.0f}" for name in SETS)])
head = [
    "pair, average",
    "factor to touch",
    "correlation to touch",
    *(f"factor, {t}" for t in SETS.values()),
]
show.table(
    head,
    rows,
    numeric=range(1, 5),
    caption=(
        "How alike epochs must be for two intervals to touch. Compare the factor to touch "
        "with the factors that real nights have."
    ),
)

# %% tags=["remove-cell"]
# Keep these numbers for the text.
for name in SETS:
    say(f"nights-touched-{name}", touched[name])
    say(f"nights-rho-{name}", rho[name, "macro_f1"])
say("nights-factor-dodh", factor["dodh", "macro_f1"])
say("nights-rho-least", min(effects.values()))
say("nights-rho-most", max(effects.values()))

# %% [markdown]
# Over all networks, sets and scores the correlation lies between
# {glue:text}`nights-rho-least:.3f` and {glue:text}`nights-rho-most:.3f`. For macro F1 of
# MixedNeuralNetwork it is {glue:text}`nights-rho-dodh:.3f` on the healthy people and
# {glue:text}`nights-rho-dodo:.3f` on the patients. The paper's people were healthy. With their
# correlation the variances would be {glue:text}`nights-factor-dodh:.0f` times as large, and
# {glue:text}`nights-touched-dodh` of the paper's nine pairs of intervals would touch. With the
# correlation of the patients {glue:text}`nights-touched-dodo` would.
#
# That does not show that the paper's network is no better. Intervals that touch prove nothing,
# and a difference on the same nights has a shorter interval than two scores have. It shows that
# the paper's intervals cannot decide.
#
# ## Are 25 nights enough?
#
# An interval by night needs enough nights. We take the 55 nights of the patients as the whole
# population and draw small sets of nights from them. Then we count how often the interval contains
# the score of all 55.


# %%
def study(networks, stream):
    """Return the coverage for each number of nights."""
    chosen = [tables["dodo", network] for network in networks]
    options = {"replicates": replicates, **level}
    return {
        size: nights.coverage(chosen, size, rng=np.random.default_rng(child), **options)
        for size, child in zip(sizes, stream.spawn(len(sizes)), strict=True)
    }


# %%
# Run the study of coverage for one network and for the difference of two.
QUESTIONS = {
    "macro F1 of MixedNeuralNetwork": ("MixedNeuralNetwork",),
    "SimpleNet minus DeepSleepNet": ("DeepSleepNet", "SimpleNet"),
}
streams = np.random.SeedSequence(seed).spawn(len(QUESTIONS))
covered = {
    text: study(networks, stream)
    for (text, networks), stream in zip(QUESTIONS.items(), streams, strict=True)
}

# %%
# Show the coverages.
head = ["coverage", "epochs independent", "nights, delta method", "nights, logit"]
rows = []
for text, by_size in covered.items():
    for size, coverage in by_size.items():
        cells = [f"{coverage[way]:.1f} %" if way in coverage else "" for way in head[1:]]
        rows.append([f"{text}, {size} nights", *cells])
show.table(
    head,
    rows,
    numeric=(1, 2, 3),
    caption="Coverage of intervals from 25 nights. Logit limits are meant for few units.",
)

# %% tags=["remove-cell"]
# Keep these numbers for the text.
for key, by_size in zip(("one", "two"), covered.values(), strict=True):
    for size, coverage in by_size.items():
        say(f"nights-coverage-{key}-{size}", coverage["nights, logit"])
        say(f"nights-coverage-delta-{key}-{size}", coverage["nights, delta method"])
of_one, _ = covered.values()
say("nights-coverage-epochs", max(c["epochs independent"] for c in of_one.values()))
error = 100 * np.sqrt(confidence_level * (1 - confidence_level) / replicates)
say("nights-coverage-error", error)

# %% [markdown] tags=["default-values"]
# Here they are. With 25 nights the logit limits of `f1ci` cover in
# {glue:text}`nights-coverage-one-25:.1f` % of all draws, and for the difference in
# {glue:text}`nights-coverage-two-25:.1f` % (standard error
# {glue:text}`nights-coverage-error:.1f`). With 10 nights it is
# {glue:text}`nights-coverage-one-10:.1f` % and {glue:text}`nights-coverage-two-10:.1f` %, where the
# delta method by night has {glue:text}`nights-coverage-delta-one-10:.1f` % for a single score. The
# interval with independent epochs covers in at most
# {glue:text}`nights-coverage-epochs:.0f` % of all draws.

# %% [markdown]
# ## What the paper could not see
#
# The paper had one matrix, and a matrix does not say who slept. So its authors could not know
# that the nights matter more than anything else in their example. On real nights of the same
# task, intervals of macro F1 by night are {glue:text}`nights-ratio-least:.1f` to
# {glue:text}`nights-ratio-most:.1f` times as long as with independent epochs. A difference that
# looks certain with independent epochs can have the other sign on the next group of patients.

# %% [markdown] tags=["default-values"]
# ## What we learn
#
# - Ask what would be drawn anew in another study. Here it is people, and so the night is the unit.
# - Publish counts by person. The confusion matrix of all epochs is not enough for an interval.
# - Compare two networks on the same nights with the interval of their difference.
# - In this population and for these two scores, 25 nights were enough for logit limits. The
#   number of epochs hardly matters.
