"""Tensors: as bytes in a file, computed, compared, and drawn at random."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from maxcode.executors.kernel.worker.messages import ALIGNMENT, Fact, ModuleSpec, Tree

# Taken before any candidate is there to replace them.
_seed_all = torch.manual_seed
_seed_processor = torch.default_generator.manual_seed


def set_seed(seed: int, device: str) -> None:
    """Seed the random numbers of a device and of main memory.

    On the CPU ``torch.manual_seed`` would keep a stack trace for each unused kind of device.
    """
    (_seed_processor if device == "cpu" else _seed_all)(seed)


def pack(value: Any, tensors: list[torch.Tensor]) -> Tree:
    """A nested value as a tree with the numbers of its tensors, which are added to ``tensors``.

    Raises TypeError for anything but tensors, plain values, dtypes, and lists, tuples and
    dictionaries of them.
    """
    if isinstance(value, torch.Tensor):
        tensors.append(value.detach())
        return {"tensor": len(tensors) - 1}
    if value is None or isinstance(value, bool | int | float | str):
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


def flat(value: Any) -> list[torch.Tensor]:
    """The tensors of a nested value, in the order in which :func:`pack` numbers them."""
    found: list[torch.Tensor] = []
    pack(value, found)
    return found


def unpack(tree: Tree, tensors: Sequence[torch.Tensor]) -> Any:
    """Inverse of :func:`pack`."""
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
    """A nested value with its tensors changed."""
    return tree_map_only(torch.Tensor, change, value)


def fact(tensor: torch.Tensor) -> Fact:
    """The type and shape of a tensor, needed to read it from bytes."""
    return Fact(str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape))


def facts(tensors: Iterable[torch.Tensor]) -> tuple[Fact, ...]:
    """The :func:`fact` of each tensor."""
    return tuple(map(fact, tensors))


def size(tensor: torch.Tensor) -> int:
    """Bytes it takes in a file, with the gap to the next."""
    held = tensor.numel() * tensor.element_size()
    return -(-held // ALIGNMENT) * ALIGNMENT


def write(descriptor: int, offset: int, tensors: Iterable[torch.Tensor]) -> int:
    """Write tensors consecutively; returns the offset after them."""
    for tensor in tensors:
        plain = resolved(tensor.detach().to("cpu")).contiguous()
        rest, at = _bytes(plain), offset
        while rest:
            written = os.pwrite(descriptor, rest, at)
            rest, at = rest[written:], at + written
        offset += size(tensor)
    if os.fstat(descriptor).st_size < offset:  # the gap after the last one is read, too
        os.ftruncate(descriptor, offset)
    return offset


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether its bytes are its elements in order, without pending conjugation or negation."""
    return tensor.is_contiguous() and not (tensor.is_conj() or tensor.is_neg())


