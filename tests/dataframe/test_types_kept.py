"""Types of results: those that pandas gives, however few the rows were by which they were promised, or a refusal."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

BIG = 2**53 + 1
INTEGERS = ["int8", "uint8", "int32", "int64", "uint64"]


def lazily(rows, npartitions):
    return rd.from_pandas(rows, npartitions=npartitions, sort=False)


@pytest.mark.parametrize("method", ["first", "last", "min", "max", "asfreq", "ffill", "bfill", "nearest"])
@pytest.mark.parametrize("rule", ["12h", "3h", "D"])
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("npartitions", [1, 3])
def test_spans_without_gaps_keep_integers(method, rule, dtype, npartitions):
    values = [1, 2, 3, 4, 5] if dtype.endswith("8") else [BIG if dtype.endswith("64") else 7, 2, 3, 4, 5]
    x = pd.Series(values, pd.date_range("2020", periods=5, freq="6h"), dtype=dtype, name="x")
    check(getattr(lazily(x, npartitions).resample(rule), method)(), getattr(x.resample(rule), method)())
    frame = x.to_frame().assign(y=1.5)
    check(getattr(lazily(frame, npartitions).resample(rule), method)(), getattr(frame.resample(rule), method)())


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64"])
@pytest.mark.parametrize("method", ["sum", "prod"])
@pytest.mark.parametrize("min_count", [0, 2])
def test_sums_of_spans_are_wide(dtype, method, min_count):
    x = pd.Series([100, 100, 2, 3, 5], pd.date_range("2020", periods=5, freq="6h"), dtype=dtype)
    found = getattr(lazily(x, 2).resample("12h"), method)(min_count=min_count).compute()
    expected = getattr(x.resample("12h"), method)(min_count=min_count)
    wide = expected if expected.dtype.kind == "f" else expected.astype({"i": "int64", "u": "uint64"}[x.dtype.kind])
    check(found, wide)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("tolerance", [None, 0, 5])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_matches_by_the_nearest_key_keep_integers(exact, tolerance, dtype):
    left = pd.DataFrame({"k": [1, 3, 7], "x": [1, 2, 3]})
    right = pd.DataFrame({"k": [0, 1, 6, 7], "y": np.array([1, 2, 3, 4], dtype=dtype)})
    options = {"on": "k", "allow_exact_matches": exact, "tolerance": tolerance}
    expected = pd.merge_asof(left, right, **options)
    check(rd.merge_asof(lazily(left, 2), lazily(right, 2), **options), expected)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
@pytest.mark.parametrize("value", [9, 1.5, np.int8(3), np.float32(2.5)])
@pytest.mark.parametrize("npartitions", [1, 2])
def test_cases_are_of_the_type_of_all_values(dtype, value, npartitions):
    x = pd.Series([1, 2, 3, 4], dtype=dtype)
    lazy = lazily(x, npartitions)
    check(lazy.case_when([(lazy > 2, value)]), x.case_when([(x > 2, value)]))


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "Int8"])
@pytest.mark.parametrize("other", [[1] * 4, np.array([1] * 4), 1])
@pytest.mark.parametrize("operation", ["rfloordiv", "rmod"])
def test_nullable_divisors_with_zeros_are_refused(dtype, other, operation):
    x = lazily(pd.Series([0, 1, 2, None], dtype=dtype), 2)
    with pytest.raises(NotImplementedError, match="zeros"):
        getattr(x, operation)(other).compute()


def test_no_number_changes_to_fit_a_promise():
    x = lazily(pd.Series([1, 2, 3], dtype="Int64"), 1)
    lossy = x.map_partitions(lambda part: part.astype("Float64") / 2, meta=pd.Series([], dtype="Int64"))
    with pytest.raises(ValueError, match="promised"):
        lossy.compute()
    exact = x.map_partitions(lambda part: part.astype("Float64") * 2, meta=pd.Series([], dtype="Int64"))
    check(exact, pd.Series([2, 4, 6], dtype="Int64"))


def test_floats_stay_as_wide_as_pandas_makes_them():
    x = pd.Series(np.array([1.5, 2.5, 3.5], "float32"), name="x")
    other = pd.Series([2, 4], index=[1, 2], dtype="int8")
    with pytest.raises(NotImplementedError, match="float64"):
        (lazily(x, 2) % other).compute()
    check(lazily(x, 2).astype("float64") % other, x.astype("float64") % other)
