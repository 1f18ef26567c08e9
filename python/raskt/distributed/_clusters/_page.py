"""A cluster as notebooks show it."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raskt.distributed._clusters._cluster import Cluster

WORKERS_SHOWN = 50
"""Workers that are shown one by one, at most."""

BYTES_OF_GIB = 2**30


def page(cluster: Cluster, status: str | None = None) -> str:
    """What there is of a cluster, as a table, and its workers under it."""
    info = cluster.scheduler_info
    facts = {"Status": status or cluster.status.name, "Workers": info["n_workers"]}
    if cluster._has_scheduler:
        facts |= {
            "Scheduler": cluster.scheduler_address,
            "Threads": info.get("total_threads", 0),
            "Memory": _memory(info.get("total_memory", 0)),
        }
    rows = "".join(f"<tr><th>{name}</th><td>{html.escape(str(fact))}</td></tr>" for name, fact in facts.items())
    title = f"{type(cluster).__name__} {cluster.name}"
    return f"<div><strong>{html.escape(title)}</strong><table>{rows}</table>{_workers(info['workers'])}</div>"


def _workers(workers: dict[str, Any]) -> str:
    if not workers:
        return ""
    shown = sorted(workers.values(), key=lambda about: str(about["name"]))[:WORKERS_SHOWN]
    rows = "".join(
        f"<tr><td>{html.escape(str(about['name']))}</td><td>{about['nthreads']}</td>"
        f"<td>{_memory(about['memory_limit'])}</td></tr>"
        for about in shown
    )
    more = f"<p>and {len(workers) - len(shown)} more</p>" if len(workers) > len(shown) else ""
    heads = "<tr><th>Worker</th><th>Threads</th><th>Memory</th></tr>"
    return f"<details><summary>Workers</summary><table>{heads}{rows}</table>{more}</details>"


def _memory(count: int | None) -> str:
    return "no limit" if not count else f"{count / BYTES_OF_GIB:.2f} GiB"
