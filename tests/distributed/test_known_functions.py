"""Pickles of functions that are kept are those of functions that are the same; and arguments belong to their calls."""

from __future__ import annotations

import pickle
import sys
import types

import numpy as np
import pytest

from raskt._process import known
from raskt._process.unchangeable import OWN_BYTES, is_unchangeable, own
from raskt.distributed import Client


@pytest.fixture(autouse=True)
def main():
    """A main module of its own, in which code runs as in a script."""
    module, before = types.ModuleType("__main__"), sys.modules["__main__"]
    module.__builtins__ = __builtins__ if isinstance(__builtins__, types.ModuleType) else sys.modules["builtins"]
    sys.modules["__main__"] = module
    known._known.clear()
    yield module
    sys.modules["__main__"] = before


def dumps(function):
    from raskt._process.codec import dump_by_value

    return dump_by_value(function)


def pickled(function):
    """Its pickle, and whether that was known."""
    made = []

    def way(function):
        made.append(dumps(function))
        return made[-1]

    return known.pickled(function, way), not made


def defined(main, text, name="f"):
    exec(compile(text, "<script>", "exec"), main.__dict__)
    return main.__dict__[name]


@pytest.mark.parametrize(
    "text", ["def f(x): return x + 1", "f = lambda x: len(x)", "def f(x):\n  return [(lambda y: y + x)(z) for z in x]"]
)
def test_a_function_of_the_main_module_that_is_the_same_is_known(main, text):
    function = defined(main, text)
    first, was_known = pickled(function)
    again, is_known = pickled(function)
    assert (was_known, is_known) == (False, True) and again == first == dumps(function)


def test_functions_of_modules_are_known_by_their_names():
    import operator
    import os.path

    for function in (os.path.join, operator.neg, abs, pickle.whichmodule):
        pickled(function)
        assert pickled(function) == (dumps(function), True)


