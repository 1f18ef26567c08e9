"""Python objects that leave memory: results of delayed calls and of futures."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_running import damage, files_in, run, wait_until
from memory_short import COUNT, limited, make, squeeze

import raskt
from raskt import _spill, futures
from raskt.diagnostics import memory


def test_delayed_results_go_to_disk_and_come_back(tmp_path: Path) -> None:
    with limited(tmp_path):
        kept = raskt.persist(*[raskt.delayed(make)(seed) for seed in range(32)])
        report = memory()
        assert report.held <= 5 * 2**20 and report.files_written > 16
        assert "make" in [holder.name for holder in report.holders]
        for _ in range(2):
            sums = raskt.compute(*[raskt.delayed(np.sum)(array) for array in kept])
            assert sums == tuple(COUNT * float(seed) for seed in range(32))
        first = kept[0].compute()
        assert first.flags.writeable and (first == 0).all()


@pytest.mark.parametrize(
    "value",
    [
        np.arange(2.0**16).reshape(2**8, 2**8).T,
        np.arange(2**16).astype("M8[us]"),
        np.zeros(2**14, dtype=[("a", "i4"), ("b", "f8")]),
        b"bytes" * 2**14,
        bytearray(b"bytes" * 2**14),
        pd.DataFrame({"a": np.arange(2**14), "s": ["text"] * 2**14, "c": pd.Categorical(["x", "y"] * 2**13)}),
        pd.Series(np.arange(2**14), index=pd.date_range("2020", periods=2**14, tz="Europe/Oslo"), name="n"),
    ],
    ids=["array", "times", "records", "bytes", "bytearray", "frame", "series"],
)
def test_any_kind_comes_back_as_it_was(tmp_path: Path, value: Any) -> None:
    import copy

    with limited(tmp_path):
        kept = raskt.delayed(copy.copy if isinstance(value, bytearray) else copy.deepcopy)(value).persist()
        if isinstance(value, bytes):
            # A copy of bytes is themselves; these are others.
            kept = raskt.delayed(lambda: bytes(bytearray(value)))().persist()
        squeeze()
        # What leaves may still be on its way to disk.
        names = ("copy", "deepcopy", "<lambda>")
        wait_until(lambda: next(holder for holder in memory().holders if holder.name in names).away > 0, "it stays")
        found = kept.compute()
    assert type(found) is type(value)
    if isinstance(value, np.ndarray):
        np.testing.assert_array_equal(found, value)
        assert found.dtype == value.dtype and found.flags.writeable
    elif isinstance(value, pd.DataFrame):
        pd.testing.assert_frame_equal(found, value)
    elif isinstance(value, pd.Series):
        pd.testing.assert_series_equal(found, value, check_freq=False)
    else:
        assert found == value


def test_futures_go_to_disk_and_come_back(tmp_path: Path) -> None:
    with limited(tmp_path):
        made = [futures.submit(make, seed) for seed in range(32)]
        sums = [futures.submit(np.sum, array) for array in made]
        assert futures.gather(sums) == [COUNT * float(seed) for seed in range(32)]
        wait_until(lambda: memory().held <= 5 * 2**20, "what nobody uses leaves")
        assert "make" in [holder.name for holder in memory().holders]
        for seed, array in enumerate(made):
            assert array.type == "ndarray" and (array.result() == seed).all()
        del made, sums, array
        gc.collect()


def test_what_somebody_holds_stays(tmp_path: Path) -> None:
    with limited(tmp_path):
        kept = raskt.delayed(make)(3).persist()
        held = kept.compute()
        squeeze()
        assert kept.compute() is held


def test_what_was_changed_is_seen_as_without_a_limit(tmp_path: Path) -> None:
    with limited(tmp_path):
        kept = raskt.delayed(make)(3).persist()
        future = futures.submit(make, 4)
        for number in range(3):
            squeeze()
            kept.compute()[0] += 1
            future.result()[0] += 1
            squeeze()
            assert (kept.compute()[0], future.result()[0]) == (4 + number, 5 + number)


def test_a_function_beside_a_frame_comes_back_as_the_same(tmp_path: Path) -> None:
    def area(side: float) -> float:
        return side * side

    def attributed() -> pd.DataFrame:
        frame = pd.DataFrame({"a": np.arange(2**16)})
        frame.attrs["function"] = area
        return frame

    with limited(tmp_path):
        kept = raskt.delayed(attributed)().persist()
        squeeze()
        wait_until(lambda: any(each.name == "attributed" and each.away for each in memory().holders), "it stays")
        assert kept.compute().attrs["function"] is area


def test_what_cant_be_pickled_stays_and_isnt_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unpicklable() -> pd.DataFrame:
        return pd.DataFrame({"a": np.arange(2**16)})

    def fail(value: object) -> Any:
        if isinstance(value, pd.DataFrame):
            raise TypeError("it can't be pickled")
        return dump(value)

    dump = _spill.dump
    monkeypatch.setattr(_spill, "dump", fail)
    with limited(tmp_path):
        before = memory().refused
        kept = raskt.delayed(unpicklable)().persist()
        for _ in range(2):
            squeeze()
        wait_until(lambda: memory().refused > before, "nobody tried to write it")
        assert memory().refused == before + 1
        assert kept.compute().a.sum() == 2**16 * (2**16 - 1) // 2


@pytest.mark.parametrize("keeps", [True, False])
def test_five_hundred_damaged_files_give_no_wrong_number(tmp_path: Path, keeps: bool) -> None:
    damages = lost = rounds = 0
    with limited(tmp_path):
        while damages < 500:
            rounds += 1
            kept = raskt.persist(*[raskt.delayed(make)(seed) for seed in range(24)], keep_lineage=keeps)
            made = [futures.submit(make, seed) for seed in range(24)]
            futures.wait(made)
            squeeze()
            for at, file in enumerate(files_in(tmp_path)):
                damages += damage(file, WAYS[(at + rounds) % 4], at * rounds)
            for seed in range(24):
                for result in (kept[seed].compute, made[seed].result):
                    try:
                        assert (result() == seed).all()
                    except raskt.ResultsLost:
                        assert not keeps or result == made[seed].result
                        lost += 1
            del made, kept, result
            gc.collect()
        assert lost > (60 if keeps else 200)


WAYS = ["flip", "cut", "remove", "grow"]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(st.tuples(st.sampled_from(["makes", "reads", "changes", "forgets"]), st.integers(0, 9)), max_size=40)
)
def test_any_order_of_work_gives_what_it_does_without_a_limit(tmp_path: Path, steps: list[tuple[str, int]]) -> None:
    with limited(tmp_path):
        kept: dict[int, Any] = {}
        model: dict[int, float] = {}
        for step, at in steps:
            if step == "makes":
                kept[at], model[at] = raskt.delayed(make)(at).persist(), float(at)
            elif step == "forgets":
                kept.pop(at, None)
            elif at in kept and step == "reads":
                assert kept[at].sum().compute() == COUNT * at + model[at] - at
            elif at in kept:
                kept[at].compute()[0] += 1
                model[at] += 1
        for at, delayed in kept.items():
            assert delayed.compute()[0] == model[at]


def test_readers_of_results_that_come_and_go_do_not_stop_one_another_and_are_promised_what_they_read(
    tmp_path: Path,
) -> None:
    """What makes room for a result that is read is written with the interpreter: no task may hold that and wait."""
    program = f"""
    import signal
    import numpy as np, raskt, raskt.diagnostics
    from raskt import delayed
    signal.alarm(120)
    raskt.config.set({{"memory.limit": "16MiB", "memory.spill-path": {str(tmp_path)!r}}})
    kept = raskt.persist(*[delayed(np.ones)(2**17) for _ in range(200)])
    lengths = [raskt.compute(*[delayed(len)(array) for array in kept], num_workers=2) for _ in range(5)]
    report = raskt.diagnostics.memory()
    found = {{"right": set(lengths) == {{(2**17,) * 200}}, "read": report.files_read, "most": report.peak}}
    """
    found = run(program)
    assert found["right"] and found["read"] > 500
    assert found["most"] < 24 * 2**20


def test_changes_in_place_are_not_lost_while_others_read_and_push_out(tmp_path: Path) -> None:

    stop = threading.Event()
    with limited(tmp_path):
        kept = raskt.delayed(np.zeros)(COUNT).persist()
        others = raskt.persist(*[raskt.delayed(make)(seed) for seed in range(24)])

        def press() -> None:
            at = 0
            while not stop.is_set():
                at += 1
                raskt.compute(*[raskt.delayed(np.sum)(other) for other in others[at % 16 :][:8]])

        def read() -> None:
            while not stop.is_set():
                kept.compute()

        def read_in_a_task() -> None:
            while not stop.is_set():
                raskt.delayed(np.sum)(kept).compute()

        threads = [threading.Thread(target=target) for target in (press, press, read, read, read_in_a_task)]
        for thread in threads:
            thread.start()
        try:
            until = time.monotonic() + 5
            changes = 0
            while time.monotonic() < until:
                array = kept.compute()
                assert array[1] == changes
                array[1] += 1
                changes += 1
                del array
                time.sleep(0.002)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert kept.compute()[1] == changes


@pytest.mark.parametrize("kind", ["list", "dictionary", "list in a tuple"])
def test_futures_in_their_own_results_are_garbage(kind: str) -> None:
    made: dict[str, Any] = {
        "list": lambda: [np.ones(COUNT)],
        "dictionary": lambda: {"array": np.ones(COUNT)},
        "list in a tuple": lambda: (np.ones(COUNT), []),
    }
    before = memory().held
    for _ in range(5):
        future = futures.submit(made[kind])
        result = future.result()
        if kind == "dictionary":
            result["future"] = future
        else:
            (result if kind == "list" else result[1]).append(future)
        alive = weakref.ref(future)
        del result, future
        gc.collect()
        assert alive() is None
    assert memory().held <= before


def test_what_futures_hold_and_nobody_has_got_leaves_also_in_containers(tmp_path: Path) -> None:
    with limited(tmp_path):
        made = [futures.submit(lambda seed: [make(seed)], seed) for seed in range(32)]
        futures.wait(made)
        wait_until(lambda: memory().held <= 5 * 2**20, "what nobody uses leaves")
        first = made[0].result()
        first.append(1)
        assert made[0].result() is first and (made[1].result()[0] == 1).all()
