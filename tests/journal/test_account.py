"""The account of a run, without a run."""

from maxcode.budget import Call, Cost
from maxcode.evaluation import Evaluation, Interval, Status
from maxcode.journal.account import Account, charge


def test_seconds_are_those_of_all_sessions_whatever_the_clock_says() -> None:
    account = Account()
    account.begin(100.0)
    account.pass_time(110.0)
    account.pass_time(4.0)  # the clock was set
    account.pass_time(9.0)
    assert account.settled.seconds == 15.0
    account.begin(1000.0, 2.5)  # another session, which took so long before its first event
    account.pass_time(1001.0)
    assert account.settled.seconds == 18.5


def test_what_is_settled_adds_up_and_the_slowest_is_expected() -> None:
    account = Account()
    ok = Evaluation(Status.OK, Interval(1.0, 1.0, 1.0))
    for evaluation in (ok, Evaluation(Status.INFRASTRUCTURE)):
        account.settle(charge(evaluation) + Cost(tokens=3))
    assert (account.settled.evaluations, account.settled.tokens) == (1, 6)
    for seconds in (2.0, 5.0, 1.0):
        account.took("compared", seconds)
    assert account.expected("compared", "fuzzed") == 5.0


def test_calls_are_counted_by_model() -> None:
    account = Account()
    for _ in range(2):
        account.use(Call("m", "request", 0, 5, 7))
    assert account.usage["m"].answers == 2
