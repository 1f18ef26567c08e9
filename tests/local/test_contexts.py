"""Context variables of whoever computes are there inside the tasks."""

from __future__ import annotations

import contextvars

import numpy as np
import pytest

import raskt
import raskt.array as ra
import raskt.dataframe as rd

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="default")


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_tasks_see_the_variables_of_their_computation(scheduler):
    calls = [raskt.delayed(VARIABLE.get)() for _ in range(100)]
    assert set(raskt.compute(*calls, scheduler=scheduler)) == {"default"}
    for value in ("one", "other"):
        token = VARIABLE.set(value)
        try:
            assert set(raskt.compute(*calls, scheduler=scheduler)) == {value}
        finally:
            VARIABLE.reset(token)
    assert set(raskt.compute(*calls, scheduler=scheduler)) == {"default"}


def test_nested_computations_see_them_too():
    def inner():
        return raskt.compute(*[raskt.delayed(VARIABLE.get)() for _ in range(3)])

    token = VARIABLE.set("outer")
    try:
        assert raskt.delayed(inner)().compute() == ("outer",) * 3
    finally:
        VARIABLE.reset(token)


def test_what_a_task_sets_stays_with_it():
    token = VARIABLE.set("here")
    try:
        raskt.compute(*[raskt.delayed(VARIABLE.set)(str(i)) for i in range(50)])
        assert VARIABLE.get() == "here"
        assert raskt.delayed(VARIABLE.get)().compute() == "here"
    finally:
        VARIABLE.reset(token)


def test_blocks_and_partitions_see_them():
    import pandas as pd

    def block(values):
        return np.full_like(values, len(VARIABLE.get()))

    array = ra.zeros(6, chunks=2).map_blocks(block, dtype="f8")
    frame = rd.from_pandas(pd.DataFrame({"x": range(4)}), npartitions=2)
    frame = frame.map_partitions(lambda part: part.assign(v=VARIABLE.get()), meta={"x": "int64", "v": "str"})
    token = VARIABLE.set("four")
    try:
        assert array.compute().tolist() == [4.0] * 6
        assert frame.compute()["v"].tolist() == ["four"] * 4
    finally:
        VARIABLE.reset(token)


def test_errors_and_cancelled_tasks_leave_the_context_in_order():
    def fail(i):
        raise ValueError(f"{VARIABLE.get()} {i}")

    token = VARIABLE.set("failing")
    try:
        for _ in range(20):
            with pytest.raises(ValueError, match="failing"):
                raskt.compute(*[raskt.delayed(fail)(i) for i in range(20)])
        assert raskt.delayed(VARIABLE.get)().compute() == "failing"
    finally:
        VARIABLE.reset(token)
