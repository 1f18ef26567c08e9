"""Plugins of workers, files for them, and what is refused."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import raskt.distributed as distributed
from raskt.distributed import (
    Client,
    CondaInstall,
    Environ,
    InstallPlugin,
    LocalCluster,
    NannyPlugin,
    PipInstall,
    SchedulerPlugin,
    UploadDirectory,
    WorkerPlugin,
    get_client,
    get_worker,
)


class Marked(WorkerPlugin):
    name = "marked"

    def __init__(self, mark, idempotent=False):
        self.mark, self.idempotent = mark, idempotent

    def setup(self, worker):
        worker.mark = self.mark
        worker.marks = [*getattr(worker, "marks", []), self.mark]

    def teardown(self, worker):
        worker.torn = [*getattr(worker, "torn", []), self.mark]
        worker.mark = None


def marks():
    worker = get_worker()
    return worker.mark, worker.marks, getattr(worker, "torn", [])


def test_a_plugin_comes_to_all_workers_and_goes_from_them(client):
    names = set(client.nthreads())
    assert client.register_plugin(Marked("a")) == {name: {"status": "OK"} for name in names}
    assert client.run(lambda: get_worker().plugins["marked"].mark) == dict.fromkeys(names, "a")
    client.register_plugin(Marked("b"))
    assert client.run(marks) == dict.fromkeys(names, ("b", ["a", "b"], ["a"]))
    client.register_plugin(Marked("c", idempotent=True))
    assert client.run(marks) == dict.fromkeys(names, ("b", ["a", "b"], ["a"]))
    client.register_plugin(Marked("d"), idempotent=True)
    assert client.run(marks) == dict.fromkeys(names, ("b", ["a", "b"], ["a"]))
    for wrong, error in (({"name": ""}, ValueError), ({"name": 0}, ValueError), ({"idempotent": 1}, TypeError)):
        with pytest.raises(error, match=next(iter(wrong))):
            client.register_plugin(Marked("e"), **wrong)
    client.unregister_worker_plugin("marked")
    assert client.run(marks) == dict.fromkeys(names, (None, ["a", "b"], ["a", "b"]))
    with pytest.raises(ValueError, match="no plugin `marked`"):
        client.unregister_worker_plugin("marked")


def test_workers_that_come_later_have_it_before_their_first_task():
    with LocalCluster(n_workers=0, threads_per_worker=1) as cluster, Client(cluster, set_as_default=False) as client:
        client.register_plugin(Marked("early"))
        client.register_plugin(Marked("gone"), name="gone")
        client.unregister_worker_plugin("gone")
        futures = client.map(lambda _: getattr(get_worker(), "mark", "nothing"), range(50))
        cluster.scale(2)
        client.wait_for_workers(2, timeout=30)
        assert set(client.gather(futures)) == {"early"}
        assert client.run(lambda: sorted(get_worker().plugins)) == dict.fromkeys(client.nthreads(), ["marked"])
        os.kill(client.submit(os.getpid).result(), 9)
        client.wait_for_workers(2, timeout=30)
        assert client.gather(client.map(lambda _: get_worker().mark, range(20), pure=False)) == ["early"] * 20


def test_a_plugin_that_fails_is_told_and_taken_back(client):
    class Broken(WorkerPlugin):
        name = "broken"

        def setup(self, worker):
            raise LookupError("no license")

    with pytest.raises(LookupError, match="no license"):
        client.register_plugin(Broken())
    with pytest.raises(ValueError, match="no plugin"):
        client.unregister_worker_plugin("broken")
    assert client.submit(abs, -1).result() == 1


def test_a_plugin_that_fails_leaves_the_one_before_it(client):
    class Marks(WorkerPlugin):
        name = "marks"

        def __init__(self, mark):
            self.mark = mark

        def setup(self, worker):
            if self.mark == "bad":
                raise LookupError("no license")
            worker.kept_mark = self.mark

        def teardown(self, worker):
            worker.kept_mark = None

    def marks():
        return client.gather(client.map(lambda _: get_worker().kept_mark, range(10), pure=False))

    for mark in ("first", "second"):
        client.register_plugin(Marks(mark))
        for _ in range(2):
            with pytest.raises(LookupError, match="no license"):
                client.register_plugin(Marks("bad"))
            assert marks() == [mark] * 10
    client.unregister_worker_plugin("marks")
    with pytest.raises(LookupError, match="no license"):
        client.register_plugin(Marks("bad"))
    with pytest.raises(ValueError, match="no plugin"):
        client.unregister_worker_plugin("marks")


def test_plugins_may_be_async_and_use_a_client(client):
    class Asks(WorkerPlugin):
        name = "asks"

        async def setup(self, worker):
            worker.scheduler_of_client = worker.client._address

    client.register_plugin(Asks())
    assert client.run(lambda: get_worker().scheduler_of_client == get_client()._address) == dict.fromkeys(
        client.nthreads(), True
    )
    client.unregister_worker_plugin("asks")


def test_callbacks(client):
    def plain():
        os.environ["RASKT_TEST_PLAIN"] = "1"

    def told(dask_worker):
        dask_worker.told = dask_worker.name

    client.register_worker_callbacks(plain)
    client.register_worker_callbacks(setup=told)
    names = client.nthreads()
    assert client.run(lambda: os.environ["RASKT_TEST_PLAIN"]) == dict.fromkeys(names, "1")
    assert client.run(lambda: get_worker().told) == {name: name for name in names}
    # So do functions that are called once.
    assert client.run(lambda more, dask_worker: dask_worker.told + more, "!") == {name: f"{name}!" for name in names}
    assert client.run(lambda dask_worker=None: dask_worker, dask_worker=1) == dict.fromkeys(names, 1)
    assert client.run(max, 1, 2) == dict.fromkeys(names, 2)


def test_files(client, tmp_path):
    module = tmp_path / "raskt_uploaded_module.py"
    module.write_text("value = 1\n")
    client.upload_file(module)

    def value():
        import raskt_uploaded_module

        return raskt_uploaded_module.value

    assert set(client.run(value).values()) == {1}
    module.write_text("value = 2\n")
    client.upload_file(str(module))
    assert set(client.run(value).values()) == {2}
    data = tmp_path / "table.csv"
    data.write_text("a,b\n")
    client.upload_file(data)

    def read():
        return Path(get_worker().local_directory, "table.csv").read_text()

    assert set(client.run(read).values()) == {"a,b\n"}
    with pytest.raises(FileNotFoundError):
        client.upload_file(tmp_path / "nothing.py")


def test_folders(client, tmp_path):
    package = tmp_path / "raskt_uploaded_folder"
    (package / "tests").mkdir(parents=True)
    (package / "raskt_in_folder.py").write_text("here = True\n")
    (package / "tests" / "left_out.py").write_text("")
    client.register_plugin(UploadDirectory(package, update_path=True))

    def look():
        import raskt_in_folder

        folder = os.path.dirname(raskt_in_folder.__file__)
        return raskt_in_folder.here, sorted(name for name in os.listdir(folder) if name != "__pycache__")

    assert set(map(str, client.run(look).values())) == {"(True, ['raskt_in_folder.py'])"}
    with pytest.raises(NotADirectoryError):
        UploadDirectory(tmp_path / "nothing")


def test_environ(client):
    client.register_plugin(Environ({"RASKT_TEST_A": 1, "RASKT_TEST_B": None}))
    names = client.nthreads()
    assert client.run(lambda: os.environ["RASKT_TEST_A"]) == dict.fromkeys(names, "1")
    assert client.run(lambda: "RASKT_TEST_B" in os.environ) == dict.fromkeys(names, False)


def test_installs(client, tmp_path):
    def install():
        with open(tmp_path / "installs", "a") as file:
            file.write("x")

    client.register_plugin(InstallPlugin(install))
    assert (tmp_path / "installs").read_text() == "xx"
    with pytest.raises(RuntimeError, match="ended with status|can't run"):
        client.register_plugin(PipInstall(["--no-such-option"]))
    assert CondaInstall(["numpy"]).install_fn.command == ["conda", "install", "--yes", "numpy"]
    assert PipInstall(["a"], ["--upgrade"]).install_fn.command[1:] == ["-m", "pip", "install", "--upgrade", "a"]


def test_what_is_refused(client):
    class Watches(WorkerPlugin):
        def transition(self, key, start, finish, **kwargs):
            pass

    refused = [
        lambda: client.register_plugin(SchedulerPlugin()),
        lambda: client.register_plugin(NannyPlugin()),
        lambda: client.register_plugin(Watches()),
        lambda: client.run_on_scheduler(abs, -1),
        lambda: client.unregister_scheduler_plugin("a"),
        lambda: client.unregister_worker_plugin("a", nanny=True),
        lambda: PipInstall(["a"], restart_workers=True),
        lambda: distributed.rpc("tcp://127.0.0.1:1"),
        lambda: distributed.connect("tcp://127.0.0.1:1"),
        lambda: distributed.get_task_metadata(),
    ]
    for call in refused:
        with pytest.raises(NotImplementedError, match=r"\w+ \w+ \w+"):
            call()
    with pytest.raises(TypeError, match="WorkerPlugin"):
        client.register_plugin(object())
    with pytest.raises(RuntimeError, match="may be"):
        client.register_plugin(Marked(b"x" * (17 << 20)))


def test_a_line_of_progress(client, capsys):
    distributed.progress(client.map(abs, range(5)), client.submit(abs, -9))
    assert "6 of 6 done" in capsys.readouterr().out.splitlines()[-1]
    with pytest.raises(NotImplementedError):
        distributed.progress(notebook=True)


class Quick(WorkerPlugin):
    name = "quick"


def test_many_who_register_a_plugin_of_one_name_are_all_answered(client):
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: registered(client), range(40)))
    assert all(answer is None or "replaced" in str(answer) for answer in told) and None in told
    assert client.run(lambda: "quick" in get_worker().plugins) == dict.fromkeys(client.nthreads(), True)
    client.unregister_worker_plugin("quick")


def registered(client):
    try:
        client.register_plugin(Quick())
    except RuntimeError as error:
        return error
