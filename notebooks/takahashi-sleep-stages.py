# %% [markdown]
# # Averaged F1 scores of sleep-stage classifiers: the worked examples of Takahashi et al.
#
# {cite:t}`takahashi2022` show their intervals at work twice: on a toy matrix of a hundred items, by hand, and
# on four classifiers that tell the stages of sleep. This page recomputes both, checks the closed
# forms of the paper's appendices against the one formula of `f1ci`, shows three misprints at work, and
# then asks what the sleep example can and cannot say about which classifier is best.
#
# The method is on [the chapter's page](/book/takahashi.md): estimate plus and minus the normal quantile times
# the delta-method standard error ({eq}`eq-takahashi-interval`).

# %% tags=["parameters"]
confidence_level: float = 0.95  # nominal level of every interval
matrices: str = ""  # CSV file with the matrices of svm, rf and mlp, see "Matrices of your own"

# %% tags=["remove-cell"]
import numpy as np
from compendium import figures, ledger, show
from IPython.display import display
from scipy.stats import norm

import f1ci
from notebooks.shared import datasets

page = ledger.open("takahashi-sleep-stages")
given, printed, record, say = page
z = float(norm.ppf((1 + confidence_level) / 2))

MEASURES = {"micro_f1": "micro F1", "macro_f1": "macro F1", "macro_f1_star": "macro* F1"}


def record_all(prefix, values):
    """Record several numbers whose ids begin alike."""
    for key, value in values.items():
        record(f"takahashi/{prefix}/{key}", float(value))


# %% [markdown]
# ## A hundred items of three classes
#
# Table 1 of the paper has predicted classes in rows, which the next two tables keep; all code of this
# book has true classes in rows. Each cell shows the published number, then ours.

# %% tags=["hide-input"]
toy = datasets.confusion_matrix("takahashi/table-1a").to_numpy()
n = toy.sum()
p = toy / n  # rows true, columns predicted
right, true, predicted = np.diag(p), p.sum(axis=1), p.sum(axis=0)
classes = range(3)
record_all(
    "table-1b",
    {f"predicted-{j + 1}/true-{i + 1}": p[i, j] for j in classes for i in classes}
    | {f"predicted-{j + 1}/total": predicted[j] for j in classes}
    | {f"true-{i + 1}/total": true[i] for i in classes},
)
show.grid(
    {f"predicted-{k}": f"predicted {k}" for k in (1, 2, 3)} | {"total": "total"},
    {f"true-{k}": f"true {k}" for k in (1, 2, 3)} | {"total": "total"},
    lambda row, column: (
        f"takahashi/table-1b/{column}/{row}"
        if row == "total" != column
        else ""
        if row == column == "total"
        else f"takahashi/table-1b/{row}/{column}"
    ),
    corner="proportions",
)

# %% tags=["hide-input"]
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
show.grid(
    {f"class-{k}": f"class {k}" for k in (1, 2, 3)},
    {
        "tp": "true positive",
        "fp": "false positive",
        "fn": "false negative",
        "precision": "precision",
        "recall": "recall",
        "f1": "F1",
    },
    lambda row, column: f"takahashi/section-2/{row}/{column}",
    corner="section 2",
)

# %% [markdown]
# The averages follow ({prf:ref}`def-takahashi-averages`). Micro F1 is the share of right items; the two macro
# averages are far below it, because the first class counts as much as the others, and it goes badly.

# %% tags=["hide-input"]
estimates = {m: f1ci.metrics.get(m).value(toy) for m in MEASURES}
averages = estimates | {
    "micro_precision": right.sum() / predicted.sum(),
    "micro_recall": right.sum() / true.sum(),
    "macro_precision": scores["precision"].mean(),
    "macro_recall": scores["recall"].mean(),
}
record_all("section-2", averages)
for k in classes:
    record_all("section-2", {f"predicted-{k + 1}/total": predicted[k]})
    record_all("section-2", {f"true-{k + 1}/total": true[k]})
    record_all("section-6", {f"class-{k + 1}/f1": scores["f1"][k]})
    record_all("section-3.1", {f"class-{k + 1}/tp": right[k]})
