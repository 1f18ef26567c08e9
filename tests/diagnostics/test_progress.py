"""The progress bar and callbacks, alone and with computations."""

from __future__ import annotations

import io
import sys
import threading
import time
import types

import pytest

import raskt
from raskt.diagnostics import Callback, ProgressBar, _active, memory


class Terminal(io.StringIO):
    """Where a carriage return goes back to the start of the line."""

    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        return [line for line in self.getvalue().replace("\n", "\r").split("\r") if line]


def test_a_terminal_is_drawn_over():
    out = Terminal()
    bar = ProgressBar(width=10, dt=0.1, out=out)
    bar.start(8)
    bar.update(0, 8, 0.0)
    bar.update(1, 8, 0.05)
    bar.update(5, 8, 1.25)
    bar.finish(None)
    first, second, last = out.lines()
    assert first == "[          ] |   0% completed | 0 ms"
    assert second.rstrip() == "[######    ] |  62% completed | 1.2 s"
    assert last.startswith("[##########] | 100% completed | ")
    assert out.getvalue().endswith("\n")


def test_a_shorter_line_leaves_nothing_of_a_longer_one():
    out = Terminal()
    bar = ProgressBar(width=4, out=out)
    bar.start(2)
    bar.update(1, 2, 3600.0 * 11)
    bar.finish(None)
    long, short = out.lines()
    assert len(short) == len(long)


def test_a_file_gets_one_line():
    out = io.StringIO()
    bar = ProgressBar(width=4, out=out)
    bar.start(2)
    bar.update(1, 2, 5.0)
    bar.finish(None)
    assert out.getvalue().startswith("[####] | 100% completed | ")
    assert out.getvalue().count("\n") == 1
    assert "\r" not in out.getvalue()


def test_it_can_be_asked_to_be_quiet_unless_there_is_a_terminal():
    out = io.StringIO()
    assert drawn_at_the_end(ProgressBar(out=out, only_terminal=True), out, 1) == ""


def test_short_computations_draw_nothing():
    out = Terminal()
    bar = ProgressBar(minimum=10, out=out)
    bar.start(2)
    bar.update(1, 2, 1.0)
    bar.finish(None)
    assert out.getvalue() == ""


def test_a_failed_computation_shows_how_far_it_came():
    out = Terminal()
    bar = ProgressBar(width=4, out=out)
    bar.start(4)
    bar.update(2, 4, 1.0)
    bar.finish(ValueError())
    assert out.lines()[-1].startswith("[##  ] |  50% completed")


def drawn_at_the_end(bar: ProgressBar, out: io.StringIO, tasks: int) -> str:
    """What the bar draws for a computation that ends at once."""
    bar.start(tasks)
    bar.finish(None)
    return out.getvalue()


def test_no_task_at_all_is_all_of_them():
    out = io.StringIO()
    assert drawn_at_the_end(ProgressBar(width=4, out=out), out, 0).startswith("[####] | 100%")


def test_a_closed_file_does_not_stop_the_computation():
    out = Terminal()
    bar = ProgressBar(out=out)
    bar.start(2)
    out.close()
    bar.update(1, 2, 1.0)
    bar.finish(None)


def test_a_process_without_standard_output(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    bar = ProgressBar()
    bar.start(2)
    bar.update(1, 2, 1.0)
    bar.finish(None)


def test_settings_are_the_defaults():
    with raskt.config.set({"progress.width": 3}):
        out = io.StringIO()
        bar = ProgressBar(out=out)
    assert drawn_at_the_end(bar, out, 1).startswith("[###] |")


@pytest.mark.parametrize("wrong", [{"width": 0}, {"dt": -1}, {"minimum": "long"}])
def test_bad_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match="allowed is"):
        ProgressBar(**wrong)


class Recorder(Callback):
    def __init__(self) -> None:
        self.events: list[tuple[object, ...]] = []

    def start(self, total: int) -> None:
        self.events.append(("start", total))

    def update(self, done: int, total: int, elapsed: float) -> None:
        assert 0 <= done <= total
        assert elapsed >= 0

    def finish(self, error: BaseException | None) -> None:
        self.events.append(("finish", type(error)))


def test_callbacks_are_active_within_their_block_only():
    recorder = Recorder()
    with recorder:
        assert _active == [recorder]
        with recorder:
            pass
        assert _active == [recorder]
        raskt.delayed(sum)([1, 2]).compute()
    raskt.delayed(sum)([1, 2]).compute()
    assert _active == []
    assert [event[0] for event in recorder.events] == ["start", "finish"]
    assert recorder.events[0][1] >= 1
    assert recorder.events[1] == ("finish", type(None))


