"""A program as text close to P4, for `--dump-after` and for tests.

In: a program, a body or an expression. Out: text; the same IR always gives the same text.
`data[96+:16]` is the 16 bits that lie 96 bits behind pointer `data`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from p4xdp.midend.ir import (
    BOOL,
    ActionArm,
    AdjustHead,
    Advance,
    AnyTest,
    Apply,
    Assign,
    Binary,
    Body,
    Check,
    Concat,
    Const,
    Counter,
    Digest,
    Effect,
    Emit,
    Entry,
    Expr,
    Extend,
    Extract,
    Finish,
    GoOn,
    Header,
    If,
    Leave,
    Load,
    Lookahead,
    MaskTest,
    Mux,
    PacketLength,
    Pipeline,
    Program,
    Pure,
    RangeTest,
    Register,
    Reject,
    Scope,
    SetPointer,
    Slice,
    State,
    Stmt,
    Store,
    Switch,
    SwitchCase,
    Table,
    Test,
    Trace,
    Transition,
    Unary,
    UnaryOp,
    Var,
    pipelines,
    width_of,
)

INDENT = "    "


def print_program(program: Program) -> str:
    """Return the whole program as text."""
    lines = [f"program {program.name} ({program.model}, {program.stage})"]
    for header in program.headers:
        lines += _header(header)
    for table in program.tables:
        lines += _table(table)
    lines += [_counter(counter) for counter in program.counters]
    lines += [_register(register) for register in program.registers]
    lines += [f"meter {meter.name} {meter.size} {meter.unit};" for meter in program.meters]
    lines += [_digest(digest) for digest in program.digests]
    lines += [f"profile {p.name} {p.size}, groups of {p.group_size};" for p in program.profiles]
    if program.ports is not None:
        lines.append(f"ports {program.ports.size}, host {program.ports.host}")
    for one in pipelines(program):
        lines += _pipeline(one)
    if program.body:
        lines += _block("body", _body(program.body))
    return "\n".join(lines) + "\n"


def _pipeline(one: Program | Pipeline) -> list[str]:
    lines: list[str] = []
    if one.parser_error is not None:
        lines.append(f"parser error {one.parser_error.name}")
    for state in one.parser:
        lines += _block(f"state {state.name}", _state(state))
    sections = {"control": one.control, "deparser": one.deparser, "departure": one.departure}
    for name, body in sections.items():
        if body:
            lines += _block(name, _body(body))
    return lines


def print_body(body: Body) -> str:
    """Return statements as text, one a line, no indentation at the outermost level."""
    return "\n".join(_body(body))


def print_expression(expr: Expr) -> str:
    """Return an expression as text; every operator inside another stands in parentheses."""
    match expr:
        case Const(value=value, width=width):
            return _constant(value, width)
        case Var(name=name):
            return name
        case Unary(op=op, operand=operand):
            return _unary(op, operand)
        case Binary(op=op, left=left, right=right):
            return f"{_inner(left)} {op.value} {_inner(right)}"
        case Slice(base=base, high=high, low=low):
            return f"{_inner(base)}[{high}:{low}]"
        case Concat(left=left, right=right):
            return f"{_inner(left)} ++ {_inner(right)}"
        case Extend(base=base, width=width, signed=signed):
            return f"({'int' if signed else 'bit'}<{width}>){_inner(base)}"
        case Mux(condition=condition, then=then, otherwise=otherwise):
            return f"{_inner(condition)} ? {_inner(then)} : {_inner(otherwise)}"
        case Pure(name=name, arguments=arguments):
            return f"{name}({_list(arguments)})"
        case Load(pointer=pointer, offset=offset, width=width):
            return f"{pointer}[{offset}+:{width}]"
        case _:
            assert_never(expr)


def _inner(expr: Expr) -> str:
    text = print_expression(expr)
    return f"({text})" if isinstance(expr, Binary | Concat | Mux) else text


def _unary(op: UnaryOp, operand: Expr) -> str:
    if op in (UnaryOp.TO_BITS, UnaryOp.TO_BOOL):
        return f"{op.value}({print_expression(operand)})"
    return f"{op.value}{_inner(operand)}"


def _constant(value: int, width: int) -> str:
    if width == BOOL:
        return "true" if value else "false"
    return f"{width}w{value}" if value < 10 else f"{width}w{value:#x}"


def _list(exprs: Iterable[Expr]) -> str:
    return ", ".join(print_expression(expr) for expr in exprs)


def _block(head: str, lines: list[str]) -> list[str]:
    return [f"{head} {{", *(INDENT + line for line in lines), "}"]


def _body(body: Body) -> list[str]:
    return [line for stmt in body for line in _stmt(stmt)]


def _stmt(stmt: Stmt) -> list[str]:
    match stmt:
        case If():
            return _if(stmt)
        case Switch(selector=selector, cases=cases, default=default):
            return _switch(selector, cases, default)
        case Scope(label=label, body=body):
            return _block(f"scope {label}", _body(body))
        case Apply():
            return _apply(stmt)
        case Check(pointer=pointer, size=size, fail=fail):
            return _block(f"check {pointer} {size} else", _body(fail))
        case AdjustHead(growth=growth, fail=fail):
            return _block(f"adjust_head {_inner(growth)} else", _body(fail))
        case _:
            return [_simple(stmt) + ";"]


def _simple(stmt: Stmt) -> str:
    match stmt:
        case Assign(target=target, value=value):
            return f"{target.name} = {print_expression(value)}"
        case Leave(label=label):
            return f"leave {label}"
        case Finish(verdict=verdict, port=port):
            return f"finish {_list((verdict,) if port is None else (verdict, port))}"
        case Effect():
            return _effect(stmt)
        case Trace(format=format, values=values):
            return f"trace({', '.join([repr(format), *map(print_expression, values)])})"
        case Store(pointer=pointer, offset=offset, width=width, value=value):
            return f"{pointer}[{offset}+:{width}] = {print_expression(value)}"
        case SetPointer():
            return _set_pointer(stmt)
        case _:
            return _flat(stmt)


def _flat(stmt: Stmt) -> str:
    match stmt:
        case Extract(header=header, size=None):
            return f"extract({header})"
        case Extract(header=header, size=size) if size is not None:
            return f"extract({header}, {print_expression(size)})"
        case Emit(header=header):
            return f"emit({header})"
        case Lookahead(width=width, peeks=peeks):
            parts = [f"{p.target.name} = [{p.offset}+:{p.width}]" for p in peeks]
            return f"lookahead({', '.join([str(width), *parts])})"
        case Advance(amount=amount):
            return f"advance({print_expression(amount)})"
        case PacketLength(target=target):
            return f"{target.name} = packet_length"
        case Reject(error=error):
            return f"reject({print_expression(error)})"
        case GoOn(part=part):
            return f"go_on({part})"
        case _:
            raise AssertionError(stmt)


def _effect(stmt: Effect) -> str:
    results = (
        (stmt.result, *stmt.given_back)
        if stmt.given_back
        else (stmt.result,)
        if stmt.result
        else ()
    )
    names = ", ".join(var.name if var else "_" for var in results)
    head = f"{names} = " if names else ""
    instance = f"{stmt.instance}." if stmt.instance else ""
    return f"{head}{instance}{stmt.name}({_list(stmt.arguments)})"


def _set_pointer(stmt: SetPointer) -> str:
    text = f"{stmt.pointer} = &{stmt.base}[{stmt.offset}]"
    if stmt.amount is None:
        return text
    return f"{text} + {_inner(stmt.amount)} (at most {stmt.limit})"


def _if(stmt: If) -> list[str]:
    lines = _block(f"if ({print_expression(stmt.condition)})", _body(stmt.then))
    if stmt.otherwise:
        lines[-1:] = _block("} else", _body(stmt.otherwise))
    return lines


def _switch(selector: Expr, cases: tuple[SwitchCase, ...], default: Body) -> list[str]:
    width = width_of(selector)
    inner: list[str] = []
    for case in cases:
        values = ", ".join(_constant(value, width) for value in case.values)
        inner += _block(f"case {values}:", _body(case.body))
    if default:
        inner += _block("default:", _body(default))
    return _block(f"switch ({print_expression(selector)})", inner)


def _apply(stmt: Apply) -> list[str]:
    results = [var.name for var in (stmt.hit, stmt.action_run) if var is not None]
    head = f"{', '.join(results)} = " if results else ""
    inner = [line for arm in stmt.arms for line in _arm(arm)]
    return _block(f"{head}{stmt.table}.apply({_list(stmt.keys)})", inner)


def _arm(arm: ActionArm) -> list[str]:
    data = ", ".join(var.name for var in arm.data)
    return _block(f"action {arm.index}({data}):", _body(arm.body))


# Declarations


def _header(header: Header) -> list[str]:
    fields = [f"{f.var.width} {f.name} @ {f.offset} = {f.var.name};" for f in header.fields]
    size = f" size {header.size.name}" if header.size else ""
    head = f"header {header.type_name} {header.name} {header.width}{size}"
    head = f"{head} valid {header.valid.name}"
    return _block(head, fields)


def _table(table: Table) -> list[str]:
    inner = [f"key {key.name}: {key.kind} {key.width};" for key in table.keys]
    for index, action in enumerate(table.actions):
        data = ", ".join(f"{d.width} {d.name}" for d in action.data)
        inner.append(f"action {index} {action.name}({data});")
    inner += [_entry(table.const_entries, entry) for entry in table.entries]
    const = "const " if table.default_const else ""
    inner.append(f"{const}default {_choice(table.default.index, table.default.arguments)};")
    return _block(f"table {table.name} {table.size}", inner)


def _choice(index: int, arguments: tuple[int, ...]) -> str:
    return f"{index}({', '.join(map(str, arguments))})"


def _entry(const: bool, entry: Entry) -> str:
    tests = ", ".join(print_test(test) for test in entry.tests)
    choice = _choice(entry.choice.index, entry.choice.arguments)
    return f"{'const ' if const else ''}entry {entry.priority} ({tests}): {choice};"


def print_test(test: Test) -> str:
    """Return one test of a select case or table entry as text."""
    match test:
        case AnyTest():
            return "_"
        case MaskTest(value=value, mask=mask):
            return f"{value:#x} &&& {mask:#x}"
        case RangeTest(low=low, high=high):
            return f"{low:#x}..{high:#x}"
        case _:
            assert_never(test)


def _counter(counter: Counter) -> str:
    unit = "" if counter.unit == "amounts" else f" {counter.unit}"
    return f"counter {counter.name} {counter.size}{' sparse' if counter.sparse else ''}{unit};"


def _register(register: Register) -> str:
    fields = ", ".join(f"{field.name}: {field.width}" for field in register.fields)
    return f"register {register.name} {register.size} {{ {fields} }};"


def _digest(digest: Digest) -> str:
    fields = ", ".join(f"{field.name}: {field.width}" for field in digest.fields)
    return f"digest {digest.name} {{ {fields} }};"


def _state(state: State) -> list[str]:
    return _body(state.body) + _transition(state.transition)


def _transition(transition: Transition) -> list[str]:
    if not transition.keys and len(transition.cases) == 1:
        return [f"transition {transition.cases[0].target};"]
    cases = [
        f"({', '.join(print_test(test) for test in case.tests)}): {case.target};"
        for case in transition.cases
    ]
    return _block(f"transition select({_list(transition.keys)})", cases)
