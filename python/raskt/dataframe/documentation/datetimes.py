"""The accessor `.dt`."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import ROWS, Entry

__all__ = ["DATETIMES", "PRELUDE"]

PRELUDE = """\
>>> t = rd.from_pandas(pd.Series(pd.to_datetime(["2020-02-29 13:45:10", "2021-12-31 00:00:00"])), npartitions=1)
""".strip()

DATETIMES: dict[str, Entry] = {
    "day": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.day.compute().tolist()
[29, 31]
""",
    ),
    "day_of_week": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.day_of_week.compute().tolist()
[5, 4]
""",
    ),
    "day_of_year": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.day_of_year.compute().tolist()
[60, 365]
""",
    ),
    "dayofweek": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.dayofweek.compute().tolist()
[5, 4]
""",
    ),
    "dayofyear": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.dayofyear.compute().tolist()
[60, 365]
""",
    ),
    "days_in_month": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.days_in_month.compute().tolist()
[29, 31]
""",
    ),
    "daysinmonth": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.daysinmonth.compute().tolist()
[29, 31]
""",
    ),
    "hour": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.hour.compute().tolist()
[13, 0]
""",
    ),
    "microsecond": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.microsecond.compute().tolist()
[0, 0]
""",
    ),
    "minute": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.minute.compute().tolist()
[45, 0]
""",
    ),
    "month": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.month.compute().tolist()
[2, 12]
""",
    ),
    "nanosecond": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.nanosecond.compute().tolist()
[0, 0]
""",
    ),
    "quarter": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.quarter.compute().tolist()
[1, 4]
""",
    ),
    "second": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.second.compute().tolist()
[10, 0]
""",
    ),
    "weekday": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.weekday.compute().tolist()
[5, 4]
""",
    ),
    "year": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> t.dt.year.compute().tolist()
[2020, 2021]
""",
    ),
    "is_leap_year": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> t.dt.is_leap_year.compute().tolist()
[True, False]
""",
    ),
    "is_month_end": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> t.dt.is_month_end.compute().tolist()
[True, True]
""",
    ),
    "is_month_start": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> t.dt.is_month_start.compute().tolist()
[False, False]
""",
    ),
    "is_quarter_end": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> t.dt.is_quarter_end.compute().tolist()
[False, True]
""",
    ),
    "is_quarter_start": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> t.dt.is_quarter_start.compute().tolist()
[False, False]
""",
    ),
    "is_year_end": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> t.dt.is_year_end.compute().tolist()
[False, True]
""",
    ),
    "is_year_start": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of bool.",
        """
>>> t.dt.is_year_start.compute().tolist()
[False, False]
""",
    ),
    "days": Entry(
        "Series",
        f"{ROWS} Of int64, or of float64 where values are missing.",
        """
>>> d.dt.days.compute().tolist()
[1, 0]
""",
        prelude="""\
>>> d = rd.from_pandas(pd.Series(pd.to_timedelta(["1 days 02:00:00", "90s"])), npartitions=1)
""".strip(),
    ),
    "seconds": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> d.dt.seconds.compute().tolist()
[7200, 90]
""",
        prelude="""\
>>> d = rd.from_pandas(pd.Series(pd.to_timedelta(["1 days 02:00:00", "90s"])), npartitions=1)
""".strip(),
    ),
    "microseconds": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> d.dt.microseconds.compute().tolist()
[0, 0]
""",
        prelude="""\
>>> d = rd.from_pandas(pd.Series(pd.to_timedelta(["1 days 02:00:00", "90s"])), npartitions=1)
""".strip(),
    ),
    "nanoseconds": Entry(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        """
>>> d.dt.nanoseconds.compute().tolist()
[0, 0]
""",
        prelude="""\
>>> d = rd.from_pandas(pd.Series(pd.to_timedelta(["1 days 02:00:00", "90s"])), npartitions=1)
""".strip(),
    ),
    "total_seconds": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of float64.",
        """
>>> d.dt.total_seconds().compute().tolist()
[93600.0, 90.0]
""",
        prelude="""\
>>> d = rd.from_pandas(pd.Series(pd.to_timedelta(["1 days 02:00:00", "90s"])), npartitions=1)
""".strip(),
    ),
    "components": Entry(
        "DataFrame",
        f"{ROWS} A column of integers for each unit.",
        """
>>> d.dt.components.compute()[['days', 'hours', 'minutes']]
   days  hours  minutes
0     1      2        0
1     0      0        1
""",
        prelude="""\
