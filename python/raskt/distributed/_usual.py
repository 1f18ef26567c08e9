"""By what a client is known where nobody says it."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from raskt import _core
from raskt.distributed._security import Security

if TYPE_CHECKING:
    from raskt.distributed._clusters import Cluster


class Found(Security):
    """What no user has named: it is proven to whoever listens at an address in such a way that he can't pass it on."""


_lock = threading.Lock()
_clusters: weakref.WeakSet[Cluster] = weakref.WeakSet()
"""Those that this process has made."""


def note(cluster: Cluster) -> None:
    """There is another cluster."""
    with _lock:
        _clusters.add(cluster)


def security_at(address: str) -> Security:
    """What the cluster of this process with that address has; within a host else the token of this user's schedulers.

    Raises
    ------
    ConnectionError
        If there is neither.
    """
    with _lock:
        clusters = list(_clusters)
    # Whose class is a user's own may know of none, or say nothing of it.
    own = next((getattr(cluster, "security", None) for cluster in clusters if cluster._is_at(address)), None)
    if own is not None:
        return own
    usual = _core.cluster_usual_token_file()
    if not address.startswith("tls://") and usual is not None and usual.exists():
        return Found(token_file=usual)
    raise ConnectionError(missing(address))


def missing(address: str) -> str:
    """What is to be done where nothing is known by which a client comes."""
    if address.startswith("tls://"):
        return (
            f"a client of {address} needs the certificate of the cluster's authority: name its file "
            "(security=Security(tls_ca_file=..., token_file=...)), or the scheduler's (scheduler_file=...)"
        )
    usual = _core.cluster_usual_token_file()
    tried = "HOME isn't set, so that there is no usual one"
    if usual is not None:
        tried = f"there is none at {str(usual)!r}" if not usual.exists() else "was told of none"
    return (
        f"a client of {address} needs the token of the cluster, and {tried}: name its file "
        "(security=Security(token_file=...)), or the scheduler's (scheduler_file=...)"
    )
