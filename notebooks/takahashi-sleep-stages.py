# %% [markdown]
# # Averaged F1 scores of sleep-stage classifiers: the worked examples of Takahashi et al.
#
# The paper of {cite:t}`takahashi2022` has two worked examples: a toy matrix of a hundred items, and
# four classifiers of the stages of sleep. This page recomputes both, and checks the closed forms of
# the paper's appendices against the single formula of `f1ci`. Because three formulas are
# misprinted, it shows how far a reader who used them would go wrong. Then it asks what the sleep
# example can say about which classifier is best.
#
# The method is on [the chapter's page](/book/takahashi.md): estimate plus and minus the normal
# quantile times the delta-method standard error ({eq}`eq-takahashi-interval`).

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of your own intervals; the paper's tables keep 95 %
matrices: str = ""  # CSV file with the matrices of svm, rf and mlp, see "Matrices of your own"

# %%
# Import what the notebook uses and open the ledger.
from fractions import Fraction

import numpy as np
from compendium import figures, ledger, show
from scipy.stats import norm

import f1ci
from notebooks.shared import class_averages, datasets, statements
from notebooks.shared.class_averages import MEASURES

# `given`, `printed`, `record` and `say` read and fill the ledger, see notebooks/README.md.
# `show` makes tables; in `show.grid` and `show.compare` the printed number stands with ours and
# the verdict. `datasets` reads printed matrices, `class_averages` has the paper's closed forms,
# and `statements` compares the paper's claims with our numbers.
page = ledger.open("takahashi-sleep-stages")
given, printed, record, say = page
# The comparisons with the paper have the paper's level, whatever level you ask for.
paper_level = given("takahashi/table-4/confidence_level") / 100
z = float(norm.ppf((1 + paper_level) / 2))


def record_all(prefix, values):
    """Record several numbers whose ids begin alike."""
    for key, value in values.items():
        record(f"takahashi/{prefix}/{key}", value)


# %% [markdown]
# ## A hundred items of three classes
#
# Table 1 of the paper has predicted classes in rows, and the next two tables keep that. All code of
# this book has true classes in rows. Table 1a has the counts:

# %%
# Show Table 1a, the counts.
shown = {
    k: [show.printed(f"takahashi/table-1a/predicted-{k}/true-{i}") for i in (1, 2, 3)]
    for k in (1, 2, 3)
}
rows = [[f"predicted {k}", *cells] for k, cells in shown.items()]
show.table(
    ["counts", "true 1", "true 2", "true 3"],
    rows,
    numeric=(1, 2, 3),
    caption="Table 1a, the counts. Predicted classes are in rows, as in the paper.",
)

# %% [markdown]
# Table 1b has the proportions. Each cell shows the published number above ours.

# %%
toy = datasets.confusion_matrix("takahashi/table-1a").to_numpy()
n = toy.sum()
p = toy / n  # rows true, columns predicted
right, true, predicted = np.diag(p), p.sum(axis=1), p.sum(axis=0)
classes = range(3)
cells = {f"predicted-{j + 1}/true-{i + 1}": p[i, j] for j in classes for i in classes}
totals = {f"predicted-{k + 1}/total": predicted[k] for k in classes}
totals |= {f"true-{k + 1}/total": true[k] for k in classes}
record_all("table-1b", cells | totals)


# %%
def table_1b(row, column):
    """Return the id of a cell of Table 1b, or "" for the corner."""
    if row == "total":
        return "" if column == "total" else f"takahashi/table-1b/{column}/{row}"
    return f"takahashi/table-1b/{row}/{column}"


# %%
# Show Table 1b beside our proportions.
rows = {f"predicted-{k}": f"predicted {k}" for k in (1, 2, 3)} | {"total": "total"}
columns = {f"true-{k}": f"true {k}" for k in (1, 2, 3)} | {"total": "total"}
show.grid(
    rows,
    columns,
    table_1b,
    corner="proportions",
    caption="Table 1b, the proportions. Each cell has the printed number above ours.",
)

# %%
# Compute and record the scores of each class.
scores = {
    "tp": right,
    "fp": predicted - right,
    "fn": true - right,
    "precision": right / predicted,
    "recall": right / true,
    "f1": 2 * right / (true + predicted),
}
for k in classes:
    record_all(f"section-2/class-{k + 1}", {what: values[k] for what, values in scores.items()})

