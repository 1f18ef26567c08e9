"""The documentation of each public name, in numpydoc form.

Functions say in a sentence what they do, where they stand. What is told of many in the same way stands here: the
meaning of parameters (`parameters.py`), and by family what is returned and raised, with examples that run as tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from raskt.dataframe.accessors.categories import CategoricalMethods
from raskt.dataframe.accessors.datetimes import DatetimeMethods
from raskt.dataframe.accessors.strings import StringMethods
from raskt.dataframe.documentation import (
    categories,
    datetimes,
    elementwise,
    frame,
    functions,
    groupby,
    index,
    levels,
    operators,
    partitions,
    reductions,
    resampling,
    scalar,
    series,
    strings,
    windows,
)
from raskt.dataframe.documentation.entry import document
from raskt.dataframe.window.exponential import ExponentialStatistics
from raskt.dataframe.window.grouped import GroupedWindows
from raskt.dataframe.window.rolling import Window

__all__ = ["document_package"]


def document_package(names: Mapping[str, Any]) -> None:
    """Complete the docstrings of `raskt.dataframe`: of its classes, given by name, of accessors and functions."""
    shared = [
        (elementwise.ELEMENTWISE, elementwise.PRELUDE),
        (operators.OPERATORS, operators.PRELUDE),
        (reductions.REDUCTIONS, reductions.PRELUDE),
        (partitions.PARTITIONS, partitions.PRELUDE),
        (levels.LEVELS, levels.PRELUDE),
    ]
    of_series = (series.SERIES, series.PRELUDE)
    families = {
        names["DataFrame"]: [(frame.FRAME, frame.PRELUDE), *shared],
        names["Series"]: [of_series, *shared],
        names["Index"]: [(index.INDEX, index.PRELUDE), of_series, *shared],
        names["MultiIndex"]: [(series.SERIES, series.PRELUDE), *shared],
        names["Scalar"]: [(scalar.SCALAR, scalar.PRELUDE), *shared],
        names["DataFrameGroupBy"]: [(groupby.GROUPBY, groupby.PRELUDE)],
        names["SeriesGroupBy"]: [(groupby.GROUPBY, groupby.PRELUDE)],
        names["Rolling"]: [(windows.WINDOWS, windows.PRELUDE)],
        ExponentialStatistics: [(windows.FADING, windows.PRELUDE)],
        Window: [(windows.WEIGHTED, windows.PRELUDE)],
        GroupedWindows: [(windows.GROUPED, windows.PRELUDE)],
        names["Resampler"]: [(resampling.RESAMPLING, resampling.PRELUDE)],
        StringMethods: [(strings.STRINGS, strings.PRELUDE)],
        DatetimeMethods: [(datetimes.DATETIMES, datetimes.PRELUDE)],
        CategoricalMethods: [(categories.CATEGORIES, categories.PRELUDE)],
    }
    for owner, tables in families.items():
        for entries, prelude in tables:
            document(owner, entries, prelude)
    document(SimpleNamespace(**names), functions.FUNCTIONS, functions.PRELUDE)
