from collections.abc import Callable

from maxcode.generators.rewrites.io import stringstream_to_reader

CODE = r"""
#include <iostream>
#include <sstream>
#include <string>
int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream fields(line);
        std::string name, rest;
        int n, sum = 0;
        fields >> name;
        while (fields >> n) sum += n;
        std::stringstream parts(line);
        while (std::getline(parts, rest, ' ')) std::cout << '<' << rest << '>';
        std::cout << name << sum << '\n';
    }
}
"""


def test_splits_lines(same_output: Callable[..., str]) -> None:
    text = same_output(stringstream_to_reader, CODE, "a 1 2 3\n\nb 4 x 5\nc -6")
    assert "TokenReader fields(line);" in text
    assert "while (getline(parts, rest, ' '))" in text


def test_leaves_streams_that_are_written_alone(applied: Callable[..., list[str]]) -> None:
    code = 'int main() { stringstream s("1"); s << 2; int x; s >> x; }'
    assert applied(stringstream_to_reader, code) == []
