"""In whose name something is shared: a client's, or the worker's whose task this is."""

from __future__ import annotations

from typing import Any

from raskt import _core
from raskt.distributed import _current, _plugged


class Session:
    """Asks the scheduler in the name of a client, or of the worker of this process.

    Parameters
    ----------
    client : Client, optional
        Default: the current client where something is asked, or else the worker of this process.
    """

    __slots__ = ("_client",)

    def __init__(self, client: Any = None) -> None:
        if client is not None and not hasattr(client, "_raskt_cluster_client"):
            raise TypeError(f"client is {client!r}; it is a raskt.distributed.Client")
        self._client = client

    @property
    def client(self) -> Any:
        """The client, or None in a task whose process has none."""
        return self._client if self._client is not None else _current.current()

    @property
    def native(self) -> _core.ClusterCoordination:
        """What asks.

        Raises
        ------
        ValueError
            If there is neither a client nor a worker.
        """
        _plugged.asks()
        client = self.client
        if client is not None:
            found: _core.ClusterCoordination = client._raskt_cluster_client.coordination()
            return found
        worker = _core.worker_coordination()
        if worker is None:
            raise ValueError("there is no client, and no worker here: make one first, by raskt.distributed.Client()")
        return worker

    @property
    def for_values(self) -> _core.ClusterCoordination:
        """What asks for values, and gives them: whoever takes up the results to which they refer.

        What one client says is heard in order: that a result is let go of doesn't overtake the value that refers to it,
        nor that a value has arrived the word that its results are wanted here.
        """
        _plugged.asks()
        try:
            client = self.any_client()
        except (ValueError, OSError, NotImplementedError):
            # There is none outside of tasks in a process of several workers, nor where a worker has no certificate for
            # one. What refers to results says so itself.
            client = None
        return self.native if client is None else client.coordination()

    @property
    def is_asynchronous(self) -> bool:
        """Whether what waits gives something to be awaited."""
        client = self.client
        return client is not None and client.asynchronous

    def results_client(self) -> _core.ClusterClient:
        """The client that takes up results to which a value refers.

        Raises
        ------
        ValueError
            If there is none.
        """
        native = self.any_client()
        if native is None:
            raise ValueError(
                "the value refers to results that the cluster holds, and there is no client here that could have them"
            )
        return native

    def any_client(self) -> _core.ClusterClient | None:
        """The same, or None."""
        client = self.client or _task_client()
        return None if client is None else client._raskt_cluster_client


def _task_client() -> Any:
    """The client of this task, where tasks have one."""
    import raskt.distributed

    get_client = getattr(raskt.distributed, "get_client", None)
    if get_client is None or _core.worker_coordination() is None:
        return None
    return get_client()
