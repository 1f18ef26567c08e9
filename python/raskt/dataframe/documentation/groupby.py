"""Group-bys."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import GROUPS, Entry

__all__ = ["GROUPBY", "PRELUDE"]

PRELUDE = """\
>>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3], "y": [0.5, None, -2.5]}), npartitions=2)
>>> groups = df.groupby("k").x
""".strip()

GROUPBY: dict[str, Entry] = {
    "all": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of bool.",
        """
>>> groups.all().compute()
k
a    True
b    True
Name: x, dtype: bool
""",
    ),
    "any": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of bool.",
        """
>>> groups.any().compute()
k
a    True
b    True
Name: x, dtype: bool
""",
    ),
    "count": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of int64.",
        """
>>> groups.count().compute()
k
a    2
b    1
Name: x, dtype: int64
""",
    ),
    "first": Entry(
        "DataFrame or Series",
        f"{GROUPS} Types stay.",
        """
>>> groups.first().compute()
k
a    1
b    2
Name: x, dtype: int64
""",
    ),
    "last": Entry(
        "DataFrame or Series",
        f"{GROUPS} Types stay.",
        """
>>> groups.last().compute()
k
a    3
b    2
Name: x, dtype: int64
""",
    ),
    "max": Entry(
        "DataFrame or Series",
        f"{GROUPS} Types stay.",
        """
>>> groups.max().compute()
k
a    3
b    2
Name: x, dtype: int64
""",
    ),
    "min": Entry(
        "DataFrame or Series",
        f"{GROUPS} Types stay.",
        """
>>> groups.min().compute()
k
a    1
b    2
Name: x, dtype: int64
""",
    ),
    "mean": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of float64.",
        """
>>> groups.mean().compute()
k
a    2.0
b    2.0
Name: x, dtype: float64
""",
    ),
    "median": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of float64.",
        """
>>> groups.median().compute()
k
a    2.0
b    2.0
Name: x, dtype: float64
""",
    ),
    "nunique": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of int64.",
        """
>>> groups.nunique().compute()
k
a    2
b    1
Name: x, dtype: int64
""",
    ),
    "prod": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of int64 or uint64 for integers, else types stay.",
        """
>>> groups.prod().compute()
k
a    3
b    2
Name: x, dtype: int64
""",
    ),
    "size": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of int64.",
        """
>>> groups.size().compute()
k
a    2
b    1
Name: x, dtype: int64
""",
    ),
    "std": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of float64.",
        """
>>> groups.std().compute()
k
a    1.414214
b         NaN
Name: x, dtype: float64
""",
    ),
    "sum": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of int64 or uint64 for integers, else types stay.",
        """
>>> groups.sum().compute()
k
a    4
b    2
Name: x, dtype: int64
""",
    ),
    "var": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of float64.",
        """
>>> groups.var().compute()
k
a    2.0
b    NaN
Name: x, dtype: float64
""",
    ),
    "sem": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of float64.",
        """
>>> groups.sem().compute()
k
a    1.0
b    NaN
Name: x, dtype: float64
""",
    ),
    "quantile": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of float64.",
        """
>>> groups.quantile().compute()
k
a    2.0
b    2.0
Name: x, dtype: float64
""",
    ),
    "idxmax": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of the type of the row labels.",
        """
>>> groups.idxmax().compute()
k
a    2
b    1
Name: x, dtype: int64
""",
    ),
    "idxmin": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of the type of the row labels.",
        """
>>> groups.idxmin().compute()
k
a    0
b    1
Name: x, dtype: int64
""",
    ),
    "skew": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of float64.",
        """
>>> groups.skew().compute()
k
a   NaN
b   NaN
Name: x, dtype: float64
""",
    ),
    "agg": Entry(
        "DataFrame or Series",
        GROUPS,
        """
>>> groups.agg(['min', 'sum']).compute()
   min  sum
k
a    1    4
b    2    2
""",
    ),
    "aggregate": Entry(
        "DataFrame or Series",
        GROUPS,
        """
>>> groups.aggregate('sum').compute()
k
a    4
b    2
Name: x, dtype: int64
""",
    ),
    "compute": Entry(
        "pandas group-by",
        "Of the computed rows.",
        """
