"""Rows lie as divisions say, whatever reads them: each partition, all of them, or functions of both."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

LABELS = {
    "ints": [3, 1, 2, 0, 7, 5, 6, 4],
    "repeated": [3, 1, 1, 0, 5, 5, 6, 5],
    "floats": [2.5, 1.0, 0.5, 2.0, 7.5, 4.0, 4.5, 7.0],
    "text": ["d", "b", "c", "a", "h", "f", "g", "e"],
    "times": pd.Timestamp("2020") + pd.to_timedelta([3, 1, 2, 0, 7, 5, 6, 4], unit="h"),
    "sorted": [0, 1, 2, 3, 4, 5, 6, 7],
}


def rows(labels) -> pd.DataFrame:
    return pd.DataFrame({"x": np.arange(8) * 10, "y": np.arange(8) % 3}, index=pd.Index(labels))


def in_pieces(frame: pd.DataFrame, divisions) -> list[pd.DataFrame]:
    """The rows between divisions, in the order that they had."""
    bounds = zip(divisions[:-1], divisions[1:], strict=True)
    labels = frame.index
    pieces = [frame[(labels >= low) & (labels < high)] for low, high in bounds]
    last = (labels >= divisions[-2]) & (labels <= divisions[-1])
    return [*pieces[:-1], frame[last]]


def cut(kind: str, frame: pd.DataFrame, divisions):
    if kind == "set_index":
        lazy = rd.from_pandas(frame.reset_index(names="label"), npartitions=3)
        return lazy.set_index("label", sort=False, divisions=divisions)
    halves = [frame.iloc[:4], frame.iloc[4:]]
    known = (frame.index.min(), halves[1].index.min(), frame.index.max())
    return rd.from_map(lambda half: half, halves, meta=frame.iloc[:0], divisions=known).repartition(divisions)


@pytest.mark.parametrize("kind", ["set_index", "repartition"])
@pytest.mark.parametrize("labels", LABELS)
def test_rows_lie_in_their_partitions_whoever_reads_them(labels, kind):
    frame = rows(LABELS[labels])
    found = sorted(set(frame.index))
    for at in ([0, 2, -1], [0, 1, 3, 4, -1], [0, -1]):
        divisions = [found[one] for one in at]
        pieces = in_pieces(frame, divisions)
        expected = pd.concat(pieces).rename_axis("label" if kind == "set_index" else None)
        lazy = cut(kind, frame, divisions)
        pd.testing.assert_frame_equal(lazy.compute(), expected)
        pd.testing.assert_frame_equal(lazy.persist().compute(), expected)
        assert lazy.map_partitions(len).compute().tolist() == [len(piece) for piece in pieces]
        same = lazy["x"].map(lambda value: value)
        assert (lazy["x"] - same).compute().tolist() == [0] * 8
        assert (lazy["x"] * same).sum().compute() == (frame["x"] ** 2).sum()
        pd.testing.assert_frame_equal(lazy[same > 30].compute(), expected[expected["x"] > 30])
        summed = lazy["x"].cumsum()
        assert summed.compute().tolist() == expected["x"].cumsum().tolist()
        assert lazy.assign(m=summed.map(float)).compute()["m"].tolist() == expected["x"].cumsum().tolist()
        assert lazy.assign(m=summed).map_partitions(len).compute().tolist() == [len(piece) for piece in pieces]


@pytest.mark.parametrize("labels", ["ints", "repeated", "floats", "text", "times", "sorted"])
def test_spans_of_labels_are_pandas(labels):
    frame = rows(LABELS[labels])
    halves = [frame.iloc[:4], frame.iloc[4:]]
    divisions = (frame.index.min(), halves[1].index.min(), frame.index.max())
    lazy = rd.from_map(lambda half: half, halves, meta=frame.iloc[:0], divisions=divisions)
    found = sorted(set(frame.index))
    for low, high in ((2, 4), (0, 3), (1, -1)):
        span = slice(found[low], found[high])
        try:
            expected = frame.loc[span]
        except KeyError:  # which of the equal labels is meant
            with pytest.raises(KeyError):
                lazy.loc[span].compute()
            continue
        pd.testing.assert_frame_equal(lazy.loc[span].compute(), expected)
        pd.testing.assert_frame_equal(lazy.persist().loc[span].compute(), expected)


def test_divisions_that_are_not_true_are_told():
    parts = [pd.DataFrame({"x": [1, 2]}, index=[0, 5]), pd.DataFrame({"x": [3, 4]}, index=[2, 6])]
    lazy = rd.from_map(lambda part: part, parts, meta=parts[0].iloc[:0], divisions=(0, 3, 6))
    summed = lazy.assign(m=lazy["x"].cumsum().map(lambda value: value))
    with pytest.raises(ValueError, match="outside of its division"):
        summed.compute()


def test_divisions_are_labels_that_compare():
    with pytest.raises(ValueError, match="ascending|sorted"):
        rd.from_pandas(rows(LABELS["floats"]), npartitions=2).repartition([0.5, float("nan"), 7.5])


WINDOWS = {
    "cumsum": lambda rows: rows["x"].cumsum(),
    "shift": lambda rows: rows["x"].shift(1),
    "diff": lambda rows: rows["x"].diff(),
    "ffill": lambda rows: rows["x"].where(rows["x"] > 1).ffill(),
    "rank": lambda rows: rows["x"].rank(),
    "number in group": lambda rows: rows.groupby("y")["x"].cumcount(),
    "rows before": lambda rows: rows["x"] - rows["x"].mean(),
}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("labels", ["ints", "repeated", "floats", "text", "times", "sorted"])
def test_columns_that_look_at_other_rows_are_of_the_order_before_a_cut(labels, window):
    frame = rows(LABELS[labels]).astype({"x": float})
    halves = [frame.iloc[:4], frame.iloc[4:]]
    divisions = (frame.index.min(), halves[1].index.min(), frame.index.max())
    lazy = rd.from_map(lambda half: half, halves, meta=frame.iloc[:0], divisions=divisions)
    lazy, expected = lazy.assign(q=WINDOWS[window](lazy)), frame.assign(q=WINDOWS[window](frame))
    found = sorted(set(frame.index))
    cut = [found[0], found[2], found[3], found[-1]]
    wanted = pd.concat(in_pieces(expected, cut))
    pd.testing.assert_frame_equal(lazy.repartition(cut).compute(), wanted)
    pd.testing.assert_frame_equal(lazy.repartition(cut).persist().compute(), wanted)
    meta = pd.Series([], frame.index[:0], float, "q")
    joined = lazy.map_partitions(lambda part, other: part["q"] * 1.0, lazy.repartition(cut), meta=meta)
    assert joined.compute().dropna().sum() == pytest.approx(expected["q"].dropna().sum())
