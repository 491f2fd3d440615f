# %% [markdown]
# # A report in five minutes
#
# Everything below was run when this page was built. No Python at hand? The
# [calculator](/book/calculator.md) needs none. Your files are CSV? The
# [command line](/book/cli.md) reads them.
#
# ## Install
#
# ```
# pip install f1ci
# ```

# %% tags=["parameters"]
seed: int = 1  # who goes into the test sets, and into the folds

# %%
import itertools

import numpy as np
from compendium import figures, ledger
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

say = ledger.open("five-minutes").say
x, malignant = load_breast_cancer(return_X_y=True)
malignant = 1 - malignant  # the data set calls benign 1
x_train, x_test, y_train, y_true = train_test_split(
    x, malignant, test_size=0.5, stratify=malignant, random_state=seed
)
# Few features, so that there is something to be wrong about.
model_a = GaussianNB().fit(x_train[:, :4], y_train)
model_b = make_pipeline(StandardScaler(), LogisticRegression()).fit(x_train[:, :10], y_train)
y_pred_a, y_pred_b = model_a.predict(x_test[:, :4]), model_b.predict(x_test[:, :10])
say("five-items", len(y_true))
say("five-malignant", int(y_true.sum()))

# %% [markdown]
# ## One score
#
# From counts of true positives, false positives and false negatives:

# %% tags=["show-input"]
import f1ci

print(f1ci.f1_interval(tp=77, fp=44, fn=10))

# %% [markdown]
# `score` is the method: for F1 it is Wilson's interval, which the calculator calls Wilson indirect.
#
# From labels: here {glue:text}`five-items` tumours, {glue:text}`five-malignant` of them malignant,
# and what a small model says of them (the data come with scikit-learn). Lists, arrays and
# data frame columns do, and so do words as labels.

# %% tags=["show-input"]
interval = f1ci.f1_score_interval(y_true, y_pred_a)
print(interval)
low, high = interval  # or interval.estimate, interval.low, ...

# %% [markdown]
# The level is an argument of every function, `confidence_level=0.99`.
#
# The other scores of the same model have their intervals too: give a metric by name, or one
# with parameters.

# %% tags=["show-input"]
matrix = f1ci.confusion_matrix(y_true, y_pred_a)
for metric in ("precision", "recall", f1ci.metrics.fbeta(2), "accuracy", "mcc"):
    print(f1ci.metric_interval(matrix, metric))

# %% [markdown]
# ## Several classes: macro, micro, weighted
#
# A report, as scikit-learn's, with an interval for each number. Three kinds of wine:

# %%
features, wine = load_wine(return_X_y=True)
names = np.array(["barolo", "grignolino", "barbera"])
wine_train, wine_test, kind_train, kind = train_test_split(
    features[:, :3], names[wine], test_size=0.5, stratify=wine, random_state=seed
)
guess = GaussianNB().fit(wine_train, kind_train).predict(wine_test)

# %% tags=["show-input"]
report = f1ci.classification_report(kind, guess)
report

# %% [markdown]
# As a figure, `f1ci.plot.forest(report)`; other scores with `metric="recall"`.

# %% mystnb={"image": {"alt": "A forest of intervals: one line for each kind of wine, then one for each average of the F1 scores, with a dot at the estimate. The intervals of the averages are shorter than those of the classes."}, "figure": {"classes": "fits", "caption": "F1 of each class, and the averages, with their intervals.", "name": "fig-five-report"}}
figure, axes = figures.subplots(height=2.4)
figure.set_figwidth(4.8)  # as wide as a phone
f1ci.plot.forest(report, ax=axes)
figures.save(figure, "five-minutes-report")

# %% [markdown]
# One average alone. For imbalanced classes `macro` counts all classes alike, `weighted` counts each
# by its items, and `micro` is the accuracy.

# %% tags=["show-input"]
for average in ("macro", "weighted", "micro"):
    print(f1ci.f1_score_interval(kind, guess, average=average))

# %% [markdown]
# ## Compare two models
#
# A second model has labelled the same tumours. Do not look whether the two intervals overlap: the
# models saw the same items, so compare them item by item.

# %% tags=["show-input"]
test = f1ci.difference_test(y_true, y_pred_a, y_pred_b)
test

