# %% [markdown]
# # The geometry of the Wilson intervals for F1
#
# The end points of the Wilson direct interval are roots of a quartic. How many real roots does it
# have, and where? {cite:t}`lam2024` prove that there are exactly two, both in $[0, 1]$, if there
# are enough relevant items. This notebook reproduces that proof's numbers, shows a stronger
# theorem at work that needs no condition ({prf:ref}`thm-lam-two-roots` in [the
# chapter](/book/lam.md)), and draws Figures 1 and 3: the map from F\* to F1, and which of the two
# Wilson intervals is shorter.

# %% tags=["parameters"]
confidence_level: float = 0.95  # level of the intervals in the figures and in the edge cases
relevant: list[int] = [5, 10, 25, 100]  # numbers v of relevant items for Figure 3, rising
replicates: int = 1_000_000  # draws for the check of equation 22
seed: int = 20260101  # root of all random streams

# %%
import warnings
from fractions import Fraction
from math import floor

import numpy as np
from compendium import figures, ledger, show
from numpy.polynomial import Polynomial
from scipy.stats import binom, norm

import f1ci
from f1ci.intervals import answer
from f1ci.methods import BY_KIND

page = ledger.open("lam-geometry")
given, _, record, say = page
z = float(norm.ppf(0.5 + 0.5 * confidence_level))


def f1_of(share):
    """F1 from F*, equation 10 of the paper."""
    return 2 * share / (1 + share)


def intervals(tp, wrong, method, level):
    """Estimates, standard errors and end points, for fractional counts too."""
    return answer(f1ci.metrics.f1, (tp, wrong, np.zeros(())), BY_KIND["f1"][method], level)


def share_of(f1):
    """F* from F1, the same map backwards."""
    return f1 / (2 - f1)


# %% [markdown]
# ## Figure 1: F1 is an increasing function of F\*
#
# F\* is the share of true positives among the relevant items, and
# $F_1 = \varphi(F^*) = 2 F^* / (1 + F^*)$ (equation {eq}`eq-lam-map`, eq. 10 of the paper). The
# map is increasing ({prf:ref}`prop-lam-monotone`), so an interval for F\* becomes one for F1
# without losing anything. It is not straight: it stretches low scores and squeezes high ones, by
# the factor on the right.

# %% mystnb={"image": {"alt": "Two panels. Left: F1 against F-star, an increasing concave curve from 0 to 1 above the diagonal. Right: its derivative, which falls from 2 at F-star 0 to one half at 1."}, "figure": {"caption": "Figure 1 of the paper (left): F1 as a function of F\\*. Right: its derivative, by which the map stretches small intervals.", "name": "fig-lam-geometry-figure-1"}}
share = np.linspace(0, 1, 201)
figure, (left, right) = figures.subplots(1, 2, height=3.1)
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
# right? At $v = 100$ and the F\* of the paper's scenario 1, by both formulas, by the exact
# variance over all outcomes of a binomial, and by simulation:

# %%
v = 100
p11, wrong = Fraction(page.text("lam/section-5.1/scenario-1/p11")), Fraction(0)
for cell in ("p10", "p01"):
    wrong += Fraction(page.text(f"lam/section-5.1/scenario-1/{cell}"))
share = p11 / (p11 + wrong)
slope = 2 / (1 + share) ** 2
equation_23 = slope**2 * share * (1 - share) / v
equation_22 = equation_23 / v
f1 = f1_of(share)
assert equation_23 == f1 * (1 - f1) * (2 - f1) ** 2 / (2 * v)  # equation 25, as fractions

outcomes = np.arange(v + 1)
weights = binom.pmf(outcomes, v, float(share))
scores = f1_of(outcomes / v)
exact_variance = float(weights @ (scores - weights @ scores) ** 2)
draws = f1_of(np.random.default_rng(seed).binomial(v, float(share), size=replicates) / v)
simulated = float(draws.var(ddof=1))
# The standard error of a variance, from the fourth moment.
error = float(np.sqrt((((draws - draws.mean()) ** 2).var()) / replicates))
say("lam-geometry-equation-22-ratio", exact_variance / float(equation_22))
say("lam-geometry-equation-23-ratio", exact_variance / float(equation_23))
rows = [
    ["equation 22, as printed", f"{float(equation_22):.3e}"],
    ["equations 23 to 25", f"{float(equation_23):.3e}"],
    ["exact, over all outcomes", f"{exact_variance:.3e}"],
    [f"simulated, {replicates:,} draws", f"{simulated:.3e} ± {error:.0e}"],
]
show.table(["variance of the sample F1", ""], rows, numeric=(1,))

