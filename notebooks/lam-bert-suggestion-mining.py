# %% [markdown]
# # BERT finds suggestions: four intervals for one F1 score
#
# A classifier reads sentences from a software forum and says which of them are suggestions. On the
# test set it reaches an F1 score of {published}`lam/section-6/f1`. How sure is that, and does it
# differ from the {published}`lam/section-6/yamamoto/f1` that another group reported? This notebook
# reproduces section 6 of {cite:t}`lam2024` and then asks the second question. The methods are in
# [the chapter](/book/lam.md).
#
# Put your own four counts into the parameters, and everything below is about your classifier.

# %% tags=["parameters"]
tp: int = 77  # true positives on the test set
fp: int = 44  # false positives
fn: int = 10  # false negatives
tn: int = 702  # true negatives
other_f1: float = 0.731  # the score to be told apart from yours
confidence_level: float = 0.95  # level of the intervals

# %%
from math import ceil

import numpy as np
from compendium import figures, ledger, show
from scipy.stats import norm

import f1ci
from f1ci.joint import joint_from_cells

page = ledger.open("lam-bert-suggestion-mining")
given, _, record, say = page

# Only the paper's own counts are compared with the paper.
as_in_paper = (tp, fp, fn, tn) == tuple(
    given(f"lam/section-6/{cell}") for cell in ("tp", "fp", "fn", "tn")
) and (100 * confidence_level == given("lam/section-6/confidence_level"))

# %% [markdown]
# (shown-n-lam-7)=
# ## The data
#
# The sentences are those of SemEval 2019, task 9A. In the test set suggestions are rare, in
# the training set less so, and in the validation set they are half. The paper announces two
# tasks; this is the one that it shows ({ref}`N-lam-7 <N-lam-7>`).

# %%
rows = []
for part in ("total", "training", "validation", "test"):
    observations, suggestions = (
        given(f"lam/section-6/{part}/observations"),
        given(f"lam/section-6/{part}/suggestions"),
    )
    share = 100 * suggestions / observations
    record(f"lam/section-6/{part}/suggestions_share", share)
    of_all = 100 * observations / given("lam/section-6/total/observations")
    if part in ("validation", "test"):
        record(f"lam/section-6/{part}/share", of_all)
    rows.append(
        [part, f"{observations:,.0f}", f"{of_all:.1f} %", f"{suggestions:,.0f}", f"{share:.1f} %"]
    )
head = ["", "sentences", "of all", "suggestions", "of the part"]
show.table(head, rows, numeric=(1, 2, 3, 4))

# %%
show.compare(list(page.records))

# %% [markdown]
# ## Four intervals

# %%
methods = {name: look["label"] for name, look in figures.METHODS.items()}
found = {
    method: f1ci.f1_interval(tp, fp, fn, method=method, confidence_level=confidence_level)
    for method in methods
}
estimate = found["wald"].estimate
relevant, total = tp + fp + fn, tp + fp + fn + tn
if as_in_paper:
    record("lam/section-6/f1", estimate)
    for method, interval in found.items():
        record(f"lam/section-6/{method}/low", interval.low)
        record(f"lam/section-6/{method}/high", interval.high)
        record(f"lam/section-6/{method}/length", interval.high - interval.low)
    ends = {"low": "lower end", "high": "upper end", "length": "length"}
    table = show.grid(methods, ends, lambda method, end: f"lam/section-6/{method}/{end}")
else:
    rows = [
        [methods[m], f"{i.low:.4f}", f"{i.high:.4f}", f"{i.high - i.low:.4f}"]
        for m, i in found.items()
    ]
    table = show.table(["", "lower end", "upper end", "length"], rows, numeric=(1, 2, 3))
say("lam-bert-estimate", estimate)
say("lam-bert-relevant", relevant)
say("lam-bert-total", total)
table

