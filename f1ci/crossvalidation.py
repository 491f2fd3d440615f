r"""The posterior road, part one: block-regularised m x 2 cross-validation.

Wang and Li (2019), section 2.2 and Table 1, after Wang et al. (2014, 2017a). An
m x 2 cross-validation halves the data m times, :math:`D_n = S_j \cup T_j`, and
uses each half once for training and once for validation. It is block-regularised if

.. math:: |S_j| = |T_j|, \qquad |S_j \cap S_{j'}| = n / 4 \quad (j \ne j').

Then all pairs of training sets overlap alike, and the estimators of different
halvings share one correlation, :math:`\rho_2` in eqs. 14 and following. For m = 3
four blocks of equal size do it (Table 1). For any m, take :math:`2^k > m` blocks
and the rows of the Sylvester-Hadamard matrix of that order but the constant one:
each row has as many pluses as minuses, and two rows agree in sign, plus, on a
quarter of the blocks.

When it fails: if the number of blocks does not divide n the two conditions hold only
approximately, within the bounds that `bcv_partitions` states; with blocks of a handful
of observations that is no longer a small error.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

from f1ci import _validation
from f1ci._labels import encode

Indices = NDArray[np.intp]
Signs = NDArray[np.int8]

# More do not fit in memory: observations, and the square of twice the repetitions.
_MOST_OBSERVATIONS = 10**8
_MOST_REPETITIONS = 10**4


def bcv_partitions(
    n: int,
    *,
    repetitions: int = 3,
    stratify: Any = None,
    rng: Any = None,
) -> list[tuple[Indices, Indices]]:
    r"""Training and validation sets of a block-regularised m x 2 cross-validation.

    Parameters
    ----------
    n : int
        Number of observations, at least the number of blocks.
    repetitions : int, default 3
        The number m of halvings. They are unions of :math:`2^k` blocks, the
        smallest power of two above m: 4 for m = 2 and 3, 8 for m = 4 to 7, and so on.
    stratify : array_like, optional
        A label for each observation: every block then holds the same number of
        observations of each class, to within one (eq. 3 of the paper asks it of
        the positive class). Several keys may be balanced at once: a list of
        label arrays, or an array or data frame with one column per key.
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
        If there are fewer observations than blocks, if a class of `stratify` has
        fewer members than there are blocks (some block would have none of it), or
        if `stratify` has not one label per observation.

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
    most :math:`\lceil\sqrt{b}\rceil`. A union of b/4 of the blocks, :math:`|S_j \cap S_{j'}|` is
    off :math:`n / 4` by at most 3b/16: 3/4 for 2 and 3 repetitions, 3/2 for 4 to 7.

    With stratification, the counts of a class in two blocks differ by at most one: for every
    class of the first two keys, and for every combination of classes of all keys. From the third
    key on they are kept close, without that guarantee. To have all combinations of
    classes treated as one key, pass that combination as the key.

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
    n = _validation.positive_integer("n", n, maximum=_MOST_OBSERVATIONS)
    repetitions = _validation.positive_integer(
        "repetitions", repetitions, maximum=_MOST_REPETITIONS
    )
    blocks = 1 << repetitions.bit_length()
    if n < blocks:
        raise ValueError(
            f"n must be at least {blocks}, the number of blocks for {repetitions} "
            f"repetition{'s' if repetitions > 1 else ''}, got {n}"
        )
    keys = _strata("stratify", stratify, n)
    for codes, classes in keys:
        sizes = np.bincount(codes)
        smallest = int(np.argmin(sizes))
        if sizes[smallest] < blocks:
            raise ValueError(
                f"every class of stratify must have at least {blocks} members, one for each "
                f"block, got {int(sizes[smallest])} of class {_validation.short(classes[smallest])}"
            )
    signs = _design(repetitions, blocks)
    block = _assign(n, [codes for codes, _ in keys], signs, _validation.generator(rng))
    folds = []
    for row in signs:
        in_first = (row > 0)[block]
        first, second = np.flatnonzero(in_first), np.flatnonzero(~in_first)
        folds += [(first, second), (second, first)]
    return folds


def _design(repetitions: int, blocks: int) -> Signs:
    """Signs (m, blocks): plus where a block belongs to S_j. Rows and columns start as in Table 1.

    Entry (i, j) of Sylvester's matrix is minus if i and j have an odd number of binary ones in
    common. Its columns are taken backwards and its rows in the order of reversed binary digits.
    """
    digits = blocks.bit_length() - 1
    rows = [int(f"{j:0{digits}b}"[::-1], 2) for j in range(1, repetitions + 1)]
    return np.asarray(-hadamard(blocks, dtype=np.int8)[rows, ::-1])


