"""Parquet files of every type of Arrow, with counts of nulls and without: values, types, filters."""

from __future__ import annotations

import datetime
import decimal
import operator

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import raskt.dataframe as rd
from frame_comparing import check

TYPES = {
    "int8": pa.int8(),
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "float16": pa.float16(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "date32": pa.date32(),
    "date64": pa.date64(),
    "time32[s]": pa.time32("s"),
    "time32[ms]": pa.time32("ms"),
    "time64[us]": pa.time64("us"),
    "time64[ns]": pa.time64("ns"),
    **{f"timestamp[{unit}]": pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")},
    **{f"timestamp[{unit}, Oslo]": pa.timestamp(unit, "Europe/Oslo") for unit in ("s", "ms", "us", "ns")},
    "timestamp[us, UTC]": pa.timestamp("us", "UTC"),
    "timestamp[us, +01:00]": pa.timestamp("us", "+01:00"),
    **{f"duration[{unit}]": pa.duration(unit) for unit in ("s", "ms", "us", "ns")},
}

#: What has no integers for values.
ARRAYS = {
    "bool": pa.array([True, False, True]),
    "text": pa.array(["a", "b", "a"]),
    "large text": pa.array(["a", "b", "a"], pa.large_string()),
    "view of text": pa.array(["a", "b", "a"], pa.string_view()),
    "bytes": pa.array([b"a", b"b", b"a"]),
    "bytes of one length": pa.array([b"a", b"b", b"a"], pa.binary(1)),
    "lists": pa.array([[1], [2, 3], []]),
    "structs": pa.array([{"a": 1}, {"a": 2}, {"a": 3}]),
    "nothing": pa.nulls(3),
    "decimal": pa.array([decimal.Decimal("1.10"), decimal.Decimal("2.20"), decimal.Decimal("3.30")]),
    "wide decimal": pa.array([decimal.Decimal("1.1")] * 3, pa.decimal256(50, 2)),
    "categories": pa.array(["b", "a", "b"]).dictionary_encode(),
    "categories of integers": pa.array([3, 1, 3]).dictionary_encode(),
}


def numbers(dtype: pa.DataType) -> pa.Array:
    """Three values of a type that is made of integers."""
    # Whole days, and no less than pandas' times of day can tell.
    unit = {pa.date64(): 86_400_000, pa.time64("ns"): 1000}.get(dtype, 1)
    if pa.types.is_floating(dtype):
        return pa.array(np.array([1, 2, 3], str(dtype).replace("halffloat", "float16").replace("double", "float64")))
    return pa.array([unit, 2 * unit, 3 * unit], dtype)


def all_arrays() -> dict[str, pa.Array]:
    """A column of each type."""
    return {**{name: numbers(dtype).cast(dtype) for name, dtype in TYPES.items()}, **ARRAYS}


def with_hole(array: pa.Array) -> pa.Array:
    """The same with a null at the end."""
    return pa.concat_arrays([array, pa.nulls(1, array.type)])


def write(path, array: pa.Array, **options) -> None:
    """A file of the array and of a column beside it."""
    table = pa.table({"c": array, "x": np.arange(len(array))})
    try:
        pq.write_table(table, path, **options)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as refused:
        pytest.skip(str(refused))


def outcome(function, argument):
    """What a function gives, or its error."""
    try:
        found = function(argument)
        return found.compute() if hasattr(found, "compute") else found
    except Exception as error:
        return error


def agree(own, expected) -> None:
    """The same as pandas, or the error that pandas has, or a refusal."""
    if isinstance(own, NotImplementedError):
        return
    if isinstance(expected, Exception):
        assert isinstance(own, Exception), f"{expected!r} in pandas, and {own!r}"
    elif isinstance(own, Exception):
        raise own
    else:
        check(own, expected)


OPTIONS = {"plain": {}, "no counts": {"write_statistics": False}}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("array", all_arrays().values(), ids=all_arrays().keys())
def test_columns_of_every_type_without_notes(tmp_path, array, holes, options):
    path = tmp_path / "x.parquet"
    write(path, with_hole(array) if holes else array, **options)
    expected = pd.read_parquet(path)
    own = outcome(rd.read_parquet, path)
    agree(own, expected)
    assert isinstance(own, Exception) or rd.read_parquet(path).dtypes.to_dict() == expected.dtypes.to_dict()
    # What is not read doesn't matter.
    check(rd.read_parquet(path, columns=["x"]), expected[["x"]])


METHODS = {
    **{op: lambda frame, value, op=op: frame[getattr(frame["c"], op)(value)]["x"].sum() for op in ("eq", "ne")},
    **{op: lambda frame, value, op=op: frame[getattr(frame["c"], op)(value)]["x"].sum() for op in ("lt", "ge")},
    "count": lambda frame, value: frame[frame["c"] >= value]["c"].count(),
    "isin": lambda frame, value: frame[frame["c"].isin([value])]["x"].sum(),
    "max": lambda frame, value: frame["c"].max(),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
@pytest.mark.parametrize("dtype", TYPES.values(), ids=TYPES.keys())
def test_rows_are_chosen_after_reading_as_in_pandas(tmp_path, dtype, method):
    path = tmp_path / "x.parquet"
    write(path, numbers(dtype).cast(dtype))
    frame = pd.read_parquet(path)
    value = frame["c"][1]
    if dtype == pa.date32():
        return  # which meet times as well
    expected = outcome(lambda it: method(it, value), frame)
    agree(outcome(lambda it: method(it, value), rd.read_parquet(path)), expected)


VALUES = {
    "int": 2,
    "float": 2.0,
    "half": 1.5,
    "beyond": 2**70,
    "inf": float("inf"),
    "nan": float("nan"),
    "none": None,
    "bool": True,
    "text": "a",
    "text of a time": "1970-01-01",
    "bytes": b"a",
    "decimal": decimal.Decimal("2.20"),
    "date": datetime.date(1970, 1, 3),
    "time": datetime.time(0, 0, 2),
    "datetime": datetime.datetime(1970, 1, 1, 0, 0, 0, 2),
    "stamp in ns": pd.Timestamp("1970-01-01 00:00:02").as_unit("ns"),
    "stamp in ms": pd.Timestamp("1970-01-01 00:00:00.002").as_unit("ms"),
    "stamp in s": pd.Timestamp("1970-01-01 00:00:02").as_unit("s"),
    "zoned": pd.Timestamp("1970-01-01 00:00:02", tz="UTC"),
    "delta in ns": pd.Timedelta(2000, "ns").as_unit("ns"),
    "delta in s": pd.Timedelta(2, "s").as_unit("s"),
    "numpy": np.int64(2),
    "numpy's time": np.datetime64("1970-01-01T00:00:02", "ns"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file of each type that can be written, with a null."""
    found = {}
    for name, array in all_arrays().items():
        path = tmp_path_factory.mktemp("types") / "x.parquet"
        try:
            pq.write_table(pa.table({"c": with_hole(array)}), path)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
        found[name] = path
    return found


def by_python(path, op, value):
    """The rows that Python's own comparison chooses, for types that pyarrow can't compare."""
    frame = pd.read_parquet(path)
    value = value.item() if isinstance(value, np.integer) else value
    holds = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, ">=": operator.ge}
    if op in holds:
        return frame[[not pd.isna(one) and holds[op](one, value) for one in frame["c"]]].reset_index(drop=True)
    return frame[[(one in value) == (op == "in") for one in frame["c"]]].reset_index(drop=True)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
@pytest.mark.parametrize("op", ["==", "!=", "<", ">=", "in", "not in"])
def test_filters_compare_as_pyarrow_or_say_that_they_do_not(files, op, value):
    given = [value] if "in" in op else value
    for name, path in files.items():
        read = lambda reader, path=path: reader.read_parquet(path, filters=[("c", op, given)])
        expected, own = outcome(read, pd), outcome(read, rd)
        if isinstance(own, Exception):
            assert isinstance(own, NotImplementedError) or isinstance(expected, Exception), f"{name}: {own!r}"
        else:
            check(own, by_python(path, op, given) if isinstance(expected, Exception) else expected)


def test_integers_keep_their_type_where_filters_leave_no_hole(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"i": pa.array([2**53 + 1, None, 5]), "x": [1, 2, 3]}), path)
    for filters in ([("i", ">", 5)], [("x", "!=", 2)], [("i", "not in", [5])], [[("x", "==", 1)], [("x", "==", 3)]]):
        check(rd.read_parquet(path, filters=filters), pd.read_parquet(path, filters=filters))


def test_integers_in_files_that_count_no_nulls_stay_exact(tmp_path):
    path = tmp_path / "x.parquet"
    field = pa.field("required", pa.int64(), nullable=False)
    table = pa.table([pa.array([2**53 + 1, 5]), pa.array([2**53 + 1, 5])], schema=pa.schema([("i", pa.int64()), field]))
    pq.write_table(table, path, write_statistics=False)
    for columns in (None, ["required"], ["i"]):
        read = rd.read_parquet(path, columns=columns)
        expected = pd.read_parquet(path, columns=columns)
        assert read.dtypes.to_dict() == expected.dtypes.to_dict()
        check(read, expected)
    assert "pandas" not in rd.read_parquet(path, columns=["required"]).explain()


def test_nan_is_another_value_and_a_null_is_unknown(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"f": pa.array([1.0, float("nan"), None, 2.0])}), path)
    for op, value in (("!=", 1.0), ("==", 1.0), (">=", 1.0), ("in", [1.0]), ("not in", [1.0])):
        check(rd.read_parquet(path, filters=[("f", op, value)]), pd.read_parquet(path, filters=[("f", op, value)]))


@pytest.mark.parametrize("turn", range(3))
def test_files_of_equal_numbers_come_in_one_order(tmp_path, turn):
    names = ["p1", "p01", "p001"]
    for name in names[turn:] + names[:turn]:
        pd.DataFrame({"n": [name]}).to_csv(tmp_path / f"{name}.csv", index=False)
        pd.DataFrame({"n": [name]}).to_parquet(tmp_path / f"{name}.parquet")
    for read, ending in ((rd.read_csv, "csv"), (rd.read_parquet, "parquet")):
        assert read(f"{tmp_path}/*.{ending}")["n"].compute().tolist() == sorted(names)
    assert rd.read_parquet(tmp_path)["n"].compute().tolist() == sorted(names)


@pytest.mark.parametrize("kind", ["bool", "date", "decimal"])
def test_what_is_missing_among_objects_is_none(tmp_path, kind):
    values = {"bool": True, "date": datetime.date(2020, 1, 2), "decimal": decimal.Decimal("1.50")}
    pq.write_table(pa.table({"x": pa.array([values[kind], None])}), tmp_path / "file.parquet")
    assert rd.read_parquet(tmp_path / "file.parquet")["x"].compute().tolist() == [values[kind], None]


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("beside", ["nothing", "truth", "category", "objects", "labels", "schema"])
def test_integers_that_may_be_missing_are_whole_numbers(tmp_path, beside, partitions):
    """To the last digit, and of one type in all files, whatever else there is."""
    whole = 2**53 + 1
    left = pd.DataFrame({"k": list("aabb")})
    right = pd.DataFrame({"k": ["a"], "q": [True], "v": [whole], "s": np.array([7], dtype="int16")})
    rows = rd.from_pandas(left, npartitions=partitions).merge(rd.from_pandas(right, npartitions=1), on="k", how="left")
    options = {"schema": {"v": pa.int64()}} if beside == "schema" else {}
    if beside == "objects":
        rows = rows.assign(o=rows.k.map(lambda key: (key,)).map(str).astype(object))
    if beside == "category":
        rows = rows.assign(c=rows.k.astype("category"))
    rows = rows if beside == "truth" else rows.drop(columns="q")
    (rows.set_index("k", sort=False) if beside == "labels" else rows).to_parquet(tmp_path / "rows", **options)
    tables = [pq.read_table(path) for path in sorted((tmp_path / "rows").glob("*.parquet"))]
    assert [value for table in tables for value in table.column("v").to_pylist()] == [whole, whole, None, None]
    assert {str(table.schema.field(name).type) for table in tables for name in ("v", "s")} == {"int64", "int16"}
    expected = left.merge(right, on="k", how="left")
    check(pd.read_parquet(tmp_path / "rows")["v"].reset_index(drop=True), expected["v"])
    check(rd.read_parquet(tmp_path / "rows")["v"].compute().reset_index(drop=True), expected["v"])
