r"""The posterior road, part one: block-regularised m x 2 cross-validation.

Wang and Li (2019), section 2.2 and Table 1, after Wang et al. (2014, 2017a). An
m x 2 cross-validation halves the data m times, :math:`D_n = S_j \cup T_j`, and
uses each half once for training and once for validation. It is block-regularised if

.. math:: |S_j| = |T_j|, \qquad |S_j \cap S_{j'}| = n / 4 \quad (j \ne j').

Then all pairs of training sets overlap alike, and the estimators of different
halvings share one correlation, :math:`\rho_2` in eqs. 14 and following. For m = 3
four blocks of equal size do it (Table 1). For any m, take :math:`2^k > m` blocks
and all rows of the Sylvester-Hadamard matrix of that order except the constant row:
each row has as many pluses as minuses, and two rows are both plus on a quarter of the blocks.

When it fails: if the number of blocks does not divide n, the two conditions hold only
approximately, within the bounds that `bcv_partitions` states. With few observations in a block
that error is not small.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

from f1ci.data import checks
from f1ci.data.labels import encode
from f1ci.types import LabelsLike, Seed

Indices = NDArray[np.intp]


def bcv_partitions(
    n: int,
    *,
    repetitions: int = 3,
    stratify: LabelsLike | None = None,
    rng: Seed = None,
) -> list[tuple[Indices, Indices]]:
    r"""Return training and validation sets of a block-regularised m x 2 cross-validation.

    Parameters
    ----------
    n : int
        Number of observations, at least the number of blocks.
    repetitions : int, default 3
        The number m of halvings. They are unions of :math:`2^k` blocks, the
        smallest power of two above m: 4 for m = 2 and 3, 8 for m = 4 to 7, and so on.
    stratify : array_like, optional
        A label for each observation. Every block then holds the same number of observations of
        each class, to within one (eq. 3 of the paper asks this of the positive class). So a class
        with fewer members than there are blocks is missing from some. To
        balance two keys at once, pass their combinations as labels.
    rng : None, int or numpy.random.Generator, optional
        Decides which observations share a block.

    Returns
    -------
    list of (train, test)
        2 m pairs of sorted index arrays in the order
        :math:`(S_1, T_1), (T_1, S_1), (S_2, T_2), \dots` So counts collected pair by
        pair and reshaped to ``(m, 2, 3)`` are what `effective_counts` and `bayes_test` take.

    Raises
    ------
    ValueError
        If there are fewer observations than blocks, if `stratify` has not one label per
        observation, or if the pairs do not fit in memory.

    See Also
    --------
    effective_counts : How many independent counts the 2 m folds are worth.
    bayes_test : Compare two models on the same partitions.

    Notes
    -----
    For m = 3 this is Table 1 of the paper: :math:`S_1 = B_1 \cup B_2`,
    :math:`S_2 = B_1 \cup B_3`, :math:`S_3 = B_2 \cup B_3`.

    Block sizes differ by at most one. If the number b of blocks divides n, both
    conditions hold exactly. Otherwise the r = n mod b larger blocks are placed where
    they disturb least. Then :math:`|S_j|` and :math:`|T_j|` differ, for up to 3 repetitions,
    by at most 1 if n is odd and 2 if it is even (if n = 2 modulo 4 no four blocks
    make all three differences smaller), and for up to 127 repetitions by at
    most :math:`2.2 \sqrt{b}`. A union of b/4 of the blocks, :math:`|S_j \cap S_{j'}|` is
    off :math:`n / 4` by at most 3b/16: 3/4 for 2 and 3 repetitions, 3/2 for 4 to 7.

    The result goes wherever scikit-learn takes ``cv`` as an iterable of splits:
    ``cross_val_score``, ``cross_validate``, ``GridSearchCV``. Only
    ``cross_val_predict`` refuses it, since each observation is validated m times.

    References
    ----------
    Wang and Li (2019), *Bayes test of precision, recall, and F1 measure for
    comparison of two natural language processing models*, ACL 2019, section 2.2.

    Examples
    --------
    >>> import f1ci
    >>> folds = f1ci.bcv_partitions(8, rng=1)
    >>> [(len(train), len(test)) for train, test in folds]
    [(4, 4), (4, 4), (4, 4), (4, 4), (4, 4), (4, 4)]
    >>> s1, s2, s3 = (set(train.tolist()) for train, _ in folds[::2])
    >>> len(s1 & s2), len(s1 & s3), len(s2 & s3)
    (2, 2, 2)

    Each half holds two of the four positives:

    >>> y = [1, 0, 0, 1, 1, 0, 0, 1]
    >>> [sum(y[i] for i in train) for train, _ in f1ci.bcv_partitions(8, stratify=y, rng=1)]
    [2, 2, 2, 2, 2, 2]
    """
    n = checks.positive_integer("n", n)
    m = checks.positive_integer("repetitions", repetitions)
    blocks = _number_of_blocks(n, m)
    # 1. Shuffle the observations, then gather the classes: each is a run in random order.
    order = checks.generator(rng).permutation(n)
    if stratify is not None:
        (codes,), _ = encode({"stratify": stratify}, n=n)
        order = order[np.argsort(codes[order], kind="stable")]
    # 2. Deal them out to the blocks.
    block = np.empty(n, dtype=np.intp)
    block[order] = _dealt(n, blocks)
    # 3. Every halving is a union of blocks.
    folds = []
    for halving in _halvings(m, blocks):
        first, second = _halves(halving[block])
        folds += [(first, second), (second, first)]
    return folds


def _number_of_blocks(n: int, m: int) -> int:
    """Return the smallest power of two above m, if n observations fill so many blocks."""
    blocks: int = 1 << m.bit_length()
    if n < blocks:
        rule = f"n must be at least {blocks}, the number of blocks for repetitions={m}"
        raise ValueError(f"{rule}, got {n}")
    return blocks


def _halves(in_first: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Return the observations in the first half, and those in the second."""
    return np.flatnonzero(in_first), np.flatnonzero(~in_first)


def _dealt(n: int, blocks: int) -> Indices:
    """Return the block of each of n observations, dealt out like cards.

    The counts of a class in two blocks differ by at most one, and so do the sizes of the blocks.
    The larger blocks are those whose numbers are the first triangular numbers: a halving has
    nearly as many of them on either side.
    """
    places = np.arange(blocks)
    triangular = places * (places + 1) // 2 % blocks
    is_larger = np.isin(places, triangular[: n % blocks])
    larger_first = np.argsort(~is_larger, kind="stable")
    return larger_first[np.arange(n) % blocks]


def _halvings(repetitions: int, blocks: int) -> NDArray[np.bool_]:
    """Tell which blocks belong to S_j, shape (m, blocks), in the order of Table 1.

    Entry (i, j) of Sylvester's matrix is minus if i and j have an odd number of binary ones in
    common. Its columns are taken backwards and its rows in the order of reversed binary digits.
    """
    digits = blocks.bit_length() - 1
    rows = [_reversed_digits(j, digits) for j in range(1, repetitions + 1)]
    signs = hadamard(blocks, dtype=np.int8)[rows, ::-1]
    return np.asarray(signs < 0)


def _reversed_digits(number: int, digits: int) -> int:
    """Return the number whose binary digits are those of `number` in reversed order."""
    return int(f"{number:0{digits}b}"[::-1], 2)