record_all("section-6", estimates)
show.compare(
    [f"takahashi/section-2/{key}" for key in averages],
    names=[
        *MEASURES.values(),
        "micro precision",
        "micro recall",
        "macro precision",
        "macro recall",
    ],
)

# %% [markdown]
# ## Three standard errors, by two roads
#
# The paper derives a formula for each standard error (its eq. 4 and Appendices A to C; here
# {eq}`eq-takahashi-micro-variance`, {eq}`eq-takahashi-macro-variance` and
# {eq}`eq-takahashi-macro-star-variance`). `f1ci` has none of them: it takes the gradient of a metric and
# applies one formula ({eq}`eq-takahashi-engine`). So the closed forms are a check.


# %%
def closed_forms(matrix):
    """The sums of Appendices A to C, for a matrix with true classes in rows."""
    n, r = matrix.sum(), len(matrix)
    p = matrix / n
    right, true, predicted = np.diag(p), p.sum(axis=1), p.sum(axis=0)
    wrong_pairs = p - np.diag(right)
    s = true + predicted
    f = 2 * right / s
    miss = s - 2 * right
    precision, recall = right / predicted, right / true
    return {
        "micro": right.sum() * (1 - right.sum()) / n,
        # The two sums of Appendix B, which the R code of Appendix D calls a and b.
        "a": (f * miss / s**2 * (miss / s + f / 2)).sum(),
        "b": (wrong_pairs * np.outer(f / s, f / s)).sum(),
        "b to variance": 2 / (n * r**2),
        "precision": precision.mean(),
        "recall": recall.mean(),
        "var precision": (right * (predicted - right) / predicted**3).sum() / (n * r**2),
        "var recall": (right * (true - right) / true**3).sum() / (n * r**2),
        "covariance": (
            (right * (predicted - right) * (true - right) / (predicted * true) ** 2).sum()
            + (wrong_pairs * np.outer(right / true**2, right / predicted**2)).sum()
        )
        / (n * r**2),
    }


def macro_star_variance(forms):
    """Section 3.3 of the paper, from its three parts."""
    mean_p, mean_r = forms["precision"], forms["recall"]
    return (
        4
        * (
            mean_r**4 * forms["var precision"]
            + 2 * (mean_p * mean_r) ** 2 * forms["covariance"]
            + mean_p**4 * forms["var recall"]
        )
        / (mean_p + mean_r) ** 4
    )


def standard_errors(matrix):
    """Of micro, macro and macro* F1, by the closed forms."""
    forms = closed_forms(matrix)
    macro = (forms["a"] + forms["b"]) * forms["b to variance"]
    return np.sqrt([forms["micro"], macro, macro_star_variance(forms)])


def intervals(matrix):
    """Of micro, macro and macro* F1, by the gradient."""
    return {
        m: f1ci.metric_interval(matrix, m, method="delta", confidence_level=confidence_level)
        for m in MEASURES
    }


mnn = datasets.confusion_matrix("takahashi/appendix-d/mnn")
rows, worst = [], 0.0
for name, matrix in {"toy example": toy, "sleep stages, MNN": mnn.to_numpy()}.items():
    for (m, interval), closed in zip(
        intervals(matrix).items(), standard_errors(matrix), strict=True
    ):
        worst = max(worst, abs(interval.standard_error / closed - 1))
        rows.append([f"{name}, {MEASURES[m]}", f"{closed:.10f}", f"{interval.standard_error:.10f}"])
assert worst < 1e-12
say("sleep-closed-forms", float(worst))
show.table(["standard error", "closed form", "gradient"], rows, numeric=(1, 2))

# %% [markdown]
# The largest relative difference is {glue:text}`sleep-closed-forms:.0e`, which is rounding. The intervals
# of section 3:

# %% tags=["hide-input"]
for section, (m, interval) in zip(("3.1", "3.2", "3.3"), intervals(toy).items(), strict=True):
    record_all(
        f"section-{section}/{m}",
        {
            "standard_error": interval.standard_error,
            "estimate": interval.estimate,
            "critical_value": z,
            "low": interval.low,
            "high": interval.high,
        },
    )
