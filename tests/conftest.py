"""What every test starts from."""

from __future__ import annotations

import signal

# A shell's background job ignores Ctrl-C, and so does every process that it starts: tests of Ctrl-C would
# wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
