"""The benchmark: what it says of its times, and that every section runs. No times are judged."""

from dataclasses import asdict
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks import bench, environment, results
from benchmarks.environment import best_times

import f1ci

TINY = bench.Sizes(
    counts=50,
    labels=(100, 1000),
    classes=(2, 3),
    items_of_classes=100,
    metrics=(1, 2),
    classifiers=(1, 2),
    quantiles=2,
    quantiles_in_r=1,
    replicates=500,
    resamples=19,
    discordant=10,
    units=50,
    test_sizes=(10, 25),
    many=300_000,
    seconds=0.001,
)


def test_a_goal_bounds_the_ratio_of_ours_to_theirs():
    faster = results.Comparison("a question", "a peer", ours=1.0, theirs=20.0, goal=1 / 20)
    assert faster.ratio == 0.05
    assert faster.verdict == "met"
    assert results.Comparison("a question", "a peer", 1.1, 20.0, 1 / 20).verdict == "missed"
    assert results.Comparison("a question", "a peer", 1.0, 20.0).verdict == ""
    assert str(faster).endswith("1/20 of it  goal 1/20: met")


QUANTITIES = {
    "s": {0.0: "0 ns", 5e-9: "5 ns", 9.996e-4: "1 ms", 9.994e-4: "999 µs", 59.99: "1 min"}
    | {1.234: "1.23 s", 3.2e10: "1,010 years"},
    "B": {200e6: "200 MB", 0: "0 B"},
}
RATIOS = {2.04: "2", 1.26: "1.3", 0.97: "1", 0.04: "1/25", 1e-5: "1/100,000", 0.4: "1/2.5"}


def test_numbers_are_written_as_a_person_writes_them():
    for unit, values in QUANTITIES.items():
        assert {value: results.text(value, unit) for value in values} == values
    assert {ratio: results.share(ratio) for ratio in RATIOS} == RATIOS


def test_times_are_those_of_each_call(monkeypatch):
    """A clock that the calls themselves move on."""
    now, calls = 0.0, []

    def call(cost):
        nonlocal now
        now += cost
        calls.append(cost)

    monkeypatch.setattr(environment, "time", SimpleNamespace(perf_counter=lambda: now))
    short, long = 1e-6, 1e-3
    times = best_times(partial(call, short), partial(call, long), seconds=0.02)
    assert times == pytest.approx([short, long], rel=1e-6)
    assert calls.count(short) > 100 * calls.count(long) > 0


@pytest.mark.filterwarnings("default")  # the peers' own
@pytest.mark.parametrize("section", bench.SECTIONS, ids=lambda s: s.__name__)
def test_every_section_runs(section, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "_quantiles_in_r", lambda _: None)  # takes seconds, and is optional
    found = bench.run([section], TINY)
    path = tmp_path / "bench.json"
    results.save(found, path)
    loaded = results.load(path)["sections"][section.__name__]
    assert loaded["title"]
    lines = loaded["comparisons"] + loaded["growth"]
    assert lines
    assert all(min(line.ours, line.theirs) > 0 for line in loaded["comparisons"])
    for growth in loaded["growth"]:
        assert all(len(times) == len(growth.sizes) for times in growth.seconds.values())
    compared = found["sections"][section.__name__]["comparisons"]
    assert [asdict(line) for line in loaded["comparisons"]] == compared


def test_swaps_and_documents_drawn_by_hand_answer_the_same_question():
    truth = np.repeat([1, 0], 100)
    a, b = truth.copy(), truth.copy()
    a[:30], a[100:120] = 0, 1
    b[25:45], b[115:125] = 0, 1
    exact = f1ci.difference_test(truth, a, b)
    assert 0.01 < exact.p_value < 0.5
    # Four standard errors of 10,000 swaps.
    noise = 4 * np.sqrt(exact.p_value * (1 - exact.p_value) / 10_000)
    assert bench.swapped(truth, a, b, 10_000) == pytest.approx(exact.p_value, abs=noise)

    documents = np.random.default_rng(1).multinomial(10, (0.6, 0.1, 0.1, 0.2), 500)[:, :3]
    interval = f1ci.clustered_interval(documents)
    # The 2.5 % quantile of 1000 resamples has a standard error of 0.0845 standard errors of F1,
    # which is 0.0216 of the interval's length; four of them are allowed.
    tolerance = 4 * 0.0216 * interval.length
    ends = bench.document_bootstrap(documents, 1000)
    assert tuple(ends) == pytest.approx(tuple(interval), abs=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("section", bench.BIG, ids=lambda s: s.__name__)
@pytest.mark.filterwarnings("default")
def test_large_jobs_run_small(section):
    pytest.importorskip("distributed")
    lines = bench.run([section], TINY)["sections"][section.__name__]["comparisons"]
    notes = [line["note"] for line in lines if "killed" in line["note"]]
    assert all("the same bits" in note for note in notes)
    assert len(notes) == (section is bench.many_replicates)


def test_an_absent_package_is_named_once(capsys, monkeypatch):
    monkeypatch.setattr(bench, "absent", set())
    assert bench.peer("no_such_package.part") is None
    assert bench.peer("no_such_package") is None
    assert capsys.readouterr().out.count("no_such_package is not installed") == 1


def test_an_altered_recording_is_refused(tmp_path):
    path = tmp_path / "bench.json"
    results.save({"date": "2026-11-18", "sections": {}}, path)
    assert results.load(path)["sections"] == {}
    path.write_text(path.read_text().replace("2026", "2025"))
    with pytest.raises(ValueError, match=r"bench.json is not as `make bench` recorded it"):
        results.load(path)


def test_the_recording_of_the_book_is_as_it_was_made():
    assert results.load()["sections"]


def test_only_a_whole_run_is_recorded(capsys):
    for arguments in (["--record"], ["--record", "--big", "floors"], ["flors"]):
        with pytest.raises(SystemExit):
            bench.main(arguments)
    assert "there is no section 'flors'" in capsys.readouterr().err
