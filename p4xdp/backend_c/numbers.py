"""Numbers in the header of the control plane: host order in functions, big-endian in structs."""

from __future__ import annotations

from p4xdp.backend_c.layout import variable_type
from p4xdp.backend_c.model import Scalar


def parameter(scalar: Scalar, name: str) -> str:
    """Return the parameter of a function that is given the number."""
    if scalar.width > 64:
        return f"const __u8 {name}[{scalar.size}]"
    return f"{variable_type(scalar.width)} {name}"


def put(scalar: Scalar, member: str, value: str) -> str:
    """Return the statement that stores the parameter `value` in a member."""
    if scalar.width > 64:
        return f"memcpy({member}, {value}, {scalar.size});"
    return f"p4xdp_put({address(scalar, member)}, {scalar.size}, {_low_bits(scalar, value)});"


def _low_bits(scalar: Scalar, value: str) -> str:
    if scalar.width in (8, 16, 32, 64):
        return value
    return f"{value} & 0x{(1 << scalar.width) - 1:x}{'ULL' if scalar.width > 32 else ''}"


def address(scalar: Scalar, member: str) -> str:
    return member if scalar.is_array else f"&{member}"
