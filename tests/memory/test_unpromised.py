"""Memory that nobody was promised: it is seen, named, and slows down what takes it; something always runs."""

from __future__ import annotations

import pytest
from memory_running import run

COMMON = """
    import ctypes, mmap, threading, time
    import numpy as np
    import raskt
    from raskt import delayed
    from raskt.diagnostics import memory

    class Opaque:
        "Memory that Python doesn't see: of a library in C."
        __slots__ = ("address",)
        def __init__(self, size):
            object.__setattr__(self, "address", LIBC.malloc(size))
            ctypes.memset(self.address, 1, size)
        def __del__(self):
            LIBC.free(self.address)

    LIBC = ctypes.CDLL(None)
    LIBC.malloc.restype = ctypes.c_void_p
    LIBC.malloc.argtypes = [ctypes.c_size_t]
    LIBC.free.argtypes = [ctypes.c_void_p]
    MIB = 2**20
    running = most = 0
    lock = threading.Lock()

    class Counted:
        def __enter__(self):
            global running, most
            with lock:
                running += 1
                most = max(most, running)
        def __exit__(self, *error):
            global running
            with lock:
                running -= 1
"""


def program(text: str) -> str:
    return COMMON + text


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_what_tasks_hold_unseen_is_named_and_all_ends(scheduler: str) -> None:
    found = run(
        program(f"""
    raskt.config.set({{"memory.limit": "600MiB", "num-workers": 4, "scheduler": {scheduler!r}}})

    def hoard(at):
        held = Opaque(20 * MIB)
        time.sleep(0.03)
        return held

    kept = raskt.persist(*[delayed(hoard)(at) for at in range(30)])
    # It has a moment's delay: it isn't taken for what allocators keep.
    seen = []
    for _ in range(20):
        raskt.compute(*[delayed(time.sleep)(0.01) for _ in range(4)])
        seen.append(memory().unpromised)
    report = memory()
    found["peak_seen"] = report.unpromised_peak
    found["names"] = [name for name, _ in report.unpromised_by]
    found["text"] = str(report)
    # What takes no memory goes on beside it.
    found["sum"] = sum(raskt.compute(*[delayed(pow)(at, 2) for at in range(1000)]))
    """)
    )
    assert found["peak_seen"] > 300 * 2**20
    if scheduler == "threads":
        assert "hoard" in found["names"]
    assert found["sum"] == sum(at**2 for at in range(1000))


def test_fewer_tasks_run_at_once_where_each_takes_much_that_nobody_was_promised() -> None:
    found = run(
        program("""
    raskt.config.set({"memory.limit": "800MiB", "num-workers": 8})

    def temporary(at):
        with Counted():
            held = Opaque(150 * MIB)
            time.sleep(0.4)
            del held
        return at

    most_at = []
    for _ in range(2):
        globals()["most"] = 0
        assert sum(raskt.compute(*[delayed(temporary)(at) for at in range(16)])) == 120
        most_at.append(most)
    found["first"] = most_at[0]
    globals()["most"] = 0
    # In one run: the first eight are there before anybody can know.
    late = []

    def watched(at):
        with Counted():
            held = Opaque(150 * MIB)
            late.append((at, running))
            time.sleep(0.4)
            del held
        return at

    raskt.compute(*[delayed(watched)(at) for at in range(48)])
    found["late"] = max(count for _, count in late[16:])
    """)
    )
    assert found["first"] == 8
    assert found["late"] < 8


def test_results_leave_earlier_for_it() -> None:
    found = run(
        program("""
    raskt.config.set({"memory.limit": "900MiB", "num-workers": 2})
    kept = raskt.persist(*[delayed(np.ones)(2**20) for at in range(64)])
    found["before"] = memory().held
    hoards = []

    def hoard(at):
        hoards.append(Opaque(50 * MIB))
        time.sleep(0.05)

    raskt.compute(*[delayed(hoard)(at) for at in range(9)])
    # It has to be seen for a while, and what leaves has to be written.
    until = time.monotonic() + 60
    while memory().held > found["before"] - 60 * MIB and time.monotonic() < until:
        raskt.compute(delayed(time.sleep)(0.02))
    found["after"] = memory().held
    found["spilled"] = memory().spilled
    found["sum"] = float(sum(raskt.compute(*[one.sum() for one in kept])))
    """)
    )
    assert found["before"] >= 64 * 2**23
    assert found["after"] < found["before"] - 50 * 2**20 and found["spilled"] > 50 * 2**20
    assert found["sum"] == 64 * 2**20
    assert found["peak"] < 1.3 * 900 * 2**20


