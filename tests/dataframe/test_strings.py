"""The `.str` accessor: every method against pandas."""

import re
import unicodedata

import pandas as pd
import pytest

import raskt.dataframe as rd
from frame_comparing import check

VALUES = [
    "abc",
    "ABC def",
    None,
    "",
    " pad ",
    "été",
    "Ünï",
    "123",
    "12.5",
    "a,b,c",
    "x-y_z",
    "ñandú",
    "日本語",
    "aXbXc",
    "Title Case",
]

CALLS = {
    "capitalize": (), "casefold": (), "isalnum": (), "isalpha": (), "isdecimal": (), "isdigit": (), "islower": (),
    "isnumeric": (), "isspace": (), "istitle": (), "isupper": (), "len": (), "lower": (), "lstrip": (), "rstrip": (),
    "strip": (), "swapcase": (), "title": (), "upper": (),
}  # fmt: skip

ARGUMENTS = [
    ("center", (9, "*"), {}),
    ("contains", ("b",), {}),
    ("contains", ("[a-c]+$",), {}),
    ("contains", ("B",), {"case": False}),
    ("contains", (".",), {"regex": False}),
    ("contains", ("b",), {"na": False}),
    ("count", ("a",), {}),
    ("encode", ("utf-8",), {}),
    ("endswith", ("c",), {}),
    ("endswith", (("c", "f"),), {}),
    ("extract", (r"([a-z])(\d)?",), {}),
    ("extract", (r"(?P<first>[a-z])",), {"expand": False}),
    ("find", ("b",), {}),
    ("findall", ("[a-c]",), {}),
    ("fullmatch", ("[a-c]+",), {}),
    ("get", (1,), {}),
    ("get", (-1,), {}),
    ("join", ("-",), {}),
    ("ljust", (6,), {}),
    ("lstrip", ("a ",), {}),
    ("match", ("[a-c]",), {}),
    ("normalize", ("NFKD",), {}),
    ("pad", (6,), {"side": "both", "fillchar": "."}),
    ("partition", (",",), {}),
    ("removeprefix", ("ab",), {}),
    ("removesuffix", ("c",), {}),
    ("repeat", (2,), {}),
    ("replace", ("b", "BB"), {}),
    ("replace", ("[ab]", "_"), {"regex": True}),
    ("replace", ("X", "-"), {"n": 1}),
    ("replace", (".", "!"), {"regex": False}),
    ("rfind", ("c",), {}),
    ("rjust", (6, "0"), {}),
    ("rpartition", (",",), {}),
    ("rsplit", (",",), {"n": 1, "expand": True}),
    ("slice", (1, 3), {}),
    ("slice", (None, None, -1), {}),
    ("slice", (-2, None), {}),
    ("slice_replace", (0, 1, "#"), {}),
    ("split", (",",), {}),
    ("split", (",",), {"n": 2, "expand": True}),
    ("startswith", ("a",), {}),
    ("strip", (" ac",), {}),
    ("translate", ({97: "A"},), {}),
    ("wrap", (3,), {}),
    ("zfill", (6,), {}),
]


@pytest.fixture(params=[1, 4])
def pair(request):
    series = pd.Series(VALUES, name="s")
    return rd.from_pandas(series, npartitions=request.param), series


@pytest.mark.parametrize("name", CALLS)
def test_plain(pair, name):
    lazy, series = pair
    check(getattr(lazy.str, name)(), getattr(series.str, name)())


@pytest.mark.parametrize(("name", "args", "kwargs"), ARGUMENTS, ids=lambda value: str(value))
def test_with_arguments(pair, name, args, kwargs):
    lazy, series = pair
    if kwargs.get("expand") and name in ("split", "rsplit"):
        lazy, series = lazy[lazy.str.count(",") == 2], series[series.str.count(",") == 2]
        if name == "split":
            check(getattr(lazy.str, name)(*args, **kwargs), getattr(series.str, name)(*args, **kwargs))
        return
    check(getattr(lazy.str, name)(*args, **kwargs), getattr(series.str, name)(*args, **kwargs))


def test_index_methods():
    series = pd.Series(["abc", "cab"])
    lazy = rd.from_pandas(series, npartitions=2)
    check(lazy.str.index("a"), series.str.index("a"))
    check(lazy.str.rindex("b"), series.str.rindex("b"))


def test_slicing(pair):
    lazy, series = pair
    check(lazy.str[0], series.str[0])
    check(lazy.str[:2], series.str[:2])


def test_cat(pair):
    lazy, series = pair
    check(lazy.str.cat(lazy, sep="-"), series.str.cat(series, sep="-"))
    check(lazy.str.cat(lazy, sep="-", na_rep="?"), series.str.cat(series, sep="-", na_rep="?"))


def test_the_result_filters(pair):
    lazy, series = pair
    check(lazy[lazy.str.contains("a", na=False)], series[series.str.contains("a", na=False)])
    check(lazy[lazy.str.len() > 3], series[series.str.len() > 3])


def test_of_numbers_is_refused():
    with pytest.raises(AttributeError, match="str"):
        rd.from_pandas(pd.Series([1, 2]), npartitions=1).str


def test_unknown_method(pair):
    with pytest.raises(AttributeError, match="uper"):
        pair[0].str.uper()


def test_all_null():
    series = pd.Series([None, None], dtype="str")
    lazy = rd.from_pandas(series, npartitions=2)
    check(lazy.str.upper(), series.str.upper())
    check(lazy.str.len(), series.str.len())
    check(lazy.str.contains("a"), series.str.contains("a"))


@pytest.mark.parametrize("pattern", [r"\w", r"\W", r"\s", r"\S", r"\d", r"\D", r"[\w-]", r"[^\s.]", ".", "k"])
def test_classes_of_characters_are_those_of_python(pattern):
    # Those that this Python knows: the native side may know a later Unicode.
    known = [chr(code) for code in range(0x11000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    letters = pd.Series(known, dtype="str")
    contains = rd.from_pandas(letters, npartitions=3).str.contains(pattern).compute()
    expected = pd.Series([re.search(pattern, letter) is not None for letter in letters])
    assert letters[contains.ne(expected)].map(ascii).tolist() == []
