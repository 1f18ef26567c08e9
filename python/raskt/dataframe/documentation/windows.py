"""Windows over rows."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import PIPED, WINDOW, Entry, alike

__all__ = ["FADING", "GROUPED", "PRELUDE", "WEIGHTED", "WINDOWS"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3.0, 1.0, 2.0, 6.0]), npartitions=2)
""".strip()

BIAS = {"bias": "bool: Whether the divisor is the sum of weights, uncorrected."}
PAIRS = {
    "other": "DataFrame or Series: The other side, of the same rows; the columns themselves if not given.",
    "pairwise": "bool: Whether each column meets each column of the other side, or the one of its name.",
}
SHAPE = {"kwargs": "object: Parameters of the window function."}

WINDOWS: dict[str, Entry] = {
    **alike(
        "DataFrame or Series",
        WINDOW,
        "s.rolling(2).{}().compute().tolist()",
        {
            "count": "[nan, 2.0, 2.0, 2.0]",
            "max": "[nan, 3.0, 2.0, 6.0]",
            "mean": "[nan, 2.0, 1.5, 4.0]",
            "median": "[nan, 2.0, 1.5, 4.0]",
            "min": "[nan, 1.0, 1.0, 2.0]",
            "sem": "[nan, 1.0, 0.5, 2.0]",
            "std": "[nan, 1.4142135623730951, 0.7071067811865476, 2.8284271247461903]",
            "sum": "[nan, 4.0, 3.0, 8.0]",
            "var": "[nan, 2.0, 0.5, 8.0]",
            "cov": "[nan, 2.0, 0.5, 8.0]",
            "rank": "[nan, 1.0, 2.0, 2.0]",
            "first": "[nan, 3.0, 1.0, 2.0]",
            "last": "[nan, 1.0, 2.0, 6.0]",
            "nunique": "[nan, 2.0, 2.0, 2.0]",
        },
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
    "pipe": Entry(
        "object",
        "What the function gives.",
        """
>>> s.rolling(2).pipe(lambda windows: windows.max() - windows.min()).compute().tolist()
[nan, 2.0, 1.0, 4.0]
""",
        parameters=PIPED,
    ),
}

#: Of windows whose weights fade.
FADING: dict[str, Entry] = {
    "mean": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.ewm(alpha=0.5).mean().compute().round(3).tolist()
[3.0, 1.667, 1.857, 4.067]
""",
    ),
    "sum": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.ewm(alpha=0.5).sum().compute().round(3).tolist()
[3.0, 2.5, 3.25, 7.625]
""",
    ),
    "std": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.ewm(alpha=0.5).std().compute().round(3).tolist()
[nan, 1.414, 0.845, 2.678]
""",
        parameters=BIAS,
    ),
    "var": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.ewm(alpha=0.5).var().compute().round(3).tolist()
[nan, 2.0, 0.714, 7.171]
""",
        parameters=BIAS,
    ),
    "cov": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.ewm(alpha=0.5).cov(s * s).compute().round(3).tolist()
[nan, 8.0, 2.714, 54.429]
""",
        parameters=BIAS | PAIRS,
    ),
    "corr": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.ewm(alpha=0.5).corr(s * s).compute().round(3).tolist()
[nan, 1.0, 0.981, 0.994]
""",
        parameters=PAIRS,
    ),
}

#: Of windows of weighted rows.
WEIGHTED: dict[str, Entry] = {
    "mean": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(3, win_type='triang').mean().compute().round(3).tolist()
[nan, nan, 1.75, 2.75]
""",
        parameters=SHAPE,
    ),
    "sum": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(3, win_type='triang').sum().compute().round(3).tolist()
[nan, nan, 3.5, 5.5]
""",
        parameters=SHAPE,
    ),
    "std": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(3, win_type='triang').std().compute().round(3).tolist()
[nan, nan, 1.016, 2.525]
""",
        parameters=SHAPE,
    ),
    "var": Entry(
        "DataFrame or Series",
        WINDOW,
        """
>>> s.rolling(3, win_type='triang').var().compute().round(3).tolist()
[nan, nan, 1.031, 6.375]
""",
        parameters=SHAPE,
    ),
}

#: Of windows of each group.
GROUPED: dict[str, Entry] = {
    "agg": Entry(
        "DataFrame or Series",
        "A row for each row, labelled by its group and its own label.",
        """
>>> s.groupby(s > 2).rolling(2).agg('sum').compute().tolist()
[nan, 3.0, nan, 9.0]
""",
    ),
}
