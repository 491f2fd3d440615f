"""Search R's random numbers for the runs of Yuan and Jiang (2025), and count what chance gives.

    python notebooks/data/make_yuan_searches.py            # searches and compares, as `make train` does
    python notebooks/data/make_yuan_searches.py --write     # replaces yuan-searches.csv and its entry

The paper prints no seeds. A run that is found by a search is evidence only beside the number of
places that were searched. So each search says how many it tried, how many fit, and how many would
fit by chance; those that found nothing are here as well. `yuan_searches.R` searches codings and
forests in R, and this program the rest, without R. All of it takes half an hour.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from compendium import DATA, data
from compendium.ledger import csv_text
from compendium.published import Published
from numpy.typing import NDArray
from scipy import stats

import f1ci
from notebooks.shared import datasets, joint_coverage, normal_classes
from notebooks.shared.r_random import RRandom

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

FILE = "yuan-searches.csv"
MEASURES = [f1ci.metrics.fbeta(0.5), f1ci.metrics.accuracy]
PUBLISHED = Published()
# Seeds that people choose.
USUAL = [
    *(499, 599, 699, 799, 899, 999, 399, 299, 199, 99, 100, 200, 300, 400, 500, 600),
    *(0, 1, 2, 3, 5, 10, 42, 123, 1234, 12345, 2023, 2024, 2025),
]


class Search(NamedTuple):
    """A line of the file: what was searched, and what came of it."""

    search: str
    tried: int
    hits: int
    by_chance: float
    note: str


def _those(hits: Iterable[tuple[int, int]]) -> str:
    return "fit: " + "; ".join(f"seed {seed} in way {way + 1}" for seed, way in hits)


def printed(ids: Iterable[str]) -> Array:
    """Return numbers as the paper prints them."""
    rows = [PUBLISHED.everything[i].number for i in ids]
    return np.array([float(number.value) for number in rows if number])


def given(id: str) -> int:  # noqa: A002 (the ledger's own word)
    """Return a size that the paper prints."""
    return int(printed([f"yuan/{id}"])[0])


def old_sample(random: RRandom, largest: int, size: int) -> Integers:
    """Return `sample(1:largest, size, TRUE)` as R before version 3.6 draws it."""
    return np.floor(largest * random.runif(size)).astype(np.int64) + 1


SAMPLES: list[Callable[[RRandom, int, int], Integers]] = [RRandom.sample, old_sample]


# The split of both data sets


def masks(seed: int, rows: int) -> Iterator[NDArray[np.bool_]]:
    """Give the training rows by ten ways to draw each row with probability one fifth.

    `rbinom` and `sample` with `prob` make the same of the numbers as the first.
    """
    u = RRandom(seed).runif(rows)
    yield from (u > 0.8, u < 0.2)
    for largest in (5, 10, 100):
        drawn = RRandom(seed).sample(largest, rows)
        yield from (drawn <= largest // 5, drawn > largest - largest // 5)
    x = RRandom(seed).rnorm(np.zeros(rows))
    yield from (x < stats.norm.ppf(0.2), x > stats.norm.ppf(0.8))


def splits(seeds: Sequence[int] = range(3001)) -> Search:
    """Search the split by the sizes, and the numbers of positives, of both data sets."""
    six_rings = (datasets.abalone()["rings"] == given("section-3b/rings")).to_numpy()
    letters = datasets.letters()["letter"].isin(["A", "B"]).to_numpy()
    sets = []
    for positive, name, section in ((six_rings, "abalone", "3b"), (letters, "letter", "3c")):
        cells = datasets.yuan_splits(name)[0]
        sets.append(
            (positive, given(f"section-{section}/training"), int(cells.reshape(2, -1)[1].sum()))
        )
    hits = []
    for seed in seeds:
        ways = {*range(10)}
        for positive, training, positives in sets:
            drawn = [*masks(seed, len(positive))] if ways else []
            fits = [(m.sum(), positive[~m].sum()) == (training, positives) for m in drawn]
            ways &= {k for k, fit in enumerate(fits) if fit}
        hits += [(seed, way) for way in ways]
    chance = 1.0
    for positive, training, positives in sets:
        rows = len(positive)
        left = stats.hypergeom(rows, positive.sum(), rows - training)
        chance *= stats.binom.pmf(training, rows, 0.2) * left.pmf(positives)
    tried = 10 * len(seeds)
    return Search("split", tried, len(hits), tried * chance, _those(hits))


# The sample of Table I


def table_1(seeds: Sequence[int] = range(12_000)) -> Search:
    """Search the sample of Table I by its positives and the counts of two rules."""
    rules = datasets.abalone_rules()
    z, one, two = (rules[name].to_numpy() for name in ("z", "nn", "logistic"))
    code = 4 * z + 2 * one + two
    size = given("table-1/n")
    wanted = np.array([609, 180, 756, 16, 69])  # Z; TP and A of both rules: the printed numbers
    sums = np.array(
        [[k >> 2, k >> 2 & k >> 1, k >> 1 & 1, k >> 2 & k & 1, k & 1] for k in range(8)]
    )
    hits = []
    for seed in seeds:
        for way, sample in enumerate(SAMPLES):
            cells = np.bincount(code[sample(RRandom(seed), len(z), size) - 1], minlength=8)
            if (cells @ sums == wanted).all():
                hits.append((seed, way))
    shares = np.bincount(code, minlength=8) / len(z)
    positives, tp, a, tp_2, a_2 = map(int, wanted)
    chance = stats.binom.pmf(positives, size, shares[4:].sum())
    for part, n, first, second in (
        (shares[:4], size - positives, a - tp, a_2 - tp_2),
        (shares[4:], positives, tp, tp_2),
    ):
        both = np.arange(min(first, second) + 1)
        cells = np.stack([n - first - second + both, second - both, first - both, both], axis=-1)
        chance *= stats.multinomial.pmf(cells, n, part / part.sum()).sum()
    tried = 2 * len(seeds)
    return Search("table-1", tried, len(hits), tried * chance, _those(hits))


# Test sets, by coverages


class Coverages(NamedTuple):
    """The coverages that a list of the paper prints, of two rules in `sets` test sets of n cases."""

    n: int
    sets: int
    population: Array  # joint cells
    truth: Array
    printed: Array
    blurred: bool
    least: int  # so many of the printed coverages must agree to the last digit

    def flags(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell of each test set what the list counts: which intervals hold, or pairs of them."""
        found = joint_coverage.estimates(cells, MEASURES)
        off, z = np.abs(found.value - self.truth), 1.96
        plain = off <= z * found.error
        if not self.blurred:
            return np.column_stack([plain, plain[:, :2].all(axis=1), plain[:, 2:].all(axis=1)])
        covariance = joint_coverage.blurred(found, cells, MEASURES, z**2)
        error = np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
        return np.column_stack([plain, off <= z * error])

    def agreeing(self, held: NDArray[Any]) -> Integers:
        """Count how many numbers of test sets that hold are the printed coverages."""
        agree: Integers = (np.round(held) == np.round(self.sets * self.printed)).sum(axis=-1)
        return agree

    def chance(self, tried: int) -> float:
        """Return how many of so many independent streams would fit.

        The numbers of test sets that hold are nearly normal. Each set of `least` numbers that might
        agree is counted, so the sum is too large where more than `least` numbers agree often.
        """
        rng = np.random.default_rng(1)
        flags = self.flags(rng.multinomial(self.n, self.population, size=200_000))
        mean, covariance = self.sets * flags.mean(axis=0), self.sets * np.cov(flags, rowvar=False)
        counts = np.round(self.sets * self.printed)
        which = map(list, combinations(range(len(counts)), self.least))
        return tried * sum(
            float(stats.multivariate_normal.pdf(counts[k], mean[k], covariance[np.ix_(k, k)]))
            for k in which
        )

    def search(self, name: str, streams: Iterable[NDArray[Any]], note: str) -> Search:
        """Return the search in streams of joint cells; a longer stream has a window for each start."""
        best = []
        for cells in streams:
            total = np.cumsum(
                np.vstack([np.zeros((1, len(self.printed))), self.flags(cells)]), axis=0
            )
            best.append(self.agreeing(total[self.sets :] - total[: -self.sets]))
        found = np.concatenate(best)
        hits = int((found >= self.least).sum())
        note = (
            f"{note}; at least {self.least} of {len(self.printed)} coverages; most: {found.max()}"
        )
        return Search(name, len(found), hits, self.chance(len(found)), note)


