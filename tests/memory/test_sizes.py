"""What results of Python functions are counted with, and containers of large things that leave memory."""

from __future__ import annotations

import collections
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from memory_running import wait_until

import raskt
from raskt import delayed
from raskt.diagnostics import memory
from raskt.sizeof import _SIZERS, sizeof

MIB = 2**20
LARGE = np.zeros(MIB // 8)


@dataclasses.dataclass
class Held:
    data: Any
    name: str = "held"


class Slotted:
    """Keeps its own count, as classes of C do."""

    __slots__ = ("data",)

    def __init__(self, data: Any) -> None:
        self.data = data

    def __sizeof__(self) -> int:
        return int(self.data.nbytes)


Pair = collections.namedtuple("Pair", "first second")
#: Objects of about so many MiB.
OBJECTS: dict[str, tuple[Any, int]] = {
    "tuple": ((LARGE.copy(), LARGE.copy()), 2),
    "named tuple": (Pair(LARGE.copy(), 1), 1),
    "list": ([LARGE.copy() for _ in range(3)], 3),
    "dictionary": ({"a": LARGE.copy(), "b": {"c": [LARGE.copy()]}}, 2),
    "default dictionary": (collections.defaultdict(list, a=[LARGE.copy()]), 1),
    "set of bytes": ({bytes(MIB), bytes(MIB - 1)}, 2),
    "the same twice": ([LARGE, LARGE], 1),
    "frame": ([pd.DataFrame({"a": LARGE}), pd.Series(LARGE)], 2),
    "levels of labels": (
        pd.DataFrame({"v": LARGE}, index=pd.MultiIndex.from_product([range(2), range(len(LARGE) // 2)])),
        2,
    ),
    "objects in an array": (np.array([bytes(2**10) for _ in range(2**10)], dtype=object), 1),
    "objects in a column": (pd.Series([bytes(2**10) for _ in range(2**10)], dtype=object), 1),
    "attributes": (Held([LARGE.copy()]), 1),
    "its own count": (Slotted(LARGE), 1),
    "many small": (list(range(10**6)), 38),
    "texts": (["x" * 2**10] * 3 + ["y" * MIB], 1),
    "bytearray": ((bytearray(MIB),), 1),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_all_that_is_in_an_object_counts(kind: str) -> None:
    value, expected = OBJECTS[kind]
    assert 0.9 * expected <= sizeof(value) / MIB <= 1.3 * expected + 0.3


def test_effort_is_bounded_and_circles_end() -> None:
    import time

    circle: list[Any] = [LARGE]
    circle.append(circle)
    assert sizeof(circle) < 1.1 * MIB
    deep: Any = LARGE
    for _ in range(10_000):
        deep = [deep]
    sizeof(deep)
    large = [[i] for i in range(10**6)]
    begin = time.perf_counter()
    size = sizeof(large)
    assert time.perf_counter() - begin < 1 and 40 * MIB < size < 200 * MIB


def test_sparse_matrices_count() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(1000, 1000, 0.1, format="csr", random_state=0)
    held = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes
    assert held <= sizeof(matrix) <= 1.1 * held + 5000


def test_what_is_registered_counts_also_for_derived_classes_and_a_failure_costs_nothing() -> None:
    class Model:
        pass

    class Derived(Model):
        pass

    try:

        @sizeof.register(Model)
        def _(model: Model) -> int:
            return 3 * MIB

        assert sizeof(Derived()) == 3 * MIB and sizeof([Model(), Model()]) >= 6 * MIB
        sizeof.register(Model, lambda model: 1 // 0)
        assert sizeof(Model()) < 10_000
    finally:
        _SIZERS.pop(Model, None)
    for wrong in ((3,), (Model, 5)):
        with pytest.raises(TypeError):
            sizeof.register(*wrong)


def limited(path: Path) -> Any:
    return raskt.config.set({"memory.limit": "8MiB", "memory.spill-path": str(path)})


def pair(seed: int) -> tuple[np.ndarray, dict[str, Any]]:
    return np.full(2**16, float(seed)), {"labels": pd.Series([seed] * 2**14), "name": f"pair {seed}"}


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_containers_go_to_disk_and_come_back(tmp_path: Path, scheduler: str) -> None:
    with limited(tmp_path), raskt.config.set(scheduler=scheduler):
        kept = raskt.persist(*[delayed(pair)(seed) for seed in range(64)])
        report = memory()
        assert report.held <= 9 * MIB and report.files_written > 32, report
        for seed, one in enumerate(kept):
            array, rest = one.compute()
            assert (array == seed).all() and (rest["labels"] == seed).all() and rest["name"] == f"pair {seed}"


def test_a_container_of_which_somebody_has_a_part_stays(tmp_path: Path) -> None:
    shared = []

    def parts() -> list[np.ndarray]:
        made = [np.full(2**16, 1.0), np.full(2**16, 2.0)]
        shared.append(made[1])
        return made

    with limited(tmp_path):
        kept = delayed(parts)().persist()
        raskt.persist(*[delayed(pair)(seed) for seed in range(32)])
        shared[0][0] = 5
        assert kept.compute()[1][0] == 5, "what is changed is seen"
        shared.clear()
        raskt.persist(*[delayed(pair)(seed) for seed in range(32)])
        wait_until(
            lambda: any(one.name == "parts" and one.away > 0 for one in memory().holders) or squeeze(), "it stays"
        )
        assert kept.compute()[1][0] == 5


def squeeze() -> bool:
    raskt.persist(*[delayed(pair)(seed) for seed in range(32)])
    return False
