"""Functions of the package."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["FUNCTIONS", "PRELUDE"]

PRELUDE = """\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
""".strip()

FUNCTIONS: dict[str, Entry] = {
    "compute": Entry(
        "tuple",
        "What each of them computes to.",
        """
>>> rd.compute(df.x.sum(), df.x.max())
(np.int64(3), np.int64(2))
""",
    ),
    "concat": Entry(
        "DataFrame or Series",
        "The rows of all, or with `axis=1` the columns of all.",
        """
>>> rd.concat([df, df]).compute()
   k  x
0  a  1
1  b  2
0  a  1
1  b  2
""",
        raises={"TypeError": "For anything but frames and series."},
    ),
    "from_array": Entry(
        "DataFrame or Series",
        "A partition for each block.",
        """
>>> import numpy as np
>>> rd.from_array(np.arange(4).reshape(2, 2), columns=['a', 'b']).compute()
   a  b
0  0  1
1  2  3
""",
    ),
    "from_dask_array": Entry(
        "DataFrame or Series",
        "A partition for each block.",
        """
>>> import raskt.array as ra
>>> rd.from_dask_array(ra.arange(3, chunks=2)).compute()
0    0
1    1
2    2
dtype: int64
""",
    ),
    "from_delayed": Entry(
        "DataFrame or Series",
        "A partition for each of them.",
        """
>>> import raskt
>>> rd.from_delayed([raskt.delayed(pdf)], meta=pdf).compute()
   k  x
0  a  1
1  b  2
""",
    ),
    "from_dict": Entry(
        "DataFrame",
        "The rows in order.",
        """
>>> rd.from_dict({'x': [1, 2]}, npartitions=1).compute()
   x
0  1
1  2
""",
    ),
    "from_map": Entry(
        "DataFrame or Series",
        "A partition for each item.",
        """
>>> rd.from_map(lambda n: pd.DataFrame({'x': [n]}), [1, 2]).compute()
   x
0  1
0  2
""",
    ),
    "from_pandas": Entry(
        "DataFrame or Series",
        "The rows, in partitions of about equal length; sorted by label unless `sort=False`.",
        """
>>> rd.from_pandas(pdf, npartitions=2).npartitions
2
""",
    ),
    "get_collection_type": Entry(
        "type",
        "DataFrame, Series, Index or Scalar.",
        """
>>> rd.get_collection_type(pdf).__name__
'DataFrame'
""",
    ),
    "get_dummies": Entry(
        "DataFrame",
        "The same rows; a column for each category.",
        """
>>> rd.get_dummies(df.categorize()).compute()
   x    k_a    k_b
