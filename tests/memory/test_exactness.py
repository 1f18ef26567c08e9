"""Arrays that leave memory come back with the flags, strides and owners that they had."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from memory_running import wait_until

import raskt
from raskt import delayed
from raskt._moving.arrays import Inexact
from raskt._spill import dump, load, measure
from raskt.diagnostics import memory

COUNT = 2**16

TYPES = [
    *("f8", ">i4", "u1", "c16", "M8[s]", "m8[D]", "S3", "V7", "e", "g"),
    np.dtype([("a", "i1"), ("b", "f8")], align=True),
    np.dtype([("a", "i1"), ("b", ">f8", (2,))]),
    np.dtype({"names": ["a"], "formats": ["f4"], "offsets": [4], "itemsize": 16}),
    np.dtype("f8", metadata={"unit": "m"}),
    np.dtype([("a", np.dtype("i4", metadata={"unit": "s"}))]),
]


def there_and_back(value: Any) -> Any:
    """What is read of what was written, which is other memory."""
    arrays, fixed, kept = dump(value)
    found = [
        np.frombuffer(array.tobytes() if is_fixed else bytearray(array.tobytes()), np.uint8)
        for array, is_fixed in zip(arrays, fixed, strict=True)
        if array.size
    ]
    assert len(found) == len(arrays)
    return load(found, kept)


def flags_of(array: np.ndarray) -> dict[str, Any]:
    """What somebody who has an array can see of it beside its elements."""
    flags = array.flags
    tried = array.view()
    try:
        tried.flags.writeable = True
    except ValueError:
        tried.flags.writeable = False
    return {
        "type": (array.dtype, array.dtype.metadata, array.dtype.isalignedstruct),
        "shape": array.shape,
        "strides": [stride for length, stride in zip(array.shape, array.strides, strict=True) if length > 1],
        "owner": (flags.owndata, array.base is None),
        "order": (flags.c_contiguous, flags.f_contiguous, flags.aligned),
        "writeable": (flags.writeable, tried.flags.writeable),
    }


def some_array(chosen: random.Random) -> np.ndarray:
    """An array of any type and order, over any memory, of which it shows any part."""
    dtype = np.dtype(chosen.choice(TYPES))
    shape = tuple(chosen.randint(1, 5) for _ in range(chosen.randint(0, 3)))
    count = int(np.prod(shape)) * dtype.itemsize
    data = bytes(number * 7 % 128 for number in range(count))
    over: list[Callable[[], np.ndarray]] = [
        lambda: np.frombuffer(data, dtype).reshape(shape),
        lambda: np.frombuffer(bytearray(data), dtype),
        lambda: np.ndarray(shape, dtype, memoryview(bytearray(b"odd" + data)), 3),
        lambda: np.frombuffer(data, dtype).reshape(shape).copy(order="F"),
        lambda: np.ndarray(shape, dtype, data).copy(),
    ]
    array = chosen.choice(over)()
    for _ in range(chosen.choice([0, 0, 1, 2, 3])):
        array = another(array, chosen)
    return array


def another(array: np.ndarray, chosen: random.Random) -> np.ndarray:
    way = chosen.randrange(6)
    axes = chosen.sample(range(array.ndim), array.ndim)
    if way == 0:
        return array[(..., *(slice(None, None, chosen.choice([1, 2, -1, -2])) for _ in axes))]
    if way == 1:
        return array.transpose(axes)
    if way == 2:
        return array.transpose(axes).copy(order="K")
    if way == 3:
        return array.view()
    if way == 4:
        return array[..., None]
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("seed", range(10))
def test_any_array_comes_back_as_it_was(seed: int) -> None:
    chosen = random.Random(seed)
    for _ in range(200):
        array = some_array(chosen)
        for value in (array, [array, array]):
            found = there_and_back(value)
            if isinstance(found, list):
                assert found[0] is found[1]
                found = found[0]
            assert type(found) is np.ndarray
            assert flags_of(found) == flags_of(array)
            # Elements and what is between their fields: a copy of records hasn't the latter.
            assert repr(found.tolist()) == repr(array.tolist())
            if array.flags.c_contiguous:
                assert found.tobytes() == array.tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_what_has_come_back_is_written_as_it_was_read(seed: int) -> None:
    chosen = random.Random(seed)
    for _ in range(100):
        once = there_and_back([some_array(chosen)])
        first, second = dump(once)[0], dump(there_and_back(once))[0]
        assert [part.tobytes() for part in first] == [part.tobytes() for part in second]


def test_parts_of_an_array_have_the_same_base_again() -> None:
    whole = np.arange(12.0).reshape(3, 4)
    for parts in (np.split(whole, 3), [whole[:2, ::2], whole[2]], {"a": whole.T, "b": whole[::-1]}):
        found = there_and_back(parts)
        one, other = found.values() if isinstance(found, dict) else found[:2]
        assert one.base is other.base
        one.base[...] = 7
        assert (one == 7).all() and (other == 7).all()


def test_rows_of_pandas_come_back_without_what_they_are_a_part_of() -> None:
    frame = pd.DataFrame({"a": np.arange(1000.0)}, index=np.arange(1000) * 3)
    part = frame[10:20]
    assert sum(array.size for array in dump(part)[0]) < 2000
    pd.testing.assert_frame_equal(there_and_back(part), part)
    strided = pd.Series(np.arange(1000.0)[::2])
    pd.testing.assert_series_equal(there_and_back(strided), strided)


def writeable_part() -> np.ndarray:
    whole = np.zeros(9)
    part = whole[1:]
    whole.flags.writeable = False
    return part


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.zeros(9, np.dtype("f8", metadata={"other": object()})),
        lambda: np.zeros(9, np.dtypes.StringDType()),
        writeable_part,
    ],
    ids=["metadata", "texts", "writeable part"],
)
def test_what_would_come_back_otherwise_isnt_written(make: Callable[[], np.ndarray]) -> None:
    array = make()
    if measure(array)[1] is not None:
        with pytest.raises(Inexact):
            dump([array])


def strided() -> list[np.ndarray]:
    array = np.arange(2.0 * COUNT)[::2]
    array.flags.writeable = False
    return [array]


def owned() -> list[np.ndarray]:
    return [np.arange(16.0 * COUNT)]


def turned() -> np.ndarray:
    return np.arange(2.0 * COUNT).reshape(2, -1, 8).transpose(1, 0, 2)


@pytest.mark.parametrize("make", [strided, owned, turned])
def test_arrays_have_their_flags_again_when_they_were_on_the_disk(tmp_path: Path, make: Callable[[], Any]) -> None:
    with raskt.config.set({"memory.limit": "4MiB", "memory.spill-path": str(tmp_path)}):
        kept = delayed(make)().persist()
        delayed(np.zeros)(2**19).persist()
        raskt.persist(*[delayed(np.full)(COUNT, float(seed)) for seed in range(16)])
        gc.collect()
        wait_until(lambda: any(each.away > 0 for each in memory().holders if each.name == make.__name__), "it stays")
        found = kept.compute()
    found, expected = (value[0] if isinstance(value, list) else value for value in (found, make()))
    assert flags_of(found) == flags_of(expected)
    np.testing.assert_array_equal(found, expected)
    if make is owned:
        found.resize(3, refcheck=False)
        assert found.tolist() == [0, 1, 2]
