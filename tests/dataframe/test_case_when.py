"""`case_when` gives the type that pandas finds for a series and all that replaces some of its values."""

import itertools

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

VALUES = {
    "int8": [1, 2, 3, 4],
    "int64": [1, 2, 3, 4],
    "float32": [1, 2.5, np.nan, 4],
    "float64": [1, 2.5, np.nan, 4],
    "bool": [True, False, True, False],
    "str": ["a", "b", None, "c"],
    "category": ["a", "b", "a", "b"],
    "Int64": [1, None, 2, 3],
    "boolean": [True, None, False, True],
    "int64[pyarrow]": [1, None, 2, 3],
    "object": ["a", 1, None, 2.5],
    "datetime64[ns]": ["2020-01-01", None, "2021-01-01", "2022-01-01"],
    "timedelta64[us]": [1, 2, 3, None],
}
SCALARS = [5, 2.5, True, "b", "zz", None, np.nan, pd.NA, 300, np.int8(3), np.float32(1.5), pd.Timestamp("2020-05-05")]
REPLACEMENTS = [*SCALARS, *(pd.Series(values, dtype=dtype) for dtype, values in VALUES.items())]


def outcome(make):
    try:
        return make()
    except (TypeError, ValueError) as error:
        return error


@pytest.mark.parametrize("dtype", VALUES)
def test_types_are_those_of_all_values(dtype):
    series = pd.Series(VALUES[dtype], dtype=dtype)
    chosen = pd.Series([True, False, False, True])
    for replacement, parts in itertools.product(REPLACEMENTS, (1, 3)):
        expected = outcome(lambda given=replacement: series.case_when([(chosen, given)]))
        lazy, condition = (rd.from_pandas(rows, npartitions=parts) for rows in (series, chosen))
        given = rd.from_pandas(replacement, npartitions=parts) if isinstance(replacement, pd.Series) else replacement
        found = outcome(
            lambda lazy=lazy, condition=condition, given=given: lazy.case_when([(condition, given)]).compute()
        )
        if isinstance(expected, Exception):
            assert isinstance(found, Exception), (dtype, replacement)
        else:
            pd.testing.assert_series_equal(found, expected)
