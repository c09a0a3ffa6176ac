from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from string import ascii_lowercase

import pytest

from maxcode.errors import InputError
from maxcode.fuzz import InputModel

from ._formats import FORMATS, Format


@pytest.mark.slow
@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_inputs_have_the_format_of_the_examples(known: Format) -> None:
    model = InputModel.learn(known.inputs)
    inputs = model.draw(1, 100)
    assert model.draw(1, 100) == inputs
    assert len(set(inputs)) >= 25
    assert [data for data in inputs if not known.accepts(data)] == []
    assert [model.beyond(data) for data in (*inputs, *known.inputs) if model.beyond(data)] == []
    further = model.draw(1, 100, beyond=True)
    assert all(model.beyond(data) for data in further)
    strange = [data for data in further if not known.accepts(data)]
    assert len(strange) <= len(further) / 3, strange[:3]  # among them leading zeros

    largest = max(inputs, key=len)
    smaller = list(model.smaller(largest))
    assert smaller
    assert all(len(data) <= len(largest) for data in smaller)
    assert all(known.accepts(data) for data in smaller if not model.beyond(data))

    example = known.inputs[0]
    fresh = [model.like(example, seed=seed) for seed in range(8)]
    assert all(known.accepts(data) for data in fresh)
    assert all(len(data.split()) == len(example.split()) for data in fresh)


@pytest.mark.parametrize(
    ("examples", "described"),
    [
        (["5\n3 1 4 1 5\n", "2\n7 8\n"], ["n x m: integer 1 to 8"]),
        (["2 3\n..#\n#..\n", "1 2\n.#\n"], ["n lines", "word of m of '#.'"]),
        (["4\n2 1 4 3\n", "3\n3 1 2\n"], ["n x m: integer 1 to n, all different"]),
        (["1\n2\n3 4\n", "2\n1\n5\n3\n1 1 1\n"], ["n times", "m x k: integer"]),
        (["4\n1 2\n1 3\n3 4\n", "3\n1 2\n2 3\n"], ["n - 1 lines, a tree's edges"]),
        (["3 4\n1 2\n3 4\n0 0\n", "5 6\n0 0\n"], ["up to a line '0 0'"]),
        (["2\n0.5 1.25\n", "1\n-3.0\n"], ["real -3 to 1.25"]),
        (["2\n1 2\n3 4\n", "3\n5 6\n7 8\n9 9\n"], ["n lines", "integer 1 to 9"]),
        (["2 3\n1 7\n1 2 3\n", "3 1\n1 2 5\n4\n"], ["n x k: integer", "m x a: integer"]),
        (["1 2 3\n", "4 5 6\n", "9 1 3\n"], ["integer 1 to 9"]),
        (["3 7 8 9\n", "1 2\n", "0\n"], ["n: integer 0 to 3, n x m: integer"]),
        (["007\n", "010\n"], ["integer 007 to 010"]),
    ],
)
def test_what_is_learned(examples: list[str], described: list[str]) -> None:
    text = InputModel.learn([example.encode() for example in examples]).describe()
    for part in described:
        assert part in text


@pytest.mark.slow
def test_two_counts_in_one_line_before_long_rows() -> None:
    rng = random.Random(0)

    def example(*lengths: int) -> bytes:
        rows = [[rng.randint(1, 60) for _ in range(length)] for length in lengths]
        return "".join(" ".join(map(str, row)) + "\n" for row in (lengths, *rows)).encode()

    model = InputModel.learn([example(4000, 4100), example(4200, 4900), example(4600, 4500)])
    assert model.describe().endswith("\nn x k: integer 1 to 60\nm x a: integer 1 to 60")


def test_every_example_counts() -> None:
    """One that contradicts a count ends the hypothesis."""
    held = InputModel.learn([b"2\n5 6\n", b"3\n7 8 9\n"]).describe()
    broken = InputModel.learn([b"2\n5 6\n", b"3\n7 8 9\n", b"4\n7 8 9\n"]).describe()
    assert "n x" in held
    assert "n x" not in broken


