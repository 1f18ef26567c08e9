"""Functions and classes of modules that no other process can import: they go by value, wherever they stand."""

from __future__ import annotations

import functools
import importlib.util
import pickle
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import raskt.array as ra
import raskt.dataframe as rd
from raskt import delayed
from raskt._process import travel

SOURCE = """
import dataclasses
MORE = 10
def inc(value):
    return value + MORE
def call(function, value):
    return function(value)
@dataclasses.dataclass
class Holder:
    value: int
"""

COMPUTE = "import pickle, sys; print(pickle.load(sys.stdin.buffer).compute())"


@pytest.fixture
def plugin(tmp_path):
    """A module that was loaded from a file, as plugins, scripts and tests are."""
    file = tmp_path / "loaded_plugin.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("loaded_plugin", file)
    module = sys.modules["loaded_plugin"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["loaded_plugin"]


def elsewhere(pickled, code=COMPUTE):
    ran = subprocess.run([sys.executable, "-c", code], input=pickled, capture_output=True, timeout=120, cwd="/")
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode().split()


X = ra.from_array(np.ones(2), chunks=1)
DF = rd.from_pandas(pd.DataFrame({"x": [1, 2]}), npartitions=2)

MADE = {
    "a function": lambda m: delayed(m.inc)(1),
    "a function as argument": lambda m: delayed(m.call)(m.inc, 1),
    "a partial function": lambda m: delayed(functools.partial(m.inc))(1),
    "an instance": lambda m: delayed(lambda holder: holder.value + 8)(m.Holder(3)),
    "an instance in a list": lambda m: delayed(lambda both: both[0].value + 8)([m.Holder(3), delayed(int)("1")]),
    "an instance that is given": lambda m: delayed(m.Holder(11)).value,
    "a function in a closure": lambda m: delayed(lambda: m.inc(1))(),
    "blocks": lambda m: X.map_blocks(m.inc, dtype=float).max().astype(int),
    "partitions": lambda m: DF.map_partitions(m.inc)["x"].min(),
    "values": lambda m: DF["x"].map(m.inc).min(),
}


@pytest.mark.parametrize("name", MADE)
def test_what_cannot_be_imported_goes_by_value(plugin, name):
    assert elsewhere(pickle.dumps(MADE[name](plugin))) == ["11"]


class Waits:
    """Something whose pickle is written when others say so."""

    def __init__(self, tells, waits):
        self.tells, self.waits = tells, waits

    def __reduce__(self):
        self.tells.set()
        assert self.waits.wait(60)
        return int, ()


def test_threads_that_pickle_at_once(plugin):
    """1. One thread begins to pickle a function of the module.
    2. Another begins.
    3. The first ends.
    4. The other comes to a second function of the module: it has to go by value still."""
    first_began, second_began, first_ended = (threading.Event() for _ in range(3))
    exec("def one(_=None): return 0\ndef two(_=None, function=None): return function(1)", plugin.__dict__)
    plugin.one.__defaults__ = (Waits(first_began, second_began),)
    plugin.two.__defaults__ = (Waits(second_began, first_ended), plugin.inc)
    found = {}

    def one():
        found["one"] = travel.dump(plugin.one)
        first_ended.set()

    def two():
        assert first_began.wait(60)
        found["two"] = travel.dump(plugin.two)

    threads = [threading.Thread(target=one), threading.Thread(target=two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert elsewhere(found["two"], "import pickle, sys; print(pickle.load(sys.stdin.buffer)())") == ["11"]