# %%
# Show the scores of each class beside the printed ones.
rows = {f"class-{k}": f"class {k}" for k in (1, 2, 3)}
words = ("true positive", "false positive", "false negative", "precision", "recall", "F1")
columns = dict(zip(scores, words, strict=True))
show.grid(
    rows,
    columns,
    lambda r, c: f"takahashi/section-2/{r}/{c}",
    corner="section 2",
    caption="Section 2, the scores of each class. Each cell has the printed number above ours.",
)

# %% [markdown]
# The averages follow ({prf:ref}`def-takahashi-averages`). Micro F1 is the share of right items. The
# two macro averages are far below it. The first class has the same weight as the others there, and
# its scores are poor.

# %%
# Compute and record the averages.
estimates = {m: f1ci.metrics.get(m).value(toy) for m in MEASURES}
means = {
    "micro_precision": right.sum() / predicted.sum(),
    "micro_recall": right.sum() / true.sum(),
    "macro_precision": scores["precision"].mean(),
    "macro_recall": scores["recall"].mean(),
}
record_all("section-2", estimates | means | totals)
record_all("section-6", estimates | {f"class-{k + 1}/f1": scores["f1"][k] for k in classes})
record_all("section-3.1", {f"class-{k + 1}/tp": right[k] for k in classes})
names = [*MEASURES.values(), *(name.replace("_", " ") for name in means)]
show.compare(
    [f"takahashi/section-2/{key}" for key in estimates | means],
    names=names,
    caption=(
        "Section 2, the averages. The two macro averages differ because the mean of F1 scores "
        "is not the F1 of means."
    ),
)

# %% [markdown]
# ## Three standard errors, by two roads
#
# The paper derives a formula for each standard error (its eq. 4 and Appendices A to C; here
# {eq}`eq-takahashi-micro-variance`, {eq}`eq-takahashi-macro-variance` and
# {eq}`eq-takahashi-macro-star-variance`). They are in `notebooks/shared/class_averages.py`. `f1ci`
# has none of them: it takes the gradient of a metric and applies one formula
# ({eq}`eq-takahashi-engine`). So the closed forms are a check.


# %%
def intervals(matrix, level=paper_level):
    """Return the intervals of micro, macro and macro* F1, by the gradient."""
    return {
        m: f1ci.Matrix(matrix).interval(m, method="delta", confidence_level=level) for m in MEASURES
    }


# %%
# Compare the standard errors of the closed forms with those of the gradient.
mnn = datasets.confusion_matrix("takahashi/appendix-d/mnn")
rows = []
worst = 0.0
for name, matrix in {"toy example": toy, "sleep stages, MNN": mnn.to_numpy()}.items():
    closed = class_averages.standard_errors(matrix)
    for (m, interval), error in zip(intervals(matrix).items(), closed, strict=True):
        worst = max(worst, abs(interval.standard_error / error - 1))
        rows.append([f"{name}, {MEASURES[m]}", f"{error:.10f}", f"{interval.standard_error:.10f}"])
assert worst < 1e-12
say("sleep-closed-forms", worst)
show.table(
    ["standard error", "closed form", "gradient"],
    rows,
    numeric=(1, 2),
    caption=(
        "Standard errors by two roads. The closed forms are the paper's, the gradient is f1ci's."
    ),
)

# %% [markdown]
# The largest relative difference is {glue:text}`sleep-closed-forms:.0e`, which is rounding. The
# intervals of section 3:

# %%
# Record the intervals of section 3.
sections = {f"section-3.{k}/{m}": MEASURES[m] for k, m in enumerate(MEASURES, 1)}
for row, interval in zip(sections, intervals(toy).values(), strict=True):
    parts = {key: getattr(interval, key) for key in ("standard_error", "estimate", "low", "high")}
    record_all(row, parts | {"critical_value": z})
columns = {"estimate": "estimate", "critical_value": "quantile"}
columns |= {"standard_error": "standard error", "low": "low", "high": "high"}
show.grid(
    sections,
    columns,
    lambda r, c: f"takahashi/{r}/{c}",
    corner="section 3",
    caption="Section 3, the intervals. Each cell has the printed number above ours.",
)

# %%
# Show the intervals at your own level, if it is not the paper's.
rows = [
    [MEASURES[m], f"{i.estimate:.4f}", f"{i.low:.4f}", f"{i.high:.4f}"]
    for m, i in intervals(toy, confidence_level).items()
]
head = [f"toy example, level {confidence_level:g}", "estimate", "low", "high"]
own_level = show.table(
    head,
    rows,
    numeric=(1, 2, 3),
    caption="The toy example at your own level. The paper has no numbers to compare it with.",
)
own_level if confidence_level != paper_level else None

