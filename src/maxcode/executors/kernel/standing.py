"""How a kernel stands: against torch.compile, the speed of light, and the precision asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from maxcode.evaluation import Interval, Measurement, Roofline
from maxcode.executors.kernel import roofline
from maxcode.executors.kernel.compiled import Compiled

_PRECISION, _FULL = "torch.get_float32_matmul_precision()", "highest"


@dataclass(frozen=True, slots=True)
class Yardsticks:
    """What a kernel is held against besides the eager reference.

    ``roof`` is the speed of light of the reference's computation, ``settings`` are those of torch
    that the reference computes with, ``compiled`` is by torch.compile, if the task asks for that.
    """

    roof: Roofline
    settings: Mapping[str, str]
    compiled: Compiled | None = None

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """In seconds of a call."""
        light = Measurement("speed of light", "s", (self.roof.seconds,))
        samples = self.compiled.samples if self.compiled else None
        return (light, samples) if samples else (light,)

    def of_reference(self, seconds: float) -> str:
        """What is said of the reference, of which a call takes so long."""
        said = roofline.reached(self.roof, seconds)
        precision = self.settings.get(_PRECISION, _FULL)
        if self.roof.dtype == "float32" and precision != _FULL:
            said += f", float32 matrix products at precision {precision!r}"
        return f"{said}; {self.compiled}" if self.compiled else said

    def of_candidate(self, ratio: Interval, seconds: float, changes: Sequence[str]) -> str:
        """What is said of a candidate: ``ratio`` is against the eager reference."""
        said = f"{ratio} against the reference"
        if self.compiled is not None and self.compiled.ratio is not None:
            said += f", {ratio.value / self.compiled.ratio.value:.2f}x against torch.compile"
        said += f"; {roofline.reached(self.roof, seconds)}"
        if changes:
            said += f"; beware, its precision is not as asked: {'; '.join(changes)}"
        return said
