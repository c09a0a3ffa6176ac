import inspect

from maxcode import errors
from maxcode.errors import MaxcodeError


def _drawn() -> dict[str, str]:
    """Parent of each class, as the docstring of the module draws it."""
    drawing = (errors.__doc__ or "").partition("::")[2].partition("\n\n")[2].partition("\n\n")[0]
    parents: dict[str, str] = {}
    open_at: list[tuple[int, str]] = []
    for line in drawing.splitlines():
        name = line.strip(" │├└─").split()[0]
        column = line.index(name)
        while open_at and open_at[-1][0] >= column:
            open_at.pop()
        parents[name] = open_at[-1][1] if open_at else "Exception"
        open_at.append((column, name))
    return parents


def test_the_drawn_tree_is_the_tree_of_classes() -> None:
    classes = [
        value
        for value in vars(errors).values()
        if inspect.isclass(value) and value.__module__ == errors.__name__
    ]
    assert {c.__name__: c.__bases__[0].__name__ for c in classes} == _drawn()
    assert all(len(c.__bases__) == 1 for c in classes)


def test_one_root_catches_them_all_and_every_class_says_what_it_means() -> None:
    for name in _drawn():
        error = getattr(errors, name)
        assert issubclass(error, MaxcodeError)
        assert error.__doc__
