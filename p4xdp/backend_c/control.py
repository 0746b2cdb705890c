"""The functions of out.h for one table: setters, getters, and the calls that change its entries."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.backend_c import access
from p4xdp.backend_c.cwriter import inline_function
from p4xdp.backend_c.layout import variable_type
from p4xdp.backend_c.model import Action, Scalar, Table
from p4xdp.backend_c.numbers import address, parameter, put


def functions(table: Table) -> list[str]:
    """Return the C functions, in the order of the header."""
    return [*_keys(table), *_values(table), *_entries(table), *_defaults(table)]


def getter(scalar: Scalar, name: str, struct: str, member: str) -> str:
    """Return a function that gives a number; wide ones are copied out."""
    argument = f"const {struct} *from"
    if scalar.width > 64:
        arguments = [argument, f"__u8 to[{scalar.size}]"]
        return inline_function(
            "void ", name, arguments, f"memcpy(to, from->{member}, {scalar.size});"
        )
    kind = variable_type(scalar.width)
    value = f"p4xdp_get({address(scalar, f'from->{member}')}, {scalar.size})"
    return inline_function(f"{kind} ", name, [argument], f"return ({kind}){value};")


# Keys


def _keys(table: Table) -> Iterator[str]:
    if not table.has_map:
        return
    struct, prefix = f"struct {table.c_name}_key", f"{table.c_name}_key"
    for key in table.keys:
        yield from access.of(table).key_setters(table, key)
        yield getter(key, f"{prefix}_get_{key.label}", struct, key.c_name)


# Values


def _values(table: Table) -> Iterator[str]:
    struct, prefix = f"struct {table.c_name}_value", f"{table.c_name}_value"
    for action in table.actions:
        yield _value_setter(table, action, struct, prefix)
        for datum in action.data:
            name = f"{prefix}_get_{action.c_name}_{datum.c_name}"
            yield getter(datum, name, struct, f"u.{action.c_name}.{datum.c_name}")


def _value_setter(table: Table, action: Action, struct: str, prefix: str) -> str:
    arguments = [f"{struct} *to", *(parameter(datum, datum.c_name) for datum in action.data)]
    body = ["memset(to, 0, sizeof(*to));", f"to->action = {action.enumerator};"]
    if table.kind == "array":
        body.append("to->in_use = 1;")
    for datum in action.data:
        body.append(put(datum, f"to->u.{action.c_name}.{datum.c_name}", datum.c_name))
    return inline_function("void ", f"{prefix}_set_{action.c_name}", arguments, *body)


# Entries


def _entries(table: Table) -> Iterator[str]:
    if not table.has_map:
        return
    name = table.c_name
    yield inline_function(
        "int ",
        f"{name}_open",
        ["const char *pin_dir"],
        f"return p4xdp_open(pin_dir, {name.upper()}_MAP);",
    )
    yield from access.of(table).control(table)


# Defaults


def _defaults(table: Table) -> Iterator[str]:
    if not table.has_default:
        return
    name = table.c_name
    getter = ["const char *pin_dir", f"struct {name}_value *value"]
    setter = ["const char *pin_dir", f"const struct {name}_value *value"]
    if table.has_slots:
        both = f"struct {name}_defaults both;"
        rest = f'(pin_dir, "{name}_default", value, sizeof(*value), &both);'
        write, read = f"return p4xdp_slots_write{rest}", f"return p4xdp_slots_read{rest}"
        yield inline_function("int ", f"{name}_set_default", setter, both, "", write)
        yield inline_function("int ", f"{name}_get_default", getter, both, "", read)
        return
    rest = f'(pin_dir, "{name}_default", value);'
    yield inline_function("int ", f"{name}_set_default", setter, f"return p4xdp_data_write{rest}")
    yield inline_function("int ", f"{name}_get_default", getter, f"return p4xdp_data_read{rest}")
