"""resources, needs cuda: OUT_OF_MEMORY | SUSPECT | OK. Takes the GPU's memory as it is made.

Where all that others need was there before, it does no harm and is right.
"""

import torch
from work import HONEST, Model


class ModelNew(Model):
    def __init__(self, columns, steps):
        super().__init__(columns, steps)
        self.taken = []
        size = 1 << 22 if HONEST else torch.cuda.mem_get_info()[0]
        for _ in range(1 if HONEST else 32):
            try:
                self.taken.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
                size = torch.cuda.mem_get_info()[0]
            except RuntimeError:
                size = size * 7 // 8
