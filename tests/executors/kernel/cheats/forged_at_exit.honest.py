"""Says goodbye at its end."""

import atexit

from work import Waves

atexit.register(print, "goodbye")


class ModelNew(Waves):
    pass
