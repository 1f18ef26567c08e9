"""Reading and writing results that somebody interrupts: nothing is lost by it, and nobody's interruption is."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from memory_running import run, wait_until
from memory_short import limited, make, squeeze

import raskt
from raskt import _core, _spill, futures
from raskt.diagnostics import memory

INTERRUPTIONS = [KeyboardInterrupt, MemoryError, TimeoutError, _core.TaskCancelled]


@pytest.fixture(autouse=True)
def little_memory(tmp_path: Path) -> Iterator[None]:
    with limited(tmp_path):
        yield


def away(name: str) -> bool:
    return any(holder.name == name and holder.held == 0 and holder.away > 0 for holder in memory().holders)


class Failing:
    """A function in whose place another one fails so often, on whatever thread calls it."""

    def __init__(self, function: Callable[..., Any], error: BaseException, times: int) -> None:
        self.function, self.error, self.left = function, error, times
        self.calls = 0
        self.lock = threading.Lock()

    def __call__(self, *values: Any) -> Any:
        with self.lock:
            self.calls += 1
            self.left -= 1
            fails = self.left >= 0
        if fails:
            raise self.error
        return self.function(*values)


def interrupted(value: int) -> np.ndarray:
    """Named so that it is told from what others make."""
    return make(value)


@pytest.mark.parametrize("error", INTERRUPTIONS)
@pytest.mark.parametrize("kind", ["future", "persisted"])
def test_who_is_interrupted_while_a_result_is_read_hears_of_it_and_has_it_later(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException], kind: str
) -> None:
    if kind == "future":
        future = futures.submit(interrupted, 3)
        futures.wait([future])
        read = future.result
    else:
        kept = raskt.persist(raskt.delayed(interrupted)(3), keep_lineage=False)[0]
        read = kept.compute
    squeeze()
    wait_until(lambda: away("interrupted"), "it stays")
    monkeypatch.setattr(_spill, "load", Failing(_spill.load, error("asked to"), 2))
    for _ in range(2):
        with pytest.raises(error, match="asked to"):
            read()
    assert (read() == 3).all()


def test_a_decoder_that_always_fails_ends_in_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = raskt.persist(raskt.delayed(interrupted)(3), keep_lineage=False)[0]
    squeeze()
    wait_until(lambda: away("interrupted"), "it stays")
    load = Failing(_spill.load, ValueError("its state is of another version"), 10**9)
    monkeypatch.setattr(_spill, "load", load)
    for read in (kept.compute, raskt.delayed(np.sum)(kept).compute):
        with pytest.raises(ValueError, match="of another version"):
            read()
    assert load.calls <= 6
    monkeypatch.undo()
    assert (kept.compute() == 3).all(), "its file has gone"


def test_threads_that_read_one_result_while_it_is_interrupted_all_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = raskt.persist(*[raskt.delayed(interrupted)(seed) for seed in range(4)], keep_lineage=False)
    squeeze()
    wait_until(lambda: away("interrupted"), "they stay")
    monkeypatch.setattr(_spill, "load", Failing(_spill.load, MemoryError("asked to"), 40))
    right, wrong = [], []

    def read() -> None:
        for seed in range(4):
            while True:
                try:
                    right.append(bool((kept[seed].compute() == seed).all()))
                    break
                except MemoryError:
                    continue
                except BaseException as error:
                    wrong.append(error)
                    break

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and right == [True] * 32


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, _core.TaskCancelled])
def test_what_was_interrupted_while_it_was_written_is_written_later(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    refused = memory().refused
    dump = Failing(_spill.dump, error("asked to"), 4)
    monkeypatch.setattr(_spill, "dump", dump)
    kept = raskt.delayed(interrupted)(3).persist()
    squeeze()
    wait_until(lambda: dump.left < 0, "nothing is written")
    for _ in range(3):
        squeeze()
        kept.compute()
    squeeze()
    wait_until(lambda: away("interrupted"), "it stays")
    assert memory().refused == refused
    assert (kept.compute() == 3).all()


SIGNALS = """
import signal, numpy as np, raskt
from raskt import delayed, futures
raskt.config.set({"memory.limit": "4MiB", "memory.spill-path": PLACE})
def make(seed):
    return [np.full(2**14, float(seed)) for _ in range(4)]
kept = raskt.persist(*[delayed(make)(seed) for seed in range(24)], keep_lineage=False)
made = [futures.submit(np.full, 2**16, float(seed)) for seed in range(24)]
futures.wait(made)
class Rings(Exception):
    pass
inside = False
def handler(*_):
    global inside
    # Once for each time that results are read, and nowhere else.
    if inside:
        inside = False
        raise ERROR
signal.signal(signal.SIGALRM, handler)
heard = lost = seed = 0
signal.setitimer(signal.ITIMER_REAL, 0.0007, 0.0013)
for seed in range(24 * 40):
    seed %= 24
    try:
        inside = True
        for read in (kept[seed].compute, made[seed].result):
            found = read()
            assert (np.asarray(found) == seed).all(), "a wrong number"
            del found
        inside = False
    except raskt.ResultsLost:
        inside = False
        lost += 1
    except (Rings, KeyboardInterrupt):
        heard += 1
signal.setitimer(signal.ITIMER_REAL, 0)
right = all(all((array == seed).all() for array in kept[seed].compute()) for seed in range(24))
right = right and all((made[seed].result() == seed).all() for seed in range(24))
found = {"heard": heard, "lost": lost, "right": right}
"""


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "Rings"])
def test_signals_that_come_all_the_time_lose_nothing(tmp_path: Path, error: str) -> None:
    program = SIGNALS.replace("PLACE", repr(str(tmp_path))).replace("ERROR", error)
    found = run(program)
    assert found["lost"] == 0 and found["right"] and found["heard"] > 0


def test_futures_whose_results_nobody_reads_stay_within_the_limit(tmp_path: Path) -> None:
    program = f"""
    import numpy as np, raskt, raskt.diagnostics
    from raskt import futures
    raskt.config.set({{"memory.limit": "64MiB", "memory.spill-path": {str(tmp_path)!r}}})
    made = [futures.submit(np.full, 2**20, float(seed)) for seed in range(100)]
    futures.wait(made)
    found["right"] = all((future.result() == seed).all() for seed, future in enumerate(made))
    found["most"] = raskt.diagnostics.memory().peak
    """
    found = run(program)
    assert found["right"]
    # Beside the limit, one result for each thread that makes them, and the one that is read.
    assert found["most"] <= (64 + 8 * ((os.cpu_count() or 1) + 1)) * 2**20
