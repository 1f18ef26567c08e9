"""Adaptive clusters: what is decided, by pure functions, and that it is done."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raskt.distributed
from processes_seen import until
from raskt.distributed import Adaptive, Cluster, LocalCluster, ProcessInterface, SpecCluster
from raskt.distributed._clusters._decision import (
    ROOM,
    Hysteresis,
    Load,
    WorkerLoad,
    candidates,
    not_yet_there,
    target,
    together,
)

MIB = 2**20

workers = st.builds(
    WorkerLoad,
    name=st.just(""),
    nthreads=st.integers(1, 4),
    running=st.sampled_from([0, 0, 0, 1, 5]),
    held_bytes=st.sampled_from([0, 0, 1, MIB, 100 * MIB]),
    memory_limit=st.sampled_from([None, MIB, 300 * MIB]),
)
loads = st.builds(
    lambda each, waiting, seconds, can_move: Load(
        tuple(dataclasses.replace(worker, name=f"w{at}") for at, worker in enumerate(each)), waiting, seconds, can_move
    ),
    st.lists(workers, max_size=8),
    st.integers(0, 50),
    st.none() | st.floats(0, 100),
    st.booleans(),
)


# --- what is decided ------------------------------------------------------------------------------------------------


@given(loads, st.floats(0.1, 100))
def test_as_many_workers_as_have_something_to_do(load: Load, seconds: float) -> None:
    wanted = target(load, seconds)
    busy = sum(worker.running > 0 for worker in load.workers)
    assert wanted >= busy
    assert wanted >= (load.tasks > 0 or any(worker.held_bytes for worker in load.workers))
    assert wanted <= max(busy, load.tasks, 1)
    more = target(dataclasses.replace(load, waiting=load.waiting + 10), seconds)
    assert more >= wanted or not load.tasks
    assert target(load, seconds * 2) <= wanted


@given(loads, st.integers(0, 8), st.integers(1, 3))
def test_nobody_goes_who_is_busy_or_whose_results_would_be_lost(load: Load, wanted: int, size: int) -> None:
    def key(worker: WorkerLoad) -> Hashable:
        return int(str(worker.name)[1:]) // size

    gone = candidates(load, wanted, key)
    assert len(set(gone)) == len(gone)
    going = [worker for worker in load.workers if worker.name in gone]
    staying = [worker for worker in load.workers if worker.name not in gone]
    assert not any(worker.running for worker in going)
    assert len(staying) >= min(wanted, len(load.workers))
    assert not {key(worker) for worker in going} & {key(worker) for worker in staying}
    if any(worker.held_bytes for worker in going):
        assert load.can_move and staying
        limits = [worker.memory_limit for worker in staying]
        held = sum(worker.held_bytes for worker in load.workers)
        assert None in limits or sum(filter(None, limits)) >= ROOM * held


@given(loads, st.integers(0, 8))
def test_whoever_is_idle_and_holds_nothing_goes(load: Load, wanted: int) -> None:
    free = sum(not worker.running and not worker.held_bytes for worker in load.workers)
    assert len(candidates(load, wanted)) >= min(free, len(load.workers) - wanted)


@given(st.lists(st.frozensets(st.integers(0, 4)), max_size=12), st.integers(1, 4))
def test_workers_go_when_they_were_named_so_often_in_a_row(rounds: list[frozenset[int]], count: int) -> None:
    hysteresis, row = Hysteresis(count), Counter[int]()
    for going in rounds:
        row = Counter({worker: row[worker] + 1 for worker in going})
        firm = hysteresis.firm(going)
        assert set(firm) == {worker for worker, times in row.items() if times == count}
        for worker in firm:
            del row[worker]


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)), st.integers(0, 9), st.integers(1, 3))
def test_who_has_not_come_goes_with_all_of_its_entry(asked: set[int], there: set[int], surplus: int, size: int) -> None:
    gone = set(not_yet_there(surplus, asked, there, lambda worker: worker // size))
    assert len(gone) <= surplus and gone <= asked - there
    staying = {worker // size for worker in asked - gone} | {worker // size for worker in asked & there}
    assert not {worker // size for worker in gone} & staying
    if size == 1:
        assert len(gone) == min(surplus, len(asked - there))


def test_who_sets_plugins_up_is_needed_for_what_waits() -> None:
    each = (WorkerLoad("new", is_preparing=True), WorkerLoad("idle"))
    assert candidates(Load(each, waiting=4), 1) == ("idle",)
    assert target(Load((each[0], dataclasses.replace(each[0], name="other")), waiting=4), 5.0) == 2
    assert candidates(Load(each), 0) == ("idle", "new"), "nothing waits for it"


def test_workers_of_an_entry_have_the_key_of_its_first() -> None:
    each = [WorkerLoad("a-0", nthreads=1), WorkerLoad("a-1", nthreads=2), WorkerLoad("b-0", nthreads=1)]
    by_threads = together(each, lambda name: str(name)[0], lambda worker: worker.nthreads)
    assert [by_threads(worker) for worker in each] == [1, 1, 1]
    assert [together(each, lambda name: str(name)[0])(worker) for worker in each] == ["a", "a", "b"]


# --- and done -------------------------------------------------------------------------------------------------------


class Imagined(Cluster):
    """A cluster in somebody's head."""

    def __init__(self, names: str, load: Load) -> None:
        super().__init__(quiet=True)
        self.names, self.load, self.done = set(names), load, []

    @property
    def observed(self) -> set[Any]:
        return set(self.names)

    def _load(self) -> Load:
        return self.load

    def scale_up(self, n: int) -> None:
        self.done.append(("up", n))
        self.names |= set("abcdefghij"[:n])

    async def scale_down(self, workers: Any) -> None:
        self.done.append(("down", sorted(workers)))
        self.names -= set(workers)