def test_callbacks_hear_of_failures():
    recorder = Recorder()
    recorder.register()
    recorder.register()
    try:
        with pytest.raises(ZeroDivisionError):
            raskt.delayed(lambda: 1 / 0)().compute()
    finally:
        recorder.unregister()
        recorder.unregister()
    assert recorder.events[-1] == ("finish", ZeroDivisionError)


def test_a_computation_draws_its_bar():
    out = io.StringIO()
    with ProgressBar(out=out):
        assert sum(raskt.compute(*[raskt.delayed(abs)(-i) for i in range(10)])) == 45
    assert "100% completed" in out.getvalue()


class NotebookOutput(io.StringIO):
    """Standard output as a notebook's kernel replaces it."""


NotebookOutput.__module__ = "ipykernel.iostream"


def notebook(monkeypatch):
    """Makes this a notebook. Gives what it shows: for each display, all that was drawn in its place."""
    pages: list[list[str]] = []

    class Handle:
        def __init__(self, page):
            self.drawn = [page]
            pages.append(self.drawn)

        def update(self, page):
            self.drawn.append(page)

    module = types.ModuleType("IPython.display")
    module.HTML = lambda text: text
    module.display = lambda page, display_id: Handle(page)
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr("sys.stdout", NotebookOutput())
    return pages


def test_a_notebook_shows_one_bar_for_each_computation(monkeypatch):
    shown = notebook(monkeypatch)
    bar = ProgressBar(dt=0.1)
    for _ in range(2):
        bar.start(8)
        bar.update(2, 8, 0.2)
        bar.update(4, 8, 0.25)
        bar.update(6, 8, 0.4)
        bar.finish(None)
    first, second = shown
    assert len(first) == len(second) == 3
    assert ["width:25.0%" in first[0], "width:75.0%" in first[1], "width:100.0%" in first[2]] == [True] * 3
    assert "8 of 8 tasks" in first[2]
    assert sys.stdout.getvalue() == ""


def test_a_notebook_says_that_a_computation_failed(monkeypatch):
    shown = notebook(monkeypatch)
    bar = ProgressBar()
    bar.start(8)
    bar.update(2, 8, 0.2)
    bar.finish(ValueError())
    assert "2 of 8 tasks" in shown[0][-1] and "failed" in shown[0][-1]


def test_a_file_that_was_given_gets_its_line_in_a_notebook_too(monkeypatch):
    shown = notebook(monkeypatch)
    out = io.StringIO()
    assert drawn_at_the_end(ProgressBar(out=out), out, 1).endswith("\n")
    assert shown == []


def test_a_kernel_without_ipython_gets_the_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    monkeypatch.setattr("sys.stdout", NotebookOutput())
    bar = ProgressBar()
    bar.start(1)
    bar.finish(None)
    assert "100% completed" in sys.stdout.getvalue()


class Stopped(Exception):
    pass


class Stopper(Callback):
    """Cancels a computation when its task has begun."""

    def __init__(self, begun: list[int]) -> None:
        self._begun, self._before = begun, len(begun)

    def update(self, done: int, total: int, elapsed: float) -> None:
        if len(self._begun) > self._before:
            raise Stopped


def test_a_computation_that_lacks_threads_says_what_keeps_them():
    gate, begun = threading.Lock(), []

    def stuck():
        begun.append(1)
        # Nothing of Python's stops it.
        with gate:
            pass

    gate.acquire()
    for _ in range(2):
        with pytest.raises(Stopped), Stopper(begun):
            raskt.delayed(stuck)().compute(num_workers=1)
    found = memory()
    assert (found.left_running, found.left_threads) == (2, 1), "one goes on beside the thread, the other in its place"
    assert "2 cancelled tasks can't be stopped and keep 1 thread from others" in str(found)
    out = Terminal()

    def let_go():
        deadline = time.monotonic() + 20
        while "cancelled" not in out.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        gate.release()

    releasing = threading.Thread(target=let_go)
    releasing.start()
    with ProgressBar(out=out, dt=0.01):
        assert raskt.delayed(abs)(-1).compute(num_workers=1) == 1
    releasing.join()
    assert any("| 1 thread in cancelled tasks that can't be stopped" in line for line in out.lines())
    assert "cancelled" not in out.lines()[-1]
    deadline = time.monotonic() + 20
    while memory().left_running:
        assert time.monotonic() < deadline, "they are back"
        time.sleep(0.01)