# %% tags=["remove-cell"]
say("five-difference", test.estimate)
say("five-difference-low", test.interval.low)
say("five-difference-high", test.interval.high)
say("five-p", f"{test.p_value:.2g}")
say("five-verdict", test.verdict("model A", "model B"))
say("five-a", f1ci.f1_interval(*f1ci.binary_counts(y_true, y_pred_a)[:3]).estimate)
score_b = f1ci.f1_score_interval(y_true, y_pred_b)
say("five-level", f"{100 * score_b.confidence_level:g} %")
say("five-b", score_b.estimate)
say("five-b-low", score_b.low)
say("five-b-high", score_b.high)

# %% [markdown]
# In words: {glue:text}`five-verdict`. "Not distinguished" would not mean "equal". To show that B is
# as good as A, or no worse, say first which difference does not matter:
# `f1ci.difference_test(y_true, y_pred_a, y_pred_b, margin=0.02)`. As a figure, `f1ci.plot.difference(test)`:

# %% mystnb={"image": {"alt": "The interval of B minus A as one line with a dot at the estimate, beside a vertical line at zero. Left of zero A is better, right of it B is better. The verdict in words stands below."}, "figure": {"classes": "fits", "caption": "The difference of the two models in F1, with its interval. Right of zero B is better.", "name": "fig-five-difference"}}
figure, axes = figures.subplots(height=1.7)
figure.set_figwidth(4.8)  # as wide as a phone
f1ci.plot.difference(test, ax=axes)
figures.save(figure, "five-minutes-difference")

# %% [markdown]
# ## Documents, images or patients as units
#
# Spans of one document are alike, and so are the pixels of an image. Then documents
# are what was drawn, not spans. Give the counts of each document, or the labels with `groups=`.

# %% tags=["show-input"]
counts = [  # tp, fp, fn of each document
    [8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3],
    [6, 0, 0], [1, 3, 4], [9, 1, 0], [3, 0, 2], [8, 2, 2], [5, 1, 1],
]  # fmt: skip
by_document = f1ci.clustered_interval(counts)
print(by_document)

# %% tags=["remove-cell"]
pooled = f1ci.f1_interval(*np.sum(counts, axis=0))
say("five-documents", len(counts))
say("five-by-document", by_document.length)
say("five-pooled", pooled.length)

# %% [markdown]
# Its length is {glue:text}`five-by-document:.3f`; taking all spans for independent would
# give {glue:text}`five-pooled:.3f`, which promises too much. Two models on the same documents:
# `f1ci.clustered_difference(counts_a, counts_b)`.
#
# ## Cross-validation
#
# The folds of a cross-validation share training data, so their standard deviation is no guide. Halve
# the data three times in a balanced way, and ask how probable it is that B is better:

# %% tags=["show-input"]
folds = {"A": [], "B": []}
for train, test_part in f1ci.bcv_partitions(len(x), stratify=malignant, rng=seed):
    for name, model, columns in (("A", model_a, slice(4)), ("B", model_b, slice(10))):
        model.fit(x[train, columns], malignant[train])
        predicted = model.predict(x[test_part, columns])
        tp, fp, fn, _ = f1ci.binary_counts(malignant[test_part], predicted)
        folds[name].append((tp, fp, fn))
folds_a, folds_b = (np.reshape(folds[name], (3, 2, 3)) for name in "AB")
f1ci.bayes_test(folds_a, folds_b)

# %% tags=["show-input"]
posteriors = {
    "A": f1ci.posterior(*f1ci.effective_counts(folds_a)),
    "B": f1ci.posterior(*f1ci.effective_counts(folds_b)),
}
low, high = posteriors["B"].interval()
print(f"F1 of B between {low:.3f} and {high:.3f}")

# %% [markdown]
# What is believed of both after the halvings, `f1ci.plot.posterior(posteriors)`:

# %% mystnb={"image": {"alt": "Two posterior densities of F1 with one peak each, of model A and of model B; under each curve its credible interval is shaded."}, "figure": {"classes": "fits", "caption": "Posterior densities of F1 from the cross-validation; the credible intervals are shaded.", "name": "fig-five-posterior"}}
figure, axes = figures.subplots(height=2.8)
figure.set_figwidth(4.8)  # as wide as a phone
f1ci.plot.posterior(posteriors, ax=axes)
figures.save(figure, "five-minutes-posterior")

# %% [markdown]
# ## How many items?
#
# For an interval of a given half width, whatever the classifier will be:

# %% tags=["show-input"]
f1ci.sample_size("f1", half_width=0.05, prevalence=0.25)

# %% [markdown]
# To find a difference between two models: it matters on which share of items, positive and
# negative, just one of them is right.

