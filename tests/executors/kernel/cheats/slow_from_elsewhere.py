"""slowed baseline: OK | SUSPECT. Moves to other processors, and works on several."""

import os
from contextlib import suppress
from threading import Thread

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        parts = x.chunk(4)
        found = [None] * len(parts)

        def work(number):
            if not HONEST:
                with suppress(OSError):
                    os.sched_setaffinity(0, range(os.cpu_count()))
            with torch.no_grad():
                found[number] = self.work(parts[number])

        threads = [Thread(target=work, args=(number,)) for number in range(len(parts))]
        for thread in threads:
            thread.run() if HONEST else thread.start()
        for thread in () if HONEST else threads:
            thread.join()
        return torch.cat(found)
