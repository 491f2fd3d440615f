"""Labels from a judge, and a sample that people checked.

A judge (a language model, a second classifier) has labelled every item, and people have looked at
some. Of the other items we know what the models predict and what the judge says. Items that are
alike in both are a *stratum*: the checked items say what the truth is in each stratum, and all
items say how large the strata are. This is post-stratification (Holt and Smith 1979, Journal of the
Royal Statistical Society A 142, 33-46), with `f1ci.metrics.shares` for the score and its limits.
The judge may be wrong in any way, because its labels are never taken for the truth.

When it fails: if the checked items are not a random part of their stratum, for example those that
looked doubtful, nothing here corrects it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from scipy.optimize import brentq

from f1ci import covariance, metrics, reading
from f1ci.data import checks
from f1ci.data.items import Items
from f1ci.data.labels import Codes, at, encode, labels, looked_at, number_of
from f1ci.metrics import Metric
from f1ci.types import Array, Classes, IntervalWarning, LabelsLike, warn

# What the models predict, and what the judge says.
Stratum: TypeAlias = tuple[Hashable, ...]

# A stratum with fewer checked items has no variance, and is joined with the most alike.
_LEAST_CHECKED = 2

# A plan takes at least so many items of each stratum, because the accuracy of the judge is a guess;
# but of few items in all not more than half for this.
_LEAST_PLANNED = 5


def post_stratified(
    named: Mapping[str, LabelsLike], judge: LabelsLike
) -> tuple[dict[str, LabelsLike], list[Stratum], dict[Stratum, int]]:
    """Return the labels of the checked items, their strata, and how many items each stratum has.

    Parameters
    ----------
    named : mapping of str to sequence
        The truth, in which None stands where nobody looked, and the predictions of the models.
    judge : sequence
        What the judge says of each item.
    """
    (name, truth), *predicted = named.items()
    items, places = number_of(name, truth), looked_at(name, truth)
    strata = _strata([*predicted, ("judge", judge)], items)
    chosen = _joined(Counter(strata), Counter(strata[place] for place in places))
    joined = [chosen[one] for one in strata]
    of_checked: dict[str, LabelsLike] = {
        key: at(places, key, value, items) for key, value in named.items()
    }
    return of_checked, [joined[place] for place in places], dict(Counter(joined))


def _strata(columns: Sequence[tuple[str, LabelsLike]], items: int) -> list[Stratum]:
    """Return the stratum of each item: its labels in all columns."""
    for name, value in columns:
        encode({name: value}, n=items)
    return list(zip(*(labels(name, value).tolist() for name, value in columns), strict=True))


def _joined(number: Counter[Stratum], checked: Counter[Stratum]) -> dict[Stratum, Stratum]:
    """Return for each stratum the one that it joins: itself, unless too few of it were checked."""
    enough = [one for one in number if checked[one] >= _LEAST_CHECKED]
    few = [one for one in number if one not in enough]
    enough = enough or [max(checked, key=checked.__getitem__)]
    if few:
        named = checks.listing(few, 4)
        text = f"fewer than {_LEAST_CHECKED} items were checked where prediction and judge are"
        warn(f"{text} {named}; each of these is joined with the most alike", IntervalWarning)

    def likeness(one: Stratum, other: Stratum) -> tuple[int, bool, bool, int]:
        same = [x == y for x, y in zip(one, other, strict=True)]
        agrees = (one[-1] == one[0]) == (other[-1] == other[0])
        return sum(same[:-1]), same[-1], agrees, checked[other]

    return {one: max(enough, key=lambda other: likeness(one, other)) for one in number}


def label_plan(
    predictions: LabelsLike | Mapping[str, LabelsLike],
    judge: LabelsLike,
    n: int,
    metric: str | Metric = "f1",
    *,
    pos_label: Hashable = 1,
    judge_accuracy: float = 0.85,
) -> dict[Stratum, int]:
    """Return how many items people should check for each prediction and judge's label.

    Where the truth is in doubt, and matters to the score, more items are checked (Neyman 1934,
    Journal of the Royal Statistical Society 97, 558-625): n_h is proportional to W_h S_h, the share
    of the stratum and the standard deviation of the items' influence in it. Each stratum gets five
    items or more, of a small n two or more. Draw them at random in each stratum, and pass all items
    to ``Labels(..., judge=)``.

    Parameters
    ----------
    predictions : sequence, or mapping of str to sequence
        What a model predicts for each item; or two models, whose difference is wanted.
    judge : sequence
        What the judge says of each item.
    n : int
        How many items people can check.
    metric : str or Metric, default "f1"
        The score that is wanted.
    pos_label : hashable, default 1
        The positive class of metrics for two classes.
    judge_accuracy : float, default 0.85
        A guess at how often the judge is right. A wrong one makes the intervals longer, not wrong.

    Returns
    -------
    dict of tuple to int
        How many items to check, by (prediction, judge's label), or (A's, B's, judge's).

    Examples
    --------
    A model finds 100 of 1000 items, and the judge agrees on most of them:

    >>> import f1ci
    >>> prediction = [1] * 100 + [0] * 900
    >>> judge = [1] * 80 + [0] * 20 + [1] * 30 + [0] * 870
    >>> f1ci.label_plan(prediction, judge, 200)
    {(0, 0): 138, (0, 1): 5, (1, 0): 11, (1, 1): 46}
    """
    predicted = predictions if isinstance(predictions, Mapping) else {"predictions": predictions}
    if len(predicted) > 2:
        rule = "predictions must be of one model, or of two whose difference is wanted"
        raise ValueError(f"{rule}, got {len(predicted)} models")
    codes, classes = encode({**predicted, "judge": judge})
    checks.at_least_two("classes", len(classes), "a plan")
    strata, number = np.unique(codes, axis=1, return_counts=True)
    items = _guessed(strata, number, classes, checks.inner("judge_accuracy", judge_accuracy))
    planned = _allocated(
        checks.positive_integer("n", n),
        number.astype(np.float64),
        _spread(metrics.get(metric), items, pos_label),
    )
    names = [tuple(classes[code] for code in stratum) for stratum in strata.T]
    return dict(zip(names, planned.tolist(), strict=True))


def _guessed(strata: Codes, number: Codes, classes: Classes, accuracy: float) -> Items:
    """Return the items of each stratum and true class, if the judge is right so often."""
    r = len(classes)
    chance = np.where(np.eye(r, dtype=bool), accuracy, (1.0 - accuracy) / (r - 1.0))
    counts = (chance[strata[-1]] * number[:, None]).ravel()
    codes = np.vstack([np.tile(np.arange(r), len(number)), strata[:-1].repeat(r, axis=1)])
    places = np.arange(len(number)).repeat(r)
    return Items(codes.astype(np.intp), counts, None, classes, r, strata=places.astype(np.intp))


def _spread(metric: Metric, items: Items, pos_label: Hashable) -> Array:
    """Return how much the influence of an item varies in each stratum: its standard deviation."""
    if metric.binary:
        items = reading.positive_items(items, pos_label)
    moves = covariance.influence_of_rows(metric, items, 0)
    if items.models == 2:
        moves = covariance.influence_of_rows(metric, items, 1) - moves
    if items.strata is None:
        raise TypeError("a plan is by stratum")
    number, total, squares = (np.bincount(items.strata, items.counts * moves**k) for k in range(3))
    return np.asarray(np.sqrt(np.maximum(squares / number - (total / number) ** 2, 0.0)))


def _allocated(n: int, number: Array, spread: Array) -> Codes:
    """Return how many of n items to check in strata of so many items, by Neyman's rule."""
    fewest = np.clip(n // (2 * len(number)), _LEAST_CHECKED, _LEAST_PLANNED)
    least = np.minimum(number, fewest)
    if not least.sum() <= n <= number.sum():
        rule = f"n must be at least {least.sum():g}, two items of each stratum, and at most all"
        raise ValueError(f"{rule} {number.sum():g} items, got {n}")
    weight = number * np.maximum(spread, 1e-9 * spread.max() + 1e-300)

    def exact(scale: float) -> Array:
        return np.asarray(np.clip(scale * weight, least, number))

    scale = brentq(lambda x: float(exact(x).sum() - n), 0.0, float((number / weight).max()))
    planned = np.floor(exact(scale) + 1e-6).astype(np.intp)
    nearest = np.argsort(planned - exact(scale), kind="stable")
    planned[nearest[: n - planned.sum()]] += 1
    return planned
