"""Warnings: a typed program without errors comes in, diagnostics go out.

Every warning has a name, its code, that `-W`, `-Wno-`, `-Werror` and `@noWarn` take; `policy`
decides what becomes of it. Each kind is found by a module of its own.
"""

from p4xdp.frontend.warnings.run import warn

__all__ = ["warn"]