show.grid(
    {f"section-{k}/{m}": MEASURES[m] for k, m in zip(("3.1", "3.2", "3.3"), MEASURES, strict=True)},
    {
        "estimate": "estimate",
        "critical_value": "quantile",
        "standard_error": "standard error",
        "low": "low",
        "high": "high",
    },
    lambda row, column: f"takahashi/{row}/{column}",
    corner="section 3",
)

# %% [markdown]
# (takahashi-sleep-stages-misprints)=
# ## Misprints, and what they would do
#
# **A marginal probability in the numerator** ({ref}`E-takahashi-1 <E-takahashi-1>`). Section 3.3 prints the
# variance of macro recall with $p_i$, one index and no dot, where Appendix C has $p_{ii}$. Read as either margin of class $i$, it
# gives another standard error than the one the paper reports.
#
# **A sum that is never added** ({ref}`E-takahashi-2 <E-takahashi-2>`). The variance of macro F1 is made of two sums. The
# R code of Appendix D adds to the second, `b`, without having set it to zero first, and never computes the first,
# `a`; R stops with an error. Had both begun at zero, the first sum would have been missing.

# %% tags=["hide-input"]
forms = closed_forms(toy)


def with_numerator(numerator):
    """The standard error of macro* F1 with another numerator in the variance of macro recall."""
    variance = (numerator * (true - right) / true**3).sum() / (n * 9)
    return np.sqrt(macro_star_variance(forms | {"var recall": variance}))


as_read = {
    "macro* F1 with the share right of class i, as in Appendix C": (
        with_numerator(right),
        "3.3/macro_f1_star",
    ),
    "macro* F1 with the share predicted as class i": (with_numerator(predicted), ""),
    "macro* F1 with the share of class i": (with_numerator(true), ""),
    "macro F1 with both sums": (
        np.sqrt((forms["a"] + forms["b"]) * forms["b to variance"]),
        "3.2/macro_f1",
    ),
    "macro F1 with the second sum alone": (np.sqrt(forms["b"] * forms["b to variance"]), ""),
}
for key, (value, _) in zip(("ii", "predicted", "true", "both", "b"), as_read.values(), strict=True):
    say(f"sleep-misprint-{key}", float(value))
show.table(
    ["toy example, standard error", "computed", "published"],
    [
        [
            name,
            f"{value:.4f}",
            show.printed(f"takahashi/section-{place}/standard_error") if place else "",
        ]
        for name, (value, place) in as_read.items()
    ],
    numeric=(1, 2),
)

# %% [markdown]
# Section 3.3 taken at its word gives {glue:text}`sleep-misprint-predicted:.4f` (or
# {glue:text}`sleep-misprint-true:.4f`, with the other margin) instead of
# {published}`takahashi/section-3.3/macro_f1_star/standard_error`; the code without `a` gives
# {glue:text}`sleep-misprint-b:.4f` instead of {published}`takahashi/section-3.2/macro_f1/standard_error`. The paper's
# own numbers come from the right formulas.
#
# **Names and letters** ({ref}`E-takahashi-5 <E-takahashi-5>`). Micro recall is printed with false positives in its
# denominator. Section 3.1, on micro F1, announces an interval for macro F1. Section 4 says that micro F1 gives equal weight to
# each class, which is macro F1's property. Appendix B once writes the averages' symbol for a class's F1. None of them touches a number:
# over all classes, false positives and false negatives are the same items.

# %%
assert np.isclose(scores["fp"].sum(), scores["fn"].sum())
assert np.isclose((scores["tp"] + scores["fp"]).sum(), (scores["tp"] + scores["fn"]).sum())

# %% [markdown]
# ## Five stages of sleep
#
# {cite:t}`dong2018` trained four classifiers to tell five stages of sleep from half a minute of brain waves: a mixed neural network (MNN), a
# support vector machine (SVM), a random forest (RF) and a multilayer perceptron (MLP). The paper
# prints the matrix of the first one in its R code. Here with true classes in rows:

# %% tags=["hide-input"]
show.table(
    ["true \\ predicted", *mnn.columns, "sum"],
    [
        [str(stage), *(f"{c:,}" for c in counts), f"{counts.sum():,}"]
        for stage, counts in mnn.iterrows()
    ],
    numeric=range(1, 7),
)

# %% [markdown]
# (takahashi-sleep-stages-table-4)=
# ### Table 4
#
# The row of the MNN follows from its matrix. The matrices of the other three are not in the
# paper, so that their macro averages cannot be recomputed by anyone who has only the paper
# ({ref}`N-takahashi-6 <N-takahashi-6>`). Micro F1 is a proportion, and its interval needs no more than $n$ and
# the estimate, which are printed.

# %%
NAMES = {"mnn": "MNN", "svm": "SVM", "rf": "RF", "mlp": "MLP"}
MISSING = {
    "svm": "the confusion matrix of the support vector machine",
    "rf": "the confusion matrix of the random forest",
    "mlp": "the confusion matrix of the multilayer perceptron",
}
at_hand = {"mnn": mnn.to_numpy()}
if matrices:
    for name, matrix in datasets.read_matrices(matrices).items():
        if name not in MISSING:
            raise ValueError(f"{matrices}: name must be one of {list(MISSING)}, got {name!r}")
        expected = int(given(f"takahashi/table-4/{name}/n"))
        if matrix.to_numpy().sum() != expected:
            raise ValueError(
                f"{matrices}: {name!r} must have {expected} items, as in Table 4, "
                f"got {matrix.to_numpy().sum()}"
            )
        at_hand[name] = matrix.to_numpy()

record_all("table-4/mnn", {"n": mnn.to_numpy().sum()})
table_4 = {}  # (low, estimate, high), ours where possible and else as printed
for name in NAMES:
    if name in at_hand:
        for m, interval in intervals(at_hand[name]).items():
            ends = {"estimate": interval.estimate, "low": interval.low, "high": interval.high}
            record_all(f"table-4/{name}/{m}", ends)
            table_4[name, m] = ends
        continue
    for m in MEASURES:
        table_4[name, m] = {
            key: printed(f"takahashi/table-4/{name}/{m}/{key}")
            for key in ("estimate", "low", "high")
        }
    size = int(given(f"takahashi/table-4/{name}/n"))
    estimate = table_4[name, "micro_f1"]["estimate"]
    half = z * np.sqrt(estimate * (1 - estimate) / size)
    table_4[name, "micro_f1"] |= {"low": estimate - half, "high": estimate + half}
    record_all(
        f"table-4/{name}/micro_f1", {key: table_4[name, "micro_f1"][key] for key in ("low", "high")}
    )
    page.missing(f"takahashi/table-4/{name}/micro_f1/estimate", MISSING[name])
    for m in ("macro_f1", "macro_f1_star"):
        for key in ("estimate", "low", "high"):
            page.missing(f"takahashi/table-4/{name}/{m}/{key}", MISSING[name])

show.grid(
    {f"{name}/{m}": f"{text}, {NAMES[name]}" for m, text in MEASURES.items() for name in NAMES},
    {"estimate": "estimate", "low": "low", "high": "high"},
    lambda row, column: f"takahashi/table-4/{row}/{column}",
    corner="Table 4",
)

# %% [markdown]
# The three printed numbers of each micro interval can still be held against one another: there must be a number of right items
# that rounds to all three. There is, for every classifier.

# %% tags=["hide-input"]
rows = []
for name in MISSING:
    size = int(given(f"takahashi/table-4/{name}/n"))
    share = np.arange(size + 1) / size
    half = z * np.sqrt(share * (1 - share) / size)
    fits = np.ones(size + 1, dtype=bool)
    for key, value in {"estimate": share, "low": share - half, "high": share + half}.items():
        number = page.number(f"takahashi/table-4/{name}/micro_f1/{key}")
        fits &= np.abs(value - float(number.value)) <= float(number.half_unit)
    possible = np.flatnonzero(fits)
    assert len(possible) or confidence_level != 0.95
    limits = f"{possible[0]:,} to {possible[-1]:,}" if len(possible) else "none"
    rows.append([NAMES[name], f"{size:,}", limits])
