"""Arithmetic, comparison and elementwise methods."""

import operator

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
COMPARE = ["lt", "le", "gt", "ge", "eq", "ne"]


@pytest.mark.parametrize("name", BINARY + COMPARE)
@pytest.mark.parametrize("other", [2, 1.5, -3], ids=str)
def test_operators_with_scalars(df, pdf, name, other):
    apply = getattr(operator, name)
    if not (name == "pow" and other < 0):
        check(apply(df["a"], other), apply(pdf["a"], other))
        check(apply(df[["a", "b"]], other), apply(pdf[["a", "b"]], other))
    check(apply(df["b"], other), apply(pdf["b"], other))
    check(apply(other, df["b"]), apply(other, pdf["b"]))


@pytest.mark.parametrize("name", BINARY + COMPARE)
def test_operators_between_columns(df, pdf, name):
    apply = getattr(operator, name)
    check(apply(df["b"], df["a"]), apply(pdf["b"], pdf["a"]))
    if name in ("floordiv", "mod"):
        df, pdf = df[df["größe"] > 0], pdf[pdf["größe"] > 0]
    check(apply(df["a"], df["größe"]), apply(pdf["a"], pdf["größe"]))


@pytest.mark.parametrize("name", [*BINARY, "radd", "rsub", "rmul", "rtruediv", *COMPARE])
def test_methods(df, pdf, name):
    check(getattr(df["b"], name)(2), getattr(pdf["b"], name)(2))
    check(getattr(df["b"], name)(df["a"]), getattr(pdf["b"], name)(pdf["a"]))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_fill_value(df, pdf, name):
    check(getattr(df["b"], name)(df["a"], fill_value=1), getattr(pdf["b"], name)(pdf["a"], fill_value=1))
    check(getattr(df[["a", "b"]], name)(2, fill_value=1), getattr(pdf[["a", "b"]], name)(2, fill_value=1))


@pytest.mark.parametrize("values", [[0, 1, -1, 2], [0.0, 1.0, -1.0, np.inf]], ids=["int", "float"])
def test_division_by_zero_is_as_in_pandas(values):
    pdf = pd.DataFrame({"x": values, "z": [0, 0, 0, 0]})
    df = rd.from_pandas(pdf, npartitions=2)
    check(df["x"] / df["z"], pdf["x"] / pdf["z"])
    check(df["x"] / 0, pdf["x"] / 0)
    check(df["x"] // 0, pdf["x"] // 0)
    check(df["x"] % 0, pdf["x"] % 0)
    for apply in (operator.floordiv, operator.mod):
        if isinstance(values[0], float):
            check(apply(df["x"], df["z"]), apply(pdf["x"], pdf["z"]))
            continue
        with pytest.raises(NotImplementedError, match="float64"):  # integers could not hold infinity
            apply(df["x"], df["z"]).compute()
        check(apply(df["x"].astype("float64"), df["z"]), apply(pdf["x"], pdf["z"]))


@pytest.mark.parametrize("divisor", [3, -3, 2.5, -2.5])
def test_floor_and_modulo_of_negative_numbers(divisor):
    pdf = pd.DataFrame({"i": [-7, -1, 0, 1, 7], "f": [-7.5, -0.5, 0.0, 0.5, 7.5]})
    df = rd.from_pandas(pdf, npartitions=2)
    for name in ("i", "f"):
        check(df[name] // divisor, pdf[name] // divisor)
        check(df[name] % divisor, pdf[name] % divisor)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "float32"])
def test_small_types_keep_their_type(dtype):
    pdf = pd.DataFrame({"x": np.array([1, 2, 100], dtype)})
    df = rd.from_pandas(pdf, npartitions=2)
    check(df["x"] + 1, pdf["x"] + 1)
    check(df["x"] * df["x"], pdf["x"] * pdf["x"])
    check(df["x"] / 2, pdf["x"] / 2)
    check(df["x"] * 1.5, pdf["x"] * 1.5)
    check(df["x"].sum(), pdf["x"].sum())


