"""One system, one case, one run, in a process of its own: prints seconds, memory and the result as JSON.

python benches/worker.py WORKLOAD CASE SYSTEM
"""

from __future__ import annotations

import json
import resource
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from workload import Stopwatch


def main(workload: str, case: str, system: str) -> None:
    run = import_module(f"workloads.{workload}").CASES[case].systems[system]
    stopwatch = Stopwatch()
    result = run(stopwatch)
    peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    report = {
        "seconds": stopwatch.seconds,
        "peak_kib": max(peaks),
        "growth_kib": stopwatch.growth_kib,
        "version": version_of(system),
        "result": result,
    }
    print(json.dumps(report))


def version_of(system: str) -> str:
    try:
        return version(system.partition(".")[0])
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
