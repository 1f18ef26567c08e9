"""What is done with row labels gives row labels, as many of them, of the types that pandas gives."""

import itertools

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

LABELS = {
    "numbers": pd.Index([3, 1, 2, 2], name="n"),
    "small": pd.Index([3, 1, 2, 2], dtype="int8"),
    "truths": pd.Index([True, False, True, True]),
    "text": pd.Index(["b", "a", None, "cc"], name="w"),
    "floats": pd.Index([0.5, np.nan, 2.0, 0.5]),
    "times": pd.date_range("2020", periods=4, freq="6h", name="t"),
    "spans": pd.timedelta_range("1h", periods=4, freq="30min"),
    "nullable": pd.Index(pd.array([1, 2, None, 2], dtype="Int64"), name="i"),
    "categories": pd.CategoricalIndex(["x", "y", "x", "z"]),
}
OPERATIONS = {
    "map to nothing": lambda df: df.index.map({}),
    "map to text": lambda df: df.index.map(lambda label: "a"),
    "where": lambda df: df.index.where(df.x > 1),
    "objects": lambda df: df.index.astype(object),
    "text": lambda df: df.index.astype(str),
    "category": lambda df: df.index.astype("category"),
    "backwards": lambda df: df.index[::-1],
    "each second": lambda df: df.index[::2],
    "by position": lambda df: df.index[[2, 0]],
    "part": lambda df: df.index[1:3],
    "least": lambda df: df.index.min(),
    "greatest": lambda df: df.index.max(),
    "round": lambda df: df.index.round(),
    "diff": lambda df: df.index.diff(),
    "fill": lambda df: df.index.fillna(df.index.dtype.type(0) if df.index.dtype.kind in "iuf" else "q"),
}
TEXTS = {
    "upper": lambda text: text.upper(),
    "len": lambda text: text.len(),
    "get": lambda text: text[0],
    "split": lambda text: text.split("a"),
    "zfill": lambda text: text.zfill(3),
    "repeat": lambda text: text.repeat(2),
    "find": lambda text: text.find("a"),
    "removesuffix": lambda text: text.removesuffix("b"),
    "joined": lambda text: text.cat(sep="-"),
}


def frames(labels, npartitions):
    rows = pd.DataFrame({"x": [1, 2, 3, 4]}, index=labels)
    return rows, rd.from_pandas(rows, npartitions=npartitions, sort=False)


#: Truth values of labels are a series, and nullable ones that nothing is left of have another type.
APART = [("truths", "round"), ("truths", "fill"), ("nullable", "map to nothing"), ("nullable", "map to text")]


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize(
    ("kind", "operation"), [pair for pair in itertools.product(LABELS, OPERATIONS) if pair not in APART]
)
def test_labels_of_labels(kind, operation, npartitions):
    rows, lazy = frames(LABELS[kind], npartitions)
    call = OPERATIONS[operation]
    try:
        expected = call(rows)
    except (TypeError, ValueError, NotImplementedError):
        with pytest.raises((TypeError, ValueError, NotImplementedError)):
            call(lazy).compute()
        return
    if isinstance(expected, np.ndarray):
        expected = pd.Index(expected)
    try:
        found = call(lazy).compute()
    except NotImplementedError:
        return  # refused by a sentence
    check(found, expected)


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("operation", TEXTS)
def test_methods_of_text_give_labels(operation, npartitions):
    rows, lazy = frames(LABELS["text"], npartitions)
    check(TEXTS[operation](lazy.index.str), TEXTS[operation](rows.index.str))


@pytest.mark.parametrize("periods", [1, -2])
@pytest.mark.parametrize("freq", [None, "D"])
@pytest.mark.parametrize("kind", LABELS)
def test_times_are_shifted_by_steps(kind, periods, freq):
    rows, lazy = frames(LABELS[kind], 2)
    if kind not in ("times", "spans"):
        with pytest.raises(NotImplementedError, match="only implemented for DatetimeIndex"):
            lazy.index.shift(periods, freq)
        return
    expected = rows.index.shift(periods, freq)
    found = lazy.index.shift(periods, freq).compute()
    check(found, expected)
    assert found.freq == expected.freq


@pytest.mark.parametrize("npartitions", [1, 2])
def test_nullable_labels_choose_rows(npartitions):
    rows, lazy = frames(LABELS["nullable"], npartitions)
    check(lazy[lazy.index.isin([2])], rows[rows.index.isin([2])])
    check(lazy[(lazy.index == 2).fillna(False)], rows[(pd.Series(rows.index == 2).fillna(False)).to_numpy()])


@pytest.mark.parametrize("kind", ["numbers", "text", "floats", "times", "spans", "nullable"])
@pytest.mark.parametrize("npartitions", [1, 3])
def test_labels_are_chosen_by_an_array(kind, npartitions):
    theirs, own = frames(LABELS[kind], npartitions)
    marks = np.array([True, False, True, False])
    for cond in (marks, ~marks, list(marks), pd.Series(marks).to_numpy()):
        for other in ((), (theirs.index[0],)):
            expected = theirs.index.where(cond, *other)
            try:
                found = own.index.where(cond, *other).compute()
            except NotImplementedError:
                continue
            check(found, expected)
    check(own.index.where(marks, theirs.index[0]), theirs.index.where(marks, theirs.index[0]))
