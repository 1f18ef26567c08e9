"""Group-bys."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import FADING, GROUPS, ROWS, Entry, alike

__all__ = ["GROUPBY", "PRELUDE"]

PRELUDE = """\
>>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3], "y": [0.5, None, -2.5]}), npartitions=2)
>>> groups = df.groupby("k").x
""".strip()

GROUPBY: dict[str, Entry] = {
    **alike(
        "DataFrame or Series",
        ROWS,
        "groups.{}().compute().tolist()",
        {
            "cummax": "[1, 2, 3]",
            "cummin": "[1, 2, 1]",
            "cumprod": "[1, 2, 3]",
            "cumsum": "[1, 2, 4]",
            "diff": "[nan, nan, 2.0]",
            "rank": "[1.0, 1.0, 2.0]",
            "shift": "[nan, nan, 1.0]",
        },
    ),
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
    "expanding": Entry(
        "GroupedExpanding",
        "Lazy windows.",
        """
>>> groups.expanding().sum().compute().tolist()
[1.0, 4.0, 2.0]
""",
        parameters={"method": 'str: `"single"` for windows of each column, `"table"` for those of all together.'},
    ),
    "ewm": Entry(
        "GroupedExponential",
        "Lazy windows.",
        """
>>> groups.ewm(alpha=0.5).mean().compute().round(3).tolist()
[1.0, 2.333, 2.0]
""",
        raises={"ValueError": "Unless one of `com`, `span`, `halflife` and `alpha` is given."},
        parameters=FADING,
    ),
    "filter": Entry(
        "DataFrame or Series",
        "The rows of those groups, as they were.",
        """
>>> groups.filter(lambda x: x.sum() > 2).compute().tolist()
[1, 3]
""",
        parameters={
            "func": "callable: Is called with each group, and gives a truth value.",
            "dropna": "bool: Whether rows of other groups go; if not, their values are missing.",
        },
    ),
    "kurt": Entry(
        "DataFrame or Series",
        f"{GROUPS} Of float64; missing where a group has less than four values.",
        """
>>> groups.kurt().compute().tolist()
[nan, nan]
""",
    ),
    "nth": Entry(
        "DataFrame or Series",
        "The rows, as they were.",
        """
>>> groups.nth(-1).compute().tolist()
[2, 3]
""",
        parameters={
            "n": "int, slice or list of them: Numbers of rows in their groups, negative ones from the end.",
            "dropna": 'str: `"any"` or `"all"`: rows with missing values, or of missing values alone, do not count.',
        },
    ),
    "ohlc": Entry(
        "DataFrame",
        f"{GROUPS} The columns `open`, `high`, `low` and `close`, of each column.",
        """
>>> groups.ohlc().compute()
   open  high  low  close
k
a     1     3    1      3
b     2     2    2      2
""",
    ),
    "pct_change": Entry(
        "DataFrame or Series",
        f"{ROWS} Of float64; missing where there is no row before in the group.",
        """
>>> groups.pct_change().compute().tolist()
[nan, nan, 2.0]
""",
        parameters={"fill_method": "None: Nothing else is taken, as in pandas 3."},
    ),
    "sample": Entry(
        "DataFrame or Series",
        "Rows of each group, a group after the other, as pandas draws them.",
        """
>>> len(groups.sample(1, random_state=0).compute())
2
""",
        parameters={
            "n": "int: How many rows of each group.",
            "frac": "float: Which part of each group instead.",
            "replace": "bool: Whether a row may be drawn more than once.",
            "weights": "list-like: How probable each row is.",
            "random_state": "int, array or generator: The seed; a new one if not given.",
        },
    ),
}
