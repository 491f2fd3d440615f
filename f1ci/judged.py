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

from f1ci import covariance, metrics
from f1ci.data import checks
from f1ci.data.items import BINARY, Items
from f1ci.data.labels import Codes, at, encode, labels, looked_at
from f1ci.metrics import Metric
from f1ci.types import Array, Classes, IntervalWarning, LabelsLike, warn

# What the models predict, and what the judge says.
Stratum: TypeAlias = tuple[Hashable, ...]

# A stratum with fewer checked items has no variance, and is joined with the most alike.
_LEAST_CHECKED = 2

# A plan takes at least so many items of each stratum, because the accuracy of the judge is a guess.
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
    items, places = looked_at(name, truth)
    strata = _strata([*predicted, ("judge", judge)], items)
    chosen = _joined(Counter(strata), Counter(strata[place] for place in places))
    joined = [chosen[one] for one in strata]
    of_checked: dict[str, LabelsLike] = {
        key: at(places, key, value) for key, value in named.items()
    }
    return of_checked, [joined[place] for place in places], dict(Counter(joined))


def _strata(columns: Sequence[tuple[str, LabelsLike]], items: int) -> list[Stratum]:
    """Return the stratum of each item: its labels in all columns."""
    encode(dict(columns[-1:]), n=items)
    each = [labels(name, value).tolist() for name, value in columns]
    return list(zip(*each, strict=True))


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
    prediction: LabelsLike | Mapping[str, LabelsLike],
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
    items or more. Draw them at random in each stratum, then pass all items to
    ``Labels(..., judge=)``.

    Parameters
    ----------
    prediction : sequence, or mapping of str to sequence
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
    {(1, 1): 46, (1, 0): 11, (0, 1): 5, (0, 0): 138}
    """
    predicted = prediction if isinstance(prediction, Mapping) else {"prediction": prediction}
    if len(predicted) > 2:
        rule = "prediction must be of one model, or of two whose difference is wanted"
        raise ValueError(f"{rule}, got {len(predicted)} models")
    columns = {"judge": judge, **predicted}
    codes, classes = encode(columns)
    checks.at_least_two("classes", len(classes), "a plan")
    accuracy = checks.inner("judge_accuracy", judge_accuracy)
    # 1. Each stratum, how many items it has, and the chance of each class to be the truth there.
    strata, number = np.unique(codes, axis=1, return_counts=True)
    r = len(classes)
    chance = np.where(np.eye(r, dtype=bool), accuracy, (1.0 - accuracy) / (r - 1.0))[strata[0]]
    # 2. How the items of each stratum and class move the score, and how much that varies.
    moves = _guessed_moves(
        metrics.get(metric), strata, chance * number[:, None], classes, pos_label
    )
    mean = (chance * moves).sum(axis=1, keepdims=True)
    spread = np.sqrt((chance * (moves - mean) ** 2).sum(axis=1))
    # 3. The checked items by Neyman's rule.
    planned = _allocated(checks.positive_integer("n", n), number.astype(np.float64), spread)
    names = [tuple(classes[code] for code in [*column[1:], column[0]]) for column in strata.T]
    by_name = dict(zip(names, planned.tolist(), strict=True))
    order = dict.fromkeys(_strata([*predicted.items(), ("judge", judge)], codes.shape[1]))
    return {name: by_name[name] for name in order}


def _guessed_moves(
    metric: Metric, strata: Codes, number: Array, classes: Classes, pos_label: Hashable
) -> Array:
    """Return how an item of each stratum and true class moves a score, or a difference."""
    h, r = number.shape
    truth = np.tile(np.arange(r), h)
    codes = np.vstack([truth, strata[1:].repeat(r, axis=1)])
    items = Items(codes, number.ravel(), None, classes, r)
    if metric.binary:
        if pos_label not in classes:
            got = f"{checks.listing(classes)}, got {checks.short(pos_label)}"
            raise ValueError(f"pos_label must be one of the labels {got}")
        codes = (codes == list(classes).index(pos_label)).astype(np.intp)
        items = Items(codes, number.ravel(), None, BINARY, 2)
    moves = [covariance.influence_of_rows(metric, items, k) for k in range(items.models)]
    return np.asarray(moves[-1] - moves[0] * (len(moves) - 1)).reshape(h, r)


def _allocated(n: int, number: Array, spread: Array) -> Codes:
    """Return how many of n items to check in strata of so many items, by Neyman's rule."""
    least = np.minimum(number, _LEAST_PLANNED)
    if not least.sum() <= n <= number.sum():
        rule = (
            f"n must lie between {least.sum():g} (five items of each stratum) and {number.sum():g}"
        )
        raise ValueError(f"{rule}, got {n}")
    weight = number * np.maximum(spread, 1e-9 * spread.max() + 1e-300)

    def shares(scale: float) -> Array:
        return np.asarray(np.clip(scale * weight, least, number))

    top = float((number / weight).max())
    scale = brentq(lambda x: shares(x).sum() - n, 0.0, top) if n < number.sum() else top
    exact = shares(scale)
    planned = np.floor(exact + 1e-6).astype(np.intp)
    for place in np.argsort(planned - exact, kind="stable")[: n - planned.sum()]:
        planned[place] += 1
    return planned
