"""Objects of Arrow and pandas over memory of others stay, wherever in them that is; what is theirs leaves."""

from __future__ import annotations

import gc
import mmap
from collections.abc import Callable
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from memory_running import wait_until

import raskt
from raskt import dataframe as rd
from raskt import delayed
from raskt._moving import arrow_layout
from raskt._sharing import is_shared
from raskt._spill import dump, load, measure
from raskt.diagnostics import memory

pa = pytest.importorskip("pyarrow")

COUNT = 2**14


def beginning_at(offset: int) -> np.ndarray:
    """Numbers that begin so many bytes behind where memory of Arrow's does."""
    whole = np.zeros(COUNT + 16, np.int64)
    start = (offset - whole.ctypes.data) % 64 // 8
    array = whole[start : start + COUNT]
    assert array.ctypes.data % 64 == offset
    return array


def numbers(array: np.ndarray) -> np.ndarray:
    array[:] = np.arange(COUNT)
    return array


MEMORY: dict[str, Callable[[], np.ndarray]] = {
    "its own": lambda: np.arange(COUNT),
    "aligned as Arrow's": lambda: numbers(beginning_at(0)),
    "aligned otherwise": lambda: numbers(beginning_at(8)),
    "bytes that change": lambda: numbers(np.frombuffer(bytearray(8 * COUNT), np.int64)),
    "a map": lambda: numbers(np.frombuffer(mmap.mmap(-1, 8 * COUNT), np.int64)),
    "of C": lambda: numbers(np.ctypeslib.as_array((np.ctypeslib.ctypes.c_int64 * COUNT)())),
}


def buffer_over(array: np.ndarray) -> Any:
    return pa.Array.from_buffers(pa.int64(), COUNT, [None, pa.py_buffer(array)])


def codes() -> np.ndarray:
    return np.zeros(2 * COUNT, np.int32)


def series(array: Any) -> pd.Series:
    return pd.Series(array, copy=False)


def labelled(labels: pd.Index) -> pd.DataFrame:
    return pd.DataFrame({"a": np.ones(len(labels))}, index=labels)


def sparse(array: np.ndarray) -> Any:
    made = pd.arrays.SparseArray(np.arange(1, COUNT + 1))
    return series(pd.arrays.SparseArray._simple_new(array, made.sp_index, made.dtype))


OVER: dict[str, Callable[[np.ndarray], Any]] = {
    "array": pa.array,
    "buffer": pa.py_buffer,
    "array over a buffer": buffer_over,
    "slice": lambda array: pa.array(array).slice(5),
    "table": lambda array: pa.table({"a": array}),
    "batch": lambda array: pa.record_batch([pa.array(array)], names=["a"]),
    "chunks": lambda array: pa.chunked_array([pa.array(array[:9]), pa.array(array[9:])]),
    "records": lambda array: pa.StructArray.from_arrays([pa.array(array)], ["a"]),
    "lists": lambda array: pa.ListArray.from_arrays(pa.array([0, COUNT]), pa.array(array)),
    "categories of Arrow": lambda array: pa.DictionaryArray.from_arrays(codes(), pa.array(array)),
    "lists of categories": lambda array: pa.ListArray.from_arrays(
        pa.array([0, COUNT]), pa.DictionaryArray.from_arrays(codes(), pa.array(array))
    ),
    "read again": lambda array: pa.Array._import_from_c_capsule(*pa.array(array).__arrow_c_array__()),
    "Arrow in pandas": lambda array: series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(array)]))),
    "column": series,
    "masked": lambda array: series(pd.arrays.IntegerArray(array, np.zeros(COUNT, bool))),
    "times": lambda array: series(array.view("M8[ns]")),
    "periods": lambda array: series(pd.arrays.PeriodArray(array, dtype="period[D]")),
    "intervals": lambda array: series(pd.arrays.IntervalArray.from_arrays(array, array)),
    "sparse": sparse,
    "labels": lambda array: labelled(pd.Index(array, copy=False)),
    "labels of Arrow": lambda array: labelled(pd.Index(pd.arrays.ArrowExtensionArray(pa.array(array)))),
    "labels of times": lambda array: labelled(pd.DatetimeIndex(array.view("M8[ns]"), copy=False)),
    "labels that were looked up": lambda array: looked_up(labelled(pd.Index(array, copy=False))),
    "level": lambda array: labelled(
        pd.MultiIndex([pd.Index(array, copy=False), ["b"]], [np.arange(COUNT), codes()[:COUNT]])
    ),
    "columns": lambda array: pd.DataFrame(np.ones((2, COUNT)), columns=pd.Index(array, copy=False)),
    "categories": lambda array: series(pd.Categorical.from_codes(codes(), categories=pd.Index(array, copy=False))),
}


