"""Graphs as Dask writes them, of the new form and the old: what each thing in them means."""

from __future__ import annotations

import collections
import gc
import threading
import time
import weakref
from operator import add

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raskt.dask

dask = pytest.importorskip("dask")

from dask._task_spec import Alias, DataNode, Dict, List, Set, Task, TaskRef, Tuple, fuse_linear_task_spec  # noqa: E402
from dask.highlevelgraph import HighLevelGraph  # noqa: E402

get = raskt.dask.get


def test_the_form_of_the_keys_is_the_form_of_the_results():
    graph = {"x": 1, ("y", 0): (add, "x", 1), "z": ("y", 0)}
    assert get(graph, "x") == 1
    assert get(graph, ("y", 0)) == 2
    assert get(graph, ["x"]) == (1,)
    assert get(graph, ["z", ["x", ["x", ("y", 0)]], []]) == (2, (1, (1, 2)), ())
    assert get({}, []) == ()


def test_values_of_the_old_form():
    Pair = collections.namedtuple("Pair", "a b")
    call = lambda *args: args
    graph = {
        "x": 1,
        "list": ["x", ["x", 7], "other"],
        "tuple": ("x", ("x", 2)),
        "set": {"x", 3},
        "frozenset": frozenset({"x", "other"}),
        "pair": (call, Pair("x", 2)),
        "dict as an argument": (call, {"x": "x", "k": TaskRef("x")}),
        "dict as a value": {"k": "x"},
        "nested": (call, (add, "x", (add, "x", 5)), [(add, "x", 1)], ()),
        "no argument": (call,),
        "bytes": (call, b"x"),
        "unhashable": (call, ("x", [])),
        "true": (call, True, 1.0, None),
        "function": (call, add),
    }
    for key in graph:
        assert get(graph, key) == dask.get(graph, key), key
    assert type(get(graph, "pair")[0]) is Pair


def test_tasks_of_the_new_form():
    call = lambda *args, **kwargs: (args, kwargs)
    graph = {
        "x": DataNode("x", 1),
        "y": Task("y", add, TaskRef("x"), 1),
        "same": Alias("same", "y"),
        "same again": Alias("same again", "same"),
        "containers": Task("containers", call, List(TaskRef("x"), Tuple(TaskRef("y"), 5), Set(TaskRef("y"), 3))),
        "dict": Task("dict", call, Dict({"a": TaskRef("x"), "b": List(TaskRef("y"))}), k=TaskRef("same again")),
        "plain containers": Task("plain containers", call, [TaskRef("x")], {"a": 1}, ("y",), b=2),
        "nested": Task("nested", call, Task(None, add, TaskRef("x"), Task(None, add, TaskRef("y"), 10)), Alias("y")),
        "data as an argument": Task("data as an argument", call, DataNode(None, "x"), k=DataNode(None, [1])),
        "list": List(TaskRef("x"), TaskRef("y")),
    }
    for key in graph:
        assert get(graph, key) == dask.get(graph, key), key


def test_tasks_of_other_classes_are_called_as_dask_calls_them():
    class Doubled(Task):
        def __call__(self, values=()):
            return 2 * super().__call__(values)

    graph = {"x": DataNode("x", 1), "y": Doubled("y", add, TaskRef("x"), 2)}
    assert get(graph, "y") == 6


def test_futures_of_others_stand_for_their_keys():
    class Future:
        __dask_future__ = True
        key = "x"

    assert get({"x": 1, "y": (add, Future(), 1), "z": Future()}, ["y", "z"]) == (2, 1)


def test_arguments_are_not_shared_between_calls():
    """A function may change the dictionary, the keywords or the list that it gets."""

    def change(first, k, **kwargs):
        kwargs["more"] = 1
        first.append(k)
        return len(first), len(kwargs)

    graph = {"x": 0} | {f"y{i}": Task(f"y{i}", change, List(TaskRef("x")), k=1, other=2) for i in range(3)}
    assert get(graph, ["y0", "y1", "y2"]) == ((2, 2),) * 3


def test_layers_and_expressions_are_graphs():
    layers = HighLevelGraph.from_collections("b", {"b": (add, "a", 1)}, [])
    layers = HighLevelGraph({"a": {"a": 1}, "b": layers.layers["b"]}, {"a": set(), "b": {"a"}})
    assert get(layers, "b") == 2
    assert get(dask.delayed(add)(1, 2).__dask_graph__(), list(dask.delayed(1).__dask_keys__())[:0]) == ()


def test_a_task_without_readers_is_not_run():
    assert get({"x": 1, "bad": (lambda: 1 / 0,), "y": (add, "x", 1)}, "y") == 2


