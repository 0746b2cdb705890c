"""Elaboration: the typed program in, the flat IR out.

`main` is evaluated, every instance is made, and all of P4's calls are inlined: after this stage
there are only scalars, a parser graph without cycles, tables, and two lists of statements.
"""

from p4xdp.frontend.elaborate.program import elaborate

__all__ = ["elaborate"]