# %% [markdown]
# The score is {glue:text}`lam-bert-estimate:.4f`. Of {glue:text}`lam-bert-total` sentences,
# {glue:text}`lam-bert-relevant` are relevant (suggestions, or taken for one), and only they carry
# information about F1: that is why the intervals are so wide.

# %% mystnb={"image": {"alt": "Four horizontal intervals around the F1 score, one per method, nearly of the same length; Clopper-Pearson is the longest, Wald is symmetric, Wilson direct lies furthest left. A dotted vertical line at the other group's score passes through all of them, close to the estimate."}, "figure": {"caption": "The four intervals for the F1 score. Dotted: the score that was reported elsewhere, well inside all four.", "name": "fig-lam-bert-intervals"}}
figure, axis = figures.subplots(height=2.6)
for place, (method, interval) in enumerate(found.items()):
    look = figures.METHODS[method]
    axis.plot([interval.low, interval.high], [place, place], color=look["color"], linewidth=3)
    axis.plot(estimate, place, color=look["color"], marker=look["marker"], markersize=8)
    for end, align in ((interval.low, "right"), (interval.high, "left")):
        gap = -4 if align == "right" else 4
        axis.annotate(
            f"{end:.3f}",
            (end, place),
            xytext=(gap, 0),
            textcoords="offset points",
            ha=align,
            va="center",
        )
axis.axvline(other_f1, color="black", linestyle=":", linewidth=1.2)
axis.set_yticks(range(4), methods.values())
axis.invert_yaxis()
axis.margins(x=0.12, y=0.15)
axis.set_xlabel("$F_1$")
axis.grid(axis="y", visible=False)
figures.save(figure, "lam-bert-suggestion-mining-intervals")

# %% [markdown]
# The paper expects Clopper-Pearson to be the longest, and Wilson indirect to be shorter than
# Wilson direct because the score is high. The second follows from the theory
# ({prf:ref}`thm-lam-lengths`), and both are so:

# %%
lengths = {method: interval.high - interval.low for method, interval in found.items()}
order = sorted(lengths, key=lengths.get)
rows = [[methods[m], f"{lengths[m]:.5f}"] for m in order]
show.table(["from short to long", "length"], rows, numeric=(1,))

# %% [markdown]
# (shown-e-lam-4-lengths)=
# Some printed lengths are not the differences of the printed end points. That is no error
# ({ref}`E-lam-4 <E-lam-4>`): all three are rounded from the same numbers.

# %%
rows = []
for method, label in methods.items():
    low, high, length = (
        page.number(f"lam/section-6/{method}/{end}").value for end in ("low", "high", "length")
    )
    rows.append(
        [
            label,
            f"{float(high - low):.3f}",
            f"{float(length):.3f}",
            "the same" if high - low == length else "differ by rounding",
        ]
    )
show.table(["as printed", "upper minus lower end", "length", ""], rows, numeric=(1, 2))

# %% [markdown]
# ## Is it different from the other score?
#
# The other score, {glue:text}`lam-bert-other:.3f`, is well inside every interval. So how many test
# sentences would a distinction need? That depends on what the distinction is from. Three precise
# questions, with the same shares of true positives and of relevant sentences as here:
#
# 1. **From a fixed number.** Suppose the other score were known without error. From which $n$ on
#    does the Wilson indirect interval around ours exclude it? By {eq}`eq-lam-indirect` it does
#    when $v > z^2 x_0 (1 - x_0) / (\hat F^* - x_0)^2$, where $x_0$ is the other score's F\*.
# 2. **From a score measured on another test set** of the same size. Both have an error, and the
#    variance of the difference is the sum of the two of {eq}`eq-lam-variance`.
# 3. **From a score measured on the same test set.** Where both models give the same answer, right
#    or wrong, their errors cancel; only the sentences on which they disagree count. So fewer
#    sentences are needed, and the answer of question 2 is far too large, often that of question 1
#    too. How many depends on how often the two disagree, which the papers do not say.
#
# For question 3 we compute the variance of the difference from the joint outcomes of both models
# (`f1ci.joint.joint_from_cells`, [Yuan and Jiang's](/book/yuan.md) covariance), from one extreme,
# in which the weaker model makes all errors of the better one and a few more, to the other, in
# which they have no error in common.

