"""Findings in the profile of a kernel, by the rules for operators."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from maxcode.critics.code import capital
from maxcode.critics.findings import MAX_FINDINGS, Finding, notable
from maxcode.evaluation import ROOFLINE_TOLERANCE, HotFunction, Profile, Roofline
from maxcode.program import Program
from maxcode.text import percent


@dataclass(frozen=True, slots=True)
class OperatorRule:
    """A kind of work.

    ``pattern`` is searched in a row's name. ``seen`` completes "30 % of the time: ...", ``advice``
    is the usual remedy. ``own`` rules are for functions of the program's extensions.
    """

    bottleneck: str
    pattern: str
    seen: str
    advice: str
    own: bool = False

    def takes(self, row: HotFunction) -> bool:
        """Whether it is about a row of a profile."""
        return self.own == row.own and bool(re.search(self.pattern, row.name))


OPERATOR_RULES = (
    OperatorRule(
        "compute",
        r"",
        "the program's own extension",
        "read and write each element once, in the order of memory, with vector instructions and "
        "all threads there are; keep what is used again in registers",
        own=True,
    ),
    OperatorRule(
        "compute",
        r"^\(outside",
        "Python, and code that torch does not see",
        "call fewer operators on larger tensors, without loops in Python, or do all in one "
        "function of an extension",
    ),
    OperatorRule(
        "memory",
        r"copy_?$|_to_copy$|::to$|clone$|contiguous$|[Mm]emcpy|copy_kernel",
        "copying and converting tensors",
        "keep one type and one layout from beginning to end, take views instead of copies, and let "
        "results be written where they are needed",
    ),
    OperatorRule(
        "compute",
        r"mm$|matmul|linear$|conv|gemm|cutlass|cublas|cudnn|einsum|bilinear|attention|lstm|gru",
        "matrix products and convolutions",
        "the library is near the machine's peak where they are large: make fewer and larger ones, "
        "compute beforehand what does not depend on the input, leave out what is zero or not used, "
        "and fuse what follows",
    ),
    OperatorRule(
        "memory",
        r"softmax|_norm|normalize",
        "softmax and normalisation",
        "fuse them with what comes before and after; in evaluation fold a batch norm into the "
        "weights before it",
    ),
    OperatorRule(
        "memory",
        r"pool|reduce_kernel|::(sum|mean|max|min|amax|amin|aminmax|norm|var|std|prod|all|any|argmax"
        r"|argmin|logsumexp|cum\w+|linalg_vector_norm|var_mean)$",
        "reductions and pooling",
        "compute them in the same pass as what makes their input, and several of them at once",
    ),
    OperatorRule(
        "memory",
        r"::(empty|zeros|ones|full|fill|zero|arange|scalar_tensor)\w*$|FillFunctor|[Mm]emset"
        r"|::(cat|stack|_cat|pad|constant_pad\w*|repeat|unfold|im2col|roll|flip)$|CatArray",
        "making, filling and joining tensors",
        "make constants once, in the constructor; write the parts into one tensor that is made "
        "beforehand, or read them where they are",
    ),
    OperatorRule(
        "memory",
        r"::(index\w*|gather|scatter\w*|embedding\w*|masked_\w+|nonzero|take\w*|where)$|index",
        "picking and placing elements",
        "go through memory in order, and use masks in the arithmetic instead of gathering",
    ),
    OperatorRule(
        "algorithm",
        r"::(sort|topk|kthvalue|median|unique\w*|bincount|histc)$|[Ss]ort",
        "sorting and selecting",
        "select instead of sorting, and only once",
    ),
    OperatorRule(
        "memory",
        r"::(?!_)\w+$|elementwise",
        "elementwise operators, each of which walks over whole tensors",
        "fuse neighbours into one loop of an extension, so that every element is read once and "
        "written once; in-place variants save at least the allocations",
    ),
    OperatorRule(
        "compute", r"", "other operators", "call them less often, or write what is needed"
    ),
)


_MANY = 8  # operators that a call starts
_NEAR = 0.7  # of the speed of light


def kernel_findings(profile: Profile) -> list[Finding]:
    """Notable findings in the rows of a profile; the program's own code by its roofline."""
    taken: dict[OperatorRule, list[HotFunction]] = defaultdict(list)
    for row in profile.functions:
        taken[next(rule for rule in OPERATOR_RULES if rule.takes(row))].append(row)
    return notable(_finding(rule, rows, profile) for rule, rows in taken.items())


def _finding(rule: OperatorRule, rows: Sequence[HotFunction], profile: Profile) -> Finding:
    named = "; ".join(
        f"{row.name} {percent(row.share)}" + (f" in {row.calls} calls" * (row.calls > 1))
        for row in rows[:MAX_FINDINGS]
    )
    bound = profile.roofline.bound if rule.own and profile.roofline else ""
    share = sum(row.share for row in rows)
    return Finding(
        bottleneck=bound or rule.bottleneck,
        share=share,
        weight=share,
        seen=f"{percent(share)} of the time: {rule.seen} ({named}).",
        advice=f"{capital(rule.seen)}: {rule.advice}.",
    )


def kernel_notes(profile: Profile, seconds: float | None) -> Iterator[str]:
    """Operators, memory and registers, in sentences; ``seconds`` is the time of a call."""
    if profile.launches is not None and profile.launches >= _MANY:
        allocated = (profile.allocated or 0) / 1e6
        yield f"A call starts {profile.launches} operators and allocates {allocated:,.1f} MB."
    if profile.roofline is not None and seconds:
        yield _position(profile.roofline, profile.roofline.share(seconds))
    for use in [use for use in profile.kernels if use.spilled][:MAX_FINDINGS]:
        where = f" on {use.arch}" if use.arch else ""
        has = f"with {use.registers} registers a thread{where}"
        yield f"{use.name} spills {use.spilled:,} bytes of registers to memory, {has}."


def kernel_advice(program: Program, profile: Profile) -> Iterator[str]:
    """Remedies beside those of the findings."""
    text = "\n".join(program.files.values())
    if "load_inline" in text and not re.search(r"-O([123s]|fast)", text):
        yield (
            "The extension is compiled without optimisation, which load_inline leaves to the "
            'caller: give it extra_cflags=["-O3", "-march=native"].'
        )
    if any(use.spilled for use in profile.kernels):
        yield "Registers spill to memory: use smaller tiles, or __launch_bounds__."


def _position(roof: Roofline, share: float) -> str:
    said = f"It reaches {percent(share)} of the speed of light, which is bound by {roof.bound}"
    if share > ROOFLINE_TOLERANCE:
        return f"{said}: it does with less than the reference does."
    return f"{said}; little is left to gain." if share >= _NEAR else f"{said}."
