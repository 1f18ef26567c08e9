"""Delayed calls against the same calls made at once."""

from __future__ import annotations

import gc
import operator
import random
import threading
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raskt
from raskt import delayed


@delayed
def inc(x):
    return x + 1


@delayed
def add(*items, start=0):
    return sum(items, start)


SCHEDULERS = [{"scheduler": "sync"}, {"num_workers": 1}, {"num_workers": 3}]


@pytest.mark.parametrize("how", SCHEDULERS)
def test_a_tree_of_calls(how):
    leaves = [inc(i) for i in range(37)]
    total = add(*leaves, start=inc(100))
    assert total.compute(**how) == sum(range(1, 38)) + 101


@pytest.mark.own_process
def test_several_results_at_once_share_work():
    calls = []

    @delayed
    def record(x):
        calls.append(x)
        return x

    once = record(7)
    assert raskt.compute(once, inc(once), [once, {"k": inc(once)}], "as it is") == (7, 8, [7, {"k": 8}], "as it is")
    assert calls == [7]


def test_nothing_to_compute_comes_back_as_it_is():
    items = [1, (2, {3})]
    assert raskt.compute() == ()
    assert raskt.compute(5, items)[1] is items


@pytest.mark.parametrize("container", [list, tuple, set])
def test_delayed_objects_are_found_in_containers(container):
    def type_and_sum(items):
        return type(items), sum(items)

    assert delayed(type_and_sum)(container([inc(1), inc(5), 9])).compute() == (container, 17)


def test_delayed_objects_are_found_in_dicts_and_deep_down():
    nested = {"a": [inc(1), {"b": (inc(2),)}], inc(3): 4}
    assert delayed(nested).compute() == {"a": [2, {"b": (3,)}], 4: 4}


@pytest.mark.own_process
def test_traverse_false_leaves_containers_alone():
    inside = inc(1)
    result = delayed([inside], traverse=False).compute()
    assert result[0] is inside


def test_containers_nested_without_end_are_refused():
    endless: list = []
    endless.append(endless)
    with pytest.raises(RecursionError, match="traverse=False"):
        delayed(endless)


OPERATORS = "add sub mul truediv floordiv mod pow lt le eq ne gt ge and_ or_ xor lshift rshift"


@pytest.mark.parametrize("function", [getattr(operator, name) for name in OPERATORS.split()])
def test_operators_are_delayed_on_both_sides(function):
    assert function(delayed(7), 2).compute() == function(7, 2)
    assert function(7, delayed(2)).compute() == function(7, 2)
    assert function(delayed(7), delayed(2)).compute() == function(7, 2)


def test_unary_operators_attributes_items_and_methods():
    assert (-delayed(3)).compute() == -3
    assert abs(delayed(-3)).compute() == 3
    assert (~delayed(3)).compute() == ~3
    assert delayed({"a": [1, 2]})["a"][1].compute() == 2
    assert delayed(3 + 4j).imag.compute() == 4
    assert delayed("a-b").split("-").compute() == ["a", "b"]


def test_nout_lets_results_be_unpacked():
    quotient, remainder = delayed(divmod, nout=2)(17, 5)
    assert raskt.compute(quotient, remainder) == (3, 2)
    assert len(delayed(divmod, nout=2)(1, 1)) == 2
    with pytest.raises(ValueError, match="nout is -1"):
        delayed(divmod, nout=-1)


def test_decorator_with_parameters():
    @delayed(nout=2)
    def pair():
        return 1, 2

    first, second = pair()
    assert (first + second).compute() == 3


def test_what_would_need_the_result_is_refused():
    lazy = inc(1)
    with pytest.raises(TypeError, match="truth"):
        bool(lazy)
    with pytest.raises(TypeError, match="nout=2"):
        iter(lazy)
    with pytest.raises(TypeError, match="nout=2"):
        len(lazy)
    with pytest.raises(TypeError, match="never change"):
        lazy.attribute = 1
    with pytest.raises(TypeError, match="never change"):
        lazy[0] = 1
    with pytest.raises(AttributeError, match="underscore"):
        lazy._private


def test_keys():
    assert inc(1).key.startswith("inc-")
    assert inc(1).key != inc(1).key
    assert inc(1, dask_key_name="mine").key == "mine"
    assert repr(inc(1, raskt_key_name="mine")) == "Delayed('mine')"
    assert len({inc(1), inc(1)}) == 2