def load_of(names: str, running: str = "", holding: str = "", waiting: int = 0, can_move: bool = True) -> Load:
    each = [WorkerLoad(name, 1, int(name in running), MIB * (name in holding)) for name in names]
    return Load(tuple(each), waiting, 1.0, can_move)


def decided(cluster: Imagined, times: int, **options: Any) -> list[Any]:
    adaptive = Adaptive(cluster, interval=0, **options)
    for _ in range(times):
        cluster.sync(adaptive.adapt)
    return cluster.done


def test_workers_are_asked_for_at_once_and_go_when_they_were_idle_thrice() -> None:
    assert decided(Imagined("a", load_of("a", waiting=40)), 1, target_duration="5 s") == [("up", 8)]
    assert decided(Imagined("a", load_of("a", waiting=40)), 1, target_duration="5 s", maximum=3) == [("up", 3)]
    assert decided(Imagined("", load_of("")), 3, minimum=2) == [("up", 2)]
    assert decided(Imagined("abc", load_of("abc", running="b")), 2) == []
    assert decided(Imagined("abc", load_of("abc", running="b")), 3) == [("down", ["a", "c"])]
    assert decided(Imagined("abc", load_of("abc")), 1, wait_count=1, minimum=1) == [("down", ["a", "b"])]


def test_a_busy_spell_starts_the_count_anew() -> None:
    cluster = Imagined("ab", load_of("ab"))
    adaptive = Adaptive(cluster, interval=0)
    for load in ["ab", "ab", "busy", "ab", "ab"]:
        cluster.load = load_of("ab", running="ab") if load == "busy" else load_of(load)
        cluster.sync(adaptive.adapt)
    assert cluster.done == []
    cluster.sync(adaptive.adapt)
    assert cluster.done == [("down", ["a", "b"])]


def test_results_keep_their_workers() -> None:
    assert decided(Imagined("ab", load_of("ab", holding="ab")), 3) == [("down", ["a"])]
    assert decided(Imagined("ab", load_of("ab", holding="ab", can_move=False)), 9) == []
    assert decided(Imagined("ab", load_of("ab", holding="b", can_move=False)), 3) == [("down", ["a"])]


def test_a_users_own_decision() -> None:
    class Five(Adaptive):
        async def target(self) -> int:
            return 5

        async def workers_to_close(self, target: int) -> list[Any]:
            return sorted(self.observed)[target:]

    cluster = Imagined("abcdefg", Load())
    cluster.sync(Five(cluster, interval=0, wait_count=1).adapt)
    assert cluster.done == [("down", ["f", "g"])] and cluster.adapt(Five, interval=0).interval == 0


def test_it_goes_on_by_itself_until_it_is_stopped() -> None:
    cluster = Imagined("a", load_of("a", waiting=40))
    adaptive = cluster.adapt(interval="10 ms", maximum=4)
    until(lambda: cluster.done == [("up", 4)])
    cluster.load = load_of("abcd")
    until(lambda: cluster.done[1:] == [("down", ["a", "b", "c", "d"])])
    another = cluster.adapt(interval="10 ms")
    assert (adaptive.state, another.state) == ("stopped", "running")
    assert [entry["status"] for _, entry in adaptive.log] == ["up", "down", "stopped"]
    cluster.close()
    assert another.state == "stopped"


