"""What becomes of a task that waits for a call when nobody wants it any more."""

import os
import signal
import threading
import time

import pytest

from raskt import delayed


@pytest.mark.own_process
@pytest.mark.parametrize("is_nested", [False, True])
def test_a_cancelled_task_cleans_up_to_the_end(is_nested):
    done = []

    def long():
        until = time.time() + 3
        while time.time() < until:
            time.sleep(0.005)

    def outer():
        try:
            delayed(long)().compute() if is_nested else long()
        finally:
            done.append("first")
            done.append("second")

    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        delayed(outer)().compute()
    time.sleep(0.5)
    assert done == ["first", "second"]
