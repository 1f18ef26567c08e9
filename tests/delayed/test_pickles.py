"""Delayed objects in pickles: what is read from one is the same call, with all that it reads."""

from __future__ import annotations

import pickle
import threading

import cloudpickle
import numpy as np
import pytest

import raskt
import raskt.array as ra
from raskt import delayed

WAYS = [pickle, cloudpickle]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_calls_come_as_they_went(protocol):
    value = delayed(divmod)(delayed(abs)(-17), 5)
    found = pickle.loads(pickle.dumps({"a": value}, protocol))["a"]
    assert found.key == value.key and found.compute() == (3, 2)


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "cloudpickle"])
def test_containers_constants_and_names(way):
    large = np.arange(100_000)
    calls = [delayed(lambda xs, k, scale=1: int(xs[k:].sum()) * scale)(large, k, scale=2) for k in range(10)]
    total = delayed(sum)([*calls, {"not": "a number"}["not"] and 1])
    data = cloudpickle.dumps(total) if way is cloudpickle else pickle.dumps(total)
    assert len(data) < 1.2 * large.nbytes, "what calls have in common is there once"
    assert pickle.loads(data).compute() == total.compute()


def test_what_is_read_goes_on():
    value = delayed([1, 2, 3])
    found = pickle.loads(pickle.dumps(value))
    assert found[1].compute() == 2 and raskt.compute(found, found[0]) == ([1, 2, 3], 1)
    call = pickle.loads(pickle.dumps(delayed(list)("ab")))
    assert (call + ["c"]).compute() == ["a", "b", "c"]


def test_functions_and_parts_of_results():
    function = pickle.loads(pickle.dumps(delayed(divmod, nout=2, pure=True)))
    quotient, rest = function(17, 5)
    assert raskt.compute(quotient, rest) == (3, 2)
    quotient, rest = pickle.loads(pickle.dumps(delayed(divmod, nout=2)(17, 5)))
    assert raskt.compute(quotient, rest) == (3, 2)


@pytest.mark.own_process
def test_persisted_ones_are_results():
    made = []

    def make():
        made.append(1)
        return 7

    value = delayed(make)().persist()
    assert pickle.loads(cloudpickle.dumps(value)).compute() == 7
    assert made == [1]


def test_arrays_that_calls_read():
    x = ra.arange(10, chunks=4)
    found = pickle.loads(pickle.dumps(delayed(np.sum)(x + 1)))
    assert found.compute() == 55
    blocks = pickle.loads(pickle.dumps(x.to_delayed()))
    assert [block.compute().tolist() for block in blocks] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_errors_are_raised_as_they_are():
    def fails():
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone") as raised:
        pickle.loads(cloudpickle.dumps(delayed(fails)())).compute()
    assert raised.traceback[-1].name == "fails"


def test_what_cannot_be_pickled_is_named():
    with pytest.raises(TypeError, match="pickle") as raised:
        pickle.dumps(delayed(lambda lock: 1)([threading.Lock()]))
    assert any("lock" in note for note in getattr(raised.value, "__notes__", [])) or "lock" in str(raised.value)