def test_results_that_are_there_already_are_taken_from_the_cache():
    assert get({"y": (add, "x", 1)}, "y", cache={"x": 41}) == 42
    assert get({"x": (lambda: 1 / 0,), "y": Task("y", add, TaskRef("x"), 1)}, "y", cache={"x": 1}) == 2


@pytest.mark.own_process
def test_results_are_released_as_soon_as_nobody_reads_them():
    """One result at a time is alive along a chain, within a fused task too."""

    class Big:
        pass

    alive: list[weakref.ref[Big]] = []
    most = []

    def step(*_):
        gc.collect()
        most.append(sum(ref() is not None for ref in alive))
        big = Big()
        alive.append(weakref.ref(big))
        return big

    chain = {0: Task(0, step)} | {i: Task(i, step, TaskRef(i - 1)) for i in range(1, 30)}
    fused = {"fused": Task.fuse(*chain.values(), key="fused")}
    for graph, wanted in [(chain, 29), (fused, "fused")]:
        alive.clear()
        most.clear()
        get(graph, wanted, num_workers=1)
        gc.collect()
        assert max(most) == 1
        assert not any(ref() for ref in alive)


class Blocks:
    """Makes blocks, and counts how many there are."""

    def __init__(self):
        self.alive = self.most = 0
        self._lock = threading.Lock()

    def load(self):
        # Long enough that tasks aren't handed out in rows.
        time.sleep(0.002)
        return Block(self)

    def count(self, change):
        with self._lock:
            self.alive += change
            self.most = max(self.most, self.alive)


class Block:
    def __init__(self, blocks):
        self._blocks = blocks
        blocks.count(1)

    def __del__(self):
        self._blocks.count(-1)


@pytest.mark.own_process
def test_a_reduction_holds_few_blocks_at_a_time():
    """The order is depth first: a block is made shortly before it is read."""
    blocks = Blocks()
    graph = {("load", i): Task(("load", i), blocks.load) for i in range(64)}
    graph |= {("sum", 0, i): Task(("sum", 0, i), lambda _: 1, TaskRef(("load", i))) for i in range(64)}
    for level in range(1, 7):
        for i in range(64 >> level):
            reads = [TaskRef(("sum", level - 1, 2 * i + j)) for j in (0, 1)]
            graph["sum", level, i] = Task(("sum", level, i), add, *reads)
    assert get(graph, ("sum", 6, 0), num_workers=2) == 64
    # Two run, and a few more lie where the next ones take them; nothing like the 64 that there are.
    assert blocks.alive == 0 and blocks.most <= 8


@pytest.mark.own_process
def test_quick_tasks_do_not_make_long_rows_of_slow_ones():
    """How long a load takes isn't learned from the slices of it, so that loads aren't handed out by the dozen."""
    blocks = Blocks()
    graph = {("load", i): Task(("load", i), blocks.load) for i in range(48)}
    for i in range(48):
        slices = [Task(("slice", i, j), lambda _: 1, TaskRef(("load", i))) for j in range(20)]
        graph |= {task.key: task for task in slices}
        graph["sum", i] = Task(("sum", i), lambda *ones: sum(ones), *(task.ref() for task in slices))
    graph["sum"] = Task("sum", lambda *sums: sum(sums), *(TaskRef(("sum", i)) for i in range(48)))
    assert get(graph, "sum", num_workers=2) == 960
    assert blocks.alive == 0 and blocks.most <= 8


@pytest.mark.own_process
def test_what_takes_longest_to_come_is_begun_first():
    """A block isn't made before the long chain that is read with it."""
    begun = []
    step = lambda name, *_: begun.append(name)
    graph = {"block": Task("block", step, "block"), 0: Task(0, step, 0)}
    graph |= {i: Task(i, step, i, TaskRef(i - 1)) for i in range(1, 40)}
    graph["both"] = Task("both", step, "both", TaskRef("block"), TaskRef(39))
    get(graph, "both", num_workers=1)
    assert begun == [*range(40), "block", "both"]


def test_what_is_missing_is_named():
    with pytest.raises(KeyError, match="nothing"):
        get({"x": 1}, "nothing")
    with pytest.raises(ValueError, match=r"Missing dependency 'x' for dependents \{'y'\}"):
        get({"y": Task("y", add, TaskRef("x"), 1)}, "y")
    with pytest.raises(KeyError, match="x"):
        get({"x": Alias("x", "x")}, "x")


@pytest.mark.parametrize(
    "graph",
    [
        {"x": (add, "y", 1), "y": (add, "x", 1)},
        {"x": Task("x", add, TaskRef("x"), 1)},
        {"x": "y", "y": "x"},
        {"x": (add, "y", 1), "y": "z", "z": [1, "x"]},
    ],
)
def test_cycles_are_told(graph):
    with pytest.raises(RuntimeError, match=r"Cycle detected in Dask: .*'x'.*->"):
        get(graph, "x")


