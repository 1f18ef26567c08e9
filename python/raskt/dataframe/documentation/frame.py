"""Frames."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import ROWS, Entry

__all__ = ["FRAME", "PRELUDE"]

PRELUDE = """\
>>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3], "y": [0.5, None, -2.5]}), npartitions=2)
""".strip()

FRAME: dict[str, Entry] = {
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
>>> df.assign(k=df.k.astype('category')).categorize().pivot_table(index='x', columns='k', values='y').compute()
     a   b
1  0.5 NaN
3 -2.5 NaN
""",
    ),
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
(np.int64(3), 3)
""",
    ),
    "size": Entry(
        "Scalar",
        "Of int64.",
        """
>>> df.size.compute()
np.int64(9)
""",
    ),
    "squeeze": Entry(
        "DataFrame or Series",
        "The same rows.",
        """
>>> df[['x']].squeeze().compute()
0    1
1    2
2    3
Name: x, dtype: int64
""",
    ),
    "to_html": Entry(
        "str",
        "Computed.",
        """
>>> df[['x']].to_html(max_rows=1).startswith('<table')
True
""",
    ),
    "to_string": Entry(
        "str",
        "Computed.",
        """
>>> print(df[['x']].to_string())
   x
0  1
1  2
2  3
""",
    ),
    "values": Entry(
        "Array",
        "Of two axes, whose block lengths aren't known.",
        """
>>> df[['x', 'y']].values.compute()
array([[ 1. ,  0.5],
       [ 2. ,  nan],
       [ 3. , -2.5]])
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
    "to_array": Entry(
        "Array",
        "Of two axes.",
        """
>>> df[['x', 'y']].to_array().compute()
array([[ 1. ,  0.5],
       [ 2. ,  nan],
       [ 3. , -2.5]])
""",
    ),
    "to_dask_array": Entry(
        "Array",
        "Of two axes.",
        """
>>> df[['x', 'y']].to_dask_array().compute()
array([[ 1. ,  0.5],
       [ 2. ,  nan],
       [ 3. , -2.5]])
""",
    ),
    "to_arrow": Entry(
        "pyarrow.Table",
        "Computed.",
        """
>>> df[['x']].to_arrow().num_rows
3
""",
    ),
    "to_pandas": Entry(
        "pandas.DataFrame",
        "Computed.",
        """
>>> df[['x']].to_pandas()
   x
0  1
1  2
2  3
""",
    ),
    "to_records": Entry(
        "numpy.recarray",
        "Computed.",
        """
>>> df[['x']].to_records(index=False)
rec.array([(1,), (2,), (3,)],
          dtype=[('x', '<i8')])
""",
    ),
    "to_csv": Entry(
        "list of str",
        "The files that were written.",
        """
>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> len(df.to_csv(folder + '/part-*.csv'))
2
""",
    ),
    "to_json": Entry(
        "list of str",
        "The files that were written.",
        """
>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> _ = df.to_json(folder)
>>> rd.read_json(folder + '/*').x.sum().compute()
np.int64(6)
""",
    ),
    "to_parquet": Entry(
        "None",
        "Nothing.",
        """
>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> _ = df.to_parquet(folder + '/it')
>>> rd.read_parquet(folder + '/it').x.sum().compute()
np.int64(6)
""",
        raises={"FileExistsError": "If the folder has files and `overwrite` isn't given."},
    ),
    "to_orc": Entry(
        "None",
        "Nothing.",
        """
>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> _ = df[['x']].reset_index(drop=True).to_orc(folder + '/it')
>>> rd.read_orc(folder + '/it').x.sum().compute()
np.int64(6)
""",
    ),
    "to_bag": Entry(
        "Bag",
        "A bag of the rows.",
    ),
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
    "corr": Entry(
        "DataFrame",
        "A row and a column for each column of numbers.",
        """
>>> df[['x', 'y']].corr().compute()
     x    y
x  1.0 -1.0
y -1.0  1.0
""",
    ),
    "cov": Entry(
        "DataFrame",
        "A row and a column for each column of numbers.",
        """
>>> df[['x', 'y']].cov().compute()
     x    y
x  1.0 -3.0
y -3.0  4.5
""",
    ),
    "describe": Entry(
        "DataFrame",
        "A row for each statistic.",
        """
>>> df[['x']].describe().compute()
         x
count  3.0
mean   2.0
std    1.0
min    1.0
25%    1.5
50%    2.0
75%    2.5
max    3.0
""",
    ),
    "memory_usage": Entry(
        "Series",
        "Bytes for each column, and of the index.",
        """
>>> df[['x']].memory_usage(index=False).compute()
x    24
dtype: int64
""",
    ),
    "memory_usage_per_partition": Entry(
        "Series",
        "Bytes for each partition.",
        """
>>> len(df.memory_usage_per_partition())
2
""",
    ),
    "nbytes": Entry(
        "Scalar",
        "Of int64.",
        """
>>> df[['x']].nbytes.compute()
np.int64(24)
""",
    ),
    "nunique": Entry(
        "Series",
        "Of int64, a number for each column.",
        """
>>> df[['x', 'k']].nunique().compute()
x    3
k    2
dtype: int64
""",
    ),
    "quantile": Entry(
        "Series or DataFrame",
        "A value for each column; a row for each quantile, of a list.",
        """
>>> df[['x']].quantile(0.5).compute()
x    2.0
Name: 0.5, dtype: float64
""",
    ),
    "value_counts": Entry(
        "Series",
        "Of int64, by row.",
        """
>>> df[['k']].value_counts().compute()
k
a    2
b    1
Name: count, dtype: int64
""",
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
        "The same rows.",
        """
>>> df[['k', 'x']].sort_values(['k', 'x'], ascending=[True, False]).compute()
   k  x
2  a  3
0  a  1
1  b  2
""",
    ),
    "isocalendar": Entry(
        "DataFrame",
        "Of UInt32.",
    ),
}
