"""Checksums over lists of fields: v1model's verify_checksum, update_checksum and Checksum16."""

from __future__ import annotations

from p4xdp.diagnostics import fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs.data import Data, digest_valid, pieces
from p4xdp.frontend.elaborate.externs.hashes import digest_of, digest_of_argument
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Function,
    Method,
    give_back,
    is_of_no_bits,
    member_name,
    passed,
    scalar_of,
    value_of,
)
from p4xdp.frontend.elaborate.trees import Tree, leaf, part_of
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk, storage_leaf
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp

SUM = 16
"""Bits of a word of a checksum."""


def _verify(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    condition, data, checksum, algorithm = passed(walk, env, function, expr)
    if is_of_no_bits(checksum):
        return NOTHING
    found = scalar_of(checksum)
    with walk.collect() as body:
        digest = _digest(walk, function, expr, data, member_name(expr, 3, value_of(algorithm)))
    wrong = fold.binary(BinaryOp.NE, fold.resize(digest, ir.width_of(found)), found)
    assert walk.standard is not None
    error = storage_leaf(leaf(part_of(walk.standard, "checksum_error")))
    noted = ir.Assign(error, ir.Const(1, 1), expr.span)
    if body:
        found_wrong = ir.If(wrong, (noted,), (), expr.span)
        walk.emit(ir.If(scalar_of(condition), (*body, found_wrong), (), expr.span))
    else:
        failed = fold.conjunction(scalar_of(condition), wrong)
        walk.emit(ir.If(failed, (noted,), (), expr.span))
    return NOTHING


def _update(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    condition, data, checksum, algorithm = passed(walk, env, function, expr)
    if is_of_no_bits(checksum):
        return NOTHING
    with walk.collect() as body:
        digest = _digest(walk, function, expr, data, member_name(expr, 3, value_of(algorithm)))
        value = fold.resize(digest, ir.width_of(scalar_of(checksum)))
        give_back(walk, checksum, value, expr.span)
    walk.emit(ir.If(scalar_of(condition), tuple(body), (), expr.span))
    return NOTHING


def _digest(
    walk: Walk,
    function: typed.ExternFunction,
    expr: typed.Call,
    argument: calls.Passed,
    algorithm: str,
) -> ir.Expr:
    """Return the checksum of the data, and where the function says so of the payload behind it."""
    if not function.name.endswith("_with_payload"):
        return digest_of_argument(walk, expr, 1, argument, algorithm)
    if algorithm != "csum16":
        raise fail(
            "unsupported",
            expr.span,
            f"a checksum over the payload by `{algorithm}` is not supported",
            help="HashAlgorithm.csum16 is",
        )
    payload = walk.fresh("payload_sum", SUM)
    walk.emit(ir.Effect("payload_sum", None, (), payload, expr.span))

    def with_payload(data: Data) -> ir.Expr:
        whole = pieces([*data.bits, *data.tail], SUM, SUM)
        return digest_of("csum16", Data([*whole, _behind(data, payload)], []), expr.span)

    return digest_valid(walk, expr, 1, argument, SUM, with_payload, word=SUM)


def _behind(data: Data, payload: ir.Expr) -> ir.Expr:
    """Return the sum of a payload as it counts behind data: its bytes change places behind an odd
    number of bytes (RFC 1071)."""
    turned = fold.concat(fold.slice_of(payload, 7, 0), fold.slice_of(payload, 15, 8))
    is_odd: ir.Expr = ir.Const(-(-sum(map(ir.width_of, data.bits)) // 8) % 2, 1)
    for size in data.tail_size:
        is_odd = fold.binary(BinaryOp.XOR, is_odd, fold.slice_of(size, 0, 0))
    return fold.mux(fold.unary(ir.UnaryOp.TO_BOOL, is_odd), turned, payload)


def _get(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    (data,) = passed(walk, env, method, expr)
    return digest_of_argument(walk, expr, 0, data, "csum16")


FUNCTIONS: dict[str, Function] = {
    "verify_checksum": _verify,
    "update_checksum": _update,
    "verify_checksum_with_payload": _verify,
    "update_checksum_with_payload": _update,
}
METHODS: dict[str, Method] = {"Checksum16.get": _get}
