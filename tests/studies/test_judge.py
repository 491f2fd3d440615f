"""The study of labels from a judge: its rivals are what their authors publish."""

import numpy as np
import pytest

import f1ci
from notebooks.own import labels_from_a_judge as judged


def test_prediction_powered_accuracy_is_that_of_ppi_python():
    """ppi_mean_pointestimate and ppi_mean_ci of ppi-python 0.2.3, with its own choice of lambda."""
    k = np.arange(1200)
    truth = (k % 3 == 0).astype(int)
    prediction = np.where(k % 7 == 0, 1 - truth, truth)
    judge = np.where(k % 10 == 0, 1 - truth, truth)
    judge = np.where(k % 14 == 0, prediction, judge)
    pool = judged.Pool(truth, prediction, judge)
    estimate, error, _ = judged.ppi(pool, 200, "accuracy")
    # The package printed eight digits of an estimate and of symmetric 95 % limits.
    assert estimate == pytest.approx(0.85440099, abs=1e-8)
    assert 1.959963984540054 * error == pytest.approx((0.90028893 - 0.80851305) / 2, abs=1e-8)


def test_cells_are_what_the_model_and_the_judge_do():
    cells = judged.cells_of(np.array([0.7, 0.3]), np.array([0.9, 0.8]), 0.95, 0.5)
    assert cells.sum() == pytest.approx(1)
    assert cells.sum(axis=(1, 2)) == pytest.approx([0.7, 0.3])
    # The judge is right where the model is right, or where it does not copy an error.
    right = cells[[0, 1], :, [0, 1]].sum()
    assert right == pytest.approx(0.95 * (0.7 * 0.9 + 0.3 * 0.8) + 0.95 * 0.5 * (0.07 + 0.06))
    design = judged.Design(cells, 10, 100, "f1")
    assert design.truth == pytest.approx(2 * 0.24 / (2 * 0.24 + 0.06 + 0.07))


def test_pools_are_drawn_from_the_cells():
    design = judged.rare_design(0.1, 100)
    pool = judged.drawn_pool(design, np.random.default_rng(1))
    assert len(pool.truth) == design.pool == 3000
    share = np.mean([np.mean(pool.truth), np.mean(pool.judge)])
    # Three standard errors of a mean of 3,000.
    expected = (0.1 + design.cells.sum(axis=(0, 1))[1]) / 2
    assert share == pytest.approx(expected, abs=3 * np.sqrt(0.1 * 0.9 / 3000))


def test_a_plan_draws_the_items_of_each_stratum():
    design = judged.rare_design(0.1, 100)
    rng = np.random.default_rng(2)
    pool = judged.drawn_pool(design, rng)
    places = judged.planned_places(pool, 100, "f1", rng)
    assert len(set(places.tolist())) == 100
    plan = f1ci.label_plan(pool.prediction, pool.judge, 100)
    for (p, j), n in plan.items():
        assert np.sum((pool.prediction[places] == p) & (pool.judge[places] == j)) == n


def test_what_b_gains_is_the_difference_of_two_scores():
    """A is right on 0.80 of both classes and B on 0.87; three items in ten are positive."""
    a = 2 * 0.3 * 0.80 / (2 * 0.3 * 0.80 + 0.3 * 0.20 + 0.7 * 0.20)
    b = 2 * 0.3 * 0.87 / (2 * 0.3 * 0.87 + 0.3 * 0.13 + 0.7 * 0.13)
    assert judged.gain() == pytest.approx(b - a)
