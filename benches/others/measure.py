"""Runs a command and writes what it used to a file: CPU seconds, wall seconds, peak MB and exit status.

    python -I -S measure.py FILE COMMAND…

The kernel counts the memory of the process that starts a program as the program's own, so that no peak is below it. This
process hence stays as small as Python can be: it imports nothing but what is built in.
"""

import posix
import sys
import time

start = time.monotonic()
child = posix.posix_spawn(sys.argv[2], sys.argv[2:], posix.environ)
_, status, usage = posix.wait4(child, 0)
wall = time.monotonic() - start
with open(sys.argv[1], "w") as file:
    print(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, posix.waitstatus_to_exitcode(status), file=file)
