"""Types as text: templates, aliases, and what kind of value a type holds."""

import re

INTEGERS = frozenset(
    {
        "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned",
        "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "size_t",
        "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
        "long int", "long long int", "ptrdiff_t", "short int",
    }
)  # fmt: skip
FLOATS = frozenset({"float", "double", "long double"})
ARITHMETIC = INTEGERS | FLOATS | {"bool"}


def plain(text: str) -> str:
    """Return a type's text without `std::` and cv-qualifiers, single-spaced."""
    text = re.sub(r"\b(const|volatile|static|constexpr|typename)\b|\bstd\s*::", " ", text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s*([<>,:*&])\s*", r"\1", text)


def template(text: str) -> tuple[str, list[str]] | None:
    """Split `map<int, vector<int>>` into its name and its arguments; None for other types."""
    text = plain(text)
    opening = text.find("<")
    if opening <= 0 or not text.endswith(">"):
        return None
    parts, depth, start = [], 0, opening + 1
    for position in range(opening, len(text)):
        character = text[position]
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
        if (character == "," and depth == 1) or depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
            if depth == 0 and start < len(text):
                return None  # such as vector<int>::iterator
    return text[:opening], parts
