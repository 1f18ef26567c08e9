"""Python functions of columns that need other rows, combined with columns of the partitions they came in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

WINDOWS = {
    "shift": lambda column: column.shift(1),
    "no shift": lambda column: column.shift(0),
    "ffill": lambda column: column.ffill(),
    "bfill": lambda column: column.bfill(),
}
USES = {
    "mask": lambda frame, mapped: frame[mapped > 3],
    "column": lambda frame, mapped: frame.assign(new=mapped),
    "both": lambda frame, mapped: frame.assign(new=mapped)[mapped.notna()],
    "sum": lambda frame, mapped: frame.assign(new=mapped + frame["local"]),
    "where": lambda frame, mapped: frame.assign(new=frame["local"].where(mapped > 3)),
}
FUNCTIONS = {
    "map": lambda frame, window: window(frame["values"]).map(add_one),
    "objects": lambda frame, window: (window(frame["values"]) != frame["objects"]) * 5.0,
    "Arrow": lambda frame, window: (window(frame["values"]) + frame["arrow"]).astype(float),
    "text": lambda frame, window: window(frame["text"]).str.normalize("NFC").str.len() * 2.0,
}
BOUNDS = [[0, 1, 12], [0, 0, 5, 5, 6, 12], [0, 9, 10, 11, 12]]


def add_one(values):
    return len(str(values)) + 1.0


def rows() -> pd.DataFrame:
    values = np.where(np.arange(12) % 4, np.arange(12) / 2, np.nan)
    text = pd.Series(["w" * (at % 5) for at in range(12)])
    return pd.DataFrame(
        {
            "local": np.arange(12) * 1.5,
            "values": values,
            "text": text,
            "objects": text.astype(object),
            "arrow": pd.array([None, *range(11)], dtype="int64[pyarrow]"),
        }
    )


def source(kind: str, frame: pd.DataFrame, bounds: list[int]):
    parts = [frame.iloc[start:stop] for start, stop in zip(bounds[:-1], bounds[1:], strict=True)]
    if kind == "unknown":
        return rd.from_map(lambda part: part, parts, meta=frame.iloc[:0])
    if kind == "filtered":
        lazy = rd.from_map(lambda part: part, parts, meta=frame.iloc[:0])
        return lazy[lazy["local"] < 99]
    return rd.concat([rd.from_pandas(part, npartitions=1) for part in parts])


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("kind", ["unknown", "filtered", "known"])
def test_a_mapped_window_meets_the_rows_that_it_is_of(kind, window, use, function):
    expected = rows()
    for bounds in BOUNDS:
        lazy = source(kind, expected, bounds)
        mapped = FUNCTIONS[function](lazy, WINDOWS[window])
        wanted = USES[use](expected, FUNCTIONS[function](expected, WINDOWS[window]))
        pd.testing.assert_frame_equal(USES[use](lazy, mapped).compute(), wanted)
