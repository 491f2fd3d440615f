# %% [markdown]
# # The geometry of the Wilson intervals for F1
#
# The end points of the Wilson direct interval are roots of a quartic equation. How many real roots
# does it have, and where are they? The proof of {cite:t}`lam2024` finds exactly two, both in
# $[0, 1]$, if there are enough relevant items. This notebook reproduces the numbers of their proof,
# and shows a stronger theorem at work, which needs no condition ({prf:ref}`thm-lam-two-roots` in
# [the chapter](/book/lam.md)). It also draws Figures 1 and 3: the map from F\* to F1, and which of
# the two Wilson intervals is shorter.

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of the intervals in the figures and in the edge cases
relevant: list[int] = [5, 10, 25, 100]  # numbers v of relevant items for Figure 3, rising
seed: int = 20260101  # order of the items in the first figure

# %%
# Import what the notebook uses, open the ledger, and compute the quantile z.
import warnings
from fractions import Fraction
from math import ceil, floor

import numpy as np
from compendium import figures, ledger, show
from numpy.polynomial import Polynomial
from scipy.optimize import brentq
from scipy.stats import binom, norm

import f1ci
from notebooks.shared.four_intervals import ends_at, f1_of

# `given`, `printed`, `record` and `say` read and fill the ledger, see notebooks/README.md.
# `show` makes tables; in `show.grid` and `show.compare` the printed number stands with ours and
# the verdict. `f1_of` maps F* to F1. `ends_at` returns the end points of `f1ci` at any sample F1,
# whole counts or not.
page = ledger.open("lam-geometry")
given, _, record, say = page
z = float(norm.ppf(0.5 + 0.5 * confidence_level))

# %% [markdown]
# ## The idea in one picture
#
# F1 does not count true negatives. Take them away. Each item that remains is either right (a true
# positive) or wrong (a false positive or a false negative). So a test set is a series of coin
# tosses, and F1 depends only on how often the coin shows "right".

# %%
COUNTS = {"true positive": 26, "false positive": 5, "false negative": 5, "true negative": 24}
COLOURS = {
    "true positive": "#0072b3",
    "false positive": "#c04e00",
    "false negative": "#e69f01",
    "true negative": "#ddddde",
}
# White letters cannot be read on the bright discs. On dark pages discs and letters stay as they are,
# because these are not quite the colours of the book's lines.
DARK = {"true negative": "#4a4a4b", "false negative": "#000001"}
items = np.random.default_rng(seed).permutation(np.repeat(list(COUNTS), list(COUNTS.values())))


