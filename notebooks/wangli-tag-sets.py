# %% [markdown]
# # A tag set on trial
#
# A word segmenter marks each character of a sentence with a tag. With four tags (BMES) a character
# begins a word, is in its middle, ends it, or is a whole word. With six tags (BB₂B₃MES) the second
# and third characters of long words have tags of their own. Are six tags better than four? Wang and
# Li ask this of conditional random fields on a corpus of Chinese news, with their [Bayes
# test](/book/wangli.md). They publish the counts of chunks by fold, so that [their
# tables](/notebooks/wangli-bayes-test.ipynb) can be recomputed, but counts do not show which words
# each model got wrong.
#
# Here is the same comparison on a corpus that everybody may use: the Hong Kong Cantonese Corpus
# {cite:p}`luke2015`, 58 dialogues with 16,162 utterances and 153,656 words. The learner, the
# features, the tag sets and the cross-validation are the paper's. The numbers are our own: no
# number of the paper is compared on this page. The page measures three things that the paper could
# not see: how the errors of the two models are correlated, how much folds and dialogues differ, and
# how often each test is wrong.

# %% tags=["parameters"]
confidence_level: float = 0.95  # of all intervals
prior: float = 1.0  # lambda of the Beta prior, as in the paper

# %% [markdown]
# `say` keeps a number for the text. The trained models' counts are stored as data. The script
# `notebooks/data/train_tag_sets.py` trained the models, in a quarter of an hour on one core.
# `make train` does it again and compares.

# %%
# Import what the notebook uses and open the ledger.
import numpy as np
from compendium import figures, ledger, show
from scipy import stats

import f1ci
from notebooks.own import wangli_tag_sets as tag_sets
from notebooks.shared import fold_statistics, statements

# `tag_sets` reads the counts of the trained models, and `fold_statistics` has scores, correlations
# and t intervals of the six folds.
say = ledger.open("wangli-tag-sets").say

# %%
# Name metrics and tag sets, and read the counts of both ways to cut the corpus.
METRICS = {"precision": "precision", "recall": "recall", "f1": "F1"}
TAGS = {"A": "BMES", "B": "BB₂B₃MES"}
cells = {name: tag_sets.cells_by_dialogue(name) for name in ("utterances", "dialogues")}
counts = {
    (name, model): tag_sets.counts(cells[name].sum(axis=2), model)
    for name in cells
    for model in TAGS
}

# %% [markdown]
# ## What was trained
#
# Each model sees one, two and three characters in a row, up to two places from the character
# to be tagged. The penalised likelihood (c2 = 1) is maximised with L-BFGS until CRFsuite's own rule
# says that it has converged. There are two cross-validations. In the first, the
# utterances are dealt to the four blocks at random, as the paper does with sentences. In the second,
# whole dialogues are dealt to the blocks. Then no model is tested on a dialogue from which it
# learned. Here are the counts of the first one, as the authors publish theirs:

# %%
# Show the counts of the first cross-validation.
rows = []
for repetition, fold in np.ndindex(3, 2):
    fold_counts = {model: counts["utterances", model][repetition, fold] for model in TAGS}
    gold = fold_counts["A"][0] + fold_counts["A"][2]
    chunks = [(tp + fp, tp) for tp, fp, _ in fold_counts.values()]
    numbers = [f"{number:,}" for number in (gold, *chunks[0], *chunks[1])]
    rows.append([repetition + 1, fold + 1, *numbers])
head = ["repetition", "fold", "gold", "A predicts", "A correct", "B predicts", "B correct"]
show.table(
    head,
    rows,
    numeric=range(7),
    caption=(
        "Counts of the first cross-validation. Gold are the true entities, correct those "
        "found whole."
    ),
)

# %% [markdown]
# ### How regular are the partitions?
#
# Table 1 of the paper promises halves of equal size, and any two halves of different repetitions
# share one block. Eq. 3 wants the same number of words in all test sets. On a corpus the blocks have
# equally many utterances, and nearly equally many words. Blocks of dialogues are less even. With
# utterances a test set has {glue:text}`wangli-tag-sets-gold-low-utterances` to
# {glue:text}`wangli-tag-sets-gold-high-utterances` words, with dialogues
# {glue:text}`wangli-tag-sets-gold-low-dialogues` to {glue:text}`wangli-tag-sets-gold-high-dialogues`.

