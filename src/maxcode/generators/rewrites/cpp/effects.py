"""What a piece of code may change, judged from its syntax and the names that it uses."""

from maxcode.generators.rewrites.cpp.names import Function, Names, Variable
from maxcode.generators.rewrites.cpp.tree import Node

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
    """Answers about one file; where the syntax leaves it open, a change is assumed."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._functions: dict[str, list[Function]] = {}
        for function in names.functions:
            self._functions.setdefault(function.name, []).append(function)

    def writes(self, variable: Variable, within: Node) -> bool:
        """Say whether code in `within` may change a variable or what it holds."""
        uses = self._names.uses(variable)
        return any(within.contains(use) and self.is_write(use) for use in uses)

    def reshapes(self, variable: Variable, within: Node) -> bool:
        """Say whether code in `within` may change more of a variable than its elements."""
        uses = self._names.uses(variable)
        return any(within.contains(use) and self.is_write(use, elements=False) for use in uses)

    def writes_visited(self, loop: Node, within: Node) -> bool:
        """Say whether code in `within` may change a variable of a range-based for."""
        variables = (v for v in self._names.variables if v.declaration is loop)
        return any(self.writes(variable, within) for variable in variables)

    def invariant(self, expression: Node, loop: Node) -> bool:
        """Say whether an expression has one value all through a loop, and no effect."""
        for node in expression.walk(
            "identifier", "call_expression", "assignment_expression", "update_expression",
            "lambda_expression", "new_expression",
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
        if loop.contains(variable.node) or variable.kind == "member":
            return False
        if variable.kind == "global" and not variable.const and self._calls_writer(variable, loop):
            return False
        above, call = identifier.parent, identifier.parent.parent
        if above.type == "field_expression":
            length_only = _method(above) in ("size", "length", "empty")
        else:
            length_only = call.type == "call_expression" and call.callee.endswith("strlen")
        return not (self.reshapes if length_only else self.writes)(variable, loop)

    def _calls_writer(self, variable: Variable, loop: Node) -> bool:
        return any(
            self.writes(variable, function.node)
            for call in loop.walk("call_expression")
            for function in self._functions.get(call["function"].text, ())
        )

    def pure_call(self, call: Node) -> bool:
        """Say whether a call changes nothing and depends on nothing but its arguments."""
        callee = call["function"]
        if callee.type == "field_expression":
            return callee["field"].text in CONST_METHODS
        if callee.type == "template_function":
            callee = callee["name"] or callee
        name = callee.text.removeprefix("std::")
        if defined := self._functions.get(name):
            return all(self.pure(function) for function in defined)
        return name in PURE_FUNCTIONS or callee.type == "primitive_type"

    def pure(self, function: Function, trail: frozenset[str] = frozenset()) -> bool:
        """Say whether a function has no effect beyond its result."""
        if function.name in trail:
            return True  # being judged already
        body = function.body
        keeps_state = any(
            node.text in ("static", "new", "delete")
            for node in body.walk("storage_class_specifier", "new", "delete")
        )
        return (
            not keeps_state
            and not any(self._writes_through(p, body) for p in function.parameters)
            and not any(self._touches_outside(i, function) for i in body.walk("identifier"))
            and all(
                self._harmless(call, trail | {function.name})
                for call in body.walk("call_expression")
            )
        )

    def _writes_through(self, parameter: Variable, body: Node) -> bool:
        if parameter.form == "&":
            return self.writes(parameter, body)
        return parameter.form.startswith(("*", "[]")) and not parameter.const

    def _touches_outside(self, identifier: Node, function: Function) -> bool:
        if identifier.text in _INPUT_OUTPUT:
            return True
        variable = self._names.resolve(identifier)
        if variable is None or function.node.contains(variable.node):
            return False
        return self.is_write(identifier)

    def _harmless(self, call: Node, trail: frozenset[str]) -> bool:
        callee = call["function"]
        if not callee:
            return False
        if callee.type in ("field_expression", "template_function"):
            return True  # changes at most its object, judged as a use of it; or a constructor
        if defined := self._functions.get(call.callee):
            return all(self.pure(function, trail) for function in defined)
        variable = self._names.resolve(callee)
        if variable is not None:
            return variable.kind == "local"  # a lambda, judged with the body that holds it
        return call.callee in _LOCAL_EFFECT or call.callee in PURE_FUNCTIONS

    def is_write(self, use: Node, *, elements: bool = True) -> bool:
        """Say whether this use of a variable may change it, or (with `elements`) a part of it."""
        current, parent = use, use.parent
        while parent.type in _ACCESSES:
            if parent.type == "pointer_expression" and parent.operator == "&":
                return True
            method = _method(parent)
            if method in CONST_METHODS:
                return False
            if parent.type in ("subscript_expression", "field_expression"):
                if method and method not in ACCESSORS:
                    return True
                if not elements:
                    return False
            current = parent.parent if method else parent
            parent = current.parent
        return self._writes_operand(parent, current)

    def _writes_operand(self, parent: Node, operand: Node) -> bool:
        by_reference = parent["declarator"].type == "reference_declarator"
        match parent.type:
            case "assignment_expression":
                return parent["left"] is operand
            case "binary_expression":
                return self._is_extracted(parent, operand)
            case "argument_list":
                return self._passed_to_writer(parent, operand)
            case "init_declarator":
                return by_reference and not parent.parent.text.startswith("const")
            case "for_range_loop":
                visited = by_reference and parent["right"] is operand
                return visited and self.writes_visited(parent, parent)
        return parent.type == "update_expression"

    def _is_extracted(self, operation: Node, operand: Node) -> bool:
        if operation.operator != ">>" or operation["right"] is not operand:
            return False
        source = operation
        while source.type == "binary_expression":
            source = source["left"]
        variable = self._names.resolve(source) if source.type == "identifier" else None
        if variable is not None:
            return "stream" in variable.type or "Reader" in variable.type
        text = source.text
        return text.endswith(("cin", "stdin")) or "Reader" in text or "reader" in text

    def _passed_to_writer(self, listed: Node, operand: Node) -> bool:
        call, callee = listed.parent, listed.parent["function"]
        if call.type != "call_expression":
            return False  # a constructor's arguments
        if callee.type in ("", "field_expression", "template_function"):
            return False
        given = call.arguments
        defined = self._functions.get(call.callee)
        if defined and operand in given:
            index = given.index(operand)
            return any(
                index >= len(f.parameters) or _may_write(f.parameters[index]) for f in defined
            )
        return call.callee not in PURE_FUNCTIONS | {"printf", "puts", "assert", "vector"}


def _method(access: Node) -> str:
    """The member function that is called by an access, "" for another access."""
    called = access.type == "field_expression" and access.is_called
    return access["field"].text if called else ""


def _may_write(parameter: Variable) -> bool:
    return not parameter.const and parameter.form.startswith(("&", "*", "[]"))
