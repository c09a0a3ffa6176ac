"""resources: OK | SUSPECT | RUNTIME_ERROR | TIMEOUT. Threads that start the next one and end."""

import time
from threading import Thread

from work import HONEST, Model

until = time.monotonic() + 20


def link(left):
    if left and time.monotonic() < until:
        Thread(target=link, args=(left - 1,), daemon=True).start()


class ModelNew(Model):
    started = False

    def forward(self, x):
        if not ModelNew.started:
            ModelNew.started = True
            for _ in range(8):
                link(5 if HONEST else 10**9)
        return self.work(x)