# %%
# Keep for the text how equal the test sets are.
for name in cells:
    gold = counts[name, "A"][..., [0, 2]].sum(axis=-1)
    say(f"wangli-tag-sets-gold-low-{name}", f"{gold.min():,}")
    say(f"wangli-tag-sets-gold-high-{name}", f"{gold.max():,}")

# %% [markdown]
# (wangli-tag-sets-verdict)=
# ## What the Bayes test says
#
# Effective counts, posteriors and test as in the paper. $H_0$ says that six tags (B) are not better.


# %%
def credible(name, model, metric):
    """Return the credible interval of a model's score."""
    effective = f1ci.effective_counts(counts[name, model])
    return f1ci.posterior(*effective, metric, prior=prior).interval(confidence_level)


# %%
# Compute the credible intervals and the Bayes tests.
cases = [(name, metric) for name in cells for metric in METRICS]
intervals = {(*case, model): credible(case[0], model, case[1]) for case in cases for model in TAGS}
tests = {
    case: f1ci.bayes_test(*(counts[case[0], model] for model in TAGS), case[1], prior=prior)
    for case in cases
}

# %%
# Show the intervals and the tests.
rows = []
for case, test in tests.items():
    ends = [intervals[(*case, model)] for model in TAGS]
    shown = [f"[{100 * interval.low:.2f}, {100 * interval.high:.2f}]" for interval in ends]
    rows.append([case[0], METRICS[case[1]], *shown, f"{test.p_h0:.3f}", test.most_probable])
    say(f"wangli-tag-sets-h0-{'-'.join(case)}", test.p_h0)
head = ["blocks of", "score", "four tags, %", "six tags, %", "P(H0)", "more probable"]
show.table(
    head,
    rows,
    numeric=(2, 3, 4),
    caption="Credible intervals and Bayes tests. A are four tags, B six.",
)

# %% [markdown] tags=["default-values"]
# Nothing is settled. For recall the odds are more than five to one that six tags are better. For F1
# they are two to one in the first cross-validation, and even in the second.

# %% [markdown]
# ## What the paper could not see
#
# (wangli-tag-sets-correlation)=
# ### The two models fail on the same words
#
# The test takes the two posteriors as independent ({ref}`N-wangli-10 <N-wangli-10>`). How alike are
# the errors in fact? Each word that
# is in the gold standard or in a prediction moves both scores a little, up or down. The table has
# the correlation of these movements over all words of one repetition, and over its 58 dialogues. The
# last columns repeat the test in the normal approximation of {prf:ref}`prop-wangli-dependence`,
# without and with the correlation over words.

# %%
correlation = {
    case: tag_sets.error_correlation(cells[case[0]][0].sum(axis=(0, 1)), case[1]) for case in cases
}
by_dialogue = {
    case: tag_sets.error_correlation(cells[case[0]][0].sum(axis=0), case[1]) for case in cases
}


# %%
def normal_p_h0(case, rho):
    """Return the probability of H0 for normal errors with a correlation."""
    a, b = (intervals[(*case, model)] for model in TAGS)
    errors = a.standard_error, b.standard_error
    return fold_statistics.not_better(b.estimate - a.estimate, *errors, rho)


# %%
# Show the correlation of the two models' errors, and the probability with it.
rows = []
for case in cases:
    independent, correlated = (normal_p_h0(case, rho) for rho in (0.0, correlation[case]))
    numbers = [f"{correlation[case]:.3f}", f"{by_dialogue[case]:.3f}", f"{independent:.3f}"]
    rows.append([case[0], METRICS[case[1]], *numbers, f"{correlated:.2g}"])
    if case == ("utterances", "precision") or case == ("utterances", "recall"):
        say(f"wangli-tag-sets-correlated-{'-'.join(case)}", correlated)
say("wangli-tag-sets-correlation", correlation["utterances", "f1"])

