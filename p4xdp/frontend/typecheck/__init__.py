"""The type checker: a syntax tree comes in, a typed program or the list of its errors goes out."""

from p4xdp.frontend.typecheck.program import check

__all__ = ["check"]
