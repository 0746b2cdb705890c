"""Key fields and action data in memory: the C that stores and loads their limbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.backend_c import packet, terms
from p4xdp.backend_c.layout import limbs, variable_type
from p4xdp.backend_c.model import Scalar
from p4xdp.description import encode_scalar
from p4xdp.midend import ir
from p4xdp.midend.fold import fold
from p4xdp.records import dataclass


def pieces(scalar: Scalar) -> Iterator[tuple[int, int, int]]:
    """Return for each limb its first byte, its size in bytes and its width in bits."""
    if scalar.width <= 64:
        yield 0, scalar.size, scalar.width
        return
    byte = 0
    for width in limbs(scalar.width):
        size = (width + 7) // 8
        yield byte, size, width
        byte += size


@dataclass(frozen=True, slots=True)
class Part:
    """What one store writes of a key field: `size` bytes from byte `at` of it on, which are `width`
    bits from bit `low` on of a limb, by number; `name` is the C parameter that holds them."""

    name: str
    at: int
    size: int
    limb: int
    low: int
    width: int

    def of(self, limbs: Sequence[ir.Expr]) -> ir.Expr:
        if self.width <= 0:
            return ir.Const(0, 1)
        return fold(ir.Slice(limbs[self.limb], self.low + self.width - 1, self.low))


def parts(scalar: Scalar) -> list[Part]:
    """Return the stores that bring a field into a key.

    The verifier wants stores to the stack aligned: a limb that is not goes in by parts.
    """
    cut = [
        (at - scalar.offset, part, number, (byte + size + scalar.offset - at - part) * 8, width)
        for number, (byte, size, width) in enumerate(pieces(scalar))
        for at, part in _aligned(scalar.offset + byte, size)
    ]
    name = scalar.c_name
    names = [name] if len(cut) == 1 else [f"{name}_{number}" for number in range(len(cut))]
    return [
        Part(name, at, size, limb, low, min(width - low, size * 8))
        for name, (at, size, limb, low, width) in zip(names, cut, strict=True)
    ]


def parameters(scalar: Scalar) -> list[tuple[str, str]]:
    """Return type and name of the C parameters that hold the parts."""
    return [(variable_type(part.size * 8), part.name) for part in parts(scalar)]


def stores(scalar: Scalar, struct: str) -> list[str]:
    """Return statements that store the parameters; `struct` ends in `.` or `->`."""
    address = scalar.address_in(struct)
    return [
        f"p4xdp_store{part.size * 8}({packet.address(address, part.at)}, {part.name});"
        for part in parts(scalar)
    ]


def _aligned(at: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut `size` bytes at offset `at` into parts that one `p4xdp_store` may write."""
    while size:
        part = size
        while at % _widest_store(part):
            part = _widest_store(part) // 2
        yield at, part
        at, size = at + part, size - part


def _widest_store(size: int) -> int:
    """Return the bytes of the first store that `p4xdp_store` of `size` bytes consists of."""
    return 1 << (size.bit_length() - 1)


def loads(scalar: Scalar, struct: str) -> list[str]:
    """Return expressions for the limbs of the member; `struct` ends in `.` or `->`."""
    address = scalar.address_in(struct)
    return [
        terms.masked(
            terms.call(f"p4xdp_load{size * 8}", size * 8, [packet.address(address, byte)]), width
        ).text
        for byte, size, width in pieces(scalar)
    ]


def addresses(scalar: Scalar, struct: str) -> list[str]:
    """Return for each limb of the member the address of its highest byte that its width needs."""
    address = scalar.address_in(struct)
    return [
        packet.address(address if scalar.is_array else f"(void *){address}", first)
        if (first := byte + size - (width + 7) // 8)
        else address
        for byte, size, width in pieces(scalar)
    ]


def initializer(scalar: Scalar, value: int) -> str:
    """Return the C initializer of a member that holds `value`."""
    if scalar.is_array:
        return f"{{ {', '.join(f'0x{b:02x}' for b in encode_scalar(value, scalar.width))} }}"
    if scalar.size == 1 or value == 0:
        return terms.literal(value)
    return f"p4xdp_swap{scalar.size * 8}({terms.literal(value)})"