head = [
    "blocks of",
    "score",
    "over words",
    "over dialogues",
    "P(H0), independent",
    "P(H0), correlated",
]
show.table(
    head,
    rows,
    numeric=range(2, 6),
    caption=(
        "How often both models fail on the same words. The correlation moves the probability of H0."
    ),
)

# %% [markdown]
# The correlation is {glue:text}`wangli-tag-sets-correlation:.2f`, more than any value that
# [the tables of the paper](/notebooks/wangli-bayes-test.ipynb) were tried with. It changes the answer.
# For recall $\Pr(H_0)$ falls from {glue:text}`wangli-tag-sets-h0-utterances-recall:.2f` to
# {glue:text}`wangli-tag-sets-correlated-utterances-recall:.1g`. For precision it rises from
# {glue:text}`wangli-tag-sets-h0-utterances-precision:.2f` to
# {glue:text}`wangli-tag-sets-correlated-utterances-precision:.2f`: six tags trade precision for recall.
# The Bayes test did not see this, because it compared two wide curves instead of the few words on
# which the models differ.
#
# (wangli-tag-sets-paired)=
# ### The paired exact test on the same folds
#
# Each repetition tests every utterance once. So it is one paired comparison of 153,656 words, and
# `test="exact"` applies, which asks if swapping the two models' answers would change nothing. The $p$-values are two-sided. The t test, with the correction of
# {cite:t}`nadeau2003`, uses the six differences of the folds.

# %%
paired = {
    (*case, repetition): tag_sets.both(cells[case[0]][repetition].sum(axis=(0, 1))).difference(
        case[1], test="exact"
    )
    for case in cases
    for repetition in range(3)
}

# %%
# Compute the differences of the six folds, and their t tests.
differences, t_tests = {}, {}
for name, metric in cases:
    a, b = (fold_statistics.scores(counts[name, model], metric) for model in TAGS)
    differences[name, metric] = b - a
    t_tests[name, metric] = fold_statistics.t_interval(b - a, confidence_level)

# %%
# Show the Bayes test beside the paired exact tests and the t test.
rows = []
for case in cases:
    exact = [f"{paired[(*case, repetition)].p_value:.2g}" for repetition in range(3)]
    numbers = [f"{100 * differences[case].mean():+.3f}", f"{tests[case].p_h0:.3f}", *exact]
    rows.append([case[0], METRICS[case[1]], *numbers, f"{float(t_tests[case].p_value):.3f}"])
head = ["blocks of", "score", "B - A, points", "P(H0)", "exact p, 1", "2", "3", "t test"]
show.table(
    head,
    rows,
    numeric=range(2, 8),
    caption=(
        "The Bayes test beside the exact test of each repetition, and the t test of six "
        "folds. They answer different questions."
    ),
)

# %% [markdown]
# (wangli-tag-sets-dialogues)=
# ### Words of one dialogue are correlated
#
# The exact test takes words as independent, as the posterior does. But some dialogues are easy and
# some hard. `f1ci.Units` takes the dialogues as the independent units. (We ask for [logit limits](/book/units.md),
# because no dialogue can be wrong in every word.) Here are the
# intervals of four tags in one repetition, and of the difference:

# %%
# Compute the intervals by words and by dialogues, of one model and of the difference.
level = {"confidence_level": confidence_level}


def by_words_and_dialogues(name, metric):
    """Return intervals of model A and of B minus A, from the first repetition."""
    by_dialogue = cells[name][0].sum(axis=0)
    a, b = (tag_sets.counts(by_dialogue, model) for model in TAGS)
    tp, fp, fn = a.sum(axis=0)
    words = tag_sets.labels(by_dialogue.sum(axis=0))
    return [
        f1ci.Matrix([[0, fp], [fn, tp]]).interval(metric, **level),
        f1ci.Units(a).interval(metric, method="logit", **level),
        f1ci.Labels(words[0], {"A": words[1], "B": words[2]}).difference(metric, **level).interval,
        f1ci.Units({"A": a, "B": b}).difference(metric, **level).interval,
    ]


