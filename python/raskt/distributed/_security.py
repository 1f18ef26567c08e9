"""How a process proves to others of its cluster that it belongs to them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Security:
    """What peers are known by: a token, certificates, or both.

    Parameters
    ----------
    token_file : path, optional
        The file with the cluster's token, which nobody but its owner may read. The scheduler says where it is.
    tls_ca_file : path, optional
        The certificate of the cluster's authority (``raskt certs`` makes one), for addresses ``tls://``.
    tls_cert, tls_key : path, optional
        The certificate of this process and its key. Without them the token proves who it is.

    Notes
    -----
    At ``tcp://``, where nothing is encrypted, a token that is named here is proven to whoever listens at the address,
    since ports may be forwarded. Somebody else who has taken the port of a process that is gone could pass the proof
    on. A token that nobody names, or none but a scheduler's file (`Client`), is proven in such a way that he can't.
    ``tls://`` is safe either way, and so is ``unix://`` in a folder of the user's alone.

    Examples
    --------
    >>> from raskt.distributed import Security
    >>> Security(token_file="/run/cluster/token").token_file
    PosixPath('/run/cluster/token')
    """

    token_file: Path | None = None
    tls_ca_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None

    def __post_init__(self) -> None:
        for name in ("token_file", "tls_ca_file", "tls_cert", "tls_key"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, Path(os.fspath(value)))

    def credentials(self) -> dict[str, Path | None]:
        """The same for the native module."""
        return {
            "token_file": self.token_file,
            "tls_ca_file": self.tls_ca_file,
            "tls_cert": self.tls_cert,
            "tls_key": self.tls_key,
        }