@pytest.mark.slow
def test_inputs_lie_within_and_at_the_edges_and_others_beyond() -> None:
    model = InputModel.learn([b"5\n3 10 40 10 5\n", b"4\n70 8 22 9\n", b"6\n5 5 80 2 6 7\n"])

    def rows(*, beyond: bool) -> list[list[int]]:
        return [list(map(int, d.split()))[1:] for d in model.draw(1, 300, beyond=beyond)]

    within = rows(beyond=False)
    assert all(2 <= value <= 80 for row in within for value in row)
    assert {len(row) for row in within} == {4, 5, 6}
    assert any(len(set(row)) == 1 for row in within)
    assert any(row == sorted(row) for row in within)
    assert any(row == sorted(row, reverse=True) for row in within)
    assert any(80 in row for row in within)
    assert any(2 in row for row in within)
    further = rows(beyond=True)
    assert any(len(row) == 1 for row in further)
    assert any(len(row) > 100 for row in further)
    assert any(sum(row) > 1 << 31 for row in further)
    assert sum(min(row, default=0) < 0 for row in further) < len(further) / 10


def test_numbers_up_to_another_grow_with_it_beyond_the_examples() -> None:
    graphs = [b"4 2\n1 2\n3 4\n", b"5 4\n1 2\n2 3\n4 5\n1 4\n", b"3 0\n", b"6 3\n1 6\n2 5\n6 2\n"]
    drawn = InputModel.learn(graphs).draw(1, 200, beyond=True)
    rows = [[[*map(int, line.split())] for line in data.splitlines()] for data in drawn]
    large = [one for one in rows if one[0][0] > 12]
    assert any(count > 12 for (_, count), *_ in large)
    assert any(max(map(max, edges)) > 12 for _, *edges in large if edges)
    assert all(min(edge) >= 1 and max(edge) <= n for (n, _), *edges in large for edge in edges)


def test_missing_values_and_escaped_quotes_come_beyond_the_examples() -> None:
    logs = [f'10.0.0.{n} "GET /{n * 7}" 200 {n * n}\n10.0.0.9 "PUT /" 404 {n}\n' for n in range(9)]
    model = InputModel.learn([log.encode() for log in logs])
    drawn = b"".join(model.draw(1, 300, beyond=True))
    assert b" -\n" in drawn
    assert b'\\"' in drawn
    within = b"".join(model.draw(1, 300))
    assert b" -\n" not in within
    assert b"\\" not in within


def test_an_open_range_beside_a_signed_one_leaves_room_for_negative_numbers_beyond() -> None:
    examples = [b"3\n5.25\n80.10\n7.00\n", b"2\n61.50\n1.75\n"]
    said = "It has n rows (1 <= k <= n <= 100); the absolute value is at most 1000."
    drawn = InputModel.learn(examples, statement=said).draw(1, 200, beyond=True)
    values = [float(value) for data in drawn for value in data.split()[1:]]
    assert any(-1 < value < 0 for value in values)
    assert any(value < -100 for value in values)


def test_the_end_of_the_day_comes_beyond_the_examples() -> None:
    examples = [b"09:05:16 10:10:36\n07:48:48 10:31:45\n", b"08:20:00 08:36:40\n"]
    assert b"24:00:00" in b"".join(InputModel.learn(examples).draw(1, 100, beyond=True))


def test_commands_beyond_the_examples_have_leading_zeros_and_lose_an_order() -> None:
    rows = [f"add {'abcdefgh'[n % 8] * 3} {7 * n + 11}\nquery {n} {n + n % 3}\n" for n in range(40)]
    examples = ["".join(rows[n::4]).encode() for n in range(4)]
    drawn = InputModel.learn(examples).draw(1, 200, beyond=True)
    assert any(re.search(rb"add \w+ 0\d", data) for data in drawn)
    queries = [re.findall(rb"query (\d+) (\d+)", data) for data in drawn]
    falling = [any(int(a) > int(b) for a, b in pairs) for pairs in queries]
    assert sum(falling) > len(drawn) / 20


