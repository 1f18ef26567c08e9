"""Files that are named by relative paths: whoever reads a pickle may be in another folder."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pandas as pd
import pytest

import raskt.dataframe as rd

COMPUTE = "import pickle, sys; print(pickle.load(sys.stdin.buffer).compute())"
PDF = pd.DataFrame({"a": [1, 2, 3]})


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Computes a pickle in another folder than this process is in; gives what came, and the two folders."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    monkeypatch.chdir(here)

    def compute(collection):
        pickled = pickle.dumps(collection)
        ran = subprocess.run(
            [sys.executable, "-c", COMPUTE], input=pickled, capture_output=True, timeout=120, cwd=there
        )
        assert ran.returncode == 0, ran.stderr.decode()
        return ran.stdout.decode().strip()

    return compute, here, there


@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_reading(elsewhere, kind):
    compute, here, _ = elsewhere
    if kind == "csv":
        PDF.to_csv("f.csv", index=False)
        df = rd.read_csv("f.csv")
    elif kind == "parquet":
        PDF.to_parquet("f.parquet")
        df = rd.read_parquet("f.parquet")
    else:
        PDF.to_json("f.json", orient="records", lines=True)
        df = rd.read_json("f.json", orient="records", lines=True)
    assert compute(df["a"].sum()) == "6"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_writing(elsewhere, kind):
    compute, here, there = elsewhere
    df = rd.from_pandas(PDF, npartitions=1)
    compute(df.to_csv("f-*.csv", compute=False) if kind == "csv" else df.to_parquet("out", compute=False))
    assert list(here.iterdir()) and not list(there.iterdir())
