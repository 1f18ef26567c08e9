"""What comes after what, and what is done again."""

from __future__ import annotations

import collections
import dataclasses

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


@pytest.mark.own_process
def test_a_checkpoint_comes_after_everything(log):
    calls = [delayed(log)(i) for i in range(50)]
    gate = checkpoint(*calls[:25], calls[25:], split_every=3)
    seen = delayed(lambda _: len(log.entries))(gate)
    assert raskt.compute(gate, seen) == (None, 50)


def test_a_checkpoint_of_nothing():
    assert checkpoint().compute() is None
    with pytest.raises(ValueError, match="split_every is 1"):
        checkpoint(delayed(1), split_every=1)


@pytest.mark.own_process
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


@dataclasses.dataclass(frozen=True)
class Both:
    one: object
    other: object


Named = collections.namedtuple("Named", "one other")


@pytest.mark.own_process
@pytest.mark.parametrize("container", [Both, Named])
def test_named_tuples_and_dataclasses_are_looked_into(log, container):
    held = container(delayed(log)("one"), 5)
    (waited,) = raskt.compute(wait_on(held))
    (cloned,) = raskt.compute(clone(held))
    assert waited == cloned == container("one", 5)
    assert raskt.compute(checkpoint(held)) == (None,)
    assert log.entries == ["one"] * 3
    assert held.one.key != clone(held).one.key


@pytest.mark.own_process
def test_a_checkpoint_may_wait_for_everything_at_once(log):
    assert checkpoint([delayed(log)(i) for i in range(30)], split_every=False).compute() is None
    assert len(log.entries) == 30


@pytest.mark.own_process
def test_bound_calls_begin_after_the_parents(log):
    child = delayed(log)("child", delayed(log)("root of child"))
    parent = delayed(log)("parent")
    assert bind(child, parent).compute() == "child"
    assert log.entries == ["parent", "root of child", "child"]


@pytest.mark.own_process
def test_bound_calls_are_copies(log):
    child = delayed(log)("child")
    bound = bind(child, delayed(log)("parent"))
    assert bound.key != child.key
    raskt.compute(child, bound)
    assert log.entries.count("child") == 2


@pytest.mark.own_process
def test_what_is_omitted_is_not_copied(log):
    shared = delayed(log)("shared")
    child = delayed(log)("child", shared)
    bound = bind(child, delayed(log)("parent"), omit=shared)
    assert raskt.compute(shared, bound) == ("shared", "child")
    assert sorted(log.entries) == ["child", "parent", "shared"]
    assert log.entries.index("parent") < log.entries.index("child")


@pytest.mark.own_process
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
    assert log.entries.count("block") == 6


def blocks_of(log, name="block"):
    """An array of six blocks, each of which is noted when it is made."""

    def block(x):
        log(name)
        return x + 1

    x = ra.ones((6, 4), chunks=(2, 2)).map_blocks(block, dtype=float)
    log.entries.clear()
    return x


def partitions_of(log):
    frame = rd.from_pandas(pd.DataFrame({"a": range(9)}), npartitions=3).map_partitions(
        lambda part: (log("partition"), part)[1], meta={"a": "int64"}
    )
    log.entries.clear()
    return frame


def test_nothing_is_computed_while_copies_are_made(log):
    bind([blocks_of(log), partitions_of(log)], delayed(log)("parent"))
    clone(blocks_of(log), partitions_of(log))
    assert log.entries == []


@pytest.mark.own_process
def test_only_those_blocks_of_a_copy_are_made_that_are_read(log):
    bound = bind(blocks_of(log), delayed(log)("parent"))
    np.testing.assert_array_equal(bound[:2, :2].compute(), np.full((2, 2), 2.0))
    assert log.entries == ["parent", "block"]


@pytest.mark.own_process
def test_every_block_of_a_bound_array_waits_for_the_parents(log):
    bound = bind(blocks_of(log), [delayed(log)("parent", number) for number in range(20)])
    assert bound.sum().compute(num_workers=4) == 48
    assert log.entries == ["parent"] * 20 + ["block"] * 6


