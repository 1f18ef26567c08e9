"""Clusters: what all have in common, those of specifications, and local ones."""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from processes_seen import is_alive, until
from raskt.distributed import (
    Adaptive,
    Client,
    Cluster,
    LocalCluster,
    Nanny,
    ProcessInterface,
    Scheduler,
    SpecCluster,
    Status,
    SubprocessCluster,
    Worker,
)
from raskt.distributed._clusters import _decision, _nanny, _spec
from raskt.distributed._clusters._process import FAILURES_MOST

ONE = {"cls": Nanny, "options": {"nthreads": 1}}
PATIENCE = 60

HERE = {"cls": Worker, "options": {"nthreads": 1, "memory_limit": "64 MiB"}}


class Recorded(ProcessInterface):
    """A worker that nobody starts."""

    events: list[tuple[str, Any]] = []

    async def start(self) -> None:
        self.events.append(("start", self.name))
        if self.name == "bad":
            raise OSError("no machine can be had")
        await super().start()

    async def close(self) -> None:
        self.events.append(("close", self.name))
        await super().close()


@pytest.fixture(autouse=True)
def no_events() -> None:
    Recorded.events.clear()


# --- specifications -------------------------------------------------------------------------------------------------


def test_what_there_is_follows_what_is_specified() -> None:
    recorded = {"cls": Recorded, "options": {}}
    with SpecCluster(workers={"a": recorded}, worker=recorded, name="mine") as cluster:
        assert cluster.status == Status.running and cluster.plan == cluster.requested == {"a"}
        assert cluster.workers["a"].scheduler == cluster.scheduler_address
        cluster.scale(3)
        assert list(cluster.worker_spec) == ["a", 0, 1] and set(cluster.workers) == {"a", 0, 1}
        cluster.scale(2)
        assert set(cluster.workers) == {"a", 0}
        cluster.scale_down(["a"])
        cluster.scale(2)
        assert set(cluster.workers) == {0, 2}
        cluster.worker_spec["by hand"] = recorded
        cluster.sync(cluster._correct_state)
        assert set(cluster.workers) == {0, 2, "by hand"} and cluster.observed == set()
    expected = [
        ("start", "a"),
        ("start", 0),
        ("start", 1),
        ("close", 1),
        ("close", "a"),
        ("start", 2),
        ("start", "by hand"),
    ]
    assert Recorded.events[:7] == expected
    assert sorted(map(str, Recorded.events[7:])) == sorted(map(str, [("close", 0), ("close", 2), ("close", "by hand")]))
    assert cluster.status == Status.closed
    with pytest.raises(RuntimeError, match="'mine' is closed"):
        cluster.scale(1)
    with pytest.raises(RuntimeError, match=r"'mine' has no scheduler \(it is closed\)"):
        Client(cluster)
    cluster.close()


def test_a_worker_that_cannot_be_started_is_told_and_the_others_stay() -> None:
    recorded = {"cls": Recorded, "options": {}}
    with SpecCluster(workers={"a": recorded}) as cluster:
        cluster.worker_spec |= {"bad": recorded, "b": recorded}
        with pytest.raises(OSError, match="no machine"):
            cluster.sync(cluster._correct_state)
        assert set(cluster.workers) == {"a", "b"} == set(cluster.worker_spec)
        cluster.worker_spec["wrong"] = {"cls": Recorded, "options": {"colour": 1}}
        with pytest.raises(TypeError, match="colour"):
            cluster.sync(cluster._correct_state)
        assert set(cluster.workers) == {"a", "b"} == set(cluster.worker_spec)
        with pytest.raises(ValueError, match="doesn't know what more workers are"):
            cluster.scale(3)
    with pytest.raises(OSError, match="no machine"):
        SpecCluster(workers={"a": recorded, "bad": recorded})
    assert ("close", "a") in Recorded.events


