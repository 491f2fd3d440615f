"""Lam, Gopal and Qian (2024), Tables 3 and 4, against exact sums of the package."""

import math

import pytest
from compendium.published import Published

from f1ci import coverage

# Coverage and lengths, from a million replicates.
ROWS = [row for id_, row in Published().rows.items() if id_.startswith("lam/table-")]
REPLICATES = 1_000_000
# Probabilities of TP, FP and FN (section 5.1).
SCENARIOS = {1: (0.4, 0.1, 0.1), 2: (0.64, 0.16, 0.16), 3: (0.16, 0.04, 0.64)}

# Test sets without relevant items are part of every design.
pytestmark = pytest.mark.filterwarnings("ignore::f1ci.IntervalWarning")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_tables_3_and_4(row):
    _, table, scenario, n, method = row.id.split("/")
    p11, p10, p01 = SCENARIOS[int(scenario[-1])]
    cells = [p11, p10, p01, max(1 - p11 - p10 - p01, 0.0)]
    result = coverage.exact(int(n[2:]), cells, method=method)
    expected, deviation = result.expected_length, result.length_deviation
    if table == "table-3":
        expected, deviation = result.coverage, math.sqrt(result.coverage * (1 - result.coverage))
    # Half a unit of the third decimal and four standard errors of the paper's replicates.
    tolerance = 0.0005 + 4 * deviation / math.sqrt(REPLICATES)
    assert float(row.printed) == pytest.approx(expected, abs=tolerance)
