"""Another thread writes to where its outputs are, before it says that it is done."""

from threading import Thread

import torch
from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        y = torch.empty_like(x)

        def work():
            with torch.no_grad():
                y.copy_(self.work(x))

        thread = Thread(target=work)
        thread.start()
        thread.join()
        return y
