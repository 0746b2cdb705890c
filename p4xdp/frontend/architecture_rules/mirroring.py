"""PNA's `mirror_packet`: in the main control only, with numbers that no packet changes."""

from __future__ import annotations

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.warnings.walk import code

MIRROR = "mirror_packet"
MAIN_CONTROL = 2
"""The place of the main control among the arguments of `PNA_NIC`."""


def check(program: typed.TypedProgram, diagnostics: Diagnostics) -> None:
    if program.main is None:
        return
    for place, argument in enumerate(program.main.arguments):
        block = _control(argument)
        for call in _mirrors(block) if block else ():
            if place != MAIN_CONTROL:
                text = f"`{MIRROR}` cannot be called in `{block.name}`" if block else ""
                help = "call it in the main control"
                diagnostics.error("not-allowed-here", call.span, text, help=help)
            else:
                _check_numbers(call, diagnostics)


def _control(argument: typed.Expression | None) -> typed.Control | None:
    match argument:
        case typed.Construct(target=typed.Control() as block):
            return block
        case typed.Ref(declaration=typed.Instance(target=typed.Control() as block)):
            return block
        case _:
            return None


def _mirrors(block: typed.Control) -> list[typed.Call]:
    return [
        node
        for node in code(block)
        if isinstance(node, typed.Call)
        and isinstance(node.callee, typed.ExternFunctionCallee)
        and node.callee.function.name == MIRROR
    ]


def _check_numbers(call: typed.Call, diagnostics: Diagnostics) -> None:
    numbers = [_number(argument) for argument in call.arguments]
    for argument, number in zip(call.arguments, numbers, strict=True):
        if argument is not None and number is None and not _is_action_data(argument):
            text = f"an argument of `{MIRROR}` must be a constant or action data"
            diagnostics.error("not-constant", argument.span, text)
            return
    if numbers and numbers[-1] == 0:
        text = "mirror session 0 belongs to the architecture"
        help = "choose a session from 1 on"
        diagnostics.error("bad-argument", call.span, text, help=help)


def _number(argument: typed.Expression | None) -> int | None:
    match argument:
        case typed.Literal(value=int(number)):
            return number
        case typed.Cast(operand=operand):
            return _number(operand)
        case typed.Ref(declaration=typed.Constant(value=value)):
            return _number(value)
        case _:
            return None


def _is_action_data(argument: typed.Expression) -> bool:
    match argument:
        case typed.Ref(declaration=typed.Parameter(direction="")):
            return True
        case _:
            return False