def _assign(n: int, keys: list[Indices], signs: Signs, rng: np.random.Generator) -> Indices:
    """The block of each observation."""
    blocks = signs.shape[1]
    cell = np.zeros(n, dtype=np.intp)
    for codes in keys:
        # Renumbered at each step, so that the product cannot overflow.
        cell = np.unique(cell * (codes.max() + 1) + codes, return_inverse=True)[1].reshape(-1)
    # Shuffle, then gather the cells: each is a run in random order.
    order = rng.permutation(n)
    if keys:
        order = order[np.argsort(cell[order], kind="stable")]
    size = np.bincount(cell)
    place = np.arange(n) - np.repeat(np.cumsum(size) - size, size)
    block = np.empty(n, dtype=np.intp)
    block[order] = place % blocks
    # Of each cell as many as possible went to all blocks alike. The rest, fewer than one per
    # block and cell, is split in half, and in half again, until there are as many parts as blocks.
    rest = order[place >= np.repeat(size - size % blocks, size)]
    part = np.zeros(rest.size, dtype=np.intp)
    for _ in range(blocks.bit_length() - 1):
        part = 2 * part + _halve(part, cell[rest], [codes[rest] for codes in keys], rng)
    # Part sizes differ by at most one: the larger ones go where they disturb |S_j| = |T_j| least.
    by_size = np.argsort(-np.bincount(part, minlength=blocks), kind="stable")
    name = np.empty(blocks, dtype=np.intp)
    name[by_size] = _spread(signs, n % blocks)
    block[rest] = name[part]
    return block


def _halve(
    part: Indices, cell: Indices, keys: Sequence[Indices], rng: np.random.Generator
) -> Indices:
    """A bit for each item that splits each part, cell and class of two keys evenly, to within one.

    Two ways of pairing items are laid over each other: within parts and classes of one key,
    and of another, with at most one left over in each. Together they link the items to
    paths and cycles of even length; so bits can alternate along all links, and every pair is split.
    """
    if not part.size:
        return part
    ways = [_pair(_nested(part, cell, keys[start::2])) for start in (0, 1)]
    bits = np.full(part.size, -1)
    starts = rng.permutation(part.size).tolist()
    for start, fresh in zip(starts, rng.integers(2, size=part.size).tolist(), strict=True):
        todo = [(start, fresh)]
        while todo:
            item, bit = todo.pop()
            if bits[item] < 0:
                bits[item] = bit
                todo += [(way[item], 1 - bit) for way in ways if way[item] != item]
    return bits.astype(np.intp)


def _nested(part: Indices, cell: Indices, keys: Sequence[Indices]) -> list[list[Indices]]:
    """Groupings within parts, each coarser than the one before: cell, keys, all."""
    return [[part, cell], *([part, *keys[:length]] for length in range(len(keys), -1, -1))]


def _pair(groupings: list[list[Indices]]) -> list[int]:
    """The partner of each item: itself for those that stay alone.

    As many as possible are paired within the first grouping, the others within the next.
    """
    partner = np.arange(groupings[0][0].size)
    free = partner.copy()
    for grouping in groupings:
        free = free[np.lexsort([key[free] for key in grouping])]
        same = np.ones(max(free.size - 1, 0), dtype=bool)
        for key in grouping:
            same &= key[free[1:]] == key[free[:-1]]
        start = np.concatenate([[True], ~same])[: free.size]
        place = np.arange(free.size)
        place -= np.maximum.accumulate(np.where(start, place, 0))
        # The first of a pair has an even place in its group and a neighbour in the same group.
        first = np.flatnonzero(np.concatenate([same, [False]])[: free.size] & (place % 2 == 0))
        partner[free[first]], partner[free[first + 1]] = free[first + 1], free[first]
        free = free[partner[free] == free]
    return [int(item) for item in partner]


def _spread(signs: Signs, larger: int) -> Indices:
    """All blocks, first the `larger` ones, chosen so that each row of signs nearly sums to zero.

    Greedy in the fourth powers of the sums. (Over all rows of a Hadamard matrix the sum
    of their squares is the same whatever the choice.)
    """
    blocks = signs.shape[1]
    few = min(larger, blocks - larger)
    sums = np.zeros(signs.shape[0])
    chosen: list[int] = []
    for _ in range(few):
        cost = ((sums[:, None] + signs) ** 4).sum(axis=0)
        cost[chosen] = np.inf
        chosen.append(int(np.argmin(cost)))
        sums += signs[:, chosen[-1]]
    others = np.setdiff1d(np.arange(blocks), chosen)
    few_blocks = np.asarray(chosen, dtype=np.intp)
    return np.concatenate([few_blocks, others] if few == larger else [others, few_blocks])


def _strata(name: str, value: Any, n: int) -> list[tuple[Indices, list[Hashable]]]:
    """The keys to balance, none, one or several: codes of the observations, and the classes."""
    if value is None:
        return []
    if hasattr(value, "to_numpy"):  # pandas, polars
        value = value.to_numpy()
    named = {name: value}
    if isinstance(value, np.ndarray) and value.ndim == 2:
        named = {f"{name}[:, {i}]": key for i, key in enumerate(value.T)}
    elif isinstance(value, (list, tuple)) and value and all(map(_holds_labels, value)):
        named = {f"{name}[{i}]": key for i, key in enumerate(value)}
    keys = []
    for key_name, key in named.items():
        (codes,), classes = encode({key_name: key})
        if len(codes) != n:
            raise ValueError(
                f"{key_name} must have one label for each of the n = {n} observations, "
                f"got {len(codes)}"
            )
        keys.append((codes, classes))
    return keys


def _holds_labels(value: Any) -> bool:
    """Whether this is a collection of labels rather than a label (a tuple is a label)."""
    return isinstance(value, list) or getattr(value, "ndim", 0) == 1 or hasattr(value, "to_numpy")
