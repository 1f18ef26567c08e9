"""The accessor `.cat`."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import ROWS, Entry

__all__ = ["CATEGORIES", "PRELUDE"]

PRELUDE = """\
>>> c = rd.from_pandas(pd.Series(["a", "b", "a"], dtype="category"), npartitions=1)
""".strip()

CATEGORIES: dict[str, Entry] = {
    "as_known": Entry(
        "Series",
        f"{ROWS} Categories are known.",
        """
>>> c.cat.as_known().cat.known
False
""",
    ),
    "as_unknown": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
        """
>>> c.cat.as_unknown().compute().tolist()
['a', 'b', 'a']
""",
    ),
    "categories": Entry(
        "pandas.Index",
        "The categories, in order.",
        """
>>> list(c.cat.categories)
['a', 'b']
""",
    ),
    "codes": Entry(
        "Series",
        f"{ROWS} Of the smallest integers that fit; -1 where a value is missing.",
        """
>>> c.cat.codes.compute().tolist()
[0, 1, 0]
""",
    ),
    "known": Entry(
        "bool",
        "Known without computing.",
        """
>>> c.cat.known
False
""",
    ),
    "ordered": Entry(
        "bool",
        "Whether comparisons have a meaning.",
        """
>>> c.cat.ordered
False
""",
    ),
    "add_categories": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
        raises={"ValueError": "For a category that is there already."},
    ),
    "as_ordered": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
    ),
    "as_unordered": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
    ),
    "remove_categories": Entry(
        "Series",
        f"{ROWS} Values of those categories are missing.",
        raises={"ValueError": "For a category that isn't there."},
    ),
    "remove_unused_categories": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
    ),
    "rename_categories": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
    ),
    "reorder_categories": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
        raises={"ValueError": "For other categories than those that are there."},
    ),
    "set_categories": Entry(
        "Series",
        f"{ROWS} Values of other categories are missing.",
    ),
}
