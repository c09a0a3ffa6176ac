"""GPU memory shared by two processes, and clearing of the GPU's caches.

``cudaIpcGetMemHandle`` needs processes in a common namespace. Memory made by ``cuMemCreate`` can be
passed as a file descriptor (CUDA Driver API, section "Virtual Memory Management").
"""

from __future__ import annotations

import ctypes
import os
import socket
from collections.abc import Sequence
from ctypes import Structure, byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p
from typing import Any

import torch

from maxcode.executors.kernel.worker.channel import ANSWERS
from maxcode.executors.kernel.worker.messages import STEP

_CACHES = 4  # times the size of a GPU's cache, that are read so that no input is left in it
_COLD = 512 << 20  # bytes, where that size is not known
_DEVICE, _PINNED, _DESCRIPTOR, _READ_WRITE, _MINIMUM = 1, 1, 1, 3, 0  # as in cuda.h


class _Location(Structure):
    _fields_ = (("type", c_int), ("id", c_int))


class _Properties(Structure):
    """``CUmemAllocationProp``; the last eight bytes are unused flags."""

    _fields_ = (
        ("type", c_int),
        ("handles", c_int),
        ("location", _Location),
        ("windows", c_void_p),
        ("flags", c_uint64),
    )


class _Access(Structure):
    _fields_ = (("location", _Location), ("flags", c_int))


class Driver:
    """Functions of libcuda, on torch's device. Raises RuntimeError with the driver's message."""

    def __init__(self) -> None:
        torch.empty(1, device="cuda")  # makes torch's context the current one
        self._library = ctypes.CDLL("libcuda.so.1")
        self._device = torch.cuda.current_device()
        self._properties = _Properties(_PINNED, _DESCRIPTOR, _Location(_DEVICE, self._device))

    def rounded(self, size: int) -> int:
        """Actual bytes of an allocation of at least this size."""
        unit = c_size_t()
        self._call("cuMemGetAllocationGranularity", byref(unit), byref(self._properties), _MINIMUM)
        return -(-max(size, 1) // unit.value) * unit.value

    def create(self, size: int) -> int:
        """A handle of new memory, of a rounded size."""
        handle = c_uint64()
        properties = byref(self._properties)
        self._call("cuMemCreate", byref(handle), c_size_t(size), properties, c_uint64(0))
        return handle.value

    def exported(self, handle: int) -> int:
        """A descriptor of a handle's memory, for another process."""
        found = c_int(-1)
        self._call(
            "cuMemExportToShareableHandle", byref(found), c_uint64(handle), _DESCRIPTOR, c_uint64(0)
        )
        return found.value

    def imported(self, descriptor: int) -> int:
        """A handle of the memory behind a descriptor."""
        handle = c_uint64()
        given = c_void_p(descriptor)
        self._call("cuMemImportFromShareableHandle", byref(handle), given, _DESCRIPTOR)
        return handle.value

    def mapped(self, handle: int, size: int) -> int:
        """An address at which a handle's memory can be read and written."""
        address = c_uint64()
        nothing = c_uint64(0)
        self._call(
            "cuMemAddressReserve", byref(address), c_size_t(size), c_size_t(0), nothing, nothing
        )
        self._call("cuMemMap", address, c_size_t(size), c_size_t(0), c_uint64(handle), nothing)
        access = _Access(_Location(_DEVICE, self._device), _READ_WRITE)
        self._call("cuMemSetAccess", address, c_size_t(size), byref(access), c_size_t(1))
        return address.value

    def unmap(self, address: int, size: int, handle: int) -> None:
        """Unmap the memory and release its address and handle."""
        self._call("cuMemUnmap", c_uint64(address), c_size_t(size))
        self._call("cuMemAddressFree", c_uint64(address), c_size_t(size))
        self._call("cuMemRelease", c_uint64(handle))

    def forget_persisting(self) -> None:
        """Reset persisting cache lines; older GPUs have none."""
        self._library.cuCtxResetPersistingL2Cache()

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, name)(*arguments)
        if code:
            text = c_char_p()
            self._library.cuGetErrorString(code, byref(text))
            said = (text.value or b"unknown").decode()
            kind = torch.OutOfMemoryError if said == "out of memory" else RuntimeError
            raise kind(f"CUDA error: {name}: {said}")


class _Array:
    """Memory at an address, as torch takes it from other libraries."""

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


class Regions:
    """Memory shared by the reference and a candidate: inputs of a call, and places for its outputs.

    The place for the outputs is chosen after a call, so no kernel can write there late. Places of
    large outputs overlap to save gigabytes: outputs in another place are shifted, so still wrong.
    """

    def __init__(self) -> None:
        self._driver: Driver | None = None
        self._memory: list[torch.Tensor] = []
        self._handles: list[int] = []  # of the driver for it
        self._files: list[int] = []  # descriptors of memory made here

    @property
    def driver(self) -> Driver:
        """The driver, opened on first use."""
        if self._driver is None:
            self._driver = Driver()
        return self._driver

    @property
    def inputs(self) -> torch.Tensor:
        """The bytes of a call's inputs."""
        return self._memory[0]

    def outputs(self, place: int) -> torch.Tensor:
        """Bytes of a place for outputs."""
        return self._memory[1][place * STEP :]

    def make(self, sizes: Sequence[int]) -> tuple[list[int], list[int]]:
        """Allocate new regions of at least these sizes; returns actual sizes and descriptors."""
        self._drop()
        real = [self.driver.rounded(size) for size in sizes]
        self._hold([self.driver.create(size) for size in real], real)
        self._files = [self.driver.exported(handle) for handle in self._handles]
        return real, self._files

    def take(self, sizes: Sequence[int]) -> None:
        """Open regions of these sizes another process made; descriptors come from the parent."""
        self._drop()
        with socket.socket(fileno=os.dup(ANSWERS)) as channel:
            _, files, _, _ = socket.recv_fds(channel, 1, len(sizes))
        handles = []
        for file in files:
            handles.append(self.driver.imported(file))
            os.close(file)
        self._hold(handles, sizes)

    def _hold(self, handles: list[int], sizes: Sequence[int]) -> None:
        self._handles = handles
        for handle, size in zip(handles, sizes, strict=True):
            address = self.driver.mapped(handle, size)
            self._memory.append(torch.as_tensor(_Array(address, size), device="cuda"))

    def _drop(self) -> None:
        """Free all; tensors in it must not be used any more."""
        for one, handle in zip(self._memory, self._handles, strict=True):
            self.driver.unmap(one.data_ptr(), one.numel(), handle)
        for file in self._files:
            os.close(file)
        self._memory, self._handles, self._files = [], [], []


class Cold:
    """Clears the caches of a device before every call, by reading, so nothing is written back."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        known = torch.cuda.get_device_properties(torch.cuda.current_device())
        size = _CACHES * getattr(known, "L2_cache_size", 0) or _COLD
        self._memory = torch.ones(size // 4, dtype=torch.int32, device="cuda")

    def make(self) -> None:
        """Clear the caches, and wait until done."""
        self._driver.forget_persisting()
        self._memory.sum()
        torch.cuda.synchronize()
