"""What holds memory: a table of the store of this process."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass, field
from typing import Any

from raskt import _core
from raskt.diagnostics._units import count, size


@dataclass(frozen=True)
class Holder:
    """Results by what made them, or one result."""

    name: str
    """The function or the operations that made them."""
    results: int
    """How many they are; 0 for the small ones, which aren't told apart."""
    held: int
    """Bytes that they hold in memory."""
    away: int
    """Bytes of those that are not in memory."""
    place: str | None
    """ "memory", "disk", or "dropped" for what is computed again when it is needed; None if that differs."""


@dataclass(frozen=True)
class Memory:
    """What holds memory, as it was when it was asked for.

    It prints as a table; `to_dict` has the numbers.
    """

    limit: int
    """Bytes that this process may take: the setting `memory.limit`."""
    process: int | None
    """Bytes that it has taken, where the system says so."""
    baseline: int
    """Bytes of it that aren't raskt's results: code, libraries, your own objects."""
    available: int
    """Bytes that results and running tasks may hold: the limit without the baseline and some slack."""
    held: int
    """Bytes that results hold in memory."""
    promised: int
    """Bytes that are promised to running tasks."""
    peak: int
    """The most that was held and promised at one time."""
    spilled: int
    """Bytes of spill files."""
    disk_limit: int | None
    """Bytes that spill files may have: the setting `memory.disk-limit`."""
    disk_trouble: str | None
    """Why the last spill file couldn't be written, until that is tried again."""
    files_written: int
    """Spill files that were written so far."""
    files_read: int
    """Results that were read back."""
    files_lost: int
    """Results whose files were gone or damaged, and that were computed again."""
    holders: list[Holder] = field(default_factory=list)
    """By what made the results, those that hold most first."""
    largest: list[Holder] = field(default_factory=list)
    """The largest results."""
    refused: int = 0
    """Results that stay in memory, since writing them has failed."""
    unpromised: int = 0
    """Bytes that the process has taken and that no task was promised: objects whose size doesn't show, what functions
    hold while they run. They count like results, so that fewer tasks run at once."""
    unpromised_peak: int = 0
    """The most that they were."""
    unpromised_by: list[tuple[str, int]] = field(default_factory=list)
    """Functions that ran meanwhile, and the most bytes that it was then."""
    left_running: int = 0
    """Tasks of cancelled computations that go on, since nothing can stop the call that they are in. Until it returns
    they keep the memory that they were promised."""
    left_threads: int = 0
    """Threads that other computations lack for them: those beyond one for each thread."""
    arriving: int = 0
    """Bytes on their way into a worker that count already: scattered data, and copies of results."""
    shared: int = 0
    """Bytes of results that can't leave memory now, as when that was last tried: somebody else has that memory, or what
    they were made of does (`persist(keep_lineage=False)` lets go of the latter)."""

    def to_dict(self) -> dict[str, Any]:
        """The numbers, as plain dictionaries and lists."""
        return asdict(self)

    def __str__(self) -> str:
        rows = [("", "in memory", "elsewhere", "results"), *map(_row, self.holders)]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = [
            f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}".rstrip()
            for row in rows
        ]
        return "\n".join([self._summary(), *(lines if self.holders else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{title}</th>" for title in ("made by", "in memory", "elsewhere", "results"))
        cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in _row(holder)) for holder in self.holders]
        rows = "".join(f"<tr>{row}</tr>" for row in cells)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if self.holders else ""
        return f"<div><p>{html.escape(self._summary())}</p>{table}</div>"

    def _summary(self) -> str:
        disk = f"{size(self.spilled)} on disk" + (f" of {size(self.disk_limit)}" if self.disk_limit is not None else "")
        trouble = f" ({self.disk_trouble})" if self.disk_trouble else ""
        disk = f"{size(self.shared)} stay, since others have that memory; {disk}" if self.shared else disk
        by = ", ".join(name for name, _ in self.unpromised_by[:5])
        unpromised = f"; {size(self.unpromised)} more that nobody was promised" if self.unpromised else ""
        unpromised += f" (these ran meanwhile: {by})" if unpromised and by else ""
        left = f"; {count(self.left_running, 'cancelled task')} can't be stopped" if self.left_running else ""
        left += f" and keep {count(self.left_threads, 'thread')} from others" if self.left_threads else ""
        return (
            f"memory: results hold {size(self.held)} and tasks were promised {size(self.promised)} of "
            f"{size(self.available)}{unpromised}{left}; {disk}{trouble}; limit {size(self.limit)}, of which "
            f"{size(self.baseline)} is not results"
        )


def memory() -> Memory:
    """What holds memory now: how much results have, where they are, and what made them.

    Returns
    -------
    Memory
        A table; `to_dict` has the numbers.

    Examples
    --------
    >>> import raskt, raskt.array as ra
    >>> x = ra.ones((1000, 1000)).persist()
    >>> found = raskt.diagnostics.memory()
    >>> found.held >= x.nbytes
    True
    >>> sorted(found.to_dict())[:4]
    ['arriving', 'available', 'baseline', 'disk_limit']
    """
    found = _core.memory_report()
    holders, largest = ([Holder(**holder) for holder in found.pop(name)] for name in ("holders", "largest"))
    return Memory(**found, holders=holders, largest=largest)


def _row(holder: Holder) -> tuple[str, str, str, str]:
    results = count(holder.results, "result") if holder.results else ""
    return holder.name, size(holder.held), size(holder.away), results
