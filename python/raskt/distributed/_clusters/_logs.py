"""What clusters and their processes have said, for people."""

from __future__ import annotations

import html
import threading
from collections import deque

LINES_MAX = 1000
"""Lines that are kept of each process; older ones go."""

LINE_CHARACTERS_MAX = 4096
"""What is longer is cut."""


class Log(str):
    """Lines of one process. Notebooks show them as they are."""

    def _repr_html_(self) -> str:
        return f"<pre><code>{html.escape(str(self)).rstrip()}</code></pre>"


class Logs(dict[str, Log]):
    """The lines of several processes, by their names."""

    def _repr_html_(self) -> str:
        each = (
            f"<details><summary>{html.escape(str(name))}</summary>{log._repr_html_()}</details>"
            for name, log in sorted(self.items(), key=lambda item: str(item[0]))
        )
        return "".join(each)


def joined(*logs: Log | None) -> Log | None:
    """What several sources know of one process.

    >>> joined(None, Log("a"), Log("b")), joined(None, None)
    ('a\\nb', None)
    """
    known = [log for log in logs if log is not None]
    return Log("\n".join(filter(None, known))) if known else None


class Lines:
    """The latest lines of a process, whichever thread they come from."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LINES_MAX)
        self._lock = threading.Lock()

    def add(self, line: str) -> None:
        with self._lock:
            self._lines.append(line[:LINE_CHARACTERS_MAX])

    def log(self) -> Log:
        with self._lock:
            return Log("\n".join(self._lines))
