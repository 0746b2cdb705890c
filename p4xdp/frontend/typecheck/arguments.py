"""Calls: arguments meet parameters, by place or name; type arguments are inferred on the way."""

from __future__ import annotations

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import nearest
from p4xdp.frontend.typecheck.context import Context, Rejected
from p4xdp.frontend.typecheck.conversion import (
    Sentence,
    cast_help,
    convert,
    describe,
    lvalue_fault,
    require_known,
)
from p4xdp.frontend.typecheck.inference import Bindings, infer, matches, misfit, substitute
from p4xdp.frontend.typecheck.traits import contains_variable, is_run_time
from p4xdp.frontend.types import (
    Basic,
    Bit,
    BlockType,
    Int,
    ListShape,
    ParameterType,
    SerializableEnum,
    StructShape,
    Tuple,
    Type,
    TypeVariable,
)
from p4xdp.records import dataclass, field

RUN_TIME = ("action", "function", "extern function", "method")
"""The kinds of signatures whose parameters without a direction take run-time values."""


@dataclass(frozen=True, slots=True)
class Given:
    """An argument of a call: `value` is None for `_`, `source` the expression as written."""

    name: syntax.Name | None
    value: typed.Expression | None
    source: syntax.Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Signature:
    """What a call needs to know of its callee.

    `kind` names it in messages; `variables` are to be inferred, `bound` are known already.
    Arguments for parameters without a direction must be known at compile time, except where many
    programs leave out the direction and mean `in` (RUN_TIME). `open` allows variables that
    nothing binds.
    """

    kind: str
    name: str
    parameters: tuple[typed.Parameter, ...]
    result: Type
    span: Span
    variables: tuple[TypeVariable, ...] = ()
    bound: Bindings = field(default_factory=dict)
    open: bool = False


@dataclass(frozen=True, slots=True)
class Invocation:
    """A checked call: `arguments` follow the parameters, `bindings` holds every type argument,
    `order` is that of typed.Call."""

    arguments: tuple[typed.Expression | None, ...]
    result: Type
    bindings: Bindings
    order: tuple[int, ...] = ()

    def of(self, callee: typed.Callee, span: Span, result: Type | None = None) -> typed.Call:
        """Return the call of `callee`, which gives `result` (None: what the signature says)."""
        return typed.Call(callee, self.arguments, result or self.result, span, self.order)


def choose(cx: Context, candidates: list[Signature], given: list[Given], span: Span) -> int:
    """Return the index of the overload that takes these arguments."""
    if len(candidates) == 1:
        return 0
    fitting = [i for i, s in enumerate(candidates) if _accepts(s, given)]
    if len(fitting) > 1:
        fitting = [i for i in fitting if _types_fit(candidates[i], given)] or fitting[:1]
    if len(fitting) == 1:
        return fitting[0]
    first = candidates[0]
    text = f"no `{first.name}` takes {_count(given)}"
    if fitting:
        text = f"more than one `{first.name}` takes these arguments"
    notes = tuple(Note(f"`{_heading(s)}` is declared here", s.span) for s in candidates[:4])
    raise cx.reject("wrong-arguments" if not fitting else "ambiguous", span, text, notes=notes)


def _count(given: list[Given]) -> str:
    if any(argument.name for argument in given):
        return "arguments with these names"
    return f"{len(given)} argument{'s' * (len(given) != 1)}"


def _heading(signature: Signature) -> str:
    return f"{signature.name}({', '.join(p.name for p in signature.parameters)})"


def _needed(parameter: typed.Parameter) -> bool:
    return parameter.default is None and not parameter.optional


def _accepts(signature: Signature, given: list[Given]) -> bool:
    parameters = signature.parameters
    if given and given[0].name is not None:
        names = {argument.name.text for argument in given if argument.name}
        required = {p.name for p in parameters if _needed(p)}
        return required <= names <= {p.name for p in parameters}
    if len(given) > len(parameters):
        return False
    return not any(map(_needed, parameters[len(given) :]))


def _types_fit(signature: Signature, given: list[Given]) -> bool:
    by_name = {p.name: p for p in signature.parameters}
    for position, argument in enumerate(given):
        name = argument.name
        parameter = by_name[name.text] if name else signature.parameters[position]
        if argument.value is not None and not _may_become(argument.value.type, parameter.type):
            return False
    return True