# %% [markdown]
# (takahashi-sleep-stages-misprints)=
# ## Misprints, and what they would do
#
# **A marginal probability in the numerator** ({ref}`E-takahashi-1 <E-takahashi-1>`). Section 3.3
# prints the variance of macro recall with $p_i$, one index and no dot, where Appendix C has
# $p_{ii}$. Read as either margin of class $i$, $p_i$ gives a standard error that the paper does
# not report.
#
# **A sum that is never added** ({ref}`E-takahashi-2 <E-takahashi-2>`). The variance of macro F1 is
# made of two sums. The R code of Appendix D adds to the second, `b`, without having set it to zero
# first, and never computes the first, `a`. Here is the printed code (CC BY 4.0; its head says
# what we changed):

# %%
# Print the code of Appendix D.
appendix_d = class_averages.appendix_d()
print(appendix_d["code"])

# %% [markdown]
# We ran it in R version 4.2. R says:

# %%
# Print what R says.
print(appendix_d["printed"])

# %% [markdown]
# These lines before the loop mend it:

# %%
# Print the lines that mend the code.
print(appendix_d["lines"])

# %% [markdown]
# Then R prints the list that the paper's last line asks for. Its numbers are those of the MNN below.
# A test runs both programs again where R is installed.

# %%
# Print what R says then.
print(appendix_d["mended"])

# %% [markdown]
# A repair can go wrong in silence. If both `a` and `b` are set to zero and nothing more is added, the
# code runs without the first sum. The sum of $(p_{ii} / s_i)^2$ is another guess for `a`. The table has what
# both give. A page of an author of the paper has the right sum.

# %%
forms = class_averages.closed_forms(toy)


def with_numerator(numerator):
    """Return the standard error of macro* F1 with another numerator for macro recall."""
    variance = (numerator * (true - right) / true**3).sum() / (n * 9)
    return np.sqrt(class_averages.macro_star_variance(forms._replace(var_recall=variance)))


def with_first_sum(first):
    """Return the standard error of macro F1 with another first sum."""
    return np.sqrt((first + forms.second) * forms.scale)


# %%
# Compute the standard errors that follow from each reading of the formulas.
as_read = {
    "ii": ("macro* F1 with the share right of class i, as in Appendix C", with_numerator(right)),
    "predicted": ("macro* F1 with the share predicted as class i", with_numerator(predicted)),
    "true": ("macro* F1 with the share of class i", with_numerator(true)),
    "both": ("macro F1 with both sums", with_first_sum(forms.first)),
    "b": ("macro F1 with the second sum alone", with_first_sum(0)),
    "copy": (
        "macro F1 with the sum of (p_ii / s_i)² as the first",
        with_first_sum(((right / (true + predicted)) ** 2).sum()),
    ),
}

# %%
# Show these standard errors beside the printed ones.
published_at = {"ii": "3.3/macro_f1_star", "both": "3.2/macro_f1"}
rows = []
for key, (name, value) in as_read.items():
    say(f"sleep-misprint-{key}", value)
    place = published_at.get(key)
    theirs = show.printed(f"takahashi/section-{place}/standard_error") if place else ""
    rows.append([name, f"{value:.4f}", theirs])
show.table(
    ["toy example, standard error", "computed", "published"],
    rows,
    numeric=(1, 2),
    caption=(
        "Standard errors that follow from each reading of the formulas. One reading gives the "
        "published number."
    ),
)

# %% [markdown]
# Section 3.3 as it stands gives {glue:text}`sleep-misprint-predicted:.4f` (or
# {glue:text}`sleep-misprint-true:.4f`, with the other margin) instead of
# {published}`takahashi/section-3.3/macro_f1_star/standard_error`. The code without `a` gives
# {glue:text}`sleep-misprint-b:.4f` instead of
# {published}`takahashi/section-3.2/macro_f1/standard_error`, and the third copy
# {glue:text}`sleep-misprint-copy:.4f`. Such intervals are far too short, and nobody sees it. The
# paper's own numbers come from the right formulas.
#
# **Names and letters** ({ref}`E-takahashi-5 <E-takahashi-5>`). Micro recall is printed with false
# positives in its denominator. Section 3.1, on micro F1, announces an interval for macro F1. Section
# 4 says that micro F1 gives equal weight to each class, which is macro F1's property. Appendix B
# once writes the averages' symbol for a class's F1. None of them changes a number: over all classes,
# false positives and false negatives are the same items.

