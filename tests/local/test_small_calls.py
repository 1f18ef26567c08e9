"""Small computations, which the calling thread does at once, and which remember their graph."""

from __future__ import annotations

import contextvars
import itertools
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import raskt
import raskt.array as ra

X = np.arange(24.0).reshape(4, 6)

EXPRESSIONS = {
    "sum": lambda x: (x + 1).sum(),
    "axis": lambda x: (x * 2).max(axis=0),
    "slice": lambda x: x[1:3, ::2],
    "take": lambda x: x[:, [4, 0, 0]],
    "product": lambda x: x @ x.T,
    "moved": lambda x: x.T.reshape(3, 8),
    "joined": lambda x: (ra if isinstance(x, ra.Array) else np).concatenate([x, -x]),
    "same twice": lambda x: (x - x.mean(axis=0)) / x.std(axis=0),
}


@pytest.mark.parametrize("kind", EXPRESSIONS)
@pytest.mark.parametrize("chunks", [(4, 6), (2, 3), (1, 6), ((3, 1), (1, 5))])
@pytest.mark.parametrize("persisted", [False, True])
def test_a_small_expression_gives_the_same_each_time(kind, chunks, persisted):
    x = ra.from_array(X, chunks=chunks)
    if persisted:
        x = x.persist()
    made, expected = EXPRESSIONS[kind](x), EXPRESSIONS[kind](X)
    for _ in range(3):
        np.testing.assert_allclose(made.compute(), expected)
    # With others, and kept, it is the same as alone.
    together = raskt.compute(made, made + 1)
    np.testing.assert_allclose(together[1], expected + 1)
    np.testing.assert_allclose(made.persist().compute(), expected)
    with raskt.annotate(priority=1):
        np.testing.assert_allclose(made.compute(), expected)


def test_a_result_is_its_callers_own():
    made = ra.from_array(X, chunks=(4, 6)) + 0
    first = made.compute()
    first[:] = -1
    np.testing.assert_array_equal(made.compute(), X)


def test_functions_see_the_variables_of_each_computation():
    number = contextvars.ContextVar("number", default=0)
    made = ra.from_array(np.zeros(2), chunks=2).map_blocks(lambda block: block + number.get(), dtype="f8")
    for expected in [0, 1, 2]:
        if expected:
            number.set(expected)
        np.testing.assert_array_equal(made.compute(), [expected] * 2)


def test_what_is_wrong_is_refused_though_the_graph_is_known():
    made = ra.from_array(X, chunks=(2, 3)).sum()
    made.compute()
    with pytest.raises(ValueError, match="unknown scheduler 'thread'"):
        made.compute(scheduler="thread")
    with pytest.raises(ValueError, match="num_workers is 0"):
        made.compute(num_workers=0)


def test_observers_see_small_computations_too():
    made = ra.from_array(X, chunks=(2, 3)).sum()
    expected = made.compute()
    with raskt.diagnostics.Profiler() as profiler:
        assert made.compute() == expected
    assert profiler.results


def test_many_threads_compute_one_expression():
    made = (ra.from_array(X, chunks=(2, 3)) + 1).sum(axis=1)
    found = []

    def work():
        found.extend(made.compute() for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 400
    for each in found:
        np.testing.assert_array_equal(each, (X + 1).sum(axis=1))


@pytest.mark.skipif(sys.platform != "linux", reason="reads are counted by a file of Linux")
def test_a_small_call_asks_the_system_for_nothing():
    made = (ra.from_array(X, chunks=(2, 3)) + 1).sum()
    made.compute()

    def reads():
        text = Path("/proc/self/io").read_text()
        return int(text.split("syscr:")[1].split()[0])

    counts = []
    for _ in range(5):
        before = reads()
        for _ in range(100):
            made.compute()
        counts.append(reads() - before)
    # Once a second it looks how many processors there are, and other threads may read meanwhile.
    assert min(counts) < 50


def test_generated_expressions_agree_with_numpy():
    generator = np.random.default_rng(5)
    for dtype, shape in itertools.product(["i1", "u8", "f4", "c16", "?"], [(), (1,), (0,), (5,), (2, 3), (3, 1, 2)]):
        data = (generator.random(shape) * 9).astype(dtype)
        x = ra.from_array(data, chunks=tuple(max(1, (length + 1) // 2) for length in shape))
        for made, expected in [(x + x, data + data), (x.sum(), data.sum()), (x.any(), data.any())]:
            for _ in range(2):
                got = made.compute()
                assert got.dtype == expected.dtype
                np.testing.assert_allclose(got, expected)