def section_3a() -> tuple[Coverages, list[normal_classes.Rule]]:
    """Return the list of section III-A at n = 500, and its first two rules."""
    z, x = normal_classes.drawn(RRandom(499), given("section-3a/training"))
    rules = [normal_classes.nearest(z, x), normal_classes.logistic(z, x)]
    keys = ("m1", "m2", "m3", "m4", "m1-and-m2", "m3-and-m4")
    return Coverages(
        n=given("table-4/n"),
        sets=given("section-3a/replicates"),
        population=normal_classes.population(rules),
        truth=printed(
            f"yuan/table-4/{r}/true/{m}" for r in ("1nn", "logistic") for m in ("f0.5", "accuracy")
        ),
        printed=printed(f"yuan/section-3a/n-500/individual/{key}" for key in keys),
        blurred=False,
        least=5,
    ), rules


def cells_3a(
    randoms: Iterable[RRandom],
    n: int,
    rules: Sequence[normal_classes.Rule],
    *,
    rbinom: bool,
    knn: bool,
) -> Integers:
    """Return joint cells of test sets of section III-A, each from the next generator."""
    found = []
    for random in randoms:
        z = random.rbinom_half(n) if rbinom else random.sample(2, n) - 1
        x = random.rnorm(z)
        answers = [rule.predict(x) for rule in rules]
        if knn:  # which takes a number for each case of the second class
            random.runif(int(answers[0].sum()))
        found.append(normal_classes.joint_counts(z, answers))
    return np.array(found)