def test_recurring_words_come_with_their_beginnings() -> None:
    chance = random.Random(1)

    def word(least: int, most: int) -> str:
        return "".join(chance.choices(ascii_lowercase, k=chance.randint(least, most)))

    rows = [f"add {word(4, 7)} {7 * n}\ncount {word(2, 3)}\n" for n in range(40)]
    examples = ["".join(rows[n::4]).encode() for n in range(4)]
    drawn = InputModel.learn(examples).draw(1, 200)
    counted = [(data, re.findall(rb"count (\w+)", data)) for data in drawn]
    found = sum(any(b"add " + one in data for one in starts) for data, starts in counted)
    assert found > len(drawn) / 3


@pytest.mark.slow
def test_large_inputs_are_whole() -> None:
    """None is cut off at the largest size."""
    model = InputModel.learn([f"3\n{'a' * 60} {'b' * 90} c\n".encode(), b"2\nxy zzzz\n"])
    inputs = model.draw(2, 100) + model.draw(2, 100, beyond=True)
    assert all(int(data.split()[0]) == len(data.split()) - 1 for data in inputs)
    assert max(map(len, inputs)) > 1000


EVENTS = [
    b"3\nT305 966 17 0\nT306 12 2 1\nT990 40 9 1\n",
    b"4\nT300 1 30 0\nT741 801 17 0\nT112 966 1 0\nT742 5 17 1\n",
]
LOG = [
    b'10.0.0.%d - [%02d/Oct/2025:13:%02d:09] "GET /a/%d.html HTTP/1.1" 200 %d\n'
    % (n, n, n, n, 90 * n)
    + b'10.0.1.%d - [%02d/Oct/2025:14:%02d:36] "POST /b HTTP/1.1" 404 %d\n' % (n, n, n, 7 * n)
    for n in range(1, 20)
]
LOG = [b"".join(LOG[:5]), b"".join(LOG[5:])]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("examples", "line"),
    [
        (EVENTS, rb"T[1-9]\d\d \d+ \d+ [01]|\d"),
        (
            LOG,
            rb"10\.0\.[01]\.\d+ - \[\d\d/Oct/2025:1[34]:\d\d:\d\d\] "
            rb'"(GET|POST) /[ab](/\d+\.html)? HTTP/1\.1" (200|404) \d+',
        ),
        (
            [b'id,name,sum\n1,Ann,0.50\n2,"B, C",1.25\n', b"id,name,sum\n7,Bo,3.00\n8,Cy,9.75\n"],
            rb'id,name,sum|\d,([A-Za-z]+|"B, C"),\d\.\d\d',
        ),
        (
            [b"steps: 40\nNe: 3\nax: 0.5\n", b"steps: 20\nNe: 2\nax: 0.1\n"],
            rb"steps: \d\d|Ne: [23]|ax: 0\.[1-5]",
        ),
        (
            [b"SET k1 5\nGET k1\nDEL k1\nSET k2 6\nGET k2\nCOUNT\nCOUNT\nDEL k2\nEND\n"] * 2,
            rb"SET k[12] [56]|GET k[12]|DEL k[12]|COUNT|END",
        ),
        (
            [b"2\n2024-02-28 E01\n2024-11-30 E17\n", b"1\n2023-01-31 E09\n"],
            rb"\d|20\d\d(-\d\d){2} E\d\d",
        ),
        (
            [
                b'{"id": 1, "tags": ["a"]}\n{"id": 2, "tags": []}\n',
                b'{"id": 5, "tags": ["b"]}\n{"id": 3, "tags": []}\n{"id": 4, "tags": []}\n',
            ],
            rb'\{"id": [1-5], "tags": \[("[ab]")?\]\}',
        ),
    ],
    ids=["events", "log", "csv", "keyed", "commands", "dates", "json"],
)
def test_fields_keep_their_types_and_what_separates_them(
    examples: list[bytes], line: bytes
) -> None:
    model = InputModel.learn(examples)
    inputs = model.draw(1, 100)
    inputs += [model.like(examples[0], seed=seed) for seed in range(5)]
    strange = [one for data in inputs for one in data.splitlines() if not re.fullmatch(line, one)]
    assert strange == []
    assert len(set(inputs)) > 20


