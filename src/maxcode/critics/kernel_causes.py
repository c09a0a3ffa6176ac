"""Why kernels fail, how their feedback shows it, and what usually helps: a table.

Looked at before :data:`maxcode.critics.causes.CAUSES`, whose entries for compilers hold for
extensions, too.
"""

from __future__ import annotations

from maxcode.critics.causes import Cause
from maxcode.evaluation import Status

_BUILD, _WRONG, _CRASH = Status.BUILD_ERROR, Status.WRONG_ANSWER, Status.RUNTIME_ERROR

KERNEL_CAUSES = (
    # -- it does not build ----------------------------------------------------------------------
    Cause(
        _BUILD,
        r"defines no class (\w+)",
        "the file has no class of the name that is judged",
        "define class {0}, with the arguments of the reference's constructor and forward",
    ),
    Cause(
        _BUILD,
        r"^(SyntaxError|IndentationError|TabError)",
        "the file is no valid Python: a bracket or quote is open, or the code was cut off",
        "write the whole file, and check the ends of the sources in quotes",
    ),
    Cause(
        _BUILD,
        r"there is no nvcc",
        "its CUDA code cannot be run on this machine",
        "write the kernel for the device that the task is judged on",
    ),
    Cause(
        _CRASH,
        r"compiled, not run",
        "its CUDA code compiles, and there is no GPU here to run it",
        "write the kernel for the device that the task is judged on",
    ),
    # -- it answers wrongly ---------------------------------------------------------------------
    Cause(
        _WRONG,
        r"(are NaN or infinite and should not be)",
        "something overflows or is divided by zero where the reference takes care: an exponential "
        "without the maximum taken off, a square that is too large, an empty sum",
        "take off the maximum before exp, and keep the order of operations that avoids overflow",
    ),
    Cause(
        _WRONG,
        r"(finite where it should be NaN or infinite)",
        "it hides values that the reference lets through",
        "do not clamp or replace what the reference does not",
    ),
    Cause(
        _WRONG,
        r"off by (\d\S*e-0[2-6]|0\.00\d+) relative",
        "it computes with less precision than the reference, or leaves out a small term",
        "add up in float32 at least (or in several partial sums), use no approximation of exp, "
        "tanh or rsqrt, and no narrower type",
    ),
    Cause(
        _WRONG,
        r"has (shape|dtype) ([^,]+), not (.+)",
        "its {0} is {1}, where the reference's is {2}",
        "return the {0} of the reference, for every size that is tried",
    ),
    Cause(
        _WRONG,
        r"(another structure|changes its inputs)",
        "it returns other things than the reference does, or works in place on what it was given",
        "return what the reference returns, in a tensor of its own",
    ),
    Cause(
        _WRONG,
        r"(wrong when it was timed)",
        "it does not compute anew at every call, leaves work unfinished when it returns, or is "
        "wrong now and then: a race, memory that is not initialised, results that are kept",
        "compute every call from its input, wait for all threads and streams, initialise memory",
    ),
    Cause(
        _WRONG,
        r"variant (\w[\w.-]*): ",
        "it is not right for the sizes or values of the inputs called {0}",
        "take sizes from the tensors, handle rows that are no multiple of the vector width, and "
        "strides that are not contiguous",
    ),
    Cause(
        _WRONG,
        r"",
        "indices, strides or the order of dimensions are mixed up, or a step is left out",
        "check index arithmetic on a small case, and that every tensor handed to the extension is "
        "contiguous",
    ),
    # -- it fails -------------------------------------------------------------------------------
    Cause(
        _CRASH,
        r"(illegal memory access|misaligned address|device-side assert)",
        "a GPU kernel reads or writes outside of its tensors",
        "guard the last block (if (i < n)), and check sizes and strides",
    ),
    Cause(
        _CRASH,
        r"(invalid configuration argument|too many resources requested)",
        "a GPU kernel is started with more threads, registers or shared memory than there are",
        "use blocks of at most 1024 threads, and less shared memory",
    ),
    Cause(
        _CRASH,
        r"^(?:ModuleNotFoundError|ImportError): (.{1,100})",
        "a module is imported that is not there: {0}",
        "use torch and the standard library only",
    ),
    Cause(
        _CRASH,
        r"ModelNew\(\.\.\.\): (\w+)",
        "the constructor raises {0}",
        "take the arguments that the reference's constructor takes, and name weights as it does",
    ),
    Cause(
        _CRASH,
        r"(SIGSEGV|SIGBUS|double free|corrupted)",
        "the extension used memory that is not its own: an index beyond a tensor, a tensor that "
        "is not contiguous, of another type, or was freed",
        "check sizes, types and strides where the function begins (TORCH_CHECK), and indices",
    ),
    Cause(
        _CRASH,
        r"(ended with status \d+)",
        "it ended its process",
        "leave exits to others, and raise an exception for what is wrong",
    ),
    Cause(
        _CRASH,
        r"forward[^:]*: (\w+): ",
        "forward raises {0}",
        "look at the shapes and types of what is combined there",
    ),
    # -- it takes too much ----------------------------------------------------------------------
    Cause(
        Status.OUT_OF_MEMORY,
        r"",
        "it makes tensors that are too large: an expanded or unfolded copy, all pairs at once",
        "work through the input in blocks, and do not write down what is used only once",
    ),
    Cause(
        Status.SUSPECT,
        r"(cannot even be read and written)",
        "it is faster than its data can be moved, so it does not look at all of its input, or does "
        "its work at another time",
        "compute the whole output from the whole input, within the call",
    ),
    Cause(
        Status.SUSPECT,
        r"(while it was not being timed)",
        "it works before or after the call that is timed",
        "do all of the work within the call; start no threads that outlive it",
    ),
)
