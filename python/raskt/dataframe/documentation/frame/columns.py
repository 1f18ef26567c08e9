"""Columns and their labels, and what the frame looks like."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["COLUMNS"]

COLUMNS: dict[str, Entry] = {
    "add_prefix": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> list(df.add_prefix('_').columns)
['_k', '_x', '_y']
""",
    ),
    "add_suffix": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> list(df.add_suffix('_').columns)
['k_', 'x_', 'y_']
""",
    ),
    "assign": Entry(
        "DataFrame",
        "The same rows, with these columns.",
        """
>>> df.assign(z=df.x * 2)[['x', 'z']].compute()
   x  z
0  1  2
1  2  4
2  3  6
""",
    ),
    "axes": Entry(
        "list",
        "The lazy index and the labels of the columns.",
        """
>>> len(df.axes)
2
""",
    ),
    "columns": Entry(
        "pandas.Index",
        "Known without computing.",
        """
>>> list(df.columns)
['k', 'x', 'y']
""",
    ),
    "drop": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> list(df.drop(columns='x').columns)
['k', 'y']
""",
        raises={"KeyError": "For a column that isn't there."},
    ),
    "dtypes": Entry(
        "pandas.Series",
        "A type for each column, known without computing.",
        """
>>> df.dtypes
k        str
x      int64
y    float64
dtype: object
""",
    ),
    "empty": Entry(
        "bool",
        "Computed, if there are columns.",
        """
>>> df.empty
False
""",
    ),
    "index": Entry(
        "Index",
        "Lazy.",
        """
>>> df.index.compute()
Index([0, 1, 2], dtype='int64')
""",
    ),
    "info": Entry(
        "None",
        "Nothing; the text is printed.",
        """
>>> df.info()
<class 'raskt.dataframe.DataFrame'>
Columns: 3, partitions: 2
 #   column  dtype
 0   k       str
 1   x       int64
 2   y       float64
""",
    ),
    "items": Entry(
        "iterator",
        "Pairs of a label and a lazy series.",
        """
>>> [label for label, column in df.items()]
['k', 'x', 'y']
""",
    ),
    "keys": Entry(
        "pandas.Index",
        "Known without computing.",
        """
>>> list(df.keys())
['k', 'x', 'y']
""",
    ),
    "ndim": Entry(
        "int",
        "Known without computing.",
        """
>>> df.ndim
2
""",
    ),
    "pop": Entry(
        "Series",
        "Lazy.",
        """
>>> column = df.pop('x')
>>> list(df.columns)
['k', 'y']
""",
        raises={"KeyError": "If there is no such column."},
    ),
    "rename": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> list(df.rename(columns={'x': 'z'}).columns)
['k', 'z', 'y']
""",
    ),
    "rename_axis": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> df.rename_axis('row').index.name
'row'
""",
    ),
    "select_dtypes": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> list(df.select_dtypes('number').columns)
['x', 'y']
""",
    ),
    "set_axis": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> list(df.set_axis(['a', 'b', 'c'], axis=1).columns)
['a', 'b', 'c']
""",
        raises={"ValueError": "For another number of labels."},
    ),
    "shape": Entry(
        "tuple",
        "A lazy number, and a number.",
        """
>>> df.shape[0].compute(), df.shape[1]
(3, 3)
""",
    ),
    "size": Entry(
        "Scalar",
        "Of int64.",
        """
>>> df.size.compute()
9
""",
    ),
    "squeeze": Entry(
        "DataFrame, Series or Scalar",
        "The same rows, or their one value.",
        """
>>> df[['x']].squeeze().compute()
0    1
1    2
2    3
Name: x, dtype: int64
""",
    ),
    "has_plain_labels": Entry(
        "bool",
        "Known without computing.",
        """
>>> df.has_plain_labels()
True
""",
    ),
    "isocalendar": Entry(
        "DataFrame",
        "Of UInt32.",
    ),
}
