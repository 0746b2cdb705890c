"""Key fields and action data in memory: the C that stores and loads their limbs."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.backend_c import packet, terms
from p4xdp.backend_c.layout import limbs, variable_type
from p4xdp.backend_c.model import Scalar
from p4xdp.description import encode_scalar


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


def parameters(scalar: Scalar) -> list[tuple[str, str]]:
    """Return type and name of the C parameters that hold the limbs."""
    widths = limbs(scalar.width)
    if len(widths) == 1:
        return [(variable_type(scalar.width), scalar.c_name)]
    return [(variable_type(w), f"{scalar.c_name}_{i}") for i, w in enumerate(widths)]


def stores(scalar: Scalar, struct: str) -> list[str]:
    """Return statements that store the parameters; `struct` ends in `.` or `->`.

    The verifier wants stores to the stack aligned: a limb that is not goes in by parts.
    """
    address = scalar.address_in(struct)
    lines: list[str] = []
    for (byte, size, _), (_, name) in zip(pieces(scalar), parameters(scalar), strict=True):
        for at, part in _aligned(scalar.offset + byte, size):
            first = at - scalar.offset
            shift = (byte + size - first - part) * 8
            value = f"{name} >> {shift}" if shift else name
            lines.append(f"p4xdp_store{part * 8}({packet.address(address, first)}, {value});")
    return lines


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
