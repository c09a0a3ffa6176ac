from math import inf, isnan, nan
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from maxcode.budget import Budget, Call, Cost, Stop
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Counterexample,
    Critique,
    Drawn,
    Evaluation,
    FuzzResult,
    HeldOut,
    HotLine,
    HunkWorth,
    Interval,
    Measurement,
    Profile,
    Reason,
    Status,
    TimedTest,
)
from maxcode.journal.events import (
    EVENT,
    Answered,
    Asked,
    BaselineMeasured,
    Committed,
    Compared,
    Critiqued,
    Evaluated,
    Event,
    Fuzzed,
    Granted,
    HeldOutMeasured,
    HunksMeasured,
    Profiled,
    ProposalRecord,
    Proposed,
    Ranked,
    Reduced,
    ReductionStarted,
    Requested,
    Returned,
    RunStarted,
    SessionStarted,
    Stopped,
    Trained,
    VariantCompared,
    VariantEvaluated,
    VariantFuzzed,
)
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.tree import Expansion, Value

_ODD = 'é \0 \r\n \t "quoted" \\n \u2028 😀 </script> \'; DROP TABLE x; --'
_TIMES = Measurement("wall", "s", (0.1, 0.30000000000000004, 5e-324))
_RATIO = Interval(2.0, 1.9, 2.1, 0.99)

_CALL = Call(_ODD, "ff", 2, 10, 20, 30, 40, 15, 1.5, 3, 0.1)

SAMPLES: list[Event] = [
    RunStarted(
        task=_ODD,
        task_digest="aa",
        baseline="bb",
        options=Options(
            seed=2**63,
            gamma=0.97,
            observe=Observe(trajectory=True, critique=False, best=True),
            in_flight=4,
            recipe={"nested": [1, 2.5, None, True, {"a": _ODD}], "empty": {}},
        ),
        budget=Budget(evaluations=40, seconds=1.5),
        plugins={"generator": "RewriteGenerator", _ODD: _ODD},
        version="0.1.0",
    ),
    SessionStarted(process="host:boot:1:2", budget=Budget(), unrecorded=0.1),
    BaselineMeasured(baseline=Baseline((_TIMES, _TIMES), _ODD, 3.25)),
    Asked(expansions=(Expansion(), Expansion(3, 8, (1, 2), profile=True))),
    Asked(expansions=()),
    Granted(number=1, run=4, propose=8),
    Requested(
        number=1,
        role="critic",
        step=3,
        prompt="dd",
        model=_ODD,
        request="ff",
        samples=(0, 2**31),
        ceiling=Cost(tokens=9, dollars=0.30000000000000004),
    ),
    Answered(number=1, role="critic", step=3, prompt="dd", text="ee", call=_CALL, stop=Stop.LENGTH),
    Answered(number=1, role="generator", prompt="dd", text="", call=Call(_ODD, "ff", problem=_ODD)),
    Proposed(
        number=1,
        proposals=(
            ProposalRecord(program="cc", summary=_ODD, tags=("io", _ODD)),
            ProposalRecord(
                program=None, problem=_ODD, prompt=_ODD, answer=_ODD, cost=Cost(0, 12, 0.1, 2.5)
            ),
            ProposalRecord(program="cc", cost=Cost(tokens=3, unpriced=3), call=_CALL),
        ),
        seconds=0.125,
    ),
    Ranked(number=1, values=(Value(1.5), Value(2.5, (0.25, 0.75))), chosen=(1,)),
    Evaluated(
        number=1,
        program="cc",
        evaluation=Evaluation(
            *(Status.OK, _RATIO, _ODD, _ODD, (_TIMES,), (_TIMES,), 1.5),
            by_test=(TimedTest(_ODD, 0.5, 1.5, "s", _RATIO),),
        ),
        lost=(_ODD, ""),
        lost_at=("10.0.0.1/0 processor 1", ""),
        notes=(_ODD,),
    ),
    *(
        Evaluated(number=1, program="cc", evaluation=Evaluation(status, feedback=_ODD))
        for status in Status
        if status is not Status.OK
    ),
    Profiled(
        number=2,
        step=1,
        profile=Profile(_ODD, (HotLine("a.cpp", 3, 0.5, _ODD),), 1e6, 2.5, 10**12, 7),
    ),
    Profiled(number=2, step=1, profile=None),
    Critiqued(number=2, step=1, critique=Critique(_ODD, "io", _ODD, (_ODD,), Cost(0, 5, 0.01))),
    Committed(number=2),
    Trained(number=0, checkpoint="0f3c", reward=1.5, rolled_back=True),
    Compared(step=1, against=0, comparison=Comparison(_RATIO, (_TIMES,), (_TIMES,)), promoted=True),
    Compared(step=1, against=0, comparison=Comparison(None, problem=_ODD), promoted=False),
    Compared(step=1, against=0, comparison=Comparison(None), promoted=False, provisional=True),
    Compared(
        step=1,
        against=0,
        comparison=Comparison(_RATIO, drawn=Drawn(24, 0.021, 72, _RATIO, _RATIO, _ODD)),
        promoted=True,
    ),
    Fuzzed(
        step=1,
        result=FuzzResult(9, 2, _ODD, Counterexample(_ODD, _ODD, _ODD), _ODD, "", 0.5),
    ),
    Fuzzed(step=1, result=FuzzResult(why=_ODD)),
    HeldOutMeasured(step=1, held_out=HeldOut(_RATIO, 6, (_TIMES,), (_TIMES,), "", 1.5)),
    HeldOutMeasured(
        step=1, held_out=HeldOut(None, problem=_ODD, counterexample=Counterexample(_ODD))
    ),
    Returned(step=0),
    ReductionStarted(
        step=1, budget=Budget(seconds=2.5), reason=_ODD, evaluations=10, seconds=0.5, margin=0.01
    ),
    VariantEvaluated(program="aa", evaluation=Evaluation(Status.OK, _RATIO, seconds=0.5)),
    VariantCompared(
        program="aa", against="bb", purpose="drop", comparison=Comparison(_RATIO, (_TIMES,))
    ),
    VariantFuzzed(program="aa", result=FuzzResult(9, 2, learned=_ODD)),
    Reduced(step=1, program="aa", before=12, after=3),
    Reduced(step=1, before=12, after=12),
    HunksMeasured(
        hunks=(HunkWorth(_ODD, "@@ -1 +1 @@", 2, _RATIO), HunkWorth("a", "@@", 1, problem=_ODD))
    ),
    Stopped(status="interrupted", reason=_ODD),
]


