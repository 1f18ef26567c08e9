"""Where processes of a cluster listen."""

from __future__ import annotations

import itertools
import socket
import struct
from pathlib import Path

from raskt.distributed import _arguments
from raskt.distributed._addresses import listening

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")
OUTSIDE = ("192.0.2.1", 9)
"""An address that is nobody's; nothing is sent there."""

_numbers = itertools.count()


def protocol_of(protocol: str | None, host: str | None) -> str:
    """How it is spoken: TLS beyond this host, unless somebody says otherwise.

    >>> protocol_of("tls://", None), protocol_of(None, "127.0.0.1"), protocol_of(None, "10.0.0.1")
    ('tls', 'tcp', 'tls')
    """
    if protocol is None:
        return "tcp" if host is None or host in LOOPBACK else "tls"
    plain = _arguments.text("protocol", protocol).removesuffix("://")
    if plain not in ("tcp", "tls"):
        raise NotImplementedError(
            f"protocol is {protocol!r}; processes of a cluster speak 'tcp' within a host, and 'tls'"
        )
    return plain


def address_of(protocol: str, host: str, port: int) -> str:
    """An address as it is written."""
    return f"{protocol}://[{host}]:{port}" if ":" in host else f"{protocol}://{host}:{port}"


def of_interface(interface: str) -> str:
    """The address of a network interface."""
    import fcntl

    ADDRESS_OF_INTERFACE = 0x8915
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            told = fcntl.ioctl(
                probe, ADDRESS_OF_INTERFACE, struct.pack("256s", _arguments.text("interface", interface).encode()[:15])
            )
        except OSError:
            there = ", ".join(name for _, name in socket.if_nameindex())
            raise ValueError(f"interface is {interface!r}, and has no address; there are {there}") from None
    return socket.inet_ntoa(told[20:24])


def own_host() -> str:
    """The address by which others reach this host."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(OUTSIDE)
            return str(probe.getsockname()[0])
    except OSError:
        return socket.gethostbyname(socket.gethostname())


def reachable(address: str) -> str:
    """The address of who listens everywhere, as others call it."""
    for everywhere in EVERYWHERE:
        for written in (f"//{everywhere}:", f"//[{everywhere}]:"):
            address = address.replace(written, f"//{own_host()}:")
    return address


def of_worker(scheduler: str, folder: Path) -> str:
    """Where a worker gives its results: within this host, or where it reaches the scheduler."""
    if scheduler.startswith("tls://"):
        return listening(scheduler, str(folder))
    # Paths of sockets are short, however workers are called.
    return f"unix://{folder}/worker-{next(_numbers)}"
