"""The whole check: declarations in order, each one recovering from its errors."""

from __future__ import annotations

from p4xdp.diagnostics import Diagnostics, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import Broken, GenericBlock, Overloads, what_it_is
from p4xdp.frontend.typecheck import declarations as declare
from p4xdp.frontend.typecheck.context import Context, Rejected
from p4xdp.frontend.typecheck.control_plane import check_names
from p4xdp.frontend.typecheck.controls import control, local_action
from p4xdp.frontend.typecheck.expressions import expression
from p4xdp.frontend.typecheck.functions import function, generic_function, specialise
from p4xdp.frontend.typecheck.instances import constant, instantiation
from p4xdp.frontend.typecheck.parsers import parser, value_set
from p4xdp.frontend.typecheck.statements import block
from p4xdp.frontend.typecheck.traits import contains_variable
from p4xdp.frontend.types import Type


def check(program: syntax.P4Program, diagnostics: Diagnostics) -> typed.TypedProgram:
    """Return the typed program.

    Raises CompileError when the diagnostics hold an error at the end.
    """
    cx = Context(diagnostics)
    cx.evaluate = lambda e: expression(cx, e)
    cx.check_block = lambda b: block(cx, b)
    cx.specialise = lambda generic, types, span: specialise(cx, generic, types, span)
    cx.specialise_block = lambda generic, types, span: _specialise_block(cx, generic, types, span)
    for declaration in program.declarations:
        try:
            _declaration(cx, declaration)
        except Rejected:
            continue
    check_names(cx, "", cx.declarations)
    main = _main(cx)
    diagnostics.stop_on_error()
    return typed.TypedProgram(
        tuple(cx.declarations),
        main,
        tuple(cx.errors),
        tuple(cx.match_kinds),
        tuple(cx.controller_headers.items()),
    )


def _main(cx: Context) -> typed.Instance | None:
    symbol = cx.top.find("main")
    if symbol is None or isinstance(symbol.entity, Overloads | Broken):
        return None
    if not isinstance(symbol.entity, typed.Instance):
        text = f"`main` must be an instance of a package, but it is {what_it_is(symbol.entity)}"
        cx.diagnostics.error("bad-main", symbol.span, text)
        return None
    main = symbol.entity
    if not isinstance(main.target, typed.Package):
        text = f"`main` must be an instance of a package, not of `{main.type}`"
        cx.diagnostics.error("bad-main", symbol.span, text)
    return main


def _declaration(cx: Context, d: syntax.Declaration) -> None:
    match d:
        case syntax.FieldsDeclaration():
            declare.fields_declaration(cx, d)
        case syntax.EnumDeclaration():
            declare.enum(cx, d)
        case syntax.ErrorDeclaration():
            declare.names_declaration(cx, d.names, cx.errors, "error")
        case syntax.MatchKindDeclaration():
            declare.names_declaration(cx, d.names, cx.match_kinds, "match kind")
        case syntax.TypeAlias():
            declare.alias(cx, d)
        case syntax.ArchitectureType():
            declare.architecture_type(cx, d)
        case syntax.ValueSet():
            value_set(cx, d)
        case _:
            _object(cx, d)


def _object(cx: Context, d: syntax.Declaration) -> None:
    """Check a declaration that stays in the typed program."""
    match d:
        case syntax.Constant():
            cx.declarations.append(constant(cx, d))
        case syntax.Instantiation():
            cx.declarations.append(instantiation(cx, d))
        case syntax.ExternObject():
            cx.declarations.append(declare.extern_object(cx, d))
        case syntax.ExternFunction() | syntax.Function():
            _function(cx, d)
        case syntax.Action():
            cx.declarations.append(local_action(cx, d))
        case syntax.Parser() | syntax.Control():
            _block(cx, d)
        case syntax.Variable():
            raise cx.reject(
                "not-allowed-here",
                d.span,
                "a variable cannot be declared at the top level",
                help="declare a constant with `const`, or move it into a parser or control",
            )
        case syntax.Table():
            raise cx.reject(
                "not-allowed-here",
                d.span,
                "a table cannot be declared at the top level",
                help="move it into a control",
            )
        case _:
            raise AssertionError(f"unexpected declaration {type(d).__name__}")


def _function(cx: Context, d: syntax.ExternFunction | syntax.Function) -> None:
    name = d.prototype.name
    made: typed.Function | typed.ExternFunction
    try:
        if isinstance(d, syntax.ExternFunction):
            made = declare.extern_function(cx, d)
        elif d.prototype.type_parameters:
            cx.declare(name, Overloads((generic_function(cx, d),)))
            return
        else:
            made = function(cx, d)
    except Rejected:
        cx.declare_broken(name)
        raise
    _check_overload(cx, name, made)
    cx.declare(name, Overloads((made,)))
    cx.declarations.append(made)


def _check_overload(
    cx: Context, name: syntax.Name, made: typed.Function | typed.ExternFunction
) -> None:
    """Two functions of one name must differ in the number or the names of their parameters."""
    earlier = cx.scope.names.get(name.text)
    if earlier is None or not isinstance(earlier.entity, Overloads):
        return
    names = [p.name for p in made.parameters]
    for other in earlier.entity.functions:
        if [p.name for p in other.parameters] == names:
            cx.duplicate(name, other.span)  # type: ignore[union-attr]
            raise Rejected


def _block(cx: Context, d: syntax.Parser | syntax.Control) -> None:
    try:
        variables = tuple([cx.variable(name.text) for name in d.type_parameters])
        made = _checked_block(cx, d, variables)
    except Rejected:
        cx.declare_broken(d.name)
        raise
    if variables:
        generic = GenericBlock(d, variables, made)
        cx.generic_blocks[made] = generic, variables
        cx.declare(d.name, generic)
    else:
        cx.declare(d.name, made)
        cx.declarations.append(made)


def _checked_block(
    cx: Context, d: syntax.Parser | syntax.Control, types: tuple[Type, ...]
) -> typed.Parser | typed.Control:
    return parser(cx, d, types) if isinstance(d, syntax.Parser) else control(cx, d, types)


def _specialise_block(
    cx: Context, generic: GenericBlock, types: tuple[Type, ...], span: Span
) -> typed.Parser | typed.Control:
    """Return the block for these type arguments, made once and put before its first user."""
    for known, (origin, arguments) in cx.generic_blocks.items():
        if origin is generic and arguments == types:
            return known
    errors = len(cx.diagnostics.errors)
    with cx.once_for(generic):
        made = _checked_block(cx, generic.declaration, types)
    if len(cx.diagnostics.errors) > errors:
        raise cx.reject("bad-type-argument", span, f"`{made.name}` is used here")
    cx.generic_blocks[made] = generic, types
    if not any(map(contains_variable, types)):
        cx.declarations.append(made)
    return made
