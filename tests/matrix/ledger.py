"""What is allowed to differ: the documented table, and the list of what is still to be mended, which only shrinks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from raskt._differences import DIFFERENCES, Difference

from .run import Finding

KNOWN = Path(__file__).parent / "known.tsv"
HEAD = "# Differences to be mended: part, operation, kind, the key of an example. Rows only go."
Group = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Sorted:
    """Findings by whether they are documented, known or new."""

    documented: list[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    new: list[Finding] = field(default_factory=list)
    needed: set[Difference] = field(default_factory=set)

    def unneeded(self) -> list[Difference]:
        """Rows of the documented table that nothing needed, though every machine must."""
        return [row for row in DIFFERENCES if not row.varies and row not in self.needed]

    def mended(self) -> list[Group]:
        """Rows of the list whose example comes out right by now."""
        still = {finding.group for finding in self.known}
        return [group for group in known() if group not in still]


def sort(findings: list[Finding]) -> Sorted:
    """Say of each finding where it belongs."""
    groups, result = known(), Sorted()
    for finding in findings:
        row = next((row for row in DIFFERENCES if documents(row, finding)), None)
        if row:
            result.needed.add(row)
            result.documented.append(finding)
        else:
            (result.known if finding.group in groups else result.new).append(finding)
    return result


def documents(row: Difference, finding: Finding) -> bool:
    """Whether a row of the documented table is about a finding."""
    return (
        finding.kind in row.kinds
        and any(fnmatchcase(f"{finding.part}.{finding.name}", name) for name in row.names)
        and fnmatchcase(finding.types, row.types)
        and fnmatchcase(finding.arguments, row.arguments)
        and fnmatchcase(finding.text, row.text)
    )


def known() -> dict[Group, str]:
    """The groups of findings to be mended, each with the key of an example."""
    lines = KNOWN.read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {(part, name, kind): key for part, name, kind, key in rows}


def examples() -> frozenset[str]:
    """The keys of cases that must be tried for the tables to be held true."""
    return frozenset(known().values()) | frozenset(row.example for row in DIFFERENCES if row.example)


def write_known(findings: Iterable[Finding], parts: set[str]) -> None:
    """Make the list anew of the findings of some parts, and leave its other rows as they are."""
    groups: dict[Group, str] = {group: key for group, key in known().items() if group[0] not in parts}
    for finding in sorted(findings, key=lambda finding: (finding.group, finding.key)):
        groups.setdefault(finding.group, finding.key)
    lines = ["\t".join((*group, key)) for group, key in sorted(groups.items())]
    KNOWN.write_text("\n".join([HEAD, *lines, ""]), "utf-8")
