"""Measures raskt and its peers in turn, and prints a table of times, peak memory and ratios.

    python benches/run.py [WORKLOAD[/CASE] ...] [--systems raskt dask ...] [--repeats N]

Every run of a system is a process of its own, and the systems take turns, so that a busy moment of the machine hits
them alike. Times are medians. Before times count, the results of all systems must agree. Everything measured, and the
machine that it was measured on, goes to `benches/results/*.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from workload import Case, agree

HERE = Path(__file__).parent
WORKLOADS = [
    "noop", "native", "core", "small", "futures", "cluster", "spread", "blas", "matmul", "chain", "spill",
    "dask_collections", "flights", "tpch", "import",
]  # fmt: skip
OURS = "raskt"


@dataclass
class Row:
    """What was measured of one system."""

    system: str
    version: str = ""
    seconds: list[float] = field(default_factory=list)
    peak_kib: list[int] = field(default_factory=list)
    growth_kib: list[int] = field(default_factory=list)
    failure: str = ""
    result: Any = None

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def main() -> int:
    options = parse_arguments()
    wrong = 0
    for workload, case_name in chosen_cases(options.parts):
        case = module_of(workload).CASES[case_name]
        rows = measure(workload, case_name, case, options)
        print(f"\n{workload}/{case_name}: {case.about}")
        wrong += not report(rows, case)
        write(workload, case_name, case, rows)
    return 1 if wrong else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=WORKLOADS, help=f"of {', '.join(WORKLOADS)}, or noop/chain …")
    parser.add_argument("--systems", nargs="+", help="only these; names that begin so")
    parser.add_argument("--repeats", type=int, help="runs of each system (default: what the case says)")
    return parser.parse_args()


def chosen_cases(parts: list[str]) -> list[tuple[str, str]]:
    chosen = []
    for part in parts:
        workload, _, case = part.partition("/")
        if workload not in WORKLOADS:
            raise SystemExit(f"there is no workload {workload!r}; there are {', '.join(WORKLOADS)}")
        cases = list(module_of(workload).CASES)
        if case and case not in cases:
            raise SystemExit(f"{workload} has no case {case!r}; it has {', '.join(cases)}")
        chosen += [(workload, name) for name in cases if case in ("", name)]
    return chosen


def module_of(workload: str) -> Any:
    # `import` is a word of the language, so its module has another name.
    return import_module(f"workloads.{worker_name(workload)}")


def worker_name(workload: str) -> str:
    return "import_time" if workload == "import" else workload


def measure(workload: str, case_name: str, case: Case, options: argparse.Namespace) -> list[Row]:
    case.prepare()
    wanted = [name for name in case.systems if not options.systems or name.startswith(tuple(options.systems))]
    rows = [Row(name) for name in wanted if find_spec(case_package(name)) is not None]
    for _ in range(options.repeats or case.repeats):
        for row in rows:
            if not row.failure:
                run_once(worker_name(workload), case_name, case, row)
    return rows


def case_package(system: str) -> str:
    return {"threads": "concurrent", "ProcessPool": "concurrent"}.get(
        system.partition(".")[0], system.partition(".")[0]
    )


def run_once(workload: str, case_name: str, case: Case, row: Row) -> None:
    command = [sys.executable, HERE / "worker.py", workload, case_name, row.system]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=case.seconds_most, env=environment)
    except subprocess.TimeoutExpired:
        row.failure = f"more than {case.seconds_most:.0f} s"
        return
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        row.failure = last[:100]
        return
    measured = json.loads(done.stdout.splitlines()[-1])
    row.seconds.append(measured["seconds"])
    row.peak_kib.append(measured["peak_kib"])
    if measured["growth_kib"] is not None:
        row.growth_kib.append(measured["growth_kib"])
    row.version, row.result = measured["version"], measured["result"]


def report(rows: list[Row], case: Case) -> bool:
    """Print the table; whether all results agree."""
    finished = [row for row in rows if row.seconds and not row.failure]
    ours = next((row for row in finished if row.system == OURS), None)
    reference = ours or (finished[0] if finished else None)
    of_each = f"{'µs a task':>14}{'bytes a task':>14}" if case.tasks else ""
    print(f"  {'system':<22}{'median':>12}{'spread':>22}{'peak':>12}{'time / raskt':>14}{'peak / raskt':>14}{of_each}")
    for row in rows:
        if row.failure:
            print(f"  {row.system:<22}  {row.failure}")
            continue
        spread = f"{clock(min(row.seconds))} … {clock(max(row.seconds))}"
        ratios = "".join(f"{ratio:>14}" for ratio in ratios_of(row, ours))
        print(
            f"  {row.system:<22}{clock(row.median):>12}{spread:>22}{size(max(row.peak_kib)):>12}{ratios}"
            f"{for_each(row, case.tasks)}"
        )
    apart = [row for row in finished if reference and not agree(row.result, reference.result, case.tolerance)]
    for row in apart:
        print(
            f"  WRONG: {row.system} and {reference.system if reference else ''} disagree: "
            f"{str(row.result)[:200]} and {str(reference.result if reference else '')[:200]}"
        )
    return not apart


def ratios_of(row: Row, ours: Row | None) -> list[str]:
    if ours is None:
        return ["", ""]
    return [f"{row.median / ours.median:.2f}", f"{max(row.peak_kib) / max(ours.peak_kib):.2f}"]


def for_each(row: Row, tasks: int | None) -> str:
    if not tasks:
        return ""
    bytes_each = f"{statistics.median(row.growth_kib) * 1024 / tasks:.0f}" if row.growth_kib else ""
    return f"{row.median * 1e6 / tasks:>14.2f}{bytes_each:>14}"


def clock(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def size(kib: int) -> str:
    return f"{kib / 2**20:.2f} GiB" if kib >= 2**20 else f"{kib / 2**10:.0f} MiB"


def write(workload: str, case_name: str, case: Case, rows: list[Row]) -> None:
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    record = {
        "workload": workload,
        "case": case_name,
        "about": case.about,
        "machine": machine(),
        "rows": [asdict(row) for row in rows],
    }
    stamp = time.strftime("%Y%m%d-%H%M%S")
    (folder / f"{workload}-{case_name}-{stamp}.json").write_text(json.dumps(record, indent=1))


def machine() -> dict[str, object]:
    model = [
        line.partition(":")[2].strip() for line in read("/proc/cpuinfo").splitlines() if line.startswith("model name")
    ]
    memory = [line.split()[1] for line in read("/proc/meminfo").splitlines() if line.startswith("MemTotal")]
    return {
        "processor": model[0] if model else platform.processor(),
        "cores": os.cpu_count(),
        "memory_kib": int(memory[0]) if memory else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": os.getloadavg(),
    }


def read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