show.table(["", "n", "right items"], rows, numeric=(1, 2))

# %% [markdown]
# The macro averages are another matter. Two matrices can agree in $n$ and in micro F1, and differ in both macro averages: take a
# thousand of the MNN's right answers for stage N1, and let them be right answers for stage N2.

# %% tags=["hide-input"]
other = mnn.copy()
other.loc["N1", "N1"] -= 1000
other.loc["N2", "N2"] += 1000
show.table(
    ["", "n", *MEASURES.values()],
    [
        [name, f"{matrix.to_numpy().sum():,}"]
        + [f"{f1ci.metrics.get(m).value(matrix.to_numpy()):.3f}" for m in MEASURES]
        for name, matrix in {"MNN": mnn, "a thousand moved": other}.items()
    ],
    numeric=(1, 2, 3, 4),
)

# %% [markdown]
# (takahashi-sleep-stages-own-matrices)=
# ### Matrices of your own
#
# Someone who has the missing matrices can put them into a CSV file, in the folder `notebooks/`, with one line for each cell,
# and run this notebook again; it then fills Table 4.
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
# The discussion of the paper names the drawback of all such averages: they hide how different the classes are, and
# reporting each class's F1 is an option. It gives no intervals for them. For a single class there are better ones than the delta
# method's: the class against the rest is a binary problem, and [the exact road](/book/lam.md) applies.

# %% mystnb={"image": {"alt": "Two panels of F1 scores by class with their intervals. Toy example: class 1 at 0.31 with an interval from about 0.1 to 0.6, class 2 at 0.93 and class 3 at 0.83, a vertical band for macro F1 at 0.69 that touches none of the points. Sleep stages: N1 far below the other four, which lie close together; all intervals are narrow."}, "figure": {"caption": "F1 of each class with its 95 % interval (Wilson indirect), and macro F1 with its own (green). Left: the toy example. Right: the sleep stages by the MNN.", "name": "fig-takahashi-classes"}}
by_class = {}
figure, panels = figures.subplots(1, 2, height=2.7)
for axes, (title, names, matrix) in zip(
    panels,
    [
        ("toy example", ["class 1", "class 2", "class 3"], toy),
        ("sleep stages, MNN", list(mnn.index), mnn.to_numpy()),
    ],
    strict=True,
):
    tp = np.diag(matrix)
    fp, fn = matrix.sum(axis=0) - tp, matrix.sum(axis=1) - tp
    exact = f1ci.f1_interval(tp, fp, fn, confidence_level=confidence_level)
    wald = f1ci.f1_interval(tp, fp, fn, method="wald", confidence_level=confidence_level)
    by_class[title] = names, exact, wald
    macro = intervals(matrix)["macro_f1"]
    axes.axvspan(macro.low, macro.high, color=figures.COLOURS["green"], alpha=0.25, linewidth=0)
    axes.axvline(macro.estimate, color=figures.COLOURS["green"], linewidth=1)
    places = np.arange(len(names))
    axes.errorbar(
        exact.estimate,
        places,
        xerr=[exact.estimate - exact.low, exact.high - exact.estimate],
        fmt="o",
        color=figures.COLOURS["blue"],
        capsize=3,
    )
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set(xlabel="F1", title=title, xlim=(0, 1))
    axes.text(macro.estimate, -0.62, "macro F1", ha="center", va="bottom", fontsize=8)
    axes.set_ylim(len(names) - 0.5, -0.65)
figures.save(figure, "takahashi-sleep-stages-classes")

# %% tags=["hide-input"]
names, exact, wald = by_class["toy example"]
say("sleep-class-1-wald-low", float(wald.low[0]))
say("sleep-class-1-low", float(exact.low[0]))
stages, exact, _ = by_class["sleep stages, MNN"]
say("sleep-worst-stage", stages[int(np.argmin(exact.estimate))])
say("sleep-worst-f1", float(exact.estimate.min()))
show.table(
    ["class", "F1", "Wilson indirect", "Wald (delta method)"],
    [
        [
            f"{title}: {name}",
            f"{e.estimate[k]:.3f}",
            f"{e.low[k]:.3f} to {e.high[k]:.3f}",
            f"{w.low[k]:.3f} to {w.high[k]:.3f}",
        ]
        for title, (names, e, w) in by_class.items()
        for k, name in enumerate(names)
    ],
    numeric=(1, 2, 3),
)