def streams_3a() -> Search:
    """Search the test sets of section III-A in one stream."""
    wanted, rules = section_3a()
    ways = [(seed, r, k) for seed in USUAL for r in (True, False) for k in (True, False)]
    streams = (
        cells_3a([RRandom(seed)] * wanted.sets, wanted.n, rules, rbinom=r, knn=k)
        for seed, r, k in ways
    )
    return wanted.search("3a-one-seed", streams, "rbinom or sample; with knn's numbers or without")


def windows_3a(seeds: int = 21_000) -> Search:
    """Search the test sets of section III-A with a seed for each."""
    wanted, rules = section_3a()
    cells = cells_3a(map(RRandom, range(seeds)), wanted.n, rules, rbinom=True, knn=False)
    return wanted.search("3a-seeds", [cells], "seeds follow one another")


def million(seeds: int = 301, blocks: int = 3) -> Search:
    """Search the million cases of the true values of 1NN and logistic regression."""
    wanted, rules = section_3a()
    fits = []
    for seed in range(seeds):
        random = RRandom(seed)
        for _ in range(blocks):
            z, x = normal_classes.drawn(random, given("section-3a/true_value/replicates"))
            cells = normal_classes.joint_counts(z, [rule.predict(x) for rule in rules])
            off = np.abs(joint_coverage.true_values(cells, MEASURES).ravel() - wanted.truth)
            fits.append(off < 0.5e-4)
    of_rule = np.array(fits).reshape(-1, 2, 2).all(axis=-1)
    chance = float(of_rule.mean(axis=0).prod() * len(fits))
    hits = int(of_rule.all(axis=1).sum())
    note = f"first {blocks} million of each seed; {of_rule[:, 0].sum()} fit 1NN and {of_rule[:, 1].sum()} logistic regression"
    return Search("3a-true-values", len(fits), hits, chance, note)


