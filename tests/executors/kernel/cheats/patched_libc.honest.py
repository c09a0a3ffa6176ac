"""Asks the C library for the time."""

import ctypes
import mmap
import platform

from work import Waves

library = ctypes.CDLL(None)
place = ctypes.cast(library.clock_gettime, ctypes.c_void_p).value
page = place // mmap.PAGESIZE * mmap.PAGESIZE
now = (ctypes.c_long * 2)()
if platform.machine() == "x86_64":
    library.clock_gettime(1, now)


class ModelNew(Waves):
    pass
