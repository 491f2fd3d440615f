"""The committed cells of the splits are what their seeds and classifiers make.

Counts are compared exactly when the installed scikit-learn is the one that made them;
another version may grow other trees, and then only what no version can change is compared.
"""

import csv
import itertools

import numpy as np
import pytest
import sklearn
import statsmodels.api as sm
from compendium import data
from scipy.special import ndtr
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from notebooks.shared import datasets, splits

# Size of what a rule is evaluated on: `jiang` 1; `yuan` III-B, III-C. Probabilities sum to 1.
POPULATION = {
    "orange-juice": 535,
    "gaussian": 1,
    "abalone": 3333,
    "letters": 16064,
    "letters-svm-unscaled": 16064,
}


def same_scikit_learn(name):
    made_with = data.sources()[f"splits-{name}.csv"]["made_with"]
    return f"scikit-learn {sklearn.__version__}" in made_with.split("; ")


@pytest.mark.parametrize("name", splits.EXPERIMENTS)
def test_committed_cells_are_complete(name):
    experiment = splits.EXPERIMENTS[name]
    cells = datasets.split_counts(name)
    assert cells.shape == (experiment.splits, *[2] * (1 + len(experiment.rules)))
    # Sixteen probabilities are rounded to twelve decimals each: at most 8e-12 in their sum.
    totals = cells.reshape(len(cells), -1).sum(axis=1)
    np.testing.assert_allclose(totals, POPULATION[name], rtol=0, atol=1e-11)
    assert cells.min() >= 0
    with (data.DATA / f"splits-{name}.csv").open(newline="") as lines:
        header, *rows = csv.reader(lines)
    assert header[1:] == sorted(header[1:])
    assert [row[0] for row in rows] == [str(i) for i in range(experiment.splits)]
    # No two splits are the same: the seeds' children differ.
    assert len({tuple(row[1:]) for row in rows}) > 0.9 * len(rows)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("orange-juice", 0),
        ("orange-juice", 999),
        ("gaussian", 7),
        ("abalone", 11),
        ("letters", 3),
        ("letters-svm-unscaled", 499),
    ],
)
def test_a_split_can_be_made_again_alone(name, split):
    committed = datasets.split_counts(name)[split]
    again = splits.cells(name, split)
    if same_scikit_learn(name):
        # Twelve decimals are committed; a last-digit difference in ndtr is forgiven.
        np.testing.assert_allclose(again, committed, rtol=0, atol=1e-12 * (name == "gaussian"))
    else:
        np.testing.assert_allclose(
            again.reshape(2, -1).sum(axis=1), committed.reshape(2, -1).sum(axis=1), atol=1e-11
        )


@pytest.mark.parametrize("split", [2, 500])
def test_orange_juice_against_statsmodels(split):
    """The same half split, from NumPy's spawn and another library's logistic regression."""
    frame = datasets.orange_juice()
    x = sm.add_constant(frame[["LoyalCH", "PriceDiff"]].to_numpy())
    z = (frame["Purchase"] == "CH").to_numpy().astype(int)
    child = np.random.SeedSequence(splits.EXPERIMENTS["orange-juice"].seed).spawn(split + 1)[split]
    order = np.random.default_rng(child).permutation(1070)
    train, rest = order[:535], order[535:]
    a = sm.Logit(z[train], x[train]).fit(disp=False).predict(x[rest]) > 0.5
    expected = [[np.sum((z[rest] == i) & (a == j)) for j in (0, 1)] for i in (0, 1)]
    assert datasets.split_counts("orange-juice")[split].tolist() == expected


def test_populations_are_random_subsets():
    """The mean number of positives agrees with the hypergeometric distribution."""
    for name, positives, total in (("abalone", 259, 4177), ("letters", 1555, 20000)):
        n = POPULATION[name]
        outcomes = datasets.split_counts(name)[:, 1]
        z = outcomes.reshape(len(outcomes), -1).sum(axis=1)
        share = positives / total
        sd = np.sqrt(n * share * (1 - share) * (total - n) / (total - 1))
        # Four standard errors of the mean: a false alarm once in 16000 seeds.
        assert abs(z.mean() - n * share) < 4 * sd / np.sqrt(len(z))


