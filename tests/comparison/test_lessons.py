"""What a journal teaches."""

from __future__ import annotations

from maxcode.budget import Budget
from maxcode.comparison.lessons import learn
from maxcode.evaluation import Status
from maxcode.interfaces import Proposal
from maxcode.journal.journal import Journal
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.prompts.lessons import LessonBook
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator
from maxcode.testing.scripted import Verdict

SLOW = "int main() { cout << endl; }\n"
FAST = "int main() { cout << '\\n'; }\n"
BROKEN = "int main() { printf(endl); }\n"
BOTH = FAST.replace("main", "  main")


def book_of(journal: Journal, language: str = "c++") -> LessonBook:
    """Of a search whose steps are the proposals below, each of the baseline."""
    task = Task("lines", "", Program.of(SLOW), language=language)
    proposals = [
        Proposal(Program.of(FAST), "A newline for endl."),
        Proposal(Program.of(FAST), "A newline for endl, again."),
        Proposal(Program.of(BROKEN), "Prints by printf."),
        Proposal(Program.of(BOTH), "1 as before", ("endl-to-newline", "memoise")),
        Proposal(Program.of(BOTH + "\n"), "endl-to-newline", ("endl-to-newline#2",)),
        Proposal(None, "Holds no program.", problem="empty"),
    ]
    scores: dict[str, Verdict] = {
        SLOW: 1.0,
        FAST: 2.0,
        BROKEN: Status.BUILD_ERROR,
        BOTH: 3.0,
        BOTH + "\n": 0.5,
    }
    search = Search(
        task,
        generator=ScriptedGenerator([proposals]),
        executor=ScriptedExecutor(scores),
        policy=MaxCodeLoop(k=6),
        budget=Budget(evaluations=8),
        journal=journal,
        options=Options(threads=1, fuzz=0, minimise=0.0),
    )
    search.run()
    return learn(learn(LessonBook(), search.state.log), search.state.log)


def test_steps_that_say_what_they_changed_are_lessons(journal: Journal) -> None:
    found = {one.text: one.evidence for one in book_of(journal).lessons}
    newline, printf, rewrite = found.values()
    assert list(found)[:2] == ["A newline for endl.", "Prints by printf."]
    assert [(one.tried, one.gained, one.ratio, one.replaced) for one in newline] == [
        (1, 1, 2.0, ("endl",))
    ]
    assert [(one.tried, one.gained, one.failed) for one in printf] == [(1, 0, 1)]
    assert [(one.tried, one.gained, one.failed) for one in rewrite] == [(1, 0, 0)]
    assert "without flushing" in list(found)[2]  # what the rewrite does, and none of two at once


def test_tags_of_other_languages_are_no_rewrites(journal: Journal) -> None:
    texts = [one.text for one in book_of(journal, "go").lessons]
    assert texts == ["A newline for endl.", "Prints by printf.", "1 as before", "endl-to-newline"]
