import pytest

from maxcode.measure.symbols import short_name

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
