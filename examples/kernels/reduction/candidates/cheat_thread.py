"""expected: SUSPECT | WRONG_ANSWER. Returns at once and leaves the work to a thread."""

from threading import Thread

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        rows = x.shape[0]
        results = x.new_empty(rows), x.new_empty(rows), x.new_empty(rows, dtype=torch.int64)

        @torch.inference_mode()
        def work():
            results[0].copy_(torch.linalg.vector_norm(x, dim=1) / x.shape[1] ** 0.5)
            results[1].copy_(x.abs().amax(dim=1))
            results[2].copy_(torch.sum(x > self.limit, dim=1))

        Thread(target=work).start()
        return results
