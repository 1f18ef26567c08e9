"""Functions of rows see the labels that all rows together have, wherever the partitions begin."""

import pandas as pd
import pytest

import raskt.dataframe as rd

ROWS = pd.DataFrame({"b": [True, True, False, True] * 5, "x": range(20)})
MADE = {
    "filtered": lambda df, lib: df[df.b].reset_index(drop=True),
    "no duplicates": lambda df, lib: df.drop_duplicates("x", ignore_index=True),
    "sorted": lambda df, lib: df[df.b].sort_values("x", ignore_index=True),
    "joined": lambda df, lib: df[df.b].merge(df, on="x"),
    "under another": lambda df, lib: lib.concat([df[df.b], df], ignore_index=True),
    "no missing": lambda df, lib: df[df.b].dropna(ignore_index=True),
    "named": lambda df, lib: df[df.b].reset_index(drop=True).rename_axis("n"),
    "kept": lambda df, lib: df[df.b],
    "whole": lambda df, lib: df,
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("npartitions", [1, 3])
def test_labels_of_rows(made, npartitions):
    expected, lazy = MADE[made](ROWS, pd), MADE[made](rd.from_pandas(ROWS, npartitions=npartitions), rd)
    for function in (lambda row: row.name, lambda row: row.name + row.x, lambda row: pd.Series({"at": row.name})):
        found, wanted = lazy.apply(function, axis=1).compute(), expected.apply(function, axis=1)
        same = pd.testing.assert_frame_equal if wanted.ndim == 2 else pd.testing.assert_series_equal
        same(found, wanted, check_index_type=False)
    lazy["at"] = lazy.apply(lambda row: row.name, axis=1, meta=("at", "int64"))
    assert lazy.compute()["at"].tolist() == expected.index.tolist()
