"""A persisted index has its labels, and so has what goes over the labels of an index one by one."""

import inspect

import pandas as pd
import pytest

import raskt.dataframe as rd

LABELS = {
    "named rows": pd.RangeIndex(4, name="n"),
    "ordered": pd.Index([2, 3, 5, 8], dtype="int16"),
    "text": pd.Index(["b", "a", None, "cc"], name="w"),
    "times": pd.date_range("2020", periods=4, freq="6h", name="t"),
    "zoned": pd.DatetimeIndex(["2020-01-03", "2020-01-01", None, "2020-01-01"], tz="Europe/Berlin"),
    "spans": pd.timedelta_range("1h", periods=4, freq="30min"),
    "nullable": pd.Index(pd.array([1, 2, None, 2], dtype="Int64"), name="i"),
    "objects": pd.Index([(1, "a"), "b", 3, None], dtype=object, tupleize_cols=False),
}
OPERATIONS = {
    "part": lambda index: index[:2],
    "backwards": lambda index: index[::-1],
    "marked": lambda index: index[[True, False, True, True]],
    "equal": lambda index: index == index,
    "moved": lambda index: index.shift(1, "D"),
    "found": lambda index: index.isin(["a", 2, "x"]),
    "mapped": lambda index: index.map(str),
    "text": lambda index: index.astype(str),
    "without": lambda index: index.drop([2, "a"], errors="ignore"),
    "first partition": lambda index: index.partitions[0],
    "divided": lambda index: index.repartition(npartitions=1),
    "name": lambda index: index.rename("other"),
    "chosen": lambda index: index.where(index == index),
    "joined": lambda index: index.to_series().to_frame().index,
    "type": lambda index: index.dtype,
    "step": lambda index: index.freq,
    "called": lambda index: index.name,
}
#: What writes somewhere, draws by chance, speaks of the plan, or hands over tasks.
APART = ("to_csv", "to_json", "to_sql", "sample", "explain", "visualize", "info", "to_delayed", "persist", "pprint",
         "get_partition", "memory_usage_per_partition", "ask", "pipe", "random_split")  # fmt: skip


def bare_methods():
    """The methods of an index that can be called without arguments."""
    index = rd.from_pandas(pd.Series([1, 2]), npartitions=1).index
    for name, method in inspect.getmembers(type(index), callable):
        if name.startswith("_") or name in APART:
            continue
        parameters = list(inspect.signature(method).parameters.values())[1:]
        if all(one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
            yield name


METHODS = {name: lambda index, name=name: getattr(index, name)() for name in bare_methods()} | OPERATIONS


def index_of(labels, npartitions):
    rows = pd.DataFrame({"x": [1, 2, 3, 4]}, index=labels)
    return rd.from_pandas(rows, npartitions=npartitions, sort=False).index


def outcome(function, index):
    try:
        found = function(index)
        found = found.compute() if hasattr(found, "compute") else found
    except Exception as error:
        return type(error)
    if isinstance(found, pd.DataFrame | pd.Series | pd.Index):
        index = found if isinstance(found, pd.Index) else found.index
        return found, getattr(index, "freq", None)
    return str(found)


def check_alike(found, expected):
    if not isinstance(expected, tuple):
        assert found == expected
        return
    assert type(found[0]) is type(expected[0])
    compare = {pd.DataFrame: pd.testing.assert_frame_equal, pd.Series: pd.testing.assert_series_equal}
    compare.get(type(expected[0]), pd.testing.assert_index_equal)(found[0], expected[0])
    assert found[1] == expected[1]


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_a_persisted_index_give_what_they_give_before(name):
    for labels in LABELS.values():
        index = index_of(labels, 2)
        check_alike(outcome(METHODS[name], index.persist()), outcome(METHODS[name], index))


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("npartitions", [1, 3])
def test_a_persisted_index_is_the_index(kind, npartitions):
    index = index_of(LABELS[kind], npartitions)
    kept = index.persist()
    pd.testing.assert_index_equal(kept.compute(), index.compute())
    pd.testing.assert_index_equal(kept.to_series().index.compute(), index.to_series().index.compute())
    assert (kept.divisions, kept.npartitions, kept.name) == (index.divisions, index.npartitions, index.name)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("npartitions", [1, 3])
def test_an_index_is_iterated_over_by_its_labels(kind, npartitions):
    labels = LABELS[kind]
    assert repr(list(index_of(labels, npartitions))) == repr(list(labels))


@pytest.mark.parametrize("level", [0, "q"])
def test_one_level_of_several_is_one_of_labels(level):
    labels = pd.MultiIndex.from_arrays([[1, 1, 2, 2], list("wxyz")], names=["p", "q"])
    one = index_of(labels, 2).get_level_values(level)
    expected = labels.get_level_values(level)
    assert list(one) == list(expected)
    pd.testing.assert_index_equal(one.persist().compute(), expected)
    pd.testing.assert_index_equal(one.persist().to_series().index.compute(), expected)
