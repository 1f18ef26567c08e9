"""Lazy scalars."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["SCALAR", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3, 1, 2], name="x"), npartitions=2)
""".strip()

SCALAR: dict[str, Entry] = {
    "dtype": Entry(
        "data-type",
        "Known without computing.",
        """
>>> s.sum().dtype
dtype('int64')
""",
    ),
    "ndim": Entry(
        "int",
        "Zero.",
        """
>>> s.sum().ndim
0
""",
    ),
    "npartitions": Entry(
        "int",
        "One.",
        """
>>> s.sum().npartitions
1
""",
    ),
    "divisions": Entry(
        "tuple",
        "A pair of None.",
        """
>>> s.sum().divisions
(None, None)
""",
    ),
}
