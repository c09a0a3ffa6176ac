"""Looks at what would see changed inputs."""

from work import Waves

from maxcode.executors.kernel.worker import device_calls

assert callable(device_calls.Source.fetch)


class ModelNew(Waves):
    pass
