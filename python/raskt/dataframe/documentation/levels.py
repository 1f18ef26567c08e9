"""Levels of row labels."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["LEVELS", "PRELUDE"]

PRELUDE = """\
>>> rows = pd.DataFrame({"a": [1, 2], "b": [3, 4], "x": [5, 6]}).set_index(["a", "b"])
>>> df = rd.from_pandas(rows, npartitions=1)
""".strip()

LEVELS: dict[str, Entry] = {
    "droplevel": Entry(
        "DataFrame or Series",
        "The same rows.",
        """
>>> df.droplevel('a').compute()
   x
b
3  5
4  6
""",
    ),
    "swaplevel": Entry(
        "DataFrame or Series",
        "The same rows.",
        """
>>> df.swaplevel().index.names
['b', 'a']
""",
        raises={"TypeError": "If there is one level."},
    ),
    "reorder_levels": Entry(
        "DataFrame or Series",
        "The same rows.",
        """
>>> df.reorder_levels(['b', 'a']).index.names
['b', 'a']
""",
        raises={"TypeError": "If there is one level."},
    ),
    "get_level_values": Entry(
        "Index",
        "Lazy.",
        """
>>> df.index.get_level_values('b').compute()
Index([3, 4], dtype='int64', name='b')
""",
    ),
    "nlevels": Entry(
        "int",
        "Known without computing.",
        """
>>> df.index.nlevels
2
""",
    ),
    "names": Entry(
        "list",
        "Known without computing.",
        """
>>> df.index.names
['a', 'b']
""",
    ),
    "iloc": Entry(
        "SeriesIloc",
        "To be indexed by positions.",
        """
>>> df.x.iloc[1:].compute().tolist()
[6]
""",
    ),
}
