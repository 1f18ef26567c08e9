"""Lazy arrays beside rows: as pandas takes arrays with an element for each row, by position."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import raskt.array as ra
import raskt.dataframe as rd
from frame_comparing import check

ROWS = 10
ELEMENTS = np.array([3, 0, 2, 9, 1, 5, 4, 7, 6, 2])
TABLE = pd.DataFrame(
    {
        "i": [4, 1, 3, 2, 9, 7, 8, 5, 6, 3],
        "i8": np.array([4, -1, 3, 2, 9, 7, 8, 5, 6, 3], dtype="int8"),
        "f": [1.5, np.nan, -2.0, 0.5, 3.0, np.nan, 7.0, 8.0, 0.0, 1.0],
        "b": [True, False] * 5,
        "k": pd.array([1, None, 3, 4, 5, 6, None, 8, 9, 10], dtype="Int64"),
        "s": list("abacabadab"),
        "t": pd.date_range("2020-01-01", periods=ROWS, unit="us"),
    }
)
INDEXES = {
    "numbered": pd.RangeIndex(ROWS),
    "scattered": pd.Index([3, 0, 5, 1, 9, 2, 8, 7, 4, 6], name="k"),
    "repeated": pd.Index(list("aabbbccdde")),
}
DTYPES = ["bool", "int8", "int64", "uint8", "float32", "float64"]
CHUNKS = {"one block": ROWS, "blocks of three": 3, "uneven blocks": ((1, 6, 3),), "as partitions": 5}
CUTS = [(1, "one block"), (2, "as partitions"), (2, "blocks of three"), (7, "one block"), (7, "uneven blocks")]
#: Whether the lengths of partitions are known, and those of blocks.
KNOWN = list(product([True, False], [True, False]))

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, a: x + a,
    "radd": lambda x, a: a + x,
    "rsub": lambda x, a: a - x,
    "mul": lambda x, a: x * a,
    "truediv": lambda x, a: x / a,
    "pow": lambda x, a: x**a,
    "and": lambda x, a: x & a,
    "lt": lambda x, a: x < a,
    "rge": lambda x, a: a >= x,
    "eq": lambda x, a: x == a,
    "method": lambda x, a: x.sub(a),
    "rmethod": lambda x, a: x.rsub(a),
    "fill_value": lambda x, a: x.add(a, fill_value=1),
    "compared": lambda x, a: x.ne(a),
    "np.add": lambda x, a: np.add(x, a),
    "np.subtract": lambda x, a: np.subtract(a, x),
    "np.maximum": lambda x, a: np.maximum(x, a),
    "np.hypot": lambda x, a: np.hypot(a, x),
    "np.less": lambda x, a: np.less(a, x),
}
#: Of a frame `d`, an array `a` of an element for each row, `m` of truth values, and of two dimensions: `a2`, `m2`.
OTHERS: dict[str, Callable[..., Any]] = {
    "assign": lambda d, a, m, a2, m2: d.assign(new=a, i=m),
    "item": lambda d, a, m, a2, m2: with_items(d, new=a),
    "item of one column": lambda d, a, m, a2, m2: with_items(d, new=a2[:, :1]),
    "items": lambda d, a, m, a2, m2: with_columns(d, ["x", "i"], a2),
    "masked items": lambda d, a, m, a2, m2: with_masked(d[["i", "f"]], m2, 0),
    "loc set": lambda d, a, m, a2, m2: with_loc(d, m, 5),
    "where": lambda d, a, m, a2, m2: d.f.where(m),
    "where else": lambda d, a, m, a2, m2: d.i.where(m, a),
    "mask": lambda d, a, m, a2, m2: d.s.mask(m, "z"),
    "mask else": lambda d, a, m, a2, m2: d.f.mask(d.b, a),
    "where of a frame": lambda d, a, m, a2, m2: d[["i", "f"]].where(m2, 7),
    "where else of a frame": lambda d, a, m, a2, m2: d[["i", "f"]].where(m2, a2),
    "mask of a frame": lambda d, a, m, a2, m2: d[["s", "f"]].mask(m2),
    "brackets": lambda d, a, m, a2, m2: d[m],
    "brackets of a series": lambda d, a, m, a2, m2: d.s[m],
    "brackets of an index": lambda d, a, m, a2, m2: d.index[m],
    "loc": lambda d, a, m, a2, m2: d.loc[m],
    "loc of columns": lambda d, a, m, a2, m2: d.loc[m, ["i", "s"]],
    "loc of a series": lambda d, a, m, a2, m2: d.t.loc[m],
    "iloc": lambda d, a, m, a2, m2: d.iloc[m],
    "iloc of positions": lambda d, a, m, a2, m2: d.iloc[a.astype("int64")],
    "iloc of a series": lambda d, a, m, a2, m2: d.k.iloc[a.astype("int64")],
    "clip": lambda d, a, m, a2, m2: d.f.clip(a),
    "clip above": lambda d, a, m, a2, m2: d.i.clip(upper=a),
    "clip of a frame": lambda d, a, m, a2, m2: d[["i", "f"]].clip(a, axis=0),
    "between": lambda d, a, m, a2, m2: d.i.between(a, a + 3),
    "isin": lambda d, a, m, a2, m2: d.i.isin(a[:4]),
    "isin of a frame": lambda d, a, m, a2, m2: d[["i", "f"]].isin(a[:4]),
    "dot": lambda d, a, m, a2, m2: d.i.dot(a),
    "set_index": lambda d, a, m, a2, m2: indexed(d, a)["f"],
    "groupby": lambda d, a, m, a2, m2: d.groupby(m)[["i", "f"]].sum(),
    "groupby of a series": lambda d, a, m, a2, m2: d.f.groupby(a).count(),
    "groupby by two": lambda d, a, m, a2, m2: d.groupby([m, "b"])["i"].max(),
    "transform": lambda d, a, m, a2, m2: d.groupby(m)["i"].transform("sum"),
    "frame + matrix": lambda d, a, m, a2, m2: d[["i", "f"]] + a2,
    "matrix - frame": lambda d, a, m, a2, m2: a2 - d[["i", "f"]],
    "frame < matrix": lambda d, a, m, a2, m2: d[["i", "f"]] < a2,
    "frame * column": lambda d, a, m, a2, m2: d[["i", "f"]] * a2[:, :1],
    "frame - row": lambda d, a, m, a2, m2: d[["i", "f"]] - a2[:1],
    "frame - line": lambda d, a, m, a2, m2: d[["i", "f"]] - a2[0],
    "frame by rows": lambda d, a, m, a2, m2: d[["i", "f"]].mul(a, axis=0),
    "frame with fill_value": lambda d, a, m, a2, m2: d[["i", "f"]].add(a2, fill_value=3),
    "np.multiply": lambda d, a, m, a2, m2: np.multiply(d[["i", "f"]], a2),
    "np.maximum": lambda d, a, m, a2, m2: np.maximum(a2, d[["i", "f"]]),
    "one element": lambda d, a, m, a2, m2: d.i + a[3:4],
    "an element": lambda d, a, m, a2, m2: d.f - a[3],
    "a mean": lambda d, a, m, a2, m2: d[["i", "f"]] - a.mean(),
    "an element assigned": lambda d, a, m, a2, m2: d.assign(new=a.max()),
    "an element instead": lambda d, a, m, a2, m2: d.f.where(m, a.max()),
    "chained": lambda d, a, m, a2, m2: d.assign(z=a)[m].groupby("b")["z"].sum(),
    "mixed": lambda d, a, m, a2, m2: (d.i + a)[d.f > 0],
    "sum": lambda d, a, m, a2, m2: (d.i * a).sum(),
}


def with_items(frame, **columns):
    frame = frame.copy()
    for name, values in columns.items():
        frame[name] = values
    return frame


def with_columns(frame, names, values):
    frame = frame.copy()
    frame[names] = values
    return frame


def with_masked(frame, mask, value):
    frame = frame.copy()
    frame[mask] = value
    return frame


def with_loc(frame, mask, value):
    frame = frame.copy()
    frame.loc[mask, "i"] = value
    return frame


def indexed(frame, key):
    return frame.set_index(key, **({} if isinstance(frame, pd.DataFrame) else {"sort": False}))


def lazy_frame(table, partitions, known=True):
    frame = rd.from_pandas(table, npartitions=partitions, sort=False)
    return frame if known else frame[frame["i"] > -100]


def lazy_array(values, chunks=3, known=True):
    axes = (chunks[0], *((size,) for size in values.shape[1:])) if isinstance(chunks, tuple) else chunks
    array = ra.from_array(values, chunks=axes)
    return array if known else array[ra.ones(len(values), dtype=bool, chunks=array.chunks[0])]


def outcome(call):
    """What a call gives, computed, or the error that it raises."""
    try:
        found = call()
        return found.compute() if hasattr(found, "compute") else found
    except NotImplementedError:
        raise
    except Exception as error:
        return error


def compare(lazy, plain, **options):
    """Both give the same, or errors of the same kind."""
    found, wanted = outcome(lazy), outcome(plain)
    if isinstance(wanted, Exception):
        assert isinstance(found, type(wanted)), f"{found!r} instead of {wanted!r}"
    elif isinstance(found, Exception):
        raise found
    else:
        check(found, pd.Series(wanted, index=found.index) if isinstance(wanted, np.ndarray) else wanted, **options)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("column", ["i", "i8", "f", "b", "k", "s", "t"])
@pytest.mark.parametrize("operation", BINARY)
def test_operators_of_all_types(operation, column, dtype):
    table = TABLE.set_axis(INDEXES["scattered"])
    values = np.maximum(ELEMENTS, 1).astype(dtype)
    call = BINARY[operation]
    lazy = lazy_frame(table, 2)[column]
    try:
        compare(lambda: call(lazy, lazy_array(values)), lambda: call(table[column], values))
    except NotImplementedError as error:
        # What is refused for a series of the same rows is refused for an array.
        with pytest.raises(NotImplementedError):
            call(lazy, lazy_frame(table.assign(other=values), 2)["other"]).compute()
        assert str(error)


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize(("partitions", "chunks"), CUTS)
@pytest.mark.parametrize("name", OTHERS)
def test_methods_over_all_cuts(name, partitions, chunks, known):
    table = TABLE.set_axis(INDEXES["repeated" if partitions == 7 else "scattered"])
    a, m = ELEMENTS, ELEMENTS % 3 > 0
    plain = (a, m, np.column_stack([a, a * 2]), np.column_stack([m, ~m]))
    frame_known, array_known = known
    lazy = [lazy_array(values, CHUNKS[chunks], array_known) for values in plain]
    call = OTHERS[name]
    if not array_known and name in ("frame - line", "frame - row"):
        pytest.skip("a line of an array of unknown lengths is refused by the array")
    compare(lambda: call(lazy_frame(table, partitions, frame_known), *lazy), lambda: call(table, *plain))


#: What pandas gives another type, by the values: of whole floats in place of integers, or of narrow sums.
BY_VALUES = ("where else", "clip above", "clip of a frame", "chained")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [name for name in OTHERS if "iloc" not in name])
def test_methods_of_all_types(name, dtype):
    table = TABLE.set_axis(INDEXES["scattered"])
    a, m = ELEMENTS.astype(dtype), ELEMENTS % 2 == 0
    plain = (a, m, np.column_stack([a, a]), np.column_stack([m, ~m]))
    call = OTHERS[name]
    lazy = [lazy_array(values) for values in plain]
    options = {"check_dtype": False} if name in BY_VALUES else {}
    compare(lambda: call(lazy_frame(table, 3), *lazy), lambda: call(table, *plain), **options)


WRONG: dict[str, Callable[..., Any]] = {
    "add": lambda d, a, m, a2, m2: d.i + a,
    "radd": lambda d, a, m, a2, m2: a + d.i,
    "lt": lambda d, a, m, a2, m2: d.i < a,
    "method": lambda d, a, m, a2, m2: d.i.add(a),
    "fill_value": lambda d, a, m, a2, m2: d.i.add(a, fill_value=0),
    "np.add": lambda d, a, m, a2, m2: np.add(d.i, a),
    "index": lambda d, a, m, a2, m2: d.index + a,
    "assign": lambda d, a, m, a2, m2: d.assign(x=a),
    "item": lambda d, a, m, a2, m2: with_items(d, x=a),
    "where": lambda d, a, m, a2, m2: d.i.where(m),
    "where of a frame": lambda d, a, m, a2, m2: d[["i", "f"]].where(m2),
    "other of a frame": lambda d, a, m, a2, m2: d[["i", "f"]].where(d[["i", "f"]] > 0, a2),
    "brackets": lambda d, a, m, a2, m2: d[m],
    "brackets of a series": lambda d, a, m, a2, m2: d.i[m],
    "loc": lambda d, a, m, a2, m2: d.loc[m],
    "iloc": lambda d, a, m, a2, m2: d.iloc[m],
    "clip": lambda d, a, m, a2, m2: d.f.clip(a),
    "between": lambda d, a, m, a2, m2: d.i.between(a, 3),
    "dot": lambda d, a, m, a2, m2: d.i.dot(a),
    "set_index": lambda d, a, m, a2, m2: d.set_index(a),
    "groupby": lambda d, a, m, a2, m2: d.groupby(a)["i"].sum(),
    "frame + matrix": lambda d, a, m, a2, m2: d[["i", "f"]] + a2,
    "frame by rows": lambda d, a, m, a2, m2: d[["i", "f"]].add(a, axis=0),
}
#: Wrong in their dimensions, or in the number of columns, whatever the lengths of rows.
SHAPES: dict[str, Callable[..., Any]] = {
    "series + matrix": lambda d, a, a2: d.i + a2,
    "series < matrix": lambda d, a, a2: d.i < a2,
    "assign": lambda d, a, a2: d.assign(x=a2),
    "items": lambda d, a, a2: with_columns(d, ["x", "y", "z"], a2),
    "frame + line": lambda d, a, a2: d[["i", "f"]] + a,
    "frame + wide": lambda d, a, a2: d[["i"]] + a2,
    "where": lambda d, a, a2: d.i.where(a2 > 0),
    "where of a frame": lambda d, a, a2: d[["i", "f"]].where(a > 0),
    "where of a wide frame": lambda d, a, a2: d[["i", "f", "k"]].where(a2 > 0),
    "groupby": lambda d, a, a2: d.groupby(a2)["i"].sum(),
    "set_index": lambda d, a, a2: d.set_index(a2),
    "fillna": lambda d, a, a2: d.f.fillna(a),
    "fillna of a frame": lambda d, a, a2: d[["f"]].fillna(a),
}


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("rows", [3, ROWS - 1, ROWS + 2])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_lengths_are_errors(name, rows, known):
    """At the call where both lengths are known, and when it is computed where they are not."""
    a = np.resize(ELEMENTS, rows)
    plain = (a, a > 3, np.column_stack([a, a]), np.column_stack([a, a]) > 3)
    lazy = [lazy_array(values, known=known[1]) for values in plain]
    frame = lazy_frame(TABLE, 2, known[0])
    with pytest.raises(Exception) as wanted:
        WRONG[name](TABLE, *plain)
    if all(known):
        with pytest.raises(type(wanted.value)):
            WRONG[name](frame, *lazy)
    else:
        with pytest.raises(type(wanted.value)):
            WRONG[name](frame, *lazy).compute()


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("name", SHAPES)
def test_wrong_shapes_are_errors_at_the_call(name, known):
    plain = (ELEMENTS, np.column_stack([ELEMENTS, ELEMENTS]))
    lazy = [lazy_array(values, known=known[1]) for values in plain]
    with pytest.raises(Exception) as wanted:
        SHAPES[name](TABLE, *plain)
    with pytest.raises(type(wanted.value)):
        SHAPES[name](lazy_frame(TABLE, 2, known[0]), *lazy)


REFUSED: dict[str, Callable[..., Any]] = {
    "complex numbers": lambda d, a, m: d.i + a * 1j,
    "two dimensions in brackets": lambda d, a, m: d[["i", "f"]][ra.stack([m, m], axis=1)],
    "two dimensions in loc": lambda d, a, m: d.loc[ra.stack([m, m], axis=1)],
    "columns": lambda d, a, m: d[a],
    "one position": lambda d, a, m: d.i.iloc[a[0]],
    "values at a mask": lambda d, a, m: with_loc(d, m, a[m]),
    "line for columns": lambda d, a, m: with_columns(d, ["i", "f"], a),
    "clip by columns": lambda d, a, m: d[["i", "f"]].clip(a, axis=1),
    "level": lambda d, a, m: d.i.add(a, level=0),
    "fill_value beside a line": lambda d, a, m: d[["i", "f"]].add(a[:2], fill_value=0),
    "matrix product": lambda d, a, m: d.i.dot(ra.stack([a, a], axis=1)),
    "text": lambda d, a, m: d.s.str.cat(a),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_missing_is_refused_at_the_call(name):
    array = lazy_array(ELEMENTS)
    with pytest.raises((NotImplementedError, TypeError)) as refused:
        REFUSED[name](lazy_frame(TABLE, 2), array, array > 3)
    assert "shapes (2,)" not in str(refused.value)


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_indexes(partitions, index):
    table = TABLE.set_axis(INDEXES[index])
    lazy, array = lazy_frame(table, partitions), lazy_array(ELEMENTS)
    labels = table.index[:4]
    found = lazy.index.isin(rd.from_pandas(labels.to_series(), sort=False, npartitions=2))
    assert found.compute().tolist() == table.index.isin(labels).tolist()
    if index != "repeated":
        check(lazy.index + array, table.index + ELEMENTS)
        check(lazy.loc[lazy_array(np.array([9, 0, 2]))], table.loc[[9, 0, 2]])
        check(lazy["s"][lazy_array(np.array([9, 0, 2]))], table["s"].loc[[9, 0, 2]])
        assert (lazy.index < array).compute().tolist() == (table.index < ELEMENTS).tolist()
        assert lazy.index.isin(array[:3]).compute().tolist() == table.index.isin(ELEMENTS[:3]).tolist()


def test_known_lengths_need_no_gathering():
    lazy, array = lazy_frame(TABLE, 7), lazy_array(ELEMENTS)
    for found in (lazy.i + array, lazy.assign(x=array), lazy[array > 3], lazy[["i", "f"]] - array.mean()):
        assert found.npartitions == 7
        assert "pandas:" not in found.explain() and "from_array" in found.explain()
    gathered = lazy_frame(TABLE, 7, known=False).i + array
    assert "from_array" in gathered.explain()


def test_values_of_the_same_frame():
    lazy = lazy_frame(TABLE, 3)
    check(with_items(lazy, x=np.sqrt(lazy["i"].values)), with_items(TABLE, x=np.sqrt(TABLE["i"].values)))
    check(lazy["i"] + lazy["f"].to_array(), TABLE["i"] + TABLE["f"].to_numpy())
    some = lazy[lazy["i"] > 3]
    wanted = TABLE[TABLE["i"] > 3]
    check(some.assign(x=some["i"].values * 2), wanted.assign(x=wanted["i"].values * 2))


@pytest.mark.parametrize("partitions", [1, 3])
def test_rows_without_any(partitions):
    empty = lazy_frame(TABLE, partitions).query("i > 100")
    none = ra.from_array(np.array([], dtype="int64"), chunks=3)
    check(empty["i"] + none, TABLE["i"][:0] + np.array([], dtype="int64"))
    check(empty.assign(x=none), TABLE[:0].assign(x=np.array([], dtype="int64")))
    with pytest.raises(ValueError, match="Length of values"):
        empty.assign(x=lazy_array(ELEMENTS)).compute()
