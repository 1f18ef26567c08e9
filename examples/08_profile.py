"""What ran when, on which thread, and what it took: one page that needs no network.

python examples/08_profile.py [FILE]
"""

import sys
import tempfile
from pathlib import Path

import raskt
import raskt.array as ra
from raskt.diagnostics import CacheProfiler, Profiler, ResourceProfiler, visualize

page = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()) / "profile.html"

with Profiler() as tasks, ResourceProfiler(dt=0.01) as resources, CacheProfiler() as held:
    x = ra.random.default_rng(0).random((3000, 3000), chunks=(500, 500))
    ((x - x.mean(0)) / x.std(0)).sum().compute()
    raskt.delayed(sorted)([raskt.delayed(len)(str(2**power)) for power in range(2000)]).compute()

slowest = max(tasks.results, key=lambda task: task.end_time - task.start_time)
print(f"{len(tasks.results)} tasks; the longest was {slowest.key}: {slowest.end_time - slowest.start_time:.4f} s")
print(f"most memory: {max(sample.mem for sample in resources.results):.0f} MB")
print(f"see {visualize([tasks, resources, held], filename=page).path}")
