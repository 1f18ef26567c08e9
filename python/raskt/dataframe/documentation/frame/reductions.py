"""Statistics of columns."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import ROWS, Entry

__all__ = ["REDUCTIONS"]

REDUCTIONS: dict[str, Entry] = {
    "corr": Entry(
        "DataFrame",
        "A row and a column for each column of numbers.",
        """
>>> df[['x', 'y']].corr().compute()
     x    y
x  1.0 -1.0
y -1.0  1.0
""",
    ),
    "cov": Entry(
        "DataFrame",
        "A row and a column for each column of numbers.",
        """
>>> df[['x', 'y']].cov().compute()
     x    y
x  1.0 -3.0
y -3.0  4.5
""",
    ),
    "describe": Entry(
        "DataFrame",
        "A row for each statistic.",
        """
>>> df[['x']].describe().compute()
         x
count  3.0
mean   2.0
std    1.0
min    1.0
25%    1.5
50%    2.0
75%    2.5
max    3.0
""",
    ),
    "memory_usage": Entry(
        "Series",
        "Bytes for each column, and of the index.",
        """
>>> df[['x']].memory_usage(index=False).compute()
x    24
dtype: int64
""",
    ),
    "memory_usage_per_partition": Entry(
        "Series",
        "Bytes for each partition.",
        """
>>> len(df.memory_usage_per_partition())
2
""",
    ),
    "nbytes": Entry(
        "Scalar",
        "Of int64.",
        """
>>> df[['x']].nbytes.compute()
np.int64(24)
""",
    ),
    "nunique": Entry(
        "Series",
        "Of int64, a number for each column.",
        """
>>> df[['x', 'k']].nunique().compute()
x    3
k    2
dtype: int64
""",
    ),
    "quantile": Entry(
        "Series or DataFrame",
        "A value for each column; a row for each quantile, of a list.",
        """
>>> df[['x']].quantile(0.5).compute()
x    2.0
Name: 0.5, dtype: float64
""",
    ),
    "value_counts": Entry(
        "Series",
        "Of int64, by row.",
        """
>>> df[['k']].value_counts().compute()
k
a    2
b    1
Name: count, dtype: int64
""",
    ),
    "agg": Entry(
        "Series or DataFrame",
        "",
        """
>>> df[["x", "y"]].agg(["min", "sum"]).compute()
     x    y
min  1 -2.5
sum  6 -2.0
""",
    ),
    "corrwith": Entry(
        "Series",
        "A value for each column, or for each row with `axis=1`.",
        """
>>> df[["x", "y"]].corrwith(df.x).compute().round(6).tolist()
[1.0, -1.0]
""",
        parameters={
            "drop": "bool: Whether columns that the other side has not got are left out.",
            "method": 'str or callable: `"pearson"`, `"kendall"`, `"spearman"` or a function of two arrays.',
        },
    ),
    "dot": Entry(
        "Series or DataFrame",
        f"{ROWS} A column for each column of `other`.",
        """
>>> df[["x"]].dot(pd.Series([10], index=["x"])).compute().tolist()
[10, 20, 30]
""",
        raises={"ValueError": "If the labels of `other` are not those of the columns."},
        parameters={"other": "pandas Series or DataFrame: Labelled by the columns."},
    ),
}
