"""Ctrl-C while a frame is computed natively."""

import subprocess
import sys

#: In a process of its own: a signal that comes when a computation is over would end all tests.
PROGRAM = """
import os, signal, threading, time
import numpy as np, pandas as pd
import raskt.dataframe as rd

random = np.random.default_rng(0)
rows = pd.DataFrame({"k": random.integers(0, 60, 150_000), "x": random.normal(size=150_000)})
lazy = rd.from_pandas(rows, npartitions=8)
long = lazy.merge(lazy, on="k").groupby("k")["x_x"].sum()
for delay in (0.1, 0.2, 0.3):
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        long.compute()
        timer.join()  # a machine that is done sooner is interrupted here
        print("nothing was told")
    except KeyboardInterrupt as interrupt:
        # Not while another error, that the computation was cancelled, was on its way.
        print("interrupted", interrupt.__context__)
time.sleep(2)  # queries of the engine that were stopped need a moment to end
print(int(lazy["k"].sum().compute()) == int(rows["k"].sum()))
"""


def test_ctrl_c_is_told_as_such_and_leaves_the_session_usable():
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split("\n")[:-1] == ["interrupted None"] * 3 + ["True"], found.stdout + found.stderr
