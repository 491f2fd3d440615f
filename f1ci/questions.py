"""The questions: asked of any kind of data, each written once.

A kind of data (see `f1ci.kinds`) gives the sample of one model and the sample of two. Everything
else is here: an interval, a difference with its p-value and margin, a comparison of any number of
models, joint intervals, a report, a plan from a pilot. What a kind cannot answer it refuses, and
says why. Warnings are those of `f1ci.answers`, the same for every kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np

from f1ci import metrics as _metrics
from f1ci import planning
from f1ci.answers import Question, check, check_alike, interval_of, method_for, question
from f1ci.data import checks
from f1ci.data.items import Items
from f1ci.data.units import UnitCounts
from f1ci.joint import JointRows, Row
from f1ci.metrics import Metric
from f1ci.pairs import Plan, checked_plan, holm, refuse_test, with_p_values
from f1ci.planning import Variance
from f1ci.report import Reported, names_of, report_of
from f1ci.results import (
    ClassificationReport,
    DifferenceSampleSize,
    DifferenceTest,
    Interval,
    JointIntervals,
    ModelComparison,
    PilotSize,
    RunsInterval,
)
from f1ci.runs import RunsSample
from f1ci.samples import Difference, Sample
from f1ci.types import Array, Classes, Seed


class Data:
    """Predictions of one or more models, and the questions that they can answer.

    Attributes
    ----------
    models : tuple of str
        What the models are called.
    constant : float
        What an undefined score counts; nan if nothing.
    """

    models: tuple[str, ...]
    constant: float = np.nan
    _default_metric = "f1"
    _compared = "models"

    # What a kind of data gives.

    def _one(self, metric: Metric, model: int, average: str | None) -> Sample:
        """Return the sample of one model."""
        raise NotImplementedError

    def _two(self, metric: Metric, a: int, b: int, average: str | None) -> Difference | RunsSample:
        """Return the sample of model b minus model a."""
        raise NotImplementedError

    def _covariances(
        self, rows: Sequence[Row], samples: Sequence[Sample], average: str | None
    ) -> tuple[Array, Array | None]:
        """Return the covariance of scores, and a multiple of it after adding items, or None."""
        raise NotImplementedError

    def _influences(
        self, metric: Metric, models: Sequence[int], average: str, weight: Array | None
    ) -> tuple[Array, Array]:
        """Return the influences of the items of each row, or of units, and how many they are.

        A row counts `weight` times its items.
        """
        raise NotImplementedError

    def _reported(self, model: int, names: Classes | None) -> Reported:
        """Return what a report asks of a model."""
        raise NotImplementedError

    def _refuse(self, question: str) -> None:
        """Refuse a question with the reason."""

    # Questions.

    def interval(
        self,
        metric: str | Metric | None = None,
        model: str | None = None,
        *,
        average: str | None = "binary",
        method: str | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> Interval:
        """Return a confidence interval for the score of one model.

        Parameters
        ----------
        metric : str or Metric, default "f1"
            A name, such as "precision", "macro_recall", "mcc" or "kappa", or an object, such as
            ``f1ci.metrics.fbeta(2)`` or a metric of your own.
        model : str, optional
            The name of the model, if there are several.
        average : {"binary", "micro", "macro", "weighted", "samples"} or None
            For metrics of two classes. The metric of the positive class; or over all classes the
            metric of their counts together, the mean of the classes' metrics, or this mean
            weighted by the classes' numbers of true items. None gives an interval for each class.
            "samples" is the mean over units, or over the items of indicators. Metrics of all
            classes, such as "mcc", take no average.
        method : str, optional
            By default "score", or "logit" for runs and metrics that are not smooth.
            `f1ci.f1_interval` says what each method is.
        confidence_level : float, default 0.95
            The share of test sets in which such an interval contains the true score.
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            As in SciPy. "greater" gives the lower limit alone, with `high` at the end of the range,
            and "less" the upper limit. One-sided limits of "score" cover unevenly: for scores near
            1 "greater" covers at least the level on average and "less" covers less; near 0 it is
            the other way round. ``method="cautious"`` hardly ever covers less. The level must be
            above 0.5.

        Returns
        -------
        Interval
            The estimate is the plain sample score, whatever the method. With ``average=None`` the
            fields are arrays, and `classes` says what class each entry is of. `over` says which
            classes an average is over.

        Warns
        -----
        UndefinedMetricWarning
            If the score is undefined, or an average leaves a class out; the message names it.
        SmallSampleWarning
            If a class of an average has fewer than three items that matter to its score.
        DegenerateVarianceWarning
            If the standard error is zero, and the method needs a positive error.

        See Also
        --------
        difference : Is one of two models better?
        joint : Several scores that are right together.
        """
        asked = question(method, confidence_level, alternative)
        sample = self._one(self._metric(metric), self._place(model), average)
        interval = self._interval(sample, asked)
        check(sample, method_for(sample, method)[1])
        return interval

    def difference(
        self,
        metric: str | Metric | None = None,
        a: str | None = None,
        b: str | None = None,
        *,
        average: str | None = "binary",
        margin: float = 0.0,
        test: str | None = None,
        method: str | None = None,
        replicates: int = 9_999,
        rng: Seed = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> DifferenceTest:
        """Return the difference of two models, B minus A, with its interval and p-value.

        Parameters
        ----------
        metric, average, method, confidence_level, alternative
            See `interval`. "cautious" is for Tversky indices and accuracy. With an alternative the
            interval has one limit, and the p-value is the level at which zero passes this limit.
        a, b : str, optional
            The names of the two models; of two models the first and the second.
        margin : float, default 0
            A difference that does not matter. If given, two more p-values tell whether B is not
            worse than A by the margin, and whether they are equivalent. They invert the interval:
            equivalence has a p-value below 0.05 exactly if the interval of level 0.9 lies inside.
        test : {"exact", "randomisation"}, optional
            By default p is one minus the level at which zero enters the interval. These two test
            more: that A and B are exchangeable, so that swapping their predictions on any item, or
            all of a unit, changes nothing. "exact" is for labels without ``groups`` and Tversky
            scores (F1, F-beta, precision, recall, Jaccard), accuracy and the micro average;
            "randomisation" swaps at random. See `f1ci.methods.paired`.
        replicates : int, default 9999
            The number of random swaps of "randomisation".
        rng : None, int or numpy.random.Generator, optional
            The source of random numbers of "randomisation"; an integer is a seed.

        Returns
        -------
        DifferenceTest
            The difference with its interval and its p-value, which is at most 0.05 exactly if the
            95 % interval does not contain zero. On the same items, or units, estimates are
            correlated, and the interval takes that into account.

        Warns
        -----
        IntervalWarning
            If the averages of the two models are over different classes; see also `interval`.

        See Also
        --------
        compare : Any number of models.
        """
        asked = question(method, confidence_level, alternative)
        plan = checked_plan(margin, test, replicates, rng)
        places = self._pair(a, b)
        sample = self._sample_of_two(self._metric(metric), places, average)
        result = self._test(sample, asked, plan)
        check(sample, method_for(sample, method)[1])
        return result

    def compare(
        self,
        metric: str | Metric | None = None,
        *,
        average: str | None = "binary",
        margin: float = 0.0,
        method: str | None = None,
        confidence_level: float = 0.95,
    ) -> ModelComparison:
        """Compare any number of models, pair by pair.

        Parameters
        ----------
        metric, average, margin, method, confidence_level
            See `difference`. Intervals have the level one by one.

        Returns
        -------
        ModelComparison
            The interval of each model, the difference of each pair, and p-values adjusted by
            Holm's method.

        See Also
        --------
        joint : Intervals that are right together.
        """
        asked = question(method, confidence_level)
        plan = checked_plan(margin)
        checks.at_least_two("models", len(self.models), "a comparison")
        return self._comparison(self._metric(metric), _of_one_score(average), asked, plan)

    def _comparison(
        self, metric: Metric, average: str, asked: Question, plan: Plan
    ) -> ModelComparison:
        """Return the intervals of all models, best first, and the tests of all pairs."""
        places = range(len(self.models))
        named = {self.models[place]: self._one(metric, place, average) for place in places}
        intervals = {name: self._interval(one, asked) for name, one in named.items()}
        tests = self._tests_of_pairs(metric, average, asked, plan)
        for one in named.values():
            check(one, method_for(one, asked.method)[1])
        check_alike(list(named.items()))
        best_first = sorted(intervals.items(), key=lambda item: -np.nan_to_num(item[1].estimate))
        adjusted = holm({pair: result.p_value for pair, result in tests.items()})
        return ModelComparison(dict(best_first), tests, adjusted, self._compared)

    def _tests_of_pairs(
        self, metric: Metric, average: str, asked: Question, plan: Plan
    ) -> dict[tuple[str, str], DifferenceTest]:
        """Return the tests of all pairs of models."""
        pairs = [
            self._sample_of_two(metric, places, average)
            for places in combinations(range(len(self.models)), 2)
        ]
        return {pair.models: self._test(pair, asked, plan) for pair in pairs}

    def joint(
        self,
        metrics: str | Metric | Sequence[str | Metric],
        *,
        average: str | None = "binary",
        method: str | None = None,
        confidence_level: float = 0.95,
    ) -> JointIntervals:
        """Return individual and joint intervals for several metrics of all models.

        With probability `confidence_level` all joint intervals are right at once, so any comparison
        read from them may be made after looking at the data (Yuan & Jiang 2025, proposition 1).

        Parameters
        ----------
        metrics : str, Metric or sequence of these
            By name or as objects, for two classes, for many, or, with two classes, both.
        average
            See `interval`.
        method : str, optional
            "cautious", the default for Tversky indices (F-beta, Jaccard, precision, recall) and
            accuracy; "score", the default for all other smooth metrics, shorter, and in small
            samples below the level; "logit", the default for metrics that are not smooth and for
            units; the papers' "delta" (choice I of Yuan & Jiang, remark 2) and, for metrics of two
            classes, "blur" (choice II).
        confidence_level : float, optional
            The nominal level, of all joint intervals together and of each individual one.

        Returns
        -------
        JointIntervals
            One row for each model and metric. The correlation may be singular: two models may be
            identical, and metrics functions of one another.

        See Also
        --------
        interval : One score by itself.
        """
        self._refuse("joint")
        level = checks.confidence_level(confidence_level)
        resolved = self._metrics(metrics)
        rows = [(model, metric) for model in range(len(self.models)) for metric in resolved]
        joint = self._joint_rows(rows, _of_one_score(average), method, level)
        names = [self.models[model] for model, _ in rows]
        result = joint.intervals(names, level)
        for name, one, entry in zip(names, joint.samples, joint.methods, strict=True):
            check(one, entry, f"{one.metric.name} of {name}")
        for k in range(len(resolved)):
            check_alike(list(zip(self.models, joint.samples[k :: len(resolved)], strict=True)))
        return result

    def _joint_rows(
        self, rows: Sequence[Row], average: str, method: str | None, level: float
    ) -> JointRows:
        """Return several scores, and how their estimates vary together."""
        samples = [self._one(metric, model, average) for model, metric in rows]
        observed, smoothed = self._covariances(rows, samples, average)
        return JointRows(samples, observed, smoothed, method, level)

    def report(
        self,
        model: str | None = None,
        *,
        names: Classes | None = None,
        method: str | None = None,
        confidence_level: float = 0.95,
    ) -> ClassificationReport:
        """Return precision, recall and F1 of every class and their averages, with intervals.

        Parameters
        ----------
        model : str, optional
            The name of the model, if there are several.
        names : sequence, optional
            What the classes are called in the report, in the order of the rows.
        method : {"score", "logit", "delta"}, optional
            "score" by default.
        confidence_level : float, default 0.95
            The nominal level of each interval by itself.

        Returns
        -------
        ClassificationReport
            Prints as a table; ``to_frame()`` gives a pandas data frame. Nothing is warned of: lines
            below the table say what is undefined or hardly known.
        """
        self._refuse("report")
        asked = question(method, confidence_level)
        place = self._place(model)
        return report_of(self._reported(place, names), asked)

    def plan(
        self,
        metric: str | Metric | None = None,
        model: str | None = None,
        *,
        half_width: float | None = None,
        difference: float | None = None,
        a: str | None = None,
        b: str | None = None,
        average: str | None = "binary",
        power: float = 0.8,
        confidence_level: float = 0.95,
    ) -> PilotSize | DifferenceSampleSize:
        """Return how many items, or units, the next test set needs; these data are the pilot.

        The variance is that of the pilot, so a pilot with few errors, or few items on which two
        models differ, makes an unsure plan. `between` says how unsure.

        Parameters
        ----------
        metric, model, average
            See `interval`; one score.
        half_width : float, optional
            The half width wanted for the interval of the method "delta" of one model's score.
        difference : float, optional
            The difference of two models that a paired test should find.
        a, b : str, optional
            The names of the two models.
        power : float, default 0.8
            The probability of finding the difference.
        confidence_level : float, default 0.95
            The level of the interval, or one minus the size of the test.

        Returns
        -------
        PilotSize or DifferenceSampleSize
            The numbers count items; with groups, and for units, they count units.

        See Also
        --------
        f1ci.sample_size : Without a pilot, for F scores of one class, whatever the model.
        f1ci.comparison_sample_size : Without a pilot, for two models.
        """
        self._refuse("plan")
        level = checks.confidence_level(confidence_level)
        resolved = self._metric(metric)
        average = _of_one_score(average)
        if (half_width is None) == (difference is None):
            rule = "a plan is for a half_width of one score, or for a difference of two models"
            raise ValueError(f"{rule}: pass one of the two, got {half_width!r} and {difference!r}")
        if half_width is not None:
            width = checks.positive("half_width", half_width)
            pilot = self._pilot(resolved, self._place(model), average)
            return planning.plan_of_interval(resolved.name, pilot, width, level)
        self._refuse("plan of a difference")
        wanted = checks.positive("difference", difference)
        power = checks.inner("power", power)
        pair = self._pilot_of_two(resolved, self._pair(a, b), average)
        return planning.plan_of_difference(resolved, wanted, *pair, power, level)

    # What the questions share.

    def _report_of(
        self, model: int, data: Items | UnitCounts, names: Classes | None, known: bool
    ) -> Reported:
        """Return what a report asks of the data of one model; `known` shares are named in it."""
        counts = data.counts_by_class()
        return Reported(
            lambda metric, average: self._one(metric, model, average),
            names_of(list(data.classes)[: counts.shape[1]], names),
            data,
            counts,
            self.constant,
            known,
        )

    def _metric(self, metric: str | Metric | None) -> Metric:
        """Return the metric, or the default."""
        return _metrics.get(self._default_metric if metric is None else metric)

    def _metrics(self, metrics: str | Metric | Sequence[str | Metric]) -> list[Metric]:
        """Return several metrics, which are distinct."""
        named = [metrics] if isinstance(metrics, (str, Metric)) else metrics
        resolved = [self._metric(metric) for metric in checks.listed("metrics", named)]
        checks.distinct("metrics", [metric.name for metric in resolved])
        return resolved

    def _place(self, model: str | None) -> int:
        """Return the number of the model; its name may be left out if there is one."""
        if model is None and len(self.models) == 1:
            return 0
        if model is None:
            listed = checks.listing(self.models)
            raise ValueError(f"model must name one of the models {listed}, got None")
        return self.models.index(checks.choice("model", model, self.models))

    def _pair(self, a: str | None, b: str | None) -> tuple[int, int]:
        """Return the numbers of the two models; their names may be left out if there are two."""
        if a is None and b is None and len(self.models) == 2:
            return 0, 1
        if a is None or b is None:
            listed = checks.listing(self.models)
            rule = f"a and b must name two of the models {listed}"
            raise ValueError(f"{rule}, got {checks.short(a)} and {checks.short(b)}")
        places = [
            self.models.index(checks.choice(name, value, self.models))
            for name, value in (("a", a), ("b", b))
        ]
        if places[0] == places[1]:
            raise ValueError(f"a and b must be two models, got {checks.short(a)} twice")
        return places[0], places[1]

    def _sample_of_two(
        self, metric: Metric, places: tuple[int, int], average: str | None
    ) -> Difference | RunsSample:
        """Return the sample of B minus A, which knows the models' names."""
        sample = self._two(metric, *places, _of_one_score(average))
        sample.models = self.models[places[0]], self.models[places[1]]
        return sample

    def _interval(self, sample: Sample, asked: Question) -> Interval:
        """Return the interval of a sample, without warnings."""
        interval = interval_of(sample, asked)
        if not isinstance(sample, RunsSample):
            return interval
        fields = {name: getattr(interval, name) for name in Interval.__dataclass_fields__}
        return RunsInterval(**fields, scores=sample.scores, share_of_runs=sample.share_of_runs)

    def _test(self, sample: Difference | RunsSample, asked: Question, plan: Plan) -> DifferenceTest:
        """Return the test of two models, without warnings; refuse first what is not possible."""
        refuse_test(sample, asked, plan)
        return with_p_values(sample, self._interval(sample, asked), asked, plan)

    def _pilot(self, metric: Metric, model: int, average: str) -> Variance:
        """Return the variance of one model's score, from one item or unit."""
        sample = self._one(metric, model, average)
        variance = planning.variance_of(
            float(sample.error), partial(self._influences, metric, [model], average)
        )
        check(sample, method_for(sample, "delta")[1])
        return variance

    def _pilot_of_two(
        self, metric: Metric, places: tuple[int, int], average: str
    ) -> tuple[Variance, float]:
        """Return the variance of a paired difference, and of an unpaired one."""
        pair = self._sample_of_two(metric, places, average)
        check(pair, method_for(pair, "delta")[1])
        paired = planning.variance_of(
            float(pair.error), partial(self._influences, metric, places, average)
        )
        rows = [(place, metric) for place in places]
        apart = np.diagonal(self._covariances(rows, pair.parts, average)[0])
        return paired, paired.units * float(apart.sum())


def _of_one_score(average: str | None) -> str:
    """Refuse a score for each class where one score is wanted."""
    if average is None:
        rule = "average=None has a score for each class, and this question is for one score"
        advice = "name an average, such as 'macro', or one class by pos_label= of Labels"
        raise ValueError(f"{rule}: {advice}, got None")
    return average
