"""Ctrl-C and other ends that come from outside."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from interrupting import assert_interrupts

AGAIN = "assert delayed(sum)([delayed(abs)(-i) for i in range(1000)]).compute() == sum(range(1000))"


@pytest.mark.parametrize("function", ["busy", "sleepy"])
@pytest.mark.parametrize("how", ["", "num_workers=1", "scheduler='sync'", "scheduler='processes'"])
def test_ctrl_c_stops_a_computation_and_the_next_one_works(function, how):
    setup = f"""
import raskt
from raskt import delayed
work = [delayed({function})() for _ in range(4)]
"""
    after = 1.5 if "processes" in how else 0.3
    assert_interrupts(setup, f"raskt.compute(*work, {how})", AGAIN, after=after)


@pytest.mark.parametrize("inner", ["threads", "sync"])
@pytest.mark.parametrize("outer", ["threads", "sync"])
def test_ctrl_c_stops_what_a_task_computes(outer, inner):
    """The computation within is nobody's any more when the one around it is cancelled."""
    setup = f"""
import raskt
from raskt import delayed
ticks = []
def tick():
    while True:
        ticks.append(1)
        time.sleep(0.001)
def outer():
    return raskt.compute(delayed(tick)(), delayed(tick)(), scheduler="{inner}", num_workers=2)
"""
    again = (
        AGAIN
        + """
deadline = time.monotonic() + 10
while True:
    count = len(ticks)
    time.sleep(0.1)
    if len(ticks) == count:
        break
    assert time.monotonic() < deadline, "the computation within goes on"
"""
    )
    assert_interrupts(setup, f'delayed(outer)().compute(scheduler="{outer}")', again)


def test_ctrl_c_while_futures_are_waited_for():
    setup = """
from raskt.futures import gather, submit
futures = [submit(sleepy) for _ in range(3)]
"""
    again = "assert [future.cancel() for future in futures] == [True] * 3"
    assert_interrupts(setup, "gather(futures)", again)


def test_leaving_the_interpreter_with_work_in_flight_neither_hangs_nor_crashes():
    program = textwrap.dedent("""
        import threading, time, raskt
        thread = threading.Thread(target=lambda: raskt.delayed(time.sleep)(30).compute(), daemon=True)
        thread.start()
        time.sleep(0.2)
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr


def test_a_forked_child_has_an_engine_of_its_own():
    program = textwrap.dedent("""
        import os, raskt
        from raskt import delayed
        assert delayed(abs)(-1).compute() == 1
        child = os.fork()
        if child == 0:
            os._exit(0 if delayed(abs)(-2).compute() == 2 else 1)
        assert os.waitpid(child, 0)[1] == 0
    """)
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=20)
