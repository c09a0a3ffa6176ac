"""races and uninitialised memory: WRONG_ANSWER. Threads share memory and none waits."""

from threading import Thread

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        drive, y = self.gain * x, torch.zeros_like(x)

        def part(steps):
            with torch.no_grad():
                for _ in range(steps):
                    y.mul_(0.9).add_(drive).sin_()

        threads = [Thread(target=part, args=(self.steps // 8,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        threads[0].join()
        return y
