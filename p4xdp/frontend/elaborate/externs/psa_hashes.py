"""Hash, Checksum and InternetChecksum of PSA: the algorithms of `hashes` on objects.

A checksum is computed over all data since the last `clear`; what has come so far is in a variable
that is 0 when a packet arrives. Bits that do not fill bytes are filled up in front.
"""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.diagnostics import Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs.data import Data, digest_valid, pieces
from p4xdp.frontend.elaborate.externs.hashes import (
    SUM_PIECE,
    algorithm_of,
    digest_of,
    limited,
    width_of_digest,
)
from p4xdp.frontend.elaborate.externs.interface import NOTHING, Method, passed, scalar_of
from p4xdp.frontend.elaborate.trees import Tree, scalar_width
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp, UnaryOp

SUM = 16
"""Bits of a sum of 16-bit words with its carries added in (RFC 1071)."""


def _filled(data: Data) -> Data:
    """Return data filled up to whole bytes."""
    missing = -sum(map(ir.width_of, [*data.bits, *data.tail])) % 8
    return Data([ir.Const(0, missing), *data.bits], data.tail) if missing else data


def _width(method: typed.ExternFunction, expr: typed.Call) -> int:
    width = scalar_width(expr.type)
    if width is None:
        text = f"the result of `{method.name}` must be a number"
        raise fail("unsupported", expr.span, text, help="make it a bit<W>, as `Hash<bit<16>>` does")
    return width


def _get_hash(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    given = passed(walk, env, method, expr)
    width = _width(method, expr)
    if len(given) == 1:
        return fold.resize(_hash_of(walk, found, expr, 0, given[0]), width)
    base, data, most = given
    digest = _hash_of(walk, found, expr, 1, data)
    limit = scalar_of(most)
    if ir.width_of(limit) > ir.LIMB and not isinstance(limit, ir.Const):
        help = "give the limit as a bit<64> or narrower"
        raise fail("unsupported", expr.span, "a hash is limited by at most 64 bits", help=help)
    rest = fold.resize(limited(digest, limit), width)
    return fold.binary(BinaryOp.ADD, fold.resize(scalar_of(base), width), rest)


def _hash_of(
    walk: Walk, found: ExternObject, expr: typed.Call, index: int, argument: calls.Passed
) -> ir.Expr:
    name = algorithm_of(found)

    def digest(data: Data) -> ir.Expr:
        return digest_of(name, _filled(data), expr.span)

    return digest_valid(walk, expr, index, argument, width_of_digest(name), digest)


# Sums


def _state(walk: Walk, found: ExternObject) -> ir.Var:
    """Return the variable that holds what has become of all that a checksum was given."""
    if found not in walk.states:
        is_wide = bool(found.arguments) and algorithm_of(found) == "crc32"
        name = found.path.rpartition(".")[2]
        walk.states[found] = walk.fresh(f"{name}_state", 2 * SUM if is_wide else SUM)
    return walk.states[found]


def _clear(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    state = _state(walk, found)
    walk.emit(ir.Assign(state, ir.Const(0, state.width), expr.span))
    return NOTHING


def _add(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    _take_in(walk, env, found, method, expr, _words)
    return NOTHING


def _subtract(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    _take_in(walk, env, found, method, expr, _inverted_words)
    return NOTHING


def _words(data: Data) -> list[ir.Expr]:
    filled = _filled(data)
    return pieces([*filled.bits, *filled.tail], SUM_PIECE, SUM)


def _inverted_words(data: Data) -> list[ir.Expr]:
    return [fold.unary(UnaryOp.NOT, word) for word in _words(data)]


def _take_in(
    walk: Walk,
    env: Env,
    found: ExternObject,
    method: typed.ExternFunction,
    expr: typed.Call,
    words: Callable[[Data], list[ir.Expr]],
) -> None:
    """Add the words of the argument to what has come so far."""
    (argument,) = passed(walk, env, method, expr)
    state = _state(walk, found)

    def sum_with(data: Data) -> ir.Expr:
        return fold.unary(UnaryOp.NOT, ir.Pure("csum16", (state, *words(data)), SUM))

    value = digest_valid(walk, expr, 0, argument, SUM, sum_with)
    walk.emit(ir.Assign(state, value, expr.span))


def _get(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    passed(walk, env, method, expr)
    inverted = fold.unary(UnaryOp.NOT, _state(walk, found))
    return fold.resize(walk.saved(inverted, expr.span, "checksum"), _width(method, expr))


def _get_state(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    passed(walk, env, method, expr)
    return walk.saved(_state(walk, found), expr.span, "checksum_state")


def _set_state(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    (state,) = passed(walk, env, method, expr)
    walk.emit(ir.Assign(_state(walk, found), scalar_of(state), expr.span))
    return NOTHING


# Checksum


def _update(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    match algorithm_of(found):
        case "csum16":
            _take_in(walk, env, found, method, expr, lambda data: _even_words(data, expr.span))
        case "crc16" | "crc32" as name:
            (argument,) = passed(walk, env, method, expr)
            state = _state(walk, found)

            def go_on(data: Data) -> ir.Expr:
                return _go_on(state, name, _filled(data), expr.span)

            value = digest_valid(walk, expr, 0, argument, state.width, go_on)
            walk.emit(ir.Assign(state, value, expr.span))
        case name:
            raise fail(
                "unsupported",
                expr.span,
                f"a `Checksum` by `{name}` is not supported",
                help="take `Hash` over all the data at once",
            )
    return NOTHING


def _even_words(data: Data, span: Span) -> list[ir.Expr]:
    if data.tail or -sum(map(ir.width_of, data.bits)) % SUM >= 8:
        raise fail(
            "unsupported",
            span,
            "data of an odd number of bytes in a `Checksum` are not supported",
            help="add them together with what follows",
        )
    return _words(data)


def _go_on(state: ir.Var, name: str, data: Data, span: Span) -> ir.Expr:
    """Return what a cyclic redundancy check is behind more data.

    Its remainder is exclusive-ored to the bytes that come next, the lowest to the first, and what
    is left of it to the result. For both algorithms that remainder is the check so far: they start
    with what they exclusive-or in the end.
    """
    every = pieces(data.bits, 8, 8)
    number = min(len(every), state.width // 8)
    head = [
        fold.binary(BinaryOp.XOR, byte, fold.slice_of(state, 8 * at + 7, 8 * at))
        for at, byte in enumerate(every[:number])
    ]
    digest = digest_of(name, Data([*head, *every[number:]], data.tail), span)
    if 8 * number < state.width:
        rest = fold.slice_of(state, state.width - 1, 8 * number)
        digest = fold.binary(BinaryOp.XOR, digest, fold.resize(rest, state.width))
    return digest


def _get_check(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    if algorithm_of(found) == "csum16":
        return _get(walk, env, found, method, expr)
    passed(walk, env, method, expr)
    found_so_far = walk.saved(_state(walk, found), expr.span, "checksum")
    return fold.resize(found_so_far, _width(method, expr))


METHODS: dict[str, Method] = {
    "Hash.get_hash": _get_hash,
    "Checksum.clear": _clear,
    "Checksum.update": _update,
    "Checksum.get": _get_check,
    "InternetChecksum.clear": _clear,
    "InternetChecksum.add": _add,
    "InternetChecksum.subtract": _subtract,
    "InternetChecksum.get": _get,
    "InternetChecksum.get_state": _get_state,
    "InternetChecksum.set_state": _set_state,
}
