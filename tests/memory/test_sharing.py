"""What others refer to or write to stays in memory, and only that."""

from __future__ import annotations

import ctypes
import datetime
import gc
import pickle
import weakref
from collections import defaultdict
from collections.abc import Callable
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from memory_running import wait_until
from memory_short import limited, make, squeeze

from raskt import delayed
from raskt._sharing import is_shared
from raskt.diagnostics import memory

pa = pytest.importorskip("pyarrow")

COUNT = 2**16
NAMES = ("a", "b")


def zeros() -> np.ndarray:
    """Zeros that begin where memory of Arrow's never does."""
    whole = np.zeros(COUNT + 8)
    return whole[(72 - whole.ctypes.data % 64) // 8 :][:COUNT]


OTHERS = zeros()
VIEW = memoryview(bytearray(8 * COUNT))


class Other:
    """Refers to something that nobody knows of."""

    def __init__(self, referred_to: Any = None) -> None:
        self.referred_to = referred_to

    def make(self) -> int:
        return 1


def is_away(name: str) -> bool:
    return any(holder.away > 0 for holder in memory().holders if holder.name == name)


def with_attributes(**attributes: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"a": np.arange(COUNT)})
    frame.attrs.update(attributes)
    return frame


def every_kind_of_column() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "numbers": np.arange(COUNT),
            "texts": "text",
            "masked": pd.array([1, None] * (COUNT // 2), dtype="Int64"),
            "truths": pd.array([True, None] * (COUNT // 2), dtype="boolean"),
            "times": pd.date_range("2020", periods=COUNT, tz="Europe/Oslo"),
            "periods": pd.period_range("1970", periods=COUNT, freq="h"),
            "intervals": pd.interval_range(0, COUNT),
            "sparse": pd.arrays.SparseArray(np.zeros(COUNT)),
            "categories": pd.Categorical(["x", "y"] * (COUNT // 2)),
        }
    )


SOLE: dict[str, Callable[[], Any]] = {
    "literal": lambda: (np.ones(COUNT), (1, 2)),
    "names": lambda: {"x": np.ones(COUNT), "names": NAMES},
    "nothing": lambda: [np.ones(COUNT), (), b"", frozenset(), None, True, 1.5, 2j, "text", ("a", (1, b"b"))],
    "elements": lambda: [np.ones(COUNT), np.float64(1), np.bool_(True), np.datetime64("2020"), np.int8(1)],
    "a small array": lambda: [np.ones(COUNT), np.arange(3)],
    "parts": lambda: np.split(np.arange(float(COUNT)), 4),
    "the same twice": lambda: [np.ones(COUNT)] * 2,
    "nested": lambda: {"a": [np.ones(COUNT), {"b": (np.ones(3),)}], ("k", 1): bytearray(5)},
    "transposed": lambda: [np.arange(float(COUNT)).reshape(-1, 16).T],
    "bytes": lambda: np.frombuffer(bytes(8 * COUNT)),
    "bytes of its own": lambda: np.frombuffer(bytearray(8 * COUNT)),
    "unpickled": lambda: pickle.loads(pickle.dumps([np.arange(float(COUNT))], protocol=5)),
    "unpickled frame": lambda: pickle.loads(
        pickle.dumps(pd.DataFrame({"a": np.arange(COUNT)}, index=np.arange(COUNT) * 0.5), protocol=5)
    ),
    "columns": every_kind_of_column,
    "levels": lambda: pd.DataFrame(
        {"a": np.arange(COUNT)}, index=pd.MultiIndex.from_arrays([np.arange(COUNT), ["x"] * COUNT])
    ),
    "attributes": lambda: with_attributes(names=["a", "b"], more={"x": 1}),
    "sorted": lambda: pd.DataFrame({"a": np.arange(COUNT), "b": "x"}).sort_values("a", ascending=False),
    "concatenated": lambda: pd.concat([pd.DataFrame({"a": np.arange(COUNT), "b": 1.5})] * 2),
    "grouped": lambda: pd.DataFrame({"a": np.arange(COUNT), "b": 1.5}).groupby("a").sum(),
    "rows": lambda: pd.DataFrame({"a": np.arange(2 * COUNT), "b": 1.5})[COUNT:].reset_index(drop=True),
    "frames": lambda: [pd.DataFrame({"a": np.arange(COUNT)}), pd.Series(np.arange(COUNT))],
    "of Arrow": lambda: pa.table({"a": list(range(COUNT)), "s": ["x"] * COUNT}),
    "slice of Arrow": lambda: pa.table({"a": list(range(2 * COUNT))}).slice(COUNT),
    "texts of Arrow": lambda: pa.array(["x", "y"] * COUNT).dictionary_encode(),
    "from Arrow": lambda: pa.table({"a": list(range(COUNT)), "b": list(range(COUNT))}).to_pandas(),
}


@pytest.mark.parametrize("kind", SOLE)
def test_what_nobody_else_has_leaves_and_comes_back(tmp_path: Path, kind: str) -> None:
    assert not is_shared(SOLE[kind]())

    def sole() -> Any:
        return SOLE[kind]()

    with limited(tmp_path):
        kept = delayed(sole)().persist()
        squeeze()
        wait_until(lambda: is_away("sole"), "it stays")
        assert_same(kept.compute(), SOLE[kind]())


def assert_same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected)
    elif isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_freq=False)
        assert found.attrs == expected.attrs
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected)
    elif isinstance(expected, pa.Table | pa.Array):
        assert found.equals(expected)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        assert_same(list(found.values()), list(expected.values()))
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    else:
        assert found == expected


def overlapping() -> list[Any]:
    whole = np.zeros(COUNT)
    return [whole, whole[1:]]


def interleaved() -> list[Any]:
    whole = np.zeros(COUNT)
    return [whole[::2], whole[1::2]]


def over_one_buffer() -> list[Any]:
    owner = bytearray(8 * COUNT)
    return [np.frombuffer(owner), np.frombuffer(owner)]


def buffer_and_view() -> list[Any]:
    owner = bytearray(8 * COUNT)
    return [owner, np.frombuffer(owner)]


def made_by_a_method() -> dict[str, Any]:
    made: dict[str, Any] = defaultdict(Other().make)
    made["a"] = np.ones(COUNT)
    return made


def without_owner() -> Any:
    """An array as extensions make them over memory of their own (`PyArray_SimpleNewFromData`)."""
    from numpy._core import _multiarray_umath as numpy_core

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    functions = ctypes.cast(pointer(numpy_core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    number, place = ctypes.c_int, ctypes.c_void_p
    lengths = ctypes.POINTER(ctypes.c_ssize_t)
    kind = ctypes.PYFUNCTYPE(
        *(ctypes.py_object, ctypes.py_object, number, lengths, number, place, place, number, number, place)
    )
    new = kind(functions[NEW_ARRAY])
    return new(np.ndarray, 1, (ctypes.c_ssize_t * 1)(COUNT), DOUBLE, None, ctypes.addressof(MEMORY), 0, WRITEABLE, None)


NEW_ARRAY, DOUBLE, WRITEABLE = 93, 12, 0x501
"""Numbers in NumPy's C interface."""

MEMORY = (ctypes.c_double * COUNT)()

FRAME = pd.DataFrame({"a": np.arange(COUNT), "c": pd.Categorical(["x"] * COUNT)})
VALUES = FRAME["a"].to_numpy()
CODES = pd.DataFrame({"c": pd.Categorical(["x"] * COUNT)})
CATEGORICAL = CODES["c"].array

NAMES_MET: list[str] = []
RECORDS = np.zeros(3, [("a", "i4")])


class Zone(datetime.tzinfo):
    """A time zone that is told by which object it is."""

    def utcoffset(self, at: datetime.datetime | None) -> datetime.timedelta:
        return datetime.timedelta(hours=1)


class Doubling(dict):  # type: ignore[type-arg]
    """Would hold other things if its elements were put into it again."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, [value, value])


class Last(list):  # type: ignore[type-arg]
    """Does something when it goes."""

    def __del__(self) -> None:
        RECORDS["a"] += 1


SHARED: dict[str, Callable[[], Any]] = {
    "bytes of others": lambda: np.frombuffer(VIEW.obj),
    "view of bytes of others": lambda: np.frombuffer(VIEW),
    "in a list": lambda: [OTHERS],
    "view in a tuple": lambda: (OTHERS[5:], 1),
    "deep": lambda: {"a": ([{"b": OTHERS}],)},
    "overlapping": overlapping,
    "interleaved": interleaved,
    "an object": lambda: [np.ones(COUNT), Other()],
    "frame over an array": lambda: pd.DataFrame(OTHERS.reshape(-1, 1), copy=False),
    "values of a frame": lambda: FRAME,
    "array of a frame": lambda: CODES,
    "attributes": lambda: with_attributes(others=OTHERS),
    "object among attributes": lambda: with_attributes(other=Other()),
    "method of an object among attributes": lambda: with_attributes(note=NAMES_MET.append),
    "objects in a set": lambda: with_attributes(others={Other()}),
    "a time of somebody's zone": lambda: with_attributes(at=datetime.datetime(2020, 1, 1, tzinfo=Zone())),
    "a record of others": lambda: with_attributes(record=RECORDS[0]),
    "a dictionary with rules": lambda: with_attributes(doubled=Doubling(a=1)),
    "a list that says when it goes": lambda: [np.ones(COUNT), Last()],
    "a part of another class's": lambda: [np.asarray(np.zeros((9, 9)).view(np.matrix).copy())],
    "bytes and an array over them": lambda: (lambda own: [own, np.frombuffer(own)])(bytes(8 * COUNT)),
    "Arrow over an array": lambda: pa.table({"x": pa.array(OTHERS)}),
    "slice of Arrow over an array": lambda: [pa.array(OTHERS).slice(7)],
    "in a list beside others": lambda: [np.ones(3), VIEW.obj],
    "two arrays over one buffer": over_one_buffer,
    "a buffer and an array over it": buffer_and_view,
    "a method that makes what is missing": made_by_a_method,
    "a number that is found by what object it is": lambda: {np.nan: np.ones(COUNT)},
    "windows that overlap": lambda: np.lib.stride_tricks.sliding_window_view(make(0), 8),
    "rows that overlap": lambda: [np.ndarray((COUNT - 1, 2), "f8", buffer=make(0), strides=(8, 8))],
    "memory of nobody knows whom": without_owner,
    "the same in a list": lambda: [without_owner()],
}


@pytest.mark.parametrize("kind", SHARED)
def test_what_others_have_is_told(kind: str) -> None:
    assert is_shared(SHARED[kind]())


def test_what_has_weak_references_is_told() -> None:
    array, inside = np.ones(COUNT), [np.ones(COUNT)]
    assert not is_shared(array)
    assert not is_shared(inside)
    references = [weakref.ref(array), weakref.ref(inside[0])]
    assert is_shared(array)
    assert is_shared(inside)
    del references
    assert not is_shared(array)
    assert not is_shared(inside)


def test_what_others_write_to_is_seen_as_without_a_limit(tmp_path: Path) -> None:
    own = bytearray(8 * COUNT)
    shared = shared_memory.SharedMemory(create=True, size=8 * COUNT)
    column, array = np.zeros((COUNT, 1)), zeros()
    makers: list[Callable[[], Any]] = [
        lambda: np.frombuffer(own),
        lambda: np.ndarray((COUNT,), float, buffer=shared.buf),
        lambda: np.frombuffer(shared.buf, float, count=COUNT),
        lambda: pd.DataFrame(column, copy=False),
        lambda: pa.table({"x": pa.array(array)}),
        lambda: [np.ones(COUNT), array],
    ]
    try:
        with limited(tmp_path):
            kept = [delayed(maker)().persist() for maker in makers]
            squeeze()
            own[:8] = np.float64(7).tobytes()
            np.ndarray((COUNT,), float, buffer=shared.buf)[0] = 7
            column[0, 0] = array[0] = 7
            found = [one.compute() for one in kept]
            assert [float(first[0]) for first in found[:3]] == [7] * 3
            assert found[3].iloc[0, 0] == 7
            assert found[4]["x"][0].as_py() == 7
            assert found[5][1][0] == 7
            del found, kept
            gc.collect()
    finally:
        shared.unlink()


def test_a_container_that_came_to_hold_other_things_stays(tmp_path: Path) -> None:
    def container() -> list[Any]:
        return [np.ones(COUNT)]

    other = {"count": 0}
    with limited(tmp_path):
        kept = delayed(container)().persist()
        kept.compute().append(Other(other))
        squeeze()
        assert kept.compute()[1].referred_to is other
        # When it no longer does, it leaves again.
        kept.compute().pop()
        squeeze()
        wait_until(lambda: is_away("container"), "it stays")
        assert (kept.compute()[0] == 1).all()


def test_what_has_grown_counts_as_it_is_when_it_comes_back(tmp_path: Path) -> None:
    def grows() -> list[Any]:
        return [np.ones(COUNT)]

    def size() -> int:
        return sum(holder.held + holder.away for holder in memory().holders if holder.name == "grows")

    with limited(tmp_path):
        kept = delayed(grows)().persist()
        assert 8 * COUNT <= size() < 9 * COUNT
        kept.compute().append(np.ones(COUNT))
        squeeze()
        wait_until(lambda: is_away("grows"), "it stays")
        assert len(kept.compute()) == 2
        assert size() >= 16 * COUNT
