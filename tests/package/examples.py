"""Published tables, labels that give a table, random problems: what several tests start from."""

import inspect
import warnings

import numpy as np

import f1ci

# Takahashi et al., Table 1 and Appendix D; they print predicted classes in rows.
TOY = np.array([[2, 2, 2], [5, 70, 2], [0, 2, 15]]).T
MNN = np.array(
    [
        [5022, 577, 188, 19, 395],
        [407, 2468, 989, 4, 965],
        [130, 630, 27254, 1021, 763],
        [13, 0, 1236, 6399, 5],
        [103, 258, 609, 0, 9611],
    ]
)

# Jiang's orange juice example: the only integer table that gives the printed inputs.
JUICE = np.array([[159, 47], [43, 286]])

# Counts TP, FP and FN of some documents.
DOCUMENTS = np.array(
    [[8, 1, 2], [5, 0, 0], [9, 4, 3], [2, 2, 1], [7, 0, 1], [4, 1, 3], [12, 2, 5], [3, 0, 1]]
)

ENDS = ("estimate", "low", "high", "standard_error")


def labels_of(cells):
    """Labels 0, 1, ... that give these counts: one sequence for each axis."""
    return tuple(np.repeat(axis.ravel(), np.ravel(cells)) for axis in np.indices(np.shape(cells)))


def labels_of_cells(cells):
    """Truth and predictions from counts of joint cells Z A_1 ... A_m."""
    places = len(cells).bit_length() - 1
    truth, *predicted = labels_of(np.reshape(cells, (2,) * places))
    return truth, {f"A{k}": array for k, array in enumerate(predicted, start=1)}


def quiet(door, *arguments, **options):
    """An answer without the package's warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        return door(*arguments, **options)


def ask(kind, question, data, *arguments, **options):
    """Ask a kind of data; each option goes to the kind, or to the question, whichever has it."""
    own = inspect.signature(f1ci.Labels if kind is f1ci.Runs else kind).parameters
    of_kind = {name: value for name, value in options.items() if name in own}
    of_question = {name: value for name, value in options.items() if name not in own}
    return getattr(kind(*data, **of_kind), question)(*arguments, **of_question)


def numbers(interval):
    """The estimate, the limits and the standard error; of a test those of its difference."""
    interval = getattr(interval, "interval", interval)
    return np.array([getattr(interval, name) for name in ENDS])


def noisy(rng, true, right, classes):
    """Predictions that are right with this probability, and otherwise any class."""
    return np.where(rng.random(true.shape) < right, true, rng.integers(0, classes, true.shape))


def binary_tables(p, n, least=1e-12):
    """All 2 x 2 tables of n items that are not impossible, and their multinomial chances."""
    from scipy import stats

    places = np.indices((n + 1,) * 3).reshape(3, -1)
    places = places[:, places.sum(axis=0) <= n]
    tables = np.vstack([places, n - places.sum(axis=0)]).T
    chance = stats.multinomial(n, np.ravel(p)).pmf(tables)
    return tables[chance > least].reshape(-1, 2, 2), chance[chance > least]
