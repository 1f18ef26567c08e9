"""Rows: chosen, ordered, labelled."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import SORTED, Entry

__all__ = ["CHOSEN"]

CHOSEN: dict[str, Entry] = {
    "drop_duplicates": Entry(
        "Series",
        "The rows that stay.",
        """
>>> s.drop_duplicates().compute().tolist()
[3, 1, 2]
""",
    ),
    "dropna": Entry(
        "Series",
        "The rows that stay.",
        """
>>> s.dropna().compute().tolist()
[3, 1, 2]
""",
    ),
    "groupby": Entry(
        "SeriesGroupBy",
        "Lazy groups.",
        """
>>> s.groupby(s % 2).sum().compute()
x
0    2
1    4
Name: x, dtype: int64
""",
    ),
    "items": Entry(
        "iterator",
        "Pairs of a label and a value.",
        """
>>> list(s.items())
[(0, 3), (1, 1), (2, 2)]
""",
    ),
    "loc": Entry(
        "SeriesLoc",
        "To be indexed by labels.",
        """
>>> s.loc[1:].compute()
1    1
2    2
Name: x, dtype: int64
""",
        raises={"KeyError": "At `compute`, for a label that isn't there."},
    ),
    "nlargest": Entry(
        "Series",
        "The rows.",
        """
>>> s.nlargest(2).compute()
0    3
2    2
Name: x, dtype: int64
""",
    ),
    "nsmallest": Entry(
        "Series",
        "The rows.",
        """
>>> s.nsmallest(2).compute()
1    1
2    2
Name: x, dtype: int64
""",
    ),
    "rename": Entry(
        "Series",
        "The same rows.",
        """
>>> s.rename('z').name
'z'
""",
    ),
    "rename_axis": Entry(
        "Series",
        "The same rows.",
        """
>>> s.rename_axis('row').index.name
'row'
""",
    ),
    "reset_index": Entry(
        "DataFrame or Series",
        "The same rows, numbered from 0.",
        """
>>> s[s > 1].reset_index(drop=True).compute()
0    3
1    2
Name: x, dtype: int64
""",
    ),
    "sort_index": Entry(
        "Series",
        "The same rows.",
        """
>>> s.sort_index(ascending=False).compute()
2    2
1    1
0    3
Name: x, dtype: int64
""",
    ),
    "sort_values": Entry(
        "Series",
        "In one partition, unless `npartitions` says otherwise.",
        """
>>> s.sort_values().compute()
1    1
2    2
0    3
Name: x, dtype: int64
""",
        parameters=SORTED,
    ),
    "squeeze": Entry(
        "Series or Scalar",
        "The same, or its one value.",
        """
>>> s.squeeze().compute().tolist()
[3, 1, 2]
""",
    ),
    "to_timestamp": Entry(
        "Series",
        "With times for row labels.",
    ),
    "unique": Entry(
        "Series",
        "With new row labels.",
        """
>>> s.unique().compute().tolist()
[3, 1, 2]
""",
    ),
}
