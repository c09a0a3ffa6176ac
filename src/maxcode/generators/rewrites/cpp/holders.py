"""The variables and functions of a file that a type of container goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from maxcode.generators.rewrites.cpp.names import Variable, template
from maxcode.generators.rewrites.cpp.tree import Edit, Node

if TYPE_CHECKING:
    from maxcode.generators.rewrites.cpp.source import CppSource


def holders(source: CppSource, *names: str) -> Iterator[tuple[str, Sequence[str], Holders]]:
    """Yield each type made of these templates: its name, its arguments and its holders."""
    if source.standard(*names, "string"):
        for text in source.types(*names):
            name, inner = template(text)
            yield name, inner, Holders(source, text)


class Holders:
    """The variables that hold a type of container; the type is renamed wherever the file names it.

    Where it is named otherwise than as the type of a variable, a parameter or a result, as in other
    types, the container is not followed.
    """

    def __init__(self, source: CppSource, text: str) -> None:
        self._source, self._text = source, text
        self._nodes = [
            node
            for node in source.walk("template_type", "template_function", "type_identifier")
            if source.expand(node.text) == text
        ]
        self.variables = [v for v in source.variables if source.expand(v.type) == text]
        self._makers = [f for f in source.functions if source.expand(f.return_type) == text]

    def renamed(self, name: str) -> list[Edit]:
        """The edits that give the template another name; its arguments stay."""
        templates = [node for node in self._nodes if node.type == "template_type"]
        return [self._source.rename(node, name) for node in templates]

    def all_uses(self, allowed: Callable[[Variable, Node], bool]) -> bool:
        """Say whether every use is allowed or hands the container from a holder to another."""
        source = self._source
        calls = (
            node.parent
            for node in source.walk("identifier")
            if any(node.text == maker.name for maker in self._makers) and node.is_called
        )
        return (
            all(map(_declares, self._nodes))
            and all(map(_is_plain, self.variables))
            and all(map(self._hands_over, calls))
            and all(
                self._hands_over(use) or allowed(variable, use)
                for variable in self.variables
                for use in source.uses(variable)
            )
        )

    def is_held(self, node: Node) -> bool:
        """Say whether an expression is a container of this type."""
        if node.type == "call_expression":
            return self._source.function(node["function"].text) in self._makers
        return self._source.resolve(node) in self.variables

    def _hands_over(self, node: Node) -> bool:
        """Say whether a container goes from an expression to a variable or function of its type."""
        above = node.parent
        match above.type:
            case "init_declarator":
                return any(v.node is above["declarator"] for v in self.variables)
            case "assignment_expression":
                within = above.operator == "=" and above.parent.type == "expression_statement"
                return within and self.is_held(above["left"]) and self.is_held(above["right"])
            case "return_statement":
                inside = node.enclosing("function_definition", "lambda_expression")
                return any(maker.node is inside for maker in self._makers)
            case "argument_list":
                function = self._source.function(above.parent["function"].text)
                place = above.parts.index(node)
                taken = function.parameters if function else ()
                return place < len(taken) and taken[place] in self.variables
        return False


def _declares(node: Node) -> bool:
    """Say whether a type stands as that of a variable, a parameter or a result, or has an alias."""
    top = node.parent if node.parent.type == "qualified_identifier" else node
    above = top.parent
    if above.type == "type_descriptor":
        return above.parent.type == "alias_declaration"
    if above.type in ("alias_declaration", "type_definition"):
        return True
    named = ("declaration", "parameter_declaration", "function_definition")
    return top.field == "type" and above.type in named


def _is_plain(variable: Variable) -> bool:
    if variable.kind == "parameter":
        return variable.form in ("", "&") and not variable.value
    outside = variable.kind == "global" and variable.scope.type == "translation_unit"
    return (variable.kind == "local" or outside) and not variable.form