def looked_up(frame: pd.DataFrame) -> pd.DataFrame:
    assert frame.loc[5, "a"] == 1
    return frame


def stays(value: Any) -> bool:
    return measure(value)[1] is None or is_shared(value)


@pytest.mark.parametrize("memory_kind", MEMORY)
@pytest.mark.parametrize("kind", OVER)
def test_what_is_over_memory_of_others_stays(kind: str, memory_kind: str) -> None:
    array = MEMORY[memory_kind]()
    value = OVER[kind](array)
    assert stays(value)
    assert stays([value]) or measure(value)[1] is None
    part = array[1:3]
    del array
    assert stays(value), "somebody still has a part of it"
    del part


COPIES = {"lists of categories", "read again"}
"""Of these nobody knows whose memory it is."""


@pytest.mark.parametrize("memory_kind", ["its own", "aligned as Arrow's", "aligned otherwise", "bytes that change"])
@pytest.mark.parametrize("kind", sorted({*OVER} - COPIES))
def test_it_leaves_when_nobody_else_has_it_and_again_when_it_was_back(kind: str, memory_kind: str) -> None:
    value = OVER[kind](MEMORY[memory_kind]())
    if measure(value)[1] is None:
        # Small ones stay anyway.
        assert measure(value)[0] < 2**16
    for _ in range(2):
        assert not is_shared(value)
        arrays, fixed, kept = dump(value)
        copies = [
            np.frombuffer(array.tobytes() if one else bytearray(array.tobytes()), np.uint8) if array.size else array
            for array, one in zip(arrays, fixed, strict=True)
        ]
        del arrays
        found = load(copies, kept)
        del copies
        assert found.equals(value)
        value = found


def test_all_is_known_of_this_version_of_arrow() -> None:
    known = arrow_layout.layout()
    assert known is not None
    assert len(known.of_objects) == 2 and len(known.of_libraries) == 1


