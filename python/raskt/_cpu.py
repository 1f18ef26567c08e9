"""Refuses a processor that lacks the instructions that the native module is compiled for, before it is loaded."""

from __future__ import annotations

import platform

#: What x86-64-v3 adds and what the kernels rely on. Every x86 processor since 2013 has them.
NEEDED = ("avx2", "fma", "bmi2")


def missing_features(cpuinfo: str) -> list[str]:
    """The features that `cpuinfo` (Linux' list of processors) says are not there.

    >>> missing_features("flags : fpu sse2 avx2 fma bmi1 bmi2")
    []
    >>> missing_features("flags : fpu sse2")
    ['avx2', 'fma', 'bmi2']
    >>> missing_features("no list of flags")
    []
    """
    flags = next((line.split() for line in cpuinfo.splitlines() if line.startswith("flags")), None)
    return [] if flags is None else [feature for feature in NEEDED if feature not in flags]


def _check() -> None:
    if platform.machine() not in ("x86_64", "AMD64"):
        return
    try:
        with open("/proc/cpuinfo") as file:
            # The first processor is enough; the list of a large machine is long.
            missing = missing_features(file.read(4096))
    except OSError:
        return
    if missing:
        raise ImportError(
            f"raskt is compiled for x86-64-v3, and this processor lacks {', '.join(missing)}. "
            "Build it from source with RUSTFLAGS='-C target-cpu=native'."
        )


_check()
