"""A year of flights out of New York: dataframes, arrays and delayed functions on real data.

    make demo
    python examples/01_flights.py [folder for the picture]

It reads 336,776 flights from monthly CSV and Parquet files, joins them with weather and planes, fits the arrival delay
by least squares and compares the arithmetic with NumPy's, and draws the delay by hour and origin.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import raskt
import raskt.array as ra
import raskt.dataframe as rd
from flights_data import prepare
from raskt import delayed
from raskt.diagnostics import ProgressBar

FEATURES = ["dep_delay", "distance", "air_time", "temp", "humid", "wind_speed", "precip", "visib", "seats"]
TARGET = "arr_delay"


@contextmanager
def step(title: str) -> Iterator[None]:
    """A heading before a step, its time after it."""
    print(f"\n== {title}")
    start = time.perf_counter()
    with ProgressBar(width=30):
        yield
    print(f"-- {time.perf_counter() - start:.2f} s")


def read(folder: Path) -> tuple[rd.DataFrame, rd.DataFrame, rd.DataFrame]:
    """Flights of all months, the weather at each hour, the planes; "NA" is missing, and times of day are parsed."""
    flights = rd.read_csv(str(folder / "csv"), parse_dates=["time_hour"])
    weather = rd.read_csv(str(folder / "weather.csv"), parse_dates=["time_hour"])
    planes = rd.read_csv(str(folder / "planes.csv"))
    return flights.assign(departure_hour=flights.time_hour.dt.hour), weather, planes


def types_and_missing(flights: rd.DataFrame, folder: Path) -> None:
    in_parquet = rd.read_parquet(str(folder / "parquet"))
    rows, from_parquet, missing = raskt.compute(flights.flight.count(), in_parquet.flight.count(), flights.isna().sum())
    assert rows == from_parquet, "the two folders hold the same flights"
    print(f"{rows:,} flights in 12 CSV files, as many in 12 Parquet files")
    print(f"types: {', '.join(f'{name} {kind}' for name, kind in flights.dtypes.items() if name in missing[missing > 0])}")
    print(f"missing: {missing[missing > 0].to_dict()}")


def delays(flights: rd.DataFrame) -> Any:
    """By carrier, and by hour and origin, with several aggregations each."""
    by_carrier = flights.groupby("carrier").agg(
        flights=("flight", "size"), departure=("dep_delay", "mean"), spread=("dep_delay", "std"), worst=("dep_delay", "max")
    )
    by_hour = flights.groupby(["hour", "origin"]).agg(delay=("dep_delay", "mean"), flights=("flight", "size"))
    by_carrier, by_hour = raskt.compute(by_carrier.sort_values("departure", ascending=False), by_hour)
    print(by_carrier.head(5).round(1).to_string())
    return by_hour


def routes_and_days(flights: rd.DataFrame) -> None:
    routes = flights.groupby(["origin", "dest"]).agg(delay=("arr_delay", "mean"), flights=("flight", "size"))
    worst = routes[routes.flights >= 100].nlargest(10, "delay")
    days = flights.groupby(["month", "day"]).size()
    worst, days = raskt.compute(worst, days)
    print(worst.round(1).to_string())
    print(f"flights a day: {days.min()} to {days.max()}, {days.mean():.0f} on average over {len(days)} days")


def joined(flights: rd.DataFrame, weather: rd.DataFrame, planes: rd.DataFrame) -> rd.DataFrame:
    """Each flight with the weather at its hour and the seats of its plane."""
    weather = weather[["origin", "time_hour", "temp", "humid", "wind_speed", "precip", "visib"]]
    with_weather = flights.merge(weather, on=["origin", "time_hour"])
    return with_weather.merge(planes[["tailnum", "seats", "engines"]], on="tailnum")


def linear_algebra(frame: rd.DataFrame) -> None:
    """Standardise, covariance, singular values and a least-squares fit of the arrival delay; NumPy does the same."""
    import numpy as np

    table = frame[[*FEATURES, TARGET]].dropna().persist()
    matrix = table.astype("float64").to_array(lengths=True).rechunk((20_000, -1)).persist()
    features, target = matrix[:, :-1], matrix[:, -1]
    scaled = (features - features.mean(axis=0)) / features.std(axis=0)
    covariance = scaled.T @ scaled / (len(scaled) - 1)
    _, singular, _ = ra.linalg.svd(scaled)
    design = ra.concatenate([scaled, ra.ones((len(scaled), 1), chunks=(scaled.chunks[0], 1))], axis=1).rechunk((20_000, -1))
    fit, _, rank, _ = ra.linalg.lstsq(design, target)
    covariance, singular, fit, rank, plain = raskt.compute(covariance, singular, fit, rank, matrix)

    x, y = plain[:, :-1], plain[:, -1]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    np.testing.assert_allclose(covariance, x.T @ x / (len(x) - 1), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(singular, np.linalg.svd(x, compute_uv=False), rtol=1e-8)
    expected = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y, rcond=None)[0]
    np.testing.assert_allclose(fit, expected, rtol=1e-8, atol=1e-8)
    print(f"a matrix of {plain.shape[0]:,} × {plain.shape[1]}; rank {rank}; equal to NumPy to 1e-8")
    print(f"singular values: {', '.join(f'{value:.0f}' for value in singular)}")
    strongest = sorted(zip(FEATURES, fit), key=lambda pair: -abs(pair[1]))[:4]
    print(f"minutes of arrival delay for one standard deviation: {', '.join(f'{n} {c:+.1f}' for n, c in strongest)}")


def busiest_days(folder: Path) -> None:
    """Ordinary Python functions over the monthly files, as a small tree."""

    @delayed
    def count_days(path: Path) -> dict[str, int]:
        days: dict[str, int] = {}
        with open(path) as lines:
            next(lines)
            for line in lines:
                year, month, day, _ = line.split(",", 3)
                key = f"{year}-{int(month):02}-{int(day):02}"
                days[key] = days.get(key, 0) + 1
        return days

    @delayed
    def merge(parts: list[dict[str, int]]) -> dict[str, int]:
        return {day: count for part in parts for day, count in part.items()}

    @delayed
    def top(days: dict[str, int], n: int) -> list[tuple[str, int]]:
        return sorted(days.items(), key=lambda item: (-item[1], item[0]))[:n]

    months = [count_days(path) for path in sorted((folder / "csv").glob("*.csv"))]
    quarters = [merge(months[start : start + 3]) for start in range(0, 12, 3)]
    for day, flights in top(merge(quarters), 3).compute():
        print(f"{day}: {flights} flights")


def draw(by_hour: Any, target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for origin, delay in by_hour["delay"].unstack("origin").items():
        axes.plot(delay.index, delay, marker="o", label=origin)
    axes.set(title="Departure delay by hour and origin, New York 2013", xlabel="scheduled hour", ylabel="mean delay (minutes)")
    axes.grid(alpha=0.3)
    axes.legend(title="origin")
    figure.savefig(target, dpi=120)
    print(f"drawn: {target}")


def main() -> None:
    start = time.perf_counter()
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd()
    folder = prepare()
    flights, weather, planes = read(folder)
    with step("types and missing values of both folders"):
        types_and_missing(flights, folder)
    with step("delays by carrier, by hour and origin"):
        by_hour = delays(flights)
    with step("the ten worst routes, flights a day"):
        routes_and_days(flights)
    with step("joined with weather and planes, as a matrix"):
        linear_algebra(joined(flights, weather, planes))
    with step("ordinary functions over the monthly files"):
        busiest_days(folder)
    with step("a picture"):
        draw(by_hour, pictures / "delay_by_hour.png")
    print(f"\nall of it: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
