from collections.abc import Callable
from math import inf, isnan, nan
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from maxcode.budget import Budget
from maxcode.evaluation import Critique, Profile, Reason
from maxcode.journal.events import (
    EVENT,
    Critiqued,
    HunksMeasured,
    Profiled,
    Ranked,
    RunStarted,
    Stopped,
)
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.tree import Value


def _old(
    options: Options, plugins: dict[str, str], change: Callable[[Any], object] = lambda _: None
) -> RunStarted:
    """The beginning of a run, as it is read after a change to what was written."""
    begun = RunStarted(
        task="t",
        task_digest="",
        baseline="",
        options=options,
        budget=Budget(),
        plugins=plugins,
        version="0.1.0",
    ).model_dump(mode="json")
    change(begun["options"])
    return RunStarted.model_validate(begun)


def test_causes_of_runs_that_wrote_words_alone_are_read_from_those() -> None:
    hunk = {"path": "a", "header": "@@", "lines": 1, "worth": None}
    said = ["not measured: its share", "the first program failed: x"]
    hunks = HunksMeasured.model_validate({"hunks": [{**hunk, "problem": one} for one in said]})
    assert [one.reason for one in hunks.hunks] == [Reason.BUDGET, Reason.FAILED]
    old = {"status": "done", "reason": "budget spent: seconds"}
    assert Stopped.model_validate(old).cause is Reason.BUDGET
    assert Stopped.model_validate({**old, "reason": "budget of ideas"}).cause is None


def test_runs_from_before_there_was_a_reduction_go_on_without_one() -> None:
    old = _old(Options(), {}, lambda options: options.pop("minimise"))
    assert old.options == Options(minimise=0.0)


@pytest.mark.parametrize("plugins", [{}, {"critic": "Critic"}])
def test_runs_from_before_profiles_had_a_switch_show_them_where_they_did(
    plugins: dict[str, str],
) -> None:
    options = Options(observe=Observe())
    old = _old(options, plugins, lambda options: options["observe"].pop("profile"))
    assert old.observe == Observe(profile=bool(plugins))


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
    old = _old(Options(recipe={"policy": called}), {"policy": policy})
    assert old.options.recipe["policy"] == now


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
