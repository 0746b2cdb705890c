"""Checksums over lists of fields: v1model's verify_checksum, update_checksum and Checksum16."""

from __future__ import annotations

from p4xdp.diagnostics import fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.externs.hashes import digest_of
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Function,
    Method,
    data_of,
    give_back,
    member_name,
    passed,
    scalar_of,
    value_of,
)
from p4xdp.frontend.elaborate.trees import Tree, leaf, part_of
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk, storage_leaf
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp


def _verify(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    condition, data, checksum, algorithm = passed(walk, env, function, expr)
    found = scalar_of(checksum)
    name = member_name(expr, 3, value_of(algorithm))
    digest = digest_of(name, data_of(expr, 1, data), expr.span)
    wrong = fold.binary(BinaryOp.NE, fold.resize(digest, ir.width_of(found)), found)
    assert walk.standard is not None
    error = storage_leaf(leaf(part_of(walk.standard, "checksum_error")))
    failed = fold.conjunction(scalar_of(condition), wrong)
    walk.emit(ir.If(failed, (ir.Assign(error, ir.Const(1, 1), expr.span),), (), expr.span))
    return NOTHING


def _update(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    condition, data, checksum, algorithm = passed(walk, env, function, expr)
    name = member_name(expr, 3, value_of(algorithm))
    digest = digest_of(name, data_of(expr, 1, data), expr.span)
    value = fold.resize(digest, ir.width_of(scalar_of(checksum)))
    with walk.collect() as body:
        give_back(walk, checksum, value, expr.span)
    walk.emit(ir.If(scalar_of(condition), tuple(body), (), expr.span))
    return NOTHING


def _with_payload(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    raise fail(
        "unsupported",
        expr.span,
        "a checksum over the payload is not supported",
        help="update it by what changes: verify_checksum and update_checksum take fields only",
    )


def _get(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    (data,) = passed(walk, env, method, expr)
    return digest_of("csum16", data_of(expr, 0, data), expr.span)


FUNCTIONS: dict[str, Function] = {
    "verify_checksum": _verify,
    "update_checksum": _update,
    "verify_checksum_with_payload": _with_payload,
    "update_checksum_with_payload": _with_payload,
}
METHODS: dict[str, Method] = {"Checksum16.get": _get}
