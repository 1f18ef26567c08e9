"""Computations within computations, as deep as the interpreter goes; and a system that gives no more threads."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

SECONDS = 60

#: Two threads of the engine are at work, and the user that the process becomes has as many as it may have.
REFUSED = """
raskt.compute(*[delayed(time.sleep)(0.2) for _ in range(4)], num_workers=2)
os.setgid(65534); os.setuid(65534)
count = len(os.listdir("/proc/self/task"))
resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
try:
    threading.Thread(target=lambda: None).start()
    print("threads can be had")
    sys.exit()
except RuntimeError:
    pass
"""

NESTED = """
most = 0
def f(n):
    global most
    most = max(most, len(os.listdir("/proc/self/task")))
    return 1 + delayed(f)(n - 1).compute(num_workers=2) if n else 0
"""


def program(*parts: str, code: int = 0) -> str:
    imports = "import os, resource, sys, threading, time\nimport raskt\nfrom raskt import delayed\n"
    text = imports + "".join(textwrap.dedent(part) for part in parts)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (code, "")
    return done.stdout


def refused(*parts: str, before: str = "") -> str:
    if os.geteuid() != 0:
        pytest.skip("only root may become a user that has no other process")
    out = program(before, REFUSED, *parts)
    if "threads can be had" in out:
        pytest.skip("the system doesn't bound threads")
    return out


@pytest.mark.parametrize("depth", [300, 900])
def test_deep_chains_of_tasks_that_compute_take_few_threads(depth):
    out = program(
        NESTED,
        f"""
        raskt.compute(*[delayed(time.sleep)(0.1) for _ in range(4)], num_workers=2)
        before = len(os.listdir("/proc/self/task"))
        print(delayed(f)({depth}).compute(num_workers=2), most - before)
        """,
    )
    result, threads = map(int, out.split())
    assert result == depth
    assert threads <= 8


def test_deeper_than_the_recursion_limit_of_one_thread():
    assert program(NESTED, "print(delayed(f)(3000).compute(num_workers=2))") == "3000\n"


def test_where_no_thread_can_be_had_chains_end_by_a_result_or_an_error():
    """
    1. A chain that the interpreter's recursion limit allows on two threads ends with its result.
    2. One that it doesn't allow, or that the stack has no room for, ends with an exception, and the process goes on.
    """
    out = refused(
        NESTED,
        """
        print(delayed(f)(200).compute(num_workers=2))
        for limit in [1000, 100_000]:
            sys.setrecursionlimit(limit)
            try:
                delayed(f)(20_000).compute(num_workers=2)
            except (RecursionError, RuntimeError, MemoryError) as error:
                print(type(error).__name__)
        print(delayed(f)(20).compute(num_workers=2))
        """,
    )
    lines = out.split()
    assert (lines[0], lines[1], lines[-1], len(lines)) == ("200", "RecursionError", "20", 4)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_a_task_has_as_much_stack_as_a_thread_of_python(scheduler):
    out = program(
        f"""
        sys.setrecursionlimit(20_000)
        def deep(n):
            x = []
            for _ in range(n):
                x = [x]
            return len(repr(x))
        found = []
        thread = threading.Thread(target=lambda: found.append(deep(15_000)))
        thread.start(); thread.join()
        print(*found, delayed(deep)(15_000).compute(scheduler="{scheduler}"))
        """,
    )
    assert out == "30002 30002\n"


def test_results_leave_memory_where_the_store_gets_no_thread():
    out = refused(
        """
        raskt.config.set({"memory.limit": "600MiB"})
        start = time.time()
        kept = raskt.persist(*[delayed(np.full)(1_000_000, float(i)) for i in range(150)], num_workers=2)
        took = time.time() - start
        print(all(float(x.compute(num_workers=2)[0]) == i for i, x in enumerate(kept)), took < 15)
        """,
        # NumPy's own library starts threads when it is loaded.
        before="import numpy as np\n",
    )
    assert out == "True True\n"
