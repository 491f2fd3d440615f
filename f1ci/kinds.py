"""The kinds of data that people bring. Each reads and checks them once; then ask it anything.

==========  ====================================================================================
`Counts`    TP, FP and FN of a binary classifier, perhaps TN: as a paper prints them
`Matrix`    a confusion matrix
`Labels`    true and predicted labels of each item, of one or several models
`Units`     TP, FP and FN of each unit: documents, images, users
`Scores`    one score for each unit: Dice of each image
`Runs`      the labels that several runs (seeds) of one recipe predict
==========  ====================================================================================

The questions are the methods of all kinds: ``interval``, ``difference``, ``compare``, ``joint``,
``report``, ``plan`` (see `f1ci.questions`). Models have names: pass a mapping of names to data, or
the data of one model alone.

>>> import f1ci
>>> y_true = [1] * 50 + [0] * 50
>>> test = f1ci.Labels(y_true, {"a": [1] * 30 + [0] * 70, "b": [1] * 40 + [0] * 60})
>>> print(test.interval("f1", "a"))
f1 = 0.750 (95 % CI 0.632 to 0.840, Wilson score)
>>> print(test.difference("f1").verdict())
b is better than a

The same question has the same answer, the same warnings and the same refusals for every kind.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from f1ci import metrics, reading
from f1ci.covariance import influence_of_rows
from f1ci.data import checks
from f1ci.data.items import Items, count_items, group_codes, matrix_items
from f1ci.data.labels import are_indicators, at, encode, number_of
from f1ci.data.matrix import CellCounts
from f1ci.data.units import UnitCounts, indicator_units, unit_counts
from f1ci.joint import Row, covariances_of_items
from f1ci.judged import post_stratified
from f1ci.methods import units
from f1ci.metrics import Metric, Tversky
from f1ci.metrics.base import UNIT
from f1ci.metrics.shares import KnownShares, shares_by_row
from f1ci.questions import Data
from f1ci.report import Reported, names_of
from f1ci.runs import RunsSample, recipe, runs_of_one, runs_of_two
from f1ci.samples import (
    CountSample,
    Difference,
    Sample,
    UnitDifference,
    UnitSample,
    difference,
    mean_of_scores,
    sample,
    unpaired,
)
from f1ci.types import Array, Classes, LabelsLike


class _SameItems(Data):
    """Models that were tested on the same items, or units: their estimates are correlated."""

    _data: Items | UnitCounts
    _known = False

    def _read(self, metric: Metric, average: str | None) -> tuple[Metric, Items | UnitCounts]:
        """Return the metric with its rules, and the data as it sees them."""
        raise NotImplementedError

    def _one(self, metric: Metric, model: int, average: str | None) -> Sample:
        ruled, data = self._read(metric, average)
        data = data.of_models(model)
        if average is None and isinstance(data, Items):
            of_model = reading.each_class(ruled, data)
        else:
            of_model = sample(ruled, data)
            of_model.each = average is None and np.ndim(of_model.estimate) > 0
        of_model.tell(data.classes, self.constant)
        return of_model

    def _two(self, metric: Metric, a: int, b: int, average: str | None) -> Difference:
        ruled, data = self._read(metric, average)
        checks.at_least_two("items", data.number)
        pair = difference(ruled, data.of_models(a, b))
        pair.tell(data.classes, self.constant)
        return pair

    def _covariances(
        self, _rows: Sequence[Row], samples: Sequence[Sample], _average: str | None
    ) -> tuple[Array, Array | None]:
        of_units = [one.moves for one in samples if isinstance(one, UnitSample)]
        moves = np.array([units.delta_moves(one) for one in of_units])
        return moves @ moves.T, None

    def _influences(
        self, metric: Metric, models: Sequence[int], average: str, weight: Array | None
    ) -> tuple[Array, Array]:
        ruled, data = self._read(metric, average)
        weighted = data if weight is None else data.weighted(weight)
        moves = recipe(ruled, weighted, list(models)).moves
        if isinstance(data, Items) and data.groups is None:
            return moves * data.number, data.counts
        # A unit moves a score by its weight. The next test set has units without items, too.
        units = moves.shape[1]
        return moves * units / (1.0 if weight is None else weight), np.ones(units)

    def _reported(self, model: int, names: Classes | None) -> Reported:
        return self._report_of(model, self._data.of_models(model), names, self._known)


class _Separate(Data):
    """Models that were tested on different items, so that their estimates are independent."""

    def _two(self, metric: Metric, a: int, b: int, average: str | None) -> Difference:
        pair = unpaired(self._one(metric, a, average), self._one(metric, b, average))
        if np.ndim(pair.estimate):
            rule = "a difference is of two models, not of batches"
            raise ValueError(f"{rule}, got estimates of shape {np.shape(pair.estimate)}")
        return pair

    def _items_of(self, model: int) -> Items:
        """Return the items of one model."""
        raise NotImplementedError

    def _refuse(self, question: str) -> None:
        if question == "plan of a difference":
            rule = "a plan for a difference needs both models on the same items: Labels or Units"
            raise ValueError(f"{rule}, got test sets of their own")

    def _influences(
        self, metric: Metric, models: Sequence[int], average: str, weight: Array | None
    ) -> tuple[Array, Array]:
        (model,) = models
        items = self._items_of(model)
        weighted = items if weight is None else items.weighted(weight)
        influence = influence_of_rows(self._ruled(metric, model, average), weighted, 0)
        return influence[None], items.counts

    def _covariances(
        self, rows: Sequence[Row], _samples: Sequence[Sample], average: str | None
    ) -> tuple[Array, Array | None]:
        """Return the covariances of scores; those of different models are 0."""
        observed = np.zeros((len(rows), len(rows)))
        smoothed = np.zeros((len(rows), len(rows)))
        for model in range(len(self.models)):
            places = [k for k, (of, _) in enumerate(rows) if of == model]
            own = [(0, self._ruled(rows[k][1], model, average)) for k in places]
            block = np.ix_(places, places)
            observed[block], more = covariances_of_items(self._items_of(model), own)
            # The multiple of the covariance is n squared, and models have test sets of their own.
            smoothed[block] = more / float(self._items_of(model).counts.sum()) ** 2
        return observed, smoothed

    def _ruled(self, metric: Metric, model: int, average: str | None) -> Metric:
        """Return the metric with its rules."""
        raise NotImplementedError


class Matrix(_Separate):
    """Confusion matrices: rows are true classes, columns are predicted classes.

    Parameters
    ----------
    matrix : array_like of int, shape (..., r, r), or mapping of str to array_like
        Counts, as scikit-learn has them (Takahashi et al. print the transpose). In a 2 x 2 matrix
        index 1 is the positive class: ``[[tn, fp], [fn, tp]]``. A batch of matrices has one
        interval for each. Matrices of several models are taken to be of *different* items; for
        the same items bring `Labels`, whose intervals for differences are shorter.
    labels : sequence, optional
        What the classes are called, in the order of the rows; 0, 1, ... by default.
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts in an average. By default it is left out, and a warning says
        so. Each row is a class that exists, so limits are as wide as not knowing it makes them.
    class_shares : sequence, mapping or pandas Series, optional
        The known share of each true class where the score is wanted, by row; see `Labels`.
    fixed : {"rows"}, optional
        "rows" if the number of items of each true class was chosen beforehand. By default all
        counts are random. For score limits; the standard error stays that of random counts.

    See Also
    --------
    Counts : TP, FP and FN of a binary classifier.
    f1ci.confusion_matrix : Makes a matrix of labels.

    Examples
    --------
    The example of Takahashi et al. (2022), Table 1, with true classes in rows:

    >>> import f1ci
    >>> test = f1ci.Matrix([[2, 5, 0], [2, 70, 2], [2, 2, 15]])
    >>> interval = test.interval("macro_f1", method="delta")
    >>> print(f"{interval.estimate:.3f} ({interval.low:.3f}, {interval.high:.3f})")
    0.689 (0.562, 0.817)

    For a perfect score the delta method has length zero, and the default does not:

    >>> low, high = f1ci.Matrix([[10, 0, 0], [0, 10, 0], [0, 0, 10]]).interval("macro_f1")
    >>> print(f"({low:.2f}, {high:.2f})")
    (0.89, 1.00)
    """

    def __init__(
        self,
        matrix: ArrayLike | Mapping[str, ArrayLike],
        *,
        labels: Classes | None = None,
        zero_division: float = np.nan,
        class_shares: ArrayLike | Mapping[int, float] | None = None,
        fixed: str | None = None,
    ) -> None:
        self.models, named = _by_model("matrix", matrix)
        self.constant = reading.zero_division_of(zero_division)
        self._tables = [checks.confusion_matrices(value) for value in named.values()]
        first = self._tables[0].shape[-1]
        for table in self._tables:
            checks.shaped("matrix", table, table.shape[-1] == first, f"(..., {first}, {first})")
        self.classes = names_of(list(range(first)), labels)
        if fixed is not None:
            checks.choice("fixed", fixed, ("rows",))
        self.fixed = fixed is not None
        self._shares: list[Array] | None = None
        if class_shares is not None:
            known = checks.as_mapping(class_shares)
            self._shares = [shares_by_row(known, CellCounts.of(x).true) for x in self._tables]

    def _one(self, metric: Metric, model: int, average: str | None) -> Sample:
        table = self._tables[model]
        ruled = self._ruled(metric, model, average)
        if average is None:
            of_model = reading.each_class(ruled, self._items_of(model))
        else:
            of_model = sample(ruled, CellCounts.of(table), fixed=self.fixed)
        of_model.tell(self.classes, self.constant)
        return of_model

    def _ruled(self, metric: Metric, model: int, average: str | None) -> Metric:
        ruled = reading.with_average(metric, average).counting(self.constant)
        reading.refuse_samples(ruled)
        if average is not None:
            checks.takes(ruled, self._tables[model])
        return ruled if self._shares is None else KnownShares(ruled, self._shares[model])

    def _items_of(self, model: int) -> Items:
        table = self._one_matrix(model)
        items = matrix_items(table)._replace(classes=self.classes)
        if self._shares is None:
            return items
        return items._replace(strata=items.codes[0], strata_of_truth=True)

    def _one_matrix(self, model: int) -> Array:
        """Return the matrix of a model, if it is one with items and not a batch."""
        table = self._tables[model]
        checks.shaped("matrix", table, table.ndim == 2, "(r, r)")
        if not table.any():
            raise ValueError("matrix must hold at least one item, got zeros only")
        return table

    def _reported(self, model: int, names: Classes | None) -> Reported:
        return self._report_of(model, self._items_of(model), names, self._shares is not None)


class Counts(_Separate):
    """True positives, false positives and false negatives, as a paper prints them.

    Parameters
    ----------
    tp : int, array_like of int, or mapping of str to (tp, fp, fn) or (tp, fp, fn, tn)
        True positives, up to 2**50; or the counts of several models, which are taken to be of
        *different* items.
    fp, fn : int or array_like of int
        False positives and false negatives. Arrays broadcast against each other.
    tn : int or array_like of int, optional
        True negatives, for metrics that need them, such as accuracy, and for joint intervals.

    See Also
    --------
    f1ci.f1_interval : The interval of F1 in one call.
    Units : The counts of each document.

    Examples
    --------
    BERT's counts on the suggestion-mining test set (Lam et al. 2024), and those of a model on a
    test set of its own:

    >>> import f1ci
    >>> print(f1ci.Counts(77, 44, 10).interval("recall"))
    recall = 0.885 (95 % CI 0.801 to 0.936, Wilson score)
    >>> print(f1ci.Counts({"BERT": (77, 44, 10), "other": (180, 60, 40)}).difference())
                p (score)
    difference       0.28
    f1 (other - BERT) = 0.042 (95 % CI -0.033 to 0.124, Wilson score)
    BERT and other are not distinguished
    """

    def __init__(
        self,
        tp: ArrayLike | Mapping[str, Sequence[int]],
        fp: ArrayLike | None = None,
        fn: ArrayLike | None = None,
        tn: ArrayLike | None = None,
    ) -> None:
        if isinstance(tp, Mapping):
            named = {str(name): _counts_of(name, of_model) for name, of_model in tp.items()}
            checks.distinct("names of models", [str(name) for name in tp])
        else:
            named = {"model": _checked_counts(tp, fp, fn, tn)}
        self.models = tuple(named)
        self._counts = list(named.values())

    def _one(self, metric: Metric, model: int, average: str | None) -> Sample:
        ruled = self._ruled(metric, model, average)
        tp, fp, fn, *tn = self._counts[model]
        if not tn:
            return CountSample(ruled, tp, fp, fn)
        table = np.stack(np.broadcast_arrays(*tn, fp, fn, tp), axis=-1)
        return sample(ruled, CellCounts.of(table.reshape(*table.shape[:-1], 2, 2)))

    def _ruled(self, metric: Metric, model: int, average: str | None) -> Metric:
        if average != "binary" or not (metric.binary or metric == metrics.accuracy):
            rule = "TP, FP and FN have scores of one class; Matrix([[tn, fp], [fn, tp]]) has others"
            raise ValueError(f"{rule}, got {metric.name!r} and average={average!r}")
        if len(self._counts[model]) == 3 and not isinstance(metric, Tversky):
            rule = f"{metric.name} needs the true negatives: Counts(tp, fp, fn, tn)"
            raise ValueError(f"{rule}, got TP, FP and FN")
        return metric

    def _items_of(self, model: int) -> Items:
        tp, fp, fn, *tn = self._counts[model]
        if not tn:
            rule = "joint intervals and plans need the true negatives: Counts(tp, fp, fn, tn)"
            raise ValueError(f"{rule}, got TP, FP and FN")
        table = np.array([[*tn, fp], [fn, tp]])
        checks.shaped("tp", np.asarray(tp), table.ndim == 2, "() for this question")
        return matrix_items(table)

    def _refuse(self, question: str) -> None:
        super()._refuse(question)
        if question == "report":
            rule = "a report has a row for each class: Matrix([[tn, fp], [fn, tp]]).report()"
            raise ValueError(f"{rule}, got the counts of one class")


class Labels(_SameItems):
    """True and predicted labels of each item, of one or several models on the same items.

    Parameters
    ----------
    y_true : sequence, or array_like of 0 and 1, shape (items, classes)
        True labels, of any hashable kind; or indicators, where an item may be of several classes
        (multilabel). Then each item is a unit of `Units`. Rows of indicators are lists or arrays;
        a tuple is a label.
    predictions : sequence, array_like, or mapping of str to these
        The labels that a model predicts; or those of several models, by their names. A data frame
        with a column for each model will do.
    pos_label : hashable, default 1
        The positive class of metrics for two classes.
    labels : sequence, optional
        The classes of averages, in their order; by default those that occur. If these are only
        some of the classes, averages are over these, and the others count where they are errors,
        as in scikit-learn. Of indicators the names or numbers of some columns, or new names of all.
        A class that is named exists, also without items: limits are as wide as not knowing its
        score makes them.
    groups : sequence, optional
        The unit that each item belongs to (a patient, a document): items of one unit may depend on
        one another. "score", "logit" and "delta" take that into account; see `Units`.
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts, of a class that is never true and never predicted or of
        an item without classes. By default an average leaves it out, and a warning says so. With
        0 or 1 it counts so in the estimate; the limits are as wide as not knowing it makes them.
    class_shares : mapping or pandas Series, optional
        The share of each true class where the score is wanted, such as ``{1: 0.02, 0: 0.98}``, if
        it is known and another one than in the test set: another prevalence. The shares sum to 1.
        For the areas of a map see `strata`.
    strata : sequence, optional
        The stratum of each item, if a fixed number of items was drawn from each stratum: a class of
        a map, a region, a bin of the model's scores. Needs `stratum_shares`. With `groups`, units
        were drawn from the strata, each from one, and limits are those of "logit" or "delta".
    stratum_shares : mapping or pandas Series, optional
        The share of each stratum where the score is wanted, such as its part of a map's area. The
        shares sum to 1. If the strata are the true classes, pass `class_shares`: where no item is
        wrong, strata may as well be the predicted classes, and the limits allow for both.
    stratum_counts : mapping or pandas Series, optional
        Instead of shares: how many items of each stratum a random pool has. The interval is then
        for a share that the pool estimates.
    judge : sequence, optional
        What a judge says of each item, for example a language model. Then `y_true` has the labels
        of the items that people checked, and None elsewhere; these must be a random part of the
        items with the same predictions and the same judge's label. See `f1ci.judged`.
    by : sequence, optional
        The group of each item, such as a hospital or a language: then ``compare`` compares the
        scores of one model in the groups, whose names take the place of models' names.

    See Also
    --------
    f1ci.label_plan : Which items people should check.
    f1ci.score_interval, f1ci.classification_report, f1ci.compare_models : One question in one call.
    Runs : The labels of several runs of one recipe.

    Examples
    --------
    >>> import f1ci
    >>> y_true = [1] * 60 + [0] * 60
    >>> a = [1] * 35 + [0] * 85
    >>> b = [1] * 50 + [0] * 70
    >>> test = f1ci.Labels(y_true, {"a": a, "b": b})
    >>> print(test.difference("f1", margin=0.05))
                  p (score)
    difference     < 0.0001
    not inferior   < 0.0001
    equivalent            1
    f1 (b - a) = 0.172 (95 % CI 0.093 to 0.266, Wilson score)
    only a is right on 0 items, only b on 15
    b is better than a
    >>> joint = test.joint(["precision", "recall"])
    >>> print(f"q = {joint.critical_value:.2f}")
    q = 2.47

    Half of a test set is positive. Recall is 0.9, and 0.1 of the negatives are called positive. In
    use one item in a hundred is positive. Precision is then 0.009 / (0.009 + 0.099):

    >>> y_true = [1] * 100 + [0] * 100
    >>> y_pred = [1] * 90 + [0] * 10 + [1] * 10 + [0] * 90
    >>> test = f1ci.Labels(y_true, y_pred, class_shares={1: 0.01, 0: 0.99})
    >>> print(f"{test.interval('precision').estimate:.4f}, {0.009 / (0.009 + 0.099):.4f}")
    0.0833, 0.0833

    Ten items were drawn from each of four strata, whose shares are 0.4, 0.3, 0.2 and 0.1. The
    example and the precision of class B, 0.574, are those of Stehman (2014, *International Journal
    of Remote Sensing* 35, 4923-4939):

    >>> strata = ["1"] * 10 + ["2"] * 10 + ["3"] * 10 + ["4"] * 10
    >>> y_true = list("AAAAACBABCABBBBBAABBCCCCCDDBBADDDDDDDCCB")
    >>> y_pred = list("AAAAAAABBBABBBBBBBBBBBCCCCCCBBDDDDDDDDDD")
    >>> shares = {"1": 0.4, "2": 0.3, "3": 0.2, "4": 0.1}
    >>> test = f1ci.Labels(y_true, y_pred, strata=strata, stratum_shares=shares)
    >>> each = test.interval("precision", average=None)
    >>> print(each.classes[1], [f"{x[1]:.3f}" for x in (each.estimate, each.low, each.high)])
    B ['0.574', '0.335', '0.776']
    """

    def __init__(
        self,
        y_true: LabelsLike,
        predictions: LabelsLike | Mapping[str, LabelsLike],
        *,
        pos_label: Hashable = 1,
        labels: Classes | None = None,
        groups: LabelsLike | None = None,
        zero_division: float = np.nan,
        class_shares: Mapping[Any, float] | None = None,
        strata: LabelsLike | None = None,
        stratum_shares: Mapping[Any, float] | None = None,
        stratum_counts: Mapping[Any, int] | None = None,
        judge: LabelsLike | None = None,
        by: LabelsLike | None = None,
    ) -> None:
        self.models, named = self._named(y_true, predictions)
        self.constant = reading.zero_division_of(zero_division)
        self._pos_label = checks.hashable("pos_label", pos_label)
        self._labels = labels
        self._parts: list[Labels] = []
        self._strata = reading.Strata()
        population = reading.Population(class_shares, strata, stratum_shares, stratum_counts)
        if by is not None:
            reading.refuse_population(population, "is not known by group")
            options = {"pos_label": pos_label, "labels": labels, "zero_division": zero_division}
            self._divide(by, named, {"groups": groups, "judge": judge}, options)
            return
        if judge is not None:
            reading.refuse_population(population, "is not for a judge's labels, which make strata")
            named, strata, stratum_counts = post_stratified(named, judge)
            population = reading.Population(None, strata, None, stratum_counts)
        if are_indicators(named["y_true"]):
            rule = "goes with one label for each item, not with indicators"
            reading.refuse_population(population, rule)
            self._data = indicator_units(named, labels, groups)
        else:
            self._data = self._items(named, population, groups)

    def _items(
        self,
        named: Mapping[str, LabelsLike],
        population: reading.Population,
        groups: LabelsLike | None,
    ) -> Items:
        """Return the items, and remember what is known of their strata."""
        self._strata = reading.strata_of(named["y_true"], population, groups)
        self._known = self._strata.shares is not None
        codes, classes = encode(named, wanted=self._labels, others=True)
        of_groups = group_codes(groups, codes.shape[1])
        own_strata = None if self._strata.of_truth else self._strata.codes
        if of_groups is not None and own_strata is not None:
            reading.refuse_crossing(of_groups, own_strata)
        items = count_items(codes, classes, of_groups, strata=self._strata.codes)
        if self._labels is not None:
            items = items._replace(asked=len(self._labels), named=True)
        return self._strata.marked(items)

    def _divide(
        self,
        by: LabelsLike,
        named: Mapping[str, LabelsLike],
        more: Mapping[str, LabelsLike | None],
        options: Mapping[str, Any],
    ) -> None:
        """Make labels of each group, which stand where models stand."""
        if named.keys() != {"y_true", "y_pred"}:
            rule = "by compares groups of items for one model: pass its predictions alone"
            raise ValueError(f"{rule}, got the models {checks.listing(self.models)}")
        items = number_of("y_true", named["y_true"])
        (codes,), names = encode({"by": by}, n=items)
        checks.at_least_two("groups", len(names), "a comparison")
        given = {name: value for name, value in more.items() if value is not None}
        for code in range(len(names)):
            at_part = partial(at, np.flatnonzero(codes == code), n=items)
            true, predicted = (at_part(name, value) for name, value in named.items())
            own: dict[str, Any] = {name: at_part(name, x) for name, x in given.items()}
            self._parts.append(Labels(true, predicted, **own, **options))
        self.models = tuple(map(str, names))
        self._compared = "groups"

    def _one(self, metric: Metric, model: int, average: str | None) -> Sample:
        if self._parts:
            return self._parts[model]._one(metric, 0, average)
        return super()._one(metric, model, average)

    def _two(self, metric: Metric, a: int, b: int, average: str | None) -> Difference:
        if self._parts:
            return unpaired(self._one(metric, a, average), self._one(metric, b, average))
        return super()._two(metric, a, b, average)

    def _refuse(self, question: str) -> None:
        if self._parts:
            rule = f"{question} is for models on the same items: bring the labels of one group"
            raise ValueError(f"{rule}, got the groups {checks.listing(self.models)}")
        if self._strata.pool is not None and question == "plan":
            rule = "a plan needs a pilot that was checked as a whole; label_plan says what to check"
            raise ValueError(f"{rule}, got a pool of {self._strata.pool.sum():,.0f} items")

    def _named(
        self, y_true: LabelsLike, predictions: Any
    ) -> tuple[tuple[str, ...], dict[str, LabelsLike]]:
        """Return the models' names, and all labels by what messages call them."""
        alone = are_indicators(y_true) and are_indicators(predictions)
        models, named = _by_model("predictions", predictions, frames=not alone)
        if named.keys() == {"predictions"}:
            return ("y_pred",), {"y_true": y_true, "y_pred": predictions}
        if len(models) == 1:
            return models, {"y_true": y_true, "y_pred": next(iter(named.values()))}
        return models, {"y_true": y_true} | named

    def _read(self, metric: Metric, average: str | None) -> tuple[Metric, Items | UnitCounts]:
        """Return the metric with its rules, and the data as it sees them.

        This is the one place that decides which class is positive, which classes an average is
        over, and what a class without a score counts.
        """
        metric = reading.with_average(metric, average)
        if isinstance(self._data, UnitCounts):
            reading.check_indicators(metric, average, self._data)
            return metric.counting(self.constant), self._data
        reading.refuse_samples(metric)
        if metric.binary and average is not None:
            reading.refuse_labels(self._labels)
            return self._strata.in_population(metric), self._binary_items()
        checks.at_least_two("classes", len(self._data.classes), "an average over classes")
        if average is not None:
            metric = reading.with_classes(metric, self._data, self.constant)
        return self._strata.in_population(metric), self._data

    def _binary_items(self) -> Items:
        """Return the items of the positive class against the rest."""
        if isinstance(self._data, UnitCounts):
            raise TypeError("items of several classes have no positive class")
        return reading.positive_items(self._data, self._pos_label)

    def binary_matrix(self, model: int = 0) -> list[int]:
        """Return TN, FP, FN and TP of the positive class."""
        matrix = self._binary_items().of_models(model).matrix()
        counts: list[int] = matrix.dense().astype(np.int64).ravel().tolist()
        return counts

    def _covariances(
        self, rows: Sequence[Row], samples: Sequence[Sample], average: str | None
    ) -> tuple[Array, Array | None]:
        if isinstance(self._data, UnitCounts) or self._data.groups is not None:
            return super()._covariances(rows, samples, average)
        ruled = [(model, self._read(metric, average)[0]) for model, metric in rows]
        # With two classes, metrics of the positive one may stand beside averages.
        binary = any(metric.binary for _, metric in rows)
        items = self._binary_items() if binary and average == "binary" else self._data
        checks.at_least_two("items", int(items.counts.sum()))
        return covariances_of_items(items, ruled)


