"""The three standard streams of this process."""

from __future__ import annotations

import os
from contextlib import suppress


def hold() -> None:
    """Has those that are closed go nowhere.

    A file or connection that was opened later would have the number of one otherwise, and get whatever is written
    there: by other libraries, by the system, and by processes that this one starts.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is the one that is given.
            with suppress(OSError):
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