# %%
# Check that false positives and false negatives are the same items.
assert np.isclose(scores["fp"].sum(), scores["fn"].sum())
assert np.isclose((scores["tp"] + scores["fp"]).sum(), (scores["tp"] + scores["fn"]).sum())

# %% [markdown]
# ## Five stages of sleep
#
# The four classifiers of {cite:t}`dong2018` name one of five stages of sleep for half a minute of
# brain waves. They are a mixed neural network (MNN), a support vector machine (SVM), a random
# forest (RF) and a multilayer perceptron (MLP). The paper prints the matrix of the first one in its
# R code. It has a second public source: a program of A. Supratak, a co-author of Dong et al., holds the
# same 25 counts (github.com/akaraspt/deepsleepnet, `summary.py`, commit 24dedef). It sums each row as
# a true class, and so do we:

# %%
# Show the matrix of the MNN.
rows = [
    [str(stage), *(f"{c:,}" for c in counts), f"{counts.sum():,}"]
    for stage, counts in mnn.iterrows()
]
show.table(
    ["true \\ predicted", *mnn.columns, "sum"],
    rows,
    numeric=range(1, 7),
    caption=(
        "The matrix of the MNN for five stages of sleep. Each row sums the epochs of a true stage."
    ),
)

# %% [markdown]
# (takahashi-sleep-stages-table-4)=
# ### Table 4
#
# The row of the MNN follows from its matrix. The matrices of the other three are not in the paper,
# so nobody who has only the paper can recompute their macro averages
# ({ref}`N-takahashi-6 <N-takahashi-6>`). Micro F1 is a proportion. Its interval needs only $n$ and
# the estimate, and both are printed. The estimate is an input here: we start from it, so it is no
# check.

# %%
NAMES = {"mnn": "MNN", "svm": "SVM", "rf": "RF", "mlp": "MLP"}
MISSING = {
    "svm": "the confusion matrix of the support vector machine",
    "rf": "the confusion matrix of the random forest",
    "mlp": "the confusion matrix of the multilayer perceptron",
}
ENDS = ("estimate", "low", "high")


# %%
# Take the published matrix, and your own matrices if you gave any.
yours = datasets.read_matrices(matrices) if matrices else {}
for name, matrix in yours.items():
    items = matrix.to_numpy().sum()
    if name not in MISSING or items != given(f"takahashi/table-4/{name}/n"):
        raise ValueError(f"{matrices}: each name is one of {list(MISSING)}, with the n of Table 4")
at_hand = {name: matrix.to_numpy() for name, matrix in {"mnn": mnn, **yours}.items()}

# %%
# Record the results of Table 4 whose matrix is at hand.
record_all("table-4/mnn", {"n": mnn.to_numpy().sum()})
table_4 = {  # as printed
    (name, m): {end: printed(f"takahashi/table-4/{name}/{m}/{end}") for end in ENDS}
    for name in NAMES
    for m in MEASURES
}
for name in NAMES:
    if name in at_hand:
        for m, interval in intervals(at_hand[name]).items():
            table_4[name, m] = {end: getattr(interval, end) for end in ENDS}
            record_all(f"table-4/{name}/{m}", table_4[name, m])
        continue
    size = int(given(f"takahashi/table-4/{name}/n"))
    point = table_4[name, "micro_f1"]["estimate"]
    half = z * np.sqrt(point * (1 - point) / size)
    table_4[name, "micro_f1"] = {"estimate": point, "low": point - half, "high": point + half}
    record_all(f"table-4/{name}/micro_f1", table_4[name, "micro_f1"])
    for m in ("macro_f1", "macro_f1_star"):
        for end in ENDS:
            page.missing(f"takahashi/table-4/{name}/{m}/{end}", MISSING[name])

# %%
# Show Table 4 in the paper's form: four classifiers, n, and an estimate and an interval three times.
columns = {"n": "n"}
for m, text in MEASURES.items():
    columns |= {f"{m}/estimate": text, f"{m}/low": "from", f"{m}/high": "to"}