# %% [markdown]
# The exact variance is {glue:text}`lam-geometry-equation-23-ratio:.3f` times that of equations 23
# to 25, and {glue:text}`lam-geometry-equation-22-ratio:.0f` times that of equation 22 as printed.
# Equation 22 has a misprint; nothing after it is affected.
#
# ## The quartic, and where 16/11 comes from
#
# The Wilson direct end points solve $Q(F) = 0$, where $k = z^2 / v$ and
# $Q(F) = 2 (F - \hat F_1)^2 - k\, F (1 - F)(2 - F)^2$ (equation {eq}`eq-lam-quartic`, eqs. 43 and
# 44 of the paper). The paper's argument is that $Q$ is convex if $Q''$ has no real root, and a
# strictly convex function has at most two roots ({prf:ref}`lem-lam-at-most-two`). We let
# polynomial algebra in integers repeat it. With $P(F) = F (1 - F)(2 - F)^2$, $Q'' = 4 - k P''$,
# and $P''$ is a quadratic:

# %%
unit = Polynomial([0, 1])
second = (unit * (1 - unit) * (2 - unit) ** 2).deriv(2)
c, b, a = (Fraction(int(x)) for x in second.coef)  # P'' = a F^2 + b F + c
# The discriminant of -k a F^2 - k b F + (4 - k c), as a polynomial in k.
discriminant = Polynomial([0, -b]) ** 2 - 4 * Polynomial([0, -a]) * Polynomial([4, -c])
_, linear, quadratic = discriminant.coef
bound = -linear / quadratic
alpha = given("lam/section-4.5/alpha")
paper_z = float(norm.ppf(1 - alpha / 2))
least = floor(paper_z**2 / bound) + 1

record("lam/equation-54/quadratic_coefficient", int(quadratic))
record("lam/equation-54/linear_coefficient", int(-linear))
for place in ("equation-55", "lemma-2", "theorem-1"):
    record(f"lam/{place}/k_bound", float(bound))
record("lam/section-4.5/v_factor", float(1 / bound))
record("lam/section-4.5/minimum_relevant", least)
print(f"P''(F) = {int(a)} F^2 {int(b):+} F {int(c):+}")
print(f"discriminant of Q'' = {quadratic} k^2 - {-linear} k, negative for 0 < k < {bound}")
show.compare(list(page.records))

# %% [markdown]
# So the paper's theorem applies if $k < 16/11$, that is if $v > \frac{11}{16} z^2$: at the 95 %
# level, to {published}`lam/section-4.5/minimum_relevant` relevant items or more. The next figure
# shows $Q$ on both sides of that bound, for three items and for one.

# %% mystnb={"image": {"alt": "Two panels of the quartic for five values of the sample F1. Left, three relevant items: convex curves. Right, one item: curves with a bend to the right of 1, where they stay above zero. In both panels every curve crosses zero exactly twice, between 0 and 1."}, "figure": {"caption": "The quartic $Q$ for five values of the sample F1, at the 95 % level. Left, $v = 3$: $k$ is below 16/11, and $Q$ is convex. Right, $v = 1$: $k$ is above, $Q$ bends twice, and yet every curve has two roots only, both in $[0, 1]$ (the points).", "name": "fig-lam-geometry-quartic"}}
figure, axes = figures.subplots(1, 2, height=3.6)
grid = np.linspace(-0.2, 2.4, 521)
colours = [figures.COLOURS[c] for c in ("blue", "sky", "green", "orange", "vermilion")]
for axis, items in zip(axes, (3, 1), strict=True):
    k = paper_z**2 / items
    for f, colour in zip((0, 0.25, 0.5, 0.75, 1), colours, strict=True):
        curve = 2 * (grid - f) ** 2 - k * grid * (1 - grid) * (2 - grid) ** 2
        axis.plot(grid, curve, color=colour, label=f"{f:g}")
        *_, low, high = intervals(
            np.array(items * share_of(f)),
            np.array(items * (1 - share_of(f))),
            "wilson_direct",
            1 - alpha,
        )
        axis.plot([low, high], [0, 0], "o", color=colour)
    axis.axhline(0, color="black", linewidth=0.8)
    axis.axvspan(0, 1, color="#eeeeee", linewidth=0)
    sign = "<" if k < bound else ">"
    axis.set(
        ylim=(-2.6, 6),
        xlabel="$F$",
        title=f"$v$ = {items}, $k$ = {k:.2f} {sign} 16/11",
    )
