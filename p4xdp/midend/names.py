"""What expressions depend on, by name: variables, packet pointers, the bytes of the packet."""

from __future__ import annotations

from p4xdp.midend.ir import Expr, Header, Load, Var
from p4xdp.midend.rewrite import operands

PACKET = "@packet"
"""Stands for the packet's bytes."""


def pointer_name(pointer: str) -> str:
    """Return the name under which a packet pointer counts among variables."""
    return f"@{pointer}"


def names_read(expr: Expr) -> list[str]:
    """Return the names that the value of an expression depends on."""
    names = []
    pending = [expr]
    while pending:
        match pending.pop():
            case Var(name=name):
                names.append(name)
            case Load(pointer=pointer):
                names += [pointer_name(pointer), PACKET]
            case node:
                pending.extend(reversed(operands(node)))
    return names


def header_names(header: Header) -> list[str]:
    """Return the names of the variables that hold a header."""
    return [header.valid.name, *(var.name for var in contents(header))]


def contents(header: Header) -> list[Var]:
    """Return the variables that hold what a valid header is: fields, and a size if it varies."""
    size = [header.size] if header.size is not None else []
    return [*size, *(item.var for item in header.fields)]
