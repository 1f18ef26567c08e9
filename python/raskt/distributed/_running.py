"""A call on each worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raskt import _core
from raskt.distributed import _errands, _plugged


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
    names = _errands.numbers(client, workers)
    errand = _errands.send(client, list(names), _plugged.once_set_up, (function, args, kwargs))
    if not wait:
        return None
    came = {worker: (result, error) for worker, result, error in _errands.given(errand)}
    results = {}
    for worker, name in names.items():
        result, error = came[worker]
        if error is None:
            results[name] = result
        elif on_error == "raise":
            raise error
        elif on_error == "return":
            results[name] = error
    return results