# %%
z = float(norm.ppf(0.5 + 0.5 * confidence_level))
gap = estimate - other_f1
if not 0 < other_f1 < 1 or np.isnan(estimate) or gap == 0:
    raise ValueError(
        f"two different scores are needed, other_f1 between 0 and 1: {estimate}, {other_f1}"
    )

# 1. A fixed number.
share, other_share = estimate / (2 - estimate), other_f1 / (2 - other_f1)
v_fixed = z**2 * other_share * (1 - other_share) / (share - other_share) ** 2
n_fixed = ceil(v_fixed * total / relevant)


def unit_variance(f1):
    """Variance of the sample F1, times the number of relevant items."""
    return f1 * (1 - f1) * (2 - f1) ** 2 / 2


# 2. Another test set.
v_two = z**2 * (unit_variance(estimate) + unit_variance(other_f1)) / gap**2
n_two = ceil(v_two * total / relevant)

# 3. The same test set. Disagreements fall on positives and negatives as our model's errors do.
p_tp, p_fp, p_fn, p_tn = np.array([tp, fp, fn, tn]) / total
on_positives = fn / (fp + fn) if fp + fn else 0.5
# By how much the disagreements in our favour must outnumber the others, exactly.
net = (2 * p_tp - other_f1 * (2 * p_tp + p_fp + p_fn)) / (
    2 * on_positives + other_f1 * (1 - 2 * on_positives)
)
most = min(
    2 * (p_fp + p_fn) + net,
    *(
        2 * cell / part - net
        for cell, part in ((p_tp, on_positives), (p_tn, 1 - on_positives))
        if part > 0
    ),
)
disagreement = np.linspace(abs(net), max(most, abs(net)), 200)
ours, theirs = (disagreement + net) / 2, (disagreement - net) / 2  # who is right
positive, negative = on_positives, 1 - on_positives
cells = np.stack(
    [
        p_tn - negative * ours,
        negative * ours,  # only the other model is wrong
        negative * theirs,
        p_fp - negative * theirs,
        p_fn - positive * theirs,
        positive * theirs,
        positive * ours,
        p_tp - positive * ours,
    ],
    axis=1,
)
if cells.min() < -1e-9:
    raise ValueError(f"few true negatives: no second model with our errors reaches {other_f1}")
scale = 10**12  # as whole counts of an enormous test set, and back
counts = np.rint(np.maximum(cells, 0) * scale).astype(np.int64)
estimates, covariance = joint_from_cells(counts, ["f1"])
assert np.allclose(estimates, [estimate, other_f1], atol=1e-9)
variance = covariance[:, 0, 0] + covariance[:, 1, 1] - 2 * covariance[:, 0, 1]
n_same = z**2 * variance * counts.sum(axis=1) / gap**2

power = ((z + norm.ppf(0.8)) / z) ** 2
say("lam-bert-other", other_f1)
say("lam-bert-gap", abs(gap))
say("lam-bert-n-fixed", n_fixed)
say("lam-bert-n-two", n_two)
say("lam-bert-n-nested", ceil(n_same[0]))
say("lam-bert-n-disjoint", ceil(n_same[-1]))
say("lam-bert-least-disagreement", 100 * float(disagreement[0]))
say("lam-bert-most-disagreement", 100 * float(disagreement[-1]))
say("lam-bert-times-fixed", n_fixed / total)
say("lam-bert-times-two", n_two / total)
say("lam-bert-power", float(power))
rows = [
    ["from a fixed number", f"{ceil(v_fixed):,}", f"{n_fixed:,}", f"{n_fixed / total:.1f}"],
    ["from a score on another test set", f"{ceil(v_two):,}", f"{n_two:,}", f"{n_two / total:.1f}"],
]
for words, n in (
    ("on the same test set, no error in common", n_same[-1]),
    ("on the same test set, errors nested", n_same[0]),
):
    rows.append([words, f"{ceil(n * relevant / total):,}", f"{ceil(n):,}", f"{n / total:.1f}"])
