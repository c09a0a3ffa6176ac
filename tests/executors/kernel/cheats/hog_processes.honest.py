"""Forks once."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        if os.fork() == 0:
            os._exit(0)
        os.wait()
        return self.work(x)