show.grid(
    NAMES,
    columns,
    lambda r, c: f"takahashi/table-4/{r}/{c}",
    corner="Table 4",
    caption=(
        "Table 4, four classifiers. Each cell has the printed number above ours, where its "
        "matrix is at hand."
    ),
)

# %% [markdown]
# The three printed numbers of each micro interval can still be compared with one another. Some
# number of right items must round to all three. Such a number exists for every classifier.


# %%
def fitting_shares(name):
    """Find the numbers of right items that round to the printed estimate and both ends."""
    size = int(given(f"takahashi/table-4/{name}/n"))
    right_items = np.arange(1, size)
    tables = np.stack([right_items, size - right_items, 0 * right_items, 0 * right_items], axis=1)
    interval = f1ci.Matrix(tables.reshape(-1, 2, 2)).interval("accuracy", method="delta")
    fits = np.ones(size - 1, dtype=bool)
    for end in ENDS:
        number = page.number(f"takahashi/table-4/{name}/micro_f1/{end}")
        fits &= np.abs(getattr(interval, end) - float(number.value)) <= float(number.half_unit)
    return size, right_items[fits]


# %%
# Show which numbers of right items fit the printed micro interval of each classifier.
rows = []
for name in MISSING:
    size, possible = fitting_shares(name)
    rows.append([NAMES[name], f"{size:,}", f"{possible[0]:,} to {possible[-1]:,}"])
show.table(
    ["classifier", "n", "right items"],
    rows,
    numeric=(1, 2),
    caption="Numbers of right items that fit a printed micro interval. One would be enough.",
)

# %% [markdown]
# The macro rows of these three have another check. The interval is symmetric, so the estimate must
# be the middle of the printed ends, up to rounding. Each number has half a unit of rounding, so the
# two may differ by one unit.

# %%
# Show the middle of the printed end points beside the printed estimate.
rows = []
fitting = 0
for name in MISSING:
    for m in ("macro_f1", "macro_f1_star"):
        ids = [f"takahashi/table-4/{name}/{m}/{end}" for end in ENDS]
        estimate, low, high = (page.number(identity).value for identity in ids)
        middle = (low + high) / 2
        fits = abs(estimate - middle) <= Fraction(1, 1000)
        fitting += fits
        numbers = [f"{float(middle):.4f}", f"{float(estimate):.3f}"]
        rows.append([f"{NAMES[name]}, {MEASURES[m]}", *numbers, "fits" if fits else "does not fit"])
say("sleep-midpoints", fitting)
say("sleep-midpoint-numbers", 3 * len(rows))
show.table(
    ["as printed", "middle of the ends", "estimate", "verdict"],
    rows,
    numeric=(1, 2),
    caption=(
        "The middle of printed limits beside the printed estimate. Rounding allows a distance "
        "of one unit."
    ),
)

# %% [markdown]
# All {glue:text}`sleep-midpoints:d` rows fit, so the {glue:text}`sleep-midpoint-numbers:d` numbers
# are consistent with one another. More cannot be said of them. Two matrices can agree in $n$ and in
# micro F1, and differ in both macro averages. For example, turn a thousand of the MNN's right
# answers for stage N1 into right answers for stage N2.

# %%
# Show two matrices with the same micro F1.
other = mnn.copy()
other.loc["N1", "N1"] -= 1000
other.loc["N2", "N2"] += 1000
rows = []
for name, matrix in {"MNN": mnn.to_numpy(), "a thousand moved": other.to_numpy()}.items():
    values = [f"{f1ci.metrics.get(m).value(matrix):.3f}" for m in MEASURES]
    rows.append([name, f"{matrix.sum():,}", *values])
show.table(
    ["matrix", "n", *MEASURES.values()],
    rows,
    numeric=(1, 2, 3, 4),
    caption=(
        "Two matrices with one micro F1. Their macro averages differ, so a micro F1 does not "
        "give them."
    ),
)

# %% [markdown]
# (takahashi-sleep-stages-own-matrices)=
# ### Matrices of your own
#
# If you have the missing matrices, put them into a CSV file in the folder `notebooks/`, with one
# line for each cell. Then run this notebook again, and it fills Table 4.
#
# ```text
# name,true,predicted,count
# svm,W,W,4520
# svm,W,N1,830
# ...
# ```
#
# `name` is `svm`, `rf` or `mlp`; classes may have any names; each pair of classes has a line, zeros included.
#
# ```console
# $ make notebook NAME=takahashi-sleep-stages PARAMS="matrices=dong.csv"
# ```
#
# ## The classes behind the average
#
# The discussion of the paper names the drawback of all such averages: they hide how different the
# classes are. It suggests reporting each class's F1, but gives no intervals for them. For a single
# class there are better intervals than the delta method's. The class against the rest is a binary
# problem, and [intervals for one F1](/book/lam.md) apply.