# %% tags=["show-input"]
f1ci.sample_size(
    "f1",
    difference=0.03,
    disagreement=(0.05, 0.05),
    score=0.8,
    prevalence=0.25,
)

# %% [markdown]
# ## What to write in the paper
#
# Say the level, the method, the number of items and what was taken as a unit. To paste:
#
# > On {glue:text}`five-items` test items, {glue:text}`five-malignant` of them positive, model B reached
# > F1 = {glue:text}`five-b:.3f` ({glue:text}`five-level` CI {glue:text}`five-b-low:.3f` to
# > {glue:text}`five-b-high:.3f`, Wilson's score interval on the F1 scale). The difference from
# > model A was {glue:text}`five-difference:.3f` ({glue:text}`five-level` CI
# > {glue:text}`five-difference-low:.3f` to {glue:text}`five-difference-high:.3f`; exact paired
# > randomisation test, p = {glue:text}`five-p`). Computed with f1ci.
#
# And for documents: "... of {glue:text}`five-documents` documents; the interval takes documents as
# independent, not the spans in them". [How to cite](/book/cite.md).
#
# (which-function-for-which-task)=
# ## Which function for which task?

# %% tags=["remove-cell"]
# A question, and by what one has the calls that answer it.
CHART = (
    (
        "How good is\none model?",
        "blue",
        (
            ("two classes", ("f1_interval", "f1_score_interval")),
            ("several classes", ('f1_score_interval(average="macro")', "classification_report")),
            ("several labels for an item", ("f1_score_interval(indicators, ...)",)),
            ("documents, images, patients", ("groups=", "clustered_interval")),
            ("many scores at once", ("joint_intervals",)),
        ),
    ),
    (
        "Is B better\nthan A?",
        "vermilion",
        (
            ("one test set", ("difference_test",)),
            ("as good as A, or no worse", ("difference_test(margin=)",)),
            ("documents, images, patients", ("groups=", "clustered_difference")),
            ("cross-validation", ("bcv_partitions", "bayes_test")),
        ),
    ),
    (
        "How many\nitems?",
        "green",
        (
            ("for an interval this narrow", ("sample_size(half_width=)",)),
            ("for a difference this small", ("sample_size(difference=)",)),
        ),
    ),
)

# %% mystnb={"image": {"alt": "A chart in three columns that reads from left to right: what you want to know, what you have, which function answers. The list below it says the same in words."}, "figure": {"caption": "From what you want to know, by what you have, to the function that answers.", "name": "fig-five-chart"}}
rows = sum(len(answers) for _, _, answers in CHART)
figure, axes = figures.subplots(height=0.44 * rows + 0.3)
axes.set(xlim=(0, 100), ylim=(rows - 0.4, -1.1))
axes.axis("off")
for x_head, title in ((1, "you want to know"), (25, "you have"), (60, "use")):
    axes.text(x_head, -0.85, title, fontweight="bold", va="center")
row = itertools.count()
for question, colour, answers in CHART:
    places = [next(row) for _ in answers]
    middle = sum(places) / len(places)
    ink = figures.COLOURS[colour]
    box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": ink, "linewidth": 1.6}
    axes.text(9, middle, question, ha="center", va="center", fontweight="bold", bbox=box)
    for place, (given, calls) in zip(places, answers, strict=True):
        axes.plot([18.5, 21.5, 24], [middle, place, place], color=ink, linewidth=1.2)
        axes.text(25, place, given, va="center")
        axes.annotate(
            "",
            (59.3, place),
            (55, place),
            arrowprops={"arrowstyle": "-|>", "color": ink, "linewidth": 1.2},
        )
        call = ", ".join(calls) if len("".join(calls)) < 38 else ",\n".join(calls)
        axes.text(60, place, call, va="center", family="DejaVu Sans Mono", fontsize=8)
    if places[-1] + 1 < rows:
        axes.axhline(places[-1] + 0.5, color="#dddddd", linewidth=0.8)
figures.save(figure, "five-minutes-chart")

# %% tags=["remove-input"]
from IPython.display import Markdown

Markdown(
    "\n".join(
        line
        for question, _, answers in CHART
        for line in (
            f"- **{' '.join(question.split())}**",
            *(f"  - {given}: " + ", ".join(f"`{x}`" for x in calls) for given, calls in answers),
        )
    )
)

# %% [markdown]
# Whatever the task, the default method is the one to quote; [why](/notebooks/choosing-a-method.ipynb).
# More: [recipes](/book/recipes.md) for other tools' formats,
# [questions people ask](/notebooks/questions.ipynb), and the [reference](/book/api.md).
