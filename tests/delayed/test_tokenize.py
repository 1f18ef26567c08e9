"""Tokens: equal for what is equal, different for what differs, the same in every process."""

from __future__ import annotations

import dataclasses
import enum
import functools
import operator
import os
import subprocess
import sys
import threading
from collections import Counter, OrderedDict, namedtuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import raskt
from raskt import TokenizationError, normalize_token, tokenize

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

Pair = namedtuple("Pair", "first second")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: object
    y: object = 0


class Plain:
    def __init__(self, content):
        self.content = content


def adder(amount):
    return lambda x: x + amount


def matrix():
    return np.arange(12.0).reshape(3, 4)


# Each entry makes an object anew; no two of them are the same thing.
DIFFERENT = {
    "none": lambda: None,
    "true": lambda: True,
    "one": lambda: 1,
    "one as float": lambda: 1.0,
    "one as complex": lambda: 1 + 0j,
    "minus one": lambda: -1,
    "large": lambda: 2**64,
    "very large": lambda: 10**5000,
    "text": lambda: "1",
    "text of another script": lambda: "é",
    "half a surrogate pair": lambda: "\ud800",
    "bytes": lambda: b"1",
    "bytearray": lambda: bytearray(b"1"),
    "long text": lambda: "a" * 5000,
    "longer text": lambda: "a" * 5001,
    "list": lambda: [1, 2],
    "list of another order": lambda: [2, 1],
    "list in list": lambda: [[1, 2]],
    "list cut elsewhere": lambda: [[1], 2],
    "tuple": lambda: (1, 2),
    "named tuple": lambda: Pair(1, 2),
    "set": lambda: {1, 2},
    "frozen set": lambda: frozenset({1, 2}),
    "dict": lambda: {1: 2},
    "other dict": lambda: {2: 1},
    "ordered dict": lambda: OrderedDict({1: 2}),
    "counter": lambda: Counter("aab"),
    "slice": lambda: slice(1, 2),
    "range": lambda: range(1, 2),
    "ellipsis": lambda: ...,
    "enum": lambda: Colour.RED,
    "other enum": lambda: Colour.BLUE,
    "dataclass": lambda: Point(1, [2]),
    "other dataclass": lambda: Point(1, [3]),
    "object": lambda: Plain(1),
    "other object": lambda: Plain([1]),
    "class": lambda: Plain,
    "other class": lambda: Point,
    "function": lambda: adder,
    "closure": lambda: adder(1),
    "other closure": lambda: adder(2),
    "lambda": lambda: lambda x: x * 2,
    "lambda with another constant": lambda: lambda x: x * 3,
    "lambda with a default": lambda: lambda x=1: x,
    "lambda with another default": lambda: lambda x=2: x,
    "builtin": lambda: len,
    "other builtin": lambda: sum,
    "operator": lambda: operator.add,
    "itemgetter": lambda: operator.itemgetter(1),
    "method of a builtin": lambda: "abc".upper,
    "method": lambda: Plain(1).__init__,
    "partial": lambda: functools.partial(max, 1),
    "other partial": lambda: functools.partial(max, 2),
    "module": lambda: os,
    "array": lambda: np.arange(3),
    "array of floats": lambda: np.arange(3.0),
    "array of a shape": lambda: np.arange(3).reshape(3, 1),
    "array of one other element": lambda: np.array([0, 1, 3]),
    "empty array": lambda: np.empty((0, 2)),
    "other empty array": lambda: np.empty((2, 0)),
    "strided array": lambda: matrix()[:, ::2],
    "transposed array": lambda: matrix().T,
    "array of dates": lambda: np.array(["2020-01-01"], "M8[D]"),
    "array of seconds": lambda: np.array(["2020-01-01"], "M8[s]"),
    "array of objects": lambda: np.array([1, "a", None], dtype=object),
    "structured array": lambda: np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")]),
    "array of other fields": lambda: np.array([(1, 2.0)], dtype=[("a", "i4"), ("c", "f4")]),
    "masked array": lambda: np.ma.array([1, 2, 3], mask=[0, 1, 0]),
    "array of another mask": lambda: np.ma.array([1, 2, 3], mask=[0, 0, 1]),
    "numpy scalar": lambda: np.float64(1),
    "data type": lambda: np.dtype("f8"),
    "ufunc": lambda: np.add,
    "other ufunc": lambda: np.subtract,
    "generator": lambda: np.random.default_rng(1),
    "other generator": lambda: np.random.default_rng(2),
    "frame": lambda: pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
    "frame of another index": lambda: pd.DataFrame({"a": [1, 2], "b": ["x", None]}, index=[1, 2]),
    "frame of other columns": lambda: pd.DataFrame({"a": [1, 2], "c": ["x", None]}),
    "series": lambda: pd.Series([1, 2], name="a"),
    "series of another name": lambda: pd.Series([1, 2], name="b"),
    "nullable series": lambda: pd.Series([1, None], dtype="Int64"),
    "other nullable series": lambda: pd.Series([None, 1], dtype="Int64"),
    "categories": lambda: pd.Categorical(["a", "b"]),
    "ordered categories": lambda: pd.Categorical(["a", "b"], ordered=True),
    "dates": lambda: pd.Series(pd.date_range("2020", periods=3)),
    "dates of a zone": lambda: pd.Series(pd.date_range("2020", periods=3, tz="Europe/Oslo")),
    "arrow series": lambda: pd.Series([1, 2], dtype="int64[pyarrow]"),
    "index": lambda: pd.Index([1, 2]),
    "range index": lambda: pd.RangeIndex(1, 3),
    "multi-index": lambda: pd.MultiIndex.from_product([[1, 2], ["a"]]),
    "interval index": lambda: pd.interval_range(0, 3),
    "arrow array": lambda: pa.array([1, None]),
    "other arrow array": lambda: pa.array([None, 1]),
    "arrow dictionary": lambda: pa.array(["a", "b"]).dictionary_encode(),
    "other arrow dictionary": lambda: pa.array(["a", "c"]).dictionary_encode(),
    "arrow table": lambda: pa.table({"a": [1]}),
    "arrow slice": lambda: pa.array([1, 2, 3, 4]).slice(1, 2),
    "arrow type": lambda: pa.int64(),
    "polars frame": lambda: pl.DataFrame({"a": [1]}),
    "polars series": lambda: pl.Series("a", [1]),
    "raskt array": lambda: raskt.array.arange(10, chunks=5) + 1,
    "other raskt array": lambda: raskt.array.arange(10, chunks=5) + 2,
    "pure call": lambda: raskt.delayed(len, pure=True)([1]),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_equal_objects_have_equal_tokens(name):
    make = DIFFERENT[name]
    assert tokenize(make(), ensure_deterministic=True) == tokenize(make(), ensure_deterministic=True)


def test_different_objects_have_different_tokens():
    tokens = {name: tokenize(make()) for name, make in DIFFERENT.items()}
    found: dict[str, str] = {}
    for name, token in tokens.items():
        assert token not in found, f"{name} and {found.get(token)} have one token"
        found[token] = name
    assert all(len(token) == 32 for token in found)


HERE = os.path.dirname(__file__)
SCRIPT = f"""
import sys
sys.path.insert(0, {HERE!r})
import test_tokenize as t
print("\\n".join(f"{{name}}\\t{{t.tokenize(make())}}" for name, make in t.DIFFERENT.items()))
"""


def test_tokens_are_the_same_in_every_process():
    def tokens(seed):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", SCRIPT]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    first = tokens("1")
    assert first.count("\n") == len(DIFFERENT)
    assert first == tokens("2")


@given(st.dictionaries(st.text(), st.integers()), st.sets(st.text()), st.randoms())
def test_order_of_dicts_and_sets_does_not_count(pairs, items, draw):
    shuffled = list(pairs.items())
    draw.shuffle(shuffled)
    again = list(items)
    draw.shuffle(again)
    assert tokenize(pairs, items) == tokenize(dict(shuffled), set(again))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


def same(a, b):
    """Equality that tells 1, 1.0 and True apart, and 0.0 from -0.0."""
    return repr_of(a) == repr_of(b)


def repr_of(value):
    if isinstance(value, dict):
        return "d", sorted((repr_of(key), repr_of(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [repr_of(item) for item in value]
    return type(value).__name__, repr(value)


@given(VALUES, VALUES)
def test_tokens_are_equal_where_values_are_the_same(a, b):
    assert (tokenize(a) == tokenize(b)) == same(a, b)


def test_the_layout_of_an_array_may_differ_but_not_its_elements():
    x = matrix()
    assert tokenize(x[:, ::2]) == tokenize(x[:, ::2].copy())
    assert tokenize(x.T) == tokenize(np.asfortranarray(x.T))
    y = x.copy()
    y[2, 3] = 0
    assert tokenize(x) != tokenize(y)


def test_a_frame_goes_by_its_content_and_not_by_its_blocks():
    apart = pd.DataFrame({"a": [1, 2]})
    apart["b"] = [3, 4]
    assert tokenize(apart) == tokenize(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))


def test_keywords_and_arguments_are_told_apart():
    assert tokenize(1, 2) != tokenize(2, 1)
    assert tokenize(1, 2) != tokenize((1, 2))
    assert tokenize(a=1) != tokenize(b=1)
    assert tokenize(a=1, b=2) == tokenize(b=2, a=1)
    assert tokenize() != tokenize(None)


def test_what_holds_itself_has_a_token():
    def ring(first):
        items = [first]
        items.append(items)
        return items

    assert tokenize(ring(1)) == tokenize(ring(1)) != tokenize(ring(2))


def test_what_is_nested_too_deep_is_refused():
    items: list = []
    for _ in range(10_000):
        items = [items]
    with pytest.raises(RecursionError, match="deep"):
        tokenize(items)


@pytest.mark.parametrize("make", [object, threading.Lock, lambda: (i for i in range(3))])
def test_what_nothing_is_known_of_is_random_or_refused(make):
    it = make()
    assert tokenize(it) != tokenize(it)
    assert tokenize([1, it]) != tokenize([1, it])
    with pytest.raises(TokenizationError, match="same in every process"):
        tokenize({"deep": [it]}, ensure_deterministic=True)


@pytest.mark.parametrize("method", ["__raskt_tokenize__", "__dask_tokenize__"])
def test_classes_say_what_tells_their_objects_apart(method):
    class Said:
        def __init__(self, told, untold):
            self.told, self.untold = told, untold

    setattr(Said, method, lambda self: self.told)
    assert tokenize(Said(1, object())) == tokenize(Said(1, object())) != tokenize(Said(2, object()))


def test_others_can_say_it_for_them():
    class Foreign:
        def __init__(self, number):
            self.number, self.lock = number, threading.Lock()

    class Derived(Foreign):
        pass

    @normalize_token.register(Foreign)
    def foreign(it):
        return type(it).__name__, it.number

    assert tokenize(Foreign(1), ensure_deterministic=True) == tokenize(Foreign(1))
    assert len({tokenize(Foreign(1)), tokenize(Foreign(2)), tokenize(Derived(1))}) == 3


def test_functions_made_at_run_time_go_by_the_globals_that_they_read():
    def made(constant):
        space = {"constant": constant, "unread": object()}
        exec("def f(x):\n    return x + constant", space)
        return space["f"]

    assert tokenize(made(1), ensure_deterministic=True) == tokenize(made(1)) != tokenize(made(2))


def test_local_classes_go_by_their_content():
    def made(constant):
        class Local:
            def value(self):
                return constant

        return Local

    assert tokenize(made(1)) == tokenize(made(1)) != tokenize(made(2))
    assert tokenize(made(1)()) != tokenize(made(2)())


@pytest.mark.own_process
def test_universal_functions_of_one_name_are_not_one_function():
    one, other = np.frompyfunc(lambda x: x + 1, 1, 1), np.frompyfunc(lambda x: x + 2, 1, 1)
    pure = [raskt.delayed(function, pure=True)(1) for function in (one, other)]
    assert raskt.compute(*pure) == (2, 3)
    assert tokenize(one) != tokenize(other)
    with pytest.raises(TokenizationError, match="isn't found there"):
        tokenize(one, ensure_deterministic=True)
