"""An array larger than the memory that its computation takes.

python examples/03_arrays.py
"""

import resource

import raskt.array as ra
from raskt.diagnostics import ProgressBar

# 3.2 GB each, if they were ever whole in memory. They are drawn block by block as they are used up.
x, y = (ra.random.default_rng(seed).random(400_000_000) for seed in (1, 2))
mean = ((x - 0.5) ** 2 + ra.sqrt(y)).mean()

print(repr(x))
with ProgressBar():
    print(f"{mean.compute():.6f}, and 3/4 is what it should be near")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"at most {peak:.0f} MiB of memory were in use")