def test_unary(df, pdf):
    check(-df["b"], -pdf["b"])
    check(abs(df["b"]), abs(pdf["b"]))
    check(df["b"].abs(), pdf["b"].abs())
    check(~df["f"], ~pdf["f"])
    check(+df["a"], +pdf["a"])
    check(-df[["a", "b"]], -pdf[["a", "b"]])


def test_strings_add(df, pdf):
    check(df["s"] + "!", pdf["s"] + "!")
    check("<" + df["s"], "<" + pdf["s"])
    check(df["s"] + df["s"], pdf["s"] + pdf["s"])


def test_datetimes_subtract(df, pdf):
    check(df["t"] - pd.Timestamp("2013-01-01"), pdf["t"] - pd.Timestamp("2013-01-01"))
    check(df["t"] + pd.Timedelta("1h"), pdf["t"] + pd.Timedelta("1h"))
    check(df["t"] - df["t"], pdf["t"] - pdf["t"])


def test_logic(df, pdf):
    g, h = df["a"] > 2, pdf["a"] > 2
    check(g & df["f"], h & pdf["f"])
    check(g | df["f"], h | pdf["f"])
    check(g ^ df["f"], h ^ pdf["f"])


def test_a_lazy_scalar_in_arithmetic(df, pdf):
    check(df["b"] - df["b"].mean(), pdf["b"] - pdf["b"].mean())
    check((df["a"] - df["a"].mean()) / df["a"].std(), (pdf["a"] - pdf["a"].mean()) / pdf["a"].std())
    check(df["a"].sum() / df["a"].count(), pdf["a"].sum() / pdf["a"].count())
    check(df[df["a"] > df["a"].mean()], pdf[pdf["a"] > pdf["a"].mean()])
    check(df["a"].max() + 1, pdf["a"].max() + 1)
    check(10 - df["a"].min(), 10 - pdf["a"].min())


def test_frame_and_frame(df, pdf):
    check(df[["a", "b"]] + df[["a", "b"]], pdf[["a", "b"]] + pdf[["a", "b"]])


@pytest.mark.parametrize(
    "apply",
    [
        lambda d: d["b"].round(),
        lambda d: d["b"].round(1),
        lambda d: d[["a", "b"]].round(1),
        lambda d: d["b"].clip(0, 3),
        lambda d: d["b"].clip(lower=0),
        lambda d: d["a"].clip(upper=2),
        lambda d: d["a"].between(2, 3),
        lambda d: d["b"].between(0, 2.5, inclusive="left"),
        lambda d: d["a"].isin([1, 5]),
        lambda d: d["s"].isin(["x", None]),
        lambda d: d["b"].isin([1.5, np.nan]),
        lambda d: d["a"].where(d["a"] > 2),
        lambda d: d["a"].where(d["a"] > 2, 0),
        lambda d: d["a"].mask(d["a"] > 2, -1),
        lambda d: d["b"].where(d["f"], d["a"]),
        lambda d: d["a"].replace(1, 100),
        lambda d: d["a"].replace({1: 100, 2: 200}),
        lambda d: d["s"].replace("x", "w"),
        lambda d: d["a"].map({1: 10, 2: 20}),
        lambda d: d["a"].map(lambda value: value * 2),
        lambda d: d["s"].map(lambda value: value * 2, na_action="ignore"),
        lambda d: np.sqrt(d["b"]),
        lambda d: np.exp(d["a"]),
        lambda d: d["a"].astype(float).pow(2),
    ],
)
def test_elementwise_methods(df, pdf, apply):
    check(apply(df), apply(pdf))


def test_apply_to_rows(df, pdf):
    def total(row):
        return row["a"] + row["größe"]

    check(df.apply(total, axis=1, meta=(None, "int64")), pdf.apply(total, axis=1))
    check(df.apply(total, axis=1), pdf.apply(total, axis=1))