class Units(_SameItems):
    """TP, FP and FN of each unit: spans of documents, objects of images.

    What a unit holds may depend on one another; units may not. Score limits, the default, allow
    for units that were not seen, such as a document in which nothing is found; if that cannot
    happen, "logit" limits are shorter. `f1ci.methods.units` has both, and says when they fail.

    Parameters
    ----------
    counts : array_like of int, shape (units, 3) or (units, classes, 3), or mapping of str to these
        True positives, false positives and false negatives of each unit; true negatives are not
        needed. Of several models the same unit is in the same row.
    zero_division : {nan, 0, 1}, default nan
        What an undefined score counts in an average: of a class, or of a unit with nothing to find
        and nothing found. By default it is left out, and a warning says so. scikit-learn counts 0.
        A class of which no unit holds anything exists, so the limits of an average are as wide as
        not knowing its score makes them.

    See Also
    --------
    Scores : One score for each unit.
    Labels : With ``groups=``, for the labels of the items in each unit.

    Notes
    -----
    Metrics are Tversky scores: "f1", "precision", "recall", "jaccard", ``f1ci.metrics.fbeta(2)``,
    pooled over units. Counts by class need an average: None for every class by itself, "micro",
    "macro" or "weighted". ``average="samples"`` is the mean of the units' own scores.

    Examples
    --------
    Spans found in six documents, by two models:

    >>> import f1ci
    >>> a = [[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3]]
    >>> b = [[9, 1, 1], [5, 1, 0], [10, 2, 2], [2, 1, 1], [8, 0, 0], [5, 1, 2]]
    >>> spans = f1ci.Units({"a": a, "b": b})
    >>> print(spans.interval("f1", "a"))
    f1 = 0.795 (95 % CI 0.540 to 0.903, Wilson score)
    >>> test = spans.difference("f1", margin=0.1)
    >>> print(test.interval, round(test.p_value, 3))
    f1 (b - a) = 0.071 (95 % CI 0.001 to 0.141, logit) 0.048
    """

    def __init__(
        self, counts: ArrayLike | Mapping[str, ArrayLike], *, zero_division: float = np.nan
    ) -> None:
        self.models, named = _by_model("counts", counts)
        self.constant = reading.zero_division_of(zero_division)
        tables = tuple(unit_counts(name, value) for name, value in named.items())
        first = tables[0].shape
        for name, table in zip(named, tables, strict=True):
            checks.shaped(name, table, table.shape == first, str(first))
        self._shape = first
        self._by_class = len(first) == 3
        if not self._by_class:
            tables = tuple(table[:, :, None] for table in tables)
        self._data = self._counts = UnitCounts(tables, range(tables[0].shape[2]))

    def _read(self, metric: Metric, average: str | None) -> tuple[Metric, UnitCounts]:
        """Return the metric with its rule, and the counts by class, or of all classes together."""
        if average not in (None, "binary"):
            metric = reading.with_average(metric, average)
        averaged = metric.averages or metric.over_items
        if not self._by_class and metric.averages:
            rule = f"{metric.name!r} needs counts by class, of shape (units, classes, 3)"
            raise ValueError(f"{rule}, got shape {self._shape}")
        if self._by_class and not averaged and average is not None:
            rule = "counts by class need average='micro', 'macro', 'weighted', 'samples' or None"
            raise ValueError(f"{rule}, got {average!r}")
        data = self._counts
        if not self._by_class and not averaged:
            data = data._replace(tables=tuple(table[:, :, 0] for table in data.tables))
        return metric.counting(self.constant), data

    def _refuse(self, question: str) -> None:
        if question == "report" and not self._by_class:
            rule = "a report needs counts by class, of shape (units, classes, 3)"
            raise ValueError(f"{rule}, got shape {self._shape}")


