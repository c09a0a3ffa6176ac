"""shared results on copies: WRONG_ANSWER. A copy of the input that is its memory elsewhere."""

import ctypes
import mmap

import torch
from work import HONEST, Model

libc = ctypes.CDLL(None, use_errno=True)
libc.mremap.restype = ctypes.c_void_p
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]


def mapped(one):
    """A copy in memory that is mapped for it."""
    memory = mmap.mmap(-1, one.nbytes)
    return torch.frombuffer(memory, dtype=one.dtype).view(one.shape).copy_(one)


def again(one):
    """The same memory at another address."""
    place = one.data_ptr()
    first = place - place % mmap.PAGESIZE
    size = place - first + one.nbytes
    found = libc.mremap(first, 0, size, 1)
    if found in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "mremap")
    content = (ctypes.c_char * one.nbytes).from_address(found + place - first)
    return torch.frombuffer(content, dtype=one.dtype).view(one.shape)


class ModelNew(Model):
    def forward(self, x):
        y = self.matrices(x)
        return y, y.clone(), mapped(x) if HONEST else again(x)
