"""Declared parameters, the allowed points, and programs with other values."""

import pytest

from maxcode.errors import InputError
from maxcode.generators.parameters import Tunable, read
from maxcode.program import Program


def tunable(code: str, entry: str = "main.cpp", **others: str) -> Tunable:
    program = Program({entry: code, **others}, entry)
    found = read(program, program.files)
    assert found is not None
    return found


def space(code: str, entry: str = "main.cpp") -> dict[str, str]:
    """Each parameter's values, with the present one in brackets."""
    found = tunable(code, entry)
    return {
        one.name: " ".join(f"[{value}]" if value == now else value for value in one.values)
        for one, now in zip(found.parameters, found.values, strict=True)
    }


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("#define X 16 // tune: 8 16 32", "8 [16] 32"),
        ("constexpr int X = 16;  // tune: 8 16", "8 [16]"),
        ("static const std::size_t X{16u}; // tune: 8 16u", "8 [16u]"),
        ("#define X 3 // tune: 1..4", "1 2 [3] 4"),
        ("#define X 8 // tune: 8..64 x2", "[8] 16 32 64"),
        ("#define X 8 // tune: 8..20 +4 64", "[8] 12 16 20 64"),
        ("constexpr bool X = true; // tune: true false", "false [true]"),
        ("#define X float // tune: float double", "double [float]"),
        ("#define X 1.5f // tune: 1e-3 1.5f -2", "-2 1e-3 [1.5f]"),
        ("#define X 8 // tune: 16 8 8", "[8] 16"),
    ],
)
def test_a_comment_gives_the_values(line: str, values: str) -> None:
    assert space(f"int a;\n{line}\nint b;\n") == {"X": values}


def test_python_declares_in_comments_of_its_own() -> None:
    code = (
        "# näher\nBLOCK: int = 16  # tune: 64 16 32\nKIND = 'b'  # tune: 'b' 'a'\n"
        "# OFF = 1  # tune: 1 2\n# tune-if: BLOCK < 64\n"
    )
    assert space(code, "kernel.py") == {"BLOCK": "[16] 32 64", "KIND": "'a' ['b']"}
    found = tunable(code, "kernel.py")
    assert len(list(found.points())) == 4
    written = found.with_values(("32", "'a'")).code
    assert written == code.replace("= 16", "= 32").replace("= 'b'", "= 'a'")


def test_cuda_inside_a_python_string_is_read_too() -> None:
    code = 'SOURCE = """\n#define TILE 16  // tune: 8 16 32\n"""\n'
    assert space(code, "kernel.py") == {"TILE": "8 [16] 32"}


def test_the_same_parameter_may_stand_in_several_places_and_files() -> None:
    found = tunable(
        "#ifdef A\n#define X 1 // tune: 1 2\n#else\n#define X 1 // tune: 1 2\n#endif\n",
        other="#define Y 3 // tune: 3 4\n// tune-if: X < Y - 1\n",
    )
    assert list(found.points()) == [("1", "3"), ("1", "4"), ("2", "4")]
    program = found.with_values(("2", "4"))
    assert program.code.count("#define X 2 ") == 2
    assert program.files["other"].startswith("#define Y 4 // tune: 3 4\n")


@pytest.mark.parametrize(
    "code",
    [
        "int main() {}\n",
        "// tune: this later\n",
        "// #define X 1 // tune: 1 2\n",
        "x" * 1001 + " = 1;\n",
    ],
)
def test_what_declares_nothing(code: str) -> None:
    assert read(Program.of(code), ["main.cpp"]) is None


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("\nint x = f(); // tune: 1 2\n", "main.cpp, line 2: values to tune belong behind"),
        ("#define X 1 // tune: 1 later!\n", "main.cpp, line 1: cannot read 'later!'"),
        ("#define X 1 // tune: 1\n", "needs at least two values"),
        ("#define X 1 // tune: 1..4 x1\n", "never ends"),
        ("#define X 0 // tune: 0..99999999\n", "at most 1024 values"),
        ("#define X 1 // tune: 1 2\n#define X 1 // tune: 1 3\n", "X has other values than"),
        ("#define X 1 // tune: 1 2\n// tune-if: X <\n", "line 2: cannot use the restriction"),
        ("#define X 1 // tune: 1 2\n// tune-if: Y < 2\n", "Y is no parameter"),
        ("x" * 1001 + " = 1; // tune: 1 2\n", "line 1: .* is longer than 1000"),
    ],
)
def test_a_wrong_declaration_is_named_with_its_place(code: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read(Program.of(code), ["main.cpp"])


@pytest.mark.parametrize(
    "hostile",
    [
        "__import__('os').system('true')",
        "().__class__",
        "X.real",
        "9 ** 9 ** 9",
        "[X for X in (1, 2)]",
        "(lambda: X)()",
        "'a' * X",
        "X if X else X",
        "-" * 900,
        "(" * 300 + "X",
        "X + " * 400 + "1",
        "",
    ],
)
def test_a_restriction_is_arithmetic_and_nothing_else(hostile: str) -> None:
    code = f"#define X 1 // tune: 1 2\n// tune-if: {hostile}\n"
    with pytest.raises(InputError, match=r"cannot use the restriction|longer than 1000"):
        read(Program.of(code), ["main.cpp"])


@pytest.mark.parametrize(
    ("restriction", "points"),
    [
        ("X * Y <= 4", ["1 2", "1 4", "2 2"]),
        ("X < Y and not (Y == 2 or X > 1)", ["1 4"]),
        ("X < Y && (X != 1 || Y % 4 == 0)", ["1 4", "2 4"]),
        ("1 <= X <= 1 and Y // 2 == 1", ["1 2"]),
        ("Y / (X - 1) >= 4", ["2 4"]),
        ("-X > -2.5 + 1", ["1 2", "1 4"]),
    ],
)
def test_restrictions_leave_out_points(restriction: str, points: list[str]) -> None:
    code = f"#define X 1 // tune: 1 2\n#define Y 2 // tune: 2 4\nint a; // tune-if: {restriction}\n"
    assert [" ".join(point) for point in tunable(code).points()] == points
