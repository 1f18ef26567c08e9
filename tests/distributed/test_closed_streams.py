"""Scripts whose standard streams are closed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys
from raskt.distributed import Client
import raskt.array as ra
from raskt import _core


def speaks(n):
    print("said", n)
    print("said", n, file=sys.stderr)
    return [os.path.realpath(f"/proc/self/fd/{number}") for number in range(3)]


def fails():
    raise LookupError("no")


if __name__ == "__main__":
    with Client(n_workers=1, threads_per_worker=1) as client:
        client.submit(abs, -1).add_done_callback(lambda _: 1 / 0)
        there = client.submit(speaks, 1).result()
        assert isinstance(client.submit(fails).exception(), LookupError)
        try:
            ra.Array(_core._panicking_array()).compute(scheduler="threads")
        except Exception as error:
            assert "asked to" in str(error), error
        here = [os.path.realpath(f"/proc/self/fd/{number}") for number in range(3)]
        total = int(ra.ones(10, chunks=5).sum().compute())
    with open(sys.argv[1], "w") as file:
        print(total, *here, *there, sep="\\n", file=file)
"""


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_script_whose_streams_are_closed_ends_as_any_other_and_writes_into_no_connection(tmp_path, closed):
    script, told = tmp_path / "script.py", tmp_path / "told"
    script.write_text(SCRIPT)
    command = f'exec "$0" "$1" "$2" {closed}'
    ran = subprocess.run(
        ["sh", "-c", command, sys.executable, str(script), str(told)], capture_output=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    total, *places = told.read_text().split("\n")[:7]
    assert total == "10"
    for each in closed.split():
        assert places[{"<&-": 0, ">&-": 1, "2>&-": 2}[each]] == os.devnull
    # Connections of this process and of the worker have other numbers.
    assert not [place for place in places if "socket" in place]
    assert b"panicked" not in ran.stdout + ran.stderr
