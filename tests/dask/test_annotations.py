"""What `dask.annotate` says."""

from __future__ import annotations

import pytest

import raskt.dask

dask = pytest.importorskip("dask")


class Shaky:
    def __init__(self, failures):
        self.failures = failures
        self.calls = 0

    def __call__(self, x=0):
        self.calls += 1
        if self.calls <= self.failures:
            raise ValueError(f"call {self.calls}")
        return x + 1


def test_a_call_that_fails_is_made_again_as_often_as_was_said(client):
    shaky, other = Shaky(2), Shaky(1)
    with dask.annotate(retries=2):
        call = dask.delayed(shaky)(1)
    total = dask.delayed(sum)([call, 1])
    assert total.compute(scheduler=client) == 3 and shaky.calls == 3
    with pytest.raises(ValueError, match="call 1"):
        dask.delayed(other)(call).compute(scheduler=client)


def test_what_is_more_urgent_runs_first():
    order = []
    with dask.annotate(priority=-1):
        calls = [dask.delayed(order.append)(f"late {at}", pure=False) for at in range(3)]
    calls += [dask.delayed(order.append)(f"usual {at}", pure=False) for at in range(3)]
    with dask.annotate(priority=lambda key: 5):
        calls += [dask.delayed(order.append)(f"urgent {at}", pure=False) for at in range(3)]
    dask.compute(*calls, scheduler=raskt.dask.Client(scheduler="sync"))
    assert [line.split()[0] for line in order] == ["urgent"] * 3 + ["usual"] * 3 + ["late"] * 3


def test_calls_of_many_kinds_that_read_each_other_in_turn(client):
    last = 0
    for step in range(100):
        with dask.annotate(priority=step % 3, retries=step % 2):
            last = dask.delayed(lambda x: x + 1)(last)
    assert last.compute(scheduler=client) == 100


def test_what_speaks_of_workers_is_passed_over(client):
    with dask.annotate(workers=["nowhere"], resources={"gpu": 9}, allow_other_workers=False):
        call = dask.delayed(abs)(-1)
    assert call.compute(scheduler=client) == 1


def test_what_makes_no_sense_is_refused(client):
    with dask.annotate(retries=1.5):
        call = dask.delayed(abs)(-1)
    with pytest.raises(TypeError, match="whole number"):
        call.compute(scheduler=client)
