"""Divisions: known where they can be, true, and what rows are cut by."""

import numpy as np
import pandas as pd
import pytest
from label_cases import KINDS, frame_of

import raskt
import raskt.dataframe as rd
from frame_comparing import check

ORDERED = ["range", "sorted", "duplicates", "text", "times", "zoned"]


def check_divisions(lazy, known=True):
    """Assert that each label lies in the one partition whose divisions it is between."""
    assert lazy.known_divisions is known
    assert len(lazy.divisions) == lazy.npartitions + 1
    if not known:
        assert set(lazy.divisions) == {None}
        return lazy
    low, last = lazy.divisions[:-1], lazy.divisions[-1]
    parts = raskt.compute(*lazy.to_delayed())
    for at, part in enumerate(parts):
        high = low[at + 1] if at + 1 < len(low) else last
        assert (part.index >= low[at]).all()
        assert ((part.index < high) | ((part.index == high) & (at + 1 == len(low)))).all()
    return lazy


@pytest.mark.parametrize("kind", ORDERED)
@pytest.mark.parametrize("npartitions", [1, 2, 3, 7])
def test_rows_of_pandas(kind, npartitions):
    rows = frame_of(kind)
    lazy = check_divisions(rd.from_pandas(rows, npartitions=npartitions))
    assert (lazy.divisions[0], lazy.divisions[-1]) == (rows.index[0], rows.index[-1])
    check(lazy, rows)


def test_equal_labels_are_in_one_partition():
    rows = pd.Series(range(8), index=[0, 1, 2, 7, 7, 7, 8, 9])
    assert rd.from_pandas(rows, npartitions=2).divisions == (0, 7, 9)
    same = pd.Series(range(8), index=[1] * 8)
    assert rd.from_pandas(same, npartitions=3).divisions == (1, 1)


def test_times_in_every_unit():
    for unit in ("ms", "us", "ns"):
        index = pd.date_range("2011-01-01", periods=4, unit=unit)
        assert rd.from_pandas(pd.Series(range(4), index=index)).divisions == (index[0], index[-1])


def test_pieces_of_so_many_rows():
    rows = frame_of("sorted")
    assert rd.from_pandas(rows, chunksize=3).divisions == (1, 5, 9, 12)


KEEPING = {
    "columns": lambda df: df[["x"]],
    "column": lambda df: df.x,
    "filter": lambda df: df[df.x > 20],
    "filter by all rows": lambda df: df[df.x > df.x.mean()],
    "assign": lambda df: df.assign(z=df.x + df.y),
    "running": lambda df: df.assign(z=df.x.cumsum()),
    "pandas by row": lambda df: df.assign(z=df.x.map(lambda x: x + 1)),
    "persist": lambda df: df.persist(),
    "persisted filter": lambda df: df[df.x > 20].persist(),
    "partitions": lambda df: df.partitions[1:],
    "partition": lambda df: df.get_partition(1),
    "rename axis": lambda df: df.rename_axis(["label"]),
    "dropna": lambda df: df.dropna(),
}


@pytest.mark.parametrize("kind", ORDERED)
@pytest.mark.parametrize("name", KEEPING)
def test_divisions_are_kept(kind, name):
    check_divisions(KEEPING[name](rd.from_pandas(frame_of(kind), npartitions=3)))


LOSING = {
    "sort": lambda df: df.sort_values("y", ascending=False),
    "clear": lambda df: df.clear_divisions(),
    "other labels": lambda df: df.set_index("y", sort=False),
    "changed labels": lambda df: df.assign(k=-df.x).set_index("k", sort=False),
    "concat of the same": lambda df: rd.concat([df, df]),
    "several levels": lambda df: df.set_index("y", append=True),
}


@pytest.mark.parametrize("kind", ORDERED)
@pytest.mark.parametrize("name", LOSING)
def test_divisions_are_not_claimed(kind, name):
    check_divisions(LOSING[name](rd.from_pandas(frame_of(kind), npartitions=3)), known=False)


def test_concat_of_rows_one_after_another():
    rows = frame_of("sorted")
    first, second = rd.from_pandas(rows[:4], npartitions=2), rd.from_pandas(rows[4:], npartitions=2)
    assert check_divisions(rd.concat([first, second])).divisions == (1, 4, 7, 9, 12)
    check_divisions(rd.concat([second, first]), known=False)


def test_divisions_that_are_promised():
    rows = frame_of("sorted")
    parts = [raskt.delayed(rows[:3]), raskt.delayed(rows[3:])]
    lazy = rd.from_delayed(parts, meta=rows[:0], divisions=(1, 5, 12))
    check_divisions(lazy)
    check_divisions(lazy[lazy.x > 10])
    check_divisions(rd.from_map(lambda at: rows[at : at + 4], [0, 4], meta=rows[:0], divisions=(1, 7, 12)))
    with pytest.raises(ValueError, match="divisions"):
        rd.from_delayed(parts, meta=rows[:0], divisions=(1, 5))