def test_causes_of_runs_that_wrote_words_alone_are_read_from_those() -> None:
    hunk = {"path": "a", "header": "@@", "lines": 1, "worth": None}
    said = ["not measured: its share", "the first program failed: x"]
    hunks = HunksMeasured.model_validate({"hunks": [{**hunk, "problem": one} for one in said]})
    assert [one.reason for one in hunks.hunks] == [Reason.BUDGET, Reason.FAILED]
    old = {"status": "done", "reason": "budget spent: seconds"}
    assert Stopped.model_validate(old).cause is Reason.BUDGET
    assert Stopped.model_validate({**old, "reason": "budget of ideas"}).cause is None


def test_runs_from_before_there_was_a_reduction_go_on_without_one() -> None:
    old = RunStarted(
        task="t",
        task_digest="",
        baseline="",
        options=Options(),
        budget=Budget(),
        plugins={},
        version="0.1.0",
    ).model_dump(mode="json")
    del old["options"]["minimise"]
    assert RunStarted.model_validate(old).options == Options(minimise=0.0)


@pytest.mark.parametrize("plugins", [{}, {"critic": "Critic"}])
def test_runs_from_before_profiles_had_a_switch_show_them_where_they_did(
    plugins: dict[str, str],
) -> None:
    options = Options(observe=Observe())
    old = RunStarted(
        task="t",
        task_digest="",
        baseline="",
        options=options,
        budget=Budget(),
        plugins=plugins,
        version="0.1.0",
    ).model_dump(mode="json")
    del old["options"]["observe"]["profile"]
    assert RunStarted.model_validate(old).observe == Observe(profile=bool(plugins))


@pytest.mark.parametrize(
    ("policy", "called", "now"),
    [
        ("MaxCodeLoop", "maxcode:k=2", "maxcode-greedy:k=2"),
        ("MaxCodeLoop", "maxcode", "maxcode-greedy"),
        ("MaxCode", "maxcode:k=2", "maxcode:k=2"),
        ("BestOfN", "best-of-n", "best-of-n"),
    ],
)
def test_runs_from_before_maxcode_had_the_form_of_the_paper_keep_theirs(
    policy: str, called: str, now: str
) -> None:
    old = RunStarted(
        task="t",
        task_digest="",
        baseline="",
        options=Options(recipe={"policy": called}),
        budget=Budget(),
        plugins={"policy": policy},
        version="0.1.0",
    ).model_dump(mode="json")
    assert RunStarted.model_validate(old).options.recipe["policy"] == now


def test_every_kind_of_event_has_a_sample() -> None:
    assert {type(sample) for sample in SAMPLES} == set(get_args(Event))


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: str(event.kind))
def test_an_event_is_read_as_it_was_written(event: Event) -> None:
    again = EVENT.validate_json(EVENT.dump_json(event))
    assert type(again) is type(event)
    assert again == event


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


@pytest.mark.parametrize("number", [nan, inf, -inf])
def test_a_number_that_json_lacks_stays_readable(number: float) -> None:
    written = EVENT.dump_json(Profiled(number=0, step=0, profile=Profile("", peak_memory=number)))
    again = EVENT.validate_json(written)
    assert isinstance(again, Profiled)
    assert again.profile is not None
    peak = again.profile.peak_memory
    assert peak is not None
    assert isnan(peak) if isnan(number) else peak == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"kind": "unheard_of"}',
        '{"kind": "committed"}',
        '{"kind": "committed", "number": "three"}',
        '{"kind": "committed", "number": 3, "extra": 1}',
        '{"kind": "evaluated", "number": 0, "program": "a", "evaluation": {"status": "ok"}}',
    ],
)
def test_what_is_no_event_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        EVENT.validate_json(text)
