"""Arguments of clusters and clients with values of all kinds: what isn't taken is refused at the call, by its name."""

from __future__ import annotations

import datetime
import inspect
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raskt.distributed import Client, LocalCluster, Nanny, SpecCluster, SSHCluster, SubprocessCluster, Worker
from raskt.distributed._clusters._command import CommandProcess
from raskt.distributed._clusters._process import ProcessInterface

ODD: tuple[Any, ...] = (
    *(-1, 1.5, math.nan, math.inf, -math.inf, 10**30, True, 2 + 3j, np.float64("nan"), datetime.timedelta(seconds=-1)),
    *("", "much", "3", "\0", b"x", Path("/dev/null/x"), [], {}, (1, 2), {1: 2}, object(), len),
)
"""Values that stand for nothing in most places."""

REFUSED = (TypeError, ValueError, NotImplementedError)


class Reached(Exception):
    """The arguments were taken."""


async def reach(self: Any) -> None:
    raise Reached


@pytest.fixture
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Nanny, Worker, CommandProcess):
        monkeypatch.setattr(kind, "start", reach)


class Told(ProcessInterface):
    """A process that is none."""

    def __init__(self, scheduler: Any = None, name: Any = None, **options: Any) -> None:
        super().__init__(scheduler, name)

    async def start(self) -> None:
        self.address = "tcp://192.0.2.1:9"
        await super().start()


def taken(call: Callable[..., Any], name: str, fixed: dict[str, Any]) -> list[Any]:
    """The values that are taken; each of the others has to be refused by the argument's name."""
    found = []
    for value in ODD:
        if value is len and name in ("worker_class", "Adaptive"):
            # It is called, and says itself what it doesn't take.
            continue
        try:
            made = call(**{**fixed, name: value})
            if hasattr(made, "close"):
                made.close()
        except Reached:
            pass
        except REFUSED as error:
            assert name in str(error), f"{name}={value!r} is refused without its name: {error!r}"
            continue
        found.append(value)
    return found


SPANS = [1.5, math.inf, 10**30, "3"]
TEXTS = ["much", "3"]
LOCAL: dict[str, list[Any]] = {
    "n_workers": [],
    "threads_per_worker": [],
    "scheduler_port": [],
    "silence_logs": [True],
    "security": [True],
    "protocol": [],
    "interface": [],
    "worker_class": [],
    "scheduler_kwargs": [{}],
    "scheduler_sync_interval": SPANS,
    "name": ["", *TEXTS],
    "dashboard_address": [[], {}],
    "memory_limit": [],
    "local_directory": [],
    "env": [{}],
    "nthreads": [],
    "preload": [*TEXTS, []],
    "resources": [{}],
    "lifetime": SPANS,
    "lifetime_stagger": SPANS,
    "lifetime_restart": [True],
    "death_timeout": SPANS,
    "colour": [],
}