class _MeanScore(Metric):
    """The mean of scores from 0 to 1."""

    name = "mean"
    range = UNIT


_MEAN = _MeanScore()


class Scores(_SameItems):
    """One score for each unit: Dice of each image, F1 of each document, token F1 of each answer.

    The mean of the scores is reported. Units are independent; several units of one patient may
    depend on one another, and then `groups` says which belong together. Score limits, the default,
    allow for units that were not seen, such as an image with the score 0: one image in ten may
    be of that kind although none of twenty was. The limits of a t interval (``method="logit"``, on
    the logit scale) do not, and cover about half of the time with 15 images of which 3 % fail. The
    price is length: if the scores are alike, score limits are up to six times as far apart, and
    the answer then names both.

    When it fails: see `f1ci.methods.units`. Differences of two models have logit limits, so a rare
    failure of one model that the test set does not hold is not in them.

    Parameters
    ----------
    scores : array_like of float, shape (units,), or mapping of str to these
        A score from 0 to 1 for each unit. ``nan`` is a unit with nothing to find and nothing found.
        Of several models the same unit is at the same place.
    groups : sequence, optional
        The larger unit that each unit belongs to: the patient of each image. Every image counts
        alike in the mean. For a mean over patients, pass each patient's mean as one score.
    empty : {"skip", 0, 1}, default "skip"
        What a unit counts whose score is ``nan``. By default it is left out, and a warning says so.
        A unit may be left out for one model and count for another, which found something there.

    See Also
    --------
    Units : From counts TP, FP and FN by unit, also for the pooled score.
    f1ci.mean_interval : The interval of one mean in one call.

    Examples
    --------
    Dice of eight images. The t interval of the mean is 0.791 to 0.892, and the paired t interval of
    the difference 0.0022 to 0.0303:

    >>> import f1ci
    >>> a = [0.91, 0.84, 0.79, 0.88, 0.93, 0.76, 0.82, 0.8]
    >>> b = [0.92, 0.86, 0.82, 0.89, 0.93, 0.8, 0.81, 0.83]
    >>> dice = f1ci.Scores({"a": a, "b": b})
    >>> print(dice.interval(model="a"))
    mean = 0.841 (95 % CI 0.568 to 0.897, Wilson score)
    0.784 to 0.885 if no unit can be much worse than those seen (method='logit')
    >>> test = dice.difference()
    >>> low, high = test.interval
    >>> print(f"{test.estimate:.3f} ({low:.4f}, {high:.4f}), p = {test.p_value:.3f}")
    0.016 (0.0022, 0.0303), p = 0.029
    """

    _default_metric = "mean"

    def __init__(
        self,
        scores: ArrayLike | Mapping[str, ArrayLike],
        *,
        groups: LabelsLike | None = None,
        empty: str | float = "skip",
    ) -> None:
        self.models, named = _by_model("scores", scores, frames=True)
        self._named = tuple(named)
        constant = _constant(empty)
        rows = [_checked_scores(name, value) for name, value in named.items()]
        for name, row in zip(named, rows, strict=True):
            checks.shaped(name, row, row.shape == rows[0].shape, str(rows[0].shape))
        self._missing = np.zeros(len(rows), dtype=np.intp)
        if np.isnan(constant):
            self._missing = np.isnan(rows).sum(axis=1)
        self._scores = np.where(np.isnan(rows), constant, rows)
        self._codes = group_codes(groups, self._scores.shape[1])

    def _metric(self, metric: str | Metric | None) -> Metric:
        if metric not in (None, "mean"):
            rule = "scores by unit have one metric, their mean; counts by unit (Units) have others"
            raise ValueError(f"{rule}, got {checks.short(metric)}")
        return _MEAN

    def _one(self, _metric: Metric, model: int, average: str | None) -> UnitSample:
        return self._samples((model,), average)[0]

    def _two(self, _metric: Metric, a: int, b: int, average: str | None) -> Difference:
        of_a, of_b = self._samples((a, b), average)
        return UnitDifference(_MEAN, of_a, of_b)

    def _samples(self, models: tuple[int, ...], average: str | None) -> list[UnitSample]:
        """Return the samples of some models, of the units that have a score for any of them."""
        if average != "binary":
            raise ValueError(f"scores by unit have no average over classes, got {average!r}")
        rows = self._scores[list(models)]
        some = ~np.isnan(rows).all(axis=0)
        codes = None if self._codes is None else self._codes[some]
        samples = []
        for model, row in zip(models, rows[:, some], strict=True):
            of_scores = _sample_of_scores(self._named[model], row, codes)
            of_scores.units_left_out = int(self._missing[model])
            of_scores.counts_them = "empty=0 or empty=1 counts them"
            samples.append(of_scores)
        return samples

    def _influences(
        self, _metric: Metric, models: Sequence[int], average: str, _weight: Array | None
    ) -> tuple[Array, Array]:
        # A mean's influences are the same for any weights, but for a constant.
        moves = np.array([one.moves.influence for one in self._samples(tuple(models), average)])
        return moves * moves.shape[1], np.ones(moves.shape[1])

    def _refuse(self, question: str) -> None:
        if question == "report":
            rule = "a report has a row for each class: bring counts by unit and class (Units)"
            raise ValueError(f"{rule}, got one score for each unit")


