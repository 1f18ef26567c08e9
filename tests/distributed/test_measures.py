"""What processes of the command measure, over HTTP; and a client that ends them."""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import IO

from raskt.distributed import Client

RASKT = [sys.executable, "-m", "raskt"]


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen([*RASKT, *map(str, arguments)], stdout=subprocess.PIPE, text=True, start_new_session=True)


def fact(output: IO[str] | None, name: str) -> str:
    """What is said of it, on a line of its own."""
    assert output is not None
    for line in output:
        # A nanny puts the name of her worker before what it says.
        found = line.strip().split("] ")[-1]
        if found.startswith(f"{name}: "):
            return found.removeprefix(f"{name}: ")
    raise AssertionError(f"nothing is said of {name}")


def read(url: str) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    text: bytes = opener.open(url, timeout=10).read()
    return text.decode()


def test_prometheus_reads_what_processes_measure_until_a_client_ends_them(tmp_path: Path) -> None:
    file, token = tmp_path / "scheduler.json", tmp_path / "token"
    scheduler = started(
        *("scheduler", "--port", "0", "--scheduler-file", file, "--token-file", token, "--dashboard-address", ":0")
    )
    measures = fact(scheduler.stdout, "metrics")
    fact(scheduler.stdout, "ready")
    worker = started("worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny", "--dashboard-address", "0")
    try:
        of_worker = fact(worker.stdout, "metrics")
        with Client(scheduler_file=file, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=30)
            future = client.submit(abs, -1)
            assert future.result() == 1
            text = read(measures)
            assert "raskt_scheduler_workers 1\n" in text
            assert 'raskt_scheduler_tasks{state="done"} 1\n' in text
            assert "process_resident_memory_bytes " in text
            assert "raskt_scheduler_step_seconds_bucket{le=" in text
            assert read(measures.replace("/metrics", "/health")) == "ok\n"
            assert "raskt_worker_memory_limit_bytes " in read(of_worker)
            client.shutdown()
        assert scheduler.wait(30) == 0
        assert worker.wait(30) == 0
        assert not file.exists()
    finally:
        for process in (scheduler, worker):
            if process.poll() is None:
                process.kill()
                process.wait()


def test_where_others_could_look_a_token_is_needed(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *RASKT,
            "scheduler",
            "--port",
            "0",
            "--token-file",
            str(tmp_path / "token"),
            "--dashboard-address",
            "nowhere:1",
        ],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2 and "nowhere:1" in done.stderr
