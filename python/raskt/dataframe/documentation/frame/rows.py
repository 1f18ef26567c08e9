"""Rows: chosen, ordered, labelled, joined."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import SORTED, Entry

__all__ = ["CHOSEN"]

CHOSEN: dict[str, Entry] = {
    "join": Entry(
        "DataFrame",
        "A row for each pair of rows with equal keys.",
        """
>>> df[['x']].join(df[['y']]).compute()
   x    y
0  1  0.5
1  2  NaN
2  3 -2.5
""",
    ),
    "merge": Entry(
        "DataFrame",
        "A row for each pair of rows with equal keys; rows are numbered from 0 unless an index is a key.",
        """
>>> other = pd.DataFrame({'k': ['a', 'b'], 'z': [7, 8]})
>>> df.merge(other, on='k')[['k', 'x', 'z']].compute()
   k  x  z
0  a  1  7
1  b  2  8
2  a  3  7
""",
        raises={
            "KeyError": "For a key that isn't a column.",
            "MergeError": "For arguments that contradict each other, and keys that `validate` doesn't allow.",
        },
    ),
    "groupby": Entry(
        "DataFrameGroupBy",
        "Lazy groups.",
        """
>>> df.groupby('k').x.sum().compute()
k
a    4
b    2
Name: x, dtype: int64
""",
        raises={"KeyError": "For a key that is neither a column nor a level of the index."},
    ),
    "drop_duplicates": Entry(
        "DataFrame",
        "The rows that stay.",
        """
>>> df.drop_duplicates('k')[['k', 'x']].compute()
   k  x
0  a  1
1  b  2
""",
    ),
    "dropna": Entry(
        "DataFrame",
        "The rows that stay.",
        """
>>> df.dropna()[['x']].compute()
   x
0  1
2  3
""",
    ),
    "iloc": Entry(
        "FrameIloc",
        "To be indexed by a pair of which the first is `:`.",
        """
>>> df.iloc[:, 1].compute().tolist()
[1, 2, 3]
""",
    ),
    "loc": Entry(
        "FrameLoc",
        "To be indexed by labels.",
        """
>>> df.loc[1:, 'x'].compute()
1    2
2    3
Name: x, dtype: int64
""",
        raises={"KeyError": "At `compute`, for a label that isn't there."},
    ),
    "iterrows": Entry(
        "iterator",
        "Pairs of a label and a pandas series.",
        """
>>> [row.x for label, row in df[['x']].iterrows()]
[np.int64(1), np.int64(2), np.int64(3)]
""",
    ),
    "itertuples": Entry(
        "iterator",
        "Named tuples.",
        """
>>> [row.x for row in df.itertuples()]
[1, 2, 3]
""",
    ),
    "nlargest": Entry(
        "DataFrame",
        "The rows.",
        """
>>> df.nlargest(1, 'x')[['x']].compute()
   x
2  3
""",
    ),
    "nsmallest": Entry(
        "DataFrame",
        "The rows.",
        """
>>> df.nsmallest(1, 'x')[['x']].compute()
   x
0  1
""",
    ),
    "query": Entry(
        "DataFrame",
        "The rows that stay.",
        """
>>> df.query('x > 1')[['x']].compute()
   x
1  2
2  3
""",
    ),
    "reset_index": Entry(
        "DataFrame",
        "The same rows, numbered from 0.",
        """
>>> df[['x']][df.x > 1].reset_index(drop=True).compute()
   x
0  2
1  3
""",
    ),
    "set_index": Entry(
        "DataFrame",
        "The same rows, in the order of the new labels.",
        """
>>> df[['k', 'x']].set_index('k').compute()
   x
k
a  1
a  3
b  2
""",
    ),
    "shuffle": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> len(df.shuffle('k'))
3
""",
    ),
    "sort_index": Entry(
        "DataFrame",
        "The same rows.",
        """
>>> df[['x']].sort_index(ascending=False).compute()
   x
2  3
1  2
0  1
""",
    ),
    "sort_values": Entry(
        "DataFrame",
        "In one partition, unless `npartitions` says otherwise.",
        """
>>> df[['k', 'x']].sort_values(['k', 'x'], ascending=[True, False]).compute()
   k  x
2  a  3
0  a  1
1  b  2
""",
        parameters=SORTED
        | {
            "by": "label or list of label: Columns, or the index by its name.",
            "upsample": "float: Dask's hint, which the engine does without.",
            "partition_size": "float: Dask's hint, which the engine does without.",
            "sort_function": "callable: Dask's: what sorts instead of pandas' `sort_values` (gathered).",
            "sort_function_kwargs": "dict: Its options.",
        },
    ),
}
