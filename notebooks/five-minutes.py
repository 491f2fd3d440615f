# %% [markdown]
# # A report in five minutes
#
# Every line below runs as it stands, from top to bottom. The page shows what it prints. The
# [calculator](/book/calculator.md) needs no Python. The [command line](/book/cli.md) reads CSV files.
#
# In a clone of the repository:
#
# ```
# pip install . scikit-learn matplotlib
# ```
#
# `f1ci` itself needs only NumPy and SciPy. scikit-learn gives the example data, and matplotlib draws the figures.

# %% tags=["parameters", "show-input"]
seed: int = 1  # who goes into the test sets, and into the folds

# %% tags=["remove-cell"]
# The text of the page quotes numbers by name. Your own notebook does not need this.
try:
    from compendium import ledger

    say = ledger.open("five-minutes").say
except ImportError:

    def say(key, value):
        """Do nothing outside the book."""


# %% [markdown]
# ## One score
#
# From counts of true positives, false positives and false negatives:

# %% tags=["show-input"]
import f1ci

print(f1ci.f1_interval(tp=77, fp=44, fn=10))

# %% [markdown]
# The number in front is the estimate, and the *interval* stands behind it. The *true score* is the score on an endless
# test set. Such intervals hold the true score in about 95 of 100 test sets: 95 % is their *level*.
# The method, which stands last, is the **Wilson score** interval.
#
# From labels: half of the tumours in scikit-learn's data train two small models, and the other half tests them.

# %% tags=["show-input"]
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

x, benign = load_breast_cancer(return_X_y=True)
malignant = 1 - benign
x_train, x_test, y_train, y_true = train_test_split(
    x, malignant, test_size=0.5, stratify=malignant, random_state=seed
)
# With few features the models make some mistakes.
model_a = GaussianNB().fit(x_train[:, :4], y_train)
model_b = make_pipeline(StandardScaler(), LogisticRegression()).fit(x_train[:, :10], y_train)
y_pred_a, y_pred_b = model_a.predict(x_test[:, :4]), model_b.predict(x_test[:, :10])
print(len(y_true), "tumours,", y_true.sum(), "of them malignant")

# %% tags=["show-input"]
interval = f1ci.f1_score_interval(y_true, y_pred_a)
print(interval)
low, high = interval  # or interval.estimate, interval.low, ...

# %% [markdown]
# Labels may be lists, arrays or columns of a data frame, and they may be words.
# The level is an argument of every function: `confidence_level=0.99`.
#
# Other scores of the same model have intervals too. Give a metric by name, or as an object with parameters
# (`mcc` is the Matthews correlation coefficient).

# %% tags=["show-input"]
matrix = f1ci.confusion_matrix(y_true, y_pred_a)
for metric in ("precision", "recall", f1ci.metrics.fbeta(2), "accuracy", "mcc"):
    print(f1ci.Matrix(matrix).interval(metric))

# %% [markdown]
# ## Several classes: macro, micro, weighted
#
# This is a report like scikit-learn's, with an interval for each number. The classes are three kinds of wine:

# %% tags=["show-input"]
import numpy as np
from sklearn.datasets import load_wine

features, wine = load_wine(return_X_y=True)
names = np.array(["barolo", "grignolino", "barbera"])[wine]
wine_train, wine_test, kind_train, kind = train_test_split(
    features[:, :3], names, test_size=0.5, stratify=wine, random_state=seed
)
guess = GaussianNB().fit(wine_train, kind_train).predict(wine_test)
report = f1ci.classification_report(kind, guess)
report

# %% [markdown]
# The F1 scores as a figure (for the recalls, take `report.by_class["recall"]`):

# %% tags=["show-input"] mystnb={"image": {"alt": "A forest of intervals: one line for each kind of wine, with a dot at the estimate."}, "figure": {"caption": "F1 of each class with its interval.", "name": "fig-five-report"}}
axes = f1ci.plot.forest(report.by_class["f1"])

# %% [markdown]
# To get one average alone, name it. `macro` counts all classes alike, `weighted` counts each class
# by its items, and `micro` is the accuracy.

# %% tags=["show-input"]
for average in ("macro", "weighted", "micro"):
    print(f1ci.f1_score_interval(kind, guess, average=average))

# %% [markdown]
# ## Compare two models
#
# Both models labelled the same tumours. Do not ask whether their two intervals overlap. Compare the models
# item by item:

# %% tags=["show-input"]
test = f1ci.Labels(y_true, {"model A": y_pred_a, "model B": y_pred_b}).difference()
test