axes[0].set_ylabel("$Q(F)$")
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=5, title="sample $F_1$")
figures.save(figure, "lam-geometry-quartic")

# %% [markdown]
# (shown-e-lam-2)=
# ## Two roots, always
#
# Convexity is more than is needed ({ref}`N-lam-2 <N-lam-2>`). A root $F$ inside $(0, 1)$ is where
# the function $h(F) = 2 (F - \hat F_1)^2 / \{F (1 - F)(2 - F)^2\}$ takes the value $k$
# (equation {eq}`eq-lam-h`), and $h$ falls all the way from $F = 0$ to the estimate and rises all the way
# from there to $F = 1$. So it takes every value $k > 0$ once on each side. Outside $[0, 1]$ the
# quartic is positive.

# %% mystnb={"image": {"alt": "The function h for three sample values of F1 on a logarithmic scale. Each curve falls steeply to zero at its sample value and rises again to infinity at 1. Horizontal lines for 1, 3, 10 and 100 relevant items each meet a curve once on each side."}, "figure": {"caption": "The function $h$ for three sample values of F1. The end points are where it meets the height $k = z^2 / v$ (dotted): once to the left of the sample value, once to the right, however large $k$ is.", "name": "fig-lam-geometry-h"}}
figure, axis = figures.subplots(height=3.6)
inside = np.linspace(0, 1, 2003)[1:-1]
for f, colour, style in zip(
    (0.2, 0.5, 0.8), ("vermilion", "green", "blue"), ("--", "-.", "-"), strict=True
):
    h = 2 * (inside - f) ** 2 / (inside * (1 - inside) * (2 - inside) ** 2)
    axis.plot(inside, h, color=figures.COLOURS[colour], linestyle=style, label=f"{f:g}")
for items in (1, 3, 10, 100):
    axis.axhline(paper_z**2 / items, color=figures.COLOURS["grey"], linestyle=":", linewidth=1.2)
    axis.annotate(
        f"$v$ = {items}", (1.01, paper_z**2 / items), va="center", fontsize=9, annotation_clip=False
    )
axis.set(yscale="log", ylim=(1e-3, 50), xlim=(0, 1), xlabel="$F$", ylabel="$h(F)$")
axis.legend(title="sample $F_1$", loc="upper center", ncols=3)
figures.save(figure, "lam-geometry-h")

# %% [markdown]
# The proof is in the chapter; here is the check by numbers, on a fine grid of sample values and
# scores. First the slope of $\log h$: it must be negative everywhere to the left of the sample
# value and positive everywhere to the right.

# %%
sample = np.linspace(0, 1, 401)[:, None]
score = np.linspace(0, 1, 4002)[1:-1]  # no grid point coincides with a sample value
slope = 2 / (score - sample) - 1 / score + 1 / (1 - score) + 2 / (2 - score)
left, right = slope[score < sample], slope[score > sample]
assert len(left) + len(right) == slope.size
say("lam-geometry-slope-left", float(left.max()))
say("lam-geometry-slope-right", float(right.min()))
say("lam-geometry-slopes", f"{slope.size:,}")

# %% [markdown]
# Of {glue:text}`lam-geometry-slopes` slopes, the greatest on the left is
# {glue:text}`lam-geometry-slope-left:.2f`, the smallest on the right is
# {glue:text}`lam-geometry-slope-right:.2f`. Second, the roots themselves: a general solver that
# knows nothing of the theorem (`numpy.roots`) on the same sample values, for $v = 1$ and 2, which
# the paper's condition excludes, and beyond; also for two values of $k$ that no $v$ has at this
# level. How many of the four roots are real, where are they, and does `f1ci` give the same ones?

# %%
rows, exceptions = [], 0
for k in (1000, 10, *(paper_z**2 / items for items in (1, 2, 3, 10, 100, 1000))):
    items = paper_z**2 / k
    counts, differences, distance = set(), [], np.inf
    for f in sample.ravel():
        quartic = 2 * (unit - f) ** 2 - k * unit * (1 - unit) * (2 - unit) ** 2
        roots = np.roots(quartic.coef[::-1])
        is_real = np.abs(roots.imag) < 1e-9
        low, high = np.sort(roots[is_real].real)[[0, -1]]
        counts.add(int(is_real.sum()))
        distance = min(distance, np.abs(roots[~is_real].imag).min(initial=np.inf))
        exceptions += not -1e-12 < low <= f + 1e-12 < high + 2e-12 < 1 + 1e-11
        tp = np.array(items * share_of(f))
        _, _, *ends = intervals(tp, items - tp, "wilson_direct", 1 - alpha)
        differences.append(np.abs(np.subtract(ends, (low, high))).max())
    rows.append(
        [
            f"{items:.0f}" if items > 0.99 else "",
            f"{k:.4g}",
            "yes" if k < bound else "no",
            " or ".join(map(str, sorted(counts))),
            f"{distance:.2f}",
            f"{max(differences):.0e}",
        ]
    )
