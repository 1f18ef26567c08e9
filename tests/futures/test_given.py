"""Results that somebody has got leave memory again once he has let go of them."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raskt
from raskt import delayed, futures
from raskt.diagnostics import memory

COUNT = 2**17
MANY = 64
LIMIT = 16 << 20


def array(seed: int) -> np.ndarray:
    return np.full(COUNT, float(seed))


KINDS: dict[str, Callable[[int], Any]] = {
    "dict": lambda seed: {"a": array(seed)},
    "list": lambda seed: [array(seed), seed],
    "tuple of a list": lambda seed: (seed, [array(seed)]),
    "deep": lambda seed: {"a": [{"b": array(seed)}]},
    "array": array,
}

READ: dict[str, Callable[[Any], Any]] = {
    "result": lambda future: future.result(),
    "a task": lambda future: futures.submit(arrays_in, future).result(),
    "delayed": lambda future: delayed(arrays_in)(future).compute(),
}


def arrays_in(value: Any) -> list[float]:
    """The numbers that the arrays in a value begin with."""
    if isinstance(value, np.ndarray):
        return [float(value[0])]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [number for part in parts for number in arrays_in(part)]


@pytest.fixture(autouse=True)
def limited(tmp_path: Path) -> Iterator[None]:
    gc.collect()
    with raskt.config.set({"memory.limit": memory().baseline + LIMIT, "memory.spill-path": str(tmp_path)}):
        yield


@pytest.mark.own_process
@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_read_and_let_go_of_leaves_again(kind: str, read: str) -> None:
    made = [futures.submit(KINDS[kind], seed) for seed in range(MANY)]
    for future in made:
        READ[read](future)
    found = memory()
    # All of it is counted, but for those that were read last.
    assert found.held + sum(holder.away for holder in found.holders) >= (MANY - 8) * 8 * COUNT
    wait_until_it_fits()
    assert [arrays_in(future.result()) for future in made] == [[float(seed)] for seed in range(MANY)]


def wait_until_it_fits() -> None:
    """Wait until what begins to leave has left."""
    until = time.monotonic() + 20
    while not fits() and time.monotonic() < until:
        time.sleep(0.01)
    assert fits()


def fits() -> bool:
    """Whether there is no more than may be, but for what is too small to have others leave for it."""
    found = memory()
    return found.held < found.available + 2**16


@pytest.mark.own_process
def test_what_was_gathered_and_let_go_of_leaves_when_something_is_computed() -> None:
    made = [futures.submit(KINDS["dict"], seed) for seed in range(MANY)]
    assert len(futures.gather(made)) == MANY
    for _ in range(2):
        assert delayed(len)([1]).compute() == 1
    found = memory()
    assert found.held + sum(holder.away for holder in found.holders) >= (MANY - 4) * 8 * COUNT
    wait_until_it_fits()
    assert [arrays_in(future.result()) for future in made] == [[float(seed)] for seed in range(MANY)]


@pytest.mark.own_process
@pytest.mark.parametrize("kind", ["dict", "list", "deep"])
def test_what_somebody_still_has_is_the_same_and_keeps_its_changes(kind: str) -> None:
    made = [futures.submit(KINDS[kind], seed) for seed in range(MANY)]
    kept = made[0].result()
    added = kept["a"] if kind == "deep" else kept
    added.update(new=1) if isinstance(added, dict) else added.append("new")
    for future in made[1:]:
        future.result()
    assert made[0].result() is kept
    expected = arrays_in(kept), repr(kept)
    del kept, added
    for future in made[1:]:
        future.result()
    assert (arrays_in(made[0].result()), repr(made[0].result())) == expected


def test_futures_in_their_own_results_go_once_nobody_has_them() -> None:
    future = futures.submit(KINDS["dict"], 0)
    future.result()["itself"] = future
    others = [futures.submit(KINDS["dict"], seed) for seed in range(MANY)]
    for other in others:
        other.result()
    seen = weakref.ref(future)
    del future
    gc.collect()
    assert seen() is None
