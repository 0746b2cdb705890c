"""What an architecture asks of its programs beyond the language: a typed program goes in, errors
come out. Which architecture it is, the package of `main` tells."""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.architecture_rules import learning, mirroring, tied_objects

Rule = Callable[[typed.TypedProgram, Diagnostics], None]

RULES: dict[str, tuple[Rule, ...]] = {
    "V1Switch": (tied_objects.V1MODEL,),
    "PSA_Switch": (tied_objects.PSA,),
    "PNA_NIC": (tied_objects.PNA, learning.check, mirroring.check),
}


def check_architecture(program: typed.TypedProgram, diagnostics: Diagnostics) -> None:
    """Note what the architecture of the program does not allow."""
    if program.main is not None:
        for rule in RULES.get(program.main.target.name.partition("<")[0], ()):
            rule(program, diagnostics)
