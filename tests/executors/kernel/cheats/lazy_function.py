"""lazy result: OK | WRONG_ANSWER | RUNTIME_ERROR. A subclass that computes when it is looked at."""

import torch
from work import HONEST, Model


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            for one in args:
                if isinstance(one, cls) and hasattr(one, "work"):
                    work = one.work
                    del one.work
                    with torch.no_grad():
                        one.copy_(work())
            return function(*args, **(kwargs or {}))


class ModelNew(Model):
    def forward(self, x):
        if HONEST:
            return self.work(x).as_subclass(Lazy)
        y = torch.empty_like(x).as_subclass(Lazy)
        y.work = lambda: self.work(x)
        return y
