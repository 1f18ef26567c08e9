"""Persisted frames that don't fit into the memory limit."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pandas.testing as tm
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_running import damage, files_in, run
from memory_short import limited

import raskt
import raskt.dataframe as rd
from raskt.diagnostics import memory

ROWS = 40_000


def data(rows: int = ROWS) -> pd.DataFrame:
    numbers = np.arange(rows)
    return pd.DataFrame(
        {
            "key": numbers % 7,
            "x": np.where(numbers % 11 == 0, np.nan, numbers / 3),
            "text": np.where(numbers % 3 == 0, "abc", "a text that is longer than a view"),
            "kind": pd.Categorical(np.array(["a", "b", "c"])[numbers % 3]),
            "time": pd.Timestamp("2020-03-01", tz="Europe/Oslo") + pd.to_timedelta(numbers, "min"),
        }
    )


def test_a_persisted_frame_goes_to_disk_and_comes_back(tmp_path: Path) -> None:
    pdf = data()
    frame = rd.from_pandas(pdf, npartitions=16)
    # Of other tests, say what the threads of their futures gave.
    before = memory().held
    with limited(tmp_path, "1MiB"):
        kept = frame.assign(y=frame.x * 2).persist()
        report = memory()
        assert report.held <= before + 2**20 + pdf.memory_usage().sum() // 16 and report.files_written > 0
        assert any("frame" in holder.name for holder in report.holders)
        assert (kept.npartitions, len(kept)) == (16, ROWS)
        expected = pdf.assign(y=pdf.x * 2)
        assert list(kept.dtypes) == list(frame.assign(y=frame.x * 2).dtypes)
        tm.assert_frame_equal(kept.compute(), expected)
        for _ in range(2):
            tm.assert_series_equal(kept.groupby("key").y.sum().compute(), expected.groupby("key").y.sum())
        tm.assert_frame_equal(kept[kept.key == 3].compute(), expected[expected.key == 3])
        del kept
        gc.collect()
    assert memory().held <= before


def test_what_is_sorted_is_kept_in_parts_that_leave_one_by_one(tmp_path: Path) -> None:
    pdf = data()
    frame = rd.from_pandas(pdf, npartitions=16)
    with limited(tmp_path, "1MiB"):
        kept = frame.sort_values("x").persist()
        assert kept.npartitions == 16 and len(files_in(tmp_path)) > 8
        tm.assert_frame_equal(kept.compute(), pdf.sort_values("x", kind="stable"))


def test_columns_and_labels_are_kept_too(tmp_path: Path) -> None:
    pdf = data().set_index("time")
    frame = rd.from_pandas(pdf, npartitions=8)
    with limited(tmp_path, "1MiB"):
        column, labels = frame.text.persist(), (frame.x + 1).persist()
        tm.assert_series_equal(column.compute(), pdf.text, check_freq=False)
        tm.assert_series_equal(labels.compute(), pdf.x + 1, check_freq=False)


@pytest.mark.parametrize("keeps", [True, False])
def test_five_hundred_damaged_files_give_no_wrong_number(tmp_path: Path, keeps: bool) -> None:
    pdf = data(60_000)
    expected = (pdf.x * 2).to_numpy().reshape(40, -1)
    frame = rd.from_pandas(pdf, npartitions=40)
    damages = lost = rounds = 0
    with limited(tmp_path, "1MiB"):
        while damages < 500:
            rounds += 1
            kept = frame.assign(y=frame.x * 2).persist(keep_lineage=keeps)
            for at, file in enumerate(files_in(tmp_path)):
                if (at + rounds) % 3:
                    damages += damage(file, WAYS[(at + rounds) % 4], at * rounds)
            parts = [part.y for part in kept.to_delayed()]
            for at, part in enumerate(parts):
                try:
                    np.testing.assert_array_equal(part.compute(), expected[at])
                except raskt.ResultsLost:
                    lost += 1
        assert (lost == 0 if keeps else lost >= 200) and memory().files_lost > 0


WAYS = ["flip", "cut", "remove", "grow"]

VALUES = {
    "i": st.integers(-(2**40), 2**40),
    "f": st.floats(allow_subnormal=False),
    "t": st.text(max_size=20) | st.none(),
    "b": st.booleans(),
}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    columns=st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3, unique=True),
    partitions=st.integers(1, 6),
    values=st.data(),
)
def test_any_frame_is_the_same_as_without_a_limit(
    tmp_path: Path, columns: list[str], partitions: int, values: st.DataObject
) -> None:
    few = {name: values.draw(st.lists(VALUES[name], min_size=5, max_size=5), label=name) for name in columns}
    pdf = pd.DataFrame({name: pd.Series(few[name] * 10_000) for name in columns})
    frame = rd.from_pandas(pdf, npartitions=partitions)
    expected = frame.compute()
    with limited(tmp_path, "1MiB"):
        kept = [frame.persist() for _ in range(2)]
        for persisted in kept:
            tm.assert_frame_equal(persisted.compute(), expected)
            tm.assert_frame_equal(persisted.tail(7), expected.tail(7))


@pytest.mark.parametrize(
    "function", ["sum", "mean", "min", "max", "count", "size", "std", "first", "median", "nunique"]
)
@pytest.mark.parametrize("sort", [True, False])
def test_groups_of_kept_tables_are_those_of_the_whole(tmp_path: Path, function: str, sort: bool) -> None:
    pdf = data(60_000)
    pdf["i"], pdf["d"] = pdf.key * 3 - 7, pdf.x.round(-1)
    with limited(tmp_path, "1MiB"):
        kept = rd.from_pandas(pdf, npartitions=12).persist()
        for by in (["key"], ["d"], ["key", "text"]):
            found = getattr(kept.groupby(by, sort=sort)[["x", "i"]], function)().compute()
            expected = getattr(pdf.groupby(by, sort=sort, observed=True)[["x", "i"]], function)()
            if function == "size":
                tm.assert_series_equal(found, expected, check_names=False)
            else:
                tm.assert_frame_equal(found, expected, check_dtype=False, check_index_type=False)


@pytest.mark.parametrize("function", ["sum", "mean", "min", "max", "count", "std", "median"])
def test_reductions_of_kept_tables_are_those_of_the_whole(tmp_path: Path, function: str) -> None:
    pdf = data(60_000)
    with limited(tmp_path, "1MiB"):
        kept = rd.from_pandas(pdf, npartitions=12).persist()
        expressions: list[Any] = [
            lambda it: it.x,
            lambda it: it.key * 2,
            lambda it: it[it.key == 3].x + 1,
            lambda it: it.x.cumsum(),
        ]
        for expression in expressions:
            found = getattr(expression(kept), function)().compute()
            assert found == pytest.approx(getattr(expression(pdf), function)(), rel=1e-12)
        none = kept[kept.key == 99].x
        assert np.isnan(none.mean().compute()) and none.sum().compute() == 0 and none.count().compute() == 0


def test_several_results_of_kept_tables_at_once(tmp_path: Path) -> None:
    pdf = data(60_000)
    with limited(tmp_path, "1MiB"):
        kept = rd.from_pandas(pdf, npartitions=12).persist()
        sums, mean, rows = raskt.compute(kept.groupby("key").x.sum(), kept.x.mean(), kept[kept.key == 2])
        tm.assert_series_equal(sums, pdf.groupby("key").x.sum())
        assert mean == pytest.approx(pdf.x.mean(), rel=1e-12)
        tm.assert_frame_equal(rows, pdf[pdf.key == 2])


def test_a_frame_of_three_times_the_limit_is_grouped_twice(tmp_path: Path) -> None:
    limit = 768 * 2**20
    program = f"""
    import numpy as np, pandas as pd, raskt, raskt.dataframe as rd
    raskt.config.set({{"memory.limit": {limit}, "memory.spill-path": {str(tmp_path)!r}}})
    rows = 2**20

    def part(at):
        numbers = np.arange(rows, dtype="i8")
        return pd.DataFrame({{"key": numbers % 10, "a": numbers + at, "b": numbers * 0.5, "c": numbers * 0.25}})

    frame = rd.from_delayed([raskt.delayed(part)(at) for at in range(3 * {limit} // (rows * 32))], meta=part(0).head(0))
    kept = frame.persist()
    found["rows"] = len(kept)
    found["sums"] = [int(kept.groupby("key").a.sum().compute().sum()) for _ in range(2)]
    found["means"] = [float(kept.groupby("key").b.mean().compute()[3]) for _ in range(2)]
    found["files"] = raskt.diagnostics.memory().files_written
    """
    found = run(program)
    rows, parts = 2**20, 3 * limit // (2**20 * 32)
    assert found["rows"] == rows * parts and found["files"] > parts // 2
    assert found["sums"] == [parts * rows * (rows - 1) // 2 + rows * parts * (parts - 1) // 2] * 2
    numbers = np.arange(rows)
    assert found["means"] == pytest.approx([numbers[numbers % 10 == 3].mean() * 0.5] * 2)
    # The frame is never in memory as a whole. What the allocators keep of what was let go comes on top.
    assert found["peak"] <= 1.5 * limit
