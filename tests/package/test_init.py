"""The public face: what users see, and how they may call it."""

import inspect
import subprocess
import sys
import types

import pytest
import user_lines

import f1ci

FUNCTIONS = [name for name in f1ci.__all__ if inspect.isfunction(getattr(f1ci, name))]


def test_all_is_what_a_user_sees():
    modules = {name for name, value in vars(f1ci).items() if isinstance(value, types.ModuleType)}
    public = {name for name in vars(f1ci) if not name.startswith("_")}
    assert sorted(f1ci.__all__) == f1ci.__all__
    assert set(f1ci.__all__) == public - modules | {"coverage", "methods", "metrics", "plot"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_are_keyword_only(name):
    """Data, metrics and counts may be positional; everything that tunes a method has its name."""
    positional = [
        p.name
        for p in inspect.signature(getattr(f1ci, name)).parameters.values()
        if p.kind is not p.KEYWORD_ONLY
    ]
    data = "y_true y_pred y_pred_a y_pred_b predictions tp fp fn matrix labels metric metrics"
    data += " counts counts_a counts_b matrix_a matrix_b folds folds_a folds_b correlation n"
    data += " confidence_level plan scores scores_a scores_b y_preds y_preds_a y_preds_b"
    assert set(positional) <= set(data.split())
    assert "alpha" not in inspect.signature(getattr(f1ci, name)).parameters


def test_error_rates_in_place_of_levels_are_named():
    with pytest.warns(f1ci.IntervalWarning, match=r"level is 0.05; did you mean 0.95\?"):
        f1ci.f1_interval(7, 2, 1, confidence_level=0.05)
    with pytest.raises(ValueError, match=r"got 95; did you mean 0.95\?"):
        f1ci.f1_interval(7, 2, 1, confidence_level=95)


def test_the_package_imports_without_optional_libraries():
    code = (
        "import sys; import f1ci; print(*(m for m in ('matplotlib', 'pandas', 'sklearn', "
        "'scipy.stats') if m in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


def test_ordinary_lines_run_as_they_are_typed(capsys):
    """The type checker reads the same lines, with all other code."""
    user_lines.run()
    assert capsys.readouterr().out.startswith("0.")
