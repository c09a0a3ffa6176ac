"""Costs find the lines that asked for them."""

import pytest

from maxcode.measure.callgrind import Calls, Executed, Function, Spot
from maxcode.measure.symbols import Frame, attribute

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
