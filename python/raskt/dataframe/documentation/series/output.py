"""What series become: files, texts, arrays, frames."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import Entry

__all__ = ["OUTPUT"]

OUTPUT: dict[str, Entry] = {
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
    "values": Entry(
        "Array",
        "Of one axis, whose block lengths aren't known.",
        """
>>> s.values.compute()
array([3, 1, 2])
""",
    ),
}