# %% tags=["remove-cell"]
say("five-difference", test.estimate)
say("five-difference-low", test.interval.low)
say("five-difference-high", test.interval.high)
say("five-p", f"{test.p_value:.2g}")
say("five-verdict", test.verdict())
score_b = f1ci.f1_score_interval(y_true, y_pred_b)
say("five-level", f"{100 * score_b.confidence_level:g} %")
say("five-b", score_b.estimate)
say("five-b-low", score_b.low)
say("five-b-high", score_b.high)
say("five-items", len(y_true))
say("five-malignant", int(y_true.sum()))

# %% [markdown]
# In words: {glue:text}`five-verdict`. The *p-value* is the probability of a difference at least as large as this one, if
# the models were alike. A large p-value would not mean that the models are equal. To show that B is
# equal to A, or not worse, first say which difference does not matter:
# `test.difference(margin=0.02)`.

# %% tags=["show-input"] mystnb={"image": {"alt": "The interval of B minus A as one line with a dot at the estimate, beside a vertical line at zero. Right of zero B is better. The verdict in words stands below."}, "figure": {"caption": "The difference of the two models in F1, with its interval. Right of zero B is better.", "name": "fig-five-difference"}}
axes = f1ci.plot.difference(test)

# %% [markdown]
# ## Documents, images or patients as units
#
# A *span* is a piece of text that a model marks, such as a name. Spans of one document are alike, and so are the pixels
# of one image. Then the document or the image is the *unit*: what was drawn at random. Give the counts of each unit, or the labels with `groups=`.

# %% tags=["show-input"]
# The counts of twelve documents.
tp = [8, 5, 9, 2, 7, 4, 6, 1, 9, 3, 8, 5]
fp = [1, 0, 4, 2, 0, 1, 0, 3, 1, 0, 2, 1]
fn = [2, 0, 3, 1, 1, 3, 0, 4, 0, 2, 2, 1]
counts = np.column_stack([tp, fp, fn])
by_document = f1ci.Units(counts).interval()
print(by_document)

# %% tags=["remove-cell"]
pooled = f1ci.f1_interval(*np.sum(counts, axis=0))
say("five-documents", len(counts))
say("five-by-document", by_document.length)
say("five-pooled", pooled.length)

# %% [markdown]
# The interval has the length {glue:text}`five-by-document:.3f`. An interval for independent spans would have the length
# {glue:text}`five-pooled:.3f`. That is too short here. For two models on the same documents, use
# `f1ci.Units({"A": counts_a, "B": counts_b}).difference()`.
#
# ## Cross-validation
#
# The folds of a cross-validation share training data, so the standard deviation of their scores misleads.
# `bcv_partitions` halves the data three times. Two halves of different partitions share half of their items. From the six
# results `bayes_test` computes how probable it is that B is better:

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

# %% [markdown]
# The *posterior* says how probable each value of F1 is, given the six test halves:

# %% tags=["show-input"]
posterior = f1ci.posterior(*f1ci.effective_counts(folds_b))
low, high = posterior.interval()
print(f"F1 of B between {low:.3f} and {high:.3f}")

# %% [markdown]
# ## How many items?
#
# The *half width* is half the length of the interval. With this number of items it is at most 0.05, whichever classifier
# you will test. (The last line says the same: 1.96 standard errors of 0.02551 are 0.05.)

# %% tags=["show-input"]
f1ci.sample_size("f1", half_width=0.05, prevalence=0.25)

# %% [markdown]
# To find a difference between two models, the plan needs their *disagreement*, in two numbers. The first is the share of
# all items that are positive and that only one model gets right. The second is the same share for negative items.

# %% tags=["show-input"]
f1ci.comparison_sample_size(
    "f1",
    difference=0.03,
    disagreement=(0.05, 0.05),
    score=0.8,
    prevalence=0.25,
)

# %% [markdown]
# ## What to write in the paper
#
# Give the level, the method, the number of items, and the unit. A text to paste:
#
# > On {glue:text}`five-items` test items, {glue:text}`five-malignant` of them positive, model B reached
# > F1 = {glue:text}`five-b:.3f` ({glue:text}`five-level` CI {glue:text}`five-b-low:.3f` to
# > {glue:text}`five-b-high:.3f`, Wilson score method). The difference from
# > model A was {glue:text}`five-difference:.3f` ({glue:text}`five-level` CI
# > {glue:text}`five-difference-low:.3f` to {glue:text}`five-difference-high:.3f`, from the score
# > intervals of both; p = {glue:text}`five-p`). Computed with f1ci.
#
# For documents, add: "... in {glue:text}`five-documents` documents; the interval treats documents as
# independent, not the spans in them". [How to cite](/book/cite.md) has the references.
#
# A chart on the [front page](/book/index.md) shows which function answers which question.
# [Recipes](/book/recipes.md) are for other tools' formats. Next: [questions people ask](/notebooks/questions.ipynb)
# and the [reference](/book/api.md).