PERIODS = [
    f"{n}\n".encode()
    + b"".join(b"20%02d-0%d-11 20%02d-0%d-28\n" % (y, 1 + y % 7, y, 2 + y % 7) for y in range(n))
    for n in (4, 9)
]
DUMP = [
    b"".join(
        b"%08x %s\n" % (16 * row, bytes(range(row, row + 16)).hex(" ").encode()) for row in range(n)
    )
    + b"%08x\n" % (16 * n)
    for n in (3, 20, 60)
]
GRIDS = [b"2 3\n.#S\n#..\n", b"1 2\nS#\n", b"3 3\n...\n#S#\n#.#\n"]
TRANSFERS = [
    b"".join(b"open u%d\nmove u%d u%d\n" % (n % 5, n % 5, (n + 1) % 5) for n in range(size))
    for size in (9, 30)
]


def _numbers(data: bytes) -> list[int]:
    return [int(line[:8], 16) for line in data.split(b"\n") if line]


@pytest.mark.parametrize(
    ("examples", "holds", "breaking"),
    [
        (
            PERIODS,
            lambda data: all(a <= b for a, b in map(bytes.split, data.splitlines()[1:])),
            b"4\n" + 4 * b"2007-02-01 2006-03-01\n",
        ),
        (
            DUMP,
            lambda data: _numbers(data) == [16 * n for n in range(data.count(b"\n"))],
            DUMP[0].replace(b"00000010", b"00000018"),
        ),
        (GRIDS, lambda data: data.count(b"S") == 1, b"2 2\nS#\n#S\n"),
        (
            [b"id,name\n1,ab\n2,cd\n", b"id,name\n1,xy\n", b"id,name\n4,ab\n9,q\n7,r\n"],
            lambda data: data.startswith(b"id,name\n") and data.count(b"id") == 1,
            b"1,ab\n2,cd\n",
        ),
        (
            TRANSFERS,
            lambda data: not re.search(rb"move (\w+) \1\n", data),
            TRANSFERS[0].replace(b"move u0 u1", b"move u0 u0"),
        ),
    ],
    ids=["dates", "steps", "counts", "heading", "words"],
)
def test_what_all_rows_have_in_common_is_kept(
    examples: list[bytes], holds: Callable[[bytes], bool], breaking: bytes
) -> None:
    model = InputModel.learn(examples)
    drawn = model.draw(1, 60)
    assert len(set(drawn)) > 10
    assert all(map(holds, drawn))
    assert model.beyond(breaking)


@pytest.mark.parametrize(
    ("examples", "old", "new", "what"),
    [
        (PERIODS, b"2001-02-11", b"never", "'never' in place of dates"),
        (DUMP, b"00000010", b"z", "'z' in place of hexadecimals"),
    ],
    ids=["pairs", "steps"],
)
def test_a_word_in_place_of_a_related_number_is_named(
    examples: list[bytes], old: bytes, new: bytes, what: str
) -> None:
    assert what in InputModel.learn(examples).beyond(examples[0].replace(old, new))


def test_digits_with_and_without_leading_zeros_are_words() -> None:
    model = InputModel.learn([b"a007 b7\na12 b00\n", b"a1 b003\n", b"a0042 b5\n"])
    lines = [line for data in model.draw(1, 50) for line in data.splitlines()]
    assert lines
    assert all(re.fullmatch(rb"a\d{1,4} b\d{1,3}", line) for line in lines)


def test_keyed_lines_keep_their_order() -> None:
    model = InputModel.learn([b"n: 40\nm: 3\n", b"n: 20\nm: 2\n", b"n: 30\nm: 7\n"])
    assert all(re.fullmatch(rb"n: \d\d\nm: \d\n", data) for data in model.draw(1, 50))


