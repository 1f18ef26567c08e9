"""What a cluster asks its own scheduler."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from raskt.distributed._clusters._logs import Log
from raskt.distributed._security import Security

if TYPE_CHECKING:
    from raskt.distributed._client import Client

PATIENCE_SECONDS = 30.0
"""How long the scheduler has to answer when it is first asked."""

TOLD_SECONDS = 0.2
"""How long it is waited for the first word of workers; there may be none."""

RETIRING_SECONDS = 10.0
"""How long it is waited for workers that are to go; they may take longer to do what they have, and go then."""


class Contact:
    """A client of the cluster's own, which is there as soon as something is asked. All of its methods wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._client: Client | None = None

    def client(self, address: str, security: Security | None) -> Client:
        """The client."""
        from raskt.distributed._client import Client

        class Silent(Client):
            """What tasks print is for others to show."""

            def _begin(self) -> None:
                pass

        with self._lock:
            if self._client is None or self._client.is_closed:
                self._client = Silent(
                    address, PATIENCE_SECONDS, set_as_default=False, security=security, name="raskt-cluster"
                )
                # Which workers there are, a client is told soon after it has come.
                with suppress(TimeoutError):
                    self._client.wait_for_workers(1, TOLD_SECONDS)
            return self._client

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()


def retire(client: Any, names: list[str]) -> None:
    """Has workers do what they have, and bring what they hold to others, before they go."""
    known = {str(about["name"]) for about in client.scheduler_info(n_workers=-1)["workers"].values()}
    there = [name for name in names if name in known]
    # Where nobody stays, nobody can take anything.
    if there and len(there) < len(known):
        client.retire_workers(workers=there)


def log_of_scheduler(client: Any) -> Log:
    """What the scheduler has noted down of late."""
    return _log(client.get_scheduler_logs())


def logs_of_workers(client: Any) -> dict[str, Log]:
    """What workers have logged of late, by their names."""
    return {name: _log(lines) for name, lines in client.get_worker_logs().items()}


def _log(lines: Iterable[tuple[str, str]]) -> Log:
    """Lines, each beside its level."""
    return Log("\n".join(line for _, line in lines))