def test_an_exception_comes_back_as_itself_with_its_traceback_and_key():
    class Special(Exception):
        def __init__(self, code):
            super().__init__(f"code {code}")
            self.code = code

    def fail(x):
        raise Special(x)

    task = delayed(fail)(inc(4))
    with pytest.raises(Special, match="code 5") as caught:
        inc(task).compute()
    assert caught.value.code == 5
    assert any(task.key in note for note in caught.value.__notes__)
    names = [entry.name for entry in caught.traceback]
    assert names == ["test_an_exception_comes_back_as_itself_with_its_traceback_and_key", "fail"]


@pytest.mark.parametrize("how", SCHEDULERS)
def test_after_a_failure_the_next_computation_works(how):
    with pytest.raises(ZeroDivisionError):
        raskt.compute([inc(i) for i in range(50)], delayed(operator.truediv)(1, 0), **how)
    assert inc(1).compute(**how) == 2


@pytest.mark.own_process
def test_persist_keeps_the_result():
    calls = []
    held = delayed(lambda: calls.append(1) or 42)().persist()
    assert held.compute() == 42
    assert inc(held).compute() == 43
    assert calls == [1]
    first, second = raskt.persist(inc(1), inc(2))
    assert (first + second).compute() == 5


@pytest.mark.own_process
def test_unknown_schedulers_and_no_workers_are_refused_at_the_call():
    with pytest.raises(ValueError, match="unknown scheduler 'thread'"):
        inc(1).compute(scheduler="thread")
    with pytest.raises(ValueError, match="num_workers is 0"):
        inc(1).compute(num_workers=0)


def test_a_chain_of_a_hundred_thousand_calls_neither_recurses_nor_leaks():
    class Token:
        pass

    token = Token()
    seen = weakref.ref(token)
    chain = delayed(lambda _: 0)(token)
    for _ in range(100_000):
        chain = inc(chain)
    assert chain.compute() == 100_000
    del chain, token
    gc.collect()
    assert seen() is None


def test_results_are_let_go_after_the_computation():
    class Token:
        pass

    made = []

    def make(_):
        token = Token()
        made.append(weakref.ref(token))
        return token

    delayed(len)([delayed(make)(i) for i in range(100)]).compute()
    gc.collect()
    assert not any(token() for token in made)


def test_computations_inside_tasks_do_not_starve():
    @delayed
    def nested(depth):
        return 1 if depth == 0 else sum(raskt.compute(*[nested(depth - 1) for _ in range(3)], num_workers=2))

    assert nested(3).compute(num_workers=2) == 27


def test_computations_from_several_threads():
    results = {}

    def work(number):
        results[number] = add(*[inc(i) for i in range(number)]).compute()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: sum(range(1, number + 1)) for number in range(1, 20)}


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 60), how=st.sampled_from(SCHEDULERS))
def test_random_graphs_give_what_plain_calls_give(seed, size, how):
    draw = random.Random(seed)
    lazy, plain = [], []
    for number in range(size):
        inputs = [draw.randrange(number) for _ in range(draw.randrange(4))] if number else []
        lazy.append(add(*[lazy[i] for i in inputs], start=number))
        plain.append(sum((plain[i] for i in inputs), number))
    assert raskt.compute(*lazy, **how) == tuple(plain)


def test_a_computation_within_a_small_memory_limit_still_ends():
    import raskt.array as ra

    with raskt.config.set({"memory.limit": "1MiB"}):
        x = ra.ones((2000, 2000), chunks=500)
        assert (x @ x).sum().compute() == 2000.0**3


def test_small_computations_do_not_wait_for_others():
    import raskt.array as ra

    x = ra.arange(10, chunks=5)
    started, done = threading.Event(), threading.Event()

    def long():
        started.set()
        return done.wait(30)

    thread = threading.Thread(target=delayed(long)().compute, kwargs={"scheduler": "sync"})
    thread.start()
    started.wait(30)
    assert (x + 1).sum().compute() == 55
    done.set()
    thread.join()
    assert delayed(lambda: (x + 1).sum().compute())().compute(scheduler="sync") == 55
