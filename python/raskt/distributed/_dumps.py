"""All that is known of a cluster, in a file."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from raskt.distributed import _asking, _versions

PARTS = ("scheduler", "workers", "runs", "results", "log", "versions")


def check(exclude: Sequence[str], form: str) -> None:
    """Raises an error if these can't be taken."""
    for part in exclude:
        if part not in PARTS:
            raise ValueError(f"exclude names {part!r}; a dump has {', '.join(PARTS)}")
    if form not in ("msgpack", "yaml"):
        raise ValueError(f"format is {form!r}; known are 'msgpack' and 'yaml'")
    if form == "msgpack":
        _msgpack()


def dump(client: Any, filename: str, exclude: Sequence[str], form: str) -> None:
    """Writes it."""
    from raskt.distributed._questions import info_of

    native, address = client._raskt_cluster_client, client._address
    made: dict[str, Callable[[], Any]] = {
        "scheduler": lambda: info_of(native, address, -1),
        "workers": lambda: {str(number): about for number, about in _asking.workers(native).items()},
        "runs": lambda: _asking.runs(native),
        "results": lambda: list(_asking.results(native)),
        "log": lambda: _asking.log(native),
        "versions": lambda: _versions.everywhere(native, False, ()),
    }
    state = {part: make() for part, make in made.items() if part not in exclude}
    name = os.fspath(filename)
    if form == "yaml":
        # Every text of JSON is one of YAML.
        name = name if name.endswith((".yaml", ".yml")) else f"{name}.yaml"
        data = (json.dumps(state, indent=1) + "\n").encode()
    else:
        name = name if name.endswith(".msgpack.gz") else f"{name}.msgpack.gz"
        data = gzip.compress(_msgpack().packb(state))
    with open(name, "wb") as file:
        file.write(data)


def _msgpack() -> Any:
    try:
        import msgpack
    except ImportError:
        raise NotImplementedError(
            "format='msgpack' needs the package msgpack, which isn't installed; format='yaml' needs none"
        ) from None
    return msgpack