# %%
def by_class(matrix, method):
    """Return the intervals of the classes' F1 scores."""
    tp = np.diag(matrix)
    fp, fn = matrix.sum(axis=0) - tp, matrix.sum(axis=1) - tp
    return f1ci.f1_interval(tp, fp, fn, method=method, confidence_level=confidence_level)


# %%
# Choose the two examples.
examples = {
    "toy example": (["class 1", "class 2", "class 3"], toy),
    "sleep stages, MNN": (list(mnn.index), mnn.to_numpy()),
}


# %%
def draw_classes(axes, title, names, matrix):
    """Draw the classes' intervals, and macro F1 with its own as a band."""
    green = figures.COLOURS["green"]
    macro = intervals(matrix, confidence_level)["macro_f1"]
    axes.axvspan(macro.low, macro.high, color=green, alpha=0.25, linewidth=0)
    axes.axvline(macro.estimate, color=green, linewidth=1)
    axes.text(macro.estimate, -0.62, "macro F1", ha="center", va="bottom")
    wilson = by_class(matrix, "wilson_indirect")
    error = [wilson.estimate - wilson.low, wilson.high - wilson.estimate]
    look = {"fmt": "o", "color": figures.COLOURS["blue"], "capsize": 3}
    axes.errorbar(wilson.estimate, np.arange(len(names)), xerr=error, **look)
    axes.set_yticks(np.arange(len(names)), names)
    axes.set(xlabel="F1", title=f"{title}\n", xlim=(0, 1), ylim=(len(names) - 0.5, -0.65))


# %% mystnb={"image": {"alt": "Two panels of F1 scores by class with their intervals. Toy example: class 1 at 0.31 with an interval from about 0.1 to 0.6, class 2 at 0.93 and class 3 at 0.83, a vertical band for macro F1 at 0.69 that touches none of the points. Sleep stages: N1 far below the other four, which lie close together; all intervals are narrow."}, "figure": {"caption": "F1 of each class with its interval (Wilson score), and macro F1 with its own (green). Above: the toy example. Below: the sleep stages by the MNN.", "name": "fig-takahashi-sleep-stages-classes"}}
# Draw the F1 of each class in both examples.
figure, panels = figures.subplots(2, 1, height=5.0, height_ratios=(3, 5))
for axes, (title, (names, matrix)) in zip(panels, examples.items(), strict=True):
    draw_classes(axes, title, names, matrix)
figures.save(figure, "takahashi-sleep-stages-classes")

# %%
# Show the intervals of each class by Wilson and by the delta method.
rows = []
for title, (names, matrix) in examples.items():
    wilson, wald = by_class(matrix, "wilson_indirect"), by_class(matrix, "wald")
    for k, name in enumerate(names):
        ends = [f"{i.low[k]:.3f} to {i.high[k]:.3f}" for i in (wilson, wald)]
        rows.append([f"{title}: {name}", f"{wilson.estimate[k]:.3f}", *ends])
show.table(
    ["class", "F1", "Wilson score", "Wald (delta method)"],
    rows,
    numeric=(1, 2, 3),
    caption=(
        "Intervals for the F1 of each class, by Wilson and by the delta method. They part "
        "where a class is rare or poor."
    ),
)

# %% tags=["remove-cell"]
# Keep these numbers for the text.
say("sleep-class-1-wald-low", by_class(toy, "wald").low[0])
say("sleep-class-1-low", by_class(toy, "wilson_indirect").low[0])
stages = by_class(mnn.to_numpy(), "wilson_indirect").estimate
say("sleep-worst-stage", mnn.index[int(np.argmin(stages))])
say("sleep-worst-f1", stages.min())

# %% [markdown]
# For the thousands of epochs of a sleep stage the two methods agree. The first class of the toy
# example has nine wrong items and two right ones. Wald's interval for it begins at
# {glue:text}`sleep-class-1-wald-low:.3f`, Wilson's at {glue:text}`sleep-class-1-low:.3f`. Of the
# stages behind the MNN's macro F1 one is far below the rest: {glue:text}`sleep-worst-stage` has
# {glue:text}`sleep-worst-f1:.3f`.
#
# ## Is the mixed neural network better?
#
# The intervals of the MNN overlap with no interval of the others. The paper takes that as further
# evidence that the MNN is superior. How strong is this evidence?