def _may_become(source: Type, target: Type) -> bool:
    if contains_variable(target) or isinstance(source, ListShape | StructShape):
        return True
    match source:
        case Basic.DONT_CARE:
            return True
        case Basic.INT:
            return isinstance(target, Bit | Int) or target is Basic.INT
        case SerializableEnum(underlying=underlying):
            return target in (source, underlying)
        case _:
            return matches(target, source)


def bind(cx: Context, signature: Signature, given: list[Given], span: Span) -> list[Given | None]:
    """Return for each parameter its argument, None where it is left out."""
    if given and given[0].name is not None:
        return _bind_by_name(cx, signature, given, span)
    for argument in given:
        if argument.name is not None:
            raise _mixed(cx, argument)
    parameters = signature.parameters
    if len(given) > len(parameters):
        raise _wrong_count(cx, signature, given, given[len(parameters)].span)
    missing = parameters[len(given) :]
    if any(map(_needed, missing)):
        raise _wrong_count(cx, signature, given, span)
    return [*given, *([None] * len(missing))]


def _mixed(cx: Context, argument: Given) -> Rejected:
    return cx.reject(
        "wrong-arguments", argument.span, "either all arguments of a call have names or none has"
    )


def _wrong_count(cx: Context, signature: Signature, given: list[Given], span: Span) -> Rejected:
    parameters = signature.parameters
    required = len([p for p in parameters if _needed(p)])
    wanted = f"{len(parameters)}" if required == len(parameters) else f"at least {required}"
    if len(given) > len(parameters) and required != len(parameters):
        wanted = f"at most {len(parameters)}"
    text = (
        f"{signature.kind} `{signature.name}` takes {wanted}"
        f" argument{'s' * (wanted != '1')}, not {len(given)}"
    )
    return cx.reject("wrong-arguments", span, text, notes=_declared(signature))


def _declared(signature: Signature) -> tuple[Note, ...]:
    if signature.span.line < 1:
        return ()
    return (Note(f"`{_heading(signature)}` is declared here", signature.span),)


def _bind_by_name(
    cx: Context, signature: Signature, given: list[Given], span: Span
) -> list[Given | None]:
    names = [p.name for p in signature.parameters]
    found: dict[str, Given] = {}
    for argument in given:
        if argument.name is None:
            raise _mixed(cx, argument)
        name = argument.name.text
        if name not in names:
            best = nearest(name, iter(names))
            raise cx.reject(
                "wrong-arguments",
                argument.name.span,
                f"{signature.kind} `{signature.name}` has no parameter `{name}`",
                notes=_declared(signature),
                help=f"did you mean `{best}`?" if best else None,
            )
        if name in found:
            text = f"argument `{name}` is given twice"
            raise cx.reject("wrong-arguments", argument.name.span, text)
        found[name] = argument
    for parameter in signature.parameters:
        if _needed(parameter) and parameter.name not in found:
            text = f"no argument for `{parameter.name}` of {signature.kind} `{signature.name}`"
            raise cx.reject("wrong-arguments", span, text, notes=_declared(signature))
    return [found.get(name) for name in names]


def invoke(
    cx: Context,
    signature: Signature,
    type_arguments: tuple[Type, ...],
    given: list[Given],
    span: Span,
) -> Invocation:
    """Check a call of `signature`: number and types of arguments, directions, type arguments."""
    bindings = dict(signature.bound)
    _bind_type_arguments(cx, signature, type_arguments, bindings, span)
    bound = bind(cx, signature, given, span)
    if signature.variables:
        _infer_all(cx, signature, bound, bindings)
    _require_inferred(cx, signature, bound, bindings)
    failed = False
    arguments: list[typed.Expression | None] = []
    for parameter, argument in zip(signature.parameters, bound, strict=True):
        try:
            arguments.append(_argument(cx, signature, parameter, argument, bindings))
        except Rejected:
            failed = True
    if failed:
        raise Rejected
    result = substitute(signature.result, bindings)
    _require_bound(cx, signature, bindings, result, span)
    return Invocation(tuple(arguments), result, bindings, _order(signature, given))