def test_workers_of_one_entry_come_and_go_together() -> None:
    pair = {"cls": Recorded, "options": {}, "group": ["-0", "-1"]}
    with SpecCluster(workers={"a": pair, "b": pair}, worker=pair) as cluster:
        assert cluster.plan == {"a-0", "a-1", "b-0", "b-1"} and cluster.size == 4
        with pytest.raises(ValueError, match="come and go together"):
            cluster.scale_down(["a-0"])
        cluster.scale(5)
        assert len(cluster.plan) == 6
        cluster.scale(3)
        assert len(cluster.plan) == 4
        cluster.scale_down(["a-0", "a-1"])
        assert cluster.plan == {"b-0", "b-1"}
        cluster.worker_spec.clear()
        assert cluster.plan == set() and cluster.requested == {"b-0", "b-1"}


def test_workers_that_go_have_to_be_there() -> None:
    recorded = {"cls": Recorded, "options": {}}
    with SpecCluster(workers={"a": recorded, 1: recorded}, name="mine") as cluster:
        with pytest.raises(ValueError, match=r"'mine' has no workers 'c', 'nobody': it has '1', 'a'$"):
            cluster.scale_down(["a", "nobody", "c"])
        assert cluster.plan == {"a", 1}, "none goes where one isn't there"
        cluster.scale_down(["1"])
        cluster.scale_down("a")
        with pytest.raises(ValueError, match="'mine' has no workers 'a': it has none"):
            cluster.scale_down("a")


def test_what_was_decided_of_workers_that_have_gone_since_is_done_for_the_others() -> None:
    recorded = {"cls": Recorded, "options": {}}
    with SpecCluster(workers={"a": recorded, "b": recorded}) as cluster:
        adaptive = Adaptive(cluster, interval=0)
        before = _decision.decides.set(adaptive)
        try:
            cluster.scale_down(["a", "gone"])
        finally:
            _decision.decides.reset(before)
        assert cluster.plan == {"b"}


def test_libraries_have_the_threads_of_a_worker_and_frames_all() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster) as client:
        variables = next(iter(client.run(lambda: dict(os.environ)).values()))
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
            usual = None if name == "POLARS_MAX_THREADS" else "1"
            assert variables.get(name) == os.environ.get(name, usual)


def test_a_cluster_is_scaled_by_memory_and_threads() -> None:
    worker = {"cls": Recorded, "options": {}}
    with SpecCluster(worker=worker) as cluster:
        with pytest.raises(ValueError, match="nthreads"):
            cluster.scale(cores=4)
        with pytest.raises(ValueError, match="memory_limit"):
            cluster.scale(memory="4 GiB")
        cluster.new_spec = {"cls": HERE["cls"], "options": HERE["options"]}
        cluster.scale(cores=2)
        assert cluster.size == 2
        cluster.scale(1, memory="190 MiB")
        assert cluster.size == 3
        for wrong in (-1, 1.5, True, 10**9):
            with pytest.raises((TypeError, ValueError), match="n is"):
                cluster.scale(wrong)


def test_work_on_workers_that_are_specified_one_by_one() -> None:
    with SpecCluster(workers={"own": ONE, 7: HERE}) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, timeout=30)
        assert cluster.observed == {"own", 7} and set(client.nthreads()) == {"own", "7"}
        pids = client.run(os.getpid)
        assert pids["7"] == os.getpid() and pids["own"] == cluster.workers["own"].pid  # type: ignore[attr-defined]
        assert client.gather(client.map(abs, [-1, -2, -3])) == [1, 2, 3]


def test_a_scheduler_may_be_left_running() -> None:
    scheduler = Scheduler()
    cluster = SpecCluster(shutdown_scheduler=False)
    cluster.close()
    assert cluster.scheduler is not None and cluster.scheduler.status == Status.running
    cluster.sync(cluster.scheduler.close)
    assert scheduler.status == Status.created


# --- the base class -------------------------------------------------------------------------------------------------