class Runs(Labels):
    """The labels that several runs of one recipe predict: five seeds on one test set.

    The score is the mean over runs, and the interval is for new items *and* new runs of the same
    recipe. `f1ci.runs` has the formula, and says when it fails.

    Parameters
    ----------
    y_true : sequence
        True labels, or indicators.
    predictions : sequence of sequences, or mapping of str to these
        The predicted labels of each run of a recipe, at least two; or those of several recipes, by
        their names. The items are the same, the runs of two recipes are not paired, and the numbers
        of runs may differ.
    pos_label, labels, groups, zero_division, class_shares, strata, stratum_shares
        See `Labels`.

    See Also
    --------
    Labels : For the one model that you will use, whatever its seed.

    Examples
    --------
    Three runs with an accuracy of 0.90, 0.80 and 0.85:

    >>> import f1ci
    >>> y_true = [0, 1] * 50
    >>> wrong = [range(10), range(20), range(5, 20)]
    >>> runs = [[y if k not in w else 1 - y for k, y in enumerate(y_true)] for w in wrong]
    >>> interval = f1ci.Runs(y_true, runs).interval("accuracy")
    >>> print(interval)
    accuracy = 0.850 (95 % CI 0.661 to 0.943, logit)
    >>> interval.scores.tolist(), round(interval.share_of_runs, 2)
    ([0.9, 0.8, 0.85], 0.41)
    """

    def _named(
        self, y_true: LabelsLike, predictions: Any
    ) -> tuple[tuple[str, ...], dict[str, LabelsLike]]:
        models, named = _by_model("predictions", predictions)
        labels = {"y_true": y_true}
        self._runs = []
        for name, of_recipe in named.items():
            runs = checks.listed(name, of_recipe)
            checks.at_least_two("runs", len(runs), f"{name}, for the variance of runs,")
            self._runs.append(list(range(len(labels) - 1, len(labels) - 1 + len(runs))))
            labels |= {f"{name}[{k}]": run for k, run in enumerate(runs)}
        return models, labels

    def _one(self, metric: Metric, model: int, average: str | None) -> RunsSample:
        ruled, data = self._read_for_runs(metric, average)
        of_runs = runs_of_one(ruled, data, self._runs[model])
        of_runs.tell(data.classes, self.constant)
        return of_runs

    def _two(self, metric: Metric, a: int, b: int, average: str | None) -> RunsSample:  # type: ignore[override]
        ruled, data = self._read_for_runs(metric, average)
        of_runs = runs_of_two(ruled, data, self._runs[a], self._runs[b])
        of_runs.tell(data.classes, self.constant)
        return of_runs

    def _read_for_runs(
        self, metric: Metric, average: str | None
    ) -> tuple[Metric, Items | UnitCounts]:
        """Return the metric of one score, and the data of all runs."""
        if average is None:
            rule = "average=None has a score for each class, and runs have one mean score"
            advice = "name an average, such as 'macro', or one class by pos_label="
            raise ValueError(f"{rule}: {advice}, got None")
        ruled, data = self._read(metric, average)
        checks.at_least_two("items", data.number)
        return ruled, data

    def _refuse(self, question: str) -> None:
        reasons = {
            "joint": "joint intervals are not known for the mean over runs",
            "report": "a report is for one run",
            "plan": "a plan for runs has two unknown numbers, of items and of runs",
        }
        if question in reasons:
            rule = f"{reasons[question]}: bring one run as Labels(y_true, run)"
            raise ValueError(f"{rule}, got {len(self._runs[0])} runs")


