"""What the settings say about arrays."""

from __future__ import annotations

from typing import cast

from raskt import config

__all__ = ["block_bytes"]


def block_bytes() -> int:
    """Bytes of an ``"auto"`` block: the setting ``array.chunk-size``."""
    return cast(int, config.get("array.chunk-size"))
