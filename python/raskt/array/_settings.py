"""What the configuration says about arrays."""

from __future__ import annotations

from typing import Any

__all__ = ["block_bytes"]


def block_bytes() -> int | None:
    """Bytes of an ``"auto"`` block by the setting ``array.chunk-size``; ``None`` leaves it to the engine."""
    from raskt import config

    size: Any = config.get("array.chunk-size", None)
    if size is None or isinstance(size, int):
        return size
    from raskt._core import array_parse_bytes

    return array_parse_bytes(str(size))
