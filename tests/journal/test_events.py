from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxcode.budget import Budget
from maxcode.evaluation import Critique, Reason
from maxcode.journal.events import (
    EVENT,
    Critiqued,
    HunksMeasured,
    Ranked,
    RunStarted,
    Stopped,
)
from maxcode.options import Options
from maxcode.tree import Value


def test_causes_of_runs_that_wrote_words_alone_are_read_from_those() -> None:
    hunk = {"path": "a", "header": "@@", "lines": 1, "worth": None}
    said = ["not measured: its share", "the first program failed: x"]
    hunks = HunksMeasured.model_validate({"hunks": [{**hunk, "problem": one} for one in said]})
    assert [one.reason for one in hunks.hunks] == [Reason.BUDGET, Reason.FAILED]
    old = {"status": "done", "reason": "budget spent: seconds"}
    assert Stopped.model_validate(old).cause is Reason.BUDGET
    assert Stopped.model_validate({**old, "reason": "budget of ideas"}).cause is None


def test_runs_from_before_there_was_a_reduction_go_on_without_one() -> None:
    begun = RunStarted(
        task="t", task_digest="", baseline="", options=Options(), budget=Budget(), plugins={},
        version="0.1.0",
    ).model_dump(mode="json")  # fmt: skip
    del begun["options"]["minimise"]
    assert RunStarted.model_validate(begun).options == Options(minimise=0.0)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(), st.floats())
def test_any_text_and_any_number_a_plugin_gives_comes_back(text: str, number: float) -> None:
    written = EVENT.dump_json(Critiqued(number=0, step=0, critique=Critique(text)))
    assert EVENT.validate_json(written) == Critiqued(number=0, step=0, critique=Critique(text))
    again = EVENT.validate_json(
        EVENT.dump_json(Ranked(number=0, values=(Value(number),), chosen=()))
    )
    assert isinstance(again, Ranked)
    assert repr(again.values) == repr((Value(number),))
