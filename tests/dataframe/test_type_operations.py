"""What is computed of columns of every type is what pandas computes of them, its errors included."""

from __future__ import annotations

import decimal

import numpy as np
import pandas as pd
import pytest
from test_types import same
from type_cases import ALL, CATEGORIES

import raskt.dataframe as rd

#: A few types of each family: what differs between types of a family is how they are stored.
SOME = [
    "nullable: large Int64",
    "nullable: boolean",
    "nullable: string[python]",
    "arrow: decimal128",
    "arrow: timestamp Berlin",
    "category: strings",
    "category: integers ordered",
    "category: intervals",
    "opaque: object",
    "opaque: period[D]",
    "opaque: complex128",
    "opaque: datetime64[s]",
]
OPERATIONS = {
    "sum": lambda s: s + s,
    "one more": lambda s: s + 1,
    "quotient": lambda s: s / 2,
    "negative": lambda s: -s,
    "inverse": lambda s: ~s,
    "equal": lambda s: s == s,
    "equal to text": lambda s: s == "a",
    "less": lambda s: s < s,
    "isin": lambda s: s.isin([1, "a", True]),
    "map": lambda s: s.map(repr),
    "text": lambda s: s.astype(str),
    "objects": lambda s: s.astype(object),
    "categories": lambda s: s.astype("category"),
    "shifted": lambda s: s.shift(1),
    "running": lambda s: s.cumsum(),
    "filled": lambda s: s.ffill(),
    "masked": lambda s: s.where(s.notna()),
    "length": lambda s: s.str.len(),
    "year": lambda s: s.dt.year,
    "codes": lambda s: s.cat.codes,
    "total": lambda s: s.sum(),
    "mean": lambda s: s.mean(),
    "greatest": lambda s: s.max(),
    "different": lambda s: s.nunique(),
    "count": lambda s: s.count(),
}


def outcome(call: object) -> object:
    """The result of a call, computed; or the error."""
    try:
        found = call()
        return found.compute() if hasattr(found, "compute") else found
    except Exception as error:
        return error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", SOME)
def test_operations_are_those_of_pandas(name: str, operation: str) -> None:
    given = pd.concat([ALL[name]] * 2, ignore_index=True).rename("k")
    expected = outcome(lambda: OPERATIONS[operation](given))
    found = outcome(lambda: OPERATIONS[operation](rd.from_pandas(given, npartitions=3)))
    if isinstance(expected, Exception) and operation == "year" and name.startswith("category"):
        assert isinstance(found, AttributeError | type(expected))  # pandas' error depends on where values are missing
    elif isinstance(expected, Exception):
        assert isinstance(found, type(expected)), (found, expected)
    elif isinstance(expected, pd.Series):
        same(found, expected)
    else:
        assert repr(found) == repr(expected) or found == expected


@pytest.mark.parametrize("name", [name for name in SOME if "object" not in name])
def test_groups_by_every_type(name: str) -> None:
    given = pd.DataFrame({"k": pd.concat([ALL[name]] * 2, ignore_index=True), "x": range(8)})
    lazy = rd.from_pandas(given, npartitions=3)
    same(lazy.groupby("k").x.sum().compute(), given.groupby("k").x.sum())
    same(lazy.groupby("k", sort=False).x.sum().compute(), given.groupby("k", sort=False).x.sum())
    same(lazy.k.value_counts().compute().sort_index(), given.k.value_counts().sort_index())


