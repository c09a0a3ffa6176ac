"""What the profile of a kernel shows, by the rules for operators."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from maxcode.critics.code import capital
from maxcode.critics.findings import percent
from maxcode.critics.operators import OPERATOR_RULES, OperatorRule
from maxcode.evaluation import BEYOND, HotFunction, KernelUse, Profile
from maxcode.program import Program

_WORTH_SAYING = 0.05  # of the time
_MOST = 3  # findings, and rows of each that are named
_MANY = 8  # operators that a call starts
_NEAR = 0.7  # of the speed of light
_WARP = 32
_NOT_OPTIMIZED = "the extension is compiled without optimisation"


@dataclass(frozen=True, slots=True)
class KernelFinding:
    """A rule with the rows of a profile that it applies to, the costliest first."""

    rule: OperatorRule
    rows: tuple[HotFunction, ...]

    @property
    def share(self) -> float:
        """Share of the time."""
        return sum(row.share for row in self.rows)

    @property
    def calls(self) -> int:
        """Calls of a forward call."""
        return sum(row.calls for row in self.rows)

    def __str__(self) -> str:
        named = "; ".join(
            f"{row.name} {percent(row.share)}" + (f" in {row.calls} calls" * (row.calls > 1))
            for row in self.rows[:_MOST]
        )
        return f"{percent(self.share)} of the time: {self.rule.seen} ({named})."


def kernel_findings(profile: Profile) -> list[KernelFinding]:
    """All that take a share worth saying, the largest first."""
    taken: dict[OperatorRule, list[HotFunction]] = defaultdict(list)
    for row in profile.functions:
        taken[next(rule for rule in OPERATOR_RULES if rule.takes(row))].append(row)
    found = [KernelFinding(rule, tuple(rows)) for rule, rows in taken.items()]
    worth = [finding for finding in found if finding.share >= _WORTH_SAYING]
    return sorted(worth or found, key=lambda finding: -finding.share)


def kernel_bottleneck(found: Sequence[KernelFinding], profile: Profile) -> str:
    """What the time goes to; for the program's own code what the roofline says it must wait for."""
    sums: dict[str, float] = defaultdict(float)
    for finding in found:
        kind = finding.rule.bottleneck
        if finding.rule.own and profile.roofline is not None:
            kind = profile.roofline.bound
        sums[kind] += finding.share
    return max(sums, key=sums.__getitem__, default="")


def kernel_evidence(
    found: Sequence[KernelFinding], profile: Profile, seconds: float | None
) -> Iterator[str]:
    """What was seen, in sentences; ``seconds`` is what a call takes."""
    yield from map(str, found[:_MOST])
    if profile.launches is not None and profile.launches >= _MANY:
        allocated = (profile.allocated or 0) / 1e6
        yield f"A call starts {profile.launches} operators and allocates {allocated:,.1f} MB."
    if profile.roofline is not None and seconds:
        yield _position(profile, profile.roofline.share(seconds))
    yield from (f"Precision: {said}." for said in profile.precision[:_MOST])
    for use in profile.kernels[:_MOST]:
        if said := _wasted(use):
            yield f"{use.name} {said}."


def kernel_suggestions(
    found: Sequence[KernelFinding], program: Program, profile: Profile
) -> Iterator[str]:
    """What usually helps, what promises most first."""
    text = "\n".join(program.files.values())
    if "load_inline" in text and not re.search(r"-O([123s]|fast)", text):
        yield (
            f"{capital(_NOT_OPTIMIZED)}, which load_inline leaves to the caller: give it "
            'extra_cflags=["-O3", "-march=native"].'
        )
    for finding in found[:_MOST]:
        yield f"{capital(finding.rule.seen)}: {finding.rule.advice}."
    if any(use.spilled for use in profile.kernels):
        yield "Registers spill to memory: use smaller tiles, or __launch_bounds__."


def _position(profile: Profile, share: float) -> str:
    roof = profile.roofline
    if roof is None:
        return ""
    said = f"It reaches {percent(share)} of the speed of light, which is bound by {roof.bound}"
    if share > BEYOND:
        return f"{said}: it does with less than the reference does."
    return f"{said}; little is left to gain." if share >= _NEAR else f"{said}."


def _wasted(use: KernelUse) -> str:
    """What a GPU kernel wastes of the device."""
    if use.spilled:
        return f"spills {use.spilled:,} bytes of registers to memory"
    if use.grid and use.block:
        threads = use.block[0] * use.block[1] * use.block[2]
        if threads % _WARP:
            return f"has blocks of {threads} threads, which is no multiple of a warp's {_WARP}"
        if use.grid[0] * use.grid[1] * use.grid[2] < _WARP:
            return "has so few blocks that most of the device is idle"
    return ""
