"""Collections of Dask on raskt's engine.

``dask.array``, ``dask.dataframe``, ``dask.bag``, ``dask.delayed`` and what is built on them (xarray, ...) run as they
are; only the scheduler is another one. Say so once, or at one call:

>>> import dask, dask.array as da, raskt.dask
>>> x = da.arange(1000, chunks=100)
>>> with dask.config.set(scheduler=raskt.dask.Client()):
...     print((x + 1).sum().compute())
500500
>>> float(x.mean().compute(scheduler=raskt.dask.get))
499.5

The graph is taken after Dask's own optimiser. `Client` also sees to it that dataframes are shuffled by tasks.
"""

from __future__ import annotations

from raskt.dask import _versions

_versions.check()

from raskt.dask._client import Client, get  # noqa: E402  (what is wrong with Dask is said before Dask is used)

__all__ = ["Client", "get"]