# %% [markdown]
# For the thousands of epochs of a sleep stage the two methods agree. For the first class of the toy example,
# with nine wrong items and two right ones, Wald's interval begins at {glue:text}`sleep-class-1-wald-low:.3f`, Wilson's at
# {glue:text}`sleep-class-1-low:.3f`; of the classes behind the MNN's macro F1 one, {glue:text}`sleep-worst-stage` at
# {glue:text}`sleep-worst-f1:.3f`, is far below the rest.
#
# ## Is the mixed neural network better?
#
# The paper notes that the intervals of the MNN overlap with no interval of the others, and takes that as further evidence
# that it is superior. How far does this go?

# %% mystnb={"image": {"alt": "Three groups of four intervals, one group for each average. In each the MNN is on the right, clearly apart from the other three, whose order changes from average to average."}, "figure": {"caption": "Table 4. Filled: recomputed, from the matrix of the MNN or from the printed n and estimate. Hollow: as printed, because the matrix is not published.", "name": "fig-takahashi-table-4"}}
LOOKS = {
    "mnn": ("o", "blue"),
    "svm": ("s", "vermilion"),
    "rf": ("^", "green"),
    "mlp": ("D", "purple"),
}
figure, axes = figures.subplots(height=3.2)
for row, m in enumerate(MEASURES):
    for k, name in enumerate(NAMES):
        ours = name in at_hand or m == "micro_f1"
        point, (marker, colour) = table_4[name, m], LOOKS[name]
        axes.errorbar(
            point["estimate"],
            row + (k - 1.5) * 0.17,
            xerr=[[point["estimate"] - point["low"]], [point["high"] - point["estimate"]]],
            fmt=marker,
            color=figures.COLOURS[colour],
            markerfacecolor=figures.COLOURS[colour] if ours else "white",
            capsize=3,
            label=NAMES[name] if row == 0 else None,
        )
axes.set_yticks(range(3), [text.replace("*", "$^*$") for text in MEASURES.values()])
axes.invert_yaxis()
axes.set(xlabel="score", xlim=(0.7, 0.88))
axes.grid(axis="y", visible=False)
axes.legend(loc="lower right", ncols=2)
figures.save(figure, "takahashi-sleep-stages-table-4")

# %% [markdown]
# **What is right about it.** Let two estimates have the standard errors $s_1$ and $s_2$. Whatever their
# correlation, the standard error of their difference is at most $s_1 + s_2$. So if two intervals do not overlap, the difference is more
# than $z (s_1 + s_2)$, and its own interval excludes zero. (The converse does not hold: intervals that overlap prove nothing.)
#
# **What is missing.** The standard errors take the epochs as independent. They are not: there are about
# {published}`takahashi/section-5/epochs` epochs, but they come from {published}`takahashi/section-5/subjects` people, and a classifier that fails on someone fails on many of
# that person's epochs. If the variance is really $d$ times as large, a difference that holds without
# clustering needs $d$ to stay below the square of its distance from zero, in units of $z (s_1 + s_2)$.

# %% tags=["hide-input"]
people = int(given("takahashi/section-5/subjects"))
per_person = mnn.to_numpy().sum() / people


def error(name, m):
    """A standard error, from the interval's length."""
    return (table_4[name, m]["high"] - table_4[name, m]["low"]) / (2 * z)


rows, effects = [], {}
for m, text in MEASURES.items():
    for name in MISSING:
        difference = table_4["mnn", m]["estimate"] - table_4[name, m]["estimate"]
        s1, s2 = error("mnn", m), error(name, m)
        effect = (difference / (z * (s1 + s2))) ** 2
        effects[name, m] = effect
        rows.append(
            [
                f"{text}, {NAMES[name]}",
                f"{difference:.3f}",
                f"{difference / np.hypot(s1, s2):.0f}",
                f"{difference / (s1 + s2):.0f}",
                f"{effect:.0f}",
                f"{(effect - 1) / (per_person - 1):.3f}",
            ]
        )