def test_deep_graphs_and_deep_tasks():
    chain = {"x0": 0} | {f"x{i}": (add, f"x{i - 1}", 1) for i in range(1, 50_000)}
    assert get(chain, "x49999") == 49_999
    deep: object = 1
    for _ in range(3000):
        deep = (add, deep, 1)
    with pytest.raises(RecursionError, match="more than 400 deep"):
        get({"x": deep}, "x")


# --- graphs at random ---------------------------------------------------------------------------------------------


def told(*args, **kwargs):
    """A result that tells all that went into it."""
    # Sets have no order, and their elements are hashed: all results are strings.
    return f"told({', '.join([*map(form, args), *(f'{k}={form(v)}' for k, v in kwargs.items())])})"


def form(value):
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}({sorted(map(repr, value))})"
    if isinstance(value, dict):
        return f"dict({[(form(k), form(v)) for k, v in value.items()]})"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({[form(item) for item in value]})"
    return repr(value)


def key_of(i):
    return f"k{i}" if i % 3 else ("k", i, 0)


literals = st.one_of(st.integers(-5, 5), st.sampled_from(["word", "k99", b"k1", None, 2.5, ("no", "key")]))


def legacy_values(i):
    """Values of the old form under key *i*, which read earlier keys."""
    keys = st.sampled_from([key_of(j) for j in range(i)]) if i else literals
    simple = st.one_of(literals, keys)
    arguments = st.recursive(
        simple,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.lists(inner, max_size=3).map(tuple),
            st.dictionaries(st.sampled_from("ab"), literals, max_size=2),
            st.sets(simple.filter(lambda value: not isinstance(value, tuple)), max_size=3),
            st.lists(inner, max_size=2).map(lambda items: (told, *items)),
        ),
        max_leaves=6,
    )
    return st.one_of(simple, st.lists(arguments, max_size=4).map(lambda items: (told, *items)))


def new_values(i):
    """Tasks of the new form under key *i*."""
    keys = [key_of(j) for j in range(i)]
    references = st.sampled_from(keys).map(TaskRef) if keys else literals
    simple = st.one_of(literals, references)
    arguments = st.recursive(
        simple,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: List(*items) if len(items) != 1 else List(items)),
            st.lists(inner, max_size=3).map(lambda items: Tuple(*items) if len(items) != 1 else Tuple(tuple(items))),
            st.dictionaries(st.sampled_from("ab"), inner, max_size=2).map(Dict),
            st.lists(inner, max_size=2).map(lambda items: Task(None, told, *items)),
            st.sets(simple, max_size=3).map(lambda items: Set(*items) if len(items) != 1 else Set(items)),
            *([st.sampled_from(keys).map(Alias)] if keys else []),
        ),
        max_leaves=6,
    )
    named = st.dictionaries(st.sampled_from("xyz"), arguments, max_size=2)
    task = st.tuples(st.lists(arguments, max_size=4), named)
    tasks = task.map(lambda both: Task(key_of(i), told, *both[0], **both[1]))
    aliases = [st.sampled_from(keys).map(lambda key: Alias(key_of(i), key))] if keys else []
    return st.one_of(tasks, tasks, literals.map(lambda value: DataNode(key_of(i), value)), *aliases)


@st.composite
def graphs(draw, values):
    size = draw(st.integers(1, 12))
    graph = {key_of(i): draw(values(i)) for i in range(size)}
    order = draw(st.permutations(list(graph)))
    wanted = draw(st.lists(st.sampled_from(order), min_size=1, max_size=5))
    return {key: graph[key] for key in order}, wanted


def check(graph, wanted):
    reference = [form(result) for result in dask.get(graph, wanted)]
    for how in ({"num_workers": 1}, {"num_workers": 3}, {"rerun_exceptions_locally": True}):
        assert [form(result) for result in get(graph, wanted, **how)] == reference
    seen = []
    watched = get(graph, wanted, callbacks=[(None, None, lambda key, *_: seen.append(key), None, None)])
    assert [form(result) for result in watched] == reference
    assert len(seen) == len(set(seen))


@settings(max_examples=150, deadline=None)
@given(graphs(legacy_values))
def test_graphs_of_the_old_form_give_what_dask_gives(graph_and_wanted):
    check(*graph_and_wanted)


@settings(max_examples=150, deadline=None)
@given(graphs(new_values))
def test_graphs_of_the_new_form_give_what_dask_gives(graph_and_wanted):
    check(*graph_and_wanted)


@settings(max_examples=150, deadline=None)
@given(graphs(new_values))
def test_fused_graphs_give_what_dask_gives(graph_and_wanted):
    graph, wanted = graph_and_wanted
    check(fuse_linear_task_spec(graph, set(wanted)), wanted)
