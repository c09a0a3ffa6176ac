import inspect

from maxcode import errors
from maxcode.errors import MaxcodeError


def test_one_root_catches_every_error() -> None:
    classes = [one for _, one in inspect.getmembers(errors, inspect.isclass)]
    assert len(classes) > 5
    assert all(issubclass(one, MaxcodeError) for one in classes)
