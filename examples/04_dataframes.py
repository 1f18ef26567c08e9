"""A plan over a folder of Parquet files, and what of it runs natively.

python examples/04_dataframes.py
"""

import raskt.dataframe as rd
from flights_data import prepare

flights = rd.read_parquet(prepare() / "parquet")

# A mean by group over chosen rows: of nineteen columns three are read, and rows are chosen while they are.
long_haul = flights[flights.distance > 2000].groupby("carrier")["arr_delay"].mean()
print(long_haul.explain())
print(long_haul.compute().round(1))

# A function of one's own takes whole partitions as pandas frames; the plan says so.
by_hand = flights[["tailnum"]].map_partitions(lambda frame: frame.tailnum.str.extract("([A-Z]+)$"))
print(by_hand.explain())
