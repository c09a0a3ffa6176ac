"""Description of a learned structure in words."""

from __future__ import annotations

from maxcode.fuzz.facts import Facts, length_key
from maxcode.fuzz.structure import LENGTH, Block, Count, Items, Record, Row, Slot
from maxcode.fuzz.values import Numbers, Records, Shape, Values, Words

_NAMES = "nmkabcdefghijlopqrstuvwxyz"
_MAX_SHOWN = 12  # kinds of lines, and choices


class Description:
    """One line of text for each line of input, blocks indented; ``names`` are those of slots."""

    def __init__(self, items: Items, facts: Facts) -> None:
        self._facts = facts
        self.names: dict[int, str] = {}
        self.text = "\n".join(self._lines(items, "")) or "nothing"

    def _lines(self, items: Items, indent: str) -> list[str]:
        lines: list[str] = []
        for item in items:
            if isinstance(item, Block):
                times = "lines" if item.columns or item.record else "times"
                head = f"{self._count(item.times)} {times}" if item.times else "up to the end"
                if item.last is not None:
                    head = f"up to a line {item.last!r}"
                if known := self._facts.values.get(item.key):
                    head += f" ({_range(known)} {times})" if isinstance(known, Numbers) else ""
                table = self._facts.tables.get(item.key)
                head += f", a {table.graph}'s edges" if table and table.graph else ""
                head += ", no row twice" if table and table.distinct else ""
                lines.append(f"{indent}{head}:")
                lines += self._lines(item.items, indent + "  ")
            elif isinstance(item, Record):
                lines += [indent + line for line in self._record(self._facts.values.get(item.key))]
            elif not item.parts:
                lines.append(f"{indent}a blank line")
            else:
                lines.append(indent + ", ".join(map(self._part, item.parts)))
        return lines

    def _part(self, part: Slot | Row) -> str:
        known = self._facts.values.get(part.key)
        if isinstance(part, Slot):
            if isinstance(known, Words) and len(known.choices) == 1:
                return repr(known.choices[0])
            name = self.names[part.key] = _name(len(self.names))
            return f"{name}: {self._field(known)}"
        if part.times is None:
            number = self._facts.values.get(length_key(part))
            times = _range(number) if isinstance(number, Numbers) else "some"
        else:
            times = self._count(part.times)
        name = self.names[part.key] = _name(len(self.names))
        return f"{times} x {name}: {self._field(known)}"

    def _record(self, known: Values | None) -> list[str]:
        if not isinstance(known, Records) or not known.shapes:
            return ["a line of text"]
        lines = [self._shape(shape) for shape in known.shapes[:_MAX_SHOWN]]
        if len(known.shapes) > _MAX_SHOWN:
            lines.append(f"one of {len(known.shapes) - _MAX_SHOWN} more kinds of lines")
        ordered = " (in rising order)" if known.relations.ordered else ""
        return [f"{'or ' if number else ''}{line}{ordered}" for number, line in enumerate(lines)]

    def _shape(self, shape: Shape) -> str:
        pieces = []
        for piece in shape.pieces:
            fixed = isinstance(piece, Words) and len(piece.choices) == 1
            same = isinstance(piece, Numbers) and piece.low == piece.high
            if fixed and isinstance(piece, Words):
                pieces.append(piece.choices[0])
            elif same and isinstance(piece, Numbers):
                pieces.append(piece.text(piece.low))
            else:
                pieces.append(f"<{self._field(piece)}>")
        return shape.text(pieces)

    def _field(self, known: Values | None) -> str:
        if isinstance(known, Numbers):
            if known.choices:
                return "one of " + " ".join(map(known.text, known.choices))
            high = self._count(known.most) if known.most else known.text(known.high)
            text = f"{known.notation.name} {known.text(known.low)} to {high}"
        elif isinstance(known, Words):
            return self._words(known)
        else:
            return "text"
        order = f", {known.order}" if known.order else ""
        return text + order + (", all different" if known.distinct else "")

    def _words(self, known: Words) -> str:
        different = ", all different" if known.distinct else ""
        if known.choices:
            more = len(known.choices) - _MAX_SHOWN
            rest = f" and {more} more" if more > 0 else ""
            return "one of " + " ".join(known.choices[:_MAX_SHOWN]) + rest + different
        if known.shapes and len(known.shapes) <= 2:
            return "word like " + " or ".join(map(self._shape, known.shapes)) + different
        size = f"{known.shortest} to {known.longest}"
        if known.length is not None:
            size = self._count(known.length)
        return f"word of {size} of {known.letters[:30]!r}{different}"

    def _count(self, count: Count | None) -> str:
        if count is None:
            return "some"
        if not count.form:
            return str(count.constant)
        return count.form.format(*map(self._counting, count.of))

    def _counting(self, key: int) -> str:
        if key < LENGTH:
            return self.names.get(key, "?")
        return f"the length of {self.names.get(key - LENGTH, 'a line')}"


def _name(number: int) -> str:
    again, letter = divmod(number, len(_NAMES))
    return _NAMES[letter] + (str(again) if again else "")


def _range(known: Numbers) -> str:
    return str(known.low) if known.low == known.high else f"{known.low} to {known.high}"
