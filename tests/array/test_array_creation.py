"""Arrays from memory and from rules, compared with NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import DTYPES, check, sample


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_array_keeps_every_data_type(dtype):
    x = sample(dtype, (5, 7))
    check(ra.from_array(x, chunks=(2, 3)), x)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: np.asfortranarray(x),
        lambda x: x[::2, ::3],
        lambda x: x[::-1, ::-2],
        lambda x: x.T,
        lambda x: np.broadcast_to(x[0], (4, 9)),
        lambda x: x[:0],
        lambda x: x[2, 3],
        lambda x: x.astype(">f8"),
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.float64, count=10, offset=0),
    ],
)
def test_from_array_takes_any_strides(view):
    x = view(np.arange(72.0).reshape(8, 9))
    y = ra.from_array(x, chunks=2)
    check(y, x.astype(x.dtype.newbyteorder("=")))
    check(y + 1, (x + 1).astype(x.dtype.newbyteorder("=")))


def test_from_array_of_unaligned_elements_copies():
    x = np.zeros(10, dtype=np.dtype([("a", "u1"), ("b", "f8")]))["b"]
    x[:] = np.arange(10)
    check(ra.from_array(x, chunks=3), np.arange(10.0))


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (3, ((3, 3, 2), (3, 3))),
        ((4, 6), ((4, 4), (6,))),
        (((1, 7), (2, 2, 2)), ((1, 7), (2, 2, 2))),
        (-1, ((8,), (6,))),
        ((None, 2), ((8,), (2, 2, 2))),
        ({0: 4}, ((4, 4), (6,))),
        ("auto", ((8,), (6,))),
        ("192B", None),
    ],
)
def test_chunks_are_given_in_every_way(chunks, expected):
    y = ra.from_array(np.zeros((8, 6)), chunks=chunks)
    assert expected is None or y.chunks == expected
    assert tuple(map(sum, y.chunks)) == y.shape


def test_chunks_of_one_axis_are_block_lengths():
    assert ra.zeros(5, chunks=(2, 3)).chunks == ((2, 3),)
    assert ra.zeros(5, chunks=((2, 3),)).chunks == ((2, 3),)


@pytest.mark.parametrize("chunks", [(3,), (1, 2, 3), ((4, 4), (5,)), -2, "many", 1.5, 0])
def test_chunks_that_do_not_fit_are_refused(chunks):
    with pytest.raises((ValueError, TypeError)):
        ra.from_array(np.zeros((8, 6)), chunks=chunks)


@pytest.mark.parametrize(
    "x",
    [
        np.array(["a"]),
        np.array([object()]),
        np.array(["2020-01-01"], "M8[D]"),
        np.zeros(2, "f2"),
        np.zeros(2, np.longdouble),
        np.zeros(2, [("a", "i4")]),
    ],
)
def test_other_data_types_are_refused_with_advice(x):
    with pytest.raises(TypeError, match="raskt arrays hold"):
        ra.from_array(x)


def test_bytes_that_are_no_truth_values_are_refused():
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        ra.from_array(np.array([0, 1, 2], "u1").view(bool))


def test_from_array_reads_what_can_be_sliced():
    class Store:
        shape, dtype = (7, 4), np.dtype("i4")

        def __init__(self):
            self.reads = []

        def __getitem__(self, key):
            self.reads.append(key)
            return np.arange(28, dtype="i4").reshape(7, 4)[key]

    store = Store()
    x = ra.from_array(store, chunks=(3, 4), lock=True)
    assert store.reads == []
    check(x * 2, np.arange(28, dtype="i4").reshape(7, 4) * 2)
    assert len(store.reads) == 3


def test_asarray_gives_arrays_back():
    x = ra.zeros(3)
    assert ra.asarray(x) is x
    check(ra.asarray([1, 2, 3]), np.asarray([1, 2, 3]))
    check(ra.asarray(2.5), np.asarray(2.5))
    check(ra.asarray([ra.zeros(2), ra.ones(2)]), [[0.0, 0.0], [1.0, 1.0]])
    check(ra.asarray([1, 2], dtype="f4"), np.asarray([1, 2], "f4"))
    check(ra.array([1, 2], ndmin=3), np.array([1, 2], ndmin=3))


@pytest.mark.parametrize("args", [(5,), (2, 9), (2, 9, 3), (9, 2, -2), (0.5, 3.0, 0.25), (5, 5), (3, 1), (0, 1, 0.1)])
@pytest.mark.parametrize("chunks", [1, 2, "auto"])
def test_arange(args, chunks):
    check(ra.arange(*args, chunks=chunks), np.arange(*args))


def test_arange_of_a_type():
    check(ra.arange(10, dtype="f4", chunks=3), np.arange(10, dtype="f4"))
    with pytest.raises((ValueError, ZeroDivisionError)):
        ra.arange(0, 10, 0)


@pytest.mark.parametrize(("num", "endpoint"), [(50, True), (50, False), (1, True), (0, True), (2, True)])
def test_linspace(num, endpoint):
    check(ra.linspace(-1, 3, num, endpoint=endpoint, chunks=7), np.linspace(-1, 3, num, endpoint=endpoint))


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize(
    ("start", "stop"),
    [(-4, np.float32(1.5)), (2**40, np.float32(3)), (1j, 2), (np.complex64(1), 3), ([0, 1], [[5], [7]]), (0, [5e-324])],
)
def test_linspace_in_the_types_of_its_bounds(start, stop, endpoint):
    for num, axis in ((7, 0), (2, -1), (1, 0), (0, 0)):
        expected, step = np.linspace(start, stop, num, endpoint, retstep=True, axis=axis)
        found, lazy_step = ra.linspace(start, stop, num, endpoint, retstep=True, axis=axis)
        check(found, expected)
        check(ra.asarray(lazy_step), np.asarray(step))
    check(ra.linspace(ra.asarray(start), stop, 5, endpoint), np.linspace(np.asarray(start), stop, 5, endpoint))


def test_arrays_are_what_they_were_when_they_were_given():
    memory = np.arange(6.0).reshape(2, 3)
    views = [memory, memory.T, memory[:, ::-1], memory[::2], np.broadcast_to(memory, (2, 2, 3)), memory[:, 1]]
    expected = [view.copy() for view in views]
    lazies = [ra.from_array(view, chunks=1) for view in views] + [ra.asarray(memory), ra.array(memory)]
    summed, masked = ra.ones(3) + memory, ra.arange(6).reshape(2, 3)[memory > 2]
    memory[...] = -1
    for lazy, values in zip(lazies, [*expected, expected[0], expected[0]], strict=True):
        check(lazy, values)
    check(summed, 1 + expected[0])
    check(masked, np.array([3, 4, 5]))


def test_memory_that_nobody_writes_to_is_shared(tmp_path):
    memory = np.arange(6.0)
    memory.flags.writeable = False
    shared = ra.from_array(memory)
    memory.flags.writeable = True
    memory[0] = 7.0
    assert shared[0].compute() == 7.0
    mapped = np.memmap(tmp_path / "numbers", dtype="f8", mode="w+", shape=(4,))
    shared = ra.from_array(mapped)
    mapped[1] = 5.0
    assert shared[1].compute() == 5.0
    seen = np.zeros(2)
    shared = ra.asarray(seen, copy=False)
    seen[0] = 3.0
    assert shared[0].compute() == 3.0


def test_linspace_says_its_step():
    x, step = ra.linspace(0, 1, 5, retstep=True)
    assert step == 0.25
    with pytest.raises(ValueError, match="non-negative"):
        ra.linspace(0, 1, -1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_filled_arrays(dtype):
    check(ra.zeros((3, 4), dtype=dtype, chunks=2), np.zeros((3, 4), dtype))
    check(ra.ones((3, 4), dtype=dtype, chunks=2), np.ones((3, 4), dtype))
    check(ra.full((3, 4), 1, dtype=dtype, chunks=2), np.full((3, 4), 1, dtype))


def test_filled_arrays_like_others():
    x = ra.zeros((4, 5), dtype="i2", chunks=(3, 2))
    assert ra.ones_like(x).chunks == x.chunks
    check(ra.ones_like(x), np.ones((4, 5), "i2"))
    check(ra.full_like(x, 7, dtype=float, shape=(2,)), np.full(2, 7.0))
    check(ra.zeros_like(np.ones(3)), np.zeros(3))
    assert ra.empty((3, 0)).compute().shape == (3, 0)


def test_full_guesses_its_type():
    check(ra.full(3, 2), np.full(3, 2))
    check(ra.full((2, 2), 1.5), np.full((2, 2), 1.5))
    check(ra.full((), True), np.full((), True))
    check(ra.full(3, [1, 2, 3]), np.full(3, [1, 2, 3]))


@pytest.mark.parametrize("k", [-9, -2, 0, 1, 9])
def test_eye(k):
    check(ra.eye(5, chunks=2, M=7, k=k), np.eye(5, 7, k=k))


def test_grids():
    for mine, theirs in zip(ra.meshgrid([1, 2, 3], [4, 5]), np.meshgrid([1, 2, 3], [4, 5]), strict=True):
        check(mine, theirs)
    for mine, theirs in zip(
        ra.meshgrid([1, 2], [4, 5], [6], indexing="ij", sparse=True),
        np.meshgrid([1, 2], [4, 5], [6], indexing="ij", sparse=True),
        strict=True,
    ):
        check(mine, theirs)
    check(ra.indices((2, 3), chunks=2), np.indices((2, 3)))
    check(
        ra.fromfunction(lambda i, j: i * 10 + j, shape=(3, 4), chunks=2),
        np.fromfunction(lambda i, j: i * 10 + j, (3, 4)),
    )


def test_huge_arrays_are_only_described():
    x = ra.ones((10**9, 10**6), chunks=(10**5, 10**5))
    assert x.nbytes == 8 * 10**15
    y = (x.T + 1).sum(axis=0)
    assert y.shape == (10**9,)
    assert y.numblocks == (10**4,)
    check(y[:3] * 0, np.zeros(3))


@pytest.mark.parametrize("shape", [-1, (3, -2)])
def test_negative_lengths_are_refused(shape):
    with pytest.raises(ValueError, match="negative"):
        ra.zeros(shape)


def test_lengths_are_whole_numbers():
    with pytest.raises(TypeError):
        ra.zeros(2.5)


def test_objects_of_pandas_are_arrays():
    pandas = pytest.importorskip("pandas")
    check(ra.from_array(pandas.Series([1.5, 2.0])), np.array([1.5, 2.0]))
    check(ra.asarray(pandas.DataFrame({"a": [1, 2], "b": [3, 4]})), np.array([[1, 3], [2, 4]]))


def test_blocks_that_the_machine_cannot_hold_are_refused():
    huge = ra.ones((2**45,), chunks=2**45)
    with pytest.raises(MemoryError, match="smaller chunks"):
        huge.compute()
    with pytest.raises(MemoryError, match="smaller chunks"):
        huge.map_blocks(lambda block: block, dtype=float).sum().compute()


def test_a_result_larger_than_the_machine_is_refused_before_anything_runs():
    huge = ra.ones((10**6, 10**6), chunks=10**4)
    with pytest.raises(MemoryError, match="reduce it"):
        huge.compute()
    assert huge[:2, :2].sum().compute() == 4
