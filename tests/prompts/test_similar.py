"""Pairs that are like a task's program are found, and none that tells the answer."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.prompts._observations import cpp_task, kernel_task
from tests.prompts._pairs import names, pair, program, written

from maxcode.errors import InputError, TaskError, ToolError
from maxcode.program import Program
from maxcode.prompts.similar import SimilarPairs, tokens
from maxcode.tasks import CppTask


def task(name: str = "ranks", code: str = "") -> CppTask:
    """With almost the slow program of that pair."""
    slow = code or f"{program(name)}int unused;\n"
    return replace(cpp_task(), name="p-test/s1", baseline=Program.of(slow))


@pytest.mark.parametrize("name", ["ranks", "inversions", "words", "matrix", "text"])
def test_the_most_similar_comes_first(tmp_path: Path, name: str) -> None:
    found = SimilarPairs(written(tmp_path), k=2).of(task(name))
    assert names(found)[0] == name
    assert len(found) == 2


def test_those_after_it_share_less(tmp_path: Path) -> None:
    assert names(SimilarPairs(written(tmp_path), k=3).of(task())) == ["ranks", "inversions", "sum"]


def test_pairs_of_the_same_problem_are_left_out(tmp_path: Path) -> None:
    leak = pair("leak", program("ranks") + "int leak;\n", "p-test")
    pairs = SimilarPairs(written(tmp_path, leak), k=20)
    assert "leak" not in names(pairs.of(task()))
    assert "leak" in names(pairs.of(replace(task(), name="p-other/s1")))
    assert "ranks" not in names(pairs.of(replace(task(), name="p-ranks")))


def test_problems_that_share_a_slow_program_are_one(tmp_path: Path) -> None:
    """So neither a copy under another name nor what lies beside it tells the answer."""
    near = [f"{program('ranks')}int {name};\n" for name in "abcd"]
    shared = [
        pair("leak-a", near[0], "p-alias"),
        pair("leak-b", near[1], "p-alias"),
        pair("copy", near[1] + "// again\n", "p-further", speedup=9.0),
        pair("leak-c", near[2], "p-further"),
        pair("fine", near[3], "p-fine"),
    ]
    pairs = SimilarPairs(written(tmp_path, *shared), k=20)
    by_program = names(pairs.of(task(code=near[0] + "// mine\n")))
    by_name = names(pairs.of(replace(task(code=near[3] + "int e;\n"), name="p-further/s1")))
    for found in (by_program, by_name):
        assert not {"leak-a", "leak-b", "copy", "leak-c"} & {*found}
        assert {"fine", "ranks", "inversions"} <= {*found}
    assert "copy" in names(pairs.of(task()))


def test_the_very_program_is_left_out_whatever_its_layout(tmp_path: Path) -> None:
    code = "/* mine */\n" + program("ranks").replace("    ", "\t").replace(";\n", "; // and\n")
    assert names(SimilarPairs(written(tmp_path), k=1).of(task(code=code))) == ["inversions"]


def test_of_the_same_slow_program_the_fastest_counts(tmp_path: Path) -> None:
    slow = program("ranks") + "// again\n"
    more = [pair(f"x{speedup}", slow, speedup=speedup) for speedup in (2.0, 9.0, 3.0)]
    assert names(SimilarPairs(written(tmp_path, *more), k=2).of(task())) == ["x9.0", "inversions"]


def test_of_equals_the_first_in_the_file_counts(tmp_path: Path) -> None:
    twins = [pair(name, f"{program('ranks')}int {name};\n") for name in ("b", "a")]
    pairs = SimilarPairs(written(tmp_path, *twins), k=3)
    assert names(pairs.of(task())) == ["ranks", "b", "a"]


def test_what_shares_nothing_is_not_similar(tmp_path: Path) -> None:
    pairs = SimilarPairs(written(tmp_path))
    assert pairs.of(task(code="@")) == ()
    assert pairs.of(task(code="// nothing\n")) == ()


def test_threads_may_share_it(tmp_path: Path) -> None:
    pairs = SimilarPairs(written(tmp_path), k=3)
    asked = [task(name) for name in ("ranks", "words", "matrix", "gcd")] * 8
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(pairs.of, asked))
    alone = SimilarPairs(written(tmp_path), k=3)
    assert found == [alone.of(one) for one in asked]


def test_programs_of_comments_alone_are_no_programs(tmp_path: Path) -> None:
    nothing = [pair("x", "// none\n"), pair("y", "/* none */"), pair("z", "// z\n", "p-ranks")]
    path = written(tmp_path, *nothing)
    found = SimilarPairs(path, k=20).of(replace(task(), name="p-x/s1"))
    assert names(found)[0] == "ranks"
    path.write_text(f"{json.dumps(nothing[0])}\n")
    with pytest.raises(TaskError, match=r"train\.jsonl: every slow program .* comments"):
        SimilarPairs(path)


def test_its_identity_is_what_it_finds(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    one = SimilarPairs(written(here)).identity
    assert SimilarPairs(written(there)).identity == one
    assert SimilarPairs(written(there), k=2).identity != one
    assert SimilarPairs(written(there, pair("more", "int more;"))).identity != one
    alias = pair("more", program("ranks"), "p-more")  # never shown, but p-more is p-ranks now
    assert SimilarPairs(written(there, alias)).identity != one


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(InputError, match="k is a number of similar pairs of at least 1, not 0"):
        SimilarPairs(path, 0)
    with pytest.raises(InputError, match=r"are C\+\+ programs, and .* is none"):
        SimilarPairs(path).of(kernel_task())
    with pytest.raises(TaskError, match=r"none\.jsonl"):
        SimilarPairs(tmp_path / "none.jsonl")
    path.write_text(path.read_text() + "{}\n")
    with pytest.raises(TaskError, match=r"train\.jsonl, line 13: "):
        SimilarPairs(path)


def test_without_the_extra_its_name_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(ToolError, match=r"pip install 'maxcode\[retrieval\]'"):
        SimilarPairs(written(tmp_path))


def test_tokens() -> None:
    code = 'a->b += 0x1f; // no\n/* no\nno */ cout << "// \\" yes" << x[1]++;'
    assert " ".join(tokens(code)) == 'a -> b += 0x1f ; cout << "// \\" yes" << x [ 1 ] ++ ;'
    code = """if (c == '"') n = 1'000'000; /* it's */ else if (c != '\\'') s = "it's"; // '"'"""
    expected = """if ( c == '"' ) n = 1'000'000 ; else if ( c != '\\'' ) s = "it's" ;"""
    assert " ".join(tokens(code)) == expected
