"""Products of matrices by the library that the process has: in each layout, and as NumPy gives them."""

from __future__ import annotations

import itertools
import os
import signal
import threading

import numpy as np
import pytest

import raskt
import raskt.array as ra
from raskt.diagnostics import libraries

DTYPES = ["float32", "float64", "complex64", "complex128", "int64", "bool"]

LAYOUTS = {
    "C": lambda x: np.ascontiguousarray(x),
    "F": lambda x: np.asfortranarray(x),
    "padded": lambda x: np.concatenate([x, x[:, :3]], axis=1)[:, : x.shape[1]],
    "padded columns": lambda x: np.asfortranarray(np.concatenate([x, x[:2]], axis=0))[: x.shape[0]],
    "every other": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "reversed": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "reversed rows": lambda x: np.ascontiguousarray(x[::-1])[::-1],
}


def numbers(shape, dtype, seed):
    """Whole numbers: their products are exact in whatever order they are added."""
    random = np.random.default_rng(seed)
    values = random.integers(-4, 5, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.integers(-4, 5, shape)
    return values.astype(dtype)


def library():
    """The library that multiplies; None if it is the one that is built in."""
    found = libraries()
    return None if found.products == "faer" else found.loaded[0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_may_lie_in_any_way(dtype):
    a, b = numbers((24, 31), dtype, 1), numbers((31, 18), dtype, 2)
    for left, right in itertools.product(LAYOUTS, LAYOUTS):
        x, y = LAYOUTS[left](a), LAYOUTS[right](b)
        assert np.array_equal(x, a) and np.array_equal(y, b)
        found = ra.from_array(x, chunks=-1) @ ra.from_array(y, chunks=-1)
        got = found.compute()
        assert got.dtype == (a @ b).dtype and np.array_equal(got, a @ b), (left, right)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize(
    "shape", [(1, 70, 70), (70, 1, 70), (70, 70, 1), (2, 3000, 2), (200, 2, 150), (0, 5, 4), (4, 0, 5)]
)
@pytest.mark.parametrize("chunk", [-1, 64, 17])
def test_long_and_narrow_ones(dtype, shape, chunk):
    rows, inner, columns = shape
    a, b = numbers((rows, inner), dtype, 3), numbers((inner, columns), dtype, 4)
    found = ra.from_array(a, chunks=chunk) @ ra.from_array(b, chunks=chunk)
    assert np.array_equal(found.compute(), a @ b)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_one_block_is_multiplied_by_several_threads(dtype):
    a, b = numbers((700, 501), dtype, 5), numbers((501, 600), dtype, 6)
    x, y = ra.from_array(a, chunks=-1), ra.from_array(np.asfortranarray(b), chunks=-1)
    for workers in (1, 2, 7):
        assert np.array_equal((x @ y).compute(num_workers=workers), a @ b)
        assert np.array_equal((y.T @ x.T).compute(num_workers=workers), b.T @ a.T)


def test_stacks_and_repeated_elements():
    a, b = numbers((3, 20, 30), "float64", 7), numbers((30, 25), "float64", 8)
    assert np.array_equal((ra.from_array(a, chunks=(2, 20, 11)) @ ra.from_array(b, chunks=9)).compute(), a @ b)
    wide = np.broadcast_to(numbers((1, 64), "float64", 9), (64, 64))
    found = ra.from_array(wide, chunks=-1) @ ra.from_array(np.broadcast_to(wide[0][:, None], (64, 80)), chunks=-1)
    assert np.array_equal(found.compute(), wide @ np.broadcast_to(wide[0][:, None], (64, 80)))


def test_what_is_not_finite_stays_so():
    a, b = np.ones((40, 40)), np.ones((40, 40))
    a[3, 4], b[5, 6], a[7, 8] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        expected = a @ b
    for chunk in (-1, 13):
        found = (ra.from_array(a, chunks=chunk) @ ra.from_array(b, chunks=chunk)).compute()
        assert np.array_equal(found, expected, equal_nan=True)


def test_it_says_which_library_multiplies():
    found = libraries()
    assert found.factorisations == "faer"
    assert (found.products == "faer") == all(about.integers is None for about in found.loaded)
    if found.products != "faer":
        first = found.loaded[0]
        assert first.name == found.products and first.integers in (32, 64) and first.threads >= 1
        assert first.path.startswith("/")


@pytest.mark.skipif(library() is None, reason="no library multiplies here")
def test_products_leave_the_library_its_threads():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    x = ra.from_array(numbers((256, 256), "float64", 10), chunks=64)
    with threadpoolctl.threadpool_limits(3):
        before = library().threads
        (x @ x).sum().compute()
        assert library().threads == before

        # Products of several threads that begin and end beside one another, and those of Python tasks.
        def multiply():
            for _ in range(20):
                (x @ x).compute(num_workers=2)
                raskt.delayed(np.matmul)(np.eye(50), np.eye(50)).compute()

        threads = [threading.Thread(target=multiply) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert library().threads == before


def of_a_fork(expected, x):
    """What a child of this process says: 0 if the library has its threads, and products come right."""
    child = os.fork()
    if child == 0:
        code = 9
        try:
            signal.alarm(30)
            has_threads = library().threads == expected
            code = 0 if has_threads and np.array_equal(x @ x, x @ x) and library().threads == expected else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(library() is None, reason="no library multiplies here")
def test_a_fork_beside_products_has_its_threads_again():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    values = numbers((200, 200), "float64", 11)
    x = ra.from_array(values, chunks=50)
    is_over = threading.Event()

    def multiply():
        while not is_over.is_set():
            (x @ x).compute(num_workers=2)

    with threadpoolctl.threadpool_limits(3):
        expected = library().threads
        threads = [threading.Thread(target=multiply) for _ in range(2)]
        [thread.start() for thread in threads]
        try:
            codes = [of_a_fork(expected, values) for _ in range(20)]
        finally:
            is_over.set()
            [thread.join() for thread in threads]
        assert codes == [0] * 20
        assert library().threads == expected
