"""A child that sleeps."""

import os
import time

from work import Waves


def watch():
    parent = os.getppid()
    until = time.monotonic() + 20
    while os.getppid() == parent and time.monotonic() < until:
        time.sleep(0.05)
    os._exit(0)


class ModelNew(Waves):
    started = False

    def forward(self, x):
        if not ModelNew.started:
            ModelNew.started = True
            if os.fork() == 0:
                watch()
        return self.work(x)