def section_3b() -> tuple[Coverages, Integers, Integers]:
    """Return the list of section III-B, the joint cell of each case, and if 1NN predicts 1."""
    rules = datasets.abalone_rules()
    z, nearest, logistic = (rules[name].to_numpy() for name in ("z", "nn", "logistic"))
    code = 4 * z + 2 * nearest + logistic
    cells = np.bincount(code, minlength=8)
    kinds = ("individual", "corrected_individual")
    return (
        Coverages(
            n=given("section-3b/n"),
            sets=5000,  # the digits suggest it
            population=cells / cells.sum(),
            truth=joint_coverage.true_values(cells, MEASURES).ravel(),
            printed=printed(f"yuan/section-3b/{kind}/m{k}" for kind in kinds for k in range(1, 5)),
            blurred=True,
            least=4,
        ),
        code,
        nearest,
    )


def streams_3b() -> Search:
    """Search the test sets of section III-B in one stream."""
    wanted, code, nearest = section_3b()
    split = given("section-3b/total")
    starts = [(seed, 0) for seed in USUAL]
    starts += [(499, split), (499, split + int(nearest.sum())), (499, int(nearest.sum()))]

    def stream(start: tuple[int, int], times: int) -> Integers:
        random = RRandom(start[0])
        random.runif(start[1])
        found = np.empty((wanted.sets, 8), dtype=np.int64)
        for i in range(wanted.sets):
            rows = random.sample(len(code), wanted.n) - 1
            random.runif(times * int(nearest[rows].sum()))
            found[i] = np.bincount(code[rows], minlength=8)
        return found

    streams = (stream(start, times) for start in starts for times in (0, 1, 2))
    return wanted.search("3b-one-seed", streams, "knn's numbers not at all or once or twice")


def windows_3b(seeds: int = 30_000) -> Search:
    """Search the test sets of section III-B with a seed for each."""
    wanted, code, _ = section_3b()
    streams = (
        np.array(
            [
                np.bincount(code[sample(RRandom(i), len(code), wanted.n) - 1], minlength=8)
                for i in range(seeds)
            ]
        )
        for sample in SAMPLES
    )
    return wanted.search("3b-seeds", streams, "both ways to sample")


SEARCHES = (splits, table_1, million, streams_3a, windows_3a, streams_3b, windows_3b)


def in_r(forests: int) -> tuple[list[Search], str]:
    """Return the searches that R makes, and the versions of R and its packages."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "searches.csv")
        call = ["Rscript", str(DATA / "yuan_searches.R"), str(DATA), str(out), str(forests)]
        ran = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True)
        return read(out), ran.stdout.strip()


def read(path: Path) -> list[Search]:
    """Return the searches in a file of R."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Search(row[0], int(row[1]), int(row[2]), float(row[3]), row[4])
            for row in list(csv.reader(lines))[1:]
        ]


def text_of(searches: Iterable[Search]) -> str:
    """Return the text of the stored file, where chance has two digits."""
    table = [
        {**one._asdict(), "by_chance": f"{one.by_chance:{'.2g' if one.by_chance < 100 else '.0f'}}"}
        for one in searches
    ]
    return csv_text(Search._fields, table)


def store(text: str, versions: str) -> None:
    """Replace the stored file, and its entry."""
    data.register(
        FILE,
        text,
        made_by="python notebooks/data/make_yuan_searches.py --write",
        made_with=versions,
        source="computed from abalone.data and letter-recognition.data",
        licence="CC BY 4.0",
        citation="This compendium.",
    )


def main() -> None:
    """Make all searches anew, and compare or replace the stored counts."""
    parser = argparse.ArgumentParser(description="Search the runs of Yuan and Jiang again.")
    parser.add_argument("--write", action="store_true", help="replace the stored file")
    parser.add_argument("--forests", type=int, default=10_000, help="at most, in a search")
    options = parser.parse_args()
    of_r, versions = in_r(options.forests)
    text = text_of([search() for search in SEARCHES] + of_r)
    if options.write:
        store(text, versions)
    elif text != (DATA / FILE).read_text("utf-8"):
        raise SystemExit(f"{FILE}: other counts than the stored ones:\n{text}")


if __name__ == "__main__":
    main()