@pytest.mark.own_process
def test_parents_are_computed_once_whoever_waits_for_them(log):
    parent = delayed(log)("parent")
    child, x, frame = bind([delayed(log)("child"), blocks_of(log), partitions_of(log)], parent)
    results = raskt.compute(parent, child, x.sum(), frame, delayed(len)(x), delayed(len)(frame))
    assert results[:3] == ("parent", "child", 48)
    assert log.entries[0] == "parent"
    counts = {name: log.entries.count(name) for name in set(log.entries)}
    assert counts == {"parent": 1, "child": 1, "block": 6, "partition": 3}


@pytest.mark.own_process
def test_arrays_bound_to_arrays(log):
    first, then = blocks_of(log, "first"), blocks_of(log, "then")
    assert bind(then, first).sum().compute() == 48
    assert log.entries == ["first"] * 6 + ["then"] * 6


@pytest.mark.own_process
def test_clones_of_arrays_and_frames_are_computed_by_themselves(log):
    x, frame = blocks_of(log), partitions_of(log)
    y, copied = clone(x, frame)
    assert y.chunks == x.chunks
    assert list(copied.columns) == ["a"]
    total, again, twice, part, copy = raskt.compute(x.sum(), y.sum(), (y * 2).sum(), frame, copied)
    assert (total, again, twice) == (48, 48, 96)
    pd.testing.assert_frame_equal(part, copy)
    assert log.entries.count("block") == 12
    assert log.entries.count("partition") == 6


@pytest.mark.own_process
def test_arrays_cloned_together_share_what_they_shared(log):
    x = blocks_of(log)
    y, doubled = clone([x, x * 2])
    assert raskt.compute(y.sum(), doubled.sum()) == (48, 96)
    assert log.entries == ["block"] * 6


@pytest.mark.own_process
def test_an_omitted_array_is_not_cloned(log):
    x = blocks_of(log)
    more = x.map_blocks(lambda block: (log("more"), block + 1)[1], dtype=float)
    log.entries.clear()
    total, copy, one = raskt.compute(x.sum(), clone(more, omit=x).sum(), more.sum())
    assert (total, copy, one) == (48, 72, 72)
    assert log.entries.count("block") == 6
    assert log.entries.count("more") == 12


@pytest.mark.own_process
def test_generated_and_persisted_arrays_are_cloned_and_bound(log):
    x = (ra.random.default_rng(1).random((50, 40), chunks=20) + ra.arange(40, chunks=20)).persist()
    y = ra.random.default_rng(1).random((50, 40), chunks=(20, 20)).T.rechunk((10, 50))
    for array in (x, y, ra.full((3,), 7, chunks=2)):
        for copy in (clone(array), bind(array, delayed(log)("parent")), clone(clone(array))):
            np.testing.assert_array_equal(copy.compute(), array.compute())
    assert log.entries == ["parent"] * 3


@pytest.mark.own_process
def test_a_call_that_reads_an_array_is_cloned_with_it(log):
    call = delayed(np.sum)(blocks_of(log))
    assert raskt.compute(call, clone(call)) == (48, 48)
    assert log.entries == ["block"] * 12


@pytest.mark.own_process
def test_clones_of_arrays_of_one_seed_are_the_same(log):
    x = blocks_of(log)
    raskt.compute(clone(x, seed=1), clone(x, seed=1), clone(x, seed=2))
    assert log.entries == ["block"] * 12


@pytest.mark.own_process
def test_clones_share_nothing_with_their_originals(log):
    call = delayed(log)("outer", delayed(log)("inner"))
    assert raskt.compute(call, clone(call)) == ("outer", "outer")
    assert sorted(log.entries) == ["inner", "inner", "outer", "outer"]


@pytest.mark.own_process
def test_clones_of_one_seed_are_the_same(log):
    call = delayed(log)("call")
    one, same, other = clone(call, seed="a"), clone(call, seed="a"), clone(call, seed="b")
    assert one.key == same.key != other.key
    raskt.compute(one, same, other)
    assert log.entries == ["call", "call"]


@pytest.mark.own_process
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


@pytest.mark.own_process
def test_pure_calls_are_cloned_too(log):
    call = delayed(log, pure=True)("pure")
    raskt.compute(call, clone(call), clone(call))
    assert log.entries == ["pure"] * 3
