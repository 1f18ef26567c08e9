"""A column is the one of that name, also where an engine would read the name as a pattern of names."""

from __future__ import annotations

import pandas as pd
import pytest

import raskt.dataframe as rd

NAMES = ["*", "^.*$", "^b$", "^$", "b", "^[a-z]$"]
DATA = pd.DataFrame({name: [at, at + 10, at + 10, at + 3] for at, name in enumerate(NAMES)})
PROGRAMS = {
    "all": lambda f, name: f,
    "chosen": lambda f, name: f[[name]] * 2,
    "sum": lambda f, name: f[name].sum(),
    "sums": lambda f, name: f.sum(),
    "filtered": lambda f, name: f[f[name] > 5],
    "sorted": lambda f, name: f.sort_values(name, kind="stable"),
    "groups": lambda f, name: f.groupby(name).sum(),
    "by group": lambda f, name: f.groupby("b")[[name]].max() if name != "b" else f.groupby("b").size(),
    "different": lambda f, name: f.drop_duplicates(name),
    "join": lambda f, name: f.merge(f, on=name, how="outer"),
    "cross": lambda f, name: f.merge(f[[name]], how="cross"),
    "assigned": lambda f, name: f.assign(**{name: f["b"] + f[name]}),
    "cumsum": lambda f, name: f[name].cumsum(),
    "dropped": lambda f, name: f.drop(columns=name),
    "renamed": lambda f, name: f.rename(columns={name: "c"}),
    "values": lambda f, name: f[name].value_counts().sort_index(),
    "greatest": lambda f, name: f.nlargest(2, name),
}


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_columns_are_those_of_their_names(program, name, partitions):
    expected = PROGRAMS[program](DATA, name)
    found = PROGRAMS[program](rd.from_pandas(DATA, npartitions=partitions), name).compute()
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    else:
        assert found == expected


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_columns_of_files_are_those_of_their_names(tmp_path, kind):
    path = tmp_path / f"data.{kind}"
    getattr(DATA, f"to_{kind}")(path, index=False)
    frame = getattr(rd, f"read_{kind}")(str(path))
    pd.testing.assert_frame_equal(frame.compute(), DATA)
    for name in NAMES:
        assert frame[name].sum().compute() == DATA[name].sum()
        pd.testing.assert_frame_equal(frame[[name]].compute(), DATA[[name]])
