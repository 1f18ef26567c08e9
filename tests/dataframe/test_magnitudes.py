"""What is known of the size of numbers decides where missing values have to be looked for."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import raskt.dataframe as rd


@pytest.fixture
def prices(tmp_path):
    random = np.random.default_rng(5)
    cents = random.integers(-(10**14), 10**14, 500)
    table = pa.table({
        "k": random.choice(["a", "b"], 500),
        "price": pa.array([decimal.Decimal(int(cent)).scaleb(-2) for cent in cents], pa.decimal128(15, 2)),
        "wide": pa.array([decimal.Decimal(int(cent)).scaleb(-2) for cent in cents], pa.decimal128(30, 2)),
        "whole": pa.array([decimal.Decimal(int(cent)) for cent in cents], pa.decimal128(18, 0)),
        "day": pa.array([datetime.date(2020, 1, 1) + datetime.timedelta(int(days)) for days in cents % 900]),
        "x": random.choice([0.0, 1.5, np.inf, -np.inf, np.nan], 500),
    })  # fmt: skip
    path = tmp_path / "prices.parquet"
    pq.write_table(table, path)
    return str(path), table.to_pandas()


@pytest.mark.parametrize("name", ["price", "wide", "whole"])
def test_fixed_point_numbers_become_the_nearest_floats(prices, name):
    path, whole = prices
    found = rd.read_parquet(path)[name].astype("float64").compute()
    expected = np.array([float(value) for value in whole[name]])
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=0 if name != "wide" else 1e-15)


def test_missing_fixed_point_numbers_stay_missing(tmp_path):
    path = str(tmp_path / "some.parquet")
    table = pa.table({"p": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-0.50")], pa.decimal128(9, 2))})
    pq.write_table(table, path)
    found = rd.read_parquet(path).p.astype("float64")
    np.testing.assert_array_equal(found.compute().to_numpy(), [1.25, np.nan, -0.5])
    assert (found * 2 + 1).sum().compute() == 3.5


def test_sums_of_bounded_products_need_no_guard(prices):
    path, whole = prices
    frame = rd.read_parquet(path)
    price = frame.price.astype("float64")
    total = (price * (1 - price / 1e15 * 0)).sum()
    bounded = (price * (1 - price)).sum()
    assert "is_not_nan" in total.explain(engine=True) or "fill_nan" in total.explain(engine=True)
    assert "nan" not in bounded.explain(engine=True).lower()
    expected = whole.price.astype("float64")
    assert bounded.compute() == pytest.approx((expected * (1 - expected)).sum(), rel=1e-12)


def test_infinite_numbers_still_cancel_to_missing(prices):
    path, whole = prices
    frame = rd.read_parquet(path)
    product = (frame.x * 0 * frame.price.astype("float64")).sum().compute()
    assert product == (whole.x * 0 * whole.price.astype("float64")).sum()
    found = frame.assign(y=frame.x - frame.x).groupby("k").y.agg(["sum", "count", "mean"]).compute()
    pd.testing.assert_frame_equal(found, whole.assign(y=whole.x - whole.x).groupby("k").y.agg(["sum", "count", "mean"]))


def test_products_that_overflow_are_infinite_and_their_differences_missing():
    frame = pd.DataFrame({"i": [2**62, 1], "k": ["a", "a"]})
    lazy = rd.from_pandas(frame, npartitions=1)
    big, large = lazy.i.astype("float64"), frame.i.astype("float64")
    for _ in range(5):
        big, large = big * big, large * large
    assert np.isinf(large.iloc[0])
    difference = (big - big).sum().compute()
    assert difference == (large - large).sum()


def test_aggregations_share_what_they_are_made_of(prices):
    path, whole = prices

    def query(frame):
        frame = frame.assign(f=frame.price.astype("float64"))
        frame = frame.assign(g=frame.f * (1 - frame.f / 7))
        frame = frame.assign(h=frame.g * 3)
        groups = frame.groupby("k")
        return groups.agg(f=("f", "sum"), g=("g", "mean"), h=("h", "max"), n=("h", "count"), first=("g", "first"))

    pd.testing.assert_frame_equal(query(rd.read_parquet(path)).compute(), query(whole), rtol=1e-12)


@pytest.mark.parametrize("hour", [0, 7])
@pytest.mark.parametrize("op", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_dates_beside_points_in_time(prices, op, hour):
    path, whole = prices
    at = datetime.datetime(2021, 3, 4, hour)
    found = getattr(rd.read_parquet(path).day, op)(at).compute()
    expected = getattr(pd.to_datetime(whole.day), op)(at)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("bound", [0.07, 0.05, 7, 0.055, -0.01, 0, 1e20, float("nan"), float("inf")])
@pytest.mark.parametrize("op", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_floats_that_were_fixed_point_numbers_compare_like_floats(tmp_path, op, bound):
    path = str(tmp_path / "rates.parquet")
    rates = [decimal.Decimal(cent).scaleb(-2) for cent in range(-20, 21)]
    pq.write_table(pa.table({"rate": pa.array([*rates, None], pa.decimal128(15, 2))}), path)
    rate = rd.read_parquet(path).rate.astype("float64")
    expected = pd.Series([*map(float, rates), np.nan])
    assert getattr(rate, op)(bound).compute().tolist() == getattr(expected, op)(bound).tolist()
    kept = rate[getattr(rate, op)(bound)].compute().tolist()
    np.testing.assert_array_equal(kept, expected[getattr(expected, op)(bound)].tolist())
