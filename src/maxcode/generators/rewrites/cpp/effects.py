"""What a piece of code may change, judged from its syntax and the names that it uses."""

from tree_sitter import Node

from maxcode.generators.rewrites.cpp.names import Function, Names, Variable
from maxcode.generators.rewrites.cpp.tree import SyntaxTree, arguments, contains

# Functions without effects whose result depends on their arguments alone.
PURE_FUNCTIONS = frozenset(
    {
        "abs", "fabs", "sqrt", "sqrtl", "pow", "exp", "log", "log2", "log10", "sin", "cos", "tan",
        "atan", "atan2", "hypot", "floor", "ceil", "round", "min", "max", "gcd", "__gcd", "lcm",
        "strlen", "strcmp", "to_string", "stoi", "stol", "stoll", "stod", "isalpha", "isdigit",
        "isspace", "isupper", "islower", "isalnum", "ispunct", "tolower", "toupper", "make_pair",
        "accumulate", "count", "count_if", "max_element", "min_element", "lower_bound",
        "upper_bound", "binary_search", "find", "find_if", "all_of", "any_of", "none_of", "cbrt",
        "distance", "size", "make_tuple", "is_sorted", "equal", "llabs", "labs", "trunc", "fmod",
        "squared", "cubed",
        "whole_power",
    }
)  # fmt: skip
# Member functions that leave their object as it is.
CONST_METHODS = frozenset(
    {
        "size", "length", "empty", "count", "find", "rfind", "substr", "c_str", "compare", "end",
        "cend", "cbegin", "rend", "crbegin", "crend", "capacity", "contains", "lower_bound",
        "upper_bound", "equal_range", "str", "find_first_of", "find_last_of", "find_first_not_of",
        "starts_with", "ends_with", "top", "test", "good", "eof", "max_size", "get",
    }
)  # fmt: skip
# Member functions that give access to an element or a place, which may then be written to.
ACCESSORS = frozenset({"at", "front", "back", "begin", "rbegin", "data"})
_ACCESSES = (
    "subscript_expression",
    "field_expression",
    "pointer_expression",
    "parenthesized_expression",
    "conditional_expression",
)
_INPUT_OUTPUT = frozenset(
    {
        "cin", "cout", "cerr", "clog", "printf", "scanf", "puts", "gets", "getchar", "putchar",
        "getline", "fread", "fwrite", "fgets", "fputs", "rand", "srand", "time", "clock", "exit",
        "random_device", "mt19937", "fprintf", "fscanf", "abort",
    }
)  # fmt: skip

# Functions that change their arguments, which are judged as uses of those, and nothing else.
_LOCAL_EFFECT = frozenset({"swap", "sort", "reverse", "string", "vector", "int", "double"})


