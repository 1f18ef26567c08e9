"""Rows stay in the order that the plan says, also where what is seen of them is chosen from constants."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd

FRAME = pd.DataFrame({"k": [3, 0, 1, 0, 9, 5, 1, 7, 2], "v": [1.0, 2, 3, None, 5, 6, 7, 8, 9], "s": list("bazqeqaxb")})
ORDERS = {
    "sorted": lambda lib, rows: rows.sort_values("k", kind="stable").reset_index(drop=True),
    "sorted down": lambda lib, rows: rows.sort_values(["s", "k"], ascending=False).reset_index(drop=True),
    "labels": lambda lib, rows: labelled(rows, "k").sort_index(kind="stable").reset_index(),
    "joined": lambda lib, rows: rows.merge(rows[["k"]].drop_duplicates(), on="k", how="left"),
    "concatenated": lambda lib, rows: lib.concat([rows, rows]).sort_values("k", kind="stable"),
    "different": lambda lib, rows: rows.drop_duplicates(subset=["k"]),
    "greatest": lambda lib, rows: rows.nlargest(5, "k"),
}
CONSTANTS = {
    "map": lambda rows: rows["k"].map({0: 966, 1: 5}),
    "where": lambda rows: (rows["k"] * 0.0).where(rows["k"] > 2, 1.0),
    "isin": lambda rows: rows["k"].isin([0, 1]),
    "missing": lambda rows: rows["v"].isna(),
    "replace": lambda rows: rows["k"].replace({0: 1, 1: 1, 2: 0, 3: 0, 5: 0, 7: 0, 9: 0}),
    "between": lambda rows: rows["k"].between(1, 4),
    "text": lambda rows: rows["s"].str.contains("a"),
    "ufunc": lambda rows: np.sign(rows["k"] - 2),
    "lengths": lambda rows: rows["s"].str.len(),
}


def labelled(rows, name):
    return rows.set_index(name) if isinstance(rows, pd.DataFrame) else rows.set_index(name, sort=False)


@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("order", ORDERS)
def test_constants_are_in_the_order_of_their_rows(order, constant):
    expected = CONSTANTS[constant](ORDERS[order](pd, FRAME))
    for partitions in (1, 3):
        rows = ORDERS[order](rd, rd.from_pandas(FRAME, npartitions=partitions))
        found = CONSTANTS[constant](rows)
        assert found.compute().tolist() == pytest.approx(expected.tolist(), nan_ok=True)
        framed = rows.assign(new=found)[["new"]]
        assert framed.compute()["new"].tolist() == pytest.approx(expected.tolist(), nan_ok=True)
        assert found.sum().compute() == expected.sum()
