"""Persisted arrays that show the memory of others: counted once, and gone when all of them have left."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from memory_short import limited, make, squeeze

import raskt.array as ra
from raskt import delayed
from raskt.diagnostics import memory

ROWS, BLOCK = 2**16, 2**12
"""Half a MiB in eight blocks."""

VIEWS: dict[str, Callable[[Any], Any]] = {
    "the same": lambda x: x[:],
    "most of it": lambda x: x[: ROWS * 3 // 4],
    "every other": lambda x: x[::2],
    "backwards": lambda x: x[::-1],
    "transposed": lambda x: x.reshape(BLOCK, -1).T,
    "smaller blocks": lambda x: x.rechunk(BLOCK // 2),
    "another axis": lambda x: x[None, :, None],
    "twice": lambda x: ra.concatenate([x, x]),
    "stacked": lambda x: ra.stack([x, x[::-1]]),
    "repeated": lambda x: ra.broadcast_to(x, (3, ROWS)),
    "views of views": lambda x: x[8:][:-8].reshape(-1, 4).T,
}


def persisted() -> Any:
    """An array whose blocks a function of Python makes, so that they are written."""
    return ra.arange(ROWS, dtype="f8", chunks=BLOCK * 2).map_blocks(lambda block: block * 1.5).persist()


def fits() -> bool:
    """Whether there is soon no more than may be, but for what is too small to have others leave for it."""
    until = time.monotonic() + 20
    while memory().held >= memory().available + 2**16 and time.monotonic() < until:
        # What begins to leave takes its time.
        time.sleep(0.01)
    return memory().held < memory().available + 2**16


@pytest.mark.parametrize("kind", VIEWS)
def test_views_of_a_persisted_array_leave_with_it(kind: str, tmp_path: Path) -> None:
    expected = VIEWS[kind](ra.from_array(np.arange(ROWS) * 1.5)).compute()
    with limited(tmp_path):
        kept = [persisted() for _ in range(6)]
        views = [VIEWS[kind](each).persist() for each in kept]
        for _ in range(2):
            squeeze()
            assert fits()
            assert all(np.array_equal(view.compute(), expected) for view in views)
        kept = [each.sum().compute() for each in kept]
        gc.collect()
        assert len(set(kept)) == 1 and all(np.array_equal(view.compute(), expected) for view in views)


@pytest.mark.parametrize("kind", ["most of it", "backwards", "another axis", "views of views"])
def test_what_a_persisted_array_and_its_views_show_counts_once(kind: str) -> None:
    kept = persisted()
    before = memory().held
    views = [VIEWS[kind](kept).persist() for _ in range(5)]
    assert memory().held <= before + 2**14 and len(views) == 5
    del kept
    gc.collect()
    assert memory().held >= before - ROWS * 8 // 4 - 2**14


def test_blocks_over_results_of_calls_leave(tmp_path: Path) -> None:
    with limited(tmp_path):
        kept = [ra.from_delayed(delayed(make)(seed), (2**16,), "f8").persist() for seed in range(32)]
        assert fits()
        assert [float(each.sum().compute()) for each in kept] == [2.0**16 * seed for seed in range(32)]