@pytest.mark.parametrize("npartitions", [1, 3, 7])
@pytest.mark.parametrize("kind", ORDERED)
def test_repartition_by_divisions(kind, npartitions):
    rows = frame_of(kind)
    lazy = rd.from_pandas(rows, npartitions=npartitions)
    index = rows.index.unique()
    for bounds in ([0, -1], [0, 2, -1], [0, 1, 2, 3, -1]):
        wanted = [index[at] for at in bounds]
        found = check_divisions(lazy.repartition(wanted))
        assert found.divisions == tuple(wanted)
        check(found, rows)
        check_divisions(found.x + 1)
        check(found.get_partition(0).x, rows.x[rows.index < wanted[1]] if len(wanted) > 2 else rows.x)


def test_repartition_of_divisions_beyond_those_there_are():
    lazy = rd.from_pandas(frame_of("sorted"), npartitions=2)
    for wrong in ([0, 5, 12], [1, 5, 10], [1, 5, 20], [1, 5, 4, 12], [1, 1, 12], [1], [5, 12]):
        with pytest.raises(ValueError, match="division"):
            lazy.repartition(divisions=wrong)
    check(lazy.repartition(divisions=[0, 5, 20], force=True), frame_of("sorted"))
    with pytest.raises(ValueError, match="division"):
        lazy.repartition(divisions=[5, 20], force=True)
    with pytest.raises(ValueError, match="known"):
        lazy.clear_divisions().repartition(divisions=[1, 12])


@pytest.mark.parametrize("npartitions", [1, 2, 5, 9])
def test_repartition_by_number(npartitions):
    rows = frame_of("sorted")
    found = rd.from_pandas(rows, npartitions=4).repartition(npartitions=npartitions)
    assert found.npartitions == npartitions
    check(found, rows)
    if npartitions < 4:
        check_divisions(found)


