"""Steps that the profile critic is asked about."""

from maxcode.critics.profile import ProfileCritic
from maxcode.evaluation import Critique, Evaluation, Interval, Profile, Status
from maxcode.observation import Observe, observe
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import ROOT, Expansion, SearchTree, Step


def diagnosed(
    task: Task, *grown: tuple[Program, Evaluation], profile: Profile | None = None
) -> Critique:
    """Critique of the last of these steps, each grown from the one before."""
    whole = Evaluation(Status.OK, Interval(1, 1, 1))
    tree = SearchTree(Step(ROOT, None, task.baseline, whole))
    for n, (program, evaluation) in enumerate(grown, 1):
        number = tree.ask(Expansion(n - 1))
        tree.add(Step(n, n - 1, program, evaluation, number, tags=tuple("abc"[:n])))
        tree.close(number)
        if evaluation.reward > tree.best_speedup.value:
            tree.promote(n, Interval(*[evaluation.reward / tree.best_speedup.value] * 3))
    if profile:
        tree.annotate(len(grown), profile=profile)
    seen = observe(tree, task, tree.ask(Expansion(len(grown))), 0, Observe(), 8)
    return ProfileCritic().critique(seen, seen.step)
