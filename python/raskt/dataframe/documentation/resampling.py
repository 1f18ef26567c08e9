"""Spans of time."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["RESAMPLING", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3, 1, 2], index=pd.date_range("2020-01-01", periods=3, freq="12h")), npartitions=2)
""".strip()

RESAMPLING: dict[str, Entry] = {
    "count": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').count().compute().tolist()
[2, 1]
""",
    ),
    "first": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').first().compute().tolist()
[3, 2]
""",
    ),
    "last": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').last().compute().tolist()
[1, 2]
""",
    ),
    "max": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').max().compute().tolist()
[3, 2]
""",
    ),
    "mean": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').mean().compute().tolist()
[2.0, 2.0]
""",
    ),
    "median": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').median().compute().tolist()
[2.0, 2.0]
""",
    ),
    "min": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').min().compute().tolist()
[1, 2]
""",
    ),
    "nunique": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').nunique().compute().tolist()
[2, 1]
""",
    ),
    "prod": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').prod().compute().tolist()
[3, 2]
""",
    ),
    "sem": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').sem().compute().tolist()
[1.0, nan]
""",
    ),
    "size": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').size().compute().tolist()
[2, 1]
""",
    ),
    "std": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').std().compute().tolist()
[1.4142135623730951, nan]
""",
    ),
    "sum": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').sum().compute().tolist()
[4, 2]
""",
    ),
    "var": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').var().compute().tolist()
[2.0, nan]
""",
    ),
    "quantile": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').quantile(0.5).compute().tolist()
[2.0, 2.0]
""",
    ),
    "ohlc": Entry(
        "DataFrame",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').ohlc().compute()
            open  high  low  close
2020-01-01     3     3    1      1
2020-01-02     2     2    2      2
""",
    ),
    "agg": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').agg('sum').compute().tolist()
[4, 2]
""",
    ),
    "aggregate": Entry(
        "DataFrame or Series",
        "A row for each span, labelled by its left or right end.",
        """
>>> s.resample('1D').aggregate('sum').compute().tolist()
[4, 2]
""",
    ),
    "kwargs": Entry(
        "dict",
        "Known without computing.",
    ),
}
