"""Clusters: what starts schedulers and workers, here and elsewhere."""

from __future__ import annotations

from raskt.distributed._clusters._adaptive import Adaptive
from raskt.distributed._clusters._cluster import Cluster
from raskt.distributed._clusters._dask import DaskCluster
from raskt.distributed._clusters._local import LocalCluster
from raskt.distributed._clusters._nanny import Nanny
from raskt.distributed._clusters._process import ProcessInterface
from raskt.distributed._clusters._ray import RayCluster
from raskt.distributed._clusters._servers import Scheduler, Worker
from raskt.distributed._clusters._spec import SpecCluster
from raskt.distributed._clusters._ssh import SSHCluster
from raskt.distributed._clusters._status import Status
from raskt.distributed._clusters._subprocess import SubprocessCluster

__all__ = [
    "Adaptive",
    "Cluster",
    "DaskCluster",
    "LocalCluster",
    "Nanny",
    "ProcessInterface",
    "RayCluster",
    "SSHCluster",
    "Scheduler",
    "SpecCluster",
    "Status",
    "SubprocessCluster",
    "Worker",
]