# Reading what models bring.


def _by_model(
    name: str, value: Any, frames: bool = False
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the models' names, and the data of each by what messages call them.

    Data without names are of one model. The columns of a data frame are models if `frames`.
    """
    if not (isinstance(value, Mapping) or (frames and hasattr(value, "columns"))):
        return (name,), {name: value}
    models = tuple(str(model) for model in value)
    checks.distinct("names of models", models)
    return models, {f"{name}[{checks.short(str(key))}]": value[key] for key in value}


def _checked_counts(*counts: ArrayLike | None) -> tuple[Array, ...]:
    """Return TP, FP, FN and perhaps TN of one model."""
    names = ("tp", "fp", "fn", "tn")
    given = {
        name: value
        for name, value in zip(names, counts, strict=True)
        if value is not None or name != "tn"
    }
    for name, value in given.items():
        if value is None:
            raise TypeError(f"{name} must be a count, got None")
    return checks.broadcast(checks.counts, **given)  # type: ignore[arg-type]


def _counts_of(name: str, value: Any) -> tuple[Array, ...]:
    """Return the counts of one of several models."""
    listed = checks.listed(f"counts of {checks.short(name)}", value)
    if len(listed) not in (3, 4):
        rule = f"counts of {checks.short(name)} must be (tp, fp, fn) or (tp, fp, fn, tn)"
        raise ValueError(f"{rule}, got {checks.short(value)}")
    return _checked_counts(*listed, *[None] * (4 - len(listed)))


def _checked_scores(name: str, value: ArrayLike) -> Array:
    """Return scores from 0 to 1, or nan."""
    scores = checks.real(name, value)
    checks.shaped(name, scores, scores.ndim == 1, "(units,)")
    outside = ~(np.isnan(scores) | ((scores >= 0.0) & (scores <= 1.0)))
    rule = "lie between 0 and 1"
    if outside.any() and 2.0 < np.nanmax(scores) <= 100.0:
        rule += " (divide percentages by 100)"
    checks.refuse(name, scores, outside, rule)
    return scores


def _constant(empty: object) -> float:
    """Return what a unit without a score counts; nan if it is left out."""
    if isinstance(empty, str) and empty == "skip":
        return np.nan
    if isinstance(empty, (int, float, np.number)) and empty in (0, 1):
        return float(empty)
    raise ValueError(f"empty must be 'skip', 0 or 1, got {checks.short(empty)}")


def _sample_of_scores(name: str, scores: Array, codes: Any) -> UnitSample:
    """Return the sample of a mean; at least two units, or groups, have a score."""
    known = ~np.isnan(scores)
    distinct = np.count_nonzero(known) if codes is None else len(np.unique(codes[known]))
    what = "units" if codes is None else "groups"
    checks.at_least_two(f"{what} with a score in {name}", int(distinct))
    if codes is not None:
        codes = np.unique(codes, return_inverse=True)[1].astype(np.intp)
    return mean_of_scores(_MEAN, scores, codes)
