"""Digests: IR declarations in; structs of messages, and what sends and reads them, out."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.backend_c import layout
from p4xdp.backend_c.control import getter
from p4xdp.backend_c.cwriter import commented, wrapped
from p4xdp.backend_c.layout import variable_type
from p4xdp.backend_c.model import Digest, Map, Member, Scalar, Struct, data_map
from p4xdp.backend_c.names import Names, short_names
from p4xdp.midend import ir

MESSAGES_SIZE = 1 << 20
"""Bytes of the ring buffer: a power of two, and whole pages on every machine."""

HEAD = 16
"""Bytes of a struct p4xdp_message, which is aligned to 8."""

SUFFIXES = ("_message", "_send", "_number", "_NUMBER", "_get")


def build(program: ir.Program, names: Names) -> tuple[Digest, ...]:
    """Return the digests of the program; `names` is the file scope of the C file."""
    short = short_names(digest.name for digest in program.digests)
    return tuple(
        _digest(digest, number, names.take(short[digest.name].removesuffix("_t"), SUFFIXES))
        for number, digest in enumerate(program.digests)
    )


def _digest(digest: ir.Digest, number: int, c_name: str) -> Digest:
    inner = Names({"to", "head", "receiver"})
    labels = [inner.take(field.name) for field in digest.fields]
    pairs = list(zip(labels, digest.fields, strict=True))
    wanted = [layout.scalar(label, field.width, _note(field)) for label, field in pairs]
    members = layout.place(wanted, start=HEAD, align=8)
    places = {member.name: member for member in members}
    fields = tuple(_scalar(field, places[label]) for label, field in pairs)
    struct = Struct(f"{c_name}_message", members, layout.end_of(members, HEAD), 8)
    return Digest(digest, c_name, number, fields, struct)


def _note(field: ir.DigestField) -> str:
    return f"{field.name}: bit<{field.width}>"


def _scalar(field: ir.DigestField, member: Member) -> Scalar:
    return Scalar(field.name, member.name, member.name, field.width, member.offset, member.size)


def maps(name: str) -> Iterator[Map]:
    """Yield the ring buffer called `name`, and the count of what did not fit."""
    yield Map(name, "ringbuf", "", "", 0, 0, MESSAGES_SIZE)
    yield data_map(f"{name}_lost", "__u64", 8)


PACKET_MESSAGE = 24 + 2048
"""Bytes of a struct p4xdp_packet_message."""


def packet_map(name: str) -> Map:
    """Return where a message that is a packet is made."""
    struct = "struct p4xdp_packet_message"
    return Map(f"{name}_packet", "percpu_array", "__u32", struct, 4, PACKET_MESSAGE, 1)


def types_of(digest: Digest) -> Iterator[str]:
    """Yield the struct of a digest's messages, lines of which the last is empty."""
    yield f"struct {digest.struct.name} {{"
    yield "\tstruct p4xdp_message head;"
    yield from (f"\t{member.declaration}" for member in digest.struct.members)
    yield from ("};", "")


# out.c


def sender(digest: Digest, messages: str) -> str:
    """Return the function that sends a message: its receiver, the fields, wide ones in limbs."""
    limbs = [(field, list(_limbs(field))) for field in digest.fields]
    parameters = ["__u32 receiver"]
    numbers = [limb for _, every in limbs for limb in every]
    parameters += [f"{variable_type(width)} {name}" for name, _, width in numbers]
    head = wrapped(f"static __always_inline void {digest.c_name}_send(", parameters, ")")
    lines = [
        f"struct {digest.struct.name} *to = bpf_ringbuf_reserve(&{messages}, sizeof(*to), 0);",
        "",
        "if (!to) {",
        f"\tp4xdp_lost(&{messages}_lost);",
        "\treturn;",
        "}",
        f"p4xdp_message(&to->head, P4XDP_DIGEST, {digest.number}, receiver);",
        *(line for field, every in limbs for line in _stores(field, every)),
        *(f"__builtin_memset(to->{pad.name}, 0, {pad.size});" for pad in digest.struct.padding),
        "bpf_ringbuf_submit(to, 0);",
    ]
    body = "".join(f"\t{line}\n" if line else "\n" for line in lines)
    return f"/* digest {commented(digest.digest.name)} */\n{head}\n{{\n{body}}}\n"


def _limbs(field: Scalar) -> Iterator[tuple[str, int, int]]:
    """Yield name, size in bytes in the message and width in bits of what a field is passed as."""
    widths = layout.limbs(field.width)
    if len(widths) == 1:
        yield field.c_name, field.size, field.width
        return
    for number, width in enumerate(widths):
        yield f"{field.c_name}_limb{number}", (width + 7) // 8, width


def _stores(field: Scalar, limbs: list[tuple[str, int, int]]) -> Iterator[str]:
    offset = 0
    for name, size, _ in limbs:
        place = field.address_in("to->")
        at = f"{place} + {offset}" if offset else place
        yield f"p4xdp_store{8 * size}({at}, {name});"
        offset += size


# out.h


def header_lines(digest: Digest) -> Iterator[str]:
    """Yield what a reader needs: the digest's number, its struct, a function for each field."""
    struct = f"struct {digest.struct.name}"
    yield from ("", f"/* digest {commented(digest.digest.name)} */")
    yield from (f"#define {digest.c_name.upper()}_NUMBER {digest.number}", "")
    yield from types_of(digest)
    yield f'P4XDP_STATIC_ASSERT(sizeof({struct}) == {digest.struct.size}, "hidden padding");'
    for field in digest.fields:
        name = f"{digest.c_name}_get_{field.c_name}"
        yield from ("", *getter(field, name, struct, field.c_name).split("\n")[:-1])
