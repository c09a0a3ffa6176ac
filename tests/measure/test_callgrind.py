"""Callgrind's reports, written by hand."""

from maxcode.measure.callgrind import Executed, Function, parse


def report(*lines: str) -> bytes:
    start = ["# callgrind format", "version: 1", "positions: instr line", "events: Ir", ""]
    return "\n".join([*start, *lines, ""]).encode()


def named(executed: Executed) -> dict[str, tuple[int, int, int]]:
    return {f.name: (c.self, c.inclusive, c.calls) for f, c in executed.functions.items()}


def test_recursion_is_counted_once() -> None:
    executed = parse(
        report(
            *("ob=(1) /bin/program", "fl=(1) main.cpp", "fn=(1) main"),
            *("cfn=(2) f(int)", "calls=1 0x20 5 ", "0x10 3 100"),
            *("fn=(2)", "0x20 5 10", "cfn=(3) f(int)'2", "calls=1 0x20 5 ", "0x24 6 90"),
            *("fn=(3)", "0x20 5 90", "cfn=(3)", "calls=8 0x20 5 ", "0x24 6 500"),
        )
    )
    assert named(executed)["f(int)"] == (100, 100, 10)
    assert executed.recursive == {Function("/bin/program", "f(int)")}


def test_nonsense_is_passed_over() -> None:
    executed = parse(
        report(
            *("0x1 1 5", "fn=(77)", "0x2 2 6", "cfn=(78)", "calls=2 0x1 1 ", "0x3 3 4"),
            *("calls=999999999999999999999999 1", "0xzz 1 1", "0x4 -1 1", "0x5 1 1e9", "\0\0"),
            *("fn=", "ob", "summary: 12345", "0x6 1 1 1", "=" * 1000, "(1) x"),
        )
        + b"\xff\xfe 0x1 1 1"
    )
    assert executed.instructions == 11