class Rented(Cluster):
    """A cluster that somebody else keeps."""

    def __init__(self, other: LocalCluster, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.other, self.security, self.asked = other, other.security, []

    @property
    def scheduler_address(self) -> str:
        return self.other.scheduler_address

    def scale(self, n: int) -> None:
        self.asked.append(n)


def test_a_class_of_a_users_own(cluster: LocalCluster) -> None:
    with Rented(cluster, name="rent", quiet=True) as rented, Client(rented) as client:
        assert client.submit(abs, -5).result() == 5 and client.cluster is rented
        rented.wait_for_workers(2, timeout=30)
        assert rented.observed == cluster.plan == rented.plan
        assert rented.scheduler_info["total_threads"] == 2
        rented.scale_up(4)
        assert rented.asked == [4]
        with pytest.raises(TimeoutError):
            rented.wait_for_workers(50, timeout=0.05)
        rented._log("something happened")
        assert "something happened" in rented.get_logs()["Cluster"] and "joined" in rented.get_logs()["Scheduler"]
        assert (
            "rent" in repr(rented) and "<table>" in rented._repr_html_() and cluster.scheduler_address in repr(rented)
        )
        assert rented.get_client() is client and rented.dashboard_link == ""
    assert rented.is_closed and rented.scheduler_info["workers"] == {}


def test_what_a_class_does_not_have_is_refused() -> None:
    cluster = Cluster(name="bare")
    for refused in (lambda: cluster.scale(1), lambda: cluster.scale_down(["a"]), lambda: Cluster.from_name("bare")):
        with pytest.raises(NotImplementedError):
            refused()
    with pytest.raises(RuntimeError, match="'bare' has no scheduler"):
        cluster.scheduler_address
    assert cluster.get_logs() == {"Cluster": ""} and cluster.observed == set() and "created" in repr(cluster)
    with pytest.raises(NotImplementedError, match="loop"):
        Cluster(loop=asyncio.new_event_loop())
    with pytest.raises(TypeError, match="n_workers="):
        LocalCluster(2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_workers is 0"):
        cluster.wait_for_workers(0)


def test_a_cluster_calls_functions_on_its_loop(cluster: LocalCluster) -> None:
    async def where() -> Any:
        return asyncio.get_running_loop() is cluster.loop, cluster.called_from_running_loop, cluster.asynchronous

    assert cluster.sync(where) == (True, True, True)
    assert (cluster.called_from_running_loop, cluster.asynchronous) == (False, False)
    assert cluster.sync(pow, 2, 3) == 8
    with pytest.raises(TimeoutError):
        cluster.sync(asyncio.sleep, 30, callback_timeout=0.05)

    async def elsewhere() -> Any:
        return await cluster.sync(where, asynchronous=True)

    assert asyncio.run(elsewhere()) == (True, True, True)


# --- local clusters -------------------------------------------------------------------------------------------------


def test_a_local_cluster_takes_what_its_namesake_takes() -> None:
    distributed = pytest.importorskip("distributed")
    theirs = inspect.signature(distributed.LocalCluster).parameters
    assert list(inspect.signature(LocalCluster).parameters) == list(theirs)
    for kind in ("SpecCluster", "SSHCluster", "SubprocessCluster", "Adaptive"):
        theirs = inspect.signature(getattr(distributed, kind)).parameters
        assert list(inspect.signature(getattr(__import__("raskt.distributed").distributed, kind)).parameters) == list(
            theirs
        )
    names = {name for name in dir(distributed.LocalCluster) if not name.startswith("_")}
    assert names - set(dir(LocalCluster)) == set()
    assert {status.name for status in Status} >= {status.name for status in distributed.Status}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"dashboard_address": ":8787"}, "there is no dashboard"),
        ({"worker_dashboard_address": ":0"}, "there is no dashboard"),
        ({"services": {"x": 1}}, "services"),
        ({"protocol": "ucx"}, "protocol is 'ucx'"),
        ({"loop": 5}, "loop"),
        ({"validate": True}, "validate"),
        ({"processes": False, "local_directory": "/tmp"}, "spills where"),
        ({"processes": False, "resources": {"GPU": 1}}, "raskt worker"),
        ({"scheduler_kwargs": {"idle_timeout": 5}}, "raskt scheduler"),
    ],
)
def test_what_is_not_honoured_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(NotImplementedError, match=words):
        LocalCluster(n_workers=1, **arguments)


