"""Clusters over connections of `ssh`, whose place a script takes that runs everything here."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import raskt.array as ra
from processes_seen import is_alive, until
from raskt.distributed import Client, SSHCluster

SSH = """#!/bin/sh
# What `ssh` does, on this host: the last word is for a shell over there.
echo "$@" >> "$(dirname "$0")/calls"
for last; do :; done
exec sh -c "$last"
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """How `ssh` was called, which runs its command here."""
    program = tmp_path / "ssh"
    program.write_text(SSH)
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return lambda: (tmp_path / "calls").read_text().splitlines()


def test_a_cluster_over_ssh(calls: Callable[[], list[str]]) -> None:
    options = [{"username": "me"}, {"port": 2222, "client_keys": ["/k"]}, {"known_hosts": None}]
    with SSHCluster(["node1", "node2", "me@node3"], options, {"nthreads": 1}) as cluster, Client(cluster) as client:
        assert cluster.scheduler_address.startswith("tls://")
        client.wait_for_workers(2, timeout=30)
        assert cluster.observed == {0, 1}
        assert int(ra.arange(100, chunks=10).sum().compute()) == 4950
        pids = set(client.run(os.getpid).values())
        # The connection of one breaks: it ends over there, and is started again.
        os.kill(cluster.workers[0].pid, signal.SIGKILL)  # type: ignore[attr-defined]
        until(lambda: "SIGKILL" in cluster.get_logs()["0"])
        again = until(
            lambda: len(found := set(client.run(os.getpid, on_error="ignore").values()) - pids) == 1 and found
        )
        assert client.submit(abs, -1).result(timeout=30) == 1
    until(lambda: not any(map(is_alive, pids | again)))
    scheduler, *workers = calls()
    assert "-l me -- node1 exec " in scheduler
    assert any("-p 2222 -i /k -- node2 exec " in call for call in workers)
    assert any("StrictHostKeyChecking=no" in call and "-- me@node3 exec " in call for call in workers)
    for call in calls():
        assert "-o BatchMode=yes" in call and "PRIVATE" not in call and ".pem" not in call and "token" not in call


def test_several_workers_of_this_host_need_no_certificates(calls: Callable[[], list[str]]) -> None:
    with SSHCluster(["localhost", "127.0.0.1"], worker_options={"n_workers": 2, "nthreads": 1}) as cluster:
        assert cluster.scheduler_address.startswith("tcp://127.0.0.1:")
        cluster.wait_for_workers(2, timeout=30)
        token = cluster._keys.security("client").token_file
        assert token is not None and token.read_text().strip() not in "".join(calls())
        cluster.scale_down([1])
        until(lambda: cluster.observed == {0})


def test_a_host_that_cannot_be_reached_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ssh").write_text("#!/bin/sh\necho 'ssh: Could not resolve hostname nowhere' >&2\nexit 255\n")
    (tmp_path / "ssh").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(RuntimeError, match="Could not resolve hostname nowhere"):
        SSHCluster(["nowhere", "nowhere"])


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((["one"],), ValueError, "the scheduler's host and one for each worker"),
        (("node1",), ValueError, "hosts is 'node1'"),
        ((["-oProxyCommand=x", "b"],), ValueError, "is no host"),
        ((["a;b", "b"],), ValueError, "is no host"),
        ((["a", "b"], {"password": "x"}), NotImplementedError, "asks for no password"),
        ((["a", "b"], [{}]), ValueError, "connect_options has 1 entries"),
        ((["a", "b"], {}, {"colour": 1}), TypeError, "no option colour"),
        ((["a", "b"], {}, {}, {}, "x.Y"), NotImplementedError, "worker_class is 'x.Y'"),
    ],
)
def test_bad_arguments_over_ssh(
    calls: Callable[[], list[str]], arguments: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        SSHCluster(*arguments)
