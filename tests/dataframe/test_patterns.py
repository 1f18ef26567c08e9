"""Regular expressions mean what they mean to pandas, natively or not."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raskt.dataframe as rd
from raskt.dataframe.accessors.patterns import native_pattern

TEXT = [
    "a{2b",
    "aa1",
    "A.b",
    None,
    "ünï",
    "a|b",
    "",
    "a1b2c3",
    "x$",
    "^x",
    "tab\t",
    "(p)",
    "[q]",
    "ß",
    "<a>",
    "  ",
    "é",
    "aab",
]
PATTERNS = [
    "a{2", "a{2}", "a{2b", "a{1,2}b?", "{", "}", r"\d", r"\D+", r"\w+", r"[^\w]", r"\s", r"\<", r"\<a\>", "a|b", r"\.",
    ".", r"(?P<n>a)\d", r"(?=a)", r"(a)\1", r"\bx", "[|&]", "[a-c]+", "[^a-c]", r"[\]a]", "a*?b", "a+?", "(a|b)+",
    r"\Aa", "^a", r"\x61", r"\u00e9", "é", r"\N{LATIN SMALL LETTER A}", "(?i)AB", "(?:ab|a)b", "x{0}a", r"[\d-]",
]  # fmt: skip
METHODS = {
    "contains": lambda text, pattern: text.str.contains(pattern),
    "contains in any case": lambda text, pattern: text.str.contains(pattern, case=False),
    "match": lambda text, pattern: text.str.match(pattern),
    "fullmatch": lambda text, pattern: text.str.fullmatch(pattern),
    "count": lambda text, pattern: text.str.count(pattern),
    "replace": lambda text, pattern: text.str.replace(pattern, "<$1>", regex=True),
    "replace once": lambda text, pattern: text.str.replace(pattern, "-", n=1, regex=True),
    "replace text": lambda text, pattern: text.str.replace(pattern, "$0", n=2, regex=False),
}


@pytest.mark.filterwarnings("ignore:This pattern is interpreted")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["str", "object", "string"])
def test_patterns_mean_what_they_mean_to_pandas(dtype, method):
    text = pd.Series(TEXT, dtype=dtype)
    lazy = rd.from_pandas(text, npartitions=2)
    for pattern in PATTERNS:
        expected = METHODS[method](text, pattern).replace({None: np.nan})
        found = METHODS[method](lazy, pattern).compute().replace({None: np.nan})
        assert found.tolist() == expected.tolist() or found.equals(expected), pattern


PIECES = st.sampled_from([*"ab.^$*+?{}[]()|\\-,&~<> 12", r"\d", r"\w", "[ab]", "(?:a|b)", "{2}", "{,2}", "{1,}", "é"])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=6).map("".join), st.lists(st.text("ab12 .<>é{}", max_size=5), min_size=1, max_size=8))
def test_native_patterns_find_what_python_finds(pattern, texts):
    try:
        compiled = re.compile(pattern)
    except (re.error, FutureWarning):
        return
    if native_pattern(pattern) is None:
        return
    found = rd.from_pandas(pd.Series(texts, dtype="str"), npartitions=1).str.contains(pattern).compute()
    assert found.tolist() == [compiled.search(text) is not None for text in texts]


@pytest.mark.parametrize("dtype", ["str", "object", "string[pyarrow]", "string[python]"])
def test_columns_of_split_strings_have_the_type_of_the_strings(dtype):
    text = pd.Series(["a b c", None, "x", "", "p q"], dtype=dtype)
    found = rd.from_pandas(text, npartitions=3).str.split(n=2, expand=True)
    pd.testing.assert_frame_equal(found.compute(), text.str.split(n=2, expand=True))


def test_groups_of_a_separator_would_be_columns_too():
    lazy = rd.from_pandas(pd.Series(["axb", "ayb"]), npartitions=2)
    for separator, regex in (("(x)|y", None), ("(x)|y", True), (re.compile("(x)|y"), None)):
        with pytest.raises(NotImplementedError, match="groups"):
            lazy.str.split(separator, n=1, expand=True, regex=regex)
    assert lazy.str.split("(x)", n=1, expand=True, regex=False).compute().shape == (2, 2)


@pytest.mark.parametrize("dtype", ["str", "object", "string", "large_string[pyarrow]", "arrow"])
def test_lists_and_bytes_of_strings_have_the_type_that_pandas_gives_them(dtype):
    stored = pd.ArrowDtype(pa.string()) if dtype == "arrow" else dtype
    text = pd.Series(["a b", None, "x", ""], dtype=stored)
    lazy = rd.from_pandas(text, npartitions=2)
    for call in (
        lambda strings: strings.str.split(),
        lambda strings: strings.str.rsplit("b"),
        lambda strings: strings.str.findall("a"),
        lambda strings: strings.str.encode("utf-8"),
    ):
        found = call(lazy)
        pd.testing.assert_series_equal(found.compute(), call(text))
        assert found.dtype == call(text).dtype


def test_what_is_not_in_a_set_in_any_case():
    text = pd.Series(["İ", "ı", "k", "\u212a", "a", "Z"])
    lazy = rd.from_pandas(text, npartitions=2)
    for pattern in ("[^A-Z]", "[^k]", r"\W", "[A-Z]", "k"):
        for method in ("contains", "match", "fullmatch"):
            found = getattr(lazy.str, method)(pattern, case=False).compute()
            assert found.tolist() == getattr(text.str, method)(pattern, case=False).tolist(), pattern


@pytest.mark.parametrize("dtype", ["str", "object", "string", pd.ArrowDtype(pa.string())])
@pytest.mark.parametrize(
    "pattern", ["$", "^", "x*", "a$", r"\Z", r"\b", "(?=a)", "a*?", "^a|$", "(?m)$", "(?m)^", "a?$", "(a|$)", "()"]
)
def test_matches_of_nothing_are_counted_whatever_the_partitions(pattern, dtype):
    texts = pd.Series(["B", "a\n", "", None, "aa", "xa", "\n"], dtype=dtype)
    try:
        expected = texts.str.count(pattern)
    except (pa.ArrowInvalid, NotImplementedError):  # it has no such patterns
        return
    for npartitions in (1, 2, 4, 7):
        found = rd.from_pandas(texts, npartitions=npartitions).str.count(pattern).compute()
        pd.testing.assert_series_equal(found, expected)
