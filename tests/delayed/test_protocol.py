"""Collections of other libraries, by Dask's protocol."""

from __future__ import annotations

import copy
import operator

import pytest

import raskt
from raskt import delayed


class Items:
    """Some numbers, lazily: what a third-party collection may look like."""

    def __init__(self, graph, keys):
        self._graph, self._keys = graph, keys

    def __dask_graph__(self):
        return self._graph

    def __dask_keys__(self):
        return self._keys

    def __dask_layers__(self):
        return ("items",)

    def __dask_tokenize__(self):
        return self._keys

    @staticmethod
    def __dask_optimize__(graph, keys, **kwargs):
        return {key: task for key, task in graph.items() if key != "unneeded"}

    def __dask_postcompute__(self):
        return finish, ("items",)

    def __dask_postpersist__(self):
        return Items, (self._keys,)

    __dask_scheduler__ = staticmethod(raskt.get)


def finish(values, label):
    return label, values


CALLS: list[str] = []


def noted(x):
    CALLS.append(x)
    return x


def items():
    CALLS.clear()
    graph = {
        ("a", 0): 1,
        ("a", 1): (operator.add, ("a", 0), 10),
        "alias": ("a", 1),
        "list": (sum, [("a", 0), "alias", (operator.mul, 2, ("a", 1))]),
        "dict": (dict, {"deep": ["alias", (abs, -3)]}),
        "data": [1, "no key", {"x": 5}],
        "shared": (noted, "given"),
        "reads": (str.upper, "shared"),
        "unneeded": (operator.truediv, 1, 0),
    }
    return Items(graph, [["list", "dict"], ["data"], "reads", "shared"])


EXPECTED = ("items", [[34, {"deep": [11, 3]}], [[1, "no key", {"x": 5}]], "GIVEN", "given"])


@pytest.mark.own_process
@pytest.mark.parametrize("how", [{"scheduler": "sync"}, {"num_workers": 2}])
def test_their_graphs_are_computed(how):
    assert raskt.compute(items(), **how) == (EXPECTED,)
    assert CALLS == ["given"]


@pytest.mark.own_process
def test_they_are_found_in_containers_and_share_work_with_each_other():
    collection = items()
    assert raskt.compute([collection, {"again": collection}], delayed(abs)(-1)) == (
        [EXPECTED, {"again": EXPECTED}],
        1,
    )
    assert CALLS == ["given"]


@pytest.mark.own_process
def test_they_are_arguments_of_delayed_calls():
    collection = items()
    assert delayed(lambda result, other: (result[0], other))(collection, [collection]).compute() == (
        "items",
        [EXPECTED],
    )
    assert CALLS == ["given"]


@pytest.mark.own_process
def test_persist_gives_them_over_results():
    (held,) = raskt.persist(items())
    assert type(held) is Items
    assert held.__dask_graph__()["shared"] == "given"
    assert CALLS == ["given"]
    assert raskt.compute(held) == (EXPECTED,)
    assert CALLS == ["given"]


def test_optimize_gives_them_over_the_graph_of_their_own_optimiser():
    optimized, plain = raskt.optimize(items(), [1, delayed(2)])
    assert "unneeded" not in optimized.__dask_graph__()
    assert raskt.compute(optimized, plain) == (EXPECTED, [1, 2])


def test_get_runs_a_graph():
    graph = {"x": 1, "y": (operator.add, "x", 1), "z": (sum, ["x", "y"])}
    assert raskt.get(graph, "z") == 3
    assert raskt.get(graph, ["x", ["y", "z"]]) == (1, (2, 3))
    assert raskt.get(graph, ["z"], scheduler="sync") == (3,)


def test_a_graph_that_is_wrong_says_so():
    with pytest.raises(KeyError, match="missing"):
        raskt.get({"x": 1}, "missing")
    with pytest.raises(ValueError, match="circle"):
        raskt.get({"x": (abs, "y"), "y": (abs, "x")}, "x")


def test_an_exception_names_the_key():
    with pytest.raises(ZeroDivisionError) as caught:
        raskt.get({("bad", 1): (operator.truediv, 1, 0)}, ("bad", 1))
    assert any("('bad', 1)" in note for note in caught.value.__notes__)


def test_what_is_a_collection_and_what_a_task():
    assert raskt.is_dask_collection(items())
    assert not raskt.is_dask_collection(Items)
    assert not raskt.is_dask_collection({"a": (abs, 1)})
    assert raskt.istask((abs, 1))
    assert not raskt.istask((1, abs))
    assert not raskt.istask(())


def test_a_long_graph_is_walked_without_recursion():
    graph = {0: 0} | {i: (operator.add, i - 1, 1) for i in range(1, 20_000)}
    assert raskt.get({("n", i): task for i, task in enumerate(renamed(graph))}, ("n", 19_999)) == 19_999


def renamed(graph):
    for task in graph.values():
        yield (task[0], ("n", task[1]), task[2]) if type(task) is tuple else task


def test_collections_of_dask_itself():
    dask = pytest.importorskip("dask")
    da = pytest.importorskip("dask.array")

    assert raskt.compute(dask.delayed(operator.add)(1, dask.delayed(abs)(-2))) == (3,)
    x = da.arange(20, chunks=7)
    assert raskt.compute((x + 1).sum(), [x.max()]) == (210, [19])
    assert delayed(sum)(x).compute() == 190
    (held,) = raskt.persist(x + 1)
    assert held.sum().compute(scheduler="sync") == 210


@pytest.mark.parametrize("options", [{"cache": {}}, {"pool": object()}])
def test_what_get_cannot_do_is_refused(options):
    with pytest.raises(NotImplementedError, match="raskt's own"):
        raskt.get({"x": 1}, "x", **options)


def test_get_and_optimize_swallow_no_argument():
    with pytest.raises(TypeError, match="nonsense"):
        raskt.get({"x": 1}, "x", nonsense=1)
    with pytest.raises(TypeError, match="nonsense"):
        raskt.optimize(delayed(abs)(-1), nonsense=1)


@pytest.mark.parametrize("take", [copy.copy, copy.deepcopy])
def test_copies_of_delayed_objects_are_the_same_calls(take):
    value = delayed(divmod, pure=True)(17, 5)
    assert take(value).key == value.key and take([value])[0].compute() == (3, 2)
