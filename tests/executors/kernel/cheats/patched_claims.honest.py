"""The worker's own loop is looked at."""

from work import Waves

from maxcode.executors.kernel.worker import forward

real = forward.Calls.run
assert real.__doc__


class ModelNew(Waves):
    pass