assert exceptions == 0
head = [
    "v",
    "k",
    "k < 16/11?",
    "real roots",
    "imaginary part of the others, at least",
    "distance to f1ci's end points, at most",
]
show.table(head, rows, numeric=(0, 1, 3, 4, 5))

# %% [markdown]
# Always two, one on each side of the sample value, both in $[0, 1]$. The two complex roots never
# come near the real line. So the interval needs no minimum number of items, and a root finder that
# searches on each side of the estimate cannot fail. At higher levels the paper's condition would
# ask for more:

# %%
rows = []
for level in (0.9, 0.95, 0.99, 0.999):
    needed = floor(float(norm.ppf(0.5 + level / 2)) ** 2 / bound) + 1
    rows.append([f"{100 * level:g} %", f"{needed}", "1"])
head = ["confidence level", "relevant items, paper's theorem", "in truth"]
show.table(head, rows, numeric=(0, 1, 2))

# %% [markdown]
# ## Figure 3: which Wilson interval is shorter?
#
# Both lengths depend only on $v$ and on the sample F1. The paper's Figure 3 compares them. Ours
# has curves for {glue:text}`lam-geometry-relevant` relevant items, and the difference beside them.

# %%
say("lam-geometry-relevant", ", ".join(map(str, relevant)))
f = np.linspace(0, 1, 1001)


def lengths(items, method, scores=f):
    """Lengths of an interval at sample values of F1, fractional counts included."""
    tp = items * share_of(scores)
    _, _, low, high = intervals(tp, items - tp, method, confidence_level)
    return high - low


