"""What pandas computes row by row still belongs to the rows of its frame."""

import pandas as pd
import pytest

import raskt
import raskt.dataframe as rd
from frame_comparing import check


def test_a_fallback_becomes_a_column(df, pdf):
    df["w"] = df["s"].str.wrap(1)
    pdf["w"] = pdf["s"].str.wrap(1)
    df["n"] = df["a"].map(lambda value: value * 2) + df["a"]
    pdf["n"] = pdf["a"].map(lambda value: value * 2) + pdf["a"]
    check(df, pdf)


def test_a_fallback_is_a_condition(df, pdf):
    check(df[df["a"].map(lambda value: value > 2)], pdf[pdf["a"].map(lambda value: value > 2)])


def test_of_filtered_rows(df, pdf):
    df, pdf = df[df["a"] > 1], pdf[pdf["a"] > 1]
    check(df.assign(w=df["s"].str.wrap(1), q=df["b"] + 1), pdf.assign(w=pdf["s"].str.wrap(1), q=pdf["b"] + 1))


def test_a_fallback_of_a_fallback(df, pdf):
    first, expected = df["a"].map(lambda value: value + 1), pdf["a"].map(lambda value: value + 1)
    check(
        df["a"] + first.map(lambda value: value * 2) + first,
        pdf["a"] + expected.map(lambda value: value * 2) + expected,
    )


def test_rows_that_go_missing_are_found_out(df):
    from raskt.dataframe.base.partitionwise import over_rows

    with pytest.raises(ValueError, match="rows"):
        over_rows(lambda column: column.iloc[1:], df["a"], name="shorter", meta=("a", "int64")).compute()


def test_groups_by_a_fallback(df, pdf):
    check(df.groupby(df["s"].str.casefold())["a"].sum(), pdf.groupby(pdf["s"].str.casefold())["a"].sum())


def test_several_results_share_the_work(df, pdf):
    mapped = df["a"].map(lambda value: value * 3)
    total, most = raskt.compute(mapped.sum(), mapped.max())
    assert (total, most) == (pdf["a"].sum() * 3, pdf["a"].max() * 3)


def test_sample_and_split(pdf):
    df = rd.from_pandas(pdf, npartitions=3)
    drawn = df.sample(frac=0.5, random_state=1).compute()
    check(df.sample(frac=0.5, random_state=1), drawn)
    assert len(drawn) == 6
    assert drawn.index.isin(pdf.index).all()
    first, second = df.random_split([0.5, 0.5], random_state=2)
    both = pd.concat([first.compute(), second.compute()]).sort_index()
    check(both, pdf)
    with pytest.raises(ValueError, match="sum"):
        df.random_split([0.5, 0.1])
    check(df.sample(n=3, random_state=5), pdf.sample(n=3, random_state=5))
    with pytest.raises(ValueError, match="frac"):
        df.sample(n=3, frac=0.5)


def test_repartition_refuses_nonsense(df):
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="npartitions"):
            df.repartition(npartitions=wrong)
    with pytest.raises(TypeError, match="frequency"):
        df.repartition(freq="1D")
    with pytest.raises(ValueError, match="exactly one"):
        df.repartition(npartitions=2, divisions=[0, 11])


def test_to_json(tmp_path, df, pdf, npartitions):
    names = df[["a"]].to_json(tmp_path / "out-*.json")
    assert len(names) == npartitions
    check(rd.read_json(tmp_path / "out-*.json").reset_index(drop=True), pdf[["a"]])
