"""Every type of pandas comes back from every way that rows can take, with its values bit for bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from type_cases import ALL

import raskt
import raskt.dataframe as rd

PARTITIONS = (1, 2, 7)


def same(found: object, expected: object) -> None:
    """Equal in type, in values (what is missing, and how, included), in index and in names."""
    assert type(found) is type(expected)
    if isinstance(expected, pd.DataFrame):
        assert list(found.columns) == list(expected.columns)
        pd.testing.assert_index_equal(found.index, expected.index, exact="equiv")
        for name in expected.columns:
            same_values(found[name], expected[name])
        return
    pd.testing.assert_index_equal(found.index, expected.index, exact="equiv")
    assert found.name == expected.name
    same_values(found, expected)


def same_values(found: pd.Series, expected: pd.Series) -> None:
    """Equal in type and bit for bit."""
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    if isinstance(expected.dtype, pd.CategoricalDtype):
        pd.testing.assert_index_equal(found.cat.categories, expected.cat.categories)
        assert found.cat.ordered == expected.cat.ordered
        assert found.cat.codes.tolist() == expected.cat.codes.tolist()
    elif expected.dtype == object:
        assert [repr(one) for one in found] == [repr(one) for one in expected]
        assert [type(one) for one in found] == [type(one) for one in expected]
    elif isinstance(expected.dtype, np.dtype):
        assert [repr(one) for one in found.to_numpy()] == [repr(one) for one in expected.to_numpy()]
    else:
        assert [repr(one) for one in found] == [repr(one) for one in expected]


def framed(name: str) -> pd.DataFrame:
    """Twelve rows: a column of the type, and a number."""
    values = pd.concat([ALL[name]] * 3, ignore_index=True)
    return pd.DataFrame({"k": values, "x": range(len(values))})


@pytest.fixture(params=ALL)
def name(request: pytest.FixtureRequest) -> str:
    """The name of a type."""
    return request.param


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_types_come_back_from_memory(name: str, partitions: int) -> None:
    given = framed(name)
    lazy = rd.from_pandas(given, npartitions=partitions)
    assert lazy.k.dtype == given.k.dtype
    assert lazy.dtypes["k"] == given.k.dtype
    same(lazy.compute(), given)
    same(lazy.k.compute(), given.k)
    same(rd.from_pandas(given.k, npartitions=partitions).compute(), given.k)


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_types_stay_where_rows_go(name: str, partitions: int) -> None:
    given = framed(name)
    lazy = rd.from_pandas(given, npartitions=partitions)
    same(lazy.persist().compute(), given)
    same(lazy.k.persist().compute(), given.k)
    same(lazy[lazy.x % 2 == 0].compute(), given[given.x % 2 == 0])
    same(lazy[lazy.x > 100].compute(), given[given.x > 100])
    same(lazy[lazy.x > 5].k.persist().compute(), given[given.x > 5].k)
    same(lazy.repartition(npartitions=3).compute(), given)
    same(lazy.head(5), given.head(5))
    same(lazy.tail(5), given.tail(5))
    same(lazy.sort_values("x", ascending=False).compute(), given.sort_values("x", ascending=False))
    same(lazy.map_partitions(lambda part: part).compute(), given)
    same(lazy.map_partitions(lambda part: part.k).compute(), given.k)
    same(lazy.get_partition(0).compute(), given.head(len(lazy.get_partition(0))))


def test_missing_values_are_found(name: str) -> None:
    given = framed(name)
    lazy = rd.from_pandas(given, npartitions=2)
    # Whether sparse values are missing is sparse in pandas, and dense here.
    same(lazy.k.isna().compute(), given.k.isna().astype(bool))
    same(lazy.k.notna().compute(), given.k.notna().astype(bool))
    same(lazy.dropna().compute(), given.dropna())
    assert "pandas" not in lazy.k.isna().explain()


def test_types_stay_under_each_other(name: str) -> None:
    given = framed(name)
    lazy = rd.from_pandas(given, npartitions=2)
    same(rd.concat([lazy, lazy]).compute(), pd.concat([given, given]))
    other = given.rename(columns={"k": "other"})
    same(rd.concat([lazy, lazy[lazy.x > 3]]).compute(), pd.concat([given, given[given.x > 3]]))
    assert set(rd.concat([lazy, rd.from_pandas(other, npartitions=1)], join="inner").columns) == {"x"}


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
def test_types_stay_in_merges_as_values(name: str, how: str) -> None:
    given = framed(name)
    if isinstance(given.k.dtype, pd.SparseDtype) and how == "outer":
        pytest.skip("pandas makes other types of sparse values some of which are missing")
    other = pd.DataFrame({"x": [1, 3, 5, 99], "y": [0.5, 1.5, 2.5, 3.5]})
    lazy = rd.from_pandas(given, npartitions=2)
    found = lazy.merge(rd.from_pandas(other, npartitions=1), on="x", how=how).compute()
    expected = given.merge(other, on="x", how=how)
    if is_number_without_missing(given.k) and how == "outer":
        assert found.k.isna().tolist() == expected.k.isna().tolist()
        return
    same(found, expected)


def is_number_without_missing(values: pd.Series) -> bool:
    """Whether missing values make other numbers of these."""
    return isinstance(values.dtype, np.dtype) and values.dtype.kind in "biu"


def test_types_stay_in_persisted_parts_that_spill(name: str, tmp_path: object) -> None:
    given = pd.concat([framed(name)] * 50, ignore_index=True)
    lazy = rd.from_pandas(given, npartitions=4).persist()
    same(lazy[lazy.x >= 0].compute(), given)


def test_scalars_are_what_pandas_gives(name: str) -> None:
    given = framed(name)
    lazy = rd.from_pandas(given, npartitions=2)
    assert int(lazy.k.size.compute()) == 12
    assert int(lazy.k.count().compute()) == given.k.count()


def test_several_results_are_computed_together(name: str) -> None:
    given = framed(name)
    lazy = rd.from_pandas(given, npartitions=2)
    whole, part, missing = raskt.compute(lazy, lazy.k, lazy.k.isna())
    same(whole, given)
    same(part, given.k)
    same(missing, given.k.isna().astype(bool))
