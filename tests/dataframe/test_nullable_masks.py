"""Rows are chosen by nullable and Arrow-backed truth values as by plain ones; what is missing chooses nothing."""

from __future__ import annotations

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]"])
@pytest.mark.parametrize("npartitions", [1, 3])
def test_missing_truth_values_choose_nothing(dtype, npartitions):
    pdf = pd.DataFrame({"a": range(6), "m": pd.array([True, None, False, True, None, True], dtype)})
    df = rd.from_pandas(pdf, npartitions=npartitions)
    check(df[df["m"]], pdf[pdf["m"]])
    check(df["a"][df["m"]], pdf["a"][pdf["m"]])
    check(df.loc[df["m"], ["a"]], pdf.loc[pdf["m"], ["a"]])
