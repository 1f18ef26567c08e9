"""Linear algebra of many blocks by NumPy, whose BLAS has threads of its own beside those of the scheduler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workload import Case, Stopwatch

BLOCKS = 40
SVD_SHAPE = (400, 400)
PRODUCT_SHAPE = (1000, 1000)


def block(index: int, shape: tuple[int, int]) -> Any:
    import numpy as np

    return np.random.default_rng(index).random(shape)


def svd(x: Any) -> float:
    import numpy as np

    return float(np.linalg.svd(x, compute_uv=True)[1].sum())


def product(x: Any) -> float:
    return float((x @ x).sum())


def raskt(function: Callable[[Any], float], shape: tuple[int, int], **settings: Any) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import raskt

        blocks = [block(index, shape) for index in range(BLOCKS)]
        with raskt.config.set(settings), stopwatch:
            return float(sum(raskt.compute(*[raskt.delayed(function)(x) for x in blocks])))

    return run


def dask(function: Callable[[Any], float], shape: tuple[int, int]) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        import dask

        blocks = [block(index, shape) for index in range(BLOCKS)]
        with stopwatch:
            return float(sum(dask.compute(*[dask.delayed(function)(x) for x in blocks], scheduler="threads")))

    return run


def numpy(function: Callable[[Any], float], shape: tuple[int, int]) -> Callable[[Stopwatch], float]:
    def run(stopwatch: Stopwatch) -> float:
        blocks = [block(index, shape) for index in range(BLOCKS)]
        with stopwatch:
            return float(sum(function(x) for x in blocks))

    return run


def case(function: Callable[[Any], float], shape: tuple[int, int], what: str) -> Case:
    systems = {
        "raskt": raskt(function, shape),
        "raskt, libraries free": raskt(function, shape, **{"library-threads": "free"}),
        "raskt, processes": raskt(function, shape, scheduler="processes"),
        "dask.threaded": dask(function, shape),
        "numpy": numpy(function, shape),
    }
    return Case(f"{what} of {BLOCKS} blocks of {shape[0]} × {shape[1]} f64", systems, repeats=3)


CASES = {
    "svd": case(svd, SVD_SHAPE, "numpy.linalg.svd"),
    "product": case(product, PRODUCT_SHAPE, "x @ x"),
}