CHANGES = {
    "code": lambda f, main: setattr(f, "__code__", (lambda x: x + 2).__code__),
    "defaults": lambda f, main: setattr(f, "__defaults__", (5,)),
    "keyword defaults": lambda f, main: setattr(f, "__kwdefaults__", {"x": 5}),
    "attributes": lambda f, main: setattr(f, "mark", 1),
    "annotations": lambda f, main: setattr(f, "__annotations__", {"x": int}),
    "name": lambda f, main: setattr(f, "__name__", "g"),
    "qualified name": lambda f, main: setattr(f, "__qualname__", "C.g"),
    "text": lambda f, main: setattr(f, "__doc__", "another"),
    "module": lambda f, main: setattr(f, "__module__", "os.path"),
    "global name": lambda f, main: main.__dict__.update(len=lambda x: 5),
    "file": lambda f, main: main.__dict__.update(__file__="other.py"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_one_that_was_changed_isnt_known(main, change):
    function = defined(main, "def f(x): return len(x)")
    before = pickled(function)[0]
    CHANGES[change](function, main)
    data, is_known = pickled(function)
    assert not is_known and data == dumps(function) != before


@pytest.mark.parametrize(
    "text",
    [
        "n = 1\ndef f(x): return x + n",
        "def f(x, n=[]): return n",
        "def g(n): return lambda x: x + n\nf = g(1)",
        "def h(): return 1\ndef f(x): return h()",
        "def f(x: 'int'): return x",
    ],
)
def test_what_reads_what_may_change_is_never_known(main, text):
    function = defined(main, text)
    assert [pickled(function)[1] for _ in range(3)] == [False] * 3


def test_another_function_in_its_place_is_another_one(main):
    seen = set()
    for number in range(200):
        function = defined(main, f"def f(x): return x + {number}")
        data, _ = pickled(function)
        seen.add(pickle.loads(data)(1))
        del function
    assert len(seen) == 200 and len(known._known) <= known.KNOWN_MOST


def test_a_name_that_stands_for_something_else_is_looked_at():
    module = types.ModuleType("json")
    function = sys.modules["json"].dumps
    pickled(function)
    before, sys.modules["json"] = sys.modules["json"], module
    try:
        assert not pickled(function)[1]
    finally:
        sys.modules["json"] = before


def fixed(array):
    """The same, which nobody can have written to."""
    return np.frombuffer(array.tobytes(), array.dtype)


@pytest.mark.parametrize(
    "thing", [1, "a", b"a", None, (1, ("a",)), frozenset([1]), range(3), np.float64(1), fixed(np.ones(3))]
)
def test_what_nobody_can_change_is_everybodys(thing):
    assert is_unchangeable(thing) and own(thing) is thing


def locked():
    array = np.ones(3)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "thing", [[1], {1: 2}, {1}, bytearray(b"a"), (1, [2]), np.ones(3), locked(), np.array([[], 1], object)]
)
def test_what_somebody_can_change_is_copied_for_each(thing):
    assert not is_unchangeable(thing)
    mine = own(thing)
    assert mine is not thing and repr(mine) == repr(thing)
    if isinstance(thing, np.ndarray):
        assert not np.shares_memory(mine, thing) and mine.flags.writeable == thing.flags.writeable


def test_what_came_by_value_is_copied_as_well():
    class Own:
        def __init__(self):
            self.items = [1, 2]

    thing = Own()
    mine = own([thing])[0]
    assert mine is not thing and mine.items == [1, 2] and mine.items is not thing.items


def test_a_very_large_array_cant_be_written_to_instead():
    array = np.zeros(OWN_BYTES + 8, np.uint8)
    mine = own(array)
    assert np.shares_memory(mine, array) and not mine.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        mine[0] = 1
    assert array.flags.writeable


def change(number, thing):
    """Changes its argument, and says what was there."""
    if isinstance(thing, np.ndarray):
        thing[0] += 1
        return float(thing[0])
    if isinstance(thing, bytearray):
        thing[0] += 1
        return thing[0]
    if isinstance(thing, dict):
        thing["n"] = thing.get("n", 0) + 1
        return thing["n"]
    if hasattr(thing, "iloc"):
        thing.iloc[0, 0] += 1
        return float(thing.iloc[0, 0])
    thing.append(1)
    return thing.count(1)


def frame(rows):
    import pandas

    return pandas.DataFrame({"a": np.zeros(rows)})


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.zeros(3),
        lambda: np.zeros(100_000),
        lambda: [0] * 5,
        lambda: [0] * 100_000,
        lambda: bytearray(10),
        lambda: bytearray(200_000),
        dict,
        lambda: {"a": list(range(100_000))},
        lambda: frame(3),
        lambda: frame(50_000),
    ],
    ids=[
        "array",
        "large array",
        "list",
        "large list",
        "bytes",
        "large bytes",
        "dict",
        "large dict",
        "frame",
        "large frame",
    ],
)
def test_no_call_sees_what_another_has_done_to_an_argument(client: Client, make):
    thing = make()
    # Two workers, and many calls on each.
    assert client.gather(client.map(change, range(10), thing=thing)) == [1] * 10
    assert client.gather(client.map(change, range(10), [thing] * 10)) == [1] * 10
    assert [client.submit(change, number, thing).result() for number in range(3)] == [1] * 3


def test_what_nobody_can_change_is_read_once(client: Client):
    """The same object on each worker, however many calls have it."""
    (worker, *_) = client.nthreads()
    for thing in (
        "a" * 1000,
        tuple(range(1000)),
        frozenset(range(1000)),
        fixed(np.ones(1000)),
        fixed(np.ones(100_000)),
    ):
        found = client.gather(client.map(lambda _, thing: keep(thing), range(10), thing=thing, workers=[worker]))
        assert len(set(found)) == 1


def keep(thing):
    """Its address, which no other one gets."""
    from raskt.distributed import get_worker

    worker = get_worker()
    worker.kept = [*getattr(worker, "kept", []), thing]
    return id(thing)
