"""Columns: choosing, adding, renaming, filtering rows."""

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check


def test_choose(df, pdf):
    check(df["a"], pdf["a"])
    check(df.a, pdf.a)
    check(df["größe"], pdf["größe"])
    check(df[["b", "a"]], pdf[["b", "a"]])
    check(df[[]], pdf[[]], check_column_type=False)
    check(df[pd.Index(["a", "b"])], pdf[["a", "b"]])


def test_attributes_and_completion(df):
    assert "größe" in dir(df)
    assert "a" in df
    assert "nope" not in df
    with pytest.raises(AttributeError, match="nope"):
        df.nope


@pytest.mark.parametrize(
    "choose",
    [
        lambda df: df["größ"],
        lambda df: df[["größ"]],
        lambda df: df.groupby("größ"),
        lambda df: df.sort_values("größ"),
        lambda df: df.set_index("größ"),
        lambda df: df.drop(columns="größ"),
        lambda df: df.groupby("a")["größ"],
        lambda df: df.nlargest(1, "größ"),
        lambda df: df.dropna(subset=["größ"]),
    ],
)
def test_an_unknown_column_is_named_with_its_neighbours(df, choose):
    with pytest.raises(KeyError, match="größ.*größe"):
        choose(df)


def test_filter(df, pdf):
    check(df[df["a"] > 2], pdf[pdf["a"] > 2])
    check(df[(df["a"] > 1) & ~df["f"]], pdf[(pdf["a"] > 1) & ~pdf["f"]])
    check(df[(df.b > 1) | (df.s == "y")], pdf[(pdf.b > 1) | (pdf.s == "y")])
    check(df["b"][df["f"]], pdf["b"][pdf["f"]])
    check(df[df["a"] > 99], pdf[pdf["a"] > 99])
    check(df[df["t"] > "2013-02-01"], pdf[pdf["t"] > "2013-02-01"])
    check(df[df["t"] > pd.Timestamp("2013-02-01")], pdf[pdf["t"] > pd.Timestamp("2013-02-01")])


def test_filter_by_a_filtered_column(df, pdf):
    df, pdf = df[df["a"] < 5], pdf[pdf["a"] < 5]
    check(df[df["b"] > 1]["s"], pdf[pdf["b"] > 1]["s"])


def test_a_filter_must_be_boolean(df):
    with pytest.raises(KeyError):
        df[df["a"]]
    with pytest.raises(NotImplementedError, match="may be missing"):
        df[df["a"].astype(object)]
    with pytest.raises(NotImplementedError, match="may be missing"):
        df[df["s"]]


def test_query(df, pdf):
    check(df.query("a > 2 and b < 3"), pdf.query("a > 2 and b < 3"))
    least = 2
    check(df.query("a >= @least"), pdf.query("a >= @least"))
    assert least == 2


def test_eval(df, pdf):
    check(df.eval("c = a + b"), pdf.eval("c = a + b"))


@pytest.mark.parametrize("text", ["2 * 3", "@least", "@least + 1", "1 < 2", "a.sum() + 1"])
def test_eval_of_one_value(df, pdf, text):
    least = 2
    assert df.eval(text).compute() == pdf.eval(text)
    assert least == 2


def test_assign(df, pdf):
    check(df.assign(c=df["a"] * 2, d=1, e="x"), pdf.assign(c=pdf["a"] * 2, d=1, e="x"))
    check(
        df.assign(c=lambda d: d["a"] + 1, d=lambda d: d["c"] * 2),
        pdf.assign(c=lambda d: d["a"] + 1, d=lambda d: d["c"] * 2),
    )
    check(df.assign(a=df["b"]), pdf.assign(a=pdf["b"]))
    check(df.assign(t=pd.Timestamp("2020-01-01")), pdf.assign(t=pd.Timestamp("2020-01-01")))


def test_set_item(df, pdf):
    df["c"] = df["a"] + df["b"]
    pdf["c"] = pdf["a"] + pdf["b"]
    check(df, pdf)
    df["a"] = 0
    pdf["a"] = 0
    check(df, pdf)
    df[["x", "y"]] = df[["b", "f"]]
    pdf[["x", "y"]] = pdf[["b", "f"]]
    check(df, pdf)


def test_a_frame_of_one_column_is_a_new_column(df, pdf):
    column = pdf.columns[0]
    check(df.assign(n=df[[column]]), pdf.assign(n=pdf[[column]]))
    with pytest.raises(ValueError, match="2 columns to the single column 'n'"):
        df.assign(n=df[list(pdf.columns[:2])])


