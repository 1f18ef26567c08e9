"""A year of flights from New York: dataframes, arrays and delayed functions on real data.

    make demo
    python examples/01_flights.py [--data FOLDER] [--picture FILE]

raskt does all the work; NumPy appears once, to check the linear algebra, and matplotlib draws the picture at the end.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from flights_data import default_folder, prepare
from raskt.diagnostics import ProgressBar

FEATURES = ["dep_delay", "distance", "hour", "temp", "humid", "wind_speed", "precip", "visib", "seats", "age"]
TARGET = "arr_delay"
TOLERANCE = 1e-8


def main() -> None:
    options = parse_arguments()
    began = time.perf_counter()
    with step("data"):
        folder = prepare(options.data)
        print(f"in {folder}")
    flights, joined, by_hour = dataframe_part(folder)
    array_part(joined)
    delayed_part(sorted((folder / "csv").glob("*.csv")), len(flights))
    with step("picture"):
        draw(by_hour, options.picture)
        print(f"in {options.picture.resolve()}")
    print(f"\nAll of it took {time.perf_counter() - began:.1f} s.")


def dataframe_part(folder: Path) -> tuple[Any, Any, pd.DataFrame]:
    """Read, aggregate, join."""
    with step("read: twelve CSV files, checked against the same months in Parquet"):
        flights = rd.read_csv(folder / "csv", na_values=["NA"], parse_dates=["time_hour"])
        flights = flights.assign(dep_hour=flights.dep_time // 100 % 24)
        parquet = rd.read_parquet(folder / "parquet")
        missing, rows, rows_parquet = raskt.compute(
            flights.isna().sum(), flights.flight.count(), parquet.flight.count()
        )
        assert rows == rows_parquet, (rows, rows_parquet)
        print(f"{rows:,} flights; types and missing values:")
        print(pd.DataFrame({"type": flights.dtypes, "missing": missing}).T.to_string())

    with step("group by: delays by carrier, and by hour and origin"):
        airlines = rd.read_csv(folder / "airlines.csv")
        carriers = flights.groupby("carrier").agg(
            flights=("flight", "size"),
            delay=("dep_delay", "mean"),
            worst=("dep_delay", "max"),
            spread=("arr_delay", "std"),
        )
        carriers = carriers.reset_index().merge(airlines, on="carrier").sort_values("delay", ascending=False)
        hours = flights.dropna(subset=["dep_hour"]).groupby(["dep_hour", "origin"]).agg(delay=("dep_delay", "mean"))
        carriers, by_hour = raskt.compute(carriers, hours)
        print(carriers.head(5).to_string(index=False, float_format="%.1f"))

    with step("top and counts: the ten worst routes, flights by day"):
        routes = flights.groupby(["origin", "dest"]).agg(flights=("flight", "size"), delay=(TARGET, "mean"))
        worst = routes[routes.flights >= 100].nlargest(10, "delay")
        daily = flights.groupby(["month", "day"]).agg(flights=("flight", "size"))
        worst, daily = raskt.compute(worst, daily)
        print(worst.to_string(float_format="%.1f"))
        print(f"{len(daily)} days, from {daily.flights.min()} to {daily.flights.max()} flights a day")

    with step("join: flights with the weather at departure and the plane"):
        weather = rd.read_csv(folder / "weather.csv", na_values=["NA"], parse_dates=["time_hour"])
        weather = weather[["origin", "time_hour", "temp", "humid", "wind_speed", "precip", "visib"]]
        planes = rd.read_csv(folder / "planes.csv", na_values=["NA"])[["tailnum", "year", "seats"]]
        joined = flights.merge(weather, on=["origin", "time_hour"])
        joined = joined.merge(planes.rename(columns={"year": "built"}), on="tailnum")
        joined = joined.assign(age=joined.year - joined.built)
        joined = joined[[*FEATURES, TARGET]].dropna().persist()
        print(f"{len(joined):,} flights with everything known")
    return flights, joined, by_hour


def array_part(joined: Any) -> None:
    """Standardise, covariance, singular values, least squares; the same in NumPy."""
    with step("array: standardise, covariance, SVD and least squares by blocks"):
        matrix = joined.astype("float64").to_array(lengths=True)
        features, target = matrix[:, :-1], matrix[:, -1]
        standard = (features - features.mean(axis=0)) / features.std(axis=0)
        covariance = standard.T @ standard / (standard.shape[0] - 1)
        _, singular, _ = ra.linalg.svd(standard)
        coefficients, *_ = ra.linalg.lstsq(standard, target - target.mean())
        results = raskt.compute(covariance, singular, coefficients)
        print(
            f"{matrix.shape[0]:,} x {matrix.shape[1]} in {matrix.numblocks[0]} blocks; minutes of arrival delay by one"
        )
        print("standard deviation of: " + ", ".join(f"{n} {c:+.2f}" for n, c in zip(FEATURES, results[2])))

    with step("check: NumPy on the same data"):
        whole = matrix.compute()
        features, target = whole[:, :-1], whole[:, -1]
        standard = (features - features.mean(axis=0)) / features.std(axis=0)
        expected = (
            np.cov(standard, rowvar=False),
            np.linalg.svd(standard, compute_uv=False),
            np.linalg.lstsq(standard, target - target.mean())[0],
        )
        for name, ours, theirs in zip(["covariance", "singular values", "coefficients"], results, expected):
            apart = np.abs(ours - theirs).max() / np.abs(theirs).max()
            print(f"{name}: {apart:.1e} apart")
            assert apart < TOLERANCE, name


def delayed_part(months: list[Path], rows: int) -> None:
    """A tree of ordinary functions over the files."""
    with step("delayed: planes by number of flights, counted by ordinary functions in a tree"):
        counts = [raskt.delayed(count_planes)(path) for path in months]
        while len(counts) > 1:
            counts = [raskt.delayed(add)(*counts[i : i + 2]) for i in range(0, len(counts), 2)]
        total = counts[0].compute()
        assert total.total() == rows, (total.total(), rows)
        print(", ".join(f"{plane} {count}" for plane, count in total.most_common(6) if plane != "NA"))


def count_planes(path: Path) -> Counter[str]:
    with path.open(newline="") as file:
        return Counter(row["tailnum"] for row in csv.DictReader(file))


def add(a: Counter[str], b: Counter[str] | None = None) -> Counter[str]:
    return a if b is None else a + b


def draw(by_hour: pd.DataFrame, path: Path) -> None:
    """Mean departure delay by hour of departure, a line for each airport."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    by_hour["delay"].unstack("origin").loc[5:23].plot(ax=axes, marker="o", markersize=3)
    axes.set(
        xlabel="hour of departure", ylabel="mean departure delay in minutes", title="Flights from New York in 2013"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Print the title, draw a bar for every computation, and print the time."""
    print(f"\n{title}")
    began = time.perf_counter()
    with ProgressBar(minimum=0.05):
        yield
    print(f"-- {time.perf_counter() - began:.2f} s")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_folder(), help="where the data lies or is put")
    parser.add_argument("--picture", type=Path, default=Path("flights.png"), help="where the picture goes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
