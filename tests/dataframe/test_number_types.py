"""Numbers of every type against pandas: values, types of results and kinds of errors."""

import operator
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raskt
import raskt.dataframe as rd

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
OPERATIONS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge"]


def series(dtype):
    """Small values and the extremes of the type."""
    if dtype == "bool":
        return pd.Series([True, False, True, True])
    if dtype.startswith("float"):
        return pd.Series([1.5, 0.1, 3.0, 2.0], dtype=dtype)
    bounds = np.iinfo(dtype)
    return pd.Series([1, 2, 7, bounds.max], dtype=dtype)


def outcome(call):
    """What a call gives: its values with their type, or the kind of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = call()
        except Exception as error:
            return type(error)
    return found


def check(expected, found, what):
    if isinstance(expected, type):
        # pandas' own refusals reach users as they are, or as something that raskt lacks.
        allowed = (expected, NotImplementedError)
        assert isinstance(found, type) and issubclass(found, allowed), (
            f"{what}: {found}, where pandas raises {expected}"
        )
        return
    assert not isinstance(found, type), f"{what}: {found}, where pandas gives\n{expected}"
    pd.testing.assert_series_equal(
        expected, found, check_names=False, rtol=1e-6 if "32" in str(expected.dtype) else 1e-12
    )


def check_together(cases):
    """The same for several: pairs of what pandas gives and of what gives a lazy result, by what they are."""
    lazy, told = {}, {}
    for what, (_, build) in cases.items():
        found = outcome(build)
        (told if isinstance(found, type) else lazy)[what] = found
    computed = outcome(lambda: raskt.compute(*lazy.values()))
    if isinstance(computed, type):
        told.update({what: outcome(found.compute) for what, found in lazy.items()})
    else:
        told.update(zip(lazy, computed, strict=True))
    for what, (expected, _) in cases.items():
        found = told[what]
        if " mod " in what and isinstance(found, pd.Series) and expected.dtype.kind in "iu":
            # The remainders by a column are floats, since there may be a zero in it; pandas looks at the values.
            expected = expected.astype(found.dtype)
        check(expected, found, what)


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_pair_of_types_gives_what_pandas_gives(left, operation):
    a = series(left)
    op = getattr(operator, operation)
    cases = {}
    for right in DTYPES:
        # Integers divided by a column with a zero in it are refused: pandas would make floats of them.
        b = series(right) if operation not in ("floordiv", "mod") else series(right).where(lambda it: it != 0, True)
        lazy = rd.from_pandas(pd.DataFrame({"a": a, "b": b}), npartitions=2)
        cases[f"{left} {operation} {right}"] = (
            outcome(lambda b=b: op(a, b)),
            lambda lazy=lazy: op(lazy["a"], lazy["b"]),
        )
    check_together(cases)


SCALARS = [True, 0, 2, -1, 300, 2**40, 0.5, 2.0, 1e300]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_numbers_that_are_written_out_take_the_width_of_the_column(dtype, operation):
    a = series(dtype)
    if operation in ("floordiv", "mod"):
        a = a.where(a != 0, True)
    op = getattr(operator, operation)
    lazy = rd.from_pandas(a, npartitions=2)
    cases = {}
    for scalar in SCALARS:
        what = f"{dtype} {operation} {scalar!r}"
        cases[what] = outcome(lambda it=scalar: op(a, it)), lambda it=scalar: op(lazy, it)
        cases[f"reflected {what}"] = outcome(lambda it=scalar: op(it, a)), lambda it=scalar: op(it, lazy)
    check_together(cases)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cumulative_operations_widen_as_pandas_widens(dtype):
    a = series(dtype)
    lazy = rd.from_pandas(a, npartitions=2)
    names = ["cumsum", "cumprod", "cummin", "cummax", "diff", "shift", "abs"]
    check_together(
        {name: (outcome(lambda it=name: getattr(a, it)()), lambda it=name: getattr(lazy, it)()) for name in names}
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fill", [True, 3, 300, -1, 1.5, 2.0, 1e300])
def test_fill_values_are_kept_or_change_the_type_as_in_pandas(dtype, fill):
    a = series(dtype)
    lazy = rd.from_pandas(a, npartitions=2)
    what = f"{dtype} {fill!r}"
    check(outcome(lambda: a.shift(1, fill_value=fill)), outcome(lambda: lazy.shift(1, fill_value=fill).compute()), what)
    check(outcome(lambda: a.where(a > 1, fill)), outcome(lambda: lazy.where(lazy > 1, fill).compute()), what)
    check(outcome(lambda: a.replace(2, fill)), outcome(lambda: lazy.replace(2, fill).compute()), what)
    if fill is not True:
        check(outcome(lambda: a.clip(fill, 50)), outcome(lambda: lazy.clip(fill, 50).compute()), what)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("values", [[3], [2, 0], [1.0, 1.5], [True], [0.1], [300, -1], [2**64 - 1], ["1", 1]])
def test_isin_compares_values_and_not_their_conversions(dtype, values):
    a = series(dtype)
    lazy = rd.from_pandas(a, npartitions=2)
    check(outcome(lambda: a.isin(values)), outcome(lambda: lazy.isin(values).compute()), f"{dtype} {values}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", ["sum", "prod", "mean", "min", "max", "std", "var", "sem", "median", "quantile"])
def test_reductions_have_the_types_of_pandas(dtype, function):
    a = series(dtype)
    if function == "quantile" and dtype == "bool":
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(a, function)()
    found = getattr(rd.from_pandas(a, npartitions=2), function)().compute()
    assert type(found) is type(expected), f"{type(found)} where pandas gives {type(expected)}"
    np.testing.assert_allclose(float(found), float(expected), rtol=1e-5)


def test_sums_of_columns_of_several_types_have_their_common_type():
    frame = pd.DataFrame({name: series(name) for name in DTYPES if name != "bool"})
    lazy = rd.from_pandas(frame, npartitions=2)
    for names in [["uint64", "int64"], ["uint8", "int8"], ["float32", "int8"], ["float32", "int64"]]:
        for function in ["sum", "max", "mean"]:
            expected = getattr(frame[names], function)()
            pd.testing.assert_series_equal(getattr(lazy[names], function)().compute(), expected, rtol=1e-6)


def test_floats_become_the_text_that_python_writes():
    values = pd.Series([1e-5, 1.5e-7, 1e16, 123456789012345678.0, 1e15, -0.0, 5e-324, 0.1, 1.0])
    pd.testing.assert_series_equal(rd.from_pandas(values, npartitions=2).astype(str).compute(), values.astype(str))


def test_mapping_and_replacing_by_other_types_gives_objects_or_is_refused():
    values = pd.Series([1.5, 2.5])
    lazy = rd.from_pandas(values, npartitions=2)
    for work in [lambda it: it.replace(1.5, "x"), lambda it: it.map({1.5: "x", 2.5: 2})]:
        found = outcome(lambda work=work: work(lazy).compute())
        assert isinstance(found, type) or found.tolist() == work(values).tolist()


def test_times_are_rounded_to_even_and_written_as_python_writes_them():
    times = pd.Series(pd.to_datetime(["2020-01-01 12:30:00", "2020-01-01 13:30:00.123456"], format="ISO8601"))
    lazy = rd.from_pandas(times, npartitions=2)
    pd.testing.assert_series_equal(lazy.dt.round("h").compute(), times.dt.round("h"))
    for form in ["%f", "%Y-%m-%d %H:%M:%S", "%c", "%d/%m/%y"]:
        pd.testing.assert_series_equal(lazy.dt.strftime(form).compute(), times.dt.strftime(form))


def test_text_is_classed_as_python_classes_it():
    texts = pd.Series(["²", "Ⅷ", "abc", "12", "一", "a1", " \x1c", "ǅ", "ab C", ""])
    lazy = rd.from_pandas(texts, npartitions=2)
    for name in ["isdigit", "isalpha", "isnumeric", "isalnum", "isdecimal", "isspace", "islower", "isupper"]:
        expected, found = getattr(texts.str, name)(), getattr(lazy.str, name)().compute()
        pd.testing.assert_series_equal(found, expected, obj=name)


def test_integers_that_were_missing_stay_floats():
    frame = pd.DataFrame({"k": [1, 2, 3], "x": [1, 2, 3]})
    other = pd.DataFrame({"k": [1, 2], "y": [10, 20]})
    expected = frame.merge(other, on="k", how="left")["y"]
    found = rd.from_pandas(frame, npartitions=1).merge(rd.from_pandas(other, npartitions=1), on="k", how="left")["y"]
    for work in [
        lambda s: s.fillna(0),
        lambda s: s + 1,
        lambda s: s.dropna().reset_index(drop=True),
        lambda s: s.ffill(),
    ]:
        pd.testing.assert_series_equal(
            work(found).compute().reset_index(drop=True), work(expected).reset_index(drop=True)
        )


REDUCTIONS = ["sum", "mean", "max", "min", "count"]
STEPS = st.tuples(st.sampled_from(["truediv", "mul", "add", "pow", "floordiv", "mod"]), st.integers(1, 9))
QUERIES = st.lists(
    st.tuples(st.lists(STEPS, min_size=1, max_size=3), st.sampled_from(REDUCTIONS)), min_size=2, max_size=4
)


@settings(max_examples=25, deadline=None)
@given(queries=QUERIES)
def test_results_computed_together_are_those_computed_one_by_one(queries):
    frame = rd.from_pandas(pd.DataFrame({"x": np.arange(1, 201, dtype="float64")}), npartitions=4)
    for source in [frame, frame.persist()]:
        results = []
        for steps, reduction in queries:
            values = source["x"]
            for name, number in steps:
                values = getattr(operator, name)(values, number)
            results.append(getattr(values, reduction)())
        together = raskt.compute(*results)
        assert list(together) == [result.compute() for result in results]


def test_reductions_of_a_persisted_frame_by_different_divisors_differ():
    frame = rd.from_pandas(pd.DataFrame({"x": np.arange(200_000)}), npartitions=4).persist()
    found = raskt.compute(*[(frame.x / divisor).sum() for divisor in (3, 5, 7, 9)])
    expected = [(np.arange(200_000) / divisor).sum() for divisor in (3, 5, 7, 9)]
    np.testing.assert_allclose(found, expected)