closest = min(effects, key=effects.get)
say("sleep-closest", f"{NAMES[closest[0]]}, {MEASURES[closest[1]]}")
say("sleep-effect", float(effects[closest]))
say("sleep-icc", float((effects[closest] - 1) / (per_person - 1)))
say("sleep-per-person", float(per_person))
show.table(
    [
        "MNN against",
        "difference",
        "in standard errors",
        "at least",
        "factor to touch",
        "correlation",
    ],
    rows,
    numeric=range(1, 6),
)

# %% [markdown]
# The differences are many standard errors wide: in the second column of numbers as for independent estimates, in the third in the
# worst case of two estimates that move in opposite directions. But there are about {glue:text}`sleep-per-person:.0f` epochs to a person, and with groups of that size a small
# correlation within a person goes a long way: the variance grows by about $1 + (m - 1) \rho$ with $m$ epochs
# and a correlation $\rho$ of their influences. For the closest comparison ({glue:text}`sleep-closest`) a factor of
# {glue:text}`sleep-effect:.0f` suffices to let the two intervals touch, which a correlation of
# {glue:text}`sleep-icc:.3f` brings about. Nobody can say from the published matrix how large it is.
#
# **What a proper comparison takes** is the predictions of both classifiers for the same epochs, and who
# slept them. (The four numbers of epochs differ, so that not even the epochs are all the same.) Then the
# difference has an interval of its own, which uses the correlation between the classifiers and within the people. Here with
# made-up labels for 62 people:

# %% tags=["show-input"]
rng = np.random.default_rng(62)
person = np.repeat(np.arange(62), 50)
truth = rng.choice(["W", "N1", "N2", "N3", "REM"], size=len(person))
skill = rng.beta(8, 2, size=62)[person]  # how well this person's sleep can be read


def classify(hit_rate):
    """Made-up predictions, right with a probability that varies."""
    guess = rng.choice(["W", "N1", "N2", "N3", "REM"], size=len(person))
    return np.where(rng.random(len(person)) < hit_rate, truth, guess)


first, second = classify(skill - 0.03), classify(skill)
single, paired = {}, {}
units = {"epochs independent": None, "people independent": person}
for text, groups in units.items():
    single[text] = f1ci.f1_score_interval(
        truth, second, average="macro", groups=groups, method="delta"
    )
    paired[text] = f1ci.difference_interval(
        truth, first, second, "macro_f1", groups=groups, method="delta"
    )

# %% tags=["hide-input"]
display(
    show.table(
        ["made-up data", "macro F1 of the second", "difference to the first"],
        [
            [text]
            + [
                f"{i.estimate:.3f} ({i.low:.3f} to {i.high:.3f})"
                for i in (single[text], paired[text])
            ]
            for text in units
        ],
        numeric=(1, 2),
    )
)
say(
    "sleep-made-up-ratio", single["people independent"].length / single["epochs independent"].length
)

# %% [markdown]
# With people as the units the interval of a single score is {glue:text}`sleep-made-up-ratio:.1f` times as long. That of the
# difference changes little in this example, because both classifiers find the same people difficult, and this cancels: the
# reason to compare on the same items, and to use the difference.
#
# ## What we learn
#
# - Every number of the paper that can be checked, checks: the whole toy example, the MNN's row of Table 4 and the
#   micro intervals of the others. {tally}`takahashi-sleep-stages|unpublished-input` {ref}`entries <takahashi-sleep-stages-table-4>` of Table 4 wait for three matrices: the
#   macro averages of three classifiers with their intervals, and the three micro estimates.
# - The closed forms are right in the appendices. In section 3.3 and in the R code they are not; use `f1ci.metric_interval`.
# - That the MNN is best does not follow from intervals for independent epochs alone, although intervals that
#   do not overlap are, as a rule, a stricter test than needed.
