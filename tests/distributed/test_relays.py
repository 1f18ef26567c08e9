"""Who listens where another process did, and passes on what he hears."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from raskt.distributed import Client, LocalCluster

PROGRAM = """
    import sys
    from raskt.distributed import Client, Security
    where, *given = sys.argv[1:]
    security = Security(token_file=given[0]) if given else None
    named = {"address" if "://" in where else "scheduler_file": where}
    try:
        with Client(**named, security=security) as client:
            print(client.submit(abs, -2).result(timeout=20))
    except ConnectionError as error:
        print(error)
"""


def _copy(one: socket.socket, other: socket.socket) -> None:
    try:
        while some := one.recv(1 << 16):
            other.sendall(some)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def _pass_on(door: socket.socket, to: int) -> None:
    while True:
        try:
            near, _ = door.accept()
            far = socket.create_connection(("127.0.0.1", to))
        except OSError:
            return
        for one, other in ((near, far), (far, near)):
            threading.Thread(target=_copy, args=(one, other), daemon=True).start()


@contextmanager
def relay(to: int) -> Iterator[int]:
    """A port from which all goes to another one: whoever has taken it may do that, and users have ports forwarded."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=_pass_on, args=(door, to), daemon=True).start()
        try:
            yield door.getsockname()[1]
        finally:
            door.shutdown(socket.SHUT_RDWR)


def said(*arguments: str) -> str:
    """What another program gets that is told that."""
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def test_a_token_that_nobody_names_is_for_who_listens_where_he_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster:
        assert cluster.security is not None and cluster.security.token_file is not None
        usual = tmp_path / "raskt" / "token"
        usual.parent.mkdir(mode=0o700)
        usual.touch(mode=0o600)
        usual.write_bytes(cluster.security.token_file.read_bytes())
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

        real = int(cluster.scheduler_address.rsplit(":", 1)[1])
        with relay(real) as port:
            address = f"tcp://127.0.0.1:{port}"
            refused = said(address)
            assert f"you called 127.0.0.1:{port}, and this is 127.0.0.1:{real}" in refused
            assert "where a port is forwarded, name the token file yourself" in refused
            assert "Security(token_file=...)" in refused
            assert said(address, str(usual)) == "2\n"
        assert said(cluster.scheduler_address) == "2\n"


def test_a_token_that_a_scheduler_file_names_is_for_who_listens_where_that_says(tmp_path: Path) -> None:
    file, copy = tmp_path / "scheduler.json", tmp_path / "copy.json"
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster:
        with Client(cluster, set_as_default=False) as client:
            client.write_scheduler_file(file)
        about = json.loads(file.read_text())
        assert said(str(file)) == "2\n"
        real = int(cluster.scheduler_address.rsplit(":", 1)[1])
        with relay(real) as port:
            copy.write_text(json.dumps({**about, "address": f"tcp://127.0.0.1:{port}"}))
            refused = said(str(copy))
            assert f"you called 127.0.0.1:{port}, and this is 127.0.0.1:{real}" in refused
            assert "where a port is forwarded, name the token file yourself" in refused
            assert said(str(copy), about["token_file"]) == "2\n"
