"""Description of a learned structure in words."""

from __future__ import annotations

from maxcode.fuzz.facts import Facts, Path
from maxcode.fuzz.structure import LENGTH, Block, Count, Items, Record, Row, Slot, length_key
from maxcode.fuzz.values import Numbers, Records, Shape, Values, Words

_NAMES = "nmkabcdefghijlopqrstuvwxyz"
_MAX_SHOWN = 12  # kinds of lines, and choices


class Description:
    """One line of text for each line of input, blocks indented; ``names`` are those of slots."""

    def __init__(self, items: Items, facts: Facts) -> None:
        self._facts = facts
        self.names: dict[Path, str] = {}
        self.text = "\n".join(self._lines(items, "")) or "nothing"

    def _lines(self, items: Items, indent: str) -> list[str]:
        lines: list[str] = []
        for item in items:
            if isinstance(item, Block):
                lines.append(f"{indent}{self._head(item)}:")
                lines += self._lines(item.items, indent + "  ")
            elif isinstance(item, Record):
                known = self._facts.get(item.key)
                lines += [indent + line for line in self._record(item.key, known)]
            else:
                lines.append(indent + (", ".join(map(self._part, item.parts)) or "a blank line"))
        return lines

    def _head(self, block: Block) -> str:
        times = "lines" if block.record else "times"
        head = f"{self._count(block.times)} {times}" if block.times else "up to the end"
        if block.last is not None:
            head = f"up to a line {block.last!r}"
        if isinstance(known := self._facts.get(length_key(block)), Numbers):
            head += f" ({_range(known)} {times})"
        rows = self._facts.get(block.record.key) if block.record else None
        if isinstance(rows, Records):
            graph = rows.relations.graph
            head += f", a {graph.kind}'s edges" if graph else ""
            head += ", no row twice" if rows.relations.distinct else ""
        return head

    def _part(self, part: Slot | Row) -> str:
        known = self._facts.get(part.key)
        if isinstance(part, Slot):
            return self._named((part.key,), known)
        if part.times is None:
            number = self._facts.get(length_key(part))
            times = _range(number) if isinstance(number, Numbers) else "some"
        else:
            times = self._count(part.times)
        return f"{times} x {self._named((part.key,), known)}"

    def _named(self, path: Path, known: Values | None) -> str:
        if isinstance(known, Words) and len(known.choices) == 1:
            return repr(known.choices[0])
        name = self.names[path] = _name(len(self.names))
        return f"{name}: {self._field(known)}"

    def _record(self, key: int, known: Values | None) -> list[str]:
        if not isinstance(known, Records) or not known.shapes:
            return ["a line of text"]
        if known.table:
            pieces = enumerate(known.shapes[0].pieces)
            return [", ".join(self._named((key, place), piece) for place, piece in pieces)]
        lines = [self._shape(shape) for shape in known.shapes[:_MAX_SHOWN]]
        if len(known.shapes) > _MAX_SHOWN:
            lines.append(f"one of {len(known.shapes) - _MAX_SHOWN} more kinds of lines")
        return [f"{'or ' if number else ''}{line}" for number, line in enumerate(lines)]

    def _shape(self, shape: Shape) -> str:
        pieces = []
        for piece in shape.pieces:
            if isinstance(piece, Words) and len(piece.choices) == 1:
                pieces.append(piece.choices[0])
            elif isinstance(piece, Numbers) and piece.low == piece.high:
                pieces.append(piece.text(piece.low))
            else:
                pieces.append(f"<{self._field(piece)}>")
        return shape.text(pieces)

    def _field(self, known: Values | None) -> str:
        if isinstance(known, Words):
            return self._words(known)
        if not isinstance(known, Numbers):
            return "text"
        if known.choices:
            return "one of " + " ".join(map(known.text, known.choices))
        high = self._count(known.most) if known.most else known.text(known.high)
        order = f", {known.order}" if known.order else ""
        text = f"{known.notation.name} {known.text(known.low)} to {high}{order}"
        return text + (", all different" if known.distinct else "")

    def _words(self, known: Words) -> str:
        different = ", all different" if known.distinct else ""
        if known.choices:
            more = len(known.choices) - _MAX_SHOWN
            rest = f" and {more} more" if more > 0 else ""
            return "one of " + " ".join(known.choices[:_MAX_SHOWN]) + rest + different
        if known.shapes and len(known.shapes) <= 2:
            return "word like " + " or ".join(map(self._shape, known.shapes)) + different
        any_size = f"{known.shortest} to {known.longest}"
        size = self._count(known.length) if known.length else any_size
        return f"word of {size} of {known.letters[:30]!r}{different}"

    def _count(self, count: Count | None) -> str:
        if count is None:
            return "some"
        if count.of is None:
            return str(count.plus)
        name = self.names.get((count.of,), "?")
        if count.of >= LENGTH:
            name = f"the length of {self.names.get((count.of - LENGTH,), 'a line')}"
        return f"{name} {'-' if count.plus < 0 else '+'} {abs(count.plus)}" if count.plus else name


def _name(number: int) -> str:
    again, letter = divmod(number, len(_NAMES))
    return _NAMES[letter] + (str(again) if again else "")


def _range(known: Numbers) -> str:
    return str(known.low) if known.low == known.high else f"{known.low} to {known.high}"
