"""`loc` by spans of labels and by keys of several levels: the rows that pandas chooses, or its error."""

import itertools

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

KINDS = {
    "integers": lambda n: n,
    "floats": lambda n: np.nan if n is None else n + 0.5,
    "text": lambda n: None if n is None else "abcdefghijkl"[n + 1],
    "times": lambda n: pd.NaT if n is None else pd.Timestamp("2020-01-02") + pd.Timedelta(days=n),
}
ORDERS = {
    "sorted": [[0, 0, 2], [4, 5, 7], [8, 9]],
    "unsorted": [[2, 0, 1], [5, 4, 7], [8, 9]],
    "first unsorted": [[1, 0, 2], [4, 5, 7], [8, 9]],
    "repeated": [[0, 2, 0], [4, 4, 7], [8, 9]],
}
NO_END = object()
ENDS = [NO_END, 0, 3, 5, 10]


def assert_same(call, rows, lazy):
    """Assert that a call gives what it gives in pandas, or raises such an error."""
    try:
        expected = call(rows)
    except Exception as error:
        with pytest.raises(type(error)):
            call(lazy).compute()
        return
    if np.ndim(expected) == rows.ndim:  # one label alone gives the rows that have it
        check(call(lazy).compute(), expected)


def spans(label):
    for ends in itertools.product(ENDS, ENDS):
        yield slice(*(None if end is NO_END else label(end) for end in ends))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ORDERS)
def test_divisions_that_were_said(kind, order):
    label = KINDS[kind]
    parts = [pd.DataFrame({"v": range(len(part))}, [label(n) for n in part]) for part in ORDERS[order]]
    divisions = [label(n) for n in (0, 4, 8, 9)]
    lazy = rd.from_map(lambda at: parts[at], [0, 1, 2], meta=parts[0].iloc[:0], divisions=divisions)
    for span in spans(label):
        assert_same(lambda rows, span=span: rows.loc[span], pd.concat(parts), lazy)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "integers"])
@pytest.mark.parametrize("how", ["sort_index", "set_index", "from_pandas"])
def test_missing_labels_behind_those_in_order(kind, how):
    label = KINDS[kind]
    rows = pd.DataFrame({"v": range(7)}, pd.Index([label(n) for n in [3, None, 1, 5, None, 2, 2]], name="k"))
    ordered = rows.sort_index(kind="stable")
    lazy = {
        "sort_index": lambda: rd.from_pandas(rows, npartitions=3, sort=False).sort_index(),
        "set_index": lambda: rd.from_pandas(rows.reset_index(), npartitions=3).set_index("k"),
        "from_pandas": lambda: rd.from_pandas(rows, npartitions=3),
    }[how]()
    for span in spans(label):
        assert_same(lambda rows, span=span: rows.loc[span], ordered, lazy)


PARTS = [("a", ["a", "b"], slice("a", "b"), slice(None)), (1, [1, 2], slice(1, 2), slice(None)),
         ("x", ["x"], slice("x", "y"), slice(None))]  # fmt: skip


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("form", ["series", "frame", "frame and columns"])
def test_keys_of_levels(depth, form):
    labels = pd.MultiIndex.from_product([list("abc"), [1, 2], ["x", "y"]][:depth], names=list("ABC")[:depth])
    for index in (labels, labels.repeat(2))[: 4 - depth]:
        rows = pd.Series(range(len(index)), index, name="v")
        rows = rows if form == "series" else rows.to_frame()
        lazy = rd.from_pandas(rows, npartitions=2, sort=False)
        for count in range(1, depth + 1):
            for key in itertools.product(*PARTS[:count]):
                call = lambda o, key=key: o.loc[key, :] if form == "frame and columns" else o.loc[key]
                assert_same(call, rows, lazy)


def test_a_column_that_may_be_a_label():
    index = pd.MultiIndex.from_product([list("ab"), ["v", "w"]])
    rows = pd.DataFrame({"v": range(4), "u": 1}, index)
    lazy = rd.from_pandas(rows, npartitions=2, sort=False)
    assert_same(lambda o: o.loc["a", "u"], rows, lazy)
    assert_same(lambda o: o.loc[("a", slice(None)), "v"], rows, lazy)
    with pytest.raises(NotImplementedError, match="both are a row label"):
        lazy.loc["a", "v"].compute()
