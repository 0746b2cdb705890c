"""The syntax tree as P4 text, laid out the usual way; parsing the text gives the same tree.

In: a node of `syntax`. Out: text. It serves tests and dumps; comments and macros are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import assert_never

from p4xdp.frontend import syntax as s
from p4xdp.frontend.tree_expressions import PRECEDENCE

INDENT = "    "

_CONDITIONAL = 0
_COMPARISON = PRECEDENCE["<"]
_UNARY = max(PRECEDENCE.values()) + 1
_POSTFIX = _UNARY + 1


def print_program(program: s.P4Program) -> str:
    """Return the text of a whole program."""
    printer = _Printer()
    for declaration in program.declarations:
        printer.declaration(declaration)
    return "".join(f"{line}\n" for line in printer.lines)


def print_statement(statement: s.Statement) -> str:
    """Return the text of one statement, with a line break at its end."""
    printer = _Printer()
    printer.statement(statement)
    return "".join(f"{line}\n" for line in printer.lines)


# Types


def print_type(type_: s.Type) -> str:
    """Return the text of a type."""
    match type_:
        case s.BaseType(name):
            return name
        case s.BitType(kind, width):
            shown = print_expression(width)
            return f"{kind}<{shown if isinstance(width, s.IntLiteral) else f'({shown})'}>"
        case s.NamedType(name):
            return _name(name)
        case s.SpecializedType(base, arguments):
            return f"{print_type(base)}<{_types(arguments)}>"
        case s.StackType(element, size):
            return f"{print_type(element)}[{print_expression(size)}]"
        case s.TupleType(elements):
            return f"tuple<{_types(elements)}>"
        case s.DontCareType():
            return "_"
        case _:
            assert_never(type_)


def _types(types: Iterable[s.Type]) -> str:
    return ", ".join(print_type(type_) for type_ in types)


def _name(name: s.Name) -> str:
    return f".{name.text}" if name.absolute else name.text


# Expressions


def print_expression(expression: s.Expression) -> str:
    """Return the text of an expression."""
    return _expression(expression)[0]


def _within(expression: s.Expression, least: int) -> str:
    """Return the text of an operand, in parentheses when it binds more weakly than `least`."""
    text, level = _expression(expression)
    return text if level >= least else f"({text})"


def _expression(expression: s.Expression) -> tuple[str, int]:
    """Return the text of an expression and how strongly it binds."""
    match expression:
        case s.Binary(operator, left, right):
            level = PRECEDENCE[operator]
            least = level + 1 if level == _COMPARISON else level
            return f"{_within(left, least)} {operator} {_within(right, level + 1)}", level
        case s.Conditional(condition, then, otherwise):
            first = _within(condition, _CONDITIONAL + 1)
            return f"{first} ? {print_expression(then)} : {print_expression(otherwise)}", 0
        case s.Default():
            return "...", _CONDITIONAL
        case s.Unary(operator, operand):
            shown = _within(operand, _UNARY)
            return f"{operator}{f'({shown})' if shown.startswith('+') else shown}", _UNARY
        case s.Cast(type_, operand):
            return f"({print_type(type_)}) {_within(operand, _UNARY)}", _UNARY
        case s.ListExpr() | s.StructExpr() | s.InvalidHeader():
            return _braced(expression), _UNARY
        case _:
            return _postfix(expression), _POSTFIX


def _braced(expression: s.ListExpr | s.StructExpr | s.InvalidHeader) -> str:
    match expression:
        case s.InvalidHeader():
            return "{#}"
        case s.ListExpr(elements, rest):
            parts = [print_expression(element) for element in elements]
        case s.StructExpr(fields, rest):
            parts = [f"{_name(name)} = {print_expression(value)}" for name, value in fields]
    return f"{{ {', '.join([*parts, *(['...'] if rest else [])])} }}"


def _postfix(
    expression: s.IntLiteral
    | s.BoolLiteral
    | s.StringLiteral
    | s.NameExpr
    | s.TypeExpr
    | s.This
    | s.Member
    | s.Index
    | s.Slice
    | s.Call,
) -> str:
    match expression:
        case s.IntLiteral():
            return _number(expression)
        case s.BoolLiteral(value):
            return "true" if value else "false"
        case s.StringLiteral(text):
            return f'"{text}"'
        case s.NameExpr(name):
            return _name(name)
        case s.TypeExpr(type_):
            return print_type(type_)
        case s.This():
            return "this"
        case s.Member(base, name):
            return f"{_within(base, _POSTFIX)}.{_name(name)}"
        case s.Index(base, index):
            return f"{_within(base, _POSTFIX)}[{print_expression(index)}]"
        case s.Slice(base, high, low, plus):
            between = "+:" if plus else ":"
            bounds = f"{print_expression(high)}{between}{print_expression(low)}"
            return f"{_within(base, _POSTFIX)}[{bounds}]"
        case s.Call(callee, type_arguments, arguments):
            types = f"<{_types(type_arguments)}>" if type_arguments else ""
            return f"{_within(callee, _POSTFIX)}{types}({_arguments(arguments)})"
        case _:
            assert_never(expression)


def _number(literal: s.IntLiteral) -> str:
    if literal.text:
        return literal.text
    if literal.width is None:
        return str(literal.value)
    bits = literal.value & ((1 << literal.width) - 1)
    return f"{literal.width}{'s' if literal.signed else 'w'}{bits}"


def _arguments(arguments: Iterable[s.Argument]) -> str:
    parts = []
    for argument in arguments:
        value = "_" if argument.value is None else print_expression(argument.value)
        parts.append(f"{_name(argument.name)} = {value}" if argument.name else value)
    return ", ".join(parts)


def _keyset(keyset: s.Keyset) -> str:
    match keyset:
        case s.DontCareKey(default):
            return "default" if default else "_"
        case s.ValueKey(value):
            return print_expression(value)
        case s.MaskKey(value, mask):
            return f"{print_expression(value)} &&& {print_expression(mask)}"
        case s.RangeKey(low, high):
            return f"{print_expression(low)} .. {print_expression(high)}"
        case s.TupleKey(elements):
            return f"({', '.join(_keyset(element) for element in elements)})"
        case _:
            assert_never(keyset)


# Parts of declarations


def _annotations(annotations: Iterable[s.Annotation]) -> str:
    return "".join(f"{_annotation(annotation)} " for annotation in annotations)


def _annotation(annotation: s.Annotation) -> str:
    if annotation.values is not None:
        values = (
            f"{key} = {print_expression(value)}" if key else print_expression(value)
            for key, value in annotation.values
        )
        return f"@{annotation.name}[{', '.join(values)}]"
    if annotation.body is not None:
        return f"@{annotation.name}({' '.join(annotation.body)})"
    return f"@{annotation.name}"


def _type_parameters(names: Sequence[s.Name]) -> str:
    return f"<{', '.join(_name(name) for name in names)}>" if names else ""


def _parameters(parameters: Iterable[s.Parameter]) -> str:
    return f"({', '.join(_parameter(parameter) for parameter in parameters)})"


def _parameter(parameter: s.Parameter) -> str:
    direction = f"{parameter.direction.value} " if parameter.direction.value else ""
    default = "" if parameter.default is None else f" = {print_expression(parameter.default)}"
    declared = f"{print_type(parameter.type)} {_name(parameter.name)}{default}"
    return f"{_annotations(parameter.annotations)}{direction}{declared}"


def _prototype(prototype: s.Prototype) -> str:
    abstract = "abstract " if prototype.abstract else ""
    result = "" if prototype.result is None else f"{print_type(prototype.result)} "
    signature = _type_parameters(prototype.type_parameters) + _parameters(prototype.parameters)
    annotations = _annotations(prototype.annotations)
    return f"{annotations}{abstract}{result}{_name(prototype.name)}{signature}"


def _head(declaration: s.ArchitectureType | s.Parser | s.Control, kind: str) -> str:
    signature = _type_parameters(declaration.type_parameters) + _parameters(declaration.parameters)
    return f"{_annotations(declaration.annotations)}{kind} {_name(declaration.name)}{signature}"


def _action_ref(action: s.ActionRef) -> str:
    arguments = "" if action.arguments is None else f"({_arguments(action.arguments)})"
    return f"{_annotations(action.annotations)}{_name(action.name)}{arguments}"


def _variable(variable: s.Variable | s.Constant) -> str:
    value = "" if variable.value is None else f" = {print_expression(variable.value)}"
    const = "const " if isinstance(variable, s.Constant) else ""
    declared = f"{print_type(variable.type)} {_name(variable.name)}{value}"
    return f"{_annotations(variable.annotations)}{const}{declared}"


def _simple_statement(statement: s.Statement) -> str:
    """Return the text of a statement in the head of a `for`, without its `;`."""
    match statement:
        case s.Variable():
            return _variable(statement)
        case s.Assignment(target, operator, value):
            return f"{_within(target, _POSTFIX)} {operator} {print_expression(value)}"
        case s.CallStatement(call):
            return print_expression(call)
        case _:
            raise ValueError(f"no part of a `for` head: {statement}")


class _Printer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.margin = ""

    def line(self, text: str) -> None:
        self.lines.append(f"{self.margin}{text}" if text else "")

    @contextmanager
    def braces(self, head: str, end: str = "}") -> Iterator[None]:
        self.line(f"{head} {{" if head else "{")
        self.margin += INDENT
        yield
        self.margin = self.margin[: -len(INDENT)]
        self.line(end)

    # Statements

    def statements(self, statements: Iterable[s.Statement]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: s.Statement, head: str = "") -> None:
        """Write a statement; `head` is what stands in front of it on its first line."""
        match statement:
            case s.Assignment() | s.CallStatement():
                self.line(f"{head}{_simple_statement(statement)};")
            case s.Variable():
                self.line(f"{head}{_variable(statement)};")
            case s.Constant() | s.Instantiation():
                self.declaration(statement)
            case s.Empty():
                self.line(f"{head};")
            case s.Block():
                with self.braces((head + _annotations(statement.annotations)).rstrip()):
                    self.statements(statement.statements)
            case s.If():
                self.if_statement(statement, head)
            case s.Switch():
                self.switch(statement, head)
            case s.For() | s.ForIn():
                self.statement(statement.body, f"{head}{_for_head(statement)} ")
            case s.Return(value):
                shown = "" if value is None else f" {print_expression(value)}"
                self.line(f"{head}return{shown};")
            case s.Exit():
                self.line(f"{head}exit;")
            case s.Break():
                self.line(f"{head}break;")
            case s.Continue():
                self.line(f"{head}continue;")
            case _:
                assert_never(statement)

    def if_statement(self, statement: s.If, head: str) -> None:
        condition = print_expression(statement.condition)
        then = statement.then
        if statement.otherwise is not None and not isinstance(then, s.Block):
            then = then if _is_closed(then) else s.Block((then,), (), then.span)
        self.statement(then, f"{head}if ({condition}) ")
        if statement.otherwise is not None:
            lead = "else "
            if self.lines[-1] == f"{self.margin}}}":
                self.lines.pop()
                lead = "} else "
            self.statement(statement.otherwise, lead)

    def switch(self, statement: s.Switch, head: str) -> None:
        with self.braces(f"{head}switch ({print_expression(statement.selector)})"):
            for case in statement.cases:
                label = "default" if case.label is None else _label(case.label)
                if case.body is None:
                    self.line(f"{label}:")
                else:
                    self.statement(case.body, f"{label}: ")

    # Declarations

    def declaration(self, declaration: s.Declaration) -> None:
        match declaration:
            case s.Constant() | s.Variable():
                self.line(f"{_variable(declaration)};")
            case s.Instantiation():
                self.instantiation(declaration)
            case s.FieldsDeclaration() | s.EnumDeclaration():
                self.derived_type(declaration, "", "}")
            case s.ErrorDeclaration(names):
                self.names("error", names)
            case s.MatchKindDeclaration(names):
                self.names("match_kind", names)
            case s.TypeAlias():
                self.type_alias(declaration)
            case s.ExternFunction(prototype, annotations):
                self.line(f"{_annotations(annotations)}extern {_prototype(prototype)};")
            case s.ExternObject():
                self.extern_object(declaration)
            case s.Function(prototype, body):
                self.statement(body, f"{_prototype(prototype)} ")
            case s.Action():
                self.statement(declaration.body, f"{_action_head(declaration)} ")
            case s.ArchitectureType():
                self.line(f"{_head(declaration, declaration.kind)};")
            case s.ValueSet():
                lead = f"{_annotations(declaration.annotations)}value_set"
                size = print_expression(declaration.size)
                shown = f"<{print_type(declaration.type)}>({size}) {_name(declaration.name)}"
                self.line(f"{lead}{shown};")
            case s.Parser():
                self.parser(declaration)
            case s.Table():
                self.table(declaration)
            case s.Control():
                self.control(declaration)
            case _:
                assert_never(declaration)

    def instantiation(self, declaration: s.Instantiation) -> None:
        type_, stacks = declaration.type, ""
        while isinstance(type_, s.StackType):
            stacks = f"[{print_expression(type_.size)}]{stacks}"
            type_ = type_.element
        made = f"{print_type(type_)}({_arguments(declaration.arguments)})"
        lead = f"{_annotations(declaration.annotations)}{made} {_name(declaration.name)}{stacks}"
        if declaration.initializer is None:
            self.line(f"{lead};")
            return
        with self.braces(f"{lead} =", "};"):
            for inner in declaration.initializer:
                self.declaration(inner)

    def derived_type(
        self, declaration: s.FieldsDeclaration | s.EnumDeclaration, lead: str, end: str
    ) -> None:
        lead += _annotations(declaration.annotations)
        if isinstance(declaration, s.FieldsDeclaration):
            parameters = _type_parameters(declaration.type_parameters)
            with self.braces(
                f"{lead}{declaration.kind} {_name(declaration.name)}{parameters}", end
            ):
                for field in declaration.fields:
                    declared = f"{print_type(field.type)} {_name(field.name)}"
                    self.line(f"{_annotations(field.annotations)}{declared};")
            return
        under = "" if declaration.type is None else f"{print_type(declaration.type)} "
        with self.braces(f"{lead}enum {under}{_name(declaration.name)}", end):
            for name, value in declaration.members:
                shown = "" if value is None else f" = {print_expression(value)}"
                self.line(f"{_name(name)}{shown},")

    def names(self, word: str, names: Iterable[s.Name]) -> None:
        self.line(f"{word} {{ {', '.join(_name(name) for name in names)} }}")

    def type_alias(self, declaration: s.TypeAlias) -> None:
        lead = _annotations(declaration.annotations) + ("type " if declaration.new else "typedef ")
        name = _name(declaration.name)
        target = declaration.target
        if isinstance(target, s.FieldsDeclaration | s.EnumDeclaration):
            self.derived_type(target, lead, f"}} {name};")
        elif isinstance(target, s.Type):
            self.line(f"{lead}{print_type(target)} {name};")

    def extern_object(self, declaration: s.ExternObject) -> None:
        parameters = _type_parameters(declaration.type_parameters)
        lead = f"{_annotations(declaration.annotations)}extern {_name(declaration.name)}"
        with self.braces(f"{lead}{parameters}"):
            for method in declaration.methods:
                self.line(f"{_prototype(method)};")

    def parser(self, declaration: s.Parser) -> None:
        with self.braces(_block_head(declaration, "parser")):
            for local in declaration.locals:
                self.declaration(local)
            for state in declaration.states:
                with self.braces(f"{_annotations(state.annotations)}state {_name(state.name)}"):
                    self.statements(state.statements)
                    self.transition(state.transition)

    def transition(self, transition: s.Name | s.Select | None) -> None:
        match transition:
            case None:
                pass
            case s.Name():
                self.line(f"transition {_name(transition)};")
            case s.Select(keys, cases):
                shown = ", ".join(print_expression(key) for key in keys)
                with self.braces(f"transition select({shown})"):
                    for case in cases:
                        self.line(f"{_keyset(case.keyset)}: {_name(case.state)};")
            case _:
                assert_never(transition)

    def control(self, declaration: s.Control) -> None:
        with self.braces(_block_head(declaration, "control")):
            for local in declaration.locals:
                self.declaration(local)
            self.statement(declaration.apply, "apply ")

    def table(self, declaration: s.Table) -> None:
        with self.braces(f"{_annotations(declaration.annotations)}table {_name(declaration.name)}"):
            for table_property in declaration.properties:
                self.table_property(table_property)

    def table_property(self, table_property: s.TableProperty) -> None:
        match table_property:
            case s.KeyProperty(elements):
                with self.braces("key ="):
                    for key in elements:
                        annotations = _annotations(key.annotations).rstrip()
                        shown = f"{print_expression(key.expression)} : {_name(key.match_kind)}"
                        self.line(f"{shown} {annotations};" if annotations else f"{shown};")
            case s.ActionsProperty(actions):
                with self.braces("actions ="):
                    for action in actions:
                        self.line(f"{_action_ref(action)};")
            case s.EntriesProperty(const, entries):
                with self.braces("const entries =" if const else "entries ="):
                    for entry in entries:
                        self.line(_entry(entry))
            case s.OtherProperty(const, name, value, annotations):
                lead = f"{_annotations(annotations)}{'const ' if const else ''}{_name(name)}"
                self.line(f"{lead} = {print_expression(value)};")
            case _:
                assert_never(table_property)


def _entry(entry: s.Entry) -> str:
    priority = ""
    if entry.priority is not None:
        shown = print_expression(entry.priority)
        plain = isinstance(entry.priority, s.IntLiteral)
        priority = f"priority = {shown if plain else f'({shown})'} : "
    const = "const " if entry.const else ""
    annotations = _annotations(entry.annotations).rstrip()
    end = f" {annotations};" if annotations else ";"
    return f"{const}{priority}{_keyset(entry.keyset)} : {_action_ref(entry.action)}{end}"


def _for_head(statement: s.For | s.ForIn) -> str:
    if isinstance(statement, s.ForIn):
        type_ = "" if statement.type is None else f"{print_type(statement.type)} "
        collection = print_expression(statement.collection)
        high = "" if statement.high is None else f" .. {print_expression(statement.high)}"
        return f"for ({type_}{_name(statement.name)} in {collection}{high})"
    init = ", ".join(_simple_statement(part) for part in statement.init)
    update = ", ".join(_simple_statement(part) for part in statement.update)
    return f"for ({init}; {print_expression(statement.condition)}; {update})"


def _is_closed(statement: s.Statement) -> bool:
    """Tell whether an `else` behind the statement cannot belong to an `if` inside it."""
    while True:
        match statement:
            case s.If(otherwise=None):
                return False
            case s.If(otherwise=otherwise) if otherwise is not None:
                statement = otherwise
            case s.For(body=body) | s.ForIn(body=body):
                statement = body
            case _:
                return True


def _label(label: s.Expression) -> str:
    """Return the text of a switch label, which must not begin with a brace."""
    text = print_expression(label)
    return f"({text})" if text.startswith("{") else text


def _action_head(action: s.Action) -> str:
    lead = f"{_annotations(action.annotations)}action {_name(action.name)}"
    return f"{lead}{_parameters(action.parameters)}"


def _block_head(declaration: s.Parser | s.Control, kind: str) -> str:
    constructor = declaration.constructor_parameters
    return _head(declaration, kind) + (_parameters(constructor) if constructor else "")
