"""Where a client finds its scheduler, and where it listens for those who fetch what it was given."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

from raskt.distributed import _arguments
from raskt.distributed._secrets import hidden
from raskt.distributed._security import Security
from raskt.distributed._usual import Found

SOCKET_PATH_BYTES_MAX = 107
"""The longest path of a socket that systems take."""


def checked(name: str, address: str) -> str:
    """The address of a scheduler, as people write it.

    Raises
    ------
    ValueError
        If it is none; it says how one is written.

    Examples
    --------
    >>> checked("address", "tcp://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    if wrong := _wrong(address):
        raise ValueError(
            f"{name} is {hidden(address)!r}, which {wrong}; the address of a scheduler looks like 'tcp://host:8786', "
            "'tls://host:8786' or 'unix:///run/raskt.sock'"
        )
    return address


def _wrong(address: str) -> str | None:
    scheme, found, rest = address.partition("://")
    if not found:
        return "says by no 'tcp://', 'tls://' or 'unix://' how it is spoken"
    if scheme == "unix":
        is_path = rest.startswith("/") and len(os.fsencode(rest)) <= SOCKET_PATH_BYTES_MAX and "\0" not in rest
        return None if is_path else f"isn't the absolute path of a socket, of {SOCKET_PATH_BYTES_MAX} bytes at most"
    if scheme not in ("tcp", "tls"):
        return f"begins with {scheme!r}, which nobody speaks here"
    if set("@?#") & set(rest):
        return "has a user, a password or a query in it: tokens are given as files (security=)"
    host, _, port = rest.rstrip("/").rpartition(":")
    if not re.fullmatch("[0-9]+", port) or not 1 <= int(port) <= _arguments.PORT_MAX:
        return f"has no port from 1 to {_arguments.PORT_MAX} after a colon"
    return None if _is_host(host) else "has no host that is a name or a number"


def _is_host(host: str) -> bool:
    if not host.startswith("["):
        return re.fullmatch("[A-Za-z0-9._-]+", host) is not None
    try:
        return host.endswith("]") and ipaddress.IPv6Address(host[1:-1]).scope_id is None
    except ValueError:
        return False


def read_scheduler_file(path: str | os.PathLike[str]) -> tuple[str, Security]:
    """What the file of a running scheduler says: its address, and by what it knows others.

    The file of one that was killed stays, and at ``tcp://`` anybody may have taken its port since: what it names is no
    more than found there.
    """
    try:
        where = Path(os.fsdecode(path))
    except TypeError:
        raise TypeError(f"scheduler_file is {path!r}; it has to be the path of a file") from None
    try:
        about = json.loads(where.read_text())
        if not isinstance(about, dict) or not isinstance(about.get("address"), str):
            raise ValueError("it has no address")
        address = checked("its address", about["address"])
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no scheduler file {str(where)!r}: no scheduler that writes it runs"
        ) from None
    except (OSError, ValueError) as error:
        raise ValueError(f"scheduler_file {str(where)!r} is no scheduler file: {error}") from None
    kind = Found if address.startswith("tcp://") else Security
    return address, kind(token_file=about.get("token_file"), tls_ca_file=about.get("tls_ca_file"))


_near: dict[str, str] = {}
"""Where schedulers of this process listen for others of this host, by their addresses."""


def let_near(address: str, near: str | None) -> None:
    """Those of this host find the scheduler at `address` at another one, or, if there is none, no longer."""
    if near is None:
        _near.pop(address, None)
    else:
        _near[address] = near


def nearest(scheduler: str) -> str:
    """Where a process of this host finds the scheduler: by a socket in the file system, if there is one.

    >>> nearest("tcp://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    return _near.get(scheduler, scheduler)


def listening(scheduler: str, folder: str) -> str:
    """Where a client of that scheduler listens: within this host, or where other hosts reach it."""
    if not scheduler.startswith("tls://"):
        return f"unix://{folder}/data"
    parts = urlsplit(scheduler)
    try:
        own = _towards(parts.hostname or "", parts.port or 0)
    except OSError as error:
        raise ConnectionError(f"no way to {scheduler}: {error}") from None
    return f"tls://[{own}]:0" if ":" in own else f"tls://{own}:0"


def _towards(host: str, port: int) -> str:
    """The own address by which `host` is reached. Nothing is sent."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.connect(address)
        return str(probe.getsockname()[0])
