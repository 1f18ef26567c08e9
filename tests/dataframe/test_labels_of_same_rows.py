"""The same rows under other labels: pandas brings rows together by labels, whatever plan they come from."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

ROWS = 8
TABLE = pd.DataFrame(
    {
        "i": [1, 0, 2, 3, 5, 4, 7, 6],
        "f": [1.5, np.nan, -2.0, 0.5, np.nan, 3.0, 7.0, 8.0],
        "w": [30, 10, 20, 70, 50, 40, 60, 0],
        "g": list("abacabac"),
    }
)
INDEXES = {
    "numbered": pd.RangeIndex(ROWS),
    "scattered": pd.Index([3, 0, 5, 1, 9, 2, 8, 7], name="k"),
    "times": pd.date_range("2021-01-01", periods=ROWS, freq="7h"),
}


def keep_order(frame, key):
    options = {"drop": not isinstance(key, list)}
    return (
        frame.set_index(key, **options)
        if isinstance(frame, pd.DataFrame)
        else frame.set_index(key, sort=False, **options)
    )


RELABELLED = {
    "renumbered": lambda x: x.reset_index(drop=True),
    "column": lambda x: keep_order(x, "i"),
    "series": lambda x: keep_order(x, (x["w"] // 10).rename("z")),
    "two levels": lambda x: keep_order(x, ["i", "g"]).droplevel(1),
    "named": lambda x: x.rename_axis("other"),
}
OPERATIONS = {
    "assign": lambda lib, x, y: x.assign(new=y["f"]),
    "item": lambda lib, x, y: with_column(x, y["w"] * 2.0),
    "add": lambda lib, x, y: x["f"] + y["w"],
    "add frames": lambda lib, x, y: x[["f", "w"]] + y[["f", "w"]],
    "add by rows": lambda lib, x, y: x[["f"]].add(y["w"], axis=0),
    "fill_value": lambda lib, x, y: x["f"].add(y["f"], fill_value=0),
    "compare": lambda lib, x, y: x["w"] > y["w"],
    "eq": lambda lib, x, y: x["w"].eq(y["w"]),
    "lt": lambda lib, x, y: x["w"].lt(y["w"]),
    "where": lambda lib, x, y: x["f"].where(y["w"] > 20, y["f"]),
    "mask": lambda lib, x, y: x[["f"]].mask(y["w"] > 20),
    "fillna": lambda lib, x, y: x["f"].fillna(y["w"]),
    "choose": lambda lib, x, y: x[y["w"] > 20],
    "loc": lambda lib, x, y: x.loc[y["w"] > 20, ["f"]],
    "concat": lambda lib, x, y: lib.concat([x["f"], y["f"].rename("b")], axis=1),
    "groupby": lambda lib, x, y: x.groupby(y["g"])["f"].sum(),
    "join": lambda lib, x, y: x[["f"]].join(y[["g"]]),
    "corr": lambda lib, x, y: x["f"].corr(y["f"]),
    "cov": lambda lib, x, y: x["w"].cov(y["f"]),
    "dot": lambda lib, x, y: x["w"].dot(y["w"]),
    "combine": lambda lib, x, y: x["f"].combine(y["f"], max),
    "combine_first": lambda lib, x, y: x[["f"]].combine_first(y[["f"]]),
    "clip": lambda lib, x, y: x["f"].clip(y["f"]),
    "between": lambda lib, x, y: x["w"].between(y["w"], y["w"]),
    "differences": lambda lib, x, y: x["w"].compare(y["w"]),
    "ufunc": lambda lib, x, y: np.maximum(x["f"], y["f"]),
    "text": lambda lib, x, y: x["g"].str.cat(y["g"], na_rep="-"),
    "set_index": lambda lib, x, y: keep_order(x, y["w"])["f"],
}


def with_column(frame, values):
    frame = frame.copy()
    frame["new"] = values
    return frame


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("labels", INDEXES)
@pytest.mark.parametrize("change", RELABELLED)
@pytest.mark.parametrize("name", OPERATIONS)
def test_labels_bring_rows_together(name, change, labels, partitions):
    table = TABLE.set_axis(INDEXES[labels])
    lazy = rd.from_pandas(table, npartitions=partitions, sort=False)
    call = lambda lib, x: OPERATIONS[name](lib, x, RELABELLED[change](x))
    try:
        expected = call(pd, table)
    except Exception as error:
        # pandas trips over itself where a mask of other labels stands before columns.
        with pytest.raises(Exception if isinstance(error, AssertionError) else type(error)):
            call(rd, lazy).compute()
        return
    check(call(rd, lazy), expected)


NUMBERED = {
    "filtered": lambda x: x[x["w"] > 15].reset_index(drop=True),
    "repartitioned": lambda x: x.repartition(npartitions=4) if isinstance(x, rd.DataFrame) else x,
    "sorted": lambda x: x.sort_values("w", ignore_index=True),
    "concatenated": lambda x: (rd if isinstance(x, rd.DataFrame) else pd).concat(
        [x[x["i"] > 3], x[x["i"] < 6]], ignore_index=True
    ),
}
BY_PARTITION = {
    "map_partitions": lambda x: by_parts(x, lambda part: part.assign(new=1)),
    "series": lambda x: by_parts(x["w"], lambda part: part * 2),
    "index": lambda x: by_parts(x, lambda part: part.index.to_series()),
    "explode": lambda x: x.explode("w"),
    "then cut": lambda x: by_parts(x.repartition(npartitions=2) if isinstance(x, rd.DataFrame) else x, lambda p: p),
}


def by_parts(rows, function):
    return function(rows) if isinstance(rows, pd.DataFrame | pd.Series) else rows.map_partitions(function)


@pytest.mark.parametrize("partitions", [1, 2, 5])
@pytest.mark.parametrize("change", NUMBERED)
@pytest.mark.parametrize("name", BY_PARTITION)
def test_numbers_of_rows_go_through_all_partitions(name, change, partitions):
    lazy = rd.from_pandas(TABLE, npartitions=partitions, sort=False)
    check(BY_PARTITION[name](NUMBERED[change](lazy)), BY_PARTITION[name](NUMBERED[change](TABLE)))


@pytest.mark.parametrize("change", NUMBERED)
def test_numbers_of_delayed_partitions(change):
    lazy = NUMBERED[change](rd.from_pandas(TABLE, npartitions=3, sort=False))
    parts = [part.compute() for part in lazy.to_delayed()]
    check(pd.concat(parts), NUMBERED[change](TABLE))
    check(pd.concat([part.compute() for part in lazy["w"].to_delayed()]), NUMBERED[change](TABLE)["w"])


@pytest.mark.parametrize("renumbered", [False, True])
@pytest.mark.parametrize("labels", [range(12), [3, 1, 2] * 4, pd.date_range("2024-01-01", periods=12, freq="h")])
def test_truth_values_of_labels_choose_rows_by_position(labels, renumbered):
    rows = pd.DataFrame({"x": range(12)}, index=labels)
    own = rd.from_pandas(rows, npartitions=3, sort=False)
    if renumbered:
        own, rows = (frame[frame.x > 1].reset_index(drop=True) for frame in (own, rows))
    if isinstance(rows.index, pd.DatetimeIndex):
        moved = lambda frame: frame.index + pd.Timedelta("1h") > pd.Timestamp("2024-01-01 04:00")
    else:
        moved = lambda frame: (frame.index + 1) % 2 == 0
    programs = [
        lambda frame: frame[moved(frame)],
        lambda frame: frame.loc[moved(frame)],
        lambda frame: frame.x[~moved(frame)],
        lambda frame: frame[moved(frame) & (frame.x > 5)],
        lambda frame: frame[(frame.x > 5) | moved(frame)],
        lambda frame: frame.assign(x=frame.x.where(moved(frame), -1)),
        lambda frame: frame.assign(y=moved(frame)),
        lambda frame: (frame.x > 5) ^ moved(frame),
    ]
    for program in programs:
        check(program(own).compute(), program(rows))
