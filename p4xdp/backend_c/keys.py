"""Keys of hashes and ternary tables as 64-bit words, built where the table is applied.

Key expressions go in, C for each word comes out. Bytes that stand in the packet are copied as they
are: neighbours in one access, and without a swap to a number and back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from p4xdp.backend_c import cexpr, packet, scalars, terms
from p4xdp.backend_c.cexpr import Env
from p4xdp.backend_c.model import Scalar, Table
from p4xdp.midend import ir
from p4xdp.records import dataclass, replace

WORD = 8


@dataclass(frozen=True, slots=True)
class _Part:
    """`size` bytes at offset `at` of the key: those of `value` that end `rest` bytes before its
    last, or, with a `pointer`, those `start` bytes behind it, which `room` bytes more follow."""

    at: int
    size: int
    value: ir.Expr
    rest: int = 0
    pointer: str | None = None
    start: int = 0
    room: int = 0

    @property
    def end(self) -> int:
        return self.at + self.size


def count(table: Table) -> int:
    return table.key.size // WORD


def words(table: Table, keys: Sequence[ir.Expr], env: Env) -> list[str]:
    """Return an expression for each word of the key, padding included."""
    wholes = sorted(_parts(table.keys, keys), key=lambda part: part.at)
    texts: list[list[str]] = [[] for _ in range(count(table))]
    for part in _joined(cut for whole in wholes for cut in _cut(whole)):
        texts[part.at // WORD].append(_text(part, env))
    return [" | ".join(text) or "0" for text in texts]


def _parts(fields: Sequence[Scalar], keys: Sequence[ir.Expr]) -> Iterator[_Part]:
    for scalar, key in zip(fields, keys, strict=True):
        for (byte, size, _), limb in zip(scalars.pieces(scalar), ir.limbs_of(key), strict=True):
            part = _Part(scalar.offset + byte, size, limb)
            match limb:
                case ir.Load(pointer=pointer, offset=offset) if _is_whole(limb, size):
                    yield replace(part, pointer=pointer, start=offset // 8)
                case ir.Slice(base=ir.Load() as load, high=high, low=low) if (
                    high == load.width - 1 and load.offset % 8 == 0 and high + 1 - low == size * 8
                ):
                    start, room = load.offset // 8, low // 8
                    yield replace(part, pointer=load.pointer, start=start, room=room)
                case _:
                    yield part


def _is_whole(load: ir.Load, size: int) -> bool:
    return load.offset % 8 == 0 and load.width == size * 8


def _cut(part: _Part) -> Iterator[_Part]:
    """Cut a part where a word ends."""
    while part.size:
        size = min(part.size, WORD - part.at % WORD)
        rest = part.size - size
        yield replace(part, size=size, rest=part.rest + rest, room=part.room + rest)
        part = replace(part, at=part.at + size, size=rest, start=part.start + size)


def _joined(parts: Iterable[_Part]) -> Iterator[_Part]:
    """Join copies of neighbouring bytes within a word."""
    before: _Part | None = None
    for part in parts:
        if before and _follows(before, part):
            before = replace(before, size=before.size + part.size, room=part.room)
            continue
        if before:
            yield before
        before = part
    if before:
        yield before


def _follows(before: _Part, part: _Part) -> bool:
    return (
        part.pointer is not None
        and part.pointer == before.pointer
        and part.start == before.start + before.size
        and part.at == before.end
        and part.at % WORD != 0
    )


def _text(part: _Part, env: Env) -> str:
    bits, at = part.size * 8, part.at % WORD
    if part.pointer is not None:
        whole = 1 << (part.size - 1).bit_length()
        function = "head" if whole - part.size in range(1, part.room + 1) else "copy"
        place = packet.address(env.pointers[part.pointer], part.start)
        return f"p4xdp_{function}{bits}({place}, {at})"
    if cexpr.is_moved(part.value, env):
        return f"p4xdp_word({cexpr.moved(part.value, env).text}, {at}, {part.size})"
    value = cexpr.render(part.value, env)
    if isinstance(part.value, ir.Const):
        value = terms.literal(part.value.value >> part.rest * 8 & ((1 << bits) - 1))
    elif part.rest:
        value = f"{cexpr.render(part.value, env, terms.Level.SHIFT)} >> {part.rest * 8}"
    return f"p4xdp_bytes{bits}({value}, {at})"
