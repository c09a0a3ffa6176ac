"""Plug-ins from strings."""

from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import ClassVar

import pytest

from maxcode import Program, Task
from maxcode.cli import lookup
from maxcode.cli.main import COMMANDS
from maxcode.cli.plugins import make_executor, make_generator, make_policy
from maxcode.errors import InputError
from maxcode.generators.rewrite import RewriteGenerator
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode import MaxCode
from maxcode.sandbox.process import ProcessSandbox

OWN = """
from maxcode import Executor, SearchPolicy

class Patient(SearchPolicy):
    def __init__(self, pause: float, name: str = "it", deep: bool = False):
        self.given = (pause, name, deep)

    def ask(self, tree, rng):
        return []

class Own(Executor):
    def __init__(self, sandbox):
        self.sandbox = sandbox

    prepare = evaluate = compare = None

class Abstract(SearchPolicy):
    pass

class Refusing(SearchPolicy):
    def __init__(self, width: "Unknown" = 1):
        raise OSError("no room")

    def ask(self, tree, rng):
        return []

def function():
    raise AssertionError("called")
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Makes a module that can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text)

    return make


def test_known_names_with_and_without_options() -> None:
    assert isinstance(make_generator("rewrite"), RewriteGenerator)
    policy = make_policy("maxcode:k=4,d=10")
    assert isinstance(policy, MaxCode)
    assert (policy.k, policy.d) == (4, 10)
    sampling = make_policy("best-of-n:n=40, batch=3")
    assert isinstance(sampling, BestOfN)
    assert (sampling.n, sampling.batch) == (40, 3)


def test_your_own_class_gets_options_of_the_types_it_declares(
    module: Callable[[str, str], None],
) -> None:
    module("own_patience", OWN)
    policy = make_policy("own_patience:Patient,pause=1.5,name=7,deep=true")
    assert vars(policy) == {"given": (1.5, "7", True)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("unmade:Patient", "required argument: 'pause'; Patient takes: pause, name, deep"),
        ("unmade:Impatient", "cannot import unmade: .* has no attribute 'Impatient'"),
        ("unmade:function", "'unmade:function' is no policy"),
        ("unmade:Abstract", "cannot construct Abstract .*: TypeError: .*ask"),
        ("unmade:Refusing", "cannot construct Refusing .*: OSError: no room"),
        ("unmade:Refusing,width=2", "cannot construct Refusing .*: NameError: .*Unknown"),
        ("builtins:int", "'builtins:int' is no policy"),
        ("unmake:Patient", "^unknown policy 'unmake:Patient'; known: beam"),
        ("./a.py:B", "unknown policy .*, named as in an import"),
    ],
)
def test_a_class_that_cannot_be_made_says_why(
    module: Callable[[str, str], None], text: str, said: str
) -> None:
    module("unmade", OWN)
    with pytest.raises(InputError, match=said):
        make_policy(text)


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("needy", "import no_such_library\n", ".*'no_such_library'"),
        ("unread", "def (", r"SyntaxError: .*unread\.py, line 1\)"),
        ("script", "raise SystemExit(4)", "SystemExit: 4"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(
    module: Callable[[str, str], None], name: str, code: str, said: str
) -> None:
    module(name, code)
    with pytest.raises(InputError, match=f"cannot import {name}: {said}; mend that"):
        make_policy(f"{name}:Anything")


ENTRY_POINTS = """
[maxcode.policies]
patient = own_policies:Patient
beam = own_policies:Patient

[maxcode.executors]
own = own_policies:Own
"""


@pytest.fixture
def installed(tmp_path: Path, module: Callable[[str, str], None]) -> Iterator[None]:
    """Another package is installed, which has plug-ins."""
    module("own_policies", OWN)
    info = tmp_path / "patience-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: patience\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    lookup._installed.cache_clear()
    yield
    lookup._installed.cache_clear()


@pytest.mark.usefixtures("installed")
def test_names_of_other_packages_are_found_by_their_entry_points() -> None:
    policy = make_policy("patient:pause=1.5")
    assert vars(policy) == {"given": (1.5, "it", False)}
    known = r"known: .*, maxcode, maxcode-greedy, patient, .*treequest, or your own"
    with pytest.raises(InputError, match=known):
        make_policy("patience")
    both = "several plug-ins are called beam; write maxcode.policies.beam:Beam or own_policies:Pat"
    with pytest.raises(InputError, match=both):
        make_policy("beam")


@pytest.mark.usefixtures("installed")
def test_a_task_of_another_package_names_its_executor() -> None:
    class OwnTask(Task):
        executor: ClassVar[str] = "own"

    baseline, sandbox = Program.of("", "x"), ProcessSandbox()
    with make_executor(OwnTask("own", "", baseline), sandbox) as executor:
        assert vars(executor) == {"sandbox": sandbox}
    with pytest.raises(InputError, match="unknown executor ''; known: kernel, landscape, own"):
        make_executor(Task("none", "", baseline), sandbox)


@pytest.mark.parametrize("kind", lookup.KINDS)
def test_every_plugin_that_is_shipped_can_be_imported(kind: str) -> None:
    for name in lookup.plugin_names(kind):
        assert lookup.find_class(name, kind)[1] == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_handler(command: str) -> None:
    assert callable(resolve_name(f"maxcode.cli.{COMMANDS[command][1]}"))