def test_both_support_vector_machines_see_the_same_splits():
    outcomes = [
        datasets.split_counts(name)[:, 1].reshape(500, -1).sum(axis=1)
        for name in ("letters", "letters-svm-unscaled")
    ]
    np.testing.assert_array_equal(*outcomes)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("rule", "classifier", "decimals"),
    [
        ("1nn", KNeighborsClassifier(1), 9),
        ("logistic-regression", LogisticRegression(), 9),
        # Few trees, an even number: most votes are close and some are ties.
        ("random-forest", RandomForestClassifier(4, random_state=0), 9),
        ("random-forest", RandomForestClassifier(51, random_state=0), 9),
        # 200 points on about 60 places: equal features, different outcomes, votes are fractions.
        ("random-forest", RandomForestClassifier(51, random_state=0), 1),
    ],
)
def test_intervals_decide_as_the_classifier_does(rule, classifier, decimals, seed):
    rng = np.random.default_rng(seed)
    z = rng.integers(2, size=200)
    # Single precision, which is what trees see: then no point is rounded across an edge.
    x = np.round(rng.normal(loc=z), decimals).astype(np.float32).astype(float)
    classifier.fit(x[:, None], z)
    edges, values = splits.positive_intervals(rule, classifier, x, z)
    points = rng.normal(scale=3, size=5000).astype(np.float32).astype(float)
    decided = values[np.searchsorted(edges, points)]
    np.testing.assert_array_equal(decided, classifier.predict(points[:, None]))
    assert set(decided) == {0, 1}
    if decimals == 1:
        # Counting whole votes of trees, which is not what a forest does, decides differently.
        hard = np.mean([t.predict(points[:, None]) for t in classifier.estimators_], axis=0) > 0.5
        assert (hard != decided).any()


def test_a_falling_logistic_curve_predicts_one_on_the_left():
    x = np.array([0.0, 1.0, 2.0, 3.0])
    z = np.array([1, 0, 1, 0])
    classifier = LogisticRegression(solver="newton-cholesky").fit(x[:, None], z)
    edges, values = splits.positive_intervals("logistic-regression", classifier, x, z)
    # By symmetry about 1.5.
    np.testing.assert_allclose(edges, [1.5], atol=1e-6)
    assert values.tolist() == [1, 0]


def test_gaussian_cells_are_the_integrals():
    """One committed training set, integrated on a fine grid with the classifiers themselves."""
    experiment = splits.EXPERIMENTS["gaussian"]
    rng = np.random.default_rng(np.random.SeedSequence(experiment.seed, spawn_key=(5,)))
    z = rng.integers(2, size=500)
    x = rng.normal(loc=z).astype(np.float32).astype(float)
    step = 1e-4
    grid = np.arange(-7, 8, step) + step / 2
    nearest = KNeighborsClassifier(1).fit(x[:, None], z).predict(grid[:, None])
    logistic = sm.Logit(z, sm.add_constant(x)).fit(disp=False).predict(sm.add_constant(grid)) > 0.5
    cells = datasets.split_counts("gaussian")[5].sum(axis=3)
    for mean, a, b in itertools.product((0, 1), repeat=3):
        mass = ndtr(grid + step / 2 - mean) - ndtr(grid - step / 2 - mean)
        expected = 0.5 * mass[(nearest == a) & (logistic == b)].sum()
        # At most 500 edges fall inside a grid cell of mass below 2e-5, at random places: 4
        # standard deviations of the sum of 500 uniform errors, halved by the prior of 1/2.
        tolerance = 4 * np.sqrt(500 / 12) * mass.max() / 2
        assert cells[mean, a, b] == pytest.approx(expected, abs=tolerance)


def test_changed_parameters_change_the_cells():
    base = splits.cells("abalone", 0, trees=5)
    standardised = splits.cells("abalone", 0, trees=5, standardise=True)
    # The same split, hence the same outcomes; other neighbours.
    assert base[1].sum() == standardised[1].sum()
    assert (base != standardised).any()


def test_command_prints_single_rows(capsys):
    splits.main(["orange-juice", "--first", "3", "--last", "5"])
    printed = capsys.readouterr().out.splitlines()
    lines = (data.DATA / "splits-orange-juice.csv").read_text().splitlines()
    assert printed == [lines[0], lines[4], lines[5]]


def test_command_makes_the_file_and_its_entry(tmp_path, monkeypatch, capsys):
    (tmp_path / "sources.csv").write_bytes((data.DATA / "sources.csv").read_bytes())
    (tmp_path / "oj.csv").write_bytes((data.DATA / "oj.csv").read_bytes())
    committed = datasets.split_counts("orange-juice")
    monkeypatch.setattr(data, "DATA", tmp_path)
    monkeypatch.setattr(splits, "DATA", tmp_path)
    few = splits.Experiment("orange-juice", ("logistic-regression",), 535, 4, 2012_14894)
    monkeypatch.setitem(splits.EXPERIMENTS, "orange-juice", few)
    before = data.sources()
    splits.main(["orange-juice"])
    assert "4 of 4" in capsys.readouterr().err
    after = data.sources()
    np.testing.assert_array_equal(datasets.split_counts("orange-juice"), committed[:4])
    entry = after.pop("splits-orange-juice.csv")
    assert entry["rows"] == "4"
    assert f"scikit-learn {sklearn.__version__}" in entry["made_with"]
    before.pop("splits-orange-juice.csv")
    assert after == before
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".csv"] * 3
