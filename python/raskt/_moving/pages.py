"""Copies of what was read back, that take no more memory than one of the two."""

from __future__ import annotations

import ctypes
import os
import sys

import numpy as np

from raskt import _core

_PIECE = 4 << 20
"""So many bytes are there twice at most."""

_DONTNEED = 4
"""Linux's `MADV_DONTNEED`."""


def copied(array: np.ndarray) -> np.ndarray:
    """An array that owns its memory, of one without gaps. What was read for this one is empty then."""
    own = np.empty_like(array)
    if not array.nbytes:
        return own
    # Not element by element, which would leave out what is between the fields of records.
    memory, target = (each.ravel(order="K").view(np.uint8) for each in (array, own))
    is_for_this = _is_of_store(array)
    for start in range(0, memory.size, _PIECE):
        piece = memory[start : start + _PIECE]
        target[start : start + _PIECE] = piece
        if is_for_this and memory.size > _PIECE:
            _empty(piece)
    return own


def _is_of_store(array: np.ndarray) -> bool:
    """Whether the memory is such that was read for this array and nobody else."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return isinstance(owner.base, _core.ChunkOwner)


def _empty(piece: np.ndarray) -> None:
    """Give the system back the pages that lie within it."""
    if not sys.platform.startswith("linux"):
        return
    page = os.sysconf("SC_PAGE_SIZE")
    start = piece.__array_interface__["data"][0]
    first, last = -(-start // page), (start + piece.size) // page
    if first < last:
        address, size = ctypes.c_void_p(first * page), ctypes.c_size_t((last - first) * page)
        ctypes.CDLL(None).madvise(address, size, _DONTNEED)