>>> d = rd.from_pandas(pd.Series(pd.to_timedelta(["1 days 02:00:00", "90s"])), npartitions=1)
""".strip(),
    ),
    "to_pytimedelta": Entry(
        "Series",
        f"{ROWS} Of object: `datetime.timedelta`.",
        prelude="""\
>>> d = rd.from_pandas(pd.Series(pd.to_timedelta(["1 days 02:00:00", "90s"])), npartitions=1)
""".strip(),
    ),
    "date": Entry(
        "Series",
        f"{ROWS} Of object: `datetime.date`.",
        """
>>> t.dt.date.compute().tolist()
[datetime.date(2020, 2, 29), datetime.date(2021, 12, 31)]
""",
    ),
    "time": Entry(
        "Series",
        f"{ROWS} Of object: `datetime.time`.",
        """
>>> t.dt.time.compute().tolist()
[datetime.time(13, 45, 10), datetime.time(0, 0)]
""",
    ),
    "timetz": Entry(
        "Series",
        f"{ROWS} Of object: `datetime.time`.",
        """
>>> t.dt.timetz.compute().tolist()
[datetime.time(13, 45, 10), datetime.time(0, 0)]
""",
    ),
    "ceil": Entry(
        "Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> t.dt.ceil('h').compute()
0   2020-02-29 14:00:00
1   2021-12-31 00:00:00
dtype: datetime64[us]
""",
    ),
    "floor": Entry(
        "Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> t.dt.floor('h').compute()
0   2020-02-29 13:00:00
1   2021-12-31 00:00:00
dtype: datetime64[us]
""",
    ),
    "round": Entry(
        "Series",
        f"{ROWS} Types stay. Halves go to the even neighbour.",
        """
>>> t.dt.round('h').compute()
0   2020-02-29 14:00:00
1   2021-12-31 00:00:00
dtype: datetime64[us]
""",
    ),
    "normalize": Entry(
        "Series",
        "Of the same rows, labels and partitions. Types stay.",
        """
>>> t.dt.normalize().compute()
0   2020-02-29
1   2021-12-31
dtype: datetime64[us]
""",
    ),
    "day_name": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> t.dt.day_name().compute().tolist()
['Saturday', 'Friday']
""",
    ),
    "month_name": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> t.dt.month_name().compute().tolist()
['February', 'December']
""",
    ),
    "freq": Entry(
        "str",
        "None for times.",
        """
>>> t.dt.freq
""",
    ),
    "isocalendar": Entry(
        "DataFrame",
        f"{ROWS} Columns `year`, `week`, `day` of UInt32.",
        """
>>> t.dt.isocalendar().compute()
   year  week  day
0  2020     9    6
1  2021    52    5
""",
    ),
    "strftime": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of str.",
        """
>>> t.dt.strftime('%d.%m.%Y').compute().tolist()
['29.02.2020', '31.12.2021']
""",
    ),
    "tz": Entry(
        "tzinfo",
        "None without a zone; known without computing.",
        """
>>> t.dt.tz
""",
    ),
    "tz_convert": Entry(
        "Series",
        f"{ROWS} Of times of the zone.",
        """
>>> t.dt.tz_localize('UTC').dt.tz_convert('Europe/Oslo').compute()
0   2020-02-29 14:45:10+01:00
1   2021-12-31 01:00:00+01:00
dtype: datetime64[us, Europe/Oslo]
""",
        raises={"TypeError": "For times without a zone."},
    ),
    "tz_localize": Entry(
        "Series",
        f"{ROWS} Of times of the zone.",
        """
>>> t.dt.tz_localize('Europe/Oslo').compute()
0   2020-02-29 13:45:10+01:00
1   2021-12-31 00:00:00+01:00
dtype: datetime64[us, Europe/Oslo]
""",
    ),
    "unit": Entry(
        "str",
        "Known without computing.",
        """
>>> t.dt.unit
'us'
""",
    ),
    "as_unit": Entry(
        "Series",
        f"{ROWS} Of times of the unit.",
        """
>>> t.dt.as_unit('s').dtype
dtype('<M8[ms]')
""",
    ),
    "to_period": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of periods.",
    ),
    "to_timestamp": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of times.",
    ),
    "to_pydatetime": Entry(
        "Series",
        f"{ROWS} Of object: `datetime.datetime`.",
        """
>>> t.dt.to_pydatetime().compute().tolist()
[datetime.datetime(2020, 2, 29, 13, 45, 10), datetime.datetime(2021, 12, 31, 0, 0)]
""",
    ),
    "end_time": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of times.",
    ),
    "start_time": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of times.",
    ),
    "qyear": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of int64.",
    ),
}
