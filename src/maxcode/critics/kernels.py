"""Findings in the profile of a kernel, by the rules for operators."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from maxcode.critics.findings import MAX_FINDINGS, Finding, capital, notable
from maxcode.critics.rules import Rule
from maxcode.evaluation import ROOFLINE_TOLERANCE, HotFunction, Profile, Roofline
from maxcode.program import Program
from maxcode.text import percent

_OWN = Rule(
    "compute",
    "the program's own extension",
    "read and write each element once, in the order of memory, with vector instructions and "
    "all threads there are; keep what is used again in registers",
)
_OPERATORS = (
    Rule(
        "compute",
        "Python, and code that torch does not see",
        "call fewer operators on larger tensors, without loops in Python, or do all in one "
        "function of an extension",
        through=r"^\(outside",
    ),
    Rule(
        "memory",
        "copying and converting tensors",
        "keep one type and one layout from beginning to end, take views instead of copies, and let "
        "results be written where they are needed",
        through=r"copy_?$|_to_copy$|::to$|clone$|contiguous$|[Mm]emcpy|copy_kernel",
    ),
    Rule(
        "compute",
        "matrix products and convolutions",
        "the library is near the machine's peak where they are large: make fewer and larger ones, "
        "compute beforehand what does not depend on the input, leave out what is zero or not used, "
        "and fuse what follows",
        through=r"mm$|matmul|linear$|conv|gemm|cutlass|cublas|cudnn|einsum|bilinear|attention|lstm"
        r"|gru",
    ),
    Rule(
        "memory",
        "softmax and normalisation",
        "fuse them with what comes before and after; in evaluation fold a batch norm into the "
        "weights before it",
        through=r"softmax|_norm|normalize",
    ),
    Rule(
        "memory",
        "reductions and pooling",
        "compute them in the same pass as what makes their input, and several of them at once",
        through=r"pool|reduce_kernel|::(sum|mean|max|min|amax|amin|aminmax|norm|var|std|prod|all|any"
        r"|argmax|argmin|logsumexp|cum\w+|linalg_vector_norm|var_mean)$",
    ),
    Rule(
        "memory",
        "making, filling and joining tensors",
        "make constants once, in the constructor; write the parts into one tensor that is made "
        "beforehand, or read them where they are",
        through=r"::(empty|zeros|ones|full|fill|zero|arange|scalar_tensor)\w*$|FillFunctor|[Mm]emset"
        r"|::(cat|stack|_cat|pad|constant_pad\w*|repeat|unfold|im2col|roll|flip)$|CatArray",
    ),
    Rule(
        "memory",
        "picking and placing elements",
        "go through memory in order, and use masks in the arithmetic instead of gathering",
        through=r"::(index\w*|gather|scatter\w*|embedding\w*|masked_\w+|nonzero|take\w*|where)$|index",
    ),
    Rule(
        "algorithm",
        "sorting and selecting",
        "select instead of sorting, and only once",
        through=r"::(sort|topk|kthvalue|median|unique\w*|bincount|histc)$|[Ss]ort",
    ),
    Rule(
        "memory",
        "elementwise operators, each of which walks over whole tensors",
        "fuse neighbours into one loop of an extension, so that every element is read once and "
        "written once; in-place variants save at least the allocations",
        through=r"::(?!_)\w+$|elementwise",
    ),
    Rule(
        "compute",
        "other operators",
        "call them less often, or write what is needed",
    ),
)
"""Kinds of work by the name of a row, which ``through`` is searched in; the first applies."""

_MANY = 8  # operators that a call starts
_NEAR = 0.7  # of the speed of light


def kernel_findings(profile: Profile) -> list[Finding]:
    """Notable findings in the rows of a profile; the program's own code by its roofline."""
    taken: dict[Rule, list[HotFunction]] = defaultdict(list)
    for row in profile.functions:
        named = (rule for rule in _OPERATORS if re.search(rule.through, row.name))
        taken[_OWN if row.own else next(named)].append(row)
    return notable(_finding(rule, rows, profile) for rule, rows in taken.items())


def _finding(rule: Rule, rows: Sequence[HotFunction], profile: Profile) -> Finding:
    named = "; ".join(
        f"{row.name} {percent(row.share)}" + (f" in {row.calls} calls" * (row.calls > 1))
        for row in rows[:MAX_FINDINGS]
    )
    bound = profile.roofline.bound if rule is _OWN and profile.roofline else ""
    share = sum(row.share for row in rows)
    return Finding(
        bottleneck=bound or rule.bottleneck,
        share=share,
        weight=share,
        seen=f"{percent(share)} of the time: {rule.seen} ({named}).",
        advice=f"{capital(rule.seen)}: {rule.advice}.",
    )


def kernel_notes(profile: Profile, seconds: float | None) -> Iterator[str]:
    """Operators and memory in sentences; ``seconds`` is the time of a call."""
    if profile.launches is not None and profile.launches >= _MANY:
        allocated = (profile.allocated or 0) / 1e6
        yield f"A call starts {profile.launches} operators and allocates {allocated:,.1f} MB."
    if profile.roofline is not None and seconds:
        yield _position(profile.roofline, profile.roofline.share(seconds))


def unoptimised(program: Program) -> bool:
    """Whether an extension is compiled without optimisation, as load_inline does by default."""
    text = "\n".join(program.files.values())
    return "load_inline" in text and not re.search(r"-O([123s]|fast)", text)


def _position(roof: Roofline, share: float) -> str:
    said = f"It reaches {percent(share)} of the speed of light, which is bound by {roof.bound}"
    if share > ROOFLINE_TOLERANCE:
        return f"{said}: it does with less than the reference does."
    return f"{said}; little is left to gain." if share >= _NEAR else f"{said}."
