"""The first simulation of `yuan`: two normal classes, three rules, and R's own random numbers.

Z is 0 or 1 with probability one half, and X given Z is normal with mean Z and variance 1. A rule is
trained on 500 cases. On one axis a rule predicts 1 on a union of intervals, so two arrays hold a
rule: its edges, and what it predicts between them. Its true cells are integrals of two normal
densities.

The paper's random numbers are those of R. Each test set takes n numbers for Z and 2n for X. Then
`class::knn` takes a number for every case that it predicts as the second class: its count of votes
for the first class is zero, which it treats as a tie with nobody. So where a test set begins depends
on the predictions before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from notebooks.shared.r_random import RRandom

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# Newton steps of a logistic regression; six are enough for 500 cases.
STEPS = 25


@dataclass(frozen=True)
class Rule:
    """A rule on one axis: `values[i]` is its prediction between edges i - 1 and i."""

    edges: Array
    values: Integers

    def predict(self, x: Array) -> Integers:
        """Return the prediction for each x."""
        return self.values[np.searchsorted(self.edges, x)]


def drawn(random: RRandom, size: int) -> tuple[Integers, Array]:
    """Return Z and X of so many cases: `z <- rbinom(size, 1, .5); x <- rnorm(size, z)`."""
    z = random.rbinom_half(size)
    return z, random.rnorm(z)


def nearest(z: Integers, x: Array) -> Rule:
    """Return the rule that predicts the class of the nearest training case."""
    order = np.argsort(x)
    return Rule((x[order][1:] + x[order][:-1]) / 2, z[order])


def logistic(z: Integers, x: Array) -> Rule:
    """Return the rule of logistic regression, fitted by Newton's method as `glm` does it."""
    design = np.column_stack([np.ones(len(x)), x])
    beta = np.zeros(2)
    for _ in range(STEPS):
        p = expit(design @ beta)
        information = (design.T * p * (1 - p)) @ design
        beta = beta + np.linalg.solve(information, design.T @ (z - p))
    return Rule(np.array([-beta[0] / beta[1]]), np.array([0, 1] if beta[1] > 0 else [1, 0]))


def joint_counts(z: Integers, predictions: Sequence[Integers]) -> Integers:
    """Count the joint cells; the index of a cell, in binary, reads Z A_1 ... A_m."""
    index = z
    for answer in predictions:
        index = 2 * index + answer
    return np.bincount(index, minlength=2 ** (len(predictions) + 1))


def population(rules: Sequence[Rule]) -> Array:
    """Return the joint cells' true probabilities, integrated over the rules' intervals."""
    edges = np.unique(np.concatenate([rule.edges for rule in rules]))
    ends = np.concatenate([[-np.inf], edges, [np.inf]])
    # A point of each interval between edges tells what the rules predict there.
    inside = np.concatenate([[edges[0] - 1], (edges[1:] + edges[:-1]) / 2, [edges[-1] + 1]])
    found = []
    for mean in (0, 1):
        weights = 0.5 * np.diff(ndtr(ends - mean))
        index = np.zeros(len(inside), dtype=np.int64)
        for rule in rules:
            index = 2 * index + rule.predict(inside)
        found.append(np.bincount(index, weights=weights, minlength=2 ** len(rules)))
    return np.concatenate(found)


def simulated_counts(seed: int, n: int, count: int, rules: Sequence[Rule]) -> Integers:
    """Return the joint cells of R's test sets, shape (count, 2**(m + 1)).

    The first rule is the nearest neighbour, which takes random numbers itself. A rule that is in the
    list twice predicts once.
    """
    random = RRandom(seed)
    distinct = {id(rule): rule for rule in rules}
    found = np.empty((count, 2 ** (len(rules) + 1)), dtype=np.int64)
    for i in range(count):
        z, x = drawn(random, n)
        answers = {key: rule.predict(x) for key, rule in distinct.items()}
        predictions = [answers[id(rule)] for rule in rules]
        random.runif(int(predictions[0].sum()))
        found[i] = joint_counts(z, predictions)
    return found
