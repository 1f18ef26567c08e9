"""Names of raskt's own columns meet none that a user gives."""

from __future__ import annotations

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

NAMES = ["__index_0__", "__index_1__", "index_0", "row_0", "key_0", "values", "0", "label_0"]


@pytest.mark.parametrize("name", NAMES)
def test_columns_of_any_name_are_sorted_grouped_and_joined(name):
    pdf = pd.DataFrame({name: [3, 1, 2, 1], "x": [1.0, 2.0, 3.0, 4.0]}, index=[5, 3, 5, 0])
    df = rd.from_pandas(pdf, npartitions=2, sort=False)
    check(df.sort_values(name), pdf.sort_values(name, kind="stable"))
    check(df.groupby(name).sum(), pdf.groupby(name).sum())
    check(df.merge(df, on=name), pdf.merge(pdf, on=name))
    check(df.reset_index(), pdf.reset_index())
    check(df.set_index(name, append=True), pdf.set_index(name, append=True))
    check(df.persist()[df.persist().x > 1], pdf[pdf.x > 1])


@pytest.mark.parametrize("name", ["\uf8ffrow_0", "a\0b"])
def test_names_of_the_native_side_are_refused(name):
    with pytest.raises(NotImplementedError, match="another name"):
        rd.from_pandas(pd.DataFrame({name: [1]}), npartitions=1)
    with pytest.raises(NotImplementedError):
        rd.from_pandas(pd.DataFrame({"x": [1]}), npartitions=1).assign(**{name: 1})
