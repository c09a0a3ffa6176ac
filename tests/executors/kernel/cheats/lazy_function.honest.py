"""Returns a subclass that holds what it should."""

import torch
from work import Waves


class Named(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            return function(*args, **(kwargs or {}))


class ModelNew(Waves):
    def forward(self, x):
        y = self.work(x).as_subclass(Named)
        y.name_of_it = "wave"
        return y