def resolved(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with pending conjugation and negation applied."""
    return tensor.resolve_conj().resolve_neg()


def empty(described: Iterable[Fact]) -> list[torch.Tensor]:
    """Tensors of these :func:`facts`, of any content."""
    return [torch.empty(one.shape, dtype=getattr(torch, one.dtype)) for one in described]


def views(memory: torch.Tensor, described: Iterable[Fact]) -> list[torch.Tensor]:
    """Tensors of these :func:`facts`, stored consecutively in ``memory``."""
    found, offset = [], 0
    for one in described:
        dtype, shape = getattr(torch, one.dtype), torch.Size(one.shape)
        held = dtype.itemsize * shape.numel()
        found.append(memory[offset : offset + held].view(dtype).view(shape))
        offset += size(found[-1])
    return found


def fill(tensors: Iterable[torch.Tensor], reader: Callable[[memoryview], object]) -> None:
    """Read bytes into tensors, laid out as by :func:`write`."""
    for tensor in tensors:
        held = _bytes(tensor)
        reader(held)
        reader(memoryview(bytearray(size(tensor) - len(held))))


def _bytes(tensor: torch.Tensor) -> memoryview:
    """The memory of a contiguous tensor."""
    if not tensor.numel():
        return memoryview(bytearray())
    array: Any = tensor.reshape(-1).view(torch.uint8).numpy()
    return memoryview(array)


def prepared(module: torch.nn.Module, spec: ModuleSpec) -> torch.nn.Module:
    """The module as it is judged."""
    module = (module if spec.train is None else module.train(spec.train)).to(spec.device)
    return module.to(getattr(torch, spec.dtype)) if spec.dtype else module


@contextmanager
def buffers_kept(module: torch.nn.Module) -> Iterator[None]:
    """Restore a module's buffers afterwards: calls in training mode change statistics."""
    before = {name: one.clone() for name, one in module.named_buffers()}
    try:
        yield
    finally:
        with torch.no_grad():
            for name, one in module.named_buffers():
                one.copy_(before[name])


def cast(value: Any, dtype: torch.dtype | None) -> Any:
    """A nested value with its floating-point tensors cast to this type; unchanged for None."""
    if dtype is None:
        return value
    return mapped(value, lambda one: one.to(dtype) if one.is_floating_point() else one)


@dataclass(frozen=True)
class Call:
    """A call of a module on a device, with a seed for the random numbers that it draws."""

    module: torch.nn.Module
    given: Sequence[Any]
    seed: int
    device: str

    def outputs(self) -> list[torch.Tensor]:
        """Tensors of the result, on the device; buffers are restored."""
        return self.returned()[1]

    def returned(self) -> tuple[Tree, list[torch.Tensor]]:
        """Structure of the result, see :func:`pack`, and its tensors; buffers are restored."""
        with buffers_kept(self.module):
            return self.made()

    def made(self) -> tuple[Tree, list[torch.Tensor]]:
        """Structure and tensors as of :meth:`returned`; buffers may change."""
        given = mapped(list(copy.deepcopy(self.given)), lambda one: one.to(self.device))
        set_seed(self.seed, self.device)
        found: list[torch.Tensor] = []
        with torch.no_grad():
            tree = pack(self.module(*given), found)
        buffers = {one.data_ptr() for one in self.module.buffers()}
        return tree, [resolved(one.clone() if _starts(one) in buffers else one) for one in found]

    def exact(self) -> list[torch.Tensor] | None:
        """:meth:`outputs` with all floating-point numbers in double precision; None on failure."""

        def wide(one: torch.Tensor) -> torch.Tensor:
            dtype = torch.float64 if one.is_floating_point() else one.dtype
            return one.to(self.device, dtype, copy=True)

        try:
            double = copy.deepcopy(self.module).double()
            return replace(self, module=double, given=mapped(list(self.given), wide)).made()[1]
        except Exception:  # noqa: BLE001 - a reference may insist on its own precision
            return None


def _starts(one: torch.Tensor) -> int:
    """Its address; -1 of a tensor without elements of its own."""
    return one.data_ptr() if one.layout is torch.strided and one.numel() else -1


def in_parts(lines: torch.Tensor, elements: int) -> tuple[torch.Tensor, ...]:
    """Rows of a matrix in parts of about ``elements`` elements, at least a row each."""
    return torch.split(lines, max(1, elements // max(lines.shape[1], 1)))


def drew(seed: int, device: str) -> bool:
    """Whether random numbers were drawn since this seed was set; it is set again."""
    state = torch.cuda.get_rng_state if device == "cuda" else torch.get_rng_state
    before = state()
    set_seed(seed, device)
    return not torch.equal(before, state())


def is_close(found: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> bool:
    """Whether each element is close by ``torch.allclose``; NaN is close to nothing."""
    return torch.allclose(wanted, found, atol=tolerance, rtol=tolerance)


def constant(one: torch.Tensor) -> torch.Tensor:
    """Constant for all elements of an output: their mean, or the first integer, if any."""
    if one.is_floating_point() and one.numel():
        wide = one if one.element_size() > 1 else one.float()
        return wide.mean(dtype=torch.float64).to(one.dtype).reshape(1)
    return one.reshape(-1)[:1].clone()


def trivial_answers(
    arguments: Sequence[Any], wanted: torch.Tensor, known: torch.Tensor
) -> dict[str, torch.Tensor | None]:
    """Answers without computation for an expected output; ``known`` is a :func:`constant`."""
    shape, count = wanted.shape, wanted.numel()
    copies = [o for o in arguments if isinstance(o, torch.Tensor) and o.numel() == count]
    return {
        "zeros": torch.zeros_like(wanted),
        "a constant": known.expand(count).reshape(shape) if known.numel() else None,
        "a copy of an input": copies[0].to(wanted.dtype).reshape(shape) if copies else None,
    }


_DRAW: dict[str, Callable[[torch.Size], torch.Tensor]] = {
    "normal": torch.randn,
    "uniform": lambda shape: 2 * torch.rand(shape) - 1,
    "positive": lambda shape: torch.rand(shape) + 0.5,
    "shifted": lambda shape: torch.randn(shape) + 100,
    "mixed-scale": lambda shape: torch.randn(shape) * 10 ** (4 * torch.rand(shape) - 2),
}


def drawn(value: Any, distribution: str) -> Any:
    """A nested value with its floating-point tensors drawn anew, unless it is "task".

    See :data:`maxcode.tasks.kernel.DISTRIBUTIONS`. Random numbers come from torch's generator.
    """
    if distribution == "task":
        return value
    draw = _DRAW[distribution]
    return mapped(
        value, lambda one: draw(one.shape).to(one.dtype) if one.is_floating_point() else one
    )
