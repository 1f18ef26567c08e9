"""Persisted collections keep what they are made of, so that results whose files are lost are made again."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from memory_running import damage, files_in, wait_until
from memory_short import limited

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from raskt import delayed
from raskt.diagnostics import memory
from raskt.graph_manipulation import bind, clone

PIECES = 200
LENGTH = 2**14
WAYS = ["flip", "cut", "remove"]


def make(seed: int) -> np.ndarray:
    return np.arange(LENGTH) * 1.5 + seed


def frame(seed: int) -> pd.DataFrame:
    return pd.DataFrame({"x": make(seed), "seed": seed})


EXPECTED = np.concatenate([make(seed) for seed in range(PIECES)])


def mapped() -> Any:
    seeds = ra.from_array(np.arange(float(PIECES)), chunks=1)
    return seeds.map_blocks(lambda seed: make(int(seed[0])), chunks=(LENGTH,), dtype="f8")


def from_delayed() -> Any:
    parts = [ra.from_delayed(delayed(make)(seed), (LENGTH,), dtype="f8") for seed in range(PIECES)]
    return ra.concatenate(parts)


def partitions() -> Any:
    seeds = rd.from_pandas(pd.DataFrame({"seed": range(PIECES)}), npartitions=PIECES)
    return seeds.map_partitions(lambda part: frame(int(part.seed.iloc[0])), meta=frame(0).iloc[:0])


def frame_from_delayed() -> Any:
    return rd.from_delayed([delayed(frame)(seed) for seed in range(PIECES)], meta=frame(0).iloc[:0])


COLLECTIONS: dict[str, Callable[[], Any]] = {
    "map_blocks": mapped,
    "array of delayed": from_delayed,
    "map_partitions": partitions,
    "frame of delayed": frame_from_delayed,
}


def rows(collection: Any) -> np.ndarray:
    found = collection.compute()
    return found if isinstance(found, np.ndarray) else found.x.to_numpy()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", COLLECTIONS)
def test_sixty_of_two_hundred_lost_files_of_a_python_function_are_made_again(
    tmp_path: Path, kind: str, way: str
) -> None:
    with limited(tmp_path):
        kept = COLLECTIONS[kind]().persist()
        before = memory().files_lost
        files = files_in(tmp_path)
        assert len(files) > 2 * PIECES // 3
        assert sum(damage(file, way, at + 1) for at, file in enumerate(files[::2][:60])) == 60
        np.testing.assert_array_equal(rows(kept), EXPECTED)
        np.testing.assert_array_equal(rows(kept), EXPECTED)
        assert memory().files_lost > before + 50


@pytest.mark.parametrize("scheduler", ["threads", "sync", "processes"])
def test_lost_results_of_calls_are_made_again(tmp_path: Path, scheduler: str) -> None:
    with limited(tmp_path), raskt.config.set(scheduler=scheduler):
        kept = raskt.persist(*[delayed(make)(seed) for seed in range(64)])
        for file in files_in(tmp_path):
            damage(file, "cut")
        for seed, one in enumerate(kept):
            assert (one.compute() == make(seed)).all()
        sums = [delayed(np.add)(one, other) for one, other in zip(kept, kept[1:], strict=False)]
        for file in files_in(tmp_path):
            damage(file, "flip")
        for seed, found in enumerate(raskt.compute(*sums)):
            assert (found == make(seed) + make(seed + 1)).all()


def test_without_lineage_all_that_it_is_made_of_is_free_and_lost_results_are_told(tmp_path: Path) -> None:
    class Function:
        def __call__(self, seed: int) -> np.ndarray:
            return make(seed)

    for keeps in (True, False):
        function = Function()
        alive = weakref.ref(function)
        with limited(tmp_path):
            kept = raskt.persist(*[delayed(function)(seed) for seed in range(64)], keep_lineage=keeps)
            del function
            gc.collect()
            assert (alive() is not None) == keeps
            for file in files_in(tmp_path):
                damage(file, "remove")
            if keeps:
                assert all((one.compute() == make(seed)).all() for seed, one in enumerate(kept))
            else:
                with pytest.raises(raskt.ResultsLost, match="spilled"):
                    raskt.compute(*kept)
            del kept
            gc.collect()
            wait_until(lambda alive=alive: alive() is None, "what the results were made of is gone with them")


CHAINS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "array": (mapped, lambda x: x.map_blocks(lambda block: block + 1, dtype="f8")),
    "native": (mapped, lambda x: x + 1),
    "frame": (partitions, lambda df: df.assign(x=df.x + 1)),
    "partitions": (partitions, lambda df: df.map_partitions(lambda part: part.assign(x=part.x + 1))),
    "two partitions": (
        partitions,
        lambda df: df.map_partitions(lambda part, x: part.assign(x=x + 1), df.x, meta=frame(0).iloc[:0]),
    ),
    "whole": (
        lambda: partitions().repartition(npartitions=1),
        lambda df: df.map_overlap(lambda part: part.assign(x=part.x + 1), 0, 0),
    ),
    "bound": (mapped, lambda x: bind(x.map_blocks(lambda block: block + 1, dtype="f8"), delayed(len)("a"))),
    "bound native": (mapped, lambda x: bind(x + 1, delayed(len)("a"))),
    "bound frame": (partitions, lambda df: bind(df.assign(x=df.x + 1), delayed(len)("a"))),
    "bound partitions": (
        partitions,
        lambda df: bind(df.map_partitions(lambda part: part.assign(x=part.x + 1)), delayed(len)("a")),
    ),
    "cloned": (mapped, lambda x: clone(x + 1)),
    "cloned itself": (mapped, lambda x: clone(x) + 1),
    "cloned frame": (partitions, lambda df: clone(df.assign(x=df.x + 1))),
    "copies of blocks": (
        from_delayed,
        lambda x: ra.concatenate(
            [ra.from_delayed(delayed(np.add)(b, 1), (LENGTH,), dtype="f8") for b in clone(x).to_delayed().ravel()]
        ),
    ),
    "delayed": (
        from_delayed,
        lambda x: ra.concatenate(
            [ra.from_delayed(delayed(np.add)(block, 1), (LENGTH,), dtype="f8") for block in x.to_delayed().ravel()]
        ),
    ),
}


@pytest.mark.parametrize("kind", CHAINS)
def test_what_was_made_of_released_results_is_made_again_and_doesnt_keep_them(tmp_path: Path, kind: str) -> None:
    first, step = CHAINS[kind]
    with limited(tmp_path):
        kept = first().persist()
        for _ in range(6):
            kept = step(kept).persist()
        gc.collect()
        size = EXPECTED.nbytes * (1 if CHAINS[kind][0] in (mapped, from_delayed) else 2)
        wait_until(lambda: memory().held + memory().spilled < 1.8 * size, "results of earlier steps are kept")
        for file in files_in(tmp_path)[::3]:
            damage(file, "cut")
        np.testing.assert_array_equal(rows(kept), EXPECTED + 6)


def test_a_long_chain_is_bounded_and_its_last_results_can_be_made_again(tmp_path: Path) -> None:
    alive: list[weakref.ref[Any]] = []

    class Plus:
        def __call__(self, array: np.ndarray) -> np.ndarray:
            return array + 1000

    with limited(tmp_path):
        kept = raskt.persist(*[delayed(make)(seed) for seed in range(64)])
        for _ in range(150):
            plus = Plus()
            alive.append(weakref.ref(plus))
            kept = raskt.persist(*[delayed(plus)(one) for one in kept])
            del plus
        gc.collect()
        wait_until(lambda: sum(one() is not None for one in alive) <= 64, "a chain keeps what all of it is made of")
        wait_until(
            lambda: memory().held + memory().spilled < 2.5 * 64 * 8 * LENGTH, "results of earlier steps are kept"
        )
        assert alive[-1]() is not None
        # What the chain begins with is whole: it can't be made again.
        for file in files_in(tmp_path):
            if steps_of(file) == 150:
                damage(file, "remove")
        for seed, one in enumerate(kept):
            assert (one.compute() == make(seed) + 150_000).all()


def steps_of(file: Path) -> int | None:
    """How many steps the array has gone through that a file ends with; None if it has been removed by now."""
    try:
        return int(np.frombuffer(file.read_bytes()[-8 * LENGTH :], "f8")[0] // 1000)
    except FileNotFoundError:
        return None


def test_results_in_a_row_that_read_their_neighbours_are_each_made_again_once(tmp_path: Path) -> None:
    calls: list[int] = []

    def blend(left: np.ndarray, own: np.ndarray, right: np.ndarray) -> np.ndarray:
        calls.append(1)
        return (left + own + right) / 3

    def step(parts: Any) -> Any:
        count = len(parts)
        return [delayed(blend)(parts[at - 1], parts[at], parts[(at + 1) % count]) for at in range(count)]

    with limited(tmp_path):
        kept = raskt.persist(*[delayed(make)(seed) for seed in range(48)])
        for _ in range(20):
            kept = raskt.persist(*step(kept))
        expected = kept[0].compute()
        files = files_in(tmp_path)
        assert len(files) > 24
        for file in files:
            damage(file, "flip")
        calls.clear()
        found = [one.compute() for one in kept]
        np.testing.assert_array_equal(found[0], expected)
        # Each lost result makes again what it is made of: 3 ** 20 if each reader did.
        assert len(calls) <= 48 * 48 * 20


def test_a_lost_result_that_two_threads_make_again_is_one_object(tmp_path: Path) -> None:
    calls: list[int] = []

    def slow() -> np.ndarray:
        calls.append(1)
        # Both make it again before either has it.
        time.sleep(0.5)
        return np.zeros(LENGTH)

    with limited(tmp_path):
        kept = delayed(slow)().persist()
        others = raskt.persist(*[delayed(make)(seed) for seed in range(64)])
        for file in files_in(tmp_path):
            damage(file, "cut")
        del others
        found: list[np.ndarray] = []
        threads = [threading.Thread(target=lambda: found.append(kept.compute())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(calls) > 1
        assert found[0] is found[1]
