"""Compile-time evaluation: constructor calls become instances, each made once (section 18.3)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import expressions
from p4xdp.frontend.elaborate.walk import THIS, Block, Bound, Env, ExternObject, Walk


def join(path: str, name: str) -> str:
    """Return a control-plane name inside another; a leading dot makes `name` absolute."""
    if name.startswith("."):
        return name[1:]
    return f"{path}.{name}" if path else name


def local_name(name: str, annotations: Sequence[typed.Annotation]) -> str:
    """Return the name that the control plane sees: @name before the program's own."""
    for annotation in annotations:
        if annotation.name == "name" and annotation.text is not None:
            return annotation.text
    return name


def instantiate(walk: Walk, env: Env, instance: typed.Instance, path: str) -> Bound:
    """Return the new instance of a declaration; `path` is where the declaration stands."""
    where = join(path, local_name(instance.name, instance.annotations))
    made = make(walk, env, instance.target, instance.arguments, where, instance.type, instance.span)
    if isinstance(made, ExternObject) and instance.methods:
        made.methods = dict(zip(instance.implemented, instance.methods, strict=True))
        made.env = Env(outer=env, bindings={THIS: made})
        for inner in instance.inner:
            made.env.bindings[inner] = instantiate(walk, made.env, inner, where)
    return made


def construct(walk: Walk, env: Env, expr: typed.Construct, path: str) -> Bound:
    """Return the instance that a constructor call makes, one for each place and instance."""
    block = env.root.block
    made = walk.globals if block is None else block.children
    key = id(expr)
    if key not in made:
        made[key] = make(walk, env, expr.target, expr.arguments, path, expr.type, expr.span)
    return made[key]


def make(
    walk: Walk,
    env: Env,
    target: typed.Constructible,
    arguments: Sequence[typed.Expression | None],
    path: str,
    kind: t.Type,
    span: Span,
) -> Bound:
    """Return an instance of type `kind` with the control-plane name `path`."""
    match target:
        case typed.Extern():
            values = tuple(
                None if argument is None else _value(walk, env, argument, path)
                for argument in arguments
            )
            return ExternObject(target, path, values, kind, span)
        case typed.Parser() | typed.Control():
            return make_block(walk, env, target, arguments, path)
        case typed.Package():
            raise InternalError("elaborate", "a package inside another", span)


def make_block(
    walk: Walk,
    env: Env,
    target: typed.Parser | typed.Control,
    arguments: Sequence[typed.Expression | None],
    path: str,
) -> Block:
    """Return an instance of a parser or control with all that is declared in it."""
    block = Block(target, path, {})
    for parameter, argument in zip(target.constructor_parameters, arguments, strict=True):
        block.arguments[parameter] = _argument(walk, env, parameter, argument, path)
    inner = Env(block=block, bindings=dict(block.arguments))
    walk.blocks.append((block, inner))
    for declaration in target.locals:
        with walk.noting():
            _declare(walk, inner, block, declaration)
    return block


def _declare(walk: Walk, inner: Env, block: Block, declaration: typed.LocalDeclaration) -> None:
    """Make what is known before anything runs: instances and constants."""
    match declaration:
        case typed.Instance():
            child = instantiate(walk, inner, declaration, block.path)
            block.children[declaration] = child
            inner.bindings[declaration] = child
        case typed.Constant(value=value):
            inner.bindings[declaration] = expressions.evaluate(walk, inner, value)


def _argument(
    walk: Walk,
    env: Env,
    parameter: typed.Parameter,
    argument: typed.Expression | None,
    path: str,
) -> Bound:
    if argument is None:
        argument, env = parameter.default, Env()
    if argument is None:
        raise InternalError("elaborate", f"no value for {parameter.name}", parameter.span)
    return _value(walk, env, argument, join(path, parameter.name))


def _value(walk: Walk, env: Env, argument: typed.Expression, path: str) -> Bound:
    """Return an argument of a constructor: an instance, named `path` if it is new, or a value."""
    if isinstance(argument.type, t.ExternType | t.BlockType):
        return expressions.instance(walk, env, argument, path)
    return expressions.evaluate(walk, env, argument)


def block_of(found: Bound, span: Span) -> Block:
    if not isinstance(found, Block):
        raise InternalError("elaborate", f"{found} cannot be applied", span)
    return found