def test_what_arrow_and_raskt_have_made_leaves() -> None:
    import pyarrow.compute as pc

    table = pa.table({"a": list(range(COUNT)), "b": ["text"] * COUNT, "c": [1.5, None] * (COUNT // 2)})
    made = {
        "computed": lambda: pc.add(table["a"], 1),
        "taken": lambda: table.take(pa.array([3, 2, 1] * COUNT)),
        "filtered": lambda: table.filter(pc.greater(table["a"], 3)),
        "grouped": lambda: table.group_by("b").aggregate([("a", "sum")]),
        "joined": lambda: table.join(table, "a", right_suffix="r"),
        "cast": lambda: table["a"].cast("string"),
        "through a file": lambda: pa.ipc.open_stream(written(table)).read_all(),
        "of pandas": lambda: table.to_pandas(),
        "of pandas with texts": lambda: table.to_pandas()["b"].str.upper(),
        "concatenated": lambda: pa.concat_tables([table, table]).combine_chunks(),
    }
    for name, make in made.items():
        assert not is_shared(make()), name
    frame = rd.from_pandas(pd.DataFrame({"a": np.arange(4 * COUNT), "b": ["text"] * 4 * COUNT}), npartitions=2)
    partition = frame[frame.a > 3].to_delayed()[0].compute(scheduler="sync")
    gc.collect()
    assert not is_shared(partition.assign(c=1.5).copy())


def written(table: Any) -> Any:
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


LABELS = pd.Index(np.arange(COUNT) * 2)


def test_labels_that_frames_share_hold_none_of_them() -> None:
    frame = labelled(LABELS)
    looked_up(pd.DataFrame({"a": np.ones(6 * COUNT)}, index=pd.Index(np.arange(6 * COUNT))))
    part = frame[5:]
    assert not is_shared(frame + 1)
    assert not is_shared(part + 1)
    assert frame.loc[4, "a"] == 1
    assert not is_shared(frame + 1)
    assert not is_shared(frame.rename_axis("other") + 1)
    levels = labelled(pd.MultiIndex.from_product([range(COUNT // 4), list("abcd")]))
    assert not is_shared(levels + 1)


class Other:
    """Equal to nothing but itself."""


OTHER = Other()

REFERRING: dict[str, Callable[[], Any]] = {
    "categories": lambda: series(pd.Categorical.from_codes(codes(), categories=[OTHER, "a"])),
    "columns": lambda: pd.DataFrame(np.ones((COUNT, 2)), columns=[OTHER, "a"]),
    "levels of columns": lambda: pd.DataFrame(
        np.ones((COUNT, 2)), columns=pd.MultiIndex.from_tuples([(OTHER, 1), ("a", 2)])
    ),
    "rows": lambda: labelled(pd.Index([OTHER] * COUNT)),
    "levels of rows": lambda: labelled(pd.MultiIndex.from_arrays([[OTHER] * COUNT, np.arange(COUNT)])),
    "categories of rows": lambda: labelled(pd.CategoricalIndex(pd.Categorical.from_codes(codes(), categories=[OTHER]))),
    "sparse": lambda: pd.DataFrame({"a": np.ones(COUNT), "b": pd.arrays.SparseArray([OTHER] * COUNT)}),
    "name": lambda: pd.Series(np.ones(COUNT), name=(OTHER, 1)),
    "name of rows": lambda: pd.Series(np.ones(COUNT), index=pd.RangeIndex(COUNT, name=OTHER)),
    "name of columns": lambda: pd.DataFrame(np.ones((COUNT, 2)), columns=pd.Index(["a", "b"], name=OTHER)),
    "attribute": lambda: with_attribute(pd.Series(np.ones(COUNT))),
    "attribute of rows": lambda: with_labels_attribute(labelled(pd.Index(np.arange(COUNT) * 2))),
    "categories of a column beside others": lambda: pd.DataFrame(
        {"a": np.ones(COUNT), "b": pd.Categorical.from_codes(codes()[:COUNT], categories=[OTHER])}
    ),
}


def with_attribute(frame: pd.Series) -> pd.Series:
    object.__setattr__(frame, "noted", OTHER)
    return frame


def with_labels_attribute(frame: pd.DataFrame) -> pd.DataFrame:
    frame.index.noted = OTHER
    return frame


@pytest.mark.parametrize("kind", REFERRING)
def test_what_is_told_by_which_object_it_is_stays(kind: str) -> None:
    assert stays(REFERRING[kind]())


def test_texts_and_numbers_as_labels_let_a_table_leave() -> None:
    frame = pd.DataFrame(
        np.ones((COUNT, 3)), columns=pd.Index(["a", 1, ("b", pd.Timestamp("2020"))], tupleize_cols=False)
    )
    frame["c"] = pd.Categorical.from_codes(codes()[:COUNT], categories=pd.Index(["x", 2], dtype=object))
    assert not stays(frame)


def test_what_others_write_is_seen_when_memory_is_short(tmp_path: Path) -> None:
    kinds = [name for name in OVER if name not in ("labels that were looked up", "periods")]
    shared = shared_memory.SharedMemory(create=True, size=8 * COUNT)
    arrays = [numbers(np.ndarray(COUNT, np.int64, shared.buf)), numbers(beginning_at(0)), numbers(beginning_at(8))]
    with raskt.config.set({"memory.limit": "16MiB", "memory.spill-path": str(tmp_path)}):
        kept = [
            delayed(lambda make=OVER[kind], array=array: make(array))().persist() for kind in kinds for array in arrays
        ]
        raskt.persist(*[delayed(np.full)(2**16, float(seed)) for seed in range(48)])
        wait_until(lambda: memory().files_written > 8, "nothing has left")
        found = [one.compute() for one in kept]
        before = [OVER[kind](array) for kind in kinds for array in arrays]
        same = [one.equals(other) for one, other in zip(found, before, strict=True)]
        for array in arrays:
            array[7] = 1_000_003
        changed = [one.compute().equals(other) for one, other in zip(kept, before, strict=True)]
        del kept, found, before, arrays
        gc.collect()
    shared.unlink()
    assert all(same) and all(changed)