def test_a_question_that_fails_is_noted_and_asked_again() -> None:
    cluster = Imagined("a", Load())
    failures = [OSError("no answer"), OSError("no answer")]

    def load() -> Load:
        if failures:
            raise failures.pop()
        return load_of("a", waiting=40)

    cluster._load = load  # type: ignore[method-assign]
    cluster.adapt(interval="10 ms", maximum=2)
    until(lambda: cluster.done == [("up", 2)])
    assert cluster.get_logs()["Cluster"].count("no answer") == 2
    cluster.close()


def test_a_cluster_that_is_forgotten_is_not_kept_by_what_adapts_it() -> None:
    cluster = Imagined("a", Load())
    adaptive = cluster.adapt(interval="10 ms")
    del cluster
    until(lambda: adaptive.state == "stopped")
    with pytest.raises(ReferenceError):
        adaptive.plan


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"minimum": 3, "maximum": 2}, ValueError, "0 <= minimum <= maximum"),
        ({"minimum": 1.5}, TypeError, "minimum is 1.5"),
        ({"maximum": 2.5}, TypeError, "maximum is 2.5"),
        ({"wait_count": 0}, ValueError, "wait_count is 0"),
        ({"target_duration": 0}, ValueError, "target_duration 0"),
        ({"interval": "soon"}, ValueError, "no duration"),
        ({"colour": 1}, TypeError, "no option colour"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Adaptive(Imagined("", Load()), **options)


def test_what_cannot_adapt_says_so(cluster: LocalCluster) -> None:
    class Fixed(Cluster):
        _supports_scaling = False

    with pytest.raises(NotImplementedError, match="number of its workers is fixed"):
        Fixed().adapt()


class Asked(ProcessInterface):
    """A worker that is asked for and never comes."""


def test_bounds_in_threads_and_memory() -> None:
    worker = {"cls": Asked, "options": {"nthreads": 2, "memory_limit": 100 * MIB}}
    with SpecCluster() as cluster:
        cluster.new_spec = worker
        adaptive = cluster.adapt(minimum_cores=3, maximum_cores=9, maximum_memory="1 GiB", interval=0)
        assert (adaptive.minimum, adaptive.maximum) == (2, 4)
        adaptive = cluster.adapt(minimum_memory=101 * MIB, maximum=20, interval=0)
        assert (adaptive.minimum, adaptive.maximum) == (2, 20)


def test_workers_of_a_specification_by_their_own_names() -> None:
    """Names of a specification may be numbers, and the scheduler knows them as texts."""

    class Told(SpecCluster):
        told = Load()

        @property
        def observed(self) -> set[Any]:
            return set(self.plan)

    class Numbered(ProcessInterface):
        pass

    told = [(3, "0", 0, 0, 0), (7, "1", 2, 0, 0), (8, "2", 0, 4, 100), (9, "gone", 0, 0, 0)]
    with Told(worker={"cls": Numbered, "options": {}}) as cluster:
        cluster.scale(3)
        cluster._client = lambda: Client(told)  # type: ignore[method-assign, assignment]
        load = cluster._load()
        assert [(w.name, w.running, w.held_bytes) for w in load.workers] == [(0, 0, 0), (1, 2, 0), (2, 0, 100)]
        assert (load.waiting, load.seconds_each, load.can_move) == (5, 1.5, True)
        adaptive = Adaptive(cluster, interval=0, wait_count=1, target_duration=30)
        asyncio.run(_awaited(cluster, adaptive))
        assert cluster.plan == {1}


class Client:
    """What is asked of a client."""

    def __init__(self, told: list[tuple[int, str, int, int, int]]) -> None:
        self.told = told
        self._raskt_cluster_client = self

    def workers(self) -> list[dict[str, Any]]:
        return [
            {"id": number, "name": name, "nthreads": 1, "memory_limit": 0}
            for number, name, *_ in self.told
            if name != "gone"
        ]

    def ask(self, question: str, timeout: Any = None) -> str:
        """Two workers an answer."""
        asked = json.loads(question)
        if asked == "Scheduler":
            return json.dumps({"Scheduler": {"tasks": 20, "done": 10, "failed": 3}})
        first = asked["Workers"]["from"]
        each = [
            {
                "worker": number,
                "assignments": running,
                "is_preparing": False,
                "nanoseconds": running * 15 * 10**8,
                "results": held,
                "bytes": size,
            }
            for number, _, running, held, size in self.told
            if number >= first
        ]
        return json.dumps({"Workers": each[:2]})


async def _awaited(cluster: SpecCluster, adaptive: Adaptive) -> None:
    await cluster.sync(adaptive.adapt, asynchronous=True)


def test_a_local_cluster_adapts() -> None:
    with LocalCluster(n_workers=0, threads_per_worker=1) as cluster, raskt.distributed.Client(cluster) as client:
        cluster.adapt(maximum=2, interval="50 ms", wait_count=2, target_duration="10 ms")
        futures = client.map(lambda number: time.sleep(0.05) or number, range(40))
        until(lambda: cluster.size == 2)
        assert client.gather(futures) == list(range(40))
        until(lambda: cluster.size == 1)
        assert client.gather(futures) == list(range(40))
        del futures
        until(lambda: cluster.size == 0)
        assert client.submit(abs, -1).result(timeout=30) == 1


def test_whoever_scales_by_hand_decides_from_then_on() -> None:
    with LocalCluster(n_workers=0, threads_per_worker=1) as cluster:
        adaptive = cluster.adapt(maximum=1, interval="20 ms", wait_count=1)
        cluster.scale(2)
        assert adaptive.state == "stopped" and "scale()" in adaptive.log[-1][1]["reason"]
        time.sleep(0.3)
        assert cluster.size == 2
        cluster.adapt(maximum=1, interval="20 ms", wait_count=1)
        until(lambda: cluster.size == 0)


def test_what_decides_may_scale_as_users_do_and_is_overruled_by_them() -> None:
    class Scales(Adaptive):
        async def target(self) -> int:
            return 2

        async def scale_up(self, n: int) -> None:
            await asyncio.to_thread(self.cluster.scale, n)

    class Slow(Scales):
        async def scale_up(self, n: int) -> None:
            under_way.set()
            await asyncio.to_thread(overruled.wait, 30)
            await super().scale_up(n)

    with LocalCluster(n_workers=0, threads_per_worker=1) as cluster:
        adaptive = cluster.adapt(Scales, maximum=2, interval="20 ms")
        until(lambda: cluster.size == 2)
        assert adaptive.state == "running"
        cluster.scale(0)
        under_way, overruled = threading.Event(), threading.Event()
        cluster.adapt(Slow, maximum=2, interval="20 ms")
        assert under_way.wait(30)
        cluster.scale(1)
        overruled.set()
        time.sleep(0.5)
        assert cluster.size == 1


class Overruled(Adaptive):
    """What wants two workers, and is told by a user that it decides no longer while it is at that."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.under_way, self.overruled, self.done = threading.Event(), threading.Event(), threading.Event()

    async def target(self) -> int:
        return 2

    async def scale_up(self, n: int) -> None:
        self.under_way.set()
        await asyncio.to_thread(self.overruled.wait, 30)
        await asyncio.to_thread(self.act, n)
        self.done.set()

    def act(self, n: int) -> None:
        self.cluster.scale(n)


class Replaces(Overruled):
    def act(self, n: int) -> None:
        self.cluster.adapt(maximum=0, interval="20 ms")


@pytest.mark.parametrize("kind", [Overruled, Replaces])
def test_what_decides_no_longer_ends_nothing_that_does(kind: type[Overruled]) -> None:
    class Three(Adaptive):
        async def target(self) -> int:
            return 3

    with SpecCluster(worker={"cls": Asked, "options": {}}) as cluster:
        before = cluster.adapt(kind, interval="20 ms")
        assert before.under_way.wait(30)
        another = cluster.adapt(Three, interval="20 ms")
        before.overruled.set()
        assert before.done.wait(30)
        assert (before.state, another.state) == ("stopped", "running")
        until(lambda: cluster.size == 3)
        assert cluster.adapt(interval=0) is not another and another.state == "stopped"


def test_what_decides_may_put_another_in_its_place() -> None:
    with SpecCluster(worker={"cls": Asked, "options": {}}) as cluster:
        before = cluster.adapt(Replaces, interval="20 ms")
        before.overruled.set()
        assert before.done.wait(30)
        assert before.state == "stopped" and "another" in before.log[-1][1]["reason"]
        assert cluster._adaptive is not None and cluster._adaptive.maximum == 0 and cluster._adaptive.state == "running"


def test_a_closed_cluster_does_not_adapt() -> None:
    cluster = SpecCluster(worker={"cls": Asked, "options": {}})
    before = cluster.adapt(interval=0)
    cluster.close()
    asks: list[Callable[[], Any]] = [cluster.adapt, lambda: cluster.scale(1), lambda: cluster.scale_down([])]
    for ask in asks:
        with pytest.raises(RuntimeError, match="the cluster .* is closed"):
            ask()
    assert cluster._adaptive is before


settings.register_profile("adaptive", deadline=None)
settings.load_profile("adaptive")
