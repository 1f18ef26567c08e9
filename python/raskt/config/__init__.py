"""Settings: defaults, YAML files, ``RASKT_…`` variables, and what the program sets; the later wins.

===================  ==========  ============================================================================
name                 default     what it does
===================  ==========  ============================================================================
array.chunk-size     16 MiB      how large the blocks of an array are when its chunks are chosen automatically
flight-record        None        the folder in which each engine writes down what happens to its scheduler, to find
                                 faults by; None means nowhere
library-threads      "held"      "held": BLAS, OpenMP and Arrow have one thread for each task while Python tasks
                                 run in parallel; "free": they start as many threads as they like
memory.disk-limit    None        bytes of results that may lie on disk; None means all that is free
memory.limit         None        bytes that this process may take; results that don't fit are spilled to disk. None
                                 means eight tenths of what the machine or the container has
memory.spill-path    None        the folder in which spilled results lie; None means with other temporary files
num-workers          None        threads (or processes) that run tasks; None means one for each processor
progress.interval    0.1         seconds between two drawings of a progress bar
progress.minimum     0.0         seconds that a computation runs before its progress bar is drawn
progress.width       40          characters between the brackets of a progress bar
scheduler            "threads"   "threads"; "processes": Python functions in processes of their own; "sync": one
                                 task after the other in the calling thread
===================  ==========  ============================================================================

The files are ``/etc/raskt/*.yaml``, ``~/.config/raskt/*.yaml`` and the file or folder that ``RASKT_CONFIG`` names. The
variable ``RASKT_ARRAY__CHUNK_SIZE=64MiB`` sets ``array.chunk-size``. Hyphens and underscores are the same. Other
programs may keep settings here under a name of their own (``myproject.colour``); those aren't checked.

The names of this module are those of ``dask.config``. Functions that take ``config`` work on any nested dictionary.

The table of settings, their checks and the reading of files and variables are in Rust (the crate ``raskt-config``), for
Rust users too. This package reads them once, at first use, and keeps what the program sets on top: a list of layers,
one for each ``set`` that is in force. Leaving a ``with set(...)`` takes its own layer away, whichever others came or
went meanwhile, in whichever thread.
"""

from __future__ import annotations

from .access import config_lock, get, pop, rename, set, update
from .deprecations import check_deprecations, deprecations
from .files import PATH, collect_env, collect_yaml, ensure_file, paths, paths_containing_key
from .layers import defaults
from .layers import state as _state  # noqa: F401 - the engine reads what is in force there
from .nested import (
    canonical_name,
    deserialize,
    expand_environment_variables,
    interpret_value,
    merge,
    serialize,
)
from .reading import collect, refresh, update_defaults
from .view import settings as config

global_config = config
"""The settings in force, as a mapping that changes with them."""

__all__ = [
    "PATH",
    "canonical_name",
    "check_deprecations",
    "collect",
    "collect_env",
    "collect_yaml",
    "config",
    "config_lock",
    "defaults",
    "deprecations",
    "deserialize",
    "ensure_file",
    "expand_environment_variables",
    "get",
    "global_config",
    "interpret_value",
    "merge",
    "paths",
    "paths_containing_key",
    "pop",
    "refresh",
    "rename",
    "serialize",
    "set",
    "update",
    "update_defaults",
]
