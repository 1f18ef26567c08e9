"""Python functions on blocks."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import raskt.array as ra
from array_comparing import check

X = np.arange(24.0).reshape(4, 6)


@pytest.fixture
def x():
    return ra.from_array(X, chunks=(3, 4))


def test_the_type_is_found_by_trying(x):
    check(x.map_blocks(lambda block: block * 2), X * 2)
    check(x.map_blocks(lambda block: block > 3), X > 3)
    check(x.map_blocks(np.sqrt), np.sqrt(X))
    check(ra.map_blocks(lambda block, n: block + n, x, 5), X + 5)
    check(ra.map_blocks(lambda block, n=0: block + n, x, n=5), X + 5)


def test_a_trial_that_fails_says_what_to_do(x):
    def picky(block):
        if block.size < 2:
            raise RuntimeError("too small for me")
        return block

    with pytest.raises(ValueError, match="picky.*too small for me.*dtype"):
        x.map_blocks(picky)
    check(x.map_blocks(picky, dtype=float), X)


def test_several_arrays_are_aligned(x):
    check(ra.map_blocks(np.add, x, ra.from_array(X, chunks=2)), X + X)
    check(ra.map_blocks(np.add, x, ra.asarray(X[0])), X + X[0])
    check(ra.map_blocks(np.add, x[:, :1], x[:1]), X[:, :1] + X[:1])


def test_blocks_that_change_their_shape(x):
    sums = x.map_blocks(lambda block: block.sum(axis=1, keepdims=True), chunks=(x.chunks[0], (1, 1)))
    check(sums, np.stack([X[:, :4].sum(axis=1), X[:, 4:].sum(axis=1)], axis=1))
    check(x.map_blocks(lambda block: block[:, :1], chunks=(x.chunks[0], 1)), X[:, [0, 4]])
    check(x.map_blocks(lambda block: block.sum(axis=0), drop_axis=0), X.sum(axis=0))
    check(x.map_blocks(lambda block: block[None], new_axis=0), X[None])
    check(
        x.map_blocks(lambda block: np.stack([block, -block], axis=-1), new_axis=2, chunks=(*x.chunks, (2,))),
        np.stack([X, -X], axis=-1),
    )


def test_blocks_of_unknown_lengths(x):
    line = ra.from_array(np.arange(10), chunks=4)
    y = line.map_blocks(lambda block: block[block % 3 == 0], dtype=int, chunks=((np.nan,) * 3,))
    assert np.isnan(y.shape[0])
    check(y, np.array([0, 3, 6, 9]))
    assert y.compute_chunk_sizes().chunks == ((2, 1, 1),)


def test_blocks_that_break_their_promise(x):
    with pytest.raises(ValueError, match=r"shape \(\d, 1\).*\(\d, \d\)"):
        x.map_blocks(lambda block: block[:, :1], dtype=float).compute()
    with pytest.raises(TypeError, match="complex128.*float64"):
        x.map_blocks(lambda block: block * 1j, dtype=float).compute()
    check(x.map_blocks(lambda block: block.astype("f4"), dtype=float), X)


def test_exceptions_arrive_as_themselves(x):
    def broken(block):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        x.map_blocks(broken, dtype=float).compute()


def test_where_a_block_is(x):
    def place(block, block_id=None):
        return np.full(block.shape, 10 * block_id[0] + block_id[1])

    expected = np.zeros((4, 6), int)
    expected[3:] += 10
    expected[:, 4:] += 1
    check(x.map_blocks(place), expected)

    def info(block, block_info=None):
        if block_info is None:
            return block
        assert block_info[0]["shape"] == (4, 6)
        assert block_info[0]["num-chunks"] == (2, 2)
        assert block_info[None]["chunk-shape"] == block.shape
        assert block_info[None]["dtype"] == np.float64
        (start, _), (left, _) = block_info[0]["array-location"]
        return block + start * 100 + left

    check(x.map_blocks(info), X + np.array([0, 0, 0, 300])[:, None] + np.array([0, 0, 0, 0, 4, 4]))


def test_blocks_from_their_places_alone():
    y = ra.map_blocks(lambda block_id=None: np.full((2, 3), sum(block_id)), chunks=((2, 2), (3, 3)), dtype=int)
    check(y, np.kron([[0, 1], [1, 2]], np.ones((2, 3), int)))
    with pytest.raises(ValueError, match="chunks"):
        ra.map_blocks(lambda: np.ones(3), dtype=float)


def test_blocks_are_not_to_be_written_to(x):
    def write(block):
        block[0] = 1
        return block

    with pytest.raises(ValueError, match="read-only"):
        x.map_blocks(write, dtype=float).compute()


def test_no_function():
    with pytest.raises(TypeError, match="function first"):
        ra.map_blocks(ra.ones(3), np.sqrt)


def test_blockwise(x):
    check(ra.blockwise(operator.add, "ij", x, "ij", X[0], "j", dtype=float), X + X[0])
    check(ra.blockwise(lambda a: a.sum(axis=1), "i", x, "ij"), X.sum(axis=1))
    check(ra.blockwise(lambda a: a.T, "ji", x, "ij"), X.T)
    check(ra.blockwise(lambda a, b: a[:, None] * b, "ij", x[:, 0], "i", x[0], "j"), np.outer(X[:, 0], X[0]))
    check(ra.blockwise(lambda a, n: a * n, "ij", x, "ij", 3, None), X * 3)
    with pytest.raises(ValueError, match="no array has it"):
        ra.blockwise(operator.neg, "ik", x, "ij", dtype=float)


@pytest.mark.parametrize("concatenate", [None, False])
def test_blockwise_gives_no_lists_of_blocks(x, concatenate):
    check(ra.blockwise(operator.neg, "ij", x, "ij", dtype=float, concatenate=concatenate), -X)
    with pytest.raises(NotImplementedError, match=r"concatenate=.*lacks"):
        ra.blockwise(sum, "i", x, "ij", dtype=float, concatenate=concatenate)


def test_blockwise_takes_a_label_once(x):
    square = x[:3, :3]
    with pytest.raises(NotImplementedError, match="label twice"):
        ra.blockwise(np.sum, "", square, "ii", dtype=float)


def test_many_blocks_in_threads():
    y = ra.ones(10_000, chunks=10).map_blocks(lambda block: block + 1).sum()
    assert y.compute() == 20_000


def test_results_may_be_views_of_the_blocks(x):
    y = x.map_blocks(lambda block: block[::-1])
    result = y.compute()
    result[...] = 0
    check(x, X)


@pytest.mark.parametrize("given", ["int16", "int64", "uint16", "uint64"])
@pytest.mark.parametrize("promised", ["int8", "uint8", "int16", "uint16", "int32"])
def test_whole_numbers_of_blocks_are_never_wrapped(given, promised):
    if not np.can_cast(given, promised, "same_kind") or np.can_cast(given, promised, "safe"):
        pytest.skip("the promise is kept, or refused by type")
    x = ra.arange(6, chunks=4)
    small = x.map_blocks(lambda block: block.astype(given), dtype=promised)
    assert small.compute().tolist() == list(range(6))
    large = np.iinfo(given).max
    broken = x.map_blocks(lambda block: np.full(block.shape, large, given), dtype=promised)
    with pytest.raises(OverflowError, match=f"{large}.*cannot hold"):
        broken.compute()


def test_numpys_arrays_come_whole_as_from_dask():
    x, w = np.arange(6.0).reshape(3, 2), np.arange(4.0).reshape(2, 2)
    lazy = ra.from_array(x, chunks=(1, 2))
    np.testing.assert_array_equal(lazy.map_blocks(np.matmul, w, dtype=float), x @ w)
    shapes = lazy.map_blocks(lambda block, other: np.full(block.shape, other.size), np.ones(6), dtype=int)
    np.testing.assert_array_equal(shapes, np.full(x.shape, 6))
