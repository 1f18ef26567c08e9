"""Settings for a block, for a process, for a machine.

RASKT_ARRAY__CHUNK_SIZE=4MiB python examples/06_settings.py
"""

import raskt
import raskt.array as ra

print("at first:", raskt.config.get("array.chunk-size"), "bytes,", ra.ones(10_000_000).npartitions, "blocks")

with raskt.config.set({"array.chunk-size": "1 MiB"}):
    print("in the block:", raskt.config.get("array.chunk-size"), "bytes,", ra.ones(10_000_000).npartitions, "blocks")

print("after it:", raskt.config.get("array.chunk-size"), "bytes")

# For a machine: a file ~/.config/raskt/settings.yaml with
#
#     array:
#       chunk-size: 64 MiB
#     num-workers: 4