# %%
LOOKS = {
    "mnn": ("o", "blue"),
    "svm": ("s", "vermilion"),
    "rf": ("^", "green"),
    "mlp": ("D", "purple"),
}


# %%
def draw_point(axes, row, k, name, m):
    """Draw one interval of Table 4; hollow if it is only as printed."""
    point, (marker, colour) = table_4[name, m], LOOKS[name]
    error = [[point["estimate"] - point["low"]], [point["high"] - point["estimate"]]]
    ours = name in at_hand or m == "micro_f1"
    look = {"fmt": marker, "color": figures.COLOURS[colour], "capsize": 3}
    look["markerfacecolor"] = figures.COLOURS[colour] if ours else "white"
    label = NAMES[name] if row == 0 else None
    axes.errorbar(point["estimate"], row + (k - 1.5) * 0.17, xerr=error, label=label, **look)


# %% mystnb={"image": {"alt": "Three groups of four intervals, one group for each average. In each the MNN is on the right, clearly apart from the other three, whose order changes from average to average."}, "figure": {"caption": "Table 4. Filled: computed again, from the matrix of the MNN or from the printed n and estimate. Hollow: as printed, because the matrix is not published.", "name": "fig-takahashi-sleep-stages-table-4"}}
# Draw estimates and intervals of the four classifiers.
figure, axes = figures.subplots(height=4.6)
for row, m in enumerate(MEASURES):
    for k, name in enumerate(NAMES):
        draw_point(axes, row, k, name, m)
axes.set_yticks(range(3), [text.replace("*", "$^*$") for text in MEASURES.values()])
axes.invert_yaxis()
axes.set(xlabel="score", xlim=(0.7, 0.88))
axes.grid(axis="y", visible=False)
for face, text in (("black", "computed again"), ("white", "as printed only")):
    axes.plot([], [], "o", color="black", markerfacecolor=face, label=text)
figure.legend(loc="outside lower center", ncols=3)
figures.save(figure, "takahashi-sleep-stages-table-4")

# %% [markdown]
# **What is right about it.** Let two estimates have the standard errors $s_1$ and $s_2$. Whatever
# their correlation, the standard error of their difference is at most $s_1 + s_2$. So if two
# intervals do not overlap, the difference is more than $z (s_1 + s_2)$, and its own interval excludes
# zero. (The converse does not hold: intervals that overlap prove nothing.)
#
# **What is missing.** The standard errors treat the epochs as independent. They are not: the
# {published}`takahashi/section-5/epochs` epochs come from {published}`takahashi/section-5/subjects`
# people, and a classifier that fails on one person fails on many of that person's epochs. Suppose the
# variances are really $d$ times as large. Then the two intervals touch when $d$ reaches the square of
# the difference, in units of $z (s_1 + s_2)$.

# %%
people = int(given("takahashi/section-5/subjects"))
per_person = mnn.to_numpy().sum() / people


def error(name, m):
    """Return a standard error, from the interval's length."""
    return (table_4[name, m]["high"] - table_4[name, m]["low"]) / (2 * z)


# %%
# Show each difference in standard errors, and the correlation that would make intervals touch.
rows = []
effects = {}
for m, text in MEASURES.items():
    for name in MISSING:
        difference = table_4["mnn", m]["estimate"] - table_4[name, m]["estimate"]
        s1, s2 = error("mnn", m), error(name, m)
        effects[name, m] = effect = (difference / (z * (s1 + s2))) ** 2
        rows.append([f"{text}, {NAMES[name]}", f"{difference:.3f}"])
        rows[-1] += [f"{difference / np.hypot(s1, s2):.0f}", f"{difference / (s1 + s2):.0f}"]
        rows[-1] += [f"{effect:.0f}", f"{(effect - 1) / (per_person - 1):.3f}"]
head = ["MNN against", "difference", "in standard errors", "at least"]
show.table(
    [*head, "factor to touch", "correlation"],
    rows,
    numeric=range(1, 6),
    caption=(
        "Differences of classifiers in standard errors. The last column is the correlation "
        "within people that would let intervals touch."
    ),
)

