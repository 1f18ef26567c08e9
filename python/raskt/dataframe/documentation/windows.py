"""Windows over rows."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import WINDOW, Entry

__all__ = ["WINDOWS", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3.0, 1.0, 2.0, 6.0]), npartitions=2)
""".strip()

WINDOWS: dict[str, Entry] = {
    "count": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).count().compute().tolist()
[nan, 2.0, 2.0, 2.0]
""",
    ),
    "max": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).max().compute().tolist()
[nan, 3.0, 2.0, 6.0]
""",
    ),
    "mean": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).mean().compute().tolist()
[nan, 2.0, 1.5, 4.0]
""",
    ),
    "median": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).median().compute().tolist()
[nan, 2.0, 1.5, 4.0]
""",
    ),
    "min": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).min().compute().tolist()
[nan, 1.0, 1.0, 2.0]
""",
    ),
    "sem": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).sem().compute().tolist()
[nan, 1.0, 0.5, 2.0]
""",
    ),
    "std": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).std().compute().tolist()
[nan, 1.4142135623730951, 0.7071067811865476, 2.8284271247461903]
""",
    ),
    "sum": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).sum().compute().tolist()
[nan, 4.0, 3.0, 8.0]
""",
    ),
    "var": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).var().compute().tolist()
[nan, 2.0, 0.5, 8.0]
""",
    ),
    "kurt": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(4).kurt().compute().tolist()
[nan, nan, nan, 1.5]
""",
    ),
    "skew": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(3).skew().compute().tolist()
[nan, nan, 0.0, 1.457862967321305]
""",
    ),
    "quantile": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).quantile(0.5).compute().tolist()
[nan, 2.0, 1.5, 4.0]
""",
    ),
    "cov": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).cov().compute().tolist()
[nan, 2.0, 0.5, 8.0]
""",
    ),
    "corr": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(3).corr(s * 2).compute().round(6).tolist()
[nan, nan, 1.0, 1.0]
""",
    ),
    "apply": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).apply(lambda window: window.max(), raw=True).compute().tolist()
[nan, 3.0, 2.0, 6.0]
""",
    ),
    "agg": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).agg('sum').compute().tolist()
[nan, 4.0, 3.0, 8.0]
""",
    ),
    "aggregate": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).aggregate('sum').compute().tolist()
[nan, 4.0, 3.0, 8.0]
""",
    ),
    "kwargs": Entry(
        "dict",
        "Known without computing.",
        """
>>> sorted(s.rolling(2).kwargs)[:2]
['center', 'closed']
""",
    ),
    "rank": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).rank().compute().tolist()
[nan, 1.0, 2.0, 2.0]
""",
    ),
    "first": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).first().compute().tolist()
[nan, 3.0, 1.0, 2.0]
""",
    ),
    "last": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).last().compute().tolist()
[nan, 1.0, 2.0, 6.0]
""",
    ),
    "nunique": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(2).nunique().compute().tolist()
[nan, 2.0, 2.0, 2.0]
""",
    ),
}
