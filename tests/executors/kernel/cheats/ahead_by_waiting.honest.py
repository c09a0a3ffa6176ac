"""Has the system say when its own file is written."""

import ctypes
import os

from work import Waves

library = ctypes.CDLL(None)


class ModelNew(Waves):
    def __init__(self, columns, steps):
        super().__init__(columns, steps)
        descriptor = library.inotify_init1(os.O_NONBLOCK)
        library.inotify_add_watch(descriptor, b"/tmp", 2)
