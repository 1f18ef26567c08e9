"""What a series looks like."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["ATTRIBUTES"]

ATTRIBUTES: dict[str, Entry] = {
    "axes": Entry(
        "list",
        "The lazy index.",
        """
>>> len(s.axes)
1
""",
    ),
    "dtype": Entry(
        "data-type",
        "Known without computing.",
        """
>>> s.dtype
dtype('int64')
""",
    ),
    "dtypes": Entry(
        "data-type",
        "Known without computing.",
        """
>>> s.dtypes
dtype('int64')
""",
    ),
    "index": Entry(
        "Index",
        "Lazy.",
        """
>>> s.index.compute()
Index([0, 1, 2], dtype='int64')
""",
    ),
    "name": Entry(
        "label",
        "Known without computing.",
        """
>>> s.name
'x'
""",
    ),
    "nbytes": Entry(
        "Scalar",
        "Of int64.",
        """
>>> s.nbytes.compute()
np.int64(24)
""",
    ),
    "ndim": Entry(
        "int",
        "Known without computing.",
        """
>>> s.ndim
1
""",
    ),
    "shape": Entry(
        "tuple",
        "A lazy number.",
        """
>>> s.shape[0].compute()
3
""",
    ),
    "size": Entry(
        "Scalar",
        "Of int64.",
        """
>>> s.size.compute()
3
""",
    ),
}
