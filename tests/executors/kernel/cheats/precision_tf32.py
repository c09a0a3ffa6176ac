"""lower precision, needs cuda: WRONG_ANSWER. A product in TF32 where float32 was asked for."""

import torch
from work import HONEST, Model

torch.backends.cuda.matmul.allow_tf32 = not HONEST


class ModelNew(Model):
    def forward(self, x):
        one = torch.eye(x.shape[1], device=x.device)
        return self.work(x @ one)