by_unit = {case: by_words_and_dialogues(*case) for case in cases}

# %%
# Show the intervals by words and by dialogues.
rows = []
for (name, metric), (words, dialogues, *gap) in by_unit.items():
    ends = [f"[{100 * i.low:.2f}, {100 * i.high:.2f}]" for i in (words, dialogues)]
    ends += [f"[{100 * i.low:+.3f}, {100 * i.high:+.3f}]" for i in gap]
    rows.append([name, METRICS[metric], *ends])
head = ["blocks of", "score", "A by words, %", "by dialogues, %", "B - A by words", "by dialogues"]
show.table(
    head,
    rows,
    numeric=range(2, 6),
    caption=(
        "Intervals by words and by dialogues. Words of a dialogue are alike, so those by "
        "dialogues are longer."
    ),
)

# %%
# Keep these numbers for the text.
pooled = {
    name: 100 * float(fold_statistics.scores(counts[name, "A"].sum(axis=(0, 1)), "f1"))
    for name in cells
}
words, dialogues, *_ = by_unit["utterances", "f1"]
longer = dialogues.length / words.length
say("wangli-tag-sets-longer", longer)
say("wangli-tag-sets-effective", cells["utterances"][0][..., :4].sum() / longer**2)
for name, score in pooled.items():
    say(f"wangli-tag-sets-f1-{name}", score)
say("wangli-tag-sets-drop", pooled["utterances"] - pooled["dialogues"])

# %% [markdown] tags=["default-values"]
# - By dialogue the interval of a model's F1 is {glue:text}`wangli-tag-sets-longer:.1f` times as
#   long. The 153,656 words are worth {glue:text}`wangli-tag-sets-effective:,.0f` independent words.
#   So a posterior of F1 from effective counts of words is far too narrow, if other dialogues are
#   meant.
# - The difference suffers less, because both models find the same dialogues hard. Six tags still have
#   a higher recall, and on unknown dialogues a lower precision. F1 is undecided.
# - On unknown dialogues F1 is {glue:text}`wangli-tag-sets-f1-dialogues:.2f` %, on utterances from known
#   dialogues {glue:text}`wangli-tag-sets-f1-utterances:.2f` %. This difference of
#   {glue:text}`wangli-tag-sets-drop:.1f` points is far larger than that between the tag sets. The
#   meaning of the score depends on how the corpus is cut.


# %%
def spans(metric):
    """Return five intervals for the difference of six and four tags, in points."""
    case = ("utterances", metric)
    a, b = (intervals[(*case, model)] for model in TAGS)
    errors = a.standard_error, b.standard_error
    z = stats.norm.ppf(0.5 + confidence_level / 2)
    alone, together = (
        z * fold_statistics.spread_of_difference(*errors, rho) for rho in (0.0, correlation[case])
    )
    centre = b.estimate - a.estimate
    *_, words, dialogues = by_unit[case]
    return {
        "two posteriors, independent": (centre - alone, centre + alone),
        "two posteriors, correlated": (centre - together, centre + together),
        "paired, words": tuple(words),
        "paired, dialogues": tuple(dialogues),
        "t interval of six folds": (float(t_tests[case].low), float(t_tests[case].high)),
    }


# %% mystnb={"image": {"alt": "Three panels, for precision, recall and F1, each with five intervals for the difference of six and four tags. The interval from independent posteriors is two to six times as long as the others and contains zero everywhere. For recall all other intervals lie above zero."}, "figure": {"caption": "Six tags against four: 95 % intervals for the difference. The Bayes test sees the first one. The other four use that both models were tested on the same words.", "name": "fig-wangli-tag-sets-differences"}}
# Draw the five intervals for each metric.
figure, axes = figures.subplots(3, 1, height=6.6, sharey=True)
colours = ["vermilion", "blue", "sky", "green", "grey"]
for ax, metric in zip(axes, METRICS, strict=True):
    for row, ((low, high), colour) in enumerate(zip(spans(metric).values(), colours, strict=True)):
        ax.hlines(row, 100 * low, 100 * high, linewidth=4, color=figures.COLOURS[colour])
    ax.axvline(0, color="#444444", linewidth=0.8)
    ax.set_title(METRICS[metric])
