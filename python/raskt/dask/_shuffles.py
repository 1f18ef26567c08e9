"""How Dask's dataframes are shuffled while a client of raskt is there.

Left alone, Dask shuffles through files of one process, or through the workers of a cluster if it finds one. Neither is
what a graph of tasks wants: the files hold the rows outside of what the scheduler knows.
"""

from __future__ import annotations

import dask.config

METHOD = "dataframe.shuffle.method"
_clients = 0
_is_ours = False


def refuse_cluster() -> None:
    """Raise if Dask was told to shuffle through a cluster."""
    if dask.config.get(METHOD, None) == "p2p":
        raise ValueError(
            f"Dask's setting {METHOD!r} is 'p2p', which runs only on a cluster of dask.distributed; "
            f"say dask.config.set({{{METHOD!r}: 'tasks'}})"
        )


def hold() -> None:
    """Shuffle by tasks from now on, unless the user chose a method."""
    global _clients, _is_ours
    _clients += 1
    if dask.config.get(METHOD, None) is None:
        dask.config.set({METHOD: "tasks"})
        _is_ours = True


def let_go() -> None:
    """Give the choice back to Dask when the last client is gone."""
    global _clients, _is_ours
    _clients -= 1
    if _clients == 0 and _is_ours:
        _is_ours = False
        # Put in place directly: a client may end while Dask's lock on its settings is held.
        shuffle = dask.config.config.get("dataframe", {}).get("shuffle", {})
        if shuffle.get("method") == "tasks":
            shuffle["method"] = None
