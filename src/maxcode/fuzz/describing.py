"""A learned structure in words."""

from __future__ import annotations

from maxcode.fuzz.fields import Facts, Integers, Reals, Words, length_key
from maxcode.fuzz.structure import Block, Cases, Count, Items, Line, Row, Slot, Text

_NAMES = "nmkabcdefghijlopqrstuvwxyz"


def describe(items: Items, facts: Facts) -> str:
    """One line of text for each line of input, blocks indented."""
    names: dict[int, str] = {}
    return "\n".join(_lines(items, facts, names, "")) or "nothing"


def _lines(items: Items, facts: Facts, names: dict[int, str], indent: str) -> list[str]:
    lines: list[str] = []
    for item in items:
        if isinstance(item, Block):
            times = "lines" if item.columns else "times"
            head = f"{_count(item.times, names)} {times}" if item.times else "up to the end"
            if item.last is not None:
                head = f"up to a line {item.last!r}"
            table = facts.tables.get(item.key)
            extra = f", a {table.graph}'s edges" if table and table.graph else ""
            extra += ", no row twice" if table and table.distinct else ""
            lines.append(f"{indent}{head}{extra}:")
            lines += _lines(item.items, facts, names, indent + "  ")
        elif isinstance(item, Text):
            lines.append(f"{indent}a line of text")
        elif isinstance(item, Cases):
            for tag, slots in item.slots:
                parts = [repr(tag), *(_field(slot.key, facts, names) for slot in slots)]
                lines.append(f"{indent}or {', '.join(parts)}")
        elif not item.parts:
            lines.append(f"{indent}a blank line")
        else:
            lines.append(indent + ", ".join(_part(part, facts, names) for part in _all(item)))
    return lines


def _all(line: Line) -> tuple[Slot | Row, ...]:
    return line.parts


def _part(part: Slot | Row, facts: Facts, names: dict[int, str]) -> str:
    field = _field(part.key, facts, names)
    if isinstance(part, Slot):
        name = names[part.key] = _NAMES[len(names) % len(_NAMES)]
        return f"{name}: {field}"
    if part.times is None:
        known = facts.values.get(length_key(part))
        number = f"{known.low} to {known.high}" if isinstance(known, Integers) else "some"
    else:
        number = _count(part.times, names)
    return f"{number} x {field}"


def _field(key: int, facts: Facts, names: dict[int, str]) -> str:
    known = facts.values.get(key)
    if isinstance(known, Integers):
        if known.permutation is not None:
            return f"each number from {known.permutation} on once"
        high = _count(known.most, names) if known.most else known.high
        text = f"integer {known.low} to {high}"
    elif isinstance(known, Reals):
        text = f"real {known.low:g} to {known.high:g} with {known.decimals} decimals"
    elif isinstance(known, Words):
        if known.choices:
            return "one of " + " ".join(known.choices)
        size = f"{known.shortest} to {known.longest}" if known.length is None else ""
        size = size or _count(known.length, names)
        text = f"word of {size} of {known.letters[:30]!r}"
    else:
        return "text"
    order = f", {known.order}" if not isinstance(known, Words) and known.order else ""
    return text + order + (", all different" if known.distinct else "")


def _count(count: Count | None, names: dict[int, str]) -> str:
    if count is None:
        return "some"
    if not count.form:
        return str(count.constant)
    return count.form.format(*(names.get(key, "?") for key in count.of))