>>> groups.compute().ngroups
2
""",
    ),
    "get_group": Entry(
        "DataFrame or Series",
        "The rows of the group.",
        """
>>> groups.get_group('a').compute()
0    1
2    3
Name: x, dtype: int64
""",
        raises={"KeyError": "At `compute`, if there is no such group."},
    ),
    "unique": Entry(
        "Series",
        f"{GROUPS} Of object: arrays.",
        """
>>> groups.unique().compute()
k
a    [1, 3]
b       [2]
Name: x, dtype: object
""",
    ),
    "value_counts": Entry(
        "Series",
        "Of int64, labelled by group and value.",
        """
>>> groups.value_counts().compute()
k  x
a  1    1
   3    1
b  2    1
Name: count, dtype: int64
""",
    ),
    "nlargest": Entry(
        "Series",
        "The rows, labelled by group and row.",
        """
>>> groups.nlargest(1).compute()
k
a  2    3
b  1    2
Name: x, dtype: int64
""",
    ),
    "nsmallest": Entry(
        "Series",
        "The rows, labelled by group and row.",
        """
>>> groups.nsmallest(1).compute()
k
a  0    1
b  1    2
Name: x, dtype: int64
""",
    ),
    "apply": Entry(
        "DataFrame or Series",
        "What `meta`, or a trial, says that the function gives.",
    ),
    "transform": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> groups.transform('sum').compute()
0    4
1    2
2    4
Name: x, dtype: int64
""",
    ),
    "corr": Entry(
        "DataFrame or Series",
        GROUPS,
        """
>>> df.groupby('k')[['x', 'y']].corr().compute()
       x    y
k
a x  1.0 -1.0
  y -1.0  1.0
b x  NaN  NaN
  y  NaN  NaN
""",
    ),
    "cov": Entry(
        "DataFrame or Series",
        GROUPS,
        """
>>> df.groupby('k')[['x', 'y']].cov().compute()
       x    y
k
a x  2.0 -3.0
  y -3.0  4.5
b x  NaN  NaN
  y  NaN  NaN
""",
    ),
    "describe": Entry(
        "DataFrame",
        GROUPS,
        """
>>> groups.describe().compute()[['count', 'max']]
   count  max
k
a    2.0  3.0
b    1.0  2.0
""",
    ),
    "head": Entry(
        "DataFrame or Series",
        "The rows, as they were.",
        """
>>> groups.head(1).compute()
0    1
1    2
Name: x, dtype: int64
""",
    ),
    "tail": Entry(
        "DataFrame or Series",
        "The rows, as they were.",
        """
>>> groups.tail(1).compute()
1    2
2    3
Name: x, dtype: int64
""",
    ),
    "rolling": Entry(
        "Rolling",
        "Lazy windows.",
        """
>>> groups.rolling(2).sum().compute()
k
a  0    NaN
   2    4.0
b  1    NaN
Name: x, dtype: float64
""",
    ),
    "ngroup": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of int64.",
        """
>>> groups.ngroup().compute().tolist()
[0, 1, 0]
""",
    ),
    "cumcount": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of int64.",
        """
>>> groups.cumcount().compute().tolist()
[0, 0, 1]
""",
    ),
    "bfill": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> df.groupby('k').y.bfill().compute().tolist()
[0.5, nan, -2.5]
""",
    ),
    "ffill": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> df.groupby('k').y.ffill().compute().tolist()
[0.5, nan, -2.5]
""",
    ),
    "cummax": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> groups.cummax().compute().tolist()
[1, 2, 3]
""",
    ),
    "cummin": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> groups.cummin().compute().tolist()
[1, 2, 1]
""",
    ),
    "cumprod": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> groups.cumprod().compute().tolist()
[1, 2, 3]
""",
    ),
    "cumsum": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> groups.cumsum().compute().tolist()
[1, 2, 4]
""",
    ),
    "diff": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> groups.diff().compute().tolist()
[nan, nan, 2.0]
""",
    ),
    "rank": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> groups.rank().compute().tolist()
[1.0, 1.0, 2.0]
""",
    ),
    "shift": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> groups.shift().compute().tolist()
[nan, nan, 1.0]
""",
    ),
}