# %% tags=["remove-cell"]
# Keep the closest pair for the text.
closest = min(effects, key=effects.get)
say("sleep-closest", f"{NAMES[closest[0]]}, {MEASURES[closest[1]]}")
say("sleep-effect", effects[closest])
say("sleep-icc", (effects[closest] - 1) / (per_person - 1))
say("sleep-per-person", per_person)

# %% [markdown]
# The differences are many standard errors wide. The second column of numbers is for independent
# estimates. The third column is for two estimates that move in opposite directions, which is the
# worst case. But there are about {glue:text}`sleep-per-person:.0f` epochs to a person. With groups
# of that size a small correlation within a person has a large effect. The variance grows by about
# $1 + (s - 1) \rho$ with $s$ epochs and a correlation $\rho$ of their influences. For the closest
# comparison ({glue:text}`sleep-closest`) a factor of {glue:text}`sleep-effect:.0f` lets the two
# intervals touch, and a correlation of {glue:text}`sleep-icc:.3f` gives this factor. Nobody can say
# from the published matrix how large it is. {doc}`takahashi-nights` measures it on other people: it
# is larger.
#
# **A proper comparison needs** the predictions of both classifiers for the same epochs, and the
# sleeper of each epoch. (The four numbers of epochs differ, so not even the epochs are all the
# same.) Then the difference has its own interval, which uses the correlation between the
# classifiers and within the people.
#
# ## Statement by statement
#
# The statements of the paper about its two examples, each with the number that decides:

# %%
overlap, beyond = [], []
for m in MEASURES:
    low = table_4["mnn", m]["low"]
    overlap += [table_4[name, m]["high"] >= low for name in MISSING]
    beyond += [table_4[name, m]["estimate"] >= low for name in MISSING]
precision, recall = (scores[s][0] / scores[s][1:].min() for s in ("precision", "recall"))

# %%
# State each claim: section, words of the paper, our numbers, and whether it holds.
claim = statements.Claims()
micro = estimates["micro_f1"]
text = "micro F1 is the total probability of true positives"
claim("1, 2", text, f"{micro:.2f} = {right.sum():.2f}", np.isclose(micro, right.sum()))
text = (
    "micro F1 is higher than the macro scores because class 1 has much lower precision and recall"
)
value = f"class 1 has {precision:.0%} and {recall:.0%} of the others' lowest"
claim("2", text, value, max(precision, recall) < 0.5)
text = "the MNN's intervals do not overlap with the other point estimates"
claim("5", text, f"{sum(beyond)} of 9 do", not any(beyond))
claim("5", "nor with the other intervals", f"{sum(overlap)} of 9 do", not any(overlap))

# %%
# Prepare what the claims of sections 5 and 6 need.
ratio = scores["f1"].min() / scores["f1"].max()
longest = max(t["high"] - t["low"] for t in table_4.values())
# By how much the classifiers differ: the range of the four estimates of one average.
least = min(np.ptp([table_4[name, m]["estimate"] for name in NAMES]) for m in MEASURES)
r_says = appendix_d["printed"]

# %%
# State the claims of sections 5 and 6.
value = (
    f"not if epochs of a person correlate by {(min(effects.values()) - 1) / (per_person - 1):.3f}"
)
claim("5", "this is further evidence that the MNN is superior", value, None)
value = f"longest {longest:.3f}, classifiers differ by {least:.3f} and more"
claim("5", "n is large, so the intervals are narrow", value, longest < least / 2)
text = "macro and micro scores hide large differences between classes"
claim("6", text, f"toy example: worst class {ratio:.0%} of the best", ratio < 0.5)
value = "R: " + r_says.splitlines()[0].partition(" : ")[2]
runs = not r_says.startswith("Error")
claim("6", "Appendix D has R code that computes the intervals", value, runs)
claim.table()

# %% [markdown] tags=["default-values"]
# ## What we learn
#
# - All numbers that can be computed from the paper alone are right. These are the whole toy example, the MNN's
#   row of Table 4 and the ends of the other micro intervals. {tally}`takahashi-sleep-stages|unpublished-input`
#   {ref}`entries <takahashi-sleep-stages-table-4>` of Table 4 wait for three matrices: the macro averages of
#   three classifiers with their intervals. The three micro estimates are inputs here.
# - The closed forms are right in the appendices. In section 3.3 and in the R code they are not; use
#   `f1ci.Matrix`.
# - Intervals for independent epochs alone do not show that the MNN is best. Usually intervals that
#   do not overlap are a stricter test than needed.
