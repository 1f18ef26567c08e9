"""Spans of time."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import PIPED, ROWS, SPANS, Entry, alike

__all__ = ["RESAMPLING", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3, 1, 2], index=pd.date_range("2020-01-01", periods=3, freq="12h")), npartitions=2)
""".strip()

RESAMPLING: dict[str, Entry] = {
    **alike(
        "DataFrame or Series",
        SPANS,
        "s.resample('1D').{}().compute().tolist()",
        {
            "count": "[2, 1]",
            "first": "[3, 2]",
            "last": "[1, 2]",
            "max": "[3, 2]",
            "mean": "[2.0, 2.0]",
            "median": "[2.0, 2.0]",
            "min": "[1, 2]",
            "nunique": "[2, 1]",
            "prod": "[3, 2]",
            "sem": "[1.0, nan]",
            "size": "[2, 1]",
            "std": "[1.4142135623730951, nan]",
            "sum": "[4, 2]",
            "var": "[2.0, nan]",
        },
    ),
    **alike(
        "DataFrame or Series",
        "A row for each start of a span.",
        "s.resample('6h').{}().compute().tolist()",
        {
            "bfill": "[3, 1, 1, 2, 2]",
            "ffill": "[3, 3, 1, 1, 2]",
            "nearest": "[3, 1, 1, 2, 2]",
        },
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
    "apply": Entry(
        "DataFrame or Series",
        SPANS,
        """
>>> s.resample('1D').apply(lambda x: x.max() - x.min()).compute().tolist()
[2, 0]
""",
    ),
    "transform": Entry(
        "DataFrame or Series",
        ROWS,
        """
>>> s.resample('1D').transform(lambda x: x - x.mean()).compute().tolist()
[1.0, -1.0, 0.0]
""",
        parameters={"arg": "callable: Is called with each group, and gives a value, or one for each row."},
    ),
    "asfreq": Entry(
        "DataFrame or Series",
        "A row for each start of a span; missing, or `fill_value`, where there was none.",
        """
>>> s.resample('6h').asfreq(fill_value=0).compute().tolist()
[3, 0, 1, 0, 2]
""",
    ),
    "interpolate": Entry(
        "DataFrame or Series",
        "A row for each start of a span.",
        """
>>> s.resample('6h').interpolate().compute().tolist()
[3.0, 2.0, 1.0, 1.5, 2.0]
""",
        parameters={
            "method": 'str: `"linear"`, `"time"`, or one of SciPy\'s interpolations.',
            "axis": "int or str: Only 0 has a meaning for spans of time.",
            "limit_direction": 'str: `"forward"`, `"backward"` or `"both"`.',
            "kwargs": "object: Options of SciPy's interpolations.",
        },
    ),
    "pipe": Entry(
        "object",
        "What the function gives.",
        """
>>> s.resample('1D').pipe(lambda groups: groups.max() - groups.min()).compute().tolist()
[2, 0]
""",
        parameters=PIPED,
    ),
}
