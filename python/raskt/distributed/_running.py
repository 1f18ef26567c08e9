"""A call on each worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raskt import _core
from raskt._annotations import annotation_set

FIRST = 2**30
"""The priority of such calls: they come before whatever else waits."""


def run(
    client: _core.ClusterClient,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    workers: str | Sequence[str] | None,
    wait: bool,
    on_error: str,
) -> dict[str, Any] | None:
    """What `function` gives on each worker, by their names."""
    if on_error not in ("raise", "return", "ignore"):
        raise ValueError(f"on_error is {on_error!r}; known are 'raise', 'return' and 'ignore'")
    client.check()
    known = [about["name"] for about in client.workers()]
    named = known if workers is None else [workers] if isinstance(workers, str) else list(workers)
    unknown = [name for name in named if name not in known]
    if unknown:
        raise ValueError(f"there is no worker {unknown[0]!r}; there are {', '.join(map(repr, known)) or 'none'}")
    futures = {
        name: client.submit(function, args, kwargs or None, None, annotation_set(workers=[name], priority=FIRST))
        for name in named
    }
    if not wait:
        for future in futures.values():
            future.add_done_callback(_nothing)
        return None
    results = {}
    for name, future in futures.items():
        error = future.exception()
        if error is None:
            results[name] = future.result()
        elif on_error == "raise":
            raise error
        elif on_error == "return":
            results[name] = error
    return results


def _nothing(_: _core.ClusterFuture) -> None:
    pass
