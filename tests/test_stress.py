"""A Dask cluster that loses a worker for real gives the same bits as no cluster at all."""

import pytest
from compendium import stress

REPLICATES = 4_000_000


@pytest.mark.slow
def test_a_killed_worker_changes_no_bit():
    pytest.importorskip("distributed", reason="needs dask.distributed")
    said = []
    outcome = stress.lose_a_worker(REPLICATES, say=said.append)
    assert outcome.ended
    # It was lost in the middle, with batches before and after.
    assert 0.3 * REPLICATES <= outcome.done_at_loss < REPLICATES
    assert outcome.reports > 10
    assert any("killed worker" in line for line in said)
    assert outcome.bits == stress.study(REPLICATES)
