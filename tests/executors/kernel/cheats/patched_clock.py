"""patched timer: OK | SUSPECT. Every clock of Python and of the worker stands still."""

import time

from work import HONEST, Model

from maxcode.executors.kernel.worker import forward

still = time.perf_counter()
for name in ("perf_counter", "monotonic", "time", "process_time", "thread_time"):
    real = getattr(time, name)
    setattr(time, name, real if HONEST else lambda: still)
forward._now = time.perf_counter


class ModelNew(Model):
    pass
