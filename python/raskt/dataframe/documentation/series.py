"""Series."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["SERIES", "PRELUDE"]

PRELUDE = """\
>>> s = rd.from_pandas(pd.Series([3, 1, 2], name="x"), npartitions=2)
""".strip()

SERIES: dict[str, Entry] = {
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
    "autocorr": Entry(
        "Scalar",
        "Of float64.",
        """
>>> s.autocorr().compute()
np.float64(-0.9999999999999999)
""",
    ),
    "corr": Entry(
        "Scalar",
        "Of float64.",
        """
>>> s.corr(s * 2).compute()
np.float64(1.0)
""",
    ),
    "cov": Entry(
        "Scalar",
        "Of float64.",
        """
>>> s.cov(s * 2).compute()
np.float64(2.0)
""",
    ),
    "describe": Entry(
        "Series",
        "A value for each statistic.",
        """
>>> s.describe().compute()
count    3.0
mean     2.0
std      1.0
min      1.0
25%      1.5
50%      2.0
75%      2.5
max      3.0
Name: x, dtype: float64
""",
    ),
    "dot": Entry(
        "Scalar",
        "Of the type of the product.",
        """
>>> s.dot(s).compute()
np.int64(14)
""",
    ),
    "is_monotonic_decreasing": Entry(
        "Scalar",
        "Of bool.",
        """
>>> s.is_monotonic_decreasing.compute()
np.False_
""",
    ),
    "is_monotonic_increasing": Entry(
        "Scalar",
        "Of bool.",
        """
>>> s.is_monotonic_increasing.compute()
np.False_
""",
    ),
    "is_unique": Entry(
        "Scalar",
        "Of bool.",
    ),
    "hasnans": Entry(
        "Scalar",
        "Of bool.",
    ),
    "memory_usage": Entry(
        "Scalar",
        "Of int64.",
        """
>>> s.memory_usage(index=False).compute()
np.int64(24)
""",
    ),
    "memory_usage_per_partition": Entry(
        "Series",
        "Bytes for each partition.",
    ),
    "nunique": Entry(
        "Scalar",
        "Of int64.",
        """
>>> s.nunique().compute()
np.int64(3)
""",
    ),
    "quantile": Entry(
        "Scalar or Series",
        "Of float64; a series for a list.",
        """
>>> s.quantile([0.5, 1.0]).compute()
0.5    2.0
1.0    3.0
Name: x, dtype: float64
""",
    ),
    "value_counts": Entry(
        "Series",
        "Of int64, or of float64 with `normalize`; labelled by values.",
        """
>>> s.value_counts().compute()
x
3    1
1    1
2    1
Name: count, dtype: int64
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
    "axes": Entry(
        "list",
        "The lazy index.",
        """
>>> len(s.axes)
1
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
    "index": Entry(
        "Index",
        "Lazy.",
        """
>>> s.index.compute()
Index([0, 1, 2], dtype='int64')
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
    "shape": Entry(
        "tuple",
        "A lazy number.",
        """
>>> s.shape[0].compute()
np.int64(3)
""",
    ),
    "size": Entry(
        "Scalar",
        "Of int64.",
        """
>>> s.size.compute()
np.int64(3)
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
        "The same rows.",
        """
>>> s.sort_values().compute()
1    1
2    2
0    3
Name: x, dtype: int64
""",
    ),
    "squeeze": Entry(
        "Series",
        "The same.",
        """
>>> s.squeeze().compute().tolist()
[3, 1, 2]
""",
    ),
    "to_array": Entry(
        "Array",
        "Of one axis.",
        """
>>> s.to_array().compute()
array([3, 1, 2])
""",
    ),
    "to_dask_array": Entry(
        "Array",
        "Of one axis.",
        """
>>> s.to_dask_array().compute()
array([3, 1, 2])
""",
    ),
    "to_arrow": Entry(
        "pyarrow.ChunkedArray",
        "Computed.",
        """
>>> len(s.to_arrow())
3
""",
    ),
    "to_csv": Entry(
        "list of str",
        "The files that were written.",
        """
>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> len(s.to_csv(folder + '/part-*.csv'))
2
""",
    ),
    "to_json": Entry(
        "list of str",
        "The files that were written.",
        """
>>> import tempfile
>>> folder = tempfile.mkdtemp()
>>> _ = s.to_frame().to_json(folder)
>>> rd.read_json(folder + '/*').x.sum().compute()
np.int64(6)
""",
    ),
    "to_frame": Entry(
        "DataFrame",
        "Of one column.",
        """
>>> s.to_frame().compute()
   x
0  3
1  1
2  2
""",
    ),
    "to_pandas": Entry(
        "pandas.Series",
        "Computed.",
        """
>>> s.to_pandas().tolist()
[3, 1, 2]
""",
    ),
    "to_records": Entry(
        "numpy.recarray",
        "Computed.",
        """
>>> s.to_records(index=False)
rec.array([(3,), (1,), (2,)],
          dtype=[('x', '<i8')])
""",
    ),
    "to_string": Entry(
        "str",
        "Computed.",
        """
>>> print(s.to_string())
0    3
1    1
2    2
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
    "values": Entry(
        "Array",
        "Of one axis, whose block lengths aren't known.",
        """
>>> s.values.compute()
array([3, 1, 2])
""",
    ),
}
