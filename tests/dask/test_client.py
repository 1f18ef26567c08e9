"""The client: what Dask takes it for, shuffles, settings, versions."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import raskt
import raskt.dask
from raskt.dask import _versions

dask = pytest.importorskip("dask")

from dask.base import get_scheduler  # noqa: E402

METHOD = "dataframe.shuffle.method"


def test_dask_takes_it_for_a_scheduler():
    client = raskt.dask.Client()
    assert get_scheduler(scheduler=client) is client.get
    assert get_scheduler(scheduler=raskt.dask.get) is raskt.dask.get
    with dask.config.set(scheduler=client):
        assert get_scheduler() is client.get
    with raskt.dask.Client(num_workers=2) as client:
        assert get_scheduler() is client.get
        with client:
            assert get_scheduler() is client.get
        assert get_scheduler() is client.get
    assert get_scheduler() is not client.get
    client.close()


def test_what_a_client_is_told_is_checked():
    with pytest.raises(ValueError, match="num_workers is 0"):
        raskt.dask.Client(num_workers=0)
    for wrong in ("two", 1.5):
        with pytest.raises(TypeError, match="whole number"):
            raskt.dask.Client(num_workers=wrong)
    for wrong in ("process", 3):
        with pytest.raises(ValueError, match="'processes' and 'sync' are known"):
            raskt.dask.Client(scheduler=wrong)
    for wrong in (None, 3, "graph"):
        with pytest.raises(TypeError, match="a graph of Dask is"):
            raskt.dask.get(wrong, "x")
    with pytest.raises(ValueError, match="'fast'"):
        raskt.dask.Client(scheduler="fast")


def test_frames_are_shuffled_by_tasks_as_long_as_there_is_a_client():
    assert dask.config.get(METHOD, None) is None
    with dask.config.set(scheduler=raskt.dask.Client()):
        assert dask.config.get(METHOD) == "tasks"
        other = raskt.dask.Client()
    assert dask.config.get(METHOD) == "tasks"
    other.close()
    other.close()
    assert dask.config.get(METHOD, None) is None


def test_the_shuffle_that_the_user_chose_stays():
    with dask.config.set({METHOD: "disk"}):
        with raskt.dask.Client():
            assert dask.config.get(METHOD) == "disk"
        assert dask.config.get(METHOD) == "disk"


def test_shuffles_of_a_cluster_are_refused():
    with dask.config.set({METHOD: "p2p"}), pytest.raises(ValueError, match="'p2p'.*'tasks'"):
        raskt.dask.Client()


def test_graphs_that_shuffle_through_a_cluster_are_refused():
    shuffle = pytest.importorskip("distributed.shuffle._shuffle")
    from dask._task_spec import Task

    with pytest.raises(ValueError, match="cluster of dask.distributed"):
        raskt.dask.get({"x": Task("x", shuffle.shuffle_unpack, 1, 2, 3)}, "x")
    import dask.dataframe as dd

    frame = dd.from_pandas(pd.DataFrame({"a": np.arange(10)}), npartitions=3)
    with dask.config.set({METHOD: "p2p"}), pytest.raises(ValueError, match="cluster of dask.distributed"):
        frame.shuffle("a").compute(scheduler=raskt.dask.get)


def test_settings_of_raskt_hold():
    import threading

    here = dask.delayed(lambda _: threading.get_ident())
    with raskt.config.set(scheduler="sync"):
        assert set(dask.compute(*map(here, range(5)), scheduler=raskt.dask.get)) == {threading.get_ident()}
    assert here(0).compute(scheduler=raskt.dask.Client(scheduler="threads")) != threading.get_ident()


@pytest.mark.own_process
def test_pools_that_were_meant_for_dask_say_how_many_workers():
    import time
    from concurrent.futures import ThreadPoolExecutor
    from multiprocessing.pool import ThreadPool

    work = [dask.delayed(lambda _: (__import__("threading").get_ident(), time.sleep(0.02))[0])(i) for i in range(9)]
    with ThreadPoolExecutor(3) as executor, ThreadPool(2) as pool:
        assert len(set(dask.compute(*work, scheduler=raskt.dask.get, pool=executor))) == 3
        with dask.config.set(pool=pool):
            assert len(set(dask.compute(*work, scheduler=raskt.dask.get))) == 2


def test_keywords_for_other_schedulers_are_passed_over():
    assert raskt.dask.get({"x": 1}, "x", chunksize=3, optimize_graph=True) == 1


def test_this_version_of_dask_is_a_tested_one():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _versions.check()


@pytest.mark.parametrize("version", ["2025.12.0", "2027.1.0", "2026.9"])
def test_other_versions_are_warned_of(version, monkeypatch):
    monkeypatch.setattr(dask, "__version__", version)
    with pytest.warns(RuntimeWarning, match=f"tested with Dask 2026.1 to 2026.8, and this is Dask {version}"):
        _versions.check()


@pytest.mark.parametrize(
    ("prelude", "message"),
    [
        ("sys.modules['dask'] = None", "Dask can't be imported .*pip install 'dask"),
        ("import dask; sys.modules['dask._task_spec'] = None", "since 2024.12, and this is Dask"),
    ],
)
def test_without_dask_the_module_says_so(prelude, message):
    import re

    code = f"import sys; {prelude}\nimport raskt\nraskt.dask"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(f"ImportError: .*{message}", done.stderr), done.stderr


def test_raskt_alone_imports_no_dask():
    code = "import sys, raskt; assert 'dask' not in sys.modules; raskt.dask; assert 'dask' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
