"""Functions of values, and accessors."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["VALUES"]

VALUES: dict[str, Entry] = {
    "apply": Entry(
        "Series",
        "What `meta`, or a trial, says that the function gives.",
        """
>>> s.apply(lambda value: value * 2).compute()
0    6
1    2
2    4
Name: x, dtype: int64
""",
    ),
    "map": Entry(
        "Series",
        "What `meta`, or a trial, says that the function gives.",
        """
>>> s.map({1: 'one', 2: 'two'}).compute()
0    NaN
1    one
2    two
Name: x, dtype: str
""",
    ),
    "between": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> s.between(1, 2).compute()
0    False
1     True
2     True
Name: x, dtype: bool
""",
    ),
    "case_when": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
        """
>>> s.case_when([(s > 2, 0)]).compute()
0    0
1    1
2    2
Name: x, dtype: int64
""",
    ),
    "combine": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
        """
>>> s.combine(s, lambda a, b: a + b).compute()
0    6
1    2
2    4
Name: x, dtype: int64
""",
    ),
    "combine_first": Entry(
        "Series",
        "Of the same rows, labels and partitions.",
        """
>>> s.combine_first(s).compute()
0    3
1    1
2    2
Name: x, dtype: int64
""",
    ),
    "explode": Entry(
        "Series",
        "A row for each item.",
        """
>>> rd.from_pandas(pd.Series([[1, 2], [3]]), npartitions=1).explode().compute()
0    1
0    2
1    3
dtype: object
""",
    ),
    "add_prefix": Entry(
        "Series",
        "The same values.",
        """
>>> s.add_prefix('row ').compute()
row 0    3
row 1    1
row 2    2
Name: x, dtype: int64
""",
    ),
    "add_suffix": Entry(
        "Series",
        "The same values.",
        """
>>> s.add_suffix('.').compute()
0.    3
1.    1
2.    2
Name: x, dtype: int64
""",
    ),
    "cat": Entry(
        "CategoricalMethods",
        "Lazy.",
        """
>>> rd.from_pandas(pd.Series(['b', 'a'], dtype='category'), npartitions=1).cat.codes.compute().tolist()
[1, 0]
""",
        raises={"AttributeError": "For a series of another type."},
    ),
    "dt": Entry(
        "DatetimeMethods",
        "Lazy.",
        """
>>> rd.from_pandas(pd.Series(pd.to_datetime(['2020-05-01'])), npartitions=1).dt.month.compute().tolist()
[5]
""",
        raises={"AttributeError": "For a series of another type."},
    ),
    "str": Entry(
        "StringMethods",
        "Lazy.",
        """
>>> rd.from_pandas(pd.Series(['a', 'b']), npartitions=1).str.upper().compute().tolist()
['A', 'B']
""",
        raises={"AttributeError": "For a series of another type."},
    ),
}
