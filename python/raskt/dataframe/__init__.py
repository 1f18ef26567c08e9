"""Partitioned dataframes: the names of pandas, lazily, in parallel, on a native engine.

A frame holds a plan. Choosing columns and rows, arithmetic, joins, group-by and sorting add to the plan at once and
cheaply, with errors at the call; `compute()` optimises the plan, pushes choices into the files, runs it on all threads
and gives a pandas object. What has no native form runs in pandas on each partition, and `explain()` says so.

>>> import pandas as pd
>>> import raskt.dataframe as rd
>>> df = rd.from_pandas(pd.DataFrame({"k": ["a", "b", "a"], "x": [1.0, 2.0, 4.0]}), npartitions=2)
>>> df.groupby("k")["x"].mean().compute().to_dict()
{'a': 2.5, 'b': 2.0}
"""

from __future__ import annotations

from .documentation import document_package as _document_package
from .frame.asof import merge_asof
from .frame.frame import DataFrame
from .frame.joins import merge
from .functions import (
    compute,
    get_collection_type,
    get_dummies,
    isna,
    map_overlap,
    map_partitions,
    melt,
    pivot_table,
    repartition,
    to_datetime,
    to_numeric,
    to_timedelta,
)
from .generic.scalar import Scalar
from .groupby.aggregations import Aggregation
from .groupby.groupby import DataFrameGroupBy, GroupBy, SeriesGroupBy
from .index.index import Index
from .index.multi import MultiIndex
from .io.creation import from_array, from_dask_array, from_delayed, from_dict, from_map, from_pandas
from .io.csv import read_csv, read_table
from .io.memory import to_records
from .io.parquet import read_parquet
from .io.read import read_fwf, read_hdf, read_json, read_orc
from .io.write import to_csv, to_json, to_orc
from .io.write_parquet import to_parquet
from .reshape.concat import concat
from .series.series import Series
from .window.resample import Resampler
from .window.rolling import Rolling

__all__ = [
    "Aggregation",
    "DataFrame",
    "DataFrameGroupBy",
    "GroupBy",
    "Index",
    "MultiIndex",
    "Resampler",
    "Rolling",
    "Scalar",
    "Series",
    "SeriesGroupBy",
    "compute",
    "concat",
    "from_array",
    "from_dask_array",
    "from_delayed",
    "from_dict",
    "from_map",
    "from_pandas",
    "get_collection_type",
    "get_dummies",
    "isna",
    "map_overlap",
    "map_partitions",
    "melt",
    "merge",
    "merge_asof",
    "pivot_table",
    "read_csv",
    "read_fwf",
    "read_hdf",
    "read_json",
    "read_orc",
    "read_parquet",
    "read_table",
    "repartition",
    "to_csv",
    "to_datetime",
    "to_json",
    "to_numeric",
    "to_orc",
    "to_parquet",
    "to_records",
    "to_timedelta",
]

_document_package({name: globals()[name] for name in __all__})
