"""Delayed objects in containers of all kinds, in classes, and under names."""

from __future__ import annotations

import dataclasses
import inspect
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import raskt
import raskt.array as ra
from raskt import delayed

Pair = namedtuple("Pair", "first second")


@delayed
def inc(x):
    """One more."""
    return x + 1


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: object
    y: object = dataclasses.field(default=0, init=False)


@dataclasses.dataclass
class Odd:
    x: object
    start: dataclasses.InitVar[int]

    def __post_init__(self, start):
        self.extra = start


def test_named_tuples_slices_and_dataclasses_are_looked_into():
    assert delayed(Pair(inc(1), [inc(2)])).compute() == Pair(2, [3])
    assert type(delayed(Pair(inc(1), 2)).compute()) is Pair
    assert delayed(list(range(10)))[inc(1) : inc(5) : inc(1)].compute() == [2, 4]
    assert delayed(Frozen(inc(1))).compute() == Frozen(2)


def test_dataclasses_are_copied_and_not_made_anew():
    odd = Odd(inc(1), 7)
    result = delayed(odd).compute()
    assert (result.x, result.extra) == (2, 7)
    assert result is not odd
    assert type(odd.x) is raskt.Delayed


@pytest.mark.own_process
def test_what_holds_nothing_delayed_is_passed_on_itself():
    for plain in [Pair(1, 2), Frozen(1), slice(1, 2), {"a": [1]}]:
        assert delayed(lambda it: it)(plain).compute() is plain


def test_ordered_dicts_stay_ordered():
    ordered = OrderedDict(b=inc(1), a=inc(2))
    ordered.move_to_end("b")
    (computed,) = raskt.compute(ordered)
    assert type(computed) is OrderedDict and list(computed.items()) == [("a", 3), ("b", 2)]
    assert delayed(lambda it: list(it.items()))(ordered).compute() == [("a", 3), ("b", 2)]


def test_iterators_that_are_computed_give_lists():
    calls = (inc(i) for i in range(3))
    assert raskt.compute(calls, map(inc, [5]), [iter([7])]) == ([1, 2, 3], [6], [[7]])


def test_iterators_of_containers_can_be_arguments_more_than_once():
    for items in (iter([inc(1), 2]), iter((inc(1), 2)), iter({inc(1)})):
        total = delayed(sum)(items)
        assert total.compute() == total.compute() > 0


@pytest.mark.own_process
def test_other_iterators_are_passed_on_themselves():
    numbers = (i for i in range(3))
    assert delayed(lambda it: it)(numbers).compute() is numbers
    assert raskt.compute(numbers, traverse=False) == (numbers,)


def test_classes_of_containers_are_no_containers():
    assert delayed(Frozen).compute() is Frozen
    assert delayed(Pair)(inc(1), 2).compute() == Pair(2, 2)


def test_compute_looks_into_them_too():
    assert raskt.compute(Pair(inc(1), 2), Frozen(inc(2)), traverse=True) == (Pair(2, 2), Frozen(3))
    assert raskt.compute([inc(1)], traverse=False)[0][0].compute() == 2


def test_delayed_functions_are_methods_of_classes():
    class Account:
        def __init__(self, balance):
            self.balance = balance

        @delayed
        def after(self, amount):
            return self.balance + amount

    assert Account(5).after(inc(1)).compute() == 7
    assert Account.after(Account(1), 2).compute() == 3


def test_a_delayed_function_tells_its_name_and_signature():
    assert inc.__name__ == "inc"
    assert str(inspect.signature(inc)) == "(x)"
    with pytest.raises(AttributeError):
        inc(1).__name__


def test_names():
    assert delayed([1], name="mine").key == "mine"
    assert inc(1, dask_key_name="called").key == "called"
    with pytest.raises(ZeroDivisionError) as caught:
        delayed(lambda: 1 / 0)(dask_key_name="the culprit").compute()
    assert any("the culprit" in note for note in caught.value.__notes__)


@pytest.mark.own_process
def test_a_call_that_is_read_by_an_array_and_by_another_call_is_made_once():
    made = []

    def make():
        made.append(1)
        return np.ones(4)

    source = delayed(make)()
    array = ra.from_delayed(source, (4,), dtype=float)
    total = delayed(lambda values, total: (len(values), total))(source, array.sum())
    assert raskt.compute(total, source)[0] == (4, 4.0)
    assert made == [1]
