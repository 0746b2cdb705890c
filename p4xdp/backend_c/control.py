"""The functions of out.h for one table: setters, getters, and the calls that change its entries."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.backend_c.cwriter import wrapped
from p4xdp.backend_c.layout import variable_type
from p4xdp.backend_c.model import Action, Scalar, Table


def functions(table: Table) -> list[str]:
    """Return the C functions, in the order of the header."""
    return [*_keys(table), *_values(table), *_entries(table), *_defaults(table)]


def _function(result: str, name: str, arguments: list[str], *body: str) -> str:
    head = wrapped(f"static inline {result}{name}(", arguments, ")")
    lines = "".join(f"\t{line}\n" if line else "\n" for line in body)
    return f"{head}\n{{\n{lines}}}\n"


# Numbers


def _parameter(scalar: Scalar, name: str) -> str:
    if scalar.width > 64:
        return f"const __u8 {name}[{scalar.size}]"
    return f"{variable_type(scalar.width)} {name}"


def _put(scalar: Scalar, member: str, value: str) -> str:
    if scalar.width > 64:
        return f"memcpy({member}, {value}, {scalar.size});"
    return f"p4xdp_put({_address(scalar, member)}, {scalar.size}, {_low_bits(scalar, value)});"


def _low_bits(scalar: Scalar, value: str) -> str:
    if scalar.width in (8, 16, 32, 64):
        return value
    return f"{value} & 0x{(1 << scalar.width) - 1:x}{'ULL' if scalar.width > 32 else ''}"


def _address(scalar: Scalar, member: str) -> str:
    return member if scalar.is_array else f"&{member}"


def _getter(scalar: Scalar, name: str, struct: str, member: str) -> str:
    """Return a function that gives a number; wide ones are copied out."""
    argument = f"const {struct} *from"
    if scalar.width > 64:
        arguments = [argument, f"__u8 to[{scalar.size}]"]
        return _function("void ", name, arguments, f"memcpy(to, from->{member}, {scalar.size});")
    kind = variable_type(scalar.width)
    value = f"p4xdp_get({_address(scalar, f'from->{member}')}, {scalar.size})"
    return _function(f"{kind} ", name, [argument], f"return ({kind}){value};")


# Keys


def _keys(table: Table) -> Iterator[str]:
    if not table.has_map:
        return
    struct, prefix = f"struct {table.c_name}_key", f"{table.c_name}_key"
    for key in table.keys:
        setter = f"{prefix}_set_{key.label}"
        arguments = [f"{struct} *key", _parameter(key, "value")]
        body = [_put(key, f"key->{key.c_name}", "value")]
        if table.kind == "lpm" and key.kind == "lpm":
            full = table.prefix_base + key.width
            yield _function("void ", setter, arguments, *body, f"key->prefixlen = {full};")
            arguments = [*arguments, "__u32 length"]
            length = f"key->prefixlen = {table.prefix_base} + length;"
            yield _function("void ", f"{setter}_prefix", arguments, *body, length)
        else:
            yield _function("void ", setter, arguments, *body)
        yield _getter(key, f"{prefix}_get_{key.label}", struct, key.c_name)
    if table.kind == "ternary":
        yield from _masks(table, struct)


def _masks(table: Table, struct: str) -> Iterator[str]:
    """Return functions for masks, which are key structs too."""
    full = []
    for key in table.keys:
        member = _address(key, f"mask->{key.c_name}")
        if key.kind == "range":
            continue
        full.append(f"p4xdp_put_prefix({member}, {key.size}, {key.width}, {key.width});")
        if key.kind == "lpm":
            yield _function(
                "void ",
                f"{table.c_name}_mask_set_{key.label}_prefix",
                [f"{struct} *mask", "int length"],
                f"p4xdp_put_prefix({member}, {key.size}, {key.width}, length);",
            )
    clear = "memset(mask, 0, sizeof(*mask));"
    yield _function("void ", f"{table.c_name}_mask_all", [f"{struct} *mask"], clear, *full)


# Values


def _values(table: Table) -> Iterator[str]:
    struct, prefix = f"struct {table.c_name}_value", f"{table.c_name}_value"
    for action in table.actions:
        yield _value_setter(table, action, struct, prefix)
        for datum in action.data:
            name = f"{prefix}_get_{action.c_name}_{datum.c_name}"
            yield _getter(datum, name, struct, f"u.{action.c_name}.{datum.c_name}")


def _value_setter(table: Table, action: Action, struct: str, prefix: str) -> str:
    arguments = [f"{struct} *to", *(_parameter(datum, datum.c_name) for datum in action.data)]
    body = ["memset(to, 0, sizeof(*to));", f"to->action = {action.enumerator};"]
    if table.kind == "array":
        body.append("to->in_use = 1;")
    for datum in action.data:
        body.append(_put(datum, f"to->u.{action.c_name}.{datum.c_name}", datum.c_name))
    return _function("void ", f"{prefix}_set_{action.c_name}", arguments, *body)


# Entries


def _entries(table: Table) -> Iterator[str]:
    if not table.has_map:
        return
    name = table.c_name
    yield _function(
        "int ",
        f"{name}_open",
        ["const char *pin_dir"],
        f"return p4xdp_open(pin_dir, {name.upper()}_MAP);",
    )
    match table.kind:
        case "ternary":
            yield from _ternary_entries(table)
        case "array":
            yield from _array_entries(table)
        case _:
            yield from _keyed_entries(name, "key", [])


def _keyed_entries(name: str, key: str, before: list[str]) -> Iterator[str]:
    head = ["int fd", f"const struct {name}_key *key"]
    yield _function(
        "int ",
        f"{name}_insert",
        [*head, f"const struct {name}_value *value"],
        *before,
        f"return bpf_map_update_elem(fd, {key}, value, BPF_ANY) ? -errno : 0;",
    )
    yield _function(
        "int ",
        f"{name}_lookup",
        [*head, f"struct {name}_value *value"],
        *before,
        f"return bpf_map_lookup_elem(fd, {key}, value) ? -errno : 0;",
    )
    yield _function(
        "int ",
        f"{name}_delete",
        head,
        *before,
        f"return bpf_map_delete_elem(fd, {key}) ? -errno : 0;",
    )


def _array_entries(table: Table) -> Iterator[str]:
    """Return the same calls over an array, whose elements are in use or not."""
    name = table.c_name
    head = ["int fd", f"const struct {name}_key *key"]
    index = f"__u32 index = {name}_key_get_{table.keys[0].label}(key);"
    value = f"const struct {name}_value *value"
    yield _function(
        "int ",
        f"{name}_insert",
        [*head, value],
        index,
        f"struct {name}_value used = *value;",
        "",
        "used.in_use = 1;",
        "return bpf_map_update_elem(fd, &index, &used, BPF_ANY) ? -errno : 0;",
    )
    yield _function(
        "int ",
        f"{name}_lookup",
        [*head, f"struct {name}_value *value"],
        index,
        "",
        "if (bpf_map_lookup_elem(fd, &index, value))",
        "\treturn -errno;",
        "return value->in_use ? 0 : p4xdp_error(ENOENT);",
    )
    yield _function(
        "int ",
        f"{name}_delete",
        head,
        index,
        f"struct {name}_value unused;",
        "",
        "memset(&unused, 0, sizeof(unused));",
        "return bpf_map_update_elem(fd, &index, &unused, BPF_EXIST) ? -errno : 0;",
    )


def _ternary_entries(table: Table) -> Iterator[str]:
    assert table.ternary is not None
    name, size, offset = table.c_name, table.ternary.size, table.ternary.priority_offset
    numbers = f"{table.table.size}, {size}, {offset}"
    layout = f'{{ "{name}", "{name}_state", {numbers} }}'
    yield f"static const struct p4xdp_ternary {name}_ternary = {layout};\n"
    entry, key = f"struct {name}_entry", f"const struct {name}_key"
    ends = [f"{key} *low", f"{key} *high"] if table.ranges else []
    identity = [f"{key} *key", f"{key} *mask", *ends, "__u32 priority"]
    yield _function(
        "void ",
        f"{name}_entry_set",
        [f"{entry} *to", *identity],
        "__u8 *bytes = (__u8 *)&to->key;",
        "const __u8 *care = (const __u8 *)mask;",
        "size_t i;",
        "",
        "memset(to, 0, sizeof(*to));",
        "to->key = *key;",
        "to->mask = *mask;",
        *(_end(scalar, end) for scalar in table.ranges for end in ("low", "high")),
        f"to->priority = {'~priority' if table.table.smallest_first else 'priority'};",
        "for (i = 0; i < sizeof(to->key); i++)",
        "\tbytes[i] &= care[i];",
    )
    given = ", ".join(one.split("*")[-1].split()[-1] for one in identity)
    fill = [f"{entry} entry;", "", f"{name}_entry_set(&entry, {given});"]
    yield _function(
        "int ",
        f"{name}_insert",
        ["const char *pin_dir", *identity, f"const struct {name}_value *value"],
        *fill,
        "entry.value = *value;",
        f"return p4xdp_ternary_change(&{name}_ternary, pin_dir, &entry, 1);",
    )
    yield _function(
        "int ",
        f"{name}_delete",
        ["const char *pin_dir", *identity],
        *fill,
        f"return p4xdp_ternary_change(&{name}_ternary, pin_dir, &entry, 0);",
    )
    yield _function(
        "int ",
        f"{name}_list",
        ["const char *pin_dir", f"{entry} *entries", "__u32 most"],
        f"return p4xdp_ternary_list(&{name}_ternary, pin_dir, entries, most);",
    )


def _end(scalar: Scalar, end: str) -> str:
    """Return the statement that copies one end of a range."""
    if scalar.is_array:
        return f"memcpy(to->{end}.{scalar.c_name}, {end}->{scalar.c_name}, {scalar.size});"
    return f"to->{end}.{scalar.c_name} = {end}->{scalar.c_name};"


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
        yield _function("int ", f"{name}_set_default", setter, both, "", write)
        yield _function("int ", f"{name}_get_default", getter, both, "", read)
        return
    rest = f'(pin_dir, "{name}_default", value);'
    yield _function("int ", f"{name}_set_default", setter, f"return p4xdp_data_write{rest}")
    yield _function("int ", f"{name}_get_default", getter, f"return p4xdp_data_read{rest}")
