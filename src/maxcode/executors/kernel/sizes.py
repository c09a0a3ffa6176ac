"""Room: whether a task's tensors fit where it is judged."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.errors import TaskError
from maxcode.executors.kernel.worker.messages import TensorBytes

_USABLE = 0.9  # of a GPU's memory
_TWICE = 2  # times the inputs of a call, that are in main memory by the rules of others
_GIB = 1 << 30


def learned_from(size: TensorBytes) -> float:
    """Bytes of inputs, outputs and intermediate results while a reference is learned.

    As measured in main memory: the first formula for norms, with outputs as large as inputs, the
    second for convolutions with larger outputs.
    """
    return max(4.0 * size.inputs + 4.3 * size.outputs, size.inputs + 5.6 * size.outputs)


@dataclass(frozen=True, slots=True)
class Room:
    """Memory for tensors: ``main`` bytes for the reference, ``shared`` of each file.

    On a GPU of ``device`` bytes neither inputs nor outputs are in files. ``learns`` is false by
    KernelBench's rules: calls are made singly, candidates get no weights, and inputs for a GPU are
    made in main memory.
    """

    main: int
    shared: int
    device: int = 0
    learns: bool = True

    def _lacks_weights(self, size: TensorBytes) -> bool:
        return self.learns and size.weights > self.shared

    def _lacks_main(self, size: TensorBytes) -> bool:
        return not self.learns and _TWICE * size.inputs > self.main

    def most_at_once(self, size: TensorBytes) -> int:
        """Maximum number of calls whose inputs fit beside judging's other needs."""
        if self._lacks_weights(size):
            return 0
        if not self.device:
            if not self.learns:
                return int(max(size.inputs, size.outputs) <= self.shared)
            return _times(self.shared - size.inputs, size.inputs + size.outputs)
        room = int(_USABLE * self.device) - 2 * size.weights  # which both processes have
        if self._lacks_main(size) or (self.learns and learned_from(size) > room):
            return 0
        # Beside the calls' own: what is shared, results of a candidate, and what comparing takes;
        # or, while no outputs are there, what the inputs of a call are made of.
        called = _times(room - size.inputs - 4 * size.outputs, size.inputs + 2 * size.outputs)
        return min(called, _times(room - 3 * size.inputs - 2 * size.outputs, size.inputs))

    def check(self, where: str, size: TensorBytes) -> int:
        """:meth:`most_at_once`. Raises :class:`~maxcode.errors.TaskError` if it is 0."""
        if most := self.most_at_once(size):
            return most
        parts = ((size.inputs, "inputs"), (size.weights, "weights"), (size.outputs, "outputs"))
        named = ", ".join(f"{count / _GIB:.3g} GiB of {name}" for count, name in parts if count)
        if not self.device or self._lacks_weights(size):
            limit = f"processes share at most {self.shared / _GIB:.3g} GiB"
        elif self._lacks_main(size):
            limit = f"to draw such inputs takes more than {self.main / _GIB:.3g} GiB of main memory"
        else:
            limit = f"they have to fit several times into {self.device / _GIB:.3g} GiB of the GPU's"
        remedy = "add a variant with smaller constants, or set memory_mb to more"
        raise TaskError(f"{where}: a call has {named}, and {limit}; {remedy}")


def _times(left: int, each: int) -> int:
    """How often ``each`` fits into ``left``; practically unlimited for 0."""
    return max(0, left // each) if each else 1 << 30