@pytest.mark.parametrize("name", LOCAL)
def test_a_local_cluster(nothing_starts: None, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fixed = {} if name == "n_workers" else {"n_workers": 1}
    found = taken(LocalCluster, name, fixed)
    if name == "local_directory":
        found = [value for value in found if value not in ("much", "3", b"x")]
    assert found == LOCAL[name]


def test_no_argument_is_left_out() -> None:
    others = {"loop", "start", "asynchronous", "processes", "host", "ip"}
    unhonoured = {"worker_dashboard_address", "services", "worker_services", "service_kwargs", "blocked_handlers"}
    assert set(inspect.signature(LocalCluster).parameters) <= {*LOCAL, *others, *unhonoured, "worker_kwargs"}


SUBPROCESS: dict[str, list[Any]] = {
    "scheduler_port": [],
    "scheduler_kwargs": [{}],
    "worker_class": [],
    "n_workers": [],
    "threads_per_worker": [],
    "worker_kwargs": [{}],
    "silence_logs": [True],
    "name": LOCAL["name"],
    "security": [True],
}


@pytest.mark.parametrize("name", SUBPROCESS)
def test_a_cluster_of_commands(nothing_starts: None, name: str) -> None:
    assert taken(SubprocessCluster, name, {} if name == "n_workers" else {"n_workers": 1}) == SUBPROCESS[name]


@pytest.mark.parametrize("name", [*LOCAL][LOCAL.__len__() - 11 : -1])
def test_options_of_commands(nothing_starts: None, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def call(**options: Any) -> Any:
        return SubprocessCluster(n_workers=1, worker_kwargs=options)

    found = taken(call, name, {})
    if name == "local_directory":
        found = [value for value in found if value not in ("much", "3", b"x")]
    # Its environment is this process's.
    assert found == ([[], {}] if name == "env" else LOCAL[name])


SSH: dict[str, list[Any]] = {
    "hosts": [],
    "connect_options": [{}],
    "worker_options": [{}],
    "scheduler_options": [{}],
    "worker_class": [],
    "remote_python": TEXTS,
    "name": LOCAL["name"],
    "security": [True],
}


@pytest.mark.parametrize("name", SSH)
def test_a_cluster_over_ssh(nothing_starts: None, name: str) -> None:
    hosts = ["localhost", "localhost"]
    assert taken(SSHCluster, name, {} if name == "hosts" else {"hosts": hosts}) == SSH[name]


CHANGES: dict[tuple[str, str], list[Any]] = {
    ("scale", "n"): [],
    ("scale", "memory"): [],
    ("scale", "cores"): [],
    ("scale_up", "n"): [],
    ("adapt", "Adaptive"): [],
    ("adapt", "minimum"): [],
    ("adapt", "maximum"): [math.inf],
    ("adapt", "minimum_cores"): [],
    ("adapt", "maximum_cores"): [],
    ("adapt", "minimum_memory"): [],
    ("adapt", "maximum_memory"): [],
    ("adapt", "interval"): SPANS,
    ("adapt", "wait_count"): [],
    ("adapt", "target_duration"): SPANS,
    ("adapt", "worker_key"): [len],
    ("adapt", "colour"): [],
    ("wait_for_workers", "n_workers"): [],
}


def test_changes_of_a_cluster() -> None:
    worker = {"cls": Told, "options": {"nthreads": 1, "memory_limit": 1 << 20}}
    with SpecCluster(scheduler={"cls": Told}, worker=worker) as cluster:
        for (method, name), expected in CHANGES.items():

            def call(method: str = method, **options: Any) -> None:
                getattr(cluster, method)(**options)

            assert taken(call, name, {}) == expected, (method, name)
        with pytest.raises(ValueError, match="minimum is 3 and maximum 2"):
            cluster.adapt(minimum=3, maximum=2)
        with pytest.raises(TypeError, match="workers is None"):
            cluster.scale_down(None)
        with pytest.raises(ValueError, match="n is"):
            cluster.scale(memory="1 TiB")
        cluster.scale(np.int64(2))
        assert cluster.size == 2
        cluster.scale_down(0)
        assert cluster.plan == {1}


def test_a_client() -> None:
    fixed = {"address": "tcp://127.0.0.1:9"}
    for name, expected in {"timeout": SPANS, "name": ["", *TEXTS, [], {}], "address": [], "security": []}.items():

        def call(**options: Any) -> Any:
            try:
                return Client(**{**fixed, **options}, set_as_default=False)
            except ConnectionError:
                raise Reached from None

        assert taken(call, name, {}) == expected, name
    for value in ODD:
        with pytest.raises((*REFUSED, FileNotFoundError), match="scheduler.file"):
            Client(scheduler_file=value)


def test_names_that_are_written_alike() -> None:
    worker = {"cls": Told, "options": {}}
    for workers in ({1: worker, "1": worker}, {"a-0": worker, "a": {**worker, "group": ["-0", "-1"]}}):
        with pytest.raises(ValueError, match="two that are called"):
            SpecCluster(workers=workers, scheduler={"cls": Told})


def test_no_worker_has_more_memory_than_there_is() -> None:
    from raskt.distributed import _sizes

    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert _sizes.memory_share("900 TiB", 1) == machine
    assert _sizes.memory_share("auto", 10**9) == 1 << 20


def test_files_that_are_run_first(nothing_starts: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = str(tmp_path / "missing.py")
    for call in (
        lambda: LocalCluster(n_workers=0, preload=missing),
        lambda: LocalCluster(n_workers=1, preload=["os", missing]),
        lambda: LocalCluster(n_workers=0, preload=missing, lifetime="1 h"),
        lambda: LocalCluster(n_workers=0, processes=False, preload=missing),
        lambda: LocalCluster(n_workers=0, scheduler_kwargs={"preload": missing}),
        lambda: SubprocessCluster(n_workers=0, worker_kwargs={"preload": missing}),
        lambda: SubprocessCluster(n_workers=0, scheduler_kwargs={"preload": missing}),
        lambda: Nanny("tcp://127.0.0.1:9", preload=missing),
    ):
        with pytest.raises(FileNotFoundError, match=r"preload is '.*missing.py', and there is no such file .*module"):
            call()
    # Workers that are started again find it wherever this process is by then.
    (tmp_path / "first.py").touch()
    monkeypatch.chdir(tmp_path)
    with LocalCluster(n_workers=0, preload=["first.py", "os"]) as cluster:
        assert cluster.new_spec is not None
        assert cluster.new_spec["options"]["preload"] == [str(tmp_path / "first.py"), "os"]


def test_a_folder_for_results(nothing_starts: None, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for bad in (tmp_path / "file", tmp_path / "file" / "below", "/proc/self/none"):
        with pytest.raises(ValueError, match="local_directory is .*no files can be written"):
            LocalCluster(n_workers=1, local_directory=bad)
        with pytest.raises(ValueError, match="local_directory is .*no files can be written"):
            SubprocessCluster(n_workers=1, worker_kwargs={"local_directory": bad})
    with pytest.raises(Reached):
        LocalCluster(n_workers=1, local_directory=tmp_path / "new" / "below")