def test_set_item_leaves_earlier_frames_alone(df, pdf):
    before = df[["a"]]
    copy = df.copy()
    df["a"] = 1
    check(before, pdf[["a"]])
    check(copy, pdf)


def test_delete_and_pop(df, pdf):
    del df["b"]
    popped = df.pop("a")
    check(df, pdf.drop(columns=["a", "b"]))
    check(popped, pdf["a"])


def test_drop(df, pdf):
    check(df.drop(columns=["a", "s"]), pdf.drop(columns=["a", "s"]))
    check(df.drop("a", axis=1), pdf.drop("a", axis=1))
    check(df.drop(columns=["a", "nope"], errors="ignore"), pdf.drop(columns=["a", "nope"], errors="ignore"))
    check(df.drop([0, 1]), pdf.drop([0, 1]))
    check(df.drop([0, 99], errors="ignore"), pdf.drop([0, 99], errors="ignore"))


def test_rename(df, pdf):
    check(df.rename(columns={"a": "A", "nope": "x"}), pdf.rename(columns={"a": "A"}))
    check(df.rename(columns=str.upper), pdf.rename(columns=str.upper))
    check(df["a"].rename("z"), pdf["a"].rename("z"))
    check(df.add_prefix("p_"), pdf.add_prefix("p_"))
    check(df.add_suffix("_s"), pdf.add_suffix("_s"))
    df.columns = list("uvwxyz")
    pdf.columns = list("uvwxyz")
    check(df, pdf)
    with pytest.raises(ValueError, match="6"):
        df.columns = ["a"]


def test_swapping_names(df, pdf):
    check(df.rename(columns={"a": "b", "b": "a"}), pdf.rename(columns={"a": "b", "b": "a"}))


def test_loc(df, pdf):
    check(df.loc[:, "a"], pdf.loc[:, "a"])
    check(df.loc[:, ["a", "b"]], pdf.loc[:, ["a", "b"]])
    check(df.loc[df["a"] > 2], pdf.loc[pdf["a"] > 2])
    check(df.loc[df["a"] > 2, "b"], pdf.loc[pdf["a"] > 2, "b"])
    check(df.loc[2:7], pdf.loc[2:7])
    check(df.loc[:3, ["s"]], pdf.loc[:3, ["s"]])
    check(df.loc[5:], pdf.loc[5:])
    check(df.loc[4], pdf.loc[[4]])
    check(df.loc[[7, 2]], pdf.loc[[7, 2]])
    check(df["a"].loc[2:4], pdf["a"].loc[2:4])


def test_loc_by_a_label_of_another_type(df):
    with pytest.raises(KeyError, match="a"):
        df.loc["a"]
    with pytest.raises(TypeError):
        df.loc["a":"b"]
    with pytest.raises(KeyError, match="a"):
        df.loc[["a"]].compute()


def test_loc_by_strings_and_times():
    pdf = pd.DataFrame({"x": range(4)}, index=list("abcd"))
    check(rd.from_pandas(pdf, npartitions=2).loc["b":"c"], pdf.loc["b":"c"])
    pdf = pd.DataFrame({"x": range(10)}, index=pd.date_range("2020-01-01", periods=10))
    df = rd.from_pandas(pdf, npartitions=3)
    check(df.loc["2020-01-03":"2020-01-05"], pdf.loc["2020-01-03":"2020-01-05"])


def test_iloc_chooses_columns(df, pdf):
    check(df.iloc[:, 1], pdf.iloc[:, 1])
    check(df.iloc[:, [2, 0]], pdf.iloc[:, [2, 0]])
    check(df.iloc[:, 1:3], pdf.iloc[:, 1:3])
    with pytest.raises(NotImplementedError):
        df.iloc[0]


def test_select_dtypes(df, pdf):
    check(df.select_dtypes("number"), pdf.select_dtypes("number"))
    check(df.select_dtypes(exclude=["number", "datetime"]), pdf.select_dtypes(exclude=["number", "datetime"]))


