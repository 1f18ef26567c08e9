"""Who listens where another process did, and passes on what he hears."""

from __future__ import annotations

import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from raskt.distributed import LocalCluster

PROGRAM = """
    import sys
    from raskt.distributed import Client, Security
    address, *given = sys.argv[1:]
    security = Security(token_file=given[0]) if given else None
    try:
        with Client(address, security=security) as client:
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

        def said(*arguments: str) -> str:
            command = [sys.executable, "-c", textwrap.dedent(PROGRAM), *arguments]
            return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

        real = int(cluster.scheduler_address.rsplit(":", 1)[1])
        with relay(real) as port:
            address = f"tcp://127.0.0.1:{port}"
            refused = said(address)
            assert f"you called 127.0.0.1:{port}, and this is 127.0.0.1:{real}" in refused
            assert "where a port is forwarded, name the token file yourself" in refused
            assert "Security(token_file=...)" in refused
            assert said(address, str(usual)) == "2\n"
        assert said(cluster.scheduler_address) == "2\n"
