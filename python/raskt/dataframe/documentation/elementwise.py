"""Values that stay in their rows."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import ROWS, Entry

__all__ = ["ELEMENTWISE", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([1.5, None, -2.5], name="x"), npartitions=2)
""".strip()

ELEMENTWISE: dict[str, Entry] = {
    "abs": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> s.abs().compute()
0    1.5
1    NaN
2    2.5
Name: x, dtype: float64
""",
    ),
    "astype": Entry(
        "DataFrame or Series",
        f"{ROWS} Of the types that were asked for.",
        """
>>> s.fillna(0).astype('int8').compute()
0    1
1    0
2   -2
Name: x, dtype: int8
""",
        raises={"ValueError": "At `compute`, for a value that the type can't hold."},
    ),
    "bfill": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> s.bfill().compute()
0    1.5
1   -2.5
2   -2.5
Name: x, dtype: float64
""",
    ),
    "ffill": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> s.ffill().compute()
0    1.5
1    1.5
2   -2.5
Name: x, dtype: float64
""",
    ),
    "clip": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> s.clip(-1, 1).compute()
0    1.0
1    NaN
2   -1.0
Name: x, dtype: float64
""",
    ),
    "cummax": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> s.cummax().compute()
0    1.5
1    NaN
2    1.5
Name: x, dtype: float64
""",
    ),
    "cummin": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> s.cummin().compute()
0    1.5
1    NaN
2   -2.5
Name: x, dtype: float64
""",
    ),
    "cumprod": Entry(
        "DataFrame or Series",
        f"{ROWS} Integers and truth values become integers of 64 bits.",
        """
>>> s.cumprod().compute()
0    1.50
1     NaN
2   -3.75
Name: x, dtype: float64
""",
    ),
    "cumsum": Entry(
        "DataFrame or Series",
        f"{ROWS} Integers and truth values become integers of 64 bits.",
        """
>>> s.cumsum().compute()
0    1.5
1    NaN
2   -1.0
Name: x, dtype: float64
""",
    ),
    "diff": Entry(
        "DataFrame or Series",
        f"{ROWS} Of float64, or of timedelta for times; missing without a row before.",
        """
>>> s.diff().compute()
0   NaN
1   NaN
2   NaN
Name: x, dtype: float64
""",
    ),
    "fillna": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> s.fillna(0).compute()
0    1.5
1    0.0
2   -2.5
Name: x, dtype: float64
""",
        raises={"TypeError": "For a value that the type of a column can't hold."},
    ),
    "isin": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> s.isin([1.5, 2]).compute()
0     True
1    False
2    False
Name: x, dtype: bool
""",
    ),
    "isna": Entry(
        "DataFrame, Series or Index",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> s.isna().compute()
0    False
1     True
2    False
Name: x, dtype: bool
""",
    ),
    "isnull": Entry(
        "DataFrame, Series or Index",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> s.isnull().compute()
0    False
1     True
2    False
Name: x, dtype: bool
""",
    ),
    "notna": Entry(
        "DataFrame, Series or Index",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> s.notna().compute()
0     True
1    False
2     True
Name: x, dtype: bool
""",
    ),
    "notnull": Entry(
        "DataFrame, Series or Index",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> s.notnull().compute()
0     True
1    False
2     True
Name: x, dtype: bool
""",
    ),
    "mask": Entry(
        "DataFrame or Series",
        f"{ROWS} The type is one that holds both.",
        """
>>> s.mask(s < 0, 0).compute()
0    1.5
1    NaN
2    0.0
Name: x, dtype: float64
""",
    ),
    "where": Entry(
        "DataFrame or Series",
        f"{ROWS} The type is one that holds both.",
        """
>>> s.where(s > 0, 0).compute()
0    1.5
1    0.0
2    0.0
Name: x, dtype: float64
""",
    ),
    "rank": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Of float64.",
        """
>>> s.rank().compute()
0    2.0
1    NaN
2    1.0
Name: x, dtype: float64
""",
    ),
    "replace": Entry(
        "DataFrame or Series",
        f"{ROWS} The type is one that holds old and new values.",
        """
>>> s.replace(1.5, 100).compute()
0    100.0
1      NaN
2     -2.5
Name: x, dtype: float64
""",
    ),
    "round": Entry(
        "DataFrame or Series",
        f"{ROWS} Types stay. Halves go to the even neighbour.",
        """
>>> s.round().compute()
0    2.0
1    NaN
2   -2.0
Name: x, dtype: float64
""",
    ),
    "shift": Entry(
        "DataFrame or Series",
        f"{ROWS} Integers become float64 unless `fill_value` is an integer.",
        """
>>> s.shift(1).compute()
0    NaN
1    1.5
2    NaN
Name: x, dtype: float64
""",
    ),
}
