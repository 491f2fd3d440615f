"""Stand-ins for the tools of the recipes: the documented names and fields, and nothing else.

A recipe runs with the tool itself where that is installed.
"""

import importlib.util
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace


class Metric:
    """`evaluate.Metric`: `compute` hands predictions and references on, as its features say."""

    def compute(self, **columns):
        features = self._info().features
        assert columns.keys() == features.keys()
        return self._compute(**{name: list(map(str, columns[name])) for name in features})


@dataclass
class MetricValue:
    scores: list | None = None
    justifications: list | None = None
    aggregate_results: dict = field(default_factory=dict)


@dataclass
class Score:
    value: str
    answer: str | None = None


@dataclass
class SampleScore:
    score: Score
    sample_metadata: dict | None = None


NAMES = {
    "evaluate": {"Metric": Metric, "MetricInfo": SimpleNamespace},
    "datasets": {"Features": dict, "Value": str},
    "mlflow": {},
    "mlflow.metrics": {"MetricValue": MetricValue},
    "mlflow.models": {"make_metric": SimpleNamespace},
    "inspect_ai": {},
    "inspect_ai.scorer": {"SampleScore": SampleScore, "Score": Score, "metric": lambda f: f},
}


def stand_in_where_missing(monkeypatch):
    """Put a stand-in for every tool that is not installed."""
    tools = {name.partition(".")[0] for name in NAMES}
    missing = {tool for tool in tools if importlib.util.find_spec(tool) is None}
    for name, contents in NAMES.items():
        if name.partition(".")[0] in missing:
            module = ModuleType(name)
            vars(module).update(contents)
            monkeypatch.setitem(sys.modules, name, module)