def _order(signature: Signature, given: list[Given]) -> tuple[int, ...]:
    places = {p.name: at for at, p in enumerate(signature.parameters)}
    return tuple(places[g.name.text] for g in given if g.name is not None)


def _bind_type_arguments(
    cx: Context, signature: Signature, types: tuple[Type, ...], bindings: Bindings, span: Span
) -> None:
    if not types:
        return
    variables = signature.variables
    if len(types) != len(variables):
        text = f"{signature.kind} `{signature.name}` takes {len(variables)} type arguments"
        raise cx.reject(
            "wrong-type-arguments", span, f"{text}, not {len(types)}", notes=_declared(signature)
        )
    for variable, type in zip(variables, types, strict=True):
        if type is not Basic.DONT_CARE:
            bindings[variable] = type


def _infer_all(
    cx: Context, signature: Signature, bound: list[Given | None], bindings: Bindings
) -> None:
    """Bind type variables from arguments, from lists without a type only as a last resort."""
    pairs: list[tuple[Type, typed.Expression]] = []
    for parameter, argument in zip(signature.parameters, bound, strict=True):
        value = parameter.default if argument is None else argument.value
        if value is not None and not _is_open(cx, value):
            pairs.append((substitute(parameter.type, bindings), value))
    for pattern, value in pairs:
        infer(pattern, value.type, signature.variables, bindings)
    for pattern, value in pairs:
        settled = _settle(value.type)
        if settled is not None:
            infer(pattern, settled, signature.variables, bindings)


def _settle(type: Type) -> Type | None:
    """Return the type that a list expression has where nothing asks for another one."""
    match type:
        case ListShape(elements=elements, rest=False):
            settled = [_settle(element) for element in elements]
            known = [element for element in settled if element is not None]
            return Tuple(tuple(known)) if len(known) == len(settled) else None
        case Basic.INT | Basic.DONT_CARE | ListShape() | StructShape():
            return None
        case _:
            return type


def _argument(
    cx: Context,
    signature: Signature,
    parameter: typed.Parameter,
    argument: Given | None,
    bindings: Bindings,
) -> typed.Expression | None:
    type = substitute(parameter.type, bindings)
    if argument is None:
        if isinstance(type, BlockType) and parameter.default is not None:
            return _block_argument(cx, parameter, type, parameter.default)
        return parameter.default
    value = argument.value
    if value is None:
        _check_dont_care(cx, signature, parameter, type, argument)
        return None
    if parameter.direction and isinstance(parameter.type, TypeVariable) and not is_run_time(type):
        text = f"cannot pass `{type}` as `{parameter.name}` of `{signature.name}` at run time"
        raise cx.reject("type-mismatch", value.span, text)
    if parameter.direction in ("out", "inout"):
        return _written(cx, signature, parameter, type, argument, value)
    sentence = _passing(signature, parameter, type)
    if isinstance(type, BlockType) and isinstance(value.type, BlockType):
        return _block_argument(cx, parameter, type, value)
    converted = convert(cx, value, type, sentence, argument.source)
    if parameter.direction == "" and signature.kind not in RUN_TIME:
        require_known(cx, converted, f"argument `{parameter.name}` of `{signature.name}`")
    return converted


def _passing(signature: Signature, parameter: typed.Parameter, type: Type) -> Sentence:
    return lambda given: (
        f"cannot pass {given} as `{parameter.name}` (`{type}`) of `{signature.name}`"
    )


def _check_dont_care(
    cx: Context, signature: Signature, parameter: typed.Parameter, type: Type, argument: Given
) -> None:
    if parameter.optional:
        return
    if parameter.direction != "out":
        raise cx.reject(
            "wrong-arguments",
            argument.span,
            f"`_` can only stand for an `out` argument, and `{parameter.name}` of"
            f" `{signature.name}` is none",
        )
    if contains_variable(type) and any(v in signature.variables for v in _variables(type)):
        raise _cannot_infer(cx, signature, argument.span)


def _variables(type: Type) -> tuple[Type, ...]:
    return (type,) if isinstance(type, TypeVariable) else getattr(type, "arguments", ())


