"""What happens when a worker process dies, and that none is left behind: in programs of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import raskt
from raskt import delayed

SECONDS = 30


def run(*work, **how):
    results = raskt.compute(*work, scheduler="processes", **{"num_workers": 2, **how})
    return results if len(work) > 1 else results[0]


STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def no_program_outlives_its_test():
    """A test that fails half-way must not leave a busy program behind."""
    yield
    while STARTED:
        process = STARTED.pop()
        process.kill()
        process.communicate()


def start(program: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(program)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    STARTED.append(process)
    return process


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pids: list[int]) -> list[int]:
    end = time.monotonic() + SECONDS
    while (left := [pid for pid in pids if is_alive(pid)]) and time.monotonic() < end:
        time.sleep(0.02)
    return left


@pytest.mark.parametrize(
    ("function", "argument", "story"),
    [
        ("kill", signal.SIGKILL, "killed by SIGKILL, perhaps because the machine ran out of memory"),
        ("kill", signal.SIGSEGV, "died of SIGSEGV"),
        ("kill", signal.SIGABRT, "died of SIGABRT"),
        ("kill", signal.SIGTERM, "ended by SIGTERM"),
        ("exit", 7, "exit code 7"),
        ("exit", 0, "exit code 0"),
    ],
)
def test_a_death_fails_its_task_and_says_how(function, argument, story):
    def die():
        import faulthandler

        faulthandler.disable()
        os._exit(argument) if function == "exit" else os.kill(os.getpid(), argument)

    with pytest.raises(raskt.ProcessDied, match=story) as caught:
        run(delayed(die)())
    if sys.version_info >= (3, 11):
        assert any("die-" in note for note in caught.value.__notes__)
    assert run(delayed(abs)(-1)) == 1, "the next computation gets another process"


def test_only_the_task_that_ran_is_blamed(tmp_path):
    """
    1. Many short tasks go to one process in few messages; each leaves a mark.
    2. One of them kills the process.
    3. The error names that task, and tasks before it have run.
    """

    def task(i):
        (tmp_path / str(i)).touch()
        if i == 37:
            os.kill(os.getpid(), signal.SIGKILL)
        return i

    work = [delayed(task)(i, dask_key_name=f"task-{i}") for i in range(100)]
    for _ in range(3):
        run(*[delayed(abs)(i) for i in range(100)], num_workers=1)
    with pytest.raises(raskt.ProcessDied) as caught:
        run(*work, num_workers=1)
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == ["raskt: this happened in task `task-37`"]
    assert (tmp_path / "36").exists()


def test_a_process_that_dies_between_tasks_is_replaced():
    pid = run(delayed(os.getpid)(), num_workers=1)
    os.kill(pid, signal.SIGKILL)
    assert wait_until_gone([pid]) == []
    assert run(delayed(abs)(-2), num_workers=1) == 2


def test_all_processes_die_between_computations():
    def who():
        time.sleep(0.3)
        return os.getpid()

    pids = set(run(*[delayed(who)() for _ in range(6)], num_workers=3))
    assert len(pids) > 1
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert wait_until_gone(list(pids)) == []
    assert run(*[delayed(abs)(i) for i in range(50)], num_workers=3) == tuple(range(50))


def test_a_process_that_cannot_start_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FileNotFoundError, match="could not start the worker process `/nowhere/python`"):
        run(delayed(abs)(1), num_workers=13)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(raskt.ProcessDied, match="could not be started"):
        run(delayed(abs)(1), num_workers=14)


BUSY = """
    import os, sys, time, signal
    import raskt
    from raskt import delayed

    def work(i):
        import subprocess
        child = subprocess.Popen(["sleep", "60"]) if i == 0 else None
        # In one piece: two processes write at the same time.
        os.write(1, f"pid {os.getpid()}\\n".encode())
        if child:
            os.write(1, f"pid {child.pid}\\n".encode())
        while True:
            {what}

    try:
        raskt.compute(*[delayed(work)(i) for i in range(2)], scheduler="processes", num_workers=2)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    print(delayed(abs)(-5).compute(scheduler="processes"), flush=True)
