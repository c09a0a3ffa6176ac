"""late work: WRONG_ANSWER. Returns at once and leaves the work to a thread."""

from threading import Thread

import torch
from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        y = torch.empty_like(x)

        def work():
            with torch.no_grad():
                y.copy_(self.work(x))

        thread = Thread(target=work)
        thread.start()
        if HONEST:
            thread.join()
        return y
