"""Tries the matrix from the command line, and says what differs."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path

from . import ledger
from .parts import PARTS, try_parts
from .run import Choice, Finding, Report


def main() -> int:
    """0 if nothing differs that is neither documented nor known, and the tables have no row too many."""
    options = arguments()
    names = [name for name in PARTS if not options.parts or any(name.startswith(part) for part in options.parts)]
    began = time.perf_counter()
    examples, words = ledger.examples(), tuple(options.grep)
    report = try_parts(
        names, lambda name: Choice(min(1.0, PARTS[name].share * options.times), examples, words), options.jobs
    )
    result = ledger.sort(report.findings)
    summary(report, result, time.perf_counter() - began)
    if options.refused:
        for (part, name), count in sorted(report.refused.items()):
            print(f"refused {part} {name} x{count}: {report.refusals[part, name]}")
    show(result.new + (result.known if options.known else []), options.examples)
    if options.out:
        lines = [json.dumps(asdict(finding)) for finding in result.known + result.new]
        Path(options.out).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    if options.write_known or options.shrink:
        ledger.write_known(result.known + (result.new if options.write_known else []), set(names))
    whole = not options.parts and not words and not options.shrink
    return bool(result.new) or (whole and stale(result))


def stale(result: ledger.Sorted) -> bool:
    """Whether a table has rows that nothing needs any more."""
    for row in result.unneeded():
        print("no combination needs this documented difference:", row)
    for group in result.mended():
        print("mended, to be struck out of known.tsv (--shrink does it):", *group)
    return bool(result.unneeded() or result.mended())


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"beginnings of {', '.join(PARTS)}")
    parser.add_argument("--grep", action="append", default=[], help="only cases whose key has this text")
    parser.add_argument("--times", type=float, default=1.0, help="how many times as many cases as CI tries")
    parser.add_argument("--jobs", type=int, help="processes")
    parser.add_argument("--known", action="store_true", help="show known differences, too")
    parser.add_argument("--refused", action="store_true", help="list what is refused")
    parser.add_argument("--examples", type=int, default=1, help="examples for each group")
    parser.add_argument("--out", help="a file for the findings, a line of JSON each")
    parser.add_argument("--shrink", action="store_true", help="strike out what is mended of known.tsv")
    parser.add_argument("--write-known", action="store_true", help="make the list of known differences anew")
    return parser.parse_args()


def summary(report: Report, result: ledger.Sorted, seconds: float) -> None:
    print(f"{'part':24}{'tried':>9}{'refused':>9}{'differ':>8}")
    refused = Counter(part for (part, _), count in report.refused.items() for _ in range(count))
    differ = Counter(finding.part for finding in report.findings)
    for part, tried in sorted(report.tried.items()):
        print(f"{part:24}{tried:9}{refused[part]:9}{differ[part]:8}")
    print(f"{'all':24}{report.tried.total():9}{refused.total():9}{differ.total():8}   {seconds:.0f} s")
    print(f"documented {len(result.documented)}, known {len(result.known)}, new {len(result.new)}; by kind", end=" ")
    print(dict(Counter(finding.kind for finding in report.findings).most_common()))


def show(findings: list[Finding], examples: int) -> None:
    """Findings by part, operation and kind, with all the types that it happens to."""
    groups: dict[tuple[str, str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.part, finding.name, finding.kind].append(finding)
    for (part, name, kind), group in sorted(groups.items()):
        types = Counter(finding.types for finding in group)
        print(f"\n{part} {name}: {kind} x{len(group)}  {', '.join(list(types)[:12])}{' …' if len(types) > 12 else ''}")
        for finding in group[:: max(1, len(group) // examples)][:examples]:
            print(f"    [{finding.types}] {finding.arguments} ({finding.layout}): {' '.join(finding.text.split())}")


if __name__ == "__main__":
    sys.exit(main())
