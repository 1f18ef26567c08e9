"""Categories that no plan says are those of all rows where they were made, whatever rows are left of them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import raskt
import raskt.dataframe as rd

ROWS = pd.DataFrame({"s": list("cabacbdc"), "v": range(1, 9), "f": [1.0, None, 2.0, 3.0, None, 0.5, 9.0, 1.0]})


def cast(parts, path):
    frame = rd.from_pandas(ROWS, npartitions=parts)
    return frame.assign(c=frame["s"].astype("category"))


def cast_of_frame(parts, path):
    frame = rd.from_pandas(ROWS, npartitions=parts)
    return frame.assign(c=frame["s"]).astype({"c": "category"})


def categorized(parts, path):
    frame = rd.from_pandas(ROWS, npartitions=parts)
    return frame.assign(c=frame["s"]).categorize(columns=["c"])


def persisted(parts, path):
    return cast(parts, path).persist()


def from_csv(parts, path):
    ROWS.assign(c=ROWS["s"]).to_csv(path / "rows.csv", index=False)
    size = {1: None, 2: 60, 7: 16}[parts]
    return rd.read_csv(path / "rows.csv", dtype={"c": "category", "s": "str"}, blocksize=size)


def part_of(at):
    return ROWS.iloc[at[0] : at[1]].assign(c=lambda rows: rows["s"].astype("category"))


def from_parts(parts, path):
    cuts = [round(at * len(ROWS) / parts) for at in range(parts + 1)]
    meta = part_of((0, 0)).astype({"c": pd.CategoricalDtype(pd.Index([], dtype="str"))})
    return rd.from_map(part_of, list(zip(cuts, cuts[1:], strict=False)), meta=meta)


def by_partition(parts, path):
    frame = rd.from_pandas(ROWS, npartitions=parts)
    return frame.map_partitions(lambda rows: rows.assign(c=rows["s"].astype("category")))


def put_together(parts, path):
    halves = [rd.from_pandas(ROWS.iloc[:4], npartitions=parts), rd.from_pandas(ROWS.iloc[4:], npartitions=parts)]
    rows = rd.concat(halves)
    return rows.assign(c=rows["s"].astype("category"))


SOURCES = (cast, cast_of_frame, categorized, persisted, from_csv, from_parts, by_partition, put_together)
PLACES = [*[(cast, parts) for parts in (1, 2, 7)], *[(source, 7) for source in SOURCES[1:]]]

LEFT = {
    "all": lambda rows: rows,
    "filtered": lambda rows: rows[rows["s"] != "a"],
    "filtered by itself": lambda rows: rows[rows["c"] != "a"],
    "query": lambda rows: rows.query("v > 6"),
    "none": lambda rows: rows[rows["v"] > 99],
    "loc": lambda rows: rows.loc[rows["v"] > 5, ["c", "s", "v"]],
    "dropna": lambda rows: rows.dropna(),
    "without duplicates": lambda rows: rows[rows["s"] != "b"].drop_duplicates("s"),
    "largest": lambda rows: rows.nlargest(2, "v"),
    "sorted": lambda rows: rows[rows["v"] > 4].sort_values("f"),
    "merged": lambda rows: rows.merge(pd.DataFrame({"v": [3, 5]}), on="v"),
    "joined": lambda rows: rows.merge(pd.DataFrame({"v": [3, 50]}), on="v", how="right"),
    "where": lambda rows: rows.assign(c=rows["c"].where(rows["v"] > 4)),
    "mask": lambda rows: rows.assign(c=rows["c"].mask(rows["v"] > 4)),
    "shifted": lambda rows: rows.assign(c=rows["c"].shift(3)),
    "head of groups": lambda rows: rows[rows["v"] > 2].groupby("s").head(1),
    "first of groups": lambda rows: rows[rows["v"] > 2].groupby("s", as_index=False).first(),
    "replaced": lambda rows: rows.assign(c=rows["c"].where(rows["s"] != "a", "d")),
    "numbered": lambda rows: rows.iloc[3:6] if isinstance(rows, pd.DataFrame) else rows[(rows.v > 3) & (rows.v < 7)],
}

RESULTS = {
    "rows": lambda rows: rows["c"],
    "frame": lambda rows: rows[["c", "v"]],
    "codes": lambda rows: rows["c"].cat.codes,
    "categories": lambda rows: rows["c"].cat.categories,
    "renamed": lambda rows: rows["c"].cat.rename_categories(["w", "x", "y", "z"]),
    "order": lambda rows: rows["c"].cat.as_ordered() < "c",
    "groups": lambda rows: rows.groupby("c", observed=False)["v"].sum(),
    "seen groups": lambda rows: rows.groupby("c", observed=True)["v"].sum(),
    "sizes": lambda rows: rows.groupby("c", observed=False).size(),
    "counts": lambda rows: rows["c"].value_counts().sort_index(),
    "text": lambda rows: rows.astype({"c": "str"})["c"],
    "mapped": lambda rows: rows["c"].map({"a": 1, "b": 2}),
    "all mapped": lambda rows: rows["c"].map({"a": "x", "b": "y", "c": "z", "d": "w"}),
    "filled": lambda rows: rows["c"].fillna("b"),
    "indicators": lambda rows: indicators(rows[["c"]]),
    "twice": lambda rows: together([rows[["c"]], rows[["c"]]]),
    "counts of groups": lambda rows: rows.groupby("s")["c"].value_counts().sort_index(),
    "merged": lambda rows: rows[["c", "v"]].merge(rows[["c"]].drop_duplicates(), on="c"),
    "joined": lambda rows: rows[["c", "v"]].join(pd.DataFrame({"w": [1, 2]}, index=["a", "c"]), on="c"),
}


def indicators(rows):
    return (pd if isinstance(rows, pd.DataFrame) else rd).get_dummies(rows)


def together(rows):
    return (pd if isinstance(rows[0], pd.DataFrame) else rd).concat(rows)


def expected_of(change, result):
    return result(change(ROWS.assign(c=ROWS["s"].astype("category"))))


def same(found, expected):
    if isinstance(expected, pd.Index):
        return pd.testing.assert_index_equal(found, expected)
    rowless = lambda one: one.sort_values(list(one)).reset_index(drop=True) if one.ndim == 2 else one
    check = pd.testing.assert_frame_equal if expected.ndim == 2 else pd.testing.assert_series_equal
    check(rowless(found), rowless(expected), check_index_type=False)


@pytest.mark.parametrize(("source", "parts"), PLACES, ids=lambda one: getattr(one, "__name__", str(one)))
@pytest.mark.parametrize("left", LEFT)
def test_what_depends_on_categories(left, source, parts, tmp_path):
    rows = LEFT[left](source(parts, tmp_path))
    # The keys of a join without rows are of the type that pandas has for one with rows.
    results = {name: result for name, result in RESULTS.items() if (left, name) != ("none", "joined")}
    found = {name: result(rows) for name, result in results.items()}
    lazy = [name for name, one in found.items() if not isinstance(one, pd.Index)]
    found |= dict(zip(lazy, raskt.compute(*[found[name] for name in lazy]), strict=True))
    for name, result in results.items():
        try:
            same(found[name], expected_of(LEFT[left], result))
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


def test_categories_are_known_from_the_first_operation_on():
    counted = []

    def made(rows):
        counted.append(len(rows))
        return rows.assign(c=rows["s"].astype("category"))

    meta = part_of((0, 0)).astype({"c": pd.CategoricalDtype(pd.Index([], dtype="str"))})
    rows = rd.from_pandas(ROWS, npartitions=2).map_partitions(made, meta=meta)
    called = len(counted)
    # What a collection looks like, and columns of other types, need no categories.
    assert (list(rows.columns), rows.npartitions, str(rows.dtypes["c"])) == ([*ROWS, "c"], 2, "category")
    assert "category" in repr(rows)
    (rows["v"] + 1).compute()
    rows.compute()
    assert len(counted) == called + 4
    left = rows[rows["v"] > 6]
    assert len(counted) == called + 6
    assert left["c"].cat.known and list(left["c"].cat.categories) == list("abcd")
    assert len(counted) == called + 6


#: What can be done without a look at the categories of `c`.
WITHOUT = {
    "length": lambda rows: len(rows) == len(ROWS),
    "shape": lambda rows: rows.shape[0].compute() == len(ROWS),
    "divisions": lambda rows: len(rows.divisions) == 3,
    "without": lambda rows: list(rows.drop(columns="c")[rows["v"] > 6].compute()["v"]) == [7, 8],
    "deleted": lambda rows: list(without(rows)[rows["v"] > 6].compute()["v"]) == [7, 8],
    "other columns": lambda rows: list(rows[["v"]][rows["v"] > 6].compute()["v"]) == [7, 8],
    "one more column": lambda rows: list(rows.assign(w=rows["v"] * 2).compute()["w"]) == list(ROWS["v"] * 2),
    "one more of categories": lambda rows: list(rows.assign(w=rows["s"].astype("category")).compute()["w"]) == TEXTS,
    "labels": lambda rows: list(rows.index.compute()) == list(ROWS.index),
    "groups": lambda rows: rows.groupby("s")["v"].sum().compute()["a"] == ROWS.groupby("s")["v"].sum()["a"],
    "sizes": lambda rows: rows.groupby("s").size().compute()["a"] == 2,
    "moved in groups": lambda rows: rows.groupby("s")["v"].cumsum().compute().tolist() == SUMS,
    "partitions": lambda rows: rows.repartition(npartitions=3).compute().shape == (len(ROWS), 4 + ("w" in rows)),
}
TEXTS = list(ROWS["s"])
SUMS = ROWS.groupby("s")["v"].cumsum().tolist()


def without(rows):
    rows = rows.copy()
    del rows["c"]
    return rows


@pytest.mark.parametrize("what", WITHOUT)
def test_what_needs_no_categories_computes_none(what):
    counted = []

    def made(rows):
        counted.append(len(rows))
        return rows.assign(c=rows["s"].astype("category"))

    meta = part_of((0, 0)).astype({"c": pd.CategoricalDtype(pd.Index([], dtype="str"))})
    rows = rd.from_pandas(ROWS, npartitions=2).map_partitions(made, meta=meta)
    called = len(counted)
    assert WITHOUT[what](rows)
    assert len(counted) <= called + 2


KINDS = {"numbers": "float64", "text": "str", "objects": "object"}
#: What is made of rows of which a column has no value.
OF_NONE = {
    "filtered": lambda rows, lib: rows[rows["v"] > 1]["c"],
    "first of groups": lambda rows, lib: rows.groupby("k")["c"].first(),
    "last of groups": lambda rows, lib: rows.groupby("k")["c"].last(),
    "together": lambda rows, lib: lib.concat([rows[rows["v"] > 1], rows])["c"],
    "merged": lambda rows, lib: rows[rows["v"] > 1].merge(rows[["v", "c"]], on="v")["c_x"],
    "sorted": lambda rows, lib: rows.sort_values("c")["c"],
    "shifted": lambda rows, lib: rows["c"].shift(1),
    "counts": lambda rows, lib: rows["c"].value_counts(),
    "categories": lambda rows, lib: rows["c"].cat.add_categories([7]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", OF_NONE)
def test_columns_without_values_have_no_categories(what, kind):
    frame = pd.DataFrame({"x": [None, None, None], "v": [1, 2, 3], "k": [1, 1, 2]}).astype({"x": KINDS[kind]})
    lazy = rd.from_pandas(frame, npartitions=2)
    frame, lazy = (rows.assign(c=rows["x"].astype("category")) for rows in (frame, lazy))
    expected, found = OF_NONE[what](frame, pd), OF_NONE[what](lazy, rd).compute()
    if what == "counts":
        expected, found = expected.index, found.index
    assert list(found.dtype.categories) == list(expected.dtype.categories)
    if what != "categories":
        assert found.dtype == expected.dtype


def sizes(rows):
    return pd.Series(
        pd.Categorical(rows, categories=["low", "mid", "high"], ordered=True), index=rows.index, name=rows.name
    )


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_orders_that_nothing_says_are_refused(parts, ordered):
    lazy = rd.from_pandas(pd.Series(["low", "mid", "high"], name="c"), npartitions=parts)
    meta = pd.Series([], dtype=pd.CategoricalDtype(None, ordered=ordered), name="c")
    made = lazy.map_partitions(sizes, meta=meta)
    for result in (lambda: made.max().compute(), lambda: made.compute(), lambda: made.sort_values().compute()):
        with pytest.raises(ValueError, match="nothing says the order" if ordered else "categories are ordered"):
            result()
    said = lazy.map_partitions(sizes, meta=sizes(lazy.compute()).iloc[:0])
    assert (said.max().compute(), said.sort_values().compute().tolist()) == ("high", ["low", "mid", "high"])


def test_unknown_categories_can_be_made_known():
    known = rd.from_pandas(ROWS["s"].astype("category"), npartitions=2)
    unknown = known.cat.as_unknown()
    assert known.cat.known and not unknown.cat.known
    assert unknown.cat.as_known().cat.known and unknown.cat.known


def test_categories_that_none_has():
    rows = rd.from_pandas(pd.DataFrame({"x": [None, None, None], "v": [1, 2, 3]}, dtype="float64"), npartitions=2)
    codes = rows.assign(c=rows["x"].astype("category"))[rows["v"] > 1]["c"].cat.codes
    assert codes.compute().tolist() == [-1, -1]


def test_rows_that_are_others_the_next_time_are_refused():
    times = iter("abcdefgh")
    rows = rd.from_pandas(ROWS[["v"]], npartitions=1)
    meta = {"v": "int64", "c": pd.CategoricalDtype(pd.Index([], dtype="str"))}
    made = rows.map_partitions(lambda part: part.assign(c=pd.Categorical([next(times)] * len(part))), meta=meta)
    with pytest.raises(ValueError, match="others than when its categories were computed"):
        made["c"].shift(0).compute()


TYPES = {
    "text": pd.Series(list("cabacb")),
    "integers": pd.Series([3, 1, 2, 1, 0, 2]),
    "floats": pd.Series([1.5, 2.0, 0.5, 2.0, 1.5, 1.0]),
    "times": pd.to_datetime(
        pd.Series(["2020-01-02", "2020-01-01", "2020-01-03", "2020-01-01", "2020-01-01", "2020-01-02"])
    ),
    "periods": pd.Series(pd.period_range("2020-01", periods=3, freq="M").take([2, 0, 1, 0, 2, 1])),
    "objects": pd.Series([1, "a", 2.5, 1, "a", 2.5], dtype=object),
    "nullable": pd.Series([3, 1, 2, 1, 0, 2], dtype="Int64"),
}


@pytest.mark.parametrize("missing", [None, 0, 5])
@pytest.mark.parametrize(
    "wanted", ["str", "object", "int64", "float64", "string", "Int64", "datetime64[ns]", "category"]
)
@pytest.mark.parametrize("kind", TYPES)
def test_categories_as_another_type(kind, wanted, missing):
    values = TYPES[kind].astype("category")
    frame = pd.DataFrame({"c": values if missing is None else values.where(values.index != missing), "v": range(6)})
    lazy = rd.from_pandas(frame, npartitions=3)
    try:
        expected = frame.astype({"c": wanted})
    except (TypeError, ValueError):
        with pytest.raises((TypeError, ValueError)):
            lazy.astype({"c": wanted}).compute()
    else:
        pd.testing.assert_frame_equal(lazy.astype({"c": wanted}).compute(), expected)


@pytest.mark.parametrize("how", ["count", "sum", "first", "size", "mean", "nunique", "max", "idxmax"])
@pytest.mark.parametrize(
    "options", [{}, {"dropna": False}, {"sort": False}, {"dropna": False, "observed": True}], ids=str
)
@pytest.mark.parametrize("keys", [lambda rows: rows["c"], lambda rows: [rows["c"], rows["k"]], lambda rows: "c"])
def test_columns_that_are_keys_are_no_values(keys, options, how):
    frame = pd.DataFrame({"k": [1, 2, 1, 2, 1, 2], "v": range(6), "c": pd.Categorical(list("cabacb"))})
    lazy = rd.from_pandas(frame, npartitions=2)
    options = {"observed": False, **options}
    if how == "idxmax":
        frame, lazy = frame.assign(k=1), lazy.assign(k=1)
    expected = getattr(frame.groupby(keys(frame), **options), how)()
    found = getattr(lazy.groupby(keys(lazy), **options), how)().compute()
    if how in ("first", "max"):
        # Of a category without rows there is none, so that integers are promised as floats.
        expected = expected.astype({name: found.dtypes[name] for name in {"k", "v"} & set(expected)})
    same(found, expected)


def test_finding_categories_undoes_no_change_of_another_thread():
    started, changed = threading.Event(), threading.Event()

    def part(at):
        if at == 0 and not started.is_set():
            started.set()
            changed.wait(5)
        return pd.DataFrame({"x": [at], "c": ["ab"[at]]})

    meta = pd.DataFrame({"x": [0], "c": ["a"]}).iloc[:0]
    lazy = rd.from_map(part, [0, 1], meta=meta)
    lazy = lazy.assign(c=lazy["c"].astype("category"))
    with ThreadPoolExecutor(1) as pool:
        count = pool.submit(len, lazy)
        assert started.wait(5)
        lazy["y"] = 1.0
        changed.set()
        assert count.result() == 2
    assert list(lazy.columns) == ["x", "c", "y"]
    assert lazy.compute()["y"].tolist() == [1.0, 1.0]
