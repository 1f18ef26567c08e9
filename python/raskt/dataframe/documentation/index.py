"""Row labels."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["INDEX", "PRELUDE"]

PRELUDE = """\
>>> index = rd.from_pandas(pd.DataFrame({"x": [1, 2]}, index=pd.Index([10, 20], name="i")), npartitions=1).index
""".strip()

INDEX: dict[str, Entry] = {
    "index": Entry(
        "Index",
        "None: an AttributeError.",
    ),
    "rename": Entry(
        "Index",
        "The same labels.",
        """
>>> index.rename('j').name
'j'
""",
    ),
    "to_frame": Entry(
        "DataFrame",
        "Of one column.",
        """
>>> index.to_frame().compute()
     i
i
10  10
20  20
""",
    ),
    "to_series": Entry(
        "Series",
        "Labelled by itself.",
        """
>>> index.to_series().compute()
i
10    10
20    20
Name: i, dtype: int64
""",
    ),
    "dtype": Entry(
        "data-type",
        "Known without computing.",
    ),
}
