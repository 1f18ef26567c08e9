"""Programs in processes of their own, whose memory is measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import Any


def run(program: str, *, before: Any = None, **variables: str) -> dict[str, Any]:
    """Run a program that puts its results into `found`; gives them, with its peak of resident memory."""
    text = (
        "import json, resource\nfound = {}\n"
        + textwrap.dedent(program)
        + "\nfound['peak'] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\nprint(json.dumps(found))\n"
    )
    environment = {**os.environ, **variables}
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=300, env=environment, preexec_fn=before
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]