def test_options_of_local_workers(tmp_path: Any) -> None:
    (tmp_path / "first.py").write_text("import os\nos.environ['RUN_FIRST'] = 'yes'\n")
    options = {"preload": str(tmp_path / "first.py"), "env": {"COLOUR": "blue"}, "memory_limit": "1 GiB"}
    with LocalCluster(
        "mine", 1, 2, local_directory=tmp_path, host="localhost", dashboard_address=None, **options
    ) as cluster:
        with Client(cluster) as client:
            assert client.submit(lambda: (os.environ["RUN_FIRST"], os.environ["COLOUR"])).result() == ("yes", "blue")
            assert client.nthreads() == {"mine-worker-0": 2}
            about = client.scheduler_info()["workers"]["mine-worker-0"]
            assert 2**29 < about["memory_limit"] <= 2**30
            more = cluster.start_worker(nthreads=1, env={"COLOUR": "red"})
            client.wait_for_workers(2, timeout=30)
            assert client.run(os.getenv, "COLOUR") == {"mine-worker-0": "blue", more.name: "red"}


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("raise ValueError('no token=hunter2 here')", r"preload '.*first.py' has failed with ValueError: .*=\*\*\* "),
        ("import no_such_module", "has failed with ModuleNotFoundError: No module named 'no_such_module'"),
        ("import os\nos._exit(7)", "ended 3 times before it was there, and at last it ended with exit status 7$"),
        ("raise SystemExit('not today')", "has failed with SystemExit: not today"),
    ],
)
def test_workers_that_cannot_begin_end_the_cluster_and_say_why(tmp_path: Path, program: str, words: str) -> None:
    (tmp_path / "first.py").write_text(program)
    with pytest.raises(RuntimeError, match=f"1 of 1 workers of the cluster 'mine' don't come: .*{words}"):
        LocalCluster("mine", n_workers=1, threads_per_worker=1, preload=str(tmp_path / "first.py"), silence_logs=50)
    assert not [job for job in _nanny.supervisor()._jobs if job.name.startswith("mine")]


