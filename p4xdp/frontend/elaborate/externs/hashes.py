"""Hashes of data: the algorithms of v1model as pure functions of the IR over pieces of the data."""

from __future__ import annotations

from p4xdp.diagnostics import Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs.data import Data, digest_valid, pieces
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Function,
    give_back,
    member_name,
    member_of,
    passed,
    result_width,
    scalar_of,
    value_of,
)
from p4xdp.frontend.elaborate.trees import Tree, underlying
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp

SUM_PIECE = 32
"""Bits that a checksum adds at once."""

_CRC = {"crc16": 16, "crc16_custom": 16, "crc32": 32, "crc32_custom": 32}
"""The widths of the cyclic redundancy checks."""


_WIDTHS = {**_CRC, "csum16": 16, "xor16": 16}
"""The widths of hashes that have one whatever the data."""

_NAMES = {"ones_complement16": "csum16", "target_default": "crc32"}
"""The algorithms of PSA that have another name in v1model."""

ANY = "random"
"""The algorithm that promises nothing but that the same data have the same hash."""


def algorithm_of(found: ExternObject) -> str:
    """Return the algorithm that the first argument of an object's constructor names."""
    count = len(found.arguments)
    (made,) = [one for one in found.declaration.constructors if len(one.parameters) == count]
    kind = underlying(made.parameters[0].type)
    name = member_of(kind, found.arguments[0], found.span).lower()
    return _NAMES.get(name, name)


def digest_of_argument(
    walk: Walk, expr: typed.Call, index: int, argument: calls.Passed, algorithm: str
) -> ir.Expr:
    """Return the hash of argument number `index`, without its headers that are not valid."""
    return digest_valid(
        walk,
        expr,
        index,
        argument,
        width_of_digest(algorithm),
        lambda data: digest_of(algorithm, data, expr.span),
        word=16 if algorithm in ("csum16", "xor16") else 0,
    )


def width_of_digest(algorithm: str) -> int:
    """Return the bits that a hash has at most."""
    return _WIDTHS.get("crc32" if algorithm == ANY else algorithm, ir.LIMB)


def digest_of(algorithm: str, data: Data, span: Span) -> ir.Expr:
    """Return the hash of the data, as wide as the algorithm makes it.

    Raises CompileError for an algorithm that the target does not have.
    """
    if data.tail and algorithm not in ("csum16", "xor16"):
        text = f"`{algorithm}` of a varbit is not supported"
        raise fail("unsupported", span, text, help="leave it out; csum16 and xor16 take one")
    match "crc32" if algorithm == ANY else algorithm:
        case "csum16":
            return ir.Pure("csum16", tuple(pieces(_with_tail(data, span), SUM_PIECE, 16)), 16)
        case "xor16":
            result: ir.Expr = ir.Const(0, 16)
            for piece in pieces(_with_tail(data, span), 16, 16):
                result = fold.binary(BinaryOp.XOR, result, piece)
            return result
        case "identity":
            return (pieces(data.bits, ir.LIMB, 8) or [ir.Const(0, 8)])[0]
        case name if name in _CRC:
            width = _CRC[name]
            return ir.Pure(name, tuple(pieces(data.bits, ir.LIMB, 8)), width)
        case name:
            help = f"this target has {', '.join(sorted((*_CRC, 'csum16', 'identity', 'xor16')))}"
            text = f"the hash algorithm `{name}` is not supported"
            raise fail("unsupported", span, text, help=help)


def _with_tail(data: Data, span: Span) -> list[ir.Expr]:
    """Return all the bits; the zeros behind a varbit change no sum of 16-bit words."""
    if data.tail and sum(map(ir.width_of, data.bits)) % 8:
        raise fail(
            "unsupported",
            span,
            "a varbit that starts within a byte is not supported",
            help="put whole bytes in front of it, with a field of zeros if need be",
        )
    return [*data.bits, *data.tail]


def limited(digest: ir.Expr, most: ir.Expr) -> ir.Expr:
    """Return the hash modulo `most`, 0 where that is 0; as wide as the hash."""
    width = ir.width_of(digest)
    if isinstance(most, ir.Const):
        if most.value >> width:
            return digest
        return fold.binary(BinaryOp.MOD, digest, ir.Const(most.value, width))
    wide = max(width, ir.width_of(most))
    rest = fold.binary(BinaryOp.MOD, fold.resize(digest, wide), fold.resize(most, wide))
    return fold.resize(rest, width)


def _hash(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    result, algorithm, base, data, most = passed(walk, env, function, expr)
    width = result_width(expr, 0, expr.span)
    name = member_name(expr, 1, value_of(algorithm))
    digest = digest_of_argument(walk, expr, 3, data, name)
    limit = scalar_of(most)
    if ir.width_of(limit) > ir.LIMB and not isinstance(limit, ir.Const):
        help = "give the limit as a bit<64> or narrower"
        raise fail("unsupported", expr.span, "a hash is limited by at most 64 bits", help=help)
    rest = fold.resize(limited(digest, limit), width)
    start = fold.resize(scalar_of(base), width)
    give_back(walk, result, fold.binary(BinaryOp.ADD, start, rest), expr.span)
    return NOTHING


FUNCTIONS: dict[str, Function] = {"hash": _hash}
