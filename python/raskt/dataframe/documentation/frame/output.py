"""What frames become: files, texts, arrays."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["OUTPUT"]

OUTPUT: dict[str, Entry] = {
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
    "from_dict": Entry(
        "DataFrame",
        "Of `npartitions` equal parts.",
        """
>>> rd.DataFrame.from_dict({"x": [1, 2], "y": [3, 4]}).compute().values.tolist()
[[1, 3], [2, 4]]
""",
        parameters={
            "data": "dict: Columns, or with `orient` rows.",
            "columns": 'list of label: The names of columns, with `orient="index"`.',
        },
    ),
}