@pytest.mark.parametrize(
    ("statement", "limits", "expected"),
    [
        ("", {}, (3, 40)),
        ("Values from 1 to 50, in 1 to 9 rows.", {}, (1, 50)),
        ("Values from 1 to 1,000,000.", {}, (3, 40)),  # of which the tests span too little
        ("Every value x is 1 <= x <= 60.", {}, (1, 60)),
        ("1 <= n <= 9, all values have |x| <= 10^2.", {}, (-100, 100)),
        ("Values within \u00b150.", {}, (3, 40)),
        ("", {"m": (0.0, 99.0)}, (0, 99)),
    ],
)
def test_limits_are_those_of_the_tests_or_what_is_stated_or_declared(
    statement: str, limits: dict[str, tuple[float, float]], expected: tuple[int, int]
) -> None:
    examples = [b"2\n3 40\n", b"5\n7 7 38 20 9\n"]
    model = InputModel.learn(examples, statement=statement, limits=limits)
    drawn = [value for data in model.draw(1, 200) for value in map(int, data.split()[1:])]
    assert (min(drawn), max(drawn)) == expected


def test_a_limit_of_an_unknown_field_or_below_the_tests_is_refused() -> None:
    with pytest.raises(InputError, match="the fields are n, m"):
        InputModel.learn([b"2\n3 40\n", b"1\n7\n"], limits={"x": (0, 1)})
    with pytest.raises(InputError, match="the tests have 3 to 40"):
        InputModel.learn([b"2\n3 40\n", b"1\n7\n"], limits={"m": (5, 99)})


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"1\n80\n", "80, more than 9"),
        (b"3\n1 2 3\n", "3, more than 2"),
        (b"2\n1 2 3\n", "another format"),
    ],
)
def test_what_is_beyond_is_named(data: bytes, what: str) -> None:
    assert InputModel.learn([b"2\n9 0\n", b"1\n7\n"]).beyond(data) == what


def test_endings_are_kept() -> None:
    unended = InputModel.learn([b"1\n8", b"2\n8 8"]).draw(1, 9)
    assert not any(data.endswith(b"\n") for data in unended)
    windows = InputModel.learn([b"1\r\n8\r\n", b"2\r\n8 8\r\n"]).draw(1, 9)
    assert all(data.count(b"\n") == data.count(b"\r\n") == 2 for data in windows)


@pytest.mark.parametrize(
    "examples",
    [
        [b"the quick brown fox\n\njumps over it, twice.\n", b"a line\n  and an indented one\n"],
        [b"\x00\x01\xff\xfe" * 8, b"\x00\x02\xff"],
        [b""],
    ],
    ids=["text", "binary", "empty"],
)
def test_anything_can_be_learned(examples: list[bytes]) -> None:
    model = InputModel.learn(examples)
    assert model.describe()
    assert all(len(data) <= 1 << 16 for data in model.draw(1, 50))


def test_without_examples_nothing_is_learned() -> None:
    with pytest.raises(InputError, match="no inputs"):
        InputModel.learn([])


def test_a_fresh_input_is_distributed_like_the_example() -> None:
    chance = random.Random(1)
    few = [chance.choice([*range(2, 700, 50), 900_000]) for _ in range(400)]
    example = ("400\n" + " ".join(map(str, few)) + "\n").encode()
    model = InputModel.learn([b"3\n1 2 900000\n", example])
    fresh = list(map(int, model.like(example, seed=3).split()))[1:]
    assert sorted(Counter(fresh).values()) == sorted(Counter(few).values())
    assert sorted(fresh) != sorted(few)


