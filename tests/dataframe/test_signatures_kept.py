"""Arguments that pandas' methods have: each is honoured as pandas does, warned of as pandas does, or refused."""

import warnings

import numpy as np
import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

ROWS = pd.DataFrame({"k": [3, 1, 2, 1, 5, 4], "x": [1.0, 2.0, np.nan, 4.0, 5.0, 0.5]}, index=list("abcdef"))


def lazy(rows=ROWS, npartitions=3):
    return rd.from_pandas(rows, npartitions=npartitions, sort=False)


def warnings_of(call, rows):
    """The classes, texts and files of the warnings of a call."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call(rows)
    return [(one.category, str(one.message), one.filename) for one in told]


@pytest.mark.parametrize(
    "call",
    [
        lambda df: df.astype("float64", copy=True),
        lambda df: df["k"].astype("float64", copy=False),
        lambda df: df.rename(columns={"k": "l"}, copy=False),
        lambda df: df["k"].rename("l", copy=False),
        lambda df: df.rename_axis("i", copy=None),
        lambda df: df["k"].rename_axis("i", copy=None),
        lambda df: df.set_axis(["a", "b"], axis=1, copy=True),
        lambda df: df.merge(df, on="k", copy=False),
        lambda df: df.align(df, copy=False),
        lambda df: df.join(df[["x"]], lsuffix="_l", rsuffix="_r"),
        lambda df: df.join(df[["x"]], suffixes=("_l", "_r")),
        lambda df: df.copy(deep=False),
        lambda df: df.index.astype("str", copy=False),
    ],
)
def test_warnings_are_those_of_pandas(call):
    assert warnings_of(call, lazy()) == warnings_of(call, ROWS)


@pytest.mark.parametrize(
    "call", [lambda m, df: m.concat([df], copy=False), lambda m, df: m.merge(df, df, on="k", copy=False)]
)
def test_functions_warn_of_copy(call):
    assert warnings_of(lambda df: call(rd, df), lazy()) == warnings_of(lambda df: call(pd, df), ROWS)


def test_join_takes_suffixes_in_one_way():
    with pytest.raises(ValueError, match="Cannot specify both"):
        lazy().join(lazy(), lsuffix="_l", suffixes=("_l", "_r"))
    check(lazy().join(lazy(), suffixes=("_l", "_r")), ROWS.join(ROWS, suffixes=("_l", "_r")))


@pytest.mark.parametrize(
    "options",
    [
        {"n": 3, "weights": "k"},
        {"frac": 0.5, "weights": [1, 2, 3, 4, 5, 6]},
        {"n": 8, "replace": True, "weights": np.arange(6.0)},
        {"n": 2, "weights": pd.Series([1.0, 2, 3, 4], index=list("dcba"))},
        {"n": 4, "ignore_index": True},
        {"n": 4, "axis": 0},
        {"n": 1, "axis": 1},
        {"n": 2, "axis": "columns", "ignore_index": True},
        {"n": 1, "axis": 1, "weights": [0, 1]},
        {},
    ],
)
def test_sample(options):
    check(lazy().sample(random_state=5, **options), ROWS.sample(random_state=5, **options))
    if options.get("axis") not in (1, "columns") and not isinstance(options.get("weights"), str):
        check(lazy().x.sample(random_state=5, **options), ROWS.x.sample(random_state=5, **options))


def test_sample_by_lazy_weights_and_seeds():
    df = lazy()
    check(df.sample(3, weights=df.k, random_state=1), ROWS.sample(3, weights=ROWS.k, random_state=1))
    other = pd.Series([5.0, 1, 1, 1, 1, 1], index=list("fedcba"))
    found = df.sample(3, replace=True, weights=lazy(other, 2), random_state=1)
    check(found, ROWS.sample(3, replace=True, weights=other, random_state=1))
    seeds = np.array([1, 2, 3])
    check(df.sample(3, random_state=seeds), ROWS.sample(3, random_state=seeds))
    assert len(df.sample(3, random_state=np.random.default_rng(1))) == 3


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"n": -1}, ValueError),
        ({"n": 1.5}, ValueError),
        ({"frac": 2}, ValueError),
        ({"frac": -0.5}, ValueError),
        ({"n": 1, "frac": 0.5}, ValueError),
        ({"weights": "z"}, KeyError),
        ({"random_state": "seed"}, ValueError),
        ({"random_state": -1}, ValueError),
        ({"axis": 2}, ValueError),
    ],
)
def test_sample_refuses_at_the_call(options, error):
    for rows in (ROWS, lazy()):
        with pytest.raises(error):
            rows.sample(**options)


def test_sample_of_a_series_takes_no_name_for_weights():
    for rows in (ROWS.x, lazy().x):
        with pytest.raises(ValueError, match="Strings cannot be passed as weights"):
            rows.sample(weights="k")
        with pytest.raises(ValueError, match="No axis named 1"):
            rows.sample(axis=1)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"index": False, "header": False},
        {"columns": ["x"], "float_format": "%.3f", "na_rep": "-"},
        {"max_rows": 2, "show_dimensions": True},
        {"formatters": {"k": "<{}>".format}, "justify": "left", "decimal": ","},
    ],
)
def test_to_string_of_frames(options):
    assert lazy().to_string(**options) == ROWS.to_string(**options)


@pytest.mark.parametrize("options", [{}, {"length": True, "name": True, "dtype": True}, {"max_rows": 2, "na_rep": "-"}])
def test_to_string_of_series(options):
    assert lazy().x.to_string(**options) == ROWS.x.to_string(**options)


def test_to_string_writes_to_files(tmp_path):
    assert lazy().to_string(tmp_path / "rows.txt", encoding="utf-8") is None
    assert (tmp_path / "rows.txt").read_text("utf-8") == ROWS.to_string()


LABELS = pd.DataFrame({"x": range(6)}, index=pd.Index([3.0, 1.0, np.nan, 2.0, 1.0, np.nan], name="i"))


@pytest.mark.parametrize(
    "call",
    [
        lambda i: i.sort_values(),
        lambda i: i.sort_values(ascending=False),
        lambda i: i.sort_values(na_position="first"),
        lambda i: i.sort_values(key=lambda labels: -labels),
        lambda i: i.unique(),
        lambda i: i.unique(level=0),
        lambda i: i.unique(level="i"),
        lambda i: i.unique(level=1),
        lambda i: i.unique(level="j"),
        lambda i: i.copy(),
        lambda i: i.copy(name="j"),
        lambda i: i.rename("j"),
        lambda i: i.rename(name=None),
        lambda i: i.astype("float32", copy=False),
        lambda i: i.to_series(),
        lambda i: i.to_series(name="j"),
        lambda i: i.min(),
        lambda i: i.max(axis=0),
        lambda i: i.max(axis=1),
        lambda i: i.max(skipna=False),
        lambda i: i.min(None, False),
    ],
)
def test_methods_of_an_index(call):
    index = lazy(LABELS).index
    try:
        expected = call(LABELS.index)
    except Exception as error:
        with pytest.raises(type(error)):
            call(index).compute()
        return
    check(call(index), expected)


def test_truths_of_an_index_take_a_level():
    index = lazy(LABELS).index
    assert index.isin([1.0, 2.0], level="i").compute().tolist() == LABELS.index.isin([1.0, 2.0], level="i").tolist()
    with pytest.raises(KeyError):
        index.isin([1.0], level="j")


def test_an_index_is_no_part_of_its_frame():
    df = lazy(LABELS)
    for change in (
        lambda: df.index.rename("j", inplace=True),
        lambda: setattr(df.index, "name", "j"),
        lambda: df.index.groupby([1, 1, 2, 2, 3, 3]),
        lambda: df.index.sort_values(return_indexer=True),
        lambda: df.index.to_series(index=range(6)),
    ):
        with pytest.raises(NotImplementedError):
            change()


def test_merge_asof():
    left = pd.DataFrame({"t": [1, 5, 10, 10], "k": list("abab")})
    right = pd.DataFrame({"t": [2, 3, 5, 7], "k": list("aabb"), "v": [1.5, 2.5, 3.5, 4.5]})
    for options in (
        {"on": "t"},
        {"on": "t", "by": "k"},
        {"on": "t", "direction": "nearest", "tolerance": 2},
        {"on": "t", "allow_exact_matches": False, "suffixes": ("_l", "_r")},
        {"left_on": "t", "right_on": "t", "left_by": "k", "right_by": "k", "direction": "forward"},
    ):
        check(rd.merge_asof(lazy(left, 2), lazy(right, 2), **options), pd.merge_asof(left, right, **options))
    with pytest.raises(ValueError, match="sorted"):
        rd.merge_asof(lazy(left[::-1], 2), right, on="t").compute()


def test_arguments_of_dask_are_checked():
    df = lazy()
    with pytest.raises(ValueError, match="only 3 partitions"):
        df.head(2, npartitions=4)
    assert len(df.head(4, npartitions=-1)) == 4
    with pytest.raises(ValueError, match="negative"):
        df.map_overlap(lambda rows: rows, -1, 0)
    with pytest.raises(TypeError, match="numbers of rows"):
        df.map_overlap(lambda rows: rows, "a", 0)
    with pytest.raises(NotImplementedError, match="meta"):
        df.to_array(meta=[1])


TEXTS = pd.Series(["a", None, "c", "d"], index=list("wxyz"))


@pytest.mark.parametrize("npartitions", [1, 3])
@pytest.mark.parametrize("join", ["left", "right", "inner", "outer"])
def test_texts_are_joined_by_labels(npartitions, join):
    series, other = lazy(TEXTS, npartitions), pd.Series(["p", "q", None], index=list("zyv"))
    for options in ({}, {"sep": "-", "na_rep": "?"}):
        expected = TEXTS.str.cat(other, join=join, **options)
        check(series.str.cat(lazy(other, 2), join=join, **options), expected)
        check(series.str.cat(other, join=join, **options), expected)


def test_texts_are_joined_to_lists_and_to_one():
    series = lazy(TEXTS)
    check(series.str.cat(list("pqrs"), sep="-"), TEXTS.str.cat(list("pqrs"), sep="-"))
    for options in ({}, {"sep": "-"}, {"sep": "-", "na_rep": "?"}):
        assert series.str.cat(**options).compute() == TEXTS.str.cat(**options)
    with pytest.raises(NotImplementedError):
        series.str.cat([TEXTS, TEXTS])
    with pytest.raises(ValueError, match="same length"):
        series.str.cat(list("pq")).compute()


def test_durations_become_those_of_python():
    spans = pd.Series(pd.to_timedelta(["1D", None, "3s"]))
    assert lazy(spans).dt.to_pytimedelta().compute().tolist() == list(spans.array.to_pytimedelta())


LEVELS = pd.DataFrame({"x": range(4)}, index=pd.MultiIndex.from_product([[1, 2], ["a", "b"]], names=["i", None]))


@pytest.mark.parametrize(
    "call",
    [
        lambda i: i.rename(["j", "k"]),
        lambda i: i.rename("j", level="i"),
        lambda i: i.rename(["j", "k"], level=[1, 0]),
        lambda i: i.rename(["j"]),
        lambda i: i.rename("j"),
        lambda i: i.set_names({"i": "j"}),
        lambda i: i.copy(),
        lambda i: i.copy(names=["j", "k"]),
        lambda i: i.copy(name=["j"]),
        lambda i: i.to_frame(),
        lambda i: i.to_frame(index=False),
        lambda i: i.to_frame(name=["j", "k"]),
        lambda i: i.to_frame(name=["j"]),
        lambda i: i.to_frame(name="j"),
    ],
)
def test_methods_of_levels(call):
    index = lazy(LEVELS, 2).index
    try:
        expected = call(LEVELS.index)
    except Exception as error:
        with pytest.raises(type(error)):
            call(index).compute()
        return
    check(call(index), expected)


def test_levels_are_not_renamed_in_place():
    with pytest.raises(NotImplementedError):
        lazy(LEVELS).index.rename(["j", "k"], inplace=True)


def test_a_column_needs_a_label():
    for rows in (lazy().x, lazy().index):
        with pytest.raises(NotImplementedError, match="label"):
            rows.to_frame(name=None)
    check(lazy().x.rename(None).to_frame(), ROWS.x.rename(None).to_frame(), check_column_type=False)
    check(lazy().index.to_frame(name="i"), ROWS.index.to_frame(name="i"))


NUMBERS = pd.DataFrame(
    {"i": [3, 1, 2, 3, 1, 5], "f": [1.5, np.nan, -2.0, 0.25, 1e3, np.nan], "g": [1.5, 1.5, 2.0, 2.0, -0.0, np.nan]},
    index=pd.Index([10, 20, 30, 40, 50, 50], name="k"),
)
MOMENTS = pd.Series(pd.to_datetime(["2020-01-05", "2020-01-01", None, "2020-03-01"]))


def same(call, rows=NUMBERS):
    """Assert that a call gives what it gives in pandas, or raises the same kind of error."""
    try:
        expected = call(rows)
    except Exception as error:
        with pytest.raises(type(error)):
            found = call(lazy(rows, 2))
            _ = found.compute() if hasattr(found, "compute") else found
        return
    check(call(lazy(rows, 2)), expected)


@pytest.mark.parametrize("method", ["nlargest", "nsmallest"])
@pytest.mark.parametrize("n", [0, 2, 4, 5, 10, -1])
def test_extremes_are_filled_up_with_missing_values(method, n):
    for name in ("i", "f", "g"):
        same(lambda df, name=name: getattr(df[name], method)(n))
    for names in ("f", ["g"], ["i"], ["g", "f"], ["f", "g"], ["i", "f"]):
        same(lambda df, names=names: getattr(df, method)(n, names))
    same(lambda s: getattr(s, method)(n), MOMENTS)


@pytest.mark.parametrize(
    "call",
    [
        lambda df: df.add(1, axis=2),
        lambda df: df.eq(1, axis="up"),
        lambda df: df.clip(0, 1, axis=2),
        lambda df: df.f.clip(0, 1, axis=1),
        lambda df: df.dropna(axis=2),
        lambda df: df.rename_axis("j", axis=2),
        lambda df: df.f.rename_axis("j", axis=1),
        lambda df: df.sort_index(axis=2),
        lambda df: df.sort_values("i", axis=2),
        lambda df: df.squeeze(axis=2),
        lambda df: df.add_prefix("p", axis="rows"),
        lambda df: df.add_suffix("s", axis="rows"),
        lambda df: df.eq(1, level=0),
        lambda df: df.lt(1, level="k"),
        lambda df: df.sum(numeric_only=1),
        lambda df: df.f.std(numeric_only=1),
        lambda df: df.groupby("i").f.sum(skipna=1),
        lambda df: df.groupby("i").f.cumsum(skipna=1),
        lambda df: df.groupby("i").f.diff(2.5),
        lambda df: df.i.diff(0),
        lambda df: df.value_counts(),
        lambda df: df.value_counts("i"),
        lambda df: df.value_counts(["i", "g"], ascending=True),
        lambda df: df.value_counts(["i", "g"], sort=False, dropna=False),
        lambda df: df.value_counts(subset=[]),
        lambda df: df.i.value_counts(ascending=1),
        lambda df: df.i.value_counts(ascending=[True]),
        lambda df: df.i.value_counts(ascending="up"),
        lambda df: df.drop_duplicates(subset=[]),
        lambda df: df.i.swaplevel(),
        lambda df: df.index.round(-1),
        lambda df: df.i.rename("j", inplace=True),
    ],
)
def test_values_of_arguments(call):
    same(call)


def test_times_are_no_numbers():
    same(lambda s: s.astype("float64"), MOMENTS)
    same(lambda s: s.astype("bool"), MOMENTS)


def test_labels_that_come_again():
    for keep in ("first", "last", False):
        found = lazy(NUMBERS, 2).index.duplicated(keep).compute()
        assert found.tolist() == NUMBERS.index.duplicated(keep).tolist()
        assert found.dtype == bool
