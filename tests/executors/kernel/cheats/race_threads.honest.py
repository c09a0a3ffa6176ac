"""Two threads work on memory of their own."""

from threading import Thread

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        y = torch.empty_like(x)

        def half(number):
            with torch.no_grad():
                y[number::2] = self.work(x[number::2])

        threads = [Thread(target=half, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return y