def test_apply_to_a_series(df, pdf):
    check(df["a"].apply(lambda value: value + 0.5), pdf["a"].apply(lambda value: value + 0.5))
    check(
        df["a"].apply(lambda value, add: value + add, args=(2,)),
        pdf["a"].apply(lambda value, add: value + add, args=(2,)),
    )


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummin", "cummax"])
@pytest.mark.parametrize("column", ["a", "b"])
def test_cumulative(df, pdf, name, column):
    if name == "cumprod":
        df, pdf = df[df["a"] < 3], pdf[pdf["a"] < 3]
    check(getattr(df[column], name)(), getattr(pdf[column], name)())


def test_cumulative_frame(df, pdf):
    check(df[["a", "b"]].cumsum(), pdf[["a", "b"]].cumsum())


@pytest.mark.parametrize("periods", [1, 2, -1, 20])
def test_shift_and_diff(df, pdf, periods):
    check(df["a"].shift(periods), pdf["a"].shift(periods))
    check(df["s"].shift(periods), pdf["s"].shift(periods))
    check(df["b"].diff(periods), pdf["b"].diff(periods))
    check(df[["a", "b"]].shift(periods), pdf[["a", "b"]].shift(periods))
    check(df[["a", "b"]].diff(periods), pdf[["a", "b"]].diff(periods))


def test_truth_is_refused(df):
    with pytest.raises(ValueError, match="ambiguous"):
        bool(df["a"] > 1)
    with pytest.raises(ValueError, match="ambiguous"):
        if df:
            pass


def test_wrong_types_fail_at_the_call(df):
    with pytest.raises(TypeError):
        df["s"] - 1
    with pytest.raises(TypeError):
        df["a"] + object()


@pytest.mark.parametrize("divisor", [100, 3.0, 4, 0.1, -7, 0, 1e-310, 2.0**-1074, float("inf"), float("nan")])
@pytest.mark.parametrize("dtype", ["int64", "float64", "bool", "float32"])
def test_quotients_are_those_of_pandas_to_the_last_bit(divisor, dtype):
    if dtype == "float32" and np.isnan(divisor):
        pytest.skip("a missing divisor makes 64-bit floats")
    whole = pd.DataFrame({"x": (np.arange(-500, 500) % 251).astype(dtype)})
    lazy = rd.from_pandas(whole, npartitions=2)
    pd.testing.assert_series_equal(
        (lazy.x / divisor).compute(), whole.x / divisor, rtol=0 if dtype != "float32" else 1e-6
    )
    pd.testing.assert_series_equal(
        (divisor / lazy.x).compute(), divisor / whole.x, rtol=0 if dtype != "float32" else 1e-6
    )


def test_quotients_by_a_scalar_of_the_column():
    whole = pd.DataFrame({"x": np.arange(1, 1000), "y": np.arange(1, 1000) * 0.5})
    lazy = rd.from_pandas(whole, npartitions=3)
    pd.testing.assert_series_equal((lazy.x / lazy.x.max()).compute(), whole.x / whole.x.max(), rtol=0)
    pd.testing.assert_series_equal((lazy.y / lazy.y.sum()).compute(), whole.y / whole.y.sum(), rtol=0)
    assert (lazy.x.sum() / lazy.x.max()).compute() == whole.x.sum() / whole.x.max()


@pytest.mark.parametrize("divisor", ["100s", "7s", "3us", "0s"])
def test_quotients_of_lengths_of_time_are_exact_and_none_where_both_are_zero(divisor):
    pdf = pd.DataFrame({"t": pd.to_timedelta(range(500), unit="s").as_unit("us")})
    lazy, divisor = rd.from_pandas(pdf, npartitions=2), pd.Timedelta(divisor)
    for quotient in (lambda rows: rows.t / divisor, lambda rows: rows.t / rows.t.max(), lambda rows: rows.t / rows.t):
        expected, found = quotient(pdf), quotient(lazy)
        check(found, expected, check_exact=True)
        check(found.isna(), expected.isna())
        check(found.fillna(1.0), expected.fillna(1.0))
        check(found.count(), expected.count())