axes[2].set_xlabel("B minus A, points")
axes[0].set_yticks(range(5), list(spans("f1")))
axes[0].invert_yaxis()
figures.save(figure, "wangli-tag-sets-differences")

# %% [markdown]
# (wangli-tag-sets-small)=
# ## Fifty small corpora
#
# The correlations $\rho_1$ and $\rho_2$ of the paper are correlations over corpora. If the whole
# experiment were repeated with other data, how would the six folds vary together? One corpus cannot
# answer this. So we drew 50 small corpora of 320 utterances each (about 3,000 words) from the whole
# one, without overlap, and cross-validated on each of them. Every model was also tested on 6,000
# utterances outside its small corpus. That is nearly its true score.

# %%
# Read the counts of the small corpora.
PAIRS = ("tag sets", "seeds")
inside = {pair: tag_sets.corpora(pair, "fold") for pair in PAIRS}
outside = {pair: tag_sets.corpora(pair, "outside") for pair in PAIRS}


def both(cells, metric):
    """Return the scores of both models."""
    return {model: fold_statistics.scores(tag_sets.counts(cells, model), metric) for model in "AB"}


# %% [markdown]
# ### The correlations and the weight
#
# The table is for four tags and has two kinds of errors, as in
# [the simulated example](/notebooks/wangli-simulation.ipynb). Errors are taken around the trained
# models' own true scores, or around the expected score of the algorithm.

# %%
correlations = {}
for metric, (right, other) in {"precision": (0, 1), "recall": (0, 2)}.items():
    tested, true = (both(scores["tag sets"], metric)["A"] for scores in (inside, outside))
    of_counts = tag_sets.counts(inside["tag sets"], "A")
    whole = of_counts[..., right] + of_counts[..., other]
    binomial = tested.mean() * (1 - tested.mean()) * (1 / whole).mean()
    for kind, values in {"own": tested - true, "expected": tested}.items():
        correlations[metric, kind] = (fold_statistics.fold_correlations(values), binomial)

# %%
# Show the correlations of the folds and the weights that follow.
rows = []
for (metric, kind), (folds, binomial) in correlations.items():
    weight = folds.weight(binomial)
    if kind == "own":
        say(f"wangli-tag-sets-weight-{metric}-own", weight)
        say(f"wangli-tag-sets-inflation-{metric}-own", folds.variance / binomial)
    numbers = [folds.rho1, folds.rho2, folds.variance / binomial, weight]
    rows.append([metric, kind, *(f"{number:.2f}" for number in numbers)])
averaged = f1ci.effective_counts(np.ones((3, 2, 3))).tp / 6
rows.append(["the paper's average", "", "0 to 0.5", "0.25 to 0.5", "1", f"{averaged:.2f}"])
head = ["pair", "around", "ρ₁", "ρ₂", "variance / eq. 4", "weight"]
show.table(
    head,
    rows,
    numeric=range(2, 6),
    caption="Correlations of the folds, and the weights that follow. The paper's weight is fixed.",
)

# %% [markdown]
# Around the models' own scores both correlations lie in the paper's ranges. But the variance of the
# folds is {glue:text}`wangli-tag-sets-inflation-precision-own:.1f` (precision) and
# {glue:text}`wangli-tag-sets-inflation-recall-own:.1f` (recall) times that of eq. 4, because the words
# of an utterance are right or wrong together. So the right weights are
# {glue:text}`wangli-tag-sets-weight-precision-own:.2f` and
# {glue:text}`wangli-tag-sets-weight-recall-own:.2f` instead of {published}`wangli/equation-22/factor`.
# Around the expected score $\rho_1$ is negative for precision, perhaps because what one half of a
# corpus teaches is missing in the other half.
#
# (wangli-tag-sets-coverage)=
# ### How often the interval covers
#
# The table is for the credible interval of F1 with four tags. It has two weights, the paper's and
# that of {cite:t}`wang2015`, and two truths: the mean true F1 of the six models, and the expected
# F1 of the algorithm. The standard error of a share of 50 is about 5 %. The true scores come from
# 6,000 utterances. Their error is smaller than the posterior's, and costs little coverage.

