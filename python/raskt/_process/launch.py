"""How a worker process is started."""

from __future__ import annotations

import json
import os
import subprocess
import sys

BOOTSTRAP = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from {module} import main; main()"

LIBRARY_VARIABLES = (
    "BLIS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
"""Where numerical libraries look, when they are loaded, for how many threads they may have."""

FRAMES_VARIABLE = "POLARS_MAX_THREADS"
"""The one of them where the engine of frames looks."""

HASH_SEED = "1"


def command(
    count: int, module: str = "raskt._process.worker", threads: int | None = None
) -> tuple[str, list[str], list[tuple[str, str]]]:
    """The program, its arguments, and what its environment has beside the parent's, for one process of `count`.

    It runs `main` of a module of raskt, and numerical libraries have `threads` there. Where `threads` are those of a
    worker, the engine of frames has all processors: a query is one task, and others have nothing to do meanwhile.
    """
    if not sys.executable:
        raise RuntimeError(
            "worker processes are interpreters like this one, and sys.executable doesn't say which program that is; "
            'set it, or use scheduler="threads"'
        )
    libraries = LIBRARY_VARIABLES if threads is None else set(LIBRARY_VARIABLES) - {FRAMES_VARIABLE}
    threads = threads or threads_each(count)
    # The flags that this interpreter was started with (-W, -X, -O), as multiprocessing passes them on.
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    # An empty entry of the path means the folder that a program runs in, here as there.
    arguments = [*flags, "-c", BOOTSTRAP.format(module=module), json.dumps(sys.path), str(os.getpid()), str(threads)]
    environment = [(name, str(threads)) for name in sorted(libraries) if name not in os.environ]
    if "PYTHONHASHSEED" not in os.environ:
        # All processes are to give a text the same hash, or tasks that share something out by hashes disagree.
        environment.append(("PYTHONHASHSEED", HASH_SEED))
    return sys.executable, arguments, environment


def threads_each(count: int) -> int:
    """Threads for the libraries and nested computations of one process of `count`: the processors are shared out."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, processors // max(1, count))


def nothing_known() -> dict[bytes, None]:
    """What a new process has been sent so far: digests, the latest last."""
    return {}