def _edges(nodes: int) -> bytes:
    edges = {(a, b) for b in range(2, nodes + 1) for a in {b // 2, (b + 1) // 2, 1} if a < b}
    return f"{nodes} {len(edges)}\n".encode() + b"".join(b"%d %d\n" % edge for edge in edges)


def _runs(chance: random.Random, number: int) -> bytes:
    words = ["".join(f"{chance.randint(1, 99)}{chance.choice('abc')}" for _ in range(9))]
    words += ["".join(chance.choices("12ab", k=3)) + "b" for _ in range(number)]
    return f"{len(words)}\n".encode() + "".join(f"{word}\n" for word in words).encode()


def _chromosomes(chance: random.Random, number: int) -> bytes:
    lines = [
        f">c{n} sample\n"
        + f"{''.join(chance.choices('ACGT', k=60))}\n" * chance.randint(0, 3)
        + "ACGTT\n"
        for n in range(number)
    ]
    return ("".join(chance.choices("ACGT", k=3)) + "\n" + "".join(lines)).encode()


@pytest.mark.parametrize(
    "examples",
    [
        [_edges(nodes) for nodes in (6, 11, 30)],
        [_runs(random.Random(number), number) for number in (9, 30, 50)],
        [b"2 3\n.#S\n#..\n", b"1 4\n.#S.\n", b"3 3\n...\n#S#\n#.#\n", b"4 2\n#.\n.#\nS#\n..\n"],
        [_chromosomes(random.Random(number), number) for number in (2, 5, 9, 30)],
    ],
    ids=["edges", "runs", "counts", "first"],
)
def test_a_fresh_input_has_what_all_examples_have_in_common(examples: list[bytes]) -> None:
    model = InputModel.learn(examples)
    fresh = [model.like(one, seed=seed) for one in examples for seed in range(3)]
    assert [model.beyond(data) for data in fresh if model.beyond(data)] == []
    assert len(set(fresh) - set(examples)) >= len(examples)


def test_single_numbers_may_be_far_from_the_examples_where_that_is_asked() -> None:
    examples = [f"8000000 {seed} 3\n".encode() for seed in (1111, 2222, 3333)]
    model = InputModel.learn([*examples, b"8000000 2222 1\n"])
    drawn = [
        [tuple(map(int, model.like(examples[0], seed=n, wide=wide).split())) for n in range(60)]
        for wide in (False, True)
    ]
    near, wide = ([seed for _, seed, _ in one] for one in drawn)
    assert all(1000 <= seed <= 1200 for seed in near)
    assert all(1111 <= seed <= 3333 for seed in wide)
    assert max(wide) - min(wide) > 1500
    for each in drawn:
        assert all(7_500_000 <= size <= 8_000_000 for size, _, _ in each)  # it never differs
        assert all(case == 3 for _, _, case in each)


PLACES = [
    f"{text}\n{' '.join(f'{a}:{b}' for a, b in pairs)}\n".encode()
    for text, pairs in (
        ("aecfz", [(1, 3), (2, 5), (4, 4), (5, 1)]),
        ("abaa bba  cab", [(1, 13), (9, 6), (12, 11), (3, 3), (7, 2)]),
        ("ab" * 20, [(1, 40), (39, 2), (31, 17), (8, 8)]),
    )
]


def test_a_position_lies_within_its_text() -> None:
    model = InputModel.learn(PLACES)
    assert "the length of a line" in model.describe()
    inputs = [*model.draw(1, 80), *(model.like(one, seed=2) for one in PLACES)]
    assert len(set(inputs)) > 20
    for data in inputs:
        text, places = data.decode().split("\n")[:2]
        assert max(map(int, re.findall(r"\d+", places)), default=0) <= len(text)
    assert model.beyond(b"abc\n1:9\n")
    further = model.draw(1, 200, beyond=True)
    assert len(further) > 100
    for data in further:
        text, places = data.decode().split("\n")[:2]
        pairs = re.findall(r"^(\d+):(\d+)$", places.replace(" ", "\n"), re.M)
        assert max((int(n) for pair in pairs for n in pair), default=0) <= len(text)


def test_an_example_of_another_form_is_refused() -> None:
    model = InputModel.learn([b"2\n1 2\n", b"1\n3\n"])
    with pytest.raises(InputError, match="structure"):
        model.like(b"2\n1 2 3\n", seed=1)


def test_a_search_for_a_structure_ends_in_time() -> None:
    examples = [b"2\n5 6\n", b"3\n7 8 9\n"]
    none = InputModel.learn(examples, seconds=0)
    assert none.describe() == ("inputs of no known structure, given up after 0 s")
    assert "no known structure" not in InputModel.learn(examples).describe()
