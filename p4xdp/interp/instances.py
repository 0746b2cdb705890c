"""Compile-time evaluation: instances, and the names that the control plane knows (section 18).

Each constructor call makes one instance for each instance of the block that it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.architecture_rules.uses import calls
from p4xdp.interp import expressions, table_declarations, value_sets
from p4xdp.interp.machine import (
    Block,
    Construction,
    ExternInstance,
    ExternObject,
    Run,
    Stuck,
)
from p4xdp.interp.values import Frame, Thing, Value

THIS = object()
"""What `this` stands for in the cells of a method's frame."""

BLOCK = object()
"""The block whose frame this is, in the cells of the frame."""


def join(path: str, name: str) -> str:
    """Return a control-plane name inside another; a leading dot makes `name` absolute."""
    if name.startswith("."):
        return name[1:]
    return f"{path}.{name}" if path else name


def local_name(name: str, annotations: Iterable[typed.Annotation]) -> str:
    """Return the local name of a thing: what @name says, or its own (section 18.3.2)."""
    for annotation in annotations:
        if annotation.name == "name" and annotation.text is not None:
            return annotation.text
    return name


def block_of(frame: Frame) -> Block | None:
    """Return the block that a frame belongs to, None at the top level."""
    cells = frame.cells_of(BLOCK)
    found = cells[BLOCK] if cells else None
    return found if isinstance(found, Block) else None


def top_level(run: Run, declaration: object) -> Value:
    """Return the value of a constant or instance of the top level, made at its first use."""
    cells = run.machine.globals.cells
    if declaration not in cells:
        match declaration:
            case typed.Constant(value=value):
                cells[declaration] = expressions.evaluate(run, Frame(), value)
            case typed.Instance():
                cells[declaration] = instantiate(run, Frame(), declaration, "")
            case _:
                raise InternalError("interp", f"{declaration} stands for nothing")
    return cells[declaration]


def instantiate(run: Run, frame: Frame, instance: typed.Instance, path: str) -> Thing:
    """Return the instance of a declaration that stands in the block of name `path`."""
    where = join(path, local_name(instance.name, instance.annotations))
    made = make(run, frame, instance.target, instance.arguments, where, instance)
    if not instance.methods:
        return made
    if not isinstance(made, ExternObject):
        raise InternalError("interp", "methods of something that is no extern", instance.span)
    own = Frame(outer=frame)
    wrapped = ExternInstance(
        made, dict(zip(instance.implemented, instance.methods, strict=True)), own
    )
    own.cells[THIS] = wrapped
    for inner in instance.inner:
        own.cells[inner] = instantiate(run, own, inner, where)
    return wrapped


def construct(run: Run, frame: Frame, expr: typed.Construct) -> Thing:
    """Return the instance that a constructor call in an expression makes, one for each block;
    applied directly, it goes by the name of its type (section 15.1)."""
    block = block_of(frame)
    path = join(block.path if block else "", expr.target.name)
    return _constructed(run, frame, expr, path)


def _constructed(run: Run, frame: Frame, expr: typed.Construct, path: str) -> Thing:
    key = (id(block_of(frame)), id(expr))
    made = run.machine.constructed
    if key not in made:
        made[key] = make(run, frame, expr.target, expr.arguments, path, expr)
    return made[key]


def make(
    run: Run,
    frame: Frame,
    target: typed.Constructible,
    arguments: Sequence[typed.Expression | None],
    path: str,
    source: typed.Instance | typed.Construct,
) -> Thing:
    """Return a new instance with the control-plane name `path`."""
    match target:
        case typed.Extern():
            return _make_object(run, frame, target, arguments, path, source)
        case typed.Parser() | typed.Control():
            return make_block(run, frame, target, arguments, path)
        case typed.Package():
            raise Stuck("a package inside another", source.span)


def _make_object(
    run: Run,
    frame: Frame,
    target: typed.Extern,
    arguments: Sequence[typed.Expression | None],
    path: str,
    source: typed.Instance | typed.Construct,
) -> Thing:
    constructor = run.machine.library.objects.get(target.name)
    kinds = source.type.arguments if isinstance(source.type, t.ExternType) else ()
    if constructor is None:
        return _methods_alone(target, path, source)
    wanted = _parameters(target, len(arguments))
    values = {
        parameter.name: expressions.evaluate(run, frame, argument)
        for parameter, argument in zip(wanted, arguments, strict=True)
        if argument is not None
    }
    made = constructor(Construction(path, kinds, values))
    run.machine.objects[path] = made
    return made


def _methods_alone(
    target: typed.Extern, path: str, source: typed.Instance | typed.Construct
) -> ExternObject:
    """Return an object of which only the methods are known that the program gives it."""
    if not isinstance(source, typed.Instance) or not source.methods:
        raise Stuck(f"the extern `{target.name}` is not known here", source.span)
    return ExternObject(path)


def _parameters(target: typed.Extern, count: int) -> tuple[typed.Parameter, ...]:
    for constructor in target.constructors:
        if len(constructor.parameters) == count:
            return constructor.parameters
    raise InternalError("interp", f"{target.name} has no constructor of {count} parameters")


def make_block(
    run: Run,
    frame: Frame,
    target: typed.Parser | typed.Control,
    arguments: Sequence[typed.Expression | None],
    path: str,
) -> Block:
    """Return an instance of a parser or control with all that is instantiated in it, and of what
    it applies directly, so that the control plane knows its tables before the first packet."""
    block = Block(target, path, Frame())
    inner = block.frame
    inner.cells[BLOCK] = block
    for parameter, argument in zip(target.constructor_parameters, arguments, strict=True):
        inner.cells[parameter] = _argument(run, frame, parameter, argument, path)
    for declaration in target.locals:
        match declaration:
            case typed.Instance():
                inner.cells[declaration] = instantiate(run, inner, declaration, path)
            case typed.Constant(value=value):
                inner.cells[declaration] = expressions.evaluate(run, inner, value)
            case typed.ValueSet():
                name = join(path, local_name(declaration.name, declaration.annotations))
                members = value_sets.make_value_set(run, block, declaration, name)
                block.value_sets[declaration] = run.machine.tables[name] = members
            case typed.Table():
                name = join(path, local_name(declaration.name, declaration.annotations))
                state = table_declarations.make_table(run, block, declaration, name)
                block.tables[declaration] = state
                run.machine.tables[name] = state
            case typed.Variable() | typed.Action():
                pass
    for call in calls(_code(target)):
        match call.callee:
            case typed.ApplyCallee(instance=typed.Construct() as applied):
                construct(run, inner, applied)
            case _:
                pass
    return block


def _code(target: typed.Parser | typed.Control) -> object:
    if isinstance(target, typed.Control):
        return target.apply
    return tuple([state.statements for state in target.states])


def _argument(
    run: Run,
    frame: Frame,
    parameter: typed.Parameter,
    argument: typed.Expression | None,
    path: str,
) -> Value:
    """Return a constructor's argument; an instance made for it bears the parameter's name."""
    if argument is None:
        argument, frame = parameter.default, Frame()
    if argument is None:
        raise Stuck(f"no value for parameter `{parameter.name}`", parameter.span)
    is_thing = isinstance(parameter.type, t.ExternType | t.BlockType)
    if is_thing and isinstance(argument, typed.Construct):
        return _constructed(run, frame, argument, join(path, parameter.name))
    return expressions.evaluate(run, frame, argument)
