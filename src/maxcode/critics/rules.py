"""Slow code in programs, its trace in a profile, and the usual remedy: tables.

To teach the critic something, add an entry. The first fitting rule takes a part of a hot line's
cost, so special rules stand before general ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from maxcode.evaluation import HotLine, Profile
from maxcode.lang.outline import loops_around
from maxcode.program import Program
from maxcode.tasks.languages import CPP, language_of

_OFTEN = 10_000  # calls of a recursive function that are worth a thought
_SEARCHED = re.compile(r"(?:\bnot|\b(?:if|elif|while|and|or)\b[^:\[\]]*?)\s+in\s+([\w.]+)")
_LIST = re.compile(r"\[|(?:list|sorted)\(|.*\.split\(")


def line_of(code: str, number: int) -> str:
    """The line, counted from 1, without white space around it; "" for a missing line."""
    lines = code.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Context:
    """A program and its profile."""

    program: Program
    profile: Profile

    def text(self, path: str) -> str:
        """The text of a file of the program; "" if it has no such file."""
        return self.program.files.get(path, "")

    def language(self, path: str) -> str:
        """The language of a file, as in :attr:`~maxcode.task.Task.language`; "" if unknown."""
        if path.endswith(CPP.headers):
            return "c" if self.program.entry.endswith(".c") else "c++"
        found = language_of(path)
        return found.name if found else ""

    def loops(self, line: HotLine) -> tuple[int, ...]:
        """The lines of the loops around a line, the outermost first."""
        return loops_around(line.path, self.text(line.path), line.line)

    def has(self, line: HotLine) -> bool:
        """Whether the program has such a line."""
        return 0 < line.line <= len(self.text(line.path).splitlines())


Detail = Callable[[Context, HotLine], str]
"""Finds more to say about a line; "" if there is nothing."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of slow code in programs of certain languages.

    ``through`` is searched in the names of library functions called by a line, and the rule takes
    their parts of the line's cost; without it, it takes the line's own instructions. ``code`` must
    be found in the line, too. ``seen`` completes "30 % of the instructions: ...", ``advice`` is the
    usual remedy. ``detail`` adds to the observation, and without it only a ``vague`` rule fits,
    which says little, and counts for half beside others.
    """

    bottleneck: str
    seen: str
    advice: str
    through: str = ""
    code: str = ""
    detail: Detail | None = None
    vague: bool = False
    languages: tuple[str, ...] = ("c++",)

    def takes(self, function: str, line: HotLine, context: Context) -> bool:
        """Whether it takes a library function's part of a line's cost ("": the line's own)."""
        if context.language(line.path) not in self.languages:
            return False
        if bool(self.through) != bool(function) or not re.search(self.through, function):
            return False
        if not re.search(self.code, line.code):
            return False
        return self.detail is None or self.vague or bool(self.more(line, context))

    def more(self, line: HotLine, context: Context) -> str:
        """Details about a line."""
        return self.detail(context, line) if self.detail else ""


def called_again(context: Context, line: HotLine) -> str:
    """How often the line's function is called, if it calls itself."""
    for function in context.profile.functions:
        if function.own and function.name == line.function:
            often = function.recursive and function.calls >= _OFTEN
            return f"`{function.name}` is called {function.calls:,} times" if often else ""
    return ""


def of_list(context: Context, line: HotLine) -> str:
    """The list that `in` searches on a line of Python."""
    code = context.text(line.path)
    found = _SEARCHED.search(line_of(code, line.line))
    if found is None:
        return ""
    assigned = rf"^[ \t]*{re.escape(found[1])}(?:[ \t]*:[^=\n]*)?[ \t]*=(?!=)[ \t]*(.*)"
    values = re.findall(assigned, code, re.MULTILINE)
    return f"`{found[1]}` is a list" if values and all(map(_LIST.match, values)) else ""


def repeated(context: Context, line: HotLine) -> str:
    """The loop around the line."""
    loops = context.loops(line)
    return f"in the loop of line {loops[-1]}" if loops else ""


def in_loops(context: Context, line: HotLine) -> str:
    """The nested loops around the line."""
    loops = context.loops(line)
    where = ", ".join(map(str, loops))
    return f"inside {len(loops)} nested loops (lines {where})" if len(loops) > 1 else ""


_OUT = r"std::(ostream|operator<<|endl|flush|put_money|setw|setprecision)|num_put"
_IN = r"std::(istream|operator>>|getline|ws)|num_get"
_C = ("c++", "c")
_PYTHON = ("python",)
_SCRIPTS = (
    Rule(
        "algorithm",
        "searching a list from its beginning",
        "keep the items in a set, or a dict where their order counts, and search that",
        detail=of_list,
        languages=_PYTHON,
    ),
    Rule(
        "algorithm",
        "taking from the front of a list, or putting there, which moves all other items",
        "use collections.deque with popleft() and appendleft()",
        code=r"\.pop\(0\)|\.insert\(0,",
        languages=_PYTHON,
    ),
    Rule(
        "algorithm",
        "sorting again and again",
        "sort once, before the loop; keep the order with bisect.insort or heapq as items come",
        code=r"\.sort\(|\bsorted\((?!.*\b(input|split|readline)\()",  # of what was just read: no
        detail=repeated,
        languages=_PYTHON,
    ),
    Rule(
        "io",
        "reading line by line with input()",
        "read lines with sys.stdin.readline, or everything with sys.stdin.buffer.read().split()",
        code=r"\binput\(",
        detail=repeated,
        languages=_PYTHON,
    ),
)

RULES = (
    *_SCRIPTS,
    # -- input and output -----------------------------------------------------------------------
    Rule(
        "io",
        "writing, with a flush at every line",
        "end lines with '\\n': endl also flushes, a system call a line whose time in the kernel "
        "comes on top of this share",
        through=_OUT,
        code=r"\b(endl|flush)\b",
    ),
    Rule(
        "io",
        "writing through a stream",
        "collect the output in one string (std::to_chars for numbers) and write it at once",
        through=_OUT,
    ),
    Rule(
        "io",
        "reading through a stream",
        "begin main with ios::sync_with_stdio(false); cin.tie(nullptr); or, better still, read the "
        "whole input with fread and take words and numbers from the buffer",
        through=_IN,
    ),
    Rule(
        "io",
        "reading with stdio",
        "read the whole input with one fread and take words and numbers from the buffer",
        through=r"scanf|^f?gets$|^_?getchar|^f?getc$|^fread$|^strto|^ato[ifl]",
        languages=_C,
    ),
    Rule(
        "io",
        "writing with stdio",
        "collect the output in one buffer and write it with a single fwrite",
        through=r"printf|^f?puts$|^putchar|^f?putc$|^fwrite|^fflush",
        languages=_C,
    ),
    # -- memory: copies, and what is made anew each time ----------------------------------------
    Rule(
        "memory",
        "making, copying and freeing strings",
        "use one string again (clear() keeps its memory), append with +=, pass std::string_view or "
        "const references, also in loops over containers",
        through=r"std::string::(?!compare)|std::operator\+|to_string",
    ),
    Rule(
        "memory",
        "making, copying and freeing vectors again and again",
        "make them once, outside, and assign or clear them; take const references as parameters "
        "and in loops; make a table one flat vector, or keep only the rows that are still needed",
        through=r"std::(vector|_Vector_base|deque)::(~|vector|deque|resize|assign|operator=|_M_fill)"
        r"|__uninit|\(copy\)",
    ),
    Rule(
        "memory",
        "vectors that grow",
        "reserve() the final size before the loop",
        through=r"std::(vector|deque)::(push_back|emplace_back|_M_realloc)",
    ),
    Rule(
        "memory",
        "allocating and freeing piece by piece",
        "allocate one array for all, or take the pieces from a pool that is freed at once",
        through=r"^(operator (new|delete)|malloc|calloc|realloc|free)|make_(shared|unique)|_ptr::",
        languages=_C,
    ),
    Rule(
        "memory",
        "copying or clearing memory",
        "touch only what was used since the last time, or swap pointers instead of the contents",
        through=r"^mem(cpy|move|set)|std::(fill|fill_n|copy|swap)\b",
        languages=_C,
    ),
    # -- algorithms and data structures ---------------------------------------------------------
    Rule(
        "algorithm",
        "inserting or erasing amid a vector or string, which moves all that follows",
        "swap with the last and pop_back, collect and sort once, or use a deque or a heap",
        through=r"std::(vector|deque|string)::(_M_)?(erase|insert)|_M_insert_aux|move_backward",
    ),
    Rule(
        "algorithm",
        "std::map or std::set, a tree with a node for every element",
        "index an array if the keys are small whole numbers; else std::unordered_map with "
        "reserve(), or a sorted vector; look a key up once and keep the reference",
        through=r"std::(multi)?(map|set)::|_Rb_tree",
    ),
    Rule(
        "algorithm",
        "hash tables",
        "index an array if the keys are small whole numbers; else reserve() before filling, look a "
        "key up once and keep the reference, or use open addressing in one array",
        through=r"std::unordered_|_Hashtable|std::__detail::|std::hash|_Hash_bytes",
    ),
    Rule(
        "algorithm",
        "sorting",
        "sort once, outside the loop; nth_element or partial_sort where not all of the order is "
        "needed; compare by reference, keys computed before",
        through=r"sort|_heap\b|__move_median",
    ),
    Rule(
        "algorithm",
        "searching one element after another",
        "keep a hash set or a sorted vector, or keep the answer up to date as things change",
        through=r"std::(__)?(r?find|count|search|any_of|all_of|none_of|accumulate)|^memchr",
    ),
    Rule(
        "algorithm",
        "recursion",
        "if it is asked the same again, remember the answers in a table indexed by its arguments "
        "(functools.lru_cache in Python), or fill that table from the bottom up; cut off hopeless "
        "branches before the call",
        detail=called_again,
        languages=("c++", "c", "python"),
    ),
    # -- computing ------------------------------------------------------------------------------
    Rule(
        "compute",
        "functions of the mathematical library",
        "multiply instead of pow(x, 2), compare squares instead of roots, and compute each value "
        "once, before the loop",
        through=r"(^|::|_)(pow|sqrt|cbrt|hypot|sincos|a?(sin|cos|tan2?)|exp2?|log(2|10)?|fmod|round)"
        r"[fl]?\b",
        languages=_C,
    ),
    Rule(
        "compute",
        "division or remainder by a variable",
        "20 to 40 cycles each: make the divisor a constant, subtract where the quotient is 0 or 1, "
        "multiply by the reciprocal of a fixed floating-point divisor",
        code=r"[%/]=?\s*\(?[A-Za-z_]",
        languages=_C,
    ),
    Rule(
        "compute",
        "a table of rows, two memory accesses an element",
        "let the innermost loop run along the last index, take a reference to the row before it, "
        "or make the table one flat array",
        code=r"\w\s*\[[^\[\]]+\]\s*\[[^\[\]]+\]",
        detail=in_loops,
        vague=True,
    ),
    Rule(
        "compute",
        "the program's own code",
        "fewer rounds are worth more than cheaper ones: sort or index first so that not everything "
        "is tried, leave early, keep what was computed before; then move what does not change out "
        "of the loop",
        detail=in_loops,
        vague=True,
        languages=("c++", "c", "python"),
    ),
    Rule(
        "compute",
        "other code of the library",
        "call it less often, or write the special case that is needed here",
        through=r".",
        vague=True,
        languages=_C,
    ),
)