def test_who_waits_for_workers_that_cannot_begin_hears_why(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text("1 / 0")
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster:
        bad = cluster.start_worker(preload=str(tmp_path / "first.py"))
        with pytest.raises(RuntimeError, match="1 of 2 workers .* ended 3 times .*ZeroDivisionError: division by zero"):
            cluster.wait_for_workers(2, timeout=60)
        assert "ZeroDivisionError" in cluster.get_logs()[bad.name]
        cluster.wait_for_workers(1, timeout=10)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            cluster.wait_for_workers(2, timeout=0)
        # It is tried again and again: whatever it was may be over.
        (tmp_path / "first.py").write_text("")
        until(lambda: len(cluster.observed) == 2)
        cluster.wait_for_workers(2, timeout=10)


def test_who_has_failed_to_begin_and_has_come_counts_as_one_who_is_there(tmp_path: Path) -> None:
    first = tmp_path / "first.py"
    first.write_text("1 / 0")
    with LocalCluster(n_workers=1, threads_per_worker=1, silence_logs=50) as cluster:
        late: Any = cluster.start_worker(preload=str(first))
        until(lambda: (late._failed() or (0,))[0] >= FAILURES_MOST)
        first.write_text("")
        until(lambda: len(cluster.observed) == 2)
        assert late._failed() is None
        # One more isn't there at once.
        cluster.scale(3)
        cluster.wait_for_workers(3, timeout=60)
        with pytest.raises(TimeoutError):
            cluster.wait_for_workers(4, timeout=0.3)
        # From now on its failures are counted anew.
        first.write_text("1 / 0")
        os.kill(late.pid, signal.SIGKILL)
        until(lambda: late._failed() is not None)
        assert late._failed()[0] < FAILURES_MOST
        with pytest.raises(RuntimeError, match="1 of 3 workers .* ended 3 times .*ZeroDivisionError"):
            cluster.wait_for_workers(4, timeout=60)


def test_workers_from_elsewhere_come_in_the_place_of_those_that_cannot_begin(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text("1 / 0")

    async def main() -> None:
        async with LocalCluster(n_workers=1, threads_per_worker=1, silence_logs=50, asynchronous=True) as cluster:
            bad = await cluster.start_worker(preload=str(tmp_path / "first.py"))
            async with Nanny(cluster.scheduler_address, nthreads=1, name="else", security=cluster.security):
                await cluster.wait_for_workers(2, timeout=60)
                while (bad._failed() or (0,))[0] < FAILURES_MOST:
                    await asyncio.sleep(0.05)
                await cluster.scale(3)
                await cluster.wait_for_workers(3, timeout=60)
                with pytest.raises(RuntimeError, match="1 of 3 workers .*ZeroDivisionError"):
                    await cluster.wait_for_workers(4, timeout=60)

    asyncio.run(main())


def test_commands_that_cannot_begin_end_the_cluster_and_say_why(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text("1 / 0")
    with pytest.raises(RuntimeError, match="workers .* don't come: .*ZeroDivisionError: division by zero"):
        LocalCluster(n_workers=1, threads_per_worker=1, preload=str(tmp_path / "first.py"), lifetime="1 h")


def test_workers_with_resources_are_processes_of_the_command() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, resources={"GPU": 1}) as cluster, Client(cluster) as client:
        assert client.submit(abs, -1, resources={"GPU": 1}).result(timeout=30) == 1


def test_a_local_cluster_beyond_this_host_speaks_by_tls() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, host="0.0.0.0") as cluster, Client(cluster) as client:
        assert cluster.scheduler_address.startswith("tls://") and "0.0.0.0" not in cluster.scheduler_address
        assert client.submit(abs, -1).result(timeout=30) == 1
        assert cluster.security.tls_ca_file is not None
        key = cluster.security.tls_key
        assert key is not None and key.stat().st_mode & 0o077 == 0
    assert not key.exists()
    with LocalCluster(n_workers=0, security=True) as cluster:
        assert cluster.security.tls_ca_file is not None
    with pytest.raises(TypeError, match="security is 5"):
        LocalCluster(security=5)  # type: ignore[arg-type]


def test_deaths_are_noted_and_printed_unless_that_is_silenced(capsys: pytest.CaptureFixture[str]) -> None:
    for level, is_printed in ((logging.WARNING, True), (logging.ERROR, False)):
        with LocalCluster(n_workers=1, threads_per_worker=1, silence_logs=level) as cluster:
            [(name, worker)] = cluster.workers.items()
            killed = worker.pid  # type: ignore[attr-defined]
            os.kill(killed, signal.SIGKILL)
            until(lambda: "SIGKILL" in cluster.get_logs()[name])  # noqa: B023
            until(lambda: worker.pid != killed)  # type: ignore[attr-defined]  # noqa: B023
            assert name not in cluster.get_logs(workers=["another"])
        assert ("SIGKILL" in capsys.readouterr().err) == is_printed


def test_a_cluster_that_is_forgotten_ends() -> None:
    cluster = LocalCluster(n_workers=1, threads_per_worker=1)
    [worker] = cluster.workers.values()
    pid, folder = worker.pid, cluster._keys.folder  # type: ignore[attr-defined]
    del worker
    del cluster
    gc.collect()
    until(lambda: not is_alive(pid))
    assert not folder.exists()


def test_a_fork_leaves_the_cluster_to_its_parent() -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster:
        child = os.fork()
        if child == 0:
            cluster.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        with Client(cluster) as client:
            assert client.submit(abs, -1).result(timeout=30) == 1


def test_clusters_of_asyncio() -> None:
    async def main() -> Any:
        cluster = LocalCluster(n_workers=1, threads_per_worker=1, asynchronous=True)
        assert cluster.status == Status.created
        with pytest.raises(TypeError, match="async with"):
            cluster.__enter__()
        async with cluster:
            assert cluster.status == Status.running
            await cluster.scale(2)
            await cluster.wait_for_workers(2, timeout=30)
            async with Client(cluster, asynchronous=True) as client:
                answer = await client.submit(abs, -1)
            cluster.scale(0)
            assert "Cluster" in await cluster.get_logs()
        return answer, cluster.status, await LocalCluster(n_workers=0, asynchronous=True)

    async def never_begun() -> None:
        cluster = LocalCluster(n_workers=1, asynchronous=True)
        await cluster.close()
        with pytest.raises(RuntimeError, match="is closed"):
            await cluster

    asyncio.run(never_begun())
    answer, status, other = asyncio.run(main())
    assert (answer, status, other.status) == (1, Status.closed, Status.running)
    asyncio.run(_closed(other))


def test_what_nobody_awaits_is_told_when_it_fails(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with LocalCluster(n_workers=0, asynchronous=True) as cluster:
            cluster.scale_down([])
            cluster.start_worker(colour=1)
            with pytest.raises(TypeError, match="no option colour"):
                await cluster.start_worker(colour=1)

    with caplog.at_level(logging.ERROR, "raskt.distributed"):
        asyncio.run(main())
    assert [record.getMessage().count("no option colour") for record in caplog.records] == [1]


def test_workers_of_a_users_own_are_closed_with_the_program_unless_they_are_to_stay() -> None:
    program = """
import sys
import threading
from raskt.distributed import ProcessInterface, SpecCluster
class Own(ProcessInterface):
    async def close(self):
        print("closed", self.name)
        await super().close()
cluster = SpecCluster(workers={"a": {"cls": Own, "options": {}}}, shutdown_on_close=sys.argv[1] == "yes")
print("open")
"""
    for ends, expected in (("yes", "open\nclosed a\n"), ("no", "open\n")):
        done = subprocess.run([sys.executable, "-c", program, ends], capture_output=True, text=True, timeout=30)
        assert (done.stdout, done.returncode) == (expected, 0), done.stderr


def test_workers_that_go_are_retired_if_that_can_be_done(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    retired: list[Any] = []
    with LocalCluster("own", 3, 1) as own:
        own.wait_for_workers(3, timeout=30)

        def retire_workers(self: Client, workers: list[str]) -> None:
            retired.append((workers, sorted(self.nthreads())))
            if len(retired) == 2:
                raise OSError("can't be moved")

        monkeypatch.setattr(Client, "retire_workers", retire_workers, raising=False)
        own.scale_down(["own-worker-1"])
        assert retired == [(["own-worker-1"], ["own-worker-0", "own-worker-1", "own-worker-2"])]
        until(lambda: own.observed == {"own-worker-0", "own-worker-2"})
        own.scale(1)
        assert "can't be moved" in own.get_logs()["Cluster"] and own.plan == {"own-worker-0"}
        own.scale(0)
        # There is nobody left who could take anything.
        assert len(retired) == 2


def test_logs_that_processes_keep_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"own-worker-0": [("INFO", "one"), ("ERROR", "two")], "own-worker-1": [("INFO", "<three>")]}
    monkeypatch.setattr(Client, "get_worker_logs", lambda self: told, raising=False)
    monkeypatch.setattr(Client, "get_scheduler_logs", lambda self: [("INFO", "began")], raising=False)
    with LocalCluster("own", 2, 1) as own:
        own.wait_for_workers(2, timeout=30)
        logs = own.get_logs()
        assert logs == {"Cluster": "", "Scheduler": "began", "own-worker-0": "one\ntwo", "own-worker-1": "<three>"}
        assert "&lt;three&gt;" in logs._repr_html_()
        assert set(own.get_logs(cluster=False, scheduler=False, workers=["own-worker-1"])) == {"own-worker-1"}
    assert set(own.get_logs()) == {"Cluster"}


def test_a_worker_that_is_busy_yet_is_waited_for_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def retire_workers(self: Client, workers: list[str]) -> None:
        assert ended.wait(30)

    monkeypatch.setattr(Client, "retire_workers", retire_workers, raising=False)
    monkeypatch.setattr(_spec, "RETIRING_SECONDS", 0.05)
    with LocalCluster("own", 2, 1) as own:
        own.wait_for_workers(2, timeout=30)
        busy: Any = own.workers["own-worker-1"]
        own.scale(1)
        assert own.plan == own.requested == {"own-worker-0"} and is_alive(busy.pid) and busy.status == Status.running
        ended.set()
        until(lambda: busy.status == Status.closed)
        ended.clear()
        own.scale(2)
        own.wait_for_workers(2, timeout=30)
        busy = own.workers["own-worker-2"]
        pid = busy.pid
        own.scale(1)
    assert not is_alive(pid)
    ended.set()


async def _closed(cluster: Cluster) -> None:
    await cluster.close()
    assert cluster.is_closed


# --- schedulers and workers by themselves ----------------------------------------------------------------------------


def test_servers_by_themselves() -> None:
    async def main() -> None:
        async with Scheduler() as scheduler:
            nanny = await Nanny(scheduler.address, nthreads=1, security=scheduler.security, name="n")
            worker = Worker(scheduler.address, nthreads=1, security=scheduler.security, name="w")
            assert worker.status == Status.created
            async with worker, Client(scheduler.address, security=scheduler.security, asynchronous=True) as client:
                await client.wait_for_workers(2, 30)
                assert set(await client.nthreads()) == {"n", "w"}
            await worker.finished()
            ending = asyncio.ensure_future(nanny.finished())
            await scheduler.close()
            await asyncio.wait_for(ending, 30)
            assert (worker.status, nanny.process.returncode) == (Status.closed, 93)
            await nanny.close()

    asyncio.run(main())


def test_bad_arguments_of_servers() -> None:
    with pytest.raises(TypeError, match="the scheduler is None"):
        Nanny()
    with pytest.raises(ValueError, match="port is missing"):
        Worker("somewhere")
    with pytest.raises(TypeError, match="no option colour"):
        Scheduler(colour=1)
    with pytest.raises(ValueError, match="interface is 'nowhere0'"):
        Scheduler(interface="nowhere0")
    with pytest.raises(TypeError, match="status is 'up'"):
        ProcessInterface().status = "up"  # type: ignore[assignment]


# --- workers that the scheduler has had leave -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: LocalCluster(n_workers=2, threads_per_worker=1),
        lambda: LocalCluster(n_workers=2, threads_per_worker=1, processes=False),
        lambda: SubprocessCluster(n_workers=2, threads_per_worker=1, silence_logs=50),
    ],
)
def test_who_has_retired_is_none_of_the_cluster_any_more(make: Any) -> None:
    with make() as cluster, Client(cluster) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        client.retire_workers(n=1)
        until(lambda: any(worker._is_over() for worker in cluster.workers.values()))
        cluster.scale(2)
        client.wait_for_workers(2, timeout=PATIENCE)
        assert len(cluster.workers) == len(cluster.plan) == 2 == len(client.scheduler_info()["workers"])
        client.retire_workers(n=2)
        until(lambda: all(worker._is_over() for worker in cluster.workers.values()))
        cluster.scale_down(list(cluster.plan))
        cluster.adapt(minimum=1, maximum=1, interval=0.1)
        client.wait_for_workers(1, timeout=PATIENCE)
        assert client.submit(abs, -1).result(PATIENCE) == 1
