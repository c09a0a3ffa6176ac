"""Costs find the lines that asked for them, and names are short."""

import pytest

from maxcode.measure.callgrind import Calls, Executed, Function, Spot
from maxcode.measure.symbols import Frame, attribute, short_name

_HERE, _LIB = "/bin/program", "/lib/libc.so"
MAIN, HELPER = Function(_HERE, "main"), Function(_HERE, "helper(int)")
TEMPLATE = Function(_HERE, "std::vector<int>::_M_realloc_insert<int>(int&&)")
OUTER, INNER, DEEP = (Function(_LIB, name) for name in ("outer", "inner", "deep"))


def spot(function: Function, address: int, line: int, file: str = "/src/./main.cpp") -> Spot:
    return Spot(function, address, file, line)


def library(function: Function, address: int = 0) -> Spot:
    return Spot(function, address, "???", 0)


def own(path: str) -> str | None:
    return "main.cpp" if path.endswith("main.cpp") else None


def blamed(
    costs: dict[Spot, int],
    calls: dict[tuple[Spot, Function], Calls] | None = None,
    frames: dict[int, tuple[Frame, ...]] | None = None,
) -> dict[int, dict[str, float]]:
    executed = Executed(sum(costs.values()), costs, calls or {})
    origins = {spot: frames[spot.address] for spot in executed.spots} if frames else {}
    found = attribute(executed, origins, own)
    assert sum(line.cost for line in found.values()) <= executed.instructions * 1.000001
    return {line: found["main.cpp", line].parts for _, line in found}


def test_inlined_code_counts_for_the_line_that_it_was_inlined_into() -> None:
    chain = (
        Frame("std::_Rb_tree<int>::_M_lower_bound(int)", "/usr/include/stl_tree.h", 9),
        Frame("std::map<int, int>::operator[](int const&)", "/usr/include/stl_map.h", 8),
        Frame("count(int)", "/src/./main.cpp", 12),
        Frame("main", "/src/./main.cpp", 30),
    )
    costs = {spot(MAIN, 1, 9, "/usr/include/stl_tree.h"): 50}
    assert blamed(costs, frames={1: chain}) == {12: {"std::map::operator[]": 50}}


def test_what_the_library_calls_counts_as_well() -> None:
    here = spot(MAIN, 1, 3)
    costs = {here: 1, library(OUTER): 10, library(INNER): 20, library(DEEP): 40}
    calls = {
        (here, OUTER): Calls(1, 70),
        (library(OUTER), INNER): Calls(2, 60),
        (library(INNER), DEEP): Calls(4, 40),
    }
    assert blamed(costs, calls) == {3: {"": 1, "outer": 70}}


def test_a_template_that_was_not_inlined_is_of_the_library() -> None:
    here, inside = spot(MAIN, 1, 3), spot(TEMPLATE, 9, 400, "/usr/include/vector.tcc")
    costs = {here: 1, inside: 30, library(DEEP): 12}
    calls = {(here, TEMPLATE): Calls(1, 42), (inside, DEEP): Calls(1, 12)}
    assert blamed(costs, calls) == {3: {"": 1, "std::vector::_M_realloc_insert": 42}}


def test_recursion_in_the_library_ends() -> None:
    here = spot(MAIN, 1, 3)
    costs = {here: 1, library(OUTER): 50, library(INNER): 50}
    calls = {
        (here, OUTER): Calls(1, 100),
        (library(OUTER), OUTER): Calls(7, 300),
        (library(OUTER), INNER): Calls(7, 50),
        (library(INNER), OUTER): Calls(7, 50),
    }
    assert blamed(costs, calls)[3]["outer"] == pytest.approx(100, rel=1e-3)


_STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("main", "main"),
        ("fib(int)'2", "fib"),
        ("(below main)", "start-up"),
        ("std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back"),
        (f"{_STRING}::_M_replace_aux(unsigned long, char)", "std::string::_M_replace_aux"),
        (
            f"std::basic_istream<char>& std::operator>><char>(std::istream&, {_STRING}&)",
            "std::operator>>",
        ),
        ("bool operator< <int>(A const&, A const&)", "operator<"),
        ("std::map<int, std::less<int> >::operator[](int const&)", "std::map::operator[]"),
        ("std::function<int (int)>::operator()(int) const", "std::function::operator()"),
        ("operator new(unsigned long)", "operator new"),
        ("operator delete[](void*, unsigned long)", "operator delete[]"),
        ("A::operator unsigned long() const", "A::operator unsigned long"),
        ("(anonymous namespace)::solve(int, int (*) [5])", "solve"),
        ("main::{lambda(int, int)#1}::operator()(int, int) const", "main::{lambda#1}::operator()"),
        ("void std::__introsort_loop<int*, main::{lambda(int)#1}>(int*)", "std::__introsort_loop"),
        ("pow@@GLIBC_2.29", "pow"),
        ("count(int) [clone .isra.0]", "count"),
        (f"{_STRING}::basic_string({_STRING} const&)", "std::string::string (copy)"),
        ("std::vector<int>::operator=(std::vector<int> const&)", "std::vector::operator= (copy)"),
        ("std::vector<int>::vector(std::vector<int>&&)", "std::vector::vector"),
    ],
)
def test_names_lose_what_nobody_reads(name: str, short: str) -> None:
    assert short_name(name) == short