# %%
def draw_items(axis, kinds, letters):
    """Draw items as discs in rows of ten, each with its letter."""
    for place, kind in enumerate(kinds):
        x, y = place % 10, -(place // 10)
        axis.plot(x, y, "o", markersize=18, color=COLOURS[kind])
        look = {"ha": "center", "va": "center", "fontsize": 10, "color": DARK.get(kind, "#fffffe")}
        axis.annotate(letters[kind], (x, y), **look)
    axis.set(xlim=(-0.7, 9.7), ylim=(-ceil(len(kinds) / 10), 0.7), aspect="equal")
    axis.axis("off")


# %% mystnb={"image": {"alt": "Above: sixty discs in rows, true positives blue, false positives red, false negatives orange, and many true negatives in pale grey. Below: the grey discs are gone. Thirty-six discs remain, with R for right on the blue discs and W for wrong on the others, like coins."}, "figure": {"caption": "Above: sixty items of a test set. F1 ignores the grey ones, the true negatives. Below: what remains are coin tosses, right (R) or wrong (W). F1 follows from the share of R.", "name": "fig-lam-geometry-coin"}}
# Draw all items above, and the relevant items as coins below.
figure, (left, right) = figures.subplots(2, 1, height=5.2, height_ratios=[6, 4])
initials = {kind: "".join(word[0] for word in kind.split()).upper() for kind in COUNTS}
draw_items(left, items, initials)
coins = {"true positive": "R", "false positive": "W", "false negative": "W"}
draw_items(right, [kind for kind in items if kind in coins], coins)
left.set_title("A test set")
right.set_title("Without true negatives")
figures.save(figure, "lam-geometry-coin")

# %% [markdown]
# ## Figure 1: F1 is an increasing function of F\*
#
# F\* is the share of true positives among the relevant items, and
# $F_1 = \varphi(F^*) = 2 F^* / (1 + F^*)$ (equation {eq}`eq-lam-map`, eq. 10 of the paper). The
# map is increasing ({prf:ref}`prop-lam-monotone`), so an interval for F\* becomes one for F1 and
# nothing is lost. The map is not straight: it stretches low scores and squeezes high scores, by the
# factor on the right.

# %% mystnb={"image": {"alt": "Two panels. Left: F1 against F-star, an increasing concave curve from 0 to 1 above the diagonal. Right: its derivative, which falls from 2 at F-star 0 to one half at 1."}, "figure": {"caption": "Figure 1 of the paper (left): F1 as a function of F\\*. Right: its derivative, by which the map stretches small intervals.", "name": "fig-lam-geometry-figure-1"}}
# Draw the map from F* to F1, and its derivative.
share = np.linspace(0, 1, 201)
figure, (left, right) = figures.subplots(1, 2, height=2.5)
left.plot(share, f1_of(share), color=figures.COLOURS["blue"])
left.plot(share, share, color=figures.COLOURS["grey"], linewidth=1, linestyle=":")
left.set(xlabel="$F^*$", ylabel="$F_1$", title="The map", aspect="equal")
right.plot(share, 2 / (1 + share) ** 2, color=figures.COLOURS["blue"])
right.set(xlabel="$F^*$", ylabel="$dF_1 / dF^*$", title="Its derivative", ylim=(0, 2.1))
figures.save(figure, "lam-geometry-figure-1")

# %% [markdown]
# (shown-e-lam-1)=
# ## The variance, and equation 22
#
# By the delta method the variance of $\hat F_1$ is the squared derivative times the variance of
# $\hat F^*$, which is $F^* (1 - F^*) / v$ (equation {eq}`eq-lam-variance`). Equation 22 of the
# paper divides by $v$ once more ({ref}`E-lam-1 <E-lam-1>`); equations 23 to 25 do not. Which is
# right? We take $v = 100$ and the F\* of the paper's scenario 1. First both formulas, as fractions:

# %%
# Write both formulas as fractions.
v = 100
p11, p10, p01 = (
    Fraction(page.row(f"lam/section-5.1/scenario-1/{cell}").printed)
    for cell in ("p11", "p10", "p01")
)
share = p11 / (p11 + p10 + p01)
slope = 2 / (1 + share) ** 2
equation_23 = slope**2 * share * (1 - share) / v
equation_22 = equation_23 / v
f1 = 2 * share / (1 + share)
assert equation_23 == f1 * (1 - f1) * (2 - f1) ** 2 / (2 * v)  # equation 25

# %% [markdown]
# Then the exact variance over all outcomes of a binomial:

# %%
outcomes = np.arange(v + 1)
weights = binom.pmf(outcomes, v, float(share))
scores = f1_of(outcomes / v)
exact_variance = float(weights @ (scores - weights @ scores) ** 2)

# %%
# Show the variance by each equation, and exactly.
say("lam-geometry-equation-22-ratio", exact_variance / float(equation_22))
say("lam-geometry-equation-23-ratio", exact_variance / float(equation_23))
rows = [
    ["equation 22, as printed", f"{float(equation_22):.3e}"],
    ["equations 23 to 25", f"{float(equation_23):.3e}"],
    ["exact, over all outcomes", f"{exact_variance:.3e}"],
]
show.table(
    ["variance of the sample F1", "value"],
    rows,
    numeric=(1,),
    caption=(
        "The variance of the sample F1, three ways. Only one equation has the order of the "
        "exact value."
    ),
)

# %% [markdown]
# The exact variance is {glue:text}`lam-geometry-equation-23-ratio:.3f` times the variance by
# equations 23 to 25, and {glue:text}`lam-geometry-equation-22-ratio:.0f` times the variance by
# equation 22 as printed. Equation 22 has a misprint; nothing after it is affected.
#
# ## The quartic, and where 16/11 comes from
#
# The Wilson direct end points solve $Q(F) = 0$, where $\kappa = z^2 / v$ and
# $Q(F) = 2 (F - \hat F_1)^2 - \kappa\, F (1 - F)(2 - F)^2$ (equation {eq}`eq-lam-quartic`, eqs. 43 and
# 44 of the paper). The paper argues as follows. If $Q''$ has no real root, then $Q$ is convex, and
# a strictly convex function has at most two roots ({prf:ref}`lem-lam-at-most-two`). We repeat the
# argument with polynomials whose coefficients are integers. With $P(F) = F (1 - F)(2 - F)^2$,
# $Q'' = 4 - \kappa P''$, and $P''$ is a quadratic:

# %%
# Compute the second derivative of P.
unit = Polynomial([0, 1])
second = (unit * (1 - unit) * (2 - unit) ** 2).deriv(2)
c, b, a = (Fraction(int(x)) for x in second.coef)  # P'' = a F^2 + b F + c
# The discriminant of -k a F^2 - k b F + (4 - k c), as a polynomial in k.
discriminant = Polynomial([0, -b]) ** 2 - 4 * Polynomial([0, -a]) * Polynomial([4, -c])
_, linear, quadratic = discriminant.coef
bound = -linear / quadratic
print(f"P''(F) = {int(a)} F^2 {int(b):+} F {int(c):+}")
print(f"discriminant of Q'' = {quadratic} k^2 - {-linear} k, negative for 0 < k < {bound}")

# %%
# Record the coefficients and bounds, and compare them with the printed ones.
alpha = given("lam/section-4.5/alpha")
paper_z = float(norm.ppf(1 - alpha / 2))
record("lam/equation-54/quadratic_coefficient", int(quadratic))
record("lam/equation-54/linear_coefficient", int(-linear))
for place in ("equation-55", "lemma-2", "theorem-1"):
    record(f"lam/{place}/k_bound", bound)
record("lam/section-4.5/v_factor", 1 / bound)
record("lam/section-4.5/minimum_relevant", floor(paper_z**2 / bound) + 1)
show.compare(
    list(page.records),
    caption="Coefficients and bounds of the quartic. The printed ones follow from the polynomial.",
)

# %% [markdown]
# So the paper's theorem applies if $\kappa < 16/11$, that is if $v > \frac{11}{16} z^2$. At the 95 %
# level this means {published}`lam/section-4.5/minimum_relevant` relevant items or more. The next
# figure shows $Q$ on both sides of that bound, for three items and for one.

# %%
grid = np.linspace(-0.2, 2.4, 521)
colours = [figures.COLOURS[c] for c in ("blue", "sky", "green", "orange", "vermilion")]


def draw_quartics(axis, items):
    """Draw the quartic for five values of the sample F1, and its roots in [0, 1]."""
    k = paper_z**2 / items
    for f, colour in zip((0, 0.25, 0.5, 0.75, 1), colours, strict=True):
        curve = 2 * (grid - f) ** 2 - k * grid * (1 - grid) * (2 - grid) ** 2
        axis.plot(grid, curve, color=colour, label=f"{f:g}")
        axis.plot(ends_at("wilson_direct", f, items, paper_z), [0, 0], "o", color=colour)
    axis.axhline(0, color="black", linewidth=0.8)
    axis.axvspan(0, 1, color="#eeeeee", linewidth=0)
    sign = "<" if k < bound else ">"
    axis.set(ylim=(-2.6, 6), xlabel="$F$", title=f"$v$ = {items}, $\\kappa$ = {k:.2f} {sign} 16/11")


# %% mystnb={"image": {"alt": "Two panels of the quartic for five values of the sample F1. Above, three relevant items: convex curves. Below, one item: curves with a bend to the right of 1, where they stay above zero. In both panels every curve crosses zero exactly twice, between 0 and 1."}, "figure": {"caption": "The quartic $Q$ for five values of the sample F1, at the 95 % level. Above, $v = 3$: $\\kappa$ is below 16/11, and $Q$ is convex. Below, $v = 1$: $\\kappa$ is above, $Q$ bends twice, and yet every curve has two roots only, both in $[0, 1]$ (the points).", "name": "fig-lam-geometry-quartic"}}
# Draw the quartic for three relevant items and for one.
figure, axes = figures.subplots(2, 1, height=6.6)
for axis, items in zip(axes, (3, 1), strict=True):
    draw_quartics(axis, items)
for axis in axes:
    axis.set_ylabel("$Q(F)$")
figure.legend(
    *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, title="sample $F_1$"
)
figures.save(figure, "lam-geometry-quartic")

# %% [markdown]
# (shown-e-lam-2)=
# ## Two roots, always
#
# The paper asks for convexity, which is more than needed ({ref}`N-lam-2 <N-lam-2>`). A root $F$
# inside $(0, 1)$ is where the function $h(F) = 2 (F - \hat F_1)^2 / \{F (1 - F)(2 - F)^2\}$ takes
# the value $\kappa$ (equation {eq}`eq-lam-h`). The function $h$ falls all the way from $F = 0$ to the
# estimate, and rises all the way from there to $F = 1$. So it takes every value $\kappa > 0$ once on
# each side. Outside $[0, 1]$ the quartic is positive.

# %% mystnb={"image": {"alt": "The function h for three sample values of F1 on a logarithmic scale. Each curve falls steeply to zero at its sample value and rises again to infinity at 1. Horizontal lines for 1, 3, 10 and 100 relevant items each meet a curve once on each side."}, "figure": {"caption": "The function $h$ for three sample values of F1. The end points are where it meets the height $\\kappa = z^2 / v$ (dotted): once to the left of the sample value, once to the right, however large $\\kappa$ is.", "name": "fig-lam-geometry-h"}}
# Draw the function h for three sample values.
figure, axis = figures.subplots(height=3.6)
inside = np.linspace(0, 1, 2003)[1:-1]
for f, colour, style in zip(
    (0.2, 0.5, 0.8), ("vermilion", "green", "blue"), ("--", "-.", "-"), strict=True
):
    h = 2 * (inside - f) ** 2 / (inside * (1 - inside) * (2 - inside) ** 2)
    axis.plot(inside, h, color=figures.COLOURS[colour], linestyle=style, label=f"{f:g}")
for items in (1, 3, 10, 100):
    axis.axhline(paper_z**2 / items, color=figures.COLOURS["grey"], linestyle=":", linewidth=1.2)
    axis.annotate(f"$v$ = {items}", (1.01, paper_z**2 / items), va="center", annotation_clip=False)
axis.set(yscale="log", ylim=(1e-3, 50), xlim=(0, 1), xlabel="$F$", ylabel="$h(F)$")
axis.legend(title="sample $F_1$", loc="upper center", ncols=3)
figures.save(figure, "lam-geometry-h")

# %% [markdown]
# The proof is in the chapter. Here we check it by numbers, at 401 sample values. `numpy.roots` is a general
# solver that knows nothing of the theorem. The numbers of items
# include $v = 1$ and 2, which the paper's condition excludes, and two values of $\kappa$ that no $v$ has
# at this level. How many of the four roots are real, where are they, and are they those of `f1ci`?


# %%
# Find the real roots of the quartic, and the distance of f1ci's end points from them.
sample = np.linspace(0, 1, 401)


def real_roots(f, k):
    """Return the real roots of the quartic, and how far the others are from the real line."""
    quartic = 2 * (unit - f) ** 2 - k * unit * (1 - unit) * (2 - unit) ** 2
    roots = np.roots(quartic.coef[::-1])
    is_real = np.abs(roots.imag) < 1e-9
    return np.sort(roots[is_real].real), np.abs(roots[~is_real].imag).min(initial=np.inf)


def distance_to_f1ci(items):
    """Return the largest distance of f1ci's end points from the roots, over all counts."""
    tp = np.arange(items + 1)
    options = {"method": "wilson_direct", "confidence_level": 1 - alpha}
    interval = f1ci.f1_interval(tp, items - tp, 0, **options)
    roots = [real_roots(f1_of(t / items), paper_z**2 / items)[0] for t in tp]
    return np.abs(np.array(roots) - np.transpose([interval.low, interval.high])).max()


# %%
# For several k, find all real roots at every estimate, and check that two lie around it.
rows = []
for k in (1000, 10, *(paper_z**2 / items for items in (1, 2, 3, 10, 100, 1000))):
    items = paper_z**2 / k
    roots_by_score = [real_roots(f, k) for f in sample]
    assert all(
        -1e-12 < low <= f + 1e-12 < high + 2e-12 < 1 + 1e-11
        for f, ((low, *_, high), _) in zip(sample, roots_by_score, strict=True)
    )
    whole = items > 0.99
    rows.append([f"{items:.0f}" if whole else "", f"{k:.4g}", "yes" if k < bound else "no"])
    rows[-1].append(" or ".join(sorted({str(len(roots)) for roots, _ in roots_by_score})))
    rows[-1].append(f"{min(distance for _, distance in roots_by_score):.2f}")
    rows[-1].append(f"{distance_to_f1ci(round(items)):.0e}" if whole else "")
head = ["v", "k", "k < 16/11?", "real roots", "imaginary part of the others, at least"]
show.table(
    [*head, "distance to f1ci's end points, at most"],
    rows,
    numeric=(0, 1, 3, 4, 5),
    caption=(
        "Roots of the quartic at every estimate. Two real roots lie around the estimate also "
        "where k is below the paper's bound."
    ),
)

# %% [markdown]
# There are always two, one on each side of the sample value, both in $[0, 1]$. The two complex
# roots never come near the real line. So the interval needs no minimum number of items, and a root
# finder that searches on each side of the estimate cannot fail. At higher levels the paper's
# condition would ask for more items:

# %%
# Show from which number of relevant items the paper's theorem applies.
rows = []
for level in (0.9, 0.95, 0.99, 0.999):
    needed = floor(float(norm.ppf(0.5 + level / 2)) ** 2 / bound) + 1
    rows.append([f"{100 * level:g} %", f"{needed}", "1"])
head = ["confidence level", "relevant items, paper's theorem", "in truth"]
show.table(
    head,
    rows,
    numeric=(0, 1, 2),
    caption=(
        "Relevant items from which the Wilson direct interval exists. The paper's theorem "
        "asks for more than is needed."
    ),
)

# %% [markdown]
# ## Figure 3: which Wilson interval is shorter?
#
# Both lengths depend only on $v$ and on the sample F1. The paper's Figure 3 compares them. Our copy
# of the paper lacks its figures, and its text does not name the numbers $v$ of this one. We chose
# {glue:text}`lam-geometry-relevant` relevant items, and added the difference.

# %% tags=["remove-cell"]
say("lam-geometry-relevant", ", ".join(map(str, relevant)))
f = np.linspace(0, 1, 1001)
METHODS = ("wilson_direct", "wilson_indirect")


# %%
def length(items, method, scores=f):
    """Return lengths of an interval at values of the sample F1, whole counts or not."""
    low, high = ends_at(method, scores, items, z)
    return high - low


def direct_minus_indirect(items, scores=f):
    """Return the length of the direct interval minus that of the indirect interval."""
    return length(items, "wilson_direct", scores) - length(items, "wilson_indirect", scores)


def crossing(items):
    """Find the sample F1 at which the two Wilson intervals are equally long."""
    return brentq(lambda f1: direct_minus_indirect(items, f1), 0.01, 0.99, xtol=1e-15)


# %%
def draw_lengths(axis, rank, items):
    """Draw both lengths for a number of items: the more items, the thicker the line."""
    for method in METHODS:
        look = {k: figures.METHODS[method][k] for k in ("color", "linestyle", "label")}
        look["label"] = look["label"] if rank == 0 else None
        axis.plot(f, length(items, method), **look, linewidth=1.0 + 0.5 * rank)
    top = (0.45, max(length(items, method)[450] for method in METHODS))
    shift = {"xytext": (0, 9), "textcoords": "offset points", "ha": "center"}
    axis.annotate(f"$v$ = {items}", top, **shift)


# %% mystnb={"image": {"alt": "Above: lengths of the Wilson direct and indirect intervals against the sample F1, for four numbers of relevant items; the curves are arches, lower for more items. Below: direct minus indirect, negative for low and positive for high sample F1. The curves cross zero at 0.509, 0.487, 0.467 and 0.453 for 5, 10, 25 and 100 items, and flatten as the number of items grows."}, "figure": {"caption": "Figure 3 of the paper. Above: lengths of the two Wilson intervals for several numbers $v$ of relevant items; the thicker the line, the larger $v$. Below: Wilson direct minus Wilson score (the paper's Wilson indirect). Below zero the direct interval is shorter.", "name": "fig-lam-geometry-figure-3"}}
# Draw the lengths above and their differences below.
figure, (left, right) = figures.subplots(2, 1, height=7.0)
shades = [figures.COLOURS[c] for c in ("orange", "vermilion", "purple", "black")]
for rank, items in enumerate(relevant):
    draw_lengths(left, rank, items)
    look = {"color": shades[rank % 4], "linestyle": ("-", "--", "-.", ":")[rank % 4]}
    right.plot(f, direct_minus_indirect(items), label=f"{items}", **look)
left.set(xlabel="sample $F_1$", ylabel="length", title="Lengths")
left.set_ylim(0, 1.12 * length(min(relevant), "wilson_indirect").max())
left.legend(loc="lower center")
right.axhline(0, color="black", linewidth=0.8)
right.set(xlabel="sample $F_1$", title="Wilson direct minus Wilson score")
right.legend(title="$v$")
figures.save(figure, "lam-geometry-figure-3")

# %% [markdown]
# Section 5.3.2 of the paper says it in words. At small $v$ the direct interval is shorter for low
# scores, and the indirect interval for high scores. At large $v$ they are alike. In numbers:

# %%
limit = (17 - 97**0.5) / 16
rows = []
for items in (*relevant, 1000, 100_000):
    gap = direct_minus_indirect(items)
    rows.append([f"{items:,}", f"{-gap.min():.1e}", f"{gap.max():.1e}", f"{crossing(items):.4f}"])
rows.append(["limit", "0", "0", f"{limit:.4f}"])

# %%
# Keep these numbers for the text, and show where the two lengths are equal.
say("lam-geometry-limit", limit)
say("lam-geometry-crossing-small", crossing(relevant[0]))
say("lam-geometry-smallest", relevant[0])
head = ["v", "direct shorter by up to", "longer by up to", "equal at sample F1 ="]
show.table(
    head,
    rows,
    numeric=(0, 1, 2, 3),
    caption=(
        "Where the direct interval is shorter, and where it is longer. At large v both are alike."
    ),
)

# %% [markdown]
# The statement holds, and we can name the place where the two change roles. It moves from
# {glue:text}`lam-geometry-crossing-small:.3f` at $v$ = {glue:text}`lam-geometry-smallest` to
# $(17 - \sqrt{97}) / 16$, about {glue:text}`lam-geometry-limit:.3f`, for many items
# ({prf:ref}`thm-lam-lengths`). The reason: the direct interval always lies below the indirect one
# ({prf:ref}`thm-lam-shift`). At low scores the border 0 cuts it short. At high scores its upper end
# stays away from the border 1, and the interval is long.
#
# (shown-e-lam-6)=
# ## At the borders
#
# Equations 26 and 27 of the paper define the Clopper-Pearson end points by
# $P(n_{11} < \tilde n_{11}) = 1 - \alpha/2$ and $P(n_{11} > \tilde n_{11}) = 1 - \alpha/2$. If no
# relevant item is right, the first event is $n_{11} < 0$; if none is wrong, the second is
# $n_{11} > v$ ({ref}`N-lam-6 <N-lam-6>`). Neither can happen, whatever F\* is:

# %%
# Check that no interval of Clopper and Pearson can have these end points.
share = np.linspace(0, 1, 1001)
items = 5
below, above = binom.cdf(-1, items, share).max(), binom.sf(items, items, share).max()
rows = [
    ["P(n11 < 0)", f"{below:g}", f"{0.5 + 0.5 * confidence_level:g}"],
    [f"P(n11 > {items})", f"{above:g}", f"{0.5 + 0.5 * confidence_level:g}"],
]
show.table(
    [f"v = {items}", "greatest over all F*", "needed"],
    rows,
    numeric=(1, 2),
    caption=(
        "End points that Clopper and Pearson's definition cannot give. The greatest "
        "probability stays below the one needed."
    ),
)

# %% [markdown]
# So the two equations have no solution there. Software must set these end points itself: 0 below,
# 1 above. And with no relevant item at all, $v = 0$, F1 is undefined. `f1ci` returns in these cases:

# %%
cases = {"TP = 0, 5 wrong": (0, 5), "TP = 5, none wrong": (5, 0), "no relevant item": (0, 0)}


def limits(method, tp, wrong):
    """Return the limits of a method, without its warnings: the table shows those cases."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", f1ci.IntervalWarning)
        return f1ci.f1_interval(tp, wrong, 0, method=method, confidence_level=confidence_level)


# %%
# Show the four intervals in each of these cases.
rows = []
for method, look in figures.METHODS.items():
    intervals = [limits(method, *case) for case in cases.values()]
    rows.append([look["label"], *(f"{i.low:.4f} to {i.high:.4f}" for i in intervals)])
show.table(
    ["method", *cases],
    rows,
    numeric=(1, 2, 3),
    caption=(
        "Intervals where no item is right, none is wrong, or none is relevant. Software must "
        "set these end points itself."
    ),
)

# %%
# Check the limits that have a closed form.
tail = 0.5 * (1 - confidence_level)
closed = {
    "clopper_pearson": f1_of(1 - tail ** (1 / 5)),
    "wilson_indirect": 2 * z**2 / (5 + 2 * z**2),
}
assert all(abs(limits(method, 0, 5).high - high) < 1e-12 for method, high in closed.items())

# %%
# Compute where Wilson indirect is as long as Wald in large samples.
below, above = sorted(float(root) for root in np.roots([8, -8, 1]))
say("lam-geometry-longer-below", below)
say("lam-geometry-longer-above", above)

# %% [markdown]
# In large samples Wilson indirect is longer than Wald where the sample F1 is below
# {glue:text}`lam-geometry-longer-below:.3f` or above {glue:text}`lam-geometry-longer-above:.3f`
# ({eq}`eq-lam-lengths`).
#
# Wald claims certainty after five items. The other three methods do not. The upper ends of
# Clopper-Pearson and Wilson indirect at TP = 0 agree with the closed forms in the chapter's table
# of borders. Without any relevant item every method gives $[0, 1]$, and the estimate is `nan`.

# %% [markdown] tags=["default-values"]
# ## What we learn
#
# - The paper is right that its condition on the quartic holds for $0 < \kappa < 16/11$.
# - The condition is not needed. There are two real roots for every $\kappa > 0$, one on each side of
#   the estimate.
# - Direct is shorter for low sample scores, indirect for high ones. The border is a little below
#   one half.