def crossing(items):
    """The sample value at which the two Wilson intervals have the same length."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = np.array([0.5 * (low + high)])
        gap = lengths(items, "wilson_direct", middle) - lengths(items, "wilson_indirect", middle)
        low, high = (middle[0], high) if gap[0] < 0 else (low, middle[0])
    return 0.5 * (low + high)


# %% mystnb={"image": {"alt": "Left: lengths of the Wilson direct and indirect intervals against the sample F1, for four numbers of relevant items; the curves are arches, lower for more items. Right: direct minus indirect, negative for low and positive for high sample F1, with all curves crossing zero near 0.4 to 0.45 and flattening as the number of items grows."}, "figure": {"caption": "Figure 3 of the paper. Left: lengths of the two Wilson intervals for several numbers $v$ of relevant items; the thicker the line, the larger $v$. Right: direct minus indirect. Below zero the direct interval is shorter.", "name": "fig-lam-geometry-figure-3"}}
figure, (left, right) = figures.subplots(1, 2, height=3.8)
shades = [figures.COLOURS[c] for c in ("orange", "vermilion", "purple", "black")]
for rank, items in enumerate(relevant):
    width = 1.0 + 0.5 * rank
    for method in ("wilson_direct", "wilson_indirect"):
        look = figures.METHODS[method]
        left.plot(
            f,
            lengths(items, method),
            color=look["color"],
            linestyle=look["linestyle"],
            linewidth=width,
            label=look["label"] if rank == 0 else None,
        )
    top = lengths(items, "wilson_indirect")
    left.annotate(
        f"$v$ = {items}",
        (0.45, top[450]),
        xytext=(0, 5),
        textcoords="offset points",
        ha="center",
        fontsize=9,
    )
    gap = lengths(items, "wilson_direct") - lengths(items, "wilson_indirect")
    right.plot(
        f, gap, color=shades[rank % 4], linestyle=("-", "--", "-.", ":")[rank % 4], label=f"{items}"
    )
left.set(xlabel="sample $F_1$", ylabel="length", title="Lengths", ylim=(0, None))
left.legend(loc="lower center")
right.axhline(0, color="black", linewidth=0.8)
right.set(xlabel="sample $F_1$", title="Direct minus indirect")
right.legend(title="$v$")
figures.save(figure, "lam-geometry-figure-3")

# %% [markdown]
# Section 5.3.2 of the paper says it in words: at small $v$ the direct interval is shorter for low
# scores and the indirect one for high scores; at large $v$ they are alike. In numbers:

# %%
limit = (17 - 97**0.5) / 16
rows = []
for items in (*relevant, 1000, 100_000):
    gap = lengths(items, "wilson_direct") - lengths(items, "wilson_indirect")
    rows.append([f"{items:,}", f"{-gap.min():.1e}", f"{gap.max():.1e}", f"{crossing(items):.4f}"])
rows.append(["limit", "0", "0", f"{limit:.4f}"])
say("lam-geometry-limit", limit)
say("lam-geometry-crossing-small", float(crossing(relevant[0])))
say("lam-geometry-smallest", relevant[0])
head = ["v", "direct shorter by up to", "longer by up to", "equal at sample F1 ="]
show.table(head, rows, numeric=(0, 1, 2, 3))

# %% [markdown]
# The statement holds, and the place where the two change roles can be named: it moves from
# {glue:text}`lam-geometry-crossing-small:.3f` at $v$ = {glue:text}`lam-geometry-smallest` to
# $(17 - \sqrt{97}) / 16$, about {glue:text}`lam-geometry-limit:.3f`, for many items
# ({prf:ref}`thm-lam-lengths`). Why: the direct interval always lies below the indirect one
# ({prf:ref}`thm-lam-shift`), so it is cut short where there is no room below, and its upper end
# stays back where there is none above.
#
# (shown-e-lam-6)=
# ## At the borders
#
# Equations 26 and 27 of the paper define the Clopper-Pearson end points by
# $P(n_{11} < \tilde n_{11}) = 1 - \alpha/2$ and $P(n_{11} > \tilde n_{11}) = 1 - \alpha/2$. If no
# relevant item is right, the first event is $n_{11} < 0$; if none is wrong, the second is
# $n_{11} > v$ ({ref}`N-lam-6 <N-lam-6>`). Neither can happen, whatever F\* is:

# %%
share = np.linspace(0, 1, 1001)
items = 5
below, above = binom.cdf(-1, items, share).max(), binom.sf(items, items, share).max()
rows = [
    ["P(n11 < 0)", f"{below:g}", f"{0.5 + 0.5 * confidence_level:g}"],
    [f"P(n11 > {items})", f"{above:g}", f"{0.5 + 0.5 * confidence_level:g}"],
]
show.table([f"v = {items}", "greatest over all F*", "needed"], rows, numeric=(1, 2))

# %% [markdown]
# So the two equations have no solution there, and the end points must be set: 0 below, 1 above.
# And with no relevant item at all, $v = 0$, F1 is undefined. What `f1ci` returns in these cases:

# %%
cases = {"TP = 0, 5 wrong": (0, 5), "TP = 5, none wrong": (5, 0), "no relevant item": (0, 0)}
rows = []
for method, look in figures.METHODS.items():
    cells = [look["label"]]
    for tp, wrong in cases.values():
        with warnings.catch_warnings():
            # Wald's lack of a length, and an undefined score, are what the table shows.
            warnings.simplefilter("ignore", f1ci.IntervalWarning)
            low, high = f1ci.f1_interval(
                tp, wrong, 0, method=method, confidence_level=confidence_level
            )
        cells.append(f"{low:.4f} to {high:.4f}")
    rows.append(cells)
tail = 0.5 * (1 - confidence_level)
closed = f1_of(1 - tail ** (1 / 5)), 2 * z**2 / (5 + 2 * z**2)
for method, value in zip(("clopper_pearson", "wilson_indirect"), closed, strict=True):
    assert (
        abs(
            f1ci.f1_interval(0, 5, 0, method=method, confidence_level=confidence_level).high - value
        )
        < 1e-12
    )
show.table(["", *cases], rows, numeric=(1, 2, 3))

# %% [markdown]
# Wald claims certainty after five items, the other three do not. The upper ends of Clopper-Pearson
# and Wilson indirect at TP = 0 agree with the closed forms in the chapter's table of borders.
# Without any relevant item every method gives $[0, 1]$, and the estimate is `nan`.
#
# ## What we learn
#
# - The paper's numbers for the quartic are right: $132 k^2 - 192 k < 0$ for $0 < k < 16/11$.
# - The condition is not needed. There are two real roots for every $k > 0$, one on each side of
#   the estimate.
# - Direct is shorter for low sample scores, indirect for high ones. The border is a little below
#   one half.
