"""Texts read as times as pandas reads them: in the format of the first, or in one that is given, and no other."""

import warnings

import pandas as pd
import pytest

import raskt.dataframe as rd

# fmt: off
TEXTS = [
    ["01/02/2024"], ["13/02/2024"], ["01/02/2024", "13/02/2024"], ["13/02/2024", "01/02/2024"], ["1/2/2024"],
    ["01-02-2024"], ["01.02.2024"], ["2024/01/02"], ["2024-1-2"], ["20240102"], ["2024"], ["2024-01"], ["Jan 5 2024"],
    ["hello"], ["hello", "2024-01-01"], ["2024-01-01", "hello"], ["24-01-02"], [" 2024-01-01"], ["2024-01-01 "],
    ["2024-01-02", "2024-01-02 10:00"], ["2024-01-02 10:00", "2024-01-02"], ["2024-01-02 10:30 PM"], ["2024-02-30"],
    ["2024-12-31 23:59:60"], ["2024-01-02 10:30:00.5", "2024-01-02 10:30:00.123456"], ["", "2024-01-01"],
    ["2024-01-01", "NaT", None, "2024-01-01"], [None, "", "01/02/2024", "02/03/2024"], [None], ["10000-01-01"],
]
FORMATS = [
    "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%y", "%y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S.%f", "%Y %m", "%Y%m%d",
    "%b %d %Y", "%Y-%m-%d %I:%M %p", "ISO8601", "mixed", None,
]
# fmt: on


def found(function, texts):
    """The times, or that it is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            times = function(texts)
            return [str(one) for one in (times.compute() if hasattr(times, "compute") else times)]
        except ValueError:
            return "ValueError"


@pytest.mark.parametrize("texts", TEXTS, ids=str)
@pytest.mark.parametrize("errors", ["raise", "coerce"])
def test_formats(texts, errors):
    series = pd.Series(texts, dtype="str")
    lazy = rd.from_pandas(series, npartitions=2)
    for form in FORMATS:
        expected = found(lambda rows, form=form: pd.to_datetime(rows, format=form, errors=errors), series)
        got = found(lambda rows, form=form: rd.to_datetime(rows, format=form, errors=errors), lazy)
        assert got == expected, form


@pytest.mark.parametrize("texts", TEXTS, ids=str)
def test_astype(texts):
    series = pd.Series(texts, dtype="str")
    lazy = rd.from_pandas(series, npartitions=2)
    convert = lambda rows: rows.astype("datetime64[us]")
    assert found(convert, lazy) == found(convert, series)
