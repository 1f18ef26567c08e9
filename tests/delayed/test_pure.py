"""Pure calls: what is equal is one task, and has one key."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import raskt
from raskt import delayed


@pytest.fixture
def counted():
    calls = []

    def double(x, by=2):
        calls.append(x)
        return x * by

    return double, calls


@pytest.mark.own_process
def test_equal_pure_calls_are_one_task(counted):
    double, calls = counted
    make = delayed(double, pure=True)
    assert raskt.compute(make(1), make(1), make(2), delayed(double, pure=True)(1)) == (2, 2, 4, 2)
    assert sorted(calls) == [1, 2]


@pytest.mark.own_process
def test_impure_calls_are_not(counted):
    double, calls = counted
    assert raskt.compute(delayed(double)(1), delayed(double)(1)) == (2, 2)
    assert calls == [1, 1]


@pytest.mark.own_process
def test_a_call_says_whether_it_is_pure(counted):
    double, calls = counted
    impure, pure = delayed(double), delayed(double, pure=True)
    assert raskt.compute(impure(1, pure=True), impure(1, pure=True)) == (2, 2)
    assert calls == [1]
    assert raskt.compute(pure(1, pure=False), pure(1, pure=False)) == (2, 2)
    assert calls == [1, 1, 1]


def test_keys_of_pure_calls_come_from_their_content():
    make = delayed(operator.add, pure=True)
    key = make(1, 2).key
    assert key == make(1, 2).key
    assert key.startswith("add-")
    assert len(key) == len("add-") + 32
    assert key != make(2, 1).key
    assert make(1, np.arange(3)).key == make(1, np.arange(3)).key
    assert make(1, 2, raskt_key_name="mine").key == "mine"
    assert delayed([1], pure=True).key == delayed([1], pure=True).key != delayed([2], pure=True).key


@pytest.mark.own_process
def test_keywords_count_whatever_their_order(counted):
    double, calls = counted

    def two(a, b):
        calls.append((a, b))

    make = delayed(two, pure=True)
    raskt.compute(make(a=1, b=2), make(b=2, a=1), make(a=2, b=1))
    assert sorted(calls) == [(1, 2), (2, 1)]


@pytest.mark.own_process
def test_pure_calls_of_equal_pure_calls_are_equal(counted):
    double, calls = counted
    make = delayed(double, pure=True)
    assert raskt.compute(make(make(1)), [make(make(1))], {"a": make([make(1)])}) == (4, [4], {"a": [2, 2]})
    assert len(calls) == 3


@pytest.mark.own_process
def test_pure_calls_of_impure_ones_differ(counted):
    double, calls = counted
    once, again = delayed(double)(1), delayed(double)(1)
    make = delayed(double, pure=True)
    assert raskt.compute(make(once), make(once), make(again)) == (4, 4, 4)
    assert calls.count(1) == 2
    assert calls.count(2) == 2


def test_operators_items_and_attributes_are_pure():
    value = delayed(7)
    assert (value + 1).key == (value + 1).key != (value + 2).key
    assert value.real.key == value.real.key != value.imag.key
    pair = delayed([1, 2])
    assert pair[0].key == pair[0].key != pair[1].key
    assert (delayed(7) + 1).key != (delayed(7) + 1).key


@pytest.mark.own_process
def test_what_has_no_token_is_not_merged(counted):
    double, calls = counted

    def look(it):
        calls.append(it)

    make = delayed(look, pure=True)
    strange = object()
    assert make(strange).key != make(strange).key
    raskt.compute(make(strange), make(strange))
    assert len(calls) == 2


def test_a_long_chain_of_pure_calls_has_a_key():
    value = delayed(0)
    for _ in range(50_000):
        value = value + 1
    assert value.key.startswith("add-")
    assert value.compute() == 50_000


@pytest.mark.own_process
def test_pure_calls_are_shared_with_collections(counted):
    double, calls = counted
    import raskt.array as ra

    make = delayed(double, pure=True)
    x = ra.from_delayed(delayed(np.full, pure=True)(3, make(2)), (3,), dtype=int)
    total, alone = raskt.compute(x.sum(), make(2))
    assert (total, alone) == (12, 4)
    assert calls == [2]
