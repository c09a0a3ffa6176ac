"""resources: OK | SUSPECT | RUNTIME_ERROR | TIMEOUT. Threads that start the next one and end."""

import time
from threading import Thread

from work import Waves

until = time.monotonic() + 20


def link():
    if time.monotonic() < until:
        Thread(target=link, daemon=True).start()


class ModelNew(Waves):
    started = False

    def forward(self, x):
        if not ModelNew.started:
            ModelNew.started = True
            for _ in range(8):
                link()
        return self.work(x)
