"""R's random numbers in NumPy, against stored values of R 4.2.2 and against R where it is there."""

from __future__ import annotations

import numpy as np
import pytest
from in_r import in_r, r_has

from notebooks.shared import normal_classes
from notebooks.shared.r_random import RRandom

needs_r = pytest.mark.skipif(not r_has("class", "randomForest"), reason="needs R's packages")


def test_the_stream_is_that_of_r_4_2_2() -> None:
    # set.seed(499); runif(3); rnorm(4, 0:3); rbinom(20, 1, .5); ...: one stream.
    random = RRandom(499)
    uniform = [0.057851957622915506, 0.44101611129008234, 0.11606087977997959]
    assert random.runif(3).tolist() == uniform
    normal = [0.86779011914342841, 0.72353354348054955, 4.0585397163962043, 2.2555749451532292]
    np.testing.assert_allclose(random.rnorm(range(4)), normal, rtol=1e-14)
    coins = [1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0]
    assert random.rbinom_half(20).tolist() == coins
    last = [1128, 98, 1806, 804, 1964, 3145, 3216, 19, 809, 1101, 1172]
    assert random.sample(3333, 5000)[-11:].tolist() == last
    two = "111221211111121111211121111222"
    assert "".join(map(str, random.sample_two(30, 0.8))) == two


@needs_r
@pytest.mark.parametrize("seed", [0, 599, 2**31 - 1])
def test_long_streams_against_r(seed: int) -> None:
    code = f"""set.seed({seed}); show <- function(x) cat(sprintf('%.17g', x), '\\n')
        show(runif(2000)); show(rnorm(1000, rbinom(1000, 1, .5)))
        show(sample(1:3333, 3000, TRUE)); show(sample(2, 1000, TRUE, c(.8, .2)))"""
    random = RRandom(seed)
    ours = [random.runif(2000)]
    ours.append(random.rnorm(random.rbinom_half(1000)))
    ours += [random.sample(3333, 3000), random.sample_two(1000, 0.8)]
    np.testing.assert_allclose(np.concatenate(ours), in_r(code), rtol=1e-13, atol=1e-15)


# The first simulation of Yuan and Jiang

IN_R = """
suppressMessages({library(class); library(randomForest)})
set.seed(499); z <- rbinom(500, 1, .5); x <- rnorm(500, z); y <- factor(z)
Z <- rbinom(20000, 1, .5); X <- rnorm(20000, Z)
fit <- glm(z ~ x, binomial)
set.seed(1); forest <- predict(randomForest(data.frame(x), y), data.frame(x = X))
cat(sprintf('%.17g', -coef(fit)[1] / coef(fit)[2]), '')
cat(sum(forest == knn(data.frame(x), data.frame(X), y)))
cat('\\n'); set.seed(599)
for (i in 1:6) {
  Z <- rbinom(SIZE, 1, .5); X <- rnorm(SIZE, Z)
  nearest <- as.integer(knn(data.frame(x), data.frame(X), y) == 1)
  logistic <- as.integer(predict(fit, data.frame(x = X)) > 0)
  cat(tabulate(4 * Z + 2 * nearest + logistic + 1, 8), '')
}
"""


@needs_r
@pytest.mark.parametrize("n", [500, 2000])
def test_the_test_sets_of_section_3a_are_those_of_r(n: int) -> None:
    threshold, same, *counts = in_r(IN_R.replace("SIZE", str(n)))
    rules = [train(*normal_classes.drawn(RRandom(499), 500)) for train in TRAINERS]
    assert rules[1].edges[0] == pytest.approx(threshold, rel=1e-9)
    # The forest is the nearest neighbour.
    assert same == 20_000
    ours = normal_classes.simulated_counts(599, n, 6, rules)
    np.testing.assert_array_equal(ours, np.reshape(counts, (6, 8)))


TRAINERS = normal_classes.nearest, normal_classes.logistic