def test_repartition_by_size():
    rows = pd.DataFrame({"x": np.arange(1000.0)})
    lazy = rd.from_pandas(rows, npartitions=2)
    found = lazy.repartition(partition_size="2kB")
    assert found.npartitions == -(-int(rows.memory_usage(deep=True).sum()) // 2000)
    check(found, rows)
    assert lazy.repartition(partition_size=10**9).npartitions == 1


def test_repartition_by_time():
    index = pd.date_range("2021-01-01", periods=48, freq="6h")
    rows = pd.DataFrame({"x": range(48)}, index=index)
    found = check_divisions(rd.from_pandas(rows, npartitions=3).repartition(freq="2D"))
    assert found.divisions == (*pd.date_range("2021-01-01", periods=6, freq="2D"), index[-1])
    check(found, rows)
    with pytest.raises(TypeError, match="frequency"):
        rd.from_pandas(frame_of("sorted"), npartitions=2).repartition(freq="1D")


def test_the_function_takes_pandas_objects():
    assert rd.repartition(frame_of("sorted"), [1, 5, 12]).divisions == (1, 5, 12)


def test_loc_narrows_partitions():
    lazy = rd.from_pandas(pd.DataFrame({"x": range(20)}), npartitions=5)
    found = check_divisions(lazy.loc[5:9])
    assert found.npartitions == 2
    check(found, pd.DataFrame({"x": range(20)}).loc[5:9])


@pytest.mark.parametrize("kind", ["unsorted", "scattered", "text", "times", "floats"])
def test_set_index(kind):
    rows = frame_of(kind).reset_index(names="key")
    lazy = rd.from_pandas(rows, npartitions=3)
    check(lazy.set_index("key"), rows.set_index("key").sort_index(kind="stable"))
    check(lazy.set_index("key", sort=False, drop=False), rows.set_index("key", drop=False))
    check(lazy.set_index(["s", "key"], sort=False), rows.set_index(["s", "key"]))
    check(lazy.set_index(["s", "key"]), rows.set_index(["s", "key"]).sort_index(kind="stable"))
    check(lazy.set_index(lazy.x % 3), rows.set_index(rows.x % 3).sort_index(kind="stable"))
    assert lazy.set_index("key", npartitions=2).npartitions == 2
    changed = lazy.copy()
    assert changed.set_index("key", inplace=True) is None
    check(changed, rows.set_index("key").sort_index(kind="stable"))
    with pytest.raises(KeyError):
        lazy.set_index("nowhere")
    with pytest.raises(TypeError, match="nonsense"):
        lazy.set_index("key", nonsense=1)


def test_set_index_by_divisions():
    rows = pd.DataFrame({"k": [5, 1, 9, 2, 7], "x": range(5)})
    lazy = rd.from_pandas(rows, npartitions=2)
    found = check_divisions(lazy.set_index("k", divisions=[0, 4, 9]))
    assert found.divisions == (0, 4, 9)
    check(found, rows.set_index("k").sort_index())
    with pytest.raises(ValueError, match="outside"):
        lazy.set_index("k", divisions=[2, 4, 9]).get_partition(0).compute()
    known = check_divisions(lazy.sort_values("k").set_index("k", sorted=True))
    assert (known.divisions[0], known.divisions[-1]) == (1, 9)
    with pytest.raises(ValueError, match="ascending"):
        lazy.set_index("k", sorted=True)


def test_set_index_looks_for_repeats():
    rows = pd.DataFrame({"k": [1, 1, 2], "x": range(3)})
    with pytest.raises(ValueError, match="duplicate"):
        rd.from_pandas(rows, npartitions=2).set_index("k", verify_integrity=True).compute()


def test_the_rows_are_copied():
    rows = pd.DataFrame({"x": [1, 2, 3]})
    values = np.arange(3)
    lazy, series = rd.from_pandas(rows, npartitions=2), rd.from_pandas(pd.Series(values, copy=False), npartitions=1)
    rows.iloc[0, 0] = 99
    values[0] = 99
    assert lazy.x.compute().tolist() == [1, 2, 3]
    assert series.compute().tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_random_parts_do_not_depend_on_partitions(kind):
    rows = frame_of(kind)
    one, other = (rd.from_pandas(rows, npartitions=count, sort=False) for count in (1, 5))
    for a, b in zip(*(lazy.random_split([0.3, 0.7], random_state=7) for lazy in (one, other)), strict=True):
        check(a, b.compute())
    check(other.sample(frac=0.5, random_state=3), rows.sample(frac=0.5, random_state=3))
    check(other.x.sample(n=3, random_state=3), rows.x.sample(n=3, random_state=3))


def test_partitions_with_equal_labels_draw_differently():
    rows = pd.DataFrame({"x": range(2000)}, index=np.tile(np.arange(100), 20))
    first, _ = rd.from_pandas(rows, npartitions=20, sort=False).random_split([0.5, 0.5], random_state=1)
    counts = first.compute().groupby(level=0).size()
    assert counts.nunique() > 3


def test_functions_of_partitions_side_by_side():
    a = rd.from_pandas(frame_of("sorted"), npartitions=3)
    b = rd.from_pandas(frame_of("sorted", 1), npartitions=2)
    found = a.map_partitions(lambda one, other: one.x + other.x, b)
    check(found, frame_of("sorted").x + frame_of("sorted", 1).x)
    c = rd.from_pandas(frame_of("unsorted"), npartitions=2, sort=False)
    with pytest.raises(ValueError, match="side by side"):
        a.clear_divisions().map_partitions(lambda one, other: one.x + other.x, c)


def test_an_index_of_pandas():
    index = pd.Index([1, 2, 5], name="k")
    check(rd.from_pandas(index, npartitions=2), index)


def test_partitions_that_are_not_to_be_aligned_go_by_their_number():
    left = rd.from_pandas(pd.DataFrame({"x": [1, 2, 3, 4]}), npartitions=2)
    right = rd.from_pandas(pd.DataFrame({"x": [10, 20, 30, 40, 50, 60]}), npartitions=2)
    add = lambda one, other: pd.DataFrame({"n": [len(one) * 100 + len(other)]})
    by_number = left.map_partitions(add, right, align_dataframes=False)
    assert by_number.compute().n.tolist() == [203, 203]
    assert left.map_partitions(add, right).compute().n.tolist() != [203, 203]
    assert not left.map_partitions(lambda one: one, clear_divisions=True).known_divisions
    with pytest.raises(ValueError, match="clear_divisions"):
        left.map_partitions(lambda one: one, clear_divisions="yes")


def test_labels_with_the_missing_ones_first_are_in_no_order_that_slices_go_by():
    frame = pd.DataFrame({"x": [1, 2, 3, 4]}, index=[2.0, 1.0, float("nan"), 3.0])
    lazy = rd.from_pandas(frame, npartitions=2).sort_index(na_position="first")
    with pytest.raises(KeyError):
        frame.sort_index(na_position="first").loc[1.5:]
    with pytest.raises((KeyError, NotImplementedError)):
        lazy.loc[1.5:].compute()
    ordered = rd.from_pandas(frame[frame.index.notna()], npartitions=2).sort_index(na_position="first")
    assert ordered.loc[1.5:].x.compute().tolist() == frame[frame.index.notna()].sort_index().loc[1.5:].x.tolist()
