from collections.abc import Callable

from maxcode.generators.rewrites.io import unsync_streams

CODE = """
#include <iostream>
int main() {
    int a, b;
    std::cin >> a >> b;
    std::cout << a + b;
}
"""


def test_unsyncs_at_the_start_of_main(same_output: Callable[..., str]) -> None:
    text = same_output(unsync_streams, CODE, "1 2")
    assert "int main() {\n    std::ios::sync_with_stdio(false);\n    std::cin.tie(nullptr);" in text


def test_leaves_mixed_output_and_unsynced_programs_alone(applied: Callable[..., list[str]]) -> None:
    for body in (
        'cout << 1; printf("2");',
        'int n; cin >> n; scanf("%d", &n);',
        "ios::sync_with_stdio(0); cout << 1;",
        "return 0;",
    ):
        assert applied(unsync_streams, f"int main() {{ {body} }}") == []


def test_allows_reading_by_stream_and_writing_by_printf(applied: Callable[..., list[str]]) -> None:
    assert applied(unsync_streams, 'int main() { int n; cin >> n; printf("%d", n); }')
