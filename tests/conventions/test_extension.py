"""What the extension module asks of the process that loads it."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

import raskt._core

SHT_DYNAMIC, DT_FLAGS, DF_STATIC_TLS = 6, 30, 0x10


def flags(path: Path) -> int:
    """The `DT_FLAGS` of a shared library (ELF, 64 bits)."""
    data = path.read_bytes()
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for at in range(offset, offset + size * count, size):
        kind, start, length = struct.unpack_from("<4xI16xQQ", data, at)
        if kind == SHT_DYNAMIC:
            entries = [struct.unpack_from("<QQ", data, entry) for entry in range(start, start + length, 16)]
            return dict(entries).get(DT_FLAGS, 0)
    return 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have other libraries")
def test_it_takes_no_static_tls() -> None:
    """There is little of that, and what is loaded first may have taken it: then `import raskt` would fail."""
    assert not flags(Path(raskt._core.__file__)) & DF_STATIC_TLS
