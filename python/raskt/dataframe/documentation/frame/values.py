"""Functions of values, and tables of another form."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import ROWS, Entry

__all__ = ["VALUES"]

VALUES: dict[str, Entry] = {
    "apply": Entry(
        "DataFrame or Series",
        "What `meta`, or a trial, says that the function gives.",
        """
>>> df.apply(lambda row: row.x * 10, axis=1, meta=(None, 'int64')).compute()
0    10
1    20
2    30
dtype: int64
""",
    ),
    "categorize": Entry(
        "DataFrame",
        f"{ROWS} Columns of text are of categories that are known.",
        """
>>> df.categorize(['k']).k.compute()
0    a
1    b
2    a
Name: k, dtype: category
Categories (2, str): ['a', 'b']
""",
    ),
    "combine": Entry(
        "DataFrame",
        "Of the same rows, labels and partitions.",
        """
>>> df[['x']].combine(df[['x']], lambda a, b: a + b).compute()
   x
0  2
1  4
2  6
""",
    ),
    "combine_first": Entry(
        "DataFrame",
        "Of the same rows, labels and partitions.",
        """
>>> df[['y']].combine_first(df[['x']].rename(columns={'x': 'y'})).compute()
     y
0  0.5
1  2.0
2 -2.5
""",
    ),
    "eval": Entry(
        "DataFrame or Series",
        "Of the same rows, labels and partitions.",
        """
>>> df.eval('z = x * 2')[['x', 'z']].compute()
   x  z
0  1  2
1  2  4
2  3  6
""",
    ),
    "explode": Entry(
        "DataFrame",
        "A row for each item.",
        """
>>> rd.from_pandas(pd.DataFrame({"i": [1, 2], "x": [[3, 4], [5]]}), npartitions=1).explode("x").compute()["i"].tolist()
[1, 1, 2]
""",
    ),
    "applymap": Entry(
        "DataFrame",
        "Of the same rows, labels and partitions.",
        """
>>> df[['x']].map(lambda value: value * 2).compute()
   x
0  2
1  4
2  6
""",
    ),
    "map": Entry(
        "DataFrame",
        "Of the same rows, labels and partitions.",
        """
>>> df[['x']].map(lambda value: value * 2).compute()
   x
0  2
1  4
2  6
""",
    ),
    "melt": Entry(
        "DataFrame",
        "A row for each value.",
        """
>>> df.melt(id_vars=['k'], value_vars=['x']).compute()
   k variable  value
0  a        x      1
1  b        x      2
2  a        x      3
""",
    ),
    "pivot_table": Entry(
        "DataFrame",
        "A row for each value of `index`, a column for each of `columns`.",
        """
>>> known = df.assign(k=df.k.astype("category")).categorize()
>>> table = known.pivot_table(index="x", columns="k", values="y")
>>> table.compute().to_numpy().tolist()
[[0.5, nan], [-2.5, nan]]
""",
    ),
}
