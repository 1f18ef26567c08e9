"""Ctrl-C, as a user meets it: in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time

import pytest

PROGRAM = """
import sys, time
import raskt
from raskt import delayed

def busy():
    while True:
        pass

def sleepy():
    time.sleep(30)

work = [delayed({function})() for _ in range(4)]
print("started", flush=True)
try:
    raskt.compute(*work{how})
except KeyboardInterrupt:
    print("interrupted", flush=True)
start = time.perf_counter()
assert delayed(sum)([delayed(abs)(-i) for i in range(1000)]).compute() == sum(range(1000))
print("works again", round(time.perf_counter() - start, 1), flush=True)
"""


@pytest.mark.parametrize("function", ["busy", "sleepy"])
@pytest.mark.parametrize("how", ["", ", num_workers=1", ", scheduler='sync'"])
def test_ctrl_c_stops_a_computation_and_the_next_one_works(function, how):
    program = textwrap.dedent(PROGRAM).replace("{function}", function).replace("{how}", how)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "started\n"
    time.sleep(0.3)
    sent = time.perf_counter()
    process.send_signal(signal.SIGINT)
    line = process.stdout.readline()
    waited = time.perf_counter() - sent
    assert line == "interrupted\n"
    # Half a second is what is promised on an idle machine; a loaded one gets a margin.
    assert waited < 1.5
    assert process.stdout.readline().startswith("works again")
    try:
        assert process.wait(timeout=20) == 0, process.stderr.read()
    finally:
        process.kill()


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
