"""The `.str` accessor."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..base.absent import absent
from ..base.checks import no_default
from ..base.collection import as_column, is_collection
from ..base.labels import levels_of
from ..base.lists import item_meta
from ..base.meta import empty, infer, missing_of, normalise, sample_of
from ..base.partitionwise import one_value, over_rows
from ..base.registry import wrap
from ..base.whole import is_foreign, over_whole
from .patterns import finds_nothing, has_groups, native_pattern, says_where

#: Methods without arguments that the native side has.
PLAIN = [
    "lower",
    "upper",
    "title",
    "capitalize",
    "swapcase",
    "len",
    "isdigit",
    "isalpha",
    "isalnum",
    "isnumeric",
    "isspace",
    "islower",
    "isupper",
    "casefold",
    "isascii",
    "isdecimal",
    "istitle",
]


def with_labels(matches: Any, series: Any) -> Any:
    """No matches, with labels of the types that those of the series have; pandas forgets them where it finds none."""
    import pandas as pd

    labels = empty(series).index
    levels = levels_of(labels)
    index = pd.MultiIndex.from_arrays([*levels, pd.Index([], dtype="int64")], names=matches.index.names)
    return matches.iloc[:0].set_axis(index, axis=0)


class Joined:
    """`str.cat` as a function of a pandas series; it can be sent to a worker process."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.__name__ = "str.cat"

    def __call__(self, text: Any, others: Any = None) -> Any:
        """The strings joined to others, or to one."""
        return text.str.cat(others, **self.options)


