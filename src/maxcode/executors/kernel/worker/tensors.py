"""Tensors as bytes in a file and as facts that JSON can hold; nested values likewise."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

ALIGNMENT = 64
"""Tensors begin at multiples of so many bytes."""

_PLAIN = (type(None), bool, int, float, str)


def pack(value: Any, tensors: list[torch.Tensor]) -> dict[str, Any]:
    """A nested value as a tree; its tensors are added to ``tensors``, the tree holds their numbers.

    Raises TypeError for what is none of tensors, plain values, and lists, tuples and dictionaries
    of those.
    """
    if isinstance(value, torch.Tensor):
        tensors.append(value.detach())
        return {"tensor": len(tensors) - 1}
    if isinstance(value, _PLAIN):
        return {"plain": value}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [pack(part, tensors) for part in value]}
    if isinstance(value, dict):
        pairs = [(pack(key, tensors), pack(part, tensors)) for key, part in value.items()]
        return {"dict": pairs}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    raise TypeError(f"a {type(value).__name__} cannot be handed to another process")


def unpack(tree: dict[str, Any], tensors: Sequence[torch.Tensor]) -> Any:
    """What was packed."""
    [(kind, held)] = tree.items()
    if kind == "tensor":
        return tensors[held]
    if kind == "plain":
        return held
    if kind == "dtype":
        return getattr(torch, held)
    if kind == "dict":
        return {unpack(key, tensors): unpack(part, tensors) for key, part in held}
    parts = [unpack(part, tensors) for part in held]
    return parts if kind == "list" else tuple(parts)


def mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """A nested value with its tensors changed; what holds none stays as it is."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)(mapped(part, change) for part in value)
    if isinstance(value, dict):
        return {key: mapped(part, change) for key, part in value.items()}
    return value


def facts(tensor: torch.Tensor) -> dict[str, Any]:
    """What must be known of a tensor to read it from bytes."""
    return {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape)}


def size(tensor: torch.Tensor) -> int:
    """Bytes it takes in a file, with the gap to the next."""
    held = tensor.numel() * tensor.element_size()
    return -(-held // ALIGNMENT) * ALIGNMENT


def write(descriptor: int, offset: int, tensors: Iterable[torch.Tensor]) -> int:
    """Write tensors one after another; where the next would begin."""
    for tensor in tensors:
        plain = tensor.detach().to("cpu").contiguous()
        rest, at = _bytes(plain), offset
        while rest:
            written = os.pwrite(descriptor, rest, at)
            rest, at = rest[written:], at + written
        offset += size(tensor)
    if os.fstat(descriptor).st_size < offset:  # the gap after the last one is read, too
        os.ftruncate(descriptor, offset)
    return offset


def placed(
    memory: torch.Tensor, offset: int, tensors: Iterable[torch.Tensor]
) -> list[torch.Tensor]:
    """Copies of tensors in bytes, one after another; they lie as :func:`write` has them."""
    copies = []
    for tensor in tensors:
        held = tensor.numel() * tensor.element_size()
        place = memory[offset : offset + held].view(tensor.dtype).view(tensor.shape)
        copies.append(place.copy_(tensor))
        offset += size(tensor)
    return copies


def empty(told: Iterable[dict[str, Any]]) -> list[torch.Tensor]:
    """Tensors of these types and shapes, of any content."""
    return [torch.empty(one["shape"], dtype=getattr(torch, one["dtype"])) for one in told]


def fill(tensors: Iterable[torch.Tensor], reader: Callable[[memoryview], None]) -> None:
    """Read bytes into tensors, one after another; they come as :func:`write` has them."""
    for tensor in tensors:
        held = _bytes(tensor)
        reader(held)
        reader(memoryview(bytearray(size(tensor) - len(held))))


def read(descriptor: int, offset: int, told: Iterable[dict[str, Any]]) -> list[torch.Tensor]:
    """Tensors that lie one after another. Raises EOFError when the file ends before they do."""
    found = empty(told)
    for tensor in found:
        rest, at = _bytes(tensor), offset
        while rest:
            count = os.preadv(descriptor, [rest], at)
            if not count:
                raise EOFError("tensors were cut off")
            rest, at = rest[count:], at + count
        offset += size(tensor)
    return found


def _bytes(tensor: torch.Tensor) -> memoryview:
    """The memory of a contiguous tensor."""
    if not tensor.numel():
        return memoryview(b"")
    array: Any = tensor.reshape(-1).view(torch.uint8).numpy()
    return memoryview(array)
