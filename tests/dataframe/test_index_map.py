"""Labels that a function, a dictionary or a series maps: those of pandas, of its type, or a refusal."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LABELS = {
    "range": pd.RangeIndex(4),
    "int64": pd.Index([3, 1, 2, 1], name="k"),
    "float64": pd.Index([1.0, np.nan, 2.0, 1.0]),
    "str": pd.Index(list("abca"), name="k"),
    "bool": pd.Index([True, False, True, True]),
    "object": pd.Index(["a", 1, None, "a"], dtype=object),
    "category": pd.CategoricalIndex(list("abca")),
    "datetime64": pd.date_range("2020", periods=4),
    "UTC": pd.date_range("2020", periods=4, tz="UTC"),
    "timedelta64": pd.timedelta_range(0, periods=4),
    "period": pd.period_range("2020", periods=4, freq="M"),
    "interval": pd.IntervalIndex.from_breaks(range(5)),
    **{dtype: pd.Index([1, 2, 3, 1], dtype=dtype) for dtype in ("uint8", "int16", "uint64", "float32")},
    **{dtype: pd.Index([1, None, 0, 1], dtype=dtype) for dtype in ("Int64", "Float64", "boolean", "int64[pyarrow]")},
    "string": pd.Index(["a", None, "b", "a"], dtype="string"),
    "Arrow text": pd.Index(["a", None, "b", "a"], dtype=pd.ArrowDtype(pa.string())),
}
MAPPERS = {
    "text": lambda labels: {labels[0]: "A", labels[2]: "B"},
    "numbers": lambda labels: {labels[0]: 10, labels[2]: 20},
    "all": lambda labels: {label: at for at, label in enumerate(labels)},
    "floats": lambda labels: {labels[0]: 1.5},
    "nothing": lambda labels: {},
    "tuples": lambda labels: {labels[0]: (1, 2)},
    "series": lambda labels: pd.Series(["A", "B"], index=labels.unique()[:2]),
    "function": lambda labels: str,
    "numbers by a function": lambda labels: lambda label: len(str(label)) % 3,
    "function of tuples": lambda labels: lambda label: (label, 1),
    "times": lambda labels: lambda label: pd.Timestamp("2020"),
}


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("na_action", [None, "ignore"])
@pytest.mark.parametrize("mapper", MAPPERS)
@pytest.mark.parametrize("labels", LABELS)
def test_mapped_labels(labels, mapper, na_action, partitions):
    rows = pd.DataFrame({"x": range(4)}, index=LABELS[labels])
    lazy = rd.from_pandas(rows, npartitions=partitions, sort=False)
    mapper = MAPPERS[mapper](rows.index)
    try:
        expected = rows.index.map(mapper, na_action=na_action)
    except (TypeError, ValueError) as error:
        with pytest.raises((type(error), NotImplementedError)):
            lazy.index.map(mapper, na_action=na_action).compute()
        return
    try:
        found = lazy.index.map(mapper, na_action=na_action)
    except NotImplementedError as refusal:
        assert str(refusal).startswith("map of")
        return
    if expected.dtype == bool:
        assert found.compute().tolist() == expected.tolist()
    else:
        check(found, expected)


@pytest.mark.parametrize("dtype", ["int64", "datetime64[us]", "timedelta64[us]", "str"])
def test_missing_values_that_are_no_keys_may_be_ignored(dtype):
    rows = pd.Series([3, 1, 2, 1]).astype(dtype)
    mapper = {value: at for at, value in enumerate(rows)}
    check(rd.from_pandas(rows, npartitions=2).map(mapper, na_action="ignore"), rows.map(mapper, na_action="ignore"))
