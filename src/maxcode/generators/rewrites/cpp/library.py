"""Effects of standard library functions, by their names."""

# They change nothing, throw nothing, and their results depend on their arguments alone.
VALUE_FUNCTIONS = frozenset(
    {
        "abs", "fabs", "sqrt", "sqrtl", "cbrt", "pow", "powl", "exp", "log", "log2", "log10", "sin",
        "cos", "tan", "atan", "atan2", "hypot", "floor", "ceil", "round", "trunc", "fmod", "llabs",
        "labs", "min", "max", "gcd", "__gcd", "lcm", "to_string", "isalpha", "isdigit", "isspace",
        "isupper", "islower", "isalnum", "ispunct", "tolower", "toupper", "make_pair", "make_tuple",
        "accumulate", "count", "binary_search", "distance", "is_sorted", "equal", "strlen", "find",
        "max_element", "min_element", "lower_bound", "upper_bound",
    }
)  # fmt: skip
# They change their arguments and nothing else, and keep none of them.
CHANGERS = frozenset(
    {
        "swap", "sort", "stable_sort", "reverse", "fill", "iota", "unique",
        "next_permutation", "rotate", "nth_element", "partial_sum",
    }
)  # fmt: skip
PRINTERS = frozenset({"cout", "endl", "fixed", "setprecision", "setw"})
# Class templates whose values are copied and compared by the library's code alone.
CONTAINERS = frozenset(
    {
        "vector", "deque", "array", "pair", "tuple", "map", "set", "multimap", "multiset", "list",
        "queue", "stack", "priority_queue", "bitset", "unordered_map", "unordered_set",
        "unordered_multimap", "unordered_multiset", "less", "greater", "DenseMap", "DenseSet",
        "FlatGrid",
    }
)  # fmt: skip
# Member functions of strings and containers that change nothing and give a value.
VALUE_METHODS = frozenset(
    {
        "size", "length", "empty", "count", "substr", "compare", "capacity", "contains", "rfind",
        "find_first_of", "find_last_of", "find_first_not_of", "starts_with", "ends_with", "test",
        "max_size", "none", "any", "all",
    }
)  # fmt: skip
# Member functions that give an element, and those that give a place of one.
ELEMENTS = frozenset({"at", "front", "back", "top"})
ITERATORS = frozenset(
    {
        "begin", "end", "cbegin", "cend", "rbegin", "rend", "crbegin", "crend", "find",
        "lower_bound", "upper_bound", "equal_range", "data", "c_str",
    }
)  # fmt: skip
