"""`scheduler="processes"`: what functions are given and give, and where they run."""

from __future__ import annotations

import functools
import operator
import os
import subprocess
import sys
import textwrap
import threading
import traceback

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from raskt import delayed

LARGE = 100_000


def run(*work, **how):
    results = raskt.compute(*work, scheduler="processes", **{"num_workers": 2, **how})
    return results if len(work) > 1 else results[0]


class Point:
    """A class of a module that worker processes can't import."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return type(other) is Point and self.x == other.x

    def moved(self, by=1):
        return Point(self.x + by)


def double(x):
    return x * 2


def test_functions_run_elsewhere_and_results_come_back():
    pids = set(run(*[delayed(os.getpid)() for _ in range(50)]))
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2


def test_the_same_processes_serve_one_computation_after_the_other():
    first = run(delayed(os.getpid)(), num_workers=1)
    assert run(delayed(os.getpid)(), num_workers=1) == first


@pytest.mark.parametrize(
    "value",
    [
        None,
        0,
        "text with ünicode",
        b"x" * 300_000,
        {"a": [1, (2, {3})]},
        float("inf"),
        list(range(100_000)),
        np.arange(3),
        np.arange(LARGE),
        np.zeros((300, 400), order="F"),
        np.arange(LARGE)[::2],
        np.zeros((0, 4)),
        np.array(["a", None], dtype=object),
        np.zeros(LARGE, dtype=[("a", "i4"), ("b", "f8")]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_there_and_back(value):
    there, back = run(delayed(repr)(value), delayed(lambda x: x)(value))
    assert there == repr(value)
    assert type(back) is type(value)
    np.testing.assert_equal(back, value)


def test_frames_there_and_back():
    frame = pd.DataFrame({"a": np.arange(LARGE), "b": np.arange(LARGE) * 1.5, "c": ["x"] * LARGE})
    pd.testing.assert_frame_equal(run(delayed(lambda x: x)(frame)), frame)


def is_mapped(array):
    """Whether the memory of an array is memory that another process has filled."""
    address = array.__array_interface__["data"][0]
    with open("/proc/self/maps") as maps:
        for line in maps:
            start, stop = (int(bound, 16) for bound in line.split(" ", 1)[0].split("-"))
            if start <= address < stop:
                return "memfd:raskt" in line
    return False


def test_large_arrays_are_mapped_and_may_be_written_to():
    array = np.arange(LARGE)

    def write(x, is_mapped):
        x[0] = -1
        return x, is_mapped(x)

    result, was_mapped = run(delayed(write)(array, is_mapped))
    assert result[0] == -1 and array[0] == 0
    assert was_mapped and is_mapped(result)
    result[1] = -2
    assert result.sum() == array.sum() - 1 - 3


def test_many_large_results_need_no_descriptors():
    arrays = run(*[delayed(np.full)(20_000, i) for i in range(300)])
    assert [int(array[-1]) for array in arrays] == list(range(300))
    open_now = len(os.listdir("/proc/self/fd"))
    del arrays
    assert open_now < 150


def test_a_chain_keeps_its_order_and_a_tree_its_sums():
    x = delayed(double)(1)
    for _ in range(20):
        x = delayed(operator.add)(x, 1)
    assert run(x) == 22
    level = [delayed(operator.add)(i, 0) for i in range(64)]
    while len(level) > 1:
        level = [delayed(operator.add)(a, b) for a, b in zip(level[::2], level[1::2])]
    assert run(level[0]) == sum(range(64))


def test_functions_of_modules_that_only_this_process_has():
    offset = 7
    assert run(delayed(lambda x: x + offset)(1)) == 8
    assert run(delayed(functools.partial(double))(4)) == 8
    assert run(delayed(Point)(3)) == Point(3)
    assert run(delayed(Point(3).moved)(by=2)) == Point(5)
    assert run(delayed(Point(3)).moved(by=3)) == Point(6)


def test_a_function_that_changes_between_computations_is_sent_again():
    box = [1]
    work = delayed(lambda: box[0])()
    assert run(work) == 1
    box[0] = 2
    assert run(work) == 2


def test_keywords_containers_and_several_results():
    low, high = delayed(divmod, nout=2)(17, 5)
    assert run(low, high) == (3, 2)
    assert run(delayed(dict)(a=low, b=[high, 1])) == {"a": 3, "b": [2, 1]}
    assert run(delayed(sorted)([3, low, 1], reverse=True)) == [3, 3, 1]


def test_more_functions_than_a_process_keeps():
    functions = [eval(f"lambda: {i}") for i in range(700)]
    for _ in range(2):
        assert run(*[delayed(function)() for function in functions], num_workers=1) == tuple(range(700))


def test_where_the_parent_is(tmp_path, monkeypatch):
    run(delayed(os.getpid)())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RASKT_TEST_PLACE", "there")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "only_here_now.py").write_text("def answer(): return 42\n")
    import only_here_now

    folder, place, path = run(
        delayed(os.getcwd)(), delayed(os.environ.get)("RASKT_TEST_PLACE"), delayed(lambda: sys.path[0])()
    )
    assert (folder, place, path) == (str(tmp_path), "there", str(tmp_path))
    assert run(delayed(only_here_now.answer)()) == 42
    monkeypatch.delenv("RASKT_TEST_PLACE")
    assert run(delayed(os.environ.get)("RASKT_TEST_PLACE")) is None


def test_exceptions_arrive_as_themselves_with_the_lines_of_the_function():
    def inner(x):
        try:
            return {}[x]
        except KeyError as error:
            raise ValueError(f"no {x}") from error

    def outer(x):
        return inner(x)

    with pytest.raises(ValueError, match="^no luck") as caught:
        run(delayed(outer)("luck"))
    text = "".join(traceback.format_exception(caught.value))
    assert "in outer" in text and "return inner(x)" in text and "in inner" in text
    assert "KeyError: 'luck'" in text and "direct cause" in text
    assert "worker.py" not in text
    if sys.version_info >= (3, 11):
        assert any("outer" in note for note in caught.value.__notes__)


class Awkward(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} {b}")
        self.what = [a, b]


class AwkwardOSError(OSError):
    def __init__(self, number, *, why):
        super().__init__(number, why, "a file")


def test_exceptions_with_other_arguments_than_their_class_takes_come_as_they_are():
    def fail():
        raise Awkward(1, 2) from AwkwardOSError(2, why="gone")

    with pytest.raises(Awkward, match="^1 2") as caught:
        run(delayed(fail)())
    cause = caught.value.__cause__
    assert caught.value.what == [1, 2]
    assert type(cause) is AwkwardOSError and (cause.errno, cause.strerror) == (2, "gone")


def test_an_exception_that_cannot_travel_is_told_of():
    def fail():
        error = Awkward(1, 2)
        error.what = threading.Lock()
        raise error

    with pytest.raises(RuntimeError, match=r"Awkward: 1 2 \(this exception can't be passed"):
        run(delayed(fail)())


class Slotted:
    __slots__ = ("inner", "unset")

    def __init__(self, inner):
        self.inner = inner


LOCK = threading.Lock()


def closes_over(inner):
    def give():
        return inner

    return give


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes from 3.11 on")
@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: delayed(str)({"a": [1, Slotted(Point(LOCK))]}), "args[0]['a'][1].inner.x is a _thread.lock"),
        (lambda: delayed(dict)(a=LOCK), "kwargs['a'] is a _thread.lock"),
        (lambda: delayed(str)({(1, LOCK): 2}), "a key of args[0][1] is a _thread.lock"),
        (lambda: delayed(lambda: LOCK)(), "the global variable `LOCK` that is used by the function `"),
        (lambda: delayed(closes_over(LOCK))(), "the variable `inner` of the function `closes_over.<locals>.give` is a"),
        (lambda: delayed(lambda kind: [kind()])(threading.Lock), "the result[0] is a _thread.lock"),
    ],
)
def test_what_exactly_cannot_travel_is_told(make, where):
    with pytest.raises(TypeError, match="pickle") as caught:
        run(make())
    assert any(where in note for note in caught.value.__notes__), caught.value.__notes__


def test_arguments_and_results_that_cannot_travel_are_told_of():
    with pytest.raises(TypeError, match="cannot pickle") as caught:
        run(delayed(str)(threading.Lock()))
    assert any("can't be sent" in note for note in getattr(caught.value, "__notes__", ["can't be sent"]))
    with pytest.raises(TypeError, match="cannot pickle"):
        run(delayed(threading.Lock)())
    assert run(delayed(double)(2)) == 4, "the process goes on"


def test_a_task_may_leave_by_exit_or_interrupt_and_it_is_only_an_exception():
    def leave():
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        run(delayed(leave)())


def test_computing_within_a_task():
    def nested(n):
        import raskt

        inner = [raskt.delayed(operator.add)(i, 1) for i in range(n)]
        return sum(raskt.compute(*inner)), raskt.delayed(os.getpid)().compute(scheduler="processes"), os.getpid()

    total, inner, outer = run(delayed(nested)(100))
    assert total == 5050
    assert inner == outer, "no processes of processes"


def test_native_work_stays_here_and_functions_over_blocks_go_there():
    x = ra.arange(100_000, chunks=25_000)
    y = x.map_blocks(lambda block: block * 2 + (os.getpid() != parent), dtype=x.dtype)
    parent = os.getpid()
    assert run(y.sum()) == sum(range(100_000)) * 2 + 100_000
    np.testing.assert_array_equal(run(x + 1), np.arange(100_000) + 1)
    located = x.map_blocks(lambda block, block_id, block_info: block + block_id[0], dtype=x.dtype)
    assert run(located)[-1] == 99_999 + 3


def test_functions_over_partitions_go_there():
    frame = pd.DataFrame({"a": range(100), "b": 1.0})
    lazy = rd.from_pandas(frame, npartitions=4)
    parent = os.getpid()
    got = run(lazy.map_partitions(lambda part: part.assign(b=float(os.getpid() != parent))))
    pd.testing.assert_frame_equal(got, frame)


def test_blocks_are_stored_in_the_memory_of_this_process():
    target = np.zeros(1000, np.int64)
    ra.store(ra.arange(1000, chunks=100), target, scheduler="processes")
    np.testing.assert_array_equal(target, np.arange(1000))


def test_delayed_on_arrays_and_frames():
    x = ra.arange(1000, chunks=100)
    assert run(delayed(np.sum)(x)) == 499_500


def test_the_setting_and_the_synonym():
    with raskt.config.set(scheduler="processes"):
        assert delayed(os.getpid)().compute() != os.getpid()
    assert delayed(os.getpid)().compute(scheduler="multiprocessing") != os.getpid()
    with pytest.raises(ValueError, match="num_workers is 0"):
        run(delayed(os.getpid)(), num_workers=0)
    with pytest.raises(ValueError, match="unknown scheduler 'fibres'"):
        delayed(os.getpid)().compute(scheduler="fibres")


def test_libraries_have_their_share_of_the_processors():
    def threads():
        import threadpoolctl

        return [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]

    pytest.importorskip("threadpoolctl")
    share = max(1, len(os.sched_getaffinity(0)) // 2)
    assert all(count <= share for count in run(delayed(threads)()))


def test_output_comes_in_time():
    program = """
        import sys
        from raskt import delayed
        print("before", flush=True)
        delayed(print)("from a task").compute(scheduler="processes")
        print("between", flush=True)
        delayed(lambda: print("to stderr", file=sys.stderr))().compute(scheduler="processes")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=30)
    assert done.stdout == "before\nfrom a task\nbetween\n"
    assert done.stderr == "to stderr\n"


def test_hashes_agree_between_processes():
    assert len(set(run(*[delayed(hash)("text") for _ in range(40)]))) == 1