head = ["distinction", "relevant sentences", "sentences", "times this test set"]
show.table(head, rows, numeric=(1, 2, 3))

# %% [markdown]
# The two scores differ by {glue:text}`lam-bert-gap:.4f`. To tell ours from a fixed number takes
# {glue:text}`lam-bert-n-fixed:,d` sentences, {glue:text}`lam-bert-times-fixed:.0f` times this test
# set; from a score with an error of its own on another test set, {glue:text}`lam-bert-n-two:,d`.
# On one and the same test set it is anything from {glue:text}`lam-bert-n-nested:,d`, if the models
# disagree on {glue:text}`lam-bert-least-disagreement:.2f` % of the sentences only, to
# {glue:text}`lam-bert-n-disjoint:,d`, if they disagree on
# {glue:text}`lam-bert-most-disagreement:.0f` %.
#
# At these sizes the *expected* interval just excludes the other value, so the chance of finding a
# difference is one half. For a chance of 80 %, multiply by {glue:text}`lam-bert-power:.2f`.

# %% mystnb={"image": {"alt": "Number of sentences needed on the same test set against the share of sentences on which the two models disagree: a straight line from about a thousand at the left. Horizontal lines show the much larger number for two separate test sets and the number for a fixed value."}, "figure": {"caption": "Sentences needed to tell the two scores apart. On the same test set the number is proportional to how often the models disagree, beyond the fewest disagreements that can make the difference.", "name": "fig-lam-bert-sentences"}}
figure, axis = figures.subplots(height=3.4)
axis.plot(100 * disagreement, n_same, color=figures.COLOURS["blue"], label="same test set")
axis.plot(100 * disagreement[[0, -1]], n_same[[0, -1]], "o", color=figures.COLOURS["blue"])
axis.axhline(n_fixed, color=figures.COLOURS["green"], linestyle="-.", label="fixed number")
axis.axhline(n_two, color=figures.COLOURS["vermilion"], linestyle="--", label="two test sets")
axis.axhline(total, color=figures.COLOURS["grey"], linestyle=":", label="this test set")
axis.set(
    xlabel="sentences on which the models disagree (%)",
    ylabel="sentences needed",
    ylim=(0, 1.08 * max(n_two, n_same.max())),
    xlim=(0, None),
)
axis.yaxis.set_major_formatter("{x:,.0f}")
figure.legend(loc="outside lower center", ncols=4)
figures.save(figure, "lam-bert-suggestion-mining-sentences")

# %% [markdown]
# The closed form of question 1 can be checked with the interval itself, at whole counts around the
# answer:

# %%
rows = []
for factor in (0.9, 1.0, 1.1):
    v = round(factor * v_fixed)
    true = round(share * v)
    interval = f1ci.f1_interval(true, v - true, 0, confidence_level=confidence_level)
    inside = interval.low <= other_f1 <= interval.high
    rows.append(
        [
            f"{v:,}",
            f"{interval.estimate:.4f}",
            f"{interval.low:.5f}",
            f"{interval.high:.5f}",
            "holds the other score" if inside else "excludes it",
        ]
    )
show.table(["v", "F1", "lower end", "upper end", ""], rows, numeric=(0, 1, 2, 3))

# %% [markdown]
# ## What we learn
#
# - All numbers of section 6 are reproduced to the last printed digit.
# - On {glue:text}`lam-bert-relevant` relevant sentences the four methods differ by less than
#   anyone would act upon. Report Wilson indirect.
# - The two reported scores are compatible with each other by a wide margin. Nobody can say from
#   these numbers which of the two fine-tuned models is better.
# - Whoever wants to compare two models should run both on the same test set and publish their
#   joint outcomes.
