"""Generics: type arguments are found from the types that meet, then put in place of parameters."""

from __future__ import annotations

from p4xdp.frontend import typed
from p4xdp.frontend.typecheck.traits import contains_variable
from p4xdp.frontend.types import (
    Basic,
    BlockType,
    ExternType,
    Header,
    HeaderUnion,
    ListShape,
    ListType,
    ParameterType,
    SetType,
    Stack,
    Struct,
    StructShape,
    Tuple,
    Type,
    TypeVariable,
)
from p4xdp.records import replace

Bindings = dict[TypeVariable, Type]


def substitute(type: Type, bindings: Bindings) -> Type:
    """Return the type with every bound variable replaced."""
    if not bindings or not contains_variable(type):
        return type
    match type:
        case TypeVariable():
            return bindings.get(type, type)
        case Struct() | Header() | HeaderUnion():
            return _substitute_fields(type, bindings)
        case ExternType():
            return ExternType(type.name, _all(type.arguments, bindings))
        case Stack():
            return Stack(substitute(type.element, bindings), type.size)
        case ListType():
            return ListType(substitute(type.element, bindings))
        case SetType():
            return SetType(substitute(type.element, bindings))
        case Tuple():
            return Tuple(_all(type.elements, bindings))
        case BlockType():
            parameters = tuple(
                [replace(p, type=substitute(p.type, bindings)) for p in type.parameters]
            )
            return BlockType(type.kind, type.name, parameters, _all(type.arguments, bindings))
        case _:
            return type


def _all(types: tuple[Type, ...], bindings: Bindings) -> tuple[Type, ...]:
    return tuple([substitute(type, bindings) for type in types])


def _substitute_fields(type: Struct | Header | HeaderUnion, bindings: Bindings) -> Type:
    arguments = _all(type.arguments, bindings)
    name = f"{base_name(type)}<{', '.join(map(str, arguments))}>"
    fields = tuple([replace(f, type=substitute(f.type, bindings)) for f in type.fields])
    return replace(type, name=name, fields=fields, arguments=arguments)


def base_name(type: Struct | Header | HeaderUnion) -> str:
    """Return the name of the declaration, without type arguments."""
    return type.name.partition("<")[0]


def substitute_parameter(parameter: typed.Parameter, bindings: Bindings) -> typed.Parameter:
    """Return the parameter with its type's variables replaced, itself when it has none."""
    if not contains_variable(parameter.type):
        return parameter
    return replace(parameter, type=substitute(parameter.type, bindings))


def infer(
    pattern: Type, actual: Type, variables: tuple[TypeVariable, ...], bindings: Bindings
) -> None:
    """Bind the unbound `variables` of `pattern` so that it may become `actual`.

    Nothing is checked here: what does not fit shows when the value is converted. Types that say
    too little (`int`, `{...}` without a type) bind nothing.
    """
    match pattern, actual:
        case TypeVariable(), _:
            if pattern in variables and pattern not in bindings and is_definite(actual):
                bindings[pattern] = actual
        case ((Struct() | Header() | HeaderUnion()), (Struct() | Header() | HeaderUnion())):
            if base_name(pattern) == base_name(actual):
                _infer_each(pattern.arguments, actual.arguments, variables, bindings)
        case ExternType(), ExternType():
            if pattern.name == actual.name:
                _infer_each(pattern.arguments, actual.arguments, variables, bindings)
        case ((Stack() | ListType() | SetType()), (Stack() | ListType() | SetType())):
            infer(pattern.element, actual.element, variables, bindings)
        case Tuple(), (Tuple() | ListShape()):
            _infer_each(pattern.elements, actual.elements, variables, bindings)
        case ((Struct() | Header()), ListShape()):
            _infer_each(_types(pattern.fields), actual.elements, variables, bindings)
        case ((Struct() | Header()), StructShape()):
            given = {field.name: field.type for field in actual.fields}
            for field in pattern.fields:
                infer(field.type, given.get(field.name, Basic.DONT_CARE), variables, bindings)
        case BlockType(kind="package"), BlockType(kind="package"):
            if pattern.name == actual.name:
                _infer_each(pattern.arguments, actual.arguments, variables, bindings)
        case BlockType(), BlockType():
            _infer_each(_types(pattern.parameters), _types(actual.parameters), variables, bindings)
        case _:
            pass


def _types(parts: tuple[ParameterType, ...] | tuple[object, ...]) -> tuple[Type, ...]:
    return tuple([part.type for part in parts])  # type: ignore[attr-defined]


def _infer_each(
    patterns: tuple[Type, ...],
    actuals: tuple[Type, ...],
    variables: tuple[TypeVariable, ...],
    bindings: Bindings,
) -> None:
    for pattern, actual in zip(patterns, actuals, strict=False):
        infer(pattern, actual, variables, bindings)


def is_definite(type: Type) -> bool:
    """Say whether a type parameter may become this type as it stands."""
    return type not in (Basic.INT, Basic.DONT_CARE, Basic.VOID) and not isinstance(
        type, ListShape | StructShape
    )


def matches(pattern: Type, actual: Type) -> bool:
    """Say whether two types are the same where neither of them has `_` or an open variable."""
    if pattern == actual:
        return True
    match pattern, actual:
        case (Basic.DONT_CARE, _) | (_, Basic.DONT_CARE):
            return True
        case ExternType(), ExternType():
            return pattern.name == actual.name and _match_each(pattern.arguments, actual.arguments)
        case ((Struct() | Header() | HeaderUnion()), (Struct() | Header() | HeaderUnion())):
            same = base_name(pattern) == base_name(actual)
            return same and _match_each(pattern.arguments, actual.arguments)
        case Stack(), Stack():
            return pattern.size == actual.size and matches(pattern.element, actual.element)
        case ListType(), ListType():
            return matches(pattern.element, actual.element)
        case Tuple(), Tuple():
            return _match_each(pattern.elements, actual.elements)
        case BlockType(), BlockType():
            return misfit(pattern, actual) is None
        case _:
            return False


def _match_each(patterns: tuple[Type, ...], actuals: tuple[Type, ...]) -> bool:
    if len(patterns) != len(actuals) or not patterns:
        return False
    return all(map(matches, patterns, actuals))


def misfit(wanted: BlockType, given: BlockType) -> str | None:
    """Return why a parser, control or package does not fit the wanted type, None when it does."""
    if wanted.kind != given.kind:
        return f"it is a {given.kind}, not a {wanted.kind}"
    if wanted.kind == "package":
        if wanted.name != given.name:
            return f"it is a `{given.name}`"
        fits = _match_each(wanted.arguments, given.arguments) or not wanted.arguments
        return None if fits else f"it is a `{given}`"
    required = len([p for p in wanted.parameters if not (p.optional or p.has_default)])
    if not required <= len(given.parameters) <= len(wanted.parameters):
        return f"it has {len(given.parameters)} parameters instead of {len(wanted.parameters)}"
    pairs = zip(wanted.parameters, given.parameters, strict=False)
    for number, (want, have) in enumerate(pairs, 1):
        if want.direction != have.direction:
            return (
                f"parameter {number}, `{have.name}`, is {_direction(have.direction)}"
                f" instead of {_direction(want.direction)}"
            )
        if not matches(want.type, have.type):
            return (
                f"parameter {number}, `{have.name}`, has type `{have.type}`"
                f" instead of `{want.type}`"
            )
    return None


def _direction(direction: str) -> str:
    return f"`{direction}`" if direction else "without a direction"
