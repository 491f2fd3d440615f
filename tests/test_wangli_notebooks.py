"""What the notebook of wangli's simulated example (section 2.4) computes, against scikit-learn."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from compendium import NOTEBOOKS, sources
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix

import f1ci

NAME = "wangli-simulation"
MEANS = ((0.0, 0.0), (0.5, 0.5))
PARTITIONS = ("stratified blocks", "blocks", "random halves")


@pytest.fixture(scope="module")
def notebook() -> SimpleNamespace:
    """What the notebook defines before it simulates."""
    cells = [
        c.source for c in sources.read(NOTEBOOKS / f"{NAME}.py").cells if c.cell_type == "code"
    ]
    simulation = next(i for i, source in enumerate(cells) if "SETTINGS = {" in source)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("\n".join(cells[:simulation]), NAME, "exec"), names)
    return SimpleNamespace(**names)


def scikit_learn(penalty: float) -> LogisticRegression:
    """Logistic regression whose loss is the same as ours."""
    return LogisticRegression(C=1 / penalty if penalty else np.inf, tol=1e-10, max_iter=1000)


@pytest.mark.parametrize("penalty", [0.0, 1.0, 25.0])
def test_fits_are_those_of_scikit_learn(notebook: SimpleNamespace, penalty: float) -> None:
    rng = np.random.default_rng(1)
    labels = rng.random((2, 3, 80)) < 0.4
    features = rng.normal(size=(2, 3, 80, 2)) + labels[..., None] * [0.5, -1.0]
    coefficients = notebook.fit(notebook.terms_of(features), labels, penalty=penalty)
    for index in np.ndindex(2, 3):
        model = scikit_learn(penalty).fit(features[index], labels[index])
        # Both stop when the gradient is about 1e-6 of what it was at zero.
        expected = [*model.intercept_, *model.coef_[0]]
        assert coefficients[index] == pytest.approx(expected, abs=1e-6)


def test_separable_classes_have_no_fit(notebook: SimpleNamespace) -> None:
    features = np.array([[-2.0, 0.3], [-1.0, 0.1], [1.0, 0.2], [2.0, 0.4]])
    with pytest.raises(RuntimeError, match="no convergence in 30 steps"):
        notebook.fit(notebook.terms_of(features), np.array([False, False, True, True]))


def test_true_rates_are_those_of_many_draws(notebook: SimpleNamespace) -> None:
    rule = np.array([[-0.3, 1.0, 0.0], [-0.25, 0.5, 0.5], [0.4, -2.0, 0.7]])
    found = notebook.rates(rule, MEANS)
    assert found[0] == pytest.approx(stats.norm.sf(0.3 - np.array([0.5, 0.0])), rel=1e-14)
    draws = np.random.default_rng(2).normal(size=(200_000, 2))
    for column, mean in enumerate((MEANS[1], MEANS[0])):
        share = (rule[:, :1] + rule[:, 1:] @ (draws + mean).T > 0).mean(axis=1)
        # Four standard errors of a share of 200,000 draws.
        assert found[:, column] == pytest.approx(share, abs=4 * np.sqrt(0.25 / 200_000))


def test_f1_of_rates(notebook: SimpleNamespace) -> None:
    # 1000 items: 250 positives, of which 200 are found, and 225 false alarms.
    assert notebook.f1_of_rates(np.array([0.8, 0.3]), 0.25) == pytest.approx(400 / (400 + 225 + 50))


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("exact_classes", [True, False])
def test_the_folds_are_what_their_names_say(
    notebook: SimpleNamespace, partition: str, exact_classes: bool
) -> None:
    design = notebook.Design(40, MEANS, 0.5, partition, exact_classes)
    stream = np.random.default_rng(3)
    _, labels = notebook.draw(design, stream, 20)
    assert (labels.sum(axis=1) == 20).all() == exact_classes
    train, test = notebook.folds(design, labels, stream, notebook.partition)
    assert train.shape == test.shape == (20, 6, 20)
    both = np.concatenate([train, test], axis=2)
    assert (np.sort(both, axis=2) == np.arange(40)).all()
    assert (np.sort(train[:, ::2]) == np.sort(test[:, 1::2])).all()
    overlaps = {
        np.intersect1d(train[i, j], train[i, k]).size
        for i in range(20)
        for j, k in ((0, 2), (0, 4), (2, 4))
    }
    assert (overlaps == {10}) == (partition != "random halves")
    positives = np.take_along_axis(labels[:, None], test, axis=2).sum(axis=2)
    uneven = np.abs(positives[:, ::2] - positives[:, 1::2]).max()
    # Two blocks of one class differ by at most one, so two pairs of blocks by at most two.
    assert (uneven <= 2) == (partition == "stratified blocks")


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_data_set_is_cross_validated_as_by_scikit_learn(
    notebook: SimpleNamespace, penalty: float
) -> None:
    design = notebook.Design(60, MEANS, 0.5, penalty=penalty)
    trials = notebook.run(design, 1, rng=np.random.default_rng(4))
    features, labels = notebook.draw(design, np.random.default_rng(4).spawn(1)[0], 1)
    x, y = features[0], labels[0]
    model = scikit_learn(penalty)
    for fold, (train, test) in enumerate(f1ci.bcv_partitions(60, stratify=y, rng=0)):
        model.fit(x[train], y[train])
        (_, fp), (fn, tp) = confusion_matrix(y[test], model.predict(x[test]))
        assert trials.counts[0, fold // 2, fold % 2].tolist() == [tp, fp, fn]
        rule = np.array([*model.intercept_, *model.coef_[0]])
        assert trials.rates[0, fold // 2, fold % 2] == pytest.approx(
            notebook.rates(rule, MEANS), abs=1e-5
        )
    model.fit(x, y)
    rule = np.array([*model.intercept_, *model.coef_[0]])
    assert trials.rates_of_all[0] == pytest.approx(notebook.rates(rule, MEANS), abs=1e-5)


def test_any_executor_gives_the_same_numbers(notebook: SimpleNamespace) -> None:
    design = notebook.Design(24, MEANS, 0.5, penalty=1.0)
    here = notebook.run(design, 120, rng=5)
    with ThreadPoolExecutor(2) as pool:
        there = notebook.run(design, 120, rng=5, executor=pool)
    assert here.counts.shape == (120, 3, 2, 3)
    for name in ("counts", "rates", "rates_of_all"):
        assert (getattr(here, name) == getattr(there, name)).all()
