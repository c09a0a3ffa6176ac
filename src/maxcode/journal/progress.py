"""Progress: the tree of a run, the outcomes of its candidates, and the comparisons left."""

from __future__ import annotations

from collections import Counter

from maxcode.budget import FREE
from maxcode.errors import JournalError
from maxcode.evaluation import Baseline, Evaluation, Interval, Status
from maxcode.journal.account import charge
from maxcode.journal.events import Compared, Fuzzed, ProposalRecord, Proposed, Reduced
from maxcode.journal.journal import RunLog
from maxcode.journal.open import OpenExpansion, OpenWork, Reduction
from maxcode.program import Program
from maxcode.ranking import Estimates
from maxcode.tree import ROOT, SearchTree, Step

NO_ANSWER = "no-answer"
"""The tag of a step in whose place no model answered."""

_REPEATED = 2  # undecided comparisons that are repeated at the end
_SAME = Interval(1.0, 1.0, 1.0)  # where only spaces and comments differ, nothing is measured


class Progress:
    """The tree and all that decides the next step of a search.

    ``stagnation`` counts candidates in a row with nothing new to run, ``no_answers`` expansions in
    a row of this session without an answer of a model.
    """

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._tree: SearchTree | None = None
        self._decided: set[int] = set()  # steps with a conclusive comparison
        self._failed: set[tuple[int, int]] = set()  # comparisons without a result, as pairs
        self._compared: Counter[tuple[int, int]] = Counter()  # comparisons with a result
        self._provisional: list[int] = []  # steps confirmed after a plug-in had failed
        self.returned: int | None = None  # the step returned, where it is not the best one
        self.by_status: Counter[Status] = Counter()
        self.estimates = Estimates()
        self.last_committed: tuple[Step, ...] = ()
        self.last_expansion: OpenExpansion | None = None  # of those committed
        self.answered = False  # whether there ever were proposals
        self.no_answers = 0
        self.stagnation = 0

    @property
    def tree(self) -> SearchTree:
        """The tree. Raises :class:`JournalError` before the baseline was measured."""
        if self._tree is None:
            raise JournalError(
                f"run {self._log.run_id} stopped before its baseline was measured; it has no steps"
            )
        return self._tree

    def plant(self, program: Program, baseline: Baseline, gamma: float) -> None:
        """Begin the tree with the baseline."""
        self._tree = SearchTree.planted(program, baseline, gamma)

    def begin_session(self) -> None:
        """Drop conclusions valid only for the session before."""
        self.returned, self.no_answers = None, 0
        while self._provisional:
            self.tree.forget_confirmation(self._provisional.pop())

    def to_compare(self, step: Step) -> bool:
        """Whether a step scored higher than the best, and has no conclusive comparison."""
        step = self.tree[step.id]  # which may have been found wrong
        promising = step.reward > self.tree.best_speedup.value and step.duplicate_of is None
        pair = (step.id, self.tree.best.id)
        return promising and step.id not in self._decided and pair not in self._failed

    def undecided(self) -> list[Step]:
        """Steps whose only comparison with the best left open which is faster, two at most.

        Those with the most to gain come first.
        """
        best = self.tree.best.id
        found = [
            (-known.ratio.value, step.id)
            for step in self.tree
            if step.evaluation.ok and self._compared[step.id, best] == 1
            if (known := step.standing) and known.ratio and known.undecided
            if known.against == best and step.id != best
        ]
        return [self.tree[step_id] for _, step_id in sorted(found)[:_REPEATED]]

    def propose(self, event: Proposed) -> None:
        """Note whether a model answered."""
        self.answered |= any(NO_ANSWER not in one.tags for one in event.proposals)

    def commit(self, done: OpenExpansion, work: OpenWork) -> tuple[Step, ...]:
        """Add the steps of an expansion to the tree."""
        proposals = done.proposed.proposals if done.proposed else ()
        tree, steps = self.tree, []
        for index in done.chosen:
            step = self._step(done, index, proposals[index], work)
            tree.add(step)
            steps.append(step)
            self.by_status[step.evaluation.status] += 1
            if tree.find(step.program.digest):  # only a failure of the harness is not kept
                work.evaluations.pop(step.program.digest, None)
        for step_id, profile in done.profiles.items():
            tree.annotate(step_id, profile=profile)
        for step_id, critique in done.critiques.items():
            tree.annotate(step_id, critique=critique)
        run = done.granted.run if done.granted else done.expansion.children
        tree.close(done.number, cut_short=run < done.expansion.children)
        done.evaluations = sum(step.cost.evaluations for step in steps)
        self.stagnation = 0 if done.evaluations else self.stagnation + run
        if steps:
            unanswered = all(NO_ANSWER in step.tags for step in steps)
            self.no_answers = self.no_answers + 1 if unanswered else 0
        self.estimates.note(done.expansion.parent, steps)
        self.last_committed, self.last_expansion = tuple(steps), done
        return self.last_committed

    def _step(
        self, done: OpenExpansion, index: int, proposal: ProposalRecord, work: OpenWork
    ) -> Step:
        tree = self.tree
        parent = tree[done.expansion.parent]
        digest, duplicate_of, cost = proposal.program, None, proposal.cost
        if digest is None:
            program = parent.program
            evaluation = Evaluation(Status.INVALID, feedback=proposal.problem)
        elif first := tree.find(digest):
            program, evaluation, duplicate_of = first.program, first.evaluation, first.id
        else:
            program, evaluation = self._log.program(digest), work.evaluations[digest]
            cost = charge(evaluation) if cost == FREE else cost + charge(evaluation)
        return Step(
            id=len(tree),
            parent=parent.id,
            program=program,
            evaluation=evaluation,
            expansion=done.number,
            summary=proposal.summary,
            tags=proposal.tags,
            value=done.ranked.values[index] if done.ranked and digest else None,
            duplicate_of=duplicate_of,
            cost=cost,
        )

    def replace_best(
        self, event: Reduced, reduction: Reduction, evaluation: Evaluation | None
    ) -> tuple[Step, ...]:
        """Put the reduced program of a step in its place."""
        digest, winner = event.program, self.tree[event.step]
        if evaluation is None:
            raise JournalError(f"run {self._log.run_id}: a reduced program was never judged")
        step = Step(
            id=len(self.tree),
            parent=winner.id,
            program=self._log.program(digest),
            evaluation=evaluation,
            expansion=self.tree[len(self.tree) - 1].expansion,
            summary=f"#{winner.id} reduced from {event.before} changed lines to {event.after}",
            tags=(*winner.tags, "reduced"),
            reduced_from=winner.id,
        )
        self.tree.add(step)
        alike = reduction.comparisons.get(("confirm", digest, winner.program.digest))
        against = reduction.comparisons.get(("baseline", digest, self.tree.root.program.digest))
        self.tree.promote(step.id, alike.ratio if alike and alike.ratio else _SAME)
        if against is not None:
            self.tree.confirm(step.id, against)
        if digest in reduction.fuzzed:
            self.tree.fuzz(step.id, reduction.fuzzed[digest])
        self._decided.add(step.id)
        self.by_status[step.evaluation.status] += 1
        return (step,)

    def compare(self, event: Compared) -> None:
        """Promote, confirm or demote by a comparison."""
        tree, step, ratio = self.tree, event.step, event.comparison.ratio
        if event.provisional:
            if ratio is not None:
                tree.confirm(step, event.comparison)
                self._provisional.append(step)
            return
        tree.compare(step, event.against, event.comparison)
        if ratio is not None:
            self._decided.add(step)
            self._compared[step, event.against] += 1
        else:  # whose fault it was will show: against another it may be compared again
            self._failed.add((step, event.against))
        if event.promoted and ratio is not None:
            tree.promote(step, ratio)
        elif event.against == ROOT and step == self.returned:
            if ratio is not None:
                tree.confirm(step, event.comparison)
            else:  # what fails when it is measured again is not returned
                self.returned = ROOT
        elif event.against == ROOT and step == tree.best.id:
            if ratio is not None:
                tree.confirm(step, event.comparison)
            if ratio is None or ratio.low <= 1:  # the one before did beat the baseline
                tree.demote()
                self.last_committed = ()  # the end of the search looks at all steps again

    def fuzz(self, event: Fuzzed) -> None:
        """Note the findings on further inputs; a step found wrong there is no best any more."""
        best = self.tree.best.id
        for step in self.tree.fuzz(event.step, event.result):
            self.by_status[step.evaluation.status] -= 1
            self.by_status[Status.WRONG_ANSWER] += 1
        if self.tree.best.id != best:
            self.last_committed = ()  # as after a demotion
