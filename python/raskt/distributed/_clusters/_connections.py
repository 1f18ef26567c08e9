"""How OpenSSH's `ssh` is called."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

ALIVE_SECONDS = 15
"""How often a connection is tried for signs of life; without three of them it is over."""

HOST = re.compile(r"[A-Za-z0-9_\[:][A-Za-z0-9_.@:\[\]%-]*")


def _option(name: str) -> Callable[[Any], list[str]]:
    return lambda value: ["-o", f"{name}={value}"]


def _keys(value: Any) -> list[str]:
    return [word for key in ([value] if isinstance(value, str) else value) for word in ("-i", str(key))]


def _known_hosts(value: Any) -> list[str]:
    if value is None:
        # As whoever says so wants it: any host is taken for the one that is meant.
        return ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]
    return ["-o", f"UserKnownHostsFile={value}"]


WRITERS: dict[str, Callable[[Any], list[str]]] = {
    "username": lambda value: ["-l", str(value)],
    "port": lambda value: ["-p", str(int(value))],
    "client_keys": _keys,
    "known_hosts": _known_hosts,
    "config": lambda value: ["-F", str(value)],
    "connect_timeout": _option("ConnectTimeout"),
    "compression": lambda value: ["-C"] if value else [],
    "proxy_command": _option("ProxyCommand"),
    "tunnel": lambda value: ["-J", str(value)],
}
"""Options of a connection, and how they are written."""


def ssh(host: str, options: dict[str, Any], words: Sequence[str]) -> list[str]:
    """How words are run on a host. The shell there reads each as it is.

    >>> ssh("node1", {"username": "me", "port": 22}, ["python", "-m", "a b"])[-4:]
    ['22', '--', 'node1', "exec python -m 'a b'"]
    """
    called = ["ssh", "-T", "-o", "BatchMode=yes", "-o", f"ServerAliveInterval={ALIVE_SECONDS}"]
    for name, value in options.items():
        if name not in WRITERS:
            known = ", ".join(WRITERS)
            raise NotImplementedError(
                f"connect_options has {name!r}, which isn't passed to `ssh`; known are {known}. All else stands in its "
                "configuration, and it asks for no password: keys have to be known"
            )
        called += WRITERS[name](value)
    # The shell over there makes room for the command, so that it hears of the end itself.
    return [*called, "--", checked(host), f"exec {shlex.join(words)}"]


def checked(host: Any) -> str:
    """A host that `ssh` doesn't take for something else."""
    if not isinstance(host, str) or not HOST.fullmatch(host):
        raise ValueError(f"hosts has {host!r}, which is no host: give names or numbers, as `ssh` knows them")
    return host
