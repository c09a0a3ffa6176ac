"""Why programs fail, as their feedback tells: a table.

The first entry that fits the status and whose pattern is found in the feedback is taken, so what is
special stands before what is general.
"""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.evaluation import Status


@dataclass(frozen=True, slots=True)
class Cause:
    """A way to fail: ``{0}`` in its texts is what the group of ``pattern`` found."""

    status: Status
    pattern: str
    cause: str
    advice: str


UNKNOWN_NAME = (
    r"\W(?:std::)?(\w+)\W (?:was not declared|is not a member|does not name|has not been)"
)

_BUILD, _WRONG, _CRASH = Status.BUILD_ERROR, Status.WRONG_ANSWER, Status.RUNTIME_ERROR

CAUSES = (
    # -- it does not build ----------------------------------------------------------------------
    Cause(
        _BUILD,
        UNKNOWN_NAME,
        "`{0}` is not known there: its header is not included, it is declared further down or in "
        "another scope, or it was renamed or left out",
        "declare `{0}` before that line, or include the header it comes from",
    ),
    Cause(
        _BUILD,
        r"(\S+): No such file or directory",
        "the header {0} does not exist here",
        "use the standard library and the program's own files only",
    ),
    Cause(
        _BUILD,
        r"undefined reference to \W([^'\n]{1,200})'",
        "`{0}` is declared but defined nowhere",
        "define `{0}`, with the same parameters as its declaration",
    ),
    Cause(
        _BUILD,
        r"(redefinition of|conflicting declaration|redeclared|previously (?:declared|defined))",
        "something is defined twice: code was inserted that was already there",
        "keep one of the two definitions",
    ),
    Cause(
        _BUILD,
        r"(is ambiguous)",
        "a name of the program is also one of namespace std",
        "rename it, or do without `using namespace std`",
    ),
    Cause(
        _BUILD,
        r"(discards qualifiers|binding reference of type|(?:assignment|increment) of read-only)",
        "something that was made const, or a reference to const, is changed",
        "drop the const there, or work on a copy",
    ),
    Cause(
        _BUILD,
        r"(target specific option mismatch|inlining failed in call to .always_inline)",
        "vector instructions are used that the compiler was not told it may use",
        "put #pragma GCC target before the first #include, or do without intrinsics",
    ),
    Cause(
        _BUILD,
        r"(use of deleted function|static assertion failed|no match for .operator)",
        "a type lacks what the library needs of it: a hash, a comparison, a copy",
        "give it that operation, or use another container or key",
    ),
    Cause(
        _BUILD,
        r"has no member named \W(\w+)",
        "`{0}` belongs to another type: the type of a variable was changed, not its uses",
        "change every use of what got another type",
    ),
    Cause(
        _BUILD,
        r"(no matching function|too (?:many|few) arguments|no matching member)",
        "the call does not fit the function's parameters",
        "change call and definition together",
    ),
    Cause(
        _BUILD,
        r"(cannot convert|invalid conversion|could not convert|incompatible types|no viable)",
        "the type of a value does not fit where it is used: one of the two was changed alone",
        "change every use of what got another type",
    ),
    Cause(
        _BUILD,
        r"expected (.+?) (?:before|at end of input|at)",
        "the syntax is broken: a bracket or a semicolon is missing, or the code was cut off",
        "check the brackets from there backwards, and write the file out to its end",
    ),
    Cause(
        _BUILD,
        r"(did not end|more than \d+ [GM]iB)",
        "templates or constant expressions do much of the work, or an initialiser is very large",
        "compute at run time, in plain code",
    ),
    Cause(_BUILD, r"", "the compiler does not accept it", "mend the first error; others follow it"),
    # -- it answers wrongly ---------------------------------------------------------------------
    Cause(
        _WRONG,
        r"(output ends before)",
        "it stops too early: a loop ends too soon, reading fails half-way, or output stays in a "
        "buffer that nobody writes out",
        "check the loop's end, that all input is read, and that buffered output is written at the "
        "end of main",
    ),
    Cause(
        _WRONG,
        r"(output goes on)",
        "it prints more than is asked: output left over from testing, or one round too many",
        "print exactly what the statement asks for",
    ),
    Cause(
        _WRONG,
        r"got [^\n]*(\bnan\b|\binf\b)",
        "the computation left the real numbers: a division by zero or the root of a negative",
        "look where a divisor or a radicand can become 0 or less",
    ),
    Cause(
        _WRONG,
        r"got '[^\n]*?(-\d{6,})",
        "an integer overflowed: the number is negative and large",
        "use long long for sums and products",
    ),
    Cause(
        _WRONG,
        r"",
        "what was changed does not do what it did before",
        "check in what was changed the order of results, first and last elements, equal elements, "
        "overflow, and variables that are not reset between rounds",
    ),
    # -- it crashes -----------------------------------------------------------------------------
    Cause(
        _CRASH,
        r"((?:heap|stack|global)-buffer-(?:over|under)flow|container-overflow|out of bounds)",
        "it reads or writes beyond the end of an array",
        "make the array large enough for the largest input, and check the index",
    ),
    Cause(
        _CRASH,
        r"(use-after-free|use-after-scope|stack-use-after-return|dangling)",
        "it uses memory that was already given back: a reference or iterator into a container that "
        "has grown or shrunk since, or a reference to a local variable",
        "take the reference after the container stopped changing, or keep an index",
    ),
    Cause(
        _CRASH,
        r"(stack-overflow)",
        "its stack is full: recursion that is too deep, or a large local array",
        "make the recursion a loop, and large arrays global or vectors",
    ),
    Cause(
        _CRASH,
        r"(SIGSEGV|SIGBUS)",
        "it used an address that is not its own: an index beyond an array, a null or dangling "
        "pointer, or a stack that recursion or a large local array has filled",
        "check the indices at the largest input; make large local arrays global",
    ),
    Cause(
        _CRASH,
        r"terminate called after throwing[^\n]*?'([\w:]+)'",
        "an exception of type {0} was not caught",
        "check what throws it: at() with a bad index, stoi of no number, an allocation too large",
    ),
    Cause(
        _CRASH,
        r"(double free|invalid pointer|corrupted|malloc\(\)|free\(\))",
        "it wrote beyond a block of memory, or freed one twice",
        "check the indices of every array that is written",
    ),
    Cause(
        _CRASH,
        r"(SIGABRT)",
        "it gave up by itself: a failed assertion, an uncaught exception or a damaged heap",
        "check indices, and what may throw",
    ),
    Cause(
        _CRASH,
        r"(SIGFPE|division by zero)",
        "it divided a whole number by zero",
        "look where a divisor can be 0",
    ),
    Cause(
        _CRASH,
        r"(SIGILL)",
        "it met an instruction that this processor lacks, or the end of a function that should "
        "have returned something",
        "ask for no instruction set beyond what is there (avx2 in place of avx512), and return on "
        "every path",
    ),
    Cause(
        _CRASH,
        r"(signed integer overflow)",
        "a whole number overflowed",
        "use long long, or unsigned numbers where they are meant to wrap around",
    ),
    Cause(
        _CRASH,
        r"(wrote more than it may)",
        "it prints without end, or far more than is asked",
        "look at the loop that prints",
    ),
    Cause(
        _CRASH,
        r"(left .* running)",
        "it started processes or threads that outlive it",
        "do all work in the one process, and wait for every thread",
    ),
    Cause(
        _CRASH,
        r"ended with status (\d+)",
        "main returned {0}, or exit({0}) was called",
        "return 0 from main; look for the check that gave up",
    ),
    Cause(_CRASH, r"", "it did not end as a program should", "run it on the test that is named"),
    # -- it takes too much ----------------------------------------------------------------------
    Cause(
        Status.TIMEOUT,
        r"(build did not end)",
        "the compiler did not come to an end: templates or constant expressions that do much of "
        "the work, or very large initialisers",
        "compute at run time, in plain code",
    ),
    Cause(
        Status.TIMEOUT,
        r"",
        "it runs for ever or is many times slower than the baseline: a loop whose end is never "
        "reached, waiting for input that does not come, or a step that became quadratic",
        "check that every loop changed still ends, and what it costs at the largest input",
    ),
    Cause(
        Status.OUT_OF_MEMORY,
        r"",
        "it asks for more memory than it may have: a table sized for the largest conceivable "
        "input, answers kept for every combination of arguments, or a container that only grows",
        "size tables by the input at hand, use smaller types, keep only the rows still needed",
    ),
    # -- and the rest ---------------------------------------------------------------------------
    Cause(
        Status.SUSPECT,
        r"",
        "it is right, but in a way that no honest program can be",
        "do the work at run time, from the input, within the process that is measured",
    ),
    Cause(
        Status.INVALID,
        r"",
        "there was no program in the answer that may be run",
        "answer with the complete program, and change only the files that may be changed",
    ),
    Cause(Status.INFRASTRUCTURE, r"", "the harness failed, not the program", "try it again"),
)
