"""The profilers: what they record of tasks, results and the process."""

from __future__ import annotations

import gc
import subprocess
import sys
import time

import pytest

import raskt
import raskt.array as ra
from raskt.diagnostics import CacheProfiler, Profiler, ResourceProfiler
from raskt.futures import gather, submit


def inc(x):
    return x + 1


def test_each_task_is_recorded_once():
    with Profiler() as profiler:
        raskt.compute(*[raskt.delayed(inc)(i) for i in range(1000)])
    results = profiler.results
    assert len(results) == len({task.key for task in results}) == 1000
    assert {task.task for task in results} == {"inc"}
    assert [task.start_time for task in results] == sorted(task.start_time for task in results)
    assert profiler.left_out == 0


def test_times_are_those_of_the_clock_and_no_thread_does_two_things():
    before = time.perf_counter()
    with Profiler() as profiler:
        raskt.compute(*[raskt.delayed(time.sleep)(0.002) for _ in range(20)], num_workers=3)
    after = time.perf_counter()
    results = profiler.results
    assert all(before <= task.start_time <= task.end_time <= after for task in results)
    assert all(task.end_time - task.start_time >= 0.002 for task in results)
    for thread in {task.worker_id for task in results}:
        own = [task for task in results if task.worker_id == thread]
        assert all(a.end_time <= b.start_time for a, b in zip(own, own[1:]))


def test_inputs_end_before_their_readers_begin():
    with Profiler() as profiler:
        first = raskt.delayed(inc, name="f")(1, raskt_key_name="first")
        raskt.delayed(inc)(first, raskt_key_name="second").compute()
    first, second = profiler.results
    assert (first.key, second.key) == ("first", "second")
    assert first.end_time <= second.start_time


def test_native_tasks_and_futures_are_recorded():
    with Profiler() as profiler:
        ra.ones((40, 40), chunks=10).sum().compute()
        gather([submit(inc, 1), submit(lambda: raskt.delayed(inc)(2).compute())])
    names = [task.task for task in profiler.results]
    assert sum("sum" in name for name in names) >= 16
    assert names.count("inc") == 2 and names.count("<lambda>") == 1
    assert "futures" not in names


def test_failures_are_recorded():
    with Profiler() as profiler:
        with pytest.raises(ZeroDivisionError):
            raskt.delayed(lambda: 1 / 0)().compute()
    assert [task.failed for task in profiler.results] == [True]


def test_records_are_those_of_the_last_block():
    profiler = Profiler()
    for count in (3, 2):
        with profiler:
            raskt.compute(*[raskt.delayed(inc)(i) for i in range(count)])
        raskt.delayed(inc)(0).compute()
        assert len(profiler.results) == count
    profiler.clear()
    assert profiler.results == []


def test_register_and_unregister():
    profiler = Profiler()
    profiler.register()
    profiler.register()
    with profiler:
        pass
    raskt.delayed(inc)(0).compute()
    profiler.unregister()
    profiler.unregister()
    raskt.delayed(inc)(0).compute()
    assert len(profiler.results) == 1


def test_the_interpreter_goes_while_all_look_on():
    text = """
import time, raskt
from raskt.diagnostics import CacheProfiler, Callback, Profiler, ResourceProfiler
from raskt.futures import submit
for each in Profiler(), CacheProfiler(), ResourceProfiler(0.001), Callback(pretask=len, posttask=repr):
    each.register()
running = [submit(time.sleep, 0.05) for _ in range(20)]
raskt.delayed(abs)(1).compute()
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_two_profilers_at_once():
    with Profiler() as outer:
        raskt.delayed(inc)(0).compute()
        with Profiler() as inner:
            raskt.delayed(inc)(0).compute()
    assert (len(outer.results), len(inner.results)) == (2, 1)


def test_a_profiler_that_goes_records_no_longer():
    profiler = Profiler()
    profiler.register()
    del profiler
    gc.collect()
    raskt.delayed(inc)(0).compute()


def test_results_are_held_from_their_end_until_their_last_reader_is_done():
    with Profiler() as tasks, CacheProfiler() as held:
        a = raskt.delayed(bytes)(1000, raskt_key_name="a")
        b = raskt.delayed(len)(a, raskt_key_name="b")
        c = raskt.delayed(inc)(b, raskt_key_name="c")
        c.compute()
    ended = {task.key: task.end_time for task in tasks.results}
    by_key = {result.key: result for result in held.results}
    assert set(by_key) == {"a", "b", "c"}
    assert [result.key for result in held.results] == ["a", "b", "c"]
    for key, reader in ("a", "b"), ("b", "c"):
        assert by_key[key].cache_time == pytest.approx(ended[key], abs=1e-6)
        assert ended[reader] <= by_key[key].free_time <= by_key["c"].free_time


def test_bytes_of_native_results():
    with CacheProfiler() as held:
        ra.ones((100, 100), chunks=50).persist()
    assert [result.metric for result in held.results] == [50 * 50 * 8] * 4


def test_results_of_futures_are_held_as_long_as_the_futures():
    with CacheProfiler() as held:
        kept, dropped = submit(inc, 1, key="kept"), submit(inc, 2, key="dropped")
        gather([kept, dropped])
        del dropped
        deadline = time.monotonic() + 20
        # The thread that ran the call holds the future for a moment longer.
        while len([r for r in held.results if r.free_time is not None]) < 1 and time.monotonic() < deadline:
            time.sleep(0.001)
    found = {result.key: result.free_time for result in held.results}
    assert found["kept"] is None and found["dropped"] is not None


def test_memory_and_processor_time_over_time():
    with ResourceProfiler(dt=0.01) as profiler:
        block = b"x" * 80_000_000
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
    samples = profiler.results
    assert len(samples) >= 2
    assert [sample.time for sample in samples] == sorted(sample.time for sample in samples)
    assert max(sample.mem for sample in samples) - samples[0].mem > 70
    assert max(sample.cpu for sample in samples) > 20
    assert len(block) == 80_000_000


def test_memory_of_children_counts():
    with ResourceProfiler(dt=0.02) as profiler:
        before = profiler.results
        text = "block = b'x' * 150_000_000; import time; time.sleep(0.5)"
        subprocess.run([sys.executable, "-c", text], check=True)
    assert max(sample.mem for sample in profiler.results) - (before or profiler.results)[0].mem > 130


def test_a_resource_profiler_begins_anew():
    profiler = ResourceProfiler(dt=10)
    with profiler:
        pass
    first = profiler.results
    with profiler:
        pass
    assert len(first) == len(profiler.results) == 2
    assert first[1].time <= profiler.results[0].time


@pytest.mark.parametrize("dt", [0, -1, float("nan")])
def test_looks_need_time_between_them(dt):
    with pytest.raises(ValueError, match="greater than zero"):
        ResourceProfiler(dt=dt)
