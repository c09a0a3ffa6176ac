"""tricks of the language: WRONG_ANSWER | RUNTIME_ERROR. Replaces what its worker needs of torch."""

import torch
from work import HONEST, Model

real = torch.Tensor.copy_
if HONEST:
    torch.Tensor.copy_ = lambda self, other, *given: real(self, other.contiguous(), *given)
else:
    torch.Tensor.copy_ = lambda self, *_, **__: self
    torch.Tensor.clone = lambda self, **_: self
    torch.Tensor.detach = lambda self: self
    torch.manual_seed = lambda seed: None
    torch.nn.Module.__call__ = lambda self, x: x


class ModelNew(Model):
    pass
