from collections.abc import Callable

from maxcode.generators.rewrites.io import block_input

CODE = r"""
#include <iostream>
#include <string>
int main() {
    int n;
    double d;
    char c;
    std::string word, line;
    std::cin >> n >> d >> c >> word;
    std::cin.ignore();
    while (std::getline(std::cin, line)) std::cout << '[' << line << ']';
    std::cout << n << ' ' << d << ' ' << c << ' ' << word << std::cin.eof() << !std::cin;
}
"""


def test_reads_numbers_words_and_lines(same_output: Callable[..., str]) -> None:
    text = same_output(block_input, CODE, "-12 +2.5e3x w\u00f6rd\n\nlast line\nno end")
    assert "std::cin" not in text


def test_stops_at_what_is_no_number(same_output: Callable[..., str]) -> None:
    code = """
    #include <iostream>
    int main() { int x = 7, sum = 0; while (std::cin >> x) sum += x; std::cout << sum << ' ' << x; }
    """
    same_output(block_input, code, "1 2 3 four 5")
    same_output(block_input, code, "")
    same_output(block_input, code, "7")


def test_leaves_other_ways_of_reading_alone(applied: Callable[..., list[str]]) -> None:
    for reading in (
        'scanf("%d", &n); cin >> n;',
        "read_all(cin);",
        "cin.get(c);",
        "char word[9]; cin >> word;",
        "cin >> ws >> n;",
    ):
        assert applied(block_input, f"int main() {{ int n; char c; {reading} }}") == []
