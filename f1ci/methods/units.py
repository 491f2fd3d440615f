"""temporary"""
from typing import NamedTuple
import numpy as np
from scipy import special
from f1ci.methods import delta
from f1ci.methods.closed_form import tversky_moments, tversky_limits
class Moves(NamedTuple):
    estimate: object
    influence: object
    left_out: object
    share: object
    bias: object = 0.0
def delta_error(influence, estimate):
    units = len(influence)
    error = np.sqrt((influence**2).sum(axis=0) * (units / max(units - 1, 1)))
    return np.where(np.isnan(estimate), np.nan, error)
def without(influence, share):
    others = 1.0 - share
    moved = np.where(others > 1e-12, influence / np.maximum(others, 1e-12), 0.0)
    return moved * np.sqrt(1.0 - 1.0 / np.maximum((share > 0.0).sum(axis=0), 1))
def student(share, z):
    degrees = np.maximum(1.0 / np.maximum((share**2).sum(axis=0), 1e-9) - 1.0, 1.0)
    return np.asarray(special.stdtrit(degrees, special.ndtr(z)))
def moves_of_counts(table, index, average):
    a, b = index.a, index.b
    if average == "micro":
        table = table.sum(axis=2)
    if average == "samples":
        tp, fp, fn = np.moveaxis(table.sum(axis=2), 1, 0)
        s = tversky_moments(tp, fp, fn, a, b)[0]
        s = s[~np.isnan(s)]
        table = np.stack([s, 0*s, 1-s], axis=1); a, b = 0.0, 1.0
    if average in ("macro", "weighted"):
        return by_classes(table, a, b, average == "weighted")
    tp, fp, fn = np.moveaxis(table, 1, 0)
    fp = fp * (a > 0); fn = fn * (b > 0)
    estimate, _ = tversky_moments(tp.sum(0), fp.sum(0), fn.sum(0), a, b)
    relevant, whole = tp + fp + fn, tp + a * fp + b * fn
    with np.errstate(all="ignore"):
        influence = tp - estimate * whole
        influence = np.where(np.abs(influence) <= 1e-14 * (tp + whole), 0.0, influence)
        influence = np.nan_to_num(influence / whole.sum(0))
        share = np.nan_to_num(relevant / relevant.sum(0))
    return Moves(estimate, influence, without(influence, share), share)
def by_classes(table, a, b, weighted):
    tp, fp, fn = np.moveaxis(table, 1, 0)
    tot = table.sum(0)
    each, single = tversky_moments(*tot, a, b)
    def avg(t):
        v = tversky_moments(*t, a, b)[0]
        w = t[0] + t[2] if weighted else np.ones_like(t[0])
        w = w / w.sum(axis=-1, keepdims=True)
        v = np.where(np.isnan(v), each, v)
        return (w * np.where(w == 0, 0, v)).sum(-1), w
    with np.errstate(all="ignore"):
        (est, w) = avg(tot)
        others, _ = avg(np.moveaxis(tot - table, 1, 0))
    m = moves_of_counts(table, type("I", (), dict(a=a, b=b)), None)
    inf = m.influence @ w
    known = np.where(w == 0, 0, each)
    if weighted:
        true = tp + fn
        inf = inf + true @ (known - w @ known) / true.sum()
    matters = np.nan_to_num(np.where(w == 0, 0, w * single) ** 2)
    matters = matters if matters.any() else np.where(w == 0, 0.0, 1.0)
    share = m.share @ (matters / matters.sum())
    last = len(table) - 1
    return Moves(est, inf, (est - others) * np.sqrt(last / len(table)), share, last * (others.mean() - est))
def moves_of_items(estimate, influence, items):
    n = items.counts.sum(0)
    g = items.groups
    sums = np.bincount(g, items.counts * influence); sizes = np.bincount(g, items.counts * np.abs(influence))
    sums = np.where(np.abs(sums) <= 1e-14 * sizes, 0, sums) / n
    sq = items.counts * influence**2
    true = items.codes[0]
    by = np.bincount(true, sq) / np.maximum(np.bincount(true, items.counts), 1)
    matters = items.counts * (by[true] if by.any() else 1.0)
    share = np.bincount(g, matters) / matters.sum()
    return Moves(estimate, sums, without(sums, share), share)
def correlation(a, b):
    s = (a.left_out**2).sum(0) * (b.left_out**2).sum(0)
    with np.errstate(all="ignore"):
        return np.clip(np.nan_to_num((a.left_out * b.left_out).sum(0) / np.sqrt(s)), -1, 1)
def limits(moves, z, range_):
    err = np.sqrt((moves.left_out**2).sum(axis=0)) * (student(moves.share, z) / z)
    half = 0.5 * (range_[0] + moves.estimate), 0.5 * (range_[1] + moves.estimate)
    centre = np.clip(moves.estimate - moves.bias, *half)
    low, high = delta.logit(centre, err, z, range_)
    return np.minimum(low, moves.estimate), np.maximum(high, moves.estimate)