@pytest.mark.parametrize("name", CATEGORIES)
def test_methods_of_categories(name: str) -> None:
    given = pd.concat([CATEGORIES[name]] * 2, ignore_index=True)
    lazy = rd.from_pandas(given, npartitions=3)
    categories = given.cat.categories
    assert lazy.cat.known
    assert lazy.cat.ordered == given.cat.ordered
    pd.testing.assert_index_equal(lazy.cat.categories, categories)
    same(lazy.cat.codes.compute(), given.cat.codes)
    for method, argument in {
        "rename_categories": [str(at) for at in range(len(categories))],
        "add_categories": ["new"],
        "remove_categories": [categories[0]],
        "reorder_categories": list(categories[::-1]),
        "set_categories": [categories[0], "new"],
    }.items():
        same(getattr(lazy.cat, method)(argument).compute(), getattr(given.cat, method)(argument))
    for method in ("as_ordered", "as_unordered", "remove_unused_categories"):
        same(getattr(lazy.cat, method)().compute(), getattr(given.cat, method)())
    if "mixed" in name:
        return  # values of several types are in no order, in which they could be found
    if given.cat.ordered and not given.cat.categories.is_monotonic_increasing:
        with pytest.raises(NotImplementedError, match="call as_unordered first"):
            lazy.cat.as_unknown()
        lazy = lazy.cat.as_unordered()
    unknown = lazy.cat.as_unknown()
    assert not unknown.cat.known
    same(unknown.cat.as_known().cat.as_unordered().astype(object).compute(), given.astype(object))


def test_unordered_categories_have_no_order() -> None:
    given = pd.Series(["a", "b"], dtype="category")
    for compare in (lambda s: s < "b", lambda s: s > s):
        with pytest.raises(TypeError, match="Unordered Categoricals"):
            compare(given)
        with pytest.raises(TypeError, match="Unordered Categoricals"):
            compare(rd.from_pandas(given, npartitions=1))


def test_large_integers_keep_their_last_digit() -> None:
    given = pd.DataFrame({"k": pd.array([2**53, 2**53 + 1, None], "Int64"), "v": [1, 2, 3]})
    lazy = rd.from_pandas(given, npartitions=2)
    same(lazy.groupby("k").v.sum().compute(), given.groupby("k").v.sum())
    assert lazy.k.max().compute() == 2**53 + 1


def test_rows_are_chosen_by_nullable_truths() -> None:
    given = pd.DataFrame({"b": pd.array([True, None, False, True], "boolean"), "x": range(4)})
    lazy = rd.from_pandas(given, npartitions=2)
    same(lazy[lazy.b].compute(), given[given.b])


def test_a_sample_that_fails_refuses_no_program() -> None:
    given = pd.Series([1, 2, 4])
    lazy = rd.from_pandas(given, npartitions=2)
    same(lazy.map(lambda value: 8 // value).compute(), given.map(lambda value: 8 // value))
    words = {1: "one", 2: "two", 4: "four"}
    same(lazy.map(lambda value: words[value]).compute(), given.map(lambda value: words[value]))


def test_objects_compute_with_objects() -> None:
    given = pd.Series([decimal.Decimal("1.5"), decimal.Decimal("2.5")], dtype=object)
    lazy = rd.from_pandas(given, npartitions=2)
    same((lazy + lazy).compute(), given + given)
    assert (lazy.sum()).compute() == decimal.Decimal("4.0")
    assert lazy.nunique().compute() == 2


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_lengths_and_points_of_time(unit: str) -> None:
    spans = pd.Series(pd.to_timedelta([3, 1, None, 10], unit="D")).astype(f"timedelta64[{unit}]")
    times = pd.Timestamp("2020-02-29").as_unit(unit) + spans
    lazy = rd.from_pandas(pd.DataFrame({"s": spans, "t": times}), npartitions=3)
    day = pd.Timedelta(days=2).as_unit(unit)
    for operation in (
        lambda s, t: s / 2,
        lambda s, t: s * 3,
        lambda s, t: s // day,
        lambda s, t: s % day,
        lambda s, t: s / day,
        lambda s, t: t - s,
        lambda s, t: t + day,
        lambda s, t: -s,
    ):
        same(operation(lazy.s, lazy.t).rename(None).compute(), operation(spans, times).rename(None))
    for name in ("mean", "median", "std", "min", "max"):
        for column, values in (("s", spans), ("t", times)):
            assert getattr(lazy[column], name)().compute() == getattr(values, name)()
    assert lazy.s.sum().compute() == spans.sum()
    assert lazy.t.quantile(0.25).compute() == times.quantile(0.25)
    assert np.isnat(lazy.s.where(lazy.s.isna()).mean().compute().to_numpy())