0  1   True  False
1  2  False   True
""",
        raises={"NotImplementedError": "For columns of text, whose categories aren't known: `categorize` first."},
    ),
    "isna": Entry(
        "DataFrame, Series or Index",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> rd.isna(df).compute()
       k      x
0  False  False
1  False  False
""",
    ),
    "map_overlap": Entry(
        "DataFrame or Series",
        "What `meta`, or a trial, says that the function gives.",
        """
>>> rd.map_overlap(lambda part: part.rolling(2).sum(), df[['x']], 1, 0).compute()
     x
0  NaN
1  3.0
""",
    ),
    "map_partitions": Entry(
        "DataFrame or Series",
        "What `meta`, or a trial, says that the function gives.",
        """
>>> rd.map_partitions(lambda part: part.x * 2, df).compute()
0    2
1    4
Name: x, dtype: int64
""",
    ),
    "melt": Entry(
        "DataFrame",
        "A row for each value.",
        """
>>> rd.melt(df, id_vars=['k']).compute()
   k variable  value
0  a        x      1
1  b        x      2
""",
    ),
    "merge": Entry(
        "DataFrame",
        "A row for each pair of rows with equal keys.",
        """
>>> rd.merge(df, df, on='k').compute()
   k  x_x  x_y
0  a    1    1
1  b    2    2
""",
    ),
    "merge_asof": Entry(
        "DataFrame",
        "A row for each row of the left side.",
    ),
    "pivot_table": Entry(
        "DataFrame",
        "A row for each value of `index`, a column for each of `columns`.",
        """
>>> table = rd.pivot_table(df.categorize(['k']), index='x', columns='k', values='x', aggfunc='sum')
>>> table.compute().to_numpy().tolist()
[[1.0, nan], [nan, 2.0]]
""",
    ),
    "read_csv": Entry(
        "DataFrame",
        "Rows of all files, numbered through; types by all rows.",
        """
>>> rd.read_csv(folder / '*.csv').compute()
   k  x
0  a  1
1  b  2
""",
        raises={"FileNotFoundError": "If there is no such file."},
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "read_table": Entry(
        "DataFrame",
        "Rows of all files, numbered through; types by all rows.",
        """
>>> rd.read_table(folder / '*.csv', sep=',').compute()
   k  x
0  a  1
1  b  2
""",
        raises={"FileNotFoundError": "If there is no such file."},
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "read_fwf": Entry(
        "DataFrame",
        "A partition for each file.",
        """
>>> _ = (folder / 'a.txt').write_text('k x\\na 1\\n')
>>> rd.read_fwf(folder / '*.txt').compute()
   k  x
0  a  1
""",
        raises={"FileNotFoundError": "If there is no such file."},
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "read_json": Entry(
        "DataFrame",
        "A partition for each file.",
        """
>>> _ = (folder / 'a.json').write_text('{"x": 1}\\n{"x": 2}\\n')
>>> rd.read_json(folder / '*.json').compute()
   x
0  1
1  2
""",
        raises={"FileNotFoundError": "If there is no such file."},
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "read_orc": Entry(
        "DataFrame",
        "A partition for each file.",
        """
>>> _ = df.to_orc(folder / 'orc')
>>> rd.read_orc(folder / 'orc').compute()
   k  x
0  a  1
1  b  2
""",
        raises={"FileNotFoundError": "If there is no such file."},
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "read_parquet": Entry(
        "DataFrame",
        "The rows of all files; the index that pandas noted in them.",
        """
>>> _ = df.to_parquet(folder / 'it')
>>> rd.read_parquet(folder / 'it').compute()
   k  x
0  a  1
1  b  2
""",
        raises={"FileNotFoundError": "If there is no such file."},
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "read_sql": Entry(
        "DataFrame",
        "A partition for each range of the index.",
    ),
    "read_sql_query": Entry(
        "DataFrame",
        "A partition for each range of the index.",
    ),
    "read_sql_table": Entry(
        "DataFrame",
        "A partition for each range of the index.",
    ),
    "read_hdf": Entry(
        "DataFrame",
        "",
    ),
    "repartition": Entry(
        "DataFrame or Series",
        "The same rows in other partitions.",
        """
>>> rd.repartition(df, npartitions=1).npartitions
1
""",
    ),
    "to_csv": Entry(
        "list of str",
        "The files that were written.",
        """
>>> len(rd.to_csv(df, folder / 'part-*.csv'))
1
""",
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "to_json": Entry(
        "list of str",
        "The files that were written.",
        """
>>> len(rd.to_json(df, folder / 'json'))
1
""",
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "to_orc": Entry(
        "None",
        "Nothing.",
        """
>>> _ = rd.to_orc(df, folder / 'orc')
""",
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "to_parquet": Entry(
        "None",
        "Nothing.",
        """
>>> _ = rd.to_parquet(df, folder / 'it')
""",
        prelude="""\
>>> pdf = pd.DataFrame({"k": ["a", "b"], "x": [1, 2]})
>>> df = rd.from_pandas(pdf, npartitions=1)
>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "one.csv").write_text("k,x\\na,1\\nb,2\\n")
""".strip(),
    ),
    "to_records": Entry(
        "numpy.recarray",
        "Computed.",
        """
>>> rd.to_records(df)
rec.array([('a', 1), ('b', 2)],
          dtype=[('k', 'O'), ('x', '<i8')])
""",
    ),
    "to_datetime": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of times.",
        """
>>> rd.to_datetime(rd.from_pandas(pd.Series(['2020-01-01']), npartitions=1)).compute()
0   2020-01-01
dtype: datetime64[us]
""",
    ),
    "to_numeric": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of numbers.",
        """
>>> rd.to_numeric(rd.from_pandas(pd.Series(['1.5', '2']), npartitions=1)).compute()
0    1.5
1    2.0
dtype: float64
""",
    ),
    "to_timedelta": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of durations.",
        """
>>> rd.to_timedelta(df.x, unit='s').compute()
0   0 days 00:00:01
1   0 days 00:00:02
Name: x, dtype: timedelta64[us]
""",
    ),
    "to_bag": Entry(
        "Bag",
        "",
    ),
}
