"""By what a client is known where nobody says it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from raskt import _core
from raskt.distributed._security import Security

if TYPE_CHECKING:
    from raskt.distributed._clusters import Cluster

_clusters: weakref.WeakSet[Cluster] = weakref.WeakSet()
"""Those that this process has made."""


def note(cluster: Cluster) -> None:
    """There is another cluster."""
    _clusters.add(cluster)


def security_at(address: str) -> Security:
    """What the cluster of this process with that address has; within a host else the token of this user's schedulers.

    Raises
    ------
    ConnectionError
        If there is neither.
    """
    own = next((cluster.security for cluster in list(_clusters) if cluster._is_at(address)), None)
    if own is not None:
        return own
    if address.startswith("tls://"):
        raise ConnectionError(
            f"a client of {address} needs the certificate of the cluster's authority: name its file "
            "(security=Security(tls_ca_file=..., token_file=...)), or the scheduler's (scheduler_file=...)"
        )
    usual = _core.cluster_usual_token_file()
    if usual is not None and usual.exists():
        return Security(token_file=usual)
    tried = "HOME isn't set, so that there is no usual one" if usual is None else f"there is none at {str(usual)!r}"
    raise ConnectionError(
        f"a client of {address} needs the token of the cluster, and {tried}: name its file "
        "(security=Security(token_file=...)), or the scheduler's (scheduler_file=...)"
    )
