from collections.abc import Callable

from maxcode.generators.rewrites.io import block_output

CODE = r"""
#include <iomanip>
#include <iostream>
#include <string>
struct Point { int x; };
std::ostream& operator<<(std::ostream& out, const Point& p) { return out << "P" << p.x; }
int main() {
    std::string s = "text";
    const char* t = "chars";
    std::cout << 1 << ' ' << -5LL << ' ' << s << t << "literal" << true << Point{3} << std::endl;
    std::cout << 0.1 << ' ' << 1e10 << ' ' << 123456789.0 << ' ' << 1e300 << ' ' << 0.0f << '\n';
    std::cout << std::fixed << std::setprecision(3) << 2.5 << ' ' << -0.0 << std::setw(8) << 7;
    std::cout.precision(2);
    std::cout << 3.14159L << std::hex << 255 << std::setw(4) << 'c' << std::flush;
}
"""


def test_formats_like_the_stream(same_output: Callable[..., str]) -> None:
    text = same_output(block_output, CODE)
    assert "std::cout" not in text
    assert "block_output.format.precision(2)" in text


def test_leaves_a_stream_that_is_handed_on_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(block_output, "int main() { cout << 1; print(cout, 2); }") == []
    assert applied(block_output, 'int main() { cout << 1; printf("2"); }') == []
