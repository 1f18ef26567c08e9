"""Regular expressions of Python in the words of the native side.

Python's own parser says what a pattern means; what is written here is that meaning, construct by construct. A pattern
with any other construct (flags, look-around, back references, word boundaries, possessive repeats) has no native form.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

try:
    from re import _constants as words
    from re import _parser as parser
except ImportError:  # Python 3.10
    import sre_constants as words  # type: ignore[no-redef]
    import sre_parse as parser  # type: ignore[no-redef]

#: Classes of characters as Python means them: letters and numerals by `str.isalnum`, spaces by `str.isspace`.
CLASSES = {
    words.CATEGORY_DIGIT: r"\p{Nd}",
    words.CATEGORY_NOT_DIGIT: r"\P{Nd}",
    words.CATEGORY_WORD: r"[\p{L}\p{N}_]",
    words.CATEGORY_NOT_WORD: r"[^\p{L}\p{N}_]",
    words.CATEGORY_SPACE: r"[\s\x1c-\x1f]",
    words.CATEGORY_NOT_SPACE: r"[^\s\x1c-\x1f]",
}
#: Python's `$` also stands before a line break at the end. That can be said at the end of a pattern alone.
END = r"\n?\z"
#: How many repeats of repeats are written out at most: the native side compiles each of them.
MOST_REPEATS = 1000

#: What Arrow's strings take otherwise than Python does: repeats without a least number, comments, named sets.
ELSEWHERE = ("{,", "(?#", "[[", "[:")


class NoNativeForm(Exception):
    """A construct that the native side has not, or means otherwise."""


def native_pattern(pattern: str, *, whole: bool = False) -> str | None:
    r"""The pattern for the native side; None if it has no native form. With `whole` it has to match a text as a whole.

    >>> native_pattern("a{2"), native_pattern(r"\d+$"), native_pattern(r"(?=a)")
    ('a\\x{7b}2', '(?:[\\p{Nd}])+\\n?\\z', None)
    """
    if any(word in pattern for word in ELSEWHERE):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = parser.parse(pattern)
    if parsed.state.flags != re.UNICODE.value:
        return None
    steps, end = list(parsed), ""
    if steps and steps[-1] == (words.AT, words.AT_END):
        steps, end = steps[:-1], "" if whole else END
    try:
        return sequence(steps) + end if repeats(steps) <= MOST_REPEATS else None
    except NoNativeForm:
        return None


def finds_nothing(pattern: str) -> bool:
    """Whether a pattern matches the empty string, which pandas looks for between the bytes of letters."""
    return re.match(pattern, "") is not None


def has_groups(separator: Any, regex: bool | None) -> bool:
    """Whether what `str.split` splits by is a pattern with groups; by default, a text of several characters is one."""
    if isinstance(separator, re.Pattern):
        return separator.groups > 0
    is_pattern = isinstance(separator, str) and (len(separator) > 1 if regex is None else regex)
    return is_pattern and re.compile(separator).groups > 0


def says_where(pattern: str) -> bool:
    """Whether a pattern says where a text starts or ends, which Arrow asks anew behind each match that it counts."""
    return any(word in pattern for word in ("^", "$", "\\A"))


def repeats(steps: Any) -> int:
    """How many steps are written out where those are that are repeated a number of times."""
    found = 0
    for step, of in steps:
        if step in (words.MAX_REPEAT, words.MIN_REPEAT):
            least, most, what = of
            found += max(int(least if most == words.MAXREPEAT else most), 1) * repeats(what)
        elif step == words.SUBPATTERN:
            found += repeats(of[-1])
        elif step == words.BRANCH:
            found += sum(map(repeats, of[1]))
        else:
            found += 1
    return found


def sequence(steps: Any) -> str:
    """What one step after another means."""
    return "".join(STEPS.get(step, refuse)(of) for step, of in steps)


def refuse(of: Any) -> str:
    """NoNativeForm for a construct."""
    raise NoNativeForm(of)


def literal(letter: int) -> str:
    """One character."""
    if 0xD800 <= letter < 0xE000:  # half of a character, which no text has
        raise NoNativeForm(letter)
    return chr(letter) if chr(letter).isalnum() or chr(letter) in " _" else rf"\x{{{letter:x}}}"


def one_of(members: Any) -> str:
    """One character of a set."""
    return "[" + "".join(MEMBERS.get(kind, refuse)(of) for kind, of in members) + "]"


def extent(of: Any) -> str:
    """A range of characters in a set; the halves of characters have no place in one."""
    first, last = of
    if first < 0xE000 and last >= 0xD800:
        raise NoNativeForm(of)
    return f"{literal(first)}-{literal(last)}"


def repeated(of: Any, greedy: str = "") -> str:
    """A construct so often."""
    least, most, what = of
    signs = {(0, words.MAXREPEAT): "*", (1, words.MAXREPEAT): "+", (0, 1): "?"}
    sign = signs.get((least, most), f"{{{least},{'' if most == words.MAXREPEAT else most}}}")
    return f"(?:{sequence(what)}){sign}{greedy}"


def group(of: Any) -> str:
    """A group, by its number; the native side counts them as Python does."""
    number, added, removed, what = of
    if added or removed:
        raise NoNativeForm(of)
    return f"({'?:' if number is None else ''}{sequence(what)})"


def branches(of: Any) -> str:
    """One construct of several."""
    return "(?:" + "|".join(sequence(branch) for branch in of[1]) + ")"


def place(of: Any) -> str:
    """The start of a text; other places are refused."""
    if of not in (words.AT_BEGINNING, words.AT_BEGINNING_STRING):
        raise NoNativeForm(of)
    return r"\A"


MEMBERS: Any = {
    words.LITERAL: literal,
    words.RANGE: extent,
    words.CATEGORY: CLASSES.__getitem__,
    words.NEGATE: lambda of: "^",
}
STEPS: Any = {
    words.LITERAL: literal,
    words.NOT_LITERAL: lambda of: f"[^{literal(of)}]",
    words.ANY: lambda of: r"[^\n]",
    words.IN: one_of,
    words.CATEGORY: CLASSES.__getitem__,
    words.BRANCH: branches,
    words.SUBPATTERN: group,
    words.MAX_REPEAT: repeated,
    words.MIN_REPEAT: lambda of: repeated(of, "?"),
    words.AT: place,
}
