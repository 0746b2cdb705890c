"""Functions that the user writes in C: IR declarations in; the structs that they take, the file
that has them, and their calls, out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from p4xdp.backend_c import cexpr
from p4xdp.backend_c.cexpr import Env
from p4xdp.backend_c.cwriter import CWriter, commented
from p4xdp.backend_c.layout import variable_type
from p4xdp.backend_c.model import Unit
from p4xdp.backend_c.names import Names, identifier
from p4xdp.backend_c.shown import Shown
from p4xdp.midend import ir

VALIDITY = "ebpf_valid"
"""The validity of a header, called as in the C that p4c makes."""

LOCAL = "p4xdp_"
"""In front of the names of what is passed: no variable of the program is called like that."""


def taken(program: ir.Program) -> Iterator[str]:
    """Yield the identifiers at file scope that functions in C have."""
    for function in program.functions:
        yield function.name
        for parameter in function.parameters:
            yield from (identifier(one.name) for one in _structs(parameter.type))


def declarations(unit: Unit, native: bool) -> Iterator[str]:
    """Yield the structs that functions in C take, and their files."""
    known: dict[str, ir.CStruct] = {}
    for function in unit.functions:
        for parameter in function.parameters:
            known |= {one.name: one for one in _structs(parameter.type)}
    for struct in known.values():
        yield from (f"/* {commented(struct.name)}, as functions in C get it */", *_struct(struct))
    yield f"#include <{'p4xdp_native_own.h' if native else 'bpf/bpf_endian.h'}>"
    for path in unit.externs:
        yield f"/* version {_version(path)} */"
        yield f'#include "{path.resolve()}"'
    yield "/* a function that no file has would be found out by the loader only */"
    yield '#pragma GCC diagnostic error "-Wimplicit-function-declaration"'
    if native:
        yield "#define P4XDP_NATIVE_OWN_END"
        yield "#include <p4xdp_native_own.h>"
    yield ""


def _version(path: Path) -> str:
    """Return what changes with the file: builds are kept by the text of the C."""
    import hashlib  # slow to load, and most programs have no such file

    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _structs(kind: ir.CType) -> Iterator[ir.CStruct]:
    """Yield the structs that a type consists of, those inside of others first."""
    if isinstance(kind, ir.CStruct):
        for _, member in kind.members:
            yield from _structs(member)
        yield kind


def _struct(struct: ir.CStruct) -> Iterator[str]:
    yield f"struct {identifier(struct.name)} {{"
    for name, kind in _members(struct):
        note = f" /* {kind.width} bits */" if isinstance(kind, ir.CNumber) and kind.width else ""
        yield f"\t{_type(kind)} {name};{note}"
    yield from ("};", "")


def _members(struct: ir.CStruct) -> Iterator[tuple[str, ir.CType]]:
    names = Names()
    for number, (name, kind) in enumerate(struct.members):
        is_validity = struct.is_header and number == 0
        yield names.take(VALIDITY if is_validity else name), kind


def _type(kind: ir.CType) -> str:
    match kind:
        case ir.CStruct(name=name):
            return f"struct {identifier(name)}"
        case ir.CNumber(width=width):
            return variable_type(width or 1)


def _places(kind: ir.CType, at: str) -> Iterator[str]:
    """Yield the scalars of a value in C, in the order of the IR's."""
    match kind:
        case ir.CStruct():
            for name, member in _members(kind):
                yield from _places(member, f"{at}.{name}")
        case ir.CNumber():
            yield at


def call(function: ir.CFunction, stmt: ir.Effect, env: Env, shown: Shown, w: CWriter) -> None:
    """Write the call, with what is passed in variables of their own."""
    arguments, outputs = iter(stmt.arguments), iter(stmt.given_back)
    back: list[tuple[ir.Var, str]] = []
    sets: list[str] = []
    texts: list[str] = []
    for parameter in function.parameters:
        local = f"{LOCAL}{identifier(parameter.name)}"
        w.line(f"{_type(parameter.type)} {local}{_start(parameter.type)};")
        places = tuple(_places(parameter.type, local))
        if parameter.direction != "out":
            sets += [f"{at} = {cexpr.clean(next(arguments), env).text};" for at in places]
        if parameter.direction != "in":
            back += [(next(outputs), at) for at in places]
        texts.append(local if parameter.direction == "in" else f"&{local}")
    if texts:
        w.line("")
    for text in sets:
        w.line(text)
    called = f"{function.name}({', '.join(texts)})"
    result = stmt.result if shown.needs(stmt.result) else None
    w.line(f"{env.variables[result.name]} = {_number(result, called)};" if result else f"{called};")
    for var, at in back:
        if shown.needs(var):
            w.line(f"{env.variables[var.name]} = {_number(var, at)};")


def _start(kind: ir.CType) -> str:
    return " = {}" if isinstance(kind, ir.CStruct) else " = 0"


def _number(var: ir.Var, text: str) -> str:
    """Return what C gave as a number of the variable's width."""
    if var.width == ir.BOOL:
        return f"{text} != 0"
    if var.width in (8, 16, 32, 64):
        return text
    return f"{text} & {hex((1 << var.width) - 1)}{'ULL' if var.width > 32 else ''}"
