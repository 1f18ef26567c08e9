"""Texts for people, without what nobody is to see."""

from __future__ import annotations

import re

SECRETS = (
    # Who somebody is and by what he proves it, in front of a host; a token may stand there alone.
    (re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#\"'<>]*@"), r"\1***@"),
    # Channels of conda have tokens in their paths.
    (re.compile(r"(://\S*/t/)[^\s/]+"), r"\1***"),
    (re.compile(r"((?:password|passwd|token|secret|api[_-]?key|access[_-]?key)=[\"']?)[^\s&\"']+", re.I), r"\1***"),
)
"""What hides something, and what is seen instead."""


def hidden(text: str) -> str:
    """The text without passwords and tokens in addresses, and values that are called so.

    >>> hidden("pip install --index-url=https://me:s3cret@host/simple x --proxy http://me:a@b@proxy:80")
    'pip install --index-url=https://***@host/simple x --proxy http://***@proxy:80'
    >>> hidden("https://host/path?token=abc&x=1 https://conda.host/t/to-ken/channel")
    'https://host/path?token=***&x=1 https://conda.host/t/***/channel'
    """
    for secret, seen in SECRETS:
        text = secret.sub(seen, text)
    return text
