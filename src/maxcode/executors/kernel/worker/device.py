"""Memory of a GPU that two processes share, and the state that its caches are brought to.

CUDA's own way to share allocations, ``cudaIpcGetMemHandle``, needs processes that see one another;
ours are in namespaces of their own. Memory made by ``cuMemCreate`` can be handed over as a file
descriptor instead (CUDA Driver API, section "Virtual Memory Management").
"""

from __future__ import annotations

import ctypes
import os
import socket
from ctypes import Structure, byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p
from typing import Any

import torch

_CACHES = 4  # times the size of a GPU's cache, that are read so that no input is left in it
_COLD = 512 << 20  # bytes, where that size is not known
_ANSWERS = 3  # the descriptor that answers go to, and files come from; as in main.py
_STEP = 1 << 20  # bytes from one place for outputs to the next; as in ../device.py
_DEVICE, _PINNED, _DESCRIPTOR, _READ_WRITE, _MINIMUM = 1, 1, 1, 3, 0  # as in cuda.h


class _Location(Structure):
    _fields_ = (("type", c_int), ("id", c_int))


class _Properties(Structure):
    """``CUmemAllocationProp``; the last eight bytes are flags that are not used here."""

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
    """The functions of libcuda that are needed here, on the device that torch uses.

    Raises RuntimeError, with the driver's own words, for what fails.
    """

    def __init__(self) -> None:
        torch.empty(1, device="cuda")  # makes torch's context the current one
        self._library = ctypes.CDLL("libcuda.so.1")
        self._device = torch.cuda.current_device()
        self._properties = _Properties(_PINNED, _DESCRIPTOR, _Location(_DEVICE, self._device))

    def rounded(self, size: int) -> int:
        """The bytes that an allocation of at least so many takes."""
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
        """A handle of the memory that a descriptor stands for."""
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
        """Give all of it back."""
        self._call("cuMemUnmap", c_uint64(address), c_size_t(size))
        self._call("cuMemAddressFree", c_uint64(address), c_size_t(size))
        self._call("cuMemRelease", c_uint64(handle))

    def forget_persisting(self) -> None:
        """Have no line of the cache kept longer than others; older GPUs know no such lines."""
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


class Region:
    """Bytes of a device that another process has mapped, too; ``memory`` are they."""

    def __init__(self, driver: Driver, handle: int, size: int) -> None:
        self._driver = driver
        self._handle = handle
        self.size = size
        self._address = driver.mapped(handle, size)
        self.memory = torch.as_tensor(_Array(self._address, size), device="cuda")

    def close(self) -> None:
        """Unmap it; tensors in it must not be used any more."""
        del self.memory
        self._driver.unmap(self._address, self.size, self._handle)


class Regions:
    """What a reference and a candidate share: inputs of a call, and places for its outputs.

    Which of the places outputs go to is said after a call, so that no kernel can write there late.
    Places of large outputs overlap: what was written to another is wrong all the same, as it is
    shifted, and outputs of gigabytes have room once.
    """

    def __init__(self) -> None:
        self._driver: Driver | None = None
        self._held: list[Region] = []
        self._files: list[int] = []  # descriptors of those made here

    @property
    def driver(self) -> Driver:
        """The driver, opened when it is first needed."""
        if self._driver is None:
            self._driver = Driver()
        return self._driver

    @property
    def inputs(self) -> torch.Tensor:
        """The bytes of a call's inputs."""
        return self._held[0].memory

    def outputs(self, place: int) -> torch.Tensor:
        """The bytes of one of the places for outputs."""
        return self._held[1].memory[place * _STEP :]

    def make(self, sizes: list[int]) -> tuple[list[int], list[int]]:
        """New regions of at least these sizes; their real sizes, and descriptors of them."""
        self._drop()
        real = [self.driver.rounded(size) for size in sizes]
        handles = [self.driver.create(size) for size in real]
        self._held = [Region(self.driver, *one) for one in zip(handles, real, strict=True)]
        self._files = [self.driver.exported(handle) for handle in handles]
        return real, self._files

    def take(self, sizes: list[int]) -> None:
        """Regions that another process made, of these real sizes, as they come from the parent."""
        self._drop()
        with socket.socket(fileno=os.dup(_ANSWERS)) as channel:
            _, files, _, _ = socket.recv_fds(channel, 1, len(sizes))
        handles = []
        for file in files:
            handles.append(self.driver.imported(file))
            os.close(file)
        self._held = [Region(self.driver, *one) for one in zip(handles, sizes, strict=True)]

    def _drop(self) -> None:
        held, self._held, files, self._files = self._held, [], self._files, []
        for one in held:
            one.close()
        for file in files:
            os.close(file)


class Cold:
    """Brings the caches of a device to the state in which every call begins.

    A buffer is read that is larger than the cache: reading leaves nothing behind that would have to
    be written during the call, as writing would. No lines persist.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        known = torch.cuda.get_device_properties(torch.cuda.current_device())
        size = _CACHES * getattr(known, "L2_cache_size", 0) or _COLD
        self._memory = torch.ones(size // 4, dtype=torch.int32, device="cuda")

    def make(self) -> None:
        """Do so, and wait until it is done."""
        self._driver.forget_persisting()
        self._memory.sum()
        torch.cuda.synchronize()
