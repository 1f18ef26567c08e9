"""What is allowed to differ: the documented table, and the list of what is still to be mended, which only shrinks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from raskt._differences import DIFFERENCES, Difference

from .run import Finding

KNOWN = Path(__file__).parent / "known.tsv"
Group = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Sorted:
    """Findings by whether they are documented, known or new; what of the tables none of them needed."""

    documented: list[Finding]
    known: list[Finding]
    new: list[Finding]
    unneeded: list[Difference]


def known() -> dict[Group, str]:
    """The groups of findings to be mended, each with the key of an example."""
    rows = (line.split("\t") for line in KNOWN.read_text("utf-8").splitlines() if line and not line.startswith("#"))
    return {(part, name, kind, types): key for part, name, kind, types, key in rows}


def write_known(findings: Iterable[Finding]) -> None:
    """Make the list anew of findings."""
    groups: dict[Group, str] = {}
    for finding in sorted(findings, key=lambda finding: (finding.group, finding.key)):
        groups.setdefault(finding.group, finding.key)
    lines = ["\t".join((*group, key)) for group, key in groups.items()]
    head = "# Differences to be mended: part, operation, kind, data types, an example. No row may be added."
    KNOWN.write_text("\n".join([head, *lines, ""]), "utf-8")


def documents(row: Difference, finding: Finding) -> bool:
    """Whether a row of the documented table is about a finding."""
    return (
        finding.kind in row.kinds
        and any(fnmatchcase(f"{finding.part}.{finding.name}", name) for name in row.names)
        and fnmatchcase(finding.types, row.types)
        and fnmatchcase(finding.arguments, row.arguments)
    )


def sort(findings: list[Finding]) -> Sorted:
    """Say of each finding where it belongs."""
    groups = known()
    sorted_, needed = Sorted([], [], [], []), set()
    for finding in findings:
        row = next((row for row in DIFFERENCES if documents(row, finding)), None)
        if row:
            needed.add(row)
            sorted_.documented.append(finding)
        else:
            (sorted_.known if finding.group in groups else sorted_.new).append(finding)
    sorted_.unneeded.extend(row for row in DIFFERENCES if row not in needed)
    return sorted_