def test_objects_of_the_user_are_no_growth() -> None:
    found = run(
        program("""
    raskt.config.set({"memory.limit": "2GiB", "num-workers": 2})
    kept = raskt.persist(*[delayed(np.ones)(2**20) for at in range(4)])
    own = np.ones(2**26)
    time.sleep(1.1)
    seen = []
    for _ in range(30):
        raskt.compute(delayed(time.sleep)(0.02))
        seen.append(memory().unpromised)
    found["most"] = max(seen)
    report = memory()
    found["baseline"], found["own"] = report.baseline, own.nbytes
    """)
    )
    assert found["most"] == 0
    assert found["baseline"] > found["own"]


def test_memory_that_was_freed_is_no_growth_for_ever() -> None:
    found = run(
        program("""
    raskt.config.set({"memory.limit": "1GiB", "num-workers": 2})
    kept = delayed(np.ones)(2**20).persist()

    def temporary(at):
        lists = [bytes(1000) for _ in range(200_000)]
        time.sleep(0.05)
        return len(lists)

    for _ in range(3):
        raskt.compute(*[delayed(temporary)(at) for at in range(4)])
    deadline = time.monotonic() + 20
    while memory().unpromised and time.monotonic() < deadline:
        raskt.compute(delayed(time.sleep)(0.02))
    found["left"] = memory().unpromised
    """)
    )
    assert found["left"] == 0


def test_what_the_first_task_leaves_in_a_cache_does_not_make_the_others_run_one_at_a_time() -> None:
    found = run(
        program("""
    raskt.config.set({"memory.limit": "1GiB", "num-workers": 4})
    cache = []

    def first():
        cache.append(Opaque(500 * MIB))
        time.sleep(0.5)
        return 1

    counts = []

    def work(one, at):
        with Counted():
            counts.append(running)
            time.sleep(0.1)
        return at

    one = delayed(first)()
    assert sum(raskt.compute(*[delayed(work)(one, at) for at in range(120)])) == 7140
    found["late"] = counts[60:]
    found["peak_seen"] = memory().unpromised_peak
    """)
    )
    assert found["peak_seen"] > 400 * 2**20
    late = found["late"]
    assert sum(count >= 3 for count in late) > len(late) // 2


def test_who_filled_memory_is_named_first_and_not_who_ran_beside_it() -> None:
    found = run(
        program("""
    raskt.config.set({"memory.limit": "1GiB", "num-workers": 4})
    cache = []

    def first():
        cache.append(Opaque(400 * MIB))
        time.sleep(0.6)
        return 1

    def work(one, at):
        time.sleep(0.1)
        return at

    filled = delayed(first)()
    raskt.compute(*[delayed(work)(filled, at) for at in range(60)])
    found["by"] = memory().unpromised_by
    """)
    )
    assert found["by"][0][0] == "first" and found["by"][0][1] > 300 * 2**20
    assert all(size < 100 * 2**20 for name, size in found["by"] if name != "first")


def test_nobody_is_named_whose_memory_is_free_again() -> None:
    found = run(
        program("""
    raskt.config.set({"memory.limit": "700MiB"})
    cache = []

    def leaks():
        cache.append(Opaque(400 * MIB))
        time.sleep(0.6)

    delayed(leaks)().compute()
    found["then"] = [name for name, _ in memory().unpromised_by]
    cache.clear()
    time.sleep(1)
    delayed(len)("a").compute()
    found["later"] = memory().unpromised_by
    held = []

    def stays(at):
        array = np.ones(60 << 17)
        held.append(array)
        return array

    try:
        raskt.persist(*[delayed(stays)(at) for at in range(40)], scheduler="sync")
    except raskt.MemoryLimitError as error:
        found["error"] = str(error)
    """)
    )
    assert found["then"] == ["leaks"] and found["later"] == []
    assert "stays" in found["error"] and "leaks" not in found["error"]
