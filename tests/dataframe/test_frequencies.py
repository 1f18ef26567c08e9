"""How far labels of rows are apart is kept, as pandas keeps it, while rows keep their order and none is left out."""

import pandas as pd
import pytest

import raskt.dataframe as rd

FRAME = pd.DataFrame({"x": range(10)}, index=pd.date_range("2020-01-01", periods=10, freq="D", name="t"))

KEPT = {
    "rows": lambda rows: rows,
    "labels": lambda rows: rows.index,
    "arithmetic": lambda rows: rows.x + 1,
    "assign": lambda rows: rows.assign(y=rows.x * 2.5),
    "loc": lambda rows: rows.loc["2020-01-02":"2020-01-05"],
    "loc to the end": lambda rows: rows.x.loc["2020-01-04":],
    "iloc": lambda rows: rows.iloc[2:5],
    "cumsum": lambda rows: rows.x.cumsum(),
    "shift": lambda rows: rows.x.shift(1),
    "apply": lambda rows: rows.x.apply(str),
    "sums of spans": lambda rows: rows.x.resample("2D").sum(),
    "means of months": lambda rows: rows.resample("MS").mean(),
    "asfreq": lambda rows: rows.resample("12h").asfreq(),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("npartitions", [1, 3])
def test_frequencies_are_kept(name, npartitions):
    found = KEPT[name](rd.from_pandas(FRAME, npartitions=npartitions)).compute()
    expected = KEPT[name](FRAME)
    found, expected = (rows if isinstance(rows, pd.Index) else rows.index for rows in (found, expected))
    pd.testing.assert_index_equal(found, expected, exact=True)
    assert found.freq == expected.freq is not None


def test_frequencies_outlive_persist_and_repartition():
    rows = rd.from_pandas(FRAME, npartitions=3)
    assert rows.persist().index.compute().freqstr == "D"
    assert rows.repartition(npartitions=2).compute().index.freqstr == "D"


def test_spans_of_time_have_one_too():
    rows = FRAME.set_axis(pd.timedelta_range("0s", periods=10, freq="s"))
    assert rd.from_pandas(rows, npartitions=2).compute().index.freqstr == "s"


def test_rows_that_are_left_out_end_it():
    rows = rd.from_pandas(FRAME, npartitions=2)
    assert rows[rows.x % 3 > 0].compute().index.freq is None
    assert rows.sort_values("x", ascending=False).compute().index.freq is None