class Effects:
    """Answers about one file; where the syntax does not tell, a change is assumed."""

    def __init__(self, tree: SyntaxTree, names: Names) -> None:
        self._tree = tree
        self._names = names
        self._functions: dict[str, list[Function]] = {}
        for function in names.functions:
            self._functions.setdefault(function.name, []).append(function)

    def writes(self, variable: Variable, within: Node) -> bool:
        """Say whether code in `within` may change a variable or what it holds."""
        return any(
            contains(within, use) and self.is_write(use) for use in self._names.uses(variable)
        )

    def reshapes(self, variable: Variable, within: Node) -> bool:
        """Say whether code in `within` may change more of a variable than its elements."""
        return any(
            contains(within, use) and self.is_write(use, elements=False)
            for use in self._names.uses(variable)
        )

    def invariant(self, expression: Node, loop: Node) -> bool:
        """Say whether an expression has one value all through a loop, and no effect."""
        for node in self._tree.walk(
            "identifier", "call_expression", "assignment_expression", "update_expression",
            "lambda_expression", "new_expression", within=expression,
        ):  # fmt: skip
            if node.type == "call_expression":
                if not self.pure_call(node):
                    return False
            elif node.type != "identifier" or not self._stays(node, loop):
                return False
        return True

    def _stays(self, identifier: Node, loop: Node) -> bool:
        variable = self._names.resolve(identifier)
        if variable is None:
            return True  # a function, a namespace, a macro
        if contains(loop, variable.node) or variable.kind == "member":
            return False
        if variable.kind == "global" and not variable.const and self._calls_writer(variable, loop):
            return False
        changes = self.reshapes if self._only_length_matters(identifier) else self.writes
        return not changes(variable, loop)

    def _only_length_matters(self, identifier: Node) -> bool:
        above = self._tree.parent(identifier)
        if above is None:
            return False
        if above.type == "field_expression":
            return self._called_method(above) in ("size", "length", "empty")
        call = self._tree.parent(above)
        return (
            call is not None
            and call.type == "call_expression"
            and self._tree.of(call.child_by_field_name("function")).endswith("strlen")
        )

    def _calls_writer(self, variable: Variable, loop: Node) -> bool:
        for call in self._tree.walk("call_expression", within=loop):
            name = self._tree.of(call.child_by_field_name("function"))
            if any(self.writes(variable, f.node) for f in self._functions.get(name, ())):
                return True
        return False

    def pure_call(self, call: Node) -> bool:
        """Say whether a call changes nothing and depends on nothing but its arguments."""
        callee = call.child_by_field_name("function")
        if callee is None:
            return False
        if callee.type == "field_expression":
            return self._tree.of(callee.child_by_field_name("field")) in CONST_METHODS
        if callee.type == "template_function":
            callee = callee.child_by_field_name("name") or callee
        name = self._tree.of(callee).removeprefix("std::")
        defined = self._functions.get(name)
        if defined:
            return all(self.pure(function) for function in defined)
        return name in PURE_FUNCTIONS or callee.type == "primitive_type"

    def pure(self, function: Function, trail: frozenset[str] = frozenset()) -> bool:
        """Say whether a function has no effect beyond its result."""
        if function.name in trail:
            return True  # being judged already
        keeps_state = any(
            self._tree.of(node) in ("static", "new", "delete")
            for node in self._tree.walk(
                "storage_class_specifier", "new", "delete", within=function.body
            )
        )
        return (
            not keeps_state
            and not any(self._writes_through(p, function) for p in function.parameters)
            and not any(
                self._touches_outside(node, function)
                for node in self._tree.walk("identifier", within=function.body)
            )
            and all(
                self._harmless(call, trail | {function.name})
                for call in self._tree.walk("call_expression", within=function.body)
            )
        )

    def _writes_through(self, parameter: Variable, function: Function) -> bool:
        if parameter.form == "&":
            return self.writes(parameter, function.body)
        return parameter.form.startswith(("*", "[]")) and not parameter.const

    def _touches_outside(self, identifier: Node, function: Function) -> bool:
        if self._tree.of(identifier) in _INPUT_OUTPUT:
            return True
        variable = self._names.resolve(identifier)
        return (
            variable is not None
            and not contains(function.node, variable.node)
            and self.is_write(identifier)
        )

    def _harmless(self, call: Node, trail: frozenset[str]) -> bool:
        callee = call.child_by_field_name("function")
        if callee is None:
            return False
        if callee.type in ("field_expression", "template_function"):
            return True  # changes at most its object, judged as a use of it; or a constructor
        name = self._tree.of(callee).removeprefix("std::")
        defined = self._functions.get(name)
        if defined:
            return all(self.pure(function, trail) for function in defined)
        variable = self._names.resolve(callee)
        if variable is not None:
            return variable.kind == "local"  # a lambda, judged with the body that holds it
        return name in _LOCAL_EFFECT or name in PURE_FUNCTIONS

    def is_write(self, use: Node, *, elements: bool = True) -> bool:
        """Say whether this use of a variable may change it, or (with `elements`) a part of it."""
        current, parent = use, self._tree.parent(use)
        while parent is not None and parent.type in _ACCESSES:
            verdict = self._judge_access(parent, elements)
            if verdict is not None:
                return verdict
            called = self._called_method(parent) is not None
            current = (self._tree.parent(parent) if called else None) or parent
            parent = self._tree.parent(current)
        return parent is not None and self._writes_operand(parent, current)

    def _judge_access(self, access: Node, elements: bool) -> bool | None:
        """Say whether an access writes; None where the use of its result tells."""
        if access.type == "pointer_expression":
            operator = self._tree.of(access.child_by_field_name("operator"))
            return True if operator == "&" else None
        if access.type not in ("subscript_expression", "field_expression"):
            return None
        called = self._called_method(access)
        gives_access = called is None or called in ACCESSORS
        if called in CONST_METHODS or (gives_access and not elements):
            return False
        return None if gives_access else True

    def _called_method(self, access: Node) -> str | None:
        call = self._tree.parent(access)
        if access.type != "field_expression" or call is None or call.type != "call_expression":
            return None
        callee = call.child_by_field_name("function")
        if callee is None or callee.id != access.id:
            return None
        return self._tree.of(access.child_by_field_name("field"))

    def _writes_operand(self, parent: Node, operand: Node) -> bool:
        judges = {
            "assignment_expression": self._is_assigned,
            "binary_expression": self._is_extracted,
            "argument_list": self._passed_to_writer,
            "init_declarator": self._bound_by_reference,
            "for_range_loop": self._visited_by_reference,
        }
        judge = judges.get(parent.type)
        return parent.type == "update_expression" or (judge is not None and judge(parent, operand))

    def _is_assigned(self, assignment: Node, operand: Node) -> bool:
        return assignment.child_by_field_name("left") == operand

    def _bound_by_reference(self, declarator: Node, _: Node) -> bool:
        bound = declarator.child_by_field_name("declarator")
        declaration = self._tree.of(self._tree.parent(declarator))
        return (
            bound is not None
            and bound.type == "reference_declarator"
            and not declaration.startswith("const")
        )

    def _visited_by_reference(self, loop: Node, operand: Node) -> bool:
        declarator = loop.child_by_field_name("declarator")
        return (
            loop.child_by_field_name("right") == operand
            and declarator is not None
            and declarator.type == "reference_declarator"
            and self._loop_variable_written(loop)
        )

    def _loop_variable_written(self, loop: Node) -> bool:
        return any(
            self.writes(variable, loop)
            for variable in self._names.variables
            if variable.declaration.id == loop.id
        )

    def _is_extracted(self, operation: Node, operand: Node) -> bool:
        right = operation.child_by_field_name("right")
        operator = operation.child_by_field_name("operator")
        if self._tree.of(operator) != ">>" or right is None or right.id != operand.id:
            return False
        source = operation
        while source.type == "binary_expression":
            left = source.child_by_field_name("left")
            if left is None:
                return True
            source = left
        variable = self._names.resolve(source) if source.type == "identifier" else None
        text = self._tree.of(source)
        if variable is not None:
            return "stream" in variable.type or "Reader" in variable.type
        return text.endswith(("cin", "stdin")) or "Reader" in text or "reader" in text

    def _passed_to_writer(self, listed: Node, operand: Node) -> bool:
        call = self._tree.parent(listed)
        if call is None:
            return True
        if call.type != "call_expression":
            return False  # a constructor's arguments
        callee = call.child_by_field_name("function")
        if callee is None or callee.type in ("field_expression", "template_function"):
            return False
        name = self._tree.of(callee).removeprefix("std::")
        index = next((i for i, a in enumerate(arguments(call)) if a.id == operand.id), None)
        defined = self._functions.get(name)
        if defined and index is not None:
            return any(
                index >= len(f.parameters) or _may_write(f.parameters[index]) for f in defined
            )
        return name not in PURE_FUNCTIONS and name not in ("printf", "puts", "assert", "vector")


def _may_write(parameter: Variable) -> bool:
    return not parameter.const and parameter.form.startswith(("&", "*", "[]"))