def _require_inferred(
    cx: Context, signature: Signature, bound: list[Given | None], bindings: Bindings
) -> None:
    """Report a parameter whose type is still open because its argument has no definite type."""
    if all(variable in bindings for variable in signature.variables):
        return
    for parameter, argument in zip(signature.parameters, bound, strict=True):
        type = substitute(parameter.type, bindings)
        if argument is None or argument.value is None or type not in signature.variables:
            continue
        given = argument.value.type
        help = "cast it to its type, as in `(T){ ... }`"
        if given is Basic.INT:
            help = "write its width, as in `32w5`"
        raise cx.reject(
            "cannot-infer",
            argument.span,
            f"the type `{type}` of `{signature.name}` cannot be inferred from {describe(given)}",
            help=help,
        )


def _written(
    cx: Context,
    signature: Signature,
    parameter: typed.Parameter,
    type: Type,
    argument: Given,
    value: typed.Expression,
) -> typed.Expression:
    """Check an argument of an `out` or `inout` parameter: an l-value of exactly its type."""
    fault = lvalue_fault(value)
    if fault is not None:
        raise cx.reject(
            "not-an-lvalue",
            value.span,
            f"`{parameter.direction}` argument `{parameter.name}` of `{signature.name}` must be"
            f" something that can be written to: {fault}",
        )
    if not matches(type, value.type):
        help = "no cast is possible here: use a variable of this type"
        if cast_help(value.type, type, argument.source) is None:
            help = ""
        raise cx.reject(
            "type-mismatch",
            value.span,
            _passing(signature, parameter, type)(describe(value.type)),
            help=help or None,
        )
    return value


def _block_argument(
    cx: Context, parameter: typed.Parameter, type: BlockType, value: typed.Expression
) -> typed.Expression:
    if _is_open(cx, value):
        value = _close(cx, type, value)
    assert isinstance(value.type, BlockType)
    reason = misfit(type, value.type)
    if reason is None:
        return value
    raise cx.reject(
        "type-mismatch",
        value.span,
        f"{value.type.kind} `{value.type.name}` does not fit `{parameter.name}` (`{type.name}`):"
        f" {reason}",
        notes=(Note(f"`{parameter.name}` is declared here", parameter.span),),
    )


def _is_open(cx: Context, value: typed.Expression) -> bool:
    """Say whether a value is a block with type parameters that nothing has bound yet."""
    return (
        isinstance(value, typed.Construct)
        and value.target in cx.generic_blocks
        and contains_variable(value.type)
    )


def _close(cx: Context, wanted: BlockType, value: typed.Expression) -> typed.Expression:
    """Bind the type parameters of a block by the type that is wanted in its place."""
    assert isinstance(value, typed.Construct)
    assert isinstance(value.target, typed.Parser | typed.Control)
    generic, types = cx.generic_blocks[value.target]
    variables = tuple([t for t in types if isinstance(t, TypeVariable)])
    bindings: Bindings = {}
    infer(value.type, wanted, variables, bindings)
    if any(variable not in bindings for variable in variables):
        text = f"the type arguments of `{value.target.name}` cannot be inferred"
        raise cx.reject("cannot-infer", value.span, text)
    made = cx.specialise_block(generic, tuple([substitute(t, bindings) for t in types]), value.span)
    return typed.Construct(made, value.arguments, _type_of(made), value.span)


def _type_of(block: typed.Parser | typed.Control) -> BlockType:
    kind = "parser" if isinstance(block, typed.Parser) else "control"
    parameters = tuple([ParameterType(p.direction, p.name, p.type) for p in block.parameters])
    return BlockType(kind, block.name, parameters)


def _require_bound(
    cx: Context, signature: Signature, bindings: Bindings, result: Type, span: Span
) -> None:
    missing = [v for v in signature.variables if v not in bindings and not signature.open]
    optional = [p.type for p in signature.parameters if p.optional or signature.kind == "package"]
    if all(v in optional or signature.kind == "package" for v in missing):
        bindings.update(dict.fromkeys(missing, Basic.DONT_CARE))
        return
    raise _cannot_infer(cx, signature, span)


def _cannot_infer(cx: Context, signature: Signature, span: Span) -> Rejected:
    names = ", ".join(variable.name for variable in signature.variables)
    return cx.reject(
        "cannot-infer",
        span,
        f"the type arguments of `{signature.name}<{names}>` cannot be inferred",
        notes=_declared(signature),
        help=f"write them: `{signature.name}<...>(...)`",
    )