# %%
sums = tag_sets.counts(inside["tag sets"], "A").sum(axis=(1, 2))
true = both(outside["tag sets"], "f1")["A"].mean(axis=(1, 2))
covered = {
    (weight, name): 100 * fold_statistics.contains(sums, weights, truth, confidence_level).mean()
    for weight, weights in {"paper": averaged, "2015": 1 / 6}.items()
    for name, truth in {"own": true, "expected": true.mean()}.items()
}

# %%
# Show how often the credible interval holds each truth.
say("wangli-tag-sets-held-paper-own", covered["paper", "own"])
say("wangli-tag-sets-held-2015-own", covered["2015", "own"])
names = ("own", "expected")
rows = [[w, *(f"{covered[w, name]:.0f}" for name in names)] for w in ("paper", "2015")]
show.table(
    ["weight", "mean of the six models, %", "expected F1, %"],
    rows,
    numeric=(1, 2),
    caption="How often the credible interval contains each truth. It should be 95 %.",
)

# %% [markdown]
# (wangli-tag-sets-errors)=
# ### How often each test is wrong
#
# A test is wrong if it claims a difference where there is none. To train a conditional random field
# by L-BFGS is deterministic, so two runs would be identical. We therefore trained four tags twice with
# ten rounds of averaged perceptron, which sees the utterances in random order. These two models differ
# by the seed only: as algorithms they are equally good. The other rows are four tags against six. There
# the difference is real.

# %%
verdicts = {}
for pair in PAIRS:
    for metric in METRICS:
        a, b = (tag_sets.counts(inside[pair], model) for model in TAGS)
        bayes = np.array(
            [f1ci.bayes_test(x, y, metric, prior=prior).p_h0 for x, y in zip(a, b, strict=True)]
        )
        gap = np.subtract(*(fold_statistics.scores(tables, metric) for tables in (b, a)))
        exact = [
            tag_sets.both(table[0].sum(axis=0)).difference(metric, test="exact").p_value
            for table in inside[pair]
        ]
        verdicts[pair, metric] = {
            "better": (bayes < 0.5).mean(),
            "sure": (np.abs(bayes - 0.5) > 0.475).mean(),
            "t": (fold_statistics.t_interval(gap).p_value < 0.05).mean(),
            "exact": (np.array(exact) < 0.05).mean(),
        }

# %%
# Show how often each test calls a model better.
rows = []
for (pair, metric), shares in verdicts.items():
    a, b = both(outside[pair], metric).values()
    gap = 100 * (b - a).mean(axis=(1, 2))
    truth = "0" if pair == "seeds" else f"{gap.mean():+.2f} ± {gap.std(ddof=1) / 50**0.5:.2f}"
    rows.append([pair, METRICS[metric], truth, *(f"{100 * s:.0f}" for s in shares.values())])
say("wangli-tag-sets-seeds-f1-better", 100 * verdicts["seeds", "f1"]["better"])
say("wangli-tag-sets-seeds-f1-t", 100 * verdicts["seeds", "f1"]["t"])
say("wangli-tag-sets-seeds-f1-exact", 100 * verdicts["seeds", "f1"]["exact"])
for name in ("sure", "t", "exact"):
    say(f"wangli-tag-sets-tag-sets-f1-{name}", 100 * verdicts["tag sets", "f1"][name])
head = [
    "pair",
    "score",
    "true B - A, points",
    '"B is better", %',
    "P(H0) below .025 or above .975, %",
]
head += ["t test, p < .05, %", "exact test, p < .05, %"]
show.table(
    head,
    rows,
    numeric=range(2, 7),
    caption=(
        "How often each test calls a model better. In the first rows both models are equally good."
    ),
)

