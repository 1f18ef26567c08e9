"""The accessor `.dt`."""

from __future__ import annotations

from raskt.dataframe.documentation.entry import ROWS, Entry, alike

__all__ = ["DATETIMES", "PRELUDE"]

PRELUDE = """\
>>> t = rd.from_pandas(pd.Series(pd.to_datetime(["2020-02-29 13:45:10", "2021-12-31 00:00:00"])), npartitions=1)
""".strip()

PERIODS = """\
>>> p = rd.from_pandas(pd.Series(pd.PeriodIndex(["2020-02", "2021-12"], freq="M")), npartitions=1)
""".strip()

DATETIMES: dict[str, Entry] = {
    **alike(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        "t.dt.{}.compute().tolist()",
        {
            "day": "[29, 31]",
            "day_of_week": "[5, 4]",
            "day_of_year": "[60, 365]",
            "dayofweek": "[5, 4]",
            "dayofyear": "[60, 365]",
            "days_in_month": "[29, 31]",
            "daysinmonth": "[29, 31]",
            "hour": "[13, 0]",
            "microsecond": "[0, 0]",
            "minute": "[45, 0]",
            "month": "[2, 12]",
            "nanosecond": "[0, 0]",
            "quarter": "[1, 4]",
            "second": "[10, 0]",
            "weekday": "[5, 4]",
            "year": "[2020, 2021]",
        },
    ),
    **alike(
        "Series",
        f"{ROWS} Of bool.",
        "t.dt.{}.compute().tolist()",
        {
            "is_leap_year": "[True, False]",
            "is_month_end": "[True, True]",
            "is_month_start": "[False, False]",
            "is_quarter_end": "[False, True]",
            "is_quarter_start": "[False, False]",
            "is_year_end": "[False, True]",
            "is_year_start": "[False, False]",
        },
    ),
    **alike(
        "Series",
        f"{ROWS} Of int32, or of float64 where values are missing.",
        "d.dt.{}.compute().tolist()",
        {
            "seconds": "[7200, 90]",
            "microseconds": "[0, 0]",
            "nanoseconds": "[0, 0]",
        },
        prelude="""\
>>> d = rd.from_pandas(pd.Series(pd.to_timedelta(["1 days 02:00:00", "90s"])), npartitions=1)
""".strip(),
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
        """
>>> d.dt.to_pytimedelta().compute().tolist()
[datetime.timedelta(days=1, seconds=7200), datetime.timedelta(seconds=90)]
""",
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
dtype('<M8[s]')
""",
    ),
    "to_period": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of periods.",
        """
>>> t.dt.to_period('M').compute().astype(str).tolist()
['2020-02', '2021-12']
""",
    ),
    "to_timestamp": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of times.",
        """
>>> p.dt.to_timestamp().compute().dt.month.tolist()
[2, 12]
""",
        prelude=PERIODS,
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
        """
>>> p.dt.end_time.dt.floor("D").compute().dt.day.tolist()
[29, 31]
""",
        prelude=PERIODS,
    ),
    "start_time": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of times.",
        """
>>> p.dt.start_time.compute().dt.day.tolist()
[1, 1]
""",
        prelude=PERIODS,
    ),
    "qyear": Entry(
        "Series",
        "Of the same rows, labels and partitions. Of int64.",
        """
>>> p.dt.qyear.compute().tolist()
[2020, 2021]
""",
        prelude=PERIODS,
    ),
}