def test_astype(df, pdf):
    check(df["a"].astype("float32"), pdf["a"].astype("float32"))
    check(df["a"].astype(str), pdf["a"].astype(str))
    check(df["f"].astype("int64"), pdf["f"].astype("int64"))
    check(df.astype({"a": "float64", "f": "int8"}), pdf.astype({"a": "float64", "f": "int8"}))
    check(df["s"].astype("category").astype("str"), pdf["s"].astype("category").astype("str"))
    check(df[["a", "b"]].astype("float64"), pdf[["a", "b"]].astype("float64"))


def test_nullable_types_are_made_by_pandas(df, pdf):
    check(df["a"].astype("Int64"), pdf["a"].astype("Int64"))
    check(df["b"].astype("Float64"), pdf["b"].astype("Float64"))


def test_text_of_times_depends_on_all_rows(df, pdf):
    check(df["t"].astype(str), pdf["t"].astype(str))
    check(df.astype(str), pdf.astype(str))


def test_astype_float_with_missing_values_to_integer_fails_as_in_pandas(df, pdf):
    with pytest.raises(ValueError, match="NaN|non-finite|NA"):
        pdf["b"].astype("int64")
    with pytest.raises(ValueError, match="NaN|non-finite|NA|missing|convert"):
        df["b"].astype("int64").compute()


def test_columns_of_different_frames_are_aligned(df, pdf):
    reverse = pdf.iloc[::-1].reset_index(drop=True)
    other = rd.from_pandas(reverse, npartitions=2)
    check(df["a"] + other["a"], pdf["a"] + reverse["a"])
    check(df.assign(new=other["a"]), pdf.assign(new=reverse["a"]))
    check(df[other["f"]], pdf[reverse["f"]])


def test_concat(df, pdf):
    check(rd.concat([df, df[["a", "b"]]]), pd.concat([pdf, pdf[["a", "b"]]]))
    check(rd.concat([df["a"], df["a"]]), pd.concat([pdf["a"], pdf["a"]]))
    check(
        rd.concat([df[["a", "b"]], df[["b", "s"]]], join="inner"),
        pd.concat([pdf[["a", "b"]], pdf[["b", "s"]]], join="inner"),
    )
    check(rd.concat([df[["a"]], df[["a"]]], ignore_index=True), pd.concat([pdf[["a"]], pdf[["a"]]], ignore_index=True))
    with pytest.raises(ValueError, match="No objects"):
        rd.concat([])


def test_concat_mixes_types_as_pandas():
    first, second = pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [0.5], "y": ["a"]})
    lazy = [rd.from_pandas(first, npartitions=1), rd.from_pandas(second, npartitions=1)]
    check(rd.concat(lazy), pd.concat([first, second]))


def test_concat_columns_of_one_frame(df, pdf):
    check(rd.concat([df[["a"]], df["b"] * 2], axis=1), pd.concat([pdf[["a"]], pdf["b"] * 2], axis=1))


def test_to_frame_and_reset_index(df, pdf):
    check(df["a"].to_frame(), pdf["a"].to_frame())
    check(df["a"].to_frame(name="q"), pdf["a"].to_frame(name="q"))
    check(df[df["a"] > 2]["b"].to_frame(), pdf[pdf["a"] > 2]["b"].to_frame())


def test_explode_and_melt(df, pdf):
    check(
        df.melt(id_vars="a", value_vars=["b", "größe"]).sort_values(["variable", "a", "value"]).reset_index(drop=True),
        pdf.melt(id_vars="a", value_vars=["b", "größe"]).sort_values(["variable", "a", "value"]).reset_index(drop=True),
    )


def test_nan_in_comparisons(df, pdf):
    check(df["b"] == np.nan, pdf["b"] == np.nan)
    check(df["b"] != df["b"], pdf["b"] != pdf["b"])
    check(df["b"] > 0, pdf["b"] > 0)
    check(df["s"] == "x", pdf["s"] == "x")
    check(df["s"] != "x", pdf["s"] != "x")
    check(df["t"] == df["t"], pdf["t"] == pdf["t"])


@pytest.mark.parametrize("others", [[], ["same"], ["fewer"], ["same", "fewer"]])
def test_concat_puts_columns_in_order_if_it_is_told_to(others):
    rows = pd.DataFrame({"b": [1, 2], "a": [3, 4]})
    given = [rows, *({"same": rows, "fewer": rows[["a"]]}[other] for other in others)]
    lazy = rd.concat([rd.from_pandas(one, npartitions=2) for one in given], sort=True)
    assert list(lazy.columns) == ["a", "b"]
    pd.testing.assert_frame_equal(lazy.compute(), pd.concat(given, sort=True))