# %% [markdown] tags=["default-values"]
# - **The rule "accept the more probable hypothesis" has no protection.** If the two models are equally
#   good, it calls B better in {glue:text}`wangli-tag-sets-seeds-f1-better:.0f` % of the corpora (F1).
# - **Read as evidence, the probability is cautious.** With two seeds one hypothesis never has a
#   probability below one in forty. An honest probability would be that small in 5 % of the corpora.
# - **Its power is low.** With 320 utterances six tags are worse in F1, in every corpus. The Bayes test
#   is sure of it in {glue:text}`wangli-tag-sets-tag-sets-f1-sure:.0f` % of the corpora, the t test in
#   {glue:text}`wangli-tag-sets-tag-sets-f1-t:.0f` %, and the paired exact test on one repetition in
#   {glue:text}`wangli-tag-sets-tag-sets-f1-exact:.0f` %.
# - **The exact test answers a narrower question.** It finds a difference between two seeds in
#   {glue:text}`wangli-tag-sets-seeds-f1-exact:.0f` % of the corpora. There are two reasons: two trained
#   models *are* different, and the words of an utterance are not independent. The test does not know
#   that another training run could turn the result round.

# %% [markdown]
# (wangli-tag-sets-statements)=
# ## The paper's statements, on this corpus

# %%
# State each claim: section, words of the paper, our numbers, and whether it holds.
claim = statements.Claims()
words = counts["utterances", "A"][..., [0, 2]].sum(axis=-1)
gains = [100 * differences["utterances", metric].mean() for metric in ("recall", "f1")]
paper, earlier = (covered[weight, "own"] for weight in ("paper", "2015"))
alike = correlation["utterances", "f1"]
text = "TP + FN is the same in all folds (utterances)"
claim("2, eq. 3", text, f"{words.min():,} to {words.max():,}", words.min() == words.max())
text = "our CI is more accurate (small corpora, mean of the six models)"
value = f"covers {paper:.0f} %, that of 2015 {earlier:.0f} %"
claim("2.4", text, value, abs(paper - 95) < abs(earlier - 95))
claim("3", "assuming that A is independent of B", f"correlation {alike:.2f}", alike < 0.1)
text = "the fine-grained tags improve R and F1 (whole corpus, utterances)"
claim("4.1", text, "{:+.3f} and {:+.3f} points".format(*gains), min(gains) > 0)

# %%
# State the claims about correlations and about wrong decisions.
noise = 0.15  # about two standard errors of a correlation over 50 corpora
for (metric, kind), (folds, _) in correlations.items():
    around = {"own": "the models' own", "expected": "the expected"}[kind]
    first = -noise <= folds.rho1 <= 0.5 + noise
    second = 0.25 - noise <= folds.rho2 <= 0.5 + noise
    text = f"0 ≤ ρ₁ ≤ 1/2, 1/4 ≤ ρ₂ ≤ 1/2 for {metric}, around {around} score"
    claim("2.3", text, f"{folds.rho1:+.2f}, {folds.rho2:.2f}", first and second)
false, true = (verdicts[pair, "f1"] for pair in ("seeds", "tag sets"))
percent = "{:.0%} false and {:.0%} true claims for F1".format
avoid = false["t"] > 0.1 or true["t"] < true["sure"]
claim("6 (1)", "the t test should be avoided", percent(false["t"], true["t"]), avoid)
text = "the Bayes test gives informative measures"
claim("6 (3)", text, percent(false["sure"], true["sure"]), None)
claim.table()

# %% [markdown] tags=["default-values"]
# ## What we learn
#
# - On this corpus six tags find more words than four and predict more wrong ones. F1 hardly changes.
#   In small corpora six tags are worse: there are too few long words to learn two more tags from.
# - The errors of the two models have a correlation of {glue:text}`wangli-tag-sets-correlation:.2f`. A
#   test that takes them as independent cannot see a difference of this size.
# - The posterior of one model is too narrow, because words of one utterance and of one dialogue are
#   alike. In the difference most of this cancels.
# - For two models on the same folds, take a paired test: `f1ci.Labels(...).difference()`, with `groups=` if
#   items come in documents, or that of `f1ci.Units`.
# - No test on one corpus says how the comparison would end on another kind of data. To know it, cut the
#   corpus where the data will differ, here between dialogues.
