"""Programs that end while something of a cluster goes on end as they would without it."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from raskt.distributed import LocalCluster

BEGIN = """
import atexit, os, signal, threading, time

ended, thread = threading.Event(), None

@atexit.register
def end():
    if thread is not None:
        ended.set()
        thread.join()
        cluster.close()

from raskt.distributed import Client, LocalCluster

def interrupt(after):
    threading.Thread(target=lambda: (time.sleep(after), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1)
    client = Client(cluster)
"""

ENDS = {
    "a function at exit that was registered before": """
        def work():
            while not ended.is_set():
                client.submit(abs, -1, pure=False).result()
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        time.sleep({after})
        print("ended")
    """,
    "a close that is interrupted": """
        client.map(time.sleep, [5] * 100, pure=False)
        time.sleep(0.3)
        interrupt({after})
        try:
            cluster.close()
        except KeyboardInterrupt:
            pass
        print("ended")
    """,
    "a close of another thread": """
        client.map(time.sleep, [5] * 100, pure=False)
        threading.Thread(target=cluster.close, daemon=True).start()
        time.sleep({after})
        print("ended")
    """,
    "callbacks that run": """
        begun = threading.Event()
        def call(future):
            begun.set()
            time.sleep(0.2 + {after})
        for future in client.map(abs, range(20)):
            future.add_done_callback(call)
        begun.wait(30)
        client.close()
        cluster.close()
        print("ended")
    """,
}


@pytest.mark.parametrize("after", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("what", ENDS)
def test_the_interpreter_ends_in_order(what: str, after: float) -> None:
    rest = textwrap.indent(textwrap.dedent(ENDS[what].format(after=after)), "    ")
    done = subprocess.run([sys.executable, "-c", BEGIN + rest], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


CONNECTS = """
import socket, sys, threading, time
from raskt.distributed import Client, Security

class Lasts:
    # The end of the interpreter takes some time, in which the thread comes back to it.
    def __del__(self, sleep=time.sleep):
        sleep(0.3)

lasts = Lasts()
silent = socket.create_server(("127.0.0.1", 0))
address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"

def connect():
    Client(address, timeout=30, security=Security(token_file=sys.argv[1]))

threading.Thread(target=connect, daemon=True).start()
time.sleep(float(sys.argv[2]))
print("ended")
"""


@pytest.mark.parametrize("after", [0.2, 0.3, 0.5])
def test_the_interpreter_ends_while_a_thread_waits_for_a_scheduler(cluster: LocalCluster, after: float) -> None:
    assert cluster.security is not None
    arguments = ["-c", CONNECTS, str(cluster.security.token_file), str(after)]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr
