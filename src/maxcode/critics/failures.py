"""Explanations of failed programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from maxcode.critics.code import HEADERS, capital, changed_lines, described, line_of
from maxcode.evaluation import Critique, Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.text import cut
from maxcode.tree import Step


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of failure: ``{0}`` in its texts is the match of ``pattern``'s group."""

    pattern: str
    cause: str
    advice: str


UNKNOWN_NAME = (
    r"\W(?:std::)?(\w+)\W (?:was not declared|is not a member|does not name|has not been)"
)

_BUILD = (
    Cause(
        UNKNOWN_NAME,
        "`{0}` is not known there: its header is not included, it is declared further down or in "
        "another scope, or it was renamed or left out",
        "declare `{0}` before that line, or include the header it comes from",
    ),
    Cause(
        r"(\S+): No such file or directory",
        "the header {0} does not exist here",
        "use the standard library and the program's own files only",
    ),
    Cause(
        r"undefined reference to \W([^'\n]{1,200})'",
        "`{0}` is declared but defined nowhere",
        "define `{0}`, with the same parameters as its declaration",
    ),
    Cause(
        r"(redefinition of|conflicting declaration|redeclared|previously (?:declared|defined))",
        "something is defined twice: code was inserted that was already there",
        "keep one of the two definitions",
    ),
    Cause(
        r"(is ambiguous)",
        "a name of the program is also one of namespace std",
        "rename it, or do without `using namespace std`",
    ),
    Cause(
        r"(discards qualifiers|binding reference of type|(?:assignment|increment) of read-only)",
        "something that was made const, or a reference to const, is changed",
        "drop the const there, or work on a copy",
    ),
    Cause(
        r"(target specific option mismatch|inlining failed in call to .always_inline)",
        "vector instructions are used that the compiler was not told it may use",
        "put #pragma GCC target before the first #include, or do without intrinsics",
    ),
    Cause(
        r"(use of deleted function|static assertion failed|no match for .operator)",
        "a type lacks what the library needs of it: a hash, a comparison, a copy",
        "give it that operation, or use another container or key",
    ),
    Cause(
        r"has no member named \W(\w+)",
        "`{0}` belongs to another type: the type of a variable was changed, not its uses",
        "change every use of what got another type",
    ),
    Cause(
        r"(no matching function|too (?:many|few) arguments|no matching member)",
        "the call does not fit the function's parameters",
        "change call and definition together",
    ),
    Cause(
        r"(cannot convert|invalid conversion|could not convert|incompatible types|no viable)",
        "the type of a value does not fit where it is used: one of the two was changed alone",
        "change every use of what got another type",
    ),
    Cause(
        r"expected (.+?) (?:before|at end of input|at)",
        "the syntax is broken: a bracket or a semicolon is missing, or the code was cut off",
        "check the brackets from there backwards, and write the file out to its end",
    ),
    Cause(
        r"(did not end|more than \d+ [GM]iB)",
        "templates or constant expressions do much of the work, or an initialiser is very large",
        "compute at run time, in plain code",
    ),
    Cause(r"", "the compiler does not accept it", "mend the first error; others follow it"),
)
_WRONG = (
    Cause(
        r"(output ends before)",
        "it stops too early: a loop ends too soon, reading fails half-way, or output stays in a "
        "buffer that nobody writes out",
        "check the loop's end, that all input is read, and that buffered output is written at the "
        "end of main",
    ),
    Cause(
        r"(output goes on)",
        "it prints more than is asked: output left over from testing, or one round too many",
        "print exactly what the statement asks for",
    ),
    Cause(
        r"got [^\n]*(\bnan\b|\binf\b)",
        "the computation left the real numbers: a division by zero or the root of a negative",
        "look where a divisor or a radicand can become 0 or less",
    ),
    Cause(
        r"got '[^\n]*?(-\d{6,})",
        "an integer overflowed: the number is negative and large",
        "use long long for sums and products",
    ),
    Cause(
        r"",
        "what was changed does not do what it did before",
        "check in what was changed the order of results, first and last elements, equal elements, "
        "overflow, and variables that are not reset between rounds",
    ),
)
_CRASH = (
    Cause(
        r"((?:heap|stack|global)-buffer-(?:over|under)flow|container-overflow|out of bounds)",
        "it reads or writes beyond the end of an array",
        "make the array large enough for the largest input, and check the index",
    ),
    Cause(
        r"(use-after-free|use-after-scope|stack-use-after-return|dangling)",
        "it uses memory that was already given back: a reference or iterator into a container that "
        "has grown or shrunk since, or a reference to a local variable",
        "take the reference after the container stopped changing, or keep an index",
    ),
    Cause(
        r"(stack-overflow)",
        "its stack is full: recursion that is too deep, or a large local array",
        "make the recursion a loop, and large arrays global",
    ),
    Cause(
        r"(SIGSEGV|SIGBUS)",
        "it used an address that is not its own: an index beyond an array, a null or dangling "
        "pointer, or a stack that recursion or a large local array has filled",
        "check the indices at the largest input; make large local arrays global",
    ),
    Cause(
        r"terminate called after throwing[^\n]*?'([\w:]+)'",
        "an exception of type {0} was not caught",
        "check what throws it: at() with a bad index, stoi of no number, an allocation too large",
    ),
    Cause(
        r"(double free|invalid pointer|corrupted|malloc\(\)|free\(\))",
        "it wrote beyond a block of memory, or freed one twice",
        "check the indices of every array that is written",
    ),
    Cause(
        r"(SIGABRT)",
        "it gave up by itself: a failed assertion, an uncaught exception or a damaged heap",
        "check indices, and what may throw",
    ),
    Cause(
        r"(SIGFPE|division by zero)",
        "it divided a whole number by zero",
        "look where a divisor can be 0",
    ),
    Cause(
        r"(SIGILL)",
        "it met an instruction that this processor lacks, or the end of a function that should "
        "have returned something",
        "ask for no instruction set beyond what is there (avx2 in place of avx512), and return on "
        "every path",
    ),
    Cause(
        r"(signed integer overflow)",
        "a whole number overflowed",
        "use long long, or unsigned numbers where they are meant to wrap around",
    ),
    Cause(
        r"(wrote more than it may)",
        "it prints without end, or far more than is asked",
        "look at the loop that prints",
    ),
    Cause(
        r"(left .* running)",
        "it started processes or threads that outlive it",
        "do all work in the one process, and wait for every thread",
    ),
    Cause(
        r"ended with status (\d+)",
        "main returned {0}, or exit({0}) was called",
        "return 0 from main; look for the check that gave up",
    ),
    Cause(r"", "it did not end as a program should", "run it on the test that is named"),
)
_TIMEOUT = (
    Cause(
        r"(build did not end)",
        "the compiler did not come to an end: templates or constant expressions that do much of "
        "the work, or very large initialisers",
        "compute at run time, in plain code",
    ),
    Cause(
        r"",
        "it runs for ever or is many times slower than the baseline: a loop whose end is never "
        "reached, waiting for input that does not come, or a step that became quadratic",
        "check that every loop changed still ends, and what it costs at the largest input",
    ),
)
CAUSES: dict[Status, tuple[Cause, ...]] = {
    Status.BUILD_ERROR: _BUILD,
    Status.WRONG_ANSWER: _WRONG,
    Status.RUNTIME_ERROR: _CRASH,
    Status.TIMEOUT: _TIMEOUT,
    Status.OUT_OF_MEMORY: (
        Cause(
            r"",
            "it asks for more memory than it may have: a table sized for the largest conceivable "
            "input, answers kept for every combination of arguments, or a container that only "
            "grows",
            "size tables by the input at hand, use smaller types, keep only the rows still needed",
        ),
    ),
    Status.SUSPECT: (
        Cause(
            r"",
            "it is right, but in a way that no honest program can be",
            "do the work at run time, from the input, within the process that is measured",
        ),
    ),
    Status.INVALID: (
        Cause(
            r"",
            "there was no program in the answer that may be run",
            "answer with the complete program, and change only the files that may be changed",
        ),
    ),
    Status.INFRASTRUCTURE: (Cause(r"", "the harness failed, not the program", "try it again"),),
}
"""Causes of failures of C++ programs; of those with a status the first pattern found applies."""


_KERNEL_BUILD = (
    Cause(
        r"defines no class (\w+)",
        "the file has no class of the name that is judged",
        "define class {0}, with the arguments of the reference's constructor and forward",
    ),
    Cause(
        r"^(SyntaxError|IndentationError|TabError)",
        "the file is no valid Python: a bracket or quote is open, or the code was cut off",
        "write the whole file, and check the ends of the sources in quotes",
    ),
    Cause(
        r"there is no nvcc",
        "its CUDA code cannot be run on this machine",
        "write the kernel for the device that the task is judged on",
    ),
)
_KERNEL_CRASH = (
    Cause(
        r"compiled, not run",
        "its CUDA code compiles, and there is no GPU here to run it",
        "write the kernel for the device that the task is judged on",
    ),
    Cause(
        r"(illegal memory access|misaligned address|device-side assert)",
        "a GPU kernel reads or writes outside of its tensors",
        "guard the last block (if (i < n)), and check sizes and strides",
    ),
    Cause(
        r"(invalid configuration argument|too many resources requested)",
        "a GPU kernel is started with more threads, registers or shared memory than there are",
        "use blocks of at most 1024 threads, and less shared memory",
    ),
    Cause(
        r"^(?:ModuleNotFoundError|ImportError): (.{1,100})",
        "a module is imported that is not there: {0}",
        "use torch and the standard library only",
    ),
    Cause(
        r"ModelNew\(\.\.\.\): (\w+)",
        "the constructor raises {0}",
        "take the arguments that the reference's constructor takes, and name weights as it does",
    ),
    Cause(
        r"(SIGSEGV|SIGBUS|double free|corrupted)",
        "the extension used memory that is not its own: an index beyond a tensor, a tensor that "
        "is not contiguous, of another type, or was freed",
        "check sizes, types and strides where the function begins (TORCH_CHECK), and indices",
    ),
    Cause(
        r"(ended with status \d+)",
        "it ended its process",
        "leave exits to others, and raise an exception for what is wrong",
    ),
    Cause(
        r"forward[^:]*: (\w+): ",
        "forward raises {0}",
        "look at the shapes and types of what is combined there",
    ),
)
_KERNEL_WRONG = (
    Cause(
        r"(are NaN or infinite and should not be)",
        "something overflows or is divided by zero where the reference takes care: an exponential "
        "without the maximum taken off, a square that is too large, an empty sum",
        "take off the maximum before exp, and keep the order of operations that avoids overflow",
    ),
    Cause(
        r"(finite where it should be NaN or infinite)",
        "it hides values that the reference lets through",
        "do not clamp or replace what the reference does not",
    ),
    Cause(
        r"off by (\d\S*e-0[2-6]|0\.00\d+) relative",
        "it computes with less precision than the reference, or leaves out a small term",
        "add up in float32 at least (or in several partial sums), use no approximation of exp, "
        "tanh or rsqrt, and no narrower type",
    ),
    Cause(
        r"has (shape|dtype) ([^,]+), not (.+)",
        "its {0} is {1}, where the reference's is {2}",
        "return the {0} of the reference, for every size that is tried",
    ),
    Cause(
        r"(another structure|changes its inputs)",
        "it returns other things than the reference does, or works in place on what it was given",
        "return what the reference returns, in a tensor of its own",
    ),
    Cause(
        r"(wrong when it was timed)",
        "it does not compute anew at every call, leaves work unfinished when it returns, or is "
        "wrong now and then: a race, memory that is not initialised, results that are kept",
        "compute every call from its input, wait for all threads and streams, initialise memory",
    ),
    Cause(
        r"variant (\w[\w.-]*): ",
        "it is not right for the sizes or values of the inputs called {0}",
        "take sizes from the tensors, handle rows that are no multiple of the vector width, and "
        "strides that are not contiguous",
    ),
    Cause(
        r"",
        "indices, strides or the order of dimensions are mixed up, or a step is left out",
        "check index arithmetic on a small case, and that every tensor handed to the extension is "
        "contiguous",
    ),
)
_KERNEL_SUSPECT = (
    Cause(
        r"(cannot even be read and written)",
        "it is faster than its data can be moved, so it does not look at all of its input, or does "
        "its work at another time",
        "compute the whole output from the whole input, within the call",
    ),
    Cause(
        r"(while it was not being timed)",
        "it works before or after the call that is timed",
        "do all of the work within the call; start no threads that outlive it",
    ),
)
KERNEL_CAUSES: dict[Status, tuple[Cause, ...]] = {
    Status.BUILD_ERROR: _KERNEL_BUILD,
    Status.RUNTIME_ERROR: _KERNEL_CRASH,
    Status.WRONG_ANSWER: _KERNEL_WRONG,
    Status.OUT_OF_MEMORY: (
        Cause(
            r"",
            "it makes tensors that are too large: an expanded or unfolded copy, all pairs at once",
            "work through the input in blocks, and do not write down what is used only once",
        ),
    ),
    Status.SUSPECT: _KERNEL_SUSPECT,
}
"""Causes of failures of kernels; looked up before those of C++ programs."""

_PYTHON_BUILD = (
    Cause(
        r"(IndentationError|TabError)",
        "the indentation is broken: code was inserted with other spaces, or cut off",
        "write the file out to its end, with four spaces a level",
    ),
    Cause(
        r"(SyntaxError)",
        "the syntax is broken: a bracket, quote or colon is missing, or the code was cut off",
        "check the brackets from there backwards, and write the file out to its end",
    ),
)
_PYTHON_CRASH = (
    Cause(
        r"(RecursionError)",
        "it calls itself too deep",
        "make the recursion a loop with a stack of its own, or raise sys.setrecursionlimit",
    ),
    Cause(
        r"ModuleNotFoundError: No module named '([\w.]{1,100})'",
        "there is no module {0} here",
        "use the standard library, and the modules that the program used before",
    ),
    Cause(
        r"(?:NameError|UnboundLocalError): [^'\n]*'(\w+)'",
        "`{0}` has no value there: it was renamed, left out, or is set in another function only",
        "set `{0}` before that line, or declare it global where a function sets it",
    ),
    Cause(
        r"AttributeError: [^\n]*attribute '(\w+)'",
        "`{0}` belongs to another type: a value's type was changed, not its uses",
        "change every use of what got another type",
    ),
    Cause(
        r"(IndexError|KeyError)",
        "it asks for an item that is not there",
        "check the index or key at the smallest and the largest input",
    ),
    Cause(
        r"(EOFError)",
        "it reads more lines than there are",
        "check what was read before that, and how the input ends",
    ),
)
PYTHON_CAUSES: dict[Status, tuple[Cause, ...]] = {
    Status.BUILD_ERROR: _PYTHON_BUILD,
    Status.RUNTIME_ERROR: _PYTHON_CRASH,
}
"""Causes of failures of Python programs; looked up before those of any program."""


_VERDICTS = {
    Status.BUILD_ERROR: ("It does not build", "build"),
    Status.WRONG_ANSWER: ("It answers wrongly", "correctness"),
    Status.RUNTIME_ERROR: ("It fails when it runs", "correctness"),
    Status.SUSPECT: ("It is not believed", "correctness"),
    Status.TIMEOUT: ("It takes too long", "algorithm"),
    Status.OUT_OF_MEMORY: ("It needs too much memory", "memory"),
    Status.INVALID: ("It could not be tried", ""),
}
_PLACE = re.compile(r"([\w./+-]{1,200}):(\d{1,7})\b")
_ERROR = re.compile(r"^\S*?(?::\d+)*:? ?(?:fatal )?error: (.*)$", re.MULTILINE)


def failure(observation: Observation, step: Step) -> Critique:
    """The failure: its place, the step's changes, and the usual cause."""
    status, feedback = step.evaluation.status, step.evaluation.feedback.strip()
    happened, bottleneck = _VERDICTS.get(status, (f"It ended with the status {status}", ""))
    said = _said(feedback)
    causes = _causes(observation.task, step.program, status)
    cause, advice = _explained(causes, said if status is Status.BUILD_ERROR else feedback)
    sentences = [
        f"{happened}{': ' if said else ''}{said}".rstrip(".") + ".",
        _place(observation, step, feedback),
        f"Usual reason: {cause}.",
        "" if status is Status.INVALID else described(observation, step),
        _alike(observation, step),
    ]
    suggestion = f"{capital(advice)}."
    evidence = " ".join(sentence for sentence in sentences if sentence)
    return Critique(f"{evidence} {suggestion}", bottleneck, evidence, (suggestion,))


def _causes(task: Task, program: Program, status: Status) -> tuple[Cause, ...]:
    """Causes of failure in the task's language; the last of each status hold for any program."""
    causes = CAUSES[status]
    if task.language == "python" and task.executor not in ("kernel", ""):
        return (*PYTHON_CAUSES.get(status, ()), *causes[-1:])
    if program.entry.endswith(".py"):
        return (*KERNEL_CAUSES.get(status, ()), *causes)
    return causes if task.language in ("c++", "c", "python", "") else causes[-1:]


def _explained(causes: Sequence[Cause], feedback: str) -> tuple[str, str]:
    """The usual cause, and the remedy."""
    entry, groups = next((e, m.groups()) for e in causes if (m := re.search(e.pattern, feedback)))
    header = HEADERS.get(groups[0]) if groups and entry.pattern == UNKNOWN_NAME else None
    if header:
        return f"<{header}> is not included", f"include <{header}>, which `{groups[0]}` comes from"
    return entry.cause.format(*groups), entry.advice.format(*groups)


def _said(feedback: str) -> str:
    """The first error of a compiler, else the first lines."""
    if error := _ERROR.search(feedback):
        return cut(error[1], 200)
    return cut(" ".join(feedback.splitlines()[:4]), 300)


def _place(observation: Observation, step: Step, feedback: str) -> str:
    """The first line of the program named in the feedback."""
    for path, number in _PLACE.findall(feedback):
        known = _known(step.program, path)
        if known and (code := line_of(step.program.files[known], int(number))):
            new = int(number) in changed_lines(observation, step).get(known, ())
            changed = ", which this step changed" if new else ""
            return f"The place is {known} line {number}, `{cut(code, 70)}`{changed}."
    return ""


def _known(program: Program, path: str) -> str | None:
    ends = (name for name in program.files if path == name or path.endswith(f"/{name}"))
    return max(ends, key=len, default=None)


def _alike(observation: Observation, step: Step) -> str:
    """Earlier steps with the very same failure."""
    now, earlier = step.evaluation, (one for one in observation.shown if one.id < step.id)
    alike = (one for one in earlier if one.evaluation.status is now.status and now.feedback)
    same = [one.id for one in alike if one.evaluation.feedback == now.feedback]
    if not same:
        return ""
    many = "Steps" if len(same) > 1 else "Step"
    return f"{many} {', '.join(map(str, same[-3:]))} failed in the same way."
