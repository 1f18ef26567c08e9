"""Where a client finds its scheduler, and where it listens for those who fetch what it was given."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

from raskt.distributed._security import Security


def read_scheduler_file(path: str | os.PathLike[str]) -> tuple[str, Security]:
    """What the file of a running scheduler says: its address, and by what it knows others."""
    try:
        where = Path(os.fsdecode(path))
    except TypeError:
        raise TypeError(f"scheduler_file is {path!r}; it has to be the path of a file") from None
    try:
        about = json.loads(where.read_text())
        address = about["address"]
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no scheduler file {str(where)!r}: no scheduler that writes it runs"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"scheduler_file {str(where)!r} is no scheduler file: {error!r}") from None
    return address, Security(token_file=about.get("token_file"), tls_ca_file=about.get("tls_ca_file"))


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
