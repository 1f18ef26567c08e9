"""Arrays that are computed together are what they are when computed one by one."""

from __future__ import annotations

import numpy as np
import pytest

import raskt
import raskt.array as ra
from array_comparing import DTYPES, sample


@pytest.mark.parametrize("function", [np.ldexp, np.nextafter, np.heaviside, np.copysign, np.float_power, np.hypot])
def test_one_function_of_several_data_types(function):
    concrete = [sample(dtype, 5) for dtype in DTYPES if "complex" not in dtype]
    lazy = [getattr(ra, function.__name__)(ra.from_array(x, chunks=2), np.int8(3)) for x in concrete]
    for together, alone in zip(raskt.compute(*lazy), lazy):
        one = alone.compute()
        assert together.dtype == one.dtype == alone.dtype
        np.testing.assert_array_equal(together, one)
