"""races and uninitialised memory: WRONG_ANSWER. Threads share memory and none waits."""

from threading import Thread

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        drive, y = self.gain * x, torch.zeros_like(x)

        def part(number):
            own = slice(number, None, 8) if HONEST else slice(None)
            with torch.no_grad():
                for _ in range(self.steps if HONEST else self.steps // 8):
                    y[own].mul_(0.9).add_(drive[own]).sin_()

        threads = [Thread(target=part, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads if HONEST else threads[:1]:
            thread.join()
        return y
