"""What takes time in PyTorch modules, how a profile shows it, and what usually helps: a table.

For each row of a profile the first rule that fits takes its share, so what is special stands before
what is general. Names are those of operators (``aten::exp``) and of torch's GPU kernels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from maxcode.evaluation import HotFunction


@dataclass(frozen=True, slots=True)
class OperatorRule:
    """One kind of work.

    ``pattern`` is searched in a row's name. ``seen`` completes "30 % of the time: ...", ``advice``
    says what usually helps. ``own`` rules are for functions of the program's extensions.
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
        r"::(sum|mean|max|min|amax|amin|aminmax|norm|var|std|prod|all|any|argmax|argmin|logsumexp"
        r"|cum\w+|linalg_vector_norm|var_mean)$|reduce_kernel",
        "reductions",
        "compute them in the same pass as what makes their input, and several of them at once",
    ),
    OperatorRule(
        "memory",
        r"::(empty|zeros|ones|full|fill|zero|arange|scalar_tensor)\w*$|FillFunctor|[Mm]emset",
        "making and filling tensors",
        "make constants once, in the constructor; empty() where everything is written anyway",
    ),
    OperatorRule(
        "memory",
        r"::(cat|stack|_cat|pad|constant_pad\w*|repeat|unfold|im2col|roll|flip)$|CatArray",
        "putting tensors together",
        "write the parts into one tensor that is made beforehand, or read them where they are",
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
        r"pool",
        "pooling",
        "compute it in the same pass as what makes its input",
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
