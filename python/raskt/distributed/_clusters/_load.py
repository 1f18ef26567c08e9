"""What a scheduler is asked so that a cluster can adapt."""

from __future__ import annotations

from typing import Any, Protocol

from raskt.distributed._clusters._decision import Load, WorkerLoad


class Questions(Protocol):
    """What of a client that is."""

    def scheduler_info(self, n_workers: int = 5) -> dict[str, Any]:
        """Workers by name, with their threads and memory."""

    def processing(self, workers: Any = None) -> dict[str, Any]:
        """The tasks that each worker was given and hasn't done, by its name."""

    def has_what(self, workers: Any = None) -> dict[str, Any]:
        """The results that each worker holds, by its name."""

    def nbytes(self, keys: Any = None, summary: bool = True) -> dict[str, int]:
        """The bytes of results."""

    def waiting(self) -> int:
        """How many tasks no worker was given yet."""


ASKED = ("processing", "has_what", "nbytes", "waiting")


def tells_load(client: Any) -> bool:
    """Whether a client can ask all of that."""
    return all(hasattr(client, question) for question in ASKED)


def load_of(client: Questions) -> Load:
    """What there is to be done, by the names of workers."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    processing, held = client.processing(), client.has_what()
    sizes = client.nbytes(summary=False) if any(held.values()) else {}
    loads = tuple(
        WorkerLoad(
            about["name"],
            about["nthreads"],
            len(processing.get(about["name"], ())),
            # What has no size that is known is something all the same.
            sum(max(1, sizes.get(key, 1)) for key in held.get(about["name"], ())),
            about["memory_limit"] or None,
        )
        for about in workers
    )
    return Load(loads, client.waiting(), can_move=hasattr(client, "retire_workers"))
