"""Names of other libraries' clusters for which there is nothing here, and what to do instead."""

from __future__ import annotations

from typing import Any, NoReturn


def rpc(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: processes of a cluster speak no language that programs could speak as well."""
    raise NotImplementedError(
        "the processes of a cluster take no calls of programs: client.run() calls functions on workers, and methods of "
        "the client ask the scheduler"
    )


def connect(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: processes of a cluster speak no language that programs could speak as well."""
    raise NotImplementedError("connections to processes of a cluster are raskt's own: a Client is the way in")


def get_task_metadata() -> NoReturn:
    """Refused: tasks have no metadata of their own."""
    raise NotImplementedError("tasks have no metadata: client.set_metadata() keeps some by name, for everybody")
