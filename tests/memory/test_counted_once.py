"""Arrays that several results hold are in memory once, and count once."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np

import raskt
from raskt.diagnostics import memory


def test_arrays_that_several_results_hold_count_once(tmp_path: Path) -> None:
    def derive(result: dict[str, Any], tag: int) -> dict[str, Any]:
        return {**result, "tag": tag}

    with raskt.config.set({"memory.limit": "16MiB", "memory.spill-path": str(tmp_path)}):
        before = memory().held
        first = raskt.delayed(lambda: {"array": np.ones(2**20)})().persist()
        derived = raskt.persist(*[raskt.delayed(derive)(first, tag) for tag in range(40)])
        assert memory().held - before < 9 * 2**20
        # 320 MiB beyond the limit, if they were counted one by one: then nothing more would be begun.
        sums = raskt.compute(*[raskt.delayed(lambda result: result["array"].sum())(result) for result in derived])
        assert sums == (2.0**20,) * 40
        more = raskt.persist(*[raskt.delayed(np.full)(2**18, float(seed)) for seed in range(20)])
        assert [array.compute()[0] for array in more] == list(range(20))
        del first
        gc.collect()
        assert memory().held - before >= 8 * 2**20
        del derived, more
        gc.collect()
        assert memory().held - before < 2**20