"""


def start_busy(what: str) -> tuple[subprocess.Popen[str], list[int]]:
    process = start(BUSY.replace("{what}", what))
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    assert all(line.startswith("pid ") for line in lines), (lines, process.poll() and process.stderr.read())
    pids = [int(line.split()[1]) for line in lines]
    return process, pids


@pytest.mark.parametrize("what", ["pass", "time.sleep(30)", "sum(range(10**9))"])
def test_ctrl_c_stops_at_once_and_leaves_no_process(what):
    process, pids = start_busy(what)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    # Half a second is what is promised on an idle machine; a loaded one gets a margin.
    assert time.monotonic() - sent < 5
    assert process.stdout.readline() == "5\n"
    assert process.wait(SECONDS) == 0
    assert wait_until_gone(pids) == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_its_parent(how):
    process, pids = start_busy("pass")
    process.send_signal(how)
    process.wait(SECONDS)
    assert wait_until_gone(pids) == []


def test_no_process_outlives_a_parent_whose_fork_holds_the_channel():
    process = start("""
        import os, time
        from raskt import delayed
        print(delayed(os.getpid)().compute(scheduler="processes"), flush=True)
        child = os.fork()
        if child == 0:
            time.sleep(60)
        print(child, flush=True)
        time.sleep(60)
    """)
    worker, child = (int(process.stdout.readline()) for _ in range(2))
    process.kill()
    process.wait(SECONDS)
    try:
        assert wait_until_gone([worker]) == []
    finally:
        os.kill(child, signal.SIGKILL)


def test_an_error_elsewhere_ends_a_task_that_goes_on():
    def fail():
        raise ValueError("enough")

    def endless():
        while True:
            time.sleep(1)

    begun = time.monotonic()
    with pytest.raises(ValueError, match="enough"):
        run(delayed(endless)(), delayed(fail)())
    assert time.monotonic() - begun < SECONDS / 2
    assert run(*[delayed(abs)(i) for i in range(10)]) == tuple(range(10))


def test_leaving_with_work_in_flight_is_quick_and_quiet():
    process = start("""
        import os, threading, time
        from raskt import delayed

        def work():
            print(os.getpid(), flush=True)
            while True:
                pass

        threading.Thread(target=lambda: delayed(work)().compute(scheduler="processes"), daemon=True).start()
        time.sleep(1.5)
    """)
    pid = int(process.stdout.readline())
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out, err) == (0, "", "")
    assert wait_until_gone([pid]) == []


def test_leaving_with_idle_processes_is_quick_and_quiet():
    process = start("""
        import os
        from raskt import delayed
        print(delayed(os.getpid)().compute(scheduler="processes"))
    """)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, "")
    assert wait_until_gone([int(out)]) == []


def test_the_main_module_is_not_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        print("main runs")
        from raskt import delayed

        class Thing:
            def __init__(self, x): self.x = x

        def make(x): return Thing(x + helper())
        def helper(): return 10

        thing = delayed(make)(1).compute(scheduler="processes")
        assert type(thing) is Thing and thing.x == 11
        print(delayed(lambda t: t.x)(thing).compute(scheduler="processes"))
        """)
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=SECONDS)
    assert done.stderr == ""
    assert done.stdout.split("\n") == ["main runs", "11", ""]


def fail_soon():
    time.sleep(0.03)
    raise ValueError("soon")


def test_a_call_that_ends_though_its_computation_has_failed(capfd):
    """
    1. Of two calls in two processes, one fails; the other is no longer wanted, and ends shortly after by itself.
    2. Nobody stumbles over its result, and both processes are there for the next computation.
    """
    for _ in range(5):
        with pytest.raises(ValueError, match="soon"):
            raskt.compute(delayed(time.sleep)(0.08), delayed(fail_soon)(), scheduler="processes", num_workers=2)
        time.sleep(0.1)
    assert raskt.compute(*[delayed(abs)(-i) for i in range(9)], scheduler="processes", num_workers=2) == tuple(range(9))
    assert capfd.readouterr().err == ""
