"""What comes after what, and what is done again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from raskt import delayed
from raskt.graph_manipulation import bind, checkpoint, clone, wait_on


class Log:
    def __init__(self):
        self.entries = []

    def __call__(self, name, *_):
        self.entries.append(name)
        return name


@pytest.fixture
def log():
    return Log()


def test_a_checkpoint_comes_after_everything(log):
    calls = [delayed(log)(i) for i in range(50)]
    gate = checkpoint(*calls[:25], calls[25:], split_every=3)
    seen = delayed(lambda _: len(log.entries))(gate)
    assert raskt.compute(gate, seen) == (None, 50)


def test_a_checkpoint_of_nothing():
    assert checkpoint().compute() is None
    with pytest.raises(ValueError, match="split_every is 1"):
        checkpoint(delayed(1), split_every=1)


@pytest.mark.parametrize("how", [{"scheduler": "sync"}, {"num_workers": 3}])
def test_wait_on_holds_back_what_reads(log, how):
    first, second = delayed(log)("first"), delayed(log)("second")
    one, other = wait_on(first, second)
    after = delayed(log)("after", one)
    assert raskt.compute(after, other, **how) == ("after", "second")
    assert log.entries[-1] == "after"
    assert sorted(log.entries) == ["after", "first", "second"]


def test_wait_on_keeps_containers_and_what_is_no_collection():
    result = wait_on([delayed(abs)(-1), 5], {"a": (delayed(abs)(-2),)})
    assert raskt.compute(*result) == ([1, 5], {"a": (2,)})


def test_wait_on_arrays_and_frames():
    x = ra.arange(24, chunks=5).reshape((4, 6)).rechunk((3, 4))
    frame = rd.from_pandas(pd.DataFrame({"a": range(10), "b": list("abcdefghij")}), npartitions=3)
    y, waited = wait_on(x, frame)
    assert y.chunks == x.chunks
    np.testing.assert_array_equal(y.compute(), x.compute())
    pd.testing.assert_frame_equal(waited.compute(), frame.compute())
    assert wait_on(x.sum()).compute() == x.sum().compute()


def test_bound_calls_begin_after_the_parents(log):
    child = delayed(log)("child", delayed(log)("root of child"))
    parent = delayed(log)("parent")
    assert bind(child, parent).compute() == "child"
    assert log.entries == ["parent", "root of child", "child"]


def test_bound_calls_are_copies(log):
    child = delayed(log)("child")
    bound = bind(child, delayed(log)("parent"))
    assert bound.key != child.key
    raskt.compute(child, bound)
    assert log.entries.count("child") == 2


def test_what_is_omitted_is_not_copied(log):
    shared = delayed(log)("shared")
    child = delayed(log)("child", shared)
    bound = bind(child, delayed(log)("parent"), omit=shared)
    assert raskt.compute(shared, bound) == ("shared", "child")
    assert sorted(log.entries) == ["child", "parent", "shared"]
    assert log.entries.index("parent") < log.entries.index("child")


def test_bound_arrays_and_frames_are_computed_after_the_parents(log):
    def block(x):
        log("block")
        return x + 1

    x = ra.ones((6, 4), chunks=(2, 3)).map_blocks(block, dtype=float)
    frame = rd.from_pandas(pd.DataFrame({"a": range(6)}), npartitions=2).map_partitions(
        lambda part: (log("partition"), part)[1], meta={"a": "int64"}
    )
    log.entries.clear()
    y, bound = bind([x, frame], delayed(log)("parent"))
    assert y.chunks == x.chunks
    total, rows = raskt.compute(y.sum(), bound)
    assert total == 48
    assert rows["a"].tolist() == list(range(6))
    assert log.entries[0] == "parent"
    assert log.entries.count("block") == x.npartitions


def test_clones_share_nothing_with_their_originals(log):
    call = delayed(log)("outer", delayed(log)("inner"))
    assert raskt.compute(call, clone(call)) == ("outer", "outer")
    assert sorted(log.entries) == ["inner", "inner", "outer", "outer"]


def test_clones_of_one_seed_are_the_same(log):
    call = delayed(log)("call")
    one, same, other = clone(call, seed="a"), clone(call, seed="a"), clone(call, seed="b")
    assert one.key == same.key != other.key
    raskt.compute(one, same, other)
    assert log.entries == ["call", "call"]


def test_parts_of_a_clone_share_work(log):
    shared = delayed(log)("shared")
    first, second = clone([delayed(log)("a", shared), delayed(log)("b", shared)])
    assert raskt.compute(first, second) == ("a", "b")
    assert log.entries.count("shared") == 1


def test_several_clones_come_as_a_tuple():
    one, array = clone(delayed(abs)(-1), ra.arange(5, chunks=2))
    assert one.compute() == 1
    np.testing.assert_array_equal(array.compute(), np.arange(5))


def test_a_long_chain_is_cloned_without_recursion():
    value = delayed(0)
    for _ in range(30_000):
        value = value + 1
    assert clone(value).compute() == 30_000


def test_pure_calls_are_cloned_too(log):
    call = delayed(log, pure=True)("pure")
    raskt.compute(call, clone(call), clone(call))
    assert log.entries == ["pure"] * 3