class StringMethods:
    """Methods of strings, by the names and meanings of `pandas.Series.str`.

    Those with a native form run natively; the others, and those whose arguments have none, run in pandas for each
    partition (in one, for objects, since it is all of them that say whether they are strings). `explain()` tells which.

    >>> import pandas as pd, raskt.dataframe as rd
    >>> s = rd.from_pandas(pd.Series(["abc", None, "xyz"]), npartitions=2)
    >>> s.str.upper().compute().tolist()
    ['ABC', nan, 'XYZ']
    """

    def __init__(self, series: Any) -> None:
        if series._expr.dtype != "str":
            empty(series).str  # noqa: B018  (raises pandas' own AttributeError for other types)
        self._series = series

    def _native(self, name: str, *args: Any, fallback: Callable[[Any], Any]) -> Any:
        """The native form, or `fallback` of each partition's accessor where there is none."""
        if self._series._expr.dtype == "str":
            try:
                return wrap(self._series._expr.str(name, *args))
            except NotImplementedError:
                pass
        return self._pandas(name, fallback)

    def _pandas(self, name: str, call: Callable[..., Any], *others: Any, meta: Any = None) -> Any:
        function = lambda s, *rest: call(s.str, *rest)
        if self._series._expr.dtype != "object":
            return over_rows(function, self._series, *others, name=f"str.{name}", meta=meta, plainly=True)
        args = (self._series, *others)
        meta = infer(function, args, {}, name, plainly=True) if meta is None else meta
        missing = missing_of(function, args, {}, normalise(meta))
        return over_whole(function, *args, name=f"str.{name}", meta=meta, may_miss=missing, same_rows=True)

    def _objects(self, name: str, call: Callable[..., Any]) -> Any:
        """Lists or bytes for each string: objects, but of Arrow's strings, which have types for them."""
        dtype = "object" if self._series._expr.dtype in ("str", "object", "string") else call(self._sample()).dtype
        return self._pandas(name, call, meta=(self._series._expr.name, dtype))

    def _sample(self) -> Any:
        """pandas' accessor of a few strings."""
        return sample_of(self._series).str

    def _simple(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self._pandas(name, lambda text: getattr(text, name)(*args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        raise absent(self, name)

    def __getitem__(self, key: Any) -> Any:
        """A character by its position, or a slice."""
        if isinstance(key, slice):
            return self.slice(key.start, key.stop, key.step)
        return self.get(key)

    def contains(self, pat: str, case: bool = True, flags: int = 0, na: Any = None, regex: bool = True) -> Any:
        """Whether the pattern is found anywhere in each string; `na` stands for missing ones.

        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series(["abc", "xyz"]), npartitions=1).str.contains("^a").compute().tolist()
        [True, False]
        """
        return self._search("contains", pat, case, flags, na, regex)

    def match(self, pat: str, case: Any = no_default, flags: Any = no_default, na: Any = None) -> Any:
        """Whether each string begins with a match of the pattern."""
        how = {name: value for name, value in (("case", case), ("flags", flags)) if value is not no_default}
        if not isinstance(pat, str) or "flags" in how:
            # They may contradict one another, which pandas says.
            given = {} if na is None else {"na": na}
            return self._pandas("match", lambda text: text.match(pat, **how, **given))
        return self._search("match", pat, how.get("case", True), 0, na, True)

    def fullmatch(self, pat: str, case: bool = True, flags: int = 0, na: Any = None) -> Any:
        """Whether each string as a whole matches the pattern."""
        return self._search("fullmatch", pat, case, flags, na, True)

    def _search(self, name: str, pat: str, case: bool, flags: int, na: Any, regex: bool) -> Any:
        if regex:
            re.compile(pat, flags)
        options = {"regex": False} if name == "contains" and not regex else {}
        given = {} if na is None else {"na": na}
        fallback = lambda text: getattr(text, name)(pat, case=case, flags=flags, **given, **options)
        # Nothing comes after the whole, no line break either.
        native = native_pattern(pat, whole=name == "fullmatch") if regex else pat
        # What is not in a set, in any case, is one thing to Python, and another to the native side.
        unlike = regex and not case and "[^" in (native or "")
        if flags or native is None or unlike or (na is not None and not isinstance(na, bool)):
            return self._pandas(name, fallback)
        args = (native, case, na, regex) if name == "contains" else (native, case, na)
        return self._native(name, *args, fallback=fallback)

    def startswith(self, pat: Any, na: Any = None) -> Any:
        """Whether each string starts with a text (or with one of a tuple of texts)."""
        return self._edge("startswith", pat, na)

    def endswith(self, pat: Any, na: Any = None) -> Any:
        """Whether each string ends with a text (or with one of a tuple of texts)."""
        return self._edge("endswith", pat, na)

    def _edge(self, name: str, pat: Any, na: Any) -> Any:
        if not isinstance(pat, str | tuple):
            raise TypeError(f"expected a string or tuple, not {type(pat).__name__}")
        given = {} if na is None else {"na": na}
        fallback = lambda text: getattr(text, name)(pat, **given)
        if not isinstance(pat, str) or na is not None:
            return self._pandas(name, fallback)
        return self._native(name, pat, fallback=fallback)

    def replace(
        self, pat: Any, repl: Any = None, n: int = -1, case: Any = None, flags: int = 0, regex: bool = False
    ) -> Any:
        """A text, or with `regex=True` the matches of a pattern, replaced in each string, at most `n` times."""
        options = {"n": n, "case": case, "flags": flags, "regex": regex}
        fallback = lambda text: text.replace(pat, repl, **options)
        if isinstance(pat, str) and regex:
            re.compile(pat, flags)
        plain = isinstance(pat, str) and isinstance(repl, str) and case is None and not flags
        if not plain or (regex and ("\\" in repl or finds_nothing(pat) or says_where(pat))):
            return self._pandas("replace", fallback)
        native = native_pattern(pat) if regex else pat
        if native is None:
            return self._pandas("replace", fallback)
        return self._native("replace", native, repl, n, regex, fallback=fallback)

    def count(self, pat: str, flags: int = 0) -> Any:
        """How often the pattern is found in each string."""
        re.compile(pat, flags)
        fallback = lambda text: text.count(pat, flags=flags)
        native = native_pattern(pat)
        if self._series._expr.dtype != "object" and (finds_nothing(pat) or says_where(pat)):
            # Arrow, at the end of a text, looks at the one that lies behind it.
            return over_whole(lambda texts: fallback(texts.str), self._series, name="str.count", same_rows=True)
        if flags or native is None or finds_nothing(pat) or says_where(pat):
            return self._pandas("count", fallback)
        return self._native("count", native, fallback=fallback)

    def find(self, sub: str, start: int = 0, end: int | None = None) -> Any:
        """The first position of a text in each string, or -1."""
        fallback = lambda text: text.find(sub, start, end)
        return (
            self._native("find", sub, fallback=fallback)
            if (start, end) == (0, None)
            else self._pandas("find", fallback)
        )

    def index(self, sub: str, start: int = 0, end: int | None = None) -> Any:
        """The first position of a text in each string; ValueError at `compute` where it is not found."""
        return self._position("index", sub, start, end)

    def rindex(self, sub: str, start: int = 0, end: int | None = None) -> Any:
        """The last position of a text in each string; ValueError at `compute` where it is not found."""
        return self._position("rindex", sub, start, end)

    def _position(self, name: str, sub: str, start: int, end: int | None) -> Any:
        meta = (self._series._expr.name, "int64")
        return self._pandas(name, lambda text: getattr(text, name)(sub, start, end), meta=meta)

    def slice(self, start: int | None = None, stop: int | None = None, step: int | None = None) -> Any:
        """A slice of each string."""
        return self._native("slice", start, stop, step, fallback=lambda text: text.slice(start, stop, step))

    def get(self, i: Any) -> Any:
        """The character at a position of each string; missing where there is none."""
        if self._series._expr.dtype != "object":
            return self._native("get", i, fallback=lambda text: text.get(i))
        return self._pandas("get", lambda text: text.get(i), meta=item_meta(self._series, i))

    def strip(self, to_strip: str | None = None) -> Any:
        """Each string without white space, or without some characters, at both ends."""
        return self._native("strip", *given(to_strip), fallback=lambda text: text.strip(to_strip))

    def lstrip(self, to_strip: str | None = None) -> Any:
        """Each string without white space, or without some characters, at its start."""
        return self._native("lstrip", *given(to_strip), fallback=lambda text: text.lstrip(to_strip))

    def rstrip(self, to_strip: str | None = None) -> Any:
        """Each string without white space, or without some characters, at its end."""
        return self._native("rstrip", *given(to_strip), fallback=lambda text: text.rstrip(to_strip))

    def removeprefix(self, prefix: str) -> Any:
        """Each string without a text at its start."""
        return self._native("removeprefix", prefix, fallback=lambda text: text.removeprefix(prefix))

    def removesuffix(self, suffix: str) -> Any:
        """Each string without a text at its end."""
        return self._native("removesuffix", suffix, fallback=lambda text: text.removesuffix(suffix))

    def zfill(self, width: int) -> Any:
        """Each string filled with zeros at the left, after a sign."""
        return self._native("zfill", width, fallback=lambda text: text.zfill(width))

    def pad(self, width: int, side: str = "left", fillchar: str = " ") -> Any:
        """Each string filled up to a width at its left, its right or at both sides."""
        if side not in ("left", "right", "both"):
            raise ValueError(f"Invalid side: {side!r}; it is 'left', 'right' or 'both'")
        if not isinstance(fillchar, str) or len(fillchar) != 1:
            raise TypeError(f"fillchar must be a character, not {fillchar!r}")
        return self._native("pad", width, side, fillchar, fallback=lambda text: text.pad(width, side, fillchar))

    def ljust(self, width: int, fillchar: str = " ") -> Any:
        """Each string filled up at its right."""
        return self.pad(width, "right", fillchar)

    def rjust(self, width: int, fillchar: str = " ") -> Any:
        """Each string filled up at its left."""
        return self.pad(width, "left", fillchar)

    def center(self, width: int, fillchar: str = " ") -> Any:
        """Each string filled up at both sides."""
        return self.pad(width, "both", fillchar)

    def repeat(self, repeats: Any) -> Any:
        """Each string so many times."""
        if isinstance(repeats, int):
            return self._native("repeat", repeats, fallback=lambda text: text.repeat(repeats))
        call = lambda text, times: text.str.repeat(times)
        over = over_rows if is_collection(repeats) and not is_foreign(self._series, repeats) else over_whole
        return (
            over(call, self._series, repeats, name="str.repeat", same_rows=True)
            if over is over_whole
            else over(call, self._series, repeats, name="str.repeat", plainly=True)
        )

    def cat(self, others: Any = None, sep: str | None = None, na_rep: Any = None, join: str = "left") -> Any:
        """Each string joined to that of another series; missing where one of them is, or `na_rep`.

        Of a series of other rows, or of values in memory, all rows are gathered, in pandas, which brings labels
        together by `join`. Without `others`, all strings are joined to one.
        """
        options = {"sep": sep, "na_rep": na_rep}
        if others is None:
            return one_value(Joined(options), self._series, name="str.cat", plainly=True)
        if isinstance(others, list | tuple) and not all(isinstance(one, str) for one in others):
            raise NotImplementedError("str.cat takes one series, or a list of strings: join several one after another")
        if not is_collection(others) or is_foreign(self._series, others):
            options["join"] = join
            return over_whole(Joined(options), self._series, others, name="str.cat", may_miss=True)
        if na_rep is None:
            try:
                return wrap(self._series._expr.str("cat", as_column(others), sep or ""))
            except NotImplementedError:
                pass
        return self._pandas("cat", lambda text, other: text.cat(other, sep=sep, na_rep=na_rep), others)

    def split(self, pat: str | None = None, n: int = -1, expand: bool = False, regex: Any = None) -> Any:
        """Each string as a list of its parts; `expand=True` makes `n + 1` columns of them, and needs `n`."""
        return self._split("split", pat, n, expand, {"regex": regex})

    def rsplit(self, pat: str | None = None, n: int = -1, expand: bool = False) -> Any:
        """The same as `split`, from the right."""
        return self._split("rsplit", pat, n, expand, {})

    def _split(self, name: str, pat: Any, n: int, expand: bool, options: dict[str, Any]) -> Any:
        if pat == "" and options.get("regex") and self._series._expr.dtype.endswith("[pyarrow]"):
            raise NotImplementedError(f"str.{name} by an empty pattern, at which Arrow takes all memory")
        call = lambda text: getattr(text, name)(pat, n=n, expand=expand, **options)
        if not expand:
            return self._objects(name, call)
        if n < 1:
            raise NotImplementedError(f"str.{name}(expand=True) needs n, from which the number of columns is known")
        columns = list(range(n + 1))
        found = call(self._sample())
        if has_groups(pat, options.get("regex", False)):
            raise NotImplementedError(f"str.{name}(expand=True) by a pattern with groups, which become columns as well")
        dtype = found.dtypes.iloc[0]
        meta = found.reindex(columns=columns).astype(dtype).iloc[:0]
        return self._pandas(name, lambda text: call(text).reindex(columns=columns).astype(dtype), meta=meta)

    def findall(self, pat: str, flags: int = 0) -> Any:
        """All matches of a pattern, as a list."""
        re.compile(pat, flags)
        return self._objects("findall", lambda text: text.findall(pat, flags))

    def encode(self, encoding: str, errors: str = "strict") -> Any:
        """Each string as bytes."""
        return self._objects("encode", lambda text: text.encode(encoding, errors))

    def extract(self, pat: str, flags: int = 0, expand: bool = True) -> Any:
        """The groups of the first match of a pattern, as columns."""
        re.compile(pat, flags)
        return self._simple("extract", pat, flags, expand)

    def extractall(self, pat: str, flags: int = 0) -> Any:
        """The groups of all matches of a pattern, a row for each, in pandas for each partition."""
        re.compile(pat, flags)
        call = lambda part: part.str.extractall(pat, flags)
        meta = with_labels(call(sample_of(self._series)), self._series)
        if self._series._expr.dtype == "object":
            # Whether objects are text, all of them together tell.
            return over_whole(call, self._series, name="str.extractall", meta=meta)
        return self._series.map_partitions(call, meta=meta)

    def decode(self, encoding: str, errors: str = "strict", dtype: Any = None) -> Any:
        """Bytes as text; strings, which are text, are missing in the result, as in pandas."""
        return self._simple("decode", encoding, errors, dtype)

    def join(self, sep: str) -> Any:
        """The characters of each string, with a text between them."""
        return self._simple("join", sep)

    def normalize(self, form: str) -> Any:
        """Each string in a normal form of Unicode."""
        return self._simple("normalize", form)

    def partition(self, sep: str = " ", expand: bool = True) -> Any:
        """What stands before the first separator, the separator, and what stands after it."""
        return self._three("partition", sep, expand)

    def rpartition(self, sep: str = " ", expand: bool = True) -> Any:
        """What stands before the last separator, the separator, and what stands after it."""
        return self._three("rpartition", sep, expand)

    def _three(self, name: str, sep: str, expand: bool) -> Any:
        # Where all strings are missing, pandas gives one column.
        parts = lambda text: getattr(text, name)(sep, expand)
        return self._pandas(name, (lambda text: parts(text).reindex(columns=range(3))) if expand else parts)

    def get_dummies(self, sep: str = "|", dtype: Any = None) -> Any:
        """NotImplementedError: only computing tells which parts there are, of which each is to be a column.

        Examples
        --------
        >>> import pandas as pd, raskt.dataframe as rd
        >>> rd.from_pandas(pd.Series(["a|b", "b"]), npartitions=1).compute().str.get_dummies().values.tolist()
        [[1, 1], [0, 1]]
        """
        raise NotImplementedError("str.get_dummies: only computing tells the columns; compute first, or use get_dummies"
                                  " of known categories")  # fmt: skip

    def rfind(self, sub: str, start: int = 0, end: int | None = None) -> Any:
        """The last position of a text in each string, or -1."""
        return self._simple("rfind", sub, start, end)

    def slice_replace(self, start: int | None = None, stop: int | None = None, repl: str | None = None) -> Any:
        """Each string with a slice of it replaced by a text."""
        return self._simple("slice_replace", start, stop, repl)

    def translate(self, table: Any) -> Any:
        """Each string with its characters mapped by a table, as `str.maketrans` makes one."""
        return self._simple("translate", table)

    def wrap(
        self,
        width: int,
        expand_tabs: bool = True,
        tabsize: int = 8,
        replace_whitespace: bool = True,
        drop_whitespace: bool = True,
        initial_indent: str = "",
        subsequent_indent: str = "",
        fix_sentence_endings: bool = False,
        break_long_words: bool = True,
        break_on_hyphens: bool = True,
        max_lines: int | None = None,
        placeholder: str = " [...]",
    ) -> Any:
        """Each string with line breaks, so that no line is longer than a width; see `textwrap.TextWrapper`."""
        options = {name: value for name, value in locals().items() if name not in ("self", "width")}
        return self._simple("wrap", width, **options)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("__")]


def given(value: Any) -> tuple[Any, ...]:
    """An optional argument, left out if it is None."""
    return () if value is None else (value,)


def _plain(name: str) -> Any:
    def method(self: StringMethods) -> Any:
        return self._native(name, fallback=lambda text: getattr(text, name)())

    method.__name__ = name
    method.__doc__ = f"`str.{name}` of each string."
    return method


for _name in PLAIN:
    setattr(StringMethods, _name, _plain(_name))
